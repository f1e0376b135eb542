/*
 * Rings eventfds that clients hold, too. O_NONBLOCK belongs to the open file and so to all who hold
 * it: a client can make its eventfd blocking and full between any look at it and the write, and a
 * daemon that waits for it would serve nobody any more. So the write is interrupted by a timer if
 * it waits. For the thread that has the daemon's loop; SIGALRM and the real-time timer of the
 * process are taken.
 */
#ifndef DAEMON_BELL_H
#define DAEMON_BELL_H

/* Once, before the others. */
void bell_init(void);
/* Adds 1; a full counter is a success, the reader will wake. */
void bell_ring(int eventfd);
/* The same for one that is watched for edges and read by nobody: a full counter is emptied first.
 */
void bell_ring_edge(int eventfd);
/* The write alone: 0, or -EAGAIN when the counter is full, blocking or not. */
int bell_write(int eventfd);

#endif
