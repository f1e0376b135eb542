/*
 * The part of the log, besides sdk_log() (client/base/error.h), that other modules of the library
 * use. Argument parsing writes messages for the user of the program, and earlier generations have
 * the same sources and backends under other names. `what` is the public call's name for error
 * sentences.
 */
#ifndef CLIENT_BASE_LOG_H
#define CLIENT_BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>

#include <doca_log.h>

#include "util/util.h"

/* Writes to the program's own backends, subject to their limits. source: a short upper-case
 * name. */
void app_log(unsigned level, const char *source, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Returns whether the level is an enumerator: DISABLE, CRIT, ... TRACE. */
bool log_level_is_valid(unsigned level);

/* --- implementations of the public calls --- */

enum log_bound { LOG_LOWER, LOG_UPPER };

doca_error_t log_source_add(const char *what, const char *source_name, int *source);
doca_error_t log_source_remove(int source);
/* Returns whether log_vput() would write the record. If not, *result is what log_vput() would
 * return. */
bool log_shows(uint32_t level, int source, const char *format, doca_error_t *result);
/* If fname is NULL, only the line number is shown. */
doca_error_t log_vput(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, va_list args) PRINTF_LIKE(6, 0);

doca_error_t log_backend_limit(const char *what, struct doca_log_backend *backend,
			       enum log_bound bound, uint32_t level);
doca_error_t log_backend_strict(const char *what, struct doca_log_backend *backend,
				enum log_bound bound);
/* Set and return the limit of the program's backends. */
doca_error_t log_global_limit(const char *what, enum log_bound bound, uint32_t level);
uint32_t log_global_lower(void);

doca_error_t log_create_file(const char *what, bool is_sdk, FILE *file,
			     struct doca_log_backend **backend_out);
doca_error_t log_create_fd(const char *what, bool is_sdk, int fd,
			   struct doca_log_backend **backend_out);
doca_error_t log_create_buf(const char *what, bool is_sdk, char *buf, size_t capacity,
			    log_flush_callback handler, struct doca_log_backend **backend_out);
doca_error_t log_create_syslog(const char *what, bool is_sdk, const char *name,
			       struct doca_log_backend **backend_out);
/* Works once per process; later calls change nothing. */
doca_error_t log_create_standard(const char *what);

#endif
