/*
 * doca_log.h as programs of 1.3 and 1.5 use it: they register a source, and their records are
 * printed although they never create a backend. Also the names of errors, and the version. Compiled
 * for each of the two.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_error.h>
#include <doca_log.h>
#include <doca_version.h>

#include "tests/lib/expect.h"
#include "tests/lib/runner.h"

DOCA_LOG_REGISTER(TESTS::OLDEST_LOG);

START_TEST(test_seen_without_a_backend)
{
	int out[2], saved = dup(1);
	char text[512] = {0};

	ck_assert_int_eq(pipe(out), 0);
	fflush(stdout);
	dup2(out[1], 1);
	DOCA_LOG_INFO("seen %d", 1);
	DOCA_LOG_DBG("not seen");
	/*
	 * There is only one standard backend, even if the program also requests it with the call of
	 * later versions.
	 */
	OK(doca_log_create_standard_backend());
	DOCA_LOG_INFO("once");
	fflush(stdout);
	dup2(saved, 1);
	ck_assert_int_gt(read(out[0], text, sizeof(text) - 1), 0);
	ck_assert_msg(strstr(text, "[DOCA][INF][TESTS::OLDEST_LOG:") != NULL, "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "seen 1\n"));
	ck_assert_ptr_null(strstr(text, "not seen"));
	ck_assert_ptr_nonnull(strstr(text, "once\n"));
	ck_assert_ptr_null(strstr(strstr(text, "once") + 1, "once"));
	close(out[0]);
	close(out[1]);
	close(saved);
}
END_TEST

START_TEST(test_names_of_errors)
{
	ck_assert_str_eq(doca_get_error_name(DOCA_SUCCESS), "DOCA_SUCCESS");
	ck_assert_str_eq(doca_get_error_name(DOCA_ERROR_NOT_PERMITTED), "DOCA_ERROR_NOT_PERMITTED");
	ck_assert_uint_gt(strlen(doca_get_error_string(DOCA_ERROR_NOT_PERMITTED)), 0);
	ck_assert_str_ne(doca_get_error_string(DOCA_ERROR_NOT_PERMITTED),
			 doca_get_error_string(DOCA_ERROR_NO_MEMORY));
	ck_assert_str_eq(doca_get_error_string((doca_error_t)1000), "unrecognized error code");
}
END_TEST

/* The version for which the program was compiled, and the version that runs. */
START_TEST(test_version)
{
	char selected[16];

	snprintf(selected, sizeof(selected), "%d.%d.", DOCA_USE_VERSION / 100,
		 DOCA_USE_VERSION % 100);
	ck_assert_msg(strncmp(doca_version(), selected, strlen(selected)) == 0, "%s",
		      doca_version());
	ck_assert_str_eq(doca_version(), DOCA_VER_STRING);
	ck_assert_uint_gt(strlen(doca_version_runtime()), 0);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "log");

	tcase_add_test(tcase, test_seen_without_a_backend);
	tcase_add_test(tcase, test_names_of_errors);
	tcase_add_test(tcase, test_version);
}

int main(void)
{
	return runner_main("doca_log of 1.3 and 1.5", add_cases, NULL);
}
