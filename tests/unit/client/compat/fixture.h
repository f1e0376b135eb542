/*
 * Shared by the tests of work queues: a started legacy context with a queue, on a device made by
 * hand, and functions to drive it. The functions whose form differs between versions are called by
 * the names that these forms are made of.
 */
#ifndef TESTS_UNIT_CLIENT_COMPAT_FIXTURE_H
#define TESTS_UNIT_CLIENT_COMPAT_FIXTURE_H

#include <dococ/ctx_workq.h>
#include <doca_dma.h>
#include <dococ/dma_workq.h>

#include "client/compat/workq/functions.h"
#include "client/compat/workq/workq.h"
#include "tests/unit/client/fixture.h"

static inline struct doca_ctx *legacy_new(struct doca_dma **dma)
{
	ck_ok(compat_dma_create(dma));
	ck_ok(doca_ctx_dev_add(doca_dma_as_ctx(*dma), &unit_dev));
	ck_ok(compat_ctx_start(doca_dma_as_ctx(*dma)));
	return doca_dma_as_ctx(*dma);
}

static inline void legacy_delete(struct doca_dma *dma)
{
	ck_ok(compat_ctx_stop(doca_dma_as_ctx(dma)));
	ck_ok(doca_ctx_dev_rm(doca_dma_as_ctx(dma), &unit_dev));
	ck_ok(doca_dma_destroy(dma));
}

static inline struct doca_workq *queue_new(uint32_t depth, uint16_t api)
{
	struct doca_workq *workq;

	ck_ok(compat_workq_create(depth, api, &workq));
	return workq;
}

static inline struct doca_dma_job_memcpy copy_job(struct doca_ctx *ctx, const struct doca_buf *src,
						  struct doca_buf *dst, uint64_t user_data)
{
	return (struct doca_dma_job_memcpy){
		.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx, .user_data = {.u64 = user_data}},
		.dst_buff = dst,
		.src_buff = src};
}

/* Retrieves until there is an event. The caller checks whether the job failed. */
static inline void retrieve(struct doca_workq *workq, doca_error_t wanted, struct doca_event *event)
{
	struct doca_event before, got;
	doca_error_t result;
	uint32_t n = 0;

	memset(&before, 0xa5, sizeof(before));
	do {
		got = before;
		result = doca_workq_progress_retrieve(workq, &got, 0);
		ck_assert_uint_lt(n++, 1000000);
		if (result == DOCA_ERROR_AGAIN)
			ck_assert_mem_eq(&got, &before, sizeof(got));
	} while (result == DOCA_ERROR_AGAIN);
	ck_assert_int_eq(result, wanted);
	ck_assert_int_eq(got.type, DOCA_DMA_JOB_MEMCPY);
	*event = got;
}

#endif
