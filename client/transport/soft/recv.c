/*
 * Soft queue pairs: receives, and messages that are taken into them. What the sender wrote is
 * loaded once and checked; whatever is impossible breaks its queue pair. Threads: those of the
 * port.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "client/core/error.h"
#include "client/transport/soft/port.h"
#include "proto/barrier.h"
#include "util/doorbell.h"

doca_error_t soft_post_recv(struct rdma_port *base, struct rdma_wr *wr)
{
	struct soft_port *port = soft_port_of(base);

	if (unlikely(wr->op != RDMA_RECV || wr->n_sges > port->conf.max_recv_sges))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma receive: a list of %u buffers; the context takes %u at most",
				 wr->n_sges, port->conf.max_recv_sges);
	if (unlikely(port->n_recvs >= port->conf.recv_queue))
		return error_hint(DOCA_ERROR_AGAIN, "rdma receive: the receive queue is full");
	wr->next = NULL;
	wr->qp = NULL;
	wr->len = 0;
	*port->recv_tail = wr;
	port->recv_tail = &wr->next;
	port->n_recvs++;
	return DOCA_SUCCESS;
}

static struct rdma_wr *recv_take(struct soft_port *port)
{
	struct rdma_wr *wr = port->recv_head;

	port->recv_head = wr->next;
	if (port->recv_head == NULL)
		port->recv_tail = &port->recv_head;
	port->n_recvs--;
	return wr;
}

void soft_flush_recvs(struct rdma_port *base)
{
	struct soft_port *port = soft_port_of(base);

	/* One that has half a message is lost with it, and with its connection. */
	for (uint32_t i = port->n_up; i-- > 0;) {
		if (port->up[i]->taker != NULL)
			soft_qp_end(port->up[i], QP_END_BROKEN, RDMA_QP_BROKEN,
				    DOCA_ERROR_CONNECTION_RESET);
	}
	while (port->recv_head != NULL)
		soft_done(port, recv_take(port), DOCA_ERROR_CONNECTION_RESET);
}

void soft_acknowledge(struct soft_qp *qp)
{
	if (!qp->holds)
		return;
	qp->holds = false;
	if (ring_consumer_publish(&qp->rx))
		doorbell_ring(qp->peer_bell);
}

/* The sender's share of the ring that may be held back. */
static inline void recv_advance(struct soft_qp *qp, uint32_t len)
{
	ring_consumer_advance(&qp->rx, len);
	qp->holds = true;
	if (qp->rx.pos -
		    atomic_load_explicit(&qp->inbox->ring.consumed_pos, memory_order_relaxed) >=
	    QP_RING_LEN / 4)
		soft_acknowledge(qp);
}

static struct rdma_wr *recv_break(struct soft_qp *qp, const char *what)
{
	error_set(
		DOCA_ERROR_CONNECTION_RESET,
		"rdma: the other end of a connection wrote an impossible %s; the connection ends, "
		"others go on",
		what);
	soft_qp_end(qp, QP_END_BROKEN, RDMA_QP_BROKEN, DOCA_ERROR_CONNECTION_RESET);
	return NULL;
}

/* Nobody takes the message; its sender is to know, for it may not want to wait for ever. */
static void recv_starve(struct soft_qp *qp)
{
	if (qp->is_starved)
		return;
	qp->is_starved = true;
	soft_acknowledge(qp);
	atomic_store(&qp->inbox->starved, qp->rx.n_msgs + 1);
	if (ring_take_sleeper(&qp->inbox->ring.space_armed))
		doorbell_ring(qp->peer_bell);
}

/* Bytes of a payload into the receive, from `at` on. They fit. */
static void recv_scatter(const struct rdma_wr *wr, uint32_t at, const uint8_t *from, uint32_t len)
{
	for (uint32_t i = 0; i < wr->n_sges && len > 0; i++) {
		const struct rdma_sge *sge = &wr->sges[i];
		uint32_t n;

		if (at >= sge->len) {
			at -= (uint32_t)sge->len;
			continue;
		}
		n = (uint32_t)MIN(sge->len - at, (size_t)len);
		memcpy(sge->addr + at, from, n);
		from += n;
		len -= n;
		at = 0;
	}
}

/* In the sender's memory. 0 or -errno. */
static int recv_pull(struct soft_qp *qp, const struct rdma_wr *wr, const uint8_t *from,
		     uint32_t n_pieces, uint32_t len)
{
	struct iovec local[SOFT_MAX_SGES], remote[SOFT_MAX_SGES];
	uint64_t left = len, sum = 0;
	size_t n_local = 0;
	ssize_t r;

	for (uint32_t i = 0; i < n_pieces; i++) {
		struct qp_piece piece;

		memcpy(&piece, from + i * sizeof(piece), sizeof(piece));
		if (piece.len > len - sum)
			return -EPROTO;
		sum += piece.len;
		remote[i] = (struct iovec){.iov_base = (void *)(uintptr_t)piece.addr,
					   .iov_len = piece.len};
	}
	if (sum != len)
		return -EPROTO;
	for (uint32_t i = 0; i < wr->n_sges && left > 0; i++) {
		size_t n = (size_t)MIN((uint64_t)wr->sges[i].len, left);

		local[n_local++] = (struct iovec){.iov_base = wr->sges[i].addr, .iov_len = n};
		left -= n;
	}
	r = qp->pull.ops->readv(&qp->pull, local, n_local, remote, n_pieces);
	return r == (ssize_t)len ? 0 : r < 0 ? (int)r : -EFAULT;
}

/* The receive for a message of len bytes; NULL: it does not fit, and that was the end. */
static struct rdma_wr *recv_begin(struct soft_qp *qp, uint32_t len)
{
	struct soft_port *port = soft_qp_port(qp);
	struct rdma_wr *wr = recv_take(port);

	wr->qp = &qp->base;
	if (unlikely(qp->is_starved)) {
		qp->is_starved = false;
		atomic_store(&qp->inbox->starved, 0);
	}
	if (likely(len <= soft_sges_len(wr)))
		return wr;
	soft_done(port, wr, DOCA_ERROR_TOO_BIG);
	soft_qp_end(qp, QP_END_LENGTH, RDMA_QP_BROKEN, DOCA_ERROR_TOO_BIG);
	return NULL;
}

static inline struct rdma_wr *recv_end(struct soft_qp *qp, struct rdma_wr *wr, uint32_t msg_len,
				       uint32_t len)
{
	const void *payload;
	uint32_t next_len, kind;

	recv_advance(qp, msg_len);
	/* At once, for who has its message may not poll again for long; but once for many. */
	if (ring_consumer_peek(&qp->rx, &payload, &next_len, &kind) == 0)
		soft_acknowledge(qp);
	wr->status = DOCA_SUCCESS;
	wr->len = len;
	return wr;
}

static inline struct rdma_wr *recv_first(struct soft_qp *qp, const uint8_t *payload,
					 uint32_t msg_len, uint32_t kind)
{
	struct rdma_wr *wr;
	struct qp_send head;
	uint32_t part;

	if (unlikely(msg_len < sizeof(head)))
		return recv_break(qp, "message");
	memcpy(&head, payload, sizeof(head));
	part = msg_len - (uint32_t)sizeof(head);
	if (unlikely(part > head.len || head.len > soft_qp_port(qp)->limits.max_message))
		return recv_break(qp, "length");
	wr = recv_begin(qp, head.len);
	if (unlikely(wr == NULL))
		return NULL;
	wr->imm = head.imm;
	wr->came_by = kind == QP_MSG_SEND ? RDMA_SEND : RDMA_SEND_IMM;
	recv_scatter(wr, 0, payload + sizeof(head), part);
	if (likely(part == head.len))
		return recv_end(qp, wr, msg_len, part);
	qp->taker = wr;
	qp->taken = part;
	wr->len = head.len;
	recv_advance(qp, msg_len);
	return NULL;
}

static struct rdma_wr *recv_more(struct soft_qp *qp, const uint8_t *payload, uint32_t msg_len)
{
	struct rdma_wr *wr = qp->taker;

	if (msg_len > wr->len - qp->taken || msg_len == 0)
		return recv_break(qp, "length");
	recv_scatter(wr, qp->taken, payload, msg_len);
	qp->taken += msg_len;
	if (qp->taken == wr->len) {
		qp->taker = NULL;
		return recv_end(qp, wr, msg_len, qp->taken);
	}
	recv_advance(qp, msg_len);
	return NULL;
}

static struct rdma_wr *recv_written(struct soft_qp *qp, const uint8_t *payload, uint32_t msg_len)
{
	struct qp_send head;
	struct rdma_wr *wr;

