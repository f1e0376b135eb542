/*
 * Soft queue pairs: requests, in the order in which they were posted. Messages are handed on while
 * there is room in the other end's inbox, and are done when it says that it has them; a one-sided
 * request waits until all before it is done, so that nothing of it happens should one of those
 * fail. Threads: those of the port.
 */
#include <string.h>

#include "client/core/error.h"
#include "client/transport/soft/port.h"
#include "util/doorbell.h"

/* --- handing on --- */

static inline bool is_one_sided(enum rdma_op op)
{
	return op == RDMA_WRITE || op == RDMA_READ || op == RDMA_CMP_SWP || op == RDMA_FETCH_ADD;
}

/* It waits until all before it is done. */
static inline bool waits_for_others(const struct soft_qp *qp, enum rdma_op op)
{
	return is_one_sided(op) || (op == RDMA_WRITE_IMM && !qp->is_written);
}

/* Bytes of the request's memory, from `at` on. */
static void send_gather(const struct rdma_wr *wr, uint32_t at, uint8_t *to, uint32_t len)
{
	for (uint32_t i = 0; i < wr->n_sges && len > 0; i++) {
		const struct rdma_sge *sge = &wr->sges[i];
		uint32_t n;

		if (at >= sge->len) {
			at -= (uint32_t)sge->len;
			continue;
		}
		n = (uint32_t)MIN(sge->len - at, (size_t)len);
		memcpy(to, sge->addr + at, n);
		to += n;
		len -= n;
		at = 0;
	}
}

static inline void send_publish(struct soft_qp *qp, uint32_t len, enum qp_msg kind)
{
	if (unlikely(ring_producer_publish(&qp->tx, len, kind)))
		doorbell_ring(qp->peer_bell);
}

/* True if there is room for a message of len bytes. */
static inline bool send_has_room(struct soft_qp *qp, uint32_t len)
{
	int r = ring_producer_room(&qp->tx, len);

	if (likely(r > 0))
		return true;
	if (r < 0) {
		error_set(DOCA_ERROR_CONNECTION_RESET,
			  "rdma: the other end of a connection says that it took what was never "
			  "sent; the connection ends, others go on");
		soft_qp_end(qp, QP_END_BROKEN, RDMA_QP_BROKEN, DOCA_ERROR_CONNECTION_RESET);
	}
	return false;
}

static bool send_pull(struct soft_qp *qp, const struct rdma_wr *wr)
{
	uint32_t len = (uint32_t)(sizeof(struct qp_send) + wr->n_sges * sizeof(struct qp_piece));
	struct qp_send head = {.len = wr->len, .imm = wr->imm};
	uint8_t *to;

	if (!send_has_room(qp, len))
		return false;
	to = ring_producer_payload(&qp->tx);
	memcpy(to, &head, sizeof(head));
	for (uint32_t i = 0; i < wr->n_sges; i++) {
		struct qp_piece piece = {.addr = (uintptr_t)wr->sges[i].addr,
					 .len = wr->sges[i].len};

		memcpy(to + sizeof(head) + i * sizeof(piece), &piece, sizeof(piece));
	}
	send_publish(qp, len, wr->op == RDMA_SEND ? QP_MSG_PULL : QP_MSG_PULL_IMM);
	return true;
}

/* The next piece of the payload; true once all of it has been handed on. */
static inline bool send_piece(struct soft_qp *qp, const struct rdma_wr *wr)
{
	uint32_t lead = qp->at == 0 ? sizeof(struct qp_send) : 0;
	uint32_t n = MIN(wr->len - qp->at, QP_MSG_MAX - lead);
	uint8_t *to;

	if (unlikely(!send_has_room(qp, lead + n)))
		return false;
	to = ring_producer_payload(&qp->tx);
	if (lead != 0) {
		struct qp_send head = {.len = wr->len, .imm = wr->imm};

		memcpy(to, &head, sizeof(head));
	}
	send_gather(wr, qp->at, to + lead, n);
	send_publish(qp, lead + n,
		     lead == 0             ? QP_MSG_MORE
		     : wr->op == RDMA_SEND ? QP_MSG_SEND
					   : QP_MSG_SEND_IMM);
	qp->at += n;
	return qp->at == wr->len;
}

static bool send_message(struct soft_qp *qp, const struct rdma_wr *wr)
{
	uint64_t before;

	if (wr->len > SOFT_PULL_MIN && qp->at == 0 &&
	    atomic_load_explicit(&qp->outbox->can_pull, memory_order_relaxed) == 1)
		return send_pull(qp, wr);
	do {
		before = qp->tx.n_msgs;
		if (send_piece(qp, wr))
			return true;
	} while (qp->tx.n_msgs != before);
	return false;
}

static bool send_written(struct soft_qp *qp, const struct rdma_wr *wr)
{
	struct qp_send head = {.len = wr->len, .imm = wr->imm};

	if (!send_has_room(qp, sizeof(head)))
		return false;
	memcpy(ring_producer_payload(&qp->tx), &head, sizeof(head));
	send_publish(qp, sizeof(head), QP_MSG_WRITE_IMM);
	return true;
}

