/*
 * Layout of a remote ring: memory of a channel's end that its library exports to the library on the
 * other machine. The other library writes its messages there by RDMA instead of sending them
 * through the daemons.
 *
 * Each end of a channel with `remote_rings` (ChannelReply) that has an RDMA device creates a remote
 * ring and offers it: the first message of kind RING_MSG_REMOTE_RING that it sends through the
 * daemons holds the descriptor of its export (struct remote_ring_offer). An end that can reach the
 * other's remote ring confirms this with an empty message of the same kind. That is its last
 * message through the daemons; all later ones are in the remote ring. An end that never confirms
 * continues to be relayed by the daemons. Both directions are independent.
 *
 * A remote ring consists of three parts, each on a multiple of 4096 bytes: one header page;
 * n_commits commit records; and the data area, a ring like a channel's (proto/shm_layout.h). The
 * writer has a local ring of the same length and copies from it what it published, position by
 * position, in batches of whole messages. First it writes all bytes of the batch except the header
 * word of its first message, which stays 0. Then it writes the batch's commit record: that header
 * word, and a commit word that says that the batch is complete. The owner then stores the header
 * word itself and finds messages as in any ring. A device may write a word byte by byte. Therefore
 * the writer writes the commit record twice, first with a poison word that differs from the right
 * one in every byte.
 *
 * Batch i uses commit record i mod n_commits. n_commits is at least the number of messages in
 * flight, so each record is read before it is overwritten. The writer reads consumed_pos and
 * consumed_msgs of `ring` as its credit. It reads `armed` after each batch. If the owner sleeps,
 * the writer wakes it with an empty RDMA write whose immediate data is the low half of the export's
 * id. `closed` is written last of all.
 */
#ifndef PROTO_REMOTE_RING_LAYOUT_H
#define PROTO_REMOTE_RING_LAYOUT_H

#include "proto/shm_layout.h"

#define REMOTE_RING_VERSION 1u
#define REMOTE_RING_ALIGN   4096u

struct remote_ring_commit {
	_Atomic uint64_t header; /* of the batch's first message */
	_Atomic uint64_t word;   /* commit word: the batch's number, from 1 on */
};

struct remote_ring_header {
	struct channel_ring_ctl ring;
};

/* All numbers are little endian. */
struct remote_ring_offer {
	uint32_t version;
	uint32_t n_commits;    /* a power of two */
	uint8_t export_desc[]; /* of the whole remote ring */
};

_Static_assert(sizeof(struct remote_ring_commit) == 16, "four stamps are a line");
_Static_assert(sizeof(struct remote_ring_header) <= REMOTE_RING_ALIGN, "the header fits its page");

#endif
