/*
 * The counter of a sync event as its data path sees it: a cell points at the counter and at the
 * words by which waiters sleep, wherever they lie. This part is below the event, so that memory
 * maps and RMA providers can read, change and wake a counter of which they know nothing more.
 *
 * sync_cell.c wakes sleepers; sync_memory.c says where counter and words lie. What the words say
 * was perhaps written by a hostile process, see client/sync_event/sync_event.h.
 * Threads: cells of one counter may be used by as many threads and processes as there are events
 * on it.
 */
#ifndef CLIENT_MEMORY_SYNC_CELL_H
#define CLIENT_MEMORY_SYNC_CELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "client/memory/export.h"
#include "proto/barrier.h"
#include "proto/shm_layout.h"
#include "util/clock.h"
#include "util/util.h"

/* --- cell --- */

struct sync_cell {
	_Atomic uint64_t *value;
	struct sync_words *words;
	const _Atomic uint32_t *alive; /* the exporter's liveness word */
	uint32_t generation;
	uint32_t fence;       /* SYNC_SLEEP_FENCE if the fences of sleepers do not reach us */
	_Atomic int *eventfd; /* -1: nobody can sleep on it yet */
	int pidfd;            /* the exporter's process; -1: this one */
	uint64_t nap_ns;      /* a sleeper sleeps that long before it looks again, or less */
	uint32_t n_awake;     /* polls before a waiter that yields goes to sleep */
	bool is_writable;
	bool is_shared; /* other processes have the eventfd, or may get it */
	/*
	 * Whether a third process may have a hand in the words: a flag in the liveness word of the
	 * import, or of the first export; NULL: neither. And what is known here of other exports.
	 */
	const _Atomic uint32_t *_Atomic crowd; /* contexts over the event look from other threads */
	_Atomic bool is_crowd;
	/*
	 * Memory of the user, or of an export to RDMA devices: others may write it unseen. An
	 * export made later is seen in the words: sync_cell_is_rechecked().
	 */
	_Atomic bool is_rechecked;
};

#define SYNC_POLLS_AWAKE 256u
#define SYNC_RECHECK_NS  (1000 * 1000)       /* the nap where writers may go unseen */
#define SYNC_NAP_NS      (200 * 1000 * 1000) /* and elsewhere */
#define SYNC_CROWD_NS    NS_PER_SEC          /* of a progress engine's user, in a crowd */

enum sync_cond { SYNC_GT, SYNC_EQ, SYNC_NEQ };

static inline bool sync_is_met(enum sync_cond cond, uint64_t counter, uint64_t value, uint64_t mask)
{
	counter &= mask;
	return cond == SYNC_GT ? counter > value : (counter == value) == (cond == SYNC_EQ);
}

static inline uint64_t sync_cell_get(const struct sync_cell *cell)
{
	return atomic_load_explicit(cell->value, memory_order_acquire);
}

static inline bool sync_cell_is_alive(const struct sync_cell *cell)
{
	return liveness_is_alive(atomic_load_explicit(cell->alive, memory_order_acquire),
				 cell->generation);
}

static inline bool sync_cell_is_crowd(const struct sync_cell *cell)
{
	const _Atomic uint32_t *crowd = cell->crowd;

	return atomic_load(&cell->is_crowd) ||
	       (crowd != NULL && (atomic_load(crowd) & LIVENESS_CROWD));
}

/* A flag in the words shows importers that an export was made after their import. */
static inline bool sync_cell_is_rechecked(const struct sync_cell *cell)
{
	return atomic_load(&cell->is_rechecked) ||
	       (atomic_load(&cell->words->flags) & SYNC_WORDS_UNSEEN);
}

/* Wakes who sleeps. Slow half of a change. */
void sync_cell_wake(struct sync_cell *cell);
/* Wakes all, whether they said that they sleep or not. */
void sync_cell_rouse(struct sync_cell *cell);

/* The change may become visible after the look; the sleeper's fence mends that. */
static inline void sync_cell_look(struct sync_cell *cell)
{
	atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(atomic_load_explicit(&cell->words->sleepers, BARRIER_ORDER_LOOK) |
		     cell->fence))
		sync_cell_wake(cell);
}

static inline void sync_cell_set(struct sync_cell *cell, uint64_t value)
{
	atomic_store_explicit(cell->value, value, BARRIER_ORDER_STORE);
	sync_cell_look(cell);
}

/*
 * An atomic addition holds up what comes after it: what the look needs is fetched before.
 */
static inline uint64_t sync_cell_add(struct sync_cell *cell, uint64_t value)
{
	_Atomic uint32_t *sleepers = &cell->words->sleepers;
	uint32_t fence = cell->fence;
	uint64_t before = atomic_fetch_add_explicit(cell->value, value, memory_order_seq_cst);

	atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(atomic_load_explicit(sleepers, BARRIER_ORDER_LOOK) | fence))
		sync_cell_wake(cell);
	return before;
}

/* Says that somebody sleeps (SYNC_SLEEP_*); look at the counter once more after it. */
void sync_cell_arm(struct sync_cell *cell, uint32_t bit);
/* Asks the system whether the exporter's process is there; if not the cell is dead from now on. */
bool sync_cell_check_exporter(struct sync_cell *cell);

/* --- memory behind a cell --- */

/* Counter and words in memory of this process. */
struct sync_home {
	_Alignas(SHM_CACHE_LINE) _Atomic uint64_t value;
	_Alignas(SHM_CACHE_LINE) struct sync_words words;
};

struct sync_share;
struct sync_far;

struct sync_memory {
	struct sync_home *home;
	struct sync_share *share; /* words of a counter in the user's memory */
	void *value_map, *words_map;
	int value_fd, words_fd;
	_Atomic int eventfd;
};

#define SYNC_MEMORY_INIT                                      \
	{                                                     \
		.value_fd = -1, .words_fd = -1, .eventfd = -1 \
	}

/* Makes what a start needs and fills the cell. user: the user's counter, or NULL. */
doca_error_t sync_memory_open(struct sync_memory *memory, struct sync_cell *cell, uint64_t *user,
			      bool is_shared, bool is_watched);
void sync_memory_close(struct sync_memory *memory);
/* Descriptor of the words, for an export. */
int sync_memory_words_fd(const struct sync_memory *memory);
/* Others may write it unseen from now on: who sleeps looks by itself. */
void sync_cell_set_rechecked(struct sync_cell *cell);
/* Before the first use of a cell by this process, once the rest of it is filled. */
void sync_cell_enter(struct sync_cell *cell);
/* A page of words that another process made. */
bool sync_words_are_sound(const struct sync_words *words);

/* --- imports --- */

struct sync_import {
	/* Of one that is not on this machine: the liveness word and whether it is writable. */
	struct sync_cell cell;
	bool is_distant;
	bool is_far;     /* reached by requests: client/sync_event/sync_far.h */
	bool is_relayed; /* which the daemons relay; else they are a device's */
	uint64_t agent_id;
	uint8_t exporter_daemon[16];
	bool has_key; /* what the exporter's RDMA device knows the counter by */
	uint32_t key;
	uint64_t addr; /* in the exporter's process */
	/* How relayed requests name it; they need its secret. */
	uint64_t export_id;
	uint8_t relay_secret[16];
	struct sync_memory memory;
	struct import_liveness liveness;
	uint64_t import_id;
	uint8_t import_daemon[16]; /* that gave this number */
	struct doca_dev *dev;      /* held */
};

/* An event for RDMA contexts. It needs no start; its data path is that of the cell. */
struct doca_sync_event_remote_net {
	struct sync_import import;
};

#endif
