/* Client sessions; see session.h. */
#include "daemon/session/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/deferred_close.h"
#include "daemon/base/in_flight.h"
#include "daemon/base/journal.h"
#include "daemon/base/trim.h"
#include "daemon/base/version.h"
#include "daemon/base/daemon.h"
#include "daemon/config/config.h"
#include "daemon/topology/topology.h"
#include "daemon/session/grace_period.h"
#include "daemon/session/persist.h"
#include "proto/packet.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/memfd.h"
#include "util/str.h"

/* Packets that one session may handle before other sessions have their turn. */
#define SESSION_BURST 16
/*
 * Retry interval if the kernel lacks memory to send, a condition that it does not signal the end
 * of.
 */
#define SESSION_STARVED_NS (20 * NS_PER_MS)
/* Time limit for the Hello of a new connection. */
#define SESSION_HELLO_NS (30 * NS_PER_SEC)
/* Socket, pidfd, liveness page. */
#define SESSION_FDS 3

static void session_charge_queue(struct session *session)
{
	charge_drop(&session->queued, CHARGE_FDS, UINT64_MAX);
	charge_force(&session->queued, session->account, CHARGE_FDS,
		     conn_n_queued_fds(session->conn));
}

/* True while so much memory of the user is waiting to be freed that no more requests are read. */
static bool session_must_pause(const struct session *session)
{
	return session_was_greeted(session) &&
	       deferred_close_n_pending(session->daemon->deferred_close, DEFERRED_CLOSE_MEMORY,
					session->uid) >= DEFERRED_CLOSE_USER_MAX;
}

static void session_update_io(struct session *session)
{
	bool waits = conn_wants_write(session->conn);
	bool pauses = !waits && session_must_pause(session);
	bool starved = pauses || conn_is_starved(session->conn);
	uint64_t stall_ns = session->daemon->config->client_stall_ns;

	if (session_is_ending(session))
		return;
	if (waits && !session->blocked)
		session->blocked_since_ns = clock_now_ns();
	session->blocked = waits;
	session_charge_queue(session);
	/* A client that does not read its answers is not read from either. */
	if (loop_fd_set(session->io, starved                        ? 0
				     : waits                        ? LOOP_WRITE
				     : session->is_request_deferred ? 0
								    : LOOP_READ) < 0)
		session_kill(session, "no memory");
	if (waits || pauses)
		loop_timer_set(session->stall_timer, starved ? SESSION_STARVED_NS : stall_ns);
	else if (session_was_greeted(session))
		loop_timer_cancel(session->stall_timer);
}

/* Ends a session whose client has closed. Sends no error. */
static void session_finish(struct session *session)
{
	if (session_is_ending(session))
		return;
	session_enter_end(session);
	loop_fd_set(session->io, 0);
	if (session->life)
		loop_fd_set(session->life, 0);
	loop_timer_cancel(session->stall_timer);
	loop_deferred_set(session->reaper);
}

void session_kill(struct session *session, const char *fmt, ...)
{
	struct journal_subject before;
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char reason[256];
	va_list ap;

	if (session_is_ending(session))
		return;
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	before = session_enter_journal(session, NULL);
	journal_log(JOURNAL_CLIENT_DROPPED, log_warning,
		    "client %llu (%s, pid %d, uid %u) dropped: %s", (unsigned long long)session->id,
		    session->program, session->pid, session->uid, reason);
	journal_leave(&before);
	session_finish(session);
	error.code = CODE_CONNECTION_ABORTED;
	error.text = reason;
	packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
	packet.error = &error;
	/* A final message; whether it arrives does not matter. */
	(void)conn_send(session->conn, &packet, NULL, 0);
}

static void session_handle_packet(struct session *session, const Dococore__Packet *packet,
				  struct fdset *fds)
{
	const struct session_route *route = session->daemon->session_hooks->route(packet);

	bool repeat = session->check_repeat;

