/* The SHA object: creation and configuration; see client/sha/sha.h. A failed task stops the
 * context, as an error of a hardware queue does. Threads: those of the progress engine. */
#include "client/sha/sha.h"

#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "util/str.h"

static doca_error_t sha_start(struct doca_ctx *ctx)
{
	struct doca_sha *sha = sha_of(ctx);

	if (sha->hash_pool.ok_cb == NULL && sha->partial_pool.ok_cb == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "sha start: no tasks; call doca_sha_task_hash_set_conf or "
				 "doca_sha_task_partial_hash_set_conf first");
	if (sha->scratch == NULL)
		sha->scratch = sha_scratch_new();
	if (sha->scratch == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION, "sha start: out of memory");
	return sha->is_for_jobs ? DOCA_SUCCESS : staging_open(ctx, &sha_staging_ops);
}

static const struct ctx_ops sha_ops = {
	.name = "sha",
	.counted_as = COUNTERS_SHA,
	.start = sha_start,
	.stop = staging_stop,
	.stopped = staging_stopped,
	.release = staging_release,
	.poll = staging_poll,
	.arm = staging_arm,
	.disarm = staging_disarm,
};

struct doca_sha *sha_new(struct doca_dev *dev)
{
	struct doca_sha *sha;

	if (posix_memalign((void **)&sha, 64, sizeof(*sha)) != 0)
		return NULL;
	memset(sha, 0, sizeof(*sha));
	ctx_init(&sha->ctx, &sha_ops, dev);
	sha->staged.hold_len = SIZE_MAX;
	sha->hash_pool.execute = sha_hash_execute;
	sha->hash_pool.validate = sha_hash_validate;
	sha->hash_pool.fails_ctx = true;
	sha->partial_pool.execute = sha_partial_execute;
	sha->partial_pool.validate = sha_partial_validate;
	sha->partial_pool.fails_ctx = true;
	if (dev == NULL)
		return sha;
	sha->max_src_size = dev->info->caps.sha_max_src_size;
	sha->max_list_len = dev->info->caps.sha_max_list_len;
	sha->algorithms = dev->info->caps.sha_algorithms;
	sha->partial_algorithms = dev->info->caps.sha_partial_algorithms;
	return sha;
}

doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha_out)
{
	const struct dev_caps *caps;
	struct doca_sha *sha;

	if (dev == NULL || sha_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	caps = &dev->info->caps;
	if ((caps->sha_algorithms | caps->sha_partial_algorithms) == 0)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "sha create: %s does not support it; key sha of the device in the "
				 "topology allows it; ask "
				 "doca_sha_cap_task_hash_get_supported first",
				 dev->info->name);
	sha = sha_new(dev);
	if (sha == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "sha create: out of memory");
	*sha_out = sha;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_sha_create, 2_5);

doca_error_t sha_delete(struct doca_sha *sha)
{
	doca_error_t result = ctx_deinit(&sha->ctx);

	if (result != DOCA_SUCCESS)
		return result;
	task_pool_deinit(&sha->partial_pool);
	task_pool_deinit(&sha->hash_pool);
	sha_scratch_delete(sha->scratch);
	free(sha);
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_destroy(struct doca_sha *sha)
{
	if (sha == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha destroy: sha is NULL");
	return sha_delete(sha);
}

struct doca_ctx *doca_sha_as_ctx(struct doca_sha *sha)
{
	return sha == NULL ? NULL : &sha->ctx;
}

/* The checks that the configuration of both kinds of tasks shares. */
static doca_error_t conf_check(const struct doca_sha *sha, bool has_ok_cb, bool has_err_cb,
			       uint8_t log_num_tasks, const char *what)
{
	uint32_t max;
	doca_error_t result;

	if (sha == NULL || !has_ok_cb || !has_err_cb)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s", what,
				 sha == NULL  ? "sha is NULL"
				 : !has_ok_cb ? "the completion callback is NULL"
					      : "the error callback is NULL");
	if (sha->ctx.legacy != NULL)
		return api_refuse(what, "sha object", sha->ctx.legacy->api);
	result = ctx_check_idle(&sha->ctx, DOCA_ERROR_BAD_STATE, what);
	if (result != DOCA_SUCCESS)
		return result;
	max = sha->ctx.dev->info->caps.sha_max_tasks;
	if (log_num_tasks >= 32 || UINT32_C(1) << log_num_tasks > max)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"%s: 2 to the power of %u tasks, %s allows %u; the number is a logarithm",
			what, log_num_tasks, sha->ctx.dev->info->name, max);
	return DOCA_SUCCESS;
}

static doca_error_t conf_no_memory(const char *what, uint8_t log_num_tasks)
{
	return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory for %u %s", what,
			 UINT32_C(1) << log_num_tasks,
			 plural(UINT32_C(1) << log_num_tasks, "task", "tasks"));
}

doca_error_t doca_sha_task_hash_set_conf(struct doca_sha *sha,
					 doca_sha_task_hash_completion_cb_t task_completion_cb,
					 doca_sha_task_hash_completion_cb_t task_error_cb,
					 uint8_t log_num_tasks)
{
	const char *what = "sha hash set conf";
	doca_error_t result;

	result = conf_check(sha, task_completion_cb != NULL, task_error_cb != NULL, log_num_tasks,
			    what);
	if (result != DOCA_SUCCESS)
		return result;
	if (task_pool_init(&sha->hash_pool, &sha->ctx, UINT32_C(1) << log_num_tasks,
			   sizeof(struct sha_task)) < 0)
		return conf_no_memory(what, log_num_tasks);
	/* The cast is safe: a task of this pool begins with its doca_task. */
	sha->hash_pool.ok_cb = (doca_task_completion_cb_t)task_completion_cb;
	sha->hash_pool.err_cb = (doca_task_completion_cb_t)task_error_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_task_partial_hash_set_conf(
	struct doca_sha *sha, doca_sha_task_partial_hash_completion_cb_t task_completion_cb,
	doca_sha_task_partial_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks)
{
	const char *what = "sha partial hash set conf";
	doca_error_t result;

	result = conf_check(sha, task_completion_cb != NULL, task_error_cb != NULL, log_num_tasks,
			    what);
	if (result != DOCA_SUCCESS)
		return result;
	if (task_pool_init(&sha->partial_pool, &sha->ctx, UINT32_C(1) << log_num_tasks,
			   sizeof(struct sha_partial_task)) < 0)
		return conf_no_memory(what, log_num_tasks);
	sha->partial_pool.ok_cb = (doca_task_completion_cb_t)task_completion_cb;
	sha->partial_pool.err_cb = (doca_task_completion_cb_t)task_error_cb;
	return DOCA_SUCCESS;
}
