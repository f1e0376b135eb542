/* The life cycle of a session: which state may follow which, and how a session ends. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "daemon/session/session.h"
#include "tests/unit/lifecycle.h"
#include "tests/unit/unit.h"

static const char *const permitted[SESSION_N_STATES] = {
	[SESSION_CONNECTED] = "111.",
	[SESSION_GREETED] = ".1.1",
	[SESSION_REJECTED] = "..1.",
	[SESSION_ENDING] = "...1",
};

START_TEST(transitions)
{
	ck_lifecycle(&session_lifecycle, permitted, SESSION_N_STATES);
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
