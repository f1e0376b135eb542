/* The daemon on a system bus: a private dbus-daemon that starts, ends and starts again. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "daemon/base/daemon.h"
#include "daemon/config/config.h"
#include "daemon/dbus/auth.h"
#include "tests/unit/daemon/comch/consumer_ends.h"
#include "util/clock.h"

#define SERVICE "org.dococore.host"
#define MANAGER "org.dococore.Manager"
#define ROOT    "/org/dococore"
#define DENIED  "org.freedesktop.DBus.Error.AccessDenied"
/* Users that every system has, because a bus accepts no others. */
#define READER  1u
#define CHANGER 2u
#define NOBODY  65534u
#define MEMBER  40003u /* a group */

static const char config_text[] = "[daemon]\n"
				  "system_bus = yes\n"
				  "admin_read = user 1, group 40003\n"
				  "admin_change = user 2\n";

static char address[128];
static pid_t bus_pid;

static void bus_start(void)
{
	char path[128], config[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%.64s/bus.conf", pair.dir);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	snprintf(config, sizeof(config),
		 "<busconfig><type>system</type><listen>%s</listen><auth>EXTERNAL</auth>"
		 "<policy context=\"default\"><allow user=\"*\"/><allow own=\"*\"/>"
		 "<allow send_type=\"method_call\"/><allow send_type=\"signal\"/>"
		 "<allow send_requested_reply=\"true\"/><allow receive_type=\"method_call\"/>"
		 "<allow receive_type=\"method_return\"/><allow receive_type=\"error\"/>"
		 "<allow receive_type=\"signal\"/></policy></busconfig>\n",
		 address);
	fputs(config, f);
	fclose(f);
	bus_pid = fork();
	ck_assert_int_ge(bus_pid, 0);
	if (bus_pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		char option[160];

		snprintf(option, sizeof(option), "--config-file=%s", path);
		execlp("dbus-daemon", "dbus-daemon", option, "--nofork", "--nopidfile",
		       "--nosyslog", (char *)NULL);
		_exit(127);
	}
}

static void bus_stop(void)
{
	ck_assert_int_eq(kill(bus_pid, SIGTERM), 0);
	ck_assert_int_eq(waitpid(bus_pid, NULL, 0), bus_pid);
	bus_pid = 0;
}

static void set_up(void)
{
	pair_set_up(&pair);
	ck_assert_int_eq(chmod(pair.dir, 0755), 0);
	snprintf(address, sizeof(address), "unix:path=%.64s/system_bus", pair.dir);
	setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1);
	pair_write_config(&pair, SIDE_HOST, config_text);
	/* There is no bus yet. */
	ends_begin();
}

static void tear_down(void)
{
	if (bus_pid)
		bus_stop();
	ends_tear_down();
}

/* Connects to the bus; retries while the bus starts. */
static sd_bus *dial(void)
{
	uint64_t deadline = clock_now_ns() + 20 * NS_PER_SEC;
	sd_bus *bus = NULL;
	const char *name;

	while (sd_bus_open_system(&bus) < 0 || sd_bus_get_unique_name(bus, &name) < 0) {
		bus = sd_bus_unref(bus);
		ck_assert_uint_lt(clock_now_ns(), deadline);
		usleep(2000);
	}
	return bus;
}

/* Waits until the daemon is on the bus. */
static void await_service(sd_bus *bus)
{
	uint64_t deadline = clock_now_ns() + 40 * NS_PER_SEC;

	while (sd_bus_get_name_creds(bus, SERVICE, 0, NULL) < 0) {
		ck_assert_msg(clock_now_ns() < deadline, "%s did not come", SERVICE);
		usleep(2000);
	}
}

static const char *try_call(sd_bus *bus, const char *path, const char *interface,
			    const char *method, const char *types, ...)
{
	static sd_bus_error error;
	sd_bus_message *call = NULL, *reply = NULL;
	va_list ap;
	int r;

	sd_bus_error_free(&error);
	error = SD_BUS_ERROR_NULL;
	ck_assert_int_ge(
		sd_bus_message_new_method_call(bus, &call, SERVICE, path, interface, method), 0);
	va_start(ap, types);
	ck_assert_int_ge(sd_bus_message_appendv(call, types, ap), 0);
	va_end(ap);
	r = sd_bus_call(bus, call, 0, &error, &reply);
	sd_bus_message_unref(call);
	sd_bus_message_unref(reply);
	ck_assert_msg(r >= 0 || error.name, "no answer: %s", strerror(-r));
	return r >= 0 ? "" : error.name;
}

