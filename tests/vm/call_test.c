/*
 * Messages of a comch connection between two machines with RDMA devices: a client on the host's
 * side, a server on the DPU's. The messages bypass the daemons, which the library's log shows,
 * except with DOCOCORED_MIRROR=0.
 *
 *   call_test server CASE            the host's side; it listens for the other process
 *   call_test client CASE ADDRESS    the DPU's; IPv4, of the server
 *
 * Cases: talk (all sizes, both directions at once), asleep (requests and replies in turn, each
 * process sleeps while it waits), full (one end does not receive), leaves (one end stops directly
 * after its last message), frozen (the daemons are stopped for a while), revoked, killed, removed_a
 * and removed_b (the host's or the DPU's device is removed), off_host and off_dpu (that machine is
 * switched off; run with DOCOCORED_MIRROR=0); relay (the talk case; with DOCOCORED_MIRROR=0, too).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <doca_comch.h>
#include <doca_log.h>
#include <dococ.h>

#include "tests/vm/base.h"

#define SERVICE "call"
#define N_MSGS  1000u
#define N_TURNS 200u
/* longer than the 5 s after which a call to the daemon fails */
#define FROZEN_S          7
#define QUEUE             32u
#define LEN_MAX           4080u
#define SENT_DIRECTLY     "an RDMA device writes messages to the other machine"
#define RECEIVED_DIRECTLY "the other machine writes its messages with its RDMA device"

static struct {
	bool is_server; /* the process on the host's side */
	int sock;
	FILE *log;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *conn;
	unsigned n_connects, n_disconnects, n_sent, n_received;
	bool may_fail; /* sends may fail */
} end;

static uint32_t len_of(unsigned i)
{
	return 1 + i * 997 % LEN_MAX;
}

/* --- callbacks --- */

static void on_send(struct doca_comch_task_send *task, union doca_data a, union doca_data b)
{
	(void)a;
	(void)b;
	if (!end.may_fail)
		OK(doca_task_get_status(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	end.n_sent++;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *conn)
{
	(void)event;
	(void)conn;
	check(len == len_of(end.n_received), "%u bytes of message %u", len, end.n_received);
	base_verify(bytes, 0, len, end.n_received++);
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *conn, uint8_t is_fine)
{
	(void)event;
	check(is_fine, "%s", dococ_last_error());
	end.conn = conn;
	end.n_connects++;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *conn, uint8_t is_fine)
{
	(void)event;
	(void)conn;
	(void)is_fine;
	end.n_disconnects++;
}

/* --- both ends --- */

static bool log_has(const char *words)
{
	char line[1024];
	bool has = false;

	fflush(end.log);
	rewind(end.log);
	while (!has && fgets(line, sizeof(line), end.log) != NULL)
		has = strstr(line, words) != NULL;
	fseek(end.log, 0, SEEK_END);
	return has;
}

static void log_open(void)
{
	struct doca_log_backend *backend;

	/* There may be no writable directory. */
	end.log = fdopen(memfd_create("log", MFD_CLOEXEC), "w+");
	check(end.log != NULL, "no file for the log");
	OK(doca_log_backend_create_with_file_sdk(end.log, &backend));
	OK(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
}

static void dpu_open(void)
{
	end.rep = base_rep_open(end.dev);
	OK(doca_comch_server_create(end.dev, end.rep, SERVICE, &end.server));
	end.ctx = doca_comch_server_as_ctx(end.server);
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_comch_server_task_send_set_conf(end.server, on_send, on_send, 64));
	OK(doca_comch_server_set_recv_queue_size(end.server, QUEUE));
	OK(doca_comch_server_event_msg_recv_register(end.server, on_message));
	OK(doca_comch_server_event_connection_status_changed_register(end.server, on_connect,
								      on_disconnect));
	OK(doca_ctx_start(end.ctx));
	meet_step(end.sock);
	base_await(end.pe, &end.n_connects, 1, false);
}

static enum doca_ctx_states state(void)
{
	enum doca_ctx_states now;

	OK(doca_ctx_get_state(end.ctx, &now));
	return now;
}

static void host_open(void)
{
	time_t until = time(NULL) + TIMEOUT_S;

	OK(doca_comch_client_create(end.dev, SERVICE, &end.client));
	end.ctx = doca_comch_client_as_ctx(end.client);
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_comch_client_task_send_set_conf(end.client, on_send, on_send, 64));
	OK(doca_comch_client_set_recv_queue_size(end.client, QUEUE));
	OK(doca_comch_client_event_msg_recv_register(end.client, on_message));
	meet_step(end.sock);
	FAILS(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
	while (state() != DOCA_CTX_STATE_RUNNING) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "%s", dococ_last_error());
	}
	OK(doca_comch_client_get_connection(end.client, &end.conn));
}

