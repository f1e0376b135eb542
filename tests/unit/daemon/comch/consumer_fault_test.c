/* Consumers of comch channels: ends, lost links, invalid peers, processes that are killed. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "daemon/session/event_out.h"
#include "proto/shm_layout.h"
#include "tests/unit/daemon/comch/consumer_ends.h"
#include "util/clock.h"

#define AWAIT_NS (20 * NS_PER_SEC)

/* One consumer is fetched, one is not; the end of the channel ends both. */
static void check_end(bool of_server, int how)
{
	struct client *gone = of_server ? &server : &client;
	struct client *stays = of_server ? &client : &server;
	struct event_reader *events = of_server ? &client_events : &server_events;
	uint64_t from = of_server ? server_end : client_end;
	uint64_t to = of_server ? client_end : server_end;
	size_t n_fds[2] = {pair_settled_fds(&pair, SIDE_HOST), pair_settled_fds(&pair, SIDE_DPU)};

	for (uint32_t id = 1; id <= 2; id++) {
		create(gone, from, id);
		check_consumer_event(events, EVENT_CONSUMER_NEW, to, id);
	}
	fetch(stays, to, 2);
	/* Also of the other end: descriptors that are not fetched yet are closed by its daemon. */
	create(stays, to, 3);
	check_consumer_event(of_server ? &server_events : &client_events, EVENT_CONSUMER_NEW, from,
			     3);
	if (how == 0)
		client_close_channel(gone, from);
	else
		gone->conn = conn_free(gone->conn);
	check_consumer_event(events, EVENT_CONSUMER_GONE, to, 1);
	check_consumer_event(events, EVENT_CONSUMER_GONE, to, 2);
	ck_assert_uint_eq(await_event(events, EVENT_CHANNEL_CLOSED).code,
			  how == 0 ? 0 : CODE_CONNECTION_RESET);
	try_create(stays, to, 4);
	client_check_error(stays, CODE_NOT_FOUND);
	/* A session has 3 descriptors, the server's ring 2, the client's channel 2. */
	if (how == 1)
		n_fds[of_server ? SIDE_DPU : SIDE_HOST] -= of_server ? 5 : 3;
	await_fds(SIDE_HOST, n_fds[SIDE_HOST] - 2);
	await_fds(SIDE_DPU, n_fds[SIDE_DPU]);
}

START_TEST(ends_with_its_channel)
{
	establish();
	check_end(_i & 1, _i >> 1);
}
END_TEST

/*
 * While the other daemon is not scheduled, the link may be full, which is reported and temporary.
 */
static void create_retry(uint32_t id)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (try_create(&client, client_end, id)->body_case != DOCOCORE__PACKET__BODY_OK) {
		client_check_error(&client, CODE_AGAIN);
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 1);
	}
}

/*
 * A client that starts and stops thousands of consumers while the server reads no events cannot
 * harm it. The server gets all events as long as no more wait than its daemon allows.
 */
START_TEST(churn)
{
	enum { N = 6000, N_ALL = (EVENT_RING_SLOTS + EVENT_OUT_MANY) / 2 };
	size_t n_dpu;
	struct event event;
	uint32_t open = 0;
	unsigned n = 0;

	establish();
	n_dpu = pair_settled_fds(&pair, SIDE_DPU);
	for (uint32_t id = 1; id <= N; id++) {
		create_retry(id);
		destroy(&client, client_end, id);
	}
	create_retry(N + 1);
	barrier(&client);
	do {
		event = events_await(&server_events);
		n++;
		ck_assert_uint_eq(event.id, server_end);
		if (open)
			ck_assert_uint_eq(event.arg, open);
		ck_assert_uint_eq(event.type, open ? EVENT_CONSUMER_GONE : EVENT_CONSUMER_NEW);
		if (n <= 2 * N_ALL)
			ck_assert_uint_eq(event.arg, (n + 1) / 2);
		open = open ? 0 : (uint32_t)event.arg;
	} while (event.arg != N + 1);
	ck_assert_uint_ge(n, 2 * N_ALL);
	ck_assert_uint_le(n, 2 * (EVENT_RING_SLOTS + EVENT_OUT_MANY));
	fetch(&server, server_end, N + 1);
	destroy(&client, client_end, N + 1);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, N + 1);
	await_fds(SIDE_DPU, n_dpu);
}
END_TEST

/*
 * Session 3, channel 2 (5 until it is fetched), one consumer 3: all charges are released at the
 * end.
 */
START_TEST(charges_come_back)
{
	ends_end();
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGTERM), 0);
	pair_write_config(&pair, SIDE_HOST, "[quota]\nfds = 9\n");
	ends_begin();
	for (int i = 0; i < 10; i++) {
		establish();
		for (uint32_t id = 1; id <= 10; id++) {
			create(&client, client_end, id);
			try_create(&client, client_end, 100);
			client_check_error(&client, CODE_NO_MEMORY);
			destroy(&client, client_end, id);
		}
		create(&client, client_end, 11);
		client_close_channel(&client, client_end);
		event_reader_deinit(&client_events);
		while (events_await(&server_events).type != EVENT_CHANNEL_CLOSED)
			;
	}
}
END_TEST

