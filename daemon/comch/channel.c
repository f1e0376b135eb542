/*
 * comch channels: the state of one end; see channel.h. Messages from peers are handled in
 * channel_peer.c.
 */
#include "daemon/comch/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/comch/channel_internal.h"
#include "daemon/peer/channel_fds.h"
#include "daemon/comch/consumer.h"
#include "daemon/peer/relay.h"
#include "daemon/comch/service.h"
#include "daemon/base/daemon.h"
#include "daemon/comch/comch.h"
#include "daemon/base/journal.h"
#include "daemon/registry.pb-c.h"
#include "daemon/session/grace_period.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "proto/ring.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/memfd.h"
#include "util/str.h"

const char *channel_transport_name(const struct channel *channel)
{
	bool is_remote = channel->peer && !peer_passes_fds(channel->peer);

	return channel->relay || is_remote ? "relay" : "shm";
}

struct channel *channel_find(struct daemon *daemon, uint64_t id)
{
	struct idmap_node *node = idmap_find(&daemon->comch->channel_map, id);

	return node ? container_of(node, struct channel, node) : NULL;
}

static void channel_notify_peer(const struct channel *channel, uint32_t code)
{
	Dococore__PeerChannelClose notice = DOCOCORE__PEER_CHANNEL_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	notice.channel_id = channel->peer_channel_id;
	notice.sender_channel_id = channel->node.id;
	notice.code = code;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_CLOSE;
	packet.peer_channel_close = &notice;
	(void)peer_send(channel->peer, &packet, NULL, 0);
}

struct channel *channel_free(struct channel *channel, uint32_t code)
{
	struct daemon *daemon = channel->daemon;

	peer_request_cancel(&channel->request);
	consumers_end(channel);
	if (channel->relay)
		channel->relay = channel->peer ? relay_end(channel->relay, code)
					       : relay_free(channel->relay);
	else if (channel->peer)
		channel_notify_peer(channel, code);
	persist_drop(daemon, &channel->persisted);
	events_emit(&daemon->events, OBJECT_CHANNEL, OBJECT_REMOVED, channel);
	idmap_remove(&daemon->comch->channel_map, &channel->node);
	list_remove(&channel->link);
	list_remove(&channel->in_session.link);
	list_remove(&channel->service_link);
	daemon->comch->n_channels--;
	channel->session->n_channels--;
	daemon->comch->n_clients_ended += !channel->is_server;
	if (channel->service)
		channel->service->n_channels--;
	if (channel->handle)
		channel->handle->n_users--;
	event_out_deinit(&channel->events);
	for (size_t i = 0; i < ARRAY_LEN(channel->fds); i++)
		fd_close(&channel->fds[i]);
	fd_close(&channel->peer_pidfd);
	charge_release(&channel->charge);
	free(channel);
	events_emit_totals(&daemon->events);
	return NULL;
}

struct event_out *channel_events(struct channel *channel)
{
	return channel->service ? &channel->service->events : &channel->events;
}

static void channel_push_event(struct channel *channel, const struct event *event)
{
	int r = event_out_push(channel_events(channel), event);

	if (r == -EPROTO)
		session_kill(channel->session, "it broke its event ring");
	else if (r < 0)
		session_kill(channel->session, "it reads no events: more than %u wait",
			     EVENT_OUT_MAX_QUEUED);
}

void channel_notify(struct channel *channel, enum event_type type)
{
	struct event event = {.type = (uint32_t)type, .id = channel->node.id};

	/* The state in the record implies that the event is due already. */
	channel_push_event(channel, &event);
	channel->pushed_events |= 1u << type;
	persist_channel(channel);
}

/*
 * Cancels the queued event of a new client. A server that has not seen a client need not see its
 * end, so clients that connect and disconnect cannot fill the server's queue.
 */
static bool channel_cancel_new(struct channel *channel)
{
	const struct event event = {.type = EVENT_CHANNEL_NEW, .id = channel->node.id};

	return channel->state == CHANNEL_ARRIVED &&
	       event_out_cancel(channel_events(channel), &event);
}

