/*
 * RDMA, from 2.5 on: tasks that work on sync events of the peer. Included by doca_rdma.h.
 *
 * Setters and getters do not check a task for NULL.
 *
 * States, errors and threads: see doca_rdma.h.
 */
#ifndef DOCA_RDMA_EVENT_TASK_H_
#define DOCA_RDMA_EVENT_TASK_H_

#include <doca_rdma.h>

#if DOCA_API_WORKQ
#error "dococ/rdma_event_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma_connection;
struct doca_sync_event_remote_net;                      /* see doca_sync_event.h */
struct doca_rdma_task_remote_net_sync_event_get;        /* reads the counter of a sync event */
struct doca_rdma_task_remote_net_sync_event_notify_set; /* sets the counter, wakes waiters */
struct doca_rdma_task_remote_net_sync_event_notify_add; /* adds to the counter atomically */

/*
 * Callbacks for completed tasks, with the user data of the task and of the context. They run inside
 * doca_pe_progress(), and may free the task or submit it again.
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
 * Checks whether a device can read sync events of the peer. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_remote_net_sync_event_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that read a sync event's counter: their callbacks and their number. Without
 * this call none can be allocated. The start of the context allocates their memory.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
	struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Sets the sync event of a task.
 * @param task task
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_get *task,
	const struct doca_sync_event_remote_net *event);

/**
 * Returns the sync event of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE const struct doca_sync_event_remote_net *
doca_rdma_task_remote_net_sync_event_get_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Sets the destination buffer of a task.
 * @param task task
 * @param dst_buf local buffer; the counter, 8 bytes, is appended to its data; owned by the library
 *   from submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
	struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf);

/**
 * Returns the destination buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
	const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Checks whether a device can set sync events of the peer. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(
	const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that set a sync event's counter: their callbacks and their number. Without
 * this call none can be allocated. The start of the context allocates their memory.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t
		successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Sets the sync event of a task.
 * @param task task
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	struct doca_sync_event_remote_net *event);

/**
 * Returns the sync event of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_sync_event_remote_net *
doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Sets the source buffer of a task.
 * @param task task
 * @param src_buf local buffer whose data is the value, 8 bytes; owned by the library from
 *   submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	const struct doca_buf *src_buf);

/**
 * Returns the source buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Checks whether a device can add to sync events of the peer. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(
	const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that add to a sync event's counter: their callbacks and their number.
 * Without this call none can be allocated. The start of the context allocates their memory.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t
		successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Sets the sync event of a task.
 * @param task task
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	struct doca_sync_event_remote_net *event);

/**
 * Returns the sync event of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_sync_event_remote_net *
doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Sets the result buffer of a task.
 * @param task task
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task, struct doca_buf *result_buf);

/**
 * Returns the result buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Sets the value that a task adds.
 * @param task task
 * @param add_data value to add
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task, uint64_t add_data);

/**
 * Returns the value that a task adds.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Returns the number of bytes that were read.
 * @param task task
 * States: completed with success.
 * @return number of bytes
 * Since 2.6.
 */
DOCA_STABLE uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
	const struct doca_rdma_task_remote_net_sync_event_get *task);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 9)
/**
 * Allocates a task that reads the counter of a sync event of the peer.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * @param dst_buf local buffer; the counter, 8 bytes, is appended to its data; owned by the library
 *   from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_get_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_get_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_get *task,
	struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Allocates a task that sets the counter of a sync event of the peer and wakes its waiters.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * @param src_buf local buffer whose data is the value, 8 bytes; owned by the library from
 *   submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_notify_set_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Allocates a task that atomically adds to the counter of a sync event of the peer and wakes its
 * waiters.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * @param add_data value to add
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_notify_add_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task);
#endif

#ifdef __cplusplus
}
#endif

#endif
