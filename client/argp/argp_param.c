/*
 * Parameters and commands: creation, description, registration and lookup by name.
 *
 * Setters return nothing; their errors are reported when the parameter is registered. A pointer
 * that is not one of the parser's own is recognised by comparison and never followed. A
 * registration that fails has taken over the parameter or command all the same.
 *
 * Names within one command are unique; a second use returns INVALID_VALUE. The long names of the
 * standard flags, and -j, are always reserved. A program may use the other short names of standard
 * flags; the flag then has its long name only. A command's own names have priority over inherited
 * ones.
 *
 * Threads: one, see client/argp/argp.h.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>

#include "client/argp/argp.h"
#include "client/base/generation.h"

/* --- parameters ---------------------------------------------------------------------------- */

static struct doca_argp_param **param_slot(const struct doca_argp_param *param)
{
	struct doca_argp_param **slot = &the_argp->created_params;

	while (*slot && *slot != param)
		slot = &(*slot)->created;
	return slot;
}

/* Returns whether the parameter may be changed: it was not registered yet. */
static bool param_is_open(const char *what, const struct doca_argp_param *param)
{
	const char *problem = NULL;

	if (!param)
		problem = "no parameter given";
	else if (!the_argp)
		problem = "the parser is not initialised";
	else if (!*param_slot(param))
		problem = "no such parameter";
	else if (param->given)
		problem = "the parameter is registered and cannot change";
	if (problem)
		argp_fail(the_argp, DOCA_ERROR_BAD_STATE, "%s: %s, ignored", what, problem);
	return !problem;
}

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
	struct argp *argp = NULL;
	doca_error_t result = argp_get(__func__, &argp);
	struct doca_argp_param *created;

	if (result != DOCA_SUCCESS)
		return result;
	if (!param)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s: no place given", __func__);
	created = argp_param_new(argp);
	if (!created)
		return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "%s: no memory", __func__);
	*param = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
	struct doca_argp_param **slot;

	if (!the_argp)
		return argp_fail(NULL, DOCA_ERROR_BAD_STATE, "%s: the parser is not initialised",
				 __func__);
	slot = param_slot(param);
	if (!param || !*slot)
		return argp_fail(the_argp, DOCA_ERROR_INVALID_VALUE, "%s: no such parameter",
				 __func__);
	if (param->given)
		return argp_fail(the_argp, DOCA_ERROR_BAD_STATE,
				 "%s: the parameter was registered, the parser owns it", __func__);
	*slot = param->created;
	argp_param_free(param);
	return DOCA_SUCCESS;
}

void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name)
{
	if (param_is_open(__func__, param))
		argp_text_replace(&param->short_name, name, &param->no_memory);
}

void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name)
{
	if (param_is_open(__func__, param))
		argp_text_replace(&param->long_name, name, &param->no_memory);
}

void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments)
{
	if (param_is_open(__func__, param))
		argp_text_replace(&param->arguments, arguments, &param->no_memory);
}

void doca_argp_param_set_description(struct doca_argp_param *param, const char *description)
{
	if (param_is_open(__func__, param))
		argp_text_replace(&param->description, description, &param->no_memory);
}

void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback)
{
	if (param_is_open(__func__, param))
		param->callback = callback;
}

void argp_param_set_type(const char *what, struct doca_argp_param *param, int type)
{
	if (param_is_open(what, param))
		param->type = type;
}

void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
	/* The internal number is not valid in the public call. */
	argp_param_set_type(__func__, param, (int)type == ARGP_TYPE_JSON_OBJ ? -1 : (int)type);
}
API_PLAIN(doca_argp_param_set_type, 3_1);

void doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
	if (param_is_open(__func__, param))
		param->mandatory = true;
}

void doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
	if (param_is_open(__func__, param))
		param->cli_only = true;
}

void doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
	if (param_is_open(__func__, param))
		param->multiple = true;
}

void doca_argp_param_set_singular(struct doca_argp_param *param)
{
	if (param_is_open(__func__, param))
		param->singular = true;
}

void doca_argp_param_set_inherited(struct doca_argp_param *param)
{
	if (param_is_open(__func__, param))
		param->inherited = true;
}

void doca_argp_param_set_hidden(struct doca_argp_param *param)
{
	if (param_is_open(__func__, param))
		param->hidden = true;
}

const char *argp_param_label(const struct doca_argp_param *param, char *buf, size_t size)
{
	if (param->long_name)
		snprintf(buf, size, "--%s", param->long_name);
	else
		snprintf(buf, size, "-%s", param->short_name);
	return buf;
}

