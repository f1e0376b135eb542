/*
 * Compress: no device here has an engine for it, which the capability queries and the creation
 * report. So no object and no task exists, and every other function refuses what it is given.
 * Threads: any.
 */
#include <stdbool.h>

#include <doca_compress.h>

#include "client/base/error.h"
#include "client/device/dev.h"

static doca_error_t cap_refuse(const struct doca_devinfo *devinfo, const void *result,
			       const char *what)
{
	if (devinfo == NULL || result == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress capability %s: %s is NULL",
				 what, devinfo == NULL ? "devinfo" : "the result");
	return error_note(DOCA_ERROR_NOT_SUPPORTED,
			  "compress capability %s: %s has no compression engine", what,
			  devinfo->name);
}

static doca_error_t object_refuse(bool is_complete, const char *what)
{
	if (!is_complete)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress %s: an argument is NULL",
				 what);
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "compress %s: no device has the engine, so there is no object; check the "
			 "result of the create call",
			 what);
}

/* Records the sentence of a setter or getter of a task, which returns no code. */
static void task_refuse(const void *task, const char *what)
{
	if (task == NULL)
		error_set(DOCA_ERROR_INVALID_VALUE, "compress %s: the task is NULL", what);
	else
		error_set(DOCA_ERROR_NOT_SUPPORTED,
			  "compress %s: no device has the engine, so there is no task; check the "
			  "result of the create call",
			  what);
}

doca_error_t doca_compress_create(struct doca_dev *dev, struct doca_compress **compress)
{
	if (dev == NULL || compress == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "compress create: %s has no compression engine; ask "
			 "doca_compress_cap_task_*_is_supported first, and let the processor do "
			 "the work if no device has one",
			 dev->info->name);
}

doca_error_t doca_compress_destroy(struct doca_compress *compress)
{
	return object_refuse(compress != NULL, "destroy");
}

struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress)
{
	(void)compress;
	return NULL;
}

doca_error_t doca_compress_cap_get_max_num_tasks(struct doca_compress *compress,
						 uint32_t *max_num_tasks)
{
	return object_refuse(compress != NULL && max_num_tasks != NULL, "get max num tasks");
}

doca_error_t doca_compress_cap_task_compress_deflate_is_supported(
	const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, devinfo, "compress deflate");
}

doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return cap_refuse(devinfo, max_buffer_size, "compress deflate get max buf size");
}

doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return cap_refuse(devinfo, max_buf_list_len, "compress deflate get max buf list len");
}

doca_error_t doca_compress_task_compress_deflate_set_conf(
	struct doca_compress *compress,
	doca_compress_task_compress_deflate_completion_cb_t task_completion_cb,
	doca_compress_task_compress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	(void)num_tasks;
	return object_refuse(compress != NULL && task_completion_cb != NULL &&
				     task_error_cb != NULL,
			     "compress deflate set conf");
}

doca_error_t doca_compress_task_compress_deflate_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_compress_deflate **task)
{
	(void)user_data;
	return object_refuse(compress != NULL && src_buff != NULL && dst_buff != NULL &&
				     task != NULL,
			     "compress deflate allocate");
}

struct doca_task *doca_compress_task_compress_deflate_as_task(
	struct doca_compress_task_compress_deflate *task)
{
	(void)task;
	return NULL;
}

void doca_compress_task_compress_deflate_set_src(struct doca_compress_task_compress_deflate *task,
						 struct doca_buf const *src_buff)
{
	(void)src_buff;
	task_refuse(task, "compress deflate set src");
}

struct doca_buf const *doca_compress_task_compress_deflate_get_src(
	const struct doca_compress_task_compress_deflate *task)
{
	task_refuse(task, "compress deflate get src");
	return NULL;
}

void doca_compress_task_compress_deflate_set_dst(struct doca_compress_task_compress_deflate *task,
						 struct doca_buf *dst_buff)
{
	(void)dst_buff;
	task_refuse(task, "compress deflate set dst");
}

struct doca_buf *doca_compress_task_compress_deflate_get_dst(
	const struct doca_compress_task_compress_deflate *task)
{
	task_refuse(task, "compress deflate get dst");
	return NULL;
}

