/*
 * client/base/error: names, the errno table, the error sentence of a thread and its output to the
 * SDK log.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <wchar.h>

#include <doca_log.h>
#include <doca_version.h>
#include <dococ.h>

#include "client/base/error.h"
#include "tests/unit/unit.h"

static char record[1024];
static unsigned n_records;

static void record_collect(char *buf)
{
	(void)buf;
	n_records++;
}

START_TEST(names_and_descriptions)
{
	ck_assert_str_eq(doca_error_get_name(DOCA_SUCCESS), "DOCA_SUCCESS");
	ck_assert_str_eq(doca_error_get_name(DOCA_ERROR_INVALID_VALUE), "DOCA_ERROR_INVALID_VALUE");
	ck_assert_str_eq(doca_error_get_name(DOCA_ERROR_DEVICE_FATAL_ERROR),
			 "DOCA_ERROR_DEVICE_FATAL_ERROR");
	for (int i = DOCA_SUCCESS; i <= DOCA_ERROR_DEVICE_FATAL_ERROR; i++) {
		const char *name = doca_error_get_name((doca_error_t)i);
		const char *descr = doca_error_get_descr((doca_error_t)i);

		ck_assert_msg(name && !strncmp(name, "DOCA_", 5), "code %d", i);
		ck_assert_msg(descr && *descr && strlen(descr) < 40, "code %d", i);
		for (int j = DOCA_SUCCESS; j < i; j++) {
			ck_assert_str_ne(name, doca_error_get_name((doca_error_t)j));
			ck_assert_str_ne(descr, doca_error_get_descr((doca_error_t)j));
		}
	}
}
END_TEST

START_TEST(unknown_codes)
{
	static const int codes[] = {-1, DOCA_ERROR_DEVICE_FATAL_ERROR + 1, 1000, INT32_MAX,
				    INT32_MIN};

	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		/*
		 * volatile, because the compiler could use its knowledge of the enumeration in a
		 * plain cast.
		 */
		volatile int code = codes[i];

		ck_assert_str_eq(doca_error_get_descr((doca_error_t)code),
				 "unrecognized error code");
		ck_assert_str_eq(doca_error_get_name((doca_error_t)code),
				 "unrecognized error code");
	}
}
END_TEST

START_TEST(version)
{
	ck_assert_str_eq(doca_version_runtime(), "3.3.0");
	ck_assert_str_eq(doca_version_runtime(), doca_version());
}
END_TEST

START_TEST(errno_table)
{
	static const struct {
		int err;
		doca_error_t code;
	} some[] = {
		{0, DOCA_SUCCESS},
		{-EPERM, DOCA_ERROR_NOT_PERMITTED},
		{-EACCES, DOCA_ERROR_NOT_PERMITTED},
		{-EBUSY, DOCA_ERROR_IN_USE},
		{-EOPNOTSUPP, DOCA_ERROR_NOT_SUPPORTED},
		{-EAGAIN, DOCA_ERROR_AGAIN},
		{-EINVAL, DOCA_ERROR_INVALID_VALUE},
		{-ENOMEM, DOCA_ERROR_NO_MEMORY},
		{-ETIMEDOUT, DOCA_ERROR_TIME_OUT},
		{-ECONNRESET, DOCA_ERROR_CONNECTION_RESET},
		{-EPIPE, DOCA_ERROR_CONNECTION_RESET},
		{-ENOTCONN, DOCA_ERROR_NOT_CONNECTED},
		{-ENOENT, DOCA_ERROR_NOT_FOUND},
		{-EIO, DOCA_ERROR_IO_FAILED},
		{-EEXIST, DOCA_ERROR_ALREADY_EXIST},
		{-ENOSPC, DOCA_ERROR_FULL},
		{-EMSGSIZE, DOCA_ERROR_TOO_BIG},
		{-EKEYREJECTED, DOCA_ERROR_AUTHENTICATION},
		{-EMFILE, DOCA_ERROR_OPERATING_SYSTEM},
		{-ENOTTY, DOCA_ERROR_OPERATING_SYSTEM},
		{1, DOCA_ERROR_UNEXPECTED},
	};

	for (size_t i = 0; i < ARRAY_LEN(some); i++)
		ck_assert_msg(error_from_errno(some[i].err) == some[i].code, "errno %d gives %s",
			      some[i].err, doca_error_get_name(error_from_errno(some[i].err)));
	for (int err = 1; err < 200; err++)
		ck_assert_msg(error_from_errno(-err) != DOCA_SUCCESS, "errno %d", err);
}
END_TEST

