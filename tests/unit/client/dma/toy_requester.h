/*
 * A simulated requester in place of the library's: a request moves its bytes when the test
 * completes it. Define MESSAGE before, the most bytes of a request. Include it in one file of a
 * program.
 */
#ifndef TESTS_UNIT_CLIENT_DMA_TOY_REQUESTER_H
#define TESTS_UNIT_CLIENT_DMA_TOY_REQUESTER_H

#include "client/rma/requester.h"
#include "tests/unit/client/fixture.h"

#define N_POSTED  32u
#define N_CALLERS 2u

struct caller {
	struct requester requester; /* first */
	struct rdma_domain domain;
	struct rdma_qp qp;
	struct requester_peer peer;
	struct rdma_wr *posted[N_POSTED], *done[N_POSTED];
	unsigned n_posted, n_done;
};

/* One for each context, in the order of creation; NULL once closed. */
static struct caller *callers[N_CALLERS];
static unsigned n_callers;
/* Limit of posted requests, like the length of a device's queue. */
static unsigned max_posted;
static doca_error_t post_refusal;
/* Finds the peer of an address; NULL: each requester has one peer, which is ready. */
static struct requester_peer *(*toy_find)(struct caller *caller,
					  const struct peer_address *address);
/* Set by the test after it changed a peer's state. */
static bool toy_has_changed;

static doca_error_t toy_post(struct rdma_qp *qp, struct rdma_wr *wr)
{
	struct caller *caller = container_of(qp, struct caller, qp);

	if (post_refusal != DOCA_SUCCESS)
		return error_set(post_refusal, "toy: refused");
	if (caller->n_posted == max_posted)
		return DOCA_ERROR_AGAIN;
	caller->posted[caller->n_posted++] = wr;
	return DOCA_SUCCESS;
}

static struct rdma_wr *toy_poll_port(struct rdma_domain *domain)
{
	struct caller *caller = container_of(domain, struct caller, domain);

	return caller->n_done > 0 ? caller->done[--caller->n_done] : NULL;
}

/* Completes the oldest request: moves its bytes. */
static inline void finish_one(struct caller *caller)
{
	struct rdma_wr *wr = caller->posted[0];
	uint8_t *at = (uint8_t *)(uintptr_t)wr->remote_addr;

	ck_assert_uint_gt(caller->n_posted, 0);
	caller->n_posted--;
	memmove(caller->posted, caller->posted + 1, caller->n_posted * sizeof(wr));
	for (uint32_t i = 0; i < wr->n_sges; i++) {
		const struct rdma_sge *sge = &wr->sges[i];

		memmove(wr->op == RDMA_READ ? sge->addr : at, wr->op == RDMA_READ ? at : sge->addr,
			sge->len);
		at += sge->len;
	}
	wr->status = DOCA_SUCCESS;
	caller->done[caller->n_done++] = wr;
}

/* Fails the oldest request. */
static inline void fail_one(struct caller *caller, doca_error_t status)
{
	struct rdma_wr *wr = caller->posted[0];

	ck_assert_uint_gt(caller->n_posted, 0);
	caller->n_posted--;
	memmove(caller->posted, caller->posted + 1, caller->n_posted * sizeof(wr));
	wr->status = status;
	/* The request is polled after the existing completions. */
	memmove(caller->done + 1, caller->done, caller->n_done++ * sizeof(wr));
	caller->done[0] = wr;
}

static const struct rdma_provider toy_port_ops = {.post = toy_post, .poll = toy_poll_port};

doca_error_t requester_open(struct doca_dev *dev, struct doca_pe *watcher, bool relays,
			    uint32_t send_queue, uint32_t max_sges,
			    struct requester **requester_out)
{
	struct caller *caller = calloc(1, sizeof(*caller));

	(void)relays;
	(void)send_queue;
	ck_assert_ptr_nonnull(caller);
	ck_assert_uint_lt(n_callers, N_CALLERS);
	caller->requester = (struct requester){.dev = dev,
					       .ops = &toy_port_ops,
					       .domain = &caller->domain,
					       .limits = {.max_message = MESSAGE},
					       .conf = {.max_send_sges = max_sges}};
	caller->qp.domain = &caller->domain;
	caller->peer.state = REQUESTER_READY;
	caller->peer.qp = &caller->qp;
	callers[n_callers++] = caller;
	ck_ok(requester_watch(&caller->requester, watcher));
	*requester_out = &caller->requester;
	return DOCA_SUCCESS;
}

void requester_close(struct requester *requester)
{
	for (unsigned i = 0; i < n_callers; i++) {
		if (callers[i] != NULL && &callers[i]->requester == requester)
			callers[i] = NULL;
	}
	if (requester != NULL)
		requester_unwatch(requester);
	free(requester);
}

doca_error_t requester_find(struct requester *requester, const struct peer_address *address,
			    struct requester_peer **peer_out)
{
	struct caller *caller = (struct caller *)(void *)requester;

	*peer_out = toy_find == NULL ? &caller->peer : toy_find(caller, address);
	return DOCA_SUCCESS;
}

bool requester_poll(struct requester *requester)
{
	bool has_changed = toy_has_changed;

	(void)requester;
	toy_has_changed = false;
	return has_changed;
}

void requester_disconnect(struct requester *requester)
{
	struct caller *caller = (struct caller *)(void *)requester;

	while (caller->n_posted > 0) {
		struct rdma_wr *wr = caller->posted[--caller->n_posted];

		wr->status = DOCA_ERROR_CONNECTION_RESET;
		caller->done[caller->n_done++] = wr;
	}
}

size_t requester_fds(const struct requester *requester, int fds_out[REQUESTER_FDS])
{
	(void)requester;
	(void)fds_out;
	return 0;
}

bool requester_arm(struct requester *requester)
{
	return ((struct caller *)(void *)requester)->n_done > 0;
}

void requester_disarm(struct requester *requester)
{
	(void)requester;
}

/* Memory that the simulated requests reach. */
static const struct transport_ops posted_ops = {
	.name = "toy device",
	.is_posted = true,
	.open = transport_open_unsupported,
	.close = transport_close_nothing,
	.readv = transport_iov_unsupported,
	.writev = transport_iov_unsupported,
};

#endif
