/* See pair.h. */
#include "tests/unit/daemon/pair.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/inherit.h"
#include "daemon/daemon.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

/* Descriptors of a session: socket, pidfd, liveness page. */
#define SESSION_FDS 3
#define WAIT_NS     (30 * NS_PER_SEC)

void pair_set_up(struct daemon_pair *pair)
{
	*pair = (struct daemon_pair){.pass = NULL};
	unit_mkdtemp(pair->dir, sizeof(pair->dir), "pair");
}

static int daemon_process(const struct daemon_pair *pair, enum side side)
{
	struct daemon_options options = {
		.side = side,
		.config_file = *pair->config[side] ? pair->config[side] : NULL,
		.runtime_dir = pair->dir,
		.sysfs = pair->sysfs[side],
		.machine = pair->machine[side],
		.has_log_level = true,
		.log_level = getenv("DAEMON_LOG") ? LOG_LEVEL_DEBUG : pair->log_level,
		.fd_store = pair->fd_store,
	};
	struct daemon *daemon;
	int r;

	/* As main() does. */
	signal(SIGPIPE, SIG_IGN);
	r = daemon_new(&options, &daemon);
	if (r < 0)
		return 1;
	r = daemon_start(daemon);
	if (r == 0)
		r = daemon_run(daemon);
	daemon_free(daemon);
	return r < 0 ? 1 : 0;
}

static pid_t pair_fork(struct daemon_pair *pair, enum side side)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		/*
		 * Clients of the test must end when the test closes them, and the daemon must end
		 * with the test.
		 */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pair->pass)
			pair->pass();
		else
			close_range(3, ~0u, 0);
		inherit_init();
		exit(daemon_process(pair, side));
	}
	pair->pids[side] = pid;
	if (pair->forked)
		pair->forked();
	return pid;
}

bool pair_start_or_end(struct daemon_pair *pair, enum side side, int *status_out)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;
	pid_t pid = pair_fork(pair, side);
	int fd;

	while ((fd = client_dial(pair, side)) < 0) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		if (waitpid(pid, status_out, WNOHANG) == pid) {
			pair->pids[side] = 0;
			return false;
		}
		poll(NULL, 0, 2);
	}
	close(fd);
	return true;
}

void pair_start(struct daemon_pair *pair, enum side side)
{
	int status = 0;
	bool has_started = pair_start_or_end(pair, side, &status);

	ck_assert_msg(has_started, "the daemon ended with wait status %#x", status);
	/* Tests count the daemon's descriptors from here on. */
	pair_settled_fds(pair, side);
}

int pair_try_start(struct daemon_pair *pair, enum side side)
{
	pid_t pid = pair_fork(pair, side);
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	pair->pids[side] = 0;
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

void pair_wait_linked(struct daemon_pair *pair)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;
	struct client client;
	size_t n = 0;

	client_open(&client, pair, SIDE_DPU);
	while (n < 4) {
		Dococore__RepList ask = DOCOCORE__REP_LIST__INIT;
		Dococore__Packet packet = DOCOCORE__PACKET__INIT;

		ask.device_id = 1;
		packet.body_case = DOCOCORE__PACKET__BODY_REP_LIST;
		packet.rep_list = &ask;
		client_ask(&client, &packet, NULL, 0);
		ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_REP_LIST_REPLY);
		n = client.reply->rep_list_reply->n_reps;
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 2);
	}
	client_close(&client);
}

void pair_start_linked(struct daemon_pair *pair)
{
	pair_start(pair, SIDE_DPU);
	pair_start(pair, SIDE_HOST);
	pair_wait_linked(pair);
}

int pair_stop(struct daemon_pair *pair, enum side side, int signo)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;
	int status = -1;

	ck_assert_int_gt(pair->pids[side], 0);
	ck_assert_int_eq(kill(pair->pids[side], signo), 0);
	while (waitpid(pair->pids[side], &status, WNOHANG) == 0) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 2);
	}
	pair->pids[side] = 0;
	return status;
}

void pair_freeze(const struct daemon_pair *pair, enum side side)
{
	siginfo_t info;

	ck_assert_int_gt(pair->pids[side], 0);
	ck_assert_int_eq(kill(pair->pids[side], SIGSTOP), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pair->pids[side], &info, WSTOPPED | WNOWAIT), 0);
}

