/*
 * Random graphs, compared with a model without counters or arrays. When a node runs, all its
 * predecessors must be complete, and each node runs exactly once. After a failure only nodes that
 * could run already may still run, and the instance is reported once, with the right callback.
 */
#include <string.h>

#include "tests/unit/client/graph/fixture.h"

#define NODES_MAX 20
#define RUNS_MAX  12
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
	struct toy *toys[NODES_MAX];
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
	struct doca_task *tasks[NODES_MAX];
	struct cookie {
		struct run *run;
		uint32_t node;
	} cookies[NODES_MAX];
	uint32_t started, done;
	uint32_t failing; /* nodes that are to fail */
	bool failed;
	uint32_t could_run; /* at the time of the failure */
	uint32_t n_ok, n_failed;
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

static doca_error_t user_runs(void *cookie)
{
	const struct cookie *c = cookie;

	return node_runs(c->run, c->node);
}

static doca_error_t task_runs(struct doca_task *task)
{
	return task->user_data.ptr == NULL ? DOCA_SUCCESS : user_runs(task->user_data.ptr);
}

static void run_ok(struct doca_graph_instance *instance, union doca_data instance_data,
		   union doca_data graph_data)
{
	struct run *run = instance_data.ptr;

	ck_assert_ptr_eq(run->instance, instance);
	ck_assert_ptr_eq(run->model, graph_data.ptr);
	run->n_ok++;
}

static void run_failed(struct doca_graph_instance *instance, union doca_data instance_data,
		       union doca_data graph_data)
{
	struct run *run = instance_data.ptr;

	ck_assert_ptr_eq(run->instance, instance);
	ck_assert_ptr_eq(run->model, graph_data.ptr);
	run->n_failed++;
}

/* --- shapes --- */

static struct model *model_new(uint32_t depth)
{
	struct model *m = calloc(1, sizeof(*m));
	uint32_t places[NODES_MAX];

	m->n = 1 + random_below(depth == 0 ? NODES_MAX : 8);
	m->all = (1u << m->n) - 1;
	ck_ok(doca_graph_create(pe, &m->graph));
	ck_ok(doca_graph_set_conf(m->graph, run_ok, run_failed, RUNS_MAX));
	ck_ok(doca_graph_set_user_data(m->graph, (union doca_data){.ptr = m}));
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t kind = i == 0 ? 0 : random_below(10);

		m->kinds[i] = kind < 6                 ? GRAPH_CTX
			      : kind < 9 || depth == 0 ? GRAPH_USER
						       : GRAPH_SUB;
		if (i == 1 && depth > 0)
			m->kinds[i] = GRAPH_SUB;
		m->toys[i] = random_below(2) ? a : b;
		if (m->kinds[i] == GRAPH_CTX)
			m->nodes[i] = ctx_node(m->graph, m->toys[i]);
		else if (m->kinds[i] == GRAPH_USER)
			m->nodes[i] = user_node(m->graph, user_runs);
		else
			m->nodes[i] = sub_node(m->graph,
					       (m->subs[i] = model_new(depth - 1))->graph);
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
	}
	ck_ok(doca_graph_start(m->graph));
	return m;
}

static void model_delete(struct model *m)
{
	ck_ok(doca_graph_stop(m->graph));
	ck_ok(doca_graph_destroy(m->graph));
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
	ck_ok(doca_graph_instance_set_user_data(run->instance, (union doca_data){.ptr = run}));
	for (uint32_t i = 0; i < m->n; i++) {
		run->cookies[i] = (struct cookie){run, i};
		if (m->kinds[i] == GRAPH_CTX) {
			run->tasks[i] = set_task(run->instance, m->nodes[i], m->toys[i],
						 (uintptr_t)&run->cookies[i]);
		} else if (m->kinds[i] == GRAPH_USER) {
			ck_ok(doca_graph_instance_set_user_node_data(run->instance, m->nodes[i],
								     &run->cookies[i]));
		} else {
			run->subs[i] = run_new(m->subs[i], run, i);
			ck_ok(doca_graph_instance_set_sub_graph_node_data(
				run->instance, m->nodes[i], run->subs[i]->instance));
		}
	}
	return run;
}

