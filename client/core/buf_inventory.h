/*
 * Inventory: a fixed stock of buffers. What is free stands on a stack of pointers, so that one
 * index is both the place to take from and the count. `floor` is where taking ends: 0, or SIZE_MAX
 * while stopped, so that the fast path has one check for "empty or stopped". A free buffer has no
 * successor.
 */
#ifndef CLIENT_CORE_BUF_INVENTORY_H
#define CLIENT_CORE_BUF_INVENTORY_H

#include "client/core/buf.h"

struct inventory_slab {
	struct inventory_slab *next;
	struct doca_buf *bufs;
};

struct doca_buf_inventory {
	struct doca_buf **stack;
	size_t n_free;
	size_t floor;
	bool started;
	uint32_t n_elements;
	struct inventory_slab *slabs;
	union doca_data user_data;
};

/* The buffer goes back with a count of 0. It must be in no list any more. */
static inline void buf_inventory_put(struct doca_buf *buf, bool is_counted)
{
	struct doca_buf_inventory *inventory = buf->inventory;
	struct doca_mmap *mmap = buf->mmap;

	/* A mmap that threads share is not written to, and may be gone. */
	if (likely(is_counted))
		mmap->n_bufs--;
	buf->state = 0;
	inventory->stack[inventory->n_free++] = buf;
}

#endif
