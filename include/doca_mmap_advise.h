/*
 * Advice about memory that a memory map covers: the processor's caches hold stale copies of a
 * range, because the other side or a device wrote it.
 *
 * Order: create on a device, configure the cache-invalidate task, connect doca_mmap_advise_as_ctx
 * to an engine, start it, allocate and submit tasks. Work is done during progress.
 *
 * Processors that this runtime knows keep their caches coherent with all who write memory, so there
 * is nothing to throw away. The task checks what it was given as a card would, and its completion
 * is a barrier: what others wrote into the range before the task was submitted is what the program
 * reads afterwards.
 *
 * A task that fails stops the context, as an error does to a hardware queue: free the tasks,
 * progress until it is IDLE, start it again.
 *
 * Threads: as for the engine it is connected to.
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
struct doca_mmap_advise_task_invalidate_cache; /* one range */
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/*
 * Told of a finished task, with the data of the task and of the context. Runs inside
 * doca_pe_progress.
 */
typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
	struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Makes an advice object on a device.
 * @param dev open device; must stay open until destroy
 * @param mmap_advise receives the object; give it back with doca_mmap_advise_destroy
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the device takes no advice; ask
 *   doca_mmap_advise_cap_task_cache_invalidate_is_supported first.
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_create(struct doca_dev *dev,
						 struct doca_mmap_advise **mmap_advise);

/**
 * Frees an advice object with its context.
 * @param mmap_advise advice object
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap_advise is NULL.
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress until it is.
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);

/**
 * Context of an advice object.
 * @param mmap_advise advice object
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, owned by the object; NULL if mmap_advise is NULL
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/**
 * Does a device have cache-invalidate tasks? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it has not.
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);

/**
 * Longest range of one task, all elements of a list together.
 * @param devinfo description of the device; borrowed for the call
 * @param buf_size receives the bytes; 0 where there are no such tasks
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_task_cache_invalidate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *buf_size);

/**
 * Sets up the cache-invalidate tasks of an object: callbacks and how many there are. Without it
 * none can be allocated.
 * @param mmap_advise advice object
 * @param completion_cb called for each task that succeeded
 * @param error_cb called for each task that failed; doca_task_get_status gives NOT_PERMITTED,
 *   IO_FAILED or, after a stop, SHUTDOWN
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is 0.
 * - DOCA_ERROR_NOT_PERMITTED: the context is not IDLE.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
	struct doca_mmap_advise *mmap_advise,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a cache-invalidate task from the pool and fills it.
 * @param mmap_advise advice object
 * @param buf head of a buffer list, or a single buffer, whose data sections are the range; borrowed
 *   until the task completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap_advise or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
	struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
	struct doca_mmap_advise_task_invalidate_cache **task);

/**
 * The general form of a cache-invalidate task, for submission.
 * @param task cache-invalidate task
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the same task; NULL if task is NULL
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
	struct doca_mmap_advise_task_invalidate_cache *task);

/**
 * Sets the range of a cache-invalidate task.
 * @param task cache-invalidate task; pointer not checked for NULL
 * @param buf head of a buffer list, or a single buffer, whose data sections are the range; borrowed
 *   until the task completes
 * States: not submitted.
 * Threads: one at a time per object and its engine.
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE void doca_mmap_advise_task_invalidate_cache_set_buf(
	struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf);

/**
 * The range of a cache-invalidate task.
 * @param task cache-invalidate task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the buffer as it was set
 * Since 2.7. Source: DOCA Core guide, Cache Invalidate.
 */
DOCA_STABLE struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
	const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif
