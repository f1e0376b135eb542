/*
 * Libraries whose engine no device has (doca_compress.h): the queries and
 * the creation say so as they do for a card without the engine, and nothing that a program does
 * with what it did not get succeeds or crashes. One daemon runs, for the device.
 */
#include <string.h>

#include <doca_compress.h>

#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

static struct lab lab;
static struct doca_dev *dev;
static const struct doca_devinfo *info;
/* An object that the library did not make: only its address is used. */
static char something;
#define SOME(type) ((type *)(void *)&something)

#define REFUSES(code, text, call)                                                        \
	do {                                                                             \
		ck_assert_int_eq(call, code);                                            \
		ck_assert_msg(strstr(dococ_last_error(), text) != NULL, "%s: %s", #call, \
			      dococ_last_error());                                       \
	} while (0)
#define UNSUPPORTED(text, call) REFUSES(DOCA_ERROR_NOT_SUPPORTED, text, call)
#define INVALID(text, call)     REFUSES(DOCA_ERROR_INVALID_VALUE, text, call)

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	info = doca_dev_as_devinfo(dev);
}

static void teardown(void)
{
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

START_TEST(test_compress_absent)
{
	static const char text[] = "pf0 has no compression engine";
	struct doca_compress *compress = SOME(struct doca_compress);
	uint64_t size = 1;
	uint32_t n = 2;

	UNSUPPORTED(text, doca_compress_cap_task_compress_deflate_is_supported(info));
	UNSUPPORTED(text, doca_compress_cap_task_decompress_deflate_is_supported(info));
	UNSUPPORTED(text, doca_compress_cap_task_compress_deflate_get_max_buf_size(info, &size));
	UNSUPPORTED(text, doca_compress_cap_task_decompress_deflate_get_max_buf_list_len(info, &n));
	UNSUPPORTED(text, doca_compress_cap_task_decompress_lz4_stream_is_supported(info));
	UNSUPPORTED(text, doca_compress_cap_task_decompress_lz4_block_is_supported(info));
	UNSUPPORTED(text,
		    doca_compress_cap_task_decompress_lz4_block_get_max_buf_size(info, &size));
	INVALID("devinfo is NULL", doca_compress_cap_task_compress_deflate_is_supported(NULL));
	INVALID("the result is NULL",
		doca_compress_cap_task_compress_deflate_get_max_buf_size(info, NULL));
	UNSUPPORTED(text, doca_compress_create(dev, &compress));
	INVALID("dev is NULL", doca_compress_create(NULL, &compress));
	INVALID("the result is NULL", doca_compress_create(dev, NULL));
	ck_assert(compress == SOME(struct doca_compress) && size == 1 && n == 2);
}
END_TEST

static void deflate_done(struct doca_compress_task_compress_deflate *task,
			 union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task;
	(void)task_user_data;
	(void)ctx_user_data;
	ck_abort_msg("a task completed that does not exist");
}

START_TEST(test_compress_objects)
{
	struct doca_compress *compress = SOME(struct doca_compress);
	struct doca_compress_task_compress_deflate
		*task = NULL,
		*made = SOME(struct doca_compress_task_compress_deflate);
	struct doca_buf *buf = SOME(struct doca_buf);
	union doca_data data = {.u64 = 1};
	uint32_t n = 2;

	UNSUPPORTED("no object", doca_compress_destroy(compress));
	INVALID("NULL", doca_compress_destroy(NULL));
	UNSUPPORTED("no object", doca_compress_cap_get_max_num_tasks(compress, &n));
	INVALID("NULL", doca_compress_cap_get_max_num_tasks(compress, NULL));
	UNSUPPORTED("no object", doca_compress_task_compress_deflate_set_conf(
					 compress, deflate_done, deflate_done, 1));
	INVALID("NULL",
		doca_compress_task_compress_deflate_set_conf(compress, NULL, deflate_done, 1));
	UNSUPPORTED("no object", doca_compress_task_compress_deflate_alloc_init(compress, buf, buf,
										data, &task));
	INVALID("NULL",
		doca_compress_task_compress_deflate_alloc_init(compress, NULL, buf, data, &task));
	ck_assert(task == NULL && n == 2);
	ck_assert_ptr_null(doca_compress_as_ctx(compress));
	ck_assert_ptr_null(doca_compress_task_compress_deflate_as_task(made));
	doca_compress_task_compress_deflate_set_src(made, buf);
	ck_assert_ptr_null(doca_compress_task_compress_deflate_get_src(made));
	ck_assert_uint_eq(doca_compress_task_compress_deflate_get_crc_cs(made), 0);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "there is no task"));
	ck_assert_uint_eq(doca_compress_task_compress_deflate_get_adler_cs(NULL), 0);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "the task is NULL"));
}
END_TEST

static void lz4_done(struct doca_compress_task_decompress_lz4_stream *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task;
	(void)task_user_data;
	(void)ctx_user_data;
	ck_abort_msg("a task completed that does not exist");
}

START_TEST(test_lz4_tasks)
{
	struct doca_compress *compress = SOME(struct doca_compress);
	struct doca_compress_task_decompress_lz4_stream *task = NULL;
	struct doca_compress_task_decompress_lz4_block *block =
		SOME(struct doca_compress_task_decompress_lz4_block);
	struct doca_buf *buf = SOME(struct doca_buf);
	union doca_data data = {.u64 = 1};

	UNSUPPORTED("no object", doca_compress_task_decompress_lz4_stream_set_conf(
					 compress, lz4_done, lz4_done, 1));
	UNSUPPORTED("no object", doca_compress_task_decompress_lz4_stream_alloc_init(
					 compress, 1, 0, buf, buf, data, &task));
	INVALID("NULL", doca_compress_task_decompress_lz4_stream_alloc_init(compress, 1, 0, buf,
									    NULL, data, &task));
	ck_assert_ptr_null(task);
	ck_assert_ptr_null(doca_compress_task_decompress_lz4_block_as_task(block));
	doca_compress_task_decompress_lz4_block_set_dst(block, buf);
	ck_assert_ptr_null(doca_compress_task_decompress_lz4_block_get_dst(block));
	ck_assert_uint_eq(doca_compress_task_decompress_lz4_block_get_xxh_cs(block), 0);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "there is no task"));
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("engines");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_compress_absent);
	tcase_add_test(tcase, test_compress_objects);
	tcase_add_test(tcase, test_lz4_tasks);
}

int main(void)
{
	lab_require();
	return runner_main("engines", add_cases, NULL);
}
