/* See tests/integration/sync/end.h. */
#include "tests/integration/sync/end.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>

#include "tests/lib/runner.h"

#define N_TASKS 64u

static struct sync_end *end_of(union doca_data ctx_user_data)
{
	return ctx_user_data.ptr;
}

static void on_ok(struct sync_end *end, struct doca_task *task)
{
	end->n_ok++;
	end->status = doca_task_get_status(task);
	doca_task_free(task);
}

static void on_failed(struct sync_end *end, struct doca_task *task)
{
	end->n_failed++;
	end->status = doca_task_get_status(task);
	doca_task_free(task);
}

static void on_eq(struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
		  union doca_data ctx_user_data)
{
	(void)task_user_data;
	on_ok(end_of(ctx_user_data), doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void on_eq_failed(struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	(void)task_user_data;
	on_failed(end_of(ctx_user_data), doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void on_neq(struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	(void)task_user_data;
	on_ok(end_of(ctx_user_data), doca_sync_event_task_wait_neq_as_doca_task(task));
}

static void on_neq_failed(struct doca_sync_event_task_wait_neq *task,
			  union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	on_failed(end_of(ctx_user_data), doca_sync_event_task_wait_neq_as_doca_task(task));
}

static void on_add(struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	(void)task_user_data;
	on_ok(end_of(ctx_user_data), doca_sync_event_task_notify_add_as_doca_task(task));
}

static void on_add_failed(struct doca_sync_event_task_notify_add *task,
			  union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	on_failed(end_of(ctx_user_data), doca_sync_event_task_notify_add_as_doca_task(task));
}

static void end_start(struct sync_end *end, bool with_tasks,
		      void (*before_start)(struct sync_end *end))
{
	struct epoll_event watch = {.events = EPOLLIN};
	doca_notification_handle_t handle;

	end->epoll_fd = -1;
	if (!with_tasks) {
		OK(doca_sync_event_start(end->event));
		return;
	}
	OK(doca_pe_create(&end->pe));
	end->ctx = doca_sync_event_as_ctx(end->event);
	OK(doca_pe_connect_ctx(end->pe, end->ctx));
	OK(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	OK(doca_sync_event_task_wait_eq_set_conf(end->event, on_eq, on_eq_failed, N_TASKS));
	OK(doca_sync_event_task_wait_neq_set_conf(end->event, on_neq, on_neq_failed, N_TASKS));
	OK(doca_sync_event_task_notify_add_set_conf(end->event, on_add, on_add_failed, N_TASKS));
	if (before_start != NULL)
		before_start(end);
	OK(doca_ctx_start(end->ctx));
	end->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	OK(doca_pe_get_notification_handle(end->pe, &handle));
	ck_assert_int_eq(epoll_ctl(end->epoll_fd, EPOLL_CTL_ADD, handle, &watch), 0);
}

/* The counter is in a map of its page; neither is needed if the event has its own counter. */
static void set_buf(struct sync_end *end, uint64_t *counter, uint32_t pci_permissions)
{
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;

	mmap = use_mmap(end->dev, (void *)((uintptr_t)counter & ~4095ull), 4096,
			DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC |
				pci_permissions);
	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, counter, sizeof(*counter), &buf));
	OK(doca_sync_event_set_doca_buf(end->event, buf));
	OK(doca_buf_dec_refcount(buf, NULL));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(mmap);
}

void sync_end_export(struct sync_end *end, const struct sync_spec *spec, struct sync_desc *desc_out)
{
	const uint8_t *data;
	size_t len;

	*end = (struct sync_end){
		.dev = use_dev(spec->side == LAB_HOST ? USE_HOST_PF0 : USE_DPU_P0)};
	OK(doca_sync_event_create(&end->event));
	if (spec->to_subscriber) {
		OK(doca_sync_event_add_publisher_location_cpu(end->event, end->dev));
		OK(doca_sync_event_add_subscriber_location_remote_pci(end->event));
	} else {
		OK(doca_sync_event_add_publisher_location_remote_pci(end->event));
		OK(doca_sync_event_add_subscriber_location_cpu(end->event, end->dev));
	}
	if (spec->addr != NULL && spec->is_in_buf)
		set_buf(end, spec->addr,
			spec->buf_permissions != 0 ? spec->buf_permissions
						   : DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	else if (spec->addr != NULL)
		OK(doca_sync_event_set_addr(end->event, spec->addr));
	end_start(end, spec->with_tasks, NULL);
	OK(doca_sync_event_export_to_remote_pci(end->event, end->dev, &data, &len));
	ck_assert_uint_le(len, sizeof(desc_out->bytes));
	memset(desc_out, 0, sizeof(*desc_out));
	memcpy(desc_out->bytes, data, len);
	desc_out->len = len;
}

void sync_end_import(struct sync_end *end, const struct sync_spec *spec,
		     const struct sync_desc *desc)
{
	*end = (struct sync_end){
		.dev = use_dev(spec->side == LAB_HOST ? USE_HOST_PF0 : USE_DPU_P0)};
	OK(doca_sync_event_create_from_export(end->dev, desc->bytes, desc->len, &end->event));
	end_start(end, spec->with_tasks, spec->before_start);
}

void sync_end_close(struct sync_end *end)
{
	if (end->ctx != NULL) {
		doca_error_t result = doca_ctx_stop(end->ctx);

		ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
		use_ctx_await(end->pe, end->ctx, DOCA_CTX_STATE_IDLE);
		close(end->epoll_fd);
	} else {
		OK(doca_sync_event_stop(end->event));
	}
	OK(doca_sync_event_destroy(end->event));
	if (end->pe != NULL)
		OK(doca_pe_destroy(end->pe));
	OK(doca_dev_close(end->dev));
}

void sync_end_submit(struct sync_end *end, bool is_eq, uint64_t value, uint64_t mask)
{
	union doca_data nothing = {.u64 = 0};
	struct doca_sync_event_task_wait_eq *eq;
	struct doca_sync_event_task_wait_neq *neq;

	if (is_eq) {
		OK(doca_sync_event_task_wait_eq_alloc_init(end->event, value, mask, nothing, &eq));
		OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(eq)));
	} else {
		OK(doca_sync_event_task_wait_neq_alloc_init(end->event, value, mask, nothing,
							    &neq));
		OK(doca_task_submit(doca_sync_event_task_wait_neq_as_doca_task(neq)));
	}
}

void sync_end_add(struct sync_end *end, uint64_t value)
{
	struct doca_sync_event_task_notify_add *add;

	OK(doca_sync_event_task_notify_add_alloc_init(end->event, value, &end->fetched,
						      (union doca_data){.u64 = 0}, &add));
	OK(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
}

void sync_end_await(struct sync_end *end, unsigned n_completed, bool is_asleep)
{
	struct epoll_event event;

	while (end->n_ok + end->n_failed < n_completed) {
		if (doca_pe_progress(end->pe) || !is_asleep)
			continue;
		OK(doca_pe_request_notification(end->pe));
		ck_assert_int_eq(epoll_wait(end->epoll_fd, &event, 1, -1), 1);
		OK(doca_pe_clear_notification(end->pe, 0));
	}
}
