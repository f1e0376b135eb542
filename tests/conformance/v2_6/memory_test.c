/*
 * Buffer arrays as programs of 2.5 and 2.6 use them; everything else about memory is the same as in
 * the current version. Every result code that those versions document is provoked, or listed with
 * the reason why not.
 */
#include <doca_buf_array.h>

#include "tests/conformance/cover.h"
#include "tests/conformance/other_memory.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

_Static_assert(DOCA_USE_VERSION == 206, "compiled for 2.6");

#define BYTES 4096u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static char memory[BYTES];

static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	mmap_ = use_mmap(dev, memory, BYTES, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void teardown(void)
{
	use_mmap_end(mmap_);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

START_TEST(test_array)
{
	struct doca_gpu *gpu = (struct doca_gpu *)memory;
	struct doca_dpa *dpa = (struct doca_dpa *)memory;
	struct doca_buf_arr *array, *none = NULL;
	struct doca_gpu_buf_arr *gpu_handle;
	struct doca_dpa_dev_buf_arr *dpa_handle;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(NULL, &array));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(mmap_, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_buf_arr_create(mmap_, &array));
	PASSES(doca_buf_arr_create(mmap_, &array));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(none, 64, 1, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(array, 0, 1, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(array, 64, 0, 0));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	PASSES(doca_buf_arr_set_params(array, BYTES / 2, 2, UINT32_MAX));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_buf_arr_start(array));
	PASSES(doca_buf_arr_set_params(array, BYTES / 2, 2, 0));
	OK(doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_arr_start(array));
	OK(doca_mmap_start(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_stop(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_gpu(array, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_dpa(array, NULL));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_gpu(array, gpu));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_dpa(array, dpa));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_gpu_handle(none, &gpu_handle));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_gpu_handle(array, &gpu_handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_dpa_handle(array, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_dpa_handle(array, &dpa_handle));
	PASSES(doca_buf_arr_stop(array));
	PASSES(doca_buf_arr_destroy(array));
}
END_TEST

START_TEST(test_other_generations)
{
	struct doca_buf_arr *newer = other_array(), *array;

	EXPECT(DOCA_ERROR_BAD_STATE, doca_buf_arr_set_params(newer, 64, 1, 0));
	OK(doca_buf_arr_create(mmap_, &array));
	other_refuses_array(array, mmap_, "2.0");
	OK(doca_buf_arr_destroy(array));
	OK(doca_buf_arr_destroy(newer));
}
END_TEST

static const struct documented documented[] = {
	{"doca_buf_arr_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_buf_arr_destroy", "INVALID_VALUE"},
	{"doca_buf_arr_get_dpa_handle", "INVALID_VALUE BAD_STATE"},
	{"doca_buf_arr_get_gpu_handle", "INVALID_VALUE BAD_STATE"},
	{"doca_buf_arr_set_params", "INVALID_VALUE BAD_STATE"},
	{"doca_buf_arr_set_target_dpa", "INVALID_VALUE BAD_STATE"},
	{"doca_buf_arr_set_target_gpu", "INVALID_VALUE BAD_STATE"},
	{"doca_buf_arr_start", "INVALID_VALUE BAD_STATE NOT_PERMITTED NO_MEMORY"},
	{"doca_buf_arr_stop", "INVALID_VALUE"},
	{NULL, NULL},
};

static const struct unreachable unreachable[] = {
	{"doca_buf_arr_set_params", "BAD_STATE", "no array of this version is ever started"},
	{"doca_buf_arr_set_target_gpu", "BAD_STATE", "no array is ever started"},
	{"doca_buf_arr_set_target_dpa", "BAD_STATE", "no array is ever started"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("2.6 doca_buf_array", documented, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("arrays");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_array);
	tcase_add_test(cases, test_other_generations);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("arrays of 2.6", add_cases, finish);
}
