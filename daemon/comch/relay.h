/*
 * Messages of a channel between two machines. Where the daemons of both ends cannot hand over
 * descriptors, each is the far end of its own client's channel: it makes the same memory and the
 * same two bells as ever, keeps the other end of the rings for itself, and carries the messages
 * over the peer link. The client's library sees no difference.
 *
 * What an end has sent stays in its ring until the other end's client has taken it: a message is
 * given back by PeerChannelCredit only. So the rings are all the memory there is, their sizes are
 * the credits, and a client that does not receive holds up the one that sends to it, and nobody
 * else. Of one link only so many bytes wait to be sent; channels that have some take turns, a
 * packet each, and the loop is left after a bounded number of bytes.
 *
 * What the client writes into its rings is hostile, and ends its channel; what the peer's daemon
 * sends without credit or in the wrong form is a broken protocol, and ends the link.
 *
 * A relay belongs to its channel until that ends, and from then on, while messages of the client
 * are left that the other end is still to get, to the link. Single-threaded.
 */
#ifndef DAEMON_COMCH_RELAY_H
#define DAEMON_COMCH_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/peer/link.h"

struct relay;

/* The client broke its ring: `what` is impossible; or NULL: the link is lost. Ends the relay. */
typedef void (*relay_broken_fn)(void *user, const char *what);

struct relay_options {
	struct peer *peer;
	struct account *account; /* pays for the memory and the descriptors */
	uint64_t channel_id, peer_channel_id;
	bool is_call;               /* these are ids of calls (daemon/rdma/stream.h) */
	bool is_server;             /* this side's client is the server */
	bool mirrors;               /* messages of kind RING_MSG_MIRROR pass */
	uint32_t ring_len, max_msg; /* bytes */
	uint32_t recv_queue_size;   /* of this side's client, messages */
	uint32_t peer_recv_queue_size;
	relay_broken_fn broken;
	void *user;
};

/* 0, -EDQUOT, -EINVAL (impossible lengths), -ENOMEM, -errno. */
int relay_new(const struct relay_options *options, struct relay **relay_out);
/* Memory, the bell that the client waits on, the bell that it rings: the relay's. */
void relay_get_fds(const struct relay *relay, int fds[3]);
/* The client has them. */
void relay_handed_over(struct relay *relay);
/* Messages of the other end. 0, or -EPROTO: the peer breaks the protocol. */
int relay_take(struct relay *relay, const uint8_t *data, size_t len);
/* The other end's client has taken that many so far. The same. */
int relay_credit(struct relay *relay, uint64_t n_msgs);
/* What the client has sent so far leaves before what is said to the peer next, as far as the link
 * has room. */
void relay_flush(struct relay *relay);
/* The other end closed in good order: nothing follows what is in the ring. */
void relay_hang_up(struct relay *relay);
/*
 * The channel ends here; the other end is told the code, after what the client sent before if it
 * closed or died. Takes the relay, and returns NULL.
 */
struct relay *relay_end(struct relay *relay, uint32_t code);
/* The same, and the other end knows, or cannot be told. NULL is fine. Returns NULL. */
struct relay *relay_free(struct relay *relay);

/* For daemon/peer/link.c: fewer bytes wait to be sent; the link is gone, and all channels over it.
 */
void relay_link_room(struct peer *peer);
void relay_link_lost(struct peer *peer);

#endif
