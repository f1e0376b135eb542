/*
 * Fetching what an event announced from the daemon: a channel, or a consumer of the peer. Progress
 * does not wait for the reply. One fetch is in progress at a time, and the next event is handled
 * after it. Events are therefore handled in order, and remain in the event ring until then.
 * Messages of existing connections are delivered meanwhile. For a consumer on another machine, its
 * memory is imported too (client/comch/fast_path/consumer_lookup.h), also without waiting.
 *
 * A client whose daemon is lost before the reply is not connected yet. For RPC_TIMEOUT_NS it
 * searches at intervals for the next daemon, which receives the request for the connection again.
 *
 * The owner receives a reply when it polls, or another thread's call does and rings the event ring.
 * A sleeping owner's engine also watches the daemon's connection. Threads: the owner's.
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
struct rpc_reply;

struct comch_fetch {
	/* The pending request is NULL if it is not sent yet, or if retry_ns is set. At the end
	 * ask.import is the import of a consumer's slots, or NULL. */
	struct comch_lookup lookup;
	/* For a client whose daemon is gone: when to search for the next one, and until when. 0:
	 * the daemon is there. */
	uint64_t retry_ns, give_up_ns;
	uint64_t channel_id;
	uint32_t consumer_id; /* 0: the channel is fetched */
	uint32_t n_polls;
	/* For a consumer: its connection, valid if that still has this `generation`, and the link
	 * with a place reserved for it and a reference. */
	struct doca_comch_connection *conn;
	struct comch_link *link;
	uint32_t generation;
	uint8_t daemon_id[16]; /* the daemon that was asked; 0: none */
	/* The owner is reading the connection with the session's lock held. */
	bool is_reading;
	bool watches_session; /* for replies */
};

void comch_fetch_init(struct comch_fetch *fetch);
/* Begins to fetch a channel; no fetch may be in progress. comch_fetch_advance() sends it. */
void comch_fetch_channel(struct comch *comch, uint64_t channel_id);
/* Begins to fetch a consumer, after comch_link_reserve(). The end of the fetch releases the
 * place. */
void comch_fetch_consumer(struct doca_comch_connection *conn, uint32_t consumer_id);
/*
 * Advances the fetch. Returns IN_PROGRESS, without an error sentence, while there is no reply.
 * Otherwise the fetch has ended: with SUCCESS and the reply, or with a code and its error sentence.
 * `fetch_out` describes it; the caller owns its link with the place, and its import.
 */
doca_error_t comch_fetch_advance(struct comch *comch, struct comch_fetch *fetch_out,
				 struct rpc_reply *answer_out);
/* Cancels a fetch, if one is in progress. Takes the session's lock. */
void comch_fetch_cancel(struct comch *comch);
/* Before sleeping, while a fetch is in progress: returns true if it is time to advance it. */
bool comch_fetch_arm(struct comch *comch);

#endif
