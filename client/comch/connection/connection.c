/*
 * One connection: two message rings that the daemons made and that both processes map. This file
 * sets it up, watches it and tears it down. Data from the daemon and in the shared header is
 * validated before use; the rings' own words are validated on each load (proto/ring.h). A
 * connection that breaks a rule ends; no other is affected.
 */
#include "client/comch/comch.h"

#include <stdlib.h>
#include <string.h>

#include "client/control/session.h"
#include "util/clock.h"
#include "util/doorbell.h"
#include "util/fd.h"
#include "util/memfd.h"

/*
 * The rings or the peer's pidfd show the end of a connection before the daemon's event does. That
 * event follows all events of the peer's consumers, so it is waited for. A daemon that answers
 * takes well below a millisecond.
 */
#define AWAIT_DAEMON_NS (2 * NS_PER_SEC)

/* Producers and consumers are created on other threads and find their link by this pointer. The
 * lock protects the pointers of all connections and is held briefly. */
static pthread_mutex_t links_lock = PTHREAD_MUTEX_INITIALIZER;

/* The descriptors of a ChannelReply, in the order of the protocol. */
struct channel_fds {
	int memfd, wait_fd, doorbell_fd, peer_pidfd;
};

static void channel_fds_close(struct channel_fds *fds)
{
	fd_close(&fds->memfd);
	fd_close(&fds->wait_fd);
	fd_close(&fds->doorbell_fd);
	fd_close(&fds->peer_pidfd);
}

static doca_error_t connection_check_reply(const struct comch *comch, uint64_t channel_id,
					   const Dococore__ChannelReply *reply,
					   const struct channel_fds *fds)
{
	const char *wrong = NULL;

	if (reply->channel_id != channel_id || !reply->is_server != !comch->is_server)
		wrong = "it is another channel's";
	else if (reply->max_msg_size == 0 || reply->max_msg_size > comch->max_msg_size)
		wrong = "its message size exceeds what this side allows";
	else if (reply->recv_queue_size == 0 || reply->peer_recv_queue_size == 0)
		wrong = "a receive queue is empty";
	else if (!ring_geometry_valid(reply->ring_len, reply->max_msg_size))
		wrong = "its ring length is impossible";
	else if (memfd_verify(fds->memfd, CHANNEL_HEADER_LEN + 2 * (size_t)reply->ring_len) < 0)
		wrong = "its memory is too short or not sealed";
	else if (!fd_is_eventfd(fds->wait_fd) || !fd_is_eventfd(fds->doorbell_fd))
		wrong = "its doorbells are no eventfds";
	if (wrong != NULL)
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "comch \"%s\": the daemon's channel is not usable: %s",
				 comch->name, wrong);
	return DOCA_SUCCESS;
}

static doca_error_t connection_map(struct doca_comch_connection *conn, int memfd)
{
	const struct comch *comch = conn->comch;
	struct channel_header *header;
	size_t i;

	conn->header = memfd_map(memfd, 0, CHANNEL_HEADER_LEN, true);
	for (i = 0; conn->header != NULL && i < ARRAY_LEN(conn->areas); i++) {
		conn->areas[i] = memfd_map_twice(
			memfd, CHANNEL_HEADER_LEN + i * (uint64_t)conn->ring_len, conn->ring_len);
		if (conn->areas[i] == NULL)
			break;
	}
	if (conn->header == NULL || i < ARRAY_LEN(conn->areas))
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "comch \"%s\": the channel's memory cannot be mapped: %m",
				 comch->name);
	header = conn->header;
	if (header->magic != CHANNEL_MAGIC || header->version != CHANNEL_LAYOUT ||
	    header->ring_len != conn->ring_len)
		return error_set(
			DOCA_ERROR_UNSUPPORTED_VERSION,
			"comch \"%s\": the channel's memory has another layout; update library "
			"and daemon together",
			comch->name);
	return DOCA_SUCCESS;
}

/* Ring 0 carries messages from server to client. */
static void connection_init_rings(struct doca_comch_connection *conn,
				  const Dococore__ChannelReply *reply)
{
	struct channel_header *header = conn->header;
	size_t tx = conn->comch->is_server ? 0 : 1;

	ring_producer_init(&conn->tx, &header->ring[tx], conn->areas[tx], conn->ring_len,
			   conn->max_msg, reply->peer_recv_queue_size);
	ring_consumer_init(&conn->rx, &header->ring[1 - tx], conn->areas[1 - tx], conn->ring_len,
			   conn->max_msg);
}

