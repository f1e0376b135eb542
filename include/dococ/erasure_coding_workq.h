/*
 * Erasure coding, in 2.2. Included by doca_erasure_coding.h.
 *
 * Use an object in this order: create it, add a device to its context (doca_ec_as_ctx()), start it,
 * add a work queue, create a matrix, and submit jobs. The event of a job has the job's type, and
 * its result.u64 is a doca_error_t. A failed job stops neither the context nor other jobs, and the
 * data lengths of its destination do not change.
 *
 * Matrices belong to the object and may be used by jobs in all of its work queues. They may be
 * created in every state. Once the context has a device, the limits of the device hold for new
 * matrices.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Threads: jobs are submitted by the thread of their work queue. Other calls may be made from one
 * thread at a time per object.
 *
 * Reference: DOCA Erasure Coding guide.
 */
#ifndef DOCA_ERASURE_CODING_WORKQ_H_
#define DOCA_ERASURE_CODING_WORKQ_H_

#include <doca_ctx.h>
#include <dococ/ctx_workq.h>
#include <doca_erasure_coding.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "dococ/erasure_coding_workq.h is there up to 2.2: include doca_erasure_coding.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_matrix; /* coding, update or recover matrix */

enum doca_ec_job_types {
	DOCA_EC_JOB_GALOIS_MUL = DOCA_ACTION_EC_FIRST + 1, /* multiplies a matrix by blocks */
	DOCA_EC_JOB_CREATE = DOCA_ACTION_EC_FIRST + 2,     /* computes redundancy blocks */
	DOCA_EC_JOB_UPDATE = DOCA_ACTION_EC_FIRST + 3,     /* updates redundancy blocks */
	DOCA_EC_JOB_RECOVER = DOCA_ACTION_EC_FIRST + 4,    /* recovers lost blocks */
};

/* Kinds of coding matrices. With a CAUCHY matrix, any blocks can be lost and recovered, up to the
 * number of redundancy blocks. In a VANDERMONDE matrix, the coefficient of data block i in
 * redundancy block j is (i + 1)^j. It recovers any lost data blocks, up to the number of redundancy
 * blocks, if no redundancy block is lost. With more than 3 redundancy blocks, it may be unable to
 * recover a loss of data and redundancy blocks together. */
enum doca_ec_matrix_types {
	DOCA_CODING_MATRIX_CAUCHY = 1,
	DOCA_CODING_MATRIX_VANDERMONDE = 2,
};

/* A job of type GALOIS_MUL. */
struct doca_ec_job {
	struct doca_job base;
	struct doca_matrix *coding_matrix; /* matrix of any kind */
	struct doca_buf const *src_buff;   /* one block per column of the matrix */
	struct doca_buf *dst_buff;         /* receives one block per row of the matrix */
};

/* A job of type CREATE. */
struct doca_ec_job_create {
	struct doca_job base;
	struct doca_matrix *create_matrix;             /* coding matrix */
	struct doca_buf const *src_original_data_buff; /* all data blocks */
	struct doca_buf *dst_rdnc_buff;                /* receives the redundancy blocks */
};

/* A job of type UPDATE. */
struct doca_ec_job_update {
	struct doca_job base;
	struct doca_matrix *update_matrix; /* update matrix, or matrix from coefficients */
	/* For each changed data block, in the order of the indices of the matrix, its old and then
	 * its new content; then all redundancy blocks. */
	struct doca_buf const *src_data_rdnc_buff;
	struct doca_buf *dst_updated_rdnc_buff; /* receives all new redundancy blocks */
};

/* A job of type RECOVER. */
struct doca_ec_job_recover {
	struct doca_job base;
	/* Recover matrix, matrix from coefficients, or VANDERMONDE matrix with one redundancy
	 * block, which recovers any one block. */
	struct doca_matrix *recover_matrix;
	/* As many of the remaining blocks as the code has data blocks: those with the lowest
	 * numbers, in order. */
	struct doca_buf const *src_remaining_data_buff;
	/* Receives the missing blocks, in the order of the indices of the matrix. */
	struct doca_buf *dst_recovered_data_buff;
};

#if DOCA_API_WORKQ
/**
 * Creates an erasure coding object.
 * @param ec receives the object; release it with doca_ec_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the library was built without ISA-L.
 * In 2.2 only.
 */
DOCA_STABLE doca_error_t doca_ec_create(struct doca_ec **ec) DOCA_BIND(doca_ec_create, 2_2);

