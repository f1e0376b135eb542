/*
 * The comch engine with peers that die or send invalid data, and daemons that send invalid replies
 * or restart: one connection ends, the others and the process continue.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/comch/connection/server.h"
#include "tests/unit/client/comch/ends.h"
#include "util/clock.h"
#include "util/fd.h"

START_TEST(test_peer_dies)
{
	struct end server, client;
	struct doca_comch_task_send *task;

	server_make(&server, "widow");
	server_start(&server);
	client_make(&client, "widow");
	client_connect(&client, &server);
	ck_assert_int_eq(send_msg(&client, client.conn, "last", 4), DOCA_SUCCESS);
	ck_assert_int_eq(
		doca_comch_server_task_send_alloc_init(server.server, server.conn, "x", 1, &task),
		DOCA_SUCCESS);
	fake_kill_client(0);
	/* Handles the event, and nothing else yet. */
	ck_assert_uint_eq(doca_pe_progress(server.pe), 1);
	ck_assert_uint_eq(server.n_disconnects, 0);
	/* A message to a peer whose end the program does not know yet fails later. */
	ck_assert_int_eq(doca_task_submit(doca_comch_task_send_as_task(task)), DOCA_SUCCESS);
	ck_assert_int_eq(send_msg(&server, server.conn, "x", 1), DOCA_SUCCESS);
	ck_assert_int_eq(send_msg(&server, server.conn, "", 0), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(
		doca_comch_server_task_send_alloc_init(server.server, server.conn, "x", 1, &task),
		DOCA_SUCCESS);
	progress(&server);
	ck_assert_uint_eq(server.n_send_errors, 2);
	ck_assert_int_eq(server.send_error, DOCA_ERROR_CONNECTION_RESET);
	ck_assert_uint_eq(server.n_recv, 1);
	ck_assert_mem_eq(server.last, "last", 4);
	ck_assert_uint_eq(server.n_disconnects, 1);
	/*
	 * The connection's memory still exists and recognises that the task belongs to an earlier
	 * use.
	 */
	ck_assert_int_eq(doca_task_try_submit(doca_comch_task_send_as_task(task)), DOCA_SUCCESS);
	progress(&server);
	ck_assert_uint_eq(server.n_send_errors, 3);
	ck_assert_int_eq(server.send_error, DOCA_ERROR_NOT_CONNECTED);
	ck_assert_int_eq(send_msg(&server, server.conn, "x", 1), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_comch_server_disconnect(server.server, server.conn),
			 DOCA_ERROR_INVALID_VALUE);
	end_stop(&server);
	progress_until(&client, &client.n_idle, 1);
	end_free(&client);
	end_free(&server);
}
END_TEST

/*
 * A peer that closes in order: until the program gets the close, which comes after earlier
 * messages, it may send. Tests the server's side and the client's.
 */
START_TEST(test_sends_to_a_peer_that_left)
{
	struct end server, client, *left, *stays;
	unsigned n_before;

	server_make(&server, "left");
	server_start(&server);
	client_make(&client, "left");
	client_connect(&client, &server);
	left = _i ? &server : &client;
	stays = _i ? &client : &server;
	ck_assert_int_eq(send_msg(left, left->conn, "last", 4), DOCA_SUCCESS);
	end_stop(left);
	/* Before the close is seen, and after it. */
	ck_assert_int_eq(send_msg(stays, stays->conn, "a", 1), DOCA_SUCCESS);
	while (stays->conn->state == COMCH_UP)
		doca_pe_progress(stays->pe);
	n_before = stays->n_sent;
	ck_assert_uint_eq(stays->n_disconnects + stays->n_idle, 0);
	ck_assert_int_eq(send_msg(stays, stays->conn, "b", 1), DOCA_SUCCESS);
	progress(stays);
	ck_assert_uint_eq(stays->n_sent, MAX(n_before, 1u));
	ck_assert_uint_eq(stays->n_send_errors, 1);
	ck_assert_int_eq(stays->send_error, DOCA_ERROR_NOT_CONNECTED);
	ck_assert_uint_eq(stays->n_recv, 1);
	ck_assert_uint_eq(stays->n_disconnects + stays->n_idle, 1);
	ck_assert_int_eq(send_msg(stays, stays->conn, "c", 1),
			 _i ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_INVALID_VALUE);
	if (stays->n_idle == 0)
		end_stop(stays);
	end_free(&client);
	end_free(&server);
}
END_TEST

