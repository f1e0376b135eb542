/*
 * Context, progress engine and tasks: the one way in which work is submitted, runs and completes.
 *
 * An engine (dma, comch, ...) embeds struct doca_ctx first in its object and gives ctx_ops. Its
 * task kinds are pools: fixed arrays made at configuration, so that nothing is allocated after
 * start. A submitted task is linked into its progress engine's queue; each doca_pe_progress takes
 * one task off, lets the engine execute it (pool->execute), and calls the application back. Engines
 * whose tasks are done at submission set pool->submit. Contexts with outside events have a poll
 * hook, called while `polled` is set.
 *
 * State: IDLE -> (STARTING ->) RUNNING -> STOPPING -> IDLE. A context leaves STOPPING when all its
 * tasks were freed and ops->stopped says so; that happens in doca_pe_progress, or in doca_ctx_stop
 * outside callbacks. Threads: a progress engine and all that is connected to it belong to one
 * thread at a time.
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
	TASK_OWNED = 1,     /* the application's */
	TASK_SUBMITTED = 2, /* ours */
};

enum task_done {
	TASK_DONE = 1,  /* executed already, at submission or in a batch; status has the result */
	TASK_TIMED = 2, /* its context waits for it to see how long it takes */
};

struct doca_task {
	struct doca_task *next; /* queue or free list */
	struct doca_ctx *ctx;
	/* Its hooks count, not its address: in a graph it is a copy with other callbacks. */
	const struct task_pool *pool;
	union doca_data user_data;
	union {
		struct {
			doca_error_t status;
			uint8_t state;
			uint8_t done; /* enum task_done */
			uint16_t reserved;
		};
		uint64_t outcome; /* all of it at once, see task_outcome() */
	};
};
_Static_assert(sizeof(struct doca_task) + 2 * sizeof(void *) <= 64,
	       "with two words of its engine it is one cache line");

struct task_pool {
	doca_task_completion_cb_t ok_cb;
	doca_task_completion_cb_t err_cb;
	/* Does the work of a task that is not done, from doca_pe_progress; the result picks the
	 * callback. IN_PROGRESS: the engine holds the task, and ends it later with task_finish. */
	doca_error_t (*execute)(struct doca_task *task);
	/* NULL: queue it. Otherwise the engine's own; must end in task_queue() when it returns
	 * SUCCESS. */
	doca_error_t (*submit)(struct doca_task *task, uint32_t flags);
	/*
	 * doca_task_try_submit's checks of what is wrong with the task itself: INVALID_VALUE with a
	 * sentence. A state, a connection that has ended for one, is no such fault; submit says it.
	 * NULL: nothing can be wrong with it.
	 */
	doca_error_t (*validate)(const struct doca_task *task);
	bool fails_ctx; /* an execution error stops the context, as a hardware queue does */
	struct doca_task *free;
	void *memory;
	size_t stride;
	uint32_t n_tasks;
	struct task_pool *self; /* of copies as well: the pool that they are of */
	/* Copy for tasks that were freed while submitted, or NULL: there was none yet. */
	struct task_pool *leaving;
};

struct ctx_ops {
	const char *name;
	enum counters_kind counted_as;
	/* SUCCESS: running; IN_PROGRESS: starting; else the start failed and the context is IDLE.
	 */
	doca_error_t (*start)(struct doca_ctx *ctx);
	/* Begins to stop. What is asynchronous is finished by poll; stopped() tells when. */
	void (*stop)(struct doca_ctx *ctx);
	bool (*stopped)(const struct doca_ctx *ctx);
	/* Left STOPPING: give back what start took. Called before the state callback. */
	void (*release)(struct doca_ctx *ctx);
	/* One event at most; returns 1 if something moved. The context may be destroyed in its
	 * callbacks. */
	uint8_t (*poll)(struct doca_ctx *ctx);
	/* The PE's user is about to sleep: make outside events ring the PE. True if one is there
	 * already; then nothing need be armed. Not called when somebody else had something. */
	bool (*arm)(struct doca_ctx *ctx);
	void (*disarm)(struct doca_ctx *ctx);
};

