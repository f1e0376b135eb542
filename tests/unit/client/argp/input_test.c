/*
 * client/argp: parameter files, devices, and the parser's output. The help and version flags end
 * the process, so they run in a child whose output is captured.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/client/argp/fixture.h"

/* --- parameter files ----------------------------------------------------------------------- */

static char json_path[64];

static char *json_file(const char *text, size_t len)
{
	int fd = unit_mkstemp(json_path, sizeof(json_path), "json");

	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	close(fd);
	return json_path;
}

#define JSON(text) json_file(text, sizeof(text) - 1)

static doca_error_t start_json(const char *text, size_t len)
{
	doca_error_t result = START("-j", json_file(text, len));

	unlink(json_path);
	return result;
}

#define START_JSON(text) start_json(text, sizeof(text) - 1)

START_TEST(json_values)
{
	int level;

	program_ready();
	OK(START_JSON("// comment\n{\n\t\"pci-addr\": \"03:00.0\", \"number\": -5, /* c */\n"
		      "\t\"flag\": true, \"double\": [1, 2.5, \"3\"], \"log-level\": 60,\n"
		      "\t\"sdk-log-level\": \"error\"\n}\n\n"));
	ck_assert_str_eq(seen.text, "p=03:00.0 n=-5 f=1 d=1.000 d=2.500 d=3.000 ");
	OK(doca_argp_get_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_DEBUG);
	OK(doca_argp_get_sdk_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_ERROR);
}
END_TEST

START_TEST(json_command_line_wins)
{
	program_ready();
	OK(START("-n", "1", "--json", JSON("{\"number\": 2, \"flag\": \"no\"}")));
	unlink(json_path);
	ck_assert_str_eq(seen.text, "n=1 f=0 ");
}
END_TEST

START_TEST(json_mandatory_and_commands)
{
	commands_program();
	OK(START("get", "-j", JSON("{\"val\": true, \"number\": 3}"), "-m", "1"));
	unlink(json_path);
	ck_assert_str_eq(seen.text, "GET d=1.000 f=1 n=3 ");
	OK(doca_argp_destroy());
	commands_program();
	FAILS(START_JSON("{\"val\": true}"), NOT_SUPPORTED);
}
END_TEST

START_TEST(json_refused)
{
	static const struct {
		const char *text, *sentence;
	} wrong[] = {
		{"", "not valid JSON"},
		{"{", "not valid JSON"},
		{"{\"number\": 1,,}", "not valid JSON"},
		{"{\n\n\"number\": x}", ":3: not valid JSON"},
		{"[1]", "one object"},
		{"5", "one object"},
		{"{\"number\": 1} 2", "one object"},
		{"{\"number\": 1.5}", "--number takes"},
		{"{\"number\": 99999999999}", "--number takes"},
		{"{\"number\": true}", "--number takes"},
		{"{\"number\": null}", "type null"},
		{"{\"number\": {}}", "type object"},
		{"{\"number\": [1]}", "not an array"},
		{"{\"double\": [[1]]}", "type array"},
		{"{\"flag\": 7}", "--flag takes"},
		{"{\"log-level\": 55}", "--log-level takes"},
		{"{\"pci-addr\": \"a\\u0000b\"}", "NUL"},
		{"{\"help\": true}", "command line only"},
		{"{\"json\": \"x\"}", "command line only"},
		{"{\"double\":[[[[[[[[[[[[1]]]]]]]]]]]]}", "not valid JSON"},
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		program_ready();
		ck_assert_msg(start_json(wrong[i].text, strlen(wrong[i].text)) ==
				      DOCA_ERROR_INVALID_VALUE,
			      "%s", wrong[i].text);
		ck_assert_msg(strstr(dococ_last_error(), wrong[i].sentence) != NULL, "%s gives %s",
			      wrong[i].text, dococ_last_error());
		ck_assert_str_eq(seen.text, "");
		OK(doca_argp_destroy());
	}
	OK(doca_argp_init("prog", NULL));
}
END_TEST

START_TEST(json_unreadable)
{
	program_ready();
	FAILS(START("-j", "/nonexistent/file.json"), IO_FAILED);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "No such file or directory"));
	OK(doca_argp_destroy());
	program_ready();
	FAILS(START("-j", "/tmp"), IO_FAILED);
	OK(doca_argp_destroy());
	program_ready();
	FAILS(START("-j", "/dev/zero"), IO_FAILED);
	OK(doca_argp_destroy());
	program_ready();
	BAD(START("-j", "/nonexistent/file.json", "-j", "b"));
}
END_TEST

START_TEST(json_large_and_cli_only)
{
	size_t len = 100000;
	char *text = malloc(len);
	struct doca_argp_param *param;

	memset(text, ' ', len);
	memcpy(text, "{\"number\":", 10);
	memcpy(text + len - 2, "5}", 2);
	program_ready();
	OK(start_json(text, len));
	ck_assert_str_eq(seen.text, "n=5 ");
	OK(doca_argp_destroy());
	free(text);
	param = program_begin();
	doca_argp_param_set_cli_only(param);
	OK(doca_argp_register_param(param));
	BAD(START_JSON("{\"pci-addr\": \"x\"}"));
	OK(doca_argp_destroy());
	program_ready();
	FAILS(START_JSON("{\"nonsense\": 1}"), NOT_SUPPORTED);
	OK(doca_argp_destroy());
	program_ready();
	OK(doca_argp_disable_pedantic_config_parsing());
	OK(START_JSON("{\"nonsense\": {\"a\": 1}, \"number\": 1}"));
	ck_assert_str_eq(seen.text, "n=1 ");
}
END_TEST

/* --- sections ------------------------------------------------------------------------------ */

static doca_error_t dpdk(int argc, char **argv)
{
	ck_assert_ptr_null(argv[argc]);
	see(&seen, "dpdk");
	for (int i = 0; i < argc; i++)
		see(&seen, "|%s", argv[i]);
	return DOCA_SUCCESS;
}

/* A file in the style of DOCA programs. */
static const char standard_file[] =
	"{\n"
	"\t\"doca_dpdk_flags\": {\n"
	"\t\t// -a\n"
	"\t\t\"devices\": [\n"
	"\t\t\t{\"device\": \"sf\", \"id\": \"2\", \"sft\": true},\n"
	"\t\t\t{\"device\": \"pf\", \"id\": \"03:00.0,dv_flow_en=2\"},\n"
	"\t\t\t{\"device\": \"sf\", \"id\": 3}\n"
	"\t\t],\n"
	"\t\t\"core-list\": \"0-3\",\n"
	"\t\t\"flags\": \" --in-memory  -n 4 \"\n"
	"\t},\n"
	"\t\"doca_general_flags\": {\"log-level\": 60, \"sdk-log-level\": 40},\n"
	"\t\"doca_program_flags\": {\n"
	"\t\t\"number\": 128,\n"
	"\t\t\"pci-addr\": \"03:00.0\",\n"
	"\t\t\"double\": [1, 2]\n"
	"\t}\n"
	"}\n";

static doca_error_t start_standard(const char *first, const char *second, const char *third,
				   const char *fourth)
{
	doca_error_t result = start_arguments((const char *const[]){
		"prog", "-j", json_file(standard_file, sizeof(standard_file) - 1), first, second,
		third, fourth, NULL});

	unlink(json_path);
	return result;
}

START_TEST(sections_read)
{
	int level;

	program_ready();
	OK(start_standard(NULL, NULL, NULL, NULL));
	ck_assert_str_eq(seen.text, "n=128 p=03:00.0 d=1.000 d=2.000 ");
	OK(doca_argp_get_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_DEBUG);
	OK(doca_argp_get_sdk_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_WARNING);
	OK(doca_argp_destroy());
	program_ready();
	OK(start_standard("-n", "7", "-l", "30"));
	ck_assert_str_eq(seen.text, "n=7 p=03:00.0 d=1.000 d=2.000 ");
	OK(doca_argp_get_log_level(&level));
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_ERROR);
}
END_TEST

#define DEVICE_WORDS \
	"-a|auxiliary:mlx5_core.sf.2|-a|03:00.0,dv_flow_en=2|-a|auxiliary:mlx5_core.sf.3|"

START_TEST(sections_of_dpdk)
{
	program_ready();
	doca_argp_set_dpdk_program(dpdk);
	OK(start_standard(NULL, NULL, NULL, NULL));
	ck_assert_str_eq(seen.text, "n=128 p=03:00.0 d=1.000 d=2.000 dpdk|prog|" DEVICE_WORDS
				    "-l|0-3|--in-memory|-n|4");
	OK(doca_argp_destroy());
	/* The command line's flags come last, and its list of cores replaces the file's. */
	program_ready();
	doca_argp_set_dpdk_program(dpdk);
	OK(start_arguments(
		(const char *const[]){"prog", "-l", "1", "-n", "2", "--", "-j",
				      json_file(standard_file, sizeof(standard_file) - 1), NULL}));
	unlink(json_path);
	ck_assert_str_eq(seen.text, "n=128 p=03:00.0 d=1.000 d=2.000 dpdk|prog|" DEVICE_WORDS
				    "--in-memory|-n|4|-l|1|-n|2");
}
END_TEST

