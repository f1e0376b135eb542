/*
 * Erasure coding: redundancy blocks from data blocks, and lost blocks from those that are left.
 * From 2.5 on, tasks compute the blocks (dococ/erasure_coding_task.h); in 2.2, jobs do
 * (dococ/erasure_coding_workq.h).
 *
 * A code has data blocks and redundancy blocks of one size. The blocks of a buffer are adjacent: a
 * source of 3 blocks of 4 KiB has 12 KiB of data, which the elements of a list may divide at any
 * byte. The size of a block is a multiple of 64 bytes. A result is appended to the data of its
 * destination; source and destination must not overlap.
 *
 * A coding matrix defines how redundancy blocks are computed from data blocks. The matrices that
 * update redundancy and that recover lost blocks are derived from it. Blocks are numbered from 0,
 * data blocks first.
 *
 * The library needs ISA-L when it is built. Without it no device supports erasure coding.
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
 * Threads: one thread at a time per object, its matrices and its engine or work queue. Capability
 * queries of a device may be called from any thread.
 *
 * Reference: DOCA Erasure Coding guide.
 *
 * Example: submit the creation of redundancy. Start the object like the one of doca_dma.h, with
 * doca_ec_task_create_set_conf().
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t submit_redundancy(struct doca_ec *ec, const struct doca_ec_matrix *coding,
 *                                    const struct doca_buf *data, struct doca_buf *redundancy)
 *     {
 *         struct doca_ec_task_create *task;
 *         union doca_data user_data = {.ptr = redundancy};
 *         doca_error_t result = doca_ec_task_create_allocate_init(ec, coding, data, redundancy,
 *                                                                 user_data, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_task_submit(doca_ec_task_create_as_task(task))) != DOCA_SUCCESS)
 *             doca_task_free(doca_ec_task_create_as_task(task));
 *         return result;
 *     }
 */
#ifndef DOCA_ERASURE_CODING_H_
#define DOCA_ERASURE_CODING_H_

#include <inttypes.h>
#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#if !DOCA_API_WORKQ
#include <doca_pe.h>
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 2)
#error "doca_erasure_coding.h is there from 2.2 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ec; /* erasure coding library object */
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;

/**
 * Destroys an erasure coding object and its context. Its matrices stay until each is destroyed, but
 * no task can use them any more.
 * @param ec erasure coding object
 * States: IDLE (from 2.5 on); stopped (in 2.2).
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it and progress until it is.
 * - DOCA_ERROR_IN_USE: in 2.2, the context is started; call doca_ctx_stop() first.
 * Since 2.2.
 */
DOCA_STABLE doca_error_t doca_ec_destroy(struct doca_ec *ec);

/**
 * Returns the context of an erasure coding object.
 * @param ec erasure coding object
 * @return the context, owned by the object; NULL if ec is NULL
 * Since 2.2.
 */
DOCA_STABLE struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ec);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/erasure_coding_workq.h>
#else
#include <dococ/erasure_coding_task.h>
#endif

#endif
