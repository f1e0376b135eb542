/*
 * RDMA, from 2.5 on: creation, capabilities and configuration. Included by doca_rdma.h, whose
 * comment has the rules for states, errors and threads.
 */
#ifndef DOCA_RDMA_TASK_H_
#define DOCA_RDMA_TASK_H_

#include <doca_rdma.h>

#if DOCA_API_WORKQ
#error "dococ/rdma_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
typedef uint64_t doca_dpa_dev_rdma_t; /* handle for code on a DPA */
struct doca_gpu_dev_rdma;             /* handle for code on a GPU */
struct doca_dpa_completion;
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/**
 * Creates an RDMA object on a device. Configure it, connect its context to a progress engine and
 * start it; it is RUNNING at once. Then make connections.
 * @param dev open device; the object holds a reference until doca_rdma_destroy()
 * @param rdma receives the object; release it with doca_rdma_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the device does not support RDMA; dococ_last_error() says what would
 *   help.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
	DOCA_BIND(doca_rdma_create, 2_7);
#endif

/**
 * Gets the largest number of receives that an object can have posted.
 * @param devinfo device to query
 * @param max_recv_queue_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							       uint32_t *max_recv_queue_size);

/**
 * Gets the largest number of tasks of one connection, not counting receives, that can be in flight.
 * @param devinfo device to query
 * @param max_send_queue_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
							       uint32_t *max_send_queue_size);

/**
 * Gets the largest number of buffers in the local list of a task that is not a receive. 1 means
 * that lists are not supported.
 * @param devinfo device to query
 * @param max_send_buf_list_len receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
								 uint32_t *max_send_buf_list_len);

/**
 * Gets the largest number of bytes that one task transfers.
 * @param devinfo device to query
 * @param max_message_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
							    uint32_t *max_message_size);

/**
 * Checks whether a device supports a transport. The return code is the answer.
 * @param devinfo device to query
 * @param transport_type transport
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type is unknown.
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it; every device supports RC.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_transport_type_is_supported(
	const struct doca_devinfo *devinfo, enum doca_rdma_transport_type transport_type);

/**
 * Sets the largest number of buffers in the local list of a task that is not a receive.
 * @param rdma RDMA object
 * @param max_send_buf_list_len number of buffers; the default is 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0, or it exceeds the device's maximum.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
							     uint32_t max_send_buf_list_len);

/**
 * Gets the largest number of buffers in the local list of a task that is not a receive.
 * @param rdma RDMA object
 * @param max_send_buf_list_len receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
							     uint32_t *max_send_buf_list_len);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Sets whether packets of connections that are made by details carry a global routing header. On
 * Ethernet packets always do. Connections by address use one if their path needs it.
 * @param rdma RDMA object
 * @param grh_enabled 0 or 1; the default is 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the value is neither 0 nor 1.
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
	DOCA_BIND(doca_rdma_set_grh_enabled, 2_6);

/**
 * Gets whether packets carry a global routing header.
 * @param rdma RDMA object
 * @param grh_enabled receives 0 or 1
 * @return DOCA_SUCCESS
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma,
						   uint8_t *grh_enabled)
	DOCA_BIND(doca_rdma_get_grh_enabled, 2_6);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/**
 * Gets the number of entries of the device's GID table.
 * @param devinfo device to query
 * @param gid_table_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
							  uint32_t *gid_table_size);

/**
 * Gets consecutive entries of the device's GID table.
 * @param devinfo device to query
 * @param start_index index of the first entry
 * @param num_entries number of entries
 * @param gid_array receives the entries; must have room for num_entries
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_entries is 0, or the table ends before the last entry; see
 *   doca_rdma_cap_get_gid_table_size().
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo,
					       uint32_t start_index, uint32_t num_entries,
					       struct doca_rdma_gid *gid_array);

/**
 * Gets the handle of the object for code on a DPA. Not supported.
 * @param rdma RDMA object
 * @param dpa_rdma not written
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: always, if the arguments are valid: no context has its data path on a
 *   DPA.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma,
						  doca_dpa_dev_rdma_t *dpa_rdma)
	DOCA_BIND(doca_rdma_get_dpa_handle, 2_7);

/**
 * Gets the handle of the object for code on a GPU. Not supported.
 * @param rdma RDMA object
 * @param gpu_rdma not written
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: always, if the arguments are valid: no context has its data path on a
 *   GPU.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma,
						  struct doca_gpu_dev_rdma **gpu_rdma);

/**
 * Delivers the object's completions to code on a DPA. Not supported.
 * @param rdma RDMA object
 * @param dpa_comp not used
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: always, if the arguments are valid: no context has its data path on a
 *   DPA.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
							 struct doca_dpa_completion *dpa_comp);

/**
 * Sets how often a message is retried if no receive is posted at the peer. After the last retry its
 * task and its connection fail.
 * @param rdma RDMA object
 * @param rnr_retry_count 0 to 6, or 7 for any number of retries; the default is 7
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the count is greater than 7.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma,
						       uint8_t rnr_retry_count);

/**
 * Gets how often a message is retried if no receive is posted at the peer.
 * @param rdma RDMA object
 * @param rnr_retry_count receives the count
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma,
						       uint8_t *rnr_retry_count);

/**
 * Sets how long the establishment of a connection by address may take.
 * @param rdma RDMA object
 * @param timeout milliseconds, at least 1; the default is 5000
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: timeout is 0.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma,
								  uint16_t timeout);

/**
 * Gets how long the establishment of a connection by address may take.
 * @param rdma RDMA object
 * @param timeout receives the number of milliseconds
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
								  uint16_t *timeout);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 9)
/**
 * Sets how many connections the object may have at a time.
 * @param rdma RDMA object
 * @param max_num_connections number of connections; the default is 1
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * - DOCA_ERROR_NOT_SUPPORTED: the number exceeds the device's maximum.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
							   uint16_t max_num_connections);

/**
 * Gets how many connections the object may have at a time.
 * @param rdma RDMA object
 * @param max_num_connections receives the number
 * @return DOCA_SUCCESS
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
							   uint16_t *max_num_connections);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
#include <dococ/rdma_connection_task.h>
#endif
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 9)
#include <dococ/rdma_former.h>
#endif
#include <dococ/rdma_message_task.h>
#include <dococ/rdma_memory_task.h>
#include <dococ/rdma_event_task.h>

#endif
