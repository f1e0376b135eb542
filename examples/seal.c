/*
 * Encrypts a file with AES-GCM, or decrypts it. The sealed file has the initialization vector (IV),
 * the ciphertext and the tag. The IV is drawn for each file, and is authenticated with it. A
 * changed file, or another key, is refused. Shows keys, the layout of the buffers, and how to tell
 * a refused message from other errors. One thread.
 *
 * The key is read from a file with 64 hexadecimal digits, not from the command line, which every
 * user of the machine can read.
 *
 *   seal --file PATH --output PATH --key-file PATH [--decrypt] [--pci-addr ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <doca_aes_gcm.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap.h>

#include "common.h"

enum { IV_LEN = 12, TAG_LEN = 16, KEY_LEN = 32, TIMEOUT_S = 60 };

struct options {
	char pci[EXAMPLE_TEXT_LEN];
	char file[EXAMPLE_TEXT_LEN];
	char output[EXAMPLE_TEXT_LEN];
	char key_file[EXAMPLE_TEXT_LEN];
	bool decrypts;
};

struct sealer {
	bool decrypts;
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_aes_gcm *aes_gcm;
	struct doca_aes_gcm_key *key;
	struct doca_buf *src, *dst;
	uint8_t *memory; /* max_len bytes of source, followed by the result */
	size_t max_len, len;
	bool is_done;
	doca_error_t result;
};

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_file(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->file, value);
}

static doca_error_t set_output(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->output, value);
}

static doca_error_t set_key_file(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->key_file, value);
}

static doca_error_t set_decrypts(void *value, void *config)
{
	((struct options *)config)->decrypts = *(const bool *)value;
	return DOCA_SUCCESS;
}

static const struct example_param params[] = {
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"f", "file", "<path>", "file to read", DOCA_ARGP_TYPE_STRING, set_file, true},
	{"o", "output", "<path>", "file to write", DOCA_ARGP_TYPE_STRING, set_output, true},
	{"k", "key-file", "<path>", "file with a key of 64 hexadecimal digits",
	 DOCA_ARGP_TYPE_STRING, set_key_file, true},
	{"x", "decrypt", NULL, "decrypt the file", DOCA_ARGP_TYPE_BOOLEAN, set_decrypts, false},
};

static bool dev_can_seal(const struct doca_devinfo *info)
{
	return doca_aes_gcm_cap_task_encrypt_is_key_type_supported(info, DOCA_AES_GCM_KEY_256) ==
		       DOCA_SUCCESS &&
	       doca_aes_gcm_cap_task_decrypt_is_key_type_supported(info, DOCA_AES_GCM_KEY_256) ==
		       DOCA_SUCCESS;
}

static bool key_parse(const char *hex, uint8_t key[KEY_LEN])
{
	unsigned value;
	size_t i;

	if (strspn(hex, "0123456789abcdefABCDEF") != 2 * KEY_LEN ||
	    hex[2 * KEY_LEN + strspn(hex + 2 * KEY_LEN, "\r\n")] != '\0')
		return false;
	for (i = 0; i < KEY_LEN; i++) {
		if (sscanf(hex + 2 * i, "%2x", &value) != 1)
			return false;
		key[i] = (uint8_t)value;
	}
	return true;
}

/* Reads the key without a buffer of stdio, which would keep a copy. */
static bool key_read(const char *path, uint8_t key[KEY_LEN])
{
	char hex[2 * KEY_LEN + 4] = {0};
	FILE *file = fopen(path, "rb");
	bool is_key;

	if (file == NULL) {
		perror(path);
		return false;
	}
	setvbuf(file, NULL, _IONBF, 0);
	is_key = fread(hex, 1, sizeof(hex) - 1, file) > 0 && key_parse(hex, key);
	fclose(file);
	explicit_bzero(hex, sizeof(hex));
	if (!is_key)
		fprintf(stderr, "%s: a key has 64 hexadecimal digits\n", path);
	return is_key;
}

static void finish(struct sealer *s, struct doca_task *task)
{
	s->result = doca_task_get_status(task);
	s->is_done = true;
	doca_task_free(task);
}

static void on_encrypted(struct doca_aes_gcm_task_encrypt *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	(void)task_user_data;
	finish(ctx_user_data.ptr, doca_aes_gcm_task_encrypt_as_task(task));
}

