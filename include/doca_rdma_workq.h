/*
 * RDMA of 2.0 to 2.2: queue pairs that jobs of a work queue use; included by doca_rdma.h.
 *
 * This runtime has no engine for these jobs. The types are there, so that sources which offer RDMA
 * beside other ways compile and ask; what they ask reports it as unsupported, and no object can be
 * made. The calls on an object refuse whatever they are given, because there can be none.
 *
 * Threads: any; nothing here has state.
 */
#ifndef DOCA_RDMA_WORKQ_H_
#define DOCA_RDMA_WORKQ_H_

#include <doca_ctx.h>
#include <doca_rdma.h>

#if !DOCA_API_BETWEEN(200, 204)
#error "doca_rdma_workq.h is for programs of 2.0 to 2.2: include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum doca_rdma_state {
	DOCA_RDMA_STATE_RESET = 0,
	DOCA_RDMA_STATE_INIT = 1,
	DOCA_RDMA_STATE_CONNECTED = 2,
	DOCA_RDMA_STATE_ERROR = 3
};

enum doca_rdma_job_types {
	DOCA_RDMA_JOB_RECV = DOCA_ACTION_RDMA_FIRST + 1,
	DOCA_RDMA_JOB_SEND,
	DOCA_RDMA_JOB_SEND_IMM,
	DOCA_RDMA_JOB_READ,
	DOCA_RDMA_JOB_WRITE,
	DOCA_RDMA_JOB_WRITE_IMM,
	DOCA_RDMA_JOB_ATOMIC_CMP_SWP,
	DOCA_RDMA_JOB_ATOMIC_FETCH_ADD
};

/* What a receive was completed by. */
enum doca_rdma_opcode_t {
	DOCA_RDMA_OPCODE_RECV_SEND = 0,
	DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1,
	DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM = 2
};

struct doca_rdma_job_recv {
	struct doca_job base;
	struct doca_buf *dst_buff;
};

struct doca_rdma_job_send {
	struct doca_job base;
	struct doca_buf const *src_buff;
	doca_be32_t immediate_data;
	struct doca_rdma_addr const *rdma_peer_addr;
};

struct doca_rdma_job_read_write {
	struct doca_job base;
	struct doca_buf *dst_buff;
	struct doca_buf const *src_buff;
	doca_be32_t immediate_data;
	struct doca_rdma_addr const *rdma_peer_addr;
};

struct doca_rdma_job_atomic {
	struct doca_job base;
	struct doca_buf *cmp_or_add_dest_buff;
	struct doca_buf *result_buff;
	uint64_t swap_or_add_data;
	uint64_t cmp_data;
	struct doca_rdma_addr const *rdma_peer_addr;
};

struct doca_rdma_result {
	doca_error_t result;
	enum doca_rdma_opcode_t opcode;
	uint32_t length;
	struct doca_rdma_addr *rdma_peer_addr;
	doca_be32_t immediate_data;
};

/**
 * Would make an RDMA object.
 * @param rdma not written
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NO_MEMORY: not given here.
 * - DOCA_ERROR_INITIALIZATION: otherwise; there is no engine for RDMA jobs. Ask
 *   doca_rdma_job_get_supported first, and take another way.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_create(struct doca_rdma **rdma) DOCA_BIND(doca_rdma_create, 2_0);

/**
 * Can a device execute a type of job? No device here can.
 * @param devinfo description of the device; borrowed for the call
 * @param job_type type of job
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: not given here.
 * - DOCA_ERROR_NOT_SUPPORTED: otherwise; there is no engine for RDMA jobs.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_job_get_supported(const struct doca_devinfo *devinfo,
						     enum doca_rdma_job_types job_type);

/**
 * Does a device have a transport type? No device here has one.
 * @param devinfo description of the device; borrowed for the call
 * @param transport_type transport type
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: not given here.
 * - DOCA_ERROR_NOT_SUPPORTED: otherwise; there is no engine for RDMA jobs.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_transport_type_supported(
	const struct doca_devinfo *devinfo, enum doca_rdma_transport_type transport_type);

/**
 * Most receives that a device keeps posted.
 * @param devinfo description of the device; borrowed for the call
 * @param max_recv_queue_size not written
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: otherwise; there is no engine for RDMA jobs.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							   uint32_t *max_recv_queue_size);

/**
 * Most operations that a device keeps in flight.
 * @param devinfo description of the device; borrowed for the call
 * @param max_send_queue_size not written
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: otherwise; there is no engine for RDMA jobs.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_send_queue_size(const struct doca_devinfo *devinfo,
							   uint32_t *max_send_queue_size);

/**
 * Longest message of a device, in bytes.
 * @param devinfo description of the device; borrowed for the call
 * @param max_message_size not written
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: otherwise; there is no engine for RDMA jobs.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_message_size(const struct doca_devinfo *devinfo,
							uint32_t *max_message_size);

/**
 * Most buffers in the list of one job.
 * @param devinfo description of the device; borrowed for the call
 * @param job_type type of job
 * @param transport_type transport type
 * @param max_buf_chain_len not written
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: otherwise; there is no engine for RDMA jobs.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_buf_chain_len(
	const struct doca_devinfo *devinfo, enum doca_rdma_job_types job_type,
	enum doca_rdma_transport_type transport_type, uint32_t *max_buf_chain_len);

/**
 * Global identifiers that a port of the device has.
 * @param devinfo description of the device; borrowed for the call
 * @param gid_table_size not written
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: otherwise; there is no engine for RDMA jobs.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gid_table_size(struct doca_devinfo *devinfo,
						      uint32_t *gid_table_size);

/**
 * Global identifiers of a port of the device, from start_index on.
 * @param devinfo description of the device; borrowed for the call
 * @param start_index first entry
 * @param num_entries entries
 * @param gid_array not written
 * States: any.
 * Threads: any thread.
 * @return
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: otherwise; there is no engine for RDMA jobs.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
					   uint32_t num_entries, struct doca_rdma_gid *gid_array);

/*
 * Calls on an object. There is none, so each refuses its argument with DOCA_ERROR_INVALID_VALUE.
 * Where a later version has another form, these are bound to their own.
 */
DOCA_STABLE doca_error_t doca_rdma_export(const struct doca_rdma *rdma,
					  const void **local_rdma_conn_details,
					  size_t *local_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_export, 2_0);
DOCA_STABLE doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
					   const void *remote_rdma_conn_details,
					   size_t remote_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_connect, 2_0);
DOCA_STABLE doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled)
	DOCA_BIND(doca_rdma_set_grh_enabled, 2_0);
DOCA_STABLE doca_error_t doca_rdma_set_recv_buf_chain_len(struct doca_rdma *rdma,
							  uint32_t recv_buf_chain_len);
DOCA_STABLE doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
	DOCA_BIND(doca_rdma_get_grh_enabled, 2_0);
DOCA_STABLE doca_error_t doca_rdma_get_recv_buf_chain_len(const struct doca_rdma *rdma,
							  uint32_t *recv_buf_chain_len);
DOCA_STABLE doca_error_t doca_rdma_get_state(const struct doca_rdma *rdma,
					     enum doca_rdma_state *state);

#ifdef __cplusplus
}
#endif

#endif
