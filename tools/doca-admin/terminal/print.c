/*
 * Prints tables, records and JSON to a terminal or a pipe.
 *
 * A table is laid out in three steps: compute the natural width of each column, leave out optional
 * columns from the right, then truncate the widest text columns until the line fits. Widths are
 * terminal cells, not bytes. Owner: the command that prints; no state is kept.
 */
#include "tools/doca-admin/terminal/print.h"

#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "util/clock.h"
#include "util/util.h"

#define COLUMN_GAP      2
#define TEXT_MIN_CELLS  6
#define EXACT_BYTES_MAX (64u << 10)
#define MAX_COLUMNS     24

int print_width(FILE *out)
{
	struct winsize size;
	const char *env = secure_getenv("COLUMNS");

	if (!isatty(fileno(out)))
		return 0;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return env && atoi(env) > 0 ? atoi(env) : 80;
}

char *print_clean(const char *text)
{
	size_t len = strlen(text), n = 0;
	char *out = malloc(len + 1);
	mbstate_t state = {0};

	if (!out)
		return NULL;
	while (*text) {
		wchar_t wc;
		size_t used = mbrtowc(&wc, text, strlen(text), &state);

		if (used == (size_t)-1 || used == (size_t)-2) {
			memset(&state, 0, sizeof(state));
			out[n++] = '?';
			text++;
			continue;
		}
		if (iswprint((wint_t)wc)) {
			memcpy(out + n, text, used);
			n += used;
		} else {
			out[n++] = '?';
		}
		text += used;
	}
	out[n] = '\0';
	return out;
}

/* Number of terminal cells of a text from print_clean(). */
static int text_cells(const char *text)
{
	mbstate_t state = {0};
	int cells = 0;

	while (*text) {
		wchar_t wc;
		size_t used = mbrtowc(&wc, text, strlen(text), &state);

		if (used == (size_t)-1 || used == (size_t)-2)
			return cells + (int)strlen(text);
		cells += MAX(wcwidth(wc), 0);
		text += used;
	}
	return cells;
}

/*
 * Shortens a text in place to at most max cells, with a mark at the end. Returns the number of
 * cells.
 */
static int text_truncate(char *text, int max)
{
	const char *mark = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\xe2\x80\xa6" : "~";
	mbstate_t state = {0};
	char *at = text;
	int cells = 0;

	if (text_cells(text) <= max)
		return text_cells(text);
	while (*at) {
		wchar_t wc;
		size_t used = mbrtowc(&wc, at, strlen(at), &state);
		int w;

		if (used == (size_t)-1 || used == (size_t)-2)
			break;
		w = MAX(wcwidth(wc), 0);
		if (cells + w > max - 1)
			break;
		cells += w;
		at += used;
	}
	/* The mark may need more bytes than the replaced text has. */
	if (strlen(at) < strlen(mark))
		mark = "~";
	strcpy(at, mark);
	return cells + 1;
}

static void format_bytes(uint64_t n, char *out, size_t out_len)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)n / 1024;
	size_t u = 0;

	while (value >= 1024 && u + 1 < ARRAY_LEN(units)) {
		value /= 1024;
		u++;
	}
	snprintf(out, out_len, "%.1f %s", value, units[u]);
}

/* Formats local time. Programs read the number from the JSON output. */
static void format_time(uint64_t ns, char *out, size_t out_len)
{
	time_t seconds = (time_t)(ns / NS_PER_SEC);
	struct tm tm;

	if (!ns || !localtime_r(&seconds, &tm) ||
	    strftime(out, out_len, "%Y-%m-%d %H:%M:%S %z", &tm) == 0)
		snprintf(out, out_len, "-");
}

