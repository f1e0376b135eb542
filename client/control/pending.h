/*
 * Requests to the daemon whose answers nobody stands and waits for: for who must not be held up
 * while a daemon is away. Answers are taken from the connection by whoever reads it, a call on
 * another thread perhaps, and laid aside. One that nobody wants any more goes to who undoes it.
 * Nothing here connects anew. Threads: a later belongs to one at a time.
 */
#ifndef CLIENT_CONTROL_PENDING_H
#define CLIENT_CONTROL_PENDING_H

#include "client/control/session.h"

struct session_later;

struct session_later_options {
	/* The answer is there, or will not come; under the session's lock, on any thread. */
	void (*came)(void *user);
	void *user;
	/* Undoes what was done for an answer that is not wanted, by session_post_blindly_locked();
	 * the same. NULL: nothing. */
	void (*unwanted)(const struct session_answer *answer);
	doca_error_t quiet_refusal; /* as of a request */
};

/* Sends. NOT_CONNECTED, with a sentence, without a connection. */
doca_error_t session_later_ask_locked(struct session_request *request,
				      const struct session_later_options *options,
				      struct session_later **later_out);
bool session_later_has_come(const struct session_later *later);
/* The connection that it was asked over is the one that there is. */
bool session_later_is_current_locked(const struct session_later *later);
/* Of one that has come: as session_call. It is gone then, and NULL. */
doca_error_t session_later_take(struct session_later **later, Dococore__Packet__BodyCase expected,
				struct session_answer *answer_out);
/* Waits for nobody: while another thread calls the daemon, `came` may be called yet, until what is
 * left for the session's lock after this is done (client/control/deferred.h). NULL is fine. Returns
 * NULL. */
struct session_later *session_later_give_up(struct session_later *later);
struct session_later *session_later_give_up_locked(struct session_later *later);

/* --- for the session --- */

/* True: it was the answer to one of these, which has it now. */
bool session_later_hand_over_locked(struct session_answer *answer);
/* The connection has ended: no answer comes. The sentence was logged; NULL: each has its own. */
void session_laters_end_locked(doca_error_t code, const char *sentence);
/* In a child: they are the parent's. */
void session_laters_forget_locked(void);

#endif
