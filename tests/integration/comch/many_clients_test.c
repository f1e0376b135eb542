/*
 * A server with a thousand clients, most of them idle: every client is served, whether the server
 * polls or sleeps. When all die at once, the server detects each end and keeps nothing: no
 * descriptor, no mapping, no memory. Then the same with producers and consumers on many of the
 * connections; the daemons keep nothing either.
 */
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config.h"
#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define SERVICE     "many-clients"
#define N_WANTED    1000u
#define N_PROCESSES 4u
#define N_ACTIVE    10u
/*
 * Descriptors: two of the server for each client, and those that a daemon holds until both ends
 * have fetched theirs.
 */
#define FDS_PER_CLIENT 12u
#define FDS_BESIDES    256u
#define AWAIT_MS       20000
/*
 * Later rounds reuse what the first two leave, and may not allocate more. A sanitizer has its own
 * heap, which is not compared.
 */
#ifdef DOCO_SANITIZED
#define N_ROUNDS      2u
#define N_PAIR_ROUNDS 3u
#else
#define N_ROUNDS      4u
#define N_PAIR_ROUNDS 6u
#endif
/* 64 bytes for each of 1,000 clients in each of two rounds. */
#define DAEMON_KIB 125

static unsigned n_clients = N_WANTED;
static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static uint64_t deadline(void)
{
	return clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
}

/* --- clients, several per process --- */

/* Command of the server: one of this many clients sends. 0: the end. */
struct call {
	uint32_t every;
};

static void clients_main(int sock, void *arg)
{
	unsigned n = *(const unsigned *)arg;
	struct talk *talks = calloc(n, sizeof(*talks));
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;
	struct call call;

	ck_assert_ptr_nonnull(talks);
	OK(doca_pe_create(&pe));
	for (unsigned i = 0; i < n; i++)
		talk_connect(&talks[i], pe, dev, SERVICE, 1);
	for (unsigned i = 0; i < n; i++) {
		use_ctx_await(pe, talks[i].ctx, DOCA_CTX_STATE_RUNNING);
		talk_connected(&talks[i]);
	}
	lab_signal(sock);
	for (;;) {
		lab_recv(sock, &call, sizeof(call));
		if (call.every == 0)
			break;
		for (unsigned i = 0; i < n; i += call.every) {
			EXPECT_TRUE(talk_send(&talks[i], talks[i].connection, &i, sizeof(i)),
				    "no room");
			while (talks[i].n_sent < talks[i].n_submitted)
				use_progress(pe);
		}
	}
	for (unsigned i = 0; i < n; i++)
		talk_end(&talks[i]);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
	free(talks);
}

/* --- the server --- */

/* Reads messages of the daemons about these many changes while the server waits for them. */
static struct {
	pthread_t thread;
	atomic_bool ends;
} listener;

static void *listener_main(void *arg)
{
	struct pollfd pfd = {.fd = lab.notify_fd, .events = POLLIN};

	while (!atomic_load(&listener.ends)) {
		if (poll(&pfd, 1, 50) > 0)
			lab_listen(&lab);
	}
	return arg;
}

/*
 * Called after clients were forked: a child would not get this thread, but would inherit its locks.
 */
static void listener_start(void)
{
	atomic_store(&listener.ends, false);
	ck_assert_int_eq(pthread_create(&listener.thread, NULL, listener_main, NULL), 0);
}

static void listener_stop(void)
{
	atomic_store(&listener.ends, true);
	ck_assert_int_eq(pthread_join(listener.thread, NULL), 0);
}

struct held {
	size_t n_fds, n_maps, n_bytes;
};

static struct held count_resources(void)
{
	struct held held = {0};
	struct leaks leaks;
	char *line = NULL;
	size_t room = 0;
	FILE *maps;

