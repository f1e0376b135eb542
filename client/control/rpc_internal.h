/* The interface of the calls' connection to the session; see client/control/rpc.h. Threads: the
 * lock is held. */
#ifndef CLIENT_CONTROL_RPC_INTERNAL_H
#define CLIENT_CONTROL_RPC_INTERNAL_H

#include "client/control/rpc.h"
#include "util/list.h"

struct conn;

struct rpc_pending {
	struct list node;
	uint64_t id;
	unsigned connection;
	uint32_t request; /* what was sent: Dococore__Packet__BodyCase */
	uint64_t undo[2]; /* ids of the request, if undoing it needs them */
	const char *name; /* the request's, for error sentences */
	struct rpc_options options;
	bool is_unwanted, is_undone;
	_Atomic bool is_done;
	struct rpc_reply reply; /* without a packet if the connection ended first */
	/* The reason in that case. */
	doca_error_t end_code;
	char end_sentence[400];
};

/* Starts to use the connection, which the callee owns. */
void rpc_open_locked(struct conn *conn);
/* Ends the connection: completes all pending calls, and closes the socket when no thread reads it
 * any more. Does nothing without a connection. is_foreign: the socket is also the parent's of this
 * forked process, so it is not shut down. */
void rpc_close_locked(bool is_foreign);
bool rpc_is_open_locked(void);
/* Returns whether the daemon has hung up; checked at most once each time that the lock is held. */
bool rpc_has_hung_up_locked(void);
/* Counts the calls of this thread that were given up because their time was over. */
unsigned rpc_n_timeouts(void);
/* Records why the last connection ended, as an error sentence, and returns the code. There is no
 * connection. */
doca_error_t rpc_set_end_error(void);
/* Sends a request and waits. *hung_up_out: the daemon had hung up before it received the request,
 * and nothing was recorded; only if the connection was not checked since the lock was taken. */
doca_error_t rpc_exchange_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
				 struct rpc_reply *reply_out, bool *hung_up_out);
/* Sends a packet with the current connection's next id. Returns 0 or -errno. */
int rpc_send_locked(struct rpc_request *request);
/* Waits until something has changed: a call was completed, the session has another state. Returns
 * false once the deadline has passed. */
bool rpc_wait_locked(uint64_t deadline_ns);
/* Wakes the threads in rpc_wait_locked(). */
void rpc_changed_locked(void);
/* Resets everything in a forked child, whose parent has the threads and the calls. */
void rpc_in_child(void);

/* --- client/control/rpc_undo.c --- */

/* Notes what undoing the request will need. */
void rpc_undo_prepare(struct rpc_pending *pending, const Dococore__Packet *request);
/* Gives back to the daemon what the call's reply brought. */
void rpc_undo_locked(struct rpc_pending *pending);
/* Undoes a call that was not answered yet, if that needs only the ids of its request. */
void rpc_undo_early_locked(struct rpc_pending *pending);

#endif
