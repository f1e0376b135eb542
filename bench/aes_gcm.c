/*
 * aes-gcm: messages of one size sealed with AES-256-GCM by encrypt tasks with depth tasks in
 * flight, compared with libcrypto on the same memory, where one context has the key and each
 * message has a new IV. Memory is hot while it fits the caches.
 */
#include <string.h>

#include <openssl/evp.h>

#include <doca_aes_gcm.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"

#define IV_LEN  12u
#define TAG_LEN 16u
/* Total of all sources, which stay in the second-level cache unless one source is larger. */
#define HOT_BYTES (256u << 10)

struct gcm_set {
	size_t size, depth, n_sources, stride;
	uint8_t *memory, *sealed;
	struct doca_buf **srcs, **dsts; /* depth of each */
	struct doca_pe *pe;
	struct doca_aes_gcm_task_encrypt **tasks;
	uint64_t n_done, n_failed;
	EVP_CIPHER_CTX *cipher;
	uint8_t iv[IV_LEN];
};

static const uint8_t raw_key[32] = {1, 2, 3, 4};

static void on_done(struct doca_aes_gcm_task_encrypt *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct gcm_set *s = ctx_data.ptr;

	(void)task, (void)task_data;
	s->n_done++;
}

static void on_failed(struct doca_aes_gcm_task_encrypt *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	bench_check(doca_task_get_status(doca_aes_gcm_task_encrypt_as_task(task)), "encryption");
}

/* Each message has an IV of its own, the index of its task in this round. */
static const uint8_t *iv_of(struct gcm_set *s, size_t i)
{
	memcpy(s->iv, &i, sizeof(i));
	return s->iv;
}

static void gcm_run(struct bench *b, uint64_t n)
{
	struct gcm_set *s = b->state;
	size_t depth = s->depth, i;
	uint64_t target = s->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
		laps_mark(b->laps);
		for (i = 0; i < depth; i++) {
			doca_buf_reset_data_len(s->dsts[i]);
			doca_aes_gcm_task_encrypt_set_iv(s->tasks[i], iv_of(s, i), IV_LEN);
			s->n_failed += doca_task_submit(doca_aes_gcm_task_encrypt_as_task(
					       s->tasks[i])) != DOCA_SUCCESS;
		}
		while (s->n_done < target)
			doca_pe_progress(s->pe);
	}
	laps_mark(b->laps);
	if (s->n_failed > 0)
		bench_die("aes-gcm: %llu tasks failed", (unsigned long long)s->n_failed);
}

static void evp_run(struct bench *b, uint64_t n)
{
	struct gcm_set *s = b->state;
	size_t depth = s->depth, i;
	int ok = 1, len;

	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++) {
			uint8_t *out = s->sealed + i * (s->stride + 64);

			ok &= EVP_EncryptInit_ex(s->cipher, NULL, NULL, NULL, iv_of(s, i));
			ok &= EVP_EncryptUpdate(s->cipher, out, &len,
						s->memory + i % s->n_sources * s->stride,
						(int)s->size);
			ok &= EVP_EncryptFinal_ex(s->cipher, out + s->size, &len);
			ok &= EVP_CIPHER_CTX_ctrl(s->cipher, EVP_CTRL_AEAD_GET_TAG, TAG_LEN,
						  out + s->size);
		}
	}
	if (ok != 1)
		bench_die("aes-gcm: libcrypto refused");
}

