/* daemon/bell: eventfds of others are rung, and never waited for. */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/bell.h"
#include "tests/unit/unit.h"
#include "util/fd.h"

#define FULL (UINT64_MAX - 1)

static int fd;

static void set_up(void)
{
	bell_init();
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
	bell_ring(fd);
	ck_assert_int_eq(bell_write(fd), 0);
	bell_ring_edge(fd);
	ck_assert_uint_eq(value(), 3);
}
END_TEST

/* As when the eventfd became full and blocking after the look at it: this test would hang. */
START_TEST(never_waits)
{
	ck_assert_int_eq(eventfd_write(fd, FULL), 0);
	ck_assert_int_eq(bell_write(fd), -EAGAIN);
	ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(bell_write(fd), -EAGAIN);
	bell_ring(fd);
	ck_assert_uint_eq(value(), FULL);
	bell_ring(fd);
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
	bell_ring_edge(fd);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	bell_ring_edge(fd);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	ck_assert_uint_eq(value(), 2);
	close(epoll);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bell");
	TCase *tcase = unit_case(suite, "bell", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, rings);
	tcase_add_test(tcase, never_waits);
	tcase_add_test(tcase, edges_are_made);
	return unit_run(suite);
}
