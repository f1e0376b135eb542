/*
 * Soft queue pairs: receives, and messages that are copied into them. Data that the sender wrote is
 * loaded once and validated; an impossible value breaks its queue pair. Threads: those of the
 * domain.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "client/base/error.h"
#include "client/rma/soft/domain.h"
#include "proto/barrier.h"
#include "util/copy.h"
#include "util/doorbell.h"
#include "util/str.h"

doca_error_t soft_post_recv(struct rdma_domain *base, struct rdma_wr *wr)
{
	struct soft_domain *domain = soft_domain_of(base);

	if (unlikely(wr->op != RDMA_RECV || wr->n_sges > domain->conf.max_recv_sges))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma receive: a list of %u %s; the context takes %u at most",
				 wr->n_sges, plural(wr->n_sges, "buffer", "buffers"),
				 domain->conf.max_recv_sges);
	if (unlikely(domain->n_recvs >= domain->conf.recv_queue))
		return error_hint(DOCA_ERROR_AGAIN, "rdma receive: the receive queue is full");
	wr->next = NULL;
	wr->qp = NULL;
	wr->len = 0;
	*domain->recv_tail = wr;
	domain->recv_tail = &wr->next;
	domain->n_recvs++;
	return DOCA_SUCCESS;
}

static inline struct rdma_wr *recv_receive(struct soft_domain *domain)
{
	struct rdma_wr *wr = domain->recv_head;

	domain->recv_head = wr->next;
	if (domain->recv_head == NULL)
		domain->recv_tail = &domain->recv_head;
	domain->n_recvs--;
	return wr;
}

void soft_flush_recvs(struct rdma_domain *base)
{
	struct soft_domain *domain = soft_domain_of(base);

	/* A receive that contains part of a message is lost with it, and so is its connection. */
	for (uint32_t i = domain->n_up; i-- > 0;) {
		if (domain->up[i]->partial != NULL)
			soft_qp_end(domain->up[i], QP_END_BROKEN, RDMA_QP_BROKEN,
				    DOCA_ERROR_CONNECTION_RESET);
	}
	while (domain->recv_head != NULL)
		soft_done(domain, recv_receive(domain), DOCA_ERROR_CONNECTION_RESET);
}

/* --- this end's inbox --- */

static inline void recv_report(struct soft_qp *qp)
{
	qp->n_reported = qp->n_taken;
	qp->rx_pos_reported = qp->rx_pos;
	atomic_store_explicit(&qp->inbox->taken_pos, qp->rx_pos, memory_order_release);
	atomic_store_explicit(&qp->inbox->taken, qp->n_taken, BARRIER_ORDER_STORE);
	if (unlikely(ring_waker_check(&qp->inbox->space_armed, qp->rx_fence)))
		doorbell_ring(qp->peer_doorbell);
}

void soft_acknowledge(struct soft_qp *qp)
{
	if (qp->n_reported != qp->n_taken)
		recv_report(qp);
}

/* Advances past a message and its bytes in the area. */
static inline void recv_advance(struct soft_qp *qp, uint64_t span)
{
	qp->n_taken++;
	qp->rx_pos += span;
	/* Reports progress at the latest when a quarter of the sender's resources is used. */
	if (unlikely(qp->n_taken - qp->n_reported >= QP_N_SLOTS / 4 ||
		     qp->rx_pos - qp->rx_pos_reported >= QP_AREA_LEN / 4))
		recv_report(qp);
}

static inline const uint8_t *recv_area(const struct soft_qp *qp)
{
	return qp->rx_area + qp->rx_pos % QP_AREA_LEN;
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

/* Reports to the sender that there is no receive for its message, because it may limit the time it
 * waits. */
static void recv_starve(struct soft_qp *qp)
{
	if (qp->is_starved)
		return;
	qp->is_starved = true;
	soft_acknowledge(qp);
	atomic_store(&qp->inbox->starved, qp->n_taken + 1);
	if (ring_clear_sleeper(&qp->inbox->space_armed))
		doorbell_ring(qp->peer_doorbell);
}

/* Copies part of a payload into the receive, from offset `at` on. The caller has checked that it
 * fits. */
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
		copy_bytes(sge->addr + at, from, n);
		from += n;
		len -= n;
		at = 0;
	}
}

/* Reads the payload from the sender's memory. Returns 0 or -errno. */
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

/* Returns the receive for a message of `len` bytes. If the message does not fit, ends the queue
 * pair and returns NULL. */
