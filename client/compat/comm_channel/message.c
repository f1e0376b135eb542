/*
 * Comm channel endpoints: messages. Sending puts the message into the peer's ring, and receiving
 * copies it out. Neither allocates, locks or enters the kernel, unless it waits or a peer sleeps.
 */
#include "client/compat/comm_channel/channel.h"
#include "util/copy.h"

/* Flags of 1.3; later versions have none. */
#define FLAG_DONTWAIT 1
#define FLAG_MORE     2

void channel_on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			struct doca_comch_connection *conn)
{
	struct doca_comm_channel_ep_t *ep = event->comch->ctx.user_data.ptr;

	if (unlikely(ep->recv_buf == NULL || len > ep->recv_buf_len)) {
		ep->is_refused = true;
		comch_connection_refuse(conn, len);
		return;
	}
	copy_bytes(ep->recv_buf, bytes, len);
	ep->recv_buf = NULL;
	ep->recv_len = len;
	ep->recv_conn = conn;
}

void channel_progress(struct doca_comm_channel_ep_t *ep)
{
	do
		ep->is_refused = false;
	while (pe_progress(ep->pe) && !ep->is_refused);
}

static bool flags_known(const struct doca_comm_channel_ep_t *ep, int flags)
{
	return flags == 0 || (ep->api == API_1_3 && (flags & ~(FLAG_DONTWAIT | FLAG_MORE)) == 0);
}

static doca_error_t refuse_flags(const char *call, int flags)
{
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "%s: flags %#x are unknown in the version that created the endpoint", call,
			 (unsigned)flags);
}

/* A waiting service checks the daemon at this interval. */
#define WAIT_CHECK_MS 1000

/* Called after AGAIN: returns SUCCESS to try again, or AGAIN if the call does not wait. */
static doca_error_t wait_for(struct doca_comm_channel_ep_t *ep, enum channel_wait what, int flags)
{
	if (ep->waits && !(flags & FLAG_DONTWAIT)) {
		bool checks = ep->role == CHANNEL_SERVICE && what == CHANNEL_WAIT_RECV;

		if (checks)
			channel_check_daemon(ep);
		return channel_sleep(ep, what, checks ? WAIT_CHECK_MS : -1);
	}
	/* The event channel of 1.3 has no call that arms it. */
	if (ep->api == API_1_3 && ep->wait_fds[CHANNEL_WAIT_RECV] >= 0)
		channel_arm(ep, what);
	return DOCA_ERROR_AGAIN;
}

/* --- sending --- */

/* Returns the result for a connection that is not established yet or has ended. */
static doca_error_t send_unconnected(const struct doca_comm_channel_addr_t *peer)
{
	doca_error_t code;

	if (peer->is_connecting) {
		channel_check_daemon(peer->ep);
		return error_hint(DOCA_ERROR_AGAIN,
				  "comm channel send: the service has not accepted yet");
	}
	code = peer->conn != NULL ? peer->conn->end_code : peer->end_code;
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "comm channel send: the peer %s; disconnect it",
			 code == DOCA_SUCCESS ? "left" : "broke the connection");
}

static doca_error_t send_check_len(const struct doca_comch_connection *conn, size_t len)
{
	if (likely(len != 0 && len <= conn->max_msg))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "comm channel send: a message of %zu bytes; this peer allows 1 to %u, the "
			 "smaller of the sizes that the two ends set",
			 len, conn->max_msg);
}

static bool is_up(const struct doca_comch_connection *conn)
{
	return conn != NULL && conn->state == COMCH_UP;
}

/* After so many meetings of a full queue, the kernel is asked whether the peer's process exists. */
#define FULL_CHECK 1024u

/* Checks whether a peer with a full queue has left. While the next message of another peer is
 * refused, progress does not poll this one, and there may be no daemon to report its end. */
