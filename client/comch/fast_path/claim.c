/* Claims on a consumer's receives; see client/comch/fast_path/claim.h. */
#include "client/comch/fast_path/claim.h"

#include <sched.h>

void comch_claims_init(struct comch_peer_consumer *peer)
{
	bool fences = peer->fence == 0 && barrier_others() &&
		      (atomic_load(&peer->header->armed) & CHANNEL_FENCE) == 0;

	atomic_store(&peer->claims.mode, fences ? COMCH_CLAIM_OWNED : COMCH_CLAIM_SHARED);
}

void comch_claim_own(struct comch_claims *claims, const void *producer)
{
	const void *unclaimed = NULL;

	/* The compare-and-exchange also makes the stores of a former owner visible. */
	if (atomic_load(&claims->mode) == COMCH_CLAIM_OWNED)
		atomic_compare_exchange_strong(&claims->owner, &unclaimed, producer);
}

void comch_claim_leave(struct comch_claims *claims, const void *producer)
{
	if (atomic_load(&claims->owner) == producer)
		atomic_store(&claims->owner, NULL);
}

static void claims_share(struct comch_claims *claims)
{
	uint32_t mode = COMCH_CLAIM_OWNED;

	if (atomic_compare_exchange_strong(&claims->mode, &mode, COMCH_CLAIM_REVOKED)) {
		barrier_others();
		while (atomic_load(&claims->busy) != 0)
			sched_yield();
		atomic_store(&claims->mode, COMCH_CLAIM_SHARED);
		return;
	}
	while (atomic_load(&claims->mode) != COMCH_CLAIM_SHARED)
		sched_yield();
}

void comch_claim_enter(struct comch_claims *claims, const void *producer)
{
	uint32_t mode = atomic_load(&claims->mode);

	if (mode == COMCH_CLAIM_SHARED ||
	    (mode == COMCH_CLAIM_OWNED && atomic_load(&claims->owner) == producer))
		return;
	claims_share(claims);
}
