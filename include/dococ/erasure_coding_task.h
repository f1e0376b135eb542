/*
 * Erasure coding, from 2.5 on. Included by doca_erasure_coding.h, whose comment has the rules for
 * blocks, states, errors and threads.
 *
 * Use an object in this order: create it on a device, configure one or more kinds of tasks, connect
 * doca_ec_as_ctx() to an engine, start it, create a matrix, allocate and submit tasks. The work is
 * done during progress. Matrices may be created in every state.
 *
 * A failed task stops the context, like an error of a hardware queue: free the tasks, progress
 * until the context is IDLE, and start it again. Its result is discarded: the data lengths of its
 * destination do not change.
 *
 * Status of a failed task, from doca_task_get_status():
 *
 * - DOCA_ERROR_IO_FAILED: the transfer failed, the exporter stopped its map or ended, or an
 *   argument is wrong, for example a size, the room of the destination, or the matrix.
 *   doca_task_try_submit() reports wrong arguments before the submission.
 * - DOCA_ERROR_NOT_PERMITTED: a memory map does not permit the access, or the kernel does not
 *   permit access to the exporter's memory.
 * - DOCA_ERROR_BAD_STATE: a memory map is not started.
 * - DOCA_ERROR_SHUTDOWN: the context was stopped.
 */
#ifndef DOCA_ERASURE_CODING_TASK_H_
#define DOCA_ERASURE_CODING_TASK_H_

#include <doca_erasure_coding.h>

#if DOCA_API_WORKQ
#error "dococ/erasure_coding_task.h is there from 2.5 on: include doca_erasure_coding.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ec_matrix;          /* coding, update or recover matrix */
struct doca_ec_task_galois_mul; /* multiplies a matrix by blocks */
struct doca_ec_task_create;     /* computes redundancy blocks */
struct doca_ec_task_update;     /* updates redundancy blocks */
struct doca_ec_task_recover;    /* recovers lost blocks */
struct doca_task;

/* Kinds of coding matrices. With a CAUCHY matrix, any blocks can be lost and recovered, up to the
 * number of redundancy blocks. In a VANDERMONDE matrix, the coefficient of data block i in
 * redundancy block j is (i + 1)^j, so its first redundancy block is the parity of the data. It
 * recovers any lost data blocks, up to the number of redundancy blocks, if no redundancy block is
 * lost. With more than 3 redundancy blocks, it may be unable to recover a loss of data and
 * redundancy blocks together. */
enum doca_ec_matrix_type { DOCA_EC_MATRIX_TYPE_CAUCHY = 1, DOCA_EC_MATRIX_TYPE_VANDERMONDE = 2 };

/**
 * Creates an erasure coding object on a device.
 * @param dev open device; must stay open until the object is destroyed
 * @param ec receives the object; release it with doca_ec_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support erasure coding; see
 *   doca_ec_cap_task_create_is_supported().
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_create(struct doca_dev *dev, struct doca_ec **ec)
	DOCA_BIND(doca_ec_create, 2_5);

/**
 * Gets the size of the largest block.
 * @param devinfo device to query
 * @param max_block_size receives the size in bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support erasure coding.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_cap_get_max_block_size(const struct doca_devinfo *devinfo,
							uint64_t *max_block_size);

/**
 * Gets the largest number of elements in the buffer list of a task, source or destination.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support erasure coding.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len);

/* --- matrices --- */

