/*
 * Daemons linked over TLS that are stopped, killed and restarted under a service manager, which the
 * lab simulates. Programs of both sides exchange messages and copy each other's memory, all of it
 * relayed by the daemons, and a third imports and copies again in each round. Operations that pass
 * through a daemon that ends are lost with it, and reported: a channel ends and is connected again,
 * a copy fails and is repeated. But no byte is wrong, no message is duplicated or out of order, and
 * no program ends, waits for ever or gets another error.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/integration/restart/numbered.h"
#include "tests/lib/assert.h"
#include "tests/lib/exporter.h"
#include "tests/lib/lab_store.h"
#include "tests/lib/runner.h"
#include "tests/lib/talk.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define SERVICE   "recovery"
#define LEN       (64u << 10)
#define HALF      (LEN / 2) /* read-only; the other half is written as well */
#define WINDOW    8u
#define MAX_CONNS 64u
#ifdef DOCO_SANITIZED
#define N_CYCLES 3
#else
#define N_CYCLES 6
#endif
#define WAIT_MS 20000

enum busy { BUSY_MESSAGES, BUSY_DPU, BUSY_HOST, BUSY_VISITS, N_BUSY };

/* Shared with the children. */
struct shared {
	_Atomic bool stop;  /* for the clients; the server ends after them */
	_Atomic bool close; /* for the server */
	_Atomic unsigned loops[N_BUSY];
	struct exported exported[LAB_N_SIDES];
};

static struct tls_lab tls;
static struct lab lab;
static struct exporter exporters[LAB_N_SIDES];
static struct shared *shared;

static void setup(void)
{
	leaks_setup();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	/* On a busy machine silence does not mean the end of a peer. */
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_start_persistent(&tls, &lab, 256);
}

static void teardown(void)
{
	for (int i = 0; i < LAB_N_SIDES; i++) {
		lab_await(&lab, (enum lab_side)i, LAB_CLIENTS, 0, WAIT_MS);
		/* The store contains nothing else. */
		ck_assert_int_ge(lab_store_find(lab.stores[i], "ledger"), 0);
		ck_assert_uint_eq(lab.stores[i]->n, 1);
	}
	lab_stop(&lab);
	tls_lab_remove(&tls);
	munmap(shared, sizeof(*shared));
	leaks_teardown();
}

static uint64_t deadline_new(void)
{
	return clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
}

/* --- messages: an echo server, and a client that reconnects as often as necessary --- */

static struct {
	struct doca_comch_connection *connection;
	uint64_t expected;
} conns[MAX_CONNS];

/* Result of sending on an ended connection before the engine reports the end. */
static bool has_ended(doca_error_t result)
{
	return result == DOCA_ERROR_NOT_CONNECTED || result == DOCA_ERROR_CONNECTION_RESET;
}

static void echo(struct talk *talk, struct doca_comch_connection *connection, const uint8_t *bytes,
		 uint32_t len)
{
	struct message message;
	doca_error_t result;
	unsigned i = 0;

	memcpy(&message, bytes, MIN(len, sizeof(message)));
	while (conns[i].connection != connection && conns[i].connection != NULL)
		ck_assert_uint_lt(++i, MAX_CONNS);
	/* The memory of a connection that ended is used for the next one. */
	if (conns[i].connection == NULL || message.number == 0)
		conns[i].expected = 0;
	conns[i].connection = connection;
	message_check(bytes, len, conns[i].expected++);
	result = talk_try_send(talk, connection, bytes, len);
	if (!has_ended(result))
		OK(result);
}

