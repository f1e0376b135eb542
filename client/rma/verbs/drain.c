/*
 * Draining: a queue pair that has ended still answers the other end for a while (VERBS_DRAIN_NS in
 * client/rma/verbs/domain.h), if that end has requested something from it. A device delivers a
 * message before it acknowledges it, and an acknowledgement can be lost. A queue pair in the error
 * state, or one that is destroyed, sends no other, and the message that was received has failed at
 * the sender. A queue pair that has answered therefore remains in its state, without requests of
 * its own, until the other end has repeated what was not acknowledged. With connections by address,
 * both ends send a disconnect when they are finished, and draining ends with the other's.
 *
 * The engine may free a queue pair meanwhile; then no more of its events or completions are
 * reported. Receives remain in the shared receive queue until no queue pair drains, because the
 * queue must not be destroyed before them. Threads: those of the domain.
 */
#include "client/base/error.h"
#include "client/rma/verbs/domain.h"
#include "util/clock.h"

/* If any packet has arrived, the number of the next expected packet has advanced. */
static bool qp_has_answered(const struct verbs_qp *qp)
{
	const struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return domain->device->api->query_qp(qp->qp, &attr, IBV_QP_RQ_PSN, &init) == 0 &&
	       attr.rq_psn != qp->first_psn;
}

bool verbs_drain_begin(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	/* With a deadline, the other end has disconnected and waits for nothing. */
	if (qp->state != VERBS_QP_READY || qp->has_deadline || qp->qp == NULL)
		return false;
	/* Completions that have arrived still belong to the engine, and one of them may be
	 * the end. */
	verbs_reap(domain);
	/* Posted requests must be returned, which only an immediate end does. */
	if (qp->state != VERBS_QP_READY || qp->posted.head != NULL || !qp_has_answered(qp))
		return false;
	/* librdmacm would end a queue pair that its identifier points to. */
	if (qp->is_users_id && qp->id->qp == qp->qp)
		qp->id->qp = NULL;
	verbs_cm_disconnect(qp);
	qp->state = VERBS_QP_DRAINING;
	domain->n_draining++;
	verbs_cm_set_deadline(qp, VERBS_DRAIN_NS);
	return true;
}

void verbs_drain_expire(struct verbs_qp *qp)
{
	qp->deadline_ns = clock_now_ns();
}

void verbs_drain_recv(struct verbs_qp *qp, struct rdma_wr *wr)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	verbs_drain_expire(qp);
	if (!domain->is_flush_due && verbs_post_recv(&domain->base, wr) == DOCA_SUCCESS)
		return;
	wr->status = DOCA_ERROR_CONNECTION_RESET;
	wr->len = 0;
	verbs_domain_complete(domain, wr);
}

static void drain_end(struct verbs_qp *qp)
{
	verbs_domain_of(qp->base.domain)->n_draining--;
	verbs_cm_clear_deadline(qp);
	verbs_qp_to_error(qp);
}

/* Ends the queue pairs whose time has passed, then flushes the receives if none drains. Not called
 * while completions are processed. */
void verbs_drain_check(struct verbs_domain *domain, uint64_t now_ns)
{
	struct verbs_qp *qp, *tmp;

	list_for_each(qp, &domain->qps, node)
	{
		if (qp->state == VERBS_QP_DRAINING && now_ns >= qp->deadline_ns)
			drain_end(qp);
	}
	list_for_each_safe(qp, tmp, &domain->qps, node)
	{
		if (qp->is_freed && qp->state == VERBS_QP_ENDED)
			verbs_qp_delete(qp);
	}
	if (domain->n_draining == 0 && domain->is_flush_due) {
		domain->is_flush_due = false;
		verbs_flush_recvs(&domain->base);
	}
}

bool verbs_drain_end_freed(struct verbs_domain *domain)
{
	struct verbs_qp *qp;
	bool is_any = false;

	list_for_each(qp, &domain->qps, node)
	{
		if (qp->state != VERBS_QP_DRAINING || !qp->is_freed)
			continue;
		drain_end(qp);
		is_any = true;
	}
	if (is_any)
		verbs_drain_check(domain, clock_now_ns());
	return is_any;
}

bool verbs_is_draining(struct rdma_domain *base)
{
	struct verbs_domain *domain = verbs_domain_of(base);

	/* The caller may do nothing but wait for this, so it is driven here too. */
	if (domain->n_draining > 0)
		verbs_drain_check(domain, clock_now_ns());
	return domain->n_draining > 0;
}
