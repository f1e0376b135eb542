/* The pending requests of a requester: one for its rendezvous endpoint, and for
 * each peer a call or the fetching of its result. Threads: those of the requester. */
#ifndef CLIENT_RMA_REQUESTER_CALL_H
#define CLIENT_RMA_REQUESTER_CALL_H

#include "client/rma/requester.h"

/* Returns how long posted requests wait for a daemon that is away: DOCOCORED_RELAY_WAIT_MS, or 10
 * s. */
uint64_t requester_wait_ns(void);
/* Receives all replies of the daemon that have arrived. */
void requester_receive_replies(struct requester *requester);
/* Opens the endpoint. Returns IN_PROGRESS while it is not open. An error sentence is recorded on
 * failure. */
doca_error_t requester_open_rendezvous(struct requester *requester);
/* Begins a call, by the peer's import; requires the endpoint. */
doca_error_t requester_call_begin(struct requester *requester, struct requester_peer *peer);
/* Collects the id of the call. Returns IN_PROGRESS while there is no reply. */
doca_error_t requester_call_end(struct requester_peer *peer);
/* Begins to fetch the result of a call. */
doca_error_t requester_fetch_begin(struct requester *requester, struct requester_peer *peer);
/* Stops watching the session's connection. */
void requester_unwatch_session(struct requester *requester);
/* Cancels all requests if no peer is connecting. */
void requester_cancel_idle(struct requester *requester);
/* Cancels all requests when the requester closes. */
void requester_cancel_all(struct requester *requester);

#endif
