/*
 * SHA jobs: a work-queue context is a SHA object of the current generation, with a task of each
 * kind for every job that may be in flight. A session carries the state of a message from one task
 * to the next. The tasks of a work queue run in order of submission, so segments may be queued.
 * Sessions belong to the work-queue context of the queue's jobs; graphs, which have work-queue
 * contexts of their own, use them too. Threads: see client/compat/workq/workq.h.
 */
#include <stdlib.h>

#include <doca_sha.h>
#include <dococ/sha_workq.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/compat/workq/jobs.h"
#include "client/compat/workq/workq.h"
#include "client/sha/sha.h"
#include "util/str.h"

struct sha_workq_ctx {
	struct doca_sha *sha;
	struct list sessions;
	bool is_overwriting;
};

struct doca_sha_partial_session {
	struct list node; /* in the work-queue context's list of sessions */
	union sha_digest digest;
	uint8_t algorithm; /* the message's algorithm */
	bool is_begun;
	bool is_orphan;  /* its work-queue context is closed; the last job frees it */
	uint32_t n_jobs; /* jobs in flight */
};

/* A task for a segment. */
struct session_task {
	struct sha_partial_task partial;
	struct doca_sha_partial_session *session;
};

static struct sha_workq_ctx *sha_workq_ctx_of(const struct doca_ctx *core)
{
	const struct workq_ctx *workq_ctx = core->user_data.ptr;

	return workq_ctx->state;
}

static struct sha_task *task_of(struct doca_task *task)
{
	return (struct sha_task *)(void *)task;
}

static struct session_task *session_task_of(struct doca_task *task)
{
	return (struct session_task *)(void *)task;
}

static const struct sha_task *const_task_of(const struct doca_task *task)
{
	return (const struct sha_task *)(const void *)task;
}

static bool is_partial_type(int type)
{
	return type >= DOCA_SHA_JOB_SHA1_PARTIAL;
}

static enum doca_sha_algorithm algorithm_of(int type)
{
	return (enum doca_sha_algorithm)(
		type - (is_partial_type(type) ? DOCA_SHA_JOB_SHA1_PARTIAL : DOCA_SHA_JOB_SHA1));
}

/* --- execution --- */

/* Applies the rule before 2.2: existing data of the destination is overwritten. */
static void forget_data(const struct sha_workq_ctx *workq_ctx, struct doca_buf *dst)
{
	for (; unlikely(workq_ctx->is_overwriting) && dst != NULL; dst = dst->next)
		dst->data_len = 0;
}

static doca_error_t hash_execute(struct doca_task *task)
{
	forget_data(sha_workq_ctx_of(task->ctx), task_of(task)->dst);
	return sha_hash_execute(task);
}

static doca_error_t session_execute(struct doca_task *task)
{
	struct session_task *st = session_task_of(task);
	struct doca_sha_partial_session *session = st->session;
	struct sha_task *t = &st->partial.base;
	doca_error_t result;

	if (session->is_begun && session->algorithm != t->algorithm) {
		session->is_begun = false;
		return error_set(DOCA_ERROR_IO_FAILED,
				 "sha partial job: the session's message was begun with another "
				 "algorithm; it is discarded");
	}
	t->is_begun = session->is_begun;
	if (t->is_begun)
		st->partial.digest = session->digest;
	if (t->is_final)
		forget_data(sha_workq_ctx_of(task->ctx), t->dst);
	result = sha_partial_execute(task);
	session->is_begun = result == DOCA_SUCCESS && !t->is_final;
	session->algorithm = t->algorithm;
	if (session->is_begun)
		session->digest = st->partial.digest;
	return result;
}

/* --- jobs --- */

static struct doca_sha_partial_session *session_find(const struct sha_workq_ctx *workq_ctx,
						     const struct doca_sha_partial_session *wanted)
{
	struct doca_sha_partial_session *session;

	list_for_each(session, &workq_ctx->sessions, node)
	{
		if (session == wanted)
			return session;
	}
	return NULL;
}

static doca_error_t job_check(const struct sha_workq_ctx *workq_ctx, const struct doca_sha_job *job)
{
	bool is_partial = is_partial_type(job->base.type);
	uint64_t flags = is_partial ? DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL : 0;
	enum doca_sha_algorithm algorithm = algorithm_of(job->base.type);

	if (job->req_buf == NULL || job->resp_buf == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha job: %s is NULL",
				 job->req_buf == NULL ? "req_buf" : "resp_buf");
	if ((job->flags & ~flags) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sha job: the flags %#llx are not of this type of job; a partial "
				 "one may have SHA_PARTIAL_FINAL",
				 (unsigned long long)job->flags);
	if (!sha_has(is_partial ? workq_ctx->sha->partial_algorithms : workq_ctx->sha->algorithms,
		     algorithm))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sha job: the device has no jobs of type %d; ask "
				 "doca_sha_job_get_supported first",
				 job->base.type);
	return DOCA_SUCCESS;
}

static doca_error_t session_check(const struct workq_ctx *workq_ctx,
				  const struct doca_sha_partial_job *job)
{
	const struct workq_ctx *owner = workq_ctx_find(workq_ctx->workq, workq_ctx->ctx);

	if (owner != NULL && session_find(owner->state, job->session) != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "sha partial job: the session %s; make one with "
			 "doca_sha_partial_session_create",
			 job->session == NULL ? "is NULL"
					      : "does not belong to this context and work queue");
}

static doca_error_t engine_prepare(struct workq_ctx *workq_ctx, const struct doca_job *base,
				   struct doca_task **task_out)
{
	const struct doca_sha_job *job = (const struct doca_sha_job *)base;
	struct sha_workq_ctx *sl = workq_ctx->state;
	bool is_partial = is_partial_type(base->type);
	doca_error_t result = job_check(sl, job);
	struct doca_task *task;
	struct sha_task *t;

