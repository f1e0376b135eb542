/*
 * Graphs: permitted calls in each state, callbacks, nodes that run together, and the effect of
 * failures.
 */
#include <poll.h>

#include "tests/unit/client/graph/fixture.h"

#define LOG_MAX 64

static char order[LOG_MAX + 1];
static uint32_t n_order;
static doca_error_t user_result;

static void log_char(char c)
{
	ck_assert_uint_lt(n_order, LOG_MAX);
	order[n_order++] = c;
	order[n_order] = '\0';
}

/* The user data of a task is the letter that it logs. */
static doca_error_t log_execute(struct doca_task *task)
{
	log_char((char)task->user_data.u64);
	return toy_execute(task);
}

static doca_error_t log_user(void *cookie)
{
	ck_assert(pe->flags & PE_IN_PROGRESS);
	log_char(*(const char *)cookie);
	return user_result;
}

static void setup(void)
{
	open_engine(16);
	a->pool.execute = b->pool.execute = log_execute;
	n_order = 0;
	order[0] = '\0';
}

static void set_cookie(struct doca_graph_instance *instance, struct doca_graph_node *node,
		       const char *letter)
{
	ck_ok(doca_graph_instance_set_user_node_data(instance, node, (void *)(uintptr_t)letter));
}

/* Two copies and a check after both. */
struct sample {
	struct doca_graph *graph;
	struct doca_graph_node *first, *second, *user;
	struct doca_graph_instance *instance;
	struct doca_task *tasks[2];
};

static struct sample sample;

static void sample_open(struct toy *second)
{
	sample.graph = graph_new(1);
	sample.user = user_node(sample.graph, log_user);
	sample.first = ctx_node(sample.graph, a);
	sample.second = ctx_node(sample.graph, second);
	ck_ok(doca_graph_add_dependency(sample.graph, sample.first, sample.user));
	ck_ok(doca_graph_add_dependency(sample.graph, sample.second, sample.user));
	ck_ok(doca_graph_start(sample.graph));
	sample.instance = instance_new(sample.graph);
	sample.tasks[0] = set_task(sample.instance, sample.first, a, '1');
	sample.tasks[1] = set_task(sample.instance, sample.second, second, '2');
	set_cookie(sample.instance, sample.user, "u");
}

static void sample_close(void)
{
	ck_ok(doca_graph_instance_destroy(sample.instance));
	doca_task_free(sample.tasks[0]);
	doca_task_free(sample.tasks[1]);
	graph_end(sample.graph);
}

static void sample_fails(void)
{
	uint32_t n = n_completed, n_before = n_errors;

	unit_progress(pe);
	ck_assert_uint_eq(n_completed, n);
	ck_assert_uint_eq(n_errors, n_before + 1);
	ck_assert_ptr_eq(last_instance, sample.instance);
}

START_TEST(nodes_run_in_order)
{
	sample_open(b);
	for (uint32_t i = 1; i <= 3; i++) {
		size_t n;

		n_order = 0;
		ck_ok(doca_graph_instance_submit(sample.instance));
		/* Both are queued, nothing has run. */
		ck_assert_uint_eq(n_order, 0);
		ck_ok(doca_pe_get_num_inflight_tasks(pe, &n));
		ck_assert_uint_eq(n, 2);
		ck_assert_uint_eq(unit_progress(pe), 3);
		ck_assert_str_eq(order[0] == '1' ? order : "12u", "12u");
		ck_assert_int_eq(order[2], 'u');
		ck_assert_uint_eq(n_completed, i);
		ck_assert_int_eq(doca_task_get_status(sample.tasks[0]), DOCA_SUCCESS);
	}
	ck_assert_uint_eq(n_errors, 0);
	sample_close();
}
END_TEST

/* The tasks belong to the program again and behave as before. */
START_TEST(tasks_come_back_as_they_were)
{
	sample_open(b);
	ck_ok(doca_graph_instance_submit(sample.instance));
	unit_progress(pe);
	ck_ok(doca_graph_instance_destroy(sample.instance));
	for (int i = 0; i < 2; i++)
		ck_ok(doca_task_submit(sample.tasks[i]));
	unit_progress(pe);
	ck_assert_uint_eq(a->n_ok, 1);
	ck_assert_uint_eq(b->n_ok, 1);
	a->n_order = b->n_order = 0;
	graph_end(sample.graph);
}
END_TEST