static uint64_t one_export(void)
{
	client_ask_export(&client, pf0, DOCOCORE__EXPORT_KIND__PCI, 16, -1, 4096);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	return client.reply->export_reply->export_id;
}

static const char *try_revoke(sd_bus *bus, uint64_t id)
{
	char path[96];

	snprintf(path, sizeof(path), ROOT "/exports/%llu", (unsigned long long)id);
	return try_call(bus, path, "org.dococore.Export", "Revoke", "");
}

static const char *try_look(sd_bus *bus)
{
	return try_call(bus, ROOT, "org.freedesktop.DBus.Properties", "GetAll", "s", MANAGER);
}

START_TEST(bus_restarts)
{
	uint64_t id = one_export();
	sd_bus *bus;

	for (unsigned i = 0; i < 2; i++) {
		bus_start();
		bus = dial();
		await_service(bus);
		ck_assert_str_eq(try_look(bus), "");
		sd_bus_unref(bus);
		bus_stop();
		/* The daemon works without it. */
		one_export();
	}
	bus_start();
	bus = dial();
	await_service(bus);
	ck_assert_str_eq(try_revoke(bus, id), "");
	ck_assert_str_eq(try_revoke(bus, id), "org.dococore.Error.NotFound");
	sd_bus_flush_close_unref(bus);
}
END_TEST

static void as_user(uid_t uid, gid_t extra, const char *read_error, const char *change)
{
	uint64_t id = one_export();
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		sd_bus *bus;

		ck_assert_int_eq(setgroups(extra ? 1 : 0, &extra), 0);
		ck_assert_int_eq(setresgid(uid, uid, uid), 0);
		ck_assert_int_eq(setresuid(uid, uid, uid), 0);
		bus = dial();
		/*
		 * The first request of a caller waits until the daemon knows the caller's identity.
		 */
		ck_assert_str_eq(try_revoke(bus, id), change);
		ck_assert_str_eq(try_look(bus), read_error);
		ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "Reload", ""), change);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "as uid %u: wait status %d", uid, status);
}

START_TEST(rights_of_users)
{
	sd_bus *bus;

	if (geteuid() != 0) {
		puts("not root: other users were not tried");
		return;
	}
	if (!getpwuid(READER) || !getpwuid(CHANGER) || !getpwuid(NOBODY)) {
		puts("no users 1, 2 and 65534: other users were not tried");
		return;
	}
	bus_start();
	bus = dial();
	await_service(bus);
	as_user(NOBODY, 0, DENIED, DENIED);
	as_user(READER, 0, "", DENIED);
	as_user(NOBODY, MEMBER, "", DENIED);
	as_user(CHANGER, 0, "", "");
	sd_bus_flush_close_unref(bus);
}
END_TEST

/*
 * Sends more requests than the daemon defers, none of which expects a reply. Returns when the bus
 * has passed them on. The daemon must be stopped: then it receives all of them before it can learn
 * from the bus who the sender is.
 */
static void flood(sd_bus *bus, const char *path, const char *interface, const char *method)
{
	sd_bus_message *m = NULL;

	for (unsigned i = 0; i < 100; i++) {
		ck_assert_int_ge(
			sd_bus_message_new_method_call(bus, &m, SERVICE, path, interface, method),
			0);
		ck_assert_int_ge(sd_bus_message_set_expect_reply(m, 0), 0);
		ck_assert_int_ge(sd_bus_send(bus, m, NULL), 0);
		m = sd_bus_message_unref(m);
	}
	ck_assert_int_ge(sd_bus_call_method(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
					    "org.freedesktop.DBus", "GetId", NULL, NULL, ""),
			 0);
}

/* Continues the daemon, and waits until it accepts requests again. */
static void continue_daemon(sd_bus *bus)
{
	uint64_t deadline = clock_now_ns() + 20 * NS_PER_SEC;

	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	while (*try_look(bus))
		ck_assert_msg(clock_now_ns() < deadline, "the daemon refuses everything");
}

/* The daemon refuses requests beyond its limit, also if no reply is expected. */
START_TEST(refuses_excess_requests)
{
	sd_bus *bus;

	bus_start();
	bus = dial();
	await_service(bus);
	pair_freeze(&pair, SIDE_HOST);
	flood(bus, ROOT, MANAGER, "Reload");
	continue_daemon(bus);
	sd_bus_flush_close_unref(bus);
}
END_TEST

