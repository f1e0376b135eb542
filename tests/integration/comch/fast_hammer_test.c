/*
 * No wake-up of a consumer is lost: two processes that only sleep in epoll on their engines'
 * handles exchange very many messages through producers and consumers, in every mode of waiting,
 * with random pauses and random numbers of messages in flight. A process that lost its wake-up
 * would sleep for ever and exceed its deadline. While nothing is sent, neither uses the processor.
 * DOCO_HAMMER_EVENTS sets the number of events.
 */
#include <string.h>

#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"

#define SERVICE        "hammer"
#define DEFAULT_EVENTS 1000000u
#define N_BUFS         32u
#define WINDOW         16u
#define BUF_LEN        512u

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

struct side {
	struct fast_end end;
	struct fast_sink sink;
	struct fast_source source;
	uint64_t n_sent, n_seen, n_outstanding;
	uint32_t seed;
	bool echoes;
};

static bool side_send(struct side *side)
{
	uint64_t number = side->n_sent;
	/* Lengths that fit a slot, and longer ones. */
	size_t len = number % 16 == 0 ? 500 : number % 64;

	if (fast_send(&side->source, side->end.peers[0], 0, len, &number, sizeof(number)) !=
	    DOCA_SUCCESS)
		return false;
	side->n_sent++;
	return true;
}

static void side_poll(struct fast_sink *sink, const uint8_t *data, size_t len,
		      const struct doca_comch_consumer_task_post_recv *task)
{
	struct side *side = sink->arg;
	uint64_t number;

	(void)data;
	(void)len;
	memcpy(&number, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(number));
	EXPECT_TRUE(number == side->n_seen, "a message is lost or doubled");
	side->n_seen++;
	if (sleeper_random(&side->seed) % 64 == 0)
		sleeper_pause(&side->seed);
	if (side->echoes && (side->n_outstanding > 0 || !side_send(side)))
		side->n_outstanding++;
}

/* The consumer is created first, so that the peer's producer finds posted receives. */
static void side_open(struct side *side, enum fast_memory memory)
{
	fast_sink_open(&side->sink, &side->end, side->end.pe, memory, N_BUFS, BUF_LEN);
	side->sink.look = side_poll;
	side->sink.arg = side;
	fast_await(&side->end, &side->end.n_new, 1);
	fast_source_open(&side->source, &side->end, side->end.pe, N_BUFS, BUF_LEN);
}

static void side_close(struct side *side)
{
	fast_source_close(&side->source);
	fast_sink_stop(&side->sink);
	fast_sink_close(&side->sink);
	fast_end_close(&side->end);
}

struct order {
	enum sleeper_method way;
	enum fast_memory memory;
	uint64_t n_wanted;
};

static void client_main(int sock, void *arg)
{
	const struct order *order = arg;
	struct side side = {.seed = 5};
	struct sleeper sleeper;

	lab_wait(sock);
	fast_client_open(&side.end, SERVICE);
	side_open(&side, order->memory);
	sleeper_open(&sleeper, side.end.pe, order->way, -1);
	lab_wait(sock);
	while (side.n_seen < order->n_wanted) {
		uint32_t n = sleeper_random(&side.seed) % WINDOW + 1;

		if (sleeper_random(&side.seed) % 8 == 0)
			sleeper_pause(&side.seed);
		while (n-- > 0 && side.n_sent < order->n_wanted &&
		       side.n_sent - side.n_seen < WINDOW && side_send(&side))
			continue;
		if (side.n_sent > side.n_seen)
			sleeper_step(&sleeper);
	}
	ck_assert_uint_gt(sleeper.n_sleeps, 0);
	sleeper_progress(&sleeper);
	sleeper_close(&sleeper);
	lab_signal(sock);
	lab_wait(sock);
	side_close(&side);
}

START_TEST(test_hammer)
{
	struct order order = {.way = (enum sleeper_method)_i,
			      .memory = _i == 1 ? FAST_PRIVATE : FAST_SHARED,
			      .n_wanted = sleeper_n_events(DEFAULT_EVENTS) / 2 / SLEEPER_N_METHODS};
	struct lab_child client = lab_fork(&lab, LAB_HOST, client_main, &order);
	struct side side = {.seed = 7, .echoes = true};
	struct sleeper sleeper;

	lab_use(&lab, LAB_DPU);
	fast_server_open(&side.end, SERVICE);
	lab_signal(client.sock);
	fast_await(&side.end, &side.end.n_connects, 1);
	side_open(&side, order.memory);
	sleeper_open(&sleeper, side.end.pe, order.way, -1);
	sleeper_progress(&sleeper);
	lab_signal(client.sock);
	while (side.n_sent < order.n_wanted) {
		sleeper_step(&sleeper);
		while (side.n_outstanding > 0 && side_send(&side))
			side.n_outstanding--;
	}
	ck_assert_uint_eq(side.n_seen, order.n_wanted);
	ck_assert_uint_gt(sleeper.n_sleeps, 0);
	lab_wait(client.sock);
	sleeper_progress(&sleeper);
	sleeper_close(&sleeper);
	lab_signal(client.sock);
	lab_join(&client);
	side_close(&side);
}
END_TEST

/* Sleeps with posted receives until a message comes. */
static void idle_main(int sock, void *arg)
{
	struct side side = {.seed = 5};
	struct sleeper sleeper;

	(void)arg;
	lab_wait(sock);
	fast_client_open(&side.end, SERVICE);
	side_open(&side, FAST_SHARED);
	sleeper_open(&sleeper, side.end.pe, SLEEPER_SELECTIVE, -1);
	lab_signal(sock);
	while (side.n_seen == 0)
		sleeper_step(&sleeper);
	sleeper_close(&sleeper);
	lab_wait(sock);
	side_close(&side);
}

START_TEST(test_idle)
{
	struct lab_child client = lab_fork(&lab, LAB_HOST, idle_main, NULL);
	struct side side = {.seed = 7};

	lab_use(&lab, LAB_DPU);
	fast_server_open(&side.end, SERVICE);
	lab_signal(client.sock);
	fast_await(&side.end, &side.end.n_connects, 1);
	side_open(&side, FAST_SHARED);
	lab_wait(client.sock);
	sleeper_await_idle(client.pid);
	while (!side_send(&side))
		doca_pe_progress(side.end.pe);
	lab_signal(client.sock);
	lab_join(&client);
	/* Here the connection ends first: the consumer stops by itself. */
	fast_await(&side.end, &side.end.n_disconnects, 1);
	use_ctx_await(side.end.pe, side.sink.ctx, DOCA_CTX_STATE_IDLE);
	side_close(&side);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("hammer");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_hammer, 0, SLEEPER_N_METHODS);
	tcase_add_test(tcase, test_idle);
}

int main(void)
{
	lab_require();
	return runner_main("fast_hammer", add_cases, NULL);
}
