/*
 * Events around producers and consumers of two machines, relayed over TLS: processes fork,
 * the network is cut and restored, an operator intervenes, the other machine has an earlier
 * version, streams run out. fast_test has what they do themselves.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/fast.h"
#include "tests/lib/network.h"
#include "tests/lib/runner.h"
#include "tests/lib/tls_lab.h"
#include "util/clock.h"

#define SERVICE "remote"
#define LEN     3000u
#define N_TASKS 6u
#define N_BUFS  8u
#define N_MSGS  30u

static struct tls_lab tls;
static struct lab lab;
static struct network network;

static void start(bool is_wired)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	if (is_wired)
		network_start(&network, &tls);
	tls_lab_start(&tls, &lab, true, true);
	lab_use(&lab, LAB_DPU);
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
	tls_lab_remove(&tls);
	leaks_teardown();
}

static void teardown_network(void)
{
	network_end(&network);
	teardown();
}

/* --- one end of a connection: a consumer and a producer --- */

struct side {
	struct fast_end *end;
	struct fast_sink sink;
	struct fast_source source;
	uint32_t to, n_sent;
	uint32_t n_due; /* in each direction, since the start */
};

static uint64_t deadline_ns(void)
{
	return clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;
}

/* Checks order, uniqueness and contents. */
static void check_message(struct fast_sink *sink, const uint8_t *data, size_t len,
			  const struct doca_comch_consumer_task_post_recv *task)
{
	uint8_t pattern[LEN];
	uint32_t i;

	ck_assert_uint_eq(doca_comch_consumer_task_post_recv_get_imm_data_len(task), sizeof(i));
	memcpy(&i, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(i));
	ck_assert_uint_eq(i + 1, sink->n_recv);
	use_fill(pattern, LEN, 1);
	ck_assert_mem_eq(data, pattern, len);
}

/* n_peers: number of consumers that the peer had before. */
static void side_open(struct side *side, struct fast_end *end, unsigned n_peers)
{
	*side = (struct side){.end = end};
	fast_sink_open(&side->sink, end, end->pe, FAST_PRIVATE, N_BUFS, LEN);
	side->sink.look = check_message;
	fast_source_open(&side->source, end, end->pe, N_TASKS, LEN);
	fast_await(end, &end->n_new, n_peers + 1);
	side->to = end->peers[n_peers % FAST_MAX_PEERS];
}

static void side_close(struct side *side)
{
	fast_source_close(&side->source);
	fast_sink_stop(&side->sink);
	fast_sink_close(&side->sink);
}

static doca_error_t side_send(struct side *side)
{
	static const size_t lens[] = {8, 60, 200, LEN};
	uint32_t i = side->n_sent;
	doca_error_t result = fast_send(&side->source, side->to, 0, lens[i % ARRAY_LEN(lens)], &i,
					sizeof(i));

	side->n_sent += result == DOCA_SUCCESS;
	return result;
}

/* Without progress: the peer posts the receives for them. */
static void side_send_some(struct side *side, unsigned n)
{
	uint64_t deadline = deadline_ns();
	doca_error_t result;

	for (unsigned i = 0; i < n; i++) {
		while ((result = side_send(side)) == DOCA_ERROR_AGAIN)
			ck_assert_msg(clock_now_ns() < deadline, "%s", dococ_last_error());
		OK(result);
	}
}

static bool side_is_done(const struct side *side)
{
	return side->sink.n_recv >= side->n_due && side->source.n_sent >= side->n_due;
}

/* Exchanges n more messages in each direction at the same time. The peer may be ahead. */
static void side_exchange(struct side *side, uint32_t n)
{
	uint64_t deadline = deadline_ns();

	side->n_due += n;
	while (!side_is_done(side)) {
		doca_error_t result = DOCA_ERROR_AGAIN;

		if (side->n_sent < side->n_due)
			result = side_send(side);
		ck_assert_msg(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
				      result == DOCA_ERROR_NO_MEMORY,
			      "%s", dococ_last_error());
		doca_pe_progress(side->end->pe);
		ck_assert_uint_eq(side->source.n_failed, 0);
		ck_assert_msg(clock_now_ns() < deadline, "%u sent, %u received (%s)",
			      (unsigned)side->source.n_sent, (unsigned)side->sink.n_recv,
			      dococ_last_error());
	}
}

/* Forks a process of the host, and creates a server with an end for it. */
static struct lab_child side_connect(struct fast_end *end, struct side *side,
				     void (*peer)(int sock, void *arg))
{
	struct lab_child child;

	fast_server_open(end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, peer, NULL);
	fast_await(end, &end->n_connects, 1);
	side_open(side, end, 0);
	return child;
}

/* --- forks --- */

static void child_await(pid_t pid)
{
	int status;

	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* Calls of a child on its parent's objects. Returns the number of the first wrong result, or 0. */
static int call_parent_objects(struct side *side)
{
	struct fast_end *end = side->end;

	for (int i = 0; i < 1000; i++) {
		if (doca_pe_progress(end->pe) != 0)
			return 1;
	}
	if (doca_pe_request_notification(end->pe) != DOCA_ERROR_NOT_CONNECTED)
		return 2;
	if (doca_pe_clear_notification(end->pe, 0) != DOCA_ERROR_NOT_CONNECTED)
		return 3;
	if (side_send(side) != DOCA_ERROR_NOT_CONNECTED ||
	    strstr(dococ_last_error(), "forked") == NULL)
		return 4;
	if (doca_ctx_stop(side->source.ctx) != DOCA_ERROR_NOT_CONNECTED ||
	    doca_ctx_stop(side->sink.ctx) != DOCA_ERROR_NOT_CONNECTED ||
	    doca_ctx_stop(end->ctx) != DOCA_ERROR_NOT_CONNECTED)
		return 5;
	if (doca_comch_producer_destroy(side->source.producer) == DOCA_SUCCESS ||
	    doca_comch_consumer_destroy(side->sink.consumer) == DOCA_SUCCESS ||
	    doca_comch_client_destroy(end->client) == DOCA_SUCCESS ||
	    doca_mmap_destroy(side->sink.mmap) == DOCA_SUCCESS ||
	    doca_pe_destroy(end->pe) == DOCA_SUCCESS)
		return 6;
	return 0;
}

/* Forks while completions, messages and notifications wait for the parent. */
static void fork_with_pending(int sock, struct side *side)
{
	pid_t pid;

	side_send_some(side, 4);
	lab_signal(sock);
	/* The other end has received and sent everything. */
	lab_wait(sock);
	pid = fork();
	if (pid == 0)
		_exit(call_parent_objects(side));
	child_await(pid);
	side_exchange(side, 4);
}

/* ThreadSanitizer forbids threads in a process that was forked from a multi-threaded one. */
#ifdef __SANITIZE_THREAD__
#define CHILD_LIVES false
#else
#define CHILD_LIVES true
#endif

/* Creates and uses its own objects in a process that has copies of its parent's. */
static void use_own_objects(void)
{
	struct fast_end end;
	struct side side;

	fast_client_open(&end, SERVICE);
	side_open(&side, &end, 0);
	side_exchange(&side, N_MSGS);
	side_close(&side);
	fast_end_close(&end);
}

static void fork_twice(int sock, void *arg)
{
	struct fast_end end;
	struct side side;
	pid_t pid;

	(void)arg;
	fast_client_open(&end, SERVICE);
	side_open(&side, &end, 0);
	side_exchange(&side, N_MSGS);
	fork_with_pending(sock, &side);
	pid = CHILD_LIVES ? fork() : -1;
	if (pid == 0) {
		use_own_objects();
		_exit(0);
	}
	side_exchange(&side, N_MSGS);
	if (CHILD_LIVES)
		child_await(pid);
	lab_signal(sock);
	side_exchange(&side, N_MSGS);
	lab_wait(sock);
	side_close(&side);
	fast_end_close(&end);
}

START_TEST(forked_children)
{
	struct side side, other;
	struct lab_child child;
	struct fast_end end;

	child = side_connect(&end, &side, fork_twice);
	side_exchange(&side, N_MSGS);
	side_send_some(&side, 4);
	side_exchange(&side, 4);
	lab_wait(child.sock);
	lab_signal(child.sock);
	/* The child has its own connection meanwhile. */
	side_exchange(&side, N_MSGS);
	if (CHILD_LIVES) {
		fast_await(&end, &end.n_connects, 2);
		side_open(&other, &end, 1);
		side_exchange(&other, N_MSGS);
		fast_await(&end, &end.n_disconnects, 1);
		side_close(&other);
	}
	lab_wait(child.sock);
	side_exchange(&side, N_MSGS);
	lab_signal(child.sock);
	fast_await(&end, &end.n_disconnects, CHILD_LIVES ? 2 : 1);
	lab_join(&child);
	side_close(&side);
	fast_end_close(&end);
}
END_TEST

/* The process dies; its child holds all of its descriptors and outlives it. */
static void fork_and_die(int sock, void *arg)
{
	struct fast_end end;
	struct side side;

	(void)arg;
	fast_client_open(&end, SERVICE);
	side_open(&side, &end, 0);
	side_exchange(&side, N_MSGS);
	if (fork() == 0) {
		lab_signal(sock);
		lab_wait(sock);
		_exit(0);
	}
	pause();
}

START_TEST(a_child_of_an_ended_parent)
{
	struct lab_child child;
	struct fast_end end;
	struct side side;
	uint64_t deadline;

	child = side_connect(&end, &side, fork_and_die);
	side_exchange(&side, N_MSGS);
	lab_wait(child.sock);
	kill(child.pid, SIGKILL);
	deadline = deadline_ns();
	while (end.n_disconnects == 0) {
		doca_error_t result = side_send(&side);

		ck_assert_msg(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
				      result == DOCA_ERROR_NO_MEMORY ||
				      result == DOCA_ERROR_NOT_FOUND ||
				      result == DOCA_ERROR_NOT_CONNECTED ||
				      result == DOCA_ERROR_CONNECTION_RESET,
			      "%s", dococ_last_error());
		doca_pe_progress(end.pe);
		ck_assert_msg(clock_now_ns() < deadline, "it is not seen to end: %s",
			      dococ_last_error());
	}
	lab_signal(child.sock);
	lab_kill(&child);
	use_ctx_await(end.pe, side.sink.ctx, DOCA_CTX_STATE_IDLE);
	fast_sink_close(&side.sink);
	fast_source_close(&side.source);
	fast_end_close(&end);
}
END_TEST

/* --- operators --- */

/* Returns SUCCESS while there may be more. */
static doca_error_t side_exchange_step(struct side *side)
{
	doca_error_t result = side_send(side);

	doca_pe_progress(side->end->pe);
	if (side->source.n_failed > 0)
		return DOCA_ERROR_CONNECTION_RESET;
	return result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_NO_MEMORY ? DOCA_SUCCESS : result;
}

static bool was_notified(int sock)
{
	struct pollfd pfd = {.fd = sock, .events = POLLIN};

	return poll(&pfd, 1, 0) > 0;
}

/* Exchanges messages until one end can no longer send. That end notifies the other one. */
static void exchange_until_lost(int sock, struct side *side)
{
	uint64_t deadline = deadline_ns();
	doca_error_t result;

	do {
		result = side_exchange_step(side);
		ck_assert_msg(clock_now_ns() < deadline, "nothing ends: %s", dococ_last_error());
	} while (result == DOCA_SUCCESS && !was_notified(sock));
	ck_assert_msg(result == DOCA_SUCCESS || result == DOCA_ERROR_CONNECTION_RESET ||
			      result == DOCA_ERROR_NOT_CONNECTED || result == DOCA_ERROR_NOT_FOUND,
		      "%s", dococ_last_error());
	lab_signal(sock);
	lab_wait(sock);
	/* Every task in flight ends. */
	while (side->source.n_idle < side->source.n_tasks) {
		doca_pe_progress(side->end->pe);
		ck_assert_msg(clock_now_ns() < deadline, "%u tasks are left",
			      side->source.n_tasks - side->source.n_idle);
	}
}

static void exchange_main(int sock, void *arg)
{
	struct fast_end end;
	struct side side;

	(void)arg;
	fast_client_open(&end, SERVICE);
	side_open(&side, &end, 0);
	side_exchange(&side, N_MSGS);
	lab_signal(sock);
	exchange_until_lost(sock, &side);
	side_close(&side);
	fast_end_close(&end);
}

/* Each intervention ends the messages of at least one direction. */
static const struct {
	const char *nouns, *verb;
	enum lab_side side;
} interventions[] = {
	{"channels", "disconnect", LAB_DPU},
	{"clients", "drop", LAB_HOST},
	{"clients", "drop", LAB_DPU},
	{"exports", "revoke", LAB_HOST},
};

static void own_objects_main(int sock, void *arg)
{
	(void)sock;
	(void)arg;
	use_own_objects();
}

/* Another connection is established after all of this. */
static void serve_once(void)
{
	struct lab_child child;
	struct fast_end end;
	struct side side;

	child = side_connect(&end, &side, own_objects_main);
	side_exchange(&side, N_MSGS);
	fast_await(&end, &end.n_disconnects, 1);
	lab_join(&child);
	side_close(&side);
	fast_end_close(&end);
}

START_TEST(an_operator)
{
	enum lab_side at = interventions[_i].side;
	struct lab_child child;
	struct fast_end end;
	struct side side;

	child = side_connect(&end, &side, exchange_main);
	side_exchange(&side, N_MSGS);
	lab_wait(child.sock);
	tls_lab_admin_all(&lab, at, interventions[_i].nouns, interventions[_i].verb);
	exchange_until_lost(child.sock, &side);
	side_close(&side);
	lab_join(&child);
	fast_end_close(&end);
	serve_once();
}
END_TEST

static void exchange_and_wait(int sock, void *arg)
{
	struct fast_end end;
	struct side side;

	(void)arg;
	fast_client_open(&end, SERVICE);
	side_open(&side, &end, 0);
	side_exchange(&side, N_MSGS);
	lab_signal(sock);
	lab_wait(sock);
	side_close(&side);
	fast_end_close(&end);
}

/* There is no sender: the consumer is notified, and its connection continues. _i: sleeping. */
START_TEST(a_consumer_is_revoked)
{
	uint64_t deadline = deadline_ns();
	enum doca_ctx_states state;
	struct lab_child child;
	struct fast_end end;
	struct side side;

	child = side_connect(&end, &side, exchange_and_wait);
	side_exchange(&side, N_MSGS);
	lab_wait(child.sock);
	while (_i && doca_pe_progress(end.pe))
		continue;
	tls_lab_admin_all(&lab, LAB_DPU, "exports", "revoke");
	for (;;) {
		OK(doca_ctx_get_state(side.sink.ctx, &state));
		if (state == DOCA_CTX_STATE_IDLE)
			break;
		ck_assert_msg(clock_now_ns() < deadline, "it goes on waiting");
		if (!doca_pe_progress(end.pe) && _i)
			fast_sleep(end.pe, (int)runner_timeout_ms(10000));
	}
	ck_assert_uint_eq(side.sink.n_flushed, N_BUFS);
	ck_assert_int_eq(side.sink.flush_code, DOCA_ERROR_CONNECTION_RESET);
	ck_assert_uint_eq(end.n_disconnects, 0);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "was revoked"));
	/* The consumer can be started again, with another export. */
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(side.sink.ctx));
	use_ctx_await(end.pe, side.sink.ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_ctx_stop(side.sink.ctx));
	fast_source_close(&side.source);
	fast_sink_close(&side.sink);
	lab_signal(child.sock);
	lab_join(&child);
	fast_end_close(&end);
}
END_TEST

