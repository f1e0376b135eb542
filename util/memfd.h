/* Memory that is shared through descriptors: made, sealed, and checked before it is mapped. */
#ifndef UTIL_MEMFD_H
#define UTIL_MEMFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A memfd of exactly len bytes, sealed against growing, shrinking and further seals. Its mode is
 * 0600: a process of another user cannot open it again with more rights than the descriptor that it
 * was sent. Descriptor or -errno. */
int memfd_create_sealed(const char *name, size_t len);
/* The same, but further seals may be added (for memory that the application owns). */
int memfd_create_sealable(const char *name, size_t len);
/* The same, but it may also grow. */
int memfd_create_growable(const char *name, size_t len);
/*
 * Takes the right to write from every holder of the memory, whatever its user and however it opens
 * the memory again. Writable mappings that exist at the time of the call stay writable; every later
 * mapping is read-only and cannot be made writable. Further seals are refused. fd must be open for
 * writing. Returns 0 or -errno; -EINVAL before Linux 5.1.
 */
int memfd_seal_writers(int fd);
/*
 * Settles, with the first call, whether memory of memfd_create_sealable may be given to processes
 * that write (`writes`), or to processes that only read, which no later call can change. Its maker
 * has mapped it. Returns whether memory that is settled may be given to such processes. Any thread:
 * the state is in the seals.
 */
bool memfd_settle(int fd, bool writes);
/*
 * Checks a received descriptor: a memfd whose size is at least min_len and that can neither shrink
 * nor be unsealed. Returns 0, -EBADF (no memfd), -EPERM (seals are missing), -ERANGE (too short),
 * or -ENOTSUP (huge pages: no seal keeps its owner from punching holes, and who then touches one
 * while the pool is empty is killed).
 */
int memfd_verify(int fd, size_t min_len);
/* Like memfd_verify, and also -EPERM if a holder of the descriptor could map the memory for writing
 * or write to it. */
int memfd_verify_unwritable(int fd, size_t min_len);
/* As memfd_verify for memory of one fixed size: -EPERM also without the seal against growing,
 * -ERANGE for any other size. */
int memfd_verify_exact(int fd, size_t len);
/* Adds the shrink seal if the descriptor lacks it. 0 or -errno; -EPERM: the memfd refuses seals. */
int memfd_seal_shrink(int fd);
/* Maps len bytes at offset (any alignment of len, offset page aligned). NULL and errno on failure.
 */
void *memfd_map(int fd, uint64_t offset, size_t len, bool writable);
void memfd_unmap(void *addr, size_t len);
/* Maps len bytes at offset twice in a row. len is a multiple of the page size. NULL and errno on
 * failure. */
void *memfd_map_twice(int fd, uint64_t offset, size_t len);
void memfd_unmap_twice(void *addr, size_t len);
size_t memfd_page_size(void);
/* True if a process that receives the memory from this one can map it for writing: no seal forbids
 * it, and the descriptor is open for writing or can be opened so. */
bool memfd_is_writable(int fd);
/* Made of huge pages (MFD_HUGETLB, or a file of hugetlbfs). */
bool memfd_is_huge(int fd);

#endif
