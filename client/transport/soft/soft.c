/*
 * What a device can do by itself, without a card: the limits of its profile, and a table of GIDs
 * made of its addresses. Threads: any; there is no state.
 */
#include "client/transport/soft/soft.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/core/dev.h"
#include "client/transport/soft/port.h"

static uint32_t soft_n_gids(const struct doca_devinfo *info)
{
	return 1u + info->has_ipv4 + info->has_ipv6;
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
		.has_rc = true,
	};
	return true;
}

/* The link-local address that a port with this MAC gives itself; without a MAC, of its vhca id. */
static void soft_gid_of_mac(const struct doca_devinfo *info, uint8_t gid[RDMA_GID_LEN])
{
	uint8_t mac[6] = {2, 0, 0, 0, (uint8_t)(info->vhca_id >> 8), (uint8_t)info->vhca_id};

	if (info->has_mac)
		memcpy(mac, info->mac, sizeof(mac));
	memset(gid, 0, RDMA_GID_LEN);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	memcpy(gid + 8, mac, 3);
	gid[8] ^= 2;
	gid[11] = 0xff;
	gid[12] = 0xfe;
	memcpy(gid + 13, mac + 3, 3);
}

/* In the order of the kernel's table: of the MAC first, then the addresses. */
static int soft_get_gid(const struct doca_devinfo *info, uint32_t index,
			uint8_t gid_out[RDMA_GID_LEN])
{
	if (index >= soft_n_gids(info))
		return -ERANGE;
	if (index == 0) {
		soft_gid_of_mac(info, gid_out);
	} else if (index == 1 && info->has_ipv4) {
		memset(gid_out, 0, RDMA_GID_LEN);
		gid_out[10] = gid_out[11] = 0xff;
		memcpy(gid_out + 12, info->ipv4, 4);
	} else {
		memcpy(gid_out, info->ipv6, RDMA_GID_LEN);
	}
	return 0;
}

static doca_error_t soft_no_addr(void)
{
	return DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t soft_listen(struct rdma_port *port, uint16_t port_number)
{
	(void)port;
	(void)port_number;
	return soft_no_addr();
}

static doca_error_t soft_qp_connect_addr(struct rdma_qp *qp, const struct rdma_end *end)
{
	(void)qp;
	(void)end;
	return soft_no_addr();
}

static doca_error_t soft_qp_accept(struct rdma_qp *qp, const void *private_data,
				   uint8_t private_len)
{
	(void)qp;
	(void)private_data;
	(void)private_len;
	return soft_no_addr();
}

static doca_error_t soft_qp_reject(struct rdma_qp *qp)
{
	(void)qp;
	return soft_no_addr();
}

static int soft_qp_get_addr(const struct rdma_qp *qp, struct rdma_end *end_out)
{
	(void)qp;
	(void)end_out;
	return -ENOTCONN;
}

const struct rdma_port_ops rdma_soft = {
	.name = "soft",
	.query = soft_query,
	.get_gid = soft_get_gid,
	.open = soft_open,
	.close = soft_close,
	.get_fd = soft_get_fd,
	.arm = soft_arm,
	.disarm = soft_disarm,
	.next_event = soft_next_event,
	.poll = soft_poll,
	.post = soft_post,
	.post_recv = soft_post_recv,
	.flush_recvs = soft_flush_recvs,
	.qp_new = soft_qp_new,
	.qp_details = soft_qp_details,
	.qp_connect = soft_qp_connect,
	.qp_disconnect = soft_qp_disconnect,
	.qp_free = soft_qp_free,
	.listen = soft_listen,
	.unlisten = soft_listen,
	.qp_connect_addr = soft_qp_connect_addr,
	.qp_accept = soft_qp_accept,
	.qp_reject = soft_qp_reject,
	.qp_get_addr = soft_qp_get_addr,
};
