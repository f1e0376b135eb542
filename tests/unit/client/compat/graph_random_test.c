/*
 * Random graphs of jobs, compared with a model without counters or arrays. When a node runs, all
 * its predecessors must be complete, and each node runs exactly once. After a failure only nodes
 * that could run already may still run. Each submission has one event; events, states and results
 * of nodes match the model. Ordinary jobs run on the same queue.
 */
#define DOCA_API_LIBRARY

#include "tests/unit/client/compat/graph_fixture.h"

#define NODES_MAX 20
#define RUNS_MAX  6
#define DEPTH_MAX 3

#ifdef DOCO_SANITIZED
#define N_SHAPES 60
#else
#define N_SHAPES 400
#endif

/* A graph. Sets of nodes are bit masks. */
struct model {
	struct doca_graph *graph;
	uint32_t n, all;
	enum graph_kind kinds[NODES_MAX];
	unsigned legacy_ctxs[NODES_MAX];
	struct doca_graph_node *nodes[NODES_MAX];
	uint32_t before[NODES_MAX];
	struct model *subs[NODES_MAX];
};

/* An instance of a graph. */
struct run {
	struct model *model;
	struct doca_graph_instance *instance;
	struct run *parent;
	uint32_t parent_node;
	struct run *subs[NODES_MAX];
	struct doca_job jobs[NODES_MAX];
	struct doca_event events[NODES_MAX];
	struct cookie {
		struct run *run;
		uint32_t node;
	} cookies[NODES_MAX];
	uint32_t started, done;
	uint32_t failing; /* nodes that are to fail */
	bool failed;
	uint32_t could_run; /* at the time of the failure */
	uint32_t n_events;
	doca_error_t status;
};

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	return (uint32_t)(unit_random(&seed) >> 33) % n;
}

/* --- the model's rules --- */

/* Nodes that may run, or have run. */
static uint32_t ready(struct run *run)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < run->model->n; i++) {
		struct run *sub = run->subs[i];

		if (sub == NULL)
			continue;
		ready(sub);
		if (sub->done == sub->model->all)
			run->done |= 1u << i;
	}
	for (uint32_t i = 0; i < run->model->n; i++)
		nodes |= (run->model->before[i] & ~run->done) == 0 ? 1u << i : 0;
	return nodes;
}

/* An assertion of Check makes a system call, and this is executed a million times. */
#define must(what) ((what) ? (void)0 : ck_abort_msg("%s", #what))

static doca_error_t node_runs(struct run *run, uint32_t node)
{
	uint32_t bit = 1u << node;

	must(ready(run) & bit);
	for (struct run *r = run; r->parent != NULL; r = r->parent)
		must(ready(r->parent) >> r->parent_node & 1);
	must((run->started & bit) == 0);
	must(!run->failed || run->could_run & bit);
	/* A user node does not start even if it is queued already. */
	must(!run->failed || run->model->kinds[node] != GRAPH_USER);
	run->started |= bit;
	if (run->failing & bit) {
		if (!run->failed)
			run->could_run = ready(run);
		run->failed = true;
		return DOCA_ERROR_IO_FAILED;
	}
	run->done |= bit;
	return DOCA_SUCCESS;
}

static doca_error_t cookie_runs(void *cookie)
{
	const struct cookie *c = cookie;

	return node_runs(c->run, c->node);
}

static doca_error_t user_runs(void *cookie, struct doca_event *event)
{
	const struct cookie *c = cookie;

	must(event == &c->run->events[c->node]);
	must(event->type == DOCA_ACTION_NONE && event->user_data.ptr == cookie);
	return cookie_runs(cookie);
}

static doca_error_t job_runs(union doca_data user_data)
{
	/* Jobs outside graphs have none. */
	return user_data.ptr == NULL ? DOCA_SUCCESS : cookie_runs(user_data.ptr);
}

/* --- shapes --- */

static struct model *model_new(uint32_t depth)
{
	struct model *m = calloc(1, sizeof(*m));
	uint32_t places[NODES_MAX];

	m->n = 1 + random_below(depth == 0 ? NODES_MAX : 8);
	m->all = (1u << m->n) - 1;
	m->graph = graph_new();
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t kind = i == 0 ? 0 : random_below(10);

