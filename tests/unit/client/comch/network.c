/* See network.h. */
#include "tests/unit/client/comch/network.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>

#include "client/comch/remote/paths.h"
#include "client/control/worker.h"
#include "client/memory/mmap.h"
#include "client/rma/requester.h"
#include "tests/lib/assert.h"
#include "util/export_descriptor.h"
#include "util/doorbell.h"
#include "util/fd.h"

#define MAX_EXPORTED 300u
#define ROOM         64u

struct network network;

/* Exposed memory, by its number, which is its descriptor; the export's id is that number plus 1. */
static struct {
	struct comch_exported *by;
	uint8_t *memory;
	size_t len;
	uint8_t desc[EXPORT_DESCRIPTOR_LEN];
} exported_all[MAX_EXPORTED];

struct network_requester {
	struct requester base;
	struct requester_peer peer;
	struct rdma_domain domain;
	struct rdma_qp qp;
	struct rdma_wr *first, **tail;
	uint32_t n, n_done; /* n_done: number of completed requests at the front */
	int doorbell_fd;
	bool is_down, is_blocked;
	struct list node;
};

static struct list requesters = LIST_INIT(requesters);

void network_reset(void)
{
	network = (struct network){.room = ROOM, .pinned_max = 1u << 30};
	memset(exported_all, 0, sizeof(exported_all));
}

void network_wake(void)
{
	struct network_requester *requester;

	list_for_each(requester, &requesters, node) fd_eventfd_ring(requester->doorbell_fd);
}

/* --- exported memory --- */

bool comch_can_export(const struct doca_dev *dev)
{
	(void)dev;
	return network.exists;
}

uint64_t comch_pinned_max(void)
{
	return network.pinned_max;
}

/* Waits for the session's lock, like a call of the daemon. */
static void wait_for_session(void)
{
	rpc_lock();
	rpc_unlock();
}

static void describe(unsigned i)
{
	struct export_descriptor descriptor = {
		.kind = DOCOCORE__EXPORT_KIND__RDMA,
		.permissions = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
		.export_id = i + 1,
		.addr = (uintptr_t)exported_all[i].memory,
		.len = exported_all[i].len,
		.key = 7,
		.has_key = true,
	};

	memcpy(descriptor.daemon_id, session_daemon_id_locked(), sizeof(descriptor.daemon_id));
	if (network.change_export != NULL)
		network.change_export(&descriptor);
	export_descriptor_encode(&descriptor, exported_all[i].desc);
}

doca_error_t comch_export(struct comch_exported *exported, struct doca_dev *dev, void *memory,
			  size_t len, _Atomic uint32_t *armed, int doorbell_fd)
{
	unsigned i = 0;

	(void)dev;
	wait_for_session();
	if (!network.exists)
		return error_set(DOCA_ERROR_NOT_SUPPORTED, "network: there is none");
	while (exported_all[i].by != NULL)
		ck_assert_uint_lt(++i, MAX_EXPORTED);
	exported_all[i].by = exported;
	exported_all[i].memory = memory;
	exported_all[i].len = len;
	ck_assert_int_eq(mmap_new(API_TASK, &exported->mmap), DOCA_SUCCESS);
	exported->armed = armed;
	exported->doorbell_fd = doorbell_fd;
	describe(i);
	exported->desc = exported_all[i].desc;
	exported->desc_len = EXPORT_DESCRIPTOR_LEN;
	network.n_exports++;
	return DOCA_SUCCESS;
}

static void forget(const struct comch_exported *exported)
{
	for (unsigned i = 0; i < MAX_EXPORTED; i++) {
		if (exported_all[i].by == exported)
			exported_all[i].by = NULL;
	}
}

void comch_unexport(struct comch_exported *exported, bool has_to_drain)
{
	if (exported->mmap == NULL)
		return;
	wait_for_session();
	forget(exported);
	ck_assert_int_eq(doca_mmap_destroy(exported->mmap), DOCA_SUCCESS);
	exported->mmap = NULL;
	network.n_exports--;
	network.n_drained += has_to_drain;
}

void network_revoke(struct comch_exported *exported)
{
	forget(exported);
	atomic_store(&exported->is_revoked, true);
	fd_eventfd_ring(exported->doorbell_fd);
}

doca_error_t comch_import_memory(struct doca_dev *dev, const void *desc, size_t len,
				 struct doca_mmap **import_out)
{
	struct doca_mmap *import;
	struct export_descriptor descriptor;
	unsigned i;

