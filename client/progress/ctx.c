/* Context: the state machine that all contexts share. See client/progress/ctx.h for its rules.
 * Threads: a context belongs to the thread of its progress engine. */
#include "client/progress/ctx.h"

#include <doca_ctx.h>

#include "client/base/error.h"
#include "client/progress/task.h"
#include "util/clock.h"
#include "util/str.h"

static const char *state_name(enum doca_ctx_states state)
{
	switch (state) {
	case DOCA_CTX_STATE_IDLE:
		return "idle";
	case DOCA_CTX_STATE_STARTING:
		return "starting";
	case DOCA_CTX_STATE_RUNNING:
		return "running";
	case DOCA_CTX_STATE_STOPPING:
		return "stopping";
	}
	return "unknown";
}

void ctx_init(struct doca_ctx *ctx, const struct ctx_ops *ops, struct doca_dev *dev)
{
	ctx->ops = ops;
	ctx->dev = dev;
	ctx->state = DOCA_CTX_STATE_IDLE;
	ctx->deferred_tail = &ctx->deferred_head;
	counters_init(&ctx->counters);
	ctx->line = ctx->counters.line;
	list_init(&ctx->pe_node);
	list_init(&ctx->poll_node);
	list_init(&ctx->transition_node);
	if (dev != NULL)
		dev_hold(dev);
}

doca_error_t ctx_deinit(struct doca_ctx *ctx)
{
	doca_error_t result;

	if (ctx->legacy != NULL) {
		result = ctx->legacy->destroy(ctx);
		if (result != DOCA_SUCCESS)
			return result;
	}
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return error_set(
			DOCA_ERROR_IN_USE,
			"%s destroy: the context is %s; stop it and progress until it is idle",
			ctx->ops->name, state_name(ctx->state));
	ctx_set_polled(ctx, false);
	list_remove(&ctx->transition_node);
	if (ctx->pe != NULL) {
		pe_update_flags(ctx->pe);
		if (ctx->pe->polling == ctx)
			ctx->pe->polling = NULL;
		list_remove(&ctx->pe_node);
	}
	if (ctx->dev != NULL)
		dev_release(ctx->dev);
	counters_close(&ctx->counters);
	ctx->line = ctx->counters.line;
	return DOCA_SUCCESS;
}

void ctx_open_counters(struct doca_ctx *ctx)
{
	counters_open(&ctx->counters,
		      ctx->ops->counted_as == COUNTERS_FREE ? COUNTERS_OTHER : ctx->ops->counted_as,
		      ctx->dev == NULL ? NULL : ctx->dev->info->name);
	ctx->line = ctx->counters.line;
}

/* The distance of two samples is at least SAMPLE_MIN_NS and, if there are enough tasks, at most
 * SAMPLE_MAX_NS. */
#define SAMPLE_MIN_NS (128 * NS_PER_MS / 1000)
#define SAMPLE_MAX_NS NS_PER_MS
#define SAMPLE_MASK   0xffffu
/* Where reading the clock may cost as much as hundreds of tasks, samples are not timed, and one
 * task in 64 is sampled. */
#define SAMPLE_BLIND 63u

void ctx_sample(struct doca_ctx *ctx, struct doca_task *task)
{
	uint64_t depth = ctx_n_inflight(ctx), now, since;

	if (depth > counters_get(&ctx->line->max_depth))
		counters_set(&ctx->line->max_depth, depth);
	pe_count_busy(ctx->pe);
	if (unlikely(!counters_clock_is_cheap())) {
		ctx->sample_mask = SAMPLE_BLIND;
		return;
	}
	now = clock_now_ns();
	since = now - ctx->sampled_ns;
	ctx->sampled_ns = now;
	if (since < SAMPLE_MIN_NS && ctx->sample_mask < SAMPLE_MASK)
		ctx->sample_mask = 2 * ctx->sample_mask + 1;
	else if (since > SAMPLE_MAX_NS)
		ctx->sample_mask /= 2;
	if (ctx->is_timed)
		return;
	ctx->is_timed = true;
	ctx->timed_ns = now;
	task->done |= TASK_TIMED;
}

void ctx_sampled(struct doca_ctx *ctx)
{
	ctx->is_timed = false;
	counters_add_latency(&ctx->counters, clock_now_ns() - ctx->timed_ns);
}

void task_queued_slow(struct doca_task *task)
{
	struct doca_ctx *ctx = task->ctx;

	if ((counters_get(&ctx->line->submitted) & ctx->sample_mask) == 0)
		ctx_sample(ctx, task);
	if (ctx->pe->armed)
		pe_wake(ctx->pe);
}

/* The warning for the first one was given when it was freed. */
static void ctx_log_freed_early(struct doca_ctx *ctx)
{
	if (ctx->n_freed_early > 1)
		sdk_warning("%s: %u tasks in all were freed while they were submitted; free tasks "
			    "in their callbacks, or later",
			    ctx->ops->name, ctx->n_freed_early);
	ctx->n_freed_early = 0;
}