/*
 * The other daemon is stopped: the data queued for it is bounded, and no other client is affected.
 */
START_TEST(congested_link)
{
	enum { LIMIT = 100000 };
	struct rlimit limit;
	size_t n_host;
	uint32_t id;

	establish();
	n_host = pair_settled_fds(&pair, SIDE_HOST);
	ck_assert_int_eq(prlimit(pair.pids[SIDE_HOST], RLIMIT_NOFILE, NULL, &limit), 0);
	limit.rlim_cur = MIN(limit.rlim_cur, 8192);
	ck_assert_int_eq(prlimit(pair.pids[SIDE_HOST], RLIMIT_NOFILE, &limit, NULL), 0);
	pair_freeze(&pair, SIDE_DPU);
	for (id = 1; id < LIMIT; id++) {
		if (try_create(&client, client_end, id)->body_case != DOCOCORE__PACKET__BODY_OK)
			break;
		destroy(&client, client_end, id);
	}
	client_check_error(&client, CODE_AGAIN);
	ck_assert_uint_lt(pair_count_fds(&pair, SIDE_HOST), limit.rlim_cur / 2);
	ck_assert_int_eq(kill(pair.pids[SIDE_DPU], SIGCONT), 0);
	create_retry(LIMIT);
	while (events_await(&server_events).arg != LIMIT)
		;
	fetch(&server, server_end, LIMIT);
	await_fds(SIDE_HOST, n_host);
}
END_TEST

static void configure_peer(const char *socket)
{
	char text[200];

	snprintf(text, sizeof(text), "[peer dpu]\naddress = unix:%s/%s\n", pair.dir, socket);
	pair_write_config(&pair, SIDE_HOST, text);
	if (pair.pids[SIDE_HOST])
		ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGHUP), 0);
}

/* Without the link no consumer can start; ends in the meantime are reported when it is back. */
START_TEST(link_breaks)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	uint32_t id = 10;

	ends_end();
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGTERM), 0);
	configure_peer("peer.sock");
	ends_begin();
	establish();
	for (uint32_t i = 1; i <= 3; i++) {
		create(&client, client_end, i);
		check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, i);
	}
	fetch(&server, server_end, 1);
	configure_peer("nowhere.sock");
	while (try_create(&client, client_end, id)->body_case == DOCOCORE__PACKET__BODY_OK) {
		destroy(&client, client_end, id++);
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
	}
	client_check_error(&client, CODE_NOT_CONNECTED);
	destroy(&client, client_end, 1);
	destroy(&client, client_end, 2);
	/* Not reported yet, so the id is still in use. */
	try_create(&client, client_end, 2);
	client_check_error(&client, CODE_ALREADY_EXIST);
	configure_peer("peer.sock");
	while (try_create(&client, client_end, 1000)->body_case == DOCOCORE__PACKET__BODY_ERROR) {
		client_check_error(&client, CODE_NOT_CONNECTED);
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 5);
	}
	/*
	 * Between these there may be events of consumers that started and ended until the link was
	 * lost.
	 */
	for (uint32_t want = 1; want <= 3;) {
		struct event event = events_await(&server_events);

		if (event.arg >= 10 && event.arg < 1000)
			continue;
		ck_assert_uint_eq(event.type, want < 3 ? EVENT_CONSUMER_GONE : EVENT_CONSUMER_NEW);
		ck_assert_uint_eq(event.arg, want < 3 ? want : 1000);
		want++;
	}
	fetch(&server, server_end, 3);
	destroy(&client, client_end, 3);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, 3);
}
END_TEST

/* Returns false if the daemon has ended the link. */
static bool peer_send_new(struct client *peer, uint64_t channel, uint64_t sender,
			  Dococore__Consumer *spec)
{
	Dococore__PeerConsumerNew notice = DOCOCORE__PEER_CONSUMER_NEW__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fds[3] = {doorbell, slots, doorbell};

	notice.channel_id = channel;
	notice.sender_channel_id = sender;
	notice.consumer = spec;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW;
	packet.peer_consumer_new = &notice;
	return conn_send(peer->conn, &packet, fds, 3) == 0;
}

/* Creates a process that claims to be the host's daemon and has connected to the server. */
static void fake_host(struct client *peer)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__PeerFunction function = DOCOCORE__PEER_FUNCTION__INIT;
	Dococore__PeerFunction *list[] = {&function};
	Dococore__PeerFunctions functions = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__PeerConnect ask = DOCOCORE__PEER_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t id[16] = {9};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/peer.sock", pair.dir);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	*peer = (struct client){.conn = conn_new(fd, 1 << 20)};
	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)"host";
	hello.daemon_id = (ProtobufCBinaryData){16, id};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	ck_assert_int_eq(conn_send(peer->conn, &packet, NULL, 0), 0);
	function.pci_addr = (char *)"0000:0b:00.0";
	functions.functions = list;
	functions.n_functions = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &functions;
	ck_assert_int_eq(conn_send(peer->conn, &packet, NULL, 0), 0);
	ask.channel_id = 77;
	ask.client_pci_addr = function.pci_addr;
	ask.name = (char *)"echo";
	ask.max_msg_size = 1000;
	ask.recv_queue_size = 16;
	packet.id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONNECT;
	packet.peer_connect = &ask;
	ck_assert_int_eq(conn_send(peer->conn, &packet, NULL, 0), 0);
}

