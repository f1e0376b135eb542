/*
 * Programs of different generations talk to each other: every generation of the message channel as
 * the service and as its client, in separate processes of the two sides.
 */
#include <stdio.h>

#include "tests/integration/echo.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;

static const struct echo_role *const roles[] = {&echo_1_3, &echo_2_2, &echo_2_5, &echo_2_6,
						&echo_3_3};

static void setup(void)
{
	leaks_setup();
	lab_start(&lab, NULL);
}

static void teardown(void)
{
	lab_stop(&lab);
	leaks_teardown();
}

static void talk(const struct echo_role *server, const struct echo_role *client)
{
	struct lab_child serving, asking;

	serving = lab_fork(&lab, LAB_DPU, server->serve, NULL);
	lab_wait(serving.sock);
	asking = lab_fork(&lab, LAB_HOST, client->ask, NULL);
	lab_join(&asking);
	lab_join(&serving);
	lab_await(&lab, LAB_DPU, LAB_SERVERS, 0, 10000);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, 10000);
	printf("service of %s, client of %s: %u messages each way\n", server->name, client->name,
	       ECHO_N + 1);
}

START_TEST(each_with_each)
{
	const struct echo_role *server = roles[_i / (int)ARRAY_LEN(roles)];
	const struct echo_role *client = roles[_i % (int)ARRAY_LEN(roles)];

	talk(server, client);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("echo");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, each_with_each, 0, (int)(ARRAY_LEN(roles) * ARRAY_LEN(roles)));
}

int main(void)
{
	lab_require();
	return runner_main("echo", add_cases, NULL);
}