static void open_all(void)
{
	log_open();
	end.dev = base_dev_open(NULL);
	OK(doca_pe_create(&end.pe));
	if (end.is_server)
		host_open();
	else
		dpu_open();
}

static void close_all(void)
{
	base_ctx_stop(end.pe, end.ctx);
	if (end.server != NULL)
		OK(doca_comch_server_destroy(end.server));
	else
		OK(doca_comch_client_destroy(end.client));
	OK(doca_pe_destroy(end.pe));
	if (end.rep != NULL)
		OK(doca_dev_rep_close(end.rep));
	OK(doca_dev_close(end.dev));
}

/* Waits until both directions bypass the daemons. */
static void await_paths(void)
{
	time_t until = time(NULL) + TIMEOUT_S;

	while (!log_has(SENT_DIRECTLY) || !log_has(RECEIVED_DIRECTLY)) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "it goes by the daemons still");
	}
	meet_step(end.sock);
}

static doca_error_t send_one(unsigned i)
{
	struct doca_comch_task_send *task;
	static uint8_t bytes[LEN_MAX];
	doca_error_t result;

	base_fill(bytes, 0, len_of(i), i);
	if (end.is_server)
		result = doca_comch_client_task_send_alloc_init(end.client, end.conn, bytes,
								len_of(i), &task);
	else
		result = doca_comch_server_task_send_alloc_init(end.server, end.conn, bytes,
								len_of(i), &task);
	if (result != DOCA_SUCCESS && end.may_fail)
		return result;
	OK(result);
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
	return result;
}

static void send_retry(unsigned i)
{
	time_t until = time(NULL) + TIMEOUT_S;
	doca_error_t result;

	while ((result = send_one(i)) == DOCA_ERROR_AGAIN) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "message %u: %s", i, dococ_last_error());
	}
	OK(result);
}

/* --- cases --- */

static void exchange(void)
{
	for (unsigned i = 0; i < N_MSGS; i++) {
		send_retry(i);
		if (i % 7 == 0)
			base_await(end.pe, &end.n_sent, i + 1, false);
	}
	base_await(end.pe, &end.n_sent, N_MSGS, false);
	base_await(end.pe, &end.n_received, N_MSGS, false);
	meet_step(end.sock);
}

/* Only one message is in flight at a time: nothing but its ring wakes the waiting process. */
static void case_asleep(void)
{
	for (unsigned i = 0; i < N_TURNS; i++) {
		if (!end.is_server)
			base_await(end.pe, &end.n_received, i + 1, true);
		send_retry(i);
		base_await(end.pe, &end.n_sent, i + 1, true);
		if (end.is_server)
			base_await(end.pe, &end.n_received, i + 1, true);
	}
	meet_step(end.sock);
}

static pid_t daemon_pid(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	const char *path = getenv("DOCOCORED_SOCKET");
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct ucred cred;
	socklen_t len = sizeof(cred);

	check(path != NULL && strlen(path) < sizeof(addr.sun_path), "no DOCOCORED_SOCKET");
	strcpy(addr.sun_path, path);
	check(sock >= 0 && connect(sock, (struct sockaddr *)&addr, sizeof(addr)) == 0, "%m");
	check(getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0, "%m");
	close(sock);
	return cred.pid;
}

/*
 * After the connection is established, both daemons are stopped for longer than a call waits.
 * Progress still works, nothing is closed, and the messages bypass the daemons once these run
 * again.
 */
static void case_daemons_stopped(void)
{
	pid_t pid = daemon_pid();
	time_t until = time(NULL) + FROZEN_S;

	check(kill(pid, SIGSTOP) == 0, "%m");
	while (time(NULL) < until)
		(void)doca_pe_progress(end.pe);
	check(kill(pid, SIGCONT) == 0, "%m");
	await_paths();
	exchange();
}

/* An operator revokes the exports of the host's process. */
static void case_revoked(void)
{
	time_t until = time(NULL) + TIMEOUT_S;

	if (!end.is_server) {
		base_await(end.pe, &end.n_disconnects, 1, true);
		return;
	}
	meet_send("revoke it");
	meet_await_notified();
	while (state() != DOCA_CTX_STATE_IDLE) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "it goes on");
	}
}

