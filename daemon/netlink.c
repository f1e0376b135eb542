/* See netlink.h. */
#include "daemon/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
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
/* Kernel's group of kobject events. */
#define UEVENT_GROUP 1u

/* 0 goes on, anything else ends the reading with that. */
typedef int (*netlink_fn)(void *arg, const struct nlmsghdr *message);

static int netlink_open(int protocol, unsigned groups)
{
	struct sockaddr_nl addr = {.nl_family = AF_NETLINK, .nl_groups = groups};
	struct timeval patience = {.tv_sec = 1};
	CLEANUP_FD int fd = socket(
		AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | (groups ? SOCK_NONBLOCK : 0), protocol);

	if (fd < 0)
		return -errno;
	/* The kernel answers at once; a reader that waits for ever would stop everybody. */
	if (!groups && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -errno;
	return fd_steal(&fd);
}

/* Bytes of one datagram of the kernel, 0 for one of somebody else's, or -errno. */
static ssize_t netlink_recv(int fd, void *buf, size_t len)
{
	struct sockaddr_nl from = {.nl_family = AF_UNSPEC};
	socklen_t from_len = sizeof(from);
	ssize_t n = recvfrom(fd, buf, len, 0, (struct sockaddr *)&from, &from_len);

	if (n < 0)
		return -errno;
	return from.nl_pid == 0 ? n : 0;
}

/* Sends the request and hands over all that comes until the end. 0 or -errno. */
static int netlink_ask(int fd, struct nlmsghdr *request, netlink_fn fn, void *arg)
{
	static _Alignas(struct nlmsghdr) char buf[NETLINK_BUF_LEN];

	request->nlmsg_seq = 1;
	if (send(fd, request, request->nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		ssize_t n = netlink_recv(fd, buf, sizeof(buf));
		int left = (int)n;

		if (n < 0)
			return (int)n;
		for (struct nlmsghdr *m = (struct nlmsghdr *)buf; NLMSG_OK(m, left);
		     m = NLMSG_NEXT(m, left)) {
			int r;

			if (m->nlmsg_type == NLMSG_DONE)
				return 0;
			if (m->nlmsg_type == NLMSG_ERROR)
				return m->nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))
					       ? -EPROTO
					       : ((const struct nlmsgerr *)NLMSG_DATA(m))->error;
			r = fn(arg, m);
			if (r != 0)
				return r;
			if (!(m->nlmsg_flags & NLM_F_MULTI))
				return 0;
		}
	}
}

/* --- addresses --- */

struct address_call {
	void (*fn)(void *arg, const struct machine_address *address);
	void *arg;
};

static int netlink_on_address(void *user, const struct nlmsghdr *m)
{
	const struct address_call *call = user;
	const struct ifaddrmsg *header = NLMSG_DATA(m);
	struct machine_address address = {.family = AF_UNSPEC};
	int left = (int)IFA_PAYLOAD(m);

	if (m->nlmsg_type != RTM_NEWADDR || m->nlmsg_len < NLMSG_LENGTH(sizeof(*header)))
		return 0;
	for (const struct rtattr *a = IFA_RTA(header); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		size_t len = header->ifa_family == AF_INET ? 4 : 16;

		/* On point-to-point links IFA_ADDRESS is the other end's; IFA_LOCAL comes later. */
		if ((a->rta_type != IFA_ADDRESS && a->rta_type != IFA_LOCAL) ||
		    RTA_PAYLOAD(a) != len)
			continue;
		memcpy(address.bytes, RTA_DATA(a), len);
		address.family = header->ifa_family;
	}
	address.is_link_local = header->ifa_scope != RT_SCOPE_UNIVERSE;
	if (address.family != AF_UNSPEC && if_indextoname(header->ifa_index, address.iface))
		call->fn(call->arg, &address);
	return 0;
}

