/* The life cycle of the connection to the daemon: which state may follow which. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "client/control/session_state.h"
#include "tests/unit/unit.h"

/* Rows: the state before. Columns in the same order: the state after. */
static const bool permitted[SESSION_N_STATES][SESSION_N_STATES] = {
	/*                      closed greeting restoring open */
	[SESSION_CLOSED] = {true, true, false, false},
	[SESSION_HANDSHAKE] = {true, true, true, true},
	[SESSION_RESTORING] = {true, false, true, true},
	[SESSION_OPEN] = {true, false, false, true},
};

START_TEST(transitions)
{
	for (unsigned from = 0; from < SESSION_N_STATES; from++) {
		for (unsigned to = 0; to < SESSION_N_STATES; to++)
			ck_assert_msg(lifecycle_permits(&session_lifecycle, from, to) ==
					      permitted[from][to],
				      "%s to %s", lifecycle_name(&session_lifecycle, from),
				      lifecycle_name(&session_lifecycle, to));
	}
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
