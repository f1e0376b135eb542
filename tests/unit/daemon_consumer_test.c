/* Two daemons and bare clients: how consumers of comch channels are told to the other end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/unit/daemon_pair.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define AWAIT_NS  (20 * NS_PER_SEC)
#define SLOTS_LEN 65536u
#define MEMORY    0x40000000u

static struct daemon_pair pair;
static struct client server, client;
static struct event_reader server_events, client_events;
static uint64_t p0, pf0, server_end, client_end;
static int slots, bell, memory;

static void begin(void)
{
	pair_start_linked(&pair);
	client_open(&server, &pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_HOST);
	p0 = client_open_device(&server, "p0");
	pf0 = client_open_device(&client, "pf0");
	client_ask_server(&server, p0, client_open_rep(&server, "hpf0"), "echo", 4080);
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	client_take_events(&server, &server_events, server.reply->server_reply->event_ring_len);
	slots = memfd_create_sealed("slots", SLOTS_LEN);
	bell = fd_eventfd();
	memory = memfd_create_sealable("memory", 1 << 20);
}

static void set_up(void)
{
	pair_set_up(&pair);
	begin();
}

static void end(void)
{
	event_reader_deinit(&server_events);
	event_reader_deinit(&client_events);
	client_close(&server);
	client_close(&client);
	fd_close(&slots);
	fd_close(&bell);
	fd_close(&memory);
}

static void tear_down(void)
{
	end();
	pair_tear_down(&pair);
}

static struct event await_event(struct event_reader *events, uint32_t type)
{
	struct event event = events_await(events);

	ck_assert_msg(event.type == type, "event %u, expected %u", event.type, type);
	return event;
}

static void check_consumer_event(struct event_reader *events, uint32_t type, uint64_t channel,
				 uint64_t consumer)
{
	struct event event = await_event(events, type);

	ck_assert_uint_eq(event.id, channel);
	ck_assert_uint_eq(event.arg, consumer);
	ck_assert_uint_eq(event.code, 0);
}

static void fetch_channel(struct client *from, uint64_t id)
{
	client_ask_fetch(from, id);
	ck_assert_int_eq(from->reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_REPLY);
}

/* The server's end is established, the client's is ready. */
static void connect_ends(void)
{
	client_ask_connect(&client, pf0, "echo", 1000);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	client_end = client.reply->channel_connect_reply->channel_id;
	client_take_events(&client, &client_events,
			   client.reply->channel_connect_reply->event_ring_len);
	server_end = await_event(&server_events, EVENT_CHANNEL_NEW).id;
	fetch_channel(&server, server_end);
	ck_assert_uint_eq(await_event(&client_events, EVENT_CHANNEL_READY).id, client_end);
}

static void establish(void)
{
	connect_ends();
	fetch_channel(&client, client_end);
}

static void describe(Dococore__Consumer *spec, uint32_t id)
{
	dococore__consumer__init(spec);
	spec->id = id;
	spec->slots_len = SLOTS_LEN;
	spec->n_slots = 64;
	spec->max_imm_len = 16;
	spec->max_buf_size = 4096;
	spec->addr = MEMORY;
	spec->len = 1 << 20;
}

/* n_fds: of slots, bell, memory. */
static const Dococore__Packet *ask_create(struct client *from, uint64_t channel,
					  Dococore__Consumer *spec, const int *fds, size_t n_fds)
{
	Dococore__ConsumerCreate ask = DOCOCORE__CONSUMER_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.channel_id = channel;
	ask.consumer = spec;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_CREATE;
	packet.consumer_create = &ask;
	return client_ask(from, &packet, fds, n_fds);
}

static const Dococore__Packet *try_create(struct client *from, uint64_t channel, uint32_t id)
{
	int fds[2] = {slots, bell};
	Dococore__Consumer spec;

	describe(&spec, id);
	return ask_create(from, channel, &spec, fds, 2);
}

static void create(struct client *from, uint64_t channel, uint32_t id)
{
	try_create(from, channel, id);
	ck_assert_msg(from->reply->body_case == DOCOCORE__PACKET__BODY_OK, "%s",
		      from->reply->body_case == DOCOCORE__PACKET__BODY_ERROR
			      ? from->reply->error->text
			      : "another message");
}

