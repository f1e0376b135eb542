/* DMA jobs: a work-queue context is a DMA object of the current generation, with one task for each
 * job that may be in flight. Threads: see client/compat/workq/workq.h. */
#include "client/compat/workq/dma.h"

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/compat/workq/functions.h"
#include "util/str.h"

static struct dma_task *task_of(struct doca_task *task)
{
	return (struct dma_task *)(void *)task;
}

static void on_done(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	task_pool_return(task);
	workq_complete(ctx_data.ptr, DOCA_DMA_JOB_MEMCPY, user_data,
		       (union doca_data){.u64 = DOCA_SUCCESS}, DOCA_SUCCESS);
}

static void on_failed(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	doca_error_t status = task->status;

	task_pool_return(task);
	workq_complete(ctx_data.ptr, DOCA_DMA_JOB_MEMCPY, user_data,
		       (union doca_data){.u64 = status}, status);
}

doca_error_t dma_job_refuse(const struct doca_dma_job_memcpy *job)
{
	if (job->src_buff == NULL || job->dst_buff == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma memcpy job: %s is NULL",
				 job->src_buff == NULL ? "src_buff" : "dst_buff");
	/* Each job of a work queue has a task; jobs of graphs may find none. */
	return error_hint(DOCA_ERROR_NO_MEMORY,
			  "dma memcpy job: all copies of the work queue are in use");
}

/* The job's layout in a program of 1.3. */
struct job_1_3 {
	struct doca_dma_job_memcpy job;
	uint64_t n_bytes;
};

/*
 * The task of such a job. Several jobs may read one buffer at the same time with different lengths,
 * so a task has views of its own of the first buffers. The further elements of lists have the
 * section of the last job.
 */
struct task_1_3 {
	struct dma_task copy;
	struct doca_buf src, dst;
};

static uint64_t list_room(const struct doca_buf *buf)
{
	uint64_t room = 0;

	for (; buf != NULL; buf = buf->next)
		room += buf->len;
	return room;
}

static doca_error_t job_check_length(const struct doca_dma_job_memcpy *job, uint64_t n_bytes)
{
	uint64_t src_room = list_room(job->src_buff), dst_room = list_room(job->dst_buff);

	if (n_bytes > 0 && n_bytes <= src_room && n_bytes <= dst_room)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "dma memcpy job: num_bytes_to_copy is %llu, the source has %llu bytes and "
			 "the destination %llu",
			 (unsigned long long)n_bytes, (unsigned long long)src_room,
			 (unsigned long long)dst_room);
}

/* Sets the data section to the first n_bytes of the list. `view` replaces the list's head. */
static struct doca_buf *section_set(const struct doca_buf *list, uint64_t n_bytes,
				    struct doca_buf *view)
{
	struct doca_buf *pos;

	*view = *list;
	view->claimed = 0;
	for (pos = view; pos != NULL; pos = pos->next) {
		pos->data = pos->head;
		pos->data_len = n_bytes < pos->len ? n_bytes : pos->len;
		n_bytes -= pos->data_len;
	}
	return view;
}

doca_error_t dma_job_submit_1_3(struct workq_ctx *workq_ctx, const struct doca_job *base)
{
	const struct doca_dma_job_memcpy *job = (const struct doca_dma_job_memcpy *)base;
	uint64_t n_bytes = ((const struct job_1_3 *)job)->n_bytes;
	struct doca_dma *dma = workq_ctx->state;
	struct task_1_3 *task;
	doca_error_t result;

	if (job->src_buff == NULL || job->dst_buff == NULL)
		return dma_job_refuse(job);
	result = job_check_length(job, n_bytes);
	if (result != DOCA_SUCCESS)
		return result;
	task = (struct task_1_3 *)(void *)task_pool_queue(
		&dma->pool, &dma->ctx, workq_ctx->workq->pe, job->base.user_data);
	if (task == NULL)
		return dma_job_refuse(job);
	task->copy.src = section_set(job->src_buff, n_bytes, &task->src);
	task->copy.dst = section_set(job->dst_buff, 0, &task->dst);
	return DOCA_SUCCESS;
}

static doca_error_t engine_submit(struct workq_ctx *workq_ctx, const struct doca_job *job)
{
	return dma_job_submit(workq_ctx, job);
}

static doca_error_t engine_prepare(struct workq_ctx *workq_ctx, const struct doca_job *base,
				   struct doca_task **task_out)
{
	const struct doca_dma_job_memcpy *job = (const struct doca_dma_job_memcpy *)base;
	struct doca_dma *dma = workq_ctx->state;
	struct doca_task *task;

	if (job->src_buff == NULL || job->dst_buff == NULL)
		return dma_job_refuse(job);
	task = task_pool_get(&dma->pool, job->base.user_data);
	if (task == NULL)
		return dma_job_refuse(job);
	task_of(task)->src = job->src_buff;
	task_of(task)->dst = job->dst_buff;
	*task_out = task;
	return DOCA_SUCCESS;
}

