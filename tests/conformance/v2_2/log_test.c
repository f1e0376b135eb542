/*
 * doca_log.h as programs of 2.2 use it: sources, backends, limits, rate limits, developer records.
 * Backends live as long as their process, so every test relies on Check's fork.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DOCA_LOGGING_ALLOW_DLOG
#include <doca_log.h>

#include "tests/lib/assert.h"
#include "tests/lib/expect.h"
#include "tests/lib/runner.h"
#include "tests/lib/syslog.h"

DOCA_LOG_REGISTER(TESTS::OLD_LOG);

#define BAD(call) EXPECT(DOCA_ERROR_INVALID_VALUE, call)

static char record[512];
static unsigned n_records;

static void record_collect(char *buf)
{
	ck_assert_ptr_eq(buf, record);
	n_records++;
}

static struct doca_logger_backend *buffer_backend(void)
{
	struct doca_logger_backend *backend = NULL;

	OK(doca_log_create_buffer_backend(record, sizeof(record), record_collect, &backend));
	ck_assert_ptr_nonnull(backend);
	return backend;
}

START_TEST(test_record)
{
	char place[64];

	buffer_backend();
	snprintf(place, sizeof(place), "[DOCA][WRN][TESTS::OLD_LOG:%d] n is 7\n", __LINE__ + 1);
	DOCA_LOG_WARN("n is %d", 7);
	ck_assert_uint_eq(n_records, 1);
	ck_assert_msg(strstr(record, place) != NULL, "%s", record);
	DOCA_LOG_CRIT("c");
	DOCA_LOG_ERR("e");
	DOCA_LOG_INFO("i");
	ck_assert_uint_eq(n_records, 4);
	DOCA_LOG_DBG("below the global level");
	ck_assert_uint_eq(n_records, 4);
	DOCA_DLOG_INFO("for %s", "developers");
	ck_assert_uint_eq(n_records, 5);
	ck_assert_ptr_nonnull(strstr(record, "for developers"));
	DOCA_DLOG_DBG("below the global level");
	ck_assert_uint_eq(n_records, 5);
	BAD(doca_log(55, log_source, 1, "no such level"));
	BAD(doca_log(DOCA_LOG_LEVEL_INFO, 12345, 1, "no such source"));
	BAD(doca_log_developer(DOCA_LOG_LEVEL_INFO, -1, 1, "no such source"));
}
END_TEST

START_TEST(test_sources)
{
	int source = 0;

	buffer_backend();
	BAD(doca_log_source_register(NULL, &source));
	BAD(doca_log_source_register("NAME", NULL));
	OK(doca_log_source_register("NAME", &source));
	OK(doca_log(DOCA_LOG_LEVEL_INFO, source, 5, "text"));
	ck_assert_ptr_nonnull(strstr(record, "[NAME:5] text"));
	OK(doca_log_source_destroy(source));
	BAD(doca_log_source_destroy(source));
	BAD(doca_log(DOCA_LOG_LEVEL_INFO, source, 5, "text"));
	ck_assert_uint_eq(n_records, 1);
}
END_TEST

START_TEST(test_limits)
{
	struct doca_logger_backend *backend = buffer_backend();

	ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_INFO);
	OK(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_ERROR));
	DOCA_LOG_WARN("too verbose");
	ck_assert_uint_eq(n_records, 0);
	OK(doca_log_backend_set_upper_level_limit(backend, DOCA_LOG_LEVEL_ERROR));
	DOCA_LOG_CRIT("too severe");
	ck_assert_uint_eq(n_records, 0);
	DOCA_LOG_ERR("just right");
	ck_assert_uint_eq(n_records, 1);
	/* The global levels apply to all backends. */
	OK(doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG));
	ck_assert_uint_eq(doca_log_global_level_get(), DOCA_LOG_LEVEL_DEBUG);
	DOCA_LOG_DBG("now shown");
	ck_assert_uint_eq(n_records, 2);
	OK(doca_log_global_set_upper_level_limit(DOCA_LOG_LEVEL_WARNING));
	DOCA_LOG_ERR("too severe");
	ck_assert_uint_eq(n_records, 2);
	OK(doca_log_backend_set_lower_level_immutable(backend));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_log_backend_level_set(backend, 70));
	OK(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_INFO));
	OK(doca_log_backend_set_upper_level_immutable(backend));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_log_backend_set_upper_level_limit(backend, DOCA_LOG_LEVEL_CRIT));
	BAD(doca_log_backend_level_set(NULL, DOCA_LOG_LEVEL_INFO));
	BAD(doca_log_backend_level_set(backend, 55));
	BAD(doca_log_backend_set_upper_level_limit(backend, 0));
	BAD(doca_log_backend_set_lower_level_immutable(NULL));
	BAD(doca_log_backend_set_upper_level_immutable(NULL));
	BAD(doca_log_global_level_set(55));
	BAD(doca_log_global_set_upper_level_limit(55));
}
END_TEST

