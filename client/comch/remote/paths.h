/*
 * The fast path between machines, for producers whose consumer's slots (proto/shm_layout.h) are in
 * the memory of another machine. The consumer exports the slots, and nothing else of its memory.
 * Producers import them and write to them by requests to an RDMA device or by relay, as copies do
 * (client/rma/requester.h). The consumer's process behaves as with producers of its own machine,
 * except that it ends the export when it stops.
 *
 * All producers of a process share a copy of the consumer's state (the struct below) and claim
 * receives there. Each has a queue pair of its own to each consumer (client/comch/remote/path.c),
 * so that a broken queue pair affects no other.
 */
#ifndef CLIENT_COMCH_REMOTE_PATHS_H
#define CLIENT_COMCH_REMOTE_PATHS_H

#include "client/comch/fast_path/link.h"
#include "client/comch/fast_path/producer.h"

struct doca_mmap;

/* The part of a comch_peer_consumer for another machine: how it is accessed, and what was read of
 * its state. */
struct comch_remote_slots {
	struct doca_mmap *import;
	uint64_t base; /* address of the slots, in the consumer's address space */
	struct comch_slots at;
	struct comch_try_lock lock; /* held to advance header.posted; descs are written before */
	/* claim: the authoritative value; posted, consumed: as last read. */
	struct slots_header header;
	struct slots_desc *descs;      /* descriptors of the posted receives */
	_Atomic bool has_lost_receive; /* a claimed receive will never be filled */
};

/* --- client/comch/remote/slots.c --- */

/* Opens the remote part with the daemon's answer, and takes the import. On failure records an error
 * sentence; the caller frees the remote. */
doca_error_t comch_remote_slots_open(struct comch_peer_consumer *remote,
				     const struct comch_link *link,
				     const Dococore__Consumer *consumer, struct doca_mmap *import);
/* Accepts NULL. */
void comch_remote_slots_close(struct comch_remote_slots *slots);

/*
 * The consumer's side: its slots are exported while it runs. Producers ring doorbell_fd when they
 * find it asleep. The memory of a remote ring is exported in the same way, by a work item. Each of
 * these functions may wait for the daemon.
 */
struct comch_exported {
	struct doca_mmap *mmap;  /* NULL: not exported */
	_Atomic uint32_t *armed; /* the sleep word of the thread to wake */
	int doorbell_fd;
	const void *desc;
	size_t desc_len;
	_Atomic bool is_revoked; /* no producer can access it any more */
};

/* Exports the memory. On failure records an error sentence and leaves nothing behind. */
doca_error_t comch_export(struct comch_exported *exported, struct doca_dev *dev, void *memory,
			  size_t len, _Atomic uint32_t *armed, int doorbell_fd);
/*
 * Ends the export. After it returns, nothing is written to the memory and nothing rings. With
 * has_to_drain, waits for lost acknowledgements, so that peers learn that their writes have
 * arrived. Idempotent.
 */
void comch_unexport(struct comch_exported *exported, bool has_to_drain);
/* Returns whether RDMA devices of other machines can access what the device exports. For remote
 * rings (client/comch/remote/ring.h); false if the program disabled them. */
bool comch_can_export(const struct doca_dev *dev);
/* Returns the most bytes that RDMA devices may lock for all remote rings of this process. The rest
 * of the process's limit is left to the program. */
uint64_t comch_pinned_max(void);
/* Imports memory that the other end has exported so. */
doca_error_t comch_import_memory(struct doca_dev *dev, const void *desc, size_t len,
				 struct doca_mmap **import_out);

/* --- client/comch/remote/paths.c; sending is in client/comch/remote/path_send.c --- */

/* Sends a message. Its task is held, and completes when the message has arrived or failed. AGAIN
 * and NOT_FOUND come without an error sentence. */
doca_error_t comch_remote_path_send(struct doca_comch_producer *producer,
				    struct comch_peer_consumer *to,
				    struct doca_comch_producer_task_send *task,
				    struct comch_message *message);
/* Drops the path to a consumer. It is closed as soon as no message is in progress. */
void comch_remote_path_close_when_idle(struct doca_comch_producer *producer,
				       const struct comch_peer_consumer *to);
/* Closes all paths; no message may be in progress. */
void comch_remote_paths_close(struct doca_comch_producer *producer);

/* See struct ctx_ops. They do nothing for a producer that sends to no other machine. */
void comch_remote_paths_stop(struct doca_ctx *ctx);
bool comch_remote_paths_are_idle(const struct doca_ctx *ctx);
uint8_t comch_remote_paths_poll(struct doca_ctx *ctx);
bool comch_remote_paths_arm(struct doca_ctx *ctx);
void comch_remote_paths_disarm(struct doca_ctx *ctx);

#endif
