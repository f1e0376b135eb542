/*
 * doca-admin which-api: determines for which versions of the interface sources were written, and
 * lists the names that show it. Reads the sources only; needs no daemon and no compiler.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/terminal/field.h"
#include "tools/doca-admin/terminal/print.h"
#include "tools/doca-admin/which_api/api_use.h"
#include "tools/doca-admin/which_api/absent_library.h"
#include "tools/doca-admin/which_api/source_tree.h"

/* Limit of names and files of each kind in the text output; JSON has all. */
#define SHOWN_MAX 6
/* Number of versions that are compared if none fits. */
#define NEAREST_MAX  2
#define VERSIONS_LEN 96

static const char usage[] =
	"Usage: doca-admin which-api FILE|DIR... [OPTION...]\n"
	"\n"
	"Reads sources and says for which versions of DOCA they were written, the likeliest\n"
	"first, and which names show it. 'doca-admin env --api VERSION' builds for one.\n";

struct answer {
	struct api_use use;
	struct api_rank *ranks; /* the most likely first */
	uint32_t fits;
};

static void answer_deinit(struct answer *a)
{
	api_use_deinit(&a->use);
	free(a->ranks);
}

static uint32_t bit(size_t version)
{
	return UINT32_C(1) << version;
}

/* Returns a static buffer, overwritten by the next call. */
static const char *version_name(size_t version)
{
	static char name[16];

	snprintf(name, sizeof(name), "%u.%u", which_versions[version] / 100,
		 which_versions[version] % 100);
	return name;
}

/* Returns "1 file", "2 files" in a static buffer, overwritten by the next call. */
static const char *counted(size_t n, const char *what)
{
	static char text[40];

	snprintf(text, sizeof(text), "%zu %s%s", n, what, n == 1 ? "" : "s");
	return text;
}

static const char *path_of(const struct answer *a, size_t file)
{
	return a->use.files[file].path;
}

/* --- differences between versions that fit --- */

/* True if some but not all of the fitting versions have the meaning, and the name is used. */
static bool meaning_matters(const struct answer *a, const struct which_meaning *m)
{
	return (m->versions & a->fits) && (~m->versions & a->fits) && api_use_has(&a->use, m->name);
}

static json_object *differences_record(const struct answer *a)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < which_n_meanings; i++) {
		const struct which_meaning *m = &which_meanings[i];
		json_object *one;

		if (!meaning_matters(a, m))
			continue;
		one = json_object_new_object();
		field_set_text(one, "name", m->name);
		field_set_text(one, "versions", m->versions_text);
		field_set_text(one, "meaning", m->meaning);
		json_object_array_add(list, one);
	}
	return list;
}

static void differences_print(json_object *list)
{
	if (json_object_array_length(list))
		puts("\nWhat behaves differently among these versions:");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *one = json_object_array_get_idx(list, i);

		printf("  %s, %s: %s\n", field_text(one, "name"), field_text(one, "versions"),
		       field_text(one, "meaning"));
	}
}

/* --- evidence against a version --- */

static json_object *evidence_record(const struct answer *a, const struct api_evidence *e)
{
	json_object *one = json_object_new_object();
	char versions[VERSIONS_LEN];
	char *path = print_clean(path_of(a, e->file));

	api_versions_text(e->likely ? e->likely : e->fits, versions, sizeof(versions));
	field_set_text(one, "name", e->name->name);
	if (e->n_arguments >= 0)
		json_object_object_add(one, "arguments", json_object_new_int(e->n_arguments));
	field_set_text(one, "versions", versions);
	field_set_text(one, "file", path ? path : "");
	field_set_number(one, "line", e->line);
	if (e->name->later)
		field_set_text(one, "later", e->name->later);
	free(path);
	return one;
}

static json_object *missing_record(const struct answer *a, size_t version)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < a->use.n_evidence; i++)
		if (!(a->use.evidence[i].fits & bit(version)))
			json_object_array_add(list, evidence_record(a, &a->use.evidence[i]));
	return list;
}

static void missing_print(json_object *list)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < MIN(n, (size_t)SHOWN_MAX); i++) {
		json_object *one = json_object_array_get_idx(list, i);

		printf("  %s", field_text(one, "name"));
		if (json_object_object_get(one, "arguments"))
			printf(" with %s", counted(field_number(one, "arguments"), "argument"));
		printf(" (%s), %s:%u", field_text(one, "versions"), field_text(one, "file"),
		       (unsigned)field_number(one, "line"));
		if (*field_text(one, "later"))
			printf("; later %s", field_text(one, "later"));
		putchar('\n');
	}
	if (n > SHOWN_MAX)
		printf("  and %zu more\n", n - SHOWN_MAX);
}

