/* Finds names in sources; see source_scan.h. */
#include "tools/doca-admin/which_api/source_scan.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "util/util.h"

/* Deeper levels of #if are treated like the last stored level. */
#define LEVELS_MAX 64
/* Maximum number of bytes of a list of arguments that is counted. */
#define ARGUMENTS_MAX 4096
/*
 * Maximum length of a character constant, '\u{10FFFF}' with its quotes. A longer one is a lifetime
 * of Rust.
 */
#define CHARACTER_MAX 12

/* The meaning of the condition of an #if ... #endif level for the lines in it. */
enum level {
	LEVEL_PLAIN,
	LEVEL_OPTIONAL,
	LEVEL_DEAD, /* #if 0, and #else of #if 1 */
	LEVEL_ONE,  /* #if 1 */
};

struct scan {
	const char *p, *end;
	unsigned line;
	bool is_line_start; /* only white space on this line so far */
	bool is_member;     /* the last token was "." or "->" */
	enum level levels[LEVELS_MAX];
	unsigned n_levels;
	source_found *found;
	void *userdata;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* True if the text at p begins with this text. */
static bool begins(const char *p, const char *end, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(end - p) >= len && memcmp(p, text, len) == 0;
}

static const char *word_end(const char *p, const char *end)
{
	while (p < end && is_word(*p))
		p++;
	return p;
}

static const char *blanks_end(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* --- comments and constants: each function returns the end --- */

/* Returns the end of the line; a backslash continues the line. */
static const char *line_end(const char *p, const char *end)
{
	while (p < end && *p != '\n') {
		if (*p == '\\' && p + 1 < end)
			p += begins(p + 1, end, "\r\n") ? 2 : 1;
		p++;
	}
	return MIN(p, end);
}

static const char *comment_end(const char *p, const char *end)
{
	const char *close;

	if (p[1] == '/')
		return line_end(p, end);
	close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
	return close ? close + 2 : end;
}

static bool is_comment(const char *p, const char *end)
{
	return begins(p, end, "//") || begins(p, end, "/*");
}

/* Returns the end of a string. An unclosed string ends with its line. */
static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"' && *p != '\n'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end && *p == '"' ? p + 1 : p;
}

/* Returns the end of R"delimiter(...)delimiter", from the quote on. */
static const char *raw_string_end(const char *p, const char *end)
{
	const char *open = memchr(p, '(', (size_t)MIN(end - p, 18)), *close;
	char mark[20] = ")";
	size_t len;

	if (!open)
		return string_end(p, end);
	len = (size_t)(open - p - 1);
	memcpy(mark + 1, p + 1, len);
	mark[len + 1] = '"';
	close = memmem(open, (size_t)(end - open), mark, len + 2);
	return close ? close + len + 2 : end;
}

/* Returns the end of a character constant. Any other apostrophe is skipped alone. */
static const char *character_end(const char *p, const char *end)
{
	const char *limit = MIN(p + CHARACTER_MAX, end);

	for (const char *q = p + 1; q < limit && *q != '\n'; q++) {
		if (*q == '\'')
			return q + 1;
		if (*q == '\\')
			q++;
	}
	return p + 1;
}

/* Returns the end of a number with its letters, points and C++ apostrophes. */
static const char *number_end(const char *p, const char *end)
{
	while (p < end &&
	       (is_word(*p) || *p == '.' || (*p == '\'' && p + 1 < end && is_word(p[1]))))
		p++;
	return p;
}

/* Moves on to p and counts the lines. */
static void skip_to(struct scan *s, const char *p)
{
	while (s->p < p && (s->p = memchr(s->p, '\n', (size_t)(p - s->p)))) {
		s->line++;
		s->p++;
	}
	s->p = p;
}

/* --- preprocessor --- */

static bool is_optional(const struct scan *s)
{
	for (unsigned i = 0; i < MIN(s->n_levels, (unsigned)LEVELS_MAX); i++)
		if (s->levels[i] == LEVEL_OPTIONAL)
			return true;
	return false;
}

static bool is_dead(const struct scan *s)
{
	for (unsigned i = 0; i < MIN(s->n_levels, (unsigned)LEVELS_MAX); i++)
		if (s->levels[i] == LEVEL_DEAD)
			return true;
	return false;
}

/* True for an include guard such as DOCA_COPY_H_. */
static bool is_guard(const char *word, size_t len)
{
	static const char *const ends[] = {"_H", "_HH", "_HPP", "_HXX", "_CUH", "_INCLUDED"};

	while (len && word[len - 1] == '_')
		len--;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t n = strlen(ends[i]);

		if (len > n && strncasecmp(word + len - n, ends[i], n) == 0)
			return true;
	}
	return false;
}

