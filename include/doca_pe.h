/*
 * Progress engine and tasks.
 *
 * A task is allocated from a context, submitted, and completed inside doca_pe_progress(), which
 * calls one of the two callbacks of the task's type. A successful submission transfers the task and
 * its buffers to the library. The callback transfers them back to the program, and may submit the
 * task again, free it or retain it. Tasks may complete in any order. A callback must return: if it
 * is left by a C++ exception or longjmp(), the engine counts as being inside doca_pe_progress()
 * from then on, and its later calls complete nothing. Catch exceptions in the callback.
 *
 * A program can sleep instead of polling:
 *
 * - call doca_pe_progress() until it returns 0;
 * - call doca_pe_request_notification();
 * - wait until the notification handle is readable, with poll, select or epoll;
 * - call doca_pe_clear_notification(), and start again.
 *
 * A completion that arrived before the request makes the handle readable, too.
 *
 * Errors of a submission. The program keeps the task and its buffers:
 *
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then submit again.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * - DOCA_ERROR_INVALID_VALUE: the task is NULL; or, for RDMA and comch, an argument of the task is
 *   wrong. Tasks of other types report wrong arguments when they complete, usually as
 *   DOCA_ERROR_IO_FAILED.
 * - DOCA_ERROR_NOT_CONNECTED: for RDMA, the task's connection is not connected yet. For comch, the
 *   connection has ended, or the engine belongs to the process that forked this one; free the task.
 * - Others, for comch producers only: doca_comch_producer.h lists them.
 *
 * States: where a doc block has no "States:" line, the call is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 *
 * Threads: unless a doc block says otherwise, one thread at a time may use an engine, the contexts
 * connected to it and their tasks.
 *
 * Setters and getters of tasks and batches do not check their first argument for NULL.
 *
 * Reference: DOCA Core guide, progress engine and tasks.
 *
 * Example: wait for all tasks, and sleep when there is nothing to do.
 *
 *     #include <poll.h>
 *
 *     doca_error_t wait_for_tasks(struct doca_pe *pe)
 *     {
 *         struct pollfd fd = {-1, POLLIN, 0};
 *         size_t n_tasks = 0;
 *         doca_error_t result;
 *
 *         for (;;) {
 *             while (doca_pe_progress(pe))
 *                 ;
 *             if ((result = doca_pe_get_num_inflight_tasks(pe, &n_tasks)) != DOCA_SUCCESS ||
 *                 n_tasks == 0 ||
 *                 (result = doca_pe_get_notification_handle(pe, &fd.fd)) != DOCA_SUCCESS ||
 *                 (result = doca_pe_request_notification(pe)) != DOCA_SUCCESS)
 *                 return result;
 *             poll(&fd, 1, -1);
 *             doca_pe_clear_notification(pe, fd.fd);
 *         }
 *     }
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_ctx.h>
#include <doca_dev.h>

#if DOCA_API_WORKQ
#error "doca_pe.h is there from 2.5 on: set DOCA_USE_VERSION to that or later; before, work queues of doca_ctx.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_pe;         /* progress engine */
struct doca_task;       /* one operation of a context */
struct doca_task_batch; /* several operations of one type, submitted and completed together */
struct doca_ctx;

/* Largest number of tasks that one batch can hold. */
enum doca_task_batch_max_tasks_number {
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3
};

/* Number of events that one event batch delivers. */
enum doca_event_batch_events_number {
	DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7
};

/*
 * How to submit a task; a set of bits.
 * - FLUSH starts this task and all that were submitted before it. Without FLUSH a task may wait
 *   until a later submission or doca_ctx_flush_tasks() flushes it.
 * - OPTIMIZE_REPORTS allows completions to be reported late, in groups.
 */
enum doca_task_submit_flag {
	DOCA_TASK_SUBMIT_FLAG_NONE = 0,
	DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,
	DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2
};

/*
 * Contexts that doca_pe_progress() polls after a notification.
 * - SELECTIVE: only the contexts that had an event or work when the notification was requested. The
 *   notification must be cleared.
 * - ALL: every context. The notification need not be cleared.
 */
enum doca_pe_event_mode {
	DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0,
	DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1
};

