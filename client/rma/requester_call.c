/* Pending requests of requesters; see client/rma/requester_call.h. */
#include "client/rma/requester_call.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "util/clock.h"
#include "util/fd.h"

#define WAIT_MAX_MS 3600000u

uint64_t requester_wait_ns(void)
{
	const char *pending = env_variable("DOCOCORED_RELAY_WAIT_MS");
	unsigned long ms;
	char *end;

	if (pending == NULL || pending[0] == '\0')
		return REQUESTER_TIMEOUT_NS;
	ms = strtoul(pending, &end, 10);
	if (*end == '\0' && pending[0] != '-' && ms <= WAIT_MAX_MS)
		return ms * NS_PER_MS;
	sdk_warning("DOCOCORED_RELAY_WAIT_MS=%.32s is no number of 0 to %u", pending, WAIT_MAX_MS);
	return REQUESTER_TIMEOUT_NS;
}

/* Wakes the requester. Called on any thread with the session's lock held: another thread's call may
 * have received the reply. */
static void reply_arrived(void *user)
{
	const struct itimerspec now = {.it_value.tv_nsec = 1};
	struct requester *requester = user;

	atomic_store(&requester->has_reply, true);
	(void)timerfd_settime(requester->timerfd, 0, &now, NULL);
}

static struct rdma_waiter waiter_of(struct requester *requester)
{
	return (struct rdma_waiter){.on_done = reply_arrived, .user = requester};
}

/* Watches the connection. If it cannot be watched, the requester checks at intervals. */
static void session_watch_locked(struct requester *requester)
{
	(void)rpc_watch_locked(requester_session(requester), RPC_WATCH_REPLIES,
			       &requester->watches_session);
}

/* Watches the session for the reply to the request that was just sent. */
static void session_watch(struct requester *requester)
{
	rpc_lock();
	session_watch_locked(requester);
	rpc_unlock();
}

static bool awaits_answer(const struct requester *requester)
{
	const struct requester_peer *peer;

	if (requester->opening != NULL)
		return true;
	list_for_each(peer, &requester->peers, node)
	{
		if (peer->pending != NULL)
			return true;
	}
	return false;
}

void requester_unwatch_session(struct requester *requester)
{
	rpc_unwatch(requester_session(requester), RPC_WATCH_REPLIES, &requester->watches_session);
}

void requester_receive_replies(struct requester *requester)
{
	rpc_lock();
	rpc_receive_locked();
	if (awaits_answer(requester))
		session_watch_locked(requester);
	rpc_unlock();
	/* Cleared before the caller collects replies, so that no later reply is missed. */
	atomic_store(&requester->has_reply, false);
}

static doca_error_t requester_watch_rendezvous(struct requester *requester)
{
	struct rendezvous *rendezvous = &requester->rendezvous;
	int r = requester_watch_fd(requester, rendezvous->events.eventfd);

	if (r == 0)
		return DOCA_SUCCESS;
	rendezvous_close(rendezvous);
	return error_set(error_from_errno(r),
			 "rdma: the events of the daemon cannot be watched (error %d)", -r);
}

/* Advances the opening of the endpoint by one step. The device may have to be opened first. */
static doca_error_t requester_poll_rendezvous(struct requester *requester)
{
	const struct rdma_waiter waiter = waiter_of(requester);
	doca_error_t result;

	if (requester->opening == NULL) {
		result = rendezvous_open_begin(&requester->rendezvous, requester->dev,
					       requester->relays, &waiter, &requester->opening);
		if (result != DOCA_SUCCESS)
			return result;
		session_watch(requester);
	}
	if (!rpc_is_done(requester->opening))
		return DOCA_ERROR_IN_PROGRESS;
	return rendezvous_open_end(&requester->rendezvous, requester->dev, &requester->opening);
}

doca_error_t requester_open_rendezvous(struct requester *requester)
{
	doca_error_t result = DOCA_SUCCESS;

	requester->is_requesting = true;
	if (requester->rendezvous.is_open)
		return DOCA_SUCCESS;
	while (result == DOCA_SUCCESS && !requester->rendezvous.is_open)
		result = requester_poll_rendezvous(requester);
	return result == DOCA_SUCCESS ? requester_watch_rendezvous(requester) : result;
}

doca_error_t requester_call_begin(struct requester *requester, struct requester_peer *peer)
{
	const struct rdma_waiter waiter = waiter_of(requester);
	struct rdma_params details;
	doca_error_t result = rdma_qp_get_params(peer->qp, &details);

	details.is_relay = requester->relays;
	if (result == DOCA_SUCCESS)
		result = rendezvous_call_begin(&requester->rendezvous, peer->import_id,
					       peer->import_daemon, &details, &waiter,
					       &peer->pending);
	if (result != DOCA_SUCCESS)
		return result;
	session_watch(requester);
	return DOCA_SUCCESS;
}

doca_error_t requester_call_end(struct requester_peer *peer)
{
	return rendezvous_call_end(&peer->pending, &peer->call_id);
}

doca_error_t requester_fetch_begin(struct requester *requester, struct requester_peer *peer)
{
	const struct rdma_waiter waiter = waiter_of(requester);
	doca_error_t result = rendezvous_fetch_begin(&requester->rendezvous, peer->call_id, &waiter,
						     &peer->pending);

	if (result == DOCA_SUCCESS)
		session_watch(requester);
	return result;
}

void requester_cancel_idle(struct requester *requester)
{
	requester->is_requesting = false;
	requester->opening = rpc_cancel(requester->opening);
	requester_unwatch_session(requester);
	atomic_store(&requester->has_reply, false);
}

void requester_cancel_all(struct requester *requester)
{
	struct requester_peer *peer;

	requester->opening = rpc_cancel(requester->opening);
	list_for_each(peer, &requester->peers, node) peer->pending = rpc_cancel(peer->pending);
}
