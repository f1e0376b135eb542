/* Operators over D-Bus: rights, effects of methods, pages, properties, signals, descriptors. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/unit/daemon/comch/consumer_ends.h"
#include "util/export_descriptor.h"
#include "util/clock.h"
#include "util/conn_params.h"
#include "util/fd.h"
#include "util/memfd.h"

#define READER    40001u
#define CHANGER   40002u
#define MEMBER    40003u /* in the group that may change things */
#define NOBODY    40004u
#define MANAGER   "org.dococore.Manager"
#define ROOT      "/org/dococore"
#define DENIED    "org.freedesktop.DBus.Error.AccessDenied"
#define NOT_FOUND "org.dococore.Error.NotFound"

static const char config_text[] = "[daemon]\n"
				  "admin_read = user 40001\n"
				  "admin_change = user 40002, group 40003\n";

static sd_bus *dial(enum side side)
{
	char address[128];
	sd_bus *bus = NULL;

	snprintf(address, sizeof(address), "unix:path=%.64s/%s.bus", pair.dir, side_name(side));
	ck_assert_int_ge(sd_bus_new(&bus), 0);
	ck_assert_int_ge(sd_bus_set_address(bus, address), 0);
	ck_assert_int_ge(sd_bus_start(bus), 0);
	return bus;
}

static sd_bus *host_bus;

static void set_up(void)
{
	pair_set_up(&pair);
	ck_assert_int_eq(chmod(pair.dir, 0755), 0);
	pair_write_config(&pair, SIDE_HOST, config_text);
	ends_begin();
	host_bus = dial(SIDE_HOST);
}

static void tear_down(void)
{
	sd_bus_flush_close_unref(host_bus);
	ends_tear_down();
}

/*
 * Calls a method. Returns the name of the error, or "" for success. The caller owns the answer, if
 * it asked for it.
 */
static const char *try_call(sd_bus *bus, const char *path, const char *interface,
			    const char *method, sd_bus_message **reply_out, const char *types, ...)
{
	static sd_bus_error error;
	sd_bus_message *call = NULL, *reply = NULL;
	va_list ap;
	int r;

	sd_bus_error_free(&error);
	error = SD_BUS_ERROR_NULL;
	ck_assert_int_ge(
		sd_bus_message_new_method_call(bus, &call, "org.dococore", path, interface, method),
		0);
	va_start(ap, types);
	ck_assert_int_ge(sd_bus_message_appendv(call, types, ap), 0);
	va_end(ap);
	r = sd_bus_call(bus, call, 0, &error, &reply);
	sd_bus_message_unref(call);
	if (r >= 0 && reply_out)
		*reply_out = reply;
	else
		sd_bus_message_unref(reply);
	ck_assert_msg(r >= 0 || error.name, "no answer: %s", strerror(-r));
	/* Each error has a sentence. */
	ck_assert(r >= 0 || strlen(error.message) > 10);
	return r >= 0 ? "" : error.name;
}

static void object_path(char out[96], const char *folder, uint64_t id)
{
	snprintf(out, 96, ROOT "/%s/%llu", folder, (unsigned long long)id);
}

/* Reads the dictionary of the answer. Returns the number under the key, or 0. */
static uint64_t dict_number(sd_bus_message *m, const char *wanted)
{
	uint64_t found = 0;

	ck_assert_int_ge(sd_bus_message_enter_container(m, 'a', "{sv}"), 0);
	while (sd_bus_message_enter_container(m, 'e', "sv") > 0) {
		const char *key;

		ck_assert_int_gt(sd_bus_message_read(m, "s", &key), 0);
		if (strcmp(key, wanted) == 0)
			ck_assert_int_gt(sd_bus_message_read(m, "v", "t", &found), 0);
		else
			ck_assert_int_gt(sd_bus_message_skip(m, "v"), 0);
		ck_assert_int_ge(sd_bus_message_exit_container(m), 0);
	}
	ck_assert_int_ge(sd_bus_message_exit_container(m), 0);
	return found;
}

/* Reads one page of a list; ids_out has room for 256 ids. */
static size_t list_page(const char *method, uint64_t pid, uint64_t after, uint64_t max,
			uint64_t *ids_out, uint64_t *next_out)
{
	sd_bus_message *reply = NULL;
	size_t n = 0;
	const char *error = pid ? try_call(host_bus, ROOT, MANAGER, method, &reply, "a{sv}tt", 1,
					   "pid", "t", pid, after, max)
				: try_call(host_bus, ROOT, MANAGER, method, &reply, "a{sv}tt", 0,
					   after, max);

	ck_assert_str_eq(error, "");
	ck_assert_int_ge(sd_bus_message_enter_container(reply, 'a', "a{sv}"), 0);
	while (!sd_bus_message_at_end(reply, false)) {
		ck_assert_uint_lt(n, 256);
		ids_out[n++] = dict_number(reply, "id");
	}
	ck_assert_int_ge(sd_bus_message_exit_container(reply), 0);
	ck_assert_int_gt(sd_bus_message_read(reply, "t", next_out), 0);
	sd_bus_message_unref(reply);
	return n;
}

static uint64_t one_export(void)
{
	client_ask_export(&client, pf0, DOCOCORE__EXPORT_KIND__PCI, 16, -1, 4096);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	return client.reply->export_reply->export_id;
}

/* --- rights --- */

/* Checks what a process of another user gets; runs in a child. Exit status 0: as expected. */
static int other_user(const char *read_error, const char *change, uint64_t export_id)
{
	sd_bus *bus = dial(SIDE_HOST);
	char path[96];

	object_path(path, "exports", export_id);
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "ListExports", NULL, "a{sv}tt", 0,
				  (uint64_t)0, (uint64_t)0),
			 read_error);
	ck_assert_str_eq(
		try_call(bus, path, "org.freedesktop.DBus.Properties", "GetAll", NULL, "s", ""),
		read_error);
	ck_assert_str_eq(try_call(bus, ROOT "/exports", "org.freedesktop.DBus.Introspectable",
				  "Introspect", NULL, ""),
			 read_error);
	ck_assert_str_eq(try_call(bus, "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring",
				  "BecomeMonitor", NULL, "asu", 0, 0),
			 read_error);
	ck_assert_str_eq(try_call(bus, ROOT, "org.freedesktop.DBus.Peer", "Ping", NULL, ""), "");
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "SetLogLevel", NULL, "s", "info"), change);
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "Reload", NULL, ""), change);
	ck_assert_str_eq(try_call(bus, path, "org.dococore.Export", "Revoke", NULL, ""), change);
	/* A caller that may not change it does not learn whether the export exists. */
	ck_assert_str_eq(
		try_call(bus, ROOT "/exports/1", "org.dococore.Export", "Revoke", NULL, ""),
		*change ? change : NOT_FOUND);
	sd_bus_flush_close_unref(bus);
	return 0;
}

