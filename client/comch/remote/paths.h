/*
 * The fast path between machines: producers whose consumer's slots (proto/shm_layout.h) lie in the
 * memory of another machine. The consumer exports them, and nothing else of its memory; producers
 * import them, and write there by requests to an RDMA device, or by relay, as copies do
 * (client/rma/requester.h). What the consumer's process does is what it does with producers of its
 * own machine, but that it ends the export when it stops.
 *
 * All producers of a process share a copy of what the consumer has posted (comch_far_slots) and
 * claim receives there; each has a queue pair of its own to each consumer
 * (client/comch/remote/path.c), so that one that breaks breaks nothing else.
 */
#ifndef CLIENT_COMCH_REMOTE_PATHS_H
#define CLIENT_COMCH_REMOTE_PATHS_H

#include "client/comch/fast_path/link.h"
#include "client/comch/fast_path/producer.h"

struct doca_mmap;

/* Of a comch_remote: how it is reached, and what of it was seen. */
struct comch_far_slots {
	struct doca_mmap *import;
	uint64_t base; /* of the slots, in the consumer's addresses */
	struct comch_slots at;
	struct comch_turn turn;     /* who moves header.posted on writes descs before */
	struct slots_header header; /* claim: the true one; posted, consumed: as last read */
	struct slots_desc *descs;   /* of what is posted */
	_Atomic bool is_holed;      /* a receive that is claimed will never be filled */
};

/* --- client/comch/remote/slots.c --- */

/* Takes what the daemon told, and the import. SUCCESS, or a code with its sentence; the remote is
 * freed then. */
doca_error_t comch_far_slots_open(struct comch_remote *remote, const struct comch_link *link,
				  const Dococore__Consumer *consumer, struct doca_mmap *import);
/* NULL is fine. */
void comch_far_slots_close(struct comch_far_slots *slots);

/*
 * The consumer's side: its slots are exported as long as it runs. Producers ring bell_fd when they
 * find it asleep. The memory of a mirror is exported so as well, by a chore: each of these waits
 * for the daemon, or for who calls it.
 */
struct comch_exposed {
	struct doca_mmap *mmap;  /* NULL: not exposed */
	_Atomic uint32_t *armed; /* the sleep word of who is to be woken */
	int bell_fd;
	const void *desc;
	size_t desc_len;
	_Atomic bool is_revoked; /* no producer reaches it any more */
};

/* A sentence on failure; then nothing is left. */
doca_error_t comch_expose(struct comch_exposed *exposed, struct doca_dev *dev, void *memory,
			  size_t len, _Atomic uint32_t *armed, int bell_fd);
/* Nothing is written there or rung any more when it returns. Patient: who has written there gets to
 * know that it has arrived, for which an acknowledgement that was lost is awaited. May be called
 * twice. */
void comch_unexpose(struct comch_exposed *exposed, bool is_patient);
/* For mirrors (client/comch/remote/ring.h), unless the program wants none: RDMA devices of other
 * machines can reach what this one exposes. */
bool comch_exposes(const struct doca_dev *dev);
/* Bytes that RDMA devices may keep in memory for all mirrors of this process: the rest of what it
 * may lock is the program's. */
uint64_t comch_pinned_max(void);
/* And the other end of it. */
doca_error_t comch_far_import(struct doca_dev *dev, const void *desc, size_t len,
			      struct doca_mmap **import_out);

/* --- client/comch/remote/paths.c; comch_far_send() is in client/comch/remote/path_send.c --- */

/* The message is on its way, and its task held: it ends when the message has arrived, or cannot.
 * AGAIN and NOT_FOUND come without a sentence. */
doca_error_t comch_far_send(struct doca_comch_producer *producer, struct comch_remote *to,
			    struct doca_comch_producer_task_send *task,
			    struct comch_message *message);
/* The producer forgets the consumer: as soon as nothing is under way to it. */
void comch_far_let_go(struct doca_comch_producer *producer, const struct comch_remote *to);
/* Nothing is under way any more. */
void comch_fars_close(struct doca_comch_producer *producer);

/* See struct ctx_ops. Of a producer that sends to no other machine: nothing. */
void comch_fars_stop(struct doca_ctx *ctx);
bool comch_fars_are_idle(const struct doca_ctx *ctx);
uint8_t comch_fars_poll(struct doca_ctx *ctx);
bool comch_fars_arm(struct doca_ctx *ctx);
void comch_fars_disarm(struct doca_ctx *ctx);

#endif
