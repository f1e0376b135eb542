/*
 * daemon/peer/relay: channels whose other end is on another machine. A link that only records
 * packets replaces the peer. The test simulates the peer's daemon, and the client, which has mapped
 * its rings and may be hostile.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "daemon/base/client_doorbell.h"
#include "daemon/base/code.h"
#include "daemon/peer/relay.h"
#include "daemon/daemon.h"
#include "proto/ring.h"
#include "tests/unit/unit.h"
#include "util/fd.h"
#include "util/memfd.h"

#define MAX_MSG  5000u
#define RING_LEN 65536u
#define QUEUE    8u  /* of the client */
#define WINDOW   16u /* of the other end */
#define OUR_ID   7u
#define PEERS_ID 11u

/* --- the link --- */

static struct daemon the_daemon;
static struct peer peer;
static struct {
	struct carrier base;
	size_t queue_len; /* reported queue length */
	Dococore__Packet *packets[4096];
	size_t n, n_seen;
} network;

static int network_send(struct carrier *carrier, const Dococore__Packet *packet, const int *fds,
			size_t n_fds)
{
	uint8_t bytes[FRAME_PACKET_MAX];
	size_t len = dococore__packet__get_packed_size(packet);

	(void)carrier, (void)fds;
	ck_assert_uint_eq(n_fds, 0);
	ck_assert_uint_le(len, sizeof(bytes));
	ck_assert(frame_fields_valid(packet));
	ck_assert(frame_fds_allowed(packet, 0));
	dococore__packet__pack(packet, bytes);
	ck_assert_uint_lt(network.n, ARRAY_LEN(network.packets));
	network.packets[network.n++] = dococore__packet__unpack(NULL, len, bytes);
	return 0;
}

static size_t network_queue_len(const struct carrier *carrier)
{
	(void)carrier;
	return network.queue_len;
}

static const struct carrier_ops network_ops = {
	.name = "network", .send = network_send, .queue_len = network_queue_len};

/* Returns the next sent packet of this kind and skips others. NULL: none. */
static const Dococore__Packet *network_next(Dococore__Packet__BodyCase body)
{
	while (network.n_seen < network.n) {
		const Dococore__Packet *packet = network.packets[network.n_seen++];

		if (packet->body_case == body)
			return packet;
	}
	return NULL;
}

/* --- the client --- */

static struct account *account;
static struct relay *relay;
static struct channel_header *header;
static void *areas[2];
static struct ring_producer producer;
static struct ring_consumer consumer;
static int wait_fd, ring_fd;
static const char *broken; /* the error that the relay reported */
static size_t n_fds;

static void on_broken(void *user, const char *what)
{
	ck_assert_ptr_eq(user, &relay);
	broken = what;
	relay = relay_end(relay, CODE_CONNECTION_RESET);
}

static struct relay_options default_options(void)
{
	return (struct relay_options){
		.peer = &peer,
		.account = account,
		.channel_id = OUR_ID,
		.peer_channel_id = PEERS_ID,
		.is_server = true,
		.ring_len = RING_LEN,
		.max_msg = MAX_MSG,
		.recv_queue_size = QUEUE,
		.peer_recv_queue_size = WINDOW,
		.broken = on_broken,
		.user = &relay,
	};
}

static void client_map(void)
{
	int fds[3];

	relay_get_fds(relay, fds);
	ck_assert_int_eq(memfd_verify_exact(fds[0], CHANNEL_HEADER_LEN + 2 * RING_LEN), 0);
	header = memfd_map(fds[0], 0, CHANNEL_HEADER_LEN, true);
	for (size_t i = 0; i < ARRAY_LEN(areas); i++)
		areas[i] = memfd_map_twice(fds[0], CHANNEL_HEADER_LEN + i * RING_LEN, RING_LEN);
	ck_assert_uint_eq(header->ring_len, RING_LEN);
	wait_fd = fd_dup(fds[1]);
	ring_fd = fd_dup(fds[2]);
	relay_handed_over(relay);
	ring_producer_init(&producer, &header->ring[0], areas[0], RING_LEN, MAX_MSG, WINDOW);
	ring_consumer_init(&consumer, &header->ring[1], areas[1], RING_LEN, MAX_MSG);
}

