/*
 * Message channels while daemons are stopped, killed and restarted under a service manager, which
 * the lab simulates. Two programs exchange messages and copy memory, and check both; a third
 * connects and disconnects all the time, with consumers. They only see delays: no message is lost
 * or duplicated, no connection is re-established, and nothing is left in the managers' stores.
 */
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_mmap.h>

#include "tests/integration/restart/numbered.h"
#include "tests/lib/assert.h"
#include "tests/lib/exporter.h"
#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/lab_store.h"
#include "tests/lib/runner.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define SERVICE  "recovery"
#define LEN      (64u << 10)
#define WINDOW   8u
#define FAST_LEN 256u
#define N_CYCLES 17 /* per run: 51 restarts and 51 kills altogether */
#ifdef DOCO_SANITIZED
/* Sanitizer builds look for errors in principle; other builds test many repetitions. */
#define N_RUNS       2
#define VISITOR_NAPS true
#else
#define N_RUNS       6
#define VISITOR_NAPS false
#endif
#define N_SPINNING 2 /* of these runs */
#define N_UPGRADES 6 /* there and back */
#define N_CHILDREN 4 /* per run; the first is the server */
#define WAIT_MS    10000
#define MAX_CONNS  16

enum busy { BUSY_MESSAGES, BUSY_COPIES, BUSY_VISITS, BUSY_IMPORTS, N_BUSY };

/* Shared with the children. */
struct shared {
	_Atomic bool stop;  /* for the clients; the server ends after them */
	_Atomic bool close; /* for the server */
	_Atomic unsigned loops[N_BUSY];
	bool naps; /* applies to all; written before they begin */
	struct exported exported;
};

static struct lab lab;
static struct exporter exporter;
static struct shared *shared;
static bool naps; /* of this process */

static void setup(void)
{
	const struct lab_options options = {.fd_store = 512};

	leaks_setup();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	lab_start(&lab, &options);
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
	munmap(shared, sizeof(*shared));
	leaks_teardown();
}

/*
 * The programs of the first runs never sleep, and meet each moment of a restart. With few
 * processors most of such a run is spent waiting for the daemons to be scheduled. Therefore the
 * programs of the other runs, and with a sanitizer the busiest one, yield the processor if there is
 * no work.
 */
static void progress_or_yield(struct doca_pe *pe)
{
	if (doca_pe_progress(pe))
		return;
	if (naps)
		poll(NULL, 0, 1);
	else
		sched_yield();
}

/* --- the server: echoes, copies, and sends to each new consumer --- */

static struct partner {
	struct talk talk;
	struct {
		struct doca_comch_connection *connection;
		uint64_t expected;
	} conns[MAX_CONNS];
	struct {
		struct doca_comch_connection *connection;
		uint32_t id;
	} consumers[MAX_CONNS];
	unsigned n_consumers;
} partner;

static void partner_on_message(struct talk *talk, struct doca_comch_connection *connection,
			       const uint8_t *bytes, uint32_t len)
{
	struct message message;
	unsigned i = 0;

	memcpy(&message, bytes, MIN(len, sizeof(message)));
	while (i < MAX_CONNS - 1 && partner.conns[i].connection != connection &&
	       partner.conns[i].connection != NULL)
		i++;
	/* The memory of a connection that ended is used for the next one. */
	if (partner.conns[i].connection == NULL || message.number == 0)
		partner.conns[i].expected = 0;
	partner.conns[i].connection = connection;
	message_check(bytes, len, partner.conns[i].expected++);
	EXPECT_TRUE(talk_send(talk, connection, bytes, len), "no room for an echo");
}

static void partner_on_consumer(struct talk *talk, struct doca_comch_connection *connection,
				uint32_t id)
{
	(void)talk;
	ck_assert_uint_lt(partner.n_consumers, MAX_CONNS);
	partner.consumers[partner.n_consumers].connection = connection;
	partner.consumers[partner.n_consumers++].id = id;
}

static void partner_serve_consumers(struct doca_dev *dev)
{
	while (partner.n_consumers > 0) {
		unsigned i = --partner.n_consumers;
		struct fast_end end = {
			.dev = dev, .pe = partner.talk.pe, .conn = partner.consumers[i].connection};
		struct fast_source source;

		fast_source_open(&source, &end, NULL, 1, FAST_LEN);
		OK(fast_send_retry(&source, partner.consumers[i].id, 0, FAST_LEN, NULL, 0));
		fast_source_close(&source);
	}
}

