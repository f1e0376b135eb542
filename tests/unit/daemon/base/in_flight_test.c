/*
 * daemon/base/in_flight: a user whose programs do not receive descriptors cannot use up the number
 * of descriptors that the kernel allows the daemon in flight. The daemon runs without privileges,
 * because the kernel exempts root, and with a small RLIMIT_NOFILE. Clients are connections of this
 * process, made as different users. Needs root.
 */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/daemon/pair.h"
#include "util/clock.h"
#include "util/memfd.h"

/* Uids that no system assigns, because the kernel counts all processes of a user. */
#define DAEMON_UID 60211u
#define GREEDY_UID 60212u
#define OTHER_UID  60213u
#define PEER_UID   60214u /* a second greedy user, whose daemons are peers */

#define N_FILES    512u
#define N_GREEDY   24u
#define N_PEERS    12u
#define N_REQUESTS 60u /* each answer carries two descriptors */
/* More than the bound permits in flight, but not more than a user's share. */
#define N_PEER_REQUESTS 3u
/* The answers of these together carry more descriptors than the daemon may open. */
#define N_TABLE_REQUESTS 30u
#define AWAIT_MS         30000
/*
 * Together these users may have more descriptors in flight than the kernel allows a daemon with
 * N_MANY_FILES.
 */
#define MANY_UID        60300u
#define N_MANY_FILES    1024u
#define N_MANY_USERS    32u
#define N_MANY_REQUESTS 30u
#define N_LATE_USERS    8u
#define FIRST_HANDLE    1u
#define RDMA            DOCOCORE__EXPORT_KIND__RDMA
#define RDMA_READ       2u

static struct daemon_pair pair;
static rlim_t n_files = N_FILES;
static struct client greedy[N_GREEDY];

static void become_daemon(void)
{
	struct rlimit limit = {.rlim_cur = n_files, .rlim_max = n_files};

	close_range(3, ~0u, 0);
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || setgroups(0, NULL) < 0 ||
	    setresgid(DAEMON_UID, DAEMON_UID, DAEMON_UID) < 0 ||
	    setresuid(DAEMON_UID, DAEMON_UID, DAEMON_UID) < 0)
		_exit(2);
}

/* The daemon sees the uid with which a connection was made. */
static void open_as(uid_t uid, struct client *client)
{
	ck_assert_int_eq(seteuid(uid), 0);
	client_open(client, &pair, SIDE_HOST);
	ck_assert_int_eq(seteuid(0), 0);
	/* As the library does: importers get only a sealed page of another user's client. */
	ck_assert_int_eq(memfd_seal_writers(client->fds.fds[0]), 0);
}

static void start_with(const char *config)
{
	ck_assert_int_eq(chown(pair.dir, DAEMON_UID, DAEMON_UID), 0);
	ck_assert_int_eq(chmod(pair.dir, 0755), 0);
	pair_write_config(&pair, SIDE_HOST, config);
	pair.pass = become_daemon;
	pair_start(&pair, SIDE_HOST);
}

static void set_up(void)
{
	pair_set_up(&pair);
	start_with("[daemon]\nsocket_mode = 0666\n");
}

static void set_up_many(void)
{
	n_files = N_MANY_FILES;
	set_up();
}

static struct sockaddr_un peer_socket(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/h.peer", pair.dir);
	return addr;
}

static void set_up_peers(void)
{
	char config[256];

	pair_set_up(&pair);
	snprintf(config, sizeof(config),
		 "[daemon]\nsocket_mode = 0666\npeer_listen = unix:%s\n"
		 "peer_allow = user %u, user %u, user %u\n",
		 peer_socket().sun_path, GREEDY_UID, PEER_UID, OTHER_UID);
	start_with(config);
}

static void set_up_short_stall(void)
{
	pair_set_up(&pair);
	start_with("[daemon]\nsocket_mode = 0666\nclient_stall_ms = 300\n");
}

static void tear_down(void)
{
	pair_tear_down(&pair);
	n_files = N_FILES;
}

