/*
 * The public functions of compression tasks; see client/compress/compress.h. All kinds of tasks are
 * a struct compress_task, so the functions of a kind only convert its pointer. Threads: those of
 * the progress engine.
 */
#include "client/base/error.h"
#include "client/compress/compress.h"

static __attribute__((noinline)) doca_error_t null_argument(enum compress_kind kind,
							    const char *what, const char *name)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s %s: %s is NULL", compress_kind_name(kind),
			 what, name);
}

static __attribute__((noinline)) doca_error_t no_task(const struct doca_compress *compress,
						      enum compress_kind kind)
{
	if (compress->ctx.legacy != NULL)
		return api_refuse("compress alloc", "compress object", compress->ctx.legacy->api);
	if (compress->ctx.state != DOCA_CTX_STATE_RUNNING)
		return ctx_not_running(&compress->ctx, "compress alloc");
	if (compress->pools[kind].ok_cb == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "%s alloc: tasks of this kind were not configured before the "
				 "start",
				 compress_kind_name(kind));
	return error_hint(DOCA_ERROR_NO_MEMORY,
			  "compress alloc: all tasks are in use; free some or configure more");
}

doca_error_t compress_task_alloc(struct doca_compress *compress, enum compress_kind kind,
				 const struct doca_buf *src, struct doca_buf *dst,
				 union doca_data user_data, struct compress_task **out)
{
	struct compress_task *t;

	if (unlikely(compress == NULL || src == NULL || dst == NULL || out == NULL))
		return null_argument(kind, "alloc",
				     compress == NULL ? "compress"
				     : src == NULL    ? "src_buff"
				     : dst == NULL    ? "dst_buff"
						      : "the result");
	t = (struct compress_task *)(void *)task_pool_get(&compress->pools[kind], user_data);
	if (unlikely(t == NULL))
		return no_task(compress, kind);
	t->src = src;
	t->dst = dst;
	t->kind = (uint8_t)kind;
	t->has_failed = false;
	t->crc = t->adler = t->xxh = 0;
	*out = t;
	return DOCA_SUCCESS;
}

void compress_task_set_src(struct compress_task *t, enum compress_kind kind,
			   const struct doca_buf *src)
{
	if (t == NULL || src == NULL)
		null_argument(kind, "set src", t == NULL ? "task" : "src_buff");
	else
		t->src = src;
}

void compress_task_set_dst(struct compress_task *t, enum compress_kind kind, struct doca_buf *dst)
{
	if (t == NULL || dst == NULL)
		null_argument(kind, "set dst", t == NULL ? "task" : "dst_buff");
	else
		t->dst = dst;
}

/* --- compress deflate --- */

static struct compress_task *compress_deflate_of(struct doca_compress_task_compress_deflate *task)
{
	return (struct compress_task *)task;
}

static const struct compress_task *const_compress_deflate_of(
	const struct doca_compress_task_compress_deflate *task)
{
	return (const struct compress_task *)task;
}

/* The casts of callbacks are safe: a task of this pool begins with its doca_task. */
doca_error_t doca_compress_task_compress_deflate_set_conf(
	struct doca_compress *compress,
	doca_compress_task_compress_deflate_completion_cb_t task_completion_cb,
	doca_compress_task_compress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	return compress_set_conf(compress, COMPRESS_DEFLATE,
				 (doca_task_completion_cb_t)task_completion_cb,
				 (doca_task_completion_cb_t)task_error_cb, num_tasks);
}

doca_error_t doca_compress_task_compress_deflate_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_compress_deflate **task)
{
	return compress_task_alloc(compress, COMPRESS_DEFLATE, src_buff, dst_buff, user_data,
				   (struct compress_task **)task);
}

struct doca_task *doca_compress_task_compress_deflate_as_task(
	struct doca_compress_task_compress_deflate *task)
{
	return task == NULL ? NULL : &compress_deflate_of(task)->task;
}

void doca_compress_task_compress_deflate_set_src(struct doca_compress_task_compress_deflate *task,
						 struct doca_buf const *src_buff)
{
	compress_task_set_src(compress_deflate_of(task), COMPRESS_DEFLATE, src_buff);
}

struct doca_buf const *doca_compress_task_compress_deflate_get_src(
	const struct doca_compress_task_compress_deflate *task)
{
	return const_compress_deflate_of(task)->src;
}

void doca_compress_task_compress_deflate_set_dst(struct doca_compress_task_compress_deflate *task,
						 struct doca_buf *dst_buff)
{
	compress_task_set_dst(compress_deflate_of(task), COMPRESS_DEFLATE, dst_buff);
}

struct doca_buf *doca_compress_task_compress_deflate_get_dst(
	const struct doca_compress_task_compress_deflate *task)
{
	return const_compress_deflate_of(task)->dst;
}

uint32_t doca_compress_task_compress_deflate_get_crc_cs(
	const struct doca_compress_task_compress_deflate *task)
{
	return const_compress_deflate_of(task)->crc;
}

uint32_t doca_compress_task_compress_deflate_get_adler_cs(
	const struct doca_compress_task_compress_deflate *task)
{
	return const_compress_deflate_of(task)->adler;
}

/* --- decompress deflate --- */

static struct compress_task *decompress_deflate_of(
	struct doca_compress_task_decompress_deflate *task)
{
	return (struct compress_task *)task;
}

static const struct compress_task *const_decompress_deflate_of(
	const struct doca_compress_task_decompress_deflate *task)
{
	return (const struct compress_task *)task;
}

/* The casts of callbacks are safe: a task of this pool begins with its doca_task. */
doca_error_t doca_compress_task_decompress_deflate_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_deflate_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	return compress_set_conf(compress, DECOMPRESS_DEFLATE,
				 (doca_task_completion_cb_t)task_completion_cb,
				 (doca_task_completion_cb_t)task_error_cb, num_tasks);
}

doca_error_t doca_compress_task_decompress_deflate_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_deflate **task)
{
	return compress_task_alloc(compress, DECOMPRESS_DEFLATE, src_buff, dst_buff, user_data,
				   (struct compress_task **)task);
}

struct doca_task *doca_compress_task_decompress_deflate_as_task(
	struct doca_compress_task_decompress_deflate *task)
{
	return task == NULL ? NULL : &decompress_deflate_of(task)->task;
}

void doca_compress_task_decompress_deflate_set_src(
	struct doca_compress_task_decompress_deflate *task, struct doca_buf const *src_buff)
{
	compress_task_set_src(decompress_deflate_of(task), DECOMPRESS_DEFLATE, src_buff);
}

struct doca_buf const *doca_compress_task_decompress_deflate_get_src(
	const struct doca_compress_task_decompress_deflate *task)
{
	return const_decompress_deflate_of(task)->src;
}

void doca_compress_task_decompress_deflate_set_dst(
	struct doca_compress_task_decompress_deflate *task, struct doca_buf *dst_buff)
{
	compress_task_set_dst(decompress_deflate_of(task), DECOMPRESS_DEFLATE, dst_buff);
}

struct doca_buf *doca_compress_task_decompress_deflate_get_dst(
	const struct doca_compress_task_decompress_deflate *task)
{
	return const_decompress_deflate_of(task)->dst;
}

uint32_t doca_compress_task_decompress_deflate_get_crc_cs(
	const struct doca_compress_task_decompress_deflate *task)
{
	return const_decompress_deflate_of(task)->crc;
}

uint32_t doca_compress_task_decompress_deflate_get_adler_cs(
	const struct doca_compress_task_decompress_deflate *task)
{
	return const_decompress_deflate_of(task)->adler;
}

/* --- decompress lz4 stream --- */

static struct compress_task *decompress_lz4_stream_of(
	struct doca_compress_task_decompress_lz4_stream *task)
{
	return (struct compress_task *)task;
}

static const struct compress_task *const_decompress_lz4_stream_of(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	return (const struct compress_task *)task;
}

/* The casts of callbacks are safe: a task of this pool begins with its doca_task. */
doca_error_t doca_compress_task_decompress_lz4_stream_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_stream_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_stream_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	return compress_set_conf(compress, DECOMPRESS_LZ4_STREAM,
				 (doca_task_completion_cb_t)task_completion_cb,
				 (doca_task_completion_cb_t)task_error_cb, num_tasks);
}

doca_error_t doca_compress_task_decompress_lz4_stream_alloc_init(
	struct doca_compress *compress, uint8_t has_block_checksum, uint8_t are_blocks_independent,
	struct doca_buf const *src_buff, struct doca_buf *dst_buff, union doca_data user_data,
	struct doca_compress_task_decompress_lz4_stream **task)
{
	doca_error_t result = compress_task_alloc(compress, DECOMPRESS_LZ4_STREAM, src_buff,
						  dst_buff, user_data,
						  (struct compress_task **)task);

	if (likely(result == DOCA_SUCCESS)) {
		decompress_lz4_stream_of(*task)->has_block_checksum = has_block_checksum;
		decompress_lz4_stream_of(*task)->are_blocks_independent = are_blocks_independent;
	}
	return result;
}

struct doca_task *doca_compress_task_decompress_lz4_stream_as_task(
	struct doca_compress_task_decompress_lz4_stream *task)
{
	return task == NULL ? NULL : &decompress_lz4_stream_of(task)->task;
}

