/*
 * Log of the daemon and the tools. The library has its own (client/base/log.c) and never uses this
 * one. Messages are lower case and one line each; values follow their name without '='.
 */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "util/util.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

void log_set_level(enum log_level level);
enum log_level log_get_level(void);
/* Parses "error", "warning", "info" or "debug". Returns 0 or -EINVAL. */
int log_level_parse(const char *text, enum log_level *level_out);
const char *log_level_name(enum log_level level);
/* Sets the prefix of each line, for example "dococored[host]". The string must stay valid. */
void log_set_ident(const char *ident);
/*
 * Starts lines with the kernel's <N> priority instead of a time, for a service manager's journal.
 */
void log_set_journal(int on);
/*
 * Passes lines to the sink, with the kernel's priority and without prefix and newline. If the sink
 * returns false, the line goes to stderr. NULL removes the sink.
 */
typedef bool (*log_sink_fn)(int priority, const char *text);
void log_set_sink(log_sink_fn sink);
/*
 * For a process that works on behalf of others. source names the process for which the calling
 * thread works ("uid 1000"), or returns false; the name begins each line. filter decides whether a
 * line about such a process is written: reason is the line's format, text the line with the name.
 * filter is not called for debug lines. NULL removes both.
 */
typedef bool (*log_source_fn)(char *name_out, size_t name_len);
typedef bool (*log_filter_fn)(enum log_level level, const char *reason, const char *source,
			      const char *text);
void log_set_origin(log_source_fn source, log_filter_fn filter);
void log_write(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define log_error(...)   log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)    log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
