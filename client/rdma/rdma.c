/* RDMA: the object. The provider moves the data, and client/rdma/run.c composes what is posted;
 * this file does neither. Threads: those of the progress engine. */
#include "client/rdma/rdma.h"

#include <stdlib.h>
#include <string.h>

/* --- start and stop --- */

void rdma_pools_deinit(struct doca_rdma *rdma)
{
	for (unsigned kind = 0; kind < RDMA_N_KINDS; kind++)
		task_pool_deinit(&rdma->pools[kind]);
}

static uint32_t rdma_list_len(const struct doca_rdma *rdma, unsigned kind)
{
	return kind == RDMA_TASK_RECEIVE ? rdma->conf.max_recv_sges : rdma->conf.max_send_sges;
}

static int rdma_pool_init(struct doca_rdma *rdma, unsigned kind)
{
	static const enum rdma_op ops[RDMA_N_KINDS] = {
		[RDMA_TASK_RECEIVE] = RDMA_RECV,       [RDMA_TASK_SEND] = RDMA_SEND,
		[RDMA_TASK_SEND_IMM] = RDMA_SEND_IMM,  [RDMA_TASK_READ] = RDMA_READ,
		[RDMA_TASK_WRITE] = RDMA_WRITE,        [RDMA_TASK_WRITE_IMM] = RDMA_WRITE_IMM,
		[RDMA_TASK_CMP_SWP] = RDMA_CMP_SWP,    [RDMA_TASK_FETCH_ADD] = RDMA_FETCH_ADD,
		[RDMA_TASK_EVENT_GET] = RDMA_READ,     [RDMA_TASK_EVENT_SET] = RDMA_WRITE,
		[RDMA_TASK_EVENT_ADD] = RDMA_FETCH_ADD};
	struct task_pool *pool = &rdma->pools[kind];
	size_t stride = sizeof(struct rdma_task) +
			(size_t)rdma_list_len(rdma, kind) * sizeof(struct rdma_sge);
	struct doca_task *task;
	int r = task_pool_init(pool, &rdma->ctx, rdma->n_tasks[kind], stride);

	for (task = r < 0 ? NULL : pool->free; task != NULL; task = task->next) {
		struct rdma_task *t = rdma_task_of(task);

		t->kind = kind;
		t->wr.op = ops[kind];
		t->wr.sges = t->sges;
	}
	return r;
}

int rdma_pools_make(struct doca_rdma *rdma, unsigned n_kinds)
{
	int r = 0;

	for (unsigned kind = 0; kind < n_kinds && r == 0; kind++)
		r = rdma_pool_init(rdma, kind);
	return r;
}

/* Undoes everything that a start has done, so that it can be repeated. */
static void rdma_undo(struct doca_rdma *rdma)
{
	if (rdma->fd >= 0)
		pe_remove_eventfd(rdma->ctx.pe, rdma->fd);
	rdma->fd = -1;
	rdma_conns_close(rdma);
	if (rdma->domain != NULL)
		rdma->ops->close(rdma->domain);
	rdma->domain = NULL;
	rdma->only = NULL;
	rdma->n_ports = 0;
	rdma_pools_deinit(rdma);
}

static void rdma_release(struct doca_ctx *ctx)
{
	ctx_set_polled(ctx, false);
	rdma_undo(rdma_of(ctx));
}

static doca_error_t rdma_open(struct doca_rdma *rdma)
{
	doca_error_t result = rdma->ops->open(rdma->ctx.dev, &rdma->conf, &rdma->domain);
	int fd, r;

	if (result != DOCA_SUCCESS)
		return result;
	rdma->domain->owner = rdma;
	fd = rdma->ops->get_fd(rdma->domain);
	r = pe_add_shared_fd(rdma->ctx.pe, fd);
	if (r < 0)
		return error_set(error_from_errno(r),
				 "rdma start: the domain's descriptor cannot be watched (error %d)",
				 -r);
	rdma->fd = fd;
	return DOCA_SUCCESS;
}

static doca_error_t rdma_start(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = rdma_of(ctx);
	doca_error_t result;

	if (rdma_pools_make(rdma, RDMA_N_KINDS) < 0 || rdma_conns_init(rdma) < 0)
		result = error_set(DOCA_ERROR_NO_MEMORY,
				   "rdma start: out of memory for tasks and connections");
	else
		result = rdma_open(rdma);
	if (result != DOCA_SUCCESS) {
		rdma_undo(rdma);
		return result;
	}
	ctx_set_polled(ctx, true);
	return rdma->form == RDMA_FORM_FORMER ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
}

/* Begins to stop. Posted requests are returned by poll. The context becomes idle when all tasks are
 * freed and its connections no longer linger. */
static void rdma_stop(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = rdma_of(ctx);

	while (rdma->n_ports > 0)
		rdma->ops->unlisten(rdma->domain, rdma->ports[--rdma->n_ports]);
	rdma_conns_disconnect(rdma);
	rdma->ops->flush_recvs(rdma->domain);
}

static bool rdma_stopped(const struct doca_ctx *ctx)
{
	return !rdma_domain_is_draining(rdma_of(ctx)->domain);
}

int rdma_move(struct doca_rdma *rdma, struct doca_pe *pe)
{
	struct doca_ctx *ctx = &rdma->ctx;
	bool is_polled = ctx->polled;
	bool is_draining = !list_is_empty(&ctx->transition_node);

	if (rdma->fd >= 0) {
		int r = pe_add_shared_fd(pe, rdma->fd);

		if (r < 0)
			return r;
		pe_remove_eventfd(ctx->pe, rdma->fd);
		rdma->ops->disarm(rdma->domain);
	}
	ctx_set_polled(ctx, false);
	list_remove(&ctx->transition_node);
	list_remove(&ctx->pe_node);
	pe_update_flags(ctx->pe);
	ctx_connect(ctx, pe);
	ctx_set_polled(ctx, is_polled);
	if (is_draining)
		ctx_request_transition(ctx);
	return 0;
}

