/*
 * client/base/log: backends, limits, sources, the format of a line, many threads. Backends live as
 * long as their process, so every test relies on Check's fork. Functions of this file replace
 * syslog.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <dococ.h>

/* Defined before the header is included, to get the logging macro. */
#define DOCA_LOGGING_ALLOW_TRACE
#include <doca_log.h>

#include "client/base/error.h"
#include "client/base/log.h"
#include "tests/lib/syslog.h"
#include "tests/unit/unit.h"

DOCA_LOG_REGISTER(TESTS::LOG);

#define OK(call)  ck_assert_int_eq(call, DOCA_SUCCESS)
#define BAD(call) ck_assert_int_eq(call, DOCA_ERROR_INVALID_VALUE)

static const uint32_t levels[] = {DOCA_LOG_LEVEL_CRIT, DOCA_LOG_LEVEL_ERROR, DOCA_LOG_LEVEL_WARNING,
				  DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_DEBUG, DOCA_LOG_LEVEL_TRACE};

static char record[512], sdk_record[512];
static unsigned n_records, n_sdk_records;

static void record_collect(char *buf)
{
	ck_assert_ptr_eq(buf, record);
	n_records++;
}

static void sdk_record_collect(char *buf)
{
	ck_assert_ptr_eq(buf, sdk_record);
	n_sdk_records++;
}

static struct doca_log_backend *buf_backend(void)
{
	struct doca_log_backend *backend = NULL;

	OK(doca_log_backend_create_with_buf(record, sizeof(record), record_collect, &backend));
	ck_assert_ptr_nonnull(backend);
	return backend;
}

static struct doca_log_backend *sdk_buf_backend(void)
{
	struct doca_log_backend *backend = NULL;

	OK(doca_log_backend_create_with_buf_sdk(sdk_record, sizeof(sdk_record), sdk_record_collect,
						&backend));
	return backend;
}

/* "EWI": one letter for each level that the buffer backend prints. */
static const char *shown(void)
{
	static char text[8];
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
		unsigned before = n_records;

		OK(doca_log(levels[i], log_source, __FILE__, __LINE__, __func__, "x"));
		if (n_records != before)
			text[len++] = "CEWIDT"[i];
	}
	text[len] = '\0';
	return text;
}

static const char *sdk_shown(void)
{
	static char text[8];
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
		unsigned before = n_sdk_records;

		sdk_log(levels[i], "x");
		ck_assert_int_eq(sdk_log_enabled(levels[i]), n_sdk_records != before);
		if (n_sdk_records != before)
			text[len++] = "CEWIDT"[i];
	}
	text[len] = '\0';
	return text;
}

START_TEST(silent_without_backend)
{
	OK(doca_log(DOCA_LOG_LEVEL_CRIT, log_source, "a.c", 1, "f", "%s", "nobody"));
	DOCA_LOG_ERR("nobody");
	sdk_error("nobody");
	ck_assert_int_eq(sdk_log_enabled(DOCA_LOG_LEVEL_CRIT), 0);
}
END_TEST

START_TEST(line_form)
{
	regex_t pattern;

	buf_backend();
	OK(doca_log(DOCA_LOG_LEVEL_WARNING, log_source, "/some/where/file.c", 42, "func", "n is %d",
		    5));
	ck_assert_int_eq(
		regcomp(&pattern,
			"^\\[[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}:[0-9]{6}\\]"
			"\\[[0-9]+\\]\\[DOCA\\]\\[WRN\\]\\[TESTS::LOG\\]\\[file.c:42\\]"
			"\\[func\\] n is 5\n$",
			REG_EXTENDED | REG_NOSUB),
		0);
	ck_assert_msg(regexec(&pattern, record, 0, NULL, 0) == 0, "line is %s", record);
	regfree(&pattern);
	OK(doca_log(DOCA_LOG_LEVEL_WARNING, log_source, NULL, 0, NULL, "own newline\n"));
	ck_assert_ptr_nonnull(strstr(record, "[TESTS::LOG] own newline\n"));
	ck_assert_ptr_null(strstr(record, "\n\n"));
	errno = ENOENT;
	DOCA_LOG_ERR("%m");
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(record, "] No such file or directory\n"));
	OK(doca_log(DOCA_LOG_LEVEL_CRIT, log_source, "f.c", 1, NULL, "%s", ""));
	ck_assert_ptr_nonnull(strstr(record, "[CRT][TESTS::LOG][f.c:1][-] \n"));
}
END_TEST

