/* util/lifecycle: the table of permitted transitions, and the end of a process that leaves it. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "config.h"
#include "tests/unit/unit.h"
#include "util/lifecycle.h"

enum { DOOR_CLOSED, DOOR_OPEN, DOOR_LOCKED, DOOR_N_STATES };

static const char *const door_states[] = {"closed", "open", "locked"};
static const uint32_t door_next[] = {
	[DOOR_CLOSED] = LIFECYCLE_TO(DOOR_OPEN) | LIFECYCLE_TO(DOOR_LOCKED),
	[DOOR_OPEN] = LIFECYCLE_TO(DOOR_CLOSED),
	[DOOR_LOCKED] = LIFECYCLE_TO(DOOR_CLOSED),
};
static const struct lifecycle door = {"door", DOOR_N_STATES, door_states, door_next};

START_TEST(the_table_decides)
{
	ck_assert(lifecycle_permits(&door, DOOR_CLOSED, DOOR_OPEN));
	ck_assert(lifecycle_permits(&door, DOOR_CLOSED, DOOR_LOCKED));
	ck_assert(!lifecycle_permits(&door, DOOR_OPEN, DOOR_LOCKED));
	ck_assert(!lifecycle_permits(&door, DOOR_LOCKED, DOOR_OPEN));
}
END_TEST

START_TEST(staying_in_a_state_is_permitted)
{
	for (unsigned state = 0; state < DOOR_N_STATES; state++)
		ck_assert(lifecycle_permits(&door, state, state));
}
END_TEST

START_TEST(an_unknown_state_is_not)
{
	ck_assert(!lifecycle_permits(&door, DOOR_OPEN, DOOR_N_STATES));
	ck_assert(!lifecycle_permits(&door, DOOR_N_STATES, DOOR_OPEN));
	ck_assert(!lifecycle_permits(&door, DOOR_N_STATES, DOOR_N_STATES));
	ck_assert_str_eq(lifecycle_name(&door, DOOR_OPEN), "open");
	ck_assert_str_eq(lifecycle_name(&door, DOOR_N_STATES), "?");
}
END_TEST

START_TEST(tests_abort)
{
	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	lifecycle_abort_in_tests();
}
END_TEST

#ifndef DOCO_SANITIZED
START_TEST(programs_continue)
{
	unsetenv("DOCOCORED_CHECK_STATES");
	lifecycle_abort_in_tests();
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("lifecycle");
	TCase *tcase = unit_case(suite, "lifecycle", UNIT_TIMEOUT);

	tcase_add_test(tcase, the_table_decides);
	tcase_add_test(tcase, staying_in_a_state_is_permitted);
	tcase_add_test(tcase, an_unknown_state_is_not);
	tcase_add_test_raise_signal(tcase, tests_abort, SIGABRT);
#ifndef DOCO_SANITIZED
	tcase_add_test(tcase, programs_continue);
#endif
	return unit_run(suite);
}
