/*
 * Connections of operators. Each accepted connection is an sd-bus in server mode, driven by the
 * daemon's event loop. Nothing blocks: sd-bus reads and writes what is possible at once. A
 * connection that does not read its answers, or breaks the protocol, is closed. The number of
 * connections is limited. If all places are taken, a newcomer gets the place of the user with the
 * most connections, idle ones first. A user without read access gets a refusal; such connections
 * have a few separate places, and are closed soon. A connection never ends inside its own handlers.
 */
#include "daemon/dbus/bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "daemon/base/daemon.h"
#include "daemon/config/config.h"
#include "daemon/config/arguments.h"
#include "daemon/topology/topology.h"
#include "daemon/base/loop.h"
#include "daemon/session/listener.h"
#include "daemon/base/journal.h"
#include "daemon/dbus/auth.h"
#include "daemon/dbus/event_log.h"
#include "daemon/dbus/io.h"
#include "daemon/dbus/limited_pipe.h"
#include "daemon/dbus/list.h"
#include "daemon/dbus/system.h"
#include "daemon/dbus/tree.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

#define BUS_MAX_CONNECTIONS 16
/* A connection that was active this recently is not closed for another one of the same user. */
#define BUS_IDLE_NS NS_PER_SEC
/* Additional places for users without read access. */
#define BUS_MAX_DENIED 4
#define BUS_DENIED_NS  NS_PER_SEC
/* Bytes that a user without read access may send before the refusal. */
#define BUS_DENIED_LEN 16384
/* The most requests of one connection that are handled in an iteration of the event loop. */
#define BUS_STEP_MAX 8
/* The most answers that a connection may leave unread. */
#define BUS_QUEUE_MAX 4
/* The name of every client, which no other client sees. */
#define UNIQUE_NAME ":1.1"
/* The most signals that are sent to one connection in an iteration of the event loop. */
#define BUS_SIGNALS_MAX 32
/*
 * The socket is open to all users; rights are checked for each request, so that a refused user gets
 * the reason.
 */
#define BUS_MODE 0666

struct bus_conn {
	struct bus *bus;
	struct list link;
	sd_bus *connection;
	struct bus_io io;
	struct loop_source *expiry; /* closes a connection without read access */
	struct limited_pipe *pipe;  /* input limit of a connection without read access */
	struct bus_caller caller;
	struct bus_tree tree;
	struct bus_subscriber subscriber;
	bool properties_due;
	uint64_t active_ns; /* time of its last request, CLOCK_MONOTONIC */
};

struct bus {
	struct daemon *daemon;
	struct listener *listener;
	struct loop_source *notify;
	struct list conns; /* struct bus_conn, link */
	unsigned n_conns, n_denied;
	bool is_recheck_due; /* a reload may have changed the list of users with read access */
	struct event_log log;
	struct bus_marks marks;
	struct bus_system *system; /* NULL: not configured */
	struct events_subscriber subscriber;
};

static struct bus_conn *conn_drop(struct bus_conn *conn)
{
	bus_io_deinit(&conn->io);
	if (conn->expiry)
		conn->bus->n_denied--;
	loop_source_free(conn->expiry);
	event_log_unsubscribe(&conn->bus->log, &conn->subscriber);
	if (conn->connection) {
		sd_bus_close(conn->connection);
		sd_bus_unref(conn->connection);
	}
	limited_pipe_free(conn->pipe);
	list_remove(&conn->link);
	conn->bus->n_conns--;
	free(conn);
	return NULL;
}

/* Sends pending signals, if the connection has read the earlier ones. */
static int conn_notify(struct bus_conn *conn)
{
	uint64_t n_queued;
	int r = sd_bus_get_n_queued_write(conn->connection, &n_queued);

	if (r < 0 || n_queued > 0 || conn->bus->is_recheck_due ||
	    sd_bus_is_ready(conn->connection) <= 0)
		return r;
	if (conn->properties_due) {
		conn->properties_due = false;
		r = sd_bus_emit_properties_changed(conn->connection, BUS_PATH, BUS_INTERFACE,
						   "Status", "Peers", NULL);
	}
	if (r >= 0)
		r = event_log_emit(&conn->bus->log, &conn->subscriber, conn->bus->daemon,
				   conn->connection, NULL, BUS_SIGNALS_MAX);
	/* The rest is sent in the next iteration, after other connections had their turn. */
	if (r > 0)
		loop_deferred_set(conn->bus->notify);
	return r;
}

