/* Pages between private memory and memfds; see client/memory/page_move.h. */
#include "client/memory/page_move.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/memory/vma.h"
#include "util/fd.h"
#include "util/memfd.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* The kernel's interface of UFFDIO_MOVE; <linux/userfaultfd.h> has it since Linux 6.8. */
struct pages_moved {
	uint64_t dst, src, len, mode;
	int64_t moved; /* by the kernel: bytes, or -errno */
};
_Static_assert(sizeof(struct pages_moved) == 40, "the kernel's layout");
#define PAGES_FEATURE_MOVE ((uint64_t)1 << 16)
#define PAGES_MOVE         _IOWR(UFFDIO, 5, struct pages_moved)
/* Do not wake threads; skip holes. */
#define PAGES_MOVE_MODE ((uint64_t)3)

/* Calls without progress, after which the kernel will not split a huge page: a device uses it. */
#define PAGES_MOVE_TRIES 100

static bool has_one_thread(void)
{
	struct stat st;

	/* The link count of a directory is 2 and one for each directory in it. */
	return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3;
}

static int uffd_open(uint64_t features)
{
	struct uffdio_api api = {.api = UFFD_API, .features = features};
	CLEANUP_FD int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno != EPERM)
		return -errno;
	if (fd < 0 && !has_one_thread())
		return -EPERM;
	if (fd < 0)
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, UFFDIO_API, &api) < 0)
		return errno == EINVAL ? -ENOSYS : -errno;
	return fd_steal(&fd);
}

int page_move_open(void)
{
	return uffd_open(PAGES_FEATURE_MOVE);
}

int page_move_open_release(void)
{
	return uffd_open(UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_MISSING_SHMEM);
}

static int faults_stop(int uffd, uint8_t *at, size_t len, uint64_t mode)
{
	struct uffdio_register range = {.range = {(uintptr_t)at, len}, .mode = mode};

	return ioctl(uffd, UFFDIO_REGISTER, &range) < 0 ? -errno : 0;
}

static void faults_go_on(int uffd, uint8_t *at, size_t len)
{
	struct uffdio_range range = {(uintptr_t)at, len};

	/* Fails where the new mapping is not registered; waiting threads are woken all the same. */
	(void)ioctl(uffd, UFFDIO_UNREGISTER, &range);
	(void)ioctl(uffd, UFFDIO_WAKE, &range);
}

int page_replace(uint8_t *at, uint8_t *by, size_t len)
{
	return mremap(by, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED ? -errno : 0;
}

/* Moves pages to an empty range. The kernel refuses pages that a device or another process uses. */
static int pages_move(int uffd, uint8_t *to, uint8_t *from, size_t len)
{
	size_t done = 0;
	int tries = 0;

	while (done < len) {
		struct pages_moved move = {.dst = (uintptr_t)to + done,
					   .src = (uintptr_t)from + done,
					   .len = len - done,
					   .mode = PAGES_MOVE_MODE};

		if (ioctl(uffd, PAGES_MOVE, &move) == 0)
			return 0;
		if (errno != EAGAIN && errno != EBUSY)
			return -errno;
		if (move.moved > 0) {
			done += (size_t)move.moved;
			tries = 0;
		} else if (errno == EBUSY || ++tries == PAGES_MOVE_TRIES) {
			return -EBUSY;
		} else {
			sched_yield();
		}
	}
	return 0;
}

static uint8_t *memory_private(size_t len)
{
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void memory_free(uint8_t *memory, size_t len)
{
	if (memory != NULL)
		munmap(memory, len);
}

/* Moves the pages to `aside`, and the shared mapping to `at`. */
static int step_exchange(int uffd, uint8_t *at, uint8_t *aside, uint8_t *shared, size_t len)
{
	int r = pages_move(uffd, aside, at, len);

	/* Another thread may have emptied pages of `at` (MADV_DONTNEED), which are holes of `aside`
	 * now. Nobody would resolve this thread's faults on them. */
	faults_go_on(uffd, aside, len);
	if (r == 0) {
		memcpy(shared, aside, len);
		r = page_replace(at, shared, len);
	}
	/* Pages that came from there can go back. */
	if (r < 0)
		(void)pages_move(uffd, at, aside, len);
	return r;
}

static int step_adopt(int uffd, uint8_t *at, uint8_t *aside, uint8_t *shared, size_t len)
{
	int r;

	/* A forked child has no mapping here, and faults, until it gets its copy: without this, it
	 * could write to memory of its parent. */
	if (madvise(shared, len, MADV_DONTFORK) < 0)
		return -errno;
	/* Pages that are still shared with a child or with nothing in them become this process's
	 * own, which the kernel can move. */
	if (madvise(at, len, MADV_POPULATE_WRITE) < 0)
		return -errno;
	r = faults_stop(uffd, aside, len, UFFDIO_REGISTER_MODE_MISSING);
	if (r == 0)
		r = faults_stop(uffd, at, len, UFFDIO_REGISTER_MODE_MISSING);
	if (r == 0)
		r = step_exchange(uffd, at, aside, shared, len);
	faults_go_on(uffd, at, len);
	return r;
}

int page_move_adopt(int uffd, int memfd, uint8_t *at, size_t len, uint64_t offset)
{
	uint8_t *shared, *aside;
	int r;

	/* Without room, the copy would raise SIGBUS. */
	if (fallocate(memfd, 0, (off_t)offset, (off_t)len) < 0)
		return -errno;
	shared = memfd_map(memfd, offset, len, true);
	aside = memory_private(len);
	r = shared == NULL || aside == NULL ? -ENOMEM : step_adopt(uffd, at, aside, shared, len);
	memory_free(aside, len);
	if (r < 0)
		memfd_unmap(shared, len);
	return r;
}

uint8_t *page_copy(int memfd, const struct vma *vma, size_t len, uint64_t offset)
{
	uint8_t *copy = memory_private(len);
	uint8_t *shared = copy == NULL ? NULL : memfd_map(memfd, offset, len, false);
	int saved;

	if (shared != NULL) {
		memcpy(copy, shared, len);
		memfd_unmap(shared, len);
		if (mprotect(copy, len, vma_prot(vma)) == 0)
			return copy;
	}
	saved = errno;
	memory_free(copy, len);
	errno = saved;
	return NULL;
}

int page_move_release(int uffd, int memfd, const struct vma *vma, uint8_t *at, size_t len,
		      uint64_t offset)
{
	uint8_t *copy = NULL;
	/* The memfd has pages that are not mapped, and holes where a mapping has grown. */
	int r = faults_stop(uffd, at, len,
			    UFFDIO_REGISTER_MODE_MINOR | UFFDIO_REGISTER_MODE_MISSING);

	/* From here on every access of the program to the shared pages is a fault. */
	if (r == 0 && madvise(at, len, MADV_DONTNEED) < 0)
		r = -errno;
	if (r == 0) {
		copy = page_copy(memfd, vma, len, offset);
		r = copy == NULL ? -errno : page_replace(at, copy, len);
	}
	if (r < 0)
		memory_free(copy, len);
	faults_go_on(uffd, at, len);
	return r;
}
