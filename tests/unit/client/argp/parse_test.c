/*
 * client/argp: command lines, registration, sub-commands, and every documented error of these
 * functions.
 */
#include <locale.h>

#include "tests/unit/client/argp/fixture.h"

/* --- command lines ------------------------------------------------------------------------- */

START_TEST(forms_of_flags)
{
	program_ready();
	OK(START("-p", "03:00.0", "--number=5", "-pf_f", "-d=1.5", "--double", "-2e3"));
	ck_assert_str_eq(seen.text, "p=03:00.0 n=5 f=1 d=1.500 d=-2000.000 ");
}
END_TEST

START_TEST(values_with_dashes_and_equals)
{
	program_ready();
	OK(START("-n", "-7", "--pci-addr=a=b", "--flag=false"));
	ck_assert_str_eq(seen.text, "n=-7 p=a=b f=0 ");
}
END_TEST

START_TEST(odd_values)
{
	program_ready();
	OK(START("--pci-addr=", "-pf_f", "false", "-n", "0x10"));
	ck_assert_str_eq(seen.text, "p= f=0 n=16 ");
}
END_TEST

START_TEST(nothing_given)
{
	program_ready();
	OK(START());
	ck_assert_str_eq(seen.text, "");
}
END_TEST

START_TEST(dashes_end_flags)
{
	program_ready();
	OK(START("-n", "010", "--", "-n", "2", "--nonsense"));
	ck_assert_str_eq(seen.text, "n=10 ");
}
END_TEST

START_TEST(limits_of_int)
{
	program_ready();
	OK(START("-n", "-2147483648"));
	ck_assert_str_eq(seen.text, "n=-2147483648 ");
}
END_TEST

START_TEST(bad_numbers)
{
	static const char *const wrong[] = {"",   "x",   "5x",         "1.5",
					    " 5", "5 ",  "2147483648", "-2147483649",
					    "0x", "--5", "1e3",        "99999999999999999999"};
	char word[64];

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		program_ready();
		snprintf(word, sizeof(word), "--number=%s", wrong[i]);
		BAD(START("-p", "x", word));
		/* No callback runs unless the whole command line is valid. */
		ck_assert_str_eq(seen.text, "");
		ck_assert_ptr_nonnull(strstr(dococ_last_error(), "--number takes"));
		OK(doca_argp_destroy());
	}
	OK(doca_argp_init("prog", NULL));
}
END_TEST

START_TEST(bad_doubles_and_booleans)
{
	static const char *const wrong[] = {"--double=",    "--double=1,5", "--double=x",
					    "--double=nan", "--double=inf", "--double=1e999",
					    "--double= 1",  "--flag=maybe", "--flag="};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		program_ready();
		BAD(START(wrong[i]));
		OK(doca_argp_destroy());
	}
	OK(doca_argp_init("prog", NULL));
}
END_TEST

START_TEST(unknown_words)
{
	static const char *const wrong[] = {"--nonsense", "-x",        "--p",  "-number", "-",
					    "---",        "word",      "--=5", "-=5",     "--numbe",
					    "-pf",        "--number5", "-nn"};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		program_ready();
		FAILS(START(wrong[i]), NOT_SUPPORTED);
		ck_assert_ptr_nonnull(strstr(dococ_last_error(), wrong[i]));
		OK(doca_argp_destroy());
	}
	OK(doca_argp_init("prog", NULL));
}
END_TEST

START_TEST(missing_values)
{
	program_ready();
	BAD(START("-p"));
	ck_assert_str_eq(dococ_last_error(), "--pci-addr needs a value");
	OK(doca_argp_destroy());
	program_ready();
	BAD(START("-p", "--number", "5"));
	OK(doca_argp_destroy());
	program_ready();
	BAD(START("-p", "--", "5"));
	OK(doca_argp_destroy());
	program_ready();
	BAD(START("--json"));
}
END_TEST

START_TEST(repeated)
{
	program_ready();
	BAD(START("-n", "1", "--number", "2"));
	ck_assert_str_eq(dococ_last_error(), "--number may be given only once");
	OK(doca_argp_destroy());
	program_ready();
	OK(START("-d", "1", "-d=2", "--double=3"));
	ck_assert_str_eq(seen.text, "d=1.000 d=2.000 d=3.000 ");
}
END_TEST

