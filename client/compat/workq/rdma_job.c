/*
 * RDMA of 2.0 to 2.2: an object has one connection, and operations are jobs of one work queue.
 *
 * The program's object is a legacy context (client/compat/workq/workq.h), which has the
 * configuration. Between its start and stop there is an internal RDMA object with a domain and the
 * connection, because programs export before they have a queue. The internal object is connected to
 * a progress engine of its own until a work queue is added, and is then moved to that queue's
 * engine.
 *
 * The work queue has a task of each kind for each of its jobs. Submitting a job allocates nothing,
 * takes no lock and makes no system call of its own. Threads: see client/compat/workq/workq.h; an
 * object belongs to the thread of its queue.
 */
#include <poll.h>
#include <stdlib.h>

#include <dococ/ctx_workq.h>

#include "client/base/program_api.h"
#include "client/compat/rdma/rdma.h"
#include "client/compat/workq/workq.h"
#include "client/rdma/rdma.h"
#include "util/str.h"

/* The job types have the same order as the kinds of tasks. */
#define FIRST_TYPE  (DOCA_ACTION_RDMA_FIRST + 1)
#define N_JOB_KINDS ((unsigned)RDMA_TASK_FETCH_ADD + 1)

/* The interval at which a waiting stop checks again. */
#define STOP_CHECK_MS 100

struct rdma_jobs {
	struct doca_rdma *core;
	struct doca_pe *rest;
	struct workq_ctx *workq_ctx; /* NULL: no work queue is added */
};

/* The values of enum doca_rdma_state. */
enum { STATE_RESET, STATE_INIT, STATE_CONNECTED, STATE_ERROR };

static bool conn_is_over(const struct doca_rdma_connection *conn)
{
	return conn != NULL && (conn->state == CONN_OVER || conn->state == CONN_ENDING);
}

/* --- jobs --- */

/* The data sections of a destination whose contents are overwritten, for receives and reads. */
struct place {
	struct doca_buf *buf;
	size_t lens[RDMA_MAX_SGES];
};

static bool place_clear(struct place *place, struct doca_buf *buf)
{
	size_t n = 0;

	place->buf = buf;
	for (const struct doca_buf *pos = buf; pos != NULL; pos = pos->next) {
		if (n == ARRAY_LEN(place->lens))
			return false;
		place->lens[n++] = pos->data_len;
	}
	for (; buf != NULL; buf = buf->next)
		buf->data_len = 0;
	return true;
}

static void place_restore(const struct place *place)
{
	size_t n = 0;

	for (struct doca_buf *pos = place->buf; pos != NULL; pos = pos->next)
		pos->data_len = place->lens[n++];
}

/* Returns whether the job overwrites the destination's data. A receive always does. Reads follow
 * the rule of their version. */
static bool job_overwrites(const struct workq_ctx *workq_ctx, enum rdma_kind kind)
{
	return kind == RDMA_TASK_RECEIVE ||
	       (kind == RDMA_TASK_READ && workq_overwrites(workq_ctx->workq));
}

static doca_error_t task_submit(struct rdma_task *t)
{
	struct doca_rdma *core = rdma_of(t->task.ctx);

	/* There is no peer that could send. */
	if (unlikely(t->kind == RDMA_TASK_RECEIVE && conn_is_over(core->only))) {
		task_hold(&t->task);
		task_release(&t->task, DOCA_ERROR_CONNECTION_RESET);
		return DOCA_SUCCESS;
	}
	return t->task.pool->submit(&t->task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

/* Translates to the codes of doca_workq_submit(). An error sentence is recorded already, except for
 * a full queue. */
static doca_error_t submit_code(doca_error_t result)
{
	switch (result) {
	case DOCA_ERROR_AGAIN:
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "workq submit: the queue of the rdma context is full; retrieve "
				 "events first, or set its queues' sizes before the start");
	case DOCA_ERROR_NOT_CONNECTED:
		return DOCA_ERROR_BAD_STATE;
	default:
		return result;
	}
}

static doca_error_t job_explain(const struct doca_rdma *core, enum rdma_kind kind)
{
	if (core->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma %s job: the device is gone; remove the work queue and stop "
				 "the context",
				 rdma_kind_names[kind]);
	if (kind != RDMA_TASK_RECEIVE && core->only == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma %s job: the context is not connected; call doca_rdma_export "
				 "and doca_rdma_connect first",
				 rdma_kind_names[kind]);
	return error_hint(DOCA_ERROR_NO_MEMORY, "rdma job: all tasks of the work queue are in use");
}

static doca_error_t engine_submit(struct workq_ctx *workq_ctx, const struct doca_job *job)
{
	const struct rdma_jobs *jobs = workq_ctx->state;
	struct doca_rdma *core = jobs->core;
	enum rdma_kind kind = (enum rdma_kind)(job->type - FIRST_TYPE);
	struct rdma_task *t = rdma_task_allocate(core, kind, core->only, job->user_data, &core);
	bool overwrites = job_overwrites(workq_ctx, kind);
	struct rdma_former_task about;
	struct place place = {.buf = NULL};
	doca_error_t result;

	if (unlikely(t == NULL))
		return job_explain(core, kind);
	rdma_job_read(job, &about);
	t->src = about.src;
	t->dst = about.dst;
	t->result = about.result;
	t->imm = about.imm;
	t->wr.compare = about.compare;
	t->wr.value = about.value;
	if (unlikely(overwrites && !place_clear(&place, about.dst))) {
		task_put(&t->task);
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma %s job: the list of buffers has more than %zu elements",
				 rdma_kind_names[kind], ARRAY_LEN(place.lens));
	}
	result = task_submit(t);
	if (likely(result == DOCA_SUCCESS))
		return DOCA_SUCCESS;
	if (overwrites)
		place_restore(&place);
	task_put(&t->task);
	return submit_code(result);
}

static int opcode_of(const struct rdma_task *t)
{
	return t->wr.received_as == RDMA_SEND_IMM ? 1 : t->wr.received_as == RDMA_WRITE_IMM ? 2 : 0;
}

static void on_done(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	const struct rdma_task *t = rdma_task_of(task);
	const struct workq_ctx *workq_ctx = ctx_data.ptr;
	struct rdma_job_result result = {.status = task->status};
	int type = FIRST_TYPE + (int)t->kind;
	_Alignas(8) uint8_t record[WORKQ_RECORD_LEN];

	if (result.status == DOCA_SUCCESS && t->kind == RDMA_TASK_RECEIVE) {
		result.opcode = opcode_of(t);
		result.len = t->len;
		result.imm = t->wr.imm;
	} else if (result.status == DOCA_SUCCESS && t->kind == RDMA_TASK_READ) {
		result.len = t->len;
	}
	task_put(task);
	rdma_job_write_result(record, &result);
	workq_post_record(workq_ctx->workq, type, user_data, record, result.status);
}

/* --- the work queue --- */

static doca_error_t workq_ctx_adopt_rdma(struct rdma_jobs *jobs, struct workq_ctx *workq_ctx,
					 uint32_t n_tasks)
{
	struct doca_rdma *core = jobs->core;
	int r;

	for (unsigned kind = 0; kind < N_JOB_KINDS; kind++) {
		core->n_tasks[kind] = n_tasks;
		core->pools[kind].ok_cb = core->pools[kind].err_cb = on_done;
	}
	core->ctx.user_data.ptr = workq_ctx;
	if (rdma_pools_make(core, N_JOB_KINDS) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx workq add: out of memory for %u %s",
				 n_tasks, plural(n_tasks, "job", "jobs"));
	r = rdma_move(core, workq_ctx->workq->pe);
	if (r < 0)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "ctx workq add: the rdma context's port cannot be watched (error "
				 "%d)",
				 -r);
	return DOCA_SUCCESS;
}

