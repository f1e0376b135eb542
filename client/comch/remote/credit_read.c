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

static void path_read_descs(struct comch_remote_path *path, uint64_t posted)
{
	const struct comch_remote_slots *slots = path->to->remote_slots;
	uint32_t place = (uint32_t)posted & path->to->mask;
	struct path_piece piece = {.from = path->memory + DESCS_AT, .mmap = path->mmap};

	path->descs_from = posted;
	path->descs_n = (uint32_t)MIN(MIN(path->seen - posted, (uint64_t)PATH_DESCS),
				      (uint64_t)path->to->mask + 1 - place);
	piece.to = slots->base + slots->at.desc_at + place * sizeof(struct slots_desc);
	piece.len = path->descs_n * sizeof(struct slots_desc);
	path->is_reading_credit = comch_remote_path_try_post(path, PATH_REQUEST_DESCS, RDMA_READ,
							     &piece);
}

void comch_remote_path_read_credit(struct comch_remote_path *path)
{
	const struct path_piece header = {
		.from = path->memory + HEADER_AT,
		.mmap = path->mmap,
		.to = path->to->remote_slots->base,
		.len = sizeof(struct slots_header),
	};
	uint64_t posted;

	if (path->is_reading_credit || path_is_broken(path))
		return;
	posted = atomic_load_explicit(&path->to->header->posted, memory_order_acquire);
	if ((int64_t)(path->seen - posted) > 0) {
		path_read_descs(path, posted);
	} else if (path->must_read_credit) {
		path->is_reading_credit = comch_remote_path_try_post(path, PATH_REQUEST_HEADER,
								     RDMA_READ, &header);
		path->must_read_credit = !path->is_reading_credit;
		path->credit_read_next = path->next;
	}
}

void comch_remote_path_header_read(struct comch_remote_path *path)
{
	const struct slots_header *header = (const void *)(path->memory + HEADER_AT);
	struct slots_header *copy = path->to->header;
	uint64_t consumed = atomic_load(&header->consumed), known = atomic_load(&copy->consumed);

	path->is_reading_credit = false;
	path->credit_read_done = path->credit_read_next;
	if (atomic_load(&header->closed))
		atomic_store(&copy->closed, 1);
	if (!path->requester->relays && (atomic_load(&header->armed) & CHANNEL_SLEEPING))
		path->must_ring = true;
	while ((int64_t)(consumed - known) > 0 &&
	       !atomic_compare_exchange_weak(&copy->consumed, &known, consumed))
		continue;
	path->seen = atomic_load(&header->posted);
	/* A valid value is at most one lap beyond what was known. */
	if ((int64_t)(path->seen - atomic_load(&copy->posted)) > (int64_t)path->to->mask + 1)
		comch_remote_path_break(path);
}

/* Another producer may have read the descriptors meanwhile. Receives that it claimed may be posted
 * again, so descriptors before `posted` are ignored. */
void comch_remote_path_descs_read(struct comch_remote_path *path)
{
	const struct slots_desc *from = (const void *)(path->memory + DESCS_AT);
	struct slots_header *copy = path->to->header;
	uint64_t posted;

	path->is_reading_credit = false;
	/* If another producer holds the turn, the data is dropped. `seen` stays beyond `posted`, so
	 * it is read again if needed. */
	if (!comch_try_lock_acquire(&path->to->remote_slots->lock))
		return;
	posted = atomic_load(&copy->posted);
	for (uint32_t i = 0; i < path->descs_n; i++) {
		struct slots_desc *desc = &path->to->descs[(path->descs_from + i) & path->to->mask];

		if (path->descs_from + i < posted)
			continue;
		atomic_store_explicit(&desc->room, atomic_load(&from[i].room),
				      memory_order_relaxed);
	}
	if (path->descs_from + path->descs_n > posted)
		atomic_store_explicit(&copy->posted, path->descs_from + path->descs_n,
				      memory_order_release);
	comch_try_lock_release(&path->to->remote_slots->lock);
}
