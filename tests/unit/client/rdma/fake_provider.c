/* See fake_provider.h. */
#include "tests/unit/client/rdma/fake_provider.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "client/sync_event/sync_event.h"
#include "tests/lib/assert.h"
#include "util/fd.h"

/* Check's own assertion allocates memory each time, even on success. */
#define FAKE_CHECK(condition) ((condition) ? (void)0 : ck_abort_msg("%s", #condition))

#define MAX_PORTS  16
#define MAX_QPS    4096
#define MAX_EVENTS 2048

struct fifo {
	struct rdma_wr *head, *last;
	uint32_t n;
};

enum qp_state { QP_NEW, QP_CONNECTING, QP_ASKING, QP_REQUESTED, QP_UP, QP_DOWN };

struct fake_domain {
	struct rdma_domain base;
	struct rdma_conf conf;
	struct fifo recvs, done;
	struct rdma_event events[MAX_EVENTS];
	uint32_t n_events, n_taken;
	uint32_t n_qps, turn;
	uint16_t listens[16];
	uint32_t n_listens;
	int fd;
	bool armed;
};

struct fake_qp {
	struct rdma_qp base;
	uint32_t id;
	enum qp_state state;
	struct fake_qp *peer;
	struct fake_cm_id *cm_id;
	struct fifo sends;
};

struct fake_script fake;
unsigned fake_n_ports, fake_n_qps, fake_n_arms, fake_n_disarms;
struct rdma_conf fake_conf;
static struct fake_domain *ports[MAX_PORTS];
static struct fake_qp *qps[MAX_QPS];

static struct fake_domain *domain_of(struct rdma_domain *domain)
{
	return container_of(domain, struct fake_domain, base);
}

static struct fake_qp *qp_of(const struct rdma_qp *qp)
{
	return container_of(qp, struct fake_qp, base);
}

static struct fake_domain *qp_port(const struct fake_qp *qp)
{
	return domain_of(qp->base.domain);
}

/* --- queues --- */

static void fifo_put(struct fifo *fifo, struct rdma_wr *wr)
{
	wr->next = NULL;
	if (fifo->head == NULL)
		fifo->head = wr;
	else
		fifo->last->next = wr;
	fifo->last = wr;
	fifo->n++;
}

static struct rdma_wr *fifo_dequeue(struct fifo *fifo)
{
	struct rdma_wr *wr = fifo->head;

	if (wr != NULL) {
		fifo->head = wr->next;
		fifo->n--;
	}
	return wr;
}

static void port_ring(struct fake_domain *domain)
{
	uint64_t one = 1;

	if (domain->armed)
		FAKE_CHECK(write(domain->fd, &one, sizeof(one)) == sizeof(one));
}

static void port_done(struct fake_domain *domain, struct rdma_wr *wr, doca_error_t status)
{
	wr->status = status;
	fifo_put(&domain->done, wr);
	port_ring(domain);
}

void fake_report(struct rdma_domain *base, enum rdma_event_type type, struct rdma_qp *qp,
		 doca_error_t reason)
{
	struct fake_domain *domain = domain_of(base);

	FAKE_CHECK(domain->n_events - domain->n_taken < MAX_EVENTS);
	domain->events[domain->n_events++ % MAX_EVENTS] =
		(struct rdma_event){.type = type, .qp = qp, .reason = reason};
	port_ring(domain);
}

static void qp_notify(struct fake_qp *qp, enum rdma_event_type type, doca_error_t reason)
{
	fake_report(qp->base.domain, type, &qp->base, reason);
}

static void qp_flush(struct fake_qp *qp)
{
	struct rdma_wr *wr;

	qp->state = QP_DOWN;
	while ((wr = fifo_dequeue(&qp->sends)) != NULL)
		port_done(qp_port(qp), wr, DOCA_ERROR_CONNECTION_RESET);
}

/* --- execution --- */

static size_t list_len(const struct rdma_wr *wr)
{
	size_t len = 0;

	for (uint32_t i = 0; i < wr->n_sges; i++)
		len += wr->sges[i].len;
	return len;
}