static void serve(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct talk talk = {.on_message = echo};
	struct doca_pe *pe;

	(void)arg;
	OK(doca_pe_create(&pe));
	talk_serve(&talk, pe, dev, SERVICE, 4 * WINDOW);
	lab_signal(sock);
	while (!atomic_load(&shared->close) || talk.n_left != talk.n_connected)
		use_progress(pe);
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

static void check_echo(struct talk *talk, struct doca_comch_connection *connection,
		       const uint8_t *bytes, uint32_t len)
{
	(void)connection;
	message_check(bytes, len, talk->n_received - 1);
	atomic_fetch_add(&shared->loops[BUSY_MESSAGES], 1);
}

static enum doca_ctx_states state_of(const struct talk *talk)
{
	enum doca_ctx_states state;

	OK(doca_ctx_get_state(talk->ctx, &state));
	return state;
}

/* Returns false if there is no link yet, or it was lost again. */
static bool echo_client_connects(struct talk *talk)
{
	uint64_t deadline = deadline_new();

	while (state_of(talk) == DOCA_CTX_STATE_STARTING) {
		use_progress(talk->pe);
		EXPECT_TRUE(clock_now_ns() < deadline, "%s", dococ_last_error());
	}
	return state_of(talk) == DOCA_CTX_STATE_RUNNING;
}

/* Every message gets its reply before the end, unless the connection broke. */
static bool echo_client_exchanges(struct talk *talk)
{
	uint64_t deadline = deadline_new();
	doca_error_t result = DOCA_SUCCESS;
	struct message message;

	talk_connected(talk);
	while (state_of(talk) == DOCA_CTX_STATE_RUNNING) {
		bool ends = atomic_load(&shared->stop);

		if (ends && talk->n_received == talk->n_submitted)
			return true;
		while (!ends && result == DOCA_SUCCESS &&
		       talk->n_submitted - talk->n_received < WINDOW) {
			message_fill(&message, talk->n_submitted);
			result = talk_try_send(talk, talk->connection, &message, sizeof(message));
		}
		if (result == DOCA_ERROR_AGAIN)
			result = DOCA_SUCCESS;
		if (!has_ended(result))
			OK(result);
		if (doca_pe_progress(talk->pe))
			deadline = deadline_new();
		EXPECT_TRUE(clock_now_ns() < deadline, "no answer to %llu messages, and no end",
			    (unsigned long long)(talk->n_submitted - talk->n_received));
	}
	return false;
}

static void echo_client(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;
	bool is_over = false;

	(void)arg;
	OK(doca_pe_create(&pe));
	lab_signal(sock);
	while (!is_over) {
		struct talk talk = {.on_message = check_echo};

		talk_connect(&talk, pe, dev, SERVICE, WINDOW);
		is_over = echo_client_connects(&talk) && echo_client_exchanges(&talk);
		talk_end(&talk);
	}
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

/* --- copies --- */

struct copies {
	enum busy which;
	enum lab_side of; /* the side whose memory is copied */
};

static const struct copies from_host = {BUSY_DPU, LAB_HOST};
static const struct copies from_dpu = {BUSY_HOST, LAB_DPU};

static struct doca_dev *dev_of_other(enum lab_side side)
{
	return use_dev(side == LAB_HOST ? USE_DPU_P0 : USE_HOST_PF0);
}

/* A request waits until the other machine is reachable again, but not for ever. */
static struct doca_mmap *import(struct doca_dev *dev, const struct exported *exported)
{
	uint64_t deadline = deadline_new();
	struct doca_mmap *remote;
	doca_error_t result;

	for (;;) {
		result = doca_mmap_create_from_export(NULL, exported->desc, exported->desc_len, dev,
						      &remote);
		if (result == DOCA_SUCCESS)
			return remote;
		/* The exporter's daemon may not have been scheduled for seconds. */
		if (result != DOCA_ERROR_TIME_OUT)
			EXPECT(DOCA_ERROR_NOT_CONNECTED, result);
		EXPECT_TRUE(clock_now_ns() < deadline, "not imported: %s", dococ_last_error());
		poll(NULL, 0, 1);
	}
}

/*
 * Repeats until it succeeds, each time with a new import: an import of this program's daemon ends
 * with that daemon.
 */
static void copy(struct use_dma *use, struct doca_mmap **remote, struct doca_mmap *local,
		 const struct copies *copies, uint8_t *mine, bool is_write)
{
	const struct exported *exported = &shared->exported[copies->of];
	uint64_t deadline = deadline_new();
	size_t at = is_write ? HALF : 0;

	for (;;) {
		doca_error_t result = is_write ? use_copy(use, local, mine + at, *remote,
							  exported->addr + at, LEN - at)
					       : use_copy(use, *remote, exported->addr, local, mine,
							  LEN);

		if (result == DOCA_SUCCESS)
			return;
		/* This program's daemon ended, or another part of the path did. */
		if (result != DOCA_ERROR_NOT_CONNECTED)
			EXPECT(DOCA_ERROR_IO_FAILED, result);
		EXPECT_TRUE(clock_now_ns() < deadline, "not reached: %s", dococ_last_error());
		use_mmap_end(*remote);
		*remote = import(use->dev, exported);
	}
}

/* Writes its own pattern into the second half, and reads everything back. */
static void copy_loop_main(int sock, void *arg)
{
	const struct copies *copies = arg;
	struct doca_dev *dev = dev_of_other(copies->of);
	static uint8_t mine[LEN];
	struct doca_mmap *remote = import(dev, &shared->exported[copies->of]), *local;
	struct use_dma use;

	use_dma_open(&use, dev, 4);
	local = use_mmap(dev, mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	lab_signal(sock);
	for (uint32_t turn = 0; !atomic_load(&shared->stop); turn++) {
		use_fill(mine + HALF, HALF, turn);
		copy(&use, &remote, local, copies, mine, true);
		memset(mine, 0, LEN);
		copy(&use, &remote, local, copies, mine, false);
		ck_assert(use_is_filled(mine, HALF, 1));
		ck_assert(use_is_filled(mine + HALF, HALF, turn));
		atomic_fetch_add(&shared->loops[copies->which], 1);
	}
	use_mmap_end(remote);
	use_mmap_end(local);
	use_dma_close(&use);
	OK(doca_dev_close(dev));
}

/* Imports again in each round, with its own context. */
static void import_loop_main(int sock, void *arg)
{
	static const struct copies copies = {BUSY_VISITS, LAB_HOST};
	struct doca_dev *dev = dev_of_other(copies.of);
	static uint8_t mine[LEN];

	(void)arg;
	lab_signal(sock);
	while (!atomic_load(&shared->stop)) {
		struct doca_mmap *remote = import(dev, &shared->exported[copies.of]);
		struct doca_mmap *local = use_mmap(dev, mine, LEN,
						   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
		struct use_dma use;

		use_dma_open(&use, dev, 1);
		memset(mine, 0, LEN);
		copy(&use, &remote, local, &copies, mine, false);
		ck_assert(use_is_filled(mine, HALF, 1));
		use_dma_close(&use);
		use_mmap_end(remote);
		use_mmap_end(local);
		atomic_fetch_add(&shared->loops[BUSY_VISITS], 1);
	}
	OK(doca_dev_close(dev));
}

/* --- the service manager --- */

/* A service manager reads all the time, so a test that simulates it must do so, too. */
static void serve_until_answer(int sock)
{
	struct pollfd p = {.fd = sock, .events = POLLIN};

	while (poll(&p, 1, 1) == 0)
		lab_listen(&lab);
	lab_wait(sock);
}

static void join(struct lab_child *child)
{
	struct pollfd p = {.fd = child->pidfd, .events = POLLIN};

	while (poll(&p, 1, 1) == 0)
		lab_listen(&lab);
	lab_join(child);
}

/* Waits for two more rounds of each program, of which one began after this call. */
static void await_rounds(void)
{
	struct pollfd news = {.fd = lab.notify_fd, .events = POLLIN};
	uint64_t deadline = deadline_new();
	unsigned seen[N_BUSY];

	for (int i = 0; i < N_BUSY; i++)
		seen[i] = atomic_load(&shared->loops[i]);
	for (int i = 0; i < N_BUSY; i++) {
		while (atomic_load(&shared->loops[i]) - seen[i] < 2) {
			EXPECT_TRUE(clock_now_ns() < deadline, "client %d does not go on", i);
			lab_listen(&lab);
			poll(&news, 1, 1);
		}
	}
}

/* Restarts one daemon, the other, or both at once. */
static void restart(int cycle, bool by_force)
{
	for (int i = LAB_N_SIDES - 1; i >= 0; i--)
		if (cycle % 3 != 1 - i)
			(by_force ? lab_kill_daemon : lab_stop_daemon)(&lab, (enum lab_side)i);
	for (int i = LAB_N_SIDES - 1; i >= 0; i--)
		if (cycle % 3 != 1 - i)
			lab_start_daemon(&lab, (enum lab_side)i);
	await_rounds();
}

/* The DPU's exports for RDMA: the host can import nothing else of it. */
static void start_exporters(void)
{
	for (int i = 0; i < LAB_N_SIDES; i++) {
		struct exporter_options options = {
			.memory = MEMORY_MALLOC,
			.len = LEN,
			.side = (enum lab_side)i,
			.rdma = i == LAB_DPU,
			.permissions = i == LAB_DPU ? DOCA_ACCESS_FLAG_RDMA_READ |
							      DOCA_ACCESS_FLAG_RDMA_WRITE
						    : DOCA_ACCESS_FLAG_PCI_READ_WRITE,
		};

		exporter_start(&exporters[i], &lab, &options);
		shared->exported[i] = exporters[i].exported;
	}
}

START_TEST(restarts)
{
	struct lab_child children[5];

	start_exporters();
	children[0] = lab_fork(&lab, LAB_DPU, serve, NULL);
	serve_until_answer(children[0].sock);
	children[1] = lab_fork(&lab, LAB_HOST, echo_client, NULL);
	children[2] = lab_fork(&lab, LAB_DPU, copy_loop_main, (void *)(uintptr_t)&from_host);
	children[3] = lab_fork(&lab, LAB_HOST, copy_loop_main, (void *)(uintptr_t)&from_dpu);
	children[4] = lab_fork(&lab, LAB_DPU, import_loop_main, NULL);
	for (size_t i = 1; i < ARRAY_LEN(children); i++)
		serve_until_answer(children[i].sock);
	await_rounds();
	for (int i = 0; i < N_CYCLES; i++) {
		restart(i, _i == 1);
		for (int side = 0; side < LAB_N_SIDES; side++)
			ck_assert(exporter_is_filled(&exporters[side], 0, HALF, 1));
	}
	atomic_store(&shared->stop, true);
	for (size_t i = ARRAY_LEN(children) - 1; i > 0; i--)
		join(&children[i]);
	atomic_store(&shared->close, true);
	join(&children[0]);
	for (int i = 0; i < LAB_N_SIDES; i++) {
		exporter_end(&exporters[i]);
		ck_assert(lab_log_has(&lab, (enum lab_side)i, "resumed"));
		ck_assert(!lab_timed_out(&lab, (enum lab_side)i));
		ck_assert(!lab_log_has(&lab, (enum lab_side)i, "is not resumed"));
	}
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "restarts");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, restarts, 0, 2);
}

int main(void)
{
	lab_require();
	return runner_main("tls recovery", add_cases, NULL);
}
