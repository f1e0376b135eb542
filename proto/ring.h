/*
 * The two ends of one message ring in shared memory: single producer, single consumer. Layout in
 * proto/shm_layout.h. Fast paths are inline: one cache line of header per message, no system call
 * unless the other end sleeps. Everything that the peer writes is checked on each load. Each end
 * belongs to one thread at a time.
 *
 * Sleep and wake. An end that goes to sleep stores SLEEPING in its word and then looks at the ring
 * once more; the other end stores to the ring and then looks at that word. The fence between store
 * and look is all paid by the end that sleeps, see proto/barrier.h. ring_*_init registers.
 *
 * Without membarrier (old kernel, seccomp): an end that may not call it keeps FENCE set in the word
 * that it owns from init on, and an end that could not register keeps FENCE in its own struct;
 * either sends the message path through a real fence. The word is shared: a peer that lies in it
 * can lose its own messages only. An end that finds itself without membarrier sets FENCE before its
 * first sleep by at least the time of its set-up; a store that the peer made before that has long
 * left its buffer.
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
	RING_MSG_MIRROR = 1, /* between libraries: proto/mirror_layout.h */
};

struct ring_producer {
	uint8_t *data;      /* mapped twice in a row */
	uint64_t mask;      /* ring_len - 1 */
	uint64_t pos;       /* next header */
	uint64_t limit;     /* pos may not pass: last seen consumed_pos + ring_len */
	uint64_t n_msgs;    /* sent so far */
	uint64_t msg_limit; /* last seen consumed_msgs + peer's queue size */
	uint32_t queue_size;
	uint32_t max_msg;
	struct channel_ring_ctl *ctl;
	uint32_t fence;       /* CHANNEL_FENCE if membarrier of the peer does not reach us */
	uint64_t taken_ahead; /* lines before this position are at our core */
};

struct ring_consumer {
	uint8_t *data;
	uint64_t mask;
	uint64_t pos;
	uint64_t n_msgs;
	uint32_t max_msg;
	uint32_t fence;
	uint32_t pad; /* bytes behind the message that peek returned */
	struct channel_ring_ctl *ctl;
};

/*
 * Both start on a new ring, at position 0, and map what memfd_map_twice gave for the data area;
 * nothing is allocated. ring_geometry_valid() must hold for ring_len and max_msg.
 */
void ring_producer_init(struct ring_producer *p, struct channel_ring_ctl *ctl, void *data,
			uint64_t ring_len, uint32_t max_msg, uint32_t queue_size);
void ring_consumer_init(struct ring_consumer *c, struct channel_ring_ctl *ctl, void *data,
			uint64_t ring_len, uint32_t max_msg);
/*
 * Smallest ring_len for messages of max_msg bytes: a power of two, a multiple of the page, at least
 * 64 KiB, with room for four of them (two above 1 MiB), and for queue_size of them as far as that
 * takes no more than 4 MiB.
 */
uint64_t ring_len_for(uint32_t max_msg, uint32_t queue_size);
/* True if a ring of this length, which a peer named, can be mapped and takes such a message. */
bool ring_geometry_valid(uint64_t ring_len, uint32_t max_msg);

/* Reads the consumer's counters again. 0, or -EPROTO when they are impossible. */
int ring_producer_refresh(struct ring_producer *p);
/* Slow half of publish and release: fences, looks at a sleep word, takes SLEEPING. True: ring. */
bool ring_take_sleeper(_Atomic uint32_t *word);
/*
 * The same protocol for another structure than a ring. A waker registers once and keeps what it got
 * as its `fence`; a sleeper initialises its word once, arms it, looks once more, and disarms.
 */
uint32_t ring_waker_register(void);
void ring_sleeper_init(_Atomic uint32_t *word);
void ring_sleeper_arm(_Atomic uint32_t *word);
void ring_sleeper_disarm(_Atomic uint32_t *word);

/* After the store that a sleeper looks for, with BARRIER_ORDER_STORE. True: look closer. */
static inline bool ring_waker_asked(_Atomic uint32_t *word, uint32_t fence)
{
	/* The store may become visible after the look; the sleeper's membarrier mends that. */
	atomic_signal_fence(memory_order_seq_cst);
	return (atomic_load_explicit(word, BARRIER_ORDER_LOOK) | fence) != 0;
}

/* The same, and what came of it. True: ring. */
static inline bool ring_waker_look(_Atomic uint32_t *word, uint32_t fence)
{
	return unlikely(ring_waker_asked(word, fence)) && ring_take_sleeper(word);
}

static inline uint64_t ring_span(uint32_t len)
{
	return CHANNEL_MSG_HEADER + (((uint64_t)len + 7) & ~7ull);
}

static inline bool ring_producer_fits(const struct ring_producer *p, uint32_t len)
{
	/* The word after the message is cleared with it, so that must be free as well. */
	return p->pos + ring_span(len) + CHANNEL_MSG_HEADER <= p->limit && p->n_msgs < p->msg_limit;
}

/* Room for a message of len bytes plus the header word of the one after. 1, 0 (full), -EPROTO. */
static inline int ring_producer_room(struct ring_producer *p, uint32_t len)
{
	int r;

	if (likely(ring_producer_fits(p, len)))
		return 1;
	r = ring_producer_refresh(p);
	return r < 0 ? r : ring_producer_fits(p, len);
}

