/*
 * Compression of 2.5 to 2.8: LZ4 tasks of these versions, which do not distinguish between streams
 * and blocks. Included by doca_compress.h, whose comment has the rules for states, errors and
 * threads.
 *
 * The source of a decompress lz4 task is the data of one LZ4 block, as for
 * doca_compress_task_decompress_lz4_block_alloc_init(). The checksums are those of the DEFLATE
 * tasks.
 */
#ifndef DOCA_COMPRESS_FORMER_H_
#define DOCA_COMPRESS_FORMER_H_

#include <doca_compress.h>

#if !DOCA_API_BETWEEN(205, 208)
#error "dococ/compress_former.h is for programs of 2.5 to 2.8: include doca_compress.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_compress_task_decompress_lz4;

#if DOCA_API_BETWEEN(205, 205)
/**
 * Gets the largest number of tasks of one kind that an object can have.
 * @param compress compress object
 * @param max_num_tasks receives the number
 * @return DOCA_SUCCESS
 * In 2.5 only; replaced by doca_compress_cap_get_max_num_tasks.
 */
DOCA_STABLE doca_error_t doca_compress_get_max_num_tasks(struct doca_compress *compress,
							 uint32_t *max_num_tasks);
#endif

/*
 * Called when a decompress lz4 task has completed, with the user data of the task and of the
 * context. Runs inside doca_pe_progress().
 */
typedef void (*doca_compress_task_decompress_lz4_completion_cb_t)(
	struct doca_compress_task_decompress_lz4 *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports decompress lz4 tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_decompress_lz4_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest source, and of the largest output, of a decompress lz4 task, all
 * elements of a list together.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes; under the profile "unlimited" it is the limit
 *   of real cards, but larger buffers are accepted
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in a list of a decompress lz4 task, source or destination.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Configures the decompress lz4 tasks of an object: their callbacks and their number. Without this
 * call none can be allocated.
 * @param compress compress object
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each task that failed, with a status of the list at the top
 * @param num_tasks number of tasks that can be allocated at a time
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0, or exceeds the result of
 *   doca_compress_cap_get_max_num_tasks().
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a decompress lz4 task from the pool and sets its arguments.
 * @param compress compress object
 * @param src_buff head of a buffer list, or a single buffer, to read; owned by the library from
 *   submission until the task completes
 * @param dst_buff head of a buffer list, or a single buffer, to append the output to; owned by the
 *   library from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_lz4 **task);

/**
 * Returns a decompress lz4 task as a general task, for submission.
 * @param task decompress lz4 task
 * @return the same task; NULL if task is NULL
 * Since 2.5, until 2.8.
 */
DOCA_STABLE struct doca_task *doca_compress_task_decompress_lz4_as_task(
	struct doca_compress_task_decompress_lz4 *task);

/**
 * Sets the source of a decompress lz4 task. If an argument is NULL, nothing changes.
 * @param task decompress lz4 task
 * @param src_buff as for the allocation
 * States: not submitted.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_set_src(
	struct doca_compress_task_decompress_lz4 *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a decompress lz4 task.
 * @param task decompress lz4 task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5, until 2.8.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_decompress_lz4_get_src(
	const struct doca_compress_task_decompress_lz4 *task);

/**
 * Sets the destination of a decompress lz4 task. If an argument is NULL, nothing changes.
 * @param task decompress lz4 task
 * @param dst_buff as for the allocation
 * States: not submitted.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_set_dst(
	struct doca_compress_task_decompress_lz4 *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a decompress lz4 task.
 * @param task decompress lz4 task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5, until 2.8.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_decompress_lz4_get_dst(
	const struct doca_compress_task_decompress_lz4 *task);

/**
 * Returns the CRC-32 of the uncompressed data of a decompress lz4 task: the checksum of gzip.
 * @param task decompress lz4 task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.5, until 2.8.
 */
DOCA_STABLE uint32_t
doca_compress_task_decompress_lz4_get_crc_cs(const struct doca_compress_task_decompress_lz4 *task);

/**
 * Returns the Adler-32 of the uncompressed data of a decompress lz4 task: the checksum of zlib.
 * @param task decompress lz4 task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.5, until 2.8.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_get_adler_cs(
	const struct doca_compress_task_decompress_lz4 *task);

#ifdef __cplusplus
}
#endif

#endif
