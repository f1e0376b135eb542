/* dococored: options, wiring, exit code. 0 after an ordered stop, 1 when it cannot run, 2 for wrong
 * options. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/daemon.h"
#include "util/log.h"

enum { OPTION_VERSION = 256 };

static const char usage[] =
	"usage: dococored --side host|dpu [OPTION]...\n"
	"\n"
	"Serves DOCA programs of one side of a machine: devices, memory exports, channels.\n"
	"\n"
	"  -s, --side SIDE         host or dpu; required\n"
	"  -c, --config FILE       configuration; without it the built-in defaults hold\n"
	"  -t, --topology FILE     devices and representors; without it as configured, or the "
	"default\n"
	"  -r, --runtime-dir DIR   where the sockets are; default $XDG_RUNTIME_DIR/dococored, for "
	"root\n"
	"                          without that /run/dococored\n"
	"  -f, --foreground        stay in the foreground; it always does\n"
	"  -l, --log-level LEVEL   error, warning, info or debug; wins over the configuration\n"
	"  -h, --help              this text\n"
	"      --version           version\n"
	"\n"
	"Signals: SIGTERM and SIGINT stop it, SIGHUP loads the configuration again.\n";

static const struct option long_options[] = {
	{"side", required_argument, NULL, 's'},
	{"config", required_argument, NULL, 'c'},
	{"topology", required_argument, NULL, 't'},
	{"runtime-dir", required_argument, NULL, 'r'},
	{"foreground", no_argument, NULL, 'f'},
	{"log-level", required_argument, NULL, 'l'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

static int wrong_option(const char *option, const char *value, const char *allowed)
{
	fprintf(stderr, "dococored: %s '%s' is not allowed; allowed: %s\n", option, value, allowed);
	return 2;
}

/* -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct daemon_options *options)
{
	bool has_side = false;
	int c;

	while ((c = getopt_long(argc, argv, "s:c:t:r:fl:h", long_options, NULL)) != -1) {
		switch (c) {
		case 's':
			if (side_parse(optarg, &options->side) < 0)
				return wrong_option("--side", optarg, "host, dpu");
			has_side = true;
			break;
		case 'c':
			options->config_file = optarg;
			break;
		case 't':
			options->topology_file = optarg;
			break;
		case 'r':
			options->runtime_dir = optarg;
			break;
		case 'f':
			break;
		case 'l':
			if (log_level_parse(optarg, &options->log_level) < 0)
				return wrong_option("--log-level", optarg,
						    "error, warning, info, debug");
			options->has_log_level = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case OPTION_VERSION:
			puts("dococored " PACKAGE_VERSION);
			return 0;
		default:
			fputs("Try 'dococored --help'.\n", stderr);
			return 2;
		}
	}
	if (optind < argc)
		return wrong_option("argument", argv[optind], "options only");
	if (!has_side) {
		fputs("dococored: --side host or --side dpu is required; try 'dococored --help'\n",
		      stderr);
		return 2;
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct daemon_options options = {0};
	struct daemon *daemon;
	int r = parse_options(argc, argv, &options);

	if (r >= 0)
		return r;
	log_set_ident(options.side == SIDE_HOST ? "dococored[host]" : "dococored[dpu]");
	log_set_journal(getenv("JOURNAL_STREAM") != NULL);
	signal(SIGPIPE, SIG_IGN);
	r = daemon_new(&options, &daemon);
	if (r < 0)
		return 1;
	r = daemon_start(daemon);
	if (r == 0)
		r = daemon_run(daemon);
	daemon_free(daemon);
	return r < 0 ? 1 : 0;
}
