/*
 * Communication channel between a host program and a DPU program: a server on the DPU has a name,
 * and clients on the host connect to it by that name.
 *
 * A server needs a device, and a representor of the host function that its clients use. A client
 * needs the device of that function. Both are contexts: configure, connect to an engine, start, and
 * progress. A server is RUNNING at once. For a client, doca_ctx_start() returns
 * DOCA_ERROR_IN_PROGRESS, and the context is RUNNING when the connection is established.
 *
 * Messages are sent by tasks. They arrive in the callback of the receive event, whole, and in order
 * per connection. The program must not change a message until its task completes.
 *
 * Errors of a send:
 *
 * - DOCA_ERROR_AGAIN from the submission: the peer's receive queue is full, and the message was not
 *   sent. Progress, then submit again.
 * - DOCA_ERROR_NOT_CONNECTED: the connection has ended, and the message was not delivered.
 * - DOCA_ERROR_CONNECTION_RESET: the connection has ended because the peer died or violated the
 *   protocol. The message was not delivered, or may be lost.
 *
 * The last two are the status of a task that completes with an error; its submission succeeds.
 *
 * A call without a "States:" line is allowed in every state. A connection of a server is
 * established from its connect callback to its disconnect callback, both included; that of a
 * client, while the client's context is RUNNING.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: one thread at a time may use a server or client, its engine and its connections.
 *
 * Reference: DOCA Comch guide.
 *
 * Example: configure and start a client that doca_comch_client_create() created. On success the
 * result is DOCA_ERROR_IN_PROGRESS. The program then calls doca_pe_progress() until the context is
 * RUNNING, gets the connection with doca_comch_client_get_connection(), and sends with
 * doca_comch_client_task_send_alloc_init() and doca_task_submit().
 *
 *     #include <doca_ctx.h>
 *     #include <doca_pe.h>
 *
 *     doca_error_t start_client(struct doca_comch_client *client, struct doca_pe *pe,
 *                               doca_comch_task_send_completion_cb_t sent,
 *                               doca_comch_event_msg_recv_cb_t received)
 *     {
 *         struct doca_ctx *ctx = doca_comch_client_as_ctx(client);
 *         doca_error_t result = doca_comch_client_task_send_set_conf(client, sent, sent, 16);
 *
 *         if (result == DOCA_SUCCESS)
 *             result = doca_comch_client_event_msg_recv_register(client, received);
 *         if (result == DOCA_SUCCESS)
 *             result = doca_pe_connect_ctx(pe, ctx);
 *         return result == DOCA_SUCCESS ? doca_ctx_start(ctx) : result;
 *     }
 */
#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#error "doca_comch.h is there from 2.7 on: set DOCA_USE_VERSION to that or later; in 2.5 and 2.6 doca_cc.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_server;                          /* service on the DPU that has a name */
struct doca_comch_client;                          /* connects to a server, from the host */
struct doca_comch_connection;                      /* connection of one client to one server */
struct doca_comch_task_send;                       /* one message to send */
struct doca_comch_event_msg_recv;                  /* registered message callback */
struct doca_comch_event_connection_status_changed; /* registered callbacks */
struct doca_comch_event_consumer;                  /* consumer callbacks */
struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_task;

/* Counters of a connection, from its establishment on. */
enum doca_comch_counter {
	DOCA_COMCH_COUNTER_SENT_MESSAGES = 1,
	DOCA_COMCH_COUNTER_SENT_BYTES = 2,
	DOCA_COMCH_COUNTER_RECV_MESSAGES = 3,
	DOCA_COMCH_COUNTER_RECV_BYTES = 4
};

/*
 * Called when a message was sent or has failed, with the user data of the task and of the context.
 * Runs inside doca_pe_progress().
 */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/*
 * Called for each received message of msg_len bytes. The library owns recv_buffer, which is valid
 * during the callback only. Up to 4080 bytes, the default of the longest message, it is a copy that
 * the sender cannot change. A longer message lies in memory that the sender can still write: if the
 * peer is not trusted, copy it first, and check the copy.
 */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
					       uint8_t *recv_buffer, uint32_t msg_len,
					       struct doca_comch_connection *comch_connection);

/*
 * Called when a client has connected or disconnected. change_successful is 0 if the change failed.
 * The connection is no longer valid after the disconnect callback.
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
	struct doca_comch_event_connection_status_changed *event,
	struct doca_comch_connection *comch_connection, uint8_t change_successful);

/* Called when the peer has started or ended the data-path consumer with this id. */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
					       struct doca_comch_connection *comch_connection,
					       uint32_t id);

/**
 * Sets the user data of a connection.
 * @param connection established connection
 * @param user_data any value; the library never interprets it
 * States: established, see the top.
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_connection_set_user_data(
	struct doca_comch_connection *connection, union doca_data user_data);

/**
 * Gets the user data of a connection.
 * @param connection established connection
 * States: established, see the top.
 * @return the user data; 0 if none was set
 * Since 2.7.
 */
DOCA_STABLE union doca_data doca_comch_connection_get_user_data(
	const struct doca_comch_connection *connection);

/**
 * Returns the server that a connection belongs to.
 * @param connection established connection
 * States: established, see the top.
 * @return the server; NULL if the connection is a client's
 * Since 2.7.
 */
DOCA_STABLE struct doca_comch_server *doca_comch_server_get_server_ctx(
	const struct doca_comch_connection *connection);

/**
 * Returns the client that a connection belongs to.
 * @param connection established connection
 * States: established, see the top.
 * @return the client; NULL if the connection is a server's
 * Since 2.7.
 */
DOCA_STABLE struct doca_comch_client *doca_comch_client_get_client_ctx(
	const struct doca_comch_connection *connection);

/**
 * Gets the length of the longest server name.
 * @param devinfo device to query
 * @param max_name_len receives the number of bytes, including the terminating NUL
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
							 uint32_t *max_name_len);

/**
 * Gets the size of the largest message that can be configured.
 * @param devinfo device to query
 * @param size receives the number of bytes
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
							 uint32_t *size);

/**
 * Gets the size of the largest receive queue that can be configured.
 * @param devinfo device to query
 * @param size receives the number of messages
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
								uint32_t *size);

/**
 * Gets the largest number of clients that one server can have at the same time.
 * @param devinfo device to query
 * @param num_clients receives the number
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
							uint32_t *num_clients);

/**
 * Creates a server. Its name is registered when its context starts.
 * @param dev open device of the DPU; must stay open until doca_comch_server_destroy()
 * @param repr open representor of the host function that clients use; must stay open until
 *   doca_comch_server_destroy()
 * @param name name that clients connect to, NUL-terminated; copied
 * @param comch_server receives the server; release it with doca_comch_server_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the name is empty or too long.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the device cannot run a server; call
 *   doca_comch_cap_server_is_supported() first.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
						  const char *name,
						  struct doca_comch_server **comch_server);

/**
 * Destroys the server and its context.
 * @param comch_server server
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress until it is.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * Checks whether a device can run a server. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; no device of a host can.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the size of the largest message. Both ends should set the same size; a connection uses the
 * smaller one.
 * @param comch_server server
 * @param size bytes, from 1 to the result of doca_comch_cap_get_max_msg_size()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is out of range.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
							    uint32_t size);

/**
 * Gets the size of the largest message: the configured one, or the default.
 * @param comch_server server
 * @param size receives the number of bytes
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server, uint32_t *size);

/**
 * Sets the number of messages that may wait per connection. If as many wait, the peer's submissions
 * return DOCA_ERROR_AGAIN.
 * @param comch_server server
 * @param size number of messages, from 1 to the result of doca_comch_cap_get_max_recv_queue_size()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is out of range.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server, uint32_t size);

/**
 * Gets the number of messages that may wait per connection.
 * @param comch_server server
 * @param size receives the number of messages
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server, uint32_t *size);

/**
 * Gets the device of a server.
 * @param comch_server server
 * @param dev receives the device; still owned by the program
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
						      struct doca_dev **dev);

/**
 * Gets the representor of a server.
 * @param comch_server server
 * @param rep receives the representor; still owned by the program
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_get_device_rep(
	const struct doca_comch_server *comch_server, struct doca_dev_rep **rep);

#if DOCA_API_BETWEEN(207, 209)
/**
 * Gets the representor of a server.
 * @param comch_server server
 * @param rep receives the representor; still owned by the program
 * @return DOCA_SUCCESS
 * Since 2.7, until 2.9.
 */
