/* What this daemon calls itself, to clients, peers, operators and in its log. */
#ifndef DAEMON_BASE_VERSION_H
#define DAEMON_BASE_VERSION_H

const char *daemon_version(void);

#endif
