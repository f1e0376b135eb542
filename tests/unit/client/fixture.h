/*
 * Fixture of the tests of client/core and of the DMA engine: a simulated device, so that no daemon
 * is needed, and a toy engine whose hooks can all be controlled and are counted.
 */
#ifndef TESTS_UNIT_CLIENT_FIXTURE_H
#define TESTS_UNIT_CLIENT_FIXTURE_H

#include <doca_buf_inventory.h>
#include <dococ.h>
#include <poll.h>
#include <string.h>

#include "client/base/error.h"
#include "client/memory/buf.h"
#include "client/progress/ctx.h"
#include "tests/unit/unit.h"

static struct doca_devinfo unit_info = {
	.refs = 1,
	.name = "p0",
	.caps = {.dma = true,
		 .export_pci = true,
		 .import_pci = true,
		 .dma_max_buf_size = SIZE_MAX,
		 .dma_max_list_len = UINT32_MAX,
		 .dma_max_tasks = 4096},
};
__attribute__((unused)) static struct doca_dev unit_dev = {.info = &unit_info, .n_opens = 1};
__attribute__((unused)) static struct doca_dev unit_dev_other = {.info = &unit_info, .n_opens = 1};

#define ck_ok(call)         ck_assert_int_eq(call, DOCA_SUCCESS)
#define ck_fails(call, how) ck_assert_int_eq(call, how)
/* The error sentence of the last failure contains this text. */
#define ck_says(part)                                                                         \
	ck_assert_msg(strstr(dococ_last_error(), part) != NULL, "\"%s\" does not say \"%s\"", \
		      dococ_last_error(), part)

static inline struct doca_mmap *unit_mmap(void *addr, size_t len, uint32_t permissions)
{
	struct doca_mmap *mmap;

	ck_ok(doca_mmap_create(&mmap));
	ck_ok(doca_mmap_set_memrange(mmap, addr, len));
	ck_ok(doca_mmap_set_permissions(mmap, permissions));
	ck_ok(doca_mmap_add_dev(mmap, &unit_dev));
	ck_ok(doca_mmap_start(mmap));
	return mmap;
}

/* Creates a map as if by an import of an export, reached through region. */
static inline struct doca_mmap *unit_import(uint64_t base, size_t len, bool readable, bool writable,
					    const struct xport_region *region)
{
	struct doca_mmap *mmap = unit_mmap((void *)(uintptr_t)base, len,
					   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);

	mmap->from_export = true;
	mmap->readable = readable;
	mmap->writable = writable;
	mmap->region = *region;
	mmap->direct = region->direct;
	mmap->delta = region->delta;
	mmap_set_fast(mmap);
	return mmap;
}

static inline struct doca_buf_inventory *unit_inventory(size_t n)
{
	struct doca_buf_inventory *inventory;

	ck_ok(doca_buf_inventory_create(n, &inventory));
	ck_ok(doca_buf_inventory_start(inventory));
	return inventory;
}

static inline uint32_t unit_n_free(const struct doca_buf_inventory *inventory)
{
	uint32_t n;

	ck_ok(doca_buf_inventory_get_num_free_elements(inventory, &n));
	return n;
}

static inline enum doca_ctx_states unit_state(const struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	ck_ok(doca_ctx_get_state(ctx, &state));
	return state;
}

static inline bool unit_is_readable(struct doca_pe *pe)
{
	struct pollfd pfd = {.events = POLLIN};

	ck_ok(doca_pe_get_notification_handle(pe, &pfd.fd));
	return poll(&pfd, 1, 0) == 1;
}

/* --- toy engine --- */

#define TOY_LOG_MAX 64

struct toy {
	struct doca_ctx ctx; /* first, as ctx_ops' hooks rely on */
	struct task_pool pool;
	/* Results of the hooks. */
	doca_error_t start_result;
	doca_error_t
		/* For the task with user data fail_at, or for all tasks if that is 0. */
		execute_result;
	uint64_t fail_at;
	bool is_slow; /* stops only when is_stopped is set */
	bool is_stopped;
	bool is_pending;   /* arm finds an event */
	uint32_t n_events; /* returned by poll */
	void (*on_event)(struct toy *toy);
	void (*on_task)(struct toy *toy, struct doca_task *task);
	void (*on_state)(struct toy *toy, enum doca_ctx_states next);
	/* Numbers of calls. */
	uint32_t n_stops, n_releases, n_polls, n_arms, n_disarms;
	uint32_t n_ok, n_failed;
	uint64_t order[TOY_LOG_MAX]; /* user data of completed tasks */
	uint32_t n_order;
	doca_error_t last_status;
	uint8_t states[TOY_LOG_MAX]; /* prev << 4 | next */
	uint32_t n_states;
};

static inline struct toy *toy_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct toy, ctx);
}

static doca_error_t toy_start(struct doca_ctx *ctx)
{
	return toy_of(ctx)->start_result;
}

static void toy_stop(struct doca_ctx *ctx)
{
	toy_of(ctx)->n_stops++;
}

static bool toy_stopped(const struct doca_ctx *ctx)
{
	return !toy_of(ctx)->is_slow || toy_of(ctx)->is_stopped;
}

