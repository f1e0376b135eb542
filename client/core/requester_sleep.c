/*
 * What wakes who sleeps for a requester: its port, its agent's events, the answers of the daemon,
 * and a timer for what has a time. Threads: those of the requester.
 */
#include <sys/timerfd.h>

#include "client/core/requester.h"
#include "util/clock.h"

size_t requester_fds(const struct requester *requester, int fds_out[REQUESTER_FDS])
{
	size_t n = 2;

	fds_out[0] = requester->ops->get_fd(requester->port);
	fds_out[1] = requester->timerfd;
	if (requester->agent.is_open)
		fds_out[n++] = requester->agent.events.eventfd;
	if (requester->session_fd >= 0)
		fds_out[n++] = requester->session_fd;
	return n;
}

static void timer_set(const struct requester *requester, uint64_t at_ns)
{
	struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SEC),
					       .tv_nsec = (long)(at_ns % NS_PER_SEC)}};

	(void)timerfd_settime(requester->timerfd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* The agent is to be given up, which another thread's call may hold up. */
static bool can_renew(const struct requester *requester, uint64_t *at_ns)
{
	if (!requester->agent.is_open || !atomic_load(&requester->agent.is_lost))
		return false;
	if (!session_try_lock()) {
		*at_ns = MIN(*at_ns, clock_now_ns() + REQUESTER_PAUSE_NS);
		return false;
	}
	session_unlock();
	return true;
}

bool requester_arm(struct requester *requester)
{
	const struct requester_peer *peer;
	uint64_t at_ns = UINT64_MAX, soon_ns = 0;

	/* What another thread's call kept from being asked is not tried without end. */
	if (requester->n_calling > 0 && !requester->waits)
		soon_ns = clock_now_ns() + REQUESTER_PAUSE_NS;
	list_for_each(peer, &requester->peers, node)
	{
		if (peer->state != REQUESTER_CALLING)
			continue;
		at_ns = MIN(at_ns, MIN(peer->give_up_ns, requester->look_ns));
		if (peer->call_ns != 0 && requester->opening == NULL)
			at_ns = MIN(at_ns, MAX(peer->call_ns, soon_ns));
	}
	if (can_renew(requester, &at_ns))
		return true;
	if (at_ns != UINT64_MAX)
		timer_set(requester, at_ns);
	if (requester->has_moved || (requester->n_calling > 0 && atomic_load(&requester->has_come)))
		return true;
	if (requester->agent.is_open && requester->n_asked == 0 &&
	    event_reader_arm(&requester->agent.events))
		return true;
	return requester->ops->arm(requester->port);
}

void requester_disarm(struct requester *requester)
{
	if (requester->agent.is_open)
		event_reader_disarm(&requester->agent.events);
	requester->ops->disarm(requester->port);
}
