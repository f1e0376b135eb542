/*
 * doca_aes_gcm.h: capabilities, configuration, keys, both kinds of task with each documented code,
 * limits of a profile, devices without AES-GCM, no allocation on the data path, a program that
 * sleeps only in epoll, and a graph.
 */
#include <openssl/evp.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_aes_gcm.h>

#define LEN               (64u << 10)
#define ENGINE_MEMORY_LEN (2 * LEN)
#include "tests/conformance/v3/engine.h"
#include "tests/lib/hot.h"

#define N_TASKS 32u

#define KEY_128 DOCA_AES_GCM_KEY_128
#define KEY_256 DOCA_AES_GCM_KEY_256
#define NO_TYPE ((enum doca_aes_gcm_key_type)3)

static const struct documented documented_doca_aes_gcm[] = {
	{"doca_aes_gcm_create", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_aes_gcm_destroy", "IN_USE BAD_STATE"},
	{"doca_aes_gcm_as_ctx", ""},
	{"doca_aes_gcm_cap_get_max_num_tasks", "INVALID_VALUE"},
	{"doca_aes_gcm_key_create", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_key_destroy", "DRIVER"},
	{"doca_aes_gcm_cap_task_encrypt_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_encrypt_get_max_iv_len", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_encrypt_is_tag_96_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_encrypt_is_tag_128_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_encrypt_is_key_type_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_encrypt_get_max_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_task_encrypt_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_aes_gcm_task_encrypt_alloc_init", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_aes_gcm_task_encrypt_as_task", ""},
	{"doca_aes_gcm_task_encrypt_set_src", ""},
	{"doca_aes_gcm_task_encrypt_get_src", ""},
	{"doca_aes_gcm_task_encrypt_set_dst", ""},
	{"doca_aes_gcm_task_encrypt_get_dst", ""},
	{"doca_aes_gcm_task_encrypt_set_key", ""},
	{"doca_aes_gcm_task_encrypt_get_key", ""},
	{"doca_aes_gcm_task_encrypt_set_iv", ""},
	{"doca_aes_gcm_task_encrypt_get_iv", ""},
	{"doca_aes_gcm_task_encrypt_set_tag_size", ""},
	{"doca_aes_gcm_task_encrypt_get_tag_size", ""},
	{"doca_aes_gcm_task_encrypt_set_aad_size", ""},
	{"doca_aes_gcm_task_encrypt_get_aad_size", ""},
	{"doca_aes_gcm_cap_task_decrypt_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_decrypt_get_max_iv_len", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_decrypt_is_tag_96_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_decrypt_is_tag_128_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_decrypt_is_key_type_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_decrypt_get_max_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_aes_gcm_task_decrypt_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_aes_gcm_task_decrypt_alloc_init", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_aes_gcm_task_decrypt_as_task", ""},
	{"doca_aes_gcm_task_decrypt_set_src", ""},
	{"doca_aes_gcm_task_decrypt_get_src", ""},
	{"doca_aes_gcm_task_decrypt_set_dst", ""},
	{"doca_aes_gcm_task_decrypt_get_dst", ""},
	{"doca_aes_gcm_task_decrypt_set_key", ""},
	{"doca_aes_gcm_task_decrypt_get_key", ""},
	{"doca_aes_gcm_task_decrypt_set_iv", ""},
	{"doca_aes_gcm_task_decrypt_get_iv", ""},
	{"doca_aes_gcm_task_decrypt_set_tag_size", ""},
	{"doca_aes_gcm_task_decrypt_get_tag_size", ""},
	{"doca_aes_gcm_task_decrypt_set_aad_size", ""},
	{"doca_aes_gcm_task_decrypt_get_aad_size", ""},
	{NULL, NULL},
};
static const struct unreachable unreachable[] = {
	{"doca_aes_gcm_destroy", "BAD_STATE", "a context that is not IDLE is IN_USE"},
	{"doca_aes_gcm_key_destroy", "DRIVER", "libcrypto cannot fail to free a key"},
	{NULL},
};

static struct doca_aes_gcm *gcm;
static struct doca_aes_gcm_key *key;
static const uint8_t raw_key[32] = {1, 2, 3}, iv[12] = {4, 5, 6};

CALLBACKS(encrypt, doca_aes_gcm_task_encrypt)
CALLBACKS(decrypt, doca_aes_gcm_task_decrypt)

static void gcm_open(void)
{
	OK(doca_aes_gcm_create(dev, &gcm));
	OK(doca_aes_gcm_task_encrypt_set_conf(gcm, encrypt_ok, encrypt_failed, N_TASKS));
	OK(doca_aes_gcm_task_decrypt_set_conf(gcm, decrypt_ok, decrypt_failed, N_TASKS));
	engine_start(doca_aes_gcm_as_ctx(gcm));
	OK(doca_aes_gcm_key_create(gcm, raw_key, KEY_256, &key));
}

static void setup(void)
{
	engine_setup(NULL, NULL);
	gcm_open();
}

static void setup_bf2(void)
{
	engine_setup("[daemon]\nprofile = bf2\n", NULL);
}

static void setup_bf3(void)
{
	engine_setup("[daemon]\nprofile = bf3\n", NULL);
	gcm_open();
}

static void teardown(void)
{
	if (gcm != NULL) {
		EXPECT(DOCA_SUCCESS, doca_ctx_stop(ctx));
		OK(doca_aes_gcm_key_destroy(key));
		OK(doca_aes_gcm_destroy(gcm));
	}
	engine_teardown();
}

/* Whether the bytes are the sealed message, with a tag of 16 bytes. */
static bool is_sealed(const uint8_t *sealed, const uint8_t *plain, size_t aad, size_t n)
{
	EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
	uint8_t expected[1024 + 16];
	int len;

	ck_assert_uint_le(n, 1024);
	memcpy(expected, plain, aad);
	ck_assert_int_eq(EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, raw_key, iv), 1);
	ck_assert_int_eq(EVP_EncryptUpdate(cipher, NULL, &len, plain, (int)aad), 1);
	ck_assert_int_eq(
		EVP_EncryptUpdate(cipher, expected + aad, &len, plain + aad, (int)(n - aad)), 1);
	ck_assert_int_eq(EVP_EncryptFinal_ex(cipher, expected + n, &len), 1);
	ck_assert_int_eq(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, expected + n), 1);
	EVP_CIPHER_CTX_free(cipher);
	return memcmp(sealed, expected, n + 16) == 0;
}

