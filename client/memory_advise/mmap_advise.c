/*
 * Advice about memory: cache-invalidate tasks. The caches of supported machines are coherent. A
 * task therefore checks its range and is a barrier between earlier writes of others and later reads
 * of this process. A failed task stops the context, as an error of a hardware queue does. Threads:
 * those of the progress engine.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <doca_mmap_advise.h>

#include "client/base/error.h"
#include "client/memory/buf_check.h"
#include "client/progress/task.h"
#include "util/str.h"

struct doca_mmap_advise {
	struct doca_ctx ctx;
	struct task_pool pool;
	uint64_t max_buf_size;
};

struct invalidate_task {
	struct doca_task task;
	struct doca_buf *buf;
};

static struct doca_mmap_advise *advise_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_mmap_advise, ctx);
}

struct advise_fault {
	doca_error_t code;
	const char *text;
};

static const struct advise_fault buf_faults[] = {
	[BUF_NONE] = {DOCA_ERROR_INVALID_VALUE, "the buffer is NULL"},
	[BUF_NOT_PERMITTED] = {DOCA_ERROR_NOT_PERMITTED,
			       "the buffer's mmap does not permit reading"},
	[BUF_STOPPED] = {DOCA_ERROR_BAD_STATE,
			 "the buffer's mmap is not started; call doca_mmap_start before"},
	[BUF_OUT_OF_RANGE] = {DOCA_ERROR_INVALID_VALUE, "the data section exceeds its buffer"},
	[BUF_DEV] = {DOCA_ERROR_INVALID_VALUE,
		     "the buffer's mmap does not have the context's device; use doca_mmap_add_dev"},
	[BUF_REVOKED] = {DOCA_ERROR_IO_FAILED,
			 "the exporter of the memory stopped its mmap or ended"},
	[BUF_OVERFLOW] = {DOCA_ERROR_INVALID_VALUE,
			  "more bytes than the device allows in a task; see "
			  "doca_mmap_advise_task_cache_invalidate_get_max_buf_size"},
};
static const struct advise_fault fault_empty = {
	DOCA_ERROR_INVALID_VALUE, "the buffer has no data section; set its data length"};

/* Returns NULL if the task is valid. */
static const struct advise_fault *advise_check(const struct doca_task *task)
{
	const struct invalidate_task *t = (const struct invalidate_task *)(const void *)task;
	enum buf_fault fault;
	struct buf_sum sum;

	fault = buf_check(t->buf, task->ctx->dev, BUF_READ, &sum);
	if (fault != BUF_VALID)
		return &buf_faults[fault];
	if (sum.data_len == 0)
		return &fault_empty;
	return sum.data_len > advise_of(task->ctx)->max_buf_size ? &buf_faults[BUF_OVERFLOW] : NULL;
}

static doca_error_t advise_validate(const struct doca_task *task)
{
	const struct advise_fault *fault = advise_check(task);

	if (fault == NULL)
		return DOCA_SUCCESS;
	/* The contract of try_submit has one code for an invalid task. */
	return error_set(DOCA_ERROR_INVALID_VALUE, "cache invalidate: %s", fault->text);
}

static doca_error_t advise_execute(struct doca_task *task)
{
	const struct advise_fault *fault = advise_check(task);

	/* A queue reports an invalid operation as a failed one. */
	if (fault != NULL)
		return error_set(fault->code == DOCA_ERROR_INVALID_VALUE ? DOCA_ERROR_IO_FAILED
									 : fault->code,
				 "cache invalidate: %s", fault->text);
	atomic_thread_fence(memory_order_seq_cst);
	return DOCA_SUCCESS;
}

static doca_error_t advise_start(struct doca_ctx *ctx)
{
	if (advise_of(ctx)->pool.ok_cb == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "mmap advise start: no tasks; call "
				 "doca_mmap_advise_task_invalidate_cache_set_conf first");
	return DOCA_SUCCESS;
}

static const struct ctx_ops advise_ops = {.name = "mmap advise", .start = advise_start};

