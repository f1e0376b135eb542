/*
 * The command line: words become values, values are checked and converted, callbacks are called.
 *
 * A parameter's value is the text after '=' or the next word. That word may begin with a dash (a
 * negative number) unless it is an existing flag. A boolean needs no value and accepts "true" or
 * "false". A word that is no flag chooses a sub-command; flags after it are the command's own,
 * inherited or standard ones. "--" ends the flags. In a DPDK program it separates DPDK's arguments,
 * which come before it, from the program's.
 *
 * Threads: one, see client/argp/argp.h.
 */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/argp/argp.h"
#include "client/base/log.h"

#define LABEL_LEN 128

doca_error_t argp_add_value(struct argp *argp, struct doca_argp_param *param,
			    struct doca_argp_cmd *cmd, const char *text)
{
	struct argp_value *value = calloc(1, sizeof(*value));

	if (value && text)
		value->text = strdup(text);
	if (!value || (text && !value->text)) {
		free(value);
		return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "arguments: out of memory");
	}
	value->param = param;
	value->cmd = cmd;
	*argp->values_end = value;
	argp->values_end = &value->next;
	if (param)
		param->n_uses++;
	return DOCA_SUCCESS;
}

/* --- words --------------------------------------------------------------------------------- */

struct words {
	char **argv;
	int next, argc;
};

static struct doca_argp_param *word_find_param(const struct argp *argp, const char *word,
					       const char **value_out)
{
	bool is_long = word[0] == '-' && word[1] == '-';
	const char *name = word + (is_long ? 2 : 1), *equals = strchr(name, '=');

	if (word[0] != '-')
		return NULL;
	*value_out = equals ? equals + 1 : NULL;
	return argp_find_param(argp, argp->active, name,
			       equals ? (size_t)(equals - name) : strlen(name), is_long);
}

/*
 * The only place where the library ends the process. The SDK's parser does so after printing its
 * help and version text, and programs rely on not returning to code that needs the missing
 * parameters.
 */
static void program_end(void)
{
	exit(EXIT_SUCCESS);
}

static doca_error_t version_show(struct argp *argp)
{
	bool yes = true;
	doca_error_t result;

	if (!argp->version_cb) {
		argp_version_print(stdout);
		program_end();
	}
	result = argp->version_cb(&yes, argp->config);
	if (result == DOCA_SUCCESS)
		program_end();
	return result;
}

static doca_error_t param_use(struct argp *argp, struct doca_argp_param *param, const char *value,
			      struct words *words)
{
	const char *next = words->next < words->argc ? words->argv[words->next] : NULL;
	const char *ignored;
	char label[LABEL_LEN];

	argp_param_label(param, label, sizeof(label));
	if (param->n_uses && !param->multiple)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s may be given only once",
				 label);
	if (param->type == DOCA_ARGP_TYPE_BOOLEAN) {
		if (!value && next && (!strcmp(next, "true") || !strcmp(next, "false"))) {
			value = next;
			words->next++;
		}
		return argp_add_value(argp, param, NULL, value ? value : "true");
	}
	if (!value) {
		if (!next || !strcmp(next, "--") || word_find_param(argp, next, &ignored))
			return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s needs a value", label);
		value = next;
		words->next++;
	}
	return argp_add_value(argp, param, NULL, value);
}

static doca_error_t command_select(struct argp *argp, const char *word)
{
	struct doca_argp_cmd *cmd = argp->active->cmds;

	while (cmd && strcmp(cmd->name, word))
		cmd = cmd->next;
	if (!cmd)
		return argp_fail(argp, DOCA_ERROR_NOT_SUPPORTED,
				 "\"%s\" is no %s of this program, see --help", word,
				 argp->active->cmds ? "command" : "argument");
	argp->active = cmd;
	return argp_add_value(argp, NULL, cmd, NULL);
}

static doca_error_t word_parse(struct argp *argp, struct words *words)
{
	const char *word = words->argv[words->next++], *value = NULL;
	struct doca_argp_param *param;

	if (word[0] != '-')
		return command_select(argp, word);
	param = word_find_param(argp, word, &value);
	if (!param)
		return argp_fail(argp, DOCA_ERROR_NOT_SUPPORTED, "unknown flag %s, see --help",
				 word);
	switch (param->builtin) {
	case ARGP_HELP:
		argp_usage_print(argp, argp->active, stdout);
		program_end();
		return DOCA_SUCCESS;
	case ARGP_VERSION:
		return version_show(argp);
	default:
		return param_use(argp, param, value, words);
	}
}

