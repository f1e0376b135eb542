/*
 * What a descriptor ("blob") says, for operators: kind, owner, range, permissions, whether it is
 * alive and can be imported on this side, or why not. Never the secret; who its owner is only when
 * the secret proves it. Anything may be passed in. Runs in the daemon's loop.
 */
#ifndef DAEMON_DBUS_DECODE_H
#define DAEMON_DBUS_DECODE_H

#include <stddef.h>

#include "daemon/dbus/record.h"

struct daemon;

void bus_decode_fill(struct record *rec, struct daemon *daemon, const void *data, size_t len);

#endif
