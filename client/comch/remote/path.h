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
#include "client/comch/remote/states.h"
#include "client/rma/provider.h"

struct requester;
struct requester_peer;

#define PATH_SENDS  32u /* the most messages in progress to one consumer */
#define PATH_PIECES 4u
#define PATH_WRS    64u
#define PATH_DESCS  128u /* the most descriptors of one credit read */

/* The offsets in local memory that requests read from and write to. */
enum { HEADER_AT = 0, DESCS_AT = 1024, STAGING_AT = 4096 };

_Static_assert(sizeof(struct slots_header) <= DESCS_AT, "the header has its place");
_Static_assert(DESCS_AT + PATH_DESCS * sizeof(struct slots_desc) <= STAGING_AT,
	       "so do descriptors");

/* A staging slot: the slot's contents, the commit word, and the body behind them. */
struct path_staging {
	uint8_t bytes[SLOTS_SHORT_LEN];
	uint64_t poison_word, info;
	uint64_t commit_word;
	uint64_t reserved[5];
};

_Static_assert(offsetof(struct path_staging, poison_word) == offsetof(struct slots_slot, word) &&
		       offsetof(struct path_staging, info) == offsetof(struct slots_slot, info),
	       "a stage begins as a slot does");
_Static_assert(sizeof(struct path_staging) == 128, "bodies are aligned");

struct path_piece {
	const uint8_t *from;
	const struct doca_mmap *mmap;
	uint64_t to, len;
};

struct path_send {
	struct doca_comch_producer_task_send *task;
	uint64_t slot;
	uint32_t n_pieces, piece; /* the next piece to post */
	uint64_t at;              /* the offset in that piece */
	uint32_t n_out;
	doca_error_t status;
	struct path_piece pieces[PATH_PIECES];
};

enum path_request_kind {
	PATH_REQUEST_PIECE,
	PATH_REQUEST_HEADER,
	PATH_REQUEST_DESCS,
	PATH_REQUEST_RING
};

struct path_wr {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct path_wr *next; /* in the list of free requests */
	enum path_request_kind kind;
	struct path_send *send;
};

/* A producer's path to one consumer. */
struct comch_remote_path {
	struct list node; /* in the producer's list of paths */
	struct doca_comch_producer *producer;
	struct comch_peer_consumer *to;
	struct requester *requester;
	struct requester_peer *peer;
	struct doca_mmap *mmap; /* registers `memory` */
	uint8_t *memory;
	size_t staging_len;
	bool is_closing;              /* no longer used; ends when no request is in progress */
	enum remote_path_state state; /* changed by path_enter() only */
	bool must_read_credit, is_reading_credit, must_ring, is_ringing;
	uint64_t seen; /* the consumer's `posted` in the last header that was read */
	uint64_t descs_from;
	uint32_t descs_n;
	/* Counters of messages: those from `first` on are in progress, those from `next` on are not
	 * completely posted. */
	uint64_t first, next, last;
	/*
	 * Counters of messages for credit reads. The first: one that follows the messages before
	 * this number was posted. The second: one that follows the messages before it has
	 * completed.
	 */
	uint64_t credit_read_next, credit_read_done;
	uint32_t n_out;
	struct path_wr *free;
	struct path_send sends[PATH_SENDS];
	struct path_wr wrs[PATH_WRS];
};

struct comch_remote_paths {
	struct list all;
	struct doca_task *ready, **ready_tail; /* completed tasks, whose callbacks are due */
	int doorbell_fd;                       /* rung when the connection ends */
	uint64_t give_up_ns;                   /* while stopping */
	/* Wakes a sleeping user while the producer stops; -1: none. */
	int timer_fd;
};

static inline void path_enter(struct comch_remote_path *path, enum remote_path_state to)
{
	path->state = lifecycle_enter(&remote_path_lifecycle, path, path->state, to);
}

/* Returns whether the path accepts nothing any more. */
static inline bool path_is_broken(const struct comch_remote_path *path)
{
	return path->state >= REMOTE_PATH_REFUSED;
}

/* --- client/comch/remote/paths.c --- */

/* Returns the path to a consumer, opening it if needed. */
doca_error_t comch_remote_path_get(struct doca_comch_producer *producer,
				   struct comch_peer_consumer *to,
				   struct comch_remote_path **path_out);

/* --- client/comch/remote/path.c --- */

/* Records an error sentence on failure. */
doca_error_t comch_remote_path_open(struct doca_comch_producer *producer,
				    struct comch_peer_consumer *to,
				    struct comch_remote_path **path_out);
/* Closes a path without requests in progress. */
void comch_remote_path_close(struct comch_remote_path *path);

/* Returns AGAIN if the request must be posted later. */
doca_error_t comch_remote_path_post(struct comch_remote_path *path, enum path_request_kind kind,
				    enum rdma_op op, const struct path_piece *piece);
/* Returns false if there is no room until a request completes, or if the path is broken. */
bool comch_remote_path_try_post(struct comch_remote_path *path, enum path_request_kind kind,
				enum rdma_op op, const struct path_piece *piece);

/* Cancels all requests: posted ones are returned. */
void comch_remote_path_disconnect(struct comch_remote_path *path);
/* Breaks the path: posted requests are returned, and messages that are not posted fail. */
void comch_remote_path_break(struct comch_remote_path *path);
/* Records an error sentence, and returns the code of the messages that a broken path loses. */
doca_error_t comch_remote_path_report_loss(const struct comch_remote_path *path);

/* Like the function above, for a path that was never connected. It is closed, so the next message
 * tries again. */
doca_error_t comch_remote_path_report_refusal(struct comch_remote_path *path);

/* --- client/comch/remote/credit_read.c --- */

/* Starts or continues a credit read, if it is needed and none is in progress. */
void comch_remote_path_read_credit(struct comch_remote_path *path);
/* Handle the completion of a credit read's requests. */
void comch_remote_path_header_read(struct comch_remote_path *path);
void comch_remote_path_descs_read(struct comch_remote_path *path);

/* --- client/comch/remote/path_send.c --- */

/* Handles completed requests and continues. */
void comch_remote_path_poll(struct comch_remote_path *path);

#endif
