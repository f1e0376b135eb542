/*
 * A daemon that restarts without its saved state, as without a service manager: programs that make
 * no call to it become its clients again all the same. A server that only polls and one that only
 * sleeps find the new daemon by themselves, and their other objects are registered again.
 * Connections continue, and new clients are served.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <check.h>

#include <doca_mmap.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"

#define WAIT_MS 30000

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* --- programs --- */

static const char *const names[] = {"polled", "slept"};

/* Sends each message back. */
static void answer(struct talk *talk, struct doca_comch_connection *connection,
		   const uint8_t *bytes, uint32_t len)
{
	ck_assert(talk_send(talk, connection, bytes, len));
}

/* Serves until two clients have disconnected; makes no request to the daemon. */
static void serve(int sock, void *arg)
{
	bool sleeps = arg == names[1];
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct talk talk = {.on_message = answer};
	struct sleeper sleeper;
	struct doca_mmap *map;
	struct doca_pe *pe;
	const void *desc;
	size_t len;
	static uint8_t mine[4096];

	map = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_RDMA_READ);
	OK(doca_mmap_export_rdma(map, dev, &desc, &len));
	OK(doca_pe_create(&pe));
	if (sleeps)
		sleeper_open(&sleeper, pe, SLEEPER_SELECTIVE, -1);
	talk_serve(&talk, pe, dev, arg, 4);
	lab_signal(sock);
	while (talk.n_left < 2) {
		if (sleeps)
			sleeper_step(&sleeper);
		else
			use_progress(pe);
	}
	if (sleeps)
		sleeper_close(&sleeper);
	talk_end(&talk);
	use_mmap_end(map);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

static void echo(struct talk *talk, unsigned n)
{
	static const uint8_t bytes[8] = "message";

	for (unsigned i = 0; i < n; i++) {
		uint64_t n_before = talk->n_received;

		ck_assert(talk_send(talk, talk->connection, bytes, sizeof(bytes)));
		while (talk->n_received == n_before)
			use_progress(talk->pe);
	}
}

static void client_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct talk talk = {.msg_max = TALK_MSG_MAX};
	struct doca_pe *pe;

	OK(doca_pe_create(&pe));
	talk_connect(&talk, pe, dev, arg, 4);
	use_ctx_await(pe, talk.ctx, DOCA_CTX_STATE_RUNNING);
	talk_connected(&talk);
	echo(&talk, 3);
	lab_signal(sock);
	lab_wait(sock);
	echo(&talk, 3);
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

/* --- tests --- */

START_TEST(servers_find_the_next_daemon)
{
	struct lab_child servers[2], before[2], after[2];

	for (int i = 0; i < 2; i++) {
		servers[i] = lab_fork(&lab, LAB_DPU, serve, (void *)(uintptr_t)names[i]);
		lab_wait(servers[i].sock);
		before[i] = lab_fork(&lab, LAB_HOST, client_main, (void *)(uintptr_t)names[i]);
		lab_wait(before[i].sock);
	}
	sleeper_await_asleep(servers[1].pid);
	if (_i == 0)
		lab_kill_daemon(&lab, LAB_DPU);
	else
		lab_stop_daemon(&lab, LAB_DPU);
	lab_start_daemon(&lab, LAB_DPU);
	lab_await(&lab, LAB_DPU, LAB_SERVERS, 2, WAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_EXPORTS, 2, WAIT_MS);
	for (int i = 0; i < 2; i++) {
		after[i] = lab_fork(&lab, LAB_HOST, client_main, (void *)(uintptr_t)names[i]);
		lab_wait(after[i].sock);
		lab_signal(before[i].sock);
		lab_signal(after[i].sock);
		lab_join(&before[i]);
		lab_join(&after[i]);
		lab_join(&servers[i]);
	}
}
END_TEST

/* A process accepts connections at the daemon's path and does not answer. */
static int unresponsive_listen(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", lab_socket(&lab, LAB_DPU));
	unlink(addr.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	return fd;
}

/*
 * A program that looks for the daemon meanwhile continues with everything that needs no daemon. _i:
 * polling, sleeping.
 */
START_TEST(an_unresponsive_daemon_blocks_no_call)
{
	void *name = (void *)(uintptr_t)names[_i];
	struct lab_child server, before, after;
	struct pollfd unresponsive = {.events = POLLIN};

	server = lab_fork(&lab, LAB_DPU, serve, name);
	lab_wait(server.sock);
	before = lab_fork(&lab, LAB_HOST, client_main, name);
	lab_wait(before.sock);
	lab_kill_daemon(&lab, LAB_DPU);
	unresponsive.fd = unresponsive_listen();
	ck_assert_int_eq(poll(&unresponsive, 1, WAIT_MS), 1);
	lab_signal(before.sock);
	lab_join(&before);
	close(unresponsive.fd);
	lab_start_daemon(&lab, LAB_DPU);
	lab_await(&lab, LAB_DPU, LAB_SERVERS, 1, WAIT_MS);
	after = lab_fork(&lab, LAB_HOST, client_main, name);
	lab_wait(after.sock);
	lab_signal(after.sock);
	lab_join(&after);
	lab_join(&server);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("return");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, servers_find_the_next_daemon, 0, 2);
	tcase_add_loop_test(tcase, an_unresponsive_daemon_blocks_no_call, 0, 2);
}

int main(void)
{
	lab_require();
	return runner_main("comch return", add_cases, NULL);
}
