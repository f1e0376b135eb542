/*
 * RDMA of 2.0 to 2.2: one connection whose operations are jobs of a work queue; included by
 * doca_rdma.h.
 *
 * Life: doca_rdma_create; doca_ctx_dev_add, since everything that is set is held against the
 * device's limits; configuration; doca_ctx_start; doca_rdma_export, whose description the other end
 * gets, and doca_rdma_connect with that of the other end; doca_ctx_workq_add, before or after the
 * two; jobs; doca_ctx_workq_rm; doca_ctx_stop. An object has one connection and one work queue,
 * polled or event-driven. The other end may be of any version.
 *
 * A job may be submitted when doca_rdma_connect has succeeded, a receive also before. The event of
 * a job has its type and user data; where result.ptr of the event that is given to
 * doca_workq_progress_retrieve points, the job's struct doca_rdma_result is written, and nowhere if
 * it is NULL. So set it before each call, also if the queue has jobs of other contexts, whose
 * results replace it. A job that failed gives DOCA_ERROR_IO_FAILED with its event and result.
 *
 * A receive takes the whole buffer from the start of its data on, and what came is the data
 * afterwards. A read puts what it reads where all jobs of its version do: over the data of the
 * destination before 2.2, behind it from 2.2 on.
 *
 * When the connection ends, the jobs in flight fail, receives included, and so do those that are
 * submitted later; stop the context and start it for another connection. doca_ctx_workq_rm while
 * receives, and nothing else, are in flight ends them and the connection: it gives
 * DOCA_ERROR_IN_USE; retrieve their events and call it again.
 *
 * Threads: an object belongs to the thread of its work queue.
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

/* By what a receive was completed. */
enum doca_rdma_opcode_t {
	DOCA_RDMA_OPCODE_RECV_SEND = 0,
	DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1,
	DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM = 2
};

/*
 * A message, or the news of a write: RECV. What is submitted is emptied, and holds what came; if
 * the job fails it stays empty.
 */
struct doca_rdma_job_recv {
	struct doca_job base;
	struct doca_buf *dst_buff; /* or a list; NULL: no room for bytes */
};

/* SEND, SEND_IMM. The address is for transports without connection and not looked at here. */
struct doca_rdma_job_send {
	struct doca_job base;
	struct doca_buf const *src_buff; /* or a list; NULL: a message of no bytes */
	doca_be32_t immediate_data;      /* of SEND_IMM */
	struct doca_rdma_addr const *rdma_peer_addr;
};

/*
 * READ, WRITE, WRITE_IMM: one of the buffers lies in the other end's memory. Where a READ
 * overwrites, its destination is emptied as that of a RECV is.
 */
struct doca_rdma_job_read_write {
	struct doca_job base;
	struct doca_buf *dst_buff;
	struct doca_buf const *src_buff;
	doca_be32_t immediate_data; /* of WRITE_IMM */
	struct doca_rdma_addr const *rdma_peer_addr;
};

/* ATOMIC_CMP_SWP, ATOMIC_FETCH_ADD: of 8 bytes of the other end's memory. */
struct doca_rdma_job_atomic {
	struct doca_job base;
	struct doca_buf *cmp_or_add_dest_buff; /* its data begins at a multiple of 8 */
	struct doca_buf *result_buff;          /* gets the value before */
	uint64_t swap_or_add_data;
	uint64_t cmp_data; /* of ATOMIC_CMP_SWP */
	struct doca_rdma_addr const *rdma_peer_addr;
};

/* What came of a job. */
struct doca_rdma_result {
	doca_error_t result;
	enum doca_rdma_opcode_t opcode; /* of a receive */
	uint32_t length;                /* bytes that a receive or a read took; 0 of others */
	struct doca_rdma_addr *rdma_peer_addr; /* NULL */
	doca_be32_t immediate_data;            /* of a receive whose opcode has it */
};

