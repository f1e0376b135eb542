/*
 * Soft queue pairs: requests, executed in the order of posting. Messages are sent while there is
 * room in the other end's inbox, and complete when it acknowledges them. A one-sided request waits
 * until all earlier requests are complete, so that it has no effect if one of them fails. Threads:
 * those of the domain.
 */
#include <string.h>

#include "client/base/error.h"
#include "client/rma/soft/domain.h"
#include "util/copy.h"
#include "util/doorbell.h"

/* --- sending --- */

static inline bool is_one_sided(enum rdma_op op)
{
	return op == RDMA_WRITE || op == RDMA_READ || op == RDMA_CMP_SWP || op == RDMA_FETCH_ADD;
}

/* Returns whether the request must wait until all earlier ones are complete. */
static inline bool waits_for_others(const struct soft_qp *qp, enum rdma_op op)
{
	return is_one_sided(op) || (op == RDMA_WRITE_IMM && !qp->is_written);
}

/* Copies part of the request's memory, from offset `at` on. */
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
		copy_bytes(to, sge->addr + at, n);
		to += n;
		len -= n;
		at = 0;
	}
}

static inline struct qp_slot *send_slot(const struct soft_qp *qp)
{
	return &qp->tx_slots[qp->n_sent % QP_N_SLOTS];
}

static inline void send_publish(struct soft_qp *qp, enum qp_msg kind, uint32_t len, uint32_t imm)
{
	struct qp_slot *slot = send_slot(qp);

	atomic_store_explicit(&slot->info, (uint64_t)imm << 32 | len, memory_order_relaxed);
	atomic_store_explicit(&slot->word,
			      qp->n_taken << QP_ACK_SHIFT | (uint64_t)kind << QP_KIND_SHIFT |
				      (uint32_t)(qp->n_sent + 1),
			      BARRIER_ORDER_STORE);
	qp->n_sent++;
	if (unlikely(ring_waker_check(&qp->outbox->armed, qp->tx_fence)))
		doorbell_ring(qp->peer_doorbell);
}

static void send_distrust(struct soft_qp *qp)
{
	error_set(DOCA_ERROR_CONNECTION_RESET, "rdma: the other end of a connection says that it "
					       "received what was never sent; the "
					       "connection ends, others go on");
	soft_qp_end(qp, QP_END_BROKEN, RDMA_QP_BROKEN, DOCA_ERROR_CONNECTION_RESET);
}

/* Returns whether there is a slot for a message. */
static inline bool send_has_slot(struct soft_qp *qp)
{
	if (likely(qp->n_sent - qp->acked < QP_N_SLOTS))
		return true;
	soft_learn(qp);
	return qp->n_sent - qp->acked < QP_N_SLOTS && qp->state == SOFT_UP;
}

static inline bool area_has_room(const struct soft_qp *qp, uint32_t len)
{
	return qp->tx_pos + soft_area_span(len) <= qp->tx_limit;
}

/* Reads the other end's position again. Returns false if the value is impossible. */
static bool area_refresh(struct soft_qp *qp)
{
	uint64_t pos = atomic_load_explicit(&qp->outbox->taken_pos, memory_order_acquire);

	if (pos > qp->tx_pos || qp->tx_pos - pos > QP_AREA_LEN ||
	    pos < qp->tx_limit - QP_AREA_LEN || pos % QP_AREA_ALIGN != 0)
		return false;
	qp->tx_limit = pos + QP_AREA_LEN;
	return true;
}

/* Returns room for `len` bytes in the area, if there is a slot too. Returns NULL if there is none
 * now, or if the queue pair has ended. */
static uint8_t *send_room(struct soft_qp *qp, uint32_t len)
{
	if (!send_has_slot(qp))
		return NULL;
	if (!area_has_room(qp, len)) {
		if (!area_refresh(qp)) {
			send_distrust(qp);
			return NULL;
		}
		if (!area_has_room(qp, len))
			return NULL;
	}
	return qp->tx_area + qp->tx_pos % QP_AREA_LEN;
}