/* Returns 0, or -errno if the connection must be closed. */
static int conn_process(struct bus_conn *conn)
{
	uint64_t n_queued;
	int r = 1;

	for (int i = 0; r > 0 && i < BUS_STEP_MAX; i++) {
		r = sd_bus_process(conn->connection, NULL);
		bus_tree_leave(&conn->tree);
		if (r < 0)
			return r;
		if (sd_bus_is_open(conn->connection) <= 0)
			return -ECONNRESET;
		if (r > 0)
			conn->active_ns = clock_now_ns();
		if (sd_bus_get_n_queued_write(conn->connection, &n_queued) >= 0 &&
		    n_queued > BUS_QUEUE_MAX) {
			log_warning("bus client pid %d does not read its answers, dropped",
				    (int)conn->caller.pid);
			return -ENOBUFS;
		}
	}
	r = conn_notify(conn);
	return r < 0 ? r : bus_io_arm(&conn->io);
}

/* Closes the connection. A client that just disconnected is not logged. */
static void conn_fail(struct bus_conn *conn, int error)
{
	if (error != -ECONNRESET && error != -ENOTCONN && error != -EPIPE && error != -ENOBUFS)
		log_warning("bus client pid %d dropped: %s", (int)conn->caller.pid,
			    strerror(-error));
	conn_drop(conn);
}

static void conn_progress(void *user)
{
	struct bus_conn *conn = user;
	struct journal_subject before = bus_caller_enter_journal(&conn->caller);
	int r = conn_process(conn);

	if (r < 0)
		conn_fail(conn, r);
	journal_leave(&before);
}

static void conn_on_end(void *user)
{
	conn_drop(user);
}

static int conn_subscribe(void *port, sd_bus_message *m, bool on)
{
	struct bus_conn *conn = port;

	(void)m;
	if (on)
		return event_log_subscribe(&conn->bus->log, &conn->subscriber);
	event_log_unsubscribe(&conn->bus->log, &conn->subscriber);
	return 0;
}

static int conn_on_message(sd_bus_message *m, void *user, sd_bus_error *error)
{
	struct bus_conn *conn = user;

	return bus_tree_is_for(m) ? bus_tree_check(&conn->tree, m, &conn->caller, error) : 0;
}

static int method_hello(sd_bus_message *m, void *user, sd_bus_error *error)
{
	int r = sd_bus_reply_method_return(m, "s", UNIQUE_NAME);

	(void)user;
	(void)error;
	return r < 0 ? r : 1;
}

/* Accepts a request to subscribe at the bus and does nothing: this connection delivers signals in
 * any case. */
static int method_nothing(sd_bus_message *m, void *user, sd_bus_error *error)
{
	(void)user;
	(void)error;
	return bus_noun_done(m);
}

/* Methods that clients expect of a message bus before anything else. */
static const sd_bus_vtable bus_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Hello", "", "s", method_hello, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("AddMatch", "s", "", method_nothing, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("RemoveMatch", "s", "", method_nothing, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

/*
 * For busctl monitor, which then gets the same signals as a subscriber. It shows messages only
 * after it has lost its name.
 */
static int method_become_monitor(sd_bus_message *m, void *user, sd_bus_error *error)
{
	struct bus_conn *conn = user;
	char text[400];
	int r;

	if (!bus_may_read(conn->bus->daemon, &conn->caller)) {
		bus_auth_refusal(conn->bus->daemon, &conn->caller, false, text, sizeof(text));
		return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, text);
	}
	r = conn_subscribe(conn, m, true);
	if (r >= 0)
		r = bus_noun_done(m);
	if (r >= 0)
		r = sd_bus_emit_signal(conn->connection, "/org/freedesktop/DBus",
				       "org.freedesktop.DBus", "NameLost", "s", UNIQUE_NAME);
	return r < 0 ? r : 1;
}

