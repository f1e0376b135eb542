/*
 * Log of programs and of the library.
 *
 * Each C file registers a source with DOCA_LOG_REGISTER(NAME) and logs with DOCA_LOG_ERR(...) and
 * its like. Records go to every backend whose limits allow the level. There are two separate sets
 * of backends: those of the program, and SDK ones (names with _sdk) that show what the library has
 * to say. Without a backend nothing is shown. A higher number is more verbose: the lower limit is
 * the most verbose level shown, the upper limit the most severe one. Backends live until the
 * process ends.
 *
 * Threads: all calls may be made from any thread at the same time.
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10, /* as a limit only: show nothing */
	DOCA_LOG_LEVEL_CRIT = 20,
	DOCA_LOG_LEVEL_ERROR = 30,
	DOCA_LOG_LEVEL_WARNING = 40,
	DOCA_LOG_LEVEL_INFO = 50,
	DOCA_LOG_LEVEL_DEBUG = 60,
	DOCA_LOG_LEVEL_TRACE = 70
};

struct doca_log_backend; /* where records go */

/* Gets the record, NUL-terminated, at the start of a buffer backend's memory. It must not log. */
typedef void (*log_flush_callback)(char *buf);

/**
 * Sets the most verbose level that a backend shows.
 * @param backend backend of one of the creators
 * @param level value of enum doca_log_level
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the level is none.
 * - DOCA_ERROR_NOT_PERMITTED: the limit is strict and this would relax it.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
								uint32_t level);

/**
 * Sets the most severe level that a backend shows.
 * @param backend backend of one of the creators
 * @param upper_limit value of enum doca_log_level
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the level is none.
 * - DOCA_ERROR_NOT_PERMITTED: the limit is strict and this would relax it.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
								uint32_t upper_limit);

/**
 * Makes the backend's lower limit strict for good: it can be narrowed, not relaxed, also not by
 * the global one.
 * @param backend backend of one of the creators
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t
doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * Makes the backend's upper limit strict for good: it can be narrowed, not relaxed, also not by
 * the global one.
 * @param backend backend of one of the creators
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t
doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * Sets the lower limit of all program backends that are not strict, and of those to come.
 * @param level value of enum doca_log_level
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level is none.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * Sets the upper limit of all program backends that are not strict, and of those to come.
 * @param upper_limit value of enum doca_log_level
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level is none.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * The program's global lower limit; INFO unless set.
 * Threads: any thread.
 * @return value of enum doca_log_level
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * The program's global upper limit; CRIT unless set.
 * Threads: any thread.
 * @return value of enum doca_log_level
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * Registers a log source. DOCA_LOG_REGISTER does it for a file.
 * @param source_name name shown with each record; copied
 * @param source receives the source's number, for doca_log
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_FULL: all source numbers are used.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * Takes a log source back; records that still name it are shown without a name.
 * @param source number from doca_log_register_source
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no source has this number.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_unregister_source(int source);

/**
 * Adds a program backend that writes to a stream.
 * @param fptr open stream; the program's, for the process's life
 * @param backend receives the backend; it lives until the process ends
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_file(FILE *fptr,
							   struct doca_log_backend **backend);

/**
 * Adds a program backend that writes to a descriptor.
 * @param fd open descriptor; the program's, for the process's life
 * @param backend receives the backend; it lives until the process ends
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or fd is not open.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * Adds a program backend that writes each record to the start of a buffer, then calls a handler.
 * @param buf memory for one record, NUL-terminated; the program's, for the process's life
 * @param capacity bytes at buf; a longer record is cut
 * @param handler called with the memory after each record is written
 * @param backend receives the backend; it lives until the process ends
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or capacity is 0.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.6. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
							  log_flush_callback handler,
							  struct doca_log_backend **backend);

/**
 * Adds a program backend that writes to the system log.
 * @param name name that records carry in the system log; copied
 * @param backend receives the backend; it lives until the process ends
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_syslog(const char *name,
							     struct doca_log_backend **backend);

/**
 * Sets the most verbose level that an SDK backend shows.
 * @param backend backend of one of the _sdk creators
 * @param level value of enum doca_log_level
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or a program backend, or the level is none.
 * - DOCA_ERROR_NOT_PERMITTED: the limit is strict and this would relax it.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend,
							uint32_t level);

/**
 * Adds an SDK backend that writes to a stream.
 * @param fptr open stream; the program's, for the process's life
 * @param backend receives the backend; it lives until the process ends
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr,
							       struct doca_log_backend **backend);

/**
 * Adds an SDK backend that writes to a descriptor.
 * @param fd open descriptor; the program's, for the process's life
 * @param backend receives the backend; it lives until the process ends
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or fd is not open.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_fd_sdk(int fd,
							     struct doca_log_backend **backend);

/**
 * Adds an SDK backend that writes each record to the start of a buffer, then calls a handler.
 * @param buf memory for one record, NUL-terminated; the program's, for the process's life
 * @param capacity bytes at buf; a longer record is cut
 * @param handler called with the memory after each record is written
 * @param backend receives the backend; it lives until the process ends
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or capacity is 0.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.6. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
							      log_flush_callback handler,
							      struct doca_log_backend **backend);

/**
 * Adds an SDK backend that writes to the system log.
 * @param name name that records carry in the system log; copied
 * @param backend receives the backend; it lives until the process ends
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
								 struct doca_log_backend **backend);

/**
 * Sets the most verbose level of all SDK backends, and of those to come.
 * @param level value of enum doca_log_level
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level is none.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * The most verbose level of SDK backends; INFO unless set.
 * Threads: any thread.
 * @return value of enum doca_log_level
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * Adds two program backends: INFO and what is more verbose to stdout, WARNING and what is more
 * severe to stderr.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log_backend_create_standard(void);

/**
 * Writes one record to every program backend whose limits allow its level. The DOCA_LOG macros are
 * the usual way to call it.
 * @param level value of enum doca_log_level, not DISABLE
 * @param source number from doca_log_register_source
 * @param fname file that logs; borrowed for the call
 * @param line line in it
 * @param func function in it; borrowed for the call
 * @param format as for printf, with its arguments behind it
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: format is NULL, the level is none, or no source has this number.
 * - DOCA_ERROR_NO_MEMORY: no memory for a long record; it is lost.
 * Since 2.5. Source: DOCA Log guide.
 */
