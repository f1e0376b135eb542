/*
 * Message channels between two machines: host and DPU are linked over TLS, and the daemons carry
 * the messages. Every size, both directions at once, undamaged and in order; many clients. A
 * receiver that does not receive blocks its sender, after the same number of messages as on one
 * machine, and no other client. The other end detects every end, of a program or a daemon, by a
 * kill or a disconnect, and earlier messages arrive.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/runner.h"
#include "tests/lib/talk.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define SERVICE  "relay"
#define QUEUE    256u /* of both ends, in messages: as talk.c sets it */
#define AWAIT_MS 20000

static struct tls_lab tls;
static struct lab lab;

static void setup_with(const char *keys)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_configure_host(&tls, "host", "dpu", keys);
	tls_lab_start(&tls, &lab, true, true);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
}

static void setup(void)
{
	setup_with("timeout_ms = 60000\n");
}

/* The host's daemon has a short timeout. */
static void setup_short_timeout(void)
{
	setup_with(TLS_LAB_SILENCE);
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

static uint64_t deadline(void)
{
	return clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
}

/* Progresses until the condition holds. A macro, because the expression is evaluated again. */
#define AWAIT(pe, what)                                                           \
	for (uint64_t until_ = deadline(); !(what); use_progress(pe))             \
	EXPECT_TRUE(clock_now_ns() < until_, "%s does not come true (%s)", #what, \
		    dococ_last_error())

/* --- ends --- */

/* An end in this process or another; received messages are checked. */
struct end {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct talk talk;
	uint32_t seed_in;
	uint8_t *out;
};

/* Sizes around all limits first, then random ones. */
static uint32_t nth_len(uint32_t seed, uint64_t n, uint32_t max)
{
	static const uint32_t edges[] = {1,     2,     7,     8,     9,     63,    64,    65,
					 4079,  4080,  4096,  32756, 32760, 32763, 32764, 32765,
					 32768, 32769, 65531, 65532, 65536, 65537};
	uint32_t x = seed * 2654435761u + (uint32_t)n * 40503u;

	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	if (n == 0)
		return max;
	return n < ARRAY_LEN(edges) && edges[n] <= max ? edges[n] : 1 + x % max;
}

static void check_message(struct talk *talk, struct doca_comch_connection *connection,
			  const uint8_t *bytes, uint32_t len)
{
	struct end *end = talk->owner;
	uint64_t n = talk->n_received - 1;

	(void)connection;
	ck_assert_uint_eq(len, nth_len(end->seed_in, n, talk->msg_max));
	ck_assert_msg(use_is_filled(bytes, len, end->seed_in + (uint32_t)n),
		      "message %llu of %u bytes is harmed", (unsigned long long)n, len);
}

static void end_open(struct end *end, uint32_t max, uint32_t seed_in)
{
	*end = (struct end){.seed_in = seed_in, .out = malloc(max)};
	ck_assert_ptr_nonnull(end->out);
	end->talk.owner = end;
	end->talk.on_message = check_message;
	end->talk.msg_max = max;
	OK(doca_pe_create(&end->pe));
}

static void end_serve(struct end *end, uint32_t n_tasks)
{
	end->dev = use_dev(USE_DPU_P0);
	talk_serve(&end->talk, end->pe, end->dev, SERVICE, n_tasks);
}

static void end_connect(struct end *end, uint32_t n_tasks)
{
	end->dev = use_dev(USE_HOST_PF0);
	talk_connect(&end->talk, end->pe, end->dev, SERVICE, n_tasks);
	use_ctx_await(end->pe, end->talk.ctx, DOCA_CTX_STATE_RUNNING);
	talk_connected(&end->talk);
}

static void end_close(struct end *end)
{
	talk_end(&end->talk);
	OK(doca_pe_destroy(end->pe));
	OK(doca_dev_close(end->dev));
	free(end->out);
}

/* Sends the n-th message of a stream. Returns false without room. */
static bool end_send(struct end *end, uint32_t seed, uint64_t n)
{
	uint32_t len = nth_len(seed, n, end->talk.msg_max);

	use_fill(end->out, len, seed + (uint32_t)n);
	return talk_send(&end->talk, end->talk.connection, end->out, len);
}

/* --- sizes --- */

struct load {
	uint32_t max, n_tasks;
	uint64_t n; /* messages in each direction */
};

#define SEED_HOST 1000u
#define SEED_DPU  2000000u

static void exchange(struct end *end, const struct load *load, uint32_t seed)
{
	uint64_t until = deadline(), sent = 0;

	while (sent < load->n || end->talk.n_received < load->n ||
	       end->talk.n_sent < end->talk.n_submitted) {
		EXPECT_TRUE(clock_now_ns() < until, "%llu sent, %llu received of %llu: %s",
			    (unsigned long long)sent, (unsigned long long)end->talk.n_received,
			    (unsigned long long)load->n, dococ_last_error());
		if (sent < load->n && end_send(end, seed, sent))
			sent++;
		use_progress(end->pe);
	}
	ck_assert_uint_eq(end->talk.n_received, load->n);
}

static void client_exchange(int sock, void *arg)
{
	const struct load *load = arg;
	struct end end;

	end_open(&end, load->max, SEED_DPU);
	end_connect(&end, load->n_tasks);
	exchange(&end, load, SEED_HOST);
	lab_signal(sock);
	lab_wait(sock);
	end_close(&end);
}

START_TEST(every_size_in_both_directions)
{
	static const struct load loads[] = {{70000, 16, 400}, {64, 64, 5000}, {1u << 20, 4, 24}};
	struct load load = loads[_i];
	struct lab_child client;
	struct end end;

	end_open(&end, load.max, SEED_HOST);
	end_serve(&end, load.n_tasks);
	client = lab_fork(&lab, LAB_HOST, client_exchange, &load);
	AWAIT(end.pe, end.talk.n_connected == 1);
	exchange(&end, &load, SEED_DPU);
	lab_wait(client.sock);
	lab_signal(client.sock);
	AWAIT(end.pe, end.talk.n_left == 1);
	lab_join(&client);
	end_close(&end);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, AWAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, AWAIT_MS);
}
END_TEST

