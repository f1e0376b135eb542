/* RDMA: the calls that make and end connections, by parameters that the application exchanges or by
 * address. Threads: those of the progress engine. */
#include <string.h>

#include "client/rdma/rdma.h"
#include "util/str.h"

/* --- by exchanged parameters --- */

static doca_error_t conn_no_slot(const struct doca_rdma *rdma, doca_error_t code, const char *what)
{
	return error_set(code,
			 "rdma %s: all %u %s used; disconnect one, or allow more with "
			 "doca_rdma_set_max_num_connections",
			 what, rdma->n_conns,
			 plural(rdma->n_conns, "connection is", "connections are"));
}

static doca_error_t conn_describe(struct doca_rdma_connection *conn)
{
	const struct rdma_provider *ops = conn->rdma->ops;
	struct conn_params details = {.kind = CONN_PARAMS_RC};
	uint8_t body[RDMA_PARAMS_MAX];
	size_t len = 0;
	doca_error_t result = ops->qp_params(conn->qp, body, &len);

	if (result != DOCA_SUCCESS)
		return result;
	if (len > sizeof(body) || strlen(ops->name) >= sizeof(details.provider))
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "rdma export: the connection parameters of %s have %zu bytes",
				 ops->name, len);
	strcpy(details.provider, ops->name);
	details.len = (uint8_t)len;
	memcpy(details.body, body, len);
	conn->details_len = conn_params_encode(&details, conn->details);
	return DOCA_SUCCESS;
}

doca_error_t rdma_conn_export(struct doca_rdma *rdma, struct doca_rdma_connection **conn_out)
{
	struct doca_rdma_connection *conn = rdma_conn_allocate(rdma, CONN_EXPORTED);
	doca_error_t result;

	if (conn == NULL)
		return conn_no_slot(rdma, DOCA_ERROR_FULL, "export");
	conn->by_params = true;
	result = rdma->ops->qp_new(rdma->domain, conn, &conn->qp);
	if (result == DOCA_SUCCESS)
		result = conn_describe(conn);
	if (result != DOCA_SUCCESS) {
		rdma_conn_end(conn);
		/* The contract has one code. The provider has recorded an error sentence with the
		 * cause. */
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	*conn_out = conn;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size,
			      struct doca_rdma_connection **rdma_connection)
{
	struct doca_rdma_connection *conn;
	doca_error_t result;

	if (rdma == NULL || local_rdma_conn_details == NULL ||
	    local_rdma_conn_details_size == NULL || rdma_connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma export: %s is NULL",
				 rdma == NULL ? "rdma" : "a result");
	if (rdma_check_form(rdma, RDMA_FORM_CONNS, "rdma export") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return ctx_not_running(&rdma->ctx, "rdma export");
	result = rdma_conn_export(rdma, &conn);
	if (result != DOCA_SUCCESS)
		return result;
	*local_rdma_conn_details = conn->details;
	*local_rdma_conn_details_size = conn->details_len;
	*rdma_connection = conn;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_export, 2_9);

doca_error_t rdma_conn_connect(struct doca_rdma_connection *conn, const void *data, size_t len)
{
	const struct rdma_provider *ops = conn->rdma->ops;
	struct conn_params details;
	enum conn_params_error error = conn_params_decode(data, len, &details);
	doca_error_t result;

	if (error != CONN_PARAMS_OK)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma connect: the other end's details cannot be used: %s",
				 conn_params_error_text(error));
	if (strcmp(details.provider, ops->name) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma connect: the other end's device is reached by \"%s\", that "
				 "of this one (%s) by \"%s\"; use devices of one kind",
				 details.provider, conn->rdma->ctx.dev->info->name, ops->name);
	/* Set first, because the event may occur before the call returns. */
	conn->state = CONN_CONNECTING;
	result = ops->qp_connect(conn->qp, details.body, details.len);
	rdma_wake(conn->rdma);
	if (result == DOCA_SUCCESS)
		return result;
	conn->state = CONN_EXPORTED;
	return result == DOCA_ERROR_INVALID_VALUE ? result : DOCA_ERROR_CONNECTION_ABORTED;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *rdma_connection)
{
	if (rdma == NULL || remote_rdma_conn_details == NULL || rdma_connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma connect: %s is NULL",
				 rdma == NULL              ? "rdma"
				 : rdma_connection == NULL ? "the connection"
							   : "the details");
	if (rdma_check_form(rdma, RDMA_FORM_CONNS, "rdma connect") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (rdma_connection->rdma != rdma)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma connect: the connection belongs to another object");
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma connect: the context is not running; start it, then export "
				 "and connect again");
	if (rdma_connection->state == CONN_FREE || rdma_connection->state == CONN_ENDING)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma connect: the connection is not in use; doca_rdma_export "
				 "gives one");
	if (rdma_connection->state != CONN_EXPORTED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma connect: the connection was connected before; "
				 "doca_rdma_export gives another");
	return rdma_conn_connect(rdma_connection, remote_rdma_conn_details,
				 remote_rdma_conn_details_size);
}
API_PLAIN(doca_rdma_connect, 2_9);

