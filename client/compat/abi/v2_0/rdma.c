/*
 * RDMA of 2.0 to 2.2, compiled against the headers of that time: the calls, jobs in the layout that
 * programs write, and results in the layout that they read. client/compat/workq/rdma_job.c has the
 * implementation. Some calls have the same form in 2.5 and 2.6: see client/compat/rdma/rdma.h.
 * Threads: see there.
 */
#include <string.h>

#include <doca_rdma.h>

#include "client/compat/rdma/rdma.h"

_Static_assert(DOCA_RDMA_JOB_ATOMIC_FETCH_ADD - DOCA_RDMA_JOB_RECV == RDMA_TASK_FETCH_ADD,
	       "jobs and kinds of tasks are in the same order");
_Static_assert(sizeof(struct doca_rdma_result) == 32, "WORKQ_RECORD_LEN");

/* --- jobs --- */

/* The job's peer address is ignored: it is for transports without connections. */
void rdma_job_read(const struct doca_job *job, struct rdma_former_task *about_out)
{
	const struct doca_rdma_job_recv *recv = (const void *)job;
	const struct doca_rdma_job_send *send = (const void *)job;
	const struct doca_rdma_job_read_write *move = (const void *)job;
	const struct doca_rdma_job_atomic *atomic = (const void *)job;

	*about_out = (struct rdma_former_task){.src = NULL};
	switch ((enum doca_rdma_job_types)job->type) {
	case DOCA_RDMA_JOB_RECV:
		about_out->dst = recv->dst_buff;
		break;
	case DOCA_RDMA_JOB_SEND_IMM:
		about_out->imm = send->immediate_data;
		about_out->src = send->src_buff;
		break;
	case DOCA_RDMA_JOB_SEND:
		about_out->src = send->src_buff;
		break;
	case DOCA_RDMA_JOB_WRITE_IMM:
		about_out->imm = move->immediate_data;
		about_out->src = move->src_buff;
		about_out->dst = move->dst_buff;
		break;
	case DOCA_RDMA_JOB_READ:
	case DOCA_RDMA_JOB_WRITE:
		about_out->src = move->src_buff;
		about_out->dst = move->dst_buff;
		break;
	case DOCA_RDMA_JOB_ATOMIC_CMP_SWP:
		about_out->compare = atomic->cmp_data;
		about_out->value = atomic->swap_or_add_data;
		about_out->dst = atomic->cmp_or_add_dest_buff;
		about_out->result = atomic->result_buff;
		break;
	case DOCA_RDMA_JOB_ATOMIC_FETCH_ADD:
		about_out->value = atomic->swap_or_add_data;
		about_out->dst = atomic->cmp_or_add_dest_buff;
		about_out->result = atomic->result_buff;
		break;
	}
}

void rdma_job_write_result(void *record_out, const struct rdma_job_result *result)
{
	const struct doca_rdma_result public = {
		.result = result->status,
		.opcode = (enum doca_rdma_opcode_t)result->opcode,
		.length = result->len,
		.immediate_data = result->imm,
	};

	memcpy(record_out, &public, sizeof(public));
}

/* --- capabilities --- */

doca_error_t doca_rdma_job_get_supported(const struct doca_devinfo *devinfo,
					 enum doca_rdma_job_types job_type)
{
	return rdma_workq_cap_job(devinfo, (int)job_type);
}

doca_error_t doca_rdma_get_transport_type_supported(const struct doca_devinfo *devinfo,
						    enum doca_rdma_transport_type transport_type)
{
	return rdma_workq_cap_transport(devinfo, (int)transport_type);
}

doca_error_t doca_rdma_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
					       uint32_t *max_recv_queue_size)
{
	return rdma_workq_cap(devinfo, RDMA_WORKQ_RECV_QUEUE, max_recv_queue_size);
}

doca_error_t doca_rdma_get_max_send_queue_size(const struct doca_devinfo *devinfo,
					       uint32_t *max_send_queue_size)
{
	return rdma_workq_cap(devinfo, RDMA_WORKQ_SEND_QUEUE, max_send_queue_size);
}

doca_error_t doca_rdma_get_max_message_size(const struct doca_devinfo *devinfo,
					    uint32_t *max_message_size)
{
	return rdma_workq_cap(devinfo, RDMA_WORKQ_MESSAGE, max_message_size);
}

doca_error_t doca_rdma_get_max_buf_chain_len(const struct doca_devinfo *devinfo,
					     enum doca_rdma_job_types job_type,
					     enum doca_rdma_transport_type transport_type,
					     uint32_t *max_buf_chain_len)
{
	return rdma_workq_cap_list(devinfo, (int)job_type, (int)transport_type, max_buf_chain_len);
}

doca_error_t doca_rdma_get_gid_table_size(struct doca_devinfo *devinfo, uint32_t *gid_table_size)
{
	return rdma_workq_cap(devinfo, RDMA_WORKQ_GIDS, gid_table_size);
}

doca_error_t doca_rdma_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
			       uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
	return rdma_workq_cap_gids(devinfo, start_index, num_entries, gid_array);
}

/* --- the object --- */

doca_error_t doca_rdma_create(struct doca_rdma **rdma)
{
	return rdma_workq_create(rdma);
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

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
{
	return rdma_former_get_grh(rdma, grh_enabled);
}

doca_error_t doca_rdma_set_recv_buf_chain_len(struct doca_rdma *rdma, uint32_t recv_buf_chain_len)
{
	return rdma_workq_set_recv_list(rdma, recv_buf_chain_len);
}

doca_error_t doca_rdma_get_recv_buf_chain_len(const struct doca_rdma *rdma,
					      uint32_t *recv_buf_chain_len)
{
	return rdma_workq_get_recv_list(rdma, recv_buf_chain_len);
}

doca_error_t doca_rdma_get_state(const struct doca_rdma *rdma, enum doca_rdma_state *state)
{
	doca_error_t result;
	int value;

	result = rdma_workq_get_state(rdma, state == NULL ? NULL : &value);
	if (result == DOCA_SUCCESS)
		*state = (enum doca_rdma_state)value;
	return result;
}
