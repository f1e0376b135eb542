/*
 * The public log: sources, backends, limits, and the library's own messages.
 *
 * There are two sets of backends, the program's and the SDK's, each with its own limits. Every
 * backend of a set whose range [upper .. lower] contains the level shows a record (a higher number
 * is more verbose). A global limit is written to every backend of the set and is the default of
 * later ones; a strict limit can only be tightened. The two standard backends also have a fixed
 * window each, so that no limit makes both show the same record.
 *
 * Each set has the union of its backends' ranges in two atomics. A record that no backend shows
 * costs only these two loads; that is also the state of a program without backends. Everything
 * else, including the writing, happens under one mutex, so that lines of several threads never mix.
 * The handler of a buffer backend runs under it too: calls of this header within a handler fail
 * with BAD_STATE.
 *
 * The public interface has no destructor for backends; they live until the process ends. The id of
 * a source is never reused.
 *
 * Threads: any. After a fork the child may log only if no other thread was in this file at that
 * moment.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/base/log.h"

#define LINE_LEN   1024
#define SDK_SOURCE "DOCOCORE"

#define SOURCES_PER_CHUNK 256
#define N_SOURCE_CHUNKS   256

/* One formatted record: [time][pid][DOCA][LVL][SOURCE][file:line][func] message, with a newline at
 * the end; without a file, [SOURCE:line]. */
struct log_line {
	const char *text;
	size_t len;
	size_t undated; /* the offset of [DOCA], for backends that add time and pid themselves */
	unsigned level;
};

struct log_place {
	const char *source;
	const char *file; /* may be NULL */
	int line;
	const char *func;
};

struct doca_log_backend {
	struct doca_log_backend *next;
	struct log_set *set;
	uint32_t lower, upper;
	uint32_t window_lower, window_upper;
	bool lower_strict, upper_strict;
	void (*write)(struct doca_log_backend *backend, const struct log_line *line);
	FILE *file;
	int fd;
	char *buf;
	size_t capacity;
	log_flush_callback handler;
	char *ident;
};

struct log_set {
	struct doca_log_backend *backends;
	_Atomic uint32_t lower, upper; /* global limits */
	_Atomic uint32_t shown_lower,
		shown_upper; /* union of the ranges of all backends; empty at first */
};

static struct log_set app_set = {
	.lower = DOCA_LOG_LEVEL_INFO,
	.upper = DOCA_LOG_LEVEL_CRIT,
	.shown_lower = 0,
	.shown_upper = UINT32_MAX,
};
static struct log_set sdk_set = {
	.lower = DOCA_LOG_LEVEL_INFO,
	.upper = DOCA_LOG_LEVEL_CRIT,
	.shown_lower = 0,
	.shown_upper = UINT32_MAX,
};

/* An error-checking mutex detects a handler that calls back, instead of a deadlock. */
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static bool standard_exists;

/* Id i is slot i - 1 and is read without the lock: the name is set before `registered`. A name
 * outlives its registration, because another thread may be formatting a line with it. */
struct log_source {
	char *name;
	_Atomic bool registered;
};
static _Atomic(struct log_source *) source_chunks[N_SOURCE_CHUNKS];
static unsigned n_sources;

static doca_error_t log_lock(const char *what)
{
	if (pthread_mutex_lock(&lock))
		return error_note(DOCA_ERROR_BAD_STATE,
				  "%s was called inside a log backend's handler", what);
	return DOCA_SUCCESS;
}

static void log_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

bool log_level_is_valid(unsigned level)
{
	return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

static doca_error_t level_check(const char *what, uint32_t level)
{
	if (log_level_is_valid(level))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "%s: level %u is none of 10 (disable), 20, 30, 40, 50, 60, 70 (trace)",
			 what, level);
}

static const char *level_abbreviation(unsigned level)
{
	switch (level) {
	case DOCA_LOG_LEVEL_CRIT:
		return "CRT";
	case DOCA_LOG_LEVEL_ERROR:
		return "ERR";
	case DOCA_LOG_LEVEL_WARNING:
		return "WRN";
	case DOCA_LOG_LEVEL_INFO:
		return "INF";
	case DOCA_LOG_LEVEL_DEBUG:
		return "DBG";
	default:
		return "TRC";
	}
}