/* The next request. False: it has to wait, or was the last of its queue pair. */
static bool push_one(struct soft_qp *qp)
{
	struct soft_sent *sent = &qp->sent[qp->issued & qp->mask];
	struct rdma_wr *wr = sent->wr;
	bool is_handed_on;

	if (waits_for_others(qp, wr->op)) {
		doca_error_t result;

		if (qp->done != qp->issued)
			return false;
		result = soft_remote(qp, wr);
		if (result != DOCA_SUCCESS) {
			soft_qp_fail(qp, result);
			return false;
		}
		if (wr->op != RDMA_WRITE_IMM) {
			qp->issued = ++qp->done;
			soft_done(soft_qp_port(qp), wr, DOCA_SUCCESS);
			return true;
		}
		qp->is_written = true;
	}
	is_handed_on = wr->op == RDMA_WRITE_IMM ? send_written(qp, wr) : send_message(qp, wr);
	if (!is_handed_on)
		return false;
	sent->ack = qp->tx.n_msgs;
	qp->at = 0;
	qp->is_written = false;
	qp->issued++;
	return true;
}

void soft_push(struct soft_qp *qp)
{
	uint64_t moved = 0;

	while (qp->issued != qp->posted && qp->state == SOFT_UP && moved < SOFT_PUSH_BYTES) {
		moved += qp->sent[qp->issued & qp->mask].wr->len;
		if (!push_one(qp))
			return;
	}
}

void soft_reap(struct soft_qp *qp)
{
	uint64_t acked = atomic_load_explicit(&qp->tx.ctl->consumed_msgs, memory_order_acquire);

	if (acked == qp->acked)
		return;
	if (unlikely(acked - qp->acked > qp->tx.n_msgs - qp->acked)) {
		error_set(DOCA_ERROR_CONNECTION_RESET,
			  "rdma: the other end of a connection says that it took %llu messages of "
			  "%llu; the connection ends, others go on",
			  (unsigned long long)acked, (unsigned long long)qp->tx.n_msgs);
		soft_qp_end(qp, QP_END_BROKEN, RDMA_QP_BROKEN, DOCA_ERROR_CONNECTION_RESET);
		return;
	}
	qp->acked = acked;
	while (qp->done != qp->issued) {
		struct soft_sent *sent = &qp->sent[qp->done & qp->mask];

		if ((int64_t)(acked - sent->ack) < 0)
			return;
		qp->done++;
		soft_done(soft_qp_port(qp), sent->wr, DOCA_SUCCESS);
	}
}

bool soft_send_has_news(struct soft_qp *qp)
{
	if (qp->done == qp->posted)
		return false;
	if (atomic_load(&qp->tx.ctl->consumed_msgs) != qp->acked)
		return true;
	if (qp->issued == qp->posted)
		return false;
	/* Their end moves it; with none of them it was not its turn yet. */
	if (waits_for_others(qp, qp->sent[qp->issued & qp->mask].wr->op))
		return qp->done == qp->issued;
	return ring_producer_refresh(&qp->tx) < 0 || ring_producer_fits(&qp->tx, QP_MSG_MAX);
}

/* --- posting --- */

static doca_error_t post_refuse(const char *how)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "rdma: the request %s", how);
}

static inline doca_error_t post_check(const struct soft_port *port, struct rdma_wr *wr)
{
	uint64_t len;

	if (unlikely(wr->n_sges > port->conf.max_send_sges))
		return post_refuse("has a longer list of buffers than the context was made for");
	len = soft_sges_len(wr);
	if (unlikely(len > port->limits.max_message))
		return post_refuse("is longer than a message may be; ask the device's limits");
	wr->len = (uint32_t)len;
	if (wr->op == RDMA_SEND || wr->op == RDMA_SEND_IMM)
		return DOCA_SUCCESS;
	if (unlikely(wr->op >= RDMA_RECV))
		return post_refuse("is none that is sent");
	if (unlikely(rdma_wr_writes_nothing(wr)))
		return DOCA_SUCCESS;
	if (unlikely((wr->remote_mmap == NULL) == (wr->remote_event == NULL)))
		return post_refuse("names no remote memory, or two");
	if (wr->op != RDMA_CMP_SWP && wr->op != RDMA_FETCH_ADD)
		return wr->remote_event != NULL && unlikely(len != sizeof(uint64_t))
			       ? post_refuse("does not have the 8 bytes of a sync event")
			       : DOCA_SUCCESS;
	if (unlikely(len != sizeof(uint64_t) || wr->n_sges != 1))
		return post_refuse("is atomic and has no single buffer of 8 bytes for the result");
	if (unlikely(wr->remote_event == NULL && wr->remote_addr % sizeof(uint64_t) != 0))
		return post_refuse("is atomic and its remote address is no multiple of 8");
	return DOCA_SUCCESS;
}

doca_error_t soft_post(struct rdma_qp *base, struct rdma_wr *wr)
{
	struct soft_qp *qp = soft_qp_of(base);
	struct soft_port *port = soft_qp_port(qp);
	doca_error_t result = post_check(port, wr);

	if (unlikely(result != DOCA_SUCCESS))
		return result;
	wr->qp = base;
	if (unlikely(qp->state != SOFT_UP)) {
		if (qp->state != SOFT_ENDED)
			return post_refuse("is of a queue pair that is not connected");
		soft_done(port, wr, DOCA_ERROR_CONNECTION_RESET);
		return DOCA_SUCCESS;
	}
	if (unlikely(qp->posted - qp->done >= port->conf.send_queue))
		return error_hint(DOCA_ERROR_AGAIN, "rdma: the send queue is full; try later");
	qp->sent[qp->posted++ & qp->mask].wr = wr;
	if (likely(qp->issued + 1 == qp->posted))
		soft_push(qp);
	return DOCA_SUCCESS;
}
