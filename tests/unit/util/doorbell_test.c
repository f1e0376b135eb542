/*
 * util/doorbell: eventfds of other processes are signalled, their sleepers wake, and no holder can
 * block the signalling process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "util/doorbell.h"
#include "util/fd.h"

#define FULL      (UINT64_MAX - 1) /* the maximum that a write can reach */
#define N_THREADS 4

static int fd;

static void set_up(void)
{
	fd = fd_eventfd();
	ck_assert_int_ge(fd, 0);
}

static void tear_down(void)
{
	close(fd);
}

static uint64_t value(void)
{
	uint64_t n = 0;

	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return read(fd, &n, sizeof(n)) == (ssize_t)sizeof(n) ? n : 0;
}

static void fill_and_block(void)
{
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	ck_assert_int_eq(eventfd_write(fd, FULL), 0);
	ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0);
}

static int watch_edges(void)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	epoll_wait(epoll, &event, 1, 0);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
	return epoll;
}

static void join(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
}

/* More requests than the context has room for, so that completions must be collected in between. */
START_TEST(rings)
{
	size_t n_fds = unit_n_fds();

	ck_assert_int_eq(doorbell_open(), 0);
	ck_assert_int_eq(doorbell_open(), 0);
	errno = EDOM;
	for (int i = 0; i < 10000; i++)
		ck_assert(doorbell_signal(fd));
	doorbell_ring(fd);
	doorbell_ring_edge(fd);
	ck_assert_int_eq(errno, EDOM);
	ck_assert_uint_eq(value(), 10002);
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}
END_TEST

START_TEST(full_and_blocking)
{
	struct epoll_event event;
	int epoll;

	fill_and_block();
	epoll = watch_edges();
	for (int i = 0; i < 10; i++) {
		doorbell_ring(fd);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
		doorbell_ring_edge(fd);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	}
	ck_assert_uint_eq(value(), UINT64_MAX);
	close(epoll);
}
END_TEST

static _Atomic bool is_awake;

static void *sleep_in_epoll(void *arg)
{
	struct epoll_event event;

	ck_assert_int_eq(epoll_wait(*(int *)arg, &event, 1, -1), 1);
	is_awake = true;
	return NULL;
}

START_TEST(sleeper_wakes)
{
	pthread_t thread;
	int epoll;

	fill_and_block();
	epoll = watch_edges();
	ck_assert_int_eq(pthread_create(&thread, NULL, sleep_in_epoll, &epoll), 0);
	ck_assert(!is_awake);
	doorbell_ring(fd);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert(is_awake);
	close(epoll);
}
END_TEST

/* Counts of the signalling threads, for the thread that obstructs them. */
#define N_RINGERS 2
static struct progress {
	_Atomic unsigned n_rung[N_RINGERS];
	_Atomic bool is_over;
} * progress;

/* Waits until each thread has signalled since, so that none is still in an earlier call. */
static void await_progress(void)
{
	unsigned n_before[N_RINGERS];

	for (size_t i = 0; i < N_RINGERS; i++)
		n_before[i] = progress->n_rung[i];
	for (size_t i = 0; i < N_RINGERS; i++)
		while (progress->n_rung[i] - n_before[i] < 8)
			sched_yield();
}

/*
 * Makes the eventfd blocking with room for a few signals, so that two threads that saw the room can
 * find it used up. It is emptied when the earlier calls have returned; a call that blocks hangs the
 * test.
 */
static void block_repeatedly(void)
{
	uint64_t n;

	for (unsigned i = 0; i < UNIT_N(4000u); i++) {
		fcntl(fd, F_SETFL, O_NONBLOCK);
		if (read(fd, &n, sizeof(n)) < 0 && errno != EAGAIN)
			_exit(1);
		n = FULL - 8;
		while (write(fd, &n, sizeof(n)) < 0 && n > 0)
			n--;
		fcntl(fd, F_SETFL, 0);
		await_progress();
	}
	progress->is_over = true;
	_exit(0);
}

static void *ring_often(void *arg)
{
	_Atomic unsigned *n_rung = arg;

	while (!progress->is_over) {
		doorbell_ring(fd);
		if (++*n_rung % 16 == 0)
			sched_yield();
	}
	return NULL;
}