static const struct {
	const char *text, *sentence;
	doca_error_t code;
} section_faults[] = {
	{"{\"a\": 1}", ":1: \"a\" is no parameter", DOCA_ERROR_NOT_SUPPORTED},
	{"{\n\"doca_general_flags\": {},\n\"doca_program_flags\": {\"number\": 1,\n\"b\": 1}}",
	 ":4: \"b\" of doca_program_flags is no parameter", DOCA_ERROR_NOT_SUPPORTED},
	/* Texts, comments and other nesting levels that resemble the key are ignored. */
	{"{/* \"b\": */ \"number\": \"1\", \"pci-addr\": \"\\\"b\\\":\",\n"
	 "\"doca_general_flags\": {\"log-level\": 60},\n"
	 "\"doca_program_flags\": {// \"b\":\n\"b\": 1}}",
	 ":4: \"b\" of", DOCA_ERROR_NOT_SUPPORTED},
	{"{\"doca_program_flags\": {\"\\u0062\": 1}}", "XX: \"b\" of doca_program_flags",
	 DOCA_ERROR_NOT_SUPPORTED},
	{"{\"doca_program_flags\": 5}", "\"doca_program_flags\" is no parameter",
	 DOCA_ERROR_NOT_SUPPORTED},
	{"{\"doca_other_flags\": {}}", "\"doca_other_flags\" is no parameter",
	 DOCA_ERROR_NOT_SUPPORTED},
	{"{\"doca_dpdk_flags\": {\"cores\": 1}}", ":1: \"cores\" of doca_dpdk_flags is none of",
	 DOCA_ERROR_NOT_SUPPORTED},
	{"{\"number\": 1, \"doca_program_flags\": {\"number\": 1}}", "a second time",
	 DOCA_ERROR_INVALID_VALUE},
	{"{\"doca_program_flags\": {\"number\": {}}}", "type object", DOCA_ERROR_INVALID_VALUE},
	{"{\"doca_general_flags\": {\"help\": true}}", "command line only",
	 DOCA_ERROR_INVALID_VALUE},
	{"{\"doca_dpdk_flags\": {\"devices\": \"x\"}}", "takes an array", DOCA_ERROR_INVALID_VALUE},
	{"{\"doca_dpdk_flags\": {\"devices\": [1]}}", "no object", DOCA_ERROR_INVALID_VALUE},
	{"{\"doca_dpdk_flags\": {\"devices\": [{\"device\": \"sf\"}]}}", "with an \"id\"",
	 DOCA_ERROR_INVALID_VALUE},
	{"{\"doca_dpdk_flags\": {\"devices\": [{\"id\": \"\"}]}}", "empty or too long",
	 DOCA_ERROR_INVALID_VALUE},
	{"{\"doca_dpdk_flags\": {\"core-list\": null}}", "type null", DOCA_ERROR_INVALID_VALUE},
	{"{\"doca_dpdk_flags\": {\"flags\": [1]}}", "type array", DOCA_ERROR_INVALID_VALUE},
};

START_TEST(sections_refused)
{
	for (size_t i = 0; i < ARRAY_LEN(section_faults); i++) {
		const char *text = section_faults[i].text, *sentence = section_faults[i].sentence;
		char place[128];

		program_ready();
		doca_argp_set_dpdk_program(dpdk);
		ck_assert_msg(start_json(text, strlen(text)) == section_faults[i].code, "%s", text);
		/* XX: the sentence has no line number, only the path. */
		snprintf(place, sizeof(place), "%s%s", !strncmp(sentence, "XX", 2) ? json_path : "",
			 sentence + (!strncmp(sentence, "XX", 2) ? 2 : 0));
		ck_assert_msg(strstr(dococ_last_error(), place) != NULL, "%s gives %s", text,
			      dococ_last_error());
		ck_assert_str_eq(seen.text, "");
		OK(doca_argp_destroy());
	}
	OK(doca_argp_init("prog", NULL));
}
END_TEST

