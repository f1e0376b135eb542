/*
 * RDMA: connections that a program makes with librdmacm itself. No provider has them yet. Threads:
 * those of the progress engine.
 */
#include "client/engine/rdma.h"

static doca_error_t bridge_refuse(const struct doca_rdma *rdma, const void *other, const char *what,
				  const char *name)
{
	if (rdma == NULL || other == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma bridge %s: %s is NULL", what,
				 rdma == NULL ? "rdma" : name);
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "rdma bridge %s: this build takes no connections of librdmacm; use "
			 "doca_rdma_connect_to_addr or doca_rdma_start_listen_to_port",
			 what);
}

doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
						 struct doca_rdma_connection **rdma_connection)
{
	return bridge_refuse(rdma, cm_id == NULL ? NULL : (void *)rdma_connection, "prepare",
			     cm_id == NULL ? "cm_id" : "the result");
}

doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
				     uint8_t private_data_len,
				     struct doca_rdma_connection *rdma_connection)
{
	(void)private_data;
	(void)private_data_len;
	return bridge_refuse(rdma, rdma_connection, "accept", "the connection");
}
API_PLAIN(doca_rdma_bridge_accept, 3_0);

doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
					  struct doca_rdma_connection *rdma_connection)
{
	return bridge_refuse(rdma, rdma_connection, "established", "the connection");
}
