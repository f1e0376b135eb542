/*
 * Producers and consumers between two processes on two sides, with real daemons: all sizes over
 * every path, several of each on several threads, both directions at once, processes that are
 * killed or stop in any order, and a peer that overwrites the shared slots. The paths are memory
 * that the peer maps; private memory that the kernel writes; and private memory that the kernel
 * refuses to write, so that messages pass through the slots' bounce area. Compiled with OVER_TLS:
 * the same between two sides that are linked like two machines.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/fast.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"
#include "util/clock.h"

#define SERVICE "fast"

static struct lab lab;
/* The kernel refuses to write into other processes. */
static bool refused;
#ifdef OVER_TLS
/* All messages that do not fit a slot pass through the bounce area, wherever the buffers are. */
static const bool is_remote = true;
enum { N_MEMORIES = 1, N_MESSAGES = 300, N_CROSSING = 50, N_STREAM = 200, N_EARLY = 10 };
#else
static const bool is_remote = false;
enum { N_MEMORIES = 2, N_MESSAGES = 4000, N_CROSSING = 600, N_STREAM = 1000, N_EARLY = 25 };
#endif

static void setup(void)
{
	leaks_setup();
	machines_start(&lab);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1); /* the library's connection stays open */
}

static void teardown(void)
{
	machines_stop(&lab);
	leaks_teardown();
}

/*
 * Simulates a system that forbids ptrace. Applies to this process and to those that it starts
 * later: both ends, and no daemon.
 */
static void setup_refused(void)
{
	setup();
	fast_refuse_writes();
	refused = true;
}

/* --- every size over every path --- */

static const size_t sizes[] = {0,       1,    8,    64,    191,   192,      193,
			       256,     1000, 4096, 65535, 65536, 1u << 20, (1u << 20) + 7,
			       4u << 20};

#define BUF_LEN (4u << 20)

static void send_sizes(int sock, void *arg)
{
	struct fast_source source;
	struct fast_end end;
	size_t i;

	(void)arg;
	fast_client_open(&end, SERVICE);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, end.pe, 4, BUF_LEN + ARRAY_LEN(sizes));
	for (i = 0; i < ARRAY_LEN(sizes); i++)
		OK(fast_send_retry(&source, end.peers[0], i, sizes[i], &i, sizeof(i)));
	/*
	 * A message that exceeds the receive is refused, and nothing is written. A message through
	 * the bounce area must not exceed that area, which gives another code.
	 */
	EXPECT(refused || is_remote ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_TOO_BIG,
	       fast_send_retry(&source, end.peers[0], 0, BUF_LEN + 1, NULL, 0));
	/* Messages to another machine are in flight until then. */
	while (source.n_sent < ARRAY_LEN(sizes))
		use_progress(end.pe);
	lab_wait(sock);
	fast_source_close(&source);
	fast_end_close(&end);
}

struct expected {
	const uint8_t *pattern;
	size_t n;
};

static void check_size(struct fast_sink *sink, const uint8_t *data, size_t len,
		       const struct doca_comch_consumer_task_post_recv *task)
{
	struct expected *expected = sink->arg;
	size_t i;

	ck_assert_uint_eq(doca_comch_consumer_task_post_recv_get_imm_data_len(task), sizeof(i));
	memcpy(&i, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(i));
	ck_assert_uint_eq(i, expected->n);
	ck_assert_uint_eq(len, sizes[i]);
	ck_assert(memcmp(data, expected->pattern + i, len) == 0);
	ck_assert_uint_eq(doca_comch_consumer_task_post_recv_get_producer_id(task), 1);
	expected->n++;
}

