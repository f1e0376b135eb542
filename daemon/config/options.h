/* How the command line says that the daemon is to run. */
#ifndef DAEMON_CONFIG_OPTIONS_H
#define DAEMON_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/topology/topology.h"
#include "util/log.h"

struct machine;

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

/* Finds the directory of the daemon's sockets. Returns 0 or -errno, logged. */
int options_find_runtime_dir(const struct daemon_options *options, char *dir_out, size_t dir_len);

#endif