void channel_notify_end(struct channel *channel, uint32_t code)
{
	struct event event = {.code = code, .id = channel->node.id};
	bool is_restored = channel_has_ended(channel);

	if (channel_cancel_new(channel))
		return;
	if (!is_restored)
		channel_enter(channel,
			      channel_is_connecting(channel) ? CHANNEL_FAILED : CHANNEL_CLOSED);
	event.type = channel->state == CHANNEL_FAILED ? EVENT_CHANNEL_FAILED : EVENT_CHANNEL_CLOSED;
	if (event.type == EVENT_CHANNEL_FAILED && !code)
		event.code = CODE_CONNECTION_ABORTED;
	if (is_restored && event_out_has(channel_events(channel), &event))
		return;
	channel->end_code = code;
	persist_channel(channel);
	channel_push_event(channel, &event);
}

void channel_push_consumer(struct channel *channel, enum event_type type, uint32_t consumer)
{
	struct event event = {.type = (uint32_t)type, .id = channel->node.id, .arg = consumer};

	channel_push_event(channel, &event);
}

bool channel_cancel_consumer(struct channel *channel, enum event_type type, uint32_t consumer)
{
	struct event event = {.type = (uint32_t)type, .id = channel->node.id, .arg = consumer};

	return event_out_has_many(channel_events(channel)) &&
	       event_out_cancel(channel_events(channel), &event);
}

void channel_end_by_peer(struct channel *channel, uint32_t code)
{
	/* The other side knows of the end. */
	channel->peer = NULL;
	if (channel->relay && code == CODE_SUCCESS)
		relay_hang_up(channel->relay);
	channel_notify_end(channel, code);
	channel_free(channel, code);
}

int channel_disconnect(struct daemon *daemon, uint64_t id)
{
	struct channel *channel = channel_find(daemon, id);

	if (!channel)
		return -ENOENT;
	channel_notify_end(channel, CODE_CONNECTION_ABORTED);
	channel_free(channel, CODE_CONNECTION_ABORTED);
	return 0;
}

static bool channel_lost_device(const struct channel *channel)
{
	const struct service *service = channel->service;

	if (service)
		return service_is_absent(service);
	return channel->handle && channel->handle->is_gone;
}

void channels_end_gone(struct daemon *daemon)
{
	struct channel *channel, *tmp;

	list_for_each_safe(channel, tmp, &daemon->comch->channels, link)
	{
		if (!channel_lost_device(channel))
			continue;
		channel_notify_end(channel, CODE_CONNECTION_ABORTED);
		channel_free(channel, CODE_CONNECTION_ABORTED);
	}
}

static int channel_charge(struct channel *channel, uint64_t n_fds, uint64_t n_bytes)
{
	struct session *session = channel->session;
	int r;

	r = session_charge(session, &channel->charge, CHARGE_CHANNELS, 1);
	if (r == 0)
		r = session_charge(session, &channel->charge, CHARGE_FDS, n_fds);
	if (r == 0)
		r = session_charge(session, &channel->charge, CHARGE_BYTES, n_bytes);
	return r;
}

static void channel_object_free(struct session_object *object)
{
	channel_free(container_of(object, struct channel, in_session), CODE_CONNECTION_RESET);
}

static void channel_object_save_deferred(struct session_object *object)
{
	struct channel *channel = container_of(object, struct channel, in_session);

	persist_channel(channel);
	consumers_persist_answered(channel);
}

static const struct session_object_ops channel_object_ops = {
	.free = channel_object_free,
	.save = channel_object_save,
	.forget = channel_object_forget,
	.save_deferred = channel_object_save_deferred,
};