/* Returns the text of one cell or record line; the caller frees it. */
static char *value_text(json_object *value, enum print_format format, bool exact)
{
	char text[96];
	uint64_t n = value ? json_object_get_uint64(value) : 0;
	bool number = json_object_is_type(value, json_type_int);

	if (!value)
		return strdup("-");
	if (format == PRINT_COUNT && json_object_is_type(value, json_type_array)) {
		snprintf(text, sizeof(text), "%zu", json_object_array_length(value));
		return strdup(text);
	}
	if (json_object_is_type(value, json_type_array)) {
		char *joined = strdup(""), *grown;

		for (size_t i = 0; joined && i < json_object_array_length(value); i++) {
			json_object *item = json_object_array_get_idx(value, i);

			if (asprintf(&grown, "%s%s%s", joined, i ? "," : "",
				     json_object_get_string(item)) < 0)
				grown = NULL;
			free(joined);
			joined = grown;
		}
		if (joined && !*joined) {
			free(joined);
			return strdup("-");
		}
		grown = joined ? print_clean(joined) : NULL;
		free(joined);
		return grown;
	}
	if (number && format == PRINT_HEX) {
		snprintf(text, sizeof(text), "0x%" PRIx64, n);
		return strdup(text);
	}
	if (number && format == PRINT_TIME) {
		format_time(n, text, sizeof(text));
		return strdup(text);
	}
	if (number && format == PRINT_BYTES && n >= 1024 && (exact || n > EXACT_BYTES_MAX)) {
		char unit[32];

		format_bytes(n, unit, sizeof(unit));
		if (exact)
			snprintf(text, sizeof(text), "%" PRIu64 " (%s)", n, unit);
		return strdup(exact ? text : unit);
	}
	if (json_object_is_type(value, json_type_boolean))
		return strdup(json_object_get_boolean(value) ? "yes" : "no");
	if (!*json_object_get_string(value))
		return strdup("-");
	return print_clean(json_object_get_string(value));
}

static bool column_is_text(const struct print_column *column)
{
	return column->format == PRINT_TEXT;
}

static int table_width(const int *widths, const bool *shown, size_t n)
{
	int total = 0;

	for (size_t i = 0; i < n; i++)
		if (shown[i])
			total += widths[i] + COLUMN_GAP;
	return total - COLUMN_GAP;
}

static void table_fit(const struct print_column *columns, size_t n, int *widths, bool *shown,
		      int width)
{
	for (size_t i = n; i-- > 0 && table_width(widths, shown, n) > width;)
		if (columns[i].optional)
			shown[i] = false;
	while (table_width(widths, shown, n) > width) {
		int widest = -1;

		for (size_t i = 0; i < n; i++) {
			if (!shown[i] || !column_is_text(&columns[i]))
				continue;
			if (widest < 0 || widths[i] > widths[widest])
				widest = (int)i;
		}
		if (widest < 0 || widths[widest] <= TEXT_MIN_CELLS)
			break;
		widths[widest]--;
	}
}

