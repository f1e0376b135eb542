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

void comch_remote_path_close(struct comch_remote_path *path)
{
	list_remove(&path->node);
	requester_close(path->requester);
	if (path->mmap != NULL)
		(void)doca_mmap_destroy(path->mmap);
	free(path->memory);
	comch_peer_consumer_unref(path->to);
	free(path);
}

static doca_error_t path_make_memory(struct comch_remote_path *path)
{
	size_t page = memfd_page_size(), len;
	void *memory;

	path->staging_len = sizeof(struct path_staging) + path->to->stride;
	len = ALIGN_UP(STAGING_AT + PATH_SENDS * path->staging_len, page);
	if (posix_memalign(&memory, page, len) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch producer send: out of memory");
	path->memory = __builtin_memset(memory, 0, len);
	return mmap_new_started(path->producer->ctx.dev, memory, len, &path->mmap);
}

static doca_error_t path_connect(struct comch_remote_path *path)
{
	const struct doca_mmap *import = path->to->remote_slots->import;
	const struct peer_address address = peer_address_of(import);
	doca_error_t result = requester_open(path->producer->ctx.dev, path->producer->ctx.pe,
					     import->region.ops->is_relayed, PATH_WRS, 1,
					     &path->requester);

	return result == DOCA_SUCCESS ? requester_find(path->requester, &address, &path->peer)
				      : result;
}

doca_error_t comch_remote_path_open(struct doca_comch_producer *producer,
				    struct comch_peer_consumer *to,
				    struct comch_remote_path **path_out)
{
	struct comch_remote_path *path = calloc(1, sizeof(*path));
	doca_error_t result;

	if (path == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch producer send: out of memory");
	path->producer = producer;
	path->to = to;
	atomic_fetch_add_explicit(&to->refs, 1, memory_order_relaxed);
	list_append(&producer->paths->all, &path->node);
	for (size_t i = 0; i < PATH_WRS; i++) {
		path->wrs[i].next = path->free;
		path->free = &path->wrs[i];
	}
	path->seen = atomic_load(&to->header->posted);
	path->must_read_credit = true;
	result = path_make_memory(path);
	if (result == DOCA_SUCCESS)
		result = path_connect(path);
	if (result != DOCA_SUCCESS) {
		comch_remote_path_close(path);
		return result;
	}
	*path_out = path;
	return DOCA_SUCCESS;
}

/* --- failure --- */

doca_error_t comch_remote_path_report_loss(const struct comch_remote_path *path)
{
	const struct comch_link *link = path->producer->member.link;

	if (comch_link_ended(link) != 0)
		return error_set(comch_link_code(link),
				 "comch producer send: the connection of \"%s\" has ended before "
				 "it was known that the message arrived",
				 link->name);
	return error_set(
		DOCA_ERROR_CONNECTION_RESET,
		"comch producer send: consumer %u is not reached any more, and it is not known "
		"whether the message arrived: it has stopped, or its process has ended, or the "
		"network to it is cut; send to another, or connect again",
		path->to->id);
}

/* Returns the result of a submission to a consumer that could not be reached. */
static doca_error_t refusal_code(const struct requester_peer *peer)
{
	switch (peer->refusal) {
	case DOCA_SUCCESS:
		return peer->failure == REQUESTER_FULL ? DOCA_ERROR_FULL
						       : DOCA_ERROR_CONNECTION_RESET;
	case DOCA_ERROR_NOT_CONNECTED:
	case DOCA_ERROR_CONNECTION_ABORTED:
		return DOCA_ERROR_CONNECTION_RESET;
	default:
		return peer->refusal;
	}
}

doca_error_t comch_remote_path_report_refusal(struct comch_remote_path *path)
{
	const struct comch_link *link = path->producer->member.link;
	doca_error_t result;

	if (comch_link_ended(link) != 0)
		return comch_remote_path_report_loss(path);
	result = error_set(refusal_code(path->peer),
			   "comch producer send: consumer %u is not reached, and the message was "
			   "not sent: %s",
			   path->to->id, path->peer->reason);
	comch_remote_path_close(path);
	return result;
}

void comch_remote_path_disconnect(struct comch_remote_path *path)
{
	if (path->state >= REMOTE_PATH_DISCONNECTED)
		return;
	requester_disconnect(path->requester);
	path_enter(path, REMOTE_PATH_DISCONNECTED);
}

void comch_remote_path_break(struct comch_remote_path *path)
{
	bool is_connected = path->state < REMOTE_PATH_DISCONNECTED;

	if (path_is_broken(path))
		return;
	path_enter(path, path->state == REMOTE_PATH_CONNECTING ? REMOTE_PATH_REFUSED
							       : REMOTE_PATH_BROKEN);
	for (uint64_t i = path->first; i != path->last; i++) {
		const struct path_send *send = &path->sends[i % PATH_SENDS];

		/* Nothing will complete the receive that this message claimed. */
		if (i >= path->next || send->n_out > 0 || send->status != DOCA_SUCCESS)
			atomic_store(&path->to->remote_slots->has_lost_receive, true);
	}
	for (uint64_t i = path->next; i != path->last; i++) {
		struct path_send *send = &path->sends[i % PATH_SENDS];

		send->piece = send->n_pieces;
		if (send->status == DOCA_SUCCESS)
			send->status = comch_remote_path_report_loss(path);
	}
	path->next = path->last;
	if (is_connected)
		requester_disconnect(path->requester);
}

/* --- requests --- */

doca_error_t comch_remote_path_post(struct comch_remote_path *path, enum path_request_kind kind,
				    enum rdma_op op, const struct path_piece *piece)
{
	struct path_wr *w = path->free;
	doca_error_t result;

	if (w == NULL)
		return DOCA_ERROR_AGAIN;
	w->kind = kind;
	w->sge = (struct rdma_sge){
		.addr = (uint8_t *)piece->from, .len = piece->len, .mmap = piece->mmap};
	w->wr = (struct rdma_wr){.qp = path->peer->qp, .op = op};
	if (kind == PATH_REQUEST_RING) {
		w->wr.imm = htobe32((uint32_t)path->to->remote_slots->import->export_id);
	} else {
		w->wr.n_sges = 1;
		w->wr.sges = &w->sge;
		w->wr.remote_addr = piece->to;
		w->wr.remote_mmap = path->to->remote_slots->import;
	}
	result = path->requester->ops->post(path->peer->qp, &w->wr);
	if (result != DOCA_SUCCESS)
		return result;
	path->free = w->next;
	path->n_out++;
	return DOCA_SUCCESS;
}

bool comch_remote_path_try_post(struct comch_remote_path *path, enum path_request_kind kind,
				enum rdma_op op, const struct path_piece *piece)
{
	doca_error_t result = comch_remote_path_post(path, kind, op, piece);

	if (result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN)
		comch_remote_path_break(path);
	return result == DOCA_SUCCESS;
}
