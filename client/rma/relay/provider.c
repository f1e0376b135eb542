/* Relayed copies, the importer's end; see client/rma/relay/provider.h. */
#include "client/rma/relay/provider.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>

#include "client/base/error.h"
#include "client/device/dev.h"
#include "client/memory/mmap.h"
#include "client/memory/sync_cell.h"
#include "util/fd.h"
#include "util/list.h"

#define RELAY_MAX_SEND 64u
#define RELAY_MAX_QPS  64u
/* The number of polls between two checks of the daemon's process, for a user that never sleeps. */
#define RELAY_POLLS_PER_CHECK (1u << 12)
/* In the data of epoll: a queue pair, plus this bit if the event is the exit of its daemon. */
#define RELAY_EVENT_PIDFD 1u

struct relay_qp {
	struct rdma_qp base;
	struct list node;
	uint8_t key[COPY_KEY_LEN]; /* identifies the queue pair in all its streams */
	struct relay_stream stream;
	bool is_up;
	bool is_disconnected; /* the stream has ended; posted requests wait for the next one */
	bool is_broken;       /* posted requests are returned */
	bool is_reported;     /* cut or broken was reported */
	uint32_t wanted;      /* the room that a refused request needs, or 0 */
	/* Posted requests, in the order of their answers; some are not sent yet. */
	struct rdma_wr *head, **tail;
	struct rdma_wr *unsent;
	uint32_t n_out;
	uint64_t head_tag, unsent_tag;
	uint64_t requested_tag; /* requests before this tag were sent, in this or an earlier stream
				 */
};

struct relay_domain {
	struct rdma_domain base;
	struct rdma_conf conf;
	struct list qps;
	uint32_t n_qps;
	struct rdma_wr *done, **done_tail;
	uint32_t n_checks;
	int epoll_fd;
};

static struct relay_domain *domain_of(const struct rdma_domain *domain)
{
	return container_of(domain, struct relay_domain, base);
}

static struct relay_qp *qp_of(const struct rdma_qp *qp)
{
	return container_of(qp, struct relay_qp, base);
}

/* --- completion --- */

static void domain_complete(struct relay_domain *domain, struct rdma_wr *wr, doca_error_t status)
{
	wr->status = status;
	wr->next = NULL;
	*domain->done_tail = wr;
	domain->done_tail = &wr->next;
}

static struct rdma_wr *domain_pop_done(struct relay_domain *domain)
{
	struct rdma_wr *wr = domain->done;

	if (wr == NULL)
		return NULL;
	domain->done = wr->next;
	if (domain->done == NULL)
		domain->done_tail = &domain->done;
	return wr;
}

static struct rdma_wr *qp_pop(struct relay_qp *qp)
{
	struct rdma_wr *wr = qp->head;

	qp->head = wr->next;
	if (qp->head == NULL)
		qp->tail = &qp->head;
	qp->n_out--;
	qp->head_tag++;
	return wr;
}

/* Notes that the stream has ended. Another stream may follow. */
static void qp_detach(struct relay_qp *qp)
{
	qp->is_disconnected = true;
	qp->wanted = 0;
}

static void qp_break(struct relay_qp *qp)
{
	struct relay_domain *domain = domain_of(qp->base.domain);

	qp->is_broken = true;
	qp->wanted = 0;
	qp->unsent = NULL;
	while (qp->head != NULL)
		domain_complete(domain, qp_pop(qp), DOCA_ERROR_CONNECTION_RESET);
}

static uint32_t wr_len(const struct rdma_wr *wr)
{
	uint64_t len = 0;

	for (uint32_t i = 0; i < wr->n_sges; i++)
		len += wr->sges[i].len;
	return len > COPY_DATA_MAX ? 0 : (uint32_t)len;
}

/* Returns the operation that the request is sent as, or 0 if it cannot be relayed. */
static uint32_t wr_op(const struct rdma_wr *wr)
{
	bool is_event = wr->remote_event != NULL;

	if (is_event == (wr->remote_mmap != NULL))
		return 0;
	switch (wr->op) {
	case RDMA_READ:
		return is_event ? COPY_GET : COPY_READ;
	case RDMA_WRITE:
		return is_event ? COPY_SET : COPY_WRITE;
	case RDMA_FETCH_ADD:
		return is_event ? COPY_ADD : 0;
	default:
		return 0;
	}
}

