/*
 * The permissions that a daemon grants, and the effect of a reload on connected clients: limits and
 * policy apply to later requests and take nothing away.
 */
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/daemon/dbus/bus_dump.h"
#include "tests/unit/daemon/pair.h"
#include "util/clock.h"

#define PCI      DOCOCORE__EXPORT_KIND__PCI
#define PCI_READ 16u
#define AWAIT_NS (30 * NS_PER_SEC)

static struct daemon_pair pair;

static void set_up(void)
{
	pair_set_up(&pair);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
}

static void start(const char *config)
{
	pair_write_config(&pair, SIDE_HOST, config);
	pair_start(&pair, SIDE_HOST);
}

static void reload(const char *config)
{
	pair_write_config(&pair, SIDE_HOST, config);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGHUP), 0);
}

/* Returns the handle, or 0 with an error in the client's last answer. */
static uint64_t try_open(struct client *client, const char *name)
{
	Dococore__DeviceOpen ask = DOCOCORE__DEVICE_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.name = (char *)name;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	packet.device_open = &ask;
	client_ask(client, &packet, NULL, 0);
	return client->reply->body_case == DOCOCORE__PACKET__BODY_HANDLE_REPLY
		       ? client->reply->handle_reply->handle
		       : 0;
}

static void close_handle(struct client *client, uint64_t handle)
{
	Dococore__HandleClose ask = DOCOCORE__HANDLE_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.handle = handle;
	packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
	packet.handle_close = &ask;
	client_ask(client, &packet, NULL, 0);
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

static bool try_export(struct client *client, uint64_t handle)
{
	client_ask_export(client, handle, PCI, PCI_READ, -1, 1);
	return client->reply->body_case == DOCOCORE__PACKET__BODY_EXPORT_REPLY;
}

/* Waits until a device can be opened, or no longer can: the reload has taken effect. */
static void await_open(struct client *client, const char *name, bool open)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS, handle;

	for (;;) {
		handle = try_open(client, name);
		if (handle)
			close_handle(client, handle);
		if (!!handle == open)
			return;
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 1);
	}
}

static void check_says(const struct client *client, enum code code, const char *fmt, ...)
{
	char expect[200];
	va_list ap;

	client_check_error(client, code);
	va_start(ap, fmt);
	vsnprintf(expect, sizeof(expect), fmt, ap);
	va_end(ap);
	ck_assert_msg(strstr(client->reply->error->text, expect) != NULL, "%s, expected %s",
		      client->reply->error->text, expect);
}

START_TEST(limits_are_named)
{
	unsigned uid = getuid();
	struct client client;
	char text[200];
	uint64_t pf0;

	snprintf(text, sizeof(text),
		 "[quota]\nhandles = 9\nexports = 2\n[quota user %u]\nhandles = 1\n"
		 "[quota total]\nimports = 0\n",
		 uid);
	start(text);
	client_open(&client, &pair, SIDE_HOST);
	pf0 = client_open_device(&client, "pf0");
	ck_assert_uint_eq(try_open(&client, "pf0"), 0);
	check_says(&client, CODE_NO_MEMORY,
		   "a device handle is over a limit: uid %u uses 1 of 1 handles; release some, or "
		   "the administrator raises handles in section [quota user %u]",
		   uid, uid);
	ck_assert(try_export(&client, pf0) && try_export(&client, pf0));
	ck_assert(!try_export(&client, pf0));
	check_says(&client, CODE_NO_MEMORY, "uid %u uses 2 of 2 exports; release some", uid);
	/* Keys that are missing in a user's section are those of [quota], also after a reload. */
	snprintf(text, sizeof(text),
		 "[quota]\nexports = 3\n[quota user %u]\nhandles = 5\n"
		 "[quota total]\nexports = 4\n",
		 uid);
	reload(text);
	await_open(&client, "pf0", true);
	ck_assert(try_export(&client, pf0) && !try_export(&client, pf0));
	check_says(&client, CODE_NO_MEMORY, "uid %u uses 3 of 3 exports; release some", uid);
	reload("[quota total]\nexports = 3\nhandles = 1\n");
	await_open(&client, "pf0", false);
	check_says(&client, CODE_NO_MEMORY,
		   "all users together use 1 of 1 handles; release some, or the administrator "
		   "raises handles in section [quota total]");
	ck_assert(!try_export(&client, pf0));
	check_says(&client, CODE_NO_MEMORY, "all users together use 3 of 3 exports");
	client_close(&client);
}
END_TEST