static void destroy(struct client *from, uint64_t channel, uint32_t id)
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

static const Dococore__Packet *ask_fetch(struct client *from, uint64_t channel, uint32_t id)
{
	Dococore__ConsumerFetch ask = DOCOCORE__CONSUMER_FETCH__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.channel_id = channel;
	ask.consumer_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_FETCH;
	packet.consumer_fetch = &ask;
	return client_ask(from, &packet, NULL, 0);
}

static void fetch(struct client *from, uint64_t channel, uint32_t id)
{
	ask_fetch(from, channel, id);
	ck_assert_int_eq(from->reply->body_case, DOCOCORE__PACKET__BODY_CONSUMER_REPLY);
	ck_assert_uint_eq(from->reply->consumer_reply->consumer->id, id);
}

/* Whatever the daemon of `from` has told the other one so far has been heard there. */
static void barrier(struct client *from)
{
	Dococore__ExportReply none = DOCOCORE__EXPORT_REPLY__INIT;
	uint8_t secret[16] = {0};

	none.export_id = 1;
	none.secret = (ProtobufCBinaryData){16, secret};
	client_ask_import(from, from == &server ? p0 : pf0, &none, DOCOCORE__EXPORT_KIND__RDMA,
			  from == &server ? "host" : "dpu");
	client_check_error(from, CODE_NOT_PERMITTED);
}

/* Descriptors that came with a request are closed after its answer was sent. */
static void await_fds(enum side side, size_t n)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (pair_count_fds(&pair, side) != n) {
		ck_assert_msg(clock_now_ns() < deadline_ns, "%zu descriptors, expected %zu",
			      pair_count_fds(&pair, side), n);
		poll(NULL, 0, 1);
	}
}

static void check_reply(struct client *at, size_t n_fds)
{
	const Dococore__ConsumerReply *reply = at->reply->consumer_reply;
	const Dococore__Consumer *spec = reply->consumer;
	int fd;

	ck_assert_uint_eq(spec->slots_len, SLOTS_LEN);
	ck_assert_uint_eq(spec->n_slots, 64);
	ck_assert_uint_eq(spec->max_imm_len, 16);
	ck_assert_uint_eq(spec->max_buf_size, 4096);
	ck_assert_uint_eq(spec->addr, MEMORY);
	ck_assert_uint_eq(spec->len, 1 << 20);
	ck_assert_uint_eq(reply->pid, (uint32_t)getpid());
	ck_assert_uint_eq(reply->uid, getuid());
	ck_assert(!reply->same_process);
	ck_assert_uint_eq(at->fds.n_fds, n_fds);
	ck_assert(!fd_pidfd_exited(at->fds.fds[0]));
	ck_assert_int_eq(memfd_verify_exact(at->fds.fds[1], SLOTS_LEN), 0);
	ck_assert_int_eq(fcntl(at->fds.fds[1], F_GETFL) & O_ACCMODE, O_RDWR);
	fd = at->fds.fds[2];
	ck_assert(fd_is_eventfd(fd));
	fd_eventfd_ring(fd);
	ck_assert(fd_eventfd_clear(bell));
}