START_TEST(default_limits)
{
	ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_INFO);
	ck_assert_uint_eq(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_CRIT);
	ck_assert_uint_eq(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_INFO);
	buf_backend();
	sdk_buf_backend();
	ck_assert_str_eq(shown(), "CEWI");
	ck_assert_str_eq(sdk_shown(), "CEWI");
}
END_TEST

START_TEST(backend_limits)
{
	struct doca_log_backend *backend = buf_backend();

	OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_TRACE));
	ck_assert_str_eq(shown(), "CEWIDT");
	OK(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_WARNING));
	ck_assert_str_eq(shown(), "WIDT");
	OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_WARNING));
	ck_assert_str_eq(shown(), "W");
	OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DISABLE));
	ck_assert_str_eq(shown(), "");
}
END_TEST

START_TEST(global_limits_reach_all_backends)
{
	buf_backend();
	OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG));
	ck_assert_uint_eq(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DEBUG);
	ck_assert_str_eq(shown(), "CEWID");
	OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_ERROR));
	ck_assert_uint_eq(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_ERROR);
	ck_assert_str_eq(shown(), "EWID");
	OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE));
	ck_assert_str_eq(shown(), "");
	/* The limit also applies to backends that are created later. */
	OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_ERROR));
	buf_backend();
	n_records = 0;
	DOCA_LOG_ERR("on both");
	DOCA_LOG_WARN("on none");
	ck_assert_uint_eq(n_records, 2);
}
END_TEST

START_TEST(strict_limits_are_not_relaxed)
{
	struct doca_log_backend *backend = buf_backend();

	OK(doca_log_backend_set_level_lower_limit_strict(backend));
	ck_assert_int_eq(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DEBUG),
			 DOCA_ERROR_NOT_PERMITTED);
	OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	ck_assert_str_eq(shown(), "CEWI");
	OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_WARNING));
	ck_assert_str_eq(shown(), "CEW");
	ck_assert_int_eq(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_INFO),
			 DOCA_ERROR_NOT_PERMITTED);
	OK(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_ERROR));
	OK(doca_log_backend_set_level_upper_limit_strict(backend));
	ck_assert_int_eq(doca_log_backend_set_level_upper_limit(backend, DOCA_LOG_LEVEL_CRIT),
			 DOCA_ERROR_NOT_PERMITTED);
	OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
	ck_assert_str_eq(shown(), "EW");
}
END_TEST

START_TEST(sets_are_separate)
{
	struct doca_log_backend *app = buf_backend(), *sdk = sdk_buf_backend();

	DOCA_LOG_ERR("program");
	ck_assert_uint_eq(n_records, 1);
	ck_assert_uint_eq(n_sdk_records, 0);
	sdk_error("library");
	ck_assert_uint_eq(n_records, 1);
	ck_assert_uint_eq(n_sdk_records, 1);
	ck_assert_ptr_nonnull(strstr(sdk_record, "[DOCA][ERR][DOCOCORE] library\n"));
	OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_CRIT));
	ck_assert_str_eq(sdk_shown(), "CEWI");
	OK(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING));
	ck_assert_str_eq(sdk_shown(), "CEW");
	ck_assert_str_eq(shown(), "C");
	OK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_TRACE));
	ck_assert_uint_eq(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_TRACE);
	ck_assert_str_eq(sdk_shown(), "CEWIDT");
	ck_assert_str_eq(shown(), "C");
	BAD(doca_log_backend_set_sdk_level(app, DOCA_LOG_LEVEL_WARNING));
}
END_TEST