static void setup(void)
{
	struct limits limits;
	struct relay_options options;

	n_fds = unit_n_fds();
	memset(&limits, 0xff, sizeof(limits));
	limits.n_users = 0;
	the_daemon.loop = loop_new();
	ck_assert_ptr_nonnull(the_daemon.loop);
	accounts_init(&the_daemon.accounts, &limits);
	account = account_ref(&the_daemon.accounts, 4711);
	network.base.ops = &network_ops;
	peer = (struct peer){.daemon = &the_daemon, .state = PEER_LINKED, .carrier = &network.base};
	options = default_options();
	ck_assert_int_eq(relay_new(&options, &relay), 0);
	client_map();
}

static void client_unmap(void)
{
	memfd_unmap(header, CHANNEL_HEADER_LEN);
	for (size_t i = 0; i < ARRAY_LEN(areas); i++)
		memfd_unmap_twice(areas[i], RING_LEN);
	fd_close(&wait_fd);
	fd_close(&ring_fd);
}

static void teardown(void)
{
	relay = relay_free(relay);
	relay_link_lost(&peer);
	ck_assert_ptr_null(peer.relay_link);
	client_unmap();
	for (size_t i = 0; i < CHARGE_N; i++)
		ck_assert_uint_eq(account->used[i], 0);
	account_unref(account);
	for (size_t i = 0; i < network.n; i++)
		dococore__packet__free_unpacked(network.packets[i], NULL);
	loop_free(the_daemon.loop);
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}

/* Runs the event loop until there is no more work. */
static void on_idle(void *user)
{
	*(bool *)user = true;
}

static void run_once(void)
{
	bool rests = false;
	struct loop_source *rest = loop_timer_new(the_daemon.loop, on_idle, &rests);

	ck_assert_int_eq(loop_timer_set(rest, 0), 0);
	while (!rests)
		ck_assert_int_ge(loop_run_once(the_daemon.loop), 0);
	loop_source_free(rest);
}

static void run(void)
{
	size_t before;

	do {
		before = network.n;
		for (int i = 0; i < 4; i++)
			run_once();
	} while (network.n != before);
}

static void fill(uint8_t *to, uint32_t len, uint64_t n)
{
	for (uint32_t i = 0; i < len; i++)
		to[i] = (uint8_t)(n * 131 + i * 7 + 1);
}

/* The client sends its n-th message. Returns false without room. */
static bool client_send(uint32_t len, uint64_t n, bool align)
{
	if (ring_producer_room(&producer, len) != 1)
		return false;
	fill(ring_producer_payload(&producer), len, n);
	if (ring_producer_publish_at(&producer, len, RING_MSG_DATA, align))
		fd_eventfd_ring(ring_fd);
	return true;
}

/* The client receives a message, which must be there. */
static void client_receive(uint32_t len, uint64_t n)
{
	uint8_t expected[MAX_MSG];
	const void *payload;
	uint32_t got, kind;

	fill(expected, len, n);
	ck_assert_int_eq(ring_consumer_peek(&consumer, &payload, &got, &kind), 1);
	ck_assert_uint_eq(got, len);
	ck_assert_uint_eq(kind, RING_MSG_DATA);
	ck_assert_mem_eq(payload, expected, len);
	if (ring_consumer_release(&consumer, got))
		fd_eventfd_ring(ring_fd);
}

static bool client_has_message(void)
{
	const void *payload;
	uint32_t len, kind;

	return ring_consumer_peek(&consumer, &payload, &len, &kind) == 1;
}

/* --- the peer's packets --- */

/* The stream that the relay has sent so far. */
static struct {
	uint8_t bytes[4u << 20];
	size_t n, at;
} stream;

static void stream_gather(void)
{
	const Dococore__Packet *packet;

	while ((packet = network_next(DOCOCORE__PACKET__BODY_PEER_CHANNEL_DATA))) {
		const ProtobufCBinaryData *data = &packet->peer_channel_data->data;

		ck_assert_uint_eq(packet->id, 0);
		ck_assert_uint_eq(packet->peer_channel_data->channel_id, PEERS_ID);
		ck_assert_uint_le(stream.n + data->len, sizeof(stream.bytes));
		memcpy(stream.bytes + stream.n, data->data, data->len);
		stream.n += data->len;
	}
}