START_TEST(test_sizes)
{
	uint8_t *pattern = malloc(BUF_LEN + ARRAY_LEN(sizes));
	struct expected expected = {.pattern = pattern};
	struct fast_sink sink;
	struct lab_child child;
	struct fast_end end;

	ck_assert_ptr_nonnull(pattern);
	use_fill(pattern, BUF_LEN + ARRAY_LEN(sizes), 1);
	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, send_sizes, NULL);
	fast_await(&end, &end.n_connects, 1);
	fast_sink_open(&sink, &end, end.pe, (enum fast_memory)_i, 3, BUF_LEN);
	sink.look = check_size;
	sink.arg = &expected;
	fast_sink_await(&sink, ARRAY_LEN(sizes));
	lab_signal(child.sock);
	fast_await(&end, &end.n_disconnects, 1);
	/* The end of the connection ends the consumer. */
	use_ctx_await(end.pe, sink.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(sink.n_flushed, 3);
	ck_assert_int_eq(sink.flush_code, DOCA_ERROR_NOT_CONNECTED);
	fast_sink_close(&sink);
	fast_end_close(&end);
	lab_join(&child);
	free(pattern);
}
END_TEST

/* --- many, on many threads --- */

#define N_SOURCES 3u
#define N_SINKS   2u

struct source_thread {
	struct fast_source source;
	uint32_t to[N_SINKS];
	pthread_t thread;
};

static size_t length_of(uint32_t number)
{
	return number % 64 == 0 ? 20000 : 8 + number % 300;
}

static void *source_thread_run(void *arg)
{
	struct source_thread *thread = arg;
	uint32_t i;

	for (i = 0; i < N_MESSAGES; i++)
		OK(fast_send_retry(&thread->source, thread->to[i % N_SINKS], i % 100, length_of(i),
				   &i, sizeof(i)));
	return NULL;
}

static void send_from_threads(int sock, void *arg)
{
	struct source_thread threads[N_SOURCES];
	struct fast_end end;
	uint32_t i, j;

	(void)arg;
	fast_client_open(&end, SERVICE);
	fast_await(&end, &end.n_new, N_SINKS);
	for (i = 0; i < N_SOURCES; i++) {
		fast_source_open(&threads[i].source, &end, NULL, 8, 30000);
		for (j = 0; j < N_SINKS; j++)
			threads[i].to[j] = end.peers[j];
	}
	for (i = 0; i < N_SOURCES; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i].thread, NULL, source_thread_run, &threads[i]),
			0);
	for (i = 0; i < N_SOURCES; i++)
		pthread_join(threads[i].thread, NULL);
	lab_wait(sock);
	for (i = 0; i < N_SOURCES; i++)
		fast_source_close(&threads[i].source);
	fast_end_close(&end);
}

struct sink_thread {
	struct fast_sink sink;
	uint32_t next[N_SOURCES + 1];
	const uint8_t *pattern;
	unsigned n_wrong;
	pthread_t thread;
};

static void check_order(struct fast_sink *sink, const uint8_t *data, size_t len,
			const struct doca_comch_consumer_task_post_recv *task)
{
	struct sink_thread *thread = sink->arg;
	uint32_t from = doca_comch_consumer_task_post_recv_get_producer_id(task);
	uint32_t i;

	memcpy(&i, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(i));
	if (from == 0 || from > N_SOURCES || i != thread->next[from] || len != length_of(i) ||
	    memcmp(data, thread->pattern + i % 100, len) != 0)
		thread->n_wrong++;
	else
		thread->next[from] += N_SINKS;
}

static void *sink_thread_run(void *arg)
{
	struct sink_thread *thread = arg;

	while (thread->sink.n_recv < N_SOURCES * N_MESSAGES / N_SINKS) {
		if (!doca_pe_progress(thread->sink.pe))
			fast_sleep(thread->sink.pe, -1);
	}
	return NULL;
}

