/*
 * Listening sockets. A socket is guarded by a lock file next to it, so that a second daemon on the
 * same path is refused, and a socket that a dead one left behind can safely be removed. Running out
 * of descriptors pauses accepting instead of spinning.
 */
#ifndef DAEMON_SESSION_SERVER_H
#define DAEMON_SESSION_SERVER_H

#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/loop.h"

struct listener;

/* A connection, close-on-exec and non-blocking; the function owns fd. */
typedef void (*listener_fn)(void *user, int fd);

/*
 * Locks, binds and listens (type: SOCK_SEQPACKET or SOCK_STREAM). 0; -EADDRINUSE: another daemon
 * has it; -errno. The reason is logged.
 */
int listener_new(struct loop *loop, const char *path, int type, mode_t mode, listener_fn fn,
		 void *user, struct listener **listener_out);
/* A listening socket that the service manager made and owns: it stays when the listener goes. Takes
 * fd, also when it fails. 0 or -errno, logged. */
int listener_adopt(struct loop *loop, int fd, listener_fn fn, void *user,
		   struct listener **listener_out);
/* A TCP socket at a numeric address; listener_path() is "tls:ADDRESS:PORT". 0 or -errno, logged. */
int listener_new_tcp(struct loop *loop, const char *host, uint16_t port, listener_fn fn, void *user,
		     struct listener **listener_out);
/* Removes socket and lock file. NULL is fine. Returns NULL. */
struct listener *listener_free(struct listener *listener);
const char *listener_path(const struct listener *listener);

#endif