static struct doca_mmap *import(struct doca_dev *dev)
{
	return use_import_retry(shared->exported.desc, shared->exported.desc_len, dev);
}

static void serve(int sock, void *arg)
{
	static uint8_t mine[LEN];
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_mmap *remote = import(dev), *local;
	struct use_dma use;
	struct doca_pe *pe;

	(void)arg;
	naps = shared->naps;
	use_dma_open(&use, dev, 4);
	local = use_mmap(dev, mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_pe_create(&pe));
	partner.talk.on_message = partner_on_message;
	partner.talk.on_consumer = partner_on_consumer;
	talk_serve(&partner.talk, pe, dev, SERVICE, 4 * WINDOW);
	lab_signal(sock);
	while (!atomic_load(&shared->close) || partner.talk.n_left != partner.talk.n_connected) {
		for (int i = 0; i < 200; i++) {
			if (!doca_pe_progress(pe) && naps)
				break;
		}
		progress_or_yield(pe);
		partner_serve_consumers(dev);
		memset(mine, 0, LEN);
		EXPECT(DOCA_SUCCESS,
		       use_copy(&use, remote, shared->exported.addr, local, mine, LEN));
		EXPECT_TRUE(use_is_filled(mine, LEN, 1), "the copy is harmed");
		atomic_fetch_add(&shared->loops[BUSY_COPIES], 1);
	}
	ck_assert_uint_eq(partner.talk.n_failed, 0);
	talk_end(&partner.talk);
	OK(doca_pe_destroy(pe));
	use_mmap_end(remote);
	use_mmap_end(local);
	use_dma_close(&use);
	OK(doca_dev_close(dev));
}

/* --- the clients --- */

static struct {
	struct talk talk;
	uint64_t n_echoes;
} echo_client;

static void echo_client_on_message(struct talk *talk, struct doca_comch_connection *connection,
				   const uint8_t *bytes, uint32_t len)
{
	(void)talk;
	(void)connection;
	message_check(bytes, len, echo_client.n_echoes++);
}

/* Returns false if it was refused. */
static bool await_running(struct doca_pe *pe)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
	enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;

	while (state != DOCA_CTX_STATE_RUNNING && state != DOCA_CTX_STATE_IDLE) {
		progress_or_yield(pe);
		OK(doca_ctx_get_state(echo_client.talk.ctx, &state));
		EXPECT_TRUE(clock_now_ns() < deadline, "%s", dococ_last_error());
	}
	return state == DOCA_CTX_STATE_RUNNING;
}

/* On a busy machine a daemon may be back too late for a call that waits for it. */
static bool is_excused(void)
{
	return lab_was_late() && strstr(dococ_last_error(), ": not connected;") != NULL;
}

static void echo_client_open(struct doca_dev *dev, struct doca_pe *pe)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;

	memset(&echo_client, 0, sizeof(echo_client));
	echo_client.talk.on_message = echo_client_on_message;
	talk_connect(&echo_client.talk, pe, dev, SERVICE, WINDOW);
	while (!await_running(pe)) {
		EXPECT_TRUE(is_excused() && clock_now_ns() < deadline, "refused: %s",
			    dococ_last_error());
		poll(NULL, 0, 10);
		EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(echo_client.talk.ctx));
	}
	talk_connected(&echo_client.talk);
}

static void echo_client_await(uint64_t n)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
	enum doca_ctx_states state;

	while (echo_client.n_echoes < n) {
		progress_or_yield(echo_client.talk.pe);
		EXPECT_TRUE(clock_now_ns() < deadline, "%s", dococ_last_error());
	}
	OK(doca_ctx_get_state(echo_client.talk.ctx, &state));
	ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
	ck_assert_uint_eq(echo_client.talk.n_failed, 0);
}

