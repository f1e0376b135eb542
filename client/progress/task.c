/* Tasks and task batches: submission, ownership, and the pools that engines allocate tasks from.
 * Threads: a task belongs to the thread of its context's progress engine. */
#include <errno.h>
#include <stdlib.h>

#include "client/base/error.h"
#include "client/progress/task.h"
#include "client/progress/task_batch.h"

int task_pool_init(struct task_pool *pool, struct doca_ctx *ctx, uint32_t n, size_t stride)
{
	uint8_t *memory = NULL;
	uint32_t i;

	stride = ALIGN_UP(stride, (size_t)64);
	if (n != 0) {
		if (stride > SIZE_MAX / n || posix_memalign((void **)&memory, 64, n * stride) != 0)
			return -ENOMEM;
		__builtin_memset(memory, 0, n * stride);
	}
	task_pool_deinit(pool);
	pool->memory = memory;
	pool->stride = stride;
	pool->n_tasks = n;
	pool->self = pool;
	for (i = n; i > 0; i--) {
		struct doca_task *task = (struct doca_task *)(void *)(memory + (i - 1) * stride);

		task->ctx = ctx;
		task->pool = pool;
		task->next = pool->free;
		pool->free = task;
	}
	return 0;
}

void task_pool_deinit(struct task_pool *pool)
{
	free(pool->memory);
	free(pool->freed_early);
	pool->memory = NULL;
	pool->freed_early = NULL;
	pool->free = NULL;
	pool->n_tasks = 0;
}

