/*
 * Queue pairs: creation, connection by exchanged parameters, end; see client/rma/verbs/domain.h.
 *
 * The connection parameters have this layout; fields of several bytes are in network byte order:
 * - offset 0: the magic "VQ"
 * - offset 2: the version, 1
 * - offset 3: the path MTU in the numbering of verbs (1: 256 bytes, 5: 4096 bytes)
 * - offset 4: the queue pair number
 * - offset 8: the first packet number
 * - offset 12: the LID (2 bytes)
 * - offset 14: the most parallel reads that this end starts
 * - offset 15: the most parallel reads that it answers
 * - offset 16: the GID (16 bytes)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <doca_types.h>

#include "client/base/error.h"
#include "client/rma/verbs/domain.h"
#include "util/str.h"

#define DETAILS_LEN     32
#define DETAILS_VERSION 1
#define NUMBER_MAX      0xffffffu /* the highest number of a queue pair or a packet */
#define DEPTH_MAX       16

/* Bytes that are sent inline. The sizes are tried in this order; a device may support less. */
static const uint32_t inline_sizes[] = {220, 96, 60, 0};

#define RNR_TIMER 12 /* a peer without a receive waits 0.64 ms */

uint8_t verbs_max_depth(const struct verbs_domain *domain)
{
	return (uint8_t)MIN(domain->device->attr.max_qp_init_rd_atom, DEPTH_MAX);
}

uint8_t verbs_max_resources(const struct verbs_domain *domain)
{
	return (uint8_t)MIN(domain->device->attr.max_qp_rd_atom, DEPTH_MAX);
}

unsigned verbs_qp_access(const struct verbs_domain *domain)
{
	uint32_t p = domain->conf.permissions;

	return IBV_ACCESS_LOCAL_WRITE |
	       (p & DOCA_ACCESS_FLAG_RDMA_READ ? IBV_ACCESS_REMOTE_READ : 0u) |
	       (p & DOCA_ACCESS_FLAG_RDMA_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0u) |
	       (p & DOCA_ACCESS_FLAG_RDMA_ATOMIC ? IBV_ACCESS_REMOTE_ATOMIC : 0u);
}

/* --- lookup by number --- */

static struct verbs_qp **bucket_of(const struct verbs_domain *domain, uint32_t number)
{
	return &domain->buckets[number & (domain->n_buckets - 1)];
}

struct verbs_qp *verbs_qp_find(const struct verbs_domain *domain, uint32_t number)
{
	struct verbs_qp *qp = *bucket_of(domain, number);

	while (qp != NULL && qp->number != number)
		qp = qp->hash_next;
	return qp;
}

static void number_remove(struct verbs_domain *domain, struct verbs_qp *qp)
{
	struct verbs_qp **at = bucket_of(domain, qp->number);

	while (*at != NULL && *at != qp)
		at = &(*at)->hash_next;
	if (*at != NULL)
		*at = qp->hash_next;
}

/* --- life --- */

static struct ibv_qp *qp_make(struct verbs_domain *domain, struct verbs_qp *qp)
{
	/* The spare entry is used only if there is room: the requested queue length has
	 * priority. */
	bool may_stall = verbs_may_stall(domain->device) &&
			 domain->conf.send_queue < (uint32_t)domain->device->attr.max_qp_wr;
	struct ibv_qp_init_attr attr;
	struct ibv_qp *made = NULL;

	for (size_t i = 0; i < ARRAY_LEN(inline_sizes) && made == NULL; i++) {
		attr = (struct ibv_qp_init_attr){
			.qp_context = &qp->alarm,
			.send_cq = domain->cq,
			.recv_cq = domain->cq,
			.srq = domain->srq,
			.cap = {.max_send_wr = domain->conf.send_queue + (may_stall ? 1u : 0u),
				.max_send_sge = domain->conf.max_send_sges,
				.max_inline_data = inline_sizes[i]},
			.qp_type = IBV_QPT_RC,
		};
		made = domain->device->api->create_qp(domain->device->pd, &attr);
	}
	if (made != NULL)
		qp->max_inline = attr.cap.max_inline_data;
	return made;
}

