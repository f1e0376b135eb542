/* Posting requests; see client/rma/verbs/domain.h. */
#include <errno.h>
#include <string.h>

#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "client/memory/sync_cell.h"
#include "client/rma/verbs/mem.h"
#include "client/rma/verbs/domain.h"

static const enum ibv_wr_opcode opcodes[] = {
	[RDMA_SEND] = IBV_WR_SEND,
	[RDMA_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[RDMA_WRITE] = IBV_WR_RDMA_WRITE,
	[RDMA_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[RDMA_READ] = IBV_WR_RDMA_READ,
	[RDMA_CMP_SWP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[RDMA_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
};

#define RDMA_RIGHTS \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* The target of a one-sided request. */
struct where {
	uint64_t addr;
	uint32_t key;
	bool is_alive; /* the export is alive, as far as this process knows */
};

/* Finds the counter of a sync event on any machine: the device knows it by the export's key. */
static doca_error_t event_find(const struct verbs_device *device, const struct sync_import *import,
			       struct where *where_out)
{
	if (!import->has_key)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma: the remote sync event was exported by a device that is "
				 "bound to no RDMA device, %s cannot reach it",
				 device->name);
	*where_out = (struct where){
		.addr = import->addr,
		.key = import->key,
		.is_alive = sync_cell_is_alive(&import->cell),
	};
	return DOCA_SUCCESS;
}

static doca_error_t remote_find(const struct verbs_device *device, const struct rdma_wr *wr,
				struct where *where_out)
{
	if (unlikely(rdma_wr_writes_nothing(wr)))
		return DOCA_SUCCESS;
	if (unlikely(wr->remote_event != NULL))
		return event_find(device, wr->remote_event, where_out);
	if (unlikely(wr->remote_mmap == NULL || !wr->remote_mmap->has_remote_key))
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"rdma: the remote memory was exported by a device that is bound to "
			"no RDMA device, %s cannot reach it",
			device->name);
	/* The device does not distinguish the two kinds of export, so it is checked here. */
	if (unlikely(!wr->is_copy && !(wr->remote_mmap->permissions & RDMA_RIGHTS)))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma: the remote memory was exported over PCI, which gives no "
				 "right to RDMA; see doca_mmap_export_rdma");
	*where_out = (struct where){
		.addr = wr->remote_addr,
		.key = wr->remote_mmap->remote_key,
		.is_alive = mmap_is_alive(wr->remote_mmap),
	};
	return DOCA_SUCCESS;
}

static inline bool op_is_message(enum rdma_op op)
{
	return op == RDMA_SEND || op == RDMA_SEND_IMM;
}

static inline bool op_goes_inline(enum rdma_op op)
{
	return op <= RDMA_WRITE_IMM;
}

/* Queues a request that the device does not accept. It is returned after all earlier ones. */
static doca_error_t post_late(struct verbs_qp *qp, struct rdma_wr *wr, doca_error_t status)
{
	wr->status = status;
	wr->len = 0;
	verbs_wrs_append(&qp->late, wr);
	if (qp->n_posted == 0)
		verbs_qp_return_all(qp);
	return DOCA_SUCCESS;
}

static void atomic_fill(const struct rdma_wr *wr, const struct where *where,
			struct ibv_send_wr *send)
{
	send->wr.atomic.remote_addr = where->addr;
	send->wr.atomic.rkey = where->key;
	if (wr->op == RDMA_FETCH_ADD) {
		send->wr.atomic.compare_add = wr->value;
		send->wr.atomic.swap = 0;
	} else {
		send->wr.atomic.compare_add = wr->compare;
		send->wr.atomic.swap = wr->value;
	}
}

doca_error_t verbs_post(struct rdma_qp *base, struct rdma_wr *wr)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);
	struct ibv_sge sges[VERBS_SGES_MAX];
	struct ibv_send_wr send, *bad;
	struct where where = {.is_alive = true};
	doca_error_t result;
	bool is_inline, is_short;
	int r;

	if (unlikely((unsigned)wr->op >= ARRAY_LEN(opcodes)))
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma: this is no request to send");
	is_short = verbs_wr_is_short(wr, domain->device->port.max_msg_sz);
	result = likely(is_short) ? DOCA_SUCCESS
				  : verbs_wr_len(wr, domain->conf.max_send_sges,
						 domain->device->port.max_msg_sz);
	if (result == DOCA_SUCCESS && !op_is_message(wr->op))
		result = remote_find(domain->device, wr, &where);
	if (unlikely(result != DOCA_SUCCESS))
		return result;
	wr->qp = base;
	if (unlikely(qp->state != VERBS_QP_READY)) {
		if (qp->state >= VERBS_QP_DRAINING)
			return post_late(qp, wr, DOCA_ERROR_CONNECTION_RESET);
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma: the connection is not established");
	}
	if (unlikely(qp->n_posted == domain->conf.send_queue))
		return error_hint(DOCA_ERROR_AGAIN, "rdma: the send queue is full; progress first");
	is_inline = op_goes_inline(wr->op) && wr->len <= qp->max_inline && wr->len != 0;
	/* Sets only the members that this type of queue pair reads; the whole struct has 128
	 * bytes. */
	send.wr_id = (uintptr_t)wr;
	send.next = NULL;
	send.sg_list = sges;
	send.num_sge = 1;
	send.opcode = opcodes[wr->op];
	send.send_flags = IBV_SEND_SIGNALED | (is_inline ? IBV_SEND_INLINE : 0u);
	send.imm_data = wr->imm;
	if (unlikely(!is_short || !verbs_sge_fill(domain->device, wr->sges, !is_inline, sges))) {
		result = verbs_sges_fill(domain->device, wr, !is_inline, sges, &send.num_sge);
		if (result != DOCA_SUCCESS)
			return result;
	}
	send.wr.rdma.remote_addr = where.addr;
	send.wr.rdma.rkey = where.key;
	if (wr->op == RDMA_CMP_SWP || wr->op == RDMA_FETCH_ADD)
		atomic_fill(wr, &where, &send);
	/* The export has ended, but its key may still be valid at the device. */
	if (unlikely(!where.is_alive)) {
		result = post_late(qp, wr, DOCA_ERROR_IO_FAILED);
		verbs_qp_break(qp, DOCA_ERROR_IO_FAILED);
		return result;
	}
	r = ibv_post_send(qp->qp, &send, &bad);
	if (unlikely(r != 0)) {
		if (r == ENOMEM)
			return error_hint(DOCA_ERROR_AGAIN,
					  "rdma: the send queue is full; progress first");
		/* The device or the kernel has ended the queue pair, which was not reported. */
		result = post_late(qp, wr, DOCA_ERROR_CONNECTION_RESET);
		verbs_qp_break(qp, DOCA_ERROR_CONNECTION_RESET);
		return result;
	}
	verbs_wrs_append(&qp->posted, wr);
	qp->n_posted++;
	return DOCA_SUCCESS;
}