START_TEST(hammer)
{
	pthread_t threads[N_RINGERS];
	struct epoll_event event;
	int epoll;
	pid_t pid;

	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	ck_assert_ptr_ne(progress, MAP_FAILED);
	ck_assert_int_eq(doorbell_open(), 0);
	epoll = watch_edges();
	pid = fork();
	if (pid == 0)
		block_repeatedly();
	ck_assert_int_gt(pid, 0);
	for (size_t i = 0; i < N_RINGERS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, ring_often, &progress->n_rung[i]), 0);
	for (size_t i = 0; i < N_RINGERS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	join(pid);
	/* In any state that this left, each signal produces an edge. */
	epoll_wait(epoll, &event, 1, 0);
	doorbell_ring(fd);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	close(epoll);
	munmap(progress, sizeof(*progress));
}
END_TEST

static void *signal_often(void *arg)
{
	_Atomic unsigned *n_lost = arg;

	for (int i = 0; i < UNIT_N(40000); i++)
		if (!doorbell_signal(fd))
			(*n_lost)++;
	return NULL;
}

/* The first calls create the context; every call collects completions. */
START_TEST(from_threads)
{
	pthread_t threads[N_THREADS];
	_Atomic unsigned n_lost = 0;

	for (size_t i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, signal_often, &n_lost), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ck_assert_uint_eq(value() + n_lost, N_THREADS * UNIT_N(40000u));
	ck_assert_uint_eq(n_lost, 0);
}
END_TEST

START_TEST(forked_child)
{
	pid_t pid;

	ck_assert(doorbell_signal(fd));
	pid = fork();
	if (pid == 0)
		_exit(!(doorbell_signal(fd) && doorbell_open() == 0 && doorbell_signal(fd)));
	join(pid);
	ck_assert(doorbell_signal(fd));
	ck_assert_uint_eq(value(), 4);
}
END_TEST

START_TEST(no_eventfd)
{
	int pipefd[2];
	char byte;

	ck_assert_int_eq(pipe2(pipefd, O_CLOEXEC | O_NONBLOCK), 0);
	ck_assert(!doorbell_signal(pipefd[1]));
	ck_assert_int_eq(read(pipefd[0], &byte, 1), -1);
	close(pipefd[0]);
	close(pipefd[1]);
	ck_assert(!doorbell_signal(pipefd[1]));
	ck_assert(!doorbell_signal(-1));
	doorbell_ring(-1);
	doorbell_ring_edge(-1);
	/* The doorbell still works afterwards. */
	ck_assert(doorbell_signal(fd));
}
END_TEST

static int forbid_syscall(unsigned nr)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_LEN(rules), .filter = rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

/*
 * A seccomp filter that forbids creating the context, or one that is installed later and forbids
 * its use.
 */
START_TEST(refused)
{
	static const unsigned calls[] = {SYS_io_setup, SYS_io_submit};
	pid_t pid = fork();

	if (pid == 0) {
		struct epoll_event event;
		int epoll;

		ck_assert_int_eq(forbid_syscall(calls[_i]), 0);
		ck_assert_int_eq(doorbell_open(), calls[_i] == SYS_io_setup ? -EPERM : 0);
		ck_assert(!doorbell_signal(fd));
		doorbell_ring(fd);
		doorbell_ring_edge(fd);
		ck_assert_uint_eq(value(), 2);
		/* The write detects the state that existed before, and edges are produced. */
		fill_and_block();
		doorbell_ring(fd);
		epoll = watch_edges();
		doorbell_ring_edge(fd);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
		ck_assert_uint_eq(value(), 1);
		_exit(0);
	}
	join(pid);
}
END_TEST

/* Other processes cannot empty it by reading, so they cannot consume an edge. */
START_TEST(charged)
{
	struct epoll_event event;
	int epoll;

	close(fd);
	fd = fd_eventfd_charged();
	ck_assert_int_ge(fd, 0);
	epoll = watch_edges();
	for (int i = 0; i < 100; i++) {
		doorbell_ring_edge(fd);
		ck_assert(fd_eventfd_clear(fd));
		ck_assert(fd_eventfd_clear(fd));
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
	}
	close(epoll);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("doorbell");
	TCase *tcase = unit_case(suite, "doorbell", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, rings);
	tcase_add_test(tcase, full_and_blocking);
	tcase_add_test(tcase, sleeper_wakes);
	tcase_add_test(tcase, hammer);
	tcase_add_test(tcase, from_threads);
	tcase_add_test(tcase, forked_child);
	tcase_add_test(tcase, no_eventfd);
	tcase_add_loop_test(tcase, refused, 0, 2);
	tcase_add_test(tcase, charged);
	return unit_run(suite);
}