static void scatter(const struct rdma_wr *wr, const uint8_t *data)
{
	for (uint32_t i = 0; i < wr->n_sges; i++) {
		memcpy(wr->sges[i].addr, data, wr->sges[i].len);
		data += wr->sges[i].len;
	}
}

/* Copies the answer's data to where the request wants it. */
static void wr_scatter_answer(const struct rdma_wr *wr, const uint8_t *data)
{
	uint64_t value;

	if (wr->remote_event == NULL) {
		scatter(wr, data);
		return;
	}
	value = copy_value_decode(data);
	scatter(wr, (const uint8_t *)&value);
}

static bool answer_fits(const struct copy_answer *answer, const struct rdma_wr *wr)
{
	return answer->status != 0 || answer->len == copy_bytes_answered(wr_op(wr), wr->len);
}

static bool qp_is_open(const struct relay_qp *qp)
{
	return qp->is_up && !qp->is_disconnected && !qp->is_broken;
}

/* Receives the answer to the oldest request, if it has arrived. */
static struct rdma_wr *qp_receive(struct relay_qp *qp)
{
	struct copy_answer answer;
	struct rdma_wr *wr;
	const void *msg;
	uint32_t len, kind;
	int r = ring_consumer_peek(&qp->stream.rx, &msg, &len, &kind);

	/* Peeks again, because data that was sent before the end is visible once the end is. */
	if (r == 0 && ring_consumer_peer_closed(&qp->stream.rx)) {
		r = ring_consumer_peek(&qp->stream.rx, &msg, &len, &kind);
		if (r == 0)
			r = -EPIPE;
	}
	if (likely(r == 0))
		return NULL;
	if (r == -EPIPE) {
		qp_detach(qp);
		return NULL;
	}
	if (r < 0 || kind != RING_MSG_DATA || !copy_answer_decode(msg, len, &answer) ||
	    qp->head == qp->unsent || answer.tag != qp->head_tag ||
	    !answer_fits(&answer, qp->head)) {
		qp_break(qp);
		return NULL;
	}
	wr = qp_pop(qp);
	wr->status = answer.status == 0 ? DOCA_SUCCESS : (doca_error_t)answer.status;
	/* CONNECTION_RESET is reserved for this end, for a stream that broke. */
	if (wr->status == DOCA_ERROR_CONNECTION_RESET)
		wr->status = DOCA_ERROR_IO_FAILED;
	if (answer.len > 0)
		wr_scatter_answer(wr, (const uint8_t *)msg + COPY_ANSWER_LEN);
	relay_stream_release(&qp->stream, len);
	return wr;
}

static struct rdma_wr *relay_poll(struct rdma_domain *base)
{
	struct relay_domain *domain = domain_of(base);
	struct relay_qp *qp;

	if (domain->done != NULL)
		return domain_pop_done(domain);
	list_for_each(qp, &domain->qps, node)
	{
		struct rdma_wr *wr = qp_is_open(qp) ? qp_receive(qp) : NULL;

		if (wr == NULL)
			continue;
		/* Moves the queue pair to the end, so that the others are polled first next
		 * time. */
		list_remove(&qp->node);
		list_append(&domain->qps, &qp->node);
		return wr;
	}
	return domain_pop_done(domain);
}

/* --- posting --- */

static void gather(const struct rdma_wr *wr, uint8_t *data)
{
	for (uint32_t i = 0; i < wr->n_sges; i++) {
		memcpy(data, wr->sges[i].addr, wr->sges[i].len);
		data += wr->sges[i].len;
	}
}

static void wr_name_export(const struct rdma_wr *wr, struct copy_request *request)
{
	const struct sync_import *event = wr->remote_event;
	const struct doca_mmap *mmap = wr->remote_mmap;

	request->addr = event != NULL ? event->addr : wr->remote_addr;
	request->export_id = event != NULL ? event->export_id : mmap->export_id;
	memcpy(request->secret, event != NULL ? event->relay_secret : mmap->secrets->relay,
	       sizeof(request->secret));
}

/* Writes the data of the request into the stream. */
static void wr_write_data(const struct rdma_wr *wr, uint8_t *out)
{
	uint64_t value = wr->value;

	if (wr->remote_event == NULL) {
		gather(wr, out);
		return;
	}
	if (wr->op == RDMA_WRITE)
		gather(wr, (uint8_t *)&value);
	copy_value_encode(value, out);
}