/* Lines of the library in a file, and none of the program's. */
START_TEST(a_file_of_the_library_s)
{
	struct doca_log_backend *sdk;
	FILE *file = tmpfile();
	char line[128];

	ck_assert_ptr_nonnull(file);
	OK(doca_log_backend_create_with_file_sdk(file, &sdk));
	DOCA_LOG_ERR("program");
	sdk_error("library");
	rewind(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	ck_assert_ptr_nonnull(strstr(line, "[DOCA][ERR][DOCOCORE] library\n"));
	ck_assert_ptr_null(fgets(line, sizeof(line), file));
}
END_TEST

START_TEST(only_enumerators_are_levels)
{
	static const uint32_t wrong[] = {0, 1, 9, 11, 19, 25, 71, 80, UINT32_MAX};
	struct doca_log_backend *app = buf_backend(), *sdk = sdk_buf_backend();

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		BAD(doca_log_backend_set_level_lower_limit(app, wrong[i]));
		BAD(doca_log_backend_set_level_upper_limit(app, wrong[i]));
		BAD(doca_log_backend_set_sdk_level(sdk, wrong[i]));
		BAD(doca_log_level_set_global_lower_limit(wrong[i]));
		BAD(doca_log_level_set_global_upper_limit(wrong[i]));
		BAD(doca_log_level_set_global_sdk_limit(wrong[i]));
		BAD(doca_log(wrong[i], log_source, "a.c", 1, "f", "x"));
	}
	BAD(doca_log(DOCA_LOG_LEVEL_DISABLE, log_source, "a.c", 1, "f", "x"));
	ck_assert_str_eq(shown(), "CEWI");
	ck_assert_str_eq(sdk_shown(), "CEWI");
}
END_TEST

START_TEST(wrong_arguments)
{
	struct doca_log_backend *backend = NULL;
	int source = -5, pipe_fds[2];

	BAD(doca_log_backend_create_with_file(NULL, &backend));
	BAD(doca_log_backend_create_with_file(stdout, NULL));
	BAD(doca_log_backend_create_with_file_sdk(NULL, &backend));
	BAD(doca_log_backend_create_with_fd(-1, &backend));
	ck_assert_int_eq(pipe(pipe_fds), 0);
	BAD(doca_log_backend_create_with_fd(pipe_fds[1], NULL));
	BAD(doca_log_backend_create_with_fd_sdk(-1, &backend));
	BAD(doca_log_backend_create_with_buf(NULL, 10, record_collect, &backend));
	BAD(doca_log_backend_create_with_buf(record, 0, record_collect, &backend));
	BAD(doca_log_backend_create_with_buf(record, 10, NULL, &backend));
	BAD(doca_log_backend_create_with_buf(record, 10, record_collect, NULL));
	BAD(doca_log_backend_create_with_buf_sdk(NULL, 10, record_collect, &backend));
	BAD(doca_log_backend_create_with_syslog(NULL, &backend));
	BAD(doca_log_backend_create_with_syslog("x", NULL));
	BAD(doca_log_backend_create_with_syslog_sdk(NULL, &backend));
	ck_assert_ptr_null(backend);
	BAD(doca_log_backend_set_level_lower_limit(NULL, DOCA_LOG_LEVEL_INFO));
	BAD(doca_log_backend_set_level_upper_limit(NULL, DOCA_LOG_LEVEL_INFO));
	BAD(doca_log_backend_set_level_lower_limit_strict(NULL));
	BAD(doca_log_backend_set_level_upper_limit_strict(NULL));
	BAD(doca_log_backend_set_sdk_level(NULL, DOCA_LOG_LEVEL_INFO));
	/* Memory that is no backend. */
	BAD(doca_log_backend_set_sdk_level((struct doca_log_backend *)record, DOCA_LOG_LEVEL_INFO));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "is no log backend"));
	BAD(doca_log_register_source(NULL, &source));
	BAD(doca_log_register_source("", &source));
	BAD(doca_log_register_source("X", NULL));
	ck_assert_int_eq(source, -5);
	BAD(doca_log(DOCA_LOG_LEVEL_INFO, log_source, "a.c", 1, "f", NULL));
}
END_TEST

