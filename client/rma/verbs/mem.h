/*
 * Memory regions of mmaps, one for a mmap and device: registered once, given back when the mmap
 * stops. What is only used from here gets a key that peers cannot use; an export, one that they
 * can. Threads: any.
 */
#ifndef CLIENT_RMA_VERBS_MEM_H
#define CLIENT_RMA_VERBS_MEM_H

#include "client/memory/mem_key.h"
#include "client/memory/mmap.h"
#include "client/rma/verbs/device.h"

/* For who posts: SUCCESS and the key; errors come with a sentence. */
doca_error_t verbs_mem_register(struct doca_mmap *mmap, struct verbs_device *device, bool is_remote,
				const struct mem_key **key_out);
#define VERBS_HINT_MAX 160
/* What a refusal may come of, and helps: the limit of locked memory. "": not that. */
const char *verbs_memlock_hint(int error, char hint[VERBS_HINT_MAX]);
bool verbs_mem_serves(const struct doca_devinfo *info);
doca_error_t verbs_mem_get_remote(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out);
void verbs_mem_revoke(struct doca_mmap *mmap, uint32_t key);
doca_error_t verbs_mem_get_own(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out);
/* The locks are nobody's in a child. */
void verbs_mem_in_child(void);
const char *verbs_pd_device(const struct ibv_pd *pd);
doca_error_t verbs_get_pd(struct doca_dev *dev, struct ibv_pd **pd_out);
/* The same on this device, which the key keeps. */
doca_error_t verbs_mem_make_on(struct verbs_device *device, void *addr, uint64_t known_as,
			       size_t len, uint32_t rights, struct mem_key **key_out);
doca_error_t verbs_mem_make(struct doca_dev *dev, void *addr, uint64_t known_as, size_t len,
			    uint32_t rights, struct mem_key **key_out);

static inline const struct mem_key *verbs_mem_find(const struct doca_mmap *mmap,
						   const struct verbs_device *device)
{
	const struct mem_key *key = atomic_load_explicit(&mmap->keys, memory_order_acquire);

	/* A mmap has one as a rule. */
	if (likely(key != NULL && key->device == device && !atomic_load(&key->is_dead)))
		return key;
	return mem_key_find(mmap, device, false);
}

#endif
