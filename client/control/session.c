/*
 * The connection to the daemon; see client/control/session.h. One thread at a time connects: it
 * finds the daemon, greets it and asks all objects to register. It does not hold the lock while it
 * waits; others that need the connection wait for it. Calls are in client/control/rpc.c, which this
 * file shares its lock with.
 */
#include "client/control/session.h"

#include <errno.h>
#include <pthread.h>
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
#include "client/control/find_daemon.h"
#include "client/control/rpc_internal.h"
#include "client/control/session_state.h"
#include "client/control/tracer.h"
#include "client/control/worker.h"
#include "config.h"
#include "proto/conn.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/str.h"

/* The limit of bytes that wait for a daemon that does not read. */
#define QUEUE_MAX      (8u << 20)
#define HELLO_ATTEMPTS 3

static struct {
	enum session_state state; /* changed by session_enter() only */
	/* A thread connects or registers objects; only that thread uses the connection before it
	 * is open. */
	bool has_connector;
	pthread_t connector;
	unsigned n_attempts; /* to connect */
	/* The result of the last attempt. */
	doca_error_t failure;
	char failure_sentence[400];
	pid_t pid; /* the process that opened the connection; 0: none yet */
	unsigned n_forks;
	/* Points to 1 in that process and to 0 in a forked child, which saves a system call. NULL
	 * if the kernel cannot do this; getpid() is used then. */
	volatile uint8_t *mark;
	uint64_t session_id;
	char side[8];
	uint8_t daemon_id[16];
	struct session_page *page;
	bool was_connected;
	bool wants_counters;  /* the daemon asked for the counters */
	bool knows_same_user; /* see HelloReply */
	bool knows_files;
	unsigned ptracer;
	struct list items;
	/* The item that is registering, and the one after it. */
	struct session_item *registering;
	struct list *next;
	bool is_cancelled; /* the item that is registering is to be removed */
	int wake_fd;       /* wakes the connector when that changes; -1: nothing is registering */
	/* The connection is to be opened on the library's thread. */
	struct work_item reconnect;
	bool is_reconnecting, is_quiet;
} session = {
	.items = LIST_INIT(session.items),
	.wake_fd = -1,
};

/* --- items --- */

static bool is_connector(void)
{
	return session.has_connector && pthread_equal(session.connector, pthread_self());
}

void session_item_add_locked(struct session_item *item)
{
	item->must_register = false;
	list_append(&session.items, &item->node);
}

void session_item_remove_locked(struct session_item *item)
{
	while (session.registering == item && !is_connector()) {
		session.is_cancelled = true;
		if (session.wake_fd >= 0)
			fd_eventfd_ring(session.wake_fd);
		rpc_changed_locked();
		(void)rpc_wait_locked(UINT64_MAX);
	}
	if (session.next == &item->node)
		session.next = item->node.next;
	list_remove(&item->node);
}

static bool registration_is_over(void)
{
	return session.is_cancelled;
}

/* Asks the marked items to register with the daemon. Returns false if the connection has ended
 * meanwhile, or if the daemon does not answer. */
static bool register_items_locked(void)
{
	struct rpc_wait_policy policy = {.wake_fd = fd_eventfd(),
					 .is_over = registration_is_over,
					 .timeout_ns = RPC_TIMEOUT_NS};
	const struct rpc_wait_policy *previous = rpc_set_wait_policy(&policy);
	unsigned connection = rpc_connection_locked(), n_timeouts = rpc_n_timeouts();
	bool is_current = true;

	session.wake_fd = policy.wake_fd;
	session.next = session.items.next;
	while (is_current && session.next != &session.items) {
		struct session_item *item = list_entry(session.next, struct session_item, node);

		session.next = session.next->next;
		if (!item->must_register)
			continue;
		item->must_register = false;
		session.registering = item;
		session.is_cancelled = false;
		item->on_reconnect(item);
		session.registering = NULL;
		/* A thread may wait to remove the item. */
		rpc_changed_locked();
		is_current = rpc_is_open_locked() && rpc_connection_locked() == connection &&
			     rpc_n_timeouts() == n_timeouts;
	}
	session.next = NULL;
	session.wake_fd = -1;
	fd_close(&policy.wake_fd);
	(void)rpc_set_wait_policy(previous);
	return is_current;
}

