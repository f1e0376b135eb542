/*
 * Consumers of a comch channel: where one end's client takes messages that the other end's
 * producers write. Its daemon keeps the id and sends what producers need to the other end's daemon,
 * which keeps the descriptors until its client fetches them, and the id until the consumer has
 * ended. Where the daemons pass no descriptors the consumer is a far one: producers reach its slots
 * by the descriptor of an export, as they would reach a memory map, and it goes with the link.
 * Owned by the channel's end.
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
#include "util/blob.h"
#include "util/fdset.h"
#include "util/list.h"

struct channel;
struct peer;
struct session;

enum consumer_state {
	CONSUMER_TOLD,      /* of this end: the other end's daemon knows it */
	CONSUMER_ENDED,     /* of this end: it does not know yet that this one has ended */
	CONSUMER_ARRIVED,   /* of the other end: this one is not established yet */
	CONSUMER_ANNOUNCED, /* of the other end: the client was told */
	CONSUMER_FETCHED,   /* of the other end: the client has the descriptors */
	CONSUMER_EXPIRED,   /* of the other end: has ended, and only its event is to be pushed */
};

struct consumer {
	struct channel *channel;
	struct list link; /* channel->consumers or channel->peer_consumers */
	bool is_own;      /* of this end */
	enum consumer_state state;
	Dococore__Consumer spec;
	uint8_t slots_export[BLOB_LEN]; /* what spec has of it */
	pid_t pid;
	uid_t uid;
	/* Slots, eventfd, memfd if any: until the other end's daemon has them. Of the other end: a
	 * pidfd before those, until they are fetched. */
	int fds[4];
	size_t n_fds;
	struct charge charge;
	uint64_t request_id; /* of this end: that made it; of the other: that fetched it */
	bool is_listed;      /* of the other end: its daemon has it, since the link came back */
	uint64_t record_id;
	struct kept kept;
};

/* One that an earlier instance had, in a channel that is resumed. */
struct consumer_past {
	bool is_own;
	uint32_t state;
	Dococore__Consumer spec;
	pid_t pid;
	uid_t uid;
	uint64_t request_id, record_id;
	int fds[4];
	size_t n_fds;
};

/* Takes the descriptors, also when it fails. 0 or -errno. */
int consumer_resume(struct channel *channel, const struct consumer_past *past,
		    struct consumer **consumer_out);
/* See resume_answer_again(). */
bool consumer_create_again(struct session *session, const Dococore__Packet *packet);
bool consumer_fetch_again(struct session *session, const Dococore__Packet *packet);

/* Writes down those of the other end whose answer to a fetch has left. */
void consumers_keep_answered(struct channel *channel);

const char *consumer_state_name(enum consumer_state state);
/* Those of the channel's ends can be far ones, and nothing else. */
bool consumers_are_far(const struct channel *channel);
/* This end can be told of consumers from now on: those that came before are. */
void consumers_announce(struct channel *channel);
/* The channel's peer is there again: it is told what ended, and what it may not have got. */
void consumers_tell_again(struct channel *channel);
/* The peer has this one of its consumers; 0: all of them, maybe. */
void consumers_see(struct channel *channel, uint32_t id);
/* The peer has said what it has. */
void consumers_end_unlisted(struct channel *channel);
/* All objects of an earlier instance are there: what was not told is. */
void consumers_resume_done(struct channel *channel);
/* The channel ends: so do its consumers, and the other end is told if it is linked. */
void consumers_end(struct channel *channel);

int consumer_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_peer_new(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_peer_taken(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_peer_gone(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