/* The host's process sends until the queue is full, while the other one does not progress. */
static void case_queue_full(void)
{
	unsigned n = 0;

	if (!end.is_server) {
		meet_step(end.sock);
		meet_get(end.sock, &n, sizeof(n));
		base_await(end.pe, &end.n_received, n, false);
		meet_step(end.sock);
		return;
	}
	while (send_one(n) == DOCA_SUCCESS) {
		n++;
		base_await(end.pe, &end.n_sent, n, false);
		check(n <= QUEUE, "%u messages, and a queue of %u", n, QUEUE);
	}
	check(n == QUEUE, "%u messages, and a queue of %u", n, QUEUE);
	meet_step(end.sock);
	n++;
	meet_put(end.sock, &n, sizeof(n));
	send_retry(n - 1);
	meet_step(end.sock);
}

/* The host's process stops at once; all its messages arrive. */
static void case_leaves(void)
{
	if (end.is_server) {
		for (unsigned i = 0; i < QUEUE; i++)
			send_retry(i);
		return;
	}
	base_await(end.pe, &end.n_disconnects, 1, false);
	check(end.n_received == QUEUE, "%u messages", end.n_received);
}

static void case_killed(void)
{
	if (end.is_server) {
		base_await(end.pe, &end.n_received, 30, false);
		raise(SIGKILL);
	}
	for (unsigned i = 0; i < 30; i++)
		send_retry(i);
	base_await(end.pe, &end.n_disconnects, 1, true);
}

/* Messages are in flight in both directions; those that are not sent fail. */
static void case_removed(bool is_hosts)
{
	time_t until = time(NULL) + TIMEOUT_S;
	unsigned n = 0;

	end.may_fail = true;
	/* The DPU's server keeps running without the host's device. */
	while (end.is_server || !is_hosts ? state() == DOCA_CTX_STATE_RUNNING
					  : end.n_disconnects == 0) {
		if (end.n_disconnects == 0 && end.n_sent + QUEUE / 2 > n &&
		    send_one(n) == DOCA_SUCCESS && ++n == 100)
			meet_send("ready");
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "%u sent, %u received", end.n_sent, end.n_received);
	}
	printf("as it should be: %s\n", dococ_last_error());
	while (end.n_sent < n) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "%u messages do not end", n - end.n_sent);
	}
	meet_step(end.sock);
}

/*
 * One end sends until its machine is switched off; the other one sees the disconnection when the
 * link has been silent for the configured time.
 */
static void case_off(bool is_mine)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	const char *limit_ms = getenv("LINK_TIMEOUT_MS");
	uint64_t answered_ms = base_now_ms();
	time_t until = time(NULL) + 2 * TIMEOUT_S;
	unsigned n_replies = 0;

	for (unsigned i = 0; is_mine; i++) {
		send_retry(i);
		base_await(end.pe, &end.n_sent, i + 1, false);
		nanosleep(&pause, NULL);
	}
	check(limit_ms != NULL, "LINK_TIMEOUT_MS is that of the daemon's configuration");
	while (end.is_server ? state() == DOCA_CTX_STATE_RUNNING : end.n_disconnects == 0) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "it is not told");
		if (end.n_received == n_replies)
			continue;
		n_replies = end.n_received;
		answered_ms = base_now_ms();
		if (n_replies == 5)
			meet_send("ready");
	}
	base_check_limit(answered_ms, strtoull(limit_ms, NULL, 10));
	meet_send("lost");
}

int main(int argc, char **argv)
{
	const char *name;

	setvbuf(stdout, NULL, _IOLBF, 0);
	check(argc >= 3, "usage: call_test server|client CASE [ADDRESS]");
	end.is_server = strcmp(argv[1], "server") == 0;
	name = argv[2];
	end.sock = meet_open(name, end.is_server, argc > 3 ? argv[3] : NULL);
	open_all();
	if (strcmp(name, "relay") != 0 && strcmp(name, "frozen") != 0 &&
	    strncmp(name, "off_", 4) != 0)
		await_paths();
	if (strcmp(name, "relay") == 0 || strcmp(name, "talk") == 0)
		exchange();
	else if (strcmp(name, "asleep") == 0)
		case_asleep();
	else if (strcmp(name, "full") == 0)
		case_queue_full();
	else if (strcmp(name, "leaves") == 0)
		case_leaves();
	else if (strcmp(name, "frozen") == 0)
		case_daemons_stopped();
	else if (strcmp(name, "revoked") == 0)
		case_revoked();
	else if (strncmp(name, "off_", 4) == 0)
		case_off(end.is_server == (strcmp(name, "off_host") == 0));
	else if (strncmp(name, "removed_", 8) == 0)
		case_removed(strcmp(name, "removed_a") == 0);
	else
		case_killed();
	if (strcmp(name, "relay") == 0)
		check(!log_has(SENT_DIRECTLY) && !log_has(RECEIVED_DIRECTLY),
		      "it went past the daemons");
	close_all();
	printf("%s: ok\n", name);
	return 0;
}
