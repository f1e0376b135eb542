/*
 * What producers and consumers see of their connection, and of each other. They may live on other
 * threads than the connection, and longer: so this part is counted by references, its state is
 * atomic, and its lists are under a lock that only control calls take.
 *
 * The connection's owner makes the link when the connection is up, ends it when the peer leaves or
 * the connection is closed, and tells it which consumers of the peer come and go. A consumer of the
 * peer is a comch_remote: slots mapped here, and a way to its memory; of one on another machine
 * only a copy of what it has posted. Producers keep references to those that they send to; one that
 * is `gone` takes nothing any more.
 */
#ifndef CLIENT_COMCH_FAST_PATH_LINK_H
#define CLIENT_COMCH_FAST_PATH_LINK_H

#include <pthread.h>
#include <stdatomic.h>

#include "client/base/error.h"
#include "client/control/session.h"
#include "client/memory/transport.h"
#include "client/progress/ctx.h"
#include "proto/ring.h"
#include "proto/shm_layout.h"
#include "util/list.h"

struct comch_counters {
	uint64_t sent_msgs, sent_bytes, recv_msgs, recv_bytes;
};

/* How payloads that do not fit a slot reach a consumer's memory. */
enum comch_way {
	COMCH_WAY_BOUNCE = 0, /* through the slots' memfd */
	COMCH_WAY_DIRECT = 1, /* mapped here */
	COMCH_WAY_WRITEV = 2, /* one call of the transport */
	COMCH_WAY_FAR = 3,    /* on another machine, as is all of it: client/comch/remote/paths.h */
};

struct comch_far_slots;
struct doca_mmap;

/* A message in the bounce area: free once the consumer has passed its slot. */
struct comch_bounced {
	uint64_t slot;
	uint64_t end; /* position in the area, counted from the beginning of time */
};

#define COMCH_MAX_BOUNCED 64u

/*
 * The turn of one of the producers of a consumer, for a few instructions. Who finds it taken does
 * not wait, which could be a system call, but is told to come again.
 */
struct comch_turn {
	_Atomic uint32_t is_taken;
};

static inline bool comch_turn_take(struct comch_turn *turn)
{
	return atomic_exchange_explicit(&turn->is_taken, 1, memory_order_acquire) == 0;
}

static inline void comch_turn_give(struct comch_turn *turn)
{
	atomic_store_explicit(&turn->is_taken, 0, memory_order_release);
}

/* The bounce area of one remote consumer, used in order of its slots. */
struct comch_bounce {
	struct comch_turn turn; /* the rest */
	uint8_t *area;
	uint64_t len;
	uint64_t head, tail; /* positions: written up to head, free below tail */
	uint32_t first, n;
	struct comch_bounced used[COMCH_MAX_BOUNCED];
};

/* Who claims receives of a consumer, see client/comch/fast_path/claim.h. */
struct comch_claims {
	_Atomic(const void *) owner; /* the producer that claims by plain stores; NULL: none */
	_Atomic uint32_t mode;       /* enum comch_claim_mode */
	_Atomic uint32_t busy;       /* the owner is about to claim */
};

struct comch_remote {
	/* Each message reads these; nobody writes them but for `gone` and, once in a while,
	 * `posted`. */
	_Atomic uint32_t gone;
	uint32_t id;
	uint32_t mask; /* n_slots - 1 */
	uint32_t stride;
	struct slots_header *header;
	struct slots_desc *descs;
	struct slots_slot *slots;
	uint8_t *bodies;
	uint32_t max_imm_len;
	uint32_t fence;
	enum comch_way way;
	int bell_fd;
	_Atomic uint64_t posted; /* the consumer's, as last seen by a producer */
	struct comch_claims claims;
	uint64_t taken_ahead; /* the owner's: the lines of slots before this one are at its core */
	/* Longer messages. */
	uint64_t addr, len; /* where the consumer's buffers lie, in its addresses */
	struct xport_region region;
	struct comch_bounce bounce;
	/* Cold. */
	_Atomic uint32_t refs;
	struct list node;
	void *map;
	size_t map_len;
	struct comch_far_slots *far; /* with COMCH_WAY_FAR: header and descs are copies */
};

struct comch_link {
	_Atomic uint32_t ended; /* 0: up; else 1 + the code */
	_Atomic uint32_t refs;
	_Atomic uint32_t n_dropped; /* remotes that are gone: producers let go of them */
	_Atomic uint32_t n_active;  /* producers and consumers whose contexts are not idle */
	struct doca_dev *dev;       /* held */
	uint64_t channel_id;
	uint8_t daemon_id[16]; /* who knows channel_id */
	bool far_consumers;    /* the other end is on another machine */
	char name[64];
	pthread_mutex_t lock; /* the rest */
	struct list remotes;
	struct list missed; /* consumers of the peer that could not be taken over, as yet */
	struct list consumers, producers; /* of this process, struct comch_member */
	uint32_t n_remotes, n_consumers, n_producers;
	uint32_t last_consumer_id, last_producer_id;
	struct comch_counters retired; /* of members that are gone */
};

/* A producer or consumer as its link knows it. */
struct comch_member {
	struct list node;
	struct comch_link *link;
	const struct counters_line *line; /* of its context: written by its thread, read by any */
	int bell_fd;                      /* rung when the link ends; -1: none */
};

/* --- the connection's owner --- */

/* NULL: out of memory. One reference. */
struct comch_link *comch_link_new(struct doca_dev *dev, const char *name, uint64_t channel_id,
				  const uint8_t daemon_id[16]);
