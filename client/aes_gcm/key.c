/*
 * Keys of AES-GCM; see client/aes_gcm/aes_gcm.h. The raw key is read once and no copy of it is
 * kept. libcrypto has the expanded key in its contexts, and overwrites it when they are freed.
 * Threads: those of the progress engine.
 */
#include <openssl/err.h>
#include <stdlib.h>

#include "client/aes_gcm/aes_gcm.h"
#include "client/base/error.h"

static void key_free(struct doca_aes_gcm_key *key)
{
	EVP_CIPHER_CTX_free(key->ciphers[GCM_ENCRYPT]);
	EVP_CIPHER_CTX_free(key->ciphers[GCM_DECRYPT]);
	free(key);
}

/* Expands the raw key for both directions. Returns false if libcrypto refuses. */
static bool key_expand(struct doca_aes_gcm_key *key, const uint8_t *raw_key)
{
	const EVP_CIPHER *cipher = key->type == DOCA_AES_GCM_KEY_128 ? EVP_aes_128_gcm()
								     : EVP_aes_256_gcm();

	for (int i = GCM_ENCRYPT; i <= GCM_DECRYPT; i++) {
		key->ciphers[i] = EVP_CIPHER_CTX_new();
		if (key->ciphers[i] == NULL ||
		    EVP_CipherInit_ex(key->ciphers[i], cipher, NULL, raw_key, NULL,
				      i == GCM_ENCRYPT) != 1)
			return false;
		key->iv_lens[i] = (uint32_t)EVP_CIPHER_CTX_get_iv_length(key->ciphers[i]);
	}
	return true;
}

doca_error_t doca_aes_gcm_key_create(struct doca_aes_gcm *aes_gcm, const void *raw_key,
				     enum doca_aes_gcm_key_type raw_key_type,
				     struct doca_aes_gcm_key **key_out)
{
	const char *what = "aes_gcm key create";
	struct doca_aes_gcm_key *key;
	bool is_expanded;

	if (aes_gcm == NULL || raw_key == NULL || key_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 aes_gcm == NULL   ? "aes_gcm"
				 : raw_key == NULL ? "raw_key"
						   : "the result");
	if (raw_key_type != DOCA_AES_GCM_KEY_128 && raw_key_type != DOCA_AES_GCM_KEY_256)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %u is no type of key; they are of 128 bits (1) and of 256 "
				 "bits (2)",
				 what, (unsigned)raw_key_type);
	if (!gcm_has_key_type(aes_gcm->ctx.dev->info, raw_key_type))
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "%s: %s has no keys of %d bits; key aes_gcm of the device in the "
				 "topology allows them",
				 what, aes_gcm->ctx.dev->info->name,
				 raw_key_type == DOCA_AES_GCM_KEY_128 ? 128 : 256);
	key = calloc(1, sizeof(*key));
	if (key == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory", what);
	key->aes_gcm = aes_gcm;
	key->type = raw_key_type;
	/* The program may use libcrypto itself, and then reads its queue of errors. */
	(void)ERR_set_mark();
	is_expanded = key_expand(key, raw_key);
	(void)ERR_pop_to_mark();
	if (!is_expanded) {
		key_free(key);
		return error_set(DOCA_ERROR_DRIVER, "%s: libcrypto refused the key", what);
	}
	list_append(&aes_gcm->keys, &key->node);
	*key_out = key;
	return DOCA_SUCCESS;
}

static struct gcm_task *task_at(const struct task_pool *pool, uint32_t i)
{
	return (struct gcm_task *)(void *)((uint8_t *)pool->memory + i * pool->stride);
}

/* Returns the number of submitted tasks that have the key. */
static uint32_t key_count_submitted(const struct doca_aes_gcm_key *key)
{
	uint32_t n = 0;

	for (int d = GCM_ENCRYPT; d <= GCM_DECRYPT; d++) {
		const struct task_pool *pool = &key->aes_gcm->pools[d];

		for (uint32_t i = 0; i < pool->n_tasks; i++)
			n += task_at(pool, i)->key == key &&
			     task_at(pool, i)->task.state == TASK_SUBMITTED;
	}
	return n;
}

/* Removes the key from all tasks, so that a later submission is refused. */
static void key_forget(const struct doca_aes_gcm_key *key)
{
	for (int d = GCM_ENCRYPT; d <= GCM_DECRYPT; d++) {
		const struct task_pool *pool = &key->aes_gcm->pools[d];

		for (uint32_t i = 0; i < pool->n_tasks; i++)
			if (task_at(pool, i)->key == key)
				task_at(pool, i)->key = NULL;
	}
}

doca_error_t doca_aes_gcm_key_destroy(struct doca_aes_gcm_key *key)
{
	uint32_t n;

	if (key == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "aes_gcm key destroy: key is NULL");
	n = key_count_submitted(key);
	if (n > 0)
		return error_set(DOCA_ERROR_IN_USE,
				 "aes_gcm key destroy: %u submitted tasks use the key; progress "
				 "until they have completed",
				 n);
	key_forget(key);
	list_remove(&key->node);
	key_free(key);
	return DOCA_SUCCESS;
}
