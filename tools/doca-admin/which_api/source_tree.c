/* Reads source trees; see source_tree.h. */
#include "tools/doca-admin/which_api/source_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/doca-admin/commands/commands.h"
#include "util/fd.h"

/* Limit of a file's size; no source is longer. */
#define SOURCE_MAX ((size_t)64 << 20)

struct reader {
	source_tree_file *file;
	void *userdata;
	char *text; /* reused for each file */
	size_t size;
	struct source_tree_counts counts;
};

static bool is_source(const char *name)
{
	static const char *const ends[] = {"c",   "h",   "cc", "hh",  "cpp", "hpp", "cxx", "hxx",
					   "c++", "h++", "cu", "cuh", "inc", "inl", "ipp", "tpp",
					   "y",   "l",   "in", "rs",  "go",  "py"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_LEN(ends); i++)
		if (strcasecmp(dot + 1, ends[i]) == 0)
			return true;
	return false;
}

static void failed(struct reader *r, const char *path, const char *why)
{
	cmd_fail(0, "%s: %s", path, why);
	r->counts.n_failed++;
}

/*
 * Makes room for size plus one byte, which detects a growing file. Returns false if memory is
 * short.
 */
static bool room_make(struct reader *r, size_t size)
{
	char *text;

	if (size < r->size)
		return true;
	text = realloc(r->text, size + 1);
	if (!text)
		return false;
	r->text = text;
	r->size = size + 1;
	return true;
}

/* Returns the length or -errno. */
static ssize_t text_read(struct reader *r, int fd)
{
	struct stat st;
	size_t len = 0;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uintmax_t)st.st_size > SOURCE_MAX)
		return -EFBIG;
	/* The text gets a NUL although its length is known, because a name may be its last word. */
	if (!room_make(r, (size_t)st.st_size + 1))
		return -ENOMEM;
	while (len < r->size - 1 && (n = read(fd, r->text + len, r->size - 1 - len)) != 0) {
		if (n > 0)
			len += (size_t)n;
		else if (errno != EINTR)
			return -errno;
	}
	r->text[len] = '\0';
	return (ssize_t)len;
}

/* is_given: the user named the file and expects a result. */
static void file_read(struct reader *r, const char *path, bool is_given)
{
	/* A pipe or a device would block. */
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t len = fd < 0 ? -errno : text_read(r, fd);

	/* Ignores links to folders and broken links. */
	if (!is_given && (len == -EINVAL || len == -ENOENT || len == -ELOOP))
		return;
	if (len == -EINVAL)
		failed(r, path, "this is neither a file nor a folder");
	else if (len == -EFBIG)
		failed(r, path, "longer than 64 MiB, which no source is; skipped");
	else if (len < 0)
		failed(r, path, strerror((int)-len));
	else if (!memchr(r->text, '\0', (size_t)len)) {
		r->counts.n_read++;
		r->file(r->userdata, path, r->text, (size_t)len);
	} else if (is_given)
		failed(r, path, "this is no text");
}

static void entry_read(struct reader *r, FTS *fts, FTSENT *entry)
{
	bool is_given = entry->fts_level == FTS_ROOTLEVEL;

	switch (entry->fts_info) {
	case FTS_D:
		if (!is_given && entry->fts_name[0] == '.')
			fts_set(fts, entry, FTS_SKIP);
		break;
	case FTS_F:
	case FTS_SL:
	case FTS_DEFAULT:
		if (is_given || is_source(entry->fts_name))
			file_read(r, entry->fts_path, is_given);
		break;
	case FTS_SLNONE:
		if (is_given)
			failed(r, entry->fts_path, strerror(ENOENT));
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		failed(r, entry->fts_path, strerror(entry->fts_errno));
		break;
	default:
		break;
	}
}

static int entry_compare(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int source_tree_read(char *const *paths, source_tree_file *file, void *userdata,
		     struct source_tree_counts *counts_out)
{
	struct reader r = {.file = file, .userdata = userdata};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, entry_compare);
	FTSENT *entry;

	if (!fts)
		return -errno;
	while ((entry = fts_read(fts)))
		entry_read(&r, fts, entry);
	fts_close(fts);
	free(r.text);
	*counts_out = r.counts;
	return 0;
}
