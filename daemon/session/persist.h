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

/* The daemon's own record, and what is still to be persisted. */
struct persistence {
	bool is_ledger_pending; /* the manager did not read the message with it */
	bool is_retry_set, has_room;
	struct loop_source *retry_timer; /* active while something could not be persisted */
	uint64_t retry_delay_ns;
	uint64_t last_tried; /* id of the session at which the last attempt ended */
	struct persisted persisted;
	struct {
		uint64_t session, import, service, channel, record, rdma;
	} reserved_ids; /* ids below these are reserved by the record */
};

/* Restores the objects in the ledger. Returns 0, or -errno with nothing restored. */
typedef int (*persist_resume_fn)(struct daemon *daemon);

/*
 * Opens store and ledger, and adopts what an earlier daemon instance left. max_fds 0: nothing is
 * persisted. Never fails: without a valid ledger the daemon starts without saved state, and logs
 * that.
 */
void persist_start(struct daemon *daemon, size_t max_fds, persist_resume_fn resume);
/* Leaves the records to the next daemon instance. */
void persist_stop(struct daemon *daemon);

/* Writes the record, or rewrites it after a change. */
void persist_session(struct session *session);
/*
 * Adds the descriptor of the session's counters to its record, or removes it and records the sums.
 * The descriptor is left out if there is no room.
 */
void persist_counters(struct session *session);
void persist_drop_counters(struct session *session);
/*
 * Persists an event that waits for room in its ring, and removes the record when the event was
 * pushed or cancelled.
 */
void persist_event(struct event_out *out, struct event_queued *queued);
void persist_event_done(struct event_out *out, struct event_queued *queued);
/* All events that wait for room. */
void persist_events(struct event_out *out);
void persist_drop_events(struct event_out *out);
/*
 * Call before a new id (session, import, service, channel), or a session's new handle or
 * generation, is used.
 */
void persist_ids(struct daemon *daemon);
void persist_session_ids(struct session *session);
/* Persists the list of revoked exports. */
void persist_revoked(struct daemon *daemon);
/*
 * Call around a request that stays in the socket until it is answered: it is repeated after a
 * crash.
 */
void persist_begin_request(const struct session *session, uint64_t request_id);
void persist_end_request(const struct session *session);
/* True if two daemon instances have ended during this request. */
bool persist_request_is_suspect(const struct session *session, uint64_t request_id);
/* Stops persisting the session, because it has, or gets, an object that cannot be persisted. */
void persist_stop_session(struct session *session, const char *why);

/* Returns whether records of the session's objects are to be written. */
bool persist_is_active(const struct session *session);
/* r: the result of writing one. Stops persisting the session if there is no room. */
void persist_check(struct session *session, int r);

#endif
