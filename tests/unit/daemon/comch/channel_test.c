/* Two daemons and raw clients: how comch channels are established and how they end. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/ring.h"
#include "proto/shm_layout.h"
#include "tests/unit/daemon/pair.h"
#include "util/fd.h"
#include "util/memfd.h"

#define MSG 4080u

static struct daemon_pair pair;
static struct client server, client;
static struct event_reader server_events;
static uint64_t p0, hpf0, pf0, server_id;

/* A server "echo" for pf0, and a client session with pf0 open. */
static void set_up(void)
{
	pair_set_up(&pair);
	pair_start_linked(&pair);
	client_open(&server, &pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_HOST);
	p0 = client_open_device(&server, "p0");
	hpf0 = client_open_rep(&server, "hpf0");
	pf0 = client_open_device(&client, "pf0");
	client_ask_server(&server, p0, hpf0, "echo", MSG);
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	server_id = server.reply->server_reply->server_id;
	client_receive_events(&server, &server_events, server.reply->server_reply->event_ring_len);
}

static void tear_down(void)
{
	event_reader_deinit(&server_events);
	client_close(&server);
	client_close(&client);
	pair_tear_down(&pair);
}

/* Connects from the host; the result is an event. */
static uint64_t begin_connect(struct event_reader *events, uint64_t device, const char *name)
{
	client_ask_connect(&client, device, name, 1000);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	uint64_t id = client.reply->channel_connect_reply->channel_id;

	client_receive_events(&client, events, client.reply->channel_connect_reply->event_ring_len);
	return id;
}

static uint64_t await_arrival(void)
{
	struct event event = events_await(&server_events);

	ck_assert_uint_eq(event.type, EVENT_CHANNEL_NEW);
	return event.id;
}

static void check_event(struct event_reader *events, uint32_t type, uint64_t id, uint32_t code)
{
	struct event event = events_await(events);

	ck_assert_uint_eq(event.type, type);
	ck_assert_uint_eq(event.id, id);
	ck_assert_uint_eq(event.code, code);
}

/* Fetches the channel; fds gets its memory and both eventfds. */
static void fetch(struct client *from, uint64_t id, int fds[3])
{
	const Dococore__ChannelReply *reply;

	client_ask_fetch(from, id);
	ck_assert_int_eq(from->reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_REPLY);
	reply = from->reply->channel_reply;
	ck_assert_uint_eq(reply->channel_id, id);
	ck_assert_uint_eq(reply->max_msg_size, 1000);
	ck_assert_uint_eq(reply->ring_len, ring_len_for(1000, 16));
	ck_assert(reply->is_server == (from == &server));
	ck_assert_uint_eq(reply->recv_queue_size, from == &server ? 8 : 16);
	ck_assert_uint_eq(reply->peer_recv_queue_size, from == &server ? 16 : 8);
	ck_assert_uint_eq(reply->peer_pid, (uint32_t)getpid());
	for (size_t i = 0; i < 3; i++)
		fds[i] = fdset_steal(&from->fds, i);
	ck_assert_int_eq(memfd_verify(fds[0], CHANNEL_HEADER_LEN + 2ull * reply->ring_len), 0);
}

/* Establishes a whole connection. */
static void establish(struct event_reader *events, uint64_t *server_end, uint64_t *client_end)
{
	int fds[3], peer_fds[3];

	*client_end = begin_connect(events, pf0, "echo");
	*server_end = await_arrival();
	fetch(&server, *server_end, fds);
	check_event(events, EVENT_CHANNEL_READY, *client_end, 0);
	fetch(&client, *client_end, peer_fds);
	for (size_t i = 0; i < 3; i++) {
		fd_close(&fds[i]);
		fd_close(&peer_fds[i]);
	}
}

/*
 * A client that asks for it gets an event when a server has its request, before the server decides.
 */
