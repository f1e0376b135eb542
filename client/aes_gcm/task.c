/*
 * The public functions of AES-GCM tasks; see client/aes_gcm/aes_gcm.h. The setters return nothing;
 * the submission or the execution of the task reports a wrong value. Threads: those of the progress
 * engine.
 */
#include <string.h>

#include "client/aes_gcm/aes_gcm.h"
#include "client/base/error.h"

struct gcm_arguments {
	const struct doca_buf *src;
	struct doca_buf *dst;
	struct doca_aes_gcm_key *key;
	const uint8_t *iv;
	uint32_t iv_len, tag_size, aad_size;
};

static void iv_copy(struct gcm_task *t, const uint8_t *iv, uint32_t iv_len)
{
	t->iv_len = iv == NULL ? 0 : iv_len;
	if (iv != NULL)
		memcpy(t->iv, iv, MIN(iv_len, AES_GCM_MAX_IV_LEN));
}

/* Only the key's own object knows which tasks have the key when it is destroyed, so a task never
 * keeps a key of another object. */
static void key_set(struct gcm_task *t, struct doca_aes_gcm_key *key)
{
	t->is_key_foreign = key != NULL && key->aes_gcm != aes_gcm_of(t->task.ctx);
	t->key = t->is_key_foreign ? NULL : key;
}

/* Returns the error of wrong arguments of an allocation. */
static __attribute__((noinline)) doca_error_t refuse(const struct doca_aes_gcm *aes_gcm,
						     const struct gcm_arguments *a,
						     const char *what)
{
	if (a->src == NULL || a->dst == NULL || a->key == NULL || a->iv == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 a->src == NULL   ? "src_buff"
				 : a->dst == NULL ? "dst_buff"
				 : a->key == NULL ? "key"
						  : "iv");
	if (a->key->aes_gcm != aes_gcm)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the key is of another object; create one with this object",
				 what);
	if (a->iv_len == 0 || a->iv_len > aes_gcm->max_iv_len)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: an IV of %u bytes, %s allows 1 to %u", what, a->iv_len,
				 aes_gcm->ctx.dev->info->name, aes_gcm->max_iv_len);
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "%s: a tag of %u bytes; they are of 12 and of 16 bytes; ask "
			 "doca_aes_gcm_cap_task_encrypt_is_tag_96_supported and its siblings",
			 what, a->tag_size);
}

static __attribute__((noinline)) doca_error_t no_task(const struct doca_aes_gcm *aes_gcm,
						      const struct task_pool *pool,
						      const char *what)
{
	if (aes_gcm->ctx.state != DOCA_CTX_STATE_RUNNING)
		return ctx_not_running(&aes_gcm->ctx, what);
	if (pool->ok_cb == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "%s: tasks of this kind were not configured before the start",
				 what);
	return error_hint(DOCA_ERROR_NO_MEMORY,
			  "aes_gcm alloc: all tasks are in use; free some or configure more");
}