/* id: 0 for a new id. */
static int channel_make(struct session *session, struct service *service, uint64_t id,
			const int ring_fds[2], struct channel **channel_out)
{
	struct daemon *daemon = session->daemon;
	struct channel *channel = calloc(1, sizeof(*channel));
	int r;

	if (!channel) {
		fd_close(&(int){ring_fds[0]});
		fd_close(&(int){ring_fds[1]});
		return -ENOMEM;
	}
	channel->daemon = daemon;
	channel->session = session;
	channel->service = service;
	channel->is_server = service != NULL;
	channel->state = service ? CHANNEL_ARRIVED : CHANNEL_ASKING;
	channel->events = (struct event_out)EVENT_OUT_INIT;
	channel->created_at_ns = clock_wall_ns();
	for (size_t i = 0; i < ARRAY_LEN(channel->fds); i++)
		channel->fds[i] = -1;
	channel->peer_pidfd = -1;
	channel->is_listed = true;
	channel_init_request(channel);
	/*
	 * A client's end holds its event ring and, for a moment, the channel's descriptors. For the
	 * same time each end holds the other end's pidfd.
	 */
	r = service ? channel_charge(channel, 1, 0)
		    : channel_charge(channel, 6, sizeof(struct event_ring));
	if (!service && id) {
		int error = event_out_resume(&channel->events, daemon->loop, ring_fds[0],
					     ring_fds[1]);

		r = r < 0 ? r : error;
	} else if (r == 0 && !service) {
		r = event_out_init(&channel->events, daemon->loop);
	}
	persist_ids(daemon);
	if (r == 0)
		r = idmap_add(&daemon->comch->channel_map, &channel->node,
			      id ? id : ++daemon->next_channel_id);
	if (r < 0) {
		event_out_deinit(&channel->events);
		charge_release(&channel->charge);
		free(channel);
		return r;
	}
	list_init(&channel->service_link);
	list_init(&channel->consumers);
	list_init(&channel->peer_consumers);
	list_append(&daemon->comch->channels, &channel->link);
	session_add_object(session, SESSION_CHANNELS, &channel->in_session, &channel_object_ops);
	daemon->comch->n_channels++;
	session->n_channels++;
	if (service) {
		list_append(&service->channels, &channel->service_link);
		service->n_channels++;
	} else {
		event_out_set_owner(&channel->events, session, REGISTRY__RECORD_TYPE__CHANNEL,
				    channel->node.id);
	}
	events_emit_totals(&daemon->events);
	*channel_out = channel;
	return 0;
}

int channel_new(struct session *session, struct service *service, struct channel **channel_out)
{
	return channel_make(session, service, 0, (const int[]){-1, -1}, channel_out);
}

int channel_new_restored(struct session *session, struct service *service, uint64_t id,
			 const int ring_fds[2], struct channel **channel_out)
{
	return channel_make(session, service, id, ring_fds, channel_out);
}

/* Returns 0, or 1 after sending a refusal. */
static int channel_check(struct session *session, const Dococore__Packet *packet,
			 const struct device *device)
{
	const Dococore__ChannelConnect *ask = packet->channel_connect;
	const struct caps *caps = &device->spec->caps;

	if (!caps->comch_client)
		session_refuse(
			session, packet->id, CODE_NOT_SUPPORTED,
			"device '%s' has no comch clients: they run on devices of the host side",
			device->spec->name);
	else if (!*ask->name || strlen(ask->name) >= caps->comch_max_name_len)
		session_refuse(session, packet->id, CODE_INVALID_VALUE,
			       "a server's name on device '%s' has 1 to %u bytes",
			       device->spec->name, caps->comch_max_name_len - 1);
	else if (ask->max_msg_size == 0 || ask->max_msg_size > caps->comch_max_msg_size)
		session_refuse(
			session, packet->id, CODE_INVALID_VALUE,
			"client of '%.64s': a message size of %u bytes is not allowed; device '%s' "
			"allows 1 to %u",
			ask->name, ask->max_msg_size, device->spec->name, caps->comch_max_msg_size);
	else if (ask->recv_queue_size == 0 || ask->recv_queue_size > caps->comch_max_recv_queue)
		session_refuse(
			session, packet->id, CODE_INVALID_VALUE,
			"client of '%.64s': a receive queue of %u messages is not allowed; device "
			"'%s' allows 1 to %u",
			ask->name, ask->recv_queue_size, device->spec->name,
			caps->comch_max_recv_queue);
	else
		return 0;
	return 1;
}

