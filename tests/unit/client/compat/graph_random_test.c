/*
 * Random graphs of jobs, compared with the model of graph_model.h. Each submission has one event;
 * events, states and results of nodes match the model. Ordinary jobs run on the same queue.
 */
#define DOCA_API_LIBRARY

#include "tests/unit/client/compat/graph_fixture.h"

#define NODES_MAX 20
#define RUNS_MAX  6

typedef unsigned model_ctx;

struct model_objects {
	struct doca_job jobs[NODES_MAX];
	struct doca_event events[NODES_MAX];
	uint32_t n_events;
	doca_error_t status;
};

static model_ctx model_ctx_of(uint32_t i)
{
	return i;
}

#include "tests/unit/client/graph_model.h"

static doca_error_t user_runs(void *cookie, struct doca_event *event)
{
	const struct cookie *c = cookie;

	must(event == &c->run->objects.events[c->node]);
	must(event->type == DOCA_ACTION_NONE && event->user_data.ptr == cookie);
	return cookie_runs(cookie);
}

static doca_error_t job_runs(union doca_data user_data)
{
	/* Jobs outside graphs have none. */
	return user_data.ptr == NULL ? DOCA_SUCCESS : cookie_runs(user_data.ptr);
}

static void model_graph_new(struct model *m)
{
	m->graph = graph_new();
}

static void model_graph_start(struct model *m)
{
	ck_ok(compat_graph_start(m->graph));
}

static void model_graph_delete(struct model *m)
{
	graph_delete(m->graph);
}

static struct doca_graph_node *model_node_new(struct model *m, uint32_t i)
{
	if (m->kinds[i] == GRAPH_CTX)
		return ctx_node(m->graph, m->ctxs[i]);
	if (m->kinds[i] == GRAPH_USER)
		return user_node(m->graph, user_runs);
	return sub_node(m->graph, m->subs[i]->graph);
}

static void run_instance_new(struct run *run)
{
	run->instance = instance_new(run->model->graph);
}

static void run_set_node(struct run *run, uint32_t i)
{
	struct doca_graph_node *node = run->model->nodes[i];
	struct doca_event *event = &run->objects.events[i];
	struct doca_job *job = &run->objects.jobs[i];

	if (run->model->kinds[i] == GRAPH_CTX) {
		*job = toy_job(run->model->ctxs[i], (uintptr_t)&run->cookies[i]);
		ck_ok(compat_graph_set_job(run->instance, node, job, event));
	} else if (run->model->kinds[i] == GRAPH_USER) {
		ck_ok(compat_graph_set_cookie(run->instance, node, &run->cookies[i], event));
	} else {
		ck_ok(compat_graph_set_sub(run->instance, node, run->subs[i]->instance, event));
	}
}

static void run_instance_delete(struct run *run)
{
	ck_ok(compat_graph_instance_destroy(run->instance));
}

static void run_clear_results(struct run *run)
{
	run->objects.n_events = 0;
	memset(run->objects.events, 0xa5, sizeof(run->objects.events));
}

/* --- results --- */

static bool any_started(const struct run *run)
{
	bool started = run->started != 0;

	for (uint32_t i = 0; i < run->model->n; i++)
		started |= run->subs[i] != NULL && any_started(run->subs[i]);
	return started;
}

static void check_node(const struct run *run, uint32_t i)
{
	const struct model *m = run->model;
	enum doca_graph_instance_node_state state = node_state(run->instance, m->nodes[i]);
	bool has_started = run->started >> i & 1, is_done = run->done >> i & 1;
	union doca_data result;

	if (m->kinds[i] == GRAPH_SUB)
		has_started = any_started(run->subs[i]);
	if (!has_started) {
		ck_assert_int_eq(state, DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED);
		ck_fails(doca_graph_instance_node_get_result(run->instance, m->nodes[i], &result),
			 DOCA_ERROR_BAD_STATE);
		ck_assert_uint_eq((uint32_t)run->objects.events[i].type, 0xa5a5a5a5);
		return;
	}
	ck_assert_int_eq(state, is_done ? DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED
					: DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR);
	ck_ok(doca_graph_instance_node_get_result(run->instance, m->nodes[i], &result));
	ck_assert_uint_eq(result.u64, is_done ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(run->objects.events[i].result.u64, result.u64);
	ck_assert_int_eq(run->objects.events[i].type, m->kinds[i] == GRAPH_CTX    ? TOY_JOB
						      : m->kinds[i] == GRAPH_USER ? DOCA_ACTION_NONE
										  : DOCA_GRAPH_JOB);
	if (m->kinds[i] != GRAPH_SUB)
		ck_assert_ptr_eq(run->objects.events[i].user_data.ptr, &run->cookies[i]);
}

static void check_run(struct run *run)
{
	const struct doca_graph_node *failed[NODES_MAX];
	uint32_t n, n_written = NODES_MAX, n_errors = 0;

	ready(run);
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->subs[i] != NULL && any_started(run->subs[i]))
			check_run(run->subs[i]);
		check_node(run, i);
		n_errors += node_state(run->instance, run->model->nodes[i]) ==
			    DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR;
	}
	ck_ok(doca_graph_instance_get_num_failed_nodes(run->instance, &n));
	ck_assert_uint_eq(n, n_errors);
	ck_ok(doca_graph_instance_get_failed_nodes(run->instance, failed, &n_written));
	ck_assert_uint_eq(n_written, n_errors);
	for (uint32_t i = 0; i < n; i++)
		ck_assert_int_eq(node_state(run->instance, failed[i]),
				 DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR);
}