static uint32_t submitted_flags[LOG_MAX], n_submitted, room;

static doca_error_t recording_submit(struct doca_task *task, uint32_t flags)
{
	if (room == 0)
		return error_hint(DOCA_ERROR_AGAIN, "toy: the queue is full");
	room--;
	submitted_flags[n_submitted++ % LOG_MAX] = flags;
	task_queue(task, flags);
	return DOCA_SUCCESS;
}

/* Tasks that become ready together are flushed once per context. */
START_TEST(one_flush_for_what_is_ready_together)
{
	struct doca_graph *graph = graph_new(1);
	struct doca_graph_node *nodes[9];
	struct doca_graph_instance *instance;
	struct doca_task *tasks[9];
	uint32_t n_flushed[2] = {0};

	a->pool.submit = b->pool.submit = recording_submit;
	room = UINT32_MAX;
	for (int i = 0; i < 9; i++) {
		nodes[i] = ctx_node(graph, i % 2 ? a : b);
		/* Four roots; the other five after the last of them. */
		if (i >= 4)
			ck_ok(doca_graph_add_dependency(graph, nodes[3], nodes[i]));
	}
	ck_ok(doca_graph_start(graph));
	instance = instance_new(graph);
	for (int i = 0; i < 9; i++)
		tasks[i] = set_task(instance, nodes[i], i % 2 ? a : b, '0' + (unsigned)i);
	ck_ok(doca_graph_instance_submit(instance));
	ck_assert_uint_eq(n_submitted, 4);
	unit_progress(pe);
	ck_assert_uint_eq(n_submitted, 9);
	for (int i = 0; i < 9; i++)
		n_flushed[i >= 4] += submitted_flags[i] & DOCA_TASK_SUBMIT_FLAG_FLUSH;
	ck_assert_uint_eq(n_flushed[0], 2);
	ck_assert_uint_eq(n_flushed[1], 2);
	ck_assert_uint_eq(n_completed, 1);
	ck_ok(doca_graph_instance_destroy(instance));
	for (int i = 0; i < 9; i++)
		doca_task_free(tasks[i]);
	graph_end(graph);
	a->pool.submit = b->pool.submit = NULL;
}
END_TEST

/* --- failures --- */

START_TEST(a_failed_task_fails_the_instance)
{
	sample_open(b);
	a->execute_result = DOCA_ERROR_IO_FAILED;
	a->fail_at = '1';
	ck_ok(doca_graph_instance_submit(sample.instance));
	sample_fails();
	/* The other task was in flight and is complete; the user node did not run. */
	ck_assert_uint_eq(n_order, 2);
	ck_assert_int_eq(doca_task_get_status(sample.tasks[0]), DOCA_ERROR_IO_FAILED);
	ck_assert_int_eq(doca_task_get_status(sample.tasks[1]), DOCA_SUCCESS);
	a->execute_result = DOCA_SUCCESS;
	ck_ok(doca_graph_instance_submit(sample.instance));
	unit_progress(pe);
	ck_assert_uint_eq(n_completed, 1);
	sample_close();
}
END_TEST

START_TEST(a_failed_user_node_fails_the_instance)
{
	sample_open(b);
	user_result = DOCA_ERROR_UNEXPECTED;
	ck_ok(doca_graph_instance_submit(sample.instance));
	sample_fails();
	ck_says("user node");
	user_result = DOCA_SUCCESS;
	sample_close();
}
END_TEST