/* Sends a request whose answer carries descriptors. */
static void request_import(struct client *client, uint64_t device, const struct proof *proof)
{
	Dococore__ImportCreate ask = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.kind = RDMA;
	ask.export_id = proof->reply.export_id;
	ask.secret = proof->reply.secret;
	ask.exporter_side = (char *)"host";
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &ask;
	client_send(client, &packet, NULL, 0);
}

static void export_as(uid_t uid, struct client *client, struct proof *proof)
{
	open_as(uid, client);
	client_ask_export(client, client_open_device(client, "pf0"), RDMA, RDMA_READ, -1, 100);
	client_receive_proof(client, proof);
}

static void greedy_open(void)
{
	for (size_t i = 0; i < N_GREEDY; i++) {
		open_as(GREEDY_UID, &greedy[i]);
		client_open_device(&greedy[i], "pf0");
	}
}

static void greedy_request(size_t i, const struct proof *proof)
{
	for (size_t j = 0; j < N_REQUESTS; j++)
		request_import(&greedy[i], FIRST_HANDLE, proof);
}

static void greedy_close(void)
{
	for (size_t i = 0; i < N_GREEDY; i++)
		client_close(&greedy[i]);
}

static void await_import(struct client *client)
{
	ck_assert_ptr_nonnull(client_await(client));
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
}

static void check_others_are_served(const struct proof *proof)
{
	struct client other;

	open_as(OTHER_UID, &other);
	request_import(&other, client_open_device(&other, "pf0"), proof);
	await_import(&other);
	client_close(&other);
}

static void await_dropped(const struct client *client)
{
	struct pollfd p = {.fd = conn_fd(client->conn), .events = POLLRDHUP};

	ck_assert_int_eq(poll(&p, 1, AWAIT_MS), 1);
}

static void check_has_nothing(const struct client *client)
{
	struct pollfd p = {.fd = conn_fd(client->conn), .events = POLLIN};

	ck_assert_int_eq(poll(&p, 1, 0), 0);
}

static void await_fds(size_t n)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_MS * NS_PER_MS;

	while (pair_count_fds(&pair, SIDE_HOST) > n) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 2);
	}
}

/*
 * One user leaves more answers unreceived than the kernel lets the daemon send. Sessions of other
 * users stay, even after the daemon has dropped the first session that does not read.
 */
START_TEST(others_are_served)
{
	size_t n_fds = pair_settled_fds(&pair, SIDE_HOST);
	struct client exporter;
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	greedy_open();
	for (size_t i = 0; i < N_GREEDY; i++)
		greedy_request(i, &proof);
	check_others_are_served(&proof);
	await_dropped(&greedy[0]);
	check_others_are_served(&proof);
	client_open_device(&exporter, "pf1");
	greedy_close();
	client_close(&exporter);
	/* The sockets that were held to see when they are read are closed as well. */
	await_fds(n_fds);
}
END_TEST

/* Packets that wait because of the limit are sent when there is room, and no answer is lost. */
START_TEST(everything_arrives_in_the_end)
{
	size_t n_left = N_GREEDY * N_REQUESTS;
	struct client exporter;
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	greedy_open();
	for (size_t i = 0; i < N_GREEDY; i++)
		greedy_request(i, &proof);
	while (n_left > 0) {
		struct pollfd p[N_GREEDY];

		for (size_t i = 0; i < N_GREEDY; i++)
			p[i] = (struct pollfd){.fd = conn_fd(greedy[i].conn), .events = POLLIN};
		ck_assert_int_gt(poll(p, N_GREEDY, AWAIT_MS), 0);
		for (size_t i = 0; i < N_GREEDY; i++) {
			if (!p[i].revents)
				continue;
			await_import(&greedy[i]);
			n_left--;
		}
	}
	greedy_close();
	client_close(&exporter);
}
END_TEST

static void many_open(struct client *clients, size_t n, uid_t first)
{
	for (size_t i = 0; i < n; i++) {
		open_as(first + (uid_t)i, &clients[i]);
		client_open_device(&clients[i], "pf0");
	}
}