/* --- the network --- */

#define N_HOLDS 3u
#define N_HELD  20u

static void exchange_held(int sock, void *arg)
{
	struct fast_end end;
	struct side side;

	(void)arg;
	fast_client_open(&end, SERVICE);
	side_open(&side, &end, 0);
	side_exchange(&side, N_HOLDS * N_HELD);
	lab_signal(sock);
	lab_wait(sock);
	side_close(&side);
	fast_end_close(&end);
}

/* The network is held for a while: messages in flight arrive afterwards. */
START_TEST(network_delay)
{
	struct lab_child child;
	struct fast_end end;
	struct side side;
	uint64_t deadline;

	child = side_connect(&end, &side, exchange_held);
	for (unsigned i = 0; i < N_HOLDS; i++) {
		deadline = deadline_ns();
		network_pause(&network);
		while (network_n_held(&network) == 0) {
			ck_assert_int_eq(side.n_sent < (i + 1) * N_HELD ? side_exchange_step(&side)
									: DOCA_SUCCESS,
					 DOCA_SUCCESS);
			ck_assert_msg(clock_now_ns() < deadline, "nothing was under way");
		}
		network_resume(&network);
		side_exchange(&side, N_HELD);
	}
	lab_wait(child.sock);
	lab_signal(child.sock);
	fast_await(&end, &end.n_disconnects, 1);
	lab_join(&child);
	ck_assert_uint_eq(side.sink.n_recv, N_HOLDS * N_HELD);
	side_close(&side);
	fast_end_close(&end);
}
END_TEST