static void qp_append(struct relay_qp *qp, struct rdma_wr *wr)
{
	wr->next = NULL;
	*qp->tail = wr;
	qp->tail = &wr->next;
	qp->n_out++;
	if (qp->unsent == NULL)
		qp->unsent = wr;
}

static uint32_t wr_room(const struct rdma_wr *wr)
{
	return COPY_REQUEST_LEN + copy_bytes_asked(wr_op(wr), wr->len);
}

/* Sends the first unsent request; there is room for it. */
static void qp_send(struct relay_qp *qp)
{
	uint8_t *out = ring_producer_payload(&qp->stream.tx);
	const struct rdma_wr *wr = qp->unsent;
	struct copy_request request = {
		.op = wr_op(wr),
		.len = wr->len,
		.tag = qp->unsent_tag++,
	};

	wr_name_export(wr, &request);
	copy_request_encode(&request, out);
	if (copy_op_changes(request.op))
		wr_write_data(wr, out + COPY_REQUEST_LEN);
	qp->unsent = wr->next;
	qp->requested_tag = MAX(qp->requested_tag, qp->unsent_tag);
	relay_stream_send(&qp->stream, wr_room(wr));
}

/* Sends the requests that waited for another stream or for room in it. */
static void qp_send_unsent(struct relay_qp *qp)
{
	int r = 1;

	while (qp->unsent != NULL && qp_is_open(qp)) {
		r = ring_producer_room(&qp->stream.tx, wr_room(qp->unsent));
		if (r == 0)
			qp->wanted = wr_room(qp->unsent);
		if (r < 0)
			qp_break(qp);
		if (r <= 0)
			return;
		qp_send(qp);
	}
}

static doca_error_t wr_check(const struct rdma_wr *wr)
{
	uint32_t op = wr_op(wr);

	if (op != 0 && (copy_op_is_of_counter(op) ? wr->len == COPY_VALUE_LEN : wr->len > 0))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "relay: only reads and writes of 1 to %u bytes of an import are "
			 "relayed, and get, set and add of a sync event",
			 COPY_DATA_MAX);
}

static doca_error_t relay_post(struct rdma_qp *base, struct rdma_wr *wr)
{
	struct relay_qp *qp = qp_of(base);
	struct relay_domain *domain = domain_of(base->domain);
	doca_error_t result;
	int r = 0;

	wr->qp = base;
	wr->len = wr_len(wr);
	result = wr_check(wr);
	if (result != DOCA_SUCCESS)
		return result;
	if (qp->n_out >= domain->conf.send_queue)
		return DOCA_ERROR_AGAIN;
	if (qp_is_open(qp) && qp->unsent == NULL) {
		r = ring_producer_room(&qp->stream.tx, wr_room(wr));
		if (r == 0) {
			qp->wanted = wr_room(wr);
			return DOCA_ERROR_AGAIN;
		}
	}
	if (r < 0)
		qp_break(qp);
	if (qp->is_broken) {
		domain_complete(domain, wr, DOCA_ERROR_CONNECTION_RESET);
		return DOCA_SUCCESS;
	}
	qp_append(qp, wr);
	if (r > 0)
		qp_send(qp);
	return DOCA_SUCCESS;
}

/* --- sleeping --- */

static int relay_get_fd(const struct rdma_domain *domain)
{
	return domain_of(domain)->epoll_fd;
}

/* Clears the pending wake-ups, and notes daemons that have exited. */
static void domain_clear_wakeups(struct relay_domain *domain)
{
	struct epoll_event events[16];
	int n = epoll_wait(domain->epoll_fd, events, ARRAY_LEN(events), 0);

	for (int i = 0; i < n; i++) {
		uint64_t data = events[i].data.u64;
		struct relay_qp *qp;

		if (!(data & RELAY_EVENT_PIDFD))
			continue;
		qp = (struct relay_qp *)(uintptr_t)(data - RELAY_EVENT_PIDFD);
		epoll_ctl(domain->epoll_fd, EPOLL_CTL_DEL, qp->stream.pidfd, NULL);
		qp_detach(qp);
	}
}

