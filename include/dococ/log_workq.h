/*
 * Log sources, backends, limits and rate limits, up to 2.2. Included by doca_log.h.
 *
 * These are the calls of 2.2. Of 1.x only the macros are known, so programs of 1.x get the calls of
 * 2.2, too. Backends and sources are the same objects as in later versions: if parts of a program
 * use different versions, the backends of each part show the records of all parts.
 *
 * A rate limit is a number of records per time. It is counted separately for each place in the
 * program that logs, and records beyond it are dropped.
 *
 * Threads: any number of threads may call the functions at the same time.
 */
#ifndef DOCA_LOG_WORKQ_H_
#define DOCA_LOG_WORKQ_H_

#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_logger_backend; /* where records go */

#if DOCA_API_BETWEEN(103, 204)
/**
 * Returns the time over which rate-limited records are counted. The default is 1 s, which this
 * project chose.
 * @return seconds; 0 if there is no rate limit
 * Since 2.0, until 2.2.
 */
DOCA_STABLE uint16_t doca_log_get_bucket_time(void);

/**
 * Sets the time over which rate-limited records are counted, for all places that log.
 * @param bucket_time seconds; 0 for no rate limit
 * Since 2.0, until 2.2.
 */
DOCA_STABLE void doca_log_set_bucket_time(uint16_t bucket_time);

/**
 * Returns how many records each place may log within the time of doca_log_get_bucket_time(). The
 * default is 10, which this project chose.
 * @return the number
 * Since 2.0, until 2.2.
 */
DOCA_STABLE uint16_t doca_log_get_quantity(void);

/**
 * Sets how many records each place may log within the time of doca_log_get_bucket_time().
 * @param quantity number of records; 0 to show none
 * Since 2.0, until 2.2.
 */
DOCA_STABLE void doca_log_set_quantity(uint16_t quantity);

/**
 * Sets the most verbose level that a backend shows.
 * @param logger backend returned by a create call
 * @param level value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: logger is not a backend, or the level does not exist.
 * - DOCA_ERROR_NOT_PERMITTED: the limit is immutable and this would relax it.
 * Since 2.0, until 2.2; replaced by doca_log_backend_set_level_lower_limit.
 */
DOCA_STABLE doca_error_t doca_log_backend_level_set(struct doca_logger_backend *logger,
						    uint32_t level);

/**
 * Sets the most severe level that a backend shows.
 * @param logger backend returned by a create call
 * @param upper_level_limit value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: logger is not a backend, or the level does not exist.
 * - DOCA_ERROR_NOT_PERMITTED: the limit is immutable and this would relax it.
 * Since 2.0, until 2.2; replaced by doca_log_backend_set_level_upper_limit.
 */
DOCA_STABLE doca_error_t doca_log_backend_set_upper_level_limit(struct doca_logger_backend *logger,
								uint32_t upper_level_limit);

/**
 * Makes a backend's most verbose level immutable: from then on the level can be restricted further,
 * but not relaxed.
 * @param logger backend returned by a create call
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: logger is not a backend.
 * Since 2.0, until 2.2; replaced by doca_log_backend_set_level_lower_limit_strict.
 */
DOCA_STABLE doca_error_t
doca_log_backend_set_lower_level_immutable(struct doca_logger_backend *logger);

/**
 * Makes a backend's most severe level immutable: from then on the level can be restricted further,
 * but not relaxed.
 * @param logger backend returned by a create call
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: logger is not a backend.
 * Since 2.0, until 2.2; replaced by doca_log_backend_set_level_upper_limit_strict.
 */
DOCA_STABLE doca_error_t
doca_log_backend_set_upper_level_immutable(struct doca_logger_backend *logger);

/**
 * Sets the most verbose level of all backends whose limit is not immutable, including those that
 * are created later.
 * @param level value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist.
 * Since 2.0, until 2.2; replaced by doca_log_level_set_global_lower_limit.
 */
DOCA_STABLE doca_error_t doca_log_global_level_set(uint32_t level);

