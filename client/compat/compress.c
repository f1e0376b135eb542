/*
 * Compression of 2.5 to 2.8: the LZ4 tasks that later versions divide into streams and blocks, and
 * a query under its first name. Threads: those of the progress engine; any for the queries.
 */
#include <doca_compress.h>
#include <dococ/compress_former.h>

#include "client/base/error.h"
#include "client/compress/compress.h"

doca_error_t doca_compress_get_max_num_tasks(struct doca_compress *compress,
					     uint32_t *max_num_tasks)
{
	return compress_max_tasks(compress, max_num_tasks);
}

doca_error_t doca_compress_cap_task_decompress_lz4_is_supported(const struct doca_devinfo *devinfo)
{
	return compress_cap_has(devinfo, DECOMPRESS_LZ4);
}

doca_error_t doca_compress_cap_task_decompress_lz4_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return compress_cap_max_buf_size(devinfo, DECOMPRESS_LZ4, max_buffer_size);
}

doca_error_t doca_compress_cap_task_decompress_lz4_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return compress_cap_max_list_len(devinfo, DECOMPRESS_LZ4, max_buf_list_len);
}

static struct compress_task *task_of(struct doca_compress_task_decompress_lz4 *task)
{
	return (struct compress_task *)task;
}

static const struct compress_task *const_task_of(
	const struct doca_compress_task_decompress_lz4 *task)
{
	return (const struct compress_task *)task;
}

/* The casts of callbacks are safe: a task of this pool begins with its doca_task. */
doca_error_t doca_compress_task_decompress_lz4_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	return compress_set_conf(compress, DECOMPRESS_LZ4,
				 (doca_task_completion_cb_t)task_completion_cb,
				 (doca_task_completion_cb_t)task_error_cb, num_tasks);
}

doca_error_t doca_compress_task_decompress_lz4_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_lz4 **task)
{
	return compress_task_alloc(compress, DECOMPRESS_LZ4, src_buff, dst_buff, user_data,
				   (struct compress_task **)task);
}

struct doca_task *doca_compress_task_decompress_lz4_as_task(
	struct doca_compress_task_decompress_lz4 *task)
{
	return task == NULL ? NULL : &task_of(task)->task;
}

void doca_compress_task_decompress_lz4_set_src(struct doca_compress_task_decompress_lz4 *task,
					       struct doca_buf const *src_buff)
{
	compress_task_set_src(task_of(task), DECOMPRESS_LZ4, src_buff);
}

struct doca_buf const *doca_compress_task_decompress_lz4_get_src(
	const struct doca_compress_task_decompress_lz4 *task)
{
	return const_task_of(task)->src;
}

void doca_compress_task_decompress_lz4_set_dst(struct doca_compress_task_decompress_lz4 *task,
					       struct doca_buf *dst_buff)
{
	compress_task_set_dst(task_of(task), DECOMPRESS_LZ4, dst_buff);
}

struct doca_buf *doca_compress_task_decompress_lz4_get_dst(
	const struct doca_compress_task_decompress_lz4 *task)
{
	return const_task_of(task)->dst;
}

uint32_t doca_compress_task_decompress_lz4_get_crc_cs(
	const struct doca_compress_task_decompress_lz4 *task)
{
	return const_task_of(task)->crc;
}

uint32_t doca_compress_task_decompress_lz4_get_adler_cs(
	const struct doca_compress_task_decompress_lz4 *task)
{
	return const_task_of(task)->adler;
}
