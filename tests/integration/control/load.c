/* Implements programs under load; see tests/integration/control/load.h. */
#include "tests/integration/control/load.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/integration/control/load_board.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define AWAIT_MS 20000u

static const char *const side_names[] = {"host", "dpu"};
static const char *const op_names[LOAD_N_OPS] = {"shared", "private", "message", "fast",
						 "event",  "open",    "export",  "import"};

/* --- failures --- */

static void describe(const struct load_board *board, char *text, size_t len)
{
	size_t at = 0;

	for (int side = 0; side < LAB_N_SIDES; side++) {
		for (int op = 0; op < LOAD_N_OPS && at < len; op++) {
			const struct load_count *count = &board->sides[side].counts[op];

			at += (size_t)snprintf(
				text + at, len - at,
				"\n  %s %s: %llu succeeded, %llu failed, %llu timed out %s",
				side_names[side], op_names[op],
				(unsigned long long)atomic_load(&count->n_ok),
				(unsigned long long)atomic_load(&count->n_failed),
				(unsigned long long)atomic_load(&count->n_timed_out),
				atomic_load(&count->n_failed) > 0 ? count->failure : "");
		}
	}
}

static void load_fail(const struct load *load, const char *what)
{
	static char text[4096];

	describe(load->board, text, sizeof(text));
	ck_abort_msg("%s:%s", what, text);
}

/* Fails the test if something has failed, or if a program has ended. */
static void load_check(const struct load *load)
{
	for (int side = 0; side < LAB_N_SIDES; side++) {
		struct pollfd ended = {.fd = load->programs[side].pidfd, .events = POLLIN};

		for (int op = 0; op < LOAD_N_OPS; op++)
			if (atomic_load(&load->board->sides[side].counts[op].n_failed) > 0)
				load_fail(load, "operations failed");
		if (poll(&ended, 1, 0) > 0)
			load_fail(load, "a program ended");
	}
}

/*
 * Waits for one short interval. Reads the daemons' messages, because the lab is their service
 * manager.
 */
static void load_wait_step(const struct load *load, uint64_t deadline_ns, const char *what)
{
	struct pollfd message = {.fd = load->lab->notify_fd, .events = POLLIN};

	load_check(load);
	if (clock_now_ns() >= deadline_ns)
		load_fail(load, what);
	poll(&message, 1, 2);
	lab_listen(load->lab);
}

static uint64_t load_deadline(void)
{
	return clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
}

/* --- waiting --- */

static void load_read_counts(const struct load *load, uint64_t noted_out[LAB_N_SIDES][LOAD_N_OPS])
{
	for (int side = 0; side < LAB_N_SIDES; side++)
		for (int op = 0; op < LOAD_N_OPS; op++)
			noted_out[side][op] =
				atomic_load(&load->board->sides[side].counts[op].n_ok);
}

static bool load_has_counted(const struct load *load, uint64_t noted[LAB_N_SIDES][LOAD_N_OPS],
			     unsigned ops, uint64_t n)
{
	for (int side = 0; side < LAB_N_SIDES; side++)
		for (int op = 0; op < LOAD_N_OPS; op++)
			if ((ops & LOAD_BIT(op)) &&
			    atomic_load(&load->board->sides[side].counts[op].n_ok) <
				    noted[side][op] + n)
				return false;
	return true;
}

void load_await(struct load *load, unsigned ops, uint64_t n)
{
	uint64_t noted[LAB_N_SIDES][LOAD_N_OPS], deadline_ns = load_deadline();

	load_read_counts(load, noted);
	while (!load_has_counted(load, noted, ops, n))
		load_wait_step(load, deadline_ns, "operations do not go on");
}

static uint64_t n_timed_out(const struct load *load, enum lab_side side)
{
	uint64_t n = 0;

	for (int op = LOAD_OPEN; op < LOAD_N_OPS; op++)
		n += atomic_load(&load->board->sides[side].counts[op].n_timed_out);
	return n;
}

void load_await_timed_out(struct load *load, enum lab_side side, uint64_t n)
{
	uint64_t noted = n_timed_out(load, side), deadline_ns = load_deadline();

	while (n_timed_out(load, side) < noted + n)
		load_wait_step(load, deadline_ns, "no control call times out");
}

void load_work_until(struct load *load, uint64_t until_ns)
{
	while (clock_now_ns() < until_ns)
		load_wait_step(load, UINT64_MAX, "");
}

void load_rest(struct load *load)
{
	uint64_t deadline_ns = load_deadline();

	atomic_store(&load->board->must_rest, true);
	for (int side = 0; side < LAB_N_SIDES; side++)
		while (!atomic_load(&load->board->sides[side].rests))
			load_wait_step(load, deadline_ns, "a control call does not return");
}

void load_resume(struct load *load)
{
	atomic_store(&load->board->must_rest, false);
}

void load_stop_begins(struct load *load)
{
	atomic_fetch_add(&load->board->n_stopped, 1);
	atomic_fetch_add(&load->board->n_stops, 1);
}

