/*
 * The names of each version of the interface. which_api.sh generates the tables from
 * doc/api-changes.md and the public headers. A set of versions has one bit for each entry of
 * which_versions, beginning with the lowest.
 */
#ifndef TOOLS_DOCA_ADMIN_WHICH_API_WHICH_DATA_H
#define TOOLS_DOCA_ADMIN_WHICH_API_WHICH_DATA_H

#include <stddef.h>
#include <stdint.h>

/* A function, type, value, macro or header. */
struct which_name {
	const char *name;
	const char *later;  /* its successor in later versions, or NULL */
	uint32_t published; /* the versions whose documentation has the name */
	/* The versions whose headers in this runtime have it: these and perhaps earlier ones. */
	uint32_t offered;
};

/* The number of arguments of a function; several rows if it differs between versions. */
struct which_form {
	const char *name;
	uint32_t versions;
	int n_arguments;
};

/* The meaning of a name in some versions, if it differs between versions. */
struct which_meaning {
	const char *name;
	uint32_t versions;
	const char *versions_text; /* "2.0 to 2.2" */
	const char *meaning;
};

/* Numbered like DOCA_USE_VERSION, ascending. */
extern const unsigned which_versions[];
extern const size_t which_n_versions;
extern const struct which_name which_names[];
extern const size_t which_n_names;
extern const struct which_form which_forms[];
extern const size_t which_n_forms;
extern const struct which_meaning which_meanings[];
extern const size_t which_n_meanings;

#endif
