/*
 * The requests of posted copies, see client/dma/post.h. A copy is cut into requests, each is posted
 * to the peer that has the memory, and their results make up the copy's. A request moves one
 * contiguous piece of the peer's memory and as many local pieces as fit. Threads: those of the
 * progress engine.
 */
#include <dococ.h>

#include "client/dma/post_internal.h"
#include "client/dma/remote.h"
#include "client/rma/requester_error.h"
#include "util/str.h"

/* Longer pieces are cut, so that other copies do not wait for a whole piece. */
#define POST_BYTES (4u << 20)

static const char operation[] = "dma memcpy";

/* A part of a buffer's data, or of the unused bytes behind them; NULL: there is none. */
struct piece {
	const struct doca_buf *buf;
	size_t at, len;
};

/* Returns the data of the list from the cursor on, within one buffer. Skips empty buffers. Returns
 * no buffer if the list has no more data: the lengths were checked, but a copy of another context
 * may have changed a shared buffer. */
static struct piece next_data(const struct doca_buf *buf, size_t at)
{
	while (buf != NULL && at >= buf->data_len) {
		buf = buf->next;
		at = 0;
	}
	return (struct piece){.buf = buf, .at = at, .len = buf == NULL ? 0 : buf->data_len - at};
}

/* Like next_data(), for the unused bytes behind the data. */
static struct piece next_dst_piece(const struct doca_buf *buf, size_t at)
{
	while (buf != NULL && at >= buf_tail_room(buf)) {
		buf = buf->next;
		at = 0;
	}
	return (struct piece){
		.buf = buf, .at = at, .len = buf == NULL ? 0 : buf_tail_room(buf) - at};
}

static uint8_t *data_addr(const struct piece *piece)
{
	return piece->buf->data + piece->at;
}

static uint8_t *space_addr(const struct piece *piece)
{
	return piece->buf->data + piece->buf->data_len + piece->at;
}

/* Collects local pieces from the cursor on. Advances the cursor and returns the number of bytes. */
static size_t gather(struct post_copy *copy, struct post_wr *w, uint32_t max_sges, size_t max_len)
{
	size_t len = 0;

	w->wr.n_sges = 0;
	while (len < max_len && w->wr.n_sges < max_sges) {
		struct piece piece = copy->is_write ? next_data(copy->src, copy->src_at)
						    : next_dst_piece(copy->dst, copy->dst_at);
		uint8_t *addr;

		if (unlikely(piece.buf == NULL))
			break;
		addr = copy->is_write ? data_addr(&piece) : space_addr(&piece);
		piece.len = MIN(piece.len, max_len - len);
		w->sges[w->wr.n_sges++] = (struct rdma_sge){.addr = addr + piece.buf->mmap->delta,
							    .len = piece.len,
							    .mmap = piece.buf->mmap};
		if (copy->is_write) {
			copy->src = piece.buf;
			copy->src_at = piece.at + piece.len;
		} else {
			copy->dst = (struct doca_buf *)piece.buf;
			copy->dst_at = piece.at + piece.len;
		}
		len += piece.len;
	}
	return len;
}

static inline size_t request_max(const struct requester *requester)
{
	return MIN((size_t)requester->limits.max_message, (size_t)POST_BYTES);
}

/* Composes the next request of the copy and advances the cursor. */
static void request_fill(const struct requester *requester, struct post_copy *copy,
			 const struct piece *remote, struct post_wr *w)
{
	size_t max = MIN(MIN(remote->len, copy->left), request_max(requester)), len;

	w->wr.op = copy->is_write ? RDMA_WRITE : RDMA_READ;
	w->wr.remote_addr = (uintptr_t)(copy->is_write ? space_addr(remote) : data_addr(remote));
	w->wr.remote_mmap = remote->buf->mmap;
	len = gather(copy, w, requester->conf.max_send_sges, max);
	if (copy->is_write) {
		copy->dst = (struct doca_buf *)remote->buf;
		copy->dst_at = remote->at + len;
	} else {
		copy->src = remote->buf;
		copy->src_at = remote->at + len;
	}
	copy->left -= len;
}

enum post_step post_copy_fail(struct dma_post *post, struct post_copy *copy, doca_error_t status)
{
	if (copy->status == DOCA_SUCCESS) {
		copy->status = status;
		str_copy(post->sentences[copy - post->copies], ERROR_SENTENCE_MAX,
			 dococ_last_error());
	}
	copy->left = 0;
	return STEP_ENDED;
}

static doca_error_t report_changed_buffer(void)
{
	return error_set(DOCA_ERROR_IO_FAILED,
			 "dma memcpy: the source or the destination changed while it was copied; a "
			 "buffer is used by the copies of one context at a time");
}

