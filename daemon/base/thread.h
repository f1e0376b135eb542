/*
 * Threads beside the event loop, for work that may block. They must not access the daemon's
 * objects.
 */
#ifndef DAEMON_BASE_THREAD_H
#define DAEMON_BASE_THREAD_H

/* Runs fn(arg) in a new detached thread with all signals blocked. Returns 0 or -errno. */
int thread_start(void *(*fn)(void *arg), void *arg);

#endif
