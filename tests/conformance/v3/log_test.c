/*
 * doca_log.h from 2.5 on: sources, both sets of backends, limits, records; each documented code.
 * Backends live as long as their process, so every test relies on Check's fork. Functions of this
 * file replace syslog.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DOCA_LOGGING_ALLOW_TRACE
#include <doca_log.h>

#include "tests/conformance/cover.h"
#include "tests/lib/runner.h"
#include "tests/lib/syslog.h"

DOCA_LOG_REGISTER(TESTS::CURRENT_LOG);

#define BAD(call) RETURNS(DOCA_ERROR_INVALID_VALUE, call)
/* Records the API function that the macros call. */
#define LOGS(...) \
	RETURNS(DOCA_SUCCESS, doca_log(DOCA_LOG_LEVEL_INFO, log_source, "a.c", 1, "f", __VA_ARGS__))

static char record[512], sdk_record[512];
static unsigned n_records, n_sdk_records;

/* Also works without memory; Check's assertions would allocate. */
static void record_collect(char *buf)
{
	n_records += buf == record;
}

static void sdk_record_collect(char *buf)
{
	ck_assert_ptr_eq(buf, sdk_record);
	n_sdk_records++;
}

static struct doca_log_backend *buf_backend(void)
{
	struct doca_log_backend *backend = NULL;

	PASSES(doca_log_backend_create_with_buf(record, sizeof(record), record_collect, &backend));
	ck_assert_ptr_nonnull(backend);
	return backend;
}

static struct doca_log_backend *sdk_buf_backend(void)
{
	struct doca_log_backend *backend = NULL;

	PASSES(doca_log_backend_create_with_buf_sdk(sdk_record, sizeof(sdk_record),
						    sdk_record_collect, &backend));
	ck_assert_ptr_nonnull(backend);
	return backend;
}

/* --- sources and records ------------------------------------------------------------------- */

START_TEST(test_records)
{
	struct doca_log_backend *backend = buf_backend();
	char place[128];
	int line;

	DOCA_LOG_WARN("n is %d", 7);
	line = __LINE__ - 1;
	snprintf(place, sizeof(place),
		 "[DOCA][WRN][TESTS::CURRENT_LOG][log_test.c:%d][%s] n is 7\n", line, __func__);
	ck_assert_msg(strstr(record, place) != NULL, "%s", record);
	DOCA_LOG_DBG("below the limit");
	ck_assert_uint_eq(n_records, 1);
	PASSES(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_TRACE));
	DOCA_LOG_CRIT("c");
	DOCA_LOG_ERR("e");
	DOCA_LOG_INFO("i");
	DOCA_LOG_DBG("d");
	DOCA_LOG_TRC("t");
	ck_assert_uint_eq(n_records, 6);
	LOGS("%s", "direct");
	ck_assert_ptr_nonnull(strstr(record, "[a.c:1][f] direct\n"));
	BAD(doca_log(55, log_source, "a.c", 1, "f", "no such level"));
	BAD(doca_log(DOCA_LOG_LEVEL_DISABLE, log_source, "a.c", 1, "f", "a limit only"));
	BAD(doca_log(DOCA_LOG_LEVEL_INFO, 12345, "a.c", 1, "f", "no such source"));
	BAD(doca_log(DOCA_LOG_LEVEL_INFO, log_source, "a.c", 1, "f", NULL));
	ck_assert_uint_eq(n_records, 7);
}
END_TEST

START_TEST(test_sources)
{
	int source = -5;

	buf_backend();
	BAD(doca_log_register_source(NULL, &source));
	BAD(doca_log_register_source("", &source));
	BAD(doca_log_register_source("NAME", NULL));
	ck_assert_int_eq(source, -5);
	PASSES(doca_log_register_source("NAME", &source));
	PASSES(doca_log(DOCA_LOG_LEVEL_INFO, source, "a.c", 5, "f", "text"));
	ck_assert_ptr_nonnull(strstr(record, "[NAME][a.c:5][f] text"));
	PASSES(doca_log_unregister_source(source));
	BAD(doca_log_unregister_source(source));
	BAD(doca_log_unregister_source(0));
	BAD(doca_log(DOCA_LOG_LEVEL_INFO, source, "a.c", 5, "f", "text"));
	ck_assert_uint_eq(n_records, 1);
}
END_TEST

