/*
 * DMA: copies between buffers of this process, or of a memory map imported from the other side.
 *
 * From 2.5 on a copy is a task (dococ/dma_task.h); up to 2.2 it is a job of a work queue
 * (dococ/dma_workq.h).
 *
 * Source and destination may overlap. Segments are copied in list order, each as by memmove(). With
 * one buffer on each side the destination receives what the source contained before. From 2.5 on
 * the two lists may have buffers in common: the copied data is what the buffers contained before,
 * and it is appended behind that.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: one thread at a time per object and its engine or work queue. Up to 2.2
 * doca_dma_create() and capability queries may be called from any thread.
 *
 * Reference: DOCA DMA guide.
 *
 * Example: configure and start an object that doca_dma_create() created, and submit a copy. When
 * the copy is done, doca_pe_progress() calls `copied`, which reads the result with
 * doca_task_get_status() and frees the task.
 *
 *     #include <doca_ctx.h>
 *     #include <doca_pe.h>
 *
 *     doca_error_t start_dma(struct doca_dma *dma, struct doca_pe *pe,
 *                            doca_dma_task_memcpy_completion_cb_t copied)
 *     {
 *         doca_error_t result = doca_dma_task_memcpy_set_conf(dma, copied, copied, 16);
 *
 *         if (result == DOCA_SUCCESS)
 *             result = doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma));
 *         return result == DOCA_SUCCESS ? doca_ctx_start(doca_dma_as_ctx(dma)) : result;
 *     }
 *
 *     doca_error_t submit_copy(struct doca_dma *dma, const struct doca_buf *src,
 *                              struct doca_buf *dst, union doca_data user_data)
 *     {
 *         struct doca_dma_task_memcpy *task;
 *         doca_error_t result = doca_dma_task_memcpy_alloc_init(dma, src, dst, user_data, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
 *         if (result != DOCA_SUCCESS)
 *             doca_task_free(doca_dma_task_memcpy_as_task(task));
 *         return result;
 *     }
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_WORKQ
#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dma; /* DMA library object */
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;

/**
 * Destroys the DMA object and its context.
 * @param dma DMA object
 * States: its context is IDLE, or stopped.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE (up to 2.2: not stopped); stop it and progress until
 *   it is.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * Returns the context of a DMA object.
 * @param dma DMA object
 * @return the context, owned by the object; NULL if dma is NULL
 * Since 1.3.
 */
DOCA_STABLE struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/dma_workq.h>
#else
#include <dococ/dma_task.h>
#endif

#endif
