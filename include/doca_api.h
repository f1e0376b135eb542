/*
 * Which version of the interface a program is written for.
 *
 * These headers declare every generation of the interface from 1.3 to 3.3. A program says which one
 * it was written for by defining DOCA_USE_VERSION, on the command line or before the first DOCA
 * header, with DOCA_MAKE_VERSION(major, minor) or as a number (2.2 is 202). Without it the newest
 * one is declared. The pkg-config modules of a version (doc/api-changes.md) define it, so that the
 * sources and build files of an old program stay as they are.
 *
 * Where a declaration differs between versions in signature, meaning or ownership, each form has a
 * symbol of its own in the library, named for the version that introduced it; the declaration binds
 * to it. So parts of one program may be written for different versions. An object goes only to
 * calls of the generation that made it; others refuse it with DOCA_ERROR_BAD_STATE.
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

/* Work queues and jobs, up to 2.2; progress engines and tasks, from 2.5. */
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
 * Names of other versions: using one is an error that says what to do, instead of a call to a
 * function that the compiler knows nothing of. A program that defines such a name itself, to run
 * with several versions, defines DOCA_API_NO_HINTS before the first DOCA header.
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
