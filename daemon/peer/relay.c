/* Channels between machines; see relay.h. */
#include "daemon/peer/relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/client_doorbell.h"
#include "daemon/base/code.h"
#include "daemon/peer/channel_fds.h"
#include "daemon/base/daemon.h"
#include "daemon/base/loop.h"
#include "proto/ring.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/util.h"

#define RELAY_PACKET_LEN FRAME_DATA_MAX /* bytes from one channel before it is another's turn */
#define RELAY_BATCH_LEN  (128u << 10)   /* bytes on one link before the event loop continues */
#define RELAY_VISIT_COST 256u           /* cost, in bytes, of a channel that had nothing to send */
#define RELAY_QUEUE_LEN  (256u << 10)   /* bytes that may be queued on the link for a slow peer */
#define RELAY_LENGTH_LEN 4u             /* length field before each message */
/* Bit of the length field: message of kind RING_MSG_REMOTE_RING. */
#define RELAY_REMOTE_RING (1u << 31)

/* State that the channels over one link share. */
struct relay_link {
	struct peer *peer;
	struct list relays; /* struct relay, link */
	struct list ready;  /* struct relay, ready: relays that may have something to send */
	/* A timer, not a deferred call, so that other events come first. */
	struct loop_source *send_timer;
	uint8_t data[RELAY_PACKET_LEN];
};

struct relay {
	struct relay_link *of;
	struct list link, ready;
	uint64_t channel_id, peer_channel_id;
	bool is_call;
	relay_broken_fn broken;
	void *user;
	bool is_broken; /* the client's ring is invalid */
	bool is_ended;  /* the channel is gone; messages of the client are still in transit */
	uint32_t code;
	bool is_server;        /* the client is */
	bool has_remote_rings; /* RING_MSG_REMOTE_RING passes */
	struct channel_fds channel_fds;
	struct channel_header *header;
	uint8_t *areas[2];
	uint32_t ring_len;
	struct loop_source *io;
	struct account *account;
	struct charge charge;

	/*
	 * From the client. The messages that the other end's client has not received yet are in the
	 * ring between released_pos and rx.pos; spans has the size of each.
	 */
	struct ring_consumer rx;
	uint32_t window; /* messages */
	uint32_t *spans;
	uint64_t released_pos, released_msgs;
	const uint8_t *rx_payload; /* the message that is being sent, or NULL */
	uint32_t rx_len, rx_at, rx_kind;
	bool rx_has_length; /* its length field was sent */

	/*
	 * To the client. The client stores its two counters separately, so one may be newer than
	 * the other, and both may be forged. Therefore a message counts as received only when both
	 * counters say so. tx_spans has the size of each message between received_msgs and
	 * tx.n_msgs.
	 */
	struct ring_producer tx;
	uint32_t tx_window; /* messages */
	uint32_t *tx_spans;
	bool tx_is_open; /* a message is partly written */
	uint32_t tx_len, tx_at, tx_kind;
	uint64_t received_pos, received_msgs;
	uint64_t reported_pos, reported_msgs; /* last values that were reported to the other end */
};

/* --- the link --- */

static void link_send_queued(void *user);

static struct relay_link *link_get(struct peer *peer)
{
	struct relay_link *link = peer->relay_link;

	if (link)
		return link;
	link = calloc(1, sizeof(*link));
	if (!link)
		return NULL;
	link->peer = peer;
	list_init(&link->relays);
	list_init(&link->ready);
	link->send_timer = loop_timer_new(peer->daemon->loop, link_send_queued, link);
	if (!link->send_timer) {
		free(link);
		return NULL;
	}
	peer->relay_link = link;
	return link;
}

static bool link_may_send(const struct relay_link *link)
{
	return link->peer->state == PEER_LINKED &&
	       carrier_queue_len(link->peer->carrier) < RELAY_QUEUE_LEN;
}

static void link_schedule_send(struct relay_link *link)
{
	/* When the link has room again, it calls relay_link_writable(). */
	if (!list_is_empty(&link->ready) && link_may_send(link))
		loop_timer_set(link->send_timer, 0);
}

static void relay_is_ready(struct relay *relay)
{
	if (!list_is_empty(&relay->ready))
		return;
	list_append(&relay->of->ready, &relay->ready);
	link_schedule_send(relay->of);
}

void relay_link_writable(struct peer *peer)
{
	if (peer->relay_link)
		link_schedule_send(peer->relay_link);
}

