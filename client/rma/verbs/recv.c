/*
 * Receives of a domain; see client/rma/verbs/domain.h.
 *
 * A queue pair that ends in the middle of a message has taken a receive from the shared queue that
 * its device may never return. The device does not report which. But the queue hands out receives
 * in the order of posting, and each queue pair completes its own in that order. A receive that is
 * older than a returned one was therefore taken, and a queue pair that returned a younger one does
 * not hold it. A receive that no queue pair which may still write can hold is certainly lost, and
 * is returned. A receive that may not have been taken is not known to be lost. Once no queue pair
 * uses the shared queue, it is created again with all such receives before the next queue pair.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/rma/verbs/domain.h"

/* Composes an id from the index and low bits of the number, so that no completion is taken for that
 * of a later receive. The id is odd. */
static uint64_t recv_id(uint32_t i, uint64_t number)
{
	return number << 33 | (uint64_t)i << 1 | 1;
}

/* Posts a receive to the device. Returns 0 or an errno. An error sentence is recorded only if
 * *result_out is an error. */
static int recv_post(struct verbs_domain *domain, uint32_t i, uint64_t number,
		     const struct rdma_wr *wr, doca_error_t *result_out)
{
	struct ibv_recv_wr recv = {.wr_id = recv_id(i, number)}, *bad;
	struct ibv_sge sges[VERBS_SGES_MAX];

	recv.sg_list = sges;
	recv.num_sge = 1;
	*result_out = DOCA_SUCCESS;
	if (likely(wr->n_sges == 1 && wr->sges[0].len != 0) &&
	    likely(verbs_sge_fill(domain->device, wr->sges, true, sges)))
		return ibv_post_srq_recv(domain->srq, &recv, &bad);
	*result_out = verbs_sges_fill(domain->device, wr, true, sges, &recv.num_sge);
	return likely(*result_out == DOCA_SUCCESS) ? ibv_post_srq_recv(domain->srq, &recv, &bad)
						   : 0;
}

doca_error_t verbs_post_recv(struct rdma_domain *base, struct rdma_wr *wr)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	uint32_t i = domain->first_free;
	doca_error_t result;
	int r;

	if (unlikely(i == domain->conf.recv_queue))
		return error_hint(DOCA_ERROR_AGAIN,
				  "rdma: the receive queue is full; progress first");
	if (unlikely(!verbs_wr_is_short(wr, UINT32_MAX - 1))) {
		result = verbs_wr_len(wr, domain->conf.max_recv_sges, UINT32_MAX - 1);
		if (result != DOCA_SUCCESS)
			return result;
	}
	wr->qp = NULL;
	wr->next = NULL;
	if (likely(domain->srq != NULL && !domain->is_removed)) {
		r = recv_post(domain, i, domain->last_recv + 1, wr, &result);
		if (unlikely(result != DOCA_SUCCESS))
			return result;
		if (unlikely(r == ENOMEM))
			return error_hint(DOCA_ERROR_AGAIN,
					  "rdma: the receive queue is full; progress first");
		if (unlikely(r != 0))
			return error_set(DOCA_ERROR_INVALID_VALUE, "rdma: %s refuses a receive: %s",
					 domain->device->name, strerror(r));
	}
	domain->first_free = domain->recvs[i].next_free;
	domain->recvs[i].wr = wr;
	domain->recvs[i].number = ++domain->last_recv;
	return DOCA_SUCCESS;
}

static struct rdma_wr *recv_release(struct verbs_domain *domain, uint32_t i)
{
	struct rdma_wr *wr = domain->recvs[i].wr;

	domain->recvs[i] = (struct verbs_recv){.next_free = domain->first_free};
	domain->first_free = i;
	return wr;
}

struct rdma_wr *verbs_recv_complete(struct verbs_domain *domain, uint64_t id, struct verbs_qp *qp)
{
	uint32_t i = (uint32_t)(id >> 1);
	uint64_t number;

	if (i >= domain->conf.recv_queue || domain->recvs[i].wr == NULL)
		return NULL;
	number = domain->recvs[i].number;
	if (unlikely(id != recv_id(i, number)))
		return NULL;
	domain->high_recv = MAX(domain->high_recv, number);
	if (domain->lost_until != 0)
		domain->checks |= VERBS_CHECK_LOST;
	else
		domain->checks &= ~(unsigned)VERBS_CHECK_LOST;
	if (likely(qp != NULL))
		qp->recv_seen = MAX(qp->recv_seen, number);
	return recv_release(domain, i);
}

static void recv_reset(struct verbs_domain *domain, uint32_t i)
{
	struct rdma_wr *wr = recv_release(domain, i);

	wr->status = DOCA_ERROR_CONNECTION_RESET;
	wr->qp = NULL;
	wr->len = 0;
	verbs_domain_complete(domain, wr);
}

