/*
 * The hand-over of handover.h, by programs of DOCA 2.0 and 2.2: synchronous calls, or jobs on a
 * work queue.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_sync_event.h>

#include "tests/integration/sync/handover.h"
#include "tests/lib/expect.h"

#define ALL UINT64_MAX

struct end {
	struct doca_dev *dev;
	enum handover_mode mode;
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	doca_event_handle_t handle;
};

static void start(struct end *end)
{
	if (end->mode <= HANDOVER_YIELDS) {
		OK(doca_sync_event_start(end->event));
		return;
	}
	end->ctx = doca_sync_event_as_ctx(end->event);
	OK(doca_ctx_start(end->ctx));
	OK(doca_workq_create(4, &end->workq));
	if (end->mode == HANDOVER_SLEEPS) {
		OK(doca_workq_set_event_driven_enable(end->workq, 1));
		OK(doca_workq_get_event_handle(end->workq, &end->handle));
	}
	OK(doca_ctx_workq_add(end->ctx, end->workq));
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
		OK(doca_sync_event_publisher_add_location_cpu(end->event, end->dev));
		OK(doca_sync_event_subscriber_add_location_dpu(end->event));
	} else {
		OK(doca_sync_event_publisher_add_location_dpu(end->event));
		OK(doca_sync_event_subscriber_add_location_cpu(end->event, end->dev));
	}
	start(end);
	OK(doca_sync_event_export_to_dpu(end->event, end->dev, &data, &desc->len));
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

static void sleep_if_asked(const struct end *end)
{
	struct pollfd pfd = {.fd = end->handle, .events = POLLIN};

	if (end->mode != HANDOVER_SLEEPS)
		return;
	OK(doca_workq_event_handle_arm(end->workq));
	ck_assert_int_eq(poll(&pfd, 1, -1), 1);
	OK(doca_workq_event_handle_clear(end->workq, end->handle));
}

static doca_error_t run(struct end *end, struct doca_job *job, int type)
{
	struct doca_event event;
	doca_error_t result;

	job->type = type;
	job->ctx = end->ctx;
	job->user_data.ptr = job;
	OK(doca_workq_submit(end->workq, job));
	while ((result = doca_workq_progress_retrieve(end->workq, &event, 0)) == DOCA_ERROR_AGAIN)
		sleep_if_asked(end);
	/* A successful assertion would be a system call. */
	if (event.type != type || event.user_data.ptr != job ||
	    result != (event.result.u64 == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED))
		ck_abort_msg("the event of a job of type %d is wrong", type);
	return (doca_error_t)event.result.u64;
}

static void set(void *arg, uint64_t value)
{
	struct doca_sync_event_job_update_set job = {.value = value};
	struct end *end = arg;

	OK(end->ctx == NULL ? doca_sync_event_update_set(end->event, value)
			    : run(end, &job.base, DOCA_SYNC_EVENT_JOB_UPDATE_SET));
}

static uint64_t get(void *arg)
{
	uint64_t value;
	struct doca_sync_event_job_get job = {.value = &value};
	struct end *end = arg;

	OK(end->ctx == NULL ? doca_sync_event_get(end->event, &value)
			    : run(end, &job.base, DOCA_SYNC_EVENT_JOB_GET));
	return value;
}

static uint64_t add(void *arg, uint64_t value)
{
	uint64_t before;
	struct doca_sync_event_job_update_add job = {.value = value, .fetched = &before};
	struct end *end = arg;

	OK(end->ctx == NULL ? doca_sync_event_update_add(end->event, value, &before)
			    : run(end, &job.base, DOCA_SYNC_EVENT_JOB_UPDATE_ADD));
	return before;
}

static doca_error_t await(void *arg, uint64_t value)
{
	struct doca_sync_event_job_wait job = {.value = value, .mask = ALL};
	struct end *end = arg;

	if (end->ctx != NULL)
		return run(end, &job.base, DOCA_SYNC_EVENT_JOB_WAIT_GT);
	return end->mode == HANDOVER_CALLS ? doca_sync_event_wait_gt(end->event, value, ALL)
					   : doca_sync_event_wait_gt_yield(end->event, value, ALL);
}

static void end_close(void *arg)
{
	struct end *end = arg;

	if (end->ctx == NULL) {
		OK(doca_sync_event_stop(end->event));
	} else {
		OK(doca_ctx_workq_rm(end->ctx, end->workq));
		OK(doca_workq_destroy(end->workq));
		OK(doca_ctx_stop(end->ctx));
	}
	OK(doca_sync_event_destroy(end->event));
	OK(doca_dev_close(end->dev));
	free(end);
}

const struct handover_role VERSIONED(handover_) = {
	DOCA_USE_VERSION, handover_export, handover_import, set, get, add, await, end_close,
};