/* --- many --- */

#define N_PROCESSES 3u
#define N_CLIENTS   24u /* per process */
#define N_ROUNDS    15u

struct group {
	const char *service;
	uint32_t number;
};

struct question {
	uint32_t process, client, round;
};

static void on_echo(struct talk *talk, struct doca_comch_connection *connection,
		    const uint8_t *bytes, uint32_t len)
{
	const struct question *expected = talk->owner;

	(void)connection;
	ck_assert_uint_eq(len, sizeof(*expected));
	ck_assert_mem_eq(bytes, expected, sizeof(*expected));
}

static void clients_main(int sock, void *arg)
{
	const struct group *group = arg;
	struct talk *talks = calloc(N_CLIENTS, sizeof(*talks));
	struct question questions[N_CLIENTS];
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;

	(void)sock;
	ck_assert_ptr_nonnull(talks);
	OK(doca_pe_create(&pe));
	for (uint32_t i = 0; i < N_CLIENTS; i++) {
		questions[i] = (struct question){group->number, i, 0};
		talks[i].owner = &questions[i];
		talks[i].on_message = on_echo;
		talk_connect(&talks[i], pe, dev, group->service, 1);
	}
	for (uint32_t i = 0; i < N_CLIENTS; i++) {
		use_ctx_await(pe, talks[i].ctx, DOCA_CTX_STATE_RUNNING);
		talk_connected(&talks[i]);
	}
	for (uint32_t round = 0; round < N_ROUNDS; round++) {
		for (uint32_t i = 0; i < N_CLIENTS; i++) {
			questions[i].round = round;
			ck_assert(talk_send(&talks[i], talks[i].connection, &questions[i],
					    sizeof(questions[i])));
		}
		for (uint32_t i = 0; i < N_CLIENTS; i++)
			AWAIT(pe, talks[i].n_received == round + 1 && talks[i].n_sent == round + 1);
	}
	for (uint32_t i = 0; i < N_CLIENTS; i++)
		talk_end(&talks[i]);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
	free(talks);
}

