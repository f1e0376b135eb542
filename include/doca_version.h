/*
 * The SDK version whose interface these headers declare, and comparisons with it at compile time.
 *
 * A number for comparison is major << 24 | minor << 16 | patch. The CALC form takes the short patch
 * number that release names use (3.0.0 has 58 as its build) and multiplies it by 1000; the
 * CALC_EXACT form takes the last part as it is.
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_VERSION_MAJOR  3
#define DOCA_VERSION_MINOR  3
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "3.3.0"

#define DOCA_VERSION_CALC_EXACT(major, minor, patch) \
	((size_t)((major) << 24 | (minor) << 16 | (patch)))
#define DOCA_VERSION_CALC(major, minor, patch) \
	((size_t)((major) << 24 | (minor) << 16 | ((patch)*1000)))

#define DOCA_VERSION_EXACT \
	DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)
#define DOCA_VERSION_OFFICIAL \
	DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* Is the given version the one of these headers; is it that one or an earlier one. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch) \
	(DOCA_VERSION_CALC(major, minor, patch) == DOCA_VERSION_OFFICIAL)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch) \
	(DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_OFFICIAL)

/**
 * Version of the SDK that the program was compiled with: DOCA_VERSION_STRING, a static string.
 * Threads: any thread.
 * @return the string, never NULL
 * Since 2.5. Source: DOCA Core guide, version helpers.
 */
static inline const char *doca_version(void)
{
	return DOCA_VERSION_STRING;
}

/**
 * Version of the library that the program runs with, in the same form; a static string.
 * Threads: any thread.
 * @return the string, never NULL
 * Since 2.5. Source: DOCA Core guide, version helpers.
 */
DOCA_STABLE const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif
