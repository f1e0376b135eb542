/* Public calls of the comch server: create, configure, look up, disconnect. The implementation is
 * in client/comch/connection/server.c and client/comch/comch.c. */
#include <stdlib.h>

#include "client/comch/connection/server.h"
#include "util/str.h"

static struct comch *server_base(const struct doca_comch_server *server)
{
	return (struct comch *)(uintptr_t)server;
}

doca_error_t comch_server_new(struct doca_dev *dev, struct doca_dev_rep *rep, const char *name,
			      struct doca_comch_server **server_out)
{
	struct doca_comch_server *server;
	doca_error_t result;

	server = calloc(1, sizeof(*server));
	if (server == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch server create: out of memory");
	result = comch_init(&server->base, &comch_server_ops, dev, name, true);
	if (result != DOCA_SUCCESS) {
		free(server);
		return result;
	}
	comch_server_init(server);
	server->rep = rep;
	atomic_fetch_add(&rep->n_users, 1);
	*server_out = server;
	return DOCA_SUCCESS;
}

doca_error_t comch_server_free(struct doca_comch_server *server)
{
	doca_error_t result = comch_deinit(&server->base);

	if (result != DOCA_SUCCESS)
		return result;
	atomic_fetch_sub(&server->rep->n_users, 1);
	free(server);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
				      const char *name, struct doca_comch_server **comch_server)
{
	if (dev == NULL || repr == NULL || name == NULL || comch_server == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch server create: %s is NULL",
				 dev == NULL    ? "dev"
				 : repr == NULL ? "repr"
				 : name == NULL ? "name"
						: "the place for the server");
	return comch_server_new(dev, repr, name, comch_server);
}

doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server)
{
	if (comch_server == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch server destroy: server is NULL");
	return comch_server_free(comch_server);
}

doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
						uint32_t size)
{
	return comch_set_msg_size(server_base(comch_server), size, "comch server max message size");
}

doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
						uint32_t *size)
{
	return comch_get_msg_size(server_base(comch_server), size, "comch server max message size");
}

doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
						   uint32_t size)
{
	return comch_set_recv_queue(server_base(comch_server), size,
				    "comch server receive queue size");
}

doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
						   uint32_t *size)
{
	return comch_get_recv_queue(server_base(comch_server), size,
				    "comch server receive queue size");
}

doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
					  struct doca_dev **dev)
{
	return comch_get_dev(server_base(comch_server), dev, "comch server device");
}

doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
					      struct doca_dev_rep **rep)
{
	if (comch_server == NULL || rep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch server representor: %s is NULL",
				 comch_server == NULL ? "server" : "the result");
	*rep = comch_server->rep;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server)
{
	return comch_server == NULL ? NULL : &comch_server->base.ctx;
}

/*
 * No callback runs for a connection after the program ended it. BlueField-3 with DOCA 3.1 was seen
 * to call no disconnect callback for 1412 connections that a server ended, and programs there free
 * in advance what the callback would need. Progress frees the connection, because the caller may be
 * one of its callbacks. Ending a connection that is ending already succeeds: the application cannot
 * know of that before its callback runs.
 */
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
					  struct doca_comch_connection *connection)
{
	uint32_t n_active;

	if (comch_server == NULL || connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch server disconnect: %s is NULL",
				 comch_server == NULL ? "server" : "connection");
	if (connection->comch != &comch_server->base)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"comch server disconnect: the connection belongs to another object");
	if (connection->state == COMCH_FREE)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comch server disconnect: the connection has ended already");
	/* The producers and consumers of a connection that the peer ended stop by themselves. */
	n_active = connection->state == COMCH_UP ? atomic_load(&connection->link->n_active) : 0;
	if (n_active != 0)
		return error_set(
			DOCA_ERROR_IN_USE,
			"comch server disconnect: %u %s of the connection running; stop them first",
			n_active,
			plural(n_active, "producer or consumer is", "producers and consumers are"));
	if (connection->state == COMCH_UP || connection->state == COMCH_DRAINING)
		comch_server_drop(comch_server, connection);
	connection->is_dropped = true;
	return DOCA_SUCCESS;
}

struct doca_comch_server *doca_comch_server_get_server_ctx(
	const struct doca_comch_connection *connection)
{
	if (connection == NULL || !connection->comch->is_server)
		return NULL;
	return container_of(connection->comch, struct doca_comch_server, base);
}

doca_error_t doca_comch_server_task_send_set_conf(
	struct doca_comch_server *comch_server,
	doca_comch_task_send_completion_cb_t task_completion_cb,
	doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
	return comch_send_set_conf(server_base(comch_server), task_completion_cb, task_error_cb,
				   num_send_tasks, "comch server send conf");
}

doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
						    struct doca_comch_connection *peer,
						    const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	return comch_send_alloc(server_base(comch_server), peer, msg, len, task,
				"comch server send");
}

doca_error_t doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	return comch_set_recv_cb(server_base(comch_server), recv_event_cb,
				 "comch server receive event");
}

doca_error_t doca_comch_server_event_connection_status_changed_register(
	struct doca_comch_server *comch_server,
	doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
	doca_error_t result;

	if (comch_server == NULL || connect_event_cb == NULL || disconnect_event_cb == NULL)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"comch server connection event: %s is NULL; both callbacks are needed",
			comch_server == NULL ? "server" : "a callback");
	result = ctx_check_idle(&comch_server->base.ctx, DOCA_ERROR_BAD_STATE,
				"comch server connection event");
	if (result != DOCA_SUCCESS)
		return result;
	comch_server->connect_cb = connect_event_cb;
	comch_server->disconnect_cb = disconnect_event_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_event_consumer_register(
	struct doca_comch_server *comch_server,
	doca_comch_event_consumer_cb_t new_consumer_event_cb,
	doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	return comch_set_consumer_cbs(server_base(comch_server), new_consumer_event_cb,
				      expired_consumer_event_cb, "comch server consumer event");
}
