/*
 * Version of the SDK interface that these headers declare, and comparisons with it at compile time.
 * It is the selected version (doca_api.h), with the patch number of its release where that is
 * known.
 *
 * A number for comparisons is major << 24 | minor << 16 | patch. From 2.6 on, there are two macros
 * for it. DOCA_VERSION_CALC takes the patch number of a release's short name (0 in 3.0.0) and
 * multiplies it by 1000. DOCA_VERSION_CALC_EXACT takes the last number of the full name as it is
 * (58 in 3.0.0058). Before 2.6, DOCA_VERSION_NUM takes the patch number as it is.
 *
 * Example: print the version for which the program was compiled and the version of the library.
 *
 *     #include <stdio.h>
 *
 *     void print_versions(void)
 *     {
 *         printf("built for %s, runs with %s\n", doca_version(), doca_version_runtime());
 *     }
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Literal numbers, because programs also convert them to text. */
#if DOCA_USE_VERSION == 103
#define DOCA_VER_MAJOR  1
#define DOCA_VER_MINOR  3
#define DOCA_VER_PATCH  0
#define DOCA_VER_STRING "1.3.0"
#elif DOCA_USE_VERSION == 104
#define DOCA_VER_MAJOR  1
#define DOCA_VER_MINOR  4
#define DOCA_VER_PATCH  0
#define DOCA_VER_STRING "1.4.0"
#elif DOCA_USE_VERSION == 105
#define DOCA_VER_MAJOR  1
#define DOCA_VER_MINOR  5
#define DOCA_VER_PATCH  55
#define DOCA_VER_STRING "1.5.0055"
#elif DOCA_USE_VERSION == 200
#define DOCA_VER_MAJOR  2
#define DOCA_VER_MINOR  0
#define DOCA_VER_PATCH  2
#define DOCA_VER_STRING "2.0.2"
#elif DOCA_USE_VERSION == 202
#define DOCA_VER_MAJOR  2
#define DOCA_VER_MINOR  2
#define DOCA_VER_PATCH  80
#define DOCA_VER_STRING "2.2.0080"
#elif DOCA_USE_VERSION == 205
#define DOCA_VER_MAJOR  2
#define DOCA_VER_MINOR  5
#define DOCA_VER_PATCH  108
#define DOCA_VER_STRING "2.5.0108"
#elif DOCA_USE_VERSION == 206
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  6
#define DOCA_VERSION_PATCH  58
#define DOCA_VERSION_STRING "2.6.0058"
#elif DOCA_USE_VERSION == 207
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  7
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.7.0"
#elif DOCA_USE_VERSION == 208
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  8
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.8.0"
#elif DOCA_USE_VERSION == 209
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  9
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.9.0"
#elif DOCA_USE_VERSION == 210
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  10
#define DOCA_VERSION_PATCH  87
#define DOCA_VERSION_STRING "2.10.0087"
#elif DOCA_USE_VERSION == 300
#define DOCA_VERSION_MAJOR  3
#define DOCA_VERSION_MINOR  0
#define DOCA_VERSION_PATCH  58
#define DOCA_VERSION_STRING "3.0.0058"
#elif DOCA_USE_VERSION == 301
#define DOCA_VERSION_MAJOR  3
#define DOCA_VERSION_MINOR  1
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "3.1.0"
#elif DOCA_USE_VERSION == 302
#define DOCA_VERSION_MAJOR  3
#define DOCA_VERSION_MINOR  2
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "3.2.0"
#elif DOCA_USE_VERSION == 303
#define DOCA_VERSION_MAJOR  3
#define DOCA_VERSION_MINOR  3
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "3.3.0"
#else
#error "DOCA_USE_VERSION: no such release; 1.3-1.5, 2.0, 2.2, 2.5-2.10 and 3.0-3.3 are known"
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
#define DOCA_VERSION_CALC_EXACT(major, minor, patch) \
	((size_t)((major) << 24 | (minor) << 16 | (patch)))
#define DOCA_VERSION_CALC(major, minor, patch) \
	((size_t)((major) << 24 | (minor) << 16 | ((patch)*1000)))

#define DOCA_VERSION_EXACT \
	DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)
#define DOCA_VERSION_OFFICIAL \
	DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/*
 * EQ_CURRENT tests whether the given version is that of these headers, LTE_CURRENT whether it is
 * the same or an earlier one.
 */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch) \
	(DOCA_VERSION_CALC(major, minor, patch) == DOCA_VERSION_OFFICIAL)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch) \
	(DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_OFFICIAL)
#else
#define DOCA_VERSION_NUM(major, minor, patch) ((size_t)((major) << 24 | (minor) << 16 | (patch)))
#define DOCA_CURRENT_VERSION_NUM              DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH)

/*
 * EQ_CURRENT tests whether the given version is that of these headers, LTE_CURRENT whether it is
 * the same or an earlier one.
 */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch) \
	(DOCA_VERSION_NUM(major, minor, patch) == DOCA_CURRENT_VERSION_NUM)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch) \
	(DOCA_VERSION_NUM(major, minor, patch) <= DOCA_CURRENT_VERSION_NUM)
#endif

/* Result of doca_version(). */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
#define DOCA_API_VERSION_STRING DOCA_VERSION_STRING
#else
#define DOCA_API_VERSION_STRING DOCA_VER_STRING
#endif

/**
 * Returns the version of the SDK for which the program was compiled, which is the selected one, as
 * a static string.
 * @return the string, never NULL
 * Since 1.3.
 */
static inline const char *doca_version(void)
{
	return DOCA_API_VERSION_STRING;
}

/**
 * Returns the version of the library with which the program runs, as a static string: the newest
 * version that the library supports.
 * @return the string, never NULL
 * Since 1.3.
 */
DOCA_STABLE const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif
