/*
 * Communication channel between a host program and a DPU program, in 2.5 and 2.6. From 2.7 on
 * doca_comch.h is the same under its later name; both use the same protocol and the same objects,
 * so that programs of different versions can communicate.
 *
 * A server needs a device, and a representor of the host function that its clients use. A client
 * needs the device of that function. Both are contexts: configure, connect to an engine, start, and
 * progress. A server is RUNNING at once. For a client, doca_ctx_start() returns
 * DOCA_ERROR_IN_PROGRESS, and the context is RUNNING when the connection is established.
 *
 * Messages are sent by tasks. They arrive in the callback of the receive event, whole, and in order
 * per connection. The program must not change a message until its task completes. doca_comch.h
 * lists the errors of a send.
 *
 * 2.5 and 2.6 differ in names (send_task, task_send) and in types (size_t, uint32_t).
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: one thread at a time may use a server or client, its engine and its connections.
 * Capability queries may be called from any thread.
 *
 * Reference: DOCA CC guide.
 *
 * Example: configure and start a client that doca_cc_client_create() created. On success the result
 * is DOCA_ERROR_IN_PROGRESS.
 *
 *     #include <doca_ctx.h>
 *     #include <doca_pe.h>
 *
 *     doca_error_t start_client(struct doca_cc_client *client, struct doca_pe *pe,
 *                               doca_cc_task_send_completion_cb_t sent,
 *                               doca_cc_event_msg_recv_cb_t received)
 *     {
 *         struct doca_ctx *ctx = doca_cc_client_as_ctx(client);
 *         doca_error_t result = doca_cc_client_task_send_set_conf(client, sent, sent, 16);
 *
 *         if (result == DOCA_SUCCESS)
 *             result = doca_cc_client_event_msg_recv_register(client, received);
 *         if (result == DOCA_SUCCESS)
 *             result = doca_pe_connect_ctx(pe, ctx);
 *         return result == DOCA_SUCCESS ? doca_ctx_start(ctx) : result;
 *     }
 */
#ifndef DOCA_CC_H_
#define DOCA_CC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_BETWEEN(205, 206)
#error "doca_cc.h is there in 2.5 and 2.6: set DOCA_USE_VERSION to one of them; it is doca_comch.h from 2.7 on, and doca_comm_channel.h before"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_cc_server;                          /* service on the DPU that has a name */
struct doca_cc_client;                          /* connects to a server, from the host */
struct doca_cc_connection;                      /* connection of one client to one server */
struct doca_cc_event_msg_recv;                  /* registered message callback */
struct doca_cc_event_connection_status_changed; /* registered callbacks */
struct doca_cc_event_consumer;                  /* consumer callbacks */
struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_task;

/* Counters of a connection, from its establishment on. */
enum doca_cc_counter {
	DOCA_CC_COUNTER_SENT_MESSAGES = 1,
	DOCA_CC_COUNTER_SENT_BYTES = 2,
	DOCA_CC_COUNTER_RECV_MESSAGES = 3,
	DOCA_CC_COUNTER_RECV_BYTES = 4
};

#if DOCA_API_BETWEEN(205, 205)
struct doca_cc_send_task; /* one message to send */

/*
 * Called when a message was sent or has failed, with the user data of the task and of the context.
 */
typedef void (*doca_cc_send_task_comp_handler)(struct doca_cc_send_task *task,
					       union doca_data task_user_data,
					       union doca_data ctx_user_data);
#endif

#if DOCA_API_BETWEEN(206, 206)
struct doca_cc_task_send; /* one message to send */

/*
 * Called when a message was sent or has failed, with the user data of the task and of the context.
 * Runs inside doca_pe_progress().
 */
typedef void (*doca_cc_task_send_completion_cb_t)(struct doca_cc_task_send *task,
						  union doca_data task_user_data,
						  union doca_data ctx_user_data);
#endif

/*
 * Called for each received message of msg_len bytes. The library owns recv_buffer, which is valid
 * during the callback only. Up to 4080 bytes, the default of the longest message, it is a copy that
 * the sender cannot change. A longer message lies in memory that the sender can still write: if the
 * peer is not trusted, copy it first, and check the copy.
 *
 * The second type is called when a client has connected or disconnected. change_successful is 0 if
 * the change failed. The connection is no longer valid after the disconnect callback. All callbacks
 * run inside doca_pe_progress().
 */
