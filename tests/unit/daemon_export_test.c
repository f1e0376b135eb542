/* Two daemons and bare clients: devices, exports and imports, and what may not be done. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include "daemon/rdma.h"
#include "tests/unit/daemon_pair.h"
#include "tests/unit/import_view.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define PCI       DOCOCORE__EXPORT_KIND__PCI
#define RDMA      DOCOCORE__EXPORT_KIND__RDMA
#define PCI_READ  16u
#define PCI_WRITE 32u
#define RDMA_READ 2u
#define AWAIT_NS  (30 * NS_PER_SEC)

static struct daemon_pair pair;

static void set_up(void)
{
	pair_set_up(&pair);
	pair_start_linked(&pair);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
}

static void export_destroy(struct client *client, uint64_t id)
{
	Dococore__ExportDestroy ask = DOCOCORE__EXPORT_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.export_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
	packet.export_destroy = &ask;
	client_ask(client, &packet, NULL, 0);
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

static void import_destroy(struct client *client, uint64_t id)
{
	Dococore__ImportDestroy ask = DOCOCORE__IMPORT_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.import_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_DESTROY;
	packet.import_destroy = &ask;
	client_ask(client, &packet, NULL, 0);
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

START_TEST(devices_are_listed)
{
	static const char *const host[] = {"pf0", "pf0vf0", "pf0vf1", "pf1", "pf1vf0"};
	Dococore__DeviceList ask = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__RepList ask_reps = DOCOCORE__REP_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &ask;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_uint_eq(client.reply->device_list_reply->total, ARRAY_LEN(host));
	ck_assert_uint_eq(client.reply->device_list_reply->n_devices, ARRAY_LEN(host));
	for (size_t i = 0; i < ARRAY_LEN(host); i++) {
		const Dococore__Device *device = client.reply->device_list_reply->devices[i];

		ck_assert_str_eq(device->name, host[i]);
		ck_assert(device->caps->export_pci && device->caps->comch_client);
		ck_assert(!device->caps->import_pci && !device->caps->comch_server);
	}
	ask.offset = 4;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_uint_eq(client.reply->device_list_reply->n_devices, 1);
	ask_reps.device_id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_REP_LIST;
	packet.rep_list = &ask_reps;
	client_ask(&client, &packet, NULL, 0);
	client_check_error(&client, CODE_NOT_SUPPORTED);
	client_close(&client);
}
END_TEST

START_TEST(representors_follow_the_link)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	struct client client;

	client_open(&client, &pair, SIDE_DPU);
	ck_assert_uint_eq(client_count_reps(&client, 1), 4);
	ck_assert_uint_eq(client_count_reps(&client, 2), 3);
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	/* The one of our own sub-function stays. */
	while (client_count_reps(&client, 1) != 1)
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
	ck_assert_uint_eq(client_count_reps(&client, 2), 1);
	pair_start(&pair, SIDE_HOST);
	pair_wait_linked(&pair);
	ck_assert_uint_eq(client_count_reps(&client, 2), 3);
	client_close(&client);
}
END_TEST

START_TEST(import_over_the_link)
{
	struct client host, dpu;
	struct proof proof;
	struct view view;
	uint64_t p0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 4096);
	client_take_proof(&host, &proof);
	p0 = client_open_device(&dpu, "p0");
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_take(&dpu, &view);
	ck_assert_uint_eq(dpu.reply->import_reply->addr, 0x10000);
	ck_assert_uint_eq(dpu.reply->import_reply->len, 4096);
	ck_assert_uint_eq(dpu.reply->import_reply->permissions, PCI_READ);
	ck_assert_uint_eq(dpu.reply->import_reply->exporter_pid, (uint32_t)getpid());
	ck_assert(!dpu.reply->import_reply->same_process);
	export_destroy(&host, proof.reply.export_id);
	/* Cleared before the answer. */
	ck_assert_uint_ne(view.page->words[view.slot], view.generation);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	import_destroy(&dpu, view.id);
	import_destroy(&dpu, view.id);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

START_TEST(memfd_goes_along_with_its_rights)
{
	int memfd = memfd_create_sealable("test", 8192);
	struct client host, dpu;
	struct proof proof;
	struct view view;
	uint64_t pf0, p0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	pf0 = client_open_device(&host, "pf0");
	p0 = client_open_device(&dpu, "p0");
	client_ask_export(&host, pf0, PCI, PCI_READ, memfd, 8192);
	client_take_proof(&host, &proof);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_take(&dpu, &view);
	ck_assert_int_eq(fcntl(view.memfd, F_GETFL) & O_ACCMODE, O_RDONLY);
	client_ask_export(&host, pf0, PCI, PCI_WRITE, memfd, 8192);
	client_take_proof(&host, &proof);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_take(&dpu, &view);
	ck_assert_int_eq(fcntl(view.memfd, F_GETFL) & O_ACCMODE, O_RDWR);
	/* Longer than the file; no memfd; read-only with a promise to write. */
	client_ask_export(&host, pf0, PCI, PCI_WRITE, memfd, 8193);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_WRITE, open("/dev/null", O_RDWR), 1);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_WRITE, fd_reopen(memfd, O_RDONLY), 8192);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

START_TEST(import_rules)
{
	struct client host, dpu;
	struct proof proof, forged;
	uint64_t pf0, p0, p1, p0s0;
	char sentence[401];

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	pf0 = client_open_device(&host, "pf0");
	p0 = client_open_device(&dpu, "p0");
	p1 = client_open_device(&dpu, "p1");
	p0s0 = client_open_device(&dpu, "p0s0");
	client_ask_export(&host, pf0, PCI, PCI_WRITE, -1, 100);
	client_take_proof(&host, &proof);
	/* The device that has no representor of pf0, and one that imports nothing. */
	client_ask_import(&dpu, p1, &proof.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	client_ask_import(&dpu, p0s0, &proof.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	client_ask_import(&host, pf0, &proof.reply, PCI, "host");
	client_check_error(&host, CODE_NOT_PERMITTED);
	/* A wrong secret, a wrong kind and an unknown id sound the same. */
	forged = proof;
	forged.secret[15] ^= 1;
	forged.reply.secret.data = forged.secret;
	client_ask_import(&dpu, p0, &forged.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	strcpy(sentence, dpu.reply->error->text);
	forged = proof;
	forged.reply.secret.data = forged.secret;
	forged.reply.export_id++;
	client_ask_import(&dpu, p0, &forged.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	ck_assert_str_eq(dpu.reply->error->text, sentence);
	client_ask_import(&dpu, p0, &proof.reply, RDMA, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	ck_assert_str_eq(dpu.reply->error->text, sentence);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "moon");
	client_check_error(&dpu, CODE_INVALID_VALUE);
	client_ask_import(&dpu, 999, &proof.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_FOUND);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

START_TEST(export_rules)
{
	struct client host, dpu;
	uint64_t pf0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	pf0 = client_open_device(&host, "pf0");
	client_ask_export(&host, pf0, PCI, RDMA_READ, -1, 1);
	client_check_error(&host, CODE_NOT_PERMITTED);
	client_ask_export(&host, pf0, RDMA, PCI_READ, -1, 1);
	client_check_error(&host, CODE_NOT_PERMITTED);
	client_ask_export(&host, pf0, PCI, PCI_READ | PCI_WRITE, -1, 1);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_READ | 128, -1, 1);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, 0);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, UINT64_MAX);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&dpu, client_open_device(&dpu, "p0"), PCI, PCI_READ, -1, 1);
	client_check_error(&dpu, CODE_NOT_SUPPORTED);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

START_TEST(rdma_on_the_same_side)
{
	struct client a, b;
	struct proof proof;
	struct view view;

	client_open(&a, &pair, SIDE_HOST);
	client_open(&b, &pair, SIDE_HOST);
	client_ask_export(&a, client_open_device(&a, "pf0"), RDMA, RDMA_READ, -1, 100);
	client_take_proof(&a, &proof);
	client_ask_import(&b, client_open_device(&b, "pf1"), &proof.reply, RDMA, "host");
	view_take(&b, &view);
	ck_assert(!b.reply->import_reply->same_process);
	client_ask_import(&a, client_open_device(&a, "pf0"), &proof.reply, RDMA, "host");
	ck_assert(a.reply->import_reply->same_process);
	client_close(&a);
	view_await_dead(&view);
	client_close(&b);
}
END_TEST

/* The id of an agent that serves exports, or 0 and the error is the last answer. */
static uint64_t open_agent(struct client *client, uint64_t device, bool relays, bool streams_only)
{
	Dococore__RdmaOpen open = DOCOCORE__RDMA_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	open.device = device;
	open.serves_exports = true;
	open.relays = relays;
	open.streams_only = streams_only;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN;
	packet.rdma_open = &open;
	client_ask(client, &packet, NULL, 0);
	if (client->reply->body_case != DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY)
		return 0;
	return client->reply->rdma_open_reply->agent_id;
}

static void send_listen(struct client *client, uint64_t agent)
{
	Dococore__RdmaListen listen = DOCOCORE__RDMA_LISTEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	listen.agent_id = agent;
	listen.port_number = 700;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	packet.rdma_listen = &listen;
	client_send(client, &packet, NULL, 0);
}

static void ask_listen(struct client *client, uint64_t agent)
{
	send_listen(client, agent);
	client_await(client);
}

static const uint8_t pf0_mac[6] = {2, 0, 0, 0, 0x0b, 0}, p0_mac[6] = {2, 0, 0, 0, 3, 0};

/* To the address of a MAC, as topologies are by default, or by an import. */
static void ask_connect_at(struct client *client, uint64_t agent, const uint8_t mac[6],
			   uint64_t import, bool relay)
{
	static uint8_t details[8];
	uint8_t address[GID_LEN], source[GID_LEN];
	Dococore__RdmaConnect connect = DOCOCORE__RDMA_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	gid_of_mac(mac, 0, address);
	gid_of_mac(p0_mac, 0, source);
	connect.agent_id = agent;
	connect.address = (ProtobufCBinaryData){sizeof(address), address};
	connect.source = (ProtobufCBinaryData){sizeof(source), source};
	connect.details = (ProtobufCBinaryData){sizeof(details), details};
	connect.port_number = 700;
	connect.import_id = import;
	connect.relay = relay;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_CONNECT;
	packet.rdma_connect = &connect;
	client_ask(client, &packet, NULL, 0);
}

static void ask_connect_as(struct client *client, uint64_t agent, uint64_t import, bool relay)
{
	ask_connect_at(client, agent, pf0_mac, import, relay);
}

static void ask_connect(struct client *client, uint64_t agent, uint64_t import)
{
	ask_connect_as(client, agent, import, false);
}

static void deprived_set_up(void)
{
	pair_set_up(&pair);
	pair_write_topology(&pair, SIDE_HOST,
			    "[topology]\nside = host\n"
			    "[device pf0]\npci = 0b:00.0\nrdma = no\n"
			    "[device pf1]\npci = 0b:00.1\n");
	pair_start(&pair, SIDE_HOST);
}

/* A port that only relays is none to anybody else, and gets no queue pairs by saying so. */
START_TEST(ports_that_only_relay)
{
	bool denied = _i == 0;
	uint64_t pf, agent, import;
	struct client a, b;
	struct proof proof;
	struct view view;

	client_open(&a, &pair, SIDE_HOST);
	client_open(&b, &pair, SIDE_HOST);
	pf = client_open_device(&a, denied ? "pf0" : "pf1");
	ck_assert_uint_eq(denied ? open_agent(&a, pf, false, false) : 0, 0);
	agent = open_agent(&a, pf, true, !denied);
	ck_assert_uint_ne(agent, 0);
	ask_listen(&a, agent);
	client_check_error(&a, CODE_NOT_SUPPORTED);
	ask_connect(&a, agent, 0);
	client_check_error(&a, CODE_NOT_SUPPORTED);
	client_ask_export(&a, pf, RDMA, RDMA_READ, -1, 100);
	client_take_proof(&a, &proof);
	/* An importer of the same machine has nothing of it, nor may it call by the import. */
	client_ask_import(&b, client_open_device(&b, "pf1"), &proof.reply, RDMA, "host");
	ck_assert_uint_eq(b.reply->import_reply->agent_id, 0);
	view_take(&b, &view);
	import = view.id;
	pf = client_open_device(&b, "pf1");
	agent = open_agent(&b, pf, false, false);
	ck_assert_uint_ne(agent, 0);
	{
		struct event_reader events;
		struct event event;

		client_take_events(&b, &events, b.reply->rdma_open_reply->event_ring_len);
		ask_connect(&b, agent, import);
		ck_assert_int_eq(b.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
		event = events_await(&events);
		ck_assert_uint_eq(event.type, EVENT_RDMA_ANSWERED);
		ck_assert_uint_eq(event.code, CODE_CONNECTION_ABORTED);
		event_reader_deinit(&events);
	}
	client_close(&a);
	view_await_dead(&view);
	client_close(&b);
}
END_TEST

static void check_event(struct event_reader *events, uint32_t type, uint32_t code)
{
	struct event event = events_await(events);

	ck_assert_uint_eq(event.type, type);
	ck_assert_uint_eq(event.code, code);
}

static void accept_this(struct client *client, uint64_t call)
{
	static uint8_t details[8];
	Dococore__RdmaAnswer answer = DOCOCORE__RDMA_ANSWER__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	answer.call_id = call;
	answer.details = (ProtobufCBinaryData){sizeof(details), details};
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_ANSWER;
	packet.rdma_answer = &answer;
	ck_assert_int_eq(client_ask(client, &packet, NULL, 0)->body_case,
			 DOCOCORE__PACKET__BODY_OK);
}

/* The exporter accepts the next call. Returns its id. */
static uint64_t accept_call(struct client *client, struct event_reader *events)
{
	struct event event = events_await(events);

	ck_assert_uint_eq(event.type, EVENT_RDMA_REQUESTED);
	accept_this(client, event.id);
	return event.id;
}

/* False: it has ended before. */
static bool hang_up(struct client *client, uint64_t call)
{
	Dococore__RdmaAnswer answer = DOCOCORE__RDMA_ANSWER__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	answer.call_id = call;
	answer.code = CODE_CONNECTION_ABORTED;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_ANSWER;
	packet.rdma_answer = &answer;
	return client_ask(client, &packet, NULL, 0)->body_case == DOCOCORE__PACKET__BODY_OK;
}

/*
 * A client that has a device open twice serves the exports of each by an agent of its own; of one
 * there is one. Calls go to that of the export. _i: side of the importer.
 */
START_TEST(each_open_device_has_its_own_agent)
{
	const char *device = _i == SIDE_HOST ? "pf1" : "p0";
	struct event_reader events[2], caller_events;
	uint64_t pf0[2], agent, from;
	struct client exporter, importer;
	struct proof proofs[2];
	struct view views[2];

	client_open(&exporter, &pair, SIDE_HOST);
	client_open(&importer, &pair, (enum side)_i);
	from = client_open_device(&importer, device);
	for (int i = 0; i < 2; i++) {
		pf0[i] = client_open_device(&exporter, "pf0");
		ck_assert_uint_ne(open_agent(&exporter, pf0[i], false, false), 0);
		client_take_events(&exporter, &events[i],
				   exporter.reply->rdma_open_reply->event_ring_len);
		ck_assert_uint_eq(open_agent(&exporter, pf0[i], false, false), 0);
		client_check_error(&exporter, CODE_ALREADY_EXIST);
	}
	agent = open_agent(&importer, from, false, false);
	client_take_events(&importer, &caller_events,
			   importer.reply->rdma_open_reply->event_ring_len);
	for (int i = 1; i >= 0; i--) {
		client_ask_export(&exporter, pf0[i], RDMA, RDMA_READ, -1, 100);
		client_take_proof(&exporter, &proofs[i]);
		client_ask_import(&importer, from, &proofs[i].reply, RDMA, "host");
		view_take(&importer, &views[i]);
		ask_connect(&importer, agent, views[i].id);
		accept_call(&exporter, &events[i]);
		check_event(&caller_events, EVENT_RDMA_ANSWERED, CODE_SUCCESS);
	}
	for (int i = 0; i < 2; i++)
		event_reader_deinit(&events[i]);
	event_reader_deinit(&caller_events);
	client_close(&exporter);
	for (int i = 0; i < 2; i++)
		view_await_dead(&views[i]);
	client_close(&importer);
}
END_TEST

/* An exporter of the host, and who has imported from it and may call it. */
struct callers {
	struct client exporter, importer;
	struct event_reader exporter_events, events;
	uint64_t agent;
	struct view view;
};

static void callers_set_up(struct callers *c, enum side side)
{
	const char *device = side == SIDE_HOST ? "pf1" : "p0";
	struct proof proof;
	uint64_t pf0;

	client_open(&c->exporter, &pair, SIDE_HOST);
	client_open(&c->importer, &pair, side);
	pf0 = client_open_device(&c->exporter, "pf0");
	ck_assert_uint_ne(open_agent(&c->exporter, pf0, false, false), 0);
	client_take_events(&c->exporter, &c->exporter_events,
			   c->exporter.reply->rdma_open_reply->event_ring_len);
	client_ask_export(&c->exporter, pf0, RDMA, RDMA_READ, -1, 100);
	client_take_proof(&c->exporter, &proof);
	client_ask_import(&c->importer, client_open_device(&c->importer, device), &proof.reply,
			  RDMA, "host");
	view_take(&c->importer, &c->view);
	c->agent = open_agent(&c->importer, client_open_device(&c->importer, device), false, false);
	ck_assert_uint_ne(c->agent, 0);
	client_take_events(&c->importer, &c->events,
			   c->importer.reply->rdma_open_reply->event_ring_len);
}

/* Returns the caller's id of it. */
static uint64_t callers_connect(struct callers *c)
{
	uint64_t call;

	ask_connect(&c->importer, c->agent, c->view.id);
	ck_assert_int_eq(c->importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	call = c->importer.reply->rdma_connect_reply->call_id;
	accept_call(&c->exporter, &c->exporter_events);
	check_event(&c->events, EVENT_RDMA_ANSWERED, CODE_SUCCESS);
	return call;
}

static void callers_tear_down(struct callers *c)
{
	event_reader_deinit(&c->events);
	event_reader_deinit(&c->exporter_events);
	client_close(&c->exporter);
	client_close(&c->importer);
}

/* One importer gets half of the queue pairs that an exporter serves, on this side or the other. */
START_TEST(importers_leave_room_for_others)
{
	struct callers c;
	uint64_t call = 0;

	callers_set_up(&c, _i == 0 ? SIDE_HOST : SIDE_DPU);
	for (unsigned i = 0; i < RDMA_MAX_PAIRS_EACH; i++)
		call = callers_connect(&c);
	ask_connect(&c.importer, c.agent, c.view.id);
	check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_FULL);
	ck_assert(hang_up(&c.importer, call));
	check_event(&c.exporter_events, EVENT_RDMA_GONE, CODE_CONNECTION_ABORTED);
	callers_connect(&c);
	callers_tear_down(&c);
}
END_TEST

/* The exporter's daemon stands still: what callers that come and go leave for it is bounded. */
static void congest(struct callers *c)
{
	enum { LIMIT = 20000 };
	struct rlimit limit;
	int n = 0;

	/* What may wait goes by that. */
	ck_assert_int_eq(prlimit(pair.pids[SIDE_DPU], RLIMIT_NOFILE, NULL, &limit), 0);
	limit.rlim_cur = MIN(limit.rlim_cur, 1024);
	ck_assert_int_eq(prlimit(pair.pids[SIDE_DPU], RLIMIT_NOFILE, &limit, NULL), 0);
	pair_freeze(&pair, SIDE_HOST);
	do {
		ck_assert_int_lt(n++, LIMIT);
		ask_connect(&c->importer, c->agent, c->view.id);
		ck_assert_int_eq(c->importer.reply->body_case,
				 DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	} while (hang_up(&c->importer, c->importer.reply->rdma_connect_reply->call_id));
	check_event(&c->events, EVENT_RDMA_ANSWERED, CODE_AGAIN);
}

START_TEST(congested_link)
{
	Dococore__ExportReply reply = DOCOCORE__EXPORT_REPLY__INIT;
	uint8_t secret[16] = {1};
	struct callers c;

	callers_set_up(&c, SIDE_DPU);
	congest(&c);
	/* Nor is it asked for another export. */
	reply.export_id = 1;
	reply.secret = (ProtobufCBinaryData){sizeof(secret), secret};
	client_ask_import(&c.importer, client_open_device(&c.importer, "p0"), &reply, RDMA, "host");
	client_check_error(&c.importer, CODE_AGAIN);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	callers_tear_down(&c);
}
END_TEST

/* The next program has the port number of one that has ended, though the daemon hears of the end
 * last. */
START_TEST(next_on_the_port)
{
	struct client first, next;
	uint64_t agent;

	client_open(&first, &pair, SIDE_HOST);
	ask_listen(&first, open_agent(&first, client_open_device(&first, "pf0"), false, false));
	ck_assert_int_eq(first.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	client_open(&next, &pair, SIDE_HOST);
	agent = open_agent(&next, client_open_device(&next, "pf0"), false, false);
	ask_listen(&next, agent);
	client_check_error(&next, CODE_ALREADY_EXIST);
	pair_freeze(&pair, SIDE_HOST);
	send_listen(&next, agent);
	client_close(&first);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	client_await(&next);
	ck_assert_int_eq(next.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	client_close(&next);
}
END_TEST

/* A call by address waits for room, if its caller does; or for the link to break. */
START_TEST(calls_wait_for_room)
{
	struct event_reader events;
	struct client listener;
	uint64_t agent, call;
	struct callers c;

	callers_set_up(&c, SIDE_DPU);
	client_open(&listener, &pair, SIDE_HOST);
	agent = open_agent(&listener, client_open_device(&listener, "pf0"), false, false);
	client_take_events(&listener, &events, listener.reply->rdma_open_reply->event_ring_len);
	ask_listen(&listener, agent);
	ck_assert_int_eq(listener.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	congest(&c);
	ask_connect(&c.importer, c.agent, 0);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	ck_assert(hang_up(&c.importer, c.importer.reply->rdma_connect_reply->call_id));
	ask_connect(&c.importer, c.agent, 0);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	call = c.importer.reply->rdma_connect_reply->call_id;
	if (_i == 0) {
		ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
		accept_call(&listener, &events);
		check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_SUCCESS);
		/* Who had hung up before was never heard of. */
		ck_assert(!event_reader_pending(&events));
	} else {
		ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGKILL), SIGKILL);
		check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_CONNECTION_ABORTED);
		ck_assert(!hang_up(&c.importer, call));
	}
	event_reader_deinit(&events);
	client_close(&listener);
	callers_tear_down(&c);
}
END_TEST

/* A call that waited, and has found who listens on its own side, is placed once. */
START_TEST(calls_that_waited_are_placed_once)
{
	struct event_reader events;
	struct client listener;
	struct event event;
	struct callers c;
	uint64_t agent;

	callers_set_up(&c, SIDE_DPU);
	congest(&c);
	ask_connect_at(&c.importer, c.agent, p0_mac, 0, false);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	client_open(&listener, &pair, SIDE_DPU);
	agent = open_agent(&listener, client_open_device(&listener, "p0"), false, false);
	client_take_events(&listener, &events, listener.reply->rdma_open_reply->event_ring_len);
	ask_listen(&listener, agent);
	ck_assert_int_eq(listener.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	event = events_await(&events);
	ck_assert_uint_eq(event.type, EVENT_RDMA_REQUESTED);
	/* Another one waits, and is over with the link: that is room for whoever waits. */
	congest(&c);
	ask_connect(&c.importer, c.agent, 0);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGKILL), SIGKILL);
	check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_CONNECTION_ABORTED);
	accept_this(&listener, event.id);
	check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_SUCCESS);
	ck_assert(!event_reader_pending(&events));
	event_reader_deinit(&events);
	client_close(&listener);
	callers_tear_down(&c);
}
END_TEST

