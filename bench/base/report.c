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
#define NAME_LEN 128
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
	COL_LIMIT,
	COL_KEPT,
	COL_P50,
	COL_P99,
	COL_P99_9,
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
	[COL_LIMIT] = {"limit", 5, false},
	[COL_KEPT] = {"kept", 4, false},
	[COL_P50] = {"p50 ns", 7, false},
	[COL_P99] = {"p99", 7, false},
	[COL_P99_9] = {"p99.9", 7, false},
};

/* Columns that are left out on a narrow terminal, in this order. */
static const enum column dispensable[] = {COL_P99_9, COL_P50,          COL_P99,       COL_THREADS,
					  COL_GB,    COL_TRANSPORT,    COL_KEPT,      COL_LIMIT,
					  COL_TEST,  COL_REFERENCE_NS, COL_REFERENCE, COL_DEPTH};

struct report {
	bool is_json; /* otherwise a table is printed */
	json_object *rows;
	bool is_shown[N_COLUMNS];
	bool has_title, is_truncated, has_unmeasured;
};

/* Text of the progress line. There is one report at a time. */
static char progress_label[160];

static int terminal_width(int fd)
{
	struct winsize size;

	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 0;
	return size.ws_col;
}

/* Another process may have shown the line. */
static void progress_clear(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

void report_progress(unsigned n_kept, unsigned n_rounds)
{
	int width = terminal_width(STDERR_FILENO);
	char text[200], of[24] = "";

	if (width == 0)
		return;
	if (n_rounds > 0)
		snprintf(of, sizeof(of), " of %u", n_rounds);
	snprintf(text, sizeof(text), "%s: round %u%s", progress_label, n_kept + 1, of);
	fprintf(stderr, "\r%.*s\033[K", width - 1, text);
	fflush(stderr);
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
	r->is_json = is_json;
	json_c_set_serialization_double_format("%.6g", JSON_C_OPTION_GLOBAL);
	r->rows = json_object_new_array();
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

static double gb_per_s(const struct bench *b, double ns)
{
	return ns > 0 ? (double)b->size * b->n_threads / ns : 0;
}

static void row_print(struct report *r, const struct bench *b, double limit,
		      const struct measure_result *m)
{
	static const enum column percentiles[N_PERCENTILES] = {COL_P50, COL_P99, COL_P99_9};
	const struct bench_row *row = b->row;
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
	if (b->size > 0)
		size_format(cells[COL_SIZE], b->size);
	snprintf(cells[COL_DEPTH], CELL_LEN, "%" PRIu64, b->depth);
	snprintf(cells[COL_THREADS], CELL_LEN, "%u", b->n_threads);
	snprintf(cells[COL_KEPT], CELL_LEN, "%u", m->n_kept);
	if (limit > 0)
		snprintf(cells[COL_LIMIT], CELL_LEN, "%.4g", limit);
	for (c = 0; c < N_PERCENTILES; c++) {
		if (m->percentiles[c] > 0)
			figure_format(cells[percentiles[c]], m->percentiles[c]);
	}
	if (m->is_measured) {
		figure_format(cells[COL_NS], m->ours_ns);
		figure_format(cells[COL_REFERENCE_NS], m->reference_ns);
		snprintf(cells[COL_RATIO], CELL_LEN, "%.3f", m->ratio);
		if (row->flags & ROW_BYTES)
			figure_format(cells[COL_GB], gb_per_s(b, m->ours_ns));
	} else {
		strcpy(cells[COL_NS], "not meas.");
		r->has_unmeasured = true;
	}
	line_print(r, cells);
}

/* --- JSON --- */

static void put_text(json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static void put_int(json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)value));
}

static void put_figure(json_object *o, const char *key, bool is_known, double value)
{
	json_object_object_add(o, key, is_known ? json_object_new_double(value) : NULL);
}

