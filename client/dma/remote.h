/*
 * Copies whose source or destination is memory of another process that is not mapped here. Takes
 * the tasks queued behind along when they go the same way, so that one system call serves many.
 */
#ifndef CLIENT_DMA_REMOTE_H
#define CLIENT_DMA_REMOTE_H

#include "client/dma/dma.h"

/* All of the checks, silently. In dma.c. */
bool dma_task_is_sound(const struct dma_task *task);

/* Bytes that the task copies. */
size_t dma_src_len(const struct dma_task *task);
/* All of it was copied: the destination's data grows, and the context counts it. */
void dma_task_copied(const struct dma_task *task);

/* Working space for one context. NULL when there is no memory. */
struct dma_remote *dma_remote_new(void);
void dma_remote_delete(struct dma_remote *remote);
/* Executes one checked task and, ahead of their turn, others of the queue (marked done). */
doca_error_t dma_remote_execute(struct dma_remote *remote, struct dma_task *task);

#endif
