/*
 * A producer's path to one consumer of another machine; see client/comch/remote/paths.h for its
 * target.
 *
 * A message takes the next receive in the copy of the consumer's state and is written in pieces, in
 * this order: the payload to the bounce area if it does not fit a slot; the slot's body; the slot
 * with a poison word in place of the word that completes it; and the commit word. Requests of a
 * queue pair take effect in order, so a consumer that sees the commit word has the whole message.
 * The task completes when the commit word has arrived.
 *
 * The receives that the consumer has posted are read from its memory: the header, then the
 * descriptors that are new. One such credit read is in progress at a time, while messages are being
 * sent and when no receive is left. The header also shows whether the consumer sleeps. It is
 * therefore read after each commit word, and a sleeping consumer is rung by a write of no bytes
 * with immediate data, which its responder receives. The last task completes only when that request
 * has completed: a program without pending tasks need not call progress and may exit. With relayed
 * requests the responder writes itself, and rings without being asked.
 *
 * All data read there may be false. It determines where in the consumer's own slots this process
 * writes, and how much; the device or the daemons refuse accesses outside.
 *
 * client/comch/remote/path.c has the path's life and its requests,
 * client/comch/remote/credit_read.c the credit reads, client/comch/remote/path_send.c the messages,
 * client/comch/remote/paths.c the set of a producer's paths. Threads: those of the producer's
 * progress engine.
 */
#ifndef CLIENT_COMCH_REMOTE_PATH_H
#define CLIENT_COMCH_REMOTE_PATH_H

#include "client/comch/remote/paths.h"
#include "client/rma/provider.h"

struct requester;
struct requester_peer;

#define FAR_SENDS  32u /* the most messages in progress to one consumer */
#define FAR_PIECES 4u
#define FAR_WRS    64u
#define FAR_DESCS  128u /* the most descriptors of one credit read */

/* The offsets in local memory that requests read from and write to. */
enum { HEADER_AT = 0, DESCS_AT = 1024, STAGES_AT = 4096 };

_Static_assert(sizeof(struct slots_header) <= DESCS_AT, "the header has its place");
_Static_assert(DESCS_AT + FAR_DESCS * sizeof(struct slots_desc) <= STAGES_AT, "so do descriptors");

/* A staging slot: the slot's contents, the commit word, and the body behind them. */
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
	uint32_t n_pieces, piece; /* the next piece to post */
	uint64_t at;              /* the offset in that piece */
	uint32_t n_out;
	doca_error_t status;
	struct far_piece pieces[FAR_PIECES];
};

enum far_kind { FAR_PIECE, FAR_HEADER, FAR_DESC, FAR_RING };

struct far_wr {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct far_wr *next; /* in the list of free requests */
	enum far_kind kind;
	struct far_send *send;
};

/* A producer's path to one consumer. */
struct comch_far {
	struct list node; /* in the producer's list of paths */
	struct doca_comch_producer *producer;
	struct comch_remote *to;
	struct requester *requester;
	struct requester_peer *peer;
	struct doca_mmap *mmap; /* registers `memory` */
	uint8_t *memory;
	size_t stage_len;
	bool is_let_go;       /* no longer used; ends when no request is in progress */
	bool was_up;          /* it was connected, so requests may be in progress */
	bool is_broken;       /* accepts nothing any more */
	bool is_disconnected; /* posted requests are being returned */
	bool must_look, is_looking, must_ring, is_ringing;
	uint64_t seen; /* the consumer's `posted` in the last header that was read */
	uint64_t look_from;
	uint32_t look_n;
	/* Counters of messages: those from `first` on are in progress, those from `next` on are not
	 * completely posted. */
	uint64_t first, next, last;
	/*
	 * Counters of messages for credit reads. The first: one that follows the messages before
	 * this number was posted. The second: one that follows the messages before it has
	 * completed.
	 */
	uint64_t look_next, looked;
	uint32_t n_out;
	struct far_wr *free;
	struct far_send sends[FAR_SENDS];
	struct far_wr wrs[FAR_WRS];
};

struct comch_fars {
	struct list all;
	struct doca_task *ready, **ready_tail; /* completed tasks, whose callbacks are due */
	int bell_fd;                           /* rung when the connection ends */
	uint64_t give_up_ns;                   /* while stopping */
	/* Wakes a sleeping user while the producer stops; -1: none. */
	int timer_fd;
};

/* --- client/comch/remote/paths.c --- */

/* Returns the path to a consumer, opening it if needed. */
doca_error_t comch_far_get(struct doca_comch_producer *producer, struct comch_remote *to,
			   struct comch_far **far_out);

/* --- client/comch/remote/path.c --- */

/* Records an error sentence on failure. */
doca_error_t comch_far_open(struct doca_comch_producer *producer, struct comch_remote *to,
			    struct comch_far **far_out);
/* Closes a path without requests in progress. */
void comch_far_close(struct comch_far *far);

/* Returns AGAIN if the request must be posted later. */
doca_error_t comch_far_post(struct comch_far *far, enum far_kind kind, enum rdma_op op,
			    const struct far_piece *piece);
/* Returns false if there is no room until a request completes, or if the path is broken. */
bool comch_far_try(struct comch_far *far, enum far_kind kind, enum rdma_op op,
		   const struct far_piece *piece);

/* Cancels all requests: posted ones are returned. */
void comch_far_cut(struct comch_far *far);
/* Breaks the path: posted requests are returned, and messages that are not posted fail. */
void comch_far_break(struct comch_far *far);
/* Records an error sentence, and returns the code of the messages that a broken path loses. */
doca_error_t comch_far_is_lost(const struct comch_far *far);

/* Like the function above, for a path that was never connected. It is closed, so the next message
 * tries again. */
doca_error_t comch_far_is_refused(struct comch_far *far);

/* --- client/comch/remote/credit_read.c --- */

/* Starts or continues a credit read, if it is needed and none is in progress. */
void comch_far_look(struct comch_far *far);
/* Handle the completion of a credit read's requests. */
void comch_far_header_came(struct comch_far *far);
void comch_far_descs_came(struct comch_far *far);

/* --- client/comch/remote/path_send.c --- */

/* Handles completed requests and continues. */
void comch_far_work(struct comch_far *far);

#endif