static void many_close(struct client *clients, size_t n)
{
	for (size_t i = 0; i < n; i++)
		client_close(&clients[i]);
}

/* No user exceeds its own limit. Users that have nothing in flight are served, also together. */
START_TEST(many_users_leave_some_to_others)
{
	struct client exporter, many[N_MANY_USERS], late[N_LATE_USERS];
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	many_open(many, N_MANY_USERS, MANY_UID);
	for (size_t i = 0; i < N_MANY_USERS; i++)
		for (size_t j = 0; j < N_MANY_REQUESTS; j++)
			request_import(&many[i], FIRST_HANDLE, &proof);
	many_open(late, N_LATE_USERS, MANY_UID + N_MANY_USERS);
	for (size_t i = 0; i < N_LATE_USERS; i++)
		request_import(&late[i], FIRST_HANDLE, &proof);
	for (size_t i = 0; i < N_LATE_USERS; i++)
		await_import(&late[i]);
	check_others_are_served(&proof);
	many_close(late, N_LATE_USERS);
	many_close(many, N_MANY_USERS);
	client_close(&exporter);
}
END_TEST

/*
 * A client that has received everything is not at fault if another client of its user has not: the
 * daemon does not end its session. A client of another user that does not read shows that the time
 * limit has passed: it began to wait later, and has been dropped.
 */
START_TEST(client_waiting_for_others_is_not_dropped)
{
	struct client exporter, unread;
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	greedy_open();
	greedy_request(0, &proof);
	await_dropped(&greedy[0]);
	request_import(&greedy[1], FIRST_HANDLE, &proof);
	check_others_are_served(&proof);
	check_has_nothing(&greedy[1]);
	open_as(OTHER_UID, &unread);
	client_open_device(&unread, "pf0");
	for (size_t j = 0; j < N_REQUESTS; j++)
		request_import(&unread, FIRST_HANDLE, &proof);
	await_dropped(&unread);
	check_has_nothing(&greedy[1]);
	client_close(&greedy[0]);
	await_import(&greedy[1]);
	client_close(&unread);
	greedy_close();
	client_close(&exporter);
}
END_TEST

/*
 * Descriptors stay in flight after the daemon has ended a session, as long as the client has its
 * socket: reconnecting does not allow more of them.
 */
START_TEST(ended_sessions_count)
{
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client exporter, late = {.conn = NULL};
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	greedy_open();
	greedy_request(0, &proof);
	await_dropped(&greedy[0]);
	hello.protocol = FRAME_PROTOCOL;
	hello.program = (char *)"late";
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	packet.hello = &hello;
	ck_assert_int_eq(seteuid(GREEDY_UID), 0);
	late.conn = conn_new(client_dial(&pair, SIDE_HOST), 65536);
	ck_assert_int_eq(seteuid(0), 0);
	client_send(&late, &packet, NULL, 0);
	check_others_are_served(&proof);
	check_has_nothing(&late);
	client_close(&greedy[0]);
	ck_assert_ptr_nonnull(client_await(&late));
	ck_assert_int_eq(late.reply->body_case, DOCOCORE__PACKET__BODY_HELLO_REPLY);
	client_close(&late);
	greedy_close();
	client_close(&exporter);
}
END_TEST

/* --- daemons that link with this one --- */

static void peer_send_hello(struct client *peer, uint8_t number)
{
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t id[16] = {number};
	int r;

	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)"dpu";
	hello.daemon_id = (ProtobufCBinaryData){sizeof(id), id};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	r = conn_send(peer->conn, &packet, NULL, 0);
	/* The daemon may have refused the connection already. */
	ck_assert(r == 0 || r == -EPIPE);
}

/*
 * The daemon ends the link of a peer that receives nothing for too long, perhaps before the peer
 * has sent all requests.
 */
