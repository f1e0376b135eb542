/*
 * Programs of different generations exchange messages: every generation of the message channel as
 * the service and as its client, in separate processes of the two sides.
 */
#include <stdio.h>

#include "tests/integration/comch/echo.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"

static struct lab lab;

static const struct echo_role *const roles[] = {
	&echo_wait_103, &echo_poll_105, &echo_poll_200, &echo_poll_202,
	&echo_poll_205, &echo_cc_205,   &echo_cc_206,   &echo_comch_303,
};

static void setup(void)
{
	leaks_setup();
	machines_start(&lab);
}

static void teardown(void)
{
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, 0, 10000);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, 10000);
	machines_stop(&lab);
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
	printf("service: %s of %d, client: %s of %d, %u messages each way\n", server->name,
	       server->version, client->name, client->version, ECHO_N + 1);
}

START_TEST(all_pairs_of_versions)
{
	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		talk(roles[_i], roles[i]);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("echo");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, all_pairs_of_versions, 0, (int)ARRAY_LEN(roles));
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("echo"), add_cases, NULL);
}