static void stream_expect(uint32_t len, uint64_t n)
{
	const uint8_t *at = stream.bytes + stream.at;
	uint8_t expected[MAX_MSG];

	ck_assert_uint_le(stream.at + 4 + len, stream.n);
	ck_assert_uint_eq(
		(uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3], len);
	fill(expected, len, n);
	ck_assert_mem_eq(at + 4, expected, len);
	stream.at += 4 + len;
}

static size_t put_message(uint8_t *to, uint32_t len, uint64_t n)
{
	const uint8_t length[4] = {(uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8),
				   (uint8_t)len};

	memcpy(to, length, sizeof(length));
	fill(to + 4, len, n);
	return 4 + len;
}

static int peer_send_message(uint32_t len, uint64_t n)
{
	uint8_t data[4 + MAX_MSG];

	return relay_receive(relay, data, put_message(data, len, n));
}

/* --- tests --- */

START_TEST(messages_leave)
{
	uint64_t random = 1, sent = 0, got = 0;
	uint32_t lens[1000];

	while (got < ARRAY_LEN(lens)) {
		while (sent < ARRAY_LEN(lens)) {
			lens[sent] = (uint32_t)(unit_random(&random) % (MAX_MSG + 1));
			if (!client_send(lens[sent], sent, sent % 3 == 0))
				break;
			sent++;
		}
		run();
		stream_gather();
		for (; got < sent; got++)
			stream_expect(lens[got], got);
		ck_assert_uint_eq(stream.at, stream.n);
		/* The other end has received some of them. */
		ck_assert_int_eq(relay_credit(relay, got - unit_random(&random) % 4 % got), 0);
	}
	ck_assert_ptr_null(broken);
}
END_TEST

static void relay_recreate(bool has_remote_rings)
{
	struct relay_options options = default_options();

	relay = relay_free(relay);
	client_unmap();
	options.has_remote_rings = has_remote_rings;
	ck_assert_int_eq(relay_new(&options, &relay), 0);
	client_map();
}

static void client_sends_remote_ring(uint32_t len)
{
	ck_assert_int_eq(ring_producer_room(&producer, len), 1);
	fill(ring_producer_payload(&producer), len, 5);
	ring_producer_publish(&producer, len, RING_MSG_REMOTE_RING);
	fd_eventfd_ring(ring_fd);
	run();
}

/* Messages between libraries stay separate from those of programs. */
START_TEST(messages_of_libraries_pass)
{
	uint8_t data[8] = {0x80, 0, 0, 4, 1, 2, 3, 4};
	const void *payload;
	uint32_t len, kind;

	relay_recreate(true);
	client_sends_remote_ring(88);
	ck_assert(client_send(7, 6, false));
	client_sends_remote_ring(0);
	stream_gather();
	ck_assert_uint_eq(stream.bytes[0], 0x80);
	stream.bytes[0] = 0;
	stream_expect(88, 5);
	stream_expect(7, 6);
	ck_assert_mem_eq(stream.bytes + stream.at, ((uint8_t[]){0x80, 0, 0, 0}), 4);
	ck_assert_uint_eq(stream.at + 4, stream.n);
	ck_assert_int_eq(relay_receive(relay, data, sizeof(data)), 0);
	ck_assert_int_eq(peer_send_message(9, 8), 0);
	ck_assert_int_eq(ring_consumer_peek(&consumer, &payload, &len, &kind), 1);
	ck_assert_uint_eq(len, 4);
	ck_assert_uint_eq(kind, RING_MSG_REMOTE_RING);
	ck_assert_mem_eq(payload, data + 4, 4);
	(void)ring_consumer_release(&consumer, len);
	client_receive(9, 8);
	ck_assert_ptr_null(broken);
}
END_TEST

START_TEST(messages_of_libraries_were_not_agreed)
{
	uint8_t data[8] = {0x80, 0, 0, 4, 1, 2, 3, 4};

	ck_assert_int_eq(relay_receive(relay, data, sizeof(data)), -EPROTO);
	client_sends_remote_ring(4);
	ck_assert_ptr_nonnull(broken);
}
END_TEST