static void echo_client_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct message message;
	struct doca_pe *pe;
	uint64_t n = 0;

	(void)arg;
	naps = shared->naps;
	OK(doca_pe_create(&pe));
	echo_client_open(dev, pe);
	lab_signal(sock);
	while (!atomic_load(&shared->stop)) {
		while (n - echo_client.n_echoes < WINDOW) {
			message_fill(&message, n);
			if (!talk_send(&echo_client.talk, echo_client.talk.connection, &message,
				       sizeof(message)))
				break;
			n++;
		}
		progress_or_yield(pe);
		atomic_store(&shared->loops[BUSY_MESSAGES], (unsigned)echo_client.n_echoes);
	}
	echo_client_await(n);
	talk_end(&echo_client.talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

static void check_message(struct fast_sink *sink, const uint8_t *data, size_t len,
			  const struct doca_comch_consumer_task_post_recv *task)
{
	(void)sink;
	(void)task;
	ck_assert_uint_eq(len, FAST_LEN);
	ck_assert(use_is_filled(data, len, 1));
}

/* Creates all objects again in each round; the consumer in every second round. */
static void reconnect_main(int sock, void *arg)
{
	struct message message;

	(void)arg;
	naps = shared->naps || VISITOR_NAPS;
	lab_signal(sock);
	for (unsigned round = 0; !atomic_load(&shared->stop); round++) {
		struct doca_dev *dev = use_dev(USE_HOST_PF0);
		struct fast_sink sink;
		struct doca_pe *pe;

		OK(doca_pe_create(&pe));
		echo_client_open(dev, pe);
		for (uint64_t i = 0; i < 2; i++) {
			message_fill(&message, i);
			ck_assert(talk_send(&echo_client.talk, echo_client.talk.connection,
					    &message, sizeof(message)));
			echo_client_await(i + 1);
		}
		if (round % 2) {
			struct fast_end end = {
				.dev = dev, .pe = pe, .conn = echo_client.talk.connection};

			fast_sink_open(&sink, &end, NULL, FAST_SHARED, 2, FAST_LEN);
			sink.look = check_message;
			fast_sink_await(&sink, 1);
			fast_sink_stop(&sink);
			fast_sink_close(&sink);
		}
		talk_end(&echo_client.talk);
		OK(doca_pe_destroy(pe));
		OK(doca_dev_close(dev));
		atomic_fetch_add(&shared->loops[BUSY_VISITS], 1);
	}
}

static void importer(int sock, void *arg)
{
	(void)arg;
	lab_signal(sock);
	while (!atomic_load(&shared->stop)) {
		struct doca_dev *dev = use_dev(USE_DPU_P0);

		use_mmap_end(import(dev));
		OK(doca_dev_close(dev));
		atomic_fetch_add(&shared->loops[BUSY_IMPORTS], 1);
	}
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

/* Waits for two more rounds of each of the first n programs, of which one began after this call. */
static void await_rounds(int n)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
	struct pollfd news = {.fd = lab.notify_fd, .events = POLLIN};
	unsigned seen[N_BUSY];

	for (int i = 0; i < n; i++)
		seen[i] = atomic_load(&shared->loops[i]);
	for (int i = 0; i < n; i++) {
		while (atomic_load(&shared->loops[i]) - seen[i] < 2) {
			ck_assert_msg(clock_now_ns() < deadline, "client %d does not go on", i);
			lab_listen(&lab);
			poll(&news, 1, 1);
		}
	}
}

static void join(struct lab_child *child)
{
	struct pollfd p = {.fd = child->pidfd, .events = POLLIN};

	while (poll(&p, 1, 1) == 0)
		lab_listen(&lab);
	lab_join(child);
}

static void end_daemon(enum lab_side side, bool by_force)
{
	if (by_force)
		lab_kill_daemon(&lab, side);
	else
		lab_stop_daemon(&lab, side);
}

/* Restarts one daemon, the other, or both at once. */
static void restart(int cycle, bool by_force)
{
	if (cycle % 3 != 1)
		end_daemon(LAB_DPU, by_force);
	if (cycle % 3 != 0)
		end_daemon(LAB_HOST, by_force);
	if (cycle % 3 != 1)
		lab_start_daemon(&lab, LAB_DPU);
	if (cycle % 3 != 0)
		lab_start_daemon(&lab, LAB_HOST);
	await_rounds(N_BUSY);
}

static void start_exporter(void)
{
	struct exporter_options what = {
		.memory = MEMORY_MEMFD, .len = LEN, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	exporter_start(&exporter, &lab, &what);
	shared->exported = exporter.exported;
}

/* No program had to reconnect. */
static void check_resumed(void)
{
	for (int i = 0; i < LAB_N_SIDES; i++) {
		ck_assert(lab_log_has(&lab, (enum lab_side)i, "resumed"));
		ck_assert(!lab_log_has(&lab, (enum lab_side)i, "is not resumed"));
	}
}

static void check_persisted(void)
{
	for (int i = 0; i < LAB_N_SIDES; i++)
		ck_assert(!lab_timed_out(&lab, (enum lab_side)i));
}

/* The server is the first child. */
static void end_run(struct lab_child *children, int n)
{
	atomic_store(&shared->stop, true);
	for (int i = n - 1; i > 0; i--)
		join(&children[i]);
	atomic_store(&shared->close, true);
	join(&children[0]);
	exporter_end(&exporter);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, WAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, WAIT_MS);
}

static void start_run(struct lab_child children[N_CHILDREN])
{
	start_exporter();
	children[0] = lab_fork(&lab, LAB_DPU, serve, NULL);
	serve_until_answer(children[0].sock);
	children[1] = lab_fork(&lab, LAB_HOST, echo_client_main, NULL);
	children[2] = lab_fork(&lab, LAB_HOST, reconnect_main, NULL);
	children[3] = lab_fork(&lab, LAB_DPU, importer, NULL);
	for (int i = 1; i < N_CHILDREN; i++)
		serve_until_answer(children[i].sock);
	await_rounds(N_BUSY);
}

START_TEST(restarts)
{
	struct lab_child children[N_CHILDREN];

	shared->naps = _i >= N_SPINNING;
	start_run(children);
	for (int i = 0; i < N_CYCLES; i++) {
		restart(i, _i % 2 == 1);
		ck_assert(exporter_is_filled(&exporter, 0, LEN, 1));
	}
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 3, WAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, 2, WAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_SERVERS, 1, WAIT_MS);
	end_run(children, ARRAY_LEN(children));
	check_resumed();
	check_persisted();
}
END_TEST

