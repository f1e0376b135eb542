/*
 * What the tests of libraries share whose tasks compute on buffers: a device of the host side of a
 * lab, a progress engine, a map over `memory` with an inventory, and callbacks that count. A test
 * sets `ctx` to the context of its object. Include it in one file of a program, which defines
 * ENGINE_MEMORY_LEN before.
 */
#ifndef TESTS_CONFORMANCE_V3_ENGINE_H
#define TESTS_CONFORMANCE_V3_ENGINE_H

#include <doca_graph.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_ctx *ctx;
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;
static uint8_t memory[ENGINE_MEMORY_LEN];
static const union doca_data no_data;

static unsigned n_ok, n_failed;
static doca_error_t status; /* of the last completed task */
static bool keeps_tasks;    /* the callbacks do not free tasks */

static inline void completed(struct doca_task *task, bool ok)
{
	status = doca_task_get_status(task);
	n_ok += ok;
	n_failed += !ok;
	if (!keeps_tasks)
		doca_task_free(task);
}

/* Defines NAME_ok() and NAME_failed(), the callbacks of tasks of the type TASK. */
#define CALLBACKS(name, task_type)                                              \
	static void name##_ok(struct task_type *task, union doca_data data,     \
			      union doca_data ctx_data)                         \
	{                                                                       \
		(void)data;                                                     \
		(void)ctx_data;                                                 \
		completed(task_type##_as_task(task), true);                     \
	}                                                                       \
	static void name##_failed(struct task_type *task, union doca_data data, \
				  union doca_data ctx_data)                     \
	{                                                                       \
		(void)data;                                                     \
		(void)ctx_data;                                                 \
		completed(task_type##_as_task(task), false);                    \
	}

/* Each may be NULL: then it is that of a lab. */
static inline void engine_setup(const char *config, const char *topology)
{
	struct lab_options options = {
		.only = {true, false}, .config = config, .topology = topology};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	OK(doca_pe_create(&pe));
	OK(doca_buf_inventory_create(512, &inventory));
	OK(doca_buf_inventory_start(inventory));
	mmap = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

/* Connects and starts the context of a new object. */
static inline void engine_start(struct doca_ctx *its_ctx)
{
	ctx = its_ctx;
	OK(doca_pe_connect_ctx(pe, ctx));
	EXPECT(DOCA_SUCCESS, doca_ctx_start(ctx));
}

/* The object is destroyed. */
static inline void engine_teardown(void)
{
	OK(doca_pe_destroy(pe));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

/* Buffers at an offset of `memory`: one with data, and one with room. */
static inline struct doca_buf *data_buf(size_t at, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + at, len, &buf));
	return buf;
}

static inline struct doca_buf *room_buf(size_t at, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + at, len, &buf));
	return buf;
}

static inline size_t data_len(const struct doca_buf *buf)
{
	size_t len;

	OK(doca_buf_get_data_len(buf, &len));
	return len;
}

/* Completes a task and returns its status. If it stopped the context, starts that again. */
static inline doca_error_t run(struct doca_task *task)
{
	unsigned n = n_ok + n_failed;
	enum doca_ctx_states state;

	OK(doca_task_submit(task));
	while (n_ok + n_failed == n)
		doca_pe_progress(pe);
	/* A context that a failure stops does so in a later call. */
	while (doca_pe_progress(pe))
		continue;
	OK(doca_ctx_get_state(ctx, &state));
	if (state != DOCA_CTX_STATE_RUNNING) {
		use_ctx_await(pe, ctx, DOCA_CTX_STATE_IDLE);
		OK(doca_ctx_start(ctx));
	}
	return status;
}

/* --- graphs --- */

static unsigned n_instances, n_failed_instances;

static inline void instance_ok(struct doca_graph_instance *instance, union doca_data data,
			       union doca_data graph_data)
{
	(void)instance;
	(void)data;
	(void)graph_data;
	n_instances++;
}

static inline void instance_failed(struct doca_graph_instance *instance, union doca_data data,
				   union doca_data graph_data)
{
	(void)instance;
	(void)data;
	(void)graph_data;
	n_failed_instances++;
}

/* Progresses until as many instances have completed in all. */
static inline void instances_await(unsigned n)
{
	while (n_instances + n_failed_instances < n)
		doca_pe_progress(pe);
}

/* --- cases --- */

static inline TCase *engine_case(Suite *suite, const char *name, void (*setup)(void),
				 void (*teardown)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	return tcase;
}

#endif
