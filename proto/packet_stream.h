/*
 * Packets in a byte stream, for transports that keep no packet boundaries: four bytes of length,
 * most significant first, then that many bytes of a Packet, 1 to 65536. A stream cannot carry
 * descriptors. The input may be split anywhere; an error is reported as soon as it can be detected.
 * Single-threaded; the owner locks.
 */
#ifndef PROTO_PACKET_STREAM_H
#define PROTO_PACKET_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "proto/frame.h"

#define PACKET_STREAM_HEADER_LEN 4u

struct packet_stream {
	size_t n; /* buffered bytes of the packet, including the header */
	const char *error;
	uint8_t buf[PACKET_STREAM_HEADER_LEN + FRAME_PACKET_MAX];
};

void packet_stream_init(struct packet_stream *in);
/*
 * Consumes bytes until a packet is complete. *used_out is the number of bytes consumed and is
 * always written. Returns:
 * - 1: *packet_out is a packet (dococore__packet__free_unpacked(p, NULL)); call again with the
 * rest.
 * - 0: all bytes were consumed.
 * - -EPROTO, -ENOMEM: the stream can no longer be used, and in->error is the reason.
 */
int packet_stream_feed(struct packet_stream *in, const uint8_t *data, size_t len, size_t *used_out,
		       Dococore__Packet **packet_out);
/* Writes the length prefix for a packet of len bytes. */
void packet_stream_put_header(uint8_t header[PACKET_STREAM_HEADER_LEN], size_t len);

#endif
