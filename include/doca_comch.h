/*
 * Communication channel between a host program and a DPU program: a server on the DPU under a name,
 * clients on the host.
 *
 * A server needs a device and a representor of the host function that its clients come from; a
 * client needs that function's device. Both are contexts: configure, connect to an engine, start,
 * progress. The server starts at once; the client's start gives DOCA_ERROR_IN_PROGRESS and the
 * context is RUNNING when the connection stands. Messages are sent by tasks and arrive in the
 * receive event's callback, whole and in order per connection. A message must stay as it is until
 * its task completes.
 *
 * Submission fails, and the message is not sent, with DOCA_ERROR_AGAIN when the peer's receive
 * queue is full: progress, then submit again; with DOCA_ERROR_NOT_CONNECTED when the connection has
 * ended; and with DOCA_ERROR_CONNECTION_RESET when it ended because the peer died or broke a rule.
 *
 * Threads: one thread at a time per server or client, with the engine it is connected to and its
 * connections.
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

struct doca_comch_server;                          /* named service on the DPU */
struct doca_comch_client;                          /* its user on the host */
struct doca_comch_connection;                      /* one client at one server, as either sees it */
struct doca_comch_task_send;                       /* one message to send */
struct doca_comch_event_msg_recv;                  /* registration for messages */
struct doca_comch_event_connection_status_changed; /* registration for connects and disconnects */
struct doca_comch_event_consumer; /* registration for data-path consumers of the peer */
struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_task;

/* Figures kept per connection since it was established. */
enum doca_comch_counter {
	DOCA_COMCH_COUNTER_SENT_MESSAGES = 1,
	DOCA_COMCH_COUNTER_SENT_BYTES = 2,
	DOCA_COMCH_COUNTER_RECV_MESSAGES = 3,
	DOCA_COMCH_COUNTER_RECV_BYTES = 4
};

/*
 * Told of a sent or failed message, with the data of the task and of the context. Runs inside
 * doca_pe_progress.
 */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

/*
 * A message of msg_len bytes. recv_buffer is the library's and valid in the callback only. It holds
 * a copy: the sender cannot change the message while the callback runs.
 */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
					       uint8_t *recv_buffer, uint32_t msg_len,
					       struct doca_comch_connection *comch_connection);

/*
 * A client came or went; change_successful is 0 if the change failed. After a disconnect callback
 * the connection is no longer valid.
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
	struct doca_comch_event_connection_status_changed *event,
	struct doca_comch_connection *comch_connection, uint8_t change_successful);

/* The peer's data-path consumer with this id came or went. */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
					       struct doca_comch_connection *comch_connection,
					       uint32_t id);

