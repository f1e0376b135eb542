/*
 * proto/packet_stream: packets in a byte stream, split anywhere, joined in any way, and invalid
 * input.
 */
#include <errno.h>
#include <string.h>

#include "proto/packet_stream.h"
#include "tests/unit/unit.h"

#define MANY 40

static struct packet_stream in;

static void set_up(void)
{
	packet_stream_init(&in);
}

/* Writes a PeerPing with its header. Returns its length. */
static size_t put_ping(uint8_t *out, uint64_t number)
{
	Dococore__PeerPing ping = DOCOCORE__PEER_PING__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	size_t len;

	ping.number = number;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_PING;
	packet.peer_ping = &ping;
	len = dococore__packet__pack(&packet, out + PACKET_STREAM_HEADER_LEN);
	packet_stream_put_header(out, len);
	return PACKET_STREAM_HEADER_LEN + len;
}

static void expect_ping(Dococore__Packet *packet, uint64_t number)
{
	ck_assert_int_eq(packet->body_case, DOCOCORE__PACKET__BODY_PEER_PING);
	ck_assert_uint_eq(packet->peer_ping->number, number);
	dococore__packet__free_unpacked(packet, NULL);
}

/* Feeds one piece; pings have the numbers from *next on. Returns the result of the last call. */
static int feed(const uint8_t *data, size_t len, uint64_t *next)
{
	Dococore__Packet *packet;
	size_t at = 0, used;
	int r;

	do {
		r = packet_stream_feed(&in, data + at, len - at, &used, &packet);
		ck_assert_uint_le(used, len - at);
		at += used;
		if (r == 1)
			expect_ping(packet, (*next)++);
	} while (r == 1);
	if (r == 0)
		ck_assert_uint_eq(at, len);
	return r;
}

static size_t put_many(uint8_t *data)
{
	size_t len = 0;

	/* Numbers of one byte and of ten, so that lengths differ. */
	for (uint64_t i = 0; i < MANY; i++)
		len += put_ping(data + len, i);
	return len;
}

START_TEST(split_at_every_byte)
{
	uint8_t data[MANY * 32];
	size_t len = put_many(data);

	for (size_t cut = 0; cut <= len; cut++) {
		uint64_t next = 0;

		ck_assert_int_eq(feed(data, cut, &next), 0);
		ck_assert_int_eq(feed(data + cut, len - cut, &next), 0);
		ck_assert_uint_eq(next, MANY);
		ck_assert_uint_eq(in.n, 0);
	}
}
END_TEST

START_TEST(pieces_of_every_size)
{
	uint8_t data[MANY * 32];
	size_t len = put_many(data);

	for (size_t piece = 1; piece <= len; piece++) {
		uint64_t next = 0;

		for (size_t at = 0; at < len; at += piece)
			ck_assert_int_eq(feed(data + at, MIN(piece, len - at), &next), 0);
		ck_assert_uint_eq(next, MANY);
	}
}
END_TEST