static void bufs_make(struct gcm_set *s, struct doca_dev *dev)
{
	struct doca_buf_inventory *inventory = device_inventory_new(2 * s->depth);
	struct doca_mmap *map, *sealed_map;
	size_t len, sealed_len, i;

	s->stride = ALIGN_UP(s->size, 64);
	s->n_sources = MAX(MIN(s->depth, HOT_BYTES / s->stride), 1);
	len = ALIGN_UP(s->n_sources * s->stride, 4096);
	sealed_len = ALIGN_UP(s->depth * (s->stride + 64), 4096);
	s->memory = device_memory_new(TRANSPORT_LOCAL, len);
	s->sealed = device_memory_new(TRANSPORT_LOCAL, sealed_len);
	map = device_map_new(dev, s->memory, len, DEVICE_RIGHTS);
	sealed_map = device_map_new(dev, s->sealed, sealed_len, DEVICE_RIGHTS);
	s->srcs = bench_alloc(s->depth, sizeof(struct doca_buf *));
	s->dsts = bench_alloc(s->depth, sizeof(struct doca_buf *));
	for (i = 0; i < s->depth; i++) {
		const uint8_t *src = s->memory + i % s->n_sources * s->stride;

		s->srcs[i] = device_buf_new(inventory, map, (uintptr_t)src, s->size, true);
		s->dsts[i] = device_buf_new(inventory, sealed_map,
					    (uintptr_t)s->sealed + i * (s->stride + 64),
					    s->size + TAG_LEN, false);
	}
}

static void tasks_make(struct gcm_set *s, struct doca_dev *dev)
{
	union doca_data none = {.u64 = 0};
	struct doca_aes_gcm *aes_gcm;
	struct doca_aes_gcm_key *key;
	size_t i;

	MUST(doca_pe_create(&s->pe));
	MUST(doca_aes_gcm_create(dev, &aes_gcm));
	MUST(doca_aes_gcm_task_encrypt_set_conf(aes_gcm, on_done, on_failed, (uint32_t)s->depth));
	device_ctx_start(doca_aes_gcm_as_ctx(aes_gcm), s->pe, s);
	MUST(doca_aes_gcm_key_create(aes_gcm, raw_key, DOCA_AES_GCM_KEY_256, &key));
	s->tasks = bench_alloc(s->depth, sizeof(struct doca_aes_gcm_task_encrypt *));
	for (i = 0; i < s->depth; i++)
		MUST(doca_aes_gcm_task_encrypt_alloc_init(aes_gcm, s->srcs[i], s->dsts[i], key,
							  s->iv, IV_LEN, TAG_LEN, 0, none,
							  &s->tasks[i]));
}

/* Checks that both methods produce the same messages. */
static void messages_verify(struct bench *b)
{
	const struct gcm_set *s = b->state;
	size_t len = s->depth * (s->stride + 64);
	uint8_t *ours = bench_alloc(len, 1);

	memset(s->sealed, 0, len);
	gcm_run(b, s->depth);
	memcpy(ours, s->sealed, len);
	memset(s->sealed, 0, len);
	evp_run(b, s->depth);
	if (memcmp(ours, s->sealed, len) != 0)
		bench_die("aes-gcm: a message differs from libcrypto's");
}

static doca_error_t can_seal(const struct doca_devinfo *info)
{
	return doca_aes_gcm_cap_task_encrypt_is_key_type_supported(info, DOCA_AES_GCM_KEY_256);
}

static const char *gcm_setup(struct bench *b)
{
	struct doca_dev *dev = device_open(can_seal, "open a device with AES-GCM");
	struct gcm_set *s = b->state = bench_alloc(1, sizeof(*s));

	s->size = b->size;
	s->depth = b->depth;
	s->cipher = EVP_CIPHER_CTX_new();
	if (s->cipher == NULL ||
	    EVP_EncryptInit_ex(s->cipher, EVP_aes_256_gcm(), NULL, raw_key, NULL) != 1)
		bench_die("aes-gcm: libcrypto has no AES-256-GCM");
	bufs_make(s, dev);
	tasks_make(s, dev);
	messages_verify(b);
	return NULL;
}

static const struct bench_row rows[] = {
	{.test = "aes-gcm",
	 .variant = "encrypt",
	 .transport = "local",
	 .setup = gcm_setup,
	 .flags = ROW_BYTES | ROW_SIZES | ROW_DEPTHS | ROW_THREADS | ROW_LAPS | ROW_DEPTH_ONE,
	 .run = gcm_run,
	 .points = {{64, 32, 1.25}, {4096, 32, 1.08}, {65536, 32, 1.03}},
	 .reference = "libcrypto EVP",
	 .reference_run = evp_run},
};

BENCH_TABLE(bench_aes_gcm, rows);
