/*
 * RDMA, from 2.7 on: connections. Included by doca_rdma.h, whose comment has the rules for states,
 * errors and threads.
 *
 * A connection occupies a slot of its object. doca_rdma_export(), doca_rdma_connect_to_addr() and
 * the arrival of a request allocate a slot. The slot is released
 *
 * - by doca_rdma_connection_disconnect() and doca_rdma_connection_reject();
 * - when a connection that was requested by address fails before it is established;
 * - when the context stops, during which no callback of a connection runs.
 *
 * The memory of a released connection stays valid until the object is started again or destroyed,
 * but its slot may belong to another connection by then.
 */
#ifndef DOCA_RDMA_CONNECTION_TASK_H_
#define DOCA_RDMA_CONNECTION_TASK_H_

#include <doca_rdma.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#error "dococ/rdma_connection_task.h is there from 2.7 on: include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma_connection; /* local end of a connection */
struct rdma_cm_id;           /* identifier of librdmacm */

/* Format of an address. */
enum doca_rdma_addr_type {
	DOCA_RDMA_ADDR_TYPE_IPv4 = 0,
	DOCA_RDMA_ADDR_TYPE_IPv6 = 1,
	DOCA_RDMA_ADDR_TYPE_GID = 2
};

/*
 * Callbacks for a connection, with the connection's user data and the context's. They run inside
 * doca_pe_progress(). In the order below they are called when a request arrives, when the
 * connection is established, when it could not be established or broke, and when the peer has
 * disconnected.
 *
 * They are called for connections that RDMA CM would make: by address, and prepared with librdmacm
 * (doca_rdma_bridge_established() causes the second callback). For a connection that was made by
 * doca_rdma_export() and doca_rdma_connect() none of the four is ever called, so that a program
 * that continues after doca_rdma_connect() does not continue a second time. That program learns the
 * result from its tasks: they wait until the connection is established, and fail if it cannot be
 * established, breaks, or the peer disconnects. Receives belong to the object and stay posted. The
 * SDK log has the reason.
 */
typedef void (*doca_rdma_connection_request_cb_t)(struct doca_rdma_connection *rdma_connection,
						  union doca_data ctx_user_data);
typedef void (*doca_rdma_connection_established_cb_t)(struct doca_rdma_connection *rdma_connection,
						      union doca_data connection_user_data,
						      union doca_data ctx_user_data);
typedef void (*doca_rdma_connection_failure_cb_t)(struct doca_rdma_connection *rdma_connection,
						  union doca_data connection_user_data,
						  union doca_data ctx_user_data);
typedef void (*doca_rdma_connection_disconnection_cb_t)(
	struct doca_rdma_connection *rdma_connection, union doca_data connection_user_data,
	union doca_data ctx_user_data);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 9)
