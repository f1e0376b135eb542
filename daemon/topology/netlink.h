/*
 * The kernel's answers for machine.h: rtnetlink for addresses, generic netlink (devlink) for ports,
 * kernel events and rtnetlink groups for changes. Requests are answered by the kernel while they
 * are sent, so nothing here waits for anybody. No rights are needed.
 */
#ifndef DAEMON_TOPOLOGY_NETLINK_H
#define DAEMON_TOPOLOGY_NETLINK_H

#include <stddef.h>

#include "daemon/topology/machine.h"

struct nlmsghdr;

extern const struct machine_ops netlink_machine;

/* One of devlink's answers about ports. False: it is of no PCI device, or says not what it is. */
bool netlink_read_port(const struct nlmsghdr *m, struct machine_port *port_out);
/* One of its notices, text[len] is NUL: whether it is about devices that discovery finds. */
bool netlink_is_of_devices(const char *text, size_t len);

#endif
