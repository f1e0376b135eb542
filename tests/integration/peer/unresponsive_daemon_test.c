/*
 * The first access to another machine needs a daemon of this side that receives requests and does
 * not answer. Tasks of sync events and messages of producers that need it wait; other work on their
 * progress engine continues. They complete when the daemon answers, or when its next instance has
 * resumed the clients. survive_test tests the same for copies and for established connections.
 */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/sync/end.h"
#include "tests/lib/fast.h"
#include "tests/lib/runner.h"
#include "tests/lib/tls_lab.h"
#include "util/clock.h"

#define SERVICE  "remote"
#define LEN      3000u
#define N_ADDS   8u
#define N_MSGS   20u
#define N_BUFS   8u
#define AWAIT_MS 20000u

static struct tls_lab tls;
static struct lab lab;

static void setup(void)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_start(&tls, &lab, true, true);
	leaks_allow_fds(1);
}

static void setup_store(void)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_start_persistent(&tls, &lab, 64);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

static uint64_t deadline_ns(void)
{
	return clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
}

/* Stops this side's daemon from answering. */
static void freeze_daemon(void)
{
	lab_freeze(lab.daemons[LAB_DPU].pid);
}

static void resume_daemon(bool by_the_next)
{
	if (by_the_next) {
		lab_kill_daemon(&lab, LAB_DPU);
		lab_start_daemon(&lab, LAB_DPU);
	} else {
		lab_thaw(lab.daemons[LAB_DPU].pid);
	}
}

/* --- other work of the engine: copies within this process --- */

static struct use_dma local_copy;
static struct doca_mmap *local_copy_mmap;
static uint8_t *local_copy_bytes;