/*
 * True for a word that indicates a condition about the version: all names of DOCA except side
 * macros and guards.
 */
static bool is_condition_word(const char *word, size_t len)
{
	static const char *const others[] = {"DOCA_ARCH_", "DOCA_ALLOW_"};
	const char *end = word + len;

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (begins(word, end, others[i]))
			return false;
	if (is_guard(word, len))
		return false;
	for (; word + 4 <= end; word++)
		if (strncasecmp(word, "doca", 4) == 0)
			return true;
	return false;
}

static enum level condition_read(const char *p, const char *end)
{
	const char *first = p;

	if (end - p == 1 && (*p == '0' || *p == '1'))
		return *p == '0' ? LEVEL_DEAD : LEVEL_ONE;
	while (p < end) {
		const char *word = p;

		p = word_end(p, end);
		/* "doca_pe.h" in __has_include is such a word, not a guard. */
		if (p > word && (is_condition_word(word, (size_t)(p - word)) ||
				 (begins(first, end, "__has_include") && begins(word, p, "doca_"))))
			return LEVEL_OPTIONAL;
		p += p == word;
	}
	return LEVEL_PLAIN;
}

/* Handles #else and #elif. */
static enum level level_inverted(enum level level)
{
	switch (level) {
	case LEVEL_DEAD:
		return LEVEL_PLAIN;
	case LEVEL_ONE:
		return LEVEL_DEAD;
	default:
		return level;
	}
}

static void level_push(struct scan *s, enum level level)
{
	if (s->n_levels < LEVELS_MAX)
		s->levels[s->n_levels] = level;
	s->n_levels++;
}

static void level_invert(struct scan *s)
{
	if (s->n_levels > 0 && s->n_levels <= LEVELS_MAX)
		s->levels[s->n_levels - 1] = level_inverted(s->levels[s->n_levels - 1]);
}

static void report(struct scan *s, const char *name, const char *end)
{
	struct source_name found = {
		.name = name,
		.len = (size_t)(end - name),
		.line = s->line,
		.is_optional = is_optional(s),
		.behind = end,
		.end = s->end,
	};

	s->found(s->userdata, &found);
}

/* Reports the last part of the path, if it is a header of DOCA. */
static void include_read(struct scan *s, const char *p, const char *end)
{
	const char *close, *name;

	p = blanks_end(p, end);
	if (p == end || (*p != '<' && *p != '"'))
		return;
	close = memchr(p + 1, *p == '<' ? '>' : '"', (size_t)(end - p - 1));
	if (!close)
		return;
	for (name = close; name > p + 1 && name[-1] != '/';)
		name--;
	if ((begins(name, close, "doca_") || begins(name, close, "dococ.h")) && close - name > 2 &&
	    memcmp(close - 2, ".h", 2) == 0)
		report(s, name, close);
}

/* Handles a line that begins with '#'. The replacement text of a macro is left to the caller. */
static void directive(struct scan *s)
{
	const char *word = blanks_end(s->p + 1, s->end), *p = word_end(word, s->end);
	const char *end = line_end(p, s->end), *rest = blanks_end(p, end), *last = end;
	size_t len = (size_t)(p - word);

	for (const char *q = rest; q < last; q++)
		if (is_comment(q, last))
			last = q;
	while (last > rest && is_blank(last[-1]))
		last--;
	if (begins(word, p, "if"))
		level_push(s, condition_read(rest, last));
	else if (begins(word, p, "el"))
		level_invert(s);
	else if (begins(word, p, "endif"))
		s->n_levels -= s->n_levels > 0;
	else if (begins(word, p, "include") && !is_dead(s))
		include_read(s, p, end);
	else if (len == 6 && begins(word, p, "define"))
		end = word_end(rest, end);
	else if (!len || (!begins(word, p, "undef") && !begins(word, p, "pragma") &&
			  !begins(word, p, "error") && !begins(word, p, "warning") &&
			  !begins(word, p, "line")))
		end = p; /* an attribute of Rust, or another line that is no directive */
	skip_to(s, end);
	s->is_line_start = false;
}

