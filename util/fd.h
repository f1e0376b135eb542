/* File descriptors: close-on-exec everywhere, -1 means none. */
#ifndef UTIL_FD_H
#define UTIL_FD_H

#include <stdbool.h>

#include "util/util.h"

/* Returns the descriptor and leaves -1 behind. */
static inline int fd_steal(int *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}

/* Closes if open, keeps errno, leaves -1. */
void fd_close(int *fd);
/*
 * For a process that must not wait for the kernel to free pages of others. From now on fd_close()
 * passes shared memory to fn if its last close may free more than FD_QUICK_LEN bytes. fn takes the
 * descriptor and returns true, or returns false. fn may be called by any thread. NULL ends that.
 */
#define FD_QUICK_LEN (1u << 20)
typedef bool (*fd_close_fn)(int fd);
void fd_set_close_fn(fd_close_fn fn);
#define CLEANUP_FD CLEANUP(fd_close)

/* Duplicate with close-on-exec. Returns the new descriptor or -errno. */
int fd_dup(int fd);
/* Opens the same memory again through /proc with other access (O_RDONLY, O_RDWR). Does not wait.
 * Descriptor or -errno. */
int fd_reopen(int fd, int flags);
int fd_set_nonblocking(int fd);
/* eventfd, close-on-exec and non-blocking. Descriptor or -errno. */
int fd_eventfd(void);
/*
 * An eventfd that many processes watch for edges and nobody empties: a read takes 1 of so many that
 * it stays readable. Else a hostile reader could take the edge away from those who are about to
 * wake. Descriptor or -errno.
 */
int fd_eventfd_charged(void);
/* True for an eventfd: a descriptor from a peer must be one before it is rung (a broken pipe
 * kills). */
bool fd_is_eventfd(int fd);
/*
 * True for shared memory, an eventfd and a pidfd. The last close of anything else may wait: for the
 * reader of a socket, for a file system that is a program. Does not itself ask a file system.
 */
bool fd_closes_at_once(int fd);
/* Adds 1; a full counter is a success, the reader will wake. For one that no other process has: see
 * util/doorbell.h. */
void fd_eventfd_ring(int fd);
/* Empties the counter. Returns true if it was set. */
bool fd_eventfd_clear(int fd);
/* pidfd of a process. Descriptor or -errno. */
int fd_pidfd_open(int pid);
/* True when the process of the pidfd has ended. */
bool fd_pidfd_exited(int pidfd);

#endif