static void as_user(uid_t uid, gid_t extra, const char *read_error, const char *change)
{
	uint64_t id = one_export();
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		ck_assert_int_eq(setgroups(extra ? 1 : 0, &extra), 0);
		ck_assert_int_eq(setresgid(uid, uid, uid), 0);
		ck_assert_int_eq(setresuid(uid, uid, uid), 0);
		_exit(other_user(read_error, change, id));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "as uid %u: wait status %d", uid, status);
}

START_TEST(rights_of_users)
{
	if (geteuid() != 0) {
		puts("not root: other users were not tried");
		return;
	}
	as_user(READER, 0, "", DENIED);
	as_user(CHANGER, 0, "", "");
	as_user(MEMBER, MEMBER, "", "");
	as_user(NOBODY, MEMBER, "", "");
	as_user(NOBODY, 0, DENIED, DENIED);
}
END_TEST

/* Opens a socket as another user and sends nothing. */
static int dial_as(uid_t uid)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/host.bus", pair.dir);
	ck_assert_int_eq(seteuid(uid), 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(seteuid(0), 0);
	return fd;
}

/* Users without read access take no places from those with access, and are disconnected. */
START_TEST(unauthorised_callers_take_no_places)
{
	int fds[20];
	sd_bus *bus;
	char byte;

	if (geteuid() != 0) {
		puts("not root: other users were not tried");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = dial_as(NOBODY);
	for (unsigned i = 0; i < 10; i++) {
		bus = dial(SIDE_HOST);
		ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "GetDevice", NULL, "t", (uint64_t)1),
				 "");
		sd_bus_flush_close_unref(bus);
	}
	/* The daemon has closed all of these connections. */
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		ck_assert_int_le(read(fds[i], &byte, 1), 0);
		fd_close(&fds[i]);
	}
}
END_TEST

/* A user with read access that holds all places idle keeps no other user out. */
START_TEST(idle_readers_give_way)
{
	int fds[24];
	sd_bus *bus;

	if (geteuid() != 0) {
		puts("not root: other users were not tried");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = dial_as(READER);
	for (unsigned i = 0; i < 5; i++) {
		bus = dial(SIDE_HOST);
		ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "GetDevice", NULL, "t", (uint64_t)1),
				 "");
		sd_bus_flush_close_unref(bus);
	}
	/* A user with one connection was not affected. */
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "GetDevice", NULL, "t", (uint64_t)1),
			 "");
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(&fds[i]);
}
END_TEST

/* A connection that sends an endless message is closed long before the daemon has received it. */
START_TEST(unauthorised_callers_fill_no_memory)
{
	static const char hello[] = "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n";
	/* The header of a method call with a body of 100 MiB. */
	static const uint8_t header[] = {'l', 1, 0, 1, 0, 0, 0x40, 6, 1, 0, 0, 0, 0, 0, 0, 0};
	static char nothing[65536];
	uint64_t n_sent = 0;
	ssize_t n;
	int fd;

	if (geteuid() != 0) {
		puts("not root: other users were not tried");
		return;
	}
	fd = dial_as(NOBODY);
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(write(fd, hello, sizeof(hello) - 1), sizeof(hello) - 1);
	ck_assert_int_eq(write(fd, header, sizeof(header)), sizeof(header));
	while ((n = write(fd, nothing, sizeof(nothing))) > 0)
		n_sent += (uint64_t)n;
	ck_assert_uint_lt(n_sent, 50u << 20);
	fd_close(&fd);
	one_export();
}
END_TEST

/* --- effects of methods --- */

START_TEST(revoked_export)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ExportReply proof;
	uint8_t secret[16];
	uint64_t ids[256], next;
	char path[96];

	one_export();
	proof = *client.reply->export_reply;
	memcpy(secret, proof.secret.data, sizeof(secret));
	proof.secret.data = secret;
	client_ask_import(&server, p0, &proof, DOCOCORE__EXPORT_KIND__PCI, "host");
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	object_path(path, "exports", proof.export_id);
	ck_assert_str_eq(try_call(host_bus, path, "org.dococore.Export", "Revoke", NULL, ""), "");
	ck_assert_uint_eq(list_page("ListExports", 0, 0, 0, ids, &next), 0);
	ck_assert_str_eq(try_call(host_bus, path, "org.dococore.Export", "Revoke", NULL, ""),
			 NOT_FOUND);
	/* The descriptor proves nothing any more, and its owner cannot change that. */
	client_ask_import(&server, p0, &proof, DOCOCORE__EXPORT_KIND__PCI, "host");
	client_check_error(&server, CODE_NOT_PERMITTED);
	ask.device = pf0;
	ask.len = 100;
	ask.permissions = 16;
	ask.restore_export_id = proof.export_id;
	ask.restore_secret = proof.secret;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	client_ask(&client, &packet, NULL, 0);
	client_check_error(&client, CODE_NOT_PERMITTED);
	ck_assert_ptr_nonnull(strstr(client.reply->error->text, "revoked"));
}
END_TEST

START_TEST(disconnected_channel)
{
	char path[96];

	establish();
	object_path(path, "channels", client_end);
	ck_assert_str_eq(try_call(host_bus, path, "org.dococore.Channel", "Disconnect", NULL, ""),
			 "");
	ck_assert_uint_eq(await_event(&client_events, EVENT_CHANNEL_CLOSED).id, client_end);
	ck_assert_uint_eq(await_event(&server_events, EVENT_CHANNEL_CLOSED).id, server_end);
	ck_assert_str_eq(try_call(host_bus, path, "org.dococore.Channel", "Disconnect", NULL, ""),
			 NOT_FOUND);
}
END_TEST