#if DOCA_USE_VERSION < 206
typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event,
					    uint8_t *recv_buffer, size_t msg_len,
					    struct doca_cc_connection *cc_connection);
typedef void (*doca_cc_event_connection_status_changed_cb_t)(
	struct doca_cc_event_connection_status_changed *event,
	struct doca_cc_connection *cc_connection, bool change_successful);
#else
typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event,
					    uint8_t *recv_buffer, uint32_t msg_len,
					    struct doca_cc_connection *cc_connection);
typedef void (*doca_cc_event_connection_status_changed_cb_t)(
	struct doca_cc_event_connection_status_changed *event,
	struct doca_cc_connection *cc_connection, uint8_t change_successful);
#endif

/* Called when the peer has started or ended the data-path consumer with this id. */
typedef void (*doca_cc_event_consumer_cb_t)(struct doca_cc_event_consumer *event,
					    struct doca_cc_connection *cc_connection, uint32_t id);

/**
 * Sets the user data of a connection.
 * @param connection connection
 * @param user_data any value; the library never interprets it
 * States: from the connect callback to the disconnect callback, both included.
 * @return DOCA_SUCCESS
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection,
							  union doca_data user_data);

/**
 * Gets the user data of a connection.
 * @param connection connection
 * States: from the connect callback to the disconnect callback, both included.
 * @return the user data; 0 if none was set
 * Since 2.5, until 2.6.
 */
DOCA_STABLE union doca_data doca_cc_connection_get_user_data(
	const struct doca_cc_connection *connection);

/**
 * Returns the server that a connection belongs to.
 * @param connection connection
 * States: from the connect callback to the disconnect callback, both included.
 * @return the server; NULL if the connection is a client's
 * Since 2.5, until 2.6.
 */
DOCA_STABLE struct doca_cc_server *doca_cc_server_get_server_ctx(
	const struct doca_cc_connection *connection);

/**
 * Returns the client that a connection belongs to.
 * @param connection connection
 * States: from the connect callback to the disconnect callback, both included.
 * @return the client; NULL if the connection is a server's
 * Since 2.5, until 2.6.
 */
DOCA_STABLE struct doca_cc_client *doca_cc_client_get_client_ctx(
	const struct doca_cc_connection *connection);

/**
 * Gets the length of the longest server name.
 * @param devinfo device to query
 * @param max_name_len receives the number of bytes, including the terminating NUL
 * @return DOCA_SUCCESS
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo,
						      uint32_t *max_name_len);

/**
 * Creates a server. Its name is registered when its context starts.
 * @param dev open device of the DPU; must stay open until doca_cc_server_destroy()
 * @param repr open representor of the host function that clients use; must stay open until
 *   doca_cc_server_destroy()
 * @param name name that clients connect to, NUL-terminated; copied
 * @param cc_server receives the object; release it with doca_cc_server_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the name is empty or too long.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the device cannot run a server; call
 *   doca_cc_cap_server_is_supported() first.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
					       const char *name, struct doca_cc_server **cc_server);

/**
 * Destroys the server and its context.
 * @param cc_server server
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server);

/**
 * Checks whether a device can run a server. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the device with which the object was created.
 * @param cc_server server
 * @param dev receives the value
 * @return DOCA_SUCCESS
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_device(const struct doca_cc_server *cc_server,
						   struct doca_dev **dev);

/**
 * Gets the representor with which the server was created.
 * @param cc_server server
 * @param repr receives the value
 * @return DOCA_SUCCESS
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_device_repr(const struct doca_cc_server *cc_server,
							struct doca_dev_rep **repr);

/**
 * Returns the context of the object, to start and stop it and connect it to a progress engine.
 * @param cc_server server
 * @return the context; NULL if the argument is NULL
 * Since 2.5, until 2.6.
 */
DOCA_STABLE struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server);

/**
 * Creates a client of the server with the given name. It connects when its context starts.
 * @param dev open device of the host; must stay open until doca_cc_client_destroy()
 * @param name name of the server; copied
 * @param cc_client receives the object; release it with doca_cc_client_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the name is empty or too long.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the device cannot run a client; call
 *   doca_cc_cap_client_is_supported() first.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name,
					       struct doca_cc_client **cc_client);

/**
 * Destroys the client and its context.
 * @param cc_client client
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client);

/**
 * Checks whether a device can run a client. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the device with which the object was created.
 * @param cc_client client
 * @param dev receives the value
 * @return DOCA_SUCCESS
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_device(const struct doca_cc_client *cc_client,
						   struct doca_dev **dev);

/**
 * Returns the context of the object, to start and stop it and connect it to a progress engine.
 * @param cc_client client
 * @return the context; NULL if the argument is NULL
 * Since 2.5, until 2.6.
 */
DOCA_STABLE struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client);

/**
 * Gets the connection of a client to its server.
 * @param cc_client client
 * @param connection receives the connection; owned by the client, valid until its context leaves
 *   RUNNING
 * States: RUNNING or STOPPING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the client is not connected; progress until its context is RUNNING.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
						       struct doca_cc_connection **connection);

/**
 * Registers the callbacks for clients that connect and disconnect.
 * @param cc_server server
 * @param connect_event_cb called when a client has connected
 * @param disconnect_event_cb called when a client has disconnected or died
 * States: IDLE.
 * @return DOCA_SUCCESS
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_server_event_connection_register(
	struct doca_cc_server *cc_server,
	doca_cc_event_connection_status_changed_cb_t connect_event_cb,
	doca_cc_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * Updates the counters of a connection for doca_cc_connection_get_counter().
 * @param cc_connection connection
 * States: from the connect callback to the disconnect callback, both included.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the connection is not established yet; progress and repeat.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection has ended; the counters are final.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection);

/**
 * Gets one counter of a connection, as of the last doca_cc_connection_update_info().
 * @param cc_connection connection
 * @param counter_type counter to read
 * @param counter_value receives the number of messages or bytes since the connection was
 *   established
 * States: from the connect callback to the disconnect callback, both included.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the counter does not exist.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t
doca_cc_connection_get_counter(const struct doca_cc_connection *cc_connection,
			       enum doca_cc_counter counter_type, uint64_t *counter_value);

/**
 * Registers the callbacks for data-path consumers of a server's clients.
 * @param cc_server server
 * @param new_consumer_event_cb called when the peer has started a consumer, even if that consumer
 *   has already stopped; sending to a stopped one fails with DOCA_ERROR_NOT_FOUND
 * @param expired_consumer_event_cb called once for each announced consumer when it has ended, at
 *   the latest before the program is notified of the connection's end, also if the program itself
 *   stops
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL; both callbacks are required.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_server_event_consumer_register(
	struct doca_cc_server *cc_server, doca_cc_event_consumer_cb_t new_consumer_event_cb,
	doca_cc_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Registers the callbacks for data-path consumers of a client's server.
 * @param cc_client client
 * @param new_consumer_event_cb called when the peer has started a consumer, even if that consumer
 *   has already stopped; sending to a stopped one fails with DOCA_ERROR_NOT_FOUND
 * @param expired_consumer_event_cb called once for each announced consumer when it has ended, at
 *   the latest before the program is notified of the connection's end, also if the program itself
 *   stops
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL; both callbacks are required.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_cc_client_event_consumer_register(
	struct doca_cc_client *cc_client, doca_cc_event_consumer_cb_t new_consumer_event_cb,
	doca_cc_event_consumer_cb_t expired_consumer_event_cb);

#if DOCA_API_BETWEEN(205, 205)

/**
 * Configures send tasks.
 * @param cc_server server
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each task that failed
 * @param log_num_tasks logarithm to base 2 of the number of tasks
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is more than the device allows.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_send_task_set_conf(
	struct doca_cc_server *cc_server, doca_cc_send_task_comp_handler task_completion_cb,
	doca_cc_send_task_comp_handler task_error_cb, uint8_t log_num_tasks);

/**
 * Configures send tasks.
 * @param cc_client client
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each task that failed
 * @param log_num_tasks logarithm to base 2 of the number of tasks
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is more than the device allows.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_send_task_set_conf(
	struct doca_cc_client *cc_client, doca_cc_send_task_comp_handler task_completion_cb,
	doca_cc_send_task_comp_handler task_error_cb, uint8_t log_num_tasks);

/**
 * Allocates a send task and sets its arguments.
 * If the peer has left and the program was not notified yet, the call succeeds. The task can be
 * submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with DOCA_ERROR_CONNECTION_RESET if
 * the peer broke the connection.
 * @param cc_server server
 * @param peer connection to send on
 * @param msg message; owned by the program, which must not change it until the task completes
 * @param len bytes, from 1 to the smaller of the maxima of both ends
 * @param task receives the task; submit it, or release it with doca_task_free
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the message is empty or too long; the connection belongs to another
 *   object; or its end was already reported to the program.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server,
							     struct doca_cc_connection *peer,
							     const void *msg, size_t len,
							     struct doca_cc_send_task **task);

/**
 * Allocates a send task and sets its arguments.
 * If the peer has left and the program was not notified yet, the call succeeds. The task can be
 * submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with DOCA_ERROR_CONNECTION_RESET if
 * the peer broke the connection.
 * @param cc_client client
 * @param peer connection to send on
 * @param msg message; owned by the program, which must not change it until the task completes
 * @param len bytes, from 1 to the smaller of the maxima of both ends
 * @param task receives the task; submit it, or release it with doca_task_free
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the message is empty or too long; the connection belongs to another
 *   object; or its end was already reported to the program.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client,
							     struct doca_cc_connection *peer,
							     const void *msg, size_t len,
							     struct doca_cc_send_task **task);

/**
 * Returns the general form of a task, to submit and free it.
 * @param task task; must not be NULL
 * @return the task; NULL if the argument is NULL
 * In 2.5 only.
 */
