/*
 * Output of doca-admin: tables that fit the terminal, records, JSON. Rows are json-c objects from
 * the bus client; a column names the key that it shows. Text comes from other processes, so
 * terminal control characters are never printed. Single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_TERMINAL_PRINT_H
#define TOOLS_DOCA_ADMIN_TERMINAL_PRINT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum print_format {
	PRINT_TEXT,
	PRINT_NUMBER, /* right aligned */
	PRINT_HEX,    /* addresses */
	PRINT_BYTES,  /* exact up to 64 KiB, then with a binary unit; always exact in a record */
	PRINT_TIME,   /* nanoseconds since 1970, as local time */
	PRINT_COUNT,  /* number of entries of a list */
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
 * Prints a table. width 0: unlimited. rows is an array of objects; an empty one prints only the
 * titles.
 */
void print_table(FILE *out, json_object *rows, const struct print_column *columns, size_t n_columns,
		 int width);
/*
 * Prints one object as lines "key  value"; nested objects and lists are indented. columns define
 * the formats.
 */
void print_record(FILE *out, json_object *record, const struct print_column *columns,
		  size_t n_columns);
void print_json(FILE *out, json_object *value);
/*
 * Returns a copy of text with unprintable characters replaced by '?'; the caller frees it. NULL if
 * memory is short.
 */
char *print_clean(const char *text);

#endif