/* --- the end of a connection, and forks --- */

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

bool session_is_usable_locked(void)
{
	return rpc_is_open_locked() && (session.state == SESSION_OPEN || is_connector());
}

void session_disconnect_locked(void)
{
	bool is_connected = rpc_is_open_locked();
	struct session_item *item;

	rpc_close_locked(!session_is_own_process());
	if (session.state != SESSION_CLOSED)
		session_enter(SESSION_CLOSED);
	list_for_each(item, &session.items, node)
	{
		if (is_connected && item->on_disconnect != NULL)
			item->on_disconnect(item);
	}
	if (session.page != NULL)
		session_page_unref_locked(session.page);
	session.page = NULL;
}

/* In a forked child, resets what belongs to its parent's threads, which may have held the lock. */
static void session_in_child(void)
{
	rpc_in_child();
	session.has_connector = session.is_reconnecting = false;
	session.registering = NULL;
	session.next = NULL;
	session.wake_fd = -1;
}

static void session_watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, session_in_child);
}

static void session_mark_process(void)
{
	size_t len = memfd_page_size();

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

/* The child must neither use nor shut down the socket of its parent. */
void session_check_fork_locked(void)
{
	/* Needed even if the parent had no connection: the child must not restore its objects. */
	if (session_is_own_process())
		return;
	list_init(&session.items);
	session_disconnect_locked();
	session.pid = 0;
	session.was_connected = false;
	session.n_forks++;
}

unsigned session_n_forks_locked(void)
{
	session_check_fork_locked();
	return session.n_forks;
}

/* --- connecting --- */

/* Sends the counters to the daemon, for operators to read. Failures are ignored. */
static void session_send_counters(void)
{
	Dococore__CountersShare body = DOCOCORE__COUNTERS_SHARE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_FD int fd = session.wants_counters ? counters_get_fd() : -1;

	if (fd < 0)
		return;
	body.layout = COUNTERS_LAYOUT;
	request.packet.body_case = DOCOCORE__PACKET__BODY_COUNTERS_SHARE;
	request.packet.counters_share = &body;
	request.fds = &fd;
	request.n_fds = 1;
	rpc_notify_locked(&request);
}

static void session_share_counters(void)
{
	rpc_lock();
	session_check_fork_locked();
	if (session.state == SESSION_OPEN)
		session_send_counters();
	rpc_unlock();
}

static doca_error_t check_hello_reply(const Dococore__HelloReply *reply)
{
	if (reply->protocol != FRAME_PROTOCOL)
		return error_set(
			DOCA_ERROR_UNSUPPORTED_VERSION,
			"the daemon speaks protocol %u, this library %u; upgrade the older one",
			reply->protocol, FRAME_PROTOCOL);
	if ((strcmp(reply->side, "host") != 0 && strcmp(reply->side, "dpu") != 0) ||
	    reply->daemon_id.len != 16 || reply->liveness_len < sizeof(uint32_t) ||
	    reply->liveness_len > (16u << 20))
		return error_set(DOCA_ERROR_UNEXPECTED, "the daemon's greeting is malformed");
	return DOCA_SUCCESS;
}

/* Returns what the daemon says about tracers. Only a daemon that root or this user runs may open
 * the memory of this process to every process of its user. */
static unsigned ptracer_of(const Dococore__HelloReply *reply)
{
	struct ucred peer = {.uid = 0};
	socklen_t len = sizeof(peer);

	if (reply->ptracer != TRACER_ANY)
		return reply->ptracer;
	if (getsockopt(rpc_fd_locked(), SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	    (peer.uid == 0 || peer.uid == geteuid()))
		return TRACER_ANY;
	return TRACER_IMPORTER;
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
	result = rpc_exchange_locked(&request, DOCOCORE__PACKET__BODY_HELLO_REPLY, &answer,
				     &hung_up);
	if (result != DOCA_SUCCESS)
		return result;
	reply = answer.packet->hello_reply;
	result = check_hello_reply(reply);
	if (result != DOCA_SUCCESS)
		return result;
	page = fdset_steal(&answer.fds, 0);
	r = memfd_verify(page, reply->liveness_len);
	if (r < 0)
		return error_set(error_from_errno(r),
				 "the daemon's liveness page is invalid (error %d)", -r);
	result = session_page_map(page, reply->liveness_len, rpc_connection_locked(),
				  &session.page);
	if (result != DOCA_SUCCESS)
		return result;
	session.wants_counters = reply->counters_layout == COUNTERS_LAYOUT;
	session.knows_same_user = reply->knows_same_user;
	session.knows_files = reply->knows_files;
	session.ptracer = ptracer_of(reply);
	session.session_id = reply->session_id;
	str_copy(session.side, sizeof(session.side), reply->side);
	memcpy(session.daemon_id, reply->daemon_id.data, 16);
	counters_on_pages_made(session_share_counters);
	session_send_counters();
	return DOCA_SUCCESS;
}

/* Connects and sends Hello. Sets *reached_out if a daemon accepted the connection. */
static doca_error_t session_handshake(bool *reached_out)
{
	CLEANUP_FD int fd = -1;
	struct conn *conn;
	doca_error_t result;
	int r;

	rpc_unlock();
	result = session_find_daemon(RPC_TIMEOUT_NS, &fd);
	rpc_lock();
	if (result != DOCA_SUCCESS)
		return result;
	conn = conn_new(fd, QUEUE_MAX);
	if (conn == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "connecting to the daemon: %m");
	fd_steal(&fd);
	r = conn_set_timeout(conn, RPC_TIMEOUT_NS);
	if (r < 0) {
		conn_free(conn);
		return error_set(error_from_errno(r), "connecting to the daemon: error %d", -r);
	}
	session_mark_process();
	session_enter(SESSION_HANDSHAKE);
	/* Nothing of the former daemon belongs to this one. */
	memset(session.daemon_id, 0, sizeof(session.daemon_id));
	rpc_open_locked(conn);
	*reached_out = true;
	return send_hello();
}

/* Registers all objects with the daemon, except after the first connect. */
static doca_error_t session_restore(void)
{
	struct session_item *item;

	if (!session.was_connected)
		return DOCA_SUCCESS;
	sdk_info("connected to the %s daemon again, restoring what it should know", session.side);
	session_enter(SESSION_RESTORING);
	list_for_each(item, &session.items, node) item->must_register = true;
	if (register_items_locked())
		return DOCA_SUCCESS;
	return rpc_is_open_locked()
		       ? error_set(DOCA_ERROR_TIME_OUT,
				   "the daemon did not register this process's objects within "
				   "%d s; is it stopped or overloaded?",
				   RPC_TIMEOUT_S)
		       : rpc_set_end_error();
}

static doca_error_t session_greet(void)
{
	doca_error_t result = DOCA_SUCCESS;

	/* A daemon that exits before it reads Hello has done nothing. If a service manager holds
	 * its socket, the next daemon is about to start: try again. */
	for (int i = 0; i < HELLO_ATTEMPTS; i++) {
		bool reached = false;

		result = session_handshake(&reached);
		if (result != DOCA_ERROR_NOT_CONNECTED || !reached)
			break;
		session_disconnect_locked();
	}
	return result;
}

static void connector_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	/* Before the lock is first released: another thread may fork meanwhile. */
	pthread_once(&once, session_watch_forks);
	session.connector = pthread_self();
	session.has_connector = true;
}

static void connector_end(void)
{
	session.has_connector = false;
	rpc_changed_locked();
}

static doca_error_t session_connect(void)
{
	const struct rpc_wait_policy *policy = rpc_set_wait_policy(NULL);
	doca_error_t result;

	connector_begin();
	session_snapshot_environment();
	result = session_greet();
	if (result == DOCA_SUCCESS)
		result = session_restore();
	if (result == DOCA_SUCCESS) {
		session.was_connected = true;
		session_enter(SESSION_OPEN);
	} else {
		session.failure = result;
		str_copy(session.failure_sentence, sizeof(session.failure_sentence),
			 dococ_last_error());
		session.n_attempts++;
		session_disconnect_locked();
	}
	connector_end();
	(void)rpc_set_wait_policy(policy);
	return result;
}

/* Waits for the thread that connects. */
static doca_error_t await_connector(void)
{
	uint64_t deadline_ns = clock_now_ns() + RPC_TIMEOUT_NS;
	unsigned n_attempts = session.n_attempts;

	while (session.has_connector && session.state != SESSION_OPEN) {
		if (!rpc_wait_locked(deadline_ns))
			return error_set(DOCA_ERROR_TIME_OUT,
					 "the daemon did not answer another thread, which "
					 "connects, within %d s; is it stopped or overloaded?",
					 RPC_TIMEOUT_S);
	}
	return session.n_attempts == n_attempts
		       ? DOCA_SUCCESS
		       : error_set(session.failure, "%s", session.failure_sentence);
}

doca_error_t session_ensure_locked(void)
{
	doca_error_t result = DOCA_SUCCESS;

	session_check_fork_locked();
	if (is_connector())
		return rpc_is_open_locked() ? DOCA_SUCCESS : rpc_set_end_error();
	while (result == DOCA_SUCCESS) {
		if (session.state == SESSION_OPEN && rpc_has_hung_up_locked())
			session_disconnect_locked();
		if (session.state == SESSION_OPEN)
			return DOCA_SUCCESS;
		if (!session.has_connector)
			return session_connect();
		result = await_connector();
	}
	return result;
}

/* Runs on the library's thread. */
static void reconnect_run(struct work_item *work)
{
	(void)work;
	rpc_lock();
	session.is_reconnecting = false;
	error_mute(session.is_quiet);
	if (session_ensure_locked() == DOCA_SUCCESS && !session.has_connector) {
		connector_begin();
		(void)register_items_locked();
		connector_end();
	}
	error_mute(false);
	rpc_unlock();
}

void session_reconnect_locked(bool is_quiet)
{
	session_check_fork_locked();
	if (session.is_reconnecting || session.has_connector)
		return;
	/* The library's thread uses the environment as an application thread last saw it. */
	session_snapshot_environment();
	session.is_quiet = is_quiet;
	session.reconnect = (struct work_item){.run = reconnect_run};
	session.is_reconnecting = work_submit(&session.reconnect);
}

bool session_is_over_locked(void)
{
	session_check_fork_locked();
	return session.state != SESSION_OPEN || rpc_has_hung_up_locked();
}

void session_check_hangup(void)
{
	rpc_lock();
	if (session_is_over_locked() && session.state == SESSION_OPEN)
		session_disconnect_locked();
	rpc_unlock();
}

/* --- the daemon --- */

bool session_knows_same_user_locked(void)
{
	return session.knows_same_user;
}

bool session_knows_files_locked(void)
{
	return session.knows_files;
}

unsigned session_ptracer_locked(void)
{
	return session.ptracer;
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

	rpc_lock();
	result = session_ensure_locked();
	if (result == DOCA_SUCCESS)
		session_get_side_locked(side_out, daemon_id_out);
	rpc_unlock();
	return result;
}
