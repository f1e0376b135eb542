/*
 * DMA, from 2.5 on. Included by doca_dma.h, whose comment has the rules for states, errors and
 * threads.
 *
 * Use an object in this order: create it on a device, configure the memcpy task, connect
 * doca_dma_as_ctx() to an engine, start it, allocate and submit tasks. A copy appends the source's
 * data window to the destination's. It is carried out during progress.
 *
 * A failed copy stops the context, like an error of a hardware queue: free the tasks, progress
 * until the context is IDLE, and start it again.
 *
 * Status of a failed copy, from doca_task_get_status():
 *
 * - DOCA_ERROR_IO_FAILED: the transfer failed, the exporter stopped its map or ended, or an
 *   argument is wrong. doca_task_try_submit() reports wrong arguments before the submission.
 * - DOCA_ERROR_NOT_PERMITTED: a memory map does not permit the access, or the kernel does not
 *   permit access to the exporter's memory.
 * - DOCA_ERROR_BAD_STATE: a memory map is not started.
 * - DOCA_ERROR_SHUTDOWN: the context was stopped.
 */
#ifndef DOCA_DMA_TASK_H_
#define DOCA_DMA_TASK_H_

#include <doca_dma.h>

#if DOCA_API_WORKQ
#error "dococ/dma_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_dma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dma_task_memcpy; /* one copy */
struct doca_gpu_dma;         /* DMA as seen by a GPU */
struct doca_task;

/*
 * Called when a copy has completed, with the user data of the task and of the context. Runs inside
 * doca_pe_progress().
 */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * Creates a DMA object on a device.
 * @param dev open device; must stay open until the object is destroyed
 * @param dma receives the object; release it with doca_dma_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the device does not support copies; see
 *   doca_dma_cap_task_memcpy_is_supported().
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
	DOCA_BIND(doca_dma_create, 2_5);

/**
 * Checks whether a device can copy. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot copy.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the largest number of copy tasks that an object can have.
 * @param dma DMA object
 * @param max_num_tasks receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma,
							uint32_t *max_num_tasks);

/**
 * Gets the largest number of elements in the buffer list of one copy.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Gets the size of the largest copy of one task.
 * @param devinfo device to query
 * @param buf_size receives the number of bytes; 2 MiB if the device's limit is 1 GiB or
 *   more, because programs allocate buffers of this size
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size);

/**
 * Configures the copy tasks of an object: their callbacks and their number. Without this call none
 * can be allocated.
 * @param dma DMA object
 * @param task_completion_cb called for each copy that succeeded
 * @param task_error_cb called for each copy that failed, with a status of the list at the top
 * @param num_memcpy_tasks number of tasks, from 1 to the result of doca_dma_cap_get_max_num_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_dma_task_memcpy_set_conf(
	struct doca_dma *dma, doca_dma_task_memcpy_completion_cb_t task_completion_cb,
	doca_dma_task_memcpy_completion_cb_t task_error_cb, uint32_t num_memcpy_tasks);

/**
 * Allocates a copy task from the pool and sets its arguments.
 * @param dma DMA object
 * @param src head of a buffer list, or a single buffer, to read; owned by the library from
 *   submission until the task completes
 * @param dst head of a buffer list, or a single buffer, to append to; owned by the library from
 *   submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma,
							 const struct doca_buf *src,
							 struct doca_buf *dst,
							 union doca_data user_data,
							 struct doca_dma_task_memcpy **task);

/**
 * Returns a copy task as a general task, for submission.
 * @param task copy task; must not be NULL
 * @return the same task, never NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * Sets the source of a copy.
 * @param task copy task; must not be NULL
 * @param src head of a buffer list, or a single buffer, to read; owned by the library from
 *   submission until the task completes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task,
					      const struct doca_buf *src);

/**
 * Returns the source of a copy.
 * @param task copy task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_dma_task_memcpy_get_src(
	const struct doca_dma_task_memcpy *task);

/**
 * Sets the destination of a copy.
 * @param task copy task; must not be NULL
 * @param dst head of a buffer list, or a single buffer, to append to; owned by the library from
 *   submission until the task completes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task,
					      struct doca_buf *dst);

/**
 * Returns the destination of a copy.
 * @param task copy task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * Gets the handle of the object for code on a GPU. Not supported.
 * @param dma DMA object
 * @param gpu_dma receives the handle
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma,
						 struct doca_gpu_dma **gpu_dma);

/**
 * Sets whether copies complete in the order in which they were submitted.
 * @param dma DMA object
 * @param enable 1 to enable, 0 to disable; the default is 0
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: enable is neither 0 nor 1.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t enable);

#ifdef __cplusplus
}
#endif

#endif