static void await_links(unsigned n)
{
	uint64_t deadline = deadline_ns();

	for (int i = 0; i < LAB_N_SIDES; i++) {
		while (tls_lab_count_log(&lab, (enum lab_side)i, "linked to") < n) {
			ck_assert_msg(clock_now_ns() < deadline, "they are not linked again");
			poll(NULL, 0, 10);
		}
	}
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, 10000);
}

/*
 * The network breaks with messages in flight: each ends, and after a new link there is a new
 * connection.
 */
START_TEST(link_is_cut_with_messages_in_flight)
{
	struct lab_child child;
	struct fast_end end;
	struct side side;

	child = side_connect(&end, &side, exchange_main);
	side_exchange(&side, N_MSGS);
	lab_wait(child.sock);
	for (unsigned i = 0; i < N_MSGS; i++)
		OK(side_exchange_step(&side));
	network_disconnect(&network);
	exchange_until_lost(child.sock, &side);
	side_close(&side);
	lab_join(&child);
	await_links(2);
	fast_end_close(&end);
	serve_once();
}
END_TEST

/* --- streams --- */

#define MOST_EACH 32u /* limit from one process to another */

static doca_error_t send_short(struct fast_source *source, const struct fast_end *end)
{
	return fast_send_retry(source, end->peers[0], 0, 100, NULL, 0);
}

