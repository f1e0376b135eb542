/*
 * Copies in the style of 2.2, with jobs on a work queue. jobs.c is compiled with the headers of
 * that version, so this header depends on no version. Threads: each set belongs to one.
 */
#ifndef BENCH_DMA_JOBS_H
#define BENCH_DMA_JOBS_H

#include <stddef.h>
#include <stdint.h>

struct dma_jobs;
struct doca_buf;
struct doca_dev;

/*
 * Creates one job for each pair of buffers, which stay the caller's. depth of them are in flight.
 */
struct dma_jobs *dma_jobs_new(struct doca_dev *dev, size_t depth, struct doca_buf **src_bufs,
			      struct doca_buf **dst_bufs, size_t n_bufs);
void dma_jobs_run(struct dma_jobs *jobs, uint64_t n);

#endif