static void channel_reply_connect(const struct channel *channel, uint64_t request_id)
{
	Dococore__ChannelConnectReply reply = DOCOCORE__CHANNEL_CONNECT_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fds[2] = {channel->events.writer.memfd, channel->events.writer.eventfd};

	reply.channel_id = channel->node.id;
	reply.event_ring_len = ALIGN_UP(sizeof(struct event_ring), memfd_page_size());
	packet.id = request_id;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY;
	packet.channel_connect_reply = &reply;
	session_reply(channel->session, &packet, fds, 2);
}

int channel_on_connect(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ChannelConnect *ask = packet->channel_connect;
	struct handle *handle;
	struct device *device = handle_find_device(session, ask->device, &handle);
	struct channel *channel;
	struct peer *peer;
	int r;

	(void)fds;
	if (!device)
		return session_refuse(session, packet->id, CODE_NOT_FOUND,
				      "handle %llu is no open device of this connection",
				      (unsigned long long)ask->device);
	if (handle_refuse_gone(session, packet->id, handle) ||
	    channel_check(session, packet, device) > 0)
		return 0;
	/*
	 * Queued packets hold descriptors of this process for as long as the peer does not receive
	 * them.
	 */
	peer = peer_next_linked(session->daemon, NULL);
	if (peer && peer_is_congested(peer))
		return session_refuse(session, packet->id, CODE_AGAIN,
				      "client of '%.64s': the daemon of the other side is too busy "
				      "to be asked for a server: try again",
				      ask->name);
	r = channel_new(session, NULL, &channel);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "a comch client");
	channel->device = device;
	channel->handle = handle;
	handle->n_users++;
	str_copy(channel->name, sizeof(channel->name), ask->name);
	channel->max_msg_size = ask->max_msg_size;
	channel->recv_queue_size = ask->recv_queue_size;
	channel->wants_arrived = ask->wants_arrived;
	channel->has_remote_rings = ask->remote_rings;
	channel->request_id = packet->id;
	persist_channel(channel);
	events_emit(&channel->daemon->events, OBJECT_CHANNEL, OBJECT_ADDED, channel);
	channel_reply_connect(channel, packet->id);
	/* The next step may end the channel, and this request must not create another. */
	session_consume(session);
	channel_start_asking(channel);
	return 0;
}

bool channel_connect_again(struct session *session, const Dococore__Packet *packet)
{
	const struct channel *channel;

	list_for_each(channel, &session->objects[SESSION_CHANNELS], in_session.link)
	{
		if (channel->is_server || channel->request_id != packet->id)
			continue;
		channel_reply_connect(channel, packet->id);
		return true;
	}
	return false;
}

/* Stores the memory and eventfds from this end's point of view. */
static int channel_create_fds(struct channel *channel)
{
	struct channel_fds channel_fds = CHANNEL_FDS_INIT;
	int r = channel_fds_init(&channel_fds, channel->ring_len);

	if (r < 0) {
		channel_fds_deinit(&channel_fds);
		return r;
	}
	channel->fds[0] = channel_fds.memfd;
	channel->fds[1] = channel_fds.server_eventfd;
	channel->fds[2] = channel_fds.client_eventfd;
	return 0;
}

void channel_close_fds(struct channel *channel)
{
	if (channel->fds[0] < 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(channel->fds); i++)
		fd_close(&channel->fds[i]);
	charge_drop(&channel->charge, CHARGE_FDS, ARRAY_LEN(channel->fds));
}

/* Answers the fetch; this end then has its descriptors. */
static void channel_reply_fetch(struct channel *channel, uint64_t request_id, const int fds[3])
{
	int sent[4] = {fds[0], fds[1], fds[2], channel->peer_pidfd};
	Dococore__ChannelReply reply = DOCOCORE__CHANNEL_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	reply.channel_id = channel->node.id;
	reply.ring_len = channel->ring_len;
	reply.max_msg_size = channel->max_msg_size;
	reply.recv_queue_size = channel->recv_queue_size;
	reply.peer_recv_queue_size = channel->peer_recv_queue_size;
	reply.is_server = channel->is_server;
	reply.peer_pid = (uint32_t)channel->peer_pid;
	reply.peer_uid = channel->peer_uid;
	reply.has_peer_pidfd = channel->peer_pidfd >= 0;
	reply.remote_consumers = consumers_are_remote(channel);
	reply.remote_rings = channel->has_remote_rings && channel->relay != NULL;
	if (reply.remote_rings)
		reply.peer_daemon_id = (ProtobufCBinaryData){sizeof(channel->peer_daemon_id),
							     channel->peer_daemon_id};
	packet.id = request_id;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_REPLY;
	packet.channel_reply = &reply;
	session_reply(channel->session, &packet, sent, reply.has_peer_pidfd ? 4 : 3);
}

