/*
 * The connection to the daemon; see client/control/session.h. Requests and replies are exchanged
 * one at a time under one lock: control calls are rare, and the daemon sees them in an obvious
 * order. Threads: any. The lock is not recursive; functions named *_locked expect their caller to
 * hold it.
 */
#include "client/control/session.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_log.h>
#include <dococ.h>

#include "client/base/counters.h"
#include "client/base/error.h"
#include "client/control/blocking_call.h"
#include "client/control/deferred.h"
#include "client/control/find_daemon.h"
#include "client/control/rpc.h"
#include "client/control/reply.h"
#include "client/control/session_state.h"
#include "config.h"
#include "proto/conn.h"
#include "proto/packet.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/str.h"

#define QUEUE_MAX      (1u << 20)
#define HELLO_ATTEMPTS 3

static struct {
	pthread_mutex_t lock;
	enum session_state state; /* changed by session_enter() only */
	struct conn *conn;        /* NULL in SESSION_CLOSED and SESSION_RESTORE_FAILED */
	pid_t pid;                /* the process that opened the connection; 0: none yet */
	unsigned n_forks, n_connections;
	/* Points to 1 in that process and to 0 in a forked child, which saves a system call. NULL
	 * if the kernel cannot do this; getpid() is used then. */
	volatile uint8_t *mark;
	bool was_checked;                     /* checked for hang-up since the lock was taken */
	_Atomic bool hangup_check_is_pending; /* a deferred hang-up check is submitted */
	uint64_t next_id;
	uint64_t session_id;
	char side[8];
	uint8_t daemon_id[16];
	struct session_page *page;
	bool was_connected;
	uint64_t timeout_ns; /* the time to wait for a connection or a reply */
	/* The id of the Hello that was sent over `conn`, or 0, and when its reply is given up. */
	uint64_t hello_id, hello_until_ns;
	bool wants_counters; /* the daemon asked for the counters */
	struct list items;
} session = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.timeout_ns = RPC_TIMEOUT_NS,
	.next_id = 1,
	.items = LIST_INIT(session.items),
};

void session_lock(void)
{
	pthread_mutex_lock(&session.lock);
}

bool session_try_lock(void)
{
	return pthread_mutex_trylock(&session.lock) == 0;
}

void session_unlock(void)
{
	do {
		if (unlikely(session_has_deferred()))
			session_deferred_run_locked();
		session.was_checked = false;
		pthread_mutex_unlock(&session.lock);
	} while (unlikely(session_has_deferred()) && session_try_lock());
}

void session_item_add_locked(struct session_item *item)
{
	list_append(&session.items, &item->node);
}

void session_item_remove_locked(struct session_item *item)
{
	list_remove(&item->node);
}

struct session_page *session_page_ref_locked(void)
{
	if (session.page != NULL)
		session.page->refs++;
	return session.page;
}

static bool session_is_own_process(void)
{
	if (session.pid == 0)
		return true;
	return session.mark != NULL ? *session.mark != 0 : session.pid == getpid();
}

static void session_enter(enum session_state to)
{
	session.state = lifecycle_enter(&session_lifecycle, &session, session.state, to);
}

/* Returns whether packets can be exchanged. A connection whose greeting was postponed does not
 * count. */
static bool session_is_connected(void)
{
	return session.state == SESSION_OPEN || session.state == SESSION_HANDSHAKE ||
	       session.state == SESSION_RESTORING;
}

static bool session_is_restoring(void)
{
	return session.state == SESSION_RESTORING || session.state == SESSION_RESTORE_FAILED;
}

/* Closes the connection. Pending calls end with this code and sentence, or with their own. */
static void session_disconnect_with(doca_error_t code, const char *sentence)
{
	struct session_item *item;
	bool is_connected = session_is_connected();

	session.was_checked = false;
	/* Waiting threads poll a duplicate of the descriptor; shutdown() wakes them. */
	if (is_connected && session_is_own_process())
		(void)shutdown(conn_fd(session.conn), SHUT_RDWR);
	session.conn = conn_free(session.conn);
	session_enter(session_is_restoring() ? SESSION_RESTORE_FAILED : SESSION_CLOSED);
	rpc_end_all_locked(code, sentence);
	list_for_each(item, &session.items, node)
	{
		if (is_connected && item->on_disconnect != NULL)
			item->on_disconnect(item);
	}
	if (session.page != NULL)
		session_page_unref_locked(session.page);
	session.page = NULL;
}

