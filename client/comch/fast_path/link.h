/*
 * The part of a connection that its producers and consumers share. They may run on other threads
 * than the connection and exist longer. This part is therefore reference-counted, its state is
 * atomic, and its lists are under a lock that only control calls take.
 *
 * The connection's owner creates the link when the connection is UP, and ends it when the peer
 * leaves or the connection is closed. The owner also adds and removes the peer's consumers. A
 * consumer of the peer is a comch_peer_consumer: slots that are mapped in this process and a path
 * to its memory. For a consumer on another machine there is only a copy of its posted receives.
 * Producers hold references to consumers that they send to; one that has ended accepts nothing any
 * more.
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

/* The path by which payloads that do not fit a slot reach a consumer's memory. */
enum comch_path {
	COMCH_PATH_BOUNCE = 0, /* through the slots' memfd */
	COMCH_PATH_DIRECT = 1, /* mapped in this process */
	COMCH_PATH_WRITEV = 2, /* one call of the transport per message */
	COMCH_PATH_REMOTE = 3, /* on another machine, with its slots: client/comch/remote/paths.h */
};

struct comch_remote_slots;
struct doca_mmap;

/* A message in the bounce area. Its room is free once the consumer has passed its slot. */
struct comch_bounced {
	uint64_t slot;
	uint64_t end; /* end position in the area; positions never wrap */
};

#define COMCH_MAX_BOUNCED 64u

/* A try-lock for a consumer's producers, held for a few instructions. A producer that finds it
 * taken does not wait, which could be a system call; its caller must try again. */
struct comch_try_lock {
	_Atomic uint32_t is_held;
};

static inline bool comch_try_lock_acquire(struct comch_try_lock *lock)
{
	return atomic_exchange_explicit(&lock->is_held, 1, memory_order_acquire) == 0;
}

static inline void comch_try_lock_release(struct comch_try_lock *lock)
{
	atomic_store_explicit(&lock->is_held, 0, memory_order_release);
}

/* The bounce area of one peer consumer, used in the order of its slots. */
struct comch_bounce {
	struct comch_try_lock lock; /* protects the members below */
	uint8_t *area;
	uint64_t len;
	uint64_t head, tail; /* positions: written up to head, free below tail */
	uint32_t first, n;
	struct comch_bounced used[COMCH_MAX_BOUNCED];
};

/* The claims on a consumer's receives, see client/comch/fast_path/claim.h. */
struct comch_claims {
	_Atomic(const void *) owner; /* the producer that claims by plain stores; NULL: none */
	_Atomic uint32_t mode;       /* enum comch_claim_mode */
	_Atomic uint32_t busy;       /* the owner is between begin and end */
};

struct comch_peer_consumer {
	/* Members that each message reads. They are constant, except for `ended` and, occasionally,
	 * `posted`. */
	_Atomic uint32_t ended;
	uint32_t id;
	uint32_t mask; /* n_slots - 1 */
	uint32_t stride;
	struct slots_header *header;
	struct slots_desc *descs;
	struct slots_slot *slots;
	uint8_t *bodies;
	uint32_t max_imm_len;
	uint32_t fence;
	enum comch_path path;
	int doorbell_fd;
	_Atomic uint64_t posted; /* the consumer's value, as last read by a producer */
	struct comch_claims claims;
	/* The owner's: the lines of slots before this one are in its core's cache. */
	uint64_t prefetched_until;
	/* For longer messages. */
	uint64_t addr, len; /* the range of the consumer's buffers, in its address space */
	struct transport_region region;
	struct comch_bounce bounce;
	/* Members off the data path. */
	_Atomic uint32_t refs;
	struct list node;
	void *map;
	size_t map_len;
	/* For COMCH_PATH_REMOTE; header and descs are copies. */
	struct comch_remote_slots *remote_slots;
};

