/*
 * Sync event, from 2.5 on: creation, locations, tasks, exports. Included by doca_sync_event.h.
 *
 * States, errors and threads: see doca_sync_event.h. Only the thread of its progress engine may use
 * a task.
 *
 * Status of a failed task, from doca_task_get_status():
 *
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 * - DOCA_ERROR_NOT_PERMITTED: the task changes an event whose export permits reading only.
 * - DOCA_ERROR_INVALID_VALUE: the pointer that receives the counter's value is NULL.
 * - DOCA_ERROR_SHUTDOWN: the context was stopped.
 */
#ifndef DOCA_SYNC_EVENT_TASK_H_
#define DOCA_SYNC_EVENT_TASK_H_

#include <doca_sync_event.h>

#if DOCA_API_WORKQ
#error "dococ/sync_event_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_sync_event.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sync_event_task_get;        /* reads the counter */
struct doca_sync_event_task_notify_set; /* sets the counter */
struct doca_sync_event_task_notify_add; /* adds to the counter */
struct doca_sync_event_task_wait_eq;    /* waits until the counter equals a value */
struct doca_sync_event_task_wait_neq;   /* waits until the counter differs */

/*
 * Callbacks for completed tasks, with the user data of the task and of the context. They run inside
 * doca_pe_progress(), and may free the task or submit it again.
 */
