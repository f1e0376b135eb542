/*
 * From received bytes to a message that obeys every rule of the wire: size, encoding, field lengths
 * and number of descriptors. Whatever carried the bytes. And the way back. No state; any thread.
 *
 * A packet is an id and one message of many kinds. protobuf-c's own functions look at each of the
 * kinds, at both ends and several times, which takes longer than all else that is done with a short
 * message; these look at the one that is there.
 */
#ifndef PROTO_PACKET_H
#define PROTO_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "proto/frame.h"

/*
 * n_fds: descriptors that came along. 0 and *packet_out, to be freed with
 * dococore__packet__free_unpacked(p, NULL); -EPROTO: a rule was broken; -ENOMEM. On failure
 * *error_out says why, a constant text.
 */
int packet_unpack(const uint8_t *data, size_t len, size_t n_fds, Dococore__Packet **packet_out,
		  const char **error_out);
/* As dococore__packet__free_unpacked(packet, NULL). NULL is fine. */
void packet_free(Dococore__Packet *packet);
/* The same bytes as dococore__packet__pack() makes. */
size_t packet_packed_len(const Dococore__Packet *packet);
void packet_pack(const Dococore__Packet *packet, uint8_t *out);

#endif
