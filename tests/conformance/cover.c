/* The record of calls and codes, see tests/conformance/cover.h. */
#include "tests/conformance/cover.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RECORDS_MAX 8192
#define NAME_MAX_   96

struct record {
	char function[NAME_MAX_];
	doca_error_t code;
};

static struct {
	atomic_uint n;
	struct record records[RECORDS_MAX];
} * cover;

void cover_init(void)
{
	cover = mmap(NULL, sizeof(*cover), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (cover == MAP_FAILED) {
		perror("mmap");
		exit(99);
	}
}

static bool was_seen(const char *function, size_t len, doca_error_t code, bool any)
{
	unsigned n = atomic_load(&cover->n);

	for (unsigned i = 0; i < n && i < RECORDS_MAX; i++) {
		const struct record *r = &cover->records[i];

		if (strncmp(r->function, function, len) == 0 && r->function[len] == '\0' &&
		    (any || r->code == code))
			return true;
	}
	return false;
}

static void cover_record(const char *call, doca_error_t code)
{
	size_t len = strcspn(call, "(");
	unsigned i;

	if (len >= NAME_MAX_ || was_seen(call, len, code, false))
		return;
	i = atomic_fetch_add(&cover->n, 1);
	if (i >= RECORDS_MAX)
		return;
	cover->records[i].code = code;
	memcpy(cover->records[i].function, call, len);
}

void cover_call(const char *call)
{
	cover_record(call, DOCA_SUCCESS);
}

void cover_expect(doca_error_t code, doca_error_t got, const char *call, const char *file, int line)
{
	use_expect(code, got, call, file, line);
	/* Every failure must set an error sentence. */
	if (got != DOCA_SUCCESS && dococ_last_error()[0] == '\0')
		_ck_assert_failed(file, line, "no sentence", "%s: no sentence behind %s", call,
				  doca_error_get_name(got));
	cover_record(call, got);
}

void cover_no_memory(doca_error_t got, const char *call, const char *file, int line)
{
	/* Check itself needs memory to report. */
	allocount_fail_never();
	cover_expect(DOCA_ERROR_NO_MEMORY, got, call, file, line);
}

static const char *excused[32];
static size_t n_excused;

void cover_excuse(const char *function)
{
	if (n_excused < ARRAY_LEN(excused))
		excused[n_excused++] = function;
}

static bool is_excused(const char *function)
{
	for (size_t i = 0; i < n_excused; i++) {
		if (strcmp(excused[i], function) == 0)
			return true;
	}
	return false;
}

static doca_error_t code_of(const char *name, size_t len)
{
	for (doca_error_t code = DOCA_SUCCESS; code <= DOCA_ERROR_DEVICE_FATAL_ERROR; code++) {
		const char *known = doca_error_get_name(code) + strlen("DOCA_ERROR_");

		if (code != DOCA_SUCCESS && strlen(known) == len && strncmp(known, name, len) == 0)
			return code;
	}
	printf("'%.*s' is no result code\n", (int)len, name);
	exit(99);
}

/*
 * Returns the reason why a code is unreachable, or NULL. An entry for every function ("*") does not
 * claim that the code was tried with each one.
 */
static const char *unreachable_reason(const struct unreachable *list, const char *function,
				      const char *code, size_t len, bool *exact_out)
{
	*exact_out = false;
#ifdef DOCO_SANITIZED
	if (strncmp(code, "NO_MEMORY", len) == 0)
		return "allocations do not fail under a sanitizer";
#endif
	for (; list != NULL && list->function != NULL; list++) {
		if ((strcmp(list->function, "*") == 0 || strcmp(list->function, function) == 0) &&
		    strlen(list->code) == len && strncmp(list->code, code, len) == 0) {
			*exact_out = list->function[0] != '*';
			return list->reason;
		}
	}
	return NULL;
}

struct tally {
	unsigned n_codes, n_provoked, n_unreachable;
	bool ok;
};

static void check_code(const struct documented *doc, const char *code, size_t len,
		       const struct unreachable *unreachable, struct tally *tally)
{
	bool seen = was_seen(doc->function, strlen(doc->function), code_of(code, len), false);
	bool exact;
	const char *reason = unreachable_reason(unreachable, doc->function, code, len, &exact);

	tally->n_codes++;
	tally->n_provoked += seen;
	if (!seen && reason == NULL) {
		printf("not ok %s: %.*s was not provoked\n", doc->function, (int)len, code);
		tally->ok = false;
	}
	if (seen && reason != NULL && exact) {
		printf("not ok %s: %.*s is named as out of reach and was provoked\n", doc->function,
		       (int)len, code);
		tally->ok = false;
	}
	tally->n_unreachable += !seen && reason != NULL;
}

static void print_unreachable(const struct unreachable *unreachable)
{
	bool first = true;

	for (; unreachable != NULL && unreachable->function != NULL; unreachable++) {
		printf("%s%s%s%s (%s)", first ? "" : ", ",
		       unreachable->function[0] == '*' ? "" : unreachable->function,
		       unreachable->function[0] == '*' ? "" : " ", unreachable->code,
		       unreachable->reason);
		first = false;
	}
	printf("%s\n", first ? "none" : "");
}

bool cover_report(const char *header, const struct documented *documented,
		  const struct unreachable *unreachable)
{
	struct tally tally = {.ok = true};
	unsigned n_functions = 0, n_covered = 0;

	for (const struct documented *doc = documented; doc->function != NULL; doc++) {
		bool called = was_seen(doc->function, strlen(doc->function), 0, true);

		n_functions++;
		n_covered += called;
		if (!called && is_excused(doc->function)) {
			printf("%s has nothing to be called with\n", doc->function);
		} else if (!called) {
			printf("not ok %s was never called\n", doc->function);
			tally.ok = false;
		}
		for (const char *code = doc->codes; *code != '\0';) {
			size_t len = strcspn(code, " ");

			check_code(doc, code, len, unreachable, &tally);
			code += len + (code[len] == ' ');
		}
	}
	printf("conformance %s.h: %u functions covered of %u, %u codes provoked of %u, not "
	       "reachable: %u: ",
	       header, n_covered, n_functions, tally.n_provoked, tally.n_codes,
	       tally.n_unreachable);
	print_unreachable(unreachable);
	return tally.ok;
}