DOCA_STABLE doca_error_t doca_log(uint32_t level, int source, const char *fname, int line,
				  const char *func, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/*
 * Registers this file as a log source before main; NAME is a bare token or several, such as
 * PE::COMMON. Once per file, at file scope, before the first use of the macros below, followed by a
 * semicolon.
 */
#define DOCA_LOG_REGISTER(source)                                                   \
	static int log_source;                                                      \
	static void doca_log_register_this_file(void) __attribute__((constructor)); \
	static void doca_log_register_this_file(void)                               \
	{                                                                           \
		(void)doca_log_register_source(#source, &log_source);               \
	}                                                                           \
	struct doca_log_backend

/*
 * Logs at a level given by its bare suffix (CRIT, ERROR, WARNING, INFO, DEBUG, TRACE), for example
 * DOCA_LOG(INFO, "n is %d", n).
 */
#define DOCA_LOG(level, ...) \
	doca_log(DOCA_LOG_LEVEL_##level, log_source, __FILE__, __LINE__, __func__, __VA_ARGS__)

#define DOCA_LOG_CRIT(...) DOCA_LOG(CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...)  DOCA_LOG(ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...)  DOCA_LOG(DEBUG, __VA_ARGS__)

/* Checked, and not evaluated, unless DOCA_LOGGING_ALLOW_TRACE is defined: it costs nothing. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(TRACE, __VA_ARGS__)
#else
#define DOCA_LOG_TRC(...) (0 ? (void)DOCA_LOG(TRACE, __VA_ARGS__) : (void)0)
#endif

#ifdef __cplusplus
}
#endif

#endif
