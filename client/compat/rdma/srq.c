/*
 * Shared receive queues of 2.6. That version has no task that posts to such a queue, only a handle
 * for code on a data-path accelerator. A queue can therefore be configured, but its start is
 * refused. Threads: one at a time per queue.
 */
#include <stdlib.h>

#include <doca_rdma.h>
#include <dococ/rdma_srq_former.h>

#include "client/base/error.h"
#include "client/progress/task.h"
#include "client/rdma/rdma.h"

struct doca_rdma_srq {
	struct doca_ctx ctx;
	struct rdma_limits limits;
	uint32_t queue_size, list_len;
	enum doca_rdma_srq_type type;
};

static doca_error_t srq_check(const struct doca_rdma_srq *srq, const void *arg, const char *what)
{
	if (srq != NULL && arg != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "rdma srq %s: %s is NULL", what,
			 srq == NULL ? "the queue" : "the result");
}

static doca_error_t srq_check_idle(const struct doca_rdma_srq *srq, const char *what)
{
	doca_error_t result = srq_check(srq, srq, what);

	return result == DOCA_SUCCESS ? ctx_check_idle(&srq->ctx, DOCA_ERROR_BAD_STATE, what)
				      : result;
}

static doca_error_t srq_check_number(const struct doca_rdma_srq *srq, uint32_t number, uint32_t max,
				     doca_error_t too_many, const char *what)
{
	if (number > 0 && number <= max)
		return DOCA_SUCCESS;
	return error_set(number == 0 ? DOCA_ERROR_INVALID_VALUE : too_many,
			 "rdma srq %s: %u; %s allows 1 to %u", what, number,
			 srq->ctx.dev->info->name, max);
}

/* --- the object --- */

static doca_error_t srq_start(struct doca_ctx *ctx)
{
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "rdma srq start: only code on a DPA can post to the queue, and %s has "
			 "none here; make the RDMA object with doca_rdma_create, which has a "
			 "receive queue of its own",
			 ctx->dev->info->name);
}

static const struct ctx_ops srq_ops = {.name = "rdma srq", .start = srq_start};

