/* Copies between lists of buffers and contiguous memory; see client/memory/buf_copy.h. */
#include "client/memory/buf_copy.h"

#include <errno.h>
#include <string.h>

/* Pieces of the remote memory per call of a transport. */
#define COPY_PIECES 64u

/* Pieces of one region that are still to be read, and where their bytes go. */
struct gather {
	struct transport_region *region;
	uint8_t *to;
	size_t n, len;
	struct iovec pieces[COPY_PIECES];
};

/* Reads all pieces or returns an error: after a call that stopped early, the next call returns the
 * reason. */
static int gather_flush(struct gather *g)
{
	struct iovec *piece = g->pieces, *end = piece + g->n;

	while (g->len > 0) {
		struct iovec ours = {.iov_base = g->to, .iov_len = g->len};
		ssize_t r = g->region->ops->readv(g->region, &ours, 1, piece,
						  (size_t)(end - piece));
		size_t n;

		if (r <= 0)
			return r < 0 ? (int)r : -EIO;
		n = MIN((size_t)r, g->len);
		g->to += n;
		g->len -= n;
		for (; piece < end && n >= piece->iov_len; piece++)
			n -= piece->iov_len;
		if (piece < end) {
			piece->iov_base = (uint8_t *)piece->iov_base + n;
			piece->iov_len -= n;
		}
	}
	g->n = 0;
	return 0;
}

int buf_copy_from(const struct doca_buf *list, void *to)
{
	struct gather g = {.to = to};
	const struct doca_buf *pos;

	BUF_FOR_EACH(pos, list)
	{
		uint8_t *data = pos->data + pos->mmap->delta;
		int result;

		if (pos->data_len == 0)
			continue;
		if (pos->mmap->direct || g.n == COPY_PIECES || g.region != &pos->mmap->region) {
			result = gather_flush(&g);
			if (result < 0)
				return result;
			g.region = &pos->mmap->region;
		}
		if (pos->mmap->direct) {
			memcpy(g.to, data, pos->data_len);
			g.to += pos->data_len;
			continue;
		}
		g.pieces[g.n++] = (struct iovec){.iov_base = data, .iov_len = pos->data_len};
		g.len += pos->data_len;
	}
	return gather_flush(&g);
}

static int piece_write(const struct doca_buf *buf, const uint8_t *bytes, size_t n)
{
	struct transport_region *region = &buf->mmap->region;
	uint8_t *to = buf->data + buf->data_len + buf->mmap->delta;
	size_t done = 0;

	if (buf->mmap->direct) {
		memcpy(to, bytes, n);
		return 0;
	}
	while (done < n) {
		/* The cast is safe: a transport only reads the local side of a write. */
		struct iovec ours = {.iov_base = (uint8_t *)bytes + done, .iov_len = n - done};
		struct iovec theirs = {.iov_base = to + done, .iov_len = n - done};
		ssize_t r = region->ops->writev(region, &ours, 1, &theirs, 1);

		if (r <= 0)
			return r < 0 ? (int)r : -EIO;
		done += MIN((size_t)r, n - done);
	}
	return 0;
}

int buf_copy_append(struct doca_buf *list, const void *from, size_t n)
{
	const uint8_t *bytes = from;
	struct doca_buf *pos;
	size_t left = n;

	for (pos = list; left > 0; pos = pos->next) {
		size_t len = MIN(left, buf_tail_room(pos));
		int result = len == 0 ? 0 : piece_write(pos, bytes, len);

		if (result < 0)
			return result;
		bytes += len;
		left -= len;
	}
	buf_copy_commit(list, n);
	return 0;
}

void buf_copy_commit(struct doca_buf *list, size_t n)
{
	struct doca_buf *pos;

	for (pos = list; n > 0 && pos != NULL; pos = pos->next) {
		size_t len = MIN(n, buf_tail_room(pos));

		pos->data_len += len;
		n -= len;
	}
}
