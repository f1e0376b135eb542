/*
 * Sync event: what programs written for 2.6 or earlier have, and later ones by another name or not
 * at all; included by doca_sync_event.h.
 *
 * Threads: as doca_sync_event.h says; tasks belong to the thread of their progress engine.
 */
#ifndef DOCA_SYNC_EVENT_FORMER_H_
#define DOCA_SYNC_EVENT_FORMER_H_

#include <doca_sync_event.h>

#if DOCA_USE_VERSION > DOCA_MAKE_VERSION(2, 6) && !defined(DOCA_API_LIBRARY)
#error "doca_sync_event_former.h is for programs of 2.6 and earlier: include doca_sync_event.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Exports an event to the other side of the PCIe bus, where doca_sync_event_create_from_export
 * makes another of it, in a program of any version. A host exports to its DPU; here a DPU may as
 * well export to its host. Asked again, the same descriptor is the answer.
 * @param event sync event with a DPU location
 * @param dev open device through which it is exported
 * @param data receives the descriptor, at most 256 bytes, owned by the event until it is stopped
 * @param sz receives its bytes
 * States: started, either way. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or neither location is a DPU.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot (ask the capability), the event was created from
 *   an export, or the user's memory cannot be shared (take it from dococ_mem_alloc).
 * - DOCA_ERROR_NO_MEMORY: no memory, or a quota is used up.
 * - DOCA_ERROR_BAD_STATE: the event is not started.
 * - DOCA_ERROR_NOT_PERMITTED: policy forbids it.
 * - DOCA_ERROR_NOT_CONNECTED: there is no daemon; repeat when there is.
 * Since 2.0, until 2.6; then doca_sync_event_export_to_remote_pci. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_to_dpu(struct doca_sync_event *event,
						       struct doca_dev *dev, const uint8_t **data,
						       size_t *sz);

/**
 * Handle of the counter for code on a DPA. There is none here.
 * @param event sync event
 * @param dpa DPA
 * @param dpa_dev_se_handle receives the handle
 * States: started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right.
 * - DOCA_ERROR_NO_MEMORY: not given here.
 * Since 2.0, until 2.6; then doca_sync_event_get_dpa_handle. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
			      doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * Handle of the counter for code on a GPU. There is none here.
 * @param event sync event
 * @param gpu GPU
 * @param gpu_dev_se receives the handle
 * States: started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right.
 * - DOCA_ERROR_NO_MEMORY: not given here.
 * Since 2.0, until 2.6; then doca_sync_event_get_gpu_handle. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_to_gpu(struct doca_sync_event *event,
						       struct doca_gpu *gpu,
						       doca_gpu_dev_sync_event_t **gpu_dev_se);

#if DOCA_API_BETWEEN(205, 206)
struct doca_sync_event_task_wait_gt; /* waits until the counter is greater than a value */

/*
 * Told of a wait that completed, with the data of the task and of the context. Runs inside
 * doca_pe_progress; there the task may be freed or submitted again.
 */
typedef void (*doca_sync_event_task_wait_gt_completion_cb_t)(
	struct doca_sync_event_task_wait_gt *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Says that the DPU changes the counter: the event can be exported to it with
 * doca_sync_event_export_to_dpu.
 * @param event sync event
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL, or it has a publisher location; it has exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.5, until 2.6; then doca_sync_event_add_publisher_location_remote_pci. Source: DOCA Sync
 * Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_publisher_location_dpu(struct doca_sync_event *event);

/**
 * Says that the DPU waits for it: the event can be exported to it with
 * doca_sync_event_export_to_dpu.
 * @param event sync event
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL, or it has a subscriber location; it has exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.5, until 2.6; then doca_sync_event_add_subscriber_location_remote_pci. Source: DOCA Sync
 * Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_subscriber_location_dpu(struct doca_sync_event *event);

/**
 * Can events be exported to a DPU through a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5, until 2.6; then doca_sync_event_cap_is_export_to_remote_pci_supported. Source: DOCA
 * Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_dpu_supported(const struct doca_devinfo *devinfo);

/**
 * Can events of a device have tasks that wait for a greater value? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5, until 2.6. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_wait_gt_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that wait for a greater value: callbacks and how many there are. Without it
 * none can be allocated.
 * @param event sync event
 * @param completion_cb called for each that succeeded
 * @param error_cb called for each that failed; doca_task_get_status gives CONNECTION_RESET or,
 *   after a stop, SHUTDOWN
 * @param num_tasks number of tasks, at least 1
 * States: not started. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.5, until 2.6. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_gt_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
	doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task from the pool that waits until the counter, with the bits outside the mask taken as
 * 0, is greater than a value. All 64 bits count, beyond the 0..254 of a card. A value that stands
 * for a moment only may be missed.
 * @param event sync event
 * @param wait_val to compare with
 * @param mask bits of the counter that count
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5, until 2.6. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_gt_alloc_init(
	struct doca_sync_event *event, uint64_t wait_val, uint64_t mask, union doca_data user_data,
	struct doca_sync_event_task_wait_gt **task);

/**
 * The general form of a wait task, for submission.
 * @param task wait task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the same task
 * Since 2.5, until 2.6. Source: DOCA Sync Event guide.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_wait_gt_as_doca_task(
	struct doca_sync_event_task_wait_gt *task);

/**
 * Sets the value that a wait compares with.
 * @param task wait task; pointer not checked for NULL
 * @param wait_val to compare with
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.5, until 2.6. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_wait_gt_set_wait_val(
	struct doca_sync_event_task_wait_gt *task, uint64_t wait_val);

/**
 * Value that a wait compares with.
 * @param task wait task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the value as it was set
 * Since 2.5, until 2.6. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_gt_get_wait_val(const struct doca_sync_event_task_wait_gt *task);

/**
 * Sets which bits of the counter count.
 * @param task wait task; pointer not checked for NULL
 * @param mask bits of the counter that count
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.5, until 2.6. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_wait_gt_set_mask(struct doca_sync_event_task_wait_gt *task,
						       uint64_t mask);

/**
 * Which bits of the counter count.
 * @param task wait task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the mask as it was set
 * Since 2.5, until 2.6. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_gt_get_mask(const struct doca_sync_event_task_wait_gt *task);

/**
 * Handle of the counter for code on a DPA. There is none here.
 * @param event handle
 * @param dpa DPA
 * @param dpa_remote_event receives the handle
 * States: any. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right.
 * - DOCA_ERROR_NO_MEMORY: not given here.
 * Since 2.5, until 2.6; then doca_sync_event_remote_net_get_dpa_handle. Source: DOCA Sync Event
 * guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_remote_net_export_to_dpa(
	struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
	doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * Handle of the counter for code on a GPU. There is none here.
 * @param event handle
 * @param gpu GPU
 * @param gpu_remote_event receives the handle
 * States: any. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right.
 * - DOCA_ERROR_NO_MEMORY: not given here.
 * Since 2.5, until 2.6; then doca_sync_event_remote_net_get_gpu_handle. Source: DOCA Sync Event
 * guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_remote_net_export_to_gpu(
	struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
	doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);
#endif

#ifdef __cplusplus
}
#endif

#endif