START_TEST(test_capabilities)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t n;

	PASSES(doca_aes_gcm_cap_get_max_num_tasks(gcm, &n));
	ck_assert_uint_ge(n, N_TASKS);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_cap_get_max_num_tasks(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_cap_get_max_num_tasks(gcm, NULL));
	{
		uint64_t size;

		PASSES(doca_aes_gcm_cap_task_encrypt_is_supported(info));
		PASSES(doca_aes_gcm_cap_task_encrypt_is_tag_96_supported(info));
		PASSES(doca_aes_gcm_cap_task_encrypt_is_tag_128_supported(info));
		PASSES(doca_aes_gcm_cap_task_encrypt_is_key_type_supported(info, KEY_128));
		PASSES(doca_aes_gcm_cap_task_encrypt_is_key_type_supported(info, KEY_256));
		PASSES(doca_aes_gcm_cap_task_encrypt_get_max_iv_len(info, &n));
		ck_assert_uint_eq(n, 128);
		PASSES(doca_aes_gcm_cap_task_encrypt_get_max_buf_size(info, &size));
		/* Programs allocate buffers of this size. */
		ck_assert_uint_eq(size, 2u << 20);
		PASSES(doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem(info, &n));
		ck_assert_uint_ge(n, 64);
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_cap_task_encrypt_is_supported(NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_is_tag_96_supported(NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_is_tag_128_supported(NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_is_key_type_supported(NULL, KEY_128));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_is_key_type_supported(info, NO_TYPE));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_get_max_iv_len(NULL, &n));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_get_max_iv_len(info, NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_get_max_buf_size(NULL, &size));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_get_max_buf_size(info, NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem(NULL, &n));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem(info, NULL));
	}
	{
		uint64_t size;

		PASSES(doca_aes_gcm_cap_task_decrypt_is_supported(info));
		PASSES(doca_aes_gcm_cap_task_decrypt_is_tag_96_supported(info));
		PASSES(doca_aes_gcm_cap_task_decrypt_is_tag_128_supported(info));
		PASSES(doca_aes_gcm_cap_task_decrypt_is_key_type_supported(info, KEY_128));
		PASSES(doca_aes_gcm_cap_task_decrypt_is_key_type_supported(info, KEY_256));
		PASSES(doca_aes_gcm_cap_task_decrypt_get_max_iv_len(info, &n));
		ck_assert_uint_eq(n, 128);
		PASSES(doca_aes_gcm_cap_task_decrypt_get_max_buf_size(info, &size));
		/* Programs allocate buffers of this size. */
		ck_assert_uint_eq(size, 2u << 20);
		PASSES(doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(info, &n));
		ck_assert_uint_ge(n, 64);
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_cap_task_decrypt_is_supported(NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_is_tag_96_supported(NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_is_tag_128_supported(NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_is_key_type_supported(NULL, KEY_128));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_is_key_type_supported(info, NO_TYPE));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_get_max_iv_len(NULL, &n));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_get_max_iv_len(info, NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_get_max_buf_size(NULL, &size));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_get_max_buf_size(info, NULL));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(NULL, &n));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(info, NULL));
	}
}
END_TEST