DOCA_STABLE struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task);

#endif /* 2.5 */

#if DOCA_API_BETWEEN(206, 206)

/**
 * Configures send tasks.
 * @param cc_server server
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each message that failed; doca_task_get_status() returns the
 *   reason
 * @param num_send_tasks number of tasks, from 1 to the result of doca_cc_cap_get_max_send_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is more than the device allows.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_task_send_set_conf(
	struct doca_cc_server *cc_server, doca_cc_task_send_completion_cb_t task_completion_cb,
	doca_cc_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Configures send tasks.
 * @param cc_client client
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each message that failed; doca_task_get_status() returns the
 *   reason
 * @param num_send_tasks number of tasks, from 1 to the result of doca_cc_cap_get_max_send_tasks()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is more than the device allows.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_task_send_set_conf(
	struct doca_cc_client *cc_client, doca_cc_task_send_completion_cb_t task_completion_cb,
	doca_cc_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Allocates a send task from the pool of a server and sets its arguments.
 * If the peer has left and the program's callback was not called yet, the call succeeds. The task
 * can be submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with
 * DOCA_ERROR_CONNECTION_RESET if the peer broke the connection.
 * @param cc_server server
 * @param peer connection to send on
 * @param msg message; owned by the program, which must not change it until the task completes
 * @param len bytes, from 1 to the smaller of the maxima of both ends
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the message is empty or too long; peer is not a connection of this
 *   server; or the end of peer was already reported to the program.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *cc_server,
							     struct doca_cc_connection *peer,
							     const void *msg, uint32_t len,
							     struct doca_cc_task_send **task);

/**
 * Allocates a send task from the pool of a client and sets its arguments.
 * If the peer has left and the program was not notified yet, the call succeeds. The task can be
 * submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with DOCA_ERROR_CONNECTION_RESET if
 * the peer broke the connection.
 * @param cc_client client
 * @param peer connection to send on
 * @param msg message; owned by the program, which must not change it until the task completes
 * @param len bytes, from 1 to the smaller of the maxima of both ends
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the message is empty or too long; peer is not a connection of this
 *   client; or the end of peer was already reported to the program.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client,
							     struct doca_cc_connection *peer,
							     const void *msg, uint32_t len,
							     struct doca_cc_task_send **task);

/**
 * Returns the general form of a task, to submit and free it.
 * @param task task; must not be NULL
 * @return the task; NULL if the argument is NULL
 * In 2.6 only.
 */
DOCA_STABLE struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task);

#endif /* 2.6 */

/* Sizes and lengths are of type size_t in 2.5. */
#if DOCA_USE_VERSION < 206

