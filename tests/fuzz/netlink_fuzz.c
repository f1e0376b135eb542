/*
 * Netlink messages of the kernel about addresses, devlink's ports, and devices that are added or
 * removed: nothing is read after the end of a message, and the results stay in their ranges,
 * whatever the message contains.
 *
 * The first byte of an input selects the function under test. The rest is one message, or the
 * datagrams that the kernel sends: two bytes of length, least significant first, a byte that says
 * whether another process sent the datagram or the kernel lost some, and the bytes. The linker
 * redirects the system calls of daemon/topology/netlink.c to this file (--wrap).
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/topology/netlink.h"
#include "tests/fuzz/fuzz.h"
#include "util/util.h"

#define ANSWER_MAX 4096u

/*
 * Decodes the bytes as a message's payload, in memory that ends directly after them; messages are
 * padded.
 */
static void check_port(const uint8_t *data, size_t len)
{
	struct nlmsghdr *m = calloc(1, NLMSG_ALIGN(NLMSG_HDRLEN + len));
	struct machine_port port;

	FUZZ_CHECK(m != NULL);
	*m = (struct nlmsghdr){.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + len)};
	memcpy((uint8_t *)m + NLMSG_HDRLEN, data, len);
	if (netlink_read_port(m, &port)) {
		FUZZ_CHECK(strnlen(port.pci_addr, sizeof(port.pci_addr)) < sizeof(port.pci_addr));
		FUZZ_CHECK(strnlen(port.iface, sizeof(port.iface)) < sizeof(port.iface));
		FUZZ_CHECK(port.flavour == MACHINE_PORT_OTHER || port.flavour == MACHINE_PORT_PF ||
			   port.flavour == MACHINE_PORT_VF || port.flavour == MACHINE_PORT_SF);
	}
	free(m);
}

static void check_notice(const uint8_t *data, size_t len)
{
	static const char ours[] = "\0SUBSYSTEM=infiniband";
	char *text = malloc(len + sizeof(ours));

	FUZZ_CHECK(text != NULL);
	memcpy(text, data, len);
	text[len] = '\0';
	(void)netlink_is_of_devices(text, len);
	/* The bytes before it do not matter. */
	memcpy(text + len, ours, sizeof(ours));
	FUZZ_CHECK(netlink_is_of_devices(text, len + sizeof(ours) - 1));
	free(text);
}

/* --- the kernel --- */

#define FROM_ANOTHER_SENDER 1u /* bits of a datagram's third byte */
#define LOST_SOME           2u

static struct {
	const uint8_t *data;
	size_t len;
} kernel;

int __wrap_socket(int domain, int type, int protocol);
int __wrap_bind(int fd, const struct sockaddr *addr, socklen_t len);
ssize_t __wrap_send(int fd, const void *data, size_t len, int flags);
ssize_t __wrap_recvfrom(int fd, void *buf, size_t len, int flags, struct sockaddr *from,
			socklen_t *from_len);
int __real_socket(int domain, int type, int protocol);

/* A socket that accepts the options of a netlink socket. */
int __wrap_socket(int domain, int type, int protocol)
{
	FUZZ_CHECK(domain == AF_NETLINK);
	(void)protocol;
	return __real_socket(AF_UNIX, SOCK_DGRAM | (type & (SOCK_CLOEXEC | SOCK_NONBLOCK)), 0);
}

int __wrap_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	(void)fd;
	FUZZ_CHECK(len == sizeof(struct sockaddr_nl) && addr->sa_family == AF_NETLINK);
	return 0;
}

ssize_t __wrap_send(int fd, const void *data, size_t len, int flags)
{
	(void)fd, (void)flags;
	FUZZ_CHECK(mnl_nlmsg_ok(data, (int)len));
	return (ssize_t)len;
}

ssize_t __wrap_recvfrom(int fd, void *buf, size_t len, int flags, struct sockaddr *from,
			socklen_t *from_len)
{
	struct sockaddr_nl addr = {.nl_family = AF_NETLINK};
	uint8_t how;
	size_t n;

	(void)fd, (void)flags;
	if (kernel.len < 3) {
		errno = EAGAIN;
		return -1;
	}
	n = MIN((size_t)kernel.data[0] | (size_t)kernel.data[1] << 8, kernel.len - 3);
	how = kernel.data[2];
	kernel.data += 3;
	kernel.len -= 3;
	if (how & LOST_SOME) {
		errno = ENOBUFS;
		return -1;
	}
	addr.nl_pid = how & FROM_ANOTHER_SENDER;
	FUZZ_CHECK(*from_len >= sizeof(addr));
	memcpy(from, &addr, sizeof(addr));
	*from_len = sizeof(addr);
	memcpy(buf, kernel.data, MIN(n, len));
	kernel.data += n;
	kernel.len -= n;
	return (ssize_t)MIN(n, len);
}