/* Messages that no daemon of this project sends. */
START_TEST(invalid_peer_messages)
{
	struct client peer;
	Dococore__Consumer spec;
	size_t n_dpu;

	n_dpu = pair_settled_fds(&pair, SIDE_DPU);
	/* Otherwise the host's daemon would keep the function that the invalid peer announces. */
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	fake_host(&peer);
	server_end = await_event(&server_events, EVENT_CHANNEL_NEW).id;
	/* Before this end is established, with the sender's id, for channels that do not exist. */
	describe(&spec, 5);
	peer_send_new(&peer, 0, 77, &spec);
	peer_send_new(&peer, 0, 78, &spec);
	peer_send_new(&peer, server_end + 100, 77, &spec);
	while (!peer.reply || peer.reply->body_case != DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY)
		ck_assert_ptr_nonnull(client_await(&peer));
	fetch_channel(&server, server_end);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 5);
	fetch(&server, server_end, 5);
	/* The same id again: the old consumer must have ended. */
	peer_send_new(&peer, server_end, 77, &spec);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, 5);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 5);
	fetch(&server, server_end, 5);
	/* More consumers than any daemon allows, or an invalid one: this ends the link. */
	for (uint32_t id = 1; _i == 0 && id <= 5000; id++) {
		spec.id = id;
		if (!peer_send_new(&peer, server_end, 77, &spec))
			break;
		/* The daemon is slower than this loop. */
		while (conn_wants_write(peer.conn) && conn_flush(peer.conn) == 0)
			poll(NULL, 0, 1);
	}
	if (_i == 1) {
		spec.id = 0;
		peer_send_new(&peer, server_end, 77, &spec);
	} else if (_i == 2) {
		peer_send_new(&peer, server_end, 77, NULL);
	}
	while (client_await(&peer))
		;
	client_close(&peer);
	client_close_channel(&server, server_end);
	pair_start(&pair, SIDE_HOST);
	pair_wait_linked(&pair);
	await_fds(SIDE_DPU, n_dpu);
}
END_TEST

/*
 * A process with sessions on both sides that starts, fetches and stops consumers until it is
 * killed.
 */
static void busy_process(void)
{
	client_open(&server, &pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_HOST);
	p0 = client_open_device(&server, "p0");
	pf0 = client_open_device(&client, "pf0");
	client_ask_server(&server, p0, client_open_rep(&server, "hpf0"), "busy", 4080);
	client_receive_events(&server, &server_events, server.reply->server_reply->event_ring_len);
	client_ask_connect(&client, pf0, "busy", 1000);
	client_end = client.reply->channel_connect_reply->channel_id;
	client_receive_events(&client, &client_events,
			      client.reply->channel_connect_reply->event_ring_len);
	server_end = await_event(&server_events, EVENT_CHANNEL_NEW).id;
	fetch_channel(&server, server_end);
	await_event(&client_events, EVENT_CHANNEL_READY);
	fetch_channel(&client, client_end);
	for (uint32_t id = 1;; id++) {
		create(&client, client_end, id);
		create(&server, server_end, id);
		if (id % 2)
			ask_fetch(&server, server_end, id);
		if (id > 20)
			destroy(&client, client_end, id - 20);
		if (id > 20)
			destroy(&server, server_end, id - 20);
	}
}

START_TEST(killed_at_any_point)
{
	enum { N = 25 };
	uint64_t seed = 11;
	size_t n_host, n_dpu;

	n_host = pair_settled_fds(&pair, SIDE_HOST);
	n_dpu = pair_settled_fds(&pair, SIDE_DPU);
	for (int i = 0; i < N; i++) {
		struct timespec pause = {.tv_nsec = (long)(unit_random(&seed) % 16000000)};
		pid_t pid = fork();

		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			busy_process();
		nanosleep(&pause, NULL);
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	await_fds(SIDE_HOST, n_host);
	await_fds(SIDE_DPU, n_dpu);
	establish();
	create(&client, client_end, 1);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon consumers, faults");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, ends_set_up, ends_tear_down);
	tcase_add_loop_test(tcase, ends_with_its_channel, 0, 4);
	tcase_add_test(tcase, churn);
	tcase_add_test(tcase, charges_come_back);
	tcase_add_test(tcase, congested_link);
	tcase_add_test(tcase, link_breaks);
	tcase_add_loop_test(tcase, invalid_peer_messages, 0, 3);
	tcase_add_test(tcase, killed_at_any_point);
	return unit_run(suite);
}