/* Both are lists of pieces; dst has enough room. */
static void copy(const struct rdma_sge *dst, const struct rdma_sge *src, uint32_t n_src)
{
	size_t at = 0;

	for (uint32_t i = 0; i < n_src; i++) {
		for (size_t j = 0; j < src[i].len; j++) {
			while (at == dst->len) {
				dst++;
				at = 0;
			}
			dst->addr[at++] = src[i].addr[j];
		}
	}
}

static doca_error_t execute_memory(struct rdma_wr *wr)
{
	const struct doca_mmap *mmap = wr->remote_mmap;
	size_t len = list_len(wr);
	struct rdma_sge remote = {.addr = (uint8_t *)(uintptr_t)wr->remote_addr, .len = len};
	uint64_t before;

	wr->len = (uint32_t)len;
	if (mmap == NULL && len == 0)
		return DOCA_SUCCESS;
	if (wr->remote_addr - mmap->base > mmap->span ||
	    len > mmap->span - (wr->remote_addr - mmap->base))
		return DOCA_ERROR_IO_FAILED;
	if (wr->op == RDMA_READ ? !mmap->readable : !mmap->writable)
		return DOCA_ERROR_NOT_PERMITTED;
	switch (wr->op) {
	case RDMA_READ:
		copy(wr->sges, &remote, 1);
		break;
	case RDMA_WRITE:
	case RDMA_WRITE_IMM:
		copy(&remote, wr->sges, wr->n_sges);
		break;
	default:
		memcpy(&before, remote.addr, 8);
		memcpy(wr->sges[0].addr, &before, 8);
		if (wr->op == RDMA_FETCH_ADD)
			before += wr->value;
		else if (before == wr->compare)
			before = wr->value;
		memcpy(remote.addr, &before, 8);
	}
	return DOCA_SUCCESS;
}

static doca_error_t execute_event(struct rdma_wr *wr)
{
	_Atomic uint64_t *value = wr->remote_event->cell.value;
	uint64_t word;

	FAKE_CHECK(list_len(wr) == 8);
	wr->len = 8;
	if (wr->op == RDMA_WRITE) {
		memcpy(&word, wr->sges[0].addr, 8);
		atomic_store(value, word);
		return DOCA_SUCCESS;
	}
	word = wr->op == RDMA_READ ? atomic_load(value) : atomic_fetch_add(value, wr->value);
	memcpy(wr->sges[0].addr, &word, 8);
	return DOCA_SUCCESS;
}

static bool consumes_receive(enum rdma_op op)
{
	return op == RDMA_SEND || op == RDMA_SEND_IMM || op == RDMA_WRITE_IMM;
}

/* Returns false if it waits for a receive of the other end. */
static bool execute(struct fake_qp *qp, struct rdma_wr *wr, doca_error_t *status_out)
{
	struct rdma_wr *recv = NULL;
	doca_error_t status = fake.next;
	size_t len = list_len(wr);

	if (consumes_receive(wr->op) && status == DOCA_SUCCESS) {
		recv = qp_port(qp->peer)->recvs.head;
		if (recv == NULL && qp_port(qp)->conf.rnr_retry == 7)
			return false;
		if (recv == NULL)
			status = DOCA_ERROR_IO_FAILED;
	}
	fake.next = DOCA_SUCCESS;
	if (status == DOCA_SUCCESS && wr->op != RDMA_SEND && wr->op != RDMA_SEND_IMM)
		status = wr->remote_event != NULL ? execute_event(wr) : execute_memory(wr);
	if (recv != NULL && status == DOCA_SUCCESS) {
		fifo_dequeue(&qp_port(qp->peer)->recvs);
		recv->qp = &qp->peer->base;
		recv->received_as = wr->op;
		recv->imm = wr->imm;
		recv->len = (uint32_t)len;
		if (wr->op != RDMA_WRITE_IMM && len > list_len(recv)) {
			port_done(qp_port(qp->peer), recv, DOCA_ERROR_TOO_BIG);
			status = DOCA_ERROR_IO_FAILED;
		} else {
			if (wr->op != RDMA_WRITE_IMM)
				copy(recv->sges, wr->sges, wr->n_sges);
			port_done(qp_port(qp->peer), recv, DOCA_SUCCESS);
		}
	}
	wr->len = (uint32_t)len;
	*status_out = status;
	return true;
}