/* One message by each of n producers; the last may be refused until another one has ended. */
static void send_by_many(int sock, void *arg)
{
	unsigned n_sources = *(unsigned *)arg, n;
	struct fast_source memory[MOST_EACH + 1], *sources[MOST_EACH + 1];
	uint64_t deadline = deadline_ns();
	bool is_refused = false;
	doca_error_t result;
	struct fast_end end;

	fast_client_open(&end, SERVICE);
	fast_await(&end, &end.n_new, 1);
	for (n = 0; n < n_sources && !is_refused; n++) {
		sources[n] = &memory[n];
		fast_source_open(sources[n], &end, end.pe, 1, 100);
		result = send_short(sources[n], &end);
		is_refused = result == DOCA_ERROR_FULL;
		if (!is_refused)
			OK(result);
	}
	ck_assert_uint_eq(n, n_sources);
	/* Again: the refusal left nothing behind. */
	if (is_refused)
		EXPECT(DOCA_ERROR_FULL, send_short(sources[n - 1], &end));
	lab_send(sock, &is_refused, sizeof(is_refused));
	if (is_refused) {
		ck_assert_msg(strstr(dococ_last_error(), "64 ") != NULL &&
				      strstr(dococ_last_error(), "32 of one process") != NULL,
			      "%s", dococ_last_error());
		lab_wait(sock);
		if (n > 1) {
			fast_source_close(sources[0]);
			sources[0] = sources[--n];
		}
		while ((result = send_short(sources[0], &end)) == DOCA_ERROR_FULL)
			ck_assert_msg(clock_now_ns() < deadline, "%s", dococ_last_error());
		OK(result);
	}
	lab_wait(sock);
	while (n > 0)
		fast_source_close(sources[--n]);
	fast_end_close(&end);
}

