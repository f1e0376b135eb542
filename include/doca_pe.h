/*
 * Progress engine and tasks.
 *
 * A task is allocated from a context, submitted, and comes back through one of the two callbacks of
 * its type when doca_pe_progress finds it complete. Submission hands the task and its buffers to
 * the library, if it succeeds; the callback hands them back, and may submit it again, free it or
 * keep it. No order between tasks is promised.
 *
 * Instead of polling, a program may sleep: progress until 0, request a notification, wait until the
 * handle is readable, clear it, progress until 0 again. Completions that arrived before the request
 * make the handle readable too.
 *
 * Threads: one thread at a time per engine, with all contexts connected to it and their tasks. The
 * calls that set or get what a task holds do not check it for NULL.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#include <doca_ctx.h>
#include <doca_dev.h>
#endif

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

/* Most tasks that one batch holds. */
enum doca_task_batch_max_tasks_number {
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3
};

/* Events that one event batch delivers. */
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
 * How to submit; a set of bits. FLUSH starts the task and all that wait before it; without it work
 * may wait for a later flush. OPTIMIZE_REPORTS lets completions be reported late, in groups.
 */
enum doca_task_submit_flag {
	DOCA_TASK_SUBMIT_FLAG_NONE = 0,
	DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,
	DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2
};

/*
 * What progress looks at after a notification. SELECTIVE: only contexts that had an event or work
 * when it was requested, and the notification must be cleared. ALL: every context, and clearing is
 * optional.
 */
enum doca_pe_event_mode {
	DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0,
	DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1
};

/* General form of completion callbacks. Runs inside doca_pe_progress and must not call it. */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
					  union doca_data ctx_user_data);