static void qp_run(struct fake_qp *qp)
{
	doca_error_t status;

	if (fake.holds || qp->state != QP_UP || qp->peer == NULL || qp->peer->state != QP_UP)
		return;
	while (qp->sends.head != NULL && execute(qp, qp->sends.head, &status)) {
		port_done(qp_port(qp), fifo_dequeue(&qp->sends), status);
		if (status != DOCA_SUCCESS) {
			qp_flush(qp);
			qp_notify(qp, RDMA_QP_BROKEN, status);
			return;
		}
	}
}

/* Transfers everything in flight to or from a port. */
static void run_all(void)
{
	for (size_t i = 0; i < MAX_QPS && fake_n_qps > 0; i++) {
		if (qps[i] == NULL)
			break;
		qp_run(qps[i]);
	}
}

/* --- ops --- */

static const struct rdma_provider fake_ops;

static bool fake_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		       char reason[RDMA_REASON_MAX])
{
	if (strcmp(info->name, FAKE_DEVICE) != 0) {
		strcpy(reason, "it is not the fake device; name it " FAKE_DEVICE);
		return false;
	}
	*limits_out = (struct rdma_limits){
		.max_send_queue = FAKE_MAX_QUEUE,
		.max_recv_queue = FAKE_MAX_QUEUE,
		.max_send_sges = FAKE_MAX_SGES,
		.max_recv_sges = FAKE_MAX_SGES,
		.max_message = FAKE_MAX_MESSAGE,
		.max_qps = FAKE_MAX_QPS,
		.n_gids = FAKE_N_GIDS,
		.max_mtu = 2048,
		.has_atomics = !fake.has_no_atomics,
		.has_addresses = !fake.has_no_addresses,
		.has_cm_ids = !fake.has_no_cm_ids,
		.has_rc = true,
	};
	return true;
}

static int fake_get_gid(const struct doca_devinfo *info, uint32_t index,
			uint8_t gid_out[RDMA_GID_LEN])
{
	(void)info;
	memset(gid_out, (int)index + 1, RDMA_GID_LEN);
	return fake.gid;
}

static doca_error_t refuse(doca_error_t code, const char *what)
{
	return error_set(code, "fake: the script refuses to %s", what);
}

static doca_error_t fake_open(struct doca_dev *dev, const struct rdma_conf *conf,
			      struct rdma_domain **domain_out)
{
	struct fake_domain *domain;
	size_t i = 0;

	if (fake.open != DOCA_SUCCESS)
		return refuse(fake.open, "open");
	domain = calloc(1, sizeof(*domain));
	ck_assert_ptr_nonnull(domain);
	while (ports[i] != NULL)
		i++;
	ck_assert_uint_lt(i, MAX_PORTS);
	ports[i] = domain;
	domain->base.ops = &fake_ops;
	domain->base.dev = dev;
	domain->conf = fake_conf = *conf;
	domain->fd = fd_eventfd();
	ck_assert_int_ge(domain->fd, 0);
	fake_n_ports++;
	*domain_out = &domain->base;
	return DOCA_SUCCESS;
}

static void fake_qp_free(struct rdma_qp *base);

static void fake_close(struct rdma_domain *base)
{
	struct fake_domain *domain = domain_of(base);

	for (size_t i = 0; i < MAX_QPS; i++) {
		while (qps[i] != NULL && qp_port(qps[i]) == domain)
			fake_qp_free(&qps[i]->base);
	}
	for (size_t i = 0; i < MAX_PORTS; i++) {
		if (ports[i] == domain)
			ports[i] = NULL;
	}
	fd_close(&domain->fd);
	free(domain);
	fake_n_ports--;
}

