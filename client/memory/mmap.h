/*
 * Memory map: one range of memory with its rights, local or imported. The first cache line is what
 * the data path reads. Threads: configuration is the caller's to serialise; a started mmap may be
 * read by many.
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

/* What the data path needs to know, in one word; mmap_set_fast derives it. */
#define MMAP_FAST_SRC    1u /* mapped here and readable */
#define MMAP_FAST_DST    2u /* mapped here and writable */
#define MMAP_FAST_IMPORT 4u /* an import: look at its liveness word */

/* Generations of mmaps, a set of bits: whose calls may work on it. */
enum {
	MMAP_CHUNKED = 1, /* 1.3 to 1.5: started first, then chunks */
	MMAP_WORKQ = 2,   /* 2.0 to 2.2: one range, set before start */
	MMAP_TASK = 4,    /* 2.5 and later: the same */
	MMAP_RANGED = MMAP_WORKQ | MMAP_TASK,
	MMAP_ANY = MMAP_CHUNKED | MMAP_RANGED,
};

/* Rules of the guides that are not enforced, see client/base/lenient.h. */
enum mmap_rule {
	MMAP_RULE_BUF_BEFORE_START, /* up to 2.2 */
	MMAP_RULE_THREADS_OF_IMPORT,
};

/*
 * What a mmap with chunks has besides, see client/compat/mmap.h. It is a front: no address is
 * usable by it, each chunk is a mmap of its own, and buffers point to those.
 */
struct mmap_legacy {
	/* No buffer points in: the exports end, no chunk can be used any more. */
	void (*stop)(struct doca_mmap *mmap);
	/* It is stopped, and goes: gives all chunks back, and this. */
	void (*destroy)(struct doca_mmap *mmap);
};

struct session_later;

struct doca_mmap {
	/* Hot: an address is usable if addr - base <= span. While stopped base is UINTPTR_MAX, span
	 * 0. */
	uintptr_t base;
	size_t span;
	/* base + span; 0 while stopped, and up to 2.2: calls of those versions look at span. */
	uintptr_t limit;
	intptr_t delta;
	const _Atomic uint32_t *alive; /* the copy is allowed while *alive == generation */
	uint32_t generation;
	uint32_t fast;        /* MMAP_FAST_* */
	bool direct;          /* address + delta is a pointer of ours */
	bool writable;        /* may be a destination */
	bool readable;        /* may be a source */
	bool is_posted;       /* an import that is reached by posted requests */
	struct doca_dev *dev; /* first device, for the usual check */
	/* Cold. */
	bool counts_bufs; /* until thread safety was asked for */
	/* For which its buffers count: itself, or the front of a chunk. */
	const struct doca_mmap *root;
	struct doca_dev **devs;
	uint32_t n_devs, max_devs;
	bool started, exported, from_export, range_set, was_started;
	uint16_t api;               /* version that made it, see client/base/generation.h */
	struct mmap_legacy *legacy; /* NULL: one range */
	struct lenient rules;       /* enum mmap_rule that the program broke */
	uint32_t permissions;
	void *addr;
	size_t len;
	int memfd;        /* -1: private memory */
	bool memfd_found; /* of dococ_mem_alloc, held from the first export until the stop */
	uint64_t memfd_offset;
	bool mapped; /* the range is a mapping of ours, of the memfd */
	doca_mmap_memrange_free_cb_t *free_cb;
	void *free_cookie;
	union doca_data user_data;
	struct list exports;
	void (*rung)(void *arg); /* of its exports, see struct export; or NULL */
	void *rung_arg;
	/* Nobody reaches the export any more, though it was not closed; the same. */
	void (*revoked)(void *arg);
	struct list users;          /* struct mmap_user */
	struct xport_region region; /* imports */
	uint64_t import_id;
	uint8_t import_daemon[16]; /* that gave this number */
	bool ends_soon;            /* who ends it, or its exports, does not wait for the daemon */
	uint64_t export_id;        /* an import: of what */
	/* An import over PCI is passed on to RDMA peers by this secret. */
	bool is_pci_import, can_pass_on, exporter_is_dpu;
	uint8_t pass_on[16];
	struct import_liveness liveness;
	struct mem_key *_Atomic keys; /* of RDMA devices, see client/memory/mem_key.h */
	/* An import: what the exporter's RDMA device knows the range by. */
	uint32_t remote_key;
	bool has_remote_key;
	/* Who lets posted requests in, an agent of a daemon. */
	uint64_t agent_id;
	uint8_t exporter_daemon[16];
	/* And by relay: what requests prove that they may with, and that it was exported for PCI.
	 */
	uint8_t relay_secret[16];
	bool relay_pci;
	char *rejections; /* one line each */
};

/* True if the copy may go on: the export behind an import still lives. */
static inline bool mmap_is_alive(const struct doca_mmap *mmap)
{
	return atomic_load_explicit(mmap->alive, memory_order_acquire) == mmap->generation;
}

