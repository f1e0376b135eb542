/*
 * Compress: DEFLATE, and decompression of LZ4, by an engine of a card.
 *
 * A program on a card creates an object on a device, enables kinds of tasks with *_set_conf,
 * connects doca_compress_as_ctx() to an engine, starts it, and allocates and submits tasks.
 *
 * No device of this runtime has such an engine. The capability queries and doca_compress_create()
 * return DOCA_ERROR_NOT_SUPPORTED for every device, as they do for a card without the engine, so
 * that a program that asks first does the work on the processor. Objects and tasks cannot exist:
 * a call that takes one returns DOCA_ERROR_NOT_SUPPORTED, a getter returns NULL or 0, and a setter
 * changes nothing. All of them record a sentence for dococ_last_error().
 *
 * Threads: any thread.
 *
 * Example: ask first, and compress on the processor if no engine can do it.
 *
 *     #include <stdbool.h>
 *
 *     bool has_engine(const struct doca_devinfo *info, uint64_t len)
 *     {
 *         uint64_t max_len;
 *
 *         return doca_compress_cap_task_compress_deflate_is_supported(info) == DOCA_SUCCESS &&
 *                doca_compress_cap_task_compress_deflate_get_max_buf_size(info, &max_len) ==
 *                    DOCA_SUCCESS &&
 *                len <= max_len;
 *     }
 */