void pair_tear_down(struct daemon_pair *pair)
{
	struct dirent *entry;
	DIR *dir;

	for (int side = SIDE_HOST; side <= SIDE_DPU; side++)
		if (pair->pids[side])
			ck_assert_int_eq(pair_stop(pair, (enum side)side, SIGTERM), 0);
	dir = opendir(pair->dir);
	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)))
		if (*entry->d_name != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	ck_assert_int_eq(rmdir(pair->dir), 0);
}

static void pair_write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

void pair_write_config(struct daemon_pair *pair, enum side side, const char *text)
{
	char path[sizeof(pair->config[0])];

	snprintf(path, sizeof(path), "%s/%s.conf", pair->dir, side_name(side));
	memcpy(pair->config[side], path, sizeof(path));
	pair_write_file(path, text);
}

void pair_write_topology(struct daemon_pair *pair, enum side side, const char *text)
{
	char path[sizeof(pair->config[0])], config[200];

	snprintf(path, sizeof(path), "%s/%s.topology", pair->dir, side_name(side));
	pair_write_file(path, text);
	snprintf(config, sizeof(config), "[daemon]\ntopology = %s\n", path);
	pair_write_config(pair, side, config);
}

size_t pair_count_fds(const struct daemon_pair *pair, enum side side)
{
	struct dirent *entry;
	char path[64];
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pair->pids[side]);
	dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)))
		n += *entry->d_name != '.';
	closedir(dir);
	return n;
}

/*
 * Returns true once the daemon has closed the client's descriptors, after a count that included
 * them.
 */
static bool pair_await_fewer(const struct daemon_pair *pair, enum side side, size_t n_fds)
{
	uint64_t deadline_ns = clock_now_ns() + 200 * NS_PER_MS;

	while (pair_count_fds(pair, side) + SESSION_FDS > n_fds) {
		if (clock_now_ns() > deadline_ns)
			return false;
		poll(NULL, 0, 2);
	}
	return true;
}

size_t pair_settled_fds(const struct daemon_pair *pair, enum side side)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;
	struct client client;
	size_t n_fds, n_before, n_settled = 0;

	/*
	 * The other daemon may link just after the count, which adds a descriptor permanently; or
	 * another client may have ended, such as a probe whether the daemon listens. The same
	 * number twice is stable.
	 */
	do {
		n_before = n_settled;
		do {
			ck_assert_uint_lt(clock_now_ns(), deadline_ns);
			client_open(&client, pair, side);
			n_fds = pair_count_fds(pair, side);
			client_close(&client);
		} while (!pair_await_fewer(pair, side, n_fds));
		n_settled = pair_count_fds(pair, side);
	} while (n_settled != n_before);
	return n_settled;
}

int client_dial(const struct daemon_pair *pair, enum side side)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/%s.sock", pair->dir, side_name(side));
	if (fd < 0 || connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -errno;
	return fd_steal(&fd);
}

static void client_drop_reply(struct client *client)
{
	if (client->reply)
		dococore__packet__free_unpacked(client->reply, NULL);
	client->reply = NULL;
	fdset_deinit(&client->fds);
}

/* Returns the daemon's first packet, or NULL if it ended the connection without one. */
static const Dococore__Packet *client_greet(struct client *client, const struct daemon_pair *pair,
					    enum side side)
{
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fd = client_dial(pair, side);

	*client = (struct client){.conn = NULL};
	if (fd < 0)
		return NULL;
	client->conn = conn_new(fd, 1u << 20);
	ck_assert_ptr_nonnull(client->conn);
	hello.protocol = FRAME_PROTOCOL;
	hello.program = (char *)"a test";
	packet.id = ++client->next_id;
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	packet.hello = &hello;
	return conn_send(client->conn, &packet, NULL, 0) == 0 ? client_await(client) : NULL;
}

bool client_try_open(struct client *client, const struct daemon_pair *pair, enum side side)
{
	const Dococore__Packet *reply = client_greet(client, pair, side);

	if (reply != NULL && reply->body_case == DOCOCORE__PACKET__BODY_HELLO_REPLY)
		return true;
	client_close(client);
	return false;
}