/**
 * Creates a coding matrix.
 * @param ctx erasure coding object
 * @param type kind of matrix
 * @param data_block_count number of data blocks
 * @param rdnc_block_count number of redundancy blocks; together with the data blocks at most 256
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist, a number of blocks is 0, or the device does
 *   not allow that many.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.2.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_create(struct doca_ec *ctx, enum doca_ec_matrix_types type,
					       size_t data_block_count, size_t rdnc_block_count,
					       struct doca_matrix **matrix);

/**
 * Destroys a matrix.
 * @param matrix matrix
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a job in flight uses the matrix; retrieve its event first.
 * Since 2.2.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_destroy(struct doca_matrix *matrix);
#endif

/**
 * Checks whether a device supports a type of job. The return code is the answer.
 * @param devinfo device to query
 * @param job_type type of the job
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * In 2.2 only; replaced by doca_ec_cap_task_*_is_supported.
 */
DOCA_STABLE doca_error_t doca_ec_job_get_supported(struct doca_devinfo *devinfo,
						   enum doca_ec_job_types job_type);

/**
 * Gets the size of the largest block of a job.
 * @param devinfo device to query
 * @param job_type type of the job
 * @param max_buffer_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support erasure coding.
 * In 2.2 only; replaced by doca_ec_cap_get_max_block_size.
 */
DOCA_STABLE doca_error_t doca_ec_get_max_buffer_size(const struct doca_devinfo *devinfo,
						     enum doca_ec_job_types job_type,
						     uint32_t *max_buffer_size);

/**
 * Gets the largest number of elements in the buffer list of a job, source or destination.
 * @param devinfo device to query
 * @param max_list_num_elem receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support erasure coding.
 * In 2.2 only; replaced by doca_ec_cap_get_max_buf_list_len.
 */
DOCA_STABLE doca_error_t doca_ec_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
							   uint32_t *max_list_num_elem);

/**
 * Creates a matrix from coefficients, elements of GF(2^8) with the polynomial 0x11d. It may be a
 * coding, an update or a recover matrix: jobs of all kinds accept it. If it has more columns than a
 * code can have data blocks, it is an update matrix, and only update and galois mul jobs accept it.
 * @param ctx erasure coding object
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
 * In 2.2 only; replaced by doca_ec_matrix_create_from_raw.
 */
DOCA_STABLE doca_error_t doca_ec_matrix_from_raw(struct doca_ec *ctx, uint8_t *data,
						 size_t data_block_count, size_t rdnc_block_count,
						 struct doca_matrix **matrix);

/**
 * Creates the matrix that changes redundancy blocks after data blocks have changed.
 * @param coding_matrix coding matrix of the object; need not exist after the call
 * @param ctx erasure coding object
 * @param update_indices distinct numbers of the data blocks that change; the blocks of a job are in
 *   this order, each with its old and then its new content
 * @param n_updates number of indices
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: coding_matrix is not a coding matrix of the object, there are no
 *   indices, or they are not distinct numbers of data blocks.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * In 2.2 only; replaced by doca_ec_matrix_create_update.
 */
DOCA_STABLE doca_error_t doca_ec_update_matrix_create(const struct doca_matrix *coding_matrix,
						      struct doca_ec *ctx,
						      uint32_t update_indices[], size_t n_updates,
						      struct doca_matrix **matrix);

/**
 * Creates the matrix that recovers lost blocks.
 * @param coding_matrix coding matrix of the object; need not exist after the call
 * @param ctx erasure coding object
 * @param missing_indices distinct numbers of the lost blocks, of data or redundancy; the recovered
 *   blocks are in this order
 * @param n_missing number of indices, at most the number of redundancy blocks
 * @param matrix receives the matrix; release it with doca_ec_matrix_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: coding_matrix is not a coding matrix of the object, there are no
 *   indices or too many, they are not distinct numbers of blocks, or the blocks that are left do
 *   not determine the missing ones.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * In 2.2 only; replaced by doca_ec_matrix_create_recover.
 */
DOCA_STABLE doca_error_t doca_ec_recover_matrix_create(const struct doca_matrix *coding_matrix,
						       struct doca_ec *ctx,
						       uint32_t missing_indices[], size_t n_missing,
						       struct doca_matrix **matrix);

DOCA_ELSEWHERE(doca_ec_task_create_set_conf, "from 2.5 on: submit a struct doca_ec_job_create");
DOCA_ELSEWHERE(doca_ec_cap_task_create_is_supported, "from 2.5 on: use doca_ec_job_get_supported");

#ifdef __cplusplus
}
#endif

#endif