static void session_disconnect(void)
{
	session_disconnect_with(DOCA_ERROR_NOT_CONNECTED, NULL);
}

/* In a forked child, resets the lock: a thread of the parent may have held it. */
static void session_in_child(void)
{
	pthread_mutex_init(&session.lock, NULL);
	session_deferred_forget();
	atomic_store(&session.hangup_check_is_pending, false);
	session.was_checked = false;
}

static void session_watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, session_in_child);
}

static void session_mark_process(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t len = memfd_page_size();

	pthread_once(&once, session_watch_forks);
	session.pid = getpid();
	if (session.mark == NULL) {
		void *page = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		if (page == MAP_FAILED)
			return;
		/* Fails on kernels before Linux 4.14. */
		if (madvise(page, len, MADV_WIPEONFORK) < 0) {
			munmap(page, len);
			return;
		}
		session.mark = page;
	}
	*session.mark = 1;
}

/* Detects a fork. The child must neither use nor shut down the socket of its parent. */
static void session_check_fork(void)
{
	/* Needed even if the parent had no connection: the child must not restore its objects. */
	if (!session_is_own_process()) {
		list_init(&session.items);
		rpc_forget_locked();
		session_disconnect();
		session_enter(SESSION_CLOSED);
		session.pid = 0;
		session.was_connected = false;
		session.n_forks++;
	}
}

unsigned session_n_forks_locked(void)
{
	session_check_fork();
	return session.n_forks;
}

/* Drops the connection. Reports the reason that the daemon sent last, or else `why`. */
static doca_error_t connection_ended(const Dococore__Packet *last, const char *why)
{
	const Dococore__Error *error = last == NULL ? NULL : last->error;

	session_disconnect();
	if (error != NULL && error->code != DOCA_SUCCESS &&
	    error->code <= DOCA_ERROR_DEVICE_FATAL_ERROR)
		return error_set((doca_error_t)error->code, "the daemon hung up: %.380s",
				 error->text);
	return error_set(
		DOCA_ERROR_NOT_CONNECTED,
		"the daemon's connection is lost (%s); the next call connects again when a daemon "
		"is there",
		why);
}

static doca_error_t connection_lost(const char *why)
{
	return connection_ended(NULL, why);
}

/*
 * Returns whether conn_recv()'s result `r` means that a reply was lost: it was not a valid packet,
 * or it could not be received. Which request it belonged to is unknown, so the daemon must forget
 * the whole session.
 */
static bool is_reply_lost(int r)
{
	return r == -EPROTO || r == -ENOMEM || r == -EMFILE;
}

static doca_error_t reply_lost(int r)
{
	const char *why = conn_error(session.conn);
	doca_error_t result;

	if (r == -EPROTO)
		result = error_set(DOCA_ERROR_NOT_CONNECTED,
				   "the daemon's connection is lost (%s); the next call connects "
				   "again when a daemon is there",
				   why);
	else
		result = error_set(DOCA_ERROR_NO_MEMORY,
				   "the daemon's reply could not be received: %s; the next call "
				   "connects again",
				   r == -EMFILE ? "no descriptors are left, raise RLIMIT_NOFILE"
						: "out of memory");
	session_disconnect_with(result, dococ_last_error());
	return result;
}

/* Sends what did not fit into the socket. Returns after one wait: something arrived, part of it was
 * sent, or the deadline passed. */
