/* The life cycle of a requester's peer: which state may follow which. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "client/rma/requester_state.h"
#include "tests/unit/unit.h"

#define CALLS  REQUESTER_READY /* the states before are those of a call */
#define BIT(s) LIFECYCLE_TO(REQUESTER_##s)

/* The states that may follow, apart from the state itself. */
static const uint32_t permitted[REQUESTER_N_STATES] = {
	[REQUESTER_NEW] = BIT(CALL_DUE),
	[REQUESTER_CALL_DUE] = BIT(CALL_SENT) | BIT(LOST) | BIT(FAILED),
	[REQUESTER_CALL_SENT] = BIT(CALLED) | BIT(LOST) | BIT(FAILED),
	[REQUESTER_CALLED] = BIT(CALL_DUE) | BIT(FETCH_DUE) | BIT(LOST) | BIT(FAILED),
	[REQUESTER_FETCH_DUE] = BIT(CALL_DUE) | BIT(FETCH_SENT) | BIT(LOST) | BIT(FAILED),
	[REQUESTER_FETCH_SENT] = BIT(CALL_DUE) | BIT(CONNECTING) | BIT(READY) | BIT(LOST) |
				 BIT(FAILED),
	[REQUESTER_CONNECTING] = BIT(READY) | BIT(LOST) | BIT(FAILED),
	[REQUESTER_LOST] = BIT(CALL_DUE) | BIT(FAILED),
	[REQUESTER_READY] = BIT(LOST) | BIT(FAILED),
	[REQUESTER_FAILED] = BIT(CALL_DUE),
};

START_TEST(transitions)
{
	for (unsigned from = 0; from < REQUESTER_N_STATES; from++) {
		for (unsigned to = 0; to < REQUESTER_N_STATES; to++)
			ck_assert_msg(
				lifecycle_permits(&requester_lifecycle, from, to) ==
					((permitted[from] & LIFECYCLE_TO(to)) != 0 || from == to),
				"%s to %s", lifecycle_name(&requester_lifecycle, from),
				lifecycle_name(&requester_lifecycle, to));
	}
}
END_TEST

/* Every call ends: from each of its states, the peer can fail. */
START_TEST(calls_can_fail)
{
	for (unsigned from = 0; from < REQUESTER_N_STATES; from++) {
		const struct requester_peer peer = {.state = from};

		ck_assert_int_eq(requester_is_calling(&peer), from < CALLS);
		if (requester_is_calling(&peer))
			ck_assert(lifecycle_permits(&requester_lifecycle, from, REQUESTER_FAILED));
	}
}
END_TEST

START_TEST(impossible_aborts)
{
	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	lifecycle_enter(&requester_lifecycle, NULL, REQUESTER_NEW, REQUESTER_READY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("requester state");
	TCase *tcase = unit_case(suite, "requester state", UNIT_TIMEOUT);

	tcase_add_test(tcase, transitions);
	tcase_add_test(tcase, calls_can_fail);
	tcase_add_test_raise_signal(tcase, impossible_aborts, SIGABRT);
	return unit_run(suite);
}
