/*
 * The sub-commands. Each gets its own arguments (argv[0] is the sub-command), prints its own errors
 * and returns the exit status: EXIT_SUCCESS, EXIT_FAILURE or EXIT_USAGE.
 */
#ifndef TOOLS_DOCA_ADMIN_COMMANDS_H
#define TOOLS_DOCA_ADMIN_COMMANDS_H

#include "util/util.h"

#define EXIT_USAGE 2

int cmd_env(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_lab_exec(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_devices(int argc, char **argv);
int cmd_representors(int argc, char **argv);
int cmd_clients(int argc, char **argv);
int cmd_exports(int argc, char **argv);
int cmd_imports(int argc, char **argv);
int cmd_services(int argc, char **argv);
int cmd_channels(int argc, char **argv);

/* "doca-admin: ...\n" to stderr; returns status. */
int cmd_fail(int status, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
