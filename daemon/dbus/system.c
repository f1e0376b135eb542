/* The system bus; see daemon/dbus/system.h. */
#include "daemon/dbus/system.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/config/arguments.h"
#include "daemon/topology/topology.h"
#include "daemon/base/loop.h"
#include "daemon/base/journal.h"
#include "daemon/dbus/event_log.h"
#include "daemon/dbus/io.h"
#include "daemon/dbus/tree.h"
#include "util/clock.h"
#include "util/list.h"
#include "util/log.h"
#include "util/str.h"

#define DEFAULT_ADDRESS "unix:path=/run/dbus/system_bus_socket"
#define RETRY_MIN_NS    (200 * NS_PER_MS)
#define RETRY_MAX_NS    (30 * NS_PER_SEC)
#define STEP_MAX        16
#define SIGNALS_MAX     32
/* Limits: deferred requests in all, deferred requests of one sender, bytes of a request, and
 * subscribers. */
#define MAX_DEFERRED    64
#define MAX_OF_SENDER   4
#define MAX_REQUEST_LEN 65536u
#define MAX_SUBSCRIBERS 8
#define NAME_LEN        64
/* How many users' groups are remembered, and for how long. */
#define MAX_USERS      8
#define USER_VALID_NS  (5 * NS_PER_SEC)
#define ASK_TIMEOUT_US 5000000ull
#define DEPARTURES                                                                      \
	"type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus'," \
	"member='NameOwnerChanged',arg2=''"

/* A request that waits until the bus has reported the identity of its sender. */
struct deferred_request {
	struct list link; /* system->deferred */
	struct bus_system *system;
	sd_bus_message *m;
	sd_bus_slot *question; /* to the bus; NULL: it was answered */
	struct bus_caller caller;
	bool is_gone; /* the sender has left the bus */
};

struct listener_on_bus {
	char name[NAME_LEN]; /* a unique name, which the bus never reuses; "" when free */
	struct bus_subscriber subscriber;
	struct bus_caller caller;
};

/* The groups of a user, as the system's user database listed them. */
struct user_groups {
	struct bus_caller caller;
	uint64_t until_ns; /* CLOCK_MONOTONIC; 0: free */
};

struct bus_system {
	struct daemon *daemon;
	struct event_log *log;
	char name[32];
	sd_bus *connection;
	struct bus_io io;
	struct loop_source *retry;
	uint64_t retry_ns;
	char logged_reason[160];  /* reason for the absence, as last logged */
	struct bus_caller caller; /* of the present request */
	struct list deferred;     /* struct deferred_request, link */
	unsigned n_deferred;
	struct listener_on_bus listeners[MAX_SUBSCRIBERS];
	struct user_groups users[MAX_USERS];
	unsigned next_user; /* place of the next user, modulo MAX_USERS */
	struct bus_tree tree;
};

static struct deferred_request *deferred_free(struct deferred_request *deferred)
{
	list_remove(&deferred->link);
	deferred->system->n_deferred--;
	sd_bus_slot_unref(deferred->question);
	sd_bus_message_unref(deferred->m);
	free(deferred);
	return NULL;
}

static void listener_drop(struct bus_system *system, struct listener_on_bus *listener)
{
	event_log_unsubscribe(system->log, &listener->subscriber);
	listener->name[0] = '\0';
}

static void system_disconnect(struct bus_system *system)
{
	struct deferred_request *deferred, *tmp;

	list_for_each_safe(deferred, tmp, &system->deferred, link) deferred_free(deferred);
	for (size_t i = 0; i < MAX_SUBSCRIBERS; i++)
		listener_drop(system, &system->listeners[i]);
	bus_io_deinit(&system->io);
	if (system->connection) {
		sd_bus_close(system->connection);
		sd_bus_unref(system->connection);
	}
	system->connection = NULL;
}

/* Must not be called in a handler of the connection. */
static void system_disconnected(struct bus_system *system, const char *why)
{
	if (strcmp(system->logged_reason, why) != 0)
		log_info("system bus: %s is not there: %s", system->name, why);
	str_copy(system->logged_reason, sizeof(system->logged_reason), why);
	system_disconnect(system);
	loop_timer_set(system->retry, system->retry_ns);
	system->retry_ns = MIN(system->retry_ns * 2, RETRY_MAX_NS);
}