static void echo(struct talk *talk, struct doca_comch_connection *connection, const uint8_t *bytes,
		 uint32_t len)
{
	ck_assert(talk_send(talk, connection, bytes, len));
}

START_TEST(many_clients)
{
	struct group groups[N_PROCESSES];
	struct lab_child children[N_PROCESSES];
	struct end end;

	end_open(&end, TALK_MSG_MAX, 0);
	end.talk.on_message = echo;
	end_serve(&end, 256);
	for (uint32_t i = 0; i < N_PROCESSES; i++) {
		groups[i] = (struct group){SERVICE, i};
		children[i] = lab_fork(&lab, LAB_HOST, clients_main, &groups[i]);
	}
	AWAIT(end.pe, end.talk.n_left == N_PROCESSES * N_CLIENTS);
	ck_assert_uint_eq(end.talk.n_received, N_PROCESSES * N_CLIENTS * N_ROUNDS);
	for (uint32_t i = 0; i < N_PROCESSES; i++)
		lab_join(&children[i]);
	end_close(&end);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, AWAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, AWAIT_MS);
}
END_TEST

/* --- a receiver that does not receive --- */

/* Sends as long as there is room, reports the number, and sends some more at a signal. */
static void client_fills_queue(int sock, void *arg)
{
	uint64_t n = 0, total = *(const uint64_t *)arg, until = deadline();
	struct end end;

	end_open(&end, 5000, 0);
	end_connect(&end, 2 * QUEUE);
	while (end_send(&end, SEED_HOST, n)) {
		n++;
		AWAIT(end.pe, end.talk.n_sent == n);
	}
	/* No end receives: there is never more room than the other end's queue has. */
	for (int i = 0; i < 200; i++) {
		ck_assert(!end_send(&end, SEED_HOST, n));
		use_progress(end.pe);
		poll(NULL, 0, 1);
	}
	lab_send(sock, &n, sizeof(n));
	while (n < total) {
		EXPECT_TRUE(clock_now_ns() < until, "%s", dococ_last_error());
		if (end_send(&end, SEED_HOST, n))
			n++;
		use_progress(end.pe);
	}
	/* Sent messages arrive although this end disconnects now. */
	end_close(&end);
}

START_TEST(slow_receiver_delays_only_its_sender)
{
	struct group group = {.service = SERVICE "-quick", .number = 7};
	uint64_t n, total = 2000;
	struct lab_child flood, child;
	struct end slow, quick;

	end_open(&slow, 5000, SEED_HOST);
	end_serve(&slow, 4);
	flood = lab_fork(&lab, LAB_HOST, client_fills_queue, &total);
	AWAIT(slow.pe, slow.talk.n_connected == 1);
	lab_recv(flood.sock, &n, sizeof(n));
	ck_assert_uint_eq(n, QUEUE);
	/* A client of another service, while the first is blocked. */
	end_open(&quick, TALK_MSG_MAX, 0);
	quick.talk.on_message = echo;
	quick.dev = use_dev(USE_DPU_P0);
	talk_serve(&quick.talk, quick.pe, quick.dev, group.service, 256);
	child = lab_fork(&lab, LAB_HOST, clients_main, &group);
	AWAIT(quick.pe, quick.talk.n_left == N_CLIENTS);
	ck_assert_uint_eq(quick.talk.n_received, N_CLIENTS * N_ROUNDS);
	lab_join(&child);
	end_close(&quick);
	ck_assert_uint_eq(slow.talk.n_received, 0);
	AWAIT(slow.pe, slow.talk.n_received == total && slow.talk.n_left == 1);
	lab_join(&flood);
	end_close(&slow);
}
END_TEST

/* --- ends --- */

enum leaving { LEAVES, IS_KILLED };

/* Fills the queue, and then ends, in order or not. */
static void client_leaves(int sock, void *arg)
{
	enum leaving how = *(const enum leaving *)arg;
	struct end end;

	end_open(&end, 4080, 0);
	end_connect(&end, QUEUE);
	for (uint64_t n = 0; n < QUEUE; n++)
		AWAIT(end.pe, end_send(&end, SEED_HOST, n));
	lab_signal(sock);
	if (how == IS_KILLED)
		raise(SIGKILL);
	end_close(&end);
}

