/* Domains: opening, closing, waiting, polling; see client/rma/verbs/domain.h. */
#include "client/rma/verbs/domain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "client/base/error.h"
#include "client/device/dev.h"
#include "client/rma/verbs/mem.h"
#include "client/rma/verbs/verbs.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/str.h"

#define REAP_MAX 32 /* the completions that are polled at once */
/* The interval of checks for the device, at least 10 times as long as the last check took. */
#define ASK_NS     NS_PER_SEC
#define ASK_FACTOR 10u

/* --- opening --- */

doca_error_t verbs_port_failed(const struct verbs_port *port, const char *what, int error)
{
	char hint[VERBS_HINT_MAX];

	return error_set(error == ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_OPERATING_SYSTEM,
			 "rdma: %s cannot be made on %s: %s%s", what, port->device->name,
			 strerror(error), verbs_memlock_hint(error, hint));
}

static doca_error_t port_make_waiting(struct verbs_port *port)
{
	struct epoll_event event = {.events = EPOLLIN};
	int flags, r;

	port->channel = port->device->api->create_comp_channel(port->device->context);
	if (port->channel == NULL)
		return verbs_port_failed(port, "a completion channel", errno);
	flags = fcntl(port->channel->fd, F_GETFL);
	port->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	port->bell.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	port->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (flags < 0 || fcntl(port->channel->fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    port->epoll_fd < 0 || port->bell.fd < 0 || port->timer_fd < 0 ||
	    epoll_ctl(port->epoll_fd, EPOLL_CTL_ADD, port->channel->fd, &event) < 0 ||
	    epoll_ctl(port->epoll_fd, EPOLL_CTL_ADD, port->timer_fd, &event) < 0 ||
	    epoll_ctl(port->epoll_fd, EPOLL_CTL_ADD, port->bell.fd, &event) < 0)
		return verbs_port_failed(port, "a descriptor to wait for", errno);
	r = verbs_bell_add(port->device, &port->bell);
	if (r == 0)
		r = verbs_bell_watch(&port->bell);
	return r == 0 ? DOCA_SUCCESS : verbs_port_failed(port, "a thread for events", -r);
}

doca_error_t verbs_port_make_srq(struct verbs_port *port)
{
	struct ibv_srq_init_attr attr = {
		.attr = {.max_wr = port->conf.recv_queue, .max_sge = port->conf.max_recv_sges}};

	port->srq = port->device->api->create_srq(port->device->pd, &attr);
	return port->srq != NULL ? DOCA_SUCCESS : verbs_port_failed(port, "a receive queue", errno);
}

static doca_error_t port_make_queues(struct verbs_port *port)
{
	uint64_t n = (uint64_t)port->conf.max_qps * port->conf.send_queue + port->conf.recv_queue;
	uint64_t room = verbs_may_stall(port->device) ? port->conf.max_qps : 0;

	if (n > (uint64_t)port->device->attr.max_cqe)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"rdma: %u %s of %u %s and %u %s need a completion queue of %llu, %s has at "
			"most %d; lower one of them",
			port->conf.max_qps, plural(port->conf.max_qps, "connection", "connections"),
			port->conf.send_queue, plural(port->conf.send_queue, "request", "requests"),
			port->conf.recv_queue, plural(port->conf.recv_queue, "receive", "receives"),
			(unsigned long long)n, port->device->name, port->device->attr.max_cqe);
	n = MIN(n + room, (uint64_t)port->device->attr.max_cqe);
	port->cq = port->device->api->create_cq(port->device->context, (int)n, NULL, port->channel,
						0);
	if (port->cq == NULL)
		return verbs_port_failed(port, "a completion queue", errno);
	port->recvs = calloc(port->conf.recv_queue, sizeof(*port->recvs));
	for (port->n_buckets = 1; port->n_buckets < port->conf.max_qps; port->n_buckets *= 2)
		continue;
	port->buckets = calloc(port->n_buckets, sizeof(struct verbs_qp *));
	if (port->recvs == NULL || port->buckets == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	for (uint32_t i = 0; i < port->conf.recv_queue; i++)
		port->recvs[i].next_free = i + 1;
	return verbs_port_make_srq(port);
}

doca_error_t verbs_port_new(struct verbs_device *device, struct doca_dev *dev,
			    const struct rdma_conf *conf, struct rdma_port **port_out)
{
	struct verbs_port *port = calloc(1, sizeof(*port));
	doca_error_t result;

	if (port == NULL) {
		verbs_device_unref(device);
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	}
	port->device = device;
	port->base = (struct rdma_port){.dev = dev};
	port->conf = *conf;
	port->looks = verbs_may_stall(device) ? VERBS_LOOK_STALL : 0;
	port->conf.send_queue = MAX(conf->send_queue, 1u);
	port->conf.recv_queue = MAX(conf->recv_queue, 1u);
	port->conf.max_qps = MAX(conf->max_qps, 1u);
	port->conf.max_send_sges = MIN(MAX(conf->max_send_sges, 1u), VERBS_SGES_MAX);
	port->conf.max_recv_sges = MIN(MAX(conf->max_recv_sges, 1u), VERBS_SGES_MAX);
	port->epoll_fd = port->bell.fd = port->timer_fd = -1;
	list_init(&port->bell.node);
	port->bell.dev = dev;
	list_init(&port->qps);
	list_init(&port->told);
	list_init(&port->listeners);
	verbs_wrs_init(&port->done);
	if (conf->gid_index >= verbs_n_gids(port->device))
		result = error_set(DOCA_ERROR_INVALID_VALUE,
				   "rdma: GID index %u is not in the table of %s, of which %u can "
				   "be used",
				   conf->gid_index, port->device->name, verbs_n_gids(port->device));
	else
		result = port_make_waiting(port);
	if (result == DOCA_SUCCESS)
		result = port_make_queues(port);
	if (result != DOCA_SUCCESS) {
		verbs_close(&port->base);
		return result;
	}
	*port_out = &port->base;
	return DOCA_SUCCESS;
}

doca_error_t verbs_open(struct doca_dev *dev, const struct rdma_conf *conf,
			struct rdma_port **port_out)
{
	char reason[RDMA_REASON_MAX];
	struct verbs_device *device = verbs_device_of(dev, reason);

	if (device == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND, "rdma: %s cannot be used: %s",
				 dev->info->name, reason);
	return verbs_port_new(device, dev, conf, port_out);
}

void verbs_close(struct rdma_port *base)
{
	struct verbs_port *port = verbs_port_of(base);
	const struct verbs_api *api = port->device->api;

	while (!list_is_empty(&port->qps))
		verbs_qp_delete(list_entry(port->qps.next, struct verbs_qp, node));
	verbs_cm_deinit(port);
	verbs_bell_unwatch(&port->bell);
	if (!list_is_empty(&port->bell.node))
		verbs_bell_remove(port->device, &port->bell);
	if (port->srq != NULL)
		api->destroy_srq(port->srq);
	if (port->cq != NULL) {
		verbs_disarm(base);
		api->destroy_cq(port->cq);
	}
	if (port->channel != NULL)
		api->destroy_comp_channel(port->channel);
	fd_close(&port->epoll_fd);
	fd_close(&port->bell.fd);
	fd_close(&port->timer_fd);
	free(port->recvs);
	free(port->buckets);
	verbs_device_unref(port->device);
	free(port);
}

doca_error_t verbs_port_gid(const struct verbs_port *port, union ibv_gid *gid_out)
{
	static const union ibv_gid unused;
	const char *name = port->device->name;

	if (port->device->api->query_gid(port->device->context, VERBS_PORT_NUM,
					 (int)port->conf.gid_index, gid_out) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma: %s has no GID with index %u",
				 name, port->conf.gid_index);
	if (memcmp(gid_out, &unused, sizeof(unused)) == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma: the GID of %s with index %u is not in use: no address of "
				 "its interface has it; see doca_rdma_set_gid_index, and "
				 "/sys/class/infiniband/%s/ports/%u/gids",
				 name, port->conf.gid_index, name, VERBS_PORT_NUM);
	return DOCA_SUCCESS;
}

/* --- waiting --- */

int verbs_get_fd(const struct rdma_port *base)
{
	return verbs_port_of(base)->epoll_fd;
}

static bool port_has_something(const struct verbs_port *port)
{
	return port->done.head != NULL || !list_is_empty(&port->told) || port->tells_gone ||
	       atomic_load(&port->bell.news);
}

static void port_set_timer(struct verbs_port *port, uint64_t at_ns)
{
	const struct itimerspec at = {.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SEC),
						   .tv_nsec = (long)(at_ns % NS_PER_SEC)}};

	port->is_timed = at_ns != 0;
	(void)timerfd_settime(port->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static inline void port_arm_timer(struct verbs_port *port)
{
	uint64_t at_ns = UINT64_MAX;

	if (unlikely(port->looks & VERBS_LOOK_STALL))
		at_ns = verbs_stall_due(port);
	if (likely(port->n_connecting == 0 && port->ask_ns == 0 && at_ns == UINT64_MAX))
		return;
	if (port->n_connecting > 0)
		at_ns = MIN(at_ns, verbs_cm_next_deadline(port));
	if (port->ask_ns != 0)
		at_ns = MIN(at_ns, port->ask_ns);
	port_set_timer(port, at_ns);
}

bool verbs_arm(struct rdma_port *base)
{
	struct verbs_port *port = verbs_port_of(base);

	if (port_has_something(port))
		return true;
	port->is_armed = true;
	port_arm_timer(port);
	(void)ibv_req_notify_cq(port->cq, 0);
	/* Completions that arrived before do not ring the channel. */
	verbs_reap(port);
	if (unlikely(port->looks & VERBS_LOOK_LOST))
		verbs_recv_look(port);
	return port_has_something(port);
}

void verbs_disarm(struct rdma_port *base)
{
	struct verbs_port *port = verbs_port_of(base);
	struct ibv_cq *cq;
	void *context;

	if (!port->is_armed)
		return;
	port->is_armed = false;
	if (unlikely(port->is_timed)) {
		port_set_timer(port, 0);
		verbs_stall_wake(port);
	}
	while (port->device->api->get_cq_event(port->channel, &cq, &context) == 0)
		port->device->api->ack_cq_events(cq, 1);
}

/* --- completions --- */

/* Translates the device's status of a failed request. */
static __attribute__((noinline)) doca_error_t status_of(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_SUCCESS:
		return DOCA_SUCCESS;
	case IBV_WC_WR_FLUSH_ERR:
	case IBV_WC_RETRY_EXC_ERR:
	case IBV_WC_REM_ABORT_ERR:
		return DOCA_ERROR_CONNECTION_RESET;
	case IBV_WC_RNR_RETRY_EXC_ERR:
	case IBV_WC_LOC_LEN_ERR:
	case IBV_WC_LOC_PROT_ERR:
	case IBV_WC_LOC_ACCESS_ERR:
	case IBV_WC_REM_INV_REQ_ERR:
	case IBV_WC_REM_ACCESS_ERR:
	case IBV_WC_REM_OP_ERR:
	default:
		return DOCA_ERROR_IO_FAILED;
	}
}

