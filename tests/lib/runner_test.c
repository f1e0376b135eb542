/*
 * Tests the test runner. Suites with deliberate faults run inside, and each fault must be found: a
 * leaked descriptor, a leaked child, a hang, a daemon that a failed test left running, an assertion
 * in a client process. A guard that finds nothing would let every other test pass.
 */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/snapshot.h"
#include "util/clock.h"
#include "util/fd.h"

START_TEST(test_clean)
{
	int fd = fd_eventfd();

	ck_assert_int_ge(fd, 0);
	fd_close(&fd);
}
END_TEST

START_TEST(test_leaks_fd)
{
	ck_assert_int_ge(fd_eventfd(), 0);
}
END_TEST

START_TEST(test_leaks_child)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		pause();
		_exit(0);
	}
}
END_TEST

START_TEST(test_hangs)
{
	for (;;)
		pause();
}
END_TEST

/* File in which the daemons of the failing test recorded their pids. */
static char pid_file[160];

START_TEST(test_fails_with_daemons)
{
	struct lab lab;
	FILE *file;

	lab_start(&lab, NULL);
	file = fopen(pid_file, "we");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%d %d\n", (int)lab.daemons[LAB_HOST].pid, (int)lab.daemons[LAB_DPU].pid);
	fclose(file);
	snapshot_record();
	ck_abort_msg("on purpose");
}
END_TEST

static void client_that_fails(int sock, void *arg)
{
	(void)sock;
	(void)arg;
	ck_abort_msg("on purpose");
}

START_TEST(test_client_fails)
{
	struct lab lab = {.notify_fd = -1};
	struct lab_child child = lab_fork(&lab, LAB_HOST, client_that_fails, NULL);

	lab_join(&child);
}
END_TEST

static void client_that_leaks(int sock, void *arg)
{
	(void)sock;
	(void)arg;
	/* One descriptor more than the connection that a client may keep. */
	ck_assert_int_ge(fd_eventfd(), 0);
	ck_assert_int_ge(fd_eventfd(), 0);
}

START_TEST(test_client_leaks)
{
	struct lab lab = {.notify_fd = -1};
	struct lab_child child = lab_fork(&lab, LAB_HOST, client_that_leaks, NULL);

	lab_join(&child);
}
END_TEST

static const struct {
	const char *name;
	const char *expected; /* part of the message; NULL: the suite passes */
} faults[] = {
	{"test_clean", NULL},
	{"test_leaks_fd", "1 descriptors were left open"},
	{"test_leaks_child", "1 children were left behind"},
	{"test_hangs", "timeout"},
	{"test_fails_with_daemons", "on purpose"},
	{"test_client_fails", "on purpose"},
	{"test_client_leaks", "wait status 0x300"},
};

static bool check_fault(TestResult **results, int n, const char *name, const char *expected)
{
	for (int i = 0; i < n; i++) {
		bool passed, right;

		if (strcmp(tr_tcname(results[i]), name) != 0)
			continue;
		passed = tr_rtype(results[i]) == CK_PASS;
		right = expected == NULL ? passed
					 : !passed && strstr(tr_msg(results[i]), expected) != NULL;
		printf("%s %s: %.100s\n", right ? "ok" : "not ok", name, tr_msg(results[i]));
		return right;
	}
	printf("not ok %s: did not run\n", name);
	return false;
}

/* Returns true once the process is gone or a zombie. */
static bool process_ended(int pid)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(2500) * NS_PER_MS;

	while (clock_now_ns() < deadline) {
		char path[64], state = 'Z';
		struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		file = fopen(path, "re");
		if (file == NULL)
			return true;
		if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			state = 'Z';
		fclose(file);
		if (state == 'Z')
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static bool daemons_ended(void)
{
	FILE *file = fopen(pid_file, "re");
	int host = 0, dpu = 0;
	bool ok;

	if (file == NULL || fscanf(file, "%d %d", &host, &dpu) != 2) {
		printf("not ok daemons: none were started\n");
		return false;
	}
	fclose(file);
	ok = process_ended(host) && process_ended(dpu);
	printf("%s the daemons of a failed test are gone\n", ok ? "ok" : "not ok");
	return ok;
}

/* The daemons of test_fails_with_daemons are in its snapshot, with what their threads wait for. */
static bool snapshot_shows_daemons(void)
{
	char pattern[200], text[4096];
	bool has_daemon = false, has_wait = false;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/snapshot-*.log", runner_dir());
	if (glob(pattern, 0, NULL, &found) == 0) {
		FILE *file = fopen(found.gl_pathv[0], "re");

		while (file != NULL && fgets(text, sizeof(text), file) != NULL) {
			has_daemon |= strstr(text, "dococored --side dpu") != NULL;
			has_wait |= strstr(text, "system call ") != NULL;
		}
		if (file != NULL)
			fclose(file);
		unlink(found.gl_pathv[0]);
		globfree(&found);
	}
	printf("%s a snapshot shows the daemons\n", has_daemon && has_wait ? "ok" : "not ok");
	return has_daemon && has_wait;
}

static void add_faulty(Suite *suite)
{
#define ADD(test) tcase_add_test(runner_case(suite, #test), test)
	TCase *hanging = runner_case(suite, "test_hangs");

	tcase_set_timeout(hanging, 1);
	tcase_add_test(hanging, test_hangs);
	ADD(test_clean);
	ADD(test_leaks_fd);
	ADD(test_leaks_child);
	ADD(test_fails_with_daemons);
	ADD(test_client_fails);
	ADD(test_client_leaks);
#undef ADD
}

static bool run_faulty(void)
{
	Suite *suite = suite_create("faults");
	SRunner *runner = srunner_create(suite);
	TestResult **results;
	bool ok = true;
	int n;

	snprintf(pid_file, sizeof(pid_file), "%s/daemons", runner_dir());
	add_faulty(suite);
	srunner_run_all(runner, CK_SILENT);
	n = srunner_ntests_run(runner);
	results = srunner_results(runner);
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		ok &= check_fault(results, n, faults[i].name, faults[i].expected);
	ok &= daemons_ended();
	ok &= snapshot_shows_daemons();
	free(results);
	srunner_free(runner);
	return ok;
}

static void add_none(Suite *suite)
{
	(void)suite;
}

int main(void)
{
	lab_require();
	return runner_main("runner", add_none, run_faulty);
}
