/*
 * A pending request to this side's daemon for a consumer of the peer, without waiting. If the
 * consumer is on another machine, its slots are imported too. The daemon returns each consumer once
 * only. Threads: one at a time.
 */
#ifndef CLIENT_COMCH_FAST_PATH_CONSUMER_LOOKUP_H
#define CLIENT_COMCH_FAST_PATH_CONSUMER_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "client/control/session.h"

struct comch_link;
struct doca_mmap;
struct mmap_importing;
struct rpc_pending;

struct comch_lookup {
	struct rpc_pending *pending;      /* the current pending request; NULL: none */
	struct rpc_reply answer;          /* a ConsumerReply whose slots are to be imported */
	struct mmap_importing *importing; /* the import of those slots, in progress */
	/* The completed import; NULL: there was nothing to import. */
	struct doca_mmap *import;
};

#define COMCH_LOOKUP_INIT                \
	{                                \
		.answer = RPC_REPLY_INIT \
	}

/* Called when a reply has arrived or can no longer arrive, see client/control/rpc.h. */
struct comch_lookup_waiter {
	void (*on_done)(void *user);
	void *user;
};

/* Returns whether the answer is a ConsumerReply with slots to import. */
bool comch_lookup_needs_import(const struct comch_link *link, const struct rpc_reply *answer);
/* Sends the request. If `answer` is set and names slots, begins only their import. Records an error
 * sentence on failure. */
doca_error_t comch_lookup_begin(struct comch_lookup *lookup, const struct comch_link *link,
				uint32_t consumer_id, const struct comch_lookup_waiter *waiter);
/*
 * Collects a reply, once the pending request has completed. Returns IN_PROGRESS if another request
 * was sent. On SUCCESS the answer, and the import in `lookup`, belong to the caller. On failure an
 * error sentence is recorded. If only the import failed, the answer is returned too, because the
 * daemon does not repeat it.
 */
doca_error_t comch_lookup_collect(struct comch_lookup *lookup, const struct comch_link *link,
				  const struct comch_lookup_waiter *waiter,
				  struct rpc_reply *answer_out);
/* Cancels the request. */
void comch_lookup_cancel(struct comch_lookup *lookup);

/* Another attempt to open a consumer that could not be opened when it was announced. Each
 * submission advances it; nothing else does, and nothing is woken. */
struct comch_retry;

/* Begins an attempt. `known` is the answer that the daemon gave before, which is taken over, or
 * empty. Returns NULL if there is no memory. */
struct comch_retry *comch_retry_new(uint32_t consumer_id, struct rpc_reply *known);
/* Advances the attempt. Returns IN_PROGRESS, without an error sentence, if it must be repeated.
 * Otherwise the results are those of collecting a reply, above. */
doca_error_t comch_retry_advance(struct comch_retry *retry, const struct comch_link *link,
				 struct rpc_reply *answer_out, struct doca_mmap **import_out);
/* Returns whether the attempt takes so long that an error must be reported to the program. */
bool comch_retry_is_late(const struct comch_retry *retry);
/* Frees the attempt. Accepts NULL. */
void comch_retry_free(struct comch_retry *retry);

#endif