static int level_priority(unsigned level)
{
	switch (level) {
	case DOCA_LOG_LEVEL_CRIT:
		return LOG_CRIT;
	case DOCA_LOG_LEVEL_ERROR:
		return LOG_ERR;
	case DOCA_LOG_LEVEL_WARNING:
		return LOG_WARNING;
	case DOCA_LOG_LEVEL_INFO:
		return LOG_INFO;
	default:
		return LOG_DEBUG;
	}
}

/* --- writing ------------------------------------------------------------------------------- */

static void backend_write_file(struct doca_log_backend *backend, const struct log_line *line)
{
	fwrite(line->text, 1, line->len, backend->file);
	/* A reader may be following the file, and the program may crash next. */
	fflush(backend->file);
}

/* If the descriptor would block, the rest of the line is dropped: a log must not stop its
 * program. */
static void backend_write_fd(struct doca_log_backend *backend, const struct log_line *line)
{
	size_t done = 0;

	while (done < line->len) {
		ssize_t n = write(backend->fd, line->text + done, line->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		done += (size_t)n;
	}
}

static void backend_write_buf(struct doca_log_backend *backend, const struct log_line *line)
{
	size_t len = MIN(line->len, backend->capacity - 1);

	memcpy(backend->buf, line->text, len);
	backend->buf[len] = '\0';
	backend->handler(backend->buf);
}

static void backend_write_syslog(struct doca_log_backend *backend, const struct log_line *line)
{
	/* The identity belongs to the process, and another backend or the program may have changed
	 * it. */
	openlog(backend->ident, LOG_PID, LOG_USER);
	syslog(level_priority(line->level), "%.*s", (int)(line->len - line->undated - 1),
	       line->text + line->undated);
}

static uint32_t backend_lower(const struct doca_log_backend *backend)
{
	return MIN(backend->lower, backend->window_lower);
}

static uint32_t backend_upper(const struct doca_log_backend *backend)
{
	return MAX(backend->upper, backend->window_upper);
}

static bool set_shows(struct log_set *set, unsigned level)
{
	return level <= atomic_load_explicit(&set->shown_lower, memory_order_relaxed) &&
	       level >= atomic_load_explicit(&set->shown_upper, memory_order_relaxed);
}

/* Does not change the thread's last error, because the record may be about it. */
static doca_error_t set_write(struct log_set *set, const struct log_line *line)
{
	struct doca_log_backend *b;

	if (pthread_mutex_lock(&lock))
		return DOCA_ERROR_BAD_STATE;
	for (b = set->backends; b; b = b->next) {
		if (line->level <= backend_lower(b) && line->level >= backend_upper(b))
			b->write(b, line);
	}
	log_unlock();
	return DOCA_SUCCESS;
}

static const char *file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Writes the prefix and returns its length. *undated_out is the length of its first part,
 * "[time][pid]". */
static size_t line_prefix(char *text, size_t size, unsigned level, const struct log_place *place,
			  size_t *undated_out)
{
	struct timespec now;
	struct tm tm;
	size_t len;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &tm))
		memset(&tm, 0, sizeof(tm));
	len = strftime(text, size, "[%Y-%m-%d %H:%M:%S", &tm);
	len += (size_t)snprintf(text + len, size - len, ":%06ld][%d]", now.tv_nsec / 1000,
				(int)getpid());
	*undated_out = len;
	len += (size_t)snprintf(text + len, size - len, "[DOCA][%s][%.64s",
				level_abbreviation(level), place->source);
	/* Programs up to 2.2 log a line number without a file name. */
	if (!place->file && place->line > 0)
		len += (size_t)snprintf(text + len, size - len, ":%d", place->line);
	text[len++] = ']';
	if (place->file)
		len += (size_t)snprintf(text + len, size - len, "[%.128s:%d][%.128s]",
					file_base(place->file), place->line,
					place->func ? place->func : "-");
	text[len++] = ' ';
	return len;
}

