/*
 * Log of programs and of the library. Each C file registers a source with DOCA_LOG_REGISTER(NAME)
 * and logs with DOCA_LOG_ERR(...) and similar macros.
 *
 * A record is written to every backend whose limits allow its level. There are two separate sets of
 * backends: program backends show the records of the program, and SDK backends (calls with _sdk)
 * show those of the library. Without a backend nothing is shown. A higher number is a more verbose
 * level. The lower limit of a backend is the most verbose level that it shows, the upper limit the
 * most severe one. Backends exist until the process ends.
 *
 * The calls are in dococ/log_task.h from 2.5 on, and in dococ/log_workq.h up to 2.2. The macros are
 * the same in all versions. Programs of 1.x have a standard backend without creating one.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the handler of a buffer backend logs a record, creates a backend,
 *   registers a source, or changes a limit.
 *
 * Threads: any number of threads may call the functions at the same time.
 *
 * Reference: DOCA Log guide.
 *
 * Example: show the records of the program and, of those of the library, warnings and more severe
 * ones.
 *
 *     #include <stdio.h>
 *
 *     DOCA_LOG_REGISTER(EXAMPLE);
 *
 *     void start_log(void)
 *     {
 *         struct doca_log_backend *library;
 *
 *         doca_log_backend_create_standard();
 *         if (doca_log_backend_create_with_file_sdk(stderr, &library) == DOCA_SUCCESS)
 *             doca_log_backend_set_sdk_level(library, DOCA_LOG_LEVEL_WARNING);
 *         DOCA_LOG_INFO("library of version %s", doca_version_runtime());
 *     }
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
	DOCA_LOG_LEVEL_DISABLE = 10, /* as a limit only: shows nothing; since 2.5 */
	DOCA_LOG_LEVEL_CRIT = 20,
	DOCA_LOG_LEVEL_ERROR = 30,
	DOCA_LOG_LEVEL_WARNING = 40,
	DOCA_LOG_LEVEL_INFO = 50,
	DOCA_LOG_LEVEL_DEBUG = 60,
	DOCA_LOG_LEVEL_TRACE = 70 /* since 2.5 */
};

/*
 * Handler of a buffer backend. Receives the start of the backend's memory, which has the
 * NUL-terminated record. The handler must not log.
 */
typedef void (*log_flush_callback)(char *buf);

/*
 * Functions behind DOCA_LOG_REGISTER: they run before main() and, up to 2.6, when the program ends
 * or the plug-in is unloaded.
 */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
#define DOCA_API_LOG_BEGIN(name) (void)doca_log_register_source(name, &log_source)
#define DOCA_API_LOG_END
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
#define DOCA_API_LOG_BEGIN(name) (void)doca_log_register_source(name, &log_source)
#define DOCA_API_LOG_END         DOCA_API_LOG_AT_END((void)doca_log_unregister_source(log_source))
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
#define DOCA_API_LOG_BEGIN(name) (void)doca_log_source_register(name, &log_source)
#define DOCA_API_LOG_END         DOCA_API_LOG_AT_END((void)doca_log_source_destroy(log_source))
#else
#define DOCA_API_LOG_BEGIN(name)                            \
	((void)doca_log_source_register(name, &log_source), \
	 (void)doca_log_create_standard_backend())
#define DOCA_API_LOG_END DOCA_API_LOG_AT_END((void)doca_log_source_destroy(log_source))
#endif
#define DOCA_API_LOG_AT_END(call)                                                    \
	static void doca_log_unregister_this_file(void) __attribute__((destructor)); \
	static void doca_log_unregister_this_file(void)                              \
	{                                                                            \
		call;                                                                \
	}

/*
 * Registers this file as a log source before main(). The name is a bare token, or several tokens
 * such as PE::COMMON. Use the macro once per file, at file scope or in a namespace, before the
 * first use of the macros below. A semicolon may follow. C allows no semicolon after a function;
 * therefore the macro ends with a prefix of the next declaration, which may be empty.
 */
#ifdef __cplusplus
#define DOCA_API_LOG_LAST
#else
#define DOCA_API_LOG_LAST __extension__
#endif
#define DOCA_LOG_REGISTER(source)                                                   \
	static int log_source;                                                      \
	static void doca_log_register_this_file(void) __attribute__((constructor)); \
	static void doca_log_register_this_file(void)                               \
	{                                                                           \
		DOCA_API_LOG_BEGIN(#source);                                        \
	}                                                                           \
	DOCA_API_LOG_END                                                            \
	DOCA_API_LOG_LAST

/*
 * Logs at a level given by its bare suffix (CRIT, ERROR, WARNING, INFO, DEBUG, TRACE), for example
 * DOCA_LOG(INFO, "n is %d", n).
 */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
#define DOCA_LOG(level, ...) \
	doca_log(DOCA_LOG_LEVEL_##level, log_source, __FILE__, __LINE__, __func__, __VA_ARGS__)
#else
#define DOCA_LOG(level, ...) doca_log(DOCA_LOG_LEVEL_##level, log_source, __LINE__, __VA_ARGS__)
#endif

#define DOCA_LOG_CRIT(...) DOCA_LOG(CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...)  DOCA_LOG(ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...)  DOCA_LOG(DEBUG, __VA_ARGS__)

/*
 * Expands to nothing, and its arguments need not compile, unless DOCA_LOGGING_ALLOW_TRACE is
 * defined.
 */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(TRACE, __VA_ARGS__)
#else
#define DOCA_LOG_TRC(...) ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/log_workq.h>
#else
#include <dococ/log_task.h>
#endif

#endif
