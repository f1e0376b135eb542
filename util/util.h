/* Small macros that all modules use. A macro here is an expression and never returns or jumps. */
#ifndef UTIL_UTIL_H
#define UTIL_UTIL_H

#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a)                    (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define likely(x)                       __builtin_expect(!!(x), 1)
#define unlikely(x)                     __builtin_expect(!!(x), 0)
#define ALIGN_UP(x, a)                  (((x) + ((a)-1)) & ~((__typeof__(x))(a)-1))
#define IS_POW2(x)                      ((x) != 0 && (((x) & ((x)-1)) == 0))
#define MIN(a, b)                       ((a) < (b) ? (a) : (b))
#define MAX(a, b)                       ((a) > (b) ? (a) : (b))

/* Runs fn(&var) when var leaves scope. This is the tree's only cleanup attribute. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

#endif