START_TEST(mandatory)
{
	struct doca_argp_param *param = program_begin();

	doca_argp_param_set_mandatory(param);
	OK(doca_argp_register_param(param));
	BAD(START("-n", "1"));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "--pci-addr is mandatory"));
	OK(doca_argp_destroy());
	param = program_begin();
	doca_argp_param_set_mandatory(param);
	OK(doca_argp_register_param(param));
	OK(START("-p", "x"));
}
END_TEST

static void singular_program(void)
{
	struct doca_argp_param *param = program_begin();

	doca_argp_param_set_mandatory(param);
	OK(doca_argp_register_param(param));
	param = param_new("s", "list", DOCA_ARGP_TYPE_BOOLEAN, on_flag);
	doca_argp_param_set_singular(param);
	OK(doca_argp_register_param(param));
}

START_TEST(singular)
{
	singular_program();
	OK(START("-s", "-l", "50"));
	ck_assert_str_eq(seen.text, "f=1 ");
	OK(doca_argp_destroy());
	singular_program();
	BAD(START("-p", "x", "-s"));
	ck_assert_str_eq(dococ_last_error(),
			 "--list must be used alone, but --pci-addr was given, too");
}
END_TEST

START_TEST(callback_that_refuses)
{
	OK(doca_argp_init("prog", &seen));
	OK(doca_argp_register_param(param_new("p", NULL, DOCA_ARGP_TYPE_STRING, on_pci)));
	OK(doca_argp_register_param(param_new(NULL, "number", DOCA_ARGP_TYPE_INT, on_number)));
	memset(&seen, 0, sizeof(seen));
	seen.answer = DOCA_ERROR_TOO_BIG;
	FAILS(doca_argp_start(4, (char *[]){(char *)"prog", (char *)"-p", (char *)"x",
					    (char *)"--number=1", NULL}),
	      TOO_BIG);
	ck_assert_str_eq(seen.text, "p=x ");
}
END_TEST

static doca_error_t validate(void *config)
{
	see(config, "valid ");
	return strstr(((struct seen *)config)->text, "n=13") ? DOCA_ERROR_BAD_CONFIG : DOCA_SUCCESS;
}

static doca_error_t dpdk(int argc, char **argv)
{
	ck_assert_ptr_null(argv[argc]);
	see(&seen, "dpdk");
	for (int i = 0; i < argc; i++)
		see(&seen, ":%s", argv[i]);
	return DOCA_SUCCESS;
}

START_TEST(validation_and_dpdk)
{
	program_ready();
	OK(doca_argp_register_validation_callback(validate));
	doca_argp_set_dpdk_program(dpdk);
	OK(START("-a", "03:00.0", "--", "-n", "1", "--", "-x"));
	ck_assert_str_eq(seen.text, "n=1 valid dpdk:/usr/bin/prog:-a:03:00.0");
	OK(doca_argp_destroy());
	program_ready();
	OK(doca_argp_register_validation_callback(validate));
	doca_argp_set_dpdk_program(dpdk);
	OK(START("-n", "2"));
	ck_assert_str_eq(seen.text, "n=2 valid dpdk:/usr/bin/prog");
	OK(doca_argp_destroy());
	program_ready();
	OK(doca_argp_register_validation_callback(validate));
	doca_argp_set_dpdk_program(dpdk);
	FAILS(START("-n", "13"), BAD_CONFIG);
	ck_assert_str_eq(seen.text, "n=13 valid ");
}
END_TEST

START_TEST(log_levels)
{
	static const struct {
		const char *text;
		int level;
	} good[] = {{"10", 10}, {"20", 20}, {"70", 70}, {"debug", 60}, {"WARNING", 40}};
	static const char *const wrong[] = {"5", "0", "15", "71", "-10", "loud", "", "1000"};
	int level = 0;

	program_ready();
	OK(doca_argp_get_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_INFO);
	OK(START());
	OK(doca_argp_get_sdk_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_INFO);
	OK(doca_argp_destroy());
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		char word[64];

		program_ready();
		snprintf(word, sizeof(word), "--sdk-log-level=%s", good[i].text);
		OK(START("-l", good[i].text, word));
		OK(doca_argp_get_log_level(&level));
		ck_assert_int_eq(level, good[i].level);
		ck_assert_int_eq((int)doca_log_level_get_global_lower_limit(), level);
		OK(doca_argp_get_sdk_log_level(&level));
		ck_assert_int_eq(level, good[i].level);
		ck_assert_int_eq((int)doca_log_level_get_global_sdk_limit(), level);
		OK(doca_argp_destroy());
	}
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		program_ready();
		BAD(START("--log-level", wrong[i]));
		OK(doca_argp_destroy());
	}
	program_ready();
	BAD(doca_argp_get_log_level(NULL));
	BAD(doca_argp_get_sdk_log_level(NULL));
}
END_TEST

