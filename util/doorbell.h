/*
 * Signals eventfds that other processes hold, too. O_NONBLOCK belongs to the open file description
 * and so to every holder: a hostile holder can make an eventfd blocking and full between any check
 * and a write(), and the write would block forever. Therefore the kernel signals the eventfd: on
 * completion of an asynchronous read (io_submit, IOCB_FLAG_RESFD), which never blocks. A full
 * counter stays full, and its sleepers wake all the same.
 *
 * The process has one asynchronous I/O context, which holds no descriptor and ends with the
 * process. A forked child creates its own at its first signal. If the kernel refuses one (a seccomp
 * filter, fs.aio-max-nr used up, Linux before 5.8), the fallback is poll() followed by write(). Any
 * thread may call these functions; they take no lock and preserve errno.
 */
#ifndef UTIL_DOORBELL_H
#define UTIL_DOORBELL_H

#include <stdbool.h>

/*
 * Creates the context if there is none. Call it when the first shared eventfd is received, so that
 * no later signal has to. Returns 0, or -errno if the kernel refuses; a later call tries again.
 */
int doorbell_open(void);
/*
 * Adds 1 and wakes sleepers through the kernel. Returns false if the kernel refuses or fd is no
 * eventfd.
 */
bool doorbell_signal(int fd);
/* Adds 1. A full counter counts as success, because its reader wakes anyway. */
void doorbell_ring(int fd);
/*
 * Like doorbell_ring(), for an eventfd that is watched edge-triggered and never read. If the
 * counter is full and the kernel cannot signal it, makes room first.
 */
void doorbell_ring_edge(int fd);

#endif
