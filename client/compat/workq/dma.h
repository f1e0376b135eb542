/* DMA jobs: the fast path of a valid copy, inlined into doca_workq_submit(), because it is the most
 * frequent job. Threads: see client/compat/workq/workq.h. */
#ifndef CLIENT_COMPAT_WORKQ_DMA_H
#define CLIENT_COMPAT_WORKQ_DMA_H

#include <dococ/dma_workq.h>

#include "client/compat/workq/workq.h"
#include "client/dma/dma.h"

/* Records an error sentence for a job that was refused. */
doca_error_t dma_job_refuse(const struct doca_dma_job_memcpy *job);

/*
 * Submits a job of 1.3, which contains the number of bytes; later versions use the buffers' data
 * sections. Returns INVALID_VALUE with an error sentence if the number exceeds the buffers. The
 * queue must be one that overwrites.
 */
doca_error_t dma_job_submit_1_3(struct workq_ctx *workq_ctx, const struct doca_job *base);

/* Implements the engine's operation `submit`. */
static inline doca_error_t dma_job_submit(struct workq_ctx *workq_ctx, const struct doca_job *base)
{
	const struct doca_dma_job_memcpy *job = (const struct doca_dma_job_memcpy *)base;
	struct doca_dma *dma = workq_ctx->state;
	struct doca_task *task;
	struct dma_task *copy;

	if (unlikely(job->src_buff == NULL || job->dst_buff == NULL))
		return dma_job_refuse(job);
	task = task_pool_queue(&dma->pool, &dma->ctx, workq_ctx->workq->pe, job->base.user_data);
	if (unlikely(task == NULL))
		return dma_job_refuse(job);
	copy = (struct dma_task *)(void *)task;
	copy->src = job->src_buff;
	copy->dst = job->dst_buff;
	return DOCA_SUCCESS;
}

#endif
