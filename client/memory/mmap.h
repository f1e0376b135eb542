/*
 * Memory map: one range of memory with its rights, local or imported. The data path reads the first
 * cache line only. Threads: the caller serialises configuration; several threads may read a started
 * memory map.
 */
#ifndef CLIENT_MEMORY_MMAP_H
#define CLIENT_MEMORY_MMAP_H

#include <stdatomic.h>

#include <doca_mmap.h>

#include "client/base/generation.h"
#include "client/base/lenient.h"
#include "client/device/dev.h"
#include "client/memory/export.h"
#include "client/memory/mem_key.h"
#include "client/memory/transport.h"
#include "util/list.h"

/* The facts that the data path needs, as bits of one word; mmap_set_fast() derives it. */
#define MMAP_FAST_SRC    1u /* mapped in this process and readable */
#define MMAP_FAST_DST    2u /* mapped in this process and writable */
#define MMAP_FAST_IMPORT 4u /* an import: check its liveness word */

/* The generations of memory maps, as bits. Calls state which generations they accept. */
enum {
	MMAP_CHUNKED = 1, /* 1.3 to 1.5: started first, then given chunks */
	MMAP_WORKQ = 2,   /* 2.0 to 2.2: one range, set before the start */
	MMAP_TASK = 4,    /* 2.5 and later: one range, set before the start */
	MMAP_RANGED = MMAP_WORKQ | MMAP_TASK,
	MMAP_ANY = MMAP_CHUNKED | MMAP_RANGED,
};

/* Rules of the guides that are not enforced; see client/base/lenient.h. */
enum mmap_rule {
	MMAP_RULE_BUF_BEFORE_START, /* up to 2.2 only */
	MMAP_RULE_THREADS_OF_IMPORT,
};

/* The additional part of a memory map with chunks; see client/compat/mmap.h. Such a memory map has
 * no usable address itself: each chunk is a memory map of its own, and buffers point to chunks. */
struct mmap_legacy {
	/* Ends all exports and makes all chunks unusable. Called when no buffer points to a
	 * chunk. */
	void (*stop)(struct doca_mmap *mmap);
	/* Releases all chunks and this object. Called on a stopped memory map. */
	void (*destroy)(struct doca_mmap *mmap);
};

struct rpc_pending;

/* The parts of an import that core dumps leave out (util/secret.h). */
struct mmap_secrets {
	uint8_t pass_on[16]; /* by which RDMA peers reach an import over PCI that is exported again
			      */
	uint8_t relay[16];   /* that requests over the daemons present */
};

