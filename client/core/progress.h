/*
 * One step of a progress engine, to be inlined: what doca_pe_progress does, and what calls from
 * within the library do without a call more. Threads: those of the progress engine.
 */
#ifndef CLIENT_CORE_PROGRESS_H
#define CLIENT_CORE_PROGRESS_H

#include "client/core/ctx.h"

/* Pollers get a turn at least this often while the queue never runs dry. */
#define POLL_EVERY 8

/* The less usual cases, in pe.c: the pollers' turn; transitions, and calls from callbacks. */
uint8_t pe_progress_poll(struct doca_pe *pe);
uint8_t pe_progress_attend(struct doca_pe *pe);

static inline void pe_complete(struct doca_pe *pe)
{
	struct doca_task *task = pe->head;
	doca_error_t status;

	pe->head = task->next;
	if (pe->head == NULL)
		pe->tail = &pe->head;
	if (task->done)
		status = task->status;
	else if (likely(task->ctx->state == DOCA_CTX_STATE_RUNNING))
		status = task->pool->execute(task);
	else
		status = DOCA_ERROR_SHUTDOWN;
	/* What was loaded before the call is loaded again: it costs less than keeping it over the
	 * call. */
	task->ctx->n_inflight--;
	task->status = status;
	task->state = TASK_OWNED;
	task->done = 0;
	if (likely(status == DOCA_SUCCESS)) {
		task->pool->ok_cb(task, task->user_data, task->ctx->user_data);
		return;
	}
	if (unlikely(status == DOCA_ERROR_IN_PROGRESS)) {
		/* Its engine has it, and will end it with task_finish. */
		task_hold(task);
		return;
	}
	if (task->pool->fails_ctx && task->ctx->state == DOCA_CTX_STATE_RUNNING)
		ctx_fail(task->ctx);
	task->pool->err_cb(task, task->user_data, task->ctx->user_data);
}

static inline __attribute__((always_inline)) uint8_t pe_progress_one(struct doca_pe *pe)
{
	uint32_t flags = pe->flags;

	if (unlikely(flags & (PE_IN_PROGRESS | PE_ATTENTION)))
		return pe_progress_attend(pe);
	if (pe->head != NULL && (likely(flags == 0) || ++pe->turn % POLL_EVERY != 0)) {
		pe->flags = flags | PE_IN_PROGRESS;
		pe_complete(pe);
		pe->flags &= ~PE_IN_PROGRESS;
		return 1;
	}
	return flags == 0 ? 0 : pe_progress_poll(pe);
}

#endif