	(void)dev;
	wait_for_session();
	ck_assert_int_eq(export_descriptor_decode(desc, len, &descriptor), EXPORT_DESCRIPTOR_OK);
	i = (unsigned)descriptor.export_id - 1;
	if (i >= MAX_EXPORTED || exported_all[i].by == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "network: that is no descriptor");
	ck_assert_int_eq(mmap_new(API_TASK, &import), DOCA_SUCCESS);
	import->addr = exported_all[i].memory;
	import->len = exported_all[i].len;
	import->export_id = i + 1;
	import->endpoint_id = 1;
	import->readable = import->writable = true;
	import->region.ops = &transport_verbs;
	*import_out = import;
	return DOCA_SUCCESS;
}

/* --- work items --- */

static struct list work_queue = LIST_INIT(work_queue);

bool work_submit(struct work_item *work)
{
	if (network.has_no_thread)
		return false;
	if (network.is_slow)
		list_append(&work_queue, &work->node);
	else
		work->run(work);
	return true;
}

void work_run_or_submit(struct work_item *work)
{
	if (!work_submit(work))
		work->run(work);
}

void work_cancel(struct work_item *work)
{
	atomic_store(&work->is_cancelled, true);
}

void network_run_work(void)
{
	while (!list_is_empty(&work_queue)) {
		struct work_item *work = list_entry(work_queue.next, struct work_item, node);

		list_remove(&work->node);
		work->run(work);
	}
}

/* --- requests --- */

static void write_word(uint8_t *to, const uint8_t *from, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		*(volatile uint8_t *)&to[i] = from[i];
		if (network.on_byte != NULL)
			network.on_byte(network.arg);
	}
}

static void read_bytes(uint8_t *to, const uint8_t *from, size_t len)
{
	size_t head = network.on_read != NULL ? MIN((size_t)network.read_at, len) : len;

	memcpy(to, from, head);
	if (network.on_read != NULL)
		network.on_read(network.arg);
	memcpy(to + head, from + head, len - head);
}

static void ring(uint32_t id)
{
	struct comch_exported *by;

	ck_assert_uint_le(id, MAX_EXPORTED);
	by = exported_all[id - 1].by;
	network.n_rings++;
	if (by != NULL && ring_clear_sleeper(by->armed))
		fd_eventfd_ring(by->doorbell_fd);
}

static doca_error_t execute(const struct rdma_wr *wr)
{
	const struct rdma_sge *sge = wr->sges;
	uint8_t *at = (uint8_t *)(uintptr_t)wr->remote_addr;
	unsigned i;

	if (wr->op == RDMA_WRITE_IMM) {
		ring(be32toh(wr->imm));
		return DOCA_SUCCESS;
	}
	i = (unsigned)wr->remote_mmap->export_id - 1;
	/* The device refuses the request. */
	if (exported_all[i].by == NULL || at < exported_all[i].memory ||
	    sge->len > exported_all[i].len ||
	    (size_t)(at - exported_all[i].memory) > exported_all[i].len - sge->len)
		return DOCA_ERROR_IO_FAILED;
	if (wr->op == RDMA_READ) {
		read_bytes(sge->addr, at, sge->len);
		network.n_reads++;
	} else if (sge->len <= 16) {
		write_word(at, sge->addr, sge->len);
	} else {
		memcpy(at, sge->addr, sge->len);
	}
	network.n_writes += wr->op == RDMA_WRITE;
	return DOCA_SUCCESS;
}

static struct network_requester *requester_of(const struct rdma_domain *domain)
{
	return container_of((struct rdma_domain *)(uintptr_t)domain, struct network_requester,
			    domain);
}

static doca_error_t network_post(struct rdma_qp *qp, struct rdma_wr *wr)
{
	struct network_requester *requester = requester_of(qp->domain);

	if (requester->n == network.room)
		return DOCA_ERROR_AGAIN;
	wr->next = NULL;
	*requester->tail = wr;
	requester->tail = &wr->next;
	requester->n++;
	fd_eventfd_ring(requester->doorbell_fd);
	return DOCA_SUCCESS;
}

static bool is_blocked(const struct network_requester *requester)
{
	return (network.is_blocked || requester->is_blocked) && !requester->is_down;
}

