/*
 * Charges to a session's user if other sessions of that user have ended and the event loop, which
 * processes ends and requests in no fixed order, has not processed their end yet. See session.h.
 */
#include <errno.h>
#include <poll.h>

#include "daemon/base/daemon.h"
#include "daemon/session/session.h"

bool session_has_left(const struct session *session)
{
	/* poll() ignores the second entry if its descriptor is -1. */
	struct pollfd fds[] = {
		{.fd = conn_fd(session->conn), .events = POLLRDHUP},
		{.fd = session->pidfd, .events = POLLIN},
	};

	return session_is_ending(session) || poll(fds, 2, 0) > 0;
}

bool session_end_left(const struct session *asking)
{
	const struct account *account = asking->account;
	bool all = account->refused_by_total, any = false;
	struct session *session, *tmp;

	list_for_each_safe(session, tmp, &asking->daemon->sessions->list, link)
	{
		/*
		 * A session with an account of its own that exceeds the limit is what the limit is
		 * for, so the sessions of other accounts are not examined.
		 */
		if (session == asking || (!all && session->account != account) ||
		    !session_has_left(session))
			continue;
		session_teardown(session);
		any = true;
	}
	return any;
}

int session_charge(struct session *session, struct charge *charge, enum charge_kind kind,
		   uint64_t n)
{
	int r = charge_add(charge, session->account, kind, n);

	if (r == -EDQUOT && session_end_left(session))
		r = charge_add(charge, session->account, kind, n);
	return r;
}