/**
 * Gets the size of the largest message that can be configured.
 * @param devinfo device to query
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
						      size_t *size)
	DOCA_BIND(doca_cc_cap_get_max_msg_size, 2_5);

/**
 * Gets the size of the largest receive queue that can be configured.
 * @param devinfo device to query
 * @param size receives the number of messages
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							     size_t *size)
	DOCA_BIND(doca_cc_cap_get_max_recv_queue_size, 2_5);

/**
 * Gets the largest number of clients of one server.
 * @param devinfo device to query
 * @param num_clients receives the value
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo,
						     size_t *num_clients)
	DOCA_BIND(doca_cc_cap_get_max_clients, 2_5);

/**
 * Sets the size of the largest message. Both ends should set the same size; a connection uses the
 * smaller one.
 * @param cc_server server
 * @param size bytes
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0 or more than the device allows.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server,
							 size_t size)
	DOCA_BIND(doca_cc_server_set_max_msg_size, 2_5);

/**
 * Gets the size of the largest message: the configured one, or the default.
 * @param cc_server server
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server,
							 size_t *size)
	DOCA_BIND(doca_cc_server_get_max_msg_size, 2_5);

/**
 * Sets the number of messages that may wait per connection. If as many wait, the peer's submissions
 * return DOCA_ERROR_AGAIN.
 * @param cc_server server
 * @param size number of messages, from 1 to the result of doca_cc_cap_get_max_recv_queue_size()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0 or more than the device allows.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server,
							    size_t size)
	DOCA_BIND(doca_cc_server_set_recv_queue_size, 2_5);

/**
 * Gets the number of messages that may wait per connection.
 * @param cc_server server
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
							    size_t *size)
	DOCA_BIND(doca_cc_server_get_recv_queue_size, 2_5);

/**
 * Sets the size of the largest message. Both ends should set the same size; a connection uses the
 * smaller one.
 * @param cc_client client
 * @param size bytes
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0 or more than the device allows.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client,
							 size_t size)
	DOCA_BIND(doca_cc_client_set_max_msg_size, 2_5);

/**
 * Gets the size of the largest message: the configured one, or the default.
 * @param cc_client client
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client,
							 size_t *size)
	DOCA_BIND(doca_cc_client_get_max_msg_size, 2_5);

/**
 * Sets the number of messages that may wait per connection. If as many wait, the peer's submissions
 * return DOCA_ERROR_AGAIN.
 * @param cc_client client
 * @param size number of messages, from 1 to the result of doca_cc_cap_get_max_recv_queue_size()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0 or more than the device allows.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client,
							    size_t size)
	DOCA_BIND(doca_cc_client_set_recv_queue_size, 2_5);

/**
 * Gets the number of messages that may wait per connection.
 * @param cc_client client
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
							    size_t *size)
	DOCA_BIND(doca_cc_client_get_recv_queue_size, 2_5);

/**
 * Gets the largest number of send tasks that one server or client can have.
 * @param devinfo device to query
 * @param max_send_tasks receives the value
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
							size_t *max_send_tasks)
	DOCA_BIND(doca_cc_cap_get_max_send_tasks, 2_5);

/**
 * Registers the callback for the messages of all clients of a server.
 * @param cc_server server
 * @param recv_event_cb called for each message
 * States: IDLE.
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_event_msg_recv_register(
	struct doca_cc_server *cc_server, doca_cc_event_msg_recv_cb_t recv_event_cb)
	DOCA_BIND(doca_cc_server_event_msg_recv_register, 2_5);

/**
 * Registers the callback for the messages of a client's server.
 * @param cc_client client
 * @param recv_event_cb called for each message
 * States: IDLE.
 * @return DOCA_SUCCESS
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_event_msg_recv_register(
	struct doca_cc_client *cc_client, doca_cc_event_msg_recv_cb_t recv_event_cb)
	DOCA_BIND(doca_cc_client_event_msg_recv_register, 2_5);

#else

/**
 * Registers the callback for the messages of all clients of a server.
 * @param cc_server server
 * @param recv_event_cb called for each message
 * States: IDLE.
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_event_msg_recv_register(
	struct doca_cc_server *cc_server, doca_cc_event_msg_recv_cb_t recv_event_cb)
	DOCA_BIND(doca_cc_server_event_msg_recv_register, 2_6);

/**
 * Registers the callback for the messages of a client's server.
 * @param cc_client client
 * @param recv_event_cb called for each message
 * States: IDLE.
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_event_msg_recv_register(
	struct doca_cc_client *cc_client, doca_cc_event_msg_recv_cb_t recv_event_cb)
	DOCA_BIND(doca_cc_client_event_msg_recv_register, 2_6);

/**
 * Gets the size of the largest message that can be configured.
 * @param devinfo device to query
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
						      uint32_t *size)
	DOCA_BIND(doca_cc_cap_get_max_msg_size, 2_6);

/**
 * Gets the size of the largest receive queue that can be configured.
 * @param devinfo device to query
 * @param size receives the number of messages
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							     uint32_t *size)
	DOCA_BIND(doca_cc_cap_get_max_recv_queue_size, 2_6);

/**
 * Gets the largest number of clients of one server.
 * @param devinfo device to query
 * @param num_clients receives the value
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo,
						     uint32_t *num_clients)
	DOCA_BIND(doca_cc_cap_get_max_clients, 2_6);

/**
 * Sets the size of the largest message. Both ends should set the same size; a connection uses the
 * smaller one.
 * @param cc_server server
 * @param size bytes
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0 or more than the device allows.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server,
							 uint32_t size)
	DOCA_BIND(doca_cc_server_set_max_msg_size, 2_6);

/**
 * Gets the size of the largest message: the configured one, or the default.
 * @param cc_server server
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server,
							 uint32_t *size)
	DOCA_BIND(doca_cc_server_get_max_msg_size, 2_6);

/**
 * Sets the number of messages that may wait per connection. If as many wait, the peer's submissions
 * return DOCA_ERROR_AGAIN.
 * @param cc_server server
 * @param size number of messages, from 1 to the result of doca_cc_cap_get_max_recv_queue_size()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0 or more than the device allows.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server,
							    uint32_t size)
	DOCA_BIND(doca_cc_server_set_recv_queue_size, 2_6);

/**
 * Gets the number of messages that may wait per connection.
 * @param cc_server server
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
							    uint32_t *size)
	DOCA_BIND(doca_cc_server_get_recv_queue_size, 2_6);

/**
 * Sets the size of the largest message. Both ends should set the same size; a connection uses the
 * smaller one.
 * @param cc_client client
 * @param size bytes
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0 or more than the device allows.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client,
							 uint32_t size)
	DOCA_BIND(doca_cc_client_set_max_msg_size, 2_6);

/**
 * Gets the size of the largest message: the configured one, or the default.
 * @param cc_client client
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client,
							 uint32_t *size)
	DOCA_BIND(doca_cc_client_get_max_msg_size, 2_6);

/**
 * Sets the number of messages that may wait per connection. If as many wait, the peer's submissions
 * return DOCA_ERROR_AGAIN.
 * @param cc_client client
 * @param size number of messages, from 1 to the result of doca_cc_cap_get_max_recv_queue_size()
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0 or more than the device allows.
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client,
							    uint32_t size)
	DOCA_BIND(doca_cc_client_set_recv_queue_size, 2_6);

/**
 * Gets the number of messages that may wait per connection.
 * @param cc_client client
 * @param size receives the value
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
							    uint32_t *size)
	DOCA_BIND(doca_cc_client_get_recv_queue_size, 2_6);

/**
 * Gets the largest number of send tasks that one server or client can have.
 * @param devinfo device to query
 * @param max_send_tasks receives the value
 * @return DOCA_SUCCESS
 * In 2.6 only.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
							uint32_t *max_send_tasks)
	DOCA_BIND(doca_cc_cap_get_max_send_tasks, 2_6);

#endif
/* Calls of other versions. */
#if DOCA_USE_VERSION < 206
DOCA_ELSEWHERE(doca_cc_server_task_send_set_conf,
	       "in 2.6; in 2.5 call doca_cc_server_send_task_set_conf");
DOCA_ELSEWHERE(doca_cc_client_task_send_set_conf,
	       "in 2.6; in 2.5 call doca_cc_client_send_task_set_conf");
#elif !DOCA_API_BETWEEN(205, 205)
DOCA_ELSEWHERE(doca_cc_server_send_task_set_conf,
	       "in 2.5; in 2.6 call doca_cc_server_task_send_set_conf");
DOCA_ELSEWHERE(doca_cc_client_send_task_set_conf,
	       "in 2.5; in 2.6 call doca_cc_client_task_send_set_conf");
#endif

#ifdef __cplusplus
}
#endif

#endif
