/* proto/frame: descriptor counts, names and field bounds of every message. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/packet.h"
#include "tests/unit/unit.h"
#include "util/export_descriptor.h"

/* Returns a packet whose body is the default of the message. */
static Dococore__Packet *packet_of(const char *message)
{
	const ProtobufCMessageDescriptor *packet = &dococore__packet__descriptor;

	for (unsigned i = 0; i < packet->n_fields; i++) {
		const ProtobufCMessageDescriptor *body = packet->fields[i].descriptor;
		/* The tag of a length-delimited field, then length 0. */
		uint32_t tag = packet->fields[i].id << 3 | 2;
		uint8_t wire[3] = {(uint8_t)((tag & 0x7f) | 0x80), (uint8_t)(tag >> 7), 0};

		if (packet->fields[i].type == PROTOBUF_C_TYPE_MESSAGE &&
		    strcmp(body->short_name, message) == 0)
			return dococore__packet__unpack(NULL, sizeof(wire), wire);
	}
	return NULL;
}

/* frame_body() and the packing of packets depend on this. */
START_TEST(every_body_is_in_the_same_place)
{
	const ProtobufCMessageDescriptor *packet = &dococore__packet__descriptor;

	ck_assert_str_eq(packet->fields[0].name, "id");
	for (unsigned i = 1; i < packet->n_fields; i++) {
		ck_assert_int_eq(packet->fields[i].type, PROTOBUF_C_TYPE_MESSAGE);
		ck_assert_uint_eq(packet->fields[i].offset, offsetof(Dococore__Packet, ok));
	}
}
END_TEST

static struct packet_size packed(const Dococore__Packet *packet, uint8_t *wire, size_t room)
{
	struct packet_size size = packet_measure(packet);

	ck_assert_uint_le(size.len, room);
	packet_pack(packet, size, wire);
	return size;
}

/* A list of n names of 255 bytes each. */
static size_t list_packed(unsigned n, uint8_t *wire, size_t room)
{
	char name[256];
	Dococore__Device device = DOCOCORE__DEVICE__INIT;
	Dococore__Device *devices[16];
	Dococore__DeviceListReply list = DOCOCORE__DEVICE_LIST_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	device.name = name;
	for (unsigned i = 0; i < n; i++)
		devices[i] = &device;
	list.devices = devices;
	list.n_devices = n;
	packet.id = 300;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY;
	packet.device_list_reply = &list;
	return packed(&packet, wire, room).len;
}

/*
 * A short packet uses no memory but the arena's; parts of a long one are allocated and freed. The
 * arena is empty after each.
 */
START_TEST(a_buffer_holds_one_packet_after_another)
{
	uint8_t wire[8192], again[8192];
	struct packet_arena arena;
	Dococore__Packet *packet;
	const char *error;

	packet_arena_init(&arena);
	for (unsigned n = 0; n <= 16; n++) {
		size_t len = list_packed(n, wire, sizeof(wire));

		ck_assert_int_eq(packet_unpack(wire, len, 0, &arena, &packet, &error), 0);
		ck_assert_uint_eq(packet->id, 300);
		ck_assert_uint_eq(packet->device_list_reply->n_devices, n);
		ck_assert_uint_eq(packed(packet, again, sizeof(again)).len, len);
		ck_assert_mem_eq(wire, again, len);
		if (PACKET_ROOM_LEN >= 1024 && n <= 1)
			ck_assert_uint_eq(arena.n_outside, 0);
		if (n >= 4)
			ck_assert_uint_gt(arena.n_outside, 0);
		packet_free_in(&arena, packet);
		ck_assert_uint_eq(arena.used + arena.n_outside, 0);
		/*
		 * Refused: truncated, of an unknown kind, or with descriptors that it may not
		 * carry.
		 */
		ck_assert_int_eq(packet_unpack(wire, len - 1, 0, &arena, &packet, &error), -EPROTO);
		ck_assert_uint_eq(arena.used + arena.n_outside, 0);
		ck_assert_int_eq(packet_unpack(wire, 3, 0, &arena, &packet, &error), -EPROTO);
		ck_assert_uint_eq(arena.used + arena.n_outside, 0);
		ck_assert_int_eq(packet_unpack(wire, len, 1, &arena, &packet, &error), -EPROTO);
		ck_assert_uint_eq(arena.used + arena.n_outside, 0);
	}
}
END_TEST

