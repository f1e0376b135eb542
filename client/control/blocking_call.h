/*
 * Blocking daemon calls for the library's own threads (client/control/worker.h), on which no
 * application thread waits. A call over an established connection lasts until the daemon replies.
 * The session's lock is free meanwhile, so that application threads can make calls or try the lock.
 * State read before such a call may therefore have changed when it returns. One-way requests of
 * such a thread do not wait at all. Threads: the wait policy is per thread.
 */
#ifndef CLIENT_CONTROL_BLOCKING_CALL_H
#define CLIENT_CONTROL_BLOCKING_CALL_H

#include "client/control/session.h"

struct session_wait_policy {
	/* An eventfd, signalled when the reply has arrived or when is_over() may return something
	 * else. */
	int wake_fd;
	/* Returns true once the caller no longer needs the reply. Called with the session's lock
	 * held. */
	bool (*is_over)(void);
};

/* Sets the wait policy of the calling thread. The policy is borrowed. NULL restores the default:
 * wait at most 5 s with the session's lock held. */
void session_set_wait_policy(const struct session_wait_policy *policy);
bool session_has_wait_policy(void);

/* --- used by the session only --- */

/* Like rpc_call_locked(), for a thread with a wait policy and over the existing connection. If
 * the reply is no longer wanted when it arrives, its effect on the daemon is reversed. */
doca_error_t session_wait_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
				 struct rpc_reply *answer_out);

#endif