START_TEST(test_configuration)
{
	struct doca_buf *src = data_buf(0, 8), *dst = room_buf(LEN, 64);
	struct doca_aes_gcm_task_encrypt *encrypt;
	struct doca_aes_gcm_task_decrypt *decrypt;
	struct doca_aes_gcm *other, *none = NULL;
	struct doca_aes_gcm_key *other_key, *no_key = NULL;
	uint32_t max;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_create(NULL, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_create(dev, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_aes_gcm_create(dev, &other));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_destroy(none));
	ck_assert_ptr_null(CALLED(doca_aes_gcm_as_ctx(none)));
	PASSES(doca_aes_gcm_create(dev, &other));
	ck_assert_ptr_nonnull(CALLED(doca_aes_gcm_as_ctx(other)));
	OK(doca_aes_gcm_cap_get_max_num_tasks(other, &max));
	/* No kind of task is configured. */
	OK(doca_pe_connect_ctx(pe, doca_aes_gcm_as_ctx(other)));
	EXPECT(DOCA_ERROR_INITIALIZATION, doca_ctx_start(doca_aes_gcm_as_ctx(other)));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_encrypt_set_conf(none, encrypt_ok, encrypt_ok, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_encrypt_set_conf(other, NULL, encrypt_ok, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_encrypt_set_conf(other, encrypt_ok, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_encrypt_set_conf(other, encrypt_ok, encrypt_ok, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_encrypt_set_conf(other, encrypt_ok, encrypt_ok, max + 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_decrypt_set_conf(none, decrypt_ok, decrypt_ok, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_decrypt_set_conf(other, NULL, decrypt_ok, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_decrypt_set_conf(other, decrypt_ok, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_decrypt_set_conf(other, decrypt_ok, decrypt_ok, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_decrypt_set_conf(other, decrypt_ok, decrypt_ok, max + 1));
	/* Keys may be created before the start. */
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_key_create(none, raw_key, KEY_128, &other_key));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_key_create(other, NULL, KEY_128, &other_key));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_key_create(other, raw_key, KEY_128, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_key_create(other, raw_key, NO_TYPE, &other_key));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_aes_gcm_key_destroy(no_key));
	PASSES(doca_aes_gcm_key_create(other, raw_key, KEY_128, &other_key));
	/* One configured kind is enough; tasks of the other kind cannot be allocated. */
	PASSES(doca_aes_gcm_task_encrypt_set_conf(other, encrypt_ok, encrypt_failed, 1));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_aes_gcm_task_encrypt_alloc_init(other, src, dst, other_key, iv, 12, 16, 0,
						     no_data, &encrypt));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_aes_gcm_task_decrypt_alloc_init(other, src, dst, other_key, iv, 12, 16, 0,
						     no_data, &decrypt));
	OK(doca_ctx_start(doca_aes_gcm_as_ctx(other)));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_aes_gcm_task_decrypt_alloc_init(other, src, dst, other_key, iv, 12, 16, 0,
						     no_data, &decrypt));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_aes_gcm_task_encrypt_set_conf(other, encrypt_ok, encrypt_failed, 1));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_aes_gcm_task_decrypt_set_conf(other, decrypt_ok, decrypt_failed, 1));
	/* Neither an object with keys nor a started one can be destroyed. */
	RETURNS(DOCA_ERROR_IN_USE, doca_aes_gcm_destroy(other));
	PASSES(doca_aes_gcm_key_destroy(other_key));
	RETURNS(DOCA_ERROR_IN_USE, doca_aes_gcm_destroy(other));
	OK(doca_ctx_stop(doca_aes_gcm_as_ctx(other)));
	PASSES(doca_aes_gcm_destroy(other));
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

START_TEST(test_encrypt_tasks)
{
	struct doca_buf *plain = data_buf(0, 1000), *sealed = room_buf(LEN, 1016), *out;
	struct doca_aes_gcm_task_encrypt *tasks[N_TASKS], *one;
	struct doca_aes_gcm_task_encrypt *sealing;
	struct doca_aes_gcm_key *other;
	struct doca_aes_gcm *no_gcm = NULL;
	uint32_t n;

	use_fill(memory, LEN, 1);
	out = room_buf(LEN + 2048, 1016);
	OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, plain, sealed, key, iv, 12, 16, 100, no_data,
						&sealing));
	EXPECT(DOCA_SUCCESS, run(doca_aes_gcm_task_encrypt_as_task(sealing)));
	ck_assert_uint_eq(data_len(sealed), 1016);
	ck_assert(is_sealed(memory + LEN, memory, 100, 1000));
	keeps_tasks = true;