START_TEST(test_sources_run_out)
{
	doca_error_t result = DOCA_SUCCESS;
	int source = 0;

	while (result == DOCA_SUCCESS && source <= 100000)
		result = doca_log_register_source("S", &source);
	RETURNS(DOCA_ERROR_FULL, doca_log_register_source("S", &source));
	/* Earlier backends still receive records. */
	buf_backend();
	PASSES(doca_log(DOCA_LOG_LEVEL_INFO, source, "a.c", 1, "f", "the last one"));
	ck_assert_uint_eq(n_records, 1);
}
END_TEST

/* --- limits -------------------------------------------------------------------------------- */

START_TEST(test_limits_of_a_backend)
{
	struct doca_log_backend *backend = buf_backend();

	PASSES(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_ERROR));
	DOCA_LOG_WARN("too verbose");
	ck_assert_uint_eq(n_records, 0);
	PASSES(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_ERROR));
	DOCA_LOG_CRIT("too severe");
	ck_assert_uint_eq(n_records, 0);
	DOCA_LOG_ERR("just right");
	ck_assert_uint_eq(n_records, 1);
	PASSES(doca_log_backend_set_level_lower_limit_strict(backend));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_WARNING));
	PASSES(doca_log_backend_set_level_upper_limit_strict(backend));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_CRIT));
	/* The global limits cannot relax the backend's own limit. */
	PASSES(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	PASSES(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
	DOCA_LOG_CRIT("too severe");
	DOCA_LOG_WARN("too verbose");
	ck_assert_uint_eq(n_records, 1);
	PASSES(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DISABLE));
	DOCA_LOG_ERR("nothing is shown");
	ck_assert_uint_eq(n_records, 1);
	BAD(doca_log_backend_set_level_lower_limit(NULL, DOCA_LOG_LEVEL_INFO));
	BAD(doca_log_backend_set_level_lower_limit(backend, 55));
	BAD(doca_log_backend_set_level_upper_limit(NULL, DOCA_LOG_LEVEL_INFO));
	BAD(doca_log_backend_set_level_upper_limit(backend, 0));
	BAD(doca_log_backend_set_level_lower_limit_strict(NULL));
	BAD(doca_log_backend_set_level_upper_limit_strict(NULL));
}
END_TEST

START_TEST(test_global_limits)
{
	buf_backend();
	ck_assert_uint_eq(CALLED(doca_log_level_get_global_lower_limit()), DOCA_LOG_LEVEL_INFO);
	ck_assert_uint_eq(CALLED(doca_log_level_get_global_upper_limit()), DOCA_LOG_LEVEL_CRIT);
	PASSES(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG));
	PASSES(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_WARNING));
	ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DEBUG);
	ck_assert_uint_eq(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_WARNING);
	DOCA_LOG_ERR("too severe");
	ck_assert_uint_eq(n_records, 0);
	DOCA_LOG_DBG("now shown");
	ck_assert_uint_eq(n_records, 1);
	/*
	 * The limit also applies to backends that are created later: this one receives a copy of
	 * each record.
	 */
	buf_backend();
	DOCA_LOG_ERR("too severe");
	DOCA_LOG_DBG("by both");
	ck_assert_uint_eq(n_records, 3);
	BAD(doca_log_level_set_global_lower_limit(55));
	BAD(doca_log_level_set_global_upper_limit(71));
	ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DEBUG);
}
END_TEST