static const struct {
	const char *message;
	size_t n_fds;
} carriers[] = {
	{"HelloReply", 1},       {"ImportReply", 2},         {"PeerImportReply", 2},
	{"ServerReply", 2},      {"ChannelConnectReply", 2}, {"ChannelReply", 3},
	{"PeerChannelReady", 3}, {"ConsumerCreate", 2},      {"ConsumerReply", 3},
	{"PeerConsumerNew", 3},  {"RdmaOpenReply", 2},       {"CountersShare", 1},
};

START_TEST(every_message_has_its_count_and_name)
{
	const ProtobufCMessageDescriptor *descriptor = &dococore__packet__descriptor;
	unsigned n_seen = 0;

	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		const ProtobufCMessageDescriptor *body = descriptor->fields[i].descriptor;
		Dococore__Packet *packet;
		size_t expected = 0;

		if (descriptor->fields[i].type != PROTOBUF_C_TYPE_MESSAGE)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(carriers); k++) {
			if (strcmp(carriers[k].message, body->short_name) == 0)
				expected = carriers[k].n_fds;
		}
		packet = packet_of(body->short_name);
		ck_assert_ptr_nonnull(packet);
		ck_assert_str_eq(frame_name(packet), body->short_name);
		for (size_t n = 0; n < 10; n++)
			ck_assert_msg(frame_fds_allowed(packet, n) == (n == expected),
				      "%s with %zu", body->short_name, n);
		dococore__packet__free_unpacked(packet, NULL);
		n_seen++;
	}
	ck_assert_uint_eq(n_seen, 62);
}
END_TEST

START_TEST(memory_kind_decides)
{
	static const Dococore__MemoryKind kinds[] = {DOCOCORE__MEMORY_KIND__MEMFD,
						     DOCOCORE__MEMORY_KIND__FILE};
	Dococore__Packet *create = packet_of("ExportCreate");
	Dococore__Packet *reply = packet_of("ImportReply");
	Dococore__Packet *peer = packet_of("PeerImportReply");

	create->export_create->memory = kinds[_i];
	reply->import_reply->memory = kinds[_i];
	peer->peer_import_reply->memory = kinds[_i];
	for (size_t n = 0; n < 10; n++) {
		ck_assert(frame_fds_allowed(create, n) == (n == 1));
		ck_assert(frame_fds_allowed(reply, n) == (n == 3));
		ck_assert(frame_fds_allowed(peer, n) == (n == 3));
	}
	dococore__packet__free_unpacked(create, NULL);
	dococore__packet__free_unpacked(reply, NULL);
	dococore__packet__free_unpacked(peer, NULL);
}
END_TEST

/* Inbox and eventfd. */
START_TEST(queue_pairs_carry_two)
{
	Dococore__Packet *create = packet_of("ExportCreate");
	Dococore__Packet *reply = packet_of("ImportReply");
	Dococore__Packet *peer = packet_of("PeerImportReply");

	create->export_create->kind = DOCOCORE__EXPORT_KIND__RDMA_QP;
	reply->import_reply->kind = DOCOCORE__EXPORT_KIND__RDMA_QP;
	peer->peer_import_reply->kind = DOCOCORE__EXPORT_KIND__RDMA_QP;
	for (size_t n = 0; n < 10; n++) {
		ck_assert(frame_fds_allowed(create, n) == (n == 2));
		ck_assert(frame_fds_allowed(reply, n) == (n == 4));
		ck_assert(frame_fds_allowed(peer, n) == (n == 4));
	}
	dococore__packet__free_unpacked(create, NULL);
	dococore__packet__free_unpacked(reply, NULL);
	dococore__packet__free_unpacked(peer, NULL);
}
END_TEST

/* Counter, sleep words and eventfd, whatever the other fields say. */
START_TEST(sync_events_carry_three)
{
	static const Dococore__ExportKind kinds[] = {DOCOCORE__EXPORT_KIND__SYNC_PCI,
						     DOCOCORE__EXPORT_KIND__SYNC_NET};
	Dococore__Packet *create = packet_of("ExportCreate");
	Dococore__Packet *reply = packet_of("ImportReply");
	Dococore__Packet *peer = packet_of("PeerImportReply");

	for (size_t i = 0; i < 2 * ARRAY_LEN(kinds); i++) {
		create->export_create->kind = kinds[i / 2];
		reply->import_reply->kind = kinds[i / 2];
		peer->peer_import_reply->kind = kinds[i / 2];
		create->export_create->memory = (Dococore__MemoryKind)(i % 2);
		reply->import_reply->memory = (Dococore__MemoryKind)(i % 2);
		peer->peer_import_reply->memory = (Dococore__MemoryKind)(i % 2);
		for (size_t n = 0; n < 10; n++) {
			ck_assert(frame_fds_allowed(create, n) == (n == 3));
			ck_assert(frame_fds_allowed(reply, n) == (n == 5));
			ck_assert(frame_fds_allowed(peer, n) == (n == 5));
		}
	}
	dococore__packet__free_unpacked(create, NULL);
	dococore__packet__free_unpacked(reply, NULL);
	dococore__packet__free_unpacked(peer, NULL);
}
END_TEST

