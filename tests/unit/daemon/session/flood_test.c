/*
 * A daemon's log cannot be flooded: whatever other processes repeat, each place in the source
 * writes a bounded number of lines about their user, then one line with the number of the others.
 * The daemon's lines are in a file here.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/base/log_limit.h"
#include "tests/unit/daemon/pair.h"
#include "util/fd.h"

#define N_TIMES 300

static struct daemon_pair pair;
static char log_path[128];

static void become_daemon(void)
{
	int fd = open(log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(3);
	close_range(3, ~0u, 0);
}

static void set_up(void)
{
	pair_set_up(&pair);
	snprintf(log_path, sizeof(log_path), "%s/log", pair.dir);
	pair.log_level = LOG_LEVEL_INFO;
	pair.pass = become_daemon;
	pair_start(&pair, SIDE_HOST);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
}

struct found {
	unsigned n_lines, n_with_uid, n_counts;
};

/* Finds the daemon's lines with a text, after its end. */
static struct found find_lines(const char *text)
{
	struct found found = {0};
	char line[4096], uid[32];
	FILE *file;

	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	snprintf(uid, sizeof(uid), "uid %u: ", geteuid());
	file = fopen(log_path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, text))
			continue;
		found.n_lines++;
		found.n_with_uid += strstr(line, uid) != NULL;
		found.n_counts += strstr(line, "more lines like this one") != NULL;
	}
	fclose(file);
	return found;
}

static void check_bounded(const char *text)
{
	struct found found = find_lines(text);

	ck_assert_uint_eq(found.n_lines, LOG_LIMIT_BURST + 1);
	ck_assert_uint_eq(found.n_with_uid, found.n_lines);
	ck_assert_uint_eq(found.n_counts, 1);
}

START_TEST(clients_that_break_the_protocol)
{
	for (int i = 0; i < N_TIMES; i++) {
		struct client client = {.conn = NULL};

		client.conn = conn_new(client_dial(&pair, SIDE_HOST), 65536);
		ck_assert_ptr_nonnull(client.conn);
		ck_assert_int_eq(send(conn_fd(client.conn), "\xff\xff", 2, MSG_NOSIGNAL), 2);
		while (client_await(&client))
			;
		client_close(&client);
	}
	check_bounded("dropped");
}
END_TEST

START_TEST(clients_that_are_too_many)
{
	enum { MAX = 2 };
	struct client clients[MAX];

	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	pair_write_config(&pair, SIDE_HOST, "[quota]\nsessions = 2\n");
	pair_start(&pair, SIDE_HOST);
	for (int i = 0; i < MAX; i++)
		client_open(&clients[i], &pair, SIDE_HOST);
	for (int i = 0; i < N_TIMES; i++) {
		struct client client;

		ck_assert(!client_try_open(&client, &pair, SIDE_HOST));
	}
	for (int i = 0; i < MAX; i++)
		client_close(&clients[i]);
	check_bounded("refused");
}
END_TEST

/* Ends when the daemon has ended the connection. */
static void send_garbage_to_bus(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char buf[256];

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/host.bus", pair.dir);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	(void)send(fd, "nonsense\r\n\r\n", 12, MSG_NOSIGNAL);
	while (recv(fd, buf, sizeof(buf), 0) > 0)
		;
}

START_TEST(nonsense_on_the_bus)
{
	for (int i = 0; i < N_TIMES; i++)
		send_garbage_to_bus();
	check_bounded("bus client");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon/flood");
	TCase *tcase = unit_case(suite, "flood", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, clients_that_break_the_protocol);
	tcase_add_test(tcase, clients_that_are_too_many);
	tcase_add_test(tcase, nonsense_on_the_bus);
	return unit_run(suite);
}
