/* See bench/base/report.h. */
#include "bench/base/report.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CELL_LEN 32
#define GAP      2

enum column {
	COL_TEST,
	COL_VARIANT,
	COL_SIZE,
	COL_DEPTH,
	COL_THREADS,
	COL_TRANSPORT,
	COL_NS,
	COL_GB,
	COL_REFERENCE,
	COL_REFERENCE_NS,
	COL_RATIO,
	COL_KEPT,
	N_COLUMNS
};

static const struct {
	const char *title;
	int width;
	bool is_left;
} columns[N_COLUMNS] = {
	[COL_TEST] = {"test", 5, true},
	[COL_VARIANT] = {"variant", 11, true},
	[COL_SIZE] = {"size", 6, false},
	[COL_DEPTH] = {"depth", 5, false},
	[COL_THREADS] = {"thr", 3, false},
	[COL_TRANSPORT] = {"transport", 9, true},
	[COL_NS] = {"ns/op", 10, false},
	[COL_GB] = {"GB/s", 6, false},
	[COL_REFERENCE] = {"reference", 17, true},
	[COL_REFERENCE_NS] = {"its ns/op", 10, false},
	[COL_RATIO] = {"ratio", 6, false},
	[COL_KEPT] = {"kept", 4, false},
};

/* Columns that are left out on a narrow terminal, in this order. */
static const enum column dispensable[] = {COL_THREADS, COL_GB,           COL_TRANSPORT, COL_KEPT,
					  COL_TEST,    COL_REFERENCE_NS, COL_REFERENCE, COL_DEPTH};

struct report {
	json_object *rows; /* NULL: a table is printed */
	bool is_shown[N_COLUMNS];
	bool has_title, is_truncated, has_unmeasured;
};

/* Text of the progress line. There is one report at a time. */
static char progress_label[160];
static bool has_progress;

static int terminal_width(int fd)
{
	struct winsize size;

	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 0;
	return size.ws_col;
}

static void progress_clear(void)
{
	if (has_progress)
		fputs("\r\033[K", stderr);
	has_progress = false;
}

static void progress_show(unsigned i, unsigned n)
{
	int width = terminal_width(STDERR_FILENO);
	char text[200];

	if (width == 0)
		return;
	snprintf(text, sizeof(text), "%s: round %u of %u", progress_label, i + 1, n);
	fprintf(stderr, "\r%.*s\033[K", width - 1, text);
	fflush(stderr);
	has_progress = true;
}

static int table_width(const struct report *r)
{
	int width = -GAP;
	size_t c;

	for (c = 0; c < N_COLUMNS; c++)
		width += r->is_shown[c] ? columns[c].width + GAP : 0;
	return width;
}

struct report *report_new(bool is_json)
{
	struct report *r = calloc(1, sizeof(*r));
	int width = terminal_width(STDOUT_FILENO);
	size_t i;

	if (r == NULL)
		bench_die("no memory");
	if (is_json) {
		json_c_set_serialization_double_format("%.6g", JSON_C_OPTION_GLOBAL);
		r->rows = json_object_new_array();
	}
	for (i = 0; i < N_COLUMNS; i++)
		r->is_shown[i] = true;
	for (i = 0; width > 0 && table_width(r) > width && i < ARRAY_LEN(dispensable); i++) {
		r->is_shown[dispensable[i]] = false;
		r->is_truncated = true;
	}
	return r;
}

static void line_print(const struct report *r, char cells[N_COLUMNS][CELL_LEN])
{
	/* Room for the widest table with its gaps. */
	char line[N_COLUMNS * (CELL_LEN + GAP) + 1];
	size_t at = 0, c;

	for (c = 0; c < N_COLUMNS; c++) {
		int width = columns[c].width;

		if (!r->is_shown[c])
			continue;
		if (at > 0)
			at += (size_t)snprintf(line + at, sizeof(line) - at, "%*s", GAP, "");
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%*.*s",
				       columns[c].is_left ? -width : width, CELL_LEN, cells[c]);
	}
	while (at > 0 && line[at - 1] == ' ')
		at--;
	printf("%.*s\n", (int)at, line);
	fflush(stdout);
}

static void size_format(char cell[CELL_LEN], uint64_t size)
{
	static const char units[] = " KMG";
	size_t unit = 0;

	while (unit < 3 && size >= 1024 && size % 1024 == 0) {
		size /= 1024;
		unit++;
	}
	if (unit == 0)
		snprintf(cell, CELL_LEN, "%" PRIu64, size);
	else
		snprintf(cell, CELL_LEN, "%" PRIu64 "%c", size, units[unit]);
}

/* Formats about three significant digits. */
static void figure_format(char cell[CELL_LEN], double value)
{
	snprintf(cell, CELL_LEN, "%.*f", value < 10 ? 2 : value < 1000 ? 1 : 0, value);
}

static double gb_per_s(const struct report_row *row, double ns)
{
	return ns > 0 ? (double)row->size * row->n_threads / ns : 0;
}

