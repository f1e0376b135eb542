/* Fetches channels and consumers without waiting; see client/comch/connection/fetch.h. */
#include "client/comch/connection/fetch.h"

#include <string.h>

#include "client/comch/comch.h"
#include "client/control/rpc.h"
#include "client/control/session.h"
#include "util/clock.h"

/* A polling owner reads the daemon's connection in the first 1024 polls and then in every 64th: a
 * running daemon has answered by then. */
#define DENSE_POLLS 1024u
#define POLL_EVERY  64u
/* The interval at which a sleeping owner reads a connection that it cannot watch. */
#define POLL_EVERY_NS (5 * NS_PER_MS)
/* The interval at which a client whose daemon is gone searches for the next one. */
#define RETRY_EVERY_NS NS_PER_SEC

void comch_fetch_init(struct comch_fetch *fetch)
{
	*fetch = (struct comch_fetch){.lookup = COMCH_LOOKUP_INIT};
}

void comch_fetch_channel(struct comch *comch, uint64_t channel_id)
{
	comch->fetch.channel_id = channel_id;
	comch->events.duties |= COMCH_DUTY_FETCH;
}

void comch_fetch_consumer(struct doca_comch_connection *conn, uint32_t consumer_id)
{
	struct comch *comch = conn->comch;

	comch->fetch.consumer_id = consumer_id;
	comch->fetch.conn = conn;
	comch->fetch.generation = conn->generation;
	comch->fetch.link = comch_link_ref(conn->link);
	comch_fetch_channel(comch, conn->link->channel_id);
}

static void fetch_unwatch(struct comch *comch)
{
	rpc_unwatch(&comch->ctx.pe->session, RPC_WATCH_REPLIES, &comch->fetch.watches_session);
}

static void fetch_end(struct comch *comch, struct comch_fetch *fetch_out)
{
	fetch_unwatch(comch);
	*fetch_out = comch->fetch;
	comch_fetch_init(&comch->fetch);
	comch->events.duties &= ~COMCH_DUTY_FETCH;
}

/* Wakes the owner if it sleeps. Called on any thread with the session's lock held. */
static void fetch_completed(void *user)
{
	struct comch *comch = user;

	if (!comch->fetch.is_reading)
		doorbell_ring(comch->events.reader.eventfd);
}

/* Returns whether the event ring is of a daemon that is gone. The current daemon does not know the
 * channel. */
static bool fetch_is_stale(const struct comch *comch)
{
	return atomic_load_explicit(&comch->events.status, memory_order_acquire) !=
	       COMCH_EVENTS_CURRENT;
}

static doca_error_t fetch_log_stale(const struct comch *comch)
{
	return error_set(
		DOCA_ERROR_NOT_CONNECTED,
		"comch \"%s\": the daemon that announced a connection or a consumer has ended",
		comch->name);
}

static struct comch_lookup_waiter fetch_waiter(struct comch *comch)
{
	return (struct comch_lookup_waiter){.on_done = fetch_completed, .user = comch};
}

static doca_error_t fetch_send_channel_locked(struct comch *comch)
{
	const struct rpc_options options = {
		.on_done = fetch_completed,
		.user = comch,
		/* A server that accepted a client may end the connection at once. */
		.expected_refusal = comch->is_server ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND,
	};
	Dococore__ChannelFetch channel = DOCOCORE__CHANNEL_FETCH__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	channel.channel_id = comch->fetch.channel_id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_FETCH;
	request.packet.channel_fetch = &channel;
	return rpc_begin_locked(&request, &options, &comch->fetch.lookup.pending);
}

static doca_error_t fetch_send(struct comch *comch)
{
	struct comch_fetch *fetch = &comch->fetch;
	const struct comch_lookup_waiter waiter = fetch_waiter(comch);
	doca_error_t result;

	if (fetch->link != NULL)
		return comch_lookup_begin(&fetch->lookup, fetch->link, fetch->consumer_id, &waiter);
	rpc_lock();
	memcpy(fetch->daemon_id, session_daemon_id_locked(), sizeof(fetch->daemon_id));
	result = fetch_send_channel_locked(comch);
	rpc_unlock();
	return result;
}

static bool fetch_is_clients(const struct comch *comch)
{
	return comch->fetch.link == NULL && !comch->is_server;
}

/* For a client that is not connected yet: has the library's thread search for the next daemon, at
 * most for RPC_TIMEOUT_NS. Connecting sends the request to that daemon, which makes this event ring
 * stale. */
static doca_error_t fetch_find_daemon(struct comch *comch)
{
	struct comch_fetch *fetch = &comch->fetch;
	uint64_t now = clock_now_ns();

	if (fetch_is_stale(comch))
		return fetch_log_stale(comch);
	if (fetch->retry_ns == 0)
		fetch->give_up_ns = now + RPC_TIMEOUT_NS;
	else if (now >= fetch->give_up_ns)
		return error_set(
			DOCA_ERROR_NOT_CONNECTED,
			"comch \"%s\": the daemon has ended, and no other was there within "
			"%d s",
			comch->name, RPC_TIMEOUT_S);
	fetch->retry_ns = now + RETRY_EVERY_NS;
	rpc_lock();
	session_reconnect_locked(true);
	rpc_unlock();
	return DOCA_ERROR_IN_PROGRESS;
}

/* Returns whether the request failed because the daemon is gone, rather than by a refusal. */
static bool fetch_has_no_daemon(const struct comch *comch, doca_error_t result)
{
	bool is_over;

	if (result != DOCA_ERROR_NOT_CONNECTED || !fetch_is_clients(comch) || fetch_is_stale(comch))
		return false;
	rpc_lock();
	is_over = session_is_over_locked();
	rpc_unlock();
	return is_over;
}

