/*
 * Build-time configuration that every public header includes: the version (doca_api.h), the side
 * (doca_build_config.h), and the presence of the compatibility macros of doca_compat.h.
 *
 * Example: a source file that also compiles with an SDK that lacks the macros of doca_compat.h.
 *
 *     #ifndef DOCA_COMPAT_HELPERS
 *     #error "this program needs the DOCA_STRUCT_* macros"
 *     #endif
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_api.h>
#include <doca_build_config.h>

/* Programs may test this macro before they use the DOCA_STRUCT_* macros. */
#ifndef DOCA_COMPAT_HELPERS
#define DOCA_COMPAT_HELPERS
#endif

#endif
