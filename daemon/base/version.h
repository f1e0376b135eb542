/* The version that this daemon reports to clients, peers, operators and its log. */
#ifndef DAEMON_BASE_VERSION_H
#define DAEMON_BASE_VERSION_H

const char *daemon_version(void);

#endif
