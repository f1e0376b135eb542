/*
 * Claims on the receives of a consumer. The first producer that finds the consumer owns its claims,
 * and advances the claim word by plain stores between comch_claim_begin() and comch_claim_end().
 * When another producer of this process sends to the consumer, it revokes that permanently: it sets
 * the mode, executes a barrier on all processors, and waits until the owner is not between begin
 * and end. From then on every producer claims with compare-and-swap. If membarrier is missing on
 * either side, this is so from the start.
 *
 * The owner may also use compare-and-swap at any time, because it has no rival. Threads: any. An
 * owner's calls are made on its progress engine's thread.
 */
#ifndef CLIENT_COMCH_FAST_PATH_CLAIM_H
#define CLIENT_COMCH_FAST_PATH_CLAIM_H

#include "client/comch/fast_path/link.h"
#include "proto/barrier.h"

enum comch_claim_mode {
	COMCH_CLAIM_OWNED = 0,
	COMCH_CLAIM_REVOKED, /* a producer waits for the owner */
	COMCH_CLAIM_SHARED,
};

/* Initialises the claims, once the slots are mapped and `fence` is known. */
void comch_claims_init(struct comch_peer_consumer *peer);
/* Makes the producer the owner if there is none. */
void comch_claim_own(struct comch_claims *claims, const void *producer);
/* Called before the producer drops the consumer. */
void comch_claim_leave(struct comch_claims *claims, const void *producer);
/* Called before a compare-and-swap. Waits at most for a few instructions of another thread. */
void comch_claim_enter(struct comch_claims *claims, const void *producer);

/* If this returns true, the caller may change the claim word until comch_claim_end(). */
static inline bool comch_claim_begin(struct comch_claims *claims, const void *producer)
{
	if (unlikely(atomic_load_explicit(&claims->owner, memory_order_relaxed) != producer))
		return false;
	atomic_store_explicit(&claims->busy, 1, BARRIER_ORDER_STORE);
	/* The store may become visible only after the read of the mode; the barrier of the revoking
	 * producer makes that safe. */
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(atomic_load_explicit(&claims->mode, BARRIER_ORDER_LOAD) == COMCH_CLAIM_OWNED))
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
