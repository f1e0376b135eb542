/*
 * How the benchmark measures. Ours and the raw reference run in turn, so that drift of the machine
 * meets both; the figure is the middle pair. Work that crosses cores is bracketed by a ping-pong
 * of two processes on one atomic word (the canary), because virtual cores change their distance:
 * a pair counts only if the cores were near each other before, between and after.
 *
 * A work runs n operations and reads no clock, unless it marks laps. begin and end are outside the
 * measured time; they bring the other process into position.
 *
 * Threads: measure_pairs is called by the main thread; with several threads it starts them itself,
 * one per element of args, each on a core of its own as far as there are.
 */
#ifndef BENCH_BASE_MEASURE_H
#define BENCH_BASE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/clock.h"

#define MEASURE_MAX_THREADS 64u
/* With fewer pairs than these nothing is claimed, unless fewer were asked for. */
#define MEASURE_MIN_KEPT 5u

struct peer;

/*
 * Where single operations are long enough to be seen, their median says more than the mean of all:
 * a machine that did something else meanwhile does not count. A work marks when each began.
 */
#define LAPS_MAX 8192u
struct laps {
	uint64_t n, at[LAPS_MAX];        /* in ticks */
	uint64_t start_ticks, end_ticks; /* of the whole, whose time is known in nanoseconds, too */
};

struct work {
	void (*run)(void *arg, uint64_t n);
	void (*begin)(void *arg, uint64_t n); /* may be NULL */
	void (*end)(void *arg);               /* may be NULL */
	void *args[MEASURE_MAX_THREADS];
	uint64_t pause_ns;   /* of an operation; not counted */
	struct laps *laps;   /* NULL: the figure is the mean */
	uint64_t ops_of_lap; /* operations from one mark to the next */
	uint64_t *aside;     /* ticks that run adds here do not count; NULL: all do */
};

struct measure_plan {
	uint64_t iterations; /* 0: as many as take some 20 ms */
	uint64_t multiple;   /* iterations are rounded up to one of this */
	unsigned n_rounds;
	unsigned n_threads;
	struct peer *peer;                        /* work crosses cores to it; NULL: it does not */
	void (*on_round)(unsigned i, unsigned n); /* progress display; may be NULL */
};

struct measure_result {
	bool is_measured;
	unsigned n_kept;
	uint64_t iterations;
	double ours_ns; /* per operation and thread, of the middle pair */
	double reference_ns;
	double ratio;
};

/* The calling thread, or a process, to one of the cores that this one may use at first. */
void measure_pin(unsigned cpu);
void measure_pin_process(pid_t pid, unsigned cpu);
/*
 * Additions per nanosecond that a core does of such as do not wait for each other, over some two
 * milliseconds; the calling thread is on that core afterwards. Where a core's other hardware thread
 * is busy, in a virtual machine perhaps with a neighbour's work, it is a third less, and so is what
 * else executes much and waits little, while a ping-pong of two cores stays as it is.
 */
double measure_core(unsigned cpu);
/* Keeps the compiler from knowing what p points at, or that nobody reads it. */
#define MEASURE_ESCAPE(p) __asm__ volatile("" : "+r"(p) : : "memory")

static inline uint64_t measure_ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return clock_now_ns();
#endif
}

/* An operation begins, or the last one has ended. */
static inline void laps_mark(struct laps *laps)
{
	if (laps != NULL && laps->n < LAPS_MAX)
		laps->at[laps->n++] = measure_ticks();
}

void measure_pairs(const struct measure_plan *plan, const struct work *ours,
		   const struct work *reference, struct measure_result *result_out);

#endif
