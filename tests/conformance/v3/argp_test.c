/*
 * The current doca_argp.h: parameters of every type that needs no device, commands, the file, the
 * settings of the parser; each documented code.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_dev.h>

#include "tests/conformance/cover.h"
#include "tests/lib/runner.h"

#define BAD(call)  RETURNS(DOCA_ERROR_INVALID_VALUE, call)
#define LATE(call) RETURNS(DOCA_ERROR_BAD_STATE, call)
/* The arguments are those after the program's name. */
#define START(...) start_arguments((const char *const[]){"/usr/bin/prog", ##__VA_ARGS__, NULL})
/* cover_expect() records the API function, although the helper below makes the call. */
#define STARTS(code, ...) \
	cover_expect(code, START(__VA_ARGS__), "doca_argp_start(", __FILE__, __LINE__)

struct config {
	char text[64];
	int number;
	bool flag;
	double ratio;
	unsigned n_validated, n_chosen;
};

static struct config config;
static unsigned n_dpdk, n_messages;

static doca_error_t text_cb(void *param, void *to)
{
	snprintf(((struct config *)to)->text, 64, "%s", (const char *)param);
	return strcmp(param, "refused") == 0 ? DOCA_ERROR_TOO_BIG : DOCA_SUCCESS;
}

static doca_error_t number_cb(void *param, void *to)
{
	((struct config *)to)->number += *(int *)param;
	return DOCA_SUCCESS;
}

static doca_error_t flag_cb(void *param, void *to)
{
	((struct config *)to)->flag = *(bool *)param;
	return DOCA_SUCCESS;
}

static doca_error_t ratio_cb(void *param, void *to)
{
	((struct config *)to)->ratio = *(double *)param;
	return DOCA_SUCCESS;
}

static doca_error_t validate_cb(void *to)
{
	((struct config *)to)->n_validated++;
	return DOCA_SUCCESS;
}

static doca_error_t chosen_cb(void *to)
{
	((struct config *)to)->n_chosen++;
	return DOCA_SUCCESS;
}

static doca_error_t version_cb(void *param, void *to)
{
	(void)param;
	(void)to;
	return DOCA_ERROR_SKIPPED;
}

static doca_error_t dpdk_cb(int argc, char **argv)
{
	(void)argv;
	n_dpdk += (unsigned)argc;
	return DOCA_SUCCESS;
}

static doca_error_t logger_cb(enum doca_log_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	n_messages++;
	return DOCA_SUCCESS;
}

static doca_error_t open_cb(struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev)
{
	(void)usr_ctx;
	return doca_dev_open(devinfo, dev);
}

static doca_error_t start_arguments(const char *const *words)
{
	char **argv = (char **)(uintptr_t)words;
	int argc = 0;

	while (argv[argc] != NULL)
		argc++;
	return doca_argp_start(argc, argv);
}

static struct doca_argp_param *param_new(const char *short_name, const char *long_name,
					 enum doca_argp_type type, doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param = NULL;

	PASSES(doca_argp_param_create(&param));
	CALLED(doca_argp_param_set_short_name(param, short_name));
	CALLED(doca_argp_param_set_long_name(param, long_name));
	CALLED(doca_argp_param_set_arguments(param, "<value>"));
	CALLED(doca_argp_param_set_description(param, "what it is"));
	CALLED(doca_argp_param_set_callback(param, callback));
	CALLED(doca_argp_param_set_type(param, type));
	return param;
}

static struct doca_argp_param *int_new(const char *short_name)
{
	return param_new(short_name, NULL, DOCA_ARGP_TYPE_INT, number_cb);
}

static struct doca_argp_cmd *cmd_new(const char *name, doca_argp_cmd_cb_t callback)
{
	struct doca_argp_cmd *cmd = NULL;

