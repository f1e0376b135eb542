/*
 * Finds names of the DOCA interface in a source of C, C++, CUDA or Rust, without compiling it.
 * Skips names in comments, in strings, in "#if 0" and behind "." or "->". The text may be anything:
 * text that is no source yields no names or wrong names, but never crashes. Keeps no state between
 * calls.
 */
#ifndef TOOLS_DOCA_ADMIN_WHICH_API_SOURCE_SCAN_H
#define TOOLS_DOCA_ADMIN_WHICH_API_SOURCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* One occurrence; the pointers point into the text. */
struct source_name {
	const char *name; /* begins with "doca_" or "DOCA_", or is a header "doca_....h" */
	size_t len;
	unsigned line;      /* from 1 on */
	bool is_optional;   /* inside a condition about DOCA, such as #if DOCA_VERSION_MAJOR > 1 */
	const char *behind; /* the text after the name */
	const char *end;    /* the end of the whole text */
};

typedef void source_found(void *userdata, const struct source_name *found);

/* Calls found for each name, in the order of the text. */
void source_scan(const char *text, size_t len, source_found *found, void *userdata);
/*
 * Returns the number of arguments of the call or declaration, or -1 if the name is not followed by
 * a list in parentheses, or the list cannot be interpreted without a compiler.
 */
int source_count_arguments(const struct source_name *found);

#endif