struct comch_link {
	_Atomic uint32_t ended; /* 0: up; otherwise 1 + the code */
	_Atomic uint32_t refs;
	_Atomic uint32_t n_dropped; /* counts ended consumers, so that producers release them */
	_Atomic uint32_t n_active;  /* producers and consumers whose contexts are not idle */
	struct doca_dev *dev;       /* a reference is held */
	uint64_t channel_id;
	uint8_t daemon_id[16]; /* the daemon that assigned channel_id */
	bool is_remote;        /* the other end is on another machine */
	char name[64];
	pthread_mutex_t lock; /* protects the members below */
	struct list peer_consumers;
	struct list unopened;             /* the peer's consumers that could not be opened so far */
	struct list consumers, producers; /* lists of struct comch_member, in this process */
	uint32_t n_peer_consumers, n_consumers, n_producers;
	uint32_t last_consumer_id, last_producer_id;
	struct comch_counters retired; /* counters of members that have left */
};

/* The part of a producer or consumer that its link uses. */
struct comch_member {
	struct list node;
	struct comch_link *link;
	/* The context's counters: written by its thread, read by any. */
	const struct counters_line *line;
	int doorbell_fd; /* rung when the link ends; -1: none */
};

/* --- for the connection's owner --- */

/* Returns a link with one reference, or NULL if there is no memory. */
struct comch_link *comch_link_new(struct doca_dev *dev, const char *name, uint64_t channel_id,
				  const uint8_t daemon_id[16]);
struct comch_link *comch_link_ref(struct comch_link *link);
void comch_link_unref(struct comch_link *link);
/*
 * Ends the link; code 0 is an orderly end. Messages that are complete are still delivered. The
 * peer's consumers accept nothing any more and remain in the list until they are detached.
 * Idempotent.
 */
void comch_link_end(struct comch_link *link, doca_error_t code);
/*
 * Reserves a place for a consumer of the peer, before it is fetched: the daemon returns it only
 * once. Records an error sentence on failure. comch_link_attach() or comch_link_release() ends the
 * reservation.
 */
doca_error_t comch_link_reserve(struct comch_link *link, uint32_t consumer_id);
void comch_link_release(struct comch_link *link);
/*
 * Opens a fetched consumer with the daemon's answer, and with the import of its slots if it is on
 * another machine (struct comch_lookup). Returns true if the callback for new consumers must run.
 * It returns false only if the peer broke the rules; that consumer is not announced. If opening or
 * the fetch failed for lack of resources, or because of the device's limit, each send to the
 * consumer tries again and returns the reason for a failure. A consumer that ended before it was
 * fetched, or whose link has ended, accepts nothing; the callbacks for its beginning and its end
 * run all the same.
 */
bool comch_link_attach(struct comch_link *link, uint32_t consumer_id, doca_error_t result,
		       struct rpc_reply *answer, struct doca_mmap *import);
/* Like comch_link_attach(), for a consumer that failed or has no place. answer: the daemon's
 * answer, or NULL. */
bool comch_link_add_unopened(struct comch_link *link, uint32_t consumer_id, doca_error_t result,
			     struct rpc_reply *answer);
/* Composes the request that fetches the consumer. `body` must live as long as the request. */
void comch_link_request(const struct comch_link *link, uint32_t consumer_id,
			Dococore__ConsumerFetch *body, struct rpc_request *request);
/* Removes a consumer. Returns true if the program knows of it. */
bool comch_link_detach(struct comch_link *link, uint32_t consumer_id);
/* Like comch_link_detach(), for any consumer that the program knows. Returns false if there is none
 * left. */
bool comch_link_detach_any(struct comch_link *link, uint32_t *consumer_id_out);
bool comch_link_has_announced(struct comch_link *link);
/* Adds the counters of producers and consumers. */
void comch_link_count(struct comch_link *link, struct comch_counters *counters);

