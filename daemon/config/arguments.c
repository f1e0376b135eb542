/* The daemon's command line; see arguments.h. */
#include "daemon/config/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/version.h"

enum {
	OPTION_VERSION = 256,
	OPTION_PRINT_SIDE,
	OPTION_FD_STORE,
	OPTION_SYSFS,
	OPTION_CHECK,
	OPTION_RELOAD,
	OPTION_DEFAULT_TOPOLOGY
};

#define MAX_FD_STORE 16384u

static const char usage[] =
	"usage: dococored [OPTION]...\n"
	"\n"
	"Serves DOCA programs of one side of a machine: devices, memory exports, channels.\n"
	"\n"
	"  -s, --side SIDE         host, dpu or auto; default: as configured, or auto: dpu if the\n"
	"                          firmware says that this is the Arm side of a BlueField card\n"
	"  -c, --config FILE       configuration; without it the built-in defaults hold\n"
	"  -t, --topology FILE     devices and representors: a file, demo, or discover: what the\n"
	"                          machine has; without it as configured, or the default\n"
	"      --default-topology FILE  that default; without it demo\n"
	"  -r, --runtime-dir DIR   where the sockets are; default $XDG_RUNTIME_DIR/dococored, for "
	"root\n"
	"                          without that /run/dococored\n"
	"  -f, --foreground        stay in the foreground; it always does\n"
	"  -l, --log-level LEVEL   error, warning, info or debug; wins over the configuration\n"
	"      --fd-store N            keep what clients have over a restart, with at most N\n"
	"                          descriptors in the service manager's fd store; default 0: not\n"
	"      --check-config      read the files, say what is wrong with them, end: 0 or 1\n"
	"      --reload            let the running daemon load its configuration again; end: 0,\n"
	"                          or 1 if it refuses the new one and keeps the old one\n"
	"      --print-side        print the side that would be served, and on stderr why; end\n"
	"      --sysfs DIR         where the machine's devices are described; default /sys\n"
	"  -h, --help              this text\n"
	"      --version           version\n"
	"\n"
	"Signals: SIGTERM and SIGINT stop it, SIGHUP loads the configuration again.\n";

static const struct option long_options[] = {
	{"side", required_argument, NULL, 's'},
	{"config", required_argument, NULL, 'c'},
	{"topology", required_argument, NULL, 't'},
	{"default-topology", required_argument, NULL, OPTION_DEFAULT_TOPOLOGY},
	{"runtime-dir", required_argument, NULL, 'r'},
	{"foreground", no_argument, NULL, 'f'},
	{"log-level", required_argument, NULL, 'l'},
	{"fd-store", required_argument, NULL, OPTION_FD_STORE},
	{"print-side", no_argument, NULL, OPTION_PRINT_SIDE},
	{"check-config", no_argument, NULL, OPTION_CHECK},
	{"reload", no_argument, NULL, OPTION_RELOAD},
	{"sysfs", required_argument, NULL, OPTION_SYSFS},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

static int wrong_option(const char *option, const char *value, const char *allowed)
{
	fprintf(stderr, "dococored: %s '%s' is not allowed; allowed: %s\n", option, value, allowed);
	return 2;
}

static int parse_side(struct arguments *args, const char *text)
{
	int r = side_parse_choice(text, &args->options.side);

	if (r < 0)
		return wrong_option("--side", text, "auto, host, dpu");
	args->has_side = r == 0;
	args->is_detected = r > 0;
	return -1;
}

/* All names in the store must fit into one environment string. */
static int parse_fd_store(struct daemon_options *options, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n > MAX_FD_STORE)
		return wrong_option("--fd-store", text, "0 to 16384");
	options->fd_store = n;
	return -1;
}

/* Handles one option. Returns -1 to continue, else the exit code. */
static int parse_option(struct arguments *args, int c)
{
	struct daemon_options *options = &args->options;

	switch (c) {
	case 's':
		return parse_side(args, optarg);
	case 'c':
		options->config_file = optarg;
		return -1;
	case 't':
		options->topology_file = optarg;
		return -1;
	case OPTION_DEFAULT_TOPOLOGY:
		options->default_topology = optarg;
		return -1;
	case 'r':
		options->runtime_dir = optarg;
		return -1;
	case 'f':
		return -1;
	case 'l':
		options->has_log_level = true;
		return log_level_parse(optarg, &options->log_level) < 0
			       ? wrong_option("--log-level", optarg, "error, warning, info, debug")
			       : -1;
	case OPTION_FD_STORE:
		return parse_fd_store(options, optarg);
	case OPTION_SYSFS:
		options->sysfs = optarg;
		return -1;
	case OPTION_CHECK:
		args->check_config = true;
		return -1;
	case OPTION_RELOAD:
		args->reload = true;
		return -1;
	case OPTION_PRINT_SIDE:
		args->print_side = true;
		return -1;
	case 'h':
		fputs(usage, stdout);
		return 0;
	case OPTION_VERSION:
		printf("dococored %s\n", daemon_version());
		return 0;
	default:
		fputs("Try 'dococored --help'.\n", stderr);
		return 2;
	}
}

int arguments_parse(int argc, char **argv, struct arguments *args)
{
	int c, r;

	while ((c = getopt_long(argc, argv, "s:c:t:r:fl:h", long_options, NULL)) != -1) {
		r = parse_option(args, c);
		if (r >= 0)
			return r;
	}
	if (optind < argc)
		return wrong_option("argument", argv[optind], "options only");
	return -1;
}
