/* RDMA of 2.7 to 2.10: a call whose form changed in 3.0. Threads: any. */
#include <doca_rdma.h>

#include "client/base/error.h"
#include "client/compat/rdma/rdma.h"

doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection)
{
	return compat_rdma_accept(rdma_connection);
}

doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
				     void *private_data, uint8_t private_data_len,
				     struct doca_rdma_connection **rdma_connection)
{
	return compat_rdma_bridge_accept(rdma, cm_id, private_data, private_data_len,
					 rdma_connection);
}
