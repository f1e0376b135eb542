/*
 * One remote ring and the local ring that its messages are read from. Shared by
 * client/comch/remote/ring.c, client/comch/remote/ring_path.c and
 * client/comch/remote/ring_delivery.c. See client/comch/remote/ring.h.
 */
#ifndef CLIENT_COMCH_REMOTE_RING_PATH_H
#define CLIENT_COMCH_REMOTE_RING_PATH_H

#include "client/comch/comch.h"
#include "client/comch/remote/ring.h"
#include "client/comch/remote/ring_memory.h"
#include "client/comch/remote/states.h"
#include "client/rma/provider.h"
#include "proto/remote_ring_layout.h"

struct requester;
struct requester_peer;

#define REMOTE_RING_WRS 64u
#define REMOTE_RING_MAX 64u /* the most remote rings of one server, in each direction */
/* The data, which may wrap at the ring's end; the poison and commit words. */
#define REMOTE_RING_PIECES 4u

/* Offsets in the header page of the local ring: the other end's consumer position, from alternating
 * credit reads, and the word that closes the ring. */
enum { REMOTE_RING_CREDIT_AT = 1024, REMOTE_RING_CREDIT_LEN = 512, REMOTE_RING_CLOSED_AT = 2048 };
#define REMOTE_RING_CREDIT_READS 2u /* the most credit reads in progress */

/* A staging slot. The commit word is written twice: first a poison value that differs from the
 * sequence number in every byte, then the number, so that a torn write is never mistaken for it. */
struct remote_ring_staging {
	uint64_t header, poison_word;
	uint64_t commit_word;
	uint64_t reserved;
};

enum remote_ring_request_kind {
	REMOTE_RING_REQUEST_PIECE,
	REMOTE_RING_REQUEST_CREDIT,
	REMOTE_RING_REQUEST_RING
};

struct remote_ring_wr {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct remote_ring_wr *next; /* in the list of free requests */
	enum remote_ring_request_kind kind;
	struct comch_remote_ring *remote_ring;
};

struct remote_ring_piece {
	const uint8_t *from;
	uint64_t to, len;
};

struct comch_remote_ring {
	struct list node;                   /* in struct comch_remote_rings */
	struct doca_comch_connection *conn; /* NULL: closed, but requests are in progress */
	struct comch_remote_rings *rings;
	uint32_t queue, peer_queue; /* limits, in messages */

	/* The memory that the other end writes to. */
	struct remote_ring_export *export; /* NULL in REMOTE_RING_RX_RELAYED */
	struct remote_ring_commit *commits;
	struct ring_consumer rx;
	uint32_t n_commits;
	uint64_t n_admitted;                /* the number of batches */
	enum remote_ring_rx_state rx_state; /* changed by remote_ring_enter_rx() only */

	/* The memory that this end's messages are read from. */
	struct remote_ring_memory source;
	struct doca_mmap *mmap; /* registers `source` */
	uint32_t n_staging;
	struct ring_producer relayed_tx; /* the connection's former ring */
	/* data before this position was posted or is being posted */
	uint64_t pos;
	uint64_t n_batches;
	struct remote_ring_piece pieces[REMOTE_RING_PIECES];
	uint32_t n_pieces, piece; /* the next piece to post */
	uint64_t at;              /* the offset in that piece */

	/* Held tasks whose messages may not have arrived. Nothing else sends here, so the first
	 * task is that of message n_ended, counted from 0. */
	struct doca_task *held, **held_tail;
	uint64_t n_ended;
	/* Counters of messages: up to the current batch; posted; before the credit read in
	 * progress; before the last completed credit read. */
	uint64_t batch_msgs, posted_msgs, credit_read_msgs, arrived_msgs;

	enum remote_ring_tx_state tx_state; /* changed by remote_ring_enter_tx() only */
	bool offer_received, must_read_credit, must_ring, must_close;
	bool wants_room; /* waits for room to send a message through the daemons */
	/* Counters of credit reads: posted, and completed. Then the values of the last one. */
	uint32_t n_credit_reads, n_credit_reads_done;
	uint64_t seen_pos, seen_consumed;
	bool is_awaited;     /* its messages must arrive before the connection closes */
	uint64_t channel_id; /* the channel's id at its daemon */
	uint8_t peer_daemon_id[16];
	bool has_peer_daemon_id;
	struct requester *requester;
	struct remote_ring_import *import;
	struct requester_peer *peer;
	uint32_t awaited_room_len; /* the length of a message that waits for room; 0: none does */
	uint64_t credit_read_ns, credit_read_pause_ns;
	uint64_t give_up_ns; /* broken: the time until which the daemons may report the reason */
	uint32_t n_out;
	struct remote_ring_wr *free;
	struct remote_ring_wr wrs[REMOTE_RING_WRS];
};