void client_open(struct client *client, const struct daemon_pair *pair, enum side side)
{
	const Dococore__Packet *reply = client_greet(client, pair, side);

	ck_assert_ptr_nonnull(reply);
	ck_assert_msg(reply->body_case == DOCOCORE__PACKET__BODY_HELLO_REPLY,
		      "no session, packet %d: %s", (int)reply->body_case,
		      reply->body_case == DOCOCORE__PACKET__BODY_ERROR ? reply->error->text : "");
	ck_assert_uint_eq(reply->id, client->next_id);
	ck_assert_str_eq(client->reply->hello_reply->side, side_name(side));
	ck_assert_int_eq(memfd_verify(client->fds.fds[0], client->reply->hello_reply->liveness_len),
			 0);
}

void client_close(struct client *client)
{
	client_drop_reply(client);
	client->conn = conn_free(client->conn);
}

void client_send(struct client *client, Dococore__Packet *packet, const int *fds, size_t n_fds)
{
	if (packet->body_case != DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT &&
	    packet->body_case != DOCOCORE__PACKET__BODY_COUNTERS_SHARE)
		packet->id = ++client->next_id;
	ck_assert_int_eq(conn_send(client->conn, packet, fds, n_fds), 0);
}

const Dococore__Packet *client_await(struct client *client)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;
	int r;

	client_drop_reply(client);
	while ((r = conn_recv(client->conn, &client->reply, &client->fds)) == 0) {
		struct pollfd p = {.fd = conn_fd(client->conn), .events = POLLIN};

		ck_assert_int_eq(poll(&p, 1, clock_poll_timeout(deadline_ns)), 1);
	}
	if (r == -ECONNRESET)
		return NULL;
	ck_assert_msg(r == 1, "%s", conn_error(client->conn));
	return client->reply;
}

const Dococore__Packet *client_ask(struct client *client, Dococore__Packet *packet, const int *fds,
				   size_t n_fds)
{
	client_send(client, packet, fds, n_fds);
	ck_assert_ptr_nonnull(client_await(client));
	ck_assert_uint_eq(client->reply->id, packet->id);
	return client->reply;
}

void client_check_error(const struct client *client, enum code code)
{
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_ERROR);
	ck_assert_msg(client->reply->error->code == (uint32_t)code, "code %u, expected %u: %s",
		      client->reply->error->code, (unsigned)code, client->reply->error->text);
	ck_assert_uint_gt(strlen(client->reply->error->text), 20);
}

static uint64_t client_handle(const struct client *client)
{
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_HANDLE_REPLY);
	return client->reply->handle_reply->handle;
}

void client_receive_proof(const struct client *client, struct proof *proof)
{
	ck_assert_msg(client->reply->body_case == DOCOCORE__PACKET__BODY_EXPORT_REPLY, "%s",
		      client->reply->body_case == DOCOCORE__PACKET__BODY_ERROR
			      ? client->reply->error->text
			      : "another message");
	proof->reply = *client->reply->export_reply;
	ck_assert_uint_eq(proof->reply.secret.len, sizeof(proof->secret));
	memcpy(proof->secret, proof->reply.secret.data, sizeof(proof->secret));
	proof->reply.secret.data = proof->secret;
}

uint32_t client_count_reps(struct client *client, uint32_t device_id)
{
	Dococore__RepList ask = DOCOCORE__REP_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	const Dococore__RepListReply *reply;

	ask.device_id = device_id;
	packet.body_case = DOCOCORE__PACKET__BODY_REP_LIST;
	packet.rep_list = &ask;
	client_ask(client, &packet, NULL, 0);
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_REP_LIST_REPLY);
	reply = client->reply->rep_list_reply;
	ck_assert_uint_eq(reply->n_reps, reply->total);
	return reply->total;
}

uint64_t client_open_device(struct client *client, const char *name)
{
	Dococore__DeviceOpen ask = DOCOCORE__DEVICE_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.name = (char *)name;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	packet.device_open = &ask;
	client_ask(client, &packet, NULL, 0);
	return client_handle(client);
}

uint64_t client_open_rep(struct client *client, const char *name)
{
	Dococore__RepOpen ask = DOCOCORE__REP_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.name = (char *)name;
	packet.body_case = DOCOCORE__PACKET__BODY_REP_OPEN;
	packet.rep_open = &ask;
	client_ask(client, &packet, NULL, 0);
	return client_handle(client);
}