static void system_step(void *user)
{
	struct bus_system *system = user;
	int r = 1;

	for (int i = 0; r > 0 && i < STEP_MAX; i++) {
		struct journal_subject before =
			journal_enter(&(struct journal_subject){.has_uid = false});

		r = sd_bus_process(system->connection, NULL);
		bus_tree_leave(&system->tree);
		journal_leave(&before);
		if (r >= 0 && sd_bus_is_open(system->connection) <= 0)
			r = -ECONNRESET;
	}
	if (r >= 0)
		r = bus_io_arm(&system->io);
	if (r < 0)
		system_disconnected(system, strerror(-r));
}

/* --- identity of callers --- */

/*
 * Reads the groups of a user from the system's user database. May block while a name service is
 * asked. Groups beyond the limit do not count.
 */
static void caller_find_groups(struct bus_caller *caller)
{
	const struct passwd *user = getpwuid(caller->uid);
	int n = BUS_MAX_GROUPS;

	caller->lacks_groups = false;
	if (!user)
		return;
	caller->gid = user->pw_gid;
	if (getgrouplist(user->pw_name, user->pw_gid, caller->groups, &n) > 0)
		caller->n_groups = (size_t)n;
}

/*
 * Adds the groups of the user if the bus did not report groups and the configuration makes them
 * matter. They are remembered for some seconds, so that a caller cannot keep the daemon waiting for
 * the user database.
 */
static void system_complete_caller(struct bus_system *system, struct bus_caller *caller)
{
	uint64_t now_ns = clock_now_ns();
	struct user_groups *user;
	pid_t pid = caller->pid;

	if (!bus_needs_groups(system->daemon, caller))
		return;
	for (size_t i = 0; i < MAX_USERS; i++) {
		user = &system->users[i];
		if (user->until_ns <= now_ns || user->caller.uid != caller->uid)
			continue;
		*caller = user->caller;
		caller->pid = pid;
		return;
	}
	caller_find_groups(caller);
	user = &system->users[system->next_user++ % MAX_USERS];
	*user = (struct user_groups){.caller = *caller, .until_ns = clock_now_ns() + USER_VALID_NS};
}

static int caller_read_groups(sd_bus_message *m, struct bus_caller *caller)
{
	const void *data;
	size_t len;
	int r = sd_bus_message_enter_container(m, 'v', "au");

	if (r < 0)
		return r;
	r = sd_bus_message_read_array(m, 'u', &data, &len);
	if (r < 0)
		return r;
	len /= sizeof(uint32_t);
	for (size_t i = 0; i < len && len <= BUS_MAX_GROUPS; i++)
		caller->groups[caller->n_groups++] = ((const uint32_t *)data)[i];
	return sd_bus_message_exit_container(m);
}

/*
 * Reads the dictionary of GetConnectionCredentials. Returns 0, or -errno; without a uid the caller
 * is rejected.
 */
