/*
 * Context, progress engine and tasks: the common implementation of submission, execution and
 * completion of work.
 *
 * An engine (dma, comch, ...) embeds struct doca_ctx first in its object and supplies ctx_ops. Its
 * kinds of tasks are pools: fixed arrays allocated at configuration, so that nothing is allocated
 * after the start. A submitted task is appended to its progress engine's queue. Each
 * doca_pe_progress() takes one task from the queue, lets the engine execute it (pool->execute) and
 * calls the application back. Engines whose tasks execute at submission set pool->submit. Contexts
 * with external events have a poll hook, which is called while `polled` is set.
 *
 * State: IDLE -> (STARTING ->) RUNNING -> STOPPING -> IDLE. A context leaves STOPPING when all its
 * tasks are freed and ops->stopped() returns true. That happens in doca_pe_progress(), or in
 * doca_ctx_stop() outside callbacks. Threads: a progress engine and everything connected to it
 * belong to one thread at a time.
 */
#ifndef CLIENT_PROGRESS_CTX_H
#define CLIENT_PROGRESS_CTX_H

#include <doca_ctx.h>
#include <doca_pe.h>
#include <sys/types.h>

#include "client/base/counters.h"
#include "client/base/generation.h"
#include "client/base/lenient.h"
#include "client/device/dev.h"
#include "util/list.h"

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

struct ctx_ops {
	const char *name;
	enum counters_kind counted_as;
	/* Returns SUCCESS if the context is running or IN_PROGRESS if it is starting. Otherwise the
	 * start failed and the context is IDLE. */
	doca_error_t (*start)(struct doca_ctx *ctx);
	/* Begins to stop. poll completes what is asynchronous; stopped() returns whether it is
	 * complete. */
	void (*stop)(struct doca_ctx *ctx);
	bool (*stopped)(const struct doca_ctx *ctx);
	/* Releases what start has allocated, when the context leaves STOPPING. Called before the
	 * state callback. */
	void (*release)(struct doca_ctx *ctx);
	/* Handles at most one event; returns 1 if there was one. A callback may destroy the
	 * context. */
	uint8_t (*poll)(struct doca_ctx *ctx);
	/*
	 * Called before the PE's user sleeps: makes external events ring the PE. Returns true if
	 * there is an event already; then nothing need be armed. Not called once another context
	 * has returned true.
	 */
	bool (*arm)(struct doca_ctx *ctx);
	void (*disarm)(struct doca_ctx *ctx);
};

/* The additional part of a context of the generations of work queues. Such a context is never
 * connected to a progress engine; internal contexts, one per work queue, do its work. */
struct ctx_legacy {
	uint16_t api; /* the version that created it, see client/base/generation.h */
	/* Called first when the object is destroyed: frees everything, or refuses with an error
	 * sentence. */
	doca_error_t (*destroy)(struct doca_ctx *ctx);
};

struct doca_ctx {
	const struct ctx_ops *ops;
	struct doca_pe *pe;
	/* Counters of tasks submitted and completed, and of the data moved. */
	struct counters_line *line;
	enum doca_ctx_states state;
	uint32_t n_allocated; /* tasks that are not freed, whether in flight or not */
	uint32_t sample_mask; /* a task is sampled if its number has none of these bits */
	bool polled;
	bool fatal;                      /* a task failed; the context stops by itself */
	bool is_timed;                   /* a task with TASK_TIMED is in flight */
	struct doca_task *deferred_head; /* tasks submitted without FLUSH */
	struct doca_task **deferred_tail;
	union doca_data user_data;
	doca_ctx_state_changed_callback_t state_cb;
	struct doca_dev *dev;
	struct list pe_node;
	struct list poll_node;
	struct list transition_node;   /* in pe->transitions while a state change is due */
	struct ctx_legacy *legacy;     /* NULL for the generation of progress engines */
	uint64_t sampled_ns, timed_ns; /* the times of the last sample, and of the last timed one */
	struct counters counters;
	struct lenient rules;   /* bits of enum ctx_rule that the program has broken */
	uint32_t n_freed_early; /* tasks that were freed while submitted, since the start */
};

