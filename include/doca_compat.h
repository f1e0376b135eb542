/*
 * Attributes of public declarations, and helpers for structures that store a version. Despite its
 * name, this file does not select the version of the interface: that is doca_api.h, where a new
 * version of a header begins.
 *
 * - DOCA_STABLE: exported, and kept within a major version.
 * - DOCA_EXPERIMENTAL: exported, may still change. Using it causes a deprecation warning, unless
 *   the program defines DOCA_ALLOW_EXPERIMENTAL_API before the first DOCA header.
 * - DOCA_DEPRECATED: exported, will be removed. DOCA_ALLOW_DEPRECATED_API disables its warning in
 *   the same way.
 * - DOCA_USED: keeps the symbol although nothing in its file refers to it.
 *
 * A versioned structure starts with DOCA_STRUCT_START. Before the program passes it, the program
 * initialises it with one of the constructors below, so that the library knows which members the
 * program's version has. The version member is a size_t since 2.6 and a uint32_t before.
 *
 * Reference: compatibility policy and structure rules of the SDK.
 *
 * Example: a structure of the program that says for which version it was built.
 *
 *     struct settings {
 *         DOCA_STRUCT_START;
 *         uint32_t depth;
 *     };
 *
 *     void init_settings(struct settings *settings)
 *     {
 *         DOCA_STRUCT_PTR_MEMSET_CTOR(settings);
 *         settings->depth = 64;
 *     }
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <doca_config.h>

#define DOCA_USED   __attribute__((used))
#define DOCA_STABLE __attribute__((visibility("default")))

#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL __attribute__((visibility("default")))
#else
#define DOCA_EXPERIMENTAL                                                                      \
	__attribute__((deprecated("may change: define DOCA_ALLOW_EXPERIMENTAL_API to use it"), \
		       visibility("default")))
#endif

#ifdef DOCA_ALLOW_DEPRECATED_API
#define DOCA_DEPRECATED __attribute__((visibility("default")))
#else
#define DOCA_DEPRECATED                                                                   \
	__attribute__((deprecated("will go: define DOCA_ALLOW_DEPRECATED_API to use it"), \
		       visibility("default")))
#endif

/* Attributes up to 2.2: all calls were experimental there, and plain exports inside the SDK. */
#if DOCA_API_WORKQ
#define DOCA_EXPORTED       DOCA_STABLE
#define __DOCA_EXPERIMENTAL DOCA_EXPERIMENTAL
#endif

/* Included after the attributes, which it uses. */
#include <doca_version.h>

/* Type and value of the version member of a versioned structure. */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
#define DOCA_API_STAMP_T size_t
#define DOCA_API_STAMP   DOCA_VERSION_EXACT
#else
#define DOCA_API_STAMP_T uint32_t
#define DOCA_API_STAMP   ((uint32_t)DOCA_CURRENT_VERSION_NUM)
#endif

/* First member of a versioned structure. */
#define DOCA_STRUCT_START DOCA_API_STAMP_T __doca_api_version

/* Version in the structure that _X_ points to. */
#define DOCA_STRUCT_GET_VERSION(_X_) ((_X_)->__doca_api_version)

/*
 * Sets the version of the structure _X_, or of the structure to which _X_ points. The other members
 * are unchanged.
 */
#define DOCA_STRUCT_CTOR(_X_)     ((_X_).__doca_api_version = DOCA_API_STAMP)
#define DOCA_STRUCT_PTR_CTOR(_X_) ((_X_)->__doca_api_version = DOCA_API_STAMP)

/* Like the previous macro, and sets all other members to zero. */
#define DOCA_STRUCT_MEMSET_CTOR(_X_) ((void)memset(&(_X_), 0, sizeof(_X_)), DOCA_STRUCT_CTOR(_X_))
#define DOCA_STRUCT_PTR_MEMSET_CTOR(_X_) \
	((void)memset((_X_), 0, sizeof(*(_X_))), DOCA_STRUCT_PTR_CTOR(_X_))

/* First item of an initialiser list. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_API_STAMP

/*
 * Defines __name__, a struct __st__ whose version is set and whose other members are zero. C++ has
 * no designated initialisers before C++20.
 */
#ifdef __cplusplus
#define DOCA_STRUCT_DEF(__st__, __name__)    \
	struct __st__ __name__ = []() {      \
		struct __st__ stamped_ = {}; \
		DOCA_STRUCT_CTOR(stamped_);  \
		return stamped_;             \
	}()
#else
#define DOCA_STRUCT_DEF(__st__, __name__) struct __st__ __name__ = {DOCA_STRUCT_CTOR_LIST_START}
#endif

#include <doca_common_defines.h>

#endif
