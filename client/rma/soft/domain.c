/*
 * Soft domains: opening and closing, poll, sleep, events. Ringing a queue pair's doorbell makes the
 * domain's epoll set readable, as does the exit of a process at the other end. Doorbells are
 * watched edge-triggered and never read, so that no process that shares one can remove a wake-up.
 * Threads: one at a time per domain.
 */
#include "client/rma/soft/domain.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "client/base/error.h"
#include "client/device/dev.h"
#include "util/clock.h"
#include "util/fd.h"

/* The number of queue pairs that one call polls, so that its cost does not grow with the
 * idle ones. */
#define SOFT_BURST 16u
/* While completions are queued, every 16th poll polls queue pairs all the same. */
#define SOFT_QP_POLL_EVERY 16u
/* In the first 64 polls for events after a message, only every 8th one looks for events. */
#define SOFT_BUSY_POLLS       64u
#define SOFT_EVENT_POLL_EVERY 8u
/* The number of polls between two checks of the other ends' processes, for when no daemon is left
 * to report their exit. */
#define SOFT_EVENT_POLLS_PER_CHECK (1u << 20)
#define SOFT_DRAIN_MAX             64
/* The interval at which the daemon is asked whether the device was removed or only a session
 * ended. */
#define SOFT_REMOVAL_CHECK_NS NS_PER_SEC

/* --- opening and closing --- */

static doca_error_t open_check(const struct doca_dev *dev, const struct rdma_conf *conf,
			       const struct rdma_limits *limits)
{
	const struct {
		const char *what;
		uint32_t n, max;
	} rules[] = {
		{"send queue", conf->send_queue, limits->max_send_queue},
		{"receive queue", conf->recv_queue, limits->max_recv_queue},
		{"number of send buffers in a list", conf->max_send_sges, limits->max_send_sges},
		{"number of receive buffers in a list", conf->max_recv_sges, limits->max_recv_sges},
		{"number of connections", conf->max_qps, limits->max_qps},
		{"MTU", conf->mtu, limits->max_mtu},
	};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (rules[i].n > rules[i].max)
			return error_set(DOCA_ERROR_INVALID_VALUE,
					 "rdma start: a %s of %u; %s allows %u at most",
					 rules[i].what, rules[i].n, dev->info->name, rules[i].max);
	}
	if (conf->send_queue == 0 || conf->max_qps == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma start: the send queue or the number of connections is 0");
	if (conf->gid_index >= limits->n_gids)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma start: GID index %u; %s has %u GIDs", conf->gid_index,
				 dev->info->name, limits->n_gids);
	return DOCA_SUCCESS;
}

static int open_fds(struct soft_domain *domain)
{
	struct epoll_event event = {.events = EPOLLIN};

	domain->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (domain->epoll_fd < 0)
		return -errno;
	domain->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (domain->timerfd < 0 ||
	    epoll_ctl(domain->epoll_fd, EPOLL_CTL_ADD, domain->timerfd, &event) < 0)
		return -errno;
	return 0;
}

static void domain_free(struct soft_domain *domain)
{
	fd_close(&domain->epoll_fd);
	fd_close(&domain->timerfd);
	free(domain->up);
	free(domain);
}

doca_error_t soft_open(struct doca_dev *dev, const struct rdma_conf *conf,
		       struct rdma_domain **domain_out)
{
	char reason[RDMA_REASON_MAX];
	struct rdma_limits limits;
	struct soft_domain *domain;
	doca_error_t result;
	int r;

