/*
 * Communication channel between a host program and a DPU program, of 2.5 and 2.6: what doca_comch.h
 * is from 2.7 on, under its earlier name. On the wire they are one, and so are the objects.
 *
 * A server on the DPU needs a device and a representor of the host function that its clients come
 * from; a client needs that function's device. Both are contexts: configure, connect to an engine,
 * start, progress. The server starts at once; the client's start gives DOCA_ERROR_IN_PROGRESS and
 * the context is RUNNING when the connection stands. Messages are sent by tasks and arrive in the
 * receive event's callback, whole and in order per connection. A message must stay as it is until
 * its task completes.
 *
 * 2.5 and 2.6 differ in names (send_task, task_send) and in types (size_t, uint32_t).
 *
 * Threads: one thread at a time per server or client, with the engine it is connected to and its
 * connections.
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

struct doca_cc_server;                          /* named service on the DPU */
struct doca_cc_client;                          /* its user on the host */
struct doca_cc_connection;                      /* one client at one server, as either sees it */
struct doca_cc_event_msg_recv;                  /* registration for messages */
struct doca_cc_event_connection_status_changed; /* registration for connects and disconnects */
struct doca_cc_event_consumer; /* registration for data-path consumers of the peer */
struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_task;

/* Figures kept per connection since it was established. */
enum doca_cc_counter {
	DOCA_CC_COUNTER_SENT_MESSAGES = 1,
	DOCA_CC_COUNTER_SENT_BYTES = 2,
	DOCA_CC_COUNTER_RECV_MESSAGES = 3,
	DOCA_CC_COUNTER_RECV_BYTES = 4
};

#if DOCA_API_BETWEEN(205, 205)
struct doca_cc_send_task; /* one message to send */

/* Told of a sent or failed message, with the data of the task and of the context. */
typedef void (*doca_cc_send_task_comp_handler)(struct doca_cc_send_task *task,
					       union doca_data task_user_data,
					       union doca_data ctx_user_data);
#endif

#if DOCA_API_BETWEEN(206, 206)
struct doca_cc_task_send; /* one message to send */

/* Told of a sent or failed message, with the data of the task and of the context. */
typedef void (*doca_cc_task_send_completion_cb_t)(struct doca_cc_task_send *task,
						  union doca_data task_user_data,
						  union doca_data ctx_user_data);
#endif

/*
 * A message of msg_len bytes, whose recv_buffer is the library's and valid in the callback only;
 * and a client that came or went, with change_successful false if the change failed. After a
 * disconnect callback the connection is no longer valid. All run inside doca_pe_progress.
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

/* The peer's data-path consumer with this id came or went. */
typedef void (*doca_cc_event_consumer_cb_t)(struct doca_cc_event_consumer *event,
					    struct doca_cc_connection *cc_connection, uint32_t id);

