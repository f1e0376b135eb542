/*
 * doca-admin explain: explains a result code in general and for a function, and shows where a
 * sentence comes from. Needs no daemon. explain.awk generates the tables from the public headers'
 * doc blocks and from the sources.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/explain/codes.h"
#include "tools/doca-admin/explain/data.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/terminal/field.h"
#include "tools/doca-admin/terminal/print.h"
#include "util/wording.h"

#define PREFIX "DOCA_ERROR_"
/* Limit of sentences shown for a text. */
#define MAX_SENTENCES 5
/* Maximum length of a text; no sentence is longer. */
#define MAX_TEXT 1024
/* Number of characters of a sentence's beginning that identify it. */
#define FEW_WORDS 24
/*
 * Quality of a match. A match of the whole sentence is best, and scores higher the longer the
 * sentence is; a match of its beginning is worse, and a match of a part is the worst.
 */
#define FIT_WHOLE     1000
#define FIT_BEGINNING 950
#define FIT_PART      900

static const char usage[] =
	"Usage: doca-admin explain CODE|NAME [FUNCTION] [OPTION...]\n"
	"       doca-admin explain FUNCTION [OPTION...]\n"
	"       doca-admin explain TEXT [OPTION...]\n"
	"\n"
	"What an error means and what usually causes it: by its number (5), its name\n"
	"(DOCA_ERROR_AGAIN or AGAIN), for one function (doca_mmap_start), or by a part of\n"
	"the sentence that a program logged.\n";

/* Returns the value of a code given as number or name, or -1. */
static int code_find(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end != text && !*end)
		return n >= 0 && (size_t)n < explain_n_codes ? (int)n : -1;
	for (size_t i = 0; i < explain_n_codes; i++) {
		const char *name = explain_codes[i].name;

		if (strcasecmp(name, text) == 0 || (strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
						    strcasecmp(name + strlen(PREFIX), text) == 0))
			return (int)i;
	}
	return strcasecmp(text, "SUCCESS") == 0 ? 0 : -1;
}

static bool function_is_known(const char *name)
{
	for (size_t i = 0; i < explain_n_functions; i++)
		if (strcmp(explain_functions[i].function, name) == 0)
			return true;
	return false;
}

/* --- misspelt names --- */

#define MAX_NAME 80

/* Edit distance: letters that differ, are missing, superfluous or transposed. Ignores case. */
static unsigned name_distance(const char *a, const char *b)
{
	unsigned rows[3][MAX_NAME + 1], *before = rows[0], *last = rows[1], *now = rows[2];
	size_t b_len = strlen(b);

	for (size_t j = 0; j <= b_len; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; a[i - 1]; i++) {
		unsigned *oldest = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);

			now[j] = MIN(MIN(last[j] + 1, now[j - 1] + 1), last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				now[j] = MIN(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[b_len];
}

static void name_compare(const char *text, const char *name, unsigned *best, const char **name_out,
			 const char *whole)
{
	unsigned distance;

	if (strlen(name) > MAX_NAME)
		return;
	distance = name_distance(text, name);
	if (distance >= *best)
		return;
	*best = distance;
	*name_out = whole;
}

/* Returns the code or function that is probably meant, or NULL if none is similar enough. */
static const char *name_nearest(const char *text, bool codes, bool functions)
{
	unsigned best = (unsigned)MIN(strlen(text) / 4 + 1, (size_t)4);
	const char *nearest = NULL;

	if (strlen(text) > MAX_NAME || strlen(text) < 3)
		return NULL;
	for (size_t i = 0; codes && i < explain_n_codes; i++) {
		const char *name = explain_codes[i].name;

		name_compare(text, name, &best, &nearest, name);
		if (strncmp(name, PREFIX, strlen(PREFIX)) == 0)
			name_compare(text, name + strlen(PREFIX), &best, &nearest, name);
	}
	for (size_t i = 0; functions && i < explain_n_functions; i++) {
		const char *name = explain_functions[i].function;

		name_compare(text, name, &best, &nearest, name);
	}
	return nearest;
}

/*
 * Sets the header as programs include it, and the first version that has this form of the function.
 */
static void header_set(json_object *record, const struct explain_function *row)
{
	field_set_text(record, "header", row->header);
	if (*row->since)
		field_set_text(record, "since", row->since);
}

/* Returns what the code (NULL: any) means for the function (NULL: any). */
static json_object *meanings(const char *code, const char *function)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < explain_n_functions; i++) {
		const struct explain_function *row = &explain_functions[i];
		json_object *one;

		if ((code && strcmp(row->code, code) != 0) ||
		    (function && strcmp(row->function, function) != 0))
			continue;
		one = json_object_new_object();
		field_set_text(one, "function", row->function);
		field_set_text(one, "code", row->code);
		header_set(one, row);
		field_set_text(one, "meaning", row->text);
		json_object_array_add(list, one);
	}
	return list;
}