	if (!soft_query(dev->info, &limits, reason))
		return error_set(DOCA_ERROR_NOT_SUPPORTED, "rdma start: %s has no RDMA: %s",
				 dev->info->name, reason);
	result = open_check(dev, conf, &limits);
	if (result != DOCA_SUCCESS)
		return result;
	domain = calloc(1, sizeof(*domain));
	if (domain == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma start: out of memory");
	domain->base.dev = dev;
	domain->conf = *conf;
	domain->limits = limits;
	domain->done_tail = &domain->done_head;
	domain->recv_tail = &domain->recv_head;
	domain->n_quiet = SOFT_BUSY_POLLS;
	domain->epoll_fd = domain->timerfd = domain->wake_fd = -1;
	domain->rendezvous.base.events = (struct event_reader)EVENT_READER_INIT;
	list_init(&domain->rendezvous.base.item.node);
	list_init(&domain->qps);
	list_init(&domain->events);
	domain->up = calloc(conf->max_qps, sizeof(domain->up[0]));
	r = domain->up == NULL ? -ENOMEM : open_fds(domain);
	if (r < 0) {
		domain_free(domain);
		return error_set(
			error_from_errno(r),
			"rdma start: no memory or no descriptors for the domain (error %d)", -r);
	}
	rpc_watch_init(&domain->session, domain->epoll_fd, SOFT_EVENT_SESSION);
	dev_hold(dev);
	*domain_out = &domain->base;
	return DOCA_SUCCESS;
}

void soft_close(struct rdma_domain *base)
{
	struct soft_domain *domain = soft_domain_of(base);

	while (!list_is_empty(&domain->qps))
		soft_qp_free(&list_entry(domain->qps.next, struct soft_qp, node)->base);
	soft_rendezvous_close(domain);
	soft_requests_close(domain);
	dev_release(base->dev);
	domain_free(domain);
}

/* --- poll --- */

static struct rdma_wr *domain_pop_done(struct soft_domain *domain)
{
	struct rdma_wr *wr = domain->done_head;

	if (wr == NULL)
		return NULL;
	domain->done_head = wr->next;
	if (domain->done_head == NULL)
		domain->done_tail = &domain->done_head;
	return wr;
}

/* Polls one queue pair: its next message, and what the other end has received. */
static inline struct rdma_wr *poll_qp(struct soft_domain *domain, struct soft_qp *qp)
{
	const struct qp_slot *slot = soft_next_slot(qp);
	uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
	struct rdma_wr *wr;

	/* Fetches both cache lines of a message at the same time, rather than one after the
	 * other. */
	__builtin_prefetch((const uint8_t *)slot + SHM_CACHE_LINE);
	if (soft_is_next(qp, word)) {
		wr = soft_receive(qp, word);
		if (likely(wr != NULL)) {
			domain->n_quiet = 0;
			return wr;
		}
	} else if (unlikely(qp->n_reported != qp->n_taken)) {
		soft_acknowledge(qp);
	}
	if (qp->done != qp->posted && soft_wants_reap(qp))
		soft_reap(qp);
	if (unlikely(qp->issued != qp->posted))
		soft_push(qp);
	return domain_pop_done(domain);
}

static __attribute__((noinline)) struct rdma_wr *poll_many(struct soft_domain *domain)
{
	struct rdma_wr *wr = NULL;

	for (uint32_t n = MIN(domain->n_up, SOFT_BURST); wr == NULL && n > 0; n--) {
		/* A queue pair that ended leaves a gap, which the last one fills. */
		if (domain->n_up == 0)
			return domain_pop_done(domain);
		if (++domain->turn >= domain->n_up)
			domain->turn = 0;
		wr = poll_qp(domain, domain->up[domain->turn]);
	}
	return wr != NULL ? wr : domain_pop_done(domain);
}

struct rdma_wr *soft_poll(struct rdma_domain *base)
{
	struct soft_domain *domain = soft_domain_of(base);

