/* See absent_library.h. doc/features.md has the same table with the reasons. */
#include "tools/doca-admin/which_api/absent_library.h"

#include <stddef.h>
#include <string.h>

#include "util/util.h"

/* A longer prefix comes before a shorter one that it begins with. */
static const struct absent_library libraries[] = {
	{"doca_apsh", "App Shield, which inspects the memory of a host from its card", "LibVMI"},
	{"doca_comch_msgq", "messages between a program and code on the card's DPA",
	 "producers and consumers of doca_comch_producer.h"},
	{"doca_devemu", "PCIe devices that the card emulates",
	 "libvfio-user, or SPDK's vhost-user"},
	{"doca_dpa", "code that runs on the card's data path accelerator",
	 "a thread of the program on the DPU"},
	{"doca_dpdk_bridge", "DPDK's packets in buffers of DOCA", "DPDK by itself"},
	{"doca_dpi", "deep packet inspection", "nDPI or Suricata"},
	{"doca_eth", "raw Ethernet frames of the card's queues", "AF_XDP or DPDK"},
	{"doca_flow", "steering of packets in the card's switch",
	 "tc flower, Open vSwitch or DPDK's rte_flow"},
	{"doca_gpunetio", "network access by code on a GPU", NULL},
	{"doca_ipsec", "IPsec in the card", "the kernel's xfrm, as strongSwan configures it"},
	{"doca_pcc", "congestion control that runs in the card", NULL},
	{"doca_regex", "regular expressions in the card", "Hyperscan or Vectorscan"},
	{"doca_rmax", "media streams by Rivermax", NULL},
	{"doca_sta", "targets of NVMe over Fabrics in the card", "SPDK's nvmf target"},
	{"doca_telemetry", "counters for a collector", "doca-admin with --json, and D-Bus"},
	{"doca_urom", "collective operations that the card executes", "UCX and UCC"},
	{"doca_verbs", "queue pairs and completion queues by themselves",
	 "libibverbs, or doca_rdma.h"},
};

const struct absent_library *absent_library_find(const char *header)
{
	for (size_t i = 0; i < ARRAY_LEN(libraries); i++) {
		size_t len = strlen(libraries[i].prefix);

		if (strncmp(header, libraries[i].prefix, len) == 0 &&
		    (header[len] == '.' || header[len] == '_'))
			return &libraries[i];
	}
	return NULL;
}
