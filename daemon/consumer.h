/*
 * Consumers of a comch channel: where one end's client takes messages that the other end's
 * producers write. Its daemon keeps the id and sends what producers need to the other end's daemon,
 * which keeps the descriptors until its client fetches them, and the id until the consumer has
 * ended. Owned by the channel's end.
 */
#ifndef DAEMON_CONSUMER_H
#define DAEMON_CONSUMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/account.h"
#include "proto/frame.h"
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
};

struct consumer {
	struct channel *channel;
	struct list link; /* channel->consumers or channel->peer_consumers */
	bool is_own;      /* of this end */
	enum consumer_state state;
	Dococore__Consumer spec;
	pid_t pid;
	uid_t uid;
	int fds[4]; /* of the other end, until fetched: pidfd, slots, eventfd, memfd */
	size_t n_fds;
	struct charge charge;
};

const char *consumer_state_name(enum consumer_state state);
/* This end can be told of consumers from now on: those that came before are. */
void consumers_announce(struct channel *channel);
/* The channel's peer is there again: it is told what ended in between. */
void consumers_tell_ended(struct channel *channel);
/* The channel ends: so do its consumers, and the other end is told if it is linked. */
void consumers_end(struct channel *channel);

int consumer_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_peer_new(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int consumer_on_peer_gone(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
