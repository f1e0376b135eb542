/* Threads beside the event loop, for what may wait for somebody. They touch nothing of the daemon.
 */
#ifndef DAEMON_BASE_THREAD_H
#define DAEMON_BASE_THREAD_H

/* Runs fn(arg) in a thread of its own, to which no signal goes and which nobody joins. 0 or -errno.
 */
int thread_start(void *(*fn)(void *arg), void *arg);

#endif
