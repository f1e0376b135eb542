/* Finds the daemon that the process is to connect to, from the environment or at the default
 * places. Threads: the session's lock is held. */
#ifndef CLIENT_CONTROL_FIND_DAEMON_H
#define CLIENT_CONTROL_FIND_DAEMON_H

#include <doca_error.h>

#include "util/clock.h"

/* The longest time that a call waits for its reply, and that a connect waits to be accepted. */
#define SESSION_CALL_NS (5 * NS_PER_SEC)

/* The same limit for callers that only check whether a daemon is back, while others wait for
 * them. */
#define SESSION_ENSURE_TIMEOUT_NS (200 * NS_PER_MS)

/* Snapshots the environment. Call on application threads only: getenv() races with setenv(). */
void session_snapshot_environment(void);
/* Connects to a daemon that accepts within the time limit. On failure, records an error sentence
 * that lists the places tried. */
doca_error_t session_find_daemon(uint64_t timeout_ns, int *fd_out);

#endif
