/*
 * Advice about the memory of a map. There is one kind of advice, cache invalidation: the
 * processor's caches may have stale copies of a range, because the other side or a device has
 * written it.
 *
 * Use an object in this order: create it on a device, configure the cache-invalidate task, connect
 * doca_mmap_advise_as_ctx() to an engine, start it, allocate and submit tasks. The work is done
 * during progress.
 *
 * The processors that this runtime supports keep their caches coherent with every writer of memory,
 * so nothing needs to be invalidated. The task checks its arguments as a card would. Its completion
 * is a memory barrier: afterwards the program reads what others wrote into the range before the
 * submission.
 *
 * A failed task stops the context, like an error of a hardware queue: free the tasks, progress
 * until the context is IDLE, and start it again.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: one thread at a time per object and its engine. Capability queries may be called from
 * any thread.
 *
 * Reference: DOCA Core guide, Cache Invalidate.
 *
 * Example: before the program reads a range that the other side has written. The object is RUNNING.
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t invalidate(struct doca_mmap_advise *advise, struct doca_buf *range,
 *                             union doca_data user_data)
 *     {
 *         struct doca_mmap_advise_task_invalidate_cache *task;
 *         struct doca_task *base;
 *         doca_error_t result =
 *             doca_mmap_advise_task_invalidate_cache_alloc_init(advise, range, user_data, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         base = doca_mmap_advise_task_invalidate_cache_as_doca_task(task);
 *         if ((result = doca_task_submit(base)) != DOCA_SUCCESS)
 *             doca_task_free(base);
 *         return result;
 *     }
 */
#ifndef DOCA_MMAP_ADVISE_H_
#define DOCA_MMAP_ADVISE_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#error "doca_mmap_advise.h is there from 2.7 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap_advise;                       /* advice library object */
struct doca_mmap_advise_task_invalidate_cache; /* task for one range */
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/*
 * Called when a task has completed, with the user data of the task and of the context. Runs inside
 * doca_pe_progress().
 */
typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
	struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Creates an advice object on a device.
 * @param dev open device; must stay open until the object is destroyed
 * @param mmap_advise receives the object; release it with doca_mmap_advise_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support advice; call
 *   doca_mmap_advise_cap_task_cache_invalidate_is_supported() first.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_create(struct doca_dev *dev,
						 struct doca_mmap_advise **mmap_advise);

/**
 * Destroys the advice object and its context.
 * @param mmap_advise advice object
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress until it is.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);

/**
 * Returns the context of an advice object.
 * @param mmap_advise advice object
 * @return the context, owned by the object; NULL if mmap_advise is NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/**
 * Checks whether a device supports cache-invalidate tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest range of one task, all elements of a list together.
 * @param devinfo device to query
 * @param buf_size receives the number of bytes; 0 if the device does not support such tasks;
 *   2 MiB if the device's limit is 1 GiB or more, because programs allocate buffers of this size
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_task_cache_invalidate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *buf_size);

/**
 * Configures the cache-invalidate tasks of an object: their callbacks and their number. Without
 * this call none can be allocated.
 * @param mmap_advise advice object
 * @param completion_cb called for each task that succeeded
 * @param error_cb called for each task that failed; doca_task_get_status() returns
 *   DOCA_ERROR_NOT_PERMITTED if the memory map does not permit reading, DOCA_ERROR_BAD_STATE if it
 *   is not started, DOCA_ERROR_IO_FAILED if the exporter stopped it or ended, or if an argument is
 *   wrong, and DOCA_ERROR_SHUTDOWN after a stop
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * - DOCA_ERROR_NOT_PERMITTED: the context is not IDLE.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
	struct doca_mmap_advise *mmap_advise,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Allocates a cache-invalidate task from the pool and sets its arguments.
 * @param mmap_advise advice object
 * @param buf head of a buffer list, or a single buffer, whose data sections are the range; owned by
 *   the library from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
	struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
	struct doca_mmap_advise_task_invalidate_cache **task);

/**
 * Returns a cache-invalidate task as a general task, for submission.
 * @param task cache-invalidate task
 * @return the same task; NULL if task is NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
	struct doca_mmap_advise_task_invalidate_cache *task);

/**
 * Sets the range of a cache-invalidate task.
 * @param task cache-invalidate task; must not be NULL
 * @param buf head of a buffer list, or a single buffer, whose data sections are the range; owned by
 *   the library from submission until the task completes
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_mmap_advise_task_invalidate_cache_set_buf(
	struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf);

/**
 * Returns the range of a cache-invalidate task.
 * @param task cache-invalidate task; must not be NULL
 * @return the buffer as it was set
 * Since 2.7.
 */
DOCA_STABLE struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
	const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif
