/* The life cycle of the connection to the daemon: which state may follow which. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "client/control/session_state.h"
#include "tests/unit/lifecycle.h"
#include "tests/unit/unit.h"

static const char *const permitted[SESSION_N_STATES] = {
	[SESSION_CLOSED] = "11..",
	[SESSION_HANDSHAKE] = "1111",
	[SESSION_RESTORING] = "1.11",
	[SESSION_OPEN] = "1..1",
};

START_TEST(transitions)
{
	ck_lifecycle(&session_lifecycle, permitted, SESSION_N_STATES);
}
END_TEST

START_TEST(permitted_continues)
{
	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	ck_assert_uint_eq(
		lifecycle_enter(&session_lifecycle, NULL, SESSION_CLOSED, SESSION_HANDSHAKE),
		SESSION_HANDSHAKE);
}
END_TEST

START_TEST(impossible_aborts)
{
	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	lifecycle_enter(&session_lifecycle, NULL, SESSION_CLOSED, SESSION_OPEN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session state");
	TCase *tcase = unit_case(suite, "session state", UNIT_TIMEOUT);

	tcase_add_test(tcase, transitions);
	tcase_add_test(tcase, permitted_continues);
	tcase_add_test_raise_signal(tcase, impossible_aborts, SIGABRT);
	return unit_run(suite);
}
