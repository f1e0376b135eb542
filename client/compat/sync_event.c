/*
 * Sync events under the names that programs of 2.6 and earlier use. The events are the same as in
 * the current version. client/compat/workq/sync_job.c has their jobs. Threads: as in
 * client/sync_event/sync_event.h.
 */
#include <doca_sync_event.h>
#include <dococ/sync_event_workq.h>

#include "client/base/error.h"
#include "client/compat/workq/jobs.h"
#include "client/compat/workq/sync_job.h"
#include "client/sync_event/sync_event.h"

/* --- up to 2.2: creation --- */

static doca_error_t event_attach(struct doca_sync_event *event, struct doca_sync_event **event_out)
{
	doca_error_t result = legacy_ctx_attach(&event->ctx, &sync_job_engine, API_2_0);

	if (result == DOCA_SUCCESS)
		*event_out = event;
	else
		sync_event_delete(event);
	return result;
}

doca_error_t compat_sync_event_create(struct doca_sync_event **event_out)
{
	struct doca_sync_event *event;
	doca_error_t result;

	result = sync_event_alloc(event_out == NULL ? NULL : &event);
	return result == DOCA_SUCCESS ? event_attach(event, event_out) : result;
}

doca_error_t compat_sync_event_import(struct doca_dev *dev, const uint8_t *data, size_t sz,
				      struct doca_sync_event **event_out)
{
	struct doca_sync_event *event;
	doca_error_t result;

	result = sync_event_import(dev, data, sz, event_out == NULL ? NULL : &event);
	return result == DOCA_SUCCESS ? event_attach(event, event_out) : result;
}

/* --- up to 2.2: locations --- */

doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
							struct doca_dev *dev)
{
	return sync_event_locate(event, true, SYNC_CPU, dev, API_2_0);
}

doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
							struct doca_dpa *dpa)
{
	return sync_unsupported_of(event, API_2_0, dpa != NULL, "add publisher dpa");
}

doca_error_t doca_sync_event_publisher_add_location_gpu(struct doca_sync_event *event,
							struct doca_gpu *gpu)
{
	return sync_unsupported_of(event, API_2_0, gpu != NULL, "add publisher gpu");
}

doca_error_t doca_sync_event_publisher_add_location_dpu(struct doca_sync_event *event)
{
	return sync_event_locate(event, true, SYNC_REMOTE_PCI, NULL, API_2_0);
}

doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
							 struct doca_dev *dev)
{
	return sync_event_locate(event, false, SYNC_CPU, dev, API_2_0);
}

doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
							 struct doca_dpa *dpa)
{
	return sync_unsupported_of(event, API_2_0, dpa != NULL, "add subscriber dpa");
}

doca_error_t doca_sync_event_subscriber_add_location_gpu(struct doca_sync_event *event,
							 struct doca_gpu *gpu)
{
	return sync_unsupported_of(event, API_2_0, gpu != NULL, "add subscriber gpu");
}

doca_error_t doca_sync_event_subscriber_add_location_dpu(struct doca_sync_event *event)
{
	return sync_event_locate(event, false, SYNC_REMOTE_PCI, NULL, API_2_0);
}

/* --- up to 2.2: capabilities, and features that this runtime lacks --- */

doca_error_t doca_sync_event_job_get_supported(struct doca_devinfo *devinfo,
					       enum doca_sync_event_job_types type)
{
	if ((int)type < sync_job_engine.first_type || (int)type > sync_job_engine.last_type)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event job supported: there are no jobs of type %d",
				 (int)type);
	return sync_cap(devinfo, SYNC_HAS_TASKS, "job");
}

doca_error_t doca_sync_event_get_create_from_export_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_IMPORTS_PCI, "create from export");
}

doca_error_t doca_sync_event_get_export_to_dpu_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_EXPORTS_PCI, "export to dpu");
}

doca_error_t doca_sync_event_get_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_PROCESSORS, "export to dpa");
}

doca_error_t doca_sync_event_get_export_to_gpu_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_PROCESSORS, "export to gpu");
}