static __attribute__((noinline)) void port_failed_request(const struct verbs_port *port,
							  struct verbs_qp *qp,
							  const struct ibv_wc *wc)
{
	if (wc->status == IBV_WC_WR_FLUSH_ERR)
		return;
	sdk_warning("rdma: a request of queue pair %u on %s failed: %s (vendor error %u)",
		    wc->qp_num, port->device->name, port->device->api->wc_status_str(wc->status),
		    wc->vendor_err);
	if (qp != NULL)
		verbs_qp_break(qp, status_of(wc->status));
}

static inline void port_on_send(struct verbs_port *port, const struct ibv_wc *wc)
{
	struct rdma_wr *wr = (struct rdma_wr *)(uintptr_t)wc->wr_id;
	struct verbs_qp *qp = verbs_qp_of(wr->qp);

	/* Requests of a queue pair complete in the order of posting, so this must be the first;
	 * otherwise the device is faulty. */
	if (qp->posted.head != wr)
		return;
	verbs_wrs_take(&qp->posted);
	qp->n_posted--;
	wr->status = DOCA_SUCCESS;
	if (unlikely(wc->status != IBV_WC_SUCCESS)) {
		wr->status = status_of(wc->status);
		wr->len = 0;
	}
	verbs_port_done(port, wr);
	if (unlikely(wc->status != IBV_WC_SUCCESS))
		port_failed_request(port, qp, wc);
	if (qp->n_posted == 0 && qp->late.head != NULL)
		verbs_qp_return_all(qp);
}

