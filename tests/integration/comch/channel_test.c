/*
 * The comm channel between real processes of two sides: sleeping on event channels without losing a
 * wake-up, blocking calls, peers that die, services with many clients, and result codes.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include <doca_dev.h>

#include "tests/integration/comch/channel.h"
#include "tests/lib/expect.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"
#include "tests/lib/sleeper.h"

static struct lab lab;

static void setup(void)
{
	leaks_setup();
	machines_start(&lab);
}

static void teardown(void)
{
	machines_stop(&lab);
	leaks_teardown();
}

static struct lab_child serve(void (*fn)(int sock, void *arg), void *arg)
{
	struct lab_child child = lab_fork(&lab, LAB_DPU, fn, arg);

	lab_wait(child.sock);
	return child;
}

static void hammer(void (*serving)(int sock, void *arg), uint16_t queue)
{
	struct channel_load load = {
		.n = sleeper_n_events(20000), .queue = queue, .seed = 1 + queue};
	struct lab_child server, client;

	server = serve(serving, &load);
	client = lab_fork(&lab, LAB_HOST, channel_hammer_ask, &load);
	lab_join(&client);
	lab_signal(server.sock);
	lab_join(&server);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, 10000);
}

START_TEST(no_wake_up_is_lost)
{
	static const uint16_t queues[] = {8, 64};

	hammer(channel_hammer_serve, queues[_i]);
}
END_TEST

START_TEST(no_wake_up_is_lost_in_1_3)
{
	hammer(channel_poller_serve, 8);
}
END_TEST

/* --- 1.3: attributes --- */

static uint16_t host_function(void)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	uint16_t number = 0;

	OK(doca_devinfo_get_vhca_id(doca_dev_as_devinfo(dev), &number));
	OK(doca_dev_close(dev));
	return number;
}

static uint16_t represented_function(void)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_dev_rep *rep = use_rep(dev);
	uint16_t number = 0;

	OK(doca_devinfo_rep_get_vhca_id(doca_dev_rep_as_devinfo(rep), &number));
	use_rep_end(rep);
	OK(doca_dev_close(dev));
	return number;
}

START_TEST(attributes_of_1_3)
{
	struct lab_child server = serve(channel_attr_serve, (void *)represented_function);
	struct lab_child client = lab_fork(&lab, LAB_HOST, channel_attr_ask, (void *)host_function);

	/* Connected without action of the service, then accepted, then without room. */
	lab_wait(client.sock);
	lab_signal(server.sock);
	lab_wait(server.sock);
	lab_signal(client.sock);
	lab_wait(client.sock);
	lab_signal(server.sock);
	lab_join(&client);
	lab_signal(server.sock);
	lab_join(&server);
}
END_TEST

START_TEST(calls_wait_without_spinning)
{
	struct lab_child server, client;

	server = serve(channel_waiter_serve, NULL);
	sleeper_await_idle(server.pid);
	client = lab_fork(&lab, LAB_HOST, channel_waiter_ask, NULL);
	lab_wait(client.sock);
	sleeper_await_idle(client.pid);
	lab_signal(server.sock);
	lab_join(&server);
	lab_join(&client);
}
END_TEST

START_TEST(client_is_killed)
{
	struct lab_child server, client;

	server = serve(channel_killed_serve, NULL);
	client = lab_fork(&lab, LAB_HOST, channel_killed_ask, NULL);
	lab_wait(server.sock);
	lab_kill(&client);
	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, channel_disconnect_ask, NULL);
	lab_join(&client);
	lab_join(&server);
}
END_TEST

START_TEST(service_is_killed)
{
	struct channel_load load = {.n = 1000, .queue = 8};
	struct lab_child server, client;

	server = serve(channel_hammer_serve, &load);
	client = lab_fork(&lab, LAB_HOST, channel_orphan, NULL);
	lab_wait(client.sock);
	lab_kill(&server);
	lab_join(&client);
}
END_TEST

START_TEST(service_sees_its_clients)
{
	struct lab_child server, client;

	server = serve(channel_clients_serve, NULL);
	client = lab_fork(&lab, LAB_HOST, channel_clients_ask, NULL);
	lab_wait(server.sock);
	lab_signal(client.sock);
	lab_join(&client);
	lab_join(&server);
}
END_TEST

START_TEST(leaving_wakes_a_service_once_more)
{
	struct lab_child server, client;

	server = serve(channel_close_serve, NULL);
	client = lab_fork(&lab, LAB_HOST, channel_close_ask, NULL);
	lab_wait(server.sock);
	lab_signal(client.sock);
	lab_join(&client);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, 10000);
	lab_signal(server.sock);
	lab_join(&server);
}
END_TEST

START_TEST(a_sender_with_room_need_not_wait)
{
	struct lab_child server, client;

	server = serve(channel_full_serve, NULL);
	client = lab_fork(&lab, LAB_HOST, channel_full_ask, NULL);
	lab_wait(client.sock);
	lab_signal(server.sock);
	lab_wait(server.sock);
	lab_signal(client.sock);
	lab_join(&client);
	lab_signal(server.sock);
	lab_join(&server);
}
END_TEST

START_TEST(a_forked_child_ends_nothing)
{
	struct lab_child server, client;

	server = serve(channel_fork_serve, NULL);
	client = lab_fork(&lab, LAB_HOST, channel_disconnect_ask, NULL);
	lab_join(&client);
	lab_join(&server);
}
END_TEST

/* A signal while connect looks for the daemon ends nothing. */
static void interrupt(const struct lab_child *child)
{
	struct pollfd pollfd = {.fd = child->sock, .events = POLLIN};

	sleeper_await_idle(child->pid);
	do
		ck_assert_int_eq(kill(child->pid, SIGUSR1), 0);
	while (poll(&pollfd, 1, 500) == 0);
	lab_wait(child->sock);
}

START_TEST(a_signal_ends_waiting)
{
	struct lab_child server, client;

	server = serve(channel_interrupted_serve, NULL);
	interrupt(&server);
	client = lab_fork(&lab, LAB_HOST, channel_interrupted_ask, NULL);
	lab_wait(client.sock);
	/* In connect, which is not accepted. */
	interrupt(&client);
	lab_signal(server.sock);
	lab_signal(client.sock);
	lab_wait(client.sock);
	interrupt(&client);
	lab_signal(server.sock);
	lab_join(&server);
	lab_join(&client);
}
END_TEST

START_TEST(codes)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, channel_codes_host, NULL);

	lab_join(&child);
}
END_TEST

START_TEST(codes_of_both_ends)
{
	struct lab_child server = serve(channel_codes_dpu, NULL);
	struct lab_child client = lab_fork(&lab, LAB_HOST, channel_disconnect_ask, NULL);

	lab_join(&client);
	lab_join(&server);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("channel");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, no_wake_up_is_lost, 0, 2);
	tcase_add_test(tcase, no_wake_up_is_lost_in_1_3);
	tcase_add_test(tcase, attributes_of_1_3);
	tcase_add_test(tcase, calls_wait_without_spinning);
	tcase_add_test(tcase, client_is_killed);
	tcase_add_test(tcase, service_is_killed);
	tcase_add_test(tcase, service_sees_its_clients);
	tcase_add_test(tcase, leaving_wakes_a_service_once_more);
	tcase_add_test(tcase, a_sender_with_room_need_not_wait);
	tcase_add_test(tcase, a_forked_child_ends_nothing);
	tcase_add_test(tcase, a_signal_ends_waiting);
	tcase_add_test(tcase, codes);
	tcase_add_test(tcase, codes_of_both_ends);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("channel"), add_cases, NULL);
}