START_TEST(what_was_sent_before_arrives)
{
	enum leaving how = (enum leaving)_i;
	struct lab_child client;
	struct end end;

	end_open(&end, 4080, SEED_HOST);
	end_serve(&end, 4);
	client = lab_fork(&lab, LAB_HOST, client_leaves, &how);
	AWAIT(end.pe, end.talk.n_connected == 1);
	lab_wait(client.sock);
	AWAIT(end.pe, end.talk.n_left == 1);
	ck_assert_uint_eq(end.talk.n_received, QUEUE);
	if (how == IS_KILLED)
		lab_kill(&client);
	else
		lab_join(&client);
	end_close(&end);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, AWAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, AWAIT_MS);
}
END_TEST

/* --- loss of the other end or of the link --- */

static void expect_sentence(const char *text)
{
	ck_assert_msg(strstr(dococ_last_error(), text) != NULL, "'%s' does not say '%s'",
		      dococ_last_error(), text);
}

/* Like AWAIT, but sleeps whenever there is no work. */
#define SLEEP_UNTIL(pe, what)                                                     \
	for (uint64_t until_ = deadline(); !(what); sleep_until_notified(pe))     \
	EXPECT_TRUE(clock_now_ns() < until_, "%s does not come true (%s)", #what, \
		    dococ_last_error())

static void sleep_until_notified(struct doca_pe *pe)
{
	doca_notification_handle_t handle;
	struct pollfd pfd = {.events = POLLIN};

	if (doca_pe_progress(pe))
		return;
	OK(doca_pe_get_notification_handle(pe, &handle));
	OK(doca_pe_request_notification(pe));
	pfd.fd = handle;
	if (poll(&pfd, 1, 1000) > 0)
		OK(doca_pe_clear_notification(pe, handle));
}

static bool is_running(const struct end *end)
{
	enum doca_ctx_states state;

	OK(doca_ctx_get_state(end->talk.ctx, &state));
	return state == DOCA_CTX_STATE_RUNNING;
}

static void client_loses_its_peer(int sock, void *arg)
{
	const char *sentence = arg;
	struct end end;

	end_open(&end, TALK_MSG_MAX, 0);
	end_connect(&end, 4);
	ck_assert(end_send(&end, SEED_HOST, 0));
	AWAIT(end.pe, end.talk.n_sent == 1);
	lab_signal(sock);
	SLEEP_UNTIL(end.pe, !is_running(&end));
	if (sentence)
		expect_sentence(sentence);
	end_close(&end);
}

static void server_serves(int sock, void *arg)
{
	struct end end;

	(void)arg;
	end_open(&end, TALK_MSG_MAX, SEED_HOST);
	end_serve(&end, 4);
	lab_signal(sock);
	SLEEP_UNTIL(end.pe, end.talk.n_received == 1);
	lab_signal(sock);
	SLEEP_UNTIL(end.pe, end.talk.n_left == 1);
	lab_signal(sock);
	lab_wait(sock);
	end_close(&end);
}

struct couple {
	struct lab_child server, client;
};

static void pair_start(struct couple *couple, const char *sentence)
{
	couple->server = lab_fork(&lab, LAB_DPU, server_serves, NULL);
	lab_wait(couple->server.sock);
	couple->client = lab_fork(&lab, LAB_HOST, client_loses_its_peer,
				  (void *)(uintptr_t)sentence);
	lab_wait(couple->client.sock);
	lab_wait(couple->server.sock);
}

START_TEST(the_server_is_killed)
{
	struct couple couple;

	pair_start(&couple, "the connection to the server broke (connection reset");
	lab_kill(&couple.server);
	lab_join(&couple.client);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, AWAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, AWAIT_MS);
}
END_TEST

static void pair_check_new(void)
{
	struct couple couple;

	pair_start(&couple, NULL);
	lab_kill(&couple.server);
	lab_join(&couple.client);
}

