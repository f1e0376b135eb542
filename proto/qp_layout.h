/*
 * Inbox of a queue pair: the memfd that an end of a connection makes and that the other end maps.
 * One header page, then the data area of a message ring (proto/ring.h): the other end is its
 * producer, the maker its consumer. Both ends have one, and there is nothing else between them.
 *
 * The count of messages that a consumer took is its acknowledgement: a message is taken only when
 * a receive has all of it. One that finds no receive stays in the ring, and `starved` says so.
 *
 * Only the two ends have it, so whoever writes nonsense into it harms this connection only. Every
 * word is read once for a decision, and checked.
 */
#ifndef PROTO_QP_LAYOUT_H
#define PROTO_QP_LAYOUT_H

#include "proto/shm_layout.h"

#define QP_MAGIC      0x51505231u /* "QPR1" */
#define QP_LAYOUT     1u
#define QP_HEADER_LEN 4096u
#define QP_RING_LEN   65536u
#define QP_INBOX_LEN  (QP_HEADER_LEN + QP_RING_LEN)
/* Of a message in the ring, which has room for four of them. */
#define QP_MSG_MAX 16000u

/* Kinds of messages. */
enum qp_msg {
	QP_MSG_SEND = 1,      /* struct qp_send, and the first bytes of the payload */
	QP_MSG_SEND_IMM = 2,  /* the same */
	QP_MSG_WRITE_IMM = 3, /* struct qp_send: len bytes have been written elsewhere */
	QP_MSG_MORE = 4,      /* what follows of a payload */
	/* struct qp_send and struct qp_piece: the payload is in the sender's memory, which the
	 * receiver said that it can read. */
	QP_MSG_PULL = 5,
	QP_MSG_PULL_IMM = 6,
};

struct qp_send {
	uint32_t len; /* bytes, all of it */
	uint32_t imm; /* as the user gave it */
};

struct qp_piece {
	uint64_t addr; /* in the sender's address space */
	uint64_t len;
};

/* Why an end will post and take no more; in `end`. */
enum qp_end {
	QP_END_LEFT = 1,   /* in good order */
	QP_END_BROKEN = 2, /* a request of it failed, or it gave up */
	QP_END_LENGTH = 3, /* the message behind those it took is too long for the receive */
};

struct qp_inbox {
	/* Of the maker, before it exports the queue pair. */
	uint32_t magic;
	uint32_t version;
	uint32_t ring_len;
	uint32_t reserved0;
	uint64_t probe; /* an address in its process that can be read */
	uint8_t pad0[40];
	struct channel_ring_ctl ring;
	/* Of the consumer. */
	_Atomic uint64_t starved;  /* messages taken before the one that finds no receive, + 1 */
	_Atomic uint32_t can_pull; /* it reads payloads in the producer's memory */
	uint8_t pad1[52];
	/* Of the producer. */
	_Atomic uint64_t hello; /* export id of its own queue pair, before its first message */
	_Atomic uint32_t end;   /* enum qp_end */
	uint8_t pad2[52];
};

_Static_assert(offsetof(struct qp_inbox, ring) == 64, "the ring's words have their own lines");
_Static_assert(offsetof(struct qp_inbox, starved) == 192, "the consumer's line");
_Static_assert(offsetof(struct qp_inbox, hello) == 256, "the producer's line");
_Static_assert(sizeof(struct qp_inbox) == 320, "five lines");

#endif