START_TEST(sentence)
{
	static const wchar_t unprintable[] = {0x7fffffff, 0};
	char longer[1000];

	ck_assert_str_eq(dococ_last_error(), "");
	errno = EXDEV;
	ck_assert_int_eq(error_set(DOCA_ERROR_IN_USE, "mmap %d: busy", 7), DOCA_ERROR_IN_USE);
	ck_assert_int_eq(errno, EXDEV);
	ck_assert_str_eq(dococ_last_error(), "mmap 7: busy");
	ck_assert_int_eq(error_note(DOCA_ERROR_AGAIN, "again after %s", dococ_last_error()),
			 DOCA_ERROR_AGAIN);
	ck_assert_str_eq(dococ_last_error(), "again after mmap 7: busy");
	ck_assert_int_eq(errno, EXDEV);
	/* Formatting this fails with EILSEQ. */
	error_note(DOCA_ERROR_AGAIN, "%ls", unprintable);
	ck_assert_int_eq(errno, EXDEV);
	error_set(DOCA_ERROR_AGAIN, "%ls", unprintable);
	ck_assert_int_eq(errno, EXDEV);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	error_note(DOCA_ERROR_TOO_BIG, "%s", longer);
	ck_assert_uint_eq(strlen(dococ_last_error()), 511);
}
END_TEST

START_TEST(set_is_logged_and_note_is_not)
{
	struct doca_log_backend *backend;

	error_set(DOCA_ERROR_FULL, "nobody sees this");
	ck_assert_int_eq(doca_log_backend_create_with_buf_sdk(record, sizeof(record),
							      record_collect, &backend),
			 DOCA_SUCCESS);
	error_note(DOCA_ERROR_FULL, "the queue is full");
	ck_assert_uint_eq(n_records, 0);
	error_set(DOCA_ERROR_FULL, "the pool is full");
	ck_assert_uint_eq(n_records, 1);
	ck_assert_ptr_nonnull(strstr(record, "[ERR][DOCOCORE] the pool is full (DOCA_ERROR_FULL)"));
}
END_TEST

static doca_error_t nothing_is_full(doca_error_t code)
{
	return code == DOCA_ERROR_FULL ? DOCA_ERROR_NO_MEMORY : code;
}

START_TEST(log_names_what_the_call_returns)
{
	struct doca_log_backend *backend;

	ck_assert_int_eq(doca_log_backend_create_with_buf_sdk(record, sizeof(record),
							      record_collect, &backend),
			 DOCA_SUCCESS);
	error_show_as(nothing_is_full);
	ck_assert_int_eq(error_set(DOCA_ERROR_FULL, "the pool is full"), DOCA_ERROR_FULL);
	ck_assert_ptr_nonnull(strstr(record, "the pool is full (DOCA_ERROR_NO_MEMORY)"));
	error_set(DOCA_ERROR_AGAIN, "not yet");
	ck_assert_ptr_nonnull(strstr(record, "not yet (DOCA_ERROR_AGAIN)"));
	error_show_as(NULL);
	error_set(DOCA_ERROR_FULL, "the queue is full");
	ck_assert_ptr_nonnull(strstr(record, "the queue is full (DOCA_ERROR_FULL)"));
}
END_TEST

static void *other_thread(void *arg)
{
	ck_assert_str_eq(dococ_last_error(), "");
	error_note(DOCA_ERROR_EMPTY, "theirs");
	ck_assert_str_eq(dococ_last_error(), "theirs");
	return arg;
}

START_TEST(sentence_is_per_thread)
{
	pthread_t thread;

	error_note(DOCA_ERROR_EMPTY, "mine");
	ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_str_eq(dococ_last_error(), "mine");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("doca_error");
	TCase *tcase = unit_case(suite, "doca_error", UNIT_TIMEOUT);

	tcase_add_test(tcase, names_and_descriptions);
	tcase_add_test(tcase, unknown_codes);
	tcase_add_test(tcase, version);
	tcase_add_test(tcase, errno_table);
	tcase_add_test(tcase, sentence);
	tcase_add_test(tcase, log_names_what_the_call_returns);
	tcase_add_test(tcase, set_is_logged_and_note_is_not);
	tcase_add_test(tcase, sentence_is_per_thread);
	return unit_run(suite);
}
