/* RDMA of 2.7 to 2.10: the form of a call that was another one in 3.0. Threads: any. */
#include <doca_rdma.h>

#include "client/core/error.h"

doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
				     void *private_data, uint8_t private_data_len,
				     struct doca_rdma_connection **rdma_connection)
{
	(void)private_data;
	(void)private_data_len;
	if (rdma == NULL || cm_id == NULL || rdma_connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma bridge accept: %s is NULL",
				 rdma == NULL    ? "rdma"
				 : cm_id == NULL ? "cm_id"
						 : "the result");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "rdma bridge accept: this build takes no connections of librdmacm; use "
			 "doca_rdma_start_listen_to_port");
}
