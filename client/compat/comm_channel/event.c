/*
 * Comm channel endpoints: event channels, and sleeping. See client/compat/comm_channel/channel.h.
 *
 * Something may arrive between a check that found nothing and the sleep. Arming first clears
 * earlier rings, then asks each source to ring, and then checks each source once more. It therefore
 * either finds what arrived, or the doorbell will ring.
 */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>

#include "client/compat/comm_channel/channel.h"
#include "util/fd.h"

/* --- descriptors --- */

static int wait_add(int epoll_fd, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int channel_open_wait(struct doca_comm_channel_ep_t *ep, enum channel_wait what)
{
	CLEANUP_FD int epoll_fd = -1;
	CLEANUP_FD int own_fd = -1;
	int r;

	if (ep->wait_fds[what] >= 0)
		return 0;
	own_fd = fd_eventfd();
	if (own_fd < 0)
		return own_fd;
	r = fd_set_nonblocking(own_fd);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r == 0 && epoll_fd < 0)
		r = -errno;
	if (r == 0)
		r = wait_add(epoll_fd, own_fd);
	if (r == 0)
		r = wait_add(epoll_fd, ep->pe->epoll_fd);
	if (r < 0)
		return r;
	ep->wait_fds[what] = fd_steal(&epoll_fd);
	ep->own_fds[what] = fd_steal(&own_fd);
	return 0;
}

void channel_close_waits(struct doca_comm_channel_ep_t *ep)
{
	size_t i;

	for (i = 0; i < CHANNEL_N_WAITS; i++) {
		fd_close(&ep->wait_fds[i]);
		fd_close(&ep->own_fds[i]);
	}
}

/* 1.3 has one event channel for everything. */
static int own_fd_of(const struct doca_comm_channel_ep_t *ep, enum channel_wait what)
{
	return ep->own_fds[ep->api == API_1_3 ? CHANNEL_WAIT_RECV : what];
}

/* --- sources --- */

/* Returns whether no daemon would report the end of this connection's peer. */
static bool is_unknown_to_daemon(const struct doca_comm_channel_ep_t *ep,
				 const struct doca_comch_connection *conn)
{
	return (ep->role == CHANNEL_CLIENT ? ep->comch->events.id : conn->channel_id) == 0;
}

/* Arms a peer whose queue was full. Returns true if there is room or the connection has ended. */
static bool peer_arm_room(const struct doca_comm_channel_ep_t *ep,
			  struct doca_comm_channel_addr_t *peer)
{
	struct doca_comch_connection *conn = peer->conn;

	if (conn == NULL || conn->state != COMCH_UP)
		return true;
	if (is_unknown_to_daemon(ep, conn)) {
		ring_consumer_arm(&conn->rx);
		if (ring_consumer_peer_closed(&conn->rx))
			return true;
	}
	return ring_producer_arm(&conn->tx, peer->awaited_room_len);
}

static bool endpoint_arm_send(struct doca_comm_channel_ep_t *ep)
{
	bool has_event = comch_events_arm(ep->comch), waits = false;
	struct doca_comm_channel_addr_t *peer;

	if (ep->role == CHANNEL_CLIENT) {
		if (ep->peer.is_connecting)
			return has_event;
		return ep->peer.awaited_room_len == 0 || peer_arm_room(ep, &ep->peer) || has_event;
	}
	list_for_each(peer, &ep->peers, node)
	{
		if (peer->awaited_room_len == 0)
			continue;
		waits = true;
		has_event |= peer_arm_room(ep, peer);
	}
	return has_event || !waits;
}

/* Counts the unread events of a type from a position on. */
static uint32_t count_unread(const struct event_reader *reader, uint32_t from, uint32_t type)
{
	uint32_t head, i, n = 0;

	if (reader->ring == NULL)
		return 0;
	head = atomic_load_explicit(&reader->ring->head, memory_order_acquire);
	/* If more than fit are pending, the daemon is faulty, and the reader reports it. */
	for (i = from; i != head && head - i <= EVENT_RING_SLOTS; i++)
		n += reader->ring->slots[i % EVENT_RING_SLOTS].type == type;
	return n;
}

uint32_t channel_count_pending(const struct doca_comm_channel_ep_t *ep)
{
	const struct event_reader *reader = &ep->comch->events.reader;

	return count_unread(reader, reader->tail, EVENT_CHANNEL_NEW) +
	       comch_events_is_fetching(ep->comch);
}