static int exchange_flush(uint64_t deadline)
{
	struct pollfd poll_fd = {.fd = conn_fd(session.conn), .events = POLLIN | POLLOUT};
	int r = conn_flush(session.conn);

	if (r < 0 || !conn_wants_write(session.conn))
		return r;
	if (poll(&poll_fd, 1, clock_poll_timeout(deadline)) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

/*
 * Receives the next packet, with conn_recv()'s results. The first wait uses the socket's own
 * timeout, which saves a system call and equals the call's limit. Later waits last until the
 * deadline.
 */
static int exchange_receive(uint64_t deadline, bool is_first, struct rpc_reply *got)
{
	struct pollfd poll_fd = {.fd = conn_fd(session.conn), .events = POLLIN};

	if (conn_wants_write(session.conn)) {
		int r = exchange_flush(deadline);

		if (r < 0)
			return r;
	} else if (is_first) {
		return conn_recv_wait(session.conn, &got->packet, &got->fds);
	} else if (poll(&poll_fd, 1, clock_poll_timeout(deadline)) < 0 && errno != EINTR) {
		return -errno;
	}
	return conn_recv(session.conn, &got->packet, &got->fds);
}

/* Sends the request, except a Hello that awaits its reply already. Returns 0 or -errno. */
static int exchange_send(struct rpc_request *request)
{
	bool is_hello = request->packet.body_case == DOCOCORE__PACKET__BODY_HELLO;

	if (is_hello && session.hello_id != 0) {
		request->packet.id = session.hello_id;
		return 0;
	}
	request->packet.id = session.next_id++;
	if (is_hello)
		session.hello_id = request->packet.id;
	return conn_send(session.conn, &request->packet, request->fds, request->n_fds);
}

/* If a Hello was sent under the 200 ms limit, keeps the connection for a later attempt and returns
 * true. A busy daemon may never answer within 200 ms. */
static bool exchange_postpone(const struct rpc_request *request)
{
	if (request->packet.body_case != DOCOCORE__PACKET__BODY_HELLO ||
	    session.timeout_ns != SESSION_ENSURE_TIMEOUT_NS ||
	    clock_now_ns() >= session.hello_until_ns)
		return false;
	session_enter(SESSION_POSTPONED);
	return true;
}

/*
 * Sends one request over the open connection and receives its reply. Sets *hung_up_out, and records
 * no error, if the daemon hung up before it received the request. That happens only if the
 * connection was not checked since the lock was taken.
 */
static doca_error_t exchange(struct rpc_request *request, struct rpc_reply *answer,
			     bool *hung_up_out)
{
	CLEANUP_REPLY struct rpc_reply last = RPC_REPLY_INIT;
	uint64_t deadline = clock_now_ns() + session.timeout_ns;
	int r;

	r = exchange_send(request);
	*hung_up_out = r == -EPIPE && !session.was_checked;
	if (*hung_up_out)
		return DOCA_ERROR_NOT_CONNECTED;
	session.was_checked |= r == 0;
	if (r == -EMSGSIZE || r == -ENOBUFS)
		return error_set(DOCA_ERROR_TOO_BIG, "request %s does not fit a packet",
				 frame_name(&request->packet));
	if (r < 0) {
		int error = -r;

		/* The reason that the daemon sent before it hung up may still be in the socket. */
		if (conn_recv(session.conn, &last.packet, &last.fds) == 1 &&
		    last.packet->body_case == DOCOCORE__PACKET__BODY_ERROR)
			return connection_ended(last.packet, strerror(error));
		return connection_lost(strerror(error));
	}
	for (bool is_first = true;; is_first = false) {
		struct rpc_reply got = RPC_REPLY_INIT;

		r = exchange_receive(deadline, is_first, &got);
		if (is_reply_lost(r))
			return reply_lost(r);
		if (r < 0)
			return connection_ended(last.packet, strerror(-r));
		if (r == 1 && got.packet->id == request->packet.id) {
			*answer = got;
			return DOCA_SUCCESS;
		}
		if (r == 1 && got.packet->id == 0 &&
		    got.packet->body_case == DOCOCORE__PACKET__BODY_ERROR) {
			rpc_reply_deinit(&last);
			last = got;
		} else if (r != 1 || !rpc_deliver_locked(&got)) {
			rpc_reply_deinit(&got);
		}
		if (clock_now_ns() >= deadline) {
			/* A late reply could be taken for another call's: disconnect. */
			if (!exchange_postpone(request))
				session_disconnect();
			return error_set(DOCA_ERROR_TIME_OUT,
					 "the daemon did not answer %s within 5 s; is it stopped "
					 "or overloaded?",
					 frame_name(&request->packet));
		}
	}
}

static doca_error_t call_connected(struct rpc_request *request, Dococore__Packet__BodyCase expected,
				   struct rpc_reply *answer_out, bool *hung_up_out)
{
	struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result = exchange(request, &answer, hung_up_out);

	if (result != DOCA_SUCCESS)
		return result;
	result = rpc_reply_check(&answer, frame_name(&request->packet), expected,
				 request->expected_refusal);
	if (result == DOCA_SUCCESS)
		*answer_out = answer;
	else
		rpc_reply_deinit(&answer);
	return result;
}

/* Sends the counters to the daemon, for operators to read. Failures are ignored. */
static void session_send_counters(void)
{
	Dococore__CountersShare body = DOCOCORE__COUNTERS_SHARE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	CLEANUP_FD int fd = session.wants_counters ? counters_get_fd() : -1;

	if (fd < 0)
		return;
	body.layout = COUNTERS_LAYOUT;
	packet.body_case = DOCOCORE__PACKET__BODY_COUNTERS_SHARE;
	packet.counters_share = &body;
	conn_send(session.conn, &packet, &fd, 1);
}

static void session_share_counters(void)
{
	session_lock();
	session_check_fork();
	if (session_is_connected())
		session_send_counters();
	session_unlock();
}

static doca_error_t send_hello(void)
{
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	const Dococore__HelloReply *reply;
	char program[64];
	bool hung_up;
	CLEANUP_FD int page = -1;
	doca_error_t result;
	int r;

	snprintf(program, sizeof(program), "%s", program_invocation_short_name);
	hello.protocol = FRAME_PROTOCOL;
	hello.program = program;
	hello.library = (char *)PACKAGE_VERSION;
	request.packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	request.packet.hello = &hello;
	/* The connection is new. If it has ended already, the caller retries. */
	session.was_checked = true;
	result = call_connected(&request, DOCOCORE__PACKET__BODY_HELLO_REPLY, &answer, &hung_up);
	if (result != DOCA_SUCCESS)
		return result;
	reply = answer.packet->hello_reply;
	result = session_check_hello_reply(reply);
	if (result != DOCA_SUCCESS)
		return result;
	page = fdset_steal(&answer.fds, 0);
	r = memfd_verify(page, reply->liveness_len);
	if (r < 0)
		return error_set(error_from_errno(r),
				 "the daemon's liveness page is invalid (error %d)", -r);
	result = session_page_map(page, reply->liveness_len, session.n_connections, &session.page);
	if (result != DOCA_SUCCESS)
		return result;
	session.wants_counters = reply->counters_layout == COUNTERS_LAYOUT;
	session.session_id = reply->session_id;
	str_copy(session.side, sizeof(session.side), reply->side);
	memcpy(session.daemon_id, reply->daemon_id.data, 16);
	counters_on_pages_made(session_share_counters);
	session_send_counters();
	return DOCA_SUCCESS;
}

/* Opens a connection, or resumes one whose Hello has not been answered yet. */
static doca_error_t session_open_conn(void)
{
	CLEANUP_FD int fd = -1;
	doca_error_t result;

	if (session.state == SESSION_POSTPONED && clock_now_ns() < session.hello_until_ns) {
		session_enter(SESSION_HANDSHAKE);
		return DOCA_SUCCESS;
	}
	session_disconnect();
	result = session_find_daemon(session.timeout_ns, &fd);
	if (result != DOCA_SUCCESS)
		return result;
	session.conn = conn_new(fd, QUEUE_MAX);
	if (session.conn == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "connecting to the daemon: %m");
	fd_steal(&fd);
	session_mark_process();
	session_enter(SESSION_HANDSHAKE);
	session.n_connections++;
	session.hello_id = 0;
	session.hello_until_ns = clock_now_ns() + RPC_TIMEOUT_NS;
	return DOCA_SUCCESS;
}

/* Connects and sends Hello. Sets *reached_out if a daemon accepted the connection. */
static doca_error_t session_handshake(bool *reached_out)
{
	doca_error_t result = session_open_conn();
	int r;

	if (result != DOCA_SUCCESS)
		return result;
	r = conn_set_timeout(session.conn, session.timeout_ns);
	if (r < 0)
		return error_set(error_from_errno(r), "connecting to the daemon: error %d", -r);
	*reached_out = true;
	return send_hello();
}

/* Restores the limit of 5 s. The daemon is there, and restoring objects takes time. */
static doca_error_t session_allow_time(void)
{
	int r;

	if (session.timeout_ns == RPC_TIMEOUT_NS)
		return DOCA_SUCCESS;
	session.timeout_ns = RPC_TIMEOUT_NS;
	error_mute(false);
	r = conn_set_timeout(session.conn, session.timeout_ns);
	return r < 0 ? error_set(error_from_errno(r), "connecting to the daemon: error %d", -r)
		     : DOCA_SUCCESS;
}

/* Asks all objects to register with the new daemon. Returns false if the connection has ended
 * meanwhile; an object whose call fails then does not connect again. */
static bool session_restore(void)
{
	struct session_item *item, *tmp;

	sdk_info("connected to the %s daemon again, restoring what it should know", session.side);
	session_enter(SESSION_RESTORING);
	list_for_each_safe(item, tmp, &session.items, node)
	{
		item->on_reconnect(item);
		if (session.state != SESSION_RESTORING) {
			session_enter(SESSION_CLOSED);
			return false;
		}
	}
	return true;
}

static doca_error_t session_connect(void)
{
	doca_error_t result;

	session_snapshot_environment();
	/* A daemon that exits before it reads Hello has done nothing. If a service manager holds
	 * its socket, the next daemon is about to start: try again. */
	for (int i = 0; i < HELLO_ATTEMPTS; i++) {
		bool reached = false;

		result = session_handshake(&reached);
		if (result != DOCA_ERROR_NOT_CONNECTED || !reached)
			break;
	}
	if (result == DOCA_SUCCESS)
		result = session_allow_time();
	if (result != DOCA_SUCCESS) {
		if (session.state != SESSION_POSTPONED)
			session_disconnect();
		return result;
	}
	if (session.was_connected && !session_restore())
		return DOCA_ERROR_NOT_CONNECTED;
	session.was_connected = true;
	session_enter(SESSION_OPEN);
	return DOCA_SUCCESS;
}

/* Returns true if the peer hung up since the last call. In that case reconnecting is better than a
 * request that fails. */
static bool session_has_hung_up(void)
{
	struct pollfd poll_fd = {.fd = conn_fd(session.conn), .events = POLLIN};

	if (session.was_checked)
		return false;
	if (poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLHUP | POLLERR)))
		return true;
	session.was_checked = true;
	return false;
}