doca_error_t verbs_qp_new(struct rdma_domain *base, void *owner, struct rdma_qp **qp_out)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	struct verbs_qp *qp;

	verbs_recv_renew(domain);
	if (domain->is_removed || domain->srq == NULL)
		return error_set(DOCA_ERROR_OPERATING_SYSTEM,
				 "rdma: %s was removed; open the device again",
				 domain->device->name);
	if (domain->n_qps == domain->conf.max_qps)
		return error_set(DOCA_ERROR_FULL, "rdma: all %u %s used", domain->conf.max_qps,
				 plural(domain->conf.max_qps, "connection is", "connections are"));
	qp = calloc(1, sizeof(*qp));
	if (qp == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	qp->base = (struct rdma_qp){.domain = base, .owner = owner};
	verbs_wrs_init(&qp->posted);
	verbs_wrs_init(&qp->late);
	list_init(&qp->report_node);
	qp->recv_seen = domain->high_recv;
	verbs_alarm_add(domain->device, &qp->alarm);
	qp->qp = qp_make(domain, qp);
	/* The device may have no room besides queue pairs that drain. */
	if (qp->qp == NULL && verbs_drain_end_freed(domain))
		qp->qp = qp_make(domain, qp);
	if (qp->qp == NULL || getrandom(&qp->psn, sizeof(qp->psn), 0) != sizeof(qp->psn)) {
		doca_error_t result = verbs_domain_failed(domain, "a queue pair", errno);

		if (qp->qp != NULL)
			domain->device->api->destroy_qp(qp->qp);
		verbs_alarm_remove(domain->device, &qp->alarm);
		free(qp);
		return result;
	}
	qp->psn &= NUMBER_MAX;
	qp->number = qp->qp->qp_num;
	qp->hash_next = *bucket_of(domain, qp->number);
	*bucket_of(domain, qp->number) = qp;
	list_append(&domain->qps, &qp->node);
	domain->n_qps++;
	*qp_out = &qp->base;
	return DOCA_SUCCESS;
}

static int qp_to_error(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	return qp->qp == NULL ? 0 : domain->device->api->modify_qp(qp->qp, &attr, IBV_QP_STATE);
}

void verbs_qp_return_all(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	struct rdma_wr *wr;

	while ((wr = verbs_wrs_pop(&qp->posted)) != NULL) {
		wr->status = DOCA_ERROR_CONNECTION_RESET;
		wr->len = 0;
		verbs_domain_complete(domain, wr);
	}
	while ((wr = verbs_wrs_pop(&qp->late)) != NULL)
		verbs_domain_complete(domain, wr);
	qp->n_posted = 0;
}

void verbs_qp_destroy(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	if (qp->qp == NULL)
		return;
	(void)qp_to_error(qp);
	/* A device may drop the completions of a queue pair that is destroyed. */
	verbs_reap(domain);
	domain->device->api->destroy_qp(qp->qp);
	verbs_alarm_remove(domain->device, &qp->alarm);
	qp->qp = NULL;
	verbs_reap(domain);
	verbs_qp_return_all(qp);
	if (qp->state != VERBS_QP_NEW)
		verbs_recv_suspect(domain);
	if (domain->lost_until != 0)
		verbs_recv_check(domain);
}

/* Removes the queue pair from completions and events that are not reported yet. */
static void qp_remove_pending(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	for (struct rdma_wr *wr = domain->done.head; wr != NULL; wr = wr->next) {
		if (wr->op == RDMA_RECV && wr->qp == &qp->base)
			wr->qp = NULL;
	}
	list_remove(&qp->report_node);
}

void verbs_qp_delete(struct verbs_qp *qp)
{
	verbs_cm_qp_deinit(qp);
	verbs_qp_destroy(qp);
	number_remove(verbs_domain_of(qp->base.domain), qp);
	qp_remove_pending(qp);
	list_remove(&qp->node);
	free(qp);
}

