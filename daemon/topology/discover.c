/* See discover.h. */
#include "daemon/topology/discover.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define VENDOR_MELLANOX "0x15b3"
/* Bytes of a RoCE packet besides its payload, as the kernel counts them for a port's MTU. */
#define ROCE_HEADERS 96u

/* True for a complete address such as "0000:03:00.0". */
static bool is_pci_addr(const char *text, size_t len)
{
	char copy[13], normal[13];

	if (len != 12)
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return str_pci_normalize(copy, normal) == 0 && strcmp(copy, normal) == 0;
}

/*
 * Parses the device path, for example
 * "../../devices/pci0000:00/0000:00:01.0/0000:03:00.0/mlx5_core.sf.2/infiniband/mlx5_2". The last
 * PCI address is the function's. A part "DRIVER.sf.N" after it means a sub-function of it.
 */
static void discover_place(const struct sysfs *sysfs, const char *path, struct device_spec *spec)
{
	const char *sf = NULL;
	size_t sf_len = 0, len;
	char text[32];

	for (const char *part = path; *part; part += len + (part[len] == '/')) {
		len = strcspn(part, "/");
		if (is_pci_addr(part, len)) {
			snprintf(spec->pci_addr, sizeof(spec->pci_addr), "%.12s", part);
			sf = NULL;
		} else if (memmem(part, len, ".sf.", 4)) {
			sf = part;
			sf_len = len;
		}
	}
	if (!*spec->pci_addr)
		return;
	if (sf) {
		spec->func_type = FUNC_SF;
		if (sysfs_read(sysfs, text, sizeof(text), "bus/auxiliary/devices/%.*s/sfnum",
			       (int)sf_len, sf) == 0)
			spec->sf_index = (uint32_t)strtoul(text, NULL, 10);
	} else if (sysfs_exists(sysfs, "bus/pci/devices/%s/physfn", spec->pci_addr)) {
		spec->func_type = FUNC_VF;
	}
}