doca_error_t session_ensure_locked(void)
{
	session_check_fork();
	if (session_is_connected() && session_has_hung_up())
		session_disconnect();
	if (session_is_connected())
		return DOCA_SUCCESS;
	return session_is_restoring() ? connection_lost("while restoring") : session_connect();
}

doca_error_t session_ensure_timeout_locked(bool is_quiet)
{
	doca_error_t result;

	session.timeout_ns = SESSION_ENSURE_TIMEOUT_NS;
	error_mute(is_quiet);
	result = session_ensure_locked();
	error_mute(false);
	session.timeout_ns = RPC_TIMEOUT_NS;
	return result;
}

doca_error_t rpc_call_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
			     struct rpc_reply *answer_out)
{
	doca_error_t result = DOCA_SUCCESS;
	bool hung_up = true;

	session_check_fork();
	if (session_has_wait_policy() && session.state == SESSION_OPEN)
		return session_wait_locked(request, expected, answer_out);
	/* Sending detects a hang-up as well as a poll would, and saves the extra system call. */
	if (session_is_connected()) {
		result = call_connected(request, expected, answer_out, &hung_up);
		if (hung_up)
			session_disconnect();
	}
	if (hung_up)
		result = session_ensure_locked();
	if (hung_up && result == DOCA_SUCCESS)
		result = call_connected(request, expected, answer_out, &hung_up);
	if (result == DOCA_SUCCESS) {
		memcpy(answer_out->daemon_id, session.daemon_id, sizeof(answer_out->daemon_id));
		answer_out->connection = session.n_connections;
	}
	return result;
}