static void connection_rang(struct pe_doorbell *doorbell)
{
	struct doca_comch_connection *conn = container_of(doorbell, struct doca_comch_connection,
							  wait);

	if (conn->comch->activate != NULL)
		conn->comch->activate(conn);
}

/* The peer's process has exited. Its messages, and an orderly close, are in the rings. Runs while
 * the progress engine drains its descriptors, so it must not call a callback. */
static void connection_peer_ended(struct doca_comch_connection *conn)
{
	comch_connection_peer_left(conn, ring_consumer_peer_closed(&conn->rx)
						 ? DOCA_SUCCESS
						 : DOCA_ERROR_CONNECTION_RESET);
}

static void connection_peer_rang(struct pe_doorbell *doorbell)
{
	struct doca_comch_connection *conn = container_of(doorbell, struct doca_comch_connection,
							  peer);

	if (conn->state != COMCH_UP)
		return;
	connection_peer_ended(conn);
	if (conn->comch->activate != NULL)
		conn->comch->activate(conn);
}

static int connection_watch_peer(struct doca_comch_connection *conn, struct channel_fds *fds)
{
	int r;

	if (fds->peer_pidfd < 0)
		return 0;
	conn->peer = (struct pe_doorbell){.fd = fds->peer_pidfd, .on_ring = connection_peer_rang};
	r = pe_add_doorbell(conn->comch->ctx.pe, &conn->peer);
	if (r < 0)
		conn->peer.fd = -1;
	else
		fd_steal(&fds->peer_pidfd);
	return r;
}

static doca_error_t connection_watch(struct doca_comch_connection *conn, struct channel_fds *fds)
{
	int r = fd_set_nonblocking(fds->wait_fd);

	pe_prepare_doorbells();
	if (r == 0)
		r = fd_set_nonblocking(fds->doorbell_fd);
	conn->wait = (struct pe_doorbell){.fd = fds->wait_fd, .on_ring = connection_rang};
	if (r == 0)
		r = pe_add_doorbell(conn->comch->ctx.pe, &conn->wait);
	if (r < 0) {
		conn->wait.fd = -1;
	} else {
		fd_steal(&fds->wait_fd);
		r = connection_watch_peer(conn, fds);
	}
	if (r < 0)
		return error_set(
			error_from_errno(r),
			"comch \"%s\": the channel's doorbell cannot be watched (error %d)",
			conn->comch->name, -r);
	conn->doorbell_fd = fd_steal(&fds->doorbell_fd);
	return DOCA_SUCCESS;
}

static doca_error_t connection_set_up(struct doca_comch_connection *conn, struct rpc_reply *answer)
{
	const Dococore__ChannelReply *reply = answer->packet->channel_reply;
	CLEANUP(channel_fds_close)
	struct channel_fds fds = {fdset_steal(&answer->fds, 0), fdset_steal(&answer->fds, 1),
				  fdset_steal(&answer->fds, 2), fdset_steal(&answer->fds, 3)};
	doca_error_t result;

	result = connection_check_reply(conn->comch, conn->channel_id, reply, &fds);
	if (result != DOCA_SUCCESS)
		return result;
	conn->ring_len = reply->ring_len;
	conn->max_msg = reply->max_msg_size;
	conn->n_unread_max = reply->recv_queue_size;
	result = connection_map(conn, fds.memfd);
	if (result != DOCA_SUCCESS)
		return result;
	connection_init_rings(conn, reply);
	conn->n_unreleased = 0;
	conn->unreleased_max = MAX(reply->recv_queue_size / COMCH_PUBLISH_PART, 1u);
	conn->publish_at = conn->ring_len / COMCH_PUBLISH_PART;
	return connection_watch(conn, &fds);
}

void comch_connection_init(struct doca_comch_connection *conn, struct comch *comch)
{
	conn->comch = comch;
	counters_init(&conn->counters);
	conn->line = conn->counters.line;
	conn->wait.fd = conn->doorbell_fd = conn->peer.fd = -1;
	list_init(&conn->node);
	list_init(&conn->hash_node);
}