static void runs_check(struct run **runs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		bool failed = any_failed(runs[i]);

		ck_assert_uint_eq(runs[i]->objects.n_events, 1);
		ck_assert_uint_eq(runs[i]->objects.status,
				  failed ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS);
		check_run(runs[i]);
		if (!failed)
			ck_assert_uint_eq(runs[i]->done, runs[i]->model->all);
	}
}

/* --- tests --- */

static uint32_t n_beside;

/* Retrieves one event. */
static void retrieve_event(void)
{
	struct doca_event event;

	ck_ok(await_event(&event));
	if (event.type == TOY_JOB) {
		ck_assert_ptr_null(event.user_data.ptr);
		n_beside++;
	} else {
		struct run *run = event.user_data.ptr;

		ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
		run->objects.n_events++;
		run->objects.status = (doca_error_t)event.result.u64;
	}
}

static void shapes_run(uint32_t n_shapes)
{
	uint32_t n_failed = 0, n_ok = 0, n_jobs = 0;
	struct doca_event event;

	for (uint32_t shape = 0; shape < n_shapes; shape++) {
		struct model *m = model_new(shape % (DEPTH_MAX + 1));
		uint32_t n = 1 + random_below(m->subs[1] == NULL ? RUNS_MAX : 3);
		struct run *runs[RUNS_MAX];

		ck_ok(doca_graph_workq_add(m->graph, workq));
		for (uint32_t i = 0; i < n; i++)
			runs[i] = run_new(m, NULL, 0);
		for (int round = 0; round < 6; round++) {
			uint32_t n_events = 2 * n;

			for (uint32_t i = 0; i < n; i++) {
				struct doca_job job = toy_job(0, 0);

				run_reset(runs[i], round > 0 && random_below(2));
				ck_ok(doca_workq_graph_submit(workq, runs[i]->instance,
							      (union doca_data){.ptr = runs[i]}));
				ck_fails(doca_workq_graph_submit(workq, runs[i]->instance,
								 (union doca_data){.u64 = 0}),
					 DOCA_ERROR_IN_USE);
				ck_ok(doca_workq_submit(workq, &job));
				n_jobs++;
				if (random_below(3) == 0) {
					retrieve_event();
					n_events--;
				}
			}
			for (; n_events > 0; n_events--)
				retrieve_event();
			ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
			runs_check(runs, n);
			for (uint32_t i = 0; i < n; i++) {
				n_ok += runs[i]->objects.status == DOCA_SUCCESS;
				n_failed += runs[i]->objects.status != DOCA_SUCCESS;
			}
		}
		for (uint32_t i = 0; i < n; i++)
			run_delete(runs[i]);
		ck_ok(doca_graph_workq_rm(m->graph, workq));
		model_delete(m);
	}
	ck_assert_uint_eq(n_beside, n_jobs);
	ck_assert_uint_gt(n_ok, n_shapes);
	ck_assert_uint_gt(n_failed, n_shapes);
}

static void start(uint32_t depth)
{
	open_queue(depth);
	on_job = job_runs;
	seed = 0x2545f4914f6cdd1d;
	n_beside = 0;
}

START_TEST(instances_follow_the_model)
{
	start(64);
	shapes_run(N_SHAPES);
	close_queue();
}
END_TEST

/* A queue with exactly the depth, so that nodes wait for tasks nearly all the time. */
START_TEST(few_tasks_change_nothing)
{
	start(2 * RUNS_MAX);
	shapes_run(N_SHAPES / 2);
	close_queue();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compat/graph_random");
	TCase *tcase = unit_case(suite, "random", UNIT_TIMEOUT_LONG);

	tcase_add_test(tcase, instances_follow_the_model);
	tcase_add_test(tcase, few_tasks_change_nothing);
	return unit_run(suite);
}
