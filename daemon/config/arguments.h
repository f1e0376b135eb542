/* The command line of dococored. */
#ifndef DAEMON_CONFIG_ARGUMENTS_H
#define DAEMON_CONFIG_ARGUMENTS_H

#include <stdbool.h>

#include "daemon/daemon.h"
#include "daemon/topology/side.h"

struct arguments {
	struct daemon_options options;
	bool has_side;
	bool is_detected; /* --side auto: whatever the file says */
	bool print_side;
	bool check_config;
	bool reload;
};

/* -1 to go on, else the exit code: 2 for what is not allowed, which is told. */
int arguments_parse(int argc, char **argv, struct arguments *args);

#endif
