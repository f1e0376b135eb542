/* Waiting for a link; see grace_period.h. */
#include "daemon/session/grace_period.h"

#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/config/config.h"
#include "daemon/topology/topology.h"
#include "daemon/base/loop.h"
#include "daemon/session/session.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/util.h"

/* Shorter than the time that clients wait for an answer. */
#define GRACE_PERIOD_NS (3 * NS_PER_SEC)
/* A shorter rest is not worth waiting: no daemon restarts faster. */
#define GRACE_PERIOD_MIN_NS (200 * NS_PER_MS)

bool grace_period_is_active(const struct daemon *daemon)
{
	return daemon->sessions->is_in_grace_period;
}

bool grace_period_defers(const struct daemon *daemon, const Dococore__Packet *packet)
{
	if (!daemon->sessions->is_in_grace_period)
		return false;
	switch (packet->body_case) {
	case DOCOCORE__PACKET__BODY_REP_LIST:
	case DOCOCORE__PACKET__BODY_REP_OPEN:
	case DOCOCORE__PACKET__BODY_CHANNEL_CONNECT:
	case DOCOCORE__PACKET__BODY_CHANNEL_FETCH:
	case DOCOCORE__PACKET__BODY_CONSUMER_CREATE:
		return true;
	case DOCOCORE__PACKET__BODY_IMPORT_CREATE:
		return strcmp(packet->import_create->exporter_side,
			      side_name(daemon->config->side)) != 0;
	default:
		return false;
	}
}

static struct session *grace_period_find_waiting(const struct daemon *daemon)
{
	struct session *session;

	list_for_each(session, &daemon->sessions->list, link)
	{
		if (session->is_request_deferred)
			return session;
	}
	return NULL;
}

static void grace_period_finish(struct daemon *daemon, bool is_over)
{
	bool was_in_grace_period = daemon->sessions->is_in_grace_period, is_waited_for;
	struct session *session;

	daemon->sessions->is_in_grace_period = false;
	if (was_in_grace_period)
		daemon->sessions->grace_spent_ns += clock_now_ns() -
						    daemon->sessions->grace_began_ns;
	/*
	 * With several peers, a channel of an absent peer waits for that peer for the rest of the
	 * time.
	 */
	is_waited_for = daemon->session_hooks->ask_again(daemon, was_in_grace_period, is_over);
	/* Asking may have detected that the link is broken, which starts a new grace period. */
	if (!is_waited_for && !daemon->sessions->is_in_grace_period &&
	    daemon->sessions->grace_timer)
		loop_timer_cancel(daemon->sessions->grace_timer);
	if (!was_in_grace_period)
		return;
	/* The request of one session may end other sessions. */
	while (!daemon->sessions->is_in_grace_period &&
	       (session = grace_period_find_waiting(daemon)))
		session_release(session);
}

static void grace_period_on_timer(void *user)
{
	struct daemon *daemon = user;

	log_debug("the link has not come back in time");
	grace_period_finish(daemon, true);
}

/* Returns the rest of the grace period after a link that lasted linked_ns. */
static uint64_t grace_period_left(struct daemon *daemon, uint64_t linked_ns)
{
	uint64_t spent_ns = MIN(daemon->sessions->grace_spent_ns, GRACE_PERIOD_NS);

	daemon->sessions->grace_spent_ns = spent_ns - MIN(spent_ns, linked_ns);
	return GRACE_PERIOD_NS - daemon->sessions->grace_spent_ns;
}

void grace_period_begin(struct daemon *daemon, uint64_t linked_ns)
{
	uint64_t left_ns;

	if (daemon->sessions->is_in_grace_period || daemon->stopping)
		return;
	left_ns = grace_period_left(daemon, linked_ns);
	if (left_ns < GRACE_PERIOD_MIN_NS)
		return;
	if (!daemon->sessions->grace_timer)
		daemon->sessions->grace_timer = loop_timer_new(daemon->loop, grace_period_on_timer,
							       daemon);
	daemon->sessions->is_in_grace_period = daemon->sessions->grace_timer &&
					       loop_timer_set(daemon->sessions->grace_timer,
							      left_ns) == 0;
	daemon->sessions->grace_began_ns = clock_now_ns();
}

void grace_period_end(struct daemon *daemon)
{
	grace_period_finish(daemon, false);
}