static void connection_open_counters(struct doca_comch_connection *conn)
{
	const struct doca_ctx *ctx = &conn->comch->ctx;

	counters_close(&conn->counters);
	counters_init(&conn->counters);
	counters_open(&conn->counters, COUNTERS_CHANNEL, ctx->dev->info->name);
	counters_set_pe(&conn->counters, &ctx->pe->counters);
	counters_set_object(&conn->counters, conn->channel_id, 0);
	conn->line = conn->counters.line;
}

struct comch_link *comch_connection_ref_link(struct doca_comch_connection *conn)
{
	struct comch_link *link;

	pthread_mutex_lock(&links_lock);
	link = conn->link;
	if (link != NULL)
		comch_link_ref(link);
	pthread_mutex_unlock(&links_lock);
	return link;
}

/* Sets the link and returns the previous one, whose reference is now the caller's. */
static struct comch_link *connection_set_link(struct doca_comch_connection *conn,
					      struct comch_link *link)
{
	struct comch_link *old;

	pthread_mutex_lock(&links_lock);
	old = conn->link;
	conn->link = link;
	pthread_mutex_unlock(&links_lock);
	return old;
}

static doca_error_t connection_make_link(struct doca_comch_connection *conn,
					 const uint8_t daemon_id[16], bool is_remote)
{
	struct comch_link *link = comch_link_new(conn->comch->ctx.dev, conn->comch->name,
						 conn->channel_id, daemon_id);

	if (link == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch \"%s\": no memory for a connection",
				 conn->comch->name);
	link->is_remote = is_remote;
	comch_link_unref(connection_set_link(conn, link));
	return DOCA_SUCCESS;
}

doca_error_t comch_connection_open(struct doca_comch_connection *conn,
				   const struct comch_fetch *fetch, doca_error_t result,
				   struct rpc_reply *answer)
{
	conn->channel_id = fetch->channel_id;
	memcpy(conn->daemon_id, fetch->daemon_id, sizeof(conn->daemon_id));
	conn->n_empty = 0;
	conn->space_len = 0;
	conn->armed = conn->closed_tx = conn->is_dropped = false;
	conn->end_code = DOCA_SUCCESS;
	conn->user_data.u64 = 0;
	conn->closed_counters = conn->counters_snapshot = (struct comch_counters){0};
	connection_open_counters(conn);
	if (result == DOCA_SUCCESS)
		result = connection_set_up(conn, answer);
	if (result == DOCA_SUCCESS)
		result = connection_make_link(conn, conn->daemon_id,
					      answer->packet->channel_reply->remote_consumers);
	conn->may_be_offered = result == DOCA_SUCCESS &&
			       answer->packet->channel_reply->remote_rings;
	if (conn->may_be_offered)
		comch_remote_ring_open(conn, answer->packet->channel_reply);
	conn->end_code = result;
	conn->state = result == DOCA_SUCCESS ? COMCH_UP : COMCH_DOWN;
	return result;
}

/* Notifies producers and consumers of the end of the connection. A code other than SUCCESS means
 * that the peer is dead. */
static void connection_end_link(struct doca_comch_connection *conn, doca_error_t code)
{
	if (conn->link != NULL)
		comch_link_end(conn->link, code);
}

