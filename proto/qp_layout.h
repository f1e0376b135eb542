/*
 * Inbox of a queue pair: a memfd that one end of a connection creates and the other end maps. It
 * consists of one header page, slots, and an area for payloads that do not fit a slot. The other
 * end is the producer, the creator the consumer. Each end has one inbox; the connection has no
 * other shared memory.
 *
 * Message i (from 0) is in slot i mod QP_N_SLOTS. The slot's word contains the message number and
 * is stored last. The consumer polls only that word; its cache line is not written before the
 * message comes, and nothing is ever cleared. A slot is an adjacent pair of cache lines, so a short
 * message is transferred to the other core with these two lines alone. The bytes of a longer
 * message, or of each piece of it, are in the area: one after the other in message order, each
 * starting at the next multiple of QP_AREA_ALIGN. Both ends compute these positions. Each end maps
 * the area twice in a row; positions in it are byte counts since the connection began.
 *
 * The number of messages that a consumer received is its acknowledgement. A message counts as
 * received only when a posted receive has all of it. A message that finds no receive stays in its
 * slot, and `starved` reports it. The count is in `taken`, and its low bits are also in each
 * message of the other direction: an end that replies acknowledges by its reply, and the line of
 * `taken` need not be transferred.
 *
 * Only the two ends map an inbox, so invalid data harms this connection only. Each word is read
 * once per decision and validated.
 */
#ifndef PROTO_QP_LAYOUT_H
#define PROTO_QP_LAYOUT_H

#include "proto/shm_layout.h"

#define QP_MAGIC      0x51505231u /* "QPR1" */
#define QP_LAYOUT     2u
#define QP_HEADER_LEN 4096u
#define QP_N_SLOTS    256u
#define QP_SLOT_LEN   128u
#define QP_SLOTS_LEN  (QP_N_SLOTS * QP_SLOT_LEN)
#define QP_AREA_AT    (QP_HEADER_LEN + QP_SLOTS_LEN)
#define QP_AREA_LEN   65536u
#define QP_AREA_ALIGN 64u
#define QP_INBOX_LEN  (QP_AREA_AT + QP_AREA_LEN)
/* Limit of a payload in its slot. */
#define QP_SHORT_MAX 112u
/*
 * Limit of a piece in the area, which has room for four. A longer payload is split into pieces of
 * this length and one with the rest.
 */
#define QP_PIECE_MAX 16000u

/* Message types. */
enum qp_msg {
	/* Len bytes in the slot or the area, or the first piece of a longer payload. */
	QP_MSG_SEND = 1,
	QP_MSG_SEND_IMM = 2,  /* like QP_MSG_SEND, with immediate data */
	QP_MSG_WRITE_IMM = 3, /* len bytes have been written to another place */
	QP_MSG_MORE = 4,      /* the next piece of a payload; the slot's info is unused */
	/*
	 * The payload is in the sender's memory, which the receiver has said it can read. The
	 * slot's first four bytes are the number of pieces; the area has one struct qp_piece for
	 * each.
	 */
	QP_MSG_PULL = 5,
	QP_MSG_PULL_IMM = 6,
};

struct qp_slot {
	/*
	 * From the low bits: 32 number of the message + 1, 8 enum qp_msg, 24 low bits of the number
	 * of messages that the producer has received from its own inbox.
	 */
	_Atomic uint64_t word;
	/* 32 bits: length of the whole payload; 32 bits: imm, as the user passed it. */
	_Atomic uint64_t info;
	uint8_t bytes[QP_SHORT_MAX];
};

#define QP_KIND_SHIFT 32
#define QP_ACK_SHIFT  40
#define QP_ACK_BITS   24

struct qp_piece {
	uint64_t addr; /* in the sender's address space */
	uint64_t len;
};

/* Reason, in `end`, why an end will neither post nor receive any more. */
enum qp_end {
	QP_END_LEFT = 1,   /* orderly disconnect */
	QP_END_BROKEN = 2, /* a request failed, or the end was aborted */
	QP_END_LENGTH = 3, /* the message after those received is too long for the posted receive */
};

struct qp_inbox {
	/* Written by the creator before it exports the queue pair. */
	uint32_t magic;
	uint32_t version;
	uint32_t n_slots;
	uint32_t area_len;
	uint64_t probe; /* a readable address in the creator's process */
	uint8_t pad0[40];
	/* Written by the consumer when it has received all available messages. */
	_Atomic uint64_t taken;     /* messages */
	_Atomic uint64_t taken_pos; /* bytes of the area */
	uint8_t pad1[48];
	/*
	 * Each end reads this line with every message; it is written around sleep only: see
	 * proto/ring.h.
	 */
	_Atomic uint32_t armed;       /* owned by the consumer, which sleeps for a message */
	_Atomic uint32_t space_armed; /* owned by the producer, which sleeps for `taken` */
	uint8_t pad2[56];
	/* Written by the consumer. */
	_Atomic uint64_t starved;  /* messages received before the one that finds no receive, + 1 */
	_Atomic uint32_t can_pull; /* it can read payloads in the producer's memory */
	uint8_t pad3[52];
	/* Written by the producer. */
	/* Export id of its own queue pair, written before its first message. */
	_Atomic uint64_t hello;
	_Atomic uint32_t end; /* enum qp_end */
	uint8_t pad4[52];
};

_Static_assert(sizeof(struct qp_slot) == QP_SLOT_LEN, "two lines");
_Static_assert(offsetof(struct qp_inbox, taken) == 64, "the consumer's line of each message");
_Static_assert(offsetof(struct qp_inbox, armed) == 128, "the sleep words have their own line");
_Static_assert(offsetof(struct qp_inbox, starved) == 192, "the consumer's line");
_Static_assert(offsetof(struct qp_inbox, hello) == 256, "the producer's line");
_Static_assert(sizeof(struct qp_inbox) == 320, "five lines");
_Static_assert(QP_PIECE_MAX <= QP_AREA_LEN / 4, "room for four pieces");

#endif
