/*
 * daemon/topology/sysfs, daemon/topology/discover, daemon/topology/netlink: discovered devices of
 * various machines.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/topology/discover.h"
#include "daemon/topology/netlink.h"
#include "tests/unit/daemon/topology/machine_tree.h"
#include "tests/unit/unit.h"

static struct sysfs sysfs;
static struct discovery found;

static void set_up(void)
{
	tree_set_up();
	ck_assert_int_eq(sysfs_open(&sysfs, tree_root()), 0);
}

static void tear_down(void)
{
	discovery_deinit(&found);
	sysfs_close(&sysfs);
	tree_tear_down();
}

static void discover_devices(void)
{
	discovery_deinit(&found);
	ck_assert_int_eq(discover(&sysfs, &tree_machine, &found), 0);
}

static const struct device_spec *device(const char *name)
{
	for (size_t i = 0; i < found.n_devices; i++)
		if (strcmp(found.devices[i].name, name) == 0)
			return &found.devices[i];
	ck_abort_msg("no device %s", name);
	return NULL;
}

START_TEST(nothing_there)
{
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 0);
	ck_assert_uint_eq(found.n_ports, 0);
	ck_assert_int_lt(sysfs_open(&(struct sysfs){.fd = -1}, "/nowhere"), 0);
}
END_TEST

START_TEST(functions_of_a_card)
{
	const struct device_spec *spec;

	tree_add_mlx5("0000:03:00.0", "", "mlx5_0", "p0", "b8:3f:d2:00:00:01");
	tree_add_mlx5("0000:03:00.2", "", "mlx5_1", "p0v0", "b8:3f:d2:00:00:02");
	tree_write("bus/pci/devices/0000:03:00.2/physfn/vendor", "0x15b3");
	tree_add_mlx5("0000:03:00.0", "mlx5_core.sf.2", "mlx5_2", "enp3s0f0s7",
		      "b8:3f:d2:00:00:03");
	tree_write("bus/auxiliary/devices/mlx5_core.sf.2/sfnum", "88");
	tree_answers->n_addresses = 3;
	tree_answers->addresses[0] =
		(struct machine_address){"p0", AF_INET6, {0xfe, 0x80, 1}, true};
	tree_answers->addresses[1] = (struct machine_address){"p0", AF_INET, {192, 0, 2, 1}, false};
	tree_answers->addresses[2] =
		(struct machine_address){"p0", AF_INET6, {0x20, 1, 0xd, 0xb8}, false};
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 3);
	spec = device("mlx5_0");
	ck_assert_str_eq(spec->pci_addr, "0000:03:00.0");
	ck_assert_int_eq(spec->func_type, FUNC_PF);
	ck_assert_str_eq(spec->iface, "p0");
	ck_assert_str_eq(spec->ibdev, "mlx5_0");
	ck_assert(spec->has_mac && spec->mac[0] == 0xb8 && spec->mac[5] == 1);
	ck_assert(spec->has_ipv4 && spec->ipv4[3] == 1);
	ck_assert(spec->has_ipv6 && spec->ipv6[0] == 0x20);
	ck_assert(spec->is_bound && !spec->has_lid);
	ck_assert_uint_eq(spec->active_rate, 100000000000ull);
	ck_assert_uint_eq(spec->mtu, 1024);
	ck_assert_uint_eq(spec->port_state, 4);
	ck_assert_uint_eq(spec->n_gids, 2);
	ck_assert_uint_eq(spec->gids[0][0], 0xfe);
	ck_assert_uint_eq(spec->gids[1][15], 1);
	spec = device("mlx5_1");
	ck_assert_int_eq(spec->func_type, FUNC_VF);
	ck_assert_str_eq(spec->pci_addr, "0000:03:00.2");
	ck_assert(!spec->has_ipv4 && !spec->has_ipv6);
	spec = device("mlx5_2");
	ck_assert_int_eq(spec->func_type, FUNC_SF);
	ck_assert_str_eq(spec->pci_addr, "0000:03:00.0");
	ck_assert_uint_eq(spec->sf_index, 88);
}
END_TEST

START_TEST(soft_roce)
{
	const struct device_spec *spec;

	tree_add_rxe("rxe0", "d0");
	tree_write("devices/virtual/net/d0/mtu", "4200");
	/* Without GID attributes, the device's own attribute names the interface. */
	tree_remove("class/infiniband/rxe0/ports/1/gid_attrs");
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 1);
	spec = device("rxe0");
	ck_assert_str_eq(spec->pci_addr, "");
	ck_assert_str_eq(spec->iface, "d0");
	ck_assert_uint_eq(spec->active_rate, 2500000000ull);
	ck_assert_uint_eq(spec->mtu, 4096);
}
END_TEST

