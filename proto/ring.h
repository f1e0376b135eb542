/*
 * The two ends of one message ring in shared memory: single producer, single consumer.
 * proto/shm_layout.h defines the layout. Fast paths are inline and make no system call unless the
 * other end sleeps; the header of a message costs one cache line. Everything that the peer writes
 * is validated on each load. Each end belongs to one thread at a time.
 *
 * Sleep and wake: an end that goes to sleep stores SLEEPING in its word and then checks the ring
 * once more; the other end stores to the ring and then loads that word. The sleeping end pays for
 * the whole fence between store and load, see proto/barrier.h. ring_*_init() registers for it.
 *
 * Without membarrier (old kernel, seccomp), an end that may not call it keeps FENCE set in the word
 * that it owns, from init on; an end that could not register keeps FENCE in its own struct. Either
 * makes the message path execute a real fence. The word is shared: a peer that forges it can lose
 * only its own messages. An end without membarrier sets FENCE during set-up, long before its first
 * sleep, so earlier stores of the peer have left its store buffer by then.
 */
#ifndef PROTO_RING_H
#define PROTO_RING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "proto/barrier.h"
#include "proto/shm_layout.h"
#include "util/util.h"

enum ring_msg_kind {
	RING_MSG_DATA = 0,
	RING_MSG_REMOTE_RING = 1, /* between libraries: proto/remote_ring_layout.h */
};

struct ring_producer {
	uint8_t *data;      /* mapped twice in a row */
	uint64_t mask;      /* ring_len - 1 */
	uint64_t pos;       /* position of the next header */
	uint64_t limit;     /* pos must not exceed it: last loaded consumed_pos + ring_len */
	uint64_t n_msgs;    /* sent so far */
	uint64_t msg_limit; /* last loaded consumed_msgs + peer's queue size */
	uint32_t queue_size;
	uint32_t max_msg;
	struct channel_ring_ctl *ctl;
	uint32_t fence;          /* CHANNEL_FENCE if membarrier of the peer does not reach us */
	uint64_t acquired_ahead; /* cache lines before this position are owned by this core */
};

struct ring_consumer {
	uint8_t *data;
	uint64_t mask;
	uint64_t pos;
	uint64_t n_msgs;
	uint32_t max_msg;
	uint32_t fence;
	uint32_t pad; /* padding after the message that peek returned */
	struct channel_ring_ctl *ctl;
};

/*
 * Both start at position 0 of a new ring, and use a data area that memfd_map_twice() mapped; they
 * allocate nothing. ring_geometry_valid() must hold for ring_len and max_msg.
 */
void ring_producer_init(struct ring_producer *p, struct channel_ring_ctl *ctl, void *data,
			uint64_t ring_len, uint32_t max_msg, uint32_t queue_size);
void ring_consumer_init(struct ring_consumer *c, struct channel_ring_ctl *ctl, void *data,
			uint64_t ring_len, uint32_t max_msg);
/*
 * Returns the smallest ring_len for messages of max_msg bytes: a power of two, a multiple of the
 * page size and at least 64 KiB. It has room for four messages (two above 1 MiB), and for
 * queue_size messages as far as they take no more than 4 MiB.
 */
uint64_t ring_len_for(uint32_t max_msg, uint32_t queue_size);
/*
 * True if a ring of this length, which a peer named, can be mapped and can hold a message of
 * max_msg bytes.
 */
bool ring_geometry_valid(uint64_t ring_len, uint32_t max_msg);

/* Reloads the consumer's counters. Returns 0, or -EPROTO if they are impossible. */
int ring_producer_refresh(struct ring_producer *p);
/*
 * Slow half of publish and release: fences, loads a sleep word and clears SLEEPING. Returns true if
 * the peer slept and must be notified.
 */
bool ring_clear_sleeper(_Atomic uint32_t *word);
/*
 * The same protocol for structures other than a ring. A waker registers once and keeps the result
 * as its `fence`. A sleeper initialises its word once, arms it, checks its condition once more, and
 * disarms.
 */
uint32_t ring_waker_register(void);
void ring_sleeper_init(_Atomic uint32_t *word);
void ring_sleeper_arm(_Atomic uint32_t *word);
void ring_sleeper_disarm(_Atomic uint32_t *word);

/*
 * Call after the store that a sleeper checks, which must use BARRIER_ORDER_STORE. Returns true if
 * ring_clear_sleeper() must decide.
 */
