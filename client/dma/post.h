/*
 * Copies whose source or destination is memory that an RDMA device accesses (transport verbs). They
 * are cut into requests, which are posted and polled. The task is held meanwhile, and other tasks
 * go on. The first such copy of a context allocates everything needed. Threads: those of the
 * progress engine.
 */
#ifndef CLIENT_DMA_POST_H
#define CLIENT_DMA_POST_H

#include "client/dma/dma.h"

/* Accepts one checked task. Returns IN_PROGRESS, or an error. */
doca_error_t dma_post_execute(struct doca_dma *dma, struct dma_task *task);

/* Like dma_post_execute(), for a source and a destination of one buffer each. It is posted at once
 * if it need not wait. */
doca_error_t dma_post_fast(struct doca_dma *dma, struct dma_task *task);

/* Returns whether a copy in progress has claimed a buffer of the destination. If so, other copies
 * must wait for it. */
bool dma_post_claims(const struct dma_post *post, const struct doca_buf *dst);
/* Queues a task of any kind, to be executed after those in progress. Returns IN_PROGRESS. */
doca_error_t dma_post_behind(struct doca_dma *dma, struct dma_task *task);

/* For a context with posted copies; see struct ctx_ops. */
uint8_t dma_post_poll(struct doca_ctx *ctx);
bool dma_post_arm(struct doca_ctx *ctx);
void dma_post_disarm(struct doca_ctx *ctx);
void dma_post_stop(struct dma_post *post);
bool dma_post_is_idle(const struct dma_post *post);
/* Frees everything; no copy may be in progress. */
void dma_post_close(struct doca_dma *dma);

#endif
