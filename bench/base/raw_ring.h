/*
 * The reference for messages between two processes: a ring with one producer and one consumer in
 * shared memory, as fast as we know to write it, and without what a product needs besides (checks
 * of what the other process wrote, ends that sleep, ends that close).
 *
 * Slots of equal length. A slot begins with a header word that holds length and number of the
 * message; it is stored last, with release, so one line tells the consumer that a message is there
 * and brings the message's first bytes. The consumer stores its position once per quarter of the
 * ring; the producer keeps what it last saw of it and looks again only when that says full.
 *
 * What is best depends on the use. Where one message is under way, slots that start on a line of
 * their own are quicker, because nobody spins on a line that holds part of another message. In a
 * stream, slots without gaps are, because fewer lines travel; short messages then want a ring that
 * fits the first cache, long ones a ring that leaves it, so that they are read from a shared one.
 *
 * Threads: one at each end.
 */
#ifndef BENCH_BASE_RAW_RING_H
#define BENCH_BASE_RAW_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/util.h"

#define RAW_RING_BYTES      (8u << 20)
#define RAW_RING_SLOTS      256u /* at most; very long messages have fewer */
#define RAW_RING_SLOTS_LONG 1024u
#define RAW_RING_LONG       1024u /* bytes; in a stream these have the larger ring */
#define RAW_RING_HEADER     sizeof(uint64_t)

enum raw_ring_use { RAW_RING_ONE_BY_ONE, RAW_RING_STREAM };

struct raw_ring_memory {
	_Alignas(64) _Atomic uint32_t consumed;
	_Alignas(4096) uint8_t slots[RAW_RING_BYTES];
};

/* One end. */
struct raw_ring {
	uint8_t *slots;
	_Atomic uint32_t *consumed;
	size_t stride;
	uint32_t mask;
	uint32_t pos;
	uint32_t seen; /* producer: position of the consumer, as last read */
};

static inline _Atomic uint64_t *raw_ring_slot(const struct raw_ring *r)
{
	return (_Atomic uint64_t *)(void *)(r->slots + (r->pos & r->mask) * r->stride);
}

/* Both ends of an empty ring; one of them wiped it before. */
static inline void raw_ring_init(struct raw_ring *r, struct raw_ring_memory *memory, size_t size,
				 enum raw_ring_use use)
{
	bool is_stream = use == RAW_RING_STREAM;
	size_t stride = ALIGN_UP(RAW_RING_HEADER + size, is_stream ? 8 : 64);
	uint32_t n = is_stream && size >= RAW_RING_LONG ? RAW_RING_SLOTS_LONG : RAW_RING_SLOTS;

	while (n > 1 && n * stride > RAW_RING_BYTES)
		n /= 2;
	*r = (struct raw_ring){.slots = memory->slots,
			       .consumed = &memory->consumed,
			       .stride = stride,
			       .mask = n - 1};
}

/* Forgets messages of an earlier run; by one process while the other does not look. */
static inline void raw_ring_wipe(struct raw_ring_memory *memory, size_t size, enum raw_ring_use use)
{
	struct raw_ring r;

	raw_ring_init(&r, memory, size, use);
	for (r.pos = 0; r.pos <= r.mask; r.pos++)
		atomic_store_explicit(raw_ring_slot(&r), 0, memory_order_relaxed);
	atomic_store_explicit(&memory->consumed, 0, memory_order_release);
}

static inline bool raw_ring_push(struct raw_ring *r, const void *data, uint32_t len)
{
	_Atomic uint64_t *slot = raw_ring_slot(r);

	if (unlikely(r->pos - r->seen > r->mask)) {
		r->seen = atomic_load_explicit(r->consumed, memory_order_acquire);
		if (r->pos - r->seen > r->mask)
			return false;
	}
	memcpy(slot + 1, data, len);
	r->pos++;
	atomic_store_explicit(slot, (uint64_t)len << 32 | r->pos, memory_order_release);
	return true;
}

/* The message at hand, in place, or NULL. It stays until raw_ring_drop. */
static inline const void *raw_ring_peek(const struct raw_ring *r, uint32_t *len_out)
{
	_Atomic uint64_t *slot = raw_ring_slot(r);
	uint64_t header = atomic_load_explicit(slot, memory_order_acquire);

	if ((uint32_t)header != r->pos + 1)
		return NULL;
	*len_out = (uint32_t)(header >> 32);
	return slot + 1;
}

static inline void raw_ring_drop(struct raw_ring *r)
{
	r->pos++;
	if ((r->pos & (r->mask >> 2)) == 0)
		atomic_store_explicit(r->consumed, r->pos, memory_order_release);
}

#endif
