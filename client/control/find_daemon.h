/*
 * Finds the daemon that a process is to connect to: by the environment, else where daemons listen.
 * Threads: the session's lock is held.
 */
#ifndef CLIENT_CONTROL_FIND_DAEMON_H
#define CLIENT_CONTROL_FIND_DAEMON_H

#include <doca_error.h>

#include "util/clock.h"

/* So long a call waits for its answer, and a connection for being taken. */
#define SESSION_CALL_NS (5 * NS_PER_SEC)

/* The same for who only looks whether there is a daemon again, while others wait for it. */
#define SESSION_SOON_NS (200 * NS_PER_MS)

/* Takes the environment down, which is the program's: not on the library's own threads. */
void session_look_around(void);
/* A connection, which is taken within that time; a sentence on failure, with the places that were
 * tried. */
doca_error_t session_find_daemon(uint64_t patience_ns, int *fd_out);

#endif
