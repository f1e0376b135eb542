/*
 * Buffer: a view of a range in an mmap. One cache line; the word `state` is laid out so that the
 * usual release is one comparison. Not thread-safe, like the public object.
 */
#ifndef CLIENT_MEMORY_BUF_H
#define CLIENT_MEMORY_BUF_H

#include <doca_buf.h>

#include "client/memory/mmap.h"

#define BUF_REFS_MASK 0xffffu
#define BUF_CHAINED   0x10000u /* part of a list of two or more */
#define BUF_NOT_HEAD  0x20000u /* and not its first */
#define BUF_MARKED    0x40000u /* while a call compares lists */

struct buf_stock;

struct doca_buf {
	uint8_t *head;
	size_t len;
	uint8_t *data;
	size_t data_len;
	struct doca_mmap *mmap;
	struct doca_buf *next;   /* in its list */
	struct buf_stock *stock; /* where it goes when it is released */
	uint32_t state;          /* reference count and BUF_*; 0: free */
	uint32_t claimed;        /* see buf_claim() */
};
_Static_assert(sizeof(struct doca_buf) == 64, "a buffer is one cache line");

/* The owner's way to write `state`: an mmap that counts its buffers reads it in another thread. */
static inline void buf_set_state(struct doca_buf *buf, uint32_t state)
{
	__atomic_store_n(&buf->state, state, __ATOMIC_RELAXED);
}

/* A buffer is taken. A thread that sees the state sees the mmap, too. */
static inline void buf_set_taken(struct doca_buf *buf, struct doca_mmap *mmap, uint32_t state)
{
	__atomic_store_n(&buf->mmap, mmap, __ATOMIC_RELAXED);
	__atomic_store_n(&buf->state, state, __ATOMIC_RELEASE);
}

#define BUF_FOR_EACH(pos, first) for (pos = (first); pos != NULL; pos = pos->next)

/* What the public functions do, as <doca_buf.h> describes them. */
doca_error_t buf_release(struct doca_buf *buf, uint16_t *refcount); /* doca_buf_dec_refcount */
doca_error_t buf_list_next(struct doca_buf *buf, struct doca_buf **next_out);
doca_error_t buf_list_last(struct doca_buf *buf, struct doca_buf **last_out);
doca_error_t buf_list_len(const struct doca_buf *buf, uint32_t *n_out);
doca_error_t buf_list_chain(struct doca_buf *list1, struct doca_buf *list2);
doca_error_t buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2);

/*
 * The destination of a copy that is not done belongs to it: where the next one appends depends on
 * whether this one succeeds.
 */
static inline void buf_claim(struct doca_buf *first, uint32_t claimed)
{
	struct doca_buf *pos;

	BUF_FOR_EACH(pos, first) pos->claimed = claimed;
}

static inline bool buf_is_claimed(const struct doca_buf *first)
{
	const struct doca_buf *pos;

	BUF_FOR_EACH(pos, first)
	{
		if (pos->claimed)
			return true;
	}
	return false;
}

static inline size_t buf_tail_room(const struct doca_buf *buf)
{
	return buf->len - (size_t)(buf->data - buf->head) - buf->data_len;
}

#endif
