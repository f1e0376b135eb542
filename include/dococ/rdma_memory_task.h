/*
 * RDMA, from 2.5 on: tasks that work on memory of the peer. Included by doca_rdma.h.
 *
 * Setters and getters do not check a task for NULL.
 *
 * States, errors and threads: see doca_rdma.h.
 */
#ifndef DOCA_RDMA_MEMORY_TASK_H_
#define DOCA_RDMA_MEMORY_TASK_H_

#include <doca_rdma.h>

#if DOCA_API_WORKQ
#error "dococ/rdma_memory_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma_connection;
struct doca_rdma_task_read;             /* reads from memory of the peer */
struct doca_rdma_task_write;            /* writes to memory of the peer */
struct doca_rdma_task_write_imm;        /* writes, then completes a receive of the peer */
struct doca_rdma_task_atomic_cmp_swp;   /* compares and swaps 8 bytes of the peer */
struct doca_rdma_task_atomic_fetch_add; /* adds to 8 bytes of the peer, atomically */

/*
 * Callbacks for completed tasks, with the user data of the task and of the context. They run inside
 * doca_pe_progress(), and may free the task or submit it again.
 */
typedef void (*doca_rdma_task_read_completion_cb_t)(struct doca_rdma_task_read *task,
						    union doca_data task_user_data,
						    union doca_data ctx_user_data);
typedef void (*doca_rdma_task_write_completion_cb_t)(struct doca_rdma_task_write *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);
typedef void (*doca_rdma_task_write_imm_completion_cb_t)(struct doca_rdma_task_write_imm *task,
							 union doca_data task_user_data,
							 union doca_data ctx_user_data);
typedef void (*doca_rdma_task_atomic_cmp_swp_completion_cb_t)(
	struct doca_rdma_task_atomic_cmp_swp *task, union doca_data task_user_data,
	union doca_data ctx_user_data);
typedef void (*doca_rdma_task_atomic_fetch_add_completion_cb_t)(
	struct doca_rdma_task_atomic_fetch_add *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device can read memory of the peer. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that read from the memory of the peer: their callbacks and their number.
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
DOCA_STABLE doca_error_t doca_rdma_task_read_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_read_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_read_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task);

