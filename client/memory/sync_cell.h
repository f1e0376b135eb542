/*
 * The counter of a sync event as its data path sees it. A cell points to the counter and to the
 * words that waiters sleep on, wherever they lie. It is a layer below the event, so that memory
 * maps and RMA providers can read, change and wake a counter without knowing the event.
 *
 * sync_cell.c wakes sleepers; sync_memory.c decides where counter and words lie. A hostile process
 * may have written the words; see client/sync_event/sync_event.h. Threads: as many threads and
 * processes may use cells of one counter as have events on it.
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
	/* SYNC_SLEEP_FENCE if the barriers of sleepers do not reach this process */
	uint32_t fence;
	_Atomic int *eventfd; /* -1: no thread can sleep on it yet */
	int pidfd;            /* the exporter's process; -1: this process */
	/* the longest time that a sleeper sleeps before it checks the counter again */
	uint64_t max_sleep_ns;
	uint32_t n_awake; /* the number of polls before a yielding waiter goes to sleep */
	bool is_writable;
	bool is_shared; /* other processes have the eventfd or may get it */
	/*
	 * Whether a third process may write the words: a flag in the liveness word of the import,
	 * or of the first export; NULL if there is neither. The second member is the same flag for
	 * the other exports. Contexts over the event read both on other threads.
	 */
	const _Atomic uint32_t *_Atomic shared_word;
	_Atomic bool is_in_shared_use;
	/* The counter is memory of the user, or exported to RDMA devices: it may change without a
	 * wake-up. The words show later exports: sync_cell_is_rechecked(). */
	_Atomic bool is_rechecked;
};

#define SYNC_POLLS_AWAKE 256u
/* the longest sleep if the counter may change without a wake-up */
#define SYNC_RECHECK_NS   (1000 * 1000)
#define SYNC_MAX_SLEEP_NS (200 * 1000 * 1000) /* the longest sleep otherwise */
/* the longest sleep of a progress engine's user if several processes take part */
#define SYNC_SHARED_NS NS_PER_SEC

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

static inline bool sync_cell_is_in_shared_use(const struct sync_cell *cell)
{
	const _Atomic uint32_t *shared_word = cell->shared_word;

	return atomic_load(&cell->is_in_shared_use) ||
	       (shared_word != NULL && (atomic_load(shared_word) & LIVENESS_SHARED));
}

/* Returns whether the counter may change without a wake-up. A flag in the words informs importers
 * of an export that was made after their import. */
static inline bool sync_cell_is_rechecked(const struct sync_cell *cell)
{
	return atomic_load(&cell->is_rechecked) ||
	       (atomic_load(&cell->words->flags) & SYNC_WORDS_UNSEEN);
}

/* Wakes the sleepers after a change. The slow path. */
void sync_cell_wake(struct sync_cell *cell);
/* Wakes all sleepers, whether they announced that they sleep or not. */
void sync_cell_wake_all(struct sync_cell *cell);

/* Wakes sleepers if there are any. The change of the counter may become visible only after this
 * read; the sleeper's barrier makes that safe. */
static inline void sync_cell_wake_sleepers(struct sync_cell *cell)
{
	atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(atomic_load_explicit(&cell->words->sleepers, BARRIER_ORDER_LOAD) |
		     cell->fence))
		sync_cell_wake(cell);
}

static inline void sync_cell_set(struct sync_cell *cell, uint64_t value)
{
	atomic_store_explicit(cell->value, value, BARRIER_ORDER_STORE);
	sync_cell_wake_sleepers(cell);
}

/* Adds to the counter. An atomic addition delays the loads that follow it, so the values needed for
 * the check are loaded before. */
static inline uint64_t sync_cell_add(struct sync_cell *cell, uint64_t value)
{
	_Atomic uint32_t *sleepers = &cell->words->sleepers;
	uint32_t fence = cell->fence;
	uint64_t before = atomic_fetch_add_explicit(cell->value, value, memory_order_seq_cst);

	atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(atomic_load_explicit(sleepers, BARRIER_ORDER_LOAD) | fence))
		sync_cell_wake(cell);
	return before;
}

/* Announces a sleeper (SYNC_SLEEP_*). The caller must read the counter once more afterwards. */
void sync_cell_arm(struct sync_cell *cell, uint32_t bit);
/* Returns whether the exporter's process is running, by a system call. If it is not, the cell is
 * dead from now on. */
bool sync_cell_check_exporter(struct sync_cell *cell);

/* --- memory behind a cell --- */

/* A counter and its words in the memory of this process. */
struct sync_home {
	_Alignas(SHM_CACHE_LINE) _Atomic uint64_t value;
	_Alignas(SHM_CACHE_LINE) struct sync_words words;
};

struct sync_share;
struct sync_remote;

struct sync_memory {
	struct sync_home *home;
	struct sync_share *share; /* the words of a counter in the user's memory */
	void *value_map, *words_map;
	int value_fd, words_fd;
	_Atomic int eventfd;
};

#define SYNC_MEMORY_INIT                                      \
	{                                                     \
		.value_fd = -1, .words_fd = -1, .eventfd = -1 \
	}

/* Allocates what a start needs and fills the cell. `user` is the user's counter, or NULL. */
doca_error_t sync_memory_open(struct sync_memory *memory, struct sync_cell *cell, uint64_t *user,
			      bool is_shared, bool is_watched);
void sync_memory_close(struct sync_memory *memory);
/* Returns the descriptor of the words, for an export. */
int sync_memory_words_fd(const struct sync_memory *memory);
/* From now on the counter may change without a wake-up, so sleepers check it regularly. */
void sync_cell_set_rechecked(struct sync_cell *cell);
/* Called before this process first uses a cell, once its other members are filled. */
void sync_cell_enter(struct sync_cell *cell);
/* Validates a page of words that another process made. */
bool sync_words_are_valid(const struct sync_words *words);

/* --- imports --- */

struct sync_import {
	/* For an event on another machine, only the liveness word and the writable flag are
	 * used. */
	struct sync_cell cell;
	bool is_remote;
	bool is_posted;  /* accessed by requests, see client/sync_event/sync_remote.h */
	bool is_relayed; /* the daemons relay the requests; otherwise they go to an RDMA device */
	uint64_t endpoint_id;
	uint8_t exporter_daemon[16];
	bool has_key; /* the key by which the exporter's RDMA device knows the counter */
	uint32_t key;
	uint64_t addr; /* its address in the exporter's process */
	/* Identifies the counter in relayed requests, which must present its secret. */
	uint64_t export_id;
	uint8_t *relay_secret; /* 16 bytes that core dumps leave out (util/secret.h), or NULL */
	struct sync_memory memory;
	struct import_liveness liveness;
	uint64_t import_id;
	uint8_t import_daemon[16]; /* the daemon that assigned import_id */
	struct doca_dev *dev;      /* a reference is held */
};

/* A sync event for RDMA contexts. It needs no start; its data path is that of the cell. */
struct doca_sync_event_remote_net {
	struct sync_import import;
};

#endif
