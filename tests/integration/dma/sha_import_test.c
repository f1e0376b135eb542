/*
 * Digests and cache invalidation of memory that another process exported: mapped and accessed by
 * system calls, into own memory and into the exporter's; and after the export has ended.
 */
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include <doca_mmap_advise.h>
#include <doca_sha.h>

#include "tests/integration/dma/import_kinds.h"
#include "tests/lib/use.h"

#define LEN     (1u << 20)
#define SEGMENT (192u << 10)

static struct lab lab;
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_sha *sha;
static struct doca_mmap_advise *advise;
static struct doca_mmap *local, *remote;
static struct doca_buf_inventory *inventory;
static struct exporter exporter;
static uint8_t content[LEN], digests[4096];
static unsigned n_completed;
static doca_error_t status;
static const union doca_data no_data;

static void completed(struct doca_task *task)
{
	status = doca_task_get_status(task);
	n_completed++;
}

static void hash_done(struct doca_sha_task_hash *task, union doca_data data,
		      union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_sha_task_hash_as_task(task));
}

static void partial_done(struct doca_sha_task_partial_hash *task, union doca_data data,
			 union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_sha_task_partial_hash_as_task(task));
}

static void advise_done(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data data,
			union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
}

static void setup(void)
{
	kinds_setup(&lab);
}

/* Makes this process a client of the DPU, with an exporter of the host. */
static void importer_open(unsigned number)
{
	struct exporter_options options = {.memory = kinds[number].memory,
					   .len = LEN,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	kind_choose(number);
	exporter_start(&exporter, &lab, &options);
	use_fill(content, LEN, 1);
	dev = use_dev(USE_DPU_P0);
	OK(doca_pe_create(&pe));
	OK(doca_sha_create(dev, &sha));
	OK(doca_sha_task_hash_set_conf(sha, hash_done, hash_done, 0));
	OK(doca_sha_task_partial_hash_set_conf(sha, partial_done, partial_done, 0));
	OK(doca_pe_connect_ctx(pe, doca_sha_as_ctx(sha)));
	OK(doca_ctx_start(doca_sha_as_ctx(sha)));
	OK(doca_mmap_advise_create(dev, &advise));
	OK(doca_mmap_advise_task_invalidate_cache_set_conf(advise, advise_done, advise_done, 1));
	OK(doca_pe_connect_ctx(pe, doca_mmap_advise_as_ctx(advise)));
	OK(doca_ctx_start(doca_mmap_advise_as_ctx(advise)));
	OK(doca_buf_inventory_create(64, &inventory));
	OK(doca_buf_inventory_start(inventory));
	local = use_mmap(dev, digests, sizeof(digests), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
	ck_assert_str_eq(dococ_mmap_get_transport(remote), kind->transport);
}

static void importer_close(void)
{
	use_ctx_await(pe, doca_sha_as_ctx(sha), DOCA_CTX_STATE_IDLE);
	use_ctx_await(pe, doca_mmap_advise_as_ctx(advise), DOCA_CTX_STATE_IDLE);
	OK(doca_sha_destroy(sha));
	OK(doca_mmap_advise_destroy(advise));
	OK(doca_pe_destroy(pe));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(local);
	use_mmap_end(remote);
	OK(doca_dev_close(dev));
	kinds_teardown(&lab);
}

static struct doca_buf *remote_buf(size_t at, size_t len, bool is_src)
{
	uint8_t *addr = exporter.exported.addr + at;
	struct doca_buf *buf;

	if (is_src)
		OK(doca_buf_inventory_buf_get_by_data(inventory, remote, addr, len, &buf));
	else
		OK(doca_buf_inventory_buf_get_by_addr(inventory, remote, addr, len, &buf));
	return buf;
}

static struct doca_buf *local_buf(size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_addr(inventory, local, digests, len, &buf));
	return buf;
}

static doca_error_t run(struct doca_task *task)
{
	unsigned n = n_completed;

	OK(doca_task_submit(task));
	while (n_completed == n)
		kind_progress(pe);
	return status;
}

static doca_error_t hash(enum doca_sha_algorithm algorithm, struct doca_buf *src,
			 struct doca_buf *dst)
{
	struct doca_sha_task_hash *task;
	doca_error_t result;

	OK(doca_sha_task_hash_alloc_init(sha, algorithm, src, dst, no_data, &task));
	result = run(doca_sha_task_hash_as_task(task));
	doca_task_free(doca_sha_task_hash_as_task(task));
	return result;
}

static bool is_digest(const uint8_t *digest, enum doca_sha_algorithm algorithm, const void *bytes,
		      size_t n)
{
	const EVP_MD *mds[] = {EVP_sha1(), EVP_sha256(), EVP_sha512()};
	uint8_t expected[64];
	unsigned len;

	ck_assert_int_eq(EVP_Digest(bytes, n, expected, &len, mds[algorithm], NULL), 1);
	return memcmp(digest, expected, len) == 0;
}

static doca_error_t invalidate(struct doca_buf *buf)
{
	struct doca_mmap_advise_task_invalidate_cache *task;
	struct doca_task *general;
	doca_error_t result;

	OK(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, no_data, &task));
	general = doca_mmap_advise_task_invalidate_cache_as_doca_task(task);
	result = run(general);
	doca_task_free(general);
	return result;
}

