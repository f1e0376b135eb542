/*
 * Faults that a daemon must survive: packets that break rules, clients that do not read, many
 * connections, no descriptors, invalid configuration at run time. After each, the daemon serves
 * other clients, has closed the descriptors that it received, and exits with code 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/daemon/pair.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define PCI      DOCOCORE__EXPORT_KIND__PCI
#define PCI_READ 16u
#define AWAIT_NS (30 * NS_PER_SEC)

static struct daemon_pair pair;

static void set_up(void)
{
	pair_set_up(&pair);
	pair_start(&pair, SIDE_HOST);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
}

/* Waits until the daemon has this number of descriptors again. */
static void await_fds_of(enum side side, size_t n)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (pair_count_fds(&pair, side) != n) {
		ck_assert_msg(clock_now_ns() < deadline_ns, "%zu descriptors, expected %zu",
			      pair_count_fds(&pair, side), n);
		poll(NULL, 0, 2);
	}
}

static void await_fds(size_t n)
{
	await_fds_of(SIDE_HOST, n);
}

static void check_serves(void)
{
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	client_open_device(&client, "pf0");
	client_close(&client);
}

/* Until the daemon can serve, it refuses with an error or ends the connection. */
static void await_serves(void)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	struct client client;

	while (!client_try_open(&client, &pair, SIDE_HOST)) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 2);
	}
	client_open_device(&client, "pf0");
	client_close(&client);
}

/* The daemon has ended the connection, possibly after a final message. */
static void check_dropped(struct client *client)
{
	const Dococore__Packet *packet;

	while ((packet = client_await(client)))
		ck_assert_int_eq(packet->body_case, DOCOCORE__PACKET__BODY_ERROR);
	client_close(client);
}

static void send_raw(int socket_fd, const void *data, size_t len, const int *fds, size_t n_fds)
{
	char control[CMSG_SPACE(16 * sizeof(int))] = {0};
	struct iovec iov = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n_fds) {
		msg.msg_control = control;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, n_fds * sizeof(int));
	}
	ck_assert_int_eq(sendmsg(socket_fd, &msg, MSG_NOSIGNAL), (ssize_t)len);
}

START_TEST(raw_garbage)
{
	size_t n_fds = pair_count_fds(&pair, SIDE_HOST);
	uint64_t seed = 88172645463325252ull;
	char big[70000] = {0};
	int fds[16];

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < 300; i++) {
		struct client client = {.conn = NULL};
		uint8_t data[64];
		size_t len = 1 + unit_random(&seed) % sizeof(data);
		bool greet = i % 2;

		if (greet)
			client_open(&client, &pair, SIDE_HOST);
		else
			client.conn = conn_new(client_dial(&pair, SIDE_HOST), 65536);
		for (size_t j = 0; j < len; j++)
			data[j] = (uint8_t)unit_random(&seed);
		/*
		 * An unknown message with a valid encoding would be accidental; the first byte
		 * prevents it.
		 */
		data[0] = 0xff;
		send_raw(conn_fd(client.conn), data, len, fds, i % 17);
		check_dropped(&client);
		/* A user with too many unclosed descriptors is refused. */
		await_fds(n_fds);
	}
	for (int i = 0; i < 4; i++) {
		struct client client;

		client_open(&client, &pair, SIDE_HOST);
		send_raw(conn_fd(client.conn), big, i % 2 ? sizeof(big) : 65537, fds, i / 2);
		check_dropped(&client);
	}
	await_fds(n_fds);
	check_serves();
}
END_TEST

START_TEST(order_is_enforced)
{
	size_t n_fds = pair_count_fds(&pair, SIDE_HOST);
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	Dococore__Ok ok = DOCOCORE__OK__INIT;
	Dococore__DeviceList list = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__PeerFunctions functions = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client client = {.conn = NULL};

	/* A request before Hello is refused. */
	client.conn = conn_new(client_dial(&pair, SIDE_HOST), 65536);
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &list;
	client_send(&client, &packet, NULL, 0);
	check_dropped(&client);
	/* Hello has another protocol version. */
	client = (struct client){.conn = conn_new(client_dial(&pair, SIDE_HOST), 65536)};
	hello.protocol = 2;
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	packet.hello = &hello;
	client_ask(&client, &packet, NULL, 0);
	client_check_error(&client, CODE_UNSUPPORTED_VERSION);
	check_dropped(&client);
	/*
	 * A second Hello, an answer instead of a request, a peer's message, a request without an
	 * id.
	 */
	hello.protocol = FRAME_PROTOCOL;
	client_open(&client, &pair, SIDE_HOST);
	client_send(&client, &packet, NULL, 0);
	check_dropped(&client);
	client_open(&client, &pair, SIDE_HOST);
	packet.body_case = DOCOCORE__PACKET__BODY_OK;
	packet.ok = &ok;
	client_send(&client, &packet, NULL, 0);
	check_dropped(&client);
	client_open(&client, &pair, SIDE_HOST);
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &functions;
	client_send(&client, &packet, NULL, 0);
	check_dropped(&client);
	client_open(&client, &pair, SIDE_HOST);
	packet.id = 0;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &list;
	ck_assert_int_eq(conn_send(client.conn, &packet, NULL, 0), 0);
	check_dropped(&client);
	await_fds(n_fds);
	check_serves();
}
END_TEST

