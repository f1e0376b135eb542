/*
 * doca_graph.h with a real DMA context: configuration, dependencies, data of nodes, the workflow of
 * the guide, failures, and no allocation after start.
 */
#include <stdio.h>
#include <string.h>

#include <doca_graph.h>

#include "tests/conformance/cover.h"
#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define N_TASKS 64u
#define N_RUNS  8u /* concurrent instances */
#define LEN     4096u
#define COPY    64u

static struct lab lab;
static struct doca_dev *dev;
static struct use_dma use;
static uint8_t from[LEN], to[2 * LEN];
static struct doca_mmap *map_from, *map_to;
static unsigned n_completed, n_errors, n_checked;

static void setup(void)
{
	struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	use_dma_open(&use, dev, N_TASKS);
	map_from = use_mmap(dev, from, sizeof(from), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	map_to = use_mmap(dev, to, sizeof(to), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	use_fill(from, sizeof(from), 9);
}

static void teardown(void)
{
	/* The callbacks of the task type must not be called for tasks of a graph. */
	ck_assert_uint_eq(use.n_ok + use.n_failed, 0);
	use_dma_close(&use);
	use_mmap_end(map_from);
	use_mmap_end(map_to);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static void on_completed(struct doca_graph_instance *instance, union doca_data instance_data,
			 union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	n_completed += graph_data.ptr == &use;
}

static void on_error(struct doca_graph_instance *instance, union doca_data instance_data,
		     union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	n_errors += graph_data.ptr == &use;
}

static void await_instances(unsigned n)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;

	while (n_completed + n_errors < n) {
		ck_assert_msg(clock_now_ns() < deadline, "%u of %u instances completed",
			      n_completed + n_errors, n);
		doca_pe_progress(use.pe);
	}
}

/* --- one run: two copies and a check --- */

struct run {
	unsigned index;
	struct doca_graph_instance *instance;
	struct doca_buf *src, *dst[2];
	struct doca_task *tasks[2];
};

static struct {
	struct doca_graph *graph;
	struct doca_graph_node *copies[2], *check;
	struct run runs[N_RUNS];
} all;

static uint8_t *dst_of(const struct run *run, unsigned i)
{
	return to + (2 * run->index + i) * COPY;
}

static doca_error_t check_copies(void *cookie)
{
	const struct run *run = cookie;

	n_checked++;
	for (unsigned i = 0; i < 2; i++) {
		if (memcmp(dst_of(run, i), from + run->index * COPY, COPY) != 0)
			return DOCA_ERROR_UNEXPECTED;
	}
	return DOCA_SUCCESS;
}

static void graph_open(void)
{
	OK(doca_graph_create(use.pe, &all.graph));
	PASSES(doca_graph_node_create_from_user(all.graph, check_copies, &all.check));
	for (unsigned i = 0; i < 2; i++) {
		PASSES(doca_graph_node_create_from_ctx(all.graph, use.ctx, &all.copies[i]));
		PASSES(doca_graph_add_dependency(all.graph, all.copies[i], all.check));
	}
	PASSES(doca_graph_set_conf(all.graph, on_completed, on_error, N_RUNS));
	PASSES(doca_graph_set_user_data(all.graph, (union doca_data){.ptr = &use}));
	PASSES(doca_graph_start(all.graph));
	for (unsigned r = 0; r < N_RUNS; r++) {
		struct run *run = &all.runs[r];

		run->index = r;
		run->src = use_src(&use, map_from, from + r * COPY, COPY);
		PASSES(doca_graph_instance_create(all.graph, &run->instance));
		for (unsigned i = 0; i < 2; i++) {
			run->dst[i] = use_dst(&use, map_to, dst_of(run, i), COPY);
			run->tasks[i] = use_task(&use, run->src, run->dst[i]);
			PASSES(doca_graph_instance_set_ctx_node_data(run->instance, all.copies[i],
								     run->tasks[i]));
		}
		PASSES(doca_graph_instance_set_user_node_data(run->instance, all.check, run));
		PASSES(doca_graph_instance_set_user_data(run->instance,
							 (union doca_data){.ptr = run}));
	}
}

static void graph_close(void)
{
	for (unsigned r = 0; r < N_RUNS; r++) {
		struct run *run = &all.runs[r];

		PASSES(doca_graph_instance_destroy(run->instance));
		for (unsigned i = 0; i < 2; i++) {
			doca_task_free(run->tasks[i]);
			use_buf_end(run->dst[i]);
		}
		use_buf_end(run->src);
	}
	PASSES(doca_graph_stop(all.graph));
	PASSES(doca_graph_stop(all.graph));
	PASSES(doca_graph_destroy(all.graph));
}

static void run_again(struct run *run)
{
	for (unsigned i = 0; i < 2; i++)
		OK(doca_buf_reset_data_len(run->dst[i]));
	EXPECT(DOCA_SUCCESS, doca_graph_instance_submit(run->instance));
}

START_TEST(test_configuration)
{
	struct doca_graph *graph, *none = NULL;
	struct doca_graph_node *node, *user;
	struct doca_graph_instance *instance;
	union doca_data data = {.u64 = 5};

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_create(NULL, &graph));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_create(use.pe, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_graph_create(use.pe, &graph));
	PASSES(doca_graph_create(use.pe, &graph));
	/* An engine with a graph is in use. */
	EXPECT(DOCA_ERROR_IN_USE, doca_pe_destroy(use.pe));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_set_conf(none, on_completed, on_error, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_set_conf(graph, NULL, on_error, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_set_conf(graph, on_completed, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_set_conf(graph, on_completed, on_error, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_set_user_data(none, data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_get_user_data(none, &data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_get_user_data(graph, NULL));
	PASSES(doca_graph_set_user_data(graph, data));
	data.u64 = 0;
	PASSES(doca_graph_get_user_data(graph, &data));
	ck_assert_uint_eq(data.u64, 5);

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_node_create_from_ctx(none, use.ctx, &node));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_node_create_from_ctx(graph, NULL, &node));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_node_create_from_ctx(graph, use.ctx, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_node_create_from_user(graph, NULL, &user));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_node_create_from_graph(graph, none, &node));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_stop(none));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_instance_create(graph, &instance));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_start(graph)); /* empty */
	PASSES(doca_graph_node_create_from_user(graph, check_copies, &user));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_start(graph)); /* no context */
	if (allocount_works) {
		RUNS_OUT(0, doca_graph_node_create_from_ctx(graph, use.ctx, &node));
		RUNS_OUT(0, doca_graph_node_create_from_user(graph, check_copies, &node));
	}
	PASSES(doca_graph_node_create_from_ctx(graph, use.ctx, &node));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_add_dependency(graph, NULL, user));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_add_dependency(graph, node, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_graph_add_dependency(graph, node, node));
	if (allocount_works)
		RUNS_OUT(0, doca_graph_add_dependency(graph, node, user));
	PASSES(doca_graph_add_dependency(graph, node, user));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_graph_add_dependency(graph, user, node));
	for (unsigned i = 0; allocount_works && i < 6; i++)
		RUNS_OUT(i, doca_graph_start(graph));
	PASSES(doca_graph_start(graph));
	PASSES(doca_graph_start(graph));

	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_destroy(graph));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_set_conf(graph, on_completed, on_error, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_set_user_data(graph, data));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_node_create_from_ctx(graph, use.ctx, &node));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_node_create_from_user(graph, check_copies, &node));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_add_dependency(graph, node, user));
	PASSES(doca_graph_stop(graph));
	PASSES(doca_graph_destroy(graph));
}
END_TEST

