/*
 * Half a million messages of 64 bytes from a producer to a consumer in another process, while both
 * poll: shown with strace that neither makes a system call between its marks (writes to descriptor
 * -1), and with an allocation counter that neither takes memory. The program runs itself under
 * strace, once for each side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/allocount.h"
#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define N_MESSAGES 500000u
#define N_TASKS    64u
#define MSG_LEN    64u
#define SERVICE    "hot"

static struct lab lab;

/* --- the traced program: one side --- */

static void mark(const char *name)
{
	char text[80];
	int n = snprintf(text, sizeof(text), "mark %s", name);

	if (write(-1, text, (size_t)n) >= 0)
		exit(98);
}

static void count_wrong(struct fast_sink *sink, const uint8_t *data, size_t len,
			const struct doca_comch_consumer_task_post_recv *task)
{
	unsigned *n_wrong = sink->arg;

	(void)task;
	*n_wrong += len != MSG_LEN || !use_is_filled(data, len, 1);
}

static void run_server(void)
{
	struct fast_sink sink;
	struct fast_end end;
	uint64_t n_allocations;
	unsigned n_wrong = 0;

	fast_server_open(&end, SERVICE);
	fast_await(&end, &end.n_connects, 1);
	fast_sink_open(&sink, &end, NULL, FAST_PRIVATE, N_TASKS, MSG_LEN);
	sink.look = count_wrong;
	sink.arg = &n_wrong;
	/* The first messages bring in the pages. */
	fast_sink_await(&sink, 1000);
	n_allocations = allocount_n();
	mark("run");
	while (sink.n_recv < N_MESSAGES)
		doca_pe_progress(sink.pe);
	mark("end");
	ck_assert_uint_eq(allocount_n(), n_allocations);
	ck_assert_uint_eq(n_wrong, 0);
	while (end.n_disconnects == 0)
		doca_pe_progress(end.pe);
	use_ctx_await(sink.pe, sink.ctx, DOCA_CTX_STATE_IDLE);
	fast_sink_close(&sink);
	fast_end_close(&end);
}

static void run_client(void)
{
	struct fast_source source;
	struct fast_end end;
	uint64_t n_allocations;
	unsigned i;

	fast_client_open(&end, SERVICE);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, NULL, N_TASKS, MSG_LEN);
	for (i = 0; i < 1000; i++)
		OK(fast_send_patiently(&source, end.peers[0], 0, MSG_LEN, NULL, 0));
	n_allocations = allocount_n();
	mark("run");
	for (; i < N_MESSAGES; i++) {
		if (fast_send_patiently(&source, end.peers[0], 0, MSG_LEN, NULL, 0) != DOCA_SUCCESS)
			break;
	}
	mark("end");
	ck_assert_uint_eq(allocount_n(), n_allocations);
	ck_assert_uint_eq(i, N_MESSAGES);
	fast_source_close(&source);
	fast_end_close(&end);
}

static bool is_server;

START_TEST(traced)
{
	if (is_server)
		run_server();
	else
		run_client();
}
END_TEST

static int run_traced(void)
{
	Suite *suite = suite_create("traced");
	SRunner *runner = srunner_create(suite);
	TCase *tcase = tcase_create("traced");

	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, traced);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	return srunner_ntests_failed(runner) == 0 ? 0 : 1;
}

/* --- the test --- */

static pid_t trace(enum lab_side of, const char *name)
{
	char path[160], program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	pid_t pid;

	ck_assert_int_gt(n, 0);
	program[n] = '\0';
	snprintf(path, sizeof(path), "%s/%s", lab.dir, name);
	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		lab_use(&lab, of);
		execlp("strace", "strace", "-f", "-qq", "-o", path, program, "--traced", name,
		       (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* System calls between the marks; the first few are shown. */
static unsigned count_calls(const char *name)
{
	char path[160], *line = NULL;
	size_t room = 0;
	unsigned n = 0;
	bool is_running = false, has_ended = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", lab.dir, name);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (!has_ended && getline(&line, &room, file) > 0) {
		if (strstr(line, "\"mark run\"") != NULL)
			is_running = true;
		else if (strstr(line, "\"mark end\"") != NULL)
			has_ended = true;
		else if (is_running && n++ < 5)
			printf("%s: %.80s\n", name, line);
	}
	ck_assert_msg(is_running && has_ended, "%s: the marks are not in its trace", name);
	free(line);
	fclose(file);
	return n;
}

static void reap(pid_t pid, const char *name)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %#x", name, status);
}

static void setup(void)
{
	leaks_setup();
	lab_start(&lab, NULL);
}

static void teardown(void)
{
	lab_stop(&lab);
	leaks_teardown();
}

START_TEST(test_polling)
{
	pid_t server = trace(LAB_DPU, "server"), client;

	lab_await(&lab, LAB_DPU, LAB_SERVERS, 1, 20000);
	client = trace(LAB_HOST, "client");
	reap(client, "client");
	reap(server, "server");
	ck_assert_uint_eq(count_calls("client"), 0);
	ck_assert_uint_eq(count_calls("server"), 0);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("half a million messages");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_polling);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "--traced") == 0) {
		is_server = strcmp(argv[2], "server") == 0;
		return run_traced();
	}
	lab_require();
	if (system("strace -qq -o /dev/null true >/dev/null 2>&1") != 0) {
		printf("skipped: strace is missing, or ptrace is forbidden here\n");
		return RUNNER_SKIPPED;
	}
	return runner_main("fast_hot", add_cases, NULL);
}
