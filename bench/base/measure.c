/* Pairs, canary and threads of the benchmark; measure.h explains the method. */
#include "bench/base/measure.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/base/peer.h"
#include "bench/bench.h"
#include "util/clock.h"
#include "util/util.h"

#define SAMPLE_NS      (20 * NS_PER_MS)
#define SAMPLE_SEEN_NS (2 * NS_PER_MS) /* minimum time to extrapolate from */
#define CORE_NS        (2 * NS_PER_MS)
#define CANARY_NS      (10 * NS_PER_MS)
/*
 * One-way time in nanoseconds of two cores of one die: two threads of one core are faster, distant
 * cores are slower.
 */
#define NEAR_MIN_NS 35.0
#define NEAR_MAX_NS 120.0
/* Number of attempts per requested round while the cores are not near each other. */
#define TRIES_PER_ROUND 4u
#define MAX_ROUNDS      1000u

struct pair {
	double ours_ns, reference_ns;
};

struct thread {
	pthread_t id;
	pthread_barrier_t *barrier;
	const struct work *work;
	uint64_t n, start_ns, end_ns;
	unsigned index;
};

void measure_pin(unsigned cpu)
{
	measure_pin_process(0, cpu);
}

void measure_pin_process(pid_t pid, unsigned cpu)
{
	static cpu_set_t allowed;
	static bool is_known;
	unsigned n, i;
	cpu_set_t set;

	if (!is_known && sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return;
	is_known = true;
	n = (unsigned)CPU_COUNT(&allowed);
	cpu %= n;
	for (i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &allowed) || cpu-- > 0)
			continue;
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		/* If it is refused, the figures are less stable, but not wrong. */
		(void)sched_setaffinity(pid, sizeof(set), &set);
		return;
	}
}

double measure_core(unsigned cpu)
{
	uint64_t a[12] = {0}, n = 0, start_ns, end_ns;
	unsigned i;

	measure_pin(cpu);
	start_ns = clock_now_ns();
	do {
		for (i = 0; i < 4096; i++) {
			/*
			 * Keeps each value in a register, and hides from the compiler that it is
			 * unused.
			 */
			__asm__ volatile("" : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]));
			__asm__ volatile("" : "+r"(a[4]), "+r"(a[5]), "+r"(a[6]), "+r"(a[7]));
			__asm__ volatile("" : "+r"(a[8]), "+r"(a[9]), "+r"(a[10]), "+r"(a[11]));
			a[0]++, a[1]++, a[2]++, a[3]++, a[4]++, a[5]++;
			a[6]++, a[7]++, a[8]++, a[9]++, a[10]++, a[11]++;
		}
		n += i;
		end_ns = clock_now_ns();
	} while (end_ns - start_ns < CORE_NS);
	return (double)(n * ARRAY_LEN(a)) / (double)(end_ns - start_ns);
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;

	measure_pin(t->index);
	pthread_barrier_wait(t->barrier);
	t->start_ns = clock_now_ns();
	t->work->run(t->work->args[t->index], t->n);
	t->end_ns = clock_now_ns();
	return NULL;
}

static uint64_t run_threads(const struct work *work, unsigned n_threads, uint64_t n)
{
	struct thread threads[MEASURE_MAX_THREADS];
	uint64_t start_ns = UINT64_MAX, end_ns = 0;
	pthread_barrier_t barrier;
	unsigned i;

	pthread_barrier_init(&barrier, NULL, n_threads);
	for (i = 0; i < n_threads; i++) {
		threads[i] = (struct thread){.barrier = &barrier, .work = work, .n = n, .index = i};
		if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i]) != 0)
			bench_die("cannot start a thread");
	}
	for (i = 0; i < n_threads; i++) {
		pthread_join(threads[i].id, NULL);
		start_ns = MIN(start_ns, threads[i].start_ns);
		end_ns = MAX(end_ns, threads[i].end_ns);
	}
	pthread_barrier_destroy(&barrier);
	return end_ns - start_ns;
}

/* Returns the nanoseconds for n operations in each thread. */
static uint64_t run_once(const struct measure_plan *plan, const struct work *work, uint64_t n)
{
	uint64_t start_ns, end_ns, start_ticks, all_ticks;

	if (plan->n_threads > 1)
		return run_threads(work, plan->n_threads, n);
	if (work->begin != NULL)
		work->begin(work->args[0], n);
	if (work->laps != NULL) {
		work->laps->n = 0;
		work->laps->start_ticks = measure_ticks();
	}
	if (work->aside != NULL)
		*work->aside = 0;
	start_ticks = measure_ticks();
	start_ns = clock_now_ns();
	work->run(work->args[0], n);
	end_ns = clock_now_ns();
	all_ticks = measure_ticks() - start_ticks;
	if (work->aside != NULL)
		return (uint64_t)((double)(end_ns - start_ns) *
				  (double)(all_ticks - MIN(*work->aside, all_ticks)) /
				  (double)all_ticks);
	if (work->laps != NULL)
		work->laps->end_ticks = measure_ticks();
	if (work->end != NULL)
		work->end(work->args[0]);
	return end_ns - start_ns - MIN(n * work->pause_ns, end_ns - start_ns);
}

