/*
 * doca_error.h and doca_version.h: names, descriptions, the two error macros, comparison of
 * versions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_version.h>

#include "tests/conformance/cover.h"
#include "tests/lib/runner.h"

START_TEST(test_names)
{
	for (doca_error_t code = DOCA_SUCCESS; code <= DOCA_ERROR_DEVICE_FATAL_ERROR; code++) {
		const char *name = CALLED(doca_error_get_name(code));

		ck_assert_int_eq(strncmp(name, "DOCA_", 5), 0);
		ck_assert_uint_gt(strlen(CALLED(doca_error_get_descr(code))), 3);
		for (doca_error_t other = DOCA_SUCCESS; other < code; other++)
			ck_assert_str_ne(doca_error_get_name(other), name);
	}
	ck_assert_str_eq(doca_error_get_name(DOCA_ERROR_AGAIN), "DOCA_ERROR_AGAIN");
	ck_assert_str_eq(doca_error_get_name((doca_error_t)99999), "unrecognized error code");
	ck_assert_str_eq(doca_error_get_descr((doca_error_t)-1), "unrecognized error code");
}
END_TEST

START_TEST(test_macros)
{
	doca_error_t result = DOCA_SUCCESS;

	DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
	ck_assert(!DOCA_IS_ERROR(result));
	DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_AGAIN);
	DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_IN_USE);
	/* The first failure is kept. */
	ck_assert_int_eq(result, DOCA_ERROR_AGAIN);
	ck_assert(DOCA_IS_ERROR(result));
}
END_TEST

START_TEST(test_version)
{
	char text[32];

	snprintf(text, sizeof(text), "%d.%d.", DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR);
	ck_assert_int_eq(strncmp(CALLED(doca_version()), text, strlen(text)), 0);
	ck_assert_str_eq(CALLED(doca_version_runtime()), doca_version());
	ck_assert(DOCA_VERSION_LTE_CURRENT(2, 7, 0));
	ck_assert(!DOCA_VERSION_LTE_CURRENT(99, 0, 0));
}
END_TEST

static bool finish(void)
{
	bool error_ok = cover_report("doca_error", documented_doca_error, NULL);

	return cover_report("doca_version", documented_doca_version, NULL) && error_ok;
}

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "version");

	tcase_add_test(tcase, test_names);
	tcase_add_test(tcase, test_macros);
	tcase_add_test(tcase, test_version);
}

int main(void)
{
	cover_init();
	return runner_main("doca_version", add_cases, finish);
}
