/*
 * A consumer of the peer that this side's daemon is asked for, without waiting: what it is, and, if
 * it is on another machine, an import of its slots. The daemon gives a consumer away once.
 * Threads: one at a time; the session's lock is held where a name says so.
 */
#ifndef CLIENT_COMCH_FAST_PATH_CONSUMER_LOOKUP_H
#define CLIENT_COMCH_FAST_PATH_CONSUMER_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "client/control/session.h"

struct comch_link;
struct doca_mmap;
struct mmap_importing;
struct session_later;

struct comch_ask {
	struct session_later *later;      /* what is asked for now; NULL: nothing */
	struct session_answer answer;     /* a ConsumerReply whose slots are to be imported */
	struct mmap_importing *importing; /* they are */
	struct doca_mmap *import;         /* the end of that; NULL: there was nothing to import */
};

#define COMCH_ASK_INIT                        \
	{                                     \
		.answer = SESSION_ANSWER_INIT \
	}

/* An answer is there, see client/control/pending.h, or will not come. */
struct comch_ask_waiter {
	void (*came)(void *user);
	void *user;
};

/* A ConsumerReply that names slots to be imported. */
bool comch_ask_is_far(const struct comch_link *link, const struct session_answer *answer);
/* SUCCESS, or a code with its sentence. Only the import, of one that has its `answer`, which names
 * slots. */
doca_error_t comch_ask_begin_locked(struct comch_ask *ask, const struct comch_link *link,
				    uint32_t consumer_id, const struct comch_ask_waiter *waiter);
/* Of one whose `later` has come. IN_PROGRESS: the next thing is asked for. SUCCESS: the answer, and
 * the import in `ask`, which is the caller's; or a code with its sentence, and the answer, if only
 * the import failed: the daemon does not give it again. */
doca_error_t comch_ask_take_locked(struct comch_ask *ask, const struct comch_link *link,
				   const struct comch_ask_waiter *waiter,
				   struct session_answer *answer_out);
/* Nobody wants it any more. */
void comch_ask_give_up_locked(struct comch_ask *ask);

/*
 * Another try for one that could not be taken over when it came, for submissions, which repeat it:
 * nothing else goes on with it, and nobody is woken.
 */
struct comch_retry;

/* known: what the daemon has given, which is taken, or nothing. NULL: out of memory. */
struct comch_retry *comch_retry_new(uint32_t consumer_id, struct session_answer *known);
/* IN_PROGRESS, without a sentence: repeat it. Else as comch_ask_take_locked(). */
doca_error_t comch_retry_go_on(struct comch_retry *retry, const struct comch_link *link,
			       struct session_answer *answer_out, struct doca_mmap **import_out);
/* It has been asked for so long that the program is to be told. */
bool comch_retry_is_late(const struct comch_retry *retry);
/* Waits for nobody. NULL is fine. */
void comch_retry_free_soon(struct comch_retry *retry);

#endif
