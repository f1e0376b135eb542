/* Rewrites messages in the terms of older versions; see wording.h. */
#include "util/wording.h"

#include <stdio.h>
#include <string.h>

#include "util/util.h"

/* The first version with progress engines and tasks, and the first version with comch. */
#define VERSION_TASKS 205
#define VERSION_COMCH 207
#define NAME_MAX_LEN  96

/* State while a sentence is written. */
struct writer {
	const struct wording *wording;
	char *out;
	size_t len, size;
	size_t part;    /* start of the part that may be dropped, or SIZE_MAX */
	bool is_unsaid; /* that part contains a name that has no equivalent */
};

static void put(struct writer *w, const char *text, size_t len)
{
	size_t n = MIN(len, w->size - 1 - w->len);

	memcpy(w->out + w->len, text, n);
	w->len += n;
}

/*
 * Ends a part, and drops it if it contains a name without an equivalent. next: another part begins
 * here.
 */
static void part_end(struct writer *w, bool next)
{
	if (w->is_unsaid && w->part != SIZE_MAX)
		w->len = w->part;
	w->part = next ? w->len : SIZE_MAX;
	w->is_unsaid = false;
}

bool wording_is_needed(const struct wording *wording)
{
	return wording->version < VERSION_COMCH;
}

/*
 * Returns the version's name, "" if it has no equivalent, or NULL if the table does not list the
 * name.
 */
static const char *name_find(const char *name, unsigned version)
{
	for (size_t i = 0; i < wording_n_names; i++) {
		const struct wording_name *row = &wording_names[i];

		if (version >= row->first && version <= row->last && strcmp(row->name, name) == 0)
			return row->instead ? row->instead : "";
	}
	return NULL;
}

static void put_name(struct writer *w, const char *word, size_t len)
{
	static const char comch[] = "doca_comch_";
	char name[NAME_MAX_LEN];
	const char *instead;

	if (w->wording->channel == WORDING_CC && len > strlen(comch) &&
	    memcmp(word, comch, strlen(comch)) == 0) {
		put(w, "doca_cc_", strlen("doca_cc_"));
		put(w, word + strlen(comch), len - strlen(comch));
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	instead = name_find(name, w->wording->version);
	w->is_unsaid |= instead && !*instead;
	put(w, instead && *instead ? instead : word, instead && *instead ? strlen(instead) : len);
}

/*
 * Terms of the interface that are not identifiers. Of two that begin alike, the longer one comes
 * first.
 */
static const struct noun {
	const char *text;
	unsigned before;        /* the version from which on the term is used */
	const char *instead[3]; /* by channel; NULL: unchanged */
} nouns[] = {
	{"comch server", VERSION_COMCH, {NULL, "cc server", "comm channel"}},
	{"comch client", VERSION_COMCH, {NULL, "cc client", "comm channel"}},
	{"comch", VERSION_COMCH, {NULL, "cc", "comm channel"}},
	{"progress engine", VERSION_TASKS, {"work queue", "work queue", "work queue"}},
	{"tasks", VERSION_TASKS, {"jobs", "jobs", "jobs"}},
	{"task", VERSION_TASKS, {"job", "job", "job"}},
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Returns the term that the text begins with as a whole word, or NULL. */
static const struct noun *noun_at(const struct wording *wording, const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(nouns); i++) {
		size_t len = strlen(nouns[i].text);

		if (wording->version < nouns[i].before && nouns[i].instead[wording->channel] &&
		    strncmp(text, nouns[i].text, len) == 0 && !is_letter(text[len]))
			return &nouns[i];
	}
	return NULL;
}

/* Writes one word and returns its length. */
static size_t put_word(struct writer *w, const char *word)
{
	const struct noun *noun = noun_at(w->wording, word);
	size_t len = 0;

	if (noun) {
		put(w, noun->instead[w->wording->channel],
		    strlen(noun->instead[w->wording->channel]));
		return strlen(noun->text);
	}
	while (is_letter(word[len]))
		len++;
	if (strncmp(word, "doca_", 5) == 0 || strncmp(word, "DOCA_", 5) == 0)
		put_name(w, word, len);
	else
		put(w, word, len);
	return len;
}

void wording_apply(const struct wording *wording, const char *text, char *out, size_t out_len)
{
	struct writer w = {.wording = wording, .out = out, .size = out_len, .part = SIZE_MAX};

	while (*text) {
		if (is_letter(*text)) {
			text += put_word(&w, text);
			continue;
		}
		/* A parenthesis holds figures, which are kept. */
		if (strncmp(text, "; ", 2) == 0 || strncmp(text, " (", 2) == 0)
			part_end(&w, *text == ';');
		put(&w, text++, 1);
	}
	part_end(&w, false);
	out[w.len] = '\0';
}
