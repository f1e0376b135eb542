/*
 * Compression of memory that another process exported, mapped and accessed by system calls: from it
 * into own memory, from own memory into it, and within it; lists of its pieces; and after the
 * export has ended.
 */
#include <string.h>

#include <doca_compress.h>

#include "tests/integration/dma/import_kinds.h"
#include "tests/lib/use.h"
#include "util/util.h"

#define LEN (1u << 20)
/* The exporter's second half has the results. */
#define HALF (LEN / 2)

static struct lab lab;
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_compress *engine;
static struct doca_mmap *local, *remote;
static struct doca_buf_inventory *inventory;
static struct exporter exporter;
static uint8_t content[LEN], memory[LEN];
static unsigned n_completed;
static doca_error_t status;
static const union doca_data no_data;

static void completed(struct doca_task *task)
{
	status = doca_task_get_status(task);
	n_completed++;
	doca_task_free(task);
}

static void compressed(struct doca_compress_task_compress_deflate *task, union doca_data data,
		       union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_compress_task_compress_deflate_as_task(task));
}

static void decompressed(struct doca_compress_task_decompress_deflate *task, union doca_data data,
			 union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_compress_task_decompress_deflate_as_task(task));
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
	OK(doca_compress_create(dev, &engine));
	OK(doca_compress_task_compress_deflate_set_conf(engine, compressed, compressed, 1));
	OK(doca_compress_task_decompress_deflate_set_conf(engine, decompressed, decompressed, 1));
	OK(doca_pe_connect_ctx(pe, doca_compress_as_ctx(engine)));
	OK(doca_ctx_start(doca_compress_as_ctx(engine)));
	OK(doca_buf_inventory_create(256, &inventory));
	OK(doca_buf_inventory_start(inventory));
	local = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
	ck_assert_str_eq(dococ_mmap_get_transport(remote), kind->transport);
}

static void importer_close(void)
{
	use_ctx_await(pe, doca_compress_as_ctx(engine), DOCA_CTX_STATE_IDLE);
	OK(doca_compress_destroy(engine));
	OK(doca_pe_destroy(pe));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(local);
	use_mmap_end(remote);
	OK(doca_dev_close(dev));
	kinds_teardown(&lab);
}

static struct doca_buf *buf_of(struct doca_mmap *mmap, uint8_t *addr, size_t len, bool is_src)
{
	struct doca_buf *buf;

	if (is_src)
		OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, addr, len, &buf));
	else
		OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, addr, len, &buf));
	return buf;
}

static struct doca_buf *theirs(size_t at, size_t len, bool is_src)
{
	return buf_of(remote, exporter.exported.addr + at, len, is_src);
}

static struct doca_buf *ours(size_t at, size_t len, bool is_src)
{
	return buf_of(local, memory + at, len, is_src);
}

static size_t data_len(const struct doca_buf *buf)
{
	size_t len;

	OK(doca_buf_get_data_len(buf, &len));
	return len;
}

static doca_error_t run(struct doca_task *task)
{
	unsigned n = n_completed;

	OK(doca_task_submit(task));
	while (n_completed == n)
		kind_progress(pe);
	return status;
}

static doca_error_t compress_run(struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_compress_task_compress_deflate *task;

	OK(doca_compress_task_compress_deflate_alloc_init(engine, src, dst, no_data, &task));
	return run(doca_compress_task_compress_deflate_as_task(task));
}

static doca_error_t decompress_run(struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_compress_task_decompress_deflate *task;

	OK(doca_compress_task_decompress_deflate_alloc_init(engine, src, dst, no_data, &task));
	return run(doca_compress_task_decompress_deflate_as_task(task));
}

START_TEST(test_imported)
{
	static const size_t sizes[] = {0, 1, 4097, 400000};
	struct doca_buf *src, *dst, *back;

	importer_open((unsigned)_i);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		/* Their memory into ours, and back into theirs. */
		src = theirs(77, sizes[i], true);
		dst = ours(0, HALF, false);
		back = theirs(HALF, HALF, false);
		EXPECT(DOCA_SUCCESS, compress_run(src, dst));
		EXPECT(DOCA_SUCCESS, decompress_run(dst, back));
		ck_assert_uint_eq(data_len(back), sizes[i]);
		/* Their memory into their memory, and into ours. */
		OK(doca_buf_reset_data_len(back));
		EXPECT(DOCA_SUCCESS, compress_run(src, back));
		OK(doca_buf_reset_data_len(dst));
		EXPECT(DOCA_SUCCESS, decompress_run(back, dst));
		ck_assert_uint_eq(data_len(dst), sizes[i]);
		ck_assert_int_eq(memcmp(memory, content + 77, sizes[i]), 0);
		use_buf_end(src);
		use_buf_end(dst);
		use_buf_end(back);
	}
	/* Pieces of their memory, backwards and more than one call of a transport takes, into two
	 * pieces of ours. */
	src = theirs(200000, 1000, true);
	for (size_t i = 1; i < 100; i++)
		OK(doca_buf_chain_list(src, theirs(200000 - i * 1000, 1000, true)));
	dst = ours(0, 10, false);
	OK(doca_buf_chain_list(dst, ours(10, HALF - 10, false)));
	back = ours(HALF, HALF, false);
	EXPECT(DOCA_SUCCESS, compress_run(src, dst));
	ck_assert_uint_eq(data_len(dst), 10);
	EXPECT(DOCA_SUCCESS, decompress_run(dst, back));
	ck_assert_uint_eq(data_len(back), 100000);
	for (size_t i = 0; i < 100; i++)
		ck_assert_int_eq(
			memcmp(memory + HALF + i * 1000, content + 200000 - i * 1000, 1000), 0);
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(back);
	OK(doca_ctx_stop(doca_compress_as_ctx(engine)));
	exporter_end(&exporter);
	importer_close();
}
END_TEST

/* The export has ended, or the whole process: an error, and the context stops. */
START_TEST(test_ended)
{
	bool is_killed = _i >= N_KINDS;
	struct doca_buf *src, *dst;

	importer_open((unsigned)(_i % N_KINDS));
	src = theirs(0, HALF, true);
	dst = ours(0, LEN, false);
	EXPECT(DOCA_SUCCESS, compress_run(src, dst));
	OK(doca_buf_reset_data_len(dst));
	if (is_killed) {
		kinds_kill(&lab, &exporter);
	} else {
		exporter_stop_map(&exporter);
	}
	EXPECT(DOCA_ERROR_IO_FAILED, compress_run(src, dst));
	ck_assert_uint_eq(data_len(dst), 0);
	use_buf_end(src);
	use_buf_end(dst);
	if (!is_killed)
		exporter_end(&exporter);
	importer_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("compress import");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_imported, 0, N_KINDS);
	tcase_add_loop_test(tcase, test_ended, 0, 2 * N_KINDS);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("compress import"), add_cases, NULL);
}
