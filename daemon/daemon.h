/* One daemon: makes what its rooms share (base/daemon.h), wires the rooms and runs them. */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/base/daemon.h"
#include "daemon/config/arguments.h"

/* Reads the files and creates the objects; no socket is opened yet. Returns 0 or -errno, logged. */
int daemon_new(const struct daemon_options *options, struct daemon **daemon_out);
/* Opens the sockets and starts the peer links. Returns 0 or -errno, logged. */
int daemon_start(struct daemon *daemon);
/* Runs until SIGTERM or SIGINT. Returns 0 or -errno. */
int daemon_run(struct daemon *daemon);
/* Closes every session and link and removes the sockets. Accepts NULL. Returns NULL. */
struct daemon *daemon_free(struct daemon *daemon);
/*
 * Reloads the configuration; an invalid one is refused and changes nothing. Returns 0 or -EINVAL.
 */
int daemon_reload(struct daemon *daemon);

#endif
