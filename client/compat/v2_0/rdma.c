/*
 * RDMA of 2.0 to 2.2: there is no engine for its jobs, and every call says so. Some forms are those
 * of 2.5 and 2.6, too, whose objects there are: see client/compat/rdma.h. Threads: any here; those
 * of the progress engine there.
 */
#include <doca_rdma.h>

#include "client/compat/rdma.h"
#include "client/core/error.h"

static doca_error_t is_null(const char *call, const char *what)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "rdma %s: %s is NULL", call, what);
}

static doca_error_t no_engine(doca_error_t code, const char *call)
{
	return error_set(code,
			 "rdma %s: this runtime has no engine for RDMA jobs; use DMA, a comm "
			 "channel or sync "
			 "events between host and DPU",
			 call);
}

static doca_error_t no_object(const void *rdma, const char *call)
{
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "rdma %s: rdma is %s; doca_rdma_create makes none", call,
			 rdma == NULL ? "NULL" : "not an RDMA object");
}

doca_error_t doca_rdma_create(struct doca_rdma **rdma)
{
	return rdma == NULL ? is_null("create", "the result")
			    : no_engine(DOCA_ERROR_INITIALIZATION, "create");
}

doca_error_t doca_rdma_job_get_supported(const struct doca_devinfo *devinfo,
					 enum doca_rdma_job_types job_type)
{
	(void)job_type;
	if (devinfo == NULL)
		return is_null("job get supported", "devinfo");
	return no_engine(DOCA_ERROR_NOT_SUPPORTED, "job get supported");
}

doca_error_t doca_rdma_get_transport_type_supported(const struct doca_devinfo *devinfo,
						    enum doca_rdma_transport_type transport_type)
{
	(void)transport_type;
	if (devinfo == NULL)
		return is_null("get transport type supported", "devinfo");
	return no_engine(DOCA_ERROR_NOT_SUPPORTED, "get transport type supported");
}

doca_error_t doca_rdma_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
					       uint32_t *max_recv_queue_size)
{
	if (devinfo == NULL)
		return is_null("get max recv queue size", "devinfo");
	if (max_recv_queue_size == NULL)
		return is_null("get max recv queue size", "the result");
	return no_engine(DOCA_ERROR_DRIVER, "get max recv queue size");
}

doca_error_t doca_rdma_get_max_send_queue_size(const struct doca_devinfo *devinfo,
					       uint32_t *max_send_queue_size)
{
	if (devinfo == NULL)
		return is_null("get max send queue size", "devinfo");
	if (max_send_queue_size == NULL)
		return is_null("get max send queue size", "the result");
	return no_engine(DOCA_ERROR_DRIVER, "get max send queue size");
}

doca_error_t doca_rdma_get_max_message_size(const struct doca_devinfo *devinfo,
					    uint32_t *max_message_size)
{
	if (devinfo == NULL)
		return is_null("get max message size", "devinfo");
	if (max_message_size == NULL)
		return is_null("get max message size", "the result");
	return no_engine(DOCA_ERROR_DRIVER, "get max message size");
}

doca_error_t doca_rdma_get_max_buf_chain_len(const struct doca_devinfo *devinfo,
					     enum doca_rdma_job_types job_type,
					     enum doca_rdma_transport_type transport_type,
					     uint32_t *max_buf_chain_len)
{
	(void)job_type;
	(void)transport_type;
	if (devinfo == NULL)
		return is_null("get max buf chain len", "devinfo");
	if (max_buf_chain_len == NULL)
		return is_null("get max buf chain len", "the result");
	return no_engine(DOCA_ERROR_DRIVER, "get max buf chain len");
}

doca_error_t doca_rdma_get_gid_table_size(struct doca_devinfo *devinfo, uint32_t *gid_table_size)
{
	if (devinfo == NULL)
		return is_null("get gid table size", "devinfo");
	if (gid_table_size == NULL)
		return is_null("get gid table size", "the result");
	return no_engine(DOCA_ERROR_DRIVER, "get gid table size");
}

doca_error_t doca_rdma_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
			       uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
	(void)start_index;
	(void)num_entries;
	if (devinfo == NULL)
		return is_null("get gid", "devinfo");
	if (gid_array == NULL)
		return is_null("get gid", "the result");
	return no_engine(DOCA_ERROR_DRIVER, "get gid");
}

doca_error_t doca_rdma_export(const struct doca_rdma *rdma, const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size)
{
	return rdma_former_export((struct doca_rdma *)(uintptr_t)rdma, local_rdma_conn_details,
				  local_rdma_conn_details_size);
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size)
{
	return rdma_former_connect(rdma, remote_rdma_conn_details, remote_rdma_conn_details_size);
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled)
{
	return rdma_former_set_grh(rdma, grh_enabled);
}

doca_error_t doca_rdma_set_recv_buf_chain_len(struct doca_rdma *rdma, uint32_t recv_buf_chain_len)
{
	(void)recv_buf_chain_len;
	return no_object(rdma, "set recv buf chain len");
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
{
	return rdma_former_get_grh(rdma, grh_enabled);
}

doca_error_t doca_rdma_get_recv_buf_chain_len(const struct doca_rdma *rdma,
					      uint32_t *recv_buf_chain_len)
{
	(void)recv_buf_chain_len;
	return no_object(rdma, "get recv buf chain len");
}

doca_error_t doca_rdma_get_state(const struct doca_rdma *rdma, enum doca_rdma_state *state)
{
	(void)state;
	return no_object(rdma, "get state");
}
