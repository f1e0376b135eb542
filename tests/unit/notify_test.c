/* daemon/notify: a service manager that does not read holds nobody up. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/notify.h"
#include "tests/unit/unit.h"

#define ENOUGH 100000

static int manager;

static void setup(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	char name[128];

	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(manager, 0);
	/* A name that the kernel picks. */
	ck_assert_int_eq(bind(manager, (struct sockaddr *)&addr, sizeof(sa_family_t)), 0);
	ck_assert_int_eq(getsockname(manager, (struct sockaddr *)&addr, &(socklen_t){sizeof(addr)}),
			 0);
	snprintf(name, sizeof(name), "@%s", addr.sun_path + 1);
	setenv("NOTIFY_SOCKET", name, 1);
}

static void teardown(void)
{
	close(manager);
}

static ssize_t hear(char *text, size_t size)
{
	ssize_t n = recv(manager, text, size - 1, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = '\0';
	return n;
}

START_TEST(is_told)
{
	char text[300];

	ck_assert_int_eq(notify_status("%d of %s", 3, "them"), 0);
	ck_assert_int_gt(hear(text, sizeof(text)), 0);
	ck_assert_str_eq(text, "STATUS=3 of them");
	notify_watchdog();
	ck_assert_int_gt(hear(text, sizeof(text)), 0);
	ck_assert_str_eq(text, "WATCHDOG=1");
	notify_stopping();
	ck_assert_int_gt(hear(text, sizeof(text)), 0);
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
	while (hear(text, sizeof(text)) > 0)
		ck_assert_int_eq(strncmp(text, "STATUS=", 7), 0);
	ck_assert_int_eq(notify_status("again"), 0);
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
	tcase_add_test(tcase, is_told);
	tcase_add_test(tcase, does_not_wait);
	tcase_add_test(tcase, has_no_manager);
	return unit_run(suite);
}