void relay_link_lost(struct peer *peer)
{
	struct relay_link *link = peer->relay_link;

	if (!link)
		return;
	/* The channels were ended before. If one was not, it must not keep its relay. */
	while (!list_is_empty(&link->relays)) {
		struct relay *relay = list_entry(link->relays.next, struct relay, link);

		relay->is_broken = true;
		if (relay->is_ended)
			relay_free(relay);
		else
			relay->broken(relay->user, NULL);
	}
	loop_source_free(link->send_timer);
	free(link);
	peer->relay_link = NULL;
}

/* --- to the peer --- */

static int relay_send(const struct relay *relay, Dococore__Packet *packet)
{
	return peer_send(relay->of->peer, packet, NULL, 0);
}

static void relay_send_data(const struct relay *relay, size_t len)
{
	Dococore__PeerChannelData notice = DOCOCORE__PEER_CHANNEL_DATA__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	notice.channel_id = relay->peer_channel_id;
	notice.data = (ProtobufCBinaryData){len, relay->of->data};
	notice.is_call = relay->is_call;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_DATA;
	packet.peer_channel_data = &notice;
	(void)relay_send(relay, &packet);
}

static void relay_send_credit(struct relay *relay)
{
	Dococore__PeerChannelCredit notice = DOCOCORE__PEER_CHANNEL_CREDIT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	notice.channel_id = relay->peer_channel_id;
	notice.n_msgs = relay->received_msgs;
	notice.is_call = relay->is_call;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT;
	packet.peer_channel_credit = &notice;
	if (relay_send(relay, &packet) < 0)
		return;
	relay->reported_pos = relay->received_pos;
	relay->reported_msgs = relay->received_msgs;
}

static void relay_send_close(const struct relay *relay, uint32_t code)
{
	Dococore__PeerChannelClose notice = DOCOCORE__PEER_CHANNEL_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	notice.channel_id = relay->peer_channel_id;
	notice.sender_channel_id = relay->channel_id;
	notice.code = code;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_CLOSE;
	packet.peer_channel_close = &notice;
	(void)relay_send(relay, &packet);
}

/* --- from the client --- */

/*
 * The client's eventfd. It is watched edge-triggered and never read, because the client may make it
 * blocking.
 */
static int relay_client_eventfd(const struct relay *relay)
{
	return relay->is_server ? relay->channel_fds.client_eventfd
				: relay->channel_fds.server_eventfd;
}

static void relay_ring(const struct relay *relay)
{
	client_doorbell_ring(relay->is_server ? relay->channel_fds.server_eventfd
					      : relay->channel_fds.client_eventfd);
}

static bool relay_passes(const struct relay *relay, uint32_t kind)
{
	return kind == RING_MSG_DATA || (kind == RING_MSG_REMOTE_RING && relay->has_remote_rings);
}

/* Opens the next message if none is open. Returns 1, 0 if there is none, or -EPROTO. */
static int relay_open_message(struct relay *relay)
{
	const void *payload;
	uint32_t len, kind;
	uint64_t after;
	int r;

	if (relay->rx_payload)
		return 1;
	r = ring_consumer_peek(&relay->rx, &payload, &len, &kind);
	if (r <= 0)
		return r;
	/*
	 * A message that exceeds the ring or the other end's queue would overwrite space that has
	 * not been released.
	 */
	after = relay->rx.pos + ring_span(len) + relay->rx.pad + CHANNEL_MSG_HEADER;
	if (!relay_passes(relay, kind) ||
	    relay->rx.n_msgs - relay->released_msgs >= relay->window ||
	    after - relay->released_pos > relay->ring_len)
		return -EPROTO;
	relay->rx_payload = payload;
	relay->rx_len = len;
	relay->rx_kind = kind;
	relay->rx_at = 0;
	relay->rx_has_length = false;
	return 1;
}

static void relay_close_message(struct relay *relay)
{
	relay->spans[relay->rx.n_msgs % relay->window] = (uint32_t)ring_span(relay->rx_len) +
							 relay->rx.pad;
	ring_consumer_advance(&relay->rx, relay->rx_len);
	relay->rx_payload = NULL;
}

static void put_length(uint8_t *at, uint32_t len)
{
	at[0] = (uint8_t)(len >> 24);
	at[1] = (uint8_t)(len >> 16);
	at[2] = (uint8_t)(len >> 8);
	at[3] = (uint8_t)len;
}

