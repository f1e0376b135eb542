/*
 * Moves pages of this process between private memory and a memfd, in place, while other threads use
 * them. A thread that touches the pages of a step waits until the step is done: a userfaultfd stops
 * it. Keeps no state; the caller orders steps on the same memory.
 */
#ifndef CLIENT_MEMORY_PAGE_MOVE_H
#define CLIENT_MEMORY_PAGE_MOVE_H

#include <stddef.h>
#include <stdint.h>

struct vma;

/*
 * Opens the userfaultfd of one adoption. Returns a descriptor; or -EPERM if the process has several
 * threads and the kernel grants only a userfaultfd for user mode, with which system calls of other
 * threads would fail with EFAULT; or -ENOSYS if the kernel cannot move pages (before Linux 6.8); or
 * another -errno.
 */
int page_move_open(void);
/* Like page_move_open(), for page_move_release() only: needs Linux 5.14. */
int page_move_open_release(void);
/*
 * Moves the private pages [at, at + len), of one mapping, into the memfd at `offset`. Returns 0; or
 * -EBUSY if a device uses pages (RDMA, io_uring, O_DIRECT), or -errno. On failure the pages are
 * private as before.
 */
int page_move_adopt(int uffd, int memfd, uint8_t *at, size_t len, uint64_t offset);
/*
 * Replaces the pages [at, at + len) of the mapping, which is one of the memfd, by private copies
 * with the mapping's protection. `offset` is that of `at`. Returns 0; or -errno, and the pages stay
 * shared.
 */
int page_move_release(int uffd, int memfd, const struct vma *vma, uint8_t *at, size_t len,
		      uint64_t offset);
/*
 * Returns private memory of len bytes with the memfd's contents at `offset` and the protection of
 * the mapping, or NULL and errno. The caller unmaps it.
 */
uint8_t *page_copy(int memfd, const struct vma *vma, size_t len, uint64_t offset);
/* Replaces the mapping at `at` by the one at `by`, which is then gone. Returns 0 or -errno. */
int page_replace(uint8_t *at, uint8_t *by, size_t len);

#endif