static struct rdma_wr *recv_begin(struct soft_qp *qp, uint32_t len)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	struct rdma_wr *wr = recv_receive(domain);

	wr->qp = &qp->base;
	if (unlikely(qp->is_starved)) {
		qp->is_starved = false;
		atomic_store(&qp->inbox->starved, 0);
	}
	if (likely(len <= soft_sges_len(wr)))
		return wr;
	soft_done(domain, wr, DOCA_ERROR_TOO_BIG);
	soft_qp_end(qp, QP_END_LENGTH, RDMA_QP_BROKEN, DOCA_ERROR_TOO_BIG);
	return NULL;
}

static inline __attribute__((always_inline)) struct rdma_wr *recv_end(struct soft_qp *qp,
								      struct rdma_wr *wr,
								      uint64_t span, uint32_t len)
{
	recv_advance(qp, span);
	/* Reported at once, because the user may not poll again for long; but only once for several
	 * messages. */
	if (likely(!soft_is_next(
		    qp, atomic_load_explicit(&soft_next_slot(qp)->word, memory_order_relaxed))))
		recv_report(qp);
	wr->status = DOCA_SUCCESS;
	wr->len = len;
	return wr;
}

/* Reads length and immediate data of a slot. Returns false if the length exceeds the limit. */
static inline bool recv_info(const struct soft_qp *qp, const struct qp_slot *slot,
			     uint32_t *len_out, uint32_t *imm_out)
{
	uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);

	*len_out = (uint32_t)info;
	*imm_out = (uint32_t)(info >> 32);
	return likely(*len_out <= soft_qp_domain(qp)->limits.max_message);
}

static struct rdma_wr *recv_pieces(struct soft_qp *qp, struct rdma_wr *wr, uint32_t len)
{
	uint32_t part = MIN(len, QP_PIECE_MAX);

	recv_scatter(wr, 0, recv_area(qp), part);
	if (part == len)
		return recv_end(qp, wr, soft_area_span(part), part);
	qp->partial = wr;
	qp->taken = part;
	wr->len = len;
	recv_advance(qp, soft_area_span(part));
	return NULL;
}

static struct rdma_wr *recv_first(struct soft_qp *qp, const struct qp_slot *slot, enum qp_msg kind)
{
	uint32_t len, imm;
	struct rdma_wr *wr;

	if (!recv_info(qp, slot, &len, &imm))
		return recv_break(qp, "length");
	wr = recv_begin(qp, len);
	if (unlikely(wr == NULL))
		return NULL;
	wr->imm = imm;
	wr->received_as = kind == QP_MSG_SEND ? RDMA_SEND : RDMA_SEND_IMM;
	if (unlikely(len > QP_SHORT_MAX))
		return recv_pieces(qp, wr, len);
	recv_scatter(wr, 0, slot->bytes, len);
	return recv_end(qp, wr, 0, len);
}

static struct rdma_wr *recv_more(struct soft_qp *qp)
{
	struct rdma_wr *wr = qp->partial;
	uint32_t part = MIN(wr->len - qp->taken, QP_PIECE_MAX);

	recv_scatter(wr, qp->taken, recv_area(qp), part);
	qp->taken += part;
	if (qp->taken == wr->len) {
		qp->partial = NULL;
		return recv_end(qp, wr, soft_area_span(part), qp->taken);
	}
	recv_advance(qp, soft_area_span(part));
	return NULL;
}

static struct rdma_wr *recv_written(struct soft_qp *qp, const struct qp_slot *slot)
{
	uint32_t len, imm;
	struct rdma_wr *wr;

	if (!recv_info(qp, slot, &len, &imm))
		return recv_break(qp, "length");
	wr = recv_begin(qp, 0);
	wr->imm = imm;
	wr->received_as = RDMA_WRITE_IMM;
	return recv_end(qp, wr, 0, len);
}

/* The payload could not be read: its sender has ended, or has named memory that it does not
 * have. */
static struct rdma_wr *recv_lost(struct soft_qp *qp, struct rdma_wr *wr, uint32_t end)
{
	wr->qp = NULL;
	soft_done(soft_qp_domain(qp), wr, DOCA_ERROR_CONNECTION_RESET);
	if (end == 0)
		return recv_break(qp, "address");
	soft_learn(qp);
	soft_reap(qp);
	soft_qp_end_as_reported(qp, end);
	return NULL;
}

static struct rdma_wr *recv_pulled(struct soft_qp *qp, const struct qp_slot *slot, enum qp_msg kind)
{
	uint32_t n = *(const volatile uint32_t *)(const void *)slot->bytes;
	uint32_t len, imm, end;
	struct rdma_wr *wr;
	int r;

