/* daemon/base/client_doorbell: eventfds of other processes are signalled without blocking. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/client_doorbell.h"
#include "tests/unit/unit.h"
#include "util/doorbell.h"
#include "util/fd.h"

#define FULL (UINT64_MAX - 1)

static int fd;

static void set_up(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_LEN(rules), .filter = rules};

	/* Makes the kernel refuse asynchronous I/O, for this process and those that it starts. */
	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	client_doorbell_init();
	ck_assert(!doorbell_signal(-1));
	fd = fd_eventfd();
	ck_assert_int_ge(fd, 0);
}

static void set_up_kernel(void)
{
	client_doorbell_init();
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

START_TEST(rings)
{
	client_doorbell_ring(fd);
	ck_assert_int_eq(client_doorbell_write(fd), 0);
	client_doorbell_ring_edge(fd);
	ck_assert_uint_eq(value(), 3);
}
END_TEST

/*
 * Simulates an eventfd that becomes full and blocking after the check. A blocking write would hang
 * this test.
 */
START_TEST(never_waits)
{
	ck_assert_int_eq(eventfd_write(fd, FULL), 0);
	ck_assert_int_eq(client_doorbell_write(fd), -EAGAIN);
	ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(client_doorbell_write(fd), -EAGAIN);
	client_doorbell_ring(fd);
	ck_assert_uint_eq(value(), FULL);
	client_doorbell_ring(fd);
	ck_assert_uint_eq(value(), 1);
}
END_TEST

START_TEST(edges_are_made)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ck_assert_int_eq(eventfd_write(fd, FULL), 0);
	ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0);
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
	client_doorbell_ring_edge(fd);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	client_doorbell_ring_edge(fd);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	ck_assert_uint_eq(value(), 2);
	close(epoll);
}
END_TEST

/* The kernel signals even a full, blocking eventfd, and its sleepers wake. */
START_TEST(kernel_rings)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	client_doorbell_ring(fd);
	client_doorbell_ring_edge(fd);
	ck_assert_uint_eq(value(), 2);
	ck_assert_int_eq(eventfd_write(fd, FULL), 0);
	ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0);
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
		i % 2 ? client_doorbell_ring(fd) : client_doorbell_ring_edge(fd);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	}
	ck_assert_uint_eq(value(), UINT64_MAX);
	close(epoll);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client doorbell");
	TCase *kernel = unit_case(suite, "kernel", UNIT_TIMEOUT);
	TCase *tcase = unit_case(suite, "alarm", UNIT_TIMEOUT);

	tcase_add_checked_fixture(kernel, set_up_kernel, tear_down);
	tcase_add_test(kernel, kernel_rings);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, rings);
	tcase_add_test(tcase, never_waits);
	tcase_add_test(tcase, edges_are_made);
	return unit_run(suite);
}
