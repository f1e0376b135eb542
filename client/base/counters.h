/*
 * Counters of this process's objects, in pages that the daemon reads (proto/counters.h). The first
 * object makes the pages, the last one that ends gives them up. An object counts through `line`,
 * whether its counters are seen or not: without pages (no daemon wants them, no descriptor is left,
 * DOCOCORED_COUNTERS=off) the line is one of its own.
 *
 * Threads: any; one lock inside, which no data path takes. The line belongs to the thread of the
 * object. A child after fork has a copy of what its parent's objects counted, which nobody reads,
 * and pages of its own for its own objects.
 */
#ifndef CLIENT_BASE_COUNTERS_H
#define CLIENT_BASE_COUNTERS_H

#include <stdbool.h>

#include "proto/counters.h"

struct counters {
	struct counters_line *line;   /* where to count, never NULL after init */
	struct counters_place *place; /* NULL: nobody sees them */
	struct counters_line own;
	bool was_opened;
};

void counters_init(struct counters *counters);
/* Takes a place, with what was counted so far. device: its name, or NULL. A second call does
 * nothing, also after a first that found no place: others may know the line by then. */
void counters_open(struct counters *counters, enum counters_kind kind, const char *device);
/* Gives the place back; what was counted stays readable in `own`. May be called twice. */
void counters_close(struct counters *counters);
/* The progress engine of an object. */
void counters_set_pe(struct counters *counters, const struct counters *pe);
void counters_set_state(struct counters *counters, uint32_t state);
/* Ids at the daemon. */
void counters_set_object(struct counters *counters, uint64_t object, uint64_t number);
/* A task took so long. */
void counters_add_latency(struct counters *counters, uint64_t ns);
/* Does the kernel tell the time without being entered? Known once one was opened. */
bool counters_clock_is_cheap(void);
/* Sets what counters_open() calls, without the lock inside, after it has made the pages. Pages that
 * were made earlier are found with counters_get_fd(). */
void counters_on_pages_made(void (*on_made)(void));
/* A descriptor of the pages that stays ours, or -1: there are none. */
int counters_get_fd(void);

#endif
