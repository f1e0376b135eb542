/*
 * What the machine has, found in sysfs and asked of netlink: IB devices and the functions of
 * mlx5-like cards, and representors that devlink knows. One look gives a list of its own; hotplug.c
 * compares and applies it. Blocks for nobody, no right is needed, a machine without any such device
 * gives an empty list.
 *
 * A device's name is that of its IB device, or of its interface if it has no IB device. Functions
 * behind a PCI device have its address: a PF or VF its own, a sub-function that of its parent. One
 * of no PCI device (soft-RoCE) has none here.
 */
#ifndef DAEMON_TOPOLOGY_DISCOVER_H
#define DAEMON_TOPOLOGY_DISCOVER_H

#include "daemon/topology/machine.h"
#include "daemon/topology/sysfs.h"
#include "daemon/topology/topology.h"

struct discovery {
	struct device_spec *devices; /* caps are not set */
	size_t n_devices;
	struct machine_port *ports; /* representors */
	size_t n_ports;
	bool truncated; /* there are more than TOPOLOGY_MAX_* */
	/* Why netlink did not tell something, which is left out, as -errno; 0: it did. */
	int addresses_error, ports_error;
};

/* 0 or -ENOMEM. Logs nothing: any thread may look, one at a time. */
int discover(const struct sysfs *sysfs, const struct machine *machine,
	     struct discovery *discovery_out);
/* May be called twice. */
void discovery_deinit(struct discovery *discovery);
/* Fills in what sysfs says of one IB device. 0, or -ENOENT. */
int discover_ibdev(const struct sysfs *sysfs, const char *ibdev, struct device_spec *spec_out);

#endif
