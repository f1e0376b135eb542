/*
 * Rewrites error messages in the terms of the version that a program was written for. The sources
 * name functions as the newest version does, and a program written for 2.2 does not know these
 * names. Pure functions over a table that wording.awk generates from doc/api-changes.md.
 */
#ifndef UTIL_WORDING_H
#define UTIL_WORDING_H

#include <stdbool.h>
#include <stddef.h>

/* The name of the comch objects in the program's version. */
enum wording_channel { WORDING_COMCH, WORDING_CC, WORDING_COMM_CHANNEL };

struct wording {
	unsigned version; /* numbered like DOCA_USE_VERSION */
	enum wording_channel channel;
};

/* A name in a message that programs of these versions do not know. */
struct wording_name {
	const char *name;
	unsigned first, last;
	const char *instead; /* their name for it, or NULL */
};

extern const struct wording_name wording_names[];
extern const size_t wording_n_names;

/* False if messages can stay unchanged. */
bool wording_is_needed(const struct wording *wording);
/*
 * Writes the sentence, or a printf() format, with the version's names. A part after "; " is dropped
 * if it contains a name without an equivalent in that version. out must not overlap text; a result
 * that is too long is truncated.
 */
void wording_apply(const struct wording *wording, const char *text, char *out, size_t out_len);

#endif
