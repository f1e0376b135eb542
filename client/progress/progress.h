/* One step of a progress engine as inline functions: the body of doca_pe_progress(), for use within
 * the library without an additional call. Threads: those of the progress engine. */
#ifndef CLIENT_PROGRESS_PROGRESS_H
#define CLIENT_PROGRESS_PROGRESS_H

#include "client/progress/task.h"

/* The less frequent cases, in client/progress/pe.c: an engine with pollers; transitions, calls from
 * callbacks and from forked children. */
uint8_t pe_progress_polled(struct doca_pe *pe, uint64_t flags);
uint8_t pe_progress_slow(struct doca_pe *pe);

/* Handles a task whose execution did not succeed: it failed, or its engine holds it. */
void pe_complete_slow(struct doca_task *task, doca_error_t status);

/* Returns a completed task to the application. */
static inline void pe_return_task(struct doca_task *task)
{
	const struct doca_ctx *ctx = task->ctx;

	ctx_count_completed(ctx);
	task->outcome = task_outcome(DOCA_SUCCESS, TASK_OWNED, 0);
	task->pool->ok_cb(task, task->user_data, ctx->user_data);
}

/* Returns whether the task was executed at submission, without an error, and is not timed; one
 * comparison. */
static inline bool task_has_succeeded(const struct doca_task *task)
{
	return task->outcome == task_outcome(DOCA_SUCCESS, TASK_SUBMITTED, TASK_DONE);
}

/* Takes the first task from the queue. */
static inline void pe_dequeue(struct doca_pe *pe, const struct doca_task *task)
{
	pe->head = task->next;
	if (pe->head == NULL)
		pe->tail = &pe->head;
}

static inline void pe_complete(struct doca_pe *pe)
{
	struct doca_task *task = pe->head;
	doca_error_t status;

	pe_dequeue(pe, task);
	if (task->done & TASK_DONE)
		status = task->status;
	else if (likely(task->ctx->state == DOCA_CTX_STATE_RUNNING))
		status = task->pool->execute(task);
	else
		status = DOCA_ERROR_SHUTDOWN;
	if (unlikely(status != DOCA_SUCCESS)) {
		pe_complete_slow(task, status);
		return;
	}
	if (unlikely(task->done & TASK_TIMED))
		ctx_sampled(task->ctx);
	pe_return_task(task);
}

static inline __attribute__((always_inline)) uint8_t pe_run_queue(struct doca_pe *pe)
{
	pe->flags |= PE_IN_PROGRESS;
	pe_complete(pe);
	pe->flags += PE_BUSY_ONE - PE_IN_PROGRESS;
	return 1;
}

/* run: pe_run_queue(), or a function with the same effect. */
static inline __attribute__((always_inline)) uint8_t pe_progress_by(
	struct doca_pe *pe, uint8_t (*run)(struct doca_pe *pe))
{
	uint64_t flags = pe->flags;

	if (unlikely(flags & (PE_IN_PROGRESS | PE_ATTENTION | PE_FOREIGN)))
		return pe_progress_slow(pe);
	if (flags & PE_POLLERS)
		return pe_progress_polled(pe, flags);
	if (pe->head != NULL)
		return run(pe);
	counters_set(&pe->line->busy, flags / PE_BUSY_ONE);
	counters_add(&pe->line->empty, 1);
	return 0;
}

#endif