static void recvs_reset(struct verbs_domain *domain, uint64_t until)
{
	for (uint32_t i = 0; i < domain->conf.recv_queue; i++) {
		if (domain->recvs[i].wr != NULL && domain->recvs[i].number <= until)
			recv_reset(domain, i);
	}
}

/* --- lost receives --- */

void verbs_recv_suspect(struct verbs_domain *domain)
{
	domain->lost_until = domain->last_recv;
	domain->lost_checked = 0;
	domain->checks |= VERBS_CHECK_LOST;
}

/* Returns whether the queue pair may hold a receive that its device may write to. */
static bool qp_may_hold(const struct verbs_qp *qp)
{
	if (qp->qp == NULL || qp->state == VERBS_QP_NEW)
		return false;
	return qp->state != VERBS_QP_ENDED || !qp->is_drained;
}

/* Returns lost receives. The caller has polled everything that completed before a queue pair was
 * seen to be drained or destroyed. */
static void recv_find_lost(struct verbs_domain *domain)
{
	uint64_t until = domain->high_recv;
	const struct verbs_qp *qp;

	list_for_each(qp, &domain->qps, node)
	{
		if (qp_may_hold(qp))
			until = MIN(until, qp->recv_seen);
	}
	if (until <= domain->lost_checked)
		return;
	domain->lost_checked = until;
	recvs_reset(domain, MIN(until, domain->lost_until));
	if (until >= domain->lost_until)
		domain->lost_until = 0;
}

/* A drained queue pair has had its completions written, but perhaps not polled. The completion
 * queue is therefore emptied between reading the flag and using it. */
void verbs_recv_check(struct verbs_domain *domain)
{
	struct verbs_qp *qp;

	list_for_each(qp, &domain->qps, node)
	{
		if (qp->state == VERBS_QP_ENDED)
			qp->is_drained = atomic_load(&qp->alarm.is_drained);
	}
	verbs_reap(domain);
	domain->checks &= ~(unsigned)VERBS_CHECK_LOST;
	if (domain->lost_until != 0)
		recv_find_lost(domain);
}

/* --- creating the queue again --- */

struct place {
	uint64_t number;
	uint32_t i;
};

static int order_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Posts the receives again, in their original order. */
static void recvs_repost(struct verbs_domain *domain, struct place *order)
{
	doca_error_t result;
	size_t n = 0;

	for (uint32_t i = 0; i < domain->conf.recv_queue; i++) {
		if (domain->recvs[i].wr != NULL)
			order[n++] = (struct place){domain->recvs[i].number, i};
	}
	qsort(order, n, sizeof(*order), order_compare);
	for (size_t k = 0; k < n; k++) {
		uint32_t i = order[k].i;

		if (recv_post(domain, i, order[k].number, domain->recvs[i].wr, &result) != 0 ||
		    result != DOCA_SUCCESS)
			recv_reset(domain, i);
	}
}

void verbs_recv_renew(struct verbs_domain *domain)
{
	struct place *order;
	struct verbs_qp *qp;

	if (likely(domain->lost_until == 0) || domain->is_removed || domain->srq == NULL)
		return;
	list_for_each(qp, &domain->qps, node)
	{
		if (qp->state != VERBS_QP_ENDED)
			return;
	}
	list_for_each(qp, &domain->qps, node) verbs_qp_destroy(qp);
	order = malloc(domain->conf.recv_queue * sizeof(*order));
	domain->device->api->destroy_srq(domain->srq);
	domain->srq = NULL;
	domain->lost_until = 0;
	if (order == NULL || verbs_domain_make_srq(domain) != DOCA_SUCCESS)
		verbs_flush_recvs(&domain->base);
	else
		recvs_repost(domain, order);
	free(order);
}

/* A receive can be removed from a shared receive queue only by destroying the queue, and all its
 * queue pairs must be destroyed before. Their posted requests are returned too. */
void verbs_flush_recvs(struct rdma_domain *base)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	struct verbs_qp *qp;
	bool has_any = false;

	if (domain->n_draining > 0) {
		domain->is_flush_due = true;
		return;
	}
	verbs_reap(domain);
	for (uint32_t i = 0; i < domain->conf.recv_queue; i++)
		has_any |= domain->recvs[i].wr != NULL;
	if (!has_any && domain->srq != NULL)
		return;
	list_for_each(qp, &domain->qps, node)
	{
		verbs_qp_break(qp, DOCA_ERROR_CONNECTION_RESET);
		verbs_qp_destroy(qp);
	}
	if (domain->srq != NULL)
		domain->device->api->destroy_srq(domain->srq);
	domain->srq = NULL;
	recvs_reset(domain, UINT64_MAX);
	domain->lost_until = 0;
	if (!domain->is_removed)
		(void)verbs_domain_make_srq(domain);
}