/*
 * Records that the fetch was answered. A later daemon instance that finds this record does not
 * answer the request again.
 */
static void channel_establish(struct channel *channel, uint64_t request_id)
{
	channel_enter(channel, CHANNEL_ESTABLISHED);
	channel->fetch_id = request_id;
	charge_drop(&channel->charge, CHARGE_FDS, 1);
	fd_close(&channel->peer_pidfd);
	if (!session_defer_save(channel->session))
		persist_channel(channel);
	events_emit(&channel->daemon->events, OBJECT_CHANNEL, OBJECT_CHANGED, channel);
	consumers_announce(channel);
}

static void channel_on_broken(void *user, const char *what)
{
	struct channel *channel = user;

	struct journal_subject before = session_enter_journal(channel->session, NULL);

	if (what)
		log_info("client %llu (%s) wrote an impossible %s into the ring of channel %llu: "
			 "the channel ends",
			 (unsigned long long)channel->session->id, channel->session->program, what,
			 (unsigned long long)channel->node.id);
	journal_leave(&before);
	channel_notify_end(channel, CODE_CONNECTION_RESET);
	channel_free(channel, CODE_CONNECTION_RESET);
}

int channel_relay(struct channel *channel)
{
	const struct relay_options options = {
		.peer = channel->peer,
		.account = channel->session->account,
		.channel_id = channel->node.id,
		.peer_channel_id = channel->peer_channel_id,
		.is_server = channel->is_server,
		.has_remote_rings = channel->has_remote_rings,
		.ring_len = channel->ring_len,
		.max_msg = channel->max_msg_size,
		.recv_queue_size = channel->recv_queue_size,
		.peer_recv_queue_size = channel->peer_recv_queue_size,
		.broken = channel_on_broken,
		.user = channel,
	};
	int r = relay_new(&options, &channel->relay);

	if (r == -EDQUOT && session_end_left(channel->session))
		r = relay_new(&options, &channel->relay);
	if (r < 0)
		return r;
	/*
	 * This process is the other end of the client's rings, and if it dies no other process
	 * reports it.
	 */
	channel->peer_pidfd = fd_pidfd_open(getpid());
	if (channel->peer_pidfd < 0)
		channel->peer_pidfd = -1;
	persist_channel(channel);
	return 0;
}

/* Answers the fetch with the relay's descriptors for the client. */
static void channel_hand_over_relay(struct channel *channel, uint64_t request_id)
{
	int fds[3];

	relay_get_fds(channel->relay, fds);
	channel_reply_fetch(channel, request_id, fds);
	channel_establish(channel, request_id);
	relay_handed_over(channel->relay);
}

/* Creates the memory that both ends share. Returns 0 or -errno. */
static int channel_make_shared(struct channel *channel)
{
	struct session *session = channel->session;
	int r;

	r = session_charge(session, &channel->charge, CHARGE_BYTES,
			   CHANNEL_HEADER_LEN + 2ull * channel->ring_len);
	if (r == 0)
		r = session_charge(session, &channel->charge, CHARGE_FDS, ARRAY_LEN(channel->fds));
	if (r == 0)
		r = channel_create_fds(channel);
	if (r == 0)
		persist_channel(channel);
	return r;
}

static int channel_accept_shared(struct channel *channel, uint64_t request_id)
{
	int r = 0;

	if (channel->peer && peer_is_congested(channel->peer))
		return -EAGAIN;
	/* After a restart the channel may have its memory already. */
	if (channel->fds[0] < 0)
		r = channel_make_shared(channel);
	if (r == 0)
		r = channel_send_ready(channel);
	/* Without a link, the message is sent when the daemons are linked again. */
	if (r == -ENOTCONN && grace_period_is_active(channel->daemon))
		r = 0;
	if (r < 0)
		return r;
	channel_reply_fetch(channel, request_id, channel->fds);
	if (channel->peer && !channel_peer_knows_ends(channel->peer))
		channel_close_fds(channel);
	channel_establish(channel, request_id);
	return 0;
}