START_TEST(dropped_client)
{
	uint64_t ids[256], next;
	struct client other;
	char path[96];

	client_open(&other, &pair, SIDE_HOST);
	ck_assert_uint_eq(list_page("ListClients", 0, 0, 0, ids, &next), 2);
	object_path(path, "clients", ids[1]);
	ck_assert_str_eq(try_call(host_bus, path, "org.dococore.Client", "Drop", NULL, ""), "");
	ck_assert_ptr_nonnull(client_await(&other));
	client_check_error(&other, CODE_CONNECTION_ABORTED);
	ck_assert_ptr_null(client_await(&other));
	client_close(&other);
	ck_assert_uint_eq(list_page("ListClients", 0, 0, 0, ids, &next), 1);
	one_export();
}
END_TEST

START_TEST(reload_and_log_level)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	char *level = NULL;

	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "SetLogLevel", NULL, "s", "debug"), "");
	ck_assert_int_ge(sd_bus_get_property_string(host_bus, "org.dococore", ROOT, MANAGER,
						    "LogLevel", &error, &level),
			 0);
	ck_assert_str_eq(level, "debug");
	free(level);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "SetLogLevel", NULL, "s", "loud"),
			 SD_BUS_ERROR_INVALID_ARGS);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "Reload", NULL, ""), "");
	pair_write_config(&pair, SIDE_HOST, "[daemon]\nlog_level = loud\n");
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "Reload", NULL, ""),
			 "org.dococore.Error.Refused");
	pair_write_config(&pair, SIDE_HOST, config_text);
}
END_TEST

/* --- lists --- */

static void destroy_export(uint64_t id)
{
	Dococore__ExportDestroy destroy = DOCOCORE__EXPORT_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	destroy.export_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
	packet.export_destroy = &destroy;
	client_ask(&client, &packet, NULL, 0);
}

#define N_EXPORTS 600u

START_TEST(pages)
{
	static uint64_t made[N_EXPORTS];
	uint64_t ids[256], after = 0, n_pages = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < N_EXPORTS; i++)
		made[i] = one_export();
	do {
		size_t n_page = list_page("ListExports", 0, after, 0, ids, &after);

		ck_assert(n_page == 256 || (after == 0 && n_page < 256));
		for (size_t i = 0; i < n_page; i++)
			ck_assert_uint_eq(ids[i], made[n++]);
		/* The last object of a page ends before the next page is requested. */
		destroy_export(ids[n_page - 1]);
		n_pages++;
	} while (after != 0);
	ck_assert_uint_eq(n, N_EXPORTS);
	ck_assert_uint_eq(n_pages, 3);
	ck_assert_uint_eq(list_page("ListExports", 0, 0, 5, ids, &after), 5);
	ck_assert_uint_ne(after, 0);
	ck_assert_uint_eq(list_page("ListExports", (uint64_t)getpid(), 0, 0, ids, &after), 256);
	ck_assert_uint_eq(list_page("ListExports", 1, 0, 0, ids, &after), 0);
	ck_assert_uint_eq(after, 0);
}
END_TEST

static size_t count_filtered(const char *method, const char *key, const char *value)
{
	sd_bus_message *reply = NULL;
	size_t n = 0;

	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, method, &reply, "a{sv}tt", 1, key, "s",
				  value, (uint64_t)0, (uint64_t)0),
			 "");
	ck_assert_int_ge(sd_bus_message_enter_container(reply, 'a', "a{sv}"), 0);
	for (; !sd_bus_message_at_end(reply, false); n++)
		ck_assert_int_ge(sd_bus_message_skip(reply, "a{sv}"), 0);
	sd_bus_message_unref(reply);
	return n;
}

/* Reads a page of a table of exports with two columns, and counts the rows. */
static size_t table_page(uint64_t after, uint64_t max, uint64_t *ids_out, uint64_t *next_out)
{
	sd_bus_message *reply = NULL;
	const char *first, *second, *program;
	size_t n = 0;

	/* The columns come in the order of the record, not of the request. */
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "List", &reply, "sa{sv}astt", "export",
				  1, "device", "s", "pf0", 2, "program", "Id", after, max),
			 "");
	ck_assert_int_gt(sd_bus_message_read(reply, "as", 2, &first, &second), 0);
	ck_assert_str_eq(first, "Id");
	ck_assert_str_eq(second, "program");
	ck_assert_int_gt(sd_bus_message_enter_container(reply, 'v', "a(ts)"), 0);
	ck_assert_int_gt(sd_bus_message_enter_container(reply, 'a', "(ts)"), 0);
	for (; sd_bus_message_read(reply, "(ts)", &ids_out[n], &program) > 0; n++)
		ck_assert_str_eq(program, "a test");
	ck_assert_int_ge(sd_bus_message_exit_container(reply), 0);
	ck_assert_int_ge(sd_bus_message_exit_container(reply), 0);
	ck_assert_int_gt(sd_bus_message_read(reply, "t", next_out), 0);
	sd_bus_message_unref(reply);
	return n;
}

START_TEST(tables)
{
	uint64_t made[5], ids[2048], next;

	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		made[i] = one_export();
	ck_assert_uint_eq(table_page(0, 3, ids, &next), 3);
	ck_assert_mem_eq(ids, made, 3 * sizeof(*made));
	ck_assert_uint_eq(table_page(next, 0, ids, &next), 2);
	ck_assert_mem_eq(ids, made + 3, 2 * sizeof(*made));
	ck_assert_uint_eq(next, 0);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "List", NULL, "sa{sv}astt", "export", 0,
				  1, "secret", (uint64_t)0, (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "List", NULL, "sa{sv}astt", "export", 1,
				  "sort", "s", "permissions", 0, (uint64_t)0, (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "List", NULL, "sa{sv}astt", "colour", 0,
				  1, "id", (uint64_t)0, (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
}
END_TEST

/* Without fields, a table has all of them, with the names and the order of a record. */
START_TEST(all_fields)
{
	sd_bus_message *table = NULL, *record = NULL;
	uint64_t id = one_export();
	const char *name, *key;

	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "List", &table, "sa{sv}astt", "export",
				  0, 0, (uint64_t)0, (uint64_t)0),
			 "");
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "GetExport", &record, "t", id), "");
	ck_assert_int_gt(sd_bus_message_enter_container(table, 'a', "s"), 0);
	ck_assert_int_gt(sd_bus_message_enter_container(record, 'a', "{sv}"), 0);
	while (sd_bus_message_enter_container(record, 'e', "sv") > 0) {
		ck_assert_int_gt(sd_bus_message_read(record, "s", &key), 0);
		ck_assert_int_gt(sd_bus_message_read(table, "s", &name), 0);
		ck_assert_str_eq(name, key);
		ck_assert_int_gt(sd_bus_message_skip(record, "v"), 0);
		ck_assert_int_ge(sd_bus_message_exit_container(record), 0);
	}
	ck_assert_int_gt(sd_bus_message_at_end(table, false), 0);
	sd_bus_message_unref(table);
	sd_bus_message_unref(record);
}
END_TEST

static uint64_t export_of_len(uint64_t len)
{
	client_ask_export(&client, pf0, DOCOCORE__EXPORT_KIND__PCI, 16, -1, len);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	return client.reply->export_reply->export_id;
}

static size_t sorted_page(const char *sort, uint64_t max, uint64_t *lens_out)
{
	sd_bus_message *reply = NULL;
	size_t n = 0;

	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "List", &reply, "sa{sv}astt", "export",
				  1, "sort", "s", sort, 1, "len", (uint64_t)0, max),
			 "");
	ck_assert_int_gt(sd_bus_message_skip(reply, "as"), 0);
	ck_assert_int_gt(sd_bus_message_enter_container(reply, 'v', "a(t)"), 0);
	ck_assert_int_gt(sd_bus_message_enter_container(reply, 'a', "(t)"), 0);
	for (; sd_bus_message_read(reply, "(t)", &lens_out[n]) > 0; n++)
		ck_assert_uint_lt(n, 15);
	sd_bus_message_unref(reply);
	return n;
}

START_TEST(sorted)
{
	static const uint64_t made[] = {300, 100, 200, 100, 400};
	uint64_t lens[16];

	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		export_of_len(made[i]);
	ck_assert_uint_eq(sorted_page("len", 0, lens), 5);
	ck_assert_mem_eq(lens, ((uint64_t[]){100, 100, 200, 300, 400}), 5 * sizeof(*lens));
	ck_assert_uint_eq(sorted_page("-Len", 2, lens), 2);
	ck_assert_mem_eq(lens, ((uint64_t[]){400, 300}), 2 * sizeof(*lens));
	/* Rows with equal keys keep the order of the list. */
	ck_assert_uint_eq(sorted_page("-program", 0, lens), 5);
	ck_assert_mem_eq(lens, made, sizeof(made));
}
END_TEST

static uint64_t count_of(const char *device, uint64_t after, uint64_t *next_out)
{
	sd_bus_message *reply = NULL;
	uint64_t n;

	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "Count", &reply, "sa{sv}t", "export", 1,
				  "device", "s", device, after),
			 "");
	ck_assert_int_gt(sd_bus_message_read(reply, "tt", &n, next_out), 0);
	sd_bus_message_unref(reply);
	return n;
}

START_TEST(counts)
{
	enum { N = 16000, N_OTHER = 384, SCAN_MAX = 16384 };
	struct client other;
	uint64_t next, device;

	client_open(&other, &pair, SIDE_HOST);
	device = client_open_device(&other, "pf0");
	for (unsigned i = 0; i < N; i++)
		one_export();
	for (unsigned i = 0; i < N_OTHER; i++)
		client_ask_export(&other, device, DOCOCORE__EXPORT_KIND__PCI, 16, -1, 4096);
	ck_assert_uint_eq(count_of("pf0", 0, &next), SCAN_MAX);
	ck_assert_uint_eq(next, 0);
	one_export();
	ck_assert_uint_eq(count_of("pf0", 0, &next), SCAN_MAX);
	ck_assert_uint_eq(count_of("pf0", next, &next), 1);
	ck_assert_uint_eq(next, 0);
	ck_assert_uint_eq(count_of("pf1", 0, &next), 0);
	client_close(&other);
}
END_TEST

/* Of pages whose objects are destroyed between them, each object is listed once. */
START_TEST(pages_of_changing_list)
{
	enum { N = 600, PAGE = 7 };
	static uint64_t made[N];
	static bool is_gone[N], is_listed[N];
	uint64_t ids[2048], after = 0, random = 88172645463325252ull;

	for (unsigned i = 0; i < N; i++)
		made[i] = one_export();
	do {
		size_t n = table_page(after, PAGE, ids, &after);

		for (size_t i = 0; i < n; i++) {
			unsigned k = 0;

			while (k < N && made[k] != ids[i])
				k++;
			ck_assert_uint_lt(k, N);
			ck_assert(!is_listed[k] && !is_gone[k]);
			is_listed[k] = true;
		}
		/* Many of the listed objects are destroyed, the last of the page among them. */
		for (unsigned k = 0; k < N; k++) {
			unsigned one_of = is_listed[k] ? 2 : 100;

			if (is_gone[k] || unit_random(&random) % one_of != 0)
				continue;
			destroy_export(made[k]);
			is_gone[k] = true;
		}
	} while (after != 0);
	for (unsigned k = 0; k < N; k++)
		ck_assert(is_gone[k] || is_listed[k]);
}
END_TEST

/* Introspection names the folders of the daemon, and the objects of a folder. */
START_TEST(nodes)
{
	static const char *const paths[] = {ROOT, ROOT "/exports"};
	uint64_t id = one_export();
	char expect[64];

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		sd_bus_message *reply = NULL;
		const char *xml;

		ck_assert_str_eq(try_call(host_bus, paths[i], "org.freedesktop.DBus.Introspectable",
					  "Introspect", &reply, ""),
				 "");
		ck_assert_int_gt(sd_bus_message_read(reply, "s", &xml), 0);
		snprintf(expect, sizeof(expect), "<node name=\"%llu\"/>", (unsigned long long)id);
		ck_assert_int_eq(strstr(xml, expect) != NULL, i == 1);
		ck_assert_int_eq(strstr(xml, "<node name=\"exports\"/>") != NULL, i == 0);
		sd_bus_message_unref(reply);
	}
}
END_TEST