void ctx_set_state(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	enum doca_ctx_states prev = ctx->state;

	if (prev == next)
		return;
	ctx->state = next;
	counters_set_state(&ctx->counters, next);
	sdk_debug("%s context %p: %s to %s", ctx->ops->name, (void *)ctx, state_name(prev),
		  state_name(next));
	if (next == DOCA_CTX_STATE_STOPPING)
		ctx_request_transition(ctx);
	if (next == DOCA_CTX_STATE_IDLE)
		ctx_log_freed_early(ctx);
	if (ctx->state_cb != NULL)
		ctx->state_cb(ctx->user_data, ctx, prev, next);
}

void ctx_set_polled(struct doca_ctx *ctx, bool polled)
{
	if (ctx->polled == polled)
		return;
	ctx->polled = polled;
	if (polled)
		list_append(&ctx->pe->pollers, &ctx->poll_node);
	else
		list_remove(&ctx->poll_node);
	pe_update_flags(ctx->pe);
	/* The context's events are not armed: a user that is about to sleep must request a
	 * notification again. */
	if (polled && ctx->pe->armed)
		pe_wake(ctx->pe);
}

void ctx_request_transition(struct doca_ctx *ctx)
{
	if (list_is_empty(&ctx->transition_node))
		list_append(&ctx->pe->transitions, &ctx->transition_node);
	pe_update_flags(ctx->pe);
	if (ctx->pe->armed)
		pe_wake(ctx->pe);
}

void ctx_started(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_STARTING)
		ctx_set_state(ctx, DOCA_CTX_STATE_RUNNING);
}

void ctx_fail(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_STARTING) {
		if (ctx->ops->stop != NULL)
			ctx->ops->stop(ctx);
		ctx_set_state(ctx, DOCA_CTX_STATE_STOPPING);
	} else if (ctx->state == DOCA_CTX_STATE_RUNNING) {
		ctx->fatal = true;
		ctx_request_transition(ctx);
	}
}

doca_error_t ctx_check_idle(const struct doca_ctx *ctx, doca_error_t code, const char *what)
{
	if (likely(ctx->state == DOCA_CTX_STATE_IDLE))
		return DOCA_SUCCESS;
	return error_set(code, "%s: the %s context is %s; this is allowed while it is idle", what,
			 ctx->ops->name, state_name(ctx->state));
}

doca_error_t ctx_not_running(const struct doca_ctx *ctx, const char *what)
{
	if (ctx->state == DOCA_CTX_STATE_STARTING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the %s context is starting; progress until it runs", what,
				 ctx->ops->name);
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the %s context is stopping; it was stopped, or a failure "
				 "stopped it: free its tasks, progress until it is idle, and start "
				 "it again",
				 what, ctx->ops->name);
	return error_set(DOCA_ERROR_BAD_STATE, "%s: the %s context is not running; start it first",
			 what, ctx->ops->name);
}

/* After a fork the child has copies of its parent's contexts. What they share with the kernel and
 * with peers belongs to the parent. */
static doca_error_t ctx_check_process(const struct doca_ctx *ctx, const char *what)
{
	if (likely(pe_is_own_process(ctx->pe)))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "ctx %s: the %s context belongs to the process that forked this one and "
			 "continues there; create objects in this process",
			 what, ctx->ops->name);
}

doca_error_t ctx_start(struct doca_ctx *ctx)
{
	doca_error_t result = ctx_check_process(ctx, "start");

	if (result != DOCA_SUCCESS)
		return result;
	if (ctx->dev != NULL && dev_check_removed(ctx->dev))
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "ctx start: %s of the %s context was removed from the machine; "
				 "close it, and open it again when it is back",
				 ctx->dev->info->name, ctx->ops->name);
	ctx->fatal = false;
	result = ctx->ops->start == NULL ? DOCA_SUCCESS : ctx->ops->start(ctx);
	if (result == DOCA_SUCCESS) {
		ctx_set_state(ctx, DOCA_CTX_STATE_RUNNING);
	} else if (result == DOCA_ERROR_IN_PROGRESS) {
		error_note(result, "ctx start: the %s context is starting; progress until it runs",
			   ctx->ops->name);
		ctx_set_state(ctx, DOCA_CTX_STATE_STARTING);
	}
	return result;
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
	if (ctx == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx start: ctx is NULL");
	if (ctx->legacy != NULL)
		return api_refuse("ctx start", "context", ctx->legacy->api);
	if (ctx->pe == NULL)
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "ctx start: the %s context has no progress engine; call "
				 "doca_pe_connect_ctx first",
				 ctx->ops->name);
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "ctx start: the %s context is %s; only an idle context can start",
				 ctx->ops->name, state_name(ctx->state));
	return ctx_start(ctx);
}
API_PLAIN(doca_ctx_start, 2_5);

