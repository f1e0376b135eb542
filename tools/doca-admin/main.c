/*
 * doca-admin, the operator's tool: finds the sub-command and calls it. It uses a daemon's private
 * D-Bus socket and the daemon's program, never its code.
 */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/commands/commands.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"lab", cmd_lab, "two daemons in a private directory: up, exec, status, down"},
	{"env", cmd_env, "what to export to build and run a program of a version and side"},
	{"sdk", cmd_sdk, "the vendor's folder for build files that name it: make, exec"},
	{"which-api", cmd_which_api, "for which versions of DOCA sources were written"},
	{"status", cmd_status, "the daemon: side, version, peers"},
	{"topology", cmd_topology, "devices, representors and who uses them, as a tree"},
	{"devices", cmd_noun, "local functions and what they can do"},
	{"representors", cmd_noun, "representors of the other side's functions"},
	{"clients", cmd_noun, "programs that are connected to the daemon"},
	{"exports", cmd_noun, "exported memory, and who imports it"},
	{"imports", cmd_noun, "imported memory, and how it is reached"},
	{"services", cmd_noun, "message servers and their names"},
	{"channels", cmd_noun, "ends of message channels"},
	{"counters", cmd_noun, "what programs' contexts and channels did, one by one"},
	{"events", cmd_noun, "exported sync events, and who imports them"},
	{"peers", cmd_noun, "daemons of the other side"},
	{"caps", cmd_caps, "what one device can do"},
	{"decode", cmd_decode, "what an export descriptor says, and whether it is alive"},
	{"explain", cmd_explain, "what an error means and what usually causes it"},
	{"top", cmd_top, "clients, channels and contexts at work, refreshed in place"},
	{"monitor", cmd_monitor, "what happens at the daemon, as it happens"},
	{"metrics", cmd_metrics, "numbers for Prometheus and other collectors"},
	{"reload", cmd_reload, "load the daemon's configuration again"},
	{"log-level", cmd_log_level, "what the daemon logs, until it is reloaded"},
};

int cmd_fail(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("doca-admin: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}

static void usage(FILE *out)
{
	fputs("Usage: doca-admin COMMAND [OPTION...]\n\nCommands:\n", out);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(out, "  %-13s %s\n", commands[i].name, commands[i].summary);
	fputs("\n'doca-admin COMMAND --help' says more.\n", out);
}

/* Suggests commands with the same beginning. */
static int command_unknown(const char *name)
{
	char like[128] = "";

	if (*name == '-')
		return cmd_fail(EXIT_USAGE,
				"there is no option '%s' in place of a command; options come after "
				"the command, 'doca-admin --help' lists those",
				name);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		size_t used = strlen(like);
		size_t len = MIN(strlen(name), strlen(commands[i].name));

		if (len >= 2 && strncmp(name, commands[i].name, len) == 0)
			snprintf(like + used, sizeof(like) - used, "%s'%s'", used ? " or " : "",
				 commands[i].name);
	}
	return cmd_fail(EXIT_USAGE,
			"there is no command '%s'; %s%s%s'doca-admin --help' lists them", name,
			*like ? "is it " : "", like, *like ? "? " : "");
}

int main(int argc, char **argv)
{
	char help[] = "--help";
	char *asked[] = {argv[0], argc > 2 ? argv[2] : NULL, help, NULL};

	setlocale(LC_ALL, "");
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	/* "help COMMAND" means "COMMAND --help". */
	if (argc > 2 && strcmp(argv[1], "help") == 0)
		argv = asked;
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		usage(stdout);
		return EXIT_SUCCESS;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("doca-admin " PACKAGE_VERSION);
		return EXIT_SUCCESS;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argv == asked ? 2 : argc - 1, argv + 1);
	return command_unknown(argv[1]);
}
