/* The provider's tables; see client/rma/verbs/verbs.h. */
#include "client/rma/verbs/verbs.h"

#include "client/rma/verbs/device.h"
#include "client/rma/verbs/mem.h"
#include "client/rma/verbs/domain.h"

static doca_error_t provider_open(struct doca_dev *dev, const struct rdma_conf *conf,
				  struct rdma_domain **domain_out)
{
	doca_error_t result = verbs_open(dev, conf, domain_out);

	if (result == DOCA_SUCCESS)
		(*domain_out)->ops = &rdma_verbs;
	return result;
}

const struct rdma_provider rdma_verbs = {
	.name = "verbs",
	.query = verbs_query,
	.get_gid = verbs_get_gid,
	.open = provider_open,
	.close = verbs_close,
	.get_fd = verbs_get_fd,
	.arm = verbs_arm,
	.disarm = verbs_disarm,
	.next_event = verbs_next_event,
	.poll = verbs_poll,
	.post = verbs_post,
	.post_recv = verbs_post_recv,
	.flush_recvs = verbs_flush_recvs,
	.qp_new = verbs_qp_new,
	.qp_params = verbs_qp_params,
	.qp_connect = verbs_qp_connect,
	.qp_disconnect = verbs_qp_disconnect,
	.is_draining = verbs_is_draining,
	.qp_free = verbs_qp_free,
	.listen = verbs_listen,
	.unlisten = verbs_unlisten,
	.qp_connect_addr = verbs_qp_connect_addr,
	.qp_accept = verbs_qp_accept,
	.qp_reject = verbs_qp_reject,
	.qp_get_addr = verbs_qp_get_addr,
	.qp_prepare = verbs_qp_prepare,
	.qp_accept_prepared = verbs_qp_accept_prepared,
	.qp_established = verbs_qp_established,
};

const struct mem_key_ops mem_key_verbs = {
	.serves = verbs_mem_serves,
	.make = verbs_mem_make,
	.get_local = verbs_mem_get_local,
	.pd_device = verbs_pd_device,
	.get_pd = verbs_get_pd,
	.get_remote = verbs_mem_get_remote,
	.revoke = verbs_mem_revoke,
};
