/*
 * Output of doca-admin: tables that fit the terminal, records, JSON. Rows are json-c objects, as
 * the bus client delivers them; a column names the key that it shows. Text comes from other
 * processes, so what a terminal could take for a command is never printed. Single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_PRINT_H
#define TOOLS_DOCA_ADMIN_PRINT_H

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
	PRINT_COUNT,  /* how many entries a list has */
};

struct print_column {
	const char *key;
	const char *title;
	enum print_format format;
	bool optional; /* left out, from the right, when the table is too wide */
};

/* Columns of the terminal behind out; 0: out is no terminal, nothing is cut. */
int print_width(FILE *out);
/* width 0: as wide as it gets. rows is an array of objects; empty prints only the titles. */
void print_table(FILE *out, json_object *rows, const struct print_column *columns, size_t n_columns,
		 int width);
/* "key  value" lines of one object; nested objects and lists are indented. columns give formats. */
void print_record(FILE *out, json_object *record, const struct print_column *columns,
		  size_t n_columns);
void print_json(FILE *out, json_object *value);
/* Copies text with everything unprintable replaced by '?'; the caller frees. NULL: no memory. */
char *print_clean(const char *text);

#endif
