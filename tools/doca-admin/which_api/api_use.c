/* Use of the interface by sources; see api_use.h. */
#include "tools/doca-admin/which_api/api_use.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/which_api/source_scan.h"
#include "util/util.h"

/* Limit of recorded absent headers; far more than there are libraries. */
#define ABSENT_MAX 256
/* More than twice the number of names, so that probing ends soon. */
#define TABLE_LEN 8192

/* Open-addressing hash table of which_names. An entry is the index plus 1; 0 is empty. */
static uint16_t table[TABLE_LEN];

static size_t hash(const char *name, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h % TABLE_LEN;
}

static bool is_equal(const char *name, size_t len, const char *text)
{
	return strncmp(text, name, len) == 0 && text[len] == '\0';
}

/* Returns the entry of the name, or the empty one where it would be inserted. */
static uint16_t *table_find(const char *name, size_t len)
{
	size_t i = hash(name, len);

	while (table[i] && !is_equal(name, len, which_names[table[i] - 1].name))
		i = (i + 1) % TABLE_LEN;
	return &table[i];
}

static void table_fill(void)
{
	for (size_t i = 0; i < which_n_names && i < TABLE_LEN / 2; i++)
		*table_find(which_names[i].name, strlen(which_names[i].name)) = (uint16_t)(i + 1);
}

static uint32_t all_versions(void)
{
	return (UINT32_C(1) << which_n_versions) - 1;
}

int api_use_init(struct api_use *use_out)
{
	*use_out = (struct api_use){.first = calloc(which_n_names, sizeof(*use_out->first))};
	table_fill();
	return use_out->first ? 0 : -ENOMEM;
}

void api_use_deinit(struct api_use *use)
{
	for (size_t i = 0; i < use->n_files; i++)
		free(use->files[i].path);
	for (size_t i = 0; i < use->n_absent; i++)
		free(use->absent[i].header);
	for (size_t i = 0; i < use->n_own_headers; i++)
		free(use->own_headers[i]);
	free(use->own_headers);
	free(use->files);
	free(use->evidence);
	free(use->absent);
	free(use->first);
	free(use->next);
	*use = (struct api_use){0};
}

/*
 * Makes room for one more element in an array that grows by doubling. Returns false if memory is
 * short.
 */
static bool grow(void *array, size_t n, size_t size)
{
	void *old, *new;

	if (n & (n - 1))
		return true;
	memcpy(&old, array, sizeof(old));
	new = reallocarray(old, n ? 2 * n : 1, size);
	if (!new)
		return false;
	memcpy(array, &new, sizeof(new));
	return true;
}

/* The source that is being added. */
struct reading {
	struct api_use *use;
	const char *path;
	bool is_in; /* the file is the last one in the list */
};

static bool file_add(struct reading *r)
{
	struct api_use *use = r->use;
	char *path;

	if (r->is_in)
		return true;
	if (!grow(&use->files, use->n_files, sizeof(*use->files)) || !(path = strdup(r->path))) {
		use->is_full = true;
		return false;
	}
	use->files[use->n_files++] = (struct api_file){path, all_versions()};
	r->is_in = true;
	return true;
}

/*
 * Returns the versions in which the name takes this many arguments; versions without a row count as
 * matching. Returns all versions if no row matches, because then the text is not a call that can be
 * interpreted.
 */
static uint32_t versions_of_form(const char *name, int n_arguments)
{
	uint32_t taking = 0, others = 0;

	for (size_t i = 0; i < which_n_forms; i++) {
		if (strcmp(which_forms[i].name, name) != 0)
			continue;
		if (which_forms[i].n_arguments == n_arguments)
			taking |= which_forms[i].versions;
		else
			others |= which_forms[i].versions;
	}
	return taking ? ~(others & ~taking) : ~UINT32_C(0);
}

static bool has_forms(const char *name)
{
	for (size_t i = 0; i < which_n_forms; i++)
		if (strcmp(which_forms[i].name, name) == 0)
			return true;
	return false;
}

/* Records one use of a name, unless it is recorded already. */
static void evidence_add(struct reading *r, const struct api_evidence *new)
{
	struct api_use *use = r->use;
	size_t index = (size_t)(new->name - which_names), *link = &use->first[index];

	use->files[use->n_files - 1].fits &= new->fits;
	use->n_names += !*link;
	for (; *link; link = &use->next[*link - 1])
		if (use->evidence[*link - 1].fits == new->fits)
			return;
	if (!grow(&use->evidence, use->n_evidence, sizeof(*use->evidence))) {
		use->is_full = true;
		return;
	}
	/* The link may be in the array that grows next, so it is set before. */
	*link = use->n_evidence + 1;
	if (!grow(&use->next, use->n_evidence, sizeof(*use->next))) {
		*link = 0;
		use->is_full = true;
		return;
	}
	use->next[use->n_evidence] = 0;
	use->evidence[use->n_evidence++] = *new;
}