/* Queue pairs need no daemon: one that stops does not say that the other end has gone. */
START_TEST(a_stop_ends_no_queue_pair)
{
	struct callers c;

	callers_set_up(&c, SIDE_HOST);
	callers_connect(&c);
	pair_stop(&pair, SIDE_HOST, SIGTERM);
	ck_assert(!event_reader_pending(&c.events));
	ck_assert(!event_reader_pending(&c.exporter_events));
	callers_tear_down(&c);
}
END_TEST

/* The exporter's daemon is killed before it has answered, or before its client has: the caller may
 * call again, once there is another. */
START_TEST(a_call_in_the_air_may_be_made_again)
{
	struct callers c;

	callers_set_up(&c, SIDE_DPU);
	if (_i == 0)
		pair_freeze(&pair, SIDE_HOST);
	ask_connect(&c.importer, c.agent, c.view.id);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	if (_i == 1)
		check_event(&c.exporter_events, EVENT_RDMA_REQUESTED, CODE_SUCCESS);
	pair_stop(&pair, SIDE_HOST, SIGKILL);
	check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_AGAIN);
	callers_tear_down(&c);
}
END_TEST

/* What both daemons of a link relay is not to be had without the link. */
START_TEST(nothing_is_relayed_on_one_side)
{
	struct callers c;

	callers_set_up(&c, SIDE_HOST);
	ask_connect_as(&c.importer, c.agent, c.view.id, true);
	client_check_error(&c.importer, CODE_NOT_SUPPORTED);
	callers_tear_down(&c);
}
END_TEST

