/* The log, as called by programs of 1.3 to 2.2. */
#include <stdarg.h>

#include <doca_log.h>

#include "client/compat/log.h"

doca_error_t doca_log(uint32_t level, int source, int line, const char *format, ...)
{
	doca_error_t result;
	va_list args;

	va_start(args, format);
	result = compat_vlog(level, source, line, format, args);
	va_end(args);
	return result;
}
