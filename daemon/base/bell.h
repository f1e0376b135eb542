/*
 * Rings eventfds that clients hold, too. O_NONBLOCK belongs to the open file and so to all who hold
 * it: a client can make its eventfd blocking and full between any look at it and the write, and a
 * daemon that waits for it would serve nobody any more. So the kernel rings it (util/doorbell.h).
 * Where it does not, the write is interrupted by a timer if it waits: unlike a library a daemon can
 * take SIGALRM and the real-time timer of the process. For the thread that has the daemon's loop.
 */
#ifndef DAEMON_BASE_BELL_H
#define DAEMON_BASE_BELL_H

/* Once, before the others. */
void bell_init(void);
/* Adds 1; a full counter is a success, the reader will wake. */
void bell_ring(int eventfd);
/* The same for one that is watched for edges and read by nobody: a full counter makes an edge, too.
 */
void bell_ring_edge(int eventfd);
/* The write alone, for where the kernel does not ring: 0, or -EAGAIN when the counter is full,
 * blocking or not. */
int bell_write(int eventfd);

#endif
