/* Task batch: several tasks of one context that are submitted together with one flush. Engines that
 * offer batches create them; the public functions of doca_pe.h operate on them. */
#ifndef CLIENT_PROGRESS_TASK_BATCH_H
#define CLIENT_PROGRESS_TASK_BATCH_H

#include "client/progress/task.h"

struct doca_task_batch {
	struct doca_ctx *ctx;
	union doca_data user_data;
	uint16_t n_tasks;
	uint16_t max_tasks;
	uint16_t n_submitted; /* after a submission that was cut short */
	struct doca_task *tasks[];
};

/* Returns NULL if there is no memory. */
struct doca_task_batch *task_batch_new(uint16_t max_tasks);
/* Frees the batch, not its tasks. Returns NULL. */
struct doca_task_batch *task_batch_delete(struct doca_task_batch *batch);

#endif
