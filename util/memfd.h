/* Memory that is shared through descriptors: creation, seals, and the checks before mapping. */
#ifndef UTIL_MEMFD_H
#define UTIL_MEMFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Creates a memfd of exactly len bytes, sealed against growing, shrinking and further seals. Its
 * mode is 0600, so that a process of another user cannot reopen it with more rights than the
 * descriptor that it received has. Returns the descriptor or -errno.
 */
int memfd_create_sealed(const char *name, size_t len);
/*
 * Like memfd_create_sealed(), but further seals may be added. For memory that the application owns.
 */
int memfd_create_sealable(const char *name, size_t len);
/* Like memfd_create_sealable(), but the memory may also grow. */
int memfd_create_growable(const char *name, size_t len);
/*
 * Seals take the lock of the file. A process that can write the memory can hold that lock for ever,
 * by a write() from a page whose fault is never answered, and no signal ends the wait.
 */
/*
 * Removes the right to write from every holder of the memory, whatever its user and however it
 * reopens the memory. Mappings that are writable at the time of the call stay writable; every later
 * mapping is read-only and cannot be made writable. Further seals are refused. fd must be open for
 * writing. Returns 0 or -errno; -EINVAL on Linux before 5.1.
 */
int memfd_seal_writers(int fd);
/* Returns whether no process can map the memory for writing any more. */
bool memfd_has_write_seal(int fd);
/*
 * Settles whether memory of memfd_create_sealable() may be sent to processes that write (`writes`)
 * or to processes that only read. The first call decides; no later call can change it. The creator
 * must have mapped the memory before. Returns whether the memory may be sent to processes of the
 * kind asked for. Any thread may call it, because the state is in the seals.
 */
bool memfd_settle(int fd, bool writes);
/*
 * Checks a received descriptor: it must be a memfd of at least min_len bytes that can neither
 * shrink nor be unsealed. Returns 0, -EBADF (no memfd), -EPERM (seals are missing), -ERANGE (too
 * short), or -ENOTSUP (huge pages: no seal keeps the owner from punching holes, and a process that
 * touches a hole while the pool is empty is killed).
 */
int memfd_verify(int fd, size_t min_len);
/*
 * Like memfd_verify(), but also returns -EPERM if a holder of the descriptor could map the memory
 * for writing or write to it.
 */
int memfd_verify_unwritable(int fd, size_t min_len);
/*
 * Like memfd_verify(), for memory of one fixed size. Also returns -EPERM without the seal against
 * growing, and -ERANGE for any other size.
 */
int memfd_verify_exact(int fd, size_t len);
/*
 * Adds the seal against shrinking if it is missing. Returns 0 or -errno; -EPERM if the memfd
 * refuses seals.
 */
int memfd_seal_shrink(int fd);
/*
 * Maps len bytes at offset. len may be unaligned; offset must be page-aligned. Returns NULL and
 * sets errno on failure.
 */
void *memfd_map(int fd, uint64_t offset, size_t len, bool writable);
void memfd_unmap(void *addr, size_t len);
/*
 * Maps the same len bytes at offset twice, one directly after the other. len must be a multiple of
 * the page size. Returns NULL and sets errno on failure.
 */
void *memfd_map_twice(int fd, uint64_t offset, size_t len);
void memfd_unmap_twice(void *addr, size_t len);
size_t memfd_page_size(void);
/*
 * True if a process that receives this descriptor can map the memory for writing: no seal forbids
 * it, and the descriptor is open for writing or can be reopened so.
 */
bool memfd_is_writable(int fd);
/* True for memory made of huge pages (MFD_HUGETLB or a file of hugetlbfs). */
bool memfd_is_huge(int fd);

#endif