/* The kernel removes the character device first, and the rest only when no process has it open. */
START_TEST(an_address_is_removed)
{
	tree_add_rxe("rxe0", "d0");
	tree_add_rxe("rxe1", "d1");
	tree_write("class/infiniband_verbs/abi_version", "6");
	tree_write("class/infiniband_verbs/uverbs0/ibdev", "rxe0");
	tree_write("class/infiniband_verbs/uverbs1/ibdev", "rxe1");
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 2);
	tree_remove("class/infiniband_verbs/uverbs0");
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 1);
	ck_assert_str_eq(device("rxe1")->ibdev, "rxe1");
	tree_remove("class/infiniband_verbs/uverbs1");
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 0);
}
END_TEST

START_TEST(infiniband)
{
	static const char port[] = "class/infiniband/mlx5_0/ports/1/";
	const struct device_spec *spec;
	char path[128];

	tree_add_mlx5("0000:03:00.0", "", "mlx5_0", "ib0", "00:00:00:00:00:00");
	snprintf(path, sizeof(path), "%slink_layer", port);
	tree_write(path, "InfiniBand");
	snprintf(path, sizeof(path), "%slid", port);
	tree_write(path, "0x1f");
	snprintf(path, sizeof(path), "%sstate", port);
	tree_write(path, "1: DOWN");
	discover_devices();
	spec = device("mlx5_0");
	ck_assert(spec->has_lid);
	ck_assert_uint_eq(spec->lid, 31);
	ck_assert_uint_eq(spec->port_state, 1);
	ck_assert_uint_eq(spec->mtu, 0);
}
END_TEST

START_TEST(interfaces_without_rdma)
{
	tree_add_mlx5("0000:03:00.0", "", "mlx5_0", "p0", "b8:3f:d2:00:00:01");
	/*
	 * The second port has no IB device; a representor of the first is no function; eth0 belongs
	 * to another driver.
	 */
	tree_add_mlx5("0000:03:00.1", "", "", "p1", "b8:3f:d2:00:00:02");
	tree_write("class/net/p1/speed", "25000");
	tree_add_mlx5("0000:03:00.0", "", "", "pf0vf0", "b8:3f:d2:00:00:09");
	tree_write("class/net/pf0vf0/phys_port_name", "pf0vf0");
	tree_add_mlx5("0000:05:00.0", "", "", "eth0", "00:00:00:00:00:05");
	tree_write("bus/pci/devices/0000:05:00.0/vendor", "0x1af4");
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 2);
	ck_assert_str_eq(device("p1")->pci_addr, "0000:03:00.1");
	ck_assert_uint_eq(device("p1")->active_rate, 25000000000ull);
	ck_assert(!device("p1")->is_bound);
}
END_TEST

START_TEST(ports_of_a_switch)
{
	tree_answers->n_ports = 3;
	tree_answers->ports[0] = (struct machine_port){"0000:03:00.0", "p0", MACHINE_PORT_OTHER,
						       .pf = 0};
	tree_answers->ports[1] = (struct machine_port){"0000:03:00.0", "pf0hpf", MACHINE_PORT_PF,
						       .pf = 0};
	tree_answers->ports[2] = (struct machine_port){"0000:03:00.0", "pf0vf1", MACHINE_PORT_VF,
						       .vf = 1};
	discover_devices();
	ck_assert_uint_eq(found.n_ports, 2);
	ck_assert_str_eq(found.ports[1].iface, "pf0vf1");
	/* Data that netlink does not return are missing, the rest is there. */
	tree_add_rxe("rxe0", "d0");
	tree_answers->n_ports = 0;
	tree_answers->error = -EPERM;
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 1);
}
END_TEST

