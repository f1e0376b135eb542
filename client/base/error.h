/*
 * The library's error rule. Internal functions return int: 0 or a positive count on success,
 * negative errno for what the kernel or the peer did wrong. Public functions return doca_error_t.
 * Whoever first decides that a public call fails calls error_set once, with one sentence that names
 * the object, the rule that was broken and what to do; it is kept for the thread (dococ_last_error)
 * and goes to the SDK log. Not called on the data path except when an operation really fails.
 */
#ifndef CLIENT_BASE_ERROR_H
#define CLIENT_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

#include <doca_error.h>

#include "util/util.h"

#define ERROR_SAID_MAX 512

/*
 * Records the sentence, logs it at ERROR level to the SDK backends, returns code. Keeps errno. Of a
 * sentence that the thread repeats only some reach the log (client/base/repeats.h).
 */
doca_error_t error_set(doca_error_t code, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Of a thread of the library's own that tries again and again: only the sentence, no log. */
void error_mute(bool is_mute);
/*
 * For a call whose contract has other codes than what it is made of: until NULL is given, the log
 * of this thread names what code_of makes of a code. error_set returns its own.
 */
void error_show_as(doca_error_t (*code_of)(doca_error_t code));
/* The same without logging, for outcomes that are no fault: AGAIN, IN_PROGRESS, a full queue. */
doca_error_t error_note(doca_error_t code, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * As error_note, for outcomes that a busy program meets in a loop (a full queue, an empty pool):
 * nothing is formatted, the sentence is a literal.
 */
doca_error_t error_hint(doca_error_t code, const char *literal);
/*
 * The sentence that the thread has: kept before work that may find a failure of which the program
 * is told later, and put back after it. It would be taken for that of what the program does now.
 */
struct error_said {
	const char *hint;
	char text[ERROR_SAID_MAX];
};
void error_keep(struct error_said *said_out);
void error_put_back(const struct error_said *said);
/* The one place where an internal negative errno becomes a public code. */
doca_error_t error_from_errno(int negative_errno);

/* Name and description of a code; "unrecognized error code" for what is none. */
const char *error_name(doca_error_t error);
const char *error_descr(doca_error_t error);

/* SDK-side log of the library: same backends as doca_log's *_sdk ones. level: enum doca_log_level.
 */
void sdk_log(unsigned level, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same with an argument list, and in the words that it has. For error.c. */
void sdk_vlog(unsigned level, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
/* True if some SDK backend would show this level; guards costly arguments. */
int sdk_log_enabled(unsigned level);

#define sdk_error(...)   sdk_log(30, __VA_ARGS__)
#define sdk_warning(...) sdk_log(40, __VA_ARGS__)
#define sdk_info(...)    sdk_log(50, __VA_ARGS__)
#define sdk_debug(...)   sdk_log(60, __VA_ARGS__)

#endif
