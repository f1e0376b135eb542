/*
 * Log sources, backends and limits, from 2.5 on. Included by doca_log.h.
 *
 * Threads: any number of threads may call the functions at the same time.
 */
#ifndef DOCA_LOG_TASK_H_
#define DOCA_LOG_TASK_H_

#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_log_backend; /* where records go */

#if DOCA_API_BETWEEN(205, 303)
/**
 * Sets the most verbose level that a backend shows.
 * @param backend backend returned by a create call
 * @param level value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist.
 * - DOCA_ERROR_NOT_PERMITTED: the limit is strict and this would relax it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
								uint32_t level);

/**
 * Sets the most severe level that a backend shows.
 * @param backend backend returned by a create call
 * @param upper_limit value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist.
 * - DOCA_ERROR_NOT_PERMITTED: the limit is strict and this would relax it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
								uint32_t upper_limit);

/**
 * Makes the backend's lower limit strict: from then on it can be restricted further but not
 * relaxed, not even by the global limit.
 * @param backend backend returned by a create call
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * Makes the backend's upper limit strict: from then on it can be restricted further but not
 * relaxed, not even by the global limit.
 * @param backend backend returned by a create call
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * Sets the lower limit of all program backends whose limit is not strict, including those that are
 * created later.
 * @param level value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * Sets the upper limit of all program backends whose limit is not strict, including those that are
 * created later.
 * @param upper_limit value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * Returns the program's global lower limit; the default is INFO.
 * @return value of enum doca_log_level
 * Since 2.5.
 */
DOCA_STABLE uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * Returns the program's global upper limit; the default is CRIT.
 * @return value of enum doca_log_level
 * Since 2.5.
 */
DOCA_STABLE uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * Registers a log source. DOCA_LOG_REGISTER calls this for a file.
 * @param source_name name shown with each record; copied
 * @param source receives the source's number, for doca_log
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the name is empty.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_FULL: all source numbers are in use; unregister a source.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * Unregisters a log source. Later records of it are refused.
 * @param source number from doca_log_register_source
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no source has this number.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_unregister_source(int source);

/**
 * Adds a program backend that writes to a stream.
 * @param fptr open stream; owned by the program, must stay valid until the process ends
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_file(FILE *fptr,
							   struct doca_log_backend **backend);

/**
 * Adds a program backend that writes to a descriptor.
 * @param fd open descriptor; owned by the program, must stay valid until the process ends
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: fd is negative.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * Adds a program backend that writes each record to the start of a buffer, then calls a handler.
 * @param buf memory for one record, NUL-terminated; owned by the program, must stay valid until the
 *   process ends
 * @param capacity size of buf in bytes; a longer record is truncated
 * @param handler called with the memory after each record is written
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: capacity is 0.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
							  log_flush_callback handler,
							  struct doca_log_backend **backend);

/**
 * Adds a program backend that writes to the system log.
 * @param name name that records carry in the system log; copied
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_syslog(const char *name,
							     struct doca_log_backend **backend);

/**
 * Sets the most verbose level that an SDK backend shows.
 * @param backend backend returned by a create call with _sdk
 * @param level value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is a program backend, or the level does not exist.
 * - DOCA_ERROR_NOT_PERMITTED: the limit is strict and this would relax it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend,
							uint32_t level);

/**
 * Adds an SDK backend that writes to a stream.
 * @param fptr open stream; owned by the program, must stay valid until the process ends
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr,
							       struct doca_log_backend **backend);

/**
 * Adds an SDK backend that writes to a descriptor.
 * @param fd open descriptor; owned by the program, must stay valid until the process ends
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: fd is negative.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_fd_sdk(int fd,
							     struct doca_log_backend **backend);

/**
 * Adds an SDK backend that writes each record to the start of a buffer, then calls a handler.
 * @param buf memory for one record, NUL-terminated; owned by the program, must stay valid until the
 *   process ends
 * @param capacity size of buf in bytes; a longer record is truncated
 * @param handler called with the memory after each record is written
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: capacity is 0.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
							      log_flush_callback handler,
							      struct doca_log_backend **backend);

/**
 * Adds an SDK backend that writes to the system log.
 * @param name name that records carry in the system log; copied
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
								 struct doca_log_backend **backend);

/**
 * Sets the most verbose level of all SDK backends, including those that are created later.
 * @param level value of enum doca_log_level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * Returns the most verbose level of SDK backends; the default is INFO.
 * @return value of enum doca_log_level
 * Since 2.5.
 */
DOCA_STABLE uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * Adds two program backends: records of level INFO and more verbose ones are written to stdout,
 * records of level WARNING and more severe ones to stderr.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_standard(void);
#endif

/* Calls for buffer backends in 2.5; from 2.6 on, their names are shorter. */
#if DOCA_API_BETWEEN(205, 205)
/**
 * Adds a program backend that writes each record to the start of a buffer, then calls a handler.
 * @param buffer memory for one record, NUL-terminated; owned by the program, must stay valid until
 *   the process ends
 * @param capacity size of buffer in bytes; a longer record is truncated
 * @param handler called with the memory after each record is written
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: capacity is 0.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * In 2.5 only; replaced by doca_log_backend_create_with_buf.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_buffer(char *buffer, size_t capacity,
							     log_flush_callback handler,
							     struct doca_log_backend **backend);

/**
 * Adds an SDK backend that writes each record to the start of a buffer, then calls a handler.
 * @param buffer memory for one record, NUL-terminated; owned by the program, must stay valid until
 *   the process ends
 * @param capacity size of buffer in bytes; a longer record is truncated
 * @param handler called with the memory after each record is written
 * @param backend receives the backend; it exists until the process ends
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: capacity is 0.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * In 2.5 only; replaced by doca_log_backend_create_with_buf_sdk.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_buffer_sdk(char *buffer, size_t capacity,
								 log_flush_callback handler,
								 struct doca_log_backend **backend);
#endif

#if !DOCA_API_WORKQ
/**
 * Writes one record to every program backend whose limits allow its level. The DOCA_LOG macros are
 * the usual way to call it. If memory is short, a long record is truncated.
 * @param level value of enum doca_log_level, not DISABLE
 * @param source number from doca_log_register_source
 * @param fname name of the logging file; only read during the call
 * @param line line number of the log call
 * @param func name of the logging function; only read during the call
 * @param format format of printf, followed by its arguments
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level does not exist, or no source has this number.
 * Since 2.5 in this form.
 */
DOCA_STABLE doca_error_t doca_log(uint32_t level, int source, const char *fname, int line,
				  const char *func, const char *format, ...)
	DOCA_BIND(doca_log, 2_5) __attribute__((format(printf, 6, 7)));
#endif

/* Names up to 2.2. */
#if !DOCA_API_BETWEEN(103, 204)
DOCA_ELSEWHERE(doca_log_create_standard_backend,
	       "until 2.2; from 2.5 on it is doca_log_backend_create_standard");
DOCA_ELSEWHERE(doca_log_create_file_backend,
	       "until 2.2; from 2.5 on it is doca_log_backend_create_with_file");
DOCA_ELSEWHERE(doca_log_global_level_set,
	       "until 2.2; from 2.5 on it is doca_log_level_set_global_lower_limit");
#endif

#ifdef __cplusplus
}
#endif

#endif
