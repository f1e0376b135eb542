/*
 * RDMA of 2.5 to 2.8: calls that do not name a connection, because an object has only one. Included
 * by doca_rdma.h, whose comment has the rules for states, errors and threads.
 *
 * - 2.5 and 2.6: the connection is made by details while the context is STARTING. The context is
 *   RUNNING once the connection is established.
 * - 2.7 and 2.8: the context is RUNNING as soon as it is started. The connection is made
 *   afterwards, by details or by address; see dococ/rdma_connection_task.h. Tasks use the
 *   connection that the object has when they are submitted. Once it is released, another one can be
 *   made.
 *
 * Setters and getters do not check a task for NULL.
 */
#ifndef DOCA_RDMA_FORMER_H_
#define DOCA_RDMA_FORMER_H_

#include <doca_rdma.h>

#if !DOCA_API_BETWEEN(205, 208)
#error "dococ/rdma_former.h is for programs of 2.5 to 2.8: include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_API_BETWEEN(205, 206)
struct doca_dpa_dev_rdma; /* handle for code on a DPA */
#endif
struct doca_sync_event_remote_net;
struct doca_rdma_task_receive;
struct doca_rdma_task_send;
struct doca_rdma_task_send_imm;
struct doca_rdma_task_read;
struct doca_rdma_task_write;
struct doca_rdma_task_write_imm;
struct doca_rdma_task_atomic_cmp_swp;
struct doca_rdma_task_atomic_fetch_add;
struct doca_rdma_task_remote_net_sync_event_get;
struct doca_rdma_task_remote_net_sync_event_notify_set;
struct doca_rdma_task_remote_net_sync_event_notify_add;

