/*
 * RDMA, from 2.5 on: tasks that work on memory of the other end; included by doca_rdma.h.
 *
 * The functions that set and get what a task holds do not check the task for NULL.
 *
 * Threads: as doca_rdma.h says.
 */
#ifndef DOCA_RDMA_MEMORY_TASK_H_
#define DOCA_RDMA_MEMORY_TASK_H_

#include <doca_rdma.h>

#if DOCA_API_WORKQ
#error "doca_rdma_memory_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma_connection;
struct doca_rdma_task_read;      /* reads from memory of the other end */
struct doca_rdma_task_write;     /* writes to memory of the other end */
struct doca_rdma_task_write_imm; /* writes to memory of the other end and then completes a receive
				    there */
struct doca_rdma_task_atomic_cmp_swp;   /* compares 8 bytes of the other end with a value and */
struct doca_rdma_task_atomic_fetch_add; /* adds to 8 bytes of the other end in one step */

/*
 * Told of a task that completed, with the data of the task and of the context. Run inside
 * doca_pe_progress; there the task may be freed or submitted again.
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
 * Can memory of the other end be read, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that read from the memory of the other end: callbacks and how many there are.
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
DOCA_STABLE doca_error_t doca_rdma_task_read_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_read_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_read_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task);

/**
 * Changes the source buffer of a task.
 * @param task task
 * @param src_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   is read
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
						 const struct doca_buf *src_buf);

/**
 * Source buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_read_get_src_buf(
	const struct doca_rdma_task_read *task);

/**
 * Changes the destination buffer of a task.
 * @param task task
 * @param dst_buf buffer of this process, or list of them, behind whose data the bytes go; borrowed
 *   until the task completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task,
						 struct doca_buf *dst_buf);

/**
 * Destination buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_read_get_dst_buf(
	const struct doca_rdma_task_read *task);

/**
 * Can memory of the other end be written, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that write to the memory of the other end: callbacks and how many there are.
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
DOCA_STABLE doca_error_t doca_rdma_task_write_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_write_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task);

/**
 * Changes the source buffer of a task.
 * @param task task
 * @param src_buf buffer of this process, or list of them, whose data is written; borrowed until the
 *   task completes; NULL: no bytes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
						  const struct doca_buf *src_buf);

/**
 * Source buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_write_get_src_buf(
	const struct doca_rdma_task_write *task);

/**
 * Changes the destination buffer of a task.
 * @param task task
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; the
 *   bytes go behind its data, which grows by them. May be NULL if there are no bytes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task,
						  struct doca_buf *dst_buf);

/**
 * Destination buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_write_get_dst_buf(
	const struct doca_rdma_task_write *task);

/**
 * Can memory of the other end be written with immediate data, with a device? The return code is the
 * answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that write to the memory of the other end with immediate data: callbacks and
 * how many there are. Without it none can be allocated. Their memory is made at start.
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
DOCA_STABLE doca_error_t doca_rdma_task_write_imm_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_write_imm_as_task(
	struct doca_rdma_task_write_imm *task);

/**
 * Changes the source buffer of a task.
 * @param task task
 * @param src_buf buffer of this process, or list of them, whose data is written; borrowed until the
 *   task completes; NULL: no bytes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task,
						      const struct doca_buf *src_buf);

/**
 * Source buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_buf *doca_rdma_task_write_imm_get_src_buf(
	const struct doca_rdma_task_write_imm *task);

/**
 * Changes the destination buffer of a task.
 * @param task task
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; the
 *   bytes go behind its data, which grows by them. May be NULL if there are no bytes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task,
						      struct doca_buf *dst_buf);

/**
 * Destination buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(
	const struct doca_rdma_task_write_imm *task);

/**
 * Changes the immediate data of a task.
 * @param task task
 * @param immediate_data the four bytes; not interpreted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
							     doca_be32_t immediate_data);

/**
 * Immediate data of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_be32_t
doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task);

/**
 * Can 8 bytes of the other end be compared and swapped, with a device? The return code is the
 * answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that compare and swap 8 bytes in the memory of the other end: callbacks and how
 * many there are. Without it none can be allocated. Their memory is made at start.
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
DOCA_STABLE doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(
	struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the destination buffer of a task.
 * @param task task
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   begins with the 8 bytes, at a multiple of 8
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_dst_buf(
	struct doca_rdma_task_atomic_cmp_swp *task, struct doca_buf *dst_buf);

/**
 * Destination buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_dst_buf(
	const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the result buffer of a task.
 * @param task task
 * @param result_buf buffer of this process behind whose data the value before goes, 8 bytes;
 *   borrowed until the task completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_result_buf(
	struct doca_rdma_task_atomic_cmp_swp *task, struct doca_buf *result_buf);

/**
 * Result buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_result_buf(
	const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the value to compare with of a task.
 * @param task task
 * @param cmp_data value to compare with
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_cmp_data(
	struct doca_rdma_task_atomic_cmp_swp *task, uint64_t cmp_data);

/**
 * Value to compare with of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint64_t
doca_rdma_task_atomic_cmp_swp_get_cmp_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the value to set of a task.
 * @param task task
 * @param swap_data value to set
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_swap_data(
	struct doca_rdma_task_atomic_cmp_swp *task, uint64_t swap_data);

/**
 * Value to set of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint64_t
doca_rdma_task_atomic_cmp_swp_get_swap_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Can 8 bytes of the other end be added to, with a device? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no; the sentence says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t
doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets up the tasks that add to 8 bytes in the memory of the other end: callbacks and how many
 * there are. Without it none can be allocated. Their memory is made at start.
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
DOCA_STABLE doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks);

/**
 * Common part of a task, for doca_task_submit and doca_task_free.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return the task; NULL if task is NULL
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_task *doca_rdma_task_atomic_fetch_add_as_task(
	struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Changes the destination buffer of a task.
 * @param task task
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   begins with the 8 bytes, at a multiple of 8
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_fetch_add_set_dst_buf(
	struct doca_rdma_task_atomic_fetch_add *task, struct doca_buf *dst_buf);

/**
 * Destination buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_atomic_fetch_add_get_dst_buf(
	const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Changes the result buffer of a task.
 * @param task task
 * @param result_buf buffer of this process behind whose data the value before goes, 8 bytes;
 *   borrowed until the task completes
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_fetch_add_set_result_buf(
	struct doca_rdma_task_atomic_fetch_add *task, struct doca_buf *result_buf);

/**
 * Result buffer of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_buf *doca_rdma_task_atomic_fetch_add_get_result_buf(
	const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Changes the value to add of a task.
 * @param task task
 * @param add_data value to add
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_fetch_add_set_add_data(
	struct doca_rdma_task_atomic_fetch_add *task, uint64_t add_data);

/**
 * Value to add of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint64_t
doca_rdma_task_atomic_fetch_add_get_add_data(const struct doca_rdma_task_atomic_fetch_add *task);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Bytes that were read.
 * @param task task
 * States: completed with success. Threads: those of the progress engine.
 * @return the bytes
 * Since 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/**
 * Takes a task from the pool that reads from memory of the other end, which takes no part in it.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param src_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   is read
 * @param dst_buf buffer of this process, or list of them, behind whose data the bytes go; borrowed
 *   until the task completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_read_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_read_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_rdma_task_read **task) DOCA_BIND(doca_rdma_task_read_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_read_set_rdma_connection(
	struct doca_rdma_task_read *task, struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_read_get_rdma_connection(
	const struct doca_rdma_task_read *task);

/**
 * Takes a task from the pool that writes to memory of the other end, which takes no part in it.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param src_buf buffer of this process, or list of them, whose data is written; borrowed until the
 *   task completes; NULL: no bytes
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; the
 *   bytes go behind its data, which grows by them. May be NULL if there are no bytes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_write_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_rdma_task_write **task) DOCA_BIND(doca_rdma_task_write_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_write_set_rdma_connection(
	struct doca_rdma_task_write *task, struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_write_get_rdma_connection(
	const struct doca_rdma_task_write *task);

/**
 * Takes a task from the pool that writes to memory of the other end and then completes a receive
 * there, which gets four bytes.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param src_buf buffer of this process, or list of them, whose data is written; borrowed until the
 *   task completes; NULL: no bytes
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; the
 *   bytes go behind its data, which grows by them. May be NULL if there are no bytes
 * @param immediate_data the four bytes; not interpreted
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_write_imm_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_imm_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, doca_be32_t immediate_data,
	union doca_data user_data, struct doca_rdma_task_write_imm **task)
	DOCA_BIND(doca_rdma_task_write_imm_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_write_imm_set_rdma_connection(
	struct doca_rdma_task_write_imm *task, struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_write_imm_get_rdma_connection(
	const struct doca_rdma_task_write_imm *task);

/**
 * Takes a task from the pool that compares 8 bytes of the other end with a value and, if they are
 * the same, sets them to another, in one step.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   begins with the 8 bytes, at a multiple of 8
 * @param result_buf buffer of this process behind whose data the value before goes, 8 bytes;
 *   borrowed until the task completes
 * @param cmp_data value to compare with
 * @param swap_data value to set
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL, or the connection is of
 *   another object.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_atomic_cmp_swp_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_buf *dst_buf, struct doca_buf *result_buf, uint64_t cmp_data,
	uint64_t swap_data, union doca_data user_data, struct doca_rdma_task_atomic_cmp_swp **task)
	DOCA_BIND(doca_rdma_task_atomic_cmp_swp_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(
	struct doca_rdma_task_atomic_cmp_swp *task, struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_atomic_cmp_swp_get_rdma_connection(
	const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Takes a task from the pool that adds to 8 bytes of the other end in one step, and wraps at 2^64.
 * @param rdma RDMA object
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   begins with the 8 bytes, at a multiple of 8
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
 *   doca_rdma_task_atomic_fetch_add_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_buf *dst_buf, struct doca_buf *result_buf, uint64_t add_data,
	union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
	DOCA_BIND(doca_rdma_task_atomic_fetch_add_allocate_init, 2_7);

/**
 * Changes the connection of a task.
 * @param task task
 * @param rdma_connection connection; one that is not connected yet may be given, but not submitted
 * States: task not submitted. Threads: those of the progress engine.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE void doca_rdma_task_atomic_fetch_add_set_rdma_connection(
	struct doca_rdma_task_atomic_fetch_add *task, struct doca_rdma_connection *rdma_connection);

/**
 * Connection of a task.
 * @param task task
 * States: any. Threads: those of the progress engine.
 * @return it
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(
	const struct doca_rdma_task_atomic_fetch_add *task);
#endif

#ifdef __cplusplus
}
#endif

#endif