/*
 * What a context of the work-queue generations has besides. It is never connected to a progress
 * engine itself; contexts of its own, one per work queue, do its work.
 */
struct ctx_legacy {
	uint16_t api; /* version that made it, see client/base/generation.h */
	/* Called before anything else when the object is destroyed: gives all back, or refuses with
	 * a sentence. */
	doca_error_t (*destroy)(struct doca_ctx *ctx);
};

struct doca_ctx {
	const struct ctx_ops *ops;
	struct doca_pe *pe;
	/* Tasks submitted and called back, and what they moved. */
	struct counters_line *line;
	enum doca_ctx_states state;
	uint32_t n_allocated; /* not freed, in flight or not */
	uint32_t sample_mask; /* looks at the tasks whose number has none of these bits */
	bool polled;
	bool fatal;                      /* a task failed: the context stops by itself */
	bool is_timed;                   /* a task with TASK_TIMED is in flight */
	struct doca_task *deferred_head; /* submitted without FLUSH */
	struct doca_task **deferred_tail;
	union doca_data user_data;
	doca_ctx_state_changed_callback_t state_cb;
	struct doca_dev *dev;
	struct list pe_node;
	struct list poll_node;
	struct list transition_node;  /* in pe->transitions while a state change is due */
	struct ctx_legacy *legacy;    /* NULL: of the generation of progress engines */
	uint64_t looked_ns, timed_ns; /* last sample, and last that is timed */
	struct counters counters;
	struct lenient rules;   /* that the program broke, numbered by enum ctx_rule */
	uint32_t n_freed_early; /* tasks that were freed while submitted, since the start */
};

enum ctx_rule {
	CTX_RULE_FREE_SUBMITTED, /* a task is not freed while it is submitted */
};

static inline uint32_t ctx_n_inflight(const struct doca_ctx *ctx)
{
	return (uint32_t)(counters_get(&ctx->line->submitted) -
			  counters_get(&ctx->line->completed));
}

/* All zero in the usual progress call: one test tells that only the queue is to be looked at. */
#define PE_IN_PROGRESS 1u /* a callback may be running */
#define PE_ATTENTION   2u /* transitions is not empty */
#define PE_POLLERS     4u /* pollers is not empty */
#define PE_FOREIGN     8u /* a forked child's copy: nothing is done here */
/* Above them, progress calls that found something are counted: that costs no store more. */
#define PE_FLAGS    0xffu
#define PE_BUSY_ONE 0x100u
/* None of these: as many calls were counted as are told together, or as make it the pollers' turn.
 */
#define PE_BUSY_TELL 0x3f00u
#define PE_BUSY_TURN 0x0700u

struct doca_pe {
	struct doca_task *head; /* queue of submitted tasks */
	struct doca_task **tail;
	bool armed;     /* the user may be asleep: submissions ring */
	bool rung;      /* event_fd was rung and not cleared since */
	bool cleared;   /* the handle was emptied since the last request */
	bool listening; /* the last request went to the pollers */
	uint64_t flags; /* PE_* */
	struct counters_line *line;
	struct list pollers;
	struct list transitions;
	struct list ctxs;
	enum doca_pe_event_mode event_mode;
	int epoll_fd; /* the notification handle */
	int event_fd;
	pid_t pid;                /* that made it */
	struct doca_ctx *polling; /* whose poll hook runs; NULLed when it is destroyed meanwhile */
	struct counters counters;
	struct list node; /* all of the process */
};

/* Makes the calls so far seen that found something. */
static inline void pe_count_busy(const struct doca_pe *pe)
{
	counters_set(&pe->line->busy, pe->flags / PE_BUSY_ONE);
}

/* --- for engines --- */

/* dev, which may be NULL, is held until ctx_deinit. */
void ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops, struct doca_dev *dev);
/* SUCCESS after disconnecting from the PE; IN_USE (with sentence) unless IDLE. */
doca_error_t ctx_deinit(struct doca_ctx *ctx);
/* Changes state and calls the application. The context may be gone afterwards. */
void ctx_set_state(struct doca_ctx *ctx, enum doca_ctx_states next);
/* Asks for poll while RUNNING, STARTING or STOPPING. */
void ctx_set_polled(struct doca_ctx *ctx, bool polled);
/* From poll: STARTING -> RUNNING. From poll or execute: something broke or the peer left ->
 * STOPPING. */
