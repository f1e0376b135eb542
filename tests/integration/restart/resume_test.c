/*
 * Partial resumption, under a service manager (simulated by the lab) that does not return
 * everything, and ends at the other side while a daemon was away: the rest continues, affected
 * clients are notified, and operators see the actual state.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/assert.h"
#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/lab_store.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define SERVICE "resume"
#define WAIT_MS 10000

static struct lab lab;

static void setup_with(size_t fd_store, size_t store_max)
{
	const struct lab_options options = {.fd_store = fd_store, .store_max = store_max};

	lab_setup(&lab, &options);
}

static void setup(void)
{
	setup_with(256, 0);
}

static void teardown(void)
{
	for (int i = 0; i < LAB_N_SIDES; i++)
		lab_await(&lab, (enum lab_side)i, LAB_CLIENTS, 0, WAIT_MS);
	lab_teardown(&lab);
}

/* On a busy machine this process, which acts as the manager, may not have read for a while. */
static void await_persisted(enum lab_side side)
{
	lab_listen(&lab);
	if (lab_log_has(&lab, side, "after a restart: the service manager does not read"))
		lab_await_log(&lab, side, "would be resumed after a restart", WAIT_MS);
}

static void restart(enum lab_side side, bool by_force)
{
	await_persisted(side);
	if (by_force)
		lab_kill_daemon(&lab, side);
	else
		lab_stop_daemon(&lab, side);
	lab_start_daemon(&lab, side);
}

/* Waits for a child's signal; meanwhile the manager reads the daemons' messages. */
static void await_child(int sock)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
	struct pollfd fds[] = {{.fd = sock, .events = POLLIN},
			       {.fd = lab.notify_fd, .events = POLLIN}};

	do {
		ck_assert_msg(clock_now_ns() < deadline, "the other process is not done");
		ck_assert_int_ge(poll(fds, ARRAY_LEN(fds), 100), 0);
		lab_listen(&lab);
	} while (fds[0].revents == 0);
	lab_wait(sock);
}

/* --- the operators' view --- */

static char *admin(const char *noun)
{
	static char command[4096];
	const char *build = getenv("top_builddir");
	char *text = calloc(1, 65536);
	FILE *f;

	snprintf(command, sizeof(command), "%s/doca-admin %s --dir %s --side dpu",
		 build == NULL ? "." : build, noun, lab.dir);
	ck_assert_ptr_nonnull(text);
	f = popen(command, "re");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(text, 1, 65535, f), 0);
	ck_assert_msg(pclose(f) == 0, "%s", command);
	return text;
}

/* --- a server and a client with a consumer --- */

static void send_word(struct fast_end *end)
{
	struct doca_comch_task_send *task;

	if (end->server != NULL)
		OK(doca_comch_server_task_send_alloc_init(end->server, end->conn, "word", 4,
							  &task));
	else
		OK(doca_comch_client_task_send_alloc_init(end->client, end->conn, "word", 4,
							  &task));
	OK(doca_task_submit(doca_comch_task_send_as_task(task)));
}

/* A message there and back, with the next numbers of this process. */
static void echo_word(struct fast_end *end)
{
	static unsigned n;

	if (end->client != NULL)
		send_word(end);
	fast_await(end, &end->n_messages, ++n);
	if (end->server != NULL)
		send_word(end);
}

/* Continues at a signal, and reports the number of expired consumers. */
static void server(int sock, void *arg)
{
	struct fast_end end;
	unsigned n_expired;

	(void)arg;
	fast_server_open(&end, SERVICE);
	lab_signal(sock);
	fast_await(&end, &end.n_new, 1);
	echo_word(&end);
	lab_signal(sock);
	lab_recv(sock, &n_expired, sizeof(n_expired));
	fast_await(&end, &end.n_expired, n_expired);
	if (n_expired > 0)
		ck_assert_uint_eq(end.last_expired, end.peers[0]);
	lab_signal(sock);
	echo_word(&end);
	fast_await(&end, &end.n_disconnects, 1);
	ck_assert_uint_eq(end.n_new, 1);
	fast_end_close(&end);
}