/* The library's own records go to the SDK's backends, which have their own limits. */
START_TEST(test_sdk_backends)
{
	struct doca_log_backend *mine = buf_backend(), *sdk = sdk_buf_backend();
	int source;

	ck_assert_uint_eq(CALLED(doca_log_level_get_global_sdk_limit()), DOCA_LOG_LEVEL_INFO);
	DOCA_LOG_ERR("the program");
	ck_assert_uint_eq(n_records, 1);
	ck_assert_uint_eq(n_sdk_records, 0);
	BAD(doca_log_register_source(NULL, &source));
	ck_assert_uint_eq(n_records, 1);
	PASSES(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_TRACE));
	ck_assert_uint_eq(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_TRACE);
	n_sdk_records = 0;
	BAD(doca_log_register_source(NULL, &source));
	ck_assert_uint_gt(n_sdk_records, 0);
	ck_assert_ptr_nonnull(strstr(sdk_record, "[DOCOCORE] doca_log_register_source: "));
	PASSES(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_DISABLE));
	n_sdk_records = 0;
	BAD(doca_log_register_source(NULL, &source));
	ck_assert_uint_eq(n_sdk_records, 0);
	ck_assert_uint_eq(n_records, 1);
	BAD(doca_log_backend_set_sdk_level(NULL, DOCA_LOG_LEVEL_INFO));
	BAD(doca_log_backend_set_sdk_level(mine, DOCA_LOG_LEVEL_INFO));
	BAD(doca_log_backend_set_sdk_level(sdk, 55));
	BAD(doca_log_level_set_global_sdk_limit(55));
	PASSES(doca_log_backend_set_level_lower_limit_strict(sdk));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_ERROR));
}
END_TEST

/* --- backends ------------------------------------------------------------------------------ */