static int fake_get_fd(const struct rdma_domain *base)
{
	return container_of(base, struct fake_domain, base)->fd;
}

static bool fake_arm(struct rdma_domain *base)
{
	struct fake_domain *domain = domain_of(base);

	fake_n_arms++;
	domain->armed = true;
	run_all();
	return domain->done.head != NULL || domain->n_taken != domain->n_events;
}

static void fake_disarm(struct rdma_domain *base)
{
	fake_n_disarms++;
	domain_of(base)->armed = false;
	fd_eventfd_clear(domain_of(base)->fd);
}

static bool fake_next_event(struct rdma_domain *base, struct rdma_event *event_out)
{
	struct fake_domain *domain = domain_of(base);

	if (domain->n_taken == domain->n_events)
		return false;
	*event_out = domain->events[domain->n_taken++ % MAX_EVENTS];
	return true;
}

static struct rdma_wr *fake_poll(struct rdma_domain *base)
{
	if (fake.holds)
		return NULL;
	run_all();
	return fifo_dequeue(&domain_of(base)->done);
}

static doca_error_t fake_post(struct rdma_qp *base, struct rdma_wr *wr)
{
	struct fake_qp *qp = qp_of(base);

	if (fake.post != DOCA_SUCCESS)
		return refuse(fake.post, "post");
	FAKE_CHECK(wr->qp == base);
	FAKE_CHECK(wr->n_sges <= qp_port(qp)->conf.max_send_sges);
	if (qp->sends.n == qp_port(qp)->conf.send_queue)
		return DOCA_ERROR_AGAIN;
	if (qp->state == QP_DOWN)
		port_done(qp_port(qp), wr, DOCA_ERROR_CONNECTION_RESET);
	else
		fifo_put(&qp->sends, wr);
	return DOCA_SUCCESS;
}

static doca_error_t fake_post_recv(struct rdma_domain *base, struct rdma_wr *wr)
{
	struct fake_domain *domain = domain_of(base);
	uint64_t len = 0;

	if (fake.post != DOCA_SUCCESS)
		return refuse(fake.post, "post");
	FAKE_CHECK(wr->n_sges <= domain->conf.max_recv_sges);
	for (uint32_t i = 0; i < wr->n_sges; i++)
		len += wr->sges[i].len;
	FAKE_CHECK(len <= FAKE_MAX_MESSAGE);
	if (domain->recvs.n == domain->conf.recv_queue)
		return DOCA_ERROR_AGAIN;
	fifo_put(&domain->recvs, wr);
	return DOCA_SUCCESS;
}

static void fake_flush_recvs(struct rdma_domain *base)
{
	struct fake_domain *domain = domain_of(base);
	struct rdma_wr *wr;

	while ((wr = fifo_dequeue(&domain->recvs)) != NULL) {
		wr->qp = NULL;
		port_done(domain, wr, DOCA_ERROR_CONNECTION_RESET);
	}
}

static struct fake_qp *qp_make(struct fake_domain *domain, void *owner)
{
	struct fake_qp *qp = calloc(1, sizeof(*qp));
	uint32_t i = 0;

	ck_assert_ptr_nonnull(qp);
	while (qps[i] != NULL)
		i++;
	ck_assert_uint_lt(i, MAX_QPS);
	qps[i] = qp;
	qp->id = i;
	qp->base.domain = &domain->base;
	qp->base.owner = owner;
	domain->n_qps++;
	fake_n_qps++;
	return qp;
}

static doca_error_t fake_qp_new(struct rdma_domain *base, void *owner, struct rdma_qp **qp_out)
{
	if (fake.qp_new != DOCA_SUCCESS)
		return refuse(fake.qp_new, "make a queue pair");
	*qp_out = &qp_make(domain_of(base), owner)->base;
	return DOCA_SUCCESS;
}