START_TEST(sections_lenient)
{
	struct doca_argp_param *param;

	program_ready();
	OK(doca_argp_disable_pedantic_config_parsing());
	OK(START_JSON("{\"doca_program_flags\": {\"b\": {\"x\": 1}, \"number\": 1}, \"c\": 2}"));
	ck_assert_str_eq(seen.text, "n=1 ");
	OK(doca_argp_destroy());
	/* A parameter may have the name of a section. */
	program_ready();
	param = param_new(NULL, "doca_dpdk_flags", DOCA_ARGP_TYPE_STRING, on_pci);
	OK(doca_argp_register_param(param));
	OK(START_JSON("{\"doca_dpdk_flags\": \"x\"}"));
	ck_assert_str_eq(seen.text, "p=x ");
}
END_TEST

/* --- devices ------------------------------------------------------------------------------- */

START_TEST(device_names)
{
	program_ready();
	OK(START("-a", "03:00.0", "-a", "pci/0000:03:00.1,x=1,y=2", "-a", "mlx5_1", "-a",
		 "ibdev/mlx5_0", "-a", "iface/p1,", "-a", "p0"));
	ck_assert_str_eq(seen.text, "dev=0000:03:00.0() dev=0000:03:00.1(x=1,y=2) "
				    "dev=0000:03:00.1() dev=0000:03:00.0() dev=0000:03:00.1() "
				    "dev=0000:03:00.0() ");
	ck_assert_int_eq(n_open, 6);
}
END_TEST

START_TEST(device_refused)
{
	static const char *const wrong[] = {"",       "0b:00.0", "ibdev/p0", "iface/mlx5_0",
					    "pci/p0", ","};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		program_ready();
		BAD(START("--dev", wrong[i]));
		ck_assert_ptr_nonnull(
			strstr(dococ_last_error(), "there are: 0000:03:00.0 0000:03:00.1"));
		OK(doca_argp_destroy());
	}
	list_result = DOCA_ERROR_NOT_CONNECTED;
	program_ready();
	FAILS(START("-a", "03:00.0"), NOT_CONNECTED);
	ck_assert_int_eq(n_open, 0);
}
END_TEST

START_TEST(representor_names)
{
	program_ready();
	OK(START("-r", "03:00.0,0b:00.0", "-r", "mlx5_0,VUID-C,k=v,l", "-r", "pci/03:00.0,pf0vf0",
		 "-r", "p0,iface/pf0sf0", "-r", "p0,vuid/VUID-A", "-r", "p0,pci/0000:0B:00.2"));
	ck_assert_str_eq(seen.text,
			 "rep=0000:03:00.0,0000:0b:00.0() rep=0000:03:00.0,0000:03:00.4(k=v,l) "
			 "rep=0000:03:00.0,0000:0b:00.2() rep=0000:03:00.0,0000:03:00.4() "
			 "rep=0000:03:00.0,0000:0b:00.0() rep=0000:03:00.0,0000:0b:00.2() ");
	ck_assert_int_eq(n_open, 6);
	ck_assert_int_eq(n_reps_open, 6);
}
END_TEST

START_TEST(representor_refused)
{
	static const char *const wrong[] = {"03:00.0", "03:00.0,", "03:00.0,pf1", "0b:00.0,pf0",
					    "p0,vuid/pf0"};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		program_ready();
		BAD(START("-r", wrong[i]));
		OK(doca_argp_destroy());
	}
	/* Everything that was opened before the failure is closed again. */
	ck_assert_int_eq(n_open, 0);
	ck_assert_int_eq(n_reps_open, 0);
	program_ready();
}
END_TEST

static doca_error_t open_own(struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev)
{
	ck_assert_str_eq(usr_ctx, "ctx");
	see(&seen, "open ");
	return devinfo == &infos[1] ? DOCA_ERROR_NOT_PERMITTED : doca_dev_open(devinfo, dev);
}

START_TEST(device_open_callback)
{
	program_ready();
	OK(doca_argp_register_dev_open_callback(open_own, (void *)"ctx"));
	FAILS(START("-a", "p0", "-r", "p0,pf0", "-a", "p1"), NOT_PERMITTED);
	ck_assert_str_eq(seen.text, "open dev=0000:03:00.0() open "
				    "rep=0000:03:00.0,0000:0b:00.0() open ");
}
END_TEST

/* --- messages ------------------------------------------------------------------------------ */

static char message[512], app_record[512], sdk_record[512];
static unsigned n_messages;

