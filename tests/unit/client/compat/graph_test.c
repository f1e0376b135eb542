/*
 * Graphs of jobs, case by case: nodes that start together, more nodes than tasks, sleeping, refused
 * jobs, callbacks, objects that a graph keeps alive, and runs that allocate no memory.
 */
#define DOCA_API_LIBRARY

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/allocount.h"
#include "tests/unit/client/compat/graph_fixture.h"

#define N_MANY 100u

static struct doca_graph *graph;
static struct doca_graph_instance *instance;
static struct doca_job jobs[N_MANY];
static struct doca_event events[N_MANY];
static struct doca_graph_node *nodes[N_MANY];
static unsigned n_runs;

static doca_error_t count(union doca_data user_data)
{
	(void)user_data;
	n_runs++;
	return DOCA_SUCCESS;
}

static void setup(void)
{
	open_queue(3);
	on_job = count;
	n_runs = 0;
	graph = graph_new();
}

static void teardown(void)
{
	close_queue();
}

/* Alternates between nodes of the two legacy contexts. */
static void nodes_make(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		nodes[i] = ctx_node(graph, i % 2);
}

static void begin(unsigned n)
{
	ck_ok(compat_graph_start(graph));
	ck_ok(doca_graph_workq_add(graph, workq));
	instance = instance_new(graph);
	for (unsigned i = 0; i < n; i++) {
		jobs[i] = toy_job(i % 2, i + 1);
		memset(&events[i], 0xa5, sizeof(events[i]));
		ck_ok(compat_graph_set_job(instance, nodes[i], &jobs[i], &events[i]));
	}
}

static void end(void)
{
	ck_ok(compat_graph_instance_destroy(instance));
	ck_ok(doca_graph_workq_rm(graph, workq));
	graph_delete(graph);
}

static void submit(uint64_t user_data)
{
	ck_ok(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = user_data}));
}

START_TEST(independent_nodes_start_together)
{
	struct doca_event event;

	nodes_make(6);
	/* Node 0 comes before 1, 3 and 5, which belong to the other context. */
	for (unsigned i = 1; i < 6; i += 2)
		ck_ok(doca_graph_add_dependency(graph, nodes[0], nodes[i]));
	begin(6);
	submit(1);
	ck_assert_uint_eq(n_prepared, 3);
	ck_assert_uint_eq(n_runs, 0);
	/* When it completes, all three are submitted at once. */
	while (n_runs == 0)
		ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
	ck_assert_uint_eq(n_prepared, 2 + 3);
	await_instance(1, DOCA_SUCCESS);
	ck_assert_uint_eq(n_runs, 6);
	end();
}
END_TEST

START_TEST(many_nodes_share_few_tasks)
{
	nodes_make(N_MANY);
	begin(N_MANY);
	for (unsigned round = 1; round <= 3; round++) {
		submit(round);
		ck_assert_uint_eq(n_prepared, 2 * 3);
		await_instance(round, DOCA_SUCCESS);
		ck_assert_uint_eq(n_runs, round * N_MANY);
	}
	for (unsigned i = 0; i < N_MANY; i++) {
		ck_assert_int_eq(events[i].type, TOY_JOB);
		ck_assert_uint_eq(events[i].user_data.u64, i + 1);
		ck_assert_uint_eq(events[i].result.u64, DOCA_SUCCESS);
	}
	end();
}
END_TEST

/* The handle is readable whenever there is work, also for nodes that wait for a task. */
START_TEST(a_program_that_sleeps_is_woken)
{
	struct pollfd pfd = {.events = POLLIN};
	struct doca_event event;
	doca_error_t result;

	ck_ok(doca_ctx_workq_rm(&legacy_ctxs[0]->ctx, workq));
	ck_ok(doca_workq_set_event_driven_enable(workq, 1));
	ck_ok(doca_ctx_workq_add(&legacy_ctxs[0]->ctx, workq));
	ck_ok(doca_workq_get_event_handle(workq, &pfd.fd));
	nodes_make(N_MANY);
	begin(N_MANY);
	submit(4);
	for (;;) {
		ck_ok(doca_workq_event_handle_arm(workq));
		ck_assert_int_eq(poll(&pfd, 1, -1), 1);
		ck_ok(doca_workq_event_handle_clear(workq, pfd.fd));
		result = doca_workq_progress_retrieve(workq, &event, 0);
		if (result != DOCA_ERROR_AGAIN)
			break;
	}
	ck_ok(result);
	ck_assert_uint_eq(event.user_data.u64, 4);
	ck_assert_uint_eq(n_runs, N_MANY);
	end();
}
END_TEST

