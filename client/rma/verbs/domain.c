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
#define REMOVAL_CHECK_NS NS_PER_SEC

/* --- opening --- */

doca_error_t verbs_domain_failed(const struct verbs_domain *domain, const char *what, int error)
{
	char hint[VERBS_HINT_MAX];

	return error_set(error == ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_OPERATING_SYSTEM,
			 "rdma: %s cannot be made on %s: %s%s", what, domain->device->name,
			 strerror(error), verbs_memlock_hint(error, hint));
}

static doca_error_t domain_make_waiting(struct verbs_domain *domain)
{
	struct epoll_event event = {.events = EPOLLIN};
	int flags, r;

	domain->channel = domain->device->api->create_comp_channel(domain->device->context);
	if (domain->channel == NULL)
		return verbs_domain_failed(domain, "a completion channel", errno);
	flags = fcntl(domain->channel->fd, F_GETFL);
	domain->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	domain->wakeup.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	domain->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (flags < 0 || fcntl(domain->channel->fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    domain->epoll_fd < 0 || domain->wakeup.fd < 0 || domain->timer_fd < 0 ||
	    epoll_ctl(domain->epoll_fd, EPOLL_CTL_ADD, domain->channel->fd, &event) < 0 ||
	    epoll_ctl(domain->epoll_fd, EPOLL_CTL_ADD, domain->timer_fd, &event) < 0 ||
	    epoll_ctl(domain->epoll_fd, EPOLL_CTL_ADD, domain->wakeup.fd, &event) < 0)
		return verbs_domain_failed(domain, "a descriptor to wait for", errno);
	r = verbs_wakeup_add(domain->device, &domain->wakeup);
	if (r == 0)
		r = verbs_wakeup_watch(&domain->wakeup);
	return r == 0 ? DOCA_SUCCESS : verbs_domain_failed(domain, "a thread for events", -r);
}

doca_error_t verbs_domain_make_srq(struct verbs_domain *domain)
{
	struct ibv_srq_init_attr attr = {
		.attr = {.max_wr = domain->conf.recv_queue, .max_sge = domain->conf.max_recv_sges}};

	domain->srq = domain->device->api->create_srq(domain->device->pd, &attr);
	return domain->srq != NULL ? DOCA_SUCCESS
				   : verbs_domain_failed(domain, "a receive queue", errno);
}

static doca_error_t domain_make_queues(struct verbs_domain *domain)
{
	uint64_t n = (uint64_t)domain->conf.max_qps * domain->conf.send_queue +
		     domain->conf.recv_queue;
	uint64_t room = verbs_may_stall(domain->device) ? domain->conf.max_qps : 0;

	if (n > (uint64_t)domain->device->attr.max_cqe)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"rdma: %u %s of %u %s and %u %s need a completion queue of %llu, %s has at "
			"most %d; lower one of them",
			domain->conf.max_qps,
			plural(domain->conf.max_qps, "connection", "connections"),
			domain->conf.send_queue,
			plural(domain->conf.send_queue, "request", "requests"),
			domain->conf.recv_queue,
			plural(domain->conf.recv_queue, "receive", "receives"),
			(unsigned long long)n, domain->device->name, domain->device->attr.max_cqe);
	n = MIN(n + room, (uint64_t)domain->device->attr.max_cqe);
	domain->cq = domain->device->api->create_cq(domain->device->context, (int)n, NULL,
						    domain->channel, 0);
	if (domain->cq == NULL)
		return verbs_domain_failed(domain, "a completion queue", errno);
	domain->recvs = calloc(domain->conf.recv_queue, sizeof(*domain->recvs));
	for (domain->n_buckets = 1; domain->n_buckets < domain->conf.max_qps;
	     domain->n_buckets *= 2)
		continue;
	domain->buckets = calloc(domain->n_buckets, sizeof(struct verbs_qp *));
	if (domain->recvs == NULL || domain->buckets == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	for (uint32_t i = 0; i < domain->conf.recv_queue; i++)
		domain->recvs[i].next_free = i + 1;
	return verbs_domain_make_srq(domain);
}

doca_error_t verbs_domain_new(struct verbs_device *device, struct doca_dev *dev,
			      const struct rdma_conf *conf, struct rdma_domain **domain_out)
{
	struct verbs_domain *domain = calloc(1, sizeof(*domain));
	doca_error_t result;

	if (domain == NULL) {
		verbs_device_unref(device);
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	}
	domain->device = device;
	domain->base = (struct rdma_domain){.dev = dev};
	domain->conf = *conf;
	domain->checks = verbs_may_stall(device) ? VERBS_CHECK_STALL : 0;
	domain->conf.send_queue = MAX(conf->send_queue, 1u);
	domain->conf.recv_queue = MAX(conf->recv_queue, 1u);
	domain->conf.max_qps = MAX(conf->max_qps, 1u);
	domain->conf.max_send_sges = MIN(MAX(conf->max_send_sges, 1u), VERBS_SGES_MAX);
	domain->conf.max_recv_sges = MIN(MAX(conf->max_recv_sges, 1u), VERBS_SGES_MAX);
	domain->epoll_fd = domain->wakeup.fd = domain->timer_fd = -1;
	list_init(&domain->wakeup.node);
	domain->wakeup.dev = dev;
	list_init(&domain->qps);
	list_init(&domain->reporting);
	list_init(&domain->listeners);
	verbs_wrs_init(&domain->done);
	if (conf->gid_index >= verbs_n_gids(domain->device))
		result = error_set(DOCA_ERROR_INVALID_VALUE,
				   "rdma: GID index %u is not in the table of %s, of which %u can "
				   "be used",
				   conf->gid_index, domain->device->name,
				   verbs_n_gids(domain->device));
	else
		result = domain_make_waiting(domain);
	if (result == DOCA_SUCCESS)
		result = domain_make_queues(domain);
	if (result != DOCA_SUCCESS) {
		verbs_close(&domain->base);
		return result;
	}
	*domain_out = &domain->base;
	return DOCA_SUCCESS;
}

doca_error_t verbs_open(struct doca_dev *dev, const struct rdma_conf *conf,
			struct rdma_domain **domain_out)
{
	char reason[RDMA_REASON_MAX];
	struct verbs_device *device = verbs_device_of(dev, reason);

	if (device == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND, "rdma: %s cannot be used: %s",
				 dev->info->name, reason);
	return verbs_domain_new(device, dev, conf, domain_out);
}

void verbs_close(struct rdma_domain *base)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	const struct verbs_api *api = domain->device->api;

	while (!list_is_empty(&domain->qps))
		verbs_qp_delete(list_entry(domain->qps.next, struct verbs_qp, node));
	verbs_cm_deinit(domain);
	verbs_wakeup_unwatch(&domain->wakeup);
	if (!list_is_empty(&domain->wakeup.node))
		verbs_wakeup_remove(domain->device, &domain->wakeup);
	if (domain->srq != NULL)
		api->destroy_srq(domain->srq);
	if (domain->cq != NULL) {
		verbs_disarm(base);
		api->destroy_cq(domain->cq);
	}
	if (domain->channel != NULL)
		api->destroy_comp_channel(domain->channel);
	fd_close(&domain->epoll_fd);
	fd_close(&domain->wakeup.fd);
	fd_close(&domain->timer_fd);
	free(domain->recvs);
	free(domain->buckets);
	verbs_device_unref(domain->device);
	free(domain);
}

