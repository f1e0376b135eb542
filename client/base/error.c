/*
 * Result codes: their names and descriptions, the errno table, and the error sentence of a thread's
 * last failure.
 *
 * The sentence is in thread-local storage of fixed size. Recording one never allocates, so it works
 * when there is no memory left, and a pointer from dococ_last_error() is valid until the thread
 * ends. The text changes with the thread's next failure; a success does not clear it.
 *
 * Threads: any thread may call every function; nothing here is shared between threads.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <dococ.h>
#include <doca_log.h>
#include <doca_version.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/base/repeats.h"

/* The longest log line after translation to the wording of an earlier version; longer ones are
 * truncated. */
#define SDK_LINE_MAX 1024

static _Thread_local char last_error[ERROR_SENTENCE_MAX];
/* error_hint() sets this instead of the buffer. */
static _Thread_local const char *last_hint;
static _Thread_local bool is_muted;
static _Thread_local doca_error_t (*shown_code)(doca_error_t code);

static const struct {
	const char *name;
	const char *descr;
} error_texts[] = {
	[DOCA_SUCCESS] = {"DOCA_SUCCESS", "success"},
	[DOCA_ERROR_UNKNOWN] = {"DOCA_ERROR_UNKNOWN", "unknown error"},
	[DOCA_ERROR_NOT_PERMITTED] = {"DOCA_ERROR_NOT_PERMITTED", "operation not permitted"},
	[DOCA_ERROR_IN_USE] = {"DOCA_ERROR_IN_USE", "still in use"},
	[DOCA_ERROR_NOT_SUPPORTED] = {"DOCA_ERROR_NOT_SUPPORTED", "not supported"},
	[DOCA_ERROR_AGAIN] = {"DOCA_ERROR_AGAIN", "no room at the moment, try again"},
	[DOCA_ERROR_INVALID_VALUE] = {"DOCA_ERROR_INVALID_VALUE", "invalid value"},
	[DOCA_ERROR_NO_MEMORY] = {"DOCA_ERROR_NO_MEMORY", "not enough memory"},
	[DOCA_ERROR_INITIALIZATION] = {"DOCA_ERROR_INITIALIZATION", "initialization failed"},
	[DOCA_ERROR_TIME_OUT] = {"DOCA_ERROR_TIME_OUT", "timed out"},
	[DOCA_ERROR_SHUTDOWN] = {"DOCA_ERROR_SHUTDOWN", "shut down"},
	[DOCA_ERROR_CONNECTION_RESET] = {"DOCA_ERROR_CONNECTION_RESET", "connection reset by peer"},
	[DOCA_ERROR_CONNECTION_ABORTED] = {"DOCA_ERROR_CONNECTION_ABORTED", "connection aborted"},
	[DOCA_ERROR_CONNECTION_INPROGRESS] = {"DOCA_ERROR_CONNECTION_INPROGRESS",
					      "connection is being established"},
	[DOCA_ERROR_NOT_CONNECTED] = {"DOCA_ERROR_NOT_CONNECTED", "not connected"},
	[DOCA_ERROR_NO_LOCK] = {"DOCA_ERROR_NO_LOCK", "lock not available"},
	[DOCA_ERROR_NOT_FOUND] = {"DOCA_ERROR_NOT_FOUND", "not found"},
	[DOCA_ERROR_IO_FAILED] = {"DOCA_ERROR_IO_FAILED", "input or output failed"},
	[DOCA_ERROR_BAD_STATE] = {"DOCA_ERROR_BAD_STATE", "not allowed in this state"},
	[DOCA_ERROR_UNSUPPORTED_VERSION] = {"DOCA_ERROR_UNSUPPORTED_VERSION",
					    "version not supported"},
	[DOCA_ERROR_OPERATING_SYSTEM] = {"DOCA_ERROR_OPERATING_SYSTEM",
					 "operating system call failed"},
	[DOCA_ERROR_DRIVER] = {"DOCA_ERROR_DRIVER", "driver failed"},
	[DOCA_ERROR_UNEXPECTED] = {"DOCA_ERROR_UNEXPECTED", "unexpected condition"},
	[DOCA_ERROR_ALREADY_EXIST] = {"DOCA_ERROR_ALREADY_EXIST", "exists already"},
	[DOCA_ERROR_FULL] = {"DOCA_ERROR_FULL", "full"},
	[DOCA_ERROR_EMPTY] = {"DOCA_ERROR_EMPTY", "empty"},
	[DOCA_ERROR_IN_PROGRESS] = {"DOCA_ERROR_IN_PROGRESS", "in progress"},
	[DOCA_ERROR_TOO_BIG] = {"DOCA_ERROR_TOO_BIG", "too big"},
	[DOCA_ERROR_AUTHENTICATION] = {"DOCA_ERROR_AUTHENTICATION", "authentication failed"},
	[DOCA_ERROR_BAD_CONFIG] = {"DOCA_ERROR_BAD_CONFIG", "bad configuration"},
	[DOCA_ERROR_SKIPPED] = {"DOCA_ERROR_SKIPPED", "skipped"},
	[DOCA_ERROR_DEVICE_FATAL_ERROR] = {"DOCA_ERROR_DEVICE_FATAL_ERROR",
					   "device failed for good"},
};

