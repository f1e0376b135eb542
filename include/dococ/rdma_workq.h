/*
 * RDMA of 2.0 to 2.2: one connection, whose operations are jobs of a work queue. Included by
 * doca_rdma.h.
 *
 * Use an object in this order:
 *
 * - doca_rdma_create();
 * - doca_ctx_dev_add(), because every setting is checked against the limits of the device;
 * - configuration;
 * - doca_ctx_start();
 * - doca_rdma_export(), whose description the peer needs, and doca_rdma_connect() with the
 *   description of the peer;
 * - doca_ctx_workq_add(), before or after the previous step;
 * - jobs;
 * - doca_ctx_workq_rm() and doca_ctx_stop().
 *
 * An object has one connection and one work queue, polled or event-driven. The peer may use any
 * version.
 *
 * A job may be submitted after doca_rdma_connect() has succeeded, a receive also earlier. The event
 * of a job has the job's type and user data. Before each call of doca_workq_progress_retrieve(),
 * set result.ptr of the event to a struct doca_rdma_result, or to NULL: the job's result is written
 * there. Set it before each call even if the queue has jobs of other contexts, because their
 * results overwrite it. For a failed job the call returns DOCA_ERROR_IO_FAILED with the event and
 * the result.
 *
 * A receive uses the whole buffer from the start of its data; afterwards its data is the message. A
 * read writes its output where all jobs of the selected version do: up to 2.1 it overwrites the
 * data of the destination, from 2.2 on it appends to that data.
 *
 * When the connection ends, all jobs in flight fail, receives included, and so do all later ones.
 * To connect again, stop the context and start it. If only receives are in flight,
 * doca_ctx_workq_rm() ends them and the connection, and returns DOCA_ERROR_IN_USE: retrieve their
 * events and call it again.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Threads: one thread at a time, the thread of the work queue, may use an object.
 * doca_rdma_create() and capability queries may be called from any thread.
 *
 * Reference: DOCA RDMA guide 2.2.
 */
#ifndef DOCA_RDMA_WORKQ_H_
#define DOCA_RDMA_WORKQ_H_

#include <doca_ctx.h>
#include <doca_rdma.h>

#if !DOCA_API_BETWEEN(200, 204)
#error "dococ/rdma_workq.h is for programs of 2.0 to 2.2: include doca_rdma.h"
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

/* Operation of the peer that completed a receive. */
enum doca_rdma_opcode_t {
	DOCA_RDMA_OPCODE_RECV_SEND = 0,
	DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1,
	DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM = 2
};

/*
 * RECV: receives a message, or completes after the peer's write with immediate data. The buffer is
 * emptied at submission and then holds the received bytes. If the job fails, it stays empty.
 */
struct doca_rdma_job_recv {
	struct doca_job base;
	struct doca_buf *dst_buff; /* or list; NULL for no room */
};

/* SEND, SEND_IMM. rdma_peer_addr is for connection-less transports and is ignored. */
struct doca_rdma_job_send {
	struct doca_job base;
	struct doca_buf const *src_buff; /* or a list; NULL for an empty message */
	doca_be32_t immediate_data;      /* SEND_IMM only */
	struct doca_rdma_addr const *rdma_peer_addr;
};

/*
 * READ, WRITE, WRITE_IMM. One of the two buffers is in memory of the peer. If a READ overwrites its
 * destination, the destination is emptied at submission, as for RECV.
 */
struct doca_rdma_job_read_write {
	struct doca_job base;
	struct doca_buf *dst_buff;
	struct doca_buf const *src_buff;
	doca_be32_t immediate_data; /* WRITE_IMM only */
	struct doca_rdma_addr const *rdma_peer_addr;
};

/* ATOMIC_CMP_SWP, ATOMIC_FETCH_ADD, on 8 bytes in memory of the peer. */
struct doca_rdma_job_atomic {
	struct doca_job base;
	struct doca_buf *cmp_or_add_dest_buff; /* its data begins at a multiple of 8 */
	struct doca_buf *result_buff;          /* receives the previous value */
	uint64_t swap_or_add_data;
	uint64_t cmp_data; /* ATOMIC_CMP_SWP only */
	struct doca_rdma_addr const *rdma_peer_addr;
};

/* Result of a job. */
struct doca_rdma_result {
	doca_error_t result;
	enum doca_rdma_opcode_t opcode;        /* receives only */
	uint32_t length;                       /* bytes received or read; 0 for other jobs */
	struct doca_rdma_addr *rdma_peer_addr; /* always NULL */
	doca_be32_t immediate_data;            /* receives whose opcode has it */
};