static doca_error_t logger(enum doca_log_level level, const char *format, va_list args)
{
	ck_assert_int_eq(level, DOCA_LOG_LEVEL_ERROR);
	vsnprintf(message, sizeof(message), format, args);
	n_messages++;
	return DOCA_SUCCESS;
}

static void no_handler(char *buf)
{
	(void)buf;
}

START_TEST(logger_callback)
{
	OK(doca_argp_init("prog", NULL));
	OK(doca_argp_register_logger_callback(logger));
	FAILS(doca_argp_register_logger_callback(logger), ALREADY_EXIST);
	ck_assert_uint_eq(n_messages, 1);
	OK(doca_argp_disable_logger_callback());
	BAD(doca_argp_register_param(NULL));
	ck_assert_uint_eq(n_messages, 1);
	OK(doca_argp_register_logger_callback(logger));
	FAILS(START("--100%s"), NOT_SUPPORTED);
	ck_assert_str_eq(message, "unknown flag --100%s, see --help");
	ck_assert_str_eq(message, dococ_last_error());
	ck_assert_uint_eq(n_messages, 2);
}
END_TEST

START_TEST(messages_reach_a_backend)
{
	struct doca_log_backend *backend;

	OK(doca_argp_init("prog", NULL));
	OK(doca_log_backend_create_with_buf(app_record, sizeof(app_record), no_handler, &backend));
	BAD(doca_argp_register_param(NULL));
	ck_assert_ptr_nonnull(strstr(app_record, "[ERR][ARGP] doca_argp_register_param: "));
	app_record[0] = '\0';
	OK(doca_log_backend_create_with_buf_sdk(sdk_record, sizeof(sdk_record), no_handler,
						&backend));
	BAD(doca_argp_register_param(NULL));
	ck_assert_str_eq(app_record, "");
	ck_assert_ptr_nonnull(strstr(sdk_record, "[ERR][DOCOCORE] doca_argp_register_param: "));
}
END_TEST

/* --- help and version ---------------------------------------------------------------------- */

static char output[8192];

static doca_error_t version_own(void *param, void *config)
{
	ck_assert_ptr_eq(config, &seen);
	ck_assert(*(bool *)param);
	printf("own version\n");
	return DOCA_SUCCESS;
}

static doca_error_t version_cleans_up(void *param, void *config)
{
	(void)param;
	(void)config;
	if (doca_argp_destroy() != DOCA_SUCCESS)
		_exit(3);
	return DOCA_ERROR_AGAIN;
}

static void help_program(void)
{
	struct doca_argp_param *param = program_begin();

	doca_argp_param_set_arguments(param, "<ADDR>");
	doca_argp_param_set_description(param, "first line\nsecond line");
	OK(doca_argp_register_param(param));
	param = param_new("hid", "hidden-one", DOCA_ARGP_TYPE_INT, on_number);
	doca_argp_param_set_hidden(param);
	OK(doca_argp_register_param(param));
	OK(doca_argp_register_param(param_new("long", "a-name-that-is-too-long-for-its-column",
					      DOCA_ARGP_TYPE_INT, on_number)));
	OK(doca_argp_register_param(param_new("l", "mine", DOCA_ARGP_TYPE_INT, on_number)));
}

