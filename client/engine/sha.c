/*
 * The SHA object: its life and its configuration, see client/engine/sha.h. A task that fails stops
 * the context, as an error of a hardware queue does. Threads: those of the progress engine.
 */
#include "client/engine/sha.h"

#include <stdlib.h>
#include <string.h>

#include "client/core/error.h"

const struct sha_algorithm sha_algorithms[SHA_N_ALGORITHMS] = {
	[DOCA_SHA_ALGORITHM_SHA1] = {"SHA1", 20, 64},
	[DOCA_SHA_ALGORITHM_SHA256] = {"SHA2-256", 32, 64},
	[DOCA_SHA_ALGORITHM_SHA512] = {"SHA2-512", 64, 128},
};

static struct sha_partial_task *partial_at(const struct task_pool *pool, uint32_t i)
{
	return (struct sha_partial_task *)(void *)((uint8_t *)pool->memory + i * pool->stride);
}

void sha_partial_digests_delete(struct doca_sha *sha)
{
	for (uint32_t i = 0; i < sha->partial_pool.n_tasks; i++) {
		struct sha_partial_task *t = partial_at(&sha->partial_pool, i);

		for (unsigned a = 0; a < SHA_N_ALGORITHMS; a++) {
			EVP_MD_CTX_free(t->digests[a]);
			t->digests[a] = NULL;
		}
	}
}

/* One digest context of each algorithm in the bitmap; what is there already stays. */
static bool digests_make(const struct doca_sha *sha, uint32_t bitmap, EVP_MD_CTX **digests)
{
	for (unsigned a = 0; a < SHA_N_ALGORITHMS; a++) {
		EVP_MD_CTX *digest;

		if (!sha_has(bitmap, a) || digests[a] != NULL)
			continue;
		digest = EVP_MD_CTX_new();
		if (digest == NULL || EVP_DigestInit_ex2(digest, sha->mds[a], NULL) != 1) {
			EVP_MD_CTX_free(digest);
			return false;
		}
		digests[a] = digest;
	}
	return true;
}

static doca_error_t sha_start(struct doca_ctx *ctx)
{
	const struct dev_caps *caps = &ctx->dev->info->caps;
	struct doca_sha *sha = sha_of(ctx);
	bool made = true;

	if (sha->hash_pool.ok_cb == NULL && sha->partial_pool.ok_cb == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "sha start: no tasks; call doca_sha_task_hash_set_conf or "
				 "doca_sha_task_partial_hash_set_conf first");
	for (unsigned a = 0; a < SHA_N_ALGORITHMS; a++) {
		if (sha->mds[a] != NULL ||
		    !sha_has(caps->sha_algorithms | caps->sha_partial_algorithms, a))
			continue;
		sha->mds[a] = EVP_MD_fetch(NULL, sha_algorithms[a].name, NULL);
		if (sha->mds[a] == NULL)
			return error_set(DOCA_ERROR_INITIALIZATION,
					 "sha start: libcrypto gives no %s; see its configuration "
					 "(openssl.cnf)",
					 sha_algorithms[a].name);
	}
	/* All of it now: tasks take nothing from the heap. */
	made = digests_make(sha, caps->sha_algorithms, sha->digests);
	for (uint32_t i = 0; made && i < sha->partial_pool.n_tasks; i++)
		made = digests_make(sha, caps->sha_partial_algorithms,
				    partial_at(&sha->partial_pool, i)->digests);
	if (made && sha->scratch == NULL)
		sha->scratch = sha_scratch_new();
	if (!made || sha->scratch == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "sha start: out of memory for the digests of %u tasks",
				 sha->partial_pool.n_tasks);
	return DOCA_SUCCESS;
}

static const struct ctx_ops sha_ops = {.name = "sha", .start = sha_start};

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
				 "sha create: %s has no SHA; ask "
				 "doca_sha_cap_task_hash_get_supported first",
				 dev->info->name);
	if (posix_memalign((void **)&sha, 64, sizeof(*sha)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "sha create: out of memory");
	memset(sha, 0, sizeof(*sha));
	ctx_init(&sha->ctx, &sha_ops, dev);
	sha->hash_pool.execute = sha_hash_execute;
	sha->hash_pool.validate = sha_hash_validate;
	sha->hash_pool.fails_ctx = true;
	sha->partial_pool.execute = sha_partial_execute;
	sha->partial_pool.validate = sha_partial_validate;
	sha->partial_pool.fails_ctx = true;
	sha->max_src_size = caps->sha_max_src_size;
	sha->max_list_len = caps->sha_max_list_len;
	*sha_out = sha;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_destroy(struct doca_sha *sha)
{
	doca_error_t result;

	if (sha == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha destroy: sha is NULL");
	result = ctx_deinit(&sha->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	sha_partial_digests_delete(sha);
	task_pool_deinit(&sha->partial_pool);
	task_pool_deinit(&sha->hash_pool);
	for (unsigned a = 0; a < SHA_N_ALGORITHMS; a++) {
		EVP_MD_CTX_free(sha->digests[a]);
		EVP_MD_free(sha->mds[a]);
	}
	sha_scratch_delete(sha->scratch);
	free(sha);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_sha_as_ctx(struct doca_sha *sha)
{
	return sha == NULL ? NULL : &sha->ctx;
}

/* What both kinds of task check before they are configured. */
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
	result = ctx_check_idle(&sha->ctx, DOCA_ERROR_BAD_STATE, what);
	if (result != DOCA_SUCCESS)
		return result;
	max = sha->ctx.dev->info->caps.sha_max_tasks;
	if (log_num_tasks >= 32 || UINT32_C(1) << log_num_tasks > max)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: 2 to the power of %u tasks, %s allows %u; the number is a "
				 "logarithm",
				 what, log_num_tasks, sha->ctx.dev->info->name, max);
	return DOCA_SUCCESS;
}

static doca_error_t conf_no_memory(const char *what, uint8_t log_num_tasks)
{
	return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory for %u tasks", what,
			 UINT32_C(1) << log_num_tasks);
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
	/* A task of this pool starts with its doca_task, which is what the typed callbacks get too.
	 */
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
	/* If there is no memory the tasks of before stay, and get digests again at start. */
	sha_partial_digests_delete(sha);
	if (task_pool_init(&sha->partial_pool, &sha->ctx, UINT32_C(1) << log_num_tasks,
			   sizeof(struct sha_partial_task)) < 0)
		return conf_no_memory(what, log_num_tasks);
	sha->partial_pool.ok_cb = (doca_task_completion_cb_t)task_completion_cb;
	sha->partial_pool.err_cb = (doca_task_completion_cb_t)task_error_cb;
	return DOCA_SUCCESS;
}