void ctx_started(struct doca_ctx *ctx);
void ctx_fail(struct doca_ctx *ctx);
/* What doca_pe_connect_ctx, doca_ctx_start and doca_ctx_stop do after checking their arguments. */
void ctx_connect(struct doca_ctx *ctx, struct doca_pe *pe);
doca_error_t ctx_start(struct doca_ctx *ctx);
doca_error_t ctx_stop(struct doca_ctx *ctx);
/* Has a due transition looked at in the next progress. */
void ctx_kick(struct doca_ctx *ctx);
/* Has its counters seen from now on, not only once it is connected. */
void ctx_open_counters(struct doca_ctx *ctx);
/* One task in sample_mask + 1 comes here when it is submitted, and when it is called back if it was
 * timed. */
void ctx_sample(struct doca_ctx *ctx, struct doca_task *task);
void ctx_sampled(struct doca_ctx *ctx);
/* A task was queued that is to be looked at, or for which somebody is to be woken. */
void task_attend(struct doca_task *task);
/* Guard for configuration calls: SUCCESS in IDLE, else code with a sentence that names what. */
doca_error_t ctx_check_idle(const struct doca_ctx *ctx, doca_error_t code, const char *what);
/* BAD_STATE with a sentence, for one that does not run: what it is instead, and what to do. */
doca_error_t ctx_not_running(const struct doca_ctx *ctx, const char *what);

/* A progress engine; errors come with a sentence. Destroying one in use is refused. */
doca_error_t pe_new(struct doca_pe **pe_out);
doca_error_t pe_delete(struct doca_pe *pe);
/* SUCCESS, or NOT_CONNECTED with a sentence that names what, in a forked child's copy. Without a
 * system call. */
doca_error_t pe_check_process(const struct doca_pe *pe, const char *what);
/* The public functions of these names, for calls from within the library. */
uint8_t pe_progress(struct doca_pe *pe);
doca_error_t pe_request_notification(struct doca_pe *pe);
doca_error_t pe_clear_notification(struct doca_pe *pe);

/* Rings of an engine wake the PE's user: every fd is an eventfd that becomes readable. 0 or -errno.
 */
int pe_add_eventfd(struct doca_pe *pe, int fd);
/*
 * The same for a descriptor that other processes have, too, or that stays readable for good: it
 * wakes the PE once each time something happens to it, and is never read. A read can block: whoever
 * shares the descriptor can take O_NONBLOCK away from it.
 */
int pe_add_shared_fd(struct doca_pe *pe, int fd);
/* The same, for who wants to know which one it was: rang runs in request or clear, when the bell
 * was taken back, and may not add or remove any. */
struct pe_bell {
	int fd;
	void (*rang)(struct pe_bell *bell);
};
int pe_add_bell(struct doca_pe *pe, struct pe_bell *bell);
/* Rings when the other end of the connection fd goes, once. It is no more watched when it is
 * closed. */
int pe_add_end(struct doca_pe *pe, int fd, struct pe_bell *bell);
/* When a bell of another process is taken: makes what ringing it needs. */
void pe_ready_bells(void);
void pe_remove_eventfd(struct doca_pe *pe, int fd);
/* Who sleeps wakes then, by CLOCK_MONOTONIC: by a timer that is made when it is first set; -1: it
 * is not there yet. False: it cannot be had. */
bool pe_set_timer(struct doca_pe *pe, int *timer_fd, uint64_t at_ns);
/* May be called twice. */
void pe_close_timer(struct doca_pe *pe, int *timer_fd);
void pe_ring(struct doca_pe *pe);
/* False in a child after fork: it has a copy, but the epoll set and all shared memory are its
 * parent's, which goes on with them. */