START_TEST(test_context_must_run)
{
	graph_open();
	graph_close();
	OK(doca_graph_create(use.pe, &all.graph));
	OK(doca_graph_node_create_from_ctx(all.graph, use.ctx, &all.copies[0]));
	OK(doca_ctx_stop(use.ctx));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_start(all.graph));
	OK(doca_ctx_start(use.ctx));
	PASSES(doca_graph_start(all.graph));
	OK(doca_graph_stop(all.graph));
	OK(doca_graph_destroy(all.graph));
}
END_TEST

START_TEST(test_instances)
{
	struct doca_graph *other;
	struct doca_graph_node *node, *user;
	struct doca_graph_instance *instance, *one;
	union doca_data data = {.u64 = 0};
	struct run *run = &all.runs[0];

	graph_open();
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_create(NULL, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_create(all.graph, NULL));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_graph_instance_create(all.graph, &one));
	RETURNS(DOCA_ERROR_IN_USE, doca_graph_stop(all.graph));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_submit(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_set_user_data(NULL, data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_get_user_data(NULL, &data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_get_user_data(run->instance, NULL));
	PASSES(doca_graph_instance_get_user_data(run->instance, &data));
	ck_assert_ptr_eq(data.ptr, run);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_set_ctx_node_data(NULL, all.copies[0], run->tasks[0]));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_set_ctx_node_data(run->instance, NULL, run->tasks[0]));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_set_ctx_node_data(run->instance, all.copies[0], NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_set_user_node_data(run->instance, NULL, run));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_ctx_node_data(run->instance, all.check, run->tasks[0]));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_user_node_data(run->instance, all.copies[0], run));

	/* Another graph, which has this one as a node. */
	OK(doca_graph_create(use.pe, &other));
	if (allocount_works)
		RUNS_OUT(0, doca_graph_node_create_from_graph(other, all.graph, &node));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_graph_node_create_from_graph(other, other, &node));
	PASSES(doca_graph_node_create_from_graph(other, all.graph, &node));
	OK(doca_graph_node_create_from_user(other, check_copies, &user));
	OK(doca_graph_add_dependency(other, node, user));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_add_dependency(other, node, all.copies[0]));
	OK(doca_graph_set_conf(other, on_completed, on_error, 2));
	OK(doca_graph_set_user_data(other, (union doca_data){.ptr = &use}));
	OK(doca_graph_start(other));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_node_create_from_graph(other, all.graph, &node));
	OK(doca_graph_instance_create(other, &instance));
	OK(doca_graph_instance_create(other, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_submit(instance));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_set_sub_graph_node_data(instance, node, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_sub_graph_node_data(instance, node, one));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_sub_graph_node_data(instance, user, run->instance));
	PASSES(doca_graph_instance_set_sub_graph_node_data(instance, node, run->instance));
	OK(doca_graph_instance_set_user_node_data(instance, user, run));
	PASSES(doca_graph_instance_submit(instance));
	RETURNS(DOCA_ERROR_IN_USE, doca_graph_instance_submit(instance));
	RETURNS(DOCA_ERROR_IN_USE, doca_graph_instance_destroy(instance));
	RETURNS(DOCA_ERROR_IN_USE, doca_graph_instance_set_user_data(instance, data));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_graph_instance_set_ctx_node_data(run->instance, all.copies[0], run->tasks[0]));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_instance_set_user_node_data(instance, user, run));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_graph_instance_set_sub_graph_node_data(instance, node, all.runs[1].instance));
	/* Only the outer graph calls its callback; both checks have run. */
	await_instances(1);
	ck_assert_uint_eq(n_completed, 1);
	ck_assert_uint_eq(n_checked, 2);
	ck_assert_uint_eq(doca_pe_progress(use.pe), 0);
	OK(doca_graph_instance_destroy(instance));
	OK(doca_graph_instance_destroy(one));
	OK(doca_graph_stop(other));
	OK(doca_graph_destroy(other));
	graph_close();
	/* A graph that is not started cannot be a node. */
	OK(doca_graph_create(use.pe, &other));
	OK(doca_graph_create(use.pe, &all.graph));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_node_create_from_graph(other, all.graph, &node));
	OK(doca_graph_destroy(other));
	OK(doca_graph_destroy(all.graph));
}
END_TEST

