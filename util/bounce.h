/*
 * Bounce memory: private memory of an engine for data that it cannot use in place. It grows to the
 * longest data so far; only pages that were used take memory. Threads: those of its owner, one at a
 * time.
 */
#ifndef UTIL_BOUNCE_H
#define UTIL_BOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bounce {
	uint8_t *bytes;
	size_t len;     /* 0: none */
	bool is_secret; /* not in core dumps, zeros in forked children; set by the owner */
};

/* Memory that may stay resident. Longer data takes milliseconds, so that the system calls which
 * give its pages back, or reserve more, do not count. */
#define BOUNCE_KEEP ((size_t)4 << 20)

/* Makes room for n bytes and loses the present ones. Returns false if there is no address space;
 * then there is no bounce memory any more, and `len` is 0. */
bool bounce_grow(struct bounce *bounce, size_t n);
/* Gives back the pages behind the first BOUNCE_KEEP bytes, of which the first n were used. */
void bounce_give_back(const struct bounce *bounce, size_t n);
/* Idempotent. */
void bounce_free(struct bounce *bounce);

static inline bool bounce_reserve(struct bounce *bounce, size_t n)
{
	return __builtin_expect(n <= bounce->len, 1) || bounce_grow(bounce, n);
}

static inline void bounce_trim(const struct bounce *bounce, size_t n)
{
	if (__builtin_expect(n > BOUNCE_KEEP, 0))
		bounce_give_back(bounce, n);
}

#endif