/* Sent messages that were not received stay in the client's ring: it sees a full queue. */
START_TEST(the_window_is_the_other_ends_queue)
{
	uint64_t sent = 0;

	for (; sent < WINDOW; sent++)
		ck_assert(client_send(1, sent, false));
	run();
	stream_gather();
	ck_assert(!client_send(1, sent, false));
	ck_assert(ring_producer_arm(&producer, 1) == false);
	ck_assert_int_eq(relay_credit(relay, 3), 0);
	/* The client sleeps until there is room, and is woken. */
	ck_assert(fd_eventfd_clear(wait_fd));
	for (int i = 0; i < 3; i++)
		ck_assert(client_send(1, sent++, false));
	ck_assert(!client_send(1, sent, false));
	run();
	stream_gather();
	for (uint64_t n = 0; n < sent; n++)
		stream_expect(1, n);
}
END_TEST

START_TEST(a_sleeping_client_is_woken)
{
	ck_assert(!ring_consumer_arm(&consumer));
	ck_assert_int_eq(peer_send_message(100, 1), 0);
	ck_assert(fd_eventfd_clear(wait_fd));
	client_receive(100, 1);
	ck_assert(!ring_consumer_arm(&consumer));
	relay_hang_up(relay);
	ck_assert(fd_eventfd_clear(wait_fd));
	ck_assert(ring_consumer_peer_closed(&consumer));
}
END_TEST

/* In pieces of any size, none of which splits a length field. */
START_TEST(messages_arrive)
{
	static uint8_t data[3 * (4 + MAX_MSG)];
	uint64_t random = 9;

	for (uint64_t n = 0; n < 600; n += 2) {
		uint32_t a = (uint32_t)(unit_random(&random) % (MAX_MSG + 1));
		uint32_t b = (uint32_t)(unit_random(&random) % 100);
		size_t len = put_message(data, a, n), cut = 4 + unit_random(&random) % (a + 1);

		len += put_message(data + len, b, n + 1);
		ck_assert_int_eq(relay_receive(relay, data, cut), 0);
		ck_assert(client_has_message() == (cut == 4 + (size_t)a));
		ck_assert_int_eq(relay_receive(relay, data + cut, len - cut), 0);
		client_receive(a, n);
		client_receive(b, n + 1);
		ck_assert(!client_has_message());
		run();
	}
}
END_TEST

/*
 * The peer gets the number of received messages, even if the client receives them while nothing
 * else happens.
 */
START_TEST(credit_follows)
{
	const Dococore__Packet *packet;

	for (uint64_t n = 0; n < QUEUE; n++)
		ck_assert_int_eq(peer_send_message(10, n), 0);
	run();
	ck_assert_ptr_null(network_next(DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT));
	client_receive(10, 0);
	client_receive(10, 1);
	run();
	packet = network_next(DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT);
	ck_assert_ptr_nonnull(packet);
	ck_assert_uint_eq(packet->peer_channel_credit->channel_id, PEERS_ID);
	ck_assert_uint_eq(packet->peer_channel_credit->n_msgs, 2);
	ck_assert_ptr_null(network_next(DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT));
	ck_assert_int_eq(peer_send_message(10, QUEUE), 0);
	ck_assert_int_eq(peer_send_message(10, QUEUE + 1), 0);
	/* No more than that. */
	ck_assert_int_eq(peer_send_message(10, QUEUE + 2), -EPROTO);
}
END_TEST

/*
 * The client's two counters are separate words. The relay may read between the two stores, and a
 * hostile client may never store the second. If the relay granted the peer credit for such a
 * message, the peer would send more than the ring has space for.
 */
