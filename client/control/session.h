/*
 * The process's one connection to its side's daemon. The first call that needs the connection opens
 * it, and all objects share it. After the daemon went away, the next call opens it again. Calls
 * block the caller until the reply arrives or a limit of 5 s is reached; none of them is on the
 * data path.
 *
 * Objects that the daemon knows (open devices, exports, servers) register an item. After a
 * reconnect each item is asked, in order of registration, to register with the new daemon. Threads:
 * every function may be called from any thread; there is one lock inside. After a fork the child
 * has no session until it makes its first call, and it must not use the parent's objects.
 */
#ifndef CLIENT_CONTROL_SESSION_H
#define CLIENT_CONTROL_SESSION_H

#include <doca_error.h>

#include "client/control/session_page.h"
#include "proto/dococore.pb-c.h"
#include "proto/shm_layout.h"
#include "util/clock.h"
#include "util/fdset.h"
#include "util/list.h"

/* The longest time that a call waits for its reply, and that a connect waits to be accepted. */
#define RPC_TIMEOUT_NS (5 * NS_PER_SEC)

/* The same limit for callers that only check whether a daemon is back, while others wait for
 * them. */
#define SESSION_ENSURE_TIMEOUT_NS (200 * NS_PER_MS)

struct session_item {
	struct list node;
	/* Registers the object with the new daemon. Called with the session's lock held; uses
	 * rpc_call_locked() only. */
	void (*on_reconnect)(struct session_item *item);
	/* Called when this process drops the connection; the next call to the daemon opens another.
	 * May be NULL. The session's lock is held; the callback must only set flags. */
	void (*on_disconnect)(struct session_item *item);
};

struct rpc_request {
	/* DOCOCORE__PACKET__INIT with the body set; the session sets the id */
	Dococore__Packet packet;
	const int *fds;
	size_t n_fds;
	doca_error_t
		expected_refusal; /* an expected code that the caller handles: it is not logged */
};

struct rpc_reply {
	Dococore__Packet *packet; /* NULL when the call failed */
	struct fdset fds;
	/* the daemon that replied: object ids in the reply are valid for that daemon only */
	uint8_t daemon_id[16];
	/* the connection that the reply came over: liveness words in it refer to that connection's
	 * page */
	unsigned connection;
};

#define RPC_REPLY_INIT                            \
	{                                         \
		.packet = NULL, .fds = FDSET_INIT \
	}
void rpc_reply_deinit(struct rpc_reply *answer);
#define CLEANUP_REPLY CLEANUP(rpc_reply_deinit)

/*
 * Sends a request and waits for the reply. Returns DOCA_SUCCESS if the reply's body is `expected`.
 * Otherwise records an error sentence and returns the code: the daemon's own for a refusal,
 * NOT_CONNECTED without a daemon, or TIME_OUT.
 */
doca_error_t rpc_call(struct rpc_request *request, Dococore__Packet__BodyCase expected,
		      struct rpc_reply *answer_out);
doca_error_t rpc_call_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
			     struct rpc_reply *answer_out);
/* Connects if there is no connection, and restores all objects. A caller that puts a handle into a
 * request calls this first, under the lock, because a reconnect replaces the handles. */
doca_error_t session_ensure_locked(void);
/* Like session_ensure_locked(), but waits at most 200 ms. For pollers. With is_quiet, a missing
 * daemon is not logged again. */
doca_error_t session_ensure_timeout_locked(bool is_quiet);
/* Counts the forks that the session detected between the process that first connected and this one.
 * If the number has changed, objects opened before belong to another process. */
unsigned session_n_forks_locked(void);
/* Sends a request whose reply is Ok and whose failure is ignored, such as closing an object. Waits
 * for the reply. Never reconnects. */
void rpc_call_void(struct rpc_request *request);
/* For requests that contain a handle: a reconnect by another thread in between could give the
 * number to another object. */
void rpc_call_void_locked(struct rpc_request *request);
/* Like rpc_call_void_locked(), but does not wait for the reply, because the daemon may be
 * slow to answer. */
void rpc_post_locked(struct rpc_request *request);
/* Like rpc_post_locked(), but does not read the connection first. For code that is
 * called while the connection is read. */
void rpc_post_unchecked_locked(struct rpc_request *request);
/* Sends a packet to which the daemon does not reply. */
void rpc_notify_locked(struct rpc_request *request);

/* --- requests without a blocking wait, see client/control/rpc.h --- */

/* Sends over the existing connection. Without one, returns NOT_CONNECTED with an error sentence. */
doca_error_t session_send_locked(struct rpc_request *request);
/* Receives all packets that have arrived, and sends what is still queued. */
void rpc_receive_locked(void);
/* Counts the connections so far; a different number means a different connection. */
unsigned session_n_connections_locked(void);
/* Returns the result of a call from its answer, and records an error sentence if it failed. */
doca_error_t rpc_reply_check(const struct rpc_reply *answer, const char *name,
			     Dococore__Packet__BodyCase expected, doca_error_t expected_refusal);

/*
 * Marks the calling thread as the library's own. It searches for a daemon with the snapshot of the
 * environment that an application thread took last, because the application may change its
 * environment at any time.
 */
void session_on_own_thread(void);

/* Returns true if the connection has ended, and with it everything that the daemon kept for it.
 * Does not reconnect. */
bool session_is_over_locked(void);
/* Checks whether the daemon has hung up. If so, calls `cut` of all items. Neither connects nor
 * waits: if another thread is making a call, that thread finds out by itself. */
void session_check_hangup(void);
/* Like session_check_hangup(), but never skips the check. If another thread holds the lock, that
 * thread checks before it unlocks. For callers that do not call again. */
void session_check_hangup_deferred(void);
/* Returns the connection's descriptor, or -1 if there is none. The caller may only poll it for
 * hang-up. It is closed when the connection is dropped. */
int session_fd_locked(void);

/* Locks the session. Callers hold the lock while an object and its registration change together. */
void session_lock(void);
/* For callers that must not wait for another thread's call. */
bool session_try_lock(void);
void session_unlock(void);
void session_item_add_locked(struct session_item *item);
void session_item_remove_locked(struct session_item *item);

/* Returns the connected daemon's side, "host" or "dpu", and its 16-byte id. Connects if needed. */
doca_error_t session_get_side(char side_out[8], uint8_t daemon_id_out[16]);
/* Returns the side and id of the daemon that the preceding call under the same lock was made to. */
void session_get_side_locked(char side_out[8], uint8_t daemon_id_out[16]);
/* Returns the id of the daemon that was connected last. Object ids of other daemons are meaningless
 * to it. */
const uint8_t *session_daemon_id_locked(void);
/* Returns the current page with one more reference, or NULL without a connection. The session's
 * lock is held. */
struct session_page *session_page_ref_locked(void);

#endif
