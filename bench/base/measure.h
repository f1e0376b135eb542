/*
 * Method of the benchmark. The measured code and the raw reference run alternately, so that drift
 * of the machine affects both; the result is the middle pair. Work between two cores is bracketed
 * by a ping-pong of two processes on one atomic word (the canary), because virtual cores change
 * their distance. Such a pair counts only if the cores were near each other before, between and
 * after.
 *
 * Percentiles come from further samples after the pairs, in which run() marks the beginning of each
 * operation; the pairs do not pay for the marks.
 *
 * Threads: the main thread calls measure_row(). For several threads, it starts one per bench, each
 * on its own core as far as there are enough.
 */
#ifndef BENCH_BASE_MEASURE_H
#define BENCH_BASE_MEASURE_H

#include <sys/types.h>

#include "bench/bench.h"
#include "util/clock.h"

/* With fewer valid pairs no result is reported, unless fewer were requested. */
#define MEASURE_MIN_KEPT 5u
#define LAPS_MAX         65536u

enum { P50, P99, P99_9, N_PERCENTILES };

/* Durations of single operations. */
struct laps {
	uint64_t n, last; /* last: ticks of the last mark; 0: none yet */
	uint64_t ticks[LAPS_MAX];
};

struct measure_result {
	bool is_measured;
	char omitted[256]; /* why the row cannot be measured here; "": it can */
	unsigned n_kept;
	uint64_t iterations;
	/* Per operation and thread, in the middle pair. */
	double ours_ns, reference_ns, ratio;
	double ratio_low, ratio_high; /* quartiles of the pairs' ratios */
	/* Percentiles of single operations, in nanoseconds; 0: too few, or not meaningful. */
	double percentiles[N_PERCENTILES];
};

/*
 * Pins the calling thread, or a process, to one of the cores that this process may use initially.
 */
void measure_pin(unsigned cpu);
void measure_pin_process(pid_t pid, unsigned cpu);
/*
 * Returns the number of independent additions per nanosecond that a core executes, measured over
 * about two milliseconds. The calling thread is on that core afterwards. If the core's other
 * hardware thread is busy (in a virtual machine perhaps with another guest's work), the result is
 * about a third lower. Other compute-bound code slows down by the same amount, while a ping-pong
 * between two cores does not.
 */
double measure_core(unsigned cpu);
/* Hides from the compiler what p points at, and that its contents are unused. */
#define MEASURE_ESCAPE(p) __asm__ volatile("" : "+r"(p) : : "memory")

static inline uint64_t measure_ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return clock_now_ns();
#endif
}

/* Adds the duration of an operation. */
static inline void laps_add(struct laps *laps, uint64_t ticks)
{
	if (laps != NULL && laps->n < LAPS_MAX)
		laps->ticks[laps->n++] = ticks;
}

/* Marks that an operation begins, or that the last one has ended. */
static inline void laps_mark(struct laps *laps)
{
	uint64_t now;

	if (likely(laps == NULL))
		return;
	now = measure_ticks();
	if (laps->last != 0)
		laps_add(laps, now - laps->last);
	laps->last = now;
}

/* Measures one row; benches has an element per thread. on_round shows progress. */
void measure_row(struct bench *benches, unsigned n_threads,
		 void (*on_round)(unsigned n_kept, unsigned n_rounds),
		 struct measure_result *result_out);

#endif
