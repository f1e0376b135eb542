/*
 * Compression jobs of 2.2 and the LZ4 tasks of 2.5 to 2.8: results, checksums, checks of jobs,
 * failed jobs, limits of the device, capabilities; memory that only requests reach.
 */
#define DOCA_API_LIBRARY

#include <zlib.h>

#include <doca_compress.h>
#include <dococ/compress_former.h>
#include <dococ/compress_workq.h>

#include "client/compat/workq/jobs.h"
#include "client/compress/compress.h"
#include "tests/unit/client/compat/fixture.h"

#define LEN     8192u
#define MESSAGE 1024u /* bytes per request */
#include "tests/unit/client/dma/toy_requester.h"

static uint8_t from[LEN], to[LEN];
static struct doca_mmap *map_from, *map_to;
static struct doca_buf_inventory *inventory;
static struct doca_compress *compress_object;
static struct doca_ctx *ctx;
static struct doca_workq *workq;

static void caps_set(uint32_t tasks)
{
	unit_info.caps.compress_tasks = tasks;
	unit_info.caps.compress_max_buf_size = LEN;
	unit_info.caps.compress_max_list_len = 4;
	unit_info.caps.compress_max_tasks = 16;
}

static void maps_open(void)
{
	caps_set(15);
	map_from = unit_mmap(from, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	map_to = unit_mmap(to, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	inventory = unit_inventory(64);
}

static void maps_close(void)
{
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(map_from));
	ck_ok(doca_mmap_destroy(map_to));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static void setup(void)
{
	maps_open();
	ck_ok(compat_compress_create(&compress_object));
	ctx = doca_compress_as_ctx(compress_object);
	ck_ok(doca_ctx_dev_add(ctx, &unit_dev));
	ck_ok(compat_ctx_start(ctx));
	workq = queue_new(8, API_2_2);
	ck_ok(doca_ctx_workq_add(ctx, workq));
}

static void teardown(void)
{
	ck_ok(doca_ctx_workq_rm(ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	ck_fails(doca_compress_destroy(compress_object), DOCA_ERROR_IN_USE);
	ck_ok(compat_ctx_stop(ctx));
	ck_ok(doca_compress_destroy(compress_object));
	maps_close();
}

static struct doca_buf *source(const void *bytes, size_t len)
{
	struct doca_buf *buf;

	memcpy(from, bytes, len);
	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, map_from, from, len, &buf));
	return buf;
}

static struct doca_buf *destination(size_t len, size_t used)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_args(inventory, map_to, to, len, to, used, &buf));
	return buf;
}

static void put(struct doca_buf *buf)
{
	ck_ok(doca_buf_dec_refcount(buf, NULL));
}

static size_t data_len(const struct doca_buf *buf)
{
	size_t len;

	ck_ok(doca_buf_get_data_len(buf, &len));
	return len;
}

static struct doca_compress_deflate_job job_of(int type, const struct doca_buf *src,
					       struct doca_buf *dst, uint64_t *checksum)
{
	return (struct doca_compress_deflate_job){
		.base = {.type = type, .ctx = ctx, .user_data = {.u64 = 55}},
		.dst_buff = dst,
		.src_buff = src,
		.output_chksum = checksum};
}