static void send_check_peer(struct doca_comm_channel_addr_t *peer)
{
	struct doca_comch_connection *conn = peer->conn;

	if (ring_consumer_peer_closed(&conn->rx))
		comch_connection_peer_left(conn, DOCA_SUCCESS);
	else if (++peer->n_full % FULL_CHECK == 0)
		comch_connection_check_peer(conn);
	/* Earlier messages of an idle connection must still be received. */
	if (conn->state != COMCH_UP && conn->comch->activate != NULL)
		conn->comch->activate(conn);
}

/* Tries once, after handling everything new. */
static doca_error_t send_after_progress(struct doca_comm_channel_addr_t *peer, const void *msg,
					size_t len)
{
	doca_error_t result;

	channel_progress(peer->ep);
	if (!is_up(peer->conn)) {
		peer->awaited_room_len = 0;
		return send_unconnected(peer);
	}
	result = send_check_len(peer->conn, len);
	if (result != DOCA_SUCCESS)
		return result;
	if (comch_connection_send(peer->conn, msg, (uint32_t)len) > 0) {
		peer->awaited_room_len = 0;
		return DOCA_SUCCESS;
	}
	/* The connection broke: the peer wrote impossible values. */
	if (!is_up(peer->conn)) {
		channel_progress(peer->ep);
		return send_unconnected(peer);
	}
	send_check_peer(peer);
	if (!is_up(peer->conn)) {
		peer->awaited_room_len = 0;
		return send_unconnected(peer);
	}
	peer->awaited_room_len = (uint32_t)len;
	return error_hint(DOCA_ERROR_AGAIN,
			  "comm channel send: the peer's receive queue is full; send again");
}

static doca_error_t send_waiting(struct doca_comm_channel_addr_t *peer, const void *msg, size_t len,
				 int flags)
{
	doca_error_t result;

	do {
		result = send_after_progress(peer, msg, len);
		if (result == DOCA_ERROR_AGAIN)
			result = wait_for(peer->ep, CHANNEL_WAIT_SEND, flags);
		else
			return result;
	} while (result == DOCA_SUCCESS);
	return result;
}

static doca_error_t send_refuse(const struct doca_comm_channel_ep_t *ep, const void *msg, int flags)
{
	if (ep == NULL || msg == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comm channel send: %s is NULL",
				 ep == NULL ? "the endpoint" : "the message");
	if (!flags_known(ep, flags))
		return refuse_flags("comm channel send", flags);
	return error_set(
		DOCA_ERROR_NOT_CONNECTED,
		"comm channel send: the endpoint does not have this peer, or no longer has it");
}

doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
					 size_t len, int flags,
					 struct doca_comm_channel_addr_t *peer_addr)
{
	struct doca_comch_connection *conn;
	doca_error_t result;

	if (unlikely(local_ep == NULL || msg == NULL || !flags_known(local_ep, flags) ||
		     peer_addr == NULL || peer_addr->ep != local_ep))
		return send_refuse(local_ep, msg, flags);
	conn = peer_addr->conn;
	if (unlikely(!is_up(conn) || comch_events_pending(&local_ep->comch->events)))
		return send_waiting(peer_addr, msg, len, flags);
	result = send_check_len(conn, len);
	if (unlikely(result != DOCA_SUCCESS))
		return result;
	if (likely(comch_connection_send(conn, msg, (uint32_t)len) > 0)) {
		if (unlikely(peer_addr->awaited_room_len != 0))
			peer_addr->awaited_room_len = 0;
		return DOCA_SUCCESS;
	}
	return send_waiting(peer_addr, msg, len, flags);
}

/* --- receiving --- */

/* Reports that the connection of a client broke, if that was not reported yet. */
static doca_error_t report_broken(struct doca_comm_channel_ep_t *ep,
				  struct doca_comm_channel_addr_t **peer_out)
{
	struct doca_comm_channel_addr_t *peer;