START_TEST(consumer_memory_decides)
{
	Dococore__Packet *create = packet_of("ConsumerCreate");
	Dococore__Packet *reply = packet_of("ConsumerReply");
	Dococore__Packet *peer = packet_of("PeerConsumerNew");
	Dococore__Consumer consumer = DOCOCORE__CONSUMER__INIT;

	create->consumer_create->consumer = &consumer;
	reply->consumer_reply->consumer = &consumer;
	peer->peer_consumer_new->consumer = &consumer;
	for (size_t more = 0; more <= 1; more++) {
		consumer.memory = (Dococore__MemoryKind)more;
		for (size_t n = 0; n < 10; n++) {
			ck_assert(frame_fds_allowed(create, n) == (n == 2 + more));
			ck_assert(frame_fds_allowed(reply, n) == (n == 3 + more));
			ck_assert(frame_fds_allowed(peer, n) == (n == 3 + more));
		}
	}
	/* A remote consumer carries an export descriptor instead. */
	consumer.slots_export.len = EXPORT_DESCRIPTOR_LEN;
	for (size_t n = 0; n < 10; n++) {
		ck_assert(frame_fds_allowed(create, n) == (n == 0));
		ck_assert(frame_fds_allowed(reply, n) == (n == 0));
		ck_assert(frame_fds_allowed(peer, n) == (n == 0));
	}
	create->consumer_create->consumer = NULL;
	reply->consumer_reply->consumer = NULL;
	peer->peer_consumer_new->consumer = NULL;
	dococore__packet__free_unpacked(create, NULL);
	dococore__packet__free_unpacked(reply, NULL);
	dococore__packet__free_unpacked(peer, NULL);
}
END_TEST

START_TEST(channels_may_carry_a_process)
{
	Dococore__Packet *reply = packet_of("ChannelReply");
	Dococore__Packet *ask = packet_of("PeerConnect");
	Dococore__Packet *ready = packet_of("PeerChannelReady");

	reply->channel_reply->has_peer_pidfd = true;
	ask->peer_connect->has_pidfd = true;
	ready->peer_channel_ready->has_pidfd = true;
	for (size_t n = 0; n < 10; n++) {
		ck_assert(frame_fds_allowed(reply, n) == (n == 4));
		ck_assert(frame_fds_allowed(ask, n) == (n == 1));
		ck_assert(frame_fds_allowed(ready, n) == (n == 4));
	}
	dococore__packet__free_unpacked(reply, NULL);
	dococore__packet__free_unpacked(ask, NULL);
	dococore__packet__free_unpacked(ready, NULL);
}
END_TEST

/* Between machines: each daemon creates its own. */
START_TEST(relayed_channels_carry_none)
{
	Dococore__Packet *ready = packet_of("PeerChannelReady");

	ready->peer_channel_ready->relay = true;
	for (int i = 0; i < 2; i++) {
		for (size_t n = 0; n < 10; n++)
			ck_assert(frame_fds_allowed(ready, n) == (n == 0));
		ready->peer_channel_ready->has_pidfd = true;
	}
	dococore__packet__free_unpacked(ready, NULL);
}
END_TEST

START_TEST(data_has_a_length)
{
	static uint8_t bytes[FRAME_DATA_MAX + 1];
	Dococore__PeerChannelData data = DOCOCORE__PEER_CHANNEL_DATA__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_DATA;
	packet.peer_channel_data = &data;
	data.channel_id = UINT64_MAX;
	for (size_t len = 0; len <= sizeof(bytes); len += len < 8 ? 1 : 8190) {
		data.data = (ProtobufCBinaryData){len, bytes};
		ck_assert(frame_fields_valid(&packet) == (len > 0 && len <= FRAME_DATA_MAX));
	}
	data.data = (ProtobufCBinaryData){FRAME_DATA_MAX, bytes};
	ck_assert(frame_fields_valid(&packet));
	ck_assert_uint_le(dococore__packet__get_packed_size(&packet), FRAME_PACKET_MAX);
	data.data.len++;
	ck_assert(!frame_fields_valid(&packet));
}
END_TEST

