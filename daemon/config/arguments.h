/* The command line of dococored. */
#ifndef DAEMON_CONFIG_ARGUMENTS_H
#define DAEMON_CONFIG_ARGUMENTS_H

#include <stdbool.h>

#include "daemon/config/options.h"
#include "daemon/topology/side.h"

struct arguments {
	struct daemon_options options;
	bool has_side;
	bool is_detected; /* --side auto: overrides the file */
	bool print_side;
	bool check_config;
	bool reload;
};

/* Returns -1 to continue, else the exit code: 2 for an invalid argument, which is logged. */
int arguments_parse(int argc, char **argv, struct arguments *args);

#endif
