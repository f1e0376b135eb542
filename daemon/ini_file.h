/*
 * Reads an INI file (inih) for configuration and topology: counts lines, and lets the reader of the
 * entries refuse one with a sentence that begins "file:line: ". Keys are handed over one by one; a
 * section without keys is announced with key NULL, so that an empty section is seen too.
 */
#ifndef DAEMON_INI_FILE_H
#define DAEMON_INI_FILE_H

#include <stddef.h>

#include "util/util.h"

#define INI_ERROR_LEN 512

struct ini_error {
	char text[INI_ERROR_LEN];
};

struct ini_position {
	const char *file;
	int line;
	struct ini_error *error;
};

/* section is the text between brackets; key and value are NULL at the start of a section. 0 or
 * -EINVAL. */
typedef int (*ini_entry_fn)(void *user, const struct ini_position *at, const char *section,
			    const char *key, const char *value);

/* 0, -EINVAL with a sentence in *error, or -errno of opening with a sentence too. */
int ini_file_read(const char *path, ini_entry_fn fn, void *user, struct ini_error *error);
/* The same from memory; name stands for the file in messages. */
int ini_text_read(const char *name, const char *text, ini_entry_fn fn, void *user,
		  struct ini_error *error);

/* Writes "file:line: ..." and returns -EINVAL. */
int ini_refuse(const struct ini_position *at, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Writes "file:line: key 'x': ..." and returns -EINVAL. */
int ini_refuse_key(const struct ini_position *at, const char *key, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif
