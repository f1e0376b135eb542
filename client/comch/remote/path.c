/*
 * A producer's path to one consumer of another machine: its memory, its queue pair, the requests
 * that it posts, and its end; see client/comch/remote/path.h. Threads: those of the producer's
 * progress engine.
 */
#include "client/comch/remote/path.h"

#include <doca_mmap.h>
#include <endian.h>
#include <stdlib.h>

#include "client/memory/mmap.h"
#include "client/rma/requester.h"
#include "util/memfd.h"

/* --- opening and closing --- */

void comch_far_close(struct comch_far *far)
{
	int fds[REQUESTER_FDS];
	size_t n = far->requester != NULL ? requester_fds(far->requester, fds) : 0;

	list_remove(&far->node);
	while (n-- > 0)
		pe_remove_eventfd(far->producer->ctx.pe, fds[n]);
	requester_close(far->requester);
	if (far->mmap != NULL)
		(void)doca_mmap_destroy(far->mmap);
	free(far->memory);
	comch_remote_unref(far->to);
	free(far);
}

static doca_error_t far_make_memory(struct comch_far *far)
{
	size_t page = memfd_page_size(), len;
	doca_error_t result;
	void *memory;

	far->stage_len = sizeof(struct far_stage) + far->to->stride;
	len = ALIGN_UP(STAGES_AT + FAR_SENDS * far->stage_len, page);
	if (posix_memalign(&memory, page, len) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch producer send: out of memory");
	far->memory = __builtin_memset(memory, 0, len);
	result = mmap_new(API_TASK, &far->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(far->mmap, memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(far->mmap, far->producer->ctx.dev);
	return result == DOCA_SUCCESS ? doca_mmap_start(far->mmap) : result;
}

static int far_watch_change(void *user, int fd, bool is_there)
{
	struct doca_pe *pe = ((struct comch_far *)user)->producer->ctx.pe;

	if (is_there)
		return pe_add_shared_fd(pe, fd);
	pe_remove_eventfd(pe, fd);
	return 0;
}

/* Watches the descriptors that the requester has now. The requester reports those that it opens
 * later. */
static doca_error_t far_watch(struct comch_far *far)
{
	int fds[REQUESTER_FDS];
	size_t n = requester_fds(far->requester, fds);

	for (size_t i = 0; i < n; i++) {
		int r = pe_add_shared_fd(far->producer->ctx.pe, fds[i]);

		if (r < 0)
			return error_set(error_from_errno(r),
					 "comch producer send: a descriptor of the way to consumer "
					 "%u cannot be watched (error %d)",
					 far->to->id, -r);
	}
	far->requester->watch = far_watch_change;
	far->requester->user = far;
	return DOCA_SUCCESS;
}

static doca_error_t far_connect(struct comch_far *far)
{
	const struct doca_mmap *import = far->to->far->import;
	const struct requester_goal goal = {
		.daemon_id = import->exporter_daemon,
		.agent_id = import->agent_id,
		.import_id = import->import_id,
		.import_daemon = import->import_daemon,
	};
	doca_error_t result = requester_open_async(far->producer->ctx.dev,
						   import->region.ops->is_relayed, FAR_WRS, 1,
						   &far->requester);

	if (result == DOCA_SUCCESS)
		result = far_watch(far);
	return result == DOCA_SUCCESS ? requester_find(far->requester, &goal, &far->peer) : result;
}

doca_error_t comch_far_open(struct doca_comch_producer *producer, struct comch_remote *to,
			    struct comch_far **far_out)
{
	struct comch_far *far = calloc(1, sizeof(*far));
	doca_error_t result;

	if (far == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch producer send: out of memory");
	far->producer = producer;
	far->to = to;
	atomic_fetch_add_explicit(&to->refs, 1, memory_order_relaxed);
	list_append(&producer->fars->all, &far->node);
	for (size_t i = 0; i < FAR_WRS; i++) {
		far->wrs[i].next = far->free;
		far->free = &far->wrs[i];
	}
	far->seen = atomic_load(&to->header->posted);
	far->must_look = true;
	result = far_make_memory(far);
	if (result == DOCA_SUCCESS)
		result = far_connect(far);
	if (result != DOCA_SUCCESS) {
		comch_far_close(far);
		return result;
	}
	*far_out = far;
	return DOCA_SUCCESS;
}

/* --- failure --- */

doca_error_t comch_far_is_lost(const struct comch_far *far)
{
	const struct comch_link *link = far->producer->member.link;

	if (comch_link_ended(link) != 0)
		return error_set(comch_link_code(link),
				 "comch producer send: the connection of \"%s\" has ended before "
				 "it was known that the message arrived",
				 link->name);
	return error_set(
		DOCA_ERROR_CONNECTION_RESET,
		"comch producer send: consumer %u is not reached any more, and it is not known "
		"whether the message arrived: it has stopped, or its process has ended, or the "
		"network to it is cut; send to another, or connect anew",
		far->to->id);
}

/* Returns the result of a submission to a consumer that could not be reached. */
static doca_error_t refusal_code(const struct requester_peer *peer)
{
	switch (peer->refusal) {
	case DOCA_SUCCESS:
		return peer->is_full ? DOCA_ERROR_FULL : DOCA_ERROR_CONNECTION_RESET;
	case DOCA_ERROR_NOT_CONNECTED:
	case DOCA_ERROR_CONNECTION_ABORTED:
		return DOCA_ERROR_CONNECTION_RESET;
	default:
		return peer->refusal;
	}
}

doca_error_t comch_far_is_refused(struct comch_far *far)
{
	const struct comch_link *link = far->producer->member.link;
	doca_error_t result;

	if (comch_link_ended(link) != 0)
		return comch_far_is_lost(far);
	result = error_set(refusal_code(far->peer),
			   "comch producer send: consumer %u is not reached, and the message was "
			   "not sent: %s",
			   far->to->id, far->peer->reason);
	comch_far_close(far);
	return result;
}

void comch_far_cut(struct comch_far *far)
{
	if (!far->is_disconnected)
		requester_disconnect(far->requester);
	far->is_disconnected = true;
}

void comch_far_break(struct comch_far *far)
{
	if (far->is_broken)
		return;
	far->is_broken = true;
	for (uint64_t i = far->first; i != far->last; i++) {
		const struct far_send *send = &far->sends[i % FAR_SENDS];

		/* Nothing will complete the receive that this message claimed. */
		if (i >= far->next || send->n_out > 0 || send->status != DOCA_SUCCESS)
			atomic_store(&far->to->far->is_holed, true);
	}
	for (uint64_t i = far->next; i != far->last; i++) {
		struct far_send *send = &far->sends[i % FAR_SENDS];

		send->piece = send->n_pieces;
		if (send->status == DOCA_SUCCESS)
			send->status = comch_far_is_lost(far);
	}
	far->next = far->last;
	comch_far_cut(far);
}

/* --- requests --- */

doca_error_t comch_far_post(struct comch_far *far, enum far_kind kind, enum rdma_op op,
			    const struct far_piece *piece)
{
	struct far_wr *w = far->free;
	doca_error_t result;

	if (w == NULL)
		return DOCA_ERROR_AGAIN;
	w->kind = kind;
	w->sge = (struct rdma_sge){
		.addr = (uint8_t *)piece->from, .len = piece->len, .mmap = piece->mmap};
	w->wr = (struct rdma_wr){.qp = far->peer->qp, .op = op};
	if (kind == FAR_RING) {
		w->wr.imm = htobe32((uint32_t)far->to->far->import->export_id);
	} else {
		w->wr.n_sges = 1;
		w->wr.sges = &w->sge;
		w->wr.remote_addr = piece->to;
		w->wr.remote_mmap = far->to->far->import;
	}
	result = far->requester->ops->post(far->peer->qp, &w->wr);
	if (result != DOCA_SUCCESS)
		return result;
	far->free = w->next;
	far->n_out++;
	return DOCA_SUCCESS;
}

bool comch_far_try(struct comch_far *far, enum far_kind kind, enum rdma_op op,
		   const struct far_piece *piece)
{
	doca_error_t result = comch_far_post(far, kind, op, piece);

	if (result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN)
		comch_far_break(far);
	return result == DOCA_SUCCESS;
}
