/* Implements calls to the daemon; see client/control/rpc.h. */
#include "client/control/rpc_internal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "client/base/error.h"
#include "client/control/session.h"
#include "proto/conn.h"
#include "proto/packet.h"
#include "util/fd.h"
#include "util/str.h"

/* The interval at which a waiting thread checks what would not wake it: is_over() without an
 * eventfd, and room in a socket that is short of something else. */
#define CHECK_NS (100 * NS_PER_MS)

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* of CLOCK_MONOTONIC; see rpc_wait_locked() */
	struct conn *conn;      /* NULL: there is no connection */
	/* The connection that a thread receives from without the lock. If it ends meanwhile, that
	 * thread frees it: has_ended. */
	struct conn *reading;
	bool has_ended;
	bool was_checked; /* checked for hang-up since the lock was taken */
	unsigned n_connections;
	unsigned n_waiting; /* threads in rpc_wait_locked() */
	uint64_t next_id;
	struct list calls;
	/* Why the last connection ended: the reason that the daemon sent, or what was noticed. */
	doca_error_t end_code;
	char end_sentence[400];
} rpc = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.next_id = 1,
	.calls = LIST_INIT(rpc.calls),
};

static _Thread_local const struct rpc_wait_policy *own_policy;
static _Thread_local unsigned own_timeouts; /* calls of this thread that took too long */

/* --- the lock --- */

/* When the library is loaded: a static initialiser cannot choose the clock. */
__attribute__((constructor)) static void changed_init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&rpc.changed, &attr);
	pthread_condattr_destroy(&attr);
}

void rpc_lock(void)
{
	pthread_mutex_lock(&rpc.lock);
	rpc.was_checked = false;
}

void rpc_unlock(void)
{
	pthread_mutex_unlock(&rpc.lock);
}

void rpc_in_child(void)
{
	/* If no other thread held the lock at the fork, it is fine as it is. */
	bool is_free = pthread_mutex_trylock(&rpc.lock) == 0;

	if (!is_free)
		pthread_mutex_init(&rpc.lock, NULL);
	if (rpc.n_waiting > 0)
		changed_init();
	rpc.n_waiting = 0;
	/* A thread of the parent may be receiving. The child's copy of the connection is freed
	 * with the connection, or leaks if it has ended. */
	rpc.reading = NULL;
	rpc.has_ended = false;
	rpc.was_checked = false;
	list_init(&rpc.calls);
	if (is_free)
		pthread_mutex_unlock(&rpc.lock);
}

const struct rpc_wait_policy *rpc_set_wait_policy(const struct rpc_wait_policy *policy)
{
	const struct rpc_wait_policy *previous = own_policy;

	own_policy = policy;
	return previous;
}

static uint64_t deadline_of_call(void)
{
	uint64_t timeout_ns = own_policy == NULL ? RPC_TIMEOUT_NS : own_policy->timeout_ns;

	return timeout_ns == 0 ? UINT64_MAX : clock_now_ns() + timeout_ns;
}

/* --- replies --- */

void rpc_reply_deinit(struct rpc_reply *reply)
{
	if (reply->packet != NULL)
		packet_free(reply->packet);
	reply->packet = NULL;
	fdset_deinit(&reply->fds);
}

/* Returns the result of a call from its reply, and records an error sentence if it failed. */
static doca_error_t reply_check(const struct rpc_pending *pending,
				Dococore__Packet__BodyCase expected)
{
	const struct rpc_reply *reply = &pending->reply;
	const Dococore__Error *error = reply->packet->error;
	uint32_t code;

	if (reply->packet->body_case == expected)
		return DOCA_SUCCESS;
	if (reply->packet->body_case != DOCOCORE__PACKET__BODY_ERROR)
		return error_set(DOCA_ERROR_UNEXPECTED, "the daemon answered %s with %s",
				 pending->name, frame_name(reply->packet));
	/* The daemon's error code is validated like input from any other process. */
	code = error->code;
	if (code == DOCA_SUCCESS || code > DOCA_ERROR_DEVICE_FATAL_ERROR)
		code = DOCA_ERROR_UNEXPECTED;
	return code == pending->options.expected_refusal ? error_note(code, "%.400s", error->text)
							 : error_set(code, "%.400s", error->text);
}

