/*
 * Peers that are killed while a daemon is away: the kernel wakes the process that sleeps on a
 * connection with them, and it gets an error, whether the daemon of its own side is away, that of
 * the other side, or both, and whether they come back before. Servers and clients of comch, and
 * endpoints of the comm channel.
 */
#include <stdio.h>

#include "tests/integration/comch/channel.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"

#define SERVICE "orphans"

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* --- programs of comch: each sleeps until its peer is gone, or is killed --- */

struct program {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct talk talk;
	struct sleeper sleeper;
};

static void program_open(struct program *p, enum lab_side side, int sock)
{
	*p = (struct program){.dev = use_dev(side == LAB_DPU ? USE_DPU_P0 : USE_HOST_PF0)};
	OK(doca_pe_create(&p->pe));
	sleeper_open(&p->sleeper, p->pe, SLEEPER_SELECTIVE, -1);
	if (side == LAB_DPU)
		talk_serve(&p->talk, p->pe, p->dev, SERVICE, 4);
	else
		talk_connect(&p->talk, p->pe, p->dev, SERVICE, 4);
	if (side == LAB_DPU)
		lab_signal(sock);
}

static bool is_running(const struct program *p)
{
	enum doca_ctx_states state;

	OK(doca_ctx_get_state(p->talk.ctx, &state));
	return state == DOCA_CTX_STATE_RUNNING;
}

static bool is_connected(const struct program *p)
{
	return p->talk.server != NULL ? p->talk.n_connected > 0 : is_running(p);
}

static bool is_alone(const struct program *p)
{
	enum doca_ctx_states state;

	OK(doca_ctx_get_state(p->talk.ctx, &state));
	return p->talk.server != NULL ? p->talk.n_left > 0 : state == DOCA_CTX_STATE_IDLE;
}

static void run(int sock, enum lab_side side)
{
	struct program p;

	program_open(&p, side, sock);
	sleeper_progress(&p.sleeper);
	while (!is_connected(&p)) {
		sleeper_arm(&p.sleeper);
		sleeper_sleep_for_pe(&p.sleeper);
		sleeper_progress(&p.sleeper);
	}
	lab_signal(sock);
	while (!is_alone(&p)) {
		sleeper_arm(&p.sleeper);
		sleeper_sleep_for_pe(&p.sleeper);
		sleeper_progress(&p.sleeper);
	}
	lab_signal(sock);
	lab_wait(sock);
	sleeper_close(&p.sleeper);
	talk_end(&p.talk);
	OK(doca_pe_destroy(p.pe));
	OK(doca_dev_close(p.dev));
}

static void run_server(int sock, void *arg)
{
	(void)arg;
	run(sock, LAB_DPU);
}

static void run_client(int sock, void *arg)
{
	(void)arg;
	run(sock, LAB_HOST);
}

/* --- daemons --- */

/* Bit mask of sides. */
enum { OWN_DAEMON = 1, PEERS_DAEMON = 2, COME_BACK = 4, N_CASES = 8 };

static void daemons_kill(int how, enum lab_side sleeper)
{
	if (how & OWN_DAEMON)
		lab_kill_daemon(&lab, sleeper);
	if (how & PEERS_DAEMON)
		lab_kill_daemon(&lab, sleeper == LAB_HOST ? LAB_DPU : LAB_HOST);
}

static void daemons_start(int how, enum lab_side sleeper)
{
	if (how & OWN_DAEMON)
		lab_start_daemon(&lab, sleeper);
	if (how & PEERS_DAEMON)
		lab_start_daemon(&lab, sleeper == LAB_HOST ? LAB_DPU : LAB_HOST);
}

/* --- tests --- */

static void orphan(int how, enum lab_side sleeper)
{
	struct lab_child server = lab_fork(&lab, LAB_DPU, run_server, NULL), client;
	struct lab_child *notified, *victim;

	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, run_client, NULL);
	lab_wait(server.sock);
	lab_wait(client.sock);
	notified = sleeper == LAB_DPU ? &server : &client;
	victim = sleeper == LAB_DPU ? &client : &server;
	sleeper_await_asleep(notified->pid);
	daemons_kill(how, sleeper);
	if (how & COME_BACK)
		daemons_start(how, sleeper);
	/* Ending and restarting daemons must not keep the program awake. */
	sleeper_await_idle(notified->pid);
	lab_kill(victim);
	lab_wait(notified->sock);
	if (!(how & COME_BACK))
		daemons_start(how, sleeper);
	lab_signal(notified->sock);
	lab_join(notified);
}

START_TEST(server_detects_lost_client)
{
	orphan(_i, LAB_DPU);
}
END_TEST

START_TEST(client_detects_lost_server)
{
	orphan(_i, LAB_HOST);
}
END_TEST

/* An endpoint of 2.2, which sleeps on its event channel. */
START_TEST(sleeping_endpoint_detects_lost_peer)
{
	struct channel_load load = {.n = 1000, .queue = 8};
	struct lab_child server, client;

	server = lab_fork(&lab, LAB_DPU, channel_hammer_serve, &load);
	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, channel_orphan, NULL);
	lab_wait(client.sock);
	daemons_kill(_i, LAB_HOST);
	lab_kill(&server);
	daemons_start(_i, LAB_HOST);
	lab_join(&client);
}
END_TEST

/* A polling service detects it from the connection alone. */
START_TEST(poller_detects_lost_sender)
{
	struct lab_child server, a, b;
	bool by_force = _i == 1;

	server = lab_fork(&lab, LAB_DPU, channel_orphan_serve, NULL);
	lab_wait(server.sock);
	a = lab_fork(&lab, LAB_HOST, channel_orphan_a, NULL);
	lab_wait(a.sock);
	lab_wait(server.sock);
	b = lab_fork(&lab, LAB_HOST, channel_orphan_b, NULL);
	lab_wait(b.sock);
	lab_wait(server.sock);
	daemons_kill(OWN_DAEMON | PEERS_DAEMON, LAB_DPU);
	lab_signal(a.sock);
	lab_wait(a.sock);
	lab_signal(server.sock);
	lab_wait(server.sock);
	if (by_force) {
		lab_kill(&b);
	} else {
		lab_signal(b.sock);
		lab_wait(b.sock);
	}
	lab_signal(server.sock);
	lab_wait(server.sock);
	daemons_start(OWN_DAEMON | PEERS_DAEMON, LAB_DPU);
	lab_signal(a.sock);
	lab_join(&a);
	if (!by_force) {
		lab_signal(b.sock);
		lab_join(&b);
	}
	lab_signal(server.sock);
	lab_join(&server);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("orphans");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, server_detects_lost_client, 0, N_CASES);
	tcase_add_loop_test(tcase, client_detects_lost_server, 0, N_CASES);
	tcase_add_loop_test(tcase, sleeping_endpoint_detects_lost_peer, 0, COME_BACK);
	tcase_add_loop_test(tcase, poller_detects_lost_sender, 0, 2);
}

int main(void)
{
	lab_require();
	return runner_main("orphan", add_cases, NULL);
}