/**
 * Sets the most severe level of all backends whose limit is not immutable, including those that are
 * created later.
 * @param upper_level_limit value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist.
 * Since 2.0, until 2.2; replaced by doca_log_level_set_global_upper_limit.
 */
DOCA_STABLE doca_error_t doca_log_global_set_upper_level_limit(uint32_t upper_level_limit);

/**
 * Returns the most verbose level that new backends show; the default is INFO.
 * @return value of enum doca_log_level
 * Since 2.0, until 2.2; replaced by doca_log_level_get_global_lower_limit.
 */
DOCA_STABLE uint32_t doca_log_global_level_get(void);

/**
 * Registers a log source. DOCA_LOG_REGISTER calls this for a file.
 * @param source_name name shown with each record; copied
 * @param source receives the source's number, for doca_log
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_FULL: all source numbers are in use; destroy a source.
 * Since 2.0, until 2.2; replaced by doca_log_register_source.
 */
DOCA_STABLE doca_error_t doca_log_source_register(const char *source_name, int *source);

/**
 * Unregisters a log source. Later records of it are refused.
 * @param source number from doca_log_source_register
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no source has this number.
 * Since 2.0, until 2.2; replaced by doca_log_unregister_source.
 */
DOCA_STABLE doca_error_t doca_log_source_destroy(int source);

/**
 * Registers one place that logs with a rate limit. DOCA_LOG_RATE_LIMIT calls this.
 * @param source number from doca_log_source_register
 * @param bucket receives the number of the place, for doca_log_rate_limit; it is never released
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no source has this number.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_FULL: all numbers are in use.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_log_rate_bucket_register(int source, int *bucket);

/**
 * Adds a backend that writes to a stream.
 * @param fptr open stream; owned by the program, must stay valid until the process ends
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2; replaced by doca_log_backend_create_with_file.
 */
DOCA_STABLE doca_error_t doca_log_create_file_backend(FILE *fptr,
						      struct doca_logger_backend **backend);

/**
 * Adds a backend that writes to a descriptor.
 * @param fd open descriptor; owned by the program, must stay valid until the process ends
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: fd is negative.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2; replaced by doca_log_backend_create_with_fd.
 */
DOCA_STABLE doca_error_t doca_log_create_fd_backend(int fd, struct doca_logger_backend **backend);

/**
 * Adds a backend that writes each record to the start of a buffer, then calls a handler.
 * @param buffer memory for one record, NUL-terminated; owned by the program, must stay valid until
 *   the process ends
 * @param capacity size of buffer in bytes; a longer record is truncated
 * @param handler called with the memory after each record is written
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: capacity is 0.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2; replaced by doca_log_backend_create_with_buf.
 */
DOCA_STABLE doca_error_t doca_log_create_buffer_backend(char *buffer, size_t capacity,
							log_flush_callback handler,
							struct doca_logger_backend **backend);

/**
 * Adds a backend that writes to the system log.
 * @param name name that records carry in the system log; copied
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2; replaced by doca_log_backend_create_with_syslog.
 */
DOCA_STABLE doca_error_t doca_log_create_syslog_backend(const char *name,
							struct doca_logger_backend **backend);

/**
 * Adds two backends: records of level INFO and DEBUG are written to stdout, records of level
 * WARNING and more severe ones to stderr. A second call has no effect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2; replaced by doca_log_backend_create_standard.
 */
DOCA_STABLE doca_error_t doca_log_create_standard_backend(void);