static const char unrecognized[] = "unrecognized error code";

const char *error_name(doca_error_t error)
{
	return (size_t)error < ARRAY_LEN(error_texts) ? error_texts[error].name : unrecognized;
}

const char *error_descr(doca_error_t error)
{
	return (size_t)error < ARRAY_LEN(error_texts) ? error_texts[error].descr : unrecognized;
}

const char *doca_error_get_name(doca_error_t error)
{
	return error_name(error);
}

const char *doca_error_get_descr(doca_error_t error)
{
	return error_descr(error);
}

const char *doca_version_runtime(void)
{
	return DOCA_VERSION_STRING;
}

const char *dococ_last_error(void)
{
	struct wording wording = program_api_wording();

	if (last_hint == NULL)
		return last_error;
	if (!wording_is_needed(&wording))
		return last_hint;
	wording_apply(&wording, last_hint, last_error, sizeof(last_error));
	return last_error;
}

static void last_error_vset(const char *fmt, va_list args) PRINTF_LIKE(1, 0);

/* Records the sentence in the wording of the version that the program was written for. The
 * arguments may point into the sentence that is being replaced. */
static void last_error_vset(const char *fmt, va_list args)
{
	struct wording wording = program_api_wording();
	char text[ERROR_SENTENCE_MAX];

	vsnprintf(text, sizeof(text), fmt, args);
	if (wording_is_needed(&wording))
		wording_apply(&wording, text, last_error, sizeof(last_error));
	else
		memcpy(last_error, text, sizeof(text));
	last_hint = NULL;
}

static void PRINTF_LIKE(2, 3) sdk_write(unsigned level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	sdk_vlog(level, fmt, args);
	va_end(args);
}

void sdk_log(unsigned level, const char *fmt, ...)
{
	struct wording wording = program_api_wording();
	char text[SDK_LINE_MAX], words[SDK_LINE_MAX];
	va_list args;

	if (!sdk_log_enabled(level))
		return;
	va_start(args, fmt);
	if (wording_is_needed(&wording)) {
		vsnprintf(text, sizeof(text), fmt, args);
		wording_apply(&wording, text, words, sizeof(words));
		sdk_write(level, "%s", words);
	} else {
		sdk_vlog(level, fmt, args);
	}
	va_end(args);
}

static void log_last_error(doca_error_t code)
{
	const char *name = error_name(shown_code == NULL ? code : shown_code(code));
	uint64_t n = repeats_count(last_error);

	if (n == 1)
		sdk_error("%s (%s)", last_error, name);
	else if (n != 0)
		sdk_error("%s (%s; for the %" PRIu64 "%s time)", last_error, name, n,
			  n == 2   ? "nd"
			  : n == 3 ? "rd"
				   : "th");
}

doca_error_t error_set(doca_error_t code, const char *fmt, ...)
{
	int saved_errno = errno;
	va_list args;

	va_start(args, fmt);
	last_error_vset(fmt, args);
	va_end(args);
	if (likely(!is_muted))
		log_last_error(code);
	errno = saved_errno;
	return code;
}

void error_mute(bool is_mute)
{
	is_muted = is_mute;
}

void error_show_as(doca_error_t (*code_of)(doca_error_t code))
{
	shown_code = code_of;
}

doca_error_t error_note(doca_error_t code, const char *fmt, ...)
{
	int saved_errno = errno;
	va_list args;

	va_start(args, fmt);
	last_error_vset(fmt, args);
	va_end(args);
	errno = saved_errno;
	return code;
}

doca_error_t error_hint(doca_error_t code, const char *literal)
{
	last_hint = literal;
	return code;
}

void error_save(struct saved_error *saved_out)
{
	saved_out->hint = last_hint;
	memcpy(saved_out->text, last_error, sizeof(last_error));
}