doca_error_t doca_rdma_srq_create(struct doca_dev *dev, struct doca_rdma_srq **rdma_srq)
{
	struct doca_rdma_srq *srq;
	struct rdma_limits limits;

	if (dev == NULL || rdma_srq == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma srq create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	/* The contract has one code for an unsuitable device. */
	if (rdma_limits_of(dev->info, dev, "rdma srq create", &limits) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	srq = calloc(1, sizeof(*srq));
	if (srq == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma srq create: out of memory");
	ctx_init(&srq->ctx, &srq_ops, dev);
	srq->limits = limits;
	srq->queue_size = MIN(RDMA_QUEUE_DEFAULT, limits.max_recv_queue);
	srq->list_len = 1;
	srq->type = DOCA_RDMA_SRQ_TYPE_LINKED_LIST;
	*rdma_srq = srq;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_srq_destroy(struct doca_rdma_srq *rdma_srq)
{
	doca_error_t result = srq_check_idle(rdma_srq, "destroy");

	if (result != DOCA_SUCCESS)
		return result;
	ctx_deinit(&rdma_srq->ctx);
	free(rdma_srq);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_rdma_srq_as_ctx(struct doca_rdma_srq *rdma_srq_ctx)
{
	return rdma_srq_ctx == NULL ? NULL : &rdma_srq_ctx->ctx;
}

doca_error_t doca_rdma_create_with_srq(struct doca_dev *dev, struct doca_rdma_srq *rdma_srq,
				       struct doca_rdma **rdma)
{
	if (dev == NULL || rdma_srq == NULL || rdma == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma create with srq: %s is NULL",
				 dev == NULL        ? "dev"
				 : rdma_srq == NULL ? "the queue"
						    : "the result");
	return error_set(DOCA_ERROR_BAD_STATE,
			 "rdma create with srq: the queue is not started, and none can be in this "
			 "runtime, which has no DPA; call doca_rdma_create");
}

/* --- capabilities --- */

static doca_error_t cap_missing(const struct doca_devinfo *devinfo, const void *out,
				const char *what)
{
	if (!devinfo_ok(devinfo, out, what))
		return DOCA_ERROR_INVALID_VALUE;
	return error_set(DOCA_ERROR_DRIVER,
			 "%s: %s has no shared receive queues that this runtime can use: only code "
			 "on a DPA posts to one",
			 what, devinfo->name);
}

doca_error_t doca_rdma_srq_cap_get_max_shared_recv_queue_size(const struct doca_devinfo *devinfo,
							      uint32_t *max_shared_recv_queue_size)
{
	return cap_missing(devinfo, max_shared_recv_queue_size, "rdma srq max queue size");
}

doca_error_t doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(
	const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len)
{
	return cap_missing(devinfo, max_buf_list_len, "rdma srq max list length");
}

/* --- configuration --- */

doca_error_t doca_rdma_srq_set_shared_recv_queue_size(struct doca_rdma_srq *rdma_srq,
						      uint32_t shared_recv_queue_size)
{
	doca_error_t result = srq_check_idle(rdma_srq, "queue size");

	if (result == DOCA_SUCCESS)
		result = srq_check_number(rdma_srq, shared_recv_queue_size,
					  rdma_srq->limits.max_recv_queue, DOCA_ERROR_NOT_SUPPORTED,
					  "queue size");
	if (result == DOCA_SUCCESS)
		rdma_srq->queue_size = shared_recv_queue_size;
	return result;
}

doca_error_t doca_rdma_srq_get_shared_recv_queue_size(const struct doca_rdma_srq *rdma_srq,
						      uint32_t *shared_recv_queue_size)
{
	doca_error_t result = srq_check(rdma_srq, shared_recv_queue_size, "queue size");

	if (result == DOCA_SUCCESS)
		*shared_recv_queue_size = rdma_srq->queue_size;
	return result;
}

doca_error_t doca_rdma_srq_task_receive_set_dst_buf_list_len(struct doca_rdma_srq *rdma_srq,
							     uint32_t buf_list_len)
{
	doca_error_t result = srq_check_idle(rdma_srq, "receive list length");

	if (result == DOCA_SUCCESS)
		result = srq_check_number(rdma_srq, buf_list_len, rdma_srq->limits.max_recv_sges,
					  DOCA_ERROR_INVALID_VALUE, "receive list length");
	if (result == DOCA_SUCCESS)
		rdma_srq->list_len = buf_list_len;
	return result;
}

doca_error_t doca_rdma_srq_task_receive_get_dst_buf_list_len(const struct doca_rdma_srq *rdma_srq,
							     uint32_t *buf_list_len)
{
	doca_error_t result = srq_check(rdma_srq, buf_list_len, "receive list length");

	if (result == DOCA_SUCCESS)
		*buf_list_len = rdma_srq->list_len;
	return result;
}

doca_error_t doca_rdma_srq_set_type(struct doca_rdma_srq *rdma_srq,
				    enum doca_rdma_srq_type srq_type)
{
	doca_error_t result = srq_check_idle(rdma_srq, "type");

	if (result != DOCA_SUCCESS)
		return result;
	if (srq_type != DOCA_RDMA_SRQ_TYPE_LINKED_LIST && srq_type != DOCA_RDMA_SRQ_TYPE_CYCLIC)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma srq type: there is no type %d",
				 (int)srq_type);
	rdma_srq->type = srq_type;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_srq_get_type(struct doca_rdma_srq *rdma_srq,
				    enum doca_rdma_srq_type *srq_type)
{
	doca_error_t result = srq_check(rdma_srq, srq_type, "type");

	if (result == DOCA_SUCCESS)
		*srq_type = rdma_srq->type;
	return result;
}

doca_error_t doca_rdma_srq_get_dpa_handle(const struct doca_rdma_srq *rdma_srq,
					  struct doca_dpa_dev_rdma_srq **dpa_rdma_srq)
{
	doca_error_t result = srq_check(rdma_srq, dpa_rdma_srq, "DPA handle");

	if (result != DOCA_SUCCESS)
		return result;
	return error_set(DOCA_ERROR_BAD_STATE,
			 "rdma srq DPA handle: the queue is not on a DPA; this runtime has none");
}
