/* The states of the connection to the daemon; see client/control/session_state.h. */
#include "client/control/session_state.h"

static const char *const states[SESSION_N_STATES] = {
	[SESSION_CLOSED] = "closed",
	[SESSION_HANDSHAKE] = "greeting",
	[SESSION_RESTORING] = "restoring",
	[SESSION_OPEN] = "open",
};

static const uint32_t next[SESSION_N_STATES] = {
	[SESSION_CLOSED] = LIFECYCLE_TO(SESSION_HANDSHAKE),
	[SESSION_HANDSHAKE] = LIFECYCLE_TO(SESSION_CLOSED) | LIFECYCLE_TO(SESSION_RESTORING) |
			      LIFECYCLE_TO(SESSION_OPEN),
	[SESSION_RESTORING] = LIFECYCLE_TO(SESSION_OPEN) | LIFECYCLE_TO(SESSION_CLOSED),
	[SESSION_OPEN] = LIFECYCLE_TO(SESSION_CLOSED),
};

const struct lifecycle session_lifecycle = {"session", SESSION_N_STATES, states, next};
