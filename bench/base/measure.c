/* Pairs, canary, percentiles and threads of the benchmark; measure.h explains the method. */
#include "bench/base/measure.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "bench/base/peer.h"

#define SAMPLE_NS      (20 * NS_PER_MS)
#define LONG_SAMPLE_NS (200 * NS_PER_MS)
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
/* Operations whose durations are enough for the 99.9th percentile, and for the 99th. */
#define ENOUGH_LAPS      2000u
#define ENOUGH_LAPS_P99  200u
#define MAX_LAPS_SAMPLES 20u
/* Laps of a sample whose median is the figure; as many as in perftest. */
#define MEDIAN_LAPS 1000u

struct pair {
	double ours_ns, reference_ns, ratio;
};

struct thread {
	pthread_t id;
	pthread_barrier_t *barrier;
	struct bench *bench;
	bench_loop *loop;
	uint64_t n, start_ns, end_ns;
	unsigned index;
};

/* The state of measure_row(). */
struct plan {
	struct bench *benches;
	const struct bench_row *row;
	unsigned n_threads;
	uint64_t multiple, ops_of_lap;
	struct laps *laps;
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
	t->loop(t->bench, t->n);
	t->end_ns = clock_now_ns();
	return NULL;
}

static uint64_t run_threads(const struct plan *plan, bench_loop *loop, uint64_t n)
{
	struct thread threads[BENCH_MAX_THREADS];
	uint64_t start_ns = UINT64_MAX, end_ns = 0;
	pthread_barrier_t barrier;
	unsigned i;

	pthread_barrier_init(&barrier, NULL, plan->n_threads);
	for (i = 0; i < plan->n_threads; i++) {
		threads[i] = (struct thread){.barrier = &barrier,
					     .bench = &plan->benches[i],
					     .loop = loop,
					     .n = n,
					     .index = i};
		if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i]) != 0)
			bench_die("cannot start a thread");
	}
	for (i = 0; i < plan->n_threads; i++) {
		pthread_join(threads[i].id, NULL);
		start_ns = MIN(start_ns, threads[i].start_ns);
		end_ns = MAX(end_ns, threads[i].end_ns);
	}
	pthread_barrier_destroy(&barrier);
	return end_ns - start_ns;
}

static int ticks_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* A sample: n operations of one loop. Returns the nanoseconds of all, without the time aside. */
static double run_once(struct plan *plan, enum peer_loop which, uint64_t n, double *tick_ns_out)
{
	const struct bench_row *row = plan->row;
	bench_loop *loop = which == PEER_OURS ? row->run : row->reference_run;
	bench_loop *serve = which == PEER_OURS ? row->serve : row->reference_serve;
	struct bench *b = plan->benches;
	uint64_t start_ns, all_ns, start_ticks, all_ticks;

	if (plan->n_threads > 1)
		return (double)run_threads(plan, loop, n);
	if (serve != NULL)
		peer_engage(b->peer, which, n);
	plan->laps->last = b->aside_ticks = 0;
	start_ticks = measure_ticks();
	start_ns = clock_now_ns();
	loop(b, n);
	all_ns = clock_now_ns() - start_ns;
	all_ticks = MAX(measure_ticks() - start_ticks, 1);
	if (serve != NULL)
		peer_wait_done(b->peer);
	*tick_ns_out = (double)all_ns / (double)all_ticks;
	return (double)all_ns * (double)(all_ticks - MIN(b->aside_ticks, all_ticks)) /
	       (double)all_ticks;
}

/* Returns the nanoseconds of an operation. */
static double run_figure(struct plan *plan, enum peer_loop which, uint64_t n)
{
	struct laps *laps = plan->laps;
	double tick_ns, ns;

	laps->n = 0;
	ns = run_once(plan, which, n, &tick_ns);
	if (laps->n == 0)
		return ns / (double)n;
	qsort(laps->ticks, laps->n, sizeof(laps->ticks[0]), ticks_compare);
	return (double)laps->ticks[laps->n / 2] * tick_ns / (double)plan->ops_of_lap;
}

static uint64_t round_up(const struct plan *plan, uint64_t n)
{
	return (MAX(n, 1) + plan->multiple - 1) / plan->multiple * plan->multiple;
}

/* The test runs also warm both up. */
static uint64_t choose_iterations(struct plan *plan)
{
	const struct bench_options *o = plan->benches->options;
	uint64_t n = round_up(plan, o->iterations), start_ns, ns;
	uint64_t sample_ns = plan->row->flags & ROW_LONG ? LONG_SAMPLE_NS : SAMPLE_NS;
	double tick_ns;

	if (o->iterations == 0 && plan->row->flags & ROW_MEDIAN) {
		n = round_up(plan, MEDIAN_LAPS * plan->ops_of_lap);
		run_once(plan, PEER_OURS, n, &tick_ns);
	} else if (o->iterations == 0) {
		for (n = round_up(plan, 8);; n = round_up(plan, n * 2)) {
			start_ns = clock_now_ns();
			run_once(plan, PEER_OURS, n, &tick_ns);
			ns = clock_now_ns() - start_ns;
			if (ns >= SAMPLE_SEEN_NS)
				break;
		}
		n = round_up(plan, (uint64_t)((double)n * (double)sample_ns / (double)ns));
	} else {
		run_once(plan, PEER_OURS, n, &tick_ns);
	}
	run_once(plan, PEER_REFERENCE, n, &tick_ns);
	return n;
}

