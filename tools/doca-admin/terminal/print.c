/*
 * Prints tables, records and JSON to a terminal or a pipe.
 *
 * A table is laid out in three steps: compute the natural width of each column, leave out optional
 * columns from the right, then truncate the widest text columns until the line fits. Widths are
 * terminal cells, not bytes. Owner: the command that prints; no state is kept.
 */
#include "tools/doca-admin/terminal/print.h"

#include <errno.h>
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

/* Returns the length of a text of printable ASCII characters; SIZE_MAX: it has others. */
static size_t ascii_len(const char *text)
{
	const char *at = text;

	while (*at >= 0x20 && *at < 0x7f)
		at++;
	return *at ? SIZE_MAX : (size_t)(at - text);
}

/* Number of terminal cells of a text from print_clean(). */
static int text_cells(const char *text)
{
	size_t len = ascii_len(text);
	mbstate_t state = {0};
	int cells = 0;

	if (len != SIZE_MAX)
		return (int)len;
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
	int cells = text_cells(text);

	if (cells <= max)
		return cells;
	cells = 0;
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

/* Writes a decimal number. printf() would take a quarter of the time of a table of 100,000 rows. */
static void format_decimal(uint64_t n, char *out)
{
	char digits[20];
	size_t len = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	while (len > 0)
		*out++ = digits[--len];
	*out = '\0';
}

static void format_number(uint64_t n, enum print_format format, bool exact, char *out,
			  size_t out_len)
{
	char unit[32];

	if (format == PRINT_HEX) {
		snprintf(out, out_len, "0x%" PRIx64, n);
	} else if (format == PRINT_TIME) {
		format_time(n, out, out_len);
	} else if (format == PRINT_BYTES && n >= 1024 && (exact || n > EXACT_BYTES_MAX)) {
		format_bytes(n, unit, sizeof(unit));
		if (exact)
			snprintf(out, out_len, "%" PRIu64 " (%s)", n, unit);
		else
			snprintf(out, out_len, "%s", unit);
	} else {
		format_decimal(n, out);
	}
}

/* Returns the items of an array, with commas between them; the caller frees it. */
static char *items_text(json_object *array)
{
	char *joined = strdup(""), *grown, *clean;

	for (size_t i = 0; joined && i < json_object_array_length(array); i++) {
		json_object *item = json_object_array_get_idx(array, i);

		if (asprintf(&grown, "%s%s%s", joined, i ? "," : "", json_object_get_string(item)) <
		    0)
			grown = NULL;
		free(joined);
		joined = grown;
	}
	if (!joined || !*joined) {
		free(joined);
		return strdup("-");
	}
	clean = print_clean(joined);
	free(joined);
	return clean;
}

/* Returns the text of one cell or record line; the caller frees it. */
static char *value_text(json_object *value, enum print_format format, bool exact)
{
	char text[96];

	if (json_object_is_type(value, json_type_array))
		return items_text(value);
	if (json_object_is_type(value, json_type_int)) {
		format_number(json_object_get_uint64(value), format, exact, text, sizeof(text));
		return strdup(text);
	}
	if (json_object_is_type(value, json_type_boolean))
		return strdup(json_object_get_boolean(value) ? "yes" : "no");
	if (!value || !*json_object_get_string(value))
		return strdup("-");
	return print_clean(json_object_get_string(value));
}

/* --- tables --- */

struct row {
	size_t text;     /* offset of its first cell */
	uint64_t number; /* the cell by which the rows are sorted, if that is a number */
};

struct print_table {
	const struct print_column *columns;
	size_t n_columns, n_shown;
	size_t order[MAX_COLUMNS]; /* by place in a row: number of its column */
	size_t n_order;
	const char *sort;
	size_t sort_cell; /* place in a row */
	bool is_descending, has_failed;
	int widths[MAX_COLUMNS];
	char *text; /* the cells, each with its final NUL */
	size_t len, size;
	struct row *rows;
	size_t n_rows, max_rows;
	size_t n_cells; /* of the last row, so far */
};

struct print_table *print_table_new(const struct print_column *columns, size_t n_columns,
				    size_t n_shown, const char *sort, bool is_descending)
{
	struct print_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	*table = (struct print_table){.columns = columns,
				      .n_columns = MIN(n_columns, (size_t)MAX_COLUMNS),
				      .n_shown = MIN(n_shown, (size_t)MAX_COLUMNS),
				      .sort = sort,
				      .is_descending = is_descending};
	for (size_t i = 0; i < table->n_columns; i++)
		table->widths[i] = text_cells(columns[i].title);
	return table;
}

struct print_table *print_table_free(struct print_table *table)
{
	if (!table)
		return NULL;
	free(table->text);
	free(table->rows);
	free(table);
	return NULL;
}

void print_table_row(struct print_table *table, const char *const *keys, size_t n_keys)
{
	size_t max = table->max_rows ? 2 * table->max_rows : 64;
	struct row *rows;

	for (size_t i = table->n_order; i < MIN(n_keys, (size_t)MAX_COLUMNS); i++) {
		size_t column = 0;

		while (column < table->n_columns && strcmp(table->columns[column].key, keys[i]))
			column++;
		table->order[table->n_order++] = column;
		if (table->sort && strcmp(table->sort, keys[i]) == 0)
			table->sort_cell = i;
	}
	if (table->n_rows == table->max_rows) {
		rows = realloc(table->rows, max * sizeof(*rows));
		table->has_failed |= !rows;
		if (!rows)
			return;
		table->rows = rows;
		table->max_rows = max;
	}
	table->rows[table->n_rows++] = (struct row){.text = table->len};
	table->n_cells = 0;
}

/* Adds a text without unprintable characters, which takes this many terminal cells. */
static void table_add(struct print_table *table, const char *text, size_t len, int cells)
{
	size_t column;
	char *grown;

	if (table->has_failed || table->n_cells == table->n_order)
		return;
	if (table->len + len >= table->size) {
		table->size = 2 * table->size + len + 4096;
		grown = realloc(table->text, table->size);
		table->has_failed = !grown;
		if (!grown)
			return;
		table->text = grown;
	}
	memcpy(table->text + table->len, text, len + 1);
	table->len += len + 1;
	column = table->order[table->n_cells++];
	if (column < table->n_columns)
		table->widths[column] = MAX(table->widths[column], cells);
}

void print_table_text(struct print_table *table, const char *text)
{
	size_t len = ascii_len(text);
	char *clean;

	if (len == 0)
		table_add(table, "-", 1, 1);
	if (len != SIZE_MAX && len > 0)
		table_add(table, text, len, (int)len);
	if (len != SIZE_MAX)
		return;
	clean = print_clean(text);
	table->has_failed |= !clean;
	if (clean)
		table_add(table, clean, strlen(clean), text_cells(clean));
	free(clean);
}

void print_table_number(struct print_table *table, uint64_t number)
{
	size_t column = table->n_cells < table->n_order ? table->order[table->n_cells] : SIZE_MAX;
	char text[64];

	if (table->n_rows && table->n_cells == table->sort_cell)
		table->rows[table->n_rows - 1].number = number;
	format_number(number,
		      column < table->n_columns ? table->columns[column].format : PRINT_NUMBER,
		      false, text, sizeof(text));
	print_table_text(table, text);
}

size_t print_table_n_rows(const struct print_table *table)
{
	return table->n_rows;
}

static const char *row_cell(const struct print_table *table, const struct row *row, size_t n)
{
	const char *text = table->text + row->text;

	while (n-- > 0)
		text += strlen(text) + 1;
	return text;
}

static int row_compare(const void *a, const void *b, void *user)
{
	const struct row *x = a, *y = b;
	const struct print_table *table = user;
	int r = (x->number > y->number) - (x->number < y->number);

	if (r == 0)
		r = strcmp(row_cell(table, x, table->sort_cell),
			   row_cell(table, y, table->sort_cell));
	if (r == 0)
		return x->text < y->text ? -1 : 1;
	return table->is_descending ? -r : r;
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

static void pad_print(FILE *out, int n)
{
	static const char spaces[] = "                                                            ";

	for (int len; n > 0; n -= len) {
		len = MIN(n, (int)sizeof(spaces) - 1);
		fwrite_unlocked(spaces, 1, (size_t)len, out);
	}
}

static void cell_print(FILE *out, const struct print_column *column, char *text, int width,
		       bool last)
{
	int pad = width - text_truncate(text, width);

	if (!column_is_text(column))
		pad_print(out, pad);
	fputs_unlocked(text, out);
	if (column_is_text(column) && !last)
		pad_print(out, pad);
	fputs_unlocked(last ? "\n" : "  ", out);
}

/* Prints one line: the n-th of these texts belongs to the n-th column. */
static void line_print(FILE *out, const struct print_table *table, char *const *texts,
		       const int *widths, const bool *shown)
{
	size_t last = 0;

	for (size_t i = 0; i < table->n_shown; i++)
		last = shown[i] ? i : last;
	for (size_t i = 0; i < table->n_shown; i++)
		if (shown[i])
			cell_print(out, &table->columns[i], texts[i], widths[i], i == last);
}

int print_table_show(FILE *out, struct print_table *table, size_t n_max, int width)
{
	char *texts[MAX_COLUMNS + 1], titles[MAX_COLUMNS][32], missing[] = "-";
	int widths[MAX_COLUMNS];
	bool shown[MAX_COLUMNS], bold = is_bold(out);

	if (table->has_failed)
		return -ENOMEM;
	if (table->sort)
		qsort_r(table->rows, table->n_rows, sizeof(*table->rows), row_compare, table);
	for (size_t i = 0; i < table->n_columns; i++) {
		shown[i] = i < table->n_shown;
		widths[i] = table->widths[i];
		snprintf(titles[i], sizeof(titles[i]), "%s", table->columns[i].title);
		texts[i] = titles[i];
	}
	if (width > 0)
		table_fit(table->columns, table->n_shown, widths, shown, width);
	fputs(bold ? "[1m" : "", out);
	line_print(out, table, texts, widths, shown);
	fputs(bold ? "[0m" : "", out);
	for (size_t r = 0; r < MIN(table->n_rows, n_max); r++) {
		char *text = table->text + table->rows[r].text;

		for (size_t i = 0; i < table->n_columns; i++)
			texts[i] = missing;
		for (size_t i = 0; i < table->n_order; i++) {
			texts[MIN(table->order[i], (size_t)MAX_COLUMNS)] = text;
			text += strlen(text) + 1;
		}
		line_print(out, table, texts, widths, shown);
	}
	return 0;
}

void print_table(FILE *out, json_object *rows, const struct print_column *columns, size_t n_columns,
		 int width)
{
	struct print_table *table = print_table_new(columns, n_columns, n_columns, NULL, false);
	const char *keys[MAX_COLUMNS];

	for (size_t i = 0; i < MIN(n_columns, (size_t)MAX_COLUMNS); i++)
		keys[i] = columns[i].key;
	for (size_t r = 0; table && r < json_object_array_length(rows); r++) {
		json_object *row = json_object_array_get_idx(rows, r);

		print_table_row(table, keys, table->n_columns);
		for (size_t i = 0; i < table->n_columns; i++) {
			json_object *value = json_object_object_get(row, keys[i]);
			char *text = value_text(value, columns[i].format, false);

			print_table_text(table, text ? text : "?");
			free(text);
		}
	}
	if (!table || print_table_show(out, table, SIZE_MAX, width) < 0)
		fprintf(stderr, "doca-admin: no memory\n");
	print_table_free(table);
}

static enum print_format format_of(const char *key, const struct print_column *columns, size_t n)
{
	size_t len = strlen(key);

	if (len > 6 && strcmp(key + len - 6, "_at_ns") == 0)
		return PRINT_TIME;
	for (size_t i = 0; i < n; i++)
		if (strcmp(columns[i].key, key) == 0)
			return columns[i].format;
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

static const char *json_text(json_object *value)
{
	return json_object_to_json_string_ext(value, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_SPACED |
							     JSON_C_TO_STRING_NOSLASHESCAPE);
}

void print_json(FILE *out, json_object *value)
{
	fprintf(out, "%s\n", json_text(value));
}

void print_json_item(FILE *out, json_object *value, size_t n)
{
	const char *text, *end;

	if (value)
		fputs(n ? ",\n" : "[\n", out);
	else
		fputs(n ? "\n]\n" : "[\n]\n", out);
	/* Every line is indented by the level of the array; no string contains a line's end. */
	for (text = value ? json_text(value) : ""; *text; text = end) {
		end = strchrnul(text, '\n');
		end += *end == '\n';
		fprintf(out, "  %.*s", (int)(end - text), text);
	}
}