static void pending_free(struct rpc_pending *pending)
{
	rpc_reply_deinit(&pending->reply);
	free(pending);
}

/*
 * Frees a call that was given up, and undoes it. Nothing is undone after a reconnect: the former
 * daemon released everything with its connection, and its ids now belong to other objects.
 */
static void pending_undo_locked(struct rpc_pending *pending)
{
	if (pending->reply.packet != NULL && rpc_is_current_locked(pending))
		rpc_undo_locked(pending);
	pending_free(pending);
}

static void pending_complete_locked(struct rpc_pending *pending)
{
	const struct rpc_options options = pending->options;

	list_remove(&pending->node);
	if (pending->is_unwanted) {
		pending_undo_locked(pending);
		return;
	}
	atomic_store_explicit(&pending->is_done, true, memory_order_release);
	/*
	 * The owner may already have collected and freed the call at this point, hence the copy of
	 * the options. `options.user` stays valid, because its owner frees it only under the lock.
	 */
	if (options.on_done != NULL)
		options.on_done(options.user);
}

/* Passes a received packet to the call that it belongs to, or discards it: it is then the reply to
 * a request that was posted. */
static void deliver_locked(struct rpc_reply *reply)
{
	struct rpc_pending *pending;

	if (reply->packet->id == 0 && reply->packet->body_case == DOCOCORE__PACKET__BODY_ERROR) {
		const Dococore__Error *error = reply->packet->error;

		if (error->code != DOCA_SUCCESS && error->code <= DOCA_ERROR_DEVICE_FATAL_ERROR) {
			rpc.end_code = (doca_error_t)error->code;
			snprintf(rpc.end_sentence, sizeof(rpc.end_sentence),
				 "the daemon hung up: %.370s", error->text);
		}
	}
	list_for_each(pending, &rpc.calls, node)
	{
		if (pending->id != reply->packet->id)
			continue;
		pending->reply = *reply;
		memcpy(pending->reply.daemon_id, session_daemon_id_locked(),
		       sizeof(pending->reply.daemon_id));
		pending->reply.connection = pending->connection;
		*reply = (struct rpc_reply)RPC_REPLY_INIT;
		pending_complete_locked(pending);
		return;
	}
	rpc_reply_deinit(reply);
}

/* --- the connection --- */

void rpc_open_locked(struct conn *conn)
{
	rpc.conn = conn;
	rpc.n_connections++;
	rpc.end_code = DOCA_SUCCESS;
	/* The connection is new. If it has ended already, the first request reports that. */
	rpc.was_checked = true;
}

bool rpc_is_open_locked(void)
{
	return rpc.conn != NULL;
}

unsigned rpc_connection_locked(void)
{
	return rpc.n_connections;
}

unsigned rpc_n_timeouts(void)
{
	return own_timeouts;
}

int rpc_fd_locked(void)
{
	return rpc.conn == NULL ? -1 : conn_fd(rpc.conn);
}

void rpc_close_locked(bool is_foreign)
{
	struct conn *conn = rpc.conn;

	if (conn == NULL)
		return;
	if (rpc.end_code == DOCA_SUCCESS) {
		rpc.end_code = DOCA_ERROR_NOT_CONNECTED;
		str_copy(rpc.end_sentence, sizeof(rpc.end_sentence),
			 "the daemon's connection is lost (it has hung up); the next call connects "
			 "again when a daemon is there");
	}
	rpc.conn = NULL;
	rpc.was_checked = false;
	/* Another thread may be receiving from the socket: shutdown() wakes it. */
	if (!is_foreign)
		(void)shutdown(conn_fd(conn), SHUT_RDWR);
	if (rpc.reading == conn)
		rpc.has_ended = true;
	else
		conn_free(conn);
	if (is_foreign)
		list_init(&rpc.calls); /* they are the parent's */
	while (!list_is_empty(&rpc.calls)) {
		struct rpc_pending *pending = list_entry(rpc.calls.next, struct rpc_pending, node);

		pending->end_code = rpc.end_code;
		str_copy(pending->end_sentence, sizeof(pending->end_sentence), rpc.end_sentence);
		pending_complete_locked(pending);
	}
	rpc_changed_locked();
}