bool channel_is_end_unread(const struct doca_comm_channel_ep_t *ep)
{
	const struct event_reader *reader = &ep->comch->events.reader;

	return count_unread(reader, reader->tail, EVENT_SERVER_GONE) != 0;
}

/*
 * Returns true if a client has left in an event that has not woken the program. A client that left
 * is removed only when its event is handled, so it is unknown whether the program has checked
 * since. The event causes one wake-up, and only one.
 */
static bool has_unreported_leave(struct doca_comm_channel_ep_t *ep)
{
	const struct event_reader *reader = &ep->comch->events.reader;
	uint32_t from = ep->n_reported_events;

	/* The position was handled since, or belongs to another ring. */
	if (ep->reported_ring != reader->ring || (int32_t)(from - reader->tail) < 0)
		from = reader->tail;
	ep->reported_ring = reader->ring;
	ep->n_reported_events = from;
	if (count_unread(reader, from, EVENT_CHANNEL_CLOSED) == 0)
		return false;
	ep->n_reported_events = atomic_load_explicit(&reader->ring->head, memory_order_acquire);
	return true;
}

/* Arms for changes of the service. State that the program has seen is no change, even if its events
 * are unread. */
static bool arm_service(struct doca_comm_channel_ep_t *ep)
{
	event_reader_arm(&ep->comch->events.reader);
	return has_unreported_leave(ep) || comch_events_arm_duties(ep->comch) ||
	       channel_is_end_unread(ep) || ep->n_changes != ep->reported_changes ||
	       channel_count_pending(ep) != ep->n_pending;
}

static bool arm_recv(struct doca_comm_channel_ep_t *ep)
{
	return ep->n_unreported_ends != 0 || ep->comch->ctx.ops->arm(&ep->comch->ctx);
}

static bool arm_one(struct doca_comm_channel_ep_t *ep, enum channel_wait what)
{
	switch (what) {
	case CHANNEL_WAIT_SEND:
		return endpoint_arm_send(ep);
	case CHANNEL_WAIT_RECV:
		return arm_recv(ep);
	default:
		return arm_service(ep);
	}
}

/* --- arming --- */

/* Returns false if something is due or the endpoint has ended, so that waiting is pointless. */
static bool may_wait(const struct doca_comm_channel_ep_t *ep)
{
	return ep->comch->ctx.polled && (ep->pe->flags & PE_ATTENTION) == 0 && ep->pe->head == NULL;
}

/* Arms everything. Returns true if `asked` is there. For other armed events that are there, their
 * own eventfd is rung. */
static bool rearm(struct doca_comm_channel_ep_t *ep, enum channel_wait asked)
{
	/* Receiving comes first, because it arms everything and would clear what the others
	 * armed. */
	static const enum channel_wait order[] = {CHANNEL_WAIT_RECV, CHANNEL_WAIT_SEND,
						  CHANNEL_WAIT_SERVICE};
	bool can = may_wait(ep), is_there = false;
	size_t i;

	ep->armed[asked] = true;
	if (can) {
		ep->comch->ctx.ops->disarm(&ep->comch->ctx);
		/* Rings that remain merely cause an early wake-up. */
		(void)pe_clear_events(ep->pe);
	}
	for (i = 0; i < ARRAY_LEN(order); i++) {
		enum channel_wait what = order[i];

		if (!ep->armed[what] || (can && !arm_one(ep, what)))
			continue;
		ep->armed[what] = false;
		if (what == asked)
			is_there = true;
		if (own_fd_of(ep, what) >= 0)
			fd_eventfd_ring(own_fd_of(ep, what));
	}
	return is_there;
}

bool channel_arm(struct doca_comm_channel_ep_t *ep, enum channel_wait what)
{
	if (own_fd_of(ep, what) >= 0)
		fd_eventfd_clear(own_fd_of(ep, what));
	return rearm(ep, what);
}

doca_error_t channel_sleep(struct doca_comm_channel_ep_t *ep, enum channel_wait what,
			   int timeout_ms)
{
	struct pollfd pollfd = {.fd = ep->pe->epoll_fd, .events = POLLIN};

	if (channel_arm(ep, what))
		return DOCA_SUCCESS;
	ep->armed[what] = false;
	if (poll(&pollfd, 1, timeout_ms) >= 0)
		return DOCA_SUCCESS;
	if (errno == EINTR)
		return error_hint(DOCA_ERROR_AGAIN,
				  "comm channel: a signal interrupted the call; call again");
	return error_set(DOCA_ERROR_INITIALIZATION,
			 "comm channel: the endpoint cannot wait: poll: %m");
}

