/* INI reading on top of inih; see ini_file.h. */
#include "daemon/ini_file.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"

/* inih reads lines into a buffer of 200 bytes; "\r\n" and NUL take three. */
#define LINE_MAX_LEN 197

/* inih tells neither lines nor empty sections, so the reader that feeds it watches both. */
struct ini_reading {
	const char *text; /* from memory */
	FILE *stream;     /* or from a file */
	struct ini_position at;
	ini_entry_fn fn;
	void *user;
	bool failed;
	char section[128];
};

static void ini_vformat(const struct ini_position *at, const char *key, const char *fmt, va_list ap)
{
	char *to = at->error->text;
	size_t len = sizeof(at->error->text);
	int n;

	n = key ? snprintf(to, len, "%s:%d: key '%s': ", at->file, at->line, key)
		: snprintf(to, len, "%s:%d: ", at->file, at->line);
	if (n > 0 && (size_t)n < len)
		vsnprintf(to + n, len - (size_t)n, fmt, ap);
}

int ini_refuse(const struct ini_position *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ini_vformat(at, NULL, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int ini_refuse_key(const struct ini_position *at, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ini_vformat(at, key, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static char *ini_next_line(struct ini_reading *in, char *buf, size_t len)
{
	if (in->stream)
		return fgets(buf, (int)len, in->stream);
	if (*in->text == '\0')
		return NULL;
	size_t n = strcspn(in->text, "\n");

	n += in->text[n] == '\n';
	if (n > len - 1)
		n = len - 1;
	memcpy(buf, in->text, n);
	buf[n] = '\0';
	in->text += n;
	return buf;
}

/* Checks the form of one line that is neither empty nor a comment. */
static int ini_check_line(struct ini_reading *in, char *line)
{
	char *end;

	if (*line != '[')
		return strchr(line, '=')
			       ? 0
			       : ini_refuse(&in->at,
					    "'%.60s': expected 'key = value', '[section]' "
					    "or a comment that begins with '#'",
					    line);
	end = strchr(line, ']');
	if (!end)
		return ini_refuse(&in->at, "the section's closing ']' is missing");
	*end = '\0';
	if (str_copy(in->section, sizeof(in->section), line + 1) < 0)
		return ini_refuse(&in->at, "the section's name is longer than %zu bytes",
				  sizeof(in->section) - 1);
	*end = ']';
	return in->fn(in->user, &in->at, in->section, NULL, NULL);
}

static char *ini_reader_line(char *str, int num, void *stream)
{
	struct ini_reading *in = stream;
	char line[256];
	char *start;

	if (in->failed || !ini_next_line(in, line, MIN((size_t)num, sizeof(line))))
		return NULL;
	in->at.line++;
	if (strlen(line) > LINE_MAX_LEN - 1 && !strchr(line, '\n')) {
		ini_refuse(&in->at, "the line is longer than %d bytes", LINE_MAX_LEN - 1);
		in->failed = true;
		return NULL;
	}
	line[strcspn(line, "\r\n")] = '\0';
	/* Leading blanks would make it a continuation of the line before, which no key wants. */
	start = line + strspn(line, " \t");
	if (*start != '\0' && *start != '#' && *start != ';' && ini_check_line(in, start) < 0) {
		in->failed = true;
		return NULL;
	}
	snprintf(str, (size_t)num, "%s\n", start);
	return str;
}

static int ini_entry(void *user, const char *section, const char *key, const char *value)
{
	struct ini_reading *in = user;

	(void)section;
	if (!key || in->failed)
		return 1;
	if (in->fn(in->user, &in->at, in->section, key, value ? value : "") < 0) {
		in->failed = true;
		return 0;
	}
	return 1;
}

static int ini_read(struct ini_reading *in)
{
	int r = ini_parse_stream(ini_reader_line, in, ini_entry, in);

	if (in->failed)
		return -EINVAL;
	if (r != 0) {
		in->at.line = r > 0 ? r : in->at.line;
		return ini_refuse(&in->at, "expected 'key = value' or '[section]'");
	}
	return 0;
}

int ini_file_read(const char *path, ini_entry_fn fn, void *user, struct ini_error *error)
{
	struct ini_reading in = {.at = {.file = path, .error = error}, .fn = fn, .user = user};
	int r;

	in.stream = fopen(path, "re");
	if (!in.stream) {
		r = -errno;
		snprintf(error->text, sizeof(error->text), "%s: cannot be opened: %s", path,
			 strerror(-r));
		return r;
	}
	r = ini_read(&in);
	if (r == 0 && ferror(in.stream)) {
		snprintf(error->text, sizeof(error->text), "%s: cannot be read: %s", path,
			 strerror(EIO));
		r = -EIO;
	}
	fclose(in.stream);
	return r;
}

int ini_text_read(const char *name, const char *text, ini_entry_fn fn, void *user,
		  struct ini_error *error)
{
	struct ini_reading in = {
		.text = text, .at = {.file = name, .error = error}, .fn = fn, .user = user};

	return ini_read(&in);
}
