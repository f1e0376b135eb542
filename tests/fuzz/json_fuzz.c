/*
 * Parameter files (JSON) of a program's argument parser, with and without parameters that are JSON
 * objects, with flags of DPDK, and with errors for unknown keys (the length of the input selects
 * which). Whatever the bytes, parsing terminates, every failure has an error sentence, and a second
 * parsing of the file has the same result.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <dococ.h>

#include <json-c/json.h>

#include "client/argp/argp.h"
#include "tests/fuzz/fuzz.h"
#include "util/util.h"

static char path[64];
static size_t n_seen;

static doca_error_t param_seen(void *param, void *config)
{
	FUZZ_CHECK(param != NULL);
	(void)config;
	n_seen++;
	return DOCA_SUCCESS;
}

/* Checks the object that the parser delivers. */
static doca_error_t object_seen(void *param, void *config)
{
	FUZZ_CHECK(json_object_is_type(param, json_type_object));
	return param_seen(param, config);
}

/* DPDK's arguments end with NULL, and none is empty. */
static doca_error_t dpdk_seen(int argc, char **argv)
{
	FUZZ_CHECK(argc > 0 && argv[argc] == NULL);
	for (int i = 0; i < argc; i++)
		FUZZ_CHECK(argv[i] != NULL);
	n_seen++;
	return DOCA_SUCCESS;
}

static void add_param(const char *name, int type, bool many)
{
	struct doca_argp_param *param;

	FUZZ_CHECK(doca_argp_param_create(&param) == DOCA_SUCCESS);
	doca_argp_param_set_long_name(param, name);
	doca_argp_param_set_arguments(param, "<value>");
	doca_argp_param_set_description(param, "a parameter");
	doca_argp_param_set_callback(param, type == ARGP_TYPE_JSON_OBJ ? object_seen : param_seen);
	if (type == ARGP_TYPE_JSON_OBJ)
		argp_param_set_type("json_fuzz", param, ARGP_TYPE_JSON_OBJ);
	else
		doca_argp_param_set_type(param, (enum doca_argp_type)type);
	if (many)
		doca_argp_param_set_multiplicity(param);
	FUZZ_CHECK(doca_argp_register_param(param) == DOCA_SUCCESS);
}

static doca_error_t parse(bool is_pedantic, bool has_dpdk)
{
	char program[] = "fuzz", option[] = "--json";
	char *words[] = {program, option, path, NULL};
	doca_error_t result;

	n_seen = 0;
	FUZZ_CHECK(doca_argp_init("fuzz", NULL) == DOCA_SUCCESS);
	add_param("text", DOCA_ARGP_TYPE_STRING, true);
	add_param("number", DOCA_ARGP_TYPE_INT, false);
	add_param("flag", DOCA_ARGP_TYPE_BOOLEAN, false);
	add_param("ratio", DOCA_ARGP_TYPE_DOUBLE, true);
	add_param("object", ARGP_TYPE_JSON_OBJ, true);
	if (has_dpdk)
		doca_argp_set_dpdk_program(dpdk_seen);
	if (!is_pedantic)
		FUZZ_CHECK(doca_argp_disable_pedantic_config_parsing() == DOCA_SUCCESS);
	result = doca_argp_start(3, words);
	FUZZ_CHECK(doca_argp_destroy() == DOCA_SUCCESS);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;
	doca_error_t result;
	size_t n;

	if (fd < 0)
		fd = memfd_create("json", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = parse(len % 2, len % 3);
	n = n_seen;
	FUZZ_CHECK(result == DOCA_SUCCESS || *dococ_last_error() != '\0');
	FUZZ_CHECK(parse(len % 2, len % 3) == result && n_seen == n);
	return 0;
}

static const char *const seeds[] = {
	"{\"text\": \"a\", \"number\": -5, \"flag\": true, \"ratio\": [1, 2.5, \"3\"]}",
	"{\"doca_general_flags\": {\"log-level\": 60, \"sdk-log-level\": \"error\"},\n"
	" \"doca_program_flags\": {\"text\": [\"a\", \"b\"], \"flag\": \"no\"}}",
	"// comment\n{ /* c */ \"number\": 2147483648, \"unknown\": {\"deep\": [[[]]]}}\n",
	"{\"doca_dpdk_flags\": {\"devices\": [{\"device\": \"pf\", \"id\": \"0b:00.0\", \"sft\": "
	"true,"
	" \"hws\": true}], \"core-list\": \"0-3\", \"flags\": \"-a 0 --no-huge\"}}",
	"{\"doca_dpdk_flags\": {\"devices\": [{\"device\": \"sf\", \"id\": \"4\"}, {\"id\": 7}],"
	" \"core-list\": \"\", \"flags\": \"\", \"core\": 1}}",
	"{\"doca_dpdk_flags\": {\"devices\": {}}} ",
	"{\"doca_dpdk_flags\": {\"devices\": [{}]}}",
	"{\"doca_dpdk_flags\": {\"devices\": [{\"id\": []}]}} ",
	"{\"doca_dpdk_flags\": {\"devices\": [{\"id\": \"\"}], \"flags\": {}}}",
	"{\"object\": [{\"a\": {\"b\": [1, null]}}, {}], \"text\": []} ",
	"{\"object\": [1], \"ratio\": []}",
	"{\"nobody\": 1, \"doca_general_flags\": {\"nobody\": 2}}  ",
	"{\"text\": \"a\", \"doca_program_flags\": {\"text\": \"b\"}}",
	"{\"help\": true, \"version\": true, \"json\": \"x\"}",
	"{\"number\": 1,,}",
	"[]",
	"{\"text\": \"\\u0000\\ud800\\\"\", \"ratio\": 1e999, \"number\": null}",
};

/* Longer than one read. */
static size_t seed_long(uint8_t *out, size_t out_len)
{
	static const char begin[] = "{\"text\": \"", end[] = "\"}";
	size_t len = 9000;

	if (out_len < len + sizeof(begin) + sizeof(end))
		return 0;
	memcpy(out, begin, sizeof(begin) - 1);
	memset(out + sizeof(begin) - 1, 'a', len);
	memcpy(out + sizeof(begin) - 1 + len, end, sizeof(end) - 1);
	return sizeof(begin) - 1 + len + sizeof(end) - 1;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	size_t len;

	if (i == ARRAY_LEN(seeds))
		return seed_long(out, out_len);
	if (i > ARRAY_LEN(seeds))
		return 0;
	len = MIN(strlen(seeds[i]), out_len);
	memcpy(out, seeds[i], len);
	return len;
}
