/*
 * The parts of client/dma/post.h share these declarations: tasks and their order
 * (client/dma/post.c), the requests of a task (client/dma/post_request.c), and the paths of
 * requests (client/dma/post_path.c). Threads: those of the progress engine.
 */
#ifndef CLIENT_DMA_POST_INTERNAL_H
#define CLIENT_DMA_POST_INTERNAL_H

#include "client/base/error.h"
#include "client/dma/post.h"
#include "client/rma/requester.h"

#define POST_COPIES 64u /* the most active copies */
#define POST_WRS    128u
#define POST_SGES   16u

struct post_copy {
	struct post_copy *next; /* in the list of active or free copies */
	struct dma_task *t;     /* NULL: free */
	const struct doca_buf *src;
	struct doca_buf *dst;
	/* Cursor of the next request: in the source's data, in the destination's room. */
	size_t src_at, dst_at;
	size_t left;    /* bytes without a request so far */
	uint32_t n_out; /* requests that were not returned yet */
	/* The peer's number of calls when this copy began to wait for the peer. */
	uint32_t n_calls;
	bool is_write; /* to the peer */
	doca_error_t status;
};

struct post_wr {
	struct rdma_wr wr;
	struct post_wr *next; /* in the list of free requests */
	struct post_copy *copy;
	struct requester_peer *peer;
	struct rdma_sge sges[POST_SGES];
};

enum { BY_DEVICE, BY_RELAY, N_PATHS };

struct dma_post {
	struct requester *requesters[N_PATHS]; /* may be NULL */
	struct doca_task *waiting, **waiting_tail;
	struct post_copy *active, **active_tail;
	struct post_copy *free_copies;
	struct post_wr *free_wrs;
	uint32_t n_active;
	bool must_pump;    /* something may be able to proceed */
	bool has_unposted; /* an active copy may have bytes without a request */
	bool is_ordered;
	bool is_ended; /* the context stops */
	struct post_copy copies[POST_COPIES];
	struct post_wr wrs[POST_WRS];
	char sentences[POST_COPIES][ERROR_SENTENCE_MAX]; /* the error sentences of failed copies */
};

static inline struct requester *post_requester(const struct dma_post *post,
					       const struct doca_mmap *mmap)
{
	return post->requesters[mmap->region.ops->is_relayed ? BY_RELAY : BY_DEVICE];
}

/* --- client/dma/post_path.c --- */

/* Opens the paths that the requests of a task use. An error sentence is recorded on failure. */
doca_error_t post_open_paths(struct doca_dma *dma, const struct dma_task *task);
void post_close_paths(struct dma_post *post);

/* --- client/dma/post_request.c --- */

enum post_step { STEP_CONTINUE, STEP_WAIT, STEP_ENDED };

/* Fails a copy and returns STEP_ENDED. Once its requests are returned, it ends with the first
 * status that it failed with and with the error sentence that is recorded now. */
enum post_step post_copy_fail(struct dma_post *post, struct post_copy *copy, doca_error_t status);
/* Posts one request of the copy, if possible. */
enum post_step post_copy_step(struct dma_post *post, struct post_copy *copy);
/* Posts a whole copy from one buffer to another, of which nothing was posted yet; otherwise posts
 * nothing. */
void post_copy_whole(struct dma_post *post, struct post_copy *copy);
/* Handles a request that was returned, and returns its copy. */
struct post_copy *post_request_completed(struct dma_post *post, struct rdma_wr *wr);

#endif