/* Slots of the liveness page are used again, with another generation. */
START_TEST(generations_differ)
{
	struct client host;
	struct proof first, second;
	uint64_t pf0;

	client_open(&host, &pair, SIDE_HOST);
	pf0 = client_open_device(&host, "pf0");
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, 1);
	client_take_proof(&host, &first);
	export_destroy(&host, first.reply.export_id);
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, 1);
	client_take_proof(&host, &second);
	ck_assert_uint_eq(first.reply.slot, second.reply.slot);
	ck_assert_uint_ne(first.reply.generation, second.reply.generation);
	ck_assert_uint_ne(first.reply.export_id, second.reply.export_id);
	ck_assert_mem_ne(first.secret, second.secret, 16);
	client_close(&host);
}
END_TEST

START_TEST(killed_exporter_is_noticed)
{
	struct client dpu;
	struct proof proof;
	struct view view;
	int pipe_fds[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		struct client host;

		client_open(&host, &pair, SIDE_HOST);
		client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 100);
		client_take_proof(&host, &proof);
		ck_assert_int_eq(write(pipe_fds[1], &proof, sizeof(proof)), sizeof(proof));
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(pipe_fds[0], &proof, sizeof(proof)), sizeof(proof));
	proof.reply.secret.data = proof.secret;
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_import(&dpu, client_open_device(&dpu, "p0"), &proof.reply, PCI, "host");
	view_take(&dpu, &view);
	ck_assert_uint_eq(dpu.reply->import_reply->exporter_pid, (uint32_t)pid);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	view_await_dead(&view);
	ck_assert(fd_pidfd_exited(view.pidfd));
	client_close(&dpu);
}
END_TEST