doca_error_t verbs_domain_gid(const struct verbs_domain *domain, union ibv_gid *gid_out)
{
	static const union ibv_gid unused;
	const char *name = domain->device->name;

	if (domain->device->api->query_gid(domain->device->context, VERBS_PORT_NUM,
					   (int)domain->conf.gid_index, gid_out) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma: %s has no GID with index %u",
				 name, domain->conf.gid_index);
	if (memcmp(gid_out, &unused, sizeof(unused)) == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma: the GID of %s with index %u is not in use: no address of "
				 "its interface has it; see doca_rdma_set_gid_index, and "
				 "/sys/class/infiniband/%s/ports/%u/gids",
				 name, domain->conf.gid_index, name, VERBS_PORT_NUM);
	return DOCA_SUCCESS;
}

/* --- waiting --- */

int verbs_get_fd(const struct rdma_domain *base)
{
	return verbs_domain_of(base)->epoll_fd;
}

static bool domain_has_work(const struct verbs_domain *domain)
{
	return domain->done.head != NULL || !list_is_empty(&domain->reporting) ||
	       domain->reports_removal || atomic_load(&domain->wakeup.has_events);
}

static void domain_set_timer(struct verbs_domain *domain, uint64_t at_ns)
{
	const struct itimerspec at = {.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SEC),
						   .tv_nsec = (long)(at_ns % NS_PER_SEC)}};

	domain->is_timed = at_ns != 0;
	(void)timerfd_settime(domain->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static inline void domain_arm_timer(struct verbs_domain *domain)
{
	uint64_t at_ns = UINT64_MAX;

	if (unlikely(domain->checks & VERBS_CHECK_STALL))
		at_ns = verbs_stall_due(domain);
	if (likely(domain->n_connecting == 0 && domain->check_ns == 0 && at_ns == UINT64_MAX))
		return;
	if (domain->n_connecting > 0)
		at_ns = MIN(at_ns, verbs_cm_next_deadline(domain));
	if (domain->check_ns != 0)
		at_ns = MIN(at_ns, domain->check_ns);
	domain_set_timer(domain, at_ns);
}

bool verbs_arm(struct rdma_domain *base)
{
	struct verbs_domain *domain = verbs_domain_of(base);

	if (domain_has_work(domain))
		return true;
	domain->is_armed = true;
	domain_arm_timer(domain);
	(void)ibv_req_notify_cq(domain->cq, 0);
	/* Completions that arrived before do not ring the channel. */
	verbs_reap(domain);
	if (unlikely(domain->checks & VERBS_CHECK_LOST))
		verbs_recv_check(domain);
	return domain_has_work(domain);
}

void verbs_disarm(struct rdma_domain *base)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	struct ibv_cq *cq;
	void *context;

	if (!domain->is_armed)
		return;
	domain->is_armed = false;
	if (unlikely(domain->is_timed)) {
		domain_set_timer(domain, 0);
		verbs_stall_wake(domain);
	}
	while (domain->device->api->get_cq_event(domain->channel, &cq, &context) == 0)
		domain->device->api->ack_cq_events(cq, 1);
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

static __attribute__((noinline)) void domain_failed_request(const struct verbs_domain *domain,
							    struct verbs_qp *qp,
							    const struct ibv_wc *wc)
{
	if (wc->status == IBV_WC_WR_FLUSH_ERR)
		return;
	sdk_warning("rdma: a request of queue pair %u on %s failed: %s (vendor error %u)",
		    wc->qp_num, domain->device->name,
		    domain->device->api->wc_status_str(wc->status), wc->vendor_err);
	if (qp != NULL)
		verbs_qp_break(qp, status_of(wc->status));
}

static inline void domain_on_send(struct verbs_domain *domain, const struct ibv_wc *wc)
{
	struct rdma_wr *wr = (struct rdma_wr *)(uintptr_t)wc->wr_id;
	struct verbs_qp *qp = verbs_qp_of(wr->qp);

	/* Requests of a queue pair complete in the order of posting, so this must be the first;
	 * otherwise the device is faulty. */
	if (qp->posted.head != wr)
		return;
	verbs_wrs_pop(&qp->posted);
	qp->n_posted--;
	wr->status = DOCA_SUCCESS;
	if (unlikely(wc->status != IBV_WC_SUCCESS)) {
		wr->status = status_of(wc->status);
		wr->len = 0;
	}
	verbs_domain_complete(domain, wr);
	if (unlikely(wc->status != IBV_WC_SUCCESS))
		domain_failed_request(domain, qp, wc);
	if (qp->n_posted == 0 && qp->late.head != NULL)
		verbs_qp_return_all(qp);
}

static inline void domain_on_recv(struct verbs_domain *domain, const struct ibv_wc *wc)
{
	struct verbs_qp *qp = verbs_qp_find(domain, wc->qp_num);
	struct rdma_wr *wr = verbs_recv_complete(domain, wc->wr_id, qp);

	if (wr == NULL)
		return;
	if (unlikely(qp != NULL && qp->is_freed)) {
		verbs_drain_recv(qp, wr);
		return;
	}
	wr->qp = qp != NULL ? &qp->base : NULL;
	wr->status = likely(wc->status == IBV_WC_SUCCESS) ? DOCA_SUCCESS : status_of(wc->status);
	wr->len = 0;
	if (likely(wr->status == DOCA_SUCCESS)) {
		wr->len = wc->byte_len;
		wr->imm = wc->wc_flags & IBV_WC_WITH_IMM ? wc->imm_data : 0;
		wr->received_as = wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM ? RDMA_WRITE_IMM
				  : wc->wc_flags & IBV_WC_WITH_IMM        ? RDMA_SEND_IMM
									  : RDMA_SEND;
	}
	verbs_domain_complete(domain, wr);
	if (unlikely(wr->status != DOCA_SUCCESS))
		domain_failed_request(domain, qp, wc);
}

static inline int domain_reap_some(struct verbs_domain *domain)
{
	struct ibv_wc wcs[REAP_MAX];
	int n = ibv_poll_cq(domain->cq, REAP_MAX, wcs);

	for (int i = 0; i < n; i++) {
		/* The id of a request is its address, which is even; the id of a receive is odd. */
		if (wcs[i].wr_id & 1)
			domain_on_recv(domain, &wcs[i]);
		else
			domain_on_send(domain, &wcs[i]);
	}
	return n;
}

void verbs_reap(struct verbs_domain *domain)
{
	while (domain_reap_some(domain) > 0)
		continue;
}

struct rdma_wr *verbs_poll(struct rdma_domain *base)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	struct rdma_wr *wr;

	if (domain->done.head == NULL && domain_reap_some(domain) <= 0) {
		if (likely(domain->checks == 0))
			return NULL;
		if (domain->checks & VERBS_CHECK_STALL)
			verbs_stall_check(domain);
		if (domain->checks & VERBS_CHECK_LOST)
			verbs_recv_check(domain);
	}
	wr = verbs_wrs_pop(&domain->done);
	domain->n_taken += wr != NULL;
	return wr;
}

