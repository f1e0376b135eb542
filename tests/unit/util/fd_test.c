/*
 * util/fd and util/clock: ownership, close-on-exec, and eventfds that no other process can make
 * block.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

static bool is_cloexec(int fd)
{
	return fcntl(fd, F_GETFD) & FD_CLOEXEC;
}

START_TEST(close_and_steal)
{
	size_t before = unit_n_fds();
	int fd = fd_eventfd();
	int stolen;

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(unit_n_fds(), before + 1);
	stolen = fd_steal(&fd);
	ck_assert_int_eq(fd, -1);
	errno = EDOM;
	fd_close(&fd);
	fd_close(&stolen);
	ck_assert_int_eq(errno, EDOM);
	ck_assert_int_eq(stolen, -1);
	ck_assert_uint_eq(unit_n_fds(), before);
	{
		CLEANUP_FD int scoped = fd_eventfd();

		ck_assert_int_ge(scoped, 0);
	}
	ck_assert_uint_eq(unit_n_fds(), before);
}
END_TEST

START_TEST(dup_and_reopen)
{
	CLEANUP_FD int memfd = memfd_create_sealable("t", 4096);
	CLEANUP_FD int copy = fd_dup(memfd);
	CLEANUP_FD int ro = fd_reopen(memfd, O_RDONLY);

	ck_assert_int_ge(memfd, 0);
	ck_assert(is_cloexec(memfd) && is_cloexec(copy) && is_cloexec(ro));
	ck_assert_int_eq(write(copy, "x", 1), 1);
	ck_assert_int_eq(write(ro, "x", 1), -1);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_ptr_null(memfd_map(ro, 0, 4096, true));
	ck_assert_int_eq(fd_dup(-1), -EBADF);
	ck_assert_int_eq(fd_reopen(-1, O_RDONLY), -EBADF);
	ck_assert_int_eq(fd_reopen(9999, O_RDONLY), -ENOENT);
}
END_TEST

/* A lease of another holder must not delay this process; it could for 45 seconds. */
START_TEST(reopen_of_leased)
{
	CLEANUP_FD int memfd = memfd_create_sealable("t", 4096);
	CLEANUP_FD int leased = fd_reopen(memfd, O_RDONLY);
	CLEANUP_FD int again = -1;

	signal(SIGIO, SIG_IGN);
	ck_assert_int_eq(fcntl(leased, F_SETLEASE, F_WRLCK), 0);
	ck_assert_int_eq(fd_reopen(memfd, O_RDONLY), -EAGAIN);
	ck_assert_int_eq(fd_reopen(memfd, O_RDWR), -EAGAIN);
	ck_assert_int_eq(fcntl(leased, F_SETLEASE, F_UNLCK), 0);
	again = fd_reopen(memfd, O_RDWR);
	ck_assert_int_ge(again, 0);
}
END_TEST

START_TEST(nonblocking)
{
	int pipefd[2];
	char byte;

	ck_assert_int_eq(pipe2(pipefd, O_CLOEXEC), 0);
	ck_assert_int_eq(fd_set_nonblocking(pipefd[0]), 0);
	ck_assert_int_eq(fd_set_nonblocking(pipefd[0]), 0);
	ck_assert_int_eq(read(pipefd[0], &byte, 1), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(fd_set_nonblocking(-1), -EBADF);
	close(pipefd[0]);
	close(pipefd[1]);
}
END_TEST

START_TEST(eventfd_rings_and_clears)
{
	CLEANUP_FD int fd = fd_eventfd();
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	ck_assert(is_cloexec(fd));
	ck_assert(!fd_eventfd_clear(fd));
	fd_eventfd_ring(fd);
	fd_eventfd_ring(fd);
	ck_assert_int_eq(poll(&pfd, 1, 0), 1);
	ck_assert(fd_eventfd_clear(fd));
	ck_assert(!fd_eventfd_clear(fd));
	ck_assert_int_eq(poll(&pfd, 1, 0), 0);
}
END_TEST

/* Every holder of the eventfd can clear O_NONBLOCK and fill or empty the counter. */
START_TEST(eventfd_never_blocks)
{
	CLEANUP_FD int fd = fd_eventfd();
	uint64_t full = UINT64_MAX - 1;

	ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0);
	ck_assert(!fd_eventfd_clear(fd));
	ck_assert_int_eq(write(fd, &full, sizeof(full)), (ssize_t)sizeof(full));
	fd_eventfd_ring(fd);
	ck_assert(fd_eventfd_clear(fd));
}
END_TEST

START_TEST(eventfd_is_recognised)
{
	CLEANUP_FD int event = fd_eventfd();
	CLEANUP_FD int memfd = memfd_create_sealed("[eventfd]", 1);
	CLEANUP_FD int pidfd = fd_pidfd_open(getpid());
	int pipefd[2];

	ck_assert_int_eq(pipe2(pipefd, O_CLOEXEC), 0);
	ck_assert(fd_is_eventfd(event));
	ck_assert(!fd_is_eventfd(memfd));
	ck_assert(!fd_is_eventfd(pidfd));
	ck_assert(!fd_is_eventfd(pipefd[1]));
	ck_assert(!fd_is_eventfd(-1));
	ck_assert(!fd_is_eventfd(9999));
	close(pipefd[0]);
	close(pipefd[1]);
}
END_TEST