/* Submits a job and retrieves its event. */
static void run(int type, const struct doca_buf *src, struct doca_buf *dst, uint64_t *checksum,
		doca_error_t status)
{
	struct doca_compress_deflate_job job = job_of(type, src, dst, checksum);
	struct doca_event event;
	doca_error_t result;

	ck_ok(doca_workq_submit(workq, &job.base));
	while ((result = doca_workq_progress_retrieve(workq, &event, 0)) == DOCA_ERROR_AGAIN) {
		if (n_callers > 0 && callers[0]->n_posted > 0)
			finish_one(callers[0]);
	}
	ck_assert_int_eq(result, status == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	ck_assert_int_eq(event.type, type);
	ck_assert_uint_eq(event.user_data.u64, 55);
	ck_assert_uint_eq(event.result.u64, status);
}

static uint64_t checksum_of(const void *bytes, size_t n)
{
	return (uint64_t)adler32(1, bytes, (uInt)n) << 32 | (uint32_t)crc32(0, bytes, (uInt)n);
}

START_TEST(jobs_compress_and_decompress)
{
	static const char text[] = "one fish two fish red fish blue fish one fish two fish";
	struct doca_buf *src = source(text, sizeof(text)), *dst = destination(LEN, 3), *back;
	uint64_t checksum = 0;
	size_t n;

	run(DOCA_COMPRESS_DEFLATE_JOB, src, dst, &checksum, DOCA_SUCCESS);
	ck_assert_uint_eq(checksum, checksum_of(text, sizeof(text)));
	n = data_len(dst) - 3;
	ck_assert_uint_lt(n, sizeof(text));
	put(src);
	src = source(to + 3, n);
	put(dst);
	memset(to, 0, LEN);
	back = destination(LEN, 0);
	checksum = 0;
	run(DOCA_DECOMPRESS_DEFLATE_JOB, src, back, &checksum, DOCA_SUCCESS);
	ck_assert_uint_eq(data_len(back), sizeof(text));
	ck_assert_int_eq(memcmp(to, text, sizeof(text)), 0);
	ck_assert_uint_eq(checksum, checksum_of(text, sizeof(text)));
	/* The checksums need not be asked for. */
	run(DOCA_DECOMPRESS_DEFLATE_JOB, src, back, NULL, DOCA_SUCCESS);
	ck_assert_uint_eq(data_len(back), 2 * sizeof(text));
	put(src);
	put(back);
}
END_TEST

/* Memory of another machine goes through memory of the work queue's context. */
START_TEST(jobs_go_by_requests)
{
	const struct transport_region region = {.ops = &posted_ops, .pidfd = -1};
	static uint8_t remote_memory[2 * LEN];
	struct doca_mmap *posted = unit_import((uintptr_t)remote_memory, 2 * LEN, true, true,
					       &region);
	struct doca_buf *src, *packed, *back;
	uint64_t checksum = 0;

	posted->is_posted = true;
	max_posted = N_POSTED;
	memset(remote_memory, 'x', LEN / 2);
	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, posted, remote_memory, LEN / 2, &src));
	ck_ok(doca_buf_inventory_buf_get_by_addr(inventory, posted, remote_memory + LEN, LEN,
						 &packed));
	run(DOCA_COMPRESS_DEFLATE_JOB, src, packed, &checksum, DOCA_SUCCESS);
	ck_assert_uint_eq(n_callers, 1);
	ck_assert_uint_eq(checksum, checksum_of(remote_memory, LEN / 2));
	back = destination(LEN, 0);
	run(DOCA_DECOMPRESS_DEFLATE_JOB, packed, back, &checksum, DOCA_SUCCESS);
	ck_assert_uint_eq(data_len(back), LEN / 2);
	ck_assert_int_eq(memcmp(to, remote_memory, LEN / 2), 0);
	put(src);
	put(packed);
	put(back);
	ck_ok(doca_mmap_destroy(posted));
}
END_TEST

START_TEST(jobs_decompress_lz4)
{
	struct doca_buf *src = source("\x50hello", 6), *dst = destination(LEN, 0);
	uint64_t checksum = 0;

	run(DOCA_DECOMPRESS_LZ4_JOB, src, dst, &checksum, DOCA_SUCCESS);
	ck_assert_int_eq(memcmp(to, "hello", 5), 0);
	ck_assert_uint_eq(checksum, checksum_of("hello", 5));
	put(src);
	put(dst);
}
END_TEST

