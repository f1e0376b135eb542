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

#endif
