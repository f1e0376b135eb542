/*
 * Options that sub-commands share: choice of the daemon, JSON or table, choice of objects. A
 * command names the sets that it accepts; other options are refused in one sentence. Owner: one
 * command.
 */
#ifndef TOOLS_DOCA_ADMIN_OPTIONS_H
#define TOOLS_DOCA_ADMIN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/doca-admin/bus/client.h"

enum option_set {
	OPTIONS_DAEMON = 1, /* --side, --socket, --dir */
	OPTIONS_JSON = 2,
	OPTIONS_FILTER = 4, /* --pid, --uid, --device, --name */
	OPTIONS_ASCII = 8,
	OPTIONS_INTERVAL = 16,
	OPTIONS_COUNT = 32,
	OPTIONS_LIST = 64, /* --sort, --limit, and --count without a number */
	OPTIONS_LISTEN = 128,
};

struct admin_options {
	struct bus_target target;
	struct bus_filter filter;
	bool json;
	bool ascii;
	bool has_filter;
	unsigned interval_ms;
	unsigned count; /* 0: unlimited */
	bool only_count;
	const char *sort;   /* with '-' for descending order, or NULL */
	uint64_t limit;     /* 0: unlimited */
	const char *listen; /* where to serve, or NULL */
	bool has_list;      /* one of OPTIONS_LIST was given */
};

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_BAD };

/*
 * Moves arguments that are not options to the end of argv; optind is the first of them. Prints the
 * error if it returns OPTIONS_BAD.
 */
enum options_result options_parse(int argc, char **argv, unsigned set, struct admin_options *out);
/* Prints the lines of --help about the set. */
void options_usage(FILE *out, unsigned set);
/*
 * Parses the options, and connects if the command gets n_args arguments, none or one, and does not
 * serve (--listen). Returns 0, or the exit status plus 1 after printing the usage or the error.
 */
int options_begin(int argc, char **argv, unsigned set, const char *usage, int n_args,
		  struct admin_options *o, struct bus_client **client_out);
/* Connects. Returns 0, or the exit status after printing the error. */
int options_open(const struct admin_options *options, struct bus_client **client_out);
/* Prints the error of a failed call and returns its exit status. */
int options_call_failed(const struct bus_client *client, int negative_errno);

#endif
