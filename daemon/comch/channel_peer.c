/* comch channels: the messages between the daemons of both ends; see channel.h. */
#include <errno.h>
#include <string.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/channel_internal.h"
#include "daemon/comch/consumer.h"
#include "daemon/peer/relay.h"
#include "daemon/comch/service.h"
#include "daemon/base/daemon.h"
#include "daemon/comch/comch.h"
#include "daemon/device/device.h"
#include "daemon/peer/peer.h"
#include "daemon/session/grace_period.h"
#include "daemon/session/session.h"
#include "proto/ring.h"
#include "util/log.h"
#include "util/str.h"

static void channel_fail(struct channel *channel, uint32_t code)
{
	log_debug("client %llu (%s) does not reach '%s' from %s: code %u",
		  (unsigned long long)channel->session->id, channel->session->program,
		  channel->name, channel->device->spec->name, code);
	channel_end_by_peer(channel, code);
}

bool channel_peer_knows_ends(const struct peer *peer)
{
	return peer->knows_ends;
}

/* Returns 0 or -ENOTCONN. */
static int channel_ask(struct channel *channel)
{
	Dococore__PeerConnect ask = DOCOCORE__PEER_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	channel->n_ended_before = channel->daemon->comch->n_clients_ended;
	ask.channel_id = channel->node.id;
	ask.client_pci_addr = (char *)channel->device->spec->pci_addr;
	ask.name = channel->name;
	ask.max_msg_size = channel->max_msg_size;
	ask.recv_queue_size = channel->recv_queue_size;
	ask.client_pid = (uint32_t)channel->session->pid;
	ask.client_uid = channel->session->uid;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONNECT;
	packet.peer_connect = &ask;
	ask.again = channel->state == CHANNEL_ASKING_AGAIN;
	ask.relay = !peer_passes_fds(channel->peer);
	ask.remote_rings = channel->has_remote_rings && ask.relay;
	ask.has_pidfd = channel->session->pidfd >= 0 && !ask.relay;
	return peer_ask(channel->peer, &channel->request, &packet, &channel->session->pidfd,
			ask.has_pidfd ? 1 : 0);
}

/* Returns 0; -ENOTCONN if no linked peer is left to ask; -EAGAIN if the next peer is congested. */
static int channel_ask_next(struct channel *channel)
{
	struct peer *peer = channel->peer;

	while ((peer = peer_next_linked(channel->daemon, peer))) {
		channel->peer = NULL;
		if (peer_is_congested(peer))
			return -EAGAIN;
		channel->peer = peer;
		if (channel_ask(channel) == 0)
			return 0;
	}
	channel->peer = NULL;
	return -ENOTCONN;
}

/* Repeats the request: to the peer that had the channel if it is linked, otherwise to all peers. */
static void channel_ask_again(struct channel *channel)
{
	struct peer *peer = NULL;

	channel_enter(channel, CHANNEL_ASKING_AGAIN);
	channel->peer = NULL;
	while (channel->peer_channel_id && (peer = peer_next_linked(channel->daemon, peer))) {
		if (memcmp(peer->daemon_id, channel->peer_daemon_id, PEER_DAEMON_ID_LEN) != 0)
			continue;
		channel->peer = peer;
		if (channel_ask(channel) == 0)
			return;
	}
	channel->peer = NULL;
	channel_start_asking(channel);
}

void channel_await_link(struct channel *channel)
{
	/* The peer accepted the channel before it answered. */
	if (!channel_is_connecting(channel))
		return;
	channel->peer = NULL;
	channel_enter(channel, CHANNEL_WAITING);
	/*
	 * If another peer is linked, or none is expected back, no other event would repeat the
	 * request.
	 */
	if (!channel->daemon->stopping && !grace_period_is_active(channel->daemon))
		channel_ask_again(channel);
}

/* True if the channel belongs to a peer that is not linked. The other peers cannot know it. */
static bool channel_peer_is_absent(const struct channel *channel)
{
	struct peer *peer = NULL;

	if (!channel->peer_channel_id)
		return false;
	while ((peer = peer_next_linked(channel->daemon, peer)))
		if (memcmp(peer->daemon_id, channel->peer_daemon_id, PEER_DAEMON_ID_LEN) == 0)
			return false;
	return true;
}

bool channels_ask_again(struct daemon *daemon, bool is_over)
{
	struct channel *channel, *tmp;
	bool is_waited_for = false;

	list_for_each_safe(channel, tmp, &daemon->comch->channels, link)
	{
		if (channel->state != CHANNEL_WAITING)
			continue;
		if (!is_over && channel_peer_is_absent(channel))
			is_waited_for = true;
		else
			channel_ask_again(channel);
	}
	return is_waited_for;
}

/*
 * True if clients of this side have ended since the request. The event loop may process their end,
 * which frees places on the other side, after the request. Each such end allows one repetition.
 */
