/*
 * A mirror: what a library exports of a channel's end to the library of the other machine, which
 * writes its messages there by requests to an RDMA device instead of leaving them to the daemons.
 *
 * Each end of a channel with `mirrors` (ChannelReply) that has an RDMA device makes a mirror, and
 * offers it: the first message of kind RING_MSG_MIRROR that it sends by the daemons holds the
 * descriptor of its export (struct mirror_offer). An end that reaches the other one's mirror says
 * so by a message of that kind without a byte, the last that it sends by the daemons; all that
 * follow are in the mirror. An end that never says so is relayed as ever. Both directions are
 * independent.
 *
 * In the mirror are, each part on a multiple of 4096 bytes: one page of header; n_stamps stamps;
 * the data area, a ring like a channel's (proto/shm_layout.h). Who writes has a ring of the same
 * length, and copies from it what it published, position by position, in batches of whole messages:
 * all bytes of the batch but the header word of its first message, which stays 0, and then the
 * batch's stamp: that header word, and the word that says that all of it is there. The owner then
 * stores the header word itself, and finds messages as in any ring. A device may place a word byte
 * by byte. So the stamp is written twice, first with a word no byte of which is right.
 *
 * Stamp i mod n_stamps is of batch i; n_stamps is at least the messages that may be under way, so
 * that each was read before it is written again. The writer reads consumed_pos and consumed_msgs of
 * `ring` as its credit; it looks at `armed` after each batch, and if the owner sleeps wakes it by a
 * write of nothing with the low half of the export's id as immediate data. `closed` is written as
 * the last thing of all.
 */
#ifndef PROTO_MIRROR_LAYOUT_H
#define PROTO_MIRROR_LAYOUT_H

#include "proto/shm_layout.h"

#define MIRROR_VERSION 1u
#define MIRROR_PART    4096u

struct mirror_stamp {
	_Atomic uint64_t header; /* of the batch's first message */
	_Atomic uint64_t word;   /* the batch's number, from 1 on */
};

struct mirror_header {
	struct channel_ring_ctl ring;
};

/* Numbers are little endian. */
struct mirror_offer {
	uint32_t version;
	uint32_t n_stamps;     /* a power of two */
	uint8_t export_desc[]; /* of all of the mirror */
};

_Static_assert(sizeof(struct mirror_stamp) == 16, "four stamps are a line");
_Static_assert(sizeof(struct mirror_header) <= MIRROR_PART, "the header fits its page");

#endif
