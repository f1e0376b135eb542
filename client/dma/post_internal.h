/*
 * What the parts of client/dma/post.h share: tasks and their order (client/dma/post.c), the
 * requests that they are cut into (client/dma/post_request.c), the ways that these go
 * (client/dma/post_way.c). Threads: those of the progress engine.
 */
#ifndef CLIENT_DMA_POST_INTERNAL_H
#define CLIENT_DMA_POST_INTERNAL_H

#include "client/base/error.h"
#include "client/dma/post.h"
#include "client/rma/requester.h"

#define POST_COPIES 64u /* active at a time */
#define POST_WRS    128u
#define POST_SGES   16u

struct post_copy {
	struct post_copy *next; /* active, or free */
	struct dma_task *t;     /* NULL: free */
	const struct doca_buf *src;
	struct doca_buf *dst;
	size_t src_at, dst_at; /* of the next request: in the data, in the room behind it */
	size_t left;           /* bytes without a request yet */
	uint32_t n_out;        /* requests that are not back */
	uint32_t n_calls;      /* of its peer, when it began to wait for that */
	bool is_write;         /* ours -> peer */
	doca_error_t status;
};

struct post_wr {
	struct rdma_wr wr;
	struct post_wr *next; /* free */
	struct post_copy *copy;
	struct requester_peer *peer;
	struct rdma_sge sges[POST_SGES];
};

enum { BY_DEVICE, BY_RELAY, N_WAYS };

struct dma_post {
	struct requester *requesters[N_WAYS]; /* or NULL */
	struct doca_task *waiting, **waiting_tail;
	struct post_copy *active, **active_tail;
	struct post_copy *free_copies;
	struct post_wr *free_wrs;
	uint32_t n_active;
	bool is_due;   /* something may go on */
	bool has_rest; /* something active may have bytes without a request */
	bool is_ordered;
	bool is_ended; /* the context stops */
	struct post_copy copies[POST_COPIES];
	struct post_wr wrs[POST_WRS];
	char whys[POST_COPIES][ERROR_SAID_MAX]; /* the sentences of those that failed */
};

static inline struct requester *post_requester(const struct dma_post *post,
					       const struct doca_mmap *mmap)
{
	return post->requesters[mmap->region.ops->is_relayed ? BY_RELAY : BY_DEVICE];
}

/* --- client/dma/post_way.c --- */

/* All that the requests of a copy go by. A sentence on failure. */
doca_error_t post_open_ways(struct doca_dma *dma, const struct dma_task *task);
void post_close_ways(struct doca_dma *dma);

/* --- client/dma/post_request.c --- */

enum post_step { STEP_ON, STEP_WAIT, STEP_OVER };

/* STEP_OVER: it ends with the first status that it failed with, and the sentence that there is now,
 * when its requests are back. */
enum post_step post_copy_fail(struct dma_post *post, struct post_copy *copy, doca_error_t status);
/* One request, if it can be posted. */
enum post_step post_copy_step(struct dma_post *post, struct post_copy *copy);
/* All of a copy from one buffer to another, nothing of which is posted yet; or nothing. */
void post_copy_whole(struct dma_post *post, struct post_copy *copy);
/* A request that has come back: its copy. */
struct post_copy *post_request_take(struct dma_post *post, struct rdma_wr *wr);

#endif
