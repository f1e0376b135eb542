/*
 * Transfers between a list of buffers and memory of this process, for lists with memory that only
 * posted requests reach (struct doca_mmap, is_posted). A transfer is begun, and then polled until
 * it is done; one at a time. Elements of the list that are mapped, or accessed by system calls, are
 * copied at once. The paths to other processes are opened when they are first needed. Threads:
 * those of the progress engine.
 */
#ifndef CLIENT_STAGING_TRANSFER_H
#define CLIENT_STAGING_TRANSFER_H

#include "client/base/error.h"
#include "client/memory/buf.h"
#include "client/rma/requester.h"

#define TRANSFER_WRS   16u
#define TRANSFER_PATHS 2u /* an RDMA device, and the daemons' relay */

struct transfer_wr {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct requester_peer *peer;
	struct transfer_wr *next; /* in the list of free requests */
};

struct transfer {
	const char *name; /* of the operation, for error sentences */
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct requester *requesters[TRANSFER_PATHS]; /* NULL: not opened */
	struct transfer_wr wrs[TRANSFER_WRS], *free;
	bool is_ended; /* the context stops */
	/* The transfer in progress: the cursor in the list, and in the memory of this process. */
	const struct doca_buf *buf;
	size_t at;
	const struct doca_mmap *mmap; /* contains the memory of this process */
	uint8_t *ours;
	size_t left;
	bool is_write;  /* to the room behind the list's data */
	uint32_t n_out; /* requests that were not returned yet */
	/* The number of calls of the peer that this transfer waits for; 0 if it waits for none. */
	uint32_t n_calls;
	bool must_step;      /* something may be able to proceed */
	doca_error_t status; /* of the first failure */
	struct saved_error sentence;
};

/* A range of a started memory map of this process. */
struct transfer_memory {
	const struct doca_mmap *mmap;
	uint8_t *bytes;
	size_t len;
};

/* Returns whether the list has memory that only posted requests reach. */
bool transfer_is_needed(const struct doca_buf *list);

void transfer_init(struct transfer *transfer, const char *name, struct doca_dev *dev,
		   struct doca_pe *pe);
/* Returns whether a path is open, so that it must be polled also if no transfer is in progress. */
bool transfer_has_paths(const struct transfer *transfer);
/* Closes the paths. No transfer may be in progress. */
void transfer_deinit(struct transfer *transfer);

/* Reads `memory.len` bytes, the data of the list. */
void transfer_begin_read(struct transfer *transfer, const struct doca_buf *list,
			 struct transfer_memory memory);
/* Writes the bytes to the room behind the data of the list. The data lengths do not change. */
void transfer_begin_write(struct transfer *transfer, const struct doca_buf *list,
			  struct transfer_memory memory);
/* Returns true when nothing of the transfer is in progress any more. Then `status` is its result,
 * and the sentence of a failure is saved. Also drives idle paths. */
bool transfer_poll(struct transfer *transfer);
/* Fails the transfer in progress and all later ones with SHUTDOWN. */
void transfer_stop(struct transfer *transfer);
/* These two implement `arm` and `disarm` of struct ctx_ops. */
bool transfer_arm(struct transfer *transfer);
void transfer_disarm(struct transfer *transfer);

#endif