START_TEST(both_ends_consume)
{
	size_t n_host, n_dpu;
	Dococore__Consumer spec;
	int fds[3] = {slots, bell, memory};
	char c = 'x';

	establish();
	n_host = pair_settled_fds(&pair, SIDE_HOST);
	n_dpu = pair_settled_fds(&pair, SIDE_DPU);
	create(&client, client_end, 7);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 7);
	await_fds(SIDE_DPU, n_dpu + 3);
	await_fds(SIDE_HOST, n_host);
	fetch(&server, server_end, 7);
	check_reply(&server, 3);
	ck_assert_int_eq(pwrite(server.fds.fds[1], &c, 1, 100), 1);
	c = 0;
	ck_assert_int_eq(pread(slots, &c, 1, 100), 1);
	ck_assert_int_eq(c, 'x');
	await_fds(SIDE_DPU, n_dpu);
	ask_fetch(&server, server_end, 7);
	client_check_error(&server, CODE_NOT_FOUND);
	/* The other way, with memory that the client may write. */
	describe(&spec, 7);
	spec.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	spec.peer_writes = true;
	ask_create(&server, server_end, &spec, fds, 3);
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 7);
	await_fds(SIDE_HOST, n_host + 4);
	fetch(&client, client_end, 7);
	check_reply(&client, 4);
	ck_assert(client.reply->consumer_reply->consumer->peer_writes);
	ck_assert_int_eq(fcntl(client.fds.fds[3], F_GETFL) & O_ACCMODE, O_RDWR);
	await_fds(SIDE_HOST, n_host);
	destroy(&client, client_end, 7);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, 7);
	destroy(&client, client_end, 7);
	destroy(&client, 12345, 7);
	destroy(&server, server_end, 7);
	check_consumer_event(&client_events, EVENT_CONSUMER_GONE, client_end, 7);
	/* One that nobody fetched. */
	create(&client, client_end, 8);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 8);
	destroy(&client, client_end, 8);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, 8);
	ask_fetch(&server, server_end, 8);
	client_check_error(&server, CODE_NOT_FOUND);
	await_fds(SIDE_DPU, n_dpu);
}
END_TEST

/* What starts before the other end has fetched its channel is told right after that. */
START_TEST(announced_after_the_fetch)
{
	connect_ends();
	create(&server, server_end, 1);
	create(&server, server_end, 2);
	create(&server, server_end, 3);
	destroy(&server, server_end, 2);
	barrier(&server);
	ck_assert(!event_reader_pending(&client_events));
	ask_fetch(&client, client_end, 1);
	client_check_error(&client, CODE_NOT_FOUND);
	try_create(&client, client_end, 1);
	client_check_error(&client, CODE_BAD_STATE);
	fetch_channel(&client, client_end);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 1);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 3);
	fetch(&client, client_end, 3);
	fetch(&client, client_end, 1);
	ask_fetch(&client, client_end, 2);
	client_check_error(&client, CODE_NOT_FOUND);
	ck_assert(!event_reader_pending(&client_events));
}
END_TEST

START_TEST(wrong_numbers)
{
	int fds[3] = {slots, bell, memory};
	Dococore__Consumer spec;

	establish();
	for (int i = 0; i < 19; i++) {
		size_t n_fds = 2;

		describe(&spec, 1);
		if (i >= 12) {
			n_fds = 3;
			spec.memory = DOCOCORE__MEMORY_KIND__MEMFD;
			spec.peer_writes = true;
		}
		switch (i) {
		case 0:
			spec.id = 0;
			break;
		case 1:
			spec.n_slots = 0;
			break;
		case 2:
			spec.n_slots = 63;
			break;
		case 3:
			spec.n_slots = 131072;
			break;
		case 4:
			spec.slots_len = 0;
			break;
		case 5:
			spec.slots_len = SLOTS_LEN - 1;
			break;
		case 6:
			spec.slots_len = (256u << 20) + SLOTS_LEN;
			break;
		case 7:
			spec.slots_len = 2 * SLOTS_LEN;
			break;
		case 8:
			spec.max_imm_len = 1 << 20;
			break;
		case 9:
			spec.max_buf_size = UINT32_MAX;
			break;
		case 10:
			spec.len = 0;
			break;
		case 11:
			spec.addr = UINT64_MAX - 10;
			break;
		case 12:
			spec.peer_writes = false;
			break;
		case 13:
			spec.memfd_offset = 8;
			break;
		case 14:
			spec.addr += 8;
			break;
		case 15:
			spec.len += 1;
			break;
		case 16:
			spec.memfd_offset = 65536;
			break;
		case 17:
			spec.memfd_offset = UINT64_MAX - 65535;
			break;
		default:
			spec.memfd_offset = INT64_MAX - 65535;
		}
		ask_create(&client, client_end, &spec, fds, n_fds);
		client_check_error(&client, CODE_INVALID_VALUE);
	}
	ask_create(&client, client_end, NULL, fds, 2);
	client_check_error(&client, CODE_INVALID_VALUE);
}
END_TEST

