/*
 * One pkg-config module of this runtime. doca-admin reads the installed modules instead of having
 * its own table of versions, sides and libraries. Plain data.
 */
#ifndef TOOLS_DOCA_ADMIN_SDK_PC_FILE_H
#define TOOLS_DOCA_ADMIN_SDK_PC_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The fields that doca-admin needs, with variables replaced by their values. */
struct pc_file {
	char prefix[PATH_MAX];
	char libdir[PATH_MAX];
	char includedir[PATH_MAX];
	char description[128];
	char version[32];
	char cflags[2 * PATH_MAX];
	char libs[PATH_MAX];
};

/* Reads DIR/NAME. Returns 0 or -errno: -ENAMETOOLONG if a field does not fit. */
int pc_file_read(const char *dir, const char *name, struct pc_file *pc_out);
/* True if DIR contains modules of this runtime. */
bool pc_file_is_ours(const char *dir);
/*
 * Copies the next word of flags that begins with prefix ("-I"), without the prefix, and moves
 * *flags behind it. Returns false at the end, or if the word does not fit.
 */
bool pc_file_next_flag(const char **flags, const char *prefix, char *word_out, size_t len);

#endif
