/*
 * Stock: where a free buffer goes, whatever it came from. Inventories and pools have one first in
 * their struct, so that releasing is the same for both. What is free stands on a stack of pointers:
 * one index is both the place to take from and the count. `floor` is where taking ends: 0, or
 * SIZE_MAX while stopped, so that the fast path has one check for "empty or stopped". An inventory
 * up to 2.2 is never anything else, because the fast path is not for it. A free buffer has no
 * successor.
 */
#ifndef CLIENT_CORE_BUF_STOCK_H
#define CLIENT_CORE_BUF_STOCK_H

#include "client/core/buf.h"

struct buf_stock {
	struct doca_buf **stack;
	size_t n_free;
	size_t floor;
	uint32_t n_elements;
	bool started;
	bool is_pool;          /* head, length and mmap of its buffers are fixed */
	bool refuses_lists;    /* of an inventory up to 1.5 that was made without them */
	struct list mmap_node; /* pool: in mmap->pools while started */
};

/* The buffer goes back with a count of 0. It must be in no list any more. */
static inline void buf_stock_put(struct doca_buf *buf, bool is_counted)
{
	struct buf_stock *stock = buf->stock;

	/* A mmap that threads share is not written to, and may be gone. */
	if (is_counted)
		buf->mmap->n_bufs--;
	buf->state = 0;
	stock->stack[stock->n_free++] = buf;
}

#endif