#define ALLOC(object, from, to, with, vector, len, tag)                                     \
	doca_aes_gcm_task_encrypt_alloc_init(object, from, to, with, vector, len, tag, 100, \
					     no_data, &one)
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(no_gcm, sealed, out, key, iv, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, NULL, out, key, iv, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, NULL, key, iv, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, NULL, iv, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, key, NULL, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, key, iv, 0, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, key, iv, 129, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, key, iv, 12, 8));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_encrypt_alloc_init(gcm, sealed, out, key, iv, 12, 16, 100,
						     no_data, NULL));
#undef ALLOC
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_aes_gcm_task_encrypt_alloc_init(gcm, plain, sealed, key, iv, 12, 12, 0,
							    no_data, &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_aes_gcm_task_encrypt_alloc_init(gcm, plain, sealed, key, iv, 12, 12, 0,
						     no_data, &one));
	one = tasks[0];
	OK(doca_aes_gcm_key_create(gcm, raw_key, KEY_256, &other));
	ck_assert_ptr_null(CALLED(
		doca_aes_gcm_task_encrypt_as_task((struct doca_aes_gcm_task_encrypt *)NULL)));
	cover_call("doca_aes_gcm_task_encrypt_set_src(");
	doca_aes_gcm_task_encrypt_set_src(one, plain);
	cover_call("doca_aes_gcm_task_encrypt_set_dst(");
	doca_aes_gcm_task_encrypt_set_dst(one, out);
	cover_call("doca_aes_gcm_task_encrypt_set_key(");
	doca_aes_gcm_task_encrypt_set_key(one, other);
	cover_call("doca_aes_gcm_task_encrypt_set_iv(");
	doca_aes_gcm_task_encrypt_set_iv(one, iv, 12);
	cover_call("doca_aes_gcm_task_encrypt_set_tag_size(");
	doca_aes_gcm_task_encrypt_set_tag_size(one, 16);
	cover_call("doca_aes_gcm_task_encrypt_set_aad_size(");
	doca_aes_gcm_task_encrypt_set_aad_size(one, 100);
	ck_assert_ptr_eq(CALLED(doca_aes_gcm_task_encrypt_get_src(one)), plain);
	ck_assert_ptr_eq(CALLED(doca_aes_gcm_task_encrypt_get_dst(one)), out);
	ck_assert_ptr_eq(CALLED(doca_aes_gcm_task_encrypt_get_key(one)), other);
	ck_assert_mem_eq(CALLED(doca_aes_gcm_task_encrypt_get_iv(one, &n)), iv, 12);
	ck_assert_uint_eq(n, 12);
	ck_assert_uint_eq(CALLED(doca_aes_gcm_task_encrypt_get_tag_size(one)), 16);
	ck_assert_uint_eq(CALLED(doca_aes_gcm_task_encrypt_get_aad_size(one)), 100);
	/* The key stays while the task is submitted. */
	OK(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(one)));
	EXPECT(DOCA_ERROR_IN_USE, doca_aes_gcm_key_destroy(other));
	while (doca_pe_progress(pe) == 0)
		continue;
	EXPECT(DOCA_SUCCESS, status);
	ck_assert_uint_eq(data_len(out), 1016);
	ck_assert(is_sealed(memory + LEN + 2048, memory, 100, 1000));
	/* Both try_submit and the queue detect a wrong size. */
	doca_aes_gcm_task_encrypt_set_aad_size(one, 1017);
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_aes_gcm_task_encrypt_as_task(one)));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_aes_gcm_task_encrypt_as_task(one)));
	OK(doca_aes_gcm_key_destroy(other));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_aes_gcm_task_encrypt_as_task(one)));
	for (unsigned i = 0; i < N_TASKS; i++)
		doca_task_free(doca_aes_gcm_task_encrypt_as_task(tasks[i]));
	keeps_tasks = false;
	use_buf_end(plain);
	use_buf_end(sealed);
	use_buf_end(out);
}
END_TEST