	session->n_requests++;
	session->check_repeat = false;
	if (repeat && session->daemon->session_hooks->answer_again(session, packet))
		return;
	if (!route)
		session_kill(session, "%s is not a request", frame_name(packet));
	else if (route->before_hello == session_was_greeted(session))
		session_kill(session,
			     session_was_greeted(session) ? "%s came twice"
							  : "%s came before Hello",
			     frame_name(packet));
	else if ((packet->id == 0) != route->is_notice)
		session_kill(session, "%s with id %llu breaks the rule for ids", frame_name(packet),
			     (unsigned long long)packet->id);
	else if (route->fn(session, packet, fds) < 0)
		session_kill(session, "%s broke the protocol", frame_name(packet));
}

/*
 * Drops a session whose request would crash this daemon instance, too. Its client gets an answer,
 * so that it does not repeat the request.
 */
static void session_drop_suspect(struct session *session, const Dococore__Packet *packet)
{
	if (packet->id)
		session_refuse(session, packet->id, CODE_OPERATING_SYSTEM,
			       "%s of this connection has ended the daemon twice and is not done: "
			       "please report it, with the daemon's log",
			       frame_name(packet));
	journal_log(JOURNAL_CLIENT_DROPPED, log_warning,
		    "client %llu (%s, pid %d, uid %u) dropped: its %s has ended this daemon twice",
		    (unsigned long long)session->id, session->program, session->pid, session->uid,
		    frame_name(packet));
	/* Without a final error: the client was answered, and its next call connects again. */
	session_finish(session);
}

static void session_save_deferred(struct session *session)
{
	struct session_object *object;

	session->is_save_deferred = false;
	for (size_t i = 0; i < SESSION_N_KINDS; i++) {
		list_for_each(object, &session->objects[i], link)
		{
			if (object->ops->save_deferred)
				object->ops->save_deferred(object);
		}
	}
}

/* Marks the last handled request as answered: the next daemon instance need not see it. */
void session_consume(struct session *session)
{
	if (conn_wants_write(session->conn))
		return;
	if (session->is_save_deferred)
		session_save_deferred(session);
	/* If the request stayed in the socket, it would be executed and answered once more. */
	if (session->has_peeked && !conn_consume(session->conn)) {
		/* The client ended without reading its answers. */
		if (errno == ECONNRESET)
			session_finish(session);
		else
			session_kill(session,
				     "its answered request cannot be removed from the socket: %s",
				     strerror(errno));
	}
	session->has_peeked = false;
}

bool session_defer_save(struct session *session)
{
	if (!conn_wants_write(session->conn))
		return false;
	session->is_save_deferred = true;
	return true;
}

static bool session_has_too_many_unexpected(const struct session *session)
{
	return deferred_close_n_pending(session->daemon->deferred_close, DEFERRED_CLOSE_UNEXPECTED,
					session->uid) >= DEFERRED_CLOSE_USER_MAX;
}

/*
 * Ends the client's connection now. If too many bytes are unread, they stay until the socket is
 * closed.
 */
static void session_shut_down(struct session *session)
{
	/*
	 * If descriptors of this user already wait to be closed, no further ones are received from
	 * the socket. A socket without descriptors is closed like any other, so that this state
	 * does not accumulate one socket per connection.
	 */
	session->has_unread_fds = session_has_too_many_unexpected(session)
					  ? !conn_shut_down_without_fds(session->conn)
					  : !conn_shut_down(session->conn);
}