static void address_seen(void *arg, const struct machine_address *address)
{
	++*(unsigned *)arg;
	FUZZ_CHECK(strnlen(address->iface, sizeof(address->iface)) < sizeof(address->iface));
}

static void port_seen(void *arg, const struct machine_port *port)
{
	++*(unsigned *)arg;
	FUZZ_CHECK(strnlen(port->iface, sizeof(port->iface)) < sizeof(port->iface));
	FUZZ_CHECK(strnlen(port->pci_addr, sizeof(port->pci_addr)) < sizeof(port->pci_addr));
}

static void check_dumps(const uint8_t *data, size_t len, bool of_ports)
{
	unsigned n_seen = 0;
	int r;

	kernel.data = data;
	kernel.len = len;
	r = of_ports ? netlink_machine.ports(NULL, port_seen, &n_seen)
		     : netlink_machine.addresses(NULL, address_seen, &n_seen);
	FUZZ_CHECK(r <= 0);
}

/*
 * A change is reported if datagrams were lost, if an address changed, or if a notice is about
 * devices.
 */
static void check_watch(const uint8_t *data, size_t len, int which)
{
	int fds[MACHINE_N_WATCHES];

	FUZZ_CHECK(netlink_machine.watch(NULL, fds) == 0);
	kernel.data = data;
	kernel.len = len;
	(void)netlink_machine.changed(NULL, fds[which], which);
	FUZZ_CHECK(kernel.len < 3);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		close(fds[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len == 0)
		return 0;
	len = MIN(len - 1, (size_t)ANSWER_MAX);
	switch (*data++ % 6) {
	case 0:
		check_port(data, len);
		break;
	case 1:
		check_notice(data, len);
		break;
	case 2:
	case 3:
		check_dumps(data, len, data[-1] % 6 == 3);
		break;
	default:
		check_watch(data, len, data[-1] % 6 - 4);
	}
	return 0;
}

/* --- seeds --- */

struct seed {
	uint8_t *out;
	size_t len;
};

static void seed_datagram(struct seed *seed, uint8_t how, const void *data, size_t len)
{
	uint8_t *at = seed->out + seed->len;

	at[0] = (uint8_t)len;
	at[1] = (uint8_t)(len >> 8);
	at[2] = how;
	if (len > 0)
		memcpy(at + 3, data, len);
	seed->len += 3 + len;
}

static void seed_done(struct seed *seed)
{
	_Alignas(struct nlmsghdr) char room[64] = {0};
	struct nlmsghdr *m = mnl_nlmsg_put_header(room);

	m->nlmsg_type = NLMSG_DONE;
	m->nlmsg_flags = NLM_F_MULTI;
	m->nlmsg_seq = 1;
	mnl_nlmsg_put_extra_header(m, sizeof(int));
	seed_datagram(seed, 0, m, m->nlmsg_len);
}

static void seed_address(struct seed *seed, uint8_t family, bool is_local)
{
	_Alignas(struct nlmsghdr) char room[256] = {0};
	struct nlmsghdr *m = mnl_nlmsg_put_header(room);
	static const uint8_t address[16] = {192, 0, 2, 1};
	struct ifaddrmsg *body;

	m->nlmsg_type = RTM_NEWADDR;
	m->nlmsg_flags = NLM_F_MULTI;
	m->nlmsg_seq = 1;
	body = mnl_nlmsg_put_extra_header(m, sizeof(*body));
	body->ifa_family = family;
	body->ifa_index = 1;
	mnl_attr_put(m, is_local ? IFA_LOCAL : IFA_ADDRESS, family == AF_INET ? 4 : 16, address);
	seed_datagram(seed, 0, m, m->nlmsg_len);
}

/* For port answers the type in the header does not matter. */
static struct nlmsghdr *make_port(unsigned flavour)
{
	static const uint8_t mac[6] = {2, 3, 4, 5, 6, 7};
	static _Alignas(struct nlmsghdr) char room[1024];
	struct nlmsghdr *m;
	struct nlattr *function;

	memset(room, 0, sizeof(room));
	m = mnl_nlmsg_put_header(room);
	m->nlmsg_type = 40;
	m->nlmsg_flags = NLM_F_MULTI;
	m->nlmsg_seq = 1;
	((struct genlmsghdr *)mnl_nlmsg_put_extra_header(m, sizeof(struct genlmsghdr)))->cmd =
		DEVLINK_CMD_PORT_NEW;
	mnl_attr_put_strz(m, DEVLINK_ATTR_BUS_NAME, "pci");
	mnl_attr_put_strz(m, DEVLINK_ATTR_DEV_NAME, "0000:03:00.0");
	mnl_attr_put_u16(m, DEVLINK_ATTR_PORT_FLAVOUR, (uint16_t)flavour);
	mnl_attr_put_strz(m, DEVLINK_ATTR_PORT_NETDEV_NAME, "pf1vf2");
	mnl_attr_put_u32(m, DEVLINK_ATTR_PORT_CONTROLLER_NUMBER, 3);
	mnl_attr_put_u16(m, DEVLINK_ATTR_PORT_PCI_PF_NUMBER, 1);
	mnl_attr_put_u16(m, DEVLINK_ATTR_PORT_PCI_VF_NUMBER, 2);
	mnl_attr_put_u32(m, DEVLINK_ATTR_PORT_PCI_SF_NUMBER, 70000);
	mnl_attr_put_u8(m, DEVLINK_ATTR_PORT_EXTERNAL, 1);
	function = mnl_attr_nest_start(m, DEVLINK_ATTR_PORT_FUNCTION);
	mnl_attr_put(m, DEVLINK_PORT_FUNCTION_ATTR_HW_ADDR, sizeof(mac), mac);
	mnl_attr_nest_end(m, function);
	return m;
}

/* The family's number, then the ports. */
static void seed_ports(struct seed *seed)
{
	_Alignas(struct nlmsghdr) char room[256] = {0};
	struct nlmsghdr *m = mnl_nlmsg_put_header(room);

	m->nlmsg_type = GENL_ID_CTRL;
	m->nlmsg_seq = 1;
	mnl_nlmsg_put_extra_header(m, sizeof(struct genlmsghdr));
	mnl_attr_put_u16(m, CTRL_ATTR_FAMILY_ID, 40);
	seed_datagram(seed, 0, m, m->nlmsg_len);
	for (unsigned flavour = 0; flavour < 8; flavour++) {
		m = make_port(flavour);
		seed_datagram(seed, 0, m, m->nlmsg_len);
	}
	seed_done(seed);
}

static void seed_error(struct seed *seed)
{
	_Alignas(struct nlmsghdr) char room[64] = {0};
	struct nlmsghdr *m = mnl_nlmsg_put_header(room);
	struct nlmsgerr *error;

	m->nlmsg_type = NLMSG_ERROR;
	m->nlmsg_seq = 1;
	error = mnl_nlmsg_put_extra_header(m, sizeof(*error));
	error->error = -EPERM;
	seed_datagram(seed, FROM_ANOTHER_SENDER, m, m->nlmsg_len);
	seed_datagram(seed, 0, m, m->nlmsg_len);
}

/* A length that is negative as an int, after a complete message. */
static void seed_huge(struct seed *seed)
{
	const struct nlmsghdr m = {.nlmsg_len = UINT32_MAX, .nlmsg_seq = 1};
	_Alignas(struct nlmsghdr) char room[2 * sizeof(m)];
	struct nlmsghdr *first = mnl_nlmsg_put_header(room);

	first->nlmsg_type = NLMSG_NOOP;
	memcpy(room + sizeof(m), &m, sizeof(m));
	seed_datagram(seed, 0, room, sizeof(room));
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	static const unsigned flavours[] = {DEVLINK_PORT_FLAVOUR_PCI_PF,
					    DEVLINK_PORT_FLAVOUR_PCI_VF,
					    DEVLINK_PORT_FLAVOUR_PCI_SF, 200};
	static const char notice[] = "add@/devices/pci0000:00/net/p0\0ACTION=add\0SUBSYSTEM=net\0";
	struct seed seed = {out, 1};
	const struct nlmsghdr *m;

	if (out_len < ANSWER_MAX)
		return 0;
	if (i < ARRAY_LEN(flavours)) {
		m = make_port(flavours[i]);
		out[0] = 0;
		memcpy(out + 1, (const uint8_t *)m + NLMSG_HDRLEN, m->nlmsg_len - NLMSG_HDRLEN);
		return 1 + m->nlmsg_len - NLMSG_HDRLEN;
	}
	switch (i - ARRAY_LEN(flavours)) {
	case 0:
		out[0] = 1;
		memcpy(out + 1, notice, sizeof(notice));
		return 1 + sizeof(notice);
	case 1:
		out[0] = 2;
		seed_address(&seed, AF_INET, true);
		seed_address(&seed, AF_INET6, false);
		seed_done(&seed);
		return seed.len;
	case 2:
		out[0] = 3;
		seed_ports(&seed);
		return seed.len;
	case 3:
		out[0] = 2;
		seed_error(&seed);
		return seed.len;
	case 4:
		out[0] = 3;
		seed_done(&seed);
		return seed.len;
	case 5:
	case 6:
		out[0] = i % 2 ? 4 : 5;
		seed_datagram(&seed, 0, notice, sizeof(notice));
		seed_datagram(&seed, FROM_ANOTHER_SENDER, notice, sizeof(notice));
		seed_datagram(&seed, LOST_SOME, NULL, 0);
		return seed.len;
	case 7:
		out[0] = 2;
		seed_huge(&seed);
		return seed.len;
	default:
		return 0;
	}
}
