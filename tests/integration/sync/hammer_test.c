/*
 * Lost wake-ups of sync events. Two processes on two sides: one publishes with pauses of random
 * length, the other sleeps, in a _yield wait or in epoll with a wait task in flight. After a few
 * publications the publisher waits until the sleeper has seen the last one: a lost wake-up hangs
 * both, and exceeds the deadline. The sleeper's periodic checks, which would hide it, are postponed
 * by an hour. DOCO_HAMMER_EVENTS sets the number of publications of each variant.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "client/sync_event/sync_event.h"
#include "tests/integration/sync/end.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/unit/unit.h"
#include "util/clock.h"

#ifdef DOCO_SANITIZED
#define DEFAULT_EVENTS 150000u
#else
#define DEFAULT_EVENTS 250000u
#endif
#define BURST_MAX 8u
#define PAUSE_MAX 4096u /* iterations of an empty loop: some microseconds */
#define AWAKE_MAX 32u   /* polls: few, so that it sleeps often */
#define NEVER_NS  (3600 * NS_PER_SEC)

static struct lab lab;
static uint64_t n_events;

struct variant {
	const char *name;
	enum lab_side publisher;
	bool with_tasks; /* of the sleeper */
	bool adds;
};

static const struct variant variants[] = {
	{"yield, set, dpu to host", LAB_DPU, false, false},
	{"yield, add, host to dpu", LAB_HOST, false, true},
	{"epoll, set, host to dpu", LAB_HOST, true, false},
	{"epoll, add, dpu to host", LAB_DPU, true, true},
};

/* Shared by both processes: the sleeper's progress. The sleeper never sleeps on this. */
static _Atomic uint64_t *seen;

static void pause_some(uint64_t *state)
{
	uint64_t n = unit_random(state) % PAUSE_MAX;

	/* Often no pause at all. */
	if (unit_random(state) % 2 == 0)
		return;
	for (volatile uint64_t i = 0; i < n; i++)
		continue;
}

/* The publisher is the importer: its changes wake the other process. */
static void publisher(int sock, void *arg)
{
	const struct variant *v = arg;
	struct sync_spec spec = {.side = v->publisher};
	uint64_t state = 88172645463325252ull, value = 0, fetched;
	struct sync_desc desc;
	struct sync_end end;

	lab_recv(sock, &desc, sizeof(desc));
	sync_end_import(&end, &spec, &desc);
	while (value < n_events) {
		for (uint64_t n = 1 + unit_random(&state) % BURST_MAX; n > 0 && value < n_events;
		     n--) {
			pause_some(&state);
			value++;
			if (!v->adds) {
				OK(doca_sync_event_update_set(end.event, value));
				continue;
			}
			OK(doca_sync_event_update_add(end.event, 1, &fetched));
			ck_assert_uint_eq(fetched, value - 1);
		}
		/* The sleeper may need this process's processor. */
		while (atomic_load(seen) != value)
			sched_yield();
	}
	lab_signal(sock);
	lab_wait(sock);
	sync_end_close(&end);
}

START_TEST(test_hammer)
{
	const struct variant *v = &variants[_i];
	struct sync_spec spec = {.side = v->publisher == LAB_HOST ? LAB_DPU : LAB_HOST,
				 .with_tasks = v->with_tasks};
	uint64_t state = 2463534242ull + (uint64_t)_i, last = 0;
	unsigned n_tasks = 0;
	struct lab_child child;
	struct sync_desc desc;
	struct sync_end end;

	lab_use(&lab, spec.side);
	child = lab_fork(&lab, v->publisher, publisher, (void *)v);
	sync_end_export(&end, &spec, &desc);
	end.event->cell.max_sleep_ns = NEVER_NS;
	lab_send(child.sock, &desc, sizeof(desc));
	while (last < n_events) {
		if (v->with_tasks) {
			sync_end_submit(&end, false, last, SYNC_ALL);
			sync_end_await(&end, ++n_tasks, true);
			ck_assert_uint_eq(end.n_failed, 0);
			last = sync_cell_get(&end.event->cell);
		} else {
			end.event->cell.n_awake = (uint32_t)unit_random(&state) % AWAKE_MAX;
			OK(doca_sync_event_wait_neq_yield(end.event, last, SYNC_ALL));
			OK(doca_sync_event_get(end.event, &last));
		}
		atomic_store(seen, last);
		if (unit_random(&state) % 8 == 0)
			pause_some(&state);
	}
	lab_wait(child.sock);
	lab_signal(child.sock);
	lab_join(&child);
	sync_end_close(&end);
}
END_TEST

static void setup(void)
{
	leaks_setup();
	leaks_allow_fds(1);
	seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(seen != MAP_FAILED);
	lab_start(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("hammer");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_hammer, 0, ARRAY_LEN(variants));
}

int main(void)
{
	n_events = sleeper_n_events(DEFAULT_EVENTS);
	lab_require();
	return runner_main("sync_hammer", add_cases, NULL);
}
