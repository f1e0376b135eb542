/*
 * doca_log.h as programs of 1.3 use it: they register a source, and what they log is seen, though
 * they never make a backend.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>

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
	/* One pair of streams, also for a program that asks in the way of later versions. */
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

static void add_cases(Suite *suite)
{
	tcase_add_test(runner_case(suite, "log"), test_seen_without_a_backend);
}

int main(void)
{
	return runner_main("doca_log of 1.3", add_cases, NULL);
}
