/*
 * The reference for messages between two processes: a ring with one producer and one consumer in
 * shared memory, as fast as possible, and without what a product needs in addition (validation of
 * the other process's data, sleeping ends, closing ends).
 *
 * Slots have equal length. A slot begins with a header word that contains length and number of the
 * message. It is stored last, with release order, so one cache line tells the consumer that a
 * message is there and transfers the message's first bytes. The consumer publishes its position
 * once per quarter of the ring. The producer caches that position and reloads it only when the ring
 * seems full.
 *
 * The best layout depends on the use. With one message in flight, slots on cache lines of their own
 * are faster, because no end spins on a line that holds part of another message. In a stream, slots
 * without gaps are faster, because fewer lines are transferred. Short messages then need a ring
 * that fits the first-level cache, and long messages one that exceeds it, so that they are read
 * from a shared cache.
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
#define RAW_RING_SLOTS      256u /* at most; rings of very long messages have fewer */
#define RAW_RING_SLOTS_LONG 1024u
#define RAW_RING_LONG       1024u /* bytes; longer messages in a stream use the larger ring */
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
	uint32_t seen; /* producer: the consumer's position, as last loaded */
};

static inline _Atomic uint64_t *raw_ring_slot(const struct raw_ring *r)
{
	return (_Atomic uint64_t *)(void *)(r->slots + (r->pos & r->mask) * r->stride);
}

/* Initialises one end of a ring whose memory is zero. */
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

/* Returns the current message in place, or NULL. It is valid until raw_ring_drop(). */
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
