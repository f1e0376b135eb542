/* The log of earlier generations: implementations of the functions that are bound to one version
 * (client/compat/abi). Threads: any. */
#ifndef CLIENT_COMPAT_LOG_H
#define CLIENT_COMPAT_LOG_H

#include <stdarg.h>
#include <stdint.h>

#include <doca_error.h>

#include "util/util.h"

/* Logs a record that has a line number but no file name. */
doca_error_t compat_vlog(uint32_t level, int source, int line, const char *format, va_list args)
	PRINTF_LIKE(4, 0);

#endif
