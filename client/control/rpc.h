/*
 * Remote procedure calls to the daemon: requests, their replies, and the table of calls that await
 * one. The session (client/control/session.h) opens the connection that they use.
 *
 * Threads and locks: every function may be called from any thread. The session's lock protects the
 * table, the connection's buffers and what the library's objects have registered with the daemon.
 * It is never held over a system call that can block: a thread that waits for a reply releases it.
 * The first thread that waits reads the connection for all of them. It completes the calls whose
 * replies arrive, whoever made them, and when it leaves, another waiting thread takes over.
 * Functions named *_locked expect their caller to hold the lock. Those that wait say so: state that
 * was read before them may have changed when they return. The lock is not recursive;
 * doc/internals/threads.md has the order of all locks.
 *
 * A call that is not answered in time is given up alone. The connection lives on, and if the reply
 * arrives later, what it brought is given back to the daemon. A connection ends when the socket
 * does or when the daemon breaks the protocol; pending calls end with it.
 */
#ifndef CLIENT_CONTROL_RPC_H
#define CLIENT_CONTROL_RPC_H

#include <stdbool.h>

#include <doca_error.h>

#include "proto/dococore.pb-c.h"
#include "util/clock.h"
#include "util/fdset.h"

/* The longest time that a call waits for its reply, a connect waits to be accepted, and other waits
 * for the daemon take. A thread's wait policy (below) can replace it for its calls. */
#define RPC_TIMEOUT_S  5
#define RPC_TIMEOUT_NS (RPC_TIMEOUT_S * NS_PER_SEC)

struct rpc_request {
	/* DOCOCORE__PACKET__INIT with the body set; the id is set when it is sent */
	Dococore__Packet packet;
	const int *fds;
	size_t n_fds;
	/* The connection that handles in the request belong to; another one is refused. 0: it has
	 * none, or they were read after the caller last waited. */
	unsigned connection;
	doca_error_t
		expected_refusal; /* an expected code that the caller handles: it is not logged */
};

struct rpc_reply {
	Dococore__Packet *packet; /* NULL when the call failed */
	struct fdset fds;
	/* the daemon that replied: object ids in the reply are valid for that daemon only */
	uint8_t daemon_id[16];
	/* the connection that the reply came over: handles and liveness words in it are valid for
	 * that connection only */
	unsigned connection;
};

#define RPC_REPLY_INIT                            \
	{                                         \
		.packet = NULL, .fds = FDSET_INIT \
	}
void rpc_reply_deinit(struct rpc_reply *reply);
#define CLEANUP_REPLY CLEANUP(rpc_reply_deinit)

void rpc_lock(void);
void rpc_unlock(void);

/* --- calls that wait --- */

/*
 * Sends a request and waits for the reply; connects first if there is no connection. Waits at most
 * RPC_TIMEOUT_NS, unless the thread has a wait policy.
 * Returns DOCA_SUCCESS if the reply's body is `expected`. Otherwise records an error sentence and
 * returns the code: the daemon's own for a refusal, NOT_CONNECTED without a daemon, or TIME_OUT.
 */
doca_error_t rpc_call(struct rpc_request *request, Dococore__Packet__BodyCase expected,
		      struct rpc_reply *reply_out);
/*
 * Like rpc_call(). Over an existing connection, the request is sent before the lock is released, so
 * handles that the caller has just read are valid. On success the reply's connection is still the
 * current one. Waits.
 */
doca_error_t rpc_call_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
			     struct rpc_reply *reply_out);
/* Makes a call whose reply is Ok and whose failure is ignored, such as closing an object. Never
 * connects. */
void rpc_call_void(struct rpc_request *request);
/* Like rpc_call_void(). Waits. */
void rpc_call_void_locked(struct rpc_request *request);

/* --- requests without a wait --- */

/* Like rpc_call_void_locked(), but does not wait: the reply is discarded when it arrives. */
void rpc_post_locked(struct rpc_request *request);
/* Sends a packet to which the daemon does not reply. */
void rpc_notify_locked(struct rpc_request *request);

/* A pending call. It belongs to one thread at a time. */
struct rpc_pending;

struct rpc_options {
	/* Called once the reply has arrived or can no longer arrive, on any thread, with the lock
	 * held. Must not block. */
	void (*on_done)(void *user);
	void *user;
	doca_error_t expected_refusal; /* see struct rpc_request */
};

/* Sends the request over the existing connection. Without one, returns NOT_CONNECTED with an error
 * sentence. */
doca_error_t rpc_begin_locked(struct rpc_request *request, const struct rpc_options *options,
			      struct rpc_pending **pending_out);
bool rpc_is_done(const struct rpc_pending *pending);
/* Returns whether the request was sent over the current connection. */
bool rpc_is_current_locked(const struct rpc_pending *pending);
/* Collects the reply of a completed call, with rpc_call()'s results. Frees the call and sets the
 * caller's pointer to NULL. */
doca_error_t rpc_collect(struct rpc_pending **pending, Dococore__Packet__BodyCase expected,
			 struct rpc_reply *reply_out);
/*
 * Gives a call up. `on_done` is not called any more. What a reply brings is given back to the
 * daemon, as client/control/rpc_undo.c lists for each kind of request. Accepts NULL. Returns NULL.
 */
struct rpc_pending *rpc_cancel(struct rpc_pending *pending);
struct rpc_pending *rpc_cancel_locked(struct rpc_pending *pending);
/* Receives all packets that have arrived, unless a waiting thread does so anyway, and sends what is
 * still queued. */
void rpc_receive(void);
void rpc_receive_locked(void);

/* --- the connection --- */

/* Counts the connections so far; a different number means a different connection. */
unsigned rpc_connection_locked(void);
/* Returns the connection's descriptor, or -1 if there is none. The caller may only poll it, or
 * watch it (client/control/rpc_watch.h). It is closed when the connection ends. */
int rpc_fd_locked(void);

/* --- the library's own threads --- */

/* How the calling thread waits for replies. */
struct rpc_wait_policy {
	/* An eventfd, signalled when is_over() may return something else; or -1. */
	int wake_fd;
	/* Returns true once the caller no longer needs the reply: the call then ends with
	 * CONNECTION_ABORTED. Called with the lock held. */
	bool (*is_over)(void);
	uint64_t timeout_ns; /* replaces RPC_TIMEOUT_NS; 0: there is no limit */
};

/* Sets the calling thread's policy and returns the previous one. It is borrowed. NULL: the thread
 * waits RPC_TIMEOUT_NS. */
const struct rpc_wait_policy *rpc_set_wait_policy(const struct rpc_wait_policy *policy);

#endif
