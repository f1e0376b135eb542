/*
 * RDMA, from 2.5 on: tasks that receive and send messages. Included by doca_rdma.h.
 *
 * Setters and getters do not check a task for NULL.
 *
 * States, errors and threads: see doca_rdma.h.
 */
#ifndef DOCA_RDMA_MESSAGE_TASK_H_
#define DOCA_RDMA_MESSAGE_TASK_H_

#include <doca_rdma.h>

#if DOCA_API_WORKQ
#error "dococ/rdma_message_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma_connection;

/* Operation of the peer that completed a receive. */
enum doca_rdma_opcode {
	DOCA_RDMA_OPCODE_RECV_SEND = 0,
	DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1,
	DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM = 2
};

struct doca_rdma_task_receive;  /* receives a message */
struct doca_rdma_task_send;     /* sends a message */
struct doca_rdma_task_send_imm; /* sends a message with four bytes of immediate data */

/*
 * Callbacks for completed tasks, with the user data of the task and of the context. They run inside
 * doca_pe_progress(), and may free the task or submit it again.
 */
typedef void (*doca_rdma_task_receive_completion_cb_t)(struct doca_rdma_task_receive *task,
						       union doca_data task_user_data,
						       union doca_data ctx_user_data);
typedef void (*doca_rdma_task_send_completion_cb_t)(struct doca_rdma_task_send *task,
						    union doca_data task_user_data,
						    union doca_data ctx_user_data);
typedef void (*doca_rdma_task_send_imm_completion_cb_t)(struct doca_rdma_task_send_imm *task,
							union doca_data task_user_data,
							union doca_data ctx_user_data);

/**
 * Checks whether a device can receive messages. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the largest number of buffers in the list of a receive. 1 means that lists are not
 * supported.
 * @param devinfo device to query
 * @param transport_type transport
 * @param max_buf_list_len receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type is unknown.
 * - DOCA_ERROR_DRIVER: the device does not support RDMA or this transport, or the query failed.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_receive_get_max_dst_buf_list_len(
	const struct doca_devinfo *devinfo, enum doca_rdma_transport_type transport_type,
	uint32_t *max_buf_list_len);

/**
 * Configures the tasks that receive a message or complete after the peer's write with immediate
 * data: their callbacks and their number. Without this call none can be allocated. The start of the
 * context allocates their memory.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed; doca_task_get_status() returns
 *   DOCA_ERROR_TOO_BIG if the message was longer than the room, DOCA_ERROR_CONNECTION_RESET if the
 *   connection broke or ended, DOCA_ERROR_SHUTDOWN after a stop
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_receive_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_receive_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Sets the largest number of buffers in the list of a receive.
 * @param rdma RDMA object
 * @param buf_list_len number of buffers; the default is 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0, or it exceeds the device's maximum.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
								     uint32_t buf_list_len);

/**
 * Gets the largest number of buffers in the list of a receive.
 * @param rdma RDMA object
 * @param buf_list_len receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
								     uint32_t *buf_list_len);

/**
 * Allocates a task that receives a message from any connection, or completes after the peer's write
 * with immediate data.
 * @param rdma RDMA object
 * @param dst_buf local buffer or buffer list; the message is appended to its data; owned by the
 *   library from submission until the task completes; NULL for no room, so that only empty messages
 *   fit
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_receive_set_conf.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma,
							      struct doca_buf *dst_buf,
							      union doca_data user_data,
							      struct doca_rdma_task_receive **task);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task);

/**
 * Sets the destination buffer of a task.
 * @param task task
 * @param dst_buf local buffer or buffer list; the message is appended to its data; owned by the
 *   library from submission until the task completes; NULL for no room, so that only empty messages
 *   fit
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
						    struct doca_buf *dst_buf);

/**
 * Returns the destination buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_receive_get_dst_buf(
	const struct doca_rdma_task_receive *task);

/**
 * Returns the operation of the peer that completed a receive.
 * @param task task
 * States: completed with success.
 * @return a value of enum doca_rdma_opcode
 * Since 2.5.
 */
DOCA_STABLE enum doca_rdma_opcode doca_rdma_task_receive_get_result_opcode(
	const struct doca_rdma_task_receive *task);

/**
 * Returns the received immediate data.
 * @param task task
 * States: completed with success by an operation with immediate data.
 * @return four bytes, as the peer passed them
 * Since 2.5.
 */
DOCA_STABLE doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task);

/**
 * Checks whether a device can send messages. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that send a message: their callbacks and their number. Without this call
 * none can be allocated. The start of the context allocates their memory.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_send_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task);

/**
 * Sets the source buffer of a task.
 * @param task task
 * @param src_buf local buffer or buffer list whose data is sent; owned by the library from
 *   submission until the task completes; NULL for an empty message
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
						 const struct doca_buf *src_buf);

/**
 * Returns the source buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_send_get_src_buf(
	const struct doca_rdma_task_send *task);

/**
 * Checks whether a device can send messages with immediate data. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that send a message with immediate data: their callbacks and their number.
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
DOCA_STABLE doca_error_t doca_rdma_task_send_imm_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task);

/**
 * Sets the source buffer of a task.
 * @param task task
 * @param src_buf local buffer or buffer list whose data is sent; owned by the library from
 *   submission until the task completes; NULL for an empty message
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task,
						     const struct doca_buf *src_buf);

/**
 * Returns the source buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_send_imm_get_src_buf(
	const struct doca_rdma_task_send_imm *task);

/**
 * Sets the immediate data of a task.
 * @param task task
 * @param immediate_data four bytes of any value, which the library never interprets
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
							    doca_be32_t immediate_data);

/**
 * Returns the immediate data of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE doca_be32_t
doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Returns the size of the message. After a write with immediate data it is the size of the written
 * data, none of which is in the buffer.
 * @param task task
 * States: completed with success.
 * @return number of bytes
 * Since 2.6.
 */
DOCA_STABLE uint32_t
doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 9)
/**
 * Returns the connection from which the message came.
 * @param task task
 * States: completed with success.
 * @return the connection; NULL if it was released after the message arrived
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_receive_get_result_rdma_connection(
	const struct doca_rdma_task_receive *task);

/**
 * Allocates a task that sends a message, which consumes a receive at the peer.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param src_buf local buffer or buffer list whose data is sent; owned by the library from
 *   submission until the task completes; NULL for an empty message
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_send_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, union doca_data user_data,
	struct doca_rdma_task_send **task) DOCA_BIND(doca_rdma_task_send_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_send_set_rdma_connection(
	struct doca_rdma_task_send *task, struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_send_get_rdma_connection(
	const struct doca_rdma_task_send *task);

/**
 * Allocates a task that sends a message with four bytes of immediate data, which the peer's receive
 * delivers.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param src_buf local buffer or buffer list whose data is sent; owned by the library from
 *   submission until the task completes; NULL for an empty message
 * @param immediate_data four bytes of any value, which the library never interprets
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_send_imm_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_imm_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, doca_be32_t immediate_data, union doca_data user_data,
	struct doca_rdma_task_send_imm **task)
	DOCA_BIND(doca_rdma_task_send_imm_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_send_imm_set_rdma_connection(
	struct doca_rdma_task_send_imm *task, struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_send_imm_get_rdma_connection(
	const struct doca_rdma_task_send_imm *task);
#endif

#ifdef __cplusplus
}
#endif

#endif
