/*
 * Persists what the next daemon instance needs to continue after this one ends, at whatever
 * instruction that is: a record per object in the ledger, and the object's descriptors in the fd
 * store. A record is written before the client is notified of its object, and removed after every
 * participant was notified of its end. A request is removed from the client's socket only after it
 * was answered. Therefore the next instance finds an unfinished request still in the socket. It
 * executes the request, or, if a record says that this very request created the object, only
 * repeats the answer.
 *
 * A session is persisted with all its objects or not at all. If there is no room (store, ledger),
 * or the manager does not read, the session is not persisted and the attempt is repeated later. If
 * the daemon restarts before that, the client reconnects with its next call, as it does without a
 * store.
 * Without a store all functions here do nothing.
 */
#ifndef DAEMON_SESSION_PERSIST_H
#define DAEMON_SESSION_PERSIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/persist.h"

struct daemon;
struct event_out;
struct event_queued;
struct session;

/* What the daemon has written down of itself, and what it could not write down yet. */
struct persistence {
	bool is_ledger_owed; /* the manager has not got it yet */
	bool is_keep_again_set, is_keep_room;
	struct loop_source *keep_again; /* active while something could not be persisted */
	uint64_t keep_delay_ns;
	uint64_t keep_tried; /* id of the session at which the last attempt ended */
	struct kept kept;
	struct {
		uint64_t session, import, service, channel, record, rdma;
	} kept_ids; /* written down as given */
};

/* Takes up what is in the ledger. 0 or -errno, and nothing was taken up. */
typedef int (*keep_resume_fn)(struct daemon *daemon);

/*
 * Opens store and ledger, and adopts what an earlier daemon instance left. max_fds 0: nothing is
 * persisted. Never fails: without a valid ledger the daemon starts without saved state, and logs
 * that.
 */
void keep_start(struct daemon *daemon, size_t max_fds, keep_resume_fn resume);
/* Leaves the records to the next daemon instance. */
void keep_stop(struct daemon *daemon);

/* Writes the record, or rewrites it after a change. */
void keep_session(struct session *session);
/*
 * Adds the descriptor of the session's counters to its record, or removes it and records the sums.
 * The descriptor is left out if there is no room.
 */
void keep_counters(struct session *session);
void keep_drop_counters(struct session *session);
/*
 * Persists an event that waits for room in its ring, and removes the record when the event was
 * pushed or cancelled.
 */
void keep_event(struct event_out *out, struct event_queued *queued);
void keep_event_done(struct event_out *out, struct event_queued *queued);
/* All events that wait for room. */
void keep_events(struct event_out *out);
void keep_drop_events(struct event_out *out);
/*
 * Call before a new id (session, import, service, channel), or a session's new handle or
 * generation, is used.
 */
void keep_ids(struct daemon *daemon);
void keep_session_ids(struct session *session);
/* Persists the list of revoked exports. */
void keep_revoked(struct daemon *daemon);
/*
 * Call around a request that stays in the socket until it is answered: it is repeated after a
 * crash.
 */
void keep_begin(const struct session *session, uint64_t request_id);
void keep_end(const struct session *session);
/* True if two daemon instances have ended during this request. */
bool keep_is_suspect(const struct session *session, uint64_t request_id);
/* Stops persisting the session, because it has, or gets, an object that cannot be persisted. */
void keep_give_up(struct session *session, const char *why);

/* For the rooms that write records of a session's objects: are they to be written? */
bool keep_wants(const struct session *session);
/* r: the result of writing one. Gives the session up if there is no room. */
void keep_check(struct session *session, int r);

#endif
