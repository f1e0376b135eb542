/*
 * Pending calls: requests to the daemon whose sender does not block for the reply, for callers that
 * must not wait while a daemon is away. Whichever thread reads the connection stores the reply with
 * its call. The reply of a cancelled call goes to the `unwanted` callback, which reverses its
 * effect. Nothing here reconnects. Threads: a pending call belongs to one thread at a time.
 */
#ifndef CLIENT_CONTROL_RPC_H
#define CLIENT_CONTROL_RPC_H

#include "client/control/session.h"

struct rpc_pending;

struct rpc_options {
	/* Called once the reply has arrived or can no longer arrive, on any thread, with the
	 * session's lock held. */
	void (*on_done)(void *user);
	void *user;
	/* Reverses the effect of a reply that is no longer wanted, by one-way requests. Called on
	 * any thread, with the session's lock held. NULL if there is nothing to reverse. */
	void (*unwanted)(const struct rpc_reply *answer);
	doca_error_t expected_refusal; /* see struct rpc_request */
};

/* Sends the request. Without a connection, returns NOT_CONNECTED with an error sentence. */
doca_error_t rpc_begin_locked(struct rpc_request *request, const struct rpc_options *options,
			      struct rpc_pending **pending_out);
bool rpc_is_done(const struct rpc_pending *pending);
/* Returns whether the request was sent over the current connection. */
bool rpc_is_current_locked(const struct rpc_pending *pending);
/* Collects the reply of a completed call, with rpc_call()'s results. Frees the call and sets
 * the caller's pointer to NULL. */
doca_error_t rpc_collect(struct rpc_pending **pending, Dococore__Packet__BodyCase expected,
			 struct rpc_reply *answer_out);
/*
 * Cancels the call without blocking. While another thread calls the daemon, `on_done` may still be
 * invoked, until a deferred call that is submitted after this one has run
 * (client/control/deferred.h). Accepts NULL. Returns NULL.
 */
struct rpc_pending *rpc_cancel(struct rpc_pending *pending);
struct rpc_pending *rpc_cancel_locked(struct rpc_pending *pending);

/* --- used by the session only --- */

/* Stores the answer with the pending call that it belongs to and returns true. Returns false if it
 * belongs to none. */
bool rpc_deliver_locked(struct rpc_reply *answer);
/* Completes all pending calls because the connection has ended. A sentence has been logged already;
 * with NULL, each call reports its own. */
void rpc_end_all_locked(doca_error_t code, const char *sentence);
/* Empties the list in a forked child, because the pending calls are the parent's. */
void rpc_forget_locked(void);

#endif
