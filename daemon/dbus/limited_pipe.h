/*
 * A narrow way between a socket and an sd-bus, for those who may only be told that they may not
 * look: so many bytes come in and no more. sd-bus itself reads as much as a message says that it
 * has. Owner: a connection of bus.c.
 */
#ifndef DAEMON_DBUS_LIMITED_PIPE_H
#define DAEMON_DBUS_LIMITED_PIPE_H

#include <stddef.h>

#include "daemon/base/loop.h"

struct bus_narrow;

/*
 * Takes the socket on success and gives the descriptor for the sd-bus. broken is called, out of the
 * loop, when the other end has gone or has sent more than max_len bytes. 0 or -errno.
 */
int bus_narrow_new(struct loop *loop, int *outer, size_t max_len, void (*broken)(void *user),
		   void *user, int *bus_fd_out, struct bus_narrow **narrow_out);
/* NULL is fine. Returns NULL. */
struct bus_narrow *bus_narrow_free(struct bus_narrow *narrow);

#endif