START_TEST(no_body)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ck_assert_str_eq(frame_name(&packet), "unknown");
	ck_assert(!frame_fields_valid(&packet));
	ck_assert(frame_fds_allowed(&packet, 0));
	ck_assert(!frame_fds_allowed(&packet, 1));
	packet.body_case = (Dococore__Packet__BodyCase)4711;
	ck_assert_str_eq(frame_name(&packet), "unknown");
	packet.body_case = (Dococore__Packet__BodyCase)1; /* the id: a field, but no message */
	ck_assert_str_eq(frame_name(&packet), "unknown");
}
END_TEST

static bool error_valid(char *text)
{
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	error.text = text;
	packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
	packet.error = &error;
	return frame_fields_valid(&packet);
}

START_TEST(strings)
{
	char text[512];
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	Dococore__ServerCreate server = DOCOCORE__SERVER_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	memset(text, 'x', sizeof(text));
	text[401] = '\0';
	ck_assert(!error_valid(text));
	text[400] = '\0';
	ck_assert(error_valid(text));
	ck_assert(error_valid(NULL));

	packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	packet.hello = &hello;
	hello.program = text;
	text[64] = '\0';
	ck_assert(!frame_fields_valid(&packet));
	text[63] = '\0';
	ck_assert(frame_fields_valid(&packet));

	packet.body_case = DOCOCORE__PACKET__BODY_SERVER_CREATE;
	packet.server_create = &server;
	memset(text, 'x', sizeof(text));
	server.name = text;
	text[256] = '\0';
	ck_assert(!frame_fields_valid(&packet));
	text[255] = '\0';
	ck_assert(frame_fields_valid(&packet));
}
END_TEST

START_TEST(secrets)
{
	uint8_t bytes[32] = {0};
	Dococore__ImportCreate import = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__ExportCreate export = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &import;
	import.secret.data = bytes;
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		import.secret.len = len;
		ck_assert(frame_fields_valid(&packet) == (len == 16));
	}
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &export;
	export.restore_secret.data = bytes;
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		export.restore_secret.len = len;
		ck_assert(frame_fields_valid(&packet) == (len == 0 || len == 16));
	}
	export.restore_secret.len = 0;
	export.memory = (Dococore__MemoryKind)3;
	ck_assert(!frame_fields_valid(&packet));
	export.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	export.kind = (Dococore__ExportKind)-1;
	ck_assert(!frame_fields_valid(&packet));
}
END_TEST

START_TEST(lists_of_bytes)
{
	uint8_t bytes[17] = {0};
	ProtobufCBinaryData gids[65];
	Dococore__Device device = DOCOCORE__DEVICE__INIT;
	Dococore__Device *devices[] = {&device};
	Dococore__DeviceListReply list = DOCOCORE__DEVICE_LIST_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY;
	packet.device_list_reply = &list;
	list.devices = devices;
	list.n_devices = 1;
	device.gids = gids;
	for (size_t i = 0; i < ARRAY_LEN(gids); i++)
		gids[i] = (ProtobufCBinaryData){i % 2 ? 16 : 0, bytes};
	device.n_gids = 64;
	ck_assert(frame_fields_valid(&packet));
	device.n_gids = 65;
	ck_assert(!frame_fields_valid(&packet));
	device.n_gids = 64;
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		gids[63].len = len;
		ck_assert(frame_fields_valid(&packet) == (len == 0 || len == 16));
	}
}
END_TEST

/* Each bytes field of the protocol needs a rule: without one its message is refused. */
START_TEST(every_bytes_field_has_a_rule)
{
	uint8_t bytes[16] = {0};
	Dococore__Device device = DOCOCORE__DEVICE__INIT;
	Dococore__Device *devices[] = {&device};
	Dococore__DeviceListReply list = DOCOCORE__DEVICE_LIST_REPLY__INIT;
	Dococore__HelloReply hello = DOCOCORE__HELLO_REPLY__INIT;
	Dococore__PeerHello peer = DOCOCORE__PEER_HELLO__INIT;
	Dococore__ExportReply export = DOCOCORE__EXPORT_REPLY__INIT;
	Dococore__PeerImport import = DOCOCORE__PEER_IMPORT__INIT;
	Dococore__ChannelReply channel = DOCOCORE__CHANNEL_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct {
		ProtobufCBinaryData *field;
		size_t len;
		bool optional;
	} cases[] = {
		{&device.ipv4, 4, true},
		{&device.ipv6, 16, true},
		{&device.mac, 6, true},
		{&hello.daemon_id, 16, false},
		{&peer.daemon_id, 16, false},
		{&export.secret, 16, false},
		{&import.secret, 16, false},
		{&peer.boot_id, 16, true},
		{&channel.peer_daemon_id, 16, true},
	};

	list.devices = devices;
	list.n_devices = 1;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		peer.daemon_id = (ProtobufCBinaryData){i == 7 ? 16 : 0, bytes};
		switch (i) {
		case 3:
			packet.body_case = DOCOCORE__PACKET__BODY_HELLO_REPLY;
			packet.hello_reply = &hello;
			break;
		case 4:
		case 7:
			packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
			packet.peer_hello = &peer;
			break;
		case 5:
			packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_REPLY;
			packet.export_reply = &export;
			break;
		case 6:
			packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT;
			packet.peer_import = &import;
			break;
		case 8:
			packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_REPLY;
			packet.channel_reply = &channel;
			break;
		default:
			packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY;
			packet.device_list_reply = &list;
		}
		cases[i].field->data = bytes;
		for (size_t len = 0; len <= sizeof(bytes); len++) {
			cases[i].field->len = len;
			ck_assert_msg(
				frame_fields_valid(&packet) ==
					(len == cases[i].len || (len == 0 && cases[i].optional)),
				"case %zu len %zu", i, len);
		}
		cases[i].field->len = cases[i].len;
	}
}
END_TEST

