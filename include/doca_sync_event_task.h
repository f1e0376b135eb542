/*
 * Sync event, from 2.5 on: creation, locations, tasks, exports; included by doca_sync_event.h.
 *
 * Threads: as doca_sync_event.h says; tasks belong to the thread of their progress engine.
 */
#ifndef DOCA_SYNC_EVENT_TASK_H_
#define DOCA_SYNC_EVENT_TASK_H_

#include <doca_sync_event.h>

#if DOCA_API_WORKQ
#error "doca_sync_event_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_sync_event.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sync_event_task_get;        /* reads the counter */
struct doca_sync_event_task_notify_set; /* sets it */
struct doca_sync_event_task_notify_add; /* adds to it */
struct doca_sync_event_task_wait_eq;    /* waits until it has a value */
struct doca_sync_event_task_wait_neq;   /* waits until it has not */

/*
 * Told of a task that completed, with the data of the task and of the context. Run inside
 * doca_pe_progress; there the task may be freed or submitted again.
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
 * Makes a sync event. Its counter is 0 when it starts.
 * @param event receives the event; give it back with doca_sync_event_destroy
 * Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_create(struct doca_sync_event **event)
	DOCA_BIND(doca_sync_event_create, 2_5);

/**
 * Makes an event on the counter of another, which was exported by
 * doca_sync_event_export_to_remote_pci (up to 2.6 doca_sync_event_export_to_dpu) on the other side.
 * It has its locations and cannot be configured; start it, or its context, and use it.
 * @param dev open device of this side: that which has a representor for the exporter's, or the
 *   other way round; must stay open until destroy
 * @param data descriptor; borrowed for the call
 * @param sz bytes of it; more than there were is fine
 * @param event receives the event; give it back with doca_sync_event_destroy
 * Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the descriptor is damaged or of something
 *   else.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot; ask
 *   doca_sync_event_cap_is_create_from_export_supported.
 * - DOCA_ERROR_NO_MEMORY: no memory or no descriptor.
 * - DOCA_ERROR_NOT_PERMITTED: the descriptor proves no event that is alive, or the device is not
 *   the right one.
 * - DOCA_ERROR_NOT_CONNECTED: there is no daemon, or no link to the exporter's; repeat when there
 *   is.
 * - DOCA_ERROR_UNEXPECTED: what the exporter shares is unsound.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev,
							    const uint8_t *data, size_t sz,
							    struct doca_sync_event **event)
	DOCA_BIND(doca_sync_event_create_from_export, 2_5);

/**
 * Can a device import events? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Makes a handle for the counter of an event that was exported by
 * doca_sync_event_export_to_remote_net. It is for the tasks of other libraries and needs no
 * start.
 * @param dev open device; must stay open until destroy
 * @param data descriptor; borrowed for the call
 * @param sz bytes of it; more than there were is fine
 * @param event receives the handle; give it back with doca_sync_event_remote_net_destroy
 * Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the descriptor is damaged or of something
 *   else.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot; ask
 *   doca_sync_event_cap_remote_net_is_create_from_export_supported.
 * - DOCA_ERROR_NO_MEMORY: no memory or no descriptor.
 * - DOCA_ERROR_NOT_PERMITTED: the descriptor proves no event that is alive.
 * - DOCA_ERROR_NOT_CONNECTED: there is no daemon, or no link to the exporter's; repeat when there
 *   is.
 * - DOCA_ERROR_UNEXPECTED: what the exporter shares is unsound.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
					      struct doca_sync_event_remote_net **event);

/**
 * Can a device import events as remote net handles? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Frees a handle.
 * @param event handle
 * States: any. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/**
 * Says that a CPU of this side changes the counter.
 * @param event sync event
 * @param dev open device that stands for the CPU; must stay open until destroy
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the event has a publisher location; it has
 *   exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no sync events.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
								    struct doca_dev *dev);

/**
 * Says that a DPA changes the counter. There is none here.
 * @param event sync event
 * @param dpa DPA
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use a CPU or remote location.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
								    struct doca_dpa *dpa);

/**
 * Says that a GPU changes the counter. There is none here.
 * @param event sync event
 * @param gpu GPU
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use a CPU or remote location.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
								    struct doca_gpu *gpu);

/**
 * Says that the other side of the PCIe bus changes the counter: the event can be exported to it
 * with doca_sync_event_export_to_remote_pci.
 * @param event sync event
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL, or it has a publisher location; it has exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/**
 * Says that a remote machine changes the counter: the event can be exported to it with
 * doca_sync_event_export_to_remote_net.
 * @param event sync event
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL, or it has a publisher location; it has exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/**
 * Says that a CPU of this side waits for it.
 * @param event sync event
 * @param dev open device that stands for the CPU; must stay open until destroy
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the event has a subscriber location; it has
 *   exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no sync events.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
								     struct doca_dev *dev);

/**
 * Says that a DPA waits for it. There is none here.
 * @param event sync event
 * @param dpa DPA
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use a CPU or remote location.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
								     struct doca_dpa *dpa);

/**
 * Says that a GPU waits for it. There is none here.
 * @param event sync event
 * @param gpu GPU
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right; use a CPU or remote location.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
								     struct doca_gpu *gpu);

/**
 * Says that the other side of the PCIe bus waits for it: the event can be exported to it with
 * doca_sync_event_export_to_remote_pci.
 * @param event sync event
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL, or it has a subscriber location; it has exactly one.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the event was created from an export.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/**
 * Puts the counter into a buffer's data section: as doca_sync_event_set_addr, in memory whose
 * mmap says who may reach it. The buffer may be released once this has returned.
 * @param event sync event
 * @param buf single buffer with a data section of 8 bytes at a multiple of 8, of a started mmap
 *   of this process with LOCAL_READ_WRITE and RDMA_ATOMIC, and with PCI or RDMA rights as the
 *   event is exported
 * States: not started. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the buffer is not as said.
 * - DOCA_ERROR_BAD_STATE: the event was started.
 * - DOCA_ERROR_NOT_PERMITTED: the mmap lacks a right or was created from an export, or the event
 *   was.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event,
						      struct doca_buf *buf);

/**
 * Can events of a device have tasks that read the counter? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that read the counter: callbacks and how many there are. Without it none can
 * be allocated.
 * @param event sync event
 * @param completion_cb called for each that succeeded
 * @param error_cb called for each that failed; doca_task_get_status gives CONNECTION_RESET or
 *   INVALID_VALUE or, after a stop, SHUTDOWN
 * @param num_tasks number of tasks, at least 1
 * States: not started. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_get_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
	doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task from the pool that reads the counter.
 * @param event sync event
 * @param ret_val_ptr place for the counter's value; borrowed until the task completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_get_alloc_init(
	struct doca_sync_event *event, uint64_t *ret_val_ptr, union doca_data user_data,
	struct doca_sync_event_task_get **task);

/**
 * The general form of a get task, for submission.
 * @param task get task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the same task
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_get_as_doca_task(
	struct doca_sync_event_task_get *task);

/**
 * Sets the place for the value of a get task.
 * @param task get task; pointer not checked for NULL
 * @param ret_val_ptr place for the counter's value; borrowed until the task completes
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
							  uint64_t *ret_val_ptr);

/**
 * What was set by doca_sync_event_task_get_set_ret_val_ptr or at allocation.
 * @param task get task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the place
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t *doca_sync_event_task_get_get_ret_val_ptr(
	const struct doca_sync_event_task_get *task);

/**
 * Can events of a device have tasks that set the counter? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that set the counter: callbacks and how many there are. Without it none can
 * be allocated.
 * @param event sync event
 * @param completion_cb called for each that succeeded
 * @param error_cb called for each that failed; doca_task_get_status gives CONNECTION_RESET or
 *   NOT_PERMITTED or, after a stop, SHUTDOWN
 * @param num_tasks number of tasks, at least 1
 * States: not started. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_notify_set_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_set_completion_cb_t completion_cb,
	doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task from the pool that sets the counter. The store is atomic as one word, but may undo
 * an addition that somebody makes at the same moment.
 * @param event sync event
 * @param set_val the value that the counter is set to
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_notify_set_alloc_init(
	struct doca_sync_event *event, uint64_t set_val, union doca_data user_data,
	struct doca_sync_event_task_notify_set **task);

/**
 * The general form of a set task, for submission.
 * @param task set task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the same task
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_notify_set_as_doca_task(
	struct doca_sync_event_task_notify_set *task);

/**
 * Sets the value of a set task.
 * @param task set task; pointer not checked for NULL
 * @param set_val the value that the counter is set to
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_notify_set_set_set_val(
	struct doca_sync_event_task_notify_set *task, uint64_t set_val);

/**
 * What was set by doca_sync_event_task_notify_set_set_set_val or at allocation.
 * @param task set task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the value
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task);

/**
 * Can events of a device have tasks that add to the counter? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that add to the counter: callbacks and how many there are. Without it none
 * can be allocated.
 * @param event sync event
 * @param completion_cb called for each that succeeded
 * @param error_cb called for each that failed; doca_task_get_status gives CONNECTION_RESET,
 *   NOT_PERMITTED or INVALID_VALUE or, after a stop, SHUTDOWN
 * @param num_tasks number of tasks, at least 1
 * States: not started. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the event was started.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_notify_add_set_conf(
	struct doca_sync_event *event,
	doca_sync_event_task_notify_add_completion_cb_t completion_cb,
	doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task from the pool that adds to the counter. The addition is atomic.
 * @param event sync event
 * @param inc_val what is added
 * @param fetched_val_ptr place for the value before the addition; borrowed until the task
 *   completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_notify_add_alloc_init(
	struct doca_sync_event *event, uint64_t inc_val, uint64_t *fetched_val_ptr,
	union doca_data user_data, struct doca_sync_event_task_notify_add **task);

/**
 * The general form of a add task, for submission.
 * @param task add task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the same task
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_notify_add_as_doca_task(
	struct doca_sync_event_task_notify_add *task);

/**
 * Sets the number of a add task.
 * @param task add task; pointer not checked for NULL
 * @param inc_val what is added
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_notify_add_set_inc_val(
	struct doca_sync_event_task_notify_add *task, uint64_t inc_val);

/**
 * What was set by doca_sync_event_task_notify_add_set_inc_val or at allocation.
 * @param task add task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the number
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task);

/**
 * Sets the place for the earlier value of a add task.
 * @param task add task; pointer not checked for NULL
 * @param fetched_val_ptr place for the value before the addition; borrowed until the task
 *   completes
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_notify_add_set_fetched_val_ptr(
	struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);

/**
 * What was set by doca_sync_event_task_notify_add_set_fetched_val_ptr or at allocation.
 * @param task add task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the place
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
	const struct doca_sync_event_task_notify_add *task);

/**
 * Can events of a device have tasks that wait until the masked counter equals a value? The return
 * code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that wait until the masked counter equals a value: callbacks and how many
 * there are. Without it none can be allocated.
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
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_eq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task from the pool that waits until the masked counter equals a value. It completes at
 * once if that is so when it is submitted. A value that stands for a moment only may be missed.
 * @param event sync event
 * @param wait_val the value to compare with, all 64 bits
 * @param mask bits of the counter that count; the others are taken as 0
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_eq_alloc_init(
	struct doca_sync_event *event, uint64_t wait_val, uint64_t mask, union doca_data user_data,
	struct doca_sync_event_task_wait_eq **task);

/**
 * The general form of a wait-equal task, for submission.
 * @param task wait-equal task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the same task
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_wait_eq_as_doca_task(
	struct doca_sync_event_task_wait_eq *task);

/**
 * Sets the value of a wait-equal task.
 * @param task wait-equal task; pointer not checked for NULL
 * @param wait_val the value to compare with, all 64 bits
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_wait_eq_set_wait_val(
	struct doca_sync_event_task_wait_eq *task, uint64_t wait_val);

/**
 * What was set by doca_sync_event_task_wait_eq_set_wait_val or at allocation.
 * @param task wait-equal task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the value
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);

/**
 * Sets the mask of a wait-equal task.
 * @param task wait-equal task; pointer not checked for NULL
 * @param mask bits of the counter that count; the others are taken as 0
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task,
						       uint64_t mask);

/**
 * What was set by doca_sync_event_task_wait_eq_set_mask or at allocation.
 * @param task wait-equal task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the bits
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);

/**
 * Can events of a device have tasks that wait until the masked counter differs from a value? The
 * return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that wait until the masked counter differs from a value: callbacks and how
 * many there are. Without it none can be allocated.
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
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_neq_set_conf(
	struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
	doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task from the pool that waits until the masked counter differs from a value. It
 * completes at once if that is so when it is submitted. A value that stands for a moment only may
 * be missed.
 * @param event sync event
 * @param wait_val the value to compare with, all 64 bits
 * @param mask bits of the counter that count; the others are taken as 0
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event or task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_task_wait_neq_alloc_init(
	struct doca_sync_event *event, uint64_t wait_val, uint64_t mask, union doca_data user_data,
	struct doca_sync_event_task_wait_neq **task);

/**
 * The general form of a wait-unequal task, for submission.
 * @param task wait-unequal task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the same task
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE struct doca_task *doca_sync_event_task_wait_neq_as_doca_task(
	struct doca_sync_event_task_wait_neq *task);

/**
 * Sets the value of a wait-unequal task.
 * @param task wait-unequal task; pointer not checked for NULL
 * @param wait_val the value to compare with, all 64 bits
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_wait_neq_set_wait_val(
	struct doca_sync_event_task_wait_neq *task, uint64_t wait_val);

/**
 * What was set by doca_sync_event_task_wait_neq_set_wait_val or at allocation.
 * @param task wait-unequal task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the value
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task);

/**
 * Sets the mask of a wait-unequal task.
 * @param task wait-unequal task; pointer not checked for NULL
 * @param mask bits of the counter that count; the others are taken as 0
 * States: not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
							uint64_t mask);

/**
 * What was set by doca_sync_event_task_wait_neq_set_mask or at allocation.
 * @param task wait-unequal task; pointer not checked for NULL
 * States: any. Threads: those of the progress engine.
 * @return the bits
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE uint64_t
doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/**
 * Makes a descriptor by which a process of the other side can import the event, with
 * doca_sync_event_create_from_export: one on the DPU if this is the host, or the other way round.
 * It may read, wait for and change the counter; see the top of doca_sync_event.h for the
 * exceptions. Hold the descriptor as a secret: whoever has it and may open the device can import.
 * @param event sync event
 * @param dev open device of this side, function or parent of the representor
 * @param data receives the descriptor, at most 256 bytes, owned by the event until it is stopped
 * @param sz receives its bytes
 * States: started, either way. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or neither location is remote PCIe.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot (ask the capability), the event was created from
 *   an export, or the user's memory cannot be shared (take it from dococ_mem_alloc). If it can,
 *   importers can reach all of that allocation.
 * - DOCA_ERROR_NO_MEMORY: no memory, or a quota is used up.
 * - DOCA_ERROR_BAD_STATE: the event is not started.
 * - DOCA_ERROR_NOT_PERMITTED: the mmap of the counter's buffer lacks a PCI right, or policy
 *   forbids it.
 * - DOCA_ERROR_NOT_CONNECTED: there is no daemon; repeat when there is.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
							      struct doca_dev *dev,
							      const uint8_t **data, size_t *sz);

/**
 * Can events be exported to the other side of the PCIe bus through a device? The return code is
 * the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo);

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
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
			       doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * Can events be given to a DPA? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is none here.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

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
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event,
							struct doca_gpu *gpu,
							doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * Can events be given to a GPU? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is none here.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * As doca_sync_event_export_to_remote_pci, for doca_sync_event_remote_net_create_from_export
 * anywhere. The device is that of the event's CPU location.
 * @param event sync event
 * @param data receives the descriptor, at most 256 bytes, owned by the event until it is stopped
 * @param sz receives its bytes
 * States: started, either way. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or neither location is remote net.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot, the event has none, it was created from an
 *   export, or the user's memory cannot be shared.
 * - DOCA_ERROR_NO_MEMORY: no memory, or a quota is used up.
 * - DOCA_ERROR_BAD_STATE: the event is not started.
 * - DOCA_ERROR_NOT_PERMITTED: the mmap of the counter's buffer lacks an RDMA right, or policy
 *   forbids it.
 * - DOCA_ERROR_NOT_CONNECTED: there is no daemon; repeat when there is.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
							      const uint8_t **data, size_t *sz);

/**
 * Can events be exported to a remote machine through a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo);

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
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_remote_net_get_dpa_handle(
	struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
	doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * Can remote net handles be given to a DPA? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is none here.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

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
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_remote_net_get_gpu_handle(
	struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
	doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/**
 * Can remote net handles be given to a GPU? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: there is none here.
 * Since 2.5. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Waits until the counter, with the bits outside the mask taken as 0, equals a value (64 bits,
 * unsigned). Polls without giving its core away; no system call. A value that stands for a moment
 * only may be missed.
 * @param event sync event
 * @param value to compare with
 * @param mask bits of the counter that count
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value,
						 uint64_t mask);

/**
 * Waits until the counter, with the bits outside the mask taken as 0, equals a value (64 bits,
 * unsigned). Polls for some microseconds, gives its core away some times, and then sleeps until
 * the counter is changed. A value that stands for a moment only may be missed.
 * @param event sync event
 * @param value to compare with
 * @param mask bits of the counter that count
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event,
						       uint64_t value, uint64_t mask);

/**
 * Waits until the counter, with the bits outside the mask taken as 0, differs from a value (64
 * bits, unsigned). Polls without giving its core away; no system call. A value that stands for a
 * moment only may be missed.
 * @param event sync event
 * @param value to compare with
 * @param mask bits of the counter that count
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended.
 * Since 2.7. Source: DOCA Sync Event guide.
 */
DOCA_STABLE doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value,
						  uint64_t mask);

/**
 * Waits until the counter, with the bits outside the mask taken as 0, differs from a value (64
 * bits, unsigned). Polls for some microseconds, gives its core away some times, and then sleeps
 * until the counter is changed. A value that stands for a moment only may be missed.
 * @param event sync event
 * @param value to compare with
 * @param mask bits of the counter that count
 * States: started for synchronous calls. Threads: one at a time per event.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: event is NULL.
 * - DOCA_ERROR_BAD_STATE: the event is not started, or was as a context: then use tasks.
 * - DOCA_ERROR_CONNECTION_RESET: the event is imported, and the exporter stopped it or ended.
 * Since 2.7. Source: DOCA Sync Event guide.
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