/* --- the record --- */

static json_object *fits_record(uint32_t fits)
{
	json_object *list = json_object_new_array();

	for (size_t v = which_n_versions; v-- > 0;)
		if (fits & bit(v))
			json_object_array_add(list, json_object_new_string(version_name(v)));
	return list;
}

static json_object *versions_record(const struct answer *a)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < which_n_versions; i++) {
		const struct api_rank *rank = &a->ranks[i];
		json_object *one = json_object_new_object();

		field_set_text(one, "version", version_name(rank->version));
		json_object_object_add(one, "fits", json_object_new_boolean(!rank->n_missing));
		json_object_object_add(one, "missing", missing_record(a, rank->version));
		json_object_array_add(list, one);
	}
	return list;
}

static json_object *files_record(const struct answer *a)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < a->use.n_files; i++) {
		json_object *one = json_object_new_object();
		char *path = print_clean(path_of(a, i));

		field_set_text(one, "file", path ? path : "");
		json_object_object_add(one, "fits", fits_record(a->use.files[i].fits));
		json_object_array_add(list, one);
		free(path);
	}
	return list;
}

static json_object *absent_record(const struct answer *a)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < a->use.n_absent; i++) {
		const struct api_absent *absent = &a->use.absent[i];
		char *path = print_clean(path_of(a, absent->file));
		char *header = print_clean(absent->header);
		json_object *one = json_object_new_object();
		const struct absent_library *library;

		field_set_text(one, "header", header ? header : "");
		field_set_text(one, "file", path ? path : "");
		field_set_number(one, "line", absent->line);
		library = absent_library_find(absent->header);
		if (library != NULL)
			field_set_text(one, "library", library->what);
		if (library != NULL && library->instead != NULL)
			field_set_text(one, "instead", library->instead);
		if (api_use_is_absent(&a->use, absent))
			json_object_array_add(list, one);
		else
			json_object_put(one);
		free(header);
		free(path);
	}
	return list;
}

static json_object *answer_record(const struct answer *a, const struct source_tree_counts *counts)
{
	json_object *record = json_object_new_object();

	field_set_number(record, "read", counts->n_read);
	field_set_number(record, "failed", counts->n_failed);
	field_set_number(record, "names", a->use.n_names);
	field_set_number(record, "optional", a->use.n_optional);
	json_object_object_add(record, "versions", versions_record(a));
	json_object_object_add(record, "differences", differences_record(a));
	json_object_object_add(record, "absent_headers", absent_record(a));
	json_object_object_add(record, "files", files_record(a));
	return record;
}

/* --- text --- */

static void counts_print(const struct answer *a)
{
	printf("%s of DOCA in ", counted(a->use.n_names, "name"));
	printf("%s. ", counted(a->use.n_files, "file"));
}

static void fits_print(const struct answer *a)
{
	const struct api_rank *rank = a->ranks;

	counts_print(a);
	fputs("These versions fit, the likeliest first:\n ", stdout);
	for (; rank < a->ranks + which_n_versions && !rank->n_missing; rank++)
		printf(" %s", version_name(rank->version));
	putchar('\n');
}

static void lack_print(const struct answer *a, size_t version)
{
	json_object *missing = missing_record(a, version);

	printf("\n%s does not have\n", version_name(version));
	missing_print(missing);
	json_object_put(missing);
}

/* Prints why the versions next to those that fit do not fit. */
static void neighbours_print(const struct answer *a)
{
	uint32_t next = (a->fits << 1 | a->fits >> 1) & ~a->fits;

	for (size_t v = 0; v < which_n_versions; v++)
		if (next & bit(v))
			lack_print(a, v);
}

/*
 * If no version fits everything, prints what the nearest ones lack; of versions that lack equally
 * much, only the first.
 */
static void nearest_print(const struct answer *a)
{
	size_t n_shown = 0;

	counts_print(a);
	puts("No version has all of them.");
	for (size_t i = 0; i < which_n_versions && n_shown < NEAREST_MAX; i++) {
		if (i > 0 && a->ranks[i].n_missing == a->ranks[i - 1].n_missing)
			continue;
		lack_print(a, a->ranks[i].version);
		n_shown++;
	}
}