static void peer_request(struct client *peer, uint64_t import_id, const struct proof *proof)
{
	Dococore__PeerImport ask = DOCOCORE__PEER_IMPORT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int r;

	ask.kind = RDMA;
	ask.export_id = proof->reply.export_id;
	ask.secret = proof->reply.secret;
	ask.import_id = import_id;
	ask.importer_pid = (uint32_t)getpid();
	ask.importer_uid = GREEDY_UID;
	packet.id = ++peer->next_id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT;
	packet.peer_import = &ask;
	r = conn_send(peer->conn, &packet, NULL, 0);
	ck_assert(r == 0 || r == -EPIPE);
}

static int peer_dial(uid_t uid)
{
	struct sockaddr_un addr = peer_socket();
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(seteuid(uid), 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(seteuid(0), 0);
	return fd;
}

static void peer_open(struct client *peer, uid_t uid, uint8_t number)
{
	*peer = (struct client){.conn = conn_new(peer_dial(uid), 1u << 20)};
	ck_assert_ptr_nonnull(peer->conn);
	peer_send_hello(peer, number);
}

static void peers_open(struct client *peers, size_t n_requests, const struct proof *proof)
{
	for (size_t i = 0; i < N_PEERS; i++) {
		peer_open(&peers[i], i % 2 ? PEER_UID : GREEDY_UID, (uint8_t)(i + 1));
		for (size_t j = 1; j <= n_requests; j++)
			peer_request(&peers[i], j, proof);
	}
}

/* Receives from all of them, since they share the bound. */
static void peers_await_imports(struct client *peers, size_t n_left)
{
	while (n_left > 0) {
		struct pollfd p[N_PEERS];

		for (size_t i = 0; i < N_PEERS; i++)
			p[i] = (struct pollfd){.fd = conn_fd(peers[i].conn), .events = POLLIN};
		ck_assert_int_gt(poll(p, N_PEERS, AWAIT_MS), 0);
		for (size_t i = 0; i < N_PEERS; i++) {
			if (!p[i].revents)
				continue;
			ck_assert_ptr_nonnull(client_await(&peers[i]));
			/* The daemon also sends packets that are not answers. */
			n_left -= peers[i].reply->body_case ==
				  DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY;
		}
	}
}

static void peers_close(struct client *peers)
{
	for (size_t i = 0; i < N_PEERS; i++)
		client_close(&peers[i]);
}

/*
 * Peers leave more answers unreceived than the kernel lets the daemon send and than the daemon can
 * queue. The peers may lose their links; clients lose nothing.
 */
START_TEST(clients_are_served_beside_peers)
{
	size_t n_fds = pair_settled_fds(&pair, SIDE_HOST);
	struct client exporter, peers[N_PEERS];
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	peers_open(peers, N_REQUESTS, &proof);
	for (size_t i = 0; i < N_PEERS; i++)
		check_others_are_served(&proof);
	client_open_device(&exporter, "pf1");
	peers_close(peers);
	client_close(&exporter);
	await_fds(n_fds);
}
END_TEST

/* Receives from a peer until it gets the answer to its only request. */
static void peer_await_import(struct client *peer)
{
	do
		ck_assert_ptr_nonnull(client_await(peer));
	while (peer->reply->body_case == DOCOCORE__PACKET__BODY_PEER_HELLO || peer->reply->id != 1);
	ck_assert_int_eq(peer->reply->body_case, DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY);
}

/*
 * Greedy users hold at most their shares. The count also includes the daemon's own descriptors, and
 * refused connections that are about to be closed.
 */
static void check_has_room(void)
{
	ck_assert_uint_lt(pair_count_fds(&pair, SIDE_HOST), N_FILES / 4 * 3);
}

/* A peer of another user is served, and at no moment did the daemon lack descriptors for it. */
static void check_other_peer_is_served(const struct proof *proof)
{
	struct pollfd p = {.events = POLLIN};
	struct client peer;

	peer_open(&peer, OTHER_UID, N_PEERS + 1);
	peer_request(&peer, 1, proof);
	p.fd = conn_fd(peer.conn);
	while (poll(&p, 1, 2) == 0)
		check_has_room();
	check_has_room();
	peer_await_import(&peer);
	client_close(&peer);
}

/* Returns when the daemon has received every request. */
static void peers_await_received(const struct client *peers)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_MS * NS_PER_MS;

	for (size_t i = 0; i < N_PEERS; i++) {
		while (conn_has_unread(peers[i].conn)) {
			ck_assert_uint_lt(clock_now_ns(), deadline_ns);
			poll(NULL, 0, 2);
		}
	}
}