START_TEST(malformed_sysfs_files)
{
	const struct device_spec *spec;
	char long_text[300];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	tree_add_rxe("rxe0", "d0");
	tree_write("class/infiniband/rxe0/ports/1/rate", "fast");
	tree_write("class/infiniband/rxe0/ports/1/state", "");
	tree_write("class/infiniband/rxe0/ports/1/gids/0", long_text);
	tree_write("class/infiniband/rxe0/ports/1/gids/1", "no gid");
	tree_write("class/infiniband/rxe0/ports/1/gid_attrs/ndevs/0", "../../../etc");
	tree_write("class/net/d0/address", "02:00:00");
	/* A device without a port. */
	tree_write("class/infiniband/broken0/node_type", "1: CA");
	discover_devices();
	ck_assert_uint_eq(found.n_devices, 1);
	spec = device("rxe0");
	ck_assert_str_eq(spec->iface, "");
	ck_assert(!spec->has_mac);
	ck_assert_uint_eq(spec->active_rate, 0);
	ck_assert_uint_eq(spec->port_state, 0);
	ck_assert_uint_eq(spec->n_gids, 0);
	ck_assert_int_eq(discover_ibdev(&sysfs, "../rxe0", &found.devices[0]), -ENOENT);
}
END_TEST

START_TEST(too_many)
{
	char ibdev[32], iface[32];

	for (int i = 0; i <= TOPOLOGY_MAX_DEVICES; i++) {
		snprintf(ibdev, sizeof(ibdev), "rxe%d", i);
		snprintf(iface, sizeof(iface), "d%d", i);
		tree_add_rxe(ibdev, iface);
	}
	discover_devices();
	ck_assert_uint_eq(found.n_devices, TOPOLOGY_MAX_DEVICES);
	ck_assert(found.truncated);
	ck_assert_str_eq(found.devices[10].name, "rxe10");
}
END_TEST

/* --- devlink messages --- */

static _Alignas(struct nlmsghdr) char answer[1024];

/* Formatted like the kernel's; the attributes of the flavour follow. */
static struct nlmsghdr *answer_of(const char *bus, const char *dev, int flavour)
{
	struct nlmsghdr *m;
	struct genlmsghdr *genl;

	memset(answer, 0, sizeof(answer));
	m = mnl_nlmsg_put_header(answer);
	genl = mnl_nlmsg_put_extra_header(m, sizeof(*genl));
	genl->cmd = DEVLINK_CMD_PORT_NEW;
	mnl_attr_put_strz(m, DEVLINK_ATTR_BUS_NAME, bus);
	mnl_attr_put_strz(m, DEVLINK_ATTR_DEV_NAME, dev);
	mnl_attr_put_u32(m, DEVLINK_ATTR_PORT_INDEX, 5);
	if (flavour >= 0)
		mnl_attr_put_u16(m, DEVLINK_ATTR_PORT_FLAVOUR, (uint16_t)flavour);
	return m;
}

static void put_function(struct nlmsghdr *m, size_t mac_len)
{
	static const uint8_t mac[8] = {2, 3, 4, 5, 6, 7, 8, 9};
	struct nlattr *function = mnl_attr_nest_start(m, DEVLINK_ATTR_PORT_FUNCTION);

	mnl_attr_put(m, DEVLINK_PORT_FUNCTION_ATTR_HW_ADDR, mac_len, mac);
	mnl_attr_nest_end(m, function);
}

