/*
 * The event ring of a comch server or client: registration with the daemon, and registration again
 * after a restart of the daemon. The thread that called the daemon leaves the new ring in `next`,
 * and the owner swaps it in at its next poll. Ringing the new ring's eventfd wakes a sleeping
 * owner, so that it polls.
 */
#include <errno.h>
#include <sys/timerfd.h>

#include "client/comch/comch.h"
#include "util/clock.h"
#include "util/doorbell.h"
#include "util/fd.h"

/* A restarted daemon may lack its peer link, and therefore the representor, for a moment. */
#define RETRY_EVERY_NS  NS_PER_SEC
#define GIVE_UP_NS      (60 * NS_PER_SEC)
#define CHECK_EVERY_NS  NS_PER_SEC
#define CHECK_POLLS_MAX 256u

doca_error_t comch_events_adopt_ring(struct rpc_reply *answer, uint32_t len,
				     struct event_reader *reader_out)
{
	CLEANUP_FD int memfd = fdset_steal(&answer->fds, 0);
	CLEANUP_FD int eventfd = fdset_steal(&answer->fds, 1);
	int r = event_reader_init(reader_out, memfd, eventfd, len);

	if (r == -ENOMEM)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "comch: out of memory for the daemon's event ring");
	if (r < 0)
		return error_set(
			error_from_errno(r),
			"comch: the daemon's event ring is not usable (error %d); library and "
			"daemon may be of different versions",
			-r);
	fd_steal(&memfd);
	fd_steal(&eventfd);
	return DOCA_SUCCESS;
}

static uint32_t events_status(const struct comch_events *events)
{
	return atomic_load_explicit(&events->status, memory_order_acquire);
}

/* For a sleeping owner: watches the session's connection for its end. */
static void events_watch_session_locked(struct comch *comch)
{
	int r = rpc_watch_locked(&comch->ctx.pe->session, RPC_WATCH_HANGUP,
				 &comch->events.watches_session);

	if (r < 0 && r != -ENOTCONN)
		sdk_warning("%s \"%s\": the connection to the daemon cannot be watched, error %d; "
			    "its end is noticed only while progress is called",
			    comch->ctx.ops->name, comch->name, -r);
}

static doca_error_t comch_events_register(struct comch *comch)
{
	struct comch_events *events = &comch->events;
	doca_error_t result;
	uint64_t id = 0;

	rpc_lock();
	/* Connects before handles are read, because a new connection changes them. */
	result = session_ensure_locked();
	if (result == DOCA_SUCCESS)
		result = comch->register_locked(comch, &events->reader, &id);
	if (result == DOCA_SUCCESS) {
		events->id = id;
		session_item_add_locked(&comch->item);
		if (comch->item.on_disconnect != NULL)
			events_watch_session_locked(comch);
	}
	rpc_unlock();
	counters_set_object(&comch->ctx.counters, id, 0);
	return result;
}

void comch_events_unregister(struct comch *comch)
{
	struct comch_events *events = &comch->events;
	bool is_in_progress = (comch->ctx.pe->flags & PE_IN_PROGRESS) != 0;
	uint64_t id;

	comch_fetch_cancel(comch);
	rpc_lock();
	/* From here on, no other thread registers it again. */
	session_item_remove_locked(&comch->item);
	rpc_unwatch_locked(&comch->ctx.pe->session, RPC_WATCH_HANGUP, &events->watches_session);
	id = events_status(events) == COMCH_EVENTS_RENEWED ? events->next_id : events->id;
	events->id = 0;
	events->next_id = 0;
	if (id != 0)
		comch->unregister_locked(id,
					 is_in_progress ? rpc_post_locked : rpc_call_void_locked);
	rpc_unlock();
}

doca_error_t comch_events_open(struct comch *comch)
{
	doca_error_t result;
	int r;

	result = comch_events_register(comch);
	if (result != DOCA_SUCCESS)
		return result;
	r = pe_add_eventfd(comch->ctx.pe, comch->events.reader.eventfd);
	if (r < 0) {
		comch_events_unregister(comch);
		comch_events_close(comch);
		return error_set(error_from_errno(r),
				 "%s start: the event ring's doorbell cannot be watched (error %d)",
				 comch->ctx.ops->name, -r);
	}
	return DOCA_SUCCESS;
}

void comch_events_close(struct comch *comch)
{
	struct comch_events *events = &comch->events;

	if (events->reader.ring != NULL) {
		pe_remove_eventfd(comch->ctx.pe, events->reader.eventfd);
		event_reader_deinit(&events->reader);
	}
	if (atomic_exchange(&events->status, COMCH_EVENTS_CURRENT) == COMCH_EVENTS_RENEWED)
		event_reader_deinit(&events->next);
	if (events->timer_fd >= 0)
		pe_remove_eventfd(comch->ctx.pe, events->timer_fd);
	fd_close(&events->timer_fd);
	events->retry_ns = 0;
}

bool comch_events_swap(struct comch *comch)
{
	struct comch_events *events = &comch->events;
	struct event_reader old;
	int r;

	if (events_status(events) != COMCH_EVENTS_RENEWED)
		return false;
	rpc_lock();
	/* The status is checked again under the lock, because the new daemon may be gone, too. */
	if (events_status(events) != COMCH_EVENTS_RENEWED) {
		rpc_unlock();
		return false;
	}
	if (comch->item.on_disconnect != NULL)
		events_watch_session_locked(comch);
	old = events->reader;
	events->reader = events->next;
	events->next = (struct event_reader)EVENT_READER_INIT;
	events->id = events->next_id;
	counters_set_object(&comch->ctx.counters, events->id, 0);
	atomic_store(&events->status, COMCH_EVENTS_CURRENT);
	rpc_unlock();
	events->retry_ns = 0;
	pe_remove_eventfd(comch->ctx.pe, old.eventfd);
	event_reader_deinit(&old);
	r = pe_add_eventfd(comch->ctx.pe, events->reader.eventfd);
	if (r < 0)
		sdk_error("%s \"%s\": the new event ring's doorbell cannot be watched, error %d; "
			  "events are noticed only while progress is called",
			  comch->ctx.ops->name, comch->name, -r);
	return true;
}

void comch_events_renew_locked(struct comch *comch)
{
	struct comch_events *events = &comch->events;
	struct event_reader reader = EVENT_READER_INIT;
	doca_error_t result;
	uint64_t id;

	events->id = 0;
	events->next_id = 0;
	/* The owner may swap `next` in while this waits, so it is released afterwards. */
	result = comch->register_locked(comch, &reader, &id);
	if (events_status(events) == COMCH_EVENTS_RENEWED)
		event_reader_deinit(&events->next);
	if (result == DOCA_SUCCESS) {
		events->next = reader;
		events->next_id = id;
		atomic_store(&events->status, COMCH_EVENTS_RENEWED);
	} else {
		atomic_store(&events->status, COMCH_EVENTS_LOST);
	}
	if (events->reader.ring != NULL)
		doorbell_ring(events->reader.eventfd);
}

void comch_events_disconnect_locked(struct comch *comch)
{
	struct comch_events *events = &comch->events;

	if (events_status(events) == COMCH_EVENTS_RENEWED)
		event_reader_deinit(&events->next);
	events->id = 0;
	events->next_id = 0;
	atomic_store(&events->status, COMCH_EVENTS_LOST);
	if (events->reader.ring != NULL)
		doorbell_ring(events->reader.eventfd);
}