START_TEST(credit_waits_for_both_counters)
{
	const Dococore__Packet *packet;
	uint64_t sent = 0;

	for (; sent < 4; sent++)
		ck_assert_int_eq(peer_send_message(MAX_MSG, sent), 0);
	run();
	for (uint64_t n = 0; n < sent; n++) {
		atomic_store(_i ? &header->ring[1].consumed_pos : &header->ring[1].consumed_msgs,
			     _i ? (n + 1) * (8 + MAX_MSG) : n + 1);
		fd_eventfd_ring(ring_fd);
		run();
		ck_assert_ptr_null(network_next(DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT));
	}
	for (; sent < QUEUE; sent++)
		ck_assert_int_eq(peer_send_message(MAX_MSG, sent), 0);
	/* The other counter follows, for some messages: they are reported. */
	atomic_store(_i ? &header->ring[1].consumed_msgs : &header->ring[1].consumed_pos,
		     _i ? 3 : 3 * (8 + MAX_MSG));
	fd_eventfd_ring(ring_fd);
	run();
	packet = network_next(DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT);
	ck_assert_ptr_nonnull(packet);
	ck_assert_uint_eq(packet->peer_channel_credit->n_msgs, 3);
	for (; sent < QUEUE + 3; sent++)
		ck_assert_int_eq(peer_send_message(MAX_MSG, sent), 0);
	ck_assert_int_eq(peer_send_message(MAX_MSG, sent), -EPROTO);
	ck_assert_ptr_null(broken);
}
END_TEST

START_TEST(the_peer_breaks_the_rules)
{
	uint8_t data[64];

	put_message(data, 20, 1);
	switch (_i) {
	case 0: /* too long */
		put_message(data, 0, 0);
		data[2] = (MAX_MSG + 1) >> 8;
		data[3] = (MAX_MSG + 1) & 255;
		ck_assert_int_eq(relay_receive(relay, data, sizeof(data)), -EPROTO);
		break;
	case 1:
		data[0] = 0xff;
		ck_assert_int_eq(relay_receive(relay, data, sizeof(data)), -EPROTO);
		break;
	case 2: /* a split length field */
		ck_assert_int_eq(relay_receive(relay, data, 3), -EPROTO);
		break;
	case 3: /* the second one */
		ck_assert_int_eq(relay_receive(relay, data, 27), -EPROTO);
		client_receive(20, 1);
		break;
	case 4: /* credit for messages that were never sent */
		ck_assert(client_send(1, 1, false));
		ck_assert_int_eq(relay_credit(relay, 1), -EPROTO);
		run();
		ck_assert_int_eq(relay_credit(relay, 2), -EPROTO);
		ck_assert_int_eq(relay_credit(relay, 1), 0);
		break;
	default: /* credit that is revoked */
		ck_assert(client_send(1, 1, false));
		run();
		ck_assert_int_eq(relay_credit(relay, 1), 0);
		ck_assert_int_eq(relay_credit(relay, 0), -EPROTO);
		ck_assert_int_eq(relay_credit(relay, UINT64_MAX), -EPROTO);
	}
	ck_assert_ptr_null(broken);
}
END_TEST

/* Writes a header word where the client's next message begins. */
static void forge(uint64_t word)
{
	atomic_store((_Atomic uint64_t *)(void *)(producer.data + (producer.pos & producer.mask)),
		     word);
	fd_eventfd_ring(ring_fd);
}

static void expect_broken(void)
{
	const Dococore__Packet *packet;

	run();
	ck_assert_ptr_nonnull(broken);
	ck_assert_ptr_null(relay);
	packet = network_next(DOCOCORE__PACKET__BODY_PEER_CHANNEL_CLOSE);
	ck_assert_ptr_nonnull(packet);
	ck_assert_uint_eq(packet->peer_channel_close->channel_id, PEERS_ID);
	ck_assert_uint_eq(packet->peer_channel_close->sender_channel_id, OUR_ID);
	ck_assert_uint_eq(packet->peer_channel_close->code, CODE_CONNECTION_RESET);
}

START_TEST(invalid_client_ring_ends_the_channel)
{
	run();
	switch (_i) {
	case 0: /* longer than a message may be */
		forge(MAX_MSG + 2);
		break;
	case 1: /* an undefined kind */
		forge(1ull << 32 | 9);
		break;
	case 2: /* no length */
		forge(1ull << 32);
		break;
	case 3: /* has received messages that were never sent */
		ck_assert_int_eq(peer_send_message(10, 1), 0);
		atomic_store(&header->ring[1].consumed_msgs, 2);
		fd_eventfd_ring(ring_fd);
		break;
	case 4:
		ck_assert_int_eq(peer_send_message(10, 1), 0);
		atomic_store(&header->ring[1].consumed_pos, UINT64_MAX - 7);
		fd_eventfd_ring(ring_fd);
		break;
	default: /* the same, detected after the peer sent */
		atomic_store(&header->ring[1].consumed_pos, 1);
		for (uint64_t n = 0; n < QUEUE; n++)
			ck_assert_int_eq(peer_send_message(10, n), 0);
	}
	expect_broken();
}
END_TEST