	/* A user with many queued completions must still serve the other ends from time to time. */
	if (domain->done_head != NULL && likely(++domain->n_polls % SOFT_QP_POLL_EVERY != 0))
		return domain_pop_done(domain);
	return likely(domain->n_up == 1) ? poll_qp(domain, domain->up[0]) : poll_many(domain);
}

/* --- the device --- */

/* Checks the liveness word of the device. The word also ends with a session; the next session
 * brings another. */
static inline bool domain_lacks_device(const struct soft_domain *domain)
{
	return unlikely(dev_is_removed(domain->base.dev)) && !domain->is_removed;
}

static __attribute__((noinline)) void domain_check_device(struct soft_domain *domain)
{
	uint64_t now_ns = clock_now_ns();
	bool is_removed;

	if (now_ns < domain->removal_check_ns)
		return;
	is_removed = dev_check_removed_async(domain->base.dev);
	domain->removal_check_ns = now_ns + SOFT_REMOVAL_CHECK_NS;
	if (!is_removed)
		return;
	domain->is_removed = domain->reports_removal = true;
	while (domain->n_up > 0)
		soft_qp_end(domain->up[0], QP_END_BROKEN, RDMA_QP_BROKEN,
			    DOCA_ERROR_CONNECTION_RESET);
}

/* --- sleeping --- */

int soft_get_fd(const struct rdma_domain *domain)
{
	return container_of(domain, const struct soft_domain, base)->epoll_fd;
}

/* Clears the pending wake-ups, and notes processes that have exited. */
static void domain_clear_wakeups(struct soft_domain *domain)
{
	struct epoll_event events[16];
	int n, turns = 0;

	do {
		n = epoll_wait(domain->epoll_fd, events, ARRAY_LEN(events), 0);
		for (int i = 0; i < n; i++) {
			uint64_t data = events[i].data.u64;

			if (data == SOFT_EVENT_SESSION)
				rpc_watch_handle(events[i].events);
			else if (data & SOFT_EVENT_PIDFD && data != SOFT_EVENT_PIDFD) {
				struct soft_qp *qp =
					(struct soft_qp *)(uintptr_t)(data - SOFT_EVENT_PIDFD);

				qp->is_peer_dead = true;
				soft_unwatch(domain, qp->pidfd);
			}
		}
	} while ((n == (int)ARRAY_LEN(events) || (n < 0 && errno == EINTR)) &&
		 ++turns < SOFT_DRAIN_MAX);
}

static void domain_set_timer(struct soft_domain *domain, uint64_t at_ns)
{
	struct itimerspec at = {.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SEC),
					     .tv_nsec = (long)(at_ns % NS_PER_SEC)}};

	domain->is_timed = at_ns != 0;
	timerfd_settime(domain->timerfd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void qp_arm_begin(struct soft_qp *qp)
{
	soft_acknowledge(qp);
	/* A sleeping user polls too rarely to postpone the check of `taken`. */
	qp->n_skips = 0;
	atomic_fetch_or(&qp->inbox->armed, CHANNEL_SLEEPING);
	if (qp->done != qp->posted)
		atomic_fetch_or(&qp->outbox->space_armed, CHANNEL_SLEEPING);
}

/* Returns whether the other end has no receive for this queue pair and no poll has noted it: then
 * the timer is not set yet. */
static bool qp_is_newly_starved(const struct soft_qp *qp)
{
	return soft_qp_domain(qp)->conf.rnr_retry != 7 && qp->starved_since_ns == 0 &&
	       soft_qp_is_starved(qp);
}

static bool qp_arm_end(struct soft_qp *qp, bool fenced)
{
	if (unlikely(!fenced)) {
		/* Sets the flags regardless of what the shared words claim, because the peer may
		 * write false values there. */
		atomic_fetch_or(&qp->outbox->space_armed, CHANNEL_FENCE);
		atomic_fetch_or(&qp->inbox->armed, CHANNEL_FENCE);
		barrier_self();
	}
	return soft_recv_has_work(qp) || soft_send_has_work(qp) || qp_is_newly_starved(qp) ||
	       qp->is_peer_dead || atomic_load(&qp->inbox->end) != 0 ||
	       !liveness_is_alive(atomic_load(qp->liveness.alive), qp->liveness.generation);
}

bool soft_arm(struct rdma_domain *base)
{
	struct soft_domain *domain = soft_domain_of(base);
	uint64_t at_ns = UINT64_MAX;
	bool fenced, has_work;

	if (domain->done_head != NULL || !list_is_empty(&domain->events) || domain->reports_removal)
		return true;
	domain_clear_wakeups(domain);
	/* A sleeping user polls rarely, so the next poll must look for events. */
	domain->n_quiet = SOFT_BUSY_POLLS;
	has_work = soft_rendezvous_arm(domain, &at_ns);
	for (uint32_t i = 0; i < domain->n_up; i++)
		qp_arm_begin(domain->up[i]);
	fenced = ring_arm_fence();
	for (uint32_t i = 0; i < domain->n_up; i++) {
		struct soft_qp *qp = domain->up[i];

		has_work |= qp_arm_end(qp, fenced);
		if (qp->starved_since_ns != 0)
			at_ns = MIN(at_ns,
				    qp->starved_since_ns + domain->conf.rnr_retry * SOFT_RNR_NS);
	}
	/* The daemon ends the device's life before it rings, so check after draining. */
	if (domain_lacks_device(domain)) {
		has_work |= clock_now_ns() >= domain->removal_check_ns;
		at_ns = MIN(at_ns, domain->removal_check_ns);
	}
	if (!has_work && at_ns != UINT64_MAX)
		domain_set_timer(domain, at_ns);
	return has_work;
}

void soft_disarm(struct rdma_domain *base)
{
	struct soft_domain *domain = soft_domain_of(base);

	for (uint32_t i = 0; i < domain->n_up; i++) {
		ring_sleeper_disarm(&domain->up[i]->inbox->armed);
		ring_sleeper_disarm(&domain->up[i]->outbox->space_armed);
	}
	if (domain->rendezvous.base.is_open)
		event_reader_disarm(&domain->rendezvous.base.events);
	if (domain->is_timed)
		domain_set_timer(domain, 0);
	domain_clear_wakeups(domain);
}

/* --- events --- */

void soft_report(struct soft_qp *qp, enum rdma_event_type type, doca_error_t reason)
{
	qp->events_due |= 1u << type;
	qp->reason = reason;
	if (list_is_empty(&qp->event_node))
		list_append(&soft_qp_domain(qp)->events, &qp->event_node);
}

static void domain_check(struct soft_domain *domain)
{
	bool ask_system = ++domain->n_checks % SOFT_EVENT_POLLS_PER_CHECK == 0;
	uint32_t n = ask_system ? domain->n_up : MIN(domain->n_up, SOFT_BURST);

	for (; n > 0 && domain->n_up > 0; n--) {
		if (++domain->watch_turn >= domain->n_up)
			domain->watch_turn = 0;
		soft_qp_check(domain->up[domain->watch_turn], ask_system);
	}
}

/* Returns true if it is time to look for events although none is queued. Right after traffic there
 * are rarely any, and the user is waiting for the next message. */
static inline bool domain_must_check(struct soft_domain *domain)
{
	if (domain->n_quiet >= SOFT_BUSY_POLLS)
		return true;
	domain->n_quiet++;
	return ++domain->n_asked % SOFT_EVENT_POLL_EVERY == 0;
}

static __attribute__((noinline)) void domain_poll_all(struct soft_domain *domain)
{
	if (domain_lacks_device(domain))
		domain_check_device(domain);
	domain_check(domain);
	if (unlikely(domain->rendezvous.base.is_open || domain->rendezvous.has_unregistered) &&
	    list_is_empty(&domain->events))
		soft_rendezvous_poll(domain);
}

bool soft_next_event(struct rdma_domain *base, struct rdma_event *event_out)
{
	struct soft_domain *domain = soft_domain_of(base);
	struct soft_qp *qp;
	uint32_t type;

	if (list_is_empty(&domain->events)) {
		if (likely(!domain_must_check(domain)))
			return false;
		domain_poll_all(domain);
	}
	if (list_is_empty(&domain->events)) {
		if (likely(!domain->reports_removal))
			return false;
		domain->reports_removal = false;
		*event_out = (struct rdma_event){.type = RDMA_DEVICE_REMOVED,
						 .reason = DOCA_ERROR_CONNECTION_RESET};
		return true;
	}
	qp = list_entry(domain->events.next, struct soft_qp, event_node);
	type = (uint32_t)__builtin_ctz(qp->events_due);
	qp->events_due &= ~(1u << type);
	if (qp->events_due == 0)
		list_remove(&qp->event_node);
	*event_out = (struct rdma_event){
		.type = (enum rdma_event_type)type,
		.qp = &qp->base,
		.reason = type == RDMA_QP_ESTABLISHED ? DOCA_SUCCESS : qp->reason,
	};
	return true;
}
