/*
 * Relayed operations between two machines while a daemon of either side is stopped or killed and
 * resumed by its next instance, or the link is cut: copies, and operations on a sync event,
 * continue undisturbed. Nothing fails, nothing is executed twice, no byte is wrong; with polling
 * and with sleeping programs.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/integration/sync/end.h"
#include "tests/lib/exporter.h"
#include "tests/lib/network.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define PIECE    (40u << 10) /* more than one request */
#define N_COPIES 16u
#define LEN      (PIECE * N_COPIES)
#define N_ADDS   24u /* at once */
#define AWAIT_MS 20000u
#define N_ROUNDS 2u

static struct tls_lab tls;
static struct network network;
static struct lab lab;
static struct exporter exporter;
static struct doca_dev *dev;
static struct use_dma use;
static struct doca_mmap *local, *remote;
static uint8_t *mine;
/* The host's counter, in this process's mapping. */
static _Atomic uint64_t *counter;

static void start(bool has_network)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	if (has_network)
		network_start(&network, &tls);
	tls_lab_start_persistent(&tls, &lab, 64);
	leaks_allow_fds(1);
}

static void setup(void)
{
	start(false);
}

static void setup_network(void)
{
	start(true);
}

static void teardown(void)
{
	lab_stop(&lab);
	if (network.pid != 0)
		network_end(&network);
	tls_lab_remove(&tls);
	leaks_teardown();
}

static void restart(enum lab_side side, bool by_force)
{
	(by_force ? lab_kill_daemon : lab_stop_daemon)(&lab, side);
	lab_start_daemon(&lab, side);
}

enum loss { LOSS_OF_HOST, LOSS_OF_DPU, LOSS_OF_LINK };

static void lose_connection(enum loss loss, bool by_force)
{
	if (loss == LOSS_OF_LINK) {
		network_disconnect(&network);
		network_resume(&network);
	} else {
		restart(loss == LOSS_OF_HOST ? LAB_HOST : LAB_DPU, by_force);
	}
}

/* --- copies --- */

