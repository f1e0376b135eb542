/*
 * RDMA, from 2.7 on: connections; included by doca_rdma.h.
 *
 * A connection is a slot of its object. It is taken by doca_rdma_export, by
 * doca_rdma_connect_to_addr and by a request that arrives, and given back by
 * doca_rdma_connection_disconnect, by doca_rdma_connection_reject, by the failure of one that was
 * asked for by address and never stood, and when the context stops; no callback of a connection
 * runs while it does. The memory of a handle is there until the object is started again or
 * destroyed, but its slot may become another connection.
 *
 * Threads: as doca_rdma.h says.
 */
#ifndef DOCA_RDMA_CONNECTION_TASK_H_
#define DOCA_RDMA_CONNECTION_TASK_H_

#include <doca_rdma.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#error "doca_rdma_connection_task.h is there from 2.7 on: include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma_connection; /* one end of a connection */
struct rdma_cm_id;           /* of librdmacm */

/* Form of an address. */
enum doca_rdma_addr_type {
	DOCA_RDMA_ADDR_TYPE_IPv4 = 0,
	DOCA_RDMA_ADDR_TYPE_IPv6 = 1,
	DOCA_RDMA_ADDR_TYPE_GID = 2
};

/*
 * Callbacks that tell what happens to a connection, with its word and that of the context. They run
 * inside doca_pe_progress: on a request, when the connection stands, when it could not be made or
 * broke, and when the other end left.
 *
 * They belong to the connections that RDMA CM would make: those by address (listen and connect to
 * an address) and those prepared with librdmacm (doca_rdma_bridge_established calls for the second
 * callback). For a connection made by doca_rdma_export and doca_rdma_connect none of the four is
 * called, whatever becomes of it, so that a program which goes on after doca_rdma_connect does not
 * go on a second time. Such a program learns from its tasks: they wait until the connection stands,
 * and fail if it cannot be made, breaks, or the other end leaves. Receives belong to the object and
 * stay posted. The SDK log names the reason.
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

/**
 * Makes a connection and describes it for the other end, which makes one, too; each then calls
 * doca_rdma_connect with what the other one got here. Only one of them may use a description.
 * @param rdma RDMA object
 * @param local_rdma_conn_details receives the description, at most 256 bytes; owned by the
 *   connection, as long as that is there
 * @param local_rdma_conn_details_size receives its bytes
 * @param rdma_connection receives the connection; owned by the object, until
 *   doca_rdma_connection_disconnect or until the context is IDLE
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; start it first.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device could not make one; the sentence says why.
 * - DOCA_ERROR_FULL: the object has all its connections; disconnect one, or allow more with
 *   doca_rdma_set_max_num_connections.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_export(struct doca_rdma *rdma,
					  const void **local_rdma_conn_details,
					  size_t *local_rdma_conn_details_size,
					  struct doca_rdma_connection **rdma_connection)
	DOCA_BIND(doca_rdma_export, 2_7);

/**
 * Connects a connection with that of the other end. Tasks may be submitted at once; they wait until
 * the connection stands. No connection callback is called for it.
 * @param rdma RDMA object
 * @param remote_rdma_conn_details description from the other end; borrowed for the call
 * @param remote_rdma_conn_details_size bytes of it; more than there were is fine
 * @param rdma_connection connection that doca_rdma_export gave
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the connection is of another object or not in
 *   use, or the description is damaged or of another kind of device.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the connection was connected before; a new
 *   one is needed after a restart.
 * - DOCA_ERROR_CONNECTION_ABORTED: the other end is not there, or the device could not connect; the
 *   sentence says why.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
					   const void *remote_rdma_conn_details,
					   size_t remote_rdma_conn_details_size,
					   struct doca_rdma_connection *rdma_connection)
	DOCA_BIND(doca_rdma_connect, 2_7);

/**
 * Makes an address that a connection can be made to.
 * @param addr_type form of the text
 * @param address text, copied: 192.0.2.1, 2001:db8::1, or for a GID either the latter form or 32
 *   hexadecimal digits, with or without colons between
 * @param port port number that the other end listens to; host byte order
 * @param addr receives the address; give it back with doca_rdma_addr_destroy
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the type is unknown, the port is 0, or the text
 *   is no address of the type.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type,
					       const char *address, uint16_t port,
					       struct doca_rdma_addr **addr);

/**
 * Frees an address that doca_rdma_addr_create gave. Connections that were made to it go on.
 * @param addr address
 * Threads: one at a time per address.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: addr is NULL.
 * - DOCA_ERROR_BAD_STATE: it is that of a connection, from doca_rdma_connection_get_addr, and is
 *   freed with it.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr);

/**
 * What an address says.
 * @param addr address
 * @param addr_type receives the form
 * @param address receives the text, owned by the address
 * @param port receives the port number; host byte order
 * Threads: one at a time per address.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
						   enum doca_rdma_addr_type *addr_type,
						   const char **address, uint16_t *port);

/**
 * Takes requests for connections to a port number, on all addresses of the device. Each is told by
 * the request callback, which must be set.
 * @param rdma RDMA object
 * @param port port number; host byte order
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the port is 0.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, no request callback is set, or the object
 *   listens to the port.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no connections by address; use doca_rdma_export and
 *   doca_rdma_connect.
 * - DOCA_ERROR_CONNECTION_ABORTED: somebody else listens to it, or the device refused; the sentence
 *   says why.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * Takes no more requests to a port number. Connections that were made go on.
 * @param rdma RDMA object
 * @param port port number; host byte order
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or it does not listen to the port.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no connections by address; use doca_rdma_export and
 *   doca_rdma_connect.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device refused.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * Accepts a request for a connection, in the request callback or later. The established or the
 * failure callback follows.
 * @param rdma_connection connection that the request callback told
 * @param private_data bytes for the other end, copied; may be NULL
 * @param private_data_len number of them, at most 56
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection is NULL or waits for no answer, private_data is NULL
 *   with a length, or there are too many bytes.
 * - DOCA_ERROR_CONNECTION_ABORTED: the other end gave up, or the device refused.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection,
						     void *private_data, uint8_t private_data_len);

/**
 * Rejects a request for a connection, which is gone then.
 * @param rdma_connection connection that the request callback told
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection is NULL or waits for no answer.
 * - DOCA_ERROR_CONNECTION_ABORTED: the other end gave up; the connection is gone all the same.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection);

/**
 * Asks who listens at an address for a connection. The established callback gives it, or the
 * failure callback says that there will be none.
 * @param rdma RDMA object
 * @param addr address; borrowed for the call
 * @param connection_user_data word for the callbacks
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING, or the callbacks are not set.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no connections by address; use doca_rdma_export and
 *   doca_rdma_connect.
 * - DOCA_ERROR_CONNECTION_ABORTED: all connections of the object are used, or the device refused;
 *   the sentence says which.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma,
						   struct doca_rdma_addr *addr,
						   union doca_data connection_user_data);

/**
 * Ends a connection and gives it back to the object: tasks of it that are in flight fail with
 * CONNECTION_RESET, the other end is told, and no callback of the connection follows. Its handle
 * must not be used any more. Called twice is fine.
 * @param rdma_connection connection, in whatever state
 * States: RUNNING, STOPPING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection is NULL.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device refused; the connection is gone all the same.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t
doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection);

/**
 * Sets the word that the connection's callbacks get.
 * @param rdma_connection connection
 * @param connection_user_data word; 0 unless set
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection is NULL.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_set_user_data(
	struct doca_rdma_connection *rdma_connection, union doca_data connection_user_data);

/**
 * Word of a connection.
 * @param rdma_connection connection
 * @param connection_user_data receives it
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_get_user_data(
	const struct doca_rdma_connection *rdma_connection, union doca_data *connection_user_data);

/**
 * Number of a connection: from 0, below the most connections of the object. No two that are there
 * have the same.
 * @param rdma_connection connection
 * @param connection_id receives it
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_get_id(
	const struct doca_rdma_connection *rdma_connection, uint32_t *connection_id);

/**
 * Address of the other end of a connection that was made by address. Its port number is the one
 * that the connecting end asked for, at both ends: the accepting end gets the number that it
 * listens to, in the request callback, too.
 * @param rdma_connection connection
 * @param addr receives the address; owned by the connection, must not be destroyed
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the connection was not made by address.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connection_get_addr(
	const struct doca_rdma_connection *rdma_connection, struct doca_rdma_addr **addr);

/**
 * Sets what is called when connections change that were made by address or with librdmacm. See the
 * types of the callbacks, above, for when they are called. They run inside doca_pe_progress.
 * @param rdma RDMA object
 * @param doca_rdma_connect_request_cb somebody asks for a connection: accept or reject it; may be
 *   NULL, then one cannot listen
 * @param doca_rdma_connect_established_cb a connection stands
 * @param doca_rdma_connect_failure_cb a connection could not be made, or broke. One that was asked
 *   for by address and never stood is gone when the callback returns; any other is given back with
 *   doca_rdma_connection_disconnect
 * @param doca_rdma_disconnect_cb the other end left; give the connection back with
 *   doca_rdma_connection_disconnect
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma or a callback other than that of requests is NULL, or the
 *   context is not IDLE.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_connection_state_callbacks(
	struct doca_rdma *rdma, doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
	doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
	doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
	doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb);

/*
 * Connections that the program makes with librdmacm itself. It has the identifier and its event
 * channel, takes the events, and ends both; the connection is the object's, and none of its events
 * but the ones below are told by itself. It needs a device that is bound to an RDMA device.
 *
 * Asked for by a peer: RDMA_CM_EVENT_CONNECT_REQUEST, prepare, accept, RDMA_CM_EVENT_ESTABLISHED,
 * established. Asking: resolve address and route, prepare (the identifier gets the queue pair),
 * rdma_connect, RDMA_CM_EVENT_ESTABLISHED, established. After RDMA_CM_EVENT_DISCONNECTED, and to
 * leave, doca_rdma_connection_disconnect; that disconnects the identifier, too, and then lets go of
 * it. The identifier is there until then, or until the context was stopped.
 */

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(3, 0)
/**
 * Makes a connection of the identifier of a connection request, and accepts it.
 * @param rdma RDMA object
 * @param cm_id identifier of librdmacm; stays the caller's, see above
 * @param private_data what the other end gets with the answer, or NULL; read during the call
 * @param private_data_len its bytes, at most 56
 * @param rdma_connection receives the connection; established by doca_rdma_bridge_established
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the context does not run, the identifier is of
 *   another device, has a queue pair, or was asked for by nobody, or the data are too long.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device or the kernel refuses; the peer may have left.
 * - DOCA_ERROR_NO_MEMORY: no memory for a queue pair.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device; use
 *   doca_rdma_start_listen_to_port.
 * - DOCA_ERROR_FULL: all connections are used; disconnect one.
 * Since 2.7, until 2.10. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
						 void *private_data, uint8_t private_data_len,
						 struct doca_rdma_connection **rdma_connection)
	DOCA_BIND(doca_rdma_bridge_accept, 2_7);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(3, 0)
/**
 * Makes a connection for an identifier that the program has from librdmacm.
 * @param rdma RDMA object
 * @param cm_id identifier: of a connection request, or with its route resolved; stays the caller's,
 *   see above
 * @param rdma_connection receives the connection; give it back with
 *   doca_rdma_connection_disconnect
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_FULL: all connections are used; disconnect one.
 * - DOCA_ERROR_BAD_STATE: the context does not run, or is one of 2.5 or 2.6.
 * - DOCA_ERROR_NO_MEMORY: no memory for a queue pair.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the identifier is of another device or has a
 *   queue pair.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device; use
 *   doca_rdma_connect_to_addr or doca_rdma_start_listen_to_port.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device or the kernel refuses; the peer may have left.
 * Since 3.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t
doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
				    struct doca_rdma_connection **rdma_connection);

/**
 * Accepts the request behind a prepared connection.
 * @param rdma RDMA object
 * @param private_data what the other end gets with the answer, or NULL; read during the call
 * @param private_data_len its bytes, at most 56
 * @param rdma_connection connection of doca_rdma_bridge_prepare_connection
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the connection is of another object, or the data
 *   are too long.
 * - DOCA_ERROR_BAD_STATE: the connection is not prepared, was accepted, or nobody asked for it.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device.
 * - DOCA_ERROR_CONNECTION_ABORTED: the device or the kernel refuses; the peer may have left.
 *   Disconnect the connection.
 * Since 3.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
						 uint8_t private_data_len,
						 struct doca_rdma_connection *rdma_connection)
	DOCA_BIND(doca_rdma_bridge_accept, 3_0);
#endif

/**
 * Says that the program had RDMA_CM_EVENT_ESTABLISHED of a connection. Tasks may be submitted from
 * then on; progress calls the callback of an established connection.
 * @param rdma RDMA object
 * @param rdma_connection connection that was accepted, or prepared and connected
 * States: RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the connection is of another object, is not
 *   prepared, or is not up.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
						      struct doca_rdma_connection *rdma_connection);

#ifdef __cplusplus
}
#endif

#endif