struct comch_remote_rings {
	struct comch *comch;
	struct list all;
	uint32_t n_requesters, n_exports, n_out, n_polls;
	bool needs_poll; /* at least one remote ring must be handled */
};

static inline void remote_ring_enter_tx(struct comch_remote_ring *remote_ring,
					enum remote_ring_tx_state to)
{
	remote_ring->tx_state = lifecycle_enter(&remote_ring_tx_lifecycle, remote_ring,
						remote_ring->tx_state, to);
}

static inline void remote_ring_enter_rx(struct comch_remote_ring *remote_ring,
					enum remote_ring_rx_state to)
{
	remote_ring->rx_state = lifecycle_enter(&remote_ring_rx_lifecycle, remote_ring,
						remote_ring->rx_state, to);
}

/* Returns whether the connection receives from the remote ring. */
static inline bool remote_ring_rx_is_switched(const struct comch_remote_ring *remote_ring)
{
	return remote_ring->rx_state >= REMOTE_RING_RX_UP;
}

/* --- client/comch/remote/ring.c --- */

/* Returns the length of the memory, or UINT64_MAX if the numbers are impossible. */
uint64_t remote_ring_plan(uint32_t ring_len, uint32_t n_commits, size_t commit_len,
			  size_t *data_at_out);
uint32_t remote_ring_n_commits(uint32_t queue, uint32_t ring_len);
bool remote_ring_memory_open(struct remote_ring_memory *memory, uint32_t ring_len,
			     uint32_t n_commits, size_t commit_len);
/* Sends the offer of the remote ring, whose export is complete. */
void remote_ring_offer_deferred(struct comch_remote_ring *remote_ring);
/*
 * Switches the sending direction: notifies the other end and writes all further messages to its
 * remote ring. Does nothing if there is no room for the notification, or if an offer must be sent
 * first.
 */
void remote_ring_switch_tx(struct comch_remote_ring *remote_ring);

/* --- client/comch/remote/ring_path.c --- */

/* Connects to the other end's remote ring by the descriptor of its export. */
void remote_ring_import_offer(struct comch_remote_ring *remote_ring,
			      const uint8_t desc[EXPORT_DESCRIPTOR_LEN]);
/* Handles completed requests. */
void remote_ring_poll(struct comch_remote_ring *remote_ring);
/* Advances the remote ring by one step and posts what can be posted. */
void remote_ring_advance(struct comch_remote_ring *remote_ring);
/* Called when the connection is closed: frees the remote ring once no request is in progress,
 * perhaps at once. */
void remote_ring_free_when_idle(struct comch_remote_ring *remote_ring);

/* --- client/comch/remote/ring_delivery.c --- */

/* Completes the tasks whose messages have arrived and whose reader is awake or was rung. */
void remote_ring_end_tasks(struct comch_remote_ring *remote_ring);
/* Completes all tasks. */
void remote_ring_end_all_tasks(struct comch_remote_ring *remote_ring, doca_error_t code);
/* If an operator revoked the memory that the other end writes to, ends the connection after the
 * messages that have arrived. */
void remote_ring_check_revoked(struct comch_remote_ring *remote_ring);
static inline bool remote_ring_must_end(const struct comch_remote_ring *remote_ring)
{
	return remote_ring->rx_state == REMOTE_RING_RX_UP &&
	       atomic_load(&remote_ring->export->exported.is_revoked);
}

static inline struct remote_ring_staging *remote_ring_staging(
	const struct comch_remote_ring *remote_ring, uint64_t batch)
{
	struct remote_ring_staging *staging =
		(void *)(remote_ring->source.bytes + REMOTE_RING_ALIGN);

	return &staging[batch & (remote_ring->n_staging - 1)];
}

#endif
