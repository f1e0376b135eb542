/*
 * The AES-GCM object: creation and configuration; see client/aes_gcm/aes_gcm.h. A failed task does
 * not stop the context, because a peer that sends a forged message must not stop the others.
 * Threads: those of the progress engine.
 */
#include "client/aes_gcm/aes_gcm.h"

#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"

static doca_error_t gcm_start(struct doca_ctx *ctx)
{
	struct doca_aes_gcm *aes_gcm = aes_gcm_of(ctx);

	if (aes_gcm->pools[GCM_ENCRYPT].ok_cb == NULL && aes_gcm->pools[GCM_DECRYPT].ok_cb == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "aes_gcm start: no tasks; call doca_aes_gcm_task_encrypt_set_conf "
				 "or doca_aes_gcm_task_decrypt_set_conf first");
	if (aes_gcm->scratch == NULL)
		aes_gcm->scratch = gcm_scratch_new();
	if (aes_gcm->scratch == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION, "aes_gcm start: out of memory");
	return staging_open(ctx, &gcm_staging_ops);
}

static void gcm_release(struct doca_ctx *ctx)
{
	staging_release(ctx);
	bounce_free(&aes_gcm_of(ctx)->held);
}

static const struct ctx_ops gcm_ops = {
	.name = "aes-gcm",
	.counted_as = COUNTERS_AES_GCM,
	.start = gcm_start,
	.stop = staging_stop,
	.stopped = staging_stopped,
	.release = gcm_release,
	.poll = staging_poll,
	.arm = staging_arm,
	.disarm = staging_disarm,
};

doca_error_t doca_aes_gcm_create(struct doca_dev *dev, struct doca_aes_gcm **aes_gcm_out)
{
	const struct dev_caps *caps;
	struct doca_aes_gcm *aes_gcm;

	if (dev == NULL || aes_gcm_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "aes_gcm create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	caps = &dev->info->caps;
	if (caps->aes_gcm_keys == 0)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "aes_gcm create: %s does not support it; key aes_gcm of the "
				 "device in the topology allows it; ask "
				 "doca_aes_gcm_cap_task_encrypt_is_supported first",
				 dev->info->name);
	if (posix_memalign((void **)&aes_gcm, 64, sizeof(*aes_gcm)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "aes_gcm create: out of memory");
	memset(aes_gcm, 0, sizeof(*aes_gcm));
	ctx_init(&aes_gcm->ctx, &gcm_ops, dev);
	aes_gcm->staged.hold_len = SIZE_MAX;
	aes_gcm->held.is_secret = true;
	list_init(&aes_gcm->keys);
	aes_gcm->pools[GCM_ENCRYPT].execute = gcm_encrypt_execute;
	aes_gcm->pools[GCM_ENCRYPT].validate = gcm_encrypt_validate;
	aes_gcm->pools[GCM_DECRYPT].execute = gcm_decrypt_execute;
	aes_gcm->pools[GCM_DECRYPT].validate = gcm_decrypt_validate;
	aes_gcm->max_buf_size = MIN(caps->aes_gcm_max_buf_size, AES_GCM_MAX_LEN);
	aes_gcm->max_list_len = caps->aes_gcm_max_list_len;
	aes_gcm->max_iv_len = MIN(caps->aes_gcm_max_iv_len, AES_GCM_MAX_IV_LEN);
	aes_gcm->tags = caps->aes_gcm_tags;
	*aes_gcm_out = aes_gcm;
	return DOCA_SUCCESS;
}

doca_error_t doca_aes_gcm_destroy(struct doca_aes_gcm *aes_gcm)
{
	doca_error_t result;

	if (aes_gcm == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "aes_gcm destroy: aes_gcm is NULL");
	if (!list_is_empty(&aes_gcm->keys))
		return error_set(DOCA_ERROR_IN_USE,
				 "aes_gcm destroy: the object has keys; call "
				 "doca_aes_gcm_key_destroy for each of them first");
	result = ctx_deinit(&aes_gcm->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	task_pool_deinit(&aes_gcm->pools[GCM_DECRYPT]);
	task_pool_deinit(&aes_gcm->pools[GCM_ENCRYPT]);
	gcm_scratch_delete(aes_gcm->scratch);
	free(aes_gcm);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_aes_gcm_as_ctx(struct doca_aes_gcm *aes_gcm)
{
	return aes_gcm == NULL ? NULL : &aes_gcm->ctx;
}

/* Configures the pool of a direction. A task of it begins with its doca_task, so that its callbacks
 * are callbacks of a doca_task. */
static doca_error_t pool_set_conf(struct doca_aes_gcm *aes_gcm, enum gcm_direction direction,
				  doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
				  uint32_t num_tasks, const char *what)
{
	struct task_pool *pool;
	doca_error_t result;
	uint32_t max;

	if (aes_gcm == NULL || ok_cb == NULL || err_cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s", what,
				 aes_gcm == NULL ? "aes_gcm is NULL"
				 : ok_cb == NULL ? "the completion callback is NULL"
						 : "the error callback is NULL");
	result = ctx_check_idle(&aes_gcm->ctx, DOCA_ERROR_BAD_STATE, what);
	if (result != DOCA_SUCCESS)
		return result;
	max = aes_gcm->ctx.dev->info->caps.aes_gcm_max_tasks;
	if (num_tasks == 0 || num_tasks > max)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %u tasks, %s allows 1 to %u", what,
				 num_tasks, aes_gcm->ctx.dev->info->name, max);
	pool = &aes_gcm->pools[direction];
	if (task_pool_init(pool, &aes_gcm->ctx, num_tasks, sizeof(struct gcm_task)) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory for %u tasks", what,
				 num_tasks);
	pool->ok_cb = ok_cb;
	pool->err_cb = err_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_aes_gcm_task_encrypt_set_conf(
	struct doca_aes_gcm *aes_gcm, doca_aes_gcm_task_encrypt_completion_cb_t task_completion_cb,
	doca_aes_gcm_task_encrypt_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	return pool_set_conf(aes_gcm, GCM_ENCRYPT, (doca_task_completion_cb_t)task_completion_cb,
			     (doca_task_completion_cb_t)task_error_cb, num_tasks,
			     "aes_gcm encrypt set conf");
}

doca_error_t doca_aes_gcm_task_decrypt_set_conf(
	struct doca_aes_gcm *aes_gcm, doca_aes_gcm_task_decrypt_completion_cb_t task_completion_cb,
	doca_aes_gcm_task_decrypt_completion_cb_t task_error_cb, uint32_t num_tasks)
{
	return pool_set_conf(aes_gcm, GCM_DECRYPT, (doca_task_completion_cb_t)task_completion_cb,
			     (doca_task_completion_cb_t)task_error_cb, num_tasks,
			     "aes_gcm decrypt set conf");
}
