/*
 * One producer's way to one consumer of another machine; see client/comch/remote/paths.h for what
 * it leads to.
 *
 * A message takes the next receive that the copy of the consumer's state has, and is written in
 * pieces, in this order: the payload to the bounce area if it does not fit a slot, the slot's body,
 * the slot with another word than the one that completes it, and that word. Requests of a queue
 * pair take effect in order, so a consumer that sees the word has all of it; the task ends when the
 * word has arrived.
 *
 * What the consumer has posted is read from its memory: header, then those descriptors that are
 * new. One such look is under way at a time, while messages are, and when there is no receive left.
 * The header also says whether the consumer sleeps: it is looked at after each word, and the
 * consumer is rung by a write of nothing with immediate data, which its responder hears. So the
 * last task ends when that has come back: whoever has no task under way need not call progress any
 * more, and may end. By relay the responder writes itself, and rings without being asked.
 *
 * All that is read there may be a lie. It decides where in the consumer's own slots is written, and
 * how much: the device or the daemons refuse what lies outside.
 *
 * client/comch/remote/path.c has its life and its requests, client/comch/remote/credit_read.c the
 * looks, client/comch/remote/path_send.c the messages, client/comch/remote/paths.c all ways of a
 * producer. Threads: those of the producer's progress engine.
 */
#ifndef CLIENT_COMCH_REMOTE_PATH_H
#define CLIENT_COMCH_REMOTE_PATH_H

#include "client/comch/remote/paths.h"
#include "client/rma/provider.h"

struct requester;
struct requester_peer;

#define FAR_SENDS  32u /* messages under way to one consumer */
#define FAR_PIECES 4u
#define FAR_WRS    64u
#define FAR_DESCS  128u /* of one look */

/* Where requests read and write here. */
enum { HEADER_AT = 0, DESCS_AT = 1024, STAGES_AT = 4096 };

_Static_assert(sizeof(struct slots_header) <= DESCS_AT, "the header has its place");
_Static_assert(DESCS_AT + FAR_DESCS * sizeof(struct slots_desc) <= STAGES_AT, "so do descriptors");

/* A slot as it is written, the word that completes it, and its body behind. */
struct far_stage {
	uint8_t bytes[SLOTS_SHORT_LEN];
	uint64_t other_word, info;
	uint64_t word;
	uint64_t reserved[5];
};

_Static_assert(offsetof(struct far_stage, other_word) == offsetof(struct slots_slot, word) &&
		       offsetof(struct far_stage, info) == offsetof(struct slots_slot, info),
	       "a stage begins as a slot does");
_Static_assert(sizeof(struct far_stage) == 128, "bodies are aligned");

struct far_piece {
	const uint8_t *from;
	const struct doca_mmap *mmap;
	uint64_t to, len;
};

struct far_send {
	struct doca_comch_producer_task_send *task;
	uint64_t slot;
	uint32_t n_pieces, piece; /* that is posted next */
	uint64_t at;              /* from where on */
	uint32_t n_out;
	doca_error_t status;
	struct far_piece pieces[FAR_PIECES];
};

enum far_kind { FAR_PIECE, FAR_HEADER, FAR_DESC, FAR_RING };

struct far_wr {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct far_wr *next; /* free */
	enum far_kind kind;
	struct far_send *send;
};

/* One producer's way to one consumer. */
struct comch_far {
	struct list node; /* comch_fars */
	struct doca_comch_producer *producer;
	struct comch_remote *to;
	struct requester *requester;
	struct requester_peer *peer;
	struct doca_mmap *mmap; /* of memory */
	uint8_t *memory;
	size_t stage_len;
	bool is_let_go; /* ends when nothing is under way */
	bool was_up;    /* it was connected: something may be under way */
	bool is_broken; /* takes nothing any more */
	bool is_cut;    /* what is posted comes back */
	bool must_look, is_looking, must_ring, is_ringing;
	uint64_t seen; /* posted by the consumer, as its header said last */
	uint64_t look_from;
	uint32_t look_n;
	/* Sends, counted: under way from first on, not wholly posted from next on. */
	uint64_t first, next, last;
	/* A look behind those before these was posted, or has come back. */
	uint64_t look_next, looked;
	uint32_t n_out;
	struct far_wr *free;
	struct far_send sends[FAR_SENDS];
	struct far_wr wrs[FAR_WRS];
};

struct comch_fars {
	struct list all;
	struct doca_task *ready, **ready_tail; /* over, to be called back */
	int bell_fd;                           /* the connection has ended */
	uint64_t give_up_ns;                   /* stopping */
	int timer_fd;                          /* of one that stops while somebody sleeps; -1 */
};

/* --- client/comch/remote/paths.c --- */

/* The way to a consumer, opened if there is none. */
doca_error_t comch_far_get(struct doca_comch_producer *producer, struct comch_remote *to,
			   struct comch_far **far_out);

/* --- client/comch/remote/path.c --- */

/* A sentence on failure. */
doca_error_t comch_far_open(struct doca_comch_producer *producer, struct comch_remote *to,
			    struct comch_far **far_out);
/* Nothing is under way there. */
void comch_far_close(struct comch_far *far);

/* AGAIN: later. */
doca_error_t comch_far_post(struct comch_far *far, enum far_kind kind, enum rdma_op op,
			    const struct far_piece *piece);
/* False: there is no room until a request comes back, or the way is broken. */
bool comch_far_try(struct comch_far *far, enum far_kind kind, enum rdma_op op,
		   const struct far_piece *piece);

/* What is posted comes back. */
void comch_far_cut(struct comch_far *far);
/* So it does, and what is not posted never is. */
void comch_far_break(struct comch_far *far);
/* Says why; the code of messages that a broken way takes with it. */
doca_error_t comch_far_is_lost(const struct comch_far *far);

/* The same of one that never was connected, which is closed: the next message tries anew. */
doca_error_t comch_far_is_refused(struct comch_far *far);

/* --- client/comch/remote/credit_read.c --- */

/* Reads on, if there is need and no look is under way. */
void comch_far_look(struct comch_far *far);
/* A look has come back. */
void comch_far_header_came(struct comch_far *far);
void comch_far_descs_came(struct comch_far *far);

/* --- client/comch/remote/path_send.c --- */

/* Takes what has come, and goes on. */
void comch_far_work(struct comch_far *far);

#endif
