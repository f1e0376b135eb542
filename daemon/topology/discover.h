/*
 * Devices of the machine, from sysfs and netlink: IB devices, functions of mlx5-like cards, and the
 * representors that devlink knows. Each scan returns a list of its own; hotplug.c compares and
 * applies it. A scan waits for no other process and needs no privileges. On a machine without such
 * devices the list is empty.
 *
 * A device is named after its IB device, or after its interface if it has no IB device. A PF or VF
 * has its own PCI address, a sub-function its parent's. A device without a PCI device (soft-RoCE)
 * has no address here.
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
	/* -errno of a netlink request that failed, whose data is missing; 0: success. */
	int addresses_error, ports_error;
};

/*
 * Scans the machine. Returns 0 or -ENOMEM. Logs nothing. Any thread may scan, but only one at a
 * time.
 */
int discover(const struct sysfs *sysfs, const struct machine *machine,
	     struct discovery *discovery_out);
/* Idempotent. */
void discovery_deinit(struct discovery *discovery);
/* Fills in what sysfs says about one IB device. Returns 0 or -ENOENT. */
int discover_ibdev(const struct sysfs *sysfs, const char *ibdev, struct device_spec *spec_out);

#endif
