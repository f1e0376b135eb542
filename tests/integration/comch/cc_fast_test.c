/*
 * Producers and consumers of 2.5, 2.6 and 3.3 in all combinations, in processes of the two sides.
 */
#include "tests/integration/comch/cc_fast.h"
#include "tests/lib/fast.h"
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

static void look(struct fast_sink *sink, const uint8_t *data, size_t len,
		 const struct doca_comch_consumer_task_post_recv *task)
{
	(void)sink;
	ck_assert_uint_eq(doca_comch_consumer_task_post_recv_get_producer_id(task), CC_FAST_ID);
	ck_assert_uint_eq(len, CC_FAST_LEN);
	ck_assert(use_is_filled(data, len, 1));
}

static void exchange(struct fast_end *end)
{
	struct doca_comch_producer *other;
	struct fast_source source;
	struct fast_sink sink;

	fast_sink_open(&sink, end, end->pe, FAST_SHARED, 1, CC_FAST_LEN);
	sink.look = look;
	sink.once = true;
	OK(doca_comch_producer_create(end->conn, &other));
	fast_source_open(&source, end, end->pe, 1, CC_FAST_LEN);
	fast_await(end, &end->n_new, 1);
	OK(fast_send_retry(&source, end->peers[0], 0, CC_FAST_LEN, NULL, 0));
	fast_sink_await(&sink, 1);
	while (source.n_sent == 0)
		use_progress(end->pe);
	fast_source_close(&source);
	OK(doca_comch_producer_destroy(other));
	fast_sink_stop(&sink);
	fast_sink_close(&sink);
}

static void serve_3_3(int sock, void *arg)
{
	struct fast_end end;

	(void)arg;
	fast_server_open(&end, CC_FAST_NAME);
	lab_signal(sock);
	fast_await(&end, &end.n_connects, 1);
	exchange(&end);
	fast_await(&end, &end.n_disconnects, 1);
	ck_assert_uint_eq(end.n_new, 1 + CC_FAST_BRIEF);
	ck_assert_uint_eq(end.n_expired, 1 + CC_FAST_BRIEF);
	fast_end_stop(&end);
	fast_end_close(&end);
}

/* The connection ends directly after them. */
static void start_stop_consumers(const struct fast_end *end)
{
	struct fast_sink sink;

	for (unsigned i = 0; i < CC_FAST_BRIEF; i++) {
		fast_sink_open(&sink, end, end->pe, FAST_SHARED, 1, CC_FAST_LEN);
		fast_sink_stop(&sink);
		fast_sink_close(&sink);
	}
}

static void ask_3_3(int sock, void *arg)
{
	struct fast_end end;

	(void)sock;
	(void)arg;
	fast_client_open(&end, CC_FAST_NAME);
	exchange(&end);
	start_stop_consumers(&end);
	fast_end_stop(&end);
	ck_assert_uint_eq(end.n_expired, 1);
	fast_end_close(&end);
}

typedef void (*role_t)(int sock, void *arg);

static const role_t servers[] = {cc_fast_serve_2_5, cc_fast_serve_2_6, serve_3_3};
static const role_t clients[] = {cc_fast_ask_2_5, cc_fast_ask_2_6, ask_3_3};

START_TEST(all_pairs_of_versions)
{
	struct lab_child server, client;

	server = lab_fork(&lab, LAB_DPU, servers[_i / 3], NULL);
	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, clients[_i % 3], NULL);
	lab_join(&client);
	lab_join(&server);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("cc fast");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, all_pairs_of_versions, 0, 9);
}

int main(void)
{
	lab_require();
	return runner_main("cc fast", add_cases, NULL);
}