static void sink_await(struct fast_end *end, struct fast_sink *sink, uint64_t n)
{
	uint64_t deadline = deadline_ns();

	while (sink->n_recv < n) {
		doca_pe_progress(end->pe);
		ck_assert_msg(clock_now_ns() < deadline, "%u of %u", (unsigned)sink->n_recv,
			      (unsigned)n);
	}
}

/* Half of the streams go to one process, all to two; the third waits for one of those to end. */
START_TEST(streams_run_out)
{
	unsigned n_sources[] = {MOST_EACH + 1, MOST_EACH, 1};
	const bool is_over[] = {true, false, true};
	struct fast_sink sinks[ARRAY_LEN(n_sources)];
	struct lab_child children[ARRAY_LEN(n_sources)];
	struct fast_end end;
	bool is_refused;

	fast_server_open(&end, SERVICE);
	for (unsigned i = 0; i < ARRAY_LEN(n_sources); i++) {
		children[i] = lab_fork(&lab, LAB_HOST, send_by_many, &n_sources[i]);
		fast_await(&end, &end.n_connects, i + 1);
		fast_sink_open(&sinks[i], &end, end.pe, FAST_PRIVATE, 2 * MOST_EACH, 100);
		sink_await(&end, &sinks[i], n_sources[i] - is_over[i]);
		lab_recv(children[i].sock, &is_refused, sizeof(is_refused));
		ck_assert_int_eq(is_refused, is_over[i]);
		if (i == 0) {
			lab_signal(children[i].sock);
			sink_await(&end, &sinks[i], n_sources[i]);
		}
	}
	/* The first ends, the third starts. */
	for (unsigned i = 0; i < ARRAY_LEN(n_sources); i++) {
		if (i == 2) {
			lab_signal(children[i].sock);
			sink_await(&end, &sinks[i], n_sources[i]);
		}
		lab_signal(children[i].sock);
		fast_await(&end, &end.n_disconnects, i + 1);
		lab_join(&children[i]);
		use_ctx_await(end.pe, sinks[i].ctx, DOCA_CTX_STATE_IDLE);
		fast_sink_close(&sinks[i]);
	}
	fast_end_close(&end);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "forks");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, forked_children);
	tcase_add_test(tcase, a_child_of_an_ended_parent);

	tcase = runner_case(suite, "operators");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, an_operator, 0, ARRAY_LEN(interventions));
	tcase_add_loop_test(tcase, a_consumer_is_revoked, 0, 2);

	tcase = runner_case(suite, "network");
	tcase_add_checked_fixture(tcase, setup_network, teardown_network);
	tcase_add_test(tcase, network_delay);
	tcase_add_test(tcase, link_is_cut_with_messages_in_flight);

	tcase = runner_case(suite, "streams");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, streams_run_out);
}

int main(void)
{
	lab_require();
	return runner_main("remote_fast_ends", add_cases, NULL);
}