		m->kinds[i] = kind < 6                 ? GRAPH_CTX
			      : kind < 9 || depth == 0 ? GRAPH_USER
						       : GRAPH_SUB;
		if (i == 1 && depth > 0)
			m->kinds[i] = GRAPH_SUB;
		m->legacy_ctxs[i] = random_below(2);
		if (m->kinds[i] == GRAPH_CTX) {
			m->nodes[i] = ctx_node(m->graph, m->legacy_ctxs[i]);
		} else if (m->kinds[i] == GRAPH_USER) {
			m->nodes[i] = user_node(m->graph, user_runs);
		} else {
			m->subs[i] = model_new(depth - 1);
			m->nodes[i] = sub_node(m->graph, m->subs[i]->graph);
		}
		places[i] = i;
	}
	/* Dependencies go from left to right in a random order that is independent of creation. */
	for (uint32_t i = m->n - 1; i > 0; i--) {
		uint32_t k = random_below(i + 1), place = places[i];

		places[i] = places[k];
		places[k] = place;
	}
	for (uint32_t n = random_below(2 * m->n + 1); n > 0 && m->n > 1; n--) {
		uint32_t right = 1 + random_below(m->n - 1), left = random_below(right);

		m->before[places[right]] |= 1u << places[left];
		ck_ok(doca_graph_add_dependency(m->graph, m->nodes[places[left]],
						m->nodes[places[right]]));
		ck_fails(doca_graph_add_dependency(m->graph, m->nodes[places[right]],
						   m->nodes[places[left]]),
			 DOCA_ERROR_NOT_PERMITTED);
	}
	ck_ok(compat_graph_start(m->graph));
	return m;
}

static void model_delete(struct model *m)
{
	graph_delete(m->graph);
	for (uint32_t i = 0; i < m->n; i++) {
		if (m->subs[i] != NULL)
			model_delete(m->subs[i]);
	}
	free(m);
}

static struct run *run_new(struct model *m, struct run *parent, uint32_t parent_node)
{
	struct run *run = calloc(1, sizeof(*run));

	run->model = m;
	run->parent = parent;
	run->parent_node = parent_node;
	run->instance = instance_new(m->graph);
	for (uint32_t i = 0; i < m->n; i++) {
		struct doca_event *event = &run->events[i];

		run->cookies[i] = (struct cookie){run, i};
		if (m->kinds[i] == GRAPH_CTX) {
			run->jobs[i] = toy_job(m->legacy_ctxs[i], (uintptr_t)&run->cookies[i]);
			ck_ok(compat_graph_set_job(run->instance, m->nodes[i], &run->jobs[i],
						   event));
		} else if (m->kinds[i] == GRAPH_USER) {
			ck_ok(compat_graph_set_cookie(run->instance, m->nodes[i], &run->cookies[i],
						      event));
		} else {
			run->subs[i] = run_new(m->subs[i], run, i);
			ck_ok(compat_graph_set_sub(run->instance, m->nodes[i],
						   run->subs[i]->instance, event));
		}
	}
	return run;
}

static void run_delete(struct run *run)
{
	ck_ok(compat_graph_instance_destroy(run->instance));
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->subs[i] != NULL)
			run_delete(run->subs[i]);
	}
	free(run);
}

/* Prepares the next submission. fails: one of all nodes fails, or none. */
static void run_reset(struct run *run, bool fails)
{
	run->started = run->done = run->failing = run->could_run = 0;
	run->failed = false;
	run->n_events = 0;
	memset(run->events, 0xa5, sizeof(run->events));
	if (fails) {
		uint32_t i = random_below(run->model->n);

		if (run->subs[i] == NULL)
			run->failing = 1u << i;
		if (random_below(4) == 0)
			run->failing |= unit_random(&seed) & run->model->all;
	}
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->subs[i] != NULL)
			run_reset(run->subs[i], fails && random_below(2));
	}
}

static bool any_failed(const struct run *run)
{
	bool failed = run->failed;

	for (uint32_t i = 0; i < run->model->n; i++)
		failed |= run->subs[i] != NULL && any_failed(run->subs[i]);
	return failed;
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
		ck_assert_uint_eq((uint32_t)run->events[i].type, 0xa5a5a5a5);
		return;
	}
	ck_assert_int_eq(state, is_done ? DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED
					: DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR);
	ck_ok(doca_graph_instance_node_get_result(run->instance, m->nodes[i], &result));
	ck_assert_uint_eq(result.u64, is_done ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(run->events[i].result.u64, result.u64);
	ck_assert_int_eq(run->events[i].type, m->kinds[i] == GRAPH_CTX    ? TOY_JOB
					      : m->kinds[i] == GRAPH_USER ? DOCA_ACTION_NONE
									  : DOCA_GRAPH_JOB);
	if (m->kinds[i] != GRAPH_SUB)
		ck_assert_ptr_eq(run->events[i].user_data.ptr, &run->cookies[i]);
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

		ck_assert_uint_eq(runs[i]->n_events, 1);
		ck_assert_uint_eq(runs[i]->status, failed ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS);
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
		run->n_events++;
		run->status = (doca_error_t)event.result.u64;
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
				n_ok += runs[i]->status == DOCA_SUCCESS;
				n_failed += runs[i]->status != DOCA_SUCCESS;
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
