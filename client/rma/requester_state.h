/* The life cycle of a requester's peer, a part of the requester (client/rma/requester.h), whose
 * other files change it by these functions only. Threads: those of the requester. */
#ifndef CLIENT_RMA_REQUESTER_STATE_H
#define CLIENT_RMA_REQUESTER_STATE_H

#include "client/base/lifecycle.h"
#include "client/rma/requester.h"

extern const struct lifecycle requester_lifecycle;

/* Changes the state. A pending request that the new state does not wait for is cancelled. */
void requester_peer_enter(struct requester *requester, struct requester_peer *peer,
			  enum requester_state to);
void requester_peer_ready(struct requester *requester, struct requester_peer *peer);
/* Fails the peer. A later failure replaces the earlier reason, which is borrowed. */
void requester_peer_fail(struct requester *requester, struct requester_peer *peer,
			 enum requester_failure failure, const char *reason);

#endif
