/* Functions that channel.c and channel_peer.c share. */
#ifndef DAEMON_COMCH_CHANNEL_INTERNAL_H
#define DAEMON_COMCH_CHANNEL_INTERNAL_H

#include "daemon/base/lifecycle.h"
#include "daemon/comch/channel.h"

struct channel *channel_find(struct daemon *daemon, uint64_t id);
/* The one function that changes the state. An impossible transition is a bug, see lifecycle.h. */
void channel_enter(struct channel *channel, enum channel_state state);
/*
 * Converts the state for a record. A separate flag of the record says that the channel has ended.
 */
enum channel_record_state channel_record_state(enum channel_state state);
/* Returns the state in which a restored channel begins. */
enum channel_state channel_restored_state(enum channel_record_state state, bool has_ended);
/* For tests. */
extern const struct lifecycle channel_lifecycle;
/*
 * Creates an end for the session: the server's end if service is not NULL. Returns 0, -EDQUOT,
 * -ENOMEM or another -errno.
 */
int channel_new(struct session *session, struct service *service, struct channel **channel_out);
/*
 * Restores an end of an earlier daemon instance. Takes ownership of the descriptors of its event
 * ring.
 */
int channel_new_restored(struct session *session, struct service *service, uint64_t id,
			 const int ring_fds[2], struct channel **channel_out);
/* Pushes an event to this end's client exactly once, even if the daemon restarts. */
void channel_notify(struct channel *channel, enum event_type type);
/* Pushes the final event. Free the channel afterwards. */
void channel_notify_end(struct channel *channel, uint32_t code);
struct event_out *channel_events(struct channel *channel);
/* Closes the descriptors after the other daemon, or this end's client, has received them. */
void channel_close_fds(struct channel *channel);
/*
 * Push an event about a consumer of the other end, and cancel such an event if the client has not
 * seen it yet and many events are queued.
 */
void channel_push_consumer(struct channel *channel, enum event_type type, uint32_t consumer);
bool channel_cancel_consumer(struct channel *channel, enum event_type type, uint32_t consumer);
/*
 * Returns this daemon's end for a notice of a peer, or NULL if it is gone. channel_id is 0 while
 * the sender does not know it.
 */
struct channel *channel_find_for_peer(struct peer *peer, uint64_t channel_id, uint64_t sender_id);
/*
 * Notifies this end's client that the other end closed, failed or cannot be reached, and frees the
 * channel.
 */
void channel_end_by_peer(struct channel *channel, uint32_t code);
/*
 * The answer to this channel's request is lost. Repeats the request when the link is back, or at
 * once to the peers that are linked. May end the channel.
 */
void channel_await_link(struct channel *channel);
/* Asks the linked peers for the service, one after the other. The result is an event. */
void channel_start_asking(struct channel *channel);
/* Sends the accepted channel's descriptors to the client's daemon. Returns 0 or -ENOTCONN. */
int channel_send_ready(struct channel *channel);
/*
 * Like channel_send_ready(), over a link without descriptors: the client's daemon creates its own
 * memory.
 */
int channel_send_ready_relay(struct channel *channel);
/* Creates this end's relay. Returns 0, -EDQUOT, -EINVAL, -ENOMEM or another -errno. */
int channel_relay(struct channel *channel);
/* True if the peer's daemon supports PeerEnds, and confirms objects that it has received. */
bool channel_peer_knows_ends(const struct peer *peer);
void channel_init_request(struct channel *channel);
/*
 * Watches server's ends that lost their client's daemon: they end if it does not come back in time.
 */
void channels_watch_orphans(struct daemon *daemon);
/* Drops the record, because the peer reports that the channel has ended. */
void unresolved_end_forget(struct peer *peer, uint64_t id);

#endif
