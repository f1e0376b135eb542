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
 * The calls are in doca_log_task.h from 2.5 on, and in doca_log_workq.h up to 2.2; the macros here
 * are the same in all versions. Programs of 1.x have a standard backend without asking for one.
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
	DOCA_LOG_LEVEL_DISABLE = 10, /* as a limit only: show nothing; since 2.5 */
	DOCA_LOG_LEVEL_CRIT = 20,
	DOCA_LOG_LEVEL_ERROR = 30,
	DOCA_LOG_LEVEL_WARNING = 40,
	DOCA_LOG_LEVEL_INFO = 50,
	DOCA_LOG_LEVEL_DEBUG = 60,
	DOCA_LOG_LEVEL_TRACE = 70 /* since 2.5 */
};

/* Gets the record, NUL-terminated, at the start of a buffer backend's memory. It must not log. */
typedef void (*log_flush_callback)(char *buf);

/*
 * What DOCA_LOG_REGISTER does before main, and up to 2.6 when the program ends or the plug-in is
 * unloaded.
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
 * Registers this file as a log source before main; the name is a bare token or several, such as
 * PE::COMMON. Once per file, at file scope or in a namespace, before the first use of the macros
 * below. A semicolon may follow. C allows none after a function: there the macro ends with a mark
 * that applies to the next declaration, of which an empty one is then allowed.
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

/* Nothing, and its arguments need not even compile, unless DOCA_LOGGING_ALLOW_TRACE is defined. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(TRACE, __VA_ARGS__)
#else
#define DOCA_LOG_TRC(...) ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <doca_log_workq.h>
#else
#include <doca_log_task.h>
#endif

#endif