	if (likely(result == DOCA_SUCCESS) && is_partial)
		result = session_check(workq_ctx, (const struct doca_sha_partial_job *)base);
	if (unlikely(result != DOCA_SUCCESS))
		return result;
	task = task_pool_get(is_partial ? &sl->sha->partial_pool : &sl->sha->hash_pool,
			     base->user_data);
	if (unlikely(task == NULL))
		return error_hint(DOCA_ERROR_NO_MEMORY,
				  "sha job: all digests of the work queue are in use");
	t = task_of(task);
	t->src = job->req_buf;
	t->dst = job->resp_buf;
	t->algorithm = (uint8_t)algorithm_of(base->type);
	t->is_final = job->flags != 0;
	t->has_result = t->is_begun = false;
	if (is_partial) {
		session_task_of(task)->session =
			((const struct doca_sha_partial_job *)base)->session;
		session_task_of(task)->session->n_jobs++;
	}
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

static void session_release(struct doca_sha_partial_session *session)
{
	if (--session->n_jobs == 0 && session->is_orphan)
		free(session);
}

/* Called once per task. */
static void engine_report(const struct doca_task *task, struct doca_event *event_out)
{
	const struct doca_sha *sha = sha_of(task->ctx);
	bool is_partial = task->pool == &sha->partial_pool;

	event_out->type = (is_partial ? DOCA_SHA_JOB_SHA1_PARTIAL : DOCA_SHA_JOB_SHA1) +
			  const_task_of(task)->algorithm;
	event_out->user_data = task->user_data;
	event_out->result.u64 = task->status;
	if (is_partial)
		session_release(((const struct session_task *)(const void *)task)->session);
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

static struct sha_workq_ctx *workq_ctx_delete(struct sha_workq_ctx *workq_ctx)
{
	while (!list_is_empty(&workq_ctx->sessions)) {
		struct doca_sha_partial_session *session =
			list_entry(workq_ctx->sessions.next, struct doca_sha_partial_session, node);

		list_remove(&session->node);
		session->is_orphan = true;
		if (session->n_jobs == 0)
			free(session);
	}
	if (workq_ctx->sha != NULL)
		sha_delete(workq_ctx->sha);
	free(workq_ctx);
	return NULL;
}

static bool workq_ctx_fill(struct sha_workq_ctx *workq_ctx, uint32_t n_tasks)
{
	struct doca_sha *sha = workq_ctx->sha;

	if (sha == NULL ||
	    task_pool_init(&sha->hash_pool, &sha->ctx, n_tasks, sizeof(struct sha_task)) < 0 ||
	    task_pool_init(&sha->partial_pool, &sha->ctx, n_tasks, sizeof(struct session_task)) < 0)
		return false;
	sha->is_for_jobs = true;
	sha->hash_pool.execute = hash_execute;
	sha->partial_pool.execute = session_execute;
	sha->hash_pool.fails_ctx = sha->partial_pool.fails_ctx = false;
	sha->hash_pool.ok_cb = sha->hash_pool.err_cb = on_done;
	sha->partial_pool.ok_cb = sha->partial_pool.err_cb = on_done;
	return true;
}

static doca_error_t engine_open(struct legacy_ctx *legacy_ctx, struct workq_ctx *workq_ctx,
				uint32_t n_tasks, struct doca_ctx **core)
{
	struct sha_workq_ctx *sl = calloc(1, sizeof(*sl));

	if (sl == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx workq add: out of memory");
	list_init(&sl->sessions);
	sl->is_overwriting = workq_overwrites(workq_ctx->workq);
	sl->sha = sha_new(legacy_ctx_dev(legacy_ctx));
	if (!workq_ctx_fill(sl, n_tasks)) {
		workq_ctx_delete(sl);
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "ctx workq add: out of memory for %u digests", n_tasks);
	}
	sl->sha->ctx.user_data.ptr = workq_ctx;
	workq_ctx->state = sl;
	*core = &sl->sha->ctx;
	return DOCA_SUCCESS;
}

static void engine_close(struct workq_ctx *workq_ctx)
{
	workq_ctx->state = workq_ctx_delete(workq_ctx->state);
}

static doca_error_t check_dev(const struct doca_devinfo *devinfo)
{
	if ((devinfo->caps.sha_algorithms | devinfo->caps.sha_partial_algorithms) != 0)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "ctx dev add: %s does not support it; key sha of the device in the "
			 "topology allows it; ask doca_sha_job_get_supported first",
			 devinfo->name);
}

static const struct workq_engine engine = {
	.name = "sha",
	.first_type = DOCA_SHA_JOB_SHA1,
	.last_type = DOCA_SHA_JOB_SHA512_PARTIAL,
	.is_event_driven = true,
	.check_dev = check_dev,
	.open = engine_open,
	.close = engine_close,
	.submit = engine_submit,
	.prepare = engine_prepare,
	.report = engine_report,
};

doca_error_t compat_sha_create(struct doca_sha **sha_out)
{
	struct doca_sha *sha;
	doca_error_t result;

	program_api_note(API_2_0, API_2_2);
	if (sha_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha create: the result is NULL");
	sha = sha_new(NULL);
	if (sha == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "sha create: out of memory");
	result = legacy_ctx_attach(&sha->ctx, &engine, API_2_0);
	if (result != DOCA_SUCCESS) {
		sha_delete(sha);
		return result;
	}
	*sha_out = sha;
	return DOCA_SUCCESS;
}

/* --- sessions --- */

/* Returns the work-queue context, or NULL and *result with an error sentence. */
static struct sha_workq_ctx *sessions_of(struct doca_sha *sha, struct doca_workq *workq,
					 const char *call, doca_error_t *result)
{
	const struct workq_ctx *workq_ctx;

	*result = DOCA_ERROR_INVALID_VALUE;
	if (sha == NULL || workq == NULL) {
		error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
			  sha == NULL ? "ctx" : "workq");
		return NULL;
	}
	if (sha->ctx.legacy == NULL) {
		*result = api_refuse(call, "sha object", API_TASK);
		return NULL;
	}
	workq_ctx = workq_ctx_find(workq, &sha->ctx);
	if (workq_ctx != NULL)
		return workq_ctx->state;
	error_set(DOCA_ERROR_INVALID_VALUE,
		  "%s: the work queue is not added to the context; call doca_ctx_workq_add first",
		  call);
	return NULL;
}

static doca_error_t no_session(const char *call, const char *which, const void *session)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s %s", call, which,
			 session == NULL ? "is NULL"
					 : "does not belong to this context and work queue");
}

doca_error_t doca_sha_partial_session_create(struct doca_sha *ctx, struct doca_workq *workq,
					     struct doca_sha_partial_session **session_out)
{
	static const char call[] = "sha partial session create";
	doca_error_t result;
	struct sha_workq_ctx *workq_ctx = sessions_of(ctx, workq, call, &result);
	struct doca_sha_partial_session *session;

