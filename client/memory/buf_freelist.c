/*
 * The list of all free lists, and the operations of a memory map on it; see
 * client/memory/buf_freelist.h. Threads: any. The lock is the innermost one: no function that takes
 * another lock is called with it held.
 */
#include "client/memory/buf_freelist.h"

#include <pthread.h>

#include "client/memory/quarantine.h"

static pthread_mutex_t freelists_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list freelists = LIST_INIT(freelists);

/* Replaces a memory map that was destroyed before its buffers or its pool. It has no rights and an
 * empty range. */
static const _Atomic uint32_t never_alive;
static struct doca_mmap mmap_destroyed = {
	.root = &mmap_destroyed,
	.base = UINTPTR_MAX,
	.alive = &never_alive,
	.generation = 1,
	.memfd = -1,
	.exports = LIST_INIT(mmap_destroyed.exports),
	.users = LIST_INIT(mmap_destroyed.users),
	.region = {.pidfd = -1},
};

void buf_freelists_lock(void)
{
	pthread_mutex_lock(&freelists_lock);
}

void buf_freelists_unlock(void)
{
	pthread_mutex_unlock(&freelists_lock);
}

static void watch_forks(void)
{
	(void)pthread_atfork(buf_freelists_lock, buf_freelists_unlock, buf_freelists_unlock);
}

void buf_freelist_add(struct buf_freelist *freelist)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	buf_freelists_lock();
	list_append(&freelists, &freelist->node);
	buf_freelists_unlock();
}

void buf_freelist_remove(struct buf_freelist *freelist)
{
	buf_freelists_lock();
	list_remove(&freelist->node);
	buf_freelists_unlock();
}

/*
 * Returns whether no buffer is taken. The unlocked read cannot miss a taken buffer of the memory
 * map that asks: its owner took it before the memory map was asked, and until its release the free
 * list is not full.
 */
static bool freelist_is_full(const struct buf_freelist *freelist)
{
	return __atomic_load_n(&freelist->n_free, __ATOMIC_RELAXED) == freelist->n_elements;
}

/* Returns the memory map of a taken buffer, or NULL if it is free. The memory map is not freed
 * while the lock is held. */
static const struct doca_mmap *buf_get_mmap(const struct doca_buf *buf)
{
	if (__atomic_load_n(&buf->state, __ATOMIC_ACQUIRE) == 0)
		return NULL;
	return __atomic_load_n(&buf->mmap, __ATOMIC_RELAXED);
}

/* Returns how many of the slab's buffers may be taken. */
static uint32_t slab_n_touched(const struct buf_freelist *freelist, const struct buf_slab *slab)
{
	/* Only the first slab has untouched buffers, and it is the last in the list. */
	return slab->next != NULL ? slab->n
				  : slab->n - (uint32_t)__atomic_load_n(&freelist->n_untouched,
									__ATOMIC_RELAXED);
}

static uint32_t slab_count(const struct buf_freelist *freelist, const struct buf_slab *slab,
			   const struct doca_mmap *root)
{
	uint32_t n = 0, n_touched = slab_n_touched(freelist, slab);

	for (uint32_t i = 0; i < n_touched; i++) {
		const struct doca_mmap *mmap = buf_get_mmap(&slab->bufs[i]);

		n += mmap != NULL && mmap->root == root;
	}
	return n;
}

static uint32_t freelist_count(const struct buf_freelist *freelist, const struct doca_mmap *root)
{
	const struct buf_slab *slab;
	uint32_t n = 0;

	if (freelist_is_full(freelist))
		return 0;
	/* All buffers of a pool belong to one memory map. */
	if (freelist->mmap != NULL)
		return freelist->mmap->root != root
			       ? 0
			       : freelist->n_elements - (uint32_t)__atomic_load_n(&freelist->n_free,
										  __ATOMIC_RELAXED);
	for (slab = freelist->slabs; slab != NULL; slab = slab->next)
		n += slab_count(freelist, slab, root);
	return n;
}

uint32_t buf_freelists_count(const struct doca_mmap *mmap)
{
	const struct buf_freelist *freelist;
	uint32_t n = 0;

	buf_freelists_lock();
	list_for_each(freelist, &freelists, node) n += freelist_count(freelist, mmap);
	buf_freelists_unlock();
	return n;
}

void buf_freelists_set_available(const struct doca_mmap *mmap, bool is_available)
{
	struct buf_freelist *freelist;

	buf_freelists_lock();
	list_for_each(freelist, &freelists, node)
	{
		if (freelist->mmap == mmap && freelist->started)
			freelist->floor = is_available ? 0 : SIZE_MAX;
	}
	buf_freelists_unlock();
}

/* Redirects the slab's buffers away from a destroyed memory map. The owner of a buffer may release
 * it at the same time, and take it for another memory map; hence the compare-and-exchange. */
static void slab_forget(const struct buf_freelist *freelist, struct buf_slab *slab,
			const struct doca_mmap *mmap)
{
	uint32_t n_touched = slab_n_touched(freelist, slab);

	for (uint32_t i = 0; i < n_touched; i++) {
		struct doca_mmap *expected = (struct doca_mmap *)(uintptr_t)mmap;

		if (buf_get_mmap(&slab->bufs[i]) == mmap)
			__atomic_compare_exchange_n(&slab->bufs[i].mmap, &expected, &mmap_destroyed,
						    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

void buf_freelists_forget(const struct doca_mmap *mmap)
{
	struct buf_freelist *freelist;
	struct buf_slab *slab;

	buf_freelists_lock();
	list_for_each(freelist, &freelists, node)
	{
		if (freelist->mmap == mmap) {
			freelist->mmap = &mmap_destroyed;
			freelist->floor = SIZE_MAX;
		}
		/* If the memory map counts its buffers, it has been checked that none points
		 * to it. */
		if (mmap->counts_bufs || freelist_is_full(freelist))
			continue;
		for (slab = freelist->slabs; slab != NULL; slab = slab->next)
			slab_forget(freelist, slab, mmap);
	}
	buf_freelists_unlock();
}

void buf_freelists_free_mmap(struct doca_mmap *mmap)
{
	*mmap = mmap_destroyed;
	quarantine_free(mmap, sizeof(*mmap));
}
