/*
 * Rings eventfds that other processes hold, too. O_NONBLOCK belongs to the open file and so to all
 * who hold it: a hostile holder can make an eventfd blocking and full between any look at it and a
 * write, and the write would wait for good. So the kernel rings it: it signals an eventfd when an
 * asynchronous read (io_submit, IOCB_FLAG_RESFD) is done, and this never waits; a full counter
 * stays full, and who sleeps on it is woken all the same.
 *
 * One context of asynchronous I/O for the process, which holds no descriptor and ends with the
 * process. A forked child makes its own at its first ring. Where the kernel refuses one (a seccomp
 * filter, fs.aio-max-nr used up, before Linux 5.8) the write has to do, after a look. Threads: any;
 * no lock. All keep errno.
 */
#ifndef UTIL_DOORBELL_H
#define UTIL_DOORBELL_H

#include <stdbool.h>

/*
 * Makes the context, if there is none; when the first bell of others is taken, so that no ring has
 * to. 0, or -errno: the kernel refuses; a later call tries again.
 */
int doorbell_open(void);
/* Adds 1 and wakes who sleeps, by the kernel. False: not to be had here, or it is no eventfd. */
bool doorbell_signal(int fd);
/* Adds 1; a full counter is a success, the reader will wake. */
void doorbell_ring(int fd);
/*
 * The same for one that is watched for edges and read by nobody: who finds it full, and has no
 * kernel to ring it, makes room first.
 */
void doorbell_ring_edge(int fd);

#endif
