/* Capabilities of devices for compression; see client/compress/compress.h. Threads: any. */
#include "client/base/error.h"
#include "client/compress/compress.h"

const char *compress_kind_name(enum compress_kind kind)
{
	static const char *const names[COMPRESS_N_KINDS] = {
		[COMPRESS_DEFLATE] = "compress deflate",
		[DECOMPRESS_DEFLATE] = "decompress deflate",
		[DECOMPRESS_LZ4_STREAM] = "decompress lz4 stream",
		[DECOMPRESS_LZ4_BLOCK] = "decompress lz4 block",
		[DECOMPRESS_LZ4] = "decompress lz4",
	};

	return names[kind];
}

uint32_t compress_kinds_of(const struct doca_devinfo *devinfo)
{
	uint32_t kinds = devinfo->caps.compress_tasks & ((1u << DECOMPRESS_LZ4) - 1);

	if (!codec_is_built())
		return 0;
	if (compress_has(kinds, DECOMPRESS_LZ4_BLOCK))
		kinds |= 1u << DECOMPRESS_LZ4;
	return kinds;
}

static doca_error_t caps_check(const struct doca_devinfo *devinfo, enum compress_kind kind,
			       const void *out, const char *what)
{
	const char *name = compress_kind_name(kind);

	if (devinfo == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress capability %s%s: %s is NULL",
				 name, what, devinfo == NULL ? "devinfo" : "the result");
	if (!codec_is_built())
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "compress capability %s%s: the library was built without it; "
				  "configure it with libdeflate, liblz4 and libxxhash",
				  name, what);
	if (!compress_has(compress_kinds_of(devinfo), kind))
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "compress capability %s%s: %s does not support it; key compress "
				  "of the device in the topology allows it",
				  name, what, devinfo->name);
	return DOCA_SUCCESS;
}

doca_error_t compress_cap_has(const struct doca_devinfo *devinfo, enum compress_kind kind)
{
	return caps_check(devinfo, kind, "", "");
}

doca_error_t compress_cap_max_buf_size(const struct doca_devinfo *devinfo, enum compress_kind kind,
				       uint64_t *size_out)
{
	doca_error_t result = caps_check(devinfo, kind, size_out, ", buffer size");

	if (result == DOCA_SUCCESS)
		*size_out = dev_report_size(devinfo->caps.compress_max_buf_size);
	return result;
}

doca_error_t compress_cap_max_list_len(const struct doca_devinfo *devinfo, enum compress_kind kind,
				       uint32_t *len_out)
{
	doca_error_t result = caps_check(devinfo, kind, len_out, ", list length");

	if (result == DOCA_SUCCESS)
		*len_out = devinfo->caps.compress_max_list_len;
	return result;
}

doca_error_t compress_max_tasks(struct doca_compress *compress, uint32_t *n_out)
{
	if (compress == NULL || n_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress capability tasks: %s is NULL",
				 compress == NULL ? "compress" : "the result");
	if (compress->ctx.legacy != NULL)
		return api_refuse("compress capability tasks", "compress object",
				  compress->ctx.legacy->api);
	*n_out = compress->ctx.dev->info->caps.compress_max_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_compress_cap_get_max_num_tasks(struct doca_compress *compress,
						 uint32_t *max_num_tasks)
{
	return compress_max_tasks(compress, max_num_tasks);
}

doca_error_t doca_compress_cap_task_compress_deflate_is_supported(
	const struct doca_devinfo *devinfo)
{
	return compress_cap_has(devinfo, COMPRESS_DEFLATE);
}

doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return compress_cap_max_buf_size(devinfo, COMPRESS_DEFLATE, max_buffer_size);
}

doca_error_t doca_compress_cap_task_compress_deflate_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return compress_cap_max_list_len(devinfo, COMPRESS_DEFLATE, max_buf_list_len);
}

doca_error_t doca_compress_cap_task_decompress_deflate_is_supported(
	const struct doca_devinfo *devinfo)
{
	return compress_cap_has(devinfo, DECOMPRESS_DEFLATE);
}

doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return compress_cap_max_buf_size(devinfo, DECOMPRESS_DEFLATE, max_buffer_size);
}

doca_error_t doca_compress_cap_task_decompress_deflate_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return compress_cap_max_list_len(devinfo, DECOMPRESS_DEFLATE, max_buf_list_len);
}

doca_error_t doca_compress_cap_task_decompress_lz4_stream_is_supported(
	const struct doca_devinfo *devinfo)
{
	return compress_cap_has(devinfo, DECOMPRESS_LZ4_STREAM);
}

doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return compress_cap_max_buf_size(devinfo, DECOMPRESS_LZ4_STREAM, max_buffer_size);
}

doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return compress_cap_max_list_len(devinfo, DECOMPRESS_LZ4_STREAM, max_buf_list_len);
}

doca_error_t doca_compress_cap_task_decompress_lz4_block_is_supported(
	const struct doca_devinfo *devinfo)
{
	return compress_cap_has(devinfo, DECOMPRESS_LZ4_BLOCK);
}

doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size)
{
	return compress_cap_max_buf_size(devinfo, DECOMPRESS_LZ4_BLOCK, max_buffer_size);
}

doca_error_t doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return compress_cap_max_list_len(devinfo, DECOMPRESS_LZ4_BLOCK, max_buf_list_len);
}
