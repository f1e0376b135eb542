/*
 * What clients count, read from the pages that they share (proto/counters.h): also of one that
 * hangs. The pages are mapped read-only and only when somebody looks; every value there is the
 * client's word and taken once. The descriptor and the memory are charged to the client's user.
 * Runs in the daemon's loop.
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

struct channel;
struct daemon;
struct session;

/* Sums, or the counters of one object, as plain numbers. */
struct counted {
	uint64_t submitted, completed, bytes, errors, waits, received, received_bytes;
	uint64_t busy, empty, sleeps, wakes;
	uint64_t max_depth;
};

/* A place that somebody may look at; lives until its pages are mapped anew. */
struct counters_object {
	struct session *session;
	uint32_t place;
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
	const uint8_t *map; /* NULL: nobody looked yet */
	uint32_t n_mapped;  /* places */
	struct counters_object *objects;
	struct counted past; /* of pages that were given up before these */
	bool has_past;
	struct charge charge;
	bool is_new; /* the fd store has not got them yet */
	struct loop_source *settle;
	uint64_t scans_since_ns; /* for channels' places, and how many */
	unsigned n_scans;
};

void counters_init(struct session_counters *counters);
void counters_deinit(struct session_counters *counters);
/* CountersShare. */
int counters_on_share(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
/* What an earlier instance had; takes fd. One that is not sound is left out. past: of pages before
 * these. */
void counters_resume(struct session *session, int fd, const struct counted *past);

/* All that the session has counted; false: it shares nothing. */
bool counters_sum(struct session *session, struct counted *sum_out);
/* The place with a channel's counters; NULL: none has. */
struct counters_object *counters_find_channel(const struct channel *channel);
/* The place after, NULL: the first; NULL at the end. */
struct counters_object *counters_next(const struct daemon *daemon, struct counters_object *at);
struct counters_object *counters_find(const struct daemon *daemon, uint64_t id);
/* The last place whose id is not above this, used or not: what counters_next() goes on from. */
struct counters_object *counters_upto(const struct daemon *daemon, uint64_t id);
/* Its device, which the client wrote; valid while the object is. */
const char *counters_device(struct counters_object *object);
void counters_read(struct counters_object *object, struct counters_copy *copy_out);
/* For operators; a place that is used again has the same one. */
uint64_t counters_id(const struct session *session, uint32_t place);
/* "dma"; of a number that is none "other". */
const char *counters_kind_name(uint32_t kind);
/* Tasks in flight; 0 for what cannot be. */
uint64_t counted_depth(const struct counted *n);
/* So many ns or less took this part (of 100) of the tasks that were timed; 0: none were. */
uint64_t counters_percentile(const uint64_t latency[COUNTERS_N_BUCKETS], unsigned percent);

#endif