START_TEST(sources)
{
	static const int unknown[] = {0, -1, INT32_MIN, INT32_MAX, 200, 300, 65536, 65537};
	char name[] = "MINE";
	int mine, again;

	buf_backend();
	OK(doca_log_register_source(name, &mine));
	OK(doca_log_register_source("MINE", &again));
	ck_assert_int_ne(mine, again);
	memset(name, 'x', sizeof(name) - 1); /* the name was copied */
	OK(doca_log(DOCA_LOG_LEVEL_INFO, mine, "a.c", 1, "f", "x"));
	ck_assert_ptr_nonnull(strstr(record, "[MINE]"));
	OK(doca_log_unregister_source(mine));
	n_records = 0;
	BAD(doca_log(DOCA_LOG_LEVEL_INFO, mine, "a.c", 1, "f", "x"));
	BAD(doca_log_unregister_source(mine));
	OK(doca_log(DOCA_LOG_LEVEL_INFO, again, "a.c", 1, "f", "x"));
	for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
		BAD(doca_log(DOCA_LOG_LEVEL_INFO, unknown[i], "a.c", 1, "f", "x"));
		BAD(doca_log(DOCA_LOG_LEVEL_TRACE, unknown[i], "a.c", 1, "f", "x"));
		BAD(doca_log_unregister_source(unknown[i]));
	}
	ck_assert_uint_eq(n_records, 1);
	for (int i = 0; i < 1000; i++) {
		OK(doca_log_register_source("MANY", &mine));
		OK(doca_log(DOCA_LOG_LEVEL_INFO, mine, "a.c", 1, "f", "x"));
	}
	ck_assert_uint_eq(n_records, 1001);
}
END_TEST

START_TEST(sources_run_out)
{
	doca_error_t result = DOCA_SUCCESS;
	int source = 0, last = 0;

	while (result == DOCA_SUCCESS && source <= 100000) {
		last = source;
		result = doca_log_register_source("S", &source);
	}
	ck_assert_int_eq(result, DOCA_ERROR_FULL);
	ck_assert_int_eq(source, 65536);
	ck_assert_int_eq(last, 65536);
	BAD(doca_log(DOCA_LOG_LEVEL_INFO, 65537, "a.c", 1, "f", "x"));
}
END_TEST

START_TEST(macros)
{
	struct doca_log_backend *backend = buf_backend();

	OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_TRACE));
	DOCA_LOG_CRIT("a %d", 1);
	ck_assert_ptr_nonnull(strstr(record, "[CRT][TESTS::LOG][log_test.c:"));
	DOCA_LOG_ERR("a");
	ck_assert_ptr_nonnull(strstr(record, "[ERR]"));
	DOCA_LOG_WARN("a");
	ck_assert_ptr_nonnull(strstr(record, "[WRN]"));
	DOCA_LOG_INFO("a");
	ck_assert_ptr_nonnull(strstr(record, "[INF]"));
	DOCA_LOG_DBG("a");
	ck_assert_ptr_nonnull(strstr(record, "[DBG]"));
	DOCA_LOG_TRC("a");
	ck_assert_ptr_nonnull(strstr(record, "[TRC]"));
	ck_assert_uint_eq(n_records, 6);
}
END_TEST

START_TEST(small_buffers)
{
	struct doca_log_backend *backend;

	memset(record, 'x', sizeof(record));
	OK(doca_log_backend_create_with_buf(record, 20, record_collect, &backend));
	DOCA_LOG_INFO("does not fit");
	ck_assert_uint_eq(strlen(record), 19);
	ck_assert_int_eq(record[0], '[');
	ck_assert_int_eq(record[20], 'x');
	OK(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DISABLE));
	OK(doca_log_backend_create_with_buf(record, 1, record_collect, &backend));
	DOCA_LOG_INFO("does not fit");
	ck_assert_int_eq(record[0], '\0');
	ck_assert_int_eq(record[1], '2');
}
END_TEST

static doca_error_t nested_log, nested_limit;

static void nested_receive(char *buf)
{
	(void)buf;
	n_records++;
	nested_log = doca_log(DOCA_LOG_LEVEL_ERROR, log_source, "a.c", 1, "f", "again");
	nested_limit = doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE);
}

START_TEST(handler_that_logs)
{
	struct doca_log_backend *backend;

	OK(doca_log_backend_create_with_buf(record, sizeof(record), nested_receive, &backend));
	OK(doca_log(DOCA_LOG_LEVEL_ERROR, log_source, "a.c", 1, "f", "once"));
	ck_assert_uint_eq(n_records, 1);
	ck_assert_int_eq(nested_log, DOCA_ERROR_BAD_STATE);
	ck_assert_int_eq(nested_limit, DOCA_ERROR_BAD_STATE);
	OK(doca_log(DOCA_LOG_LEVEL_ERROR, log_source, "a.c", 1, "f", "still works"));
	ck_assert_uint_eq(n_records, 2);
}
END_TEST

