/* daemon/base/log_limit: lines that other processes cause are limited by user and place. */
#include <stdio.h>
#include <string.h>

#include "daemon/base/journal.h"
#include "daemon/base/log_limit.h"
#include "tests/unit/unit.h"
#include "util/log.h"

#define PERIOD_NS (20 * NS_PER_MS)

static struct loop *loop;
static unsigned n_lines;
static char last[2048];

static bool sink(int priority, const char *text)
{
	(void)priority;
	n_lines++;
	snprintf(last, sizeof(last), "%s", text);
	return true;
}

static void set_up(void)
{
	loop = loop_new();
	ck_assert_ptr_nonnull(loop);
	log_set_sink(sink);
	ck_assert_int_eq(log_limit_start(loop, PERIOD_NS), 0);
}

static void tear_down(void)
{
	log_limit_stop();
	loop_free(loop);
	log_set_sink(NULL);
}

static void log_of(uid_t uid, unsigned n)
{
	struct journal_subject before =
		journal_enter(&(struct journal_subject){.has_uid = true, .uid = uid});

	for (unsigned i = 0; i < n; i++)
		log_warning("line %u", i);
	journal_leave(&before);
}

START_TEST(each_user_has_a_limit)
{
	log_of(7, 1000);
	ck_assert_uint_eq(n_lines, LOG_LIMIT_BURST);
	ck_assert_str_eq(last, "uid 7: line 9");
	log_of(8, 2);
	ck_assert_uint_eq(n_lines, LOG_LIMIT_BURST + 2);
	ck_assert_str_eq(last, "uid 8: line 1");
	/* The daemon's own lines are not limited. */
	for (int i = 0; i < 100; i++)
		log_warning("mine");
	ck_assert_uint_eq(n_lines, LOG_LIMIT_BURST + 102);
	ck_assert_str_eq(last, "mine");
}
END_TEST

START_TEST(each_place_has_a_limit)
{
	struct journal_subject before = journal_enter(&(struct journal_subject){.peer = "dpu"});

	for (int i = 0; i < 100; i++) {
		log_info("one");
		log_info("other");
	}
	ck_assert_uint_eq(n_lines, 2 * LOG_LIMIT_BURST);
	ck_assert_str_eq(last, "peer dpu: other");
	journal_leave(&before);
}
END_TEST

/* At the end of the period the number of lines is logged, and the next burst begins. */
START_TEST(the_rest_is_counted)
{
	log_of(7, 1000);
	n_lines = 0;
	while (n_lines == 0)
		ck_assert_int_eq(loop_run_once(loop), 0);
	ck_assert_uint_eq(n_lines, 1);
	ck_assert_str_eq(last, "uid 7: 990 more lines like this one were not logged: "
			       "uid 7: line 999");
	log_of(7, 1000);
	ck_assert_uint_eq(n_lines, 1 + LOG_LIMIT_BURST);
	/* The same at the daemon's end. */
	log_limit_stop();
	ck_assert_uint_eq(n_lines, 2 + LOG_LIMIT_BURST);
}
END_TEST

/* If there are more users than places, further users share one limit. */
START_TEST(many_users)
{
	for (uid_t uid = 1000; uid < 1000 + 4 * LOG_LIMIT_MAX; uid++)
		log_of(uid, 1);
	ck_assert_uint_eq(n_lines, LOG_LIMIT_MAX + LOG_LIMIT_BURST);
	log_limit_stop();
	ck_assert_ptr_nonnull(strstr(last, "other processes: 758 more lines"));
}
END_TEST

START_TEST(debug_lines_are_not_limited)
{
	struct journal_subject before = journal_enter(&(struct journal_subject){.has_uid = true});

	log_set_level(LOG_LEVEL_DEBUG);
	for (int i = 0; i < 100; i++)
		log_debug("detail");
	ck_assert_uint_eq(n_lines, 100);
	journal_leave(&before);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log_limit");
	TCase *tcase = unit_case(suite, "log_limit", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, each_user_has_a_limit);
	tcase_add_test(tcase, each_place_has_a_limit);
	tcase_add_test(tcase, the_rest_is_counted);
	tcase_add_test(tcase, many_users);
	tcase_add_test(tcase, debug_lines_are_not_limited);
	return unit_run(suite);
}