static void check_list_refused(const char *key, const char *value)
{
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "ListExports", NULL, "a{sv}tt", 1, key,
				  "s", value, (uint64_t)0, (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "Count", NULL, "sa{sv}t", "export", 1,
				  key, "s", value, (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
}

/* Requests whose texts would keep the daemon busy. */
START_TEST(excessive_texts)
{
	char text[258] = "";

	one_export();
	memset(text, '*', 256);
	ck_assert_uint_eq(count_filtered("ListDevices", "name", text), 5);
	text[255] = '?';
	ck_assert_uint_eq(count_filtered("ListDevices", "name", text), 5);
	text[256] = '*';
	check_list_refused("name", text);
	check_list_refused("device", text);
	check_list_refused("sort", text);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "List", NULL, "sa{sv}astt", "export", 0,
				  1, text, (uint64_t)0, (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "List", NULL, "sa{sv}astt", "export", 0,
				  3, "id", "pid", "Id", (uint64_t)0, (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "ListExports", NULL, "a{sv}tt", 2, "pid",
				  "t", (uint64_t)1, "pid", "t", (uint64_t)1, (uint64_t)0,
				  (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
}
END_TEST

START_TEST(filters)
{
	one_export();
	ck_assert_uint_eq(count_filtered("ListDevices", "name", "pf0"), 1);
	ck_assert_uint_eq(count_filtered("ListDevices", "name", "pf0*"), 3);
	ck_assert_uint_eq(count_filtered("ListDevices", "name", "*vf?"), 3);
	ck_assert_uint_eq(count_filtered("ListDevices", "name", "**"), 5);
	ck_assert_uint_eq(count_filtered("ListDevices", "name", ""), 0);
	ck_assert_uint_eq(count_filtered("ListExports", "device", "pf0"), 1);
	ck_assert_uint_eq(count_filtered("ListExports", "device", "pf1"), 0);
	ck_assert_uint_eq(count_filtered("ListClients", "device", "pf0"), 1);
	ck_assert_uint_eq(count_filtered("ListClients", "device", "pf1"), 0);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "ListDevices", NULL, "a{sv}tt", 1,
				  "colour", "s", "red", (uint64_t)0, (uint64_t)0),
			 SD_BUS_ERROR_INVALID_ARGS);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "ListDevices", NULL, ""),
			 SD_BUS_ERROR_INVALID_ARGS);
}
END_TEST

/* --- properties --- */

/* Each property in the introspection data exists with that type, and no other exists. */
static void check_properties(const char *path, const char *interface)
{
	sd_bus_message *all = NULL, *text = NULL;
	const char *xml, *at;
	char property[64] = "";
	unsigned n = 0, n_xml = 0;

	ck_assert_str_eq(try_call(host_bus, path, "org.freedesktop.DBus.Introspectable",
				  "Introspect", &text, ""),
			 "");
	ck_assert_int_gt(sd_bus_message_read(text, "s", &xml), 0);
	ck_assert_ptr_nonnull(strstr(xml, interface));
	for (at = xml; (at = strstr(at, "<property ")); at++)
		n_xml++;
	ck_assert_str_eq(try_call(host_bus, path, "org.freedesktop.DBus.Properties", "GetAll", &all,
				  "s", interface),
			 "");
	ck_assert_int_ge(sd_bus_message_enter_container(all, 'a', "{sv}"), 0);
	while (sd_bus_message_enter_container(all, 'e', "sv") > 0) {
		sd_bus_message *one = NULL;
		const char *name, *type;
		char line[160];

		ck_assert_int_gt(sd_bus_message_read(all, "s", &name), 0);
		ck_assert_int_gt(sd_bus_message_peek_type(all, NULL, &type), 0);
		snprintf(property, sizeof(property), "%s", name);
		snprintf(line, sizeof(line), "<property name=\"%s\" type=\"%s\" access=\"read\"",
			 name, type);
		ck_assert_msg(strstr(xml, line) != NULL, "%s: no %s", interface, line);
		ck_assert_str_eq(try_call(host_bus, path, "org.freedesktop.DBus.Properties", "Get",
					  &one, "ss", interface, name),
				 "");
		ck_assert_int_gt(sd_bus_message_verify_type(one, 'v', type), 0);
		sd_bus_message_unref(one);
		ck_assert_int_ge(sd_bus_message_skip(all, "v"), 0);
		ck_assert_int_ge(sd_bus_message_exit_container(all), 0);
		n++;
	}
	ck_assert_uint_eq(n, n_xml);
	ck_assert_str_eq(try_call(host_bus, path, "org.freedesktop.DBus.Properties", "Get", NULL,
				  "ss", interface, "Secret"),
			 SD_BUS_ERROR_UNKNOWN_PROPERTY);
	ck_assert_str_eq(try_call(host_bus, path, "org.freedesktop.DBus.Properties", "Set", NULL,
				  "ssv", interface, property, "t", (uint64_t)1),
			 SD_BUS_ERROR_PROPERTY_READ_ONLY);
	sd_bus_message_unref(all);
	sd_bus_message_unref(text);
}

/* Compares "CreatedAtNs" with "created_at_ns". */
static void check_same_name(const char *property, const char *key)
{
	char expect[64];
	size_t n = 0;

	for (const char *at = property; *at; at++) {
		if (isupper((unsigned char)*at) && n)
			expect[n++] = '_';
		expect[n++] = (char)tolower((unsigned char)*at);
	}
	expect[n] = '\0';
	ck_assert_str_eq(key, expect);
}

/* The properties are the fields of the record, in the same order. */
static void check_order(const char *path, const char *interface, const char *folder, uint64_t id)
{
	sd_bus_message *all = NULL, *record = NULL;
	const char *property, *key;
	char method[32];

	snprintf(method, sizeof(method), "Get%c%.*s", toupper((unsigned char)*folder),
		 (int)strlen(folder) - 2, folder + 1);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, method, &record, "t", id), "");
	ck_assert_str_eq(try_call(host_bus, path, "org.freedesktop.DBus.Properties", "GetAll", &all,
				  "s", interface),
			 "");
	ck_assert_int_gt(sd_bus_message_enter_container(all, 'a', "{sv}"), 0);
	ck_assert_int_gt(sd_bus_message_enter_container(record, 'a', "{sv}"), 0);
	while (sd_bus_message_enter_container(all, 'e', "sv") > 0) {
		ck_assert_int_gt(sd_bus_message_enter_container(record, 'e', "sv"), 0);
		ck_assert_int_gt(sd_bus_message_read(all, "s", &property), 0);
		ck_assert_int_gt(sd_bus_message_read(record, "s", &key), 0);
		check_same_name(property, key);
		ck_assert_int_gt(sd_bus_message_skip(all, "v"), 0);
		ck_assert_int_gt(sd_bus_message_skip(record, "v"), 0);
		ck_assert_int_ge(sd_bus_message_exit_container(all), 0);
		ck_assert_int_ge(sd_bus_message_exit_container(record), 0);
	}
	ck_assert_int_gt(sd_bus_message_at_end(record, false), 0);
	sd_bus_message_unref(all);
	sd_bus_message_unref(record);
}

