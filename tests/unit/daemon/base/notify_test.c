/* daemon/base/notify: a service manager that does not read delays nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/notify.h"
#include "tests/unit/unit.h"

#define ENOUGH 100000

static int manager;

static void setup(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	char name[128];

	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(manager, 0);
	/* The kernel chooses the name. */
	ck_assert_int_eq(bind(manager, (struct sockaddr *)&addr, sizeof(sa_family_t)), 0);
	ck_assert_int_eq(getsockname(manager, (struct sockaddr *)&addr, &(socklen_t){sizeof(addr)}),
			 0);
	snprintf(name, sizeof(name), "@%s", addr.sun_path + 1);
	setenv("NOTIFY_SOCKET", name, 1);
}

static void teardown(void)
{
	notify_close();
	close(manager);
}

static ssize_t receive_message(char *text, size_t size)
{
	ssize_t n = recv(manager, text, size - 1, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = '\0';
	return n;
}

START_TEST(is_notified)
{
	char text[300];

	ck_assert_int_eq(notify_status("%d of %s", 3, "them"), 0);
	ck_assert_int_gt(receive_message(text, sizeof(text)), 0);
	ck_assert_str_eq(text, "STATUS=3 of them");
	notify_watchdog();
	ck_assert_int_gt(receive_message(text, sizeof(text)), 0);
	ck_assert_str_eq(text, "WATCHDOG=1");
	notify_stopping();
	ck_assert_int_gt(receive_message(text, sizeof(text)), 0);
	ck_assert_str_eq(text, "STOPPING=1");
}
END_TEST

START_TEST(does_not_wait)
{
	char text[300];
	int n = 0, r = 0;

	while (r == 0 && n < ENOUGH) {
		r = notify_status("%d", n);
		n++;
	}
	ck_assert_int_eq(r, -EAGAIN);
	notify_watchdog();
	notify_stopping();
	while (receive_message(text, sizeof(text)) > 0)
		ck_assert_int_eq(strncmp(text, "STATUS=", 7), 0);
	ck_assert_int_eq(notify_status("again"), 0);
}
END_TEST

static void check_receives(const char *expected)
{
	char text[300];

	ck_assert_msg(receive_message(text, sizeof(text)) > 0, "nothing, not '%s'", expected);
	ck_assert_str_eq(text, expected);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* The time is not before `from`, as the manager compares it with the time of its signal. */
static void check_receives_reloading(uint64_t from, uint64_t to)
{
	unsigned long long us;
	char text[300];
	int end = 0;

	ck_assert_int_gt(receive_message(text, sizeof(text)), 0);
	ck_assert_int_eq(sscanf(text, "RELOADING=1\nMONOTONIC_USEC=%llu%n", &us, &end), 1);
	ck_assert_uint_eq(strlen(text), (size_t)end);
	ck_assert_uint_ge(us, from);
	ck_assert_uint_le(us, to);
}

START_TEST(reports_its_progress)
{
	uint64_t from = now_us();

	notify_ready();
	check_receives("READY=1");
	for (int i = 0; i < 2; i++) {
		notify_reloading();
		check_receives_reloading(from, now_us());
		notify_ready();
		check_receives("READY=1");
		from = now_us();
	}
	ck_assert_int_eq(notify_flush(), 0);
	notify_status("quiet");
	check_receives("STATUS=quiet");
}
END_TEST

static void fill(void)
{
	for (int i = 0; i < ENOUGH && notify_status("full") == 0; i++)
		;
}

static void empty(void)
{
	char text[300];

	while (receive_message(text, sizeof(text)) > 0)
		ck_assert_str_eq(text, "STATUS=full");
}

/* The second reload replaces the first, which the manager has never read. */
START_TEST(keeps_the_order)
{
	uint64_t from;

	fill();
	notify_ready();
	notify_reloading();
	notify_ready();
	from = now_us();
	notify_reloading();
	ck_assert_int_eq(notify_flush(), -EAGAIN);
	ck_assert_int_eq(notify_status("late"), -EAGAIN);
	empty();
	ck_assert_int_eq(notify_status("early"), 0);
	check_receives("READY=1");
	check_receives_reloading(from, now_us());
	check_receives("STATUS=early");
	fill();
	notify_ready();
	empty();
	ck_assert_int_eq(notify_flush(), 0);
	check_receives("READY=1");
}
END_TEST

/* The manager has restarted. */
START_TEST(finds_the_next_manager)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	ck_assert_int_eq(notify_status("one"), 0);
	check_receives("STATUS=one");
	ck_assert_int_eq(getsockname(manager, (struct sockaddr *)&addr, &len), 0);
	close(manager);
	ck_assert_int_eq(notify_status("nobody"), -ECONNREFUSED);
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(manager, (struct sockaddr *)&addr, len), 0);
	ck_assert_int_eq(notify_status("two"), 0);
	check_receives("STATUS=two");
	close(manager);
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(manager, (struct sockaddr *)&addr, len), 0);
	ck_assert_int_eq(notify_status("three"), 0);
	check_receives("STATUS=three");
}
END_TEST

/* With a descriptor; and not at all if not requested, also after an earlier message did. */
START_TEST(waits_if_asked)
{
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	ck_assert_int_eq(notify_fd("FDSTORE=1", fds[0], 1000), 0);
	check_receives("FDSTORE=1");
	fill();
	ck_assert_int_eq(notify_fd("FDSTORE=1", fds[0], 0), -EAGAIN);
	ck_assert_int_eq(notify_fd("FDSTORE=1", fds[0], 1), -EAGAIN);
	empty();
	ck_assert_int_eq(notify_fd("FDSTORE=1", fds[0], 0), 0);
	check_receives("FDSTORE=1");
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(has_no_manager)
{
	unsetenv("NOTIFY_SOCKET");
	ck_assert_int_eq(notify_status("nobody"), 0);
	setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1);
	ck_assert_int_eq(notify_status("nobody"), -ENOENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("notify");
	TCase *tcase = unit_case(suite, "notify", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, is_notified);
	tcase_add_test(tcase, does_not_wait);
	tcase_add_test(tcase, reports_its_progress);
	tcase_add_test(tcase, keeps_the_order);
	tcase_add_test(tcase, finds_the_next_manager);
	tcase_add_test(tcase, waits_if_asked);
	tcase_add_test(tcase, has_no_manager);
	return unit_run(suite);
}
