/*
 * Random graphs, compared with the model of graph_model.h. Each submitted instance is reported
 * once, with the right callback.
 */
#include <string.h>

#include "tests/unit/client/graph/fixture.h"

#define NODES_MAX 20
#define RUNS_MAX  12

typedef struct toy *model_ctx;

struct model_objects {
	struct doca_task *tasks[NODES_MAX];
	uint32_t n_ok, n_failed;
};

static model_ctx model_ctx_of(uint32_t i)
{
	return i ? a : b;
}

#include "tests/unit/client/graph_model.h"

static doca_error_t task_runs(struct doca_task *task)
{
	return task->user_data.ptr == NULL ? DOCA_SUCCESS : cookie_runs(task->user_data.ptr);
}

static void run_ok(struct doca_graph_instance *instance, union doca_data instance_data,
		   union doca_data graph_data)
{
	struct run *run = instance_data.ptr;

	ck_assert_ptr_eq(run->instance, instance);
	ck_assert_ptr_eq(run->model, graph_data.ptr);
	run->objects.n_ok++;
}

static void run_failed(struct doca_graph_instance *instance, union doca_data instance_data,
		       union doca_data graph_data)
{
	struct run *run = instance_data.ptr;

	ck_assert_ptr_eq(run->instance, instance);
	ck_assert_ptr_eq(run->model, graph_data.ptr);
	run->objects.n_failed++;
}

static void model_graph_new(struct model *m)
{
	ck_ok(doca_graph_create(pe, &m->graph));
	ck_ok(doca_graph_set_conf(m->graph, run_ok, run_failed, RUNS_MAX));
	ck_ok(doca_graph_set_user_data(m->graph, (union doca_data){.ptr = m}));
}

static void model_graph_start(struct model *m)
{
	ck_ok(doca_graph_start(m->graph));
}

static void model_graph_delete(struct model *m)
{
	ck_ok(doca_graph_stop(m->graph));
	ck_ok(doca_graph_destroy(m->graph));
}

static struct doca_graph_node *model_node_new(struct model *m, uint32_t i)
{
	if (m->kinds[i] == GRAPH_CTX)
		return ctx_node(m->graph, m->ctxs[i]);
	if (m->kinds[i] == GRAPH_USER)
		return user_node(m->graph, cookie_runs);
	return sub_node(m->graph, m->subs[i]->graph);
}

static void run_instance_new(struct run *run)
{
	run->instance = instance_new(run->model->graph);
	ck_ok(doca_graph_instance_set_user_data(run->instance, (union doca_data){.ptr = run}));
}

static void run_set_node(struct run *run, uint32_t i)
{
	struct doca_graph_node *node = run->model->nodes[i];

	if (run->model->kinds[i] == GRAPH_CTX)
		run->objects.tasks[i] = set_task(run->instance, node, run->model->ctxs[i],
						 (uintptr_t)&run->cookies[i]);
	else if (run->model->kinds[i] == GRAPH_USER)
		ck_ok(doca_graph_instance_set_user_node_data(run->instance, node,
							     &run->cookies[i]));
	else
		ck_ok(doca_graph_instance_set_sub_graph_node_data(run->instance, node,
								  run->subs[i]->instance));
}

static void run_instance_delete(struct run *run)
{
	ck_ok(doca_graph_instance_destroy(run->instance));
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->objects.tasks[i] != NULL)
			doca_task_free(run->objects.tasks[i]);
	}
}

static void run_clear_results(struct run *run)
{
	run->objects.n_ok = run->objects.n_failed = 0;
}

static void check_complete(struct run *run)
{
	ready(run);
	ck_assert_uint_eq(run->done, run->model->all);
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->subs[i] != NULL) {
			check_complete(run->subs[i]);
			ck_assert_uint_eq(
				run->subs[i]->objects.n_ok + run->subs[i]->objects.n_failed, 0);
		}
	}
}

static void runs_check(struct run **runs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		bool failed = any_failed(runs[i]);

		ck_assert_uint_eq(runs[i]->objects.n_failed, failed);
		ck_assert_uint_eq(runs[i]->objects.n_ok, !failed);
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
				n_ok += runs[i]->objects.n_ok;
				n_failed += runs[i]->objects.n_failed;
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
			ck_assert_uint_eq(runs[i]->objects.n_ok + runs[i]->objects.n_failed, 1);
			if (runs[i]->objects.n_ok)
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
