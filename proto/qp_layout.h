/*
 * Inbox of a queue pair: the memfd that an end of a connection makes and that the other end maps.
 * One header page, slots, and an area for what does not fit a slot: the other end is the producer,
 * the maker the consumer. Both ends have one, and there is nothing else between them.
 *
 * Message i (from 0) is in slot i mod QP_N_SLOTS. The slot's word has its number and is stored
 * last: the consumer polls that one word, in a line that nobody stores to before its message comes,
 * and nothing is ever cleared. A slot is two lines that lie as a pair, so a short message crosses
 * to the other core with them and with nothing else. The bytes of a longer one, or of each piece of
 * it, are in the area: one behind the other, each from the next multiple of QP_AREA_ALIGN on, in
 * the order of the messages, so that both ends know where without being told. The area is mapped
 * twice in a row by each end; positions in it are counted from the beginning of time.
 *
 * The count of messages that a consumer took is its acknowledgement: a message is taken only when
 * a receive has all of it. One that finds no receive stays in its slot, and `starved` says so. The
 * count is in `taken`, and the low bits of it are in each message the other way as well: who
 * answers has acknowledged by that, and the line of `taken` need not cross.
 *
 * Only the two ends have it, so whoever writes nonsense into it harms this connection only. Every
 * word is read once for a decision, and checked.
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
/* Of a payload that is in its slot. */
#define QP_SHORT_MAX 112u
/* Of a piece in the area, which has room for four of them. A longer payload has pieces of this
 * length and one with the rest. */
#define QP_PIECE_MAX 16000u

/* Kinds of messages. */
enum qp_msg {
	QP_MSG_SEND = 1,      /* len bytes, in the slot or the area; or the first piece of them */
	QP_MSG_SEND_IMM = 2,  /* the same */
	QP_MSG_WRITE_IMM = 3, /* len bytes have been written elsewhere */
	QP_MSG_MORE = 4,      /* the next piece of a payload; the slot's info says nothing */
	/* The payload is in the sender's memory, which the receiver said that it can read: the slot
	 * has the number of pieces in its first four bytes, the area has a struct qp_piece of each.
	 */
	QP_MSG_PULL = 5,
	QP_MSG_PULL_IMM = 6,
};

struct qp_slot {
	/* From the low bits: 32 number of the message + 1, 8 enum qp_msg, 24 low bits of what the
	 * producer has taken out of its own inbox. */
	_Atomic uint64_t word;
	_Atomic uint64_t info; /* 32 bytes of the payload, all of it; 32 imm, as the user gave it */
	uint8_t bytes[QP_SHORT_MAX];
};

#define QP_KIND_SHIFT  32
#define QP_TAKEN_SHIFT 40
#define QP_TAKEN_BITS  24

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
	uint32_t n_slots;
	uint32_t area_len;
	uint64_t probe; /* an address in its process that can be read */
	uint8_t pad0[40];
	/* Written by the consumer when it has taken what is there. */
	_Atomic uint64_t taken;     /* messages */
	_Atomic uint64_t taken_pos; /* bytes of the area */
	uint8_t pad1[48];
	/* Read by both ends with each message, written around sleep: see proto/ring.h. */
	_Atomic uint32_t armed;       /* owned by the consumer, which sleeps for a message */
	_Atomic uint32_t space_armed; /* owned by the producer, which sleeps for `taken` */
	uint8_t pad2[56];
	/* Of the consumer. */
	_Atomic uint64_t starved;  /* messages taken before the one that finds no receive, + 1 */
	_Atomic uint32_t can_pull; /* it reads payloads in the producer's memory */
	uint8_t pad3[52];
	/* Of the producer. */
	_Atomic uint64_t hello; /* export id of its own queue pair, before its first message */
	_Atomic uint32_t end;   /* enum qp_end */
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