typedef void (*doca_sync_event_task_get_completion_cb_t)(struct doca_sync_event_task_get *task,
							 union doca_data task_user_data,
							 union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_notify_set_completion_cb_t)(
	struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_notify_add_completion_cb_t)(
	struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_wait_eq_completion_cb_t)(
	struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_wait_neq_completion_cb_t)(
	struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Creates a sync event. Its counter is 0 when it starts.
 * @param event receives the event; release it with doca_sync_event_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_create(struct doca_sync_event **event)
	DOCA_BIND(doca_sync_event_create, 2_5);

/**
 * Creates an event on the counter of an event that the other side exported with
 * doca_sync_event_export_to_remote_pci() (up to 2.6 doca_sync_event_export_to_dpu()). Its locations
 * are set already, and it cannot be configured. Start the event or its context before use.
 * @param dev open device of this side: the device that has a representor for the exporter's device,
 *   or for which the exporter's device has one; must stay open until the object is destroyed
 * @param data descriptor; only read during the call
 * @param sz size of the descriptor in bytes; may be larger than exported
 * @param event receives the event; release it with doca_sync_event_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the descriptor is damaged or describes another kind of object.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see
 *   doca_sync_event_cap_is_create_from_export_supported().
 * - DOCA_ERROR_NO_MEMORY: out of memory or file descriptors.
 * - DOCA_ERROR_NOT_PERMITTED: the descriptor does not belong to a live event, or the device does
 *   not match the exporter's.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers, or none of the exporter's side is
 *   linked with it; start it, then repeat.
 * - DOCA_ERROR_TIME_OUT: a daemon is stopped or overloaded; repeat later.
 * - DOCA_ERROR_UNEXPECTED: the memory that the exporter shares is invalid.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev,
							    const uint8_t *data, size_t sz,
							    struct doca_sync_event **event)
	DOCA_BIND(doca_sync_event_create_from_export, 2_5);

/**
 * Checks whether a device can import events. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Creates a handle for the counter of an event that was exported with
 * doca_sync_event_export_to_remote_net(). Tasks of other libraries use it. It needs no start.
 * @param dev open device; must stay open until the object is destroyed
 * @param data descriptor; only read during the call
 * @param sz size of the descriptor in bytes; may be larger than exported
 * @param event receives the handle; release it with doca_sync_event_remote_net_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the descriptor is damaged or describes another kind of object.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see
 *   doca_sync_event_cap_remote_net_is_create_from_export_supported().
 * - DOCA_ERROR_NO_MEMORY: out of memory or file descriptors.
 * - DOCA_ERROR_NOT_PERMITTED: the descriptor does not belong to a live event.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers, or none of the exporter's side is
 *   linked with it; start it, then repeat.
 * - DOCA_ERROR_TIME_OUT: a daemon is stopped or overloaded; repeat later.
 * - DOCA_ERROR_UNEXPECTED: the memory that the exporter shares is invalid.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
					      struct doca_sync_event_remote_net **event);

/**
 * Checks whether a device can import events as remote net handles. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Destroys a handle.
 * @param event handle
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/**
 * Declares that a CPU of this side changes the counter.
 * @param event sync event
 * @param dev open device that represents the CPU; must stay open until the object is destroyed
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a publisher location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no sync events.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
								    struct doca_dev *dev);

/**
 * Declares that a DPA changes the counter. Not supported.
 * @param event sync event
 * @param dpa DPA
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use a CPU or remote location.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
								    struct doca_dpa *dpa);

/**
 * Declares that a GPU changes the counter. Not supported.
 * @param event sync event
 * @param gpu GPU
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use a CPU or remote location.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
								    struct doca_gpu *gpu);

/**
 * Declares that the other side of the PCIe bus changes the counter: the event can be exported to it
 * with doca_sync_event_export_to_remote_pci.
 * @param event sync event
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a publisher location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/**
 * Declares that a remote machine changes the counter: the event can be exported to it with
 * doca_sync_event_export_to_remote_net.
 * @param event sync event
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a publisher location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/**
 * Declares that a CPU of this side waits for the counter.
 * @param event sync event
 * @param dev open device that represents the CPU; must stay open until the object is destroyed
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a subscriber location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no sync events.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
								     struct doca_dev *dev);

/**
 * Declares that a DPA waits for the counter. Not supported.
 * @param event sync event
 * @param dpa DPA
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use a CPU or remote location.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
								     struct doca_dpa *dpa);

/**
 * Declares that a GPU waits for the counter. Not supported.
 * @param event sync event
 * @param gpu GPU
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid; use a CPU or remote location.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
								     struct doca_gpu *gpu);

/**
 * Declares that the other side of the PCIe bus waits for the counter: the event can be exported to
 * it with doca_sync_event_export_to_remote_pci.
 * @param event sync event
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the event already has a subscriber location.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/**
 * Places the counter in the data section of a buffer. Like doca_sync_event_set_addr(), but the
 * permissions of the buffer's memory map determine the access of importers. The buffer may be
 * released after the call.
 * @param event sync event
 * @param buf single buffer with a data section of 8 bytes at a multiple of 8. Its memory map is
 *   started, is of this process, and has the permissions LOCAL_READ_WRITE and RDMA_ATOMIC, and the
 *   PCI or RDMA permissions that the export needs.
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the buffer does not meet these conditions.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory map lacks a permission; or the memory map or the event was
 *   created from an export.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event,
						      struct doca_buf *buf);

/**
 * Checks whether events of a device support tasks that read the counter. The return code is the
 * answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that read the counter: their callbacks and their number. Without this call
 * none can be allocated.
 * @param event sync event
 * @param completion_cb called for each task that succeeded
 * @param error_cb called for each task that failed, with a status of the list at the top
 * @param num_tasks number of tasks, at least 1
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_get_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
	doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Allocates a task that reads the counter.
 * @param event sync event
 * @param ret_val_ptr memory that receives the counter's value; owned by the library from submission
 *   until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_get_alloc_init(
	struct doca_sync_event *event, uint64_t *ret_val_ptr, union doca_data user_data,
	struct doca_sync_event_task_get **task);

/**
 * Returns a get task as a general task, for submission.
 * @param task get task; must not be NULL
 * @return the same task
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_get_as_doca_task(
	struct doca_sync_event_task_get *task);

/**
 * Sets where a get task stores the value of the counter.
 * @param task get task; must not be NULL
 * @param ret_val_ptr memory that receives the counter's value; owned by the library from submission
 *   until the task completes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
							  uint64_t *ret_val_ptr);

/**
 * Returns what doca_sync_event_task_get_set_ret_val_ptr() or the allocation has set.
 * @param task get task; must not be NULL
 * @return the pointer
 * Since 2.5.
 */
DOCA_STABLE uint64_t *doca_sync_event_task_get_get_ret_val_ptr(
	const struct doca_sync_event_task_get *task);

/**
 * Checks whether events of a device support tasks that set the counter. The return code is the
 * answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that set the counter: their callbacks and their number. Without this call
 * none can be allocated.
 * @param event sync event
 * @param completion_cb called for each task that succeeded
 * @param error_cb called for each task that failed, with a status of the list at the top
 * @param num_tasks number of tasks, at least 1
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_notify_set_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_set_completion_cb_t completion_cb,
	doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Allocates a task that sets the counter. The store is atomic as one word, but may undo an addition
 * that another thread or process makes at the same time.
 * @param event sync event
 * @param set_val the value that the counter is set to
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_notify_set_alloc_init(
	struct doca_sync_event *event, uint64_t set_val, union doca_data user_data,
	struct doca_sync_event_task_notify_set **task);

/**
 * Returns a set task as a general task, for submission.
 * @param task set task; must not be NULL
 * @return the same task
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_notify_set_as_doca_task(
	struct doca_sync_event_task_notify_set *task);

/**
 * Sets the value of a set task.
 * @param task set task; must not be NULL
 * @param set_val the value that the counter is set to
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_sync_event_task_notify_set_set_set_val(
	struct doca_sync_event_task_notify_set *task, uint64_t set_val);

/**
 * Returns what doca_sync_event_task_notify_set_set_set_val() or the allocation has set.
 * @param task set task; must not be NULL
 * @return the value
 * Since 2.5.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task);

/**
 * Checks whether events of a device support tasks that add to the counter. The return code is the
 * answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that add to the counter: their callbacks and their number. Without this call
 * none can be allocated.
 * @param event sync event
 * @param completion_cb called for each task that succeeded
 * @param error_cb called for each task that failed, with a status of the list at the top
 * @param num_tasks number of tasks, at least 1
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_notify_add_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_add_completion_cb_t completion_cb,
	doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Allocates a task that adds to the counter. The addition is atomic.
 * @param event sync event
 * @param inc_val number to add
 * @param fetched_val_ptr memory that receives the value before the addition; owned by the library
 *   from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_notify_add_alloc_init(
	struct doca_sync_event *event, uint64_t inc_val, uint64_t *fetched_val_ptr,
	union doca_data user_data, struct doca_sync_event_task_notify_add **task);

/**
 * Returns an add task as a general task, for submission.
 * @param task add task; must not be NULL
 * @return the same task
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_notify_add_as_doca_task(
	struct doca_sync_event_task_notify_add *task);

/**
 * Sets the number of an add task.
 * @param task add task; must not be NULL
 * @param inc_val number to add
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_sync_event_task_notify_add_set_inc_val(
	struct doca_sync_event_task_notify_add *task, uint64_t inc_val);

/**
 * Returns what doca_sync_event_task_notify_add_set_inc_val() or the allocation has set.
 * @param task add task; must not be NULL
 * @return the number
 * Since 2.5.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task);

/**
 * Sets where an add task stores the value of the counter before the addition.
 * @param task add task; must not be NULL
 * @param fetched_val_ptr memory that receives the value before the addition; owned by the library
 *   from submission until the task completes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_sync_event_task_notify_add_set_fetched_val_ptr(
	struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);

/**
 * Returns what doca_sync_event_task_notify_add_set_fetched_val_ptr() or the allocation has set.
 * @param task add task; must not be NULL
 * @return the pointer
 * Since 2.5.
 */
DOCA_STABLE uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
	const struct doca_sync_event_task_notify_add *task);