START_TEST(test_threads)
{
	uint8_t *pattern = malloc(30000);
	struct sink_thread threads[N_SINKS];
	struct lab_child child;
	struct fast_end end;
	uint32_t i, j;

	use_fill(pattern, 30000, 1);
	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, send_from_threads, NULL);
	fast_await(&end, &end.n_connects, 1);
	for (i = 0; i < N_SINKS; i++) {
		fast_sink_open(&threads[i].sink, &end, NULL, (enum fast_memory)_i, 32, 30000);
		threads[i].sink.look = check_order;
		threads[i].sink.arg = &threads[i];
		threads[i].pattern = pattern;
		threads[i].n_wrong = 0;
		for (j = 0; j <= N_SOURCES; j++)
			threads[i].next[j] = i;
	}
	for (i = 0; i < N_SINKS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i].thread, NULL, sink_thread_run, &threads[i]), 0);
	for (i = 0; i < N_SINKS; i++)
		pthread_join(threads[i].thread, NULL);
	for (i = 0; i < N_SINKS; i++) {
		ck_assert_uint_eq(threads[i].n_wrong, 0);
		fast_sink_stop(&threads[i].sink);
		fast_sink_close(&threads[i].sink);
	}
	lab_signal(child.sock);
	lab_join(&child);
	fast_end_close(&end);
	free(pattern);
}
END_TEST

/* --- both directions at once --- */

struct crossing {
	const uint8_t *pattern;
	uint32_t next;
};

/*
 * Returns lengths from less than a slot holds up to so much that a few messages fill the bounce
 * area.
 */
static size_t crossing_length(uint32_t number)
{
	static const size_t lengths[] = {1, 191, 200, 4097, 60001, 700001, 33, 1000};

	return lengths[number % ARRAY_LEN(lengths)] + number;
}

static void check_crossing(struct fast_sink *sink, const uint8_t *data, size_t len,
			   const struct doca_comch_consumer_task_post_recv *task)
{
	struct crossing *crossing = sink->arg;
	uint32_t i;

	memcpy(&i, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(i));
	ck_assert_uint_eq(i, crossing->next);
	ck_assert_uint_eq(len, crossing_length(i));
	ck_assert(memcmp(data, crossing->pattern + i % 100, len) == 0);
	crossing->next++;
}

static void exchange_both_ways(struct fast_end *end, enum fast_memory memory)
{
	const size_t len = 800000;
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;
	struct crossing crossing = {0};
	struct fast_source source;
	struct fast_sink sink;
	uint32_t n_sent = 0;

	fast_source_open(&source, end, end->pe, 4, len);
	crossing.pattern = source.bytes;
	fast_sink_open(&sink, end, end->pe, memory, 16, len);
	sink.look = check_crossing;
	sink.arg = &crossing;
	fast_await(end, &end->n_new, 1);
	while (n_sent < N_CROSSING || crossing.next < N_CROSSING) {
		EXPECT_TRUE(clock_now_ns() < deadline, "%u sent, %u received", n_sent,
			    crossing.next);
		if (n_sent < N_CROSSING) {
			doca_error_t result = fast_send(&source, end->peers[0], n_sent % 100,
							crossing_length(n_sent), &n_sent,
							sizeof(n_sent));

			ck_assert_msg(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
					      result == DOCA_ERROR_NO_MEMORY,
				      "%s", dococ_last_error());
			n_sent += result == DOCA_SUCCESS;
		}
		use_progress(end->pe);
	}
	/* The peer may still wait for its last messages. */
	fast_source_close(&source);
	fast_sink_stop(&sink);
	fast_sink_close(&sink);
}

static void exchange_as_client(int sock, void *arg)
{
	struct fast_end end;

	fast_client_open(&end, SERVICE);
	exchange_both_ways(&end, *(enum fast_memory *)arg);
	lab_wait(sock);
	fast_end_close(&end);
}

START_TEST(test_crossing)
{
	enum fast_memory memory = (enum fast_memory)_i;
	struct lab_child child;
	struct fast_end end;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, exchange_as_client, &memory);
	fast_await(&end, &end.n_connects, 1);
	exchange_both_ways(&end, memory);
	lab_signal(child.sock);
	fast_await(&end, &end.n_disconnects, 1);
	lab_join(&child);
	fast_end_close(&end);
}
END_TEST

