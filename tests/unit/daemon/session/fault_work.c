/* See tests/unit/daemon/session/fault_work.h. */
#include "tests/unit/daemon/session/fault_work.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/rdma/rdma.h"
#include "proto/gid.h"
#include "tests/unit/daemon/dbus/bus_dump.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define WAIT_NS    (30 * NS_PER_SEC)
#define EVENT_NS   (5 * NS_PER_SEC)
#define LEN        4096u
#define PCI_READ   16u
#define MSG_LEN    1000u
#define QUEUE_SIZE 8u
#define SLOTS_LEN  65536u
#define CONSUMER   1u
#define PORT       700u

char fault_name[128] = "no fault";

struct work {
	const struct daemon_pair *pair;
	bool is_remote;
	uint8_t host_daemon[16];  /* its id */
	struct client clients[2]; /* conn is NULL: not open */
	uint64_t devices[2], rep, export_id;
	struct event_reader server_events, client_events, listener_events, caller_events;
};

/* --- requests --- */

/* Returns false if the connection has ended. */
static bool await(struct client *client)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;
	int r;

	while ((r = conn_recv(client->conn, &client->reply, &client->fds)) == 0) {
		struct pollfd readable = {.fd = conn_fd(client->conn), .events = POLLIN};

		ck_assert_msg(poll(&readable, 1, clock_poll_timeout(deadline_ns)) == 1,
			      "%s: a request has no answer", fault_name);
	}
	return r == 1;
}

bool fault_ask(struct client *client, Dococore__Packet *packet, const int *fds, size_t n_fds)
{
	if (client->reply)
		dococore__packet__free_unpacked(client->reply, NULL);
	client->reply = NULL;
	fdset_deinit(&client->fds);
	packet->id = ++client->next_id;
	if (conn_send(client->conn, packet, fds, n_fds) < 0 || !await(client))
		return false;
	/* Notices have no id. */
	ck_assert_msg(client->reply->id == packet->id || client->reply->id == 0,
		      "%s: request %llu was answered again after request %llu", fault_name,
		      (unsigned long long)client->reply->id, (unsigned long long)packet->id);
	if (client->reply->body_case != DOCOCORE__PACKET__BODY_ERROR)
		return true;
	ck_assert_msg(*client->reply->error->text != '\0', "%s: an error without a sentence",
		      fault_name);
	if (getenv("SYSCALL_FAULT_VERBOSE") != NULL)
		printf("refused: %s\n", client->reply->error->text);
	return false;
}

static bool ask_device(struct work *work, enum side side, const char *name)
{
	Dococore__DeviceOpen open = DOCOCORE__DEVICE_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	open.name = (char *)name;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	packet.device_open = &open;
	if (!fault_ask(&work->clients[side], &packet, NULL, 0))
		return false;
	work->devices[side] = work->clients[side].reply->handle_reply->handle;
	return true;
}

static bool ask_rep(struct work *work)
{
	Dococore__RepOpen open = DOCOCORE__REP_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	open.name = (char *)"hpf0";
	packet.body_case = DOCOCORE__PACKET__BODY_REP_OPEN;
	packet.rep_open = &open;
	if (!fault_ask(&work->clients[SIDE_DPU], &packet, NULL, 0))
		return false;
	work->rep = work->clients[SIDE_DPU].reply->handle_reply->handle;
	return true;
}

/* --- memory --- */

static bool ask_export(struct work *work, struct proof *proof)
{
	Dococore__ExportCreate create = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	CLEANUP_FD int memfd = memfd_create_sealed("fault", LEN);

	ck_assert_int_ge(memfd, 0);
	create.device = work->devices[SIDE_HOST];
	create.kind = DOCOCORE__EXPORT_KIND__PCI;
	create.addr = 0x10000;
	create.len = LEN;
	create.permissions = PCI_READ;
	create.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &create;
	if (!fault_ask(&work->clients[SIDE_HOST], &packet, &memfd, 1))
		return false;
	client_receive_proof(&work->clients[SIDE_HOST], proof);
	work->export_id = proof->reply.export_id;
	return true;
}

