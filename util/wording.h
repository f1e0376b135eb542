/*
 * Sentences about errors in the words of the version that a program was written for. The sources
 * name functions as the newest version does; a program of 2.2 does not know these names. Pure
 * functions over a table that wording.awk makes from doc/api-changes.md.
 */
#ifndef UTIL_WORDING_H
#define UTIL_WORDING_H

#include <stdbool.h>
#include <stddef.h>

/* What a program calls the objects that the newest version calls comch. */
enum wording_channel { WORDING_COMCH, WORDING_CC, WORDING_COMM_CHANNEL };

struct wording {
	unsigned version; /* as DOCA_USE_VERSION numbers it */
	enum wording_channel channel;
};

/* A name in a sentence that programs of these versions do not know. */
struct wording_name {
	const char *name;
	unsigned first, last;
	const char *instead; /* their name for it, or NULL */
};

extern const struct wording_name wording_names[];
extern const size_t wording_n_names;

/* False if sentences can stay as they are. */
bool wording_is_needed(const struct wording *wording);
/*
 * Writes the sentence, or a format of printf, with the names of the version. A part behind "; "
 * with a name that has no equivalent there is left out. out must not overlap text; what is too long
 * is cut.
 */
void wording_apply(const struct wording *wording, const char *text, char *out, size_t out_len);

#endif
