/*
 * Daemons of both sides are stopped, continued, killed and replaced in random order while programs
 * of both sides are under load. The model of what may fail is small: a control call may return
 * TIME_OUT if a daemon was stopped while the call was pending. Operations on established paths
 * never fail, nothing is lost, and daemons keep nothing of abandoned calls.
 *
 *   STOPS=1000 STOP_SEED=7 tests/integration/control/stop_sequence_test
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/integration/control/load.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "util/clock.h"

#ifdef DOCO_SANITIZED
#define N_SEQUENCES 8u
#else
#define N_SEQUENCES 20u
#endif
/*
 * The usage is compared after this many sequences, one of which is longer than a control call
 * waits.
 */
#define PERIOD   10u
#define SHORT_MS 150u
#define LONG_MS  5500u
#define N_OPS    2u

enum step { CONTINUE, REPLACE_STOPPED, REPLACE_RUNNING, CONTINUE_BOTH, N_STEPS };

static struct lab lab;
static struct load load;
static uint32_t seed;
static unsigned n_steps[N_STEPS];

static uint64_t number_of(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text != NULL ? strtoull(text, NULL, 10) : fallback;
}

static void setup(void)
{
	const struct lab_options options = {.fd_store = 128};

	lab_setup(&lab, &options);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static uint32_t random_below(uint32_t max)
{
	return sleeper_random(&seed) % max;
}

static void run_load(bool is_long)
{
	uint32_t ms = is_long ? LONG_MS : random_below(SHORT_MS);

	load_work_until(&load, clock_now_ns() + ms * NS_PER_MS);
}

static void replace(enum lab_side side)
{
	lab_kill_daemon(&lab, side);
	lab_start_daemon(&lab, side);
}

static void continue_both(enum lab_side first, bool is_long)
{
	enum lab_side second = (enum lab_side) !first;

	lab_freeze(lab.daemons[second].pid);
	run_load(is_long);
	lab_thaw(lab.daemons[random_below(2) ? first : second].pid);
	run_load(false);
	/* One of them runs already, which SIGCONT does not change. */
	lab_thaw(lab.daemons[first].pid);
	lab_thaw(lab.daemons[second].pid);
}

static void run_sequence(bool is_long)
{
	enum lab_side side = (enum lab_side)random_below(LAB_N_SIDES);
	enum step step = (enum step)random_below(N_STEPS);

	n_steps[step]++;
	load_stop_begins(&load);
	if (step != REPLACE_RUNNING)
		lab_freeze(lab.daemons[side].pid);
	if (step == CONTINUE_BOTH) {
		continue_both(side, is_long);
	} else {
		run_load(is_long);
		if (step == CONTINUE)
			lab_thaw(lab.daemons[side].pid);
		else
			replace(side);
	}
	load_stop_ends(&load);
}

START_TEST(sequences)
{
	uint64_t n = number_of("STOPS", N_SEQUENCES);
	struct load_usage idle, working;

	seed = (uint32_t)number_of("STOP_SEED", (uint64_t)getpid());
	printf("%llu sequences, seed %u\n", (unsigned long long)n, seed);
	load_usage_read(&lab, &idle);
	load_start(&load, &lab);
	load_await(&load, LOAD_EVERYTHING, N_OPS);
	load_rest(&load);
	load_usage_read(&lab, &working);
	load_resume(&load);
	for (uint64_t i = 1; i <= n; i++) {
		run_sequence(i % PERIOD == 1);
		load_await(&load, LOAD_EVERYTHING, N_OPS);
		if (i % PERIOD != 0 && i != n)
			continue;
		load_rest(&load);
		load_usage_await(&lab, &working);
		load_resume(&load);
	}
	printf("continued %u, stopped and replaced %u, replaced %u, both continued %u; ",
	       n_steps[CONTINUE], n_steps[REPLACE_STOPPED], n_steps[REPLACE_RUNNING],
	       n_steps[CONTINUE_BOTH]);
	load_print(&load, "sequences");
	load_stop(&load);
	load_usage_await(&lab, &idle);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("sequences");

	tcase_add_checked_fixture(tcase, setup, teardown);
	/* In a long run the wait for each operation is what ends it. */
	tcase_set_timeout(tcase, getenv("STOPS") != NULL ? 0 : RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, sequences);
}

int main(void)
{
	lab_require();
	if (getenv("STOPS") != NULL)
		runner_set_limit(86400);
	return runner_main("stop sequences", add_cases, NULL);
}
