/*
 * The life of a soft queue pair: its inbox, the export that publishes it, the import of the other
 * end's inbox, and its end. Data from the other end is validated here once, or on each load by
 * send.c and recv.c. Threads: those of the domain.
 */
#include "client/rma/soft/domain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "client/base/error.h"
#include "proto/barrier.h"
#include "util/clock.h"
#include "util/doorbell.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/str.h"

static uint32_t pow2_at_least(uint32_t n)
{
	return n <= 1 ? 1 : 1u << (32 - __builtin_clz(n - 1));
}

/* --- allocation --- */

static int qp_make_inbox(struct soft_qp *qp)
{
	qp->memfd = memfd_create_sealed("doca-rdma-qp", QP_INBOX_LEN);
	if (qp->memfd < 0)
		return qp->memfd;
	qp->doorbell = fd_eventfd();
	if (qp->doorbell < 0)
		return qp->doorbell;
	qp->inbox = memfd_map(qp->memfd, 0, QP_HEADER_LEN, true);
	if (qp->inbox == NULL)
		return -errno;
	qp->rx_slots = memfd_map(qp->memfd, QP_HEADER_LEN, QP_SLOTS_LEN, true);
	if (qp->rx_slots == NULL)
		return -errno;
	qp->rx_area = memfd_map_twice(qp->memfd, QP_AREA_AT, QP_AREA_LEN);
	if (qp->rx_area == NULL)
		return -errno;
	qp->inbox->magic = QP_MAGIC;
	qp->inbox->version = QP_LAYOUT;
	qp->inbox->n_slots = QP_N_SLOTS;
	qp->inbox->area_len = QP_AREA_LEN;
	qp->inbox->probe = (uintptr_t)qp->inbox;
	qp->rx_fence = ring_waker_register();
	ring_sleeper_init(&qp->inbox->armed);
	return soft_watch(soft_qp_domain(qp), qp->doorbell, EPOLLIN | EPOLLET, qp);
}

static void qp_unmap_peer(struct soft_qp *qp)
{
	if (qp->pull.ops != NULL)
		qp->pull.ops->close(&qp->pull);
	qp->pull.ops = NULL;
	if (qp->tx_area != NULL)
		memfd_unmap_twice(qp->tx_area, QP_AREA_LEN);
	qp->tx_area = NULL;
	if (qp->tx_slots != NULL)
		memfd_unmap(qp->tx_slots, QP_SLOTS_LEN);
	qp->tx_slots = NULL;
	if (qp->outbox != NULL)
		memfd_unmap(qp->outbox, QP_HEADER_LEN);
	qp->outbox = NULL;
	import_unwatch(&qp->liveness);
	soft_unwatch(soft_qp_domain(qp), qp->pidfd);
	fd_close(&qp->pidfd);
	fd_close(&qp->peer_doorbell);
	/* Does not block, because this usually runs within progress. */
	if (qp->import_id != 0)
		import_release_async(qp->import_id, qp->import_daemon);
	qp->import_id = 0;
}

/* Frees the descriptors only now: until the export is closed, a reconnect may register it again
 * with them. */
static void qp_release(struct soft_qp *qp)
{
	fd_close(&qp->doorbell);
	fd_close(&qp->memfd);
	free(qp);
}

void soft_qp_free(struct rdma_qp *base)
{
	struct soft_qp *qp = soft_qp_of(base);

	if (qp->state == SOFT_UP)
		soft_qp_end(qp, QP_END_LEFT, RDMA_QP_ESTABLISHED, DOCA_SUCCESS);
	soft_qp_hang_up(qp);
	qp_unmap_peer(qp);
	for (struct rdma_wr *wr = soft_qp_domain(qp)->done_head; wr != NULL; wr = wr->next) {
		if (wr->qp == base)
			wr->qp = NULL;
	}
	soft_unwatch(soft_qp_domain(qp), qp->doorbell);
	if (qp->rx_area != NULL)
		memfd_unmap_twice(qp->rx_area, QP_AREA_LEN);
	if (qp->rx_slots != NULL)
		memfd_unmap(qp->rx_slots, QP_SLOTS_LEN);
	if (qp->inbox != NULL)
		memfd_unmap(qp->inbox, QP_HEADER_LEN);
	list_remove(&qp->event_node);
	list_remove(&qp->node);
	soft_qp_domain(qp)->n_qps--;
	free(qp->sent);
	if (qp->is_exported) {
		rpc_lock();
		export_close_locked(&qp->export);
		rpc_unlock();
	}
	qp_release(qp);
}

