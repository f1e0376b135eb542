/*
 * Context: the part that every DOCA library object has in common. A doca_*_as_ctx() function
 * returns the context of an object. The context is destroyed together with its object.
 *
 * The selected version (DOCA_USE_VERSION, see doca_api.h) decides which calls there are:
 *
 * - From 2.5 on a context has states and is connected to a progress engine: dococ/ctx_task.h.
 * - Up to 2.2 it is started and stopped at once, and jobs reach it through a work queue:
 *   dococ/ctx_workq.h.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 * - DOCA_ERROR_BAD_STATE: the object was created by a call of another generation; see doca_api.h.
 *
 * Threads: one thread at a time per context and the engine that it is connected to.
 *
 * Reference: DOCA Core guide, context.
 *
 * Example: stop a context and wait until it is IDLE. The callbacks of its tasks free them.
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t stop_and_wait(struct doca_pe *pe, struct doca_ctx *ctx)
 *     {
 *         enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
 *         doca_error_t result = doca_ctx_stop(ctx);
 *
 *         if (result != DOCA_ERROR_IN_PROGRESS)
 *             return result;
 *         do {
 *             doca_pe_progress(pe);
 *             result = doca_ctx_get_state(ctx, &state);
 *         } while (result == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE);
 *         return result;
 *     }
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx; /* context of a library object */
struct doca_dev;
struct doca_devinfo;
struct doca_dpa; /* data-path accelerator */
struct doca_gpu; /* GPU */

/**
 * Moves the context's data path to a GPU. Not supported: this implementation has no GPU data path.
 * @param ctx context of a library object
 * @param gpu_dev GPU
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments and the state are valid.
 * Since 2.2.
 */
DOCA_STABLE doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx,
						      struct doca_gpu *gpu_dev);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/ctx_workq.h>
#else
#include <dococ/ctx_task.h>
#endif

#endif
