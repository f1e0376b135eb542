/*
 * Pending calls: requests to the daemon whose sender does not block for the reply, for callers that
 * must not wait while a daemon is away. Whichever thread reads the connection stores the reply with
 * its call. The reply of a cancelled call goes to the `unwanted` callback, which reverses its
 * effect. Nothing here reconnects. Threads: a pending call belongs to one thread at a time.
 */
#ifndef CLIENT_CONTROL_PENDING_H
#define CLIENT_CONTROL_PENDING_H

#include "client/control/session.h"

struct session_pending;

struct session_pending_options {
	/* Called once the reply has arrived or can no longer arrive, on any thread, with the
	 * session's lock held. */
	void (*on_done)(void *user);
	void *user;
	/* Reverses the effect of a reply that is no longer wanted, by one-way requests. Called on
	 * any thread, with the session's lock held. NULL if there is nothing to reverse. */
	void (*unwanted)(const struct session_answer *answer);
	doca_error_t expected_refusal; /* see struct session_request */
};

/* Sends the request. Without a connection, returns NOT_CONNECTED with an error sentence. */
doca_error_t session_pending_send_locked(struct session_request *request,
					 const struct session_pending_options *options,
					 struct session_pending **pending_out);
bool session_pending_is_done(const struct session_pending *pending);
/* Returns whether the request was sent over the current connection. */
bool session_pending_is_current_locked(const struct session_pending *pending);
/* Collects the reply of a completed call, with session_call()'s results. Frees the call and sets
 * the caller's pointer to NULL. */
doca_error_t session_pending_collect(struct session_pending **pending,
				     Dococore__Packet__BodyCase expected,
				     struct session_answer *answer_out);
/*
 * Cancels the call without blocking. While another thread calls the daemon, `on_done` may still be
 * invoked, until a deferred call that is submitted after this one has run
 * (client/control/deferred.h). Accepts NULL. Returns NULL.
 */
struct session_pending *session_pending_cancel(struct session_pending *pending);
struct session_pending *session_pending_cancel_locked(struct session_pending *pending);

/* --- used by the session only --- */

/* Stores the answer with the pending call that it belongs to and returns true. Returns false if it
 * belongs to none. */
bool session_pending_deliver_locked(struct session_answer *answer);
/* Completes all pending calls because the connection has ended. A sentence has been logged already;
 * with NULL, each call reports its own. */
void session_pending_end_all_locked(doca_error_t code, const char *sentence);
/* Empties the list in a forked child, because the pending calls are the parent's. */
void session_pending_forget_locked(void);

#endif