/**
 * Keeps a word of the program's own with a connection.
 * @param connection connection
 * @param user_data not interpreted
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the argument is NULL.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection,
							  union doca_data user_data);

/**
 * Word kept with a connection.
 * @param connection connection
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return the word; 0 if none was set
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE union doca_data doca_cc_connection_get_user_data(
	const struct doca_cc_connection *connection);

/**
 * Server that a connection belongs to.
 * @param connection connection
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return the server; NULL if the connection is a client's
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_cc_server *doca_cc_server_get_server_ctx(
	const struct doca_cc_connection *connection);

/**
 * Client that a connection belongs to.
 * @param connection connection
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return the client; NULL if the connection is a server's
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_cc_client *doca_cc_client_get_client_ctx(
	const struct doca_cc_connection *connection);

/**
 * Longest name of a server.
 * @param devinfo description of the device; borrowed for the call
 * @param max_name_len receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo,
						      uint32_t *max_name_len);

/**
 * Makes a server.
 * @param dev open device; not closed while the object exists
 * @param repr open representor of the host function that clients come from; not closed while the
 *   object exists
 * @param name name of the server; copied
 * @param cc_server receives the object; give it back with doca_cc_server_destroy
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INITIALIZATION: the device does not support it.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
					       const char *name, struct doca_cc_server **cc_server);

/**
 * Frees a server.
 * @param cc_server server
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the argument is NULL.
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server);

/**
 * Does the device support servers?
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: it does not.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Device that the object was made with.
 * @param cc_server server
 * @param dev receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_device(const struct doca_cc_server *cc_server,
						   struct doca_dev **dev);

/**
 * Representor that the server was made with.
 * @param cc_server server
 * @param repr receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_device_repr(const struct doca_cc_server *cc_server,
							struct doca_dev_rep **repr);

/**
 * Context of the object, to start and stop it and connect it to a progress engine.
 * @param cc_server server
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, NULL for NULL
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server);

/**
 * Makes a client.
 * @param dev open device; not closed while the object exists
 * @param name name of the server; copied
 * @param cc_client receives the object; give it back with doca_cc_client_destroy
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INITIALIZATION: the device does not support it.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name,
					       struct doca_cc_client **cc_client);

/**
 * Frees a client.
 * @param cc_client client
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the argument is NULL.
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client);

/**
 * Does the device support clients?
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: it does not.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Device that the object was made with.
 * @param cc_client client
 * @param dev receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_device(const struct doca_cc_client *cc_client,
						   struct doca_dev **dev);

/**
 * Context of the object, to start and stop it and connect it to a progress engine.
 * @param cc_client client
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, NULL for NULL
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client);

/**
 * Connection of a client.
 * @param cc_client client
 * @param connection receives it
 * States: RUNNING or STOPPING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client is not connected; progress until its context runs.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
						       struct doca_cc_connection **connection);

/**
 * Sets what is called for clients that come and go.
 * @param cc_server server
 * @param connect_event_cb called for a client that comes
 * @param disconnect_event_cb called for one that goes
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_event_connection_register(
	struct doca_cc_server *cc_server,
	doca_cc_event_connection_status_changed_cb_t connect_event_cb,
	doca_cc_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * Takes the figures that doca_cc_connection_get_counter gives.
 * @param cc_connection connection
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the argument is NULL.
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the connection does not stand yet; progress.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection has ended; its figures are final.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection);

/**
 * A figure of a connection, when doca_cc_connection_update_info was called last.
 * @param cc_connection connection
 * @param counter_type which figure
 * @param counter_value receives it
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such figure.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t
doca_cc_connection_get_counter(const struct doca_cc_connection *cc_connection,
			       enum doca_cc_counter counter_type, uint64_t *counter_value);

/**
 * Sets what is called for consumers of the peer.
 * @param cc_server server
 * @param new_consumer_event_cb called for a consumer of the peer that comes, also for one that has
 *        stopped by then; messages to that one are refused with DOCA_ERROR_NOT_FOUND
 * @param expired_consumer_event_cb called once for each of those when it goes, at the latest
 *        before the end of its connection is told, the program's own stop included
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_event_consumer_register(
	struct doca_cc_server *cc_server, doca_cc_event_consumer_cb_t new_consumer_event_cb,
	doca_cc_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Sets what is called for consumers of the peer.
 * @param cc_client client
 * @param new_consumer_event_cb called for a consumer of the peer that comes, also for one that has
 *        stopped by then; messages to that one are refused with DOCA_ERROR_NOT_FOUND
 * @param expired_consumer_event_cb called once for each of those when it goes, at the latest
 *        before the end of its connection is told, the program's own stop included
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_event_consumer_register(
	struct doca_cc_client *cc_client, doca_cc_event_consumer_cb_t new_consumer_event_cb,
	doca_cc_event_consumer_cb_t expired_consumer_event_cb);

#if DOCA_API_BETWEEN(205, 205)

/**
 * Configures send tasks.
 * @param cc_server server
 * @param task_completion_cb called for a task that succeeded
 * @param task_error_cb called for one that failed
 * @param log_num_tasks number of tasks, as a power of two
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_send_task_set_conf(
	struct doca_cc_server *cc_server, doca_cc_send_task_comp_handler task_completion_cb,
	doca_cc_send_task_comp_handler task_error_cb, uint8_t log_num_tasks);

/**
 * Configures send tasks.
 * @param cc_client client
 * @param task_completion_cb called for a task that succeeded
 * @param task_error_cb called for one that failed
 * @param log_num_tasks number of tasks, as a power of two
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_send_task_set_conf(
	struct doca_cc_client *cc_client, doca_cc_send_task_comp_handler task_completion_cb,
	doca_cc_send_task_comp_handler task_error_cb, uint8_t log_num_tasks);

/**
 * Takes a send task from the pool.
 * @param cc_server server
 * @param peer connection to send over
 * @param msg message; unchanged until the task completes
 * @param len bytes, from 1 to the smaller one of what the two ends allow
 * @param task receives the task; submit it, or give it back with doca_task_free
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the message is empty or too long, the
 *   connection is another object's, or the program knows that it has ended.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * A peer that has left, as far as the program was not told of it, is no error here: the task is
 * given out, can be submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with
 * DOCA_ERROR_CONNECTION_RESET if the peer broke off.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server,
							     struct doca_cc_connection *peer,
							     const void *msg, size_t len,
							     struct doca_cc_send_task **task);

/**
 * Takes a send task from the pool.
 * @param cc_client client
 * @param peer connection to send over
 * @param msg message; unchanged until the task completes
 * @param len bytes, from 1 to the smaller one of what the two ends allow
 * @param task receives the task; submit it, or give it back with doca_task_free
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the message is empty or too long, the
 *   connection is another object's, or the program knows that it has ended.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * A peer that has left, as far as the program was not told of it, is no error here: the task is
 * given out, can be submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with
 * DOCA_ERROR_CONNECTION_RESET if the peer broke off.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client,
							     struct doca_cc_connection *peer,
							     const void *msg, size_t len,
							     struct doca_cc_send_task **task);

/**
 * General form of a task, to submit and free it.
 * @param task task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the task, NULL for NULL
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task);

#endif /* 2.5 */

