/*
 * A daemon is stopped while programs of both sides are under load, as in a frozen cgroup or with a
 * stalled disk. No operation on an established path fails. Control calls time out individually, or
 * succeed late. After the daemon continues, or its service manager has replaced it, all operations
 * succeed, and the daemon keeps nothing of the calls that timed out. With OVER_TLS the daemons are
 * linked as those of two machines.
 *
 * FREEZE_S=120 tests/integration/control/freeze_test
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/integration/control/load.h"
#include "tests/lib/runner.h"
#include "tests/lib/tls_lab.h"
#include "util/clock.h"

/* Longer than a control call waits. */
#define FREEZE_S 7u
/* When a service manager with a watchdog ends the daemon: before or after calls time out. */
#define EARLY_S 3u
#define LATE_S  6u
#define N_OPS   20u

static struct lab lab;
static struct load load;

#ifdef OVER_TLS
static struct tls_lab tls;

static void setup(void)
{
	leaks_setup();
	/* Longer than every freeze: a link of which nothing is received ends, and its channels. */
	tls_lab_make(&tls, "timeout_ms = 3600000\n");
	tls_lab_start_persistent(&tls, &lab, 128);
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}
#else
static void setup(void)
{
	const struct lab_options options = {.fd_store = 128};

	lab_setup(&lab, &options);
}

static void teardown(void)
{
	lab_teardown(&lab);
}
#endif

static uint64_t freeze_ns(void)
{
	const char *text = getenv("FREEZE_S");

	return (text != NULL ? strtoull(text, NULL, 10) : FREEZE_S) * NS_PER_SEC;
}

static void pause_and_compare(const struct load_usage *before)
{
	load_rest(&load);
	load_usage_await(&lab, before);
	load_resume(&load);
}

/* On return both programs work, and the usage is that without pending calls. */
static void begin(struct load_usage *idle, struct load_usage *working)
{
	load_usage_read(&lab, idle);
	load_start(&load, &lab);
	load_await(&load, LOAD_EVERYTHING, N_OPS);
	load_rest(&load);
	load_usage_read(&lab, working);
	load_resume(&load);
	load_await(&load, LOAD_EVERYTHING, 1);
}

static void end(const struct load_usage *idle, const struct load_usage *working, const char *title)
{
	load_await(&load, LOAD_EVERYTHING, N_OPS);
	pause_and_compare(working);
	load_print(&load, title);
	load_stop(&load);
	load_usage_await(&lab, idle);
}

/* Between machines the daemons carry everything; locally the paths do without them. */
static void work_while_stopped(enum lab_side side, uint64_t until_ns, bool times_out)
{
#ifndef OVER_TLS
	load_await(&load, LOAD_PATHS, N_OPS);
#endif
	if (times_out)
		load_await_timed_out(&load, side, 1);
	load_work_until(&load, until_ns);
}

/* _i: the side. */
START_TEST(daemon_stops_and_continues)
{
	enum lab_side side = (enum lab_side)_i;
	struct load_usage idle, working;

	begin(&idle, &working);
	load_stop_begins(&load);
	lab_freeze(lab.daemons[side].pid);
	work_while_stopped(side, clock_now_ns() + freeze_ns(), true);
	lab_thaw(lab.daemons[side].pid);
	load_stop_ends(&load);
	end(&idle, &working, side == LAB_HOST ? "host stopped" : "dpu stopped");
}
END_TEST

#ifndef OVER_TLS
/* _i: the side; before or after calls time out. */
START_TEST(is_replaced)
{
	enum lab_side side = (enum lab_side)(_i & 1);
	bool is_late = _i & 2;
	struct load_usage idle, working;

	begin(&idle, &working);
	load_stop_begins(&load);
	lab_freeze(lab.daemons[side].pid);
	work_while_stopped(side, clock_now_ns() + (is_late ? LATE_S : EARLY_S) * NS_PER_SEC,
			   is_late);
	lab_kill_daemon(&lab, side);
	lab_start_daemon(&lab, side);
	load_stop_ends(&load);
	end(&idle, &working, side == LAB_HOST ? "host replaced" : "dpu replaced");
}
END_TEST
#endif

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("freeze");

	tcase_add_checked_fixture(tcase, setup, teardown);
	/* In a long run the wait for each operation is what ends it. */
	tcase_set_timeout(tcase, getenv("FREEZE_S") != NULL ? 0 : RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, daemon_stops_and_continues, 0, LAB_N_SIDES);
#ifndef OVER_TLS
	tcase_add_loop_test(tcase, is_replaced, 0, 4);
#endif
}

int main(void)
{
	lab_require();
	if (getenv("FREEZE_S") != NULL)
		runner_set_limit(86400);
	return runner_main("freeze", add_cases, NULL);
}
