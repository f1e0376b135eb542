/*
 * Workaround for queue pairs that soft-RoCE stalls; see client/rma/verbs/domain.h.
 *
 * The kernel's soft-RoCE driver decides to wait for room or for acknowledgements after it has
 * checked for them. What arrives in between wakes nothing, and if it was the last packet in
 * progress, no timer is running either (Linux 6.1, rxe_requester). The requests then remain forever
 * unless another one is posted. A queue pair that has waited for the same request for a while is
 * therefore given an additional request that moves no bytes. It has the same kind and the same
 * target memory, so that the other end accepts it.
 */
#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "client/rma/verbs/domain.h"
#include "util/clock.h"

#define SOFT_ROCE_VENDOR 0xffffffu
/* Longer than the acknowledgement timeout, so that the device's own retry comes first. */
#define STALL_NS NS_PER_SEC
/* The polls of an empty queue before the clock is read. */
#define IDLE_POLLS 4096u
/* The id of the additional request: odd, and with an index that no receive has. Its completion is
 * ignored; an error ends the connection anyway. */
#define RESTART_ID ((uint64_t)UINT32_MAX << 1 | 1)

bool verbs_may_stall(const struct verbs_device *device)
{
	return device->attr.vendor_id == SOFT_ROCE_VENDOR;
}

/* Returns the first posted request. Returns NULL if there is none, or if no request that moves no
 * bytes can be posted after it. */
static const struct rdma_wr *qp_first(const struct verbs_qp *qp)
{
	const struct rdma_wr *wr = qp->posted.head;

	if (qp->state != VERBS_QP_READY || wr == NULL || wr->remote_mmap == NULL)
		return NULL;
	return wr->op == RDMA_READ || wr->op == RDMA_WRITE || wr->op == RDMA_WRITE_IMM ? wr : NULL;
}

static void qp_restart(struct verbs_qp *qp, const struct rdma_wr *first)
{
	struct ibv_send_wr send = {
		.wr_id = RESTART_ID,
		.opcode = first->op == RDMA_READ ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
		.wr.rdma = {.remote_addr = first->remote_addr,
			    .rkey = first->remote_mmap->remote_key},
	};
	struct ibv_send_wr *bad;

	/* If the queue is full, an additional request is posted already. */
	if (ibv_post_send(qp->qp, &send, &bad) == 0)
		sdk_warning("rdma: queue pair %u on %s has not moved for a while, and was asked to",
			    qp->number, verbs_domain_of(qp->base.domain)->device->name);
}

void verbs_stall_check(struct verbs_domain *domain)
{
	uint64_t now_ns;
	struct verbs_qp *qp;

	if (likely(++domain->n_idle_polls < IDLE_POLLS))
		return;
	domain->n_idle_polls = 0;
	now_ns = clock_now_ns();
	if (now_ns < domain->stall_ns)
		return;
	domain->stall_ns = now_ns + STALL_NS;
	list_for_each(qp, &domain->qps, node)
	{
		const struct rdma_wr *first = qp_first(qp);

		if (first != NULL && first == qp->waits_for)
			qp_restart(qp, first);
		qp->waits_for = first;
	}
}

uint64_t verbs_stall_due(struct verbs_domain *domain)
{
	struct verbs_qp *qp;
	uint64_t now_ns;

	list_for_each(qp, &domain->qps, node)
	{
		if (qp_first(qp) == NULL)
			continue;
		now_ns = clock_now_ns();
		return domain->stall_ns > now_ns ? domain->stall_ns : now_ns + STALL_NS;
	}
	return UINT64_MAX;
}

void verbs_stall_wake(struct verbs_domain *domain)
{
	domain->n_idle_polls = IDLE_POLLS;
}