/**
 * Checks whether events of a device support tasks that wait until the masked counter equals a
 * value. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that wait until the masked counter equals a value: their callbacks and their
 * number. Without this call none can be allocated.
 * @param event sync event
 * @param completion_cb called for each task that succeeded
 * @param error_cb called for each task that failed, with a status of the list at the top
 * @param num_tasks number of tasks, at least 1
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_eq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Allocates a task that waits until the masked counter equals a value. It completes at once if the
 * condition is true at submission. A value that exists only briefly may be missed.
 * @param event sync event
 * @param wait_val the value to compare with, all 64 bits
 * @param mask bits of the counter to compare; the others are treated as 0
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_eq_alloc_init(
	struct doca_sync_event *event, uint64_t wait_val, uint64_t mask, union doca_data user_data,
	struct doca_sync_event_task_wait_eq **task);

/**
 * Returns a wait-equal task as a general task, for submission.
 * @param task wait-equal task; must not be NULL
 * @return the same task
 * Since 2.7.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_wait_eq_as_doca_task(
	struct doca_sync_event_task_wait_eq *task);

/**
 * Sets the value of a wait-equal task.
 * @param task wait-equal task; must not be NULL
 * @param wait_val the value to compare with, all 64 bits
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_sync_event_task_wait_eq_set_wait_val(
	struct doca_sync_event_task_wait_eq *task, uint64_t wait_val);

/**
 * Returns what doca_sync_event_task_wait_eq_set_wait_val() or the allocation has set.
 * @param task wait-equal task; must not be NULL
 * @return the value
 * Since 2.7.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);

/**
 * Sets the mask of a wait-equal task.
 * @param task wait-equal task; must not be NULL
 * @param mask bits of the counter to compare; the others are treated as 0
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task,
						       uint64_t mask);

/**
 * Returns what doca_sync_event_task_wait_eq_set_mask() or the allocation has set.
 * @param task wait-equal task; must not be NULL
 * @return the mask
 * Since 2.7.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);

/**
 * Checks whether events of a device support tasks that wait until the masked counter differs from a
 * value. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that wait until the masked counter differs from a value: their callbacks and
 * their number. Without this call none can be allocated.
 * @param event sync event
 * @param completion_cb called for each task that succeeded
 * @param error_cb called for each task that failed, with a status of the list at the top
 * @param num_tasks number of tasks, at least 1
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_neq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Allocates a task that waits until the masked counter differs from a value. It completes at once
 * if the condition is true at submission. A value that exists only briefly may be missed.
 * @param event sync event
 * @param wait_val the value to compare with, all 64 bits
 * @param mask bits of the counter to compare; the others are treated as 0
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_neq_alloc_init(
	struct doca_sync_event *event, uint64_t wait_val, uint64_t mask, union doca_data user_data,
	struct doca_sync_event_task_wait_neq **task);

/**
 * Returns a wait-unequal task as a general task, for submission.
 * @param task wait-unequal task; must not be NULL
 * @return the same task
 * Since 2.7.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_wait_neq_as_doca_task(
	struct doca_sync_event_task_wait_neq *task);

/**
 * Sets the value of a wait-unequal task.
 * @param task wait-unequal task; must not be NULL
 * @param wait_val the value to compare with, all 64 bits
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_sync_event_task_wait_neq_set_wait_val(
	struct doca_sync_event_task_wait_neq *task, uint64_t wait_val);

/**
 * Returns what doca_sync_event_task_wait_neq_set_wait_val() or the allocation has set.
 * @param task wait-unequal task; must not be NULL
 * @return the value
 * Since 2.7.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task);

/**
 * Sets the mask of a wait-unequal task.
 * @param task wait-unequal task; must not be NULL
 * @param mask bits of the counter to compare; the others are treated as 0
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
							uint64_t mask);

/**
 * Returns what doca_sync_event_task_wait_neq_set_mask() or the allocation has set.
 * @param task wait-unequal task; must not be NULL
 * @return the mask
 * Since 2.7.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/**
 * Creates a descriptor with which a process of the other side can import the event, by
 * doca_sync_event_create_from_export(). A host exports to its DPU, a DPU to its host. An importer
 * can read, change and wait for the counter; doca_sync_event.h lists the exceptions. Treat the
 * descriptor as a secret: every process that has it and may open the device can import.
 * @param event sync event
 * @param dev open device of this side: the function, or the parent of its representor
 * @param data receives the descriptor, at most 256 bytes, owned by the event until it is stopped
 * @param sz receives its size in bytes
 * States: started, by doca_sync_event_start() or as a context.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: neither location is remote PCIe.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it (query the capability), the event was created
 *   from an export, or the program's memory cannot be shared: allocate it with dococ_mem_alloc().
 *   Importers can then reach all of that allocation.
 * - DOCA_ERROR_NO_MEMORY: out of memory, or a quota is exhausted.
 * - DOCA_ERROR_BAD_STATE: the event is not started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory map of the counter's buffer lacks a PCI permission, or the
 *   policy forbids the export.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
							      struct doca_dev *dev,
							      const uint8_t **data, size_t *sz);

/**
 * Checks whether events can be exported to the other side of the PCIe bus through a device. The
 * return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the handle of the counter for code on a DPA. Not supported.
 * @param event sync event
 * @param dpa DPA
 * @param dpa_dev_se_handle receives the handle
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
			       doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * Checks whether events can be exported to a DPA. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always: this runtime has no such processor.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the handle of the counter for code on a GPU. Not supported.
 * @param event sync event
 * @param gpu GPU
 * @param gpu_dev_se receives the handle
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event,
							struct doca_gpu *gpu,
							doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * Checks whether events can be exported to a GPU. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always: this runtime has no such processor.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Creates a descriptor with which a process on any machine can call
 * doca_sync_event_remote_net_create_from_export(). Otherwise the call is like
 * doca_sync_event_export_to_remote_pci(). It uses the device of the event's CPU location.
 * @param event sync event
 * @param data receives the descriptor, at most 256 bytes, owned by the event until it is stopped
 * @param sz receives its size in bytes
 * States: started, by doca_sync_event_start() or as a context.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: neither location is remote net.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it, the event has no device, the event was
 *   created from an export, or the program's memory cannot be shared.
 * - DOCA_ERROR_NO_MEMORY: out of memory, or a quota is exhausted.
 * - DOCA_ERROR_BAD_STATE: the event is not started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory map of the counter's buffer lacks an RDMA permission, or
 *   the policy forbids the export.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
							      const uint8_t **data, size_t *sz);

/**
 * Checks whether events can be exported to a remote machine through a device. The return code is
 * the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the handle of the counter for code on a DPA. Not supported.
 * @param event handle
 * @param dpa DPA
 * @param dpa_remote_event receives the handle
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_remote_net_get_dpa_handle(
	struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
	doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * Checks whether remote net handles can be exported to a DPA. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always: this runtime has no such processor.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the handle of the counter for code on a GPU. Not supported.
 * @param event handle
 * @param gpu GPU
 * @param gpu_remote_event receives the handle
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_remote_net_get_gpu_handle(
	struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
	doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/**
 * Checks whether remote net handles can be exported to a GPU. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always: this runtime has no such processor.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Waits until the counter, after a bitwise AND with the mask, equals a value (64 bits, unsigned).
 * Polls without yielding the CPU. The only system call is a rare check whether the exporter's
 * process still exists. A value that exists only briefly may be missed.
 * @param event sync event
 * @param value value to compare with
 * @param mask bits of the counter to compare
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value,
						 uint64_t mask);

/**
 * Waits until the counter, after a bitwise AND with the mask, equals a value (64 bits, unsigned).
 * Polls for some microseconds, then yields the CPU several times, and then sleeps until the counter
 * changes. A value that exists only briefly may be missed.
 * @param event sync event
 * @param value value to compare with
 * @param mask bits of the counter to compare
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event,
						       uint64_t value, uint64_t mask);

/**
 * Waits until the counter, after a bitwise AND with the mask, differs from a value (64 bits,
 * unsigned). Polls without yielding the CPU. The only system call is a rare check whether the
 * exporter's process still exists. A value that exists only briefly may be missed.
 * @param event sync event
 * @param value value to compare with
 * @param mask bits of the counter to compare
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value,
						  uint64_t mask);

/**
 * Waits until the counter, after a bitwise AND with the mask, differs from a value (64 bits,
 * unsigned). Polls for some microseconds, then yields the CPU several times, and then sleeps until
 * the counter changes. A value that exists only briefly may be missed.
 * @param event sync event
 * @param value value to compare with
 * @param mask bits of the counter to compare
 * States: started for synchronous calls.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was started as a context: use tasks.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter has stopped it or ended.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event,
							uint64_t value, uint64_t mask);

DOCA_ELSEWHERE(doca_sync_event_publisher_add_location_cpu,
	       "up to 2.2: use doca_sync_event_add_publisher_location_cpu");
DOCA_ELSEWHERE(doca_sync_event_subscriber_add_location_cpu,
	       "up to 2.2: use doca_sync_event_add_subscriber_location_cpu");
#if DOCA_USE_VERSION > DOCA_MAKE_VERSION(2, 6)
DOCA_ELSEWHERE(doca_sync_event_export_to_dpu,
	       "up to 2.6: use doca_sync_event_export_to_remote_pci");
DOCA_ELSEWHERE(doca_sync_event_task_wait_gt_set_conf,
	       "in 2.5 and 2.6: use doca_sync_event_task_wait_eq or _wait_neq");
#endif

#ifdef __cplusplus
}
#endif

#endif
