/*
 * The state that all files of the parser use: the one parser, its messages, and the memory of
 * parameters and commands.
 *
 * Threads: one, see client/argp/argp.h.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>

#include "client/argp/argp.h"
#include "client/base/error.h"
#include "client/base/log.h"

#define MESSAGE_LEN 512

struct argp *the_argp;

/* --- messages ------------------------------------------------------------------------------ */

static void logger_call(const struct argp *argp, enum doca_log_level level, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void logger_call(const struct argp *argp, enum doca_log_level level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)argp->logger_cb(level, fmt, args);
	va_end(args);
}

/*
 * An error in a command line concerns the person at the terminal: without an SDK backend
 * that shows it, it goes to the program's own log.
 */
static void message_put(const struct argp *argp, enum doca_log_level level, const char *text)
{
	if (argp && argp->logger_cb)
		logger_call(argp, level, "%s", text);
	else if (sdk_log_enabled(level))
		sdk_log(level, "%s", text);
	else
		app_log(level, "ARGP", "%s", text);
}

void argp_message(const struct argp *argp, enum doca_log_level level, const char *fmt, ...)
{
	char text[MESSAGE_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	message_put(argp, level, text);
}

doca_error_t argp_fail(const struct argp *argp, doca_error_t code, const char *fmt, ...)
{
	char text[MESSAGE_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	message_put(argp, DOCA_LOG_LEVEL_ERROR, text);
	return error_note(code, "%s", text);
}

doca_error_t argp_get(const char *what, struct argp **argp_out)
{
	if (!the_argp)
		return argp_fail(NULL, DOCA_ERROR_BAD_STATE,
				 "%s: the parser is not initialised, call doca_argp_init", what);
	if (the_argp->state != ARGP_OPEN)
		return argp_fail(the_argp, DOCA_ERROR_BAD_STATE,
				 "%s: too late, doca_argp_start was called", what);
	*argp_out = the_argp;
	return DOCA_SUCCESS;
}

/* --- memory -------------------------------------------------------------------------------- */

void argp_param_free(struct doca_argp_param *param)
{
	free(param->short_name);
	free(param->long_name);
	free(param->arguments);
	free(param->description);
	free(param);
}

void argp_cmd_free(struct doca_argp_cmd *cmd)
{
	free(cmd->name);
	free(cmd->description);
	free(cmd);
}

struct doca_argp_param *argp_param_new(struct argp *argp)
{
	struct doca_argp_param *param = calloc(1, sizeof(*param));

	if (param) {
		param->created = argp->created_params;
		argp->created_params = param;
	}
	return param;
}

bool argp_text_replace(char **field, const char *value, bool *no_memory)
{
	char *copy = value ? strdup(value) : NULL;

	if (value && !copy) {
		*no_memory = true;
		return false;
	}
	free(*field);
	*field = copy;
	return true;
}

void argp_param_append(struct doca_argp_param **list, struct doca_argp_param *param)
{
	while (*list)
		list = &(*list)->next;
	*list = param;
}