/* Tasks of a stopped context, and tasks for a context that is not running. */
START_TEST(a_stopped_context_fails_the_instance)
{
	sample_open(b);
	ck_ok(doca_graph_instance_submit(sample.instance));
	ck_fails(doca_ctx_stop(&a->ctx), DOCA_ERROR_IN_PROGRESS);
	ck_fails(doca_graph_instance_destroy(sample.instance), DOCA_ERROR_IN_USE);
	sample_fails();
	ck_assert_str_eq(order, "2");
	ck_assert_int_eq(doca_task_get_status(sample.tasks[0]), DOCA_ERROR_SHUTDOWN);
	n_order = 0;
	ck_ok(doca_graph_instance_submit(sample.instance));
	ck_assert_uint_eq(n_errors, 1);
	sample_fails();
	ck_assert_str_eq(order, "2");
	ck_assert_int_eq(doca_task_get_status(sample.tasks[0]), DOCA_ERROR_BAD_STATE);
	sample_close();
	unit_progress(pe);
	ck_assert_int_eq(unit_state(&a->ctx), IDLE);
}
END_TEST

/* Both tasks are submitted at once; the flush comes with the refused one. */
START_TEST(a_refused_task_does_not_hold_back_the_others)
{
	sample_open(a);
	ck_ok(doca_task_submit(sample.tasks[1]));
	ck_ok(doca_graph_instance_submit(sample.instance));
	ck_says("submitted already");
	a->on_task = NULL;
	unit_progress(pe);
	ck_assert_uint_eq(n_errors, 1);
	ck_assert_uint_eq(a->n_ok, 1);
	ck_assert_ptr_null(strchr(order, 'u'));
	ck_assert_ptr_nonnull(strchr(order, '1'));
	a->n_order = 0;
	/* The callback freed the task, so it does not belong to the program any more. */
	ck_ok(doca_graph_instance_submit(sample.instance));
	ck_says("freed");
	sample_fails();
	sample.tasks[1] = set_task(sample.instance, sample.second, a, '2');
	ck_ok(doca_graph_instance_submit(sample.instance));
	unit_progress(pe);
	ck_assert_uint_eq(n_completed, 1);
	sample_close();
}
END_TEST

static doca_error_t refusal;

static doca_error_t refusing_submit(struct doca_task *task, uint32_t flags)
{
	(void)task;
	(void)flags;
	return error_set(refusal, "toy: refused for good");
}

/* The same for a lack of a resource for which waiting does not help. */
START_TEST(a_refusal_for_good_fails_the_instance)
{
	static const doca_error_t refusals[] = {DOCA_ERROR_NO_MEMORY, DOCA_ERROR_FULL,
						DOCA_ERROR_CONNECTION_RESET};

	sample_open(b);
	a->pool.submit = refusing_submit;
	ck_ok(doca_graph_instance_set_ctx_node_data(sample.instance, sample.first,
						    sample.tasks[0]));
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		refusal = refusals[i];
		n_order = 0;
		ck_ok(doca_graph_instance_submit(sample.instance));
		sample_fails();
		ck_assert_str_eq(order, "2");
		ck_assert_int_eq(doca_task_get_status(sample.tasks[0]), refusal);
	}
	/* The same after it had to wait for room. */
	refusal = DOCA_ERROR_AGAIN;
	ck_ok(doca_graph_instance_submit(sample.instance));
	unit_progress(pe);
	ck_assert_uint_eq(n_errors, ARRAY_LEN(refusals));
	refusal = DOCA_ERROR_NO_MEMORY;
	sample_fails();
	a->pool.submit = NULL;
	sample_close();
}
END_TEST

/* --- a full queue --- */

static void await_readable(void)
{
	struct pollfd pfd = {.events = POLLIN};

	ck_ok(doca_pe_get_notification_handle(pe, &pfd.fd));
	/* The test's deadline applies. */
	ck_assert_int_eq(poll(&pfd, 1, -1), 1);
}