START_TEST(connections_are_limited)
{
	struct client client, second, other;
	char expect[100];

	start("[quota]\nsessions = 2\n");
	client_open(&client, &pair, SIDE_HOST);
	client_open(&second, &pair, SIDE_HOST);
	other = (struct client){.conn = conn_new(client_dial(&pair, SIDE_HOST), 65536)};
	ck_assert_ptr_nonnull(client_await(&other));
	client_check_error(&other, CODE_FULL);
	snprintf(expect, sizeof(expect), "uid %u uses 2 of 2 sessions", getuid());
	ck_assert_msg(strstr(other.reply->error->text, expect) != NULL, "%s",
		      other.reply->error->text);
	client_close(&other);
	client_close(&second);
	client_close(&client);
}
END_TEST

START_TEST(lowered_limits_release_nothing)
{
	struct client client;
	uint64_t handles[3];

	start("[quota]\nhandles = 4\n");
	client_open(&client, &pair, SIDE_HOST);
	for (int i = 0; i < 3; i++)
		handles[i] = client_open_device(&client, "pf0");
	reload("[quota]\nhandles = 2\n");
	await_open(&client, "pf0", false);
	for (int i = 0; i < 3; i++)
		ck_assert(try_export(&client, handles[i]));
	client_close(&client);
	client_open(&client, &pair, SIDE_HOST);
	await_open(&client, "pf0", true);
	handles[0] = client_open_device(&client, "pf0");
	handles[1] = client_open_device(&client, "pf0");
	ck_assert_uint_eq(try_open(&client, "pf0"), 0);
	/* Releasing a handle makes room only below the new limit. */
	reload("[quota]\nhandles = 1\n");
	close_handle(&client, handles[0]);
	await_open(&client, "pf0", false);
	close_handle(&client, handles[1]);
	ck_assert_uint_ne(try_open(&client, "pf0"), 0);
	client_close(&client);
}
END_TEST

START_TEST(policy_leaves_open_handles)
{
	struct client client;
	uint64_t pf0;

	start("");
	client_open(&client, &pair, SIDE_HOST);
	pf0 = client_open_device(&client, "pf0");
	reload("[policy]\npf0 = none\npf*vf? = none\npf0vf1 = any\n");
	await_open(&client, "pf0", false);
	check_says(&client, CODE_NOT_PERMITTED,
		   "device 'pf0' may not be opened by uid %u, gid %u: key 'pf0' of section "
		   "[policy]",
		   getuid(), getgid());
	ck_assert(try_export(&client, pf0));
	ck_assert_uint_eq(try_open(&client, "pf0vf0"), 0);
	check_says(&client, CODE_NOT_PERMITTED, "key 'pf*vf?' of section [policy]");
	ck_assert_uint_ne(try_open(&client, "pf0vf1"), 0);
	ck_assert_uint_ne(try_open(&client, "pf1"), 0);
	/* A rule for no device is refused and changes nothing. */
	reload("[policy]\npf7* = any\ndefault = none\n");
	reload("[policy]\npf1 = none\npf8 = any\n");
	for (int i = 0; i < 100; i++)
		ck_assert_uint_ne(try_open(&client, "pf1"), 0);
	ck_assert(try_export(&client, pf0));
	reload("[policy]\ndefault = any\n");
	await_open(&client, "pf0", true);
	client_close(&client);
}
END_TEST

/* A program learns from each connection which process its exports may permit to trace it. */
START_TEST(programs_are_told_whom_to_permit)
{
	static const struct {
		const char *config;
		uint32_t ptracer;
	} all[] = {
		{"", 2},
		{"[daemon]\nptracer = off\n", 1},
		{"[daemon]\nptracer = importer\n", 2},
		{"[daemon]\nptracer = any\n", 3},
	};
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	struct client client;
	uint32_t ptracer;

	start(all[_i].config);
	client_open(&client, &pair, SIDE_HOST);
	ck_assert_uint_eq(client.reply->hello_reply->ptracer, all[_i].ptracer);
	client_close(&client);
	reload("[daemon]\nptracer = off\n");
	do {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		client_open(&client, &pair, SIDE_HOST);
		ptracer = client.reply->hello_reply->ptracer;
		client_close(&client);
	} while (ptracer != 1);
}
END_TEST

