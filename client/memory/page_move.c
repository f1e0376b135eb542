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

#include "client/base/error.h"
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
/* The flags that tell the kernel not to wake threads, and to skip holes. */
#define PAGES_MOVE_MODE ((uint64_t)3)

/* After this many calls without progress, a device is assumed to use the pages. An importer that
 * copies them through the kernel releases them sooner. */
#define PAGES_MOVE_TRIES 1000

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

/*
 * Moves pages to an empty range, from *done on, which counts the bytes that have moved. The kernel
 * refuses pages that a device or another process uses.
 */
static int pages_move(int uffd, uint8_t *to, uint8_t *from, size_t len, size_t *done)
{
	int tries = 0;

	while (*done < len) {
		struct pages_moved move = {.dst = (uintptr_t)to + *done,
					   .src = (uintptr_t)from + *done,
					   .len = len - *done,
					   .mode = PAGES_MOVE_MODE};

		if (ioctl(uffd, PAGES_MOVE, &move) == 0) {
			*done = len;
		} else if (errno != EAGAIN && errno != EBUSY) {
			return -errno;
		} else if (move.moved > 0) {
			*done += (size_t)move.moved;
			tries = 0;
		} else if (++tries == PAGES_MOVE_TRIES) {
			return -EBUSY;
		} else {
			sched_yield();
		}
	}
	return 0;
}