/* --- consumers that start in the connection callback --- */

#define EARLY_LEN 100u

static struct {
	struct fast_end end;
	struct fast_sink sink;
	struct fast_source source;
} early;

static void early_consume(struct doca_comch_connection *connection)
{
	early.end.conn = connection;
	fast_sink_open(&early.sink, &early.end, NULL, FAST_SHARED, 1, EARLY_LEN);
}

static void on_early_connect(struct doca_comch_event_connection_status_changed *event,
			     struct doca_comch_connection *connection, uint8_t is_success)
{
	(void)event;
	ck_assert(is_success);
	early_consume(connection);
}

static void on_early_disconnect(struct doca_comch_event_connection_status_changed *event,
				struct doca_comch_connection *connection, uint8_t is_success)
{
	(void)event;
	(void)connection;
	(void)is_success;
	early.end.n_disconnects++;
}

static void on_early_state(const union doca_data user_data, struct doca_ctx *ctx,
			   enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct doca_comch_connection *connection;

	(void)user_data;
	(void)ctx;
	(void)prev;
	if (next != DOCA_CTX_STATE_RUNNING)
		return;
	OK(doca_comch_client_get_connection(early.end.client, &connection));
	early_consume(connection);
}

/* Each end gets the other's consumer and sends it a message. */
static void early_exchange(unsigned round)
{
	fast_await(&early.end, &early.end.n_new, round + 1);
	ck_assert_uint_eq(early.end.n_new, round + 1);
	ck_assert_ptr_nonnull(early.sink.consumer);
	fast_source_open(&early.source, &early.end, NULL, 1, EARLY_LEN);
	OK(fast_send_retry(&early.source, early.end.peers[round % FAST_MAX_PEERS], 0, EARLY_LEN,
			   NULL, 0));
	fast_sink_await(&early.sink, 1);
	while (early.source.n_sent == 0)
		use_progress(early.source.pe);
	fast_source_close(&early.source);
}

static void early_client(int sock, void *arg)
{
	(void)arg;
	fast_client_make(&early.end, SERVICE);
	OK(doca_ctx_set_state_changed_cb(early.end.ctx, on_early_state));
	for (unsigned round = 0; round < N_EARLY; round++) {
		lab_wait(sock);
		EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(early.end.ctx));
		early_exchange(round);
		fast_sink_stop(&early.sink);
		fast_sink_close(&early.sink);
		early.sink.consumer = NULL;
		fast_end_stop(&early.end);
	}
	fast_end_close(&early.end);
}

START_TEST(test_early)
{
	struct lab_child child;

	fast_server_make(&early.end, SERVICE);
	OK(doca_comch_server_event_connection_status_changed_register(
		early.end.server, on_early_connect, on_early_disconnect));
	OK(doca_ctx_start(early.end.ctx));
	child = lab_fork(&lab, LAB_HOST, early_client, NULL);
	for (unsigned round = 0; round < N_EARLY; round++) {
		early.sink.consumer = NULL;
		lab_signal(child.sock);
		early_exchange(round);
		fast_await(&early.end, &early.end.n_disconnects, round + 1);
		ck_assert_uint_eq(early.end.n_expired, round + 1);
		use_ctx_await(early.sink.pe, early.sink.ctx, DOCA_CTX_STATE_IDLE);
		fast_sink_close(&early.sink);
	}
	lab_join(&child);
	fast_end_close(&early.end);
}
END_TEST

/* --- consumers that stop right after their start --- */

#define N_BRIEF 100u

/* Stops a consumer of an end's connection as soon as doca_ctx_start() has returned. */
static void start_stop_consumer(const struct fast_end *end, struct doca_comch_consumer *consumer)
{
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(consumer);
	doca_error_t result;

	use_ctx_begin(ctx);
	result = doca_ctx_stop(ctx);
	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	use_ctx_await(end->pe, ctx, DOCA_CTX_STATE_IDLE);
}