static size_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += (size_t)n;
	buf[len] = '\0';
	return len;
}

START_TEST(fd_backend)
{
	struct doca_log_backend *backend;
	char buf[4096];
	int fds[2];

	/* A packet pipe shows the number of writes. */
	ck_assert_int_eq(pipe2(fds, O_DIRECT), 0);
	OK(doca_log_backend_create_with_fd(fds[1], &backend));
	DOCA_LOG_INFO("first");
	DOCA_LOG_INFO("second");
	buf[read(fds[0], buf, sizeof(buf) - 1)] = '\0';
	ck_assert_ptr_nonnull(strstr(buf, "] first\n"));
	ck_assert_ptr_null(strstr(buf, "second"));
	buf[read(fds[0], buf, sizeof(buf) - 1)] = '\0';
	ck_assert_ptr_nonnull(strstr(buf, "] second\n"));
}
END_TEST

START_TEST(fd_backend_sdk_and_bad_fd)
{
	struct doca_log_backend *backend;
	char buf[4096];
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	OK(doca_log_backend_create_with_fd_sdk(fds[1], &backend));
	OK(doca_log_backend_create_with_fd_sdk(1000, &backend));
	sdk_warning("n %d", 3);
	close(fds[1]);
	read_all(fds[0], buf, sizeof(buf));
	ck_assert_ptr_nonnull(strstr(buf, "[WRN][DOCOCORE] n 3\n"));
}
END_TEST

/* Reads a pipe so slowly that a long line is written in parts. */
struct reader {
	int fd;
	char *text;
	size_t len;
};

static void *reader_run(void *arg)
{
	struct reader *reader = arg;
	ssize_t n;

	while ((n = read(reader->fd, reader->text + reader->len, 100)) > 0)
		reader->len += (size_t)n;
	return NULL;
}

START_TEST(long_lines)
{
	enum { LEN = 300000 };
	char *message = malloc(LEN + 1);
	struct reader reader = {.text = malloc(4 * LEN)};
	struct doca_log_backend *backend;
	pthread_t thread;
	int fds[2];

	memset(message, 'y', LEN);
	message[LEN] = '\0';
	ck_assert_int_eq(pipe(fds), 0);
	reader.fd = fds[0];
	ck_assert_int_eq(pthread_create(&thread, NULL, reader_run, &reader), 0);
	OK(doca_log_backend_create_with_fd(fds[1], &backend));
	DOCA_LOG_INFO("%s%s", message, "END");
	/* Every length around that of the fixed buffer. */
	for (int len = 800; len < 1100; len++)
		DOCA_LOG_INFO("%.*s.", len, message);
	close(fds[1]);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	reader.text[reader.len] = '\0';
	ck_assert_ptr_nonnull(strstr(reader.text, "yyyEND\n["));
	ck_assert_ptr_eq(strstr(reader.text, "yyyEND\n") + 7 - LEN - 4,
			 strstr(reader.text, "yyyyyyy"));
	for (char *line = reader.text; *line; line = strchr(line, '\n') + 1) {
		ck_assert_int_eq(line[0], '[');
		ck_assert_ptr_nonnull(strchr(line, '\n'));
	}
	ck_assert_str_eq(reader.text + reader.len - 5, "yyy.\n");
	free(message);
	free(reader.text);
}
END_TEST

START_TEST(full_pipe_does_not_block)
{
	struct doca_log_backend *backend;
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
	OK(doca_log_backend_create_with_fd(fds[1], &backend));
	for (int i = 0; i < 5000; i++)
		OK(doca_log(DOCA_LOG_LEVEL_INFO, log_source, "a.c", 1, "f", "line %d", i));
}
END_TEST

START_TEST(file_backend)
{
	struct doca_log_backend *backend;
	char buf[1024] = "";
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	OK(doca_log_backend_create_with_file(file, &backend));
	DOCA_LOG_INFO("to the file");
	/* Already flushed, so another descriptor can read it. */
	ck_assert_int_gt(pread(fileno(file), buf, sizeof(buf) - 1, 0), 0);
	ck_assert_ptr_nonnull(strstr(buf, "] to the file\n"));
}
END_TEST

