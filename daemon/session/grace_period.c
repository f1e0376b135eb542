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
#define HOLD_NS (3 * NS_PER_SEC)
/* A shorter rest is not worth waiting: no daemon restarts faster. */
#define HOLD_MIN_NS (200 * NS_PER_MS)

bool hold_is_on(const struct daemon *daemon)
{
	return daemon->sessions->is_holding;
}

bool hold_wants(const struct daemon *daemon, const Dococore__Packet *packet)
{
	if (!daemon->sessions->is_holding)
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

static struct session *hold_find_held(const struct daemon *daemon)
{
	struct session *session;

	list_for_each(session, &daemon->sessions->list, link)
	{
		if (session->is_held)
			return session;
	}
	return NULL;
}

static void hold_finish(struct daemon *daemon, bool is_over)
{
	bool was_holding = daemon->sessions->is_holding, is_waited_for;
	struct session *session;

	daemon->sessions->is_holding = false;
	if (was_holding)
		daemon->sessions->hold_spent_ns += clock_now_ns() - daemon->sessions->hold_began_ns;
	/*
	 * With several peers, a channel of an absent peer waits for that peer for the rest of the
	 * time.
	 */
	is_waited_for = daemon->session_hooks->ask_again(daemon, was_holding, is_over);
	/* Asking may have detected that the link is broken, which starts a new grace period. */
	if (!is_waited_for && !daemon->sessions->is_holding && daemon->sessions->hold_over)
		loop_timer_cancel(daemon->sessions->hold_over);
	if (!was_holding)
		return;
	/* The request of one session may end other sessions. */
	while (!daemon->sessions->is_holding && (session = hold_find_held(daemon)))
		session_release(session);
}

static void hold_on_over(void *user)
{
	struct daemon *daemon = user;

	log_debug("the link has not come back in time");
	hold_finish(daemon, true);
}

/* Returns the rest of the grace period after a link that lasted linked_ns. */
static uint64_t hold_left(struct daemon *daemon, uint64_t linked_ns)
{
	uint64_t spent_ns = MIN(daemon->sessions->hold_spent_ns, HOLD_NS);

	daemon->sessions->hold_spent_ns = spent_ns - MIN(spent_ns, linked_ns);
	return HOLD_NS - daemon->sessions->hold_spent_ns;
}

void hold_begin(struct daemon *daemon, uint64_t linked_ns)
{
	uint64_t left_ns;

	if (daemon->sessions->is_holding || daemon->stopping)
		return;
	left_ns = hold_left(daemon, linked_ns);
	if (left_ns < HOLD_MIN_NS)
		return;
	if (!daemon->sessions->hold_over)
		daemon->sessions->hold_over = loop_timer_new(daemon->loop, hold_on_over, daemon);
	daemon->sessions->is_holding = daemon->sessions->hold_over &&
				       loop_timer_set(daemon->sessions->hold_over, left_ns) == 0;
	daemon->sessions->hold_began_ns = clock_now_ns();
}

void hold_end(struct daemon *daemon)
{
	hold_finish(daemon, false);
}
