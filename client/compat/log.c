/*
 * The log of earlier generations: other names for the sources, backends and limits of
 * client/base/log.c, and the rate limit, which counts the records of each place in the program
 * within a time window. Threads: any. The places have a lock of their own, taken only for records
 * that some backend shows.
 */
#include "client/compat/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include <doca_log.h>
#include <dococ/log_workq.h>

#include "client/base/error.h"
#include "client/base/log.h"

/* Far more than a program has places; limits a program that registers in a loop. */
#define BUCKETS_MAX 65536u

struct bucket {
	time_t window; /* start of the current window */
	uint32_t n;    /* records in the current window */
};

static pthread_mutex_t buckets_lock = PTHREAD_MUTEX_INITIALIZER;
static struct bucket *buckets;
static unsigned n_buckets, buckets_room;
static _Atomic uint16_t bucket_time = 1, bucket_quantity = 10;

static struct doca_log_backend *backend_of(struct doca_logger_backend *logger)
{
	return (struct doca_log_backend *)logger;
}

/* --- limits -------------------------------------------------------------------------------- */

doca_error_t doca_log_backend_level_set(struct doca_logger_backend *logger, uint32_t level)
{
	return log_backend_limit(__func__, backend_of(logger), LOG_LOWER, level);
}

doca_error_t doca_log_backend_set_upper_level_limit(struct doca_logger_backend *logger,
						    uint32_t upper_level_limit)
{
	return log_backend_limit(__func__, backend_of(logger), LOG_UPPER, upper_level_limit);
}

doca_error_t doca_log_backend_set_lower_level_immutable(struct doca_logger_backend *logger)
{
	return log_backend_strict(__func__, backend_of(logger), LOG_LOWER);
}

doca_error_t doca_log_backend_set_upper_level_immutable(struct doca_logger_backend *logger)
{
	return log_backend_strict(__func__, backend_of(logger), LOG_UPPER);
}

doca_error_t doca_log_global_level_set(uint32_t level)
{
	return log_global_limit(__func__, LOG_LOWER, level);
}

doca_error_t doca_log_global_set_upper_level_limit(uint32_t upper_level_limit)
{
	return log_global_limit(__func__, LOG_UPPER, upper_level_limit);
}

uint32_t doca_log_global_level_get(void)
{
	return log_global_lower();
}

/* --- sources and backends ------------------------------------------------------------------ */

doca_error_t doca_log_source_register(const char *source_name, int *source)
{
	return log_source_add(__func__, source_name, source);
}

doca_error_t doca_log_source_destroy(int source)
{
	return log_source_remove(source);
}

doca_error_t doca_log_create_file_backend(FILE *fptr, struct doca_logger_backend **backend)
{
	return log_create_file(__func__, false, fptr, (struct doca_log_backend **)backend);
}

doca_error_t doca_log_create_fd_backend(int fd, struct doca_logger_backend **backend)
{
	return log_create_fd(__func__, false, fd, (struct doca_log_backend **)backend);
}

doca_error_t doca_log_create_buffer_backend(char *buffer, size_t capacity,
					    log_flush_callback handler,
					    struct doca_logger_backend **backend)
{
	return log_create_buf(__func__, false, buffer, capacity, handler,
			      (struct doca_log_backend **)backend);
}

doca_error_t doca_log_create_syslog_backend(const char *name, struct doca_logger_backend **backend)
{
	return log_create_syslog(__func__, false, name, (struct doca_log_backend **)backend);
}

doca_error_t doca_log_create_standard_backend(void)
{
	return log_create_standard(__func__);
}

doca_error_t doca_log_backend_create_with_buffer(char *buffer, size_t capacity,
						 log_flush_callback handler,
						 struct doca_log_backend **backend)
{
	return log_create_buf(__func__, false, buffer, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buffer_sdk(char *buffer, size_t capacity,
						     log_flush_callback handler,
						     struct doca_log_backend **backend)
{
	return log_create_buf(__func__, true, buffer, capacity, handler, backend);
}

/* --- records ------------------------------------------------------------------------------- */

doca_error_t compat_vlog(uint32_t level, int source, int line, const char *format, va_list args)
{
	return log_vput(level, source, NULL, line, NULL, format, args);
}

doca_error_t doca_log_developer(uint32_t level, int source, int line, const char *format, ...)
{
	doca_error_t result;
	va_list args;

	va_start(args, format);
	result = compat_vlog(level, source, line, format, args);
	va_end(args);
	return result;
}

uint16_t doca_log_get_bucket_time(void)
{
	return bucket_time;
}

void doca_log_set_bucket_time(uint16_t time)
{
	bucket_time = time;
}

uint16_t doca_log_get_quantity(void)
{
	return bucket_quantity;
}

void doca_log_set_quantity(uint16_t quantity)
{
	bucket_quantity = quantity;
}

doca_error_t doca_log_rate_bucket_register(int source, int *bucket)
{
	struct bucket *grown;
	doca_error_t result;

	if (bucket == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: no place for the bucket given",
				 __func__);
	/* Checks the source only; the level is irrelevant. */
	(void)log_shows(DOCA_LOG_LEVEL_INFO, source, "", &result);
	if (result != DOCA_SUCCESS)
		return result;
	pthread_mutex_lock(&buckets_lock);
	if (n_buckets == BUCKETS_MAX) {
		pthread_mutex_unlock(&buckets_lock);
		return error_set(DOCA_ERROR_FULL, "%s: all %u numbers are used", __func__,
				 BUCKETS_MAX);
	}
	if (n_buckets == buckets_room) {
		unsigned room = buckets_room ? 2 * buckets_room : 16;

		grown = realloc(buckets, room * sizeof(*grown));
		if (grown == NULL) {
			pthread_mutex_unlock(&buckets_lock);
			return error_set(DOCA_ERROR_NO_MEMORY, "%s: no memory", __func__);
		}
		buckets = grown;
		buckets_room = room;
	}
	buckets[n_buckets] = (struct bucket){0};
	*bucket = (int)n_buckets++;
	pthread_mutex_unlock(&buckets_lock);
	return DOCA_SUCCESS;
}

/* Counts a record of the place. Returns false if the place has reached its limit. Sets *result to
 * INVALID_VALUE if there is no such place. */
static bool bucket_remove_token(int bucket, doca_error_t *result)
{
	uint16_t span = bucket_time;
	struct timespec now;
	struct bucket *b;
	bool taken;

	pthread_mutex_lock(&buckets_lock);
	if (bucket < 0 || (unsigned)bucket >= n_buckets) {
		pthread_mutex_unlock(&buckets_lock);
		*result = error_note(DOCA_ERROR_INVALID_VALUE, "log: no rate limit has number %d",
				     bucket);
		return false;
	}
	b = &buckets[bucket];
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (b->n == 0 || now.tv_sec - b->window >= span)
		*b = (struct bucket){.window = now.tv_sec};
	taken = span == 0 || b->n < bucket_quantity;
	b->n += taken;
	pthread_mutex_unlock(&buckets_lock);
	*result = DOCA_SUCCESS;
	return taken;
}

doca_error_t doca_log_rate_limit(uint32_t level, int source, int line, int bucket,
				 const char *format, ...)
{
	doca_error_t result;
	va_list args;

	if (!log_shows(level, source, format, &result) || !bucket_remove_token(bucket, &result))
		return result;
	va_start(args, format);
	result = compat_vlog(level, source, line, format, args);
	va_end(args);
	return result;
}