/* Ends the connection, because of what was noticed; the daemon's own reason is the better one. */
static void connection_ended_locked(doca_error_t code, const char *why)
{
	if (rpc.end_code == DOCA_SUCCESS) {
		rpc.end_code = code;
		str_copy(rpc.end_sentence, sizeof(rpc.end_sentence), why);
	}
	session_disconnect_locked();
}

/* Ends the connection after conn_recv() or conn_flush() has failed. After a reply was lost it is
 * unknown to which request it belonged, so the daemon must forget the whole session. */
static void connection_failed_locked(int r)
{
	char why[200];

	if (r == -ENOMEM || r == -EMFILE) {
		snprintf(why, sizeof(why),
			 "the daemon's reply could not be received: %s; the next call connects "
			 "again",
			 r == -EMFILE ? "no descriptors are left, raise RLIMIT_NOFILE"
				      : "out of memory");
		connection_ended_locked(DOCA_ERROR_NO_MEMORY, why);
		return;
	}
	snprintf(why, sizeof(why),
		 "the daemon's connection is lost (%s); the next call connects again when a daemon "
		 "is there",
		 r == -EPROTO ? conn_error(rpc.conn) : strerror(-r));
	connection_ended_locked(DOCA_ERROR_NOT_CONNECTED, why);
}

doca_error_t rpc_set_end_error(void)
{
	return error_set(rpc.end_code, "%s", rpc.end_sentence);
}

bool rpc_has_hung_up_locked(void)
{
	struct pollfd poll_fd = {.fd = rpc_fd_locked(), .events = POLLIN};

	if (rpc.was_checked)
		return false;
	if (poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLHUP | POLLERR)))
		return true;
	rpc.was_checked = true;
	return false;
}

/* --- receiving --- */

void rpc_changed_locked(void)
{
	pthread_cond_broadcast(&rpc.changed);
}

/* Receives and delivers all packets that have arrived. */
static void receive_locked(void)
{
	struct rpc_reply reply = RPC_REPLY_INIT;
	unsigned connection = rpc.n_connections;
	int r = 0;

	/* Delivering a reply can end the connection, if undoing a call fails. */
	while (rpc.conn != NULL && rpc.n_connections == connection &&
	       (r = conn_recv(rpc.conn, &reply.packet, &reply.fds)) == 1)
		deliver_locked(&reply);
	if (rpc.conn == NULL || rpc.n_connections != connection)
		return;
	if (r == 0 && conn_wants_write(rpc.conn))
		r = conn_flush(rpc.conn);
	if (r < 0)
		connection_failed_locked(r);
}

void rpc_receive_locked(void)
{
	session_check_fork_locked();
	/* A thread that receives without the lock delivers everything as soon as it has the
	 * lock. */
	if (rpc.conn != NULL && rpc.reading == NULL)
		receive_locked();
}

void rpc_receive(void)
{
	rpc_lock();
	rpc_receive_locked();
	rpc_unlock();
}

/* Blocks without the lock until something arrives, the eventfd of the thread's policy is signalled,
 * or the deadline passes. */
static void await_input(const struct conn *conn, bool wants_write, bool is_starved,
			uint64_t deadline_ns)
{
	int wake_fd = own_policy == NULL ? -1 : own_policy->wake_fd;
	struct pollfd fds[] = {{.fd = conn_fd(conn), .events = POLLIN},
			       {.fd = wake_fd, .events = POLLIN}};

	/* poll() would report a socket writable that is short of something else. */
	if (wants_write && !is_starved)
		fds[0].events |= POLLOUT;
	if (is_starved || own_policy != NULL)
		deadline_ns = MIN(deadline_ns, clock_now_ns() + CHECK_NS);
	if (poll(fds, ARRAY_LEN(fds), clock_poll_timeout(deadline_ns)) > 0 &&
	    (fds[1].revents & POLLIN))
		(void)fd_eventfd_clear(wake_fd);
}

