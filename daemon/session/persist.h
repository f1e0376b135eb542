/*
 * Writes down what the next instance of the daemon needs to go on where this one ends, at whatever
 * instruction that is: a record per object in the ledger, its descriptors in the fd store. A record
 * is written before the client hears of its object and goes after everybody heard of its end; what
 * a client asked for is taken from its socket only after it was answered. So the next instance
 * finds a request that was in the air still there, and does it, or, if the object says that this
 * very request made it, only answers again.
 *
 * A session is kept with all that it has or not at all: where there is no room (store, ledger), or
 * the manager does not read, it is given up, and tried again a little later; after a restart before
 * that its client connects again by its next call, as without a store.
 * Without a store nothing here does anything.
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
	struct loop_source *keep_again; /* while there is what the manager had no room for */
	uint64_t keep_delay_ns;
	uint64_t keep_tried; /* id of the session at which the last try ended */
	struct kept kept;
	struct {
		uint64_t session, import, service, channel, record, rdma;
	} kept_ids; /* written down as given */
};

/* Takes up what is in the ledger. 0 or -errno, and nothing was taken up. */
typedef int (*keep_resume_fn)(struct daemon *daemon);

/* Opens store and ledger, and takes up what an earlier instance left. max_fds 0: nothing is kept.
 * Never fails: without a sound ledger everything starts clean, and the log says so. */
void keep_start(struct daemon *daemon, size_t max_fds, keep_resume_fn resume);
/* The rest stays for the next instance. */
void keep_stop(struct daemon *daemon);

/* Puts the record, or puts it anew after a change. */
void keep_session(struct session *session);
/* With the descriptor of its counters, or again without, and with what was counted before. Where
 * there is no room for the descriptor it is left out. */
void keep_counters(struct session *session);
void keep_drop_counters(struct session *session);
/* An event that waits for room in its ring; and when it has found it, or is of no use any more. */
void keep_event(struct event_out *out, struct event_queued *queued);
void keep_event_done(struct event_out *out, struct event_queued *queued);
/* All events that wait for room. */
void keep_events(struct event_out *out);
void keep_drop_events(struct event_out *out);
/* Before a new id (session, import, service, channel) or a session's handle or generation is given.
 */
void keep_ids(struct daemon *daemon);
void keep_session_ids(struct session *session);
/* What an operator has revoked is written down as well. */
void keep_revoked(struct daemon *daemon);
/* Around a request that stays in the socket until it is answered: it comes again after a crash. */
void keep_begin(const struct session *session, uint64_t request_id);
void keep_end(const struct session *session);
/* True if two instances have ended in this request. */
bool keep_is_suspect(const struct session *session, uint64_t request_id);
/* The session has, or gets, what cannot be kept. */
void keep_give_up(struct session *session, const char *why);

/* For the rooms that write records of a session's objects: are they to be written? */
bool keep_wants(const struct session *session);
/* r: the result of writing one. Gives the session up if there is no room. */
void keep_check(struct session *session, int r);

#endif