static json_object *code_record(int code)
{
	json_object *record = json_object_new_object();

	json_object_object_add(record, "value", json_object_new_int(code));
	field_set_text(record, "name", explain_codes[code].name);
	field_set_text(record, "meaning", explain_codes[code].meaning);
	field_set_text(record, "cause", explain_codes[code].cause);
	return record;
}

/* Prints text in lines of at most width, each after the indent. */
static void wrap(const char *text, int indent, int width)
{
	int column = indent;

	printf("%*s", indent, "");
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column > indent && column + 1 + len > width) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static int text_width(void)
{
	int width = print_width(stdout);

	return width < 40 ? 80 : MIN(width, 100);
}

static void title_print(json_object *record)
{
	printf("%s (%d): %s\n", field_text(record, "name"), (int)field_number(record, "value"),
	       field_text(record, "meaning"));
}

static void code_print(json_object *record)
{
	title_print(record);
	wrap(field_text(record, "cause"), 2, text_width());
}

static void meanings_print(json_object *list, bool with_function)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *one = json_object_array_get_idx(list, i);
		const char *since = field_text(one, "since");

		printf("%s  (%s%s%s)\n", field_text(one, with_function ? "function" : "code"),
		       field_text(one, "header"), *since ? ", as it is since " : "", since);
		wrap(field_text(one, "meaning"), 4, text_width());
	}
}

static int explain_code(int code, const char *function, bool json)
{
	json_object *record = code_record(code),
		    *list = meanings(explain_codes[code].name, function);
	size_t n = json_object_array_length(list);
	int status = EXIT_SUCCESS;

	if (function && n == 0)
		status = cmd_fail(EXIT_OBJECT_MISSING, "%s is not documented to return %s",
				  function, explain_codes[code].name);
	json_object_object_add(record, "functions", list);
	if (json) {
		print_json(stdout, record);
	} else if (function && n > 0) {
		/* The general meaning may not apply to this function. */
		title_print(record);
		meanings_print(list, true);
	} else {
		code_print(record);
		if (n > 0)
			printf("\n%zu functions are documented to return it; 'doca-admin explain "
			       "%s "
			       "FUNCTION' tells what it\nmeans for one, --json for all.\n",
			       n, explain_codes[code].name);
	}
	json_object_put(record);
	return status;
}

static int explain_function(const char *function, bool json)
{
	json_object *list = meanings(NULL, function);

	if (json) {
		print_json(stdout, list);
	} else {
		printf("%s fails with\n\n", function);
		meanings_print(list, false);
	}
	json_object_put(list);
	return EXIT_SUCCESS;
}

/* --- sentences --- */

/* Converts a format to a lower-case pattern, with '*' for each conversion. */
static void pattern_of(const char *format, char *out, size_t out_len)
{
	size_t n = 0;

	for (const char *p = format; *p && n + 1 < out_len; p++) {
		if (*p == '%' && p[1] == '%') {
			out[n++] = '%';
			p++;
		} else if (*p == '%') {
			p += 1 + strspn(p + 1, "0123456789.*-+ #hlzjt");
			if (!n || out[n - 1] != '*')
				out[n++] = '*';
			if (!*p)
				break;
		} else {
			out[n++] = (char)tolower((unsigned char)*p);
		}
	}
	out[n] = '\0';
}

/* Returns the position in the pattern where the text ends, or NULL if the text does not match. */
static const char *glob_end(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return NULL;
		}
	}
	while (*pattern == '*')
		pattern++;
	return pattern;
}

