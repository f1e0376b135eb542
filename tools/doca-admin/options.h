/*
 * Options that sub-commands share: choice of the daemon, JSON or table, choice of objects. A
 * command names the sets that it accepts; other options are refused in one sentence. Owner: one
 * command.
 */
#ifndef TOOLS_DOCA_ADMIN_OPTIONS_H
#define TOOLS_DOCA_ADMIN_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/doca-admin/bus/client.h"

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
	unsigned count; /* 0: unlimited */
};

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_BAD };

/*
 * Moves arguments that are not options to the end of argv; optind is the first of them. Prints the
 * error if it returns OPTIONS_BAD.
 */
enum options_result options_parse(int argc, char **argv, unsigned set, struct admin_options *out);
/* Reports the first argument as superfluous. Returns the exit status. */
int options_extra(char **argv);
/* Prints the lines of --help about the set. */
void options_usage(FILE *out, unsigned set);
/* Connects. Returns 0, or the exit status after printing the error. */
int options_open(const struct admin_options *options, struct bus_client **client_out);
/* Prints the error of a failed call and returns its exit status. */
int options_call_failed(const struct bus_client *client, int negative_errno);

#endif