/* More messages than the other end's queue accepts, or more bytes than are free. */
START_TEST(the_client_ignores_the_window)
{
	uint64_t sent = 0;
	uint32_t len = _i ? MAX_MSG : 1;

	producer.msg_limit = producer.limit = UINT64_MAX / 2;
	for (; sent < WINDOW + 1 && relay; sent++) {
		ck_assert(client_send(len, sent, false));
		fd_eventfd_ring(ring_fd);
		if (_i)
			run();
	}
	run();
	ck_assert_ptr_nonnull(broken);
	/* Valid messages were sent before. */
	network.n_seen = 0;
	stream_gather();
	ck_assert_uint_eq(stream.n, (_i ? RING_LEN / MAX_MSG : WINDOW) * (4 + len));
	network.n_seen = 0;
	expect_broken();
}
END_TEST

/* The last messages arrive before the end, however little the link accepts at a time. */
START_TEST(what_was_sent_before_the_end)
{
	static const struct {
		bool closes;
		uint32_t code, reported;
	} cases[] = {
		{true, CODE_SUCCESS, CODE_SUCCESS},
		{false, CODE_CONNECTION_RESET, CODE_CONNECTION_RESET},
		{true, CODE_CONNECTION_RESET, CODE_SUCCESS},
	};
	const Dococore__Packet *last;

	network.queue_len = 1u << 20;
	for (uint64_t n = 0; n < WINDOW - 4; n++)
		ck_assert(client_send(MAX_MSG, n, false));
	if (cases[_i].closes)
		ring_producer_close(&producer);
	relay = relay_end(relay, cases[_i].code);
	run();
	ck_assert_uint_eq(network.n, 0);
	ck_assert_uint_ne(account->used[CHARGE_BYTES], 0);
	network.queue_len = 0;
	relay_link_writable(&peer);
	run();
	stream_gather();
	for (uint64_t n = 0; n < WINDOW - 4; n++)
		stream_expect(MAX_MSG, n);
	last = network.packets[network.n - 1];
	ck_assert_int_eq(last->body_case, DOCOCORE__PACKET__BODY_PEER_CHANNEL_CLOSE);
	ck_assert_uint_eq(last->peer_channel_close->code, cases[_i].reported);
	ck_assert_uint_eq(account->used[CHARGE_BYTES], 0);
	ck_assert_uint_eq(account->used[CHARGE_FDS], 0);
}
END_TEST

/* An operator's disconnect does not wait. */
START_TEST(disconnect_relay)
{
	ck_assert(client_send(1, 1, false));
	relay = relay_end(relay, CODE_CONNECTION_ABORTED);
	ck_assert_uint_eq(network.n, 1);
	ck_assert_int_eq(network.packets[0]->body_case, DOCOCORE__PACKET__BODY_PEER_CHANNEL_CLOSE);
	ck_assert_uint_eq(network.packets[0]->peer_channel_close->code, CODE_CONNECTION_ABORTED);
	run();
	ck_assert_uint_eq(network.n, 1);
}
END_TEST

/* The channel is gone, and the link is lost, too. */
START_TEST(the_link_is_lost_at_the_end)
{
	network.queue_len = 1u << 20;
	ck_assert(client_send(1, 1, false));
	relay = relay_end(relay, CODE_SUCCESS);
	peer.state = PEER_WAITING;
	relay_link_lost(&peer);
	ck_assert_uint_eq(network.n, 0);
	ck_assert_uint_eq(account->used[CHARGE_BYTES], 0);
}
END_TEST

/* The channel still exists and is notified. */
START_TEST(the_link_is_lost_before_the_end)
{
	peer.state = PEER_WAITING;
	relay_link_lost(&peer);
	ck_assert_ptr_null(relay);
	ck_assert_ptr_null(broken);
	ck_assert_uint_eq(network.n, 0);
	ck_assert_uint_eq(account->used[CHARGE_BYTES], 0);
}
END_TEST