START_TEST(client_hears_of_its_arrival)
{
	struct event_reader events;
	uint64_t id;
	int fds[3];

	client_ask_connect_arrived(&client, pf0, "echo", 1000);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	id = client.reply->channel_connect_reply->channel_id;
	client_receive_events(&client, &events,
			      client.reply->channel_connect_reply->event_ring_len);
	check_event(&events, EVENT_CHANNEL_ARRIVED, id, 0);
	fetch(&server, await_arrival(), fds);
	check_event(&events, EVENT_CHANNEL_READY, id, 0);
	for (size_t i = 0; i < 3; i++)
		fd_close(&fds[i]);
	event_reader_deinit(&events);
}
END_TEST

START_TEST(both_ends_share_memory_and_doorbells)
{
	struct event_reader events;
	struct channel_header *a, *b;
	uint64_t server_end, client_end;
	int s[3], c[3];

	client_end = begin_connect(&events, pf0, "echo");
	server_end = await_arrival();
	fetch(&server, server_end, s);
	check_event(&events, EVENT_CHANNEL_READY, client_end, 0);
	fetch(&client, client_end, c);
	a = memfd_map(s[0], 0, CHANNEL_HEADER_LEN, true);
	b = memfd_map(c[0], 0, CHANNEL_HEADER_LEN, true);
	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	ck_assert_uint_eq(a->magic, CHANNEL_MAGIC);
	ck_assert_uint_eq(a->version, 1);
	ck_assert_uint_eq(b->ring_len, ring_len_for(1000, 16));
	atomic_store(&a->ring[0].armed, 7);
	ck_assert_uint_eq(atomic_load(&b->ring[0].armed), 7);
	/* This end waits on [1] and signals [2]. */
	fd_eventfd_ring(s[2]);
	ck_assert(!fd_eventfd_clear(s[1]));
	ck_assert(fd_eventfd_clear(c[1]));
	fd_eventfd_ring(c[2]);
	ck_assert(fd_eventfd_clear(s[1]));
	/* A second fetch is refused. */
	client_ask_fetch(&client, client_end);
	client_check_error(&client, CODE_BAD_STATE);
	client_ask_fetch(&server, server_end);
	client_check_error(&server, CODE_BAD_STATE);
	/* The channel belongs to its session. */
	client_ask_fetch(&server, server_end + 1000);
	client_check_error(&server, CODE_NOT_FOUND);
	event_reader_deinit(&events);
}
END_TEST

START_TEST(either_side_closes)
{
	struct event_reader events;
	uint64_t server_end, client_end;

	establish(&events, &server_end, &client_end);
	client_close_channel(&client, client_end);
	check_event(&server_events, EVENT_CHANNEL_CLOSED, server_end, 0);
	client_close_channel(&server, server_end);
	event_reader_deinit(&events);
	establish(&events, &server_end, &client_end);
	client_close_channel(&server, server_end);
	check_event(&events, EVENT_CHANNEL_CLOSED, client_end, 0);
	client_close_channel(&client, client_end);
	client_close_channel(&client, client_end);
	event_reader_deinit(&events);
}
END_TEST

/*
 * If messages that an end sent without the daemons are lost, the other end must not see an orderly
 * close.
 */
START_TEST(either_side_closes_with_a_loss)
{
	struct event_reader events;
	uint64_t server_end, client_end;

	establish(&events, &server_end, &client_end);
	client_lose_channel(&client, client_end);
	check_event(&server_events, EVENT_CHANNEL_CLOSED, server_end, CODE_CONNECTION_RESET);
	event_reader_deinit(&events);
	establish(&events, &server_end, &client_end);
	client_lose_channel(&server, server_end);
	check_event(&events, EVENT_CHANNEL_CLOSED, client_end, CODE_CONNECTION_RESET);
	event_reader_deinit(&events);
}
END_TEST