/* --- events --- */

/* The device is being removed. It may write to posted memory until its queue pairs are destroyed;
 * then all requests can be returned. */
static void domain_lose_device(struct verbs_domain *domain)
{
	struct verbs_qp *qp;

	verbs_reap(domain);
	domain->is_removed = domain->reports_removal = true;
	domain->removed_at = domain->n_done;
	list_for_each(qp, &domain->qps, node)
	{
		verbs_qp_break(qp, DOCA_ERROR_CONNECTION_RESET);
		verbs_qp_destroy(qp);
	}
}

/* Checks the device and the daemon's liveness word. The word also ends with a session; then the
 * next session decides. Without a daemon, the device counts as present. */
static void domain_check_device(struct verbs_domain *domain)
{
	uint64_t now_ns;

	domain->check_ns = 0;
	if (domain->is_removed)
		return;
	if (atomic_load(&domain->device->is_removed)) {
		domain_lose_device(domain);
		return;
	}
	if (likely(!dev_is_removed(domain->base.dev)))
		return;
	now_ns = clock_now_ns();
	if (dev_check_removed_async(domain->base.dev)) {
		domain_lose_device(domain);
		return;
	}
	if (dev_is_removed(domain->base.dev))
		domain->check_ns = now_ns + REMOVAL_CHECK_NS;
}

