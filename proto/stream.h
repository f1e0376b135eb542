/*
 * Packets in a byte stream, for carriers that keep no packet boundaries: four bytes of length,
 * most significant first, then that many bytes of a Packet, 1 to 65536. Descriptors do not pass.
 * Bytes come in pieces of any size; what is wrong is refused as soon as it can be seen.
 * Single-threaded; the owner locks.
 */
#ifndef PROTO_STREAM_H
#define PROTO_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "proto/frame.h"

#define STREAM_HEADER_LEN 4u

struct stream_in {
	size_t n; /* bytes of the packet, header included, that are there */
	const char *error;
	uint8_t buf[STREAM_HEADER_LEN + FRAME_PACKET_MAX];
};

void stream_in_init(struct stream_in *in);
/*
 * Takes bytes until a packet is complete; *used_out: how many, always written. 1 and *packet_out
 * (dococore__packet__free_unpacked(p, NULL)): call again with the rest; 0: all are taken; -EPROTO,
 * -ENOMEM: the stream is of no more use and the reason is in in->error.
 */
int stream_in_feed(struct stream_in *in, const uint8_t *data, size_t len, size_t *used_out,
		   Dococore__Packet **packet_out);
/* The length that goes before a packet of len bytes. */
void stream_put_header(uint8_t header[STREAM_HEADER_LEN], size_t len);

#endif
