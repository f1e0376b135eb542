/* Packets in a byte stream; see packet_stream.h. */
#include "proto/packet_stream.h"

#include <errno.h>
#include <string.h>

#include "proto/packet.h"
#include "util/util.h"

void stream_in_init(struct stream_in *in)
{
	in->n = 0;
	in->error = "";
}

void stream_put_header(uint8_t header[STREAM_HEADER_LEN], size_t len)
{
	for (unsigned i = 0; i < STREAM_HEADER_LEN; i++)
		header[i] = (uint8_t)(len >> (24 - 8 * i));
}

static size_t stream_get_header(const uint8_t header[STREAM_HEADER_LEN])
{
	return (size_t)header[0] << 24 | (size_t)header[1] << 16 | (size_t)header[2] << 8 |
	       header[3];
}

/* Appends data until the buffer has `wanted` bytes or the data ends. */
static size_t stream_buffer(struct stream_in *in, size_t wanted, const uint8_t *data, size_t len)
{
	size_t n = MIN(wanted - in->n, len);

	memcpy(in->buf + in->n, data, n);
	in->n += n;
	return n;
}

int stream_in_feed(struct stream_in *in, const uint8_t *data, size_t len, size_t *used_out,
		   Dococore__Packet **packet_out)
{
	size_t packet_len;

	*used_out = 0;
	if (in->n < STREAM_HEADER_LEN)
		*used_out = stream_buffer(in, STREAM_HEADER_LEN, data, len);
	if (in->n < STREAM_HEADER_LEN)
		return 0;
	packet_len = stream_get_header(in->buf);
	if (packet_len == 0 || packet_len > FRAME_PACKET_MAX) {
		in->error = "a packet's length is not 1 to 65536 bytes";
		return -EPROTO;
	}
	*used_out += stream_buffer(in, STREAM_HEADER_LEN + packet_len, data + *used_out,
				   len - *used_out);
	if (in->n < STREAM_HEADER_LEN + packet_len)
		return 0;
	in->n = 0;
	int r = packet_unpack(in->buf + STREAM_HEADER_LEN, packet_len, 0, NULL, packet_out,
			      &in->error);

	if (r < 0 || frame_secret(*packet_out))
		explicit_bzero(in->buf, STREAM_HEADER_LEN + packet_len);
	return r < 0 ? r : 1;
}
