/* Copying of messages, most of which are short. */
#ifndef CLIENT_ENGINE_COMCH_COPY_H
#define CLIENT_ENGINE_COMCH_COPY_H

#include <stdint.h>
#include <string.h>

#include "util/util.h"

/* Short messages are the usual ones, and a call of memcpy costs as much as copying them. */
static inline void comch_copy(uint8_t *to, const uint8_t *from, uint32_t len)
{
	uint32_t at;

	if (len < 16 || len > 128) {
		if (len != 0)
			memcpy(to, from, len);
		return;
	}
	/* Whole pieces from the front; the last one ends where the message does and may overlap. */
	for (at = 0; at + 16 < len; at += 16)
		__builtin_memcpy(to + at, from + at, 16);
	__builtin_memcpy(to + len - 16, from + len - 16, 16);
}

/* At most 64 bytes, without a call. */
static inline void comch_copy_short(uint8_t *to, const uint8_t *from, uint32_t len)
{
	uint32_t at;

	if (likely(len >= 16)) {
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

#endif