START_TEST(wrong_number_of_descriptors)
{
	size_t n_fds = pair_count_fds(&pair, SIDE_HOST);
	int fds[2] = {open("/dev/null", O_RDONLY | O_CLOEXEC),
		      open("/dev/null", O_RDONLY | O_CLOEXEC)};
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t data[256];
	size_t len;

	packet.id = 5;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	for (size_t n = 0; n <= 2; n++) {
		struct client client;

		client_open(&client, &pair, SIDE_HOST);
		ask.memory = n == 0 ? DOCOCORE__MEMORY_KIND__MEMFD : DOCOCORE__MEMORY_KIND__PRIVATE;
		len = dococore__packet__pack(&packet, data);
		send_raw(conn_fd(client.conn), data, len, fds, n);
		check_dropped(&client);
	}
	await_fds(n_fds);
	check_serves();
}
END_TEST

START_TEST(connects_and_drops)
{
	size_t n_fds = pair_count_fds(&pair, SIDE_HOST);

	for (int i = 0; i < 1000; i++) {
		struct client client;
		int fd;

		switch (i % 4) {
		case 0:
			fd = client_dial(&pair, SIDE_HOST);
			ck_assert_int_ge(fd, 0);
			close(fd);
			break;
		case 1:
			client_open(&client, &pair, SIDE_HOST);
			client_close(&client);
			break;
		default:
			client_open(&client, &pair, SIDE_HOST);
			client_ask_export(&client, client_open_device(&client, "pf0"), PCI,
					  PCI_READ, -1, 4096);
			ck_assert_int_eq(client.reply->body_case,
					 DOCOCORE__PACKET__BODY_EXPORT_REPLY);
			client_close(&client);
		}
	}
	await_fds(n_fds);
	check_serves();
}
END_TEST

/* The client is dropped after client_stall_ms; until then other clients are served. */
START_TEST(client_that_does_not_read)
{
	size_t n_fds;
	Dococore__DeviceList list = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client client;
	int r;

	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	pair_write_config(&pair, SIDE_HOST, "[daemon]\nclient_stall_ms = 300\n");
	pair_start(&pair, SIDE_HOST);
	n_fds = pair_count_fds(&pair, SIDE_HOST);
	client_open(&client, &pair, SIDE_HOST);
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &list;
	packet.id = 1;
	do {
		r = conn_send(client.conn, &packet, NULL, 0);
		check_serves();
	} while (r == 0 && !conn_wants_write(client.conn));
	await_fds(n_fds);
	check_serves();
	client_close(&client);
}
END_TEST

/* A client that reads late gets every answer. */
START_TEST(client_that_reads_late)
{
	enum { N = 5000 };
	Dococore__DeviceList list = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client client;
	uint64_t sent = 0, got = 0;

	client_open(&client, &pair, SIDE_HOST);
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &list;
	while (got < N) {
		while (sent < N && !conn_wants_write(client.conn)) {
			packet.id = 100 + sent;
			ck_assert_int_eq(conn_send(client.conn, &packet, NULL, 0), 0);
			sent++;
		}
		ck_assert_ptr_nonnull(client_await(&client));
		ck_assert_uint_eq(client.reply->id, 100 + got);
		got++;
		ck_assert_int_eq(conn_flush(client.conn), 0);
	}
	client_close(&client);
}
END_TEST

static bool is_asleep(pid_t pid)
{
	char path[64], line[1024];
	FILE *file;
	char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	fclose(file);
	at = strrchr(line, ')');
	ck_assert_ptr_nonnull(at);
	return at[2] == 'S';
}

/*
 * A process that spins is never seen asleep twenty times in a row; one that works at intervals is.
 */
static void await_idle(pid_t pid)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	for (int n = 0; n < 20;) {
		ck_assert_msg(clock_now_ns() < deadline_ns, "process %d does not sleep", (int)pid);
		n = is_asleep(pid) ? n + 1 : 0;
		poll(NULL, 0, 10);
	}
}