static void check_kind(const char *folder, const char *interface, uint64_t id)
{
	char path[96];

	object_path(path, folder, id);
	check_properties(path, interface);
	check_order(path, interface, folder, id);
}

static void export_event(Dococore__ExportReply *proof_out, uint8_t secret_out[16])
{
	struct sync_words words = {.magic = SYNC_WORDS_MAGIC, .version = SYNC_WORDS_LAYOUT};
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fds[3] = {memory, memfd_create_sealable("words", SYNC_WORDS_LEN), doorbell};

	ck_assert_int_eq(pwrite(fds[1], &words, sizeof(words), 0), sizeof(words));
	ask.device = pf0;
	ask.kind = DOCOCORE__EXPORT_KIND__SYNC_NET;
	ask.addr = 64;
	ask.len = 8;
	ask.permissions = 8;
	ask.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	client_ask(&client, &packet, fds, 3);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	fd_close(&fds[1]);
	*proof_out = *client.reply->export_reply;
	memcpy(secret_out, proof_out->secret.data, 16);
	proof_out->secret.data = secret_out;
}

START_TEST(properties_of_all_kinds)
{
	Dococore__ExportReply proof;
	uint64_t ids[256], next, counter = 77;
	sd_bus *dpu_bus;
	uint8_t secret[16];
	sd_bus_message *reply = NULL;

	export_event(&proof, secret);
	establish();
	client_ask_import(&client, pf0, &proof, DOCOCORE__EXPORT_KIND__SYNC_NET, "host");
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	check_properties(ROOT, MANAGER);
	check_kind("devices", "org.dococore.Device", 1);
	check_kind("exports", "org.dococore.Export", proof.export_id);
	check_kind("events", "org.dococore.SyncEvent", proof.export_id);
	check_kind("channels", "org.dococore.Channel", client_end);
	check_kind("peers", "org.dococore.Peer", 1);
	check_kind("accounts", "org.dococore.Account", geteuid());
	ck_assert_uint_eq(list_page("ListClients", 0, 0, 0, ids, &next), 1);
	check_kind("clients", "org.dococore.Client", ids[0]);
	ck_assert_uint_eq(list_page("ListImports", 0, 0, 0, ids, &next), 1);
	check_kind("imports", "org.dococore.Import", ids[0]);
	/* The counter is read at the time of the request. */
	ck_assert_int_eq(pwrite(memory, &counter, sizeof(counter), 0), sizeof(counter));
	ck_assert_str_eq(
		try_call(host_bus, ROOT, MANAGER, "GetEvent", &reply, "t", proof.export_id), "");
	ck_assert_uint_eq(dict_number(reply, "value"), 77);
	sd_bus_message_unref(reply);
	dpu_bus = host_bus;
	host_bus = dial(SIDE_DPU);
	check_kind("representors", "org.dococore.Representor", 1);
	ck_assert_uint_eq(list_page("ListServices", 0, 0, 0, ids, &next), 1);
	check_kind("services", "org.dococore.Service", ids[0]);
	sd_bus_flush_close_unref(host_bus);
	host_bus = dpu_bus;
}
END_TEST

START_TEST(unknown_paths_and_methods)
{
	static const char *const paths[] = {
		ROOT "/nonsense",    ROOT "/exports/x",  ROOT "/exports/01",
		ROOT "/exports/1/2", ROOT "/exports/_1", ROOT "/exports/99999999999999999999"};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		ck_assert_str_eq(
			try_call(host_bus, paths[i], "org.dococore.Export", "Revoke", NULL, ""),
			SD_BUS_ERROR_UNKNOWN_OBJECT);
	ck_assert_str_eq(
		try_call(host_bus, ROOT "/exports/12", "org.dococore.Export", "Revoke", NULL, ""),
		NOT_FOUND);
	ck_assert_str_eq(
		try_call(host_bus, ROOT "/devices/1", "org.dococore.Export", "Revoke", NULL, ""),
		SD_BUS_ERROR_UNKNOWN_METHOD);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "Nonsense", NULL, ""),
			 SD_BUS_ERROR_UNKNOWN_METHOD);
	ck_assert_str_eq(try_call(host_bus, ROOT, "org.nonsense", "Reload", NULL, ""),
			 SD_BUS_ERROR_UNKNOWN_METHOD);
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "GetExport", NULL, "t", (uint64_t)5),
			 NOT_FOUND);
}
END_TEST

/* --- signals --- */

static struct {
	unsigned n_added, n_removed, n_changed;
	unsigned n_peers, n_peers_added, n_peers_removed; /* of all signals */
	uint64_t n_lost, last_id;
	char last_kind[32];
} seen;

static int on_signal(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const char *kind;

	(void)user;
	(void)error;
	if (sd_bus_message_is_signal(m, MANAGER, "Lost")) {
		uint64_t n;

		ck_assert_int_gt(sd_bus_message_read(m, "t", &n), 0);
		seen.n_lost += n;
		return 0;
	}
	ck_assert_int_gt(sd_bus_message_read(m, "st", &kind, &seen.last_id), 0);
	snprintf(seen.last_kind, sizeof(seen.last_kind), "%s", kind);
	seen.n_added += sd_bus_message_is_signal(m, MANAGER, "Added") > 0;
	seen.n_changed += sd_bus_message_is_signal(m, MANAGER, "Changed") > 0;
	seen.n_removed += sd_bus_message_is_signal(m, MANAGER, "Removed") > 0;
	if (strcmp(kind, "peer") != 0)
		return 0;
	seen.n_peers++;
	seen.n_peers_added += sd_bus_message_is_signal(m, MANAGER, "Added") > 0;
	seen.n_peers_removed += sd_bus_message_is_signal(m, MANAGER, "Removed") > 0;
	return 0;
}

