/*
 * Public calls of the parser other than those for parameters and commands: initialisation,
 * settings, destination of messages.
 *
 * Threads: one, see client/argp/argp.h.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>

#include "client/argp/argp.h"
#include "client/base/generation.h"
#include "client/base/log.h"

#define LEVELS_HELP "<10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>"

static const struct {
	enum argp_builtin builtin;
	enum doca_argp_type type;
	const char *short_name, *long_name, *arguments, *description;
	bool cli_only;
} standard_flags[] = {
	{ARGP_HELP, DOCA_ARGP_TYPE_BOOLEAN, "h", "help", NULL, "Show this text and exit", true},
	{ARGP_VERSION, DOCA_ARGP_TYPE_BOOLEAN, "v", "version", NULL, "Show versions and exit",
	 true},
	{ARGP_LOG_LEVEL, DOCA_ARGP_TYPE_STRING, "l", "log-level", "<level>",
	 "Log level of the program, number or name " LEVELS_HELP, false},
	{ARGP_SDK_LOG_LEVEL, DOCA_ARGP_TYPE_STRING, NULL, "sdk-log-level", "<level>",
	 "Log level of the SDK, number or name, as above", false},
	{ARGP_JSON, DOCA_ARGP_TYPE_STRING, "j", "json", "<path>",
	 "Read parameters from a JSON file, keys are the long names", true},
};

/* --- life ---------------------------------------------------------------------------------- */

void argp_free(struct argp *argp)
{
	while (argp->created_params) {
		struct doca_argp_param *param = argp->created_params;

		argp->created_params = param->created;
		argp_param_free(param);
	}
	while (argp->created_cmds) {
		struct doca_argp_cmd *cmd = argp->created_cmds;

		argp->created_cmds = cmd->created;
		argp_cmd_free(cmd);
	}
	while (argp->values) {
		struct argp_value *value = argp->values;

		argp->values = value->next;
		free(value->text);
		free(value);
	}
	argp_dpdk_free(argp);
	free(argp->program);
	free(argp);
}

static bool standard_add(struct argp *argp, size_t i)
{
	struct doca_argp_param *param = argp_param_new(argp);

	if (!param)
		return false;
	param->builtin = standard_flags[i].builtin;
	param->type = standard_flags[i].type;
	param->cli_only = standard_flags[i].cli_only;
	param->given = true;
	argp_param_append(&argp->standard, param);
	return argp_text_replace(&param->short_name, standard_flags[i].short_name,
				 &param->no_memory) &&
	       argp_text_replace(&param->long_name, standard_flags[i].long_name,
				 &param->no_memory) &&
	       argp_text_replace(&param->arguments, standard_flags[i].arguments,
				 &param->no_memory) &&
	       argp_text_replace(&param->description, standard_flags[i].description,
				 &param->no_memory);
}

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
	struct argp *argp = NULL;
	bool no_memory = false;

	if (the_argp)
		return argp_fail(the_argp, DOCA_ERROR_BAD_STATE,
				 "%s: the parser is initialised already, destroy it first",
				 __func__);
	if (program_name && !*program_name)
		return argp_fail(NULL, DOCA_ERROR_INVALID_VALUE, "%s: the program name is empty",
				 __func__);
	argp = calloc(1, sizeof(*argp));
	if (!argp)
		return argp_fail(NULL, DOCA_ERROR_NO_MEMORY, "%s: no memory", __func__);
	argp->config = program_config;
	argp->active = &argp->root;
	argp->root.given = true;
	argp->values_end = &argp->values;
	argp->pedantic = true;
	argp_text_replace(&argp->program, program_name, &no_memory);
	for (size_t i = 0; i < ARRAY_LEN(standard_flags) && !no_memory; i++)
		no_memory = !standard_add(argp, i);
	if (no_memory) {
		argp_free(argp);
		return argp_fail(NULL, DOCA_ERROR_NO_MEMORY, "%s: no memory", __func__);
	}
	the_argp = argp;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_destroy(void)
{
	struct argp *argp = the_argp;

	if (!argp)
		return argp_fail(NULL, DOCA_ERROR_BAD_STATE, "%s: the parser is not initialised",
				 __func__);
	the_argp = NULL;
	/* A version callback may destroy the parser before it ends the program; argp_start() still
	 * needs the parser. */
	if (argp->state == ARGP_RUNNING)
		argp->destroyed = true;
	else
		argp_free(argp);
	return DOCA_SUCCESS;
}

