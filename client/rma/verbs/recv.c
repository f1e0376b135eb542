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
static int recv_give(struct verbs_port *port, uint32_t i, uint64_t number, const struct rdma_wr *wr,
		     doca_error_t *result_out)
{
	struct ibv_recv_wr recv = {.wr_id = recv_id(i, number)}, *bad;
	struct ibv_sge sges[VERBS_SGES_MAX];

	recv.sg_list = sges;
	recv.num_sge = 1;
	*result_out = DOCA_SUCCESS;
	if (likely(wr->n_sges == 1 && wr->sges[0].len != 0) &&
	    likely(verbs_sge_take(port->device, wr->sges, true, sges)))
		return ibv_post_srq_recv(port->srq, &recv, &bad);
	*result_out = verbs_sges_fill(port->device, wr, true, sges, &recv.num_sge);
	return likely(*result_out == DOCA_SUCCESS) ? ibv_post_srq_recv(port->srq, &recv, &bad) : 0;
}

doca_error_t verbs_post_recv(struct rdma_port *base, struct rdma_wr *wr)
{
	struct verbs_port *port = verbs_port_of(base);
	uint32_t i = port->first_free;
	doca_error_t result;
	int r;

	if (unlikely(i == port->conf.recv_queue))
		return error_hint(DOCA_ERROR_AGAIN,
				  "rdma: the receive queue is full; progress first");
	if (unlikely(!verbs_wr_is_short(wr, UINT32_MAX - 1))) {
		result = verbs_wr_len(wr, port->conf.max_recv_sges, UINT32_MAX - 1);
		if (result != DOCA_SUCCESS)
			return result;
	}
	wr->qp = NULL;
	wr->next = NULL;
	if (likely(port->srq != NULL && !port->is_gone)) {
		r = recv_give(port, i, port->last_recv + 1, wr, &result);
		if (unlikely(result != DOCA_SUCCESS))
			return result;
		if (unlikely(r == ENOMEM))
			return error_hint(DOCA_ERROR_AGAIN,
					  "rdma: the receive queue is full; progress first");
		if (unlikely(r != 0))
			return error_set(DOCA_ERROR_INVALID_VALUE, "rdma: %s refuses a receive: %s",
					 port->device->name, strerror(r));
	}
	port->first_free = port->recvs[i].next_free;
	port->recvs[i].wr = wr;
	port->recvs[i].number = ++port->last_recv;
	return DOCA_SUCCESS;
}

static struct rdma_wr *recv_release(struct verbs_port *port, uint32_t i)
{
	struct rdma_wr *wr = port->recvs[i].wr;

	port->recvs[i] = (struct verbs_recv){.next_free = port->first_free};
	port->first_free = i;
	return wr;
}

struct rdma_wr *verbs_recv_take(struct verbs_port *port, uint64_t id, struct verbs_qp *qp)
{
	uint32_t i = (uint32_t)(id >> 1);
	uint64_t number;

	if (i >= port->conf.recv_queue || port->recvs[i].wr == NULL)
		return NULL;
	number = port->recvs[i].number;
	if (unlikely(id != recv_id(i, number)))
		return NULL;
	port->high_recv = MAX(port->high_recv, number);
	if (port->lost_until != 0)
		port->looks |= VERBS_LOOK_LOST;
	else
		port->looks &= ~(unsigned)VERBS_LOOK_LOST;
	if (likely(qp != NULL))
		qp->recv_seen = MAX(qp->recv_seen, number);
	return recv_release(port, i);
}

static void recv_reset(struct verbs_port *port, uint32_t i)
{
	struct rdma_wr *wr = recv_release(port, i);

	wr->status = DOCA_ERROR_CONNECTION_RESET;
	wr->qp = NULL;
	wr->len = 0;
	verbs_port_done(port, wr);
}

static void recvs_reset(struct verbs_port *port, uint64_t until)
{
	for (uint32_t i = 0; i < port->conf.recv_queue; i++) {
		if (port->recvs[i].wr != NULL && port->recvs[i].number <= until)
			recv_reset(port, i);
	}
}

