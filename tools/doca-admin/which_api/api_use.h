/*
 * Determines which names of the DOCA interface sources use, and which versions of the interface
 * have them. Files are added one by one; the result can be read at any time. Owner: one command.
 * Single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_WHICH_API_API_USE_H
#define TOOLS_DOCA_ADMIN_WHICH_API_API_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/doca-admin/which_api/which_data.h"

/* A source that uses a name of the interface. */
struct api_file {
	char *path;
	uint32_t fits; /* the versions that have all names that the file uses */
};

/* One use of a name, with the place where it was found first. */
struct api_evidence {
	const struct which_name *name;
	int n_arguments; /* -1: any number */
	uint32_t fits;   /* the versions whose headers in this runtime have it */
	uint32_t likely; /* the versions that were published with it */
	size_t file;     /* index */
	unsigned line;
};

/* A header of DOCA that this runtime does not provide. */
struct api_absent {
	char *header;
	size_t file;
	unsigned line;
};

struct api_use {
	struct api_file *files;
	size_t n_files;
	struct api_evidence *evidence;
	size_t n_evidence;
	struct api_absent *absent;
	size_t n_absent;
	char **own_headers; /* headers of the sources themselves that have names like DOCA's */
	size_t n_own_headers;
	size_t n_names;    /* number of different names */
	size_t n_optional; /* number of names inside conditions about DOCA; they are no evidence */
	/* For each entry of which_names: 1 + index of its first evidence, or 0. */
	size_t *first;
	size_t *next; /* for each evidence: 1 + index of the next one of the same name, or 0 */
	bool is_full; /* memory was short, so something is missing */
};

/* How well one version fits. */
struct api_rank {
	size_t version;    /* index in which_versions */
	size_t n_missing;  /* number of uses that its headers do not provide; 0: it fits */
	size_t n_unlikely; /* number of uses with which it was not published */
};

#define CLEANUP_API_USE CLEANUP(api_use_deinit)

/* Returns 0 or -ENOMEM. */
int api_use_init(struct api_use *use_out);
/* Idempotent. */
void api_use_deinit(struct api_use *use);
/*
 * Adds the names that the source uses. Text without a name of DOCA adds no file. A header of DOCA
 * itself adds none either, because it is only there for the sources.
 */
void api_use_add(struct api_use *use, const char *path, const char *text, size_t len);
/* Returns the versions that fit everything that was added. */
uint32_t api_use_fits(const struct api_use *use);
/* Fills one rank for each of which_versions, the most likely first. */
void api_use_rank(const struct api_use *use, struct api_rank *ranks_out);
/* True if the header is not one of the sources' own. Call when all sources have been added. */
bool api_use_is_absent(const struct api_use *use, const struct api_absent *absent);
/* True if the name is used. */
bool api_use_has(const struct api_use *use, const char *name);
/* Writes "2.0 to 2.2", "1.3, 2.5 on" or "no version"; truncates what does not fit. */
void api_versions_text(uint32_t versions, char *text_out, size_t len);

#endif
