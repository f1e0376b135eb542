/*
 * Compression, in 2.2. Included by doca_compress.h.
 *
 * Use an object in this order: create it, add a device to its context (doca_compress_as_ctx()),
 * start it, add a work queue, and submit jobs. The event of a job has the job's type, and its
 * result.u64 is a doca_error_t. A failed job stops neither the context nor other jobs.
 *
 * A job reads the data sections of its source list as one piece of data, and appends its output to
 * its destination. DEFLATE streams are raw, without the header and trailer of zlib or gzip. The
 * source of an LZ4 job is the data of one LZ4 block.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Threads: jobs are used by the thread of their work queue. Other calls may be made from any
 * thread.
 *
 * Reference: DOCA Compress guide.
 */
#ifndef DOCA_COMPRESS_WORKQ_H_
#define DOCA_COMPRESS_WORKQ_H_

#include <doca_ctx.h>
#include <dococ/ctx_workq.h>
#include <doca_compress.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "dococ/compress_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_compress.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum doca_compress_job_types {
	DOCA_COMPRESS_DEFLATE_JOB = DOCA_ACTION_COMPRESS_FIRST + 1,
	DOCA_DECOMPRESS_DEFLATE_JOB = DOCA_ACTION_COMPRESS_FIRST + 2,
	DOCA_DECOMPRESS_LZ4_JOB = DOCA_ACTION_COMPRESS_FIRST + 3,
};

/* A job of the types COMPRESS_DEFLATE and DECOMPRESS_DEFLATE. */
struct doca_compress_deflate_job {
	struct doca_job base;
	struct doca_buf *dst_buff;       /* head of a list, or a single buffer, for the output */
	struct doca_buf const *src_buff; /* head of a list, or a single buffer, to read */
	/* Receives the checksums of the uncompressed data, unless it is NULL: the CRC-32 in the
	 * lower half, the Adler-32 in the upper half. */
	uint64_t *output_chksum;
};

/* A job of the type DECOMPRESS_LZ4. */
struct doca_compress_lz4_job {
	struct doca_job base;
	struct doca_buf *dst_buff;       /* as for DEFLATE */
	struct doca_buf const *src_buff; /* as for DEFLATE */
	uint64_t *output_chksum;         /* as for DEFLATE */
};

#if DOCA_API_WORKQ
/**
 * Creates a compress object.
 * @param compress receives the object; release it with doca_compress_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * In 2.2 only.
 */
DOCA_STABLE doca_error_t doca_compress_create(struct doca_compress **compress)
	DOCA_BIND(doca_compress_create, 2_2);
#endif

/**
 * Checks whether a device supports a type of job. The return code is the answer.
 * @param devinfo device to query
 * @param job_type type of the job
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * In 2.2 only; replaced by doca_compress_cap_task_*_is_supported.
 */
DOCA_STABLE doca_error_t doca_compress_job_get_supported(struct doca_devinfo *devinfo,
							 enum doca_compress_job_types job_type);

/**
 * Gets the size of the largest source, and of the largest output, of a job, all elements of a list
 * together.
 * @param devinfo device to query
 * @param job_type type of the job
 * @param max_buffer_size receives the size in bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support the type.
 * In 2.2 only; replaced by doca_compress_cap_task_*_get_max_buf_size.
 */
DOCA_STABLE doca_error_t doca_compress_get_max_buf_size(const struct doca_devinfo *devinfo,
							enum doca_compress_job_types job_type,
							uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in the buffer list of a job, source or destination.
 * @param devinfo device to query
 * @param max_list_num_elem receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device supports no type of job.
 * In 2.2 only; replaced by doca_compress_cap_task_*_get_max_buf_list_len.
 */
DOCA_STABLE doca_error_t doca_compress_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
								 uint32_t *max_list_num_elem);

DOCA_ELSEWHERE(doca_compress_task_compress_deflate_set_conf,
	       "from 2.5 on: submit a struct doca_compress_deflate_job");
DOCA_ELSEWHERE(doca_compress_cap_task_compress_deflate_is_supported,
	       "from 2.5 on: use doca_compress_job_get_supported");

#ifdef __cplusplus
}
#endif

#endif
