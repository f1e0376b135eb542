/*
 * DMA: copies between buffers, of this process or of a memory map imported from the other side.
 *
 * From 2.5 on a copy is a task (doca_dma_task.h); up to 2.2 it is a job of a work queue
 * (doca_dma_workq.h).
 *
 * Source and destination may overlap: the bytes go from segment to segment in list order, each as
 * with memmove. With one buffer on each side the destination gets what was in the source before.
 * From 2.5 on the two lists may have buffers in common: copied is the data that they had before,
 * and it is appended behind that.
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_WORKQ && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
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
 * Frees a DMA object with its context.
 * @param dma DMA object
 * States: its context is IDLE, or stopped.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE, or not stopped; stop it and progress until it is.
 * - DOCA_ERROR_INVALID_VALUE: dma is NULL.
 * Since 1.3. Source: DOCA DMA guide.
 */
DOCA_STABLE doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * Context of a DMA object.
 * @param dma DMA object
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, owned by the object; NULL if dma is NULL
 * Since 1.3. Source: DOCA DMA guide.
 */
DOCA_STABLE struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <doca_dma_workq.h>
#else
#include <doca_dma_task.h>
#endif

#endif
