/*
 * Contexts and work queues of earlier generations: implementations of the functions that are bound
 * to one version (client/compat/abi). No type here depends on the version that a file is compiled
 * for.
 */
#ifndef CLIENT_COMPAT_WORKQ_FUNCTIONS_H
#define CLIENT_COMPAT_WORKQ_FUNCTIONS_H

#include <stdint.h>

#include <doca_error.h>

struct doca_ctx;
struct doca_dma;
struct doca_job;
struct doca_workq;

doca_error_t compat_ctx_start(struct doca_ctx *ctx);
doca_error_t compat_ctx_stop(struct doca_ctx *ctx);
/* api: the version whose rule for destination buffers the queue follows. */
doca_error_t compat_workq_create(uint32_t depth, uint16_t api, struct doca_workq **workq_out);
/* Submits a job of 1.3, which contains the length of a copy. */
doca_error_t compat_workq_submit_1_3(struct doca_workq *workq, const struct doca_job *job);
doca_error_t compat_dma_create(struct doca_dma **dma_out);

#endif