doca_error_t doca_sync_event_export_remote(struct doca_sync_event *event,
					   doca_sync_event_remote_t *handle)
{
	if (event == NULL || handle == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event export remote: %s is NULL",
				 event == NULL ? "event" : "handle");
	if (sync_event_check_api(event, API_2_0, "sync event export remote") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "sync event export remote: no network of this runtime identifies a "
			 "counter by 16 bytes; export to the DPU instead");
}

/* --- up to 2.6 --- */

doca_error_t doca_sync_event_export_to_dpu(struct doca_sync_event *event, struct doca_dev *dev,
					   const uint8_t **data, size_t *sz)
{
	if (event == NULL || dev == NULL || data == NULL || sz == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event export to dpu: %s is NULL",
				 event == NULL ? "event"
				 : dev == NULL ? "dev"
					       : "a result");
	return sync_event_export(event, dev, DOCOCORE__EXPORT_KIND__SYNC_PCI, data, sz);
}

doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
					   doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
	return sync_unsupported(event != NULL && dpa != NULL && dpa_dev_se_handle != NULL,
				"export to dpa");
}

doca_error_t doca_sync_event_export_to_gpu(struct doca_sync_event *event, struct doca_gpu *gpu,
					   doca_gpu_dev_sync_event_t **gpu_dev_se)
{
	return sync_unsupported(event != NULL && gpu != NULL && gpu_dev_se != NULL,
				"export to gpu");
}

/* --- 2.5 and 2.6 --- */

static struct sync_task *gt_of(struct doca_sync_event_task_wait_gt *task)
{
	return (struct sync_task *)task;
}

static const struct sync_task *gt_of_const(const struct doca_sync_event_task_wait_gt *task)
{
	return (const struct sync_task *)task;
}

doca_error_t doca_sync_event_add_publisher_location_dpu(struct doca_sync_event *event)
{
	return sync_event_locate(event, true, SYNC_REMOTE_PCI, NULL, API_TASK);
}

doca_error_t doca_sync_event_add_subscriber_location_dpu(struct doca_sync_event *event)
{
	return sync_event_locate(event, false, SYNC_REMOTE_PCI, NULL, API_TASK);
}

doca_error_t doca_sync_event_cap_is_export_to_dpu_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_EXPORTS_PCI, "export to dpu");
}

doca_error_t doca_sync_event_cap_task_wait_gt_is_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_TASKS, "task wait gt");
}

doca_error_t doca_sync_event_task_wait_gt_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
	doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks)
{
	return sync_pool_conf(event, SYNC_TASK_GT, (doca_task_completion_cb_t)completion_cb,
			      (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_gt_alloc_init(struct doca_sync_event *event,
						     uint64_t wait_val, uint64_t mask,
						     union doca_data user_data,
						     struct doca_sync_event_task_wait_gt **task)
{
	return sync_pool_alloc(event, SYNC_TASK_GT,
			       &(struct sync_task){.value = wait_val, .mask = mask}, user_data,
			       task);
}

struct doca_task *doca_sync_event_task_wait_gt_as_doca_task(
	struct doca_sync_event_task_wait_gt *task)
{
	return task == NULL ? NULL : &gt_of(task)->task;
}

void doca_sync_event_task_wait_gt_set_wait_val(struct doca_sync_event_task_wait_gt *task,
					       uint64_t wait_val)
{
	gt_of(task)->value = wait_val;
}

uint64_t doca_sync_event_task_wait_gt_get_wait_val(const struct doca_sync_event_task_wait_gt *task)
{
	return gt_of_const(task)->value;
}

void doca_sync_event_task_wait_gt_set_mask(struct doca_sync_event_task_wait_gt *task, uint64_t mask)
{
	gt_of(task)->mask = mask;
}

uint64_t doca_sync_event_task_wait_gt_get_mask(const struct doca_sync_event_task_wait_gt *task)
{
	return gt_of_const(task)->mask;
}

doca_error_t doca_sync_event_remote_net_export_to_dpa(
	struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
	doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
{
	return sync_unsupported(event != NULL && dpa != NULL && dpa_remote_event != NULL,
				"remote net export to dpa");
}

doca_error_t doca_sync_event_remote_net_export_to_gpu(
	struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
	doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)
{
	return sync_unsupported(event != NULL && gpu != NULL && gpu_remote_event != NULL,
				"remote net export to gpu");
}
