/* Copies of what is mostly short: a call of memcpy costs as much as copying 64 bytes. */
#ifndef UTIL_COPY_H
#define UTIL_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/util.h"

/* At most 128 bytes, without a call. */
static inline void copy_short(uint8_t *to, const uint8_t *from, size_t len)
{
	size_t at;

	if (likely(len >= 32 && len <= 64)) {
		/* The usual length of a short message: no loop. */
		__builtin_memcpy(to, from, 16);
		__builtin_memcpy(to + 16, from + 16, 16);
		__builtin_memcpy(to + len - 32, from + len - 32, 16);
		__builtin_memcpy(to + len - 16, from + len - 16, 16);
	} else if (len >= 16) {
		for (at = 0; at + 16 < len; at += 16)
			__builtin_memcpy(to + at, from + at, 16);
		__builtin_memcpy(to + len - 16, from + len - 16, 16);
	} else if (len >= 8) {
		__builtin_memcpy(to, from, 8);
		__builtin_memcpy(to + len - 8, from + len - 8, 8);
	} else {
		for (at = 0; at < len; at++)
			*(volatile uint8_t *)(to + at) = from[at];
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
