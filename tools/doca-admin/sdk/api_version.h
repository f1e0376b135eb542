/* The installed versions of the interface, and the choice of one by the user. Keeps no state. */
#ifndef TOOLS_DOCA_ADMIN_SDK_API_VERSION_H
#define TOOLS_DOCA_ADMIN_SDK_API_VERSION_H

/* Room for the name of a version, "2.10". */
#define API_VERSION_MAX 16

/*
 * Chooses an installed version. text is "2.2", "2.2.0080" (the last part is ignored), or NULL for
 * the newest. If the version is not installed, chooses the nearest one with the same major number
 * and says so on stderr. Returns 0; -EINVAL if no version fits; -ENOENT if no modules are
 * installed. Prints the error.
 */
int api_version_choose(const char *text, char version_out[API_VERSION_MAX]);
/* Returns the number that DOCA_USE_VERSION has for a version: 202 for "2.2". */
unsigned api_version_number(const char *version);

#endif