/* keeps: its consumer, until the end. */
static void client(int sock, void *arg)
{
	bool keeps = *(const bool *)arg;
	struct fast_sink sink;
	struct fast_end end;

	fast_client_open(&end, SERVICE);
	lab_signal(sock);
	lab_wait(sock);
	fast_sink_open(&sink, &end, end.pe, FAST_SHARED, 8, 4096);
	echo_word(&end);
	lab_signal(sock);
	lab_wait(sock);
	if (!keeps) {
		fast_sink_stop(&sink);
		fast_sink_close(&sink);
		lab_signal(sock);
		lab_wait(sock);
	}
	echo_word(&end);
	if (keeps) {
		fast_sink_stop(&sink);
		fast_sink_close(&sink);
	}
	fast_end_close(&end);
}

struct pair {
	struct lab_child server, client;
};

/* On return, both have exchanged messages, and the server knows the consumer. */
static void pair_start_with(struct pair *pair, void (*fn)(int sock, void *arg), bool keeps)
{
	pair->server = lab_fork(&lab, LAB_DPU, fn, NULL);
	await_child(pair->server.sock);
	pair->client = lab_fork(&lab, LAB_HOST, client, &keeps);
	await_child(pair->client.sock);
	lab_signal(pair->client.sock);
	await_child(pair->server.sock);
	await_child(pair->client.sock);
}

static void pair_start(struct pair *pair, bool keeps)
{
	pair_start_with(pair, server, keeps);
}

static void pair_expect(const struct pair *pair, unsigned n_expired)
{
	lab_send(pair->server.sock, &n_expired, sizeof(n_expired));
	await_child(pair->server.sock);
}

static void pair_end(struct pair *pair)
{
	lab_signal(pair->client.sock);
	lab_join(&pair->client);
	lab_join(&pair->server);
}

static bool is_pidfd(int fd)
{
	char path[64], line[128];
	bool is = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) != NULL)
		is |= strncmp(line, "Pid:", 4) == 0;
	fclose(f);
	return is;
}

/* Makes no progress when the consumer arrives. */
static void sleeping_server(int sock, void *arg)
{
	struct fast_end end;

	(void)arg;
	fast_server_open(&end, SERVICE);
	lab_signal(sock);
	fast_await(&end, &end.n_connects, 1);
	lab_wait(sock);
	echo_word(&end);
	echo_word(&end);
	fast_await(&end, &end.n_disconnects, 1);
	/* All or none. */
	ck_assert_uint_eq(end.n_expired, end.n_new);
	fast_end_close(&end);
}

/* The client continues only when it has its answer. */
static void wait_for_consumer(void)
{
	char *text = admin("channels");

	while (strstr(text, "\"announced\"") == NULL) {
		free(text);
		lab_listen(&lab);
		text = admin("channels --json");
	}
	free(text);
}

/* The manager has lost the pidfd of an unfetched consumer: only that consumer is lost. */
START_TEST(a_consumer_is_lost)
{
	struct lab_store *store = lab.stores[LAB_DPU];
	bool keeps = true;
	struct pair pair;
	unsigned n = 0;

	pair.server = lab_fork(&lab, LAB_DPU, sleeping_server, NULL);
	await_child(pair.server.sock);
	pair.client = lab_fork(&lab, LAB_HOST, client, &keeps);
	await_child(pair.client.sock);
	lab_signal(pair.client.sock);
	wait_for_consumer();
	await_persisted(LAB_DPU);
	lab_kill_daemon(&lab, LAB_DPU);
	for (size_t i = 0; i < store->n; i++) {
		if (!is_pidfd(store->kept[i].fd))
			continue;
		strcpy(store->kept[i].name, "dzzz");
		n++;
	}
	ck_assert_uint_ge(n, 1);
	lab_start_daemon(&lab, LAB_DPU);
	ck_assert(lab_log_has(&lab, LAB_DPU, "1 server, 1 channel"));
	ck_assert(lab_log_has(&lab, LAB_DPU, "other end is lost"));
	ck_assert(!lab_log_has(&lab, LAB_DPU, "not resumed"));
	lab_signal(pair.server.sock);
	await_child(pair.client.sock);
	pair_end(&pair);
}
END_TEST

/* The consumer ends while the server's daemon is away. */
START_TEST(consumer_ends_without_daemon)
{
	struct pair pair;

	pair_start(&pair, false);
	if (_i)
		lab_kill_daemon(&lab, LAB_DPU);
	else
		lab_stop_daemon(&lab, LAB_DPU);
	lab_signal(pair.client.sock);
	await_child(pair.client.sock);
	lab_start_daemon(&lab, LAB_DPU);
	pair_expect(&pair, 1);
	pair_end(&pair);
}
END_TEST

