/*
 * Peer-to-peer D-Bus connection to a daemon: finds its socket, makes calls, and converts D-Bus
 * values to JSON. This module connects the socket and passes it to sd-bus, so that a path may
 * contain any character and a failure can be reported per path. Owner: one command;
 * single-threaded.
 */
#include "tools/doca-admin/bus/client.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "tools/doca-admin/bus/json.h"
#include "util/clock.h"
#include "util/fd.h"

#define BUS_NAME       "org.dococore"
#define BUS_PATH       "/org/dococore"
#define BUS_INTERFACE  "org.dococore.Manager"
#define CALL_TIMEOUT_S 10
#define MAX_FIELDS     64

struct bus_client {
	sd_bus *bus;
	char *path;
	char error[512];
	bus_signal_fn on_signal;
	void *on_signal_user;
	bool changed; /* a property of the daemon has changed since the last check */
};

/* State of the search: a text about the paths that were tried, and the paths at which a daemon
 * answered. */
struct search {
	char *tried;
	int fd;
	char *path;
	unsigned n_found;
	bool denied; /* a socket exists, but access was denied */
};

static void search_record(struct search *s, const char *path, const char *what)
{
	char *grown;

	if (asprintf(&grown, "%s  %s: %s\n", s->tried ? s->tried : "", path, what) < 0)
		return;
	free(s->tried);
	s->tried = grown;
}

static void search_deinit(struct search *s)
{
	fd_close(&s->fd);
	free(s->path);
	free(s->tried);
}

/* Returns -EAGAIN if the socket's queue stays full because no process accepts. */
static int socket_connect(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	const struct timeval timeout = {.tv_sec = CALL_TIMEOUT_S};
	int fd, r;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

static void search_path(struct search *s, const char *path)
{
	CLEANUP_FD int fd = socket_connect(path);

	if (fd < 0) {
		s->denied |= fd == -EACCES;
		search_record(s, path, fd == -EAGAIN ? "the daemon hangs" : strerror(-fd));
		return;
	}
	search_record(s, path, "a daemon answers");
	s->n_found++;
	if (s->n_found == 1) {
		s->fd = fd_steal(&fd);
		s->path = strdup(path);
	}
}

static void search_dir(struct search *s, const char *dir, const char *sub, const char *side)
{
	static const char *const sides[] = {"host", "dpu"};

	for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
		char *path;

		if (side && strcmp(side, sides[i]) != 0)
			continue;
		if (asprintf(&path, "%s%s/%s.bus", dir, sub, sides[i]) < 0)
			return;
		search_path(s, path);
		free(path);
	}
}

static void search_env(struct search *s, const char *bus, const char *side)
{
	const char *slash = strrchr(bus, '/');
	char *dir;

	/* In a lab the other side's socket is next to this one. */
	if (side && slash && slash != bus) {
		dir = strndup(bus, (size_t)(slash - bus));
		if (dir)
			search_dir(s, dir, "", side);
		free(dir);
	} else {
		search_path(s, bus);
	}
}

static void search_run(struct search *s, const struct bus_target *target)
{
	const char *env = secure_getenv("DOCOCORED_BUS"),
		   *runtime = secure_getenv("XDG_RUNTIME_DIR");
	const char *side = target->side;

	if (target->socket) {
		search_path(s, target->socket);
		return;
	}
	if (target->dir) {
		search_dir(s, target->dir, "", side ? side : secure_getenv("DOCA_SIDE"));
		return;
	}
	if (env && *env) {
		search_env(s, env, side);
		return;
	}
	if (!side)
		side = secure_getenv("DOCA_SIDE");
	if (runtime && *runtime)
		search_dir(s, runtime, "/dococored", side);
	if (s->n_found == 0)
		search_dir(s, "/run", "/dococored", side);
}

static int on_change(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus_client *client = userdata;

	(void)m;
	(void)error;
	client->changed = true;
	return 0;
}

/* Processes received messages, or waits for some. Returns 0, -ETIMEDOUT or another -errno. */
static int client_process(struct bus_client *client, uint64_t deadline_ns)
{
	uint64_t now;
	int r = sd_bus_process(client->bus, NULL);

	if (r != 0)
		return r < 0 ? r : 0;
	now = clock_now_ns();
	if (now >= deadline_ns)
		return -ETIMEDOUT;
	r = sd_bus_wait(client->bus, (deadline_ns - now) / 1000 + 1);
	return r < 0 && r != -EINTR ? r : 0;
}

/*
 * Waits for the end of the authentication, with a deadline. The kernel accepts connections for a
 * daemon that hangs, and sd-bus itself would wait for minutes.
 */
static int client_await_ready(struct bus_client *client)
{
	uint64_t deadline_ns = clock_now_ns() + CALL_TIMEOUT_S * NS_PER_SEC;
	int r, ready;

	while ((ready = sd_bus_is_ready(client->bus)) == 0) {
		r = client_process(client, deadline_ns);
		if (r < 0)
			return r;
	}
	return ready < 0 ? ready : 0;
}

static int client_start(struct bus_client *client, int *fd)
{
	int r = sd_bus_new(&client->bus);

	if (r < 0)
		return r;
	r = sd_bus_set_fd(client->bus, *fd, *fd);
	if (r < 0)
		return r;
	fd_steal(fd); /* the bus closes it from here on */
	sd_bus_set_method_call_timeout(client->bus, CALL_TIMEOUT_S * 1000000ull);
	r = sd_bus_add_match(client->bus, NULL,
			     "type='signal',path='" BUS_PATH
			     "',interface='org.freedesktop.DBus.Properties',"
			     "member='PropertiesChanged'",
			     on_change, client);
	if (r < 0)
		return r;
	r = sd_bus_start(client->bus);
	return r < 0 ? r : client_await_ready(client);
}

static char *error_text(const struct search *s, unsigned n_found)
{
	const char *fmt = "doca-admin: no daemon answers. Tried:\n%s"
			  "Start the service with 'systemctl start dococored', one by hand with "
			  "'dococored --side host|dpu',\n"
			  "or both sides with 'doca-admin lab up', and ask there with --dir DIR or "
			  "in 'doca-admin lab exec'.\n";
	char *text;

	if (n_found > 1)
		fmt = "doca-admin: more than one daemon answers:\n%s"
		      "Choose one with --side host|dpu or --socket PATH.\n";
	else if (s->denied)
		fmt = "doca-admin: this user may not connect to a daemon. Tried:\n%s"
		      "The system's daemon is open to members of group doca ('usermod -aG doca "
		      "USER', then log\nin again) and doca-admin, a lab to who started it.\n";
	return asprintf(&text, fmt, s->tried ? s->tried : "") < 0 ? NULL : text;
}

int bus_client_open(const struct bus_target *target, struct bus_client **client_out,
		    char **error_out)
{
	CLEANUP(search_deinit) struct search s = {.fd = -1};
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	int r;

	search_run(&s, target);
	if (s.n_found != 1) {
		*error_out = error_text(&s, s.n_found);
		return s.n_found ? -ENOTUNIQ : s.denied ? -EACCES : -ECONNRESET;
	}
	client = calloc(1, sizeof(*client));
	if (!client || !s.path)
		return -ENOMEM;
	client->path = s.path;
	s.path = NULL;
	r = client_start(client, &s.fd);
	if (r == -ETIMEDOUT) {
		if (asprintf(
			    error_out,
			    "doca-admin: %s: the daemon does not answer within %d seconds; see its "
			    "log, or restart it\n",
			    client->path, CALL_TIMEOUT_S) < 0)
			*error_out = NULL;
		return -ECONNRESET;
	}
	if (r < 0) {
		if (asprintf(error_out, "doca-admin: %s: cannot talk to the daemon: %s\n",
			     client->path, strerror(-r)) < 0)
			*error_out = NULL;
		return r;
	}
	*client_out = client;
	client = NULL;
	return 0;
}

struct bus_client *bus_client_close(struct bus_client *client)
{
	if (!client)
		return NULL;
	sd_bus_close_unref(client->bus);
	free(client->path);
	free(client);
	return NULL;
}

const char *bus_client_path(const struct bus_client *client)
{
	return client->path;
}

const char *bus_client_error(const struct bus_client *client)
{
	return client->error;
}

/* Converts the error to -ENOENT, -EACCES or -ECONNRESET, or returns r. */
static int error_meaning(const sd_bus_error *error, int r)
{
	if (sd_bus_error_has_name(error, "org.dococore.Error.NotFound"))
		return -ENOENT;
	if (sd_bus_error_has_name(error, SD_BUS_ERROR_ACCESS_DENIED))
		return -EACCES;
	if (r == -ENOTCONN || r == -EPIPE || r == -ECONNRESET || r == -ETIMEDOUT)
		return -ECONNRESET;
	return r;
}

/*
 * Sends a call and waits for the reply. Consumes the message. Returns 0, or -errno after storing
 * the error's sentence.
 */
static int client_call(struct bus_client *client, sd_bus_message *call, sd_bus_message **reply_out)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int r = sd_bus_call(client->bus, call, 0, &error, reply_out);

	sd_bus_message_unref(call);
	if (r < 0) {
		const char *why = r == -ETIMEDOUT ? "does not answer"
						  : "ended or dropped the connection";

		r = error_meaning(&error, r);
		if (r == -ECONNRESET)
			snprintf(client->error, sizeof(client->error),
				 "%s: the daemon %s; see its log", client->path, why);
		else
			snprintf(client->error, sizeof(client->error), "%s",
				 error.message ? error.message : strerror(-r));
	}
	sd_bus_error_free(&error);
	return r < 0 ? r : 0;
}

static int client_broken(struct bus_client *client, int r)
{
	if (r < 0)
		snprintf(client->error, sizeof(client->error),
			 "%s: the daemon's answer is not understood: %s", client->path,
			 strerror(-r));
	return r;
}

static int client_method(struct bus_client *client, const char *path, const char *interface,
			 const char *method, sd_bus_message **call_out)
{
	return client_broken(client, sd_bus_message_new_method_call(client->bus, call_out, BUS_NAME,
								    path, interface, method));
}

/*
 * Sends a call, unless its arguments could not be added (r < 0), and reads the one value of the
 * reply, unless value_out is NULL. Consumes the message.
 */
static int client_send(struct bus_client *client, sd_bus_message *call, int r,
		       json_object **value_out)
{
	sd_bus_message *reply = NULL;

	if (r < 0) {
		sd_bus_message_unref(call);
		return client_broken(client, r);
	}
	r = client_call(client, call, &reply);
	if (r >= 0 && value_out)
		r = client_broken(client, bus_json_read(reply, value_out));
	sd_bus_message_unref(reply);
	return r < 0 ? r : 0;
}

/* Calls a method of an object with arguments of these types. */
static int client_ask(struct bus_client *client, const char *path, const char *interface,
		      const char *method, json_object **value_out, const char *types, ...)
{
	sd_bus_message *call;
	va_list ap;
	int r = client_method(client, path, interface, method, &call);

	if (r < 0)
		return r;
	va_start(ap, types);
	r = sd_bus_message_appendv(call, types, ap);
	va_end(ap);
	return client_send(client, call, r, value_out);
}

static int filter_append(sd_bus_message *call, const struct bus_filter *filter, const char *sort)
{
	static const struct bus_filter all;
	int r = sd_bus_message_open_container(call, 'a', "{sv}");

	filter = filter ? filter : &all;
	if (r >= 0 && filter->has_pid)
		r = sd_bus_message_append(call, "{sv}", "pid", "t", filter->pid);
	if (r >= 0 && filter->has_uid)
		r = sd_bus_message_append(call, "{sv}", "uid", "t", filter->uid);
	if (r >= 0 && filter->name)
		r = sd_bus_message_append(call, "{sv}", "name", "s", filter->name);
	if (r >= 0 && filter->device)
		r = sd_bus_message_append(call, "{sv}", "device", "s", filter->device);
	if (r >= 0 && sort)
		r = sd_bus_message_append(call, "{sv}", "sort", "s", sort);
	return r < 0 ? r : sd_bus_message_close_container(call);
}

/* Calls List or Count: the arguments of both begin with kind and filter, and end with a position in
 * the list. */
static int client_list_call(struct bus_client *client, const char *method,
			    const struct bus_query *query, uint64_t after, uint64_t max,
			    sd_bus_message **reply_out)
{
	bool is_list = strcmp(method, "List") == 0;
	sd_bus_message *call;
	int r = client_method(client, BUS_PATH, BUS_INTERFACE, method, &call);

	if (r < 0)
		return r;
	r = sd_bus_message_append(call, "s", query->kind);
	if (r >= 0)
		r = filter_append(call, query->filter, query->sort);
	if (r >= 0 && is_list)
		r = sd_bus_message_open_container(call, 'a', "s");
	for (size_t i = 0; r >= 0 && i < query->n_fields; i++)
		r = sd_bus_message_append_basic(call, 's', query->fields[i]);
	if (r >= 0 && is_list)
		r = sd_bus_message_close_container(call);
	if (r >= 0)
		r = sd_bus_message_append_basic(call, 't', &after);
	if (r >= 0 && is_list)
		r = sd_bus_message_append_basic(call, 't', &max);
	if (r < 0) {
		sd_bus_message_unref(call);
		return client_broken(client, r);
	}
	return client_call(client, call, reply_out);
}

/* Reads the rows of a reply of List, and the position of the next page. Returns 0 or -errno. */
static int rows_read(sd_bus_message *m, bus_row_fn fn, void *user, uint64_t *n_rows,
		     uint64_t *after_out)
{
	const char *names[MAX_FIELDS], *types;
	size_t n = 0;
	int r = sd_bus_message_enter_container(m, 'a', "s");

	while (r >= 0 && n < MAX_FIELDS && sd_bus_message_read_basic(m, 's', &names[n]) > 0)
		n++;
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	if (r >= 0)
		r = sd_bus_message_peek_type(m, NULL, &types);
	if (r >= 0)
		r = sd_bus_message_enter_container(m, 'v', types);
	if (r >= 0)
		r = sd_bus_message_enter_container(m, 'a', types + 1);
	while (r >= 0 && !sd_bus_message_at_end(m, false)) {
		r = sd_bus_message_enter_container(m, 'r', NULL);
		if (r >= 0)
			r = fn(user, names, n, m);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
		++*n_rows;
	}
	for (int i = 0; i < 2 && r >= 0; i++)
		r = sd_bus_message_exit_container(m);
	return r < 0 ? r : sd_bus_message_read(m, "t", after_out);
}

int bus_client_list(struct bus_client *client, const struct bus_query *query, bus_row_fn fn,
		    void *user)
{
	uint64_t after = 0, n = 0, max = query->limit;
	int r;

	do {
		sd_bus_message *reply = NULL;

		if (query->limit && !query->sort)
			max = query->limit - n;
		r = client_list_call(client, "List", query, after, max, &reply);
		if (r >= 0)
			r = client_broken(client, rows_read(reply, fn, user, &n, &after));
		sd_bus_message_unref(reply);
	} while (r >= 0 && after != 0 && (!query->limit || query->sort || n < query->limit));
	return r < 0 ? r : 0;
}

static int record_add(void *user, const char *const *names, size_t n_names, sd_bus_message *m)
{
	json_object *record;
	int r = bus_json_read_row(m, names, n_names, &record);

	return r < 0 ? r : json_object_array_add(user, record);
}

int bus_client_records(struct bus_client *client, const char *kind, const struct bus_filter *filter,
		       json_object **rows_out)
{
	const struct bus_query query = {.kind = kind, .filter = filter};
	json_object *rows = json_object_new_array();
	int r = bus_client_list(client, &query, record_add, rows);

	if (r < 0)
		json_object_put(rows);
	else
		*rows_out = rows;
	return r;
}

int bus_client_count(struct bus_client *client, const char *kind, const struct bus_filter *filter,
		     uint64_t *n_out)
{
	const struct bus_query query = {.kind = kind, .filter = filter};
	uint64_t after = 0, n;
	int r;

	*n_out = 0;
	do {
		sd_bus_message *reply = NULL;

		r = client_list_call(client, "Count", &query, after, 0, &reply);
		if (r >= 0)
			r = client_broken(client, sd_bus_message_read(reply, "tt", &n, &after));
		if (r >= 0)
			*n_out += n;
		sd_bus_message_unref(reply);
	} while (r >= 0 && after != 0);
	return r < 0 ? r : 0;
}

int bus_client_get(struct bus_client *client, const char *kind, uint64_t id,
		   json_object **record_out)
{
	char method[32];

	snprintf(method, sizeof(method), "Get%c%s", toupper((unsigned char)*kind), kind + 1);
	return client_ask(client, BUS_PATH, BUS_INTERFACE, method, record_out, "t", id);
}

int bus_client_act(struct bus_client *client, const char *folder, uint64_t id,
		   const char *interface, const char *method)
{
	char path[96];

	snprintf(path, sizeof(path), BUS_PATH "/%s/%" PRIu64, folder, id);
	return client_ask(client, path, interface, method, NULL, "");
}

int bus_client_manage(struct bus_client *client, const char *method, const char *argument)
{
	return client_ask(client, BUS_PATH, BUS_INTERFACE, method, NULL, argument ? "s" : "",
			  argument);
}

int bus_client_decode(struct bus_client *client, const void *data, size_t len,
		      json_object **record_out)
{
	sd_bus_message *call;
	int r = client_method(client, BUS_PATH, BUS_INTERFACE, "Decode", &call);

	if (r < 0)
		return r;
	r = sd_bus_message_append_array(call, 'y', data, len);
	return client_send(client, call, r, record_out);
}

int bus_client_properties(struct bus_client *client, json_object **record_out)
{
	json_object *properties;
	int r = client_ask(client, BUS_PATH, "org.freedesktop.DBus.Properties", "GetAll",
			   &properties, "s", BUS_INTERFACE);

	if (r < 0)
		return r;
	*record_out = bus_json_from_properties(properties);
	json_object_put(properties);
	return 0;
}

static int on_signal(sd_bus_message *m, void *user, sd_bus_error *error)
{
	static const struct {
		const char *member, *what;
	} names[] = {{"Added", "added"}, {"Changed", "changed"}, {"Removed", "removed"}};
	struct bus_client *client = user;
	json_object *facts = NULL;
	const char *kind;
	uint64_t id;

	(void)error;
	if (sd_bus_message_is_signal(m, BUS_INTERFACE, "Lost") > 0 &&
	    sd_bus_message_read(m, "t", &id) > 0)
		client->on_signal(client->on_signal_user, "lost", "", id, NULL);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (sd_bus_message_is_signal(m, BUS_INTERFACE, names[i].member) <= 0)
			continue;
		if (sd_bus_message_read(m, "st", &kind, &id) > 0 && bus_json_read(m, &facts) >= 0)
			client->on_signal(client->on_signal_user, names[i].what, kind, id, facts);
		json_object_put(facts);
	}
	return 0;
}

int bus_client_subscribe(struct bus_client *client, bus_signal_fn fn, void *user)
{
	int r;

	client->on_signal = fn;
	client->on_signal_user = user;
	r = sd_bus_match_signal(client->bus, NULL, NULL, BUS_PATH, BUS_INTERFACE, NULL, on_signal,
				client);
	return r < 0 ? client_broken(client, r) : bus_client_manage(client, "Subscribe", NULL);
}

int bus_client_step(struct bus_client *client)
{
	int r = sd_bus_process(client->bus, NULL);

	if (r == 0)
		r = sd_bus_wait(client->bus, UINT64_MAX);
	if (r >= 0 || r == -EINTR)
		return 0;
	snprintf(client->error, sizeof(client->error),
		 "%s: the daemon ended or dropped the connection; see its log", client->path);
	return -ECONNRESET;
}

bool bus_name_matches(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, 0) == 0;
}

static int peer_is_up(struct bus_client *client)
{
	json_object *all = NULL, *peers;
	int r = bus_client_properties(client, &all);

	if (r < 0)
		return r;
	peers = json_object_object_get(all, "peers");
	for (size_t i = 0; peers && r == 0 && i < json_object_array_length(peers); i++) {
		json_object *peer = json_object_array_get_idx(peers, i);

		r = json_object_get_boolean(json_object_object_get(peer, "connected"));
	}
	json_object_put(all);
	return r;
}

int bus_client_wait_peer(struct bus_client *client, uint64_t deadline_ns)
{
	for (;;) {
		int r;

		client->changed = false;
		r = peer_is_up(client);
		if (r != 0)
			return r < 0 ? r : 0;
		while (!client->changed) {
			r = client_process(client, deadline_ns);
			if (r < 0)
				return r;
		}
	}
}
