/* RDMA of 2.5 and 2.6; see client/compat/rdma/rdma.h. */
#include "client/base/program_api.h"
#include "client/compat/rdma/rdma.h"

#include "client/rdma/rdma.h"

doca_error_t rdma_former_create(struct doca_dev *dev, struct doca_rdma **rdma_out)
{
	program_api_note(DOCA_MAKE_VERSION(2, 5), DOCA_MAKE_VERSION(2, 6));
	return rdma_object_new(dev, RDMA_FORM_FORMER, rdma_out);
}

static doca_error_t former_check(const struct doca_rdma *rdma, const void *arg, const char *call)
{
	if (rdma == NULL || arg == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				 rdma == NULL ? "rdma" : "an argument");
	if (rdma_check_form(rdma, RDMA_FORM_FORMER, call) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (rdma->conf.max_qps > 1)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the object may have %u connections, and the call names none; "
				 "use the call's form of 2.9 or later",
				 call, rdma->conf.max_qps);
	return DOCA_SUCCESS;
}

/*
 * The connection that an object may have, or NULL if there is none. From 2.7 on it is the slot of
 * a context that was started, whether the slot is in use or not.
 */
static struct doca_rdma_connection *former_conn(const struct doca_rdma *rdma)
{
	return rdma->form == RDMA_FORM_CONNS && rdma->domain != NULL ? rdma->conns : rdma->only;
}

/* The state in which the connection is made. */
static enum doca_ctx_states former_due(const struct doca_rdma *rdma)
{
	return rdma->form == RDMA_FORM_FORMER ? DOCA_CTX_STATE_STARTING : DOCA_CTX_STATE_RUNNING;
}

