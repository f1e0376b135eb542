/* Finds the daemon that the process is to connect to, from the environment or at the default
 * places. Threads: the one that connects. */
#ifndef CLIENT_CONTROL_FIND_DAEMON_H
#define CLIENT_CONTROL_FIND_DAEMON_H

#include <stdint.h>

#include <doca_error.h>

/* Snapshots the environment. Call on application threads only: getenv() races with setenv(). */
void session_snapshot_environment(void);
/* Connects to a daemon that accepts within the time limit. On failure, records an error sentence
 * that lists the places tried. */
doca_error_t session_find_daemon(uint64_t timeout_ns, int *fd_out);

#endif
