/*
 * Listening sockets. Each Unix socket is guarded by a lock file next to it. The lock makes a second
 * daemon on the same path fail, and makes it safe to remove a stale socket of a dead daemon. If the
 * process runs out of descriptors, accepting is paused instead of retried in a loop.
 */
#ifndef DAEMON_SESSION_LISTENER_H
#define DAEMON_SESSION_LISTENER_H

#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/loop.h"

struct listener;

/* Receives a connection, which is close-on-exec and non-blocking. The function owns fd. */
typedef void (*listener_fn)(void *user, int fd);

/*
 * Locks, binds and listens (type: SOCK_SEQPACKET or SOCK_STREAM). Returns 0, -EADDRINUSE if another
 * daemon holds the lock, or another -errno. Logs the reason.
 */
int listener_new(struct loop *loop, const char *path, int type, mode_t mode, listener_fn fn,
		 void *user, struct listener **listener_out);
/*
 * Uses a listening socket that the service manager created and owns: it stays when the listener is
 * freed. Takes ownership of fd, also on failure. Returns 0 or -errno, logged.
 */
int listener_adopt(struct loop *loop, int fd, listener_fn fn, void *user,
		   struct listener **listener_out);
/*
 * Creates a TCP socket at a numeric address; listener_path() is "tls:ADDRESS:PORT". Returns 0 or
 * -errno, logged.
 */
int listener_new_tcp(struct loop *loop, const char *host, uint16_t port, listener_fn fn, void *user,
		     struct listener **listener_out);
/* Removes socket and lock file. Accepts NULL. Returns NULL. */
struct listener *listener_free(struct listener *listener);
const char *listener_path(const struct listener *listener);

#endif