START_TEST(test_decrypt_tasks)
{
	struct doca_buf *plain = data_buf(0, 1000), *sealed = room_buf(LEN, 1016), *out;
	struct doca_aes_gcm_task_decrypt *tasks[N_TASKS], *one;
	struct doca_aes_gcm_task_encrypt *sealing;
	struct doca_aes_gcm_key *other;
	struct doca_aes_gcm *no_gcm = NULL;
	uint32_t n;

	use_fill(memory, LEN, 1);
	out = room_buf(LEN + 2048, 1016);
	OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, plain, sealed, key, iv, 12, 16, 100, no_data,
						&sealing));
	EXPECT(DOCA_SUCCESS, run(doca_aes_gcm_task_encrypt_as_task(sealing)));
	ck_assert_uint_eq(data_len(sealed), 1016);
	ck_assert(is_sealed(memory + LEN, memory, 100, 1000));
	keeps_tasks = true;
#define ALLOC(object, from, to, with, vector, len, tag)                                     \
	doca_aes_gcm_task_decrypt_alloc_init(object, from, to, with, vector, len, tag, 100, \
					     no_data, &one)
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(no_gcm, sealed, out, key, iv, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, NULL, out, key, iv, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, NULL, key, iv, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, NULL, iv, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, key, NULL, 12, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, key, iv, 0, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, key, iv, 129, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, ALLOC(gcm, sealed, out, key, iv, 12, 8));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_decrypt_alloc_init(gcm, sealed, out, key, iv, 12, 16, 100,
						     no_data, NULL));