static bool ask_import(struct work *work, const struct proof *proof)
{
	Dococore__ImportCreate create = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	create.device = work->devices[SIDE_DPU];
	create.kind = DOCOCORE__EXPORT_KIND__PCI;
	create.export_id = proof->reply.export_id;
	create.secret = proof->reply.secret;
	create.exporter_side = (char *)"host";
	create.exporter_daemon = (ProtobufCBinaryData){sizeof(work->host_daemon),
						       work->host_daemon};
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &create;
	return fault_ask(&work->clients[SIDE_DPU], &packet, NULL, 0);
}

static bool has_answered(int r)
{
	ck_assert_msg(r != -ETIMEDOUT, "%s: an operator has no answer", fault_name);
	return r == 0;
}

static bool share_memory(struct work *work)
{
	struct proof proof;
	bool done;

	if (!ask_export(work, &proof))
		return false;
	done = ask_import(work, &proof);
	done = has_answered(bus_revoke(work->pair, SIDE_HOST, work->export_id)) && done;
	return has_answered(bus_operate(work->pair, SIDE_DPU, "/org/dococore",
					"org.freedesktop.DBus.Peer", "Ping")) &&
	       done;
}

/* --- a channel --- */

/* Reads the ring itself, since a notification that fails must not stop the test. */
static bool await_event(struct event_reader *reader, uint32_t type, uint64_t *id_out)
{
	uint64_t deadline_ns = clock_now_ns() + EVENT_NS;
	struct event event;

	while (event_reader_pop(reader, &event) == 0) {
		if (clock_now_ns() > deadline_ns)
			return false;
		poll(NULL, 0, 1);
	}
	*id_out = event.id;
	return event.type == type;
}

static bool ask_server(struct work *work)
{
	struct client *client = &work->clients[SIDE_DPU];
	Dococore__ServerCreate create = DOCOCORE__SERVER_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	create.device = work->devices[SIDE_DPU];
	create.rep = work->rep;
	create.name = (char *)"echo";
	create.max_msg_size = MSG_LEN;
	create.recv_queue_size = QUEUE_SIZE;
	packet.body_case = DOCOCORE__PACKET__BODY_SERVER_CREATE;
	packet.server_create = &create;
	if (!fault_ask(client, &packet, NULL, 0))
		return false;
	client_receive_events(client, &work->server_events,
			      client->reply->server_reply->event_ring_len);
	return true;
}

static bool ask_connect(struct work *work, uint64_t *channel_out)
{
	struct client *client = &work->clients[SIDE_HOST];
	Dococore__ChannelConnect connect = DOCOCORE__CHANNEL_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	connect.device = work->devices[SIDE_HOST];
	connect.name = (char *)"echo";
	connect.max_msg_size = MSG_LEN;
	connect.recv_queue_size = QUEUE_SIZE;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CONNECT;
	packet.channel_connect = &connect;
	if (!fault_ask(client, &packet, NULL, 0))
		return false;
	*channel_out = client->reply->channel_connect_reply->channel_id;
	client_receive_events(client, &work->client_events,
			      client->reply->channel_connect_reply->event_ring_len);
	return true;
}

static bool ask_fetch(struct client *client, uint64_t channel)
{
	Dococore__ChannelFetch fetch = DOCOCORE__CHANNEL_FETCH__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	fetch.channel_id = channel;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_FETCH;
	packet.channel_fetch = &fetch;
	return fault_ask(client, &packet, NULL, 0);
}

static bool ask_close(struct client *client, uint64_t channel)
{
	Dococore__ChannelClose close = DOCOCORE__CHANNEL_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	close.channel_id = channel;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CLOSE;
	packet.channel_close = &close;
	return fault_ask(client, &packet, NULL, 0);
}

/* --- a consumer of the host, which the server fetches --- */

