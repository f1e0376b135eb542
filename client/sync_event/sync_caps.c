/* Sync events: capabilities, and features that this runtime lacks because it has neither a DPA nor
 * a GPU. Threads: any. */
#include "client/base/error.h"
#include "client/sync_event/sync_event.h"

static bool has(const struct dev_caps *caps, enum sync_ability ability)
{
	switch (ability) {
	case SYNC_HAS_TASKS:
		return caps->sync_event;
	case SYNC_IMPORTS_PCI:
		return caps->sync_import_pci;
	case SYNC_IMPORTS_NET:
		return caps->sync_import_net;
	case SYNC_EXPORTS_PCI:
		return caps->sync_export_pci;
	case SYNC_EXPORTS_NET:
		return caps->sync_export_net;
	case SYNC_HAS_PROCESSORS:
		return false;
	}
	return false;
}

/* The topology's keys for the capabilities; all of them require sync_event too. */
static const char *const ability_keys[] = {
	[SYNC_HAS_TASKS] = "sync_event",        [SYNC_IMPORTS_PCI] = "sync_import_pci",
	[SYNC_IMPORTS_NET] = "sync_import_net", [SYNC_EXPORTS_PCI] = "sync_export_pci",
	[SYNC_EXPORTS_NET] = "sync_export_net",
};

doca_error_t sync_cap(const struct doca_devinfo *devinfo, enum sync_ability ability,
		      const char *what)
{
	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event capability %s: devinfo is NULL", what);
	if (has(&devinfo->caps, ability))
		return DOCA_SUCCESS;
	if (ability == SYNC_HAS_PROCESSORS)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "sync event capability %s: this runtime has neither DPA nor GPU",
				  what);
	return error_note(DOCA_ERROR_NOT_SUPPORTED,
			  "sync event capability %s: %s does not support it; key %s of the device "
			  "in the topology allows it",
			  what, devinfo->name,
			  devinfo->caps.sync_event ? ability_keys[ability] : "sync_event");
}

doca_error_t doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_IMPORTS_PCI, "create from export");
}

doca_error_t doca_sync_event_cap_remote_net_is_create_from_export_supported(
	const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_IMPORTS_NET, "remote net create from export");
}

doca_error_t doca_sync_event_cap_is_export_to_remote_pci_supported(
	const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_EXPORTS_PCI, "export to remote pci");
}

doca_error_t doca_sync_event_cap_is_export_to_remote_net_supported(
	const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_EXPORTS_NET, "export to remote net");
}

doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_TASKS, "task get");
}

doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_TASKS, "task notify set");
}

doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_TASKS, "task notify add");
}

doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_TASKS, "task wait eq");
}

doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_TASKS, "task wait neq");
}

/* --- DPA and GPU --- */

doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_PROCESSORS, "export to dpa");
}

doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_PROCESSORS, "export to gpu");
}

doca_error_t doca_sync_event_cap_remote_net_is_export_to_dpa_supported(
	const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_PROCESSORS, "remote net export to dpa");
}

doca_error_t doca_sync_event_cap_remote_net_is_export_to_gpu_supported(
	const struct doca_devinfo *devinfo)
{
	return sync_cap(devinfo, SYNC_HAS_PROCESSORS, "remote net export to gpu");
}

doca_error_t sync_unsupported_of(const struct doca_sync_event *event, uint16_t api,
				 bool has_arguments, const char *what)
{
	if (event != NULL && sync_event_check_api(event, api, "sync event") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	return sync_unsupported(event != NULL && has_arguments, what);
}

doca_error_t sync_unsupported(bool has_arguments, const char *what)
{
	if (!has_arguments)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event %s: an argument is NULL",
				 what);
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "sync event %s: this runtime has neither DPA nor GPU; use a CPU or remote "
			 "location",
			 what);
}

doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
							struct doca_dpa *dpa)
{
	return sync_unsupported_of(event, API_TASK, dpa != NULL, "add publisher dpa");
}

doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
							struct doca_gpu *gpu)
{
	return sync_unsupported_of(event, API_TASK, gpu != NULL, "add publisher gpu");
}

doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
							 struct doca_dpa *dpa)
{
	return sync_unsupported_of(event, API_TASK, dpa != NULL, "add subscriber dpa");
}

doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
							 struct doca_gpu *gpu)
{
	return sync_unsupported_of(event, API_TASK, gpu != NULL, "add subscriber gpu");
}

doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
					    doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
	return sync_unsupported_of(event, API_TASK, dpa != NULL && dpa_dev_se_handle != NULL,
				   "get dpa handle");
}

doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
					    doca_gpu_dev_sync_event_t **gpu_dev_se)
{
	return sync_unsupported_of(event, API_TASK, gpu != NULL && gpu_dev_se != NULL,
				   "get gpu handle");
}

doca_error_t doca_sync_event_remote_net_get_dpa_handle(
	struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
	doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
{
	return sync_unsupported(event != NULL && dpa != NULL && dpa_remote_event != NULL,
				"remote net get dpa handle");
}

doca_error_t doca_sync_event_remote_net_get_gpu_handle(
	struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
	doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)
{
	return sync_unsupported(event != NULL && gpu != NULL && gpu_remote_event != NULL,
				"remote net get gpu handle");
}