static void session_read(struct session *session)
{
	bool more = true;

	/*
	 * A client usually waits for the answer to its request, so most likely nothing more is
	 * there. If there is, the event loop reports it.
	 */
	for (int i = 0; i < SESSION_BURST && more && !session_is_ending(session); i++) {
		CLEANUP_FDSET struct fdset fds = FDSET_INIT;
		struct journal_subject before;
		Dococore__Packet *packet;
		struct packet_arena arena;
		int r;

		if (conn_wants_write(session->conn) || session_must_pause(session))
			return;
		packet_arena_init(&arena);
		session_consume(session);
		if (session_is_ending(session))
			return;
		session->has_peeked = persist_is_enabled(session->daemon) ||
				      grace_period_is_active(session->daemon);
		r = conn_recv_in(session->conn, session->has_peeked, &arena, &packet, &fds);
		session->has_peeked &= r == 1;
		if (r == 0)
			return;
		if (r == -ECONNRESET) {
			session_finish(session);
			return;
		}
		if (r < 0) {
			session_kill(session, "%s", conn_error(session->conn));
			return;
		}
		if (fds.n_fds > 0 && session_has_too_many_unexpected(session)) {
			packet_free_in(&arena, packet);
			session_kill(session, "%u descriptors that it sent wait to be closed",
				     DEFERRED_CLOSE_USER_MAX);
			return;
		}
		if (session->has_peeked && grace_period_defers(session->daemon, packet)) {
			session->has_peeked = false;
			session->is_request_deferred = true;
			packet_free_in(&arena, packet);
			return;
		}
		more = packet->id == 0;
		before = session_enter_journal(session, frame_name(packet));
		if (session->check_repeat && persist_request_is_suspect(session, packet->id)) {
			session_drop_suspect(session, packet);
		} else {
			persist_begin_request(session, packet->id);
			session_handle_packet(session, packet, &fds);
		}
		journal_leave(&before);
		packet_free_in(&arena, packet);
		if (!conn_wants_write(session->conn))
			session_consume(session);
		persist_end_request(session);
	}
}

static void session_on_io(void *user, unsigned events)
{
	struct session *session = user;
	struct journal_subject before;

	if (session_is_ending(session))
		return;
	before = session_enter_journal(session, NULL);
	if (events & LOOP_WRITE && conn_flush(session->conn) < 0)
		session_finish(session);
	if (events & LOOP_READ)
		session_read(session);
	session_update_io(session);
	journal_leave(&before);
}

void session_release(struct session *session)
{
	if (!session->is_request_deferred)
		return;
	session->is_request_deferred = false;
	session_on_io(session, LOOP_READ);
}

/*
 * A client that has read everything is not at fault if more is queued: other clients, or other
 * processes of its user, use up the system's resources.
 */
static void session_on_stall(void *user)
{
	struct session *session = user;
	uint64_t limit_ns = session->daemon->config->client_stall_ns;
	struct journal_subject before = session_enter_journal(session, NULL);

	if (conn_flush(session->conn) < 0)
		session_finish(session);
	else if (!session_was_greeted(session))
		session_kill(session, "no Hello came");
	else if (conn_wants_write(session->conn) && conn_has_unread(session->conn) &&
		 clock_now_ns() - session->blocked_since_ns >= limit_ns)
		session_kill(session, "it has read nothing for %llu ms",
			     (unsigned long long)(limit_ns / NS_PER_MS));
	session_update_io(session);
	journal_leave(&before);
}

/* The connection may still be open, because a forked child has a copy. */
static void session_on_exit(void *user, unsigned events)
{
	(void)events;
	session_finish(user);
}

static void session_on_reap(void *user)
{
	session_teardown(user);
}

/* Reads the supplementary groups from the kernel. */
static void session_get_groups(struct session *session)
{
	socklen_t len = sizeof(session->groups);

	/* If there are more groups than fit, none counts, which can only deny access. */
	if (getsockopt(conn_fd(session->conn), SOL_SOCKET, SO_PEERGROUPS, session->groups, &len) ==
	    0)
		session->n_groups = len / sizeof(gid_t);
}

static struct session *session_free(struct session *session)
{
	loop_source_free(session->io);
	loop_source_free(session->life);
	loop_source_free(session->reaper);
	loop_source_free(session->stall_timer);
	in_flight_free(session->in_flight);
	if (session->has_unread_fds)
		deferred_close_add(session->daemon->deferred_close, DEFERRED_CLOSE_UNEXPECTED,
				   session->uid, conn_free_keep_fd(session->conn));
	else
		conn_free(session->conn);
	memfd_unmap(session->liveness, SESSION_LIVENESS_LEN);
	fd_close(&session->liveness_fd);
	fd_close(&session->liveness_read_fd);
	fd_close(&session->pidfd);
	counters_deinit(&session->counters);
	free(session->free_slots);
	idmap_deinit(&session->handles);
	charge_release(&session->charge);
	charge_release(&session->queued);
	account_unref(session->account);
	free(session);
	return NULL;
}

static void session_on_unexpected_fd(void *user, int fd)
{
	struct session *session = user;

	deferred_close_add(session->daemon->deferred_close, DEFERRED_CLOSE_UNEXPECTED, session->uid,
			   fd);
}

