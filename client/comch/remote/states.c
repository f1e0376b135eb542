/* The states of remote rings and remote paths; see client/comch/remote/states.h. */
#include "client/comch/remote/states.h"

static const char *const tx_states[REMOTE_RING_TX_N_STATES] = {
	[REMOTE_RING_TX_RELAYED] = "relayed",       [REMOTE_RING_TX_IMPORTING] = "importing",
	[REMOTE_RING_TX_CONNECTING] = "connecting", [REMOTE_RING_TX_PROBING] = "probing",
	[REMOTE_RING_TX_READY] = "ready",           [REMOTE_RING_TX_UP] = "up",
	[REMOTE_RING_TX_BROKEN] = "broken",
};

/* From a state before UP, a failure leads back to the relay, and the end of the connection to
 * BROKEN. */
#define TX_END (LIFECYCLE_TO(REMOTE_RING_TX_RELAYED) | LIFECYCLE_TO(REMOTE_RING_TX_BROKEN))

static const uint32_t tx_next[REMOTE_RING_TX_N_STATES] = {
	[REMOTE_RING_TX_RELAYED] = LIFECYCLE_TO(REMOTE_RING_TX_IMPORTING) |
				   LIFECYCLE_TO(REMOTE_RING_TX_BROKEN),
	[REMOTE_RING_TX_IMPORTING] = LIFECYCLE_TO(REMOTE_RING_TX_CONNECTING) | TX_END,
	[REMOTE_RING_TX_CONNECTING] = LIFECYCLE_TO(REMOTE_RING_TX_PROBING) | TX_END,
	[REMOTE_RING_TX_PROBING] = LIFECYCLE_TO(REMOTE_RING_TX_READY) | TX_END,
	[REMOTE_RING_TX_READY] = LIFECYCLE_TO(REMOTE_RING_TX_UP) | TX_END,
	[REMOTE_RING_TX_UP] = LIFECYCLE_TO(REMOTE_RING_TX_BROKEN),
};

const struct lifecycle remote_ring_tx_lifecycle = {"remote ring, sending", REMOTE_RING_TX_N_STATES,
						   tx_states, tx_next};

static const char *const rx_states[REMOTE_RING_RX_N_STATES] = {
	[REMOTE_RING_RX_RELAYED] = "relayed", [REMOTE_RING_RX_EXPORTING] = "exporting",
	[REMOTE_RING_RX_OFFERED] = "offered", [REMOTE_RING_RX_UP] = "up",
	[REMOTE_RING_RX_REVOKED] = "revoked",
};

/* The end of the connection ends the export in every state. */
static const uint32_t rx_next[REMOTE_RING_RX_N_STATES] = {
	[REMOTE_RING_RX_RELAYED] = LIFECYCLE_TO(REMOTE_RING_RX_EXPORTING),
	[REMOTE_RING_RX_EXPORTING] = LIFECYCLE_TO(REMOTE_RING_RX_OFFERED) |
				     LIFECYCLE_TO(REMOTE_RING_RX_RELAYED),
	[REMOTE_RING_RX_OFFERED] = LIFECYCLE_TO(REMOTE_RING_RX_UP) |
				   LIFECYCLE_TO(REMOTE_RING_RX_RELAYED),
	[REMOTE_RING_RX_UP] = LIFECYCLE_TO(REMOTE_RING_RX_REVOKED) |
			      LIFECYCLE_TO(REMOTE_RING_RX_RELAYED),
	[REMOTE_RING_RX_REVOKED] = LIFECYCLE_TO(REMOTE_RING_RX_RELAYED),
};

const struct lifecycle remote_ring_rx_lifecycle = {"remote ring, receiving",
						   REMOTE_RING_RX_N_STATES, rx_states, rx_next};

static const char *const path_states[REMOTE_PATH_N_STATES] = {
	[REMOTE_PATH_CONNECTING] = "connecting",
	[REMOTE_PATH_UP] = "up",
	[REMOTE_PATH_DISCONNECTED] = "disconnected",
	[REMOTE_PATH_REFUSED] = "refused",
	[REMOTE_PATH_BROKEN] = "broken",
};

static const uint32_t path_next[REMOTE_PATH_N_STATES] = {
	[REMOTE_PATH_CONNECTING] = LIFECYCLE_TO(REMOTE_PATH_UP) |
				   LIFECYCLE_TO(REMOTE_PATH_DISCONNECTED) |
				   LIFECYCLE_TO(REMOTE_PATH_REFUSED),
	[REMOTE_PATH_UP] = LIFECYCLE_TO(REMOTE_PATH_DISCONNECTED) |
			   LIFECYCLE_TO(REMOTE_PATH_BROKEN),
	[REMOTE_PATH_DISCONNECTED] = LIFECYCLE_TO(REMOTE_PATH_BROKEN),
};

const struct lifecycle remote_path_lifecycle = {"remote path", REMOTE_PATH_N_STATES, path_states,
						path_next};