static inline doca_error_t task_submit(struct doca_task *task, uint32_t flags)
{
	if (unlikely(task == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "task submit: task is NULL");
	if (unlikely(task->ctx->state != DOCA_CTX_STATE_RUNNING))
		return ctx_not_running(task->ctx, "task submit");
	if (task->pool->submit != NULL)
		return task->pool->submit(task, flags);
	task_queue(task, flags);
	return DOCA_SUCCESS;
}

doca_error_t doca_task_submit(struct doca_task *task)
{
	return task_submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
	return task_submit(task, flags);
}

static doca_error_t task_validate(const struct doca_task *task)
{
	if (task == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "task try submit: task is NULL");
	if (task->state != TASK_OWNED)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"task try submit: the task is %s; submit a task that the program owns",
			task->state == TASK_FREE ? "freed" : "submitted already");
	return task->pool->validate == NULL ? DOCA_SUCCESS : task->pool->validate(task);
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
	doca_error_t result = task_validate(task);

	return result != DOCA_SUCCESS ? result : task_submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

/*
 * The callback, for both results, of a task that was freed while submitted. The program's callback
 * may free the task again, allocate it anew from the pool or submit it. It may also end the
 * context, so the context counts the task as allocated while this function uses it.
 */
static void task_return_early(struct doca_task *task, union doca_data task_data,
			      union doca_data ctx_data)
{
	struct task_pool *pool = task->pool->self;
	struct doca_ctx *ctx = task->ctx;

	task->pool = pool;
	task->next = task; /* a value that no free list and no queue stores */
	ctx->n_allocated++;
	(task->status == DOCA_SUCCESS ? pool->ok_cb : pool->err_cb)(task, task_data, ctx_data);
	if (task->state == TASK_OWNED && task->next == task)
		task_put(task);
	if (--ctx->n_allocated == 0 && ctx->state == DOCA_CTX_STATE_STOPPING)
		ctx_request_transition(ctx);
}

/*
 * Accepts that a program frees a submitted task; otherwise its context would wait for the task
 * forever. Returns false without a change if the task was freed before or belongs to a graph, if
 * there is no memory, or in strict mode.
 */
static bool task_mark_freed(struct doca_task *task)
{
	struct task_pool *pool = task->pool->self;

	if (pool != task->pool || lenient_is_strict())
		return false;
	if (pool->freed_early == NULL)
		pool->freed_early = malloc(sizeof(*pool->freed_early));
	if (pool->freed_early == NULL)
		return false;
	*pool->freed_early = *pool;
	pool->freed_early->ok_cb = pool->freed_early->err_cb = task_return_early;
	task->pool = pool->freed_early;
	return true;
}

/* Warns once per context; the total is logged when the context is idle again. An error sentence is
 * recorded each time. */
static void task_free_early(struct doca_ctx *ctx)
{
	ctx->n_freed_early++;
	(void)lenient_accept(&ctx->rules, CTX_RULE_FREE_SUBMITTED, DOCA_ERROR_BAD_STATE,
			     "task free: a task of the %s context is submitted; it returns to its "
			     "pool after its callback, free tasks there or later",
			     ctx->ops->name);
	error_note(DOCA_ERROR_BAD_STATE,
		   "task free: the task of the %s context is submitted; it returns to its pool "
		   "after its callback, free tasks there or later",
		   ctx->ops->name);
}

void doca_task_free(struct doca_task *task)
{
	if (unlikely(task == NULL)) {
		error_set(DOCA_ERROR_INVALID_VALUE, "task free: task is NULL");
		return;
	}
	if (likely(task->state == TASK_OWNED))
		task_put(task);
	else if (task->state == TASK_FREE)
		error_set(DOCA_ERROR_BAD_STATE,
			  "task free: the task of the %s context is freed already; a task is freed "
			  "once",
			  task->ctx->ops->name);
	else if (task_mark_freed(task))
		task_free_early(task->ctx);
	else
		error_set(DOCA_ERROR_BAD_STATE,
			  "task free: the task of the %s context is submitted and was not freed; "
			  "free tasks in their callbacks or later",
			  task->ctx->ops->name);
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	return task->status;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	return task->user_data;
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
	return task->ctx;
}

/* --- batches --- */

struct doca_task_batch *task_batch_new(uint16_t max_tasks)
{
	struct doca_task_batch *batch;

	batch = calloc(1, sizeof(*batch) + max_tasks * sizeof(batch->tasks[0]));
	if (batch != NULL)
		batch->max_tasks = max_tasks;
	return batch;
}

struct doca_task_batch *task_batch_delete(struct doca_task_batch *batch)
{
	free(batch);
	return NULL;
}

static doca_error_t batch_submit(struct doca_task_batch *batch)
{
	uint16_t i;

	for (i = batch->n_submitted; i < batch->n_tasks; i++) {
		uint32_t flags = i + 1 == batch->n_tasks ? DOCA_TASK_SUBMIT_FLAG_FLUSH
							 : DOCA_TASK_SUBMIT_FLAG_NONE;
		doca_error_t result = task_submit(batch->tasks[i], flags);

		if (result != DOCA_SUCCESS) {
			/* Submitted tasks stay submitted. The caller still owns the others, and may
			 * submit the batch again. */
			if (i > 0)
				doca_ctx_flush_tasks(batch->ctx);
			batch->n_submitted = i;
			return result;
		}
	}
	batch->n_submitted = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *batch)
{
	if (unlikely(batch == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "task batch submit: the batch is NULL");
	return batch_submit(batch);
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *batch)
{
	uint16_t i;

	if (batch == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "task batch try submit: the batch is NULL");
	for (i = batch->n_submitted; i < batch->n_tasks; i++) {
		doca_error_t result = task_validate(batch->tasks[i]);

		if (result != DOCA_SUCCESS)
			return result;
	}
	return batch_submit(batch);
}

void doca_task_batch_free(struct doca_task_batch *batch)
{
	uint16_t i;

	if (batch == NULL) {
		error_set(DOCA_ERROR_INVALID_VALUE, "task batch free: the batch is NULL");
		return;
	}
	for (i = 0; i < batch->n_tasks; i++)
		doca_task_free(batch->tasks[i]);
	task_batch_delete(batch);
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *batch)
{
	uint16_t i;

	for (i = 0; i < batch->n_tasks; i++) {
		if (batch->tasks[i]->status != DOCA_SUCCESS)
			return batch->tasks[i]->status;
	}
	return DOCA_SUCCESS;
}

void doca_task_batch_set_user_data(struct doca_task_batch *batch, union doca_data user_data)
{
	batch->user_data = user_data;
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *batch)
{
	return batch->user_data;
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *batch)
{
	return batch->ctx;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *batch)
{
	return batch->ctx->user_data;
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *batch)
{
	return batch->n_tasks;
}