static void row_add(const struct report *r, const struct bench *b, double limit,
		    const struct measure_result *m)
{
	json_object *o = json_object_new_object(), *ref = json_object_new_object();
	bool is_known = m->is_measured, has_rate = is_known && b->row->flags & ROW_BYTES;

	put_text(o, "test", b->row->test);
	put_text(o, "variant", b->row->variant);
	put_int(o, "size", b->size);
	put_int(o, "depth", b->depth);
	put_int(o, "threads", b->n_threads);
	put_text(o, "transport", b->row->transport);
	put_figure(o, "ns_per_op", is_known, m->ours_ns);
	put_figure(o, "gb_per_s", has_rate, gb_per_s(b, m->ours_ns));
	put_text(ref, "name", b->row->reference);
	put_figure(ref, "ns_per_op", is_known, m->reference_ns);
	put_figure(ref, "gb_per_s", has_rate, gb_per_s(b, m->reference_ns));
	json_object_object_add(o, "reference", ref);
	put_figure(o, "ratio", is_known, m->ratio);
	put_figure(o, "ratio_low", is_known, m->ratio_low);
	put_figure(o, "ratio_high", is_known, m->ratio_high);
	put_figure(o, "limit", limit > 0, limit);
	put_figure(o, "p50", m->percentiles[P50] > 0, m->percentiles[P50]);
	put_figure(o, "p99", m->percentiles[P99] > 0, m->percentiles[P99]);
	put_figure(o, "p99_9", m->percentiles[P99_9] > 0, m->percentiles[P99_9]);
	put_int(o, "rounds_kept", m->n_kept);
	put_int(o, "iterations", m->iterations);
	json_object_array_add(r->rows, o);
}

/* --- comparison --- */

struct json_object *report_read(const char *path)
{
	json_object *o = json_object_from_file(path), *list, *test;

	if (o != NULL && json_object_is_type(o, json_type_object)) {
		list = json_object_new_array();
		json_object_array_add(list, o);
		o = list;
	}
	if (o == NULL || !json_object_is_type(o, json_type_array))
		bench_die("%s is not a result of doca-bench --json", path);
	for (size_t i = 0; i < json_object_array_length(o); i++) {
		if (!json_object_object_get_ex(json_object_array_get_idx(o, i), "test", &test))
			bench_die("%s is not a result of doca-bench --json", path);
	}
	return o;
}

void report_adopt(struct report *report, struct json_object *rows)
{
	json_object_put(report->rows);
	report->rows = rows;
}

/* Writes what identifies a row. */
static void row_name(json_object *row, char name[NAME_LEN])
{
	static const char *const keys[] = {"test",  "variant", "size",
					   "depth", "threads", "transport"};
	json_object *value, *ref, *ref_name = NULL;
	size_t at = 0, i;

	name[0] = '\0';
	for (i = 0; i < ARRAY_LEN(keys) && at < NAME_LEN; i++) {
		if (json_object_object_get_ex(row, keys[i], &value))
			at += (size_t)snprintf(name + at, NAME_LEN - at, "%s ",
					       json_object_get_string(value));
	}
	if (at < NAME_LEN && json_object_object_get_ex(row, "reference", &ref) &&
	    json_object_object_get_ex(ref, "name", &ref_name))
		snprintf(name + at, NAME_LEN - at, "(%s)", json_object_get_string(ref_name));
}

static json_object *row_find(json_object *rows, const char *wanted)
{
	char name[NAME_LEN];

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *row = json_object_array_get_idx(rows, i);

		row_name(row, name);
		if (strcmp(name, wanted) == 0)
			return row;
	}
	return NULL;
}

/* Returns a figure of a row, or otherwise if it has none. */
static double figure_of(json_object *row, const char *key, double otherwise)
{
	json_object *value;

	if (row == NULL || !json_object_object_get_ex(row, key, &value) || value == NULL)
		return otherwise;
	return json_object_get_double(value);
}

/*
 * A row changed if the middle halves of its pairs do not overlap. A result that does not have the
 * quartiles counts as spread by 5 percent.
 */