/* Without descriptors the daemon neither ends nor spins, and serves again when there are some. */
START_TEST(no_descriptors)
{
	size_t n_fds = pair_count_fds(&pair, SIDE_HOST);
	struct rlimit limit = {.rlim_cur = n_fds + 8, .rlim_max = n_fds + 8}, old;
	int fds[32];

	ck_assert_int_eq(prlimit(pair.pids[SIDE_HOST], RLIMIT_NOFILE, NULL, &old), 0);
	limit.rlim_max = old.rlim_max;
	ck_assert_int_eq(prlimit(pair.pids[SIDE_HOST], RLIMIT_NOFILE, &limit, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		ck_assert_int_ge(fds[i] = client_dial(&pair, SIDE_HOST), 0);
	await_fds(n_fds + 8);
	await_idle(pair.pids[SIDE_HOST]);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		close(fds[i]);
	/*
	 * The daemon processes the ends one after the other, and is short of descriptors until
	 * then.
	 */
	await_serves();
	await_fds(n_fds);
	ck_assert_int_eq(prlimit(pair.pids[SIDE_HOST], RLIMIT_NOFILE, &old, NULL), 0);
}
END_TEST

START_TEST(quotas_hold)
{
	size_t n_fds;
	struct client client, other, third;
	uint64_t pf0;

	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	pair_write_config(&pair, SIDE_HOST, "[quota]\nsessions = 2\nexports = 3\nhandles = 2\n");
	pair_start(&pair, SIDE_HOST);
	n_fds = pair_count_fds(&pair, SIDE_HOST);
	client_open(&client, &pair, SIDE_HOST);
	client_open(&other, &pair, SIDE_HOST);
	third = (struct client){.conn = conn_new(client_dial(&pair, SIDE_HOST), 65536)};
	ck_assert_ptr_nonnull(client_await(&third));
	client_check_error(&third, CODE_FULL);
	check_dropped(&third);
	pf0 = client_open_device(&client, "pf0");
	client_open_device(&other, "pf0");
	for (int i = 0; i < 3; i++) {
		client_ask_export(&client, pf0, PCI, PCI_READ, -1, 1);
		ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	}
	client_ask_export(&client, pf0, PCI, PCI_READ, -1, 1);
	client_check_error(&client, CODE_NO_MEMORY);
	ck_assert_ptr_nonnull(strstr(client.reply->error->text, "exports"));
	/* The charges that the other client's end releases can be used again. */
	client_close(&client);
	await_fds(n_fds + 3);
	pf0 = client_open_device(&other, "pf0");
	client_ask_export(&other, pf0, PCI, PCI_READ, -1, 1);
	ck_assert_int_eq(other.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	client_close(&other);
	await_fds(n_fds);
}
END_TEST

static enum code try_open(const char *name)
{
	Dococore__DeviceOpen ask = DOCOCORE__DEVICE_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	enum code code = CODE_SUCCESS;
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	ask.name = (char *)name;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	packet.device_open = &ask;
	client_ask(&client, &packet, NULL, 0);
	if (client.reply->body_case == DOCOCORE__PACKET__BODY_ERROR)
		code = (enum code)client.reply->error->code;
	client_close(&client);
	return code;
}

static void await_open(const char *name, enum code code)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (try_open(name) != code)
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
}

START_TEST(reload_applies_or_refuses)
{
	char text[200];

	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	pair_write_config(&pair, SIDE_HOST, "[policy]\npf0 = user 4242\n");
	pair_start(&pair, SIDE_HOST);
	ck_assert_int_eq(try_open("pf0"), CODE_NOT_PERMITTED);
	ck_assert_int_eq(try_open("pf1"), CODE_SUCCESS);
	ck_assert_int_eq(try_open("no such"), CODE_NOT_FOUND);
	/* An invalid file changes nothing. */
	pair_write_config(&pair, SIDE_HOST, "[policy]\npf1 = none\n[daemon]\nnonsense = 1\n");
	kill(pair.pids[SIDE_HOST], SIGHUP);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(try_open("pf1"), CODE_SUCCESS);
	snprintf(text, sizeof(text), "[policy]\ndefault = none\npf0 = user %u\npf1 = group %u\n",
		 (unsigned)getuid(), (unsigned)getgid());
	pair_write_config(&pair, SIDE_HOST, text);
	kill(pair.pids[SIDE_HOST], SIGHUP);
	await_open("pf0", CODE_SUCCESS);
	ck_assert_int_eq(try_open("pf1"), CODE_SUCCESS);
	ck_assert_int_eq(try_open("pf1vf0"), CODE_NOT_PERMITTED);
}
END_TEST

START_TEST(second_start_is_refused)
{
	ck_assert_int_eq(pair_try_start(&pair, SIDE_HOST), 1);
	check_serves();
}
END_TEST

START_TEST(wrong_files_are_refused_at_start)
{
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	pair_write_config(&pair, SIDE_HOST, "[policy]\npf9 = none\n");
	ck_assert_int_eq(pair_try_start(&pair, SIDE_HOST), 1);
	pair_write_config(&pair, SIDE_HOST, "[daemon]\ntopology = /nowhere\n");
	ck_assert_int_eq(pair_try_start(&pair, SIDE_HOST), 1);
	pair_write_config(&pair, SIDE_HOST, "[daemon]\npeer_listen = unix:/nowhere/at/all\n");
	ck_assert_int_eq(pair_try_start(&pair, SIDE_HOST), 1);
	/* Refused daemons left no lock behind. */
	pair_write_config(&pair, SIDE_HOST, "");
	pair_start(&pair, SIDE_HOST);
	check_serves();
}
END_TEST

START_TEST(stale_socket_is_removed)
{
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGKILL), SIGKILL);
	pair_start(&pair, SIDE_HOST);
	check_serves();
}
END_TEST