	leaks_count(&leaks);
	held.n_fds = leaks.n_fds;
	maps = fopen("/proc/self/maps", "re");
	ck_assert_ptr_nonnull(maps);
	while (getline(&line, &room, maps) > 0)
		held.n_maps += strstr(line, "memfd:") != NULL;
	free(line);
	fclose(maps);
	held.n_bytes = mallinfo2().uordblks;
	return held;
}

static void await_clients(struct talk *server, unsigned n)
{
	uint64_t until = deadline();

	while (server->n_connected < n) {
		EXPECT_TRUE(clock_now_ns() < until, "%u of %u clients came", server->n_connected,
			    n);
		use_progress(server->pe);
	}
}

static unsigned request_messages(struct lab_child *clients, uint32_t every)
{
	struct call call = {every};
	unsigned n = 0, each = n_clients / N_PROCESSES;

	for (unsigned i = 0; i < N_PROCESSES; i++)
		lab_send(clients[i].sock, &call, sizeof(call));
	for (unsigned i = 0; i < each; i += every)
		n += N_PROCESSES;
	return n;
}

static void await_messages(struct talk *server, uint64_t n, struct sleeper *sleeper)
{
	uint64_t until = deadline();

	while (server->n_received < n) {
		EXPECT_TRUE(clock_now_ns() < until, "%llu of %llu messages came",
			    (unsigned long long)server->n_received, (unsigned long long)n);
		if (sleeper != NULL)
			sleeper_step(sleeper);
		else
			use_progress(server->pe);
	}
	ck_assert_uint_eq(server->n_received, n);
}

static void progress_idle(struct talk *server)
{
	/* Long enough that clients count as idle. */
	for (unsigned i = 0; i < 5000; i++)
		doca_pe_progress(server->pe);
}

static void connect_clients(struct talk *server, struct lab_child *clients)
{
	unsigned each = n_clients / N_PROCESSES;
	unsigned n_before = server->n_connected;

	for (unsigned i = 0; i < N_PROCESSES; i++)
		clients[i] = lab_fork(&lab, LAB_HOST, clients_main, &each);
	listener_start();
	await_clients(server, n_before + each * N_PROCESSES);
	/* The server makes progress while they wait for their contexts to run. */
	for (unsigned i = 0; i < N_PROCESSES; i++)
		lab_wait(clients[i].sock);
}

static void check_messages(struct talk *server, struct lab_child *clients, struct sleeper *sleeper)
{
	uint64_t n = server->n_received;

	/* First all clients, then a few among many idle ones, then all again. */
	n += request_messages(clients, 1);
	await_messages(server, n, sleeper);
	progress_idle(server);
	for (unsigned i = 0; i < 20; i++) {
		n += request_messages(clients, n_clients / N_PROCESSES / (N_ACTIVE / 2));
		await_messages(server, n, sleeper);
	}
	n += request_messages(clients, 1);
	await_messages(server, n, sleeper);
}

static void await_end(struct talk *server, unsigned n, struct sleeper *sleeper)
{
	uint64_t until = deadline();

	while (server->n_left < n) {
		EXPECT_TRUE(clock_now_ns() < until, "%u of %u clients are seen to be gone",
			    server->n_left, n);
		if (sleeper != NULL)
			sleeper_step(sleeper);
		else
			use_progress(server->pe);
	}
}

