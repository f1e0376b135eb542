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

/* Under AddressSanitizer each piece is an allocation of its own, with nothing readable beside it.
 */
#if defined(__SANITIZE_ADDRESS__)
#define PACKET_ROOM_LEN 16u
#else
#define PACKET_ROOM_LEN 1024u
#endif

/*
 * Where one packet at a time is unpacked without allocating: what does not fit is allocated. For
 * who is done with a packet before it reads the next. It needs no deinit while no packet is in it.
 */
struct packet_room {
	size_t used;
	size_t n_outside; /* pieces that did not fit */
	_Alignas(16) uint8_t bytes[PACKET_ROOM_LEN];
};

static inline void packet_room_init(struct packet_room *room)
{
	room->used = 0;
	room->n_outside = 0;
}

/*
 * n_fds: descriptors that came along. room: NULL, or an empty one. 0 and *packet_out, to be freed
 * with packet_free_in(), without a room also with dococore__packet__free_unpacked(p, NULL);
 * -EPROTO: a rule was broken; -ENOMEM. On failure *error_out says why, a constant text, and the
 * room is empty.
 */
int packet_unpack(const uint8_t *data, size_t len, size_t n_fds, struct packet_room *room,
		  Dococore__Packet **packet_out, const char **error_out);
/* The room is empty then. Both functions overwrite secrets in the packet. */
void packet_free_in(struct packet_room *room, Dococore__Packet *packet);
/* One without a room; as dococore__packet__free_unpacked(packet, NULL). NULL is fine. */
void packet_free(Dococore__Packet *packet);

/* The same bytes as dococore__packet__pack() makes, and as many as dococore__packet__
 * get_packed_size() says. */
struct packet_size {
	size_t len;
	size_t body_len;
};
struct packet_size packet_measure(const Dococore__Packet *packet);
void packet_pack(const Dococore__Packet *packet, struct packet_size size, uint8_t *out);

#endif
