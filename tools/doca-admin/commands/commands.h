/*
 * The sub-commands. Each gets its own arguments (argv[0] is the sub-command), prints its own errors
 * and returns the exit status.
 */
#ifndef TOOLS_DOCA_ADMIN_COMMANDS_COMMANDS_H
#define TOOLS_DOCA_ADMIN_COMMANDS_COMMANDS_H

#include "util/util.h"

/* Exit codes besides EXIT_SUCCESS and EXIT_FAILURE; documented in doca-admin(1). */
#define EXIT_USAGE          2
#define EXIT_NO_DAEMON      3
#define EXIT_DENIED         4
#define EXIT_OBJECT_MISSING 5

int cmd_env(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_lab_exec(int argc, char **argv);
int cmd_sdk(int argc, char **argv);
int cmd_status(int argc, char **argv);
/* devices, exports and the other kinds of objects: argv[0] says which. */
int cmd_noun(int argc, char **argv);
int cmd_caps(int argc, char **argv);
int cmd_reload(int argc, char **argv);
int cmd_log_level(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_monitor(int argc, char **argv);
int cmd_topology(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_which_api(int argc, char **argv);

/* Prints "doca-admin: ...\n" to stderr and returns status. */
int cmd_fail(int status, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