static bool glob(const char *pattern, const char *text)
{
	const char *end = glob_end(pattern, text);

	return end && !*end;
}

/* True if the text matches more than the first few words of the pattern. */
static bool glob_begins(const char *pattern, const char *text)
{
	const char *end = glob_end(pattern, text);

	return end && end - pattern >= FEW_WORDS;
}

/* Percentage of the text's words that occur in the pattern. A word consists of letters only. */
static unsigned words_in_common(const char *text, const char *pattern)
{
	unsigned n = 0, n_common = 0;
	char word[40];

	while (*text) {
		size_t len = 0;

		while (isalpha((unsigned char)text[len]) && len + 1 < sizeof(word)) {
			word[len] = text[len];
			len++;
		}
		word[len] = '\0';
		if (len > 2) {
			n++;
			n_common += strstr(pattern, word) != NULL;
		}
		text += MAX(len, (size_t)1);
	}
	return n >= 2 ? n_common * 100 / n : 0;
}

/*
 * Returns how well the text matches the format: 0 not at all; below FIT_PART, the percentage of
 * common words.
 */
static unsigned format_fit(const char *text, const char *format)
{
	char pattern[MAX_TEXT], around[MAX_TEXT + 2];
	unsigned common;

	pattern_of(format, pattern, sizeof(pattern));
	/* A log line contains more than the sentence. */
	snprintf(around, sizeof(around), "*%s*", pattern);
	if (glob(around, text))
		return FIT_WHOLE + (unsigned)strlen(pattern);
	if (glob_begins(pattern, text))
		return FIT_BEGINNING;
	if (strlen(text) > 5 && strstr(pattern, text))
		return FIT_PART;
	common = words_in_common(text, pattern);
	return common >= 75 ? common : 0;
}

/* Returns the best match among the wordings of all versions. */
static unsigned sentence_fit(const char *text, const char *format)
{
	static const struct wording variants[] = {
		{206, WORDING_CC},           {206, WORDING_COMM_CHANNEL},
		{202, WORDING_COMM_CHANNEL}, {105, WORDING_COMM_CHANNEL},
		{103, WORDING_COMM_CHANNEL},
	};
	unsigned best = format_fit(text, format);
	char words[MAX_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(variants) && best < FIT_WHOLE; i++) {
		wording_apply(&variants[i], format, words, sizeof(words));
		if (strcmp(words, format) != 0)
			best = MAX(best, format_fit(text, words));
	}
	return best;
}

struct match {
	unsigned fit;
	const struct explain_sentence *sentence;
};

static int match_compare(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return x->fit != y->fit ? (x->fit < y->fit) - (x->fit > y->fit)
				: (x->sentence > y->sentence) - (x->sentence < y->sentence);
}

/*
 * Copies a text in lower case, without the code at the end of a log line. Returns that code, or -1
 * if there is none.
 */