/* The host is the importer: its daemon is the one that connects, and a new one does so at once. */
static void copies_open(void)
{
	const struct exporter_options options = {
		.memory = MEMORY_MALLOC,
		.len = LEN,
		.rdma = true,
		.permissions = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
		.side = LAB_DPU,
	};

	exporter_start(&exporter, &lab, &options);
	lab_use(&lab, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	use_dma_open(&use, dev, N_COPIES);
	mine = calloc(2, LEN);
	ck_assert_ptr_nonnull(mine);
	local = use_mmap(dev, mine, (size_t)2 * LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
}

static void copies_close(void)
{
	use_mmap_end(remote);
	use_mmap_end(local);
	use_dma_close(&use);
	OK(doca_dev_close(dev));
	free(mine);
	exporter_end(&exporter);
}

static void submit(struct doca_buf *bufs[2][N_COPIES], bool is_write)
{
	for (size_t i = 0; i < N_COPIES; i++) {
		uint8_t *remote_addr = exporter.exported.addr + i * PIECE;
		uint8_t *local_addr = mine + (is_write ? 0 : LEN) + i * PIECE;

		bufs[0][i] = is_write ? use_src(&use, local, local_addr, PIECE)
				      : use_src(&use, remote, remote_addr, PIECE);
		bufs[1][i] = is_write ? use_dst(&use, remote, remote_addr, PIECE)
				      : use_dst(&use, local, local_addr, PIECE);
		OK(doca_task_submit(use_task(&use, bufs[0][i], bufs[1][i])));
	}
}

static void await_all(bool is_asleep, unsigned n)
{
	struct sleeper sleeper;

	if (!is_asleep) {
		use_dma_await(&use, n);
		return;
	}
	sleeper_open(&sleeper, use.pe, SLEEPER_ALL, -1);
	while (use.n_ok + use.n_failed < n)
		sleeper_step(&sleeper);
	sleeper_close(&sleeper);
}

/* Writes or reads; a daemon or the link is lost after this many progress calls. */
static void copy_all(bool is_write, unsigned n_turns, enum loss loss, bool by_force, bool is_asleep)
{
	struct doca_buf *bufs[2][N_COPIES];
	unsigned n_failed = use.n_failed, n = use.n_ok + n_failed + N_COPIES;

	submit(bufs, is_write);
	while (n_turns-- > 0)
		doca_pe_progress(use.pe);
	lose_connection(loss, by_force);
	await_all(is_asleep, n);
	ck_assert_msg(use.n_failed == n_failed, "%s", dococ_last_error());
	for (size_t i = 0; i < N_COPIES; i++) {
		use_buf_end(bufs[0][i]);
		use_buf_end(bufs[1][i]);
	}
}

/* _i: by force; sleeping; what is lost. */
START_TEST(copies)
{
	static const unsigned n_turns[N_ROUNDS] = {1, 200};
	enum loss loss = (enum loss)(_i / 4);

	copies_open();
	for (unsigned round = 0; round < N_ROUNDS; round++) {
		use_fill(mine, LEN, 100 + round);
		memset(mine + LEN, 0, LEN);
		copy_all(true, n_turns[round], loss, _i & 1, _i & 2);
		copy_all(false, n_turns[round], loss, _i & 1, _i & 2);
		ck_assert(use_is_filled(mine + LEN, LEN, 100 + round));
	}
	ck_assert(exporter_is_filled(&exporter, 0, LEN, 100 + N_ROUNDS - 1));
	copies_close();
}
END_TEST

/*
 * The first copies of a context connect it, which takes several requests to the daemon. At whatever
 * point the daemon ends, only the copies wait for it. _i: progress calls; sleeping.
 */
START_TEST(first_copies)
{
	struct doca_buf *bufs[2][N_COPIES];
	static const int turns[] = {0, 20, 400};
	bool is_asleep = _i & 1;
	int n_turns = turns[_i / 2];

	copies_open();
	use_fill(mine, LEN, 5);
	if (n_turns == 0)
		lab_kill_daemon(&lab, LAB_HOST);
	submit(bufs, true);
	for (int i = 0; i < n_turns; i++)
		doca_pe_progress(use.pe);
	if (n_turns > 0)
		lab_kill_daemon(&lab, LAB_HOST);
	for (int i = 0; i < 100; i++)
		doca_pe_progress(use.pe);
	ck_assert_uint_eq(use.n_failed, 0);
	lab_start_daemon(&lab, LAB_HOST);
	await_all(is_asleep, N_COPIES);
	ck_assert_msg(use.n_failed == 0, "%s", dococ_last_error());
	for (size_t i = 0; i < N_COPIES; i++) {
		use_buf_end(bufs[0][i]);
		use_buf_end(bufs[1][i]);
	}
	ck_assert(exporter_is_filled(&exporter, 0, LEN, 5));
	copies_close();
}
END_TEST

/* A context that stops does not wait for the daemon either; its requests are undone. */
START_TEST(stopped_meanwhile)
{
	struct doca_buf *bufs[2][N_COPIES];

	copies_open();
	for (int round = 0; round < 2; round++) {
		lab_freeze(lab.daemons[LAB_HOST].pid);
		submit(bufs, true);
		for (int i = 0; i < _i; i++)
			doca_pe_progress(use.pe);
		EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(use.ctx));
		use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
		ck_assert_uint_eq(use.n_failed, N_COPIES * (unsigned)(round + 1));
		lab_thaw(lab.daemons[LAB_HOST].pid);
		OK(doca_ctx_start(use.ctx));
		for (size_t i = 0; i < N_COPIES; i++) {
			use_buf_end(bufs[0][i]);
			use_buf_end(bufs[1][i]);
		}
	}
	copy_all(true, 1, LOSS_OF_HOST, true, false);
	copies_close();
}
END_TEST

/* The exporter's daemon as well, before this side's is back. */
START_TEST(both_daemons)
{
	struct doca_buf *bufs[2][N_COPIES];

	copies_open();
	use_fill(mine, LEN, 7);
	for (int turn = 0; turn < 2; turn++) {
		submit(bufs, turn == 0);
		doca_pe_progress(use.pe);
		lab_kill_daemon(&lab, LAB_HOST);
		lab_kill_daemon(&lab, LAB_DPU);
		lab_start_daemon(&lab, LAB_DPU);
		lab_start_daemon(&lab, LAB_HOST);
		await_all(false, (turn + 1) * N_COPIES);
		ck_assert_msg(use.n_failed == 0, "%s", dococ_last_error());
		for (size_t i = 0; i < N_COPIES; i++) {
			use_buf_end(bufs[0][i]);
			use_buf_end(bufs[1][i]);
		}
	}
	ck_assert(use_is_filled(mine + LEN, LEN, 7));
	copies_close();
}
END_TEST

/* An operation that waits no longer fails; the same import is accessible when the link is back. */
START_TEST(wait_limit_fails_operations)
{
	struct doca_buf *bufs[2][N_COPIES];
	uint64_t until;

	setenv("DOCOCORED_RELAY_WAIT_MS", "50", 1);
	copies_open();
	submit(bufs, true);
	await_all(false, N_COPIES);
	ck_assert_uint_eq(use.n_ok, N_COPIES);
	use_fill(mine, LEN, 8);
	for (size_t i = 0; i < N_COPIES; i++) {
		use_buf_end(bufs[0][i]);
		use_buf_end(bufs[1][i]);
	}
	/* The daemon connects again, and no data arrives. */
	network_pause(&network);
	network_disconnect(&network);
	submit(bufs, true);
	await_all(false, 2 * N_COPIES);
	ck_assert_uint_eq(use.n_failed, N_COPIES);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "was not back in time"));
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(use.ctx));
	for (size_t i = 0; i < N_COPIES; i++) {
		use_buf_end(bufs[0][i]);
		use_buf_end(bufs[1][i]);
	}
	network_resume(&network);
	until = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
	do {
		ck_assert_uint_lt(clock_now_ns(), until);
	} while (use_copy(&use, local, mine, remote, exporter.exported.addr, LEN) != DOCA_SUCCESS);
	ck_assert(exporter_is_filled(&exporter, 0, LEN, 8));
	copies_close();
}
END_TEST

