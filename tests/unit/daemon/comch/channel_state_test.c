/* The life cycle of a channel's end: which state may follow which, and what a record says of it. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/channel_internal.h"
#include "tests/unit/lifecycle.h"
#include "tests/unit/unit.h"

static const char *const permitted[CHANNEL_N_STATES] = {
	[CHANNEL_ASKING] = "11.1..1.",       [CHANNEL_WAITING] = ".11...1.",
	[CHANNEL_ASKING_AGAIN] = ".111..1.", [CHANNEL_READY] = "...1.1.1",
	[CHANNEL_ARRIVED] = "....11.1",      [CHANNEL_ESTABLISHED] = ".....1.1",
	[CHANNEL_FAILED] = "......1.",       [CHANNEL_CLOSED] = ".......1",
};

START_TEST(transitions)
{
	ck_lifecycle(&channel_lifecycle, permitted, CHANNEL_N_STATES);
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
