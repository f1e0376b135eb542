/*
 * Producers and consumers on two machines: two sides whose daemons are linked over TLS and relay,
 * because there is no RDMA device. Receives that run out, ends that sleep, consumers that start and
 * stop, and faults: the link breaks, a daemon is stopped or ends, a consumer's memory has
 * impossible contents. Every operation ends, with a documented error. fast_remote_test has the
 * tests that are the same as on one machine.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/shm_layout.h"
#include "tests/lib/fast.h"
#include "tests/lib/runner.h"
#include "tests/lib/tls_lab.h"
#include "util/clock.h"

#define SERVICE  "remote"
#define LEN      5000u
#define AWAIT_MS 20000u

static struct tls_lab tls;
static struct lab lab;

static void start(const char *keys)
{
	leaks_setup();
	tls_lab_make(&tls, keys);
	tls_lab_start(&tls, &lab, true, true);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
}

/* The timeout is long enough for a busy machine; only a test that waits for silence shortens it. */
static void setup(void)
{
	start("timeout_ms = 60000\n");
}

static void setup_short_timeout(void)
{
	start(TLS_LAB_SILENCE);
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

/* --- a receiving client --- */

struct receiver {
	uint32_t n_bufs;
	uint64_t n_first; /* number of messages before it signals */
	bool sleeps;
};

static void look(struct fast_sink *sink, const uint8_t *data, size_t len,
		 const struct doca_comch_consumer_task_post_recv *task)
{
	uint32_t i;

	ck_assert_uint_eq(doca_comch_consumer_task_post_recv_get_imm_data_len(task), sizeof(i));
	memcpy(&i, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(i));
	ck_assert_uint_eq(i, sink->n_recv - 1);
	ck_assert_ptr_nonnull(sink->arg);
	ck_assert(memcmp(data, (const uint8_t *)sink->arg + i % 100, len) == 0);
}

static void receive(const struct receiver *how, struct fast_end *end, struct fast_sink *sink,
		    uint8_t *pattern)
{
	use_fill(pattern, LEN, 1);
	fast_client_open(end, SERVICE);
	fast_sink_open(sink, end, end->pe, FAST_PRIVATE, how->n_bufs, LEN);
	sink->look = look;
	sink->arg = pattern;
}

/* Receives nothing before a signal, and then everything, sleeping if requested. */
static void receive_when_notified(int sock, void *arg)
{
	const struct receiver *how = arg;
	uint8_t pattern[LEN];
	struct fast_sink sink;
	struct fast_end end;

	receive(how, &end, &sink, pattern);
	lab_signal(sock);
	lab_wait(sock);
	while (sink.n_recv < how->n_first) {
		if (doca_pe_progress(end.pe) == 0 && how->sleeps)
			fast_sleep(end.pe, (int)runner_timeout_ms(10000));
	}
	lab_signal(sock);
	lab_wait(sock);
	fast_sink_stop(&sink);
	ck_assert_uint_eq(sink.n_flushed + sink.n_refused, how->n_bufs);
	fast_sink_close(&sink);
	fast_end_close(&end);
}

static void sender_open(struct fast_end *end, struct fast_source *source, struct lab_child *child,
			void (*run)(int sock, void *arg), void *arg)
{
	fast_server_open(end, SERVICE);
	*child = lab_fork(&lab, LAB_HOST, run, arg);
	fast_await(end, &end->n_new, 1);
	fast_source_open(source, end, NULL, 4, LEN + 100);
}

static void sender_close(struct fast_end *end, struct fast_source *source)
{
	fast_source_close(source);
	fast_end_close(end);
}

static doca_error_t send_number(struct fast_source *source, uint32_t to, uint32_t i, size_t len)
{
	return fast_send(source, to, i % 100, len, &i, sizeof(i));
}

/* Each message wakes the receiver, and each completion the sender. */
START_TEST(both_sleep)
{
	struct receiver how = {.n_bufs = 4, .n_first = 90, .sleeps = true};
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;

	sender_open(&end, &source, &child, receive_when_notified, &how);
	lab_wait(child.sock);
	lab_signal(child.sock);
	for (uint32_t i = 0; i < how.n_first; i++) {
		size_t len = i % 3 == 0 ? 30 : i % 3 == 1 ? 150 : LEN - 100;
		doca_error_t result;

		while ((result = send_number(&source, end.peers[0], i, len)) == DOCA_ERROR_AGAIN)
			use_progress(source.pe);
		OK(result);
		while (source.n_sent == i) {
			if (doca_pe_progress(source.pe) == 0 && source.n_sent == i)
				fast_sleep(source.pe, (int)runner_timeout_ms(10000));
		}
		ck_assert_uint_eq(source.n_failed, 0);
	}
	lab_wait(child.sock);
	lab_signal(child.sock);
	fast_await(&end, &end.n_expired, 1);
	lab_join(&child);
	sender_close(&end, &source);
}
END_TEST

/* A consumer without posted receives gets nothing and loses nothing. */
START_TEST(receives_run_out)
{
	struct receiver how = {.n_bufs = 2, .n_first = 6};
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;

	sender_open(&end, &source, &child, receive_when_notified, &how);
	lab_wait(child.sock);
	for (uint32_t i = 0; i < how.n_bufs; i++) {
		ck_assert_uint_eq(source.n_sent, i);
		while (source.n_sent == i) {
			doca_error_t result = source.n_idle < source.n_tasks
						      ? DOCA_ERROR_AGAIN
						      : send_number(&source, end.peers[0], i, 60);

			ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
			use_progress(source.pe);
		}
	}
	/* Long enough for many reads of what the consumer has posted. */
	for (int i = 0; i < 4000; i++) {
		EXPECT(DOCA_ERROR_AGAIN, send_number(&source, end.peers[0], 2, 60));
		use_progress(source.pe);
	}
	EXPECT(DOCA_ERROR_AGAIN, send_number(&source, end.peers[0], 2, LEN));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "posted no receive"));
	lab_signal(child.sock);
	for (uint32_t i = how.n_bufs; i < how.n_first; i++)
		OK(fast_send_retry(&source, end.peers[0], i % 100, 60, &i, sizeof(i)));
	while (source.n_sent < how.n_first)
		use_progress(source.pe);
	lab_wait(child.sock);
	/* One byte more than the buffers have room for. */
	EXPECT(DOCA_ERROR_TOO_BIG, fast_send_retry(&source, end.peers[0], 0, LEN + 1, NULL, 0));
	lab_signal(child.sock);
	fast_await(&end, &end.n_expired, 1);
	EXPECT(DOCA_ERROR_NOT_FOUND, send_number(&source, end.peers[0], 0, 60));
	lab_join(&child);
	sender_close(&end, &source);
}
END_TEST

