/*
 * What can be wrong with a list of buffers that a task was given, for engines that read or write
 * them one after the other. Looks only. Threads: those of the progress engine.
 */
#ifndef CLIENT_MEMORY_BUF_CHECK_H
#define CLIENT_MEMORY_BUF_CHECK_H

#include "client/memory/buf.h"

enum buf_fault {
	BUF_SOUND = 0,
	BUF_NONE,    /* NULL */
	BUF_RIGHT,   /* its mmap does not allow it */
	BUF_STOPPED, /* its mmap is not started */
	BUF_WINDOW,  /* the data section leaves the buffer */
	BUF_DEV,     /* its mmap does not have the device */
	BUF_DEAD,    /* the export behind it is gone */
	BUF_HUGE,    /* more bytes than can be counted */
};

struct buf_sum {
	size_t data_len; /* of all elements */
	size_t room;     /* behind the data, of all elements; SIZE_MAX if that or more */
	uint32_t n;
	bool mapped; /* every element's memory is mapped here */
};

enum buf_use { BUF_READ, BUF_WRITE };

/* sum_out is written when the list is sound. */
enum buf_fault buf_check(const struct doca_buf *list, const struct doca_dev *dev, enum buf_use use,
			 struct buf_sum *sum_out);

static inline bool buf_window_is_inside(const struct doca_buf *buf)
{
	size_t at = (size_t)(buf->data - buf->head);

	return at <= buf->len && buf->data_len <= buf->len - at;
}

/*
 * The usual buffer, single and mapped here, of the device, with nothing wrong. `fast` is the
 * MMAP_FAST_* bit of what is done with it.
 */
static inline bool buf_is_plain(const struct doca_buf *buf, const struct doca_dev *dev,
				uint32_t fast)
{
	return likely(buf != NULL) && likely(buf->next == NULL) && likely(buf->mmap->fast & fast) &&
	       likely(buf->mmap->dev == dev) && likely(buf_window_is_inside(buf)) &&
	       likely(mmap_is_alive(buf->mmap));
}

#endif
