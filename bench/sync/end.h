/*
 * One process's part in the sync event benchmark: an event for calls, one for tasks, and the raw
 * words, all shared with the other process. A run is a number of round trips with one mode of
 * waiting; one process leads, the other follows. Main thread.
 */
#ifndef BENCH_SYNC_END_H
#define BENCH_SYNC_END_H

#include <doca_dev.h>

#include "bench/bench.h"

struct peer_shared;

/*
 * In SYNC_YIELD, a side waits this long before each of its changes, so that the other side is
 * asleep; this time is not counted. A waiter that yields is awake for the first microseconds.
 */
#define SYNC_PAUSE_NS 60000u

enum sync_wait_mode { SYNC_POLL, SYNC_YIELD, SYNC_EPOLL, N_SYNC_WAIT_MODES };

struct sync_end;

/* bells: eventfds of the raw reference, this process's first. */
struct sync_end *sync_end_new(enum bench_side side, struct peer_shared *shared, const int bells[2]);
void sync_end_delete(struct sync_end *end);
/*
 * Creates the event for calls or for tasks: exports a new one, or imports the other side's
 * descriptor.
 */
size_t sync_end_export(struct sync_end *end, bool with_tasks, uint8_t *payload, size_t room);
void sync_end_import(struct sync_end *end, bool with_tasks, const uint8_t *payload, size_t len);

/* Runs n round trips. base: present value of the counter. */
void sync_end_run(struct sync_end *end, enum sync_wait_mode mode, bool leads, uint64_t base,
		  uint64_t n);
/* Like sync_end_run(), with raw words. The word must start at 0. */
void sync_end_run_raw(struct sync_end *end, enum sync_wait_mode mode, bool leads, uint64_t n);
/* Adds n times, without the other process. */
void sync_end_add(struct sync_end *end, uint64_t n);
uint64_t sync_end_value(struct sync_end *end);

#endif
