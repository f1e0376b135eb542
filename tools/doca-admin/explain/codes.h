/* Result codes with the meaning and the usual cause of each. */
#ifndef TOOLS_DOCA_ADMIN_EXPLAIN_CODES_H
#define TOOLS_DOCA_ADMIN_EXPLAIN_CODES_H

#include <stddef.h>

struct explain_code {
	const char *name; /* for example DOCA_ERROR_AGAIN; the index in the table is the value */
	const char *meaning;
	const char *cause; /* the usual cause and the remedy */
};

extern const struct explain_code explain_codes[];
extern const size_t explain_n_codes;

#endif
