/*
 * Replaces the C library's openlog() and syslog() for this program and for the library under test.
 * A library built with FORTIFY_SOURCE calls __syslog_chk() instead. Include it in one source file
 * of a program.
 */
#ifndef TESTS_LIB_SYSLOG_H
#define TESTS_LIB_SYSLOG_H

#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#define INSTEAD __attribute__((visibility("default")))

/* Arguments of the last calls. */
static char syslog_ident[64], syslog_text[512];
static int syslog_priority;

INSTEAD void openlog(const char *ident, int option, int facility)
{
	(void)option;
	(void)facility;
	snprintf(syslog_ident, sizeof(syslog_ident), "%s", ident);
}

static void syslog_record(int priority, const char *fmt, va_list args)
{
	syslog_priority = priority;
	vsnprintf(syslog_text, sizeof(syslog_text), fmt, args);
}

INSTEAD void syslog(int priority, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	syslog_record(priority, fmt, args);
	va_end(args);
}

INSTEAD void __syslog_chk(int priority, int flag, const char *fmt, ...);
INSTEAD void __syslog_chk(int priority, int flag, const char *fmt, ...)
{
	va_list args;

	(void)flag;
	va_start(args, fmt);
	syslog_record(priority, fmt, args);
	va_end(args);
}

#endif
