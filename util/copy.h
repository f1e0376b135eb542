/*
 * Inline copies for data that is usually short: a call of memcpy() costs as much as copying 64
 * bytes.
 */
#ifndef UTIL_COPY_H
#define UTIL_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/util.h"

#define COPY_COMMON_MAX 64u

/* True for the lengths of most short messages: 32 to COPY_COMMON_MAX bytes. */
static inline bool copy_is_common_len(size_t len)
{
	return len - 32 <= COPY_COMMON_MAX - 32;
}

/* Copies at most 128 bytes without a function call. */
static inline void copy_short(uint8_t *to, const uint8_t *from, size_t len)
{
	size_t at;

	if (likely(copy_is_common_len(len))) {
		__builtin_memcpy(to, from, 16);
		__builtin_memcpy(to + 16, from + 16, 16);
		__builtin_memcpy(to + len - 32, from + len - 32, 16);
		__builtin_memcpy(to + len - 16, from + len - 16, 16);
	} else if (len > 64) {
		for (at = 0; at + 16 < len; at += 16)
			__builtin_memcpy(to + at, from + at, 16);
		__builtin_memcpy(to + len - 16, from + len - 16, 16);
	} else if (len >= 16) {
		__builtin_memcpy(to, from, 16);
		__builtin_memcpy(to + len - 16, from + len - 16, 16);
	} else if (len >= 8) {
		__builtin_memcpy(to, from, 8);
		__builtin_memcpy(to + len - 8, from + len - 8, 8);
	} else if (len >= 4) {
		__builtin_memcpy(to, from, 4);
		__builtin_memcpy(to + len - 4, from + len - 4, 4);
	} else if (len > 0) {
		if (len > 1)
			__builtin_memcpy(to, from, 2);
		to[len - 1] = from[len - 1];
	}
}

static inline void copy_bytes(uint8_t *to, const uint8_t *from, size_t len)
{
	if (unlikely(len > 128))
		memcpy(to, from, len);
	else
		copy_short(to, from, len);
}

#endif
