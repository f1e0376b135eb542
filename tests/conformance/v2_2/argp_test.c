/*
 * doca_argp.h as programs of 2.2 use it: parameters of the types of that version, among them JSON
 * objects, the names of its callbacks, and a gRPC server, which does not exist here. Covers each
 * documented code.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json.h>

#include <doca_argp.h>

#include "tests/conformance/cover.h"
#include "tests/lib/runner.h"

#define BAD(call) RETURNS(DOCA_ERROR_INVALID_VALUE, call)
/* cover_expect() records the API function, although a helper below makes the call. */
#define STARTS(code, call) cover_expect(code, call, "doca_argp_start(", __FILE__, __LINE__)
#define ADDS(code, call)   cover_expect(code, call, "doca_argp_register_param(", __FILE__, __LINE__)

struct config {
	char text[64];
	int number;
	bool flag;
	int from_object;
	unsigned n_validated, n_dpdk;
};

static doca_error_t text_cb(void *param, void *config)
{
	snprintf(((struct config *)config)->text, 64, "%s", (const char *)param);
	return DOCA_SUCCESS;
}

static doca_error_t number_cb(void *param, void *config)
{
	((struct config *)config)->number = *(int *)param;
	return DOCA_SUCCESS;
}

static doca_error_t flag_cb(void *param, void *config)
{
	((struct config *)config)->flag = *(bool *)param;
	return DOCA_SUCCESS;
}

static doca_error_t object_cb(void *param, void *config)
{
	struct json_object *value;

	if (!json_object_object_get_ex(param, "a", &value))
		return DOCA_ERROR_NOT_FOUND;
	((struct config *)config)->from_object = json_object_get_int(value);
	return DOCA_SUCCESS;
}

static doca_error_t validate_cb(void *config)
{
	((struct config *)config)->n_validated++;
	return DOCA_SUCCESS;
}

static doca_error_t version_cb(void *param, void *config)
{
	(void)param;
	(void)config;
	return DOCA_ERROR_SKIPPED;
}

static unsigned n_dpdk;

static doca_error_t dpdk_cb(int argc, char **argv)
{
	(void)argv;
	n_dpdk += (unsigned)argc;
	return DOCA_SUCCESS;
}

static doca_error_t add(const char *short_name, const char *long_name, enum doca_argp_type type,
			callback_func callback)
{
	struct doca_argp_param *param;

	OK(doca_argp_param_create(&param));
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_arguments(param, "<value>");
	doca_argp_param_set_description(param, "what it is");
	doca_argp_param_set_callback(param, callback);
	doca_argp_param_set_type(param, type);
	return doca_argp_register_param(param);
}

static void open_program(struct config *config)
{
	validation_callback validate = validate_cb;
	callback_func version = version_cb;

	OK(doca_argp_init("old_program", config));
	OK(add("t", "text", DOCA_ARGP_TYPE_STRING, text_cb));
	OK(add("n", "number", DOCA_ARGP_TYPE_INT, number_cb));
	OK(add("f", "flag", DOCA_ARGP_TYPE_BOOLEAN, flag_cb));
	OK(add("o", "object", DOCA_ARGP_TYPE_JSON_OBJ, object_cb));
	OK(doca_argp_register_validation_callback(validate));
	OK(doca_argp_register_version_callback(version));
}

static doca_error_t start(char *a, char *b, char *c)
{
	char name[] = "prog";
	char *argv[] = {name, a, b, c, NULL};
	int argc = 1;

	while (argv[argc] != NULL)
		argc++;
	return doca_argp_start(argc, argv);
}

static doca_error_t start_json(const char *text)
{
	char path[64], flag[] = "-j";
	doca_error_t result;
	int fd;

	snprintf(path, sizeof(path), "%s/argp.XXXXXX", runner_dir());
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	result = start(flag, path, NULL);
	unlink(path);
	return result;
}

START_TEST(test_types)
{
	struct config config = {.number = 1};
	char number[] = "--number=-5", text[] = "-t=x y", flag[] = "-f";
	dpdk_callback dpdk = dpdk_cb;
	int level = 0;

	open_program(&config);
	doca_argp_set_dpdk_program(dpdk);
	OK(start(number, text, flag));
	ck_assert_int_eq(config.number, -5);
	ck_assert_str_eq(config.text, "x y");
	ck_assert(config.flag);
	ck_assert_uint_eq(config.n_validated, 1);
	ck_assert_uint_eq(n_dpdk, 1);
	OK(doca_argp_get_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_INFO);
	BAD(doca_argp_get_log_level(NULL));
	OK(doca_argp_destroy());
}
END_TEST

