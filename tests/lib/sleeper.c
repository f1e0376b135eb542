/* See tests/lib/sleeper.h. */
#include "tests/lib/sleeper.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "tests/lib/runner.h"
#include "tests/lib/snapshot.h"
#include "tests/lib/use.h"
#include "util/clock.h"
#include "util/fd.h"

#define LOST_MS   20000
#define IDLE_MS   200
#define ASLEEP_MS 50

static void watch(struct sleeper *sleeper, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	ck_assert_int_eq(epoll_ctl(sleeper->epoll_fd, EPOLL_CTL_ADD, fd, &event), 0);
}

static int handle_of(const struct sleeper *sleeper)
{
	doca_notification_handle_t handle;

	OK(doca_pe_get_notification_handle(sleeper->pe, &handle));
	return handle;
}

void sleeper_open(struct sleeper *sleeper, struct doca_pe *pe, enum sleeper_method way, int also_fd)
{
	*sleeper = (struct sleeper){
		.pe = pe, .also_fd = also_fd, .clears = way != SLEEPER_ALL_NOT_CLEAR};
	OK(doca_pe_set_event_mode(pe, way == SLEEPER_SELECTIVE
					      ? DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE
					      : DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	sleeper->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ck_assert_int_ge(sleeper->epoll_fd, 0);
	watch(sleeper, handle_of(sleeper));
	if (also_fd >= 0)
		watch(sleeper, also_fd);
}

void sleeper_close(struct sleeper *sleeper)
{
	fd_close(&sleeper->epoll_fd);
}

void sleeper_progress(struct sleeper *sleeper)
{
	while (doca_pe_progress(sleeper->pe))
		continue;
}

void sleeper_arm(struct sleeper *sleeper)
{
	OK(doca_pe_request_notification(sleeper->pe));
}

static void count_wakeup(struct sleeper *sleeper)
{
	sleeper->n_sleeps++;
	if (sleeper->clears)
		OK(doca_pe_clear_notification(sleeper->pe, 0));
}

static void fail_lost_wakeup(const struct sleeper *sleeper)
{
	snapshot_record();
	ck_abort_msg("asleep for too long, after %llu wake-ups: one was lost",
		     (unsigned long long)sleeper->n_sleeps);
}

bool sleeper_sleep(struct sleeper *sleeper)
{
	struct epoll_event events[2];
	bool also = false;
	int i, n;

	do
		n = epoll_wait(sleeper->epoll_fd, events, 2, (int)runner_timeout_ms(LOST_MS));
	while (n < 0 && errno == EINTR);
	EXPECT_TRUE(n >= 0, "waiting: %m");
	if (n == 0)
		fail_lost_wakeup(sleeper);
	for (i = 0; i < n; i++) {
		if (events[i].data.fd == sleeper->also_fd)
			also = true;
		else
			count_wakeup(sleeper);
	}
	return also;
}

void sleeper_sleep_for_pe(struct sleeper *sleeper)
{
	struct pollfd pfd = {.fd = handle_of(sleeper), .events = POLLIN};
	int n;

	do
		n = poll(&pfd, 1, (int)runner_timeout_ms(LOST_MS));
	while (n < 0 && errno == EINTR);
	EXPECT_TRUE(n >= 0, "waiting: %m");
	if (n == 0)
		fail_lost_wakeup(sleeper);
	count_wakeup(sleeper);
}

bool sleeper_step(struct sleeper *sleeper)
{
	bool also;

	sleeper_arm(sleeper);
	also = sleeper_sleep(sleeper);
	sleeper_progress(sleeper);
	return also;
}

uint64_t sleeper_n_events(uint64_t usual)
{
	const char *given = getenv("DOCO_HAMMER_EVENTS");

	if (given != NULL && given[0] != '\0')
		return MAX(strtoull(given, NULL, 0), UINT64_C(100));
#ifdef DOCO_SANITIZED
	usual /= 10;
#endif
	return MAX((uint64_t)((double)usual / runner_busyness()), UINT64_C(100));
}

uint32_t sleeper_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

void sleeper_pause(uint32_t *seed)
{
	uint32_t kind = sleeper_random(seed) % 16;
	struct timespec nap = {.tv_nsec = sleeper_random(seed) % 60000};
	uint64_t until;

	if (kind < 8)
		return;
	if (kind == 15) {
		nanosleep(&nap, NULL);
		return;
	}
	until = clock_now_ns() + (kind < 12 ? nap.tv_nsec / 64 : nap.tv_nsec / 8);
	while (clock_now_ns() < until)
		continue;
}

/* --- the idle process --- */

struct activity {
	unsigned long long ticks, switches;
	unsigned n_threads;
	bool all_asleep;
};

static void add_thread(pid_t pid, const char *tid, struct activity *sum)
{
	unsigned long long user, system, n;
	char path[128], line[1024], state;
	const char *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", (int)pid, tid);
	file = fopen(path, "re");
	/* The thread may end between two reads, and then the process is not asleep. */
	if (file == NULL || fgets(line, sizeof(line), file) == NULL) {
		sum->all_asleep = false;
		if (file != NULL)
			fclose(file);
		return;
	}
	fclose(file);
	/* The name, which may contain anything, ends at the last parenthesis. */
	at = strrchr(line, ')');
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
				&state, &user, &system),
			 3);
	sum->ticks += user + system;
	sum->all_asleep &= state == 'S';
	sum->n_threads++;
	snprintf(path, sizeof(path), "/proc/%d/task/%s/status", (int)pid, tid);
	file = fopen(path, "re");
	sum->all_asleep &= file != NULL;
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %llu", &n) == 1)
			sum->switches += n;
	}
	if (file != NULL)
		fclose(file);
}

static bool is_counted(pid_t pid, const char *tid)
{
#ifdef DOCO_SANITIZED
	/* A sanitizer has its own thread, which wakes up at intervals. */
	return strtol(tid, NULL, 10) == pid;
#else
	(void)pid;
	return tid[0] != '.';
#endif
}

static struct activity activity_of(pid_t pid)
{
	struct activity sum = {.all_asleep = true};
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (is_counted(pid, entry->d_name))
			add_thread(pid, entry->d_name, &sum);
	}
	closedir(dir);
	return sum;
}

static void await_no_activity(pid_t pid, unsigned window_ms)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(LOST_MS) * NS_PER_MS;
	struct activity before, after = {.ticks = 0};

	/*
	 * A blocked process shows no change, whatever else is running. A process that spins, or
	 * wakes up at intervals, shows a change in every window.
	 */
	do {
		ck_assert_msg(clock_now_ns() < deadline,
			      "the process is never idle: %llu ticks, %llu switches", after.ticks,
			      after.switches);
		before = activity_of(pid);
		nanosleep(&(struct timespec){.tv_nsec = window_ms * 1000000L}, NULL);
		after = activity_of(pid);
	} while (!before.all_asleep || !after.all_asleep || before.ticks != after.ticks ||
		 before.switches != after.switches || before.n_threads != after.n_threads);
}

void sleeper_await_idle(pid_t pid)
{
	await_no_activity(pid, IDLE_MS);
}

void sleeper_await_asleep(pid_t pid)
{
	await_no_activity(pid, ASLEEP_MS);
}
