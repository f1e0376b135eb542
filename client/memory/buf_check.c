/* Checks lists of buffers; see client/memory/buf_check.h. */
#include "client/memory/buf_check.h"

enum buf_fault buf_check(const struct doca_buf *list, const struct doca_dev *dev, enum buf_use use,
			 struct buf_sum *sum_out)
{
	struct buf_sum sum = {.mapped = true};
	const struct doca_buf *pos;

	if (list == NULL)
		return BUF_NONE;
	BUF_FOR_EACH(pos, list)
	{
		const struct doca_mmap *mmap = pos->mmap;

		if ((use == BUF_READ && !mmap->readable) || (use == BUF_WRITE && !mmap->writable))
			return mmap_is_usable(mmap) ? BUF_NOT_PERMITTED : BUF_STOPPED;
		if (!buf_window_is_inside(pos))
			return BUF_OUT_OF_RANGE;
		if (mmap->dev != dev && !mmap_has_dev(mmap, dev))
			return BUF_DEV;
		if (!mmap_is_alive(mmap))
			return BUF_REVOKED;
		/* The total of long lists of large buffers may overflow a size_t. */
		if (__builtin_add_overflow(sum.data_len, pos->data_len, &sum.data_len))
			return BUF_OVERFLOW;
		if (__builtin_add_overflow(sum.room, buf_tail_room(pos), &sum.room))
			sum.room = SIZE_MAX;
		sum.mapped &= mmap->direct;
		sum.n++;
	}
	*sum_out = sum;
	return BUF_VALID;
}