/* The i-th wrong descriptor and where it goes; -1 after the last. */
static int wrong_fd(int i, size_t *place_out)
{
	int fd;

	*place_out = i < 5 ? 0 : i < 7 ? 1 : 2;
	switch (i) {
	case 0:
	case 5:
	case 7:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	case 1: /* not sealed */
		fd = memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ck_assert_int_eq(ftruncate(fd, SLOTS_LEN), 0);
		return fd;
	case 2:
		return memfd_create_sealed("short", SLOTS_LEN - 1);
	case 3:
		return memfd_create_sealed("long", SLOTS_LEN + 1);
	case 4:
		return fd_reopen(slots, O_RDONLY);
	case 6:
		return fd_dup(slots);
	case 8: /* not sealed */
		fd = memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
		return fd;
	case 9:
		return fd_reopen(memory, O_RDONLY);
	default:
		return -1;
	}
}

START_TEST(wrong_descriptors)
{
	Dococore__Consumer spec;
	size_t place, n_fds;
	int fd;

	establish();
	n_fds = pair_settled_fds(&pair, SIDE_HOST);
	for (int i = 0; (fd = wrong_fd(i, &place)) >= 0; i++) {
		int fds[3] = {slots, bell, memory};

		fds[place] = fd;
		describe(&spec, 1);
		spec.memory = DOCOCORE__MEMORY_KIND__MEMFD;
		spec.peer_writes = true;
		ask_create(&client, client_end, &spec, fds, 3);
		client_check_error(&client, CODE_INVALID_VALUE);
		close(fd);
	}
	await_fds(SIDE_HOST, n_fds);
}
END_TEST

START_TEST(foreign_channels)
{
	struct client other;

	connect_ends();
	client_open(&other, &pair, SIDE_HOST);
	try_create(&other, client_end, 1);
	client_check_error(&other, CODE_NOT_FOUND);
	try_create(&client, 4711, 1);
	client_check_error(&client, CODE_NOT_FOUND);
	fetch_channel(&client, client_end);
	create(&server, server_end, 1);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 1);
	ask_fetch(&other, client_end, 1);
	client_check_error(&other, CODE_NOT_FOUND);
	ask_fetch(&client, client_end, 2);
	client_check_error(&client, CODE_NOT_FOUND);
	/* One's own cannot be fetched, nor the other's destroyed. */
	ask_fetch(&server, server_end, 1);
	client_check_error(&server, CODE_NOT_FOUND);
	destroy(&other, client_end, 1);
	destroy(&client, client_end, 1);
	fetch(&client, client_end, 1);
	try_create(&server, server_end, 1);
	client_check_error(&server, CODE_ALREADY_EXIST);
	client_close(&other);
}
END_TEST

/* One is fetched, one is not; the end of the channel is the end of both. */
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
	/* Of the other end, too: what is not fetched yet is closed by its daemon. */
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
	/* A session has 3, the server's ring 2, the client's channel 2. */
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

/* A client that starts and stops thousands while the server looks away cannot hurt it. */
START_TEST(churn)
{
	enum { N = 6000 };
	size_t n_dpu;
	struct event event;
	uint32_t open = 0;
	unsigned n = 0;

	establish();
	n_dpu = pair_settled_fds(&pair, SIDE_DPU);
	for (uint32_t id = 1; id <= N; id++) {
		create(&client, client_end, id);
		destroy(&client, client_end, id);
	}
	create(&client, client_end, N + 1);
	barrier(&client);
	do {
		event = events_await(&server_events);
		n++;
		ck_assert_uint_eq(event.id, server_end);
		if (open)
			ck_assert_uint_eq(event.arg, open);
		ck_assert_uint_eq(event.type, open ? EVENT_CONSUMER_GONE : EVENT_CONSUMER_NEW);
		open = open ? 0 : (uint32_t)event.arg;
	} while (event.arg != N + 1);
	ck_assert_uint_le(n, 2 * EVENT_RING_SLOTS);
	fetch(&server, server_end, N + 1);
	destroy(&client, client_end, N + 1);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, N + 1);
	await_fds(SIDE_DPU, n_dpu);
}
END_TEST