#undef ALLOC
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_aes_gcm_task_decrypt_alloc_init(gcm, plain, sealed, key, iv, 12, 12, 0,
							    no_data, &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_aes_gcm_task_decrypt_alloc_init(gcm, plain, sealed, key, iv, 12, 12, 0,
						     no_data, &one));
	one = tasks[0];
	OK(doca_aes_gcm_key_create(gcm, raw_key, KEY_256, &other));
	ck_assert_ptr_null(CALLED(
		doca_aes_gcm_task_decrypt_as_task((struct doca_aes_gcm_task_decrypt *)NULL)));
	cover_call("doca_aes_gcm_task_decrypt_set_src(");
	doca_aes_gcm_task_decrypt_set_src(one, sealed);
	cover_call("doca_aes_gcm_task_decrypt_set_dst(");
	doca_aes_gcm_task_decrypt_set_dst(one, out);
	cover_call("doca_aes_gcm_task_decrypt_set_key(");
	doca_aes_gcm_task_decrypt_set_key(one, other);
	cover_call("doca_aes_gcm_task_decrypt_set_iv(");
	doca_aes_gcm_task_decrypt_set_iv(one, iv, 12);
	cover_call("doca_aes_gcm_task_decrypt_set_tag_size(");
	doca_aes_gcm_task_decrypt_set_tag_size(one, 16);
	cover_call("doca_aes_gcm_task_decrypt_set_aad_size(");
	doca_aes_gcm_task_decrypt_set_aad_size(one, 100);
	ck_assert_ptr_eq(CALLED(doca_aes_gcm_task_decrypt_get_src(one)), sealed);
	ck_assert_ptr_eq(CALLED(doca_aes_gcm_task_decrypt_get_dst(one)), out);
	ck_assert_ptr_eq(CALLED(doca_aes_gcm_task_decrypt_get_key(one)), other);
	ck_assert_mem_eq(CALLED(doca_aes_gcm_task_decrypt_get_iv(one, &n)), iv, 12);
	ck_assert_uint_eq(n, 12);
	ck_assert_uint_eq(CALLED(doca_aes_gcm_task_decrypt_get_tag_size(one)), 16);
	ck_assert_uint_eq(CALLED(doca_aes_gcm_task_decrypt_get_aad_size(one)), 100);
	/* The key stays while the task is submitted. */
	OK(doca_task_submit(doca_aes_gcm_task_decrypt_as_task(one)));
	EXPECT(DOCA_ERROR_IN_USE, doca_aes_gcm_key_destroy(other));
	while (doca_pe_progress(pe) == 0)
		continue;
	EXPECT(DOCA_SUCCESS, status);
	ck_assert_uint_eq(data_len(out), 1000);
	ck_assert_mem_eq(memory + LEN + 2048, memory, 1000);
	/* A changed message: nothing of it is left, and the context goes on. */
	OK(doca_buf_reset_data_len(out));
	memory[LEN + 500] ^= 1;
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_aes_gcm_task_decrypt_as_task(one)));
	ck_assert_uint_eq(data_len(out), 0);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_eq(memory[LEN + 2048 + i], 0);
	memory[LEN + 500] ^= 1;
	EXPECT(DOCA_SUCCESS, run(doca_aes_gcm_task_decrypt_as_task(one)));
	/* Both try_submit and the queue detect a wrong size. */
	doca_aes_gcm_task_decrypt_set_aad_size(one, 1017);
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_aes_gcm_task_decrypt_as_task(one)));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_aes_gcm_task_decrypt_as_task(one)));
	OK(doca_aes_gcm_key_destroy(other));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_aes_gcm_task_decrypt_as_task(one)));
	for (unsigned i = 0; i < N_TASKS; i++)
		doca_task_free(doca_aes_gcm_task_decrypt_as_task(tasks[i]));
	keeps_tasks = false;
	use_buf_end(plain);
	use_buf_end(sealed);
	use_buf_end(out);
}
END_TEST

/* Tasks of both kinds, with IVs and tags of several sizes, allocate no memory and take no lock. */
START_TEST(test_no_allocation)
{
	unsigned n = allocount_works ? 100000 : 3000;
	static const uint8_t long_iv[128];

	hot_begin();
	for (unsigned i = 0; i < n; i++) {
		uint32_t iv_len = i % 16 == 0 ? 1 + i % 128 : 12, tag_size = i % 3 ? 16 : 12;
		struct doca_aes_gcm_task_encrypt *encrypt;
		struct doca_aes_gcm_task_decrypt *decrypt;
		struct doca_buf *plain, *sealed, *out;
		doca_error_t result;

		result = doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + i % 64, 64,
							    &plain);
		result |= doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + LEN, 128,
							     &sealed);
		result |= doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + LEN + 128,
							     128, &out);
		result |= doca_aes_gcm_task_encrypt_alloc_init(gcm, plain, sealed, key, long_iv,
							       iv_len, tag_size, i % 64, no_data,
							       &encrypt);
		result |= doca_task_submit(doca_aes_gcm_task_encrypt_as_task(encrypt));
		result |= doca_aes_gcm_task_decrypt_alloc_init(gcm, sealed, out, key, long_iv,
							       iv_len, tag_size, i % 64, no_data,
							       &decrypt);
		result |= doca_task_submit(doca_aes_gcm_task_decrypt_as_task(decrypt));
		while (n_ok < 2 * (i + 1) && n_failed == 0)
			doca_pe_progress(pe);
		result |= doca_buf_dec_refcount(plain, NULL);
		result |= doca_buf_dec_refcount(sealed, NULL);
		result |= doca_buf_dec_refcount(out, NULL);
		if (result != DOCA_SUCCESS || n_failed > 0)
			ck_abort_msg("task %u: %s", i, dococ_last_error());
	}
	hot_end();
	ck_assert_uint_eq(n_ok, 2 * n);
}
END_TEST

