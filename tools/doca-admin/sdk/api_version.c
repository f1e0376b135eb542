/*
 * Chooses among the installed versions of the interface. Each version's pkg-config modules have
 * their own folder, so the names of these folders are the list of versions.
 */
#include "tools/doca-admin/sdk/api_version.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/lab/paths.h"
#include "util/util.h"

/* Far more versions than were ever published. */
#define VERSIONS_MAX 64

/* The versions are in the order of publication. */
struct versions {
	unsigned numbers[VERSIONS_MAX];
	size_t n;
};

static unsigned major_of(unsigned number)
{
	return number / 100;
}

static void name_write(unsigned number, char version_out[API_VERSION_MAX])
{
	snprintf(version_out, API_VERSION_MAX, "%u.%u", major_of(number), number % 100);
}

/* Reads "2.2", or "2.2.0080" if a part may follow. Returns 0 if it is something else. */
static unsigned number_parse(const char *text, bool may_continue)
{
	static const char digits[] = "0123456789";
	size_t n_major = strspn(text, digits), n_minor;
	const char *minor = text + n_major + 1;

	if (n_major < 1 || n_major > 2 || text[n_major] != '.')
		return 0;
	n_minor = strspn(minor, digits);
	if (n_minor < 1 || n_minor > 2)
		return 0;
	if (minor[n_minor] != '\0' && !(may_continue && minor[n_minor] == '.'))
		return 0;
	return (unsigned)(strtoul(text, NULL, 10) * 100 + strtoul(minor, NULL, 10));
}

unsigned api_version_number(const char *version)
{
	return number_parse(version, true);
}

static int compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Returns 0, or -ENOENT if there is none, after printing the error. */
static int versions_list(struct versions *versions_out)
{
	struct versions v = {.n = 0};
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir = NULL;

	if (lab_paths_find_versions(path, sizeof(path)) == 0)
		dir = opendir(path);
	while (dir && v.n < VERSIONS_MAX && (entry = readdir(dir))) {
		unsigned number = number_parse(entry->d_name, false);

		if (number)
			v.numbers[v.n++] = number;
	}
	if (dir)
		closedir(dir);
	if (v.n == 0) {
		cmd_fail(0, "the pkg-config modules are not installed; run 'make install' "
			    "and use the doca-admin of that place");
		return -ENOENT;
	}
	qsort(v.numbers, v.n, sizeof(v.numbers[0]), compare);
	*versions_out = v;
	return 0;
}

static unsigned distance(unsigned a, unsigned b)
{
	return a > b ? a - b : b - a;
}

/* Returns the nearest version with the same major number, of two the earlier, or 0. */
static unsigned nearest(const struct versions *v, unsigned wanted)
{
	unsigned best = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (major_of(v->numbers[i]) != major_of(wanted))
			continue;
		if (!best || distance(v->numbers[i], wanted) < distance(best, wanted))
			best = v->numbers[i];
	}
	return best;
}

/*
 * Returns the version next to wanted, on the other side than chosen and with the same major number,
 * or 0.
 */
static unsigned neighbour(const struct versions *v, unsigned wanted, unsigned chosen)
{
	unsigned best = 0;

	for (size_t i = 0; i < v->n; i++) {
		bool is_beyond = (v->numbers[i] > wanted) != (chosen > wanted);

		if (is_beyond && major_of(v->numbers[i]) == major_of(wanted) &&
		    (!best || distance(v->numbers[i], wanted) < distance(best, wanted)))
			best = v->numbers[i];
	}
	return best;
}

static void report_nearest(const struct versions *v, unsigned wanted, unsigned chosen)
{
	unsigned other = neighbour(v, wanted, chosen);
	char text[API_VERSION_MAX], choice[API_VERSION_MAX], second[API_VERSION_MAX];

	name_write(wanted, text);
	name_write(chosen, choice);
	name_write(other, second);
	if (other)
		cmd_fail(0,
			 "version %s is not known; %s, the nearest, is used (%s is the other "
			 "choice)",
			 text, choice, second);
	else
		cmd_fail(0, "version %s is not known; %s, the nearest, is used", text, choice);
}

static int report_unknown(const struct versions *v, const char *text)
{
	char name[API_VERSION_MAX];

	cmd_fail(0, "--api: there is no version '%s'; these are there:", text);
	for (size_t i = 0; i < v->n; i++) {
		name_write(v->numbers[i], name);
		fprintf(stderr, " %s", name);
	}
	fputc('\n', stderr);
	return -EINVAL;
}

int api_version_choose(const char *text, char version_out[API_VERSION_MAX])
{
	struct versions versions;
	unsigned wanted, chosen;
	int r = versions_list(&versions);

	if (r < 0)
		return r;
	wanted = text ? number_parse(text, true) : versions.numbers[versions.n - 1];
	chosen = wanted ? nearest(&versions, wanted) : 0;
	if (!chosen)
		return report_unknown(&versions, text);
	if (chosen != wanted)
		report_nearest(&versions, wanted, chosen);
	name_write(chosen, version_out);
	return 0;
}