static bool relay_arm(struct rdma_domain *base)
{
	struct relay_domain *domain = domain_of(base);
	struct relay_qp *qp;
	bool fenced, has_work = false;

	domain_clear_wakeups(domain);
	list_for_each(qp, &domain->qps, node)
	{
		if (qp->is_up)
			ring_consumer_arm_begin(&qp->stream.rx);
	}
	fenced = ring_arm_fence();
	list_for_each(qp, &domain->qps, node)
	{
		if (!qp->is_up)
			continue;
		has_work |= ring_consumer_arm_end(&qp->stream.rx, fenced) && qp_is_open(qp);
		has_work |= (qp->is_broken || qp->is_disconnected) && !qp->is_reported;
		has_work |= qp->wanted != 0 && ring_producer_arm(&qp->stream.tx, qp->wanted);
	}
	return has_work || domain->done != NULL;
}

static void relay_disarm(struct rdma_domain *base)
{
	struct relay_domain *domain = domain_of(base);
	struct relay_qp *qp;

	list_for_each(qp, &domain->qps, node)
	{
		if (!qp->is_up)
			continue;
		ring_consumer_disarm(&qp->stream.rx);
		ring_producer_disarm(&qp->stream.tx);
	}
	domain_clear_wakeups(domain);
}

/* --- events --- */

static bool qp_next_event(struct relay_qp *qp, struct rdma_event *event_out)
{
	*event_out = (struct rdma_event){.qp = &qp->base};
	if ((qp->is_broken || qp->is_disconnected) && !qp->is_reported) {
		qp->is_reported = true;
		event_out->type = RDMA_QP_BROKEN;
		event_out->reason = qp->is_broken ? DOCA_ERROR_IO_FAILED
						  : DOCA_ERROR_CONNECTION_RESET;
		return true;
	}
	if (qp->wanted == 0 || ring_producer_room(&qp->stream.tx, qp->wanted) == 0)
		return false;
	qp->wanted = 0;
	qp_send_unsent(qp);
	event_out->type = RDMA_QP_WRITABLE;
	return true;
}

static bool relay_next_event(struct rdma_domain *base, struct rdma_event *event_out)
{
	struct relay_domain *domain = domain_of(base);
	struct relay_qp *qp;
	bool waits = false;

	list_for_each(qp, &domain->qps, node)
	{
		if (qp_next_event(qp, event_out))
			return true;
		waits |= qp->n_out > 0 || qp->wanted != 0;
	}
	if (waits && ++domain->n_checks % RELAY_POLLS_PER_CHECK == 0)
		domain_clear_wakeups(domain);
	return false;
}

/* --- queue pairs --- */

static doca_error_t relay_qp_new(struct rdma_domain *base, void *owner, struct rdma_qp **qp_out)
{
	struct relay_domain *domain = domain_of(base);
	struct relay_qp *qp;

	if (domain->n_qps >= domain->conf.max_qps)
		return error_set(DOCA_ERROR_FULL,
				 "relay: a context reaches %u processes by relay at most",
				 domain->conf.max_qps);
	qp = calloc(1, sizeof(*qp));
	if (qp == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "relay: out of memory");
	qp->base.domain = base;
	qp->base.owner = owner;
	qp->stream = (struct relay_stream)RELAY_STREAM_INIT;
	qp->tail = &qp->head;
	if (getrandom(qp->key, sizeof(qp->key), 0) != sizeof(qp->key)) {
		free(qp);
		return error_set(DOCA_ERROR_OPERATING_SYSTEM, "relay: no random numbers: %m");
	}
	list_append(&domain->qps, &qp->node);
	domain->n_qps++;
	*qp_out = &qp->base;
	return DOCA_SUCCESS;
}

static void qp_unwatch(const struct relay_qp *qp)
{
	const struct relay_domain *domain = domain_of(qp->base.domain);

	/* Removed explicitly, because other processes share the eventfd: closing the descriptor
	 * would leave it in the set. */
	epoll_ctl(domain->epoll_fd, EPOLL_CTL_DEL, qp->stream.wait_fd, NULL);
	if (qp->stream.pidfd >= 0)
		epoll_ctl(domain->epoll_fd, EPOLL_CTL_DEL, qp->stream.pidfd, NULL);
}

void relay_qp_detach(struct rdma_qp *base)
{
	struct relay_qp *qp = qp_of(base);

	if (qp->is_up)
		qp_unwatch(qp);
	relay_stream_deinit(&qp->stream);
	qp->is_up = qp->is_disconnected = qp->is_reported = false;
	qp->wanted = 0;
	qp->unsent = qp->head;
	qp->unsent_tag = qp->head_tag;
}

