/* The life cycle of a session; see session.h. */
#include "daemon/session/session.h"
#include "util/util.h"

static const char *const session_states[] = {
	[SESSION_CONNECTED] = "connected",
	[SESSION_GREETED] = "greeted",
	[SESSION_REJECTED] = "rejected",
	[SESSION_ENDING] = "ending",
};

static const uint32_t session_next[] = {
	[SESSION_CONNECTED] = LIFECYCLE_TO(SESSION_GREETED) | LIFECYCLE_TO(SESSION_REJECTED),
	[SESSION_GREETED] = LIFECYCLE_TO(SESSION_ENDING),
	[SESSION_REJECTED] = 0,
	[SESSION_ENDING] = 0,
};

_Static_assert(ARRAY_LEN(session_states) == SESSION_N_STATES, "each state has a name");
_Static_assert(ARRAY_LEN(session_next) == SESSION_N_STATES, "each state has a row");

const struct lifecycle session_lifecycle = {"session", SESSION_N_STATES, session_states,
					    session_next};

void session_enter(struct session *session, enum session_state state)
{
	session->state = (enum session_state)lifecycle_enter(&session_lifecycle, session,
							     session->state, state);
}

void session_enter_end(struct session *session)
{
	session_enter(session, session_was_greeted(session) ? SESSION_ENDING : SESSION_REJECTED);
}