/* A request beyond the limit does not get the rights of the request before it. */
START_TEST(excess_requests_have_no_rights)
{
	uint64_t id = one_export();
	char path[96];
	sd_bus *bus;
	int status;
	pid_t pid;

	if (geteuid() != 0 || !getpwuid(NOBODY)) {
		puts("not root, or no user 65534: another user was not tried");
		return;
	}
	snprintf(path, sizeof(path), ROOT "/exports/%llu", (unsigned long long)id);
	bus_start();
	bus = dial();
	await_service(bus);
	ck_assert_str_eq(try_look(bus), "");
	pair_freeze(&pair, SIDE_HOST);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		sd_bus *other;

		ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
		other = dial();
		flood(other, path, "org.dococore.Export", "Revoke");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	continue_daemon(bus);
	ck_assert_str_eq(try_revoke(bus, id), "");
	sd_bus_flush_close_unref(bus);
}
END_TEST

static int on_answer(sd_bus_message *m, void *user, sd_bus_error *error)
{
	(void)error;
	*(int *)user = sd_bus_message_is_method_error(m, NULL) ? 2 : 1;
	return 0;
}

/* A sender with many requests leaves room for those of others. */
START_TEST(senders_share_the_places)
{
	uint64_t deadline;
	sd_bus *bus, *other;
	int answer = 0;

	bus_start();
	bus = dial();
	other = dial();
	await_service(bus);
	pair_freeze(&pair, SIDE_HOST);
	flood(bus, ROOT, MANAGER, "Reload");
	ck_assert_int_ge(sd_bus_call_method_async(other, NULL, SERVICE, ROOT, MANAGER, "Subscribe",
						  on_answer, &answer, ""),
			 0);
	ck_assert_int_ge(sd_bus_flush(other), 0);
	continue_daemon(bus);
	deadline = clock_now_ns() + 20 * NS_PER_SEC;
	while (!answer) {
		ck_assert_uint_lt(clock_now_ns(), deadline);
		if (sd_bus_process(other, NULL) == 0)
			sd_bus_wait(other, 100000);
	}
	ck_assert_int_eq(answer, 1);
	sd_bus_flush_close_unref(other);
	sd_bus_flush_close_unref(bus);
}
END_TEST

#define LONG_LEN 70000u

/* The daemon does not hold long requests of senders whom it does not know yet. */
START_TEST(refuses_long_requests)
{
	static char text[LONG_LEN + 1];
	sd_bus_message *m = NULL;
	sd_bus *bus;
	void *bytes;

	memset(text, 'x', LONG_LEN);
	bus_start();
	bus = dial();
	await_service(bus);
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "SetLogLevel", "s", text),
			 SD_BUS_ERROR_LIMITS_EXCEEDED);
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "ListExports", "a{sv}tt", 1, "name", "s",
				  text, (uint64_t)0, (uint64_t)0),
			 SD_BUS_ERROR_LIMITS_EXCEEDED);
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "List", "sa{sv}astt", "export", 1, "name",
				  "s", "*", 2, "id", "pid", (uint64_t)0, (uint64_t)0),
			 "");
	ck_assert_int_ge(sd_bus_message_new_method_call(bus, &m, SERVICE, ROOT, MANAGER, "Decode"),
			 0);
	ck_assert_int_ge(sd_bus_message_append_array_space(m, 'y', LONG_LEN, &bytes), 0);
	memset(bytes, 0, LONG_LEN);
	ck_assert_int_eq(sd_bus_call(bus, m, 0, NULL, NULL), -ENOBUFS);
	sd_bus_message_unref(m);
	sd_bus_flush_close_unref(bus);
}
END_TEST

static int on_signal(sd_bus_message *m, void *user, sd_bus_error *error)
{
	(void)m;
	(void)error;
	++*(unsigned *)user;
	return 0;
}