START_TEST(not_linked_is_said)
{
	struct client host, dpu;
	struct proof proof;
	uint64_t p0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 100);
	client_take_proof(&host, &proof);
	p0 = client_open_device(&dpu, "p0");
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGKILL), SIGKILL);
	do {
		client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	} while (dpu.reply->body_case == DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	client_check_error(&dpu, CODE_NOT_CONNECTED);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

/* A former importer, of another user, knows what the exporter knows. */
static void check_stranger_restores_nothing(const Dococore__ExportCreate *ask)
{
	Dococore__ExportCreate wrong = *ask;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client stranger;
	char path[128];

	/* The test must be able to be another user, and that one to reach the socket. */
	if (geteuid() != 0)
		return;
	snprintf(path, sizeof(path), "%s/host.sock", pair.dir);
	ck_assert_int_eq(chmod(pair.dir, 0755), 0);
	ck_assert_int_eq(chmod(path, 0666), 0);
	ck_assert_int_eq(seteuid(4242), 0);
	client_open(&stranger, &pair, SIDE_HOST);
	ck_assert_int_eq(seteuid(0), 0);
	wrong.device = client_open_device(&stranger, "pf0");
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &wrong;
	client_ask(&stranger, &packet, NULL, 0);
	client_check_error(&stranger, CODE_NOT_PERMITTED);
	client_close(&stranger);
}

/* A daemon that is stopped or killed takes no export with it; its client brings it back. */
START_TEST(restore_after_restart)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client host, dpu;
	struct proof proof;
	struct view view, again;
	uint64_t p0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 100);
	client_take_proof(&host, &proof);
	p0 = client_open_device(&dpu, "p0");
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_take(&dpu, &view);
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	ck_assert_uint_eq(view.page->words[view.slot], view.generation);
	ck_assert_ptr_null(client_await(&host));
	client_close(&host);
	pair_start(&pair, SIDE_HOST);
	pair_wait_linked(&pair);
	client_open(&host, &pair, SIDE_HOST);
	ask.device = client_open_device(&host, "pf0");
	ask.addr = 0x10000;
	ask.len = 100;
	ask.permissions = PCI_READ;
	ask.restore_export_id = proof.reply.export_id;
	ask.restore_secret = proof.reply.secret;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	check_stranger_restores_nothing(&ask);
	client_ask(&host, &packet, NULL, 0);
	ck_assert_int_eq(host.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	ck_assert_uint_eq(host.reply->export_reply->export_id, proof.reply.export_id);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_take(&dpu, &again);
	client_ask(&host, &packet, NULL, 0);
	client_check_error(&host, CODE_ALREADY_EXIST);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

START_TEST(handles_in_use_stay)
{
	Dococore__HandleClose ask = DOCOCORE__HANDLE_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client host;
	struct proof proof;

	client_open(&host, &pair, SIDE_HOST);
	ask.handle = client_open_device(&host, "pf0");
	client_ask_export(&host, ask.handle, PCI, PCI_READ, -1, 100);
	client_take_proof(&host, &proof);
	packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
	packet.handle_close = &ask;
	client_ask(&host, &packet, NULL, 0);
	client_check_error(&host, CODE_IN_USE);
	export_destroy(&host, proof.reply.export_id);
	client_ask(&host, &packet, NULL, 0);
	ck_assert_int_eq(host.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	client_ask(&host, &packet, NULL, 0);
	client_check_error(&host, CODE_NOT_FOUND);
	client_close(&host);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon exports");
	TCase *tcase = unit_case(suite, "two daemons", 60);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, devices_are_listed);
	tcase_add_test(tcase, representors_follow_the_link);
	tcase_add_test(tcase, import_over_the_link);
	tcase_add_test(tcase, memfd_goes_along_with_its_rights);
	tcase_add_test(tcase, import_rules);
	tcase_add_test(tcase, export_rules);
	tcase_add_test(tcase, rdma_on_the_same_side);
	tcase_add_loop_test(tcase, importers_leave_room_for_others, 0, 2);
	tcase_add_test(tcase, congested_link);
	tcase_add_loop_test(tcase, each_open_device_has_its_own_agent, 0, 2);
	tcase_add_loop_test(tcase, calls_wait_for_room, 0, 2);
	tcase_add_test(tcase, calls_that_waited_are_placed_once);
	tcase_add_loop_test(tcase, a_call_in_the_air_may_be_made_again, 0, 2);
	tcase_add_test(tcase, a_stop_ends_no_queue_pair);
	tcase_add_test(tcase, nothing_is_relayed_on_one_side);
	tcase_add_test(tcase, generations_differ);
	tcase_add_test(tcase, killed_exporter_is_noticed);
	tcase_add_test(tcase, next_on_the_port);
	tcase_add_test(tcase, not_linked_is_said);
	tcase_add_test(tcase, restore_after_restart);
	tcase_add_test(tcase, handles_in_use_stay);
	tcase = unit_case(suite, "without RDMA", 60);
	tcase_add_checked_fixture(tcase, deprived_set_up, tear_down);
	tcase_add_loop_test(tcase, ports_that_only_relay, 0, 2);
	return unit_run(suite);
}
