/* Jobs of sync events; see client/compat/workq/sync_job.h. */
#include "client/compat/workq/sync_job.h"

#include <doca_sync_event.h>
#include <dococ/sync_event_workq.h>

#include "client/base/error.h"
#include "client/sync_event/sync_event.h"
#include "util/str.h"

static struct doca_sync_event *event_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sync_event, ctx);
}

/* --- the legacy context --- */

static doca_error_t engine_start(struct legacy_ctx *legacy_ctx)
{
	struct doca_sync_event *event = event_of(legacy_ctx->ctx);
	doca_error_t result = sync_event_open(event, "ctx start", true);

	if (result == DOCA_SUCCESS)
		event->state = SYNC_STARTED_CTX;
	return result;
}

static void engine_stop(struct legacy_ctx *legacy_ctx)
{
	struct doca_sync_event *event = event_of(legacy_ctx->ctx);

	sync_event_close(event);
	event->state = SYNC_STOPPED;
}

/* --- jobs --- */

static const enum sync_task_kind kinds[] = {
	[DOCA_SYNC_EVENT_JOB_WAIT_GT - DOCA_SYNC_EVENT_JOB_WAIT_GT] = SYNC_TASK_GT,
	[DOCA_SYNC_EVENT_JOB_GET - DOCA_SYNC_EVENT_JOB_WAIT_GT] = SYNC_TASK_GET,
	[DOCA_SYNC_EVENT_JOB_UPDATE_SET - DOCA_SYNC_EVENT_JOB_WAIT_GT] = SYNC_TASK_SET,
	[DOCA_SYNC_EVENT_JOB_UPDATE_ADD - DOCA_SYNC_EVENT_JOB_WAIT_GT] = SYNC_TASK_ADD,
};

static int type_of(const struct doca_task *task)
{
	switch (task->pool - event_of(task->ctx)->pools) {
	case SYNC_TASK_GET:
		return DOCA_SYNC_EVENT_JOB_GET;
	case SYNC_TASK_SET:
		return DOCA_SYNC_EVENT_JOB_UPDATE_SET;
	case SYNC_TASK_ADD:
		return DOCA_SYNC_EVENT_JOB_UPDATE_ADD;
	default:
		return DOCA_SYNC_EVENT_JOB_WAIT_GT;
	}
}

/* Converts a job to a task. */
static struct sync_task job_read(const struct doca_job *base)
{
	const struct doca_sync_event_job_wait *wait = (const struct doca_sync_event_job_wait *)base;
	const struct doca_sync_event_job_get *get = (const struct doca_sync_event_job_get *)base;
	const struct doca_sync_event_job_update_set *set =
		(const struct doca_sync_event_job_update_set *)base;
	const struct doca_sync_event_job_update_add *add =
		(const struct doca_sync_event_job_update_add *)base;

	switch (base->type) {
	case DOCA_SYNC_EVENT_JOB_GET:
		return (struct sync_task){.result_at = get->value};
	case DOCA_SYNC_EVENT_JOB_UPDATE_SET:
		return (struct sync_task){.value = set->value};
	case DOCA_SYNC_EVENT_JOB_UPDATE_ADD:
		return (struct sync_task){.value = add->value, .result_at = add->fetched};
	default:
		return (struct sync_task){.value = wait->value, .mask = wait->mask};
	}
}

static doca_error_t no_place(int type)
{
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "sync event job: %s is NULL; there must be a place for the result",
			 type == DOCA_SYNC_EVENT_JOB_GET ? "value" : "fetched");
}

static doca_error_t engine_prepare(struct workq_ctx *workq_ctx, const struct doca_job *job,
				   struct doca_task **task_out)
{
	const struct sync_task init = job_read(job);
	enum sync_task_kind kind = kinds[job->type - DOCA_SYNC_EVENT_JOB_WAIT_GT];

	if (unlikely((kind == SYNC_TASK_GET || kind == SYNC_TASK_ADD) && init.result_at == NULL))
		return no_place(job->type);
	return sync_pool_alloc(workq_ctx->state, kind, &init, job->user_data, task_out);
}

static doca_error_t engine_submit(struct workq_ctx *workq_ctx, const struct doca_job *job)
{
	struct doca_task *task;
	doca_error_t result = engine_prepare(workq_ctx, job, &task);

	if (unlikely(result != DOCA_SUCCESS))
		return result;
	if (task->pool->submit != NULL)
		return task->pool->submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	task_queue(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	return DOCA_SUCCESS;
}

static void engine_report(const struct doca_task *task, struct doca_event *event_out)
{
	event_out->type = type_of(task);
	event_out->user_data = task->user_data;
	event_out->result.u64 = task->status;
}

static void on_done(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	doca_error_t status = task->status;
	int type = type_of(task);

	task_put(task);
	workq_complete(ctx_data.ptr, type, user_data, (union doca_data){.u64 = status}, status);
}

/* --- work-queue contexts --- */

static void workq_ctx_delete(struct doca_sync_event *counter_ctx)
{
	/* Its context is idle, so the deletion succeeds. */
	sync_event_delete(counter_ctx);
}

static doca_error_t engine_open(struct legacy_ctx *legacy_ctx, struct workq_ctx *workq_ctx,
				uint32_t n_tasks, struct doca_ctx **core)
{
	struct doca_sync_event *counter_ctx = sync_event_share_counter(event_of(legacy_ctx->ctx));
	bool has_tasks = counter_ctx != NULL;

	for (size_t i = 0; has_tasks && i < ARRAY_LEN(kinds); i++) {
		struct task_pool *pool = &counter_ctx->pools[kinds[i]];

		has_tasks = task_pool_init(pool, &counter_ctx->ctx, n_tasks,
					   sizeof(struct sync_task)) == 0;
		pool->ok_cb = pool->err_cb = on_done;
	}
	if (!has_tasks) {
		if (counter_ctx != NULL)
			workq_ctx_delete(counter_ctx);
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx workq add: out of memory for %u %s",
				 n_tasks, plural(n_tasks, "task", "tasks"));
	}
	counter_ctx->ctx.user_data.ptr = workq_ctx;
	workq_ctx->state = counter_ctx;
	*core = &counter_ctx->ctx;
	return DOCA_SUCCESS;
}

static void engine_close(struct workq_ctx *workq_ctx)
{
	workq_ctx_delete(workq_ctx->state);
}

const struct workq_engine sync_job_engine = {
	.name = "sync event",
	.first_type = DOCA_SYNC_EVENT_JOB_WAIT_GT,
	.last_type = DOCA_SYNC_EVENT_JOB_UPDATE_ADD,
	.is_event_driven = true,
	.needs_no_dev = true,
	.start = engine_start,
	.stop = engine_stop,
	.open = engine_open,
	.close = engine_close,
	.submit = engine_submit,
	.prepare = engine_prepare,
	.report = engine_report,
};