/* --- lost receives --- */

void verbs_recv_suspect(struct verbs_port *port)
{
	port->lost_until = port->last_recv;
	port->lost_looked = 0;
	port->looks |= VERBS_LOOK_LOST;
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
static void recv_find_lost(struct verbs_port *port)
{
	uint64_t until = port->high_recv;
	const struct verbs_qp *qp;

	list_for_each(qp, &port->qps, node)
	{
		if (qp_may_hold(qp))
			until = MIN(until, qp->recv_seen);
	}
	if (until <= port->lost_looked)
		return;
	port->lost_looked = until;
	recvs_reset(port, MIN(until, port->lost_until));
	if (until >= port->lost_until)
		port->lost_until = 0;
}

/* A drained queue pair has had its completions written, but perhaps not polled. The completion
 * queue is therefore emptied between reading the flag and using it. */
void verbs_recv_look(struct verbs_port *port)
{
	struct verbs_qp *qp;

	list_for_each(qp, &port->qps, node)
	{
		if (qp->state == VERBS_QP_ENDED)
			qp->is_drained = atomic_load(&qp->alarm.is_drained);
	}
	verbs_reap(port);
	port->looks &= ~(unsigned)VERBS_LOOK_LOST;
	if (port->lost_until != 0)
		recv_find_lost(port);
}

/* --- creating the queue again --- */

struct place {
	uint64_t number;
	uint32_t i;
};

static int place_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Posts the receives again, in their original order. */
static void recvs_give_again(struct verbs_port *port, struct place *places)
{
	doca_error_t result;
	size_t n = 0;

	for (uint32_t i = 0; i < port->conf.recv_queue; i++) {
		if (port->recvs[i].wr != NULL)
			places[n++] = (struct place){port->recvs[i].number, i};
	}
	qsort(places, n, sizeof(*places), place_compare);
	for (size_t k = 0; k < n; k++) {
		uint32_t i = places[k].i;

		if (recv_give(port, i, places[k].number, port->recvs[i].wr, &result) != 0 ||
		    result != DOCA_SUCCESS)
			recv_reset(port, i);
	}
}

void verbs_recv_renew(struct verbs_port *port)
{
	struct place *places;
	struct verbs_qp *qp;

	if (likely(port->lost_until == 0) || port->is_gone || port->srq == NULL)
		return;
	list_for_each(qp, &port->qps, node)
	{
		if (qp->state != VERBS_QP_ENDED)
			return;
	}
	list_for_each(qp, &port->qps, node) verbs_qp_strip(qp);
	places = malloc(port->conf.recv_queue * sizeof(*places));
	port->device->api->destroy_srq(port->srq);
	port->srq = NULL;
	port->lost_until = 0;
	if (places == NULL || verbs_port_make_srq(port) != DOCA_SUCCESS)
		verbs_flush_recvs(&port->base);
	else
		recvs_give_again(port, places);
	free(places);
}

/* A receive can be removed from a shared receive queue only by destroying the queue, and all its
 * queue pairs must be destroyed before. Their posted requests are returned too. */
void verbs_flush_recvs(struct rdma_port *base)
{
	struct verbs_port *port = verbs_port_of(base);
	struct verbs_qp *qp;
	bool has_any = false;

	if (port->n_leaving > 0) {
		port->is_flush_due = true;
		return;
	}
	verbs_reap(port);
	for (uint32_t i = 0; i < port->conf.recv_queue; i++)
		has_any |= port->recvs[i].wr != NULL;
	if (!has_any && port->srq != NULL)
		return;
	list_for_each(qp, &port->qps, node)
	{
		verbs_qp_break(qp, DOCA_ERROR_CONNECTION_RESET);
		verbs_qp_strip(qp);
	}
	if (port->srq != NULL)
		port->device->api->destroy_srq(port->srq);
	port->srq = NULL;
	recvs_reset(port, UINT64_MAX);
	port->lost_until = 0;
	if (!port->is_gone)
		(void)verbs_port_make_srq(port);
}