static const char *verdict_of(json_object *before, json_object *now)
{
	double old = figure_of(before, "ratio", 0), new = figure_of(now, "ratio", 0);

	if (now == NULL)
		return "absent";
	if (before == NULL)
		return "new";
	if (old <= 0 || new <= 0)
		return "not measured";
	if (figure_of(now, "ratio_low", new * 0.95) > figure_of(before, "ratio_high", old * 1.05))
		return "worse";
	if (figure_of(now, "ratio_high", new * 1.05) < figure_of(before, "ratio_low", old * 0.95))
		return "better";
	return "same";
}

static void verdict_print(const char *name, json_object *before, json_object *now)
{
	char old[CELL_LEN] = "-", new[CELL_LEN] = "-";

	if (figure_of(before, "ratio", 0) > 0)
		snprintf(old, CELL_LEN, "%.3f", figure_of(before, "ratio", 0));
	if (figure_of(now, "ratio", 0) > 0)
		snprintf(new, CELL_LEN, "%.3f", figure_of(now, "ratio", 0));
	printf("%-60s %7s %7s  %s\n", name, old, new, verdict_of(before, now));
}

unsigned report_compare(struct report *report, struct json_object *earlier)
{
	char name[NAME_LEN];
	unsigned n_worse = 0;
	size_t i;

	if (!report->is_json)
		printf("\n%-60s %7s %7s  %s\n", "row (reference)", "before", "now", "verdict");
	for (i = 0; i < json_object_array_length(report->rows); i++) {
		json_object *now = json_object_array_get_idx(report->rows, i), *before;

		row_name(now, name);
		before = row_find(earlier, name);
		n_worse += strcmp(verdict_of(before, now), "worse") == 0;
		if (!report->is_json)
			verdict_print(name, before, now);
		put_figure(now, "ratio_before", figure_of(before, "ratio", 0) > 0,
			   figure_of(before, "ratio", 0));
		put_text(now, "verdict", verdict_of(before, now));
	}
	for (i = 0; !report->is_json && i < json_object_array_length(earlier); i++) {
		json_object *before = json_object_array_get_idx(earlier, i);

		row_name(before, name);
		if (row_find(report->rows, name) == NULL)
			verdict_print(name, before, NULL);
	}
	return n_worse;
}

/* --- both --- */

void report_label(const struct bench *b)
{
	const struct bench_row *row = b->row;
	char size[CELL_LEN] = "";

	if (b->size > 0)
		size_format(size, b->size);
	snprintf(progress_label, sizeof(progress_label), "%s %s, %s%s%s, depth %" PRIu64, row->test,
		 row->variant, row->transport, b->size > 0 ? ", size " : "", size, b->depth);
}

void report_row(struct report *report, const struct bench *b, double limit,
		const struct measure_result *result)
{
	progress_clear();
	row_add(report, b, limit, result);
	if (!report->is_json)
		row_print(report, b, limit, result);
}

void report_note(const char *fmt, ...)
{
	va_list args;

	progress_clear();
	va_start(args, fmt);
	fputs("doca-bench: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}

int report_end(struct report *report)
{
	if (report->is_json) {
		bool is_one = json_object_array_length(report->rows) == 1;
		json_object *out = is_one ? json_object_array_get_idx(report->rows, 0)
					  : report->rows;

		puts(json_object_to_json_string_ext(out, JSON_C_TO_STRING_PRETTY |
								 JSON_C_TO_STRING_SPACED |
								 JSON_C_TO_STRING_NOSLASHESCAPE));
	} else {
		if (report->has_unmeasured)
			puts("\nnot meas.: the two cores were not near each other for enough "
			     "rounds; run again.");
		if (report->is_truncated && report->has_title)
			puts("\nSome columns do not fit this terminal; --json has all.");
	}
	return ferror(stdout) || fflush(stdout) != 0 ? -1 : 0;
}