static void domain_clear_wakeup(struct verbs_domain *domain)
{
	struct verbs_qp *qp;
	eventfd_t n;

	atomic_store(&domain->wakeup.has_events, false);
	(void)eventfd_read(domain->wakeup.fd, &n);
	domain_check_device(domain);
	list_for_each(qp, &domain->qps, node)
	{
		if (atomic_exchange(&qp->alarm.is_fatal, false)) {
			/* Earlier completions have a more precise status, so they are handled
			 * first. */
			verbs_reap(domain);
			verbs_qp_break(qp, DOCA_ERROR_CONNECTION_RESET);
		}
	}
	if (domain->lost_until != 0)
		verbs_recv_check(domain);
	if (domain->cm_channel != NULL)
		verbs_cm_progress(domain);
}

static void domain_report(struct verbs_qp *qp, struct rdma_event *event_out)
{
	unsigned what = qp->events & -qp->events;

	qp->events &= ~what;
	if (qp->events == 0)
		list_remove(&qp->report_node);
	*event_out = (struct rdma_event){.qp = &qp->base, .reason = qp->reason};
	switch (what) {
	case VERBS_EVENT_REQUESTED:
		event_out->type = RDMA_QP_REQUESTED;
		event_out->reason = DOCA_SUCCESS;
		break;
	case VERBS_EVENT_ESTABLISHED:
		event_out->type = RDMA_QP_ESTABLISHED;
		event_out->reason = DOCA_SUCCESS;
		break;
	case VERBS_EVENT_FAILED:
		event_out->type = RDMA_QP_FAILED;
		break;
	case VERBS_EVENT_DISCONNECTED:
		event_out->type = RDMA_QP_DISCONNECTED;
		break;
	default:
		event_out->type = RDMA_QP_BROKEN;
		break;
	}
}

