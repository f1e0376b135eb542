/* The command line of dococored. daemon/config/config.h has the keys of its configuration file. */
#ifndef DAEMON_CONFIG_ARGUMENTS_H
#define DAEMON_CONFIG_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/topology/side.h"
#include "daemon/topology/topology.h"
#include "util/log.h"

struct machine;

/* How the daemon is to run. */
struct daemon_options {
	enum side side;
	const char *config_file;   /* NULL: built-in defaults */
	const char *topology_file; /* NULL: from the configuration */
	const char *default_topology;
	const char *runtime_dir; /* NULL: $XDG_RUNTIME_DIR/dococored, or /run/dococored for root */
	const char *sysfs;       /* NULL: /sys */
	const struct machine *machine; /* NULL: the kernel's netlink; must outlive the daemon */
	bool has_log_level;            /* overrides the configuration */
	enum log_level log_level;
	size_t fd_store; /* descriptors that the service manager stores for the daemon; 0: none */
};

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