	if (n == 0 || n > SOFT_MAX_SGES || qp->pull.ops == NULL)
		return recv_break(qp, "message");
	if (!recv_info(qp, slot, &len, &imm))
		return recv_break(qp, "length");
	wr = recv_begin(qp, len);
	if (wr == NULL)
		return NULL;
	wr->imm = imm;
	wr->received_as = kind == QP_MSG_PULL ? RDMA_SEND : RDMA_SEND_IMM;
	r = recv_pull(qp, wr, recv_area(qp), n, len);
	/* Checked after the read: once the sender has ended, its memory may contain anything. */
	barrier_self();
	end = atomic_load(&qp->inbox->end);
	if (unlikely(r < 0 || end != 0))
		return recv_lost(qp, wr, end);
	return recv_end(qp, wr, soft_area_span(n * (uint32_t)sizeof(struct qp_piece)), len);
}

/* Handles the acknowledgement in a message. An older one than is known has no effect. Returns false
 * if the sender acknowledges messages that were never sent. */
static inline bool recv_heed(struct soft_qp *qp, uint64_t word)
{
	uint32_t known = (uint32_t)(qp->acked << (32 - QP_ACK_BITS));
	uint32_t events_due = (uint32_t)(word >> QP_ACK_SHIFT << (32 - QP_ACK_BITS));
	int32_t n = (int32_t)(events_due - known) >> (32 - QP_ACK_BITS);

	if (n <= 0)
		return true;
	if (unlikely((uint64_t)n > qp->n_sent - qp->acked))
		return false;
	qp->acked += (uint64_t)n;
	qp->n_idle = 0;
	qp->n_skips = MAX(qp->n_skips, SOFT_SKIPS_MIN);
	return true;
}

static bool recv_check_hello(struct soft_qp *qp)
{
	qp->is_from_peer = atomic_load(&qp->inbox->hello) == qp->peer_id;
	return qp->is_from_peer;
}

static __attribute__((noinline)) struct rdma_wr *recv_any(struct soft_qp *qp, uint64_t word)
{
	enum qp_msg kind = (enum qp_msg)(word >> QP_KIND_SHIFT & 0xff);
	const struct qp_slot *slot = soft_next_slot(qp);

	if (!qp->is_from_peer && !recv_check_hello(qp))
		return recv_break(qp, "name: it is not the end that was connected to");
	if (!recv_heed(qp, word))
		return recv_break(qp, "count of messages that it received");
	if (kind == QP_MSG_MORE)
		return qp->partial != NULL ? recv_more(qp) : recv_break(qp, "message");
	if (qp->partial != NULL)
		return recv_break(qp, "message");
	if (soft_qp_domain(qp)->recv_head == NULL) {
		recv_starve(qp);
		return NULL;
	}
	switch (kind) {
	case QP_MSG_SEND:
	case QP_MSG_SEND_IMM:
		return recv_first(qp, slot, kind);
	case QP_MSG_WRITE_IMM:
		return recv_written(qp, slot);
	case QP_MSG_PULL:
	case QP_MSG_PULL_IMM:
		return recv_pulled(qp, slot, kind);
	default:
		return recv_break(qp, "message");
	}
}

/* The fast path is a short message for a receive with one piece of memory. */
struct rdma_wr *soft_receive(struct soft_qp *qp, uint64_t word)
{
	const struct qp_slot *slot = soft_next_slot(qp);
	uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
	uint32_t kind = (uint32_t)(word >> QP_KIND_SHIFT) & 0xff, len = (uint32_t)info;
	struct soft_domain *domain = soft_qp_domain(qp);
	struct rdma_wr *wr = domain->recv_head;

	if (unlikely(kind - QP_MSG_SEND > QP_MSG_SEND_IMM - QP_MSG_SEND || wr == NULL ||
		     qp->partial != NULL || qp->is_starved || !qp->is_from_peer) ||
	    unlikely(len > QP_SHORT_MAX || wr->n_sges != 1 || len > wr->sges[0].len) ||
	    unlikely(!recv_heed(qp, word)))
		return recv_any(qp, word);
	recv_receive(domain);
	copy_short(wr->sges[0].addr, slot->bytes, len);
	wr->qp = &qp->base;
	wr->imm = (uint32_t)(info >> 32);
	wr->received_as = kind == QP_MSG_SEND ? RDMA_SEND : RDMA_SEND_IMM;
	return recv_end(qp, wr, 0, len);
}

bool soft_recv_has_work(const struct soft_qp *qp)
{
	if (!soft_is_next(qp, atomic_load(&soft_next_slot(qp)->word)))
		return false;
	return qp->partial != NULL || soft_qp_domain(qp)->recv_head != NULL || !qp->is_starved;
}
