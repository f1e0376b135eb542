/* Comm channel endpoints: the program's view of peers, and the state of a service. See
 * client/compat/comm_channel/channel.h. */
#include <stdlib.h>

#include "client/compat/comm_channel/channel.h"

void channel_peer_init(struct doca_comm_channel_addr_t *peer, struct doca_comm_channel_ep_t *ep)
{
	*peer = (struct doca_comm_channel_addr_t){.ep = ep};
	list_init(&peer->node);
}

void channel_peer_up(struct doca_comm_channel_addr_t *peer, struct doca_comch_connection *conn)
{
	peer->is_connecting = false;
	peer->conn = conn;
	peer->max_msg = conn->max_msg;
	peer->queue_size = conn->tx.queue_size;
}

void channel_peer_down(struct doca_comm_channel_addr_t *peer, doca_error_t code)
{
	if (peer->conn != NULL)
		peer->at_end = comch_connection_count(peer->conn);
	peer->conn = NULL;
	peer->is_connecting = false;
	peer->awaited_room_len = 0;
	peer->end_code = code;
}

/* Counts messages that the peer has not acknowledged. The peer's values may be impossible. */
static uint64_t count_in_flight(struct doca_comch_connection *conn)
{
	if (conn->state != COMCH_UP || ring_producer_refresh(&conn->tx) < 0)
		return 0;
	return conn->tx.n_msgs + conn->tx.queue_size - conn->tx.msg_limit;
}

void channel_peer_refresh(struct doca_comm_channel_addr_t *peer)
{
	peer->reported = peer->conn == NULL ? peer->at_end : comch_connection_count(peer->conn);
	peer->n_in_flight = peer->conn == NULL ? 0 : count_in_flight(peer->conn);
}

/* --- the program's data --- */

static doca_error_t peer_check(const struct doca_comm_channel_addr_t *peer, const void *out,
			       bool is_1_3, const char *call)
{
	if (peer == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				 peer == NULL ? "the peer" : "the result");
	if (peer->ep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the peer was disconnected", call);
	return is_1_3 ? channel_check_1_3(peer->ep, call) : channel_check_1_5(peer->ep, call);
}

static doca_error_t get_user_data(const struct doca_comm_channel_addr_t *peer, uint64_t *out,
				  bool is_1_3)
{
	doca_error_t result = peer_check(peer, out, is_1_3, "comm channel peer user data");

	if (result == DOCA_SUCCESS)
		*out = peer->user_data;
	return result;
}

static doca_error_t set_user_data(struct doca_comm_channel_addr_t *peer, uint64_t user_data,
				  bool is_1_3)
{
	doca_error_t result = peer_check(peer, &user_data, is_1_3, "comm channel peer user data");

	if (result == DOCA_SUCCESS)
		peer->user_data = user_data;
	return result;
}

doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t *user_data)
{
	return get_user_data(peer_addr, user_data, false);
}

doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context)
{
	return set_user_data(peer_addr, user_context, false);
}

doca_error_t doca_comm_channel_peer_addr_user_data_get(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t *user_data)
{
	return get_user_data(peer_addr, user_data, true);
}

doca_error_t doca_comm_channel_peer_addr_user_data_set(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context)
{
	return set_user_data(peer_addr, user_context, true);
}

/* --- figures --- */

doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr)
{
	const char *call = "comm channel peer update info";
	doca_error_t result = peer_check(peer_addr, peer_addr, false, call);

	if (result != DOCA_SUCCESS)
		return result;
	channel_progress(peer_addr->ep);
	channel_peer_refresh(peer_addr);
	if (peer_addr->is_connecting) {
		channel_check_daemon(peer_addr->ep);
		return error_hint(DOCA_ERROR_CONNECTION_INPROGRESS,
				  "comm channel peer update info: the service has not accepted "
				  "yet; call again");
	}
	if (peer_addr->conn == NULL || peer_addr->conn->state != COMCH_UP)
		return error_note(DOCA_ERROR_CONNECTION_ABORTED,
				  "%s: the peer %s; its counters are final, disconnect it", call,
				  peer_addr->end_code == DOCA_SUCCESS ? "left"
								      : "broke the connection");
	return DOCA_SUCCESS;
}

static doca_error_t get_figure(const struct doca_comm_channel_addr_t *peer, uint64_t *out,
			       uint64_t (*figure)(const struct doca_comm_channel_addr_t *))
{
	doca_error_t result = peer_check(peer, out, false, "comm channel peer figure");

	if (result == DOCA_SUCCESS)
		*out = figure(peer);
	return result;
}

static uint64_t sent_msgs(const struct doca_comm_channel_addr_t *peer)
{
	return peer->reported.sent_msgs;
}

static uint64_t sent_bytes(const struct doca_comm_channel_addr_t *peer)
{
	return peer->reported.sent_bytes;
}

static uint64_t recv_msgs(const struct doca_comm_channel_addr_t *peer)
{
	return peer->reported.recv_msgs;
}