static void brief_client(int sock, void *arg)
{
	bool runs_once = *(const int *)arg & 1;
	struct fast_sink sink;
	struct fast_end end;

	(void)sock;
	fast_client_open(&end, SERVICE);
	fast_sink_open(&sink, &end, end.pe, FAST_SHARED, 1, EARLY_LEN);
	fast_sink_stop(&sink);
	for (unsigned i = 1; i < N_BRIEF; i++) {
		if (!runs_once) {
			start_stop_consumer(&end, sink.consumer);
			continue;
		}
		use_ctx_begin(sink.ctx);
		use_ctx_await(end.pe, sink.ctx, DOCA_CTX_STATE_RUNNING);
		fast_sink_stop(&sink);
	}
	fast_sink_close(&sink);
	/* The connection ends directly after the last one. */
	fast_end_close(&end);
}

/* The server makes no progress until the client has ended, or all the time. */
START_TEST(test_short_lived_consumers)
{
	bool is_busy = _i & 2;
	struct lab_child child;
	struct fast_end end;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, brief_client, &_i);
	fast_await(&end, &end.n_connects, 1);
	if (is_busy)
		lab_join(&child);
	fast_await(&end, &end.n_disconnects, 1);
	ck_assert_uint_eq(end.n_new, N_BRIEF);
	ck_assert_uint_eq(end.n_expired, N_BRIEF);
	ck_assert_uint_eq(end.n_history, 2 * N_BRIEF);
	for (unsigned i = 0; i < end.n_history; i++)
		ck_assert_uint_eq(end.history[i], (1 + i / 2) | (i % 2 != 0 ? FAST_EXPIRED : 0));
	if (!is_busy)
		lab_join(&child);
	fast_end_close(&end);
}
END_TEST

static struct fast_end brief_end;

/* The same for the server: its consumers exist while the client's end is being established. */
static void on_brief_connect(struct doca_comch_event_connection_status_changed *event,
			     struct doca_comch_connection *connection, uint8_t is_success)
{
	(void)event;
	ck_assert(is_success);
	brief_end.conn = connection;
	brief_end.n_connects++;
}

static void brief_asked(int sock, void *arg)
{
	struct fast_end end;

	(void)arg;
	fast_client_make(&end, SERVICE);
	use_ctx_begin(end.ctx);
	/* The client makes no progress after its connection request. */
	lab_wait(sock);
	use_ctx_await(end.pe, end.ctx, DOCA_CTX_STATE_RUNNING);
	fast_await(&end, &end.n_expired, N_BRIEF);
	ck_assert_uint_eq(end.n_history, 2 * N_BRIEF);
	for (unsigned i = 0; i < end.n_history; i++)
		ck_assert_uint_eq(end.history[i], (1 + i / 2) | (i % 2 != 0 ? FAST_EXPIRED : 0));
	fast_end_close(&end);
}

START_TEST(test_brief_before_the_client)
{
	struct lab_child child;
	struct fast_sink sink;

	fast_server_make(&brief_end, SERVICE);
	OK(doca_comch_server_event_connection_status_changed_register(
		brief_end.server, on_brief_connect, on_early_disconnect));
	early.end.n_disconnects = 0;
	OK(doca_ctx_start(brief_end.ctx));
	child = lab_fork(&lab, LAB_HOST, brief_asked, NULL);
	fast_await(&brief_end, &brief_end.n_connects, 1);
	fast_sink_open(&sink, &brief_end, NULL, FAST_SHARED, 1, EARLY_LEN);
	fast_sink_stop(&sink);
	for (unsigned i = 1; i < N_BRIEF; i++) {
		use_ctx_begin(sink.ctx);
		use_ctx_await(sink.pe, sink.ctx, DOCA_CTX_STATE_RUNNING);
		fast_sink_stop(&sink);
	}
	lab_signal(child.sock);
	fast_await(&brief_end, &early.end.n_disconnects, 1);
	fast_sink_close(&sink);
	lab_join(&child);
	fast_end_close(&brief_end);
}
END_TEST