uint32_t doca_compress_task_compress_deflate_get_crc_cs(
	const struct doca_compress_task_compress_deflate *task)
{
	task_refuse(task, "compress deflate get crc cs");
	return 0;
}

uint32_t doca_compress_task_compress_deflate_get_adler_cs(
	const struct doca_compress_task_compress_deflate *task)
{
	task_refuse(task, "compress deflate get adler cs");
	return 0;
}

doca_error_t doca_compress_cap_task_decompress_deflate_is_supported(
	const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, devinfo, "decompress deflate");
}

doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return cap_refuse(devinfo, max_buffer_size, "decompress deflate get max buf size");
}

doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return cap_refuse(devinfo, max_buf_list_len, "decompress deflate get max buf list len");
}

doca_error_t doca_compress_task_decompress_deflate_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_deflate_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	(void)num_tasks;
	return object_refuse(compress != NULL && task_completion_cb != NULL &&
				     task_error_cb != NULL,
			     "decompress deflate set conf");
}

doca_error_t doca_compress_task_decompress_deflate_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_deflate **task)
{
	(void)user_data;
	return object_refuse(compress != NULL && src_buff != NULL && dst_buff != NULL &&
				     task != NULL,
			     "decompress deflate allocate");
}

struct doca_task *doca_compress_task_decompress_deflate_as_task(
	struct doca_compress_task_decompress_deflate *task)
{
	(void)task;
	return NULL;
}

void doca_compress_task_decompress_deflate_set_src(
	struct doca_compress_task_decompress_deflate *task, struct doca_buf const *src_buff)
{
	(void)src_buff;
	task_refuse(task, "decompress deflate set src");
}

struct doca_buf const *doca_compress_task_decompress_deflate_get_src(
	const struct doca_compress_task_decompress_deflate *task)
{
	task_refuse(task, "decompress deflate get src");
	return NULL;
}

void doca_compress_task_decompress_deflate_set_dst(
	struct doca_compress_task_decompress_deflate *task, struct doca_buf *dst_buff)
{
	(void)dst_buff;
	task_refuse(task, "decompress deflate set dst");
}

struct doca_buf *doca_compress_task_decompress_deflate_get_dst(
	const struct doca_compress_task_decompress_deflate *task)
{
	task_refuse(task, "decompress deflate get dst");
	return NULL;
}

uint32_t doca_compress_task_decompress_deflate_get_crc_cs(
	const struct doca_compress_task_decompress_deflate *task)
{
	task_refuse(task, "decompress deflate get crc cs");
	return 0;
}

uint32_t doca_compress_task_decompress_deflate_get_adler_cs(
	const struct doca_compress_task_decompress_deflate *task)
{
	task_refuse(task, "decompress deflate get adler cs");
	return 0;
}

doca_error_t doca_compress_cap_task_decompress_lz4_stream_is_supported(
	const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, devinfo, "decompress lz4 stream");
}

doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return cap_refuse(devinfo, max_buffer_size, "decompress lz4 stream get max buf size");
}

doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return cap_refuse(devinfo, max_buf_list_len, "decompress lz4 stream get max buf list len");
}

doca_error_t doca_compress_task_decompress_lz4_stream_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_stream_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_stream_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	(void)num_tasks;
	return object_refuse(compress != NULL && task_completion_cb != NULL &&
				     task_error_cb != NULL,
			     "decompress lz4 stream set conf");
}

doca_error_t doca_compress_task_decompress_lz4_stream_alloc_init(
	struct doca_compress *compress, uint8_t has_block_checksum, uint8_t are_blocks_independent,
	struct doca_buf const *src_buff, struct doca_buf *dst_buff, union doca_data user_data,
	struct doca_compress_task_decompress_lz4_stream **task)
{
	(void)user_data;
	(void)are_blocks_independent;
	(void)has_block_checksum;
	return object_refuse(compress != NULL && src_buff != NULL && dst_buff != NULL &&
				     task != NULL,
			     "decompress lz4 stream allocate");
}

struct doca_task *doca_compress_task_decompress_lz4_stream_as_task(
	struct doca_compress_task_decompress_lz4_stream *task)
{
	(void)task;
	return NULL;
}