struct doca_mmap {
	/* Members of the data path. An address is usable if addr - base <= span. While stopped,
	 * base is UINTPTR_MAX and span is 0. */
	uintptr_t base;
	size_t span;
	/* base + span. It is 0 while stopped, and for memory maps up to 2.2, whose calls use span
	 * instead. */
	uintptr_t limit;
	intptr_t delta;
	const _Atomic uint32_t *alive; /* a copy is allowed while *alive == generation */
	uint32_t generation;
	uint32_t fast;        /* MMAP_FAST_* */
	bool direct;          /* address + delta is a pointer in this process */
	bool writable;        /* may be a copy's destination */
	bool readable;        /* may be a copy's source */
	bool is_posted;       /* an import that is accessed by posted requests */
	struct doca_dev *dev; /* the first device, for the fast path's check */
	/* Members off the data path. */
	bool counts_bufs; /* until the program asks for thread safety */
	/* The memory map that its buffers are counted for: itself, or for a chunk the memory map
	 * that contains it. */
	const struct doca_mmap *root;
	struct doca_dev **devs;
	uint32_t n_devs, max_devs;
	bool started, exported, from_export, range_set, was_started;
	/* the generation that created it, see client/base/generation.h */
	uint16_t api;
	struct mmap_legacy *legacy; /* NULL if the memory map has one range */
	struct lenient rules;       /* bits of enum mmap_rule that the program has broken */
	uint32_t permissions;
	/* Memory of the library, which no other process can reach. */
	bool is_private;
	void *addr;
	size_t len;
	int memfd; /* -1: private memory */
	/* the library found the memfd by the address (dococ_mem_alloc(), or
	 * client/memory/shared_mapping.h); kept open from the first export to the stop */
	bool memfd_found;
	bool memfd_same_user, memfd_is_file; /* see struct shared_mapping */
	/* The range was private memory and is adopted while it is exported (client/memory/adopt.h);
	 * otherwise NULL. */
	struct adoption *adoption;
	uint64_t memfd_offset;
	bool mapped; /* the library mapped the range from the memfd */
	doca_mmap_memrange_free_cb_t *free_cb;
	void *free_cookie;
	union doca_data user_data;
	struct list exports;
	void (*rung)(void *arg); /* passed to its exports, see struct export; may be NULL */
	void *rung_arg;
	/* Called when the export was not closed but no importer can reach it, see struct
	 * export; may be NULL. */
	void (*revoked)(void *arg);
	struct list users;              /* list of struct mmap_user */
	struct transport_region region; /* for imports */
	uint64_t import_id;
	uint8_t import_daemon[16]; /* the daemon that assigned import_id */
	bool ends_async;           /* ending it, or its exports, does not wait for the daemon */
	uint64_t export_id;        /* for imports: the id of the export */
	/* An import over PCI can be exported again to RDMA peers. */
	bool is_pci_import, can_pass_on, exporter_is_dpu;
	struct mmap_secrets *secrets; /* of an import; otherwise NULL */
	struct import_liveness liveness;
	struct mem_key *_Atomic keys; /* keys of RDMA devices, see client/memory/mem_key.h */
	/* For imports: the key by which the exporter's RDMA device knows the range. */
	uint32_t remote_key;
	bool has_remote_key;
	/* The exporter's rendezvous endpoint for posted requests, 0 if there is none, and its
	 * daemon. */
	uint64_t endpoint_id;
	uint8_t exporter_daemon[16];
	bool relay_pci;   /* for relayed imports: the export was over PCI */
	char *rejections; /* one line per transport that was rejected */
};

/* Returns whether a copy may go on: the export behind an import is still alive. */
static inline bool mmap_is_alive(const struct doca_mmap *mmap)
{
	return atomic_load_explicit(mmap->alive, memory_order_acquire) == mmap->generation;
}

/* Returns whether the memory map may be used. An import needs no start and is usable until it is
 * stopped. */
static inline bool mmap_is_usable(const struct doca_mmap *mmap)
{
	return mmap->from_export ? mmap->base != UINTPTR_MAX : mmap->started;
}

/* Returns whether another process may be able to read or write the memory. An export by another
 * thread may change the answer at any time, but only to true. */
static inline bool mmap_may_be_shared(const struct doca_mmap *mmap)
{
	return mmap->from_export ||
	       (atomic_load_explicit(&export_has_shared_memory, memory_order_relaxed) &&
		!mmap->is_private);
}

/* Returns whether buffers may be taken before the first start: programs up to 2.2 do so once the
 * range is set. */
static inline bool mmap_allows_early_bufs(const struct doca_mmap *mmap)
{
	return mmap->api != API_TASK && !mmap->from_export && mmap->range_set && !mmap->was_started;
}

/*
 * A reference to a memory map other than from its buffers. While a user is active, the memory map
 * can be neither stopped nor destroyed. Destroying the memory map sets the pointer of an inactive
 * user to NULL. Several threads may have users of one memory map.
 */
struct mmap_user {
	struct list node;
	struct doca_mmap *mmap; /* NULL: the memory map was destroyed */
	bool is_active;
};
void mmap_user_add(struct mmap_user *user, struct doca_mmap *mmap);
void mmap_user_remove(struct mmap_user *user);
/* Returns SUCCESS, or BAD_STATE without an error sentence if the memory map was destroyed or is not
 * started. */
doca_error_t mmap_user_activate(struct mmap_user *user);
void mmap_user_deactivate(struct mmap_user *user);

bool mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev);
/* Creates an empty, stopped memory map of the given generation. */
doca_error_t mmap_new(uint16_t api, struct doca_mmap **mmap_out);
/* Creates and starts a memory map of the newest generation, over memory that the device's requests
 * read and write. */
doca_error_t mmap_new_started(struct doca_dev *dev, void *memory, size_t len,
			      struct doca_mmap **mmap_out);
/* Returns SUCCESS if the memory map is of one of the generations; otherwise BAD_STATE with an error
 * sentence that begins with `what`. */