static doca_error_t engine_open(struct legacy_ctx *legacy_ctx, struct workq_ctx *workq_ctx,
				uint32_t n_tasks, struct doca_ctx **core)
{
	struct rdma_jobs *jobs = rdma_of(legacy_ctx->ctx)->jobs;
	doca_error_t result;

	if (jobs->workq_ctx != NULL)
		return error_set(
			DOCA_ERROR_IN_USE,
			"ctx workq add: another work queue has the rdma context, whose one "
			"connection belongs to it");
	if (jobs->core->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "ctx workq add: the device of the rdma context is gone; stop the "
				 "context");
	result = workq_make_records(workq_ctx->workq);
	if (result == DOCA_SUCCESS)
		result = workq_ctx_adopt_rdma(jobs, workq_ctx, n_tasks);
	if (result != DOCA_SUCCESS) {
		rdma_pools_deinit(jobs->core);
		return result;
	}
	jobs->workq_ctx = workq_ctx;
	workq_ctx->state = jobs;
	*core = &jobs->core->ctx;
	return DOCA_SUCCESS;
}

static void engine_close(struct workq_ctx *workq_ctx)
{
	struct rdma_jobs *jobs = workq_ctx->state;

	/* Without an engine the object receives no events, but it is stopped next. */
	if (rdma_move(jobs->core, jobs->rest) < 0)
		sdk_warning("rdma: the port of a context without work queue is not watched");
	rdma_pools_deinit(jobs->core);
	jobs->workq_ctx = NULL;
}

/* Receives wait for messages. If nothing else is in flight they are ended, and the connection with
 * them: otherwise its peer could send messages that nothing receives. */
static void workq_ctx_end_waiting(struct workq_ctx *workq_ctx)
{
	const struct rdma_jobs *jobs = workq_ctx->state;
	struct doca_rdma *core = jobs->core;
	const struct doca_rdma_connection *conn = core->only;

	if (core->ctx.state != DOCA_CTX_STATE_RUNNING ||
	    (conn != NULL && (conn->n_posted != 0 || conn->n_waiting != 0)))
		return;
	rdma_conns_disconnect(core);
	core->ops->flush_recvs(core->domain);
}

/* --- the legacy context --- */

static doca_error_t check_dev(const struct doca_devinfo *devinfo)
{
	struct rdma_limits limits;
	char why[512];

	if (rdma_provider_of(devinfo, &limits, why, sizeof(why)) != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "ctx dev add: %s has no RDMA: %s; ask doca_rdma_job_get_supported first",
			 devinfo->name, why);
}

static void dev_changed(struct legacy_ctx *legacy_ctx)
{
	const struct doca_dev *dev = legacy_ctx_dev(legacy_ctx);

	/* The provider was available when the device was checked. Without one, the object has no
	 * device. */
	rdma_set_device(rdma_of(legacy_ctx->ctx), dev == NULL ? NULL : dev->info, "ctx dev add");
}

/* Stops the internal object. In this generation a stop is complete when it returns. */
static void core_stop(struct rdma_jobs *jobs)
{
	struct doca_ctx *ctx = &jobs->core->ctx;
	struct pollfd fd = {.fd = jobs->rest->epoll_fd, .events = POLLIN};

	while (ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS &&
	       rdma_domain_is_draining(jobs->core->domain)) {
		if (pe_progress(jobs->rest) || pe_request_notification(jobs->rest) != DOCA_SUCCESS)
			continue;
		(void)poll(&fd, 1, STOP_CHECK_MS);
		(void)pe_clear_notification(jobs->rest);
	}
}

static struct rdma_jobs *jobs_delete(struct rdma_jobs *jobs)
{
	if (jobs->core != NULL) {
		core_stop(jobs);
		rdma_object_delete(jobs->core);
	}
	if (jobs->rest != NULL)
		pe_delete(jobs->rest);
	free(jobs);
	return NULL;
}

static doca_error_t jobs_fill(struct rdma_jobs *jobs, struct legacy_ctx *legacy_ctx)
{
	const struct doca_rdma *rdma = rdma_of(legacy_ctx->ctx);
	doca_error_t result = pe_new(&jobs->rest);
	struct doca_rdma *core;

	if (result == DOCA_SUCCESS)
		result = rdma_object_new(legacy_ctx_dev(legacy_ctx), RDMA_FORM_JOBS, &jobs->core);
	if (result != DOCA_SUCCESS)
		return result;
	core = jobs->core;
	core->mtu = rdma->mtu;
	core->conf = rdma->conf;
	core->conf.max_qps = 1;
	core->conf.max_send_sges = core->limits.max_send_sges;
	ctx_connect(&core->ctx, jobs->rest);
	return ctx_start(&core->ctx);
}