/* Imports are usable as they are, until they are stopped. */
static inline bool mmap_is_usable(const struct doca_mmap *mmap)
{
	return mmap->from_export ? mmap->base != UINTPTR_MAX : mmap->started;
}

/* Up to 2.2 programs also take buffers between setting the range and the first start. */
static inline bool mmap_gives_bufs_early(const struct doca_mmap *mmap)
{
	return mmap->api != API_TASK && !mmap->from_export && mmap->range_set && !mmap->was_started;
}

/*
 * Who keeps a pointer to a mmap beside its buffers. While one is active the mmap is neither stopped
 * nor destroyed; one that is not loses the mmap when that is destroyed. Several threads may have
 * users of one mmap.
 */
struct mmap_user {
	struct list node;
	struct doca_mmap *mmap; /* NULL: destroyed */
	bool is_active;
};
void mmap_user_add(struct mmap_user *user, struct doca_mmap *mmap);
void mmap_user_remove(struct mmap_user *user);
/* SUCCESS, or BAD_STATE without a sentence: the mmap is gone or not started. */
doca_error_t mmap_user_activate(struct mmap_user *user);
void mmap_user_deactivate(struct mmap_user *user);

bool mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev);
/* Empty, not started, of a version. */
doca_error_t mmap_new(uint16_t api, struct doca_mmap **mmap_out);
/* SUCCESS if a call (`what`) of these generations may work on it; else BAD_STATE with a sentence.
 */
doca_error_t mmap_check_api(const struct doca_mmap *mmap, unsigned generations, const char *what);
/* For calls that configure: not NULL, no import, of these generations, not started. `code` is what
 * the call's contract has for an import and a started one. */
doca_error_t mmap_check_idle(const struct doca_mmap *mmap, unsigned generations, doca_error_t code,
			     const char *what);
/* What the public calls do once the state is right. */
doca_error_t mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev);
/* doca_mmap_set_max_num_devices */
doca_error_t mmap_set_max_devs(struct doca_mmap *mmap, uint32_t n_devs);
/* addr NULL: the range is where the library maps it. */
doca_error_t mmap_set_dmabuf(struct doca_mmap *mmap, unsigned generations, int fd, void *addr,
			     size_t offset, size_t len);
/* Its range is usable from here on. */
void mmap_set_started(struct doca_mmap *mmap);
/* Frees it with all it has; no buffer points in. */
void mmap_free(struct doca_mmap *mmap);
doca_error_t mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev, const void **desc_out,
			 size_t *len_out, Dococore__ExportKind kind);
doca_error_t mmap_import(uint16_t api, const union doca_data *user_data, const void *desc,
			 size_t desc_len, struct doca_dev *dev, struct doca_mmap **mmap_out);
/*
 * The same without waiting for the daemon; see client/control/pending.h. What the daemon is
 * asked for is `later`; the session's lock is held. The mmap's end does not wait, either.
 */
struct mmap_importing;
doca_error_t mmap_import_begin_locked(const void *desc, size_t desc_len, struct doca_dev *dev,
				      void (*came)(void *user), void *user,
				      struct session_later **later_out,
				      struct mmap_importing **importing_out);
/* Of one that has come. Both are gone then, and NULL. */
doca_error_t mmap_import_end_locked(struct mmap_importing **importing, struct session_later **later,
				    struct doca_mmap **mmap_out);
/* It is not wanted any more; `later` is given up for itself. NULL is fine. Returns NULL. */
struct mmap_importing *mmap_import_drop(struct mmap_importing *importing);
/* The memfd behind a range that dococ_mem_alloc gave. Returns 0, a descriptor of the caller's own
 * and the offset; -ENOENT, or what kept it from being duplicated. */
int mem_find(const void *addr, size_t len, int *fd_out, uint64_t *offset_out);
/*
 * Decides whether a memfd may be given to processes that may write (`writes`) or only read. False:
 * they must reach the memory as private memory.
 * - Writers are admitted unless a seal forbids writing.
 * - Readers are admitted if a seal forbids writing. Memory of dococ_mem_alloc gets the seal with
 *   the first call, unless that admits writers. A memfd that the program brought is never sealed:
 *   the program may still want to map it for writing.
 */
bool mem_admit(int fd, bool writes);
/* Counts the buffers that are out and point into the mmap or its chunks. In
 * client/memory/buf_freelist.c, as are the next two. */
uint32_t buf_stocks_count(const struct doca_mmap *mmap);
/* The mmap starts or stops: its started pools give buffers or do not. */
void buf_stocks_set_available(const struct doca_mmap *mmap, bool is_available);
/* The mmap goes: pools lose it, as do buffers that were not counted. */
void buf_stocks_forget(const struct doca_mmap *mmap);
/* Stops all exports of the mmap at once: liveness words first, then the daemon. */
void mmap_revoke_exports(struct doca_mmap *mmap);
/* Gives an import back. */
void mmap_import_close(struct doca_mmap *mmap);
void mmap_set_stopped(struct doca_mmap *mmap);
/* After direct, readable, writable and from_export are set. */
void mmap_set_fast(struct doca_mmap *mmap);

#endif
