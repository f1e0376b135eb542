/*
 * Who may claim receives of a consumer, and how. The first producer that finds a consumer owns its
 * claims and moves the claim word by plain stores, between comch_claim_begin and comch_claim_end.
 * When another producer of this process sends to it, that one revokes this for good: it sets the
 * mode, fences all processors, waits until the owner is not at it, and from then on everybody
 * claims with compare-and-swap. Without membarrier on either side it is so from the start.
 *
 * The owner itself may use compare-and-swap as well, at any time: it has no rival.
 * Threads: any; an owner's calls are those of its progress engine's thread.
 */
#ifndef CLIENT_COMCH_FAST_PATH_CLAIM_H
#define CLIENT_COMCH_FAST_PATH_CLAIM_H

#include "client/comch/fast_path/link.h"
#include "proto/barrier.h"

enum comch_claim_mode {
	COMCH_CLAIM_OWNED = 0,
	COMCH_CLAIM_REVOKED, /* somebody waits for the owner */
	COMCH_CLAIM_SHARED,
};

/* Its slots are mapped and its fence is known. */
void comch_claims_init(struct comch_remote *remote);
/* Becomes the owner if there is none. */
void comch_claim_own(struct comch_claims *claims, const void *producer);
/* Before the producer forgets the consumer. */
void comch_claim_leave(struct comch_claims *claims, const void *producer);
/* Before a compare-and-swap. Ends soon: it waits for a few instructions of another thread. */
void comch_claim_enter(struct comch_claims *claims, const void *producer);

/* True: the claim word is the caller's until comch_claim_end. */
static inline bool comch_claim_begin(struct comch_claims *claims, const void *producer)
{
	if (unlikely(atomic_load_explicit(&claims->owner, memory_order_relaxed) != producer))
		return false;
	atomic_store_explicit(&claims->busy, 1, BARRIER_ORDER_STORE);
	/* May become visible after the look; the fence of who revokes mends that. */
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(atomic_load_explicit(&claims->mode, BARRIER_ORDER_LOOK) == COMCH_CLAIM_OWNED))
		return true;
	atomic_store_explicit(&claims->busy, 0, memory_order_release);
	return false;
}

static inline void comch_claim_end(struct comch_claims *claims)
{
	atomic_store_explicit(&claims->busy, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
}

#endif