static doca_error_t engine_start(struct legacy_ctx *legacy_ctx)
{
	struct rdma_jobs *jobs = calloc(1, sizeof(*jobs));
	doca_error_t result = DOCA_ERROR_NO_MEMORY;

	if (jobs != NULL)
		result = jobs_fill(jobs, legacy_ctx);
	else
		error_set(DOCA_ERROR_NO_MEMORY, "ctx start: out of memory");
	if (result == DOCA_SUCCESS) {
		rdma_of(legacy_ctx->ctx)->jobs = jobs;
		return DOCA_SUCCESS;
	}
	if (jobs != NULL)
		jobs_delete(jobs);
	/* The contract has one code for anything that is missing; an error sentence with the cause
	 * is recorded. */
	return DOCA_ERROR_INITIALIZATION;
}

static void engine_stop(struct legacy_ctx *legacy_ctx)
{
	struct doca_rdma *rdma = rdma_of(legacy_ctx->ctx);

	rdma->jobs = jobs_delete(rdma->jobs);
}

static const struct workq_engine engine = {
	.name = "rdma",
	.first_type = FIRST_TYPE,
	.last_type = FIRST_TYPE + (int)N_JOB_KINDS - 1,
	.is_event_driven = true,
	.is_kept = true,
	.check_dev = check_dev,
	.dev_changed = dev_changed,
	.start = engine_start,
	.stop = engine_stop,
	.open = engine_open,
	.close = engine_close,
	.end_waiting = workq_ctx_end_waiting,
	.submit = engine_submit,
};

