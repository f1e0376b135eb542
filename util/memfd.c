/*
 * Shared memory. A receiver maps only memory that cannot shrink: otherwise the sender could
 * truncate the file under the mapping and kill the receiver with SIGBUS. Seals cannot be removed,
 * so one check at receipt is enough. Keeps no state; any thread may call it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/memfd.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

static int memfd_create_with(const char *name, size_t len, int seals)
{
	CLEANUP_FD int fd = -1;

	if (len == 0 || len > INT64_MAX)
		return -EINVAL;
	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL) /* Linux before 6.3 */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0600) < 0)
		return -errno;
	if (ftruncate(fd, (off_t)len) < 0)
		return -errno;
	if (fcntl(fd, F_ADD_SEALS, seals) < 0)
		return -errno;
	return fd_steal(&fd);
}

int memfd_create_sealed(const char *name, size_t len)
{
	return memfd_create_with(name, len, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

int memfd_create_sealable(const char *name, size_t len)
{
	return memfd_create_with(name, len, F_SEAL_SHRINK | F_SEAL_GROW);
}

int memfd_create_growable(const char *name, size_t len)
{
	return memfd_create_with(name, len, F_SEAL_SHRINK);
}

int memfd_seal_writers(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) < 0 ? -errno : 0;
}

bool memfd_is_huge(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == HUGETLBFS_MAGIC;
}

int memfd_verify(int fd, size_t min_len)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	if (seals < 0)
		return -EBADF;
	if (memfd_is_huge(fd))
		return -ENOTSUP;
	if (!(seals & F_SEAL_SHRINK))
		return -EPERM;
	if (fstat(fd, &st) < 0)
		return -EBADF;
	return (uint64_t)st.st_size < min_len ? -ERANGE : 0;
}

bool memfd_has_write_seal(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & (F_SEAL_FUTURE_WRITE | F_SEAL_WRITE));
}

int memfd_verify_unwritable(int fd, size_t min_len)
{
	int r = memfd_verify(fd, min_len);

	if (r < 0)
		return r;
	return memfd_has_write_seal(fd) ? 0 : -EPERM;
}

bool memfd_is_writable(int fd)
{
	CLEANUP_FD int opened = -1;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || memfd_has_write_seal(fd))
		return false;
	if ((flags & O_ACCMODE) == O_RDWR)
		return true;
	opened = fd_reopen(fd, O_RDWR);
	return opened >= 0;
}

bool memfd_settle(int fd, bool writes)
{
	if (!writes)
		return memfd_has_write_seal(fd) || memfd_seal_writers(fd) == 0;
	/*
	 * After this call the write seal cannot be added any more. It fails if another seal call
	 * was first. It takes the lock of the file, which a process that has the memory already can
	 * hold for ever, so it is not repeated.
	 */
	if (!(fcntl(fd, F_GET_SEALS) & F_SEAL_SEAL))
		(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL);
	return !memfd_has_write_seal(fd);
}

int memfd_verify_exact(int fd, size_t len)
{
	struct stat st;
	int r = memfd_verify(fd, len);

	if (r < 0)
		return r;
	if (!(fcntl(fd, F_GET_SEALS) & F_SEAL_GROW))
		return -EPERM;
	if (fstat(fd, &st) < 0)
		return -EBADF;
	return (uint64_t)st.st_size == len ? 0 : -ERANGE;
}

int memfd_seal_shrink(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0)
		return -errno;
	if (seals & F_SEAL_SHRINK)
		return 0;
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0 ? -errno : 0;
}

void *memfd_map(int fd, uint64_t offset, size_t len, bool writable)
{
	int prot = PROT_READ | (writable ? PROT_WRITE : 0);
	void *addr;

	if (offset > INT64_MAX) {
		errno = EINVAL;
		return NULL;
	}
	addr = mmap(NULL, len, prot, MAP_SHARED, fd, (off_t)offset);
	return addr == MAP_FAILED ? NULL : addr;
}

void memfd_unmap(void *addr, size_t len)
{
	int saved = errno;

	if (addr)
		munmap(addr, len);
	errno = saved;
}

void *memfd_map_twice(int fd, uint64_t offset, size_t len)
{
	char *base;

	if (len == 0 || len % memfd_page_size() || len > SIZE_MAX / 2 || offset > INT64_MAX) {
		errno = EINVAL;
		return NULL;
	}
	/* Reserves both halves first, so that no other mapping can be placed between them. */
	base = mmap(NULL, 2 * len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	for (int i = 0; i < 2; i++) {
		if (mmap(base + (size_t)i * len, len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED) {
			memfd_unmap(base, 2 * len);
			return NULL;
		}
	}
	return base;
}

void memfd_unmap_twice(void *addr, size_t len)
{
	memfd_unmap(addr, 2 * len);
}

size_t memfd_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}
