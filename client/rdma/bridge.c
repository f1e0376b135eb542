/*
 * RDMA: connections that a program makes with librdmacm itself. The program owns the identifier and
 * handles its events; the connection belongs to the RDMA object. Threads: those of the progress
 * engine.
 */
#include "client/rdma/rdma.h"
#include "util/str.h"

static doca_error_t bridge_check(const struct doca_rdma *rdma, const void *other, const char *what,
				 const char *name)
{
	if (rdma == NULL || other == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma bridge %s: %s is NULL", what,
				 rdma == NULL ? "rdma" : name);
	/* An object of an earlier form may have no device yet. */
	if (rdma_check_form(rdma, RDMA_FORM_CONNS, "rdma bridge") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (!rdma->limits.has_cm_ids)
		return error_set(
			DOCA_ERROR_NOT_SUPPORTED,
			"rdma bridge %s: %s is reached by \"%s\", which librdmacm does not know; "
			"use doca_rdma_connect_to_addr or doca_rdma_start_listen_to_port",
			what, rdma->ctx.dev->info->name, rdma->ops->name);
	return DOCA_SUCCESS;
}

/* Translates a provider's codes to those of the contract. */
static doca_error_t bridge_code(doca_error_t code)
{
	switch (code) {
	case DOCA_SUCCESS:
	case DOCA_ERROR_INVALID_VALUE:
	case DOCA_ERROR_NO_MEMORY:
	case DOCA_ERROR_NOT_SUPPORTED:
	case DOCA_ERROR_BAD_STATE:
	case DOCA_ERROR_FULL:
		return code;
	default:
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
}

doca_error_t rdma_conn_prepare(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
			       struct doca_rdma_connection **conn_out, const char *what)
{
	struct doca_rdma_connection *conn;
	doca_error_t result = bridge_check(rdma, cm_id == NULL ? NULL : (void *)conn_out, what,
					   cm_id == NULL ? "cm_id" : "the result");

	if (result != DOCA_SUCCESS)
		return result;
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma bridge %s: the context is not running; start it first",
				 what);
	conn = rdma_conn_allocate(rdma, CONN_PREPARED);
	if (conn == NULL)
		return error_set(DOCA_ERROR_FULL,
				 "rdma bridge %s: all %u %s used; disconnect one, or allow more "
				 "with doca_rdma_set_max_num_connections",
				 what, rdma->n_conns,
				 plural(rdma->n_conns, "connection is", "connections are"));
	result = rdma->ops->qp_new(rdma->domain, conn, &conn->qp);
	if (result == DOCA_SUCCESS)
		result = rdma->ops->qp_prepare(conn->qp, cm_id);
	if (result != DOCA_SUCCESS) {
		conn->is_disconnected = true;
		rdma_conn_end(conn);
		return bridge_code(result);
	}
	*conn_out = conn;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
						 struct doca_rdma_connection **rdma_connection)
{
	return rdma_conn_prepare(rdma, cm_id, rdma_connection, "prepare");
}

doca_error_t rdma_conn_accept_prepared(struct doca_rdma_connection *conn, const void *private_data,
				       uint8_t private_len)
{
	doca_error_t result;

	if (private_len > RDMA_PRIVATE_MAX || (private_data == NULL && private_len > 0))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge accept: %u bytes of private data%s; at most %u",
				 private_len, private_data == NULL ? " at NULL" : "",
				 RDMA_PRIVATE_MAX);
	result = conn->rdma->ops->qp_accept_prepared(conn->qp, private_data, private_len);
	if (result == DOCA_SUCCESS)
		conn->state = CONN_ACCEPTED;
	return bridge_code(result);
}

doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
				     uint8_t private_data_len,
				     struct doca_rdma_connection *rdma_connection)
{
	doca_error_t result = bridge_check(rdma, rdma_connection, "accept", "the connection");

	if (result != DOCA_SUCCESS)
		return result;
	if (rdma_connection->rdma != rdma)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge accept: the connection belongs to another object");
	if (rdma_connection->state != CONN_PREPARED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma bridge accept: the connection was not prepared, or was "
				 "accepted before");
	return rdma_conn_accept_prepared(rdma_connection, private_data, private_data_len);
}
API_PLAIN(doca_rdma_bridge_accept, 3_0);

doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
					  struct doca_rdma_connection *rdma_connection)
{
	doca_error_t result = bridge_check(rdma, rdma_connection, "established", "the connection");
	enum rdma_conn_state before;

	if (result != DOCA_SUCCESS)
		return result;
	before = rdma_connection->state;
	if (rdma_connection->rdma != rdma || rdma_connection->by_addr ||
	    (before != CONN_PREPARED && before != CONN_ACCEPTED))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge established: the connection is none that was "
				 "prepared, or it is established");
	/* Tasks that are submitted before the engine reports the event wait. */
	rdma_connection->state = CONN_CONNECTING;
	result = rdma->ops->qp_established(rdma_connection->qp);
	if (result != DOCA_SUCCESS)
		rdma_connection->state = before;
	rdma_wake(rdma);
	return result == DOCA_SUCCESS || result == DOCA_ERROR_NOT_SUPPORTED
		       ? result
		       : DOCA_ERROR_INVALID_VALUE;
}
