/* Copies whose source or destination is memory of another process that is not mapped here. Executes
 * queued tasks with the same peer and direction together, so that one system call serves many. */
#ifndef CLIENT_DMA_REMOTE_H
#define CLIENT_DMA_REMOTE_H

#include "client/dma/dma.h"

/* Makes all checks of a task without recording an error. Defined in client/dma/dma.c. */
bool dma_task_is_valid(const struct dma_task *task);

/* Returns the number of bytes that the task copies. */
size_t dma_src_len(const struct dma_task *task);
/* Completes the copy of a task: increases the destination's data length and counts the bytes. */
void dma_task_copied(const struct dma_task *task);

/* Allocates working memory for one context. Returns NULL if there is no memory. */
struct dma_remote *dma_remote_new(void);
void dma_remote_delete(struct dma_remote *remote);
/* Executes one checked task. Executes queued tasks with it, out of order, and marks them as done.
 */
doca_error_t dma_remote_execute(struct dma_remote *remote, struct dma_task *task);

#endif
