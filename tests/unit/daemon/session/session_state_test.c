/* The life cycle of a session: which state may follow which, and how a session ends. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "daemon/session/session.h"
#include "tests/unit/unit.h"

/* Rows: the state before. Columns in the same order: the state after. */
static const bool permitted[SESSION_N_STATES][SESSION_N_STATES] = {
	/* connected, greeted, rejected, ending */
	[SESSION_CONNECTED] = {true, true, true, false},
	[SESSION_GREETED] = {false, true, false, true},
	[SESSION_REJECTED] = {false, false, true, false},
	[SESSION_ENDING] = {false, false, false, true},
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

START_TEST(ends)
{
	struct session fresh = {.state = SESSION_CONNECTED}, used = {.state = SESSION_CONNECTED};

	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	session_enter_end(&fresh);
	session_enter_end(&fresh);
	ck_assert_int_eq(fresh.state, SESSION_REJECTED);
	ck_assert(session_is_ending(&fresh) && !session_was_greeted(&fresh));
	session_enter(&used, SESSION_GREETED);
	ck_assert(!session_is_ending(&used));
	session_enter_end(&used);
	session_enter_end(&used);
	ck_assert_int_eq(used.state, SESSION_ENDING);
	ck_assert(session_is_ending(&used) && session_was_greeted(&used));
}
END_TEST

START_TEST(impossible_aborts)
{
	struct session session = {.state = SESSION_ENDING};

	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	session_enter(&session, SESSION_GREETED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session state");
	TCase *tcase = unit_case(suite, "session state", UNIT_TIMEOUT);

	tcase_add_test(tcase, transitions);
	tcase_add_test(tcase, ends);
	tcase_add_test_raise_signal(tcase, impossible_aborts, SIGABRT);
	return unit_run(suite);
}
