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
#define SOFT_TURN_EVERY 16u
/* In the first 64 polls for events after a message, only every 8th one looks for events. */
#define SOFT_BUSY_POLLS 64u
#define SOFT_LOOK_EVERY 8u
/* The number of polls between two checks of the other ends' processes, for when no daemon is left
 * to report their exit. */
#define SOFT_LOOKS_PER_CHECK (1u << 20)
#define SOFT_DRAIN_MAX       64
/* The interval at which the daemon is asked whether the device was removed or only a session
 * ended. */
#define SOFT_ASK_NS NS_PER_SEC
/* The interval is also at least this many times as long as the last answer took, for a daemon that
 * is slow. */
#define SOFT_ASK_FACTOR 10u

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

static int open_fds(struct soft_port *port)
{
	struct epoll_event event = {.events = EPOLLIN};

	port->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (port->epoll_fd < 0)
		return -errno;
	port->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (port->timerfd < 0 ||
	    epoll_ctl(port->epoll_fd, EPOLL_CTL_ADD, port->timerfd, &event) < 0)
		return -errno;
	return 0;
}

static void port_free(struct soft_port *port)
{
	fd_close(&port->epoll_fd);
	fd_close(&port->timerfd);
	free(port->up);
	free(port);
}

doca_error_t soft_open(struct doca_dev *dev, const struct rdma_conf *conf,
		       struct rdma_port **port_out)
{
	char reason[RDMA_REASON_MAX];
	struct rdma_limits limits;
	struct soft_port *port;
	doca_error_t result;
	int r;

	if (!soft_query(dev->info, &limits, reason))
		return error_set(DOCA_ERROR_NOT_SUPPORTED, "rdma start: %s has no RDMA: %s",
				 dev->info->name, reason);
	result = open_check(dev, conf, &limits);
	if (result != DOCA_SUCCESS)
		return result;
	port = calloc(1, sizeof(*port));
	if (port == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma start: out of memory");
	port->base.dev = dev;
	port->conf = *conf;
	port->limits = limits;
	port->done_tail = &port->done_head;
	port->recv_tail = &port->recv_head;
	port->n_quiet = SOFT_BUSY_POLLS;
	port->epoll_fd = port->timerfd = port->session_fd = -1;
	port->rendezvous.base.events = (struct event_reader)EVENT_READER_INIT;
	list_init(&port->rendezvous.base.item.node);
	list_init(&port->qps);
	list_init(&port->events);
	port->up = calloc(conf->max_qps, sizeof(port->up[0]));
	r = port->up == NULL ? -ENOMEM : open_fds(port);
	if (r < 0) {
		port_free(port);
		return error_set(error_from_errno(r),
				 "rdma start: no memory or no descriptors for the port (error %d)",
				 -r);
	}
	dev_hold(dev);
	*port_out = &port->base;
	return DOCA_SUCCESS;
}

void soft_close(struct rdma_port *base)
{
	struct soft_port *port = soft_port_of(base);

	while (!list_is_empty(&port->qps))
		soft_qp_free(&list_entry(port->qps.next, struct soft_qp, node)->base);
	soft_rendezvous_close(port);
	soft_asks_close(port);
	dev_release(base->dev);
	port_free(port);
}

/* --- poll --- */

static struct rdma_wr *port_take_done(struct soft_port *port)
{
	struct rdma_wr *wr = port->done_head;

	if (wr == NULL)
		return NULL;
	port->done_head = wr->next;
	if (port->done_head == NULL)
		port->done_tail = &port->done_head;
	return wr;
}

/* Polls one queue pair: its next message, and what the other end has received. */
static inline struct rdma_wr *poll_qp(struct soft_port *port, struct soft_qp *qp)
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
			port->n_quiet = 0;
			return wr;
		}
	} else if (unlikely(qp->n_told != qp->n_taken)) {
		soft_acknowledge(qp);
	}
	if (qp->done != qp->posted && soft_wants_reap(qp))
		soft_reap(qp);
	if (unlikely(qp->issued != qp->posted))
		soft_push(qp);
	return port_take_done(port);
}

