/*
 * Contents of a descriptor ("blob"), for operators: kind, owner, range, permissions, and whether it
 * is alive and can be imported on this side, or why not. Never shows the secret, and shows the
 * owner only if the secret is valid. The input may be arbitrary bytes. Runs in the daemon's event
 * loop.
 */
#ifndef DAEMON_DBUS_DECODE_H
#define DAEMON_DBUS_DECODE_H

#include <stddef.h>

#include "daemon/dbus/record.h"

struct daemon;

void bus_decode_fill(struct record *rec, struct daemon *daemon, const void *data, size_t len);

#endif