static void row_print(struct report *r, const struct report_row *row,
		      const struct measure_result *m)
{
	char cells[N_COLUMNS][CELL_LEN];
	size_t c;

	if (!r->has_title) {
		for (c = 0; c < N_COLUMNS; c++)
			snprintf(cells[c], CELL_LEN, "%s", columns[c].title);
		line_print(r, cells);
		r->has_title = true;
	}
	for (c = 0; c < N_COLUMNS; c++)
		strcpy(cells[c], "-");
	snprintf(cells[COL_TEST], CELL_LEN, "%s", row->test);
	snprintf(cells[COL_VARIANT], CELL_LEN, "%s", row->variant);
	snprintf(cells[COL_TRANSPORT], CELL_LEN, "%s", row->transport);
	snprintf(cells[COL_REFERENCE], CELL_LEN, "%s", row->reference);
	if (row->size > 0)
		size_format(cells[COL_SIZE], row->size);
	snprintf(cells[COL_DEPTH], CELL_LEN, "%" PRIu64, row->depth);
	snprintf(cells[COL_THREADS], CELL_LEN, "%u", row->n_threads);
	snprintf(cells[COL_KEPT], CELL_LEN, "%u", m->n_kept);
	if (m->is_measured) {
		figure_format(cells[COL_NS], m->ours_ns);
		figure_format(cells[COL_REFERENCE_NS], m->reference_ns);
		snprintf(cells[COL_RATIO], CELL_LEN, "%.3f", m->ratio);
		if (row->moves_bytes)
			figure_format(cells[COL_GB], gb_per_s(row, m->ours_ns));
	} else {
		strcpy(cells[COL_NS], "not meas.");
		r->has_unmeasured = true;
	}
	line_print(r, cells);
}

static json_object *figure_json(bool is_known, double value)
{
	return is_known ? json_object_new_double(value) : NULL;
}

static void row_add(const struct report *r, const struct report_row *row,
		    const struct measure_result *m)
{
	bool has_rate = m->is_measured && row->moves_bytes;
	json_object *o = json_object_new_object(), *ref = json_object_new_object();

	json_object_object_add(o, "test", json_object_new_string(row->test));
	json_object_object_add(o, "variant", json_object_new_string(row->variant));
	json_object_object_add(o, "size", json_object_new_int64((int64_t)row->size));
	json_object_object_add(o, "depth", json_object_new_int64((int64_t)row->depth));
	json_object_object_add(o, "threads", json_object_new_int64(row->n_threads));
	json_object_object_add(o, "transport", json_object_new_string(row->transport));
	json_object_object_add(o, "ns_per_op", figure_json(m->is_measured, m->ours_ns));
	json_object_object_add(o, "gb_per_s", figure_json(has_rate, gb_per_s(row, m->ours_ns)));
	json_object_object_add(ref, "name", json_object_new_string(row->reference));
	json_object_object_add(ref, "ns_per_op", figure_json(m->is_measured, m->reference_ns));
	json_object_object_add(ref, "gb_per_s",
			       figure_json(has_rate, gb_per_s(row, m->reference_ns)));
	json_object_object_add(o, "reference", ref);
	json_object_object_add(o, "ratio", figure_json(m->is_measured, m->ratio));
	json_object_object_add(o, "rounds_kept", json_object_new_int64(m->n_kept));
	json_object_object_add(o, "iterations", json_object_new_int64((int64_t)m->iterations));
	json_object_array_add(r->rows, o);
}

struct measure_plan report_plan(const struct bench *bench, uint64_t multiple, unsigned n_threads)
{
	return (struct measure_plan){.iterations = bench->options->iterations,
				     .multiple = multiple,
				     .n_rounds = bench->options->n_rounds,
				     .n_threads = n_threads,
				     .on_round = progress_show};
}

void report_measure(struct report *report, const struct report_row *row,
		    const struct measure_plan *plan, const struct work *ours,
		    const struct work *reference)
{
	struct measure_result result;
	char size[CELL_LEN];

	size_format(size, row->size);
	snprintf(progress_label, sizeof(progress_label), "%s %s, %s%s%s, depth %" PRIu64, row->test,
		 row->variant, row->transport, row->size > 0 ? ", size " : "",
		 row->size > 0 ? size : "", row->depth);
	measure_pairs(plan, ours, reference, &result);
	report_result(report, row, &result);
}

void report_result(struct report *report, const struct report_row *row,
		   const struct measure_result *result)
{
	progress_clear();
	if (report->rows != NULL)
		row_add(report, row, result);
	else
		row_print(report, row, result);
}

void report_value(struct report *report, const char *test, const char *what, double value,
		  const char *unit)
{
	json_object *o;

	progress_clear();
	if (report->rows == NULL) {
		printf("%s: %s %.*f%s%s\n", test, what, value < 10 ? 2 : 0, value,
		       *unit == '\0' ? "" : " ", unit);
		fflush(stdout);
		return;
	}
	o = json_object_new_object();
	json_object_object_add(o, "test", json_object_new_string(test));
	json_object_object_add(o, "what", json_object_new_string(what));
	json_object_object_add(o, "value", json_object_new_double(value));
	json_object_object_add(o, "unit", json_object_new_string(unit));
	json_object_array_add(report->rows, o);
}

void report_note(struct report *report, const char *fmt, ...)
{
	va_list args;

	(void)report;
	progress_clear();
	va_start(args, fmt);
	fputs("doca-bench: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}

int report_delete(struct report *report)
{
	int r;

	if (report->rows != NULL) {
		bool is_one = json_object_array_length(report->rows) == 1;
		json_object *out = is_one ? json_object_array_get_idx(report->rows, 0)
					  : report->rows;

		puts(json_object_to_json_string_ext(out, JSON_C_TO_STRING_PRETTY |
								 JSON_C_TO_STRING_SPACED |
								 JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(report->rows);
	} else {
		if (report->has_unmeasured)
			puts("\nnot meas.: the two cores were not near each other for enough "
			     "rounds; run again.");
		if (report->is_truncated)
			puts("\nSome columns do not fit this terminal; --json has all.");
	}
	r = ferror(stdout) || fflush(stdout) != 0 ? -1 : 0;
	free(report);
	return r;
}