static bool channel_has_room_now(const struct channel *channel)
{
	return channel->n_ended_before != channel->daemon->comch->n_clients_ended &&
	       !peer_is_congested(channel->peer);
}

static void channel_on_refused(struct channel *channel, const Dococore__Error *error)
{
	int r = -ENOTCONN;

	if (error->code == CODE_NOT_FOUND)
		r = channel_ask_next(channel);
	else if (error->code == CODE_FULL && channel_has_room_now(channel))
		r = channel_ask(channel);
	if (r == 0)
		return;
	/* The event has no room for the sentence, so it is logged. */
	if (error->code == CODE_NOT_SUPPORTED)
		log_warning("client %llu (%s) is not connected to '%s': %s",
			    (unsigned long long)channel->session->id, channel->session->program,
			    channel->name, error->text);
	if (r == -EAGAIN)
		channel_fail(channel, CODE_AGAIN);
	else
		/* A server had the channel and was lost with its daemon. */
		channel_fail(channel, channel->peer_channel_id ? CODE_NOT_CONNECTED : error->code);
}

static void channel_on_answer(struct peer_request *request, const Dococore__Packet *answer,
			      struct fdset *fds)
{
	struct channel *channel = container_of(request, struct channel, request);

	(void)fds;
	if (!answer) {
		channel_await_link(channel);
	} else if (answer->body_case == DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY) {
		channel->peer_channel_id = answer->peer_connect_reply->peer_channel_id;
		memcpy(channel->peer_daemon_id, channel->peer->daemon_id, PEER_DAEMON_ID_LEN);
		persist_channel(channel);
		if (channel->wants_arrived &&
		    !(channel->pushed_events & 1u << EVENT_CHANNEL_ARRIVED))
			channel_notify(channel, EVENT_CHANNEL_ARRIVED);
	} else if (answer->body_case != DOCOCORE__PACKET__BODY_ERROR) {
		channel_fail(channel, CODE_OPERATING_SYSTEM);
	} else {
		channel_on_refused(channel, answer->error);
	}
}

void channel_init_request(struct channel *channel)
{
	peer_request_init(&channel->request, channel_on_answer);
}

void channel_start_asking(struct channel *channel)
{
	int r = channel_ask_next(channel);

	if (r == 0)
		return;
	if (r == -EAGAIN) {
		channel_fail(channel, CODE_AGAIN);
		return;
	}
	/* The link has just been lost. */
	if (grace_period_is_active(channel->daemon))
		channel_enter(channel, CHANNEL_WAITING);
	else
		channel_fail(channel, CODE_NOT_CONNECTED);
}

/* Fills in everything but the descriptors. */
static void channel_fill_ready(const struct channel *channel, Dococore__PeerChannelReady *ready)
{
	ready->channel_id = channel->peer_channel_id;
	ready->ring_len = channel->ring_len;
	ready->max_msg_size = channel->max_msg_size;
	ready->recv_queue_size = channel->peer_recv_queue_size;
	ready->peer_recv_queue_size = channel->recv_queue_size;
	ready->server_pid = (uint32_t)channel->session->pid;
	ready->server_uid = channel->session->uid;
}

int channel_send_ready(struct channel *channel)
{
	int sent[4] = {channel->fds[0], channel->fds[2], channel->fds[1], channel->session->pidfd};
	Dococore__PeerChannelReady ready = DOCOCORE__PEER_CHANNEL_READY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	channel_fill_ready(channel, &ready);
	ready.has_pidfd = channel->session->pidfd >= 0;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY;
	packet.peer_channel_ready = &ready;
	return peer_send(channel->peer, &packet, sent, ready.has_pidfd ? 4 : 3);
}

int channel_send_ready_relay(struct channel *channel)
{
	Dococore__PeerChannelReady ready = DOCOCORE__PEER_CHANNEL_READY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	channel_fill_ready(channel, &ready);
	ready.relay = true;
	ready.remote_rings = channel->has_remote_rings;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY;
	packet.peer_channel_ready = &ready;
	return peer_send(channel->peer, &packet, NULL, 0);
}

static void channel_reply_arrived(const struct channel *channel, uint64_t request_id)
{
	Dococore__PeerConnectReply reply = DOCOCORE__PEER_CONNECT_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	reply.peer_channel_id = channel->node.id;
	packet.id = request_id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY;
	packet.peer_connect_reply = &reply;
	(void)peer_send(channel->peer, &packet, NULL, 0);
}

/*
 * Finds the channel by the client's daemon's id, for a daemon that closes before it learned this
 * side's id.
 */
static struct channel *channel_find_by_sender(struct peer *peer, uint64_t sender_id)
{
	struct channel *channel;

