/* The life cycle of the connection to the daemon, a part of the session (client/control/session.h).
 * Threads: the session's lock is held. */
#ifndef CLIENT_CONTROL_SESSION_STATE_H
#define CLIENT_CONTROL_SESSION_STATE_H

#include "client/base/lifecycle.h"

enum session_state {
	SESSION_CLOSED,    /* no connection; the next call opens one */
	SESSION_HANDSHAKE, /* a thread exchanges Hello */
	SESSION_RESTORING, /* all objects register with the new daemon */
	SESSION_OPEN,
	SESSION_N_STATES,
};

extern const struct lifecycle session_lifecycle;

#endif