/**
 * Writes one record as doca_log() does. DOCA_DLOG calls it if DOCA_LOGGING_ALLOW_DLOG is defined.
 * @param level value of enum doca_log_level
 * @param source number from doca_log_source_register
 * @param line line number of the log call
 * @param format format of printf, followed by its arguments
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist, or no source has this number.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_log_developer(uint32_t level, int source, int line,
					    const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * Writes one record, unless its place has already logged as many as the rate limit allows. A record
 * that is dropped is not an error.
 * @param level value of enum doca_log_level
 * @param source number from doca_log_source_register
 * @param line line number of the log call
 * @param bucket number from doca_log_rate_bucket_register
 * @param format format of printf, followed by its arguments
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist, or no source or place has this number.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_log_rate_limit(uint32_t level, int source, int line, int bucket,
					     const char *format, ...)
	__attribute__((format(printf, 5, 6)));
#endif

#if DOCA_API_WORKQ
/**
 * Writes one record to every backend whose limits allow its level. The DOCA_LOG macros are the
 * usual way to call it.
 * @param level value of enum doca_log_level
 * @param source number from doca_log_source_register
 * @param line line number of the log call
 * @param format format of printf, followed by its arguments
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist, or no source has this number.
 * Since 2.0, until 2.2 in this form.
 */
DOCA_STABLE doca_error_t doca_log(uint32_t level, int source, int line, const char *format, ...)
	DOCA_BIND(doca_log, 1_3) __attribute__((format(printf, 4, 5)));

/* Logs with a separate rate limit for each place in the program. */
#define DOCA_LOG_RATE_LIMIT(level, ...)                                                    \
	(__extension__({                                                                   \
		static int log_bucket_ = -1;                                               \
		int bucket_ = __atomic_load_n(&log_bucket_, __ATOMIC_RELAXED);             \
		if (bucket_ < 0 &&                                                         \
		    doca_log_rate_bucket_register(log_source, &bucket_) == DOCA_SUCCESS)   \
			__atomic_store_n(&log_bucket_, bucket_, __ATOMIC_RELAXED);         \
		doca_log_rate_limit(DOCA_LOG_LEVEL_##level, log_source, __LINE__, bucket_, \
				    __VA_ARGS__);                                          \
	}))
#define DOCA_LOG_RATE_LIMIT_CRIT(...) DOCA_LOG_RATE_LIMIT(CRIT, __VA_ARGS__)
#define DOCA_LOG_RATE_LIMIT_ERR(...)  DOCA_LOG_RATE_LIMIT(ERROR, __VA_ARGS__)
#define DOCA_LOG_RATE_LIMIT_WARN(...) DOCA_LOG_RATE_LIMIT(WARNING, __VA_ARGS__)
#define DOCA_LOG_RATE_LIMIT_INFO(...) DOCA_LOG_RATE_LIMIT(INFO, __VA_ARGS__)
#define DOCA_LOG_RATE_LIMIT_DBG(...)  DOCA_LOG_RATE_LIMIT(DEBUG, __VA_ARGS__)
#endif

/*
 * Expands to nothing, and its arguments need not compile, unless DOCA_LOGGING_ALLOW_DLOG is
 * defined.
 */
#ifdef DOCA_LOGGING_ALLOW_DLOG
#define DOCA_DLOG(level, ...) \
	doca_log_developer(DOCA_LOG_LEVEL_##level, log_source, __LINE__, __VA_ARGS__)
#else
#define DOCA_DLOG(level, ...) ((void)0)
#endif
#define DOCA_DLOG_CRIT(...) DOCA_DLOG(CRIT, __VA_ARGS__)
#define DOCA_DLOG_ERR(...)  DOCA_DLOG(ERROR, __VA_ARGS__)
#define DOCA_DLOG_WARN(...) DOCA_DLOG(WARNING, __VA_ARGS__)
#define DOCA_DLOG_INFO(...) DOCA_DLOG(INFO, __VA_ARGS__)
#define DOCA_DLOG_DBG(...)  DOCA_DLOG(DEBUG, __VA_ARGS__)

/* Names from 2.5. */
#if !DOCA_API_BETWEEN(205, 303)
DOCA_ELSEWHERE(doca_log_backend_create_standard,
	       "since 2.5; up to 2.2 it is doca_log_create_standard_backend");
DOCA_ELSEWHERE(doca_log_backend_create_with_file,
	       "since 2.5; up to 2.2 it is doca_log_create_file_backend");
DOCA_ELSEWHERE(doca_log_level_set_global_lower_limit,
	       "since 2.5; up to 2.2 it is doca_log_global_level_set");
#endif

#ifdef __cplusplus
}
#endif

#endif
