/*
 * The compress object: creation, configuration and start; see client/compress/compress.h. If the
 * data of a task is corrupt or its destination is too small, only that task fails. Any other
 * failure stops the context, as an error of a hardware queue does. Threads: those of the progress
 * engine.
 */
#include "client/compress/compress.h"

#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "util/str.h"

/* Reserves bounce memory for data of usual lengths. */
static doca_error_t bounces_reserve(struct doca_compress *compress)
{
	size_t len = MIN(compress->max_buf_size, BOUNCE_KEEP) + CODEC_DEFLATE_SLACK;

	if (bounce_reserve(&compress->in, len) && bounce_reserve(&compress->out, len))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INITIALIZATION,
			 "compress start: cannot reserve twice %zu bytes of address space; raise "
			 "RLIMIT_AS",
			 len);
}

static void compress_release(struct doca_ctx *ctx)
{
	struct doca_compress *compress = compress_of(ctx);

	staging_release(ctx);
	bounce_free(&compress->in);
	bounce_free(&compress->out);
	codec_delete(compress->codec);
	compress->codec = NULL;
}

static bool has_tasks(const struct doca_compress *compress)
{
	for (size_t i = 0; i < COMPRESS_N_KINDS; i++)
		if (compress->pools[i].ok_cb != NULL)
			return true;
	return false;
}

static doca_error_t compress_start(struct doca_ctx *ctx)
{
	struct doca_compress *compress = compress_of(ctx);
	doca_error_t result;

	if (!has_tasks(compress))
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "compress start: no tasks; call a function "
				 "doca_compress_task_*_set_conf first");
	compress->codec = codec_new();
	if (compress->codec == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION, "compress start: out of memory");
	result = bounces_reserve(compress);
	if (result == DOCA_SUCCESS)
		result = staging_open(ctx, &compress_staging_ops);
	if (result != DOCA_SUCCESS)
		compress_release(ctx);
	return result;
}

static const struct ctx_ops compress_ops = {
	.name = "compress",
	.counted_as = COUNTERS_COMPRESS,
	.start = compress_start,
	.stop = staging_stop,
	.stopped = staging_stopped,
	.release = compress_release,
	.poll = staging_poll,
	.arm = staging_arm,
	.disarm = staging_disarm,
};

struct doca_compress *compress_new(struct doca_dev *dev)
{
	struct doca_compress *compress;

	if (posix_memalign((void **)&compress, 64, sizeof(*compress)) != 0)
		return NULL;
	memset(compress, 0, sizeof(*compress));
	ctx_init(&compress->ctx, &compress_ops, dev);
	compress->staged.hold_len = SIZE_MAX;
	for (size_t i = 0; i < COMPRESS_N_KINDS; i++) {
		compress->pools[i].execute = compress_execute;
		compress->pools[i].validate = compress_validate;
	}
	compress->stops_on_failure = true;
	if (dev == NULL)
		return compress;
	compress->max_buf_size = MIN(dev->info->caps.compress_max_buf_size, CODEC_MAX_LEN);
	compress->max_list_len = dev->info->caps.compress_max_list_len;
	compress->kinds = compress_kinds_of(dev->info);
	return compress;
}

doca_error_t doca_compress_create(struct doca_dev *dev, struct doca_compress **compress_out)
{
	struct doca_compress *compress;

	if (dev == NULL || compress_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	if (!codec_is_built())
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "compress create: the library was built without it; configure it "
				 "with libdeflate, liblz4 and libxxhash");
	if (compress_kinds_of(dev->info) == 0)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "compress create: %s does not support it; key compress of the "
				 "device in the topology allows it; ask "
				 "doca_compress_cap_task_*_is_supported first",
				 dev->info->name);
	compress = compress_new(dev);
	if (compress == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "compress create: out of memory");
	*compress_out = compress;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_compress_create, 2_5);

doca_error_t compress_delete(struct doca_compress *compress)
{
	doca_error_t result = ctx_deinit(&compress->ctx);

	if (result != DOCA_SUCCESS)
		return result;
	for (size_t i = 0; i < COMPRESS_N_KINDS; i++)
		task_pool_deinit(&compress->pools[i]);
	free(compress);
	return DOCA_SUCCESS;
}

doca_error_t doca_compress_destroy(struct doca_compress *compress)
{
	if (compress == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "compress destroy: compress is NULL");
	return compress_delete(compress);
}

struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress)
{
	return compress == NULL ? NULL : &compress->ctx;
}

doca_error_t compress_set_conf(struct doca_compress *compress, enum compress_kind kind,
			       doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
			       uint32_t n_tasks)
{
	const char *name = compress_kind_name(kind);
	struct task_pool *pool;
	doca_error_t result;
	uint32_t max;

	if (compress == NULL || ok_cb == NULL || err_cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s set conf: %s is NULL", name,
				 compress == NULL ? "compress"
				 : ok_cb == NULL  ? "the completion callback"
						  : "the error callback");
	if (compress->ctx.legacy != NULL)
		return api_refuse("compress set conf", "compress object",
				  compress->ctx.legacy->api);
	result = ctx_check_idle(&compress->ctx, DOCA_ERROR_BAD_STATE, "compress set conf");
	if (result != DOCA_SUCCESS)
		return result;
	if (!compress_has(compress->kinds, kind))
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "%s set conf: %s does not support it; key compress of the device "
				 "in the topology allows it; ask "
				 "doca_compress_cap_task_*_is_supported first",
				 name, compress->ctx.dev->info->name);
	max = compress->ctx.dev->info->caps.compress_max_tasks;
	if (n_tasks == 0 || n_tasks > max)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s set conf: %u tasks, %s allows 1 to %u; ask "
				 "doca_compress_cap_get_max_num_tasks",
				 name, n_tasks, compress->ctx.dev->info->name, max);
	pool = &compress->pools[kind];
	if (task_pool_init(pool, &compress->ctx, n_tasks, sizeof(struct compress_task)) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s set conf: out of memory for %u %s", name,
				 n_tasks, plural(n_tasks, "task", "tasks"));
	pool->ok_cb = ok_cb;
	pool->err_cb = err_cb;
	return DOCA_SUCCESS;
}
