/*
 * Two daemons and raw clients: rendezvous endpoints, listeners and callers, by address or by
 * import; links without room, and daemons that end in between.
 */
#include <signal.h>
#include <string.h>

#include "daemon/rdma/rdma.h"
#include "tests/unit/daemon/memory/import_view.h"
#include "tests/unit/daemon/pair.h"

#define RDMA      DOCOCORE__EXPORT_KIND__RDMA
#define RDMA_READ 2u

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

/* Returns the id of an endpoint that serves exports, or 0; then the last answer is the error. */
static uint64_t open_endpoint(struct client *client, uint64_t device, bool relays,
			      bool streams_only)
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
	return client->reply->rdma_open_reply->endpoint_id;
}

static void send_listen(struct client *client, uint64_t endpoint)
{
	Dococore__RdmaListen listen = DOCOCORE__RDMA_LISTEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	listen.endpoint_id = endpoint;
	listen.port_number = 700;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	packet.rdma_listen = &listen;
	client_send(client, &packet, NULL, 0);
}

static void ask_listen(struct client *client, uint64_t endpoint)
{
	send_listen(client, endpoint);
	client_await(client);
}

static const uint8_t pf0_mac[6] = {2, 0, 0, 0, 0x0b, 0}, p0_mac[6] = {2, 0, 0, 0, 3, 0};