/* Value 4 is a device to programs of 3.1 and later. */
START_TEST(test_json_object)
{
	struct config config = {0};
	char option[] = "-o", text[] = "{\"a\": 43}", list[] = "[1]";

	open_program(&config);
	OK(start_json("{\"object\": {\"a\": 42, \"b\": [1, 2]}, \"number\": 3}"));
	ck_assert_int_eq(config.from_object, 42);
	ck_assert_int_eq(config.number, 3);
	OK(doca_argp_destroy());
	open_program(&config);
	OK(start(option, text, NULL));
	ck_assert_int_eq(config.from_object, 43);
	OK(doca_argp_destroy());
	open_program(&config);
	STARTS(DOCA_ERROR_INVALID_VALUE, start(option, list, NULL));
	OK(doca_argp_destroy());
	open_program(&config);
	STARTS(DOCA_ERROR_INVALID_VALUE, start_json("{\"object\": 42}"));
	OK(doca_argp_destroy());
	/*
	 * Files with sections. An unknown key is no error, because 2.2 has no way to switch that
	 * off.
	 */
	open_program(&config);
	OK(start_json(
		"{\"doca_general_flags\": {\"log-level\": 50, \"x\": 1}, \"y\": 2,"
		" \"doca_program_flags\": {\"object\": {\"a\": 43}, \"number\": 4, \"z\": 3}}"));
	ck_assert_int_eq(config.from_object, 43);
	ck_assert_int_eq(config.number, 4);
	OK(doca_argp_destroy());
	open_program(&config);
	STARTS(DOCA_ERROR_INVALID_VALUE, start_json("{\"number\": {\"a\": 42}}"));
	OK(doca_argp_destroy());
	/* The result of the callback itself is returned. */
	open_program(&config);
	STARTS(DOCA_ERROR_NOT_FOUND, start_json("{\"object\": {}}"));
	OK(doca_argp_destroy());
}
END_TEST

START_TEST(test_errors)
{
	struct config config = {0};
	struct doca_argp_param *param;
	char unknown[] = "--nothing", json[] = "-j", nowhere[] = "/nowhere/at.all";

	BAD(doca_argp_init("", &config));
	open_program(&config);
	/* Types that were added later. */
	ADDS(DOCA_ERROR_INVALID_VALUE, add("d", "device", (enum doca_argp_type)5, text_cb));
	ADDS(DOCA_ERROR_INVALID_VALUE, add("e", "double", (enum doca_argp_type)6, text_cb));
	ADDS(DOCA_ERROR_INVALID_VALUE, add("g", "other", (enum doca_argp_type)64, text_cb));
	ADDS(DOCA_ERROR_INITIALIZATION, add("u", "untyped", DOCA_ARGP_TYPE_UNKNOWN, text_cb));
	ADDS(DOCA_ERROR_INITIALIZATION, add("c", "no-callback", DOCA_ARGP_TYPE_INT, NULL));
	BAD(doca_argp_register_param(NULL));
	BAD(doca_argp_register_validation_callback(NULL));
	BAD(doca_argp_register_version_callback(NULL));
	OK(doca_argp_param_create(&param));
	OK(doca_argp_param_destroy(param));
	BAD(doca_argp_param_destroy(NULL));
	STARTS(DOCA_ERROR_NOT_SUPPORTED, start(unknown, NULL, NULL));
	OK(doca_argp_destroy());
	open_program(&config);
	STARTS(DOCA_ERROR_IO_FAILED, start(json, nowhere, NULL));
	OK(doca_argp_destroy());
}
END_TEST

static struct doca_argp_param *param_new(const char *short_name, const char *long_name)
{
	struct doca_argp_param *param;

	OK(doca_argp_param_create(&param));
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, "what it is");
	doca_argp_param_set_callback(param, number_cb);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);
	return param;
}

/* Three parameters: one is mandatory, one is not allowed in a file, and one may be given twice. */
static void open_strict(struct config *config)
{
	struct doca_argp_param *param;

	OK(doca_argp_init("strict_program", config));
	param = param_new("m", "mandatory");
	doca_argp_param_set_mandatory(param);
	OK(doca_argp_register_param(param));
	param = param_new("c", "cli-only");
	doca_argp_param_set_cli_only(param);
	OK(doca_argp_register_param(param));
	param = param_new("r", "repeated");
	doca_argp_param_set_multiplicity(param);
	OK(doca_argp_register_param(param));
}

