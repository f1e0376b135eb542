/*
 * Signals eventfds that clients hold, too. O_NONBLOCK belongs to the open file description and so
 * to every holder: a client can make its eventfd blocking and full between any check and the
 * write(), and a blocked daemon would serve no client any more. Therefore the kernel signals the
 * eventfd (util/doorbell.h). If the kernel cannot, a timer interrupts the write if it blocks:
 * unlike a library, a daemon may use SIGALRM and the process's real-time timer. For the thread that
 * runs the daemon's event loop.
 */
#ifndef DAEMON_BASE_CLIENT_DOORBELL_H
#define DAEMON_BASE_CLIENT_DOORBELL_H

/* Call once, before the other functions. */
void client_doorbell_init(void);
/* Adds 1. A full counter counts as success, because its reader wakes anyway. */
void client_doorbell_ring(int eventfd);
/*
 * Like client_doorbell_ring(), for an eventfd that is watched edge-triggered and never read: a full
 * counter also produces an edge.
 */
void client_doorbell_ring_edge(int eventfd);
/*
 * The write alone, for kernels that cannot signal eventfds. Returns 0, or -EAGAIN if the counter is
 * full, blocking or not.
 */
int client_doorbell_write(int eventfd);

#endif
