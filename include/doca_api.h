/*
 * Selection of the interface version.
 *
 * These headers declare every generation of the interface from 1.3 to 3.3. A program selects the
 * version for which it was written by defining DOCA_USE_VERSION, on the command line or before the
 * first DOCA header, as DOCA_MAKE_VERSION(major, minor) or as a number (2.2 is 202). By default the
 * newest version is declared. The pkg-config modules of a version (see doc/api-changes.md) define
 * it, so that sources and build files of an old program need no change.
 *
 * If a declaration differs between versions in signature, meaning or ownership, the library has one
 * symbol per form, named for the version that introduced it; the declaration binds to that symbol.
 * Parts of one program may therefore be written for different versions. An object can be passed
 * only to calls of the generation that created it; other calls return DOCA_ERROR_BAD_STATE.
 *
 * Example: a program written for 2.2.
 *
 *     #define DOCA_USE_VERSION DOCA_MAKE_VERSION(2, 2)
 *     #include <doca_ctx.h>
 *
 *     doca_error_t submit(struct doca_workq *queue, struct doca_job *job)
 *     {
 *         return doca_workq_submit(queue, job);
 *     }
 */
#ifndef DOCA_API_H_
#define DOCA_API_H_

#define DOCA_MAKE_VERSION(major, minor) ((major)*100 + (minor))
#define DOCA_API_OLDEST                 DOCA_MAKE_VERSION(1, 3)
#define DOCA_API_NEWEST                 DOCA_MAKE_VERSION(3, 3)

#ifndef DOCA_USE_VERSION
#define DOCA_USE_VERSION DOCA_API_NEWEST
#endif
#if DOCA_USE_VERSION < DOCA_API_OLDEST || DOCA_USE_VERSION > DOCA_API_NEWEST
#error "DOCA_USE_VERSION: set it with DOCA_MAKE_VERSION(major, minor), from 1.3 to 3.3"
#endif
#if DOCA_USE_VERSION % 100 > 10
#error "DOCA_USE_VERSION: no such minor version; 2.2 is DOCA_MAKE_VERSION(2, 2) or 202"
#endif

/*
 * True if the selected version has work queues and jobs (up to 2.2), false if it has progress
 * engines and tasks (from 2.5 on).
 */
#define DOCA_API_WORKQ (DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 5))

/*
 * True for declarations that exist from the first to the last of the two versions and are the same
 * in all of them. The library itself sees those of all versions at once.
 */
#ifdef DOCA_API_LIBRARY
#define DOCA_API_BETWEEN(first, last) 1
#else
#define DOCA_API_BETWEEN(first, last) (DOCA_USE_VERSION >= (first) && DOCA_USE_VERSION <= (last))
#endif

/* Binds a declaration to the symbol of the version that introduced this form of it. */
#define DOCA_API_TEXT_(x)        #x
#define DOCA_API_TEXT(x)         DOCA_API_TEXT_(x)
#define DOCA_BIND(name, version) __asm__(DOCA_API_TEXT(__USER_LABEL_PREFIX__) #name "__v" #version)

/*
 * Names of other versions. Using one is a compile-time error that says what to use instead, rather
 * than a call of an undeclared function. A program that defines such a name itself, to support
 * several versions, defines DOCA_API_NO_HINTS before the first DOCA header.
 */
#if defined(DOCA_API_LIBRARY) || defined(DOCA_API_NO_HINTS)
#define DOCA_ELSEWHERE(name, hint) struct doca_api_elsewhere
#elif defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
/* Inline, so that generators of bindings leave it out. */
#define DOCA_ELSEWHERE(name, hint)                                                     \
	static inline __attribute__((unavailable(hint DOCA_API_HOW_))) void name(void) \
	{                                                                              \
	}                                                                              \
	struct doca_api_elsewhere
#else
#define DOCA_ELSEWHERE(name, hint) extern void name(void) __attribute__((error(hint DOCA_API_HOW_)))
#endif
#define DOCA_API_HOW_ "; or build for that version: DOCA_USE_VERSION, 'doca-admin env --api'"

#endif
