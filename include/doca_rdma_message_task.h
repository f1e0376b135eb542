/*
 * RDMA, from 2.5 on: tasks that receive and send messages; included by doca_rdma.h.
 *
 * The functions that set and get what a task holds do not check the task for NULL.
 *
 * Threads: as doca_rdma.h says.
 */
#ifndef DOCA_RDMA_MESSAGE_TASK_H_
#define DOCA_RDMA_MESSAGE_TASK_H_

#include <doca_rdma.h>

#if DOCA_API_WORKQ
#error "doca_rdma_message_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma_connection;

/* What a receive was completed by. */
enum doca_rdma_opcode {
	DOCA_RDMA_OPCODE_RECV_SEND = 0,
	DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1,
	DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM = 2
};

struct doca_rdma_task_receive;  /* receives a message */
struct doca_rdma_task_send;     /* sends a message */
struct doca_rdma_task_send_imm; /* sends a message with four bytes beside it */

/*
 * Told of a task that completed, with the data of the task and of the context. Run inside
 * doca_pe_progress; there the task may be freed or submitted again.
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
 * Can messages be received, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);

/**
 * Most buffers in the list of a receive. 1: no lists.
 * @param devinfo description of the device; borrowed for the call
 * @param transport_type transport
 * @param max_buf_list_len receives the number
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the type is unknown.
 * - DOCA_ERROR_DRIVER: the device has no RDMA or not this transport, or could not be asked.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_receive_get_max_dst_buf_list_len(
	const struct doca_devinfo *devinfo, enum doca_rdma_transport_type transport_type,
	uint32_t *max_buf_list_len);

/**
 * Sets up the tasks that receive a message, or are told of a write with immediate data: callbacks
 * and how many there are. Without it none can be allocated. Their memory is made at start.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each that succeeded
 * @param error_task_completion_cb called for each that failed; doca_task_get_status gives TOO_BIG
 *   for a message that was longer than the room, CONNECTION_RESET, SHUTDOWN after a stop
 * @param num_tasks number of tasks, at least 1
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is 0.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_receive_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_receive_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Says how many buffers the list of a receive may have.
 * @param rdma RDMA object
 * @param buf_list_len buffers; 1 unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, the number is 0, or it is more than the device has.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
								     uint32_t buf_list_len);

/**
 * Most buffers of the list of a receive.
 * @param rdma RDMA object
 * @param buf_list_len receives the number
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: not given here.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
								     uint32_t *buf_list_len);

/**
 * Takes a task from the pool that receives a message, from whichever connection has one, or is told
 * of a write with immediate data.
 * @param rdma RDMA object
 * @param dst_buf buffer of this process, or list of them, behind whose data the message goes;
 *   borrowed until the task completes; NULL: no room, for messages of no bytes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_receive_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma,
							      struct doca_buf *dst_buf,
							      union doca_data user_data,
							      struct doca_rdma_task_receive **task);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task);

/**
 * Changes the destination buffer of a task.
 * @param task task
 * @param dst_buf buffer of this process, or list of them, behind whose data the message goes;
 *   borrowed until the task completes; NULL: no room, for messages of no bytes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
						    struct doca_buf *dst_buf);

/**
 * Destination buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_receive_get_dst_buf(
	const struct doca_rdma_task_receive *task);

/**
 * What completed a receive.
 * @param task task
 * States: completed with success. Threads: those of the progress engine.
 * @return a value of enum doca_rdma_opcode
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE enum doca_rdma_opcode doca_rdma_task_receive_get_result_opcode(
	const struct doca_rdma_task_receive *task);

/**
 * Immediate data that came.
 * @param task task
 * States: completed with success by an operation that has some. Threads: those of the progress
 * engine.
 * @return the four bytes
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task);

/**
 * Can messages be sent, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that send a message: callbacks and how many there are. Without it none can be
 * allocated. Their memory is made at start.
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
DOCA_STABLE doca_error_t doca_rdma_task_send_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_send_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task);

/**
 * Changes the source buffer of a task.
 * @param task task
 * @param src_buf buffer of this process, or list of them, whose data is sent; borrowed until the
 *   task completes; NULL: a message of no bytes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
						 const struct doca_buf *src_buf);

/**
 * Source buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_send_get_src_buf(
	const struct doca_rdma_task_send *task);

/**
 * Can messages be sent with immediate data, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that send a message with immediate data: callbacks and how many there are.
 * Without it none can be allocated. Their memory is made at start.
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
DOCA_STABLE doca_error_t doca_rdma_task_send_imm_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task);

/**
 * Changes the source buffer of a task.
 * @param task task
 * @param src_buf buffer of this process, or list of them, whose data is sent; borrowed until the
 *   task completes; NULL: a message of no bytes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task,
						     const struct doca_buf *src_buf);

/**
 * Source buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_send_imm_get_src_buf(
	const struct doca_rdma_task_send_imm *task);

/**
 * Changes the immediate data of a task.
 * @param task task
 * @param immediate_data the four bytes; not interpreted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
							    doca_be32_t immediate_data);

/**
 * Immediate data of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_be32_t
doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Bytes of the message; of a write with immediate data those that were written, none of them into
 * the buffer.
 * @param task task
 * States: completed with success. Threads: those of the progress engine.
 * @return the bytes
 * Since 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint32_t
doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/**
 * Connection that the message came by.
 * @param task task
 * States: completed with success. Threads: those of the progress engine.
 * @return the connection; NULL if it was given back since the message came
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_receive_get_result_rdma_connection(
	const struct doca_rdma_task_receive *task);

/**
 * Takes a task from the pool that sends a message, which takes a receive at the other end.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param src_buf buffer of this process, or list of them, whose data is sent; borrowed until the
 *   task completes; NULL: a message of no bytes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_send_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, union doca_data user_data,
	struct doca_rdma_task_send **task) DOCA_BIND(doca_rdma_task_send_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_send_set_rdma_connection(
	struct doca_rdma_task_send *task, struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_send_get_rdma_connection(
	const struct doca_rdma_task_send *task);

/**
 * Takes a task from the pool that sends a message with four bytes beside it, which the receive at
 * the other end gets.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param src_buf buffer of this process, or list of them, whose data is sent; borrowed until the
 *   task completes; NULL: a message of no bytes
 * @param immediate_data the four bytes; not interpreted
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_send_imm_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_imm_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, doca_be32_t immediate_data, union doca_data user_data,
	struct doca_rdma_task_send_imm **task)
	DOCA_BIND(doca_rdma_task_send_imm_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_send_imm_set_rdma_connection(
	struct doca_rdma_task_send_imm *task, struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_send_imm_get_rdma_connection(
	const struct doca_rdma_task_send_imm *task);
#endif

#ifdef __cplusplus
}
#endif

#endif
