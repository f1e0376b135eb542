/* File descriptors: close-on-exec everywhere, -1 means none. */
#ifndef UTIL_FD_H
#define UTIL_FD_H

#include <stdbool.h>

#include "util/util.h"

/* Returns the descriptor and sets *fd to -1. */
static inline int fd_steal(int *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}

/* Closes *fd if it is open, sets it to -1 and preserves errno. */
void fd_close(int *fd);
/*
 * For a process that must not wait while the kernel frees the pages of other processes. After this
 * call, fd_close() passes shared memory to fn if its last close may free more than FD_QUICK_LEN
 * bytes. fn returns true if it has taken the descriptor over. Any thread may call fn. NULL restores
 * the plain close.
 */
#define FD_QUICK_LEN (1u << 20)
typedef bool (*fd_close_fn)(int fd);
void fd_set_close_fn(fd_close_fn fn);
#define CLEANUP_FD CLEANUP(fd_close)

/* Duplicates with close-on-exec. Returns the new descriptor or -errno. */
int fd_dup(int fd);
/*
 * Reopens the same memory through /proc with other access (O_RDONLY, O_RDWR). Never blocks. Returns
 * the new descriptor or -errno.
 */
int fd_reopen(int fd, int flags);
int fd_set_nonblocking(int fd);
/* Creates an eventfd with close-on-exec and O_NONBLOCK. Returns the descriptor or -errno. */
int fd_eventfd(void);
/*
 * Creates an eventfd that many processes watch edge-triggered and no process empties. It is a
 * semaphore with a huge count, so a read leaves it readable. Otherwise a hostile reader could
 * consume the edge before the others wake. Returns the descriptor or -errno.
 */
int fd_eventfd_charged(void);
/*
 * True for an eventfd. Check a peer's descriptor before signalling it: a write to a broken pipe
 * would raise SIGPIPE.
 */
bool fd_is_eventfd(int fd);
/*
 * True for shared memory, an eventfd and a pidfd, whose last close never blocks. The last close of
 * anything else may wait: for the reader of a socket, or for a file system that a process
 * implements. This check itself makes no request to a file system.
 */
bool fd_closes_at_once(int fd);
/*
 * Adds 1. A full counter counts as success, because its reader wakes anyway. Only for eventfds that
 * no other process holds; for others see util/doorbell.h.
 */
void fd_eventfd_ring(int fd);
/* Empties the counter. Returns true if it was not zero. */
bool fd_eventfd_clear(int fd);
/* Opens a pidfd of the process. Returns the descriptor or -errno. */
int fd_pidfd_open(int pid);
/* True if the process of the pidfd has ended. */
bool fd_pidfd_exited(int pidfd);

#endif