START_TEST(server_goes)
{
	Dococore__ServerDestroy ask = DOCOCORE__SERVER_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct event_reader events, pending;
	uint64_t server_end, client_end, pending_end;

	establish(&events, &server_end, &client_end);
	pending_end = begin_connect(&pending, pf0, "echo");
	await_arrival();
	ask.server_id = server_id;
	packet.body_case = DOCOCORE__PACKET__BODY_SERVER_DESTROY;
	packet.server_destroy = &ask;
	client_ask(&server, &packet, NULL, 0);
	check_event(&events, EVENT_CHANNEL_CLOSED, client_end, 0);
	check_event(&pending, EVENT_CHANNEL_FAILED, pending_end, CODE_CONNECTION_ABORTED);
	event_reader_deinit(&events);
	event_reader_deinit(&pending);
}
END_TEST

START_TEST(death_of_the_server_process)
{
	struct event_reader events;
	uint64_t server_end, client_end;

	establish(&events, &server_end, &client_end);
	/* Simulates what the kernel does when a process is killed. */
	server.conn = conn_free(server.conn);
	check_event(&events, EVENT_CHANNEL_CLOSED, client_end, CODE_CONNECTION_RESET);
	event_reader_deinit(&events);
	begin_connect(&events, pf0, "echo");
	ck_assert_uint_eq(events_await(&events).code, CODE_NOT_FOUND);
	event_reader_deinit(&events);
}
END_TEST

static void send_server(struct client *from, uint64_t device, uint64_t rep, const char *name)
{
	Dococore__ServerCreate ask = DOCOCORE__SERVER_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.rep = rep;
	ask.name = (char *)name;
	ask.max_msg_size = MSG;
	ask.recv_queue_size = 8;
	packet.body_case = DOCOCORE__PACKET__BODY_SERVER_CREATE;
	packet.server_create = &ask;
	client_send(from, &packet, NULL, 0);
}

/*
 * A program that has ended but is not processed yet has no server any more: the next program gets
 * the name and the new clients, in whatever order the daemon processes the two.
 */
START_TEST(next_server_of_the_name)
{
	struct client next;
	struct event_reader events, next_events;
	uint64_t next_p0, next_hpf0;

	client_open(&next, &pair, SIDE_DPU);
	next_p0 = client_open_device(&next, "p0");
	next_hpf0 = client_open_rep(&next, "hpf0");
	/* Everything has arrived when the daemon continues. */
	pair_freeze(&pair, SIDE_DPU);
	if (_i) {
		send_server(&next, next_p0, next_hpf0, "echo");
		client_close(&server);
	} else {
		client_close(&server);
		send_server(&next, next_p0, next_hpf0, "echo");
	}
	begin_connect(&events, pf0, "echo");
	/* The client's daemon has asked the other one by now. */
	client_open_device(&client, "pf0");
	ck_assert_int_eq(kill(pair.pids[SIDE_DPU], SIGCONT), 0);
	client_await(&next);
	ck_assert_int_eq(next.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	client_receive_events(&next, &next_events, next.reply->server_reply->event_ring_len);
	ck_assert_uint_eq(events_await(&next_events).type, EVENT_CHANNEL_NEW);
	ck_assert(!event_reader_pending(&events));
	event_reader_deinit(&events);
	event_reader_deinit(&next_events);
	client_close(&next);
}
END_TEST

START_TEST(killed_client)
{
	uint64_t server_end;
	int pipe_fds[2], status;
	char c = 0;
	pid_t pid;

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		struct event_reader events;
		uint64_t id;
		int fds[3];

		client_open(&client, &pair, SIDE_HOST);
		id = begin_connect(&events, client_open_device(&client, "pf0"), "echo");
		check_event(&events, EVENT_CHANNEL_READY, id, 0);
		client_ask_fetch(&client, id);
		fds[0] = fdset_steal(&client.fds, 0);
		ck_assert_int_ge(fds[0], 0);
		ck_assert_int_eq(write(pipe_fds[1], &c, 1), 1);
		for (;;)
			pause();
	}
	server_end = await_arrival();
	client_ask_fetch(&server, server_end);
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_REPLY);
	ck_assert_uint_eq(server.reply->channel_reply->peer_pid, (uint32_t)pid);
	ck_assert_int_eq(read(pipe_fds[0], &c, 1), 1);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	check_event(&server_events, EVENT_CHANNEL_CLOSED, server_end, CODE_CONNECTION_RESET);
}
END_TEST

START_TEST(refusals_come_as_events)
{
	struct event_reader events;
	uint64_t id;

	id = begin_connect(&events, pf0, "nobody");
	check_event(&events, EVENT_CHANNEL_FAILED, id, CODE_NOT_FOUND);
	event_reader_deinit(&events);
	/* The server is for pf0 only. */
	id = begin_connect(&events, client_open_device(&client, "pf0vf0"), "echo");
	check_event(&events, EVENT_CHANNEL_FAILED, id, CODE_NOT_FOUND);
	event_reader_deinit(&events);
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGTERM), 0);
	do {
		id = begin_connect(&events, pf0, "echo");
	} while (events_await(&events).code != CODE_NOT_CONNECTED);
	event_reader_deinit(&events);
}
END_TEST

START_TEST(wrong_arguments)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	name[256] = '\0';
	client_ask_server(&server, p0, hpf0, "echo", MSG);
	client_check_error(&server, CODE_ALREADY_EXIST);
	client_ask_server(&server, p0, client_open_rep(&server, "hpf1"), "echo", MSG);
	client_check_error(&server, CODE_INVALID_VALUE);
	client_ask_server(&server, p0, hpf0, "", MSG);
	client_check_error(&server, CODE_INVALID_VALUE);
	client_ask_server(&server, p0, hpf0, "zero", 0);
	client_check_error(&server, CODE_INVALID_VALUE);
	client_ask_server(&server, p0, hpf0, "huge", UINT32_MAX);
	client_check_error(&server, CODE_INVALID_VALUE);
	client_ask_server(&server, hpf0, p0, "crossed", MSG);
	client_check_error(&server, CODE_NOT_FOUND);
	client_ask_server(&server, client_open_device(&server, "p0s0"), hpf0, "sf", MSG);
	client_check_error(&server, CODE_NOT_SUPPORTED);
	client_ask_connect(&server, p0, "echo", MSG);
	client_check_error(&server, CODE_NOT_SUPPORTED);
	client_ask_connect(&client, pf0, "", MSG);
	client_check_error(&client, CODE_INVALID_VALUE);
	client_ask_connect(&client, pf0, "echo", 0);
	client_check_error(&client, CODE_INVALID_VALUE);
	client_ask_connect(&client, 77, "echo", MSG);
	client_check_error(&client, CODE_NOT_FOUND);
}
END_TEST

/* The client gives up before, while and after the server gets the event. */
START_TEST(client_cancels)
{
	for (int i = 0; i < 50; i++) {
		struct event_reader events;
		struct event event;
		uint64_t id = begin_connect(&events, pf0, "echo");

		if (i % 2)
			event = events_await(&server_events);
		client_close_channel(&client, id);
		if (i % 2 == 0)
			event = events_await(&server_events);
		ck_assert_uint_eq(event.type, EVENT_CHANNEL_NEW);
		check_event(&server_events, EVENT_CHANNEL_CLOSED, event.id, 0);
		client_ask_fetch(&server, event.id);
		client_check_error(&server, CODE_NOT_FOUND);
		event_reader_deinit(&events);
	}
}
END_TEST

/* More events than the ring has slots wait in the daemon and arrive in order. */
START_TEST(events_wait_for_a_slow_server)
{
	enum { N = 400 };
	uint64_t ids[N], ends[N];

	for (int i = 0; i < N; i++) {
		struct event_reader events;

		ids[i] = begin_connect(&events, pf0, "echo");
		event_reader_deinit(&events);
	}
	for (int i = 0; i < N; i++) {
		ends[i] = await_arrival();
		ck_assert_uint_gt(ends[i], i ? ends[i - 1] : 0);
	}
	for (int i = 0; i < N; i++)
		client_close_channel(&client, ids[i]);
	for (int i = 0; i < N; i++)
		check_event(&server_events, EVENT_CHANNEL_CLOSED, ends[i], 0);
}
END_TEST