START_TEST(test_rules_of_parameters)
{
	struct config config = {0};
	char mandatory[] = "-m=1", repeated[] = "-r=2", again[] = "-r=3";

	open_strict(&config);
	STARTS(DOCA_ERROR_INVALID_VALUE, start(repeated, NULL, NULL));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "mandatory"));
	OK(doca_argp_destroy());
	open_strict(&config);
	OK(start(mandatory, repeated, again));
	ck_assert_int_eq(config.number, 3);
	OK(doca_argp_destroy());
	open_strict(&config);
	STARTS(DOCA_ERROR_INVALID_VALUE, start(mandatory, mandatory, NULL));
	OK(doca_argp_destroy());
	open_strict(&config);
	STARTS(DOCA_ERROR_INVALID_VALUE, start_json("{\"mandatory\": 1, \"cli-only\": 2}"));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "cli-only"));
	OK(doca_argp_destroy());
}
END_TEST

/* The usage goes to the terminal, so a child process requests it. */
START_TEST(test_usage)
{
	struct config config = {0};
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
		open_strict(&config);
		doca_argp_usage();
		fflush(stdout);
		_exit(0);
	}
	close(out[1]);
	while ((n = read(out[0], text + len, sizeof(text) - 1 - (size_t)len)) > 0)
		len += n;
	close(out[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(strstr(text, "Usage: strict_program [DOCA Flags] [Program Flags]") != NULL,
		      "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "--cli-only"));
}
END_TEST

START_TEST(test_no_grpc)
{
	struct config config = {0};
	const char *address = "untouched";
	char number[] = "--number=4";

	open_program(&config);
	doca_argp_set_grpc_program();
	OK(start(number, NULL, NULL));
	ck_assert_int_eq(config.number, 4);
	BAD(doca_argp_get_grpc_addr(&address));
	ck_assert_str_eq(address, "untouched");
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "gRPC"));
	BAD(doca_argp_get_grpc_addr(NULL));
	OK(doca_argp_destroy());
}
END_TEST

START_TEST(test_no_memory)
{
	struct config config = {0};
	char text[] = "-t=x";

	if (!allocount_works)
		return;
	open_program(&config);
	allocount_fail_after(0);
	cover_no_memory(start(text, NULL, NULL), "doca_argp_start(", __FILE__, __LINE__);
	OK(doca_argp_destroy());
}
END_TEST

static const struct documented documented[] = {
	{"doca_argp_get_grpc_addr", "INVALID_VALUE"},
	{"doca_argp_get_log_level", "INVALID_VALUE"},
	{"doca_argp_init", "INVALID_VALUE"},
	{"doca_argp_param_destroy", "INVALID_VALUE"},
	{"doca_argp_register_param", "INVALID_VALUE INITIALIZATION"},
	{"doca_argp_register_validation_callback", "INVALID_VALUE"},
	{"doca_argp_register_version_callback", "INVALID_VALUE"},
	{"doca_argp_start", "NOT_SUPPORTED INVALID_VALUE IO_FAILED NO_MEMORY INITIALIZATION"},
	{NULL, NULL},
};

static const struct unreachable unreachable[] = {
	{"doca_argp_start", "INITIALIZATION", "whatever fails has a code that says more"},
	{NULL, NULL, NULL},
};

/* A sanitizer replaces the allocator by one that does not fail. */
static const struct unreachable unreachable_sanitized[] = {
	{"doca_argp_start", "INITIALIZATION", "whatever fails has a code that says more"},
	{"doca_argp_start", "NO_MEMORY", "allocations cannot be made to fail here"},
	{NULL, NULL, NULL},
};

static bool finish(void)
{
	return cover_report("2.2 doca_argp", documented,
			    allocount_works ? unreachable : unreachable_sanitized);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "argp");

	tcase_add_test(tcase, test_types);
	tcase_add_test(tcase, test_json_object);
	tcase_add_test(tcase, test_errors);
	tcase_add_test(tcase, test_rules_of_parameters);
	tcase_add_test(tcase, test_usage);
	tcase_add_test(tcase, test_no_grpc);
	tcase_add_test(tcase, test_no_memory);
}

int main(void)
{
	cover_init();
	return runner_main("doca_argp of 2.2", add_cases, finish);
}