static doca_error_t words_parse(struct argp *argp, int argc, char **argv)
{
	struct words words = {.argv = argv, .next = 1, .argc = argc};
	doca_error_t result = DOCA_SUCCESS;
	int i;

	if (argp->dpdk_cb) {
		for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
			;
		words.next = i < argc ? i + 1 : 1;
		result = argp_dpdk_set(argp, argv, i < argc ? i : 1);
	}
	while (result == DOCA_SUCCESS && words.next < argc && strcmp(argv[words.next], "--"))
		result = word_parse(argp, &words);
	return result;
}

/* --- checks and conversion ----------------------------------------------------------------- */

static struct doca_argp_param *params_used(struct doca_argp_param *param, bool singular)
{
	while (param && !(param->n_uses && param->singular == singular))
		param = param->next;
	return param;
}

/* A singular parameter is used alone; for example, it lists something and the program ends. No
 * other parameter of the program may be used with it, and mandatory ones are not required. */
static doca_error_t path_check(const struct argp *argp)
{
	struct doca_argp_param *singular = NULL, *other = NULL, *param;
	const struct doca_argp_cmd *cmd;
	char label[LABEL_LEN], other_label[LABEL_LEN];

	for (cmd = argp->active; cmd; cmd = cmd->parent) {
		for (param = params_used(cmd->params, true); param;
		     param = params_used(param->next, true)) {
			other = other ? other : singular;
			singular = param;
		}
		other = other ? other : params_used(cmd->params, false);
	}
	if (singular && other)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s must be used alone, but %s was given, too",
				 argp_param_label(singular, label, sizeof(label)),
				 argp_param_label(other, other_label, sizeof(other_label)));
	for (cmd = argp->active; cmd && !singular; cmd = cmd->parent) {
		for (param = cmd->params; param; param = param->next) {
			if (param->mandatory && !param->n_uses)
				return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
						 "%s is mandatory, see --help",
						 argp_param_label(param, label, sizeof(label)));
		}
	}
	return DOCA_SUCCESS;
}

static bool text_to_bool(const char *text, bool *out)
{
	static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (!strcasecmp(text, words[i])) {
			*out = i % 2;
			return true;
		}
	}
	return false;
}

static bool text_to_int(const char *text, int *out)
{
	const char *digits = text + (*text == '-' || *text == '+');
	bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *end;
	long long n;

	/* strtoll() would skip blanks, and interpret a leading zero as octal. */
	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	n = strtoll(text, &end, is_hex ? 16 : 10);
	if (errno || *end || n < INT_MIN || n > INT_MAX)
		return false;
	*out = (int)n;
	return true;
}

/* Uses the C locale, so that the decimal point is a point in any locale of the program. */
static bool text_to_double(const char *text, double *out)
{
	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char *end;
	double d;

	if (locale == (locale_t)0)
		return false;
	d = strtod_l(text, &end, locale);
	freelocale(locale);
	if (end == text || *end || !isfinite(d) || strchr(" \t\n\v\f\r", *text))
		return false;
	*out = d;
	return true;
}

static bool text_to_level(const char *text, int *out)
{
	static const struct {
		const char *name;
		int level;
	} names[] = {
		{"disable", DOCA_LOG_LEVEL_DISABLE}, {"crit", DOCA_LOG_LEVEL_CRIT},
		{"critical", DOCA_LOG_LEVEL_CRIT},   {"error", DOCA_LOG_LEVEL_ERROR},
		{"warn", DOCA_LOG_LEVEL_WARNING},    {"warning", DOCA_LOG_LEVEL_WARNING},
		{"info", DOCA_LOG_LEVEL_INFO},       {"debug", DOCA_LOG_LEVEL_DEBUG},
		{"trace", DOCA_LOG_LEVEL_TRACE},
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!strcasecmp(text, names[i].name)) {
			*out = names[i].level;
			return true;
		}
	}
	return text_to_int(text, out) && *out > 0 && log_level_is_valid((unsigned)*out);
}

static doca_error_t value_convert(struct argp *argp, struct argp_value *value)
{
	const struct doca_argp_param *param = value->param;
	const char *wanted = NULL;
	char label[LABEL_LEN];

	switch (param->type) {
	case DOCA_ARGP_TYPE_BOOLEAN:
		wanted = text_to_bool(value->text, &value->boolean) ? NULL : "true or false";
		break;
	case DOCA_ARGP_TYPE_INT:
		wanted = text_to_int(value->text, &value->integer) ? NULL : "a 32-bit integer";
		break;
	case DOCA_ARGP_TYPE_DOUBLE:
		wanted = text_to_double(value->text, &value->number) ? NULL : "a number";
		break;
	default:
		break;
	}
	if (param->builtin == ARGP_LOG_LEVEL || param->builtin == ARGP_SDK_LOG_LEVEL)
		wanted = text_to_level(value->text, &value->integer)
				 ? NULL
				 : "10, 20, 30, 40, 50, 60, 70 or a level's name";
	if (wanted)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s takes %s, not \"%s\"",
				 argp_param_label(param, label, sizeof(label)), wanted,
				 value->text);
	return DOCA_SUCCESS;
}

