/*
 * DMA, up to 2.2. Included by doca_dma.h, whose comment has the rules for states, errors and
 * threads.
 *
 * Use an object in this order: create it, add a device to its context (doca_dma_as_ctx()), start
 * it, add a work queue, submit jobs. Copies are carried out while events are retrieved. A failed
 * copy may have written a part of the destination. It affects nothing else: the context continues.
 *
 * Up to 2.1 a copy writes to the beginning of the destination's data section, whose length becomes
 * that of the copy. From 2.2 on it appends to the data that is there. The elements of a list are
 * filled in order. See doca_workq_create().
 */
#ifndef DOCA_DMA_WORKQ_H_
#define DOCA_DMA_WORKQ_H_

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <dococ/ctx_workq.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "dococ/dma_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_dma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum doca_dma_job_types { DOCA_DMA_JOB_MEMCPY = DOCA_ACTION_DMA_FIRST + 1 };

#if DOCA_API_BETWEEN(103, 199)
/* Capabilities of a device; a set of bits. */
enum doca_dma_devinfo_caps {
	DOCA_DMA_CAP_NONE = 0,
	DOCA_DMA_CAP_HW_OFFLOAD = 1 /* the device can copy */
};
#endif

/*
 * One copy. Up to 1.4 a buffer has no data section: the job states how many bytes are copied, from
 * the beginning of the source to the beginning of the destination. A number larger than either
 * buffer is refused with DOCA_ERROR_INVALID_VALUE at submission.
 */
struct doca_dma_job_memcpy {
	struct doca_job base;            /* type DOCA_DMA_JOB_MEMCPY, ctx of a DMA object */
	struct doca_buf *dst_buff;       /* a buffer, or the head of a list, to write to */
	struct doca_buf const *src_buff; /* a buffer, or the head of a list, to read */
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
	uint64_t num_bytes_to_copy;
#endif
};

/* Layout of doca_event.result after a copy: cast the address of that member to a pointer to this
 * struct. */
struct doca_dma_memcpy_result {
	doca_error_t result; /* SUCCESS, NOT_PERMITTED or IO_FAILED */
};

/**
 * Creates a DMA object. doca_ctx_dev_add() gives it a device.
 * @param dma receives the object; release it with doca_dma_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 1.3, until 2.2.
 */
#if DOCA_API_WORKQ
DOCA_STABLE doca_error_t doca_dma_create(struct doca_dma **dma) DOCA_BIND(doca_dma_create, 1_3);
#endif

#if DOCA_API_BETWEEN(103, 104)
/**
 * Gets the capabilities of a device.
 * @param devinfo device to query
 * @param caps receives a set of enum doca_dma_devinfo_caps
 * @return DOCA_SUCCESS
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_dma_devinfo_caps_get(struct doca_devinfo *devinfo, uint32_t *caps);
#endif

#if DOCA_API_BETWEEN(105, 204)
/**
 * Checks whether a device can execute a type of job. The return code is the answer.
 * @param devinfo device to query
 * @param job_type type of job
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot copy.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_dma_job_get_supported(struct doca_devinfo *devinfo,
						    enum doca_dma_job_types job_type);

/**
 * Gets the largest number of elements in the buffer list of one copy.
 * @param devinfo device to query
 * @param max_list_num_elem receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_dma_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
							    uint32_t *max_list_num_elem);

/**
 * Gets the size of the largest copy of one job.
 * @param devinfo device to query
 * @param buf_size receives the number of bytes; 2 MiB if the device's limit is 1 GiB or
 *   more, because programs allocate buffers of this size
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_dma_get_max_buf_size(const struct doca_devinfo *devinfo,
						   uint64_t *buf_size);
#endif

#if DOCA_API_WORKQ
DOCA_ELSEWHERE(
	doca_dma_task_memcpy_alloc_init,
	"copies are tasks from 2.5 on: use struct doca_dma_job_memcpy and doca_workq_submit");
#endif

#ifdef __cplusplus
}
#endif

#endif
