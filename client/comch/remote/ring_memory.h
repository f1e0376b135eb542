/*
 * What a mirror needs the daemons for: to be exported, and the import of the other end's. Both are
 * made and ended on a thread of the library's own (client/control/worker.h), as progress waits for
 * no daemon; until they are there, and if they cannot be had, messages are relayed. They also count
 * what the mirrors of the process may take away from the rest of it.
 * Threads: the owner's, and after a begin that thread, until is_over.
 */
#ifndef CLIENT_COMCH_REMOTE_RING_MEMORY_H
#define CLIENT_COMCH_REMOTE_RING_MEMORY_H

#include "client/comch/comch.h"
#include "client/comch/remote/paths.h"
#include "client/control/worker.h"
#include "util/blob.h"

/* Of all servers and clients of the process: exports and imports, each with a queue pair. What
 * devices keep of its memory for them is limited as well: comch_pinned_max(). */
#define MIRROR_PROCESS_MAX 256u

/* One memfd: header, stamps or stages, and the data area, which is mapped twice besides. */
struct mirror_memory {
	uint8_t *bytes;
	uint8_t *area;
	size_t len, data_at;
	uint32_t ring_len;
};

/* What both are. */
struct mirror_soon {
	struct chore begin, end;
	struct doca_dev *dev;
	int bell_fd; /* a duplicate of the owner's: rung when it is over */
	uint64_t pinned;
	_Atomic bool is_over; /* begin is; what follows is the owner's to read */
	doca_error_t result;
	char why[256];
};

struct mirror_exposure {
	struct mirror_soon soon;
	struct mirror_memory memory;
	struct comch_exposed exposed;
};

struct mirror_import {
	struct mirror_soon soon;
	uint8_t desc[BLOB_LEN];
	struct doca_mmap *mmap;
};

void mirror_memory_close(struct mirror_memory *memory);

static inline bool mirror_soon_is_over(const struct mirror_soon *soon)
{
	return atomic_load_explicit(&soon->is_over, memory_order_acquire);
}

/* Takes the memory, whose ring is in its header. NULL, with a sentence. */
struct mirror_exposure *mirror_expose(const struct doca_comch_connection *conn,
				      struct mirror_memory *memory);
/* It may be written yet when this returns; the memory goes with it. NULL is fine. */
struct mirror_exposure *mirror_unexpose(struct mirror_exposure *exposure);
/* From there on requests may take a queue pair, and so much memory. NULL, with a sentence. */
struct mirror_import *mirror_import(const struct doca_comch_connection *conn,
				    const uint8_t desc[BLOB_LEN], size_t pinned);
/* No request uses it any more. NULL is fine. */
struct mirror_import *mirror_import_end(struct mirror_import *import);

#endif
