/* See tests/fuzz/fake_requester.h. */
#include "tests/fuzz/fake_requester.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "util/fd.h"
#include "util/list.h"
#include "util/util.h"

struct fake_requester {
	struct list node;
	struct requester base;
	struct requester_peer peer;
	struct rdma_domain domain;
	struct rdma_qp qp;
	struct rdma_wr *wrs[FAKE_REQUESTS]; /* posted and not returned, in order */
	unsigned n_wrs, n_done;
	bool was_truncated;
	/* The device's eventfd; and one that is there while the peer is being called, or -1. */
	int fd, call_fd;
};

struct fake_device fake_device;
static struct list requesters = LIST_INIT(requesters);

static struct fake_requester *fake_of(struct rdma_domain *domain)
{
	return container_of(domain, struct fake_requester, domain);
}

static doca_error_t fake_post(struct rdma_qp *qp, struct rdma_wr *wr)
{
	struct fake_requester *fake = fake_of(qp->domain);
	doca_error_t result = fake_device.post_result;

	FUZZ_CHECK(qp == &fake->qp);
	fake_device.post_result = DOCA_SUCCESS;
	if (result != DOCA_SUCCESS || fake->n_wrs == FAKE_REQUESTS)
		return result != DOCA_SUCCESS ? result : DOCA_ERROR_AGAIN;
	wr->len = 0;
	for (uint32_t i = 0; i < wr->n_sges; i++)
		wr->len += (uint32_t)wr->sges[i].len;
	FUZZ_CHECK(wr->len <= fake->base.limits.max_message);
	fake->wrs[fake->n_wrs++] = wr;
	return DOCA_SUCCESS;
}

static struct rdma_wr *fake_poll(struct rdma_domain *domain)
{
	struct fake_requester *fake = fake_of(domain);
	struct rdma_wr *wr = fake->wrs[0];

	if (fake->n_done == 0)
		return NULL;
	fake->n_done--;
	fake->n_wrs--;
	memmove(fake->wrs, fake->wrs + 1, fake->n_wrs * sizeof(fake->wrs[0]));
	return wr;
}

static const struct rdma_provider fake_ops = {.name = "fake", .poll = fake_poll, .post = fake_post};

/* --- completions --- */

static void fake_access(const struct rdma_wr *wr)
{
	uint8_t *remote = (uint8_t *)(uintptr_t)wr->remote_addr;
	size_t at = (size_t)(remote - fake_device.bytes);
	const struct rdma_sge *sge = wr->sges;
	bool reads = wr->op == RDMA_READ;
	uint64_t word;

	if (wr->len == 0)
		return;
	FUZZ_CHECK(reads || wr->op == RDMA_WRITE);
	FUZZ_CHECK(wr->n_sges == 1 && at <= fake_device.len && wr->len <= fake_device.len - at);
	FUZZ_CHECK(reads || at >= fake_device.write_at);
	memcpy(reads ? sge->addr : remote, reads ? remote : sge->addr, wr->len);
	if (!reads || wr->len < sizeof(word))
		return;
	at = fake_device.tear % (wr->len / sizeof(word)) * sizeof(word);
	memcpy(&word, sge->addr + at, sizeof(word));
	word ^= fake_device.tear;
	memcpy(sge->addr + at, &word, sizeof(word));
	fake_device.tear = 0;
}

static void fake_complete(struct fake_requester *fake, unsigned n, doca_error_t failure)
{
	for (; n > 0 && fake->n_done < fake->n_wrs; n--) {
		struct rdma_wr *wr = fake->wrs[fake->n_done++];

		wr->status = failure;
		if (failure == DOCA_SUCCESS)
			fake_access(wr);
	}
}

void fake_device_complete(unsigned n, doca_error_t failure)
{
	struct fake_requester *fake;

	list_for_each(fake, &requesters, node) fake_complete(fake, n, failure);
}

/* --- client/rma/requester.c --- */

doca_error_t __wrap_requester_open(struct doca_dev *dev, struct doca_pe *pe, bool relays,
				   uint32_t send_queue, uint32_t max_sges,
				   struct requester **requester_out);
void __wrap_requester_close(struct requester *requester);
doca_error_t __wrap_requester_find(struct requester *requester, const struct peer_address *address,
				   struct requester_peer **peer_out);
bool __wrap_requester_poll(struct requester *requester);
void __wrap_requester_disconnect(struct requester *requester);
size_t __wrap_requester_fds(const struct requester *requester, int fds_out[REQUESTER_FDS]);
bool __wrap_requester_arm(struct requester *requester);
void __wrap_requester_disarm(struct requester *requester);