static __attribute__((noinline)) struct rdma_wr *poll_many(struct soft_port *port)
{
	struct rdma_wr *wr = NULL;

	for (uint32_t n = MIN(port->n_up, SOFT_BURST); wr == NULL && n > 0; n--) {
		/* A queue pair that ended leaves a gap, which the last one fills. */
		if (port->n_up == 0)
			return port_take_done(port);
		if (++port->turn >= port->n_up)
			port->turn = 0;
		wr = poll_qp(port, port->up[port->turn]);
	}
	return wr != NULL ? wr : port_take_done(port);
}

struct rdma_wr *soft_poll(struct rdma_port *base)
{
	struct soft_port *port = soft_port_of(base);

	/* A user with many queued completions must still serve the other ends from time to time. */
	if (port->done_head != NULL && likely(++port->n_polls % SOFT_TURN_EVERY != 0))
		return port_take_done(port);
	return likely(port->n_up == 1) ? poll_qp(port, port->up[0]) : poll_many(port);
}

/* --- the device --- */

/* Checks the liveness word of the device. The word also ends with a session; the next session
 * brings another. */
static inline bool port_lacks_device(const struct soft_port *port)
{
	return unlikely(dev_is_gone(port->base.dev)) && !port->is_gone;
}

static __attribute__((noinline)) void port_ask_for_device(struct soft_port *port)
{
	uint64_t now_ns = clock_now_ns(), took_ns;
	bool has_gone;

	if (now_ns < port->ask_ns)
		return;
	has_gone = dev_has_gone_timeout(port->base.dev);
	took_ns = clock_now_ns() - now_ns;
	port->ask_ns = now_ns + took_ns + MAX(SOFT_ASK_NS, SOFT_ASK_FACTOR * took_ns);
	if (!has_gone)
		return;
	port->is_gone = port->tells_gone = true;
	while (port->n_up > 0)
		soft_qp_end(port->up[0], QP_END_BROKEN, RDMA_QP_BROKEN,
			    DOCA_ERROR_CONNECTION_RESET);
}

/* --- sleeping --- */

int soft_get_fd(const struct rdma_port *port)
{
	return container_of(port, const struct soft_port, base)->epoll_fd;
}

/* Clears the pending wake-ups, and notes processes that have exited. */
static void port_drain(struct soft_port *port)
{
	struct epoll_event events[16];
	int n, turns = 0;

	do {
		n = epoll_wait(port->epoll_fd, events, ARRAY_LEN(events), 0);
		for (int i = 0; i < n; i++) {
			uint64_t data = events[i].data.u64;

			if (data == SOFT_EVENT_SESSION)
				session_check_hangup_deferred();
			else if (data & SOFT_EVENT_PIDFD && data != SOFT_EVENT_PIDFD) {
				struct soft_qp *qp =
					(struct soft_qp *)(uintptr_t)(data - SOFT_EVENT_PIDFD);

				qp->is_peer_dead = true;
				soft_unwatch(port, qp->pidfd);
			}
		}
	} while ((n == (int)ARRAY_LEN(events) || (n < 0 && errno == EINTR)) &&
		 ++turns < SOFT_DRAIN_MAX);
}

static void port_set_timer(struct soft_port *port, uint64_t at_ns)
{
	struct itimerspec at = {.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SEC),
					     .tv_nsec = (long)(at_ns % NS_PER_SEC)}};

	port->is_timed = at_ns != 0;
	timerfd_settime(port->timerfd, TFD_TIMER_ABSTIME, &at, NULL);
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
	return soft_qp_port(qp)->conf.rnr_retry != 7 && qp->starved_since_ns == 0 &&
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
	return soft_recv_has_news(qp) || soft_send_has_news(qp) || qp_is_newly_starved(qp) ||
	       qp->is_peer_dead || atomic_load(&qp->inbox->end) != 0 ||
	       !liveness_is_alive(atomic_load(qp->liveness.alive), qp->liveness.generation);
}

