/* The descriptors that wake a sleeping user: those of its domain, the endpoint's events and a timer
 * for deadlines. While replies of the daemon are pending, its connection is watched too
 * (client/control/rpc_watch.h). Threads: those of the requester. */
#include <sys/timerfd.h>

#include "client/control/rpc.h"
#include "client/rma/requester.h"
#include "util/clock.h"

size_t requester_fds(const struct requester *requester, int fds_out[REQUESTER_FDS])
{
	size_t n = 2;

	fds_out[0] = requester->ops->get_fd(requester->domain);
	fds_out[1] = requester->timerfd;
	if (requester->rendezvous.is_open)
		fds_out[n++] = requester->rendezvous.events.eventfd;
	return n;
}

static void timer_set(const struct requester *requester, uint64_t at_ns)
{
	struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SEC),
					       .tv_nsec = (long)(at_ns % NS_PER_SEC)}};

	(void)timerfd_settime(requester->timerfd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Returns whether the endpoint must be replaced. */
static bool must_renew(const struct requester *requester)
{
	return requester->rendezvous.is_open && atomic_load(&requester->rendezvous.is_lost);
}

/* Returns true if something is due, and lowers *at_ns to the peer's next deadline. */
static bool peer_arm(const struct requester *requester, const struct requester_peer *peer,
		     uint64_t now_ns, uint64_t *at_ns)
{
	*at_ns = MIN(*at_ns, peer->deadline_ns);
	/* Without an endpoint, there is nothing that could have been lost with a daemon. */
	if (requester->rendezvous.is_open || requester->opening != NULL)
		*at_ns = MIN(*at_ns, requester->check_ns);
	/* A call that is due cannot be sent while the endpoint is being opened. */
	if ((peer->state != REQUESTER_CALL_DUE && peer->state != REQUESTER_FETCH_DUE) ||
	    requester->opening != NULL)
		return false;
	*at_ns = MIN(*at_ns, peer->call_ns);
	return peer->call_ns <= now_ns;
}

bool requester_arm(struct requester *requester)
{
	const struct requester_peer *peer;
	uint64_t at_ns = UINT64_MAX, now_ns = requester->n_calling > 0 ? clock_now_ns() : 0;
	bool is_due = must_renew(requester);

	list_for_each(peer, &requester->peers, node)
	{
		if (requester_is_calling(peer))
			is_due |= peer_arm(requester, peer, now_ns, &at_ns);
	}
	if (at_ns != UINT64_MAX)
		timer_set(requester, at_ns);
	/* The connection is watched edge-triggered: a reply that has arrived already would cause no
	 * edge. */
	if (requester->watches_session)
		rpc_receive();
	/* Checked after the timer was set, because a wake-up sets the timer too. */
	if ((requester->n_calling > 0 || must_renew(requester)) &&
	    atomic_load(&requester->has_reply))
		return true;
	if (is_due || requester->has_changed)
		return true;
	if (requester->rendezvous.is_open && requester->n_unanswered == 0 &&
	    event_reader_arm(&requester->rendezvous.events))
		return true;
	return requester->ops->arm(requester->domain);
}

void requester_disarm(struct requester *requester)
{
	if (requester->rendezvous.is_open)
		event_reader_disarm(&requester->rendezvous.events);
	requester->ops->disarm(requester->domain);
}
