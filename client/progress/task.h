/*
 * Tasks, and pools of tasks. A type of task is a struct task_pool in the object of its library: it
 * says how such a task is checked, submitted and executed, and has a fixed array of tasks that is
 * allocated at configuration, so that nothing is allocated after the start. A submitted task is
 * appended to the queue of its progress engine, which calls pool->execute. If a task executes at
 * submission, its pool sets `submit`.
 *
 * To add a type: define a struct that begins with struct doca_task, add a pool to the library's
 * object, and call task_pool_init() when the program configures it; client/sha is a short example;
 * its sha.h says what its files hold. Threads: those of the progress engine.
 */
#ifndef CLIENT_PROGRESS_TASK_H
#define CLIENT_PROGRESS_TASK_H

#include <doca_pe.h>

#include "client/progress/ctx.h"

struct task_pool;

enum task_state {
	TASK_FREE = 0,      /* in the pool */
	TASK_OWNED = 1,     /* owned by the application */
	TASK_SUBMITTED = 2, /* owned by the library */
};

enum task_done {
	TASK_DONE = 1,  /* executed already, at submission or in a batch; status has the result */
	TASK_TIMED = 2, /* its duration is being measured */
};

struct doca_task {
	struct doca_task *next; /* in a queue or a free list */
	struct doca_ctx *ctx;
	/* Only its members are significant, not its address: in a graph it is a copy with other
	 * callbacks. */
	const struct task_pool *pool;
	union doca_data user_data;
	union {
		struct {
			doca_error_t status;
			uint8_t state;
			uint8_t done; /* bits of enum task_done */
			uint16_t reserved;
		};
		uint64_t outcome; /* the three members above as one word, see task_outcome() */
	};
};
_Static_assert(sizeof(struct doca_task) + 2 * sizeof(void *) <= 64,
	       "with two words of its engine it is one cache line");

struct task_pool {
	doca_task_completion_cb_t ok_cb;
	doca_task_completion_cb_t err_cb;
	/*
	 * Executes a task that is not done, from doca_pe_progress(). The result selects the
	 * callback. With IN_PROGRESS the engine holds the task and ends it later by task_finish().
	 */
	doca_error_t (*execute)(struct doca_task *task);
	/* NULL: the task is queued. Otherwise the engine's own function, which must call
	 * task_queue() or hold the task if it returns SUCCESS. */
	doca_error_t (*submit)(struct doca_task *task, uint32_t flags);
	/*
	 * Checks the task itself for doca_task_try_submit(); returns INVALID_VALUE with an error
	 * sentence. A state, such as a connection that has ended, is no fault of the task and is
	 * reported by submit. NULL: a task cannot be invalid.
	 */
	doca_error_t (*validate)(const struct doca_task *task);
	bool fails_ctx; /* a failed task stops the context, as an error of a hardware queue does */
	struct doca_task *free;
	void *memory;
	size_t stride;
	uint32_t n_tasks;
	struct task_pool *self; /* the pool itself; in a copy, the pool that was copied */
	/* A copy for tasks that were freed while submitted; NULL until the first one. */
	struct task_pool *freed_early;
};

/* Allocates an array of n zeroed tasks of `stride` bytes, each with a struct doca_task first, and
 * frees an earlier array. Returns 0 or -ENOMEM. */
int task_pool_init(struct task_pool *pool, struct doca_ctx *ctx, uint32_t n, size_t stride);
void task_pool_deinit(struct task_pool *pool);

/* Takes a task. Returns NULL if the pool is empty or the context is not RUNNING; the caller reports
 * the error. */
static inline struct doca_task *task_pool_get(struct task_pool *pool, union doca_data user_data)
{
	struct doca_task *task = pool->free;

	if (unlikely(task == NULL || task->ctx->state != DOCA_CTX_STATE_RUNNING))
		return NULL;
	pool->free = task->next;
	task->user_data = user_data;
	task->state = TASK_OWNED;
	task->ctx->n_allocated++;
	return task;
}

/* Returns a task that the application owns to its pool. */
static inline void task_put(struct doca_task *task)
{
	/* The cast is safe: pools belong to engines and are writable; a task sees its pool as
	 * const. */
	struct task_pool *pool = (struct task_pool *)task->pool;
	struct doca_ctx *ctx = task->ctx;

	task->state = TASK_FREE;
	task->done = 0;
	task->next = pool->free;
	pool->free = task;
	if (unlikely(--ctx->n_allocated == 0 && ctx->state == DOCA_CTX_STATE_STOPPING))
		ctx_request_transition(ctx);
}

/* Handles a queued task that must be sampled or for which the user must be woken. */
void task_queued_slow(struct doca_task *task);

static inline uint64_t task_outcome(doca_error_t status, enum task_state state, uint8_t done)
{
	const struct doca_task task = {.status = status, .state = (uint8_t)state, .done = done};

	return task.outcome;
}

/* Marks a task that was executed at submission and is about to be queued. One store. */
static inline void task_mark_done(struct doca_task *task, doca_error_t status)
{
	task->outcome = task_outcome(status, TASK_SUBMITTED, TASK_DONE);
}