doca_error_t comch_connection_open_ended(struct doca_comch_connection *conn)
{
	doca_error_t result = connection_make_link(conn, conn->daemon_id, false);

	if (result != DOCA_SUCCESS)
		return result;
	conn->channel_id = 0;
	conn->tx.max_msg = conn->comch->max_msg_size;
	conn->end_code = DOCA_SUCCESS;
	connection_end_link(conn, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}

void comch_connection_close(struct doca_comch_connection *conn)
{
	uint32_t id;
	size_t i;

	comch_remote_ring_close(conn);
	if (conn->wait.fd >= 0)
		pe_remove_eventfd(conn->comch->ctx.pe, conn->wait.fd);
	if (conn->peer.fd >= 0)
		pe_remove_eventfd(conn->comch->ctx.pe, conn->peer.fd);
	fd_close(&conn->wait.fd);
	fd_close(&conn->peer.fd);
	fd_close(&conn->doorbell_fd);
	for (i = 0; i < ARRAY_LEN(conn->areas); i++) {
		if (conn->areas[i] != NULL)
			memfd_unmap_twice(conn->areas[i], conn->ring_len);
		conn->areas[i] = NULL;
	}
	if (conn->header != NULL)
		memfd_unmap(conn->header, CHANNEL_HEADER_LEN);
	conn->header = NULL;
	connection_end_link(conn, DOCA_SUCCESS);
	/* Producers may keep the link for long. The memory of the peer's consumers is
	 * released now. */
	while (conn->link != NULL && comch_link_detach_any(conn->link, &id))
		;
	/* The counters remain readable and include those of producers and consumers. */
	if (conn->link != NULL)
		comch_link_count(conn->link, &conn->closed_counters);
	comch_link_unref(connection_set_link(conn, NULL));
	counters_close(&conn->counters);
	conn->line = conn->counters.line;
	conn->state = COMCH_FREE;
	conn->generation++;
}

static void channel_post_close(uint64_t channel_id, const uint8_t daemon_id[16], bool is_lost)
{
	Dococore__ChannelClose body = DOCOCORE__CHANNEL_CLOSE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.channel_id = channel_id;
	body.is_lost = is_lost;
	request.packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CLOSE;
	request.packet.channel_close = &body;
	rpc_lock();
	/* For another daemon, the number may be another channel's. */
	if (memcmp(session_daemon_id_locked(), daemon_id, 16) == 0)
		rpc_post_locked(&request);
	rpc_unlock();
}

void comch_channel_notify_closed(uint64_t channel_id, const uint8_t daemon_id[16])
{
	channel_post_close(channel_id, daemon_id, false);
}

void comch_channel_notify_lost(uint64_t channel_id, const uint8_t daemon_id[16])
{
	channel_post_close(channel_id, daemon_id, true);
}

void comch_connection_hang_up(struct doca_comch_connection *conn)
{
	if (!conn->closed_tx && conn->wait.fd >= 0) {
		struct ring_producer *tx = &conn->tx;

		conn->closed_tx = true;
		if (conn->remote_ring != NULL)
			tx = comch_remote_ring_drain(conn);
		if (tx != NULL && ring_producer_close(tx))
			doorbell_ring(conn->doorbell_fd);
	}
	conn->state = COMCH_DOWN;
	connection_end_link(conn, DOCA_SUCCESS);
	if (conn->channel_id != 0)
		comch_channel_notify_closed(conn->channel_id, conn->daemon_id);
	conn->channel_id = 0;
}

void comch_connection_peer_left(struct doca_comch_connection *conn, doca_error_t code)
{
	if (conn->state != COMCH_UP)
		return;
	conn->state = COMCH_DRAINING;
	conn->end_code = code;
	conn->await_until_ns = clock_now_ns() + AWAIT_DAEMON_NS;
	connection_end_link(conn, code);
}

/*
 * The daemon may still have events of the peer's consumers. After an orderly end the library awaits
 * the daemon's event for it. After another end, which may have come because a daemon is gone, the
 * library delivers only the events that have arrived.
 */
static bool connection_awaits_daemon(const struct doca_comch_connection *conn)
{
	const struct comch *comch = conn->comch;

	if (conn->channel_id == 0 ||
	    (comch->consumer_event.new_cb == NULL && comch->consumer_event.expired_cb == NULL) ||
	    comch->events.status != COMCH_EVENTS_CURRENT || comch->events.id == 0)
		return false;
	return (conn->end_code == DOCA_SUCCESS || comch_events_is_fetching(comch) ||
		event_reader_pending(&comch->events.reader)) &&
	       clock_now_ns() < conn->await_until_ns;
}

void comch_connection_break(struct doca_comch_connection *conn, const char *what)
{
	conn->state = COMCH_DOWN;
	conn->end_code = DOCA_ERROR_CONNECTION_RESET;
	connection_end_link(conn, DOCA_SUCCESS);
	error_set(DOCA_ERROR_CONNECTION_RESET,
		  "comch \"%s\": the peer wrote an impossible %s into the ring; this connection "
		  "ends, others continue",
		  conn->comch->name, what);
}

static void connection_notify_consumer(struct doca_comch_connection *conn, uint32_t id)
{
	struct doca_comch_event_consumer *mine = &conn->comch->consumer_event;

	if (mine->new_cb != NULL)
		mine->new_cb(mine, conn, id);
}

static void connection_consumer_new(struct doca_comch_connection *conn, uint32_t id)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;

	if (conn->state != COMCH_UP && conn->state != COMCH_DRAINING)
		return;
	if (conn->state == COMCH_UP)
		result = comch_link_reserve(conn->link, id);
	if (result == DOCA_SUCCESS)
		comch_fetch_consumer(conn, id);
	else if (comch_link_add_unopened(conn->link, id, result, NULL))
		connection_notify_consumer(conn, id);
}

