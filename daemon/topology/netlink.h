/*
 * Implements machine.h with the kernel: rtnetlink for addresses, generic netlink (devlink) for
 * ports, kernel events and rtnetlink groups for changes. The kernel answers requests while they are
 * sent, so nothing here waits for another process. Needs no privileges.
 */
#ifndef DAEMON_TOPOLOGY_NETLINK_H
#define DAEMON_TOPOLOGY_NETLINK_H

#include <stddef.h>

#include "daemon/topology/machine.h"

struct nlmsghdr;

extern const struct machine_ops netlink_machine;

/*
 * Parses one devlink message about ports. Returns false if the port belongs to no PCI device or has
 * no type.
 */
bool netlink_read_port(const struct nlmsghdr *m, struct machine_port *port_out);
/* Returns whether a kernel event, where text[len] is NUL, is about devices that discovery finds. */
bool netlink_is_of_devices(const char *text, size_t len);

#endif