doca_error_t rdma_former_export(struct doca_rdma *rdma, const void **params_out, size_t *len_out)
{
	const void *args = params_out == NULL ? NULL : (const void *)len_out;
	struct doca_rdma_connection *conn;
	doca_error_t result;

	/* Two generations share this form of the call. */
	if (rdma != NULL && args != NULL && rdma->form == RDMA_FORM_JOBS)
		return rdma_workq_export(rdma, params_out, len_out);
	result = former_check(rdma, args, "rdma export");
	if (result != DOCA_SUCCESS)
		return result;
	if (rdma->form == RDMA_FORM_CONNS)
		program_api_note(DOCA_MAKE_VERSION(2, 7), DOCA_MAKE_VERSION(2, 8));
	if (rdma->ctx.state != former_due(rdma) && rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma export: the context was not started; start it first");
	conn = former_conn(rdma);
	if ((conn == NULL || conn->state == CONN_FREE) &&
	    rdma_conn_export(rdma, &conn) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (!conn->by_params)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma export: the object's one connection is in use; disconnect "
				 "it, and progress until its tasks have completed");
	rdma->only = conn;
	*params_out = conn->details;
	*len_out = conn->details_len;
	return DOCA_SUCCESS;
}

doca_error_t rdma_former_connect(struct doca_rdma *rdma, const void *details, size_t len)
{
	struct doca_rdma_connection *conn;
	doca_error_t result;

	if (rdma != NULL && details != NULL && rdma->form == RDMA_FORM_JOBS)
		return rdma_workq_connect(rdma, details, len);
	result = former_check(rdma, details, "rdma connect");
	if (result != DOCA_SUCCESS)
		return result;
	conn = former_conn(rdma);
	if (rdma->ctx.state != former_due(rdma) || conn == NULL || conn->state != CONN_EXPORTED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma connect: the context is not %s, or was not exported or "
				 "is connected; start it, then export and connect once",
				 rdma->form == RDMA_FORM_FORMER ? "starting" : "running");
	return rdma_conn_connect(conn, details, len);
}

doca_error_t rdma_former_set_grh(struct doca_rdma *rdma, bool enabled)
{
	doca_error_t result = rdma_check_conf(rdma, "grh enabled");

	if (result != DOCA_SUCCESS)
		return result;
	if (rdma->form == RDMA_FORM_CONNS)
		return api_refuse("rdma grh enabled", "RDMA object", DOCA_MAKE_VERSION(2, 7));
	rdma->conf.grh = enabled;
	return DOCA_SUCCESS;
}

doca_error_t rdma_former_get_grh(const struct doca_rdma *rdma, bool *enabled_out)
{
	if (rdma == NULL || enabled_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma grh enabled: %s is NULL",
				 rdma == NULL ? "rdma" : "the result");
	if (rdma->form == RDMA_FORM_CONNS)
		return api_refuse("rdma grh enabled", "RDMA object", DOCA_MAKE_VERSION(2, 7));
	if (rdma->ops == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma grh enabled: the context has no device; call "
				 "doca_ctx_dev_add first");
	*enabled_out = rdma->conf.grh;
	return DOCA_SUCCESS;
}

doca_error_t rdma_former_alloc(struct doca_rdma *rdma, enum rdma_kind kind,
			       const struct rdma_former_task *about, union doca_data user_data,
			       void *task_out)
{
	doca_error_t result = former_check(rdma, task_out, "rdma task alloc");
	struct doca_rdma_connection *conn;
	struct rdma_task *t;

	if (result != DOCA_SUCCESS)
		return result;
	/* Without a connection the context is not running. */
	conn = former_conn(rdma);
	if (conn == NULL)
		return ctx_not_running(&rdma->ctx, "rdma task alloc");
	t = rdma_task_allocate(rdma, kind, conn, user_data, task_out);
	if (t == NULL)
		return rdma_no_task(rdma, kind, conn, task_out);
	t->src = about->src;
	t->dst = about->dst;
	t->result = about->result;
	t->event = about->event;
	t->imm = about->imm;
	t->wr.compare = about->compare;
	t->wr.value = about->value;
	*(void **)task_out = t;
	return DOCA_SUCCESS;
}

uint32_t rdma_former_result_len(const void *task)
{
	return ((const struct rdma_task *)task)->len;
}

doca_error_t rdma_former_dpa_handle(const struct doca_rdma *rdma, const void *out)
{
	if (rdma == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma dpa handle: %s is NULL",
				 rdma == NULL ? "rdma" : "the result");
	if (rdma->form == RDMA_FORM_CONNS)
		return api_refuse("rdma dpa handle", "RDMA object", DOCA_MAKE_VERSION(2, 7));
	if (rdma_check_form(rdma, RDMA_FORM_FORMER, "rdma dpa handle") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	return error_set(DOCA_ERROR_BAD_STATE,
			 "rdma dpa handle: the data path is on the CPU; this runtime has no other");
}

doca_error_t compat_rdma_accept(struct doca_rdma_connection *conn)
{
	return rdma_conn_accept(conn, NULL, 0);
}

doca_error_t compat_rdma_bridge_accept(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
				       const void *private_data, uint8_t private_len,
				       struct doca_rdma_connection **conn_out)
{
	struct doca_rdma_connection *conn;
	doca_error_t result = DOCA_SUCCESS;

	if (rdma != NULL)
		result = rdma_check_form(rdma, RDMA_FORM_CONNS, "rdma bridge");
	if (result != DOCA_SUCCESS)
		return result;
	result = rdma_conn_prepare(rdma, cm_id, conn_out == NULL ? NULL : &conn, "accept");
	if (result == DOCA_SUCCESS) {
		result = rdma_conn_accept_prepared(conn, private_data, private_len);
		if (result == DOCA_SUCCESS)
			*conn_out = conn;
		else
			rdma_conn_end(conn);
	}
	/* The contract has no BAD_STATE for a context that is not running or a connection that no
	 * peer has requested. */
	return result == DOCA_ERROR_BAD_STATE ? DOCA_ERROR_INVALID_VALUE : result;
}