static int caller_read(sd_bus_message *m, struct bus_caller *caller_out)
{
	/* gid is unset: the bus lists the primary group among the groups. */
	struct bus_caller caller = {.gid = (gid_t)-1, .lacks_groups = true};
	bool has_uid = false;
	uint32_t n;
	int r = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (r >= 0) {
		const char *key;

		r = sd_bus_message_enter_container(m, 'e', "sv");
		if (r <= 0)
			break;
		r = sd_bus_message_read_basic(m, 's', &key);
		if (r < 0)
			break;
		if (strcmp(key, "UnixUserID") == 0) {
			r = sd_bus_message_read(m, "v", "u", &n);
			caller.uid = n;
			has_uid = r >= 0;
		} else if (strcmp(key, "ProcessID") == 0) {
			r = sd_bus_message_read(m, "v", "u", &n);
			caller.pid = (pid_t)n;
		} else if (strcmp(key, "UnixGroupIDs") == 0) {
			r = caller_read_groups(m, &caller);
			caller.lacks_groups = false;
		} else {
			r = sd_bus_message_skip(m, "v");
		}
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	if (r < 0 || !has_uid)
		return r < 0 ? r : -EACCES;
	*caller_out = caller;
	return 0;
}

/* --- subscribers --- */

static struct listener_on_bus *listener_find(struct bus_system *system, const char *name)
{
	for (size_t i = 0; i < MAX_SUBSCRIBERS; i++)
		if (strcmp(system->listeners[i].name, name) == 0)
			return &system->listeners[i];
	return NULL;
}

/*
 * Called when a connection of the bus has ended. Its waiting requests are dropped when their turn
 * comes; otherwise a subscription would never end.
 */
static int on_departure(sd_bus_message *m, void *user, sd_bus_error *error)
{
	struct bus_system *system = user;
	struct deferred_request *deferred;
	struct listener_on_bus *listener;
	const char *name;

	(void)error;
	if (sd_bus_message_read_basic(m, 's', &name) <= 0 || !*name)
		return 0;
	listener = listener_find(system, name);
	if (listener)
		listener_drop(system, listener);
	list_for_each(deferred, &system->deferred, link)
	{
		if (strcmp(sd_bus_message_get_sender(deferred->m), name) == 0)
			deferred->is_gone = true;
	}
	return 0;
}

static int system_subscribe(void *port, sd_bus_message *m, bool on)
{
	struct bus_system *system = port;
	const char *name = sd_bus_message_get_sender(m);
	struct listener_on_bus *listener = listener_find(system, name);
	int r;

	if (listener && !on)
		listener_drop(system, listener);
	if (listener || !on)
		return 0;
	listener = listener_find(system, "");
	if (!listener)
		return -EDQUOT;
	r = event_log_subscribe(system->log, &listener->subscriber);
	if (r < 0)
		return r;
	listener->caller = *system->tree.caller;
	return str_copy(listener->name, sizeof(listener->name), name);
}

/* --- requests --- */

/*
 * Called when the bus has said who the sender is. Puts the request back into the queue. The
 * struct is freed when the request passes the filter again.
 */
static int on_credentials(sd_bus_message *m, void *user, sd_bus_error *error)
{
	struct deferred_request *deferred = user;
	int r = -EACCES;

	(void)error;
	deferred->question = sd_bus_slot_unref(deferred->question);
	if (!sd_bus_message_is_method_error(m, NULL))
		r = caller_read(m, &deferred->caller);
	if (r >= 0)
		r = sd_bus_enqueue_for_read(deferred->system->connection, deferred->m);
	if (r >= 0)
		return 0;
	sd_bus_reply_method_errorf(deferred->m, SD_BUS_ERROR_ACCESS_DENIED,
				   "the bus does not say who %s is",
				   sd_bus_message_get_sender(deferred->m));
	deferred_free(deferred);
	return 0;
}

/* Adds the length of the next value, which must not be a container, and skips it. */
static int value_measure(sd_bus_message *m, char type, size_t *len)
{
	const char *text;
	int r;

	if (type != 's' && type != 'o' && type != 'g') {
		*len += sizeof(uint64_t);
		return sd_bus_message_skip(m, (const char[]){type, '\0'});
	}
	r = sd_bus_message_read_basic(m, type, &text);
	if (r > 0)
		*len += sizeof(uint64_t) + strlen(text);
	return r;
}

/*
 * Enters the next container. Skips an array of bytes as a whole, because each of them would count
 * as much as a number.
 */
static int container_measure(sd_bus_message *m, char type, const char *contents, size_t *len,
			     unsigned *depth)
{
	const void *data;
	size_t data_len = 0;
	int r;

	*len += sizeof(uint64_t);
	if (type == 'a' && strcmp(contents, "y") == 0) {
		r = sd_bus_message_read_array(m, 'y', &data, &data_len);
		*len += data_len;
		return r;
	}
	r = sd_bus_message_enter_container(m, type, contents);
	*depth += r > 0;
	return r;
}

/*
 * Returns 0, or -errno if the request is malformed or longer than a request may be. sd-bus does not
 * report the length of a message, so this adds up its values, until they are too long.
 */
static int request_measure(sd_bus_message *m)
{
	size_t len = strlen(sd_bus_message_get_path(m));
	unsigned depth = 0;
	int r = 0;

	while (r >= 0 && len <= MAX_REQUEST_LEN) {
		const char *contents;
		char type;

		r = sd_bus_message_peek_type(m, &type, &contents);
		if (r == 0 && depth == 0)
			break;
		if (r == 0) {
			depth--;
			r = sd_bus_message_exit_container(m);
		} else if (r > 0 && contents) {
			r = container_measure(m, type, contents, &len, &depth);
		} else if (r > 0) {
			r = value_measure(m, type, &len);
		}
	}
	if (r < 0)
		return r;
	r = sd_bus_message_rewind(m, 1);
	return len > MAX_REQUEST_LEN ? -EMSGSIZE : MIN(r, 0);
}

/* Returns 0, or a negative errno with the error for the sender if a limit is reached. */
static int system_check_limits(const struct bus_system *system, sd_bus_message *m,
			       sd_bus_error *error)
{
	const struct deferred_request *deferred;
	unsigned n = 0;
	int r;

	list_for_each(deferred, &system->deferred, link) n +=
		strcmp(sd_bus_message_get_sender(deferred->m), sd_bus_message_get_sender(m)) == 0;
	if (n >= MAX_OF_SENDER)
		return sd_bus_error_setf(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					 "%u requests of this sender are waiting: wait for an "
					 "answer, then try again",
					 n);
	if (system->n_deferred == MAX_DEFERRED)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					"too many requests are waiting: try again");
	r = request_measure(m);
	if (r == -EMSGSIZE)
		return sd_bus_error_setf(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					 "the request is longer than %u bytes: shorten it",
					 MAX_REQUEST_LEN);
	return r;
}

