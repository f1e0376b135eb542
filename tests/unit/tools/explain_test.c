/*
 * Tables of 'doca-admin explain': the codes are those of the public header, each with a text, and
 * sentences about something that a device may not do name the key of the topology.
 */
#include <string.h>

#include <doca_error.h>

#include "tests/unit/unit.h"
#include "tools/doca-admin/explain/codes.h"
#include "tools/doca-admin/explain/data.h"

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

START_TEST(topology_keys)
{
	size_t n = 0;

	for (size_t i = 0; i < explain_n_sentences; i++) {
		const char *text = explain_sentences[i].text;

		if (!strstr(text, " support it"))
			continue;
		n++;
		ck_assert_msg(strstr(text, "; key ") && strstr(text, " in the topology allows it"),
			      "%s", text);
	}
	ck_assert_uint_gt(n, 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("explain");
	TCase *tcase = unit_case(suite, "codes", UNIT_TIMEOUT);

	tcase_add_test(tcase, codes);
	tcase_add_test(tcase, topology_keys);
	return unit_run(suite);
}