/* Waits for a number of signals. */
static void await_signals(sd_bus *bus, const unsigned *counter, unsigned n)
{
	uint64_t deadline = clock_now_ns() + 20 * NS_PER_SEC;

	while (*counter < n) {
		ck_assert_msg(clock_now_ns() < deadline, "%u of %u signals", *counter, n);
		if (sd_bus_process(bus, NULL) == 0)
			sd_bus_wait(bus, 1000000);
	}
}

static sd_bus *subscribe(enum side side)
{
	sd_bus *bus = dial(side);

	memset(&seen, 0, sizeof(seen));
	ck_assert_int_ge(sd_bus_match_signal(bus, NULL, NULL, ROOT, MANAGER, NULL, on_signal, NULL),
			 0);
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "Subscribe", NULL, ""), "");
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "Subscribe", NULL, ""), "");
	return bus;
}

START_TEST(signals)
{
	Dococore__ExportReply proof;
	sd_bus *bus = subscribe(SIDE_HOST);
	uint8_t secret[16];
	uint64_t id = one_export();
	char path[96];

	await_signals(bus, &seen.n_added, 1);
	ck_assert_str_eq(seen.last_kind, "export");
	ck_assert_uint_eq(seen.last_id, id);
	object_path(path, "exports", id);
	ck_assert_str_eq(try_call(bus, path, "org.dococore.Export", "Revoke", NULL, ""), "");
	await_signals(bus, &seen.n_removed, 1);
	ck_assert_uint_eq(seen.last_id, id);
	export_event(&proof, secret);
	await_signals(bus, &seen.n_added, 2);
	ck_assert_str_eq(seen.last_kind, "event");
	client_ask_import(&server, p0, &proof, DOCOCORE__EXPORT_KIND__SYNC_NET, "host");
	await_signals(bus, &seen.n_changed, 1);
	ck_assert_str_eq(seen.last_kind, "event");
	/* An unsubscribed connection gets no signals, the others do. */
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "Unsubscribe", NULL, ""), "");
	one_export();
	ck_assert_str_eq(try_call(bus, ROOT, MANAGER, "Unsubscribe", NULL, ""), "");
	while (sd_bus_process(bus, NULL) > 0)
		continue;
	ck_assert_uint_eq(seen.n_added, 2);
	sd_bus_flush_close_unref(bus);
}
END_TEST

/* What busctl monitor does: it does not subscribe, but gets the signals. */
START_TEST(monitor_gets_signals)
{
	sd_bus *bus = dial(SIDE_HOST);

	memset(&seen, 0, sizeof(seen));
	ck_assert_int_ge(sd_bus_match_signal(bus, NULL, NULL, ROOT, MANAGER, NULL, on_signal, NULL),
			 0);
	ck_assert_str_eq(try_call(bus, "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring",
				  "BecomeMonitor", NULL, "asu", 0, 0),
			 "");
	one_export();
	await_signals(bus, &seen.n_added, 1);
	sd_bus_flush_close_unref(bus);
}
END_TEST

static struct client dial_as_peer(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct client peer = {.conn = NULL};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/peer.sock", pair.dir);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	peer.conn = conn_new(fd, 1u << 20);
	ck_assert_ptr_nonnull(peer.conn);
	/* The daemon's hello. */
	ck_assert_ptr_nonnull(client_await(&peer));
	return peer;
}

/* A peer is reported once it is authenticated; others are not reported. */
START_TEST(authenticated_peers_are_reported)
{
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	sd_bus *bus = subscribe(SIDE_DPU);
	uint8_t id[16] = {3};
	struct client peer;

	for (int i = 0; i < 3; i++) {
		peer = dial_as_peer();
		client_close(&peer);
	}
	peer = dial_as_peer();
	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)"host";
	hello.daemon_id = (ProtobufCBinaryData){sizeof(id), id};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	ck_assert_int_eq(conn_send(peer.conn, &packet, NULL, 0), 0);
	await_signals(bus, &seen.n_peers, 1);
	ck_assert_uint_eq(seen.n_peers_added, 1);
	client_close(&peer);
	await_signals(bus, &seen.n_peers_removed, 1);
	ck_assert_uint_eq(seen.n_peers_added, 1);
	sd_bus_flush_close_unref(bus);
}
END_TEST

/* A reload revokes read access: no more signals are sent, and the connection ends. */
START_TEST(subscriber_loses_rights)
{
	uint64_t deadline = clock_now_ns() + 20 * NS_PER_SEC;
	sd_bus *bus;

	if (geteuid() != 0) {
		puts("not root: other users were not tried");
		return;
	}
	ck_assert_int_eq(seteuid(READER), 0);
	bus = subscribe(SIDE_HOST);
	ck_assert_int_eq(seteuid(0), 0);
	one_export();
	await_signals(bus, &seen.n_added, 1);
	pair_write_config(&pair, SIDE_HOST, "[daemon]\nadmin_read = user 40002\n");
	ck_assert_str_eq(try_call(host_bus, ROOT, MANAGER, "Reload", NULL, ""), "");
	one_export();
	while (sd_bus_is_open(bus) > 0) {
		ck_assert_uint_lt(clock_now_ns(), deadline);
		if (sd_bus_process(bus, NULL) == 0)
			sd_bus_wait(bus, 100000);
	}
	ck_assert_uint_eq(seen.n_added, 1);
	sd_bus_unref(bus);
	pair_write_config(&pair, SIDE_HOST, config_text);
}
END_TEST

/*
 * A subscriber that reads nothing for a long time gets the number of missed events, and delays no
 * other. The number is far above the capacity of socket buffers.
 */
START_TEST(slow_subscriber)
{
	sd_bus *bus = subscribe(SIDE_HOST);
	unsigned n = 0;

	for (; n < 15000; n++)
		one_export();
	while (seen.n_added + seen.n_lost < n) {
		unsigned before = seen.n_added;

		await_signals(bus, &seen.n_added, before + 1);
	}
	ck_assert_uint_eq(seen.n_added + seen.n_lost, n);
	ck_assert_uint_gt(seen.n_lost, 0);
	sd_bus_flush_close_unref(bus);
}
END_TEST

/* --- descriptors --- */

