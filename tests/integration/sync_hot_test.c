/*
 * A million changes of a sync event between two processes that both poll: shown with strace that
 * neither makes a system call between its marks (writes to descriptor -1), and with an allocation
 * counter that neither takes memory. The program runs itself under strace, once for each side. Then
 * the same for tasks on a progress engine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/sync_end.h"
#include "tests/lib/allocount.h"
#include "tests/lib/runner.h"

#define N_ROUNDS 250000u /* each changes the counter four times */

static struct lab lab;

/* --- the traced program: one side --- */

static struct {
	bool is_exporter, with_tasks;
	char dir[128];
} traced_as;

static void mark(const char *name)
{
	char text[80];
	int n = snprintf(text, sizeof(text), "mark %s", name);

	if (write(-1, text, (size_t)n) >= 0)
		exit(98);
}

/* By way of a file that appears whole. */
static void desc_put(const struct sync_desc *desc)
{
	char path[160], hidden[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/desc", traced_as.dir);
	snprintf(hidden, sizeof(hidden), "%s/desc.new", traced_as.dir);
	file = fopen(hidden, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(desc, sizeof(*desc), 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(rename(hidden, path), 0);
}

static void desc_get(struct sync_desc *desc_out)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/desc", traced_as.dir);
	while ((file = fopen(path, "re")) == NULL)
		usleep(1000);
	ck_assert_uint_eq(fread(desc_out, sizeof(*desc_out), 1, file), 1);
	fclose(file);
}

/* Odd values are the importer's news, even ones the exporter's. */
static void run_calls(struct doca_sync_event *event)
{
	uint64_t value, last = traced_as.is_exporter ? 0 : 1;
	doca_error_t result = DOCA_SUCCESS;

	for (uint64_t n = 0; n < N_ROUNDS; n++, last += 4) {
		if (!traced_as.is_exporter)
			result |= doca_sync_event_wait_eq(event, last, UINT64_MAX);
		result |= doca_sync_event_update_add(event, 1, &value);
		if (traced_as.is_exporter)
			result |= doca_sync_event_wait_gt(event, last + 1, UINT64_MAX);
		else
			result |= doca_sync_event_wait_neq(event, last + 1, UINT64_MAX);
		result |= doca_sync_event_get(event, &value);
		result |= doca_sync_event_update_set(event, value + 1);
		if (traced_as.is_exporter)
			result |= doca_sync_event_wait_eq(event, last + 4, UINT64_MAX);
		if (result != DOCA_SUCCESS)
			break;
	}
	OK(result);
}

static void run_tasks(struct sync_end *end)
{
	uint64_t last = traced_as.is_exporter ? 0 : 1;
	unsigned n_done = end->n_ok;

	for (uint64_t n = 0; n < N_ROUNDS / 5; n++, last += 2) {
		if (!traced_as.is_exporter) {
			sync_end_submit(end, true, last, UINT64_MAX);
			sync_end_await(end, ++n_done, false);
		}
		sync_end_add(end, 1);
		sync_end_await(end, ++n_done, false);
		if (traced_as.is_exporter) {
			sync_end_submit(end, true, last + 2, UINT64_MAX);
			sync_end_await(end, ++n_done, false);
		}
	}
}

START_TEST(traced)
{
	struct sync_spec spec = {.side = traced_as.is_exporter ? LAB_HOST : LAB_DPU,
				 .with_tasks = traced_as.with_tasks};
	struct sync_desc desc;
	struct sync_end end;
	uint64_t n_allocations;

	if (traced_as.is_exporter) {
		sync_end_export(&end, &spec, &desc);
		desc_put(&desc);
	} else {
		desc_get(&desc);
		sync_end_import(&end, &spec, &desc);
	}
	n_allocations = allocount_n();
	mark("run");
	if (traced_as.with_tasks)
		run_tasks(&end);
	else
		run_calls(end.event);
	mark("end");
	ck_assert_uint_eq(allocount_n(), n_allocations);
	ck_assert_uint_eq(end.n_failed, 0);
	/* The exporter has seen the importer's last change, so it may go; the importer saw all. */
	sync_end_close(&end);
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

static pid_t trace(enum lab_side of, const char *name, bool with_tasks)
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
		       with_tasks ? "tasks" : "calls", lab.dir, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/*
 * System calls between the marks; the first few are shown. Not counted is the look at the
 * exporter's process that an importer takes after some hundred milliseconds without news: on a
 * busy machine the other side may be off its core for that long.
 */
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
		else if (is_running && strstr(line, "poll([{fd=") == NULL && n++ < 5)
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
	pid_t exporter = trace(LAB_HOST, "exporter", _i == 1);
	pid_t importer = trace(LAB_DPU, "importer", _i == 1);

	reap(importer, "importer");
	reap(exporter, "exporter");
	ck_assert_uint_eq(count_calls("exporter"), 0);
	ck_assert_uint_eq(count_calls("importer"), 0);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("a million changes");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 3 * RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_polling, 0, 2);
}

int main(int argc, char **argv)
{
	if (argc > 4 && strcmp(argv[1], "--traced") == 0) {
		traced_as.is_exporter = strcmp(argv[2], "exporter") == 0;
		traced_as.with_tasks = strcmp(argv[3], "tasks") == 0;
		snprintf(traced_as.dir, sizeof(traced_as.dir), "%s", argv[4]);
		return run_traced();
	}
	lab_require();
	if (system("strace -qq -o /dev/null true >/dev/null 2>&1") != 0) {
		printf("skipped: strace is missing, or ptrace is forbidden here\n");
		return RUNNER_SKIPPED;
	}
	return runner_main("sync_hot", add_cases, NULL);
}
