/*
 * Clients' counters, read from the pages that clients share (proto/counters.h), even if a client
 * hangs. The pages are mapped read-only, and only when an operator asks. The client may write any
 * value; each is read once. The descriptor and the memory are charged to the client's user. Runs in
 * the daemon's event loop.
 */
#ifndef DAEMON_SESSION_COUNTERS_H
#define DAEMON_SESSION_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/loop.h"
#include "proto/counters.h"
#include "proto/frame.h"
#include "util/fdset.h"

struct daemon;
struct session;

/* Sums of counters, or the counters of one object, as plain numbers. */
struct counted {
	uint64_t submitted, completed, bytes, errors, waits, received, received_bytes;
	uint64_t busy, empty, sleeps, wakes;
	uint64_t max_depth;
};

/* A place that can be read; valid until its pages are remapped. */
struct counters_object {
	struct session *session;
	uint32_t slot;
	char device[25];
};

struct counters_copy {
	uint32_t kind, pe, state;
	uint64_t serial, object, number;
	struct counted n;
	uint64_t latency[COUNTERS_N_BUCKETS];
};

struct session_counters {
	int fd;
	const uint8_t *map; /* NULL: not mapped yet */
	uint32_t n_mapped;  /* places */
	struct counters_object *objects;
	struct counted earlier; /* sums of the pages that these pages replaced */
	bool has_earlier;
	struct charge charge;
	bool is_new; /* not in the fd store yet */
	struct loop_source *persist_timer;
	uint64_t scans_since_ns; /* start of the current period and number of scans in it */
	unsigned n_scans;
};

void counters_init(struct session_counters *counters);
void counters_deinit(struct session_counters *counters);
/* Handles CountersShare. */
int counters_on_share(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
/*
 * Restores the pages of an earlier daemon instance. Takes ownership of fd; pages that are invalid
 * are dropped. earlier: sums of the pages before them; may be NULL.
 */
void counters_resume(struct session *session, int fd, const struct counted *earlier);

/* Sums all counters of the session. Returns false if it shares no pages. */
bool counters_sum(struct session *session, struct counted *sum_out);
/*
 * Returns where the object stores the last known place of its counters (0: unknown), or NULL if the
 * session has no such object.
 */
typedef uint32_t *(*counters_place_fn)(struct session *session, uint64_t id);
/* Returns the place with the counters of an object of this kind (proto/counters.h), or NULL. */
struct counters_object *counters_find_object(struct session *session, uint32_t kind, uint64_t id,
					     counters_place_fn place_of);
/* Returns the next place after at (NULL: the first), or NULL at the end. */
struct counters_object *counters_next(const struct daemon *daemon, struct counters_object *at);
struct counters_object *counters_find(const struct daemon *daemon, uint64_t id);
/*
 * Returns the last place, used or not, whose id is not above this one; counters_next() continues
 * from it.
 */
struct counters_object *counters_upto(const struct daemon *daemon, uint64_t id);
/* Returns the object's device, as the client wrote it; valid as long as the object. */
const char *counters_device(struct counters_object *object);
void counters_read(struct counters_object *object, struct counters_copy *copy_out);
/* Returns the id that operators see. A reused place keeps its id. */
uint64_t counters_id(const struct session *session, uint32_t slot);
/* Returns for example "dma", or "other" for an unknown number. */
const char *counters_kind_name(uint32_t kind);
/* Returns the number of tasks in flight, or 0 if the counters contradict each other. */
uint64_t counted_depth(const struct counted *n);
/*
 * Returns the time in ns within which this percentage of the timed tasks completed, or 0 if none
 * was timed.
 */
uint64_t counters_percentile(const uint64_t latency[COUNTERS_N_BUCKETS], unsigned percent);

#endif
