/*
 * A new client is served as if an earlier one that has ended had been processed, in whatever order
 * the daemon processes the two: the daemon is stopped until both have acted.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/daemon/pair.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define LIMIT   4
#define LEN     4096u
#define WAIT_NS (30 * NS_PER_SEC)

static struct daemon_pair pair;

static void set_up(void)
{
	pair_set_up(&pair);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
}

static void continue_daemon(enum side side)
{
	ck_assert_int_eq(kill(pair.pids[side], SIGCONT), 0);
}

/* Sends a request; the other client ends before or after that; then the daemon continues. */
static void send_and_end(enum side side, struct client *next, Dococore__Packet *packet,
			 struct client *first, bool ends_first)
{
	pair_freeze(&pair, side);
	if (ends_first)
		client_close(first);
	client_send(next, packet, NULL, 0);
	if (!ends_first)
		client_close(first);
	continue_daemon(side);
	ck_assert_ptr_nonnull(client_await(next));
}

/* --- quotas --- */

START_TEST(next_connection)
{
	struct client clients[LIMIT], next = {.conn = NULL};
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char text[64];

	snprintf(text, sizeof(text), "[quota]\nsessions = %d\n", LIMIT);
	pair_write_config(&pair, SIDE_HOST, text);
	pair_start(&pair, SIDE_HOST);
	for (size_t i = 0; i < LIMIT; i++)
		client_open(&clients[i], &pair, SIDE_HOST);
	ck_assert(!client_try_open(&next, &pair, SIDE_HOST));
	pair_freeze(&pair, SIDE_HOST);
	if (_i)
		client_close(&clients[0]);
	next = (struct client){.conn = conn_new(client_dial(&pair, SIDE_HOST), 1u << 20)};
	hello.protocol = FRAME_PROTOCOL;
	hello.program = (char *)"the next";
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	packet.hello = &hello;
	client_send(&next, &packet, NULL, 0);
	if (!_i)
		client_close(&clients[0]);
	continue_daemon(SIDE_HOST);
	ck_assert_ptr_nonnull(client_await(&next));
	ck_assert_int_eq(next.reply->body_case, DOCOCORE__PACKET__BODY_HELLO_REPLY);
	client_close(&next);
	for (size_t i = 1; i < LIMIT; i++)
		client_close(&clients[i]);
}
END_TEST

struct quota_case {
	const char *key;
	enum side side;
	void (*prepare)(struct client *client); /* opens what the request needs */
	void (*fill)(Dococore__Packet *packet); /* the request that is charged */
};

static Dococore__DeviceOpen ask_open;
static Dococore__ExportCreate ask_export;
static Dococore__ServerCreate ask_server;
static Dococore__ChannelConnect ask_channel;
static Dococore__RdmaOpen ask_endpoint;

/* Handles have the numbers 1 and 2 in each session. */
static void open_pf0(struct client *client)
{
	ck_assert_uint_eq(client_open_device(client, "pf0"), 1);
}

static void open_p0_and_rep(struct client *client)
{
	ck_assert_uint_eq(client_open_device(client, "p0"), 1);
	ck_assert_uint_eq(client_open_rep(client, "hpf0"), 2);
}

static void open_nothing(struct client *client)
{
	(void)client;
}

static void fill_open(Dococore__Packet *packet)
{
	dococore__device_open__init(&ask_open);
	ask_open.name = (char *)"pf0";
	packet->body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	packet->device_open = &ask_open;
}

static void fill_export(Dococore__Packet *packet)
{
	dococore__export_create__init(&ask_export);
	ask_export.device = 1;
	ask_export.kind = DOCOCORE__EXPORT_KIND__PCI;
	ask_export.addr = 0x10000;
	ask_export.len = LEN;
	ask_export.permissions = 16;
	ask_export.memory = DOCOCORE__MEMORY_KIND__PRIVATE;
	packet->body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet->export_create = &ask_export;
}

