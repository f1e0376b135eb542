/*
 * What client/comch/remote/ring.c, client/comch/remote/ring_path.c and
 * client/comch/remote/ring_delivery.c share: one mirror, with the ring that it is written from. See
 * client/comch/remote/ring.h.
 */
#ifndef CLIENT_COMCH_REMOTE_RING_PATH_H
#define CLIENT_COMCH_REMOTE_RING_PATH_H

#include "client/comch/comch.h"
#include "client/comch/remote/ring.h"
#include "client/comch/remote/ring_memory.h"
#include "client/rma/provider.h"
#include "proto/mirror_layout.h"

struct requester;
struct requester_peer;

#define MIRROR_WRS    64u
#define MIRROR_MAX    64u /* that are reached, and that are offered, of one server */
#define MIRROR_PIECES 4u  /* the bytes, which may go round the ring's end; the stamp, twice */

/* In the header page of what is written from: where the other end's ring is read to, by looks in
 * turn, and the word that closes it. */
enum { MIRROR_CREDIT_AT = 1024, MIRROR_CREDIT_LEN = 512, MIRROR_CLOSED_AT = 2048 };
#define MIRROR_LOOKS 2u /* that may be under way */

/* As a stamp is written: first with another word, no byte of whose number is right. */
struct mirror_stage {
	uint64_t header, other_word;
	uint64_t word;
	uint64_t reserved;
};

enum mirror_state {
	MIRROR_RELAYED, /* as yet, or for good */
	MIRROR_IMPORTING,
	MIRROR_CALLING,
	MIRROR_PROBING, /* the first request is under way */
	MIRROR_REACHED, /* the other end is to be told */
	MIRROR_UP,
	MIRROR_BROKEN,
};

enum mirror_kind { MIRROR_PIECE, MIRROR_CREDIT, MIRROR_RING };

struct mirror_wr {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct mirror_wr *next; /* free */
	enum mirror_kind kind;
	struct comch_mirror *mirror;
};

struct mirror_piece {
	const uint8_t *from;
	uint64_t to, len;
};

struct comch_mirror {
	struct list node;                   /* comch_mirrors */
	struct doca_comch_connection *conn; /* NULL: closed, and requests are under way still */
	struct comch_mirrors *of;
	uint32_t queue, peer_queue; /* messages */

	/* Where the other end writes. */
	struct mirror_exposure *exposure; /* NULL: nowhere */
	struct mirror_stamp *stamps;
	struct ring_consumer rx;
	uint32_t n_stamps;
	uint64_t n_admitted; /* batches */
	bool is_offered;     /* the other end was told */
	bool is_read;        /* the connection's ring is this one */
	bool is_revoked;     /* it was, and what is there is the last of it */

	/* What is written there. */
	struct mirror_memory out;
	struct doca_mmap *mmap; /* of that */
	uint32_t n_stages;
	struct ring_producer relayed_tx; /* of the connection before */
	uint64_t pos;                    /* the other end has got, or gets, what is before it */
	uint64_t n_batches;
	struct mirror_piece pieces[MIRROR_PIECES];
	uint32_t n_pieces, piece; /* that is posted next */
	uint64_t at;              /* from where on */

	/* Tasks of messages that are not known to be there. Nothing else sends here, so the first
	 * is of message n_ended, from 0 on. */
	struct doca_task *held, **held_tail;
	uint64_t n_ended;
	/* Messages of the batch and those before; that are posted; that the look under way is
	 * behind, and that one has come back from. */
	uint64_t batch_msgs, posted_msgs, looked_msgs, seen_msgs;

	enum mirror_state state;
	bool was_offered, must_look, must_ring, must_close;
	bool wants_room; /* to tell the other end something by the daemons */
	/* Looks, counted; those before n_seen have come back. What the last one saw. */
	uint32_t n_looks, n_seen;
	uint64_t seen_pos, seen_consumed;
	bool is_awaited;     /* it is to arrive before the end */
	uint64_t channel_id; /* for its daemon */
	uint8_t peer_daemon_id[16];
	bool knows_peer_daemon;
	struct requester *requester;
	struct mirror_import *import;
	struct requester_peer *peer;
	uint32_t want_len; /* a message of this length waits for room; 0: none does */
	uint64_t look_ns, pause_ns;
	uint64_t give_up_ns; /* broken: the daemons have not said why by then */
	uint32_t n_out;
	struct mirror_wr *free;
	struct mirror_wr wrs[MIRROR_WRS];
};

struct comch_mirrors {
	struct comch *comch;
	struct list all;
	uint32_t n_requesters, n_exposed, n_out, n_polls;
	bool is_unsettled; /* there is one that has to be looked at */
};

/* --- client/comch/remote/ring.c --- */

/* UINT64_MAX if the numbers are impossible. */
uint64_t mirror_plan(uint32_t ring_len, uint32_t n_stamps, size_t stamp_len, size_t *data_at_out);
uint32_t mirror_n_stamps(uint32_t queue, uint32_t ring_len);
bool mirror_memory_open(struct mirror_memory *memory, uint32_t ring_len, uint32_t n_stamps,
			size_t stamp_len);
/* Tells the other end of the mirror that is exposed by now. */
void mirror_offer_soon(struct comch_mirror *mirror);
/* The other end is told, and all that is sent from now on is written to its mirror; if there is
 * room to tell it, and nothing else to be told before. */
void mirror_switch(struct comch_mirror *mirror);

/* --- client/comch/remote/ring_path.c --- */

/* The other end's mirror: by the descriptor of its export. */
void mirror_reach(struct comch_mirror *mirror, const uint8_t desc[BLOB_LEN]);
/* Takes what came back. */
void mirror_poll(struct comch_mirror *mirror);
/* One step of whatever it waits for; posts what can be posted. */
void mirror_go_on(struct comch_mirror *mirror);
/* Its connection is closed: it goes when nothing is under way any more, perhaps now. */
void mirror_let_go(struct comch_mirror *mirror);

/* --- client/comch/remote/ring_delivery.c --- */

/* Of messages that are there, and whose reader is awake or rung. */
void mirror_end_tasks(struct comch_mirror *mirror);
/* And of all others. */
void mirror_end_all_tasks(struct comch_mirror *mirror, doca_error_t code);
/* An operator took back what the other end writes to: the connection ends behind what is there. */
void mirror_check_revoked(struct comch_mirror *mirror);
static inline bool mirror_must_end(const struct comch_mirror *mirror)
{
	return mirror->is_read && !mirror->is_revoked &&
	       atomic_load(&mirror->exposure->exposed.is_revoked);
}

static inline struct mirror_stage *mirror_stage(const struct comch_mirror *mirror, uint64_t batch)
{
	struct mirror_stage *stages = (void *)(mirror->out.bytes + MIRROR_PART);

	return &stages[batch & (mirror->n_stages - 1)];
}

#endif