/*
 * Defers the request until the bus has said who the sender is. The bus answers in the order of the
 * questions, so requests keep their order. Returns 1, or a negative errno that refuses the request.
 * Never returns 0, as sd_bus_reply_method_errorf() does if no reply is expected: sd-bus would
 * dispatch the request without a check of the sender's rights.
 */
static int system_defer(struct bus_system *system, sd_bus_message *m, sd_bus_error *error)
{
	struct deferred_request *deferred;
	sd_bus_message *ask = NULL;
	int r = system_check_limits(system, m, error);

	if (r < 0)
		return r;
	deferred = calloc(1, sizeof(*deferred));
	if (!deferred)
		return -ENOMEM;
	deferred->system = system;
	deferred->m = sd_bus_message_ref(m);
	list_append(&system->deferred, &deferred->link);
	system->n_deferred++;
	r = sd_bus_message_new_method_call(system->connection, &ask, "org.freedesktop.DBus",
					   "/org/freedesktop/DBus", "org.freedesktop.DBus",
					   "GetConnectionCredentials");
	if (r >= 0)
		r = sd_bus_message_append(ask, "s", sd_bus_message_get_sender(m));
	if (r >= 0)
		r = sd_bus_call_async(system->connection, &deferred->question, ask, on_credentials,
				      deferred, ASK_TIMEOUT_US);
	sd_bus_message_unref(ask);
	if (r < 0)
		deferred_free(deferred);
	return r < 0 ? r : 1;
}

static int system_on_message(sd_bus_message *m, void *user, sd_bus_error *error)
{
	struct bus_system *system = user;
	const char *sender = sd_bus_message_get_sender(m);
	struct deferred_request *deferred;
	bool is_gone;

	if (!bus_tree_is_for(m))
		return 0;
	if (!sender || strlen(sender) >= NAME_LEN)
		return sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED,
					 "the request has no sender, or one whose name is longer "
					 "than %d bytes: send it through a message bus",
					 NAME_LEN - 1);
	list_for_each(deferred, &system->deferred, link)
	{
		if (deferred->m != m)
			continue;
		system->caller = deferred->caller;
		is_gone = deferred->is_gone;
		deferred_free(deferred);
		if (is_gone)
			return 1;
		system_complete_caller(system, &system->caller);
		/* The step leaves the scope after the dispatch. */
		bus_caller_enter_journal(&system->caller);
		return bus_tree_check(&system->tree, m, &system->caller, error);
	}
	return system_defer(system, m, error);
}

/* --- presence on the bus --- */