/* Fills the link's packet with what the client sent. Returns the number of bytes, or -EPROTO. */
static int relay_fill(struct relay *relay)
{
	uint8_t *data = relay->of->data;
	size_t n = 0;

	for (;;) {
		int r = relay_open_message(relay);
		uint32_t len;

		/* Messages before the invalid one are sent. */
		if (r < 0 && n == 0)
			return r;
		if (r <= 0 || (!relay->rx_has_length && RELAY_PACKET_LEN - n < RELAY_LENGTH_LEN))
			return (int)n;
		if (!relay->rx_has_length) {
			put_length(data + n, relay->rx_len | (relay->rx_kind == RING_MSG_REMOTE_RING
								      ? RELAY_REMOTE_RING
								      : 0));
			n += RELAY_LENGTH_LEN;
			relay->rx_has_length = true;
		}
		len = MIN((uint32_t)(RELAY_PACKET_LEN - n), relay->rx_len - relay->rx_at);
		memcpy(data + n, relay->rx_payload + relay->rx_at, len);
		n += len;
		relay->rx_at += len;
		if (relay->rx_at < relay->rx_len)
			return (int)n;
		relay_close_message(relay);
	}
}

int relay_credit(struct relay *relay, uint64_t n_msgs)
{
	if (n_msgs < relay->released_msgs || n_msgs > relay->rx.n_msgs)
		return -EPROTO;
	for (; relay->released_msgs < n_msgs; relay->released_msgs++)
		relay->released_pos += relay->spans[relay->released_msgs % relay->window];
	if (ring_consumer_publish_to(&relay->rx, relay->released_pos, relay->released_msgs))
		relay_ring(relay);
	return 0;
}

/* --- to the client --- */

/* Counts the messages that the client has received. Returns 0 or -EPROTO. */
static int relay_count_received(struct relay *relay)
{
	int r = ring_producer_refresh(&relay->tx);
	uint64_t pos = relay->tx.limit - relay->ring_len;
	uint64_t n_msgs = relay->tx.msg_limit - relay->tx.queue_size;

	while (r == 0 && relay->received_msgs < n_msgs) {
		uint32_t span = relay->tx_spans[relay->received_msgs % relay->tx_window];

		if (span > pos - relay->received_pos)
			break;
		relay->received_pos += span;
		relay->received_msgs++;
	}
	return r;
}

/* Reports an invalid ring. The relay may be freed by this. */
static void relay_break(struct relay *relay, const char *what)
{
	relay->is_broken = true;
	if (!relay->is_ended) {
		relay->broken(relay->user, what);
		return;
	}
	relay_send_close(relay, CODE_CONNECTION_RESET);
	relay_free(relay);
}

/* Starts a message from its length field, if there is room for it. Returns 0 or -EPROTO. */
static int relay_begin(struct relay *relay, const uint8_t *at, size_t len)
{
	const struct ring_producer *tx = &relay->tx;
	uint64_t after;

	if (len < RELAY_LENGTH_LEN)
		return -EPROTO;
	relay->tx_len = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
			at[3];
	relay->tx_kind = RING_MSG_DATA;
	if (relay->has_remote_rings && (relay->tx_len & RELAY_REMOTE_RING)) {
		relay->tx_kind = RING_MSG_REMOTE_RING;
		relay->tx_len &= ~RELAY_REMOTE_RING;
	}
	if (relay->tx_len > tx->max_msg)
		return -EPROTO;
	/*
	 * Checks against the credits that were reported to the peer, because the client's counters
	 * are not the peer's fault.
	 */
	after = tx->pos + ring_span(relay->tx_len) + CHANNEL_MSG_HEADER;
	if (tx->n_msgs - relay->reported_msgs >= relay->tx_window ||
	    after - relay->reported_pos > relay->ring_len)
		return -EPROTO;
	relay->tx_at = 0;
	relay->tx_is_open = true;
	return 0;
}

/*
 * Appends a part of the message. Returns the number of bytes used; sets *rings_out to true if the
 * client sleeps.
 */
static size_t relay_resume(struct relay *relay, const uint8_t *at, size_t len, bool *rings_out)
{
	size_t n = MIN(len, (size_t)(relay->tx_len - relay->tx_at));

	memcpy((uint8_t *)ring_producer_payload(&relay->tx) + relay->tx_at, at, n);
	relay->tx_at += (uint32_t)n;
	if (relay->tx_at == relay->tx_len) {
		relay->tx_spans[relay->tx.n_msgs % relay->tx_window] =
			(uint32_t)ring_span(relay->tx_len);
		*rings_out |= ring_producer_publish(&relay->tx, relay->tx_len, relay->tx_kind);
		relay->tx_is_open = false;
	}
	return n;
}

