/*
 * Converts received bytes, whatever transport carried them, to a message that obeys every wire
 * rule: size, encoding, field lengths and number of descriptors. Also packs messages. Keeps no
 * state; any thread may call it.
 *
 * A packet is an id and one message of many kinds. protobuf-c's own functions visit every kind, at
 * both ends and several times, which takes longer than all other work on a short message. These
 * functions visit only the kind that is present.
 */
#ifndef PROTO_PACKET_H
#define PROTO_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "proto/frame.h"

/*
 * Under AddressSanitizer each piece is a separate allocation, so that reads beyond it are detected.
 */
#if defined(__SANITIZE_ADDRESS__)
#define PACKET_ROOM_LEN 16u
#else
#define PACKET_ROOM_LEN 1024u
#endif

/*
 * Buffer into which one packet at a time is unpacked without allocating; pieces that do not fit are
 * allocated. For callers that finish one packet before they read the next. It needs no deinit while
 * it holds no packet.
 */
struct packet_arena {
	size_t used;
	size_t n_outside; /* allocated pieces that did not fit */
	_Alignas(16) uint8_t bytes[PACKET_ROOM_LEN];
};

static inline void packet_arena_init(struct packet_arena *arena)
{
	arena->used = 0;
	arena->n_outside = 0;
}

/*
 * Unpacks and checks a packet. n_fds: number of descriptors that came with it. arena: NULL, or an
 * empty one. Returns 0 and *packet_out: free it with packet_free_in(), or, without an arena, also
 * with dococore__packet__free_unpacked(p, NULL). Returns -EPROTO if a rule was broken, or -ENOMEM.
 * On failure *error_out is a constant text that gives the reason, and the arena is empty.
 */
int packet_unpack(const uint8_t *data, size_t len, size_t n_fds, struct packet_arena *arena,
		  Dococore__Packet **packet_out, const char **error_out);
/* Frees the packet and empties the arena. Both free functions overwrite secrets in the packet. */
void packet_free_in(struct packet_arena *arena, Dococore__Packet *packet);
/*
 * Frees a packet that has no arena, like dococore__packet__free_unpacked(packet, NULL). Accepts
 * NULL.
 */
void packet_free(Dococore__Packet *packet);

/*
 * Pack to the same bytes as dococore__packet__pack(), with the length of
 * dococore__packet__get_packed_size().
 */
struct packet_size {
	size_t len;
	size_t body_len;
};
struct packet_size packet_measure(const Dococore__Packet *packet);
void packet_pack(const Dococore__Packet *packet, struct packet_size size, uint8_t *out);

#endif
