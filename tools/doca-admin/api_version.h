/* The versions of the interface that are installed, and which of them a user means. No state. */
#ifndef TOOLS_DOCA_ADMIN_API_VERSION_H
#define TOOLS_DOCA_ADMIN_API_VERSION_H

/* Room for the name of a version, "2.10". */
#define API_VERSION_MAX 16

/*
 * Chooses an installed version. text is "2.2", or "2.2.0080" with a part that is ignored, or NULL
 * for the newest. A version that is not there stands for the nearest one with the same major
 * number, and a line on stderr says so. Returns 0; -EINVAL if nothing fits, or -ENOENT if no
 * modules are installed; the error was printed.
 */
int api_version_choose(const char *text, char version_out[API_VERSION_MAX]);
/* The number that DOCA_USE_VERSION has for a version: 202 for "2.2". */
unsigned api_version_number(const char *version);

#endif