/* The invalid ring of a client that is gone cannot be reported to it. */
START_TEST(broken_after_the_end)
{
	network.queue_len = 1u << 20;
	ck_assert(client_send(1, 1, false));
	forge(MAX_MSG + 2);
	relay = relay_end(relay, CODE_SUCCESS);
	network.queue_len = 0;
	relay_link_writable(&peer);
	run();
	ck_assert_ptr_null(broken);
	stream_gather();
	stream_expect(1, 1);
	ck_assert_uint_eq(network.packets[network.n - 1]->peer_channel_close->code,
			  CODE_CONNECTION_RESET);
}
END_TEST

/*
 * A channel that always has messages lets the event loop handle others, and its link carry its
 * neighbours.
 */
START_TEST(busy_channel_does_not_starve_others)
{
	struct relay_options options = default_options();
	struct relay *first = relay;
	uint64_t n_first = 0, n_second = 0;
	void *first_areas[2] = {areas[0], areas[1]};
	struct channel_header *first_header = header;
	int first_fds[2] = {wait_fd, ring_fd};
	size_t len = 0;

	options.channel_id = OUR_ID + 1;
	options.peer_channel_id = PEERS_ID + 1;
	for (uint64_t n = 0; n < 12; n++)
		ck_assert(client_send(MAX_MSG, n, false));
	ck_assert_int_eq(relay_new(&options, &relay), 0);
	client_map();
	for (uint64_t n = 0; n < 12; n++)
		ck_assert(client_send(MAX_MSG, n, false));
	/* Both clients have more than a packet to send; they take turns. */
	run_once();
	run_once();
	for (size_t i = 0; i < network.n; i++) {
		uint64_t id = network.packets[i]->peer_channel_data->channel_id;

		n_first += id == PEERS_ID;
		n_second += id == PEERS_ID + 1;
		len += network.packets[i]->peer_channel_data->data.len;
		ck_assert_uint_le(n_first - n_second + 1, 2);
	}
	ck_assert_uint_gt(n_first, 1);
	ck_assert_uint_eq(n_first, n_second);
	ck_assert_uint_eq(len, 2 * 12 * (4 + MAX_MSG));
	/* A full link gets no more packets. */
	network.queue_len = 256u << 10;
	network.n_seen = network.n;
	ck_assert(client_send(1, 12, false));
	run();
	ck_assert_uint_eq(network.n_seen, network.n);
	network.queue_len = 0;
	relay_link_writable(&peer);
	run();
	ck_assert_uint_eq(network.n_seen + 1, network.n);
	relay_free(relay);
	client_unmap();
	relay = first;
	header = first_header;
	memcpy(areas, first_areas, sizeof(areas));
	wait_fd = first_fds[0];
	ring_fd = first_fds[1];
}
END_TEST

/*
 * Arbitrary contents of the client's memory and arbitrary packets of the peer: the channel ends,
 * and nothing else happens.
 */
START_TEST(garbage)
{
	uint64_t random = 77;

	for (int i = 0; i < UNIT_N(4000); i++) {
		uint64_t dice = unit_random(&random);
		uint8_t data[300];

		if (!relay) {
			struct relay_options options = default_options();

			client_unmap();
			ck_assert_int_eq(relay_new(&options, &relay), 0);
			client_map();
			/* Other packets are recorded and not needed. */
			for (size_t k = 0; k < network.n; k++)
				dococore__packet__free_unpacked(network.packets[k], NULL);
			network.n = network.n_seen = 0;
		}
		for (size_t k = 0; k < sizeof(data); k++)
			data[k] = (uint8_t)(unit_random(&random) >> 40);
		switch (dice % 5) {
		case 0: /* valid lengths */
			data[0] = data[1] = 0;
			data[2] &= 1;
			(void)relay_receive(relay, data, 1 + dice / 5 % sizeof(data));
			break;
		case 1:
			(void)relay_credit(relay, dice / 5 % 4);
			break;
		case 2: /* a header, or something else */
			memcpy((uint8_t *)areas[0] + dice / 5 % 512 * 8, data, 8);
			if (dice & 0x10000)
				memset((uint8_t *)areas[0] + dice / 5 % 512 * 8 + 4, 0, 4);
			break;
		case 3:
			memcpy((uint8_t *)header + 64 + dice / 5 % 31 * 8, data, 8);
			break;
		default:
			(void)client_send((uint32_t)(dice / 5 % 200), 0, false);
		}
		fd_eventfd_ring(ring_fd);
		run_once();
		run_once();
	}
}
END_TEST

