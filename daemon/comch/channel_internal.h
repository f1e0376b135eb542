/* What channel.c and channel_peer.c share. */
#ifndef DAEMON_COMCH_CHANNEL_INTERNAL_H
#define DAEMON_COMCH_CHANNEL_INTERNAL_H

#include "daemon/comch/channel.h"

struct channel *channel_find(struct daemon *daemon, uint64_t id);
/* An end of session's: the server's when service is given. 0, -EDQUOT, -ENOMEM, -errno. */
int channel_new(struct session *session, struct service *service, struct channel **channel_out);
/* One of an earlier instance, with the descriptors of its event ring, which it takes. */
int channel_new_past(struct session *session, struct service *service, uint64_t id,
		     const int ring_fds[2], struct channel **channel_out);
/* An event to this end's client, which it gets once, whatever happens to this process. */
void channel_tell(struct channel *channel, enum event_type type);
/* The last one; the channel is to be freed after it. */
void channel_tell_end(struct channel *channel, uint32_t code);
struct event_out *channel_events(struct channel *channel);
/* Closes what the other daemon, or this end's client, has by now. */
void channel_close_fds(struct channel *channel);
/* The same about one of the other end's consumers; and taking it back, if it was not seen yet and
 * many events wait. */
void channel_push_consumer(struct channel *channel, enum event_type type, uint32_t consumer);
bool channel_cancel_consumer(struct channel *channel, enum event_type type, uint32_t consumer);
/* This daemon's end of what a peer's notice is about; NULL when it is gone. channel_id is 0 while
 * the sender does not know it. */
struct channel *channel_find_for_peer(struct peer *peer, uint64_t channel_id, uint64_t sender_id);
/* The other end closed, failed or cannot be reached: tells this end's client, frees. */
void channel_end_by_peer(struct channel *channel, uint32_t code);
/* Its question is lost: it is asked again, when the link is back or of who is linked. May end it.
 */
void channel_await_link(struct channel *channel);
/* Asks the linked peers for the service, one after the other; the outcome is an event. */
void channel_start_asking(struct channel *channel);
/* The accepted channel's descriptors for the client's end. 0 or -ENOTCONN. */
int channel_send_ready(struct channel *channel);
/* Over a link without descriptors: the client's end makes its own. */
int channel_send_ready_relay(struct channel *channel);
/* Makes this end's relay. 0, -EDQUOT, -EINVAL, -ENOMEM, -errno. */
int channel_relay(struct channel *channel);
/* The daemon knows how to compare what it has with us, and says when it has taken something. */
bool channel_peer_knows_ends(const struct peer *peer);
void channel_init_request(struct channel *channel);
/* Server's ends that lost their client's daemon: they end if it does not come back. */
void channels_watch_strays(struct daemon *daemon);
/* The peer says that the channel has ended. */
void dim_end_forget(struct peer *peer, uint64_t id);

#endif
