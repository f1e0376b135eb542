/*
 * The hand-over of handover.h, by programs of DOCA 2.5, 2.6 and the current version: synchronous
 * calls, or tasks on a progress engine. The versions differ in the names of the functions that
 * export to the other side, and in the waits.
 */
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_sync_event.h>

#include "tests/integration/sync/handover.h"
#include "tests/lib/expect.h"

#define ALL UINT64_MAX

#if DOCA_USE_VERSION <= 206
#define WAIT(part)          doca_sync_event_task_wait_gt##part
#define export_to           doca_sync_event_export_to_dpu
#define publisher_add_them  doca_sync_event_add_publisher_location_dpu
#define subscriber_add_them doca_sync_event_add_subscriber_location_dpu
#else
#define WAIT(part)          doca_sync_event_task_wait_neq##part
#define export_to           doca_sync_event_export_to_remote_pci
#define publisher_add_them  doca_sync_event_add_publisher_location_remote_pci
#define subscriber_add_them doca_sync_event_add_subscriber_location_remote_pci
#endif

struct end {
	struct doca_dev *dev;
	enum handover_mode mode;
	struct doca_sync_event *event;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	doca_notification_handle_t handle;
};

/* The user data of a task is the address for its status. */
static void on_get(struct doca_sync_event_task_get *task, union doca_data data, union doca_data ctx)
{
	(void)ctx;
	*(doca_error_t *)data.ptr =
		doca_task_get_status(doca_sync_event_task_get_as_doca_task(task));
}

static void on_set(struct doca_sync_event_task_notify_set *task, union doca_data data,
		   union doca_data ctx)
{
	(void)ctx;
	*(doca_error_t *)data.ptr =
		doca_task_get_status(doca_sync_event_task_notify_set_as_doca_task(task));
}

static void on_add(struct doca_sync_event_task_notify_add *task, union doca_data data,
		   union doca_data ctx)
{
	(void)ctx;
	*(doca_error_t *)data.ptr =
		doca_task_get_status(doca_sync_event_task_notify_add_as_doca_task(task));
}

static void on_wait(struct WAIT() * task, union doca_data data, union doca_data ctx)
{
	(void)ctx;
	*(doca_error_t *)data.ptr = doca_task_get_status(WAIT(_as_doca_task)(task));
}

static void start(struct end *end)
{
	if (end->mode <= HANDOVER_YIELDS) {
		OK(doca_sync_event_start(end->event));
		return;
	}
	end->ctx = doca_sync_event_as_ctx(end->event);
	OK(doca_pe_create(&end->pe));
	OK(doca_pe_get_notification_handle(end->pe, &end->handle));
	OK(doca_pe_connect_ctx(end->pe, end->ctx));
	OK(doca_sync_event_task_get_set_conf(end->event, on_get, on_get, 1));
	OK(doca_sync_event_task_notify_set_set_conf(end->event, on_set, on_set, 1));
	OK(doca_sync_event_task_notify_add_set_conf(end->event, on_add, on_add, 1));
	OK(WAIT(_set_conf)(end->event, on_wait, on_wait, 1));
	OK(doca_ctx_start(end->ctx));
}

static struct end *end_new(const char *pci_addr, enum handover_mode mode)
{
	struct end *end = calloc(1, sizeof(*end));

	end->dev = use_dev(pci_addr);
	end->mode = mode;
	return end;
}

static void *handover_export(const char *pci_addr, enum handover_mode mode, bool to_subscriber,
			     struct handover_desc *desc)
{
	struct end *end = end_new(pci_addr, mode);
	const uint8_t *data;

	OK(doca_sync_event_create(&end->event));
	if (to_subscriber) {
		OK(doca_sync_event_add_publisher_location_cpu(end->event, end->dev));
		OK(subscriber_add_them(end->event));
	} else {
		OK(publisher_add_them(end->event));
		OK(doca_sync_event_add_subscriber_location_cpu(end->event, end->dev));
	}
	start(end);
	OK(export_to(end->event, end->dev, &data, &desc->len));
	memcpy(desc->bytes, data, desc->len);
	return end;
}

