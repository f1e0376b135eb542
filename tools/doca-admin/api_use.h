/*
 * What sources use of the DOCA interface, and which versions of it have that. Files are added one
 * by one; the result is there at any time. Owner: one command. Single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_API_USE_H
#define TOOLS_DOCA_ADMIN_API_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/doca-admin/which_data.h"

/* A source that uses a name of the interface. */
struct api_file {
	char *path;
	uint32_t fits; /* the versions that have all that the file uses */
};

/* One way in which a name is used, with the place where it was found first. */
struct api_evidence {
	const struct which_name *name;
	int n_arguments; /* -1: the number does not matter */
	uint32_t fits;   /* the versions whose headers here have it */
	uint32_t likely; /* the versions that were published with it */
	size_t file;     /* index */
	unsigned line;
};

/* A header of DOCA that this runtime does not have. */
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
	char **own; /* headers of the sources themselves that are named as DOCA's are */
	size_t n_own;
	size_t n_names;    /* different names */
	size_t n_optional; /* names below conditions about DOCA; they are no evidence */
	size_t *first;     /* for each of which_names: 1 + index of its first evidence, or 0 */
	size_t *next;      /* for each evidence: 1 + index of the next one of the same name, or 0 */
	bool is_full;      /* no memory was left, and something is missing */
};

/* How well one version fits. */
struct api_rank {
	size_t version;    /* index in which_versions */
	size_t n_missing;  /* ways of use that its headers do not have; 0: it fits */
	size_t n_unlikely; /* ways of use that it was not published with */
};

#define CLEANUP_API_USE CLEANUP(api_use_deinit)

/* Returns 0 or -ENOMEM. */
int api_use_init(struct api_use *use_out);
/* May be called twice. */
void api_use_deinit(struct api_use *use);
/*
 * Adds what the source uses. Text without a name of DOCA adds no file, and neither does a header of
 * DOCA itself: it lies there for the sources.
 */
void api_use_add(struct api_use *use, const char *path, const char *text, size_t len);
/* The versions that fit all that was added. */
uint32_t api_use_fits(const struct api_use *use);
/* Fills one rank for each of which_versions, the likeliest first. */
void api_use_rank(const struct api_use *use, struct api_rank *ranks_out);
/* True if the header is not one of the sources' own after all; ask when all sources are added. */
bool api_use_is_absent(const struct api_use *use, const struct api_absent *absent);
/* True if the name is used. */
bool api_use_has(const struct api_use *use, const char *name);
/* Writes "2.0 to 2.2", "1.3, 2.5 on" or "no version"; cuts what does not fit. */
void api_versions_text(uint32_t versions, char *text_out, size_t len);

#endif