#if DOCA_API_BETWEEN(206, 206)

/**
 * Configures send tasks.
 * @param cc_server server
 * @param task_completion_cb called for a task that succeeded
 * @param task_error_cb called for one that failed
 * @param num_send_tasks number of tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_task_send_set_conf(
	struct doca_cc_server *cc_server, doca_cc_task_send_completion_cb_t task_completion_cb,
	doca_cc_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Configures send tasks.
 * @param cc_client client
 * @param task_completion_cb called for a task that succeeded
 * @param task_error_cb called for one that failed
 * @param num_send_tasks number of tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_task_send_set_conf(
	struct doca_cc_client *cc_client, doca_cc_task_send_completion_cb_t task_completion_cb,
	doca_cc_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Takes a send task from the pool.
 * @param cc_server server
 * @param peer connection to send over
 * @param msg message; unchanged until the task completes
 * @param len bytes, from 1 to the smaller one of what the two ends allow
 * @param task receives the task; submit it, or give it back with doca_task_free
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the message is empty or too long, the
 *   connection is another object's, or the program knows that it has ended.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * A peer that has left, as far as the program was not told of it, is no error here: the task is
 * given out, can be submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with
 * DOCA_ERROR_CONNECTION_RESET if the peer broke off.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *cc_server,
							     struct doca_cc_connection *peer,
							     const void *msg, uint32_t len,
							     struct doca_cc_task_send **task);

/**
 * Takes a send task from the pool.
 * @param cc_client client
 * @param peer connection to send over
 * @param msg message; unchanged until the task completes
 * @param len bytes, from 1 to the smaller one of what the two ends allow
 * @param task receives the task; submit it, or give it back with doca_task_free
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the message is empty or too long, the
 *   connection is another object's, or the program knows that it has ended.
 * - DOCA_ERROR_NO_MEMORY: all tasks are in use; free some or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * A peer that has left, as far as the program was not told of it, is no error here: the task is
 * given out, can be submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with
 * DOCA_ERROR_CONNECTION_RESET if the peer broke off.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client,
							     struct doca_cc_connection *peer,
							     const void *msg, uint32_t len,
							     struct doca_cc_task_send **task);

/**
 * General form of a task, to submit and free it.
 * @param task task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the task, NULL for NULL
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task);

#endif /* 2.6 */