/* Sends the reason before the connection ends; there is no session yet. */
static void session_reject(struct session *session, struct conn *conn)
{
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char limit[240], text[300];

	if (session_has_too_many_unexpected(session))
		snprintf(limit, sizeof(limit),
			 "user %u sent %u descriptors that are no shared memory, eventfd or pidfd, "
			 "and "
			 "their owners keep them from being closed; end those processes",
			 session->uid, DEFERRED_CLOSE_USER_MAX);
	else
		account_explain(session->account, limit, sizeof(limit));
	log_warning("client pid %d refused: %s", session->pid, limit);
	snprintf(text, sizeof(text), "the daemon has no room for another connection: %s", limit);
	error.code = CODE_FULL;
	error.text = text;
	packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
	packet.error = &error;
	(void)conn_send(conn, &packet, NULL, 0);
}

static int session_charge_itself(struct session *session)
{
	int r;

	if (session_has_too_many_unexpected(session))
		return -EDQUOT;
	r = session_charge(session, &session->charge, CHARGE_SESSIONS, 1);
	if (r == 0)
		r = session_charge(session, &session->charge, CHARGE_FDS, SESSION_FDS);
	if (r < 0)
		charge_release(&session->charge);
	return r;
}

static int session_set_up(struct session *session, uint64_t hello_ns)
{
	struct daemon *daemon = session->daemon;
	struct conn_creds creds;
	int r;

	r = conn_get_creds(session->conn, &creds);
	if (r < 0)
		return r;
	session->pid = creds.pid;
	session->uid = creds.uid;
	session->gid = creds.gid;
	session_get_groups(session);
	session->account = account_ref(&daemon->accounts, session->uid);
	if (!session->account)
		return -ENOMEM;
	r = session_charge_itself(session);
	if (r < 0) {
		session_reject(session, session->conn);
		return r;
	}
	session->in_flight = in_flight_new(daemon->in_flights, IN_FLIGHT_CLIENT, session->uid,
					   session->conn);
	/* Without the pidfd the client can do everything but export. */
	session->pidfd = conn_get_pidfd(session->conn);
	session->reaper = loop_deferred_new(daemon->loop, session_on_reap, session);
	session->stall_timer = loop_timer_new(daemon->loop, session_on_stall, session);
	session->io = loop_fd_new(daemon->loop, conn_fd(session->conn), LOOP_READ, session_on_io,
				  session);
	if (session->pidfd >= 0)
		session->life = loop_fd_new(daemon->loop, session->pidfd, LOOP_READ,
					    session_on_exit, session);
	if (!session->in_flight || !session->io || !session->stall_timer || !session->reaper ||
	    (session->pidfd >= 0 && !session->life))
		return -ENOMEM;
	return hello_ns ? loop_timer_set(session->stall_timer, hello_ns) : 0;
}

/*
 * Creates a session with everything that needs a connection. Takes ownership of fd, also on
 * failure. hello_ns: time limit for Hello, or 0 if it was received.
 */
static int session_make(struct daemon *daemon, int fd, uint64_t hello_ns,
			struct session **session_out)
{
	struct session *session = calloc(1, sizeof(*session));
	int r;

	if (!session) {
		fd_close(&fd);
		return -ENOMEM;
	}
	session->daemon = daemon;
	session->liveness_fd = -1;
	session->liveness_read_fd = -1;
	session->pidfd = -1;
	counters_init(&session->counters);
	for (size_t i = 0; i < SESSION_N_KINDS; i++)
		list_init(&session->objects[i]);
	str_copy(session->program, sizeof(session->program), "no name yet");
	session->created_at_ns = clock_wall_ns();
	session->conn = conn_new(fd, daemon->config->client_queue_len);
	if (!session->conn) {
		r = -errno;
		fd_close(&fd);
		free(session);
		return r;
	}
	conn_set_unexpected_fd_fn(session->conn, session_on_unexpected_fd, session);
	r = session_set_up(session, hello_ns);
	if (r < 0) {
		session_shut_down(session);
		session_free(session);
		return r;
	}
	list_append(&daemon->sessions->list, &session->link);
	daemon->sessions->n++;
	*session_out = session;
	return 0;
}