static void fill_server(Dococore__Packet *packet)
{
	static unsigned n;
	static char name[16];

	dococore__server_create__init(&ask_server);
	snprintf(name, sizeof(name), "server %u", n++);
	ask_server.device = 1;
	ask_server.rep = 2;
	ask_server.name = name;
	ask_server.max_msg_size = 100;
	ask_server.recv_queue_size = 8;
	packet->body_case = DOCOCORE__PACKET__BODY_SERVER_CREATE;
	packet->server_create = &ask_server;
}

static void fill_endpoint(Dococore__Packet *packet)
{
	dococore__rdma_open__init(&ask_endpoint);
	ask_endpoint.device = 1;
	packet->body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN;
	packet->rdma_open = &ask_endpoint;
}

static void fill_channel(Dococore__Packet *packet)
{
	dococore__channel_connect__init(&ask_channel);
	ask_channel.device = 1;
	ask_channel.name = (char *)"echo";
	ask_channel.max_msg_size = 100;
	ask_channel.recv_queue_size = 8;
	packet->body_case = DOCOCORE__PACKET__BODY_CHANNEL_CONNECT;
	packet->channel_connect = &ask_channel;
}

static const struct quota_case quota_cases[] = {
	{"handles", SIDE_HOST, open_nothing, fill_open},
	{"exports", SIDE_HOST, open_pf0, fill_export},
	{"servers", SIDE_DPU, open_p0_and_rep, fill_server},
	{"servers", SIDE_HOST, open_pf0, fill_endpoint},
	{"channels", SIDE_HOST, open_pf0, fill_channel},
};

/* One object of each kind is allowed, and the program that had it has ended. */
START_TEST(next_of_the_user)
{
	const struct quota_case *quota = &quota_cases[_i / 2];
	struct client server, first, next;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char text[64];

	snprintf(text, sizeof(text), "[quota]\n%s = 1\n", quota->key);
	pair_write_config(&pair, quota->side, text);
	pair_start_linked(&pair);
	client_open(&server, &pair, SIDE_DPU);
	client_ask_server(&server, client_open_device(&server, "p0"),
			  client_open_rep(&server, "hpf0"), "echo", 100);
	if (quota->side == SIDE_DPU)
		client_close(&server);
	client_open(&first, &pair, quota->side);
	client_open(&next, &pair, quota->side);
	quota->prepare(&first);
	quota->prepare(&next);
	quota->fill(&packet);
	client_ask(&first, &packet, NULL, 0);
	ck_assert_int_ne(first.reply->body_case, DOCOCORE__PACKET__BODY_ERROR);
	quota->fill(&packet);
	client_ask(&next, &packet, NULL, 0);
	client_check_error(&next, CODE_NO_MEMORY);
	send_and_end(quota->side, &next, &packet, &first, _i % 2);
	ck_assert_int_ne(next.reply->body_case, DOCOCORE__PACKET__BODY_ERROR);
	/* Neither the requester nor a living program is ended for it. */
	quota->fill(&packet);
	client_ask(&next, &packet, NULL, 0);
	client_check_error(&next, CODE_NO_MEMORY);
	client_close(&next);
	if (quota->side == SIDE_HOST)
		client_close(&server);
}
END_TEST

/* --- exports --- */

/* A process registers its earlier export again in a new session. */
START_TEST(next_of_the_export)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client first, next;
	struct proof proof;

	pair_start(&pair, SIDE_HOST);
	client_open(&first, &pair, SIDE_HOST);
	client_ask_export(&first, client_open_device(&first, "pf0"), DOCOCORE__EXPORT_KIND__PCI, 16,
			  -1, LEN);
	client_receive_proof(&first, &proof);
	client_open(&next, &pair, SIDE_HOST);
	ask.device = client_open_device(&next, "pf0");
	ask.kind = DOCOCORE__EXPORT_KIND__PCI;
	ask.addr = 0x10000;
	ask.len = LEN;
	ask.permissions = 16;
	ask.memory = DOCOCORE__MEMORY_KIND__PRIVATE;
	ask.restore_export_id = proof.reply.export_id;
	ask.restore_secret = proof.reply.secret;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	client_ask(&next, &packet, NULL, 0);
	client_check_error(&next, CODE_ALREADY_EXIST);
	send_and_end(SIDE_HOST, &next, &packet, &first, _i);
	ck_assert_int_eq(next.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	ck_assert_uint_eq(next.reply->export_reply->export_id, proof.reply.export_id);
	client_close(&next);
}
END_TEST