	list_for_each(channel, &peer->daemon->comch->channels,
		      link) if (channel->peer == peer && channel->is_server &&
				channel->peer_channel_id == sender_id) return channel;
	return NULL;
}

/*
 * True if the channel exists: it was asked for over an earlier link, or from an earlier instance of
 * this daemon. The answer is repeated.
 */
static bool channel_was_asked_for(struct peer *peer, const Dococore__Packet *packet)
{
	const Dococore__PeerConnect *ask = packet->peer_connect;
	struct channel *channel = NULL;

	if (ask->again)
		channel = channel_find_by_sender(peer, ask->channel_id);
	if (!channel)
		return false;
	channel_reply_arrived(channel, packet->id);
	if (channel->fds[0] < 0)
		return true;
	(void)channel_send_ready(channel);
	/*
	 * Notices about consumers that came before the client's end was ready were dropped, so they
	 * are repeated.
	 */
	consumers_notify_again(channel);
	return true;
}

int channel_on_peer_connect(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerConnect *ask = packet->peer_connect;
	struct service *service = service_find(peer->daemon, ask->name, ask->client_pci_addr, peer);
	struct channel *channel;
	int r;

	if (channel_was_asked_for(peer, packet))
		return 0;
	if (!service)
		return peer_fail_refused(peer, packet->id, CODE_NOT_FOUND,
					 "no server '%.64s' runs for the function %.12s", ask->name,
					 ask->client_pci_addr);
	if (!peer_passes_fds(peer) && !ask->relay)
		return peer_fail_refused(
			peer, packet->id, CODE_NOT_SUPPORTED,
			"server '%.64s' is on another machine, and the daemon of the "
			"client, which is version %.31s, cannot relay messages: install "
			"the same version on both sides",
			ask->name, peer->version);
	if (ask->max_msg_size == 0 || ask->recv_queue_size == 0)
		return peer_fail_refused(
			peer, packet->id, CODE_INVALID_VALUE,
			"a client of server '%.64s' takes messages of no bytes, or none "
			"at all",
			ask->name);
	if (service->n_channels >= service->device->spec->caps.comch_max_clients)
		return peer_fail_refused(
			peer, packet->id, CODE_FULL,
			"server '%.64s' has %u %s, which is all that its device allows", ask->name,
			service->n_channels, plural(service->n_channels, "client", "clients"));
	/* One more event would make the daemon drop the server as one that reads no events. */
	if (event_out_is_full(&service->events))
		return peer_fail_refused(peer, packet->id, CODE_AGAIN,
					 "server '%.64s' is busy: %u events wait for it", ask->name,
					 EVENT_OUT_MAX_QUEUED);
	r = channel_new(service->session, service, &channel);
	if (r < 0)
		return peer_fail_refused(
			peer, packet->id, r == -EDQUOT ? CODE_FULL : CODE_NO_MEMORY,
			"server '%.64s' cannot take another client: %s", ask->name, strerror(-r));
	str_copy(channel->name, sizeof(channel->name), ask->name);
	channel->device = service->device;
	channel->has_remote_rings = ask->relay && ask->remote_rings && service->has_remote_rings;
	channel->max_msg_size = MIN(service->max_msg_size, ask->max_msg_size);
	channel->recv_queue_size = service->recv_queue_size;
	channel->peer_recv_queue_size = ask->recv_queue_size;
	channel->peer_pid = (pid_t)ask->client_pid;
	channel->peer_uid = ask->client_uid;
	channel->peer_pidfd = fdset_steal(fds, 0);
	channel->peer = peer;
	channel->peer_channel_id = ask->channel_id;
	memcpy(channel->peer_daemon_id, peer->daemon_id, PEER_DAEMON_ID_LEN);
	persist_channel(channel);
	events_emit(&channel->daemon->events, OBJECT_CHANNEL, OBJECT_ADDED, channel);
	channel_reply_arrived(channel, packet->id);
	channel_notify(channel, EVENT_CHANNEL_NEW);
	return 0;
}

/* Sets up the client's end of a channel between machines. If that fails, the channel ends. */
static void channel_start_relay(struct channel *channel)
{
	int r = channel_relay(channel);
	char why[240];

	if (r == 0) {
		channel_enter(channel, CHANNEL_READY);
		events_emit(&channel->daemon->events, OBJECT_CHANNEL, OBJECT_CHANGED, channel);
		channel_notify(channel, EVENT_CHANNEL_READY);
		return;
	}
	if (r == -EDQUOT)
		account_explain(channel->session->account, why, sizeof(why));
	else
		str_copy(why, sizeof(why), strerror(-r));
	log_warning("client %llu (%s) is not connected to '%s', whose messages would be relayed: "
		    "%s",
		    (unsigned long long)channel->session->id, channel->session->program,
		    channel->name, why);
	channel_notify_end(channel, r == -EDQUOT ? CODE_FULL : CODE_CONNECTION_ABORTED);
	channel_free(channel, CODE_CONNECTION_ABORTED);
}