void doca_compress_task_decompress_lz4_stream_set_has_block_checksum(
	struct doca_compress_task_decompress_lz4_stream *task, uint8_t has_block_checksum)
{
	if (task == NULL)
		null_argument(DECOMPRESS_LZ4_STREAM, "set has block checksum", "task");
	else
		decompress_lz4_stream_of(task)->has_block_checksum = has_block_checksum;
}

uint8_t doca_compress_task_decompress_lz4_stream_get_has_block_checksum(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	return const_decompress_lz4_stream_of(task)->has_block_checksum;
}

void doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(
	struct doca_compress_task_decompress_lz4_stream *task, uint8_t are_blocks_independent)
{
	if (task == NULL)
		null_argument(DECOMPRESS_LZ4_STREAM, "set are blocks independent", "task");
	else
		decompress_lz4_stream_of(task)->are_blocks_independent = are_blocks_independent;
}

uint8_t doca_compress_task_decompress_lz4_stream_get_are_blocks_independent(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	return const_decompress_lz4_stream_of(task)->are_blocks_independent;
}

void doca_compress_task_decompress_lz4_stream_set_src(
	struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf const *src_buff)
{
	compress_task_set_src(decompress_lz4_stream_of(task), DECOMPRESS_LZ4_STREAM, src_buff);
}

struct doca_buf const *doca_compress_task_decompress_lz4_stream_get_src(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	return const_decompress_lz4_stream_of(task)->src;
}

void doca_compress_task_decompress_lz4_stream_set_dst(
	struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf *dst_buff)
{
	compress_task_set_dst(decompress_lz4_stream_of(task), DECOMPRESS_LZ4_STREAM, dst_buff);
}

struct doca_buf *doca_compress_task_decompress_lz4_stream_get_dst(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	return const_decompress_lz4_stream_of(task)->dst;
}

uint32_t doca_compress_task_decompress_lz4_stream_get_crc_cs(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	return const_decompress_lz4_stream_of(task)->crc;
}

uint32_t doca_compress_task_decompress_lz4_stream_get_xxh_cs(
	const struct doca_compress_task_decompress_lz4_stream *task)
{
	return const_decompress_lz4_stream_of(task)->xxh;
}

/* --- decompress lz4 block --- */

static struct compress_task *decompress_lz4_block_of(
	struct doca_compress_task_decompress_lz4_block *task)
{
	return (struct compress_task *)task;
}

static const struct compress_task *const_decompress_lz4_block_of(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	return (const struct compress_task *)task;
}

/* The casts of callbacks are safe: a task of this pool begins with its doca_task. */
doca_error_t doca_compress_task_decompress_lz4_block_set_conf(
	struct doca_compress *compress,
	doca_compress_task_decompress_lz4_block_completion_cb_t task_completion_cb,
	doca_compress_task_decompress_lz4_block_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	return compress_set_conf(compress, DECOMPRESS_LZ4_BLOCK,
				 (doca_task_completion_cb_t)task_completion_cb,
				 (doca_task_completion_cb_t)task_error_cb, num_tasks);
}

doca_error_t doca_compress_task_decompress_lz4_block_alloc_init(
	struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	union doca_data user_data, struct doca_compress_task_decompress_lz4_block **task)
{
	return compress_task_alloc(compress, DECOMPRESS_LZ4_BLOCK, src_buff, dst_buff, user_data,
				   (struct compress_task **)task);
}

struct doca_task *doca_compress_task_decompress_lz4_block_as_task(
	struct doca_compress_task_decompress_lz4_block *task)
{
	return task == NULL ? NULL : &decompress_lz4_block_of(task)->task;
}

void doca_compress_task_decompress_lz4_block_set_src(
	struct doca_compress_task_decompress_lz4_block *task, struct doca_buf const *src_buff)
{
	compress_task_set_src(decompress_lz4_block_of(task), DECOMPRESS_LZ4_BLOCK, src_buff);
}

struct doca_buf const *doca_compress_task_decompress_lz4_block_get_src(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	return const_decompress_lz4_block_of(task)->src;
}

void doca_compress_task_decompress_lz4_block_set_dst(
	struct doca_compress_task_decompress_lz4_block *task, struct doca_buf *dst_buff)
{
	compress_task_set_dst(decompress_lz4_block_of(task), DECOMPRESS_LZ4_BLOCK, dst_buff);
}

struct doca_buf *doca_compress_task_decompress_lz4_block_get_dst(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	return const_decompress_lz4_block_of(task)->dst;
}

uint32_t doca_compress_task_decompress_lz4_block_get_crc_cs(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	return const_decompress_lz4_block_of(task)->crc;
}

uint32_t doca_compress_task_decompress_lz4_block_get_xxh_cs(
	const struct doca_compress_task_decompress_lz4_block *task)
{
	return const_decompress_lz4_block_of(task)->xxh;
}
