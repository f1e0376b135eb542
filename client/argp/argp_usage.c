/*
 * The help and version texts. They are what the user requested, so they go to standard output and
 * not to a log.
 *
 * Flags are printed in two columns. If a name is too long for its column, its description is on the
 * next line; the lines of a description stay in the second column.
 *
 * Threads: one, see client/argp/argp.h.
 */
#include <string.h>

#include <doca_version.h>

#include "client/argp/argp.h"

#define COLUMN    36
#define NAMES_LEN 256

static void row_print(FILE *out, const char *left, const char *right)
{
	int column = COLUMN;
	size_t len;

	fprintf(out, "  %s", left);
	if (strlen(left) + 2 >= COLUMN)
		fputc('\n', out);
	else
		column -= (int)strlen(left) + 2;
	do {
		len = strcspn(right, "\n");
		fprintf(out, "%*s%.*s\n", column, "", (int)len, right);
		right += len;
		column = COLUMN;
	} while (*right++);
}

/* The short name of a standard flag is omitted if the program uses it. */
static void param_print(FILE *out, const struct argp *argp, const struct doca_argp_cmd *cmd,
			const struct doca_argp_param *param)
{
	const char *shown = param->short_name;
	char names[NAMES_LEN];

	if (shown && argp_find_param(argp, cmd, shown, strlen(shown), false) != param)
		shown = NULL;

	snprintf(names, sizeof(names), "%s%s%s%s%s%s%s", shown ? "-" : "", shown ? shown : "",
		 shown && param->long_name ? ", " : "", param->long_name ? "--" : "",
		 param->long_name ? param->long_name : "", param->arguments ? " " : "",
		 param->arguments ? param->arguments : "");
	row_print(out, names, param->description);
}

static bool params_print(FILE *out, const struct argp *argp, const struct doca_argp_cmd *cmd,
			 const char *title, const struct doca_argp_param *param,
			 bool inherited_only)
{
	for (; param; param = param->next) {
		if (param->hidden || (inherited_only && !param->inherited))
			continue;
		if (title)
			fprintf(out, "\n%s:\n", title);
		title = NULL;
		param_print(out, argp, cmd, param);
	}
	return !title;
}

static bool cmd_has_shown_cmds(const struct doca_argp_cmd *cmd)
{
	const struct doca_argp_cmd *sub = cmd->cmds;

	while (sub && sub->hidden)
		sub = sub->next;
	return sub != NULL;
}

/* Prints the names of the command and its parents from the root down, such as "get show". */
static void cmd_path_print(FILE *out, const struct doca_argp_cmd *cmd)
{
	if (!cmd->parent)
		return;
	cmd_path_print(out, cmd->parent);
	fprintf(out, " %s", cmd->name);
}

void argp_usage_print(const struct argp *argp, const struct doca_argp_cmd *cmd, FILE *out)
{
	const struct doca_argp_cmd *other;
	bool titled = false;

	fprintf(out, "Usage: %s", argp->program ? argp->program : "<program>");
	if (argp->dpdk_cb)
		fprintf(out, " [DPDK Flags] --");
	cmd_path_print(out, cmd);
	fprintf(out, " [DOCA Flags] [%s Flags]%s\n", cmd->parent ? "Command" : "Program",
		cmd_has_shown_cmds(cmd) ? " [Command]" : "");
	if (cmd->description)
		fprintf(out, "\n%s\n", cmd->description);
	params_print(out, argp, cmd, "DOCA Flags", argp->standard, false);
	params_print(out, argp, cmd, cmd->parent ? "Command Flags" : "Program Flags", cmd->params,
		     false);
	for (other = cmd->parent; other; other = other->parent)
		titled |= params_print(out, argp, cmd, titled ? NULL : "Inherited Flags",
				       other->params, true);
	if (cmd_has_shown_cmds(cmd)) {
		fprintf(out, "\nCommands:\n");
		for (other = cmd->cmds; other; other = other->next) {
			if (!other->hidden)
				row_print(out, other->name, other->description);
		}
	}
	fflush(out);
}

void argp_version_print(FILE *out)
{
	fprintf(out, "SDK version:     %s\nRuntime version: %s\n", doca_version(),
		doca_version_runtime());
	fflush(out);
}
