/*
 * Compression jobs: a work-queue context is a compress object of the current generation, with a
 * task of each kind for every job that may be in flight. Threads: see client/compat/workq/workq.h.
 */
#include <stdlib.h>

#include <doca_compress.h>
#include <dococ/compress_workq.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/compat/workq/jobs.h"
#include "client/compat/workq/workq.h"
#include "client/compress/compress.h"

/* The two types of jobs have the same layout. */
_Static_assert(sizeof(struct doca_compress_lz4_job) == sizeof(struct doca_compress_deflate_job) &&
		       offsetof(struct doca_compress_lz4_job, output_chksum) ==
			       offsetof(struct doca_compress_deflate_job, output_chksum),
	       "one function reads both");

/* The kinds of tasks that jobs use: that of a type is type - first_type. */
static const enum compress_kind kinds[] = {COMPRESS_DEFLATE, DECOMPRESS_DEFLATE, DECOMPRESS_LZ4};

struct job_task {
	struct compress_task compress;
	uint64_t *checksum; /* the job's output_chksum; may be NULL */
	int type;
};

static struct job_task *job_task_of(struct doca_task *task)
{
	return (struct job_task *)(void *)task;
}

static const struct job_task *const_job_task_of(const struct doca_task *task)
{
	return (const struct job_task *)(const void *)task;
}

static enum compress_kind kind_of(int type)
{
	return kinds[type - DOCA_COMPRESS_DEFLATE_JOB];
}

/* --- jobs --- */

static doca_error_t engine_prepare(struct workq_ctx *workq_ctx, const struct doca_job *base,
				   struct doca_task **task_out)
{
	const struct doca_compress_deflate_job *job = (const void *)base;
	struct doca_compress *compress = workq_ctx->state;
	enum compress_kind kind = kind_of(base->type);
	struct doca_task *task;
	struct job_task *t;

	if (job->src_buff == NULL || job->dst_buff == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress job: %s is NULL",
				 job->src_buff == NULL ? "src_buff" : "dst_buff");
	if (!compress_has(compress->kinds, kind))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "compress job: the device has no jobs of type %d; ask "
				 "doca_compress_job_get_supported first",
				 base->type);
	task = task_pool_get(&compress->pools[kind], base->user_data);
	if (unlikely(task == NULL))
		return error_hint(DOCA_ERROR_NO_MEMORY,
				  "compress job: all tasks of the work queue are in use");
	t = job_task_of(task);
	t->compress.src = job->src_buff;
	t->compress.dst = job->dst_buff;
	t->compress.kind = (uint8_t)kind;
	t->compress.has_failed = false;
	t->compress.crc = t->compress.adler = t->compress.xxh = 0;
	t->checksum = job->output_chksum;
	t->type = base->type;
	*task_out = task;
	return DOCA_SUCCESS;
}

static doca_error_t engine_submit(struct workq_ctx *workq_ctx, const struct doca_job *job)
{
	struct doca_task *task;
	doca_error_t result = engine_prepare(workq_ctx, job, &task);

	if (likely(result == DOCA_SUCCESS))
		task_queue(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	return result;
}

/* Called once per task. */
static void engine_report(const struct doca_task *task, struct doca_event *event_out)
{
	const struct job_task *t = const_job_task_of(task);

	event_out->type = t->type;
	event_out->user_data = task->user_data;
	event_out->result.u64 = task->status;
	if (task->status == DOCA_SUCCESS && t->checksum != NULL)
		*t->checksum = (uint64_t)t->compress.adler << 32 | t->compress.crc;
}

static void on_done(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	doca_error_t status = task->status;
	struct doca_event event;

	engine_report(task, &event);
	task_put(task);
	workq_complete(ctx_data.ptr, event.type, user_data, event.result, status);
}

/* --- work-queue contexts --- */

static bool workq_ctx_fill(struct doca_compress *compress, uint32_t n_tasks)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct task_pool *pool = &compress->pools[kinds[i]];

		if (task_pool_init(pool, &compress->ctx, n_tasks, sizeof(struct job_task)) < 0)
			return false;
		pool->ok_cb = pool->err_cb = on_done;
	}
	compress->stops_on_failure = false;
	return true;
}