#ifndef DOCA_COMPRESS_H_
#define DOCA_COMPRESS_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 9)
#error "doca_compress.h is there from 2.9 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_compress; /* compress library object */
struct doca_compress_task_compress_deflate;
struct doca_compress_task_decompress_deflate;
struct doca_compress_task_decompress_lz4_stream;
struct doca_compress_task_decompress_lz4_block;
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/**
 * Creates a compress object on a device.
 * @param dev open device
 * @param compress receives the object; release it with doca_compress_destroy
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_create(struct doca_dev *dev,
					      struct doca_compress **compress);

/**
 * Destroys a compress object and its context.
 * @param compress compress object
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: compress is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_destroy(struct doca_compress *compress);

/**
 * Returns the context of a compress object.
 * @param compress compress object
 * @return NULL: no such object can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress);

/**
 * Gets the largest number of tasks that an object can have.
 * @param compress compress object
 * @param max_num_tasks receives the number
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_get_max_num_tasks(struct doca_compress *compress,
							     uint32_t *max_num_tasks);

/* Runs when a compress deflate task has completed. */
typedef void (*doca_compress_task_compress_deflate_completion_cb_t)(
	struct doca_compress_task_compress_deflate *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports compress deflate tasks. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_compress_deflate_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest buffer of a compress deflate task.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in the source list of a compress deflate task.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Enables compress deflate tasks on an object.
 * @param compress compress object
 * @param task_completion_cb runs when a task succeeds
 * @param task_error_cb runs when a task fails
 * @param num_tasks number of tasks that can be allocated at a time
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_task_compress_deflate_set_conf(
	struct doca_compress *compress,
	doca_compress_task_compress_deflate_completion_cb_t task_completion_cb,
	doca_compress_task_compress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a compress deflate task and sets it up.
 * @param compress compress object
 * @param src_buff source, owned by the caller
 * @param dst_buff destination, owned by the caller
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_task_compress_deflate_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_compress_deflate **task);

/**
 * Returns a compress deflate task as the task that doca_task_submit() takes.
 * @param task compress deflate task
 * @return NULL: no such task can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_task *doca_compress_task_compress_deflate_as_task(
	struct doca_compress_task_compress_deflate *task);

/**
 * Sets the source of a compress deflate task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_compress_deflate_set_src(
	struct doca_compress_task_compress_deflate *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a compress deflate task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_compress_deflate_get_src(
	const struct doca_compress_task_compress_deflate *task);

/**
 * Sets the destination of a compress deflate task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_compress_deflate_set_dst(
	struct doca_compress_task_compress_deflate *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a compress deflate task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_compress_deflate_get_dst(
	const struct doca_compress_task_compress_deflate *task);

/**
 * Returns the CRC checksum of the uncompressed data of a compress deflate task.
 * Since 2.9.
 */
DOCA_STABLE uint32_t doca_compress_task_compress_deflate_get_crc_cs(
	const struct doca_compress_task_compress_deflate *task);

/**
 * Returns the Adler checksum of the uncompressed data of a compress deflate task.
 * Since 2.9.
 */
DOCA_STABLE uint32_t doca_compress_task_compress_deflate_get_adler_cs(
	const struct doca_compress_task_compress_deflate *task);

/* Runs when a decompress deflate task has completed. */
typedef void (*doca_compress_task_decompress_deflate_completion_cb_t)(
	struct doca_compress_task_decompress_deflate *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports decompress deflate tasks. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_decompress_deflate_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest buffer of a decompress deflate task.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in the source list of a decompress deflate task.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Enables decompress deflate tasks on an object.
 * @param compress compress object
 * @param task_completion_cb runs when a task succeeds
 * @param task_error_cb runs when a task fails
 * @param num_tasks number of tasks that can be allocated at a time
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_deflate_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_deflate_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a decompress deflate task and sets it up.
 * @param compress compress object
 * @param src_buff source, owned by the caller
 * @param dst_buff destination, owned by the caller
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_deflate_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_deflate **task);

/**
 * Returns a decompress deflate task as the task that doca_task_submit() takes.
 * @param task decompress deflate task
 * @return NULL: no such task can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_task *doca_compress_task_decompress_deflate_as_task(
	struct doca_compress_task_decompress_deflate *task);

/**
 * Sets the source of a decompress deflate task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_decompress_deflate_set_src(
	struct doca_compress_task_decompress_deflate *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a decompress deflate task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_decompress_deflate_get_src(
	const struct doca_compress_task_decompress_deflate *task);

/**
 * Sets the destination of a decompress deflate task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_decompress_deflate_set_dst(
	struct doca_compress_task_decompress_deflate *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a decompress deflate task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_decompress_deflate_get_dst(
	const struct doca_compress_task_decompress_deflate *task);

/**
 * Returns the CRC checksum of the uncompressed data of a decompress deflate task.
 * Since 2.9.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_deflate_get_crc_cs(
	const struct doca_compress_task_decompress_deflate *task);

/**
 * Returns the Adler checksum of the uncompressed data of a decompress deflate task.
 * Since 2.9.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_deflate_get_adler_cs(
	const struct doca_compress_task_decompress_deflate *task);

/* Runs when a decompress lz4 stream task has completed. */
typedef void (*doca_compress_task_decompress_lz4_stream_completion_cb_t)(
	struct doca_compress_task_decompress_lz4_stream *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports decompress lz4 stream tasks. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_decompress_lz4_stream_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest buffer of a decompress lz4 stream task.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in the source list of a decompress lz4 stream task.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Enables decompress lz4 stream tasks on an object.
 * @param compress compress object
 * @param task_completion_cb runs when a task succeeds
 * @param task_error_cb runs when a task fails
 * @param num_tasks number of tasks that can be allocated at a time
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_stream_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_stream_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_stream_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a decompress lz4 stream task and sets it up.
 * @param compress compress object
 * @param has_block_checksum 1 if each block is followed by its checksum, else 0
 * @param are_blocks_independent 1 if no block refers to an earlier one, else 0
 * @param src_buff source, owned by the caller
 * @param dst_buff destination, owned by the caller
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_stream_alloc_init(
	struct doca_compress *compress, uint8_t has_block_checksum, uint8_t are_blocks_independent,
	struct doca_buf const *src_buff, struct doca_buf *dst_buff, union doca_data user_data,
	struct doca_compress_task_decompress_lz4_stream **task);

/**
 * Returns a decompress lz4 stream task as the task that doca_task_submit() takes.
 * @param task decompress lz4 stream task
 * @return NULL: no such task can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_task *doca_compress_task_decompress_lz4_stream_as_task(
	struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Sets the block checksum flag of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_stream_set_has_block_checksum(
	struct doca_compress_task_decompress_lz4_stream *task, uint8_t has_block_checksum);

/**
 * Returns the block checksum flag of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE uint8_t doca_compress_task_decompress_lz4_stream_get_has_block_checksum(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Sets the block independence flag of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(
	struct doca_compress_task_decompress_lz4_stream *task, uint8_t are_blocks_independent);

/**
 * Returns the block independence flag of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE uint8_t doca_compress_task_decompress_lz4_stream_get_are_blocks_independent(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Sets the source of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_stream_set_src(
	struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_decompress_lz4_stream_get_src(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Sets the destination of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_stream_set_dst(
	struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_decompress_lz4_stream_get_dst(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Returns the CRC checksum of the uncompressed data of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_stream_get_crc_cs(
	const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Returns the xxHash checksum of the uncompressed data of a decompress lz4 stream task.
 * Since 2.9.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_stream_get_xxh_cs(
	const struct doca_compress_task_decompress_lz4_stream *task);

/* Runs when a decompress lz4 block task has completed. */
typedef void (*doca_compress_task_decompress_lz4_block_completion_cb_t)(
	struct doca_compress_task_decompress_lz4_block *task, union doca_data task_user_data,
	union doca_data ctx_user_data);

/**
 * Checks whether a device supports decompress lz4 block tasks. The return code is the answer.
 * @param devinfo device to query
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t
doca_compress_cap_task_decompress_lz4_block_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the size of the largest buffer of a decompress lz4 block task.
 * @param devinfo device to query
 * @param max_buffer_size receives the size in bytes
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in the source list of a decompress lz4 block task.
 * @param devinfo device to query
 * @param max_buf_list_len receives the number of elements
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no device of this runtime has a compression engine.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Enables decompress lz4 block tasks on an object.
 * @param compress compress object
 * @param task_completion_cb runs when a task succeeds
 * @param task_error_cb runs when a task fails
 * @param num_tasks number of tasks that can be allocated at a time
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_block_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_block_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_block_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a decompress lz4 block task and sets it up.
 * @param compress compress object
 * @param src_buff source, owned by the caller
 * @param dst_buff destination, owned by the caller
 * @param user_data user data of the task
 * @param task receives the task; release it with doca_task_free
 * @return one of these errors:
 * - DOCA_ERROR_INVALID_VALUE: an argument that must not be NULL is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no such object can exist.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_compress_task_decompress_lz4_block_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_lz4_block **task);

/**
 * Returns a decompress lz4 block task as the task that doca_task_submit() takes.
 * @param task decompress lz4 block task
 * @return NULL: no such task can exist
 * Since 2.9.
 */
DOCA_STABLE struct doca_task *doca_compress_task_decompress_lz4_block_as_task(
	struct doca_compress_task_decompress_lz4_block *task);

/**
 * Sets the source of a decompress lz4 block task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_block_set_src(
	struct doca_compress_task_decompress_lz4_block *task, struct doca_buf const *src_buff);

/**
 * Returns the source of a decompress lz4 block task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf const *doca_compress_task_decompress_lz4_block_get_src(
	const struct doca_compress_task_decompress_lz4_block *task);

/**
 * Sets the destination of a decompress lz4 block task.
 * Since 2.9.
 */
DOCA_STABLE void doca_compress_task_decompress_lz4_block_set_dst(
	struct doca_compress_task_decompress_lz4_block *task, struct doca_buf *dst_buff);

/**
 * Returns the destination of a decompress lz4 block task.
 * Since 2.9.
 */
DOCA_STABLE struct doca_buf *doca_compress_task_decompress_lz4_block_get_dst(
	const struct doca_compress_task_decompress_lz4_block *task);

/**
 * Returns the CRC checksum of the uncompressed data of a decompress lz4 block task.
 * Since 2.9.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_block_get_crc_cs(
	const struct doca_compress_task_decompress_lz4_block *task);

/**
 * Returns the xxHash checksum of the uncompressed data of a decompress lz4 block task.
 * Since 2.9.
 */
DOCA_STABLE uint32_t doca_compress_task_decompress_lz4_block_get_xxh_cs(
	const struct doca_compress_task_decompress_lz4_block *task);

#ifdef __cplusplus
}
#endif

#endif