static doca_error_t fetch_request(struct comch *comch)
{
	doca_error_t result;

	if (fetch_is_stale(comch))
		return fetch_log_stale(comch);
	if (comch->fetch.retry_ns != 0)
		return fetch_find_daemon(comch);
	result = fetch_send(comch);
	if (fetch_has_no_daemon(comch, result))
		return fetch_find_daemon(comch);
	return result == DOCA_SUCCESS ? DOCA_ERROR_IN_PROGRESS : result;
}

/* Returns whether the reply came over the current connection. A client that is connected needs no
 * daemon any more, so it is not registered with another one. */
static bool fetch_settle(struct comch *comch, unsigned connection)
{
	bool is_current;

	rpc_lock();
	is_current = rpc_connection_locked() == connection && !fetch_is_stale(comch);
	if (is_current)
		comch->register_locked = NULL;
	rpc_unlock();
	return is_current;
}

static doca_error_t fetch_collect_channel(struct comch *comch, struct rpc_reply *answer_out)
{
	struct comch_fetch *fetch = &comch->fetch;
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	result = rpc_collect(&fetch->lookup.pending, DOCOCORE__PACKET__BODY_CHANNEL_REPLY, &answer);
	if (fetch_has_no_daemon(comch, result))
		result = fetch_find_daemon(comch);
	/* A new daemon was asked for another connection. */
	if (result == DOCA_SUCCESS && fetch_is_clients(comch) &&
	    !fetch_settle(comch, answer.connection))
		result = fetch_log_stale(comch);
	if (result == DOCA_SUCCESS) {
		*answer_out = answer;
		answer = (struct rpc_reply)RPC_REPLY_INIT;
	}
	return result;
}

static doca_error_t fetch_collect(struct comch *comch, struct rpc_reply *answer_out)
{
	struct comch_fetch *fetch = &comch->fetch;
	const struct comch_lookup_waiter waiter = fetch_waiter(comch);

	return fetch->link == NULL
		       ? fetch_collect_channel(comch, answer_out)
		       : comch_lookup_collect(&fetch->lookup, fetch->link, &waiter, answer_out);
}

/* Reads replies from the daemon's connection. For callers that handle the reply at once, so the
 * event ring's doorbell need not be rung. */
static void fetch_read(struct comch *comch)
{
	rpc_lock();
	comch->fetch.is_reading = true;
	rpc_receive_locked();
	comch->fetch.is_reading = false;
	rpc_unlock();
}

static bool fetch_must_poll(struct comch_fetch *fetch)
{
	return ++fetch->n_polls <= DENSE_POLLS || fetch->n_polls % POLL_EVERY == 0;
}

/* Returns whether there is no daemon and it is not time to search for one. */
static bool fetch_is_idle(const struct comch *comch)
{
	const struct comch_fetch *fetch = &comch->fetch;

	return fetch->lookup.pending == NULL && fetch->retry_ns != 0 && !fetch_is_stale(comch) &&
	       clock_now_ns() < fetch->retry_ns;
}

doca_error_t comch_fetch_advance(struct comch *comch, struct comch_fetch *fetch_out,
				 struct rpc_reply *answer_out)
{
	struct comch_fetch *fetch = &comch->fetch;
	doca_error_t result = DOCA_ERROR_IN_PROGRESS;
	bool is_done = fetch->lookup.pending != NULL && rpc_is_done(fetch->lookup.pending);

	if (!is_done && (!fetch_must_poll(fetch) || fetch_is_idle(comch)))
		return DOCA_ERROR_IN_PROGRESS;
	if (fetch->lookup.pending == NULL) {
		result = fetch_request(comch);
	} else {
		if (!is_done)
			fetch_read(comch);
		if (rpc_is_done(fetch->lookup.pending))
			result = fetch_collect(comch, answer_out);
	}
	if (result != DOCA_ERROR_IN_PROGRESS)
		fetch_end(comch, fetch_out);
	return result;
}

void comch_fetch_cancel(struct comch *comch)
{
	struct comch_fetch fetch;

	if ((comch->events.duties & COMCH_DUTY_FETCH) == 0)
		return;
	/* Effects of the request at the daemon end with the server or with the client's channel. */
	comch_lookup_cancel(&comch->fetch.lookup);
	fetch_end(comch, &fetch);
	if (fetch.link != NULL)
		comch_link_release(fetch.link);
	comch_link_unref(fetch.link);
}

/* Returns false if the connection cannot be watched. */
static bool fetch_watch_locked(struct comch *comch)
{
	return rpc_watch_locked(&comch->ctx.pe->session, RPC_WATCH_REPLIES,
				&comch->fetch.watches_session) == 0;
}

bool comch_fetch_arm(struct comch *comch)
{
	struct comch_fetch *fetch = &comch->fetch;
	bool is_watched, is_done;

	fetch->n_polls = 0;
	/* When another thread connects to a daemon, it rings the event ring. */
	if (fetch_is_idle(comch))
		return comch_events_arm_at(comch, fetch->retry_ns);
	rpc_lock();
	/* The connection is watched edge-triggered: a reply that has arrived already would cause no
	 * edge, so it is read here. A comm channel arms once per descriptor, so an earlier call may
	 * rely on that edge; fetch_completed() rings the doorbell for it. */
	if (fetch->lookup.pending != NULL)
		rpc_receive_locked();
	is_done = fetch->lookup.pending == NULL || rpc_is_done(fetch->lookup.pending);
	is_watched = is_done || fetch_watch_locked(comch);
	rpc_unlock();
	return is_done ||
	       (!is_watched && comch_events_arm_at(comch, clock_now_ns() + POLL_EVERY_NS));
}
