/*
 * Compression: DEFLATE, and decompression of LZ4, of buffers of this process or of a memory map
 * imported from the other side. From 2.5 on, tasks do the work (dococ/compress_task.h); in 2.2,
 * jobs do (dococ/compress_workq.h).
 *
 * The profile of a device determines which kinds of tasks it supports: a BlueField-2 compresses and
 * decompresses DEFLATE, a BlueField-3 decompresses DEFLATE and LZ4. If the library was built
 * without its codecs, no device supports any.
 *
 * Memory of another machine, imported over a tls: link, goes through memory of the context: the
 * source is read there, and the result is written from there. A task whose source or result is on
 * another machine and longer than that memory fails with DOCA_ERROR_IO_FAILED. It has 4 MiB for
 * sources and 4 MiB for results unless DOCOCORED_BOUNCE_BYTES says otherwise; see dococlient(7).
 * The task completes when its result is written. Later tasks of the context wait for it.
 *
 * With DOCOCORED_THREAD_BYTES, long tasks run on a thread of their context instead of during
 * progress. Tasks of a context complete in the order of their submission in any case, except those
 * that a stop ends with DOCA_ERROR_SHUTDOWN.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 * - DOCA_ERROR_BAD_STATE: the object was created by a call of another generation; see doca_api.h.
 *
 * Threads: one thread at a time per object and its engine or work queue. Capability queries of a
 * device may be called from any thread.
 *
 * Reference: DOCA Compress guide.
 *
 * Example: compress a buffer. Start the object like the one of doca_dma.h, with
 * doca_compress_task_compress_deflate_set_conf().
 *
 *     doca_error_t submit_deflate(struct doca_compress *compress, const struct doca_buf *plain,
 *                                 struct doca_buf *packed, union doca_data user_data)
 *     {
 *         struct doca_compress_task_compress_deflate *task;
 *         struct doca_task *base;
 *         doca_error_t result = doca_compress_task_compress_deflate_alloc_init(
 *             compress, plain, packed, user_data, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         base = doca_compress_task_compress_deflate_as_task(task);
 *         if ((result = doca_task_submit(base)) != DOCA_SUCCESS)
 *             doca_task_free(base);
 *         return result;
 *     }
 */
#ifndef DOCA_COMPRESS_H_
#define DOCA_COMPRESS_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
#include <doca_pe.h>
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 2)
#error "doca_compress.h is there from 2.2 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_compress; /* compress library object */
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;

/**
 * Destroys a compress object and its context.
 * @param compress compress object
 * States: IDLE (from 2.5 on); stopped (up to 2.2).
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress until it is. Up to 2.2: it is
 *   started; call doca_ctx_stop() first.
 * Since 2.2.
 */
DOCA_STABLE doca_error_t doca_compress_destroy(struct doca_compress *compress);

/**
 * Returns the context of a compress object.
 * @param compress compress object
 * @return the context, owned by the object; NULL if compress is NULL
 * Since 2.2.
 */
DOCA_STABLE struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/compress_workq.h>
#else
#include <dococ/compress_task.h>
#endif

#endif
