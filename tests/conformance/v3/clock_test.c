/*
 * doca_clock.h: no device has a clock, and every function reports that. One daemon runs, for the
 * device.
 */
#include <string.h>

#include <doca_clock.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;
static struct doca_dev *dev;
/* Stands in for a clock, which cannot be created: only its address is used. */
static char something;
#define SOME_CLOCK ((struct doca_clock *)(void *)&something)

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
}

static void teardown(void)
{
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

START_TEST(test_capabilities)
{
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_clock_cap_nic_free_running_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_clock_cap_nic_real_time_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_clock_cap_nic_dpa_timer_is_supported(info));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "pf0 has no clock"));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_clock_cap_nic_free_running_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_clock_cap_nic_real_time_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_clock_cap_nic_dpa_timer_is_supported(NULL));
}
END_TEST

START_TEST(test_no_clock)
{
	union doca_clock_timespec_t one = {.counter = 1}, two = {.counter = 2};
	struct doca_clock *clock = NULL;
	uint64_t margin = 3;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_clock_create(NULL, &clock));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_clock_create(dev, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_clock_create(dev, &clock));
	ck_assert_ptr_null(clock);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_clock_destroy(NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_clock_destroy(SOME_CLOCK));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_clock_get_timestamp(NULL, DOCA_CLOCK_NIC_REAL_TIME, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_clock_get_timestamp(SOME_CLOCK, DOCA_CLOCK_NIC_REAL_TIME, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_clock_get_timestamp(SOME_CLOCK, DOCA_CLOCK_HOST_REAL_TIME, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_clock_get_crosstimestamp(SOME_CLOCK, DOCA_CLOCK_HOST_MONOTONIC,
					      DOCA_CLOCK_NIC_REAL_TIME, &one, &two, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_clock_get_crosstimestamp(SOME_CLOCK, DOCA_CLOCK_HOST_MONOTONIC,
					      DOCA_CLOCK_NIC_REAL_TIME, &one, &two, &margin));
	ck_assert(one.counter == 1 && two.counter == 2 && margin == 3);
}
END_TEST

static const struct documented documented[] = {
	{"doca_clock_cap_nic_free_running_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_clock_cap_nic_real_time_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_clock_cap_nic_dpa_timer_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_clock_create", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_clock_destroy", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_clock_get_timestamp", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_clock_get_crosstimestamp", "INVALID_VALUE NOT_SUPPORTED"},
	{NULL, NULL},
};

static bool finish(void)
{
	static const struct unreachable unreachable[] = {{NULL}};

	return cover_report("doca_clock", documented, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("clock");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_capabilities);
	tcase_add_test(tcase, test_no_clock);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_clock", add_cases, finish);
}
