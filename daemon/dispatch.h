/* Message -> handler. A table each for clients and for peers, no logic. */
#ifndef DAEMON_DISPATCH_H
#define DAEMON_DISPATCH_H

#include <stdbool.h>

#include "proto/frame.h"
#include "util/fdset.h"

struct session;
struct peer;

/*
 * Handlers answer themselves. 0, or a negative errno when the packet broke a rule of the protocol,
 * which ends the connection. Descriptors that they do not take are closed by the caller.
 */
typedef int (*session_handler_fn)(struct session *session, const Dococore__Packet *packet,
				  struct fdset *fds);
typedef int (*peer_handler_fn)(struct peer *peer, const Dococore__Packet *packet,
			       struct fdset *fds);

struct session_route {
	session_handler_fn fn;
	bool before_hello; /* the first packet, and only that */
	bool is_notice;    /* carries id 0 and gets no answer */
};

/* NULL: no client may send it. */
const struct session_route *dispatch_session(const Dococore__Packet *packet);
/* NULL: no peer may send it unasked. */
peer_handler_fn dispatch_peer(const Dococore__Packet *packet);

#endif