void comch_connection_consumer_event(struct doca_comch_connection *conn, const struct event *event)
{
	struct doca_comch_event_consumer *mine = &conn->comch->consumer_event;
	uint32_t id = (uint32_t)event->arg;

	if (conn->link == NULL || event->arg == 0 || event->arg > UINT32_MAX)
		return;
	if (event->type == EVENT_CONSUMER_NEW)
		connection_consumer_new(conn, id);
	else if (comch_link_detach(conn->link, id) && mine->expired_cb != NULL)
		mine->expired_cb(mine, conn, id);
}

void comch_connection_consumer_fetched(const struct comch_fetch *fetch, doca_error_t result,
				       struct rpc_reply *answer)
{
	struct doca_comch_connection *conn = fetch->conn;
	struct comch_link *link = fetch->link;
	bool is_announced = comch_link_attach(link, fetch->consumer_id, result, answer,
					      fetch->lookup.import);

	/* The connection may have ended meanwhile, and its memory may be another connection. */
	if (is_announced && conn->generation == fetch->generation && conn->link == link &&
	    !conn->is_dropped)
		connection_notify_consumer(conn, fetch->consumer_id);
	comch_link_unref(link);
}

bool comch_connection_must_expire(const struct doca_comch_connection *conn)
{
	return conn->link != NULL && conn->comch->consumer_event.expired_cb != NULL &&
	       comch_link_has_announced(conn->link);
}

bool comch_connection_expire(struct doca_comch_connection *conn)
{
	struct doca_comch_event_consumer *mine = &conn->comch->consumer_event;
	uint32_t id;

	if (!comch_connection_must_expire(conn) || !comch_link_detach_any(conn->link, &id))
		return false;
	mine->expired_cb(mine, conn, id);
	return true;
}

static int connection_peek(struct doca_comch_connection *conn, const void **payload_out,
			   uint32_t *len_out, uint32_t *kind_out)
{
	int r = ring_consumer_peek(&conn->rx, payload_out, len_out, kind_out);

	if (r == 0 && conn->remote_ring != NULL)
		r = comch_remote_ring_peek(conn, payload_out, len_out, kind_out);
	return r;
}

int comch_connection_poll_control(struct doca_comch_connection *conn, int r, uint32_t kind,
				  const void *payload, uint32_t len)
{
	if (r > 0 && kind == RING_MSG_REMOTE_RING &&
	    comch_remote_ring_receive_control(conn, payload, len)) {
		conn->n_empty = 0;
		return COMCH_POLL_CONTROL;
	}
	comch_connection_break(conn, r < 0 ? "message header" : "message kind");
	return COMCH_POLL_END;
}

int comch_connection_poll_draining(struct doca_comch_connection *conn)
{
	const void *payload;
	uint32_t len, kind;
	int r;

	if (conn->state != COMCH_DRAINING)
		return COMCH_POLL_END;
	/* A well-behaved peer has left at most a full queue; a hostile one could send messages
	 * forever. */
	r = conn->n_unread_max == 0 ? 0 : connection_peek(conn, &payload, &len, &kind);
	if (r == 0)
		return connection_awaits_daemon(conn) ? COMCH_POLL_NOTHING : COMCH_POLL_END;
	conn->n_unread_max--;
	if (r < 0 || kind != RING_MSG_DATA)
		return comch_connection_poll_control(conn, r, kind, payload, len);
	return comch_connection_deliver(conn, payload, len);
}

