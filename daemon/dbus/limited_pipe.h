/*
 * A byte-limited pipe between a socket and an sd-bus, for operators without read access, who only
 * get a refusal. It is needed because sd-bus itself reads as much as a message claims to have.
 * Owner: a connection of bus.c.
 */
#ifndef DAEMON_DBUS_LIMITED_PIPE_H
#define DAEMON_DBUS_LIMITED_PIPE_H

#include <stddef.h>

#include "daemon/base/loop.h"

struct limited_pipe;

/*
 * Takes ownership of the socket on success and returns the descriptor for the sd-bus. The event
 * loop calls broken() when the other end has disconnected or has sent more than max_len bytes.
 * Returns 0 or -errno.
 */
int limited_pipe_new(struct loop *loop, int *outer, size_t max_len, void (*broken)(void *user),
		     void *user, int *bus_fd_out, struct limited_pipe **pipe_out);
/* Accepts NULL. Returns NULL. */
struct limited_pipe *limited_pipe_free(struct limited_pipe *pipe);

#endif