static bool is_near(const struct plan *plan)
{
	double ns;

	if (!(plan->row->flags & ROW_NEAR))
		return true;
	ns = peer_canary(plan->benches->peer, CANARY_NS);
	return ns >= NEAR_MIN_NS && ns <= NEAR_MAX_NS;
}

static int pair_compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* Returns the number of pairs that count. */
static unsigned pairs_measure(struct plan *plan, uint64_t n, struct pair pairs[MAX_ROUNDS],
			      void (*on_round)(unsigned n_kept, unsigned n_rounds))
{
	const struct bench_options *o = plan->benches->options;
	unsigned n_rounds = MIN(o->n_rounds, MAX_ROUNDS), n_kept = 0, n_tries, i;
	uint64_t end_ns = clock_now_ns() + o->duration_ns;

	n_tries = n_rounds * (plan->row->flags & ROW_NEAR ? TRIES_PER_ROUND : 1);
	if (o->duration_ns > 0)
		n_tries = n_rounds = MAX_ROUNDS;
	for (i = 0; i < n_tries && n_kept < n_rounds; i++) {
		struct pair p;
		bool near;

		if (o->duration_ns > 0 && i > 0 && clock_now_ns() >= end_ns)
			break;
		on_round(n_kept, o->duration_ns > 0 ? 0 : n_rounds);
		near = is_near(plan);
		p.ours_ns = run_figure(plan, PEER_OURS, n);
		near &= is_near(plan);
		p.reference_ns = run_figure(plan, PEER_REFERENCE, n);
		near &= is_near(plan);
		p.ratio = p.reference_ns > 0 ? p.ours_ns / p.reference_ns : 0;
		if (near)
			pairs[n_kept++] = p;
	}
	return n_kept;
}

/* Takes samples with marks until there are enough for the percentiles. */
static void percentiles_measure(struct plan *plan, uint64_t n, double percentiles[N_PERCENTILES])
{
	struct laps *laps = plan->laps;
	double tick_ns = 0;
	unsigned i;

	plan->benches->laps = laps;
	laps->n = 0;
	for (i = 0; i < MAX_LAPS_SAMPLES && laps->n < ENOUGH_LAPS; i++) {
		uint64_t n_before = laps->n;

		if (!is_near(plan))
			continue;
		run_once(plan, PEER_OURS, n, &tick_ns);
		if (!is_near(plan))
			laps->n = n_before;
	}
	if (laps->n == 0)
		return;
	qsort(laps->ticks, laps->n, sizeof(laps->ticks[0]), ticks_compare);
	tick_ns /= (double)plan->ops_of_lap;
	percentiles[P50] = (double)laps->ticks[laps->n / 2] * tick_ns;
	if (laps->n >= ENOUGH_LAPS_P99)
		percentiles[P99] = (double)laps->ticks[laps->n * 99 / 100] * tick_ns;
	if (laps->n >= ENOUGH_LAPS)
		percentiles[P99_9] = (double)laps->ticks[laps->n * 999 / 1000] * tick_ns;
}

static bool has_laps(const struct bench *b)
{
	return b->row->flags & ROW_LAPS && b->n_threads == 1 &&
	       !(b->row->flags & ROW_DEPTH_ONE && b->depth > 1);
}

void measure_row(struct bench *benches, unsigned n_threads,
		 void (*on_round)(unsigned n_kept, unsigned n_rounds),
		 struct measure_result *result_out)
{
	static struct pair pairs[MAX_ROUNDS];
	const struct bench_row *row = benches->row;
	const struct bench_options *o = benches->options;
	struct plan plan = {.benches = benches,
			    .row = row,
			    .n_threads = n_threads,
			    .multiple = row->multiple == 0 ? benches->depth : row->multiple,
			    .ops_of_lap = MAX(row->ops_of_lap, 1)};
	unsigned n_kept;
	uint64_t n;

	plan.laps = bench_alloc(1, sizeof(*plan.laps));
	if (row->flags & ROW_MEDIAN)
		benches->laps = plan.laps;
	n = choose_iterations(&plan);
	n_kept = pairs_measure(&plan, n, pairs, on_round);
	*result_out = (struct measure_result){.n_kept = n_kept, .iterations = n};
	if (has_laps(benches))
		percentiles_measure(&plan, n, result_out->percentiles);
	if (n_kept == 0 || (o->duration_ns > 0 ? n_kept < MEASURE_MIN_KEPT && row->flags & ROW_NEAR
					       : n_kept < MIN(MEASURE_MIN_KEPT, o->n_rounds)))
		return;
	/*
	 * One pair provides all three figures, so that they are consistent. Of an even number the
	 * worse middle pair is used.
	 */
	qsort(pairs, n_kept, sizeof(pairs[0]), pair_compare);
	result_out->is_measured = true;
	result_out->ours_ns = pairs[n_kept / 2].ours_ns;
	result_out->reference_ns = pairs[n_kept / 2].reference_ns;
	result_out->ratio = pairs[n_kept / 2].ratio;
	result_out->ratio_low = pairs[n_kept / 4].ratio;
	result_out->ratio_high = pairs[n_kept * 3 / 4].ratio;
}
