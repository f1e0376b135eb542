/*
 * Consumers of a comch channel: receive queues of one end's client, into which the other end's
 * producers write. The daemon of the consumer's client stores the id and sends what producers need
 * to the other end's daemon. That daemon holds the descriptors until its client fetches them, and
 * the id until the consumer has ended. Over a link that passes no descriptors, the consumer is
 * remote: producers reach its slots through an export descriptor, like a memory map, and the
 * consumer ends with the link. Owned by the channel's end.
 */
#ifndef DAEMON_COMCH_CONSUMER_H
#define DAEMON_COMCH_CONSUMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/account.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "util/export_descriptor.h"
#include "util/fdset.h"
#include "util/list.h"

struct channel;
struct peer;
struct session;

enum consumer_state {
	CONSUMER_REPORTED, /* of this end: the other end's daemon knows it */
	/* The consumer of this end has ended; the other end's daemon does not know it yet. */
	CONSUMER_ENDED,
	CONSUMER_ARRIVED,   /* of the other end: this end is not established yet */
	CONSUMER_ANNOUNCED, /* of the other end: the client was notified */
	CONSUMER_FETCHED,   /* of the other end: the client has the descriptors */
	/* The consumer of the other end has ended; only its event remains to be pushed. */
	CONSUMER_EXPIRED,
};

struct consumer {
	struct channel *channel;
	struct list link; /* channel->consumers or channel->peer_consumers */
	bool is_own;      /* belongs to this end's client */
	enum consumer_state state;
	Dococore__Consumer spec;
	uint8_t slots_export[EXPORT_DESCRIPTOR_LEN]; /* storage for the export descriptor in spec */
	pid_t pid;
	uid_t uid;
	/*
	 * Slots, eventfd, and memfd if any. Of this end: held until the other end's daemon has
	 * them. Of the other end: preceded by a pidfd, and held until the client fetches them.
	 */
	int fds[4];
	size_t n_fds;
	struct charge charge;
	/*
	 * For a consumer of this end, the request that created it; for one of the other end, the
	 * request that fetched it.
	 */
	uint64_t request_id;
	/* For a consumer of the other end: its daemon has listed it since the link came back. */
	bool is_listed;
	uint64_t record_id;
	struct persisted persisted;
};

/* The saved state of a consumer, in a channel that is resumed. */
struct consumer_saved {
	bool is_own;
	uint32_t state;
	Dococore__Consumer spec;
	pid_t pid;
	uid_t uid;
	uint64_t request_id, record_id;
	int fds[4];
	size_t n_fds;
};

/* Restores a consumer. Takes ownership of the descriptors, also on failure. Returns 0 or -errno. */
int consumer_resume(struct channel *channel, const struct consumer_saved *saved,
		    struct consumer **consumer_out);
/* See resume_answer_again(). */
bool consumer_create_again(struct session *session, const Dococore__Packet *packet);
bool consumer_fetch_again(struct session *session, const Dococore__Packet *packet);

/* Persists the consumers of the other end whose fetch has been answered. */
void consumers_persist_answered(struct channel *channel);
/* Puts the record, or puts it anew after a change. */
void persist_consumer(struct consumer *consumer);

const char *consumer_state_name(enum consumer_state state);
/* True if consumers of this channel must be remote ones. */
bool consumers_are_remote(const struct channel *channel);
/* From now on this end accepts events of consumers: pushes those that are due. */
void consumers_announce(struct channel *channel);
/*
 * The channel's peer is linked again: repeats the ends, and the announcements that it may have
 * missed.
 */
void consumers_notify_again(struct channel *channel);
/* The peer has listed this consumer; 0: it may have all of them. */
void consumers_mark_listed(struct channel *channel, uint32_t id);
/* The peer's list is complete: ends the consumers that it did not list. */
void consumers_end_unlisted(struct channel *channel);
/* Call when all objects are restored: pushes the events that are due. */
void consumers_resume_done(struct channel *channel);
/* Ends the channel's consumers with the channel, and notifies the other end if it is linked. */
void consumers_end(struct channel *channel);

int consumer_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_peer_new(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_peer_received(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_peer_gone(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