/* Returns whether the daemon that was connected last is the one that made the connection. */
bool comch_link_is_known(const struct comch_link *link);
bool comch_link_is_known_locked(const struct comch_link *link);
/* Records an error sentence for the case that it is not, and returns NOT_CONNECTED. */
doca_error_t comch_link_unknown(const struct comch_link *link, const char *what);
/*
 * Calls the daemon about the connection; `what` names the public call in error sentences. Returns
 * NOT_CONNECTED if a different daemon is connected, for which the connection's number means
 * nothing.
 */
doca_error_t comch_link_call(const struct comch_link *link, const char *what,
			     struct rpc_request *request, Dococore__Packet__BodyCase expected,
			     struct rpc_reply *answer_out);

/* --- for producers and consumers --- */

static inline uint32_t comch_link_ended(const struct comch_link *link)
{
	return atomic_load_explicit(&link->ended, memory_order_acquire);
}

/* Returns the result of a call that needs the link after it has ended. */
static inline doca_error_t comch_link_code(const struct comch_link *link)
{
	return comch_link_ended(link) == 1 ? DOCA_ERROR_NOT_CONNECTED : DOCA_ERROR_CONNECTION_RESET;
}

/* Returns whether the peer's process has exited, so that nothing writes to this process any
 * more. */
static inline bool comch_link_peer_died(const struct comch_link *link)
{
	return comch_link_ended(link) > 1;
}

/*
 * Adds a member, with a reference to the link and a new id, by which its counters are named.
 * Returns false if the limit is reached. `ctx` is the member's context, used until the member
 * leaves.
 */
bool comch_link_join(struct comch_link *link, struct comch_member *member, struct doca_ctx *ctx,
		     bool is_consumer, uint32_t max, uint32_t *id_out);
void comch_link_leave(struct comch_member *member, bool is_consumer);
/* Returns an id that the peer has not seen. */
uint32_t comch_link_consumer_id(struct comch_link *link);
/* Sets the doorbell of a member, or removes it with -1. Returns true if the link is up. */
bool comch_link_set_doorbell(struct comch_member *member, int doorbell_fd);
/* Returns the consumer with a reference for the caller, or NULL if there is none with this id. */
struct comch_peer_consumer *comch_link_find(struct comch_link *link, uint32_t consumer_id);
/*
 * Like comch_link_find(), but tries again to open a consumer whose opening failed. On failure
 * returns NULL and a code with an error sentence; NOT_FOUND comes without one and means that there
 * is no such consumer. Does not wait: the code is AGAIN while the daemon is asked, and
 * CONNECTION_RESET once that takes long, though the attempt continues.
 */
struct comch_peer_consumer *comch_link_find_again(struct comch_link *link, uint32_t consumer_id,
						  doca_error_t *code_out);
void comch_peer_consumer_unref(struct comch_peer_consumer *peer);

static inline bool comch_peer_consumer_has_ended(const struct comch_peer_consumer *peer)
{
	return atomic_load_explicit(&peer->ended, memory_order_relaxed) != 0;
}

/* --- client/comch/fast_path/peer_consumer.c --- */

/* The offsets in a memfd of slots. */
struct comch_slots {
	uint32_t n_slots, stride;
	uint64_t bounce_len;
	size_t desc_at, slot_at, body_at, bounce_at, len;
};

/* Returns false if the numbers are impossible. */
bool comch_slots_plan(struct comch_slots *slots, uint32_t n_slots, uint32_t stride,
		      uint64_t bounce_len);
/* Validates and maps the daemon's answer, and takes the import. On success the caller owns one
 * reference. Records an error sentence on failure. */
doca_error_t comch_peer_consumer_open(const struct comch_link *link, struct rpc_reply *answer,
				      struct doca_mmap *import, uint32_t consumer_id,
				      struct comch_peer_consumer **peer_out);
void comch_peer_consumer_free(struct comch_peer_consumer *peer);
/* Records an error sentence and returns its code: the peer's data is impossible. */
doca_error_t comch_peer_consumer_refuse(const struct comch_link *link, uint32_t id,
					const char *why);

#endif
