/*
 * Descriptors. Those that came from another process share their file status flags with it, so
 * O_NONBLOCK proves nothing here: clearing does not rely on it, and for ringing them there is
 * util/doorbell.h. The only state is what fd_set_close_fn() sets; any thread.
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

/* True for shared memory that holds much, or that another process may let grow before the close. */
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

/* Not /proc/self, which is the first thread: once that has ended it has no descriptors. */
#define FD_PATH     "/proc/thread-self/fd/%d"
#define FD_PATH_LEN 40

int fd_reopen(int fd, int flags)
{
	char path[FD_PATH_LEN];
	int r;

	if (fd < 0)
		return -EBADF;
	snprintf(path, sizeof(path), FD_PATH, fd);
	/* Whoever has it too may hold a lease, which an open waits for; memory has no other use for
	 * the flag. */
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

/* What /proc says that it is, as far as it fits. */
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

	/* It may have been made blocking and full. */
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
	/* Kernels before 5.8 know the flag for files only. */
	if (n < 0 && errno == EOPNOTSUPP && fd_is_ready(fd, POLLIN))
		n = read(fd, &value, sizeof(value));
	errno = saved;
	return n == (ssize_t)sizeof(value);
}

int fd_pidfd_open(int pid)
{
	/* The wrapper came with glibc 2.36, the call with Linux 5.3. */
	long r = syscall(SYS_pidfd_open, pid, 0);

	return r < 0 ? -errno : (int)r;
}

bool fd_pidfd_exited(int pidfd)
{
	return fd_is_ready(pidfd, POLLIN);
}
