/*
 * Sync event: calls for programs of 2.6 or earlier that later versions rename or do not have.
 * Included by doca_sync_event.h, whose comment has the rules for states, errors and threads. Only
 * the thread of its progress engine may use a task.
 */
#ifndef DOCA_SYNC_EVENT_FORMER_H_
#define DOCA_SYNC_EVENT_FORMER_H_

#include <doca_sync_event.h>

#if DOCA_USE_VERSION > DOCA_MAKE_VERSION(2, 6) && !defined(DOCA_API_LIBRARY)
#error "dococ/sync_event_former.h is for programs of 2.6 and earlier: include doca_sync_event.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates a descriptor with which a process of the other side of the PCIe bus can import the event,
 * by doca_sync_event_create_from_export(), in a program of any version. A host exports to its DPU;
 * this implementation also lets a DPU export to its host. Every call returns the same descriptor.
 * @param event sync event with a DPU location
 * @param dev open device through which the event is exported
 * @param data receives the descriptor, at most 256 bytes, owned by the event until it is stopped
 * @param sz receives its size in bytes
 * States: started, by doca_sync_event_start() or as a context.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: neither location is a DPU.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it (query the capability), the event was created
 *   from an export, or the program's memory cannot be shared (allocate it with dococ_mem_alloc()).
 * - DOCA_ERROR_NO_MEMORY: out of memory, or a quota is exhausted.
 * - DOCA_ERROR_BAD_STATE: the event is not started.
 * - DOCA_ERROR_NOT_PERMITTED: the policy forbids the export.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.0, until 2.6; replaced by doca_sync_event_export_to_remote_pci.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_to_dpu(struct doca_sync_event *event,
						       struct doca_dev *dev, const uint8_t **data,
						       size_t *sz);

/**
 * Gets the handle of the counter for code on a DPA. Not supported.
 * @param event sync event
 * @param dpa DPA
 * @param dpa_dev_se_handle receives the handle
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.0, until 2.6; replaced by doca_sync_event_get_dpa_handle.
 */
DOCA_STABLE doca_error_t
doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
			      doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * Gets the handle of the counter for code on a GPU. Not supported.
 * @param event sync event
 * @param gpu GPU
 * @param gpu_dev_se receives the handle
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.0, until 2.6; replaced by doca_sync_event_get_gpu_handle.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_to_gpu(struct doca_sync_event *event,
						       struct doca_gpu *gpu,
						       doca_gpu_dev_sync_event_t **gpu_dev_se);

#if DOCA_API_BETWEEN(205, 206)
struct doca_sync_event_task_wait_gt; /* waits until the counter is greater than a value */

/*
 * Called when a wait has completed, with the user data of the task and of the context. Runs inside
 * doca_pe_progress(), where the task may be freed or submitted again.
 */
typedef void (*doca_sync_event_task_wait_gt_completion_cb_t)(
	struct doca_sync_event_task_wait_gt *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Declares that the DPU changes the counter: the event can be exported to it with
 * doca_sync_event_export_to_dpu.
 * @param event sync event
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a publisher location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.5, until 2.6; replaced by doca_sync_event_add_publisher_location_remote_pci.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_publisher_location_dpu(struct doca_sync_event *event);

/**
 * Declares that the DPU waits for the counter: the event can be exported to it with
 * doca_sync_event_export_to_dpu.
 * @param event sync event
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a subscriber location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.5, until 2.6; replaced by doca_sync_event_add_subscriber_location_remote_pci.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_subscriber_location_dpu(struct doca_sync_event *event);

/**
 * Checks whether events can be exported to a DPU through a device. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.5, until 2.6; replaced by doca_sync_event_cap_is_export_to_remote_pci_supported.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_dpu_supported(const struct doca_devinfo *devinfo);

/**
 * Checks whether events of a device support tasks that wait for a greater value. The return code is
 * the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_wait_gt_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that wait for a greater value: their callbacks and their number. Without
 * this call none can be allocated.
 * @param event sync event
 * @param completion_cb called for each task that succeeded
 * @param error_cb called for each task that failed; doca_task_get_status() returns
 *   DOCA_ERROR_CONNECTION_RESET or, after a stop, DOCA_ERROR_SHUTDOWN
 * @param num_tasks number of tasks, at least 1
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_gt_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
	doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Allocates a task that waits until the counter, after a bitwise AND with the mask, is greater than
 * a value. All 64 bits are compared, whereas a card supports only 0 to 254. A value that exists
 * only briefly may be missed.
 * @param event sync event
 * @param wait_val value to compare with
 * @param mask bits of the counter to compare
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_gt_alloc_init(
	struct doca_sync_event *event, uint64_t wait_val, uint64_t mask, union doca_data user_data,
	struct doca_sync_event_task_wait_gt **task);

/**
 * Returns a wait task as a general task, for submission.
 * @param task wait task; must not be NULL
 * @return the same task
 * Since 2.5, until 2.6.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_wait_gt_as_doca_task(
	struct doca_sync_event_task_wait_gt *task);

/**
 * Sets the value that a wait compares with.
 * @param task wait task; must not be NULL
 * @param wait_val value to compare with
 * States: not submitted.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE void doca_sync_event_task_wait_gt_set_wait_val(
	struct doca_sync_event_task_wait_gt *task, uint64_t wait_val);

/**
 * Returns the value that a wait compares with.
 * @param task wait task; must not be NULL
 * @return the value as it was set
 * Since 2.5, until 2.6.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_gt_get_wait_val(const struct doca_sync_event_task_wait_gt *task);

/**
 * Sets which bits of the counter are compared.
 * @param task wait task; must not be NULL
 * @param mask bits of the counter to compare
 * States: not submitted.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE void doca_sync_event_task_wait_gt_set_mask(struct doca_sync_event_task_wait_gt *task,
						       uint64_t mask);

/**
 * Returns which bits of the counter are compared.
 * @param task wait task; must not be NULL
 * @return the mask as it was set
 * Since 2.5, until 2.6.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_gt_get_mask(const struct doca_sync_event_task_wait_gt *task);

/**
 * Gets the handle of the counter for code on a DPA. Not supported.
 * @param event handle
 * @param dpa DPA
 * @param dpa_remote_event receives the handle
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.5, until 2.6; replaced by doca_sync_event_remote_net_get_dpa_handle.
 */
DOCA_STABLE doca_error_t doca_sync_event_remote_net_export_to_dpa(
	struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
	doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * Gets the handle of the counter for code on a GPU. Not supported.
 * @param event handle
 * @param gpu GPU
 * @param gpu_remote_event receives the handle
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.5, until 2.6; replaced by doca_sync_event_remote_net_get_gpu_handle.
 */
DOCA_STABLE doca_error_t doca_sync_event_remote_net_export_to_gpu(
	struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
	doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);
#endif

#ifdef __cplusplus
}
#endif

#endif