static inline void port_on_recv(struct verbs_port *port, const struct ibv_wc *wc)
{
	struct verbs_qp *qp = verbs_qp_find(port, wc->qp_num);
	struct rdma_wr *wr = verbs_recv_take(port, wc->wr_id, qp);

	if (wr == NULL)
		return;
	if (unlikely(qp != NULL && qp->is_freed)) {
		verbs_leave_take(qp, wr);
		return;
	}
	wr->qp = qp != NULL ? &qp->base : NULL;
	wr->status = likely(wc->status == IBV_WC_SUCCESS) ? DOCA_SUCCESS : status_of(wc->status);
	wr->len = 0;
	if (likely(wr->status == DOCA_SUCCESS)) {
		wr->len = wc->byte_len;
		wr->imm = wc->wc_flags & IBV_WC_WITH_IMM ? wc->imm_data : 0;
		wr->came_by = wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM ? RDMA_WRITE_IMM
			      : wc->wc_flags & IBV_WC_WITH_IMM        ? RDMA_SEND_IMM
								      : RDMA_SEND;
	}
	verbs_port_done(port, wr);
	if (unlikely(wr->status != DOCA_SUCCESS))
		port_failed_request(port, qp, wc);
}

static inline int port_reap_some(struct verbs_port *port)
{
	struct ibv_wc wcs[REAP_MAX];
	int n = ibv_poll_cq(port->cq, REAP_MAX, wcs);

	for (int i = 0; i < n; i++) {
		/* The id of a request is its address, which is even; the id of a receive is odd. */
		if (wcs[i].wr_id & 1)
			port_on_recv(port, &wcs[i]);
		else
			port_on_send(port, &wcs[i]);
	}
	return n;
}