/* --- a consumer that starts and stops --- */

#define N_LIVES 5u

static void receive_across_restarts(int sock, void *arg)
{
	const struct receiver *how = arg;
	uint8_t pattern[LEN];
	struct fast_sink sink, other;
	struct fast_end end;

	receive(how, &end, &sink, pattern);
	/* The first consumer's messages continue while another one stops and starts. */
	fast_sink_open(&other, &end, end.pe, FAST_PRIVATE, 4, 200);
	for (uint32_t i = 0; i < N_LIVES; i++) {
		fast_sink_await(&other, 3 * (uint64_t)(i + 1));
		fast_sink_stop(&other);
		/* No message was in flight. */
		ck_assert_int_eq(other.flush_code, DOCA_ERROR_SHUTDOWN);
		ck_assert_uint_eq(other.n_flushed, 4);
		fast_sink_close(&other);
		lab_wait(sock);
		if (i + 1 < N_LIVES) {
			fast_sink_open(&other, &end, end.pe, FAST_PRIVATE, 4, 200);
			other.n_recv = 3 * (uint64_t)(i + 1);
		}
	}
	fast_sink_await(&sink, how->n_first);
	lab_signal(sock);
	lab_wait(sock);
	fast_sink_stop(&sink);
	fast_sink_close(&sink);
	fast_end_close(&end);
}