void comch_events_check_daemon(struct comch *comch)
{
	struct comch_events *events = &comch->events;
	uint64_t now = clock_now_ns();

	events->n_polls = 0;
	if (events->check_polls == 0) {
		events->check_polls = CHECK_POLLS_MAX;
		events->check_ns = now + CHECK_EVERY_NS;
	}
	if (now < events->check_ns) {
		events->check_polls = MIN(2 * events->check_polls, CHECK_POLLS_MAX);
		return;
	}
	if (now - events->check_ns > CHECK_EVERY_NS)
		events->check_polls = MAX(events->check_polls / 2, 1u);
	session_check_hangup();
	events->check_ns = now + CHECK_EVERY_NS;
}

/* Returns false if the daemon has refused for too long. */
static bool events_may_retry_locked(struct comch *comch, uint64_t now)
{
	struct comch_events *events = &comch->events;
	unsigned connection = rpc_connection_locked();

	/* The minute counts only while the same daemon is connected and refuses. */
	if (session_is_over_locked() || connection != events->connection) {
		events->connection = connection;
		events->give_up_ns = now + GIVE_UP_NS;
	}
	return now < events->give_up_ns;
}

bool comch_events_retry(struct comch *comch)
{
	struct comch_events *events = &comch->events;
	uint64_t now = clock_now_ns();
	bool may_retry;

	if (events->retry_ns == 0) {
		events->retry_ns = now + RETRY_EVERY_NS;
		events->give_up_ns = now + GIVE_UP_NS;
		events->absence_logged = false;
	}
	if (now < events->retry_ns)
		return false;
	events->retry_ns = now + RETRY_EVERY_NS;
	rpc_lock();
	may_retry = events_may_retry_locked(comch, now);
	if (may_retry && events_status(events) == COMCH_EVENTS_LOST) {
		/* Only the first attempt logs that there is no daemon. */
		comch->item.must_register = true;
		session_reconnect_locked(events->absence_logged);
		events->absence_logged = true;
	}
	rpc_unlock();
	if (!may_retry) {
		atomic_store(&events->status, COMCH_EVENTS_CURRENT);
		events->retry_ns = 0;
		error_set(DOCA_ERROR_NOT_CONNECTED,
			  "%s \"%s\": the restarted daemon no longer accepts it; stop it and start "
			  "it again",
			  comch->ctx.ops->name, comch->name);
	}
	return events_status(events) != COMCH_EVENTS_LOST;
}

/* Returns false if no timer could be created. */
static bool events_set_timer(struct comch *comch, uint64_t at_ns)
{
	struct comch_events *events = &comch->events;
	const struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SEC),
						     .tv_nsec = (long)(at_ns % NS_PER_SEC)}};

	if (events->timer_fd < 0) {
		events->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (events->timer_fd >= 0 && pe_add_eventfd(comch->ctx.pe, events->timer_fd) < 0)
			fd_close(&events->timer_fd);
	}
	return events->timer_fd >= 0 &&
	       timerfd_settime(events->timer_fd, TFD_TIMER_ABSTIME, &when, NULL) == 0;
}

bool comch_events_arm_at(struct comch *comch, uint64_t at_ns)
{
	return !events_set_timer(comch, at_ns);
}

static bool events_arm_status(struct comch *comch)
{
	const struct comch_events *events = &comch->events;
	uint32_t status = events_status(events);

	if (status == COMCH_EVENTS_CURRENT)
		return false;
	if (status == COMCH_EVENTS_RENEWED)
		return true;
	/* 0: no attempt was made yet. */
	return events->retry_ns == 0 || clock_now_ns() >= events->retry_ns ||
	       !events_set_timer(comch, events->retry_ns);
}

bool comch_events_arm_duties(struct comch *comch)
{
	bool pending = events_arm_status(comch);

	/* The registration and the fetch set the same timer; the fetch's time replaces the other.
	 */
	if (comch_events_is_fetching(comch))
		pending |= comch_fetch_arm(comch);
	return pending;
}

bool comch_events_arm(struct comch *comch)
{
	bool pending = event_reader_arm(&comch->events.reader);

	/* Events wait until the fetch has ended. */
	if (comch_events_is_fetching(comch))
		pending = false;
	return comch_events_arm_duties(comch) || pending;
}