enum ctx_rule {
	CTX_RULE_FREE_SUBMITTED, /* a task must not be freed while it is submitted */
};

static inline uint32_t ctx_n_inflight(const struct doca_ctx *ctx)
{
	return (uint32_t)(counters_get(&ctx->line->submitted) -
			  counters_get(&ctx->line->completed));
}

/* Flags of a progress engine. If all are zero, as is usual, only the queue must be checked, which
 * one test decides. */
#define PE_IN_PROGRESS 1u /* a callback may be running */
#define PE_ATTENTION   2u /* transitions is not empty */
#define PE_POLLERS     4u /* pollers is not empty */
#define PE_FOREIGN     8u /* a copy in a forked child: nothing is executed */
/* The upper bits count progress calls that found something, without an additional store. */
#define PE_FLAGS    0xffu
#define PE_BUSY_ONE 0x100u
/* If all of these bits are zero, the counter is published (TELL) or it is the pollers' turn
 * (TURN). */
#define PE_BUSY_PUBLISH 0x3f00u
#define PE_BUSY_POLL    0x0700u

struct doca_pe {
	struct doca_task *head; /* the queue of submitted tasks */
	struct doca_task **tail;
	bool armed;     /* the user may be asleep: a submission must ring */
	bool rung;      /* event_fd was rung and has not been cleared since */
	bool cleared;   /* the handle was cleared since the last request */
	bool listening; /* the last request armed the pollers */
	uint64_t flags; /* PE_* bits and the counter */
	struct counters_line *line;
	struct list pollers;
	struct list transitions;
	struct list ctxs;
	enum doca_pe_event_mode event_mode;
	int epoll_fd; /* the notification handle */
	int event_fd;
	pid_t pid; /* the process that created it */
	/* The context whose poll hook runs; set to NULL if it is destroyed meanwhile. */
	struct doca_ctx *polling;
	struct counters counters;
	struct list node; /* in the list of the process's engines */
};

/* Publishes the number of progress calls that found something. */
static inline void pe_count_busy(const struct doca_pe *pe)
{
	counters_set(&pe->line->busy, pe->flags / PE_BUSY_ONE);
}

/* --- for engines --- */

/* `dev` may be NULL; a reference is held until ctx_deinit(). */
void ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops, struct doca_dev *dev);
/* Disconnects the context from its PE. Returns IN_USE with an error sentence unless it is IDLE. */
doca_error_t ctx_deinit(struct doca_ctx *ctx);
/* Changes the state and calls the application, which may free the context. */
void ctx_set_state(struct doca_ctx *ctx, enum doca_ctx_states next);
/* Enables or disables poll, which is called while RUNNING, STARTING or STOPPING. */
void ctx_set_polled(struct doca_ctx *ctx, bool polled);
/* ctx_started() is called by poll: STARTING -> RUNNING. ctx_fail() is called by poll or execute
 * when something broke or the peer left: -> STOPPING. */
void ctx_started(struct doca_ctx *ctx);
void ctx_fail(struct doca_ctx *ctx);
/* Implement doca_pe_connect_ctx(), doca_ctx_start() and doca_ctx_stop() once their arguments are
 * checked. */
void ctx_connect(struct doca_ctx *ctx, struct doca_pe *pe);
doca_error_t ctx_start(struct doca_ctx *ctx);
doca_error_t ctx_stop(struct doca_ctx *ctx);
/* Makes the next progress check for a due transition. */
void ctx_kick(struct doca_ctx *ctx);
/* Publishes the context's counters now, rather than when it is connected. */
void ctx_open_counters(struct doca_ctx *ctx);
/* ctx_sample() is called for one submitted task in sample_mask + 1; ctx_sampled() when such a task
 * completes, if it was timed. */
void ctx_sample(struct doca_ctx *ctx, struct doca_task *task);
void ctx_sampled(struct doca_ctx *ctx);
/* Handles a queued task that must be sampled or for which the user must be woken. */
void task_queued_slow(struct doca_task *task);
/* For configuring calls: returns SUCCESS in IDLE, otherwise `code` with an error sentence that
 * names `what`. */