static int ticks_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the median in nanoseconds of the laps of work that took all_ns. */
static double lap_median(struct laps *laps, uint64_t all_ns)
{
	double tick_ns = (double)all_ns / (double)(laps->end_ticks - laps->start_ticks);
	uint64_t n = laps->n - 1;

	for (uint64_t i = 0; i < n; i++)
		laps->at[i] = laps->at[i + 1] - laps->at[i];
	qsort(laps->at, n, sizeof(laps->at[0]), ticks_compare);
	return (double)laps->at[n / 2] * tick_ns;
}

/* Returns the nanoseconds of an operation. */
static double run_figure(const struct measure_plan *plan, const struct work *work, uint64_t n)
{
	uint64_t ns = run_once(plan, work, n);

	if (work->laps == NULL || work->laps->n < 2)
		return (double)ns / (double)n;
	return lap_median(work->laps, ns) / (double)work->ops_of_lap;
}

static uint64_t round_up(uint64_t n, uint64_t multiple)
{
	multiple = MAX(multiple, 1);
	return (MAX(n, 1) + multiple - 1) / multiple * multiple;
}

/* The test runs also warm both up. */
static uint64_t choose_iterations(const struct measure_plan *plan, const struct work *ours,
				  const struct work *reference)
{
	uint64_t n = round_up(plan->iterations, plan->multiple), ns;

	if (plan->iterations == 0) {
		n = round_up(64, plan->multiple);
		while ((ns = run_once(plan, ours, n) + n * ours->pause_ns) < SAMPLE_SEEN_NS)
			n = round_up(n * 2, plan->multiple);
		n = round_up((uint64_t)((double)n * SAMPLE_NS / (double)ns), plan->multiple);
	} else {
		run_once(plan, ours, n);
	}
	run_once(plan, reference, n);
	return n;
}

static bool is_near(struct peer *peer)
{
	double ns;

	if (peer == NULL)
		return true;
	ns = peer_canary(peer, CANARY_NS);
	return ns >= NEAR_MIN_NS && ns <= NEAR_MAX_NS;
}

static int pair_compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	double left = x->ours_ns * y->reference_ns, right = y->ours_ns * x->reference_ns;

	return (left > right) - (left < right);
}

void measure_pairs(const struct measure_plan *plan, const struct work *ours,
		   const struct work *reference, struct measure_result *result_out)
{
	unsigned n_rounds = MIN(plan->n_rounds, MAX_ROUNDS), n_kept = 0, i;
	unsigned n_tries = plan->peer == NULL ? n_rounds : n_rounds * TRIES_PER_ROUND;
	uint64_t n = choose_iterations(plan, ours, reference);
	struct pair pairs[MAX_ROUNDS];
	const struct pair *middle;

	for (i = 0; i < n_tries && n_kept < n_rounds; i++) {
		double ours_ns, reference_ns;
		bool near;

		if (plan->on_round != NULL)
			plan->on_round(n_kept, n_rounds);
		near = is_near(plan->peer);
		ours_ns = run_figure(plan, ours, n);
		near &= is_near(plan->peer);
		reference_ns = run_figure(plan, reference, n);
		near &= is_near(plan->peer);
		if (near)
			pairs[n_kept++] = (struct pair){ours_ns, reference_ns};
	}
	*result_out = (struct measure_result){.n_kept = n_kept, .iterations = n};
	if (n_kept == 0 || n_kept < MIN(MEASURE_MIN_KEPT, n_rounds))
		return;
	/*
	 * One pair provides all three figures, so that they are consistent. Of an even number the
	 * worse middle pair is used.
	 */
	qsort(pairs, n_kept, sizeof(pairs[0]), pair_compare);
	middle = &pairs[n_kept / 2];
	result_out->is_measured = true;
	result_out->ours_ns = middle->ours_ns;
	result_out->reference_ns = middle->reference_ns;
	result_out->ratio = middle->reference_ns > 0 ? middle->ours_ns / middle->reference_ns : 0;
}