/* Reads the connection for all waiting threads until something has arrived or the deadline passes.
 * may_block: one receive may take the socket's own time limit, which saves a system call. */
static void read_for_all_locked(uint64_t deadline_ns, bool may_block)
{
	struct conn *conn = rpc.conn;
	bool wants_write = conn_wants_write(conn), is_starved = conn_is_starved(conn);
	struct rpc_reply reply = RPC_REPLY_INIT;
	int r = 0;

	rpc.reading = conn;
	rpc_unlock();
	if (may_block && !wants_write)
		r = conn_recv_wait(conn, &reply.packet, &reply.fds);
	else
		await_input(conn, wants_write, is_starved, deadline_ns);
	rpc_lock();
	rpc.reading = NULL;
	if (rpc.has_ended) {
		rpc.has_ended = false;
		rpc_reply_deinit(&reply);
		conn_free(conn);
	} else if (r < 0) {
		connection_failed_locked(r);
	} else {
		if (r == 1)
			deliver_locked(&reply);
		/* If no other call is pending, what else has arrived can wait. */
		if (r == 0 || !list_is_empty(&rpc.calls))
			rpc_receive_locked();
	}
	rpc_changed_locked();
}

bool rpc_wait_locked(uint64_t deadline_ns)
{
	uint64_t now_ns = clock_now_ns(), until_ns;
	struct timespec until;

	if (now_ns >= deadline_ns)
		return false;
	until_ns = own_policy == NULL ? deadline_ns : MIN(deadline_ns, now_ns + CHECK_NS);
	until = (struct timespec){.tv_sec = (time_t)(until_ns / NS_PER_SEC),
				  .tv_nsec = (long)(until_ns % NS_PER_SEC)};
	rpc.n_waiting++;
	(void)pthread_cond_timedwait(&rpc.changed, &rpc.lock, &until);
	rpc.n_waiting--;
	rpc.was_checked = false;
	return true;
}

/* --- sending --- */

int rpc_send_locked(struct rpc_request *request)
{
	if (rpc.conn == NULL)
		return -ENOTCONN;
	request->packet.id = rpc.next_id++;
	return conn_send(rpc.conn, &request->packet, request->fds, request->n_fds);
}

/* Ends the connection after a request could not be sent, except if the request itself is the
 * reason, and records an error sentence. */
static doca_error_t send_failed_locked(const struct rpc_request *request, int r)
{
	if (r == -EMSGSIZE)
		return error_set(DOCA_ERROR_TOO_BIG, "request %s does not fit a packet",
				 frame_name(&request->packet));
	if (r == -ENOBUFS)
		return error_set(DOCA_ERROR_TIME_OUT,
				 "the daemon does not read its requests, and there is no room for "
				 "%s; is it stopped or overloaded?",
				 frame_name(&request->packet));
	/* The reason that the daemon sent before it hung up may still be in the socket. */
	if (rpc.reading == NULL && rpc.conn != NULL)
		receive_locked();
	if (rpc.conn != NULL)
		connection_failed_locked(r);
	return rpc_set_end_error();
}

static struct rpc_pending *pending_new(const struct rpc_request *request,
				       const struct rpc_options *options)
{
	struct rpc_pending *pending = calloc(1, sizeof(*pending));

	if (pending == NULL) {
		(void)error_set(DOCA_ERROR_NO_MEMORY, "asking the daemon: out of memory");
		return NULL;
	}
	list_init(&pending->node);
	pending->connection = rpc.n_connections;
	pending->request = request->packet.body_case;
	pending->name = frame_name(&request->packet);
	rpc_undo_prepare(pending, &request->packet);
	pending->options = *options;
	pending->reply = (struct rpc_reply)RPC_REPLY_INIT;
	return pending;
}

/* Returns 0 or -errno. The packet may have been received as soon as it is sent, but its reply is
 * delivered under the lock. */
static int pending_send_locked(struct rpc_pending *pending, struct rpc_request *request)
{
	int r = rpc_send_locked(request);

	if (r < 0)
		return r;
	pending->id = request->packet.id;
	list_append(&rpc.calls, &pending->node);
	return 0;
}

