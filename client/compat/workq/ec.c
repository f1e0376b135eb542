/*
 * Erasure coding jobs: a work-queue context is an erasure coding object of the current generation,
 * with a task of each kind for every job that may be in flight. Matrices belong to the program's
 * object, and several work queues may use one: a matrix counts its jobs, so that it is not
 * destroyed under them. Threads: see client/compat/workq/workq.h.
 */
#include <doca_erasure_coding.h>
#include <dococ/erasure_coding_workq.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/compat/workq/jobs.h"
#include "client/compat/workq/workq.h"
#include "client/erasure_coding/ec.h"

/* A job of any type begins with these members. */
struct ec_job {
	struct doca_job base;
	struct doca_ec_matrix *matrix;
	const struct doca_buf *src;
	struct doca_buf *dst;
};
_Static_assert(sizeof(struct ec_job) == sizeof(struct doca_ec_job) &&
		       sizeof(struct ec_job) == sizeof(struct doca_ec_job_create) &&
		       sizeof(struct ec_job) == sizeof(struct doca_ec_job_update) &&
		       sizeof(struct ec_job) == sizeof(struct doca_ec_job_recover),
	       "all types of jobs have the same members");
_Static_assert(offsetof(struct doca_ec_job_recover, recover_matrix) ==
			       offsetof(struct ec_job, matrix) &&
		       offsetof(struct doca_ec_job_recover, src_remaining_data_buff) ==
			       offsetof(struct ec_job, src) &&
		       offsetof(struct doca_ec_job_recover, dst_recovered_data_buff) ==
			       offsetof(struct ec_job, dst),
	       "in the same order");

static enum ec_kind kind_of(int type)
{
	return (enum ec_kind)(type - DOCA_EC_JOB_GALOIS_MUL);
}

static struct ec_task *task_of(struct doca_task *task)
{
	return (struct ec_task *)(void *)task;
}

static const struct ec_task *const_task_of(const struct doca_task *task)
{
	return (const struct ec_task *)(const void *)task;
}

/* --- jobs --- */

static doca_error_t engine_prepare(struct workq_ctx *workq_ctx, const struct doca_job *base,
				   struct doca_task **task_out)
{
	const struct ec_job *job = (const struct ec_job *)(const void *)base;
	struct doca_ec *ec = workq_ctx->state;
	enum ec_kind kind = kind_of(base->type);
	struct doca_task *task;
	doca_error_t result;
	struct ec_task *t;