/**
 * Sets the source buffer of a task.
 * @param task task
 * @param src_buf single buffer of a memory map created from an RDMA export of the peer; its data is
 *   read
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
						 const struct doca_buf *src_buf);

/**
 * Returns the source buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_read_get_src_buf(
	const struct doca_rdma_task_read *task);

/**
 * Sets the destination buffer of a task.
 * @param task task
 * @param dst_buf local buffer or buffer list; the bytes are appended to its data; owned by the
 *   library from submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task,
						 struct doca_buf *dst_buf);

/**
 * Returns the destination buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_read_get_dst_buf(
	const struct doca_rdma_task_read *task);

/**
 * Checks whether a device can write to memory of the peer. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that write to the memory of the peer: their callbacks and their number.
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
DOCA_STABLE doca_error_t doca_rdma_task_write_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_write_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task);

/**
 * Sets the source buffer of a task.
 * @param task task
 * @param src_buf local buffer or buffer list whose data is written; owned by the library from
 *   submission until the task completes; NULL for no bytes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
						  const struct doca_buf *src_buf);

/**
 * Returns the source buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_write_get_src_buf(
	const struct doca_rdma_task_write *task);

/**
 * Sets the destination buffer of a task.
 * @param task task
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; the bytes
 *   are appended to its data, whose length grows. May be NULL if there are no bytes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task,
						  struct doca_buf *dst_buf);

/**
 * Returns the destination buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_write_get_dst_buf(
	const struct doca_rdma_task_write *task);

/**
 * Checks whether a device can write to memory of the peer with immediate data. The return code is
 * the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that write to the memory of the peer with immediate data: their callbacks
 * and their number. Without this call none can be allocated. The start of the context allocates
 * their memory.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_imm_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_write_imm_as_task(
	struct doca_rdma_task_write_imm *task);

/**
 * Sets the source buffer of a task.
 * @param task task
 * @param src_buf local buffer or buffer list whose data is written; owned by the library from
 *   submission until the task completes; NULL for no bytes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task,
						      const struct doca_buf *src_buf);

/**
 * Returns the source buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_write_imm_get_src_buf(
	const struct doca_rdma_task_write_imm *task);

/**
 * Sets the destination buffer of a task.
 * @param task task
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; the bytes
 *   are appended to its data, whose length grows. May be NULL if there are no bytes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task,
						      struct doca_buf *dst_buf);

/**
 * Returns the destination buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(
	const struct doca_rdma_task_write_imm *task);

/**
 * Sets the immediate data of a task.
 * @param task task
 * @param immediate_data four bytes of any value, which the library never interprets
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
							     doca_be32_t immediate_data);

/**
 * Returns the immediate data of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE doca_be32_t
doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task);

/**
 * Checks whether a device can atomically compare and swap 8 bytes in the memory of the peer. The
 * return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that compare and swap 8 bytes in the memory of the peer: their callbacks and
 * their number. Without this call none can be allocated. The start of the context allocates their
 * memory.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(
	struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Sets the destination buffer of a task.
 * @param task task
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; its data
 *   begins with the 8 bytes, at an address that is a multiple of 8
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_dst_buf(
	struct doca_rdma_task_atomic_cmp_swp *task, struct doca_buf *dst_buf);

/**
 * Returns the destination buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_dst_buf(
	const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Sets the result buffer of a task.
 * @param task task
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_result_buf(
	struct doca_rdma_task_atomic_cmp_swp *task, struct doca_buf *result_buf);

/**
 * Returns the result buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_result_buf(
	const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Sets the value that a task compares with.
 * @param task task
 * @param cmp_data value to compare with
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_cmp_data(
	struct doca_rdma_task_atomic_cmp_swp *task, uint64_t cmp_data);

/**
 * Returns the value that a task compares with.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE uint64_t
doca_rdma_task_atomic_cmp_swp_get_cmp_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Sets the value that a task stores if the comparison succeeds.
 * @param task task
 * @param swap_data value that replaces the 8 bytes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_swap_data(
	struct doca_rdma_task_atomic_cmp_swp *task, uint64_t swap_data);

/**
 * Returns the value that a task stores if the comparison succeeds.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE uint64_t
doca_rdma_task_atomic_cmp_swp_get_swap_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Checks whether a device can atomically add to 8 bytes in the memory of the peer. The return code
 * is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the tasks that add to 8 bytes in the memory of the peer: their callbacks and their
 * number. Without this call none can be allocated. The start of the context allocates their memory.
 * @param rdma RDMA object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed
 * @param num_tasks number of tasks, at least 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks);

/**
 * Returns a task as a general task, for doca_task_submit() and doca_task_free().
 * @param task task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_atomic_fetch_add_as_task(
	struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Sets the destination buffer of a task.
 * @param task task
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; its data
 *   begins with the 8 bytes, at an address that is a multiple of 8
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_atomic_fetch_add_set_dst_buf(
	struct doca_rdma_task_atomic_fetch_add *task, struct doca_buf *dst_buf);

/**
 * Returns the destination buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_atomic_fetch_add_get_dst_buf(
	const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Sets the result buffer of a task.
 * @param task task
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_atomic_fetch_add_set_result_buf(
	struct doca_rdma_task_atomic_fetch_add *task, struct doca_buf *result_buf);

/**
 * Returns the result buffer of a task.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_atomic_fetch_add_get_result_buf(
	const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Sets the value that a task adds.
 * @param task task
 * @param add_data value to add
 * States: task not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_rdma_task_atomic_fetch_add_set_add_data(
	struct doca_rdma_task_atomic_fetch_add *task, uint64_t add_data);

/**
 * Returns the value that a task adds.
 * @param task task
 * Since 2.5.
 */
