/*
 * Sentences in the terms of the program's version: the rules, every sentence of the library for
 * every version, and how the version is inferred from a program's calls.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <dococ.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "tests/unit/unit.h"
#include "tools/doca-admin/explain/data.h"
#include "tools/doca-admin/which_api/which_data.h"
#include "util/wording.h"

static const struct wording words_1_3 = {103, WORDING_COMM_CHANNEL};
static const struct wording words_1_5 = {105, WORDING_COMM_CHANNEL};
static const struct wording words_2_2 = {202, WORDING_COMM_CHANNEL};
static const struct wording words_2_5 = {205, WORDING_CC};

static void says(const struct wording *wording, const char *text, const char *wanted)
{
	char out[512];

	wording_apply(wording, text, out, sizeof(out));
	ck_assert_str_eq(out, wanted);
}

START_TEST(rules)
{
	static const char big[] = "more bytes; ask doca_dma_cap_task_memcpy_get_max_buf_size";

	says(&words_2_2, big, "more bytes; ask doca_dma_get_max_buf_size");
	says(&words_1_5, big, "more bytes; ask doca_dma_get_max_buf_size");
	/* There is no function to ask in 1.3. */
	says(&words_1_3, big, "more bytes");
	says(&words_2_5, big, big);
	says(&words_1_3, "no room; doca_buf_reset_data_len makes some; copy less (3 of 4)",
	     "no room; copy less (3 of 4)");
	says(&words_1_3, "no room; doca_buf_reset_data_len makes some (3 of 4)",
	     "no room (3 of 4)");
	says(&words_2_2, "comch client \"comch\": no progress engine; free its tasks",
	     "comm channel \"comm channel\": no work queue; free its jobs");
	says(&words_2_5, "comch client: ask doca_comch_producer_cap_get_max_buf_size for a task",
	     "cc client: ask doca_cc_producer_cap_get_max_buf_size for a task");
	says(&words_2_2, "key comch_client, multitask, taskset",
	     "key comch_client, multitask, taskset");
	says(&words_2_2, "", "");
}
END_TEST

START_TEST(little_room)
{
	static const char text[] = "comch: a; doca_buf_reset_data_len x (doca_mmap_add_dev) task";
	char out[80], whole[80];

	wording_apply(&words_1_3, text, whole, sizeof(whole));
	for (size_t n = 1; n <= sizeof(out); n++) {
		memset(out, '#', sizeof(out));
		wording_apply(&words_1_3, text, out, n);
		ck_assert_uint_lt(strlen(out), n);
		for (size_t i = n; i < sizeof(out); i++)
			ck_assert_int_eq(out[i], '#');
	}
	ck_assert_str_eq(out, whole);
}
END_TEST

/* --- sentences of the library and of the daemon --- */

static bool version_lacks(unsigned version, const char *name, size_t len)
{
	size_t v = 0;

	while (v < which_n_versions && which_versions[v] != version)
		v++;
	ck_assert_uint_lt(v, which_n_versions);
	for (size_t i = 0; i < which_n_names; i++)
		if (strncmp(which_names[i].name, name, len) == 0 && !which_names[i].name[len])
			return !(which_names[i].offered >> v & 1);
	return false;
}

static size_t word_len(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len;
}

static void check_names(const struct wording *wording, const char *sentence)
{
	for (const char *p = sentence; *p;) {
		size_t len = word_len(p);

		if (strncmp(p, "doca_", 5) == 0)
			ck_assert_msg(!version_lacks(wording->version, p, len), "%u: %s",
				      wording->version, sentence);
		if (wording->channel != WORDING_COMCH)
			ck_assert_msg(len != 5 || strncmp(p, "comch", 5) != 0, "%u: %s",
				      wording->version, sentence);
		p += len ? len : 1;
	}
}

