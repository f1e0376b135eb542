/*
 * What the kernel says over netlink of devlink's ports, and of devices that come and go: nothing is
 * read past the end of it, and what is made of it keeps to its ranges, whatever it says.
 */
#include <libmnl/libmnl.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <string.h>

#include "daemon/netlink.h"
#include "tests/fuzz/fuzz.h"
#include "util/util.h"

#define ANSWER_MAX 4096u

/* Bytes behind the head of a message, in memory that ends where they do: messages are padded. */
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
	/* Whatever stands before it. */
	memcpy(text + len, ours, sizeof(ours));
	FUZZ_CHECK(netlink_is_of_devices(text, len + sizeof(ours) - 1));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	len = MIN(len, (size_t)ANSWER_MAX);
	check_port(data, len);
	check_notice(data, len);
	return 0;
}

static size_t seed_port(unsigned flavour, uint8_t *out, size_t out_len)
{
	static const uint8_t mac[6] = {2, 3, 4, 5, 6, 7};
	static _Alignas(struct nlmsghdr) char room[1024];
	struct nlmsghdr *m = mnl_nlmsg_put_header(room);
	struct nlattr *function;
	size_t len;

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
	len = MIN((size_t)m->nlmsg_len - NLMSG_HDRLEN, out_len);
	memcpy(out, (uint8_t *)m + NLMSG_HDRLEN, len);
	return len;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	static const unsigned flavours[] = {DEVLINK_PORT_FLAVOUR_PCI_PF,
					    DEVLINK_PORT_FLAVOUR_PCI_VF,
					    DEVLINK_PORT_FLAVOUR_PCI_SF, 200};
	static const char notice[] = "add@/devices/pci0000:00/net/p0\0ACTION=add\0SUBSYSTEM=net\0";

	if (i < ARRAY_LEN(flavours))
		return seed_port(flavours[i], out, out_len);
	if (i > ARRAY_LEN(flavours) || out_len < sizeof(notice))
		return 0;
	memcpy(out, notice, sizeof(notice));
	return sizeof(notice);
}
