/*
 * Method of the benchmark. The measured code and the raw reference run alternately, so that drift
 * of the machine affects both; the result is the middle pair. Work between two cores is bracketed
 * by a ping-pong of two processes on one atomic word (the canary), because virtual cores change
 * their distance. Such a pair counts only if the cores were near each other before, between and
 * after.
 *
 * A work function executes n operations and reads no clock, unless it marks laps. begin and end run
 * outside the measured time and prepare the other process.
 *
 * Threads: the main thread calls measure_pairs(). For several threads, it starts one per element of
 * args, each on its own core as far as there are enough.
 */
#ifndef BENCH_BASE_MEASURE_H
#define BENCH_BASE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/clock.h"

#define MEASURE_MAX_THREADS 64u
/* With fewer valid pairs no result is reported, unless fewer were requested. */
#define MEASURE_MIN_KEPT 5u

struct peer;

/*
 * If single operations are long enough to be timed, their median is more meaningful than the mean,
 * because interruptions by other work do not affect it. A work function marks the begin of each
 * operation.
 */
#define LAPS_MAX 8192u
struct laps {
	uint64_t n, at[LAPS_MAX]; /* in ticks */
	/* Start and end of the whole run; its time in nanoseconds is known, too. */
	uint64_t start_ticks, end_ticks;
};

struct work {
	void (*run)(void *arg, uint64_t n);
	void (*begin)(void *arg, uint64_t n); /* may be NULL */
	void (*end)(void *arg);               /* may be NULL */
	void *args[MEASURE_MAX_THREADS];
	uint64_t pause_ns;   /* of an operation; not counted */
	struct laps *laps;   /* NULL: the figure is the mean */
	uint64_t ops_of_lap; /* operations from one mark to the next */
	uint64_t *aside;     /* ticks that run() adds here are not counted; NULL: all are */
};

struct measure_plan {
	uint64_t iterations; /* 0: as many as take about 20 ms */
	uint64_t multiple;   /* iterations are rounded up to a multiple of this */
	unsigned n_rounds;
	unsigned n_threads;
	/* Peer of work that crosses cores; NULL: it does not. */
	struct peer *peer;
	void (*on_round)(unsigned i, unsigned n); /* progress display; may be NULL */
};

struct measure_result {
	bool is_measured;
	unsigned n_kept;
	uint64_t iterations;
	double ours_ns; /* per operation and thread, in the middle pair */
	double reference_ns;
	double ratio;
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

/* Marks that an operation begins, or that the last one has ended. */
static inline void laps_mark(struct laps *laps)
{
	if (laps != NULL && laps->n < LAPS_MAX)
		laps->at[laps->n++] = measure_ticks();
}

void measure_pairs(const struct measure_plan *plan, const struct work *ours,
		   const struct work *reference, struct measure_result *result_out);

#endif