/* Requests are sent without waiting for answers. */
START_TEST(many_at_once)
{
	enum { N = 256 };
	int fds[2] = {slots, bell};

	establish();
	for (uint32_t id = 1; id <= N; id++) {
		Dococore__ConsumerCreate ask = DOCOCORE__CONSUMER_CREATE__INIT;
		Dococore__Packet packet = DOCOCORE__PACKET__INIT;
		Dococore__Consumer spec;

		describe(&spec, id);
		ask.channel_id = client_end;
		ask.consumer = &spec;
		packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_CREATE;
		packet.consumer_create = &ask;
		client_send(&client, &packet, fds, 2);
	}
	for (uint32_t id = 1; id <= N; id++) {
		ck_assert_ptr_nonnull(client_await(&client));
		ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_OK);
		ck_assert_int_ge(conn_flush(client.conn), 0);
	}
	for (uint32_t id = 1; id <= N; id++) {
		check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, id);
		fetch(&server, server_end, id);
	}
	try_create(&client, client_end, N + 1);
	client_check_error(&client, CODE_FULL);
	destroy(&client, client_end, N);
	create(&client, client_end, N + 1);
}
END_TEST

/* Session 3, channel 2 (5 until it is fetched), one consumer 3: what ends gives all of it back. */
START_TEST(charges_come_back)
{
	end();
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGTERM), 0);
	pair_write_config(&pair, SIDE_HOST, "[quota]\nfds = 9\n");
	begin();
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

static void link_to(const char *socket)
{
	char text[200];

	snprintf(text, sizeof(text), "[peer dpu]\naddress = unix:%s/%s\n", pair.dir, socket);
	pair_write_config(&pair, SIDE_HOST, text);
	if (pair.pids[SIDE_HOST])
		ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGHUP), 0);
}

/* Without the link none can start; what ends in the meantime is told when it is back. */
START_TEST(link_breaks)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	uint32_t id = 10;

	end();
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGTERM), 0);
	link_to("peer.sock");
	begin();
	establish();
	for (uint32_t i = 1; i <= 3; i++) {
		create(&client, client_end, i);
		check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, i);
	}
	fetch(&server, server_end, 1);
	link_to("nowhere.sock");
	while (try_create(&client, client_end, id)->body_case == DOCOCORE__PACKET__BODY_OK) {
		destroy(&client, client_end, id++);
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
	}
	client_check_error(&client, CODE_NOT_CONNECTED);
	destroy(&client, client_end, 1);
	destroy(&client, client_end, 2);
	/* Not told yet, so not free yet. */
	try_create(&client, client_end, 2);
	client_check_error(&client, CODE_ALREADY_EXIST);
	link_to("peer.sock");
	while (try_create(&client, client_end, 1000)->body_case == DOCOCORE__PACKET__BODY_ERROR) {
		client_check_error(&client, CODE_NOT_CONNECTED);
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 5);
	}
	/* Between them those that came and went until the link was gone. */
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

/* False when the daemon has ended the link. */
static bool peer_send_new(struct client *peer, uint64_t channel, uint64_t sender,
			  Dococore__Consumer *spec)
{
	Dococore__PeerConsumerNew notice = DOCOCORE__PEER_CONSUMER_NEW__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fds[3] = {bell, slots, bell};

	notice.channel_id = channel;
	notice.sender_channel_id = sender;
	notice.consumer = spec;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW;
	packet.peer_consumer_new = &notice;
	return conn_send(peer->conn, &packet, fds, 3) == 0;
}

/* A process that says that it is the host's daemon and has connected to the server. */
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

/* What a daemon of this project never sends. */
START_TEST(strange_peer)
{
	struct client peer;
	Dococore__Consumer spec;
	size_t n_dpu;

	n_dpu = pair_settled_fds(&pair, SIDE_DPU);
	fake_host(&peer);
	server_end = await_event(&server_events, EVENT_CHANNEL_NEW).id;
	/* Before this end is established, by the sender's id, for channels that are not there. */
	describe(&spec, 5);
	peer_send_new(&peer, 0, 77, &spec);
	peer_send_new(&peer, 0, 78, &spec);
	peer_send_new(&peer, server_end + 100, 77, &spec);
	while (!peer.reply || peer.reply->body_case != DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY)
		ck_assert_ptr_nonnull(client_await(&peer));
	fetch_channel(&server, server_end);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 5);
	fetch(&server, server_end, 5);
	/* The same id again: the old one must have ended. */
	peer_send_new(&peer, server_end, 77, &spec);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, 5);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 5);
	fetch(&server, server_end, 5);
	/* More than any daemon allows, or none at all: that ends the link. */
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
	await_fds(SIDE_DPU, n_dpu);
	/* The real one is still linked. */
	pair_wait_linked(&pair);
}
END_TEST

