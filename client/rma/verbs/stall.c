/*
 * Queue pairs that the device has forgotten; see client/rma/verbs/port.h.
 *
 * The kernel's soft-RoCE says that it waits for room, or for acknowledgements, after it has looked
 * whether there is any: what comes between the two wakes nobody, and if it was the last that was
 * under way, no timer runs either (Linux 6.1, rxe_requester). Then requests stay for ever, unless
 * something more is posted. So a queue pair that has waited for the same request for a while gets
 * one that moves no byte, of the same kind and to the same memory: so the other end takes it.
 */
#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "client/rma/verbs/port.h"
#include "util/clock.h"

#define SOFT_ROCE_VENDOR 0xffffffu
/* Longer than an acknowledgement is waited for, so that the device has its own try before. */
#define STALL_NS NS_PER_SEC
/* Looks at an empty queue before the clock is read. */
#define IDLE_POLLS 4096u
/* Odd, and the place of no receive: its end, which is only heard with a connection's, is nobody's.
 */
#define URGE_ID ((uint64_t)UINT32_MAX << 1 | 1)

bool verbs_may_stall(const struct verbs_device *device)
{
	return device->attr.vendor_id == SOFT_ROCE_VENDOR;
}

/* NULL: none, or one that nothing can be posted behind which is sure to move nothing. */
static const struct rdma_wr *qp_first(const struct verbs_qp *qp)
{
	const struct rdma_wr *wr = qp->posted.head;

	if (qp->state != VERBS_QP_READY || wr == NULL || wr->remote_mmap == NULL)
		return NULL;
	return wr->op == RDMA_READ || wr->op == RDMA_WRITE || wr->op == RDMA_WRITE_IMM ? wr : NULL;
}

static void qp_urge(struct verbs_qp *qp, const struct rdma_wr *first)
{
	struct ibv_send_wr send = {
		.wr_id = URGE_ID,
		.opcode = first->op == RDMA_READ ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
		.wr.rdma = {.remote_addr = first->remote_addr,
			    .rkey = first->remote_mmap->remote_key},
	};
	struct ibv_send_wr *bad;

	/* Full: there is one already. */
	if (ibv_post_send(qp->qp, &send, &bad) == 0)
		sdk_warning("rdma: queue pair %u on %s has not moved for a while, and was asked to",
			    qp->number, verbs_port_of(qp->base.port)->device->name);
}

void verbs_stall_look(struct verbs_port *port)
{
	uint64_t now_ns;
	struct verbs_qp *qp;

	if (likely(++port->n_idle_polls < IDLE_POLLS))
		return;
	port->n_idle_polls = 0;
	now_ns = clock_now_ns();
	if (now_ns < port->stall_ns)
		return;
	port->stall_ns = now_ns + STALL_NS;
	list_for_each(qp, &port->qps, node)
	{
		const struct rdma_wr *first = qp_first(qp);

		if (first != NULL && first == qp->waits_for)
			qp_urge(qp, first);
		qp->waits_for = first;
	}
}

uint64_t verbs_stall_due(struct verbs_port *port)
{
	struct verbs_qp *qp;
	uint64_t now_ns;

	list_for_each(qp, &port->qps, node)
	{
		if (qp_first(qp) == NULL)
			continue;
		now_ns = clock_now_ns();
		return port->stall_ns > now_ns ? port->stall_ns : now_ns + STALL_NS;
	}
	return UINT64_MAX;
}

void verbs_stall_wake(struct verbs_port *port)
{
	port->n_idle_polls = IDLE_POLLS;
}
