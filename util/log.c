/*
 * Log lines on stderr. Each line is one write(), so that lines of processes that share the
 * descriptor do not mix. Text may contain names that a client chose: bytes that are not printable
 * ASCII are replaced, so that a client can neither forge a line nor send terminal control
 * sequences. main() sets the options; any thread may write.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/log.h"

#define LOG_LINE_MAX 2048

static const struct {
	const char *name;
	int priority; /* as in syslog(3) */
} log_levels[] = {
	[LOG_LEVEL_ERROR] = {"error", 3},
	[LOG_LEVEL_WARNING] = {"warning", 4},
	[LOG_LEVEL_INFO] = {"info", 6},
	[LOG_LEVEL_DEBUG] = {"debug", 7},
};

static _Atomic int log_level = LOG_LEVEL_INFO;
static _Atomic int log_journal;
static const char *_Atomic log_ident = "";
static log_sink_fn _Atomic log_sink;
static log_source_fn _Atomic log_source;
static log_filter_fn _Atomic log_filter;

void log_set_level(enum log_level level)
{
	atomic_store(&log_level, (int)level);
}

enum log_level log_get_level(void)
{
	return (enum log_level)atomic_load(&log_level);
}

int log_level_parse(const char *text, enum log_level *level_out)
{
	for (size_t i = 0; i < ARRAY_LEN(log_levels); i++) {
		if (strcmp(text, log_levels[i].name) == 0) {
			*level_out = (enum log_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *log_level_name(enum log_level level)
{
	return (size_t)level < ARRAY_LEN(log_levels) ? log_levels[level].name : "unknown";
}

void log_set_ident(const char *ident)
{
	atomic_store(&log_ident, ident ? ident : "");
}

void log_set_journal(int on)
{
	atomic_store(&log_journal, on);
}

void log_set_sink(log_sink_fn sink)
{
	atomic_store(&log_sink, sink);
}

void log_set_origin(log_source_fn source, log_filter_fn filter)
{
	atomic_store(&log_filter, NULL);
	atomic_store(&log_source, source);
	atomic_store(&log_filter, filter);
}

/*
 * Writes the name of the process that the line is about, and ": ". Returns the length, or 0 if
 * there is no such process.
 */
static size_t log_put_source(char *line, size_t line_len, char *name, size_t name_len)
{
	log_source_fn source = atomic_load(&log_source);
	int n;

	name[0] = '\0';
	if (!source || !source(name, name_len))
		return 0;
	n = snprintf(line, line_len, "%s: ", name);
	return n < 0 ? 0 : MIN((size_t)n, line_len - 1);
}

static bool log_is_wanted(enum log_level level, const char *reason, const char *name,
			  const char *text)
{
	log_filter_fn filter = atomic_load(&log_filter);

	return level == LOG_LEVEL_DEBUG || !name[0] || !filter || filter(level, reason, name, text);
}

/* True if there is a sink and it accepted the line. */
static bool log_sunk(enum log_level level, const char *text)
{
	log_sink_fn sink = atomic_load(&log_sink);

	return sink && sink(log_levels[level].priority, text);
}

static size_t log_prefix(char *line, size_t line_len, enum log_level level)
{
	const char *ident = atomic_load(&log_ident);
	const char *colon = ident[0] ? ": " : "";
	struct timespec ts;
	struct tm tm;
	char when[32];
	int n;

	if (atomic_load(&log_journal)) {
		n = snprintf(line, line_len, "<%d>%s%s", log_levels[level].priority, ident, colon);
	} else {
		clock_gettime(CLOCK_REALTIME, &ts);
		gmtime_r(&ts.tv_sec, &tm);
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
		n = snprintf(line, line_len, "%s.%03ldZ %s %s%s", when, ts.tv_nsec / 1000000,
			     log_levels[level].name, ident, colon);
	}
	return n < 0 ? 0 : MIN((size_t)n, line_len - 1);
}

void log_write(enum log_level level, const char *fmt, ...)
{
	char line[LOG_LINE_MAX], name[64];
	int saved = errno;
	size_t begin, start, len;
	va_list args;
	int n;

	if ((size_t)level >= ARRAY_LEN(log_levels) || (int)level > atomic_load(&log_level))
		return;
	begin = log_prefix(line, sizeof(line) / 4, level);
	start = begin + log_put_source(line + begin, sizeof(line) / 4, name, sizeof(name));
	va_start(args, fmt);
	errno = saved; /* for %m */
	n = vsnprintf(line + start, sizeof(line) - start - 1, fmt, args);
	va_end(args);
	len = start + (n < 0 ? 0 : MIN((size_t)n, sizeof(line) - start - 2));
	if (n > 0 && (size_t)n > len - start)
		memcpy(line + len - 3, "...", 3);
	for (size_t i = begin; i < len; i++) {
		if ((unsigned char)line[i] < 0x20 || (unsigned char)line[i] > 0x7e)
			line[i] = '?';
	}
	line[len] = '\0';
	if (!log_is_wanted(level, fmt, name, line + begin) || log_sunk(level, line + begin)) {
		errno = saved;
		return;
	}
	line[len++] = '\n';
	/* A failure to write a log line cannot be reported. */
	while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR)
		;
	errno = saved;
}