doca_error_t mmap_check_api(const struct doca_mmap *mmap, unsigned generations, const char *what);
/*
 * For configuring calls: checks that the memory map is not NULL, is no import, is of one of the
 * generations and is not started. `code` is the result that the call's contract has for an import
 * and for a started memory map.
 */
doca_error_t mmap_check_idle(const struct doca_mmap *mmap, unsigned generations, doca_error_t code,
			     const char *what);
/* The implementations of the public calls, after the state was checked. */
doca_error_t mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev);
/* Implements doca_mmap_set_max_num_devices(). */
doca_error_t mmap_set_max_devs(struct doca_mmap *mmap, uint32_t n_devs);
/* Sets the range to a dmabuf. If addr is NULL, the library maps it and sets the address. */
doca_error_t mmap_set_dmabuf(struct doca_mmap *mmap, unsigned generations, int fd, void *addr,
			     size_t offset, size_t len);
/* Makes the range usable. */
void mmap_set_started(struct doca_mmap *mmap);
/* Frees the memory map and everything it owns. No buffer may point into it. */
void mmap_free(struct doca_mmap *mmap);
/* The access flags that concern RDMA peers, and the other side over PCI. */
#define MMAP_ACCESS_RDMA \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
#define MMAP_ACCESS_PCI (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)
doca_error_t mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev, const void **desc_out,
			 size_t *len_out, Dococore__ExportKind kind);
doca_error_t mmap_import(uint16_t api, const union doca_data *user_data, const void *desc,
			 size_t desc_len, struct doca_dev *dev, struct doca_mmap **mmap_out);
/* Imports without waiting for the daemon; see client/control/rpc.h. Returns the pending request
 * to the daemon. The session's lock is held. Ending this memory map does not wait, either. */
struct mmap_importing;
doca_error_t mmap_import_begin(const void *desc, size_t desc_len, struct doca_dev *dev,
			       void (*on_done)(void *user), void *user,
			       struct rpc_pending **pending_out,
			       struct mmap_importing **importing_out);
/* Completes an import whose reply has arrived. Frees both objects and sets their pointers to
 * NULL. */
doca_error_t mmap_import_end(struct mmap_importing **importing, struct rpc_pending **pending,
			     struct doca_mmap **mmap_out);
/* Cancels an import; the caller cancels the pending request itself. Accepts NULL. Returns NULL. */
struct mmap_importing *mmap_import_cancel(struct mmap_importing *importing);
/* Finds the memfd behind a range that dococ_mem_alloc() allocated. Returns 0, a descriptor that the
 * caller owns, and the offset; or -ENOENT; or the error of duplicating the descriptor. */
int mem_find_memfd(const void *addr, size_t len, int *fd_out, uint64_t *offset_out);
/*
 * Decides whether a memfd may be given to processes that may write (`writes`) or only read. If
 * false, they must access the memory as private memory.
 * - Writers are admitted unless a seal forbids writing.
 * - Readers are admitted if a seal forbids writing. Memory of dococ_mem_alloc() gets that seal with
 *   the first call, unless that call admits writers.
 * A memfd that the program supplied is never sealed: the program may still want to map it for
 * writing.
 */
bool mem_admit(int fd, bool writes);
/* Counts the taken buffers that point into the memory map or its chunks. This function and the next
 * two are in client/memory/buf_freelist.c. */
uint32_t buf_freelists_count(const struct doca_mmap *mmap);
/* Makes the started pools of a memory map available when it starts, or unavailable when it
 * stops. */
void buf_freelists_set_available(const struct doca_mmap *mmap, bool is_available);
/* Redirects pools and uncounted buffers away from a memory map that is being destroyed. */
void buf_freelists_forget(const struct doca_mmap *mmap);
/* Frees a memory map after buf_freelists_forget(). A task that has not completed may still read it:
 * until then it has no rights and an empty range. */
void buf_freelists_free_mmap(struct doca_mmap *mmap);
/* Ends all exports of the memory map: liveness words first, then the daemon is notified. */
void mmap_revoke_exports(struct doca_mmap *mmap);
/* Releases an import. */
void mmap_import_close(struct doca_mmap *mmap);
void mmap_set_stopped(struct doca_mmap *mmap);
/* Derives `fast`. Called after direct, readable, writable and from_export are set. */
void mmap_set_fast(struct doca_mmap *mmap);

#endif