START_TEST(standard_backends)
{
	char out_text[4096], err_text[4096];
	int out_fds[2], err_fds[2];

	ck_assert_int_eq(pipe(out_fds), 0);
	ck_assert_int_eq(pipe(err_fds), 0);
	ck_assert_int_ge(dup2(out_fds[1], STDOUT_FILENO), 0);
	ck_assert_int_ge(dup2(err_fds[1], STDERR_FILENO), 0);
	OK(doca_log_backend_create_standard());
	OK(doca_log_backend_create_standard());
	OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_ERROR));
	DOCA_LOG_WARN("hidden");
	OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG));
	DOCA_LOG_CRIT("to err 1;");
	DOCA_LOG_ERR("to err 2;");
	DOCA_LOG_WARN("to err 3;");
	DOCA_LOG_INFO("to out 1;");
	DOCA_LOG_DBG("to out 2;");
	DOCA_LOG_TRC("hidden");
	fflush(stdout);
	for (int fd = 1; fd <= 2; fd++)
		close(fd);
	close(out_fds[1]);
	close(err_fds[1]);
	read_all(out_fds[0], out_text, sizeof(out_text));
	read_all(err_fds[0], err_text, sizeof(err_text));
	ck_assert_ptr_null(strstr(out_text, "to err"));
	ck_assert_ptr_null(strstr(out_text, "hidden"));
	ck_assert_ptr_null(strstr(err_text, "to out"));
	ck_assert_ptr_null(strstr(err_text, "hidden"));
	for (int i = 1; i <= 3; i++) {
		char expect[32], *at;

		snprintf(expect, sizeof(expect), "to err %d;\n", i);
		at = strstr(err_text, expect);
		ck_assert_ptr_nonnull(at);
		ck_assert_ptr_null(strstr(at + 1, expect));
		snprintf(expect, sizeof(expect), "to out %d;\n", i);
		if (i < 3)
			ck_assert_ptr_nonnull(strstr(out_text, expect));
	}
}
END_TEST

START_TEST(syslog_backend)
{
	struct doca_log_backend *app, *sdk;
	char name[] = "prog";

	OK(doca_log_backend_create_with_syslog(name, &app));
	OK(doca_log_backend_create_with_syslog_sdk("lib", &sdk));
	name[0] = 'x';
	OK(doca_log(DOCA_LOG_LEVEL_WARNING, log_source, "a.c", 3, "f", "100%%s"));
	ck_assert_str_eq(syslog_ident, "prog");
	ck_assert_int_eq(syslog_priority, LOG_WARNING);
	ck_assert_str_eq(syslog_text, "[DOCA][WRN][TESTS::LOG][a.c:3][f] 100%s");
	sdk_log(DOCA_LOG_LEVEL_CRIT, "down");
	ck_assert_str_eq(syslog_ident, "lib");
	ck_assert_int_eq(syslog_priority, LOG_CRIT);
	ck_assert_str_eq(syslog_text, "[DOCA][CRT][DOCOCORE] down");
}
END_TEST

#define N_THREADS 4
#define N_LINES   500

static void *logger_run(void *arg)
{
	int id = *(int *)arg, source;

	for (int i = 0; i < N_LINES; i++) {
		DOCA_LOG_INFO("thread %d line %d end", id, i);
		sdk_info("thread %d", id);
		if (i % 50)
			continue;
		OK(doca_log_register_source("THREAD", &source));
		OK(doca_log(DOCA_LOG_LEVEL_INFO, source, "a.c", 1, "f", "extra end"));
		OK(doca_log_unregister_source(source));
		OK(doca_log_level_set_global_sdk_limit(id % 2 ? DOCA_LOG_LEVEL_INFO
							      : DOCA_LOG_LEVEL_ERROR));
	}
	return NULL;
}

