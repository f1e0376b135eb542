/*
 * dococored: options, set-up, exit code. The exit code is 0 after an orderly stop, 1 if the daemon
 * cannot run, 2 for invalid options.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/inherit.h"
#include "daemon/base/journal.h"
#include "daemon/config/arguments.h"
#include "daemon/dbus/reload.h"
#include "daemon/daemon.h"
#include "daemon/topology/side.h"
#include "util/log.h"

/* Chooses the side if the command line does not. Returns 0 or -errno, logged. */
static int choose_side(struct arguments *args, struct side_finding *finding)
{
	struct ini_error error = {.text = ""};
	int r;

	if (args->has_side) {
		finding->side = args->options.side;
		snprintf(finding->why, sizeof(finding->why), "the command line says so");
		return 0;
	}
	r = side_choose(args->is_detected ? NULL : args->options.config_file, "", finding, &error);
	if (r < 0) {
		log_set_ident("dococored");
		log_error("%s", error.text);
		return r;
	}
	args->options.side = finding->side;
	return 0;
}

static int print_side(const struct side_finding *finding)
{
	fprintf(stderr, "side %s: %s\n", side_name(finding->side), finding->why);
	return puts(side_name(finding->side)) < 0 || fflush(stdout) < 0;
}

/*
 * Checks the configuration in the same way as a start, up to the point where sockets would be
 * opened.
 */
static int check_config(const struct daemon_options *options)
{
	struct daemon_options checked = *options;
	struct daemon *daemon;

	if (!checked.runtime_dir)
		checked.runtime_dir = "/run/dococored";
	if (daemon_new(&checked, &daemon) < 0)
		return 1;
	printf("side %s: %s is correct\n", side_name(options->side),
	       options->config_file ? options->config_file : "the built-in configuration");
	daemon_free(daemon);
	return fflush(stdout) < 0;
}

static int run(const struct daemon_options *options)
{
	struct daemon *daemon;
	int r = daemon_new(options, &daemon);

	if (r < 0)
		return 1;
	r = daemon_start(daemon);
	if (r == 0)
		r = daemon_run(daemon);
	daemon_free(daemon);
	return r < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct arguments args = {.has_side = false};
	struct side_finding finding = {.why = ""};
	int r;

	inherit_init();
	r = arguments_parse(argc, argv, &args);
	if (r >= 0)
		return r;
	log_set_journal(getenv("JOURNAL_STREAM") != NULL);
	if (choose_side(&args, &finding) < 0)
		return 1;
	if (args.print_side)
		return print_side(&finding);
	if (args.check_config)
		return check_config(&args.options);
	if (args.reload)
		return reload_ask(&args.options);
	journal_open(side_name(finding.side));
	log_set_ident(finding.side == SIDE_HOST ? "dococored[host]" : "dococored[dpu]");
	if (!args.has_side)
		log_info("this side is %s: %s", side_name(finding.side), finding.why);
	signal(SIGPIPE, SIG_IGN);
	return run(&args.options);
}
