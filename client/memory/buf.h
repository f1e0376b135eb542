/*
 * Buffer: a view of a range in a memory map. A buffer is one cache line. The word `state` is laid
 * out so that the release of a single buffer is one comparison. Not thread-safe, like the public
 * object.
 */
#ifndef CLIENT_MEMORY_BUF_H
#define CLIENT_MEMORY_BUF_H

#include <doca_buf.h>

#include "client/memory/mmap.h"

#define BUF_REFS_MASK 0xffffu
#define BUF_CHAINED   0x10000u /* is part of a list of two or more */
#define BUF_NOT_HEAD  0x20000u /* is in a list, but not its head */
#define BUF_MARKED    0x40000u /* set while a call compares two lists */

struct buf_freelist;

struct doca_buf {
	uint8_t *head;
	size_t len;
	uint8_t *data;
	size_t data_len;
	struct doca_mmap *mmap;
	struct doca_buf *next;         /* the next buffer of its list */
	struct buf_freelist *freelist; /* the free list that it returns to on release */
	uint32_t state;                /* reference count and BUF_*; 0: free */
	uint32_t claimed;              /* the destination of an unfinished copy; see buf_claim() */
};
_Static_assert(sizeof(struct doca_buf) == 64, "a buffer is one cache line");

/* Writes `state` on the owner's thread. The write is atomic because a memory map that counts its
 * buffers reads it on another thread. */
static inline void buf_set_state(struct doca_buf *buf, uint32_t state)
{
	__atomic_store_n(&buf->state, state, __ATOMIC_RELAXED);
}

/* Marks a buffer as taken. A thread that sees the new state also sees the new memory map. */
static inline void buf_set_allocated(struct doca_buf *buf, struct doca_mmap *mmap, uint32_t state)
{
	__atomic_store_n(&buf->mmap, mmap, __ATOMIC_RELAXED);
	__atomic_store_n(&buf->state, state, __ATOMIC_RELEASE);
}

#define BUF_FOR_EACH(pos, first) for (pos = (first); pos != NULL; pos = pos->next)

/* The implementations of the public functions that <doca_buf.h> describes. */
doca_error_t buf_release(struct doca_buf *buf, uint16_t *refcount); /* doca_buf_dec_refcount() */
doca_error_t buf_list_next(struct doca_buf *buf, struct doca_buf **next_out);
doca_error_t buf_list_last(struct doca_buf *buf, struct doca_buf **last_out);
doca_error_t buf_list_len(const struct doca_buf *buf, uint32_t *n_out);
doca_error_t buf_list_chain(struct doca_buf *list1, struct doca_buf *list2);
doca_error_t buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2);

/*
 * Marks a list as the destination of an unfinished copy, or clears the mark. While it is set,
 * nothing else may write to the list: where the next copy appends depends on whether this one
 * succeeds.
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