bool soft_arm(struct rdma_port *base)
{
	struct soft_port *port = soft_port_of(base);
	uint64_t at_ns = UINT64_MAX;
	bool fenced, has_news;

	if (port->done_head != NULL || !list_is_empty(&port->events) || port->tells_gone)
		return true;
	port_drain(port);
	/* A sleeping user polls rarely, so the next poll must look for events. */
	port->n_quiet = SOFT_BUSY_POLLS;
	has_news = soft_rendezvous_arm(port, &at_ns);
	for (uint32_t i = 0; i < port->n_up; i++)
		qp_arm_begin(port->up[i]);
	fenced = ring_arm_fence();
	for (uint32_t i = 0; i < port->n_up; i++) {
		struct soft_qp *qp = port->up[i];

		has_news |= qp_arm_end(qp, fenced);
		if (qp->starved_since_ns != 0)
			at_ns = MIN(at_ns,
				    qp->starved_since_ns + port->conf.rnr_retry * SOFT_RNR_NS);
	}
	/* The daemon ends the device's life before it rings, so check after draining. */
	if (port_lacks_device(port)) {
		has_news |= clock_now_ns() >= port->ask_ns;
		at_ns = MIN(at_ns, port->ask_ns);
	}
	if (!has_news && at_ns != UINT64_MAX)
		port_set_timer(port, at_ns);
	return has_news;
}

void soft_disarm(struct rdma_port *base)
{
	struct soft_port *port = soft_port_of(base);

	for (uint32_t i = 0; i < port->n_up; i++) {
		ring_sleeper_disarm(&port->up[i]->inbox->armed);
		ring_sleeper_disarm(&port->up[i]->outbox->space_armed);
	}
	if (port->rendezvous.base.is_open)
		event_reader_disarm(&port->rendezvous.base.events);
	if (port->is_timed)
		port_set_timer(port, 0);
	port_drain(port);
}

/* --- events --- */

void soft_tell(struct soft_qp *qp, enum rdma_event_type type, doca_error_t reason)
{
	qp->told |= 1u << type;
	qp->reason = reason;
	if (list_is_empty(&qp->event_node))
		list_append(&soft_qp_port(qp)->events, &qp->event_node);
}

static void port_look(struct soft_port *port)
{
	bool ask_system = ++port->n_looks % SOFT_LOOKS_PER_CHECK == 0;
	uint32_t n = ask_system ? port->n_up : MIN(port->n_up, SOFT_BURST);

	for (; n > 0 && port->n_up > 0; n--) {
		if (++port->watch_turn >= port->n_up)
			port->watch_turn = 0;
		soft_qp_check(port->up[port->watch_turn], ask_system);
	}
}

/* Returns true if it is time to look for events although none is queued. Right after traffic there
 * are rarely any, and the user is waiting for the next message. */
static inline bool port_wants_look(struct soft_port *port)
{
	if (port->n_quiet >= SOFT_BUSY_POLLS)
		return true;
	port->n_quiet++;
	return ++port->n_asked % SOFT_LOOK_EVERY == 0;
}

static __attribute__((noinline)) void port_look_around(struct soft_port *port)
{
	if (port_lacks_device(port))
		port_ask_for_device(port);
	port_look(port);
	if (unlikely(port->rendezvous.base.is_open || port->rendezvous.is_deaf) &&
	    list_is_empty(&port->events))
		soft_rendezvous_poll(port);
}

bool soft_next_event(struct rdma_port *base, struct rdma_event *event_out)
{
	struct soft_port *port = soft_port_of(base);
	struct soft_qp *qp;
	uint32_t type;

	if (list_is_empty(&port->events)) {
		if (likely(!port_wants_look(port)))
			return false;
		port_look_around(port);
	}
	if (list_is_empty(&port->events)) {
		if (likely(!port->tells_gone))
			return false;
		port->tells_gone = false;
		*event_out = (struct rdma_event){.type = RDMA_PORT_GONE,
						 .reason = DOCA_ERROR_CONNECTION_RESET};
		return true;
	}
	qp = list_entry(port->events.next, struct soft_qp, event_node);
	type = (uint32_t)__builtin_ctz(qp->told);
	qp->told &= ~(1u << type);
	if (qp->told == 0)
		list_remove(&qp->event_node);
	*event_out = (struct rdma_event){
		.type = (enum rdma_event_type)type,
		.qp = &qp->base,
		.reason = type == RDMA_QP_ESTABLISHED ? DOCA_SUCCESS : qp->reason,
	};
	return true;
}