static int on_name(sd_bus_message *m, void *user, sd_bus_error *error)
{
	struct bus_system *system = user;
	const sd_bus_error *refused = sd_bus_message_get_error(m);
	uint32_t how = 0;

	(void)error;
	if (refused) {
		log_warning("system bus: the name %s is refused: %s; is the bus' policy "
			    "org.dococore.conf installed?",
			    system->name, refused->message);
		return 0;
	}
	sd_bus_message_read(m, "u", &how);
	if (how == 2)
		log_warning("system bus: another process has the name %s; waiting for it",
			    system->name);
	else
		log_info("system bus: served as %s", system->name);
	system->retry_ns = RETRY_MIN_NS;
	system->logged_reason[0] = '\0';
	return 0;
}

static int system_connect(struct bus_system *system)
{
	const char *address = getenv("DBUS_SYSTEM_BUS_ADDRESS");
	int r = sd_bus_new(&system->connection);

	if (r >= 0)
		r = sd_bus_set_address(system->connection,
				       address && *address ? address : DEFAULT_ADDRESS);
	if (r >= 0)
		r = sd_bus_set_bus_client(system->connection, 1);
	if (r >= 0)
		r = sd_bus_negotiate_fds(system->connection, 0);
	if (r >= 0)
		r = sd_bus_add_filter(system->connection, NULL, system_on_message, system);
	if (r >= 0)
		r = bus_tree_add(&system->tree, system->connection);
	if (r >= 0)
		r = sd_bus_start(system->connection);
	if (r >= 0)
		r = sd_bus_add_match_async(system->connection, NULL, DEPARTURES, on_departure, NULL,
					   system);
	if (r >= 0)
		r = sd_bus_request_name_async(system->connection, NULL, system->name,
					      SD_BUS_NAME_QUEUE, on_name, system);
	return r < 0 ? r
		     : bus_io_init(&system->io, system->daemon->loop, system->connection,
				   system_step, system);
}

static void system_on_retry(void *user)
{
	struct bus_system *system = user;
	int r = system_connect(system);

	if (r < 0)
		system_disconnected(system, strerror(-r));
}

int bus_system_new(struct daemon *daemon, struct event_log *log, struct bus_marks *marks,
		   struct bus_system **system_out)
{
	struct bus_system *system = calloc(1, sizeof(*system));

	if (!system)
		return -ENOMEM;
	system->daemon = daemon;
	system->log = log;
	system->retry_ns = RETRY_MIN_NS;
	list_init(&system->deferred);
	system->tree = (struct bus_tree){
		.daemon = daemon, .subscribe = system_subscribe, .port = system, .marks = marks};
	snprintf(system->name, sizeof(system->name), "org.dococore.%s",
		 side_name(daemon->options->side));
	system->retry = loop_timer_new(daemon->loop, system_on_retry, system);
	if (!system->retry || loop_timer_set(system->retry, 0) < 0) {
		bus_system_free(system);
		return -ENOMEM;
	}
	*system_out = system;
	return 0;
}

struct bus_system *bus_system_free(struct bus_system *system)
{
	if (!system)
		return NULL;
	system_disconnect(system);
	loop_source_free(system->retry);
	free(system);
	return NULL;
}

void bus_system_recheck_rights(struct bus_system *system)
{
	for (size_t i = 0; system && i < MAX_SUBSCRIBERS; i++) {
		struct listener_on_bus *listener = &system->listeners[i];

		if (!*listener->name)
			continue;
		/* The new configuration may make groups matter that did not matter before. */
		system_complete_caller(system, &listener->caller);
		if (bus_has_lost_access(system->daemon, &listener->caller, "system bus"))
			listener_drop(system, listener);
	}
}

bool bus_system_notify(struct bus_system *system)
{
	uint64_t n_queued;
	bool more = false;

	if (!system || !system->connection ||
	    sd_bus_get_n_queued_write(system->connection, &n_queued) < 0 || n_queued > 0)
		return false;
	for (size_t i = 0; i < MAX_SUBSCRIBERS; i++) {
		struct listener_on_bus *listener = &system->listeners[i];
		int r = event_log_emit(system->log, &listener->subscriber, system->daemon,
				       system->connection, listener->name, SIGNALS_MAX);

		more |= r > 0;
	}
	/* If the connection has failed, its next step learns the reason. */
	if (bus_io_arm(&system->io) < 0)
		loop_timer_set(system->io.timer, 0);
	return more;
}
