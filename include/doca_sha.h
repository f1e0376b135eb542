/*
 * SHA: digests of buffers of this process, or of a memory map imported from the other side. From
 * 2.5 on, tasks compute the digests (dococ/sha_task.h); up to 2.2, jobs do (dococ/sha_workq.h).
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
 * Both is for tasks. Jobs read and write memory of this machine only, during progress.
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
 * Reference: DOCA SHA guide.
 *
 * Example: submit a SHA-256 of a buffer. Start the object like the one of doca_dma.h, with
 * doca_sha_task_hash_set_conf(), which takes the logarithm of the number of tasks.
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t submit_sha256(struct doca_sha *sha, const struct doca_buf *message,
 *                                struct doca_buf *digest, union doca_data user_data)
 *     {
 *         struct doca_sha_task_hash *task;
 *         doca_error_t result = doca_sha_task_hash_alloc_init(sha, DOCA_SHA_ALGORITHM_SHA256,
 *                                                             message, digest, user_data, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_task_submit(doca_sha_task_hash_as_task(task))) != DOCA_SUCCESS)
 *             doca_task_free(doca_sha_task_hash_as_task(task));
 *         return result;
 *     }
 */
#ifndef DOCA_SHA_H_
#define DOCA_SHA_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
#error "doca_sha.h is there from 2.0 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sha; /* SHA library object */
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;

/**
 * Destroys the SHA object and its context.
 * @param sha SHA object
 * States: IDLE (from 2.5 on); stopped (up to 2.2).
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress until it is. Up to 2.2: it is
 *   started; call doca_ctx_stop() first.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_sha_destroy(struct doca_sha *sha);

/**
 * Returns the context of a SHA object.
 * @param sha SHA object
 * @return the context, owned by the object; NULL if sha is NULL
 * Since 2.0.
 */
DOCA_STABLE struct doca_ctx *doca_sha_as_ctx(struct doca_sha *sha);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/sha_workq.h>
#else
#include <dococ/sha_task.h>
#endif

#endif