/* A failed job stops nothing. */
START_TEST(failed_jobs)
{
	struct doca_buf *src = source("\x07", 1), *dst = destination(4, 0);
	uint64_t checksum = 7;

	run(DOCA_DECOMPRESS_DEFLATE_JOB, src, dst, &checksum, DOCA_ERROR_IO_FAILED);
	ck_says("corrupt");
	put(src);
	src = source("\x50hello", 6);
	run(DOCA_DECOMPRESS_LZ4_JOB, src, dst, &checksum, DOCA_ERROR_IO_FAILED);
	ck_says("longer than the room of 4 bytes");
	ck_assert_uint_eq(checksum, 7);
	put(src);
	put(dst);
	src = source("x", 1);
	ck_ok(doca_buf_inventory_buf_get_by_addr(inventory, map_from, from, 10, &dst));
	run(DOCA_COMPRESS_DEFLATE_JOB, src, dst, NULL, DOCA_ERROR_NOT_PERMITTED);
	put(dst);
	dst = destination(100, 0);
	run(DOCA_COMPRESS_DEFLATE_JOB, src, dst, NULL, DOCA_SUCCESS);
	put(src);
	put(dst);
}
END_TEST

START_TEST(jobs_are_checked)
{
	struct doca_buf *src = source("x", 1), *dst = destination(100, 0);
	struct doca_compress_deflate_job job = job_of(DOCA_COMPRESS_DEFLATE_JOB, NULL, dst, NULL);

	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("src_buff is NULL");
	job = job_of(DOCA_COMPRESS_DEFLATE_JOB, src, NULL, NULL);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	job = job_of(DOCA_DECOMPRESS_LZ4_JOB + 1, src, dst, NULL);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	put(src);
	put(dst);
}
END_TEST

START_TEST(capabilities)
{
	uint64_t size;
	uint32_t n;

	for (int type = DOCA_COMPRESS_DEFLATE_JOB; type <= DOCA_DECOMPRESS_LZ4_JOB; type++) {
		ck_ok(doca_compress_job_get_supported(&unit_info, type));
		ck_ok(doca_compress_get_max_buf_size(&unit_info, type, &size));
		ck_assert_uint_eq(size, LEN);
		ck_fails(doca_compress_job_get_supported(NULL, type), DOCA_ERROR_INVALID_VALUE);
		ck_fails(doca_compress_get_max_buf_size(&unit_info, type, NULL),
			 DOCA_ERROR_INVALID_VALUE);
	}
	ck_ok(doca_compress_get_max_list_buf_num_elem(&unit_info, &n));
	ck_assert_uint_eq(n, 4);
	ck_fails(doca_compress_get_max_list_buf_num_elem(NULL, &n), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_compress_job_get_supported(&unit_info, DOCA_COMPRESS_DEFLATE_JOB - 1),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_compress_get_max_buf_size(&unit_info, DOCA_DECOMPRESS_LZ4_JOB + 1, &size),
		 DOCA_ERROR_INVALID_VALUE);
	caps_set(8);
	ck_fails(doca_compress_job_get_supported(&unit_info, DOCA_COMPRESS_DEFLATE_JOB),
		 DOCA_ERROR_NOT_SUPPORTED);
	ck_ok(doca_compress_job_get_supported(&unit_info, DOCA_DECOMPRESS_LZ4_JOB));
	ck_ok(doca_compress_get_max_list_buf_num_elem(&unit_info, &n));
	caps_set(0);
	ck_fails(doca_compress_get_max_list_buf_num_elem(&unit_info, &n), DOCA_ERROR_NOT_SUPPORTED);
	caps_set(15);
	ck_fails(compat_compress_create(NULL), DOCA_ERROR_INVALID_VALUE);
	/* Calls of the other generation refuse the object. */
	ck_fails(doca_compress_cap_get_max_num_tasks(compress_object, &n), DOCA_ERROR_BAD_STATE);
}
END_TEST

/* --- LZ4 tasks of 2.5 to 2.8 --- */

static unsigned n_ok, n_failed;
static uint32_t crc, adler;