static void on_decrypted(struct doca_aes_gcm_task_decrypt *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	(void)task_user_data;
	finish(ctx_user_data.ptr, doca_aes_gcm_task_decrypt_as_task(task));
}

/* Reads the file. An encryption puts a new IV in front of it. */
static doca_error_t source_read(struct sealer *s, const char *path)
{
	const struct doca_devinfo *info = doca_dev_as_devinfo(s->dev);
	/* What an encryption adds: the sealed file must not be longer than a decryption takes. */
	size_t lead = s->decrypts ? 0 : IV_LEN, tail = s->decrypts ? 0 : TAG_LEN;
	uint64_t max_len, max_open_len;
	doca_error_t result;
	FILE *file;

	result = doca_aes_gcm_cap_task_encrypt_get_max_buf_size(info, &max_len);
	if (result == DOCA_SUCCESS)
		result = doca_aes_gcm_cap_task_decrypt_get_max_buf_size(info, &max_open_len);
	if (result != DOCA_SUCCESS)
		return result;
	s->max_len = (size_t)(max_len < max_open_len ? max_len : max_open_len);
	if (s->max_len < IV_LEN + TAG_LEN)
		return DOCA_ERROR_NOT_SUPPORTED;
	s->memory = malloc(2 * s->max_len + TAG_LEN);
	if (s->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (!s->decrypts && getrandom(s->memory, IV_LEN, 0) != IV_LEN)
		return DOCA_ERROR_OPERATING_SYSTEM;
	file = fopen(path, "rb");
	if (file == NULL) {
		perror(path);
		return DOCA_ERROR_NOT_FOUND;
	}
	s->len = lead + fread(s->memory + lead, 1, s->max_len - lead - tail, file);
	if (ferror(file))
		result = DOCA_ERROR_IO_FAILED;
	else if (getc(file) != EOF)
		result = DOCA_ERROR_TOO_BIG;
	else if (s->decrypts && s->len < IV_LEN + TAG_LEN)
		result = DOCA_ERROR_INVALID_VALUE;
	fclose(file);
	return result;
}

static doca_error_t buffers_prepare(struct sealer *s)
{
	size_t len = 2 * s->max_len + TAG_LEN;
	doca_error_t result;

	result = doca_mmap_create(&s->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(s->mmap, s->memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(s->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(s->mmap, s->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(s->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(2, &s->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(s->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_data(s->inventory, s->mmap, s->memory,
							    s->len, &s->src);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(s->inventory, s->mmap,
							    s->memory + s->max_len,
							    s->max_len + TAG_LEN, &s->dst);
	return result;
}

static doca_error_t engine_prepare(struct sealer *s, const uint8_t key[KEY_LEN])
{
	union doca_data user_data = {.ptr = s};
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_pe_create(&s->pe);
	if (result == DOCA_SUCCESS)
		result = doca_aes_gcm_create(s->dev, &s->aes_gcm);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_aes_gcm_as_ctx(s->aes_gcm);
	result = doca_pe_connect_ctx(s->pe, ctx);
	if (result == DOCA_SUCCESS && !s->decrypts)
		result = doca_aes_gcm_task_encrypt_set_conf(s->aes_gcm, on_encrypted, on_encrypted,
							    1);
	if (result == DOCA_SUCCESS && s->decrypts)
		result = doca_aes_gcm_task_decrypt_set_conf(s->aes_gcm, on_decrypted, on_decrypted,
							    1);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	if (result == DOCA_SUCCESS)
		result = doca_aes_gcm_key_create(s->aes_gcm, key, DOCA_AES_GCM_KEY_256, &s->key);
	return result;
}

static bool is_done(void *arg)
{
	return ((const struct sealer *)arg)->is_done;
}

/* The IV is the begin of the source in both directions, and its only authenticated data. */
static doca_error_t task_submit(struct sealer *s)
{
	union doca_data none = {.u64 = 0};
	struct doca_aes_gcm_task_encrypt *encrypt;
	struct doca_aes_gcm_task_decrypt *decrypt;
	struct doca_task *task;
	doca_error_t result;

	if (s->decrypts) {
		result = doca_aes_gcm_task_decrypt_alloc_init(s->aes_gcm, s->src, s->dst, s->key,
							      s->memory, IV_LEN, TAG_LEN, IV_LEN,
							      none, &decrypt);
		if (result != DOCA_SUCCESS)
			return result;
		task = doca_aes_gcm_task_decrypt_as_task(decrypt);
	} else {
		result = doca_aes_gcm_task_encrypt_alloc_init(s->aes_gcm, s->src, s->dst, s->key,
							      s->memory, IV_LEN, TAG_LEN, IV_LEN,
							      none, &encrypt);
		if (result != DOCA_SUCCESS)
			return result;
		task = doca_aes_gcm_task_encrypt_as_task(encrypt);
	}
	result = doca_task_submit(task);
	if (result != DOCA_SUCCESS)
		doca_task_free(task);
	return result;
}

/* Writes the result; without the IV if it is plaintext. */
static doca_error_t result_write(const struct sealer *s, const char *path)
{
	size_t skip = s->decrypts ? IV_LEN : 0, len;
	uint8_t *data;
	doca_error_t result;
	FILE *file;

	result = doca_buf_get_data(s->dst, (void **)&data);
	if (result == DOCA_SUCCESS)
		result = doca_buf_get_data_len(s->dst, &len);
	if (result != DOCA_SUCCESS)
		return result;
	file = fopen(path, "wb");
	if (file == NULL) {
		perror(path);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	if (fwrite(data + skip, 1, len - skip, file) != len - skip)
		result = DOCA_ERROR_IO_FAILED;
	if (fclose(file) != 0)
		result = DOCA_ERROR_IO_FAILED;
	return result;
}

/* Destroys everything that exists, in the reverse order of creation. */
static void sealer_close(struct sealer *s)
{
	if (s->key != NULL)
		doca_aes_gcm_key_destroy(s->key);
	if (s->aes_gcm != NULL) {
		doca_ctx_stop(doca_aes_gcm_as_ctx(s->aes_gcm));
		doca_aes_gcm_destroy(s->aes_gcm);
	}
	if (s->pe != NULL)
		doca_pe_destroy(s->pe);
	if (s->src != NULL)
		doca_buf_dec_refcount(s->src, NULL);
	if (s->dst != NULL)
		doca_buf_dec_refcount(s->dst, NULL);
	if (s->inventory != NULL)
		doca_buf_inventory_destroy(s->inventory);
	if (s->mmap != NULL)
		doca_mmap_destroy(s->mmap);
	if (s->dev != NULL)
		doca_dev_close(s->dev);
	free(s->memory);
}

static doca_error_t seal(struct sealer *s, const struct options *options,
			 const uint8_t key[KEY_LEN])
{
	doca_error_t result;

	result = example_dev_open(options->pci, dev_can_seal, &s->dev);
	if (result != DOCA_SUCCESS)
		return example_failed("open a device with AES-GCM", result);
	result = source_read(s, options->file);
	if (result != DOCA_SUCCESS)
		return example_failed("read the file", result);
	result = buffers_prepare(s);
	if (result != DOCA_SUCCESS)
		return example_failed("prepare the buffers", result);
	result = engine_prepare(s, key);
	if (result != DOCA_SUCCESS)
		return example_failed("prepare AES-GCM", result);
	result = task_submit(s);
	if (result == DOCA_SUCCESS)
		result = example_pe_run(s->pe, is_done, s, TIMEOUT_S);
	if (result != DOCA_SUCCESS)
		return example_failed("submit the task", result);
	if (s->result != DOCA_SUCCESS)
		return example_failed(s->decrypts ? "decrypt; the file or the key may be wrong"
						  : "encrypt",
				      s->result);
	result = result_write(s, options->output);
	if (result != DOCA_SUCCESS)
		return example_failed("write the result", result);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options options = {.decrypts = false};
	struct sealer s = {.dev = NULL};
	uint8_t key[KEY_LEN];
	doca_error_t result;

	result = example_params_read("seal", &options, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	if (!key_read(options.key_file, key))
		return EXIT_FAILURE;
	s.decrypts = options.decrypts;
	result = seal(&s, &options, key);
	explicit_bzero(key, sizeof(key));
	sealer_close(&s);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
