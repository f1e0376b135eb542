/*
 * A daemon that reads requests and does not answer, while a client of a server, or a consumer of a
 * client, arrives: the server continues to serve its connections, polling or sleeping. When the
 * daemon answers, or its next instance has resumed its clients, all events arrive.
 */
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <check.h>

#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"

#define WAIT_MS 30000

/* Variants of the test; a bit mask. */
enum {
	OF_CONSUMER = 1, /* a consumer arrives, not a client */
	ASLEEP = 2,      /* the server only sleeps */
	RESUMED = 4,     /* the next daemon instance answers */
	N_KINDS = 8,
};

static struct lab lab;
static unsigned kind; /* also used by the children */

static void setup(void)
{
	const struct lab_options options = {.fd_store = 64};

	lab_setup(&lab, &options);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* --- programs --- */

struct service {
	struct fast_end end;
	struct sleeper sleeper;
};

static void await_count(struct service *service, const unsigned *counter, unsigned n)
{
	if ((kind & ASLEEP) == 0) {
		fast_await(&service->end, counter, n);
		return;
	}
	sleeper_progress(&service->sleeper);
	while (*counter < n)
		sleeper_step(&service->sleeper);
}

/* The event has arrived, and the resulting request has not been sent. */
static void await_event(struct service *service, int sock)
{
	struct pollfd ready = {.events = POLLIN};

	sleeper_progress(&service->sleeper);
	OK(doca_pe_get_notification_handle(service->end.pe, &ready.fd));
	OK(doca_pe_request_notification(service->end.pe));
	/* Earlier events are cleared. */
	while (poll(&ready, 1, 0) == 1) {
		OK(doca_pe_clear_notification(service->end.pe, 0));
		sleeper_progress(&service->sleeper);
		OK(doca_pe_request_notification(service->end.pe));
	}
	lab_signal(sock);
	ck_assert_int_eq(poll(&ready, 1, (int)runner_timeout_ms(WAIT_MS)), 1);
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_pe_clear_notification(service->end.pe, 0));
}

static void serve(int sock, void *arg)
{
	struct service service;
	struct fast_end *end = &service.end;

	(void)arg;
	fast_server_open(end, "unresponsive");
	sleeper_open(&service.sleeper, end->pe, SLEEPER_SELECTIVE, -1);
	lab_signal(sock);
	await_count(&service, &end->n_messages, 1);
	await_event(&service, sock);
	await_count(&service, &end->n_messages, 2);
	ck_assert_uint_eq(end->n_connects, 1);
	ck_assert_uint_eq(end->n_new, 0);
	lab_signal(sock);
	if (kind & OF_CONSUMER)
		await_count(&service, &end->n_new, 1);
	else
		await_count(&service, &end->n_connects, 2);
	lab_signal(sock);
	await_count(&service, &end->n_disconnects, kind & OF_CONSUMER ? 1 : 2);
	sleeper_close(&service.sleeper);
	fast_end_close(end);
}

static void send_word(struct fast_end *end)
{
	struct doca_comch_task_send *task;

	OK(doca_comch_client_task_send_alloc_init(end->client, end->conn, "word", 4, &task));
	OK(doca_task_submit(doca_comch_task_send_as_task(task)));
	use_progress(end->pe);
}

static void client_main(int sock, void *arg)
{
	struct fast_end end;
	struct fast_sink sink;
	bool consumes = arg != NULL;

	fast_client_open(&end, "unresponsive");
	send_word(&end);
	lab_signal(sock);
	lab_wait(sock);
	if (consumes)
		fast_sink_open(&sink, &end, NULL, FAST_SHARED, 2, 64);
	lab_signal(sock);
	lab_wait(sock);
	send_word(&end);
	lab_signal(sock);
	lab_wait(sock);
	if (consumes) {
		fast_sink_stop(&sink);
		fast_sink_close(&sink);
	}
	fast_end_close(&end);
}

static void connect_late(int sock, void *arg)
{
	struct fast_end end;

	(void)arg;
	fast_client_open(&end, "unresponsive");
	lab_signal(sock);
	lab_wait(sock);
	fast_end_close(&end);
}

/* --- tests --- */

static void resume_daemon(void)
{
	if (kind & RESUMED) {
		lab_kill_daemon(&lab, LAB_DPU);
		lab_start_daemon(&lab, LAB_DPU);
	} else {
		lab_thaw(lab.daemons[LAB_DPU].pid);
	}
}

START_TEST(progress_goes_on)
{
	struct lab_child server, client, late;

	kind = (unsigned)_i;
	server = lab_fork(&lab, LAB_DPU, serve, NULL);
	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, client_main, kind & OF_CONSUMER ? &kind : NULL);
	lab_wait(client.sock);
	lab_wait(server.sock);
	lab_signal(client.sock);
	lab_wait(client.sock);
	if ((kind & OF_CONSUMER) == 0)
		late = lab_fork(&lab, LAB_HOST, connect_late, NULL);
	lab_wait(server.sock);
	lab_freeze(lab.daemons[LAB_DPU].pid);
	lab_signal(server.sock);
	lab_signal(client.sock);
	lab_wait(client.sock);
	lab_wait(server.sock);
	resume_daemon();
	lab_wait(server.sock);
	if ((kind & OF_CONSUMER) == 0) {
		lab_wait(late.sock);
		lab_signal(late.sock);
		lab_join(&late);
	}
	lab_signal(client.sock);
	lab_join(&client);
	lab_join(&server);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("unresponsive");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, progress_goes_on, 0, N_KINDS);
}

int main(void)
{
	lab_require();
	return runner_main("comch unresponsive daemon", add_cases, NULL);
}
