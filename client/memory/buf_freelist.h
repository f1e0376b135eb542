/*
 * Free list of buffers, common to inventories and pools, which have it first in their struct, so
 * that releasing a buffer is the same for both. Free buffers stand on a stack of pointers: one
 * index is both the place to take from and their number. `floor` is the index at which the fast
 * path of taking ends: SIZE_MAX while stopped, otherwise `n_untouched`. One comparison thus covers
 * "empty", "stopped" and "the next buffer was never taken". An inventory up to 2.2 keeps SIZE_MAX,
 * because its callers do not use the fast path. A free buffer has no successor.
 *
 * Taking or releasing a buffer changes no counter in its memory map, because several threads may
 * have free lists with buffers of one memory map. Instead, a memory map that needs the number walks
 * the slabs of all free lists. The walk may run on another thread, so `n_free`, `n_untouched` and a
 * buffer's `mmap` and `state` are written atomically; this costs the owner nothing. Buffers at the
 * bottom of the stack that were never taken are skipped, because programs create inventories that
 * are much larger than what they use.
 *
 * Threads: a free list belongs to one thread at a time; the list of all free lists has a lock.
 */
#ifndef CLIENT_MEMORY_BUF_FREELIST_H
#define CLIENT_MEMORY_BUF_FREELIST_H

#include "client/memory/buf.h"

/* A contiguous array of buffers of one free list. A pool writes its buffers when it starts. */
struct buf_slab {
	struct buf_slab *next;
	struct doca_buf *bufs;
	uint32_t n;
};

struct buf_freelist {
	struct doca_buf **stack;
	size_t n_free;
	size_t floor;
	uint32_t n_elements;
	bool started;
	bool is_pool;       /* the head, length and memory map of its buffers are fixed */
	bool refuses_lists; /* an inventory up to 1.5 that was created without list support */
	/* For inventories: the number of buffers at the bottom of the stack that were never taken.
	 * They are the last ones of the first slab. The number only decreases. */
	size_t n_untouched;
	uint32_t n_first; /* the number of buffers in the first slab */
	/* Members off the data path. They are written with the lock of all free lists held. */
	struct buf_slab *slabs;
	struct doca_mmap *mmap; /* the memory map of a pool; NULL for an inventory */
	struct list node;       /* in the list of all free lists */
};

/* Adds a free list, with `slabs` and `mmap` set, to the list of all free lists. */
void buf_freelist_add(struct buf_freelist *freelist);
/* Removes it from the list. Idempotent. None of its buffers may be taken. */
void buf_freelist_remove(struct buf_freelist *freelist);
/* The lock of all free lists. It is held to change the slabs, to rewrite all buffers of a slab, and
 * to change `started` of a pool. */
void buf_freelists_lock(void);
void buf_freelists_unlock(void);

static inline void buf_freelist_set_n_free(struct buf_freelist *freelist, size_t n_free)
{
	__atomic_store_n(&freelist->n_free, n_free, __ATOMIC_RELAXED);
}

/* Takes the buffer on top of the stack; `top` is the current number of free buffers. */
static inline struct doca_buf *buf_freelist_pop(struct buf_freelist *freelist, size_t top)
{
	struct doca_buf *buf = freelist->stack[--top];

	buf_freelist_set_n_free(freelist, top);
	return buf;
}

/* Returns a buffer that is in no list, and sets its reference count to 0. */
static inline void buf_freelist_push(struct doca_buf *buf)
{
	struct buf_freelist *freelist = buf->freelist;
	size_t top = freelist->n_free;

	buf_set_state(buf, 0);
	freelist->stack[top] = buf;
	buf_freelist_set_n_free(freelist, top + 1);
}

#endif