static int text_read(const char *text, char lower_out[MAX_TEXT])
{
	char name[MAX_NAME] = "";
	const char *found = strstr(text, "(" PREFIX);
	size_t len = found ? strspn(found + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") : 0, n = 0;

	if (found && len < sizeof(name) && found[1 + len] == ')')
		memcpy(name, found + 1, len);
	else
		found = NULL;
	for (const char *p = text; *p && n + 1 < MAX_TEXT; p++) {
		if (p == found)
			p += len + 2;
		if (!*p)
			break;
		lower_out[n++] = (char)tolower((unsigned char)*p);
	}
	while (n > 0 && found && lower_out[n - 1] == ' ')
		n--;
	lower_out[n] = '\0';
	return *name ? code_find(name) : -1;
}

/* Returns the sentence, with the code from the log line or else the row's. */
static json_object *sentence_record(const struct explain_sentence *sentence, int code)
{
	json_object *one;

	if (code < 0 && *sentence->code)
		code = code_find(sentence->code);
	one = code >= 0 ? code_record(code) : json_object_new_object();
	field_set_text(one, "sentence", sentence->text);
	return one;
}

/*
 * Returns how many of the best matches to show. A match of a whole sentence or its beginning leaves
 * only the choice between the codes that the sentence can have.
 */
static size_t matches_choose(const struct match *matches, size_t n, bool has_code)
{
	size_t n_same = 1;

	if (n == 0 || matches[0].fit < FIT_BEGINNING)
		return MIN(n, (size_t)MAX_SENTENCES);
	while (!has_code && n_same < n && matches[n_same].fit == matches[0].fit &&
	       strcmp(matches[n_same].sentence->text, matches[0].sentence->text) == 0)
		n_same++;
	return n_same;
}

/* Returns the matching sentences, best first. */
static json_object *sentences_find(const char *text)
{
	struct match *matches = calloc(explain_n_sentences, sizeof(*matches));
	json_object *list = json_object_new_array();
	char lower[MAX_TEXT];
	int code = text_read(text, lower);
	size_t n = 0, i;

	for (i = 0; matches && i < explain_n_sentences; i++) {
		unsigned fit = sentence_fit(lower, explain_sentences[i].text);

		if (fit)
			matches[n++] = (struct match){fit, &explain_sentences[i]};
	}
	if (matches)
		qsort(matches, n, sizeof(*matches), match_compare);
	n = matches_choose(matches, n, code >= 0);
	for (i = 0; i < n; i++)
		json_object_array_add(list, sentence_record(matches[i].sentence, code));
	free(matches);
	return list;
}

/* Reports an unknown name of a function or, if codes is true, of a code. */
static int explain_unknown(const char *name, bool codes)
{
	const char *nearest = name_nearest(name, codes, true);

	if (nearest)
		return cmd_fail(EXIT_OBJECT_MISSING, "there is no %s '%s': did you mean '%s'?",
				codes ? "error or function" : "function", name, nearest);
	return cmd_fail(EXIT_OBJECT_MISSING,
			"no %s is known by '%s': give a code, a name, a function, or some words of "
			"the sentence",
			codes ? "error" : "function", name);
}

static void sentence_print(json_object *record)
{
	if (*field_text(record, "name"))
		code_print(record);
	else
		wrap("Its code depends on the reason. The program got it from the call, and with "
		     "DOCOCORED_LOG=error the line on standard error ends with it: give the whole "
		     "line.",
		     2, text_width());
}

static int explain_text(const char *text, bool json)
{
	json_object *list = sentences_find(text);
	int status = EXIT_SUCCESS;

	if (json) {
		print_json(stdout, list);
	} else {
		for (size_t i = 0; i < json_object_array_length(list); i++) {
			json_object *one = json_object_array_get_idx(list, i);

			printf("%s\"%s\"\n", i ? "\n" : "", field_text(one, "sentence"));
			sentence_print(one);
		}
	}
	if (json_object_array_length(list) == 0)
		status = explain_unknown(text, true);
	json_object_put(list);
	return status;
}

/* Joins the words of the command line to one text. */
static char *arguments_joined(int n, char **words)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? " " : "", words[i]);
	fclose(f);
	return text;
}

int cmd_explain(int argc, char **argv)
{
	struct admin_options o = {0};
	int n, code, status;
	char *text;

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
	n = argc - optind;
	argv += optind;
	if (n < 1)
		return cmd_fail(EXIT_USAGE,
				"'explain' takes a code, a name, a function, or some words of a "
				"sentence; see 'doca-admin explain --help'");
	code = code_find(argv[0]);
	if (code >= 0 && n == 1)
		return explain_code(code, NULL, o.json);
	if (code >= 0 && n == 2 && function_is_known(argv[1]))
		return explain_code(code, argv[1], o.json);
	if (n == 1 && function_is_known(argv[0]))
		return explain_function(argv[0], o.json);
	if (code >= 0 && n == 2 && strncmp(argv[1], "doca_", 5) == 0)
		return explain_unknown(argv[1], false);
	/* A misspelt name is not searched for as a sentence. */
	if (n == 1 && strchr(argv[0], '_') && !strchr(argv[0], ' ') &&
	    name_nearest(argv[0], true, true))
		return explain_unknown(argv[0], true);
	text = arguments_joined(n, argv);
	status = text ? explain_text(text, o.json) : cmd_fail(EXIT_FAILURE, "no memory");
	free(text);
	return status;
}
