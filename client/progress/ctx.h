/*
 * Context: the common part of every doca_ctx. The object of a library (dma, comch, ...) embeds
 * struct doca_ctx first and supplies ctx_ops. A context with external events has a poll hook, which
 * is called while `polled` is set. client/progress/task.h has the tasks of a context.
 *
 * State: IDLE -> (STARTING ->) RUNNING -> STOPPING -> IDLE. A context leaves STOPPING when all its
 * tasks are freed and ops->stopped() returns true. That happens in doca_pe_progress(), or in
 * doca_ctx_stop() outside callbacks. Threads: those of the progress engine.
 */
#ifndef CLIENT_PROGRESS_CTX_H
#define CLIENT_PROGRESS_CTX_H

#include <doca_ctx.h>

#include "client/base/counters.h"
#include "client/base/generation.h"
#include "client/base/lenient.h"
#include "client/device/dev.h"
#include "client/progress/pe.h"
#include "util/list.h"

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
void ctx_request_transition(struct doca_ctx *ctx);
/* Publishes the context's counters now, rather than when it is connected. */
void ctx_open_counters(struct doca_ctx *ctx);
/* ctx_sample() is called for one submitted task in sample_mask + 1; ctx_sampled() when such a task
 * completes, if it was timed. */
void ctx_sample(struct doca_ctx *ctx, struct doca_task *task);
void ctx_sampled(struct doca_ctx *ctx);
/* For configuring calls: returns SUCCESS in IDLE, otherwise `code` with an error sentence that
 * names `what`. */
doca_error_t ctx_check_idle(const struct doca_ctx *ctx, doca_error_t code, const char *what);
/* Returns BAD_STATE with an error sentence that states the context's state and the remedy. */
doca_error_t ctx_not_running(const struct doca_ctx *ctx, const char *what);

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

/* Returns whether ctx_sample() is due for the task with this number. */
static inline bool ctx_is_sampled(const struct doca_ctx *ctx, uint64_t number)
{
	return (number & ctx->sample_mask) == 0;
}

#endif