/* Where the payload of the next message goes; valid after ring_producer_room() gave 1. */
static inline void *ring_producer_payload(struct ring_producer *p)
{
	return p->data + (p->pos & p->mask) + CHANNEL_MSG_HEADER;
}

/*
 * Where messages come one at a time: takes the lines that the next one will store to, but for its
 * first, which the consumer polls. A store that misses holds up those behind it, the header last of
 * all.
 */
static inline void ring_producer_prefetch(const struct ring_producer *p)
{
	uint8_t *at = p->data + (p->pos & p->mask);

#if defined(__x86_64__)
	/* A plain prefetch would fetch the line to be read; older processors ignore this one. */
	__asm__ volatile("prefetchw %0" : : "m"(at[SHM_CACHE_LINE]));
	__asm__ volatile("prefetchw %0" : : "m"(at[2 * SHM_CACHE_LINE]));
#else
	__builtin_prefetch(at + SHM_CACHE_LINE, 1);
	__builtin_prefetch(at + 2 * SHM_CACHE_LINE, 1);
#endif
}

/* What is taken together, and for messages up to which length that is worth while. */
#define RING_AHEAD      1024u
#define RING_AHEAD_LONG 256u

/* The lines of the next RING_AHEAD bytes, as far as they are free, by a store to each. */
void ring_producer_take_lines(struct ring_producer *p);

/*
 * Where messages come in a stream: takes the lines of those that follow, all together. They are at
 * the consumer's core, which read them a lap ago. A processor fetches the lines of several stores
 * at once, but only of those in its store queue, and a message with all that belongs to it about
 * fills that, so its line would come alone. Stores in a row to sixteen lines cost little more than
 * one; prefetchw does not do that on each processor.
 */
static inline void ring_producer_take_ahead(struct ring_producer *p, uint32_t len)
{
	if (unlikely(p->pos >= p->taken_ahead) && len <= RING_AHEAD_LONG)
		ring_producer_take_lines(p);
}

/*
 * Publishes. Returns true when the consumer sleeps and must be rung (its armed word is taken). With
 * align the next message starts on a line of its own, if there is room: right where messages come
 * one at a time, since nobody then polls a line that holds part of another; a stream is denser
 * without.
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
	/* The store may become visible after the look; the sleeper's membarrier mends that. */
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(!(atomic_load_explicit(&p->ctl->armed, BARRIER_ORDER_LOOK) | p->fence)))
		return false;
	return ring_take_sleeper(&p->ctl->armed);
}

static inline bool ring_producer_publish(struct ring_producer *p, uint32_t len, uint32_t kind)
{
	return ring_producer_publish_at(p, len, kind, false);
}

/* 1 and the message in place, 0 nothing, -EPROTO: the header is impossible. */
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

/* Has the memory that a look at the ring reads brought near. */
static inline void ring_consumer_prefetch(const struct ring_consumer *c)
{
	__builtin_prefetch(c->data + (c->pos & c->mask));
	__builtin_prefetch((const void *)&c->ctl->closed);
}

/* Goes on to the next message; the producer learns of it by ring_consumer_publish. */
static inline void ring_consumer_advance(struct ring_consumer *c, uint32_t len)
{
	c->pos += ring_span(len) + c->pad;
	c->pad = 0;
	c->n_msgs++;
}

/*
 * Gives back what lies before a position that was advanced over, and the messages up to there: for
 * who needs the rest in the ring for longer. Returns true when the producer sleeps for space and
 * must be rung.
 */
static inline bool ring_consumer_publish_to(struct ring_consumer *c, uint64_t pos, uint64_t n_msgs)
{
	atomic_store_explicit(&c->ctl->consumed_msgs, n_msgs, memory_order_relaxed);
	atomic_store_explicit(&c->ctl->consumed_pos, pos, BARRIER_ORDER_STORE);
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(!(atomic_load_explicit(&c->ctl->space_armed, BARRIER_ORDER_LOOK) | c->fence)))
		return false;
	return ring_take_sleeper(&c->ctl->space_armed);
}

/*
 * Gives all messages back that were advanced over: at the latest when the ring is empty, or the
 * producer waits for room that is there. Returns true when it sleeps for space and must be rung.
 */
static inline bool ring_consumer_publish(struct ring_consumer *c)
{
	return ring_consumer_publish_to(c, c->pos, c->n_msgs);
}

/* Gives the message that peek returned back at once; len is what peek said. */
static inline bool ring_consumer_release(struct ring_consumer *c, uint32_t len)
{
	ring_consumer_advance(c, len);
	return ring_consumer_publish(c);
}

/* Arms; true if a message or the end of the stream is there already: look before you sleep. */
bool ring_consumer_arm(struct ring_consumer *c);
/*
 * The same for many rings at the price of one: begin with each, one fence for all, end with each
 * and what the fence said.
 */
void ring_consumer_arm_begin(struct ring_consumer *c);
bool ring_arm_fence(void);
bool ring_consumer_arm_end(struct ring_consumer *c, bool fenced);
void ring_consumer_disarm(struct ring_consumer *c);
/* Arms for space; true (and not armed) if room for len, or -EPROTO, is there already. */
bool ring_producer_arm(struct ring_producer *p, uint32_t len);
void ring_producer_disarm(struct ring_producer *p);
/* Says that nothing follows. Returns true when the consumer sleeps and must be rung. */
bool ring_producer_close(struct ring_producer *p);
/* True once the producer closed. Peek once more after this: messages may have come before. */
bool ring_consumer_peer_closed(const struct ring_consumer *c);

#endif