START_TEST(a_full_queue_only_delays)
{
	sample_open(a);
	a->pool.submit = recording_submit;
	room = 1;
	/* The hook applies when the task is assigned. */
	for (int i = 0; i < 2; i++)
		ck_ok(doca_graph_instance_set_ctx_node_data(
			sample.instance, i ? sample.second : sample.first, sample.tasks[i]));
	for (int round = 0; round < 3; round++) {
		n_order = 0;
		room = 1;
		ck_ok(doca_graph_instance_submit(sample.instance));
		unit_progress(pe);
		ck_assert_str_eq(order, "1");
		ck_assert_uint_eq(doca_pe_progress(pe), 0);
		/* While the program sleeps: no wake-up is lost, and it does not spin. */
		ck_ok(doca_pe_request_notification(pe));
		room = 1;
		await_readable();
		ck_ok(doca_pe_clear_notification(pe, 0));
		unit_progress(pe);
		ck_assert_str_eq(order, "12u");
		ck_assert_uint_eq(n_completed, (unsigned)round + 1);
	}
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(!unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	/* A node that waits for room does not start if another node fails. */
	room = 1;
	n_order = 0;
	a->execute_result = DOCA_ERROR_IO_FAILED;
	ck_ok(doca_graph_instance_submit(sample.instance));
	sample_fails();
	ck_assert_str_eq(order, "1");
	/* The waiting node does not start if its context stops either. */
	room = 0;
	a->execute_result = DOCA_SUCCESS;
	ck_ok(doca_graph_instance_submit(sample.instance));
	ck_assert_uint_eq(doca_pe_progress(pe), 0);
	ck_fails(doca_ctx_stop(&a->ctx), DOCA_ERROR_IN_PROGRESS);
	sample_fails();
	ck_assert_str_eq(order, "1");
	sample_close();
	unit_progress(pe);
	a->pool.submit = NULL;
}
END_TEST

/* --- sub-graphs --- */

static void set_sub(struct doca_graph_instance *instance, struct doca_graph_node *node,
		    struct doca_graph_instance *sub)
{
	ck_ok(doca_graph_instance_set_sub_graph_node_data(instance, node, sub));
}

/* x, then the sample's graph, then y; around it one more graph. */
START_TEST(sub_graphs_are_nodes)
{
	struct doca_graph *middle = graph_new(1), *outer = graph_new(1);
	struct doca_graph_instance *middle_i, *outer_i;
	struct doca_graph_node *x, *y, *s, *z, *sub;
	struct doca_task *tx, *ty;

	sample_open(b);
	x = ctx_node(middle, a);
	y = ctx_node(middle, b);
	s = sub_node(middle, sample.graph);
	ck_ok(doca_graph_add_dependency(middle, x, s));
	ck_ok(doca_graph_add_dependency(middle, s, y));
	ck_ok(doca_graph_start(middle));
	sub = sub_node(outer, middle);
	z = user_node(outer, log_user);
	ck_ok(doca_graph_add_dependency(outer, sub, z));
	ck_ok(doca_graph_start(outer));
	middle_i = instance_new(middle);
	outer_i = instance_new(outer);
	tx = set_task(middle_i, x, a, 'x');
	ty = set_task(middle_i, y, b, 'y');
	set_sub(middle_i, s, sample.instance);
	set_sub(outer_i, sub, middle_i);
	set_cookie(outer_i, z, "z");
	for (uint32_t i = 1; i <= 3; i++) {
		n_order = 0;
		ck_ok(doca_graph_instance_submit(outer_i));
		ck_fails(doca_graph_instance_submit(middle_i), DOCA_ERROR_IN_USE);
		unit_progress(pe);
		ck_assert(strcmp(order, "x12uyz") == 0 || strcmp(order, "x21uyz") == 0);
		ck_assert_uint_eq(n_completed, i);
		ck_assert_ptr_eq(last_instance, outer_i);
	}
	/* An inner failure propagates outwards. */
	n_order = 0;
	user_result = DOCA_ERROR_UNEXPECTED;
	ck_ok(doca_graph_instance_submit(outer_i));
	unit_progress(pe);
	ck_assert_uint_eq(n_errors, 1);
	ck_assert_uint_eq(n_order, 4);
	user_result = DOCA_SUCCESS;
	/* An inner instance that is running on its own. */
	ck_ok(doca_graph_instance_submit(sample.instance));
	ck_ok(doca_graph_instance_submit(outer_i));
	ck_fails(doca_graph_instance_destroy(middle_i), DOCA_ERROR_IN_USE);
	for (int i = 0; i < 3; i++)
		doca_pe_progress(pe);
	ck_says("in flight");
	unit_progress(pe);
	ck_assert_uint_eq(n_errors, 2);
	ck_assert_uint_eq(n_completed, 4);
	/* A destroyed inner instance, and one without data. */
	ck_ok(doca_graph_instance_destroy(middle_i));
	ck_ok(doca_graph_instance_submit(outer_i));
	ck_says("destroyed");
	unit_progress(pe);
	ck_assert_uint_eq(n_errors, 3);
	middle_i = instance_new(middle);
	ck_ok(doca_graph_instance_submit(outer_i));
	ck_says("without data");
	unit_progress(pe);
	ck_assert_uint_eq(n_errors, 4);
	/* The sub-graph is checked only when it may start. */
	ck_fails(doca_graph_instance_submit(middle_i), DOCA_ERROR_INVALID_VALUE);

	ck_ok(doca_graph_instance_destroy(outer_i));
	ck_ok(doca_graph_instance_destroy(middle_i));
	doca_task_free(tx);
	doca_task_free(ty);
	/* Inner graphs first; their remaining objects end with the outer ones. */
	sample_close();
	graph_end(middle);
	ck_ok(doca_graph_stop(outer));
	ck_fails(doca_graph_start(outer), DOCA_ERROR_BAD_STATE);
	ck_says("destroyed");
	graph_end(outer);
}
END_TEST

static void outer_fails(struct doca_graph_instance *instance, const char *why)
{
	uint32_t n_before = n_errors;

	ck_ok(doca_graph_instance_submit(instance));
	ck_says(why);
	unit_progress(pe);
	ck_assert_uint_eq(n_errors, n_before + 1);
	ck_assert_ptr_eq(last_instance, instance);
}

/* The inner graph's memory is freed; the outer instance still points there. */
START_TEST(sub_graphs_may_be_destroyed)
{
	struct doca_graph *outer = graph_new(1);
	struct doca_graph_instance *instance;
	struct doca_graph_node *sub;

	sample_open(b);
	sub = sub_node(outer, sample.graph);
	ck_ok(doca_graph_start(outer));
	instance = instance_new(outer);
	set_sub(instance, sub, sample.instance);
	ck_ok(doca_graph_instance_destroy(sample.instance));
	ck_ok(doca_graph_stop(sample.graph));
	outer_fails(instance, "not started");
	ck_ok(doca_graph_set_conf(sample.graph, completed_cb, error_cb, 1000));
	ck_ok(doca_graph_start(sample.graph));
	outer_fails(instance, "destroyed");
	doca_task_free(sample.tasks[0]);
	doca_task_free(sample.tasks[1]);
	graph_end(sample.graph);
	outer_fails(instance, "not started");
	ck_ok(doca_graph_instance_destroy(instance));
	graph_end(outer);
}
END_TEST

START_TEST(graphs_do_not_contain_themselves)
{
	struct doca_graph *graphs[4];
	struct doca_graph_node *node;

	for (int i = 0; i < 4; i++) {
		graphs[i] = graph_new(1);
		ctx_node(graphs[i], a);
		ck_fails(doca_graph_node_create_from_graph(graphs[i], graphs[i], &node),
			 DOCA_ERROR_NOT_PERMITTED);
		if (i > 0) {
			sub_node(graphs[i], graphs[i - 1]);
			sub_node(graphs[i], graphs[i - 1]);
		}
		ck_ok(doca_graph_start(graphs[i]));
	}
	for (int i = 0; i < 4; i++) {
		ck_ok(doca_graph_stop(graphs[i]));
		for (int k = i; k < 4; k++)
			ck_fails(doca_graph_node_create_from_graph(graphs[i], graphs[k], &node),
				 DOCA_ERROR_NOT_PERMITTED);
		ck_says("inside itself");
	}
	ck_fails(doca_graph_node_create_from_graph(graphs[3], graphs[0], &node),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_graph_start(graphs[3]), DOCA_ERROR_BAD_STATE);
	for (int i = 0; i < 4; i++)
		ck_ok(doca_graph_destroy(graphs[i]));
}
END_TEST

/* --- callbacks --- */

static uint32_t n_again;

static void submit_again(struct doca_graph_instance *instance)
{
	if (--n_again > 0)
		ck_ok(doca_graph_instance_submit(instance));
}

static void destroy_all(struct doca_graph_instance *instance)
{
	ck_assert_ptr_eq(instance, sample.instance);
	sample_close();
}

START_TEST(callbacks_submit_and_destroy)
{
	sample_open(b);
	on_completed = submit_again;
	n_again = 20;
	ck_ok(doca_graph_instance_submit(sample.instance));
	unit_progress(pe);
	ck_assert_uint_eq(n_completed, 20);
	n_order = 0;
	on_completed = destroy_all;
	ck_ok(doca_graph_instance_submit(sample.instance));
	unit_progress(pe);
	ck_assert_uint_eq(n_completed, 21);
	/* The same in a failure callback. */
	sample_open(b);
	n_order = 0;
	user_result = DOCA_ERROR_UNEXPECTED;
	ck_ok(doca_graph_instance_submit(sample.instance));
	unit_progress(pe);
	ck_assert_uint_eq(n_errors, 1);
	on_completed = NULL;
	user_result = DOCA_SUCCESS;
}
END_TEST

/* --- sleeping --- */

START_TEST(a_sleeper_is_woken)
{
	sample_open(b);
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(!unit_is_readable(pe));
	ck_ok(doca_graph_instance_submit(sample.instance));
	ck_assert(unit_is_readable(pe));
	for (int i = 0; i < 3; i++) {
		ck_ok(doca_pe_clear_notification(pe, 0));
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
		/* Also for the user node, when it is all that is left. */
		ck_ok(doca_pe_request_notification(pe));
		ck_assert(unit_is_readable(pe) == (i < 2));
	}
	ck_assert_uint_eq(n_completed, 1);
	ck_ok(doca_pe_clear_notification(pe, 0));
	sample_close();
}
END_TEST

/* --- permitted calls in each state --- */

START_TEST(states_are_checked)
{
	struct doca_graph_node *node, *foreign;
	struct doca_graph_instance *other;
	struct doca_graph *graph;
	struct doca_pe *other_pe;
	struct toy *c;

	sample_open(b);
	ck_fails(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
	ck_ok(doca_graph_start(sample.graph));
	ck_fails(doca_graph_stop(sample.graph), DOCA_ERROR_IN_USE);
	ck_fails(doca_graph_destroy(sample.graph), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_graph_instance_create(sample.graph, &other), DOCA_ERROR_NO_MEMORY);
	ck_fails(doca_graph_node_create_from_ctx(sample.graph, &a->ctx, &node),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_graph_node_create_from_user(sample.graph, log_user, &node),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_graph_add_dependency(sample.graph, sample.first, sample.second),
		 DOCA_ERROR_BAD_STATE);

	/* Another graph: first without nodes, then on a context of another engine. */
	graph = graph_new(1);
	foreign = user_node(graph, log_user);
	ck_fails(doca_graph_start(graph), DOCA_ERROR_BAD_STATE);
	ck_says("no node");
	ck_fails(doca_graph_add_dependency(graph, foreign, sample.user), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_graph_instance_set_user_node_data(sample.instance, foreign, NULL),
		 DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_pe_create(&other_pe));
	c = toy_new(NULL, 1);
	ctx_node(graph, c);
	ck_fails(doca_graph_start(graph), DOCA_ERROR_BAD_STATE);
	ck_says("not connected");
	ck_ok(doca_pe_connect_ctx(other_pe, &c->ctx));
	ck_fails(doca_graph_node_create_from_ctx(graph, &c->ctx, &node), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_graph_start(graph), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_graph_destroy(graph));
	toy_delete(c);
	/* A graph of another engine is refused, too. */
	ck_ok(doca_graph_create(other_pe, &graph));
	ck_fails(doca_graph_node_create_from_graph(graph, sample.graph, &node),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_pe_destroy(other_pe), DOCA_ERROR_IN_USE);
	ck_ok(doca_graph_destroy(graph));
	ck_ok(doca_pe_destroy(other_pe));

	ck_ok(doca_graph_instance_submit(sample.instance));
	ck_fails(doca_graph_instance_submit(sample.instance), DOCA_ERROR_IN_USE);
	ck_fails(doca_graph_instance_set_user_data(sample.instance, (union doca_data){.u64 = 1}),
		 DOCA_ERROR_IN_USE);
	ck_fails(doca_graph_instance_set_user_node_data(sample.instance, sample.user, NULL),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_graph_instance_set_ctx_node_data(sample.instance, sample.first,
						       sample.tasks[0]),
		 DOCA_ERROR_BAD_STATE);
	unit_progress(pe);
	ck_fails(doca_graph_instance_set_ctx_node_data(sample.instance, sample.first,
						       sample.tasks[1]),
		 DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_graph_instance_set_ctx_node_data(sample.instance, sample.user,
						       sample.tasks[1]),
		 DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_graph_instance_destroy(sample.instance));
	ck_fails(doca_graph_instance_destroy(sample.instance), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_graph_instance_submit(sample.instance), DOCA_ERROR_INVALID_VALUE);
	sample.instance = instance_new(sample.graph);
	ck_fails(doca_graph_instance_submit(sample.instance), DOCA_ERROR_INVALID_VALUE);
	ck_says("2 nodes");
	sample_close();
}
END_TEST

/* Stopped, changed, started again. */
START_TEST(a_stopped_graph_may_be_changed)
{
	struct doca_graph *graph;
	struct doca_graph_node *x, *y;
	struct doca_graph_instance *instance;
	struct doca_task *tx, *ty;

	ck_ok(doca_graph_create(pe, &graph));
	x = ctx_node(graph, a);
	ck_ok(doca_graph_start(graph));
	/* Destroying an instance calls no callback. */
	instance = instance_new(graph);
	tx = set_task(instance, x, a, 'x');
	ck_ok(doca_graph_instance_submit(instance));
	ck_assert_uint_eq(unit_progress(pe), 1);
	ck_ok(doca_graph_instance_destroy(instance));
	ck_ok(doca_graph_stop(graph));
	ck_ok(doca_graph_stop(graph));
	ck_fails(doca_graph_instance_create(graph, &instance), DOCA_ERROR_BAD_STATE);
	y = ctx_node(graph, b);
	ck_ok(doca_graph_add_dependency(graph, y, x));
	ck_fails(doca_graph_add_dependency(graph, x, y), DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_graph_add_dependency(graph, y, x));
	ck_ok(doca_graph_set_conf(graph, completed_cb, error_cb, 1));
	ck_ok(doca_graph_set_user_data(graph, (union doca_data){.u64 = 77}));
	ck_ok(doca_graph_start(graph));
	instance = instance_new(graph);
	ck_ok(doca_graph_instance_set_ctx_node_data(instance, x, tx));
	ty = set_task(instance, y, b, 'y');
	ck_ok(doca_graph_instance_submit(instance));
	unit_progress(pe);
	ck_assert_str_eq(order, "xyx");
	ck_assert_uint_eq(n_completed, 1);
	ck_ok(doca_graph_instance_destroy(instance));
	doca_task_free(tx);
	doca_task_free(ty);
	graph_end(graph);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/graph");
	TCase *tcase = unit_case(suite, "graph", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, close_engine);
	tcase_add_test(tcase, nodes_run_in_order);
	tcase_add_test(tcase, tasks_come_back_as_they_were);
	tcase_add_test(tcase, one_flush_for_what_is_ready_together);
	tcase_add_test(tcase, a_failed_task_fails_the_instance);
	tcase_add_test(tcase, a_failed_user_node_fails_the_instance);
	tcase_add_test(tcase, a_stopped_context_fails_the_instance);
	tcase_add_test(tcase, a_refusal_for_good_fails_the_instance);
	tcase_add_test(tcase, a_refused_task_does_not_hold_back_the_others);
	tcase_add_test(tcase, a_full_queue_only_delays);
	tcase_add_test(tcase, sub_graphs_are_nodes);
	tcase_add_test(tcase, sub_graphs_may_be_destroyed);
	tcase_add_test(tcase, graphs_do_not_contain_themselves);
	tcase_add_test(tcase, callbacks_submit_and_destroy);
	tcase_add_test(tcase, a_sleeper_is_woken);
	tcase_add_test(tcase, states_are_checked);
	tcase_add_test(tcase, a_stopped_graph_may_be_changed);
	return unit_run(suite);
}