/* --- a client that is disconnected at once --- */

static void on_connect_refuse(struct doca_comch_event_connection_status_changed *event,
			      struct doca_comch_connection *connection, uint8_t is_success)
{
	(void)event;
	ck_assert(is_success);
	OK(doca_comch_server_disconnect(doca_comch_server_get_server_ctx(connection), connection));
	brief_end.n_connects++;
}

/* Like the vendor's applications: waits for one particular state. */
static void client_refused(int sock, void *arg)
{
	enum doca_ctx_states state;
	struct fast_end end;

	(void)arg;
	fast_client_make(&end, SERVICE);
	use_ctx_begin(end.ctx);
	/* The server has ended the connection before this client makes progress. */
	lab_wait(sock);
	do {
		(void)doca_pe_progress(end.pe);
		OK(doca_ctx_get_state(end.ctx, &state));
	} while (state != DOCA_CTX_STATE_RUNNING);
	OK(doca_comch_client_get_connection(end.client, &end.conn));
	use_ctx_await(end.pe, end.ctx, DOCA_CTX_STATE_IDLE);
	fast_end_close(&end);
}

START_TEST(test_refused_connection)
{
	struct lab_child child;

	fast_server_make(&brief_end, SERVICE);
	OK(doca_comch_server_event_connection_status_changed_register(
		brief_end.server, on_connect_refuse, on_early_disconnect));
	early.end.n_disconnects = 0;
	OK(doca_ctx_start(brief_end.ctx));
	child = lab_fork(&lab, LAB_HOST, client_refused, NULL);
	fast_await(&brief_end, &brief_end.n_connects, 1);
	lab_signal(child.sock);
	lab_join(&child);
	fast_end_close(&brief_end);
	ck_assert_uint_eq(early.end.n_disconnects, 0);
}
END_TEST

/* --- killed processes --- */

struct for_ever {
	size_t len;
	bool leaves; /* once the receiver is gone, without waiting for the connection's end */
};

/* Sends until it is killed or the peer is gone. */
static void send_for_ever(int sock, void *arg)
{
	const struct for_ever *how = arg;
	size_t len = how->len;
	struct fast_source source;
	struct fast_end end;
	doca_error_t result;

	fast_client_open(&end, SERVICE);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, end.pe, 4, len);
	lab_signal(sock);
	do {
		use_progress(end.pe);
		result = fast_send(&source, end.peers[0], 0, len, NULL, 0);
	} while (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
		 result == DOCA_ERROR_NO_MEMORY);
	ck_assert(result == DOCA_ERROR_CONNECTION_RESET || result == DOCA_ERROR_NOT_CONNECTED ||
		  result == DOCA_ERROR_NOT_FOUND || result == DOCA_ERROR_IO_FAILED);
	if (how->leaves)
		lab_wait(sock);
	else
		use_ctx_await(end.pe, end.ctx, DOCA_CTX_STATE_IDLE);
	fast_source_close(&source);
	fast_end_close(&end);
}

START_TEST(test_sender_killed)
{
	struct for_ever how = {.len = _i < N_MEMORIES ? 1u << 20 : 64};
	struct fast_sink sink;
	struct lab_child child;
	struct fast_end end;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, send_for_ever, &how);
	fast_await(&end, &end.n_connects, 1);
	fast_sink_open(&sink, &end, end.pe, (enum fast_memory)(_i % N_MEMORIES), 8, 1u << 20);
	lab_wait(child.sock);
	fast_sink_await(&sink, 20);
	lab_kill(&child);
	fast_await(&end, &end.n_disconnects, 1);
	use_ctx_await(end.pe, sink.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(sink.n_flushed + sink.n_refused, 8);
	ck_assert_int_eq(sink.flush_code, DOCA_ERROR_CONNECTION_RESET);
	fast_sink_close(&sink);
	fast_end_close(&end);
}
END_TEST

