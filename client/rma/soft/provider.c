/* The provider's table; see client/rma/soft/soft.h. */
#include "client/rma/soft/soft.h"

#include "client/rma/soft/domain.h"

static doca_error_t provider_open(struct doca_dev *dev, const struct rdma_conf *conf,
				  struct rdma_domain **domain_out)
{
	doca_error_t result = soft_open(dev, conf, domain_out);

	if (result == DOCA_SUCCESS)
		(*domain_out)->ops = &rdma_soft;
	return result;
}

const struct rdma_provider rdma_soft = {
	.name = "soft",
	.query = soft_query,
	.get_gid = soft_get_gid,
	.open = provider_open,
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
	.qp_params = soft_qp_params,
	.qp_connect = soft_qp_connect,
	.qp_disconnect = soft_qp_disconnect,
	.qp_free = soft_qp_free,
	.listen = soft_listen,
	.unlisten = soft_unlisten,
	.qp_connect_addr = soft_qp_connect_addr,
	.qp_accept = soft_qp_accept,
	.qp_reject = soft_qp_reject,
	.qp_get_addr = soft_qp_get_addr,
	.qp_prepare = rdma_provider_prepare_unsupported,
	.qp_accept_prepared = rdma_provider_accept_unsupported,
	.qp_established = rdma_provider_established_unsupported,
};
