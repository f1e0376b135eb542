/*
 * Copies of any length by DMA. A copy is split into chunks that the device accepts. Several tasks
 * are in flight; each is filled and submitted again from its own callback. Polled; one thread.
 */
#ifndef EXAMPLES_DMA_COPIER_H
#define EXAMPLES_DMA_COPIER_H

#include <stddef.h>

#include <doca_error.h>

struct copier;
struct doca_dev;
struct doca_mmap;

/* A copy; source and destination may each be local or imported. */
struct copier_job {
	struct doca_mmap *src_mmap, *dst_mmap;
	char *src, *dst;
	size_t len;
};

/* chunk_max: maximum bytes of one task; the device's own limit may be lower. */
doca_error_t copier_new(struct doca_dev *dev, size_t chunk_max, struct copier **copier_out);
void copier_free(struct copier *copier);
/* Returns when all bytes are copied or the copy has failed. No task is in flight then. */
doca_error_t copier_run(struct copier *copier, const struct copier_job *job, int timeout_s,
			size_t *n_tasks_out);

#endif
