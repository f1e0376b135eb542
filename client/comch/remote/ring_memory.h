/*
 * The parts of a remote ring that need the daemons: its export, and the import of the other end's.
 * Both are created and ended on a thread of the library (client/control/worker.h), because progress
 * waits for no daemon. Until they exist, or if they cannot be created, the daemons relay messages.
 * This part also limits what the remote rings of the process use. Threads: the owner's; and that
 * thread from a begin until is_done is set.
 */
#ifndef CLIENT_COMCH_REMOTE_RING_MEMORY_H
#define CLIENT_COMCH_REMOTE_RING_MEMORY_H

#include "client/comch/comch.h"
#include "client/comch/remote/paths.h"
#include "client/control/worker.h"
#include "util/export_descriptor.h"

/* The most exports and imports of all servers and clients of the process; each uses a queue pair.
 * comch_pinned_max() limits the memory that devices lock for them. */
#define REMOTE_RING_PROCESS_MAX 256u

/* One memfd: a header, commit words or staging slots, and the data area. The data area is mapped
 * twice, in addition. */
struct remote_ring_memory {
	uint8_t *bytes;
	uint8_t *area;
	size_t len, data_at;
	uint32_t ring_len;
};

/* The part that exports and imports share. */
struct remote_ring_async {
	struct work_item begin, end;
	struct doca_dev *dev;
	int doorbell_fd; /* a duplicate of the owner's doorbell, rung on completion */
	uint64_t pinned;
	_Atomic bool is_done; /* `begin` has completed; the members below belong to the owner */
	doca_error_t result;
	char reason[256];
};

struct remote_ring_export {
	struct remote_ring_async async;
	struct remote_ring_memory memory;
	struct comch_exported exported;
};

struct remote_ring_import {
	struct remote_ring_async async;
	uint8_t desc[EXPORT_DESCRIPTOR_LEN];
	struct doca_mmap *mmap;
};

void remote_ring_memory_close(struct remote_ring_memory *memory);

static inline bool remote_ring_async_is_done(const struct remote_ring_async *async)
{
	return atomic_load_explicit(&async->is_done, memory_order_acquire);
}

/* Exports the memory, whose header contains the ring, and takes it over. Returns NULL with an error
 * sentence on failure. */
struct remote_ring_export *remote_ring_export_begin(const struct doca_comch_connection *conn,
						    struct remote_ring_memory *memory);
/* Ends the export. The other end may still write when this returns; the memory is freed with the
 * export. Accepts NULL. Returns NULL. */
struct remote_ring_export *remote_ring_export_end(struct remote_ring_export *export);
/* Begins an import, and reserves a queue pair and the given amount of locked memory for its
 * requests. Returns NULL with an error sentence on failure. */
struct remote_ring_import *remote_ring_import_begin(const struct doca_comch_connection *conn,
						    const uint8_t desc[EXPORT_DESCRIPTOR_LEN],
						    size_t pinned);
/* Ends an import that no request uses any more. Accepts NULL. Returns NULL. */
struct remote_ring_import *remote_ring_import_end(struct remote_ring_import *import);

#endif
