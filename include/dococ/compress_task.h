/*
 * Compression, from 2.5 on. Included by doca_compress.h, whose comment has the rules for states,
 * errors and threads.
 *
 * Use an object in this order: create it on a device, configure the kinds of tasks that are wanted,
 * connect doca_compress_as_ctx() to an engine, start it, allocate and submit tasks. The work is
 * done during progress.
 *
 * A task reads the data sections of its source list as one piece of data, and appends its output to
 * its destination. When the task succeeds, the data length of the destination grows by the length
 * of the output. Neither the source nor the output may be longer than the largest buffer of the
 * device.
 *
 * - compress deflate: the output is a raw DEFLATE stream (RFC 1951), without the header and trailer
 *   of zlib or gzip.
 * - decompress deflate: the source is such a stream. Bytes behind its final block are ignored.
 * - decompress lz4 stream: the source is the sequence of blocks of an LZ4 frame, each with its
 *   size, but without the frame's header, end mark and content checksum.
 * - decompress lz4 block: the source is the data of one LZ4 block, without a size.
 *
 * Checksums are of the uncompressed data. They are valid once the task has succeeded.
 *
 * If a task fails because its source is corrupt or its output does not fit, the context continues.
 * After any other failure the context stops, like after an error of a hardware queue: free the
 * tasks, progress until the context is IDLE, and start it again.
 *
 * Status of a failed task, from doca_task_get_status():
 *
 * - DOCA_ERROR_IO_FAILED: the source is corrupt, the output is longer than the room of the
 *   destination, the transfer failed, the exporter stopped its map or ended, or an argument is
 *   wrong. In the callback, dococ_last_error() says which. doca_task_try_submit() reports wrong
 *   arguments before the submission.
 * - DOCA_ERROR_NOT_PERMITTED: a memory map does not permit the access, or the kernel does not
 *   permit access to the exporter's memory.
 * - DOCA_ERROR_BAD_STATE: a memory map is not started.
 * - DOCA_ERROR_SHUTDOWN: the context was stopped.
 */
#ifndef DOCA_COMPRESS_TASK_H_
#define DOCA_COMPRESS_TASK_H_

#include <doca_compress.h>

#if DOCA_API_WORKQ
#error "dococ/compress_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_compress.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_compress_task_compress_deflate;
struct doca_compress_task_decompress_deflate;
struct doca_compress_task_decompress_lz4_stream;
struct doca_compress_task_decompress_lz4_block;
struct doca_task;

/**
 * Creates a compress object on a device.
 * @param dev open device; must stay open until the object is destroyed
 * @param compress receives the object; release it with doca_compress_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the device supports no kind of compress task; query it with
 *   doca_compress_cap_task_*_is_supported() first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_create(struct doca_dev *dev, struct doca_compress **compress)
	DOCA_BIND(doca_compress_create, 2_5);

/**
 * Gets the largest number of tasks of one kind that an object can have.
 * @param compress compress object
 * @param max_num_tasks receives the number
 * @return DOCA_SUCCESS
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_compress_cap_get_max_num_tasks(struct doca_compress *compress,
							     uint32_t *max_num_tasks);

/*
 * Called when a compress deflate task has completed, with the user data of the task and of the
 * context. Runs inside doca_pe_progress().
 */
