/* Checks the list of buffers that a task was given, for engines that read or write the buffers in
 * order. Changes nothing. Threads: those of the progress engine. */
#ifndef CLIENT_MEMORY_BUF_CHECK_H
#define CLIENT_MEMORY_BUF_CHECK_H

#include "client/memory/buf.h"

enum buf_fault {
	BUF_VALID = 0,
	BUF_NONE,          /* the list is NULL */
	BUF_NOT_PERMITTED, /* the memory map's permissions do not allow the use */
	BUF_STOPPED,       /* the memory map is not started */
	BUF_OUT_OF_RANGE,  /* the data section exceeds the buffer */
	BUF_DEV,           /* the device was not added to the memory map */
	BUF_REVOKED,       /* the export behind the memory map has ended */
	BUF_OVERFLOW,      /* the total length overflows a size_t */
};

struct buf_sum {
	size_t data_len; /* the data length of all buffers */
	size_t room;     /* the room behind the data of all buffers, at most SIZE_MAX */
	uint32_t n;
	bool mapped; /* the memory of every buffer is mapped in this process */
};

enum buf_use { BUF_READ, BUF_WRITE };

/* Checks a list for the given use. Writes sum_out only if the list is valid. */
enum buf_fault buf_check(const struct doca_buf *list, const struct doca_dev *dev, enum buf_use use,
			 struct buf_sum *sum_out);

static inline bool buf_window_is_inside(const struct doca_buf *buf)
{
	size_t at = (size_t)(buf->data - buf->head);

	return at <= buf->len && buf->data_len <= buf->len - at;
}

/* Returns whether the fast path can take a buffer: a single buffer of a memory map that is mapped
 * in this process, has the device and allows the use. `fast` is the MMAP_FAST_* bit of the use. */
static inline bool buf_is_simple(const struct doca_buf *buf, const struct doca_dev *dev,
				 uint32_t fast)
{
	return likely(buf != NULL) && likely(buf->next == NULL) && likely(buf->mmap->fast & fast) &&
	       likely(buf->mmap->dev == dev) && likely(buf_window_is_inside(buf)) &&
	       likely(mmap_is_alive(buf->mmap));
}

#endif
