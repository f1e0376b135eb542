/*
 * Peer-to-peer D-Bus with a daemon: finding its socket, calls, and the way from D-Bus values to
 * JSON ones. The socket is connected here and handed to sd-bus, so that a path with any character
 * in it works and a failure can be told per path. Owner: one command; single-threaded.
 */
#include "tools/doca-admin/bus_client.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

#define BUS_PATH       "/org/dococore"
#define BUS_INTERFACE  "org.dococore.Manager"
#define CALL_TIMEOUT_S 10
/* Nesting that a daemon may make us follow. */
#define MAX_DEPTH 8

struct bus_client {
	sd_bus *bus;
	char *path;
	char error[512];
	bool changed; /* a property of the daemon changed since it was last looked at */
};

/* The search: text of what was tried, and the paths that answered. */
struct search {
	char *tried;
	int fd;
	char *path;
	unsigned n_found;
};

static void search_note(struct search *s, const char *path, const char *what)
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

static int socket_connect(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd, r;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
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
		search_note(s, path, strerror(-fd));
		return;
	}
	search_note(s, path, "a daemon answers");
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

	/* Inside a lab the other side's socket is the one next to ours. */
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
	const char *env = getenv("DOCOCORED_BUS"), *runtime = getenv("XDG_RUNTIME_DIR");
	const char *side = target->side;

	if (target->socket) {
		search_path(s, target->socket);
		return;
	}
	if (target->dir) {
		search_dir(s, target->dir, "", side ? side : getenv("DOCA_SIDE"));
		return;
	}
	if (env && *env) {
		search_env(s, env, side);
		return;
	}
	if (!side)
		side = getenv("DOCA_SIDE");
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
	return sd_bus_start(client->bus);
}

static char *error_text(const struct search *s, unsigned n_found)
{
	char *text;
	const char *fmt = n_found > 1 ? "doca-admin: more than one daemon answers:\n%s"
					"Choose one with --side host|dpu or --socket PATH.\n"
				      : "doca-admin: no daemon answers. Tried:\n%s"
					"Start one with 'dococored --side host|dpu', or both "
					"sides with 'doca-admin lab up' and then\n"
					"'doca-admin lab exec --side host -- doca-admin ...'.\n";

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
		return s.n_found ? -ENOTUNIQ : -ENOENT;
	}
	client = calloc(1, sizeof(*client));
	if (!client || !s.path)
		return -ENOMEM;
	client->path = s.path;
	s.path = NULL;
	r = client_start(client, &s.fd);
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

static int value_read(sd_bus_message *m, unsigned depth, json_object **value_out);

/* Reads the entries of a{s?} into an object. */
static int dict_read(sd_bus_message *m, unsigned depth, json_object **value_out)
{
	json_object *object = json_object_new_object();
	int r = 0;

	if (!object)
		return -ENOMEM;
	while (r >= 0 && !sd_bus_message_at_end(m, false)) {
		json_object *value = NULL;
		const char *key = NULL;

		r = sd_bus_message_enter_container(m, SD_BUS_TYPE_DICT_ENTRY, NULL);
		if (r > 0)
			r = sd_bus_message_read_basic(m, SD_BUS_TYPE_STRING, &key);
		if (r > 0)
			r = value_read(m, depth + 1, &value);
		if (r >= 0 && key)
			json_object_object_add(object, key, value);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	if (r < 0) {
		json_object_put(object);
		return r;
	}
	*value_out = object;
	return 0;
}

static int array_read(sd_bus_message *m, unsigned depth, json_object **value_out)
{
	json_object *array = json_object_new_array();
	int r = 0;

	if (!array)
		return -ENOMEM;
	while (r >= 0 && !sd_bus_message_at_end(m, false)) {
		json_object *value = NULL;

		r = value_read(m, depth + 1, &value);
		if (r >= 0)
			json_object_array_add(array, value);
	}
	if (r < 0) {
		json_object_put(array);
		return r;
	}
	*value_out = array;
	return 0;
}

static int basic_read(sd_bus_message *m, char type, json_object **value_out)
{
	union {
		const char *s;
		uint8_t y;
		int b;
		int16_t n;
		uint16_t q;
		int32_t i;
		uint32_t u;
		int64_t x;
		uint64_t t;
		double d;
	} v = {0};
	int r;

	if (type == SD_BUS_TYPE_UNIX_FD)
		return -EBADMSG;
	r = sd_bus_message_read_basic(m, type, &v);
	if (r < 0)
		return r;
	switch (type) {
	case SD_BUS_TYPE_BYTE:
		*value_out = json_object_new_int(v.y);
		break;
	case SD_BUS_TYPE_BOOLEAN:
		*value_out = json_object_new_boolean(v.b);
		break;
	case SD_BUS_TYPE_INT16:
		*value_out = json_object_new_int(v.n);
		break;
	case SD_BUS_TYPE_UINT16:
		*value_out = json_object_new_int(v.q);
		break;
	case SD_BUS_TYPE_INT32:
		*value_out = json_object_new_int(v.i);
		break;
	case SD_BUS_TYPE_UINT32:
		*value_out = json_object_new_int64(v.u);
		break;
	case SD_BUS_TYPE_INT64:
		*value_out = json_object_new_int64(v.x);
		break;
	case SD_BUS_TYPE_UINT64:
		*value_out = json_object_new_uint64(v.t);
		break;
	case SD_BUS_TYPE_DOUBLE:
		*value_out = json_object_new_double(v.d);
		break;
	default:
		*value_out = json_object_new_string(v.s);
	}
	return 0;
}

static int value_read(sd_bus_message *m, unsigned depth, json_object **value_out)
{
	const char *contents;
	char type;
	int r = sd_bus_message_peek_type(m, &type, &contents);

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	if (depth > MAX_DEPTH)
		return -EBADMSG;
	if (type != SD_BUS_TYPE_VARIANT && type != SD_BUS_TYPE_ARRAY)
		return basic_read(m, type, value_out);
	r = sd_bus_message_enter_container(m, type, contents);
	if (r < 0)
		return r;
	if (type == SD_BUS_TYPE_VARIANT)
		r = value_read(m, depth + 1, value_out);
	else if (contents[0] == SD_BUS_TYPE_DICT_ENTRY_BEGIN)
		r = dict_read(m, depth, value_out);
	else
		r = array_read(m, depth, value_out);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

/* Sends, waits, reads the one value of the answer; consumes the message. */
static int client_call(struct bus_client *client, sd_bus_message *call, json_object **value_out)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	json_object *value = NULL;
	int r = sd_bus_call(client->bus, call, 0, &error, &reply);

	if (r >= 0)
		r = value_read(reply, 0, &value);
	if (r < 0)
		snprintf(client->error, sizeof(client->error), "%s: %s", client->path,
			 error.message ? error.message : strerror(-r));
	if (sd_bus_error_has_name(&error, "org.dococore.Error.NotFound"))
		r = -ENOENT;
	if (r >= 0)
		*value_out = value;
	sd_bus_error_free(&error);
	sd_bus_message_unref(reply);
	sd_bus_message_unref(call);
	return r < 0 ? r : 0;
}

static int client_method(struct bus_client *client, const char *interface, const char *method,
			 sd_bus_message **call_out)
{
	int r = sd_bus_message_new_method_call(client->bus, call_out, NULL, BUS_PATH, interface,
					       method);

	if (r < 0)
		snprintf(client->error, sizeof(client->error), "%s: %s", client->path,
			 strerror(-r));
	return r;
}

int bus_client_list(struct bus_client *client, const char *method, json_object **rows_out)
{
	sd_bus_message *call;
	int r = client_method(client, BUS_INTERFACE, method, &call);

	return r < 0 ? r : client_call(client, call, rows_out);
}

int bus_client_get(struct bus_client *client, const char *method, uint64_t id,
		   json_object **record_out)
{
	sd_bus_message *call;
	int r = client_method(client, BUS_INTERFACE, method, &call);

	if (r < 0)
		return r;
	r = sd_bus_message_append(call, "t", id);
	if (r < 0) {
		sd_bus_message_unref(call);
		return r;
	}
	return client_call(client, call, record_out);
}

int bus_client_properties(struct bus_client *client, json_object **record_out)
{
	sd_bus_message *call;
	int r = client_method(client, "org.freedesktop.DBus.Properties", "GetAll", &call);

	if (r < 0)
		return r;
	r = sd_bus_message_append(call, "s", BUS_INTERFACE);
	if (r < 0) {
		sd_bus_message_unref(call);
		return r;
	}
	return client_call(client, call, record_out);
}

static int peer_is_up(struct bus_client *client)
{
	json_object *all = NULL, *peers;
	int r = bus_client_properties(client, &all);

	if (r < 0)
		return r;
	peers = json_object_object_get(all, "Peers");
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
		uint64_t now;
		int r;

		client->changed = false;
		r = peer_is_up(client);
		if (r != 0)
			return r < 0 ? r : 0;
		while (!client->changed) {
			r = sd_bus_process(client->bus, NULL);
			if (r < 0)
				return r;
			if (r > 0)
				continue;
			now = clock_now_ns();
			if (now >= deadline_ns)
				return -ETIMEDOUT;
			r = sd_bus_wait(client->bus, (deadline_ns - now) / 1000 + 1);
			if (r < 0 && r != -EINTR)
				return r;
		}
	}
}
