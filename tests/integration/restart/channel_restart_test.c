/*
 * Endpoints of the comm channel while daemons are killed and restarted: clients find a listening
 * endpoint afterwards, a connecting endpoint gets connected, and an established connection
 * continues. With a restart of the daemon on the service's side, on the client's side, and on both.
 */
#include <stdio.h>

#include "tests/integration/comch/channel.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* A bit for each daemon, and one for the version of the listening program. */
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

static struct lab_child serve(int how, const char *service)
{
	struct lab_child child;

	child = lab_fork(&lab, LAB_DPU,
			 how & IS_1_3 ? channel_waiting_serve : channel_sleeping_serve,
			 (void *)(uintptr_t)service);
	lab_wait(child.sock);
	return child;
}

static struct lab_child ask(const char *service)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, channel_sleeping_ask,
					  (void *)(uintptr_t)service);

	lab_wait(child.sock);
	return child;
}

/* All run in parallel, with separate services. */
enum scenario {
	SERVER_IS_FOUND_AFTER_RESTART,
	CLIENT_CONNECTS_AFTER_RESTART,
	WHAT_STANDS_GOES_ON,
	N_SCENARIOS
};

START_TEST(restarts)
{
	static const char *const services[] = {"listens", "connects", "stands"};
	struct lab_child servers[N_SCENARIOS], clients[N_SCENARIOS];

	for (int i = 0; i < N_SCENARIOS; i++)
		servers[i] = serve(_i, services[i]);
	lab_signal(servers[SERVER_IS_FOUND_AFTER_RESTART].sock);
	/* This service makes no call before the restart. */
	clients[CLIENT_CONNECTS_AFTER_RESTART] = ask(services[CLIENT_CONNECTS_AFTER_RESTART]);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 1, 10000);
	lab_signal(servers[WHAT_STANDS_GOES_ON].sock);
	clients[WHAT_STANDS_GOES_ON] = ask(services[WHAT_STANDS_GOES_ON]);
	lab_wait(clients[WHAT_STANDS_GOES_ON].sock);
	restart(_i);
	clients[SERVER_IS_FOUND_AFTER_RESTART] = ask(services[SERVER_IS_FOUND_AFTER_RESTART]);
	lab_signal(servers[CLIENT_CONNECTS_AFTER_RESTART].sock);
	lab_wait(clients[SERVER_IS_FOUND_AFTER_RESTART].sock);
	lab_wait(clients[CLIENT_CONNECTS_AFTER_RESTART].sock);
	/* Each client has its first answer, and asks again. */
	for (int i = 0; i < N_SCENARIOS; i++)
		lab_signal(clients[i].sock);
	for (int i = 0; i < N_SCENARIOS; i++) {
		lab_join(&clients[i]);
		lab_signal(servers[i].sock);
		lab_join(&servers[i]);
	}
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
		tcase_add_loop_test(tcase, restarts, how, how + 1);
	}
}

int main(void)
{
	lab_require();
	return runner_main("channel_restart", add_cases, NULL);
}
