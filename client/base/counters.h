/*
 * Counters of this process's objects, in pages that the daemon reads (proto/counters.h). The first
 * object creates the pages, the last one frees them. An object counts through `line` whether its
 * counters are published or not. Without pages (no daemon wants them, no descriptor is left, or
 * DOCOCORED_COUNTERS=off) the line is its own.
 *
 * Threads: any; there is one lock inside, which the data path never takes. The line belongs to the
 * thread of the object. A forked child has a private copy of its parent's counters, and pages of
 * its own for its own objects.
 */
#ifndef CLIENT_BASE_COUNTERS_H
#define CLIENT_BASE_COUNTERS_H

#include <stdbool.h>

#include "proto/counters.h"

struct counters {
	struct counters_line *line; /* the counters to use; never NULL after counters_init() */
	struct counters_slot *slot; /* NULL: they are not published */
	struct counters_line own;
	bool was_opened;
};

void counters_init(struct counters *counters);
/*
 * Publishes the counters, including what was counted so far. device: the device's name, or NULL. A
 * second call does nothing, even if the first found no place, because other threads may use the
 * line by then.
 */
void counters_open(struct counters *counters, enum counters_kind kind, const char *device);
/* Releases the place; the values remain readable in `own`. Idempotent. */
void counters_close(struct counters *counters);
/* Sets the progress engine of an object. */
void counters_set_pe(struct counters *counters, const struct counters *pe);
void counters_set_state(struct counters *counters, uint32_t state);
/* Sets the object's ids at the daemon. */
void counters_set_object(struct counters *counters, uint64_t object, uint64_t number);
/* Adds the duration of a task. */
void counters_add_latency(struct counters *counters, uint64_t ns);
/* Returns whether the kernel provides the time without a system call. Known once a counter was
 * opened. */
bool counters_clock_is_cheap(void);
/* Sets the function that counters_open() calls, without its lock, after it has created the pages.
 * If the pages exist already, it is not called: use counters_get_fd(). */
void counters_on_pages_made(void (*on_made)(void));
/* Returns a descriptor of the pages, which remains the library's, or -1 if there are none. */
int counters_get_fd(void);

#endif