static int netlink_addresses(void *user,
			     void (*fn)(void *arg, const struct machine_address *address),
			     void *arg)
{
	struct {
		struct nlmsghdr header;
		struct ifaddrmsg body;
	} request = {
		.header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifaddrmsg)),
			   .nlmsg_type = RTM_GETADDR,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.body = {.ifa_family = AF_UNSPEC},
	};
	struct address_call call = {fn, arg};
	CLEANUP_FD int fd = netlink_open(NETLINK_ROUTE, 0);

	(void)user;
	return fd < 0 ? fd : netlink_ask(fd, &request.header, netlink_on_address, &call);
}

/* --- devlink ports --- */

#define ATTR_MAX 256

/* Attributes of one level by type; the first of a type counts. */
struct attrs {
	const struct nlattr *of[ATTR_MAX];
};

static void attrs_parse(struct attrs *attrs, const void *data, size_t len)
{
	const char *at = data;

	memset(attrs, 0, sizeof(*attrs));
	while (len >= NLA_HDRLEN) {
		const struct nlattr *a = (const struct nlattr *)at;
		unsigned type = a->nla_type & NLA_TYPE_MASK;
		size_t step;

		if (a->nla_len < NLA_HDRLEN || a->nla_len > len)
			return;
		if (type < ATTR_MAX && !attrs->of[type])
			attrs->of[type] = a;
		step = MIN((size_t)NLA_ALIGN(a->nla_len), len);
		at += step;
		len -= step;
	}
}

static size_t attr_len(const struct nlattr *a)
{
	return a ? a->nla_len - (size_t)NLA_HDRLEN : 0;
}