DOCA_STABLE doca_error_t doca_comch_server_get_device_repr(
	const struct doca_comch_server *comch_server, struct doca_dev_rep **rep);
#endif

/**
 * Returns the context of a server.
 * @param comch_server server
 * @return the context, owned by the server; NULL if comch_server is NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/**
 * Ends the connection of one client. The client's context stops; if it was starting, it runs before
 * that. May be called from any callback. No callback runs for the connection after this call: not
 * the disconnect callback, nor those for messages and consumers. This also holds if the client was
 * disconnecting already.
 * @param comch_server server
 * @param connection connection of this server; invalid after a successful call
 * States: RUNNING or STOPPING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the connection is not this server's, or is no longer valid.
 * - DOCA_ERROR_IN_USE: data-path producers or consumers of the connection are running; stop and
 *   destroy them first.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
						      struct doca_comch_connection *connection);

/**
 * Creates a client of the server with the given name. It connects when its context starts.
 * @param dev open device of the host; must stay open until doca_comch_client_destroy()
 * @param name name of the server, NUL-terminated; copied
 * @param comch_client receives the client; release it with doca_comch_client_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the name is empty or too long.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the device cannot run a client; call
 *   doca_comch_cap_client_is_supported() first.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
						  struct doca_comch_client **comch_client);

/**
 * Destroys the client and its context.
 * @param comch_client client
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress until it is.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * Checks whether a device can run a client. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the size of the largest message. Both ends should set the same size; a connection uses the
 * smaller one.
 * @param comch_client client
 * @param size bytes, from 1 to the result of doca_comch_cap_get_max_msg_size()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is out of range.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
							    uint32_t size);

/**
 * Gets the size of the largest message: the configured one, or the default.
 * @param comch_client client
 * @param size receives the number of bytes
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client, uint32_t *size);

/**
 * Sets the number of messages that may wait per connection. If as many wait, the peer's submissions
 * return DOCA_ERROR_AGAIN.
 * @param comch_client client
 * @param size number of messages, from 1 to the result of doca_comch_cap_get_max_recv_queue_size()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is out of range.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client, uint32_t size);

/**
 * Gets the number of messages that may wait per connection.
 * @param comch_client client
 * @param size receives the number of messages
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client, uint32_t *size);

/**
 * Gets the device of a client.
 * @param comch_client client
 * @param dev receives the device; still owned by the program
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
						      struct doca_dev **dev);

/**
 * Returns the context of a client.
 * @param comch_client client
 * @return the context, owned by the client; NULL if comch_client is NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/**
 * Gets the connection of a client to its server.
 * @param comch_client client
 * @param connection receives the connection; owned by the client, established while the context is
 *   RUNNING
 * States: RUNNING or STOPPING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the client is not connected; progress until the context is RUNNING.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_client_get_connection(
	const struct doca_comch_client *comch_client, struct doca_comch_connection **connection);

/**
 * Gets the largest number of send tasks that one server or client can have.
 * @param devinfo device to query
 * @param max_send_tasks receives the number
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
							   uint32_t *max_send_tasks);

/**
 * Configures a server's send tasks: their callbacks and their number. Without this call none can be
 * allocated.
 * @param comch_server server
 * @param task_completion_cb called for each message that was sent
 * @param task_error_cb called for each message that failed; doca_task_get_status() returns the
 *   reason
 * @param num_send_tasks number of tasks, from 1 to the result of
 *   doca_comch_cap_get_max_send_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_task_send_set_conf(
	struct doca_comch_server *comch_server,
	doca_comch_task_send_completion_cb_t task_completion_cb,
	doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Configures a client's send tasks: their callbacks and their number. Without this call none can be
 * allocated.
 * @param comch_client client
 * @param task_completion_cb called for each message that was sent
 * @param task_error_cb called for each message that failed; doca_task_get_status() returns the
 *   reason
 * @param num_send_tasks number of tasks, from 1 to the result of
 *   doca_comch_cap_get_max_send_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_client_task_send_set_conf(
	struct doca_comch_client *comch_client,
	doca_comch_task_send_completion_cb_t task_completion_cb,
	doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Allocates a send task from the pool of a server and sets its arguments.
 * If the peer has left and the program's callback was not called yet, the call succeeds. The task
 * can be submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with
 * DOCA_ERROR_CONNECTION_RESET if the peer broke the connection.
 * @param comch_server server
 * @param peer connection to send on
 * @param msg message; owned by the program, which must not change it until the task completes
 * @param len bytes, from 1 to the smaller of the maximum message sizes of both ends
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the message is empty or too long; peer is not a connection of this
 *   server; or the end of peer was already reported to the program.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; progress and free some, or configure more.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_task_send_alloc_init(
	struct doca_comch_server *comch_server, struct doca_comch_connection *peer, const void *msg,
	uint32_t len, struct doca_comch_task_send **task);

/**
 * Allocates a send task from the pool of a client and sets its arguments.
 * If the peer has left and the program was not notified yet, the call succeeds. The task can be
 * submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with DOCA_ERROR_CONNECTION_RESET if
 * the peer broke the connection.
 * @param comch_client client
 * @param peer connection to send on
 * @param msg message; owned by the program, which must not change it until the task completes
 * @param len bytes, from 1 to the smaller of the maximum message sizes of both ends
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the message is empty or too long; peer is not a connection of this
 *   client; or the end of peer was already reported to the program.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; progress and free some, or configure more.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_client_task_send_alloc_init(
	struct doca_comch_client *comch_client, struct doca_comch_connection *peer, const void *msg,
	uint32_t len, struct doca_comch_task_send **task);

/**
 * Returns a send task as a general task, for submission.
 * @param task send task; must not be NULL
 * @return the same task, never NULL
 * Since 2.7.
 */
