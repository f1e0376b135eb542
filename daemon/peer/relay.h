/*
 * Messages of a channel between two machines. If the daemons of both ends cannot pass descriptors
 * to each other, each daemon acts as the peer of its own client: it creates the usual memory and
 * the two eventfds, operates the other end of the rings itself, and carries the messages over the
 * peer link. The client's library sees no difference.
 *
 * A message stays in the sender's ring until the other end's client has received it; only
 * PeerChannelCredit releases it. So the rings are the only buffers, and their sizes are the
 * credits. A client that does not receive blocks only the client that sends to it. The number of
 * bytes queued on one link is limited. Channels with messages take turns, one packet each, and the
 * event loop continues after a bounded number of bytes.
 *
 * The client may write anything into its rings; an invalid ring ends its channel. If the peer's
 * daemon sends without credit or in an invalid form, it breaks the protocol, and the link ends.
 *
 * A relay belongs to its channel until the channel ends. After that it belongs to the link while
 * messages of the client are still to be sent. Single-threaded.
 */
#ifndef DAEMON_PEER_RELAY_H
#define DAEMON_PEER_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/peer/peer.h"

struct relay;

/* The relay ends: what names the client's error in its ring, or is NULL if the link is lost. */
typedef void (*relay_broken_fn)(void *user, const char *what);

struct relay_options {
	struct peer *peer;
	struct account *account; /* charged for the memory and the descriptors */
	uint64_t channel_id, peer_channel_id;
	bool is_call;               /* the ids are ids of calls (daemon/rdma/stream.h) */
	bool is_server;             /* this side's client is the server */
	bool has_remote_rings;      /* messages of kind RING_MSG_REMOTE_RING pass */
	uint32_t ring_len, max_msg; /* bytes */
	uint32_t recv_queue_size;   /* of this side's client, in messages */
	uint32_t peer_recv_queue_size;
	relay_broken_fn broken;
	void *user;
};

/* Returns 0, -EDQUOT, -EINVAL (impossible lengths), -ENOMEM or another -errno. */
int relay_new(const struct relay_options *options, struct relay **relay_out);
/*
 * Returns the memory, the eventfd that the client watches and the eventfd that it signals. They
 * stay the relay's.
 */
void relay_get_fds(const struct relay *relay, int fds[3]);
/* The client has received the descriptors. */
void relay_handed_over(struct relay *relay);
/* Handles messages of the other end. Returns 0, or -EPROTO if the peer breaks the protocol. */
int relay_receive(struct relay *relay, const uint8_t *data, size_t len);
/* The other end's client has received this many messages in total. Returns like relay_receive(). */
int relay_credit(struct relay *relay, uint64_t n_msgs);
/*
 * Sends what the client has sent so far before the next message to the peer, as far as the link has
 * room.
 */
void relay_flush(struct relay *relay);
/* The other end closed in order: no message follows those in the ring. */
void relay_hang_up(struct relay *relay);
/*
 * Ends the channel here and sends the code to the other end; if the client closed or died, its
 * earlier messages are sent first. Takes ownership of the relay. Returns NULL.
 */
struct relay *relay_end(struct relay *relay, uint32_t code);
/* Like relay_end(), if the other end knows or cannot be notified. Accepts NULL. Returns NULL. */
struct relay *relay_free(struct relay *relay);

/* Listeners of the link, see dispatch.c. */
void relay_link_writable(struct peer *peer);
void relay_link_lost(struct peer *peer);

#endif
