/*
 * The public functions of SHA tasks; see client/sha/sha.h. A reset begins the next message of a
 * partial hash. Until then, calls that would change the current message are refused. Threads: those
 * of the progress engine.
 */
#include "client/base/error.h"
#include "client/sha/sha.h"

static struct sha_task *hash_of(struct doca_sha_task_hash *task)
{
	return (struct sha_task *)task;
}

static const struct sha_task *hash_of_const(struct doca_sha_task_hash const *task)
{
	return (const struct sha_task *)task;
}

static struct sha_task *partial_of(struct doca_sha_task_partial_hash *task)
{
	return (struct sha_task *)task;
}

static const struct sha_task *partial_of_const(struct doca_sha_task_partial_hash const *task)
{
	return (const struct sha_task *)task;
}

static __attribute__((noinline)) doca_error_t null_argument(const char *what, const char *name)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what, name);
}

static __attribute__((noinline)) doca_error_t no_algorithm(const struct doca_ctx *ctx,
							   enum doca_sha_algorithm algorithm,
							   const char *what)
{
	if (ctx->legacy != NULL)
		return api_refuse(what, "sha object", ctx->legacy->api);
	if ((unsigned)algorithm >= SHA_N_ALGORITHMS)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %u is no algorithm; they are SHA1 (0), SHA256 (1), SHA512 "
				 "(2)",
				 what, (unsigned)algorithm);
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s has no %s", what, ctx->dev->info->name,
			 sha_algorithms[algorithm].name);
}

static __attribute__((noinline)) doca_error_t no_task(const struct doca_sha *sha,
						      const struct task_pool *pool,
						      const char *what)
{
	if (sha->ctx.state != DOCA_CTX_STATE_RUNNING)
		return ctx_not_running(&sha->ctx, what);
	if (pool->ok_cb == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "%s: tasks of this kind were not configured before the start",
				 what);
	return error_hint(DOCA_ERROR_NO_MEMORY,
			  "sha alloc: all tasks are in use; free some or configure more");
}

static inline doca_error_t task_alloc(struct doca_sha *sha, struct task_pool *pool, uint32_t bitmap,
				      enum doca_sha_algorithm algorithm,
				      const struct doca_buf *src_buf, struct doca_buf *dst_buf,
				      union doca_data user_data, const char *what,
				      struct sha_task **task_out)
{
	struct sha_task *t;

	if (unlikely(src_buf == NULL || dst_buf == NULL))
		return null_argument(what, src_buf == NULL ? "src_buf" : "dst_buf");
	if (unlikely(!sha_has(bitmap, algorithm)))
		return no_algorithm(&sha->ctx, algorithm, what);
	t = (struct sha_task *)(void *)task_pool_get(pool, user_data);
	if (unlikely(t == NULL))
		return no_task(sha, pool, what);
	t->src = src_buf;
	t->dst = dst_buf;
	t->algorithm = (uint8_t)algorithm;
	t->is_final = t->has_result = t->is_begun = false;
	*task_out = t;
	return DOCA_SUCCESS;
}

/* --- hash --- */

doca_error_t doca_sha_task_hash_alloc_init(struct doca_sha *sha, enum doca_sha_algorithm algorithm,
					   struct doca_buf const *src_buf, struct doca_buf *dst_buf,
					   union doca_data user_data,
					   struct doca_sha_task_hash **task_out)
{
	const char *what = "sha hash alloc";

	if (unlikely(sha == NULL || task_out == NULL))
		return null_argument(what, sha == NULL ? "sha" : "the result");
	return task_alloc(sha, &sha->hash_pool, sha->algorithms, algorithm, src_buf, dst_buf,
			  user_data, what, (struct sha_task **)task_out);
}

doca_error_t doca_sha_task_hash_set_src(struct doca_sha_task_hash *task,
					struct doca_buf const *src_buf)
{
	if (task == NULL || src_buf == NULL)
		return null_argument("sha hash source", task == NULL ? "task" : "src_buf");
	hash_of(task)->src = src_buf;
	return DOCA_SUCCESS;
}

struct doca_buf const *doca_sha_task_hash_get_src(struct doca_sha_task_hash const *task)
{
	return hash_of_const(task)->src;
}

doca_error_t doca_sha_task_hash_set_dst(struct doca_sha_task_hash *task, struct doca_buf *dst_buf)
{
	if (task == NULL || dst_buf == NULL)
		return null_argument("sha hash destination", task == NULL ? "task" : "dst_buf");
	hash_of(task)->dst = dst_buf;
	return DOCA_SUCCESS;
}

struct doca_buf const *doca_sha_task_hash_get_dst(struct doca_sha_task_hash const *task)
{
	return hash_of_const(task)->dst;
}

doca_error_t doca_sha_task_hash_set_algorithm(struct doca_sha_task_hash *task,
					      enum doca_sha_algorithm algorithm)
{
	const char *what = "sha hash algorithm";
	struct sha_task *t = hash_of(task);

	if (task == NULL)
		return null_argument(what, "task");
	if (!sha_has(t->task.ctx->dev->info->caps.sha_algorithms, algorithm))
		return no_algorithm(t->task.ctx, algorithm, what);
	t->algorithm = (uint8_t)algorithm;
	return DOCA_SUCCESS;
}

