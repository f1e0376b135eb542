/*
 * Credit reads: the receives that a consumer on another machine has posted are read from its memory
 * into the copy that the producers of this process share.
 *
 * A read fetches the header and then the descriptors that are new; one is in progress at a time.
 * The data may be false. It only determines where in the consumer's own slots this process writes,
 * and how much. Threads: those of the producer's progress engine.
 */
#include "client/comch/remote/path.h"

#include "client/rma/requester.h"

static void look_at_descs(struct comch_far *far, uint64_t posted)
{
	const struct comch_far_slots *slots = far->to->far;
	uint32_t place = (uint32_t)posted & far->to->mask;
	struct far_piece piece = {.from = far->memory + DESCS_AT, .mmap = far->mmap};

	far->look_from = posted;
	far->look_n = (uint32_t)MIN(MIN(far->seen - posted, (uint64_t)FAR_DESCS),
				    (uint64_t)far->to->mask + 1 - place);
	piece.to = slots->base + slots->at.desc_at + place * sizeof(struct slots_desc);
	piece.len = far->look_n * sizeof(struct slots_desc);
	far->is_looking = comch_far_try(far, FAR_DESC, RDMA_READ, &piece);
}

void comch_far_look(struct comch_far *far)
{
	const struct far_piece header = {
		.from = far->memory + HEADER_AT,
		.mmap = far->mmap,
		.to = far->to->far->base,
		.len = sizeof(struct slots_header),
	};
	uint64_t posted;

	if (far->is_looking || far->is_broken)
		return;
	posted = atomic_load_explicit(&far->to->header->posted, memory_order_acquire);
	if ((int64_t)(far->seen - posted) > 0) {
		look_at_descs(far, posted);
	} else if (far->must_look) {
		far->is_looking = comch_far_try(far, FAR_HEADER, RDMA_READ, &header);
		far->must_look = !far->is_looking;
		far->look_next = far->next;
	}
}

void comch_far_header_came(struct comch_far *far)
{
	const struct slots_header *header = (const void *)(far->memory + HEADER_AT);
	struct slots_header *own = far->to->header;
	uint64_t consumed = atomic_load(&header->consumed), known = atomic_load(&own->consumed);

	far->is_looking = false;
	far->looked = far->look_next;
	if (atomic_load(&header->closed))
		atomic_store(&own->closed, 1);
	if (!far->requester->relays && (atomic_load(&header->armed) & CHANNEL_SLEEPING))
		far->must_ring = true;
	while ((int64_t)(consumed - known) > 0 &&
	       !atomic_compare_exchange_weak(&own->consumed, &known, consumed))
		continue;
	far->seen = atomic_load(&header->posted);
	/* A valid value is at most one lap beyond what was known. */
	if ((int64_t)(far->seen - atomic_load(&own->posted)) > (int64_t)far->to->mask + 1)
		comch_far_break(far);
}

/* Another producer may have read the descriptors meanwhile. Receives that it claimed may be posted
 * again, so descriptors before `posted` are ignored. */
void comch_far_descs_came(struct comch_far *far)
{
	const struct slots_desc *from = (const void *)(far->memory + DESCS_AT);
	struct slots_header *own = far->to->header;
	uint64_t posted;

	far->is_looking = false;
	/* If another producer holds the turn, the data is dropped. `seen` stays beyond `posted`, so
	 * it is read again if needed. */
	if (!comch_turn_take(&far->to->far->turn))
		return;
	posted = atomic_load(&own->posted);
	for (uint32_t i = 0; i < far->look_n; i++) {
		struct slots_desc *desc = &far->to->descs[(far->look_from + i) & far->to->mask];

		if (far->look_from + i < posted)
			continue;
		atomic_store_explicit(&desc->room, atomic_load(&from[i].room),
				      memory_order_relaxed);
	}
	if (far->look_from + far->look_n > posted)
		atomic_store_explicit(&own->posted, far->look_from + far->look_n,
				      memory_order_release);
	comch_turn_give(&far->to->far->turn);
}