void verbs_reap(struct verbs_port *port)
{
	while (port_reap_some(port) > 0)
		continue;
}

struct rdma_wr *verbs_poll(struct rdma_port *base)
{
	struct verbs_port *port = verbs_port_of(base);
	struct rdma_wr *wr;

	if (port->done.head == NULL && port_reap_some(port) <= 0) {
		if (likely(port->looks == 0))
			return NULL;
		if (port->looks & VERBS_LOOK_STALL)
			verbs_stall_look(port);
		if (port->looks & VERBS_LOOK_LOST)
			verbs_recv_look(port);
	}
	wr = verbs_wrs_take(&port->done);
	port->n_taken += wr != NULL;
	return wr;
}

/* --- events --- */

/* The device is being removed. It may write to posted memory until its queue pairs are destroyed;
 * then all requests can be returned. */
static void port_lose_device(struct verbs_port *port)
{
	struct verbs_qp *qp;

	verbs_reap(port);
	port->is_gone = port->tells_gone = true;
	port->gone_at = port->n_done;
	list_for_each(qp, &port->qps, node)
	{
		verbs_qp_break(qp, DOCA_ERROR_CONNECTION_RESET);
		verbs_qp_strip(qp);
	}
}

/* Checks the device and the daemon's liveness word. The word also ends with a session; then the
 * next session decides. Without a daemon, the device counts as present. */
