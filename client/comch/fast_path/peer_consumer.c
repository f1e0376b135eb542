/*
 * Opens a consumer of the peer for producers: maps its slots and chooses the best path to its
 * memory that works. All data from the peer is validated here or on each load. Threads: the one
 * that handles the connection's events; afterwards see client/comch/fast_path/link.h.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>

#include "client/comch/fast_path/claim.h"
#include "client/comch/fast_path/link.h"
#include "client/comch/remote/paths.h"
#include "client/progress/pe.h"
#include "util/fd.h"
#include "util/memfd.h"

bool comch_slots_plan(struct comch_slots *slots, uint32_t n_slots, uint32_t stride,
		      uint64_t bounce_len)
{
	if (!IS_POW2(n_slots) || n_slots > SLOTS_MAX_SLOTS || stride % SHM_CACHE_LINE != 0 ||
	    stride < SHM_CACHE_LINE || stride > SLOTS_MAX_STRIDE || bounce_len % SLOTS_ALIGN != 0 ||
	    bounce_len > SLOTS_MAX_BOUNCE)
		return false;
	slots->n_slots = n_slots;
	slots->stride = stride;
	slots->bounce_len = bounce_len;
	slots->desc_at = SLOTS_ALIGN;
	slots->slot_at = slots->desc_at +
			 ALIGN_UP(n_slots * sizeof(struct slots_desc), (size_t)SLOTS_ALIGN);
	slots->body_at = slots->slot_at +
			 ALIGN_UP(n_slots * sizeof(struct slots_slot), (size_t)SLOTS_ALIGN);
	slots->bounce_at = slots->body_at + ALIGN_UP((size_t)n_slots * stride, (size_t)SLOTS_ALIGN);
	/* SLOTS_ALIGN is smaller than the pages of some kernels. */
	slots->len = ALIGN_UP(slots->bounce_at + bounce_len, memfd_page_size());
	return true;
}

static const char cannot_map[] = "its slots cannot be mapped";

doca_error_t comch_peer_consumer_refuse(const struct comch_link *link, uint32_t id, const char *why)
{
	/* A failed mapping is the only reason that the peer has not caused. */
	if (why == cannot_map)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "comch \"%s\": consumer %u of the peer is not usable: %s",
				 link->name, id, why);
	return error_set(DOCA_ERROR_UNEXPECTED,
			 "comch \"%s\": consumer %u of the peer is not usable: %s", link->name, id,
			 why);
}

/* Maps the slots. Every word of the header is loaded once. */
static const char *peer_consumer_map(struct comch_peer_consumer *peer, int memfd, size_t slots_len,
				     uint32_t n_slots)
{
	struct slots_header *header;
	struct comch_slots slots;
	uint32_t stride;
	uint64_t bounce_len;

	if (slots_len < SLOTS_ALIGN || memfd_verify(memfd, slots_len) < 0)
		return "its slots are too short or not sealed";
	peer->map = memfd_map(memfd, 0, slots_len, true);
	if (peer->map == NULL)
		return cannot_map;
	peer->map_len = slots_len;
	header = peer->map;
	if (header->magic != SLOTS_MAGIC || header->version != SLOTS_LAYOUT)
		return "its slots have another layout; update both sides together";
	stride = *(volatile uint32_t *)&header->body_stride;
	bounce_len = *(volatile uint64_t *)&header->bounce_len;
	if (!comch_slots_plan(&slots, n_slots, stride, bounce_len) || slots.len > slots_len)
		return "its slots have impossible sizes";
	peer->header = header;
	peer->descs = (struct slots_desc *)(void *)((uint8_t *)peer->map + slots.desc_at);
	peer->slots = (struct slots_slot *)(void *)((uint8_t *)peer->map + slots.slot_at);
	peer->bodies = (uint8_t *)peer->map + slots.body_at;
	peer->mask = n_slots - 1;
	peer->stride = stride;
	peer->bounce.area = (uint8_t *)peer->map + slots.bounce_at;
	peer->bounce.len = bounce_len;
	return NULL;
}

/*
 * Chooses the best transport that opens. It is no error if none does, because there is the bounce
 * area. A transport that copies to unmapped memory may wait in each copy for whatever provides that
 * memory. Such a transport is not tried if the consumer grants no right to write. None is used for
 * memory of another user (client/transport/pvm.c), because that user can make this process handle
 * the consumer against its will.
 */
static void peer_consumer_choose_path(struct comch_peer_consumer *peer,
				      const struct comch_link *link,
				      const struct transport_target *target)
{
	const struct transport_ops *const *ops;
	char reason[TRANSPORT_REASON_MAX] = "its memory does not permit writing";

	for (ops = transport_table; *ops != NULL; ops++) {
		struct transport_region region = {
			.ops = *ops, .base = target->base, .len = target->len, .pidfd = -1};

		if (!target->writable && (*ops)->writev != transport_iov_unsupported)
			continue;
		if ((*ops)->open(target, &region, reason) == 0) {
			peer->region = region;
			peer->path = region.direct ? COMCH_PATH_DIRECT : COMCH_PATH_WRITEV;
			sdk_debug("comch \"%s\": consumer %u is reached by %s", link->name,
				  peer->id, (*ops)->name);
			return;
		}
		sdk_debug("comch \"%s\": consumer %u cannot be reached by %s: %s", link->name,
			  peer->id, (*ops)->name, reason);
	}
	sdk_info("comch \"%s\": large messages to consumer %u pass through its slots: %s",
		 link->name, peer->id, reason);
}