void doca_compress_task_decompress_lz4_stream_set_has_block_checksum(
	struct doca_compress_task_decompress_lz4_stream *task, uint8_t has_block_checksum)
{
	(void)has_block_checksum;
	task_refuse(task, "decompress lz4 stream set has block checksum");
}

uint8_t doca_compress_task_decompress_lz4_stream_get_has_block_checksum(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	task_refuse(task, "decompress lz4 stream get has block checksum");
	return 0;
}

void doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(
	struct doca_compress_task_decompress_lz4_stream *task, uint8_t are_blocks_independent)
{
	(void)are_blocks_independent;
	task_refuse(task, "decompress lz4 stream set are blocks independent");
}

uint8_t doca_compress_task_decompress_lz4_stream_get_are_blocks_independent(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	task_refuse(task, "decompress lz4 stream get are blocks independent");
	return 0;
}

void doca_compress_task_decompress_lz4_stream_set_src(
	struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf const *src_buff)
{
	(void)src_buff;
	task_refuse(task, "decompress lz4 stream set src");
}

struct doca_buf const *doca_compress_task_decompress_lz4_stream_get_src(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	task_refuse(task, "decompress lz4 stream get src");
	return NULL;
}

void doca_compress_task_decompress_lz4_stream_set_dst(
	struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf *dst_buff)
{
	(void)dst_buff;
	task_refuse(task, "decompress lz4 stream set dst");
}

struct doca_buf *doca_compress_task_decompress_lz4_stream_get_dst(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	task_refuse(task, "decompress lz4 stream get dst");
	return NULL;
}

uint32_t doca_compress_task_decompress_lz4_stream_get_crc_cs(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	task_refuse(task, "decompress lz4 stream get crc cs");
	return 0;
}

uint32_t doca_compress_task_decompress_lz4_stream_get_xxh_cs(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	task_refuse(task, "decompress lz4 stream get xxh cs");
	return 0;
}

doca_error_t doca_compress_cap_task_decompress_lz4_block_is_supported(
	const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, devinfo, "decompress lz4 block");
}

doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return cap_refuse(devinfo, max_buffer_size, "decompress lz4 block get max buf size");
}

doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return cap_refuse(devinfo, max_buf_list_len, "decompress lz4 block get max buf list len");
}

doca_error_t doca_compress_task_decompress_lz4_block_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_block_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_block_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	(void)num_tasks;
	return object_refuse(compress != NULL && task_completion_cb != NULL &&
				     task_error_cb != NULL,
			     "decompress lz4 block set conf");
}

doca_error_t doca_compress_task_decompress_lz4_block_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_lz4_block **task)
{
	(void)user_data;
	return object_refuse(compress != NULL && src_buff != NULL && dst_buff != NULL &&
				     task != NULL,
			     "decompress lz4 block allocate");
}

struct doca_task *doca_compress_task_decompress_lz4_block_as_task(
	struct doca_compress_task_decompress_lz4_block *task)
{
	(void)task;
	return NULL;
}

void doca_compress_task_decompress_lz4_block_set_src(
	struct doca_compress_task_decompress_lz4_block *task, struct doca_buf const *src_buff)
{
	(void)src_buff;
	task_refuse(task, "decompress lz4 block set src");
}

struct doca_buf const *doca_compress_task_decompress_lz4_block_get_src(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	task_refuse(task, "decompress lz4 block get src");
	return NULL;
}

void doca_compress_task_decompress_lz4_block_set_dst(
	struct doca_compress_task_decompress_lz4_block *task, struct doca_buf *dst_buff)
{
	(void)dst_buff;
	task_refuse(task, "decompress lz4 block set dst");
}

struct doca_buf *doca_compress_task_decompress_lz4_block_get_dst(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	task_refuse(task, "decompress lz4 block get dst");
	return NULL;
}

uint32_t doca_compress_task_decompress_lz4_block_get_crc_cs(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	task_refuse(task, "decompress lz4 block get crc cs");
	return 0;
}

uint32_t doca_compress_task_decompress_lz4_block_get_xxh_cs(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	task_refuse(task, "decompress lz4 block get xxh cs");
	return 0;
}
