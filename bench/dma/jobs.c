/* See bench/dma/jobs.h. */
#include "bench/dma/jobs.h"

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dma.h>

#include "bench/bench.h"

struct dma_jobs {
	struct doca_workq *workq;
	struct doca_dma_job_memcpy *jobs;
	size_t depth, n_jobs, next;
};

struct dma_jobs *dma_jobs_new(struct doca_dev *dev, size_t depth, struct doca_buf **src_bufs,
			      struct doca_buf **dst_bufs, size_t n_bufs)
{
	struct dma_jobs *jobs = bench_alloc(1, sizeof(*jobs));
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	size_t i;

	jobs->depth = depth;
	jobs->n_jobs = n_bufs;
	MUST(doca_dma_create(&dma));
	ctx = doca_dma_as_ctx(dma);
	MUST(doca_ctx_dev_add(ctx, dev));
	MUST(doca_ctx_start(ctx));
	MUST(doca_workq_create((uint32_t)depth, &jobs->workq));
	MUST(doca_ctx_workq_add(ctx, jobs->workq));
	jobs->jobs = bench_alloc(n_bufs, sizeof(*jobs->jobs));
	for (i = 0; i < n_bufs; i++)
		jobs->jobs[i] = (struct doca_dma_job_memcpy){
			.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx},
			.dst_buff = dst_bufs[i],
			.src_buff = src_bufs[i]};
	return jobs;
}

void dma_jobs_run(struct dma_jobs *jobs, uint64_t n)
{
	size_t depth = jobs->depth, next = jobs->next, i;
	uint64_t n_refused = 0;
	struct doca_event event;

	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++) {
			const struct doca_dma_job_memcpy *job = &jobs->jobs[next];

			next = next + 1 == jobs->n_jobs ? 0 : next + 1;
			doca_buf_reset_data_len(job->dst_buff);
			n_refused += doca_workq_submit(jobs->workq, &job->base) != DOCA_SUCCESS;
		}
		for (i = 0; i < depth;) {
			doca_error_t result = doca_workq_progress_retrieve(jobs->workq, &event, 0);

			if (result == DOCA_SUCCESS)
				i++;
			else if (result != DOCA_ERROR_AGAIN || n_refused > 0)
				bench_die("dma: jobs failed");
		}
	}
	jobs->next = next;
}