void load_stop_ends(struct load *load)
{
	atomic_fetch_sub(&load->board->n_stopped, 1);
}

/* --- start and end --- */

void load_start(struct load *load, struct lab *lab)
{
	uint64_t deadline_ns = load_deadline();

	*load = (struct load){.lab = lab};
	load->board = mmap(NULL, sizeof(*load->board), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(load->board, MAP_FAILED);
	for (int side = LAB_N_SIDES - 1; side >= 0; side--) {
		struct load_role role = {load->board, (enum lab_side)side};

		load->programs[side] = lab_fork(lab, role.side, load_program, &role);
	}
	for (int side = 0; side < LAB_N_SIDES; side++)
		while (atomic_load(&load->board->sides[side].stage) < LOAD_WORKS)
			load_wait_step(load, deadline_ns, "a program does not start");
}

void load_stop(struct load *load)
{
	uint64_t deadline_ns = load_deadline();

	atomic_store(&load->board->must_end, true);
	for (int side = 0; side < LAB_N_SIDES; side++)
		while (atomic_load(&load->board->sides[side].stage) < LOAD_HAS_ALL)
			load_wait_step(load, deadline_ns, "a program has not received everything");
	for (int side = 0; side < LAB_N_SIDES; side++)
		lab_join(&load->programs[side]);
	munmap(load->board, sizeof(*load->board));
	load->board = NULL;
}

void load_print(const struct load *load, const char *title)
{
	printf("%s:", title);
	for (int side = 0; side < LAB_N_SIDES; side++) {
		const struct load_side *one = &load->board->sides[side];

		printf(" %s", side_names[side]);
		for (int op = 0; op < LOAD_N_OPS; op++)
			printf(" %s %llu", op_names[op],
			       (unsigned long long)atomic_load(&one->counts[op].n_ok));
		printf(", %llu calls timed out, longest call %.0f ms, longest progress %.1f ms;",
		       (unsigned long long)n_timed_out(load, (enum lab_side)side),
		       (double)atomic_load(&one->longest_call_ns) / NS_PER_MS,
		       (double)atomic_load(&one->longest_progress_ns) / NS_PER_MS);
	}
	printf("\n");
}

/* --- usage --- */

static const char *const used_names[LOAD_N_USED] = {
	"sessions", "bytes",    "handles",   "exports",     "imports",
	"servers",  "channels", "consumers", "sync_events", "fds",
};
#define USED_FDS (LOAD_N_USED - 1)

static void usage_read(const struct lab *lab, enum lab_side side, uint64_t n_out[LOAD_N_USED])
{
	static char command[4500], status[16384];
	const char *build = getenv("top_builddir"), *used;
	char key[32];
	FILE *f;
	size_t n;

	snprintf(command, sizeof(command), "%s/doca-admin status --json --dir %s --side %s",
		 build == NULL ? "." : build, lab->dir, side_names[side]);
	f = popen(command, "re");
	ck_assert_ptr_nonnull(f);
	n = fread(status, 1, sizeof(status) - 1, f);
	status[n] = '\0';
	ck_assert_msg(pclose(f) == 0, "%s", command);
	used = strstr(status, "\"used\": {");
	for (size_t i = 0; i < LOAD_N_USED; i++) {
		const char *at;

		snprintf(key, sizeof(key), "\"%s\": ", used_names[i]);
		at = used == NULL ? NULL : strstr(used, key);
		ck_assert_msg(at != NULL, "no %s in %s", key, status);
		n_out[i] = strtoull(at + strlen(key), NULL, 10);
	}
}

void load_usage_read(const struct lab *lab, struct load_usage *usage_out)
{
	for (int side = 0; side < LAB_N_SIDES; side++)
		usage_read(lab, (enum lab_side)side, usage_out->n[side]);
}

/*
 * Returns the index of the first count that differs, or LOAD_N_USED. The next instance of a daemon
 * may have fewer descriptors.
 */
static size_t usage_differs(const uint64_t *now, const uint64_t *before)
{
	for (size_t i = 0; i < LOAD_N_USED; i++)
		if (i == USED_FDS ? now[i] > before[i] : now[i] != before[i])
			return i;
	return LOAD_N_USED;
}

void load_usage_await(struct lab *lab, const struct load_usage *before)
{
	uint64_t deadline_ns = load_deadline();
	struct load_usage now;

	for (int side = 0; side < LAB_N_SIDES;) {
		size_t i;

		load_usage_read(lab, &now);
		lab_listen(lab);
		i = usage_differs(now.n[side], before->n[side]);
		if (i == LOAD_N_USED)
			side++;
		else
			ck_assert_msg(clock_now_ns() < deadline_ns,
				      "the %s daemon has %llu %s in use, and had %llu",
				      side_names[side], (unsigned long long)now.n[side][i],
				      used_names[i], (unsigned long long)before->n[side][i]);
	}
}