/* A process that is no daemon, and one of the same side, do not disturb the others' link. */
START_TEST(invalid_peers_do_not_disturb_links)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Hello wrong = DOCOCORE__HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t id[16] = {1};

	pair_start(&pair, SIDE_DPU);
	pair_wait_linked(&pair);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/peer.sock", pair.dir);
	for (int i = 0; i < 40; i++) {
		struct client client = {.conn = NULL};
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

		ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
		client.conn = conn_new(fd, 65536);
		hello.protocol = i % 4 == 0 ? FRAME_PROTOCOL + 1 : FRAME_PROTOCOL;
		hello.side = (char *)(i % 4 == 1 ? "dpu" : "host");
		hello.daemon_id = (ProtobufCBinaryData){16, id};
		packet.id = 0;
		if (i % 4 == 2) {
			packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
			packet.hello = &wrong;
		} else {
			packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
			packet.peer_hello = &hello;
		}
		ck_assert_int_eq(conn_send(client.conn, &packet, NULL, 0), 0);
		/* A valid peer that then sends a message that no peer may send. */
		if (i % 4 == 3) {
			packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
			packet.hello = &wrong;
			ck_assert_int_eq(conn_send(client.conn, &packet, NULL, 0), 0);
		}
		while (client_await(&client))
			;
		client_close(&client);
	}
	pair_wait_linked(&pair);
}
END_TEST

/* A user that may no longer be a peer is disconnected. */
START_TEST(peer_user_is_checked_after_reload)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client client = {.conn = NULL};
	uint8_t id[16] = {1};
	int fd;

	if (geteuid() != 0)
		return;
	pair_write_config(&pair, SIDE_DPU, "[daemon]\npeer_allow = user 4242\n");
	pair_start(&pair, SIDE_DPU);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/peer.sock", pair.dir);
	ck_assert_int_eq(chmod(pair.dir, 0755), 0);
	ck_assert_int_eq(chmod(addr.sun_path, 0666), 0);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(seteuid(4242), 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(seteuid(0), 0);
	client.conn = conn_new(fd, 65536);
	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)"host";
	hello.daemon_id = (ProtobufCBinaryData){16, id};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	ck_assert_int_eq(conn_send(client.conn, &packet, NULL, 0), 0);
	do
		ck_assert_ptr_nonnull(client_await(&client));
	while (client.reply->body_case != DOCOCORE__PACKET__BODY_PEER_FUNCTIONS);
	pair_write_config(&pair, SIDE_DPU, "[daemon]\nclient_queue = 2M\n");
	kill(pair.pids[SIDE_DPU], SIGHUP);
	while (client_await(&client))
		;
	client_close(&client);
	pair_wait_linked(&pair);
}
END_TEST