static bool ask_consumer(struct client *client, uint64_t channel)
{
	CLEANUP_FD int slots = memfd_create_sealed("slots", SLOTS_LEN);
	CLEANUP_FD int doorbell = fd_eventfd();
	Dococore__ConsumerCreate create = DOCOCORE__CONSUMER_CREATE__INIT;
	Dococore__Consumer spec = DOCOCORE__CONSUMER__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ck_assert(slots >= 0 && doorbell >= 0);
	spec.id = CONSUMER;
	spec.slots_len = SLOTS_LEN;
	spec.n_slots = 64;
	spec.max_imm_len = 16;
	spec.max_buf_size = 4096;
	spec.addr = 0x40000000u;
	spec.len = 1u << 20;
	create.channel_id = channel;
	create.consumer = &spec;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_CREATE;
	packet.consumer_create = &create;
	return fault_ask(client, &packet, (const int[]){slots, doorbell}, 2);
}

static bool ask_fetch_consumer(struct client *client, uint64_t channel)
{
	Dococore__ConsumerFetch fetch = DOCOCORE__CONSUMER_FETCH__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	fetch.channel_id = channel;
	fetch.consumer_id = CONSUMER;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_FETCH;
	packet.consumer_fetch = &fetch;
	return fault_ask(client, &packet, NULL, 0);
}

static bool ask_end_consumer(struct client *client, uint64_t channel)
{
	Dococore__ConsumerDestroy destroy = DOCOCORE__CONSUMER_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	destroy.channel_id = channel;
	destroy.consumer_id = CONSUMER;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_DESTROY;
	packet.consumer_destroy = &destroy;
	return fault_ask(client, &packet, NULL, 0);
}

static bool use_consumer(struct work *work, uint64_t client_end, uint64_t server_end)
{
	struct client *owner = &work->clients[SIDE_HOST];
	uint64_t id;

	return ask_consumer(owner, client_end) &&
	       await_event(&work->server_events, EVENT_CONSUMER_NEW, &id) &&
	       ask_fetch_consumer(&work->clients[SIDE_DPU], server_end) &&
	       ask_end_consumer(owner, client_end) &&
	       await_event(&work->server_events, EVENT_CONSUMER_GONE, &id);
}

static bool connect_ends(struct work *work)
{
	uint64_t client_end, server_end, ready;

	return ask_server(work) && ask_connect(work, &client_end) &&
	       await_event(&work->server_events, EVENT_CHANNEL_NEW, &server_end) &&
	       ask_fetch(&work->clients[SIDE_DPU], server_end) &&
	       await_event(&work->client_events, EVENT_CHANNEL_READY, &ready) &&
	       ask_fetch(&work->clients[SIDE_HOST], client_end) &&
	       (work->is_remote || use_consumer(work, client_end, server_end)) &&
	       ask_close(&work->clients[SIDE_HOST], client_end) &&
	       await_event(&work->server_events, EVENT_CHANNEL_CLOSED, &server_end) &&
	       ask_close(&work->clients[SIDE_DPU], server_end);
}

/* --- RDMA: the DPU calls a listener of the host by its address --- */

static bool ask_endpoint(struct work *work, enum side side, struct event_reader *events,
			 uint64_t *endpoint_out)
{
	struct client *client = &work->clients[side];
	Dococore__RdmaOpen open = DOCOCORE__RDMA_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	open.device = work->devices[side];
	open.serves_exports = true;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN;
	packet.rdma_open = &open;
	if (!fault_ask(client, &packet, NULL, 0))
		return false;
	*endpoint_out = client->reply->rdma_open_reply->endpoint_id;
	client_receive_events(client, events, client->reply->rdma_open_reply->event_ring_len);
	return true;
}

static bool ask_listen(struct client *client, uint64_t endpoint)
{
	Dococore__RdmaListen listen = DOCOCORE__RDMA_LISTEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	listen.endpoint_id = endpoint;
	listen.port_number = PORT;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	packet.rdma_listen = &listen;
	return fault_ask(client, &packet, NULL, 0);
}