doca_error_t rpc_begin_locked(struct rpc_request *request, const struct rpc_options *options,
			      struct rpc_pending **pending_out)
{
	struct rpc_pending *pending;
	int r;

	session_check_fork_locked();
	if (!session_is_usable_locked())
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "there is no connection to a daemon, or it is being restored; "
				 "try again");
	pending = pending_new(request, options);
	if (pending == NULL)
		return DOCA_ERROR_NO_MEMORY;
	r = pending_send_locked(pending, request);
	if (r < 0) {
		pending_free(pending);
		return send_failed_locked(request, r);
	}
	*pending_out = pending;
	return DOCA_SUCCESS;
}

bool rpc_is_done(const struct rpc_pending *pending)
{
	return atomic_load_explicit(&pending->is_done, memory_order_acquire);
}

bool rpc_is_current_locked(const struct rpc_pending *pending)
{
	return rpc.conn != NULL && pending->connection == rpc.n_connections;
}

doca_error_t rpc_collect(struct rpc_pending **pending, Dococore__Packet__BodyCase expected,
			 struct rpc_reply *reply_out)
{
	struct rpc_pending *taken = *pending;
	doca_error_t result;

	*pending = NULL;
	if (taken->reply.packet == NULL)
		result = error_set(taken->end_code, "%s", taken->end_sentence);
	else
		result = reply_check(taken, expected);
	if (result == DOCA_SUCCESS) {
		*reply_out = taken->reply;
		taken->reply = (struct rpc_reply)RPC_REPLY_INIT;
	}
	pending_free(taken);
	return result;
}

struct rpc_pending *rpc_cancel_locked(struct rpc_pending *pending)
{
	if (pending == NULL)
		return NULL;
	if (rpc_is_done(pending)) {
		pending_undo_locked(pending);
		return NULL;
	}
	pending->is_unwanted = true;
	/* The daemon handles requests in order: this one undoes the call, and not what the program
	 * asks for next. */
	if (rpc_is_current_locked(pending))
		rpc_undo_early_locked(pending);
	return NULL;
}

struct rpc_pending *rpc_cancel(struct rpc_pending *pending)
{
	if (pending == NULL)
		return NULL;
	rpc_lock();
	(void)rpc_cancel_locked(pending);
	rpc_unlock();
	return NULL;
}

/* --- calls that wait --- */

/* Waits while another thread reads. That thread does not notice what this one has queued. */
static void follow_locked(uint64_t deadline_ns)
{
	bool is_queued = rpc.conn != NULL && conn_wants_write(rpc.conn);

	(void)rpc_wait_locked(is_queued ? MIN(deadline_ns, clock_now_ns() + CHECK_NS)
					: deadline_ns);
	if (is_queued && rpc.conn != NULL)
		(void)conn_flush(rpc.conn);
}

/* Waits until the call is done. Otherwise gives it up, and records an error sentence. */
static doca_error_t pending_await_locked(struct rpc_pending *pending, uint64_t deadline_ns)
{
	for (bool is_first = true; !rpc_is_done(pending); is_first = false) {
		if (own_policy != NULL && own_policy->is_over()) {
			(void)rpc_cancel_locked(pending);
			return error_note(DOCA_ERROR_CONNECTION_ABORTED,
					  "the daemon had not answered %s when it was not wanted "
					  "any more",
					  pending->name);
		}
		if (clock_now_ns() >= deadline_ns) {
			(void)rpc_cancel_locked(pending);
			own_timeouts++;
			return error_set(DOCA_ERROR_TIME_OUT,
					 "the daemon did not answer %s within %d s; is it stopped "
					 "or overloaded?",
					 pending->name, RPC_TIMEOUT_S);
		}
		if (rpc.conn != NULL && rpc.reading == NULL)
			read_for_all_locked(deadline_ns, is_first && own_policy == NULL);
		else
			follow_locked(deadline_ns);
	}
	return DOCA_SUCCESS;
}

