/* See fixture.h. */
#include <poll.h>

#include "tests/unit/client/fixture.h"

struct doca_mmap *unit_mmap(void *addr, size_t len, uint32_t permissions)
{
	struct doca_mmap *mmap;

	ck_ok(doca_mmap_create(&mmap));
	ck_ok(doca_mmap_set_memrange(mmap, addr, len));
	ck_ok(doca_mmap_set_permissions(mmap, permissions));
	ck_ok(doca_mmap_add_dev(mmap, &unit_dev));
	ck_ok(doca_mmap_start(mmap));
	return mmap;
}

struct doca_mmap *unit_import(uint64_t base, size_t len, bool readable, bool writable,
			      const struct transport_region *region)
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

struct doca_buf_inventory *unit_inventory(size_t n)
{
	struct doca_buf_inventory *inventory;

	ck_ok(doca_buf_inventory_create(n, &inventory));
	ck_ok(doca_buf_inventory_start(inventory));
	return inventory;
}

uint32_t unit_n_free(const struct doca_buf_inventory *inventory)
{
	uint32_t n;

	ck_ok(doca_buf_inventory_get_num_free_elements(inventory, &n));
	return n;
}

enum doca_ctx_states unit_state(const struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	ck_ok(doca_ctx_get_state(ctx, &state));
	return state;
}

bool unit_is_readable(struct doca_pe *pe)
{
	struct pollfd pfd = {.events = POLLIN};

	ck_ok(doca_pe_get_notification_handle(pe, &pfd.fd));
	return poll(&pfd, 1, 0) == 1;
}

static struct toy *toy_of(const struct doca_ctx *ctx)
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

const struct ctx_ops toy_ops = {
	.name = "toy",
	.start = toy_start,
	.stop = toy_stop,
	.stopped = toy_stopped,
	.release = toy_release,
	.poll = toy_poll,
	.arm = toy_arm,
	.disarm = toy_disarm,
};

doca_error_t toy_execute(struct doca_task *task)
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

void toy_ok(struct doca_task *task, union doca_data user_data, union doca_data ctx_user_data)
{
	ck_assert_ptr_eq(ctx_user_data.ptr, task->ctx);
	toy_of(task->ctx)->n_ok++;
	toy_done(task, user_data.u64);
}

void toy_failed(struct doca_task *task, union doca_data user_data, union doca_data ctx_user_data)
{
	ck_assert_ptr_eq(ctx_user_data.ptr, task->ctx);
	toy_of(task->ctx)->n_failed++;
	toy_done(task, user_data.u64);
}

void toy_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
	       enum doca_ctx_states next)
{
	struct toy *toy = toy_of(ctx);

	ck_assert_ptr_eq(user_data.ptr, ctx);
	ck_assert_int_eq(unit_state(ctx), next);
	ck_assert_uint_lt(toy->n_states, TOY_LOG_MAX);
	toy->states[toy->n_states++] = (uint8_t)(prev << 4 | next);
	if (toy->on_state != NULL)
		toy->on_state(toy, next);
}

struct toy *toy_new(struct doca_pe *pe, uint32_t n_tasks)
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

struct toy *toy_delete(struct toy *toy)
{
	ck_ok(ctx_deinit(&toy->ctx));
	task_pool_deinit(&toy->pool);
	free(toy);
	return NULL;
}

struct doca_task *toy_task(struct toy *toy, uint64_t user_data)
{
	struct doca_task *task = task_pool_get(&toy->pool, (union doca_data){.u64 = user_data});

	ck_assert_ptr_nonnull(task);
	return task;
}

uint32_t unit_progress(struct doca_pe *pe)
{
	uint32_t n = 0;

	while (doca_pe_progress(pe)) {
		n++;
		ck_assert_uint_lt(n, 1000000);
	}
	return n;
}