/* The longest permitted packet, in one piece and byte by byte. */
START_TEST(longest)
{
	static uint8_t data[PACKET_STREAM_HEADER_LEN + FRAME_PACKET_MAX];
	static char names[400][256];
	static Dococore__PeerFunction functions[400], *pointers[400];
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT, *got;
	size_t len, used;
	int r = 0;

	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	list.functions = pointers;
	while (list.n_functions < 250) {
		Dococore__PeerFunction *f = &functions[list.n_functions];

		dococore__peer_function__init(f);
		memset(names[list.n_functions], 'x', 255);
		f->name = names[list.n_functions];
		pointers[list.n_functions++] = f;
	}
	/* Fills the rest with a name of exactly the missing length. */
	while ((len = dococore__packet__get_packed_size(&packet)) < FRAME_PACKET_MAX) {
		Dococore__PeerFunction *f = &functions[list.n_functions];
		size_t want = MIN(FRAME_PACKET_MAX - len, 200u);

		dococore__peer_function__init(f);
		memset(names[list.n_functions], 'y', want);
		f->name = names[list.n_functions];
		pointers[list.n_functions++] = f;
		while (dococore__packet__get_packed_size(&packet) > FRAME_PACKET_MAX && want > 0)
			names[list.n_functions - 1][--want] = '\0';
		if (want == 0) {
			list.n_functions--;
			break;
		}
	}
	len = dococore__packet__pack(&packet, data + PACKET_STREAM_HEADER_LEN);
	ck_assert_uint_le(len, FRAME_PACKET_MAX);
	ck_assert_uint_gt(len, FRAME_PACKET_MAX - 8);
	packet_stream_put_header(data, len);
	ck_assert_int_eq(packet_stream_feed(&in, data, PACKET_STREAM_HEADER_LEN + len, &used, &got),
			 1);
	ck_assert_uint_eq(used, PACKET_STREAM_HEADER_LEN + len);
	ck_assert_uint_eq(got->peer_functions->n_functions, list.n_functions);
	dococore__packet__free_unpacked(got, NULL);
	for (size_t i = 0; i < PACKET_STREAM_HEADER_LEN + len; i++) {
		ck_assert_int_eq(r, 0);
		r = packet_stream_feed(&in, data + i, 1, &used, &got);
		ck_assert_uint_eq(used, 1);
	}
	ck_assert_int_eq(r, 1);
	dococore__packet__free_unpacked(got, NULL);
}
END_TEST

static void expect_refused(const void *data, size_t len)
{
	uint64_t next = 0;

	packet_stream_init(&in);
	ck_assert_int_eq(feed(data, len, &next), -EPROTO);
	ck_assert_str_ne(in.error, "");
}

/* Refused as soon as the length is there: no end waits for four gigabytes. */
START_TEST(wrong_lengths)
{
	static const uint8_t lengths[][4] = {
		{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 2, 0, 0}, {1, 0, 0, 1}, {0xff, 0xff, 0xff, 0xff}};
	uint64_t next = 0;

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		expect_refused(lengths[i], 4);
		packet_stream_init(&in);
		ck_assert_int_eq(feed(lengths[i], 3, &next), 0);
		ck_assert_int_eq(feed(lengths[i] + 3, 1, &next), -EPROTO);
	}
}
END_TEST

START_TEST(wrong_packets)
{
	Dococore__PeerChannelReady ready = DOCOCORE__PEER_CHANNEL_READY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t data[64] = {0, 0, 0, 2, 0xff, 0xff};

	expect_refused(data, 6);
	expect_refused("GET / HTTP/1.1\r\n\r\n", 18);
	/* An unknown message. */
	packet_stream_put_header(data, 2);
	data[4] = 15 << 3;
	data[5] = 1;
	expect_refused(data, 6);
	/* A message with descriptors, which a stream cannot carry. */
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY;
	packet.peer_channel_ready = &ready;
	packet_stream_put_header(data,
				 dococore__packet__pack(&packet, data + PACKET_STREAM_HEADER_LEN));
	expect_refused(data, PACKET_STREAM_HEADER_LEN + dococore__packet__get_packed_size(&packet));
}
END_TEST

START_TEST(random_bytes)
{
	uint64_t state = 4711;

	for (int i = 0; i < UNIT_N(20000); i++) {
		uint8_t data[256];
		uint64_t next = 0;
		size_t len = put_ping(data, 0);
		Dococore__Packet *packet;
		size_t used, at = 0;
		int r;

		(void)next;
		for (int k = 0; k < 3; k++)
			data[unit_random(&state) % len] = (uint8_t)unit_random(&state);
		packet_stream_init(&in);
		do {
			r = packet_stream_feed(&in, data + at, len - at, &used, &packet);
			at += used;
			ck_assert_uint_le(at, len);
			if (r == 1)
				dococore__packet__free_unpacked(packet, NULL);
		} while (r == 1);
		ck_assert(r == 0 || r == -EPROTO);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stream");
	TCase *tcase = unit_case(suite, "stream", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_add_test(tcase, split_at_every_byte);
	tcase_add_test(tcase, pieces_of_every_size);
	tcase_add_test(tcase, longest);
	tcase_add_test(tcase, wrong_lengths);
	tcase_add_test(tcase, wrong_packets);
	tcase_add_test(tcase, random_bytes);
	return unit_run(suite);
}
