/*
 * One step of a progress engine, to be inlined: what doca_pe_progress does, and what calls from
 * within the library do without a call more. Threads: those of the progress engine.
 */
#ifndef CLIENT_CORE_PROGRESS_H
#define CLIENT_CORE_PROGRESS_H

#include "client/core/ctx.h"

/* Pollers get a turn at least this often while the queue never runs dry. */
#define POLL_EVERY 8

/* The less usual cases, in pe.c: the pollers' turn; transitions, calls from callbacks and from
 * forked children. */
uint8_t pe_progress_poll(struct doca_pe *pe);
uint8_t pe_progress_attend(struct doca_pe *pe);

/* A task whose execution did not succeed: it failed, or its engine goes on with it. */
void pe_complete_otherwise(struct doca_task *task, doca_error_t status);

static inline void pe_complete(struct doca_pe *pe)
{
	struct doca_task *task = pe->head;
	doca_error_t status;

	pe->head = task->next;
	if (pe->head == NULL)
		pe->tail = &pe->head;
	if (task->done & TASK_DONE)
		status = task->status;
	else if (likely(task->ctx->state == DOCA_CTX_STATE_RUNNING))
		status = task->pool->execute(task);
	else
		status = DOCA_ERROR_SHUTDOWN;
	if (unlikely(status != DOCA_SUCCESS)) {
		pe_complete_otherwise(task, status);
		return;
	}
	/* What was loaded before the call is loaded again: it costs less than keeping it over the
	 * call. */
	ctx_count_completed(task->ctx);
	if (unlikely(task->done & TASK_TIMED))
		ctx_sampled(task->ctx);
	task->status = DOCA_SUCCESS;
	task->state = TASK_OWNED;
	task->done = 0;
	task->pool->ok_cb(task, task->user_data, task->ctx->user_data);
}

static inline __attribute__((always_inline)) uint8_t pe_progress_one(struct doca_pe *pe)
{
	uint64_t flags = pe->flags;

	if (unlikely(flags & (PE_IN_PROGRESS | PE_ATTENTION | PE_FOREIGN)))
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