/**
 * Keeps a word of the program's own with a connection.
 * @param connection connection that stands
 * @param user_data not interpreted
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: connection is NULL.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_connection_set_user_data(
	struct doca_comch_connection *connection, union doca_data user_data);

/**
 * Word kept with a connection.
 * @param connection connection that stands
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return the word; 0 if none was set
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE union doca_data doca_comch_connection_get_user_data(
	const struct doca_comch_connection *connection);

/**
 * Server that a connection belongs to.
 * @param connection connection that stands
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return the server; NULL if the connection is a client's
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE struct doca_comch_server *doca_comch_server_get_server_ctx(
	const struct doca_comch_connection *connection);

/**
 * Client that a connection belongs to.
 * @param connection connection that stands
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return the client; NULL if the connection is a server's
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE struct doca_comch_client *doca_comch_client_get_client_ctx(
	const struct doca_comch_connection *connection);

/**
 * Longest name of a server.
 * @param devinfo description of the device; borrowed for the call
 * @param max_name_len receives the bytes, terminating NUL included
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
							 uint32_t *max_name_len);

/**
 * Largest message that can be configured.
 * @param devinfo description of the device; borrowed for the call
 * @param size receives the bytes
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo,
							 uint32_t *size);

/**
 * Longest receive queue that can be configured.
 * @param devinfo description of the device; borrowed for the call
 * @param size receives the number of messages
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
								uint32_t *size);

/**
 * Most clients that one server can have at the same time.
 * @param devinfo description of the device; borrowed for the call
 * @param num_clients receives the number
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
							uint32_t *num_clients);

/**
 * Makes a server. Its name is claimed when its context starts.
 * @param dev open device of the DPU; must stay open until destroy
 * @param repr open representor of the host function that clients use; must stay open until destroy
 * @param name name that clients ask for, NUL-terminated; copied
 * @param comch_server receives the server; give it back with doca_comch_server_destroy
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INITIALIZATION: the device does not support it; ask
 *   doca_comch_cap_server_is_supported first.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
						  const char *name,
						  struct doca_comch_server **comch_server);

/**
 * Frees a server with its context.
 * @param comch_server server
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL.
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress until it is.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * Can a device carry a server? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, as on a host.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the largest message. Both ends must agree.
 * @param comch_server server
 * @param size bytes, from 1 to doca_comch_cap_get_max_msg_size
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL or size is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
							    uint32_t size);

/**
 * Largest message: what was set, or the default.
 * @param comch_server server
 * @param size receives the bytes
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the size is not known yet.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server, uint32_t *size);

/**
 * Sets how many messages may wait per connection before the peer is held back.
 * @param comch_server server
 * @param size number of messages, from 1 to doca_comch_cap_get_max_recv_queue_size
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_server is NULL or size is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server, uint32_t size);

/**
 * How many messages may wait per connection.
 * @param comch_server server
 * @param size receives the number of messages
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server, uint32_t *size);

/**
 * Device of a server.
 * @param comch_server server
 * @param dev receives the device; still the program's
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server has none.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
						      struct doca_dev **dev);

/**
 * Representor of a server.
 * @param comch_server server
 * @param rep receives the representor; still the program's
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server has none.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_get_device_rep(
	const struct doca_comch_server *comch_server, struct doca_dev_rep **rep);

#if DOCA_API_BETWEEN(207, 209)
/**
 * Representor of a server.
 * @param comch_server server
 * @param rep receives the representor; still the program's
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the server has none.
 * Since 2.7, until 2.9. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_get_device_repr(
	const struct doca_comch_server *comch_server, struct doca_dev_rep **rep);
#endif

/**
 * Context of a server.
 * @param comch_server server
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, owned by the server; NULL if comch_server is NULL
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/**
 * Ends one client's connection. The client sees its context stop, and run before that also if the
 * connection ends at once. The server's program is told nothing more of the connection: neither the
 * disconnect callback nor those for messages and consumers run for it, also if the client was
 * leaving already. May be called from any callback.
 * @param comch_server server
 * @param connection connection of this server; invalid after the call, if that succeeds
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the connection is not this server's.
 * - DOCA_ERROR_IN_USE: data-path producers or consumers still use the connection; destroy them
 *   first.
 * - DOCA_ERROR_AGAIN: the queue is full; progress, then repeat.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
						      struct doca_comch_connection *connection);

/**
 * Makes a client for a server of the given name. It connects when its context starts.
 * @param dev open device of the host; must stay open until destroy
 * @param name name of the server, NUL-terminated; copied
 * @param comch_client receives the client; give it back with doca_comch_client_destroy
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or too long.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INITIALIZATION: the device does not support it; ask
 *   doca_comch_cap_client_is_supported first.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
						  struct doca_comch_client **comch_client);

/**
 * Frees a client with its context.
 * @param comch_client client
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL.
 * - DOCA_ERROR_IN_USE: the context is not IDLE; stop it and progress until it is.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * Can a device carry a client? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it cannot.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the largest message. Both ends must agree.
 * @param comch_client client
 * @param size bytes, from 1 to doca_comch_cap_get_max_msg_size
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL or size is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
							    uint32_t size);

/**
 * Largest message: what was set, or the default.
 * @param comch_client client
 * @param size receives the bytes
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the size is not known yet.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client, uint32_t *size);

/**
 * Sets how many messages may wait before the peer is held back.
 * @param comch_client client
 * @param size number of messages, from 1 to doca_comch_cap_get_max_recv_queue_size
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: comch_client is NULL or size is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client, uint32_t size);

/**
 * How many messages may wait.
 * @param comch_client client
 * @param size receives the number of messages
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client, uint32_t *size);

/**
 * Device of a client.
 * @param comch_client client
 * @param dev receives the device; still the program's
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the client has none.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
						      struct doca_dev **dev);

/**
 * Context of a client.
 * @param comch_client client
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the context, owned by the client; NULL if comch_client is NULL
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/**
 * The connection of a client to its server.
 * @param comch_client client
 * @param connection receives it; owned by the client, valid until its context leaves RUNNING
 * States: RUNNING.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; progress until it is.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_client_get_connection(
	const struct doca_comch_client *comch_client, struct doca_comch_connection **connection);

/**
 * Most send tasks that one server or client can have.
 * @param devinfo description of the device; borrowed for the call
 * @param max_send_tasks receives the number
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
							   uint32_t *max_send_tasks);

/**
 * Sets up a server's send tasks: callbacks and how many there are. Without it none can be
 * allocated.
 * @param comch_server server
 * @param task_completion_cb called for each message that was sent
 * @param task_error_cb called for each message that failed; doca_task_get_status says why
 * @param num_send_tasks number of tasks, from 1 to doca_comch_cap_get_max_send_tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_task_send_set_conf(
	struct doca_comch_server *comch_server,
	doca_comch_task_send_completion_cb_t task_completion_cb,
	doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Sets up a client's send tasks: callbacks and how many there are. Without it none can be
 * allocated.
 * @param comch_client client
 * @param task_completion_cb called for each message that was sent
 * @param task_error_cb called for each message that failed; doca_task_get_status says why
 * @param num_send_tasks number of tasks, from 1 to doca_comch_cap_get_max_send_tasks
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_client_task_send_set_conf(
	struct doca_comch_client *comch_client,
	doca_comch_task_send_completion_cb_t task_completion_cb,
	doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Takes a send task from a server's pool and fills it.
 * @param comch_server server
 * @param peer connection to send on
 * @param msg message; the program's, unchanged until the task completes
 * @param len bytes, from 1 to the maximum message size
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the message is empty or too long, peer is not
 *   this server's, or the program knows that it has ended.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; progress and free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * A peer that has left, as far as the program was not told of it, is no error here: the task is
 * given out, can be submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with
 * DOCA_ERROR_CONNECTION_RESET if the peer broke off.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_task_send_alloc_init(
	struct doca_comch_server *comch_server, struct doca_comch_connection *peer, const void *msg,
	uint32_t len, struct doca_comch_task_send **task);

/**
 * Takes a send task from a client's pool and fills it.
 * @param comch_client client
 * @param peer connection to send on
 * @param msg message; the program's, unchanged until the task completes
 * @param len bytes, from 1 to the maximum message size
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the message is empty or too long, peer is not
 *   this client's, or the program knows that it has ended.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; progress and free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * A peer that has left, as far as the program was not told of it, is no error here: the task is
 * given out, can be submitted, and completes with DOCA_ERROR_NOT_CONNECTED, or with
 * DOCA_ERROR_CONNECTION_RESET if the peer broke off.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_client_task_send_alloc_init(
	struct doca_comch_client *comch_client, struct doca_comch_connection *peer, const void *msg,
	uint32_t len, struct doca_comch_task_send **task);

/**
 * The general form of a send task, for submission.
 * @param task send task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the same task, never NULL
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/**
 * Registers the callback for messages of all of a server's clients.
 * @param comch_server server
 * @param recv_event_cb called for each message
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_event_msg_recv_register(
	struct doca_comch_server *comch_server, doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Registers the callback for messages of a client's server.
 * @param comch_client client
 * @param recv_event_cb called for each message
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_client_event_msg_recv_register(
	struct doca_comch_client *comch_client, doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Registers the callbacks for clients that come and go.
 * @param comch_server server
 * @param connect_event_cb called when a client has connected
 * @param disconnect_event_cb called when a client has left or died, or the server stops; not for
 *        one that the program ended with doca_comch_server_disconnect
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t doca_comch_server_event_connection_status_changed_register(
	struct doca_comch_server *comch_server,
	doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * Brings the figures of a connection up to date, for doca_comch_connection_get_counter.
 * @param comch_connection connection that stands
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the connection does not stand yet; progress and repeat.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection broke; the figures stay as they were.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);

/**
 * One figure of a connection, as of the last doca_comch_connection_update_info.
 * @param comch_connection connection that stands
 * @param counter_type which one
 * @param counter_value receives it; messages or bytes since the connection stands
 * States: from connect to disconnect.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or there is no such counter.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
				  enum doca_comch_counter counter_type, uint64_t *counter_value);

/**
 * Registers the callbacks for data-path consumers that a server's clients make and destroy.
 * @param comch_server server
 * @param new_consumer_event_cb called when the peer has a new consumer, also for one that has
 *        stopped by then; messages to that one are refused with DOCA_ERROR_NOT_FOUND
 * @param expired_consumer_event_cb called once for each of those when it is gone, at the latest
 *        before the end of its connection is told, the program's own stop included
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL; both callbacks are needed.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
					  doca_comch_event_consumer_cb_t new_consumer_event_cb,
					  doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Registers the callbacks for data-path consumers that a client's server makes and destroys.
 * @param comch_client client
 * @param new_consumer_event_cb called when the peer has a new consumer, also for one that has
 *        stopped by then; messages to that one are refused with DOCA_ERROR_NOT_FOUND
 * @param expired_consumer_event_cb called once for each of those when it is gone, at the latest
 *        before the end of its connection is told, the program's own stop included
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL; both callbacks are needed.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; do it before start.
 * Since 2.7. Source: DOCA Comch guide.
 */
DOCA_STABLE doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
					  doca_comch_event_consumer_cb_t new_consumer_event_cb,
					  doca_comch_event_consumer_cb_t expired_consumer_event_cb);

#ifdef __cplusplus
}
#endif

#endif
