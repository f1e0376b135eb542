/*
 * Output of doca-admin: tables that fit the terminal, records, JSON. A column names the key that it
 * shows. Text comes from other processes, so terminal control characters are never printed.
 * Single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_TERMINAL_PRINT_H
#define TOOLS_DOCA_ADMIN_TERMINAL_PRINT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum print_format {
	PRINT_TEXT,
	PRINT_NUMBER, /* right aligned */
	PRINT_HEX,    /* addresses */
	PRINT_BYTES,  /* exact up to 64 KiB, then with a binary unit; always exact in a record */
	PRINT_TIME,   /* nanoseconds since 1970, as local time */
};

struct print_column {
	const char *key;
	const char *title;
	enum print_format format;
	bool optional; /* left out, starting from the right, if the table is too wide */
};

/* Returns the width of the terminal behind out; 0: out is no terminal, so nothing is truncated. */
int print_width(FILE *out);

/*
 * A table that is filled cell by cell and keeps only the formatted cells, about 10 bytes each, so
 * that it can have 100,000 rows. Only the first n_shown columns are printed; the others are for
 * sorting. sort: the key of the column by which the rows are sorted, or NULL.
 */
struct print_table;

/* Returns NULL if memory is short. */
struct print_table *print_table_new(const struct print_column *columns, size_t n_columns,
				    size_t n_shown, const char *sort, bool is_descending);
/* Accepts NULL. Returns NULL. */
struct print_table *print_table_free(struct print_table *table);
/* Begins a row, whose cells are then added in the order of these keys: the same for all rows. */
void print_table_row(struct print_table *table, const char *const *keys, size_t n_keys);
void print_table_text(struct print_table *table, const char *text);
void print_table_number(struct print_table *table, uint64_t number);
size_t print_table_n_rows(const struct print_table *table);
/*
 * Prints at most n_max rows; width 0: unlimited. A table without rows prints only the titles.
 * Returns 0, or -ENOMEM if memory was short.
 */
int print_table_show(FILE *out, struct print_table *table, size_t n_max, int width);
/* Prints an array of objects as a table. */
void print_table(FILE *out, json_object *rows, const struct print_column *columns, size_t n_columns,
		 int width);
/*
 * Prints one object as lines "key  value"; nested objects and lists are indented. columns define
 * the formats.
 */
void print_record(FILE *out, json_object *record, const struct print_column *columns,
		  size_t n_columns);
void print_json(FILE *out, json_object *value);
/* Prints the n-th item, from 0, of an array as print_json() would; value NULL: the array's end. */
void print_json_item(FILE *out, json_object *value, size_t n);
/*
 * Returns a copy of text with unprintable characters replaced by '?'; the caller frees it. NULL if
 * memory is short.
 */
char *print_clean(const char *text);

#endif