void verbs_qp_free(struct rdma_qp *base)
{
	struct verbs_qp *qp = verbs_qp_of(base);

	/* A draining queue pair has nothing posted, so the completion queue has room for
	 * another. */
	verbs_domain_of(base->domain)->n_qps--;
	if (qp->state == VERBS_QP_DRAINING) {
		qp->is_freed = true;
		qp_remove_pending(qp);
	} else {
		verbs_qp_delete(qp);
	}
}

void verbs_qp_report(struct verbs_qp *qp, enum verbs_event what, doca_error_t reason)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	qp->events |= what;
	if (what >= VERBS_EVENT_FAILED)
		qp->end_at = domain->n_done;
	if (reason != DOCA_SUCCESS)
		qp->reason = reason;
	list_remove(&qp->report_node);
	list_append(&domain->reporting, &qp->report_node);
}

void verbs_qp_break(struct verbs_qp *qp, doca_error_t reason)
{
	enum verbs_qp_state before = qp->state;

	if (before == VERBS_QP_ENDED)
		return;
	if (before == VERBS_QP_DRAINING) {
		verbs_drain_expire(qp);
		return;
	}
	qp->state = VERBS_QP_ENDED;
	(void)qp_to_error(qp);
	verbs_recv_suspect(verbs_domain_of(qp->base.domain));
	verbs_cm_disconnect(qp);
	if (before == VERBS_QP_READY)
		verbs_qp_report(qp, VERBS_EVENT_BROKEN, reason);
	else
		verbs_qp_report(qp, VERBS_EVENT_FAILED, reason);
}

void verbs_qp_to_error(struct verbs_qp *qp)
{
	qp->state = VERBS_QP_ENDED;
	/* A device that refuses this was removed, and holds no requests any more. */
	if (qp_to_error(qp) != 0)
		verbs_qp_destroy(qp);
	else
		verbs_recv_suspect(verbs_domain_of(qp->base.domain));
}

doca_error_t verbs_qp_disconnect(struct rdma_qp *base)
{
	struct verbs_qp *qp = verbs_qp_of(base);

	if (qp->state == VERBS_QP_DRAINING || verbs_drain_begin(qp))
		return DOCA_SUCCESS;
	if (qp->state == VERBS_QP_ENDED) {
		/* The end of a device whose events are the application's is not reported, so it is
		 * detected here. */
		if (qp->posted.head != NULL && qp_to_error(qp) != 0)
			verbs_qp_destroy(qp);
		return DOCA_SUCCESS;
	}
	verbs_cm_disconnect(qp);
	verbs_qp_to_error(qp);
	return DOCA_SUCCESS;
}

/* --- connecting by exchanged parameters --- */

static void put16(uint8_t *p, uint16_t value)
{
	value = htons(value);
	memcpy(p, &value, sizeof(value));
}

static void put32(uint8_t *p, uint32_t value)
{
	value = htonl(value);
	memcpy(p, &value, sizeof(value));
}

static uint16_t get16(const uint8_t *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return ntohs(value);
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return ntohl(value);
}

static enum ibv_mtu domain_mtu(const struct verbs_domain *domain)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < domain->device->port.active_mtu &&
	       verbs_mtu_bytes(mtu + 1) <= MAX(domain->conf.mtu, 256u))
		mtu++;
	return mtu;
}

doca_error_t verbs_qp_params(struct rdma_qp *base, uint8_t params_out[RDMA_PARAMS_MAX],
			     size_t *len_out)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);
	uint8_t details[DETAILS_LEN] = {'V', 'Q', DETAILS_VERSION, (uint8_t)domain_mtu(domain)};
	union ibv_gid gid;
	doca_error_t result = verbs_domain_gid(domain, &gid);

	if (result != DOCA_SUCCESS)
		return result;
	put32(details + 4, qp->number);
	put32(details + 8, qp->psn);
	put16(details + 12, domain->device->port.lid);
	details[14] = verbs_max_depth(domain);
	details[15] = verbs_max_resources(domain);
	memcpy(details + 16, gid.raw, sizeof(gid.raw));
	memcpy(params_out, details, sizeof(details));
	*len_out = sizeof(details);
	return DOCA_SUCCESS;
}