struct comch_link *comch_link_ref(struct comch_link *link);
void comch_link_unref(struct comch_link *link);
/* code 0: orderly. What is completed already is still delivered. The peer's consumers take nothing
 * any more, and stay known until they are detached. May be called twice. */
void comch_link_end(struct comch_link *link, doca_error_t code);
/*
 * A consumer of the peer has come, and is to be fetched: a place among the others, before the
 * daemon gives it away for good. SUCCESS, or a code with its sentence. Given back by attach, or
 * release.
 */
doca_error_t comch_link_reserve(struct comch_link *link, uint32_t consumer_id);
void comch_link_release(struct comch_link *link);
/*
 * It was fetched, and its slots imported if it is on another machine (struct comch_ask): takes it
 * over, with the answer and the import. True if the callback for new consumers is to run, which is
 * so in all cases but one: the peer broke the rules, and that consumer was never there. If this, or
 * the fetch, failed for lack of something, or beyond the device's limit, each send to it tries
 * again, and returns why it cannot be. One that ended before it was fetched, or whose link has
 * ended, takes nothing; the callbacks for its beginning and its end run all the same.
 */
bool comch_link_attach(struct comch_link *link, uint32_t consumer_id, doca_error_t result,
		       struct session_answer *answer, struct doca_mmap *import);
/* The same of one that there is no place for, or that failed. answer: what the daemon gave; NULL:
 * nothing. */
bool comch_link_miss(struct comch_link *link, uint32_t consumer_id, doca_error_t result,
		     struct session_answer *answer);
/* What fetches it. `body` lives as long as the request. */
void comch_link_request(const struct comch_link *link, uint32_t consumer_id,
			Dococore__ConsumerFetch *body, struct session_request *request);
/* True if the program was told of it. */
bool comch_link_detach(struct comch_link *link, uint32_t consumer_id);
/* The same for any one of those that the program was told of; false: there is none left. */
bool comch_link_detach_any(struct comch_link *link, uint32_t *consumer_id_out);
bool comch_link_has_told(struct comch_link *link);
/* Adds what producers and consumers moved. */
void comch_link_count(struct comch_link *link, struct comch_counters *counters);

/* The daemon that was connected last is the one that made the connection. */
bool comch_link_is_known_locked(const struct comch_link *link);
/* NOT_CONNECTED with its sentence, if it is not. */
doca_error_t comch_link_unknown(const struct comch_link *link, const char *what);
/* Calls the daemon about the connection; `what` names the public call in sentences. NOT_CONNECTED
 * if it is another daemon by now, to which the connection's number means nothing. */
doca_error_t comch_link_call(const struct comch_link *link, const char *what,
			     struct session_request *request, Dococore__Packet__BodyCase expected,
			     struct session_answer *answer_out);

/* --- producers and consumers --- */

static inline uint32_t comch_link_ended(const struct comch_link *link)
{
	return atomic_load_explicit(&link->ended, memory_order_acquire);
}

/* After the link has ended: what a call that needs it returns. */
static inline doca_error_t comch_link_code(const struct comch_link *link)
{
	return comch_link_ended(link) == 1 ? DOCA_ERROR_NOT_CONNECTED : DOCA_ERROR_CONNECTION_RESET;
}

/* The peer's process is gone: nobody writes to us any more. */
static inline bool comch_link_peer_died(const struct comch_link *link)
{
	return comch_link_ended(link) > 1;
}

/* Takes a reference of the link and a new id, with which the counters are named. false: the limit
 * is reached. ctx: of the member, until it leaves. */
bool comch_link_join(struct comch_link *link, struct comch_member *member, struct doca_ctx *ctx,
		     bool is_consumer, uint32_t max, uint32_t *id_out);
void comch_link_leave(struct comch_member *member, bool is_consumer);
/* An id that the peer has not seen. */
uint32_t comch_link_consumer_id(struct comch_link *link);
/* The bell of a member, or -1 to take it away; true if the link is up. */
bool comch_link_set_bell(struct comch_member *member, int bell_fd);
/* With a reference of the caller's; NULL: there is none of this id. */
struct comch_remote *comch_link_find(struct comch_link *link, uint32_t consumer_id);
/* The same after another try to take it over, if that failed when it came. NULL with a sentence and
 * the code, which is NOT_FOUND without a sentence if there is no such consumer. Does not wait:
 * AGAIN while the daemon is asked, and CONNECTION_RESET if that takes long, which goes on all the
 * same. */
struct comch_remote *comch_link_find_again(struct comch_link *link, uint32_t consumer_id,
					   doca_error_t *code_out);
void comch_remote_unref(struct comch_remote *remote);

static inline bool comch_remote_gone(const struct comch_remote *remote)
{
	return atomic_load_explicit(&remote->gone, memory_order_relaxed) != 0;
}

/* --- client/comch/fast_path/peer_consumer.c --- */

/* What lies where in a slots memfd. */
struct comch_slots {
	uint32_t n_slots, stride;
	uint64_t bounce_len;
	size_t desc_at, slot_at, body_at, bounce_at, len;
};

/* false: the numbers are not possible. */
bool comch_slots_plan(struct comch_slots *slots, uint32_t n_slots, uint32_t stride,
		      uint64_t bounce_len);
/* Checks and maps what the daemon told, takes the import. SUCCESS and one reference, or a code with
 * its sentence. */
doca_error_t comch_remote_open(const struct comch_link *link, struct session_answer *answer,
			       struct doca_mmap *import, uint32_t consumer_id,
			       struct comch_remote **remote_out);
void comch_remote_free(struct comch_remote *remote);
/* The code with its sentence: what the peer says of itself is impossible. */
doca_error_t comch_remote_refuse(const struct comch_link *link, uint32_t id, const char *why);

#endif