bool pe_is_ours(const struct doca_pe *pe);
/* Takes every bell back; who armed any arms it again. SUCCESS, or OPERATING_SYSTEM. */
doca_error_t pe_drain(struct doca_pe *pe);
/* After a change of pollers or transitions. */
void pe_update_flags(struct doca_pe *pe);

/* Array of n tasks of stride bytes (struct doca_task first), zeroed. 0 or -ENOMEM. Frees an earlier
 * one. */
int task_pool_init(struct task_pool *pool, struct doca_ctx *ctx, uint32_t n, size_t stride);
void task_pool_deinit(struct task_pool *pool);

/* NULL when the pool is empty or the context is not RUNNING; the caller says so. */
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

/* Gives a task that is the application's back to its pool. */
static inline void task_put(struct doca_task *task)
{
	/* Pools are the engine's and writable; the task sees its own as const. */
	struct task_pool *pool = (struct task_pool *)task->pool;
	struct doca_ctx *ctx = task->ctx;

	task->state = TASK_FREE;
	task->done = 0;
	task->next = pool->free;
	pool->free = task;
	if (unlikely(--ctx->n_allocated == 0 && ctx->state == DOCA_CTX_STATE_STOPPING))
		ctx_kick(ctx);
}

/* True: this one is to be looked at. */
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

/* Of a task that is about to be queued: it was executed at submission. One store. */
static inline void task_mark_done(struct doca_task *task, doca_error_t status)
{
	task->outcome = task_outcome(status, TASK_SUBMITTED, TASK_DONE);
}

/* task_queue of a marked task, with nothing to be flushed before it and nobody asleep, for who
 * counts it and sees to samples by itself. */
static inline void task_queue_in(struct doca_task *task, struct doca_pe *pe)
{
	task->next = NULL;
	*pe->tail = task;
	pe->tail = &task->next;
}

/* Links a task into its PE's queue (or the context's deferred list without FLUSH). What is rare
 * comes last and in one call, so that callers need no stack for it. */
static inline void task_queue(struct doca_task *task, uint32_t flags)
{
	struct doca_ctx *ctx = task->ctx;
	struct doca_pe *pe = ctx->pe;
	bool is_looked_at = ctx_count_submitted(ctx);

	task->state = TASK_SUBMITTED;
	task->next = NULL;
	if (unlikely(!(flags & DOCA_TASK_SUBMIT_FLAG_FLUSH))) {
		*ctx->deferred_tail = task;
		ctx->deferred_tail = &task->next;
		if (is_looked_at)
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
	if (unlikely(is_looked_at | pe->armed))
		task_attend(task);
}

/*
 * task_pool_get and task_queue in one, for a context that runs, never defers, and is known to the
 * caller: nothing waits for what the task says of its context. NULL when the pool is empty. The
 * caller fills the task behind struct doca_task before anything else happens to the PE. The task
 * does not count as allocated, only as in flight; its callbacks end with task_pool_return.
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
		task_attend(task);
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
 * A task that its engine keeps beyond submission (a receive that is posted, a wait): pool->submit
 * ends in task_hold instead of task_queue. Later the engine's poll hook ends it with task_finish,
 * which calls the application back: nothing of the context may be touched afterwards unless
 * pe->polling still names it. Outside poll, and for what is left when the context stops,
 * task_release hands it to the progress engine, which calls back in its turn.
 */
static inline void task_hold(struct doca_task *task)
{
	task->state = TASK_SUBMITTED;
	if (unlikely(ctx_count_submitted(task->ctx)))
		ctx_sample(task->ctx, task);
}

/* task_hold of a task of this context, for who numbers its tasks and sees to samples by itself. */
static inline void task_hold_in(struct doca_task *task, const struct doca_ctx *ctx)
{
	task->state = TASK_SUBMITTED;
	counters_add(&ctx->line->submitted, 1);
}

/* True: ctx_sample is due for the task of this number. */
static inline bool ctx_hold_is_sampled(const struct doca_ctx *ctx, uint64_t number)
{
	return (number & ctx->sample_mask) == 0;
}

/* task_finish of a task of this context that succeeded and is not timed. */
static inline void task_finish_usual(struct doca_task *task, const struct doca_ctx *ctx)
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
