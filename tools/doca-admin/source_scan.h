/*
 * Finds names of the DOCA interface in a source of C, C++, CUDA or Rust, without compiling it.
 * Names in comments, strings, "#if 0" and behind "." or "->" are skipped. The text may be anything:
 * what is no source yields no names, or wrong ones, and nothing worse. No state between calls.
 */
#ifndef TOOLS_DOCA_ADMIN_SOURCE_SCAN_H
#define TOOLS_DOCA_ADMIN_SOURCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* One occurrence; the pointers lead into the text. */
struct source_name {
	const char *name; /* begins with "doca_" or "DOCA_", or is a header "doca_....h" */
	size_t len;
	unsigned line;      /* from 1 on */
	bool is_optional;   /* below a condition about DOCA, such as #if DOCA_VERSION_MAJOR > 1 */
	const char *behind; /* the text behind the name */
	const char *end;    /* of the whole text */
};

typedef void source_found(void *userdata, const struct source_name *found);

/* Calls found for each name, in the order of the text. */
void source_scan(const char *text, size_t len, source_found *found, void *userdata);
/*
 * Returns how many arguments the call or declaration has, or -1 if the name is not followed by a
 * list in parentheses, or the list is unclear without a compiler.
 */
int source_count_arguments(const struct source_name *found);

#endif
