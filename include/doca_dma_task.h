/*
 * DMA, from 2.5 on; included by doca_dma.h.
 *
 * Order: create on a device, configure the memcpy task, connect doca_dma_as_ctx to an engine, start
 * it, allocate and submit tasks. A copy appends the source's data window to the destination's. It
 * is carried out during progress. A copy that fails stops the context, as an error does to a
 * hardware queue: free the tasks, progress until it is IDLE, start it again.
 *
 * Threads: as for the engine it is connected to.
 */
#ifndef DOCA_DMA_TASK_H_
#define DOCA_DMA_TASK_H_

#include <doca_dma.h>

#if DOCA_API_WORKQ
#error "doca_dma_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_dma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dma_task_memcpy; /* one copy */
struct doca_gpu_dma;         /* DMA as seen by a GPU */
struct doca_task;

/*
 * Told of a finished copy, with the data of the task and of the context. Runs inside
 * doca_pe_progress.
 */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * Makes a DMA object on a device.
 * @param dev open device; must stay open until destroy
 * @param dma receives the object; give it back with doca_dma_destroy
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INITIALIZATION: the device cannot copy; ask doca_dma_cap_task_memcpy_is_supported
 *   first.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
	DOCA_BIND(doca_dma_create, 2_5);

/**
 * Can a device copy? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; repeat when it is back.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * Most copy tasks that an object can have.
 * @param dma DMA object
 * @param max_num_tasks receives the number
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma,
							uint32_t *max_num_tasks);

/**
 * Longest buffer list that one copy takes.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buf_list_len receives the number of elements; 1 means no lists
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Largest copy of one task.
 * @param devinfo description of the device; borrowed for the call
 * @param buf_size receives the bytes
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t
doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size);

/**
 * Sets up the copy tasks of an object: callbacks and how many there are. Without it none can be
 * allocated.
 * @param dma DMA object
 * @param task_completion_cb called for each copy that succeeded
 * @param task_error_cb called for each copy that failed; doca_task_get_status gives INVALID_VALUE,
 *   NOT_PERMITTED, IO_FAILED or, after a stop, SHUTDOWN
 * @param num_memcpy_tasks number of tasks, from 1 to doca_dma_cap_get_max_num_tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here: a device that cannot copy has no DMA object.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_task_memcpy_set_conf(
	struct doca_dma *dma, doca_dma_task_memcpy_completion_cb_t task_completion_cb,
	doca_dma_task_memcpy_completion_cb_t task_error_cb, uint32_t num_memcpy_tasks);

/**
 * Takes a copy task from the pool and fills it.
 * @param dma DMA object
 * @param src head of a buffer list, or a single buffer, to read; borrowed until the task completes
 * @param dst head of a buffer list, or a single buffer, to append to; borrowed until the task
 *   completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dma or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma,
							 const struct doca_buf *src,
							 struct doca_buf *dst,
							 union doca_data user_data,
							 struct doca_dma_task_memcpy **task);

/**
 * The general form of a copy task, for submission.
 * @param task copy task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the same task, never NULL
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * Sets what a copy reads.
 * @param task copy task; pointer not checked for NULL
 * @param src head of a buffer list, or a single buffer, to read; borrowed until the task completes
 * States: not submitted.
 * Threads: one at a time per object and its engine.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task,
					      const struct doca_buf *src);

/**
 * What a copy reads.
 * @param task copy task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the buffer as it was set
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE const struct doca_buf *doca_dma_task_memcpy_get_src(
	const struct doca_dma_task_memcpy *task);

/**
 * Sets what a copy appends to.
 * @param task copy task; pointer not checked for NULL
 * @param dst head of a buffer list, or a single buffer, to append to; borrowed until the task
 *   completes
 * States: not submitted.
 * Threads: one at a time per object and its engine.
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task,
					      struct doca_buf *dst);

/**
 * What a copy appends to.
 * @param task copy task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the buffer as it was set
 * Since 2.5. Source: DOCA DMA guide.
 */
DOCA_STABLE struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * Handle of the object for code on a GPU. There is none here.
 * @param dma DMA object
 * @param gpu_dma receives the handle
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: not given here.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right.
 * Since 2.7. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma,
						 struct doca_gpu_dma **gpu_dma);

/**
 * Asks that copies complete in the order in which they were submitted.
 * @param dma DMA object
 * @param enable 1 for yes, 0 for no; 0 unless set
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dma is NULL or enable is neither 0 nor 1.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 3.2. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t enable);

#ifdef __cplusplus
}
#endif

#endif