/* --- polling --- */

/* A domain that always has completions still handles events at least this often. */
#define RDMA_EVENTS_EVERY 64u

static uint8_t rdma_poll(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = rdma_of(ctx);
	struct rdma_wr *wr;

	if (unlikely(++rdma->n_done_in_row % RDMA_EVENTS_EVERY == 0) && rdma_poll_events(rdma))
		return 1;
	wr = rdma->ops->poll(rdma->domain);
	if (likely(wr != NULL)) {
		rdma_finish(rdma, wr);
		return 1;
	}
	rdma->n_done_in_row = 0;
	return rdma_poll_events(rdma);
}

static bool rdma_arm(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = rdma_of(ctx);

	return rdma->ops->arm(rdma->domain);
}

static void rdma_disarm(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = rdma_of(ctx);

	rdma->ops->disarm(rdma->domain);
}

static const struct ctx_ops rdma_ctx_ops = {
	.name = "rdma",
	.counted_as = COUNTERS_RDMA,
	.start = rdma_start,
	.stop = rdma_stop,
	.stopped = rdma_stopped,
	.release = rdma_release,
	.poll = rdma_poll,
	.arm = rdma_arm,
	.disarm = rdma_disarm,
};

/* --- creation and destruction --- */

static void rdma_set_defaults(struct doca_rdma *rdma, const struct rdma_limits *limits)
{
	rdma->limits = *limits;
	rdma->max_message = limits->max_message;
	rdma->mtu = DOCA_MTU_SIZE_1K_BYTES;
	while (rdma->mtu > DOCA_MTU_SIZE_256_BYTES && 256u << rdma->mtu > limits->max_mtu)
		rdma->mtu--;
	rdma->conf = (struct rdma_conf){
		.send_queue = MIN(RDMA_QUEUE_DEFAULT, limits->max_send_queue),
		.recv_queue = MIN(RDMA_QUEUE_DEFAULT, limits->max_recv_queue),
		.max_send_sges = 1,
		.max_recv_sges = 1,
		.max_qps = 1,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_ONLY,
		.mtu = 256u << rdma->mtu,
		.grh = true,
		.rnr_retry = RDMA_RNR_RETRY_FOR_EVER,
		.connect_timeout_ms = RDMA_TIMEOUT_DEFAULT_MS,
	};
}

static doca_error_t rdma_alloc(enum rdma_form form, struct doca_dev *dev,
			       struct doca_rdma **rdma_out)
{
	struct doca_rdma *rdma;

	if (posix_memalign((void **)&rdma, 64, sizeof(*rdma)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma create: out of memory");
	memset(rdma, 0, sizeof(*rdma));
	rdma->fd = -1;
	rdma->form = form;
	list_init(&rdma->free_conns);
	for (unsigned kind = 0; kind < RDMA_N_KINDS; kind++) {
		struct task_pool *pool = &rdma->pools[kind];

		pool->submit = kind == RDMA_TASK_RECEIVE ? rdma_submit_receive : rdma_submit;
		pool->validate = rdma_validate;
		pool->execute = rdma_execute;
	}
	ctx_init(&rdma->ctx, &rdma_ctx_ops, dev);
	*rdma_out = rdma;
	return DOCA_SUCCESS;
}

void rdma_object_delete(struct doca_rdma *rdma)
{
	ctx_deinit(&rdma->ctx);
	free(rdma->conns);
	free(rdma);
}

doca_error_t rdma_set_device(struct doca_rdma *rdma, const struct doca_devinfo *info,
			     const char *call)
{
	const struct rdma_provider *ops = NULL;
	struct rdma_limits limits;
	char why[512];

	rdma->ops = NULL;
	rdma->dev_info = NULL;
	if (info == NULL)
		return DOCA_SUCCESS;
	ops = rdma_provider_of(info, &limits, why, sizeof(why));
	if (ops == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION, "%s: %s has no RDMA: %s", call,
				 info->name, why);
	rdma->ops = ops;
	rdma->dev_info = info;
	rdma_set_defaults(rdma, &limits);
	return DOCA_SUCCESS;
}

doca_error_t rdma_object_new(struct doca_dev *dev, enum rdma_form form, struct doca_rdma **rdma_out)
{
	struct doca_rdma *rdma;
	doca_error_t result;

	if (dev == NULL || rdma_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	result = rdma_alloc(form, dev, &rdma);
	if (result != DOCA_SUCCESS)
		return result;
	result = rdma_set_device(rdma, dev->info, "rdma create");
	if (result == DOCA_SUCCESS)
		*rdma_out = rdma;
	else
		rdma_object_delete(rdma);
	return result;
}

doca_error_t rdma_legacy_new(struct doca_rdma **rdma_out)
{
	return rdma_alloc(RDMA_FORM_JOBS, NULL, rdma_out);
}

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
	return rdma_object_new(dev, RDMA_FORM_CONNS, rdma);
}
API_PLAIN(doca_rdma_create, 2_7);

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
	if (rdma == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma destroy: rdma is NULL");
	if (ctx_check_idle(&rdma->ctx, DOCA_ERROR_BAD_STATE, "rdma destroy") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	rdma_object_delete(rdma);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
	return rdma == NULL ? NULL : &rdma->ctx;
}
