/* See netlink.h. */
#include "daemon/topology/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"
#include "util/util.h"

#define NETLINK_BUF_LEN 32768
/* The kernel's multicast group of kobject events. */
#define UEVENT_GROUP 1u
#define ATTR_MAX     256

static int netlink_open(int protocol, unsigned groups)
{
	struct sockaddr_nl addr = {.nl_family = AF_NETLINK, .nl_groups = groups};
	struct timeval timeout = {.tv_sec = 1};
	CLEANUP_FD int fd = socket(
		AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | (groups ? SOCK_NONBLOCK : 0), protocol);

	if (fd < 0)
		return -errno;
	/*
	 * The kernel answers at once. A receive without a timeout could block the caller for ever.
	 */
	if (!groups && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -errno;
	return fd_steal(&fd);
}

/* Returns the length of one datagram of the kernel, 0 for one of another sender, or -errno. */
static ssize_t netlink_recv(int fd, void *buf, size_t len)
{
	struct sockaddr_nl from = {.nl_family = AF_UNSPEC};
	socklen_t from_len = sizeof(from);
	ssize_t n = recvfrom(fd, buf, len, 0, (struct sockaddr *)&from, &from_len);

	if (n < 0)
		return -errno;
	return from.nl_pid == 0 ? n : 0;
}

/*
 * Returns the length of the complete messages at the start of a datagram. This check is needed
 * because libmnl compares lengths as signed numbers: a message length above INT_MAX would pass as
 * one that fits. Also clears the flag of a dump that was interrupted by changes.
 */
static size_t netlink_check(char *buf, size_t len)
{
	size_t at = 0;

	while (len - at >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr *m = (struct nlmsghdr *)(void *)(buf + at);

		if (m->nlmsg_len < sizeof(*m) || m->nlmsg_len > len - at)
			break;
		m->nlmsg_flags &= (uint16_t)~NLM_F_DUMP_INTR;
		at += MIN((size_t)NLMSG_ALIGN(m->nlmsg_len), len - at);
	}
	return at;
}

/*
 * Sends the request and calls fn for all messages of the answer. A dump that was interrupted by
 * changes counts as valid, because watchers are notified of these changes. Returns 0 or -errno.
 */
static int netlink_ask(int fd, struct nlmsghdr *request, mnl_cb_t fn, void *arg)
{
	static _Alignas(struct nlmsghdr) char buf[NETLINK_BUF_LEN];
	int r = MNL_CB_OK;

	request->nlmsg_seq = 1;
	if (send(fd, request, request->nlmsg_len, 0) < 0)
		return -errno;
	while (r == MNL_CB_OK) {
		ssize_t n = netlink_recv(fd, buf, sizeof(buf));

		if (n < 0)
			return (int)n;
		r = mnl_cb_run(buf, netlink_check(buf, (size_t)n), request->nlmsg_seq, 0, fn, arg);
	}
	return r < 0 ? -errno : 0;
}

/* Attributes of one nesting level, indexed by type. */
struct attrs {
	const struct nlattr *of[ATTR_MAX];
};

static int attrs_add(const struct nlattr *a, void *user)
{
	struct attrs *attrs = user;

	if (mnl_attr_get_type(a) < ATTR_MAX)
		attrs->of[mnl_attr_get_type(a)] = a;
	return MNL_CB_OK;
}

/* --- addresses --- */

struct address_call {
	void (*fn)(void *arg, const struct machine_address *address);
	void *arg;
};

static int netlink_on_address(const struct nlmsghdr *m, void *user)
{
	const struct address_call *call = user;
	const struct ifaddrmsg *header = mnl_nlmsg_get_payload(m);
	struct machine_address address = {.family = AF_UNSPEC};
	struct attrs attrs = {.of = {NULL}};
	const struct nlattr *a;
	size_t len;

	if (m->nlmsg_type != RTM_NEWADDR || mnl_nlmsg_get_payload_len(m) < sizeof(*header))
		return MNL_CB_OK;
	mnl_attr_parse(m, sizeof(*header), attrs_add, &attrs);
	/* On point-to-point links IFA_ADDRESS is the other end's address. */
	a = attrs.of[IFA_LOCAL] ? attrs.of[IFA_LOCAL] : attrs.of[IFA_ADDRESS];
	len = header->ifa_family == AF_INET ? 4 : 16;
	if (!a || mnl_attr_get_payload_len(a) != len)
		return MNL_CB_OK;
	memcpy(address.bytes, mnl_attr_get_payload(a), len);
	address.family = header->ifa_family;
	address.is_link_local = header->ifa_scope != RT_SCOPE_UNIVERSE;
	if (if_indextoname(header->ifa_index, address.iface))
		call->fn(call->arg, &address);
	return MNL_CB_OK;
}

static int netlink_addresses(void *user,
			     void (*fn)(void *arg, const struct machine_address *address),
			     void *arg)
{
	_Alignas(struct nlmsghdr) char room[64];
	struct nlmsghdr *request = mnl_nlmsg_put_header(room);
	struct address_call call = {fn, arg};
	CLEANUP_FD int fd = netlink_open(NETLINK_ROUTE, 0);
	struct ifaddrmsg *body;

	(void)user;
	request->nlmsg_type = RTM_GETADDR;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	body = mnl_nlmsg_put_extra_header(request, sizeof(*body));
	body->ifa_family = AF_UNSPEC;
	return fd < 0 ? fd : netlink_ask(fd, request, netlink_on_address, &call);
}

/* --- devlink ports --- */

static size_t attr_len(const struct nlattr *a)
{
	return a ? mnl_attr_get_payload_len(a) : 0;
}

/* Reads a number of 1, 2 or 4 bytes. */
static uint32_t attr_number(const struct nlattr *a)
{
	switch (attr_len(a)) {
	case 1:
		return mnl_attr_get_u8(a);
	case 2:
		return mnl_attr_get_u16(a);
	case 4:
		return mnl_attr_get_u32(a);
	default:
		return 0;
	}
}

static void attr_text(const struct nlattr *a, char *out, size_t len)
{
	size_t n = MIN(attr_len(a), len - 1);

	if (n)
		memcpy(out, mnl_attr_get_payload(a), n);
	out[n] = '\0';
}

static int netlink_on_family(const struct nlmsghdr *m, void *user)
{
	uint16_t *family_out = user;
	struct attrs attrs = {.of = {NULL}};

	mnl_attr_parse(m, sizeof(struct genlmsghdr), attrs_add, &attrs);
	*family_out = (uint16_t)attr_number(attrs.of[CTRL_ATTR_FAMILY_ID]);
	return MNL_CB_STOP;
}

static struct nlmsghdr *genl_request(char *room, uint16_t family, uint16_t flags, uint8_t command,
				     uint8_t version)
{
	struct nlmsghdr *request = mnl_nlmsg_put_header(room);
	struct genlmsghdr *genl;

	request->nlmsg_type = family;
	request->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(request, sizeof(*genl));
	genl->cmd = command;
	genl->version = version;
	return request;
}

/* Finds the id of generic netlink's family "devlink". Returns -ENOENT if this kernel has none. */
static int netlink_find_devlink(int fd, uint16_t *family_out)
{
	_Alignas(struct nlmsghdr) char room[128];
	struct nlmsghdr *request = genl_request(room, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, 1);
	int r;

	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME);
	*family_out = 0;
	r = netlink_ask(fd, request, netlink_on_family, family_out);
	return r < 0 ? r : *family_out ? 0 : -ENOENT;
}