static const sd_bus_vtable monitoring_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("BecomeMonitor", "asu", "", method_become_monitor,
		      SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

static int conn_add_objects(struct bus_conn *conn)
{
	int r = sd_bus_add_object_vtable(conn->connection, NULL, "/org/freedesktop/DBus",
					 "org.freedesktop.DBus", bus_vtable, NULL);

	if (r >= 0)
		r = sd_bus_add_object_vtable(conn->connection, NULL, "/org/freedesktop/DBus",
					     "org.freedesktop.DBus.Monitoring", monitoring_vtable,
					     conn);
	if (r >= 0)
		r = sd_bus_add_filter(conn->connection, NULL, conn_on_message, conn);
	conn->tree.daemon = conn->bus->daemon;
	conn->tree.subscribe = conn_subscribe;
	conn->tree.port = conn;
	conn->tree.marks = &conn->bus->marks;
	return r < 0 ? r : bus_tree_add(&conn->tree, conn->connection);
}

static int conn_start(struct bus_conn *conn, int *fd)
{
	struct daemon *daemon = conn->bus->daemon;
	sd_id128_t id;
	int r = sd_bus_new(&conn->connection);

	if (r < 0)
		return r;
	r = sd_bus_set_fd(conn->connection, *fd, *fd);
	if (r < 0)
		return r;
	fd_steal(fd); /* the connection closes it from here on */
	memcpy(&id, daemon->daemon_id, sizeof(id));
	r = sd_bus_set_server(conn->connection, 1, id);
	/* No message carries descriptors, and those of an incomplete message would be held open. */
	if (r >= 0)
		r = sd_bus_negotiate_fds(conn->connection, 0);
	if (r >= 0)
		r = conn_add_objects(conn);
	if (r >= 0)
		r = sd_bus_start(conn->connection);
	if (r < 0)
		return r;
	return bus_io_init(&conn->io, daemon->loop, conn->connection, conn_progress, conn);
}

static unsigned bus_count_of(const struct bus *bus, uid_t uid)
{
	const struct bus_conn *conn;
	unsigned n = 0;

	list_for_each(conn, &bus->conns, link) n += !conn->expiry && conn->caller.uid == uid;
	return n;
}

/* Returns whether the first of two connections of one user is the better one to close. */
static bool conn_is_idle_longer(const struct bus_conn *conn, const struct bus_conn *other)
{
	if (conn->subscriber.on != other->subscriber.on)
		return other->subscriber.on;
	return conn->active_ns < other->active_ns;
}

/*
 * Closes a connection of the user that has the most. Returns false if that is the newcomer's own
 * user and all of its connections are busy.
 */
static bool bus_make_room(struct bus *bus, const struct bus_conn *newcomer)
{
	struct bus_conn *conn, *victim = NULL;
	unsigned n_most = 0;

	list_for_each(conn, &bus->conns, link)
	{
		unsigned n;

		if (conn->expiry || conn == newcomer)
			continue;
		n = bus_count_of(bus, conn->caller.uid);
		if (n < n_most || (n == n_most && victim && !conn_is_idle_longer(conn, victim)))
			continue;
		n_most = n;
		victim = conn;
	}
	if (!victim || (victim->caller.uid == newcomer->caller.uid &&
			clock_now_ns() - victim->active_ns < BUS_IDLE_NS))
		return false;
	log_info("bus client pid %d makes room; the one of pid %d, uid %u, ends",
		 (int)newcomer->caller.pid, (int)victim->caller.pid, (unsigned)victim->caller.uid);
	conn_drop(victim);
	return true;
}

/*
 * Admits a connection. Users with read access have their own places; other connections are limited.
 * Returns 0, -EDQUOT (logged) or another -errno.
 */
static int conn_admit(struct bus_conn *conn, int *fd)
{
	struct bus *bus = conn->bus;
	int r, bus_fd;
	bool is_denied = !bus_may_read(bus->daemon, &conn->caller);

	if (is_denied ? bus->n_denied >= BUS_MAX_DENIED
		      : bus->n_conns - bus->n_denied > BUS_MAX_CONNECTIONS &&
				!bus_make_room(bus, conn)) {
		log_warning("bus client pid %d refused: too many are connected already",
			    (int)conn->caller.pid);
		return -EDQUOT;
	}
	if (!is_denied)
		return 0;
	conn->expiry = loop_timer_new(bus->daemon->loop, conn_on_end, conn);
	if (!conn->expiry)
		return -ENOMEM;
	bus->n_denied++;
	r = limited_pipe_new(bus->daemon->loop, fd, BUS_DENIED_LEN, conn_on_end, conn, &bus_fd,
			     &conn->pipe);
	if (r < 0)
		return r;
	*fd = bus_fd;
	return loop_timer_set(conn->expiry, BUS_DENIED_NS);
}

static void bus_on_accept(void *user, int accepted)
{
	CLEANUP_FD int fd = accepted;
	struct bus *bus = user;
	struct bus_conn *conn = calloc(1, sizeof(*conn));
	struct journal_subject before;
	int r;

	if (!conn)
		return;
	conn->bus = bus;
	conn->active_ns = clock_now_ns();
	list_append(&bus->conns, &conn->link);
	bus->n_conns++;
	r = bus_caller_of_socket(fd, &conn->caller);
	before = bus_caller_enter_journal(&conn->caller);
	if (r == 0)
		r = conn_admit(conn, &fd);
	if (r == 0)
		r = conn_start(conn, &fd);
	if (r < 0) {
		if (r != -EDQUOT)
			log_warning("bus client pid %d dropped: %s", (int)conn->caller.pid,
				    strerror(-r));
		conn_drop(conn);
	}
	journal_leave(&before);
}

/* After a reload: stops signals to users without read access and closes their connections. */
static void bus_recheck_rights(struct bus *bus)
{
	struct bus_conn *conn, *tmp;

	bus->is_recheck_due = false;
	list_for_each_safe(conn, tmp, &bus->conns, link)
	{
		if (!conn->expiry && bus_has_lost_access(bus->daemon, &conn->caller, "bus"))
			conn_drop(conn);
	}
}

static void bus_on_notify(void *user)
{
	struct bus *bus = user;
	struct bus_conn *conn, *tmp;

	if (bus->is_recheck_due)
		bus_recheck_rights(bus);

	list_for_each_safe(conn, tmp, &bus->conns, link)
	{
		/* If the connection cannot be written to, its next step learns the reason. */
		if (conn_notify(conn) < 0 || bus_io_arm(&conn->io) < 0)
			conn_progress(conn);
	}
	if (bus_system_notify(bus->system))
		loop_deferred_set(bus->notify);
}

/*
 * Unless configured, the daemon uses the system bus only if the system's service manager started
 * it.
 */
static bool bus_wants_system(const struct daemon *daemon)
{
	if (daemon->config->system_bus != SYSTEM_BUS_AUTO)
		return daemon->config->system_bus == SYSTEM_BUS_YES;
	return strcmp(daemon->runtime_dir, "/run/dococored") == 0;
}

/* D-Bus clients that have subscribed get the signal in a later step of the loop. */
static void bus_on_object(void *user, enum object_kind kind, enum object_change change,
			  const void *object)
{
	struct bus *bus = user;

	if (change == OBJECT_REMOVED)
		bus_marks_removed(&bus->marks, bus->daemon, object);
	if (bus->log.n_subscribers == 0)
		return;
	event_log_add(&bus->log, kind, change, object);
	loop_deferred_set(bus->notify);
}

static int bus_open(struct bus *bus)
{
	struct daemon *daemon = bus->daemon;
	char path[CONFIG_PATH_LEN];
	int r = snprintf(path, sizeof(path), "%s/%s.bus", daemon->runtime_dir,
			 side_name(daemon->options->side));

	if (r < 0 || (size_t)r >= sizeof(path)) {
		log_error("runtime directory %s: its name is too long for a socket",
			  daemon->runtime_dir);
		return -ENAMETOOLONG;
	}
	bus->notify = loop_deferred_new(daemon->loop, bus_on_notify, bus);
	if (!bus->notify)
		return -ENOMEM;
	r = listener_new(daemon->loop, path, SOCK_STREAM, BUS_MODE, bus_on_accept, bus,
			 &bus->listener);
	if (r < 0 || !bus_wants_system(daemon))
		return r;
	return bus_system_new(daemon, &bus->log, &bus->marks, &bus->system);
}

int bus_new(struct daemon *daemon, struct bus **bus_out)
{
	struct bus *bus = calloc(1, sizeof(*bus));
	int r;

	if (!bus)
		return -ENOMEM;
	bus->daemon = daemon;
	list_init(&bus->conns);
	r = bus_open(bus);
	if (r < 0) {
		bus_free(bus);
		return r;
	}
	bus->subscriber = (struct events_subscriber){.on_object = bus_on_object, .user = bus};
	events_subscribe(&daemon->events, &bus->subscriber);
	*bus_out = bus;
	return 0;
}

struct bus *bus_free(struct bus *bus)
{
	struct bus_conn *conn, *tmp;

	if (!bus)
		return NULL;
	events_unsubscribe(&bus->daemon->events, &bus->subscriber);
	listener_free(bus->listener);
	bus_system_free(bus->system);
	list_for_each_safe(conn, tmp, &bus->conns, link) conn_drop(conn);
	loop_source_free(bus->notify);
	event_log_deinit(&bus->log);
	free(bus);
	return NULL;
}

void bus_reloaded(struct bus *bus)
{
	if (!bus)
		return;
	/*
	 * One of the connections may have requested the reload, so this must not run inside its
	 * handler.
	 */
	bus->is_recheck_due = true;
	bus_system_recheck_rights(bus->system);
	loop_deferred_set(bus->notify);
}

void bus_changed(struct bus *bus)
{
	struct bus_conn *conn;

	if (!bus)
		return;
	list_for_each(conn, &bus->conns, link) conn->properties_due = !conn->expiry;
	loop_deferred_set(bus->notify);
}
