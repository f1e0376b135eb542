/* Rules that devices do not enforce: accepted with one warning, refused in strict mode. */
#include <check.h>
#include <string.h>

#include <doca_log.h>
#include <dococ.h>

#include "client/base/lenient.h"
#include "tests/unit/unit.h"

enum { RULE_A, RULE_B };

static struct lenient state;
static unsigned n_lines;
static char line[512];

static void count_line(char *text)
{
	n_lines += strstr(text, "object") != NULL || strstr(text, "other") != NULL;
}

static doca_error_t break_rule(unsigned rule)
{
	return lenient_accept(&state, rule, DOCA_ERROR_BAD_STATE, "object %u: rule broken", rule);
}

static void watch_log(void)
{
	struct doca_log_backend *backend;

	ck_assert_int_eq(
		doca_log_backend_create_with_buf_sdk(line, sizeof(line), count_line, &backend),
		DOCA_SUCCESS);
}

START_TEST(test_one_warning_per_object_and_rule)
{
	struct lenient other = {0};

	watch_log();
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(break_rule(RULE_A), DOCA_SUCCESS);
	ck_assert_uint_eq(n_lines, 1);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "object 0: rule broken"));
	ck_assert_int_eq(break_rule(RULE_B), DOCA_SUCCESS);
	ck_assert_uint_eq(n_lines, 2);
	ck_assert_int_eq(lenient_accept(&other, RULE_A, DOCA_ERROR_BAD_STATE, "other"),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(n_lines, 3);
}
END_TEST

START_TEST(test_strict_refuses_each_time)
{
	setenv("DOCOCORED_STRICT", "1", 1);
	watch_log();
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(break_rule(RULE_A), DOCA_ERROR_BAD_STATE);
	ck_assert_uint_eq(n_lines, 2);
	ck_assert_str_eq(dococ_last_error(), "object 0: rule broken");
}
END_TEST

START_TEST(test_strict_0_is_not_strict)
{
	setenv("DOCOCORED_STRICT", "0", 1);
	ck_assert_int_eq(break_rule(RULE_A), DOCA_SUCCESS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lenient");
	TCase *tcase = unit_case(suite, "rules", UNIT_TIMEOUT);

	tcase_add_test(tcase, test_one_warning_per_object_and_rule);
	tcase_add_test(tcase, test_strict_refuses_each_time);
	tcase_add_test(tcase, test_strict_0_is_not_strict);
	return unit_run(suite);
}