const struct rdma_wr *relay_qp_oldest(const struct rdma_qp *qp)
{
	return qp_of(qp)->head;
}

/* Returns whether all requests that were sent before may be sent again. */
static bool qp_may_repeat(const struct relay_qp *qp, const struct copy_details *other)
{
	uint64_t tag = qp->head_tag;

	if (other->is_continued)
		return true;
	for (const struct rdma_wr *wr = qp->head; wr != NULL && tag < qp->requested_tag;
	     wr = wr->next) {
		if (copy_op_changes(wr_op(wr)))
			return false;
		tag++;
	}
	return true;
}

int relay_qp_attach(struct rdma_qp *base, struct relay_stream *stream,
		    const struct copy_details *other)
{
	struct relay_qp *qp = qp_of(base);
	const struct relay_domain *domain = domain_of(base->domain);
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = (uintptr_t)qp};
	int r;

	if (memcmp(other->key, qp->key, sizeof(qp->key)) != 0 || other->tag < qp->head_tag ||
	    other->tag > qp->requested_tag)
		return -EPROTO;
	if (!qp_may_repeat(qp, other))
		return -ESTALE;
	if (epoll_ctl(domain->epoll_fd, EPOLL_CTL_ADD, stream->wait_fd, &event) < 0)
		return -errno;
	event.events = EPOLLIN;
	event.data.u64 |= RELAY_EVENT_PIDFD;
	if (stream->pidfd >= 0 &&
	    epoll_ctl(domain->epoll_fd, EPOLL_CTL_ADD, stream->pidfd, &event) < 0) {
		r = -errno;
		epoll_ctl(domain->epoll_fd, EPOLL_CTL_DEL, stream->wait_fd, NULL);
		return r;
	}
	qp->stream = *stream;
	*stream = (struct relay_stream)RELAY_STREAM_INIT;
	qp->is_up = true;
	qp_send_unsent(qp);
	return 0;
}

static doca_error_t relay_qp_params(struct rdma_qp *qp, uint8_t params_out[RDMA_PARAMS_MAX],
				    size_t *len_out)
{
	const struct relay_qp *relay = qp_of(qp);
	struct copy_details details = {.tag = relay->head_tag,
				       .is_continued = relay->requested_tag > 0};

	memcpy(details.key, relay->key, sizeof(details.key));
	copy_details_encode(&details, params_out);
	*len_out = COPY_DETAILS_LEN;
	return DOCA_SUCCESS;
}

/* Answers that have arrived count as completions. */
static doca_error_t relay_qp_disconnect(struct rdma_qp *base)
{
	struct relay_qp *qp = qp_of(base);
	struct rdma_wr *wr;

	while (qp_is_open(qp) && (wr = qp_receive(qp)) != NULL)
		domain_complete(domain_of(base->domain), wr, wr->status);
	qp_break(qp);
	qp->is_reported = true;
	return DOCA_SUCCESS;
}

static void relay_qp_free(struct rdma_qp *base)
{
	struct relay_qp *qp = qp_of(base);
	struct relay_domain *domain = domain_of(base->domain);

	if (qp->is_up)
		qp_unwatch(qp);
	relay_stream_deinit(&qp->stream);
	list_remove(&qp->node);
	domain->n_qps--;
	free(qp);
}

/* --- opening and closing --- */

static bool relay_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
			char reason[RDMA_REASON_MAX])
{
	(void)info;
	(void)reason;
	*limits_out = (struct rdma_limits){
		.max_send_queue = RELAY_MAX_SEND,
		.max_recv_queue = 1,
		.max_send_sges = RDMA_MAX_SGES,
		.max_recv_sges = 1,
		.max_message = COPY_DATA_MAX,
		.max_qps = RELAY_MAX_QPS,
		.max_mtu = COPY_DATA_MAX,
		.has_atomics = true,
	};
	return true;
}

static doca_error_t relay_open(struct doca_dev *dev, const struct rdma_conf *conf,
			       struct rdma_domain **domain_out)
{
	struct relay_domain *domain = calloc(1, sizeof(*domain));

	if (domain == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "relay: out of memory");
	domain->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (domain->epoll_fd < 0) {
		free(domain);
		return error_set(error_from_errno(-errno), "relay: no descriptor: %m");
	}
	domain->base.ops = &rdma_relay;
	domain->base.dev = dev;
	domain->conf = *conf;
	list_init(&domain->qps);
	domain->done_tail = &domain->done;
	dev_hold(dev);
	*domain_out = &domain->base;
	return DOCA_SUCCESS;
}