static void network_do(struct network_requester *requester, struct rdma_wr *wr)
{
	wr->status = requester->is_down ? DOCA_ERROR_CONNECTION_RESET : network.next;
	if (wr->status == DOCA_SUCCESS)
		wr->status = execute(wr);
	network.next = DOCA_SUCCESS;
	if (wr->status != DOCA_SUCCESS)
		requester->is_down = true;
}

static struct rdma_wr *network_poll(struct rdma_domain *domain)
{
	struct network_requester *requester = requester_of(domain);
	struct rdma_wr *wr = requester->first;

	if (wr == NULL || (is_blocked(requester) && requester->n_done == 0))
		return NULL;
	requester->first = wr->next;
	if (requester->first == NULL)
		requester->tail = &requester->first;
	requester->n--;
	if (requester->n_done != 0)
		requester->n_done--;
	else
		network_do(requester, wr);
	return wr;
}

void network_block(struct requester *base)
{
	((struct network_requester *)(void *)base)->is_blocked = true;
}

static void requester_go_on(struct network_requester *requester)
{
	struct rdma_wr *wr = requester->first;

	for (uint32_t i = 0; wr != NULL; wr = wr->next) {
		if (i++ < requester->n_done)
			continue;
		network_do(requester, wr);
		requester->n_done++;
	}
}

void network_complete_all(void)
{
	struct network_requester *requester;

	list_for_each(requester, &requesters, node) requester_go_on(requester);
}

static const struct rdma_provider network_ops = {
	.name = "network", .post = network_post, .poll = network_poll};

/* --- the requester --- */

doca_error_t requester_open(struct doca_dev *dev, struct doca_pe *pe, bool relays,
			    uint32_t send_queue, uint32_t max_sges,
			    struct requester **requester_out)
{
	struct network_requester *requester = calloc(1, sizeof(*requester));

	(void)relays;
	(void)send_queue;
	(void)max_sges;
	ck_assert_ptr_nonnull(requester);
	requester->base.dev = dev;
	requester->base.ops = &network_ops;
	requester->base.domain = &requester->domain;
	requester->base.limits.max_message = 1000;
	requester->tail = &requester->first;
	requester->doorbell_fd = fd_eventfd();
	ck_assert_int_ge(requester->doorbell_fd, 0);
	ck_assert_int_eq(requester_watch(&requester->base, pe), DOCA_SUCCESS);
	list_append(&requesters, &requester->node);
	network.n_requesters++;
	*requester_out = &requester->base;
	return DOCA_SUCCESS;
}

void requester_close(struct requester *base)
{
	struct network_requester *requester = (void *)base;

	if (requester == NULL)
		return;
	ck_assert_uint_eq(requester->n, 0);
	requester_unwatch(base);
	list_remove(&requester->node);
	fd_close(&requester->doorbell_fd);
	free(requester);
	network.n_requesters--;
}

doca_error_t requester_find(struct requester *base, const struct peer_address *address,
			    struct requester_peer **peer_out)
{
	struct network_requester *requester = (void *)base;

	ck_assert_uint_eq(address->endpoint_id, 1);
	requester->qp.domain = &requester->domain;
	requester->peer.qp = &requester->qp;
	requester->peer.state = REQUESTER_CALLED;
	*peer_out = &requester->peer;
	return DOCA_SUCCESS;
}

bool requester_poll(struct requester *base)
{
	struct network_requester *requester = (void *)base;
	enum requester_state before = requester->peer.state;

	if (before == REQUESTER_CALLED && !network.is_calling)
		requester->peer.state = network.refuses ? REQUESTER_FAILED : REQUESTER_READY;
	if (requester->is_down)
		requester->peer.state = REQUESTER_FAILED;
	requester->peer.reason = "the network says so";
	return requester->peer.state != before;
}

void requester_disconnect(struct requester *base)
{
	((struct network_requester *)(void *)base)->is_down = true;
}

size_t requester_fds(const struct requester *base, int fds_out[REQUESTER_FDS])
{
	fds_out[0] = ((const struct network_requester *)(const void *)base)->doorbell_fd;
	return 1;
}

bool requester_arm(struct requester *base)
{
	const struct network_requester *requester = (void *)base;

	return (requester->first != NULL && !is_blocked(requester)) ||
	       (requester_is_calling(&requester->peer) && !network.is_calling);
}

void requester_disarm(struct requester *base)
{
	(void)base;
}