START_TEST(test_backends)
{
	struct doca_logger_backend *backend;
	char text[256] = {0};
	FILE *file = tmpfile();
	int fds[2];

	BAD(doca_log_create_file_backend(NULL, &backend));
	BAD(doca_log_create_file_backend(file, NULL));
	BAD(doca_log_create_fd_backend(-1, &backend));
	BAD(doca_log_create_fd_backend(1, NULL));
	BAD(doca_log_create_buffer_backend(NULL, 1, record_collect, &backend));
	BAD(doca_log_create_buffer_backend(record, 0, record_collect, &backend));
	BAD(doca_log_create_buffer_backend(record, 1, NULL, &backend));
	BAD(doca_log_create_syslog_backend(NULL, &backend));
	ck_assert_int_eq(pipe(fds), 0);
	OK(doca_log_create_file_backend(file, &backend));
	OK(doca_log_create_fd_backend(fds[1], &backend));
	DOCA_LOG_INFO("to both");
	ck_assert_int_gt(read(fds[0], text, sizeof(text) - 1), 0);
	ck_assert_ptr_nonnull(strstr(text, "to both\n"));
	rewind(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	ck_assert_ptr_nonnull(strstr(text, "to both\n"));
	fclose(file);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(test_syslog)
{
	struct doca_logger_backend *backend;

	BAD(doca_log_create_syslog_backend("old_program", NULL));
	OK(doca_log_create_syslog_backend("old_program", &backend));
	DOCA_LOG_WARN("to the system");
	ck_assert_str_eq(syslog_ident, "old_program");
	ck_assert_int_eq(syslog_priority, LOG_WARNING);
	ck_assert_ptr_nonnull(strstr(syslog_text, "to the system"));
	OK(doca_log_backend_level_set(backend, DOCA_LOG_LEVEL_ERROR));
	DOCA_LOG_WARN("not this");
	ck_assert_ptr_nonnull(strstr(syslog_text, "to the system"));
}
END_TEST

/*
 * INFO and DEBUG go to one stream, the rest to the other, however often the backend is requested.
 */
START_TEST(test_standard)
{
	char out_text[512] = {0}, err_text[512] = {0};
	int out[2], err[2], saved_out = dup(1), saved_err = dup(2);

	ck_assert_int_eq(pipe(out) | pipe(err), 0);
	fflush(stdout);
	dup2(out[1], 1);
	dup2(err[1], 2);
	OK(doca_log_create_standard_backend());
	OK(doca_log_create_standard_backend());
	DOCA_LOG_INFO("quiet");
	DOCA_LOG_ERR("loud");
	fflush(stdout);
	dup2(saved_out, 1);
	dup2(saved_err, 2);
	ck_assert_int_gt(read(out[0], out_text, sizeof(out_text) - 1), 0);
	ck_assert_int_gt(read(err[0], err_text, sizeof(err_text) - 1), 0);
	ck_assert_ptr_nonnull(strstr(out_text, "quiet\n"));
	ck_assert_ptr_null(strstr(strstr(out_text, "quiet") + 1, "quiet"));
	ck_assert_ptr_null(strstr(out_text, "loud"));
	ck_assert_ptr_nonnull(strstr(err_text, "loud\n"));
	ck_assert_ptr_null(strstr(err_text, "quiet"));
	for (int i = 0; i < 2; i++) {
		close(out[i]);
		close(err[i]);
	}
	close(saved_out);
	close(saved_err);
}
END_TEST

static void say_limited(void)
{
	DOCA_LOG_RATE_LIMIT_INFO("limited %d", 1);
}

START_TEST(test_rate_limit)
{
	int bucket = -1;

	buffer_backend();
	ck_assert_uint_gt(doca_log_get_bucket_time(), 0);
	ck_assert_uint_gt(doca_log_get_quantity(), 0);
	/* The rate limit's window does not end during this test. */
	doca_log_set_bucket_time(60000);
	ck_assert_uint_eq(doca_log_get_bucket_time(), 60000);
	doca_log_set_quantity(3);
	ck_assert_uint_eq(doca_log_get_quantity(), 3);
	for (int i = 0; i < 10; i++)
		say_limited();
	ck_assert_uint_eq(n_records, 3);
	/* Each place in the source has its own counter. */
	DOCA_LOG_RATE_LIMIT_ERR("other");
	ck_assert_uint_eq(n_records, 4);
	/* A record that no backend shows does not count. */
	for (int i = 0; i < 10; i++)
		DOCA_LOG_RATE_LIMIT_DBG("not shown");
	ck_assert_uint_eq(n_records, 4);
	doca_log_set_bucket_time(0);
	for (int i = 0; i < 10; i++)
		say_limited();
	ck_assert_uint_eq(n_records, 14);
	BAD(doca_log_rate_bucket_register(log_source, NULL));
	BAD(doca_log_rate_bucket_register(12345, &bucket));
	OK(doca_log_rate_bucket_register(log_source, &bucket));
	BAD(doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, log_source, 1, bucket + 1, "no such place"));
	BAD(doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, log_source, 1, -1, "no such place"));
	BAD(doca_log_rate_limit(55, log_source, 1, bucket, "no such level"));
	OK(doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, log_source, 1, bucket, "%s", "direct"));
	ck_assert_uint_eq(n_records, 15);
	doca_log_set_bucket_time(60000);
	doca_log_set_quantity(0);
	OK(doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, log_source, 1, bucket, "%s", "none left"));
	ck_assert_uint_eq(n_records, 15);
}
END_TEST

START_TEST(test_error_texts)
{
	ck_assert_str_eq(doca_get_error_name(DOCA_ERROR_AGAIN), "DOCA_ERROR_AGAIN");
	ck_assert_str_eq(doca_get_error_string(DOCA_ERROR_NOT_FOUND), "not found");
	ck_assert_str_eq(doca_get_error_name((doca_error_t)9999), "unrecognized error code");
	ck_assert_str_eq(doca_get_error_string((doca_error_t)-1), "unrecognized error code");
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "log");

	tcase_add_test(tcase, test_record);
	tcase_add_test(tcase, test_sources);
	tcase_add_test(tcase, test_limits);
	tcase_add_test(tcase, test_backends);
	tcase_add_test(tcase, test_syslog);
	tcase_add_test(tcase, test_standard);
	tcase_add_test(tcase, test_rate_limit);
	tcase_add_test(tcase, test_error_texts);
}

int main(void)
{
	return runner_main("doca_log of 2.2", add_cases, NULL);
}