void rpc_call_void_locked(struct rpc_request *request)
{
	struct rpc_reply answer = RPC_REPLY_INIT;
	bool hung_up;

	session_check_fork();
	if (session_has_wait_policy())
		rpc_post_locked(request);
	else if (session_is_connected())
		exchange(request, &answer, &hung_up);
	rpc_reply_deinit(&answer);
}

/* Receives all packets that have arrived. Returns false if the connection has ended. */
static bool receive_replies(void)
{
	struct rpc_reply answer = RPC_REPLY_INIT;
	int r;

	while ((r = conn_recv(session.conn, &answer.packet, &answer.fds)) == 1) {
		/* Other packets are replies to one-way requests; a call discards them too. */
		if (!rpc_deliver_locked(&answer))
			rpc_reply_deinit(&answer);
	}
	if (is_reply_lost(r))
		reply_lost(r);
	else if (r < 0)
		session_disconnect();
	return r >= 0;
}

void rpc_receive_locked(void)
{
	session_check_fork();
	if (session_is_connected() && receive_replies() && conn_wants_write(session.conn) &&
	    conn_flush(session.conn) < 0)
		session_disconnect();
}

void rpc_post_locked(struct rpc_request *request)
{
	session_check_fork();
	if (session_is_connected() && receive_replies())
		rpc_post_unchecked_locked(request);
}