const Dococore__Packet *client_ask_export(struct client *client, uint64_t device,
					  Dococore__ExportKind kind, uint32_t permissions,
					  int memfd, uint64_t len)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.kind = kind;
	ask.addr = 0x10000;
	ask.len = len;
	ask.permissions = permissions;
	ask.memory = memfd < 0 ? DOCOCORE__MEMORY_KIND__PRIVATE : DOCOCORE__MEMORY_KIND__MEMFD;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	return client_ask(client, &packet, &memfd, memfd < 0 ? 0 : 1);
}

const Dococore__Packet *client_ask_import(struct client *client, uint64_t device,
					  const Dococore__ExportReply *export,
					  Dococore__ExportKind kind, const char *side)
{
	Dococore__ImportCreate ask = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.kind = kind;
	ask.export_id = export->export_id;
	ask.secret = export->secret;
	ask.exporter_side = (char *)side;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &ask;
	return client_ask(client, &packet, NULL, 0);
}

const Dococore__Packet *client_ask_server(struct client *client, uint64_t device, uint64_t rep,
					  const char *name, uint32_t max_msg_size)
{
	Dococore__ServerCreate ask = DOCOCORE__SERVER_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.rep = rep;
	ask.name = (char *)name;
	ask.max_msg_size = max_msg_size;
	ask.recv_queue_size = 8;
	packet.body_case = DOCOCORE__PACKET__BODY_SERVER_CREATE;
	packet.server_create = &ask;
	return client_ask(client, &packet, NULL, 0);
}

static const Dococore__Packet *ask_connect(struct client *client, uint64_t device, const char *name,
					   uint32_t max_msg_size, bool wants_arrived)
{
	Dococore__ChannelConnect ask = DOCOCORE__CHANNEL_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.name = (char *)name;
	ask.max_msg_size = max_msg_size;
	ask.recv_queue_size = 16;
	ask.wants_arrived = wants_arrived;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CONNECT;
	packet.channel_connect = &ask;
	return client_ask(client, &packet, NULL, 0);
}

const Dococore__Packet *client_ask_connect(struct client *client, uint64_t device, const char *name,
					   uint32_t max_msg_size)
{
	return ask_connect(client, device, name, max_msg_size, false);
}

const Dococore__Packet *client_ask_connect_arrived(struct client *client, uint64_t device,
						   const char *name, uint32_t max_msg_size)
{
	return ask_connect(client, device, name, max_msg_size, true);
}

const Dococore__Packet *client_ask_fetch(struct client *client, uint64_t channel)
{
	Dococore__ChannelFetch ask = DOCOCORE__CHANNEL_FETCH__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.channel_id = channel;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_FETCH;
	packet.channel_fetch = &ask;
	return client_ask(client, &packet, NULL, 0);
}

static void ask_close(struct client *client, uint64_t channel, bool is_lost)
{
	Dococore__ChannelClose ask = DOCOCORE__CHANNEL_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.channel_id = channel;
	ask.is_lost = is_lost;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CLOSE;
	packet.channel_close = &ask;
	client_ask(client, &packet, NULL, 0);
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

void client_close_channel(struct client *client, uint64_t channel)
{
	ask_close(client, channel, false);
}

void client_lose_channel(struct client *client, uint64_t channel)
{
	ask_close(client, channel, true);
}

void client_receive_events(struct client *client, struct event_reader *reader, uint32_t len)
{
	int memfd = fdset_steal(&client->fds, 0), eventfd = fdset_steal(&client->fds, 1);

	*reader = (struct event_reader)EVENT_READER_INIT;
	ck_assert_int_eq(event_reader_init(reader, memfd, eventfd, len), 0);
}

struct event events_await(struct event_reader *reader)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;
	struct event event;

	while (event_reader_pop(reader, &event) == 0) {
		struct pollfd p = {.fd = reader->eventfd, .events = POLLIN};

		if (!event_reader_arm(reader))
			ck_assert_int_eq(poll(&p, 1, clock_poll_timeout(deadline_ns)), 1);
		event_reader_disarm(reader);
		fd_eventfd_clear(reader->eventfd);
	}
	return event;
}