static void relay_close(struct rdma_domain *base)
{
	struct relay_domain *domain = domain_of(base);
	struct relay_qp *qp, *tmp;

	list_for_each_safe(qp, tmp, &domain->qps, node) relay_qp_free(&qp->base);
	fd_close(&domain->epoll_fd);
	dev_release(base->dev);
	free(domain);
}

/* --- unsupported operations --- */

static doca_error_t no_such_thing(void)
{
	return error_set(
		DOCA_ERROR_NOT_SUPPORTED,
		"relay: the daemons relay reads and writes of exports, and what is done to "
		"sync events, only");
}

static int relay_get_gid(const struct doca_devinfo *info, uint32_t index,
			 uint8_t gid_out[RDMA_GID_LEN])
{
	(void)info;
	(void)index;
	(void)gid_out;
	return -ENOENT;
}

static doca_error_t relay_post_recv(struct rdma_domain *domain, struct rdma_wr *wr)
{
	(void)domain;
	(void)wr;
	return no_such_thing();
}

static void relay_flush_recvs(struct rdma_domain *domain)
{
	(void)domain;
}

static doca_error_t relay_qp_connect(struct rdma_qp *qp, const uint8_t *details, size_t len)
{
	(void)qp;
	(void)details;
	(void)len;
	return no_such_thing();
}

static doca_error_t relay_listen(struct rdma_domain *domain, uint16_t port_number)
{
	(void)domain;
	(void)port_number;
	return no_such_thing();
}

static doca_error_t relay_qp_connect_addr(struct rdma_qp *qp, const struct rdma_endpoint *end)
{
	(void)qp;
	(void)end;
	return no_such_thing();
}

static doca_error_t relay_qp_reject(struct rdma_qp *qp)
{
	(void)qp;
	return no_such_thing();
}

static int relay_qp_get_addr(const struct rdma_qp *qp, struct rdma_endpoint *end_out)
{
	(void)qp;
	(void)end_out;
	return -ENOTCONN;
}

const struct rdma_provider rdma_relay = {
	.name = "relay",
	.query = relay_query,
	.get_gid = relay_get_gid,
	.open = relay_open,
	.close = relay_close,
	.get_fd = relay_get_fd,
	.arm = relay_arm,
	.disarm = relay_disarm,
	.next_event = relay_next_event,
	.poll = relay_poll,
	.post = relay_post,
	.post_recv = relay_post_recv,
	.flush_recvs = relay_flush_recvs,
	.qp_new = relay_qp_new,
	.qp_params = relay_qp_params,
	.qp_connect = relay_qp_connect,
	.qp_disconnect = relay_qp_disconnect,
	.qp_free = relay_qp_free,
	.listen = relay_listen,
	.unlisten = relay_listen,
	.qp_connect_addr = relay_qp_connect_addr,
	.qp_accept = rdma_provider_accept_unsupported,
	.qp_reject = relay_qp_reject,
	.qp_get_addr = relay_qp_get_addr,
	.qp_prepare = rdma_provider_prepare_unsupported,
	.qp_accept_prepared = rdma_provider_accept_unsupported,
	.qp_established = rdma_provider_established_unsupported,
};

/* --- the transport --- */

static int relay_transport_open(const struct transport_target *target,
				struct transport_region *region_out,
				char reason[TRANSPORT_REASON_MAX])
{
	(void)region_out;
	if (!target->is_remote) {
		snprintf(reason, TRANSPORT_REASON_MAX,
			 "the daemons relay only what is exported on another machine, linked over "
			 "tls:");
		return -EOPNOTSUPP;
	}
	if (!target->relays) {
		snprintf(reason, TRANSPORT_REASON_MAX,
			 "the exporter's process or one of the daemons is of a version without it, "
			 "or that daemon was not to be linked over tls: when the memory was "
			 "exported");
		return -EOPNOTSUPP;
	}
	return 0;
}

const struct transport_ops transport_relay = {
	.name = "relay",
	.reaches_remote = true,
	.is_posted = true,
	.is_relayed = true,
	.open = relay_transport_open,
	.close = transport_close_nothing,
	.readv = transport_iov_unsupported,
	.writev = transport_iov_unsupported,
};
