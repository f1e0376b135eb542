/*
 * Parameter files (JSON) of a program's argument parser, of the current version and of 2.2, whose
 * rules for unknown keys differ. Whatever the bytes, parsing ends, every failure has a sentence,
 * and the same file gives the same result again.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <dococ.h>

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

static void add_param(const char *name, enum doca_argp_type type, bool many)
{
	struct doca_argp_param *param;

	FUZZ_CHECK(doca_argp_param_create(&param) == DOCA_SUCCESS);
	doca_argp_param_set_long_name(param, name);
	doca_argp_param_set_arguments(param, "<value>");
	doca_argp_param_set_description(param, "a parameter");
	doca_argp_param_set_callback(param, param_seen);
	doca_argp_param_set_type(param, type);
	if (many)
		doca_argp_param_set_multiplicity(param);
	FUZZ_CHECK(doca_argp_register_param(param) == DOCA_SUCCESS);
}

static doca_error_t parse(void)
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
	result = parse();
	n = n_seen;
	FUZZ_CHECK(result == DOCA_SUCCESS || *dococ_last_error() != '\0');
	FUZZ_CHECK(parse() == result && n_seen == n);
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
	"{\"number\": 1,,}",
	"[]",
	"{\"text\": \"\\u0000\\ud800\\\"\", \"ratio\": 1e999, \"number\": null}",
};

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	size_t len;

	if (i >= ARRAY_LEN(seeds))
		return 0;
	len = MIN(strlen(seeds[i]), out_len);
	memcpy(out, seeds[i], len);
	return len;
}