/* --- a peer's process ends without a daemon to report it --- */

struct process {
	pid_t pid;
	int pidfd;
};

static struct process process_make(void)
{
	struct process process = {.pid = fork()};

	ck_assert_int_ge(process.pid, 0);
	if (process.pid == 0) {
		pause();
		_exit(0);
	}
	process.pidfd = fd_pidfd_open(process.pid);
	ck_assert_int_ge(process.pidfd, 0);
	return process;
}

static void process_end(struct process *process)
{
	ck_assert_int_eq(kill(process->pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(process->pid, NULL, 0), process->pid);
	fd_close(&process->pidfd);
}

/* The client's process ends, or the server's. */
static void process_pair_make(struct end *server, struct end *client, struct process *process)
{
	*process = process_make();
	fake_peer_pidfd = process->pidfd;
	server_make(server, "mortal");
	server_start(server);
	client_make(client, "mortal");
	client_connect(client, server);
	fake_peer_pidfd = -1;
}

static void process_pair_check(struct end *notified, const char *last)
{
	ck_assert_uint_eq(notified->n_recv, last == NULL ? 0 : 1);
	if (last != NULL)
		ck_assert_mem_eq(notified->last, last, strlen(last));
	ck_assert_uint_eq(notified->server != NULL ? notified->n_disconnects : notified->n_idle, 1);
}

static void process_pair_free(struct end *server, struct end *client)
{
	if (client->n_idle == 0)
		end_stop(client);
	end_stop(server);
	end_free(client);
	end_free(server);
}

/* Server or client; the program sleeps, with or without an earlier message. */
START_TEST(test_peer_process_ends_asleep)
{
	struct end server, client, *notified = _i & 1 ? &server : &client;
	struct end *dead = _i & 1 ? &client : &server;
	const char *last = _i & 2 ? "last" : NULL;
	struct process process;

	process_pair_make(&server, &client, &process);
	go_to_sleep(notified);
	ck_assert(!wakes(notified, 0));
	if (last != NULL)
		ck_assert_int_eq(send_msg(dead, dead->conn, last, 4), DOCA_SUCCESS);
	process_end(&process);
	wake_up(notified);
	process_pair_check(notified, last);
	process_pair_free(&server, &client);
}
END_TEST

/* A program that never clears gets the end with the next request, which does not let it sleep. */
START_TEST(test_peer_process_ends_not_cleared)
{
	struct end server, client;
	struct process process;

	process_pair_make(&server, &client, &process);
	ck_assert_int_eq(doca_pe_set_event_mode(server.pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL),
			 DOCA_SUCCESS);
	go_to_sleep(&server);
	process_end(&process);
	ck_assert(wakes(&server, 5000));
	progress(&server);
	ck_assert_int_eq(doca_pe_request_notification(server.pe), DOCA_SUCCESS);
	ck_assert(wakes(&server, 0));
	progress(&server);
	process_pair_check(&server, NULL);
	process_pair_free(&server, &client);
}
END_TEST

START_TEST(test_peer_process_ends_polling)
{
	struct end server, client, *notified = _i & 1 ? &server : &client;
	struct process process;

	process_pair_make(&server, &client, &process);
	process_end(&process);
	progress(notified);
	ck_assert_uint_eq(server.n_disconnects + client.n_idle, 0);
	notified->conn->n_empty = COMCH_PEER_CHECK - COMCH_CLOSE_CHECK;
	progress(notified);
	process_pair_check(notified, NULL);
	process_pair_free(&server, &client);
}
END_TEST

/* The peer closes in order, and its process ends before that was seen. */
START_TEST(test_peer_process_leaves)
{
	struct end server, client;
	struct process process;

	process_pair_make(&server, &client, &process);
	go_to_sleep(&server);
	end_stop(&client);
	process_end(&process);
	ck_assert(wakes(&server, 5000));
	ck_assert_int_eq(doca_pe_clear_notification(server.pe, 0), DOCA_SUCCESS);
	ck_assert_int_eq(server.conn->end_code, DOCA_SUCCESS);
	progress(&server);
	process_pair_check(&server, NULL);
	process_pair_free(&server, &client);
}
END_TEST

/* Idle connections are checked, too. */
START_TEST(test_peer_process_ends_idle)
{
	struct end server, clients[8];
	struct process process = process_make();
	struct doca_comch_connection *conn;
	unsigned i;

	fake_peer_pidfd = process.pidfd;
	server_make(&server, "idle");
	server_start(&server);
	for (i = 0; i < ARRAY_LEN(clients); i++) {
		client_make(&clients[i], "idle");
		client_connect(&clients[i], &server);
	}
	fake_peer_pidfd = -1;
	for (i = 0; i < 20000; i++)
		ck_assert_uint_eq(doca_pe_progress(server.pe), 0);
	ck_assert_uint_ge(server.server->n_idle, 2);
	conn = list_entry(server.server->idle.next, struct doca_comch_connection, node);
	conn->n_empty = COMCH_PEER_CHECK_IDLE - 2;
	process_end(&process);
	for (i = 0; i < 20000 && server.n_disconnects == 0; i++)
		doca_pe_progress(server.pe);
	ck_assert_uint_eq(server.n_disconnects, 1);
	end_stop(&server);
	for (i = 0; i < ARRAY_LEN(clients); i++) {
		progress(&clients[i]);
		end_free(&clients[i]);
	}
	end_free(&server);
}
END_TEST

/* Values that a hostile client can write into the shared memory. */
enum attack { ATTACK_LEN, ATTACK_HALF_WORD, ATTACK_KIND, ATTACK_CONSUMED, ATTACK_COUNT, N_ATTACKS };

static void attack(struct doca_comch_connection *conn, enum attack how)
{
	_Atomic uint64_t *header =
		(_Atomic uint64_t *)(void *)(conn->tx.data + (conn->tx.pos & conn->tx.mask));

	if (how == ATTACK_LEN)
		atomic_store(header, conn->max_msg + 2ull);
	else if (how == ATTACK_HALF_WORD)
		atomic_store(header, 1ull << 32);
	else if (how == ATTACK_KIND)
		atomic_store(header, (77ull << 32) | 5);
	else if (how == ATTACK_CONSUMED)
		atomic_store(&conn->rx.ctl->consumed_pos, UINT64_MAX - 7);
	else
		atomic_store(&conn->rx.ctl->consumed_msgs, 1ull << 40);
}

START_TEST(test_hostile_ring)
{
	struct doca_comch_connection *victim;
	struct end server, good, bad;
	unsigned n = 0;

	server_make(&server, "brave");
	server_start(&server);
	client_make(&good, "brave");
	client_connect(&good, &server);
	victim = server.conn;
	client_make(&bad, "brave");
	client_connect(&bad, &server);
	ck_assert_ptr_ne(server.conn, victim);
	attack(bad.conn, (enum attack)_i);
	/* A forged count of consumed messages is detected when the ring seems full. */
	while (n < 10 * N_TASKS && server.n_disconnects == 0) {
		doca_error_t result = send_msg(&server, server.conn, "x", 1);

		if (result == DOCA_ERROR_CONNECTION_RESET)
			break;
		ck_assert_int_eq(result, DOCA_SUCCESS);
		progress(&server);
		n++;
	}
	progress(&server);
	ck_assert_uint_eq(server.n_disconnects, 1);
	ck_assert_int_eq(server.info_at_disconnect, DOCA_ERROR_CONNECTION_ABORTED);
	progress(&bad);
	ck_assert_uint_eq(bad.n_idle, 1);
	ck_assert_int_eq(send_msg(&good, good.conn, "fine", 4), DOCA_SUCCESS);
	progress_both(&good, &server);
	ck_assert_uint_eq(server.n_recv, 1);
	end_stop(&good);
	end_stop(&server);
	end_free(&good);
	end_free(&bad);
	end_free(&server);
}
END_TEST

/* The message in the ring, in its sender's mapping. */
static uint8_t *sent_payload;

/* The sender overwrites its message while the receiver's callback runs. */
static void on_recv_scribbled(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
			      struct doca_comch_connection *conn)
{
	memset(sent_payload, 'B', len);
	on_recv(event, buf, len, conn);
}

/* A message does not change during its callback, whatever its sender does. */
START_TEST(test_message_is_the_receivers)
{
	static const uint32_t lengths[] = {1, 64, 129, COMCH_DEFAULT_MSG_SIZE};
	uint8_t msg[COMCH_DEFAULT_MSG_SIZE];
	struct end server, client;

	memset(msg, 'A', sizeof(msg));
	server_make(&server, "steady");
	ck_assert_int_eq(
		doca_comch_server_event_msg_recv_register(server.server, on_recv_scribbled),
		DOCA_SUCCESS);
	server_start(&server);
	client_make(&client, "steady");
	client_connect(&client, &server);
	for (unsigned i = 0; i < ARRAY_LEN(lengths); i++) {
		sent_payload = ring_producer_payload(&client.conn->tx);
		ck_assert_int_eq(send_msg(&client, client.conn, msg, lengths[i]), DOCA_SUCCESS);
		ck_assert_mem_eq(sent_payload, msg, lengths[i]);
		progress(&server);
		ck_assert_mem_eq(sent_payload, "B", 1);
		ck_assert_uint_eq(server.n_recv, i + 1);
		ck_assert_uint_eq(server.last_len, lengths[i]);
		ck_assert_mem_eq(server.last, msg, lengths[i]);
	}
	end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

/* A peer whose end was announced and that continues to write must not be served for ever. */
START_TEST(test_hostile_endless)
{
	struct end server, client;
	unsigned n = 0;

	server_make(&server, "endless");
	server_start(&server);
	client_make(&client, "endless");
	client_connect(&client, &server);
	fake_kill_client(0);
	while (server.n_disconnects == 0) {
		ck_assert_uint_lt(n++, 2000);
		send_msg(&client, client.conn, "x", 1);
		doca_pe_progress(server.pe);
		doca_pe_progress(client.pe);
	}
	ck_assert_uint_le(server.n_recv, COMCH_DEFAULT_RECV_QUEUE);
	progress_until(&client, &client.n_idle, 1);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

START_TEST(test_bad_reply)
{
	struct end server, client;

	server_make(&server, "lied-to");
	server_start(&server);
	client_make(&client, "lied-to");
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	fake_lie = (enum fake_lie)_i;
	progress_both(&server, &client);
	ck_assert_uint_eq(server.n_failed_connects, 1);
	ck_assert_uint_eq(server.n_connects, 0);
	ck_assert_uint_eq(server.n_disconnects, 0);
	if (_i == FAKE_LIE_REFUSE_FETCH) {
		/* The client is notified when the server closes the channel. */
		ck_assert_uint_eq(client.n_idle, 1);
	}
	if (client.n_idle == 0)
		end_stop(&client);
	/* The same for the client. */
	client.n_idle = 0;
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	progress(&server);
	ck_assert_uint_eq(server.n_connects, 1);
	fake_lie = (enum fake_lie)_i;
	progress_both(&client, &server);
	/*
	 * A channel that cannot be fetched any more was ended by the server, which had accepted it.
	 */
	ck_assert_uint_eq(client.n_running, _i == FAKE_LIE_REFUSE_FETCH ? 1 : 0);
	client.n_running = 0;
	ck_assert_uint_eq(client.n_idle, 1);
	ck_assert_uint_eq(server.n_disconnects, 1);
	/* Once more with valid data. */
	client_connect(&client, &server);
	end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

/*
 * The daemon's answer is unusable. The library must ask the daemon to drop the object; otherwise
 * the name would stay in use.
 */
START_TEST(test_bad_events)
{
	struct end server, client;

	server_make(&server, "ghost");
	fake_n_closes = 0;
	fake_lie = FAKE_LIE_EVENTS;
	ck_assert_int_ne(doca_ctx_start(server.ctx), DOCA_SUCCESS);
	ck_assert_uint_eq(fake_n_closes, 1);
	server_start(&server);
	client_make(&client, "ghost");
	fake_lie = FAKE_LIE_EVENTS;
	ck_assert_int_ne(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_uint_eq(fake_n_closes, 2);
	/* The server was notified of a client that disconnected immediately. */
	progress(&server);
	client_connect(&client, &server);
	end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

/* Progress does not wait until the daemon knows that a connection has ended. */
START_TEST(test_end_does_not_wait)
{
	struct end server, client;

	server_make(&server, "busy");
	server_start(&server);
	client_make(&client, "busy");
	client_connect(&client, &server);
	/* Simulates the client's thread: the server sees the end in the ring before any daemon. */
	ck_assert(!ring_producer_close(&client.conn->tx));
	fake_n_closes = fake_n_waits = 0;
	progress_until(&server, &server.n_disconnects, 1);
	ck_assert_uint_eq(fake_n_closes, 1);
	ck_assert_uint_eq(fake_n_waits, 0);
	progress(&client);
	ck_assert_uint_eq(client.n_idle, 1);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

START_TEST(test_daemon_restart)
{
	struct end server, old, late;

	server_make(&server, "phoenix");
	server_start(&server);
	client_make(&old, "phoenix");
	client_connect(&old, &server);
	go_to_sleep(&server);
	fake_restart();
	wake_up(&server);
	/* The old channel needs no daemon. */
	ck_assert_int_eq(send_msg(&old, old.conn, "still", 5), DOCA_SUCCESS);
	progress_both(&old, &server);
	ck_assert_uint_eq(server.n_recv, 1);
	/* A new channel uses the new daemon. */
	client_make(&late, "phoenix");
	client_connect(&late, &server);
	ck_assert_uint_eq(server.n_connects, 2);
	/* The orderly end of the old channel is seen in the ring, and reported to no daemon. */
	fake_n_closes = 0;
	end_stop(&old);
	progress(&server);
	ck_assert_uint_eq(server.n_disconnects, 1);
	ck_assert_uint_eq(fake_n_closes, 0);
	end_stop(&late);
	end_stop(&server);
	end_free(&old);
	end_free(&late);
	end_free(&server);
}
END_TEST

START_TEST(test_daemon_restart_while_connecting)
{
	struct end server, client;

	server_make(&server, "early");
	server_start(&server);
	client_make(&client, "early");
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	fake_restart();
	progress_both(&server, &client);
	ck_assert_uint_eq(client.n_running, 1);
	ck_assert_int_eq(doca_comch_client_get_connection(client.client, &client.conn),
			 DOCA_SUCCESS);
	ck_assert_int_eq(send_msg(&client, client.conn, "hi", 2), DOCA_SUCCESS);
	progress_both(&server, &client);
	ck_assert_uint_eq(server.n_recv, 1);
	end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

START_TEST(test_daemon_restart_refused)
{
	struct end server, client;
	uint64_t deadline = clock_now_ns() + 20 * NS_PER_SEC;
	const struct comch *comch;

	server_make(&server, "patient");
	comch = container_of(server.ctx, struct comch, ctx);
	server_start(&server);
	fake_refuse = DOCA_ERROR_NOT_FOUND;
	fake_restart();
	progress(&server);
	ck_assert_uint_eq(server.n_idle, 0);
	ck_assert_uint_eq(comch->events.status, COMCH_EVENTS_LOST);
	fake_refuse = 0;
	while (comch->events.status == COMCH_EVENTS_LOST && clock_now_ns() < deadline)
		progress(&server);
	client_make(&client, "patient");
	client_connect(&client, &server);
	end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

/*
 * A program that sleeps while the new daemon refuses it wakes to ask again, and for nothing else.
 */
START_TEST(test_daemon_restart_refused_asleep)
{
	struct end server, client;
	const struct comch *comch;

	server_make(&server, "sleeper");
	comch = container_of(server.ctx, struct comch, ctx);
	server_start(&server);
	go_to_sleep(&server);
	fake_refuse = DOCA_ERROR_NOT_FOUND;
	fake_restart();
	fake_n_waits = 0;
	wake_up(&server);
	go_to_sleep(&server);
	wake_up(&server);
	ck_assert_uint_eq(comch->events.status, COMCH_EVENTS_LOST);
	ck_assert_uint_ge(fake_n_waits, 1);
	fake_refuse = 0;
	while (comch->events.status == COMCH_EVENTS_LOST) {
		go_to_sleep(&server);
		if (comch->events.status == COMCH_EVENTS_LOST)
			wake_up(&server);
	}
	client_make(&client, "sleeper");
	client_connect(&client, &server);
	end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

/* --- a device is removed --- */

/*
 * Either the daemon knows the connection and has ended it, or it does not know it. Earlier events
 * are delivered; the server can be started again on a device that exists then.
 */
START_TEST(test_server_is_removed)
{
	struct end server, client, next;

	server_make(&server, "taken");
	server_start(&server);
	client_make(&client, "taken");
	client_connect(&client, &server);
	ck_assert_int_eq(send_msg(&client, client.conn, "last", 4), DOCA_SUCCESS);
	if (_i)
		fake_kill_client(0);
	fake_remove_device();
	progress(&server);
	ck_assert_uint_eq(server.n_recv, 1);
	ck_assert_mem_eq(server.last, "last", 4);
	ck_assert_uint_eq(server.n_disconnects, 1);
	ck_assert_uint_eq(server.n_idle, 1);
	progress_until(&client, &client.n_idle, 1);
	server_start(&server);
	client_make(&next, "taken");
	client_connect(&next, &server);
	ck_assert_uint_eq(server.n_idle, 1);
	end_stop(&next);
	end_stop(&server);
	end_free(&next);
	end_free(&client);
	end_free(&server);
}
END_TEST

/* No client is connected, or many are, some of them idle. */
START_TEST(test_server_is_removed_asleep)
{
	unsigned n = _i ? 8 : 0;
	struct end server, clients[8];

	server_make(&server, "taken");
	server_start(&server);
	for (unsigned i = 0; i < n; i++) {
		client_make(&clients[i], "taken");
		client_connect(&clients[i], &server);
	}
	for (unsigned i = 0; i < 20000; i++)
		ck_assert_uint_eq(doca_pe_progress(server.pe), 0);
	ck_assert(server.server->n_idle >= 2 || n == 0);
	go_to_sleep(&server);
	fake_remove_device();
	wake_up(&server);
	ck_assert_uint_eq(server.n_disconnects, n);
	ck_assert_uint_eq(server.n_idle, 1);
	for (unsigned i = 0; i < n; i++) {
		progress(&clients[i]);
		end_free(&clients[i]);
	}
	end_free(&server);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch faults");
	TCase *tcase = unit_case(suite, "comch faults", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_peer_dies);
	tcase_add_loop_test(tcase, test_sends_to_a_peer_that_left, 0, 2);
	tcase_add_loop_test(tcase, test_peer_process_ends_asleep, 0, 4);
	tcase_add_test(tcase, test_peer_process_ends_not_cleared);
	tcase_add_loop_test(tcase, test_peer_process_ends_polling, 0, 2);
	tcase_add_test(tcase, test_peer_process_leaves);
	tcase_add_test(tcase, test_peer_process_ends_idle);
	tcase_add_loop_test(tcase, test_hostile_ring, 0, N_ATTACKS);
	tcase_add_test(tcase, test_hostile_endless);
	tcase_add_test(tcase, test_message_is_the_receivers);
	tcase_add_loop_test(tcase, test_bad_reply, FAKE_LIE_RING_LEN, FAKE_LIE_REFUSE_FETCH + 1);
	tcase_add_test(tcase, test_bad_events);
	tcase_add_test(tcase, test_end_does_not_wait);
	tcase_add_test(tcase, test_daemon_restart);
	tcase_add_test(tcase, test_daemon_restart_while_connecting);
	tcase_add_test(tcase, test_daemon_restart_refused);
	tcase_add_test(tcase, test_daemon_restart_refused_asleep);
	tcase_add_loop_test(tcase, test_server_is_removed, 0, 2);
	tcase_add_loop_test(tcase, test_server_is_removed_asleep, 0, 2);
	return unit_run(suite);
}