/**
 * Creates a connection and its description for the peer. The peer does the same. Then each side
 * calls doca_rdma_connect() with the description of the other. Only one peer may use a description.
 * @param rdma RDMA object
 * @param local_rdma_conn_details receives the description, at most 256 bytes; owned by the
 *   connection and valid as long as the connection exists
 * @param local_rdma_conn_details_size receives the size of the description in bytes
 * @param rdma_connection receives the connection; owned by the object, valid until
 *   doca_rdma_connection_disconnect() or until the context is IDLE
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; start it first.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device could not create a connection; dococ_last_error()
 *   says why.
 * - DOCA_ERROR_FULL: all connections of the object are in use; disconnect one, or allow more with
 *   doca_rdma_set_max_num_connections().
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_export(struct doca_rdma *rdma,
					  const void **local_rdma_conn_details,
					  size_t *local_rdma_conn_details_size,
					  struct doca_rdma_connection **rdma_connection)
	DOCA_BIND(doca_rdma_export, 2_9);

/**
 * Connects a connection to the peer's. Tasks may be submitted at once; they wait until the
 * connection is established. No connection callback is called.
 * @param rdma RDMA object
 * @param remote_rdma_conn_details description that the peer exported; only read during the call
 * @param remote_rdma_conn_details_size size of the description in bytes; may be larger than
 *   exported
 * @param rdma_connection connection that doca_rdma_export() returned
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object or is not in use, or the
 *   description is damaged or from another kind of device.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the connection was already connected.
 *   After a restart, export a new one.
 * - DOCA_ERROR_CONNECTION_ABORTED: the peer does not exist any more, or the device could not
 *   connect; dococ_last_error() says why.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
					   const void *remote_rdma_conn_details,
					   size_t remote_rdma_conn_details_size,
					   struct doca_rdma_connection *rdma_connection)
	DOCA_BIND(doca_rdma_connect, 2_9);
#endif

/**
 * Creates an address to connect to.
 * @param addr_type format of address
 * @param address text, copied: an IPv4 address as 192.0.2.1, an IPv6 address as 2001:db8::1, or a
 *   GID, either in the latter form or as 32 hexadecimal digits, with or without colons
 * @param port port number at which the peer listens; host byte order
 * @param addr receives the address; release it with doca_rdma_addr_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type is unknown, the port is 0, or the text is not an address of
 *   the type.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type,
					       const char *address, uint16_t port,
					       struct doca_rdma_addr **addr);

/**
 * Destroys an address that doca_rdma_addr_create() returned. Connections to it are not affected.
 * @param addr address
 * Threads: one at a time per address.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the address comes from doca_rdma_connection_get_addr(); the connection
 *   owns it.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr);

/**
 * Gets the parts of an address.
 * @param addr address
 * @param addr_type receives the format
 * @param address receives the text, owned by the address
 * @param port receives the port number; host byte order
 * Threads: one at a time per address.
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
						   enum doca_rdma_addr_type *addr_type,
						   const char **address, uint16_t *port);

/**
 * Accepts requests for connections to a port number, on all addresses of the device. Each request
 * is reported by the request callback, which must be set.
 * @param rdma RDMA object
 * @param port port number; host byte order
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the port is 0.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, no request callback is set, or the object
 *   already listens on the port.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support connections by address; use
 *   doca_rdma_export() and doca_rdma_connect().
 * - DOCA_ERROR_CONNECTION_ABORTED: another listener uses the port, the object listens on 16 ports
 *   already, or the device refused; dococ_last_error() has the reason.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * Stops accepting requests to a port number. Existing connections are not affected.
 * @param rdma RDMA object
 * @param port port number; host byte order
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object does not listen on the port.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support connections by address; use
 *   doca_rdma_export() and doca_rdma_connect().
 * - DOCA_ERROR_CONNECTION_ABORTED: the device refused.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port);

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 9)
/**
 * Accepts a request for a connection, in the request callback or later. The established callback or
 * the failure callback follows.
 * @param rdma_connection connection that the request callback received
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no request of the connection is pending.
 * - DOCA_ERROR_CONNECTION_ABORTED: the peer cancelled the request, or the device refused.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.7, until 2.8.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection)
	DOCA_BIND(doca_rdma_connection_accept, 2_7);
#else
/**
 * Accepts a request for a connection, in the request callback or later. The established callback or
 * the failure callback follows.
 * @param rdma_connection connection that the request callback received
 * @param private_data bytes for the peer, copied; may be NULL
 * @param private_data_len number of bytes, at most 56
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no request of the connection is pending; private_data is NULL and the
 *   length is not 0; or there are too many bytes.
 * - DOCA_ERROR_CONNECTION_ABORTED: the peer cancelled the request, or the device refused.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.9.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection,
						     void *private_data, uint8_t private_data_len)
	DOCA_BIND(doca_rdma_connection_accept, 2_9);
#endif

/**
 * Rejects a request for a connection and releases the connection.
 * @param rdma_connection connection that the request callback received
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no request of the connection is pending.
 * - DOCA_ERROR_CONNECTION_ABORTED: the peer cancelled the request; the connection is released all
 *   the same.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection);

/**
 * Requests a connection to a listening peer. The established callback receives the connection, or
 * the failure callback reports that there will be none.
 * @param rdma RDMA object
 * @param addr address; only read during the call
 * @param connection_user_data user data for the callbacks
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the callbacks are not set.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support connections by address; use
 *   doca_rdma_export() and doca_rdma_connect().
 * - DOCA_ERROR_CONNECTION_ABORTED: all connections of the object are in use, or the device refused;
 *   dococ_last_error() says which.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma,
						   struct doca_rdma_addr *addr,
						   union doca_data connection_user_data);

/**
 * Ends and releases a connection. Its tasks in flight fail with DOCA_ERROR_CONNECTION_RESET, the
 * peer is notified, and no callback of the connection follows. The handle must not be used any
 * more, except that a second call is harmless.
 * @param rdma_connection connection, in any state
 * States: RUNNING, STOPPING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_CONNECTION_ABORTED: the device refused; the connection is released all the same.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection);

/**
 * Sets the user data that the connection's callbacks receive.
 * @param rdma_connection connection
 * @param connection_user_data user data; the default is 0
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_set_user_data(
	struct doca_rdma_connection *rdma_connection, union doca_data connection_user_data);

/**
 * Gets the user data of a connection.
 * @param rdma_connection connection
 * @param connection_user_data receives the user data
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_get_user_data(
	const struct doca_rdma_connection *rdma_connection, union doca_data *connection_user_data);

/**
 * Gets the number of a connection: 0 or more, and less than the object's maximum number of
 * connections. No two existing connections have the same number.
 * @param rdma_connection connection
 * @param connection_id receives the number
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_get_id(
	const struct doca_rdma_connection *rdma_connection, uint32_t *connection_id);

/**
 * Gets the address of the peer of a connection by address. At both ends its port number is the one
 * that the connecting end requested: the accepting end gets the number that it listens on, also in
 * the request callback.
 * @param rdma_connection connection
 * @param addr receives the address; owned by the connection, must not be destroyed
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection was not made by address.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_get_addr(
	const struct doca_rdma_connection *rdma_connection, struct doca_rdma_addr **addr);

/**
 * Sets the callbacks for connections that are made by address or with librdmacm. They run inside
 * doca_pe_progress(). The comment on their types says when they are called.
 * @param rdma RDMA object
 * @param doca_rdma_connect_request_cb a peer requests a connection: accept or reject it. May be
 *   NULL; then the object cannot listen.
 * @param doca_rdma_connect_established_cb a connection is established
 * @param doca_rdma_connect_failure_cb a connection could not be established, or broke. A connection
 *   that was requested by address and never established is released when the callback returns;
 *   release any other with doca_rdma_connection_disconnect().
 * @param doca_rdma_disconnect_cb the peer has disconnected; release the connection with
 *   doca_rdma_connection_disconnect()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma or a callback other than the one for requests is NULL, or the
 *   context is not IDLE.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_set_connection_state_callbacks(
	struct doca_rdma *rdma, doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
	doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
	doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
	doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb);

/*
 * Connections that the program makes with librdmacm itself. The program owns the identifier and its
 * event channel, reads the events, and destroys both. The object owns the connection. It reports
 * none of these events, except as described below. The device must be bound to an RDMA device.
 *
 * Accepting a peer's request: RDMA_CM_EVENT_CONNECT_REQUEST, prepare, accept,
 * RDMA_CM_EVENT_ESTABLISHED, established.
 *
 * Requesting a connection: resolve the address and the route, prepare (which gives the identifier
 * its queue pair), rdma_connect(), RDMA_CM_EVENT_ESTABLISHED, established.
 *
 * After RDMA_CM_EVENT_DISCONNECTED, and to disconnect, call doca_rdma_connection_disconnect(). It
 * disconnects the identifier as well, and then no longer uses it. The program must not destroy the
 * identifier earlier, unless the context was stopped.
 */

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(3, 0)
/**
 * Creates a connection for the identifier of a connection request, and accepts the request.
 * @param rdma RDMA object
 * @param cm_id identifier of librdmacm; owned by the program, see above
 * @param private_data bytes that the peer receives with the answer, or NULL; only read during the
 *   call
 * @param private_data_len number of bytes, at most 56
 * @param rdma_connection receives the connection; it is established by
 *   doca_rdma_bridge_established()
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the context is not RUNNING, the identifier belongs to another device,
 *   already has a queue pair, or is not that of a request; or the data is too long.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device or the kernel refused; the peer may have
 *   disconnected.
 * - DOCA_ERROR_NO_MEMORY: out of memory for a queue pair.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device; use
 *   doca_rdma_start_listen_to_port.
 * - DOCA_ERROR_FULL: all connections of the object are in use; disconnect one.
 * Since 2.7, until 2.10.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
						 void *private_data, uint8_t private_data_len,
						 struct doca_rdma_connection **rdma_connection)
	DOCA_BIND(doca_rdma_bridge_accept, 2_7);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(3, 0)
/**
 * Creates a connection for an identifier of librdmacm.
 * @param rdma RDMA object
 * @param cm_id identifier of a connection request, or one whose route is resolved; owned by the
 *   program, see above
 * @param rdma_connection receives the connection; release it with doca_rdma_connection_disconnect
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_FULL: all connections of the object are in use; disconnect one.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or was created for 2.5 or 2.6.
 * - DOCA_ERROR_NO_MEMORY: out of memory for a queue pair.
 * - DOCA_ERROR_INVALID_VALUE: the identifier belongs to another device or has a queue pair.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device; use doca_rdma_connect_to_addr
 *   or doca_rdma_start_listen_to_port.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device or the kernel refused; the peer may have
 *   disconnected.
 * Since 3.0.
 */