START_TEST(consumer_restarts_beside_another)
{
	struct receiver how = {.n_bufs = 32, .n_first = 20 * N_LIVES};
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;
	uint32_t n = 0;

	sender_open(&end, &source, &child, receive_across_restarts, &how);
	for (uint32_t life = 1; life <= N_LIVES; life++) {
		fast_await(&end, &end.n_new, 1 + life);
		for (uint32_t i = 0; i < 20; i++, n++) {
			OK(fast_send_retry(&source, end.peers[0], n % 100, 1000, &n, sizeof(n)));
			if (i % 7 == 0)
				OK(fast_send_retry(&source, end.peers[life], 0, 100, NULL, 0));
		}
		fast_await(&end, &end.n_expired, life);
		ck_assert_uint_eq(end.last_expired, end.peers[life]);
		while (source.n_idle == 0)
			use_progress(source.pe);
		EXPECT(DOCA_ERROR_NOT_FOUND, fast_send(&source, end.peers[life], 0, 100, NULL, 0));
		lab_signal(child.sock);
	}
	while (source.n_sent < how.n_first + 3 * N_LIVES)
		use_progress(source.pe);
	ck_assert_uint_eq(source.n_failed, 0);
	lab_wait(child.sock);
	lab_signal(child.sock);
	lab_join(&child);
	sender_close(&end, &source);
}
END_TEST

#define N_LAST 40u

/*
 * Each consumer stops as soon as it has its message, and the last one ends everything that serves
 * them.
 */
static void receive_and_stop(int sock, void *arg)
{
	struct fast_sink sink;
	struct fast_end end;

	(void)arg;
	fast_client_open(&end, SERVICE);
	for (unsigned i = 0; i < N_LAST; i++) {
		fast_sink_open(&sink, &end, end.pe, FAST_PRIVATE, 2, LEN);
		fast_sink_await(&sink, 1);
		fast_sink_stop(&sink);
		fast_sink_close(&sink);
		lab_wait(sock);
	}
	fast_end_close(&end);
}

/* A message that has arrived was sent, whatever the receiver does next. */
START_TEST(stops_behind_a_message)
{
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;

	sender_open(&end, &source, &child, receive_and_stop, NULL);
	for (unsigned i = 0; i < N_LAST; i++) {
		fast_await(&end, &end.n_new, i + 1);
		OK(fast_send_retry(&source, end.peers[i % FAST_MAX_PEERS], 0, LEN, NULL, 0));
		while (source.n_idle < source.n_tasks)
			use_progress(source.pe);
		ck_assert_msg(source.n_failed == 0, "message %u: %s", i, dococ_last_error());
		fast_await(&end, &end.n_expired, i + 1);
		lab_signal(child.sock);
	}
	lab_join(&child);
	sender_close(&end, &source);
}
END_TEST

/* --- ends --- */

/* The receiver's consumer and connection end by themselves. */
static void receive_until_lost(int sock, void *arg)
{
	const struct receiver *how = arg;
	uint8_t pattern[LEN];
	struct fast_sink sink;
	struct fast_end end;

	receive(how, &end, &sink, pattern);
	fast_sink_await(&sink, how->n_first);
	lab_signal(sock);
	use_ctx_await(end.pe, sink.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert(sink.flush_code == DOCA_ERROR_CONNECTION_RESET ||
		  sink.flush_code == DOCA_ERROR_NOT_CONNECTED);
	ck_assert_uint_eq(sink.n_flushed + sink.n_refused, how->n_bufs);
	fast_sink_close(&sink);
	fast_end_close(&end);
}

/*
 * Keeps messages in flight until one fails, sleeping in between if requested; the next one must
 * fail, too.
 */
static void send_until_lost(struct fast_end *end, struct fast_source *source, bool sleeps,
			    uint32_t i)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;
	doca_error_t result = DOCA_SUCCESS;

	while (source->n_failed == 0 && (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
					 result == DOCA_ERROR_NO_MEMORY)) {
		EXPECT_TRUE(clock_now_ns() < deadline, "nothing ends: %s", dococ_last_error());
		result = send_number(source, end->peers[0], i, 100);
		i += result == DOCA_SUCCESS;
		/* If a task is in flight, its completion wakes the program. */
		if (doca_pe_progress(source->pe) == 0 && sleeps && result == DOCA_ERROR_NO_MEMORY)
			fast_sleep(source->pe, (int)runner_timeout_ms(10000));
		use_progress(end->pe);
	}
	result = send_number(source, end->peers[0], i, 100);
	ck_assert_msg(result == DOCA_ERROR_CONNECTION_RESET || result == DOCA_ERROR_NOT_CONNECTED,
		      "%s: %s", doca_error_get_name(result), dococ_last_error());
}

