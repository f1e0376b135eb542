/*
 * Copies whose source or destination is memory that an RDMA device reaches (transport verbs). They
 * are cut into requests, which are posted and polled; the task is held meanwhile, and others go on.
 * All a context needs is made with its first such copy. Threads: those of the progress engine.
 */
#ifndef CLIENT_DMA_POST_H
#define CLIENT_DMA_POST_H

#include "client/dma/dma.h"

/* Takes one checked task: IN_PROGRESS, or why not. */
doca_error_t dma_post_execute(struct doca_dma *dma, struct dma_task *task);

/* The same for one whose source and destination are one buffer each: it is posted at once if it
 * need not wait. */
doca_error_t dma_post_usual(struct doca_dma *dma, struct dma_task *task);

/* A buffer of the destination is that of a copy that has begun: others go behind. */
bool dma_post_claims(const struct dma_post *post, const struct doca_buf *dst);
/* One of any kind, to be copied and completed behind those that are there. IN_PROGRESS. */
doca_error_t dma_post_behind(struct doca_dma *dma, struct dma_task *task);

/* Of a context that has any; see struct ctx_ops. */
uint8_t dma_post_poll(struct doca_ctx *ctx);
bool dma_post_arm(struct doca_ctx *ctx);
void dma_post_disarm(struct doca_ctx *ctx);
void dma_post_stop(struct dma_post *post);
bool dma_post_is_idle(const struct dma_post *post);
/* It is idle. */
void dma_post_close(struct doca_dma *dma);

#endif