/* Sizes and lengths are of type size_t in 2.5. */
#if DOCA_USE_VERSION < 206

/**
 * Largest message that can be configured.
 * @param devinfo description of the device; borrowed for the call
 * @param size receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
						      size_t *size)
	DOCA_BIND(doca_cc_cap_get_max_msg_size, 2_5);

/**
 * Longest receive queue that can be configured.
 * @param devinfo description of the device; borrowed for the call
 * @param size receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							     size_t *size)
	DOCA_BIND(doca_cc_cap_get_max_recv_queue_size, 2_5);

/**
 * Most clients of one server.
 * @param devinfo description of the device; borrowed for the call
 * @param num_clients receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo,
						     size_t *num_clients)
	DOCA_BIND(doca_cc_cap_get_max_clients, 2_5);

/**
 * Sets the longest message of this end.
 * @param cc_server server
 * @param size bytes
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object is NULL, the size is 0 or more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server,
							 size_t size)
	DOCA_BIND(doca_cc_server_set_max_msg_size, 2_5);

/**
 * Longest message of this end.
 * @param cc_server server
 * @param size receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server,
							 size_t *size)
	DOCA_BIND(doca_cc_server_get_max_msg_size, 2_5);

/**
 * Sets how many messages wait to be received.
 * @param cc_server server
 * @param size messages
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object is NULL, the size is 0 or more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server,
							    size_t size)
	DOCA_BIND(doca_cc_server_set_recv_queue_size, 2_5);

/**
 * How many messages wait to be received.
 * @param cc_server server
 * @param size receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
							    size_t *size)
	DOCA_BIND(doca_cc_server_get_recv_queue_size, 2_5);

/**
 * Sets the longest message of this end.
 * @param cc_client client
 * @param size bytes
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object is NULL, the size is 0 or more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client,
							 size_t size)
	DOCA_BIND(doca_cc_client_set_max_msg_size, 2_5);

/**
 * Longest message of this end.
 * @param cc_client client
 * @param size receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client,
							 size_t *size)
	DOCA_BIND(doca_cc_client_get_max_msg_size, 2_5);

/**
 * Sets how many messages wait to be received.
 * @param cc_client client
 * @param size messages
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object is NULL, the size is 0 or more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client,
							    size_t size)
	DOCA_BIND(doca_cc_client_set_recv_queue_size, 2_5);

/**
 * How many messages wait to be received.
 * @param cc_client client
 * @param size receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
							    size_t *size)
	DOCA_BIND(doca_cc_client_get_recv_queue_size, 2_5);

/**
 * Most send tasks of one server or client.
 * @param devinfo description of the device; borrowed for the call
 * @param max_send_tasks receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
							size_t *max_send_tasks)
	DOCA_BIND(doca_cc_cap_get_max_send_tasks, 2_5);

/**
 * Sets what is called for messages.
 * @param cc_server server
 * @param recv_event_cb called for each message
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_event_msg_recv_register(
	struct doca_cc_server *cc_server, doca_cc_event_msg_recv_cb_t recv_event_cb)
	DOCA_BIND(doca_cc_server_event_msg_recv_register, 2_5);

/**
 * Sets what is called for messages.
 * @param cc_client client
 * @param recv_event_cb called for each message
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.5, until 2.5. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_event_msg_recv_register(
	struct doca_cc_client *cc_client, doca_cc_event_msg_recv_cb_t recv_event_cb)
	DOCA_BIND(doca_cc_client_event_msg_recv_register, 2_5);

#else

/**
 * Sets what is called for messages.
 * @param cc_server server
 * @param recv_event_cb called for each message
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_event_msg_recv_register(
	struct doca_cc_server *cc_server, doca_cc_event_msg_recv_cb_t recv_event_cb)
	DOCA_BIND(doca_cc_server_event_msg_recv_register, 2_6);

/**
 * Sets what is called for messages.
 * @param cc_client client
 * @param recv_event_cb called for each message
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_event_msg_recv_register(
	struct doca_cc_client *cc_client, doca_cc_event_msg_recv_cb_t recv_event_cb)
	DOCA_BIND(doca_cc_client_event_msg_recv_register, 2_6);

/**
 * Largest message that can be configured.
 * @param devinfo description of the device; borrowed for the call
 * @param size receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
						      uint32_t *size)
	DOCA_BIND(doca_cc_cap_get_max_msg_size, 2_6);

/**
 * Longest receive queue that can be configured.
 * @param devinfo description of the device; borrowed for the call
 * @param size receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
							     uint32_t *size)
	DOCA_BIND(doca_cc_cap_get_max_recv_queue_size, 2_6);

/**
 * Most clients of one server.
 * @param devinfo description of the device; borrowed for the call
 * @param num_clients receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo,
						     uint32_t *num_clients)
	DOCA_BIND(doca_cc_cap_get_max_clients, 2_6);

/**
 * Sets the longest message of this end.
 * @param cc_server server
 * @param size bytes
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object is NULL, the size is 0 or more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server,
							 uint32_t size)
	DOCA_BIND(doca_cc_server_set_max_msg_size, 2_6);

/**
 * Longest message of this end.
 * @param cc_server server
 * @param size receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server,
							 uint32_t *size)
	DOCA_BIND(doca_cc_server_get_max_msg_size, 2_6);

/**
 * Sets how many messages wait to be received.
 * @param cc_server server
 * @param size messages
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object is NULL, the size is 0 or more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server,
							    uint32_t size)
	DOCA_BIND(doca_cc_server_set_recv_queue_size, 2_6);

/**
 * How many messages wait to be received.
 * @param cc_server server
 * @param size receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
							    uint32_t *size)
	DOCA_BIND(doca_cc_server_get_recv_queue_size, 2_6);

/**
 * Sets the longest message of this end.
 * @param cc_client client
 * @param size bytes
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object is NULL, the size is 0 or more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client,
							 uint32_t size)
	DOCA_BIND(doca_cc_client_set_max_msg_size, 2_6);

/**
 * Longest message of this end.
 * @param cc_client client
 * @param size receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client,
							 uint32_t *size)
	DOCA_BIND(doca_cc_client_get_max_msg_size, 2_6);

/**
 * Sets how many messages wait to be received.
 * @param cc_client client
 * @param size messages
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the object is NULL, the size is 0 or more than the device allows.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client,
							    uint32_t size)
	DOCA_BIND(doca_cc_client_set_recv_queue_size, 2_6);

/**
 * How many messages wait to be received.
 * @param cc_client client
 * @param size receives it
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
							    uint32_t *size)
	DOCA_BIND(doca_cc_client_get_recv_queue_size, 2_6);

/**
 * Most send tasks of one server or client.
 * @param devinfo description of the device; borrowed for the call
 * @param max_send_tasks receives it
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.6, until 2.6. Source: DOCA CC guide.
 */
DOCA_STABLE doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
							uint32_t *max_send_tasks)
	DOCA_BIND(doca_cc_cap_get_max_send_tasks, 2_6);

#endif
/* Of other versions. */
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
