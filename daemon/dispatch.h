/* Maps each message to its handler: one table for clients and one for peers. */
#ifndef DAEMON_DISPATCH_H
#define DAEMON_DISPATCH_H

#include <stdbool.h>

#include "proto/frame.h"
#include "util/fdset.h"

struct session;
struct peer;

/*
 * A handler sends its own answer. It returns 0, or a negative errno if the packet broke a rule of
 * the protocol, which ends the connection. The caller closes descriptors that the handler did not
 * take.
 */
typedef int (*session_handler_fn)(struct session *session, const Dococore__Packet *packet,
				  struct fdset *fds);
typedef int (*peer_handler_fn)(struct peer *peer, const Dococore__Packet *packet,
			       struct fdset *fds);

struct session_route {
	session_handler_fn fn;
	bool before_hello; /* allowed only as the first packet */
	bool is_notice;    /* carries id 0 and gets no answer */
};

/* Returns NULL if no client may send the message. */
const struct session_route *dispatch_session(const Dococore__Packet *packet);
/* Returns NULL if no peer may send the message as a request or notice. */
peer_handler_fn dispatch_peer(const Dococore__Packet *packet);

#endif