/* Runs all instances concurrently, several times. */
START_TEST(test_workflow)
{
	graph_open();
	for (unsigned round = 0; round < 100; round++) {
		memset(to, 0, sizeof(to));
		for (unsigned r = 0; r < N_RUNS; r++)
			run_again(&all.runs[r]);
		await_instances((round + 1) * N_RUNS);
	}
	ck_assert_uint_eq(n_completed, 100 * N_RUNS);
	ck_assert_uint_eq(n_checked, 100 * N_RUNS);
	graph_close();
}
END_TEST

/* A failed copy stops the context. Every instance ends, and everything works after a restart. */
START_TEST(test_failure)
{
	graph_open();
	for (unsigned r = 0; r < N_RUNS; r++) {
		/* The destination of the second run has no room. */
		if (r == 1)
			OK(doca_buf_set_data_len(all.runs[r].dst[1], 1));
		EXPECT(DOCA_SUCCESS, doca_graph_instance_submit(all.runs[r].instance));
	}
	await_instances(N_RUNS);
	ck_assert_uint_ge(n_errors, 1);
	EXPECT(DOCA_ERROR_IO_FAILED, doca_task_get_status(all.runs[1].tasks[1]));
	graph_close();
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(use.ctx));
	n_completed = n_errors = 0;
	graph_open();
	for (unsigned r = 0; r < N_RUNS; r++)
		run_again(&all.runs[r]);
	await_instances(N_RUNS);
	ck_assert_uint_eq(n_completed, N_RUNS);
	graph_close();
}
END_TEST

