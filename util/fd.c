/*
 * Descriptors. A descriptor that came from another process shares its file status flags with that
 * process, so O_NONBLOCK guarantees nothing: clearing does not rely on it, and util/doorbell.h
 * signals such descriptors. The only state is the function set by fd_set_close_fn(). Any thread may
 * call these functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util/fd.h"

static _Atomic fd_close_fn fd_closer;

void fd_set_close_fn(fd_close_fn fn)
{
	fd_closer = fn;
}

/* True for shared memory that is large, or that another process may grow before the close. */
static bool fd_may_free_much(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	if (seals < 0)
		return false;
	return !(seals & F_SEAL_GROW) || fstat(fd, &st) < 0 || st.st_size > FD_QUICK_LEN ||
	       st.st_blocks > FD_QUICK_LEN / 512;
}

void fd_close(int *fd)
{
	fd_close_fn fn = fd_closer;
	int saved = errno;

	if (*fd >= 0 && !(fn && fd_may_free_much(*fd) && fn(*fd)))
		close(*fd);
	*fd = -1;
	errno = saved;
}

int fd_dup(int fd)
{
	int r = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return r < 0 ? -errno : r;
}

/* Not /proc/self: that is the first thread, which has no descriptors after it has ended. */
#define FD_PATH     "/proc/thread-self/fd/%d"
#define FD_PATH_LEN 40

int fd_reopen(int fd, int flags)
{
	char path[FD_PATH_LEN];
	int r;

	if (fd < 0)
		return -EBADF;
	snprintf(path, sizeof(path), FD_PATH, fd);
	/*
	 * Another holder may hold a lease, and open() would wait for it. O_NONBLOCK has no other
	 * effect on memory files.
	 */
	r = open(path, flags | O_CLOEXEC | O_NONBLOCK);
	return r < 0 ? -errno : r;
}

int fd_set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	if (flags & O_NONBLOCK)
		return 0;
	return fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

int fd_eventfd(void)
{
	int r = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return r < 0 ? -errno : r;
}

int fd_eventfd_charged(void)
{
	CLEANUP_FD int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	uint64_t charge = UINT64_MAX / 2;

	if (fd < 0 || write(fd, &charge, sizeof(charge)) < 0)
		return -errno;
	return fd_steal(&fd);
}

/* Reads the file's name from /proc, truncated to the buffer. */
static const char *fd_name(int fd, char name[32])
{
	char path[FD_PATH_LEN];
	ssize_t n;

	snprintf(path, sizeof(path), FD_PATH, fd);
	n = fd < 0 ? 0 : readlink(path, name, 31);
	name[n > 0 ? n : 0] = '\0';
	return name;
}

bool fd_is_eventfd(int fd)
{
	char name[32];

	return strcmp(fd_name(fd, name), "anon_inode:[eventfd]") == 0;
}

bool fd_closes_at_once(int fd)
{
	char name[32];

	if (fcntl(fd, F_GET_SEALS) >= 0)
		return true;
	fd_name(fd, name);
	return strcmp(name, "anon_inode:[eventfd]") == 0 || strcmp(name, "anon_inode:[pidfd]") == 0;
}

static bool fd_is_ready(int fd, short events)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & events);
}

void fd_eventfd_ring(int fd)
{
	uint64_t one = 1;
	int saved = errno;

	/* Another process may have made it blocking and full. */
	if (fd_is_ready(fd, POLLOUT))
		while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
			;
	errno = saved;
}

bool fd_eventfd_clear(int fd)
{
	uint64_t value = 0;
	struct iovec iov = {.iov_base = &value, .iov_len = sizeof(value)};
	int saved = errno;
	ssize_t n;

	do {
		n = preadv2(fd, &iov, 1, -1, RWF_NOWAIT);
	} while (n < 0 && errno == EINTR);
	/* Kernels before 5.8 support the flag for regular files only. */
	if (n < 0 && errno == EOPNOTSUPP && fd_is_ready(fd, POLLIN))
		n = read(fd, &value, sizeof(value));
	errno = saved;
	return n == (ssize_t)sizeof(value);
}

int fd_pidfd_open(int pid)
{
	/* The glibc wrapper came with 2.36, the system call with Linux 5.3. */
	long r = syscall(SYS_pidfd_open, pid, 0);

	return r < 0 ? -errno : (int)r;
}

bool fd_pidfd_exited(int pidfd)
{
	return fd_is_ready(pidfd, POLLIN);
}