static void local_copy_open(struct doca_dev *dev, struct doca_pe *pe)
{
	use_dma_open_on(&local_copy, dev, pe, 4);
	local_copy_bytes = calloc(2, LEN);
	ck_assert_ptr_nonnull(local_copy_bytes);
	local_copy_mmap = use_mmap(dev, local_copy_bytes, (size_t)2 * LEN,
				   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void local_copy_check(void)
{
	use_fill(local_copy_bytes, LEN, 3);
	memset(local_copy_bytes + LEN, 0, LEN);
	OK(use_copy(&local_copy, local_copy_mmap, local_copy_bytes, local_copy_mmap,
		    local_copy_bytes + LEN, LEN));
	ck_assert(use_is_filled(local_copy_bytes + LEN, LEN, 3));
}

static void local_copy_close(void)
{
	use_dma_close(&local_copy);
	use_mmap_end(local_copy_mmap);
	free(local_copy_bytes);
}

/* --- sync events --- */

/* The host's counter, in this process's mapping. */
static _Atomic uint64_t *counter;
static struct lab_child host;
static struct sync_end event;
static uint64_t fetched[N_ADDS];

static void host_main(int sock, void *arg)
{
	struct sync_spec spec = {.side = LAB_HOST, .addr = (uint64_t *)counter};
	struct sync_desc desc;
	struct sync_end end;

	(void)arg;
	sync_end_export(&end, &spec, &desc);
	lab_send(sock, &desc, sizeof(desc));
	lab_wait(sock);
	sync_end_close(&end);
}

static void before_start(struct sync_end *end)
{
	local_copy_open(end->dev, end->pe);
}

static void unresponsive_at_start(struct sync_end *end)
{
	before_start(end);
	freeze_daemon();
}

static void event_open(bool is_unresponsive)
{
	struct sync_spec spec = {.side = LAB_DPU,
				 .with_tasks = true,
				 .before_start = is_unresponsive ? unresponsive_at_start
								 : before_start};
	struct sync_desc desc;
	void *memory;

	OK(dococ_mem_alloc(4096, &memory, NULL));
	counter = memory;
	host = lab_fork(&lab, LAB_HOST, host_main, NULL);
	lab_recv(host.sock, &desc, sizeof(desc));
	lab_use(&lab, LAB_DPU);
	sync_end_import(&event, &spec, &desc);
}

static void event_close(void)
{
	local_copy_close();
	sync_end_close(&event);
	lab_signal(host.sock);
	lab_join(&host);
	OK(dococ_mem_free((void *)counter));
}

static void submit_adds(void)
{
	struct doca_sync_event_task_notify_add *add;

	for (size_t i = 0; i < N_ADDS; i++) {
		OK(doca_sync_event_task_notify_add_alloc_init(event.event, 1, &fetched[i],
							      (union doca_data){.u64 = 0}, &add));
		OK(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
	}
}

/* Connecting takes several requests to the daemon: it does not answer one of them, or all. */
static const int n_turns[] = {0, 1, 100};

/* _i: progress calls before it stops answering; the next instance answers; sleeping. */
START_TEST(first_tasks)
{
	int turns = n_turns[_i / 2];
	bool is_asleep = (_i + 1) & 2;

	event_open(turns == 0);
	submit_adds();
	sync_end_submit(&event, true, N_ADDS, SYNC_ALL);
	for (int i = 0; i < turns; i++)
		doca_pe_progress(event.pe);
	if (turns > 0)
		freeze_daemon();
	local_copy_check();
	ck_assert_uint_eq(event.n_failed, 0);
	if (turns == 0)
		ck_assert_uint_eq(event.n_ok, 0);
	resume_daemon(_i & 1);
	sync_end_await(&event, N_ADDS + 1, is_asleep);
	ck_assert_msg(event.n_failed == 0, "%s", dococ_last_error());
	for (size_t i = 0; i < N_ADDS; i++)
		ck_assert_uint_eq(fetched[i], i);
	ck_assert_uint_eq(atomic_load(counter), N_ADDS);
	event_close();
}
END_TEST

/* A stop does not wait for it either. _i: progress calls. */
START_TEST(stopped_tasks)
{
	event_open(true);
	submit_adds();
	sync_end_submit(&event, true, N_ADDS, SYNC_ALL);
	for (int i = 0; i < _i; i++)
		doca_pe_progress(event.pe);
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(event.ctx));
	use_ctx_await(event.pe, event.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(event.n_failed, N_ADDS + 1);
	ck_assert_int_eq(event.status, DOCA_ERROR_SHUTDOWN);
	local_copy_check();
	resume_daemon(false);
	ck_assert_uint_eq(atomic_load(counter), 0);
	event_close();
}
END_TEST

/* --- producers --- */

static struct fast_end end;
static struct fast_source source;
static uint32_t to; /* which of the peer's consumers */

/* Checks order and uniqueness. */
static void check_message(struct fast_sink *sink, const uint8_t *data, size_t len,
			  const struct doca_comch_consumer_task_post_recv *task)
{
	uint32_t i;

	ck_assert_uint_eq(doca_comch_consumer_task_post_recv_get_imm_data_len(task), sizeof(i));
	memcpy(&i, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(i));
	ck_assert_uint_eq(i + 1, sink->n_recv);
	ck_assert(use_is_filled(data, len, 1));
}

/* Consumers that each receive a given number of messages, one after the other. */
static void consumers_main(int sock, void *arg)
{
	const unsigned *n_sinks = arg;
	struct fast_sink sinks[2];
	struct fast_end own;
	uint32_t n;

	fast_client_open(&own, SERVICE);
	for (size_t i = 0; i < *n_sinks; i++) {
		fast_sink_open(&sinks[i], &own, own.pe, FAST_PRIVATE, N_BUFS, LEN);
		sinks[i].look = check_message;
	}
	for (size_t i = 0; i < *n_sinks; i++) {
		lab_recv(sock, &n, sizeof(n));
		fast_sink_await(&sinks[i], n);
		lab_signal(sock);
		lab_wait(sock);
		fast_sink_stop(&sinks[i]);
		fast_sink_close(&sinks[i]);
	}
	fast_end_close(&own);
}

static void producer_open(unsigned n_consumers)
{
	lab_use(&lab, LAB_DPU);
	fast_server_open(&end, SERVICE);
	host = lab_fork(&lab, LAB_HOST, consumers_main, &n_consumers);
	fast_await(&end, &end.n_connects, 1);
	fast_source_open(&source, &end, end.pe, 4, LEN);
	fast_await(&end, &end.n_new, n_consumers);
	local_copy_open(end.dev, end.pe);
}

static doca_error_t try_send(uint32_t i)
{
	static const size_t lens[] = {8, 200, LEN};

	return fast_send(&source, end.peers[to], 0, lens[i % ARRAY_LEN(lens)], &i, sizeof(i));
}

/* Submits until it is accepted. */
static void send_next(uint32_t i, bool is_asleep)
{
	uint64_t deadline = deadline_ns();
	doca_error_t result;

	while ((result = try_send(i)) != DOCA_SUCCESS) {
		ck_assert_msg(result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_NO_MEMORY, "%s",
			      dococ_last_error());
		ck_assert_msg(clock_now_ns() < deadline, "%s", dococ_last_error());
		if (!doca_pe_progress(end.pe) && is_asleep)
			fast_sleep(end.pe, (int)runner_timeout_ms(AWAIT_MS));
	}
}

/* Every task is idle afterwards. */
static void send_all(bool is_asleep)
{
	uint64_t deadline = deadline_ns();
	uint32_t n = N_MSGS;

	lab_send(host.sock, &n, sizeof(n));
	for (uint32_t i = 0; i < n; i++)
		send_next(i, is_asleep);
	lab_wait(host.sock);
	while (source.n_idle < source.n_tasks) {
		ck_assert(clock_now_ns() < deadline);
		doca_pe_progress(end.pe);
	}
}

static void producer_close(void)
{
	local_copy_close();
	fast_source_close(&source);
	lab_signal(host.sock);
	fast_await(&end, &end.n_disconnects, 1);
	lab_join(&host);
	fast_end_close(&end);
}

/* _i: progress calls before it stops answering; sleeping. */
START_TEST(first_messages)
{
	int turns = n_turns[_i / 2];

	producer_open(1);
	if (turns == 0)
		freeze_daemon();
	EXPECT(DOCA_ERROR_AGAIN, try_send(0));
	for (int i = 0; i < turns; i++)
		doca_pe_progress(end.pe);
	if (turns > 0)
		freeze_daemon();
	else
		EXPECT(DOCA_ERROR_AGAIN, try_send(0));
	local_copy_check();
	ck_assert_uint_eq(source.n_sent + source.n_failed, 0);
	resume_daemon(false);
	send_all(_i & 1);
	ck_assert_uint_eq(source.n_failed, 0);
	producer_close();
}
END_TEST

/*
 * The connection between the machines ends with the daemon that carries it, and that is the
 * reported error. _i: it ends before its next instance exists, or with it.
 */
START_TEST(messages_to_the_next)
{
	uint64_t deadline = deadline_ns();
	doca_error_t result;

	producer_open(1);
	freeze_daemon();
	EXPECT(DOCA_ERROR_AGAIN, try_send(0));
	lab_kill_daemon(&lab, LAB_DPU);
	if (_i == 1)
		lab_start_daemon(&lab, LAB_DPU);
	while ((result = try_send(0)) == DOCA_ERROR_AGAIN) {
		ck_assert_msg(clock_now_ns() < deadline, "%s", dococ_last_error());
		doca_pe_progress(end.pe);
	}
	ck_assert_msg(result == DOCA_ERROR_CONNECTION_RESET || result == DOCA_ERROR_NOT_CONNECTED,
		      "%s: %s", doca_error_get_name(result), dococ_last_error());
	local_copy_check();
	if (_i == 0)
		lab_start_daemon(&lab, LAB_DPU);
	ck_assert_uint_eq(source.n_sent + source.n_failed, 0);
	local_copy_close();
	fast_source_close(&source);
	fast_await(&end, &end.n_disconnects, 1);
	lab_kill(&host);
	fast_end_close(&end);
}
END_TEST

/* A stop does not wait either. */
START_TEST(stopped_producer)
{
	producer_open(1);
	freeze_daemon();
	EXPECT(DOCA_ERROR_AGAIN, try_send(0));
	for (int i = 0; i < _i; i++)
		doca_pe_progress(end.pe);
	fast_source_close(&source);
	local_copy_check();
	resume_daemon(false);
	fast_source_open(&source, &end, end.pe, 4, LEN);
	send_all(false);
	producer_close();
}
END_TEST

/* Dropped objects are released without waiting, and the others are not affected. */
START_TEST(consumer_gone)
{
	doca_error_t result;

	producer_open(2);
	send_all(false);
	lab_signal(host.sock);
	fast_await(&end, &end.n_expired, 1);
	freeze_daemon();
	result = try_send(0);
	ck_assert_msg(result == DOCA_ERROR_NOT_FOUND, "%s", doca_error_get_name(result));
	for (int i = 0; i < 10; i++)
		doca_pe_progress(end.pe);
	local_copy_check();
	resume_daemon(false);
	to = 1;
	send_all(false);
	producer_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "events");

	tcase_add_checked_fixture(tcase, setup_store, teardown);
	tcase_add_loop_test(tcase, first_tasks, 0, 6);
	tcase_add_loop_test(tcase, stopped_tasks, 0, 2);

	tcase = runner_case(suite, "producers");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, first_messages, 0, 6);
	tcase_add_loop_test(tcase, messages_to_the_next, 0, 2);
	tcase_add_loop_test(tcase, stopped_producer, 0, 2);
	tcase_add_test(tcase, consumer_gone);
}

int main(void)
{
	lab_require();
	return runner_main("remote unresponsive daemon", add_cases, NULL);
}