START_TEST(test_imported)
{
	static const size_t sizes[] = {0, 1, 64, 4097, 131072, LEN - 77};
	struct doca_buf *src, *dst, *back;

	importer_open((unsigned)_i);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		for (unsigned a = 0; a < 3; a++) {
			src = remote_buf(77, sizes[i], true);
			dst = local_buf(64);
			EXPECT(DOCA_SUCCESS, hash(a, src, dst));
			ck_assert(is_digest(digests, a, content + 77, sizes[i]));
			use_buf_end(src);
			use_buf_end(dst);
		}
	}
	/*
	 * Pieces of their memory, backwards, into their memory; checked by a digest of the digest.
	 */
	src = remote_buf(3000, 1000, true);
	for (size_t i = 1; i <= 3; i++)
		OK(doca_buf_chain_list(src, remote_buf(3000 - i * 1000, 1000, true)));
	back = remote_buf(LEN - 64, 64, false);
	EXPECT(DOCA_SUCCESS, hash(DOCA_SHA_ALGORITHM_SHA512, src, back));
	for (size_t i = 0; i < 4; i++)
		memcpy(content + 8192 + i * 1000, content + 3000 - i * 1000, 1000);
	EVP_Digest(content + 8192, 4000, content, NULL, EVP_sha512(), NULL);
	dst = local_buf(64);
	EXPECT(DOCA_SUCCESS, invalidate(back));
	EXPECT(DOCA_SUCCESS, hash(DOCA_SHA_ALGORITHM_SHA1, back, dst));
	ck_assert(is_digest(digests, DOCA_SHA_ALGORITHM_SHA1, content, 64));
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(back);
	OK(doca_ctx_stop(doca_sha_as_ctx(sha)));
	OK(doca_ctx_stop(doca_mmap_advise_as_ctx(advise)));
	exporter_end(&exporter);
	importer_close();
}
END_TEST

START_TEST(test_segments)
{
	struct doca_sha_task_partial_hash *task;
	struct doca_buf *src, *dst;

	importer_open((unsigned)_i);
	src = remote_buf(0, LEN, true);
	dst = local_buf(32);
	OK(doca_sha_task_partial_hash_alloc_init(sha, DOCA_SHA_ALGORITHM_SHA256, src, dst, no_data,
						 &task));
	for (size_t at = 0; at < LEN; at += SEGMENT) {
		size_t n = MIN(SEGMENT, LEN - at);

		OK(doca_buf_set_data(src, exporter.exported.addr + at, n));
		if (at + n == LEN)
			OK(doca_sha_task_partial_hash_set_is_final_buf(task));
		EXPECT(DOCA_SUCCESS, run(doca_sha_task_partial_hash_as_task(task)));
	}
	ck_assert(is_digest(digests, DOCA_SHA_ALGORITHM_SHA256, content, LEN));
	doca_task_free(doca_sha_task_partial_hash_as_task(task));
	use_buf_end(src);
	use_buf_end(dst);
	OK(doca_ctx_stop(doca_sha_as_ctx(sha)));
	OK(doca_ctx_stop(doca_mmap_advise_as_ctx(advise)));
	exporter_end(&exporter);
	importer_close();
}
END_TEST

/* The export has ended, or the whole process: an error, and the contexts stop. */
START_TEST(test_ended)
{
	bool is_killed = _i >= N_KINDS;
	struct doca_buf *src, *dst;

	importer_open((unsigned)(_i % N_KINDS));
	src = remote_buf(0, LEN, true);
	dst = local_buf(32);
	EXPECT(DOCA_SUCCESS, hash(DOCA_SHA_ALGORITHM_SHA256, src, dst));
	OK(doca_buf_reset_data_len(dst));
	if (is_killed) {
		kinds_kill(&lab, &exporter);
	} else {
		exporter_stop_map(&exporter);
	}
	EXPECT(DOCA_ERROR_IO_FAILED, hash(DOCA_SHA_ALGORITHM_SHA256, src, dst));
	/* Another machine's daemon reports the end later. */
	if (IS_REMOTE)
		OK(doca_ctx_stop(doca_mmap_advise_as_ctx(advise)));
	else
		EXPECT(DOCA_ERROR_IO_FAILED, invalidate(src));
	use_buf_end(src);
	use_buf_end(dst);
	if (!is_killed)
		exporter_end(&exporter);
	importer_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("sha import");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_imported, 0, N_KINDS);
	tcase_add_loop_test(tcase, test_segments, 0, N_KINDS);
	tcase_add_loop_test(tcase, test_ended, 0, 2 * N_KINDS);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("sha import"), add_cases, NULL);
}
