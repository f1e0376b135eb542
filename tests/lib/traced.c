/* Programs that run themselves under strace, see tests/lib/traced.h. */
#include "tests/lib/traced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/runner.h"

static void (*traced_side)(void);

bool traced_is_possible(void)
{
	if (system("strace -qq -o /dev/null true >/dev/null 2>&1") == 0)
		return true;
	printf("skipped: strace is missing, or ptrace is forbidden here\n");
	return false;
}

bool traced_parse(int argc, char **argv, struct traced *traced_out)
{
	if (argc < 5 || strcmp(argv[1], "--traced") != 0)
		return false;
	*traced_out = (struct traced){.name = argv[2], .how = argv[3], .dir = argv[4]};
	return true;
}

START_TEST(traced)
{
	traced_side();
}
END_TEST

int traced_main(void (*side)(void))
{
	Suite *suite = suite_create("traced");
	SRunner *runner = srunner_create(suite);
	TCase *tcase = tcase_create("traced");

	traced_side = side;
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, traced);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	return srunner_ntests_failed(runner) == 0 ? 0 : 1;
}

void traced_mark(const char *name)
{
	char text[80];
	int n = snprintf(text, sizeof(text), "mark %s", name);

	if (write(-1, text, (size_t)n) >= 0)
		exit(98);
}

/* Writes another file and renames it, so that the file is complete when it appears. */
void traced_put_as(const char *dir, const char *what, const void *data, size_t len)
{
	char path[160], hidden[170];
	FILE *file;

	snprintf(path, sizeof(path), "%s/data.%s", dir, what);
	snprintf(hidden, sizeof(hidden), "%s.new", path);
	file = fopen(hidden, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, len, 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(rename(hidden, path), 0);
}

void traced_put(const char *dir, const void *data, size_t len)
{
	traced_put_as(dir, "all", data, len);
}

void traced_get_as(const char *dir, const char *what, void *data_out, size_t len)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/data.%s", dir, what);
	while ((file = fopen(path, "re")) == NULL)
		usleep(1000);
	ck_assert_uint_eq(fread(data_out, len, 1, file), 1);
	fclose(file);
}

void traced_get(const char *dir, void *data_out, size_t len)
{
	traced_get_as(dir, "all", data_out, len);
}

void traced_report_calls(const char *dir)
{
	traced_put_as(dir, "over", "", 1);
}

void traced_await_over(const char *dir)
{
	char nothing;

	traced_get_as(dir, "over", &nothing, sizeof(nothing));
}

/* Variable by which both sides of a test, which start one after the other, use the same number. */
#define BUSYNESS "TRACED_BUSYNESS"

static void report_busyness(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", (unsigned)runner_busyness());
	ck_assert_int_eq(setenv(BUSYNESS, text, 0), 0);
}

uint32_t traced_n(uint32_t usual)
{
	static uint32_t busyness;
	const char *value;

	if (busyness == 0) {
		value = getenv(BUSYNESS);
		busyness = value ? (uint32_t)strtoul(value, NULL, 10) : 1;
		busyness = MAX(busyness, 1u);
	}
	/*
	 * Both processes have a core at the same time for the square of the share of one process.
	 */
	return MAX(usual / (busyness * busyness), 500u);
}

pid_t traced_start(struct lab *lab, enum lab_side of, const char *name, const char *how)
{
	char path[160], program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	pid_t pid;

	ck_assert_int_gt(n, 0);
	program[n] = '\0';
	snprintf(path, sizeof(path), "%s/%s", lab->dir, name);
	report_busyness();
	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		lab_use(lab, of);
		execlp("strace", "strace", "-f", "-qq", "-o", path, program, "--traced", name, how,
		       lab->dir, (char *)NULL);
		_exit(127);
	}
	return pid;
}

void traced_reap(pid_t pid, const char *name)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %#x", name, status);
}

static bool line_counts(const char *line, const char *ignored)
{
	if (ignored == NULL)
		return true;
	return strstr(line, ignored) == NULL &&
	       (strcmp(ignored, TRACED_POLL) != 0 || strstr(line, "getpid()") == NULL);
}

unsigned traced_count(const struct lab *lab, const char *name, const char *ignored)
{
	char path[160], *line = NULL;
	size_t room = 0;
	unsigned n = 0;
	bool is_running = false, has_ended = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", lab->dir, name);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (!has_ended && getline(&line, &room, file) > 0) {
		if (strstr(line, "\"mark run\"") != NULL)
			is_running = true;
		else if (strstr(line, "\"mark end\"") != NULL)
			has_ended = true;
		else if (is_running && line_counts(line, ignored) && n++ < 5)
			printf("%s: %.80s\n", name, line);
	}
	ck_assert_msg(is_running && has_ended, "%s: the marks are not in its trace", name);
	free(line);
	fclose(file);
	return n;
}

void traced_run_both(struct lab *lab, const char *how, bool listens)
{
	pid_t server = traced_start(lab, LAB_DPU, "server", how), client;

	if (listens)
		lab_await(lab, LAB_DPU, LAB_SERVERS, 1, 20000);
	client = traced_start(lab, LAB_HOST, "client", how);
	traced_reap(client, "client");
	traced_reap(server, "server");
	ck_assert_uint_eq(traced_count(lab, "client", TRACED_POLL), 0);
	ck_assert_uint_eq(traced_count(lab, "server", TRACED_POLL), 0);
}