static void break_link(void)
{
	tls_lab_configure_host(&tls, "host", "nobody", "timeout_ms = 60000\n");
	lab_reload(&lab, LAB_HOST, tls.config[LAB_HOST]);
}

static void restore_link(void)
{
	tls_lab_configure_host(&tls, "host", "dpu", "timeout_ms = 60000\n");
	lab_reload(&lab, LAB_HOST, tls.config[LAB_HOST]);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, AWAIT_MS);
}

enum loss { LINK_BROKEN, THEIR_DAEMON_KILLED, OUR_DAEMON_KILLED, N_LOSSES };

START_TEST(lost)
{
	struct receiver how = {.n_bufs = 8, .n_first = 10};
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;

	sender_open(&end, &source, &child, receive_until_lost, &how);
	for (uint32_t i = 0; i < how.n_first; i++)
		OK(fast_send_retry(&source, end.peers[0], i % 100, 100, &i, sizeof(i)));
	while (source.n_sent < how.n_first)
		use_progress(source.pe);
	lab_wait(child.sock);
	if (_i == LINK_BROKEN)
		break_link();
	else
		lab_kill_daemon(&lab, _i == THEIR_DAEMON_KILLED ? LAB_HOST : LAB_DPU);
	send_until_lost(&end, &source, true, (uint32_t)how.n_first);
	lab_join(&child);
	fast_source_close(&source);
	if (_i == LINK_BROKEN)
		restore_link();
	else
		lab_start_daemon(&lab, _i == THEIR_DAEMON_KILLED ? LAB_HOST : LAB_DPU);
	fast_end_close(&end);
}
END_TEST

/*
 * No bytes are received, as if the other machine was switched off: detecting it takes the
 * configured time, and then sends in flight end.
 */
START_TEST(link_without_packets_times_out)
{
	struct receiver how = {.n_bufs = 8, .n_first = 10};
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;

	sender_open(&end, &source, &child, receive_until_lost, &how);
	for (uint32_t i = 0; i < how.n_first; i++)
		OK(fast_send_retry(&source, end.peers[0], i % 100, 100, &i, sizeof(i)));
	lab_wait(child.sock);
	lab_freeze(lab.daemons[LAB_HOST].pid);
	tls_lab_set_timeout(&tls, &lab, LAB_DPU, 200);
	send_until_lost(&end, &source, true, (uint32_t)how.n_first);
	tls_lab_set_timeout(&tls, &lab, LAB_DPU, 60000);
	lab_thaw(lab.daemons[LAB_HOST].pid);
	lab_join(&child);
	sender_close(&end, &source);
}
END_TEST

/*
 * Two messages are in flight when it returns the number of the first. The peer's posted receives
 * are known only after a read of its memory, which needs the peer; therefore it retries.
 */
static uint32_t send_to_stopped(struct fast_source *source, uint32_t to, pid_t pid, uint32_t i)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;
	uint32_t n;

	for (;;) {
		lab_freeze(pid);
		for (n = 0; n < 2 && send_number(source, to, i + n, 100) == DOCA_SUCCESS;)
			n++;
		if (n == 2)
			return i;
		EXPECT_TRUE(clock_now_ns() < deadline, "%s", dococ_last_error());
		lab_thaw(pid);
		i += n;
		OK(fast_send_retry(source, to, i % 100, 100, &i, sizeof(i)));
		i++;
		while (source->n_sent < i)
			use_progress(source->pe);
	}
}

/*
 * The peer's process is stopped with messages in flight: stopping the producer does not wait for
 * ever. Another producer's messages, which would wait behind them, end with an error.
 */
