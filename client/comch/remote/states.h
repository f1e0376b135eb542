/*
 * The life cycles of remote rings (client/comch/remote/ring.h), one for each direction, and of
 * remote paths (client/comch/remote/path.h). Threads: the owner's.
 */
#ifndef CLIENT_COMCH_REMOTE_STATES_H
#define CLIENT_COMCH_REMOTE_STATES_H

#include "client/base/lifecycle.h"

/* The sending direction. */
enum remote_ring_tx_state {
	REMOTE_RING_TX_RELAYED,    /* messages take the relay, perhaps permanently */
	REMOTE_RING_TX_IMPORTING,  /* the other end's offer is being imported */
	REMOTE_RING_TX_CONNECTING, /* the queue pair is being connected */
	REMOTE_RING_TX_PROBING,    /* the first request is in progress */
	REMOTE_RING_TX_READY,      /* the other end is to be notified */
	REMOTE_RING_TX_UP,         /* messages are written to the other end's remote ring */
	REMOTE_RING_TX_BROKEN,     /* nothing is sent any more */
	REMOTE_RING_TX_N_STATES,
};

/* The receiving direction. */
enum remote_ring_rx_state {
	REMOTE_RING_RX_RELAYED,   /* messages take the relay, and there is no export */
	REMOTE_RING_RX_EXPORTING, /* the offer was not sent yet */
	REMOTE_RING_RX_OFFERED,   /* the offer was sent; messages take the relay */
	REMOTE_RING_RX_UP,        /* the connection receives from the remote ring */
	REMOTE_RING_RX_REVOKED,   /* an operator revoked the export: no more messages arrive */
	REMOTE_RING_RX_N_STATES,
};

/* A producer's path to a consumer of another machine. */
enum remote_path_state {
	REMOTE_PATH_CONNECTING,   /* nothing was posted yet */
	REMOTE_PATH_UP,           /* it was connected, so requests may be in progress */
	REMOTE_PATH_DISCONNECTED, /* not used any more; posted requests are being returned */
	REMOTE_PATH_REFUSED,      /* the consumer was never reached; accepts nothing */
	REMOTE_PATH_BROKEN,       /* accepts nothing any more; messages may be lost */
	REMOTE_PATH_N_STATES,
};

extern const struct lifecycle remote_ring_tx_lifecycle, remote_ring_rx_lifecycle,
	remote_path_lifecycle;

#endif
