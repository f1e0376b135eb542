/* Texts of etc/topology/default-*.topology, compiled in by daemon/Makefile.include. */
#ifndef DAEMON_TOPOLOGY_TOPOLOGY_DEFAULT_H
#define DAEMON_TOPOLOGY_TOPOLOGY_DEFAULT_H

extern const char topology_default_host[];
extern const char topology_default_dpu[];

#endif