START_TEST(pidfd_reports_the_end)
{
	struct pollfd pfd = {.events = POLLIN};
	CLEANUP_FD int pidfd = -1;
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	pidfd = fd_pidfd_open(pid);
	ck_assert_int_ge(pidfd, 0);
	ck_assert(is_cloexec(pidfd));
	ck_assert(!fd_pidfd_exited(pidfd));
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	pfd.fd = pidfd;
	ck_assert_int_eq(poll(&pfd, 1, 30000), 1);
	ck_assert(fd_pidfd_exited(pidfd));
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(fd_pidfd_exited(pidfd));
	ck_assert_int_eq(fd_pidfd_open(pid), -ESRCH);
}
END_TEST

/* Waits until the first thread is a zombie; its descriptors still belong to the process. */
static void await_end_of_first(void)
{
	char path[64], stat[256], *state;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", getpid(), getpid());
	do {
		CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = read(fd, stat, sizeof(stat) - 1);

		if (n <= 0)
			_exit(2);
		stat[n] = '\0';
		state = strrchr(stat, ')');
	} while (state == NULL || state[2] != 'Z');
}

static void *use_descriptors(void *arg)
{
	CLEANUP_FD int memfd = memfd_create_sealable("t", 4096);
	CLEANUP_FD int event = fd_eventfd();
	int again;

	(void)arg;
	await_end_of_first();
	again = fd_reopen(memfd, O_RDONLY);
	_exit(again < 0 || !fd_is_eventfd(event) || fd_is_eventfd(memfd));
}

/* A program may end its first thread and continue with others. */
START_TEST(without_the_first_thread)
{
	pid_t pid = fork();
	pthread_t thread;
	int status;

	if (pid == 0) {
		if (pthread_create(&thread, NULL, use_descriptors, NULL) != 0)
			_exit(3);
		pthread_exit(NULL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

static int n_passed;

static bool pass_close(int fd)
{
	close(fd);
	n_passed++;
	return true;
}

static bool refuse_close(int fd)
{
	(void)fd;
	n_passed++;
	return false;
}

/* Large memory, or memory that may still grow, is not closed at once; everything else is. */
START_TEST(close_of_much_memory)
{
	size_t n_fds = unit_n_fds();
	const struct {
		int fd, n;
	} cases[] = {
		{memfd_create_sealed("small", FD_QUICK_LEN), 0},
		{memfd_create_sealed("large", FD_QUICK_LEN + 4096), 1},
		{memfd_create_growable("may grow", 4096), 1},
		{open("/dev/null", O_RDONLY | O_CLOEXEC), 0},
		{fd_eventfd(), 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int fd = cases[i].fd, copy = fd_dup(fd);

		n_passed = 0;
		fd_set_close_fn(pass_close);
		fd_close(&fd);
		ck_assert_int_eq(fd, -1);
		ck_assert_int_eq(n_passed, cases[i].n);
		fd_set_close_fn(refuse_close);
		fd_close(&copy);
		ck_assert_int_eq(n_passed, 2 * cases[i].n);
		fd_set_close_fn(NULL);
	}
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}
END_TEST

START_TEST(clock_deadlines)
{
	uint64_t now = clock_now_ns();

	ck_assert_uint_le(now, clock_now_ns());
	ck_assert_int_eq(clock_poll_timeout(0), 0);
	ck_assert_int_eq(clock_poll_timeout(now), 0);
	ck_assert_int_eq(clock_poll_timeout(UINT64_MAX), INT_MAX);
	now = clock_now_ns();
	ck_assert_int_gt(clock_poll_timeout(now + 3600 * NS_PER_SEC), 3590 * 1000);
	ck_assert_int_le(clock_poll_timeout(now + 3600 * NS_PER_SEC), 3600 * 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fd");
	TCase *tcase = unit_case(suite, "fd", UNIT_TIMEOUT);

	tcase_add_test(tcase, close_and_steal);
	tcase_add_test(tcase, dup_and_reopen);
	tcase_add_test(tcase, reopen_of_leased);
	tcase_add_test(tcase, nonblocking);
	tcase_add_test(tcase, eventfd_rings_and_clears);
	tcase_add_test(tcase, eventfd_never_blocks);
	tcase_add_test(tcase, eventfd_is_recognised);
	tcase_add_test(tcase, pidfd_reports_the_end);
	tcase_add_test(tcase, without_the_first_thread);
	tcase_add_test(tcase, close_of_much_memory);
	tcase_add_test(tcase, clock_deadlines);
	return unit_run(suite);
}