/* Returns whether all completions before this position were polled. */
static bool domain_is_polled(const struct verbs_domain *domain, uint64_t at)
{
	return domain->n_taken >= at;
}

/* Returns the first queue pair with an event that may be reported now. The end of a queue pair is
 * reported only after its earlier completions. */
static struct verbs_qp *domain_find_event(const struct verbs_domain *domain)
{
	struct verbs_qp *qp;

	list_for_each(qp, &domain->reporting, report_node)
	{
		if ((qp->events & -qp->events) < VERBS_EVENT_FAILED ||
		    domain_is_polled(domain, qp->end_at))
			return qp;
	}
	return NULL;
}

bool verbs_next_event(struct rdma_domain *base, struct rdma_event *event_out)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	struct verbs_qp *qp;

	if (unlikely(atomic_load_explicit(&domain->wakeup.has_events, memory_order_acquire)))
		domain_clear_wakeup(domain);
	if (unlikely(domain->n_connecting > 0))
		verbs_cm_check_deadlines(domain);
	if (unlikely(domain->check_ns != 0) && clock_now_ns() >= domain->check_ns)
		domain_check_device(domain);
	if (likely(list_is_empty(&domain->reporting) && !domain->reports_removal))
		return false;
	qp = domain_find_event(domain);
	if (qp != NULL) {
		domain_report(qp, event_out);
		return true;
	}
	if (!list_is_empty(&domain->reporting) || !domain_is_polled(domain, domain->removed_at))
		return false;
	domain->reports_removal = false;
	*event_out = (struct rdma_event){.type = RDMA_DEVICE_REMOVED,
					 .reason = DOCA_ERROR_CONNECTION_RESET};
	return true;
}