static void receive_for_ever(int sock, void *arg)
{
	enum fast_memory memory = *(enum fast_memory *)arg;
	struct fast_sink sink;
	struct fast_end end;

	fast_client_open(&end, SERVICE);
	fast_sink_open(&sink, &end, end.pe, memory, 8, 1u << 20);
	fast_sink_await(&sink, 20);
	lab_signal(sock);
	fast_sink_await(&sink, UINT64_MAX);
}

START_TEST(test_receiver_killed)
{
	enum fast_memory memory = (enum fast_memory)_i;
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;
	doca_error_t result;
	bool killed = false;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, receive_for_ever, &memory);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, NULL, 4, 1u << 20);
	do {
		/* Killed while a message is being written, with some probability. */
		if (source.n_sent == 40 && !killed) {
			lab_wait(child.sock);
			ck_assert_int_eq(kill(child.pid, SIGKILL), 0);
			killed = true;
		}
		use_progress(end.pe);
		use_progress(source.pe);
		result = fast_send(&source, end.peers[0], 0, 1u << 20, NULL, 0);
		EXPECT_TRUE(clock_now_ns() < deadline, "%u", result);
	} while (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
		 result == DOCA_ERROR_NO_MEMORY);
	ck_assert(killed);
	lab_kill(&child);
	fast_await(&end, &end.n_disconnects, 1);
	EXPECT(DOCA_ERROR_CONNECTION_RESET, fast_send(&source, end.peers[0], 0, 10, NULL, 0));
	fast_source_close(&source);
	fast_end_close(&end);
}
END_TEST

/* --- orders of stopping --- */

enum stop_order { SINK_FIRST, END_FIRST, PEER_FIRST, N_STOP_ORDERS };

START_TEST(test_stop_orders)
{
	struct for_ever how = {.len = 3000, .leaves = _i == PEER_FIRST};
	struct fast_sink sink;
	struct lab_child child;
	struct fast_end end;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, send_for_ever, &how);
	fast_await(&end, &end.n_connects, 1);
	fast_sink_open(&sink, &end, end.pe, FAST_SHARED, 8, 4096);
	lab_wait(child.sock);
	fast_sink_await(&sink, N_STREAM);
	EXPECT(DOCA_ERROR_IN_USE, doca_comch_server_disconnect(end.server, end.conn));
	if (_i == SINK_FIRST) {
		fast_sink_stop(&sink);
		/* Claimed receives complete, which may be all. */
		ck_assert(sink.n_flushed == 0 || sink.flush_code == DOCA_ERROR_SHUTDOWN);
		OK(doca_comch_server_disconnect(end.server, end.conn));
	} else if (_i == END_FIRST) {
		fast_end_stop(&end);
		use_ctx_await(end.pe, sink.ctx, DOCA_CTX_STATE_IDLE);
		ck_assert(sink.n_flushed == 0 || sink.flush_code == DOCA_ERROR_NOT_CONNECTED);
	} else {
		/* A restarted consumer has a new id, and the peer gets an event for each. */
		fast_sink_stop(&sink);
		EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(sink.ctx));
		use_ctx_await(end.pe, sink.ctx, DOCA_CTX_STATE_RUNNING);
		lab_signal(child.sock);
		fast_await(&end, &end.n_disconnects, 1);
		use_ctx_await(end.pe, sink.ctx, DOCA_CTX_STATE_IDLE);
	}
	fast_sink_close(&sink);
	fast_end_close(&end);
	lab_join(&child);
}
END_TEST

/* --- invalid data --- */

/*
 * Finds the slots of the server's consumer, which this process's library has mapped, and overwrites
 * descriptors, slots and header.
 */
