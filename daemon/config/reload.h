/* dococored --reload: asks a running daemon to load its configuration again. */
#ifndef DAEMON_CONFIG_RELOAD_H
#define DAEMON_CONFIG_RELOAD_H

#include "daemon/daemon.h"

/* Returns when the daemon has loaded it or refused it. The exit code: 0, or 1 and the reason on
 * stderr. */
int reload_ask(const struct daemon_options *options);

#endif