/* True if titles are printed bold: on a terminal, unless the user disabled it. */
static bool is_bold(FILE *out)
{
	const char *no_color = secure_getenv("NO_COLOR"), *term = secure_getenv("TERM");

	return isatty(fileno(out)) == 1 && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

static void cell_print(FILE *out, const struct print_column *column, char *text, int width,
		       bool last)
{
	int cells = text_truncate(text, width);
	int pad = width - cells;

	if (!column_is_text(column))
		fprintf(out, "%*s", pad, "");
	fputs(text, out);
	if (column_is_text(column) && !last)
		fprintf(out, "%*s", pad, "");
	fputs(last ? "\n" : "  ", out);
}

void print_table(FILE *out, json_object *rows, const struct print_column *columns, size_t n_columns,
		 int width)
{
	size_t n_rows = json_object_array_length(rows), n = MIN(n_columns, (size_t)MAX_COLUMNS);
	char **cells = calloc((n_rows + 1) * n, sizeof(*cells));
	int widths[MAX_COLUMNS] = {0};
	bool shown[MAX_COLUMNS];
	size_t last = 0;

	if (!cells) {
		fprintf(stderr, "doca-admin: no memory\n");
		return;
	}
	for (size_t i = 0; i < n; i++)
		shown[i] = true;
	for (size_t r = 0; r <= n_rows; r++) {
		for (size_t i = 0; i < n; i++) {
			json_object *row = r ? json_object_array_get_idx(rows, r - 1) : NULL;
			char *text;

			if (r)
				text = value_text(json_object_object_get(row, columns[i].key),
						  columns[i].format, false);
			else
				text = strdup(columns[i].title);
			cells[r * n + i] = text ? text : strdup("?");
			if (cells[r * n + i])
				widths[i] = MAX(widths[i], text_cells(cells[r * n + i]));
		}
	}
	if (width > 0)
		table_fit(columns, n, widths, shown, width);
	for (size_t i = 0; i < n; i++)
		if (shown[i])
			last = i;
	for (size_t r = 0; r <= n_rows; r++) {
		bool bold = r == 0 && is_bold(out);

		fputs(bold ? "\033[1m" : "", out);
		for (size_t i = 0; i < n; i++) {
			char *text = cells[r * n + i];

			if (text && shown[i])
				cell_print(out, &columns[i], text, widths[i], i == last);
			free(text);
		}
		fputs(bold ? "\033[0m" : "", out);
	}
	free(cells);
}

static enum print_format format_of(const char *key, const struct print_column *columns, size_t n)
{
	size_t len = strlen(key);

	if (len > 6 && strcmp(key + len - 6, "_at_ns") == 0)
		return PRINT_TIME;
	for (size_t i = 0; i < n; i++)
		if (strcmp(columns[i].key, key) == 0)
			return columns[i].format == PRINT_COUNT ? PRINT_TEXT : columns[i].format;
	return PRINT_TEXT;
}

static bool is_list_of_objects(json_object *value)
{
	return json_object_is_type(value, json_type_array) && json_object_array_length(value) > 0 &&
	       json_object_is_type(json_object_array_get_idx(value, 0), json_type_object);
}

static void record_print(FILE *out, json_object *record, const struct print_column *columns,
			 size_t n_columns, int indent)
{
	int key_cells = 0;

	json_object_object_foreach(record, k, v)
	{
		(void)v;
		key_cells = MAX(key_cells, (int)strlen(k));
	}
	json_object_object_foreach(record, key, value)
	{
		char *text;

		if (json_object_is_type(value, json_type_object)) {
			fprintf(out, "%*s%s\n", indent, "", key);
			record_print(out, value, columns, n_columns, indent + 2);
			continue;
		}
		if (is_list_of_objects(value)) {
			for (size_t i = 0; i < json_object_array_length(value); i++) {
				fprintf(out, "%*s%s %zu\n", indent, "", key, i + 1);
				record_print(out, json_object_array_get_idx(value, i), columns,
					     n_columns, indent + 2);
			}
			continue;
		}
		/*
		 * A list of sentences (rejected transports) is printed with one sentence per line.
		 */
		if (json_object_is_type(value, json_type_array) &&
		    json_object_array_length(value) > 1) {
			for (size_t i = 0; i < json_object_array_length(value); i++) {
				text = value_text(json_object_array_get_idx(value, i), PRINT_TEXT,
						  true);
				fprintf(out, "%*s%-*s  %s\n", indent, "", key_cells, i ? "" : key,
					text ? text : "?");
				free(text);
			}
			continue;
		}
		text = value_text(value, format_of(key, columns, n_columns), true);
		fprintf(out, "%*s%-*s  %s\n", indent, "", key_cells, key, text ? text : "?");
		free(text);
	}
}

void print_record(FILE *out, json_object *record, const struct print_column *columns,
		  size_t n_columns)
{
	record_print(out, record, columns, n_columns, 0);
}

void print_json(FILE *out, json_object *value)
{
	fprintf(out, "%s\n",
		json_object_to_json_string_ext(value, JSON_C_TO_STRING_PRETTY |
							      JSON_C_TO_STRING_SPACED |
							      JSON_C_TO_STRING_NOSLASHESCAPE));
}
