/*
 * Erasure coding: redundancy blocks and their use, by an engine of a card.
 *
 * A program on a card creates an object on a device, enables kinds of tasks with *_set_conf,
 * connects doca_ec_as_ctx() to an engine, starts it, makes a matrix, and allocates and submits
 * tasks.
 *
 * No device of this runtime has such an engine. The capability queries and doca_ec_create()
 * return DOCA_ERROR_NOT_SUPPORTED for every device, as they do for a card without the engine, so
 * that a program that asks first does the work on the processor. Objects and tasks cannot exist:
 * a call that takes one returns DOCA_ERROR_NOT_SUPPORTED, a getter returns NULL or 0, and a setter
 * changes nothing. All of them record a sentence for dococ_last_error().
 *
 * Threads: any thread.
 *
 * Example: ask first, and encode on the processor if no engine can do it.
 *
 *     #include <stdbool.h>
 *
 *     bool has_engine(const struct doca_devinfo *info, uint64_t block_size)
 *     {
 *         uint64_t max_size;
 *
 *         return doca_ec_cap_task_create_is_supported(info) == DOCA_SUCCESS &&
 *                doca_ec_cap_get_max_block_size(info, &max_size) == DOCA_SUCCESS &&
 *                block_size <= max_size;
 *     }
 */
#ifndef DOCA_ERASURE_CODING_H_
#define DOCA_ERASURE_CODING_H_

#include <inttypes.h>
#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 9)
#error "doca_erasure_coding.h is there from 2.9 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ec;        /* erasure coding library object */
struct doca_ec_matrix; /* coding, update or recover matrix */
struct doca_ec_task_galois_mul;
struct doca_ec_task_create;
struct doca_ec_task_update;
struct doca_ec_task_recover;
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/* Kinds of coding matrices. */
enum doca_ec_matrix_type { DOCA_EC_MATRIX_TYPE_CAUCHY = 1, DOCA_EC_MATRIX_TYPE_VANDERMONDE = 2 };

/* Runs when a galois mul task has completed. */
typedef void (*doca_ec_task_galois_mul_completion_cb_t)(struct doca_ec_task_galois_mul *task,
							union doca_data task_user_data,
							union doca_data ctx_user_data);

/**
 * Checks whether a device supports galois mul tasks. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has an erasure coding engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t
doca_ec_cap_task_galois_mul_is_supported(const struct doca_devinfo *devinfo);

/**
 * Enables galois mul tasks on an object.
 * @param ec erasure coding object
 * @param successful_task_completion_cb runs when a task succeeds
 * @param error_task_completion_cb runs when a task fails
 * @param num_tasks number of tasks that can be allocated at a time
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_task_galois_mul_set_conf(
	struct doca_ec *ec, doca_ec_task_galois_mul_completion_cb_t successful_task_completion_cb,
	doca_ec_task_galois_mul_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Allocates a galois mul task and sets it up.
 * @param ec erasure coding object
 * @param coding_matrix coding matrix, owned by the caller
 * @param src_buf source blocks, owned by the caller
 * @param dst_buf destination, owned by the caller
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_task_galois_mul_allocate_init(
	struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_ec_task_galois_mul **task);

/**
 * Returns a galois mul task as the task that doca_task_submit() takes.
 * @param task galois mul task
 * @return NULL: no such task can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_task *doca_ec_task_galois_mul_as_task(struct doca_ec_task_galois_mul *task);

/**
 * Sets the coding matrix of a galois mul task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_galois_mul_set_coding_matrix(
	struct doca_ec_task_galois_mul *task, const struct doca_ec_matrix *coding_matrix);

/**
 * Returns the coding matrix of a galois mul task.
 * Since 2.9.
 */
DOCA_STABLE const struct doca_ec_matrix *doca_ec_task_galois_mul_get_coding_matrix(
	const struct doca_ec_task_galois_mul *task);

/**
 * Sets the source of a galois mul task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_galois_mul_set_src_buf(struct doca_ec_task_galois_mul *task,
						     const struct doca_buf *src_buf);

/**
 * Returns the source of a galois mul task.
 * Since 2.9.
 */
DOCA_STABLE const struct doca_buf *doca_ec_task_galois_mul_get_src_buf(
	const struct doca_ec_task_galois_mul *task);

/**
 * Sets the destination of a galois mul task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_galois_mul_set_dst_buf(struct doca_ec_task_galois_mul *task,
						     struct doca_buf *dst_buf);

/**
 * Returns the destination of a galois mul task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf *doca_ec_task_galois_mul_get_dst_buf(
	const struct doca_ec_task_galois_mul *task);

/* Runs when a create task has completed. */
typedef void (*doca_ec_task_create_completion_cb_t)(struct doca_ec_task_create *task,
						    union doca_data task_user_data,
						    union doca_data ctx_user_data);