/**
 * Creates an RDMA object. See the top of this file for the order of calls.
 * @param rdma receives the object; release it with doca_rdma_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_create(struct doca_rdma **rdma) DOCA_BIND(doca_rdma_create, 2_0);

/**
 * Checks whether a device can execute a type of job. The return code is the answer.
 * @param devinfo device to query
 * @param job_type type of job
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support RDMA, or not this type of job.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_job_get_supported(const struct doca_devinfo *devinfo,
						     enum doca_rdma_job_types job_type);

/**
 * Checks whether a device supports a transport type. The return code is the answer.
 * @param devinfo device to query
 * @param transport_type transport type
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it; no device of this runtime supports
 *   DC.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_transport_type_supported(
	const struct doca_devinfo *devinfo, enum doca_rdma_transport_type transport_type);

/**
 * Gets the largest number of receives that can be posted on a device.
 * @param devinfo device to query
 * @param max_recv_queue_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							   uint32_t *max_recv_queue_size);

/**
 * Gets the largest number of operations, not counting receives, that can be in flight on a device.
 * @param devinfo device to query
 * @param max_send_queue_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_send_queue_size(const struct doca_devinfo *devinfo,
							   uint32_t *max_send_queue_size);

/**
 * Gets the size of the largest message of a device.
 * @param devinfo device to query
 * @param max_message_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_message_size(const struct doca_devinfo *devinfo,
							uint32_t *max_message_size);

/**
 * Gets the largest number of buffers in the local list of one job.
 * @param devinfo device to query
 * @param job_type type of job
 * @param transport_type transport type
 * @param max_buf_chain_len receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_DRIVER: the device does not support RDMA or not that transport; dococ_last_error()
 *   says which.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_buf_chain_len(
	const struct doca_devinfo *devinfo, enum doca_rdma_job_types job_type,
	enum doca_rdma_transport_type transport_type, uint32_t *max_buf_chain_len);

/**
 * Gets the number of entries of the device's table of global identifiers.
 * @param devinfo device to query
 * @param gid_table_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gid_table_size(struct doca_devinfo *devinfo,
						      uint32_t *gid_table_size);

/**
 * Gets consecutive entries of the device's table of global identifiers.
 * @param devinfo device to query
 * @param start_index index of the first entry
 * @param num_entries number of entries
 * @param gid_array receives the entries; must have room for num_entries
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_entries is 0, or the table ends before the last entry.
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
					   uint32_t num_entries, struct doca_rdma_gid *gid_array);

/**
 * Exports the description of the connection, which the peer passes to doca_rdma_connect(). Every
 * call returns the same description.
 * @param rdma RDMA object
 * @param local_rdma_conn_details receives the description, at most 256 bytes; owned by the object
 *   and valid until its context is stopped
 * @param local_rdma_conn_details_size receives its size in bytes
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is not started, the device could not make a connection, or
 *   the object was created by a program of 2.7 or later.
 * Since 2.0, until 2.6.
 */
DOCA_STABLE doca_error_t doca_rdma_export(const struct doca_rdma *rdma,
					  const void **local_rdma_conn_details,
					  size_t *local_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_export, 2_0);

/**
 * Connects with the peer, once per start of the context. Jobs may be submitted at once; they wait
 * until the peer has connected, too.
 * @param rdma RDMA object
 * @param remote_rdma_conn_details description from the peer; only read during the call
 * @param remote_rdma_conn_details_size size of the description in bytes; may be larger than
 *   exported
 * States: doca_rdma_export() was called.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the description is damaged or from another kind of device.
 * - DOCA_ERROR_BAD_STATE: doca_rdma_export() was not called; the object is or was connected; or the
 *   object was created by a program of 2.7 or later.
 * - DOCA_ERROR_CONNECTION_ABORTED: the peer does not exist any more, or the device could not
 *   connect; dococ_last_error() says why.
 * Since 2.0, until 2.6.
 */
DOCA_STABLE doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
					   const void *remote_rdma_conn_details,
					   size_t remote_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_connect, 2_0);

/**
 * Sets whether packets carry a global routing header.
 * @param rdma RDMA object
 * @param grh_enabled true to enable the header (the default), false to disable it
 * States: stopped, with a device.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context has no device, or is started.
 * Since 2.0, until 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled)
	DOCA_BIND(doca_rdma_set_grh_enabled, 2_0);

/**
 * Sets the largest number of buffers in the list of a receive.
 * @param rdma RDMA object
 * @param recv_buf_chain_len number of buffers; the default is 1
 * States: stopped, with a device.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0 or exceeds the device's maximum; see
 *   doca_rdma_get_max_buf_chain_len().
 * - DOCA_ERROR_BAD_STATE: the context has no device, or is started.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_set_recv_buf_chain_len(struct doca_rdma *rdma,
							  uint32_t recv_buf_chain_len);

/**
 * Gets whether packets carry a global routing header.
 * @param rdma RDMA object
 * @param grh_enabled receives true or false
 * States: with a device.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context has no device.
 * Since 2.0, until 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
	DOCA_BIND(doca_rdma_get_grh_enabled, 2_0);

/**
 * Gets the largest number of buffers in the list of a receive.
 * @param rdma RDMA object
 * @param recv_buf_chain_len receives the number
 * States: with a device.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context has no device.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_recv_buf_chain_len(const struct doca_rdma *rdma,
							  uint32_t *recv_buf_chain_len);

/**
 * Gets the state of the connection. RESET: the context is stopped. INIT: it is started. CONNECTED:
 * doca_rdma_connect() has succeeded. ERROR: the connection or the device has failed, or the device
 * was removed.
 * @param rdma RDMA object
 * @param state receives the state
 * States: with a device.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context has no device.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_state(const struct doca_rdma *rdma,
					     enum doca_rdma_state *state);

#ifdef __cplusplus
}
#endif

#endif