/* --- by address --- */

static doca_error_t conn_check_addressed(const struct doca_rdma *rdma, const char *what)
{
	if (rdma_check_form(rdma, RDMA_FORM_CONNS, what) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (!rdma->limits.has_addresses)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "rdma %s: %s has no connections by address; use doca_rdma_export "
				 "and doca_rdma_connect",
				 what, rdma->ctx.dev->info->name);
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma %s: the context is not running; start it first", what);
	return DOCA_SUCCESS;
}

/* Translates to the contract's one code. The provider has recorded an error sentence. */
static doca_error_t conn_code(doca_error_t result)
{
	return result == DOCA_SUCCESS ? result : DOCA_ERROR_CONNECTION_ABORTED;
}

static uint32_t rdma_find_port(const struct doca_rdma *rdma, uint16_t port)
{
	uint32_t i;

	for (i = 0; i < rdma->n_ports && rdma->ports[i] != port; i++)
		continue;
	return i;
}

doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
	doca_error_t result;

	if (rdma == NULL || port == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma listen: %s",
				 rdma == NULL ? "rdma is NULL" : "port 0; choose a number");
	result = conn_check_addressed(rdma, "listen");
	if (result != DOCA_SUCCESS)
		return result;
	if (rdma->request_cb == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma listen: no callback would receive the requests; call "
				 "doca_rdma_set_connection_state_callbacks before the start");
	if (rdma_find_port(rdma, port) < rdma->n_ports)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma listen: this object listens on port %u already", port);
	if (rdma->n_ports == ARRAY_LEN(rdma->ports))
		return error_set(DOCA_ERROR_CONNECTION_ABORTED,
				 "rdma listen: this object listens on %u ports already, its "
				 "maximum; stop listening on one",
				 rdma->n_ports);
	result = conn_code(rdma->ops->listen(rdma->domain, port));
	if (result == DOCA_SUCCESS)
		rdma->ports[rdma->n_ports++] = port;
	rdma_wake(rdma);
	return result;
}

doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
	uint32_t i;

	if (rdma == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma stop listen: rdma is NULL");
	if (rdma->form != RDMA_FORM_CONNS || !rdma->limits.has_addresses)
		return conn_check_addressed(rdma, "stop listen");
	i = rdma_find_port(rdma, port);
	if (i == rdma->n_ports)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma stop listen: this object does not listen on port %u", port);
	rdma->ports[i] = rdma->ports[--rdma->n_ports];
	return conn_code(rdma->ops->unlisten(rdma->domain, port));
}

doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
				       union doca_data connection_user_data)
{
	struct doca_rdma_connection *conn;
	doca_error_t result;

	if (rdma == NULL || addr == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma connect to address: %s is NULL",
				 rdma == NULL ? "rdma" : "addr");
	result = conn_check_addressed(rdma, "connect to address");
	if (result != DOCA_SUCCESS)
		return result;
	if (rdma->established_cb == NULL)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"rdma connect to address: no callback would report the connection; "
			"call doca_rdma_set_connection_state_callbacks before the start");
	conn = rdma_conn_allocate(rdma, CONN_ASKING);
	if (conn == NULL)
		return conn_no_slot(rdma, DOCA_ERROR_CONNECTION_ABORTED, "connect to address");
	conn->by_addr = true;
	conn->user_data = connection_user_data;
	conn->addr = *addr;
	conn->addr.is_of_connection = true;
	result = rdma->ops->qp_new(rdma->domain, conn, &conn->qp);
	if (result == DOCA_SUCCESS)
		result = rdma->ops->qp_connect_addr(conn->qp, &addr->end);
	if (result != DOCA_SUCCESS) {
		conn->is_disconnected = true;
		rdma_conn_end(conn);
	}
	rdma_wake(rdma);
	return conn_code(result);
}