static bool discover_mac(const struct sysfs *sysfs, const char *iface, uint8_t mac[6])
{
	char text[32], rest;
	unsigned b[6];

	if (sysfs_read(sysfs, text, sizeof(text), "class/net/%s/address", iface) < 0 ||
	    sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%c", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		   &rest) != 6)
		return false;
	for (int i = 0; i < 6; i++)
		mac[i] = (uint8_t)b[i];
	return true;
}

/*
 * Finds the network interface of an IB device's port: the one of its first GID, or the one that
 * another attribute names.
 */
static void discover_iface(const struct sysfs *sysfs, struct device_spec *spec)
{
	char(*names)[SYSFS_NAME_LEN], text[SYSFS_NAME_LEN];
	int n;

	if (sysfs_read(sysfs, text, sizeof(text), "class/infiniband/%s/ports/1/gid_attrs/ndevs/0",
		       spec->ibdev) < 0 ||
	    !*text)
		sysfs_read(sysfs, text, sizeof(text), "class/infiniband/%s/parent", spec->ibdev);
	if (!*text) {
		n = sysfs_list(sysfs, &names, "class/infiniband/%s/device/net", spec->ibdev);
		if (n > 0)
			str_copy(text, sizeof(text), names[0]);
		free(names);
	}
	/* The name becomes part of a path. */
	if (!strchr(text, '/') && *text != '.')
		str_copy(spec->iface, sizeof(spec->iface), text);
}

/* Reads a GID such as "fe80:0000:...". For an unused index the kernel reports an error or zeros. */
static bool discover_gid(const struct sysfs *sysfs, const char *ibdev, unsigned index,
			 uint8_t gid[16])
{
	char text[64];
	int r = sysfs_read(sysfs, text, sizeof(text), "class/infiniband/%s/ports/1/gids/%u", ibdev,
			   index);

	if (r < 0 || inet_pton(AF_INET6, text, gid) != 1)
		memset(gid, 0, 16);
	return r != -ENOENT && r != -ENOTDIR;
}

static void discover_gids(const struct sysfs *sysfs, struct device_spec *spec)
{
	static const uint8_t unused[16];

	spec->n_gids = 0;
	for (unsigned i = 0; i < TOPOLOGY_MAX_GIDS; i++) {
		if (!discover_gid(sysfs, spec->ibdev, i, spec->gids[i]))
			break;
		if (memcmp(spec->gids[i], unused, sizeof(unused)) != 0)
			spec->n_gids = i + 1;
	}
}

/* Parses a rate such as "2.5 Gb/sec (1X SDR)". */
static uint64_t discover_rate(const char *text)
{
	unsigned whole = 0, tenth = 0;

	sscanf(text, "%6u.%1u", &whole, &tenth);
	return (whole * 10ull + tenth) * 100000000ull;
}

/*
 * Computes a RoCE port's MTU: the largest one that fits the interface's MTU. For InfiniBand ports
 * the kernel has no such file.
 */
static uint32_t discover_mtu(const struct sysfs *sysfs, const char *iface)
{
	uint32_t mtu = 4096;
	char text[32];
	unsigned long have;

	if (!*iface || sysfs_read(sysfs, text, sizeof(text), "class/net/%s/mtu", iface) < 0)
		return 0;
	have = strtoul(text, NULL, 10);
	while (mtu >= 256 && mtu + ROCE_HEADERS > have)
		mtu /= 2;
	return mtu >= 256 ? mtu : 0;
}

static void discover_port(const struct sysfs *sysfs, struct device_spec *spec)
{
	static const char file[] = "class/infiniband/%s/ports/1/%s";
	char text[64];
	bool ib;

	sysfs_read(sysfs, text, sizeof(text), file, spec->ibdev, "link_layer");
	ib = strcmp(text, "InfiniBand") == 0;
	sysfs_read(sysfs, text, sizeof(text), file, spec->ibdev, "lid");
	spec->has_lid = ib;
	spec->lid = ib ? (uint32_t)strtoul(text, NULL, 0) & 0xffff : 0;
	sysfs_read(sysfs, text, sizeof(text), file, spec->ibdev, "state");
	spec->port_state = (uint32_t)strtoul(text, NULL, 10);
	sysfs_read(sysfs, text, sizeof(text), file, spec->ibdev, "rate");
	spec->active_rate = discover_rate(text);
	spec->mtu = ib ? 0 : discover_mtu(sysfs, spec->iface);
	discover_gids(sysfs, spec);
}

/*
 * True if the device is being removed. The character device by which programs open it disappears
 * first. The rest stays until programs have closed it, if its driver cannot revoke access:
 * soft-RoCE cannot, so programs must be notified before that. On a machine where no device has a
 * character device, a missing one means nothing.
 */
static bool discover_is_leaving(const struct sysfs *sysfs, const char *ibdev)
{
	char(*names)[SYSFS_NAME_LEN], text[64];
	int n = sysfs_list(sysfs, &names, "class/infiniband_verbs");
	bool has_node = false;

	for (int i = 0; i < n && !has_node; i++)
		has_node = sysfs_read(sysfs, text, sizeof(text), "class/infiniband_verbs/%s/ibdev",
				      names[i]) == 0 &&
			   strcmp(text, ibdev) == 0;
	free(names);
	return n > 0 && !has_node;
}

int discover_ibdev(const struct sysfs *sysfs, const char *ibdev, struct device_spec *spec_out)
{
	char path[512];

	if (strchr(ibdev, '/') || *ibdev == '.' ||
	    !sysfs_exists(sysfs, "class/infiniband/%s/ports/1", ibdev) ||
	    discover_is_leaving(sysfs, ibdev))
		return -ENOENT;
	*spec_out = (struct device_spec){.is_bound = true};
	str_copy(spec_out->name, sizeof(spec_out->name), ibdev);
	str_copy(spec_out->ibdev, sizeof(spec_out->ibdev), ibdev);
	if (sysfs_link(sysfs, path, sizeof(path), "class/infiniband/%s", ibdev) == 0)
		discover_place(sysfs, path, spec_out);
	discover_iface(sysfs, spec_out);
	spec_out->has_mac = *spec_out->iface && discover_mac(sysfs, spec_out->iface, spec_out->mac);
	discover_port(sysfs, spec_out);
	return 0;
}

/* Describes an interface of a card that could have an IB device but has none now. */
static bool discover_netdev(const struct sysfs *sysfs, const char *iface, struct device_spec *spec)
{
	char path[512], text[32];

	*spec = (struct device_spec){.name = ""};
	if (sysfs_read(sysfs, text, sizeof(text), "class/net/%s/phys_port_name", iface) == 0 &&
	    strncmp(text, "pf", 2) == 0)
		return false; /* a representor, for example "pf0vf1" */
	if (sysfs_link(sysfs, path, sizeof(path), "class/net/%s", iface) < 0)
		return false;
	discover_place(sysfs, path, spec);
	if (!*spec->pci_addr ||
	    sysfs_read(sysfs, text, sizeof(text), "bus/pci/devices/%s/vendor", spec->pci_addr) <
		    0 ||
	    strcmp(text, VENDOR_MELLANOX) != 0)
		return false;
	str_copy(spec->name, sizeof(spec->name), iface);
	str_copy(spec->iface, sizeof(spec->iface), iface);
	spec->has_mac = discover_mac(sysfs, iface, spec->mac);
	if (sysfs_read(sysfs, text, sizeof(text), "class/net/%s/speed", iface) == 0 && *text != '-')
		spec->active_rate = strtoull(text, NULL, 10) * 1000000ull;
	return true;
}

/* True for the same function: the PF or VF of an address, or the same sub-function of it. */
static bool same_function(const struct device_spec *a, const struct device_spec *b)
{
	return strcmp(a->pci_addr, b->pci_addr) == 0 && a->func_type == b->func_type &&
	       a->sf_index == b->sf_index;
}

static bool discovery_has_function(const struct discovery *d, const struct device_spec *spec)
{
	for (size_t i = 0; i < d->n_devices; i++)
		if (strcmp(d->devices[i].iface, spec->iface) == 0 ||
		    same_function(&d->devices[i], spec))
			return true;
	return false;
}

static int discover_functions(const struct sysfs *sysfs, struct discovery *d)
{
	char(*names)[SYSFS_NAME_LEN];
	int n = sysfs_list(sysfs, &names, "class/infiniband");

	for (int i = 0; i < n; i++) {
		d->truncated = d->truncated || d->n_devices == TOPOLOGY_MAX_DEVICES;
		if (d->n_devices < TOPOLOGY_MAX_DEVICES &&
		    discover_ibdev(sysfs, names[i], &d->devices[d->n_devices]) == 0)
			d->n_devices++;
	}
	free(names);
	if (n < 0)
		return n;
	n = sysfs_list(sysfs, &names, "class/net");
	for (int i = 0; i < n; i++) {
		struct device_spec spec;

		if (!discover_netdev(sysfs, names[i], &spec) || discovery_has_function(d, &spec))
			continue;
		d->truncated = d->truncated || d->n_devices == TOPOLOGY_MAX_DEVICES;
		if (d->n_devices < TOPOLOGY_MAX_DEVICES)
			d->devices[d->n_devices++] = spec;
	}
	free(names);
	return n < 0 ? n : 0;
}

static void discovery_on_address(void *arg, const struct machine_address *address)
{
	struct discovery *d = arg;

	for (size_t i = 0; i < d->n_devices; i++) {
		struct device_spec *spec = &d->devices[i];

		if (!*spec->iface || strcmp(spec->iface, address->iface) != 0)
			continue;
		if (address->family == AF_INET && !spec->has_ipv4) {
			memcpy(spec->ipv4, address->bytes, sizeof(spec->ipv4));
			spec->has_ipv4 = true;
		} else if (address->family == AF_INET6) {
			/* Prefers an address that other machines can reach. */
			bool better = !spec->has_ipv6 ||
				      (spec->ipv6[0] == 0xfe && !address->is_link_local);

			if (better)
				memcpy(spec->ipv6, address->bytes, sizeof(spec->ipv6));
			spec->has_ipv6 = true;
		}
	}
}

static void discovery_on_port(void *arg, const struct machine_port *port)
{
	struct discovery *d = arg;

	if (port->flavour == MACHINE_PORT_OTHER)
		return;
	d->truncated = d->truncated || d->n_ports == TOPOLOGY_MAX_REPS;
	if (d->n_ports < TOPOLOGY_MAX_REPS)
		d->ports[d->n_ports++] = *port;
}

int discover(const struct sysfs *sysfs, const struct machine *machine,
	     struct discovery *discovery_out)
{
	struct discovery d = {.truncated = false};
	int r;

	d.devices = calloc(TOPOLOGY_MAX_DEVICES, sizeof(*d.devices));
	d.ports = calloc(TOPOLOGY_MAX_REPS, sizeof(*d.ports));
	r = d.devices && d.ports ? discover_functions(sysfs, &d) : -ENOMEM;
	if (r < 0) {
		discovery_deinit(&d);
		return r;
	}
	d.addresses_error = machine->ops->addresses(machine->user, discovery_on_address, &d);
	d.ports_error = machine->ops->ports(machine->user, discovery_on_port, &d);
	*discovery_out = d;
	return 0;
}

void discovery_deinit(struct discovery *discovery)
{
	free(discovery->devices);
	free(discovery->ports);
	*discovery = (struct discovery){.truncated = false};
}