static void run_delete(struct run *run)
{
	ck_ok(doca_graph_instance_destroy(run->instance));
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->tasks[i] != NULL)
			doca_task_free(run->tasks[i]);
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
	run->n_ok = run->n_failed = 0;
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

static void check_complete(struct run *run)
{
	ready(run);
	ck_assert_uint_eq(run->done, run->model->all);
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->subs[i] != NULL) {
			check_complete(run->subs[i]);
			ck_assert_uint_eq(run->subs[i]->n_ok + run->subs[i]->n_failed, 0);
		}
	}
}

static void runs_check(struct run **runs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		bool failed = any_failed(runs[i]);

		ck_assert_uint_eq(runs[i]->n_failed, failed);
		ck_assert_uint_eq(runs[i]->n_ok, !failed);
		if (!failed)
			check_complete(runs[i]);
	}
}

static void setup(void)
{
	open_engine(16384);
	a->pool.execute = b->pool.execute = task_runs;
	seed = 0x2545f4914f6cdd1d;
}

/* Number of ordinary tasks, which run in parallel. */
static uint32_t n_beside;

static void beside(struct toy *toy, struct doca_task *task)
{
	toy->n_order = 0;
	n_beside++;
	doca_task_free(task);
}

START_TEST(instances_follow_the_model)
{
	uint32_t n_failed = 0, n_ok = 0, n_tasks = 0;

	a->on_task = b->on_task = beside;
	for (uint32_t shape = 0; shape < N_SHAPES; shape++) {
		struct model *m = model_new(shape % (DEPTH_MAX + 1));
		struct run *runs[RUNS_MAX];
		uint32_t n = 1 + random_below(m->subs[1] == NULL ? RUNS_MAX : 3);

		for (uint32_t i = 0; i < n; i++)
			runs[i] = run_new(m, NULL, 0);
		for (int round = 0; round < 6; round++) {
			for (uint32_t i = 0; i < n; i++) {
				run_reset(runs[i], round > 0 && random_below(2));
				ck_ok(doca_graph_instance_submit(runs[i]->instance));
				for (uint32_t k = random_below(4); k > 0; k--)
					doca_pe_progress(pe);
				n_tasks++;
				ck_ok(doca_task_submit(toy_task(random_below(2) ? a : b, 0)));
			}
			unit_progress(pe);
			runs_check(runs, n);
			for (uint32_t i = 0; i < n; i++) {
				n_ok += runs[i]->n_ok;
				n_failed += runs[i]->n_failed;
			}
		}
		for (uint32_t i = 0; i < n; i++)
			run_delete(runs[i]);
		model_delete(m);
	}
	ck_assert_uint_eq(n_beside, n_tasks);
	ck_assert_uint_gt(n_ok, N_SHAPES);
	ck_assert_uint_gt(n_failed, N_SHAPES);
}
END_TEST

static uint32_t queue_room, n_in_queue;

/* A queue with few places, like a device's. */
static doca_error_t small_queue_submit(struct doca_task *task, uint32_t flags)
{
	if (n_in_queue == queue_room)
		return error_hint(DOCA_ERROR_AGAIN, "toy: the queue is full");
	n_in_queue++;
	task_queue(task, flags);
	return DOCA_SUCCESS;
}

static doca_error_t small_queue_execute(struct doca_task *task)
{
	n_in_queue--;
	return task_runs(task);
}