/*
 * Completion callback of a task, in its general form. It runs inside doca_pe_progress() and must
 * not call that function.
 */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
					  union doca_data ctx_user_data);

/**
 * Creates a progress engine, to which no context is connected yet.
 * @param pe receives the engine; release it with doca_pe_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_OPERATING_SYSTEM: the process has no free file descriptor; close some or raise
 *   RLIMIT_NOFILE.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * Destroys an engine and closes its notification handle.
 * @param pe progress engine
 * States: all contexts connected to the engine, and all graphs on it, are destroyed.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: a context is still connected: destroy its library object first; a graph
 *   still exists: destroy it; or the call was made inside a callback of the engine: repeat it after
 *   doca_pe_progress() has returned.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * Makes progress by one step: runs the callback of one completed task or one event, or changes the
 * state of one context. Makes no system call if there is nothing to do. Never waits for this side's
 * daemon, whether it is slow, stopped or restarted. If the daemon must describe something first,
 * such as a new comch connection, a new consumer of the peer or an RDMA connection by address, the
 * program's callback runs when it has answered; all other work continues until then.
 * The first operation on a remote machine waits in flight until that machine is reached, or its
 * submission returns DOCA_ERROR_AGAIN. It fails after 10 s.
 * @param pe progress engine; must not be NULL, which is not checked
 * States: any, but not inside a callback of the engine, where the call does nothing and returns 0.
 * @return 1 if something was done: call again; 0 if there was nothing to do. In a process that was
 *   forked after the engine was created, nothing progresses, but each call completes one queued
 *   task with DOCA_ERROR_NOT_CONNECTED and returns 1.
 * Since 2.5.
 */
DOCA_STABLE uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * Gets the file descriptor to wait on, with poll, select or epoll, until there is something to
 * progress. It stays the same for the engine's whole life.
 * @param pe progress engine
 * @param handle receives the descriptor, which the engine owns; neither read nor close it
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
							 doca_notification_handle_t *handle);

/**
 * Makes the notification handle unreadable again after a wake-up. Optional in mode PROGRESS_ALL.
 * @param pe progress engine
 * @param handle ignored on Linux; pass any value
 * States: after waiting, before progress.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_OPERATING_SYSTEM: the system call failed; dococ_last_error() names it.
 * - DOCA_ERROR_NOT_CONNECTED: the engine was created by the process that forked this one; create
 *   one here.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_pe_clear_notification(struct doca_pe *pe,
						    doca_notification_handle_t handle);

/**
 * Arms the notification handle for one wake-up: it becomes readable as soon as there is something
 * to progress, immediately if there is already.
 * @param pe progress engine
 * States: doca_pe_progress has returned 0.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_OPERATING_SYSTEM: the system call failed; dococ_last_error() names it.
 * - DOCA_ERROR_NOT_CONNECTED: the engine was created by the process that forked this one; create
 *   one here.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * Gets the number of tasks of all contexts that were submitted and have not completed. Includes
 * graph nodes that are ready but not submitted yet.
 * @param pe progress engine
 * @param num_inflight_tasks receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe,
							size_t *num_inflight_tasks);

/**
 * Submits a task and starts it. Equals doca_task_submit_ex() with FLUSH.
 * @param task task to submit
 * States: RUNNING context; the program owns the task. On success the library owns the task and its
 *   buffers until the callback.
 * @return DOCA_SUCCESS, or an error of a submission, as listed at the top
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_task_submit(struct doca_task *task);

/**
 * Submits a task. doca_task_try_submit() checks its arguments first.
 * @param task task to submit
 * @param flags set of enum doca_task_submit_flag; without FLUSH the task may wait for a later flush
 * States: RUNNING context; the program owns the task. On success the library owns the task and its
 *   buffers until the callback.
 * @return DOCA_SUCCESS, or an error of a submission, as listed at the top
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * Submits all tasks of a batch. Their arguments are not checked; doca_task_batch_try_submit()
 * checks them. If it fails halfway, the tasks submitted so far complete as usual, and the next call
 * submits the others.
 * @param task_batch batch
 * States: RUNNING context; the program owns the batch.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then submit again.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the program keeps the batch.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * Checks the arguments of a task, then submits it like doca_task_submit(). A failure that is not
 * the task's fault, such as a closed connection, has the same code as there.
 * @param task task to submit; must not be NULL
 * States: RUNNING context; the program owns the task.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument of the task is wrong, or the task is free or already
 *   submitted; dococ_last_error() names the fault.
 * - Any other error of a submission, as listed at the top.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * Checks the arguments of all tasks of a batch, then submits it like doca_task_batch_submit().
 * @param task_batch batch; must not be NULL
 * States: RUNNING context; the program owns the batch.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument of a task is wrong; dococ_last_error() names the fault.
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then submit again.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the program keeps the batch.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * Returns a task to the pool of its context. The program keeps the task's buffers.
 * Freeing a submitted task is a mistake, reported by dococ_last_error(). The task then returns to
 * the pool after its callback has run, unless the callback submits it again. The log has one
 * warning per context, and the number of such tasks when the context becomes IDLE. If
 * DOCOCORED_STRICT=1, such a task is not freed: the context does not become IDLE before the program
 * frees the task in the callback or later.
 * @param task task; NULL is ignored and reported by dococ_last_error()
 * States: not submitted; also inside callbacks, and in STOPPING.
 * Since 2.5.
 */