static doca_error_t set_vlog(struct log_set *set, unsigned level, const struct log_place *place,
			     const char *fmt, va_list args) PRINTF_LIKE(4, 0);

static doca_error_t set_vlog(struct log_set *set, unsigned level, const struct log_place *place,
			     const char *fmt, va_list args)
{
	int saved_errno = errno;
	char fixed[LINE_LEN], *text = fixed, *longer = NULL;
	struct log_line line = {.level = level};
	doca_error_t result;
	va_list again;
	size_t prefix;
	int n;

	prefix = line_prefix(fixed, sizeof(fixed), level, place, &line.undated);
	va_copy(again, args);
	errno = saved_errno; /* restored for %m in the format */
	n = vsnprintf(fixed + prefix, sizeof(fixed) - prefix, fmt, args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(fixed) - prefix) {
		longer = malloc(prefix + (size_t)n + 2);
		if (longer) {
			memcpy(longer, fixed, prefix);
			errno = saved_errno;
			vsnprintf(longer + prefix, (size_t)n + 1, fmt, again);
			text = longer;
		} else {
			n = (int)(sizeof(fixed) - prefix - 1);
		}
	}
	va_end(again);
	line.text = text;
	line.len = prefix + (size_t)n;
	/* The terminating NUL makes room for the newline; a message that ends with a newline gets
	 * no second one. */
	if (n == 0 || text[line.len - 1] != '\n')
		text[line.len++] = '\n';
	result = set_write(set, &line);
	free(longer);
	errno = saved_errno;
	return result;
}

/* --- sources ------------------------------------------------------------------------------- */

static struct log_source *source_find(int source)
{
	unsigned i = (unsigned)source - 1;
	struct log_source *chunk;

	if (source <= 0 || i >= N_SOURCE_CHUNKS * SOURCES_PER_CHUNK)
		return NULL;
	chunk = atomic_load_explicit(&source_chunks[i / SOURCES_PER_CHUNK], memory_order_acquire);
	return chunk ? &chunk[i % SOURCES_PER_CHUNK] : NULL;
}

doca_error_t log_source_add(const char *what, const char *source_name, int *source)
{
	struct log_source *chunk, *slot;
	doca_error_t result;
	char *name;

	if (!source_name || !source || !*source_name)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: name and source must be given",
				 what);
	result = log_lock(what);
	if (result != DOCA_SUCCESS)
		return result;
	if (n_sources == N_SOURCE_CHUNKS * SOURCES_PER_CHUNK) {
		log_unlock();
		return error_set(DOCA_ERROR_FULL, "log source %s: all %u ids are used", source_name,
				 n_sources);
	}
	name = strdup(source_name);
	chunk = source_chunks[n_sources / SOURCES_PER_CHUNK];
	if (!chunk && name) {
		chunk = calloc(SOURCES_PER_CHUNK, sizeof(*chunk));
		atomic_store_explicit(&source_chunks[n_sources / SOURCES_PER_CHUNK], chunk,
				      memory_order_release);
	}
	if (!name || !chunk) {
		free(name);
		log_unlock();
		return error_set(DOCA_ERROR_NO_MEMORY, "log source %s: out of memory", source_name);
	}
	slot = &chunk[n_sources % SOURCES_PER_CHUNK];
	slot->name = name;
	atomic_store_explicit(&slot->registered, true, memory_order_release);
	/* Ids start at 1, because a file whose registration has not run yet has 0. */
	*source = (int)++n_sources;
	log_unlock();
	return DOCA_SUCCESS;
}

doca_error_t log_source_remove(int source)
{
	struct log_source *slot = source_find(source);

	if (!slot || !atomic_exchange(&slot->registered, false))
		return error_set(DOCA_ERROR_INVALID_VALUE, "log source %d is not registered",
				 source);
	return DOCA_SUCCESS;
}

/* Returns the name of the source if some backend shows the record. Otherwise returns NULL, and
 * *result is the result of the call. */
static const char *record_source(uint32_t level, int source, const char *format,
				 doca_error_t *result)
{
	struct log_source *slot;

	if (unlikely(!log_level_is_valid(level) || level == DOCA_LOG_LEVEL_DISABLE || !format)) {
		*result = error_note(DOCA_ERROR_INVALID_VALUE,
				     "doca_log: a record needs a format and a level from 20 to 70");
		return NULL;
	}
	slot = source_find(source);
	if (unlikely(!slot || !atomic_load_explicit(&slot->registered, memory_order_acquire))) {
		*result = error_note(DOCA_ERROR_INVALID_VALUE, "log source %d is not registered",
				     source);
		return NULL;
	}
	*result = DOCA_SUCCESS;
	return set_shows(&app_set, level) ? slot->name : NULL;
}

bool log_shows(uint32_t level, int source, const char *format, doca_error_t *result)
{
	return record_source(level, source, format, result) != NULL;
}

doca_error_t log_vput(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, va_list args)
{
	struct log_place place = {.file = fname, .line = line, .func = func};
	doca_error_t result;

	place.source = record_source(level, source, format, &result);
	if (place.source == NULL)
		return result;
	result = set_vlog(&app_set, level, &place, format, args);
	if (result != DOCA_SUCCESS)
		return error_note(result, "doca_log was called inside a log backend's handler");
	return DOCA_SUCCESS;
}

void app_log(unsigned level, const char *source, const char *fmt, ...)
{
	struct log_place place = {.source = source};
	va_list args;

	if (!set_shows(&app_set, level))
		return;
	va_start(args, fmt);
	set_vlog(&app_set, level, &place, fmt, args);
	va_end(args);
}

int sdk_log_enabled(unsigned level)
{
	return set_shows(&sdk_set, level);
}

void sdk_vlog(unsigned level, const char *fmt, va_list args)
{
	static const struct log_place place = {.source = SDK_SOURCE};

	if (set_shows(&sdk_set, level))
		set_vlog(&sdk_set, level, &place, fmt, args);
}

/* --- limits -------------------------------------------------------------------------------- */

static void set_update_shown(struct log_set *set)
{
	uint32_t lower = 0, upper = UINT32_MAX;
	const struct doca_log_backend *b;

	for (b = set->backends; b; b = b->next) {
		lower = MAX(lower, backend_lower(b));
		upper = MIN(upper, backend_upper(b));
	}
	atomic_store_explicit(&set->shown_lower, lower, memory_order_relaxed);
	atomic_store_explicit(&set->shown_upper, upper, memory_order_relaxed);
}

static bool set_has(const struct log_set *set, const struct doca_log_backend *backend)
{
	const struct doca_log_backend *b;

	for (b = set->backends; b && b != backend; b = b->next)
		;
	return b != NULL;
}

static bool backend_set_lower(struct doca_log_backend *backend, uint32_t level)
{
	if (backend->lower_strict && level > backend->lower)
		return false;
	backend->lower = level;
	return true;
}

static bool backend_set_upper(struct doca_log_backend *backend, uint32_t level)
{
	if (backend->upper_strict && level < backend->upper)
		return false;
	backend->upper = level;
	return true;
}

/* Takes the lock and checks that the backend is valid. After a success the caller unlocks. */
static doca_error_t backend_lock(const char *what, const struct doca_log_backend *backend)
{
	doca_error_t result;

	if (!backend)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: no backend given", what);
	result = log_lock(what);
	if (result != DOCA_SUCCESS)
		return result;
	if (set_has(&app_set, backend) || set_has(&sdk_set, backend))
		return DOCA_SUCCESS;
	log_unlock();
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %p is no log backend", what,
			 (const void *)backend);
}

static doca_error_t backend_limit(const char *what, struct doca_log_backend *backend,
				  uint32_t level,
				  bool (*set_limit)(struct doca_log_backend *, uint32_t))
{
	doca_error_t result = level_check(what, level);
	bool done;

	if (result == DOCA_SUCCESS)
		result = backend_lock(what, backend);
	if (result != DOCA_SUCCESS)
		return result;
	done = set_limit(backend, level);
	set_update_shown(backend->set);
	log_unlock();
	if (!done)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "%s: the backend's limit is strict, level %u would relax it", what,
				 level);
	return DOCA_SUCCESS;
}

doca_error_t log_backend_limit(const char *what, struct doca_log_backend *backend,
			       enum log_bound bound, uint32_t level)
{
	return backend_limit(what, backend, level,
			     bound == LOG_LOWER ? backend_set_lower : backend_set_upper);
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
	/* `set` is written once, before the caller gets the pointer; an invalid pointer is detected
	 * below. */
	doca_error_t result = backend_lock(__func__, backend);
	bool is_sdk;

	if (result != DOCA_SUCCESS)
		return result;
	is_sdk = backend->set == &sdk_set;
	log_unlock();
	if (!is_sdk)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the backend is the program's own; create it with a _sdk call",
				 __func__);
	return backend_limit(__func__, backend, level, backend_set_lower);
}

doca_error_t log_backend_strict(const char *what, struct doca_log_backend *backend,
				enum log_bound bound)
{
	doca_error_t result = backend_lock(what, backend);

	if (result != DOCA_SUCCESS)
		return result;
	if (bound == LOG_LOWER)
		backend->lower_strict = true;
	else
		backend->upper_strict = true;
	log_unlock();
	return DOCA_SUCCESS;
}

static doca_error_t set_limit_global(const char *what, struct log_set *set, uint32_t level,
				     _Atomic uint32_t *global,
				     bool (*set_limit)(struct doca_log_backend *, uint32_t))
{
	doca_error_t result = level_check(what, level);
	struct doca_log_backend *b;

	if (result == DOCA_SUCCESS)
		result = log_lock(what);
	if (result != DOCA_SUCCESS)
		return result;
	atomic_store(global, level);
	for (b = set->backends; b; b = b->next)
		set_limit(b, level);
	set_update_shown(set);
	log_unlock();
	return DOCA_SUCCESS;
}

doca_error_t log_global_limit(const char *what, enum log_bound bound, uint32_t level)
{
	return bound == LOG_LOWER
		       ? set_limit_global(what, &app_set, level, &app_set.lower, backend_set_lower)
		       : set_limit_global(what, &app_set, level, &app_set.upper, backend_set_upper);
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
	return set_limit_global(__func__, &sdk_set, level, &sdk_set.lower, backend_set_lower);
}

uint32_t log_global_lower(void)
{
	return app_set.lower;
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
	return app_set.upper;
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
	return sdk_set.lower;
}

/* --- backends ------------------------------------------------------------------------------ */

/* Appends a backend to its set. The lock is held. */
static void backend_add(struct log_set *set, struct doca_log_backend *backend)
{
	struct doca_log_backend **last = &set->backends;

	backend->set = set;
	backend->lower = set->lower;
	backend->upper = set->upper;
	while (*last)
		last = &(*last)->next;
	*last = backend;
	set_update_shown(set);
}

static doca_error_t backend_create(const char *what, struct log_set *set,
				   const struct doca_log_backend *init,
				   struct doca_log_backend **backend_out)
{
	struct doca_log_backend *backend;
	doca_error_t result;

	if (!backend_out)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: no place for the backend given",
				 what);
	backend = malloc(sizeof(*backend));
	if (!backend)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: no memory", what);
	*backend = *init;
	backend->window_lower = DOCA_LOG_LEVEL_TRACE;
	backend->window_upper = DOCA_LOG_LEVEL_DISABLE;
	result = log_lock(what);
	if (result != DOCA_SUCCESS) {
		free(backend);
		return result;
	}
	backend_add(set, backend);
	log_unlock();
	*backend_out = backend;
	return DOCA_SUCCESS;
}

doca_error_t log_create_file(const char *what, bool is_sdk, FILE *file,
			     struct doca_log_backend **backend_out)
{
	struct doca_log_backend init = {.write = backend_write_file, .file = file};

	if (!file)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: no file given", what);
	return backend_create(what, is_sdk ? &sdk_set : &app_set, &init, backend_out);
}