/* A daemon of either side, stopped or killed: both ends detect it, and new channels work. */
START_TEST(a_daemon_goes)
{
	enum lab_side side = _i & 1 ? LAB_DPU : LAB_HOST;
	struct couple couple;

	pair_start(&couple, side == LAB_DPU ? "the connection to the server broke" : NULL);
	if (_i & 2)
		lab_kill_daemon(&lab, side);
	else
		lab_stop_daemon(&lab, side);
	lab_join(&couple.client);
	lab_wait(couple.server.sock);
	lab_start_daemon(&lab, side);
	lab_signal(couple.server.sock);
	lab_join(&couple.server);
	pair_check_new();
}
END_TEST

/* A machine that is switched off. */
START_TEST(other_machine_is_switched_off)
{
	struct couple couple;

	pair_start(&couple, "the connection to the server broke");
	lab_freeze(lab.daemons[LAB_DPU].pid);
	tls_lab_set_timeout(&tls, &lab, LAB_HOST, 200);
	lab_join(&couple.client);
	tls_lab_set_timeout(&tls, &lab, LAB_HOST, 60000);
	lab_thaw(lab.daemons[LAB_DPU].pid);
	lab_wait(couple.server.sock);
	lab_await(&lab, LAB_HOST, LAB_PEERS, 1, AWAIT_MS);
	lab_signal(couple.server.sock);
	lab_join(&couple.server);
	pair_check_new();
}
END_TEST

/* --- quotas --- */

/* For the host only: rings of 4 MiB exceed its users' quota. */
static void setup_low_quota(void)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_configure_host(&tls, "host", "dpu",
			       "timeout_ms = 60000\n[quota]\nbytes = 1000000\n");
	tls_lab_start(&tls, &lab, true, true);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
}

static void client_over_quota(int sock, void *arg)
{
	struct end end;

	(void)arg;
	end_open(&end, 70000, 0);
	end.dev = use_dev(USE_HOST_PF0);
	talk_connect(&end.talk, end.pe, end.dev, SERVICE, 4);
	use_ctx_await(end.pe, end.talk.ctx, DOCA_CTX_STATE_STOPPING);
	expect_sentence(doca_error_get_descr(DOCA_ERROR_FULL));
	end_close(&end);
	/* Smaller ones have room. */
	end_open(&end, TALK_MSG_MAX, 0);
	end_connect(&end, 4);
	ck_assert(end_send(&end, SEED_HOST, 0));
	AWAIT(end.pe, end.talk.n_sent == 1);
	lab_signal(sock);
	end_close(&end);
}

START_TEST(memory_is_charged)
{
	struct lab_child client;
	struct end end;

	end_open(&end, 70000, SEED_HOST);
	/* Lengths depend on the connection's limit, which is different here. */
	end.talk.on_message = NULL;
	end_serve(&end, 4);
	client = lab_fork(&lab, LAB_HOST, client_over_quota, NULL);
	AWAIT(end.pe, end.talk.n_left == 2);
	ck_assert_uint_eq(end.talk.n_received, 1);
	lab_join(&client);
	end_close(&end);
	ck_assert(lab_log_has(&lab, LAB_HOST, "whose messages would be relayed"));
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, AWAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, AWAIT_MS);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "relay");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, every_size_in_both_directions, 0, 3);
	tcase_add_test(tcase, many_clients);
	tcase_add_test(tcase, slow_receiver_delays_only_its_sender);
	tcase_add_loop_test(tcase, what_was_sent_before_arrives, 0, 2);
	tcase_add_test(tcase, the_server_is_killed);
	tcase_add_loop_test(tcase, a_daemon_goes, 0, 4);

	tcase = runner_case(suite, "silence");
	tcase_add_checked_fixture(tcase, setup_short_timeout, teardown);
	tcase_add_test(tcase, other_machine_is_switched_off);

	tcase = runner_case(suite, "quotas");
	tcase_add_checked_fixture(tcase, setup_low_quota, teardown);
	tcase_add_test(tcase, memory_is_charged);
}

int main(void)
{
	lab_require();
	return runner_main("relay", add_cases, NULL);
}
