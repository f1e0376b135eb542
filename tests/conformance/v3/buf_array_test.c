/*
 * doca_buf_array.h: there is no GPU and no DPA, so only the checks can be tested. The map needs a
 * device, so one daemon runs.
 */
#include <string.h>

#include <doca_buf_array.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static char memory[4096];
/* Stand-ins for devices that do not exist: only their address is used. */
static char something;
#define SOME_GPU ((struct doca_gpu *)(void *)&something)
#define SOME_DPA ((struct doca_dpa *)(void *)&something)

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	mmap_ = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void teardown(void)
{
	use_mmap_end(mmap_);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

START_TEST(test_arguments)
{
	struct doca_buf_arr *array = NULL;
	struct doca_gpu_buf_arr *gpu;
	doca_dpa_dev_buf_arr_t dpa;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(0, &array));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(1, NULL));
	ck_assert_ptr_null(array);
	if (allocount_works)
		RUNS_OUT(0, doca_buf_arr_create(1, &array));
	PASSES(doca_buf_arr_create(4, &array));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_gpu(NULL, SOME_GPU));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_gpu(array, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_gpu(array, SOME_GPU));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_dpa(NULL, SOME_DPA));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_dpa(array, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_dpa(array, SOME_DPA));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(NULL, mmap_, 1, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(array, NULL, 1, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(array, mmap_, 0, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_start(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_stop(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_gpu_handle(NULL, &gpu));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_gpu_handle(array, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_gpu_handle(array, &gpu));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_dpa_handle(NULL, &dpa));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_dpa_handle(array, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_dpa_handle(array, &dpa));
	PASSES(doca_buf_arr_stop(array));
	PASSES(doca_buf_arr_destroy(array));
}
END_TEST

START_TEST(test_start)
{
	struct doca_buf_arr *array;
	struct doca_mmap *other;

	PASSES(doca_buf_arr_create(4, &array));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	PASSES(doca_buf_arr_set_params(array, mmap_, 1024, 1));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_buf_arr_start(array));
	PASSES(doca_buf_arr_set_params(array, mmap_, SIZE_MAX / 2, 0));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_buf_arr_start(array));
	PASSES(doca_buf_arr_set_params(array, mmap_, 1, UINT64_MAX));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_buf_arr_start(array));
	/* The parameters fit; only the target is missing. */
	PASSES(doca_buf_arr_set_params(array, mmap_, 1023, 4));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "target"));
	OK(doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "mmap"));
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_create(&other));
	PASSES(doca_buf_arr_set_params(array, other, 1, 0));
	OK(doca_mmap_destroy(other));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "destroyed"));
	PASSES(doca_buf_arr_destroy(array));
	/* An array that is destroyed first no longer uses the mmap. */
	PASSES(doca_buf_arr_create(4, &array));
	PASSES(doca_buf_arr_set_params(array, mmap_, 1, 0));
	PASSES(doca_buf_arr_destroy(array));
}
END_TEST

static bool finish(void)
{
	static const char never[] = "an array never starts without a GPU or a DPA";
	static const struct unreachable unreachable[] = {
		{"doca_buf_arr_set_target_gpu", "BAD_STATE", never},
		{"doca_buf_arr_set_target_dpa", "BAD_STATE", never},
		{"doca_buf_arr_set_params", "BAD_STATE", never},
		{NULL},
	};

	return cover_report("doca_buf_array", documented_doca_buf_array, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("array");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_arguments);
	tcase_add_test(tcase, test_start);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_buf_array", add_cases, finish);
}