START_TEST(many_threads)
{
	struct reader reader = {.text = malloc(2 << 20)};
	struct doca_log_backend *backend;
	pthread_t threads[N_THREADS], reading;
	unsigned n_lines = 0;
	int fds[2], ids[N_THREADS];

	ck_assert_int_eq(pipe(fds), 0);
	reader.fd = fds[0];
	OK(doca_log_backend_create_with_fd(fds[1], &backend));
	sdk_buf_backend();
	ck_assert_int_eq(pthread_create(&reading, NULL, reader_run, &reader), 0);
	for (int i = 0; i < N_THREADS; i++) {
		ids[i] = i;
		ck_assert_int_eq(pthread_create(&threads[i], NULL, logger_run, &ids[i]), 0);
	}
	for (int i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	close(fds[1]);
	ck_assert_int_eq(pthread_join(reading, NULL), 0);
	reader.text[reader.len] = '\0';
	for (char *line = reader.text, *end, *head; *line; line = end + 1, n_lines++) {
		end = strchr(line, '\n');
		ck_assert_ptr_nonnull(end);
		*end = '\0';
		ck_assert_int_eq(line[0], '[');
		ck_assert_str_eq(end - 4, " end");
		/* Each line has one head: lines were not mixed. */
		head = strstr(line, "[DOCA]");
		ck_assert_ptr_nonnull(head);
		ck_assert_ptr_null(strstr(head + 1, "[DOCA]"));
	}
	ck_assert_uint_eq(n_lines, N_THREADS * (N_LINES + N_LINES / 50));
	free(reader.text);
}
END_TEST

/*
 * Runs this program with the level in its environment, and returns its output on standard error:
 * see main().
 */
static char *log_repeated(const char *level)
{
	static char text[512];
	char command[128];
	size_t len;
	FILE *pipe;

	snprintf(command, sizeof(command), "DOCOCORED_LOG=%s exec /proc/%d/exe fail 2>&1", level,
		 (int)getpid());
	pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	len = fread(text, 1, sizeof(text) - 1, pipe);
	text[len] = '\0';
	ck_assert_int_eq(pclose(pipe), 0);
	return text;
}

START_TEST(asked_by_the_environment)
{
	ck_assert_ptr_nonnull(strstr(log_repeated("error"), "it has failed (DOCA_ERROR_EMPTY)\n"));
	ck_assert_ptr_null(strstr(log_repeated("error"), "a detail"));
	ck_assert_ptr_nonnull(strstr(log_repeated("debug"), "a detail\n"));
	ck_assert_str_eq(log_repeated("''"), "");
	ck_assert_str_eq(log_repeated("loud"), "DOCOCORED_LOG=loud: the level is one of error, "
					       "warning, info, debug, trace\n");
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("doca_log");
	TCase *tcase = unit_case(suite, "limits", UNIT_TIMEOUT);

	if (argc > 1 && strcmp(argv[1], "fail") == 0) {
		(void)error_set(DOCA_ERROR_EMPTY, "it has failed");
		sdk_debug("a detail");
		srunner_free(srunner_create(suite));
		return 0;
	}
	tcase_add_test(tcase, silent_without_backend);
	tcase_add_test(tcase, line_form);
	tcase_add_test(tcase, default_limits);
	tcase_add_test(tcase, backend_limits);
	tcase_add_test(tcase, global_limits_reach_all_backends);
	tcase_add_test(tcase, strict_limits_are_not_relaxed);
	tcase_add_test(tcase, sets_are_separate);
	tcase_add_test(tcase, a_file_of_the_library_s);
	tcase_add_test(tcase, only_enumerators_are_levels);
	tcase_add_test(tcase, wrong_arguments);
	tcase_add_test(tcase, sources);
	tcase_add_test(tcase, sources_run_out);
	tcase_add_test(tcase, macros);
	tcase = unit_case(suite, "backends", UNIT_TIMEOUT);
	tcase_add_test(tcase, small_buffers);
	tcase_add_test(tcase, handler_that_logs);
	tcase_add_test(tcase, fd_backend);
	tcase_add_test(tcase, fd_backend_sdk_and_bad_fd);
	tcase_add_test(tcase, long_lines);
	tcase_add_test(tcase, full_pipe_does_not_block);
	tcase_add_test(tcase, file_backend);
	tcase_add_test(tcase, standard_backends);
	tcase_add_test(tcase, syslog_backend);
	tcase_add_test(tcase, asked_by_the_environment);
	tcase_add_test(tcase, many_threads);
	return unit_run(suite);
}