START_TEST(test_files_and_descriptors)
{
	struct doca_log_backend *backend = NULL;
	char text[256] = {0};
	FILE *file = tmpfile();
	int fds[2];

	BAD(doca_log_backend_create_with_file(NULL, &backend));
	BAD(doca_log_backend_create_with_file(file, NULL));
	BAD(doca_log_backend_create_with_file_sdk(NULL, &backend));
	BAD(doca_log_backend_create_with_file_sdk(file, NULL));
	BAD(doca_log_backend_create_with_fd(-1, &backend));
	BAD(doca_log_backend_create_with_fd(1, NULL));
	BAD(doca_log_backend_create_with_fd_sdk(-1, &backend));
	BAD(doca_log_backend_create_with_fd_sdk(1, NULL));
	ck_assert_ptr_null(backend);
	ck_assert_int_eq(pipe(fds), 0);
	PASSES(doca_log_backend_create_with_file(file, &backend));
	PASSES(doca_log_backend_create_with_fd(fds[1], &backend));
	DOCA_LOG_INFO("to both");
	ck_assert_int_gt(read(fds[0], text, sizeof(text) - 1), 0);
	ck_assert_ptr_nonnull(strstr(text, "] to both\n"));
	rewind(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	ck_assert_ptr_nonnull(strstr(text, "] to both\n"));
	fclose(file);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(test_sdk_files_and_descriptors)
{
	struct doca_log_backend *backend;
	char text[256] = {0};
	FILE *file = tmpfile();
	int fds[2], source;

	ck_assert_int_eq(pipe(fds), 0);
	PASSES(doca_log_backend_create_with_file_sdk(file, &backend));
	PASSES(doca_log_backend_create_with_fd_sdk(fds[1], &backend));
	PASSES(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_TRACE));
	BAD(doca_log_register_source(NULL, &source));
	ck_assert_int_gt(read(fds[0], text, sizeof(text) - 1), 0);
	ck_assert_ptr_nonnull(strstr(text, "[DOCOCORE] doca_log_register_source"));
	rewind(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	ck_assert_ptr_nonnull(strstr(text, "[DOCOCORE] doca_log_register_source"));
	fclose(file);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(test_buffers)
{
	struct doca_log_backend *backend = NULL;

	BAD(doca_log_backend_create_with_buf(NULL, 1, record_collect, &backend));
	BAD(doca_log_backend_create_with_buf(record, 0, record_collect, &backend));
	BAD(doca_log_backend_create_with_buf(record, 1, NULL, &backend));
	BAD(doca_log_backend_create_with_buf(record, 1, record_collect, NULL));
	BAD(doca_log_backend_create_with_buf_sdk(NULL, 1, record_collect, &backend));
	BAD(doca_log_backend_create_with_buf_sdk(record, 0, record_collect, &backend));
	BAD(doca_log_backend_create_with_buf_sdk(record, 1, NULL, &backend));
	BAD(doca_log_backend_create_with_buf_sdk(record, 1, record_collect, NULL));
	ck_assert_ptr_null(backend);
	memset(record, 'x', sizeof(record));
	PASSES(doca_log_backend_create_with_buf(record, 20, record_collect, &backend));
	DOCA_LOG_INFO("does not fit");
	ck_assert_uint_eq(strlen(record), 19);
	ck_assert_int_eq(record[20], 'x');
}
END_TEST

START_TEST(test_syslog)
{
	struct doca_log_backend *backend;
	int source;

	BAD(doca_log_backend_create_with_syslog(NULL, &backend));
	BAD(doca_log_backend_create_with_syslog("a_program", NULL));
	BAD(doca_log_backend_create_with_syslog_sdk(NULL, &backend));
	BAD(doca_log_backend_create_with_syslog_sdk("a_program", NULL));
	PASSES(doca_log_backend_create_with_syslog("a_program", &backend));
	DOCA_LOG_WARN("to the system");
	ck_assert_str_eq(syslog_ident, "a_program");
	ck_assert_int_eq(syslog_priority, LOG_WARNING);
	ck_assert_ptr_nonnull(strstr(syslog_text, "] to the system"));
	PASSES(doca_log_backend_create_with_syslog_sdk("its_library", &backend));
	PASSES(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_TRACE));
	BAD(doca_log_register_source(NULL, &source));
	ck_assert_str_eq(syslog_ident, "its_library");
	ck_assert_ptr_nonnull(strstr(syslog_text, "[DOCOCORE] doca_log_register_source"));
}
END_TEST

/*
 * INFO and more verbose levels go to one stream, the rest to the other, however often the backend
 * is requested.
 */
START_TEST(test_standard)
{
	char out_text[512] = {0}, err_text[512] = {0};
	int out[2], err[2], saved_out = dup(1), saved_err = dup(2);

	ck_assert_int_eq(pipe(out) | pipe(err), 0);
	fflush(stdout);
	dup2(out[1], 1);
	dup2(err[1], 2);
	PASSES(doca_log_backend_create_standard());
	PASSES(doca_log_backend_create_standard());
	DOCA_LOG_INFO("quiet");
	DOCA_LOG_ERR("loud");
	fflush(stdout);
	dup2(saved_out, 1);
	dup2(saved_err, 2);
	ck_assert_int_gt(read(out[0], out_text, sizeof(out_text) - 1), 0);
	ck_assert_int_gt(read(err[0], err_text, sizeof(err_text) - 1), 0);
	ck_assert_ptr_nonnull(strstr(out_text, "] quiet\n"));
	ck_assert_ptr_null(strstr(strstr(out_text, "quiet") + 1, "quiet"));
	ck_assert_ptr_null(strstr(out_text, "loud"));
	ck_assert_ptr_nonnull(strstr(err_text, "] loud\n"));
	ck_assert_ptr_null(strstr(err_text, "quiet"));
	for (int i = 0; i < 2; i++) {
		close(out[i]);
		close(err[i]);
	}
	close(saved_out);
	close(saved_err);
}
END_TEST

/* --- codes that all of them share ---------------------------------------------------------- */

#define BUSY(call) RETURNS(DOCA_ERROR_BAD_STATE, call)

static struct doca_log_backend *busy_backend;

static void busy_buffer_cb(char *buf)
{
	struct doca_log_backend *b = NULL, *own = busy_backend;
	int source;

	(void)buf;
	n_records++;
	BUSY(doca_log(DOCA_LOG_LEVEL_ERROR, log_source, "a.c", 1, "f", "again"));
	BUSY(doca_log_register_source("S", &source));
	BUSY(doca_log_backend_set_level_lower_limit(own, DOCA_LOG_LEVEL_ERROR));
	BUSY(doca_log_backend_set_level_upper_limit(own, DOCA_LOG_LEVEL_ERROR));
	BUSY(doca_log_backend_set_level_lower_limit_strict(own));
	BUSY(doca_log_backend_set_level_upper_limit_strict(own));
	BUSY(doca_log_backend_set_sdk_level(own, DOCA_LOG_LEVEL_ERROR));
	BUSY(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_ERROR));
	BUSY(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_ERROR));
	BUSY(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_ERROR));
	BUSY(doca_log_backend_create_with_file(stdout, &b));
	BUSY(doca_log_backend_create_with_file_sdk(stdout, &b));
	BUSY(doca_log_backend_create_with_fd(1, &b));
	BUSY(doca_log_backend_create_with_fd_sdk(1, &b));
	BUSY(doca_log_backend_create_with_buf(record, 1, record_collect, &b));
	BUSY(doca_log_backend_create_with_buf_sdk(record, 1, record_collect, &b));
	BUSY(doca_log_backend_create_with_syslog("x", &b));
	BUSY(doca_log_backend_create_with_syslog_sdk("x", &b));
	BUSY(doca_log_backend_create_standard());
	ck_assert_ptr_null(b);
	/* The getters work. */
	ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_INFO);
}