static void engine_report(const struct doca_task *task, struct doca_event *event_out)
{
	event_out->type = DOCA_DMA_JOB_MEMCPY;
	event_out->user_data = task->user_data;
	event_out->result.u64 = task->status;
}

static doca_error_t engine_open(struct legacy_ctx *legacy_ctx, struct workq_ctx *workq_ctx,
				uint32_t n_tasks, struct doca_ctx **core)
{
	struct doca_dev *dev = legacy_ctx_dev(legacy_ctx);
	struct doca_dma *dma;
	doca_error_t result;

	if (n_tasks > dev->info->caps.dma_max_tasks)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "ctx workq add: the depth of the work queue is %u, %s allows %u "
				 "%s; reduce the depth",
				 n_tasks, dev->info->name, dev->info->caps.dma_max_tasks,
				 plural(dev->info->caps.dma_max_tasks, "copy", "copies"));
	result = dma_new(dev, &dma);
	if (result != DOCA_SUCCESS)
		return result;
	dma->ctx.user_data.ptr = workq_ctx;
	dma->pool.fails_ctx = false;
	dma->is_for_jobs = true;
	if (workq_overwrites(workq_ctx->workq))
		dma_set_overwriting(dma);
	result = dma_conf(dma, on_done, on_failed, n_tasks,
			  workq_overwrites(workq_ctx->workq) ? sizeof(struct task_1_3)
							     : sizeof(struct dma_task));
	if (result != DOCA_SUCCESS) {
		dma_delete(dma);
		return result;
	}
	workq_ctx->state = dma;
	*core = &dma->ctx;
	return DOCA_SUCCESS;
}

static void engine_close(struct workq_ctx *workq_ctx)
{
	dma_delete(workq_ctx->state);
}

static doca_error_t check_dev(const struct doca_devinfo *devinfo)
{
	if (devinfo->caps.dma)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "ctx dev add: %s does not support it; key dma of the device in the "
			 "topology allows it; ask doca_dma_job_get_supported first",
			 devinfo->name);
}

static const struct workq_engine engine = {
	.name = "dma",
	.first_type = DOCA_DMA_JOB_MEMCPY,
	.last_type = DOCA_DMA_JOB_MEMCPY,
	.is_event_driven = true,
	.check_dev = check_dev,
	.open = engine_open,
	.close = engine_close,
	.submit = engine_submit,
	.prepare = engine_prepare,
	.report = engine_report,
};

doca_error_t compat_dma_create(struct doca_dma **dma_out)
{
	struct doca_dma *dma;
	doca_error_t result;

	program_api_note(API_1_3, API_2_2);
	if (dma_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma create: dma is NULL");
	result = dma_new(NULL, &dma);
	if (result != DOCA_SUCCESS)
		return result;
	result = legacy_ctx_attach(&dma->ctx, &engine, API_1_3);
	if (result != DOCA_SUCCESS) {
		dma_delete(dma);
		return result;
	}
	*dma_out = dma;
	return DOCA_SUCCESS;
}

/* --- capabilities --- */

static doca_error_t check_query(const struct doca_devinfo *devinfo, const void *out,
				const char *call)
{
	if (devinfo != NULL && out != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
			 devinfo == NULL ? "devinfo" : "the result");
}

doca_error_t doca_dma_devinfo_caps_get(struct doca_devinfo *devinfo, uint32_t *caps)
{
	doca_error_t result = check_query(devinfo, caps, "dma devinfo caps");

	if (result == DOCA_SUCCESS)
		*caps = devinfo->caps.dma ? DOCA_DMA_CAP_HW_OFFLOAD : DOCA_DMA_CAP_NONE;
	return result;
}

doca_error_t doca_dma_job_get_supported(struct doca_devinfo *devinfo,
					enum doca_dma_job_types job_type)
{
	if (devinfo == NULL || job_type != DOCA_DMA_JOB_MEMCPY)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma job supported: %s",
				 devinfo == NULL ? "devinfo is NULL"
						 : "no such type; ask for DOCA_DMA_JOB_MEMCPY");
	if (!devinfo->caps.dma)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "dma job supported: %s does not support it; key dma of the "
				  "device in the topology allows it",
				  devinfo->name);
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
						uint32_t *max_list_num_elem)
{
	doca_error_t result = check_query(devinfo, max_list_num_elem, "dma list length");

	if (result == DOCA_SUCCESS)
		*max_list_num_elem = devinfo->caps.dma_max_list_len;
	return result;
}

doca_error_t doca_dma_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size)
{
	doca_error_t result = check_query(devinfo, buf_size, "dma buffer size");

	if (result == DOCA_SUCCESS)
		*buf_size = dev_report_size(devinfo->caps.dma_max_buf_size);
	return result;
}