static void export_queue_pair(struct client *client, struct proof *proof)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fds[2] = {memfd_create_sealed("inbox", LEN), eventfd(0, EFD_CLOEXEC)};

	ask.device = client_open_device(client, "pf0");
	ask.kind = DOCOCORE__EXPORT_KIND__RDMA_QP;
	ask.len = LEN;
	ask.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	client_ask(client, &packet, fds, ARRAY_LEN(fds));
	client_receive_proof(client, proof);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(&fds[i]);
}

/*
 * A queue pair has one peer at a time. _i: the importer is on this side or the other, and ends
 * before or after the next request.
 */
START_TEST(next_of_the_queue_pair)
{
	enum side side = _i / 2 ? SIDE_DPU : SIDE_HOST;
	const char *device = side == SIDE_DPU ? "p0" : "pf0";
	Dococore__ImportCreate ask = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client exporter, first, next;
	struct proof proof;

	pair_start_linked(&pair);
	client_open(&exporter, &pair, SIDE_HOST);
	export_queue_pair(&exporter, &proof);
	client_open(&first, &pair, side);
	client_open(&next, &pair, side);
	client_ask_import(&first, client_open_device(&first, device), &proof.reply,
			  DOCOCORE__EXPORT_KIND__RDMA_QP, "host");
	ck_assert_int_eq(first.reply->body_case, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	ask.device = client_open_device(&next, device);
	ask.kind = DOCOCORE__EXPORT_KIND__RDMA_QP;
	ask.export_id = proof.reply.export_id;
	ask.secret = proof.reply.secret;
	ask.exporter_side = (char *)"host";
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &ask;
	client_ask(&next, &packet, NULL, 0);
	client_check_error(&next, CODE_IN_USE);
	send_and_end(side, &next, &packet, &first, _i % 2);
	ck_assert_int_eq(next.reply->body_case, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	client_close(&next);
	client_close(&exporter);
}
END_TEST

/* --- servers --- */

/*
 * A server whose program has ended accepts no more clients: they get the error that they would get
 * a moment later.
 */
START_TEST(client_of_no_server)
{
	struct client server, client;
	struct event_reader events;
	struct event event;
	uint64_t pf0;

	pair_start_linked(&pair);
	client_open(&server, &pair, SIDE_DPU);
	client_ask_server(&server, client_open_device(&server, "p0"),
			  client_open_rep(&server, "hpf0"), "echo", 100);
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	client_open(&client, &pair, SIDE_HOST);
	pf0 = client_open_device(&client, "pf0");
	pair_freeze(&pair, SIDE_DPU);
	if (_i)
		client_close(&server);
	client_ask_connect(&client, pf0, "echo", 100);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	client_receive_events(&client, &events,
			      client.reply->channel_connect_reply->event_ring_len);
	/* The client's daemon has asked the other one by now. */
	client_open_device(&client, "pf0");
	if (!_i)
		client_close(&server);
	continue_daemon(SIDE_DPU);
	event = events_await(&events);
	ck_assert_uint_eq(event.type, EVENT_CHANNEL_FAILED);
	ck_assert_uint_eq(event.code, CODE_NOT_FOUND);
	event_reader_deinit(&events);
	client_close(&client);
}
END_TEST

/* The server may have no more clients than it has. */
START_TEST(next_client)
{
	Dococore__ChannelConnect ask = DOCOCORE__CHANNEL_CONNECT__INIT;
	struct event_reader events, first_events, next_events;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client server, first, next;

	pair_write_config(&pair, SIDE_DPU, "[quota]\nchannels = 1\n");
	pair_start_linked(&pair);
	client_open(&server, &pair, SIDE_DPU);
	client_ask_server(&server, client_open_device(&server, "p0"),
			  client_open_rep(&server, "hpf0"), "echo", 100);
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	client_receive_events(&server, &events, server.reply->server_reply->event_ring_len);
	client_open(&first, &pair, SIDE_HOST);
	client_ask_connect(&first, client_open_device(&first, "pf0"), "echo", 100);
	client_receive_events(&first, &first_events,
			      first.reply->channel_connect_reply->event_ring_len);
	ck_assert_uint_eq(events_await(&events).type, EVENT_CHANNEL_NEW);
	client_open(&next, &pair, SIDE_HOST);
	ask.device = client_open_device(&next, "pf0");
	ask.name = (char *)"echo";
	ask.max_msg_size = 100;
	ask.recv_queue_size = 16;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CONNECT;
	packet.channel_connect = &ask;
	send_and_end(SIDE_HOST, &next, &packet, &first, _i);
	ck_assert_int_eq(next.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	client_receive_events(&next, &next_events,
			      next.reply->channel_connect_reply->event_ring_len);
	ck_assert_uint_eq(events_await(&events).type, EVENT_CHANNEL_CLOSED);
	ck_assert_uint_eq(events_await(&events).type, EVENT_CHANNEL_NEW);
	ck_assert(!event_reader_pending(&next_events));
	/* The client cannot have another connection. */
	client_ask_connect(&next, ask.device, "echo", 100);
	event_reader_deinit(&first_events);
	client_receive_events(&next, &first_events,
			      next.reply->channel_connect_reply->event_ring_len);
	ck_assert_uint_eq(events_await(&first_events).code, CODE_FULL);
	event_reader_deinit(&events);
	event_reader_deinit(&first_events);
	event_reader_deinit(&next_events);
	client_close(&next);
	client_close(&server);
}
END_TEST

/* --- links --- */

static struct sockaddr_un socket_at(const char *name)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.64s/%s", pair.dir, name);
	return addr;
}

static void send_own_hello(struct client *peer, const char *side, uint8_t number)
{
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t id[16] = {number};

	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)side;
	hello.daemon_id = (ProtobufCBinaryData){sizeof(id), id};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	ck_assert_int_eq(conn_send(peer->conn, &packet, NULL, 0), 0);
}

static void await_linked(struct client *peer)
{
	do
		ck_assert_ptr_nonnull(client_await(peer));
	while (peer->reply->body_case != DOCOCORE__PACKET__BODY_PEER_FUNCTIONS);
}

static struct client connect_to(const struct sockaddr_un *addr)
{
	struct client peer = {.conn = NULL};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(connect(fd, (const struct sockaddr *)addr, sizeof(*addr)), 0);
	peer.conn = conn_new(fd, 1u << 20);
	ck_assert_ptr_nonnull(peer.conn);
	return peer;
}

/*
 * The host's link of two links to one daemon stays, unless it has ended and this is not processed
 * yet.
 */
START_TEST(next_link)
{
	struct sockaddr_un there = socket_at("h.peer"), here = socket_at("d.peer");
	struct client first, next = {.conn = NULL};
	struct pollfd p = {.events = POLLIN};
	char text[300];

	snprintf(text, sizeof(text),
		 "[daemon]\npeer_listen = unix:%s\n[peer host]\naddress = unix:%s\n", here.sun_path,
		 there.sun_path);
	pair_write_config(&pair, SIDE_DPU, text);
	pair_start(&pair, SIDE_DPU);
	first = connect_to(&here);
	send_own_hello(&first, "host", 1);
	await_linked(&first);
	/* Now the daemon can connect to its configured peer. */
	p.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(p.fd, (const struct sockaddr *)&there, sizeof(there)), 0);
	ck_assert_int_eq(listen(p.fd, 1), 0);
	ck_assert_int_eq(poll(&p, 1, (int)(WAIT_NS / NS_PER_MS)), 1);
	next.conn = conn_new(accept4(p.fd, NULL, NULL, SOCK_CLOEXEC), 1u << 20);
	ck_assert_ptr_nonnull(next.conn);
	pair_freeze(&pair, SIDE_DPU);
	if (_i)
		client_close(&first);
	send_own_hello(&next, "host", 1);
	if (!_i)
		client_close(&first);
	continue_daemon(SIDE_DPU);
	await_linked(&next);
	client_close(&next);
	close(p.fd);
}
END_TEST

