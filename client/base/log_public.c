/* The public log from 2.5 on: names for the functions of client/base/log.c, which itself has those
 * for the SDK's backends. Threads: any. */
#include <stdarg.h>

#include <doca_log.h>

#include "client/base/generation.h"
#include "client/base/log.h"

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
	return log_source_add(__func__, source_name, source);
}

doca_error_t doca_log_unregister_source(int source)
{
	return log_source_remove(source);
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, ...)
{
	doca_error_t result;
	va_list args;

	va_start(args, format);
	result = log_vput(level, source, fname, line, func, format, args);
	va_end(args);
	return result;
}
API_PLAIN(doca_log, 2_5);

doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
						    uint32_t level)
{
	return log_backend_limit(__func__, backend, LOG_LOWER, level);
}

doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
						    uint32_t upper_limit)
{
	return log_backend_limit(__func__, backend, LOG_UPPER, upper_limit);
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
	return log_backend_strict(__func__, backend, LOG_LOWER);
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
	return log_backend_strict(__func__, backend, LOG_UPPER);
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
	return log_global_limit(__func__, LOG_LOWER, level);
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
	return log_global_limit(__func__, LOG_UPPER, upper_limit);
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
	return log_global_lower();
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
	return log_create_file(__func__, false, fptr, backend);
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
	return log_create_file(__func__, true, fptr, backend);
}

doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
	return log_create_fd(__func__, false, fd, backend);
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
	return log_create_fd(__func__, true, fd, backend);
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
					      log_flush_callback handler,
					      struct doca_log_backend **backend)
{
	return log_create_buf(__func__, false, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
						  log_flush_callback handler,
						  struct doca_log_backend **backend)
{
	return log_create_buf(__func__, true, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_syslog(const char *name,
						 struct doca_log_backend **backend)
{
	return log_create_syslog(__func__, false, name, backend);
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
						     struct doca_log_backend **backend)
{
	return log_create_syslog(__func__, true, name, backend);
}

doca_error_t doca_log_backend_create_standard(void)
{
	return log_create_standard(__func__);
}