static doca_error_t engine_open(struct legacy_ctx *legacy_ctx, struct workq_ctx *workq_ctx,
				uint32_t n_tasks, struct doca_ctx **core)
{
	struct doca_compress *compress = compress_new(legacy_ctx_dev(legacy_ctx));

	if (compress == NULL || !workq_ctx_fill(compress, n_tasks)) {
		if (compress != NULL)
			compress_delete(compress);
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "ctx workq add: out of memory for %u jobs of compression",
				 n_tasks);
	}
	compress->ctx.user_data.ptr = workq_ctx;
	workq_ctx->state = compress;
	*core = &compress->ctx;
	return DOCA_SUCCESS;
}

static void engine_close(struct workq_ctx *workq_ctx)
{
	compress_delete(workq_ctx->state);
	workq_ctx->state = NULL;
}

static doca_error_t check_dev(const struct doca_devinfo *devinfo)
{
	if (compress_kinds_of(devinfo) != 0)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "ctx dev add: %s does not support compression; key compress of the device "
			 "in the topology allows it; ask doca_compress_job_get_supported first",
			 devinfo->name);
}

static const struct workq_engine engine = {
	.name = "compress",
	.first_type = DOCA_COMPRESS_DEFLATE_JOB,
	.last_type = DOCA_DECOMPRESS_LZ4_JOB,
	.is_event_driven = true,
	.check_dev = check_dev,
	.open = engine_open,
	.close = engine_close,
	.submit = engine_submit,
	.prepare = engine_prepare,
	.report = engine_report,
};

doca_error_t compat_compress_create(struct doca_compress **compress_out)
{
	struct doca_compress *compress;
	doca_error_t result;

	program_api_note(API_2_2, API_2_2);
	if (compress_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress create: the result is NULL");
	compress = compress_new(NULL);
	if (compress == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "compress create: out of memory");
	result = legacy_ctx_attach(&compress->ctx, &engine, API_2_2);
	if (result != DOCA_SUCCESS) {
		compress_delete(compress);
		return result;
	}
	*compress_out = compress;
	return DOCA_SUCCESS;
}

/* --- capabilities --- */

static doca_error_t type_check(int type, const char *call)
{
	if (type >= engine.first_type && type <= engine.last_type)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: there are no compress jobs of type %d",
			 call, type);
}

doca_error_t doca_compress_job_get_supported(struct doca_devinfo *devinfo,
					     enum doca_compress_job_types job_type)
{
	doca_error_t result = type_check((int)job_type, "compress job supported");

	return result != DOCA_SUCCESS ? result : compress_cap_has(devinfo, kind_of((int)job_type));
}

doca_error_t doca_compress_get_max_buf_size(const struct doca_devinfo *devinfo,
					    enum doca_compress_job_types job_type,
					    uint64_t *max_buffer_size)
{
	doca_error_t result = type_check((int)job_type, "compress buffer size");

	return result != DOCA_SUCCESS ? result
				      : compress_cap_max_buf_size(devinfo, kind_of((int)job_type),
								  max_buffer_size);
}

/* Every device that decompresses LZ4 also decompresses DEFLATE, but a topology may say otherwise.
 */
doca_error_t doca_compress_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
						     uint32_t *max_list_num_elem)
{
	for (size_t i = 0; devinfo != NULL && i < ARRAY_LEN(kinds); i++)
		if (compress_has(compress_kinds_of(devinfo), kinds[i]))
			return compress_cap_max_list_len(devinfo, kinds[i], max_list_num_elem);
	return compress_cap_max_list_len(devinfo, COMPRESS_DEFLATE, max_list_num_elem);
}
