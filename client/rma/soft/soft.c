/* Capabilities of a device without a card: the limits of its profile, and a table of GIDs derived
 * from its addresses. Threads: any; there is no state. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/device/dev.h"
#include "client/rma/soft/domain.h"
#include "proto/gid.h"

#define GIDS_PER_ADDRESS 2u /* RoCE v1 and v2 */

/* Programs rely on at least four entries: indices 1 and 3 are RoCE v2. */
static uint32_t soft_n_gids(const struct doca_devinfo *info)
{
	return GIDS_PER_ADDRESS * (2u + info->has_ipv6);
}

bool soft_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		char reason[RDMA_REASON_MAX])
{
	const struct dev_caps *caps = &info->caps;

	if (!caps->rdma) {
		snprintf(reason, RDMA_REASON_MAX,
			 "the topology denies it to the device, see its key rdma");
		return false;
	}
	*limits_out = (struct rdma_limits){
		.max_send_queue = caps->rdma_max_send_queue,
		.max_recv_queue = caps->rdma_max_recv_queue,
		.max_send_sges = MIN(caps->rdma_max_sges, SOFT_MAX_SGES),
		.max_recv_sges = MIN(caps->rdma_max_sges, SOFT_MAX_SGES),
		.max_message = caps->rdma_max_message,
		.max_qps = caps->rdma_max_qps,
		.n_gids = soft_n_gids(info),
		.max_mtu = caps->rdma_max_mtu,
		.has_atomics = true,
		.has_addresses = true,
		.has_rc = true,
	};
	return true;
}

/* The order of the kernel's table: GIDs of the MAC address, the IPv4 address, the IPv6 address. */
int soft_get_gid(const struct doca_devinfo *info, uint32_t index, uint8_t gid_out[RDMA_GID_LEN])
{
	if (index >= soft_n_gids(info))
		return -ERANGE;
	switch (index / GIDS_PER_ADDRESS) {
	case 0:
		gid_of_mac(info->has_mac ? info->mac : NULL, info->vhca_id, gid_out);
		break;
	case 1:
		gid_of_ipv4(info->has_ipv4 ? info->ipv4 : NULL, info->vhca_id, gid_out);
		break;
	default:
		memcpy(gid_out, info->ipv6, RDMA_GID_LEN);
	}
	return 0;
}