START_TEST(invalid_options_are_refused)
{
	struct relay_options options = default_options();
	struct relay *other;
	struct limits limits = the_daemon.accounts.limits;

	options.ring_len = RING_LEN + 4096;
	ck_assert_int_eq(relay_new(&options, &other), -EINVAL);
	options.ring_len = 0;
	ck_assert_int_eq(relay_new(&options, &other), -EINVAL);
	options = default_options();
	options.max_msg = RING_LEN;
	ck_assert_int_eq(relay_new(&options, &other), -EINVAL);
	options.max_msg = 0;
	ck_assert_int_eq(relay_new(&options, &other), -EINVAL);
	options = default_options();
	options.peer_recv_queue_size = 0;
	ck_assert_int_eq(relay_new(&options, &other), -EINVAL);
	options = default_options();
	limits.user.limit[CHARGE_BYTES] = account->used[CHARGE_BYTES] + 2 * RING_LEN;
	accounts_set_limits(&the_daemon.accounts, &limits);
	ck_assert_int_eq(relay_new(&options, &other), -EDQUOT);
	limits.user.limit[CHARGE_BYTES] = UINT64_MAX;
	limits.user.limit[CHARGE_FDS] = account->used[CHARGE_FDS] + 2;
	accounts_set_limits(&the_daemon.accounts, &limits);
	ck_assert_int_eq(relay_new(&options, &other), -EDQUOT);
}
END_TEST

/* The client has made its eventfd blocking and empty: the daemon never reads it. */
START_TEST(a_doorbell_that_blocks)
{
	int flags = fcntl(ring_fd, F_GETFL);
	bool rests = false;
	struct loop_source *rest = loop_timer_new(the_daemon.loop, on_idle, &rests);
	unsigned n_rounds;

	run();
	ck_assert_int_eq(fcntl(ring_fd, F_SETFL, flags & ~O_NONBLOCK), 0);
	for (uint64_t n = 0; n < 3; n++) {
		ck_assert(client_send(10, n, false));
		run();
		stream_gather();
		stream_expect(10, n);
	}
	/* The event loop sleeps after the work is done. */
	for (n_rounds = 0; !rests; n_rounds++) {
		if (n_rounds == 0)
			ck_assert_int_eq(loop_timer_set(rest, 20000000), 0);
		ck_assert_int_ge(loop_run_once(the_daemon.loop), 0);
	}
	ck_assert_uint_lt(n_rounds, 10);
	loop_source_free(rest);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("relay");
	TCase *tcase = unit_case(suite, "relay", UNIT_TIMEOUT);

	client_doorbell_init();
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, messages_leave);
	tcase_add_test(tcase, messages_of_libraries_pass);
	tcase_add_test(tcase, messages_of_libraries_were_not_agreed);
	tcase_add_test(tcase, the_window_is_the_other_ends_queue);
	tcase_add_test(tcase, a_sleeping_client_is_woken);
	tcase_add_test(tcase, messages_arrive);
	tcase_add_test(tcase, credit_follows);
	tcase_add_loop_test(tcase, credit_waits_for_both_counters, 0, 2);
	tcase_add_loop_test(tcase, the_peer_breaks_the_rules, 0, 6);
	tcase_add_loop_test(tcase, invalid_client_ring_ends_the_channel, 0, 6);
	tcase_add_loop_test(tcase, the_client_ignores_the_window, 0, 2);
	tcase_add_loop_test(tcase, what_was_sent_before_the_end, 0, 3);
	tcase_add_test(tcase, disconnect_relay);
	tcase_add_test(tcase, the_link_is_lost_at_the_end);
	tcase_add_test(tcase, the_link_is_lost_before_the_end);
	tcase_add_test(tcase, broken_after_the_end);
	tcase_add_test(tcase, busy_channel_does_not_starve_others);
	tcase_add_test(tcase, garbage);
	tcase_add_test(tcase, invalid_options_are_refused);
	tcase_add_test(tcase, a_doorbell_that_blocks);
	return unit_run(suite);
}
