/*
 * Memory for secrets: its pages are left out of core dumps, and it is overwritten when it is freed.
 * Free memory is reused for other secrets. Any thread may call.
 */
#ifndef UTIL_SECRET_H
#define UTIL_SECRET_H

#include <stddef.h>

/* Returns len zeroed bytes, aligned for any type, or NULL if memory is short. */
void *secret_alloc(size_t len);
/* Like realloc(). The old memory is overwritten if the contents move. */
void *secret_realloc(void *secret, size_t len);
/* Overwrites and frees. Accepts NULL. Returns NULL. */
void *secret_free(void *secret);
/*
 * Like memcpy(), but leaves at most one byte in registers. Registers outlive their use, and the
 * dynamic linker writes those of arguments, vectors included, to the stack when a function is
 * called for the first time.
 */
void secret_copy(void *to, const void *from, size_t len);

#endif