/* Queues a marked task when no earlier task must be flushed and the user is not asleep. The caller
 * counts the task and samples it. */
static inline void task_queue_in(struct doca_task *task, struct doca_pe *pe)
{
	task->next = NULL;
	*pe->tail = task;
	pe->tail = &task->next;
}

/* Appends a task to its PE's queue, or without FLUSH to the context's deferred list. Rare work
 * comes last and in one call, so that callers need no stack for it. */
static inline void task_queue(struct doca_task *task, uint32_t flags)
{
	struct doca_ctx *ctx = task->ctx;
	struct doca_pe *pe = ctx->pe;
	bool is_sampled = ctx_count_submitted(ctx);

	task->state = TASK_SUBMITTED;
	task->next = NULL;
	if (unlikely(!(flags & DOCA_TASK_SUBMIT_FLAG_FLUSH))) {
		*ctx->deferred_tail = task;
		ctx->deferred_tail = &task->next;
		if (is_sampled)
			ctx_sample(ctx, task);
		return;
	}
	if (unlikely(ctx->deferred_head != NULL)) {
		*pe->tail = ctx->deferred_head;
		pe->tail = ctx->deferred_tail;
		ctx->deferred_head = NULL;
		ctx->deferred_tail = &ctx->deferred_head;
	}
	*pe->tail = task;
	pe->tail = &task->next;
	if (unlikely(is_sampled | pe->armed))
		task_queued_slow(task);
}

/*
 * task_pool_get() and task_queue() in one, for a running context that never defers and that the
 * caller passes: no load of the task's context is needed. Returns NULL if the pool is empty. The
 * caller fills the part behind struct doca_task before anything else is done with the PE. The task
 * counts as in flight but not as allocated; its callbacks end with task_pool_return().
 */
static inline struct doca_task *task_pool_queue(struct task_pool *pool, struct doca_ctx *ctx,
						struct doca_pe *pe, union doca_data user_data)
{
	struct doca_task *task = pool->free;

	if (unlikely(task == NULL))
		return NULL;
	pool->free = task->next;
	task->user_data = user_data;
	task->state = TASK_SUBMITTED;
	task->next = NULL;
	*pe->tail = task;
	pe->tail = &task->next;
	if (unlikely(ctx_count_submitted(ctx) | pe->armed))
		task_queued_slow(task);
	return task;
}

static inline void task_pool_return(struct doca_task *task)
{
	struct task_pool *pool = (struct task_pool *)task->pool;

	task->state = TASK_FREE;
	task->next = pool->free;
	pool->free = task;
}

/*
 * Holds a task beyond its submission, such as a posted receive or a wait: pool->submit ends with
 * task_hold() instead of task_queue(). Later the engine's poll hook ends the task by task_finish(),
 * which calls the application. The context must not be used afterwards unless pe->polling still
 * refers to it. Outside poll, and for tasks that remain when the context stops, task_release()
 * passes the task to the progress engine, which calls the application in turn.
 */
static inline void task_hold(struct doca_task *task)
{
	task->state = TASK_SUBMITTED;
	if (unlikely(ctx_count_submitted(task->ctx)))
		ctx_sample(task->ctx, task);
}

/* task_hold() for a task of a known context, for callers that number their tasks and sample them by
 * themselves. */
static inline void task_hold_in(struct doca_task *task, const struct doca_ctx *ctx)
{
	task->state = TASK_SUBMITTED;
	counters_add(&ctx->line->submitted, 1);
}

/* task_finish() for a task of a known context that succeeded and is not timed. */
static inline void task_finish_ok(struct doca_task *task, const struct doca_ctx *ctx)
{
	ctx_count_completed(ctx);
	task->outcome = task_outcome(DOCA_SUCCESS, TASK_OWNED, 0);
	task->pool->ok_cb(task, task->user_data, ctx->user_data);
}

static inline void task_finish(struct doca_task *task, doca_error_t status)
{
	struct doca_ctx *ctx = task->ctx;

	ctx_count_completed(ctx);
	task->status = status;
	task->state = TASK_OWNED;
	if (unlikely(task->done)) {
		task->done = 0;
		ctx_sampled(ctx);
	}
	if (likely(status == DOCA_SUCCESS)) {
		task->pool->ok_cb(task, task->user_data, ctx->user_data);
		return;
	}
	counters_add(&ctx->line->errors, 1);
	if (task->pool->fails_ctx && ctx->state == DOCA_CTX_STATE_RUNNING)
		ctx_fail(ctx);
	task->pool->err_cb(task, task->user_data, ctx->user_data);
}

static inline void task_release(struct doca_task *task, doca_error_t status)
{
	struct doca_pe *pe = task->ctx->pe;

	task->done |= TASK_DONE;
	task->status = status;
	task->next = NULL;
	*pe->tail = task;
	pe->tail = &task->next;
	if (unlikely(pe->armed))
		pe_wake(pe);
}

#endif