/* Copies pages to an empty range, as pages_move() moves them. */
static int pages_fill(int uffd, uint8_t *to, uint8_t *from, size_t len, size_t *done)
{
	while (*done < len) {
		struct uffdio_copy copy = {.dst = (uintptr_t)to + *done,
					   .src = (uintptr_t)from + *done,
					   .len = len - *done,
					   .mode = UFFDIO_COPY_MODE_DONTWAKE};

		if (ioctl(uffd, UFFDIO_COPY, &copy) == 0)
			*done = len;
		else if (errno != EAGAIN)
			return -errno;
		else if (copy.copy > 0)
			*done += (size_t)copy.copy;
		else
			sched_yield();
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
	if (memory != NULL && len > 0)
		munmap(memory, len);
}

/* Makes a mapping where a failed mremap() has left none, and copies the pages there. */
static int pages_remake(int uffd, uint8_t *at, uint8_t *aside, size_t len, size_t *done)
{
	int r;

	/* Fails if there is a mapping, which then is the program's. */
	(void)mmap(at + *done, len - *done, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	r = faults_stop(uffd, at + *done, len - *done, UFFDIO_REGISTER_MODE_MISSING);
	return r < 0 ? r : pages_fill(uffd, at, aside, len, done);
}

/*
 * Brings back the len bytes that have moved to `aside`. Pages that came from `at` can go back, but
 * an importer may use some for a moment; these are copied. If an mremap() to `at` has failed,
 * nothing may be mapped there.
 */
static void pages_return(int uffd, uint8_t *at, uint8_t *aside, size_t len)
{
	size_t done = 0;
	int r;

	if (pages_move(uffd, at, aside, len, &done) == 0 ||
	    pages_fill(uffd, at, aside, len, &done) == 0) {
		memory_free(aside, len);
		return;
	}
	r = page_replace(at + done, aside + done, len - done);
	if (r == 0) {
		memory_free(aside, done);
		return;
	}
	r = pages_remake(uffd, at, aside, len, &done);
	if (r == 0)
		memory_free(aside, len);
	else
		sdk_error(
			"%zu bytes of the program's memory at %p are lost: they cannot be moved "
			"back from %p (%s). Unset DOCOCORED_ADOPT to keep private memory in place",
			len - done, (void *)(at + done), (void *)(aside + done), strerror(-r));
}

/* Moves the pages to `aside`, which is gone afterwards, and the shared mapping to `at`. */
static int step_exchange(int uffd, uint8_t *at, uint8_t *aside, uint8_t *shared, size_t len)
{
	size_t moved = 0;
	int r = pages_move(uffd, aside, at, len, &moved);

	/* Another thread may have emptied pages of `at` (MADV_DONTNEED), which are holes of `aside`
	 * now. No thread would resolve this thread's faults on them. */
	faults_go_on(uffd, aside, len);
	if (r == 0) {
		memcpy(shared, aside, len);
		r = page_replace(at, shared, len);
	}
	memory_free(aside + moved, len - moved);
	if (r < 0)
		pages_return(uffd, at, aside, moved);
	else
		memory_free(aside, moved);
	return r;
}

static int step_adopt(int uffd, uint8_t *at, uint8_t *aside, uint8_t *shared, size_t len)
{
	int r = faults_stop(uffd, aside, len, UFFDIO_REGISTER_MODE_MISSING);

	if (r == 0)
		r = faults_stop(uffd, at, len, UFFDIO_REGISTER_MODE_MISSING);
	if (r == 0)
		r = step_exchange(uffd, at, aside, shared, len);
	else
		memory_free(aside, len);
	faults_go_on(uffd, at, len);
	return r;
}

static int pages_prepare(uint8_t *at, uint8_t *shared, size_t len)
{
	/* A forked child has no mapping here, and faults, until it gets its copy: without this, it
	 * could write to memory of its parent. */
	if (madvise(shared, len, MADV_DONTFORK) < 0)
		return -errno;
	/* Pages that are still shared with a child or with nothing in them become this process's
	 * own, which the kernel can move. */
	return madvise(at, len, MADV_POPULATE_WRITE) < 0 ? -errno : 0;
}

int page_move_adopt(int uffd, int memfd, uint8_t *at, size_t len, uint64_t offset)
{
	uint8_t *shared, *aside;
	int r;

	/* Without room, the copy would raise SIGBUS. */
	if (fallocate(memfd, 0, (off_t)offset, (off_t)len) < 0)
		return -errno;
	shared = memfd_map(memfd, offset, len, true);
	if (shared == NULL)
		return -ENOMEM;
	r = pages_prepare(at, shared, len);
	aside = r < 0 ? NULL : memory_private(len);
	if (aside != NULL)
		r = step_adopt(uffd, at, aside, shared, len);
	else if (r == 0)
		r = -ENOMEM;
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

/* Maps the memfd again where a failed mremap() has left no mapping. */
static void shared_restore(int memfd, const struct vma *vma, uint8_t *at, size_t len,
			   uint64_t offset)
{
	void *again = mmap(at, len, vma_prot(vma), MAP_SHARED | MAP_FIXED_NOREPLACE, memfd,
			   (off_t)offset);

	if (again == at)
		(void)madvise(at, len, MADV_DONTFORK);
	else if (again != MAP_FAILED || errno != EEXIST)
		sdk_error("%zu bytes of the program's memory at %p are lost: they can be mapped "
			  "neither as private nor as shared memory (%s). Unset DOCOCORED_ADOPT to "
			  "keep private memory in place",
			  len, (void *)at, strerror(errno));
}

int page_move_release(int uffd, int memfd, const struct vma *vma, uint8_t *at, size_t len,
		      uint64_t offset)
{
	uint8_t *copy = NULL;
	/* The memfd has pages that are not mapped, and holes where a mapping has grown. */
	int r = faults_stop(uffd, at, len,
			    UFFDIO_REGISTER_MODE_MINOR | UFFDIO_REGISTER_MODE_MISSING);

	/* From here on every access of the program to the shared pages causes a fault. */
	if (r == 0 && madvise(at, len, MADV_DONTNEED) < 0)
		r = -errno;
	if (r == 0) {
		copy = page_copy(memfd, vma, len, offset);
		r = copy == NULL ? -errno : page_replace(at, copy, len);
	}
	if (r < 0) {
		memory_free(copy, len);
		if (copy != NULL)
			shared_restore(memfd, vma, at, len, offset);
	}
	faults_go_on(uffd, at, len);
	return r;
}