static void ask_import(struct client *peer, const struct proof *proof)
{
	Dococore__PeerImport ask = DOCOCORE__PEER_IMPORT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char *parent_of = (char[]){"0000:0b:00.0"}, *importer = (char[]){"0000:03:00.0"};

	ask.kind = DOCOCORE__EXPORT_KIND__PCI;
	ask.export_id = proof->reply.export_id;
	ask.secret = proof->reply.secret;
	ask.n_parent_of = 1;
	ask.parent_of = &parent_of;
	ask.import_id = 5;
	ask.importer_pid = (uint32_t)getpid();
	ask.importer_pci_addr = importer;
	packet.id = ++peer->next_id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT;
	packet.peer_import = &ask;
	ck_assert_int_eq(conn_send(peer->conn, &packet, NULL, 0), 0);
}

static struct client dpu_open(const struct sockaddr_un *addr, uint8_t number)
{
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client peer = connect_to(addr);

	send_own_hello(&peer, "dpu", number);
	await_linked(&peer);
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	ck_assert_int_eq(conn_send(peer.conn, &packet, NULL, 0), 0);
	return peer;
}

/* A device belongs to one DPU as long as that DPU's daemon is linked. */
START_TEST(next_dpu)
{
	struct sockaddr_un here = socket_at("h.peer");
	struct client exporter, first, next;
	struct proof proof;
	char text[300];

	snprintf(text, sizeof(text), "[daemon]\npeer_listen = unix:%s\n", here.sun_path);
	pair_write_config(&pair, SIDE_HOST, text);
	pair_start(&pair, SIDE_HOST);
	client_open(&exporter, &pair, SIDE_HOST);
	client_ask_export(&exporter, client_open_device(&exporter, "pf0"),
			  DOCOCORE__EXPORT_KIND__PCI, 16, -1, LEN);
	client_receive_proof(&exporter, &proof);
	first = dpu_open(&here, 1);
	next = dpu_open(&here, 2);
	ask_import(&first, &proof);
	ck_assert_ptr_nonnull(client_await(&first));
	ck_assert_int_eq(first.reply->body_case, DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY);
	ask_import(&next, &proof);
	ck_assert_ptr_nonnull(client_await(&next));
	client_check_error(&next, CODE_NOT_PERMITTED);
	pair_freeze(&pair, SIDE_HOST);
	if (_i)
		client_close(&first);
	ask_import(&next, &proof);
	if (!_i)
		client_close(&first);
	continue_daemon(SIDE_HOST);
	ck_assert_ptr_nonnull(client_await(&next));
	ck_assert_int_eq(next.reply->body_case, DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY);
	client_close(&next);
	client_close(&exporter);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon next");
	TCase *tcase = unit_case(suite, "who comes next", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, next_connection, 0, 2);
	tcase_add_loop_test(tcase, next_of_the_user, 0, 2 * ARRAY_LEN(quota_cases));
	tcase_add_loop_test(tcase, next_of_the_export, 0, 2);
	tcase_add_loop_test(tcase, next_of_the_queue_pair, 0, 4);
	tcase_add_loop_test(tcase, client_of_no_server, 0, 2);
	tcase_add_loop_test(tcase, next_client, 0, 2);
	tcase_add_loop_test(tcase, next_link, 0, 2);
	tcase_add_loop_test(tcase, next_dpu, 0, 2);
	return unit_run(suite);
}
