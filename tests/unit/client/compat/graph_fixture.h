/*
 * Fixture of the tests of graphs of jobs: two legacy contexts of a toy library, whose jobs do what
 * the test defines when they are executed, and a work queue.
 */
#ifndef TESTS_UNIT_CLIENT_COMPAT_GRAPH_FIXTURE_H
#define TESTS_UNIT_CLIENT_COMPAT_GRAPH_FIXTURE_H

#include <doca_graph.h>
#include <dococ/graph_workq.h>

#include "client/compat/workq/jobs.h"
#include "client/graph/graph.h"
#include "tests/unit/client/compat/fixture.h"

#define TOY_JOB      (DOCA_ACTION_REGEX_FIRST + 1)
#define TOY_OTHER    (DOCA_ACTION_REGEX_FIRST + 2)
#define QUEUE_EVENTS 64u

/* Executes a job with this user data. */
static doca_error_t (*on_job)(union doca_data user_data);
static uint32_t n_prepared; /* tasks of jobs that have not been reported yet */
static struct toy *legacy_ctxs[2];
static struct toy
	*last_workq_ctx; /* the last work-queue context that was opened for a legacy context */
static struct doca_workq *workq;

static doca_error_t toy_job_execute(struct doca_task *task)
{
	return on_job == NULL ? DOCA_SUCCESS : on_job(task->user_data);
}

static void toy_job_done(struct doca_task *task, union doca_data user_data,
			 union doca_data ctx_data)
{
	doca_error_t status = task->status;

	n_prepared--;
	task_put(task);
	workq_complete(ctx_data.ptr, TOY_JOB, user_data, (union doca_data){.u64 = status}, status);
}

static doca_error_t toy_prepare(struct workq_ctx *workq_ctx, const struct doca_job *job,
				struct doca_task **task_out)
{
	struct toy *toy = workq_ctx->state;

	*task_out = task_pool_get(&toy->pool, job->user_data);
	if (*task_out == NULL)
		return error_hint(DOCA_ERROR_NO_MEMORY, "toy: no task");
	n_prepared++;
	return DOCA_SUCCESS;
}

