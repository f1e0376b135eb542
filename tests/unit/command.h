/*
 * Commands of the system that a test compares the product with. Include it in one file of a
 * program.
 */
#ifndef TESTS_UNIT_COMMAND_H
#define TESTS_UNIT_COMMAND_H

#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* Returns whether the shell finds a program. */
static inline bool command_exists(const char *program)
{
	char line[256];

	snprintf(line, sizeof(line), "command -v %s >/dev/null", program);
	/* The names are literals. */
	return system(line) == 0;
}

/* Writes a file into the folder of the test program. Returns its path. */
static inline const char *command_file(const void *bytes, size_t n)
{
	static char path[256];
	FILE *file = fdopen(unit_mkstemp(path, sizeof(path), "input"), "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
	ck_assert_int_eq(fclose(file), 0);
	return path;
}

/* Runs a command line, which must succeed. Returns the number of bytes of its output. */
static inline size_t command_run(uint8_t *out, size_t max, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static inline size_t command_run(uint8_t *out, size_t max, const char *format, ...)
{
	char line[4096];
	va_list args;
	FILE *file;
	size_t n;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	ck_assert_int_lt(len, (int)sizeof(line));
	file = popen(line, "re");
	ck_assert_ptr_nonnull(file);
	n = fread(out, 1, max, file);
	ck_assert_msg(n < max, "the output is too long: %s", line);
	ck_assert_msg(pclose(file) == 0, "failed: %s", line);
	return n;
}

#endif