/* Further peers of a user who has too many packets unread are refused. */
START_TEST(peers_leave_descriptors_to_others)
{
	struct client exporter, peers[N_PEERS];
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	peers_open(peers, N_TABLE_REQUESTS, &proof);
	peers_await_received(peers);
	check_other_peer_is_served(&proof);
	check_others_are_served(&proof);
	peers_close(peers);
	client_close(&exporter);
}
END_TEST

/* Connections that never send PeerHello cost descriptors, too. */
START_TEST(silent_peers_leave_descriptors_to_others)
{
	int fds[N_FILES];
	struct client exporter;
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	for (size_t i = 0; i < N_FILES; i++)
		fds[i] = peer_dial(i % 2 ? PEER_UID : GREEDY_UID);
	check_other_peer_is_served(&proof);
	check_others_are_served(&proof);
	for (size_t i = 0; i < N_FILES; i++)
		close(fds[i]);
	client_close(&exporter);
}
END_TEST

/* Sessions of one user reach that user's limit before they keep those of others out. */
START_TEST(sessions_leave_descriptors_to_others)
{
	struct client clients[N_FILES];
	struct client exporter;
	struct proof proof;
	size_t n = 0;
	bool fits = true;

	export_as(OTHER_UID, &exporter, &proof);
	while (fits && n < N_FILES) {
		ck_assert_int_eq(seteuid(GREEDY_UID), 0);
		fits = client_try_open(&clients[n], &pair, SIDE_HOST);
		ck_assert_int_eq(seteuid(0), 0);
		n += fits;
	}
	ck_assert_uint_lt(n, N_FILES);
	check_others_are_served(&proof);
	while (n-- > 0)
		client_close(&clients[n]);
	client_close(&exporter);
}
END_TEST

/* Packets that wait because of the limit are sent when there is room, and no answer is lost. */
START_TEST(peers_receive_everything_in_the_end)
{
	struct client exporter, peers[N_PEERS];
	struct proof proof;

	export_as(OTHER_UID, &exporter, &proof);
	peers_open(peers, N_PEER_REQUESTS, &proof);
	check_others_are_served(&proof);
	peers_await_imports(peers, N_PEERS * N_PEER_REQUESTS);
	peers_close(peers);
	client_close(&exporter);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon/in_flight");
	TCase *tcase = unit_case(suite, "in_flight", UNIT_TIMEOUT);

	if (geteuid() != 0) {
		printf("not run: it needs root, to be several users\n");
		return 77;
	}
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, everything_arrives_in_the_end);
	tcase_add_test(tcase, sessions_leave_descriptors_to_others);
	tcase = unit_case(suite, "in_flight_many", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, set_up_many, tear_down);
	tcase_add_test(tcase, many_users_leave_some_to_others);
	tcase = unit_case(suite, "in_flight_unread", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, set_up_short_stall, tear_down);
	tcase_add_test(tcase, others_are_served);
	tcase_add_test(tcase, client_waiting_for_others_is_not_dropped);
	tcase_add_test(tcase, ended_sessions_count);
	tcase = unit_case(suite, "in_flight_peers", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, set_up_peers, tear_down);
	tcase_add_test(tcase, peers_leave_descriptors_to_others);
	tcase_add_test(tcase, silent_peers_leave_descriptors_to_others);
	tcase_add_test(tcase, clients_are_served_beside_peers);
	tcase_add_test(tcase, peers_receive_everything_in_the_end);
	return unit_run(suite);
}
