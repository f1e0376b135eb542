/*
 * What a requester that does not wait asks its daemon for, and has no answer to yet: its agent, and
 * for each peer a call or what that brought. Threads: those of the requester.
 */
#ifndef CLIENT_RMA_REQUESTER_CALL_H
#define CLIENT_RMA_REQUESTER_CALL_H

#include "client/rma/requester.h"

/* How long what is under way waits for daemons that went: DOCOCORED_RELAY_WAIT_MS, or 10 s. */
uint64_t requester_ask_wait_ns(void);
/* Takes what the daemon has answered to anybody. */
void requester_ask_drain(struct requester *requester);
/* The session's lock is another thread's: who sleeps is woken when it is free. */
void requester_ask_knock(struct requester *requester);
/* The agent. IN_PROGRESS: not yet. A sentence on failure. */
doca_error_t requester_ask_agent(struct requester *requester);
/* Of one that has an agent: a call, by its import. IN_PROGRESS: try again. */
doca_error_t requester_ask_call(struct requester *requester, struct requester_peer *peer);
/* The same, of what that call brought. */
doca_error_t requester_ask_fetch(struct requester *requester, struct requester_peer *peer);
/* The id of the call is there. IN_PROGRESS: not yet. */
doca_error_t requester_ask_called(struct requester *requester, struct requester_peer *peer);
/* What was asked for the peer is not wanted any more. */
void requester_ask_drop(struct requester *requester, struct requester_peer *peer);
/* Nothing is awaited over the connection of the time. */
void requester_ask_unwatch(struct requester *requester);
/* Nobody is called: whatever was asked for is given up. */
void requester_ask_rest(struct requester *requester);
/* Nothing is wanted any more, nor said. */
void requester_ask_close_locked(struct requester *requester);

#endif