DOCA_STABLE doca_error_t
doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
				    struct doca_rdma_connection **rdma_connection);

/**
 * Accepts the request behind a prepared connection.
 * @param rdma RDMA object
 * @param private_data bytes that the peer receives with the answer, or NULL; only read during the
 *   call
 * @param private_data_len number of bytes, at most 56
 * @param rdma_connection connection of doca_rdma_bridge_prepare_connection
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object, or the data is too long.
 * - DOCA_ERROR_BAD_STATE: the connection is not prepared, was already accepted, or does not come
 *   from a peer's request.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device or the kernel refused; the peer may have
 *   disconnected. Disconnect the connection.
 * Since 3.0.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
						 uint8_t private_data_len,
						 struct doca_rdma_connection *rdma_connection)
	DOCA_BIND(doca_rdma_bridge_accept, 3_0);
#endif

/**
 * Reports to the object that the program has received RDMA_CM_EVENT_ESTABLISHED for a connection.
 * From then on tasks may be submitted. doca_pe_progress() calls the established callback.
 * @param rdma RDMA object
 * @param rdma_connection connection that was accepted, or that was prepared and connected
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection belongs to another object or is not prepared, or
 *   librdmacm has not established it.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
						      struct doca_rdma_connection *rdma_connection);

#ifdef __cplusplus
}
#endif

#endif