/* Polling and sleeping; each round twice, to see that memory kept for the next round is reused. */
START_TEST(test_all_vanish)
{
	struct lab_child clients[N_PROCESSES];
	struct talk server = {.on_message = NULL};
	struct held before, after[N_ROUNDS];
	struct sleeper sleeper;
	struct doca_dev *dev;
	struct doca_pe *pe;

	leaks_allow_fds(1);
	lab_use(&lab, LAB_DPU);
	dev = use_dev(USE_DPU_P0);
	OK(doca_pe_create(&pe));
	talk_serve(&server, pe, dev, SERVICE, 16);
	sleeper_open(&sleeper, pe, SLEEPER_SELECTIVE, -1);
	before = count_resources();
	for (unsigned round = 0; round < ARRAY_LEN(after); round++) {
		struct sleeper *how = round % 2 == 0 ? NULL : &sleeper;

		connect_clients(&server, clients);
		check_messages(&server, clients, how);
		for (unsigned i = 0; i < N_PROCESSES; i++)
			kill(clients[i].pid, SIGKILL);
		for (unsigned i = 0; i < N_PROCESSES; i++)
			lab_kill(&clients[i]);
		await_end(&server, server.n_connected, how);
		listener_stop();
		after[round] = count_resources();
		ck_assert_uint_eq(after[round].n_fds, before.n_fds);
		ck_assert_uint_eq(after[round].n_maps, before.n_maps);
	}
	/* Memory that is kept for later clients is kept once. */
	for (unsigned round = 2; round < N_ROUNDS && after[0].n_bytes != 0; round++)
		ck_assert_uint_le(after[round].n_bytes, after[1].n_bytes + 4096);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, AWAIT_MS);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, AWAIT_MS);
	sleeper_close(&sleeper);
	talk_end(&server);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}
END_TEST

/* --- with producers and consumers --- */

/* One of this many clients has a consumer and a producer, and the server one of each for it. */
#define PAIR_EVERY 4u
/* Longer than a slot holds: written to memory of the peer. */
#define PAIR_LEN 1000u
#ifdef DOCO_SANITIZED
#define N_PAIR_CLIENTS 200u
#else
#define N_PAIR_CLIENTS N_WANTED
#endif

/* One end of a connection with both. */
struct pair {
	struct fast_end end; /* device, engine and connection only */
	struct fast_sink sink;
	struct fast_source source;
	uint32_t to; /* the peer's consumer */
};

static void pair_open_sink(struct pair *pair, struct doca_dev *dev, struct doca_pe *pe,
			   struct doca_comch_connection *connection, unsigned number)
{
	pair->end = (struct fast_end){.dev = dev, .pe = pe, .conn = connection};
	fast_sink_open(&pair->sink, &pair->end, pe, number % 2 == 0 ? FAST_SHARED : FAST_PRIVATE, 2,
		       PAIR_LEN);
}

/* The peer's consumer is known and has posted receives, or will. */
static void pair_send(struct pair *pair)
{
	fast_source_open(&pair->source, &pair->end, pair->end.pe, 1, PAIR_LEN);
	OK(fast_send_retry(&pair->source, pair->to, 0, PAIR_LEN, NULL, 0));
}

static void pair_await_consumer(struct pair *pair)
{
	uint64_t until = deadline();

	while (pair->to == 0) {
		EXPECT_TRUE(clock_now_ns() < until, "the peer's consumer did not come (%s)",
			    dococ_last_error());
		use_progress(pair->end.pe);
	}
}

static void on_server_consumer(struct talk *talk, struct doca_comch_connection *connection,
			       uint32_t id)
{
	struct pair *pair = talk->owner;

	(void)connection;
	pair->to = id;
}

static void pairs_main(int sock, void *arg)
{
	unsigned n = *(const unsigned *)arg, n_pairs = n / PAIR_EVERY;
	struct talk *talks = calloc(n, sizeof(*talks));
	struct pair *pairs = calloc(n_pairs, sizeof(*pairs));
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;

	ck_assert(talks != NULL && pairs != NULL);
	OK(doca_pe_create(&pe));
	for (unsigned i = 0; i < n; i++) {
		if (i < n_pairs) {
			talks[i].owner = &pairs[i];
			talks[i].on_consumer = on_server_consumer;
		}
		talk_connect(&talks[i], pe, dev, SERVICE, 1);
	}
	for (unsigned i = 0; i < n; i++) {
		use_ctx_await(pe, talks[i].ctx, DOCA_CTX_STATE_RUNNING);
		talk_connected(&talks[i]);
	}
	for (unsigned i = 0; i < n_pairs; i++)
		pair_open_sink(&pairs[i], dev, pe, talks[i].connection, i);
	for (unsigned i = 0; i < n_pairs; i++) {
		fast_sink_await(&pairs[i].sink, 1);
		pair_await_consumer(&pairs[i]);
		pair_send(&pairs[i]);
	}
	lab_signal(sock);
	/* Waits to be killed. */
	lab_wait(sock);
}

