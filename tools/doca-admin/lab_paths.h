/* Where things are: the daemon's program, the library, and the lab that a command means. */
#ifndef TOOLS_DOCA_ADMIN_LAB_PATHS_H
#define TOOLS_DOCA_ADMIN_LAB_PATHS_H

#include <stddef.h>

#include "tools/doca-admin/lab.h"

/*
 * DOCOCORED, else next to this program as built or as installed, else PATH. 0 or -ENOENT; the error
 * was printed.
 */
int lab_paths_find_daemon(char *path_out, size_t len);
/* Directory of libdococlient when the linker does not look there by itself. 0 or -ENOENT. */
int lab_paths_find_library(char *dir_out, size_t len);
/*
 * Directory of the pkg-config modules of a side, of the version ("2.2") or, with NULL, the newest.
 * 0 or -ENOENT.
 */
int lab_paths_find_modules(enum lab_side side, const char *version, char *dir_out, size_t len);
/* Directory that has a folder for each version whose modules are installed. 0 or -ENOENT. */
int lab_paths_find_versions(char *dir_out, size_t len);
/* The lab in dir, or with NULL the only one that is up. 0 or -errno; the error was printed. */
int lab_paths_choose(const char *dir, struct lab *lab_out);

#endif