struct port_call {
	void (*fn)(void *arg, const struct machine_port *port);
	void *arg;
};

bool netlink_read_port(const struct nlmsghdr *m, struct machine_port *port_out)
{
	static const enum machine_port_flavour flavours[] = {
		[DEVLINK_PORT_FLAVOUR_PCI_PF] = MACHINE_PORT_PF,
		[DEVLINK_PORT_FLAVOUR_PCI_VF] = MACHINE_PORT_VF,
		[DEVLINK_PORT_FLAVOUR_PCI_SF] = MACHINE_PORT_SF,
	};
	struct machine_port port = {.flavour = MACHINE_PORT_OTHER};
	struct attrs attrs = {.of = {NULL}}, function = {.of = {NULL}};
	uint32_t flavour;
	char bus[16];

	mnl_attr_parse(m, sizeof(struct genlmsghdr), attrs_add, &attrs);
	attr_text(attrs.of[DEVLINK_ATTR_BUS_NAME], bus, sizeof(bus));
	attr_text(attrs.of[DEVLINK_ATTR_DEV_NAME], port.pci_addr, sizeof(port.pci_addr));
	attr_text(attrs.of[DEVLINK_ATTR_PORT_NETDEV_NAME], port.iface, sizeof(port.iface));
	flavour = attr_number(attrs.of[DEVLINK_ATTR_PORT_FLAVOUR]);
	if (strcmp(bus, "pci") != 0 || !attrs.of[DEVLINK_ATTR_PORT_FLAVOUR])
		return false;
	if (flavour < ARRAY_LEN(flavours))
		port.flavour = flavours[flavour];
	port.controller = attr_number(attrs.of[DEVLINK_ATTR_PORT_CONTROLLER_NUMBER]);
	port.pf = attr_number(attrs.of[DEVLINK_ATTR_PORT_PCI_PF_NUMBER]);
	port.vf = attr_number(attrs.of[DEVLINK_ATTR_PORT_PCI_VF_NUMBER]);
	port.sf = attr_number(attrs.of[DEVLINK_ATTR_PORT_PCI_SF_NUMBER]);
	port.is_external = attr_number(attrs.of[DEVLINK_ATTR_PORT_EXTERNAL]) != 0;
	if (attrs.of[DEVLINK_ATTR_PORT_FUNCTION]) {
		const struct nlattr *mac;

		mnl_attr_parse_nested(attrs.of[DEVLINK_ATTR_PORT_FUNCTION], attrs_add, &function);
		mac = function.of[DEVLINK_PORT_FUNCTION_ATTR_HW_ADDR];
		port.has_mac = attr_len(mac) == sizeof(port.mac);
		if (port.has_mac)
			memcpy(port.mac, mnl_attr_get_payload(mac), sizeof(port.mac));
	}
	*port_out = port;
	return true;
}