int relay_receive(struct relay *relay, const uint8_t *data, size_t len)
{
	bool rings = false;
	int r = 0;

	for (size_t at = 0; at < len && r == 0;) {
		if (!relay->tx_is_open) {
			r = relay_begin(relay, data + at, len - at);
			at += RELAY_LENGTH_LEN;
		}
		if (r == 0)
			at += relay_resume(relay, data + at, len - at, &rings);
	}
	if (rings)
		relay_ring(relay);
	/* The peer needs to know when the client has received the messages. */
	if (r == 0)
		relay_is_ready(relay);
	return r;
}

void relay_hang_up(struct relay *relay)
{
	if (ring_producer_close(&relay->tx))
		relay_ring(relay);
}

void relay_flush(struct relay *relay)
{
	int n = 1;

	while (n > 0 && !relay->is_broken && link_may_send(relay->of)) {
		n = relay_fill(relay);
		if (n > 0)
			relay_send_data(relay, (size_t)n);
	}
}

/* --- scheduling --- */

/*
 * Arms, so that the client notifies the relay of its next message and of a received one. Returns
 * true if the rings must be checked once more.
 */
static bool relay_sleep(struct relay *relay)
{
	bool has_data = ring_consumer_arm(&relay->rx);
	const void *payload;
	uint32_t len, kind;

	/* The end of the stream is reported by the client's connection or its end. */
	if (has_data && ring_consumer_peer_closed(&relay->rx))
		has_data = ring_consumer_peek(&relay->rx, &payload, &len, &kind) != 0;
	if (relay->reported_msgs == relay->tx.n_msgs)
		return has_data;
	ring_sleeper_arm(&relay->tx.ctl->space_armed);
	return relay_count_received(relay) < 0 || relay->received_msgs != relay->reported_msgs ||
	       has_data;
}

static void relay_finish(struct relay *relay)
{
	/* Same as within one machine: a client that closed in order and then died has closed. */
	if (relay->code == CODE_CONNECTION_RESET && ring_consumer_peer_closed(&relay->rx))
		relay->code = CODE_SUCCESS;
	relay_send_close(relay, relay->code);
	relay_free(relay);
}

/* Sends the next packet of the relay. Returns its cost in bytes. The relay may be freed by this. */
static size_t relay_serve(struct relay *relay)
{
	int n;

	if (!relay->is_ended && relay_count_received(relay) < 0) {
		relay_break(relay, "position");
		return RELAY_VISIT_COST;
	}
	if (!relay->is_ended && relay->received_msgs != relay->reported_msgs)
		relay_send_credit(relay);
	n = relay_fill(relay);
	if (n > 0) {
		relay_send_data(relay, (size_t)n);
		relay_is_ready(relay);
		return (size_t)n + RELAY_VISIT_COST;
	}
	if (n < 0)
		relay_break(relay, "message");
	else if (relay->is_ended)
		relay_finish(relay);
	else if (relay_sleep(relay))
		relay_is_ready(relay);
	return RELAY_VISIT_COST;
}

static void link_send_queued(void *user)
{
	struct relay_link *link = user;
	size_t cost = 0;

	while (cost < RELAY_BATCH_LEN && !list_is_empty(&link->ready) && link_may_send(link)) {
		struct relay *relay = list_entry(link->ready.next, struct relay, ready);

		list_remove(&relay->ready);
		cost += relay_serve(relay);
	}
	link_schedule_send(link);
}

/* --- life --- */

static void relay_on_eventfd(void *user, unsigned events)
{
	(void)events;
	relay_is_ready(user);
}

static int relay_map(struct relay *relay)
{
	struct channel_fds *channel_fds = &relay->channel_fds;

	relay->header = memfd_map(channel_fds->memfd, 0, CHANNEL_HEADER_LEN, true);
	if (!relay->header)
		return -errno;
	for (size_t i = 0; i < ARRAY_LEN(relay->areas); i++) {
		relay->areas[i] = memfd_map_twice(
			channel_fds->memfd, CHANNEL_HEADER_LEN + i * (uint64_t)relay->ring_len,
			relay->ring_len);
		if (!relay->areas[i])
			return -errno;
	}
	return 0;
}