struct pairs {
	struct pair *pairs;
	unsigned n, n_max;
};

static void on_client_consumer(struct talk *talk, struct doca_comch_connection *connection,
			       uint32_t id)
{
	struct pairs *pairs = talk->owner;
	struct pair *pair = &pairs->pairs[pairs->n++];

	ck_assert_uint_le(pairs->n, pairs->n_max);
	*pair = (struct pair){.end = {.conn = connection}, .to = id};
}

static void await_count(struct talk *server, const unsigned *counter, unsigned n)
{
	uint64_t until = deadline();

	while (*counter < n) {
		EXPECT_TRUE(clock_now_ns() < until, "%u of %u", *counter, n);
		use_progress(server->pe);
	}
	ck_assert_uint_eq(*counter, n);
}

static void pairs_connect(struct talk *server, struct doca_dev *dev, struct lab_child *clients)
{
	struct pairs *pairs = server->owner;
	unsigned each = pairs->n_max * PAIR_EVERY / N_PROCESSES;

	pairs->n = 0;
	for (unsigned i = 0; i < N_PROCESSES; i++)
		clients[i] = lab_fork(&lab, LAB_HOST, pairs_main, &each);
	listener_start();
	await_count(server, &pairs->n, pairs->n_max);
	for (unsigned i = 0; i < pairs->n; i++) {
		pair_open_sink(&pairs->pairs[i], dev, server->pe, pairs->pairs[i].end.conn, i);
		pair_send(&pairs->pairs[i]);
	}
	for (unsigned i = 0; i < pairs->n; i++)
		fast_sink_await(&pairs->pairs[i].sink, 1);
	for (unsigned i = 0; i < N_PROCESSES; i++)
		lab_wait(clients[i].sock);
}

/* The ends of all connections, and of the contexts on them, are detected. */
static void pairs_check_end(struct talk *server, struct lab_child *clients)
{
	struct pairs *pairs = server->owner;

	for (unsigned i = 0; i < N_PROCESSES; i++)
		kill(clients[i].pid, SIGKILL);
	for (unsigned i = 0; i < N_PROCESSES; i++)
		lab_kill(&clients[i]);
	await_count(server, &server->n_left, server->n_connected);
	ck_assert_uint_eq(server->n_expired, server->n_new);
	for (unsigned i = 0; i < pairs->n; i++) {
		struct pair *pair = &pairs->pairs[i];

		use_ctx_await(server->pe, pair->sink.ctx, DOCA_CTX_STATE_IDLE);
		ck_assert_uint_eq(pair->sink.n_flushed, 2);
		ck_assert_int_eq(pair->sink.flush_code, DOCA_ERROR_CONNECTION_RESET);
		EXPECT(DOCA_ERROR_CONNECTION_RESET,
		       fast_send_retry(&pair->source, pair->to, 0, 1, NULL, 0));
		fast_sink_close(&pair->sink);
		fast_source_close(&pair->source);
	}
}

/* Returns its heap and other anonymous memory. */
static size_t daemon_kb(enum lab_side side)
{
	char path[64], line[256];
	size_t n_kb = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)lab.daemons[side].pid);
	status = fopen(path, "re");
	ck_assert_ptr_nonnull(status);
	while (fgets(line, sizeof(line), status) != NULL)
		sscanf(line, "VmData: %zu", &n_kb);
	fclose(status);
	ck_assert_uint_ne(n_kb, 0);
	return n_kb;
}

