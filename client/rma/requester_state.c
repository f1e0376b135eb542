/* The life cycle of a requester's peer; see client/rma/requester_state.h. */
#include "client/rma/requester_state.h"

#define TO LIFECYCLE_TO
/* From every state of a call: it fails, or the daemons lose it. */
#define OUT (TO(REQUESTER_LOST) | TO(REQUESTER_FAILED))

static const char *const states[REQUESTER_N_STATES] = {
	[REQUESTER_NEW] = "new",
	[REQUESTER_CALL_DUE] = "call due",
	[REQUESTER_CALL_SENT] = "call sent",
	[REQUESTER_CALLED] = "called",
	[REQUESTER_FETCH_DUE] = "fetch due",
	[REQUESTER_FETCH_SENT] = "fetch sent",
	[REQUESTER_CONNECTING] = "connecting",
	[REQUESTER_LOST] = "stream lost",
	[REQUESTER_READY] = "ready",
	[REQUESTER_FAILED] = "failed",
};

/* A peer that reconnects is called again when the daemons end its call. */
static const uint32_t next[REQUESTER_N_STATES] = {
	[REQUESTER_NEW] = TO(REQUESTER_CALL_DUE),
	[REQUESTER_CALL_DUE] = OUT | TO(REQUESTER_CALL_SENT),
	[REQUESTER_CALL_SENT] = OUT | TO(REQUESTER_CALLED),
	[REQUESTER_CALLED] = OUT | TO(REQUESTER_CALL_DUE) | TO(REQUESTER_FETCH_DUE),
	[REQUESTER_FETCH_DUE] = OUT | TO(REQUESTER_CALL_DUE) | TO(REQUESTER_FETCH_SENT),
	[REQUESTER_FETCH_SENT] = OUT | TO(REQUESTER_CALL_DUE) | TO(REQUESTER_CONNECTING) |
				 TO(REQUESTER_READY),
	[REQUESTER_CONNECTING] = OUT | TO(REQUESTER_READY),
	[REQUESTER_LOST] = TO(REQUESTER_CALL_DUE) | TO(REQUESTER_FAILED),
	[REQUESTER_READY] = OUT,
	[REQUESTER_FAILED] = TO(REQUESTER_CALL_DUE),
};

const struct lifecycle requester_lifecycle = {"requester's peer", REQUESTER_N_STATES, states, next};

void requester_peer_enter(struct requester *requester, struct requester_peer *peer,
			  enum requester_state to)
{
	requester->n_calling -= requester_is_calling(peer);
	requester->n_unanswered -= peer->state == REQUESTER_CALL_SENT;
	peer->state = lifecycle_enter(&requester_lifecycle, peer, peer->state, to);
	requester->n_calling += requester_is_calling(peer);
	requester->n_unanswered += to == REQUESTER_CALL_SENT;
	if (to != REQUESTER_CALL_SENT && to != REQUESTER_FETCH_SENT)
		peer->pending = rpc_cancel(peer->pending);
}

void requester_peer_ready(struct requester *requester, struct requester_peer *peer)
{
	requester_peer_enter(requester, peer, REQUESTER_READY);
	peer->is_reconnecting = false;
	peer->reason = NULL;
}

void requester_peer_fail(struct requester *requester, struct requester_peer *peer,
			 enum requester_failure failure, const char *reason)
{
	requester_peer_enter(requester, peer, REQUESTER_FAILED);
	peer->is_reconnecting = false;
	peer->failure = failure;
	peer->reason = reason;
	if (peer->qp != NULL)
		(void)requester->ops->qp_disconnect(peer->qp);
}