static doca_error_t conn_check_requested(const struct doca_rdma_connection *conn, const char *what)
{
	if (conn == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma %s: the connection is NULL", what);
	if (conn->state == CONN_OVER && conn->by_addr && !conn->was_established)
		return error_set(DOCA_ERROR_CONNECTION_ABORTED,
				 "rdma %s: the other end cancelled its request", what);
	if (conn->state != CONN_REQUESTED)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma %s: no request of the connection is pending", what);
	return DOCA_SUCCESS;
}

doca_error_t rdma_conn_accept(struct doca_rdma_connection *conn, const void *private_data,
			      uint8_t private_len)
{
	doca_error_t result = conn_check_requested(conn, "accept");

	if (result != DOCA_SUCCESS)
		return result;
	if (private_len > RDMA_PRIVATE_MAX || (private_data == NULL && private_len > 0))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma accept: %u bytes of private data%s; at most %u", private_len,
				 private_data == NULL ? " at NULL" : "", RDMA_PRIVATE_MAX);
	conn->state = CONN_ACCEPTED;
	result = conn->rdma->ops->qp_accept(conn->qp, private_data, private_len);
	rdma_wake(conn->rdma);
	if (result == DOCA_SUCCESS)
		return result;
	conn->state = CONN_REQUESTED;
	return result == DOCA_ERROR_NO_MEMORY ? result : DOCA_ERROR_CONNECTION_ABORTED;
}

doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection,
					 void *private_data, uint8_t private_data_len)
{
	return rdma_conn_accept(rdma_connection, private_data, private_data_len);
}
API_PLAIN(doca_rdma_connection_accept, 2_9);

doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection)
{
	doca_error_t result = conn_check_requested(rdma_connection, "reject");

	if (result != DOCA_SUCCESS)
		return result;
	result = conn_code(rdma_connection->rdma->ops->qp_reject(rdma_connection->qp));
	rdma_conn_end(rdma_connection);
	return result;
}

/* --- any connection --- */

doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection)
{
	doca_error_t result;

	if (rdma_connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma disconnect: the connection is NULL");
	if (rdma_connection->state == CONN_FREE || rdma_connection->state == CONN_ENDING)
		return DOCA_SUCCESS;
	if (rdma_connection->state == CONN_REQUESTED)
		return doca_rdma_connection_reject(rdma_connection);
	result = conn_code(rdma_conn_end(rdma_connection));
	rdma_wake(rdma_connection->rdma);
	return result;
}

doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
						union doca_data connection_user_data)
{
	if (rdma_connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma connection user data: the connection is NULL");
	rdma_connection->user_data = connection_user_data;
	return DOCA_SUCCESS;
}

static doca_error_t conn_is_null(const struct doca_rdma_connection *conn, const void *out,
				 const char *what)
{
	if (conn != NULL && out != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "rdma connection %s: %s is NULL", what,
			 conn == NULL ? "the connection" : "the result");
}

doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
						union doca_data *connection_user_data)
{
	doca_error_t result = conn_is_null(rdma_connection, connection_user_data, "user data");

	if (result == DOCA_SUCCESS)
		*connection_user_data = rdma_connection->user_data;
	return result;
}

doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
					 uint32_t *connection_id)
{
	doca_error_t result = conn_is_null(rdma_connection, connection_id, "id");

	if (result == DOCA_SUCCESS)
		*connection_id = rdma_connection->id;
	return result;
}

doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *rdma_connection,
					   struct doca_rdma_addr **addr)
{
	doca_error_t result = conn_is_null(rdma_connection, addr, "address");

	if (result != DOCA_SUCCESS)
		return result;
	if (!rdma_connection->by_addr || rdma_connection->state == CONN_FREE)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma connection address: the connection was not made by address");
	/* The cast is safe: the object owns the address, and only calls that configure an address
	 * are refused for it. */
	*addr = (struct doca_rdma_addr *)(uintptr_t)&rdma_connection->addr;
	return DOCA_SUCCESS;
}