doca_error_t argp_start(const char *what, int argc, char **argv, bool pedantic)
{
	struct argp *argp = NULL;
	doca_error_t result = argp_get(what, &argp);
	const char *slash;

	if (result != DOCA_SUCCESS)
		return result;
	if (argc < 1 || !argv || !argv[0])
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: argc and argv must be those of main", what);
	if (!argp->program) {
		slash = strrchr(argv[0], '/');
		argp->program = strdup(slash ? slash + 1 : argv[0]);
		if (!argp->program)
			return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "%s: no memory", what);
	}
	argp->pedantic = argp->pedantic && pedantic;
	argp->state = ARGP_RUNNING;
	result = argp_run(argp, argc, argv);
	argp->state = ARGP_STARTED;
	if (argp->destroyed)
		argp_free(argp);
	return result;
}

doca_error_t doca_argp_start(int argc, char **argv)
{
	return argp_start(__func__, argc, argv, true);
}
API_PLAIN(doca_argp_start, 3_3);

void doca_argp_usage(void)
{
	if (the_argp)
		argp_usage_print(the_argp, the_argp->active, stdout);
}

/* --- settings of the parser ---------------------------------------------------------------- */

static doca_error_t callback_check(const char *what, bool given, struct argp **argp_out)
{
	doca_error_t result = argp_get(what, argp_out);

	if (result == DOCA_SUCCESS && !given)
		result = argp_fail(*argp_out, DOCA_ERROR_INVALID_VALUE, "%s: no callback given",
				   what);
	return result;
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
	struct argp *argp = NULL;
	doca_error_t result = callback_check(__func__, callback, &argp);

	if (result == DOCA_SUCCESS)
		argp->version_cb = callback;
	return result;
}

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
	struct argp *argp = NULL;
	doca_error_t result = callback_check(__func__, callback, &argp);

	if (result == DOCA_SUCCESS)
		argp->validation_cb = callback;
	return result;
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
	struct argp *argp = NULL;
	doca_error_t result = callback_check(__func__, callback, &argp);

	if (result != DOCA_SUCCESS)
		return result;
	if (argp->logger_cb)
		return argp_fail(argp, DOCA_ERROR_ALREADY_EXIST,
				 "%s: there is one, disable it first", __func__);
	argp->logger_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
	if (!the_argp)
		return argp_fail(NULL, DOCA_ERROR_BAD_STATE, "%s: the parser is not initialised",
				 __func__);
	the_argp->logger_cb = NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx)
{
	struct argp *argp = NULL;
	doca_error_t result = callback_check(__func__, callback, &argp);

	if (result != DOCA_SUCCESS)
		return result;
	argp->dev_open_cb = callback;
	argp->dev_open_ctx = usr_ctx;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_pedantic_config_parsing(void)
{
	struct argp *argp = NULL;
	doca_error_t result = argp_get(__func__, &argp);

	if (result == DOCA_SUCCESS)
		argp->pedantic = false;
	return result;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
	struct argp *argp = NULL;

	if (argp_get(__func__, &argp) == DOCA_SUCCESS)
		argp->dpdk_cb = callback;
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
	if (!log_level)
		return argp_fail(the_argp, DOCA_ERROR_INVALID_VALUE, "%s: no place given",
				 __func__);
	*log_level = the_argp && the_argp->log_level ? the_argp->log_level
						     : (int)doca_log_level_get_global_lower_limit();
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
	if (!log_level)
		return argp_fail(the_argp, DOCA_ERROR_INVALID_VALUE, "%s: no place given",
				 __func__);
	*log_level = the_argp && the_argp->sdk_log_level
			     ? the_argp->sdk_log_level
			     : (int)doca_log_level_get_global_sdk_limit();
	return DOCA_SUCCESS;
}
