/*
 * Stock: where a free buffer goes, whatever it came from. Inventories and pools have one first in
 * their struct, so that releasing is the same for both. What is free stands on a stack of pointers:
 * one index is both the place to take from and the count. `floor` is where the fast path of taking
 * ends: SIZE_MAX while stopped, otherwise `n_untouched`, so that it has one check for "empty,
 * stopped or next to a buffer that was never taken". An inventory up to 2.2 is never anything but
 * stopped, because the fast path is not for it. A free buffer has no successor.
 *
 * No buffer is counted in its mmap when it is taken or released, because threads may have stocks of
 * their own with buffers of one mmap. An mmap that is asked counts instead: it walks the slabs of
 * all stocks, which are listed here. For that walk, which another thread may make, `n_free`,
 * `n_untouched` and a buffer's `mmap` and `state` are written atomically, without any cost to the
 * owner. Buffers at the bottom of the stack that were never taken are not looked at, because
 * programs make inventories that are much larger than what they use.
 *
 * Threads: a stock belongs to one thread at a time; the list of all stocks has a lock.
 */
#ifndef CLIENT_MEMORY_BUF_FREELIST_H
#define CLIENT_MEMORY_BUF_FREELIST_H

#include "client/memory/buf.h"

/* Buffers of a stock that lie side by side. Those of a pool are written when it starts. */
struct buf_slab {
	struct buf_slab *next;
	struct doca_buf *bufs;
	uint32_t n;
};

struct buf_stock {
	struct doca_buf **stack;
	size_t n_free;
	size_t floor;
	uint32_t n_elements;
	bool started;
	bool is_pool;       /* head, length and mmap of its buffers are fixed */
	bool refuses_lists; /* of an inventory up to 1.5 that was made without them */
	/* Of an inventory: as many at the bottom of the stack were never taken, the last ones of
	 * the first slab. It only decreases. */
	size_t n_untouched;
	uint32_t n_first; /* buffers of the first slab */
	/* Cold; written with the lock of the list held. */
	struct buf_slab *slabs;
	struct doca_mmap *mmap; /* of a pool; NULL for an inventory */
	struct list node;       /* in the list of all stocks */
};

/* Lists a stock, with `slabs` and `mmap` set, until it is removed. */
void buf_stock_add(struct buf_stock *stock);
/* Idempotent. No buffer of the stock is out. */
void buf_stock_remove(struct buf_stock *stock);
/* For changes of slabs, of their buffers as a whole, and of `started` of a pool. */
void buf_stocks_lock(void);
void buf_stocks_unlock(void);

static inline void buf_stock_set_n_free(struct buf_stock *stock, size_t n_free)
{
	__atomic_store_n(&stock->n_free, n_free, __ATOMIC_RELAXED);
}

/* Takes the buffer on top of the stack, `top` being the stack's height. */
static inline struct doca_buf *buf_stock_take(struct buf_stock *stock, size_t top)
{
	struct doca_buf *buf = stock->stack[--top];

	buf_stock_set_n_free(stock, top);
	return buf;
}

/* Returns a buffer, which is in no list any more; its count becomes 0. */
static inline void buf_stock_put(struct doca_buf *buf)
{
	struct buf_stock *stock = buf->stock;
	size_t top = stock->n_free;

	buf_set_state(buf, 0);
	stock->stack[top] = buf;
	buf_stock_set_n_free(stock, top + 1);
}

#endif