static doca_error_t fake_qp_params(struct rdma_qp *base, uint8_t details_out[RDMA_PARAMS_MAX],
				   size_t *len_out)
{
	const struct fake_qp *qp = qp_of(base);

	if (fake.details != DOCA_SUCCESS)
		return refuse(fake.details, "describe");
	memcpy(details_out, &qp, sizeof(qp));
	*len_out = sizeof(qp);
	return DOCA_SUCCESS;
}

static void qp_link(struct fake_qp *qp, struct fake_qp *peer)
{
	qp->peer = peer;
	qp->state = fake.waits ? QP_CONNECTING : QP_UP;
	if (qp->state == QP_UP)
		qp_notify(qp, RDMA_QP_ESTABLISHED, DOCA_SUCCESS);
}

static doca_error_t fake_qp_connect(struct rdma_qp *base, const uint8_t *details, size_t len)
{
	struct fake_qp *peer;

	if (fake.connect != DOCA_SUCCESS)
		return refuse(fake.connect, "connect");
	if (len != sizeof(peer))
		return refuse(DOCA_ERROR_INVALID_VALUE, "understand the details");
	memcpy(&peer, details, sizeof(peer));
	for (size_t i = 0; i < MAX_QPS && qps[i] != NULL; i++) {
		if (qps[i] == peer) {
			qp_link(qp_of(base), peer);
			return DOCA_SUCCESS;
		}
	}
	return refuse(DOCA_ERROR_CONNECTION_ABORTED, "find the other end");
}

static void id_detach(struct fake_qp *qp)
{
	if (qp->cm_id != NULL)
		qp->cm_id->qp = NULL;
	qp->cm_id = NULL;
}

static doca_error_t fake_qp_disconnect(struct rdma_qp *base)
{
	struct fake_qp *qp = qp_of(base);

	if (qp->peer != NULL && qp->peer->peer == qp && qp->peer->state == QP_UP) {
		qp->peer->peer = NULL;
		qp_notify(qp->peer, RDMA_QP_DISCONNECTED, DOCA_SUCCESS);
	}
	qp->peer = NULL;
	id_detach(qp);
	qp_flush(qp);
	return fake.disconnect == DOCA_SUCCESS ? DOCA_SUCCESS
					       : refuse(fake.disconnect, "disconnect");
}

static bool fake_is_leaving(struct rdma_domain *base)
{
	(void)base;
	return fake.n_draining > 0 && fake.n_draining-- > 0;
}

static void fake_qp_free(struct rdma_qp *base)
{
	struct fake_qp *qp = qp_of(base);
	struct fake_domain *domain = qp_port(qp);
	struct rdma_wr *wr;
	uint32_t last;

	ck_assert_ptr_null(qp->sends.head);
	id_detach(qp);
	for (wr = domain->done.head; wr != NULL; wr = wr->next) {
		if (wr->op == RDMA_RECV && wr->qp == base)
			wr->qp = NULL;
		else
			ck_assert_ptr_ne(wr->qp, base);
	}
	/* The queue pair's events are dropped. */
	for (uint32_t i = domain->n_taken; i != domain->n_events; i++) {
		struct rdma_event *event = &domain->events[i % MAX_EVENTS];

		if (event->qp == base)
			*event = (struct rdma_event){.type = RDMA_QP_ESTABLISHED};
	}
	for (last = 0; last + 1 < MAX_QPS && qps[last + 1] != NULL;)
		last++;
	for (size_t i = 0; i <= last; i++) {
		if (qps[i]->peer == qp)
			qps[i]->peer = NULL;
	}
	qps[qp->id] = qps[last];
	qps[qp->id]->id = qp->id;
	qps[last] = NULL;
	domain->n_qps--;
	fake_n_qps--;
	free(qp);
}

/* --- by address --- */

static doca_error_t fake_listen(struct rdma_domain *base, uint16_t number)
{
	struct fake_domain *domain = domain_of(base);

	if (fake.listen != DOCA_SUCCESS)
		return refuse(fake.listen, "listen");
	ck_assert_uint_lt(domain->n_listens, ARRAY_LEN(domain->listens));
	domain->listens[domain->n_listens++] = number;
	return DOCA_SUCCESS;
}