static uint64_t recv_bytes(const struct doca_comm_channel_addr_t *peer)
{
	return peer->reported.recv_bytes;
}

static uint64_t in_flight(const struct doca_comm_channel_addr_t *peer)
{
	return peer->n_in_flight;
}

doca_error_t doca_comm_channel_peer_addr_get_send_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_messages)
{
	return get_figure(peer_addr, send_messages, sent_msgs);
}

doca_error_t doca_comm_channel_peer_addr_get_send_bytes(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_bytes)
{
	return get_figure(peer_addr, send_bytes, sent_bytes);
}

doca_error_t doca_comm_channel_peer_addr_get_recv_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_messages)
{
	return get_figure(peer_addr, recv_messages, recv_msgs);
}

doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_bytes_out)
{
	return get_figure(peer_addr, recv_bytes_out, recv_bytes);
}

doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages)
{
	return get_figure(peer_addr, send_in_flight_messages, in_flight);
}

static uint16_t vport_of(const struct doca_comm_channel_ep_t *ep)
{
	return ep->role == CHANNEL_SERVICE ? ep->rep->info->vhca_id : ep->dev->info->vhca_id;
}

doca_error_t doca_comm_channel_peer_addr_info_get(struct doca_comm_channel_addr_t *peer_addr,
						  struct doca_comm_channel_peer_addr_info *info)
{
	doca_error_t result = peer_check(peer_addr, info, true, "comm channel peer info");

	if (result != DOCA_SUCCESS)
		return result;
	channel_progress(peer_addr->ep);
	channel_peer_refresh(peer_addr);
	*info = (struct doca_comm_channel_peer_addr_info){
		.vport = vport_of(peer_addr->ep),
		.msgsize = peer_addr->max_msg,
		.maxmsgs = peer_addr->queue_size,
		.curmsgs = (uint32_t)peer_addr->n_in_flight,
		.rx_msgs = peer_addr->reported.recv_msgs,
		.tx_msgs = peer_addr->reported.sent_msgs,
		.rx_bytes = peer_addr->reported.recv_bytes,
		.tx_bytes = peer_addr->reported.sent_bytes,
	};
	return DOCA_SUCCESS;
}

/* --- the state of a service --- */

static doca_error_t service_check(const struct doca_comm_channel_ep_t *ep, bool is_nowhere,
				  const char *call)
{
	doca_error_t result;

	if (ep == NULL || is_nowhere)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				 ep == NULL ? "the endpoint" : "the result");
	result = channel_check_1_5(ep, call);
	if (result == DOCA_SUCCESS && ep->role != CHANNEL_SERVICE)
		result = error_set(DOCA_ERROR_NOT_SUPPORTED,
				   "%s: the endpoint does not listen; services have this", call);
	return result;
}

static bool list_peers(struct doca_comm_channel_ep_t *ep)
{
	struct doca_comm_channel_addr_t **list, *peer;

	list = realloc(ep->list, (ep->n_peers + 1) * sizeof(struct doca_comm_channel_addr_t *));
	if (list == NULL)
		return false;
	ep->list = list;
	ep->list_len = 0;
	list_for_each(peer, &ep->peers, node) list[ep->list_len++] = peer;
	return true;
}

doca_error_t doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep)
{
	const char *call = "comm channel update service state";
	doca_error_t result = service_check(local_ep, false, call);
	int r;

	if (result != DOCA_SUCCESS)
		return result;
	/* Messages that clients sent before are received first. */
	if (channel_is_end_unread(local_ep))
		channel_progress(local_ep);
	if (local_ep->comch->ctx.state != DOCA_CTX_STATE_RUNNING)
		return channel_service_ended(local_ep, call);
	channel_check_daemon(local_ep);
	r = channel_open_wait(local_ep, CHANNEL_WAIT_SERVICE);
	if (r < 0 || !list_peers(local_ep))
		return error_set(DOCA_ERROR_DRIVER, "%s: out of %s", call,
				 r < 0 ? "descriptors" : "memory");
	local_ep->reported_changes = local_ep->n_changes;
	local_ep->n_pending = channel_count_pending(local_ep);
	channel_arm(local_ep, CHANNEL_WAIT_SERVICE);
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_peer_addr_list(
	const struct doca_comm_channel_ep_t *local_ep,
	struct doca_comm_channel_addr_t ***peer_addr_array, uint32_t *peer_addr_array_len)
{
	doca_error_t result = service_check(local_ep,
					    peer_addr_array == NULL || peer_addr_array_len == NULL,
					    "comm channel peer list");

	if (result != DOCA_SUCCESS)
		return result;
	*peer_addr_array = local_ep->list;
	*peer_addr_array_len = local_ep->list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_pending_connections(
	const struct doca_comm_channel_ep_t *local_ep, uint32_t *pending_connections)
{
	doca_error_t result = service_check(local_ep, pending_connections == NULL,
					    "comm channel pending connections");

	if (result == DOCA_SUCCESS)
		*pending_connections = local_ep->n_pending;
	return result;
}