static doca_error_t task_alloc(struct doca_aes_gcm *aes_gcm, enum gcm_direction direction,
			       const struct gcm_arguments *a, union doca_data user_data,
			       const char *what, struct gcm_task **task_out)
{
	struct gcm_task *t;

	if (unlikely(aes_gcm == NULL || task_out == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 aes_gcm == NULL ? "aes_gcm" : "the result");
	if (unlikely(a->src == NULL || a->dst == NULL || a->key == NULL || a->iv == NULL ||
		     a->key->aes_gcm != aes_gcm || a->iv_len == 0 ||
		     a->iv_len > aes_gcm->max_iv_len ||
		     !gcm_has_tag_size(aes_gcm->tags, a->tag_size)))
		return refuse(aes_gcm, a, what);
	t = (struct gcm_task *)(void *)task_pool_get(&aes_gcm->pools[direction], user_data);
	if (unlikely(t == NULL))
		return no_task(aes_gcm, &aes_gcm->pools[direction], what);
	t->src = a->src;
	t->dst = a->dst;
	key_set(t, a->key);
	t->tag_size = a->tag_size;
	t->aad_size = a->aad_size;
	iv_copy(t, a->iv, a->iv_len);
	*task_out = t;
	return DOCA_SUCCESS;
}

/* A submitted task keeps its key, so that the key cannot be destroyed before the task has
 * completed. */
static void set_key(struct gcm_task *t, struct doca_aes_gcm_key *key, const char *what)
{
	if (unlikely(t->task.state == TASK_SUBMITTED))
		error_set(DOCA_ERROR_BAD_STATE,
			  "%s: the task is submitted and keeps its key; progress until it has "
			  "completed",
			  what);
	else
		key_set(t, key);
}

/* --- encrypt --- */

static struct gcm_task *encrypt_of(struct doca_aes_gcm_task_encrypt *task)
{
	return (struct gcm_task *)task;
}

static const struct gcm_task *encrypt_of_const(const struct doca_aes_gcm_task_encrypt *task)
{
	return (const struct gcm_task *)task;
}

doca_error_t doca_aes_gcm_task_encrypt_alloc_init(
	struct doca_aes_gcm *aes_gcm, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	struct doca_aes_gcm_key *key, const uint8_t *iv, uint32_t iv_length, uint32_t tag_size,
	uint32_t aad_size, union doca_data user_data, struct doca_aes_gcm_task_encrypt **task)
{
	const struct gcm_arguments arguments = {
		.src = src_buff,
		.dst = dst_buff,
		.key = key,
		.iv = iv,
		.iv_len = iv_length,
		.tag_size = tag_size,
		.aad_size = aad_size,
	};

	return task_alloc(aes_gcm, GCM_ENCRYPT, &arguments, user_data, "aes_gcm encrypt alloc",
			  (struct gcm_task **)task);
}

struct doca_task *doca_aes_gcm_task_encrypt_as_task(struct doca_aes_gcm_task_encrypt *task)
{
	return task == NULL ? NULL : &encrypt_of(task)->task;
}

void doca_aes_gcm_task_encrypt_set_src(struct doca_aes_gcm_task_encrypt *task,
				       struct doca_buf const *src_buff)
{
	encrypt_of(task)->src = src_buff;
}

struct doca_buf const *doca_aes_gcm_task_encrypt_get_src(
	const struct doca_aes_gcm_task_encrypt *task)
{
	return encrypt_of_const(task)->src;
}

void doca_aes_gcm_task_encrypt_set_dst(struct doca_aes_gcm_task_encrypt *task,
				       struct doca_buf *dst_buff)
{
	encrypt_of(task)->dst = dst_buff;
}

struct doca_buf *doca_aes_gcm_task_encrypt_get_dst(const struct doca_aes_gcm_task_encrypt *task)
{
	return encrypt_of_const(task)->dst;
}

void doca_aes_gcm_task_encrypt_set_key(struct doca_aes_gcm_task_encrypt *task,
				       struct doca_aes_gcm_key *key)
{
	set_key(encrypt_of(task), key, "aes_gcm encrypt set key");
}

struct doca_aes_gcm_key *doca_aes_gcm_task_encrypt_get_key(
	const struct doca_aes_gcm_task_encrypt *task)
{
	return encrypt_of_const(task)->key;
}

void doca_aes_gcm_task_encrypt_set_iv(struct doca_aes_gcm_task_encrypt *task, const uint8_t *iv,
				      uint32_t iv_length)
{
	iv_copy(encrypt_of(task), iv, iv_length);
}

const uint8_t *doca_aes_gcm_task_encrypt_get_iv(const struct doca_aes_gcm_task_encrypt *task,
						uint32_t *iv_length)
{
	*iv_length = encrypt_of_const(task)->iv_len;
	return encrypt_of_const(task)->iv;
}

void doca_aes_gcm_task_encrypt_set_tag_size(struct doca_aes_gcm_task_encrypt *task,
					    uint32_t tag_size)
{
	encrypt_of(task)->tag_size = tag_size;
}

uint32_t doca_aes_gcm_task_encrypt_get_tag_size(const struct doca_aes_gcm_task_encrypt *task)
{
	return encrypt_of_const(task)->tag_size;
}

void doca_aes_gcm_task_encrypt_set_aad_size(struct doca_aes_gcm_task_encrypt *task,
					    uint32_t aad_size)
{
	encrypt_of(task)->aad_size = aad_size;
}

uint32_t doca_aes_gcm_task_encrypt_get_aad_size(const struct doca_aes_gcm_task_encrypt *task)
{
	return encrypt_of_const(task)->aad_size;
}

/* --- decrypt --- */

static struct gcm_task *decrypt_of(struct doca_aes_gcm_task_decrypt *task)
{
	return (struct gcm_task *)task;
}

static const struct gcm_task *decrypt_of_const(const struct doca_aes_gcm_task_decrypt *task)
{
	return (const struct gcm_task *)task;
}

doca_error_t doca_aes_gcm_task_decrypt_alloc_init(
	struct doca_aes_gcm *aes_gcm, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	struct doca_aes_gcm_key *key, const uint8_t *iv, uint32_t iv_length, uint32_t tag_size,
	uint32_t aad_size, union doca_data user_data, struct doca_aes_gcm_task_decrypt **task)
{
	const struct gcm_arguments arguments = {
		.src = src_buff,
		.dst = dst_buff,
		.key = key,
		.iv = iv,
		.iv_len = iv_length,
		.tag_size = tag_size,
		.aad_size = aad_size,
	};

	return task_alloc(aes_gcm, GCM_DECRYPT, &arguments, user_data, "aes_gcm decrypt alloc",
			  (struct gcm_task **)task);
}

struct doca_task *doca_aes_gcm_task_decrypt_as_task(struct doca_aes_gcm_task_decrypt *task)
{
	return task == NULL ? NULL : &decrypt_of(task)->task;
}

void doca_aes_gcm_task_decrypt_set_src(struct doca_aes_gcm_task_decrypt *task,
				       struct doca_buf const *src_buff)
{
	decrypt_of(task)->src = src_buff;
}

struct doca_buf const *doca_aes_gcm_task_decrypt_get_src(
	const struct doca_aes_gcm_task_decrypt *task)
{
	return decrypt_of_const(task)->src;
}

void doca_aes_gcm_task_decrypt_set_dst(struct doca_aes_gcm_task_decrypt *task,
				       struct doca_buf *dst_buff)
{
	decrypt_of(task)->dst = dst_buff;
}

struct doca_buf *doca_aes_gcm_task_decrypt_get_dst(const struct doca_aes_gcm_task_decrypt *task)
{
	return decrypt_of_const(task)->dst;
}

void doca_aes_gcm_task_decrypt_set_key(struct doca_aes_gcm_task_decrypt *task,
				       struct doca_aes_gcm_key *key)
{
	set_key(decrypt_of(task), key, "aes_gcm decrypt set key");
}

struct doca_aes_gcm_key *doca_aes_gcm_task_decrypt_get_key(
	const struct doca_aes_gcm_task_decrypt *task)
{
	return decrypt_of_const(task)->key;
}

void doca_aes_gcm_task_decrypt_set_iv(struct doca_aes_gcm_task_decrypt *task, const uint8_t *iv,
				      uint32_t iv_length)
{
	iv_copy(decrypt_of(task), iv, iv_length);
}

const uint8_t *doca_aes_gcm_task_decrypt_get_iv(const struct doca_aes_gcm_task_decrypt *task,
						uint32_t *iv_length)
{
	*iv_length = decrypt_of_const(task)->iv_len;
	return decrypt_of_const(task)->iv;
}

void doca_aes_gcm_task_decrypt_set_tag_size(struct doca_aes_gcm_task_decrypt *task,
					    uint32_t tag_size)
{
	decrypt_of(task)->tag_size = tag_size;
}

uint32_t doca_aes_gcm_task_decrypt_get_tag_size(const struct doca_aes_gcm_task_decrypt *task)
{
	return decrypt_of_const(task)->tag_size;
}

void doca_aes_gcm_task_decrypt_set_aad_size(struct doca_aes_gcm_task_decrypt *task,
					    uint32_t aad_size)
{
	decrypt_of(task)->aad_size = aad_size;
}

uint32_t doca_aes_gcm_task_decrypt_get_aad_size(const struct doca_aes_gcm_task_decrypt *task)
{
	return decrypt_of_const(task)->aad_size;
}
