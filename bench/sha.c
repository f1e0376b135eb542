/*
 * sha: SHA-256 digests of one size by hash tasks with depth tasks in flight, compared with
 * libcrypto on the same memory: with EVP, where digest and context are prepared once, and with the
 * functions below EVP, which do the computation alone. Memory is hot while it fits the caches.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_sha.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/report.h"
#include "bench/bench.h"

#define DIGEST_LEN 32u
/* Total of all sources, which stay in the second-level cache unless one source is larger. */
#define HOT_BYTES (256u << 10)

struct sha_set {
	size_t size, depth, n_sources, stride;
	uint8_t *memory, *digests;
	struct doca_mmap *map, *digest_map;
	struct doca_buf_inventory *inventory;
	struct doca_buf **srcs, **dsts; /* depth of each */
	struct doca_pe *pe;
	struct doca_sha *sha;
	struct doca_sha_task_hash **tasks;
	uint64_t n_done, n_failed;
	EVP_MD *md;
	EVP_MD_CTX *md_ctx;
};

static void on_done(struct doca_sha_task_hash *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct sha_set *s = ctx_data.ptr;

	(void)task;
	(void)task_data;
	s->n_done++;
}

static void on_failed(struct doca_sha_task_hash *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	bench_check(doca_task_get_status(doca_sha_task_hash_as_task(task)), "digest");
}

static void sha_run(void *arg, uint64_t n)
{
	struct sha_set *s = arg;
	size_t depth = s->depth, i;
	uint64_t target = s->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
		for (i = 0; i < depth; i++) {
			doca_buf_reset_data_len(s->dsts[i]);
			s->n_failed += doca_task_submit(doca_sha_task_hash_as_task(s->tasks[i])) !=
				       DOCA_SUCCESS;
		}
		while (s->n_done < target)
			doca_pe_progress(s->pe);
	}
	if (s->n_failed > 0)
		bench_die("sha: %llu tasks failed", (unsigned long long)s->n_failed);
}

