/*
 * A million messages between two polling processes. strace shows that neither makes a system call
 * between its marks (writes to descriptor -1), and counters that neither allocates memory or takes
 * a lock. The program runs itself under strace, once for each side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_comch.h>

#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"
#include "tests/lib/use.h"

#define N_MESSAGES traced_n(1000000)
#define N_TASKS    32u
#define QUEUE      1024u
#define MSG_LEN    64u
#define SERVICE    "hot"

static struct lab lab;
static struct traced traced_as;

/* --- the traced program: one side --- */

static struct {
	struct doca_pe *pe;
	struct doca_comch_task_send *idle[N_TASKS];
	unsigned n_idle, n_received, n_wrong, n_failed, n_connected;
	uint8_t message[MSG_LEN];
} side;

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	side.idle[side.n_idle++] = task;
}

static void on_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	side.n_failed++;
	on_sent(task, task_data, ctx_data);
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	side.n_wrong += len != MSG_LEN || memcmp(bytes, side.message, MSG_LEN) != 0;
	side.n_received++;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t is_success)
{
	(void)event;
	(void)connection;
	side.n_connected += is_success;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_success)
{
	(void)event;
	(void)connection;
	(void)is_success;
	side.n_connected--;
}

static void side_stop(struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	use_ctx_await(side.pe, ctx, DOCA_CTX_STATE_IDLE);
}

static void run_server(void)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_devinfo_rep **reps;
	struct doca_comch_server *server;
	struct doca_dev_rep *rep;
	struct doca_ctx *ctx;
	uint32_t n_reps;

	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n_reps));
	ck_assert_uint_gt(n_reps, 0);
	OK(doca_dev_rep_open(reps[0], &rep));
	OK(doca_devinfo_rep_destroy_list(reps));
	OK(doca_comch_server_create(dev, rep, SERVICE, &server));
	ctx = doca_comch_server_as_ctx(server);
	OK(doca_pe_connect_ctx(side.pe, ctx));
	OK(doca_comch_server_set_recv_queue_size(server, QUEUE));
	OK(doca_comch_server_task_send_set_conf(server, on_sent, on_not_sent, 1));
	OK(doca_comch_server_event_msg_recv_register(server, on_message));
	OK(doca_comch_server_event_connection_status_changed_register(server, on_connect,
								      on_disconnect));
	OK(doca_ctx_start(ctx));
	while (side.n_connected == 0)
		doca_pe_progress(side.pe);
	hot_begin();
	while (side.n_received < N_MESSAGES)
		doca_pe_progress(side.pe);
	hot_end();
	traced_report_calls(traced_as.dir);
	ck_assert_uint_eq(side.n_wrong, 0);
	while (side.n_connected != 0)
		doca_pe_progress(side.pe);
	side_stop(ctx);
	OK(doca_comch_server_destroy(server));
	OK(doca_dev_rep_close(rep));
	OK(doca_dev_close(dev));
}

static void run_client(void)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_comch_connection *connection;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	unsigned n_sent = 0;

	OK(doca_comch_client_create(dev, SERVICE, &client));
	ctx = doca_comch_client_as_ctx(client);
	OK(doca_pe_connect_ctx(side.pe, ctx));
	OK(doca_comch_client_set_recv_queue_size(client, QUEUE));
	OK(doca_comch_client_task_send_set_conf(client, on_sent, on_not_sent, N_TASKS));
	OK(doca_comch_client_event_msg_recv_register(client, on_message));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	use_ctx_await(side.pe, ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_comch_client_get_connection(client, &connection));
	for (side.n_idle = 0; side.n_idle < N_TASKS; side.n_idle++)
		OK(doca_comch_client_task_send_alloc_init(client, connection, side.message, MSG_LEN,
							  &side.idle[side.n_idle]));
	hot_begin();
	while (n_sent < N_MESSAGES) {
		while (side.n_idle > 0 && n_sent < N_MESSAGES) {
			struct doca_comch_task_send *task = side.idle[side.n_idle - 1];
			doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(task));

			if (result == DOCA_ERROR_AGAIN)
				break;
			OK(result);
			side.n_idle--;
			n_sent++;
		}
		doca_pe_progress(side.pe);
	}
	while (side.n_idle < N_TASKS)
		doca_pe_progress(side.pe);
	hot_end();
	traced_await_over(traced_as.dir);
	ck_assert_uint_eq(side.n_failed, 0);
	while (side.n_idle > 0)
		doca_task_free(doca_comch_task_send_as_task(side.idle[--side.n_idle]));
	side_stop(ctx);
	OK(doca_comch_client_destroy(client));
	OK(doca_dev_close(dev));
}

static bool is_server;

static void run_side(void)
{
	use_fill(side.message, sizeof(side.message), 1);
	OK(doca_pe_create(&side.pe));
	if (is_server)
		run_server();
	else
		run_client();
	OK(doca_pe_destroy(side.pe));
}

/* --- the test --- */

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

START_TEST(test_polling)
{
	traced_run_both(&lab, "", true);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("a million messages");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_polling);
}

int main(int argc, char **argv)
{
	if (traced_parse(argc, argv, &traced_as)) {
		is_server = strcmp(traced_as.name, "server") == 0;
		return traced_main(run_side);
	}
	lab_require();
	if (!traced_is_possible())
		return RUNNER_SKIPPED;
	return runner_main("message_hot", add_cases, NULL);
}