/* Enters a journal scope for a process that has just connected. */
static struct journal_subject session_enter_connected(int fd)
{
	struct journal_subject subject = {.group = "a client"};
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0) {
		subject.has_uid = true;
		subject.pid = cred.pid;
		subject.uid = cred.uid;
	}
	return journal_enter(&subject);
}

int session_new(struct daemon *daemon, int fd, struct session **session_out)
{
	struct journal_subject before = session_enter_connected(fd);
	int r = session_make(daemon, fd, SESSION_HELLO_NS, session_out);

	if (r < 0 && r != -EDQUOT)
		log_warning("a client was turned away: %s", strerror(-r));
	journal_leave(&before);
	if (r < 0)
		return r;
	persist_ids(daemon);
	(*session_out)->id = ++daemon->next_session_id;
	return 0;
}

int session_resume(struct daemon *daemon, const struct session_saved *saved, int fd,
		   int liveness_fd, struct session **session_out)
{
	struct session *session;
	int r = session_make(daemon, fd, 0, &session);

	if (r < 0) {
		fd_close(&liveness_fd);
		return r;
	}
	session->id = saved->id;
	session->is_persisted = true;
	session->check_repeat = true;
	session->state = SESSION_GREETED;
	snprintf(session->program, sizeof(session->program), "%s", saved->program);
	snprintf(session->library, sizeof(session->library), "%s", saved->library);
	session->created_at_ns = saved->created_at_ns;
	session->generation = session->reserved_generation = saved->generation;
	session->next_handle = session->reserved_handle = saved->next_handle;
	session->request_id = saved->request_id;
	session->liveness_fd = liveness_fd;
	r = charge_add(&session->charge, session->account, CHARGE_BYTES, SESSION_LIVENESS_LEN);
	if (r == 0)
		r = memfd_verify_exact(liveness_fd, SESSION_LIVENESS_LEN);
	if (r == 0)
		r = session_map_liveness(session);
	if (r < 0) {
		session_teardown(session);
		return r;
	}
	*session_out = session;
	return 0;
}

void session_add_object(struct session *session, enum session_kind kind,
			struct session_object *object, const struct session_object_ops *ops)
{
	object->ops = ops;
	list_append(&session->objects[kind], &object->link);
}

static void session_end_objects(struct list *objects)
{
	while (!list_is_empty(objects)) {
		struct session_object *object = list_entry(objects->next, struct session_object,
							   link);

		object->ops->free(object);
	}
}

void session_teardown(struct session *session)
{
	struct daemon *daemon = session->daemon;
	struct journal_subject before = session_enter_journal(session, NULL);

	session_enter_end(session);
	/* The service manager holds the socket, too, and may be slow to close it. */
	if (session->is_persisted && !daemon->stopping)
		(void)shutdown(conn_fd(session->conn), SHUT_RDWR);
	for (size_t i = 0; i < SESSION_N_KINDS; i++)
		session_end_objects(&session->objects[i]);
	log_debug("client %llu (%s, pid %d) is gone", (unsigned long long)session->id,
		  session->program, session->pid);
	events_emit(&daemon->events, OBJECT_CLIENT, OBJECT_REMOVED, session);
	list_remove(&session->link);
	daemon->sessions->n--;
	/*
	 * Unread descriptors from the client must not block this process. Sockets that the next
	 * daemon instance inherits stay unchanged.
	 */
	if (!session->is_persisted || !daemon->stopping)
		session_shut_down(session);
	persist_drop(daemon, &session->persisted);
	journal_leave(&before);
	session_free(session);
	trim_schedule(daemon->trim);
	events_emit_totals(&daemon->events);
}

void session_reply(struct session *session, Dococore__Packet *packet, const int *fds, size_t n_fds)
{
	int r;

	if (session_is_ending(session))
		return;
	r = conn_send(session->conn, packet, fds, n_fds);
	if (r == -EPIPE)
		session_finish(session);
	else if (r == -ENOBUFS)
		session_kill(session, "it does not read: more than %llu bytes of answers wait",
			     (unsigned long long)session->daemon->config->client_queue_len);
	else if (r < 0)
		session_kill(session, "%s could not be sent: %s", frame_name(packet), strerror(-r));
	else
		session_update_io(session);
}