/*
 * Clients that connect and disconnect while the server reads no events fill its ring, and no more:
 * it gets neither event of those that it had not seen.
 */
START_TEST(clients_that_come_and_go_fill_no_queue)
{
	enum { N = 400, SEEN = EVENT_RING_SLOTS / 2 };
	struct event_reader events;
	uint64_t id = 0;

	for (int i = 0; i < N; i++) {
		id = begin_connect(&events, pf0, "echo");
		client_close_channel(&client, id);
		event_reader_deinit(&events);
	}
	/* When this one has arrived, everything before has been processed. */
	client_ask_connect_arrived(&client, pf0, "echo", 1000);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	id = client.reply->channel_connect_reply->channel_id;
	client_receive_events(&client, &events,
			      client.reply->channel_connect_reply->event_ring_len);
	check_event(&events, EVENT_CHANNEL_ARRIVED, id, 0);
	for (int i = 0; i < SEEN; i++) {
		id = await_arrival();
		check_event(&server_events, EVENT_CHANNEL_CLOSED, id, 0);
	}
	/* The client that stayed is next. */
	ck_assert_uint_eq(await_arrival(), id + N - SEEN + 1);
	event_reader_deinit(&events);
}
END_TEST

/*
 * The other daemon is stopped: the data queued for it is bounded, and so are the descriptors of
 * clients that connect and disconnect.
 */
START_TEST(congested_link)
{
	enum { LIMIT = 100000 };
	struct event_reader events;
	struct rlimit limit;
	uint64_t id;
	int n;

	ck_assert_int_eq(prlimit(pair.pids[SIDE_HOST], RLIMIT_NOFILE, NULL, &limit), 0);
	limit.rlim_cur = MIN(limit.rlim_cur, 8192);
	ck_assert_int_eq(prlimit(pair.pids[SIDE_HOST], RLIMIT_NOFILE, &limit, NULL), 0);
	pair_freeze(&pair, SIDE_DPU);
	for (n = 0; n < LIMIT; n++) {
		client_ask_connect(&client, pf0, "echo", 1000);
		if (client.reply->body_case == DOCOCORE__PACKET__BODY_ERROR)
			break;
		client_close_channel(&client, client.reply->channel_connect_reply->channel_id);
	}
	client_check_error(&client, CODE_AGAIN);
	ck_assert_uint_lt(pair_count_fds(&pair, SIDE_HOST), limit.rlim_cur / 2);
	ck_assert_int_eq(kill(pair.pids[SIDE_DPU], SIGCONT), 0);
	/* The congestion ends. */
	while (client_ask_connect_arrived(&client, pf0, "echo", 1000)->body_case ==
	       DOCOCORE__PACKET__BODY_ERROR) {
		client_check_error(&client, CODE_AGAIN);
		poll(NULL, 0, 1);
	}
	id = client.reply->channel_connect_reply->channel_id;
	client_receive_events(&client, &events,
			      client.reply->channel_connect_reply->event_ring_len);
	check_event(&events, EVENT_CHANNEL_ARRIVED, id, 0);
	event_reader_deinit(&events);
}
END_TEST

/* A server that writes garbage into its ring loses only its own connection. */
START_TEST(broken_event_ring)
{
	struct event_reader events;
	struct client other;
	struct event_reader other_events;

	client_open(&other, &pair, SIDE_DPU);
	client_ask_server(&other, client_open_device(&other, "p0"), client_open_rep(&other, "hpf0"),
			  "other", MSG);
	client_receive_events(&other, &other_events, other.reply->server_reply->event_ring_len);
	atomic_store(&server_events.ring->tail, 0x7fffffff);
	begin_connect(&events, pf0, "echo");
	ck_assert_uint_eq(events_await(&events).type, EVENT_CHANNEL_FAILED);
	event_reader_deinit(&events);
	while (client_await(&server))
		ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_ERROR);
	begin_connect(&events, pf0, "other");
	ck_assert_uint_eq(events_await(&other_events).type, EVENT_CHANNEL_NEW);
	event_reader_deinit(&events);
	event_reader_deinit(&other_events);
	client_close(&other);
}
END_TEST