	PASSES(doca_argp_cmd_create(&cmd));
	CALLED(doca_argp_cmd_set_name(cmd, name));
	CALLED(doca_argp_cmd_set_description(cmd, "what it does"));
	CALLED(doca_argp_cmd_set_callback(cmd, callback));
	return cmd;
}

static void open_program(void)
{
	memset(&config, 0, sizeof(config));
	PASSES(doca_argp_init("prog", &config));
	PASSES(doca_argp_register_param(param_new("t", "text", DOCA_ARGP_TYPE_STRING, text_cb)));
	PASSES(doca_argp_register_param(param_new("n", "number", DOCA_ARGP_TYPE_INT, number_cb)));
	PASSES(doca_argp_register_param(param_new("f", "flag", DOCA_ARGP_TYPE_BOOLEAN, flag_cb)));
	PASSES(doca_argp_register_param(param_new("d", "ratio", DOCA_ARGP_TYPE_DOUBLE, ratio_cb)));
}

/* The parser reads the text instead of a command line. */
static doca_error_t start_json(const char *text)
{
	doca_error_t result;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/argp.XXXXXX", runner_dir());
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	result = START("-j", path);
	unlink(path);
	return result;
}

/* --- parameters ---------------------------------------------------------------------------- */

START_TEST(test_types)
{
	int level = 0;

	open_program();
	PASSES(doca_argp_register_validation_callback(validate_cb));
	PASSES(doca_argp_register_version_callback(version_cb));
	CALLED(doca_argp_set_dpdk_program(dpdk_cb));
	STARTS(DOCA_SUCCESS, "--number=-5", "-t=x y", "-f", "-d", "0.5", "-l", "60",
	       "--sdk-log-level=30");
	ck_assert_int_eq(config.number, -5);
	ck_assert_str_eq(config.text, "x y");
	ck_assert(config.flag && config.ratio == 0.5);
	ck_assert_uint_eq(config.n_validated, 1);
	ck_assert_uint_eq(n_dpdk, 1);
	PASSES(doca_argp_get_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_DEBUG);
	PASSES(doca_argp_get_sdk_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_ERROR);
	BAD(doca_argp_get_log_level(NULL));
	BAD(doca_argp_get_sdk_log_level(NULL));
	PASSES(doca_argp_destroy());
}
END_TEST

/*
 * Five parameters: one is mandatory, one may be given twice, one is not allowed in a file, one must
 * be used alone, and one is not shown in the usage.
 */
static void open_strict(void)
{
	struct doca_argp_param *param;

	memset(&config, 0, sizeof(config));
	PASSES(doca_argp_init("prog", &config));
	param = int_new("m");
	CALLED(doca_argp_param_set_mandatory(param));
	PASSES(doca_argp_register_param(param));
	param = int_new("r");
	CALLED(doca_argp_param_set_multiplicity(param));
	PASSES(doca_argp_register_param(param));
	param = param_new("c", "cli-only", DOCA_ARGP_TYPE_INT, number_cb);
	CALLED(doca_argp_param_set_cli_only(param));
	PASSES(doca_argp_register_param(param));
	param = int_new("s");
	CALLED(doca_argp_param_set_singular(param));
	PASSES(doca_argp_register_param(param));
	param = int_new("unseen");
	CALLED(doca_argp_param_set_hidden(param));
	PASSES(doca_argp_register_param(param));
}

START_TEST(test_rules)
{
	open_strict();
	STARTS(DOCA_ERROR_INVALID_VALUE, "-r=1");
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "-m is mandatory"));
	PASSES(doca_argp_destroy());
	open_strict();
	STARTS(DOCA_SUCCESS, "-m=1", "-r=10", "-r=100", "-unseen=1000");
	ck_assert_int_eq(config.number, 1111);
	PASSES(doca_argp_destroy());
	open_strict();
	STARTS(DOCA_ERROR_INVALID_VALUE, "-m=1", "-m=1");
	PASSES(doca_argp_destroy());
	open_strict();
	STARTS(DOCA_SUCCESS, "-s=4");
	ck_assert_int_eq(config.number, 4);
	PASSES(doca_argp_destroy());
	open_strict();
	STARTS(DOCA_ERROR_INVALID_VALUE, "-s=4", "-m=1");
	PASSES(doca_argp_destroy());
	open_strict();
	cover_expect(DOCA_ERROR_INVALID_VALUE, start_json("{\"cli-only\": 1}"), "doca_argp_start(",
		     __FILE__, __LINE__);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "cli-only"));
	PASSES(doca_argp_destroy());
}
END_TEST