/* Prints the files grouped by the versions that fit each of them. */
static void files_print(const struct answer *a)
{
	puts("\nEach file by itself; build what belongs together for a version of its own:");
	for (size_t i = 0; i < a->use.n_files; i++) {
		uint32_t fits = a->use.files[i].fits;
		char text[VERSIONS_LEN];
		size_t n = 0, first = 0;

		while (first < i && a->use.files[first].fits != fits)
			first++;
		if (first < i)
			continue;
		api_versions_text(fits, text, sizeof(text));
		printf("  %s:\n", text);
		for (size_t k = i; k < a->use.n_files; k++) {
			char *path;

			if (a->use.files[k].fits != fits || n++ >= SHOWN_MAX)
				continue;
			path = print_clean(path_of(a, k));
			printf("    %s\n", path ? path : "");
			free(path);
		}
		if (n > SHOWN_MAX)
			printf("    and %zu more\n", n - SHOWN_MAX);
	}
}

static void absent_print(json_object *list)
{
	if (json_object_array_length(list))
		puts("\nThis runtime does not have");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *one = json_object_array_get_idx(list, i);

		printf("  %s, %s:%u\n", field_text(one, "header"), field_text(one, "file"),
		       (unsigned)field_number(one, "line"));
		if (*field_text(one, "library"))
			printf("    %s; instead: %s\n", field_text(one, "library"),
			       *field_text(one, "instead") ? field_text(one, "instead")
							   : "nothing here");
	}
}

static void answer_print(const struct answer *a, json_object *record)
{
	if (a->fits) {
		fits_print(a);
		neighbours_print(a);
		differences_print(json_object_object_get(record, "differences"));
	} else {
		nearest_print(a);
		files_print(a);
	}
	if (a->use.n_optional)
		printf("\nNot counted: %s below conditions about DOCA (#if DOCA_...).\n",
		       counted(a->use.n_optional, "place"));
	absent_print(json_object_object_get(record, "absent_headers"));
	if (a->fits)
		printf("\nTo build:  eval \"$(doca-admin env --api %s --side host)\"   # or dpu\n",
		       version_name(a->ranks[0].version));
}

static void source_add(void *userdata, const char *path, const char *text, size_t len)
{
	api_use_add(userdata, path, text, len);
}

/* Reads the sources and prints which versions they fit. */
static int answer_run(struct answer *a, char **paths, bool json)
{
	struct source_tree_counts counts;
	json_object *record;
	int r = source_tree_read(paths, source_add, &a->use, &counts);

	if (r < 0 || a->use.is_full)
		return cmd_fail(EXIT_FAILURE, "%s", strerror(r < 0 ? -r : ENOMEM));
	a->fits = api_use_fits(&a->use);
	api_use_rank(&a->use, a->ranks);
	record = answer_record(a, &counts);
	if (json)
		print_json(stdout, record);
	else if (a->use.n_names)
		answer_print(a, record);
	else
		absent_print(json_object_object_get(record, "absent_headers"));
	json_object_put(record);
	if (counts.n_failed)
		return EXIT_FAILURE;
	if (!a->use.n_names)
		return cmd_fail(EXIT_OBJECT_MISSING,
				"no name of DOCA is used in the files that were read (%zu)",
				counts.n_read);
	return a->fits ? EXIT_SUCCESS : EXIT_OBJECT_MISSING;
}

int cmd_which_api(int argc, char **argv)
{
	CLEANUP(answer_deinit) struct answer a = {.fits = 0};
	struct admin_options o = {0};

	switch (options_parse(argc, argv, OPTIONS_JSON, &o)) {
	case OPTIONS_BAD:
		return EXIT_USAGE;
	case OPTIONS_HELP:
		fputs(usage, stdout);
		options_usage(stdout, OPTIONS_JSON);
		return EXIT_SUCCESS;
	case OPTIONS_OK:
		break;
	}
	if (optind == argc)
		return cmd_fail(EXIT_USAGE, "'which-api' takes files or folders with sources; see "
					    "'doca-admin which-api --help'");
	for (int i = optind; i < argc; i++)
		if (!*argv[i])
			return cmd_fail(EXIT_USAGE, "a file or folder has no empty name");
	a.ranks = calloc(which_n_versions, sizeof(*a.ranks));
	if (!a.ranks || api_use_init(&a.use) < 0)
		return cmd_fail(EXIT_FAILURE, "no memory");
	return answer_run(&a, argv + optind, o.json);
}