doca_error_t log_create_fd(const char *what, bool is_sdk, int fd,
			   struct doca_log_backend **backend_out)
{
	struct doca_log_backend init = {.write = backend_write_fd, .fd = fd};

	if (fd < 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %d is no descriptor", what, fd);
	return backend_create(what, is_sdk ? &sdk_set : &app_set, &init, backend_out);
}

doca_error_t log_create_buf(const char *what, bool is_sdk, char *buf, size_t capacity,
			    log_flush_callback handler, struct doca_log_backend **backend_out)
{
	struct doca_log_backend init = {
		.write = backend_write_buf, .buf = buf, .capacity = capacity, .handler = handler};

	if (!buf || !capacity || !handler)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: buffer, capacity and handler must be given", what);
	return backend_create(what, is_sdk ? &sdk_set : &app_set, &init, backend_out);
}

doca_error_t log_create_syslog(const char *what, bool is_sdk, const char *name,
			       struct doca_log_backend **backend_out)
{
	struct doca_log_backend init = {.write = backend_write_syslog};
	doca_error_t result;

	if (!name)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: no name given", what);
	init.ident = strdup(name); /* syslog keeps the pointer */
	if (!init.ident)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: no memory", what);
	result = backend_create(what, is_sdk ? &sdk_set : &app_set, &init, backend_out);
	if (result != DOCA_SUCCESS)
		free(init.ident);
	return result;
}

doca_error_t log_create_standard(const char *what)
{
	struct doca_log_backend *out = calloc(1, sizeof(*out)), *err = calloc(1, sizeof(*err));
	doca_error_t result;

	if (!out || !err) {
		free(out);
		free(err);
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: no memory", what);
	}
	result = log_lock(what);
	/* A second pair would only duplicate every line. */
	if (result != DOCA_SUCCESS || standard_exists) {
		if (result == DOCA_SUCCESS)
			log_unlock();
		free(out);
		free(err);
		return result;
	}
	out->write = err->write = backend_write_file;
	out->file = stdout;
	out->window_lower = DOCA_LOG_LEVEL_TRACE;
	out->window_upper = DOCA_LOG_LEVEL_INFO;
	err->file = stderr;
	err->window_lower = DOCA_LOG_LEVEL_WARNING;
	err->window_upper = DOCA_LOG_LEVEL_DISABLE;
	backend_add(&app_set, out);
	backend_add(&app_set, err);
	standard_exists = true;
	log_unlock();
	return DOCA_SUCCESS;
}

/* --- environment --------------------------------------------------------------------------- */

static uint32_t level_of_word(const char *word)
{
	static const struct {
		const char *word;
		uint32_t level;
	} words[] = {
		{"error", DOCA_LOG_LEVEL_ERROR}, {"warning", DOCA_LOG_LEVEL_WARNING},
		{"info", DOCA_LOG_LEVEL_INFO},   {"debug", DOCA_LOG_LEVEL_DEBUG},
		{"trace", DOCA_LOG_LEVEL_TRACE},
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(word, words[i].word) == 0)
			return words[i].level;
	}
	return 0;
}

/* For users of a program that creates no backend: they have no other way to read the library's
 * messages. Runs before there are threads that could change the environment. */
static __attribute__((constructor)) void log_repeated(void)
{
	static struct doca_log_backend backend = {.write = backend_write_fd,
						  .fd = STDERR_FILENO,
						  .window_lower = DOCA_LOG_LEVEL_TRACE,
						  .window_upper = DOCA_LOG_LEVEL_DISABLE};
	const char *asked = env_variable("DOCOCORED_LOG");
	uint32_t level = asked ? level_of_word(asked) : 0;

	if (!asked || !*asked)
		return;
	if (level == 0) {
		fprintf(stderr,
			"DOCOCORED_LOG=%s: the level is one of error, warning, info, debug, "
			"trace\n",
			asked);
		return;
	}
	backend_add(&sdk_set, &backend);
	backend.lower = level;
	backend.lower_strict = true;
	set_update_shown(&sdk_set);
}