static struct fake_requester *fake_requester_of(struct requester *requester)
{
	return container_of(requester, struct fake_requester, base);
}

doca_error_t __wrap_requester_open(struct doca_dev *dev, struct doca_pe *pe, bool relays,
				   uint32_t send_queue, uint32_t max_sges,
				   struct requester **requester_out)
{
	struct fake_requester *fake;

	FUZZ_CHECK(send_queue > 0 && max_sges == 1);
	if (fake_device.cannot_open)
		return DOCA_ERROR_NOT_CONNECTED;
	fake = calloc(1, sizeof(*fake));
	FUZZ_CHECK(fake != NULL);
	fake->base.dev = dev;
	fake->base.relays = relays;
	fake->base.ops = &fake_ops;
	fake->base.domain = &fake->domain;
	fake->base.limits.max_message = fake_device.max_message;
	fake->domain.ops = &fake_ops;
	fake->qp.domain = &fake->domain;
	fake->peer.qp = &fake->qp;
	fake->peer.reason = "the target said so";
	fake->fd = fd_eventfd();
	FUZZ_CHECK(fake->fd >= 0);
	fake->call_fd = -1;
	FUZZ_CHECK(requester_watch(&fake->base, pe) == DOCA_SUCCESS);
	list_append(&requesters, &fake->node);
	fake_device.n_open++;
	*requester_out = &fake->base;
	return DOCA_SUCCESS;
}

void __wrap_requester_close(struct requester *requester)
{
	struct fake_requester *fake;

	if (requester == NULL)
		return;
	fake = fake_requester_of(requester);
	FUZZ_CHECK(fake->n_wrs == 0);
	requester_unwatch(requester);
	list_remove(&fake->node);
	fd_close(&fake->fd);
	fd_close(&fake->call_fd);
	fake_device.n_open--;
	free(fake);
}

doca_error_t __wrap_requester_find(struct requester *requester, const struct peer_address *address,
				   struct requester_peer **peer_out)
{
	struct fake_requester *fake = fake_requester_of(requester);

	(void)address;
	fake->peer.state = fake_device.state;
	*peer_out = &fake->peer;
	return DOCA_SUCCESS;
}

/* Opens or closes the descriptor of a call, and reports that, as the requester does. */
static void fake_watch_call(struct fake_requester *fake)
{
	bool is_calling = requester_is_calling(&fake->peer);

	if (is_calling == (fake->call_fd >= 0))
		return;
	if (is_calling) {
		fake->call_fd = fd_eventfd();
		FUZZ_CHECK(fake->call_fd >= 0);
		FUZZ_CHECK(requester_watch_fd(&fake->base, fake->call_fd) == 0);
		return;
	}
	requester_unwatch_fd(&fake->base, fake->call_fd);
	fd_close(&fake->call_fd);
}

bool __wrap_requester_poll(struct requester *requester)
{
	struct fake_requester *fake = fake_requester_of(requester);
	bool has_changed = requester_is_calling(&fake->peer) &&
			   fake->peer.state != fake_device.state;

	if (fake->was_truncated)
		fake_complete(fake, 1, DOCA_ERROR_CONNECTION_RESET);
	/* A connection is made once, and may fail then. */
	if (has_changed || fake_device.state == REQUESTER_FAILED)
		fake->peer.state = fake_device.state;
	fake->peer.refusal = fake_device.refusal;
	fake_watch_call(fake);
	return has_changed;
}

void __wrap_requester_disconnect(struct requester *requester)
{
	struct fake_requester *fake = fake_requester_of(requester);

	fake->was_truncated = true;
	fake_complete(fake, fake_device.is_slow ? 1 : FAKE_REQUESTS, DOCA_ERROR_CONNECTION_RESET);
}

size_t __wrap_requester_fds(const struct requester *requester, int fds_out[REQUESTER_FDS])
{
	const struct fake_requester *fake = container_of(requester, struct fake_requester, base);
	size_t n = 0;

	fds_out[n++] = fake->fd;
	if (fake->call_fd >= 0)
		fds_out[n++] = fake->call_fd;
	return n;
}

bool __wrap_requester_arm(struct requester *requester)
{
	return fake_requester_of(requester)->n_done > 0;
}

void __wrap_requester_disarm(struct requester *requester)
{
	(void)requester;
}