static bool send_pull(struct soft_qp *qp, const struct rdma_wr *wr)
{
	uint8_t *to = send_room(qp, wr->n_sges * (uint32_t)sizeof(struct qp_piece));

	if (to == NULL)
		return false;
	for (uint32_t i = 0; i < wr->n_sges; i++) {
		struct qp_piece piece = {.addr = (uintptr_t)wr->sges[i].addr,
					 .len = wr->sges[i].len};

		memcpy(to + i * sizeof(piece), &piece, sizeof(piece));
	}
	qp->tx_pos += soft_area_span(wr->n_sges * (uint32_t)sizeof(struct qp_piece));
	memcpy(send_slot(qp)->bytes, &wr->n_sges, sizeof(wr->n_sges));
	send_publish(qp, wr->op == RDMA_SEND ? QP_MSG_PULL : QP_MSG_PULL_IMM, wr->len, wr->imm);
	return true;
}

static inline enum qp_msg send_kind(const struct rdma_wr *wr)
{
	return wr->op == RDMA_SEND ? QP_MSG_SEND : QP_MSG_SEND_IMM;
}

/* Sends the next piece of the payload. Returns true once all of it was sent. */
static bool send_piece(struct soft_qp *qp, const struct rdma_wr *wr)
{
	uint32_t n = MIN(wr->len - qp->at, QP_PIECE_MAX);
	uint8_t *to = send_room(qp, n);

	if (to == NULL)
		return false;
	send_gather(wr, qp->at, to, n);
	qp->tx_pos += soft_area_span(n);
	send_publish(qp, qp->at == 0 ? send_kind(wr) : QP_MSG_MORE, wr->len, wr->imm);
	qp->at += n;
	return qp->at == wr->len;
}

static bool send_long(struct soft_qp *qp, const struct rdma_wr *wr)
{
	uint64_t before;

	if (wr->len > SOFT_PULL_MIN && qp->at == 0 &&
	    atomic_load_explicit(&qp->outbox->can_pull, memory_order_relaxed) == 1)
		return send_pull(qp, wr);
	do {
		before = qp->n_sent;
		if (send_piece(qp, wr))
			return true;
	} while (qp->n_sent != before);
	return false;
}

static inline bool send_message(struct soft_qp *qp, const struct rdma_wr *wr)
{
	if (unlikely(wr->len > QP_SHORT_MAX))
		return send_long(qp, wr);
	if (unlikely(!send_has_slot(qp)))
		return false;
	send_gather(wr, 0, send_slot(qp)->bytes, wr->len);
	send_publish(qp, send_kind(wr), wr->len, wr->imm);
	return true;
}

static bool send_written(struct soft_qp *qp, const struct rdma_wr *wr)
{
	if (!send_has_slot(qp))
		return false;
	send_publish(qp, QP_MSG_WRITE_IMM, wr->len, wr->imm);
	return true;
}

/* Executes a one-sided request, or the write of a WRITE_IMM. Returns false in the same cases as
 * push_one(). */
static __attribute__((noinline)) bool push_remote(struct soft_qp *qp, struct rdma_wr *wr)
{
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
		soft_done(soft_qp_domain(qp), wr, DOCA_SUCCESS);
		return true;
	}
	qp->is_written = true;
	return true;
}