void comch_connection_check_closed(struct doca_comch_connection *conn)
{
	/* For a peer on another machine, the daemon is the other end of the rings. */
	uint32_t every = conn->link->is_remote ? COMCH_PEER_CHECK_IDLE : COMCH_PEER_CHECK;

	if (ring_consumer_peer_closed(&conn->rx))
		comch_connection_peer_left(conn, DOCA_SUCCESS);
	else if (unlikely(conn->n_empty % every == 0))
		comch_connection_check_peer(conn);
}

void comch_connection_check_peer(struct doca_comch_connection *conn)
{
	if (conn->state == COMCH_UP && conn->peer.fd >= 0 && fd_pidfd_exited(conn->peer.fd))
		connection_peer_ended(conn);
}

bool comch_connection_has_input(struct doca_comch_connection *conn)
{
	const void *payload;
	uint32_t len, kind;

	return conn->state != COMCH_UP || connection_peek(conn, &payload, &len, &kind) != 0 ||
	       ring_consumer_peer_closed(&conn->rx);
}

void comch_connection_arm_begin(struct doca_comch_connection *conn)
{
	if (conn->state == COMCH_DOWN)
		return;
	if (conn->n_unreleased != 0)
		comch_connection_publish(conn);
	conn->armed = true;
	ring_consumer_arm_begin(&conn->rx);
}

bool comch_connection_arm_end(struct doca_comch_connection *conn, bool fenced)
{
	bool pending = conn->state != COMCH_UP;

	if (conn->state == COMCH_DOWN)
		return true;
	pending |= ring_consumer_arm_end(&conn->rx, fenced);
	pending |= conn->remote_ring != NULL && comch_connection_has_input(conn);
	if (conn->space_len != 0 && ring_producer_arm(&conn->tx, conn->space_len)) {
		conn->space_len = 0;
		pending = true;
	}
	/* The first empty poll after a wake-up checks the end of the stream. */
	conn->n_empty |= COMCH_CLOSE_CHECK - 1;
	return pending;
}

bool comch_connection_arm(struct doca_comch_connection *conn)
{
	if (comch_connection_has_input(conn))
		return true;
	comch_connection_arm_begin(conn);
	return comch_connection_arm_end(conn, ring_arm_fence());
}

void comch_connection_disarm(struct doca_comch_connection *conn)
{
	if (conn->armed && conn->header != NULL)
		ring_consumer_disarm(&conn->rx);
	conn->armed = false;
	if (conn->space_len != 0 && conn->header != NULL)
		ring_producer_disarm(&conn->tx);
}

doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
						 union doca_data user_data)
{
	if (connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comch connection user data: connection is NULL");
	connection->user_data = user_data;
	return DOCA_SUCCESS;
}

union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection)
{
	union doca_data none = {0};

	return connection == NULL ? none : connection->user_data;
}

doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection)
{
	if (comch_connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comch connection update info: connection is NULL");
	comch_connection->counters_snapshot = comch_connection_count(comch_connection);
	if (comch_connection->link != NULL)
		comch_link_count(comch_connection->link, &comch_connection->counters_snapshot);
	switch (comch_connection->state) {
	case COMCH_UP:
		return DOCA_SUCCESS;
	case COMCH_CONNECTING:
		return error_note(
			DOCA_ERROR_CONNECTION_INPROGRESS,
			"comch connection update info: \"%s\" is still connecting; progress",
			comch_connection->comch->name);
	default:
		return error_note(
			DOCA_ERROR_CONNECTION_ABORTED,
			"comch connection update info: the connection of \"%s\" has ended; its "
			"counters are final",
			comch_connection->comch->name);
	}
}

doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
					       enum doca_comch_counter counter_type,
					       uint64_t *counter_value)
{
	if (comch_connection == NULL || counter_value == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch connection counter: %s is NULL",
				 comch_connection == NULL ? "connection" : "the result");
	switch (counter_type) {
	case DOCA_COMCH_COUNTER_SENT_MESSAGES:
		*counter_value = comch_connection->counters_snapshot.sent_msgs;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_SENT_BYTES:
		*counter_value = comch_connection->counters_snapshot.sent_bytes;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_RECV_MESSAGES:
		*counter_value = comch_connection->counters_snapshot.recv_msgs;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_RECV_BYTES:
		*counter_value = comch_connection->counters_snapshot.recv_bytes;
		return DOCA_SUCCESS;
	}
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "comch connection counter: there is no counter %d", (int)counter_type);
}