/**
 * Creates a coding matrix.
 * @param ec erasure coding object
 * @param type kind of matrix
 * @param data_block_count number of data blocks
 * @param rdnc_block_count number of redundancy blocks; together with the data blocks at most 256
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist, a number of blocks is 0, or the device does
 *   not allow that many.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create(struct doca_ec *ec, enum doca_ec_matrix_type type,
					       size_t data_block_count, size_t rdnc_block_count,
					       struct doca_ec_matrix **matrix);

/**
 * Creates a matrix from coefficients, elements of GF(2^8) with the polynomial 0x11d. It may be a
 * coding, an update or a recover matrix: tasks of all kinds accept it. If it has more columns than
 * a code can have data blocks, it is an update matrix, and only update and galois mul tasks accept
 * it.
 * @param ec erasure coding object
 * @param data rdnc_block_count rows of data_block_count bytes; each row produces one block of the
 *   result; only read during the call
 * @param data_block_count number of columns, which is the number of blocks of a source: at most the
 *   data blocks of the code; in an update matrix 2 per changed block, plus the redundancy blocks
 * @param rdnc_block_count number of rows, which is the number of blocks of a result; together with
 *   the data blocks of the code at most 256
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a number of blocks is 0, or the device does not allow that many.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create_from_raw(struct doca_ec *ec, uint8_t *data,
							size_t data_block_count,
							size_t rdnc_block_count,
							struct doca_ec_matrix **matrix);

/**
 * Creates the matrix that changes redundancy blocks after data blocks have changed.
 * @param ec erasure coding object
 * @param coding_matrix coding matrix of the object; need not exist after the call
 * @param update_indices distinct numbers of the data blocks that change; the blocks of a task are
 *   in this order, each with its old and then its new content
 * @param n_updates number of indices
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: coding_matrix is not a coding matrix of the object, there are no
 *   indices, or they are not distinct numbers of data blocks.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create_update(struct doca_ec *ec,
						      const struct doca_ec_matrix *coding_matrix,
						      uint32_t update_indices[], size_t n_updates,
						      struct doca_ec_matrix **matrix);

/**
 * Creates the matrix that recovers lost blocks.
 * @param ec erasure coding object
 * @param coding_matrix coding matrix of the object; need not exist after the call
 * @param missing_indices distinct numbers of the lost blocks, of data or redundancy; the recovered
 *   blocks are in this order
 * @param n_missing number of indices, at most the number of redundancy blocks
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: coding_matrix is not a coding matrix of the object, there are no
 *   indices or too many, they are not distinct numbers of blocks, or the blocks that are left do
 *   not determine the missing ones.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create_recover(struct doca_ec *ec,
						       const struct doca_ec_matrix *coding_matrix,
						       uint32_t missing_indices[], size_t n_missing,
						       struct doca_ec_matrix **matrix);

/**
 * Destroys a matrix. Set another matrix in every task that was allocated with it before the task is
 * submitted.
 * @param matrix matrix
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a task in flight uses the matrix; wait for its completion.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_destroy(struct doca_ec_matrix *matrix);

/* --- galois mul --- */

/* Called when a galois mul task has completed, with the user data of the task and of the context.
 * Runs inside doca_pe_progress(). */
typedef void (*doca_ec_task_galois_mul_completion_cb_t)(struct doca_ec_task_galois_mul *task,
							union doca_data task_user_data,
							union doca_data ctx_user_data);

/**
 * Checks whether a device supports galois mul tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_ec_cap_task_galois_mul_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the galois mul tasks of an object: their callbacks and their number. Without this call
 * none can be allocated.
 * @param ec erasure coding object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed, with a status of the list at
 *   the top
 * @param num_tasks number of tasks that can be allocated at a time
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_tasks is 0 or more than the device allows.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_task_galois_mul_set_conf(
	struct doca_ec *ec, doca_ec_task_galois_mul_completion_cb_t successful_task_completion_cb,
	doca_ec_task_galois_mul_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Allocates a galois mul task, which multiplies a matrix by blocks.
 * @param ec erasure coding object
 * @param coding_matrix matrix of any kind; must exist until the task completes
 * @param src_buf one block per column of the matrix; owned by the library from submission until the
 *   task completes
 * @param dst_buf receives one block per row of the matrix; owned by the library from submission
 *   until the task completes
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the matrix belongs to another object or is not for this kind of task.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated: free some, or configure more; or tasks of this
 *   kind were not configured.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_task_galois_mul_allocate_init(
	struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_ec_task_galois_mul **task);

/**
 * Returns a galois mul task as a general task, for submission.
 * @param task galois mul task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_ec_task_galois_mul_as_task(struct doca_ec_task_galois_mul *task);

/**
 * Sets the matrix of a galois mul task that is not submitted.
 * A submitted task keeps its matrix.
 * @param task galois mul task
 * @param coding_matrix matrix of any kind; must exist until the task completes. If it is wrong, the
 *   task fails
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_galois_mul_set_coding_matrix(
	struct doca_ec_task_galois_mul *task, const struct doca_ec_matrix *coding_matrix);

/**
 * Returns the matrix of a galois mul task.
 * @param task galois mul task
 * @return the matrix; NULL if it was destroyed or belongs to another object
 * Since 2.5.
 */
