/*
 * The library's error rule. Internal functions return an int: 0 or a positive count on success, or
 * a negative errno for a failure of the kernel or a peer. Public functions return a doca_error_t.
 * The function that first detects that a public call fails calls error_set() once, with one
 * sentence that names the object, the rule that was broken and the remedy. The sentence is stored
 * for the thread (dococ_last_error) and written to the SDK log. The data path calls it only when an
 * operation fails.
 */
#ifndef CLIENT_BASE_ERROR_H
#define CLIENT_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

#include <doca_error.h>

#include "util/util.h"

#define ERROR_SENTENCE_MAX 512

/*
 * Records the sentence, logs it at ERROR level to the SDK backends and returns `code`. Preserves
 * errno. If a thread repeats a sentence, only some of the repetitions are logged
 * (client/base/repeats.h).
 */
doca_error_t error_set(doca_error_t code, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Disables logging for a library thread that retries; sentences are still recorded. */
void error_mute(bool is_mute);
/* For a call whose contract has other codes than the functions it uses: this thread's log shows the
 * code that code_of returns. NULL ends it. error_set() still returns its argument. */
void error_show_as(doca_error_t (*code_of)(doca_error_t code));
/* Like error_set() without logging, for results that are no failure: AGAIN, IN_PROGRESS, a full
 * queue. */
doca_error_t error_note(doca_error_t code, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Like error_note(), for results that a busy program meets in a loop (a full queue, an empty pool):
 * the sentence is a literal, and nothing is formatted. */
doca_error_t error_hint(doca_error_t code, const char *literal);
/*
 * A saved error sentence. It is saved before work whose failures are reported to the program later,
 * and restored afterwards; otherwise the program would take such a failure for one of its current
 * call.
 */
struct saved_error {
	const char *hint;
	char text[ERROR_SENTENCE_MAX];
};
void error_save(struct saved_error *saved_out);
void error_restore(const struct saved_error *saved);
/* Converts an internal negative errno to a public code. The only such function. */
doca_error_t error_from_errno(int negative_errno);

/* Return the name and description of a code, or "unrecognized error code" for an invalid one. */
const char *error_name(doca_error_t error);
const char *error_descr(doca_error_t error);

/* Writes to the SDK log, with the backends of doca_log's *_sdk functions. level: a value of enum
 * doca_log_level. */
void sdk_log(unsigned level, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Like sdk_log() with an argument list, and without a change of wording. For error.c only. */
void sdk_vlog(unsigned level, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
/* Returns whether some SDK backend shows this level; guards arguments that are expensive to
 * compute. */
int sdk_log_enabled(unsigned level);

#define sdk_error(...)   sdk_log(30, __VA_ARGS__)
#define sdk_warning(...) sdk_log(40, __VA_ARGS__)
#define sdk_info(...)    sdk_log(50, __VA_ARGS__)
#define sdk_debug(...)   sdk_log(60, __VA_ARGS__)

#endif