static void decode(const void *data, size_t len, const char *key, const char *expect)
{
	sd_bus_message *call = NULL, *reply = NULL;
	sd_bus_error error = SD_BUS_ERROR_NULL;
	const char *got = NULL;

	ck_assert_int_ge(sd_bus_message_new_method_call(host_bus, &call, "org.dococore", ROOT,
							MANAGER, "Decode"),
			 0);
	ck_assert_int_ge(sd_bus_message_append_array(call, 'y', data, len), 0);
	ck_assert_msg(sd_bus_call(host_bus, call, 0, &error, &reply) >= 0, "%s", error.message);
	ck_assert_int_ge(sd_bus_message_enter_container(reply, 'a', "{sv}"), 0);
	while (sd_bus_message_enter_container(reply, 'e', "sv") > 0) {
		const char *name;

		ck_assert_int_gt(sd_bus_message_read(reply, "s", &name), 0);
		ck_assert_ptr_null(strstr(name, "secret"));
		if (strcmp(name, key) == 0)
			ck_assert_int_gt(sd_bus_message_read(reply, "v", "s", &got), 0);
		else
			ck_assert_int_ge(sd_bus_message_skip(reply, "v"), 0);
		ck_assert_int_ge(sd_bus_message_exit_container(reply), 0);
	}
	ck_assert_str_eq(got ? got : "nothing", expect);
	sd_bus_message_unref(call);
	sd_bus_message_unref(reply);
}

START_TEST(descriptors)
{
	struct export_descriptor descriptor = {
		.kind = DOCOCORE__EXPORT_KIND__PCI, .permissions = 16, .len = 4096};
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN + 100];
	uint64_t random = 88172645463325252ull;

	descriptor.export_id = one_export();
	memcpy(descriptor.secret, client.reply->export_reply->secret.data, 16);
	export_descriptor_encode(&descriptor, bytes);
	decode(bytes, EXPORT_DESCRIPTOR_LEN, "alive", "yes");
	decode(bytes, sizeof(bytes), "program", "a test");
	decode(bytes, EXPORT_DESCRIPTOR_LEN, "importable", "no");
	decode(bytes, EXPORT_DESCRIPTOR_LEN, "type", "mmap-export");
	/* A wrong secret proves nothing, so nothing about the owner is shown. */
	descriptor.secret[3] ^= 1;
	export_descriptor_encode(&descriptor, bytes);
	decode(bytes, EXPORT_DESCRIPTOR_LEN, "alive", "no");
	decode(bytes, EXPORT_DESCRIPTOR_LEN, "program", "nothing");
	descriptor.side = 1;
	export_descriptor_encode(&descriptor, bytes);
	decode(bytes, EXPORT_DESCRIPTOR_LEN, "alive", "unknown");
	bytes[9] ^= 1;
	decode(bytes, EXPORT_DESCRIPTOR_LEN, "error",
	       "its checksum is wrong, it was damaged in transit");
	decode(bytes, 3, "error", "it is shorter than 80 bytes");
	decode(bytes, 0, "error", "it is shorter than 80 bytes");
	for (unsigned i = 0; i < UNIT_N(2000); i++) {
		export_descriptor_encode(&descriptor, bytes);
		bytes[unit_random(&random) % EXPORT_DESCRIPTOR_LEN] = (uint8_t)unit_random(&random);
		decode(bytes, unit_random(&random) % sizeof(bytes), "secret", "nothing");
	}
}
END_TEST

/* The output of doca_rdma_export() with either provider. */
START_TEST(connection_details)
{
	struct conn_params details = {
		.provider = "soft", .kind = CONN_PARAMS_RC, .len = EXPORT_DESCRIPTOR_LEN};
	struct export_descriptor descriptor = {.kind = EXPORT_KIND_RDMA_QP, .len = 4096};
	static const uint8_t qp[32] = {'V', 'Q', 1, 5, 0, 0,  1,  2,    0,
				       3,   4,   5, 0, 0, 16, 16, 0xfe, 0x80};
	uint8_t bytes[CONN_PARAMS_MAX];
	size_t len;

	export_descriptor_encode(&descriptor, details.body);
	len = conn_params_encode(&details, bytes);
	decode(bytes, len, "type", "rdma-connection");
	decode(bytes, len, "provider", "soft");
	decode(bytes, len, "kind", "rdma-qp");
	decode(bytes, len, "side", "host");
	decode(bytes, len, "alive", "no");
	details = (struct conn_params){
		.provider = "verbs", .kind = CONN_PARAMS_RC, .len = sizeof(qp)};
	memcpy(details.body, qp, sizeof(qp));
	len = conn_params_encode(&details, bytes);
	decode(bytes, len, "type", "rdma-connection");
	decode(bytes, len, "provider", "verbs");
	decode(bytes, len, "gid", "fe80::");
	decode(bytes, len, "alive", "unknown");
	decode(bytes, len, "importable", "no");
	decode(bytes, len, "importable_why", "no device of this side is bound to an RDMA device");
	bytes[len - 1] ^= 1;
	decode(bytes, len, "error", "their checksum is wrong, they were damaged in transit");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("operators");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, rights_of_users);
	tcase_add_test(tcase, unauthorised_callers_take_no_places);
	tcase_add_test(tcase, unauthorised_callers_fill_no_memory);
	tcase_add_test(tcase, idle_readers_give_way);
	tcase_add_test(tcase, authenticated_peers_are_reported);
	tcase_add_test(tcase, subscriber_loses_rights);
	tcase_add_test(tcase, revoked_export);
	tcase_add_test(tcase, disconnected_channel);
	tcase_add_test(tcase, dropped_client);
	tcase_add_test(tcase, reload_and_log_level);
	tcase_add_test(tcase, pages);
	tcase_add_test(tcase, tables);
	tcase_add_test(tcase, all_fields);
	tcase_add_test(tcase, sorted);
	tcase_add_test(tcase, counts);
	tcase_add_test(tcase, pages_of_changing_list);
	tcase_add_test(tcase, nodes);
	tcase_add_test(tcase, filters);
	tcase_add_test(tcase, excessive_texts);
	tcase_add_test(tcase, properties_of_all_kinds);
	tcase_add_test(tcase, unknown_paths_and_methods);
	tcase_add_test(tcase, signals);
	tcase_add_test(tcase, monitor_gets_signals);
	tcase_add_test(tcase, slow_subscriber);
	tcase_add_test(tcase, descriptors);
	tcase_add_test(tcase, connection_details);
	return unit_run(suite);
}