static void port_look_for_device(struct verbs_port *port)
{
	uint64_t now_ns, took_ns;

	port->ask_ns = 0;
	if (port->is_gone)
		return;
	if (atomic_load(&port->device->is_gone)) {
		port_lose_device(port);
		return;
	}
	if (likely(!dev_is_gone(port->base.dev)))
		return;
	now_ns = clock_now_ns();
	if (dev_has_gone_timeout(port->base.dev)) {
		port_lose_device(port);
		return;
	}
	took_ns = clock_now_ns() - now_ns;
	if (dev_is_gone(port->base.dev))
		port->ask_ns = now_ns + took_ns + MAX(ASK_NS, ASK_FACTOR * took_ns);
}

static void port_hear(struct verbs_port *port)
{
	struct verbs_qp *qp;
	eventfd_t n;

	atomic_store(&port->bell.news, false);
	(void)eventfd_read(port->bell.fd, &n);
	port_look_for_device(port);
	list_for_each(qp, &port->qps, node)
	{
		if (atomic_exchange(&qp->alarm.is_fatal, false)) {
			/* Earlier completions have a more precise status, so they are handled
			 * first. */
			verbs_reap(port);
			verbs_qp_break(qp, DOCA_ERROR_CONNECTION_RESET);
		}
	}
	if (port->lost_until != 0)
		verbs_recv_look(port);
	if (port->cm_channel != NULL)
		verbs_cm_progress(port);
}

static void port_tell(struct verbs_qp *qp, struct rdma_event *event_out)
{
	unsigned what = qp->tells & -qp->tells;

	qp->tells &= ~what;
	if (qp->tells == 0)
		list_remove(&qp->told_node);
	*event_out = (struct rdma_event){.qp = &qp->base, .reason = qp->reason};
	switch (what) {
	case VERBS_TELL_REQUESTED:
		event_out->type = RDMA_QP_REQUESTED;
		event_out->reason = DOCA_SUCCESS;
		break;
	case VERBS_TELL_ESTABLISHED:
		event_out->type = RDMA_QP_ESTABLISHED;
		event_out->reason = DOCA_SUCCESS;
		break;
	case VERBS_TELL_FAILED:
		event_out->type = RDMA_QP_FAILED;
		break;
	case VERBS_TELL_DISCONNECTED:
		event_out->type = RDMA_QP_DISCONNECTED;
		break;
	default:
		event_out->type = RDMA_QP_BROKEN;
		break;
	}
}

/* Returns whether all completions before this position were polled. */
static bool port_is_past(const struct verbs_port *port, uint64_t at)
{
	return port->n_taken >= at;
}

/* Returns the first queue pair with an event that may be reported now. The end of a queue pair is
 * reported only after its earlier completions. */
static struct verbs_qp *port_find_told(const struct verbs_port *port)
{
	struct verbs_qp *qp;

	list_for_each(qp, &port->told, told_node)
	{
		if ((qp->tells & -qp->tells) < VERBS_TELL_FAILED || port_is_past(port, qp->end_at))
			return qp;
	}
	return NULL;
}

bool verbs_next_event(struct rdma_port *base, struct rdma_event *event_out)
{
	struct verbs_port *port = verbs_port_of(base);
	struct verbs_qp *qp;

	if (unlikely(atomic_load_explicit(&port->bell.news, memory_order_acquire)))
		port_hear(port);
	if (unlikely(port->n_connecting > 0))
		verbs_cm_check_deadlines(port);
	if (unlikely(port->ask_ns != 0) && clock_now_ns() >= port->ask_ns)
		port_look_for_device(port);
	if (likely(list_is_empty(&port->told) && !port->tells_gone))
		return false;
	qp = port_find_told(port);
	if (qp != NULL) {
		port_tell(qp, event_out);
		return true;
	}
	if (!list_is_empty(&port->told) || !port_is_past(port, port->gone_at))
		return false;
	port->tells_gone = false;
	*event_out = (struct rdma_event){.type = RDMA_PORT_GONE,
					 .reason = DOCA_ERROR_CONNECTION_RESET};
	return true;
}