void rpc_post_unchecked_locked(struct rpc_request *request)
{
	if (!session_is_connected())
		return;
	request->packet.id = session.next_id++;
	conn_send(session.conn, &request->packet, request->fds, request->n_fds);
}

doca_error_t session_send_locked(struct rpc_request *request)
{
	int r;

	session_check_fork();
	/* The connection is kept for the next attempt to connect. */
	if (session.state == SESSION_POSTPONED)
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "the daemon has not answered the greeting yet; try again");
	if (!session_is_connected())
		return connection_lost("it ended before");
	request->packet.id = session.next_id++;
	r = conn_send(session.conn, &request->packet, request->fds, request->n_fds);
	if (r == -EMSGSIZE || r == -ENOBUFS)
		return error_set(DOCA_ERROR_TOO_BIG, "request %s does not fit a packet",
				 frame_name(&request->packet));
	return r < 0 ? connection_lost(strerror(-r)) : DOCA_SUCCESS;
}

unsigned session_n_connections_locked(void)
{
	return session.n_connections;
}

void rpc_call_void(struct rpc_request *request)
{
	session_lock();
	rpc_call_void_locked(request);
	session_unlock();
}

void rpc_notify_locked(struct rpc_request *request)
{
	session_check_fork();
	if (!session_is_connected())
		return;
	request->packet.id = 0;
	conn_send(session.conn, &request->packet, request->fds, request->n_fds);
}

bool session_is_over_locked(void)
{
	session_check_fork();
	return !session_is_connected() || session_has_hung_up();
}

static void check_hangup_locked(void)
{
	if (session_is_over_locked() && session_is_connected())
		session_disconnect();
}

void session_check_hangup(void)
{
	if (!session_try_lock())
		return;
	check_hangup_locked();
	session_unlock();
}

static void check_hangup_run(struct session_deferred *deferred)
{
	(void)deferred;
	atomic_store(&session.hangup_check_is_pending, false);
	/* The daemon may have hung up after the lock's holder last checked. */
	session.was_checked = false;
	check_hangup_locked();
}

void session_check_hangup_deferred(void)
{
	static struct session_deferred check = {.run_locked = check_hangup_run};

	if (!atomic_exchange(&session.hangup_check_is_pending, true))
		session_defer(&check);
}

int session_fd_locked(void)
{
	return session_is_connected() ? conn_fd(session.conn) : -1;
}

const uint8_t *session_daemon_id_locked(void)
{
	return session.daemon_id;
}

void session_get_side_locked(char side_out[8], uint8_t daemon_id_out[16])
{
	memcpy(side_out, session.side, 8);
	memcpy(daemon_id_out, session.daemon_id, 16);
}

doca_error_t session_get_side(char side_out[8], uint8_t daemon_id_out[16])
{
	doca_error_t result;

	session_lock();
	result = session_ensure_locked();
	if (result == DOCA_SUCCESS)
		session_get_side_locked(side_out, daemon_id_out);
	session_unlock();
	return result;
}