static void overwrite_slots(unsigned seed)
{
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned n = 0;

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps) != NULL) {
		unsigned long from, to;

		if (strstr(line, "doca-consumer") == NULL ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		use_fill((uint8_t *)from + (seed % 2 == 0 ? 0 : 4096), seed % 3 == 0 ? 4096 : 65536,
			 seed);
		n++;
	}
	fclose(maps);
	ck_assert_uint_gt(n, 0);
}

static void send_garbage(int sock, void *arg)
{
	unsigned seed = *(unsigned *)arg;
	struct fast_source source;
	struct fast_end end;

	fast_client_open(&end, SERVICE);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, end.pe, 4, 5000);
	OK(fast_send_retry(&source, end.peers[0], 0, 100, NULL, 0));
	lab_wait(sock);
	overwrite_slots(seed);
	/* The library of this process must survive the damaged memory, too. */
	for (unsigned i = 0; i < 100; i++) {
		use_progress(end.pe);
		fast_send(&source, end.peers[0], 0, i % 2 == 0 ? 64 : 5000, NULL, 0);
	}
	lab_signal(sock);
	lab_wait(sock);
	fast_source_close(&source);
	fast_end_close(&end);
}

START_TEST(test_garbage)
{
	unsigned seed = (unsigned)_i + 1;
	struct lab_child child;
	struct fast_sink sink;
	struct fast_end end;
	doca_error_t result;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, send_garbage, &seed);
	fast_await(&end, &end.n_connects, 1);
	fast_sink_open(&sink, &end, end.pe, FAST_SHARED, 16, 8192);
	fast_sink_await(&sink, 1);
	lab_signal(child.sock);
	lab_wait(child.sock);
	for (unsigned i = 0; i < 1000; i++)
		use_progress(end.pe);
	/* In each of these states, the consumer can be stopped; the connection continues. */
	result = doca_ctx_stop(sink.ctx);
	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	use_ctx_await(end.pe, sink.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(sink.n_flushed + sink.n_refused, 16);
	ck_assert_uint_eq(end.n_disconnects, 0);
	fast_sink_close(&sink);
	lab_signal(child.sock);
	lab_join(&child);
	fast_end_close(&end);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name, void (*case_setup)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, case_setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static void add_cases(Suite *suite)
{
	TCase *tcase = add_case(suite, "data path", setup);

	tcase_add_loop_test(tcase, test_sizes, 0, N_MEMORIES);
	tcase_add_loop_test(tcase, test_threads, 0, N_MEMORIES);
	tcase_add_loop_test(tcase, test_crossing, 0, N_MEMORIES);
	tcase_add_test(tcase, test_early);
	tcase_add_loop_test(tcase, test_short_lived_consumers, 0, 4);
	tcase_add_test(tcase, test_brief_before_the_client);
	tcase_add_test(tcase, test_refused_connection);
	tcase_add_loop_test(tcase, test_sender_killed, 0, 2 * N_MEMORIES);
	tcase_add_loop_test(tcase, test_receiver_killed, 0, N_MEMORIES);
	tcase_add_loop_test(tcase, test_stop_orders, 0, N_STOP_ORDERS);
	if (is_remote)
		return;
	tcase_add_loop_test(tcase, test_garbage, 0, 6);

	tcase = add_case(suite, "bounce", setup_refused);
	tcase_add_loop_test(tcase, test_sizes, FAST_PRIVATE, FAST_PRIVATE + 1);
	tcase_add_loop_test(tcase, test_threads, FAST_PRIVATE, FAST_PRIVATE + 1);
	tcase_add_loop_test(tcase, test_crossing, FAST_PRIVATE, FAST_PRIVATE + 1);
	tcase_add_loop_test(tcase, test_sender_killed, FAST_PRIVATE, FAST_PRIVATE + 1);
	tcase_add_loop_test(tcase, test_receiver_killed, FAST_PRIVATE, FAST_PRIVATE + 1);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("comch-fast"), add_cases, NULL);
}