static void evp_run(void *arg, uint64_t n)
{
	struct sha_set *s = arg;
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

static void raw_run(void *arg, uint64_t n)
{
	struct sha_set *s = arg;
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

static void memory_prepare(struct sha_set *s, struct doca_dev *dev)
{
	size_t len, digests_len = ALIGN_UP(s->depth * DIGEST_LEN, 4096), i;

	s->stride = ALIGN_UP(s->size, 64);
	s->n_sources = MAX(MIN(s->depth, HOT_BYTES / s->stride), 1);
	len = ALIGN_UP(s->n_sources * s->stride, 4096);
	s->memory = device_memory_new(TRANSPORT_LOCAL, len);
	s->digests = device_memory_new(TRANSPORT_LOCAL, digests_len);
	s->map = device_map_new(dev, s->memory, len);
	s->digest_map = device_map_new(dev, s->digests, digests_len);
	bench_check(doca_buf_inventory_create(2 * s->depth, &s->inventory), "create an inventory");
	bench_check(doca_buf_inventory_start(s->inventory), "start the inventory");
	s->srcs = bench_alloc(s->depth, sizeof(struct doca_buf *));
	s->dsts = bench_alloc(s->depth, sizeof(struct doca_buf *));
	for (i = 0; i < s->depth; i++) {
		bench_check(doca_buf_inventory_buf_get_by_data(
				    s->inventory, s->map, s->memory + i % s->n_sources * s->stride,
				    s->size, &s->srcs[i]),
			    "get a source buffer");
		bench_check(doca_buf_inventory_buf_get_by_addr(s->inventory, s->digest_map,
							       s->digests + i * DIGEST_LEN,
							       DIGEST_LEN, &s->dsts[i]),
			    "get a destination buffer");
	}
}

static void engine_prepare(struct sha_set *s, struct doca_dev *dev)
{
	union doca_data data = {.ptr = s};
	struct doca_ctx *ctx;
	uint8_t log_depth = 0;
	size_t i;

	while ((size_t)1 << log_depth < s->depth)
		log_depth++;
	bench_check(doca_pe_create(&s->pe), "create a progress engine");
	bench_check(doca_sha_create(dev, &s->sha), "create a SHA engine");
	ctx = doca_sha_as_ctx(s->sha);
	bench_check(doca_pe_connect_ctx(s->pe, ctx), "connect the SHA engine");
	bench_check(doca_sha_task_hash_set_conf(s->sha, on_done, on_failed, log_depth),
		    "configure the tasks");
	bench_check(doca_ctx_set_user_data(ctx, data), "set the user data");
	bench_check(doca_ctx_start(ctx), "start the SHA engine");
	s->tasks = bench_alloc(s->depth, sizeof(struct doca_sha_task_hash *));
	for (i = 0; i < s->depth; i++)
		bench_check(doca_sha_task_hash_alloc_init(s->sha, DOCA_SHA_ALGORITHM_SHA256,
							  s->srcs[i], s->dsts[i], data,
							  &s->tasks[i]),
			    "allocate a task");
	s->md = EVP_MD_fetch(NULL, "SHA2-256", NULL);
	s->md_ctx = EVP_MD_CTX_new();
	if (s->md == NULL || s->md_ctx == NULL || EVP_DigestInit_ex2(s->md_ctx, s->md, NULL) != 1)
		bench_die("sha: libcrypto has no SHA-256");
}

static struct sha_set *sha_set_new(struct doca_dev *dev, size_t size, size_t depth)
{
	struct sha_set *s = bench_alloc(1, sizeof(*s));

	s->size = size;
	s->depth = depth;
	memory_prepare(s, dev);
	engine_prepare(s, dev);
	return s;
}

static void sha_set_delete(struct sha_set *s)
{
	size_t i;

	for (i = 0; i < s->depth; i++)
		doca_task_free(doca_sha_task_hash_as_task(s->tasks[i]));
	doca_ctx_stop(doca_sha_as_ctx(s->sha));
	bench_check(doca_sha_destroy(s->sha), "destroy the SHA engine");
	bench_check(doca_pe_destroy(s->pe), "destroy the progress engine");
	for (i = 0; i < s->depth; i++) {
		doca_buf_dec_refcount(s->srcs[i], NULL);
		doca_buf_dec_refcount(s->dsts[i], NULL);
	}
	bench_check(doca_buf_inventory_destroy(s->inventory), "destroy the inventory");
	doca_mmap_destroy(s->map);
	doca_mmap_destroy(s->digest_map);
	device_memory_free(TRANSPORT_LOCAL, s->memory, ALIGN_UP(s->n_sources * s->stride, 4096));
	device_memory_free(TRANSPORT_LOCAL, s->digests, ALIGN_UP(s->depth * DIGEST_LEN, 4096));
	EVP_MD_CTX_free(s->md_ctx);
	EVP_MD_free(s->md);
	free(s->srcs);
	free(s->dsts);
	free(s->tasks);
	free(s);
}

/* Checks that both methods compute the same digests. */
static void sha_set_verify(struct sha_set *s)
{
	size_t len = s->depth * DIGEST_LEN;
	uint8_t *ours = bench_alloc(len, 1);

	sha_run(s, s->depth);
	memcpy(ours, s->digests, len);
	memset(s->digests, 0, len);
	evp_run(s, s->depth);
	if (memcmp(ours, s->digests, len) != 0)
		bench_die("sha: a digest differs from libcrypto's");
	free(ours);
}

static void sha_measure(struct bench *bench, struct doca_dev *dev, size_t size, size_t depth,
			unsigned n_threads)
{
	struct measure_plan plan = report_plan(bench, depth, n_threads);
	struct work ours = {.run = sha_run}, evp = {.run = evp_run}, raw = {.run = raw_run};
	struct report_row row = {.test = "sha",
				 .variant = "sha256",
				 .transport = "local",
				 .size = size,
				 .depth = depth,
				 .n_threads = n_threads,
				 .moves_bytes = true,
				 .reference = "libcrypto EVP"};
	unsigned i;

	for (i = 0; i < n_threads; i++) {
		ours.args[i] = evp.args[i] = raw.args[i] = sha_set_new(dev, size, depth);
		sha_set_verify(ours.args[i]);
	}
	report_measure(bench->report, &row, &plan, &ours, &evp);
	row.reference = "libcrypto raw";
	report_measure(bench->report, &row, &plan, &ours, &raw);
	for (i = 0; i < n_threads; i++)
		sha_set_delete(ours.args[i]);
}

static doca_error_t can_sha256(const struct doca_devinfo *info)
{
	return doca_sha_cap_task_hash_get_supported(info, DOCA_SHA_ALGORITHM_SHA256);
}

void bench_sha(struct bench *bench)
{
	static const struct bench_list default_sizes = {{64, 8192, 1u << 20}, 3};
	static const struct bench_list default_depths = {{32}, 1}, ones = {{1}, 1};
	const struct bench_options *o = bench->options;
	const struct bench_list *sizes = o->sizes.n ? &o->sizes : &default_sizes;
	const struct bench_list *depths = o->depths.n ? &o->depths : &default_depths;
	const struct bench_list *threads = o->threads.n ? &o->threads : &ones;
	struct doca_dev *dev = device_open(can_sha256, "open a device with SHA-256");
	size_t i, d, t;

	for (i = 0; i < sizes->n; i++)
		for (d = 0; d < depths->n; d++)
			for (t = 0; t < threads->n; t++)
				sha_measure(bench, dev, sizes->values[i], depths->values[d],
					    (unsigned)threads->values[t]);
	doca_dev_close(dev);
}