/* Each daemon is configured to connect to the other: one link remains and is stable. */
START_TEST(both_sides_connect)
{
	char text[256];

	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	snprintf(text, sizeof(text),
		 "[daemon]\npeer_listen = unix:%s/h.peer\n[peer dpu]\naddress = unix:%s/d.peer\n",
		 pair.dir, pair.dir);
	pair_write_config(&pair, SIDE_HOST, text);
	snprintf(text, sizeof(text),
		 "[daemon]\npeer_listen = unix:%s/d.peer\n[peer host]\naddress = unix:%s/h.peer\n",
		 pair.dir, pair.dir);
	pair_write_config(&pair, SIDE_DPU, text);
	pair_start(&pair, SIDE_HOST);
	pair_start(&pair, SIDE_DPU);
	pair_wait_linked(&pair);
	/* Longer than the longest pause between two attempts. */
	for (int i = 0; i < 150; i++) {
		pair_wait_linked(&pair);
		poll(NULL, 0, 10);
	}
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGTERM), 0);
	pair_start(&pair, SIDE_DPU);
	pair_wait_linked(&pair);
}
END_TEST

/*
 * Each assertion writes to a file of Check, which the processes of a test share. A killed process
 * could leave half a message there, so its assertions are discarded.
 */
static void detach_from_check(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 3; fd < 64; fd++)
		if (fd != null && fcntl(fd, F_GETFD) >= 0)
			dup3(null, fd, O_CLOEXEC);
}

/*
 * A process with sessions on both sides that exports, imports, serves and connects until it is
 * killed.
 */
static void busy_process(const char *name)
{
	struct client host, dpu;
	uint64_t pf0, p0, hpf0;

	detach_from_check();
	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	pf0 = client_open_device(&host, "pf0");
	p0 = client_open_device(&dpu, "p0");
	hpf0 = client_open_rep(&dpu, "hpf0");
	client_ask_server(&dpu, p0, hpf0, name, 4096);
	for (;;) {
		struct event_reader events;
		Dococore__ExportReply export;
		uint8_t secret[16];
		int memfd = memfd_create_sealable("busy", 8192);

		/* Only sealed memory is passed to importers that read. */
		ck_assert_int_eq(memfd_seal_writers(memfd), 0);
		client_ask_export(&host, pf0, PCI, PCI_READ, memfd, 8192);
		export = *host.reply->export_reply;
		memcpy(secret, export.secret.data, sizeof(secret));
		export.secret.data = secret;
		client_ask_import(&dpu, p0, &export, PCI, "host");
		client_ask_connect(&host, pf0, name, 4096);
		client_receive_events(&host, &events,
				      host.reply->channel_connect_reply->event_ring_len);
		event_reader_deinit(&events);
		close(memfd);
	}
}

START_TEST(killed_at_any_point)
{
	enum { N = 60, PARALLEL = 3 };
	uint64_t seed = 7;
	size_t n_host, n_dpu;
	pid_t pids[PARALLEL];

	pair_start(&pair, SIDE_DPU);
	pair_wait_linked(&pair);
	n_host = pair_settled_fds(&pair, SIDE_HOST);
	n_dpu = pair_settled_fds(&pair, SIDE_DPU);
	for (int i = 0; i < N / PARALLEL; i++) {
		for (int j = 0; j < PARALLEL; j++) {
			char name[16];

			snprintf(name, sizeof(name), "busy%d", j);
			pids[j] = fork();
			ck_assert_int_ge(pids[j], 0);
			if (pids[j] == 0)
				busy_process(name);
		}
		for (int j = 0; j < PARALLEL; j++) {
			struct timespec pause = {.tv_nsec = (long)(unit_random(&seed) % 8000000)};

			nanosleep(&pause, NULL);
			ck_assert_int_eq(kill(pids[j], SIGKILL), 0);
			ck_assert_int_eq(waitpid(pids[j], NULL, 0), pids[j]);
		}
	}
	await_fds_of(SIDE_HOST, n_host);
	await_fds_of(SIDE_DPU, n_dpu);
	check_serves();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon faults");
	TCase *tcase = unit_case(suite, "faults", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, raw_garbage);
	tcase_add_test(tcase, order_is_enforced);
	tcase_add_test(tcase, wrong_number_of_descriptors);
	tcase_add_test(tcase, connects_and_drops);
	tcase_add_test(tcase, client_that_does_not_read);
	tcase_add_test(tcase, client_that_reads_late);
	tcase_add_test(tcase, no_descriptors);
	tcase_add_test(tcase, quotas_hold);
	tcase_add_test(tcase, reload_applies_or_refuses);
	tcase_add_test(tcase, second_start_is_refused);
	tcase_add_test(tcase, wrong_files_are_refused_at_start);
	tcase_add_test(tcase, stale_socket_is_removed);
	tcase_add_test(tcase, invalid_peers_do_not_disturb_links);
	tcase_add_test(tcase, peer_user_is_checked_after_reload);
	tcase_add_test(tcase, both_sides_connect);
	tcase_add_test(tcase, killed_at_any_point);
	return unit_run(suite);
}