	if (unlikely(job->matrix == NULL || job->src == NULL || job->dst == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "ec %s job: the %s is NULL",
				 ec_kind_names[kind],
				 job->matrix == NULL ? "matrix"
				 : job->src == NULL  ? "source"
						     : "destination");
	result = ec_matrix_check(ec_of(workq_ctx->ctx), job->matrix, kind, "job");
	if (unlikely(result != DOCA_SUCCESS))
		return result;
	task = task_pool_get(&ec->pools[kind], base->user_data);
	if (unlikely(task == NULL))
		return error_hint(DOCA_ERROR_NO_MEMORY,
				  "ec job: all tasks of the work queue are in use");
	t = task_of(task);
	t->src = job->src;
	t->dst = job->dst;
	t->matrix = job->matrix;
	t->kind = (uint8_t)kind;
	atomic_fetch_add_explicit(&job->matrix->n_jobs, 1, memory_order_relaxed);
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
	const struct ec_task *t = const_task_of(task);
	/* The cast is safe: the matrix is that of a job, which may be written. */
	struct doca_ec_matrix *matrix = (struct doca_ec_matrix *)t->matrix;

	event_out->type = DOCA_EC_JOB_GALOIS_MUL + t->kind;
	event_out->user_data = task->user_data;
	event_out->result.u64 = task->status;
	atomic_fetch_sub_explicit(&matrix->n_jobs, 1, memory_order_release);
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

static bool ec_fill(struct doca_ec *ec, uint32_t n_tasks)
{
	for (size_t i = 0; i < EC_N_KINDS; i++) {
		struct task_pool *pool = &ec->pools[i];

		if (task_pool_init(pool, &ec->ctx, n_tasks, sizeof(struct ec_task)) < 0)
			return false;
		pool->fails_ctx = false;
		pool->ok_cb = pool->err_cb = on_done;
	}
	return true;
}

static doca_error_t engine_open(struct legacy_ctx *legacy_ctx, struct workq_ctx *workq_ctx,
				uint32_t n_tasks, struct doca_ctx **core)
{
	struct doca_ec *ec = ec_new(legacy_ctx_dev(legacy_ctx));

	if (ec == NULL || !ec_fill(ec, n_tasks)) {
		if (ec != NULL)
			ec_delete(ec);
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "ctx workq add: out of memory for %u erasure coding tasks",
				 n_tasks);
	}
	ec->ctx.user_data.ptr = workq_ctx;
	workq_ctx->state = ec;
	*core = &ec->ctx;
	return DOCA_SUCCESS;
}

static void engine_close(struct workq_ctx *workq_ctx)
{
	ec_delete(workq_ctx->state);
	workq_ctx->state = NULL;
}

static doca_error_t check_dev(const struct doca_devinfo *devinfo)
{
	return ec_cap_has(devinfo, "ctx dev add");
}

static void dev_changed(struct legacy_ctx *legacy_ctx)
{
	const struct doca_dev *dev = legacy_ctx_dev(legacy_ctx);

	ec_set_limits(ec_of(legacy_ctx->ctx), dev == NULL ? NULL : dev->info);
}

static const struct workq_engine engine = {
	.name = "ec",
	.first_type = DOCA_EC_JOB_GALOIS_MUL,
	.last_type = DOCA_EC_JOB_RECOVER,
	.is_event_driven = true,
	.check_dev = check_dev,
	.dev_changed = dev_changed,
	.open = engine_open,
	.close = engine_close,
	.submit = engine_submit,
	.prepare = engine_prepare,
	.report = engine_report,
};

doca_error_t compat_ec_create(struct doca_ec **ec_out)
{
	struct doca_ec *ec;
	doca_error_t result;

	program_api_note(API_2_2, API_2_2);
	if (ec_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ec create: the result is NULL");
	if (!code_is_built())
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "ec create: this library was built without ISA-L; install "
				 "libisal-dev and build it again");
	ec = ec_new(NULL);
	if (ec == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "ec create: out of memory");
	result = legacy_ctx_attach(&ec->ctx, &engine, API_2_2);
	if (result != DOCA_SUCCESS) {
		ec_delete(ec);
		return result;
	}
	*ec_out = ec;
	return DOCA_SUCCESS;
}

/* --- capabilities --- */

static doca_error_t type_check(int type, const char *call)
{
	if (type >= engine.first_type && type <= engine.last_type)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "%s: there are no erasure coding jobs of type %d", call, type);
}

doca_error_t doca_ec_job_get_supported(struct doca_devinfo *devinfo,
				       enum doca_ec_job_types job_type)
{
	doca_error_t result = type_check((int)job_type, "ec job supported");

	return result != DOCA_SUCCESS ? result
				      : ec_cap_has(devinfo, ec_kind_names[kind_of((int)job_type)]);
}

doca_error_t doca_ec_get_max_buffer_size(const struct doca_devinfo *devinfo,
					 enum doca_ec_job_types job_type, uint32_t *max_buffer_size)
{
	uint64_t size;
	doca_error_t result = type_check((int)job_type, "ec max buffer size");

	if (result == DOCA_SUCCESS)
		result = ec_cap_max_block_size(devinfo, max_buffer_size == NULL ? NULL : &size);
	if (result == DOCA_SUCCESS)
		*max_buffer_size = (uint32_t)MIN(size, EC_MAX_BLOCK_LEN);
	return result;
}

doca_error_t doca_ec_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
					       uint32_t *max_list_num_elem)
{
	return ec_cap_max_list_len(devinfo, max_list_num_elem);
}

/* --- matrices --- */

/* The matrices of this generation are those of the current one under another name. */
doca_error_t doca_ec_matrix_from_raw(struct doca_ec *ctx, uint8_t *data, size_t data_block_count,
				     size_t rdnc_block_count, struct doca_matrix **matrix)
{
	return ec_matrix_from_raw(ctx, data, data_block_count, rdnc_block_count,
				  (struct doca_ec_matrix **)matrix);
}

doca_error_t doca_ec_update_matrix_create(const struct doca_matrix *coding_matrix,
					  struct doca_ec *ctx, uint32_t update_indices[],
					  size_t n_updates, struct doca_matrix **matrix)
{
	return ec_matrix_update(ctx, (const struct doca_ec_matrix *)coding_matrix, update_indices,
				n_updates, (struct doca_ec_matrix **)matrix);
}

doca_error_t doca_ec_recover_matrix_create(const struct doca_matrix *coding_matrix,
					   struct doca_ec *ctx, uint32_t missing_indices[],
					   size_t n_missing, struct doca_matrix **matrix)
{
	return ec_matrix_recover(ctx, (const struct doca_ec_matrix *)coding_matrix, missing_indices,
				 n_missing, (struct doca_ec_matrix **)matrix);
}