static doca_error_t values_convert(struct argp *argp)
{
	doca_error_t result = DOCA_SUCCESS;
	struct argp_value *value;

	for (value = argp->values; value && result == DOCA_SUCCESS; value = value->next) {
		if (value->param)
			result = value_convert(argp, value);
	}
	return result;
}

/* Called before the first callback, so that its log records are filtered as the user requested. */
static doca_error_t levels_apply(struct argp *argp)
{
	doca_error_t result = DOCA_SUCCESS;
	const struct argp_value *value;

	for (value = argp->values; value && result == DOCA_SUCCESS; value = value->next) {
		if (value->param && value->param->builtin == ARGP_LOG_LEVEL) {
			argp->log_level = value->integer;
			result = doca_log_level_set_global_lower_limit((uint32_t)value->integer);
		} else if (value->param && value->param->builtin == ARGP_SDK_LOG_LEVEL) {
			argp->sdk_log_level = value->integer;
			result = doca_log_level_set_global_sdk_limit((uint32_t)value->integer);
		}
	}
	return result;
}

/* --- callbacks ----------------------------------------------------------------------------- */

static doca_error_t value_deliver(struct argp *argp, struct argp_value *value)
{
	struct doca_argp_param *param = value->param;
	struct doca_argp_device_rep_ctx rep_ctx = {0};
	struct doca_argp_device_ctx dev_ctx = {0};
	doca_error_t result = DOCA_SUCCESS;
	char label[LABEL_LEN];
	void *data;

	argp_param_label(param, label, sizeof(label));
	switch (param->type) {
	case DOCA_ARGP_TYPE_INT:
		data = &value->integer;
		break;
	case DOCA_ARGP_TYPE_BOOLEAN:
		data = &value->boolean;
		break;
	case DOCA_ARGP_TYPE_DOUBLE:
		data = &value->number;
		break;
	case DOCA_ARGP_TYPE_DEVICE:
		result = argp_device_open(argp, label, value->text, &dev_ctx);
		data = &dev_ctx;
		break;
	case DOCA_ARGP_TYPE_DEVICE_REP:
		result = argp_device_rep_open(argp, label, value->text, &rep_ctx);
		data = &rep_ctx;
		break;
	case ARGP_TYPE_JSON_OBJ:
		return argp_json_deliver(argp, param, label, value->text);
	default:
		data = value->text;
	}
	return result == DOCA_SUCCESS ? param->callback(data, argp->config) : result;
}

/* A callback that refuses a value has reported the reason, so no further message is written. */
static doca_error_t values_deliver(struct argp *argp)
{
	doca_error_t result = DOCA_SUCCESS;
	struct argp_value *value;

	for (value = argp->values; value && result == DOCA_SUCCESS; value = value->next) {
		if (value->cmd)
			result = value->cmd->callback(argp->config);
		else if (!value->param->builtin)
			result = value_deliver(argp, value);
	}
	return result;
}

static const char *json_path_find(const struct argp *argp)
{
	const struct argp_value *value;

	for (value = argp->values; value; value = value->next) {
		if (value->param && value->param->builtin == ARGP_JSON)
			return value->text;
	}
	return NULL;
}

doca_error_t argp_run(struct argp *argp, int argc, char **argv)
{
	doca_error_t result = words_parse(argp, argc, argv);
	const char *path;

	if (result != DOCA_SUCCESS)
		return result;
	path = json_path_find(argp);
	if (path)
		result = argp_json_read(argp, path);
	if (result == DOCA_SUCCESS)
		result = path_check(argp);
	if (result == DOCA_SUCCESS)
		result = values_convert(argp);
	if (result == DOCA_SUCCESS)
		result = levels_apply(argp);
	if (result == DOCA_SUCCESS)
		result = values_deliver(argp);
	if (result == DOCA_SUCCESS && argp->validation_cb)
		result = argp->validation_cb(argp->config);
	if (result == DOCA_SUCCESS && argp->dpdk_cb)
		result = argp->dpdk_cb(argp->dpdk_argc, argp->dpdk_argv);
	return result;
}
