/* util/copy: every length, at unaligned addresses, checked byte by byte. */
#include <string.h>

#include "tests/unit/unit.h"
#include "util/copy.h"

#define MAX_LEN 200u
#define GUARD   32u
#define UNUSED  0xeeu

START_TEST(each_length)
{
	/* Allocated with its exact size, so that a sanitizer detects reads beyond it. */
	uint8_t *from = malloc(_i > 0 ? (size_t)_i : 1), to[MAX_LEN + 2 * GUARD];
	size_t len = (size_t)_i, shift, i;

	ck_assert_ptr_nonnull(from);
	for (i = 0; i < len; i++)
		from[i] = (uint8_t)(i * 7 + 1);
	for (shift = 0; shift < 16; shift++) {
		memset(to, UNUSED, sizeof(to));
		copy_bytes(to + GUARD - shift, from, len);
		for (i = 0; i < sizeof(to); i++) {
			size_t at = i - (GUARD - shift);

			ck_assert_uint_eq(to[i], at < len ? from[at] : UNUSED);
		}
	}
	free(from);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("copy");
	TCase *tcase = unit_case(suite, "copy", UNIT_TIMEOUT);

	tcase_add_loop_test(tcase, each_length, 0, MAX_LEN + 1);
	return unit_run(suite);
}