typedef void (*doca_compress_task_compress_deflate_completion_cb_t)(
	struct doca_compress_task_compress_deflate *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports compress deflate tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_compress_deflate_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest source, and of the largest output, of a compress deflate task, all
 * elements of a list together.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes; under the profile "unlimited" it is the limit
 *   of real cards, but larger buffers are accepted
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in a list of a compress deflate task, source or destination.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Configures the compress deflate tasks of an object: their callbacks and their number. Without
 * this call none can be allocated.
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
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_task_compress_deflate_set_conf(
	struct doca_compress *compress,
	doca_compress_task_compress_deflate_completion_cb_t task_completion_cb,
	doca_compress_task_compress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a compress deflate task from the pool and sets its arguments.
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
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_task_compress_deflate_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_compress_deflate **task);

/**
 * Returns a compress deflate task as a general task, for submission.
 * @param task compress deflate task
 * @return the same task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_compress_task_compress_deflate_as_task(
	struct doca_compress_task_compress_deflate *task);

/**
 * Sets the source of a compress deflate task. If an argument is NULL, nothing changes.
 * @param task compress deflate task
 * @param src_buff as for the allocation
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_compress_task_compress_deflate_set_src(
	struct doca_compress_task_compress_deflate *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a compress deflate task.
 * @param task compress deflate task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_compress_deflate_get_src(
	const struct doca_compress_task_compress_deflate *task);

/**
 * Sets the destination of a compress deflate task. If an argument is NULL, nothing changes.
 * @param task compress deflate task
 * @param dst_buff as for the allocation
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_compress_task_compress_deflate_set_dst(
	struct doca_compress_task_compress_deflate *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a compress deflate task.
 * @param task compress deflate task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_compress_deflate_get_dst(
	const struct doca_compress_task_compress_deflate *task);

/**
 * Returns the CRC-32 of the uncompressed data of a compress deflate task: the checksum of gzip.
 * @param task compress deflate task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.5.
 */
DOCA_STABLE uint32_t doca_compress_task_compress_deflate_get_crc_cs(
	const struct doca_compress_task_compress_deflate *task);

/**
 * Returns the Adler-32 of the uncompressed data of a compress deflate task: the checksum of zlib.
 * @param task compress deflate task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.5.
 */
DOCA_STABLE uint32_t doca_compress_task_compress_deflate_get_adler_cs(
	const struct doca_compress_task_compress_deflate *task);

/*
 * Called when a decompress deflate task has completed, with the user data of the task and of the
 * context. Runs inside doca_pe_progress().
 */
typedef void (*doca_compress_task_decompress_deflate_completion_cb_t)(
	struct doca_compress_task_decompress_deflate *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports decompress deflate tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_decompress_deflate_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest source, and of the largest output, of a decompress deflate task, all
 * elements of a list together.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes; under the profile "unlimited" it is the limit
 *   of real cards, but larger buffers are accepted
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in a list of a decompress deflate task, source or
 * destination.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Configures the decompress deflate tasks of an object: their callbacks and their number. Without
 * this call none can be allocated.
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
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_deflate_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_deflate_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a decompress deflate task from the pool and sets its arguments.
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
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_deflate_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_deflate **task);

/**
 * Returns a decompress deflate task as a general task, for submission.
 * @param task decompress deflate task
 * @return the same task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_compress_task_decompress_deflate_as_task(
	struct doca_compress_task_decompress_deflate *task);

/**
 * Sets the source of a decompress deflate task. If an argument is NULL, nothing changes.
 * @param task decompress deflate task
 * @param src_buff as for the allocation
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_compress_task_decompress_deflate_set_src(
	struct doca_compress_task_decompress_deflate *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a decompress deflate task.
 * @param task decompress deflate task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_decompress_deflate_get_src(
	const struct doca_compress_task_decompress_deflate *task);

/**
 * Sets the destination of a decompress deflate task. If an argument is NULL, nothing changes.
 * @param task decompress deflate task
 * @param dst_buff as for the allocation
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_compress_task_decompress_deflate_set_dst(
	struct doca_compress_task_decompress_deflate *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a decompress deflate task.
 * @param task decompress deflate task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_decompress_deflate_get_dst(
	const struct doca_compress_task_decompress_deflate *task);

/**
 * Returns the CRC-32 of the uncompressed data of a decompress deflate task: the checksum of gzip.
 * @param task decompress deflate task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.5.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_deflate_get_crc_cs(
	const struct doca_compress_task_decompress_deflate *task);

/**
 * Returns the Adler-32 of the uncompressed data of a decompress deflate task: the checksum of zlib.
 * @param task decompress deflate task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.5.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_deflate_get_adler_cs(
	const struct doca_compress_task_decompress_deflate *task);

/*
 * Called when a decompress lz4 stream task has completed, with the user data of the task and of the
 * context. Runs inside doca_pe_progress().
 */
typedef void (*doca_compress_task_decompress_lz4_stream_completion_cb_t)(
	struct doca_compress_task_decompress_lz4_stream *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports decompress lz4 stream tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_decompress_lz4_stream_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest source, and of the largest output, of a decompress lz4 stream task,
 * all elements of a list together.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes; under the profile "unlimited" it is the limit
 *   of real cards, but larger buffers are accepted
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in a list of a decompress lz4 stream task, source or
 * destination.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Configures the decompress lz4 stream tasks of an object: their callbacks and their number.
 * Without this call none can be allocated.
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
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_stream_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_stream_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_stream_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a decompress lz4 stream task from the pool and sets its arguments.
 * @param compress compress object
 * @param has_block_checksum 1 if each block is followed by its checksum, else 0
 * @param are_blocks_independent 1 if no block refers to an earlier one, else 0
 * @param src_buff head of a buffer list, or a single buffer, to read; owned by the library from
 *   submission until the task completes
 * @param dst_buff head of a buffer list, or a single buffer, to append the output to; owned by the
 *   library from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_stream_alloc_init(
	struct doca_compress *compress, uint8_t has_block_checksum, uint8_t are_blocks_independent,
	struct doca_buf const *src_buff, struct doca_buf *dst_buff, union doca_data user_data,
	struct doca_compress_task_decompress_lz4_stream **task);

/**
 * Returns a decompress lz4 stream task as a general task, for submission.
 * @param task decompress lz4 stream task
 * @return the same task; NULL if task is NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_task *doca_compress_task_decompress_lz4_stream_as_task(
	struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Sets the block checksum flag of a decompress lz4 stream task.
 * @param task decompress lz4 stream task
 * @param has_block_checksum as for the allocation
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_stream_set_has_block_checksum(
	struct doca_compress_task_decompress_lz4_stream *task, uint8_t has_block_checksum);

/**
 * Returns the block checksum flag of a decompress lz4 stream task.
 * @param task decompress lz4 stream task; must not be NULL
 * @return the flag as it was set
 * Since 2.7.
 */
DOCA_STABLE uint8_t doca_compress_task_decompress_lz4_stream_get_has_block_checksum(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Sets the block independence flag of a decompress lz4 stream task.
 * @param task decompress lz4 stream task
 * @param are_blocks_independent as for the allocation
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(
	struct doca_compress_task_decompress_lz4_stream *task, uint8_t are_blocks_independent);

/**
 * Returns the block independence flag of a decompress lz4 stream task.
 * @param task decompress lz4 stream task; must not be NULL
 * @return the flag as it was set
 * Since 2.7.
 */
DOCA_STABLE uint8_t doca_compress_task_decompress_lz4_stream_get_are_blocks_independent(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Sets the source of a decompress lz4 stream task. If an argument is NULL, nothing changes.
 * @param task decompress lz4 stream task
 * @param src_buff as for the allocation
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_stream_set_src(
	struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a decompress lz4 stream task.
 * @param task decompress lz4 stream task; must not be NULL
 * @return the buffer as it was set
 * Since 2.7.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_decompress_lz4_stream_get_src(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Sets the destination of a decompress lz4 stream task. If an argument is NULL, nothing changes.
 * @param task decompress lz4 stream task
 * @param dst_buff as for the allocation
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_stream_set_dst(
	struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a decompress lz4 stream task.
 * @param task decompress lz4 stream task; must not be NULL
 * @return the buffer as it was set
 * Since 2.7.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_decompress_lz4_stream_get_dst(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Returns the CRC-32 of the uncompressed data of a decompress lz4 stream task: the checksum of
 * gzip.
 * @param task decompress lz4 stream task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.7.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_stream_get_crc_cs(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Returns the XXH32, with seed 0, of the uncompressed data of a decompress lz4 stream task, in
 * big-endian byte order: htobe32() of the number that le32toh() reads from the content checksum of
 * an LZ4 frame.
 * @param task decompress lz4 stream task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.7.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_stream_get_xxh_cs(
	const struct doca_compress_task_decompress_lz4_stream *task);

/*
 * Called when a decompress lz4 block task has completed, with the user data of the task and of the
 * context. Runs inside doca_pe_progress().
 */
typedef void (*doca_compress_task_decompress_lz4_block_completion_cb_t)(
	struct doca_compress_task_decompress_lz4_block *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports decompress lz4 block tasks. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support them.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_decompress_lz4_block_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest source, and of the largest output, of a decompress lz4 block task,
 * all elements of a list together.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes; under the profile "unlimited" it is the limit
 *   of real cards, but larger buffers are accepted
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in a list of a decompress lz4 block task, source or
 * destination.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Configures the decompress lz4 block tasks of an object: their callbacks and their number. Without
 * this call none can be allocated.
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
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_block_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_block_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_block_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a decompress lz4 block task from the pool and sets its arguments.
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
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_block_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_lz4_block **task);

/**
 * Returns a decompress lz4 block task as a general task, for submission.
 * @param task decompress lz4 block task
 * @return the same task; NULL if task is NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_task *doca_compress_task_decompress_lz4_block_as_task(
	struct doca_compress_task_decompress_lz4_block *task);

/**
 * Sets the source of a decompress lz4 block task. If an argument is NULL, nothing changes.
 * @param task decompress lz4 block task
 * @param src_buff as for the allocation
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_block_set_src(
	struct doca_compress_task_decompress_lz4_block *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a decompress lz4 block task.
 * @param task decompress lz4 block task; must not be NULL
 * @return the buffer as it was set
 * Since 2.7.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_decompress_lz4_block_get_src(
	const struct doca_compress_task_decompress_lz4_block *task);

/**
 * Sets the destination of a decompress lz4 block task. If an argument is NULL, nothing changes.
 * @param task decompress lz4 block task
 * @param dst_buff as for the allocation
 * States: not submitted.
 * Since 2.7.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_block_set_dst(
	struct doca_compress_task_decompress_lz4_block *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a decompress lz4 block task.
 * @param task decompress lz4 block task; must not be NULL
 * @return the buffer as it was set
 * Since 2.7.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_decompress_lz4_block_get_dst(
	const struct doca_compress_task_decompress_lz4_block *task);

/**
 * Returns the CRC-32 of the uncompressed data of a decompress lz4 block task: the checksum of gzip.
 * @param task decompress lz4 block task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.7.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_block_get_crc_cs(
	const struct doca_compress_task_decompress_lz4_block *task);

/**
 * Returns the XXH32, with seed 0, of the uncompressed data of a decompress lz4 block task, in
 * big-endian byte order: htobe32() of the number that le32toh() reads from the content checksum of
 * an LZ4 frame.
 * @param task decompress lz4 block task that has succeeded; must not be NULL
 * @return the checksum
 * Since 2.7.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_block_get_xxh_cs(
	const struct doca_compress_task_decompress_lz4_block *task);

DOCA_ELSEWHERE(doca_compress_job_get_supported,
	       "up to 2.2: use doca_compress_cap_task_compress_deflate_is_supported and its like");

#ifdef __cplusplus
}
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 9)
#include <dococ/compress_former.h>
#endif

#endif
