/*
 * Compression jobs as programs of 2.2 use them: every result code that 2.2.0 documents is provoked,
 * or listed with the reason why not; jobs, lists, failures, a graph of jobs, the depth of a queue,
 * devices with some of the types or none. Runs on the host side of a lab.
 */
#include <string.h>

#include <zlib.h>

#include <doca_compress.h>
#include <doca_graph.h>

#include "tests/conformance/v2_2/jobs.h"

#define TEXT_LEN 3000u
#define PACKED   4096u /* the offset of compressed data in `memory` */

static struct doca_compress *compress_object;
static struct doca_ctx *ctx;

static void setup_started(void)
{
	setup();
	PASSES(doca_compress_create(&compress_object));
	ctx = CALLED(doca_compress_as_ctx(compress_object));
	ctx_open(ctx);
}

static void teardown_started(void)
{
	RETURNS(DOCA_ERROR_IN_USE, doca_compress_destroy(compress_object));
	ctx_close(ctx);
	PASSES(doca_compress_destroy(compress_object));
	teardown();
}

static struct doca_compress_deflate_job job_of(enum doca_compress_job_types type,
					       const struct doca_buf *src, struct doca_buf *dst,
					       uint64_t *checksum)
{
	return (struct doca_compress_deflate_job){
		.base = {.type = (int)type, .ctx = ctx, .user_data = {.ptr = checksum}},
		.dst_buff = dst,
		.src_buff = src,
		.output_chksum = checksum};
}

static void run(enum doca_compress_job_types type, const struct doca_buf *src, struct doca_buf *dst,
		uint64_t *checksum, doca_error_t status)
{
	const struct doca_compress_deflate_job job = job_of(type, src, dst, checksum);

	run_job(&job.base, status);
}

static void text_fill(void)
{
	for (size_t i = 0; i < TEXT_LEN; i++)
		memory[i] = (uint8_t)("0123456789"[i % 7] + i / 500);
}

static uint64_t checksum_of(const void *bytes, size_t n)
{
	return (uint64_t)adler32(1, bytes, (uInt)n) << 32 | (uint32_t)crc32(0, bytes, (uInt)n);
}

START_TEST(test_calls)
{
	struct doca_compress *other;
	uint64_t size;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_create(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_destroy(NULL));
	ck_assert_ptr_null(CALLED(doca_compress_as_ctx(NULL)));
	if (allocount_works)
		RUNS_OUT(0, doca_compress_create(&other));
	PASSES(doca_compress_create(&other));
	PASSES(doca_compress_destroy(other));
	for (int i = DOCA_COMPRESS_DEFLATE_JOB; i <= DOCA_DECOMPRESS_LZ4_JOB; i++) {
		enum doca_compress_job_types type = (enum doca_compress_job_types)i;

		PASSES(doca_compress_job_get_supported(info, type));
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_job_get_supported(NULL, type));
		PASSES(doca_compress_get_max_buf_size(info, type, &size));
		ck_assert_uint_ge(size, 2u << 20);
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_compress_get_max_buf_size(NULL, type, &size));
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_get_max_buf_size(info, type, NULL));
	}
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_compress_job_get_supported(info, (enum doca_compress_job_types)0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_compress_get_max_buf_size(info, (enum doca_compress_job_types)0, &size));
	PASSES(doca_compress_get_max_list_buf_num_elem(info, &n));
	ck_assert_uint_ge(n, 64);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_get_max_list_buf_num_elem(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_get_max_list_buf_num_elem(info, NULL));
}
END_TEST

/* Compressing from and decompressing into lists, each with both checksums. zlib reads the stream.
 */
START_TEST(test_jobs)
{
	struct doca_buf *src, *tail, *packed = destination(PACKED, 2048), *stream, *back,
				     *back_tail;
	z_stream z = {0};
	uint8_t plain[TEXT_LEN];
	uint64_t checksum = 0;

	text_fill();
	memcpy(plain, memory, TEXT_LEN);
	src = source(0, 1000);
	tail = source(1000, TEXT_LEN - 1000);
	OK(doca_buf_list_chain(src, tail));
	run(DOCA_COMPRESS_DEFLATE_JOB, src, packed, &checksum, DOCA_SUCCESS);
	ck_assert_uint_eq(checksum, checksum_of(plain, TEXT_LEN));
	buf_release(src);
	memset(memory, 0, TEXT_LEN);
	ck_assert_int_eq(inflateInit2(&z, -MAX_WBITS), Z_OK);
	z.next_in = memory + PACKED;
	z.avail_in = (uInt)buf_data_len(packed);
	z.next_out = memory;
	z.avail_out = TEXT_LEN;
	ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	ck_assert_mem_eq(memory, plain, TEXT_LEN);
	inflateEnd(&z);
	memset(memory, 0, TEXT_LEN);
	stream = source(PACKED, buf_data_len(packed));
	back = destination(0, 7);
	back_tail = destination(7, TEXT_LEN - 7);
	OK(doca_buf_list_chain(back, back_tail));
	checksum = 0;
	run(DOCA_DECOMPRESS_DEFLATE_JOB, stream, back, &checksum, DOCA_SUCCESS);
	ck_assert_uint_eq(checksum, checksum_of(plain, TEXT_LEN));
	ck_assert_mem_eq(memory, plain, TEXT_LEN);
	buf_release(stream);
	buf_release(back);
	buf_release(packed);
	/* A block of LZ4. */
	memcpy(memory + PACKED, "\x50hello", 6);
	stream = source(PACKED, 6);
	back = destination(0, 5);
	run(DOCA_DECOMPRESS_LZ4_JOB, stream, back, &checksum, DOCA_SUCCESS);
	ck_assert_uint_eq(checksum, checksum_of("hello", 5));
	ck_assert_mem_eq(memory, "hello", 5);
	buf_release(stream);
	buf_release(back);
}
END_TEST