/* Sleeps only in epoll, without a timeout. */
START_TEST(test_epoll)
{
	const unsigned n_rounds = allocount_works ? 20000 : 1000;
	struct epoll_event event = {.events = EPOLLIN};
	struct doca_buf *plain = data_buf(0, 64), *sealed = room_buf(LEN, 128);
	struct doca_aes_gcm_task_encrypt *task;
	doca_notification_handle_t handle;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	keeps_tasks = true;
	OK(doca_pe_get_notification_handle(pe, &handle));
	ck_assert_int_eq(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event), 0);
	OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, plain, sealed, key, iv, 12, 16, 4, no_data,
						&task));
	/* There is no work: nothing wakes the program. */
	OK(doca_pe_request_notification(pe));
	ck_assert_int_eq(epoll_wait(epoll_fd, &event, 1, 0), 0);
	OK(doca_pe_clear_notification(pe, 0));
	/* Work is submitted before arming or after it; a lost wake-up would hang. */
	for (unsigned i = 0; i < n_rounds; i++) {
		OK(doca_buf_reset_data_len(sealed));
		if (i % 2 == 0)
			OK(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(task)));
		OK(doca_pe_request_notification(pe));
		if (i % 2 == 1)
			OK(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(task)));
		ck_assert_int_eq(epoll_wait(epoll_fd, &event, 1, -1), 1);
		OK(doca_pe_clear_notification(pe, 0));
		while (doca_pe_progress(pe))
			continue;
		ck_assert_uint_eq(n_ok, i + 1);
	}
	ck_assert(is_sealed(memory + LEN, memory, 4, 64));
	doca_task_free(doca_aes_gcm_task_encrypt_as_task(task));
	keeps_tasks = false;
	use_buf_end(plain);
	use_buf_end(sealed);
	close(epoll_fd);
}
END_TEST

/* --- a graph --- */

/* One node encrypts, the next one decrypts the result; a wrong AAD makes the graph fail. */
START_TEST(test_graph)
{
	struct doca_buf *plain = data_buf(0, 1000), *sealed = room_buf(LEN, 1016);
	struct doca_buf *out = room_buf(LEN + 2048, 1000);
	struct doca_aes_gcm_task_encrypt *encrypt;
	struct doca_aes_gcm_task_decrypt *decrypt;
	struct doca_graph_node *first, *second;
	struct doca_graph_instance *instance;
	struct doca_graph *graph;

	use_fill(memory, LEN, 1);
	OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, plain, sealed, key, iv, 12, 16, 8, no_data,
						&encrypt));
	OK(doca_aes_gcm_task_decrypt_alloc_init(gcm, sealed, out, key, iv, 12, 16, 8, no_data,
						&decrypt));
	OK(doca_graph_create(pe, &graph));
	OK(doca_graph_set_conf(graph, instance_ok, instance_failed, 1));
	OK(doca_graph_node_create_from_ctx(graph, ctx, &first));
	OK(doca_graph_node_create_from_ctx(graph, ctx, &second));
	OK(doca_graph_add_dependency(graph, first, second));
	OK(doca_graph_start(graph));
	OK(doca_graph_instance_create(graph, &instance));
	OK(doca_graph_instance_set_ctx_node_data(instance, first,
						 doca_aes_gcm_task_encrypt_as_task(encrypt)));
	OK(doca_graph_instance_set_ctx_node_data(instance, second,
						 doca_aes_gcm_task_decrypt_as_task(decrypt)));
	OK(doca_graph_instance_submit(instance));
	instances_await(1);
	ck_assert_uint_eq(n_instances, 1);
	ck_assert_uint_eq(data_len(out), 1000);
	ck_assert_mem_eq(memory + LEN + 2048, memory, 1000);
	OK(doca_buf_reset_data_len(sealed));
	OK(doca_buf_reset_data_len(out));
	doca_aes_gcm_task_decrypt_set_aad_size(decrypt, 7);
	OK(doca_graph_instance_submit(instance));
	instances_await(2);
	ck_assert_uint_eq(n_failed_instances, 1);
	ck_assert_uint_eq(data_len(out), 0);
	OK(doca_graph_instance_destroy(instance));
	OK(doca_graph_stop(graph));
	OK(doca_graph_destroy(graph));
	doca_task_free(doca_aes_gcm_task_encrypt_as_task(encrypt));
	doca_task_free(doca_aes_gcm_task_decrypt_as_task(decrypt));
	use_buf_end(plain);
	use_buf_end(sealed);
	use_buf_end(out);
}
END_TEST