/* Sends a request and waits until it is done; see rpc_exchange_locked(). */
static doca_error_t exchange_locked(struct rpc_request *request, struct rpc_pending **pending_out,
				    bool *hung_up_out)
{
	const struct rpc_options options = {.expected_refusal = request->expected_refusal};
	struct rpc_pending *pending = pending_new(request, &options);
	bool was_checked = rpc.was_checked;
	doca_error_t result;
	int r;

	*hung_up_out = false;
	if (pending == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (request->connection != 0 && request->connection != rpc.n_connections) {
		pending_free(pending);
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "%s: the daemon was restarted meanwhile; try again",
				 frame_name(&request->packet));
	}
	r = pending_send_locked(pending, request);
	if (r < 0) {
		pending_free(pending);
		*hung_up_out = r == -EPIPE && !was_checked;
		return *hung_up_out ? DOCA_ERROR_NOT_CONNECTED : send_failed_locked(request, r);
	}
	rpc.was_checked = true;
	result = pending_await_locked(pending, deadline_of_call());
	if (result != DOCA_SUCCESS)
		return result;
	/* The daemon was there a moment ago. What the caller reads from here on is valid for this
	 * connection: the next request must not be sent over another one. */
	rpc.was_checked = true;
	*pending_out = pending;
	return DOCA_SUCCESS;
}

doca_error_t rpc_exchange_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
				 struct rpc_reply *reply_out, bool *hung_up_out)
{
	struct rpc_pending *pending;
	doca_error_t result = exchange_locked(request, &pending, hung_up_out);
	bool is_current;

	if (result != DOCA_SUCCESS)
		return result;
	is_current = rpc_is_current_locked(pending);
	result = rpc_collect(&pending, expected, reply_out);
	if (result != DOCA_SUCCESS || is_current)
		return result;
	rpc_reply_deinit(reply_out);
	return error_set(DOCA_ERROR_NOT_CONNECTED, "the daemon that answered %s is gone; try again",
			 frame_name(&request->packet));
}

doca_error_t rpc_call_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
			     struct rpc_reply *reply_out)
{
	doca_error_t result = DOCA_SUCCESS;
	bool hung_up = true;

	session_check_fork_locked();
	/* Sending detects a hang-up as well as a poll would, and saves the extra system call. */
	if (session_is_usable_locked()) {
		result = rpc_exchange_locked(request, expected, reply_out, &hung_up);
		if (hung_up)
			session_disconnect_locked();
	}
	if (hung_up)
		result = session_ensure_locked();
	if (!hung_up || result != DOCA_SUCCESS)
		return result;
	result = rpc_exchange_locked(request, expected, reply_out, &hung_up);
	if (!hung_up)
		return result;
	session_disconnect_locked();
	return rpc_set_end_error();
}

doca_error_t rpc_call(struct rpc_request *request, Dococore__Packet__BodyCase expected,
		      struct rpc_reply *reply_out)
{
	doca_error_t result;

	rpc_lock();
	result = rpc_call_locked(request, expected, reply_out);
	rpc_unlock();
	return result;
}

void rpc_call_void_locked(struct rpc_request *request)
{
	struct rpc_pending *pending;
	bool hung_up;

	session_check_fork_locked();
	/* While another thread restores the connection, the daemon may know the object already.
	 * The request is sent then too, but this thread does not wait for the restoration. */
	if (!session_is_usable_locked())
		(void)rpc_send_locked(request);
	else if (exchange_locked(request, &pending, &hung_up) == DOCA_SUCCESS)
		pending_free(pending);
}

void rpc_call_void(struct rpc_request *request)
{
	rpc_lock();
	rpc_call_void_locked(request);
	rpc_unlock();
}

void rpc_post_locked(struct rpc_request *request)
{
	/* The daemon's replies must not fill the socket. */
	rpc_receive_locked();
	(void)rpc_send_locked(request);
}

void rpc_notify_locked(struct rpc_request *request)
{
	session_check_fork_locked();
	if (rpc.conn == NULL)
		return;
	request->packet.id = 0;
	(void)conn_send(rpc.conn, &request->packet, request->fds, request->n_fds);
}
