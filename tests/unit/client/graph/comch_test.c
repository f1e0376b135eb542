/*
 * Messages as nodes of graphs, through a receive queue that is much shorter than the stream: nodes
 * wait until the peer makes room, also while the program sleeps, and fail when the peer ends.
 */
#include <doca_graph.h>

#include "tests/unit/client/comch/ends.h"

#define QUEUE  4u
#define N_RUNS (N_TASKS / 2)
#define ROUNDS 50u

static struct end server, client;
static struct doca_graph *graph;
static struct doca_graph_instance *runs[N_RUNS];
static struct doca_comch_task_send *tasks[N_RUNS][2];
static unsigned n_completed, n_errors;

#define ck_ok(call) ck_assert_int_eq(call, DOCA_SUCCESS)

static void on_completed(struct doca_graph_instance *instance, union doca_data instance_data,
			 union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	(void)graph_data;
	n_completed++;
}

static void on_error(struct doca_graph_instance *instance, union doca_data instance_data,
		     union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	(void)graph_data;
	n_errors++;
}

static void setup(void)
{
	struct doca_graph_node *nodes[2];

	set_up();
	server_make(&server, "graph");
	ck_ok(doca_comch_server_set_recv_queue_size(server.server, QUEUE));
	server_start(&server);
	client_make(&client, "graph");
	client_connect(&client, &server);
	ck_ok(doca_graph_create(client.pe, &graph));
	for (int i = 0; i < 2; i++)
		ck_ok(doca_graph_node_create_from_ctx(graph, client.ctx, &nodes[i]));
	ck_ok(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
	ck_ok(doca_graph_set_conf(graph, on_completed, on_error, N_RUNS));
	ck_ok(doca_graph_start(graph));
	for (unsigned r = 0; r < N_RUNS; r++) {
		ck_ok(doca_graph_instance_create(graph, &runs[r]));
		for (int i = 0; i < 2; i++) {
			ck_ok(doca_comch_client_task_send_alloc_init(client.client, client.conn,
								     i ? "second" : "first",
								     i ? 6 : 5, &tasks[r][i]));
			ck_ok(doca_graph_instance_set_ctx_node_data(
				runs[r], nodes[i], doca_comch_task_send_as_task(tasks[r][i])));
		}
	}
}

static void teardown(void)
{
	for (unsigned r = 0; r < N_RUNS; r++) {
		ck_ok(doca_graph_instance_destroy(runs[r]));
		for (int i = 0; i < 2; i++)
			doca_task_free(doca_comch_task_send_as_task(tasks[r][i]));
	}
	ck_ok(doca_graph_stop(graph));
	ck_ok(doca_graph_destroy(graph));
	ck_assert_uint_eq(client.n_sent + client.n_send_errors, 0);
	end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
	tear_down();
}

static void submit_all(void)
{
	for (unsigned r = 0; r < N_RUNS; r++)
		ck_ok(doca_graph_instance_submit(runs[r]));
}

/* The test's deadline applies. */
static void sleep_and_progress(void)
{
	ck_ok(doca_pe_request_notification(client.pe));
	ck_assert(wakes(&client, -1));
	ck_ok(doca_pe_clear_notification(client.pe, 0));
	progress(&client);
}

START_TEST(a_full_ring_only_delays)
{
	for (unsigned round = 1; round <= ROUNDS; round++) {
		submit_all();
		while (n_completed < round * N_RUNS) {
			sleep_and_progress();
			ck_assert_uint_le(n_completed * 2, server.n_recv + QUEUE);
			progress(&server);
		}
		progress(&server);
		ck_assert_uint_eq(server.n_recv, round * N_TASKS);
	}
	ck_assert_uint_eq(n_errors, 0);
}
END_TEST

START_TEST(a_peer_that_leaves_fails_waiting_nodes)
{
	submit_all();
	progress(&client);
	ck_assert_uint_lt(n_completed, N_RUNS);
	end_stop(&server);
	while (n_completed + n_errors < N_RUNS)
		sleep_and_progress();
	ck_assert_uint_gt(n_errors, 0);
	ck_assert_uint_le(server.n_recv, QUEUE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/graph_comch");
	TCase *tcase = unit_case(suite, "comch", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_full_ring_only_delays);
	tcase_add_test(tcase, a_peer_that_leaves_fails_waiting_nodes);
	return unit_run(suite);
}