static void serve_until_disconnect(int sock, void *arg)
{
	struct fast_end end;

	(void)arg;
	fast_server_open(&end, SERVICE);
	lab_signal(sock);
	fast_await(&end, &end.n_new, 1);
	echo_word(&end);
	lab_signal(sock);
	fast_await(&end, &end.n_disconnects, 1);
	/* The consumer's arrival was reported, so its end must be, too. */
	ck_assert_uint_eq(end.n_expired, 1);
	lab_signal(sock);
	lab_wait(sock);
	fast_end_close(&end);
}

/* A whole program is killed while the server's daemon is away, which was killed or stopped. */
START_TEST(a_program_is_killed_meanwhile)
{
	struct pair pair;

	pair_start_with(&pair, serve_until_disconnect, true);
	if (_i)
		lab_kill_daemon(&lab, LAB_DPU);
	else
		lab_stop_daemon(&lab, LAB_DPU);
	lab_kill(&pair.client);
	lab_await(&lab, LAB_HOST, LAB_CHANNELS, 0, WAIT_MS);
	lab_start_daemon(&lab, LAB_DPU);
	await_child(pair.server.sock);
	lab_await(&lab, LAB_DPU, LAB_CHANNELS, 0, WAIT_MS);
	ck_assert(!lab_log_has(&lab, LAB_DPU, "not resumed"));
	lab_signal(pair.server.sock);
	lab_join(&pair.server);
}
END_TEST

START_TEST(operators_see_the_same)
{
	static const char *const nouns[] = {"clients", "channels", "services", "channels --json"};
	char *before[ARRAY_LEN(nouns)];
	struct pair pair;

	pair_start(&pair, true);
	for (size_t i = 0; i < ARRAY_LEN(nouns); i++)
		before[i] = admin(nouns[i]);
	ck_assert_ptr_nonnull(strstr(before[1], SERVICE));
	for (int turn = 0; turn < 2; turn++) {
		/* Counters reach the manager after a second, or when the daemon stops. */
		restart(LAB_DPU, turn == 1);
		for (size_t i = 0; i < ARRAY_LEN(nouns); i++) {
			char *now = admin(nouns[i]);

			ck_assert_str_eq(now, before[i]);
			free(now);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(nouns); i++)
		free(before[i]);
	pair_expect(&pair, 0);
	pair_end(&pair);
}
END_TEST

/* --- a manager that stores less than expected --- */

static void setup_refusing(void)
{
	setup_with(256, 4);
}

static void device_open_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);

	(void)arg;
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_dev_close(dev));
	OK(doca_dev_close(use_dev(USE_HOST_PF0)));
	lab_signal(sock);
	lab_wait(sock);
}

/*
 * There is room for one of two, besides the ledger; the other is served all the same, and
 * reconnects with its next call.
 */
START_TEST(manager_refuses)
{
	struct lab_child children[2];

	for (int i = 0; i < 2; i++) {
		children[i] = lab_fork(&lab, LAB_HOST, device_open_main, NULL);
		await_child(children[i].sock);
	}
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 2, WAIT_MS);
	lab_listen(&lab);
	ck_assert_uint_eq(lab.stores[LAB_HOST]->n, 3);
	ck_assert(lab_log_has(&lab, LAB_HOST, "takes 4 descriptors"));
	ck_assert(lab_log_has(&lab, LAB_HOST, "the fd store is full with 3 descriptors"));
	restart(LAB_HOST, _i);
	ck_assert(lab_log_has(&lab, LAB_HOST, "resumed 1 client"));
	for (int i = 0; i < 2; i++) {
		lab_signal(children[i].sock);
		await_child(children[i].sock);
	}
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 2, WAIT_MS);
	for (int i = 0; i < 2; i++) {
		lab_signal(children[i].sock);
		lab_join(&children[i]);
	}
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("parts"), *refusing = tcase_create("a small store");

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_consumer_is_lost);
	tcase_add_loop_test(tcase, consumer_ends_without_daemon, 0, 2);
	tcase_add_loop_test(tcase, a_program_is_killed_meanwhile, 0, 2);
	tcase_add_test(tcase, operators_see_the_same);
	suite_add_tcase(suite, refusing);
	tcase_set_timeout(refusing, RUNNER_TEST_S);
	tcase_add_checked_fixture(refusing, setup_refusing, teardown);
	tcase_add_loop_test(refusing, manager_refuses, 0, 2);
}

int main(void)
{
	lab_require();
	return runner_main("resume", add_cases, NULL);
}
