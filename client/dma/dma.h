/* DMA: the part that other generations of the interface use. Threads: those of the progress
 * engine. */
#ifndef CLIENT_DMA_DMA_H
#define CLIENT_DMA_DMA_H

#include <doca_dma.h>

#include "client/memory/buf.h"
#include "client/progress/task.h"

struct dma_post;
struct dma_remote;

struct dma_task {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
};
/* dma_prefetch_next() prefetches them for whatever task is next. */
_Static_assert(sizeof(struct dma_task) == sizeof(struct doca_task) + 2 * sizeof(void *),
	       "the buffers are two words behind a task, for which every task has room");

struct doca_dma {
	struct doca_ctx ctx;
	struct task_pool pool;
	uint64_t fast_max; /* max_buf_size; 0 while posted copies have claimed destinations */
	uint64_t max_buf_size;
	uint32_t max_list_len;
	struct dma_remote *remote; /* working memory for remote copies, allocated at start */
	/* Posted copies, from the first one to the stop; otherwise NULL. */
	struct dma_post *post;
	bool is_ordered;  /* copies complete in the order of their submission */
	bool is_for_jobs; /* used by a work queue */
};

static inline struct doca_dma *dma_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_dma, ctx);
}

/* Creates an object. If dev is NULL, it executes nothing itself and serves a legacy context.
 * Returns INITIALIZATION or NO_MEMORY. */
doca_error_t dma_new(struct doca_dev *dev, struct doca_dma **dma_out);
/* Deletes an object whose context is idle or was never started. */
void dma_delete(struct doca_dma *dma);
/* Configures the tasks, of `stride` bytes with a struct dma_task first, and their callbacks. The
 * context must be idle. Returns NO_MEMORY. */
doca_error_t dma_conf(struct doca_dma *dma, doca_task_completion_cb_t ok_cb,
		      doca_task_completion_cb_t err_cb, uint32_t n_tasks, size_t stride);
/* Makes copies overwrite the destination's data from its beginning. */
void dma_set_overwriting(struct doca_dma *dma);
/* Checks and executes a copy, or posts it: see struct task_pool.execute. */
doca_error_t dma_execute_general(struct doca_task *task);
/* Like dma_execute_general(), for a task that waited for posted copies, which have all ended. */
doca_error_t dma_execute_after_posted(struct doca_task *task);
bool dma_task_overwrites(const struct dma_task *t);

#endif