/* A failed job stops nothing, and leaves checksum and length. */
START_TEST(test_failures)
{
	struct doca_compress_deflate_job job;
	struct doca_buf *src, *dst = destination(0, 4), *room = destination(64, 64);
	uint64_t checksum = 7;

	memcpy(memory + PACKED, "\x01\x05\x00\xfa\xffhello", 10);
	src = source(PACKED, 10);
	run(DOCA_DECOMPRESS_DEFLATE_JOB, src, dst, &checksum, DOCA_ERROR_IO_FAILED);
	ck_assert_msg(strstr(dococ_last_error(), "room of 4 bytes") != NULL, "%s",
		      dococ_last_error());
	OK(doca_buf_set_data(src, memory + PACKED, 9));
	run(DOCA_DECOMPRESS_DEFLATE_JOB, src, room, &checksum, DOCA_ERROR_IO_FAILED);
	ck_assert_msg(strstr(dococ_last_error(), "middle of a block") != NULL, "%s",
		      dococ_last_error());
	run(DOCA_DECOMPRESS_LZ4_JOB, src, room, &checksum, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(checksum, 7);
	ck_assert_uint_eq(buf_data_len(room), 0);
	OK(doca_buf_set_data(src, memory + PACKED, 10));
	run(DOCA_DECOMPRESS_DEFLATE_JOB, src, room, &checksum, DOCA_SUCCESS);
	ck_assert_mem_eq(memory + 64, "hello", 5);
	job = job_of(DOCA_COMPRESS_DEFLATE_JOB, NULL, dst, NULL);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job = job_of(DOCA_COMPRESS_DEFLATE_JOB, src, NULL, NULL);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job = job_of((enum doca_compress_job_types)(DOCA_DECOMPRESS_LZ4_JOB + 1), src, dst, NULL);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	buf_release(src);
	buf_release(dst);
	buf_release(room);
}
END_TEST

/* A queue takes as many jobs as its depth, and completes them in order. */
START_TEST(test_depth)
{
	struct doca_buf *src, *dst[DEPTH];
	struct doca_compress_deflate_job jobs[DEPTH + 1];
	struct doca_event event;

	text_fill();
	src = source(0, 100);
	for (unsigned i = 0; i < DEPTH; i++)
		dst[i] = destination(PACKED + (size_t)i * 512, 512);
	for (unsigned i = 0; i <= DEPTH; i++) {
		jobs[i] = job_of(DOCA_COMPRESS_DEFLATE_JOB, src, dst[i % DEPTH], NULL);
		jobs[i].base.user_data.u64 = i;
		EXPECT(i < DEPTH ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY,
		       doca_workq_submit(workq, &jobs[i].base));
	}
	for (unsigned i = 0; i < DEPTH; i++) {
		OK(await(&event));
		ck_assert_uint_eq(event.user_data.u64, i);
	}
	EXPECT(DOCA_ERROR_AGAIN, doca_workq_progress_retrieve(workq, &event, 0));
	for (unsigned i = 0; i < DEPTH; i++) {
		ck_assert_uint_eq(buf_data_len(dst[i]), buf_data_len(dst[0]));
		buf_release(dst[i]);
	}
	buf_release(src);
}
END_TEST

/* One node compresses, the next one decompresses its result. The second run finds no room for it.
 */
START_TEST(test_graph)
{
	struct doca_buf *src, *packed = destination(PACKED, 1000), *stream, *back;
	struct doca_compress_deflate_job pack, unpack;
	struct doca_event pack_event, unpack_event, event;
	struct doca_graph_instance *instance;
	struct doca_graph_node *nodes[2];
	struct doca_graph *graph;
	uint64_t sums[2] = {0};

	text_fill();
	src = source(0, TEXT_LEN / 2);
	/* The rest behind the stream is not read. */
	stream = source(PACKED, 1000);
	back = destination(TEXT_LEN / 2, TEXT_LEN / 2);
	pack = job_of(DOCA_COMPRESS_DEFLATE_JOB, src, packed, &sums[0]);
	unpack = job_of(DOCA_DECOMPRESS_DEFLATE_JOB, stream, back, &sums[1]);
	OK(doca_graph_create(&graph));
	OK(doca_graph_ctx_node_create(graph, DOCA_COMPRESS_DEFLATE_JOB, ctx, &nodes[0]));
	OK(doca_graph_ctx_node_create(graph, DOCA_DECOMPRESS_DEFLATE_JOB, ctx, &nodes[1]));
	OK(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
	OK(doca_graph_start(graph));
	OK(doca_graph_workq_add(graph, workq));
	OK(doca_graph_instance_create(graph, &instance));
	OK(doca_graph_instance_set_ctx_node_data(instance, nodes[0], &pack.base, &pack_event));
	OK(doca_graph_instance_set_ctx_node_data(instance, nodes[1], &unpack.base, &unpack_event));
	OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 5}));
	OK(await(&event));
	ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
	ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
	ck_assert_int_eq(pack_event.type, DOCA_COMPRESS_DEFLATE_JOB);
	ck_assert_int_eq(unpack_event.type, DOCA_DECOMPRESS_DEFLATE_JOB);
	ck_assert_mem_eq(memory + TEXT_LEN / 2, memory, TEXT_LEN / 2);
	ck_assert_uint_eq(sums[0], checksum_of(memory, TEXT_LEN / 2));
	ck_assert_uint_eq(sums[1], sums[0]);
	OK(doca_buf_reset_data_len(packed));
	OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 6}));
	OK(await(&event));
	ck_assert_uint_eq(event.result.u64, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(pack_event.result.u64, DOCA_SUCCESS);
	ck_assert_uint_eq(unpack_event.result.u64, DOCA_ERROR_IO_FAILED);
	OK(doca_graph_instance_destroy(instance));
	OK(doca_graph_workq_rm(graph, workq));
	OK(doca_graph_stop(graph));
	OK(doca_graph_destroy(graph));
	buf_release(src);
	buf_release(packed);
	buf_release(stream);
	buf_release(back);
}
END_TEST