/* Finds the peer that has the memory. STEP_CONTINUE means that a request can be posted to it. */
static inline enum post_step peer_find(struct dma_post *post, struct requester *requester,
				       struct post_copy *copy, const struct doca_mmap *remote,
				       struct requester_peer **peer_out)
{
	struct peer_address address = peer_address_of(remote);
	struct requester_peer *peer;
	doca_error_t result;

	address.n_calls = copy->n_calls;
	result = requester_find(requester, &address, &peer);
	if (unlikely(result != DOCA_SUCCESS))
		return post_copy_fail(post, copy, requester_explain_refusal(operation, result));
	*peer_out = peer;
	if (likely(peer->state == REQUESTER_READY))
		return STEP_CONTINUE;
	if (requester_is_calling(peer)) {
		copy->n_calls = peer->n_calls;
		return STEP_WAIT;
	}
	return post_copy_fail(post, copy, requester_explain_peer(operation, peer));
}

/* Posts the first of post->free_wrs. STEP_CONTINUE means that it was posted, STEP_WAIT that it was
 * not. */
static inline enum post_step request_post(struct dma_post *post, struct post_copy *copy,
					  const struct requester *requester,
					  struct requester_peer *peer)
{
	struct post_wr *w = post->free_wrs;
	doca_error_t result = requester->ops->post(peer->qp, &w->wr);

	if (unlikely(result != DOCA_SUCCESS))
		return result == DOCA_ERROR_AGAIN ? STEP_WAIT : post_copy_fail(post, copy, result);
	post->free_wrs = w->next;
	w->copy = copy;
	w->peer = peer;
	peer->n_posted++;
	copy->n_out++;
	return STEP_CONTINUE;
}

enum post_step post_copy_step(struct dma_post *post, struct post_copy *copy)
{
	struct piece remote = copy->is_write ? next_dst_piece(copy->dst, copy->dst_at)
					     : next_data(copy->src, copy->src_at);
	struct post_copy before = *copy;
	struct post_wr *w = post->free_wrs;
	struct requester *requester;
	struct requester_peer *peer = NULL;
	enum post_step step;

	if (w == NULL)
		return STEP_WAIT;
	if (unlikely(remote.buf == NULL))
		return post_copy_fail(post, copy, report_changed_buffer());
	requester = post_requester(post, remote.buf->mmap);
	step = peer_find(post, requester, copy, remote.buf->mmap, &peer);
	if (step != STEP_CONTINUE)
		return step;
	request_fill(requester, copy, &remote, w);
	if (unlikely(w->wr.n_sges == 0))
		return post_copy_fail(post, copy, report_changed_buffer());
	step = request_post(post, copy, requester, peer);
	if (step == STEP_WAIT)
		*copy = before;
	return step == STEP_CONTINUE && copy->left == 0 ? STEP_ENDED : step;
}

void post_copy_whole(struct dma_post *post, struct post_copy *copy)
{
	const struct doca_buf *src = copy->src, *dst = copy->dst;
	const struct doca_buf *remote = copy->is_write ? dst : src,
			      *local = copy->is_write ? src : dst;
	struct requester *requester = post_requester(post, remote->mmap);
	struct post_wr *w = post->free_wrs;
	struct requester_peer *peer = NULL;
	uint8_t *from = src->data, *to = dst->data + dst->data_len;

	if (unlikely(w == NULL || copy->left > request_max(requester)) ||
	    unlikely(peer_find(post, requester, copy, remote->mmap, &peer) != STEP_CONTINUE))
		return;
	w->sges[0] = (struct rdma_sge){.addr = (copy->is_write ? from : to) + local->mmap->delta,
				       .len = copy->left,
				       .mmap = local->mmap};
	w->wr.n_sges = 1;
	w->wr.op = copy->is_write ? RDMA_WRITE : RDMA_READ;
	w->wr.remote_addr = (uintptr_t)(copy->is_write ? to : from);
	w->wr.remote_mmap = remote->mmap;
	if (likely(request_post(post, copy, requester, peer) == STEP_CONTINUE))
		copy->left = 0;
}

/* The program is notified when all requests of the copy have been returned. */
static void copy_failed(struct dma_post *post, struct post_copy *copy, const struct rdma_wr *wr)
{
	struct saved_error saved;

	error_save(&saved);
	(void)post_copy_fail(post, copy,
			     post->is_ended ? DOCA_ERROR_CONNECTION_RESET
					    : requester_explain_request(operation, wr));
	error_restore(&saved);
}

struct post_copy *post_request_completed(struct dma_post *post, struct rdma_wr *wr)
{
	struct post_wr *w = container_of(wr, struct post_wr, wr);
	struct post_copy *copy = w->copy;

	copy->n_out--;
	w->peer->n_posted--;
	if (unlikely(wr->status != DOCA_SUCCESS) && copy->status == DOCA_SUCCESS)
		copy_failed(post, copy, wr);
	w->next = post->free_wrs;
	post->free_wrs = w;
	post->must_pump = true;
	return copy;
}
