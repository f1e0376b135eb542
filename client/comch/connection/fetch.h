/*
 * What a server or client asks its daemon for because an event told it to: a channel, or a consumer
 * of the peer. Progress does not wait for the answer. One is asked for at a time, and the next
 * event is taken after it: so all that the daemon tells is seen in its order, and what is not taken
 * stays in the event ring. Messages of connections that stand go on meanwhile. Of a consumer on
 * another machine the memory is imported besides (client/comch/fast_path/consumer_lookup.h),
 * without a wait either.
 *
 * A client whose daemon goes before it has the answer is not connected yet: for a call's time it
 * looks for the next one now and then, which is asked for the connection anew.
 *
 * An answer is read by the owner when it polls, or by another thread's call, which rings the bell
 * of the event ring. Who sleeps watches a duplicate of the daemon's connection besides. Threads:
 * the owner's.
 */
#ifndef CLIENT_COMCH_CONNECTION_FETCH_H
#define CLIENT_COMCH_CONNECTION_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "client/comch/fast_path/consumer_lookup.h"

struct comch;
struct comch_link;
struct doca_comch_connection;
struct session_answer;

struct comch_fetch {
	/* ask.later NULL: it is still to be asked for, or retry_ns is set. In the end ask.import is
	 * what a consumer's slots were imported by, or NULL. */
	struct comch_ask ask;
	/* A client's, whose daemon went: when to look for the next, and until when; 0: it is there.
	 */
	uint64_t retry_ns, give_up_ns;
	uint64_t channel_id;
	uint32_t consumer_id; /* 0: the channel */
	uint32_t n_looks;
	/* Of a consumer: its connection, if that still has this life, and the link that has a place
	 * for it, with a reference. */
	struct doca_comch_connection *conn;
	struct comch_link *link;
	uint32_t life;
	uint8_t daemon_id[16]; /* who was asked; 0: nobody */
	bool is_reading;       /* the owner has the session's lock and reads what has come */
	int session_fd;        /* a duplicate, watched; -1: there is none */
};

void comch_fetch_init(struct comch_fetch *fetch);
/* Nothing is being fetched. What it is asked for comes from comch_fetch_go_on(). */
void comch_fetch_channel(struct comch *comch, uint64_t channel_id);
/* After comch_link_reserve(), which the end of it undoes. */
void comch_fetch_consumer(struct doca_comch_connection *conn, uint32_t consumer_id);
/*
 * IN_PROGRESS, without a sentence: there is no answer yet. Else the fetch is over: SUCCESS and the
 * answer, or a code with its sentence; what it was is to be read in `fetch_out`, whose link is the
 * caller's, with the place, and the import.
 */
doca_error_t comch_fetch_go_on(struct comch *comch, struct comch_fetch *fetch_out,
			       struct session_answer *answer_out);
/* Nobody wants it any more; if something is being fetched. The session's lock is held. */
void comch_fetch_drop_locked(struct comch *comch);
/* Before sleeping, while something is fetched: true if it is time to go on. */
bool comch_fetch_arm(struct comch *comch);

#endif
