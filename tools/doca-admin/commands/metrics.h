/* The daemon's numbers as OpenMetrics text, and a server for it. */
#ifndef TOOLS_DOCA_ADMIN_COMMANDS_METRICS_H
#define TOOLS_DOCA_ADMIN_COMMANDS_METRICS_H

#include <stdio.h>

#include "tools/doca-admin/options.h"

/* Reads the numbers of the selected objects and writes them. Returns 0 or the -errno of a call. */
int metrics_write(struct bus_client *client, const struct bus_filter *filter, FILE *f);
/*
 * Serves the numbers by HTTP at options->listen until a signal ends the process. Each answer
 * connects to the daemon anew, so that the daemon may restart. Returns the exit status, after
 * printing the error.
 */
int metrics_serve(const struct admin_options *options);

#endif
