/*
 * Reads an INI file (inih) for configuration and topology. Counts lines, and lets the consumer of
 * the entries refuse one with a sentence that begins "file:line: ". Keys are passed one by one. At
 * the start of a section, the key is NULL, so that an empty section is seen, too. Reading continues
 * after a mistake, so that the user gets all of them at once. Keys of a section whose heading was
 * refused are skipped.
 */
#ifndef DAEMON_BASE_INI_FILE_H
#define DAEMON_BASE_INI_FILE_H

#include <stddef.h>

#include "util/util.h"

#define INI_ERROR_LEN  512
#define INI_MAX_REPORT 50 /* mistakes that are reported one by one */

/* Collects mistakes over several files. Initialise with zeros. */
struct ini_error {
	char text[INI_ERROR_LEN];         /* the first mistake */
	unsigned n;                       /* number of mistakes */
	void (*report)(const char *text); /* called for each mistake; may be NULL */
};

struct ini_position {
	const char *file;
	int line;
	struct ini_error *error;
};

/*
 * section is the text between brackets; key and value are NULL at the start of a section. Returns 0
 * or -EINVAL.
 */
typedef int (*ini_entry_fn)(void *user, const struct ini_position *at, const char *section,
			    const char *key, const char *value);

/*
 * Returns 0; -EINVAL with sentences in *error; or, if the file cannot be opened, another -errno
 * with a sentence.
 */
int ini_file_read(const char *path, ini_entry_fn fn, void *user, struct ini_error *error);
/* Like ini_file_read(), from memory; name stands for the file in messages. */
int ini_text_read(const char *name, const char *text, ini_entry_fn fn, void *user,
		  struct ini_error *error);

/* Adds a mistake that has no position in a file. */
void ini_error_add(struct ini_error *error, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Adds "file:line: ..." and returns -EINVAL. */
int ini_refuse(const struct ini_position *at, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Adds "file:line: key 'x': ..." and returns -EINVAL. */
int ini_refuse_key(const struct ini_position *at, const char *key, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif
