/*
 * Connections of operators. Each accepted one is an sd-bus in server mode that the daemon's loop
 * drives: descriptor, events and timeout are asked anew after every step. Nothing blocks: sd-bus
 * reads and writes what there is. A connection that does not take its answers, or breaks the
 * protocol, is dropped; their number is bounded. A connection never dies inside its own handlers.
 */
#include "daemon/bus.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#include "daemon/bus_view.h"
#include "daemon/daemon.h"
#include "util/fd.h"
#include "util/log.h"

#define BUS_MAX_CONNECTIONS 16
/* Requests of one connection in one step of the loop. */
#define BUS_STEP_MAX 8
/* Answers that a connection may leave unread. */
#define BUS_QUEUE_MAX 4
#define BUS_MODE      0660

struct bus_conn {
	struct bus *bus;
	struct list link;
	sd_bus *connection;
	struct loop_source *io;
	struct loop_source *timer;
	pid_t pid;
};

struct bus {
	struct daemon *daemon;
	struct listener *listener;
	struct loop_source *tell;
	struct list conns; /* struct bus_conn, link */
	unsigned n_conns;
};

static struct bus_conn *conn_drop(struct bus_conn *conn)
{
	loop_source_free(conn->io);
	loop_source_free(conn->timer);
	if (conn->connection) {
		sd_bus_close(conn->connection);
		sd_bus_unref(conn->connection);
	}
	list_remove(&conn->link);
	conn->bus->n_conns--;
	free(conn);
	return NULL;
}

/* What the connection waits for next. 0 or -errno. */
static int conn_arm(struct bus_conn *conn)
{
	int events = sd_bus_get_events(conn->connection), r;
	struct timespec now;
	uint64_t until_us, now_us;

	if (events < 0)
		return events;
	r = loop_fd_set(conn->io, ((events & POLLIN) ? LOOP_READ : 0u) |
					  ((events & POLLOUT) ? LOOP_WRITE : 0u));
	if (r < 0)
		return r;
	r = sd_bus_get_timeout(conn->connection, &until_us);
	if (r < 0)
		return r;
	if (until_us == UINT64_MAX) {
		loop_timer_cancel(conn->timer);
		return 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	now_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	return loop_timer_set(conn->timer, until_us > now_us ? (until_us - now_us) * 1000 : 0);
}

/* 0, or -errno when the connection has to go. */
static int conn_process(struct bus_conn *conn)
{
	uint64_t n_queued;
	int r = 1;

	for (int i = 0; r > 0 && i < BUS_STEP_MAX; i++) {
		r = sd_bus_process(conn->connection, NULL);
		if (r < 0)
			return r;
		if (sd_bus_is_open(conn->connection) <= 0)
			return -ECONNRESET;
		if (sd_bus_get_n_queued_write(conn->connection, &n_queued) >= 0 &&
		    n_queued > BUS_QUEUE_MAX) {
			log_warning("bus client pid %d does not read its answers, dropped",
				    (int)conn->pid);
			return -ENOBUFS;
		}
	}
	return conn_arm(conn);
}

/* Drops it; a client that just went away is not worth a line. */
static void conn_fail(struct bus_conn *conn, int error)
{
	if (error != -ECONNRESET && error != -ENOTCONN && error != -EPIPE && error != -ENOBUFS)
		log_warning("bus client pid %d dropped: %s", (int)conn->pid, strerror(-error));
	conn_drop(conn);
}

static void conn_step(struct bus_conn *conn)
{
	int r = conn_process(conn);

	if (r < 0)
		conn_fail(conn, r);
}

static void conn_on_io(void *user, unsigned events)
{
	(void)events;
	conn_step(user);
}

static void conn_on_timer(void *user)
{
	conn_step(user);
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
	fd_steal(fd); /* closed with the connection from here on */
	memcpy(&id, daemon->daemon_id, sizeof(id));
	r = sd_bus_set_server(conn->connection, 1, id);
	if (r >= 0)
		r = sd_bus_negotiate_creds(conn->connection, 1,
					   SD_BUS_CREDS_EUID | SD_BUS_CREDS_PID);
	if (r >= 0)
		r = bus_view_add(conn->connection, daemon);
	if (r >= 0)
		r = sd_bus_start(conn->connection);
	if (r < 0)
		return r;
	r = sd_bus_get_fd(conn->connection);
	if (r < 0)
		return r;
	conn->io = loop_fd_new(daemon->loop, r, LOOP_READ, conn_on_io, conn);
	conn->timer = loop_timer_new(daemon->loop, conn_on_timer, conn);
	if (!conn->io || !conn->timer)
		return -ENOMEM;
	return conn_arm(conn);
}

/* 0 or -EACCES: by the kernel's credentials, before a byte is read. */
static int peer_check(int fd, pid_t *pid_out)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	if (cred.uid != 0 && cred.uid != geteuid()) {
		log_warning("bus client pid %d uid %u refused: only uid %u and root may look",
			    (int)cred.pid, (unsigned)cred.uid, (unsigned)geteuid());
		return -EACCES;
	}
	*pid_out = cred.pid;
	return 0;
}

static void bus_on_accept(void *user, int accepted)
{
	CLEANUP_FD int fd = accepted;
	struct bus *bus = user;
	struct bus_conn *conn;
	pid_t pid = 0;
	int r;

	if (peer_check(fd, &pid) < 0)
		return;
	if (bus->n_conns >= BUS_MAX_CONNECTIONS) {
		log_warning("bus client pid %d refused: %u are connected already", (int)pid,
			    bus->n_conns);
		return;
	}
	conn = calloc(1, sizeof(*conn));
	if (!conn)
		return;
	conn->bus = bus;
	conn->pid = pid;
	list_append(&bus->conns, &conn->link);
	bus->n_conns++;
	r = conn_start(conn, &fd);
	if (r < 0) {
		log_warning("bus client pid %d dropped: %s", (int)pid, strerror(-r));
		conn_drop(conn);
	}
}

static void bus_on_tell(void *user)
{
	struct bus *bus = user;
	struct bus_conn *conn, *tmp;

	list_for_each_safe(conn, tmp, &bus->conns, link)
	{
		int r = sd_bus_emit_properties_changed(conn->connection, BUS_VIEW_PATH,
						       BUS_VIEW_INTERFACE, "Status", "Peers", NULL);

		/* A step finds out what is wrong with a connection that takes nothing. */
		if (r < 0 || conn_arm(conn) < 0)
			conn_step(conn);
	}
}

int bus_new(struct daemon *daemon, struct bus **bus_out)
{
	char path[CONFIG_PATH_LEN];
	struct bus *bus = calloc(1, sizeof(*bus));
	int r;

	if (!bus)
		return -ENOMEM;
	bus->daemon = daemon;
	list_init(&bus->conns);
	r = snprintf(path, sizeof(path), "%s/%s.bus", daemon->runtime_dir,
		     side_name(daemon->options.side));
	if (r < 0 || (size_t)r >= sizeof(path)) {
		log_error("runtime directory %s: its name is too long for a socket",
			  daemon->runtime_dir);
		bus_free(bus);
		return -ENAMETOOLONG;
	}
	bus->tell = loop_deferred_new(daemon->loop, bus_on_tell, bus);
	if (!bus->tell) {
		bus_free(bus);
		return -ENOMEM;
	}
	r = listener_new(daemon->loop, path, SOCK_STREAM, BUS_MODE, bus_on_accept, bus,
			 &bus->listener);
	if (r < 0) {
		bus_free(bus);
		return r;
	}
	*bus_out = bus;
	return 0;
}

struct bus *bus_free(struct bus *bus)
{
	struct bus_conn *conn, *tmp;

	if (!bus)
		return NULL;
	listener_free(bus->listener);
	list_for_each_safe(conn, tmp, &bus->conns, link) conn_drop(conn);
	loop_source_free(bus->tell);
	free(bus);
	return NULL;
}

void bus_changed(struct bus *bus)
{
	if (bus)
		loop_deferred_set(bus->tell);
}