/* Runs the words in a child. Returns its exit status, or 100 if doca_argp_start() returned. */
static int child_run(void (*program)(void), doca_argp_param_cb_t version, const char *const *words)
{
	int fds[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		program();
		if (version)
			OK(doca_argp_register_version_callback(version));
		_exit(start_arguments(words) == DOCA_ERROR_AGAIN ? 101 : 100);
	}
	close(fds[1]);
	while ((n = read(fds[0], output + len, sizeof(output) - 1 - len)) > 0)
		len += (size_t)n;
	output[len] = '\0';
	close(fds[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "status %x", status);
	return WEXITSTATUS(status);
}

#define CHILD(program, version, ...) \
	child_run(program, version, (const char *const[]){"/x/prog", ##__VA_ARGS__, NULL})

START_TEST(help)
{
	ck_assert_int_eq(CHILD(help_program, NULL, "-n", "1", "-h", "--nonsense"), 0);
	ck_assert_ptr_eq(
		strstr(output, "Usage: prog [DOCA Flags] [Program Flags]\n\nDOCA Flags:\n"),
		output);
	ck_assert_ptr_nonnull(strstr(output, "\n  -h, --help                        Show"));
	ck_assert_ptr_nonnull(strstr(output, "\n  -j, --json <path>                 Read"));
	/* Here -l belongs to the program. */
	ck_assert_ptr_nonnull(strstr(output, "\n  --log-level <level> "));
	ck_assert_ptr_nonnull(strstr(output, "\n\nProgram Flags:\n  -n, --number  "));
	ck_assert_ptr_nonnull(strstr(output, "\n  -p, --pci-addr <ADDR>             first line\n"
					     "                                    second line\n"));
	ck_assert_ptr_nonnull(strstr(output, "\n  -long, --a-name-that-is-too-long-for-its-column\n"
					     "                                    what it is\n"));
	ck_assert_ptr_null(strstr(output, "hid"));
	ck_assert_ptr_null(strstr(output, "Command"));
}
END_TEST

START_TEST(help_of_commands)
{
	ck_assert_int_eq(CHILD(commands_program, NULL, "--help"), 0);
	ck_assert_ptr_eq(strstr(output, "Usage: prog [DOCA Flags] [Program Flags] [Command]\n"),
			 output);
	ck_assert_ptr_nonnull(
		strstr(output, "\nCommands:\n  get                               what"));
	/* A hidden command works. */
	ck_assert_ptr_null(strstr(output, "secret"));
	ck_assert_int_eq(CHILD(commands_program, NULL, "secret", "--help"), 0);
	ck_assert_ptr_eq(strstr(output, "Usage: prog secret [DOCA Flags]"), output);
	ck_assert_int_eq(CHILD(commands_program, NULL, "get", "deep", "--help"), 0);
	ck_assert_ptr_eq(strstr(output, "Usage: prog get deep [DOCA Flags] [Command Flags]\n\n"
					"what it does\n"),
			 output);
	ck_assert_ptr_nonnull(strstr(output, "\nInherited Flags:\n  -p, --pci-addr"));
	ck_assert_ptr_null(strstr(output, "--number"));
}
END_TEST

START_TEST(version)
{
	char expect[128];

	ck_assert_int_eq(CHILD(program_ready, NULL, "--version"), 0);
	snprintf(expect, sizeof(expect), "SDK version:     %s\nRuntime version: %s\n",
		 DOCA_VERSION_STRING, doca_version_runtime());
	ck_assert_str_eq(output, expect);
	ck_assert_int_eq(CHILD(program_ready, version_own, "-v"), 0);
	ck_assert_str_eq(output, "own version\n");
	ck_assert_int_eq(CHILD(program_ready, version_cleans_up, "-v"), 101);
	/* The teardown destroys it. */
	OK(doca_argp_init("prog", NULL));
}
END_TEST

START_TEST(usage_call)
{
	char text[2048] = "";
	int fds[2], saved = dup(STDOUT_FILENO);

	OK(doca_argp_init("given name", NULL));
	ck_assert_int_eq(pipe(fds), 0);
	fflush(stdout);
	dup2(fds[1], STDOUT_FILENO);
	doca_argp_usage();
	dup2(saved, STDOUT_FILENO);
	ck_assert_int_gt(read(fds[0], text, sizeof(text) - 1), 0);
	ck_assert_ptr_eq(strstr(text, "Usage: given name [DOCA Flags]"), text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("argp input");
	TCase *tcase = unit_case(suite, "json", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, json_values);
	tcase_add_test(tcase, json_command_line_wins);
	tcase_add_test(tcase, json_mandatory_and_commands);
	tcase_add_test(tcase, json_refused);
	tcase_add_test(tcase, json_unreadable);
	tcase_add_test(tcase, json_large_and_cli_only);
	tcase_add_test(tcase, sections_read);
	tcase_add_test(tcase, sections_of_dpdk);
	tcase_add_test(tcase, sections_refused);
	tcase_add_test(tcase, sections_lenient);
	tcase = unit_case(suite, "devices", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, device_names);
	tcase_add_test(tcase, device_refused);
	tcase_add_test(tcase, representor_names);
	tcase_add_test(tcase, representor_refused);
	tcase_add_test(tcase, device_open_callback);
	tcase = unit_case(suite, "output", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, logger_callback);
	tcase_add_test(tcase, messages_reach_a_backend);
	tcase_add_test(tcase, help);
	tcase_add_test(tcase, help_of_commands);
	tcase_add_test(tcase, version);
	tcase_add_test(tcase, usage_call);
	return unit_run(suite);
}