doca_error_t soft_qp_new(struct rdma_domain *base, void *owner, struct rdma_qp **qp_out)
{
	struct soft_domain *domain = soft_domain_of(base);
	struct soft_qp *qp;
	int r;

	if (domain->n_qps == domain->conf.max_qps)
		return error_set(DOCA_ERROR_FULL, "rdma connection: all %u %s in use",
				 domain->conf.max_qps,
				 plural(domain->conf.max_qps, "connection of the context is",
					"connections of the context are"));
	/* The members that each poll reads begin at a cache line. */
	qp = aligned_alloc(SHM_CACHE_LINE, ALIGN_UP(sizeof(*qp), (size_t)SHM_CACHE_LINE));
	if (qp == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma connection: out of memory");
	*qp = (struct soft_qp){
		.base = {.domain = base, .owner = owner},
		.mask = pow2_at_least(domain->conf.send_queue) - 1,
		.memfd = -1,
		.doorbell = -1,
		.peer_doorbell = -1,
		.pidfd = -1,
	};
	list_init(&qp->event_node);
	list_append(&domain->qps, &qp->node);
	domain->n_qps++;
	qp->sent = calloc(qp->mask + 1u, sizeof(qp->sent[0]));
	r = qp->sent == NULL ? -ENOMEM : qp_make_inbox(qp);
	if (r < 0) {
		soft_qp_free(&qp->base);
		return error_set(error_from_errno(r),
				 "rdma connection: no memory or no descriptors (error %d); raise "
				 "RLIMIT_NOFILE if it is that",
				 -r);
	}
	*qp_out = &qp->base;
	return DOCA_SUCCESS;
}

/* --- connecting --- */

static doca_error_t qp_export(struct soft_qp *qp)
{
	const struct soft_domain *domain = soft_qp_domain(qp);
	doca_error_t result;

	if (qp->is_exported)
		return DOCA_SUCCESS;
	qp->export = (struct export){
		.ends_async = true,
		.what = "rdma export",
		.dev = domain->base.dev,
		.kind = DOCOCORE__EXPORT_KIND__RDMA_QP,
		.permissions = domain->conf.permissions,
		.len = QP_INBOX_LEN,
		.memfd = qp->memfd,
		.grants_write = true,
		.shared = {qp->doorbell},
		.n_shared = 1,
	};
	result = export_open(&qp->export);
	qp->is_exported = result == DOCA_SUCCESS;
	return result;
}

doca_error_t soft_qp_params(struct rdma_qp *base, uint8_t params_out[RDMA_PARAMS_MAX],
			    size_t *len_out)
{
	struct soft_qp *qp = soft_qp_of(base);
	doca_error_t result = qp_export(qp);

	if (result != DOCA_SUCCESS)
		return result;
	memcpy(params_out, qp->export.secrets->descriptor, EXPORT_DESCRIPTOR_LEN);
	*len_out = EXPORT_DESCRIPTOR_LEN;
	return DOCA_SUCCESS;
}

static doca_error_t peer_is_unsound(const char *how)
{
	return error_set(DOCA_ERROR_UNEXPECTED,
			 "rdma connect: the other end's shared memory is invalid: %s", how);
}

static doca_error_t qp_map_outbox(struct soft_qp *qp, int memfd)
{
	if (memfd_verify_exact(memfd, QP_INBOX_LEN) < 0)
		return peer_is_unsound("its memory");
	qp->outbox = memfd_map(memfd, 0, QP_HEADER_LEN, true);
	if (qp->outbox != NULL)
		qp->tx_slots = memfd_map(memfd, QP_HEADER_LEN, QP_SLOTS_LEN, true);
	if (qp->tx_slots != NULL)
		qp->tx_area = memfd_map_twice(memfd, QP_AREA_AT, QP_AREA_LEN);
	if (qp->tx_area == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "rdma connect: the other end's memory cannot be mapped: %m");
	if (qp->outbox->magic != QP_MAGIC || qp->outbox->version != QP_LAYOUT ||
	    qp->outbox->n_slots != QP_N_SLOTS || qp->outbox->area_len != QP_AREA_LEN)
		return peer_is_unsound("it has another layout; update both together");
	qp->tx_limit = QP_AREA_LEN;
	qp->tx_fence = ring_waker_register();
	ring_sleeper_init(&qp->outbox->space_armed);
	return DOCA_SUCCESS;
}

/* Determines whether long payloads can be read from the other end's memory. It is no error if they
 * cannot. */
static void qp_find_pull(struct soft_qp *qp, const Dococore__ImportReply *reply)
{
	const struct transport_target target = {
		.base = *(volatile uint64_t *)&qp->outbox->probe,
		.len = 1,
		.memfd = -1,
		.pidfd = qp->pidfd,
		.pid = (pid_t)reply->exporter_pid,
		.uid = reply->exporter_uid,
	};
	char reason[TRANSPORT_REASON_MAX] = "";

	for (const struct transport_ops *const *ops = transport_table; *ops != NULL; ops++) {
		struct transport_region region = {.ops = *ops, .len = UINT64_MAX, .pidfd = -1};

		if ((*ops)->open(&target, &region, reason) != 0)
			continue;
		if (region.direct) {
			(*ops)->close(&region);
			continue;
		}
		qp->pull = region;
		atomic_store(&qp->inbox->can_pull, 1);
		return;
	}
	sdk_debug("rdma connect: long messages come in pieces: %s", reason);
}

static doca_error_t qp_adopt_peer(struct soft_qp *qp, struct rpc_reply *answer)
{
	const Dococore__ImportReply *reply = answer->packet->import_reply;
	CLEANUP_FD int page = fdset_steal(&answer->fds, 0);
	CLEANUP_FD int memfd = -1;
	doca_error_t result;
	int r;

	qp->import_id = reply->import_id;
	memcpy(qp->import_daemon, answer->daemon_id, sizeof(qp->import_daemon));
	qp->permissions = reply->permissions;
	qp->pidfd = fdset_steal(&answer->fds, 1);
	memfd = fdset_steal(&answer->fds, 2);
	qp->peer_doorbell = fdset_steal(&answer->fds, 3);
	if (reply->kind != DOCOCORE__EXPORT_KIND__RDMA_QP)
		return peer_is_unsound("it is of another kind");
	if (!fd_is_eventfd(qp->peer_doorbell) || fd_set_nonblocking(qp->peer_doorbell) < 0)
		return peer_is_unsound("its doorbell is no eventfd");
	doorbell_open();
	result = import_watch("rdma connect", answer, page, &qp->liveness);
	if (result == DOCA_SUCCESS)
		result = qp_map_outbox(qp, memfd);
	if (result != DOCA_SUCCESS)
		return result;
	r = soft_watch(soft_qp_domain(qp), qp->pidfd, EPOLLIN, qp);
	if (r < 0)
		return error_set(error_from_errno(r),
				 "rdma connect: the other end's process cannot be watched "
				 "(error %d)",
				 -r);
	qp_find_pull(qp, reply);
	return DOCA_SUCCESS;
}

doca_error_t soft_qp_join(struct soft_qp *qp, struct rpc_reply *answer)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	doca_error_t result = qp_adopt_peer(qp, answer);

	if (result != DOCA_SUCCESS) {
		qp_unmap_peer(qp);
		return result;
	}
	atomic_store(&qp->outbox->hello, qp->export.export_id);
	import_report(qp->import_id, qp->import_daemon, "shm", NULL, 0);
	qp->state = SOFT_UP;
	qp->index = domain->n_up;
	domain->up[domain->n_up++] = qp;
	soft_report(qp, RDMA_QP_ESTABLISHED, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}

doca_error_t soft_params_decode(const uint8_t *details, size_t len,
				struct export_descriptor *descriptor_out)
{
	enum export_descriptor_error damage = export_descriptor_decode(details, len,
								       descriptor_out);

	if (damage == EXPORT_DESCRIPTOR_OK &&
	    descriptor_out->kind == DOCOCORE__EXPORT_KIND__RDMA_QP)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "rdma connect: the details of %zu bytes are not usable: %s", len,
			 damage != EXPORT_DESCRIPTOR_OK ? export_descriptor_error_text(damage)
							: "they are of no queue pair");
}