	if (workq_ctx == NULL)
		return result;
	if (session_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the result is NULL", call);
	session = calloc(1, sizeof(*session));
	if (session == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory", call);
	list_append(&workq_ctx->sessions, &session->node);
	*session_out = session;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_partial_session_destroy(struct doca_sha *ctx, struct doca_workq *workq,
					      struct doca_sha_partial_session *session)
{
	static const char call[] = "sha partial session destroy";
	doca_error_t result;
	const struct sha_workq_ctx *workq_ctx = sessions_of(ctx, workq, call, &result);

	if (workq_ctx == NULL)
		return result;
	if (session_find(workq_ctx, session) == NULL)
		return no_session(call, "session", session);
	if (session->n_jobs != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %u %s in flight; retrieve their events first", call,
				 session->n_jobs,
				 plural(session->n_jobs, "job of the session is",
					"jobs of the session are"));
	list_remove(&session->node);
	free(session);
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_partial_session_copy(struct doca_sha *ctx, struct doca_workq *workq,
					   const struct doca_sha_partial_session *from_session,
					   struct doca_sha_partial_session *to_session)
{
	static const char call[] = "sha partial session copy";
	doca_error_t result;
	const struct sha_workq_ctx *workq_ctx = sessions_of(ctx, workq, call, &result);

	if (workq_ctx == NULL)
		return result;
	if (session_find(workq_ctx, from_session) == NULL)
		return no_session(call, "from_session", from_session);
	if (session_find(workq_ctx, to_session) == NULL)
		return no_session(call, "to_session", to_session);
	if (from_session->n_jobs != 0 || to_session->n_jobs != 0)
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "%s: jobs of %s are in flight; retrieve their events first", call,
				 from_session->n_jobs != 0 ? "from_session" : "to_session");
	to_session->digest = from_session->digest;
	to_session->algorithm = from_session->algorithm;
	to_session->is_begun = from_session->is_begun;
	return DOCA_SUCCESS;
}

/* --- capabilities --- */

static doca_error_t type_check(int type, const char *call)
{
	if (type >= engine.first_type && type <= engine.last_type)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: there are no SHA jobs of type %d", call,
			 type);
}

doca_error_t doca_sha_job_get_supported(const struct doca_devinfo *devinfo,
					enum doca_sha_job_type job_type)
{
	doca_error_t result = type_check((int)job_type, "sha job supported");

	return result != DOCA_SUCCESS ? result
				      : sha_cap_has(devinfo, is_partial_type((int)job_type),
						    algorithm_of((int)job_type));
}

doca_error_t doca_sha_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
						uint32_t *max_list_num_elem)
{
	return sha_cap_max_list_len(devinfo, max_list_num_elem);
}

doca_error_t doca_sha_get_max_src_buffer_size(const struct doca_devinfo *devinfo,
					      uint64_t *max_buffer_size)
{
	return sha_cap_max_src_len(devinfo, max_buffer_size);
}

doca_error_t doca_sha_get_min_dst_buffer_size(const struct doca_devinfo *devinfo,
					      enum doca_sha_job_type job_type,
					      uint32_t *min_buffer_size)
{
	doca_error_t result = type_check((int)job_type, "sha destination size");

	return result != DOCA_SUCCESS
		       ? result
		       : sha_cap_min_dst_len(devinfo, algorithm_of((int)job_type), min_buffer_size);
}

doca_error_t doca_sha_get_hardware_supported(const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha hardware: devinfo is NULL");
	return error_note(DOCA_ERROR_NOT_SUPPORTED,
			  "sha hardware: %s has none for it; the processor computes digests",
			  devinfo->name);
}

/* --- 2.5 --- */

doca_error_t doca_sha_cap_get_max_src_buffer_size(struct doca_devinfo const *devinfo,
						  uint64_t *max_buffer_size)
{
	return sha_cap_max_src_len(devinfo, max_buffer_size);
}

doca_error_t doca_sha_cap_get_min_dst_buffer_size(struct doca_devinfo const *devinfo,
						  enum doca_sha_algorithm task_type,
						  uint32_t *min_buffer_size)
{
	return sha_cap_min_dst_len(devinfo, task_type, min_buffer_size);
}

doca_error_t doca_sha_task_partial_hash_set_is_final_buffer(struct doca_sha_task_partial_hash *task)
{
	return sha_partial_set_final((struct sha_task *)task);
}