/* Calls of RDMA: details of queue pairs, and addresses. */
START_TEST(calls_carry_bounded_details)
{
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN + 1] = {0};
	Dococore__RdmaConnect call = DOCOCORE__RDMA_CONNECT__INIT;
	Dococore__PeerRdmaAnswer answer = DOCOCORE__PEER_RDMA_ANSWER__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	for (size_t len = 0; len <= sizeof(bytes); len++) {
		packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER;
		packet.peer_rdma_answer = &answer;
		answer.details = (ProtobufCBinaryData){len, bytes};
		ck_assert(frame_fields_valid(&packet) == (len <= EXPORT_DESCRIPTOR_LEN));
		packet.body_case = DOCOCORE__PACKET__BODY_RDMA_CONNECT;
		packet.rdma_connect = &call;
		call.details = (ProtobufCBinaryData){len, bytes};
		call.address = call.source = (ProtobufCBinaryData){16, bytes};
		ck_assert(frame_fields_valid(&packet) == (len > 0 && len <= EXPORT_DESCRIPTOR_LEN));
		call.details.len = EXPORT_DESCRIPTOR_LEN;
		call.address.len = len;
		ck_assert(frame_fields_valid(&packet) == (len == 16));
	}
}
END_TEST

START_TEST(lists)
{
	char text[202];
	char *texts[9];
	Dococore__Device device = DOCOCORE__DEVICE__INIT;
	Dococore__Device *devices[17];
	Dococore__DeviceListReply list = DOCOCORE__DEVICE_LIST_REPLY__INIT;
	Dococore__ImportTransport transport = DOCOCORE__IMPORT_TRANSPORT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	memset(text, 'x', sizeof(text));
	text[200] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		texts[i] = text;
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		devices[i] = &device;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY;
	packet.device_list_reply = &list;
	list.devices = devices;
	list.n_devices = 16;
	ck_assert(frame_fields_valid(&packet));
	list.n_devices = 17;
	ck_assert(!frame_fields_valid(&packet));

	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT;
	packet.import_transport = &transport;
	transport.rejected = texts;
	transport.n_rejected = 8;
	ck_assert(frame_fields_valid(&packet));
	text[200] = 'x';
	text[201] = '\0';
	ck_assert(!frame_fields_valid(&packet));
	text[200] = '\0';
	transport.n_rejected = 9;
	ck_assert(!frame_fields_valid(&packet));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("frame");
	TCase *tcase = unit_case(suite, "frame", UNIT_TIMEOUT);

	tcase_add_test(tcase, every_message_has_its_count_and_name);
	tcase_add_test(tcase, every_body_is_in_the_same_place);
	tcase_add_test(tcase, a_buffer_holds_one_packet_after_another);
	tcase_add_loop_test(tcase, memory_kind_decides, 0, 2);
	tcase_add_test(tcase, sync_events_carry_three);
	tcase_add_test(tcase, queue_pairs_carry_two);
	tcase_add_test(tcase, consumer_memory_decides);
	tcase_add_test(tcase, channels_may_carry_a_process);
	tcase_add_test(tcase, relayed_channels_carry_none);
	tcase_add_test(tcase, data_has_a_length);
	tcase_add_test(tcase, no_body);
	tcase_add_test(tcase, strings);
	tcase_add_test(tcase, secrets);
	tcase_add_test(tcase, lists_of_bytes);
	tcase_add_test(tcase, every_bytes_field_has_a_rule);
	tcase_add_test(tcase, calls_carry_bounded_details);
	tcase_add_test(tcase, lists);
	return unit_run(suite);
}
