/*
 * An AES-GCM object on the simulated device, with memory of this process and of a toy peer, and
 * tasks that are run one at a time. Include it in one file of a program.
 */
#ifndef TESTS_UNIT_CLIENT_AES_GCM_FIXTURE_H
#define TESTS_UNIT_CLIENT_AES_GCM_FIXTURE_H

#include <doca_aes_gcm.h>

#include "client/aes_gcm/aes_gcm.h"
#include "tests/unit/client/toy_peer.h"

#define N_TASKS 8

static struct doca_pe *pe;
static struct doca_aes_gcm *gcm;
static struct doca_ctx *ctx;
static struct doca_aes_gcm_key *key128, *key256;
static unsigned n_ok, n_failed;
static doca_error_t status;

static const uint8_t raw_key[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, iv[128] = {9, 8, 7, 6, 5, 4, 3};
static const union doca_data no_data;

static inline void completed(struct doca_task *task, bool ok)
{
	status = doca_task_get_status(task);
	n_ok += ok;
	n_failed += !ok;
	doca_task_free(task);
}

static inline void encrypt_ok(struct doca_aes_gcm_task_encrypt *task, union doca_data user_data,
			      union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	completed(doca_aes_gcm_task_encrypt_as_task(task), true);
}

static inline void encrypt_failed(struct doca_aes_gcm_task_encrypt *task, union doca_data user_data,
				  union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	completed(doca_aes_gcm_task_encrypt_as_task(task), false);
}

static inline void decrypt_ok(struct doca_aes_gcm_task_decrypt *task, union doca_data user_data,
			      union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	completed(doca_aes_gcm_task_decrypt_as_task(task), true);
}

static inline void decrypt_failed(struct doca_aes_gcm_task_decrypt *task, union doca_data user_data,
				  union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	completed(doca_aes_gcm_task_decrypt_as_task(task), false);
}

static inline void gcm_open(void)
{
	ck_ok(doca_aes_gcm_create(&unit_dev, &gcm));
	ctx = doca_aes_gcm_as_ctx(gcm);
	ck_ok(doca_aes_gcm_task_encrypt_set_conf(gcm, encrypt_ok, encrypt_failed, N_TASKS));
	ck_ok(doca_aes_gcm_task_decrypt_set_conf(gcm, decrypt_ok, decrypt_failed, N_TASKS));
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_ok(doca_ctx_start(ctx));
	ck_ok(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_128, &key128));
	ck_ok(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_256, &key256));
}

static inline void gcm_close(void)
{
	doca_error_t result = doca_ctx_stop(ctx);

	if (result != DOCA_ERROR_IN_PROGRESS)
		ck_ok(result);
	unit_progress(pe);
	ck_ok(doca_aes_gcm_key_destroy(key128));
	ck_ok(doca_aes_gcm_key_destroy(key256));
	ck_ok(doca_aes_gcm_destroy(gcm));
}

static inline void setup(void)
{
	unit_info.caps.aes_gcm_keys = unit_info.caps.aes_gcm_tags = 3;
	unit_info.caps.aes_gcm_max_iv_len = 128;
	unit_info.caps.aes_gcm_max_buf_size = UINT64_MAX;
	unit_info.caps.aes_gcm_max_list_len = UINT32_MAX;
	unit_info.caps.aes_gcm_max_tasks = 4096;
	ck_ok(doca_pe_create(&pe));
	gcm_open();
	memories_open();
}

static inline void teardown(void)
{
	gcm_close();
	memories_close();
	ck_ok(doca_pe_destroy(pe));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

/* The arguments of one task. */
struct args {
	struct doca_aes_gcm_key *key;
	const uint8_t *iv;
	uint32_t iv_len, tag_size, aad_size;
	bool is_decrypt;
};

static inline struct doca_task *task_of(const struct args *a, const struct doca_buf *src,
					struct doca_buf *dst)
{
	struct doca_aes_gcm_task_encrypt *encrypt;
	struct doca_aes_gcm_task_decrypt *decrypt;

	if (a->is_decrypt) {
		ck_ok(doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, a->key, a->iv, a->iv_len,
							   a->tag_size, a->aad_size, no_data,
							   &decrypt));
		return doca_aes_gcm_task_decrypt_as_task(decrypt);
	}
	ck_ok(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, a->key, a->iv, a->iv_len,
						   a->tag_size, a->aad_size, no_data, &encrypt));
	return doca_aes_gcm_task_encrypt_as_task(encrypt);
}

/* Completes the task. A failed one leaves the context as it is. */
static inline doca_error_t run(struct doca_task *task)
{
	ck_ok(doca_task_submit(task));
	unit_progress(pe);
	ck_assert_int_eq(unit_state(ctx), RUNNING);
	return status;
}

static inline doca_error_t gcm_run(const struct args *a, const struct doca_buf *src,
				   struct doca_buf *dst)
{
	return run(task_of(a, src, dst));
}

static inline size_t bytes_of(const char *hex, uint8_t *bytes)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		unsigned value;

		ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &value), 1);
		bytes[i] = (uint8_t)value;
	}
	return n;
}

#endif