/* Executes the next request. Returns false if it must wait or the queue pair has ended. */
static inline bool push_one(struct soft_qp *qp)
{
	struct soft_sent *sent = &qp->sent[qp->issued & qp->mask];
	struct rdma_wr *wr = sent->wr;
	bool is_handed_on;

	if (unlikely(waits_for_others(qp, wr->op))) {
		if (!push_remote(qp, wr))
			return false;
		if (wr->op != RDMA_WRITE_IMM)
			return true;
	}
	is_handed_on = unlikely(wr->op == RDMA_WRITE_IMM) ? send_written(qp, wr)
							  : send_message(qp, wr);
	if (!is_handed_on)
		return false;
	sent->ack = qp->n_sent;
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

void soft_learn(struct soft_qp *qp)
{
	uint64_t acked = atomic_load_explicit(&qp->outbox->taken, memory_order_acquire);

	if (unlikely(acked - qp->acked > qp->n_sent - qp->acked)) {
		/* The other end's last message may contain a newer value than this word. */
		if (qp->acked - acked <= QP_N_SLOTS)
			return;
		send_distrust(qp);
		return;
	}
	qp->acked = acked;
}

/* A sender that learns the value from replies reads the word ever more rarely, until a read was
 * useful. */
static void reap_read_taken(struct soft_qp *qp)
{
	qp->n_idle = 0;
	soft_learn(qp);
	qp->n_skips = qp->acked != qp->reaped ? 0 : MIN(2 * qp->n_skips, SOFT_SKIPS_MAX);
}

void soft_reap(struct soft_qp *qp)
{
	if (qp->acked == qp->reaped)
		reap_read_taken(qp);
	if (qp->acked == qp->reaped || unlikely(qp->state != SOFT_UP))
		return;
	qp->reaped = qp->acked;
	while (qp->done != qp->issued) {
		struct soft_sent *sent = &qp->sent[qp->done & qp->mask];

		if ((int64_t)(qp->acked - sent->ack) < 0)
			return;
		qp->done++;
		soft_done(soft_qp_domain(qp), sent->wr, DOCA_SUCCESS);
	}
}

bool soft_send_has_work(struct soft_qp *qp)
{
	if (qp->done == qp->posted)
		return false;
	/* The word may be older than the other end's last message. */
	if (qp->acked != qp->reaped || (int64_t)(atomic_load(&qp->outbox->taken) - qp->acked) > 0)
		return true;
	if (qp->issued == qp->posted)
		return false;
	/* The completion of earlier requests advances it. If none is pending, it has merely not
	 * been polled yet. */
	if (waits_for_others(qp, qp->sent[qp->issued & qp->mask].wr->op))
		return qp->done == qp->issued;
	return !area_refresh(qp) ||
	       (qp->n_sent - qp->acked < QP_N_SLOTS && area_has_room(qp, QP_PIECE_MAX));
}

/* --- posting --- */

static doca_error_t post_refuse(const char *how)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "rdma: the request %s", how);
}

static inline doca_error_t post_check(const struct soft_domain *domain, struct rdma_wr *wr)
{
	uint64_t len;

	if (unlikely(wr->n_sges > domain->conf.max_send_sges))
		return post_refuse("has a longer list of buffers than the context was made for");
	len = soft_sges_len(wr);
	if (unlikely(len > domain->limits.max_message))
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

/* Returns whether the request takes the fast path: a short message in one piece, with no request
 * before it and room for it. */
static inline bool post_is_simple(const struct soft_qp *qp, const struct soft_domain *domain,
				  const struct rdma_wr *wr)
{
	return likely(wr->op == RDMA_SEND || wr->op == RDMA_SEND_IMM) && likely(wr->n_sges == 1) &&
	       likely(wr->sges[0].len <= QP_SHORT_MAX) && likely(qp->state == SOFT_UP) &&
	       likely(qp->issued == qp->posted) && likely(domain->conf.max_send_sges != 0) &&
	       likely(qp->posted - qp->done < domain->conf.send_queue) &&
	       likely(qp->n_sent - qp->acked < QP_N_SLOTS);
}

static __attribute__((noinline)) doca_error_t post_any(struct soft_qp *qp, struct rdma_wr *wr)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	doca_error_t result = post_check(domain, wr);

	if (unlikely(result != DOCA_SUCCESS))
		return result;
	wr->qp = &qp->base;
	if (unlikely(qp->state != SOFT_UP)) {
		if (qp->state != SOFT_ENDED)
			return post_refuse("is of a queue pair that is not connected");
		soft_done(domain, wr, DOCA_ERROR_CONNECTION_RESET);
		return DOCA_SUCCESS;
	}
	if (unlikely(qp->posted - qp->done >= domain->conf.send_queue))
		return error_hint(DOCA_ERROR_AGAIN, "rdma: the send queue is full; try later");
	qp->sent[qp->posted++ & qp->mask].wr = wr;
	if (likely(qp->issued + 1 == qp->posted))
		soft_push(qp);
	return DOCA_SUCCESS;
}

doca_error_t soft_post(struct rdma_qp *base, struct rdma_wr *wr)
{
	struct soft_qp *qp = soft_qp_of(base);
	struct soft_sent *sent;
	uint32_t len;

	if (!post_is_simple(qp, soft_qp_domain(qp), wr))
		return post_any(qp, wr);
	/* Publishes the message first, because the other end is waiting for it. */
	len = (uint32_t)wr->sges[0].len;
	copy_short(send_slot(qp)->bytes, wr->sges[0].addr, len);
	send_publish(qp, send_kind(wr), len, wr->imm);
	wr->qp = base;
	wr->len = len;
	sent = &qp->sent[qp->posted & qp->mask];
	sent->wr = wr;
	sent->ack = qp->n_sent;
	qp->issued = ++qp->posted;
	return DOCA_SUCCESS;
}