DOCA_STABLE struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/**
 * Registers the callback for the messages of all clients of a server.
 * @param comch_server server
 * @param recv_event_cb called for each message
 * States: IDLE.
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_event_msg_recv_register(
	struct doca_comch_server *comch_server, doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Registers the callback for the messages of a client's server.
 * @param comch_client client
 * @param recv_event_cb called for each message
 * States: IDLE.
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_client_event_msg_recv_register(
	struct doca_comch_client *comch_client, doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Registers the callbacks for clients that connect and disconnect.
 * @param comch_server server
 * @param connect_event_cb called when a client has connected
 * @param disconnect_event_cb called when a client has disconnected or died, or the server stops;
 *   not called after doca_comch_server_disconnect()
 * States: IDLE.
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_comch_server_event_connection_status_changed_register(
	struct doca_comch_server *comch_server,
	doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * Updates the counters of a connection for doca_comch_connection_get_counter().
 * @param comch_connection established connection
 * States: established, see the top.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the connection is not established yet; progress and repeat.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection has ended; the counters are final.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);

/**
 * Gets one counter of a connection, as of the last doca_comch_connection_update_info().
 * @param comch_connection established connection
 * @param counter_type counter to read
 * @param counter_value receives the number of messages or bytes since the connection was
 *   established
 * States: established, see the top.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the counter does not exist.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
				  enum doca_comch_counter counter_type, uint64_t *counter_value);

/**
 * Registers the callbacks for data-path consumers of a server's clients.
 * @param comch_server server
 * @param new_consumer_event_cb called when the peer has started a consumer, even if that consumer
 *   has already stopped; sending to a stopped one fails with DOCA_ERROR_NOT_FOUND
 * @param expired_consumer_event_cb called once for each announced consumer when it has ended, at
 *   the latest before the program is notified of the connection's end, also if the program itself
 *   stops
 * States: IDLE.
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
					  doca_comch_event_consumer_cb_t new_consumer_event_cb,
					  doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Registers the callbacks for data-path consumers of a client's server.
 * @param comch_client client
 * @param new_consumer_event_cb called when the peer has started a consumer, even if that consumer
 *   has already stopped; sending to a stopped one fails with DOCA_ERROR_NOT_FOUND
 * @param expired_consumer_event_cb called once for each announced consumer when it has ended, at
 *   the latest before the program is notified of the connection's end, also if the program itself
 *   stops
 * States: IDLE.
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
					  doca_comch_event_consumer_cb_t new_consumer_event_cb,
					  doca_comch_event_consumer_cb_t expired_consumer_event_cb);

#ifdef __cplusplus
}
#endif

#endif
