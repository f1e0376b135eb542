/* util/str: bounded copies, PCI addresses, secrets, hex. */
#include <errno.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "util/str.h"

START_TEST(copy_fits_or_is_empty)
{
	char buf[8];

	ck_assert_int_eq(str_copy(buf, sizeof(buf), "1234567"), 0);
	ck_assert_str_eq(buf, "1234567");
	ck_assert_int_eq(str_copy(buf, sizeof(buf), "12345678"), -ENAMETOOLONG);
	ck_assert_str_eq(buf, "");
	ck_assert_int_eq(str_copy(buf, 1, ""), 0);
	buf[0] = 'x';
	ck_assert_int_eq(str_copy(buf, 0, ""), -ENAMETOOLONG);
	ck_assert_int_eq(buf[0], 'x');
}
END_TEST

START_TEST(plural_of_one_alone)
{
	ck_assert_str_eq(plural(1, "buffer is", "buffers are"), "buffer is");
	ck_assert_str_eq(plural(0, "buffer is", "buffers are"), "buffers are");
	ck_assert_str_eq(plural(2, "copy", "copies"), "copies");
	ck_assert_str_eq(plural((UINT64_C(1) << 32) + 1, "copy", "copies"), "copies");
}
END_TEST

START_TEST(pci_both_forms)
{
	char out[13];

	ck_assert_int_eq(str_pci_normalize("0b:00.2", out), 0);
	ck_assert_str_eq(out, "0000:0b:00.2");
	ck_assert_int_eq(str_pci_normalize("ABCD:EF:1F.7", out), 0);
	ck_assert_str_eq(out, "abcd:ef:1f.7");
}
END_TEST

START_TEST(pci_garbage)
{
	static const char *const bad[] = {
		"",
		"0b",
		"0b:00",
		"0b:00.",
		"0b:00.8",
		"0b:20.0",
		"0b-00.0",
		"0b:00:0",
		"0b:00.00",
		"b:00.0",
		"000:0b:00.0",
		"00000:0b:00.0",
		"0000:0b:00.0 ",
		" 0b:00.0",
		"0b:00.0\n",
		"0000:0g:00.0",
		"0000.0b:00.0",
		"xx:xx.x",
		"0b:x0.0",
		"0b:0\xff.0",
	};
	char out[13] = "untouched";

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		ck_assert_msg(str_pci_normalize(bad[i], out) == -EINVAL, "accepted '%s'", bad[i]);
		ck_assert_str_eq(out, "untouched");
	}
}
END_TEST

START_TEST(secret_each_byte_counts)
{
	uint8_t a[16] = {1, 2, 3}, b[16] = {1, 2, 3};

	ck_assert(str_equal_secret(a, b, sizeof(a)));
	for (size_t i = 0; i < sizeof(a); i++) {
		for (int bit = 0; bit < 8; bit++) {
			b[i] ^= (uint8_t)(1 << bit);
			ck_assert(!str_equal_secret(a, b, sizeof(a)));
			b[i] ^= (uint8_t)(1 << bit);
		}
	}
	ck_assert(str_equal_secret(a, b, 0));
}
END_TEST

START_TEST(hex)
{
	static const uint8_t data[] = {0x00, 0x9a, 0xff};
	char out[8];

	memset(out, 'x', sizeof(out));
	str_hex(data, sizeof(data), out);
	ck_assert_str_eq(out, "009aff");
	ck_assert_int_eq(out[7], 'x');
	str_hex(data, 0, out);
	ck_assert_str_eq(out, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("str");
	TCase *tcase = unit_case(suite, "str", UNIT_TIMEOUT);

	tcase_add_test(tcase, copy_fits_or_is_empty);
	tcase_add_test(tcase, plural_of_one_alone);
	tcase_add_test(tcase, pci_both_forms);
	tcase_add_test(tcase, pci_garbage);
	tcase_add_test(tcase, secret_each_byte_counts);
	tcase_add_test(tcase, hex);
	return unit_run(suite);
}