/* --- the limits of a BlueField-3, and a BlueField-2 --- */

START_TEST(test_bf3_limits)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_buf *src = data_buf(0, 1), *dst = room_buf(LEN, 256);
	struct doca_aes_gcm_task_encrypt *t;
	uint64_t size;
	uint32_t n;

	OK(doca_aes_gcm_cap_task_encrypt_get_max_buf_size(info, &size));
	ck_assert_uint_eq(size, 2u << 20);
	OK(doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(info, &n));
	ck_assert_uint_eq(n, 64);
	OK(doca_aes_gcm_cap_task_decrypt_get_max_iv_len(info, &n));
	ck_assert_uint_eq(n, 12);
	OK(doca_aes_gcm_cap_get_max_num_tasks(gcm, &n));
	ck_assert_uint_eq(n, 65536);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key, memory, 13, 16, 0, no_data,
						     &t));
	for (unsigned i = 1; i < 64; i++)
		OK(doca_buf_chain_list(src, data_buf(i, 1)));
	OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key, iv, 12, 16, 10, no_data, &t));
	EXPECT(DOCA_SUCCESS, run(doca_aes_gcm_task_encrypt_as_task(t)));
	ck_assert(is_sealed(memory + LEN, memory, 10, 64));
	OK(doca_buf_chain_list(src, data_buf(64, 1)));
	OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key, iv, 12, 16, 10, no_data, &t));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_aes_gcm_task_encrypt_as_task(t)));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_aes_gcm_task_encrypt_as_task(t)));
	ck_assert_uint_eq(data_len(dst), 80);
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/* A BlueField-2 has no AES-GCM engine. */
START_TEST(test_bf2_has_none)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_aes_gcm *other;
	uint64_t size;
	uint32_t n;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_create(dev, &other));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_cap_task_encrypt_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_cap_task_encrypt_is_tag_96_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_cap_task_encrypt_is_tag_128_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_aes_gcm_cap_task_encrypt_is_key_type_supported(info, KEY_128));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_cap_task_encrypt_get_max_iv_len(info, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_aes_gcm_cap_task_encrypt_get_max_buf_size(info, &size));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem(info, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_cap_task_decrypt_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_cap_task_decrypt_is_tag_96_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_cap_task_decrypt_is_tag_128_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_aes_gcm_cap_task_decrypt_is_key_type_supported(info, KEY_128));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_cap_task_decrypt_get_max_iv_len(info, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_aes_gcm_cap_task_decrypt_get_max_buf_size(info, &size));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(info, &n));
}
END_TEST

static void setup_some(void)
{
	engine_setup(NULL, "[topology]\nside = host\n"
			   "[device pf0]\npci = 0b:00.0\naes_gcm = 2\n");
	gcm_open();
}

/* Keys of 256 bits only. */
START_TEST(test_some_keys)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_aes_gcm_key *other;

	PASSES(doca_aes_gcm_cap_task_encrypt_is_key_type_supported(info, KEY_256));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_aes_gcm_cap_task_decrypt_is_key_type_supported(info, KEY_128));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_key_create(gcm, raw_key, KEY_128, &other));
}
END_TEST

static bool finish(void)
{
	return cover_report("doca_aes_gcm", documented_doca_aes_gcm, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = engine_case(suite, "aes-gcm", setup, teardown);

	tcase_add_test(tcase, test_capabilities);
	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_encrypt_tasks);
	tcase_add_test(tcase, test_decrypt_tasks);
	tcase_add_test(tcase, test_no_allocation);
	tcase_add_test(tcase, test_epoll);
	tcase_add_test(tcase, test_graph);
	tcase_add_test(engine_case(suite, "bf2", setup_bf2, teardown), test_bf2_has_none);
	tcase_add_test(engine_case(suite, "bf3", setup_bf3, teardown), test_bf3_limits);
	tcase_add_test(engine_case(suite, "some", setup_some, teardown), test_some_keys);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_aes_gcm", add_cases, finish);
}
