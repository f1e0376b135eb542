/*
 * sha: SHA-256 digests of one size by hash tasks with depth tasks in flight, compared with
 * libcrypto on the same memory: with EVP, where digest and context are prepared once, and with the
 * functions below EVP, which do the computation alone. Memory is hot while it fits the caches.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <string.h>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <doca_sha.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"

#define DIGEST_LEN 32u
/* Total of all sources, which stay in the second-level cache unless one source is larger. */
#define HOT_BYTES (256u << 10)

struct sha_set {
	size_t size, depth, n_sources, stride;
	uint8_t *memory, *digests;
	struct doca_buf **srcs, **dsts; /* depth of each */
	struct doca_pe *pe;
	struct doca_sha_task_hash **tasks;
	uint64_t n_done, n_failed;
	EVP_MD_CTX *md_ctx;
};

static void on_done(struct doca_sha_task_hash *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct sha_set *s = ctx_data.ptr;

	(void)task, (void)task_data;
	s->n_done++;
}

static void on_failed(struct doca_sha_task_hash *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	bench_check(doca_task_get_status(doca_sha_task_hash_as_task(task)), "digest");
}

static void sha_run(struct bench *b, uint64_t n)
{
	struct sha_set *s = b->state;
	size_t depth = s->depth, i;
	uint64_t target = s->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
		laps_mark(b->laps);
		for (i = 0; i < depth; i++) {
			doca_buf_reset_data_len(s->dsts[i]);
			s->n_failed += doca_task_submit(doca_sha_task_hash_as_task(s->tasks[i])) !=
				       DOCA_SUCCESS;
		}
		while (s->n_done < target)
			doca_pe_progress(s->pe);
	}
	laps_mark(b->laps);
	if (s->n_failed > 0)
		bench_die("sha: %llu tasks failed", (unsigned long long)s->n_failed);
}

static void evp_run(struct bench *b, uint64_t n)
{
	struct sha_set *s = b->state;
	size_t depth = s->depth, i;
	int ok = 1;

	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++) {
			ok &= EVP_DigestInit_ex2(s->md_ctx, NULL, NULL);
			ok &= EVP_DigestUpdate(s->md_ctx, s->memory + i % s->n_sources * s->stride,
					       s->size);
			ok &= EVP_DigestFinal_ex(s->md_ctx, s->digests + i * DIGEST_LEN, NULL);
		}
	}
	if (ok != 1)
		bench_die("sha: libcrypto refused");
}

static void raw_run(struct bench *b, uint64_t n)
{
	struct sha_set *s = b->state;
	size_t depth = s->depth, i;
	SHA256_CTX digest;

	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++) {
			SHA256_Init(&digest);
			SHA256_Update(&digest, s->memory + i % s->n_sources * s->stride, s->size);
			SHA256_Final(s->digests + i * DIGEST_LEN, &digest);
		}
	}
}

static void bufs_make(struct sha_set *s, struct doca_dev *dev)
{
	size_t digests_len = ALIGN_UP(s->depth * DIGEST_LEN, 4096), len, i;
	struct doca_buf_inventory *inventory = device_inventory_new(2 * s->depth);
	struct doca_mmap *map, *digest_map;

	s->stride = ALIGN_UP(s->size, 64);
	s->n_sources = MAX(MIN(s->depth, HOT_BYTES / s->stride), 1);
	len = ALIGN_UP(s->n_sources * s->stride, 4096);
	s->memory = device_memory_new(TRANSPORT_LOCAL, len);
	s->digests = device_memory_new(TRANSPORT_LOCAL, digests_len);
	map = device_map_new(dev, s->memory, len, DEVICE_RIGHTS);
	digest_map = device_map_new(dev, s->digests, digests_len, DEVICE_RIGHTS);
	s->srcs = bench_alloc(s->depth, sizeof(struct doca_buf *));
	s->dsts = bench_alloc(s->depth, sizeof(struct doca_buf *));
	for (i = 0; i < s->depth; i++) {
		const uint8_t *src = s->memory + i % s->n_sources * s->stride;

		s->srcs[i] = device_buf_new(inventory, map, (uintptr_t)src, s->size, true);
		s->dsts[i] = device_buf_new(inventory, digest_map,
					    (uintptr_t)s->digests + i * DIGEST_LEN, DIGEST_LEN,
					    false);
	}
}

static void tasks_make(struct sha_set *s, struct doca_dev *dev)
{
	union doca_data none = {.u64 = 0};
	struct doca_sha *sha;
	uint8_t log_depth = 0;
	size_t i;

	while ((size_t)1 << log_depth < s->depth)
		log_depth++;
	MUST(doca_pe_create(&s->pe));
	MUST(doca_sha_create(dev, &sha));
	MUST(doca_sha_task_hash_set_conf(sha, on_done, on_failed, log_depth));
	device_ctx_start(doca_sha_as_ctx(sha), s->pe, s);
	s->tasks = bench_alloc(s->depth, sizeof(struct doca_sha_task_hash *));
	for (i = 0; i < s->depth; i++)
		MUST(doca_sha_task_hash_alloc_init(sha, DOCA_SHA_ALGORITHM_SHA256, s->srcs[i],
						   s->dsts[i], none, &s->tasks[i]));
}

/* Checks that both methods compute the same digests. */
static void digests_verify(struct bench *b)
{
	const struct sha_set *s = b->state;
	size_t len = s->depth * DIGEST_LEN;
	uint8_t *ours = bench_alloc(len, 1);

	sha_run(b, s->depth);
	memcpy(ours, s->digests, len);
	memset(s->digests, 0, len);
	evp_run(b, s->depth);
	if (memcmp(ours, s->digests, len) != 0)
		bench_die("sha: a digest differs from libcrypto's");
}

static doca_error_t can_sha256(const struct doca_devinfo *info)
{
	return doca_sha_cap_task_hash_get_supported(info, DOCA_SHA_ALGORITHM_SHA256);
}

static const char *sha_setup(struct bench *b)
{
	struct doca_dev *dev = device_open(can_sha256, "open a device with SHA-256");
	struct sha_set *s = b->state = bench_alloc(1, sizeof(*s));
	EVP_MD *md = EVP_MD_fetch(NULL, "SHA2-256", NULL);

	s->size = b->size;
	s->depth = b->depth;
	s->md_ctx = EVP_MD_CTX_new();
	if (md == NULL || s->md_ctx == NULL || EVP_DigestInit_ex2(s->md_ctx, md, NULL) != 1)
		bench_die("sha: libcrypto has no SHA-256");
	bufs_make(s, dev);
	tasks_make(s, dev);
	digests_verify(b);
	return NULL;
}

#define SHA                                                                                   \
	.test = "sha", .variant = "sha256", .transport = "local", .setup = sha_setup,         \
	.flags = ROW_BYTES | ROW_SIZES | ROW_DEPTHS | ROW_THREADS | ROW_LAPS | ROW_DEPTH_ONE, \
	.run = sha_run

static const struct bench_row rows[] = {
	{SHA, .points = {{64, 32, 1.176}, {8192, 32, 1.031}, {1u << 20, 32, 1.031}},
	 .reference = "libcrypto EVP", .reference_run = evp_run},
	{SHA, .points = {{64, 32, 0}, {8192, 32, 0}, {1u << 20, 32, 0}},
	 .reference = "libcrypto raw", .reference_run = raw_run},
};

BENCH_TABLE(bench_sha, rows);
