/*
 * Memory regions of memory maps, one for each pair of a memory map and a device. A region is
 * registered once, and deregistered when the memory map stops. A region that only this process uses
 * has a key that is invalid for peers; an export has one that is valid for them. Threads: any.
 */
#ifndef CLIENT_RMA_VERBS_MEM_H
#define CLIENT_RMA_VERBS_MEM_H

#include "client/memory/mem_key.h"
#include "client/memory/mmap.h"
#include "client/rma/verbs/device.h"

/* For posting: returns SUCCESS and the key. Errors come with an error sentence. */
doca_error_t verbs_mem_register(struct doca_mmap *mmap, struct verbs_device *device, bool is_remote,
				const struct mem_key **key_out);
#define VERBS_HINT_MAX 160
/* Returns a hint if the error may be caused by the limit of locked memory; otherwise "". */
const char *verbs_memlock_hint(int error, char hint[VERBS_HINT_MAX]);
bool verbs_mem_serves(const struct doca_devinfo *info);
doca_error_t verbs_mem_get_remote(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out);
void verbs_mem_revoke(struct doca_mmap *mmap, uint32_t key);
doca_error_t verbs_mem_get_local(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out);
/* Resets the locks in a forked child. */
void verbs_mem_in_child(void);
const char *verbs_pd_device(const struct ibv_pd *pd);
doca_error_t verbs_get_pd(struct doca_dev *dev, struct ibv_pd **pd_out);
/* Like verbs_mem_make(), on this device, which the key references. */
doca_error_t verbs_mem_make_on(struct verbs_device *device, void *addr, uint64_t known_as,
			       size_t len, uint32_t rights, struct mem_key **key_out);
doca_error_t verbs_mem_make(struct doca_dev *dev, void *addr, uint64_t known_as, size_t len,
			    uint32_t rights, struct mem_key **key_out);

static inline const struct mem_key *verbs_mem_find(const struct doca_mmap *mmap,
						   const struct verbs_device *device)
{
	const struct mem_key *key = atomic_load_explicit(&mmap->keys, memory_order_acquire);

	/* The fast path: usually a memory map has one key. */
	if (likely(key != NULL && key->device == device && !atomic_load(&key->is_dead)))
		return key;
	return mem_key_find(mmap, device, false);
}

#endif