static void lz4_ok(struct doca_compress_task_decompress_lz4 *task, union doca_data user_data,
		   union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	n_ok++;
	crc = doca_compress_task_decompress_lz4_get_crc_cs(task);
	adler = doca_compress_task_decompress_lz4_get_adler_cs(task);
}

static void lz4_failed(struct doca_compress_task_decompress_lz4 *task, union doca_data user_data,
		       union doca_data ctx_user_data)
{
	(void)task;
	(void)user_data;
	(void)ctx_user_data;
	n_failed++;
}

START_TEST(former_lz4_tasks)
{
	struct doca_compress_task_decompress_lz4 *task;
	struct doca_buf *src, *dst, *other;
	union doca_data none = {.u64 = 0};
	struct doca_compress *object;
	struct doca_pe *pe;
	uint64_t size;
	uint32_t n;

	maps_open();
	src = source("\x50hello", 6);
	dst = destination(LEN, 0);
	other = destination(LEN, 0);
	ck_ok(doca_compress_cap_task_decompress_lz4_is_supported(&unit_info));
	ck_ok(doca_compress_cap_task_decompress_lz4_get_max_buf_size(&unit_info, &size));
	ck_ok(doca_compress_cap_task_decompress_lz4_get_max_buf_list_len(&unit_info, &n));
	ck_assert(size == LEN && n == 4);
	ck_ok(doca_compress_create(&unit_dev, &object));
	ck_ok(doca_compress_get_max_num_tasks(object, &n));
	ck_assert_uint_eq(n, 16);
	ck_fails(doca_compress_get_max_num_tasks(object, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_pe_connect_ctx(pe, doca_compress_as_ctx(object)));
	ck_fails(doca_compress_task_decompress_lz4_set_conf(object, lz4_ok, lz4_failed, 17),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_compress_task_decompress_lz4_set_conf(object, lz4_ok, lz4_failed, 1));
	ck_ok(doca_ctx_start(doca_compress_as_ctx(object)));
	ck_fails(doca_compress_task_decompress_lz4_alloc_init(object, NULL, dst, none, &task),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_compress_task_decompress_lz4_alloc_init(object, src, other, none, &task));
	doca_compress_task_decompress_lz4_set_src(task, src);
	doca_compress_task_decompress_lz4_set_dst(task, dst);
	ck_assert_ptr_eq(doca_compress_task_decompress_lz4_get_src(task), src);
	ck_assert_ptr_eq(doca_compress_task_decompress_lz4_get_dst(task), dst);
	ck_ok(doca_task_submit(doca_compress_task_decompress_lz4_as_task(task)));
	unit_progress(pe);
	ck_assert(n_ok == 1 && n_failed == 0);
	ck_assert_int_eq(memcmp(to, "hello", 5), 0);
	ck_assert_uint_eq((uint64_t)adler << 32 | crc, checksum_of("hello", 5));
	doca_task_free(doca_compress_task_decompress_lz4_as_task(task));
	ck_ok(doca_ctx_stop(doca_compress_as_ctx(object)));
	ck_ok(doca_compress_destroy(object));
	ck_ok(doca_pe_destroy(pe));
	put(src);
	put(dst);
	put(other);
	maps_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/compat compress");
	TCase *jobs = unit_case(suite, "jobs", UNIT_TIMEOUT);

	tcase_add_checked_fixture(jobs, setup, teardown);
	tcase_add_test(jobs, jobs_compress_and_decompress);
	tcase_add_test(jobs, jobs_go_by_requests);
	tcase_add_test(jobs, jobs_decompress_lz4);
	tcase_add_test(jobs, failed_jobs);
	tcase_add_test(jobs, jobs_are_checked);
	tcase_add_test(jobs, capabilities);
	tcase_add_test(unit_case(suite, "former", UNIT_TIMEOUT), former_lz4_tasks);
	return unit_run(suite);
}
