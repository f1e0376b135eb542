/* dococored --reload: asks a running daemon to reload its configuration. */
#ifndef DAEMON_DBUS_RELOAD_H
#define DAEMON_DBUS_RELOAD_H

#include "daemon/config/arguments.h"

/*
 * Returns when the daemon has loaded or refused the configuration. Returns the exit code: 0, or 1
 * with the reason on stderr.
 */
int reload_ask(const struct daemon_options *options);

#endif
