/*
 * Calls of a thread of the library's own that nobody waits for (client/control/worker.h): to a
 * daemon that is connected they take as long as it does, and the session's lock is free meanwhile,
 * for calls of the program and for who only tries it: so what these have done by then may be the
 * same. What such a thread only tells a daemon it does not wait for. Threads: each for itself.
 */
#ifndef CLIENT_CONTROL_BLOCKING_CALL_H
#define CLIENT_CONTROL_BLOCKING_CALL_H

#include "client/control/session.h"

struct session_patience {
	int wake_fd; /* an eventfd: is_over may say something else, or an answer is there */
	/* Nobody wants what is called for any more. The session's lock is held. */
	bool (*is_over)(void);
};

/* Of this thread, from here on; borrowed. NULL: it waits as others do. */
void session_set_patience(const struct session_patience *patience);
bool session_is_patient(void);

/* --- for the session --- */

/* As session_call_locked, of a thread that is patient, over the connection that there is. What the
 * daemon did for an answer that nobody wants is undone. */
doca_error_t session_wait_locked(struct session_request *request,
				 Dococore__Packet__BodyCase expected,
				 struct session_answer *answer_out);

#endif