void error_restore(const struct saved_error *saved)
{
	last_hint = saved->hint;
	memcpy(last_error, saved->text, sizeof(last_error));
}

static const struct {
	int err;
	doca_error_t code;
} errno_codes[] = {
	{0, DOCA_SUCCESS},
	{EPERM, DOCA_ERROR_NOT_PERMITTED},
	{EACCES, DOCA_ERROR_NOT_PERMITTED},
	{EROFS, DOCA_ERROR_NOT_PERMITTED},
	{EBUSY, DOCA_ERROR_IN_USE},
	{EADDRINUSE, DOCA_ERROR_IN_USE},
	{EOPNOTSUPP, DOCA_ERROR_NOT_SUPPORTED},
	{ENOSYS, DOCA_ERROR_NOT_SUPPORTED},
	{EAGAIN, DOCA_ERROR_AGAIN},
	{EINVAL, DOCA_ERROR_INVALID_VALUE},
	{EFAULT, DOCA_ERROR_INVALID_VALUE},
	{ERANGE, DOCA_ERROR_INVALID_VALUE},
	{EDOM, DOCA_ERROR_INVALID_VALUE},
	{ENAMETOOLONG, DOCA_ERROR_INVALID_VALUE},
	{ENOMEM, DOCA_ERROR_NO_MEMORY},
	{ENOBUFS, DOCA_ERROR_NO_MEMORY},
	{ETIMEDOUT, DOCA_ERROR_TIME_OUT},
	{ETIME, DOCA_ERROR_TIME_OUT},
	{ESHUTDOWN, DOCA_ERROR_SHUTDOWN},
	{ECONNRESET, DOCA_ERROR_CONNECTION_RESET},
	{EPIPE, DOCA_ERROR_CONNECTION_RESET},
	{ECONNABORTED, DOCA_ERROR_CONNECTION_ABORTED},
	{EINPROGRESS, DOCA_ERROR_IN_PROGRESS},
	{EALREADY, DOCA_ERROR_IN_PROGRESS},
	{ENOTCONN, DOCA_ERROR_NOT_CONNECTED},
	{ECONNREFUSED, DOCA_ERROR_NOT_CONNECTED},
	{ENETUNREACH, DOCA_ERROR_NOT_CONNECTED},
	{EHOSTUNREACH, DOCA_ERROR_NOT_CONNECTED},
	{ENOLCK, DOCA_ERROR_NO_LOCK},
	{EDEADLK, DOCA_ERROR_NO_LOCK},
	{ENOENT, DOCA_ERROR_NOT_FOUND},
	{ENODEV, DOCA_ERROR_NOT_FOUND},
	{ENXIO, DOCA_ERROR_NOT_FOUND},
	{ESRCH, DOCA_ERROR_NOT_FOUND},
	{EIO, DOCA_ERROR_IO_FAILED},
	{EBADFD, DOCA_ERROR_BAD_STATE},
	{EPROTONOSUPPORT, DOCA_ERROR_UNSUPPORTED_VERSION},
	{EPROTO, DOCA_ERROR_UNEXPECTED},
	{EBADMSG, DOCA_ERROR_UNEXPECTED},
	{EEXIST, DOCA_ERROR_ALREADY_EXIST},
	{ENOSPC, DOCA_ERROR_FULL},
	{EDQUOT, DOCA_ERROR_FULL},
	{ENODATA, DOCA_ERROR_EMPTY},
	{E2BIG, DOCA_ERROR_TOO_BIG},
	{EFBIG, DOCA_ERROR_TOO_BIG},
	{EMSGSIZE, DOCA_ERROR_TOO_BIG},
	{EOVERFLOW, DOCA_ERROR_TOO_BIG},
	{EKEYREJECTED, DOCA_ERROR_AUTHENTICATION},
	{EKEYREVOKED, DOCA_ERROR_AUTHENTICATION},
	{EKEYEXPIRED, DOCA_ERROR_AUTHENTICATION},
};

doca_error_t error_from_errno(int negative_errno)
{
	/* A positive number is a code of a contract that a caller failed to handle. */
	if (negative_errno > 0)
		return DOCA_ERROR_UNEXPECTED;
	for (size_t i = 0; i < ARRAY_LEN(errno_codes); i++) {
		if (errno_codes[i].err == -negative_errno)
			return errno_codes[i].code;
	}
	return DOCA_ERROR_OPERATING_SYSTEM;
}
