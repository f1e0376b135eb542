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
	uint8_t done = task->done;
	doca_error_t status;

	pe->head = task->next;
	if (pe->head == NULL)
		pe->tail = &pe->head;
	if (done & TASK_DONE)
		status = task->status;
	else if (likely(task->ctx->state == DOCA_CTX_STATE_RUNNING))
		status = task->pool->execute(task);
	else
		status = DOCA_ERROR_SHUTDOWN;
	/* What was loaded before the call is loaded again: it costs less than keeping it over the
	 * call. */
	ctx_count_completed(task->ctx);
	if (unlikely(done & TASK_TIMED) && status != DOCA_ERROR_IN_PROGRESS)
		ctx_sampled(task->ctx);
	task->status = status;
	task->state = TASK_OWNED;
	task->done = 0;
	if (likely(status == DOCA_SUCCESS)) {
		task->pool->ok_cb(task, task->user_data, task->ctx->user_data);
		return;
	}
	if (unlikely(status == DOCA_ERROR_IN_PROGRESS)) {
		/* Its engine has it, and will end it with task_finish: that counts it, and takes
		 * its time. */
		counters_add(&task->ctx->line->completed, (uint64_t)-1);
		task->state = TASK_SUBMITTED;
		task->done = done & TASK_TIMED;
		return;
	}
	counters_add(&task->ctx->line->errors, 1);
	if (task->pool->fails_ctx && task->ctx->state == DOCA_CTX_STATE_RUNNING)
		ctx_fail(task->ctx);
	task->pool->err_cb(task, task->user_data, task->ctx->user_data);
}

static inline __attribute__((always_inline)) uint8_t pe_progress_one(struct doca_pe *pe)
{
	uint64_t flags = pe->flags;

	if (unlikely(flags & (PE_IN_PROGRESS | PE_ATTENTION)))
		return pe_progress_attend(pe);
	if (pe->head != NULL && (likely(!(flags & PE_POLLERS)) || ++pe->turn % POLL_EVERY != 0)) {
		pe->flags = flags + PE_BUSY_ONE + PE_IN_PROGRESS;
		pe_complete(pe);
		pe->flags &= ~(uint64_t)PE_IN_PROGRESS;
		return 1;
	}
	if (flags & PE_POLLERS)
		return pe_progress_poll(pe);
	counters_set(&pe->line->busy, flags / PE_BUSY_ONE);
	counters_add(&pe->line->empty, 1);
	return 0;
}

#endif
