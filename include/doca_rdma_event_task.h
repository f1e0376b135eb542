/*
 * RDMA, from 2.5 on: tasks that work on sync events of the other end; included by doca_rdma.h.
 *
 * The functions that set and get what a task holds do not check the task for NULL.
 *
 * Threads: as doca_rdma.h says.
 */
#ifndef DOCA_RDMA_EVENT_TASK_H_
#define DOCA_RDMA_EVENT_TASK_H_

#include <doca_rdma.h>

#if DOCA_API_WORKQ
#error "doca_rdma_event_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma_connection;
struct doca_sync_event_remote_net;               /* see doca_sync_event.h */
struct doca_rdma_task_remote_net_sync_event_get; /* reads the counter of a sync event of the other
						    end */
struct doca_rdma_task_remote_net_sync_event_notify_set; /* sets the counter of a sync event of the
							   other end and wakes who waits for it */
struct doca_rdma_task_remote_net_sync_event_notify_add; /* adds to the counter of a sync event of
							   the other end in one step */

/*
 * Told of a task that completed, with the data of the task and of the context. Run inside
 * doca_pe_progress; there the task may be freed or submitted again.
 */
typedef void (*doca_rdma_task_remote_net_sync_event_get_completion_cb_t)(
	struct doca_rdma_task_remote_net_sync_event_get *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
typedef void (*doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t)(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	union doca_data task_user_data, union doca_data ctx_user_data);
typedef void (*doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t)(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	union doca_data task_user_data, union doca_data ctx_user_data);

/**
 * Can sync events of the other end be read, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_remote_net_sync_event_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that read a sync event's counter: callbacks and how many there are. Without it
 * none can be allocated. Their memory is made at start.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each that succeeded
 * @param error_task_completion_cb called for each that failed; doca_task_get_status gives
 *   CONNECTION_RESET if the connection broke or ended, CONNECTION_ABORTED if it was never made,
 *   NOT_PERMITTED or IO_FAILED if the other end refused, SHUTDOWN after a stop
 * @param num_tasks number of tasks, at least 1
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is 0.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
	struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Changes the sync event of a task.
 * @param task task
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_get *task,
	const struct doca_sync_event_remote_net *event);

/**
 * Sync event of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_sync_event_remote_net *
doca_rdma_task_remote_net_sync_event_get_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Changes the destination buffer of a task.
 * @param task task
 * @param dst_buf buffer of this process behind whose data the counter goes, 8 bytes; borrowed until
 *   the task completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
	struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf);

/**
 * Destination buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
	const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Can sync events of the other end be set, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(
	const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that set a sync event's counter: callbacks and how many there are. Without it
 * none can be allocated. Their memory is made at start.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each that succeeded
 * @param error_task_completion_cb called for each that failed; doca_task_get_status gives
 *   CONNECTION_RESET if the connection broke or ended, CONNECTION_ABORTED if it was never made,
 *   NOT_PERMITTED or IO_FAILED if the other end refused, SHUTDOWN after a stop
 * @param num_tasks number of tasks, at least 1
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is 0.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t
		successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Changes the sync event of a task.
 * @param task task
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	struct doca_sync_event_remote_net *event);

/**
 * Sync event of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_sync_event_remote_net *
doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Changes the source buffer of a task.
 * @param task task
 * @param src_buf buffer of this process whose data is the value, 8 bytes; borrowed until the task
 *   completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	const struct doca_buf *src_buf);

/**
 * Source buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Can sync events of the other end be added to, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(
	const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that add to a sync event's counter: callbacks and how many there are. Without
 * it none can be allocated. Their memory is made at start.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each that succeeded
 * @param error_task_completion_cb called for each that failed; doca_task_get_status gives
 *   CONNECTION_RESET if the connection broke or ended, CONNECTION_ABORTED if it was never made,
 *   NOT_PERMITTED or IO_FAILED if the other end refused, SHUTDOWN after a stop
 * @param num_tasks number of tasks, at least 1
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is 0.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t
		successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Changes the sync event of a task.
 * @param task task
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	struct doca_sync_event_remote_net *event);

/**
 * Sync event of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_sync_event_remote_net *
doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Changes the result buffer of a task.
 * @param task task
 * @param result_buf buffer of this process behind whose data the value before goes, 8 bytes;
 *   borrowed until the task completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task, struct doca_buf *result_buf);

/**
 * Result buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Changes the value to add of a task.
 * @param task task
 * @param add_data value to add
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task, uint64_t add_data);

/**
 * Value to add of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Bytes that were read.
 * @param task task
 * States: completed with success. Threads: those of the progress engine.
 * @return the bytes
 * Since 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
	const struct doca_rdma_task_remote_net_sync_event_get *task);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/**
 * Takes a task from the pool that reads the counter of a sync event of the other end.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * @param dst_buf buffer of this process behind whose data the counter goes, 8 bytes; borrowed until
 *   the task completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_get_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_get_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_get *task,
	struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Takes a task from the pool that sets the counter of a sync event of the other end and wakes who
 * waits for it.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * @param src_buf buffer of this process whose data is the value, 8 bytes; borrowed until the task
 *   completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_notify_set_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Takes a task from the pool that adds to the counter of a sync event of the other end in one step,
 * and wakes who waits for it.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * @param result_buf buffer of this process behind whose data the value before goes, 8 bytes;
 *   borrowed until the task completes
 * @param add_data value to add
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_notify_add_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task);
#endif

#ifdef __cplusplus
}
#endif

#endif