doca_error_t doca_mmap_advise_cap_task_cache_invalidate_is_supported(
	const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap advise capability cache invalidate: devinfo is NULL");
	if (!devinfo->caps.mmap_advise)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "mmap advise capability cache invalidate: %s does not support "
				  "it; key mmap_advise of the device in the topology allows it",
				  devinfo->name);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_task_cache_invalidate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *buf_size)
{
	if (devinfo == NULL || buf_size == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap advise capability buffer size: %s is NULL",
				 devinfo == NULL ? "devinfo" : "the result");
	*buf_size = devinfo->caps.mmap_advise
			    ? dev_report_size(devinfo->caps.mmap_advise_max_buf_size)
			    : 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **advise_out)
{
	struct doca_mmap_advise *advise;

	if (dev == NULL || advise_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap advise create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	if (!dev->info->caps.mmap_advise)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap advise create: %s does not support it; key mmap_advise of "
				 "the device in the topology allows it; ask "
				 "doca_mmap_advise_cap_task_cache_invalidate_is_supported first",
				 dev->info->name);
	if (posix_memalign((void **)&advise, 64, sizeof(*advise)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap advise create: out of memory");
	memset(advise, 0, sizeof(*advise));
	ctx_init(&advise->ctx, &advise_ops, dev);
	advise->pool.execute = advise_execute;
	advise->pool.validate = advise_validate;
	advise->pool.fails_ctx = true;
	advise->max_buf_size = dev->info->caps.mmap_advise_max_buf_size;
	*advise_out = advise;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *advise)
{
	doca_error_t result;

	if (advise == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap advise destroy: mmap_advise is NULL");
	result = ctx_deinit(&advise->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	task_pool_deinit(&advise->pool);
	free(advise);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *advise)
{
	return advise == NULL ? NULL : &advise->ctx;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
	struct doca_mmap_advise *advise,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks)
{
	doca_error_t result;

	if (advise == NULL || completion_cb == NULL || error_cb == NULL || num_tasks == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "cache invalidate set conf: %s",
				 advise == NULL          ? "mmap_advise is NULL"
				 : completion_cb == NULL ? "the completion callback is NULL"
				 : error_cb == NULL      ? "the error callback is NULL"
							 : "0 tasks; ask for at least 1");
	result = ctx_check_idle(&advise->ctx, DOCA_ERROR_NOT_PERMITTED,
				"cache invalidate set conf");
	if (result != DOCA_SUCCESS)
		return result;
	if (task_pool_init(&advise->pool, &advise->ctx, num_tasks, sizeof(struct invalidate_task)) <
	    0)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "cache invalidate set conf: out of memory for %u %s", num_tasks,
				 plural(num_tasks, "task", "tasks"));
	/* The cast is safe: a task of this pool begins with its doca_task. */
	advise->pool.ok_cb = (doca_task_completion_cb_t)completion_cb;
	advise->pool.err_cb = (doca_task_completion_cb_t)error_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
	struct doca_mmap_advise *advise, struct doca_buf *buf, union doca_data user_data,
	struct doca_mmap_advise_task_invalidate_cache **task_out)
{
	struct invalidate_task *t;

	if (unlikely(advise == NULL || task_out == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "cache invalidate alloc: %s is NULL",
				 advise == NULL ? "the advice object" : "the result");
	t = (struct invalidate_task *)(void *)task_pool_get(&advise->pool, user_data);
	if (unlikely(t == NULL)) {
		if (advise->ctx.state != DOCA_CTX_STATE_RUNNING)
			return ctx_not_running(&advise->ctx, "cache invalidate alloc");
		return error_hint(DOCA_ERROR_NO_MEMORY,
				  "cache invalidate alloc: all tasks are in use; free some or "
				  "configure more");
	}
	t->buf = buf;
	*task_out = (struct doca_mmap_advise_task_invalidate_cache *)t;
	return DOCA_SUCCESS;
}

struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
	struct doca_mmap_advise_task_invalidate_cache *task)
{
	return task == NULL ? NULL : &((struct invalidate_task *)task)->task;
}

void doca_mmap_advise_task_invalidate_cache_set_buf(
	struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf)
{
	((struct invalidate_task *)task)->buf = buf;
}

struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
	const struct doca_mmap_advise_task_invalidate_cache *task)
{
	return ((const struct invalidate_task *)task)->buf;
}
