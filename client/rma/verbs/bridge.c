/*
 * Connections by a librdmacm identifier that belongs to the application, which handles its events
 * and destroys it. The queue pair belongs to the library. If a peer has requested the connection,
 * the library changes the queue pair's states and answers. If the application connects, librdmacm
 * does so, as for a queue pair of rdma_create_qp(); the identifier therefore points to the queue
 * pair until it is freed. See client/rma/verbs/domain.h.
 */
#include <errno.h>
#include <string.h>

#include "client/base/error.h"
#include "client/rma/verbs/domain.h"

static doca_error_t id_check(const struct verbs_domain *domain, const struct rdma_cm_id *id)
{
	if (id->verbs == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge: the identifier is bound to no device; resolve its "
				 "address and route first, or take that of a connection request");
	if (!verbs_cm_is_own_device(domain, id))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge: the identifier is of %s, port %u; the object is on "
				 "%s, port %u",
				 domain->device->api->get_device_name(id->verbs->device),
				 id->port_num, domain->device->name, VERBS_PORT_NUM);
	if (id->qp_type != IBV_QPT_RC && id->ps != RDMA_PS_TCP)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge: the identifier is not for reliable connections; "
				 "create it with RDMA_PS_TCP");
	if (id->qp != NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge: the identifier has a queue pair already; it gets "
				 "that of the connection");
	return DOCA_SUCCESS;
}

/* Returns whether a peer has requested the connection: only then does the communication manager
 * know the other end's queue pair. */
static bool is_asked(const struct verbs_domain *domain, struct rdma_cm_id *id)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
	int mask = 0;

	return domain->cm->init_qp_attr(id, &attr, &mask) == 0 && (mask & IBV_QP_DEST_QPN) != 0;
}

doca_error_t verbs_qp_prepare(struct rdma_qp *base, struct rdma_cm_id *id)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);
	const char *why = "";
	doca_error_t result;
	int r;

	if (qp->state != VERBS_QP_NEW)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma bridge: the connection was connected before");
	if (domain->cm == NULL)
		domain->cm = cm_api(&why);
	if (domain->cm == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED, "rdma bridge: %s", why);
	result = id_check(domain, id);
	if (result != DOCA_SUCCESS)
		return result;
	qp->id = id;
	qp->is_users_id = true;
	qp->is_asked = is_asked(domain, id);
	r = verbs_cm_modify(qp, IBV_QPS_INIT);
	if (r != 0) {
		verbs_cm_release_id(qp);
		return error_set(DOCA_ERROR_CONNECTION_ABORTED,
				 "rdma bridge: %s prepares no queue pair for the identifier: %s; "
				 "its route must be resolved, or a peer must have asked for it",
				 domain->device->name, strerror(r));
	}
	if (!qp->is_asked)
		id->qp = qp->qp;
	qp->state = VERBS_QP_PREPARED;
	return DOCA_SUCCESS;
}

doca_error_t verbs_qp_accept_prepared(struct rdma_qp *base, const void *private_data,
				      uint8_t private_len)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);
	struct rdma_conn_param param = verbs_cm_param(qp);
	int r;

	if (qp->state != VERBS_QP_PREPARED || qp->is_accepted || !qp->is_asked)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma bridge: no peer asked for this connection, or it was "
				 "accepted before; where the application connects, call "
				 "rdma_connect");
	param.private_data = private_data;
	param.private_data_len = private_len;
	r = verbs_cm_make_ready(qp);
	param.responder_resources = qp->n_answered;
	param.initiator_depth = qp->n_started;
	if (r == 0 && domain->cm->accept(qp->id, &param) != 0)
		r = errno;
	if (r != 0)
		return error_set(DOCA_ERROR_CONNECTION_ABORTED,
				 "rdma bridge: the request cannot be accepted on %s: %s",
				 domain->device->name, strerror(r));
	qp->is_accepted = true;
	return DOCA_SUCCESS;
}

doca_error_t verbs_qp_established(struct rdma_qp *base)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS,
				   .qp_access_flags = verbs_qp_access(domain)};
	struct ibv_qp_attr asked = {.qp_state = IBV_QPS_RTR};
	int mask;

	if (qp->state != VERBS_QP_PREPARED || (qp->is_asked && !qp->is_accepted))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge: the connection was not accepted, or is established");
	/* librdmacm gives its queue pairs all rights, so they are reduced here. The queue pair is
	 * connected by now. */
	if (!qp->is_asked &&
	    domain->device->api->modify_qp(qp->qp, &attr, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge: the connection is not established; call this when "
				 "rdma_connect has led to RDMA_CM_EVENT_ESTABLISHED");
	if (!qp->is_asked && domain->cm->init_qp_attr(qp->id, &asked, &mask) == 0)
		qp->first_psn = asked.rq_psn;
	qp->state = VERBS_QP_READY;
	verbs_qp_report(qp, VERBS_EVENT_ESTABLISHED, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}