/**
 * Makes an RDMA object. It is a context: see the life of one at the top.
 * @param rdma receives the object; give it back with doca_rdma_destroy
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INITIALIZATION: not given here; what a device lacks is said by doca_ctx_dev_add
 *   (DOCA_ERROR_NOT_SUPPORTED).
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_create(struct doca_rdma **rdma) DOCA_BIND(doca_rdma_create, 2_0);

/**
 * Can a device execute a type of job?
 * @param devinfo description of the device; borrowed for the call
 * @param job_type type of job
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or there is no such type.
 * - DOCA_ERROR_DRIVER: not given here.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no RDMA, or not these operations.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_job_get_supported(const struct doca_devinfo *devinfo,
						     enum doca_rdma_job_types job_type);

/**
 * Does a device have a transport type?
 * @param devinfo description of the device; borrowed for the call
 * @param transport_type transport type
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or there is no such type.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * - DOCA_ERROR_NOT_SUPPORTED: it does not; DC is on no device of this runtime.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_transport_type_supported(
	const struct doca_devinfo *devinfo, enum doca_rdma_transport_type transport_type);

/**
 * Most receives that a device keeps posted.
 * @param devinfo description of the device; borrowed for the call
 * @param max_recv_queue_size receives the number
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							   uint32_t *max_recv_queue_size);

/**
 * Most operations, receives apart, that a device keeps in flight.
 * @param devinfo description of the device; borrowed for the call
 * @param max_send_queue_size receives the number
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_send_queue_size(const struct doca_devinfo *devinfo,
							   uint32_t *max_send_queue_size);

/**
 * Longest message of a device, in bytes.
 * @param devinfo description of the device; borrowed for the call
 * @param max_message_size receives the number
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_message_size(const struct doca_devinfo *devinfo,
							uint32_t *max_message_size);

/**
 * Most buffers in the local list of one job.
 * @param devinfo description of the device; borrowed for the call
 * @param job_type type of job
 * @param transport_type transport type
 * @param max_buf_chain_len receives the number
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such type.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or not that transport; the sentence says which.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_buf_chain_len(
	const struct doca_devinfo *devinfo, enum doca_rdma_job_types job_type,
	enum doca_rdma_transport_type transport_type, uint32_t *max_buf_chain_len);

/**
 * Entries of the device's table of global identifiers.
 * @param devinfo description of the device; borrowed for the call
 * @param gid_table_size receives the number
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gid_table_size(struct doca_devinfo *devinfo,
						      uint32_t *gid_table_size);

/**
 * Entries of the device's table of global identifiers, from one on.
 * @param devinfo description of the device; borrowed for the call
 * @param start_index first entry
 * @param num_entries how many
 * @param gid_array receives them; room for num_entries
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, num_entries is 0, or the table ends before.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
					   uint32_t num_entries, struct doca_rdma_gid *gid_array);

/**
 * Describes the connection for the other end, which calls doca_rdma_connect with it. Asked again,
 * the same description is the answer.
 * @param rdma RDMA object
 * @param local_rdma_conn_details receives the description, at most 256 bytes; owned by the object
 *   until its context is stopped
 * @param local_rdma_conn_details_size receives its bytes
 * States: started. Threads: those of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not started, the device could not make a connection, or
 *   the object was made by a program of 2.7 or later.
 * Since 2.0, until 2.6. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_export(const struct doca_rdma *rdma,
					  const void **local_rdma_conn_details,
					  size_t *local_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_export, 2_0);

/**
 * Connects with the other end, once per start of the context. Jobs may be submitted at once; they
 * wait until the other end has connected, too.
 * @param rdma RDMA object
 * @param remote_rdma_conn_details description from the other end; borrowed for the call
 * @param remote_rdma_conn_details_size bytes of it; more than there were is fine
 * States: exported. Threads: those of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the description is damaged or of another kind
 *   of device.
 * - DOCA_ERROR_BAD_STATE: doca_rdma_export was not called, or the object is or was connected; or
 *   the object was made by a program of 2.7 or later.
 * - DOCA_ERROR_CONNECTION_ABORTED: the other end is not there, or the device could not connect; the
 *   sentence says why.
 * Since 2.0, until 2.6. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
					   const void *remote_rdma_conn_details,
					   size_t remote_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_connect, 2_0);

/**
 * Says whether packets carry a global routing header.
 * @param rdma RDMA object
 * @param grh_enabled true unless set
 * States: stopped, with a device. Threads: those of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_BAD_STATE: the context has no device, or is started.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here.
 * Since 2.0, until 2.5. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled)
	DOCA_BIND(doca_rdma_set_grh_enabled, 2_0);

/**
 * Says how many buffers the list of a receive may have.
 * @param rdma RDMA object
 * @param recv_buf_chain_len buffers; 1 unless set
 * States: stopped, with a device. Threads: those of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the number is 0 or more than the device has; ask
 *   doca_rdma_get_max_buf_chain_len.
 * - DOCA_ERROR_BAD_STATE: the context has no device, or is started.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_set_recv_buf_chain_len(struct doca_rdma *rdma,
							  uint32_t recv_buf_chain_len);

/**
 * Do packets carry a global routing header?
 * @param rdma RDMA object
 * @param grh_enabled receives the answer
 * States: with a device. Threads: those of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context has no device.
 * Since 2.0, until 2.5. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
	DOCA_BIND(doca_rdma_get_grh_enabled, 2_0);

/**
 * Buffers that the list of a receive may have.
 * @param rdma RDMA object
 * @param recv_buf_chain_len receives the number
 * States: with a device. Threads: those of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context has no device.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_recv_buf_chain_len(const struct doca_rdma *rdma,
							  uint32_t *recv_buf_chain_len);

/**
 * What became of the connection: RESET, the context is stopped; INIT, it is started; CONNECTED,
 * doca_rdma_connect has succeeded; ERROR, the connection, or the device, is gone.
 * @param rdma RDMA object
 * @param state receives the state
 * States: with a device. Threads: those of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context has no device.
 * Since 2.0, until 2.4. Source: DOCA RDMA guide 2.2.
 */
DOCA_STABLE doca_error_t doca_rdma_get_state(const struct doca_rdma *rdma,
					     enum doca_rdma_state *state);

#ifdef __cplusplus
}
#endif

#endif