	list_for_each(peer, &ep->peers, node)
	{
		if (!peer->must_report_end)
			continue;
		peer->must_report_end = false;
		ep->n_unreported_ends--;
		*peer_out = peer;
		break;
	}
	return error_set(
		DOCA_ERROR_CONNECTION_RESET,
		"comm channel receive: the connection to a client of \"%s\" broke; disconnect it",
		ep->comch->name);
}

doca_error_t channel_service_ended(const struct doca_comm_channel_ep_t *ep, const char *call)
{
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "%s: the service ended, because %s; destroy the endpoint", call,
			 ep->server->device_removed
				 ? "its device or representor was removed from the machine"
				 : "its daemon broke a rule");
}

static doca_error_t receive_none(struct doca_comm_channel_ep_t *ep,
				 struct doca_comm_channel_addr_t **peer_out)
{
	if (unlikely(ep->n_unreported_ends != 0))
		return report_broken(ep, peer_out);
	if (unlikely(ep->role == CHANNEL_CLIENT && ep->peer.conn == NULL &&
		     !ep->peer.is_connecting))
		return error_set(DOCA_ERROR_CONNECTION_RESET,
				 "comm channel receive: the service %s; disconnect it",
				 ep->peer.end_code == DOCA_SUCCESS ? "left"
								   : "broke the connection");
	if (unlikely(ep->role == CHANNEL_SERVICE && ep->comch->ctx.state != DOCA_CTX_STATE_RUNNING))
		return channel_service_ended(ep, "comm channel receive");
	channel_check_daemon_when_idle(ep);
	return error_hint(DOCA_ERROR_AGAIN, "comm channel receive: there is no message");
}

static struct doca_comm_channel_addr_t *recv_peer(const struct doca_comm_channel_ep_t *ep)
{
	if (ep->role == CHANNEL_CLIENT)
		return (struct doca_comm_channel_addr_t *)(uintptr_t)&ep->peer;
	return ep->recv_conn->user_data.ptr;
}

/* Tries once. */
static doca_error_t receive(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
			    struct doca_comm_channel_addr_t **peer_out)
{
	ep->recv_buf = msg;
	ep->recv_buf_len = *len;
	ep->is_refused = false;
	while (pe_progress(ep->pe) && ep->recv_buf != NULL && !ep->is_refused)
		continue;
	if (likely(ep->recv_buf == NULL)) {
		ep->n_empty = 0;
		*len = ep->recv_len;
		*peer_out = recv_peer(ep);
		return DOCA_SUCCESS;
	}
	ep->recv_buf = NULL;
	if (unlikely(ep->is_refused))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel receive: the next message is longer than %zu bytes; "
				 "pass a buffer of the endpoint's max message size",
				 *len);
	return receive_none(ep, peer_out);
}

static doca_error_t receive_refuse(const struct doca_comm_channel_ep_t *ep, const void *msg,
				   const size_t *len, const void *peer_out, int flags)
{
	if (ep == NULL || msg == NULL || len == NULL || peer_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comm channel receive: %s is NULL",
				 ep == NULL    ? "the endpoint"
				 : msg == NULL ? "the buffer"
				 : len == NULL ? "the length"
					       : "the place for the peer");
	if (!flags_known(ep, flags))
		return refuse_flags("comm channel receive", flags);
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "comm channel receive: the endpoint neither listens nor is connected");
}

doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
					   size_t *len, int flags,
					   struct doca_comm_channel_addr_t **peer_addr)
{
	doca_error_t result;

	if (unlikely(local_ep == NULL || msg == NULL || len == NULL || peer_addr == NULL ||
		     !flags_known(local_ep, flags) || local_ep->role == CHANNEL_NONE))
		return receive_refuse(local_ep, msg, len, peer_addr, flags);
	do {
		result = receive(local_ep, msg, len, peer_addr);
		if (likely(result != DOCA_ERROR_AGAIN || local_ep->api != API_1_3))
			return result;
		result = wait_for(local_ep, CHANNEL_WAIT_RECV, flags);
	} while (result == DOCA_SUCCESS);
	return result;
}