/* True if the parameters of the relayed channel satisfy what its client asked for. */
static bool channel_relay_fits(const struct channel *channel,
			       const Dococore__PeerChannelReady *ready)
{
	return ready->max_msg_size > 0 && ready->max_msg_size <= channel->max_msg_size &&
	       ready->recv_queue_size == channel->recv_queue_size &&
	       ready->peer_recv_queue_size > 0 &&
	       ring_geometry_valid(ready->ring_len, ready->max_msg_size);
}

static void channel_confirm_received(const struct peer *peer, uint64_t peer_channel_id)
{
	Dococore__PeerChannelReceived notice = DOCOCORE__PEER_CHANNEL_RECEIVED__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	if (!peer->knows_ends)
		return;
	notice.channel_id = peer_channel_id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_RECEIVED;
	packet.peer_channel_received = &notice;
	(void)peer_send((struct peer *)peer, &packet, NULL, 0);
}

int channel_on_peer_ready(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerChannelReady *ready = packet->peer_channel_ready;
	struct channel *channel = channel_find(peer->daemon, ready->channel_id);

	/*
	 * The channel was closed in the meantime. The server's daemon is notified of that, and the
	 * descriptors are closed.
	 */
	if (!channel || channel->peer != peer || channel->is_server ||
	    channel->peer_channel_id == 0)
		return 0;
	if (!channel_is_connecting(channel)) {
		if (!ready->relay)
			channel_confirm_received(peer, channel->peer_channel_id);
		return 0;
	}
	if (ready->relay && (peer_passes_fds(peer) || !channel_relay_fits(channel, ready)))
		return -EPROTO;
	for (size_t i = 0; i < ARRAY_LEN(channel->fds); i++)
		channel->fds[i] = fdset_steal(fds, i);
	channel->has_remote_rings = channel->has_remote_rings && ready->remote_rings;
	channel->ring_len = ready->ring_len;
	channel->max_msg_size = ready->max_msg_size;
	channel->recv_queue_size = ready->recv_queue_size;
	channel->peer_recv_queue_size = ready->peer_recv_queue_size;
	channel->peer_pid = (pid_t)ready->server_pid;
	channel->peer_uid = ready->server_uid;
	channel->peer_pidfd = fdset_steal(fds, ARRAY_LEN(channel->fds));
	if (ready->relay) {
		channel_start_relay(channel);
		return 0;
	}
	channel_enter(channel, CHANNEL_READY);
	events_emit(&channel->daemon->events, OBJECT_CHANNEL, OBJECT_CHANGED, channel);
	persist_channel(channel);
	channel_confirm_received(peer, channel->peer_channel_id);
	channel_notify(channel, EVENT_CHANNEL_READY);
	return 0;
}

/* Handles relayed messages. Drops messages for a channel that was closed in the meantime. */
int channel_on_peer_data(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerChannelData *notice = packet->peer_channel_data;
	struct channel *channel;

	(void)fds;
	channel = channel_find_for_peer(peer, notice->channel_id, 0);
	if (!channel)
		return 0;
	return channel->relay ? relay_receive(channel->relay, notice->data.data, notice->data.len)
			      : -EPROTO;
}

int channel_on_peer_credit(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerChannelCredit *notice = packet->peer_channel_credit;
	struct channel *channel;

	(void)fds;
	channel = channel_find_for_peer(peer, notice->channel_id, 0);
	if (!channel)
		return 0;
	return channel->relay ? relay_credit(channel->relay, notice->n_msgs) : -EPROTO;
}

int channel_on_peer_received(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	struct channel *channel = channel_find(peer->daemon,
					       packet->peer_channel_received->channel_id);

	(void)fds;
	if (!channel || channel->peer != peer || !channel->is_server ||
	    channel->state != CHANNEL_ESTABLISHED || channel->fds[0] < 0)
		return 0;
	channel_close_fds(channel);
	/*
	 * The client may not have its answer yet, and a repetition of the answer is built from the
	 * record.
	 */
	if (!session_defer_save(channel->session))
		persist_channel(channel);
	return 0;
}

struct channel *channel_find_for_peer(struct peer *peer, uint64_t channel_id, uint64_t sender_id)
{
	struct channel *channel = channel_id ? channel_find(peer->daemon, channel_id)
					     : channel_find_by_sender(peer, sender_id);

	return channel && channel->peer == peer ? channel : NULL;
}

int channel_on_peer_close(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerChannelClose *notice = packet->peer_channel_close;
	struct channel *channel = channel_find_for_peer(peer, notice->channel_id,
							notice->sender_channel_id);

	(void)fds;
	if (channel)
		channel_end_by_peer(channel, notice->code);
	else
		unresolved_end_forget(peer, notice->channel_id);
	return 0;
}
