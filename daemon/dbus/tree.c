/* The tree of D-Bus objects; see daemon/dbus/tree.h. */
#include "daemon/dbus/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/version.h"
#include "daemon/comch/channel.h"
#include "daemon/base/daemon.h"
#include "daemon/memory/memory.h"
#include "daemon/comch/comch.h"
#include "daemon/config/config.h"
#include "daemon/config/arguments.h"
#include "daemon/topology/topology.h"
#include "daemon/base/journal.h"
#include "daemon/dbus/bus.h"
#include "daemon/dbus/cursor.h"
#include "daemon/dbus/decode.h"
#include "daemon/dbus/properties.h"
#include "daemon/dbus/vtables.h"
#include "daemon/memory/export.h"
#include "daemon/session/counters.h"
#include "daemon/session/session.h"
#include "util/log.h"
#include "util/str.h"

#define ERROR_NOT_FOUND "org.dococore.Error.NotFound"
#define ERROR_REFUSED   "org.dococore.Error.Refused"
#define PROPERTIES      "org.freedesktop.DBus.Properties"
/* Limits for one answer: objects in it, and objects examined for it. */
#define PAGE_MAX 256u
#define SCAN_MAX 2048u

/* The object or manager that a path names. */
struct target {
	bool is_manager;
	enum object_kind kind;
	uint64_t id;
	const void *object;
};

void bus_tree_path(enum object_kind kind, uint64_t id, char out[BUS_PATH_LEN])
{
	snprintf(out, BUS_PATH_LEN, BUS_PATH "/%s/%" PRIu64, bus_nouns[kind].folder, id);
}

/* Accepts digits only: no sign, no leading zero. Returns 0 or -EINVAL. */
static int id_parse(const char *text, uint64_t *id_out)
{
	char *end;
	uint64_t id;

	if (*text < '0' || *text > '9' || (*text == '0' && text[1]))
		return -EINVAL;
	errno = 0;
	id = strtoull(text, &end, 10);
	if (errno || *end)
		return -EINVAL;
	*id_out = id;
	return 0;
}

/* Returns 0, -ENOENT for a valid path without an object, or -EINVAL for an invalid path. */
static int target_find(const struct daemon *daemon, const char *path, struct target *target_out)
{
	struct target target = {.is_manager = false};
	size_t len;

	if (strcmp(path, BUS_PATH) == 0) {
		*target_out = (struct target){.is_manager = true};
		return 0;
	}
	path += strlen(BUS_PATH "/");
	for (int kind = 0; kind < OBJECT_N_KINDS; kind++) {
		len = strlen(bus_nouns[kind].folder);
		if (strncmp(path, bus_nouns[kind].folder, len) != 0 || path[len] != '/')
			continue;
		target.kind = (enum object_kind)kind;
		if (id_parse(path + len + 1, &target.id) < 0)
			return -EINVAL;
		target.object = bus_view_find(daemon, target.kind, target.id);
		*target_out = target;
		return target.object ? 0 : -ENOENT;
	}
	return -EINVAL;
}

/* --- the manager --- */

static void manager_counts_fill(struct record *rec, const struct daemon *daemon)
{
	record_open_value(rec, "counts", "a{sv}");
	record_number(rec, "clients", daemon->sessions->n);
	record_number(rec, "exports", daemon->memory->n_exports);
	record_number(rec, "imports", daemon->memory->n_imports);
	record_number(rec, "services", daemon->comch->n_services);
	record_number(rec, "channels", daemon->comch->n_channels);
	record_close_value(rec);
}

static void manager_fill(struct record *rec, const struct daemon *daemon)
{
	char id[2 * sizeof(daemon->daemon_id) + 1], text[160];
	const struct {
		unsigned n;
		const char *what;
	} counts[] = {{daemon->sessions->n, "client"},
		      {daemon->memory->n_exports, "export"},
		      {daemon->memory->n_imports, "import"},
		      {daemon->comch->n_services, "service"},
		      {daemon->comch->n_channels, "channel"}};
	int len = snprintf(text, sizeof(text), "%s", daemon->stopping ? "stopping" : "running");

	str_hex(daemon->daemon_id, sizeof(daemon->daemon_id), id);
	/* Numbers have at most 10 digits each, so the text fits. */
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s %u %s%s", i ? "," : ":",
				counts[i].n, counts[i].what, counts[i].n == 1 ? "" : "s");
	record_begin(rec);
	record_text(rec, "side", side_name(daemon->options->side));
	record_text(rec, "version", daemon_version());
	record_text(rec, "daemon_id", id);
	record_number(rec, "pid", (uint64_t)getpid());
	record_number(rec, "uid", geteuid());
	record_number(rec, "started_at_ns", daemon->started_at_ns);
	record_text(rec, "socket", daemon->socket_path);
	record_text(rec, "config_file", daemon->config->file);
	record_text(rec, "profile", daemon->config->profile->name);
	record_text(rec, "log_level", log_level_name(log_get_level()));
	record_text(rec, "status", text);
	manager_counts_fill(rec, daemon);
	bus_fill_total(rec, daemon);
	bus_fill_policy(rec, daemon);
	record_open_value(rec, "peers", "aa{sv}");
	for (const void *at = bus_nouns[OBJECT_PEER].next(daemon, NULL); at;
	     at = bus_nouns[OBJECT_PEER].next(daemon, at))
		bus_nouns[OBJECT_PEER].fill(rec, at);
	record_close_value(rec);
	record_end(rec);
}

static void target_fill(const struct daemon *daemon, const struct target *target,
			struct record *rec)
{
	if (target->is_manager)
		manager_fill(rec, daemon);
	else
		bus_nouns[target->kind].fill(rec, target->object);
}

/* sd-bus calls this when it announces a changed property. */
int bus_tree_manager_property(sd_bus *connection, const char *path, const char *interface,
			      const char *property, sd_bus_message *reply, void *user,
			      sd_bus_error *error)
{
	struct record rec = {.m = reply, .only = property};

	(void)connection;
	(void)path;
	(void)interface;
	(void)error;
	manager_fill(&rec, user);
	return rec.r < 0 || rec.found ? rec.r : -ENOENT;
}

/* --- answers --- */

/* Creates a method return, which request_send() sends after it has been filled. */
static int request_answer(const struct bus_request *request, struct record *rec)
{
	return sd_bus_message_new_method_return(request->m, &rec->m);
}

static int request_send(const struct record *rec)
{
	return rec->r < 0 ? rec->r : sd_bus_send(NULL, rec->m, NULL);
}

static int request_not_found(sd_bus_error *error, enum object_kind kind, uint64_t id)
{
	return sd_bus_error_setf(error, ERROR_NOT_FOUND,
				 "there is no %s %" PRIu64 ": it has ended, or never was",
				 bus_nouns[kind].name, id);
}

/* --- lists --- */

struct filter {
	bool has_pid, has_uid;
	uint64_t pid, uid;
	const char *name, *device; /* in the message; NULL: any */
};

/* Matches '*' and '?' as a shell does, in time proportional to the product of the lengths. */
static bool glob_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool filter_matches(const struct filter *filter, enum object_kind kind, const void *object,
			   const struct bus_facts *facts)
{
	if (filter->has_pid && (!facts->has_owner || facts->pid != filter->pid))
		return false;
	if (filter->has_uid && (!facts->has_owner || facts->uid != filter->uid))
		return false;
	if (filter->name && !glob_matches(filter->name, facts->name))
		return false;
	return !filter->device || bus_view_is_of_device(kind, object, filter->device);
}

static int filter_read_entry(sd_bus_message *m, struct filter *filter, sd_bus_error *error)
{
	const char *key;
	int r = sd_bus_message_read_basic(m, 's', &key);

	if (r < 0)
		return r;
	if (strcmp(key, "pid") == 0) {
		filter->has_pid = true;
		return sd_bus_message_read(m, "v", "t", &filter->pid);
	}
	if (strcmp(key, "uid") == 0) {
		filter->has_uid = true;
		return sd_bus_message_read(m, "v", "t", &filter->uid);
	}
	if (strcmp(key, "name") == 0)
		return sd_bus_message_read(m, "v", "s", &filter->name);
	if (strcmp(key, "device") == 0)
		return sd_bus_message_read(m, "v", "s", &filter->device);
	return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
				 "'%.40s' is no filter; there are pid, uid (t), name, device (s)",
				 key);
}

static int filter_read(sd_bus_message *m, struct filter *filter_out, sd_bus_error *error)
{
	int r = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (r >= 0) {
		r = sd_bus_message_enter_container(m, 'e', "sv");
		if (r <= 0)
			break;
		r = filter_read_entry(m, filter_out, error);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

/* Returns the object after which a page begins; NULL: it begins with the first. */
static const void *page_begin(const struct daemon *daemon, enum object_kind kind, uint64_t after)
{
	const struct bus_noun *noun = &bus_nouns[kind];
	const void *before = NULL;

	if (after == 0 || bus_cursor_find(bus_get_cursors(daemon->bus), kind, after, &before))
		return before;
	/* Clients determine the number of counters, so the list is not walked. */
	if (kind == OBJECT_COUNTERS)
		return counters_upto(daemon, after);
	for (const void *at = noun->next(daemon, NULL); at; at = noun->next(daemon, at)) {
		struct bus_facts facts = {.name = "", .device = ""};

		noun->facts(at, &facts);
		if (facts.order > after)
			break;
		before = at;
	}
	return before;
}

/* Fills one page. Returns the order of the last object examined, or 0 at the end of the list. */
static uint64_t page_fill(const struct daemon *daemon, enum object_kind kind,
			  const struct filter *filter, uint64_t after, uint64_t max,
			  struct record *rec)
{
	const struct bus_noun *noun = &bus_nouns[kind];
	const void *last = page_begin(daemon, kind, after), *at;
	uint64_t n_found = 0, order = after;
	unsigned n_scanned = 0;

	for (at = noun->next(daemon, last); at && n_found < max && n_scanned < SCAN_MAX;
	     at = noun->next(daemon, at)) {
		struct bus_facts facts = {.name = "", .device = ""};

		noun->facts(at, &facts);
		last = at;
		order = facts.order;
		n_scanned++;
		if (!filter_matches(filter, kind, at, &facts))
			continue;
		noun->fill(rec, at);
		n_found++;
	}
	if (!at)
		return 0;
	if (noun->previous)
		bus_cursor_put(bus_get_cursors(daemon->bus), kind, order, last);
	return order;
}

static int run_list(struct bus_request *request, enum object_kind kind, sd_bus_error *error)
{
	struct filter filter = {.has_pid = false};
	struct record rec = {.m = NULL};
	uint64_t after, max, next;
	int r = filter_read(request->m, &filter, error);

	if (r >= 0)
		r = sd_bus_message_read(request->m, "tt", &after, &max);
	if (r >= 0)
		r = request_answer(request, &rec);
	if (r < 0)
		return r;
	max = max == 0 || max > PAGE_MAX ? PAGE_MAX : max;
	rec.r = sd_bus_message_open_container(rec.m, 'a', "a{sv}");
	next = page_fill(request->daemon, kind, &filter, after, max, &rec);
	if (rec.r >= 0)
		rec.r = sd_bus_message_close_container(rec.m);
	if (rec.r >= 0)
		rec.r = sd_bus_message_append_basic(rec.m, 't', &next);
	r = request_send(&rec);
	sd_bus_message_unref(rec.m);
	return r;
}

static int run_get(struct bus_request *request, enum object_kind kind, sd_bus_error *error)
{
	struct record rec = {.m = NULL};
	const void *object;
	uint64_t id;
	int r = sd_bus_message_read(request->m, "t", &id);

	if (r < 0)
		return r;
	object = bus_view_find(request->daemon, kind, id);
	if (!object)
		return request_not_found(error, kind, id);
	r = request_answer(request, &rec);
	if (r < 0)
		return r;
	bus_nouns[kind].fill(&rec, object);
	r = request_send(&rec);
	sd_bus_message_unref(rec.m);
	return r;
}

/* --- methods that change something --- */

static int answer_done(const struct bus_request *request)
{
	return sd_bus_reply_method_return(request->m, NULL);
}

static int run_revoke(struct bus_request *request, const struct target *target, sd_bus_error *error)
{
	(void)error;
	log_info("pid %d: revoke export %" PRIu64, (int)request->caller->pid, target->id);
	export_revoke(request->daemon, target->id);
	return answer_done(request);
}

static int run_disconnect(struct bus_request *request, const struct target *target,
			  sd_bus_error *error)
{
	(void)error;
	log_info("pid %d: disconnect channel %" PRIu64, (int)request->caller->pid, target->id);
	channel_disconnect(request->daemon, target->id);
	return answer_done(request);
}

static int run_drop(struct bus_request *request, const struct target *target, sd_bus_error *error)
{
	struct session *session = (struct session *)target->object;

	(void)error;
	session_kill(session, "uid %u dropped it as administrator", (unsigned)request->caller->uid);
	return answer_done(request);
}

static int run_reload(struct bus_request *request, const struct target *target, sd_bus_error *error)
{
	(void)target;
	log_info("pid %d: reload", (int)request->caller->pid);
	if (request->daemon->reload(request->daemon) < 0)
		return sd_bus_error_setf(error, ERROR_REFUSED,
					 "the new configuration is refused, the old one stays: %s",
					 request->daemon->reload_error);
	return answer_done(request);
}

static int run_set_log_level(struct bus_request *request, const struct target *target,
			     sd_bus_error *error)
{
	enum log_level level;
	const char *name;
	int r = sd_bus_message_read(request->m, "s", &name);

	(void)target;
	if (r < 0)
		return r;
	if (log_level_parse(name, &level) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "'%.40s' is no log level; there are error, warning, info "
					 "and debug",
					 name);
	log_set_level(level);
	log_info("pid %d: log level %s", (int)request->caller->pid, name);
	return answer_done(request);
}

/* --- methods that only read --- */

static int run_subscribe(struct bus_request *request, const struct target *target,
			 sd_bus_error *error)
{
	bool on = strcmp(sd_bus_message_get_member(request->m), "Subscribe") == 0;
	int r;

	(void)target;
	r = request->subscribe(request->port, request->m, on);
	if (r == -EDQUOT)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					"too many have subscribed already");
	return r < 0 ? r : answer_done(request);
}

static int run_decode(struct bus_request *request, const struct target *target, sd_bus_error *error)
{
	struct record rec = {.m = NULL};
	const void *data;
	size_t len;
	int r = sd_bus_message_read_array(request->m, 'y', &data, &len);

	(void)target;
	(void)error;
	if (r >= 0)
		r = request_answer(request, &rec);
	if (r < 0)
		return r;
	bus_decode_fill(&rec, request->daemon, data, len);
	r = request_send(&rec);
	sd_bus_message_unref(rec.m);
	return r;
}

static const struct method {
	const char *interface, *member, *in;
	bool changes;
	int (*run)(struct bus_request *request, const struct target *target, sd_bus_error *error);
} methods[] = {
	{BUS_INTERFACE, "Reload", "", true, run_reload},
	{BUS_INTERFACE, "SetLogLevel", "s", true, run_set_log_level},
	{BUS_INTERFACE, "Subscribe", "", false, run_subscribe},
	{BUS_INTERFACE, "Unsubscribe", "", false, run_subscribe},
	{BUS_INTERFACE, "Decode", "ay", false, run_decode},
	{"org.dococore.Export", "Revoke", "", true, run_revoke},
	{"org.dococore.SyncEvent", "Revoke", "", true, run_revoke},
	{"org.dococore.Channel", "Disconnect", "", true, run_disconnect},
	{"org.dococore.Client", "Drop", "", true, run_drop},
};

/* --- properties --- */

static const char *target_interface(const struct target *target)
{
	return target->is_manager ? BUS_INTERFACE : bus_nouns[target->kind].interface;
}

static int properties_get(struct bus_request *request, const struct target *target,
			  const char *interface, sd_bus_error *error)
{
	const sd_bus_vtable *vtable = bus_vtable_of(target->is_manager, target->kind);
	struct record rec = {.m = NULL};
	const char *signature;
	int r = sd_bus_message_read(request->m, "s", &rec.only);

	if (r < 0)
		return r;
	signature = bus_vtable_signature(vtable, rec.only);
	if (!signature)
		return sd_bus_error_setf(error, SD_BUS_ERROR_UNKNOWN_PROPERTY,
					 "%s has no property '%.60s'", interface, rec.only);
	r = request_answer(request, &rec);
	if (r < 0)
		return r;
	rec.r = sd_bus_message_open_container(rec.m, 'v', signature);
	target_fill(request->daemon, target, &rec);
	if (rec.r >= 0)
		rec.r = sd_bus_message_close_container(rec.m);
	r = request_send(&rec);
	sd_bus_message_unref(rec.m);
	return r;
}

static int properties_get_all(struct bus_request *request, const struct target *target)
{
	struct record rec = {.as_properties = true};
	int r = request_answer(request, &rec);

	if (r < 0)
		return r;
	target_fill(request->daemon, target, &rec);
	r = request_send(&rec);
	sd_bus_message_unref(rec.m);
	return r;
}

static int properties_run(struct bus_request *request, const struct target *target,
			  sd_bus_error *error)
{
	const char *member = sd_bus_message_get_member(request->m), *interface;
	bool get = strcmp(member, "Get") == 0, all = strcmp(member, "GetAll") == 0;
	int r;

	if (strcmp(member, "Set") == 0)
		return sd_bus_error_set(error, SD_BUS_ERROR_PROPERTY_READ_ONLY,
					"properties are read only; methods change things");
	if (!sd_bus_message_has_signature(request->m, get ? "ss" : "s") || (!get && !all))
		return sd_bus_error_set(error, SD_BUS_ERROR_UNKNOWN_METHOD, "no such method");
	r = sd_bus_message_read(request->m, "s", &interface);
	if (r < 0)
		return r;
	if (*interface && strcmp(interface, target_interface(target)) != 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_UNKNOWN_INTERFACE,
					 "this object has the interface %s",
					 target_interface(target));
	return get ? properties_get(request, target, target_interface(target), error)
		   : properties_get_all(request, target);
}

/* --- requests --- */

bool bus_tree_is_for(sd_bus_message *m)
{
	const char *path = sd_bus_message_get_path(m);
	const char *interface = sd_bus_message_get_interface(m);

	if (!sd_bus_message_is_method_call(m, NULL, NULL) || !path ||
	    strncmp(path, BUS_PATH, strlen(BUS_PATH)) != 0)
		return false;
	if (path[strlen(BUS_PATH)] && path[strlen(BUS_PATH)] != '/')
		return false;
	/* sd-bus answers requests that are not about the daemon. */
	return !interface || (strcmp(interface, "org.freedesktop.DBus.Peer") != 0 &&
			      strcmp(interface, "org.freedesktop.DBus.Introspectable") != 0);
}

static int check_rights(const struct bus_request *request, bool change, sd_bus_error *error)
{
	char text[400];

	if (change ? bus_may_change(request->daemon, request->caller)
		   : bus_may_read(request->daemon, request->caller))
		return 0;
	bus_auth_refusal(request->daemon, request->caller, change, text, sizeof(text));
	log_warning("pid %d, %s.%s on %s: %s", (int)request->caller->pid,
		    sd_bus_message_get_interface(request->m) ?: "?",
		    sd_bus_message_get_member(request->m), sd_bus_message_get_path(request->m),
		    text);
	return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, text);
}

static const struct method *method_find(const char *interface, const char *member,
					const char *of_target)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if (strcmp(methods[i].member, member) == 0 &&
		    strcmp(methods[i].interface, of_target) == 0 &&
		    (!interface || strcmp(interface, of_target) == 0))
			return &methods[i];
	return NULL;
}

static int wrong_arguments(const struct bus_request *request, const char *in, sd_bus_error *error)
{
	return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
				 "%s takes arguments of type '%s', not '%s'",
				 sd_bus_message_get_member(request->m), in,
				 sd_bus_message_get_signature(request->m, 1));
}

/* Handles List... and Get... of the manager. Returns -ENOSYS if the member is neither. */
static int manager_run(struct bus_request *request, const char *member, sd_bus_error *error)
{
	for (int kind = 0; kind < OBJECT_N_KINDS; kind++) {
		bool list = strcmp(member, bus_nouns[kind].list) == 0;
		const char *in = list ? "a{sv}tt" : "t";

		if (!list && strcmp(member, bus_nouns[kind].get) != 0)
			continue;
		if (!sd_bus_message_has_signature(request->m, in))
			return wrong_arguments(request, in, error);
		return list ? run_list(request, (enum object_kind)kind, error)
			    : run_get(request, (enum object_kind)kind, error);
	}
	return -ENOSYS;
}

static int request_run(struct bus_request *request, sd_bus_error *error)
{
	const char *path = sd_bus_message_get_path(request->m);
	const char *interface = sd_bus_message_get_interface(request->m);
	const char *member = sd_bus_message_get_member(request->m);
	const struct method *method;
	struct target target = {.is_manager = false};
	int r = check_rights(request, false, error), found;

	if (r < 0)
		return r;
	found = target_find(request->daemon, path, &target);
	if (found == -EINVAL)
		return sd_bus_error_setf(error, SD_BUS_ERROR_UNKNOWN_OBJECT,
					 "there is nothing at %s", path);
	method = method_find(interface, member, target_interface(&target));
	/* A caller without the right must not learn whether the object exists. */
	if (method && method->changes) {
		r = check_rights(request, true, error);
		if (r < 0)
			return r;
	}
	if (found < 0)
		return request_not_found(error, target.kind, target.id);
	if (interface && strcmp(interface, PROPERTIES) == 0)
		return properties_run(request, &target, error);
	if (method && !sd_bus_message_has_signature(request->m, method->in))
		return wrong_arguments(request, method->in, error);
	if (method)
		return method->run(request, &target, error);
	if (target.is_manager && (!interface || strcmp(interface, BUS_INTERFACE) == 0)) {
		r = manager_run(request, member, error);
		if (r != -ENOSYS)
			return r;
	}
	return sd_bus_error_setf(error, SD_BUS_ERROR_UNKNOWN_METHOD, "%s has no method '%.60s'",
				 target_interface(&target), member);
}

int bus_tree_handle(struct bus_request *request)
{
	struct journal_subject before = bus_caller_enter_journal(request->caller);
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int r = request_run(request, &error);

	journal_leave(&before);
	if (r >= 0)
		return 0;
	/* The connection itself is valid: the caller gets an error about its request. */
	if (sd_bus_error_is_set(&error))
		r = sd_bus_reply_method_error(request->m, &error);
	else
		r = sd_bus_reply_method_errno(request->m, r, NULL);
	/*
	 * Text quoted from the request may have been truncated inside a character, which a message
	 * cannot contain.
	 */
	if (r == -EINVAL)
		r = sd_bus_reply_method_errno(request->m, r, NULL);
	sd_bus_error_free(&error);
	return r < 0 ? r : 0;
}

/* --- introspection --- */

static int on_find(sd_bus *connection, const char *path, const char *interface, void *user,
		   void **found_out, sd_bus_error *error)
{
	struct target target = {.is_manager = false};

	(void)connection;
	(void)interface;
	(void)error;
	if (target_find(user, path, &target) < 0 || target.is_manager)
		return 0;
	*found_out = (void *)target.object;
	return 1;
}

static int bus_tree_add_noun(sd_bus *connection, struct daemon *daemon, enum object_kind kind)
{
	char prefix[BUS_PATH_LEN];

	snprintf(prefix, sizeof(prefix), BUS_PATH "/%s", bus_nouns[kind].folder);
	return sd_bus_add_fallback_vtable(connection, NULL, prefix, bus_nouns[kind].interface,
					  bus_vtable_of(false, kind), on_find, daemon);
}

int bus_tree_add(sd_bus *connection, struct daemon *daemon)
{
	int r = sd_bus_add_object_vtable(connection, NULL, BUS_PATH, BUS_INTERFACE,
					 bus_vtable_of(true, OBJECT_DEVICE), daemon);

	for (int kind = 0; kind < OBJECT_N_KINDS && r >= 0; kind++)
		r = bus_tree_add_noun(connection, daemon, (enum object_kind)kind);
	return r;
}