START_TEST(test_inside_a_handler)
{
	PASSES(doca_log_backend_create_with_buf(record, sizeof(record), busy_buffer_cb,
						&busy_backend));
	LOGS("once");
	ck_assert_uint_eq(n_records, 1);
	LOGS("and it still works");
	ck_assert_uint_eq(n_records, 2);
}
END_TEST

START_TEST(test_no_memory)
{
	struct doca_log_backend *b = NULL;
	static char words[2000];
	int source;

	if (!allocount_works)
		return;
	RUNS_OUT(0, doca_log_register_source("S", &source));
	RUNS_OUT(0, doca_log_backend_create_with_file(stdout, &b));
	RUNS_OUT(0, doca_log_backend_create_with_file_sdk(stdout, &b));
	RUNS_OUT(0, doca_log_backend_create_with_fd(1, &b));
	RUNS_OUT(0, doca_log_backend_create_with_fd_sdk(1, &b));
	RUNS_OUT(0, doca_log_backend_create_with_buf(record, 1, record_collect, &b));
	RUNS_OUT(0, doca_log_backend_create_with_buf_sdk(record, 1, record_collect, &b));
	RUNS_OUT(0, doca_log_backend_create_with_syslog("x", &b));
	RUNS_OUT(1, doca_log_backend_create_with_syslog("x", &b));
	RUNS_OUT(0, doca_log_backend_create_with_syslog_sdk("x", &b));
	RUNS_OUT(0, doca_log_backend_create_standard());
	RUNS_OUT(1, doca_log_backend_create_standard());
	ck_assert_ptr_null(b);
	/* Without memory, a long record is truncated and still printed. */
	buf_backend();
	memset(words, 'w', sizeof(words) - 1);
	allocount_fail_after(0);
	DOCA_LOG_INFO("%s", words);
	allocount_fail_never();
	ck_assert_uint_eq(n_records, 1);
	/* All of these calls succeed later. */
	PASSES(doca_log_backend_create_standard());
}
END_TEST

static bool finish(void)
{
	return cover_report("doca_log", documented_doca_log, NULL);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "log");

	tcase_add_test(tcase, test_records);
	tcase_add_test(tcase, test_sources);
	tcase_add_test(tcase, test_sources_run_out);
	tcase_add_test(tcase, test_limits_of_a_backend);
	tcase_add_test(tcase, test_global_limits);
	tcase_add_test(tcase, test_sdk_backends);
	tcase_add_test(tcase, test_files_and_descriptors);
	tcase_add_test(tcase, test_sdk_files_and_descriptors);
	tcase_add_test(tcase, test_buffers);
	tcase_add_test(tcase, test_syslog);
	tcase_add_test(tcase, test_standard);
	tcase_add_test(tcase, test_inside_a_handler);
	tcase_add_test(tcase, test_no_memory);
}

int main(void)
{
	cover_init();
	return runner_main("doca_log", add_cases, finish);
}
