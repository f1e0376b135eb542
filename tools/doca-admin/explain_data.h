/* What is said about errors in the sources; the tables are made by explain.awk. */
#ifndef TOOLS_DOCA_ADMIN_EXPLAIN_DATA_H
#define TOOLS_DOCA_ADMIN_EXPLAIN_DATA_H

#include <stddef.h>

/* What a result code means for a function. */
struct explain_function {
	const char *function, *code, *header, *text;
	const char *since; /* the version in which this form appeared; "" if there is one form */
};

/*
 * A sentence that is recorded with a code, as a format of printf. There is a row for each code that
 * it can have; "" if the source does not say which.
 */
struct explain_sentence {
	const char *code, *text;
};

extern const struct explain_function explain_functions[];
extern const size_t explain_n_functions;
extern const struct explain_sentence explain_sentences[];
extern const size_t explain_n_sentences;

#endif