void session_reply_ok(struct session *session, uint64_t id)
{
	Dococore__Ok ok = DOCOCORE__OK__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_OK;
	packet.ok = &ok;
	session_reply(session, &packet, NULL, 0);
}

int session_refuse(struct session *session, uint64_t id, enum code code, const char *fmt, ...)
{
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char text[401];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_debug("client %llu (%s): %s", (unsigned long long)session->id, session->program, text);
	error.code = (uint32_t)code;
	error.text = text;
	packet.id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
	packet.error = &error;
	session_reply(session, &packet, NULL, 0);
	return 0;
}

int session_refuse_errno(struct session *session, uint64_t id, int negative_errno, const char *what)
{
	char limit[240];

	if (negative_errno == -EDQUOT) {
		account_explain(session->account, limit, sizeof(limit));
		return session_refuse(session, id, CODE_NO_MEMORY, "%s is over a limit: %s", what,
				      limit);
	}
	if (negative_errno == -ENOMEM)
		return session_refuse(session, id, CODE_NO_MEMORY,
				      "the daemon has no memory for %s: try again later", what);
	return session_refuse(session, id, CODE_OPERATING_SYSTEM,
			      "the daemon could not make %s: %s; its log may say more", what,
			      strerror(-negative_errno));
}

static void session_reply_hello(struct session *session, uint64_t request_id)
{
	struct daemon *daemon = session->daemon;
	Dococore__HelloReply reply = DOCOCORE__HELLO_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;

	reply.protocol = FRAME_PROTOCOL;
	reply.side = (char *)side_name(daemon->config->side);
	reply.daemon_id = (ProtobufCBinaryData){sizeof(daemon->daemon_id), daemon->daemon_id};
	reply.session_id = session->id;
	reply.liveness_len = SESSION_LIVENESS_LEN;
	reply.version = (char *)daemon_version();
	reply.socket_hint = daemon->socket_path;
	reply.counters_layout = COUNTERS_LAYOUT;
	reply.knows_same_user = true;
	reply.knows_files = true;
	reply.ptracer = daemon->config->ptracer;
	answer.id = request_id;
	answer.body_case = DOCOCORE__PACKET__BODY_HELLO_REPLY;
	answer.hello_reply = &reply;
	session_reply(session, &answer, &session->liveness_fd, 1);
}

bool session_hello_again(struct session *session, const Dococore__Packet *packet)
{
	if (packet->id != session->request_id)
		return false;
	session_reply_hello(session, packet->id);
	return true;
}

int session_on_hello(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__Hello *hello = packet->hello;
	struct daemon *daemon = session->daemon;
	int r;

	(void)fds;
	if (hello->protocol != FRAME_PROTOCOL) {
		session_refuse(
			session, packet->id, CODE_UNSUPPORTED_VERSION,
			"the library speaks protocol %u, this daemon (%s) speaks %u: install the "
			"same version of both",
			hello->protocol, daemon_version(), FRAME_PROTOCOL);
		return -EPROTO;
	}
	snprintf(session->program, sizeof(session->program), "%s",
		 *hello->program ? hello->program : "no name");
	snprintf(session->library, sizeof(session->library), "%s", hello->library);
	/* The names go to logs and terminals. */
	str_make_printable(session->program);
	str_make_printable(session->library);
	r = session_make_liveness(session);
	if (r < 0) {
		session_refuse_errno(session, packet->id, r, "a session");
		session_kill(session, "no session could be made: %s", strerror(-r));
		return 0;
	}
	session_enter(session, SESSION_GREETED);
	log_debug("client %llu is %s, pid %d, uid %u", (unsigned long long)session->id,
		  session->program, session->pid, session->uid);
	session->is_persisted = persist_is_enabled(daemon);
	session->request_id = packet->id;
	persist_session_ids(session);
	session_reply_hello(session, packet->id);
	events_emit(&daemon->events, OBJECT_CLIENT, OBJECT_ADDED, session);
	events_emit_totals(&daemon->events);
	return 0;
}