START_TEST(a_job_is_checked_when_it_starts)
{
	union doca_data result;

	nodes_make(1);
	begin(1);
	jobs[0].flags = 1;
	submit(1);
	await_instance(1, DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(events[0].result.u64, DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(events[0].user_data.u64, 1);
	ck_assert_int_eq(node_state(instance, nodes[0]), DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR);
	ck_ok(doca_graph_instance_node_get_result(instance, nodes[0], &result));
	ck_assert_uint_eq(result.u64, DOCA_ERROR_INVALID_VALUE);
	jobs[0].flags = 0;
	jobs[0].ctx = &legacy_ctxs[1]->ctx;
	submit(2);
	await_instance(2, DOCA_ERROR_INVALID_VALUE);
	jobs[0].ctx = &legacy_ctxs[0]->ctx;
	jobs[0].type = TOY_OTHER + 1;
	submit(3);
	await_instance(3, DOCA_ERROR_INVALID_VALUE);
	jobs[0].type = TOY_JOB;
	submit(4);
	await_instance(4, DOCA_SUCCESS);
	ck_assert_uint_eq(n_runs, 1);
	end();
}
END_TEST

static doca_error_t refusing_submit(struct doca_task *task, uint32_t flags)
{
	(void)task;
	(void)flags;
	return error_set(DOCA_ERROR_NO_MEMORY, "toy: refused for good");
}

/* A lack of tasks is waited for, another lack of memory is not. */
START_TEST(a_refusal_for_good_fails_the_instance)
{
	nodes_make(2);
	begin(2);
	last_workq_ctx->pool.submit = refusing_submit;
	submit(1);
	await_instance(1, DOCA_ERROR_NO_MEMORY);
	ck_assert_uint_eq(n_prepared, 0);
	last_workq_ctx->pool.submit = NULL;
	submit(2);
	await_instance(2, DOCA_SUCCESS);
	end();
}
END_TEST

START_TEST(a_graph_keeps_what_it_uses)
{
	nodes_make(2);
	begin(2);
	/* The second context does not have the queue itself. */
	ck_fails(compat_ctx_stop(&legacy_ctxs[1]->ctx), DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_ctx_workq_rm(&legacy_ctxs[0]->ctx, workq));
	ck_fails(doca_workq_destroy(workq), DOCA_ERROR_IN_USE);
	ck_fails(compat_ctx_stop(&legacy_ctxs[0]->ctx), DOCA_ERROR_NOT_PERMITTED);
	submit(1);
	await_instance(1, DOCA_SUCCESS);
	ck_ok(doca_ctx_workq_add(&legacy_ctxs[0]->ctx, workq));
	end();
}
END_TEST

static struct doca_graph_instance *next;

static doca_error_t submit_in_callback(void *cookie, struct doca_event *event)
{
	struct doca_event got;

	(void)cookie;
	event->result.u64 = 4711;
	/* Another instance may be submitted; the running one stays. */
	ck_ok(doca_workq_graph_submit(workq, next, (union doca_data){.u64 = 2}));
	ck_fails(compat_graph_instance_destroy(instance), DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_graph_workq_rm(graph, workq), DOCA_ERROR_IN_USE);
	ck_fails(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 0}),
		 DOCA_ERROR_IN_USE);
	ck_fails(doca_workq_progress_retrieve(workq, &got, 0), DOCA_ERROR_AGAIN);
	return DOCA_SUCCESS;
}