static void install(const char *program)
{
	const char *build = getenv("top_builddir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", build == NULL ? "." : build, program);
	setenv("DOCOCORED", path, 1);
}

/*
 * An upgrade and a downgrade: the next instance is another binary, with another version and more
 * fields in its records. On one side, on the other, and on both at once.
 */
START_TEST(upgrades)
{
	static const char *const programs[] = {"tests/integration/restart/dococored_next",
					       "dococored"};
	static const char *const versions[] = {PACKAGE_VERSION "-next serves",
					       PACKAGE_VERSION " serves"};
	struct lab_child children[N_CHILDREN];

	shared->naps = true;
	start_run(children);
	for (int i = 0; i < N_UPGRADES; i++) {
		install(programs[i / 3 % 2]);
		restart(i, _i == 1);
		ck_assert(exporter_is_filled(&exporter, 0, LEN, 1));
	}
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 3, WAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, 2, WAIT_MS);
	end_run(children, ARRAY_LEN(children));
	for (int i = 0; i < LAB_N_SIDES; i++) {
		for (size_t k = 0; k < ARRAY_LEN(versions); k++)
			ck_assert(lab_log_has(&lab, (enum lab_side)i, versions[k]));
	}
	check_resumed();
	check_persisted();
	unsetenv("DOCOCORED");
}
END_TEST

static void await_persisted(enum lab_side side, const struct lab_child *child)
{
	char text[80];

	snprintf(text, sizeof(text), "pid %d) would be resumed after a restart", (int)child->pid);
	lab_await_log(&lab, side, text, WAIT_MS);
}

/* A manager that does not read while clients connect: they are persisted once it does. */
START_TEST(manager_is_busy)
{
	struct lab_child children[2];

	lab_fill_manager(&lab);
	start_exporter();
	children[0] = lab_fork(&lab, LAB_DPU, serve, NULL);
	lab_wait(children[0].sock);
	children[1] = lab_fork(&lab, LAB_HOST, echo_client_main, NULL);
	lab_wait(children[1].sock);
	await_persisted(LAB_DPU, &children[0]);
	await_persisted(LAB_HOST, &children[1]);
	await_persisted(LAB_HOST, &exporter.child);
	for (int i = 0; i < LAB_N_SIDES; i++)
		end_daemon((enum lab_side)i, true);
	for (int i = 0; i < LAB_N_SIDES; i++)
		lab_start_daemon(&lab, (enum lab_side)i);
	lab_await(&lab, LAB_DPU, LAB_SERVERS, 1, WAIT_MS);
	for (int i = 0; i < LAB_N_SIDES; i++)
		lab_await(&lab, (enum lab_side)i, LAB_CHANNELS, 1, WAIT_MS);
	await_rounds(BUSY_COPIES + 1);
	end_run(children, ARRAY_LEN(children));
	check_resumed();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("channels"), *other = tcase_create("upgrades");

	tcase_add_checked_fixture(other, setup, teardown);
	tcase_set_timeout(other, RUNNER_TEST_S);
	suite_add_tcase(suite, other);
	tcase_add_loop_test(other, upgrades, 0, 2);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 2 * RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, restarts, 0, N_RUNS);
	tcase_add_test(tcase, manager_is_busy);
}

int main(void)
{
	lab_require();
	return runner_main("channel_recovery", add_cases, NULL);
}