static bool name_equals(const char *have, const char *name, size_t len)
{
	return have && strlen(have) == len && !memcmp(have, name, len);
}

static struct doca_argp_param *list_find(struct doca_argp_param *list, const char *name, size_t len,
					 bool is_long, bool inherited_only)
{
	for (; list; list = list->next) {
		if ((!inherited_only || list->inherited) &&
		    name_equals(is_long ? list->long_name : list->short_name, name, len))
			return list;
	}
	return NULL;
}

struct doca_argp_param *argp_find_param(const struct argp *argp, const struct doca_argp_cmd *cmd,
					const char *name, size_t name_len, bool is_long)
{
	struct doca_argp_param *param = list_find(cmd->params, name, name_len, is_long, false);

	for (cmd = cmd->parent; cmd && !param; cmd = cmd->parent)
		param = list_find(cmd->params, name, name_len, is_long, true);
	return param ? param : list_find(argp->standard, name, name_len, is_long, false);
}

static bool name_is_usable(const char *name)
{
	return *name && *name != '-' && !strchr(name, '=');
}

static doca_error_t param_check(const struct argp *argp, const struct doca_argp_cmd *cmd,
				const struct doca_argp_param *param)
{
	const char *names[] = {param->short_name, param->long_name};
	char buf[128];

	if (param->no_memory)
		return argp_fail(argp, DOCA_ERROR_INITIALIZATION,
				 "parameter: out of memory for its texts");
	if (!param->short_name && !param->long_name)
		return argp_fail(argp, DOCA_ERROR_INITIALIZATION,
				 "parameter: it needs a short or a long name");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i] && !name_is_usable(names[i]))
			return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
					 "parameter name \"%s\": it must not be empty, begin with "
					 "a dash or contain '='",
					 names[i]);
	}
	argp_param_label(param, buf, sizeof(buf));
	if (!param->description || param->type == DOCA_ARGP_TYPE_UNKNOWN || !param->callback)
		return argp_fail(argp, DOCA_ERROR_INITIALIZATION, "parameter %s: it has no %s", buf,
				 !param->description ? "description"
				 : !param->callback  ? "callback"
						     : "type");
	if ((param->type < DOCA_ARGP_TYPE_STRING || param->type > DOCA_ARGP_TYPE_DOUBLE) &&
	    param->type != ARGP_TYPE_JSON_OBJ)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "parameter %s: unknown type %d",
				 buf, param->type);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t len = names[i] ? strlen(names[i]) : 0;
		bool is_reserved = names[i] && (i == 1 ? list_find(argp->standard, names[i], len,
								   true, false) != NULL
						       : !strcmp(names[i], "j"));

		if (is_reserved)
			return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
					 "parameter name \"%s\" is one of the standard flags",
					 names[i]);
		if (names[i] && list_find(cmd->params, names[i], len, i == 1, false))
			return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
					 "parameter name \"%s\" is taken", names[i]);
	}
	return DOCA_SUCCESS;
}

/* If cmd is NULL, registers with the root. */
static doca_error_t param_register(const char *what, struct doca_argp_cmd *cmd,
				   struct doca_argp_param *param)
{
	struct argp *argp = NULL;
	doca_error_t result = argp_get(what, &argp);

	if (result != DOCA_SUCCESS)
		return result;
	if (!param || !*param_slot(param) || param->given)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: no parameter, or one that was registered before", what);
	param->given = true;
	cmd = cmd ? cmd : &argp->root;
	result = param_check(argp, cmd, param);
	if (result == DOCA_SUCCESS)
		argp_param_append(&cmd->params, param);
	return result;
}

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
	return param_register(__func__, NULL, input_param);
}

/* --- commands ------------------------------------------------------------------------------ */

static struct doca_argp_cmd **cmd_slot(const struct doca_argp_cmd *cmd)
{
	struct doca_argp_cmd **slot = &the_argp->created_cmds;

	while (*slot && *slot != cmd)
		slot = &(*slot)->created;
	return slot;
}

static bool cmd_is_open(const char *what, const struct doca_argp_cmd *cmd)
{
	const char *problem = NULL;

	if (!cmd)
		problem = "no command given";
	else if (!the_argp)
		problem = "the parser is not initialised";
	else if (!*cmd_slot(cmd))
		problem = "no such command";
	else if (cmd->given)
		problem = "the command is registered and cannot change";
	if (problem)
		argp_fail(the_argp, DOCA_ERROR_BAD_STATE, "%s: %s, ignored", what, problem);
	return !problem;
}

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
	struct argp *argp = NULL;
	doca_error_t result = argp_get(__func__, &argp);
	struct doca_argp_cmd *created;

	if (result != DOCA_SUCCESS)
		return result;
	if (!cmd)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s: no place given", __func__);
	created = calloc(1, sizeof(*created));
	if (!created)
		return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "%s: no memory", __func__);
	created->created = argp->created_cmds;
	argp->created_cmds = created;
	*cmd = created;
	return DOCA_SUCCESS;
}