/**
 * Makes a progress engine with no context.
 * @param pe receives the engine; give it back with doca_pe_destroy
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_OPERATING_SYSTEM: the system has no descriptors left; close some or raise
 *   RLIMIT_NOFILE.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * Frees an engine, with its notification handle.
 * @param pe progress engine
 * States: every context connected to it and every graph on it destroyed.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 * - DOCA_ERROR_IN_USE: contexts are still connected, destroy their library objects first; graphs
 *   are still there, destroy them; or it was called inside a callback of the engine.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * Moves things on: runs the callback of a completed task or event, or changes the state of a
 * context. Makes no system call when there is nothing to do. Waits for nobody, but rarely for this
 * side's daemon: when the daemon was restarted; and for a call to it that another thread of the
 * program makes: when something that was exported stops by itself, which is a consumer for a peer
 * on another machine, or a sync event. A daemon that runs answers at once; one that is stopped is
 * given up after 5 s. A comch connection that has come, a consumer of the peer, or a connection by
 * address of the RDMA library, is not waited for: the program is told of it when the daemon has
 * answered, and everything else goes on until then. What reaches another machine for the first time
 * waits in flight, or its submission says DOCA_ERROR_AGAIN; it fails after 10 s.
 * @param pe progress engine; not checked for NULL
 * States: any; not inside a callback of the engine.
 * Threads: one at a time per engine.
 * @return 1 if something was done: call again; 0 if not, or inside a callback. In a process that
 * was forked since the engine was made nothing goes on, but tasks that wait in its queue end with
 *   DOCA_ERROR_NOT_CONNECTED, one for each 1
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * What to wait on until there is something to progress: a descriptor that poll, select and epoll
 * know, the same for the engine's whole life.
 * @param pe progress engine
 * @param handle receives it; owned by the engine, neither read nor close it
 * States: any.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
							 doca_notification_handle_t *handle);

/**
 * Makes the handle unreadable again after a wake. In mode PROGRESS_ALL this may be left out.
 * @param pe progress engine
 * @param handle ignored on Linux; 0 will do
 * States: after waiting, before progress.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_OPERATING_SYSTEM: the system call failed; dococ_last_error() names it.
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 * - DOCA_ERROR_NOT_CONNECTED: the engine belongs to the process that forked this one.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_pe_clear_notification(struct doca_pe *pe,
						    doca_notification_handle_t handle);

/**
 * Arms the handle: it becomes readable as soon as there is something to progress, also if that
 * happened before. One request gives one wake.
 * @param pe progress engine
 * States: doca_pe_progress gave 0.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL.
 * - DOCA_ERROR_OPERATING_SYSTEM: the system call failed; dococ_last_error() names it.
 * - DOCA_ERROR_NOT_CONNECTED: the engine belongs to the process that forked this one.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * Number of tasks, over all contexts, that were submitted and have not completed. Nodes of graphs
 * that could start and wait for their turn are counted with them.
 * @param pe progress engine
 * @param num_inflight_tasks receives the number
 * States: any.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe,
							size_t *num_inflight_tasks);

/**
 * Submits a task and starts it: doca_task_submit_ex with FLUSH.
 * @param task task
 * States: RUNNING context; the task is the program's. On success task and buffers are the
 *   library's until its callback.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL.
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then submit again.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the task stays the program's.
 * - DOCA_ERROR_FULL: a comch send to another machine, whose process serves no more producers;
 *   destroy one that reaches it, then submit again.
 * - DOCA_ERROR_NOT_CONNECTED: a comch send whose connection has ended; free the task.
 * - DOCA_ERROR_CONNECTION_RESET: the same, because the peer died or broke a rule; free the task.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_task_submit(struct doca_task *task);

/**
 * Submits a task. It is not checked, except for NULL; see doca_task_try_submit.
 * @param task task
 * @param flags set of enum doca_task_submit_flag; without FLUSH it may wait for a later flush
 * States: RUNNING context; the task is the program's. On success task and buffers are the
 *   library's until its callback.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL.
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then submit again.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the task stays the program's.
 * - DOCA_ERROR_FULL: a comch send to another machine, whose process serves no more producers;
 *   destroy one that reaches it, then submit again.
 * - DOCA_ERROR_NOT_CONNECTED: a comch send whose connection has ended; free the task.
 * - DOCA_ERROR_CONNECTION_RESET: the same, because the peer died or broke a rule; free the task.
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * Submits all tasks of a batch at once. They are not checked; see doca_task_batch_try_submit.
 * @param task_batch batch
 * States: RUNNING context; the batch is the program's. If it fails halfway, the tasks that went in
 *   complete as usual and the next submit takes the others.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task_batch is NULL.
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then submit again.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the batch stays the program's.
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * Checks a task's arguments, then submits it as doca_task_submit does. What is no fault of the
 * task, that its connection has ended for one, has the code that doca_task_submit has for it.
 * @param task task; pointer not checked for NULL
 * States: RUNNING context; the task is the program's.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument of the task is wrong, or the task is free or submitted;
 *   dococ_last_error() says which.
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then submit again.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the task stays the program's.
 * - DOCA_ERROR_FULL: a comch send to another machine, whose process serves no more producers;
 *   destroy one that reaches it, then submit again.
 * - DOCA_ERROR_NOT_CONNECTED: a comch send whose connection has ended; free the task.
 * - DOCA_ERROR_CONNECTION_RESET: the same, because the peer died or broke a rule; free the task.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * Checks the arguments of a batch's tasks, then submits it as doca_task_batch_submit does.
 * @param task_batch batch; pointer not checked for NULL
 * States: RUNNING context; the batch is the program's.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument of a task is wrong; dococ_last_error() says which.
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then submit again.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the batch stays the program's.
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * Gives a task back to its context's pool. Its buffers stay the program's.
 * @param task task; NULL is reported as a mistake (dococ_last_error())
 * States: not submitted; also inside callbacks, and in STOPPING. One that is submitted is
 * reported as a mistake (dococ_last_error()), and goes back once its callback was called, unless
 * that one submits it again. The log has one warning for a context, and the number of such tasks
 * when the context becomes idle. With DOCOCORED_STRICT=1 such a task is not freed: the context
 * does not become idle before the program frees it in the callback or later.
 * Threads: one at a time per engine.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE void doca_task_free(struct doca_task *task);

/**
 * Gives a batch back to its context's pool.
 * @param task_batch batch; NULL is reported as a mistake (dococ_last_error())
 * States: not submitted; also inside callbacks, and in STOPPING.
 * Threads: one at a time per engine.
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * Outcome of a completed task.
 * @param task task; pointer not checked for NULL
 * States: completed; usual in the error callback.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or why the task failed: what its type documents, and DOCA_ERROR_SHUTDOWN
 *   for one that a stop ended before it was done
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * Outcome of a completed batch.
 * @param task_batch batch; pointer not checked for NULL
 * States: completed; usual in the error callback.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS if every task of it succeeded, else the first failure
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * Sets the word that the task's callback gets.
 * @param task task; pointer not checked for NULL
 * @param user_data not interpreted
 * States: not submitted.
 * Threads: one at a time per engine.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * Sets the word that the batch's callback gets.
 * @param task_batch batch; pointer not checked for NULL
 * @param user_data not interpreted
 * States: not submitted.
 * Threads: one at a time per engine.
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE void doca_task_batch_set_user_data(struct doca_task_batch *task_batch,
					       union doca_data user_data);

/**
 * Word kept with a task.
 * @param task task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per engine.
 * @return the word
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * Word kept with a batch.
 * @param task_batch batch; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per engine.
 * @return the word
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * Context that a task was allocated from.
 * @param task task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per engine.
 * @return the context, never NULL; still its library object's
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/**
 * Context that a batch was allocated from.
 * @param task_batch batch; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per engine.
 * @return the context, never NULL; still its library object's
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * Word kept with the context that a batch was allocated from.
 * @param task_batch batch; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per engine.
 * @return the word
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE union doca_data doca_task_batch_get_ctx_user_data(
	const struct doca_task_batch *task_batch);

/**
 * Number of tasks in a batch.
 * @param task_batch batch; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per engine.
 * @return the number
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/**
 * Makes an engine drive a context. It stays so until the context's library object is destroyed.
 * @param pe progress engine
 * @param ctx context, not connected yet
 * States: context IDLE.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * - DOCA_ERROR_NOT_PERMITTED: the context is connected already, to this engine or another.
 * Since 2.5. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * Chooses what progress looks at after a notification; PROGRESS_SELECTIVE unless set.
 * @param pe progress engine
 * @param event_mode the mode
 * States: any; not inside a callback of the engine.
 * Threads: one at a time per engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pe is NULL or there is no such mode.
 * - DOCA_ERROR_NOT_PERMITTED: called inside a callback; call it outside progress.
 * Since 2.7. Source: DOCA Core guide, progress engine and tasks.
 */
DOCA_STABLE doca_error_t doca_pe_set_event_mode(struct doca_pe *pe,
						enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif
