/*
 * Half a million messages of 64 bytes from a producer to a consumer in another process, and fewer
 * that pass through the bounce area, while both poll. strace shows that neither makes a system call
 * between its marks (writes to descriptor -1), and counters that neither allocates memory or takes
 * a lock. The program runs itself under strace, once for each side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/fast.h"
#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

#define N_WARM  1000u /* the first messages fault in the pages */
#define N_TASKS 64u
#define SERVICE "hot"

static struct lab lab;
/* The producer cannot write to the consumer's memory, and no message fits a slot. */
static bool is_bounced;
static unsigned n_messages;
static size_t msg_len = 64;

/* --- the traced program: one side --- */

static void count_wrong(struct fast_sink *sink, const uint8_t *data, size_t len,
			const struct doca_comch_consumer_task_post_recv *task)
{
	unsigned *n_wrong = sink->arg;

	(void)task;
	*n_wrong += len != msg_len || !use_is_filled(data, len, 1);
}

static void run_server(void)
{
	struct fast_sink sink;
	struct fast_end end;
	unsigned n_wrong = 0;

	fast_server_open(&end, SERVICE);
	fast_await(&end, &end.n_connects, 1);
	fast_sink_open(&sink, &end, NULL, FAST_PRIVATE, N_TASKS, msg_len);
	sink.look = count_wrong;
	sink.arg = &n_wrong;
	fast_sink_await(&sink, N_WARM);
	hot_begin();
	while (sink.n_recv < n_messages)
		doca_pe_progress(sink.pe);
	hot_end();
	ck_assert_uint_eq(n_wrong, 0);
	while (end.n_disconnects == 0)
		doca_pe_progress(end.pe);
	use_ctx_await(sink.pe, sink.ctx, DOCA_CTX_STATE_IDLE);
	fast_sink_close(&sink);
	fast_end_close(&end);
}

static void run_client(void)
{
	struct fast_source source;
	struct fast_end end;
	unsigned i;

	fast_client_open(&end, SERVICE);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, NULL, N_TASKS, msg_len);
	for (i = 0; i < N_WARM; i++)
		OK(fast_send_retry(&source, end.peers[0], 0, msg_len, NULL, 0));
	hot_begin();
	for (; i < n_messages; i++) {
		if (fast_send_retry(&source, end.peers[0], 0, msg_len, NULL, 0) != DOCA_SUCCESS)
			break;
	}
	hot_end();
	ck_assert_uint_eq(i, n_messages);
	fast_source_close(&source);
	fast_end_close(&end);
}

static bool is_server;

static void run_side(void)
{
	if (is_bounced) {
		fast_refuse_writes();
		msg_len = 5000;
	}
	n_messages = N_WARM + traced_n(is_bounced ? 20000 : 500000);
	if (is_server)
		run_server();
	else
		run_client();
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
	const char *how = _i == 1 ? "bounced" : "";

	traced_run_both(&lab, how, true);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("messages without system calls");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_polling, 0, 2);
}

int main(int argc, char **argv)
{
	struct traced traced;

	if (traced_parse(argc, argv, &traced)) {
		is_server = strcmp(traced.name, "server") == 0;
		is_bounced = strcmp(traced.how, "bounced") == 0;
		return traced_main(run_side);
	}
	lab_require();
	if (!traced_is_possible())
		return RUNNER_SKIPPED;
	return runner_main("fast_hot", add_cases, NULL);
}