enum doca_sha_algorithm doca_sha_task_hash_get_algorithm(struct doca_sha_task_hash const *task)
{
	return (enum doca_sha_algorithm)hash_of_const(task)->algorithm;
}

struct doca_task *doca_sha_task_hash_as_task(struct doca_sha_task_hash *task)
{
	return task == NULL ? NULL : &hash_of(task)->task;
}

/* --- partial hash --- */

doca_error_t doca_sha_task_partial_hash_alloc_init(struct doca_sha *sha,
						   enum doca_sha_algorithm algorithm,
						   struct doca_buf const *src_buf,
						   struct doca_buf *dst_buf,
						   union doca_data user_data,
						   struct doca_sha_task_partial_hash **task_out)
{
	const char *what = "sha partial hash alloc";

	if (unlikely(sha == NULL || task_out == NULL))
		return null_argument(what, sha == NULL ? "sha" : "the result");
	return task_alloc(sha, &sha->partial_pool, sha->partial_algorithms, algorithm, src_buf,
			  dst_buf, user_data, what, (struct sha_task **)task_out);
}

doca_error_t doca_sha_task_partial_hash_reset(struct doca_sha_task_partial_hash *task)
{
	struct sha_task *t = partial_of(task);

	if (task == NULL)
		return null_argument("sha partial hash reset", "task");
	if (t->task.state == TASK_SUBMITTED)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sha partial hash reset: the task is submitted; wait for its "
				 "completion");
	t->is_final = t->has_result = t->is_begun = false;
	return DOCA_SUCCESS;
}

/* The destination and the algorithm of a message are fixed from its first segment on. */
static doca_error_t fresh_check(const struct sha_task *t, const char *what)
{
	if (t->task.state == TASK_SUBMITTED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the task is submitted; wait for its completion", what);
	if (t->has_result)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the message is complete; call "
				 "doca_sha_task_partial_hash_reset first",
				 what);
	if (t->is_begun)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the message is in progress; call "
				 "doca_sha_task_partial_hash_reset to begin another one",
				 what);
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_task_partial_hash_set_src(struct doca_sha_task_partial_hash *task,
						struct doca_buf const *src_buf)
{
	if (task == NULL || src_buf == NULL)
		return null_argument("sha partial hash source", task == NULL ? "task" : "src_buf");
	partial_of(task)->src = src_buf;
	return DOCA_SUCCESS;
}

struct doca_buf const *doca_sha_task_partial_hash_get_src(
	struct doca_sha_task_partial_hash const *task)
{
	return partial_of_const(task)->src;
}

doca_error_t doca_sha_task_partial_hash_set_dst(struct doca_sha_task_partial_hash *task,
						struct doca_buf *dst_buf)
{
	const char *what = "sha partial hash destination";
	doca_error_t result;

	if (task == NULL || dst_buf == NULL)
		return null_argument(what, task == NULL ? "task" : "dst_buf");
	result = fresh_check(partial_of(task), what);
	if (result == DOCA_SUCCESS)
		partial_of(task)->dst = dst_buf;
	return result;
}

struct doca_buf const *doca_sha_task_partial_hash_get_dst(
	struct doca_sha_task_partial_hash const *task)
{
	return partial_of_const(task)->dst;
}

doca_error_t doca_sha_task_partial_hash_set_algorithm(struct doca_sha_task_partial_hash *task,
						      enum doca_sha_algorithm algorithm)
{
	const char *what = "sha partial hash algorithm";
	struct sha_task *t = partial_of(task);
	doca_error_t result;

	if (task == NULL)
		return null_argument(what, "task");
	if (!sha_has(t->task.ctx->dev->info->caps.sha_partial_algorithms, algorithm))
		return no_algorithm(t->task.ctx, algorithm, what);
	result = fresh_check(t, what);
	if (result == DOCA_SUCCESS)
		t->algorithm = (uint8_t)algorithm;
	return result;
}

enum doca_sha_algorithm doca_sha_task_partial_hash_get_algorithm(
	struct doca_sha_task_partial_hash const *task)
{
	return (enum doca_sha_algorithm)partial_of_const(task)->algorithm;
}

doca_error_t sha_partial_set_final(struct sha_task *t)
{
	if (t == NULL)
		return null_argument("sha partial hash final", "task");
	if (t->task.state == TASK_SUBMITTED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sha partial hash final: the task is submitted; say it before");
	if (t->has_result)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sha partial hash final: the message is complete; call "
				 "doca_sha_task_partial_hash_reset first");
	t->is_final = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_task_partial_hash_set_is_final_buf(struct doca_sha_task_partial_hash *task)
{
	return sha_partial_set_final(partial_of(task));
}

uint8_t doca_sha_task_partial_hash_get_is_final(struct doca_sha_task_partial_hash const *task)
{
	return partial_of_const(task)->is_final;
}

uint8_t doca_sha_task_partial_hash_get_has_result(struct doca_sha_task_partial_hash const *task)
{
	return partial_of_const(task)->has_result;
}

struct doca_task *doca_sha_task_partial_hash_as_task(struct doca_sha_task_partial_hash *task)
{
	return task == NULL ? NULL : &partial_of(task)->task;
}