static int netlink_on_port(const struct nlmsghdr *m, void *user)
{
	const struct port_call *call = user;
	struct machine_port port;

	if (netlink_read_port(m, &port))
		call->fn(call->arg, &port);
	return MNL_CB_OK;
}

static int netlink_ports(void *user, void (*fn)(void *arg, const struct machine_port *port),
			 void *arg)
{
	_Alignas(struct nlmsghdr) char room[64];
	struct port_call call = {fn, arg};
	CLEANUP_FD int fd = netlink_open(NETLINK_GENERIC, 0);
	uint16_t family;
	int r = fd < 0 ? fd : netlink_find_devlink(fd, &family);

	(void)user;
	if (r == -ENOENT)
		return 0;
	return r < 0 ? r
		     : netlink_ask(fd,
				   genl_request(room, family, NLM_F_DUMP, DEVLINK_CMD_PORT_GET,
						DEVLINK_GENL_VERSION),
				   netlink_on_port, &call);
}

/* --- changes --- */

enum { WATCH_EVENTS, WATCH_ROUTE };

static int netlink_watch(void *user, int fds_out[MACHINE_N_WATCHES])
{
	CLEANUP_FD int events = netlink_open(NETLINK_KOBJECT_UEVENT, UEVENT_GROUP);
	CLEANUP_FD int route = -1;

	(void)user;
	if (events < 0)
		return events;
	route = netlink_open(NETLINK_ROUTE, RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR);
	if (route < 0)
		return route;
	fds_out[WATCH_EVENTS] = fd_steal(&events);
	fds_out[WATCH_ROUTE] = fd_steal(&route);
	return 0;
}

/* text is for example "add@/devices/...\0ACTION=add\0...SUBSYSTEM=net\0..." */
bool netlink_is_of_devices(const char *text, size_t len)
{
	static const char *const subsystems[] = {"SUBSYSTEM=infiniband",
						 "SUBSYSTEM=infiniband_verbs", "SUBSYSTEM=net",
						 "SUBSYSTEM=pci", "SUBSYSTEM=auxiliary"};

	for (size_t at = 0; at < len; at += strnlen(text + at, len - at) + 1)
		for (size_t i = 0; i < ARRAY_LEN(subsystems); i++)
			if (strcmp(text + at, subsystems[i]) == 0)
				return true;
	return false;
}

static bool netlink_changed(void *user, int fd, int which)
{
	char buf[8192];
	bool changed = false;

	(void)user;
	for (;;) {
		ssize_t n = netlink_recv(fd, buf, sizeof(buf) - 1);

		/* Notifications were lost: scan. */
		if (n == -ENOBUFS)
			changed = true;
		else if (n < 0)
			return changed;
		if (n <= 0)
			continue;
		buf[n] = '\0';
		changed = changed || which == WATCH_ROUTE || netlink_is_of_devices(buf, (size_t)n);
	}
}

const struct machine_ops netlink_machine = {
	.addresses = netlink_addresses,
	.ports = netlink_ports,
	.watch = netlink_watch,
	.changed = netlink_changed,
};