DOCA_STABLE void doca_task_free(struct doca_task *task);

/**
 * Returns a batch and its tasks to the pool of their context.
 * @param task_batch batch; NULL is ignored and reported by dococ_last_error()
 * States: not submitted; also inside callbacks, and in STOPPING.
 * Since 2.7.
 */
DOCA_STABLE void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * Gets the result of a completed task.
 * @param task task; must not be NULL
 * States: completed; usually called in the error callback.
 * @return DOCA_SUCCESS, or the reason of the failure: an error that the task's type documents, or
 *   DOCA_ERROR_SHUTDOWN if the context was stopped before the task was done
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * Gets the result of a completed batch.
 * @param task_batch batch; must not be NULL
 * States: completed; usually called in the error callback.
 * @return DOCA_SUCCESS if every task of the batch succeeded, else the first failure
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * Sets the user data that the task's callback receives.
 * @param task task; must not be NULL
 * @param user_data any value; the library never interprets it
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * Sets the user data that the batch's callback receives.
 * @param task_batch batch; must not be NULL
 * @param user_data any value; the library never interprets it
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_task_batch_set_user_data(struct doca_task_batch *task_batch,
					       union doca_data user_data);

/**
 * Gets the user data of a task.
 * @param task task; must not be NULL
 * @return the user data
 * Since 2.5.
 */
DOCA_STABLE union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * Gets the user data of a batch.
 * @param task_batch batch; must not be NULL
 * @return the user data
 * Since 2.7.
 */
DOCA_STABLE union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * Returns the context that a task was allocated from.
 * @param task task; must not be NULL
 * @return the context, never NULL; owned by its library object
 * Since 2.5.
 */
DOCA_STABLE struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/**
 * Returns the context that a batch was allocated from.
 * @param task_batch batch; must not be NULL
 * @return the context, never NULL; owned by its library object
 * Since 2.7.
 */
DOCA_STABLE struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * Gets the user data of the context that a batch was allocated from.
 * @param task_batch batch; must not be NULL
 * @return the user data
 * Since 2.7.
 */
DOCA_STABLE union doca_data doca_task_batch_get_ctx_user_data(
	const struct doca_task_batch *task_batch);

/**
 * Returns the number of tasks in a batch.
 * @param task_batch batch; must not be NULL
 * @return number of tasks
 * Since 2.7.
 */
DOCA_STABLE uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/**
 * Connects a context to an engine, which then drives it. The connection lasts until the context's
 * library object is destroyed.
 * @param pe progress engine
 * @param ctx context that is connected to no engine
 * States: context IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * - DOCA_ERROR_NOT_PERMITTED: the context is already connected, to this engine or to another one.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * Chooses which contexts doca_pe_progress() polls after a notification. The default is
 * PROGRESS_SELECTIVE.
 * @param pe progress engine
 * @param event_mode mode
 * States: any; not inside a callback of the engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event_mode is not a mode.
 * - DOCA_ERROR_NOT_PERMITTED: called inside a callback; call it when doca_pe_progress() has
 *   returned.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_pe_set_event_mode(struct doca_pe *pe,
						enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif
