/* util/fdset: descriptors that were not taken are closed. */
#include <errno.h>

#include "tests/unit/unit.h"
#include "util/fd.h"
#include "util/fdset.h"

START_TEST(deinit_closes_what_is_left)
{
	size_t before = unit_n_fds();
	struct fdset set = FDSET_INIT;
	int taken;

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(fdset_add(&set, fd_eventfd()), 0);
	ck_assert_uint_eq(unit_n_fds(), before + 3);
	taken = fdset_steal(&set, 1);
	ck_assert_int_ge(taken, 0);
	ck_assert_int_eq(fdset_steal(&set, 1), -1);
	ck_assert_int_eq(fdset_steal(&set, 3), -1);
	ck_assert_int_eq(fdset_steal(&set, SIZE_MAX), -1);
	ck_assert_int_ge(set.fds[2], 0);
	fdset_deinit(&set);
	fdset_deinit(&set);
	ck_assert_uint_eq(unit_n_fds(), before + 1);
	ck_assert(fd_is_eventfd(taken));
	fd_close(&taken);
}
END_TEST

START_TEST(full_set_closes)
{
	size_t before = unit_n_fds();
	{
		CLEANUP_FDSET struct fdset set = FDSET_INIT;

		for (size_t i = 0; i < FDSET_MAX; i++)
			ck_assert_int_eq(fdset_add(&set, fd_eventfd()), 0);
		ck_assert_int_eq(fdset_add(&set, fd_eventfd()), -ENOSPC);
		ck_assert_uint_eq(unit_n_fds(), before + FDSET_MAX);
		ck_assert_uint_eq(set.n_fds, FDSET_MAX);
	}
	ck_assert_uint_eq(unit_n_fds(), before);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fdset");
	TCase *tcase = unit_case(suite, "fdset", UNIT_TIMEOUT);

	tcase_add_test(tcase, deinit_closes_what_is_left);
	tcase_add_test(tcase, full_set_closes);
	return unit_run(suite);
}