static void setup_poor(void)
{
	setup_with("[topology]\nside = host\n"
		   "[device pf0]\npci = 0b:00.0\ncompress = 0\n"
		   "[device pf1]\npci = 0b:00.1\ncompress = 2\n");
}

/* A device without compression, and one with one type of job. */
START_TEST(test_poor_devices)
{
	struct doca_dev *some = use_dev(USE_HOST_PF1);
	struct doca_devinfo *some_info = doca_dev_as_devinfo(some);
	struct doca_compress_deflate_job job;
	struct doca_buf *src = source(0, 64), *dst = destination(PACKED, 256);
	struct doca_compress *poor;
	uint64_t size;
	uint32_t n;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_compress_job_get_supported(info, DOCA_COMPRESS_DEFLATE_JOB));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_compress_get_max_buf_size(info, DOCA_DECOMPRESS_DEFLATE_JOB, &size));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_compress_get_max_list_buf_num_elem(info, &n));
	PASSES(doca_compress_create(&poor));
	ctx = doca_compress_as_ctx(poor);
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_dev_add(ctx, dev));
	PASSES(doca_compress_job_get_supported(some_info, DOCA_DECOMPRESS_DEFLATE_JOB));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_compress_job_get_supported(some_info, DOCA_COMPRESS_DEFLATE_JOB));
	PASSES(doca_compress_get_max_list_buf_num_elem(some_info, &n));
	OK(doca_ctx_dev_add(ctx, some));
	OK(doca_ctx_start(ctx));
	OK(doca_ctx_workq_add(ctx, workq));
	job = job_of(DOCA_COMPRESS_DEFLATE_JOB, src, dst, NULL);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	ctx_close(ctx);
	PASSES(doca_compress_destroy(poor));
	buf_release(src);
	buf_release(dst);
	OK(doca_dev_close(some));
}
END_TEST

static const struct documented documented[] = {
	{"doca_compress_as_ctx", ""},
	{"doca_compress_create", "INVALID_VALUE NO_MEMORY INITIALIZATION"},
	{"doca_compress_destroy", "INVALID_VALUE IN_USE"},
	{"doca_compress_get_max_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_compress_get_max_list_buf_num_elem", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_compress_job_get_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{NULL, NULL},
};

static const struct unreachable unreachable[] = {
	{"doca_compress_create", "INITIALIZATION", "an object allocates memory and nothing else"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("2.2 doca_compress", documented, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("jobs"), *poor = tcase_create("poor devices");

	tcase_add_checked_fixture(cases, setup_started, teardown_started);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_calls);
	tcase_add_test(cases, test_jobs);
	tcase_add_test(cases, test_failures);
	tcase_add_test(cases, test_depth);
	tcase_add_test(cases, test_graph);
	tcase_add_checked_fixture(poor, setup_poor, teardown);
	tcase_set_timeout(poor, RUNNER_TEST_S);
	suite_add_tcase(suite, poor);
	tcase_add_test(poor, test_poor_devices);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("compression of 2.2", add_cases, finish);
}
