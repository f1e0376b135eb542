/*
 * Bytes from a hostile peer over TLS: the first byte says how they are divided into pieces.
 * Whatever the division, the same packets result and the stream ends in the same way, and what is
 * accepted follows every rule.
 */
#include <errno.h>
#include <string.h>

#include "proto/packet_stream.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/packet_mutator.h"
#include "util/util.h"

struct outcome {
	size_t n_packets, packed_len;
	int result;
};

static struct outcome receive(const uint8_t *data, size_t len, size_t piece)
{
	static struct packet_stream in;
	struct outcome outcome = {0};

	packet_stream_init(&in);
	for (size_t at = 0; at < len && outcome.result == 0;) {
		size_t n = MIN(piece, len - at), used;
		Dococore__Packet *packet = NULL;
		int r = packet_stream_feed(&in, data + at, n, &used, &packet);

		FUZZ_CHECK(used <= n);
		FUZZ_CHECK((r == 1) == (packet != NULL));
		FUZZ_CHECK(r == 1 || r == 0 || (r == -EPROTO && in.error[0] != '\0'));
		FUZZ_CHECK(r != 0 || used == n);
		at += used;
		if (r == 1) {
			FUZZ_CHECK(frame_fields_valid(packet));
			FUZZ_CHECK(frame_fds_allowed(packet, 0));
			outcome.n_packets++;
			outcome.packed_len += dococore__packet__get_packed_size(packet);
			dococore__packet__free_unpacked(packet, NULL);
		} else {
			outcome.result = r;
		}
	}
	return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct outcome whole, cut;

	if (len < 2)
		return 0;
	whole = receive(data + 1, len - 1, len);
	cut = receive(data + 1, len - 1, 1u + data[0]);
	FUZZ_CHECK(whole.n_packets == cut.n_packets);
	FUZZ_CHECK(whole.packed_len == cut.packed_len);
	FUZZ_CHECK(whole.result == cut.result);
	return 0;
}

/* Changes the last packet whose length is valid, and adapts that length. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max, unsigned seed)
{
	size_t at = 1, last = 0, packet_len = 0;

	while (at + PACKET_STREAM_HEADER_LEN < len) {
		size_t n = (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 |
			   (size_t)data[at + 2] << 8 | data[at + 3];

		if (n == 0 || n > len - at - PACKET_STREAM_HEADER_LEN)
			break;
		last = at;
		packet_len = n;
		at += PACKET_STREAM_HEADER_LEN + n;
	}
	if (last == 0 || seed % 4 == 0)
		return LLVMFuzzerMutate(data, len, max);
	packet_len = packet_mutate(data + last + PACKET_STREAM_HEADER_LEN, packet_len,
				   max - last - PACKET_STREAM_HEADER_LEN, seed);
	packet_stream_put_header(data + last, packet_len);
	return last + PACKET_STREAM_HEADER_LEN + packet_len;
}

/* Several packets in a row. */
size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	Dococore__PeerPing ping = DOCOCORE__PEER_PING__INIT;
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	size_t at = 1;

	if (i >= 8 || out_len < 1024)
		return 0;
	out[0] = (uint8_t)(i * 7);
	for (unsigned k = 0; k <= i; k++) {
		bool is_ping = (k + i) % 2;
		size_t len;

		packet.body_case = is_ping ? DOCOCORE__PACKET__BODY_PEER_PING
					   : DOCOCORE__PACKET__BODY_ERROR;
		ping.number = k;
		error.text = (char *)"some text";
		if (is_ping)
			packet.peer_ping = &ping;
		else
			packet.error = &error;
		len = dococore__packet__pack(&packet, out + at + PACKET_STREAM_HEADER_LEN);
		packet_stream_put_header(out + at, len);
		at += PACKET_STREAM_HEADER_LEN + len;
	}
	return at;
}