doca_error_t soft_qp_connect(struct rdma_qp *base, const uint8_t *details, size_t len)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	struct soft_qp *qp = soft_qp_of(base);
	struct export_descriptor descriptor;
	doca_error_t result;

	if (qp->state != SOFT_NEW)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma connect: the connection was connected before");
	result = soft_params_decode(details, len, &descriptor);
	if (result == DOCA_SUCCESS)
		result = qp_export(qp);
	if (result != DOCA_SUCCESS) {
		explicit_bzero(&descriptor, sizeof(descriptor));
		return result;
	}
	qp->peer_id = descriptor.export_id;
	result = import_send(qp->base.domain->dev, &descriptor, &answer);
	return result == DOCA_SUCCESS ? soft_qp_join(qp, &answer) : result;
}

/* --- the end --- */

static void qp_remove_up(struct soft_qp *qp)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	struct soft_qp *last = domain->up[--domain->n_up];

	domain->up[qp->index] = last;
	last->index = qp->index;
}

void soft_qp_end(struct soft_qp *qp, enum qp_end how, enum rdma_event_type type,
		 doca_error_t reason)
{
	struct soft_domain *domain = soft_qp_domain(qp);

	if (qp->state != SOFT_UP)
		return;
	soft_acknowledge(qp);
	qp->state = SOFT_ENDED;
	qp_remove_up(qp);
	/* Set before any request is returned: a receiver that reads the request's memory checks
	 * this word afterwards. */
	atomic_store(&qp->outbox->end, how);
	barrier_self();
	if (qp->partial != NULL) {
		qp->partial->qp = NULL;
		soft_done(domain, qp->partial, DOCA_ERROR_CONNECTION_RESET);
	}
	qp->partial = NULL;
	for (; qp->done != qp->posted; qp->done++)
		soft_done(domain, qp->sent[qp->done & qp->mask].wr, DOCA_ERROR_CONNECTION_RESET);
	qp->issued = qp->done;
	/* Rings whether the peer announced that it sleeps or not, because the peer may check
	 * nothing else. */
	doorbell_ring(qp->peer_doorbell);
	if (type != RDMA_QP_ESTABLISHED)
		soft_report(qp, type, reason);
}