static bool ask_call(struct client *client, uint64_t endpoint)
{
	/* Topologies define the addresses in this way by default. */
	static const uint8_t pf0_mac[6] = {2, 0, 0, 0, 0x0b, 0}, p0_mac[6] = {2, 0, 0, 0, 3, 0};
	uint8_t address[GID_LEN], source[GID_LEN], details[8] = {0};
	Dococore__RdmaConnect connect = DOCOCORE__RDMA_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	gid_of_mac(pf0_mac, 0, address);
	gid_of_mac(p0_mac, 0, source);
	connect.endpoint_id = endpoint;
	connect.address = (ProtobufCBinaryData){sizeof(address), address};
	connect.source = (ProtobufCBinaryData){sizeof(source), source};
	connect.details = (ProtobufCBinaryData){sizeof(details), details};
	connect.port_number = PORT;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_CONNECT;
	packet.rdma_connect = &connect;
	return fault_ask(client, &packet, NULL, 0);
}

static bool ask_fetch_call(struct client *client, uint64_t call)
{
	Dococore__RdmaFetch fetch = DOCOCORE__RDMA_FETCH__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	fetch.call_id = call;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_FETCH;
	packet.rdma_fetch = &fetch;
	return fault_ask(client, &packet, NULL, 0);
}

static bool ask_accept(struct client *client, uint64_t call)
{
	Dococore__RdmaAnswer answer = DOCOCORE__RDMA_ANSWER__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t details[8] = {0};

	answer.call_id = call;
	answer.details = (ProtobufCBinaryData){sizeof(details), details};
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_ANSWER;
	packet.rdma_answer = &answer;
	return fault_ask(client, &packet, NULL, 0);
}

static bool call_listener(struct work *work)
{
	struct client *host = &work->clients[SIDE_HOST], *dpu = &work->clients[SIDE_DPU];
	uint64_t listener, caller, incoming, outgoing;

	/* The fetch of an answered call ends it. */
	return ask_endpoint(work, SIDE_HOST, &work->listener_events, &listener) &&
	       ask_endpoint(work, SIDE_DPU, &work->caller_events, &caller) &&
	       ask_listen(host, listener) && ask_call(dpu, caller) &&
	       await_event(&work->listener_events, EVENT_RDMA_REQUESTED, &incoming) &&
	       ask_fetch_call(host, incoming) && ask_accept(host, incoming) &&
	       await_event(&work->caller_events, EVENT_RDMA_ANSWERED, &outgoing) &&
	       ask_fetch_call(dpu, outgoing);
}

/* --- all of it --- */

static bool open_clients(struct work *work)
{
	const Dococore__HelloReply *hello;

	for (int side = SIDE_HOST; side <= SIDE_DPU; side++)
		if (!client_try_open(&work->clients[side], work->pair, (enum side)side))
			return false;
	hello = work->clients[SIDE_HOST].reply->hello_reply;
	ck_assert_uint_eq(hello->daemon_id.len, sizeof(work->host_daemon));
	memcpy(work->host_daemon, hello->daemon_id.data, sizeof(work->host_daemon));
	return ask_device(work, SIDE_HOST, "pf0") && ask_device(work, SIDE_DPU, "p0") &&
	       ask_rep(work);
}

bool fault_work(const struct daemon_pair *pair, enum side reloads, bool is_remote)
{
	struct work work = {.pair = pair,
			    .is_remote = is_remote,
			    .server_events = EVENT_READER_INIT,
			    .client_events = EVENT_READER_INIT,
			    .listener_events = EVENT_READER_INIT,
			    .caller_events = EVENT_READER_INIT};
	bool done = false;

	ck_assert_int_eq(kill(pair->pids[reloads], SIGHUP), 0);
	if (open_clients(&work)) {
		done = share_memory(&work);
		done = connect_ends(&work) && done;
		done = (is_remote || call_listener(&work)) && done;
	}
	event_reader_deinit(&work.server_events);
	event_reader_deinit(&work.client_events);
	event_reader_deinit(&work.listener_events);
	event_reader_deinit(&work.caller_events);
	for (int side = SIDE_HOST; side <= SIDE_DPU; side++)
		if (work.clients[side].conn)
			client_close(&work.clients[side]);
	return done;
}
