/* Texts about errors from the sources, in tables that explain.awk generates. */
#ifndef TOOLS_DOCA_ADMIN_EXPLAIN_DATA_H
#define TOOLS_DOCA_ADMIN_EXPLAIN_DATA_H

#include <stddef.h>

/* The meaning of a result code for a function. */
struct explain_function {
	const char *function, *code, *header, *text;
	/* The version in which this form of the function appeared; "" if there is one form. */
	const char *since;
};

/*
 * An error sentence as a printf() format, with the code that it is recorded with. There is one row
 * for each possible code; "" if the source does not name it.
 */
struct explain_sentence {
	const char *code, *text;
};

extern const struct explain_function explain_functions[];
extern const size_t explain_n_functions;
extern const struct explain_sentence explain_sentences[];
extern const size_t explain_n_sentences;

#endif
