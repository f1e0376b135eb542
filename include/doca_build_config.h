/*
 * Side of the bus and kind of processor for which a program is compiled.
 *
 * Programs test DOCA_ARCH_DPU and DOCA_ARCH_HOST with #ifdef after including any DOCA header, so
 * every public header includes this one. The builder chooses the side: the DPU set of pkg-config
 * modules passes -DDOCA_ARCH_DPU; otherwise the program is compiled for the host. The library is
 * the same for both; the daemon to which it connects determines its side at run time. The processor
 * macros follow the compiler's target.
 *
 * Example: one source file for both sides.
 *
 *     #include <doca_dev.h>
 *
 *     #ifdef DOCA_ARCH_DPU
 *     static const char side[] = "DPU";
 *     #else
 *     static const char side[] = "host";
 *     #endif
 *
 *     const char *built_for(void)
 *     {
 *         return side;
 *     }
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#include <stdbool.h>

#include <doca_api.h>

#if defined(DOCA_ARCH_DPU) && defined(DOCA_ARCH_HOST)
#error "define DOCA_ARCH_DPU or DOCA_ARCH_HOST, not both: a program is built for one side"
#endif

#if !defined(DOCA_ARCH_DPU) && !defined(DOCA_ARCH_HOST)
#define DOCA_ARCH_HOST
#endif

#if defined(__x86_64__) && !defined(DOCA_ARCH_X86)
#define DOCA_ARCH_X86
#endif

#if defined(__aarch64__) && !defined(DOCA_ARCH_ARM)
#define DOCA_ARCH_ARM
#endif

/*
 * True only in a build for BlueField-2 alone, which this project does not have: the limits of a
 * card are a profile of the daemon. Since 3.0.
 */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(3, 0) && !defined(DOCA_ARCH_DPU_BF2)
#define DOCA_ARCH_DPU_BF2 false
#endif

#endif