doca_error_t rdma_workq_create(struct doca_rdma **rdma_out)
{
	struct doca_rdma *rdma;
	doca_error_t result;

	program_api_note(API_2_0, API_2_2);
	if (rdma_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma create: the result is NULL");
	result = rdma_legacy_new(&rdma);
	if (result != DOCA_SUCCESS)
		return result;
	result = legacy_ctx_attach(&rdma->ctx, &engine, API_2_0);
	if (result != DOCA_SUCCESS) {
		rdma_object_delete(rdma);
		return result;
	}
	*rdma_out = rdma;
	return DOCA_SUCCESS;
}

/* --- the object --- */

static doca_error_t old_check(const struct doca_rdma *rdma, const void *arg, const char *call)
{
	if (rdma == NULL || arg == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				 rdma == NULL ? "rdma" : "an argument");
	if (rdma->form == RDMA_FORM_JOBS)
		return DOCA_SUCCESS;
	return api_refuse(call, "RDMA object", API_TASK);
}

doca_error_t rdma_workq_set_recv_list(struct doca_rdma *rdma, uint32_t n_bufs)
{
	doca_error_t result = old_check(rdma, rdma, "rdma set recv buf chain len");

	return result == DOCA_SUCCESS ? rdma_set_recv_list(rdma, n_bufs) : result;
}

doca_error_t rdma_workq_get_recv_list(const struct doca_rdma *rdma, uint32_t *n_bufs_out)
{
	doca_error_t result = old_check(rdma, n_bufs_out, "rdma get recv buf chain len");

	return result == DOCA_SUCCESS ? rdma_get_recv_list(rdma, n_bufs_out) : result;
}

static int jobs_state(const struct rdma_jobs *jobs)
{
	const struct doca_rdma_connection *conn;

	if (jobs == NULL)
		return STATE_RESET;
	conn = jobs->core->only;
	if (jobs->core->ctx.state != DOCA_CTX_STATE_RUNNING || conn_is_over(conn))
		return STATE_ERROR;
	return conn == NULL || conn->state == CONN_EXPORTED ? STATE_INIT : STATE_CONNECTED;
}

doca_error_t rdma_workq_get_state(const struct doca_rdma *rdma, int *state_out)
{
	doca_error_t result = old_check(rdma, state_out, "rdma get state");

	if (result != DOCA_SUCCESS)
		return result;
	if (rdma->ops == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma get state: the context has no device; call doca_ctx_dev_add "
				 "first");
	*state_out = jobs_state(rdma->jobs);
	return DOCA_SUCCESS;
}

doca_error_t rdma_workq_export(struct doca_rdma *rdma, const void **params_out, size_t *len_out)
{
	struct doca_rdma *core = rdma->jobs == NULL ? NULL : rdma->jobs->core;

	if (core == NULL || core->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma export: the context is %s; call doca_ctx_start first",
				 core == NULL ? "not started"
					      : "without its device, which is gone");
	if (core->only == NULL && rdma_conn_export(core, &core->only) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	*params_out = core->only->details;
	*len_out = core->only->details_len;
	return DOCA_SUCCESS;
}

doca_error_t rdma_workq_connect(struct doca_rdma *rdma, const void *details, size_t len)
{
	struct doca_rdma *core = rdma->jobs == NULL ? NULL : rdma->jobs->core;

	if (core == NULL || core->only == NULL || core->only->state != CONN_EXPORTED)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"rdma connect: the context is %s; start it, then export and connect "
			"once",
			core == NULL               ? "not started"
			: core->only == NULL       ? "not exported"
			: conn_is_over(core->only) ? "no longer connected"
						   : "connected");
	return rdma_conn_connect(core->only, details, len);
}

/* --- capabilities --- */

doca_error_t rdma_workq_cap(const struct doca_devinfo *info, enum rdma_workq_limit which,
			    uint32_t *n_out)
{
	static const struct {
		const char *what;
		size_t at;
	} limit_of[] = {
		[RDMA_WORKQ_RECV_QUEUE] = {"rdma get max recv queue size",
					   offsetof(struct rdma_limits, max_recv_queue)},
		[RDMA_WORKQ_SEND_QUEUE] = {"rdma get max send queue size",
					   offsetof(struct rdma_limits, max_send_queue)},
		[RDMA_WORKQ_MESSAGE] = {"rdma get max message size",
					offsetof(struct rdma_limits, max_message)},
		[RDMA_WORKQ_GIDS] = {"rdma get gid table size",
				     offsetof(struct rdma_limits, n_gids)},
	};
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(info, n_out, limit_of[which].what, &limits);

	if (result == DOCA_SUCCESS)
		*n_out = *(const uint32_t *)(const void *)((const char *)&limits +
							   limit_of[which].at);
	return result;
}

doca_error_t rdma_workq_cap_gids(const struct doca_devinfo *info, uint32_t start, uint32_t n,
				 struct doca_rdma_gid *gids_out)
{
	return rdma_cap_gids(info, start, n, gids_out);
}

doca_error_t rdma_workq_cap_transport(const struct doca_devinfo *info, int transport)
{
	return rdma_cap_transport(info, transport);
}

static doca_error_t check_type(int type, const char *call)
{
	if (type >= engine.first_type && type <= engine.last_type)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: there are no jobs of type %d", call, type);
}

doca_error_t rdma_workq_cap_job(const struct doca_devinfo *info, int type)
{
	doca_error_t result = check_type(type, "rdma job supported");

	return result == DOCA_SUCCESS ? rdma_cap_kind(info, (enum rdma_kind)(type - FIRST_TYPE))
				      : result;
}

doca_error_t rdma_workq_cap_list(const struct doca_devinfo *info, int type, int transport,
				 uint32_t *n_out)
{
	static const char call[] = "rdma get max buf chain len";
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(info, n_out, call, &limits);

	if (result == DOCA_SUCCESS)
		result = check_type(type, call);
	if (result == DOCA_SUCCESS)
		result = rdma_cap_transport(info, transport);
	/* The contract has this code for what a device lacks. */
	if (result != DOCA_SUCCESS)
		return result == DOCA_ERROR_NOT_SUPPORTED ? DOCA_ERROR_DRIVER : result;
	switch ((enum rdma_kind)(type - FIRST_TYPE)) {
	case RDMA_TASK_RECEIVE:
		*n_out = limits.max_recv_sges;
		break;
	case RDMA_TASK_CMP_SWP:
	case RDMA_TASK_FETCH_ADD:
		*n_out = 1;
		break;
	default:
		*n_out = limits.max_send_sges;
		break;
	}
	return DOCA_SUCCESS;
}