START_TEST(answers_of_devlink)
{
	struct machine_port port;
	struct nlmsghdr *m;

	/* A VF of another machine, through an external controller. */
	m = answer_of("pci", "0000:03:00.0", DEVLINK_PORT_FLAVOUR_PCI_VF);
	mnl_attr_put_strz(m, DEVLINK_ATTR_PORT_NETDEV_NAME, "pf1vf2");
	mnl_attr_put_u32(m, DEVLINK_ATTR_PORT_CONTROLLER_NUMBER, 3);
	mnl_attr_put_u16(m, DEVLINK_ATTR_PORT_PCI_PF_NUMBER, 1);
	mnl_attr_put_u16(m, DEVLINK_ATTR_PORT_PCI_VF_NUMBER, 2);
	mnl_attr_put_u8(m, DEVLINK_ATTR_PORT_EXTERNAL, 1);
	put_function(m, 6);
	ck_assert(netlink_read_port(m, &port));
	ck_assert_str_eq(port.pci_addr, "0000:03:00.0");
	ck_assert_str_eq(port.iface, "pf1vf2");
	ck_assert_int_eq(port.flavour, MACHINE_PORT_VF);
	ck_assert_uint_eq(port.controller, 3);
	ck_assert_uint_eq(port.pf, 1);
	ck_assert_uint_eq(port.vf, 2);
	ck_assert(port.is_external && port.has_mac);
	ck_assert_uint_eq(port.mac[0], 2);
	ck_assert_uint_eq(port.mac[5], 7);
	/*
	 * A sub-function of this machine without an interface, with an address that is no Ethernet
	 * address.
	 */
	m = answer_of("pci", "0000:03:00.1", DEVLINK_PORT_FLAVOUR_PCI_SF);
	mnl_attr_put_u16(m, DEVLINK_ATTR_PORT_PCI_PF_NUMBER, 0);
	mnl_attr_put_u32(m, DEVLINK_ATTR_PORT_PCI_SF_NUMBER, 70000);
	mnl_attr_put_u8(m, DEVLINK_ATTR_PORT_EXTERNAL, 0);
	put_function(m, 8);
	ck_assert(netlink_read_port(m, &port));
	ck_assert_int_eq(port.flavour, MACHINE_PORT_SF);
	ck_assert_uint_eq(port.sf, 70000);
	ck_assert_str_eq(port.iface, "");
	ck_assert(!port.is_external && !port.has_mac);
	m = answer_of("pci", "0000:03:00.0", DEVLINK_PORT_FLAVOUR_PCI_PF);
	ck_assert(netlink_read_port(m, &port));
	ck_assert_int_eq(port.flavour, MACHINE_PORT_PF);
	/* Flavours that are no representors, and flavours that a later kernel may have. */
	for (int flavour = DEVLINK_PORT_FLAVOUR_PHYSICAL; flavour < 200; flavour += 50) {
		m = answer_of("pci", "0000:03:00.0", flavour);
		ck_assert(netlink_read_port(m, &port));
		ck_assert_int_eq(port.flavour, MACHINE_PORT_OTHER);
	}
	ck_assert(!netlink_read_port(
		answer_of("netdevsim", "netdevsim1", DEVLINK_PORT_FLAVOUR_PCI_PF), &port));
	ck_assert(!netlink_read_port(answer_of("pci", "0000:03:00.0", -1), &port));
	/* A name that is too long. */
	m = answer_of("pci", "0000:03:00.0000000000000000", DEVLINK_PORT_FLAVOUR_PCI_PF);
	ck_assert(netlink_read_port(m, &port));
	ck_assert_str_eq(port.pci_addr, "0000:03:00.0");
}
END_TEST

/* --- the running kernel --- */

static void keep_loopback(void *arg, const struct machine_address *address)
{
	if (strcmp(address->iface, "lo") == 0 && address->family == AF_INET &&
	    address->bytes[0] == 127)
		*(bool *)arg = true;
}

static void check_port(void *arg, const struct machine_port *port)
{
	(void)arg;
	ck_assert_uint_eq(strlen(port->pci_addr), 12);
}

START_TEST(real_netlink)
{
	int fds[MACHINE_N_WATCHES] = {-1, -1};
	bool has_loopback = false;

	ck_assert_int_eq(netlink_machine.addresses(NULL, keep_loopback, &has_loopback), 0);
	ck_assert(has_loopback);
	ck_assert_int_eq(netlink_machine.ports(NULL, check_port, NULL), 0);
	ck_assert_int_eq(netlink_machine.watch(NULL, fds), 0);
	for (int i = 0; i < MACHINE_N_WATCHES; i++) {
		ck_assert_int_ge(fds[i], 0);
		(void)netlink_machine.changed(NULL, fds[i], i);
		close(fds[i]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon discovery");
	TCase *tcase = unit_case(suite, "machines", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, nothing_there);
	tcase_add_test(tcase, functions_of_a_card);
	tcase_add_test(tcase, soft_roce);
	tcase_add_test(tcase, an_address_is_removed);
	tcase_add_test(tcase, infiniband);
	tcase_add_test(tcase, interfaces_without_rdma);
	tcase_add_test(tcase, ports_of_a_switch);
	tcase_add_test(tcase, malformed_sysfs_files);
	tcase_add_test(tcase, too_many);
	tcase_add_test(tcase, answers_of_devlink);
	tcase_add_test(tcase, real_netlink);
	return unit_run(suite);
}