/* More descriptors than the process may have are refused with a sentence, not by the kernel. */
START_TEST(descriptors_end_with_a_sentence)
{
	struct rlimit limit = {64, 64};
	struct client clients[7];

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	start("");
	/* The daemon and its peers have 40; of the other 24, one user leaves a quarter. */
	for (int i = 0; i < 6; i++)
		client_open(&clients[i], &pair, SIDE_HOST);
	clients[6] = (struct client){.conn = conn_new(client_dial(&pair, SIDE_HOST), 65536)};
	ck_assert_ptr_nonnull(client_await(&clients[6]));
	client_check_error(&clients[6], CODE_FULL);
	ck_assert_ptr_nonnull(strstr(clients[6].reply->error->text,
				     "uses 18 of 18 fds; release some, or the administrator raises "
				     "fds in section [quota] and LimitNOFILE of the service"));
	for (size_t i = 0; i < ARRAY_LEN(clients); i++)
		client_close(&clients[i]);
}
END_TEST

static char *property(const char *name)
{
	return bus_dump_call(&pair, SIDE_HOST, "org.freedesktop.DBus.Properties", "Get", "ss",
			     BUS_MANAGER, name);
}

/* Checks the value after the n-th occurrence of key. */
static void check_value(const char *text, const char *key, unsigned n, const char *value)
{
	text = bus_dump_value(text, key, n);
	ck_assert_msg(text != NULL, "no %s", key);
	text += 1 + strspn(text + 1, " ");
	ck_assert_msg(strncmp(text, value, strlen(value)) == 0, "%s: %.40s", key, text);
}

START_TEST(operators_see_limits_and_policy)
{
	struct client client;
	uint64_t pf0;
	char *text;

	start("[quota]\nexports = 7\n[quota total]\nexports = 70\n"
	      "[policy]\npf0 = any\npf*vf* = group 12, user 13\n");
	client_open(&client, &pair, SIDE_HOST);
	pf0 = client_open_device(&client, "pf0");
	ck_assert(try_export(&client, pf0) && try_export(&client, pf0));
	text = bus_dump_call(&pair, SIDE_HOST, BUS_MANAGER, "GetAccount", "t", (uint64_t)getuid());
	check_value(text, "section", 0, "STRING \"quota\"");
	check_value(text, "sessions", 0, "UINT64 1;");
	check_value(text, "sessions", 1, "UINT64 1024;");
	check_value(text, "exports", 0, "UINT64 2;");
	check_value(text, "exports", 1, "UINT64 7;");
	check_value(text, "handles", 0, "UINT64 1;");
	check_value(text, "fds", 0, "UINT64 3;");
	free(text);
	text = property("Total");
	check_value(text, "exports", 0, "UINT64 2;");
	check_value(text, "exports", 1, "UINT64 70;");
	free(text);
	text = property("Policy");
	check_value(text, "device", 0, "STRING \"pf0\"");
	check_value(text, "device", 1, "STRING \"pf*vf*\"");
	check_value(text, "who", 1, "STRING \"group 12, user 13\"");
	check_value(text, "line", 1, "UINT64 7;");
	check_value(text, "device", 2, "STRING \"default\"");
	check_value(text, "who", 2, "STRING \"any\"");
	check_value(text, "line", 2, "UINT64 0;");
	free(text);
	client_close(&client);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon policy");
	TCase *tcase = unit_case(suite, "one daemon", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, limits_are_named);
	tcase_add_test(tcase, connections_are_limited);
	tcase_add_test(tcase, lowered_limits_release_nothing);
	tcase_add_test(tcase, policy_leaves_open_handles);
	tcase_add_loop_test(tcase, programs_are_told_whom_to_permit, 0, 4);
	tcase_add_test(tcase, descriptors_end_with_a_sentence);
	tcase_add_test(tcase, operators_see_limits_and_policy);
	return unit_run(suite);
}