START_TEST(test_start)
{
	STARTS(DOCA_ERROR_BAD_STATE, "-n=1");
	open_program();
	STARTS(DOCA_ERROR_NOT_SUPPORTED, "--nothing");
	STARTS(DOCA_ERROR_BAD_STATE, "-n=1");
	PASSES(doca_argp_destroy());
	open_program();
	STARTS(DOCA_ERROR_IO_FAILED, "-j", "/nowhere/at.all");
	PASSES(doca_argp_destroy());
	open_program();
	STARTS(DOCA_ERROR_INVALID_VALUE, "-n=one");
	PASSES(doca_argp_destroy());
	/* The result of the callback itself is returned. */
	open_program();
	STARTS(DOCA_ERROR_TOO_BIG, "-t=refused");
	PASSES(doca_argp_destroy());
	open_program();
	BAD(doca_argp_start(0, NULL));
	PASSES(doca_argp_destroy());
}
END_TEST

/* Keys of a file are checked, unless the program switches that off. */
START_TEST(test_file)
{
	static const char text[] = "{\"doca_program_flags\": {\"number\": 7, \"nothing\": 1}}";

	open_program();
	cover_expect(DOCA_ERROR_NOT_SUPPORTED, start_json(text), "doca_argp_start(", __FILE__,
		     __LINE__);
	PASSES(doca_argp_destroy());
	open_program();
	PASSES(doca_argp_disable_pedantic_config_parsing());
	cover_expect(DOCA_SUCCESS, start_json(text), "doca_argp_start(", __FILE__, __LINE__);
	ck_assert_int_eq(config.number, 7);
	PASSES(doca_argp_destroy());
	open_program();
	cover_expect(DOCA_ERROR_INVALID_VALUE, start_json("{\"number\": "), "doca_argp_start(",
		     __FILE__, __LINE__);
	PASSES(doca_argp_destroy());
}
END_TEST

/* --- registration -------------------------------------------------------------------------- */

START_TEST(test_params)
{
	struct doca_argp_param *param;

	open_program();
	BAD(doca_argp_param_create(NULL));
	BAD(doca_argp_register_param(NULL));
	BAD(doca_argp_param_destroy(NULL));
	BAD(doca_argp_register_param(int_new("n"))); /* taken */
	BAD(doca_argp_register_param(int_new("-x")));
	BAD(doca_argp_register_param(
		param_new("x", NULL, (enum doca_argp_type)(DOCA_ARGP_TYPE_DOUBLE + 1), text_cb)));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_argp_register_param(int_new(NULL)));
	RETURNS(DOCA_ERROR_INITIALIZATION,
		doca_argp_register_param(param_new("x", NULL, DOCA_ARGP_TYPE_INT, NULL)));
	RETURNS(DOCA_ERROR_INITIALIZATION,
		doca_argp_register_param(param_new("x", NULL, DOCA_ARGP_TYPE_UNKNOWN, text_cb)));
	param = int_new("x");
	PASSES(doca_argp_param_destroy(param));
	BAD(doca_argp_param_destroy(param));
	param = int_new("x");
	PASSES(doca_argp_register_param(param));
	LATE(doca_argp_param_destroy(param));
	PASSES(doca_argp_destroy());
}
END_TEST