/* --- the text --- */

/*
 * A member is no name of DOCA, unless it is called: bindings call functions as members of a
 * library, C.doca_dev_open(...) in Go or lib.doca_dev_open(...) in Python.
 */
static bool is_name(const struct scan *s, const char *name, const char *end)
{
	const char *behind = blanks_end(end, s->end);

	if (!begins(name, end, "doca_") && !begins(name, end, "DOCA_"))
		return false;
	return !s->is_member || (behind < s->end && *behind == '(');
}

static void word_read(struct scan *s)
{
	const char *name = s->p, *end = word_end(name, s->end);

	if (end < s->end && *end == '"' && end[-1] == 'R' && end - name <= 3)
		end = raw_string_end(end, s->end);
	else if (is_name(s, name, end))
		report(s, name, end);
	skip_to(s, end);
}

static bool is_member_access(const struct scan *s)
{
	return (*s->p == '.' && !begins(s->p, s->end, "..")) || begins(s->p, s->end, "->");
}

/* Reads one token, or white space. */
static void token_read(struct scan *s)
{
	const char *p = s->p;
	bool was_line_start = s->is_line_start;

	if (*p == '\n') {
		s->is_line_start = true;
		skip_to(s, p + 1);
		return;
	}
	if (is_blank(*p) || *p == '\\') {
		skip_to(s, MIN(p + 1, s->end));
		return;
	}
	if (is_comment(p, s->end)) {
		skip_to(s, comment_end(p, s->end));
		return;
	}
	s->is_line_start = false;
	if (*p == '#' && was_line_start)
		directive(s);
	else if (*p == '"')
		skip_to(s, string_end(p, s->end));
	else if (*p == '\'')
		skip_to(s, character_end(p, s->end));
	else if (isdigit((unsigned char)*p))
		skip_to(s, number_end(p, s->end));
	else if (is_word(*p))
		word_read(s);
	else if (is_member_access(s)) {
		s->is_member = true;
		skip_to(s, p + (*p == '.' ? 1 : 2));
		return;
	} else
		skip_to(s, p + 1);
	s->is_member = false;
}

/* Reads one line that is not compiled: only a directive matters. */
static void dead_line_read(struct scan *s)
{
	const char *p = blanks_end(s->p, s->end);

	if (p < s->end && *p == '#') {
		s->p = p;
		directive(s);
	}
	skip_to(s, line_end(s->p, s->end));
	if (s->p < s->end)
		skip_to(s, s->p + 1);
	s->is_line_start = true;
}

void source_scan(const char *text, size_t len, source_found *found, void *userdata)
{
	struct scan s = {
		.p = text,
		.end = text + len,
		.line = 1,
		.is_line_start = true,
		.found = found,
		.userdata = userdata,
	};

	while (s.p < s.end) {
		if (s.is_line_start && is_dead(&s))
			dead_line_read(&s);
		else
			token_read(&s);
	}
}

/* Returns the end of white space and comments. */
static const char *space_end(const char *p, const char *end)
{
	while (p < end) {
		if (is_comment(p, end))
			p = comment_end(p, end);
		else if (is_blank(*p) || *p == '\n' || *p == '\\')
			p++;
		else
			break;
	}
	return p;
}

int source_count_arguments(const struct source_name *found)
{
	const char *end = MIN(found->behind + ARGUMENTS_MAX, found->end);
	const char *p = space_end(found->behind, end);
	int depth = 0, n = 0;
	bool is_empty = true;

	while (p < end) {
		if (depth > 0)
			p = space_end(p, end);
		if (p == end)
			break;
		if (depth == 0 && *p != '(')
			return -1;
		if (*p == '"' || *p == '\'') {
			p = *p == '"' ? string_end(p, end) : character_end(p, end);
			is_empty = false;
			continue;
		}
		if (begins(p, end, "->")) {
			p += 2;
			continue;
		}
		switch (*p++) {
		case '(':
		case '[':
		case '{':
			is_empty = depth == 0;
			depth++;
			break;
		case ')':
		case ']':
		case '}':
			if (--depth == 0)
				return is_empty ? 0 : n + 1;
			break;
		case ',':
			n += depth == 1;
			break;
		case '<': /* the arguments of a template may contain commas, too */
		case '>':
		case '#':
			return -1;
		default:
			is_empty = false;
			break;
		}
	}
	return -1;
}