/* The queue's contexts have tasks for its depth, and were asked whether they can wait for tasks. */
START_TEST(a_queue_of_a_graph_keeps_its_size)
{
	struct doca_workq *other = queue_new(4, API_2_2);

	ctx_node(graph, 0);
	ck_ok(compat_graph_start(graph));
	ck_ok(doca_graph_workq_add(graph, other));
	ck_fails(doca_workq_set_depth(other, 8), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_workq_set_event_driven_enable(other, 1), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_workq_destroy(other), DOCA_ERROR_IN_USE);
	ck_ok(doca_graph_workq_rm(graph, other));
	ck_ok(doca_workq_set_depth(other, 8));
	ck_ok(doca_workq_set_event_driven_enable(other, 1));
	ck_ok(doca_workq_destroy(other));
	graph_delete(graph);
}
END_TEST

START_TEST(a_forked_child_leaves_graphs_alone)
{
	int status;
	pid_t pid;

	ctx_node(graph, 0);
	ck_ok(compat_graph_start(graph));
	ck_ok(doca_graph_workq_add(graph, workq));
	pid = fork();
	if (pid == 0)
		_exit(doca_graph_workq_rm(graph, workq) != DOCA_ERROR_BAD_STATE);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_ok(doca_graph_workq_rm(graph, workq));
	graph_delete(graph);
}
END_TEST

START_TEST(callbacks_may_submit)
{
	struct doca_graph_node *caller, *node;
	struct doca_graph *other = graph_new();
	struct doca_job job = toy_job(1, 9);
	union doca_data result;
	struct doca_event event;

	node = ctx_node(other, 1);
	ck_ok(compat_graph_start(other));
	ck_ok(doca_graph_workq_add(other, workq));
	next = instance_new(other);
	ck_ok(compat_graph_set_job(next, node, &job, NULL));
	nodes_make(1);
	caller = user_node(graph, submit_in_callback);
	ck_ok(doca_graph_add_dependency(graph, caller, nodes[0]));
	begin(1);
	ck_ok(compat_graph_set_cookie(instance, caller, NULL, &event));
	submit(1);
	await_instance(2, DOCA_SUCCESS);
	await_instance(1, DOCA_SUCCESS);
	ck_assert_uint_eq(event.result.u64, 4711);
	ck_ok(doca_graph_instance_node_get_result(instance, caller, &result));
	ck_assert_uint_eq(result.u64, 4711);
	ck_ok(compat_graph_instance_destroy(next));
	ck_ok(doca_graph_workq_rm(other, workq));
	graph_delete(other);
	end();
}
END_TEST

START_TEST(a_run_takes_no_memory)
{
	doca_error_t result = DOCA_SUCCESS;
	struct doca_event event;

	nodes_make(N_MANY);
	for (unsigned i = 1; i < N_MANY; i++)
		ck_ok(doca_graph_add_dependency(graph, nodes[i / 2], nodes[i]));
	begin(N_MANY);
	for (unsigned round = 0; round < 3 && result == DOCA_SUCCESS; round++) {
		allocount_fail_after(0);
		result = doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 1});
		while (result == DOCA_SUCCESS &&
		       doca_workq_progress_retrieve(workq, &event, 0) == DOCA_ERROR_AGAIN)
			continue;
		allocount_fail_never();
		ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
	}
	ck_ok(result);
	ck_assert_uint_eq(n_runs, 3 * N_MANY);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compat/graph");
	TCase *tcase = unit_case(suite, "graph", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, independent_nodes_start_together);
	tcase_add_test(tcase, many_nodes_share_few_tasks);
	tcase_add_test(tcase, a_program_that_sleeps_is_woken);
	tcase_add_test(tcase, a_job_is_checked_when_it_starts);
	tcase_add_test(tcase, a_refusal_for_good_fails_the_instance);
	tcase_add_test(tcase, a_graph_keeps_what_it_uses);
	tcase_add_test(tcase, a_queue_of_a_graph_keeps_its_size);
	tcase_add_test(tcase, a_forked_child_leaves_graphs_alone);
	tcase_add_test(tcase, callbacks_may_submit);
	tcase_add_test(tcase, a_run_takes_no_memory);
	return unit_run(suite);
}
