/* Guarded runs of Check suites, see tests/lib/runner.h. */
#include "tests/lib/runner.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"

#define LOG_TAIL      6000
#define SNAPSHOT_TAIL 60000 /* a snapshot has a stack for each thread of four processes */

static char scratch[80];
static pid_t guarded;
static struct leaks before_test;
static unsigned program_s = RUNNER_PROGRAM_S;

void runner_set_limit(unsigned seconds)
{
	program_s = seconds;
}

const char *runner_dir(void)
{
	return scratch;
}

unsigned runner_timeout_ms(unsigned ms)
{
	ms = MAX(ms, 40000u);
#ifdef DOCO_SANITIZED
	return ms * 2;
#else
	return ms;
#endif
}

double runner_busyness(void)
{
	long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
	double load;

	if (getloadavg(&load, 1) != 1 || n_processors < 1)
		return 1;
	load /= 2.0 * (double)n_processors;
	return MAX(load, 1.0);
}

/* --- leaks --- */

static size_t count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	if (dir == NULL)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n - 1; /* without the descriptor of the directory itself */
}

/* Lists the pids of this process's children, including zombies. */
static size_t list_children(pid_t *pids, size_t max)
{
	DIR *dir = opendir("/proc/self/task");
	size_t n = 0;

	if (dir == NULL)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[300];
		FILE *file;
		int pid;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/children", entry->d_name);
		file = fopen(path, "re");
		if (file == NULL)
			continue;
		while (fscanf(file, "%d", &pid) == 1) {
			if (n < max)
				pids[n] = pid;
			n++;
		}
		fclose(file);
	}
	closedir(dir);
	return n;
}

void leaks_count(struct leaks *leaks_out)
{
	leaks_out->n_fds = count_fds();
	leaks_out->n_children = list_children(NULL, 0);
}

static void list_fds(char *out, size_t len)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t at = 0;

	out[0] = '\0';
	if (dir == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(dir)) && at < len;) {
		char path[300], target[100];
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		at += (size_t)snprintf(out + at, len - at, " %s:%s", entry->d_name, target);
	}
	closedir(dir);
}

const char *leaks_find(const struct leaks *before)
{
	static char text[2200];
	char fds[2000];
	struct leaks now;

	leaks_count(&now);
	if (now.n_children > before->n_children) {
		snprintf(text, sizeof(text), "%zu children were left behind",
			 now.n_children - before->n_children);
		return text;
	}
	if (now.n_fds > before->n_fds) {
		list_fds(fds, sizeof(fds));
		snprintf(text, sizeof(text), "%zu descriptors were left open, these are:%s",
			 now.n_fds - before->n_fds, fds);
		return text;
	}
	return NULL;
}

void leaks_setup(void)
{
	leaks_count(&before_test);
}

void leaks_allow_fds(size_t n)
{
	before_test.n_fds += n;
}

void leaks_teardown(void)
{
	const char *leak = leaks_find(&before_test);

	ck_assert_msg(leak == NULL, "%s", leak);
}

TCase *runner_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, leaks_setup, leaks_teardown);
	suite_add_tcase(suite, tcase);
	return tcase;
}

/* --- the scratch directory --- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void runner_remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int print_log(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *dot = strrchr(path, '.');
	static char text[SNAPSHOT_TAIL + 1];
	size_t max = strstr(path, "/snapshot-") != NULL ? SNAPSHOT_TAIL : LOG_TAIL;
	FILE *file;
	size_t n;

	(void)ftw;
	if (type != FTW_F || dot == NULL || strcmp(dot, ".log") != 0 || st->st_size == 0)
		return 0;
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	if (st->st_size > (off_t)max)
		fseek(file, -(long)max, SEEK_END);
	n = fread(text, 1, max, file);
	fclose(file);
	text[n] = '\0';
	printf("--- %s\n%s\n", path, text);
	return 0;
}

/* --- the guard --- */

static void forward_signal(int number)
{
	if (guarded > 0)
		kill(guarded, number);
}

static int run_suite(const char *name, void (*add_cases)(Suite *suite), bool (*finish)(void))
{
	Suite *suite = suite_create(name);
	SRunner *runner = srunner_create(suite);
	int n_failed;
	bool finished;

	add_cases(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	finished = finish == NULL || finish();
	return n_failed == 0 && finished ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Returns true if a live process was left behind. Kills all of them. */
static bool kill_orphans(void)
{
	uint64_t deadline = clock_now_ns() + 20 * NS_PER_SEC;
	uint64_t grace = clock_now_ns() + 10 * NS_PER_SEC;
	bool found = false;
	pid_t pids[64];
	size_t n;

	/* The process groups of ended tests were killed just before and may still be dying. */
	while (clock_now_ns() < deadline) {
		struct timespec pause = {.tv_nsec = 2 * 1000 * 1000};

		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
		n = MIN(list_children(pids, ARRAY_LEN(pids)), ARRAY_LEN(pids));
		if (n == 0)
			return found;
		if (clock_now_ns() > grace) {
			for (size_t i = 0; i < n; i++) {
				if (!found)
					printf("process %d outlived its test\n", (int)pids[i]);
				kill(pids[i], SIGKILL);
			}
			found = true;
		}
		nanosleep(&pause, NULL);
	}
	return true;
}

static int guard(const char *name)
{
	uint64_t deadline = clock_now_ns() + program_s * NS_PER_SEC;
	int status = 0, result;
	pid_t pid;

	for (;;) {
		struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};

		pid = waitpid(-1, &status, WNOHANG);
		if (pid == guarded)
			break;
		if (pid > 0)
			continue;
		if (clock_now_ns() > deadline) {
			printf("%s: not finished in %u s, killed\n", name, program_s);
			deadline = UINT64_MAX;
			kill(guarded, SIGKILL);
		}
		nanosleep(&pause, NULL);
	}
	result = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
	if (WIFSIGNALED(status))
		printf("%s: the runner was ended by signal %d\n", name, WTERMSIG(status));
	if (kill_orphans())
		result = EXIT_FAILURE;
	if (result != EXIT_SUCCESS && result != RUNNER_SKIPPED)
		nftw(scratch, print_log, 16, FTW_PHYS);
	runner_remove_tree(scratch);
	return result;
}

int runner_main(const char *name, void (*add_cases)(Suite *suite), bool (*finish)(void))
{
	struct sigaction action = {.sa_handler = forward_signal};
	const char *tmp = getenv("TMPDIR");

	if (tmp == NULL || strlen(tmp) > 40)
		tmp = "/tmp";
	snprintf(scratch, sizeof(scratch), "%s/doco-test-XXXXXX", tmp);
	if (mkdtemp(scratch) == NULL) {
		printf("%s: %s: %s\n", name, scratch, strerror(errno));
		return 99;
	}
	/* The caller's environment must not influence what the library finds. */
	unsetenv("DOCOCORED_SOCKET");
	unsetenv("DOCOCORED_TRANSPORT");
	unsetenv("DOCA_SIDE");
	unsetenv("NOTIFY_SOCKET");
	setenv("XDG_RUNTIME_DIR", scratch, 1);
	/* For code that is also used by unit tests. */
	setenv("UNIT_DIR", scratch, 1);
#ifdef DOCO_SANITIZED
	setenv("CK_TIMEOUT_MULTIPLIER", "2", 0);
#endif
	setvbuf(stdout, NULL, _IOLBF, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	guarded = fork();
	if (guarded < 0) {
		printf("%s: fork: %s\n", name, strerror(errno));
		return 99;
	}
	if (guarded == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		exit(run_suite(name, add_cases, finish));
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	return guard(name);
}