static void *handover_import(const char *pci_addr, enum handover_mode mode,
			     const struct handover_desc *desc)
{
	struct end *end = end_new(pci_addr, mode);

	OK(doca_sync_event_create_from_export(end->dev, desc->bytes, desc->len, &end->event));
	start(end);
	return end;
}

static void sleep_or_yield(const struct end *end)
{
	struct pollfd pfd = {.fd = end->handle, .events = POLLIN};

	/* The other process may need the processor. */
	if (end->mode != HANDOVER_SLEEPS) {
		sched_yield();
		return;
	}
	OK(doca_pe_request_notification(end->pe));
	ck_assert_int_eq(poll(&pfd, 1, -1), 1);
	OK(doca_pe_clear_notification(end->pe, end->handle));
}

static doca_error_t run(struct end *end, struct doca_task *task)
{
	doca_error_t status = DOCA_ERROR_AGAIN;

	doca_task_set_user_data(task, (union doca_data){.ptr = &status});
	OK(doca_task_submit(task));
	while (status == DOCA_ERROR_AGAIN) {
		if (doca_pe_progress(end->pe) == 0)
			sleep_or_yield(end);
	}
	doca_task_free(task);
	return status;
}

static const union doca_data nothing;

static void set(void *arg, uint64_t value)
{
	struct doca_sync_event_task_notify_set *task;
	struct end *end = arg;

	if (end->ctx == NULL) {
		OK(doca_sync_event_update_set(end->event, value));
		return;
	}
	OK(doca_sync_event_task_notify_set_alloc_init(end->event, value, nothing, &task));
	OK(run(end, doca_sync_event_task_notify_set_as_doca_task(task)));
}

static uint64_t get(void *arg)
{
	struct doca_sync_event_task_get *task;
	struct end *end = arg;
	uint64_t value;

	if (end->ctx == NULL) {
		OK(doca_sync_event_get(end->event, &value));
		return value;
	}
	OK(doca_sync_event_task_get_alloc_init(end->event, &value, nothing, &task));
	OK(run(end, doca_sync_event_task_get_as_doca_task(task)));
	return value;
}

static uint64_t add(void *arg, uint64_t value)
{
	struct doca_sync_event_task_notify_add *task;
	struct end *end = arg;
	uint64_t before;

	if (end->ctx == NULL) {
		OK(doca_sync_event_update_add(end->event, value, &before));
		return before;
	}
	OK(doca_sync_event_task_notify_add_alloc_init(end->event, value, &before, nothing, &task));
	OK(run(end, doca_sync_event_task_notify_add_as_doca_task(task)));
	return before;
}

static doca_error_t await(void *arg, uint64_t value)
{
	struct end *end = arg;
	struct WAIT() * task;

	if (end->mode == HANDOVER_CALLS)
		return doca_sync_event_wait_gt(end->event, value, ALL);
	if (end->mode == HANDOVER_YIELDS)
		return doca_sync_event_wait_gt_yield(end->event, value, ALL);
	OK(WAIT(_alloc_init)(end->event, value + 1, ALL / 2, nothing, &task));
	ck_assert_uint_eq(WAIT(_get_wait_val)(task), value + 1);
	ck_assert_uint_eq(WAIT(_get_mask)(task), ALL / 2);
	WAIT(_set_wait_val)(task, value);
	WAIT(_set_mask)(task, ALL);
	return run(end, WAIT(_as_doca_task)(task));
}

static void end_close(void *arg)
{
	struct end *end = arg;

	if (end->ctx == NULL)
		OK(doca_sync_event_stop(end->event));
	else
		OK(doca_ctx_stop(end->ctx));
	OK(doca_sync_event_destroy(end->event));
	if (end->pe != NULL)
		OK(doca_pe_destroy(end->pe));
	OK(doca_dev_close(end->dev));
	free(end);
}

const struct handover_role VERSIONED(handover_) = {
	DOCA_USE_VERSION, handover_export, handover_import, set, get, add, await, end_close,
};