/* The link is lost, established channels stay; when the link is back, new connections work. */
START_TEST(link_breaks)
{
	struct event_reader events, pending;
	uint64_t server_end, client_end, pending_end, arrived;

	establish(&events, &server_end, &client_end);
	pending_end = begin_connect(&pending, pf0, "echo");
	arrived = await_arrival();
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGKILL), SIGKILL);
	check_event(&server_events, EVENT_CHANNEL_CLOSED, arrived, CODE_NOT_CONNECTED);
	client_close(&client);
	event_reader_deinit(&events);
	event_reader_deinit(&pending);
	(void)pending_end;
	pair_start(&pair, SIDE_HOST);
	pair_wait_linked(&pair);
	client_open(&client, &pair, SIDE_HOST);
	pf0 = client_open_device(&client, "pf0");
	establish(&events, &server_end, &client_end);
	/* Now the DPU's daemon ends: the client's pending connection fails, the channel stays. */
	pending_end = begin_connect(&pending, pf0, "echo");
	await_arrival();
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGKILL), SIGKILL);
	check_event(&pending, EVENT_CHANNEL_FAILED, pending_end, CODE_NOT_CONNECTED);
	ck_assert(!event_reader_pending(&events));
	client_close_channel(&client, client_end);
	event_reader_deinit(&events);
	event_reader_deinit(&pending);
}
END_TEST

static void limited_set_up(void)
{
	pair_set_up(&pair);
	pair_write_config(&pair, SIDE_DPU, "[daemon]\nprofile = bf2\n");
	pair_start_linked(&pair);
	client_open(&server, &pair, SIDE_DPU);
	client_open(&client, &pair, SIDE_HOST);
	p0 = client_open_device(&server, "p0");
	hpf0 = client_open_rep(&server, "hpf0");
	pf0 = client_open_device(&client, "pf0");
	client_ask_server(&server, p0, hpf0, "echo", MSG);
	client_receive_events(&server, &server_events, server.reply->server_reply->event_ring_len);
}

START_TEST(clients_are_limited_by_the_profile)
{
	enum { LIMIT = 512 };
	struct event_reader events;

	client_ask_server(&server, p0, hpf0, "big", 4081);
	client_check_error(&server, CODE_INVALID_VALUE);
	for (int i = 0; i < LIMIT; i++) {
		begin_connect(&events, pf0, "echo");
		await_arrival();
		event_reader_deinit(&events);
	}
	begin_connect(&events, pf0, "echo");
	ck_assert_uint_eq(events_await(&events).code, CODE_FULL);
	event_reader_deinit(&events);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon channels");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);
	TCase *limited = unit_case(suite, "profile bf2", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, client_hears_of_its_arrival);
	tcase_add_test(tcase, both_ends_share_memory_and_doorbells);
	tcase_add_test(tcase, either_side_closes);
	tcase_add_test(tcase, either_side_closes_with_a_loss);
	tcase_add_test(tcase, server_goes);
	tcase_add_test(tcase, death_of_the_server_process);
	tcase_add_loop_test(tcase, next_server_of_the_name, 0, 2);
	tcase_add_test(tcase, killed_client);
	tcase_add_test(tcase, refusals_come_as_events);
	tcase_add_test(tcase, wrong_arguments);
	tcase_add_test(tcase, client_cancels);
	tcase_add_test(tcase, events_wait_for_a_slow_server);
	tcase_add_test(tcase, clients_that_come_and_go_fill_no_queue);
	tcase_add_test(tcase, congested_link);
	tcase_add_test(tcase, broken_event_ring);
	tcase_add_test(tcase, link_breaks);
	tcase_add_checked_fixture(limited, limited_set_up, tear_down);
	tcase_add_test(limited, clients_are_limited_by_the_profile);
	return unit_run(suite);
}