/*
 * Accepts a channel whose daemons each create the memory for their own client. Returns like
 * channel_accept().
 */
static int channel_accept_relay(struct channel *channel, uint64_t request_id)
{
	int r = channel_relay(channel);

	if (r == 0)
		r = channel_send_ready_relay(channel);
	if (r < 0)
		return r;
	channel_hand_over_relay(channel, request_id);
	return 0;
}

/* Accepts for the server. Returns 0 or -errno; the channel continues to exist in both cases. */
static int channel_accept(struct channel *channel, uint64_t request_id)
{
	uint64_t ring_len = ring_len_for(channel->max_msg_size, MAX(channel->recv_queue_size,
								    channel->peer_recv_queue_size));

	if (ring_len == 0 || ring_len > UINT32_MAX)
		return -EOVERFLOW;
	if (!channel->peer && !grace_period_is_active(channel->daemon))
		return -ENOTCONN;
	channel->ring_len = (uint32_t)ring_len;
	return channel->peer && !peer_passes_fds(channel->peer)
		       ? channel_accept_relay(channel, request_id)
		       : channel_accept_shared(channel, request_id);
}

static int channel_fetch_server(struct channel *channel, uint64_t request_id)
{
	struct session *session = channel->session;
	int r = channel_accept(channel, request_id);

	if (r == 0)
		return 0;
	channel_free(channel, r == -EDQUOT   ? CODE_FULL
			      : r == -EAGAIN ? CODE_AGAIN
					     : CODE_CONNECTION_ABORTED);
	if (r == -EAGAIN)
		return session_refuse(session, request_id, CODE_AGAIN,
				      "the client's daemon is too busy to be notified that it is "
				      "accepted: the client has to connect again");
	if (r == -ENOTCONN)
		return session_refuse(
			session, request_id, CODE_NOT_CONNECTED,
			"the link to the client's daemon broke before the channel was accepted: "
			"the client has to connect again");
	return session_refuse_errno(session, request_id, r, "a channel");
}

bool channel_fetch_again(struct session *session, const Dococore__Packet *packet)
{
	const struct channel *channel = channel_find(session->daemon,
						     packet->channel_fetch->channel_id);

	return channel && channel->session == session && channel->state == CHANNEL_ESTABLISHED &&
	       channel->fetch_id == packet->id;
}

int channel_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct channel *channel = channel_find(session->daemon, packet->channel_fetch->channel_id);

	(void)fds;
	if (!channel || channel->session != session)
		return session_refuse(session, packet->id, CODE_NOT_FOUND,
				      "channel %llu is gone: the other end closed it or ended",
				      (unsigned long long)packet->channel_fetch->channel_id);
	if (channel->state == CHANNEL_ARRIVED)
		return channel_fetch_server(channel, packet->id);
	if (channel->state != CHANNEL_READY)
		return session_refuse(
			session, packet->id, CODE_BAD_STATE,
			"channel %llu is %s and cannot be fetched: wait for its event, and fetch "
			"it once",
			(unsigned long long)channel->node.id, channel_state_name(channel->state));
	if (channel->relay) {
		charge_drop(&channel->charge, CHARGE_FDS, ARRAY_LEN(channel->fds));
		channel_hand_over_relay(channel, packet->id);
		return 0;
	}
	channel_reply_fetch(channel, packet->id, channel->fds);
	channel_close_fds(channel);
	channel_establish(channel, packet->id);
	return 0;
}

int channel_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct channel *channel = channel_find(session->daemon, packet->channel_close->channel_id);

	(void)fds;
	if (channel && channel->session == session)
		channel_free(channel,
			     packet->channel_close->is_lost ? CODE_CONNECTION_RESET : CODE_SUCCESS);
	session_reply_ok(session, packet->id);
	return 0;
}