DOCA_STABLE const struct doca_ec_matrix *doca_ec_task_galois_mul_get_coding_matrix(
	const struct doca_ec_task_galois_mul *task);

/**
 * Sets the source of a galois mul task that is not submitted.
 * @param task galois mul task
 * @param src_buf one block per column of the matrix; owned by the library from submission until the
 *   task completes
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_galois_mul_set_src_buf(struct doca_ec_task_galois_mul *task,
						     const struct doca_buf *src_buf);

/**
 * Returns the source of a galois mul task.
 * @param task galois mul task
 * @return the source
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_ec_task_galois_mul_get_src_buf(
	const struct doca_ec_task_galois_mul *task);

/**
 * Sets the destination of a galois mul task that is not submitted.
 * @param task galois mul task
 * @param dst_buf receives one block per row of the matrix; owned by the library from submission
 *   until the task completes
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_galois_mul_set_dst_buf(struct doca_ec_task_galois_mul *task,
						     struct doca_buf *dst_buf);

/**
 * Returns the destination of a galois mul task.
 * @param task galois mul task
 * @return the destination
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_ec_task_galois_mul_get_dst_buf(
	const struct doca_ec_task_galois_mul *task);

/* --- create --- */

/* Called when a create task has completed, with the user data of the task and of the context. Runs
 * inside doca_pe_progress(). */
typedef void (*doca_ec_task_create_completion_cb_t)(struct doca_ec_task_create *task,
						    union doca_data task_user_data,
						    union doca_data ctx_user_data);

/**
 * Checks whether a device supports create tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_cap_task_create_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the create tasks of an object: their callbacks and their number. Without this call
 * none can be allocated.
 * @param ec erasure coding object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed, with a status of the list at
 *   the top
 * @param num_tasks number of tasks that can be allocated at a time
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_tasks is 0 or more than the device allows.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_task_create_set_conf(
	struct doca_ec *ec, doca_ec_task_create_completion_cb_t successful_task_completion_cb,
	doca_ec_task_create_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Allocates a create task, which makes redundancy blocks.
 * @param ec erasure coding object
 * @param coding_matrix coding matrix; must exist until the task completes
 * @param original_data_blocks all data blocks; owned by the library from submission until the task
 *   completes
 * @param rdnc_blocks receives the redundancy blocks; owned by the library from submission until the
 *   task completes
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the matrix belongs to another object or is not for this kind of task.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated: free some, or configure more; or tasks of this
 *   kind were not configured.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_task_create_allocate_init(
	struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix,
	const struct doca_buf *original_data_blocks, struct doca_buf *rdnc_blocks,
	union doca_data user_data, struct doca_ec_task_create **task);

/**
 * Returns a create task as a general task, for submission.
 * @param task create task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_ec_task_create_as_task(struct doca_ec_task_create *task);

/**
 * Sets the matrix of a create task that is not submitted.
 * A submitted task keeps its matrix.
 * @param task create task
 * @param coding_matrix coding matrix; must exist until the task completes. If it is wrong, the task
 *   fails
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_create_set_coding_matrix(struct doca_ec_task_create *task,
						       const struct doca_ec_matrix *coding_matrix);

/**
 * Returns the matrix of a create task.
 * @param task create task
 * @return the matrix; NULL if it was destroyed or belongs to another object
 * Since 2.5.
 */
DOCA_STABLE const struct doca_ec_matrix *doca_ec_task_create_get_coding_matrix(
	const struct doca_ec_task_create *task);

/**
 * Sets the source of a create task that is not submitted.
 * @param task create task
 * @param original_data_blocks all data blocks; owned by the library from submission until the task
 *   completes
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_create_set_original_data_blocks(
	struct doca_ec_task_create *task, const struct doca_buf *original_data_blocks);

/**
 * Returns the source of a create task.
 * @param task create task
 * @return the source
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_ec_task_create_get_original_data_blocks(
	const struct doca_ec_task_create *task);

/**
 * Sets the destination of a create task that is not submitted.
 * @param task create task
 * @param rdnc_blocks receives the redundancy blocks; owned by the library from submission until the
 *   task completes
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_create_set_rdnc_blocks(struct doca_ec_task_create *task,
						     struct doca_buf *rdnc_blocks);

/**
 * Returns the destination of a create task.
 * @param task create task
 * @return the destination
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_ec_task_create_get_rdnc_blocks(
	const struct doca_ec_task_create *task);

/* --- update --- */