void soft_qp_fail(struct soft_qp *qp, doca_error_t code)
{
	if (qp->state != SOFT_UP)
		return;
	if (qp->done != qp->posted)
		soft_done(soft_qp_domain(qp), qp->sent[qp->done++ & qp->mask].wr, code);
	soft_qp_end(qp, QP_END_BROKEN, RDMA_QP_BROKEN, code);
}

doca_error_t soft_qp_disconnect(struct rdma_qp *base)
{
	struct soft_qp *qp = soft_qp_of(base);

	soft_qp_end(qp, QP_END_LEFT, RDMA_QP_ESTABLISHED, DOCA_SUCCESS);
	soft_qp_hang_up(qp);
	/* This applies to a queue pair that was never connected too. */
	qp->state = SOFT_ENDED;
	return DOCA_SUCCESS;
}

bool soft_qp_is_starved(const struct soft_qp *qp)
{
	/* A message in pieces is in progress before all pieces are sent. */
	if (likely(qp->done == qp->issued && qp->at == 0))
		return false;
	return atomic_load(&qp->outbox->starved) == qp->acked + 1;
}

/* Returns true if the queue pair has failed for lack of a receive. */
static bool qp_check_starved(struct soft_qp *qp)
{
	uint8_t retry = soft_qp_domain(qp)->conf.rnr_retry;
	uint64_t now;

	if (retry == 7 || likely(!soft_qp_is_starved(qp))) {
		qp->starved_since_ns = 0;
		return false;
	}
	now = clock_now_ns();
	if (qp->starved_since_ns == 0)
		qp->starved_since_ns = now;
	if (now - qp->starved_since_ns < retry * SOFT_RNR_NS)
		return false;
	soft_qp_fail(qp, DOCA_ERROR_IO_FAILED);
	return true;
}

void soft_qp_end_as_reported(struct soft_qp *qp, uint32_t end)
{
	if (end == QP_END_LENGTH)
		soft_qp_fail(qp, DOCA_ERROR_IO_FAILED);
	else if (end == QP_END_LEFT)
		soft_qp_end(qp, QP_END_LEFT, RDMA_QP_DISCONNECTED, DOCA_SUCCESS);
	else
		soft_qp_end(qp, QP_END_BROKEN, RDMA_QP_BROKEN, DOCA_ERROR_CONNECTION_RESET);
}

void soft_qp_check(struct soft_qp *qp, bool ask_system)
{
	uint32_t end = atomic_load_explicit(&qp->inbox->end, memory_order_acquire);
	uint32_t word = atomic_load_explicit(qp->liveness.alive, memory_order_acquire);

	if (unlikely(ask_system && fd_pidfd_exited(qp->pidfd)))
		qp->is_peer_dead = true;
	if (likely(end == 0 && !qp->is_peer_dead &&
		   liveness_is_alive(word, qp->liveness.generation))) {
		qp_check_starved(qp);
		return;
	}
	/* The peer set the word before its export ended. Messages that it received and sent before
	 * still count. */
	end = atomic_load_explicit(&qp->inbox->end, memory_order_acquire);
	soft_learn(qp);
	soft_reap(qp);
	if (qp->state != SOFT_UP || soft_recv_has_work(qp))
		return;
	soft_qp_end_as_reported(qp, end);
}