/* A context that stops fails its instances in flight. */
START_TEST(test_stop)
{
	graph_open();
	for (unsigned r = 0; r < N_RUNS; r++)
		run_again(&all.runs[r]);
	doca_pe_progress(use.pe);
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(use.ctx));
	await_instances(N_RUNS);
	ck_assert_uint_eq(n_errors, N_RUNS);
	EXPECT(DOCA_SUCCESS, doca_task_get_status(all.runs[0].tasks[0]));
	graph_close();
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(use.ctx));
}
END_TEST

/*
 * A hundred thousand instances, allocated and freed each time, allocate no memory and take no lock.
 */
START_TEST(test_no_allocation)
{
	unsigned n = allocount_works ? 100000 : 2000;

	graph_open();
	hot_begin();
	for (unsigned i = 0; i < n; i++) {
		struct run *run = &all.runs[i % N_RUNS];
		doca_error_t result;

		result = doca_graph_instance_destroy(run->instance);
		result |= doca_graph_instance_create(all.graph, &run->instance);
		for (unsigned k = 0; k < 2; k++) {
			result |= doca_buf_reset_data_len(run->dst[k]);
			result |= doca_graph_instance_set_ctx_node_data(
				run->instance, all.copies[k], run->tasks[k]);
		}
		result |= doca_graph_instance_set_user_node_data(run->instance, all.check, run);
		result |= doca_graph_instance_submit(run->instance);
		while (i % N_RUNS == N_RUNS - 1 && doca_pe_progress(use.pe) != 0)
			continue;
		if (result != DOCA_SUCCESS)
			ck_abort_msg("instance %u: %s", i, dococ_last_error());
	}
	hot_end();
	ck_assert_uint_eq(n_completed, n);
	graph_close();
}
END_TEST

static const struct unreachable unreachable[] = {
	{NULL},
};

static bool finish(void)
{
	return cover_report("doca_graph", documented_doca_graph, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("graph");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_context_must_run);
	tcase_add_test(tcase, test_instances);
	tcase_add_test(tcase, test_workflow);
	tcase_add_test(tcase, test_failure);
	tcase_add_test(tcase, test_stop);
	tcase_add_test(tcase, test_no_allocation);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_graph", add_cases, finish);
}