static inline bool ring_waker_asked(_Atomic uint32_t *word, uint32_t fence)
{
	/* The store may become visible after the load; the sleeper's membarrier compensates. */
	atomic_signal_fence(memory_order_seq_cst);
	return (atomic_load_explicit(word, BARRIER_ORDER_LOAD) | fence) != 0;
}

/* Like ring_waker_asked(), and includes the decision. Returns true if the peer must be notified. */
static inline bool ring_waker_check(_Atomic uint32_t *word, uint32_t fence)
{
	return unlikely(ring_waker_asked(word, fence)) && ring_clear_sleeper(word);
}

static inline uint64_t ring_span(uint32_t len)
{
	return CHANNEL_MSG_HEADER + (((uint64_t)len + 7) & ~7ull);
}

static inline bool ring_producer_fits(const struct ring_producer *p, uint32_t len)
{
	/* Publishing clears the word after the message, so that word must be free as well. */
	return p->pos + ring_span(len) + CHANNEL_MSG_HEADER <= p->limit && p->n_msgs < p->msg_limit;
}

/*
 * Checks for room for a message of len bytes plus the header word of the next one. Returns 1, 0
 * (full) or -EPROTO.
 */
static inline int ring_producer_room(struct ring_producer *p, uint32_t len)
{
	int r;

	if (likely(ring_producer_fits(p, len)))
		return 1;
	r = ring_producer_refresh(p);
	return r < 0 ? r : ring_producer_fits(p, len);
}

/* Address for the payload of the next message. Valid after ring_producer_room() returned 1. */
static inline void *ring_producer_payload(struct ring_producer *p)
{
	return p->data + (p->pos & p->mask) + CHANNEL_MSG_HEADER;
}

/*
 * For messages that come one at a time: prefetches, for writing, the cache lines of the next
 * message except the first, which the consumer polls. A store that misses delays all later stores,
 * including the header's, which is last.
 */
static inline void ring_producer_prefetch(const struct ring_producer *p)
{
	uint8_t *at = p->data + (p->pos & p->mask);

#if defined(__x86_64__)
	/*
	 * A plain prefetch would fetch the line in shared state. Older processors ignore prefetchw.
	 */
	__asm__ volatile("prefetchw %0" : : "m"(at[SHM_CACHE_LINE]));
	__asm__ volatile("prefetchw %0" : : "m"(at[2 * SHM_CACHE_LINE]));
#else
	__builtin_prefetch(at + SHM_CACHE_LINE, 1);
	__builtin_prefetch(at + 2 * SHM_CACHE_LINE, 1);
#endif
}

/* How many bytes are acquired together, and the maximum message length for which that pays off. */
#define RING_AHEAD      1024u
#define RING_AHEAD_LONG 256u

/* Acquires the free cache lines among the next RING_AHEAD bytes by a store to each. */
void ring_producer_acquire_lines(struct ring_producer *p);

/*
 * For messages that come in a stream: acquires the cache lines of the following messages together.
 * The lines are in the cache of the consumer's core, which read them one lap ago. A processor
 * fetches the lines of several stores in parallel, but only of stores in its store queue. One
 * message nearly fills the store queue, so its line would be fetched alone. Sixteen consecutive
 * stores to sixteen lines cost little more than one; prefetchw does not have this effect on every
 * processor.
 */
static inline void ring_producer_acquire_ahead(struct ring_producer *p, uint32_t len)
{
	if (unlikely(p->pos >= p->acquired_ahead) && len <= RING_AHEAD_LONG)
		ring_producer_acquire_lines(p);
}

/*
 * Publishes the message. Returns true if the consumer sleeps and must be notified (its armed word
 * is cleared). With align, the next message starts on a cache line of its own if there is room.
 * This suits messages that come one at a time, because then no consumer polls a line that holds
 * part of another message. A stream is denser without.
 */
static inline bool ring_producer_publish_at(struct ring_producer *p, uint32_t len, uint32_t kind,
					    bool align)
{
	uint64_t next = p->pos + ring_span(len);
	uint64_t pad = align ? -next & (SHM_CACHE_LINE - 1) : 0;
	_Atomic uint64_t *header = (_Atomic uint64_t *)(void *)(p->data + (p->pos & p->mask));
	_Atomic uint64_t *after;

	if (unlikely(next + pad + CHANNEL_MSG_HEADER > p->limit))
		pad = 0;
	next += pad;
	after = (_Atomic uint64_t *)(void *)(p->data + (next & p->mask));
	atomic_store_explicit(after, 0, memory_order_relaxed);
	atomic_store_explicit(header,
			      (pad / 8) << CHANNEL_PAD_SHIFT |
				      (uint64_t)(kind & CHANNEL_KIND_MASK) << 32 |
				      ((uint64_t)len + 1),
			      BARRIER_ORDER_STORE);
	p->pos = next;
	p->n_msgs++;
	/* The store may become visible after the load; the sleeper's membarrier compensates. */
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(!(atomic_load_explicit(&p->ctl->armed, BARRIER_ORDER_LOAD) | p->fence)))
		return false;
	return ring_clear_sleeper(&p->ctl->armed);
}