DOCA_STABLE uint64_t
doca_rdma_task_atomic_fetch_add_get_add_data(const struct doca_rdma_task_atomic_fetch_add *task);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Returns the number of bytes that were read.
 * @param task task
 * States: completed with success.
 * @return number of bytes
 * Since 2.6.
 */
DOCA_STABLE uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 9)
/**
 * Allocates a task that reads from memory of the peer. The peer's program is not involved.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param src_buf single buffer of a memory map created from an RDMA export of the peer; its data is
 *   read
 * @param dst_buf local buffer or buffer list; the bytes are appended to its data; owned by the
 *   library from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_read_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_read_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_rdma_task_read **task) DOCA_BIND(doca_rdma_task_read_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_read_set_rdma_connection(
	struct doca_rdma_task_read *task, struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_read_get_rdma_connection(
	const struct doca_rdma_task_read *task);

/**
 * Allocates a task that writes to memory of the peer. The peer's program is not involved.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param src_buf local buffer or buffer list whose data is written; owned by the library from
 *   submission until the task completes; NULL for no bytes
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; the bytes
 *   are appended to its data, whose length grows. May be NULL if there are no bytes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_write_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_rdma_task_write **task) DOCA_BIND(doca_rdma_task_write_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_write_set_rdma_connection(
	struct doca_rdma_task_write *task, struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_write_get_rdma_connection(
	const struct doca_rdma_task_write *task);

/**
 * Allocates a task that writes to memory of the peer and then completes a receive there, which
 * delivers four bytes of immediate data.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param src_buf local buffer or buffer list whose data is written; owned by the library from
 *   submission until the task completes; NULL for no bytes
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; the bytes
 *   are appended to its data, whose length grows. May be NULL if there are no bytes
 * @param immediate_data four bytes of any value, which the library never interprets
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_write_imm_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_imm_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, doca_be32_t immediate_data,
	union doca_data user_data, struct doca_rdma_task_write_imm **task)
	DOCA_BIND(doca_rdma_task_write_imm_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_write_imm_set_rdma_connection(
	struct doca_rdma_task_write_imm *task, struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_write_imm_get_rdma_connection(
	const struct doca_rdma_task_write_imm *task);

/**
 * Allocates a task that atomically compares 8 bytes in the memory of the peer with a value and, if
 * they are equal, replaces them by another value.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; its data
 *   begins with the 8 bytes, at an address that is a multiple of 8
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * @param cmp_data value to compare with
 * @param swap_data value that replaces the 8 bytes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_atomic_cmp_swp_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_buf *dst_buf, struct doca_buf *result_buf, uint64_t cmp_data,
	uint64_t swap_data, union doca_data user_data, struct doca_rdma_task_atomic_cmp_swp **task)
	DOCA_BIND(doca_rdma_task_atomic_cmp_swp_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(
	struct doca_rdma_task_atomic_cmp_swp *task, struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_atomic_cmp_swp_get_rdma_connection(
	const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Allocates a task that atomically adds to 8 bytes in the memory of the peer. The sum wraps at
 * 2^64.
 * @param rdma RDMA object
 * @param rdma_connection connection; it must be connected when the task is submitted
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; its data
 *   begins with the 8 bytes, at an address that is a multiple of 8
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * @param add_data value to add
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_atomic_fetch_add_set_conf.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_buf *dst_buf, struct doca_buf *result_buf, uint64_t add_data,
	union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
	DOCA_BIND(doca_rdma_task_atomic_fetch_add_allocate_init, 2_9);

/**
 * Sets the connection of a task.
 * @param task task
 * @param rdma_connection connection; it must be connected when the task is submitted
 * States: task not submitted.
 * Since 2.9.
 */
DOCA_STABLE void doca_rdma_task_atomic_fetch_add_set_rdma_connection(
	struct doca_rdma_task_atomic_fetch_add *task, struct doca_rdma_connection *rdma_connection);

/**
 * Returns the connection of a task.
 * @param task task
 * Since 2.9.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(
	const struct doca_rdma_task_atomic_fetch_add *task);
#endif

#ifdef __cplusplus
}
#endif

#endif
