/* The life cycle of a channel's end: which state may follow which, and what a record says of it. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/channel_internal.h"
#include "tests/unit/unit.h"

/* Rows: the state before. Columns in the same order: the state after. */
static const bool permitted[CHANNEL_N_STATES][CHANNEL_N_STATES] = {
	/* asking, waiting, asking again, ready, arrived, established, failed, closed */
	[CHANNEL_ASKING] = {true, true, false, true, false, false, true, false},
	[CHANNEL_WAITING] = {false, true, true, false, false, false, true, false},
	[CHANNEL_ASKING_AGAIN] = {false, true, true, true, false, false, true, false},
	[CHANNEL_READY] = {false, false, false, true, false, true, false, true},
	[CHANNEL_ARRIVED] = {false, false, false, false, true, true, false, true},
	[CHANNEL_ESTABLISHED] = {false, false, false, false, false, true, false, true},
	[CHANNEL_FAILED] = {false, false, false, false, false, false, true, false},
	[CHANNEL_CLOSED] = {false, false, false, false, false, false, false, true},
};

START_TEST(transitions)
{
	for (unsigned from = 0; from < CHANNEL_N_STATES; from++) {
		for (unsigned to = 0; to < CHANNEL_N_STATES; to++)
			ck_assert_msg(lifecycle_permits(&channel_lifecycle, from, to) ==
					      permitted[from][to],
				      "%s to %s", lifecycle_name(&channel_lifecycle, from),
				      lifecycle_name(&channel_lifecycle, to));
	}
}
END_TEST

START_TEST(permitted_continues)
{
	struct channel channel = {.state = CHANNEL_ASKING};

	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	channel_enter(&channel, CHANNEL_READY);
	ck_assert_int_eq(channel.state, CHANNEL_READY);
}
END_TEST

START_TEST(impossible_aborts)
{
	struct channel channel = {.state = CHANNEL_ESTABLISHED};

	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	channel_enter(&channel, CHANNEL_READY);
}
END_TEST

/* The next daemon continues in the state of the record, and repeats a request. */
START_TEST(records)
{
	static const enum channel_state restored[CHANNEL_N_STATES] = {
		[CHANNEL_ASKING] = CHANNEL_WAITING,
		[CHANNEL_WAITING] = CHANNEL_WAITING,
		[CHANNEL_ASKING_AGAIN] = CHANNEL_WAITING,
		[CHANNEL_READY] = CHANNEL_READY,
		[CHANNEL_ARRIVED] = CHANNEL_ARRIVED,
		[CHANNEL_ESTABLISHED] = CHANNEL_ESTABLISHED,
		[CHANNEL_FAILED] = CHANNEL_FAILED,
		[CHANNEL_CLOSED] = CHANNEL_CLOSED,
	};

	for (unsigned state = 0; state < CHANNEL_N_STATES; state++) {
		struct channel channel = {.state = (enum channel_state)state};

		ck_assert_int_eq(channel_restored_state(channel_record_state(channel.state),
							channel_has_ended(&channel)),
				 restored[state]);
	}
}
END_TEST

/* Operators see one state until the service has accepted the client. */
START_TEST(names)
{
	ck_assert_str_eq(channel_state_name(CHANNEL_ASKING), "connecting");
	ck_assert_str_eq(channel_state_name(CHANNEL_WAITING), "connecting");
	ck_assert_str_eq(channel_state_name(CHANNEL_ASKING_AGAIN), "connecting");
	ck_assert_str_eq(channel_state_name(CHANNEL_READY), "ready");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("channel state");
	TCase *tcase = unit_case(suite, "channel state", UNIT_TIMEOUT);

	tcase_add_test(tcase, transitions);
	tcase_add_test(tcase, permitted_continues);
	tcase_add_test_raise_signal(tcase, impossible_aborts, SIGABRT);
	tcase_add_test(tcase, records);
	tcase_add_test(tcase, names);
	return unit_run(suite);
}