static doca_error_t fake_unlisten(struct rdma_domain *base, uint16_t number)
{
	struct fake_domain *domain = domain_of(base);

	for (uint32_t i = 0; i < domain->n_listens; i++) {
		if (domain->listens[i] == number) {
			domain->listens[i] = domain->listens[--domain->n_listens];
			return fake.listen;
		}
	}
	ck_abort_msg("nobody listens to %u", number);
	return DOCA_ERROR_UNEXPECTED;
}

static struct fake_domain *find_listener(uint16_t number)
{
	for (size_t i = 0; i < MAX_PORTS; i++) {
		for (uint32_t j = 0; ports[i] != NULL && j < ports[i]->n_listens; j++) {
			if (ports[i]->listens[j] == number)
				return ports[i];
		}
	}
	return NULL;
}

static doca_error_t fake_qp_connect_addr(struct rdma_qp *base, const struct rdma_endpoint *end)
{
	struct fake_qp *qp = qp_of(base), *other;
	struct fake_domain *listener = find_listener(end->port);

	if (fake.connect != DOCA_SUCCESS)
		return refuse(fake.connect, "connect");
	if (listener == NULL) {
		qp_notify(qp, RDMA_QP_FAILED, DOCA_ERROR_CONNECTION_ABORTED);
		return DOCA_SUCCESS;
	}
	other = qp_make(listener, NULL);
	other->state = QP_REQUESTED;
	qp->state = QP_ASKING;
	other->peer = qp;
	qp->peer = other;
	qp_notify(other, RDMA_QP_REQUESTED, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}

static doca_error_t fake_qp_accept(struct rdma_qp *base, const void *private_data,
				   uint8_t private_len)
{
	struct fake_qp *qp = qp_of(base), *peer = qp->peer;

	(void)private_data;
	ck_assert_uint_le(private_len, RDMA_PRIVATE_MAX);
	ck_assert_int_eq(qp->state, QP_REQUESTED);
	if (fake.accept != DOCA_SUCCESS)
		return refuse(fake.accept, "accept");
	qp_link(qp, peer);
	qp_link(peer, qp);
	return DOCA_SUCCESS;
}

static doca_error_t fake_qp_reject(struct rdma_qp *base)
{
	struct fake_qp *qp = qp_of(base);

	ck_assert_int_eq(qp->state, QP_REQUESTED);
	if (qp->peer != NULL)
		qp_notify(qp->peer, RDMA_QP_FAILED, DOCA_ERROR_CONNECTION_ABORTED);
	qp->state = QP_DOWN;
	return fake.reject == DOCA_SUCCESS ? DOCA_SUCCESS : refuse(fake.reject, "reject");
}

static int fake_qp_get_addr(const struct rdma_qp *base, struct rdma_endpoint *end_out)
{
	(void)base;
	*end_out = (struct rdma_endpoint){
		.type = RDMA_ADDR_IPV4, .port = 4791, .bytes = {192, 0, 2, 7}};
	return 0;
}

/* --- by identifier --- */

static doca_error_t fake_qp_prepare(struct rdma_qp *base, struct rdma_cm_id *cm_id)
{
	struct fake_qp *qp = qp_of(base);
	struct fake_cm_id *id = (struct fake_cm_id *)cm_id;

	if (fake.prepare != DOCA_SUCCESS)
		return refuse(fake.prepare, "prepare");
	if (id->qp != NULL)
		return refuse(DOCA_ERROR_INVALID_VALUE, "give it two");
	qp->cm_id = id;
	id->qp = base;
	return DOCA_SUCCESS;
}

static doca_error_t fake_qp_accept_prepared(struct rdma_qp *base, const void *private_data,
					    uint8_t private_len)
{
	struct fake_qp *qp = qp_of(base);

	(void)private_data;
	ck_assert_uint_le(private_len, RDMA_PRIVATE_MAX);
	if (fake.accept != DOCA_SUCCESS)
		return refuse(fake.accept, "accept");
	if (!qp->cm_id->is_asked)
		return refuse(DOCA_ERROR_BAD_STATE, "accept what nobody asks for");
	qp->cm_id->is_up = qp->cm_id->other->is_up = true;
	return DOCA_SUCCESS;
}

static doca_error_t fake_qp_established(struct rdma_qp *base)
{
	struct fake_qp *qp = qp_of(base);

	if (!qp->cm_id->is_up || qp->cm_id->other->qp == NULL)
		return refuse(DOCA_ERROR_INVALID_VALUE, "call that established");
	qp_link(qp, qp_of(qp->cm_id->other->qp));
	return DOCA_SUCCESS;
}

/* --- for tests --- */

void fake_unplug_all(void)
{
	for (size_t i = 0; i < MAX_PORTS; i++) {
		if (ports[i] != NULL)
			fake_unplug(&ports[i]->base);
	}
}

struct doca_dev *fake_dev(void)
{
	static struct doca_devinfo info = {.refs = 1, .name = FAKE_DEVICE};
	static struct doca_dev dev = {.info = &info, .n_opens = 1};

	return &dev;
}

struct doca_dev *fake_unsupported_dev(void)
{
	static struct doca_devinfo info = {.refs = 1, .name = "poor"};
	static struct doca_dev dev = {.info = &info, .n_opens = 1};

	return &dev;
}

void fake_reset(void)
{
	ck_assert_uint_eq(fake_n_ports, 0);
	ck_assert_uint_eq(fake_n_qps, 0);
	fake = (struct fake_script){.next = DOCA_SUCCESS};
	fake_n_arms = fake_n_disarms = 0;
}

void fake_finish_connecting(doca_error_t code)
{
	for (size_t i = 0; i < MAX_QPS && qps[i] != NULL; i++) {
		if (qps[i]->state != QP_CONNECTING)
			continue;
		qps[i]->state = code == DOCA_SUCCESS ? QP_UP : QP_DOWN;
		qp_notify(qps[i], code == DOCA_SUCCESS ? RDMA_QP_ESTABLISHED : RDMA_QP_FAILED,
			  code);
	}
}

void fake_break(struct rdma_qp *base, doca_error_t reason)
{
	struct fake_qp *qp = qp_of(base);

	qp->peer = NULL;
	qp_flush(qp);
	qp_notify(qp, RDMA_QP_BROKEN, reason);
}

void fake_unplug(struct rdma_domain *base)
{
	fake_report(base, RDMA_DEVICE_REMOVED, NULL, DOCA_ERROR_CONNECTION_ABORTED);
}

void fake_cancel(struct rdma_qp *base)
{
	struct fake_qp *qp = qp_of(base);

	qp->state = QP_DOWN;
	qp_notify(qp, RDMA_QP_FAILED, DOCA_ERROR_TIME_OUT);
}

static const struct rdma_provider fake_ops = {
	.name = "fake",
	.query = fake_query,
	.get_gid = fake_get_gid,
	.open = fake_open,
	.close = fake_close,
	.get_fd = fake_get_fd,
	.arm = fake_arm,
	.disarm = fake_disarm,
	.next_event = fake_next_event,
	.poll = fake_poll,
	.post = fake_post,
	.post_recv = fake_post_recv,
	.flush_recvs = fake_flush_recvs,
	.qp_new = fake_qp_new,
	.qp_params = fake_qp_params,
	.qp_connect = fake_qp_connect,
	.qp_disconnect = fake_qp_disconnect,
	.is_draining = fake_is_leaving,
	.qp_free = fake_qp_free,
	.listen = fake_listen,
	.unlisten = fake_unlisten,
	.qp_connect_addr = fake_qp_connect_addr,
	.qp_accept = fake_qp_accept,
	.qp_reject = fake_qp_reject,
	.qp_get_addr = fake_qp_get_addr,
	.qp_prepare = fake_qp_prepare,
	.qp_accept_prepared = fake_qp_accept_prepared,
	.qp_established = fake_qp_established,
};

const struct rdma_provider *const rdma_providers[] = {&fake_ops, NULL};
