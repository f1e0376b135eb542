/*
 * Reads pkg-config modules as client/pkgconfig/modules.sh writes them: variables first, then
 * fields, one per line. No state.
 */
#include "tools/doca-admin/sdk/pc_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"
#include "util/util.h"

/* Returns the value of the variable at text, which is "{name}...", or NULL if it is unknown. */
static const char *variable_find(const struct pc_file *pc, const char *text, size_t *n_used_out)
{
	const struct {
		const char *name;
		const char *value;
	} variables[] = {
		{"{prefix}", pc->prefix},
		{"{libdir}", pc->libdir},
		{"{includedir}", pc->includedir},
	};

	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		*n_used_out = strlen(variables[i].name);
		if (strncmp(text, variables[i].name, *n_used_out) == 0)
			return variables[i].value;
	}
	return NULL;
}

/* Copies text and replaces variables. Returns 0 or -ENAMETOOLONG. */
static int value_copy(const struct pc_file *pc, const char *text, char *out, size_t len)
{
	size_t n = 0, n_used;

	while (*text) {
		const char *value = *text == '$' ? variable_find(pc, text + 1, &n_used) : NULL;
		size_t value_len = value ? strlen(value) : 1;

		if (n + value_len >= len)
			return -ENAMETOOLONG;
		memcpy(out + n, value ? value : text, value_len);
		n += value_len;
		text += value ? 1 + n_used : 1;
	}
	out[n] = '\0';
	return 0;
}

static int line_parse(struct pc_file *pc, const char *line)
{
	const struct {
		const char *key;
		char *out;
		size_t len;
	} fields[] = {
		{"prefix=", pc->prefix, sizeof(pc->prefix)},
		{"libdir=", pc->libdir, sizeof(pc->libdir)},
		{"includedir=", pc->includedir, sizeof(pc->includedir)},
		{"Description: ", pc->description, sizeof(pc->description)},
		{"Version: ", pc->version, sizeof(pc->version)},
		{"Cflags: ", pc->cflags, sizeof(pc->cflags)},
		{"Libs: ", pc->libs, sizeof(pc->libs)},
	};

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		size_t n = strlen(fields[i].key);

		if (strncmp(line, fields[i].key, n) == 0)
			return value_copy(pc, line + n, fields[i].out, fields[i].len);
	}
	return 0;
}

int pc_file_read(const char *dir, const char *name, struct pc_file *pc_out)
{
	struct pc_file pc = {.prefix = ""};
	char path[PATH_MAX];
	char *line = NULL;
	size_t room = 0;
	FILE *file;
	int r = 0;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (r == 0 && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		r = line_parse(&pc, line);
	}
	free(line);
	if (r == 0 && ferror(file))
		r = -EIO;
	fclose(file);
	if (r == 0)
		*pc_out = pc;
	return r;
}

bool pc_file_is_ours(const char *dir)
{
	static const char ours[] = "DOCA runtime: ";
	struct pc_file pc;

	return pc_file_read(dir, "doca-common.pc", &pc) == 0 &&
	       strncmp(pc.description, ours, sizeof(ours) - 1) == 0;
}

bool pc_file_next_flag(const char **flags, const char *prefix, char *word_out, size_t len)
{
	size_t n_prefix = strlen(prefix), n;

	for (const char *at = *flags; *at; at += n) {
		at += strspn(at, " ");
		n = strcspn(at, " ");
		if (strncmp(at, prefix, n_prefix) != 0)
			continue;
		*flags = at + n;
		if (n - n_prefix >= len)
			return false;
		memcpy(word_out, at + n_prefix, n - n_prefix);
		word_out[n - n_prefix] = '\0';
		return true;
	}
	return false;
}