START_TEST(decimal_point_in_any_locale)
{
	program_ready();
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		setlocale(LC_ALL, "C");
	OK(START("-d", "1.5"));
	setlocale(LC_ALL, "C");
	ck_assert_ptr_nonnull(strstr(seen.text, "d=1"));
}
END_TEST

/* --- registration and order of calls ------------------------------------------------------- */

START_TEST(before_init)
{
	struct doca_argp_param *param = NULL;
	struct doca_argp_cmd *cmd = NULL;

	FAILS(doca_argp_param_create(&param), BAD_STATE);
	FAILS(doca_argp_cmd_create(&cmd), BAD_STATE);
	FAILS(doca_argp_register_param(NULL), BAD_STATE);
	FAILS(doca_argp_register_cmd(NULL), BAD_STATE);
	FAILS(doca_argp_cmd_register_param(NULL, NULL), BAD_STATE);
	FAILS(doca_argp_cmd_register_cmd(NULL, NULL), BAD_STATE);
	FAILS(doca_argp_param_destroy(NULL), BAD_STATE);
	FAILS(doca_argp_cmd_destroy(NULL), BAD_STATE);
	FAILS(doca_argp_register_version_callback(on_pci), BAD_STATE);
	FAILS(doca_argp_register_validation_callback(validate), BAD_STATE);
	FAILS(doca_argp_register_logger_callback(NULL), BAD_STATE);
	FAILS(doca_argp_disable_logger_callback(), BAD_STATE);
	FAILS(doca_argp_register_dev_open_callback(NULL, NULL), BAD_STATE);
	FAILS(doca_argp_disable_pedantic_config_parsing(), BAD_STATE);
	FAILS(START(), BAD_STATE);
	FAILS(doca_argp_destroy(), BAD_STATE);
	doca_argp_usage();
	doca_argp_set_dpdk_program(dpdk);
	doca_argp_param_set_mandatory(NULL);
	doca_argp_cmd_set_hidden(NULL);
	BAD(doca_argp_init("", NULL));
	OK(doca_argp_init("prog", NULL));
	FAILS(doca_argp_init("prog", NULL), BAD_STATE);
}
END_TEST

START_TEST(null_arguments)
{
	OK(doca_argp_init("prog", NULL));
	BAD(doca_argp_param_create(NULL));
	BAD(doca_argp_cmd_create(NULL));
	BAD(doca_argp_register_param(NULL));
	BAD(doca_argp_register_cmd(NULL));
	BAD(doca_argp_cmd_register_param(NULL, NULL));
	BAD(doca_argp_cmd_register_cmd(NULL, NULL));
	BAD(doca_argp_param_destroy(NULL));
	BAD(doca_argp_cmd_destroy(NULL));
	BAD(doca_argp_register_version_callback(NULL));
	BAD(doca_argp_register_validation_callback(NULL));
	BAD(doca_argp_register_logger_callback(NULL));
	BAD(doca_argp_register_dev_open_callback(NULL, NULL));
	BAD(doca_argp_start(0, (char *[]){NULL}));
	BAD(doca_argp_start(1, NULL));
	BAD(doca_argp_start(1, (char *[]){NULL}));
}
END_TEST

START_TEST(after_start)
{
	struct doca_argp_param *param = NULL, *open;
	struct doca_argp_cmd *cmd = NULL, *open_cmd;

	OK(doca_argp_init("prog", NULL));
	open = param_new("n", NULL, DOCA_ARGP_TYPE_INT, on_number);
	open_cmd = cmd_new("go", validate);
	OK(START());
	FAILS(START(), BAD_STATE);
	FAILS(doca_argp_param_create(&param), BAD_STATE);
	FAILS(doca_argp_register_param(open), BAD_STATE);
	FAILS(doca_argp_cmd_create(&cmd), BAD_STATE);
	FAILS(doca_argp_register_cmd(open_cmd), BAD_STATE);
	FAILS(doca_argp_cmd_register_param(open_cmd, open), BAD_STATE);
	FAILS(doca_argp_register_validation_callback(validate), BAD_STATE);
	OK(doca_argp_param_destroy(open));
	OK(doca_argp_cmd_destroy(open_cmd));
}
END_TEST

START_TEST(incomplete_params)
{
	struct doca_argp_param *param;

	OK(doca_argp_init("prog", NULL));
	FAILS(doca_argp_register_param(param_new(NULL, NULL, DOCA_ARGP_TYPE_INT, on_number)),
	      INITIALIZATION);
	FAILS(doca_argp_register_param(param_new("n", NULL, DOCA_ARGP_TYPE_INT, NULL)),
	      INITIALIZATION);
	FAILS(doca_argp_register_param(param_new("n", NULL, DOCA_ARGP_TYPE_UNKNOWN, on_number)),
	      INITIALIZATION);
	param = param_new("n", NULL, DOCA_ARGP_TYPE_INT, on_number);
	doca_argp_param_set_description(param, NULL);
	FAILS(doca_argp_register_param(param), INITIALIZATION);
	/* The parser owns the parameter in spite of the failure. */
	FAILS(doca_argp_param_destroy(param), BAD_STATE);
	BAD(doca_argp_register_param(
		param_new("n", NULL, (enum doca_argp_type)(DOCA_ARGP_TYPE_DOUBLE + 1), on_number)));
	OK(doca_argp_register_param(param_new("n", NULL, DOCA_ARGP_TYPE_INT, on_number)));
}
END_TEST

START_TEST(names)
{
	static const char *const reserved[] = {"help", "version", "log-level", "sdk-log-level",
					       "json", "",        "-x",        "a=b"};
	struct doca_argp_param *param;

	OK(doca_argp_init("prog", &seen));
	for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
		BAD(doca_argp_register_param(
			param_new(NULL, reserved[i], DOCA_ARGP_TYPE_INT, on_number)));
	BAD(doca_argp_register_param(param_new("j", NULL, DOCA_ARGP_TYPE_INT, on_number)));
	BAD(doca_argp_register_param(param_new("-n", NULL, DOCA_ARGP_TYPE_INT, on_number)));
	param = param_new("n", "number", DOCA_ARGP_TYPE_INT, on_number);
	OK(doca_argp_register_param(param));
	BAD(doca_argp_register_param(param));
	BAD(doca_argp_register_param(param_new("n", NULL, DOCA_ARGP_TYPE_INT, on_number)));
	BAD(doca_argp_register_param(param_new("m", "number", DOCA_ARGP_TYPE_INT, on_number)));
	/* A short name may equal a long one, and a program may use -v. */
	OK(doca_argp_register_param(param_new("number", NULL, DOCA_ARGP_TYPE_INT, on_number)));
	OK(doca_argp_register_param(param_new("v", NULL, DOCA_ARGP_TYPE_STRING, on_pci)));
	/* Texts are copied when a parameter is registered. */
	doca_argp_param_set_long_name(param, "other");
	OK(START("--number", "1", "-number", "2", "-v", "x"));
	ck_assert_str_eq(seen.text, "n=1 n=2 p=x ");
}
END_TEST

START_TEST(param_destroy)
{
	struct doca_argp_param *param;

	OK(doca_argp_init("prog", NULL));
	param = param_new("n", NULL, DOCA_ARGP_TYPE_INT, on_number);
	OK(doca_argp_param_destroy(param));
	BAD(doca_argp_param_destroy(param));
	BAD(doca_argp_register_param(param));
	doca_argp_param_set_mandatory(param);
	param = param_new("n", NULL, DOCA_ARGP_TYPE_INT, on_number);
	OK(doca_argp_register_param(param));
	FAILS(doca_argp_param_destroy(param), BAD_STATE);
	/* A parameter that is never registered is freed with the parser. */
	param_new("m", NULL, DOCA_ARGP_TYPE_INT, on_number);
}
END_TEST

/* --- commands ------------------------------------------------------------------------------ */

START_TEST(commands)
{
	commands_program();
	OK(START("-n", "1", "get", "-m", "2", "-v", "--pci-addr", "x", "-l", "50"));
	ck_assert_str_eq(seen.text, "n=1 GET d=2.000 f=1 p=x ");
	OK(doca_argp_destroy());
	commands_program();
	OK(START("get", "-m=1", "deep", "-n", "text", "-p", "y"));
	ck_assert_str_eq(seen.text, "GET d=1.000 DEEP p=text p=y ");
	OK(doca_argp_destroy());
	commands_program();
	OK(START());
	ck_assert_str_eq(seen.text, "");
	OK(doca_argp_destroy());
	commands_program();
	FAILS(START("fails"), IN_USE);
	ck_assert_str_eq(seen.text, "FAILS ");
}
END_TEST