/* A daemon has one more for a moment when it reports its status. */
static void daemon_await_fds(enum lab_side side, size_t at_most)
{
	uint64_t until = deadline();
	size_t n;

	while ((n = lab_daemon_n_fds(&lab, side)) > at_most)
		EXPECT_TRUE(clock_now_ns() < until, "daemon %d has %zu descriptors, had %zu",
			    (int)side, n, at_most);
}

static void daemons_await_empty(void)
{
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, AWAIT_MS);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, AWAIT_MS);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, AWAIT_MS);
}

START_TEST(test_pairs_vanish)
{
	struct pairs pairs = {.n_max = MIN(n_clients, N_PAIR_CLIENTS) / PAIR_EVERY / N_PROCESSES *
				       N_PROCESSES};
	size_t daemon_fds[LAB_N_SIDES], daemon_len[N_PAIR_ROUNDS][LAB_N_SIDES];
	struct talk server = {.on_consumer = on_client_consumer, .owner = &pairs};
	struct lab_child clients[N_PROCESSES];
	struct held before, after[N_PAIR_ROUNDS];
	struct doca_dev *dev;
	struct doca_pe *pe;

	leaks_allow_fds(1);
	pairs.pairs = calloc(pairs.n_max, sizeof(*pairs.pairs));
	ck_assert_ptr_nonnull(pairs.pairs);
	lab_use(&lab, LAB_DPU);
	dev = use_dev(USE_DPU_P0);
	OK(doca_pe_create(&pe));
	talk_serve(&server, pe, dev, SERVICE, 16);
	lab_await(&lab, LAB_DPU, LAB_SERVERS, 1, AWAIT_MS);
	before = count_resources();
	for (int side = 0; side < LAB_N_SIDES; side++)
		daemon_fds[side] = lab_daemon_n_fds(&lab, (enum lab_side)side);
	for (unsigned round = 0; round < N_PAIR_ROUNDS; round++) {
		pairs_connect(&server, dev, clients);
		pairs_check_end(&server, clients);
		listener_stop();
		daemons_await_empty();
		after[round] = count_resources();
		ck_assert_uint_eq(after[round].n_fds, before.n_fds);
		ck_assert_uint_eq(after[round].n_maps, before.n_maps);
		for (int side = 0; side < LAB_N_SIDES; side++) {
			daemon_await_fds((enum lab_side)side, daemon_fds[side]);
			daemon_len[round][side] = daemon_kb((enum lab_side)side);
		}
	}
	/*
	 * Less than the smallest allocation for each pair or, in KiB, for each client of the rounds
	 * at a daemon. The allocator alone varies by some pages between rounds, decreasingly.
	 */
	for (unsigned round = N_PAIR_ROUNDS - 2; round < N_PAIR_ROUNDS && after[0].n_bytes != 0;
	     round++) {
		ck_assert_uint_le(after[round].n_bytes, after[N_PAIR_ROUNDS - 3].n_bytes + 6000);
		for (int side = 0; side < LAB_N_SIDES; side++)
			ck_assert_uint_le(daemon_len[round][side],
					  daemon_len[N_PAIR_ROUNDS - 3][side] + DAEMON_KIB);
	}
	talk_end(&server);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
	free(pairs.pairs);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("many-clients");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_all_vanish);
	tcase_add_test(tcase, test_pairs_vanish);
}

int main(void)
{
	struct rlimit limit;
	rlim_t n_fds;

	lab_require();
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		/* Three quarters of seven eighths are those of one user; see daemon/daemon.c. */
		n_fds = limit.rlim_max / 32 * 21;
		if (n_fds < N_WANTED * FDS_PER_CLIENT + FDS_BESIDES) {
			n_clients = (unsigned)(n_fds - FDS_BESIDES) / FDS_PER_CLIENT;
			printf("only %u descriptors are allowed here: %u clients\n",
			       (unsigned)limit.rlim_max, n_clients);
		}
	}
	return runner_main("many-clients", add_cases, NULL);
}
