/*
 * Endpoints of the comm channel while daemons are killed and started again: one that listens is
 * found by clients afterwards, one that connects gets there, and a connection that stands goes on;
 * with the daemon of the service's side, of the client's, and both.
 */
#include <stdio.h>

#include "tests/integration/channel.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;

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

/* A bit for each daemon, and one for the program that listens. */
enum { DPU_DAEMON = 1, HOST_DAEMON = 2, IS_1_3 = 4, FIRST = DPU_DAEMON, END = 8 };

static void restart(int how)
{
	if (how & DPU_DAEMON)
		lab_kill_daemon(&lab, LAB_DPU);
	if (how & HOST_DAEMON)
		lab_kill_daemon(&lab, LAB_HOST);
	if (how & DPU_DAEMON)
		lab_start_daemon(&lab, LAB_DPU);
	if (how & HOST_DAEMON)
		lab_start_daemon(&lab, LAB_HOST);
}

static struct lab_child serve(int how)
{
	struct lab_child child;

	child = lab_fork(&lab, LAB_DPU,
			 how & IS_1_3 ? channel_waiting_serve : channel_patient_serve, NULL);
	lab_wait(child.sock);
	return child;
}

static struct lab_child ask(void)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, channel_patient_ask, NULL);

	lab_wait(child.sock);
	return child;
}

/* The client has its first answer, and asks the rest. */
static void finish(struct lab_child *server, struct lab_child *client)
{
	lab_signal(client->sock);
	lab_join(client);
	lab_signal(server->sock);
	lab_join(server);
}

START_TEST(who_listens_is_found)
{
	struct lab_child server = serve(_i), client;

	lab_signal(server.sock);
	restart(_i);
	client = ask();
	lab_wait(client.sock);
	finish(&server, &client);
}
END_TEST

/* The service looks at nobody before the restart. */
START_TEST(who_connects_gets_there)
{
	struct lab_child server = serve(_i), client = ask();

	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 1, 10000);
	restart(_i);
	lab_signal(server.sock);
	lab_wait(client.sock);
	finish(&server, &client);
}
END_TEST

START_TEST(what_stands_goes_on)
{
	struct lab_child server = serve(_i), client;

	lab_signal(server.sock);
	client = ask();
	lab_wait(client.sock);
	restart(_i);
	finish(&server, &client);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("restart");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	for (int how = FIRST; how < END; how++) {
		if ((how & (DPU_DAEMON | HOST_DAEMON)) == 0)
			continue;
		tcase_add_loop_test(tcase, who_listens_is_found, how, how + 1);
		tcase_add_loop_test(tcase, who_connects_gets_there, how, how + 1);
		tcase_add_loop_test(tcase, what_stands_goes_on, how, how + 1);
	}
}

int main(void)
{
	lab_require();
	return runner_main("channel_restart", add_cases, NULL);
}
