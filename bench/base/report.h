/*
 * Output: a table that fits the terminal, printed row by row, or one JSON object (for several rows:
 * a list) at the end; and the comparison of two results. On a terminal also shows what is being
 * measured. Main thread.
 */
#ifndef BENCH_BASE_REPORT_H
#define BENCH_BASE_REPORT_H

#include "bench/base/measure.h"

struct json_object;
struct report;

struct report *report_new(bool is_json);
/* Prints the rest. Returns 0, or -1 if the output could not be written. */
int report_end(struct report *report);
/* Shows on a terminal which row is being measured. */
void report_label(const struct bench *b);
void report_progress(unsigned n_kept, unsigned n_rounds);
/* limit: of the ratio; 0: none. */
void report_row(struct report *report, const struct bench *b, double limit,
		const struct measure_result *result);
/* Prints a note about the rows; not in the JSON. */
void report_note(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Reads the JSON of an earlier run: a list of rows. If there is none, ends the process. */
struct json_object *report_read(const char *path);
/* Adds these rows to an empty report, as if they had been measured. */
void report_adopt(struct report *report, struct json_object *rows);
/*
 * Compares the report's rows with earlier ones: prints a verdict per row, or with JSON adds it to
 * each row. Returns the number of rows that are worse.
 */
unsigned report_compare(struct report *report, struct json_object *earlier);

#endif