/**
 * Checks whether a device supports create tasks. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has an erasure coding engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_cap_task_create_is_supported(const struct doca_devinfo *devinfo);

/**
 * Enables create tasks on an object.
 * @param ec erasure coding object
 * @param successful_task_completion_cb runs when a task succeeds
 * @param error_task_completion_cb runs when a task fails
 * @param num_tasks number of tasks that can be allocated at a time
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_task_create_set_conf(
	struct doca_ec *ec, doca_ec_task_create_completion_cb_t successful_task_completion_cb,
	doca_ec_task_create_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Allocates a create task and sets it up.
 * @param ec erasure coding object
 * @param coding_matrix coding matrix, owned by the caller
 * @param original_data_blocks data blocks, owned by the caller
 * @param rdnc_blocks receives the redundancy blocks; owned by the caller
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_task_create_allocate_init(
	struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix,
	const struct doca_buf *original_data_blocks, struct doca_buf *rdnc_blocks,
	union doca_data user_data, struct doca_ec_task_create **task);

/**
 * Returns a create task as the task that doca_task_submit() takes.
 * @param task create task
 * @return NULL: no such task can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_task *doca_ec_task_create_as_task(struct doca_ec_task_create *task);

/**
 * Sets the coding matrix of a create task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_create_set_coding_matrix(struct doca_ec_task_create *task,
						       const struct doca_ec_matrix *coding_matrix);

/**
 * Returns the coding matrix of a create task.
 * Since 2.9.
 */
DOCA_STABLE const struct doca_ec_matrix *doca_ec_task_create_get_coding_matrix(
	const struct doca_ec_task_create *task);

/**
 * Sets the data blocks of a create task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_create_set_original_data_blocks(
	struct doca_ec_task_create *task, const struct doca_buf *original_data_blocks);

/**
 * Returns the data blocks of a create task.
 * Since 2.9.
 */
DOCA_STABLE const struct doca_buf *doca_ec_task_create_get_original_data_blocks(
	const struct doca_ec_task_create *task);

/**
 * Sets the redundancy blocks of a create task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_create_set_rdnc_blocks(struct doca_ec_task_create *task,
						     struct doca_buf *rdnc_blocks);

/**
 * Returns the redundancy blocks of a create task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf *doca_ec_task_create_get_rdnc_blocks(
	const struct doca_ec_task_create *task);

/* Runs when an update task has completed. */
typedef void (*doca_ec_task_update_completion_cb_t)(struct doca_ec_task_update *task,
						    union doca_data task_user_data,
						    union doca_data ctx_user_data);

/**
 * Checks whether a device supports update tasks. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has an erasure coding engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_cap_task_update_is_supported(const struct doca_devinfo *devinfo);

/**
 * Enables update tasks on an object.
 * @param ec erasure coding object
 * @param successful_task_completion_cb runs when a task succeeds
 * @param error_task_completion_cb runs when a task fails
 * @param num_tasks number of tasks that can be allocated at a time
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_task_update_set_conf(
	struct doca_ec *ec, doca_ec_task_update_completion_cb_t successful_task_completion_cb,
	doca_ec_task_update_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Allocates an update task and sets it up.
 * @param ec erasure coding object
 * @param update_matrix update matrix, owned by the caller
 * @param original_updated_and_rdnc_blocks old and new data blocks with the redundancy blocks,
 * owned by the caller
 * @param updated_rdnc_blocks receives the new redundancy blocks; owned by the caller
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t
doca_ec_task_update_allocate_init(struct doca_ec *ec, const struct doca_ec_matrix *update_matrix,
				  const struct doca_buf *original_updated_and_rdnc_blocks,
				  struct doca_buf *updated_rdnc_blocks, union doca_data user_data,
				  struct doca_ec_task_update **task);

/**
 * Returns an update task as the task that doca_task_submit() takes.
 * @param task update task
 * @return NULL: no such task can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_task *doca_ec_task_update_as_task(struct doca_ec_task_update *task);

/**
 * Sets the update matrix of an update task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_update_set_update_matrix(struct doca_ec_task_update *task,
						       const struct doca_ec_matrix *update_matrix);

/**
 * Returns the update matrix of an update task.
 * Since 2.9.
 */
DOCA_STABLE const struct doca_ec_matrix *doca_ec_task_update_get_update_matrix(
	const struct doca_ec_task_update *task);

/**
 * Sets the old and new blocks of an update task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_update_set_original_updated_and_rdnc_blocks(
	struct doca_ec_task_update *task, const struct doca_buf *original_updated_and_rdnc_blocks);

/**
 * Returns the old and new blocks of an update task.
 * Since 2.9.
 */
DOCA_STABLE const struct doca_buf *doca_ec_task_update_get_original_updated_and_rdnc_blocks(
	const struct doca_ec_task_update *task);

