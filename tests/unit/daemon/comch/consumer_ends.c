/* See consumer_ends.h. */
#include "tests/unit/daemon/comch/consumer_ends.h"

#include <poll.h>

#include "proto/shm_layout.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define AWAIT_NS (20 * NS_PER_SEC)

struct daemon_pair pair;
struct client server, client;
struct event_reader server_events, client_events;
uint64_t p0, pf0, server_end, client_end;
int slots, doorbell, memory;

void ends_begin(void)
{
	pair_start_linked(&pair);
	client_open(&server, &pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_HOST);
	p0 = client_open_device(&server, "p0");
	pf0 = client_open_device(&client, "pf0");
	client_ask_server(&server, p0, client_open_rep(&server, "hpf0"), "echo", 4080);
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	client_receive_events(&server, &server_events, server.reply->server_reply->event_ring_len);
	slots = memfd_create_sealed("slots", SLOTS_LEN);
	doorbell = fd_eventfd();
	memory = memfd_create_sealable("memory", MEMORY_LEN);
}

void ends_set_up(void)
{
	pair_set_up(&pair);
	ends_begin();
}

void ends_end(void)
{
	event_reader_deinit(&server_events);
	event_reader_deinit(&client_events);
	client_close(&server);
	client_close(&client);
	fd_close(&slots);
	fd_close(&doorbell);
	fd_close(&memory);
}

void ends_tear_down(void)
{
	ends_end();
	pair_tear_down(&pair);
}

struct event await_event(struct event_reader *events, uint32_t type)
{
	struct event event = events_await(events);

	ck_assert_msg(event.type == type, "event %u, expected %u", event.type, type);
	return event;
}

void check_consumer_event(struct event_reader *events, uint32_t type, uint64_t channel,
			  uint64_t consumer)
{
	struct event event = await_event(events, type);

	ck_assert_uint_eq(event.id, channel);
	ck_assert_uint_eq(event.arg, consumer);
	ck_assert_uint_eq(event.code, 0);
}

void fetch_channel(struct client *from, uint64_t id)
{
	client_ask_fetch(from, id);
	ck_assert_int_eq(from->reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_REPLY);
}

void connect_ends(void)
{
	client_ask_connect(&client, pf0, "echo", 1000);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	client_end = client.reply->channel_connect_reply->channel_id;
	client_receive_events(&client, &client_events,
			      client.reply->channel_connect_reply->event_ring_len);
	server_end = await_event(&server_events, EVENT_CHANNEL_NEW).id;
	fetch_channel(&server, server_end);
	ck_assert_uint_eq(await_event(&client_events, EVENT_CHANNEL_READY).id, client_end);
}

void establish(void)
{
	connect_ends();
	fetch_channel(&client, client_end);
}

void describe(Dococore__Consumer *spec, uint32_t id)
{
	dococore__consumer__init(spec);
	spec->id = id;
	spec->slots_len = SLOTS_LEN;
	spec->n_slots = 64;
	spec->max_imm_len = 16;
	spec->max_buf_size = 4096;
	spec->addr = MEMORY;
	spec->len = MEMORY_LEN;
}

const Dococore__Packet *ask_create(struct client *from, uint64_t channel, Dococore__Consumer *spec,
				   const int *fds, size_t n_fds)
{
	Dococore__ConsumerCreate ask = DOCOCORE__CONSUMER_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.channel_id = channel;
	ask.consumer = spec;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_CREATE;
	packet.consumer_create = &ask;
	return client_ask(from, &packet, fds, n_fds);
}

const Dococore__Packet *try_create(struct client *from, uint64_t channel, uint32_t id)
{
	int fds[2] = {slots, doorbell};
	Dococore__Consumer spec;

	describe(&spec, id);
	return ask_create(from, channel, &spec, fds, 2);
}

void create(struct client *from, uint64_t channel, uint32_t id)
{
	try_create(from, channel, id);
	ck_assert_msg(from->reply->body_case == DOCOCORE__PACKET__BODY_OK, "%s",
		      from->reply->body_case == DOCOCORE__PACKET__BODY_ERROR
			      ? from->reply->error->text
			      : "another message");
}

void destroy(struct client *from, uint64_t channel, uint32_t id)
{
	Dococore__ConsumerDestroy ask = DOCOCORE__CONSUMER_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.channel_id = channel;
	ask.consumer_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_DESTROY;
	packet.consumer_destroy = &ask;
	client_ask(from, &packet, NULL, 0);
	ck_assert_int_eq(from->reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

const Dococore__Packet *ask_fetch(struct client *from, uint64_t channel, uint32_t id)
{
	Dococore__ConsumerFetch ask = DOCOCORE__CONSUMER_FETCH__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.channel_id = channel;
	ask.consumer_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_FETCH;
	packet.consumer_fetch = &ask;
	return client_ask(from, &packet, NULL, 0);
}

void fetch(struct client *from, uint64_t channel, uint32_t id)
{
	ask_fetch(from, channel, id);
	ck_assert_int_eq(from->reply->body_case, DOCOCORE__PACKET__BODY_CONSUMER_REPLY);
	ck_assert_uint_eq(from->reply->consumer_reply->consumer->id, id);
}

void barrier(struct client *from)
{
	Dococore__ExportReply none = DOCOCORE__EXPORT_REPLY__INIT;
	uint8_t secret[16] = {0};

	none.export_id = 1;
	none.secret = (ProtobufCBinaryData){16, secret};
	client_ask_import(from, from == &server ? p0 : pf0, &none, DOCOCORE__EXPORT_KIND__RDMA,
			  from == &server ? "host" : "dpu");
	client_check_error(from, CODE_NOT_PERMITTED);
}

void await_fds(enum side side, size_t n)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (pair_count_fds(&pair, side) != n) {
		ck_assert_msg(clock_now_ns() < deadline_ns, "%zu descriptors, expected %zu",
			      pair_count_fds(&pair, side), n);
		poll(NULL, 0, 1);
	}
}
