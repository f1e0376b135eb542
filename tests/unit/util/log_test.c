/* util/log: one line per message whatever a name contains, levels, journal prefix, %m. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "util/log.h"

static int log_pipe[2];
static char captured[16384];

static void capture_begin(void)
{
	ck_assert_int_eq(pipe2(log_pipe, O_CLOEXEC | O_NONBLOCK), 0);
	ck_assert_int_eq(dup2(log_pipe[1], STDERR_FILENO), STDERR_FILENO);
}

static const char *capture(void)
{
	ssize_t n = read(log_pipe[0], captured, sizeof(captured) - 1);

	captured[n < 0 ? 0 : n] = '\0';
	return captured;
}

START_TEST(levels)
{
	enum log_level level = LOG_LEVEL_INFO;

	capture_begin();
	log_debug("hidden");
	ck_assert_str_eq(capture(), "");
	for (int i = LOG_LEVEL_ERROR; i <= LOG_LEVEL_DEBUG; i++) {
		ck_assert_int_eq(log_level_parse(log_level_name((enum log_level)i), &level), 0);
		ck_assert_int_eq((int)level, i);
	}
	ck_assert_int_eq(log_level_parse("Error", &level), -EINVAL);
	ck_assert_int_eq(log_level_parse("", &level), -EINVAL);
	ck_assert_int_eq((int)level, LOG_LEVEL_DEBUG);
	log_set_level(LOG_LEVEL_DEBUG);
	log_debug("shown %d", 7);
	ck_assert_ptr_nonnull(strstr(capture(), " debug shown 7\n"));
	log_set_level(LOG_LEVEL_ERROR);
	log_warning("hidden");
	ck_assert_str_eq(capture(), "");
	ck_assert_int_eq((int)log_get_level(), LOG_LEVEL_ERROR);
}
END_TEST

START_TEST(line_form)
{
	int year, n = 0;

	capture_begin();
	log_set_ident("dococored[host]");
	errno = ENOENT;
	log_error("open failed: %m");
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(sscanf(capture(), "%d-%*2d-%*2dT%*2d:%*2d:%*2d.%*3dZ%n", &year, &n), 1);
	ck_assert_int_eq(n, 24);
	ck_assert_str_eq(captured + n,
			 " error dococored[host]: open failed: No such file or directory\n");
	log_set_journal(1);
	log_warning("w");
	ck_assert_str_eq(capture(), "<4>dococored[host]: w\n");
	log_set_ident(NULL);
	log_info("i");
	ck_assert_str_eq(capture(), "<6>i\n");
}
END_TEST

START_TEST(text_forges_no_line)
{
	static char longer[5000];

	capture_begin();
	log_set_journal(1);
	log_info("name %s", "a\n<3>b\r\x1b[2J\x7f");
	ck_assert_str_eq(capture(), "<6>name a?<3>b??[2J?\n");
	/* Some terminals take these bytes for the start of a control sequence. */
	log_info("name %s", "c\x9b"
			    "2J\xc3\xa9~");
	ck_assert_str_eq(capture(), "<6>name c?2J??~\n");
	memset(longer, 'x', sizeof(longer) - 1);
	log_info("%s", longer);
	ck_assert_ptr_nonnull(strstr(capture(), "x...\n"));
	ck_assert_uint_lt(strlen(captured), 2049);
	ck_assert_ptr_eq(strchr(captured, '\n'), captured + strlen(captured) - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log");
	TCase *tcase = unit_case(suite, "log", UNIT_TIMEOUT);

	tcase_add_test(tcase, levels);
	tcase_add_test(tcase, line_form);
	tcase_add_test(tcase, text_forges_no_line);
	return unit_run(suite);
}