/* Calls the address of a MAC, as topologies define it by default, or an import. */
static void ask_connect_at(struct client *client, uint64_t endpoint, const uint8_t mac[6],
			   uint64_t import, bool relay)
{
	static uint8_t details[8];
	uint8_t address[GID_LEN], source[GID_LEN];
	Dococore__RdmaConnect connect = DOCOCORE__RDMA_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	gid_of_mac(mac, 0, address);
	gid_of_mac(p0_mac, 0, source);
	connect.endpoint_id = endpoint;
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

static void ask_connect_as(struct client *client, uint64_t endpoint, uint64_t import, bool relay)
{
	ask_connect_at(client, endpoint, pf0_mac, import, relay);
}

static void ask_connect(struct client *client, uint64_t endpoint, uint64_t import)
{
	ask_connect_as(client, endpoint, import, false);
}

static void unsupported_set_up(void)
{
	pair_set_up(&pair);
	pair_write_topology(&pair, SIDE_HOST,
			    "[topology]\nside = host\n"
			    "[device pf0]\npci = 0b:00.0\nrdma = no\n"
			    "[device pf1]\npci = 0b:00.1\n");
	pair_start(&pair, SIDE_HOST);
}

/*
 * An endpoint that only relays is visible to no other client, and gets no queue pairs by claiming
 * them.
 */
START_TEST(ports_that_only_relay)
{
	bool denied = _i == 0;
	uint64_t pf, endpoint, import;
	struct client a, b;
	struct proof proof;
	struct view view;

	client_open(&a, &pair, SIDE_HOST);
	client_open(&b, &pair, SIDE_HOST);
	pf = client_open_device(&a, denied ? "pf0" : "pf1");
	ck_assert_uint_eq(denied ? open_endpoint(&a, pf, false, false) : 0, 0);
	endpoint = open_endpoint(&a, pf, true, !denied);
	ck_assert_uint_ne(endpoint, 0);
	ask_listen(&a, endpoint);
	client_check_error(&a, CODE_NOT_SUPPORTED);
	ask_connect(&a, endpoint, 0);
	client_check_error(&a, CODE_NOT_SUPPORTED);
	client_ask_export(&a, pf, RDMA, RDMA_READ, -1, 100);
	client_receive_proof(&a, &proof);
	/* An importer on the same machine does not get it, and may not call through the import. */
	client_ask_import(&b, client_open_device(&b, "pf1"), &proof.reply, RDMA, "host");
	ck_assert_uint_eq(b.reply->import_reply->endpoint_id, 0);
	view_receive(&b, &view);
	import = view.id;
	pf = client_open_device(&b, "pf1");
	endpoint = open_endpoint(&b, pf, false, false);
	ck_assert_uint_ne(endpoint, 0);
	{
		struct event_reader events;
		struct event event;

		client_receive_events(&b, &events, b.reply->rdma_open_reply->event_ring_len);
		ask_connect(&b, endpoint, import);
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

static void accept_id(struct client *client, uint64_t call)
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

/* Accepts the exporter's next call. Returns its id. */
static uint64_t accept_call(struct client *client, struct event_reader *events)
{
	struct event event = events_await(events);

	ck_assert_uint_eq(event.type, EVENT_RDMA_REQUESTED);
	accept_id(client, event.id);
	return event.id;
}

/* Returns false if the call has ended before. */
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
 * A client that has opened a device twice serves the exports of each handle by its own endpoint;
 * each handle has one endpoint. Calls go to the export's endpoint. _i: side of the importer.
 */
START_TEST(each_open_device_has_its_own_endpoint)
{
	const char *device = _i == SIDE_HOST ? "pf1" : "p0";
	struct event_reader events[2], caller_events;
	uint64_t pf0[2], endpoint, from;
	struct client exporter, importer;
	struct proof proofs[2];
	struct view views[2];

	client_open(&exporter, &pair, SIDE_HOST);
	client_open(&importer, &pair, (enum side)_i);
	from = client_open_device(&importer, device);
	for (int i = 0; i < 2; i++) {
		pf0[i] = client_open_device(&exporter, "pf0");
		ck_assert_uint_ne(open_endpoint(&exporter, pf0[i], false, false), 0);
		client_receive_events(&exporter, &events[i],
				      exporter.reply->rdma_open_reply->event_ring_len);
		ck_assert_uint_eq(open_endpoint(&exporter, pf0[i], false, false), 0);
		client_check_error(&exporter, CODE_ALREADY_EXIST);
	}
	endpoint = open_endpoint(&importer, from, false, false);
	client_receive_events(&importer, &caller_events,
			      importer.reply->rdma_open_reply->event_ring_len);
	for (int i = 1; i >= 0; i--) {
		client_ask_export(&exporter, pf0[i], RDMA, RDMA_READ, -1, 100);
		client_receive_proof(&exporter, &proofs[i]);
		client_ask_import(&importer, from, &proofs[i].reply, RDMA, "host");
		view_receive(&importer, &views[i]);
		ask_connect(&importer, endpoint, views[i].id);
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

/* An exporter on the host, and an importer that may call it. */
struct callers {
	struct client exporter, importer;
	struct event_reader exporter_events, events;
	uint64_t endpoint;
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
	ck_assert_uint_ne(open_endpoint(&c->exporter, pf0, false, false), 0);
	client_receive_events(&c->exporter, &c->exporter_events,
			      c->exporter.reply->rdma_open_reply->event_ring_len);
	client_ask_export(&c->exporter, pf0, RDMA, RDMA_READ, -1, 100);
	client_receive_proof(&c->exporter, &proof);
	client_ask_import(&c->importer, client_open_device(&c->importer, device), &proof.reply,
			  RDMA, "host");
	view_receive(&c->importer, &c->view);
	c->endpoint = open_endpoint(&c->importer, client_open_device(&c->importer, device), false,
				    false);
	ck_assert_uint_ne(c->endpoint, 0);
	client_receive_events(&c->importer, &c->events,
			      c->importer.reply->rdma_open_reply->event_ring_len);
}

/* Returns the caller's id of the call. */
static uint64_t callers_connect(struct callers *c)
{
	uint64_t call;

	ask_connect(&c->importer, c->endpoint, c->view.id);
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

/* One importer gets half of the queue pairs that an exporter serves, on either side. */
START_TEST(importers_leave_room_for_others)
{
	struct callers c;
	uint64_t call = 0;

	callers_set_up(&c, _i == 0 ? SIDE_HOST : SIDE_DPU);
	for (unsigned i = 0; i < RDMA_MAX_PAIRS_EACH; i++)
		call = callers_connect(&c);
	ask_connect(&c.importer, c.endpoint, c.view.id);
	check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_FULL);
	ck_assert(hang_up(&c.importer, call));
	check_event(&c.exporter_events, EVENT_RDMA_GONE, CODE_CONNECTION_ABORTED);
	callers_connect(&c);
	callers_tear_down(&c);
}
END_TEST

/* Stops the exporter's daemon: the data that callers leave for it is bounded. */
static void congest(struct callers *c)
{
	enum { LIMIT = 20000 };
	int n = 0;

	pair_freeze(&pair, SIDE_HOST);
	do {
		ck_assert_int_lt(n++, LIMIT);
		ask_connect(&c->importer, c->endpoint, c->view.id);
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
	/* The exporter's daemon is not asked for another export either. */
	reply.export_id = 1;
	reply.secret = (ProtobufCBinaryData){sizeof(secret), secret};
	client_ask_import(&c.importer, client_open_device(&c.importer, "p0"), &reply, RDMA, "host");
	client_check_error(&c.importer, CODE_AGAIN);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	callers_tear_down(&c);
}
END_TEST

/*
 * The next program gets the port number of one that has ended, although the daemon processes that
 * end last.
 */
START_TEST(next_on_the_port)
{
	struct client first, next;
	uint64_t endpoint;

	client_open(&first, &pair, SIDE_HOST);
	ask_listen(&first, open_endpoint(&first, client_open_device(&first, "pf0"), false, false));
	ck_assert_int_eq(first.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	client_open(&next, &pair, SIDE_HOST);
	endpoint = open_endpoint(&next, client_open_device(&next, "pf0"), false, false);
	ask_listen(&next, endpoint);
	client_check_error(&next, CODE_ALREADY_EXIST);
	pair_freeze(&pair, SIDE_HOST);
	send_listen(&next, endpoint);
	client_close(&first);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	client_await(&next);
	ck_assert_int_eq(next.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	client_close(&next);
}
END_TEST

/* A call by address waits for room if its caller does; or for the end of the link. */
START_TEST(calls_wait_for_room)
{
	struct event_reader events;
	struct client listener;
	uint64_t endpoint, call;
	struct callers c;

	callers_set_up(&c, SIDE_DPU);
	client_open(&listener, &pair, SIDE_HOST);
	endpoint = open_endpoint(&listener, client_open_device(&listener, "pf0"), false, false);
	client_receive_events(&listener, &events, listener.reply->rdma_open_reply->event_ring_len);
	ask_listen(&listener, endpoint);
	ck_assert_int_eq(listener.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	congest(&c);
	ask_connect(&c.importer, c.endpoint, 0);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	ck_assert(hang_up(&c.importer, c.importer.reply->rdma_connect_reply->call_id));
	ask_connect(&c.importer, c.endpoint, 0);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	call = c.importer.reply->rdma_connect_reply->call_id;
	if (_i == 0) {
		ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
		accept_call(&listener, &events);
		check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_SUCCESS);
		/* The callee gets no event of a call that ended before. */
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

/* A call that waited, and has found a listener on its own side, is delivered only once. */
START_TEST(calls_that_waited_are_placed_once)
{
	struct event_reader events;
	struct client listener;
	struct event event;
	struct callers c;
	uint64_t endpoint;

	callers_set_up(&c, SIDE_DPU);
	congest(&c);
	ask_connect_at(&c.importer, c.endpoint, p0_mac, 0, false);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	client_open(&listener, &pair, SIDE_DPU);
	endpoint = open_endpoint(&listener, client_open_device(&listener, "p0"), false, false);
	client_receive_events(&listener, &events, listener.reply->rdma_open_reply->event_ring_len);
	ask_listen(&listener, endpoint);
	ck_assert_int_eq(listener.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	event = events_await(&events);
	ck_assert_uint_eq(event.type, EVENT_RDMA_REQUESTED);
	/* Another call waits and ends with the link: that makes room for waiting calls. */
	congest(&c);
	ask_connect(&c.importer, c.endpoint, 0);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGKILL), SIGKILL);
	check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_CONNECTION_ABORTED);
	accept_id(&listener, event.id);
	check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_SUCCESS);
	ck_assert(!event_reader_pending(&events));
	event_reader_deinit(&events);
	client_close(&listener);
	callers_tear_down(&c);
}
END_TEST

/* Queue pairs need no daemon: a daemon that stops does not report the other end as gone. */
START_TEST(daemon_stop_keeps_queue_pairs)
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

/*
 * The exporter's daemon is killed before it has answered, or before its client has: the caller may
 * call again when there is another daemon.
 */
START_TEST(unanswered_call_fails_with_again)
{
	struct callers c;

	callers_set_up(&c, SIDE_DPU);
	if (_i == 0)
		pair_freeze(&pair, SIDE_HOST);
	ask_connect(&c.importer, c.endpoint, c.view.id);
	ck_assert_int_eq(c.importer.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY);
	if (_i == 1)
		check_event(&c.exporter_events, EVENT_RDMA_REQUESTED, CODE_SUCCESS);
	pair_stop(&pair, SIDE_HOST, SIGKILL);
	check_event(&c.events, EVENT_RDMA_ANSWERED, CODE_AGAIN);
	callers_tear_down(&c);
}
END_TEST

/* Streams, which both daemons of a link relay, do not exist without the link. */
START_TEST(nothing_is_relayed_on_one_side)
{
	struct callers c;

	callers_set_up(&c, SIDE_HOST);
	ask_connect_as(&c.importer, c.endpoint, c.view.id, true);
	client_check_error(&c.importer, CODE_NOT_SUPPORTED);
	callers_tear_down(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon calls");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, each_open_device_has_its_own_endpoint, 0, 2);
	tcase_add_loop_test(tcase, importers_leave_room_for_others, 0, 2);
	tcase_add_test(tcase, congested_link);
	tcase_add_test(tcase, next_on_the_port);
	tcase_add_loop_test(tcase, calls_wait_for_room, 0, 2);
	tcase_add_test(tcase, calls_that_waited_are_placed_once);
	tcase_add_test(tcase, daemon_stop_keeps_queue_pairs);
	tcase_add_loop_test(tcase, unanswered_call_fails_with_again, 0, 2);
	tcase_add_test(tcase, nothing_is_relayed_on_one_side);
	tcase = unit_case(suite, "without RDMA", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, unsupported_set_up, tear_down);
	tcase_add_loop_test(tcase, ports_that_only_relay, 0, 2);
	return unit_run(suite);
}