#if DOCA_API_BETWEEN(205, 206)
/**
 * Creates an RDMA object on a device. Configure it, connect its context to a progress engine and
 * start it. doca_ctx_start() returns DOCA_ERROR_IN_PROGRESS. While the context is STARTING, export,
 * send the description to the peer, connect with the peer's description, and progress. The context
 * is RUNNING when the connection is established.
 * @param dev open device; the object holds a reference until it is destroyed
 * @param rdma receives the object; release it with doca_rdma_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the device does not support RDMA; dococ_last_error() says what would
 *   help.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
	DOCA_BIND(doca_rdma_create, 2_5);

/**
 * Gets the number of entries of the device's GID table.
 * @param devinfo device to query
 * @param gid_table_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_DRIVER: the device does not support RDMA, or the query failed; dococ_last_error()
 *   says which.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_gid_table_size(struct doca_devinfo *devinfo,
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
DOCA_STABLE doca_error_t doca_rdma_cap_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
					       uint32_t num_entries,
					       struct doca_rdma_gid *gid_array);

/**
 * Gets the handle of the object for code on a DPA. Not supported.
 * @param rdma RDMA object
 * @param dpa_rdma not written
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: always, if the arguments are valid: no context has its data path on a
 *   DPA.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma,
						  struct doca_dpa_dev_rdma **dpa_rdma)
	DOCA_BIND(doca_rdma_get_dpa_handle, 2_5);
#endif

/**
 * Exports the description of the connection, which the peer passes to doca_rdma_connect(). Every
 * call returns the same description.
 * @param rdma RDMA object
 * @param local_rdma_conn_details receives the description, at most 256 bytes; owned by the object
 *   and valid until its context is IDLE
 * @param local_rdma_conn_details_size receives its size in bytes
 * States: RUNNING; in 2.5 and 2.6 also STARTING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context was not started; the device could not make a connection; or
 *   the object's connection was made by address: disconnect it first.
 * Since 2.0, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_export(const struct doca_rdma *rdma,
					  const void **local_rdma_conn_details,
					  size_t *local_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_export, 2_0);

/**
 * Connects with the peer. In 2.5 and 2.6 the context is RUNNING when the connection is established;
 * if it cannot be established, the context stops. In 2.7 and 2.8 tasks may be submitted at once;
 * they wait until the connection is established, and no connection callback is called.
 * @param rdma RDMA object
 * @param remote_rdma_conn_details description from the peer; only read during the call
 * @param remote_rdma_conn_details_size size of the description in bytes; may be larger than
 *   exported
 * States: STARTING in 2.5 and 2.6, RUNNING in 2.7 and 2.8.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the description is damaged or from another kind of device.
 * - DOCA_ERROR_BAD_STATE: the context is in another state, doca_rdma_export was not called before,
 *   or the object is connected.
 * - DOCA_ERROR_CONNECTION_ABORTED: the peer does not exist any more, or the device could not
 *   connect; dococ_last_error() says why.
 * Since 2.0, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
					   const void *remote_rdma_conn_details,
					   size_t remote_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_connect, 2_0);

/**
 * Allocates a task that sends a message, which consumes a receive at the peer.
 * @param rdma RDMA object
 * @param src_buf local buffer or buffer list whose data is sent; owned by the library from
 *   submission until the task completes; NULL for an empty message
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_send_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
							   const struct doca_buf *src_buf,
							   union doca_data user_data,
							   struct doca_rdma_task_send **task)
	DOCA_BIND(doca_rdma_task_send_allocate_init, 2_5);

/**
 * Allocates a task that sends a message with four bytes of immediate data, which the peer's receive
 * delivers.
 * @param rdma RDMA object
 * @param src_buf local buffer or buffer list whose data is sent; owned by the library from
 *   submission until the task completes; NULL for an empty message
 * @param immediate_data four bytes of any value, which the library never interprets
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_send_imm_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_imm_allocate_init(
	struct doca_rdma *rdma, const struct doca_buf *src_buf, doca_be32_t immediate_data,
	union doca_data user_data, struct doca_rdma_task_send_imm **task)
	DOCA_BIND(doca_rdma_task_send_imm_allocate_init, 2_5);

/**
 * Allocates a task that reads from memory of the peer. The peer's program is not involved.
 * @param rdma RDMA object
 * @param src_buf single buffer of a memory map created from an RDMA export of the peer; its data is
 *   read
 * @param dst_buf local buffer or buffer list; the bytes are appended to its data; owned by the
 *   library from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_read_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
							   const struct doca_buf *src_buf,
							   struct doca_buf *dst_buf,
							   union doca_data user_data,
							   struct doca_rdma_task_read **task)
	DOCA_BIND(doca_rdma_task_read_allocate_init, 2_5);

/**
 * Allocates a task that writes to memory of the peer. The peer's program is not involved.
 * @param rdma RDMA object
 * @param src_buf local buffer or buffer list whose data is written; owned by the library from
 *   submission until the task completes; NULL for no bytes
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; the bytes
 *   are appended to its data, whose length grows. May be NULL if there are no bytes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_write_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
							    const struct doca_buf *src_buf,
							    struct doca_buf *dst_buf,
							    union doca_data user_data,
							    struct doca_rdma_task_write **task)
	DOCA_BIND(doca_rdma_task_write_allocate_init, 2_5);

/**
 * Allocates a task that writes to memory of the peer and then completes a receive there, which
 * delivers four bytes of immediate data.
 * @param rdma RDMA object
 * @param src_buf local buffer or buffer list whose data is written; owned by the library from
 *   submission until the task completes; NULL for no bytes
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; the bytes
 *   are appended to its data, whose length grows. May be NULL if there are no bytes
 * @param immediate_data four bytes of any value, which the library never interprets
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_write_imm_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_imm_allocate_init(
	struct doca_rdma *rdma, const struct doca_buf *src_buf, struct doca_buf *dst_buf,
	doca_be32_t immediate_data, union doca_data user_data,
	struct doca_rdma_task_write_imm **task)
	DOCA_BIND(doca_rdma_task_write_imm_allocate_init, 2_5);

/**
 * Allocates a task that atomically compares 8 bytes in the memory of the peer with a value and, if
 * they are equal, replaces them by another value.
 * @param rdma RDMA object
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; its data
 *   begins with the 8 bytes, at an address that is a multiple of 8
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * @param cmp_data value to compare with
 * @param swap_data value that replaces the 8 bytes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_atomic_cmp_swp_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
	struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
	uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
	struct doca_rdma_task_atomic_cmp_swp **task)
	DOCA_BIND(doca_rdma_task_atomic_cmp_swp_allocate_init, 2_5);

/**
 * Allocates a task that atomically adds to 8 bytes in the memory of the peer. The sum wraps at
 * 2^64.
 * @param rdma RDMA object
 * @param dst_buf single buffer of a memory map created from an RDMA export of the peer; its data
 *   begins with the 8 bytes, at an address that is a multiple of 8
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * @param add_data value to add
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_atomic_fetch_add_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
	struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
	uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
	DOCA_BIND(doca_rdma_task_atomic_fetch_add_allocate_init, 2_5);

/**
 * Allocates a task that reads the counter of a sync event of the peer.
 * @param rdma RDMA object
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * @param dst_buf local buffer; the counter, 8 bytes, is appended to its data; owned by the library
 *   from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_get_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
	struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
	struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_get **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_get_allocate_init, 2_5);

/**
 * Allocates a task that sets the counter of a sync event of the peer and wakes its waiters.
 * @param rdma RDMA object
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * @param src_buf local buffer whose data is the value, 8 bytes; owned by the library from
 *   submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_notify_set_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
	struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
	const struct doca_buf *src_buf, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_notify_set **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init, 2_5);

/**
 * Allocates a task that atomically adds to the counter of a sync event of the peer and wakes its
 * waiters.
 * @param rdma RDMA object
 * @param event handle of a sync event that was exported for the network, created with the object's
 *   device; owned by the library from submission until the task completes
 * @param result_buf local buffer; the previous value, 8 bytes, is appended to its data; owned by
 *   the library from submission until the task completes
 * @param add_data value to add
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_notify_add_set_conf.
 * Since 2.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
	struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
	struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_notify_add **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init, 2_5);

#if DOCA_API_BETWEEN(205, 205)
/**
 * Sets whether packets of connections that are made by details carry a global routing header. On
 * Ethernet packets always do.
 * @param rdma RDMA object
 * @param grh_enabled true to enable the header (the default), false to disable it
 * States: IDLE.
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled)
	DOCA_BIND(doca_rdma_set_grh_enabled, 2_0);

/**
 * Gets whether packets carry a global routing header.
 * @param rdma RDMA object
 * @param grh_enabled receives true or false
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
	DOCA_BIND(doca_rdma_get_grh_enabled, 2_0);

/**
 * Returns the size of the received message.
 * @param task task
 * States: completed with success.
 * @return number of bytes
 * In 2.5 only.
 */
DOCA_STABLE uint32_t
doca_rdma_task_receive_get_result_length(const struct doca_rdma_task_receive *task);

/**
 * Returns the number of bytes that were read.
 * @param task task
 * States: completed with success.
 * @return number of bytes
 * In 2.5 only.
 */
DOCA_STABLE uint32_t doca_rdma_task_read_get_result_length(const struct doca_rdma_task_read *task);

/**
 * Returns the number of bytes that were read.
 * @param task task
 * States: completed with success.
 * @return number of bytes
 * In 2.5 only.
 */
DOCA_STABLE uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_length(
	const struct doca_rdma_task_remote_net_sync_event_get *task);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_BETWEEN(206, 206)
#include <dococ/rdma_srq_former.h>
#endif

#endif
