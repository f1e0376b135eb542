/*
 * Context: the part that every DOCA library object has in common. It is obtained from the object
 * (doca_*_as_ctx) and destroyed with it.
 *
 * From 2.5 on a context has states and is connected to a progress engine (doca_ctx_task.h); up to
 * 2.2 it is started and stopped at once, and jobs reach it by a work queue (doca_ctx_workq.h).
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#include <doca_dev.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx; /* context of a library object */
struct doca_dev;
struct doca_devinfo;
struct doca_dpa; /* data-path accelerator */
struct doca_gpu; /* GPU */

/**
 * Moves the context's data path to a GPU. There is none here.
 * @param ctx context of a library object
 * @param gpu_dev GPU
 * States: IDLE.
 * Threads: one at a time per context and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments and the state are right.
 * Since 2.2. Source: DOCA Core guide, context.
 */
DOCA_STABLE doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx,
						      struct doca_gpu *gpu_dev);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <doca_ctx_workq.h>
#else
#include <doca_ctx_task.h>
#endif

#endif
