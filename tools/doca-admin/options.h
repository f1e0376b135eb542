/*
 * Options that sub-commands have in common: which daemon, JSON or a table, which objects. A command
 * says which it takes; everything else is refused in one sentence. Owner: one command.
 */
#ifndef TOOLS_DOCA_ADMIN_OPTIONS_H
#define TOOLS_DOCA_ADMIN_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/doca-admin/bus_client.h"

enum option_set {
	OPTIONS_DAEMON = 1, /* --side, --socket, --dir */
	OPTIONS_JSON = 2,
	OPTIONS_FILTER = 4, /* --pid, --uid, --device, --name */
	OPTIONS_ASCII = 8,
	OPTIONS_INTERVAL = 16,
	OPTIONS_COUNT = 32,
};

struct admin_options {
	struct bus_target target;
	struct bus_filter filter;
	bool json;
	bool ascii;
	bool has_filter;
	unsigned interval_ms;
	unsigned count; /* 0: no end */
};

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_BAD };

/* Moves what is no option to the end of argv; optind is its first. OPTIONS_BAD: was said. */
enum options_result options_parse(int argc, char **argv, unsigned set, struct admin_options *out);
/* Says that the first argument that is no option is one too many. Returns the exit status. */
int options_extra(char **argv);
/* The lines of --help about the set. */
void options_usage(FILE *out, unsigned set);
/* Connects. 0, or the exit status that the failure deserves; was said. */
int options_open(const struct admin_options *options, struct bus_client **client_out);
/* The exit status for a failed call; says it. */
int options_call_failed(const struct bus_client *client, int negative_errno);

#endif