static int qp_to_init(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = VERBS_PORT_NUM,
				   .qp_access_flags = verbs_qp_access(domain)};

	return domain->device->api->modify_qp(qp->qp, &attr,
					      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
						      IBV_QP_ACCESS_FLAGS);
}

static int qp_to_rtr(struct verbs_qp *qp, const uint8_t *details)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	bool is_ethernet = domain->device->port.link_layer == IBV_LINK_LAYER_ETHERNET;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = MIN(domain_mtu(domain), (enum ibv_mtu)details[3]),
		.dest_qp_num = get32(details + 4),
		.rq_psn = get32(details + 8),
		.max_dest_rd_atomic = MIN(verbs_max_resources(domain), details[14]),
		.min_rnr_timer = RNR_TIMER,
		.ah_attr = {.dlid = get16(details + 12),
			    .sl = (uint8_t)domain->conf.sl,
			    .port_num = VERBS_PORT_NUM},
	};

	/* On Ethernet there are no other addresses. */
	if (is_ethernet || domain->conf.grh || attr.ah_attr.dlid == 0) {
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh.hop_limit = 64;
		attr.ah_attr.grh.sgid_index = (uint8_t)domain->conf.gid_index;
		memcpy(attr.ah_attr.grh.dgid.raw, details + 16, RDMA_GID_LEN);
	}
	return domain->device->api->modify_qp(
		qp->qp, &attr,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int qp_to_rts(struct verbs_qp *qp, const uint8_t *details)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = VERBS_ACK_TIMEOUT,
		.retry_cnt = VERBS_ACK_RETRIES,
		.rnr_retry = domain->conf.rnr_retry,
		.sq_psn = qp->psn,
		.max_rd_atomic = MIN(verbs_max_depth(domain), details[15]),
	};

	return domain->device->api->modify_qp(qp->qp, &attr,
					      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
						      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
						      IBV_QP_MAX_QP_RD_ATOMIC);
}

static bool params_are_valid(const uint8_t *details, size_t len)
{
	return len == DETAILS_LEN && details[0] == 'V' && details[1] == 'Q' &&
	       details[2] == DETAILS_VERSION && details[3] >= IBV_MTU_256 &&
	       details[3] <= IBV_MTU_4096 && get32(details + 4) <= NUMBER_MAX &&
	       get32(details + 8) <= NUMBER_MAX;
}

doca_error_t verbs_qp_connect(struct rdma_qp *base, const uint8_t *details, size_t len)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);
	uint8_t peer[DETAILS_LEN];
	int r;

	if (qp->state != VERBS_QP_NEW)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma: the connection was connected before; make a new one");
	/* Copied first, so that the checked bytes are the ones used: other processes may write the
	 * original. */
	if (len == DETAILS_LEN)
		memcpy(peer, details, sizeof(peer));
	if (len != DETAILS_LEN || !params_are_valid(peer, len))
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"rdma: the peer's connection details are not of a queue pair on an "
			"RDMA device; both ends need a device with ibdev, or neither");
	qp->recv_seen = domain->high_recv;
	qp->first_psn = get32(peer + 8);
	r = qp_to_init(qp);
	if (r == 0)
		r = qp_to_rtr(qp, peer);
	if (r == 0)
		r = qp_to_rts(qp, peer);
	if (r != 0)
		return error_set(r == EINVAL || r == ENETUNREACH || r == EHOSTUNREACH
					 ? DOCA_ERROR_INVALID_VALUE
					 : DOCA_ERROR_OPERATING_SYSTEM,
				 "rdma: %s refuses to connect with GID index %u: %s",
				 domain->device->name, domain->conf.gid_index, strerror(abs(r)));
	qp->state = VERBS_QP_READY;
	verbs_qp_report(qp, VERBS_EVENT_ESTABLISHED, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}