void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name)
{
	if (cmd_is_open(__func__, cmd))
		argp_text_replace(&cmd->name, name, &cmd->no_memory);
}

void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description)
{
	if (cmd_is_open(__func__, cmd))
		argp_text_replace(&cmd->description, description, &cmd->no_memory);
}

void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback)
{
	if (cmd_is_open(__func__, cmd))
		cmd->callback = callback;
}

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
	if (cmd_is_open(__func__, cmd))
		cmd->hidden = true;
}

/* Frees an unregistered command. Its parameters remain with the parser, like all registered
 * ones. */
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
	struct doca_argp_cmd **slot, *child;

	if (!the_argp)
		return argp_fail(NULL, DOCA_ERROR_BAD_STATE, "%s: the parser is not initialised",
				 __func__);
	slot = cmd_slot(cmd);
	if (!cmd || !*slot)
		return argp_fail(the_argp, DOCA_ERROR_INVALID_VALUE, "%s: no such command",
				 __func__);
	if (cmd->given)
		return argp_fail(the_argp, DOCA_ERROR_BAD_STATE,
				 "%s: the command was registered, the parser owns it", __func__);
	for (child = cmd->cmds; child; child = child->next)
		child->parent = NULL;
	*slot = cmd->created;
	argp_cmd_free(cmd);
	return DOCA_SUCCESS;
}

static doca_error_t cmd_check(const struct argp *argp, const struct doca_argp_cmd *parent,
			      const struct doca_argp_cmd *cmd)
{
	const struct doca_argp_cmd *other;

	if (cmd->no_memory)
		return argp_fail(argp, DOCA_ERROR_INITIALIZATION,
				 "command: out of memory for its texts");
	if (!cmd->name || !cmd->description || !cmd->callback)
		return argp_fail(argp, DOCA_ERROR_INITIALIZATION, "command %s: it has no %s",
				 cmd->name ? cmd->name : "",
				 !cmd->name          ? "name"
				 : !cmd->description ? "description"
						     : "callback");
	if (!name_is_usable(cmd->name))
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "command name \"%s\": it must not be empty, begin with a dash or "
				 "contain '='",
				 cmd->name);
	for (other = parent; other; other = other->parent) {
		if (other == cmd)
			return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
					 "command %s cannot be below itself", cmd->name);
	}
	for (other = parent->cmds; other; other = other->next) {
		if (!strcmp(other->name, cmd->name))
			return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
					 "command name \"%s\" is taken", cmd->name);
	}
	return DOCA_SUCCESS;
}

static doca_error_t cmd_register(const char *what, struct doca_argp_cmd *parent,
				 struct doca_argp_cmd *cmd)
{
	struct doca_argp_cmd **last;
	struct argp *argp = NULL;
	doca_error_t result = argp_get(what, &argp);

	if (result != DOCA_SUCCESS)
		return result;
	if (!cmd || !*cmd_slot(cmd) || cmd->given)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: no command, or one that was registered before", what);
	cmd->given = true;
	parent = parent ? parent : &argp->root;
	result = cmd_check(argp, parent, cmd);
	if (result != DOCA_SUCCESS)
		return result;
	cmd->parent = parent;
	for (last = &parent->cmds; *last; last = &(*last)->next)
		;
	*last = cmd;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
	return cmd_register(__func__, NULL, input_cmd);
}

/* A command accepts parameters and sub-commands before and after it is registered itself. */
static doca_error_t parent_check(const char *what, const struct doca_argp_cmd *cmd)
{
	struct argp *argp = NULL;
	doca_error_t result = argp_get(what, &argp);

	if (result == DOCA_SUCCESS && (!cmd || !*cmd_slot(cmd)))
		result = argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s: no such command", what);
	return result;
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
					  struct doca_argp_param *input_param)
{
	doca_error_t result = parent_check(__func__, cmd);

	return result == DOCA_SUCCESS ? param_register(__func__, cmd, input_param) : result;
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd)
{
	doca_error_t result = parent_check(__func__, cmd);

	return result == DOCA_SUCCESS ? cmd_register(__func__, cmd, input_cmd) : result;
}
