/* Error sentences that a thread repeats: which of them are logged, and that all are recorded. */
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <doca_log.h>
#include <dococ.h>

#include "client/base/error.h"
#include "tests/unit/unit.h"

static unsigned n_lines;
static char line[1024], last_line[1024];

static void on_log_line(char *text)
{
	n_lines++;
	snprintf(last_line, sizeof(last_line), "%s", text);
}

static void watch_log(void)
{
	struct doca_log_backend *backend;

	ck_assert_int_eq(
		doca_log_backend_create_with_buf_sdk(line, sizeof(line), on_log_line, &backend),
		DOCA_SUCCESS);
	n_lines = 0;
}

static void say(unsigned object)
{
	char sentence[64];

	snprintf(sentence, sizeof(sentence), "object %u: full", object);
	ck_assert_int_eq(error_set(DOCA_ERROR_FULL, "%s", sentence), DOCA_ERROR_FULL);
	ck_assert_str_eq(dococ_last_error(), sentence);
}

static void ck_line(const char *part)
{
	ck_assert_msg(strstr(last_line, part) != NULL, "\"%s\" has no \"%s\"", last_line, part);
}

START_TEST(a_flood_is_counted)
{
	unsigned i;

	watch_log();
	for (i = 1; i <= 3; i++)
		say(1);
	ck_assert_uint_eq(n_lines, 3);
	ck_line("(DOCA_ERROR_FULL; for the 3rd time)");
	for (; i <= 1000; i++)
		say(1);
	/* The first four, 10, 100, 1000. */
	ck_assert_uint_eq(n_lines, 7);
	ck_line("object 1: full (DOCA_ERROR_FULL; for the 1000th time)");
}
END_TEST

/* Alternating sentences are still recognised as repeated, unless there are many. */
START_TEST(sentences_are_counted_apart)
{
	watch_log();
	for (unsigned i = 0; i < 100; i++) {
		say(1);
		say(2);
	}
	ck_assert_uint_eq(n_lines, 2 * 6);
	n_lines = 0;
	for (unsigned i = 0; i < 100; i++)
		say(i);
	ck_assert_uint_ge(n_lines, 98);
}
END_TEST

START_TEST(a_series_ends_when_it_pauses)
{
	watch_log();
	for (unsigned i = 0; i < 50; i++)
		say(1);
	/* This test needs to wait for that second. */
	poll(NULL, 0, 1100);
	n_lines = 0;
	say(1);
	ck_assert_uint_eq(n_lines, 1);
	ck_line("object 1: full (DOCA_ERROR_FULL)");
}
END_TEST

static void *log_once(void *arg)
{
	(void)arg;
	say(1);
	return NULL;
}

START_TEST(threads_are_counted_apart)
{
	pthread_t thread;

	watch_log();
	for (unsigned i = 0; i < 5; i++)
		say(1);
	n_lines = 0;
	ck_assert_int_eq(pthread_create(&thread, NULL, log_once, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_eq(n_lines, 1);
	ck_line("(DOCA_ERROR_FULL)");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("repeats");
	TCase *tcase = unit_case(suite, "repeats", UNIT_TIMEOUT);

	tcase_add_test(tcase, a_flood_is_counted);
	tcase_add_test(tcase, sentences_are_counted_apart);
	tcase_add_test(tcase, a_series_ends_when_it_pauses);
	tcase_add_test(tcase, threads_are_counted_apart);
	return unit_run(suite);
}
