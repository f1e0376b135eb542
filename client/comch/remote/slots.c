/*
 * Slots that producers of another machine access: the consumer exports them, the other side imports
 * them; see client/comch/remote/paths.h. Threads: the consumer's; the one that handles the
 * connection's events.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <doca_mmap.h>

#include "client/base/env.h"
#include "client/comch/fast_path/claim.h"
#include "client/comch/remote/paths.h"
#include "client/memory/mem_key.h"
#include "client/memory/mmap.h"
#include "util/fd.h"

/* The most memory that an RDMA device may lock for remote rings of a process, if RLIMIT_MEMLOCK is
 * at least twice that. */
#define PINNED_MAX (64u << 20)

/* --- the consumer's side --- */

static void exported_rung(void *arg)
{
	struct comch_exported *exported = arg;

	/* Pairs with the barrier of an arming user: either the user sees the data, or this thread
	 * sees the armed word. */
	atomic_thread_fence(memory_order_seq_cst);
	if (ring_clear_sleeper(exported->armed))
		fd_eventfd_ring(exported->doorbell_fd);
}

/* No producer can ring any more, so the consumer is woken whether it sleeps or not. */
static void exported_revoked(void *arg)
{
	struct comch_exported *exported = arg;

	atomic_store(&exported->is_revoked, true);
	fd_eventfd_ring(exported->doorbell_fd);
}

doca_error_t comch_export(struct comch_exported *exported, struct doca_dev *dev, void *memory,
			  size_t len, _Atomic uint32_t *armed, int doorbell_fd)
{
	struct doca_mmap *mmap;
	doca_error_t result = mmap_new(API_TASK, &mmap);

	if (result != DOCA_SUCCESS)
		return result;
	exported->mmap = mmap;
	exported->armed = armed;
	exported->doorbell_fd = doorbell_fd;
	mmap->rung = exported_rung;
	mmap->rung_arg = exported;
	mmap->revoked = exported_revoked;
	atomic_store(&exported->is_revoked, false);
	result = doca_mmap_set_memrange(mmap, memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
								 DOCA_ACCESS_FLAG_RDMA_READ |
								 DOCA_ACCESS_FLAG_RDMA_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(mmap, dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(mmap);
	if (result == DOCA_SUCCESS)
		result = mmap_export(mmap, dev, &exported->desc, &exported->desc_len,
				     DOCOCORE__EXPORT_KIND__RDMA);
	if (result != DOCA_SUCCESS)
		comch_unexport(exported, false);
	return result;
}

void comch_unexport(struct comch_exported *exported, bool has_to_drain)
{
	if (exported->mmap != NULL) {
		exported->mmap->ends_async = !has_to_drain;
		(void)doca_mmap_destroy(exported->mmap);
	}
	exported->mmap = NULL;
	atomic_store(&exported->is_revoked, false);
}

bool comch_can_export(const struct doca_dev *dev)
{
	const char *asked = env_variable("DOCOCORED_MIRROR");

	return (asked == NULL || strcmp(asked, "0") != 0) && mem_keys_serve(dev->info);
}

uint64_t comch_pinned_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return PINNED_MAX;
	return MIN((uint64_t)PINNED_MAX, (uint64_t)limit.rlim_cur / 2);
}

/* --- the producers' side --- */

doca_error_t comch_import_memory(struct doca_dev *dev, const void *desc, size_t len,
				 struct doca_mmap **import_out)
{
	doca_error_t result = mmap_import(API_TASK, NULL, desc, len, dev, import_out);

	/* The import may end within progress, which must not wait. */
	if (result == DOCA_SUCCESS)
		(*import_out)->ends_async = true;
	return result;
}

static const char *slots_wrong(const struct comch_remote_slots *slots,
			       const Dococore__Consumer *consumer)
{
	const struct doca_mmap *import = slots->import;

	if (consumer->addr != (uintptr_t)import->addr || consumer->slots_len > import->len ||
	    slots->at.len > consumer->slots_len)
		return "its slots are not where it says that they are";
	if (!import->readable || !import->writable)
		return "its slots may not be read and written";
	return NULL;
}

doca_error_t comch_remote_slots_open(struct comch_peer_consumer *peer,
				     const struct comch_link *link,
				     const Dococore__Consumer *consumer, struct doca_mmap *import)
{
	struct comch_remote_slots *slots = calloc(1, sizeof(*slots));
	const char *wrong;

	if (slots == NULL) {
		(void)doca_mmap_destroy(import);
		return error_set(DOCA_ERROR_NO_MEMORY, "comch \"%s\": no memory for a consumer",
				 link->name);
	}
	slots->import = import;
	peer->remote_slots = slots;
	if (consumer->id != peer->id)
		return comch_peer_consumer_refuse(link, peer->id, "it is another one");
	if (!comch_slots_plan(&slots->at, consumer->n_slots, consumer->body_stride,
			      consumer->bounce_len))
		return comch_peer_consumer_refuse(link, peer->id,
						  "its slots have impossible sizes");
	wrong = slots_wrong(slots, consumer);
	if (wrong != NULL)
		return comch_peer_consumer_refuse(link, peer->id, wrong);
	slots->descs = calloc(consumer->n_slots, sizeof(*slots->descs));
	if (slots->descs == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch \"%s\": no memory for a consumer",
				 link->name);
	slots->base = consumer->addr;
	peer->header = &slots->header;
	peer->descs = slots->descs;
	peer->mask = consumer->n_slots - 1;
	peer->stride = consumer->body_stride;
	/* The immediate data shares the body with an offset into the bounce area. */
	peer->max_imm_len = MIN(consumer->max_imm_len, peer->stride - 8);
	peer->bounce.len = consumer->bounce_len;
	peer->path = COMCH_PATH_REMOTE;
	atomic_store(&peer->claims.mode, COMCH_CLAIM_SHARED);
	sdk_debug("comch \"%s\": consumer %u is reached by %s", link->name, peer->id,
		  slots->import->region.ops->name);
	return DOCA_SUCCESS;
}

void comch_remote_slots_close(struct comch_remote_slots *slots)
{
	if (slots == NULL)
		return;
	if (slots->import != NULL)
		(void)doca_mmap_destroy(slots->import);
	free(slots->descs);
	free(slots);
}
