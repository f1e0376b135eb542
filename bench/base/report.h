/*
 * What the user sees: a table that fits the terminal, row by row as they are measured, or one JSON
 * object (several: a list) at the end; and on a terminal, what is being measured at the moment.
 * Main thread.
 */
#ifndef BENCH_BASE_REPORT_H
#define BENCH_BASE_REPORT_H

#include "bench/base/measure.h"
#include "bench/bench.h"

struct report_row {
	const char *test, *variant, *transport, *reference;
	uint64_t size, depth; /* size in bytes of an operation; 0: it moves none */
	unsigned n_threads;
	bool moves_bytes;
};

struct report *report_new(bool is_json);
/* Writes what is left and frees. 0, or -1 if the output could not be written. */
int report_delete(struct report *report);

/* The plan that the options of the run ask for. */
struct measure_plan report_plan(const struct bench *bench, uint64_t multiple, unsigned n_threads);
/* Measures and reports one row. */
void report_measure(struct report *report, const struct report_row *row,
		    const struct measure_plan *plan, const struct work *ours,
		    const struct work *reference);
/* The same for what was measured elsewhere. */
void report_result(struct report *report, const struct report_row *row,
		   const struct measure_result *result);
/* A figure that has no reference. */
void report_value(struct report *report, const char *test, const char *what, double value,
		  const char *unit);
/* Something that the user should know about the rows; not in the JSON. */
void report_note(struct report *report, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
