/* INI reading on top of inih; see ini_file.h. */
#include "daemon/base/ini_file.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"

/* inih reads lines into a buffer of 200 bytes, of which "\r\n" and NUL take three. */
#define LINE_MAX_LEN 196

/* inih reports neither line numbers nor empty sections, so the reader that feeds it tracks both. */
struct ini_reading {
	const char *text; /* from memory */
	FILE *stream;     /* or from a file */
	struct ini_position at;
	ini_entry_fn fn;
	void *user;
	bool lost; /* the heading of this section was refused */
	char section[128];
};

static void ini_error_put(struct ini_error *error, const char *text)
{
	if (error->n++ == 0)
		str_copy(error->text, sizeof(error->text), text);
	if (error->report && error->n <= INI_MAX_REPORT)
		error->report(text);
	else if (error->report && error->n == INI_MAX_REPORT + 1)
		error->report("there are more mistakes than are listed here");
}

void ini_error_add(struct ini_error *error, const char *fmt, ...)
{
	char text[INI_ERROR_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ini_error_put(error, text);
}

static void ini_vformat(const struct ini_position *at, const char *key, const char *fmt, va_list ap)
{
	char text[INI_ERROR_LEN];
	int n = key ? snprintf(text, sizeof(text), "%s:%d: key '%s': ", at->file, at->line, key)
		    : snprintf(text, sizeof(text), "%s:%d: ", at->file, at->line);

	if (n > 0 && (size_t)n < sizeof(text))
		vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	ini_error_put(at->error, text);
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

static int ini_next_byte(struct ini_reading *in)
{
	if (in->stream)
		return getc(in->stream);
	return *in->text ? (unsigned char)*in->text++ : EOF;
}

enum ini_line { INI_LINE_END, INI_LINE_GOOD, INI_LINE_LONG, INI_LINE_NUL };

/* Reads the next line without its line end, truncated if it is too long. */
static enum ini_line ini_next_line(struct ini_reading *in, char line[LINE_MAX_LEN + 1])
{
	enum ini_line kind = INI_LINE_GOOD;
	size_t len = 0;
	int c = ini_next_byte(in);

	if (c == EOF)
		return INI_LINE_END;
	for (; c != EOF && c != '\n'; c = ini_next_byte(in)) {
		if (c == '\0')
			kind = INI_LINE_NUL;
		else if (len < LINE_MAX_LEN)
			line[len++] = (char)c;
		else if (c != '\r')
			kind = INI_LINE_LONG;
	}
	line[len] = '\0';
	line[strcspn(line, "\r")] = '\0';
	return kind;
}

static int ini_check_heading(struct ini_reading *in, const char *line)
{
	const char *end = strchr(line, ']');

	if (!end)
		return ini_refuse(&in->at, "the section's closing ']' is missing");
	if ((size_t)(end - line) > sizeof(in->section))
		return ini_refuse(&in->at, "the section's name is longer than %zu bytes",
				  sizeof(in->section) - 1);
	snprintf(in->section, sizeof(in->section), "%.*s", (int)(end - line - 1), line + 1);
	return in->fn(in->user, &in->at, in->section, NULL, NULL);
}

/* Checks the syntax of one line that is neither empty nor a comment. */
static int ini_check_line(struct ini_reading *in, const char *line)
{
	if (*line == '[') {
		int r = ini_check_heading(in, line);

		in->lost = r < 0;
		return r;
	}
	return strchr(line, '=') ? 0
				 : ini_refuse(&in->at,
					      "'%.60s': expected 'key = value', '[section]' "
					      "or a comment that begins with '#'",
					      line);
}

static char *ini_reader_line(char *str, int num, void *stream)
{
	struct ini_reading *in = stream;
	char line[LINE_MAX_LEN + 1];
	enum ini_line kind = ini_next_line(in, line);
	/*
	 * Leading blanks would make inih join the line with the previous one, so they are skipped.
	 */
	const char *start = line + strspn(line, " \t");

	if (kind == INI_LINE_END)
		return NULL;
	in->at.line++;
	if (kind == INI_LINE_LONG)
		ini_refuse(&in->at, "the line is longer than %d bytes", LINE_MAX_LEN);
	else if (kind == INI_LINE_NUL)
		ini_refuse(&in->at, "the line holds a NUL byte");
	if (kind != INI_LINE_GOOD ||
	    (*start != '\0' && *start != '#' && *start != ';' && ini_check_line(in, start) < 0))
		start = "";
	snprintf(str, (size_t)num, "%s\n", start);
	return str;
}

static int ini_entry(void *user, const char *section, const char *key, const char *value)
{
	struct ini_reading *in = user;

	(void)section;
	/* A refusal has been recorded; how inih reacts to it does not matter. */
	if (key && !in->lost)
		(void)in->fn(in->user, &in->at, in->section, key, value ? value : "");
	return 1;
}

static int ini_read(struct ini_reading *in)
{
	unsigned n_before = in->at.error->n;
	int r = ini_parse_stream(ini_reader_line, in, ini_entry, in);

	if (r != 0 && in->at.error->n == n_before) {
		in->at.line = r > 0 ? r : in->at.line;
		ini_refuse(&in->at, "expected 'key = value' or '[section]'");
	}
	return in->at.error->n == n_before ? 0 : -EINVAL;
}

int ini_file_read(const char *path, ini_entry_fn fn, void *user, struct ini_error *error)
{
	struct ini_reading in = {.at = {.file = path, .error = error}, .fn = fn, .user = user};
	int r;

	in.stream = fopen(path, "re");
	if (!in.stream) {
		r = -errno;
		ini_error_add(error, "%s: cannot be opened: %s", path, strerror(-r));
		return r;
	}
	r = ini_read(&in);
	if (ferror(in.stream)) {
		ini_error_add(error, "%s: cannot be read: %s", path, strerror(EIO));
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