static const void *attr_data(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

/* Little or big, as this machine has them. */
static uint32_t attr_number(const struct nlattr *a)
{
	uint32_t n = 0;
	uint16_t half = 0;

	if (attr_len(a) == sizeof(half)) {
		memcpy(&half, attr_data(a), sizeof(half));
		return half;
	}
	if (attr_len(a) == 1)
		return *(const uint8_t *)attr_data(a);
	if (attr_len(a) >= sizeof(n))
		memcpy(&n, attr_data(a), sizeof(n));
	return n;
}

static void attr_text(const struct nlattr *a, char *out, size_t len)
{
	size_t n = MIN(attr_len(a), len - 1);

	if (n)
		memcpy(out, attr_data(a), n);
	out[n] = '\0';
}

static int netlink_on_family(void *user, const struct nlmsghdr *m)
{
	uint16_t *family_out = user;
	struct attrs attrs;

	if (m->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
		return 0;
	attrs_parse(&attrs, (const char *)NLMSG_DATA(m) + GENL_HDRLEN,
		    m->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN));
	*family_out = (uint16_t)attr_number(attrs.of[CTRL_ATTR_FAMILY_ID]);
	return 0;
}

/* The number of generic netlink's family "devlink", -ENOENT when this kernel has none. */
static int netlink_find_devlink(int fd, uint16_t *family_out)
{
	struct {
		struct nlmsghdr header;
		struct genlmsghdr genl;
		struct nlattr name;
		char text[NLA_ALIGN(sizeof(DEVLINK_GENL_NAME))];
	} request = {
		.header = {.nlmsg_len = sizeof(request),
			   .nlmsg_type = GENL_ID_CTRL,
			   .nlmsg_flags = NLM_F_REQUEST},
		.genl = {.cmd = CTRL_CMD_GETFAMILY, .version = 1},
		.name = {.nla_len = NLA_HDRLEN + sizeof(DEVLINK_GENL_NAME),
			 .nla_type = CTRL_ATTR_FAMILY_NAME},
		.text = DEVLINK_GENL_NAME,
	};
	int r;

	*family_out = 0;
	r = netlink_ask(fd, &request.header, netlink_on_family, family_out);
	return r < 0 ? r : *family_out ? 0 : -ENOENT;
}

struct port_call {
	void (*fn)(void *arg, const struct machine_port *port);
	void *arg;
};

static int netlink_on_port(void *user, const struct nlmsghdr *m)
{
	static const enum machine_port_flavour flavours[] = {
		[DEVLINK_PORT_FLAVOUR_PCI_PF] = MACHINE_PORT_PF,
		[DEVLINK_PORT_FLAVOUR_PCI_VF] = MACHINE_PORT_VF,
		[DEVLINK_PORT_FLAVOUR_PCI_SF] = MACHINE_PORT_SF,
	};
	const struct port_call *call = user;
	struct machine_port port = {.flavour = MACHINE_PORT_OTHER};
	struct attrs attrs, function;
	uint32_t flavour;
	char bus[16];

	if (m->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
		return 0;
	attrs_parse(&attrs, (const char *)NLMSG_DATA(m) + GENL_HDRLEN,
		    m->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN));
	attr_text(attrs.of[DEVLINK_ATTR_BUS_NAME], bus, sizeof(bus));
	attr_text(attrs.of[DEVLINK_ATTR_DEV_NAME], port.pci_addr, sizeof(port.pci_addr));
	attr_text(attrs.of[DEVLINK_ATTR_PORT_NETDEV_NAME], port.iface, sizeof(port.iface));
	flavour = attr_number(attrs.of[DEVLINK_ATTR_PORT_FLAVOUR]);
	if (strcmp(bus, "pci") != 0 || !attrs.of[DEVLINK_ATTR_PORT_FLAVOUR])
		return 0;
	if (flavour < ARRAY_LEN(flavours))
		port.flavour = flavours[flavour];
	port.controller = attr_number(attrs.of[DEVLINK_ATTR_PORT_CONTROLLER_NUMBER]);
	port.pf = attr_number(attrs.of[DEVLINK_ATTR_PORT_PCI_PF_NUMBER]);
	port.vf = attr_number(attrs.of[DEVLINK_ATTR_PORT_PCI_VF_NUMBER]);
	port.sf = attr_number(attrs.of[DEVLINK_ATTR_PORT_PCI_SF_NUMBER]);
	port.is_external = attr_number(attrs.of[DEVLINK_ATTR_PORT_EXTERNAL]) != 0;
	if (attrs.of[DEVLINK_ATTR_PORT_FUNCTION]) {
		const struct nlattr *mac;

		attrs_parse(&function, attr_data(attrs.of[DEVLINK_ATTR_PORT_FUNCTION]),
			    attr_len(attrs.of[DEVLINK_ATTR_PORT_FUNCTION]));
		mac = function.of[DEVLINK_PORT_FUNCTION_ATTR_HW_ADDR];
		port.has_mac = attr_len(mac) == sizeof(port.mac);
		if (port.has_mac)
			memcpy(port.mac, attr_data(mac), sizeof(port.mac));
	}
	call->fn(call->arg, &port);
	return 0;
}

static int netlink_ports(void *user, void (*fn)(void *arg, const struct machine_port *port),
			 void *arg)
{
	struct {
		struct nlmsghdr header;
		struct genlmsghdr genl;
	} request = {
		.header = {.nlmsg_len = sizeof(request), .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.genl = {.cmd = DEVLINK_CMD_PORT_GET, .version = DEVLINK_GENL_VERSION},
	};
	struct port_call call = {fn, arg};
	CLEANUP_FD int fd = netlink_open(NETLINK_GENERIC, 0);
	int r = fd < 0 ? fd : netlink_find_devlink(fd, &request.header.nlmsg_type);

	(void)user;
	if (r == -ENOENT)
		return 0;
	return r < 0 ? r : netlink_ask(fd, &request.header, netlink_on_port, &call);
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

/* "add@/devices/...\0ACTION=add\0...SUBSYSTEM=net\0..." */
static bool uevent_is_of_devices(const char *text, size_t len)
{
	static const char *const subsystems[] = {"SUBSYSTEM=infiniband", "SUBSYSTEM=net",
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

		/* Some were lost: look. */
		if (n == -ENOBUFS)
			changed = true;
		else if (n < 0)
			return changed;
		if (n <= 0)
			continue;
		buf[n] = '\0';
		changed = changed || which == WATCH_ROUTE || uevent_is_of_devices(buf, (size_t)n);
	}
}

const struct machine_ops netlink_machine = {
	.addresses = netlink_addresses,
	.ports = netlink_ports,
	.watch = netlink_watch,
	.changed = netlink_changed,
};