/**
 * Sets the new redundancy blocks of an update task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_update_set_updated_rdnc_blocks(struct doca_ec_task_update *task,
							     struct doca_buf *updated_rdnc_blocks);

/**
 * Returns the new redundancy blocks of an update task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf *doca_ec_task_update_get_updated_rdnc_blocks(
	const struct doca_ec_task_update *task);

/* Runs when a recover task has completed. */
typedef void (*doca_ec_task_recover_completion_cb_t)(struct doca_ec_task_recover *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/**
 * Checks whether a device supports recover tasks. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has an erasure coding engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_cap_task_recover_is_supported(const struct doca_devinfo *devinfo);

/**
 * Enables recover tasks on an object.
 * @param ec erasure coding object
 * @param successful_task_completion_cb runs when a task succeeds
 * @param error_task_completion_cb runs when a task fails
 * @param num_tasks number of tasks that can be allocated at a time
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_task_recover_set_conf(
	struct doca_ec *ec, doca_ec_task_recover_completion_cb_t successful_task_completion_cb,
	doca_ec_task_recover_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Allocates a recover task and sets it up.
 * @param ec erasure coding object
 * @param recover_matrix recover matrix, owned by the caller
 * @param available_blocks blocks that are left, owned by the caller
 * @param recovered_data_blocks receives the lost data blocks; owned by the caller
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_task_recover_allocate_init(
	struct doca_ec *ec, const struct doca_ec_matrix *recover_matrix,
	const struct doca_buf *available_blocks, struct doca_buf *recovered_data_blocks,
	union doca_data user_data, struct doca_ec_task_recover **task);

/**
 * Returns a recover task as the task that doca_task_submit() takes.
 * @param task recover task
 * @return NULL: no such task can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_task *doca_ec_task_recover_as_task(struct doca_ec_task_recover *task);

/**
 * Sets the recover matrix of a recover task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_recover_set_recover_matrix(
	struct doca_ec_task_recover *task, const struct doca_ec_matrix *recover_matrix);

/**
 * Returns the recover matrix of a recover task.
 * Since 2.9.
 */
DOCA_STABLE const struct doca_ec_matrix *doca_ec_task_recover_get_recover_matrix(
	const struct doca_ec_task_recover *task);

/**
 * Sets the blocks that are left of a recover task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_recover_set_available_blocks(struct doca_ec_task_recover *task,
							   const struct doca_buf *available_blocks);

/**
 * Returns the blocks that are left of a recover task.
 * Since 2.9.
 */
DOCA_STABLE const struct doca_buf *doca_ec_task_recover_get_available_blocks(
	const struct doca_ec_task_recover *task);

/**
 * Sets the buffer for the lost blocks of a recover task.
 * Since 2.9.
 */
DOCA_STABLE void doca_ec_task_recover_set_recovered_data_blocks(
	struct doca_ec_task_recover *task, struct doca_buf *recovered_data_blocks);

/**
 * Returns the buffer for the lost blocks of a recover task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf *doca_ec_task_recover_get_recovered_data(
	const struct doca_ec_task_recover *task);

/**
 * Creates an erasure coding object on a device.
 * @param dev open device
 * @param ec receives the object; release it with doca_ec_destroy
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has an erasure coding engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_create(struct doca_dev *dev, struct doca_ec **ec);

/**
 * Destroys an erasure coding object and its context.
 * @param ec erasure coding object
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: ec is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_destroy(struct doca_ec *ec);

/**
 * Returns the context of an erasure coding object.
 * @param ec erasure coding object
 * @return NULL: no such object can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ec);

/**
 * Gets the size of the largest block.
 * @param devinfo device to query
 * @param max_block_size receives the size in bytes
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has an erasure coding engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_cap_get_max_block_size(const struct doca_devinfo *devinfo,
							uint64_t *max_block_size);

/**
 * Gets the largest number of elements in the buffer list of a task.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has an erasure coding engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len);

/**
 * Makes the coding matrix of a kind.
 * @param ec erasure coding object
 * @param type kind of matrix
 * @param data_block_count number of data blocks
 * @param rdnc_block_count number of redundancy blocks
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create(struct doca_ec *ec, enum doca_ec_matrix_type type,
					       size_t data_block_count, size_t rdnc_block_count,
					       struct doca_ec_matrix **matrix);

/**
 * Makes a coding matrix of the given bytes.
 * @param ec erasure coding object
 * @param data bytes of the matrix; only read during the call
 * @param data_block_count number of data blocks
 * @param rdnc_block_count number of redundancy blocks
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create_from_raw(struct doca_ec *ec, uint8_t *data,
							size_t data_block_count,
							size_t rdnc_block_count,
							struct doca_ec_matrix **matrix);

/**
 * Makes the matrix that updates redundancy blocks after data blocks have changed.
 * @param ec erasure coding object
 * @param coding_matrix coding matrix, owned by the caller
 * @param update_indices indices of the data blocks that change
 * @param n_updates number of indices
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create_update(struct doca_ec *ec,
						      const struct doca_ec_matrix *coding_matrix,
						      uint32_t update_indices[], size_t n_updates,
						      struct doca_ec_matrix **matrix);

/**
 * Makes the matrix that recovers lost blocks.
 * @param ec erasure coding object
 * @param coding_matrix coding matrix, owned by the caller
 * @param missing_indices indices of the blocks that are lost
 * @param n_missing number of indices
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create_recover(struct doca_ec *ec,
						       const struct doca_ec_matrix *coding_matrix,
						       uint32_t missing_indices[], size_t n_missing,
						       struct doca_ec_matrix **matrix);

/**
 * Destroys a matrix.
 * @param matrix matrix
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: matrix is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no matrix can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_destroy(struct doca_ec_matrix *matrix);

#ifdef __cplusplus
}
#endif

#endif