START_TEST(stopped_meanwhile)
{
	struct receiver how = {.n_bufs = 8, .n_first = 10};
	struct fast_source source, other;
	struct lab_child child;
	struct fast_end end;
	uint32_t n;

	sender_open(&end, &source, &child, receive_until_lost, &how);
	for (uint32_t i = 0; i < how.n_first; i++)
		OK(fast_send_retry(&source, end.peers[0], i % 100, 100, &i, sizeof(i)));
	while (source.n_sent < how.n_first)
		use_progress(source.pe);
	lab_wait(child.sock);
	n = send_to_stopped(&source, end.peers[0], child.pid, (uint32_t)how.n_first);
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(source.ctx));
	while (source.n_failed < 2)
		use_progress(source.pe);
	ck_assert_uint_eq(source.n_sent, n);
	fast_source_open(&other, &end, NULL, 4, LEN + 100);
	EXPECT(DOCA_ERROR_CONNECTION_RESET, send_number(&other, end.peers[0], n + 2, 100));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "in the middle of a message"));
	fast_source_close(&other);
	lab_kill(&child);
	sender_close(&end, &source);
}
END_TEST

/* --- forged data --- */

/*
 * Overwrites header and descriptors of its own consumer, which the producers of the other machine
 * read.
 */
static void overwrite_slots(unsigned seed)
{
	static const uint64_t lies[] = {0, 1, UINT32_MAX, 1ull << 63, UINT64_MAX};
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned n = 0;

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps) != NULL) {
		struct slots_header *header;
		struct slots_desc *descs;
		unsigned long from, to;

		if (strstr(line, "doca-consumer") == NULL ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		header = (struct slots_header *)from;
		descs = (struct slots_desc *)(from + SLOTS_ALIGN);
		for (uint32_t i = 0; i < header->n_slots; i++)
			atomic_store(&descs[i].room, lies[(seed + i) % ARRAY_LEN(lies)]);
		atomic_store(&header->consumed, lies[seed / 2 % ARRAY_LEN(lies)]);
		if (seed % 2 == 0)
			atomic_store(&header->posted, lies[seed % ARRAY_LEN(lies)]);
		else
			atomic_fetch_add(&header->posted, header->n_slots);
		n++;
	}
	fclose(maps);
	ck_assert_uint_eq(n, 1);
}

static void receive_and_overwrite(int sock, void *arg)
{
	const struct receiver how = {.n_bufs = 8};
	uint8_t pattern[LEN];
	struct fast_sink sink;
	struct fast_end end;

	receive(&how, &end, &sink, pattern);
	sink.look = NULL;
	fast_sink_await(&sink, 1);
	overwrite_slots(*(unsigned *)arg);
	lab_signal(sock);
	lab_wait(sock);
	_exit(0);
}

START_TEST(invalid_consumer_memory)
{
	unsigned seed = (unsigned)_i;
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;

	sender_open(&end, &source, &child, receive_and_overwrite, &seed);
	OK(fast_send_retry(&source, end.peers[0], 0, 100, NULL, 0));
	while (source.n_sent == 0)
		use_progress(source.pe);
	lab_wait(child.sock);
	/* The effects on the peer do not matter; this process must continue. */
	for (uint32_t i = 0; i < 600; i++) {
		(void)send_number(&source, end.peers[0], i, i % 2 == 0 ? 64 : LEN);
		use_progress(source.pe);
	}
	ck_assert_uint_eq(end.n_disconnects, 0);
	lab_signal(child.sock);
	lab_join(&child);
	fast_await(&end, &end.n_disconnects, 1);
	sender_close(&end, &source);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "messages");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, both_sleep);
	tcase_add_test(tcase, receives_run_out);
	tcase_add_test(tcase, consumer_restarts_beside_another);
	tcase_add_test(tcase, stops_behind_a_message);

	tcase = runner_case(suite, "ends");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, lost, 0, N_LOSSES);
	tcase_add_test(tcase, stopped_meanwhile);
	tcase_add_loop_test(tcase, invalid_consumer_memory, 0, 6);

	tcase = runner_case(suite, "silence");
	tcase_add_checked_fixture(tcase, setup_short_timeout, teardown);
	tcase_add_test(tcase, link_without_packets_times_out);
}

int main(void)
{
	lab_require();
	return runner_main("remote_fast", add_cases, NULL);
}
