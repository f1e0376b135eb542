/* Locations of the daemon's program and the library, and the choice of the lab for a command. */
#ifndef TOOLS_DOCA_ADMIN_LAB_PATHS_H
#define TOOLS_DOCA_ADMIN_LAB_PATHS_H

#include <stddef.h>

#include "tools/doca-admin/lab/lab.h"

/*
 * Finds the daemon: DOCOCORED, else next to this program as built or as installed, else in PATH.
 * Returns 0, or -ENOENT after printing the error.
 */
int lab_paths_find_daemon(char *path_out, size_t len);
/*
 * Returns the directory of libdococlient if the linker does not search it by default. Returns 0 or
 * -ENOENT.
 */
int lab_paths_find_library(char *dir_out, size_t len);
/*
 * Finds the directory of the pkg-config modules of a side, for a version ("2.2") or, with NULL, the
 * newest. Returns 0 or -ENOENT.
 */
int lab_paths_find_modules(enum lab_side side, const char *version, char *dir_out, size_t len);
/*
 * Finds the directory that has a folder for each version whose modules are installed. Returns 0 or
 * -ENOENT.
 */
int lab_paths_find_versions(char *dir_out, size_t len);
/*
 * Loads the lab in dir or, with NULL, the only one that is up. Returns 0, or -errno after printing
 * the error.
 */
int lab_paths_choose(const char *dir, struct lab *lab_out);

#endif
