/*
 * The log of earlier generations: what the functions bound to one version (client/compat/vX_Y) are
 * made of. Threads: any.
 */
#ifndef CLIENT_COMPAT_LOG_H
#define CLIENT_COMPAT_LOG_H

#include <stdarg.h>
#include <stdint.h>

#include <doca_error.h>

#include "util/util.h"

/* A record that names its line only. */
doca_error_t compat_vlog(uint32_t level, int source, int line, const char *format, va_list args)
	PRINTF_LIKE(4, 0);

#endif