doca_error_t ctx_check_idle(const struct doca_ctx *ctx, doca_error_t code, const char *what);
/* Returns BAD_STATE with an error sentence that states the context's state and the remedy. */
doca_error_t ctx_not_running(const struct doca_ctx *ctx, const char *what);

/* Create and delete a progress engine. Errors come with an error sentence. Deleting an engine that
 * is in use is refused. */
doca_error_t pe_new(struct doca_pe **pe_out);
doca_error_t pe_delete(struct doca_pe *pe);
/* Returns NOT_CONNECTED with an error sentence that names `what` in a forked child's copy. Makes no
 * system call. */
doca_error_t pe_check_process(const struct doca_pe *pe, const char *what);
/* The public functions of these names, for calls within the library. */
uint8_t pe_progress(struct doca_pe *pe);
doca_error_t pe_request_notification(struct doca_pe *pe);
doca_error_t pe_clear_notification(struct doca_pe *pe);

/* Adds a descriptor that wakes the PE's user: an eventfd that is read when it becomes readable.
 * Returns 0 or -errno. */
int pe_add_eventfd(struct doca_pe *pe, int fd);
/*
 * Like pe_add_eventfd(), for a descriptor that other processes share or that stays readable. It
 * wakes the PE once per event and is never read: a process that shares the descriptor could remove
 * O_NONBLOCK, and then a read could block.
 */
int pe_add_shared_fd(struct doca_pe *pe, int fd);
/* Like pe_add_eventfd(), with a callback that identifies the descriptor. `on_ring` is called within
 * a request or a clear, when the doorbell was cleared. It must not add or remove any. */
struct pe_doorbell {
	int fd;
	void (*on_ring)(struct pe_doorbell *bell);
};
int pe_add_doorbell(struct doca_pe *pe, struct pe_doorbell *bell);
/* Rings once when the other end of the connection `fd` disappears. Closing the descriptor ends the
 * watch. */
int pe_add_hangup(struct doca_pe *pe, int fd, struct pe_doorbell *bell);
/* Called when a doorbell of another process is adopted: prepares asynchronous I/O, with which
 * ringing never blocks. */
void pe_prepare_doorbells(void);
void pe_remove_eventfd(struct doca_pe *pe, int fd);
/* Sets a timer that wakes a sleeping user, in CLOCK_MONOTONIC time. The timer is created when it is
 * first set; -1 means that there is none yet. Returns false if it cannot be created. */
bool pe_set_timer(struct doca_pe *pe, int *timer_fd, uint64_t at_ns);
/* Idempotent. */
void pe_close_timer(struct doca_pe *pe, int *timer_fd);
void pe_ring(struct doca_pe *pe);
/* Returns false in a forked child. It has a copy, but the epoll set and all shared memory belong to
 * its parent, which continues to use them. */
bool pe_is_own_process(const struct doca_pe *pe);
/* Clears every doorbell; whatever was armed must be armed again. Returns SUCCESS or
 * OPERATING_SYSTEM. */
doca_error_t pe_drain(struct doca_pe *pe);
/* Called after a change of `pollers` or `transitions`. */
void pe_update_flags(struct doca_pe *pe);

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
		ctx_kick(ctx);
}

/* Returns whether the task must be sampled. */
static inline bool ctx_count_submitted(struct doca_ctx *ctx)
{
	return (counters_raise(&ctx->line->submitted, 1) & ctx->sample_mask) == 0;
}

static inline void ctx_count_completed(const struct doca_ctx *ctx)
{
	counters_add(&ctx->line->completed, 1);
}

static inline void ctx_count_bytes(const struct doca_ctx *ctx, uint64_t n)
{
	counters_add(&ctx->line->bytes, n);
}

static inline void ctx_count_wait(const struct doca_ctx *ctx)
{
	counters_add(&ctx->line->waits, 1);
}

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

/* Returns whether ctx_sample() is due for the task with this number. */
static inline bool ctx_is_sampled(const struct doca_ctx *ctx, uint64_t number)
{
	return (number & ctx->sample_mask) == 0;
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
		pe_ring(pe);
}

#endif
