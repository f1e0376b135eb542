/* Packets in a byte stream; see packet_stream.h. */
#include "proto/packet_stream.h"

#include <errno.h>
#include <string.h>

#include "proto/packet.h"
#include "util/util.h"

void packet_stream_init(struct packet_stream *in)
{
	in->n = 0;
	in->error = "";
}

void packet_stream_put_header(uint8_t header[PACKET_STREAM_HEADER_LEN], size_t len)
{
	for (unsigned i = 0; i < PACKET_STREAM_HEADER_LEN; i++)
		header[i] = (uint8_t)(len >> (24 - 8 * i));
}

static size_t packet_stream_get_header(const uint8_t header[PACKET_STREAM_HEADER_LEN])
{
	return (size_t)header[0] << 24 | (size_t)header[1] << 16 | (size_t)header[2] << 8 |
	       header[3];
}

/* Appends data until the buffer has `wanted` bytes or the data ends. */
static size_t packet_stream_buffer(struct packet_stream *in, size_t wanted, const uint8_t *data,
				   size_t len)
{
	size_t n = MIN(wanted - in->n, len);

	memcpy(in->buf + in->n, data, n);
	in->n += n;
	return n;
}

int packet_stream_feed(struct packet_stream *in, const uint8_t *data, size_t len, size_t *used_out,
		       Dococore__Packet **packet_out)
{
	size_t packet_len;

	*used_out = 0;
	if (in->n < PACKET_STREAM_HEADER_LEN)
		*used_out = packet_stream_buffer(in, PACKET_STREAM_HEADER_LEN, data, len);
	if (in->n < PACKET_STREAM_HEADER_LEN)
		return 0;
	packet_len = packet_stream_get_header(in->buf);
	if (packet_len == 0 || packet_len > FRAME_PACKET_MAX) {
		in->error = "a packet's length is not 1 to 65536 bytes";
		return -EPROTO;
	}
	*used_out += packet_stream_buffer(in, PACKET_STREAM_HEADER_LEN + packet_len,
					  data + *used_out, len - *used_out);
	if (in->n < PACKET_STREAM_HEADER_LEN + packet_len)
		return 0;
	in->n = 0;
	int r = packet_unpack(in->buf + PACKET_STREAM_HEADER_LEN, packet_len, 0, NULL, packet_out,
			      &in->error);

	if (r < 0 || frame_secret(*packet_out))
		explicit_bzero(in->buf, PACKET_STREAM_HEADER_LEN + packet_len);
	return r < 0 ? r : 1;
}