doca_error_t ctx_stop(struct doca_ctx *ctx)
{
	doca_error_t result;
	bool was_active;

	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	result = ctx_check_process(ctx, "stop");
	if (result != DOCA_SUCCESS)
		return result;
	was_active = ctx->state != DOCA_CTX_STATE_STOPPING;
	if (was_active) {
		doca_ctx_flush_tasks(ctx);
		ctx->fatal = false;
		if (ctx->ops->stop != NULL)
			ctx->ops->stop(ctx);
	}
	/* Within a callback, the callback's caller still uses its arguments, so the transition is
	 * left to progress. */
	if (!(ctx->pe->flags & PE_IN_PROGRESS) && ctx->n_allocated == 0 &&
	    (ctx->ops->stopped == NULL || ctx->ops->stopped(ctx))) {
		list_remove(&ctx->transition_node);
		pe_update_flags(ctx->pe);
		if (ctx->ops->release != NULL)
			ctx->ops->release(ctx);
		ctx_set_state(ctx, DOCA_CTX_STATE_IDLE);
		return DOCA_SUCCESS;
	}
	if (ctx->n_allocated == 0)
		error_note(DOCA_ERROR_IN_PROGRESS,
			   "ctx stop: the %s context is still ending its connections; progress "
			   "until it is idle",
			   ctx->ops->name);
	else
		error_note(DOCA_ERROR_IN_PROGRESS,
			   "ctx stop: the %s context has %u %s not freed, %u of them in "
			   "flight; progress and free them",
			   ctx->ops->name, ctx->n_allocated,
			   plural(ctx->n_allocated, "task that is", "tasks that are"),
			   ctx_n_inflight(ctx));
	if (was_active)
		ctx_set_state(ctx, DOCA_CTX_STATE_STOPPING);
	return DOCA_ERROR_IN_PROGRESS;
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	if (ctx == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx stop: ctx is NULL");
	if (ctx->legacy != NULL)
		return api_refuse("ctx stop", "context", ctx->legacy->api);
	if (ctx->pe == NULL)
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "ctx stop: the %s context has no progress engine, so it was never "
				 "started; destroy it as it is",
				 ctx->ops->name);
	return ctx_stop(ctx);
}
API_PLAIN(doca_ctx_stop, 2_5);

doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_out)
{
	if (ctx == NULL || num_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx in-flight tasks: %s is NULL",
				 ctx == NULL ? "ctx" : "the result");
	if (ctx->legacy != NULL)
		return api_refuse("ctx in-flight tasks", "context", ctx->legacy->api);
	*num_out = ctx_n_inflight(ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
{
	if (ctx == NULL || gpu_dev == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx data path on GPU: %s is NULL",
				 ctx == NULL ? "ctx" : "gpu_dev");
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "ctx data path on GPU: the context is not idle");
	return error_set(
		DOCA_ERROR_NOT_SUPPORTED,
		"ctx data path on GPU: this runtime has no GPU data path; leave it on the CPU");
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev)
{
	if (ctx == NULL || dpa_dev == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx data path on DPA: %s is NULL",
				 ctx == NULL ? "ctx" : "dpa_dev");
	if (ctx->legacy != NULL)
		return api_refuse("ctx data path on DPA", "context", ctx->legacy->api);
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "ctx data path on DPA: the context is not idle");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "ctx data path on DPA: this runtime has no DPA; leave it on the CPU");
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
	if (ctx == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx user data: ctx is NULL");
	if (ctx->legacy != NULL)
		return api_refuse("ctx user data", "context", ctx->legacy->api);
	ctx->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data_out)
{
	if (ctx == NULL || user_data_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx user data: %s is NULL",
				 ctx == NULL ? "ctx" : "the result");
	if (ctx->legacy != NULL)
		return api_refuse("ctx user data", "context", ctx->legacy->api);
	*user_data_out = ctx->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
					   doca_ctx_state_changed_callback_t cb)
{
	if (ctx == NULL || cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx state callback: %s is NULL",
				 ctx == NULL ? "ctx" : "the callback");
	if (ctx->legacy != NULL)
		return api_refuse("ctx state callback", "context", ctx->legacy->api);
	ctx->state_cb = cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state_out)
{
	if (ctx == NULL || state_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx state: %s is NULL",
				 ctx == NULL ? "ctx" : "the result");
	if (ctx->legacy != NULL)
		return api_refuse("ctx state", "context", ctx->legacy->api);
	*state_out = ctx->state;
	return DOCA_SUCCESS;
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	struct doca_pe *pe;

	if (unlikely(ctx == NULL)) {
		error_set(DOCA_ERROR_INVALID_VALUE, "ctx flush tasks: ctx is NULL");
		return;
	}
	if (ctx->deferred_head == NULL)
		return;
	pe = ctx->pe;
	*pe->tail = ctx->deferred_head;
	pe->tail = ctx->deferred_tail;
	ctx->deferred_head = NULL;
	ctx->deferred_tail = &ctx->deferred_head;
	if (pe->armed)
		pe_wake(pe);
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector)
{
	if (ctx == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx completion vector: ctx is NULL");
	if (ctx->legacy != NULL)
		return api_refuse("ctx completion vector", "context", ctx->legacy->api);
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "ctx completion vector: the context is not idle");
	if (comp_vector != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "ctx completion vector: %u does not exist; there is one, number 0",
				 comp_vector);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
						     uint32_t *num_out)
{
	if (devinfo == NULL || num_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx completion vectors: %s is NULL",
				 devinfo == NULL ? "devinfo" : "the result");
	*num_out = 1;
	return DOCA_SUCCESS;
}