START_TEST(test_commands)
{
	struct doca_argp_param *param;
	struct doca_argp_cmd *cmd, *below;

	open_program();
	BAD(doca_argp_cmd_create(NULL));
	BAD(doca_argp_cmd_destroy(NULL));
	BAD(doca_argp_register_cmd(NULL));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_argp_register_cmd(cmd_new(NULL, chosen_cb)));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_argp_register_cmd(cmd_new("get", NULL)));
	param = param_new("i", "inherited", DOCA_ARGP_TYPE_INT, number_cb);
	CALLED(doca_argp_param_set_inherited(param));
	PASSES(doca_argp_register_param(param));
	cmd = cmd_new("get", chosen_cb);
	BAD(doca_argp_cmd_register_param(cmd, NULL));
	BAD(doca_argp_cmd_register_param(NULL, int_new("v")));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_argp_cmd_register_param(cmd, int_new(NULL)));
	PASSES(doca_argp_cmd_register_param(cmd, int_new("v")));
	below = cmd_new("all", chosen_cb);
	BAD(doca_argp_cmd_register_cmd(NULL, below));
	BAD(doca_argp_cmd_register_cmd(cmd, NULL));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_argp_cmd_register_cmd(cmd, cmd_new("none", NULL)));
	CALLED(doca_argp_cmd_set_hidden(below));
	PASSES(doca_argp_cmd_register_cmd(cmd, below));
	PASSES(doca_argp_register_cmd(cmd));
	BAD(doca_argp_register_cmd(cmd_new("get", chosen_cb))); /* taken */
	LATE(doca_argp_cmd_destroy(cmd));
	cmd = cmd_new("other", chosen_cb);
	PASSES(doca_argp_cmd_destroy(cmd));
	BAD(doca_argp_cmd_destroy(cmd));
	STARTS(DOCA_SUCCESS, "-n=1", "get", "-v=10", "all", "-i=100");
	ck_assert_int_eq(config.number, 111);
	ck_assert_uint_eq(config.n_chosen, 2);
	PASSES(doca_argp_destroy());
	open_program();
	STARTS(DOCA_ERROR_NOT_SUPPORTED, "get");
	PASSES(doca_argp_destroy());
}
END_TEST

/* --- the parser ---------------------------------------------------------------------------- */

/* Every call before init and after start. */
static void check_order_of_calls(void)
{
	struct doca_argp_param *param = NULL;
	struct doca_argp_cmd *cmd = NULL;

	LATE(doca_argp_param_create(&param));
	LATE(doca_argp_cmd_create(&cmd));
	LATE(doca_argp_register_param(NULL));
	LATE(doca_argp_register_cmd(NULL));
	LATE(doca_argp_cmd_register_param(NULL, NULL));
	LATE(doca_argp_cmd_register_cmd(NULL, NULL));
	LATE(doca_argp_register_version_callback(version_cb));
	LATE(doca_argp_register_validation_callback(validate_cb));
	LATE(doca_argp_register_logger_callback(logger_cb));
	LATE(doca_argp_register_dev_open_callback(open_cb, NULL));
	LATE(doca_argp_disable_pedantic_config_parsing());
	ck_assert(param == NULL && cmd == NULL);
}

START_TEST(test_order)
{
	struct doca_argp_param *param;
	struct doca_argp_cmd *cmd;

	check_order_of_calls();
	LATE(doca_argp_param_destroy(NULL));
	LATE(doca_argp_cmd_destroy(NULL));
	LATE(doca_argp_disable_logger_callback());
	LATE(doca_argp_destroy());
	BAD(doca_argp_init("", &config));
	PASSES(doca_argp_init("prog", &config));
	LATE(doca_argp_init("prog", &config));
	param = int_new("x");
	cmd = cmd_new("x", chosen_cb);
	STARTS(DOCA_SUCCESS);
	check_order_of_calls();
	/* Objects that were never registered can still be destroyed. */
	PASSES(doca_argp_param_destroy(param));
	PASSES(doca_argp_cmd_destroy(cmd));
	PASSES(doca_argp_destroy());
	LATE(doca_argp_destroy());
}
END_TEST

