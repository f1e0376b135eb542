/*
 * How a queue pair ends by which the other end has asked for something. A device hands out a
 * message before it acknowledges it, and an acknowledgement can be lost on its way; a queue pair
 * that is in the error state, or gone, sends no other, and what was received has failed over there.
 * So one that has answered is left as it is for a while, with nothing of ours on it: until the
 * other end has sent anew what it has seen no acknowledgement of. By address both ends say when
 * they are done, and the while is over with the other's farewell.
 *
 * The engine may give a queue pair back meanwhile: then nothing of it is told or handed out any
 * more. Receives stay in the shared queue until none of these is left, for it must not go before
 * they do. Threads: those of the port.
 */
#include "client/base/error.h"
#include "client/rma/verbs/port.h"
#include "util/clock.h"

/* The number of the packet that it waits for has moved on if any came. */
static bool qp_has_answered(const struct verbs_qp *qp)
{
	const struct verbs_port *port = verbs_port_of(qp->base.port);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return port->device->api->query_qp(qp->qp, &attr, IBV_QP_RQ_PSN, &init) == 0 &&
	       attr.rq_psn != qp->first_psn;
}

bool verbs_leave_begin(struct verbs_qp *qp)
{
	struct verbs_port *port = verbs_port_of(qp->base.port);

	/* With a deadline: the other end has left before, and waits for nothing. */
	if (qp->state != VERBS_QP_READY || qp->has_deadline || qp->qp == NULL)
		return false;
	/* What has come is still the engine's, and may have been the end. */
	verbs_reap(port);
	/* What is posted has to come back, which nothing but an end at once brings about. */
	if (qp->state != VERBS_QP_READY || qp->posted.head != NULL || !qp_has_answered(qp))
		return false;
	/* librdmacm would end a queue pair that it knows of. */
	if (qp->is_users_id && qp->id->qp == qp->qp)
		qp->id->qp = NULL;
	verbs_cm_leave(qp);
	qp->state = VERBS_QP_LEAVING;
	port->n_leaving++;
	verbs_cm_set_deadline(qp, VERBS_LINGER_NS);
	return true;
}

void verbs_leave_hurry(struct verbs_qp *qp)
{
	qp->deadline_ns = clock_now_ns();
}

void verbs_leave_take(struct verbs_qp *qp, struct rdma_wr *wr)
{
	struct verbs_port *port = verbs_port_of(qp->base.port);

	verbs_leave_hurry(qp);
	if (!port->is_flush_due && verbs_post_recv(&port->base, wr) == DOCA_SUCCESS)
		return;
	wr->status = DOCA_ERROR_CONNECTION_RESET;
	wr->len = 0;
	verbs_port_done(port, wr);
}

static void leave_end(struct verbs_qp *qp)
{
	verbs_port_of(qp->base.port)->n_leaving--;
	verbs_cm_clear_deadline(qp);
	verbs_qp_cut(qp);
}

/* None goes, and nothing is flushed, while completions are looked through. */
void verbs_leave_check(struct verbs_port *port, uint64_t now_ns)
{
	struct verbs_qp *qp, *tmp;

	list_for_each(qp, &port->qps, node)
	{
		if (qp->state == VERBS_QP_LEAVING && now_ns >= qp->deadline_ns)
			leave_end(qp);
	}
	list_for_each_safe(qp, tmp, &port->qps, node)
	{
		if (qp->is_freed && qp->state == VERBS_QP_ENDED)
			verbs_qp_delete(qp);
	}
	if (port->n_leaving == 0 && port->is_flush_due) {
		port->is_flush_due = false;
		verbs_flush_recvs(&port->base);
	}
}

bool verbs_leave_make_room(struct verbs_port *port)
{
	struct verbs_qp *qp;
	bool is_any = false;

	list_for_each(qp, &port->qps, node)
	{
		if (qp->state != VERBS_QP_LEAVING || !qp->is_freed)
			continue;
		leave_end(qp);
		is_any = true;
	}
	if (is_any)
		verbs_leave_check(port, clock_now_ns());
	return is_any;
}

bool verbs_is_leaving(struct rdma_port *base)
{
	struct verbs_port *port = verbs_port_of(base);

	/* Whoever asks may do nothing else. */
	if (port->n_leaving > 0)
		verbs_leave_check(port, clock_now_ns());
	return port->n_leaving > 0;
}