struct peer_consumer_fds {
	int pidfd, memfd, doorbell, mem;
};

static void peer_consumer_fds_close(struct peer_consumer_fds *fds)
{
	fd_close(&fds->pidfd);
	fd_close(&fds->memfd);
	fd_close(&fds->doorbell);
	fd_close(&fds->mem);
}

static const char *peer_consumer_set_up(struct comch_peer_consumer *peer,
					const struct comch_link *link,
					const Dococore__ConsumerReply *reply,
					struct peer_consumer_fds *fds)
{
	const Dococore__Consumer *consumer = reply->consumer;
	bool is_memfd = consumer->memory == DOCOCORE__MEMORY_KIND__MEMFD && consumer->peer_writes;
	struct transport_target target = {
		.base = consumer->addr,
		.len = consumer->len,
		.writable = consumer->peer_writes,
		.same_process = reply->same_process,
		.is_memfd = is_memfd,
		.memfd_offset = consumer->memfd_offset,
		.memfd = fds->mem,
		.pidfd = fds->pidfd,
		.pid = (pid_t)reply->pid,
		.uid = reply->uid,
	};
	const char *wrong;

	if (consumer->id != peer->id)
		return "it is another one";
	if (consumer->len == 0 || consumer->addr + consumer->len < consumer->addr)
		return "its memory range is impossible";
	if (!fd_is_eventfd(fds->doorbell) || fd_set_nonblocking(fds->doorbell) < 0)
		return "its doorbell is no eventfd";
	wrong = peer_consumer_map(peer, fds->memfd, consumer->slots_len, consumer->n_slots);
	if (wrong != NULL)
		return wrong;
	peer->addr = consumer->addr;
	peer->len = consumer->len;
	/* The immediate data shares the body with an offset into the bounce area. */
	peer->max_imm_len = MIN(consumer->max_imm_len, peer->stride - 8);
	peer->fence = ring_waker_register();
	comch_claims_init(peer);
	pe_prepare_doorbells();
	peer->doorbell_fd = fd_steal(&fds->doorbell);
	peer_consumer_choose_path(peer, link, &target);
	return NULL;
}

static doca_error_t peer_consumer_check_answer(const struct comch_link *link,
					       const struct rpc_reply *answer,
					       const struct doca_mmap *import, uint32_t consumer_id)
{
	const Dococore__Consumer *consumer = answer->packet->consumer_reply->consumer;

	if (consumer == NULL || link->is_remote != (consumer->slots_export.len != 0) ||
	    link->is_remote != (import != NULL))
		return comch_peer_consumer_refuse(link, consumer_id,
						  "the daemon did not describe it");
	return DOCA_SUCCESS;
}

doca_error_t comch_peer_consumer_open(const struct comch_link *link, struct rpc_reply *answer,
				      struct doca_mmap *import, uint32_t consumer_id,
				      struct comch_peer_consumer **peer_out)
{
	const Dococore__ConsumerReply *reply = answer->packet->consumer_reply;
	CLEANUP(peer_consumer_fds_close)
	struct peer_consumer_fds fds = {fdset_steal(&answer->fds, 0), fdset_steal(&answer->fds, 1),
					fdset_steal(&answer->fds, 2), fdset_steal(&answer->fds, 3)};
	doca_error_t result = peer_consumer_check_answer(link, answer, import, consumer_id);
	struct comch_peer_consumer *peer = NULL;
	const char *wrong;

	/* Aligned, so that members which each message reads share no cache line with data of
	 * others. */
	if (result == DOCA_SUCCESS) {
		peer = aligned_alloc(SHM_CACHE_LINE,
				     ALIGN_UP(sizeof(*peer), (size_t)SHM_CACHE_LINE));
		if (peer == NULL)
			result = error_set(DOCA_ERROR_NO_MEMORY,
					   "comch \"%s\": no memory for a consumer", link->name);
	}
	if (result != DOCA_SUCCESS) {
		if (import != NULL)
			(void)doca_mmap_destroy(import);
		return result;
	}
	*peer = (struct comch_peer_consumer){.id = consumer_id, .doorbell_fd = -1, .refs = 1};
	list_init(&peer->node);
	if (link->is_remote) {
		result = comch_remote_slots_open(peer, link, reply->consumer, import);
		if (result == DOCA_SUCCESS)
			*peer_out = peer;
		else
			comch_peer_consumer_free(peer);
		return result;
	}
	wrong = peer_consumer_set_up(peer, link, reply, &fds);
	if (wrong != NULL) {
		comch_peer_consumer_free(peer);
		return comch_peer_consumer_refuse(link, consumer_id, wrong);
	}
	*peer_out = peer;
	return DOCA_SUCCESS;
}

void comch_peer_consumer_free(struct comch_peer_consumer *peer)
{
	if (peer->region.ops != NULL)
		peer->region.ops->close(&peer->region);
	if (peer->map != NULL)
		memfd_unmap(peer->map, peer->map_len);
	comch_remote_slots_close(peer->remote_slots);
	fd_close(&peer->doorbell_fd);
	free(peer);
}
