/* Result codes: what each means and what usually causes it. */
#ifndef TOOLS_DOCA_ADMIN_EXPLAIN_CODES_H
#define TOOLS_DOCA_ADMIN_EXPLAIN_CODES_H

#include <stddef.h>

struct explain_code {
	const char *name; /* DOCA_ERROR_AGAIN; the index in the table is the value */
	const char *meaning;
	const char *cause; /* and what to do */
};

extern const struct explain_code explain_codes[];
extern const size_t explain_n_codes;

#endif
