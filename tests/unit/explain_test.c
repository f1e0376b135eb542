/* The codes that 'doca-admin explain' knows are those of the public header, each with its words. */
#include <string.h>

#include <doca_error.h>

#include "tests/unit/unit.h"
#include "tools/doca-admin/explain_codes.h"

START_TEST(codes)
{
	ck_assert_uint_eq(explain_n_codes, DOCA_ERROR_DEVICE_FATAL_ERROR + 1);
	for (size_t i = 0; i < explain_n_codes; i++) {
		ck_assert_str_eq(explain_codes[i].name, doca_error_get_name((doca_error_t)i));
		ck_assert_uint_gt(strlen(explain_codes[i].meaning), 5);
		ck_assert_uint_gt(strlen(explain_codes[i].cause), 5);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("explain");
	TCase *tcase = unit_case(suite, "codes", UNIT_TIMEOUT);

	tcase_add_test(tcase, codes);
	return unit_run(suite);
}