/* Called when an update task has completed, with the user data of the task and of the context. Runs
 * inside doca_pe_progress(). */
typedef void (*doca_ec_task_update_completion_cb_t)(struct doca_ec_task_update *task,
						    union doca_data task_user_data,
						    union doca_data ctx_user_data);

/**
 * Checks whether a device supports update tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_cap_task_update_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the update tasks of an object: their callbacks and their number. Without this call
 * none can be allocated.
 * @param ec erasure coding object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed, with a status of the list at
 *   the top
 * @param num_tasks number of tasks that can be allocated at a time
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_tasks is 0 or more than the device allows.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_task_update_set_conf(
	struct doca_ec *ec, doca_ec_task_update_completion_cb_t successful_task_completion_cb,
	doca_ec_task_update_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Allocates an update task, which changes redundancy blocks after data blocks have changed.
 * @param ec erasure coding object
 * @param update_matrix update matrix or matrix from coefficients; must exist until the task
 *   completes
 * @param original_updated_and_rdnc_blocks for each changed data block, in the order of the indices
 *   of the matrix, its old and then its new content; then all redundancy blocks; owned by the
 *   library from submission until the task completes
 * @param updated_rdnc_blocks receives all new redundancy blocks; owned by the library from
 *   submission until the task completes
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the matrix belongs to another object or is not for this kind of task.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated: free some, or configure more; or tasks of this
 *   kind were not configured.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_ec_task_update_allocate_init(struct doca_ec *ec, const struct doca_ec_matrix *update_matrix,
				  const struct doca_buf *original_updated_and_rdnc_blocks,
				  struct doca_buf *updated_rdnc_blocks, union doca_data user_data,
				  struct doca_ec_task_update **task);

/**
 * Returns an update task as a general task, for submission.
 * @param task update task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_ec_task_update_as_task(struct doca_ec_task_update *task);

/**
 * Sets the matrix of an update task that is not submitted.
 * A submitted task keeps its matrix.
 * @param task update task
 * @param update_matrix update matrix or matrix from coefficients; must exist until the task
 *   completes. If it is wrong, the task fails
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_update_set_update_matrix(struct doca_ec_task_update *task,
						       const struct doca_ec_matrix *update_matrix);

/**
 * Returns the matrix of an update task.
 * @param task update task
 * @return the matrix; NULL if it was destroyed or belongs to another object
 * Since 2.5.
 */
DOCA_STABLE const struct doca_ec_matrix *doca_ec_task_update_get_update_matrix(
	const struct doca_ec_task_update *task);

/**
 * Sets the source of an update task that is not submitted.
 * @param task update task
 * @param original_updated_and_rdnc_blocks for each changed data block, in the order of the indices
 *   of the matrix, its old and then its new content; then all redundancy blocks; owned by the
 *   library from submission until the task completes
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_update_set_original_updated_and_rdnc_blocks(
	struct doca_ec_task_update *task, const struct doca_buf *original_updated_and_rdnc_blocks);

/**
 * Returns the source of an update task.
 * @param task update task
 * @return the source
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_ec_task_update_get_original_updated_and_rdnc_blocks(
	const struct doca_ec_task_update *task);

/**
 * Sets the destination of an update task that is not submitted.
 * @param task update task
 * @param updated_rdnc_blocks receives all new redundancy blocks; owned by the library from
 *   submission until the task completes
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_update_set_updated_rdnc_blocks(struct doca_ec_task_update *task,
							     struct doca_buf *updated_rdnc_blocks);

/**
 * Returns the destination of an update task.
 * @param task update task
 * @return the destination
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_ec_task_update_get_updated_rdnc_blocks(
	const struct doca_ec_task_update *task);

/* --- recover --- */

/* Called when a recover task has completed, with the user data of the task and of the context. Runs
 * inside doca_pe_progress(). */
