/*
 * RDMA, from 2.5 on: creation, capabilities and configuration; included by doca_rdma.h.
 *
 * Threads: as doca_rdma.h says.
 */
#ifndef DOCA_RDMA_TASK_H_
#define DOCA_RDMA_TASK_H_

#include <doca_rdma.h>

#if DOCA_API_WORKQ
#error "doca_rdma_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
typedef uint64_t doca_dpa_dev_rdma_t; /* handle for code on a DPA */
struct doca_gpu_dev_rdma;             /* the same on a GPU */
struct doca_dpa_completion;
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/**
 * Makes an RDMA object on a device. Configure it, connect its context to a progress engine and
 * start it: the start is immediate. Then make connections.
 * @param dev open device; held until destroy
 * @param rdma receives the object; give it back with doca_rdma_destroy
 * Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INITIALIZATION: the device has no RDMA; the sentence says what would help.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
	DOCA_BIND(doca_rdma_create, 2_7);
#endif

/**
 * Most receives that an object can have posted.
 * @param devinfo description of the device; borrowed for the call
 * @param max_recv_queue_size receives the number
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							       uint32_t *max_recv_queue_size);

/**
 * Most tasks of one connection, receives apart, that can be in flight.
 * @param devinfo description of the device; borrowed for the call
 * @param max_send_queue_size receives the number
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
							       uint32_t *max_send_queue_size);

/**
 * Most buffers in the local list of a task that is not a receive. 1: no lists.
 * @param devinfo description of the device; borrowed for the call
 * @param max_send_buf_list_len receives the number
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
								 uint32_t *max_send_buf_list_len);

/**
 * Most bytes that one task moves.
 * @param devinfo description of the device; borrowed for the call
 * @param max_message_size receives the bytes
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
							    uint32_t *max_message_size);

/**
 * Does a device have a transport? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * @param transport_type transport
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or the type is unknown.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * - DOCA_ERROR_NOT_SUPPORTED: it has not; RC is the one that all have.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_transport_type_is_supported(
	const struct doca_devinfo *devinfo, enum doca_rdma_transport_type transport_type);

/**
 * Says how many buffers the local list of a task that is not a receive may have.
 * @param rdma RDMA object
 * @param max_send_buf_list_len buffers; 1 unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, the number is 0, or it is more than the device has.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
							     uint32_t max_send_buf_list_len);

/**
 * Most buffers of the local list of a task that is not a receive.
 * @param rdma RDMA object
 * @param max_send_buf_list_len receives the number
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
							     uint32_t *max_send_buf_list_len);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Says whether packets of connections that are made by details carry a global routing header. On
 * Ethernet they always do; those by address have one if the path needs it.
 * @param rdma RDMA object
 * @param grh_enabled 0 or 1; 1 unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is neither 0 nor 1.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
	DOCA_BIND(doca_rdma_set_grh_enabled, 2_6);

/**
 * Whether packets carry a global routing header.
 * @param rdma RDMA object
 * @param grh_enabled receives 0 or 1
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma,
						   uint8_t *grh_enabled)
	DOCA_BIND(doca_rdma_get_grh_enabled, 2_6);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/**
 * Entries of the device's GID table.
 * @param devinfo description of the device; borrowed for the call
 * @param gid_table_size receives the number
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
							  uint32_t *gid_table_size);

/**
 * Entries of the device's GID table, from one on.
 * @param devinfo description of the device; borrowed for the call
 * @param start_index first entry
 * @param num_entries how many
 * @param gid_array receives them; room for num_entries
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, num_entries is 0, or the table ends before; ask
 *   for its size.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo,
					       uint32_t start_index, uint32_t num_entries,
					       struct doca_rdma_gid *gid_array);

/**
 * Would give code on a DPA its handle of the object.
 * @param rdma RDMA object
 * @param dpa_rdma not written
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: otherwise: no context of this runtime has its data path on a DPA.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma,
						  doca_dpa_dev_rdma_t *dpa_rdma)
	DOCA_BIND(doca_rdma_get_dpa_handle, 2_7);

/**
 * Would give code on a GPU its handle of the object.
 * @param rdma RDMA object
 * @param gpu_rdma not written
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: otherwise: no context of this runtime has its data path on a GPU.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma,
						  struct doca_gpu_dev_rdma **gpu_rdma);

/**
 * Would have completions told to code on a DPA.
 * @param rdma RDMA object
 * @param dpa_comp not used
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: otherwise: no context of this runtime has its data path on a DPA.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
							 struct doca_dpa_completion *dpa_comp);

/**
 * Says how many connections the object may have at a time.
 * @param rdma RDMA object
 * @param max_num_connections connections; 1 unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the number is 0.
 * - DOCA_ERROR_NOT_SUPPORTED: more than the device has.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
							   uint16_t max_num_connections);

/**
 * Most connections of the object.
 * @param rdma RDMA object
 * @param max_num_connections receives the number
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
							   uint16_t *max_num_connections);

/**
 * Says how often a message is tried again that found no receive posted at the other end, before its
 * task and its connection fail.
 * @param rdma RDMA object
 * @param rnr_retry_count 0 to 6; 7, as unless set, is for ever
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the count is greater than 7.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma,
						       uint8_t rnr_retry_count);

/**
 * How often a message is tried again that found no receive.
 * @param rdma RDMA object
 * @param rnr_retry_count receives the count
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma,
						       uint8_t *rnr_retry_count);

/**
 * Says how long a connection by address may take to be established.
 * @param rdma RDMA object
 * @param timeout milliseconds, at least 1; 5000 unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the time is 0.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma,
								  uint16_t timeout);

/**
 * How long a connection by address may take to be established.
 * @param rdma RDMA object
 * @param timeout receives the milliseconds
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
								  uint16_t *timeout);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
#include <doca_rdma_connection_task.h>
#else
#include <doca_rdma_former.h>
#endif
#include <doca_rdma_message_task.h>
#include <doca_rdma_memory_task.h>
#include <doca_rdma_event_task.h>

#endif
