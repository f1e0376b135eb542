/*
 * What the library's other modules need of its log beyond sdk_log (client/core/error.h): argument
 * parsing writes messages that are meant for whoever started the program.
 */
#ifndef CLIENT_CORE_LOG_H
#define CLIENT_CORE_LOG_H

#include <stdarg.h>
#include <stdbool.h>

#include <doca_log.h>

#include "util/util.h"

/* Writes to the program's own backends, under its limits. source: a short upper-case name. */
void app_log(unsigned level, const char *source, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* DISABLE, CRIT, ... TRACE: one of the enumerators. */
bool log_level_is_valid(unsigned level);

#endif