static void limited_set_up(void)
{
	pair_set_up(&pair);
	pair_write_config(&pair, SIDE_HOST, "[daemon]\nprofile = bf2\n");
	begin();
}

/* Each end by its own device: the host's is limited, the DPU's is not. */
START_TEST(limited_by_the_profile)
{
	int fds[2] = {slots, bell};
	Dococore__Consumer spec;

	establish();
	describe(&spec, 1);
	spec.max_imm_len = 33;
	ask_create(&client, client_end, &spec, fds, 2);
	client_check_error(&client, CODE_INVALID_VALUE);
	describe(&spec, 1);
	spec.max_buf_size = (2u << 20) + 1;
	ask_create(&client, client_end, &spec, fds, 2);
	client_check_error(&client, CODE_INVALID_VALUE);
	for (uint32_t id = 1; id <= 64; id++)
		create(&client, client_end, id);
	try_create(&client, client_end, 65);
	client_check_error(&client, CODE_FULL);
	for (uint32_t id = 1; id <= 100; id++)
		create(&server, server_end, id);
	for (uint32_t id = 1; id <= 100; id++) {
		check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, id);
		fetch(&client, client_end, id);
	}
}
END_TEST

/* A process with sessions on both sides that starts, fetches and stops consumers until killed. */
static void busy_process(void)
{
	client_open(&server, &pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_HOST);
	p0 = client_open_device(&server, "p0");
	pf0 = client_open_device(&client, "pf0");
	client_ask_server(&server, p0, client_open_rep(&server, "hpf0"), "busy", 4080);
	client_take_events(&server, &server_events, server.reply->server_reply->event_ring_len);
	client_ask_connect(&client, pf0, "busy", 1000);
	client_end = client.reply->channel_connect_reply->channel_id;
	client_take_events(&client, &client_events,
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

static void deprived_set_up(void)
{
	pair_set_up(&pair);
	pair_write_topology(&pair, SIDE_HOST,
			    "[topology]\nside = host\n"
			    "[device pf0]\npci = 0b:00.0\ncomch_consumer = no\n"
			    "[device pf0vf0]\npci = 0b:00.2\n[device pf0vf1]\npci = 0b:00.3\n");
	begin();
}

/* The other end may have some all the same. */
START_TEST(end_without_consumers)
{
	establish();
	try_create(&client, client_end, 1);
	client_check_error(&client, CODE_NOT_SUPPORTED);
	create(&server, server_end, 1);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 1);
	fetch(&client, client_end, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon consumers");
	TCase *tcase = unit_case(suite, "two daemons", 90);
	TCase *fewer = unit_case(suite, "fewer capabilities", 60);
	TCase *limited = unit_case(suite, "profile bf2", 60);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, both_ends_consume);
	tcase_add_test(tcase, announced_after_the_fetch);
	tcase_add_test(tcase, wrong_numbers);
	tcase_add_test(tcase, wrong_descriptors);
	tcase_add_test(tcase, foreign_channels);
	tcase_add_loop_test(tcase, ends_with_its_channel, 0, 4);
	tcase_add_test(tcase, churn);
	tcase_add_test(tcase, many_at_once);
	tcase_add_test(tcase, charges_come_back);
	tcase_add_test(tcase, link_breaks);
	tcase_add_loop_test(tcase, strange_peer, 0, 3);
	tcase_add_test(tcase, killed_at_any_point);
	tcase_add_checked_fixture(limited, limited_set_up, tear_down);
	tcase_add_test(limited, limited_by_the_profile);
	tcase_add_checked_fixture(fewer, deprived_set_up, tear_down);
	tcase_add_test(fewer, end_without_consumers);
	return unit_run(suite);
}