static void toy_release(struct doca_ctx *ctx)
{
	toy_of(ctx)->n_releases++;
}

static uint8_t toy_poll(struct doca_ctx *ctx)
{
	struct toy *toy = toy_of(ctx);

	toy->n_polls++;
	if (toy->n_events == 0)
		return 0;
	toy->n_events--;
	if (toy->on_event != NULL)
		toy->on_event(toy);
	return 1;
}

static bool toy_arm(struct doca_ctx *ctx)
{
	toy_of(ctx)->n_arms++;
	return toy_of(ctx)->is_pending;
}

static void toy_disarm(struct doca_ctx *ctx)
{
	toy_of(ctx)->n_disarms++;
}

static const struct ctx_ops toy_ops = {
	.name = "toy",
	.start = toy_start,
	.stop = toy_stop,
	.stopped = toy_stopped,
	.release = toy_release,
	.poll = toy_poll,
	.arm = toy_arm,
	.disarm = toy_disarm,
};

static doca_error_t toy_execute(struct doca_task *task)
{
	struct toy *toy = toy_of(task->ctx);

	return toy->fail_at == 0 || toy->fail_at == task->user_data.u64 ? toy->execute_result
									: DOCA_SUCCESS;
}

static void toy_done(struct doca_task *task, uint64_t user_data)
{
	struct toy *toy = toy_of(doca_task_get_ctx(task));

	ck_assert_uint_eq(user_data, doca_task_get_user_data(task).u64);
	if (toy->n_order < TOY_LOG_MAX)
		toy->order[toy->n_order] = user_data;
	toy->n_order++;
	toy->last_status = doca_task_get_status(task);
	if (toy->on_task != NULL)
		toy->on_task(toy, task);
	else
		doca_task_free(task);
}

static void toy_ok(struct doca_task *task, union doca_data user_data, union doca_data ctx_user_data)
{
	ck_assert_ptr_eq(ctx_user_data.ptr, task->ctx);
	toy_of(task->ctx)->n_ok++;
	toy_done(task, user_data.u64);
}

static void toy_failed(struct doca_task *task, union doca_data user_data,
		       union doca_data ctx_user_data)
{
	ck_assert_ptr_eq(ctx_user_data.ptr, task->ctx);
	toy_of(task->ctx)->n_failed++;
	toy_done(task, user_data.u64);
}

static void toy_state(const union doca_data user_data, struct doca_ctx *ctx,
		      enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct toy *toy = toy_of(ctx);

	ck_assert_ptr_eq(user_data.ptr, ctx);
	ck_assert_int_eq(unit_state(ctx), next);
	ck_assert_uint_lt(toy->n_states, TOY_LOG_MAX);
	toy->states[toy->n_states++] = (uint8_t)(prev << 4 | next);
	if (toy->on_state != NULL)
		toy->on_state(toy, next);
}

#define IDLE     DOCA_CTX_STATE_IDLE
#define STARTING DOCA_CTX_STATE_STARTING
#define RUNNING  DOCA_CTX_STATE_RUNNING
#define STOPPING DOCA_CTX_STATE_STOPPING

/* The n-th state change that the application saw. */
#define ck_change(toy, n, prev, next)                          \
	do {                                                   \
		ck_assert_uint_gt((toy)->n_states, n);         \
		ck_assert_int_eq((toy)->states[n] >> 4, prev); \
		ck_assert_int_eq((toy)->states[n] & 15, next); \
	} while (0)

static inline struct toy *toy_new(struct doca_pe *pe, uint32_t n_tasks)
{
	struct toy *toy = calloc(1, sizeof(*toy));

	ck_assert_ptr_nonnull(toy);
	ctx_init(&toy->ctx, &toy_ops, &unit_dev);
	toy->pool.ok_cb = toy_ok;
	toy->pool.err_cb = toy_failed;
	toy->pool.execute = toy_execute;
	if (n_tasks > 0)
		ck_assert_int_eq(
			task_pool_init(&toy->pool, &toy->ctx, n_tasks, sizeof(struct doca_task)),
			0);
	ck_ok(doca_ctx_set_user_data(&toy->ctx, (union doca_data){.ptr = &toy->ctx}));
	ck_ok(doca_ctx_set_state_changed_cb(&toy->ctx, toy_state));
	if (pe != NULL)
		ck_ok(doca_pe_connect_ctx(pe, &toy->ctx));
	return toy;
}

static inline struct toy *toy_delete(struct toy *toy)
{
	ck_ok(ctx_deinit(&toy->ctx));
	task_pool_deinit(&toy->pool);
	free(toy);
	return NULL;
}

static inline struct doca_task *toy_task(struct toy *toy, uint64_t user_data)
{
	struct doca_task *task = task_pool_get(&toy->pool, (union doca_data){.u64 = user_data});

	ck_assert_ptr_nonnull(task);
	return task;
}

/* Progresses until there is no more work. Returns the number of calls that did something. */
static inline uint32_t unit_progress(struct doca_pe *pe)
{
	uint32_t n = 0;

	while (doca_pe_progress(pe)) {
		n++;
		ck_assert_uint_lt(n, 1000000);
	}
	return n;
}

#endif