START_TEST(test_settings)
{
	open_program();
	BAD(doca_argp_register_version_callback(NULL));
	BAD(doca_argp_register_validation_callback(NULL));
	BAD(doca_argp_register_logger_callback(NULL));
	BAD(doca_argp_register_dev_open_callback(NULL, NULL));
	PASSES(doca_argp_register_dev_open_callback(open_cb, NULL));
	PASSES(doca_argp_register_logger_callback(logger_cb));
	RETURNS(DOCA_ERROR_ALREADY_EXIST, doca_argp_register_logger_callback(logger_cb));
	ck_assert_uint_eq(n_messages, 1);
	PASSES(doca_argp_disable_logger_callback());
	BAD(doca_argp_register_param(NULL));
	ck_assert_uint_eq(n_messages, 1);
	PASSES(doca_argp_register_logger_callback(logger_cb));
	STARTS(DOCA_ERROR_NOT_SUPPORTED, "--nothing");
	ck_assert_uint_eq(n_messages, 2);
	PASSES(doca_argp_destroy());
	/* The program prints its version itself. */
	open_program();
	PASSES(doca_argp_register_version_callback(version_cb));
	STARTS(DOCA_ERROR_SKIPPED, "--version");
	PASSES(doca_argp_destroy());
}
END_TEST

/* The usage goes to the terminal, so a child process requests it. */
START_TEST(test_usage)
{
	char text[4096] = {0};
	int out[2], status;
	ssize_t n, len = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(out), 0);
	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		dup2(out[1], 1);
		open_strict();
		CALLED(doca_argp_usage());
		fflush(stdout);
		_exit(0);
	}
	close(out[1]);
	while ((n = read(out[0], text + len, sizeof(text) - 1 - (size_t)len)) > 0)
		len += n;
	close(out[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(strstr(text, "Usage: prog [DOCA Flags] [Program Flags]") != NULL, "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "--cli-only"));
	ck_assert_ptr_null(strstr(text, "unseen"));
}
END_TEST

START_TEST(test_no_memory)
{
	struct doca_argp_param *param = NULL;
	struct doca_argp_cmd *cmd = NULL;

	if (!allocount_works)
		return;
	for (unsigned i = 0; i < 3; i++)
		RUNS_OUT(i, doca_argp_init("prog", &config));
	open_program();
	RUNS_OUT(0, doca_argp_param_create(&param));
	RUNS_OUT(0, doca_argp_cmd_create(&cmd));
	ck_assert(param == NULL && cmd == NULL);
	/* When a setter has no memory for a text, the registration of the parameter detects it. */
	PASSES(doca_argp_param_create(&param));
	allocount_fail_after(0);
	doca_argp_param_set_short_name(param, "x");
	allocount_fail_never();
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_argp_register_param(param));
	allocount_fail_after(0);
	cover_no_memory(START("-t=x"), "doca_argp_start(", __FILE__, __LINE__);
	PASSES(doca_argp_destroy());
}
END_TEST

static const struct unreachable unreachable[] = {
	{"doca_argp_start", "INITIALIZATION", "what is registered was checked when it was"},
	{NULL, NULL, NULL},
};

static bool finish(void)
{
	return cover_report("doca_argp", documented_doca_argp, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "argp");

	tcase_add_test(tcase, test_types);
	tcase_add_test(tcase, test_rules);
	tcase_add_test(tcase, test_start);
	tcase_add_test(tcase, test_file);
	tcase_add_test(tcase, test_params);
	tcase_add_test(tcase, test_commands);
	tcase_add_test(tcase, test_order);
	tcase_add_test(tcase, test_settings);
	tcase_add_test(tcase, test_usage);
	tcase_add_test(tcase, test_no_memory);
}

int main(void)
{
	cover_init();
	return runner_main("doca_argp", add_cases, finish);
}