/* The same with queues that are full nearly all the time. */
START_TEST(full_queues_change_nothing)
{
	a->pool.submit = b->pool.submit = small_queue_submit;
	a->pool.execute = b->pool.execute = small_queue_execute;
	for (uint32_t shape = 0; shape < N_SHAPES / 2; shape++) {
		struct model *m = model_new(shape % DEPTH_MAX);
		struct run *runs[RUNS_MAX];

		queue_room = 1 + random_below(3);
		for (uint32_t i = 0; i < RUNS_MAX; i++)
			runs[i] = run_new(m, NULL, 0);
		for (int round = 0; round < 4; round++) {
			for (uint32_t i = 0; i < RUNS_MAX; i++) {
				run_reset(runs[i], round > 0 && random_below(2));
				ck_ok(doca_graph_instance_submit(runs[i]->instance));
			}
			unit_progress(pe);
			runs_check(runs, RUNS_MAX);
			ck_assert_uint_eq(n_in_queue, 0);
		}
		for (uint32_t i = 0; i < RUNS_MAX; i++)
			run_delete(runs[i]);
		model_delete(m);
	}
}
END_TEST

/* A context stops in the middle: everything ends, nothing hangs, and it works after a restart. */
START_TEST(contexts_stop_in_the_middle)
{
	for (uint32_t shape = 0; shape < N_SHAPES / 2; shape++) {
		struct model *m = model_new(shape % (DEPTH_MAX + 1));
		struct toy *stopped = random_below(2) ? a : b;
		struct run *runs[3];

		for (uint32_t i = 0; i < ARRAY_LEN(runs); i++) {
			runs[i] = run_new(m, NULL, 0);
			ck_ok(doca_graph_instance_submit(runs[i]->instance));
		}
		for (uint32_t k = random_below(3 * m->n); k > 0; k--)
			doca_pe_progress(pe);
		doca_ctx_stop(&stopped->ctx);
		unit_progress(pe);
		for (uint32_t i = 0; i < ARRAY_LEN(runs); i++) {
			ck_assert_uint_eq(runs[i]->n_ok + runs[i]->n_failed, 1);
			if (runs[i]->n_ok)
				check_complete(runs[i]);
			run_delete(runs[i]);
		}
		unit_progress(pe);
		ck_assert_int_eq(unit_state(&stopped->ctx), IDLE);
		stopped->n_states = 0;
		ck_ok(doca_ctx_start(&stopped->ctx));
		stopped->n_states = 0;
		model_delete(m);
	}
}
END_TEST

/* Dependencies in random order: those that would close a cycle are refused, the others accepted. */
START_TEST(cycles_are_refused)
{
	for (uint32_t shape = 0; shape < N_SHAPES; shape++) {
		uint32_t n = 2 + random_below(NODES_MAX - 1), after[NODES_MAX] = {0};
		struct doca_graph *graph = graph_new(1);
		struct doca_graph_node *nodes[NODES_MAX];

		for (uint32_t i = 0; i < n; i++)
			nodes[i] = ctx_node(graph, a);
		for (uint32_t k = 0; k < 3 * n; k++) {
			uint32_t from = random_below(n), to = random_below(n);
			bool closes = from == to || after[to] >> from & 1;

			ck_fails(doca_graph_add_dependency(graph, nodes[from], nodes[to]),
				 closes ? DOCA_ERROR_NOT_PERMITTED : DOCA_SUCCESS);
			/* All predecessors of from, and from itself, are now predecessors of to. */
			for (uint32_t i = 0; i < n && !closes; i++) {
				if (i == from || after[i] >> from & 1)
					after[i] |= 1u << to | after[to];
			}
		}
		ck_ok(doca_graph_start(graph));
		graph_end(graph);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/graph_random");
	TCase *tcase = unit_case(suite, "random", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, close_engine);
	tcase_add_test(tcase, instances_follow_the_model);
	tcase_add_test(tcase, full_queues_change_nothing);
	tcase_add_test(tcase, contexts_stop_in_the_middle);
	tcase_add_test(tcase, cycles_are_refused);
	return unit_run(suite);
}