static int relay_set_up(struct relay *relay, const struct relay_options *options)
{
	/* Ring 0 carries messages from server to client. */
	size_t rx = options->is_server ? 0 : 1;
	int r;

	r = charge_add(&relay->charge, relay->account, CHARGE_BYTES,
		       CHANNEL_HEADER_LEN + 2ull * relay->ring_len +
			       relay->window * sizeof(*relay->spans) +
			       relay->tx_window * sizeof(*relay->tx_spans));
	if (r == 0)
		r = charge_add(&relay->charge, relay->account, CHARGE_FDS, 3);
	if (r == 0)
		r = channel_fds_init(&relay->channel_fds, relay->ring_len);
	if (r == 0)
		r = relay_map(relay);
	if (r < 0)
		return r;
	relay->spans = calloc(relay->window, sizeof(*relay->spans));
	relay->tx_spans = calloc(relay->tx_window, sizeof(*relay->tx_spans));
	relay->io = loop_fd_new(options->peer->daemon->loop, relay_client_eventfd(relay),
				LOOP_READ | LOOP_EDGE, relay_on_eventfd, relay);
	if (!relay->spans || !relay->tx_spans || !relay->io)
		return -ENOMEM;
	ring_consumer_init(&relay->rx, &relay->header->ring[rx], relay->areas[rx], relay->ring_len,
			   options->max_msg);
	ring_producer_init(&relay->tx, &relay->header->ring[1 - rx], relay->areas[1 - rx],
			   relay->ring_len, options->max_msg, options->recv_queue_size);
	return 0;
}

int relay_new(const struct relay_options *options, struct relay **relay_out)
{
	struct relay_link *link = link_get(options->peer);
	struct relay *relay;
	int r;

	if (!ring_geometry_valid(options->ring_len, options->max_msg) || options->max_msg == 0 ||
	    options->recv_queue_size == 0 || options->peer_recv_queue_size == 0)
		return -EINVAL;
	relay = link ? calloc(1, sizeof(*relay)) : NULL;
	if (!relay)
		return -ENOMEM;
	relay->of = link;
	list_append(&link->relays, &relay->link);
	list_init(&relay->ready);
	relay->channel_id = options->channel_id;
	relay->peer_channel_id = options->peer_channel_id;
	relay->is_call = options->is_call;
	relay->broken = options->broken;
	relay->user = options->user;
	relay->is_server = options->is_server;
	relay->has_remote_rings = options->has_remote_rings;
	relay->channel_fds = (struct channel_fds)CHANNEL_FDS_INIT;
	relay->ring_len = options->ring_len;
	/* Each message occupies at least its header. */
	relay->window = MIN(options->peer_recv_queue_size, options->ring_len / CHANNEL_MSG_HEADER);
	relay->tx_window = MIN(options->recv_queue_size, options->ring_len / CHANNEL_MSG_HEADER);
	relay->account = account_ref(&options->peer->daemon->accounts, options->account->uid);
	r = relay->account ? relay_set_up(relay, options) : -ENOMEM;
	if (r < 0) {
		relay_free(relay);
		return r;
	}
	relay_is_ready(relay);
	*relay_out = relay;
	return 0;
}

void relay_get_fds(const struct relay *relay, int fds[3])
{
	const struct channel_fds *channel_fds = &relay->channel_fds;

	fds[0] = channel_fds->memfd;
	fds[1] = relay->is_server ? channel_fds->server_eventfd : channel_fds->client_eventfd;
	fds[2] = relay_client_eventfd(relay);
}

void relay_handed_over(struct relay *relay)
{
	fd_close(&relay->channel_fds.memfd);
	charge_drop(&relay->charge, CHARGE_FDS, 1);
}

struct relay *relay_end(struct relay *relay, uint32_t code)
{
	/* Only a client that closes by itself has sent everything that it wanted to send. */
	if (relay->is_broken || (code != CODE_SUCCESS && code != CODE_CONNECTION_RESET)) {
		relay_send_close(relay, code);
		return relay_free(relay);
	}
	relay->is_ended = true;
	relay->code = code;
	relay->io = loop_source_free(relay->io);
	relay_is_ready(relay);
	return NULL;
}

struct relay *relay_free(struct relay *relay)
{
	if (!relay)
		return NULL;
	list_remove(&relay->link);
	list_remove(&relay->ready);
	loop_source_free(relay->io);
	for (size_t i = 0; i < ARRAY_LEN(relay->areas); i++)
		if (relay->areas[i])
			memfd_unmap_twice(relay->areas[i], relay->ring_len);
	if (relay->header)
		memfd_unmap(relay->header, CHANNEL_HEADER_LEN);
	channel_fds_deinit(&relay->channel_fds);
	free(relay->spans);
	free(relay->tx_spans);
	charge_release(&relay->charge);
	account_unref(relay->account);
	free(relay);
	return NULL;
}
