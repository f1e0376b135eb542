/*
 * Output: a table that fits the terminal, printed row by row, or one JSON object (for several
 * tests: a list) at the end. On a terminal also shows what is being measured. Main thread.
 */
#ifndef BENCH_BASE_REPORT_H
#define BENCH_BASE_REPORT_H

#include "bench/base/measure.h"
#include "bench/bench.h"

struct report_row {
	const char *test, *variant, *transport, *reference;
	uint64_t size, depth; /* size: bytes of an operation; 0: it moves none */
	unsigned n_threads;
	bool moves_bytes;
};

struct report *report_new(bool is_json);
/* Prints the rest and frees the report. Returns 0, or -1 if the output could not be written. */
int report_delete(struct report *report);

/* Returns the plan according to the options of the run. */
struct measure_plan report_plan(const struct bench *bench, uint64_t multiple, unsigned n_threads);
/* Measures and reports one row. */
void report_measure(struct report *report, const struct report_row *row,
		    const struct measure_plan *plan, const struct work *ours,
		    const struct work *reference);
/* Like report_measure(), for a result that was measured elsewhere. */
void report_result(struct report *report, const struct report_row *row,
		   const struct measure_result *result);
/* Reports a figure that has no reference. */
void report_value(struct report *report, const char *test, const char *what, double value,
		  const char *unit);
/* Prints a note about the rows; not in the JSON. */
void report_note(struct report *report, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