static bool is_header_name(const char *name, size_t len)
{
	return len > 7 && memcmp(name, "doca_", 5) == 0 && memcmp(name + len - 2, ".h", 2) == 0;
}

static void absent_add(struct reading *r, const struct source_name *found)
{
	struct api_use *use = r->use;
	char *header;

	for (size_t i = 0; i < use->n_absent; i++)
		if (is_equal(found->name, found->len, use->absent[i].header))
			return;
	if (use->n_absent == ABSENT_MAX || !file_add(r))
		return;
	header = strndup(found->name, found->len);
	if (!header || !grow(&use->absent, use->n_absent, sizeof(*use->absent))) {
		free(header);
		use->is_full = true;
		return;
	}
	use->absent[use->n_absent++] = (struct api_absent){header, use->n_files - 1, found->line};
}

static void name_add(void *userdata, const struct source_name *found)
{
	struct reading *r = userdata;
	uint16_t slot = *table_find(found->name, found->len);
	struct api_evidence evidence;
	const struct which_name *name;

	if (found->is_optional) {
		r->use->n_optional += slot != 0;
		return;
	}
	if (!slot) {
		if (is_header_name(found->name, found->len))
			absent_add(r, found);
		return;
	}
	name = &which_names[slot - 1];
	if (!file_add(r))
		return;
	evidence = (struct api_evidence){
		.name = name,
		.n_arguments = -1,
		.fits = name->offered,
		.likely = name->published,
		.file = r->use->n_files - 1,
		.line = found->line,
	};
	if (has_forms(name->name)) {
		int n = source_count_arguments(found);
		uint32_t versions = versions_of_form(name->name, n);

		if (~versions & name->offered)
			evidence.n_arguments = n;
		evidence.fits &= versions;
		evidence.likely &= versions;
	}
	evidence_add(r, &evidence);
}

static void own_header_add(struct api_use *use, const char *name)
{
	char *copy = strdup(name);

	if (!copy || !grow(&use->own_headers, use->n_own_headers, sizeof(*use->own_headers))) {
		free(copy);
		use->is_full = true;
		return;
	}
	use->own_headers[use->n_own_headers++] = copy;
}

void api_use_add(struct api_use *use, const char *path, const char *text, size_t len)
{
	struct reading r = {.use = use, .path = path};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (is_header_name(name, strlen(name))) {
		if (*table_find(name, strlen(name)))
			return;
		own_header_add(use, name);
	}
	if (memmem(text, len, "doca_", 5) || memmem(text, len, "DOCA_", 5))
		source_scan(text, len, name_add, &r);
}

bool api_use_is_absent(const struct api_use *use, const struct api_absent *absent)
{
	for (size_t i = 0; i < use->n_own_headers; i++)
		if (strcmp(use->own_headers[i], absent->header) == 0)
			return false;
	return true;
}

uint32_t api_use_fits(const struct api_use *use)
{
	uint32_t fits = all_versions();

	for (size_t i = 0; i < use->n_evidence; i++)
		fits &= use->evidence[i].fits;
	return fits;
}

static int rank_compare(const void *a, const void *b)
{
	const struct api_rank *x = a, *y = b;

	if (x->n_missing != y->n_missing)
		return x->n_missing < y->n_missing ? -1 : 1;
	if (x->n_unlikely != y->n_unlikely)
		return x->n_unlikely < y->n_unlikely ? -1 : 1;
	return x->version > y->version ? -1 : x->version < y->version;
}

void api_use_rank(const struct api_use *use, struct api_rank *ranks_out)
{
	for (size_t v = 0; v < which_n_versions; v++) {
		ranks_out[v] = (struct api_rank){.version = v};
		for (size_t i = 0; i < use->n_evidence; i++) {
			ranks_out[v].n_missing += !(use->evidence[i].fits >> v & 1);
			ranks_out[v].n_unlikely += !(use->evidence[i].likely >> v & 1);
		}
	}
	qsort(ranks_out, which_n_versions, sizeof(*ranks_out), rank_compare);
}

bool api_use_has(const struct api_use *use, const char *name)
{
	uint16_t slot = *table_find(name, strlen(name));

	return slot && use->first[slot - 1];
}

void api_versions_text(uint32_t versions, char *text_out, size_t len)
{
	size_t used = 0;

	snprintf(text_out, len, "no version");
	for (size_t v = 0; v < which_n_versions && used + 1 < len; v++) {
		size_t last = v;

		if (!(versions >> v & 1))
			continue;
		while (last + 1 < which_n_versions && versions >> (last + 1) & 1)
			last++;
		used += (size_t)snprintf(text_out + used, len - used, "%s%u.%u", used ? ", " : "",
					 which_versions[v] / 100, which_versions[v] % 100);
		if (used + 1 < len && last > v && last + 1 == which_n_versions)
			used += (size_t)snprintf(text_out + used, len - used, " on");
		else if (used + 1 < len && last > v)
			used += (size_t)snprintf(text_out + used, len - used, " to %u.%u",
						 which_versions[last] / 100,
						 which_versions[last] % 100);
		v = last;
	}
}