static doca_error_t toy_submit(struct workq_ctx *workq_ctx, const struct doca_job *job)
{
	struct doca_task *task;

	ck_ok(toy_prepare(workq_ctx, job, &task));
	task_queue(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	return DOCA_SUCCESS;
}

static void toy_report(const struct doca_task *task, struct doca_event *event)
{
	n_prepared--;
	event->type = TOY_JOB;
	event->user_data = task->user_data;
	event->result.u64 = task->status;
}

static doca_error_t toy_open(struct legacy_ctx *legacy_ctx, struct workq_ctx *workq_ctx,
			     uint32_t n_tasks, struct doca_ctx **core)
{
	struct toy *toy = toy_new(NULL, n_tasks);

	(void)legacy_ctx;
	toy->pool.execute = toy_job_execute;
	toy->pool.ok_cb = toy->pool.err_cb = toy_job_done;
	toy->ctx.state_cb = NULL;
	toy->ctx.user_data.ptr = workq_ctx;
	workq_ctx->state = last_workq_ctx = toy;
	*core = &toy->ctx;
	return DOCA_SUCCESS;
}

static void toy_close(struct workq_ctx *workq_ctx)
{
	toy_delete(workq_ctx->state);
}

static struct workq_engine toy_engine = {
	.name = "toy",
	.first_type = TOY_JOB,
	.last_type = TOY_OTHER,
	.is_event_driven = true,
	.open = toy_open,
	.close = toy_close,
	.submit = toy_submit,
	.prepare = toy_prepare,
	.report = toy_report,
};

static struct toy *toy_legacy_new(void)
{
	struct toy *toy = calloc(1, sizeof(*toy));

	ck_assert_ptr_nonnull(toy);
	ctx_init(&toy->ctx, &toy_ops, NULL);
	ck_ok(legacy_ctx_attach(&toy->ctx, &toy_engine, API_2_0));
	ck_ok(doca_ctx_dev_add(&toy->ctx, &unit_dev));
	ck_ok(compat_ctx_start(&toy->ctx));
	return toy;
}

static inline void open_queue(uint32_t depth)
{
	on_job = NULL;
	n_prepared = 0;
	legacy_ctxs[0] = toy_legacy_new();
	legacy_ctxs[1] = toy_legacy_new();
	workq = queue_new(depth, API_2_2);
	/* Only one context has the queue itself: graphs need none. */
	ck_ok(doca_ctx_workq_add(&legacy_ctxs[0]->ctx, workq));
}

static inline void close_queue(void)
{
	ck_assert_uint_eq(n_prepared, 0);
	ck_ok(doca_ctx_workq_rm(&legacy_ctxs[0]->ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	for (unsigned i = 0; i < 2; i++) {
		ck_ok(compat_ctx_stop(&legacy_ctxs[i]->ctx));
		toy_delete(legacy_ctxs[i]);
	}
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static inline struct doca_job toy_job(unsigned legacy_ctx, uint64_t user_data)
{
	return (struct doca_job){.type = TOY_JOB,
				 .ctx = &legacy_ctxs[legacy_ctx]->ctx,
				 .user_data = {.u64 = user_data}};
}

static inline struct doca_graph *graph_new(void)
{
	struct doca_graph *graph;

	ck_ok(compat_graph_create(&graph));
	return graph;
}

static inline void graph_delete(struct doca_graph *graph)
{
	ck_ok(compat_graph_stop(graph));
	ck_ok(compat_graph_destroy(graph));
}

static inline struct doca_graph_node *ctx_node(struct doca_graph *graph, unsigned legacy_ctx)
{
	struct doca_graph_node *node;

	ck_ok(doca_graph_ctx_node_create(graph, TOY_JOB, &legacy_ctxs[legacy_ctx]->ctx, &node));
	return node;
}

static inline struct doca_graph_node *user_node(struct doca_graph *graph, graph_job_cb_t cb)
{
	struct doca_graph_node *node;

	ck_ok(compat_graph_user_node(graph, cb, &node));
	return node;
}

static inline struct doca_graph_node *sub_node(struct doca_graph *graph, struct doca_graph *sub)
{
	struct doca_graph_node *node;

	ck_ok(doca_graph_sub_graph_node_create(graph, sub, &node));
	return node;
}

static inline struct doca_graph_instance *instance_new(struct doca_graph *graph)
{
	struct doca_graph_instance *instance;

	ck_ok(compat_graph_instance_create(graph, &instance));
	return instance;
}

/* Retrieves the next event. Progress inside graphs leaves `event` unchanged. */
static inline doca_error_t await_event(struct doca_event *event)
{
	struct doca_event before;
	doca_error_t result;
	uint32_t n = 0;

	memset(&before, 0xa5, sizeof(before));
	for (;;) {
		*event = before;
		result = doca_workq_progress_retrieve(workq, event, 0);
		if (result != DOCA_ERROR_AGAIN)
			return result;
		if (memcmp(event, &before, sizeof(before)) != 0)
			ck_abort_msg("an event was touched");
		if (++n > 1000000)
			ck_abort_msg("no event comes");
	}
}

/* Expects the next event to be that of an instance with this status. */
static inline void await_instance(uint64_t user_data, doca_error_t status)
{
	struct doca_event event;

	ck_ok(await_event(&event));
	ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
	ck_assert_uint_eq(event.user_data.u64, user_data);
	ck_assert_uint_eq(event.result.u64, status);
}

static inline enum doca_graph_instance_node_state node_state(
	const struct doca_graph_instance *instance, const struct doca_graph_node *node)
{
	enum doca_graph_instance_node_state state;

	ck_ok(doca_graph_instance_node_get_state(instance, node, &state));
	return state;
}

#endif
