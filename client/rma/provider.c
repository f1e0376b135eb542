/* Default operations for providers that lack a feature; see client/rma/provider.h. */
#include "client/rma/provider.h"

#include "client/base/error.h"

static doca_error_t no_cm_ids(void)
{
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "rdma: no RDMA device is behind this one, and librdmacm knows no other");
}

doca_error_t rdma_provider_prepare_unsupported(struct rdma_qp *qp, struct rdma_cm_id *id)
{
	(void)qp;
	(void)id;
	return no_cm_ids();
}

doca_error_t rdma_provider_accept_unsupported(struct rdma_qp *qp, const void *private_data,
					      uint8_t private_len)
{
	(void)qp;
	(void)private_data;
	(void)private_len;
	return no_cm_ids();
}

doca_error_t rdma_provider_established_unsupported(struct rdma_qp *qp)
{
	(void)qp;
	return no_cm_ids();
}