	if (msg_len != sizeof(head))
		return recv_break(qp, "message");
	memcpy(&head, payload, sizeof(head));
	if (head.len > soft_qp_port(qp)->limits.max_message)
		return recv_break(qp, "length");
	wr = recv_begin(qp, 0);
	wr->imm = head.imm;
	wr->came_by = RDMA_WRITE_IMM;
	return recv_end(qp, wr, msg_len, head.len);
}

/* The payload could not be had: its sender has ended, or named memory that it does not have. */
static struct rdma_wr *recv_lost(struct soft_qp *qp, struct rdma_wr *wr, uint32_t end)
{
	wr->qp = NULL;
	soft_done(soft_qp_port(qp), wr, DOCA_ERROR_CONNECTION_RESET);
	if (end == 0)
		return recv_break(qp, "address");
	soft_reap(qp);
	soft_qp_end_as_told(qp, end);
	return NULL;
}

static struct rdma_wr *recv_pulled(struct soft_qp *qp, const uint8_t *payload, uint32_t msg_len,
				   uint32_t kind)
{
	struct qp_send head;
	struct rdma_wr *wr;
	uint32_t n, end;
	int r;

	n = msg_len < sizeof(head) ? 0
				   : (msg_len - (uint32_t)sizeof(head)) / sizeof(struct qp_piece);
	if (n == 0 || n > SOFT_MAX_SGES || msg_len != sizeof(head) + n * sizeof(struct qp_piece) ||
	    qp->pull.ops == NULL)
		return recv_break(qp, "message");
	memcpy(&head, payload, sizeof(head));
	if (head.len > soft_qp_port(qp)->limits.max_message)
		return recv_break(qp, "length");
	wr = recv_begin(qp, head.len);
	if (wr == NULL)
		return NULL;
	wr->imm = head.imm;
	wr->came_by = kind == QP_MSG_PULL ? RDMA_SEND : RDMA_SEND_IMM;
	r = recv_pull(qp, wr, payload + sizeof(head), n, head.len);
	/* Once the sender has ended, its memory may hold anything. */
	barrier_own();
	end = atomic_load(&qp->inbox->end);
	if (unlikely(r < 0 || end != 0))
		return recv_lost(qp, wr, end);
	return recv_end(qp, wr, msg_len, head.len);
}

static struct rdma_wr *recv_message(struct soft_qp *qp, const uint8_t *payload, uint32_t len,
				    uint32_t kind)
{
	if (unlikely(!qp->is_greeted)) {
		if (atomic_load(&qp->inbox->hello) != qp->peer_id)
			return recv_break(qp, "name: it is not the end that was connected to");
		qp->is_greeted = true;
	}
	if ((kind == QP_MSG_MORE) != (qp->taker != NULL))
		return recv_break(qp, "message");
	if (kind == QP_MSG_MORE)
		return recv_more(qp, payload, len);
	if (unlikely(soft_qp_port(qp)->recv_head == NULL)) {
		recv_starve(qp);
		return NULL;
	}
	if (likely(kind == QP_MSG_SEND || kind == QP_MSG_SEND_IMM))
		return recv_first(qp, payload, len, kind);
	if (kind == QP_MSG_WRITE_IMM)
		return recv_written(qp, payload, len);
	if (kind == QP_MSG_PULL || kind == QP_MSG_PULL_IMM)
		return recv_pulled(qp, payload, len, kind);
	return recv_break(qp, "message");
}

struct rdma_wr *soft_receive(struct soft_qp *qp)
{
	const void *payload;
	uint32_t len, kind;
	int r = ring_consumer_peek(&qp->rx, &payload, &len, &kind);

	if (likely(r == 0)) {
		soft_acknowledge(qp);
		return NULL;
	}
	if (unlikely(r < 0))
		return recv_break(qp, "message header");
	return recv_message(qp, payload, len, kind);
}

bool soft_recv_has_news(struct soft_qp *qp, bool fenced)
{
	const void *payload;
	uint32_t len, kind;

	/* Nobody closes this ring; a peer that says so has nothing to tell by it. */
	(void)ring_consumer_arm_end(&qp->rx, fenced);
	if (ring_consumer_peek(&qp->rx, &payload, &len, &kind) == 0)
		return false;
	return qp->taker != NULL || soft_qp_port(qp)->recv_head != NULL || !qp->is_starved;
}