static inline bool ring_producer_publish(struct ring_producer *p, uint32_t len, uint32_t kind)
{
	return ring_producer_publish_at(p, len, kind, false);
}

/*
 * Returns 1 and the message in place, 0 if there is none, or -EPROTO if the header is impossible.
 */
static inline int ring_consumer_peek(struct ring_consumer *c, const void **payload_out,
				     uint32_t *len_out, uint32_t *kind_out)
{
	uint8_t *at = c->data + (c->pos & c->mask);
	uint64_t header = atomic_load_explicit((_Atomic uint64_t *)(void *)at,
					       memory_order_acquire);
	uint32_t len;

	if (header == 0)
		return 0;
	len = (uint32_t)header - 1;
	if (unlikely((uint32_t)header == 0 || len > c->max_msg))
		return -EPROTO;
	*payload_out = at + CHANNEL_MSG_HEADER;
	*len_out = len;
	*kind_out = (uint32_t)(header >> 32) & CHANNEL_KIND_MASK;
	c->pad = (uint32_t)(header >> CHANNEL_PAD_SHIFT) * 8;
	return 1;
}

/* Prefetches the memory that the next peek reads. */
static inline void ring_consumer_prefetch(const struct ring_consumer *c)
{
	__builtin_prefetch(c->data + (c->pos & c->mask));
	__builtin_prefetch((const void *)&c->ctl->closed);
}

/* Moves to the next message. The producer sees this after ring_consumer_publish(). */
static inline void ring_consumer_advance(struct ring_consumer *c, uint32_t len)
{
	c->pos += ring_span(len) + c->pad;
	c->pad = 0;
	c->n_msgs++;
}

/*
 * Releases the space before a position that was advanced over, and the messages up to there; the
 * rest stays in the ring. Returns true if the producer sleeps for space and must be notified.
 */
static inline bool ring_consumer_publish_to(struct ring_consumer *c, uint64_t pos, uint64_t n_msgs)
{
	atomic_store_explicit(&c->ctl->consumed_msgs, n_msgs, memory_order_relaxed);
	atomic_store_explicit(&c->ctl->consumed_pos, pos, BARRIER_ORDER_STORE);
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(!(atomic_load_explicit(&c->ctl->space_armed, BARRIER_ORDER_LOAD) | c->fence)))
		return false;
	return ring_clear_sleeper(&c->ctl->space_armed);
}

/*
 * Releases all messages that were advanced over. Call it at the latest when the ring is empty, or
 * when the producer waits for room. Returns true if the producer sleeps for space and must be
 * notified.
 */
static inline bool ring_consumer_publish(struct ring_consumer *c)
{
	return ring_consumer_publish_to(c, c->pos, c->n_msgs);
}

/* Releases the message that peek returned at once; len is the length that peek returned. */
static inline bool ring_consumer_release(struct ring_consumer *c, uint32_t len)
{
	ring_consumer_advance(c, len);
	return ring_consumer_publish(c);
}

/*
 * Arms. Returns true if a message or the end of the stream is there already: check before sleeping.
 */
bool ring_consumer_arm(struct ring_consumer *c);
/*
 * Like ring_consumer_arm(), for many rings with one fence: call begin for each ring, the fence
 * once, then end for each ring with the result of the fence.
 */
void ring_consumer_arm_begin(struct ring_consumer *c);
bool ring_arm_fence(void);
bool ring_consumer_arm_end(struct ring_consumer *c, bool fenced);
void ring_consumer_disarm(struct ring_consumer *c);
/*
 * Arms for space. Returns true, without arming, if there is room for len already, or the peer's
 * counters are impossible.
 */
bool ring_producer_arm(struct ring_producer *p, uint32_t len);
void ring_producer_disarm(struct ring_producer *p);
/* Marks the end of the stream. Returns true if the consumer sleeps and must be notified. */
bool ring_producer_close(struct ring_producer *p);
/*
 * True once the producer has closed. Peek once more afterwards: messages may have been published
 * before.
 */
bool ring_consumer_peer_closed(const struct ring_consumer *c);

#endif