typedef void (*doca_ec_task_recover_completion_cb_t)(struct doca_ec_task_recover *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * Checks whether a device supports recover tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_cap_task_recover_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configures the recover tasks of an object: their callbacks and their number. Without this call
 * none can be allocated.
 * @param ec erasure coding object
 * @param successful_task_completion_cb called for each task that succeeded
 * @param error_task_completion_cb called for each task that failed, with a status of the list at
 *   the top
 * @param num_tasks number of tasks that can be allocated at a time
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_tasks is 0 or more than the device allows.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_task_recover_set_conf(
	struct doca_ec *ec, doca_ec_task_recover_completion_cb_t successful_task_completion_cb,
	doca_ec_task_recover_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Allocates a recover task, which recovers lost blocks.
 * @param ec erasure coding object
 * @param recover_matrix recover matrix, matrix from coefficients, or VANDERMONDE matrix with one
 *   redundancy block, which recovers any one block; must exist until the task completes. A CAUCHY
 *   matrix with one redundancy block is accepted, too, but the task fails unless another matrix is
 *   set before it is submitted
 * @param available_blocks as many of the remaining blocks as the code has data blocks: those with
 *   the lowest numbers, in order; owned by the library from submission until the task completes
 * @param recovered_data_blocks receives the missing blocks, in the order of the indices of the
 *   matrix; owned by the library from submission until the task completes
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the matrix belongs to another object or is not for this kind of task.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated: free some, or configure more; or tasks of this
 *   kind were not configured.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_ec_task_recover_allocate_init(
	struct doca_ec *ec, const struct doca_ec_matrix *recover_matrix,
	const struct doca_buf *available_blocks, struct doca_buf *recovered_data_blocks,
	union doca_data user_data, struct doca_ec_task_recover **task);

/**
 * Returns a recover task as a general task, for submission.
 * @param task recover task
 * @return the task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_ec_task_recover_as_task(struct doca_ec_task_recover *task);

/**
 * Sets the matrix of a recover task that is not submitted.
 * A submitted task keeps its matrix.
 * @param task recover task
 * @param recover_matrix recover matrix, matrix from coefficients, or VANDERMONDE matrix with one
 *   redundancy block; must exist until the task completes. If it is wrong, the task fails
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_recover_set_recover_matrix(
	struct doca_ec_task_recover *task, const struct doca_ec_matrix *recover_matrix);

/**
 * Returns the matrix of a recover task.
 * @param task recover task
 * @return the matrix; NULL if it was destroyed or belongs to another object
 * Since 2.5.
 */
DOCA_STABLE const struct doca_ec_matrix *doca_ec_task_recover_get_recover_matrix(
	const struct doca_ec_task_recover *task);

/**
 * Sets the source of a recover task that is not submitted.
 * @param task recover task
 * @param available_blocks as many of the remaining blocks as the code has data blocks: those with
 *   the lowest numbers, in order; owned by the library from submission until the task completes
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_recover_set_available_blocks(struct doca_ec_task_recover *task,
							   const struct doca_buf *available_blocks);

/**
 * Returns the source of a recover task.
 * @param task recover task
 * @return the source
 * Since 2.5.
 */
DOCA_STABLE const struct doca_buf *doca_ec_task_recover_get_available_blocks(
	const struct doca_ec_task_recover *task);

/**
 * Sets the destination of a recover task that is not submitted.
 * @param task recover task
 * @param recovered_data_blocks receives the missing blocks, in the order of the indices of the
 *   matrix; owned by the library from submission until the task completes
 * Since 2.5.
 */
DOCA_STABLE void doca_ec_task_recover_set_recovered_data_blocks(
	struct doca_ec_task_recover *task, struct doca_buf *recovered_data_blocks);

/**
 * Returns the destination of a recover task.
 * @param task recover task
 * @return the destination
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_ec_task_recover_get_recovered_data(
	const struct doca_ec_task_recover *task);

DOCA_ELSEWHERE(doca_ec_job_get_supported, "in 2.2: use doca_ec_cap_task_create_is_supported");
DOCA_ELSEWHERE(doca_ec_matrix_from_raw, "in 2.2: use doca_ec_matrix_create_from_raw");

#ifdef __cplusplus
}
#endif

#endif