static const struct wording all_words[] = {
	{103, WORDING_COMM_CHANNEL}, {105, WORDING_COMM_CHANNEL}, {200, WORDING_COMM_CHANNEL},
	{202, WORDING_COMM_CHANNEL}, {205, WORDING_CC},           {205, WORDING_COMM_CHANNEL},
	{206, WORDING_CC},           {206, WORDING_COMM_CHANNEL},
};

START_TEST(every_sentence)
{
	const struct wording *wording = &all_words[_i];
	char out[1024];

	ck_assert_uint_gt(explain_n_sentences, 500);
	for (size_t i = 0; i < explain_n_sentences; i++) {
		const char *text = explain_sentences[i].text;

		/* Clocks exist from 3.2 on, and their sentences mention nothing else. */
		if (strncmp(text, "clock ", 6) == 0)
			continue;
		wording_apply(wording, text, out, sizeof(out));
		check_names(wording, out);
	}
}
END_TEST

/* --- the program's version --- */

static unsigned version_now(void)
{
	return program_api_wording().version;
}

START_TEST(version_of_calls)
{
	struct wording wording = program_api_wording();

	ck_assert(!wording_is_needed(&wording));
	/* Device list, map and queue of 2.2. */
	program_api_note(103, 202);
	program_api_note(200, 202);
	ck_assert_uint_eq(version_now(), 202);
	program_api_note(105, 201);
	ck_assert_uint_eq(version_now(), 201);
	ck_assert_int_eq(program_api_wording().channel, WORDING_COMM_CHANNEL);
	/* Another part of the program, with objects of 2.6; then with a comm channel. */
	program_api_note(205, PROGRAM_API_NEWEST);
	wording = program_api_wording();
	ck_assert(!wording_is_needed(&wording));
	program_api_note(205, 206);
	ck_assert_uint_eq(version_now(), 206);
	ck_assert_int_eq(program_api_wording().channel, WORDING_CC);
	program_api_note_channel(WORDING_COMM_CHANNEL);
	ck_assert_int_eq(program_api_wording().channel, WORDING_COMM_CHANNEL);
}
END_TEST

static void *other_thread(void *version_out)
{
	*(unsigned *)version_out = version_now();
	program_api_note(205, PROGRAM_API_NEWEST);
	return NULL;
}

START_TEST(version_of_threads)
{
	pthread_t thread;
	unsigned version;

	program_api_note(103, 202);
	ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, &version), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	/* A thread without objects has the version of the program; its own objects then decide. */
	ck_assert_uint_eq(version, 202);
	ck_assert_uint_eq(version_now(), 202);
}
END_TEST

START_TEST(recorded_sentences)
{
	static const char hint[] = "full; call doca_pe_progress for a task";
	struct saved_error said;

	error_set(DOCA_ERROR_BAD_STATE, "comch %s", "client");
	ck_assert_str_eq(dococ_last_error(), "comch client");
	program_api_note(200, 202);
	error_set(DOCA_ERROR_BAD_STATE, "comch %s", "client \"x\"");
	ck_assert_str_eq(dococ_last_error(), "comm channel \"x\"");
	error_hint(DOCA_ERROR_AGAIN, hint);
	ck_assert_str_eq(dococ_last_error(), "full; call doca_workq_progress_retrieve for a job");
	/* Another error sentence is recorded in between. */
	error_save(&said);
	error_note(DOCA_ERROR_AGAIN, "another");
	error_restore(&said);
	ck_assert_str_eq(dococ_last_error(), "full; call doca_workq_progress_retrieve for a job");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wording");
	TCase *tcase = unit_case(suite, "wording", UNIT_TIMEOUT);

	tcase_add_test(tcase, rules);
	tcase_add_test(tcase, little_room);
	tcase_add_loop_test(tcase, every_sentence, 0, ARRAY_LEN(all_words));
	tcase_add_test(tcase, version_of_calls);
	tcase_add_test(tcase, version_of_threads);
	tcase_add_test(tcase, recorded_sentences);
	return unit_run(suite);
}