START_TEST(commands_refused)
{
	commands_program();
	BAD(START("get"));
	ck_assert_str_eq(dococ_last_error(), "-m is mandatory, see --help");
	OK(doca_argp_destroy());
	commands_program();
	FAILS(START("get", "-m=1", "-n", "1"), NOT_SUPPORTED); /* not inherited */
	OK(doca_argp_destroy());
	commands_program();
	FAILS(START("put"), NOT_SUPPORTED);
	OK(doca_argp_destroy());
	commands_program();
	FAILS(START("get", "-m=1", "deep", "deep"), NOT_SUPPORTED);
	OK(doca_argp_destroy());
	commands_program();
	BAD(START("-p", "x", "get", "-p", "y", "-m=1"));
}
END_TEST

START_TEST(command_registration)
{
	struct doca_argp_cmd *a, *b, *cmd;

	OK(doca_argp_init("prog", NULL));
	FAILS(doca_argp_register_cmd(cmd_new(NULL, cmd_get)), INITIALIZATION);
	FAILS(doca_argp_register_cmd(cmd_new("x", NULL)), INITIALIZATION);
	cmd = cmd_new("x", cmd_get);
	doca_argp_cmd_set_description(cmd, NULL);
	FAILS(doca_argp_register_cmd(cmd), INITIALIZATION);
	FAILS(doca_argp_cmd_destroy(cmd), BAD_STATE);
	BAD(doca_argp_register_cmd(cmd_new("-x", cmd_get)));
	cmd = cmd_new("x", cmd_get);
	OK(doca_argp_register_cmd(cmd));
	BAD(doca_argp_register_cmd(cmd));
	BAD(doca_argp_register_cmd(cmd_new("x", cmd_get)));
	a = cmd_new("a", cmd_get);
	b = cmd_new("b", cmd_get);
	OK(doca_argp_cmd_register_cmd(a, b));
	BAD(doca_argp_cmd_register_cmd(b, a));
	cmd = cmd_new("c", cmd_get);
	BAD(doca_argp_cmd_register_cmd(cmd, cmd));
	cmd = cmd_new("d", cmd_get);
	OK(doca_argp_cmd_destroy(cmd));
	BAD(doca_argp_cmd_destroy(cmd));
	BAD(doca_argp_register_cmd(cmd));
	BAD(doca_argp_cmd_register_param(cmd, param_new("n", NULL, DOCA_ARGP_TYPE_INT, on_number)));
	FAILS(doca_argp_cmd_register_param(a, param_new("n", NULL, DOCA_ARGP_TYPE_INT, NULL)),
	      INITIALIZATION);
	cmd = cmd_new("e", cmd_get);
	OK(doca_argp_cmd_register_cmd(cmd, cmd_new("f", cmd_get)));
	OK(doca_argp_cmd_destroy(cmd));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("argp");
	TCase *tcase = unit_case(suite, "command line", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, forms_of_flags);
	tcase_add_test(tcase, values_with_dashes_and_equals);
	tcase_add_test(tcase, odd_values);
	tcase_add_test(tcase, nothing_given);
	tcase_add_test(tcase, dashes_end_flags);
	tcase_add_test(tcase, limits_of_int);
	tcase_add_test(tcase, bad_numbers);
	tcase_add_test(tcase, bad_doubles_and_booleans);
	tcase_add_test(tcase, unknown_words);
	tcase_add_test(tcase, missing_values);
	tcase_add_test(tcase, repeated);
	tcase_add_test(tcase, mandatory);
	tcase_add_test(tcase, singular);
	tcase_add_test(tcase, callback_that_refuses);
	tcase_add_test(tcase, validation_and_dpdk);
	tcase_add_test(tcase, log_levels);
	tcase_add_test(tcase, decimal_point_in_any_locale);
	tcase = unit_case(suite, "registration", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, before_init);
	tcase_add_test(tcase, null_arguments);
	tcase_add_test(tcase, after_start);
	tcase_add_test(tcase, incomplete_params);
	tcase_add_test(tcase, names);
	tcase_add_test(tcase, param_destroy);
	tcase_add_test(tcase, commands);
	tcase_add_test(tcase, commands_refused);
	tcase_add_test(tcase, command_registration);
	return unit_run(suite);
}