/* Only subscribers with read access get signals. */
START_TEST(signals_to_subscribers)
{
	unsigned n_subscriber = 0, n_other = 0;
	uint64_t deadline = clock_now_ns() + 20 * NS_PER_SEC;
	sd_bus *subscriber, *other;

	bus_start();
	subscriber = dial();
	other = dial();
	await_service(subscriber);
	ck_assert_int_ge(sd_bus_match_signal(subscriber, NULL, SERVICE, ROOT, MANAGER, NULL,
					     on_signal, &n_subscriber),
			 0);
	ck_assert_int_ge(
		sd_bus_match_signal(other, NULL, SERVICE, ROOT, MANAGER, NULL, on_signal, &n_other),
		0);
	ck_assert_str_eq(try_call(subscriber, ROOT, MANAGER, "Subscribe", ""), "");
	one_export();
	while (n_subscriber < 1) {
		ck_assert_uint_lt(clock_now_ns(), deadline);
		if (sd_bus_process(subscriber, NULL) == 0)
			sd_bus_wait(subscriber, 100000);
	}
	/* Everything that was sent before this answer has arrived. */
	ck_assert_str_eq(try_look(other), "");
	while (sd_bus_process(other, NULL) > 0)
		continue;
	ck_assert_uint_eq(n_other, 0);
	/* A subscriber that has left occupies no place. */
	for (unsigned i = 0; i < 40; i++) {
		sd_bus_flush_close_unref(subscriber);
		subscriber = dial();
		deadline = clock_now_ns() + 20 * NS_PER_SEC;
		while (*try_call(subscriber, ROOT, MANAGER, "Subscribe", ""))
			ck_assert_uint_lt(clock_now_ns(), deadline);
	}
	sd_bus_flush_close_unref(subscriber);
	sd_bus_flush_close_unref(other);
}
END_TEST

/* A connection that ends before the daemon could watch it on the bus occupies no place. */
START_TEST(early_disconnects_occupy_no_place)
{
	uint64_t deadline = clock_now_ns() + 20 * NS_PER_SEC;
	sd_bus *bus;

	bus_start();
	bus = dial();
	await_service(bus);
	for (unsigned i = 0; i < 12; i++) {
		sd_bus_message *m = NULL;
		sd_bus *leaver = dial();

		/* The daemon asks the bus who the sender is, which may have left by then. */
		ck_assert_str_eq(try_look(leaver), "");
		ck_assert_int_ge(sd_bus_message_new_method_call(leaver, &m, SERVICE, ROOT, MANAGER,
								"Subscribe"),
				 0);
		ck_assert_int_ge(sd_bus_message_set_expect_reply(m, 0), 0);
		ck_assert_int_ge(sd_bus_send(leaver, m, NULL), 0);
		sd_bus_message_unref(m);
		sd_bus_flush_close_unref(leaver);
	}
	while (*try_call(bus, ROOT, MANAGER, "Subscribe", ""))
		ck_assert_msg(clock_now_ns() < deadline, "their places stay taken");
	sd_bus_flush_close_unref(bus);
}
END_TEST

/* The user database, which may block, is asked only if its answer matters. */
START_TEST(groups_that_matter)
{
	static struct config config;
	static struct daemon daemon = {.config = &config};
	struct bus_caller caller = {.uid = CHANGER, .gid = (gid_t)-1, .lacks_groups = true};

	/* No list names a group. */
	ck_assert(!bus_needs_groups(&daemon, &caller));
	config.admin_read = (struct acl){.any = true};
	ck_assert(!bus_needs_groups(&daemon, &caller));
	config.admin_change = (struct acl){.gids = {MEMBER}, .n_gids = 1};
	ck_assert(bus_needs_groups(&daemon, &caller));
	/* The uid decides. */
	config.admin_change.uids[config.admin_change.n_uids++] = CHANGER;
	ck_assert(!bus_needs_groups(&daemon, &caller));
	caller.uid = NOBODY;
	ck_assert(bus_needs_groups(&daemon, &caller));
	caller.lacks_groups = false;
	ck_assert(!bus_needs_groups(&daemon, &caller));
	caller = (struct bus_caller){.uid = 0, .lacks_groups = true};
	ck_assert(!bus_needs_groups(&daemon, &caller));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("system bus");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);

	if (system("command -v dbus-daemon >/dev/null") != 0) {
		puts("skipped: there is no dbus-daemon");
		return 77;
	}
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, bus_restarts);
	tcase_add_test(tcase, rights_of_users);
	tcase_add_test(tcase, refuses_excess_requests);
	tcase_add_test(tcase, excess_requests_have_no_rights);
	tcase_add_test(tcase, senders_share_the_places);
	tcase_add_test(tcase, refuses_long_requests);
	tcase_add_test(tcase, signals_to_subscribers);
	tcase_add_test(tcase, early_disconnects_occupy_no_place);
	tcase_add_test(unit_case(suite, "rights", UNIT_TIMEOUT), groups_that_matter);
	return unit_run(suite);
}