/* --- a counter --- */

static struct lab_child host;
static struct sync_end event;
static uint64_t fetched[N_ADDS];

static void host_main(int sock, void *arg)
{
	struct sync_spec spec = {.side = LAB_HOST, .addr = (uint64_t *)counter};
	struct sync_desc desc;
	struct sync_end end;
	uint64_t value;

	(void)arg;
	sync_end_export(&end, &spec, &desc);
	lab_send(sock, &desc, sizeof(desc));
	for (;;) {
		lab_recv(sock, &value, sizeof(value));
		if (value == 0)
			break;
		OK(doca_sync_event_update_set(end.event, value));
	}
	sync_end_close(&end);
}

static void host_set_counter(uint64_t value)
{
	lab_send(host.sock, &value, sizeof(value));
}

/* Both processes have the counter's memory. */
static void event_open(bool with_tasks)
{
	struct sync_spec spec = {.side = LAB_DPU, .with_tasks = with_tasks};
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
	sync_end_close(&event);
	host_set_counter(0);
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

/* Handles everything that has arrived so far. */
static void receive_answers(void)
{
	for (unsigned n = 0; n < 100; n++)
		if (doca_pe_progress(event.pe))
			n = 0;
}

/*
 * Additions that were executed, and whose replies are lost. Returns false if it did not work this
 * time.
 */
static bool lose_replies(enum loss loss, unsigned n_ok)
{
	enum lab_side side = loss == LOSS_OF_HOST ? LAB_HOST : LAB_DPU;
	uint64_t before = atomic_load(counter);
	uint64_t until = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;

	submit_adds();
	/* The adds were posted, except those that wait for the call. */
	while (atomic_load(counter) == before && event.n_ok == n_ok) {
		doca_pe_progress(event.pe);
		ck_assert_uint_lt(clock_now_ns(), until);
	}
	if (loss == LOSS_OF_LINK)
		network_pause(&network);
	else
		lab_freeze(lab.daemons[side].pid);
	receive_answers();
	if (atomic_load(counter) - before > event.n_ok - n_ok) {
		lose_connection(loss, true);
		return true;
	}
	if (loss == LOSS_OF_LINK)
		network_resume(&network);
	else
		lab_thaw(lab.daemons[side].pid);
	return false;
}

/*
 * Each addition is executed once, and returns the value of that moment. _i: sleeping; what is lost.
 */
START_TEST(additions)
{
	unsigned n_lost = 0, n = 0;
	enum loss loss = (enum loss)(_i / 2);
	bool is_asleep = _i & 1;

	event_open(true);
	while (n_lost < N_ROUNDS) {
		n_lost += lose_replies(loss, n);
		n += N_ADDS;
		sync_end_await(&event, n, is_asleep);
		ck_assert_msg(event.n_failed == 0, "%s", dococ_last_error());
		for (size_t i = 0; i < N_ADDS; i++)
			ck_assert_uint_eq(fetched[i], n - N_ADDS + i);
		ck_assert_uint_eq(atomic_load(counter), n);
	}
	event_close();
}
END_TEST

/* A task waits across restarts, and ends when the counter fulfils it. _i: sleeping. */
START_TEST(a_wait)
{
	event_open(true);
	sync_end_submit(&event, true, 77, SYNC_ALL);
	sync_end_add(&event, 1);
	sync_end_await(&event, 1, _i);
	for (int round = 0; round < 2; round++) {
		restart(LAB_DPU, round == 0);
		sync_end_add(&event, 1);
		sync_end_await(&event, 2 + (unsigned)round, _i);
	}
	host_set_counter(77);
	sync_end_await(&event, 4, _i);
	ck_assert_msg(event.n_failed == 0, "%s", dococ_last_error());
	event_close();
}
END_TEST

/* Calls that meet a new daemon instance. */
START_TEST(calls)
{
	uint64_t value;

	event_open(false);
	OK(doca_sync_event_update_add(event.event, 1, &value));
	ck_assert_uint_eq(value, 0);
	restart(LAB_DPU, false);
	OK(doca_sync_event_get(event.event, &value));
	ck_assert_uint_eq(value, 1);
	OK(doca_sync_event_update_set(event.event, 10));
	restart(LAB_DPU, true);
	OK(doca_sync_event_update_add(event.event, 1, &value));
	ck_assert_uint_eq(value, 10);
	ck_assert_uint_eq(atomic_load(counter), 11);
	event_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "copies");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, copies, 0, 6);
	tcase_add_test(tcase, both_daemons);
	tcase_add_loop_test(tcase, first_copies, 0, 6);
	tcase_add_loop_test(tcase, stopped_meanwhile, 0, 2);

	tcase = runner_case(suite, "events");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, additions, 0, 4);
	tcase_add_loop_test(tcase, a_wait, 0, 2);
	tcase_add_test(tcase, calls);

	tcase = runner_case(suite, "link");
	tcase_add_checked_fixture(tcase, setup_network, teardown);
	tcase_add_loop_test(tcase, copies, 9, 11);
	tcase_add_loop_test(tcase, additions, 4, 6);
	tcase_add_test(tcase, wait_limit_fails_operations);
}

int main(void)
{
	lab_require();
	return runner_main("remote survive", add_cases, NULL);
}