/* --- public calls --- */

static doca_error_t arm(struct doca_comm_channel_ep_t *ep, enum channel_wait what, const char *call)
{
	int r;

	if (ep != NULL && channel_check_1_5(ep, call) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	/* The contract has only this code here. */
	if (ep == NULL || ep->role == CHANNEL_NONE)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the endpoint %s", call,
				 ep == NULL ? "is NULL" : "neither listens nor is connected");
	r = channel_open_wait(ep, what);
	if (r < 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: no descriptors (error %d); close some or raise RLIMIT_NOFILE",
				 call, -r);
	channel_arm(ep, what);
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep)
{
	return arm(local_ep, CHANNEL_WAIT_SEND, "comm channel arm send");
}

doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep)
{
	return arm(local_ep, CHANNEL_WAIT_RECV, "comm channel arm receive");
}

static doca_error_t get_check(const struct doca_comm_channel_ep_t *ep, bool is_nowhere, bool is_1_3,
			      const char *call)
{
	doca_error_t result;

	if (ep == NULL || is_nowhere)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				 ep == NULL ? "the endpoint" : "every place for a channel");
	result = is_1_3 ? channel_check_1_3(ep, call) : channel_check_1_5(ep, call);
	if (result == DOCA_SUCCESS && ep->role == CHANNEL_NONE)
		result = error_set(DOCA_ERROR_BAD_STATE,
				   "%s: the endpoint neither listens nor is connected; do that "
				   "first",
				   call);
	return result;
}

static doca_error_t get_failed(doca_error_t code, int r, const char *call)
{
	return error_set(code, "%s: no descriptors (error %d); close some or raise RLIMIT_NOFILE",
			 call, -r);
}

doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
						    doca_event_channel_t *send_event_channel,
						    doca_event_channel_t *recv_event_channel)
{
	const char *call = "comm channel event channel";
	doca_error_t result;
	int r = 0;

	result = get_check(local_ep, send_event_channel == NULL && recv_event_channel == NULL,
			   false, call);
	if (result != DOCA_SUCCESS)
		return result;
	if (send_event_channel != NULL)
		r = channel_open_wait(local_ep, CHANNEL_WAIT_SEND);
	if (r == 0 && recv_event_channel != NULL)
		r = channel_open_wait(local_ep, CHANNEL_WAIT_RECV);
	if (r < 0)
		return get_failed(DOCA_ERROR_NOT_FOUND, r, call);
	if (send_event_channel != NULL)
		*send_event_channel = local_ep->wait_fds[CHANNEL_WAIT_SEND];
	if (recv_event_channel != NULL)
		*recv_event_channel = local_ep->wait_fds[CHANNEL_WAIT_RECV];
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_service_event_channel(
	struct doca_comm_channel_ep_t *local_ep, doca_event_channel_t *service_event_channel)
{
	const char *call = "comm channel service event channel";
	doca_error_t result = get_check(local_ep, service_event_channel == NULL, false, call);
	int r;

	if (result != DOCA_SUCCESS)
		return result;
	if (local_ep->role != CHANNEL_SERVICE)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "%s: the endpoint is a client; services have one", call);
	r = channel_open_wait(local_ep, CHANNEL_WAIT_SERVICE);
	if (r < 0)
		return get_failed(DOCA_ERROR_BAD_STATE, r, call);
	channel_arm(local_ep, CHANNEL_WAIT_SERVICE);
	*service_event_channel = local_ep->wait_fds[CHANNEL_WAIT_SERVICE];
	return DOCA_SUCCESS;
}

doca_event_channel_t doca_comm_channel_ep_event_channel_get(struct doca_comm_channel_ep_t *local_ep)
{
	const char *call = "comm channel event channel";
	int r;

	if (get_check(local_ep, false, true, call) != DOCA_SUCCESS)
		return -1;
	r = channel_open_wait(local_ep, CHANNEL_WAIT_RECV);
	if (r < 0) {
		get_failed(DOCA_ERROR_INITIALIZATION, r, call);
		return -1;
	}
	channel_arm(local_ep, CHANNEL_WAIT_RECV);
	return local_ep->wait_fds[CHANNEL_WAIT_RECV];
}
