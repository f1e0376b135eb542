/*
 * client/comch/remote/ring: messages of a connection between machines that bypass the daemons. Both
 * ends are in this process; the fake daemons' rings carry what real daemons would relay, and a
 * simulated network replaces the RDMA devices. One thread.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/client/comch/remote_ring_ends.h"
#include "util/clock.h"

START_TEST(messages_bypass_the_daemons)
{
	uint64_t random = 5;

	start();
	ck_assert_int_eq(state_of(&server), REMOTE_RING_TX_UP);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_UP);
	for (unsigned i = 0; i < 2000; i++) {
		uint32_t len = 1 + (uint32_t)(unit_random(&random) % MSG_MAX);

		send_and_check(&client, &server, len, i);
		if (i % 3 == 0)
			send_and_check(&server, &client, len, i + 1);
	}
	/* An offer, and the message after which no other follows. */
	ck_assert_uint_eq(n_relayed(&server), 2);
	ck_assert_uint_eq(n_relayed(&client), 2);
	stop();
}
END_TEST

/* Several messages form one batch, in order, and wrap around the ring's end. */
START_TEST(batches)
{
	uint64_t random = 7;
	unsigned n = 0;

	start();
	network.room = 3;
	for (unsigned round = 0; round < 500; round++) {
		unsigned first = n, k = 1 + (unsigned)(unit_random(&random) % QUEUE);
		uint32_t lens[QUEUE];

		network.is_blocked = true;
		for (; n < first + k; n++) {
			lens[n - first] = (uint32_t)(unit_random(&random) % 2000) + 1;
			/* The credit for messages of the last round may not have been read yet. */
			while (send_number(&client, lens[n - first], n) == DOCA_ERROR_AGAIN) {
				network.is_blocked = false;
				progress(&client);
				network.is_blocked = true;
			}
		}
		network.is_blocked = false;
		for (unsigned i = 0; i < k; i++) {
			while (server.n_recv == first + i) {
				(void)doca_pe_progress(client.pe);
				(void)doca_pe_progress(server.pe);
			}
			expect_last(&server, lens[i], first + i);
		}
		progress_both(&client, &server);
	}
	ck_assert_uint_eq(server.n_recv, n);
	ck_assert_uint_eq(n_relayed(&client), 2);
	stop();
}
END_TEST

START_TEST(relayed_until_it_is_reached)
{
	unsigned n = 0;

	network.is_calling = true;
	start();
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_CONNECTING);
	for (; n < 40; n++)
		send_and_check(&client, &server, 100 + n, n);
	ck_assert_uint_eq(n_relayed(&client), 41);
	/* Relayed messages that the server has not received come before those of the device. */
	for (; n < 45; n++)
		ck_assert_int_eq(send_number(&client, 100 + n, n), DOCA_SUCCESS);
	network.is_calling = false;
	progress(&client);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_UP);
	for (; n < 50; n++)
		ck_assert_int_eq(send_number(&client, 100 + n, n), DOCA_SUCCESS);
	progress(&client);
	for (unsigned i = 40; i < n; i++) {
		while (server.n_recv == i)
			(void)doca_pe_progress(server.pe);
		expect_last(&server, 100 + i, i);
	}
	stop();
}
END_TEST

#define N_MANY (REMOTE_RING_MAX + 2)

/*
 * A server has a limited number of remote rings, in both directions; further clients are relayed.
 */
START_TEST(more_than_there_can_be)
{
	static struct end clients[N_MANY];
	unsigned i;

	server_make(&server, "remote ring");
	server_start(&server);
	for (i = 0; i < N_MANY; i++) {
		client_make(&clients[i], "remote ring");
		client_connect(&clients[i], &server);
	}
	ck_assert_uint_eq(network.n_exports, 2 * REMOTE_RING_MAX);
	ck_assert_uint_eq(network.n_requesters, 2 * REMOTE_RING_MAX);
	for (i = 0; i < N_MANY; i++) {
		ck_assert_int_eq(send_number(&clients[i], 100, i), DOCA_SUCCESS);
		/* Idle connections are checked at intervals. */
		while (server.n_recv == i) {
			(void)doca_pe_progress(clients[i].pe);
			(void)doca_pe_progress(server.pe);
		}
		expect_last(&server, 100, i);
	}
	for (i = 0; i < N_MANY; i++) {
		end_stop(&clients[i]);
		end_free(&clients[i]);
	}
	end_stop(&server);
	end_free(&server);
	ck_assert_uint_eq(network.n_requesters, 0);
	ck_assert_uint_eq(network.n_exports, 0);
}
END_TEST

START_TEST(without_a_device)
{
	network.exists = false;
	start();
	ck_assert_ptr_null(client.conn->remote_ring);
	ck_assert_ptr_null(server.conn->remote_ring);
	expect_relayed();
	stop();
}
END_TEST

START_TEST(a_peer_that_refuses_is_relayed)
{
	network.refuses = true;
	start();
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_RELAYED);
	/* No resources are kept for it. */
	ck_assert_uint_eq(network.n_requesters, 0);
	ck_assert_ptr_null(client.conn->remote_ring->import);
	expect_relayed();
	stop();
}
END_TEST

/* The device exists, but not the network between them. */
START_TEST(an_unreachable_peer_is_relayed)
{
	network.is_calling = true;
	start();
	network.is_calling = false;
	network.next = DOCA_ERROR_IO_FAILED;
	progress(&client);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_RELAYED);
	progress_both(&client, &server);
	ck_assert_int_eq(state_of(&server), REMOTE_RING_TX_UP);
	exchange_beyond_queues();
	ck_assert_uint_eq(n_relayed(&client), 1 + 3 * QUEUE);
	ck_assert_uint_eq(n_relayed(&server), 2);
	stop();
}
END_TEST

/* The other end's queue is the credit. */
START_TEST(a_full_queue)
{
	unsigned n;

	start();
	n = send_all();
	progress(&client);
	ck_assert_int_eq(send_number(&client, 8, n), DOCA_ERROR_AGAIN);
	progress(&server);
	ck_assert_uint_eq(server.n_recv, n);
	while (send_number(&client, 8, n) == DOCA_ERROR_AGAIN)
		progress(&client);
	progress_both(&client, &server);
	expect_last(&server, 8, n);
	stop();
}
END_TEST

/* An end that replies has received the message, and the reply carries the new credit. */
START_TEST(an_answer_brings_room)
{
	unsigned n;

	start();
	n = send_all();
	progress(&client);
	progress(&server);
	send_and_check(&server, &client, 8, 0);
	ck_assert_int_eq(send_number(&client, 8, n), DOCA_SUCCESS);
	stop();
}
END_TEST

START_TEST(a_sleeper_is_woken)
{
	start();
	for (unsigned i = 0; i < 3; i++) {
		go_to_sleep(&server);
		ck_assert_int_eq(send_number(&client, 100, i), DOCA_SUCCESS);
		progress(&client);
		wake_up(&server);
		expect_last(&server, 100, i);
		/* A message of an end that sleeps and is woken by the reply. */
		ck_assert_int_eq(send_number(&client, 9, i), DOCA_SUCCESS);
		go_to_sleep(&client);
		progress(&server);
		ck_assert_int_eq(send_number(&server, 50, i), DOCA_SUCCESS);
		progress(&server);
		wake_up(&client);
		expect_last(&client, 50, i);
	}
	ck_assert_uint_ge(network.n_rings, 6);
	stop();
}
END_TEST

START_TEST(a_sleeper_hears_of_room)
{
	unsigned n;

	start();
	n = send_all();
	progress(&client);
	ck_assert_int_eq(send_number(&client, 8, n), DOCA_ERROR_AGAIN);
	progress(&client);
	progress(&server);
	ck_assert_uint_eq(server.n_recv, n);
	while (send_number(&client, 8, n) == DOCA_ERROR_AGAIN) {
		if (doca_pe_request_notification(client.pe) != DOCA_SUCCESS)
			continue;
		ck_assert(wakes(&client, 5000));
		ck_assert_int_eq(doca_pe_clear_notification(client.pe, 0), DOCA_SUCCESS);
		progress(&client);
	}
	stop();
}
END_TEST

/* A task ends when its message has arrived, and not before. */
START_TEST(a_task_waits_for_its_message)
{
	start();
	network.is_blocked = true;
	ck_assert_int_eq(send_number(&client, 100, 0), DOCA_SUCCESS);
	progress(&client);
	ck_assert_uint_eq(client.n_sent, 0);
	network.is_blocked = false;
	progress(&client);
	ck_assert_uint_eq(client.n_sent, 1);
	progress(&server);
	expect_last(&server, 100, 0);
	stop();
}
END_TEST

/*
 * A program whose task has ended may never progress again: the message has arrived, and a sleeping
 * receiver is woken.
 */
START_TEST(a_sender_without_tasks_need_not_progress)
{
	network.room = 1 + (uint32_t)_i;
	start();
	for (unsigned i = 0; i < 20; i++) {
		go_to_sleep(&server);
		ck_assert_int_eq(send_number(&client, 2500, i), DOCA_SUCCESS);
		while (client.n_sent == i)
			(void)doca_pe_progress(client.pe);
		network_complete_all();
		ck_assert(wakes(&server, 5000));
		wake_up(&server);
		ck_assert_uint_eq(server.n_recv, i + 1);
		expect_last(&server, 2500, i);
	}
	stop();
}
END_TEST

static void read_credit_at_once(void *arg)
{
	struct end *end = arg;
	unsigned before = end->n_recv;

	(void)doca_pe_progress(end->pe);
	if (end->n_recv != before)
		expect_last(end, 700, before);
}

/* A device may write words byte by byte: intermediate values are no message. */
START_TEST(commit_words_in_pieces)
{
	start();
	network.on_byte = read_credit_at_once;
	network.arg = &server;
	for (unsigned i = 0; i < 600; i++) {
		ck_assert_int_eq(send_number(&client, 700, i), DOCA_SUCCESS);
		progress_both(&client, &server);
		ck_assert_uint_eq(server.n_recv, i + 1);
		ck_assert_uint_eq(server.n_disconnects, 0);
	}
	stop();
}
END_TEST

/* An end that closes right after its last message has sent it. */
START_TEST(what_was_sent_before_the_end)
{
	start();
	for (unsigned i = 0; i < QUEUE; i++)
		ck_assert_int_eq(send_number(&client, 1000, i), DOCA_SUCCESS);
	ck_assert_int_ne(doca_ctx_stop(client.ctx), DOCA_ERROR_BAD_STATE);
	progress(&client);
	ck_assert_uint_eq(client.n_idle, 1);
	ck_assert_uint_eq(server.n_recv, 0);
	progress(&server);
	ck_assert_uint_eq(server.n_recv, QUEUE);
	expect_last(&server, 1000, QUEUE - 1);
	ck_assert_uint_eq(server.n_disconnects, 1);
	stop();
}
END_TEST

START_TEST(the_server_stops_behind_its_messages)
{
	start();
	for (unsigned i = 0; i < QUEUE; i++)
		ck_assert_int_eq(send_number(&server, 1000, i), DOCA_SUCCESS);
	end_stop(&server);
	progress(&client);
	ck_assert_uint_eq(client.n_recv, QUEUE);
	expect_last(&client, 1000, QUEUE - 1);
	ck_assert_uint_eq(client.n_idle, 1);
	stop();
}
END_TEST

/* A device that hangs does not delay a stop. */
START_TEST(a_stop_without_a_receiver)
{
	start();
	network.is_blocked = true;
	ck_assert_int_eq(send_number(&client, 1000, 0), DOCA_SUCCESS);
	end_stop(&client);
	progress(&server);
	ck_assert_uint_eq(server.n_recv, 0);
	ck_assert_uint_eq(server.n_disconnects, 1);
	/* Both ends know that the message was lost. */
	ck_assert_uint_eq(client.n_send_errors, 1);
	ck_assert_int_eq(server.conn->end_code, DOCA_ERROR_CONNECTION_RESET);
	stop();
}
END_TEST

#define N_CLIENTS 3u

/*
 * One client cannot be reached any more: the others get everything that the server sent before it
 * stopped.
 */
START_TEST(a_peer_that_does_not_progress_is_stopped)
{
	struct doca_comch_connection *conns[N_CLIENTS];
	struct end clients[N_CLIENTS];
	uint8_t bytes[1000] = {0};

	server_make(&server, "remote ring");
	server_start(&server);
	for (unsigned i = 0; i < N_CLIENTS; i++) {
		client_make(&clients[i], "remote ring");
		client_connect(&clients[i], &server);
		conns[i] = server.conn;
		ck_assert_int_eq(conns[i]->remote_ring->tx_state, REMOTE_RING_TX_UP);
	}
	network.room = 2;
	network_block(conns[_i]->remote_ring->requester);
	for (unsigned i = 0; i < N_CLIENTS * QUEUE; i++)
		ck_assert_int_eq(send_msg(&server, conns[i % N_CLIENTS], bytes, sizeof(bytes)),
				 DOCA_SUCCESS);
	end_stop(&server);
	ck_assert_uint_eq(server.n_send_errors, QUEUE);
	for (unsigned i = 0; i < N_CLIENTS; i++) {
		bool is_lost = i == (unsigned)_i;

		progress(&clients[i]);
		ck_assert_uint_eq(clients[i].n_recv, is_lost ? 0 : QUEUE);
		ck_assert_uint_eq(clients[i].n_idle, 1);
		ck_assert_int_eq(clients[i].conn->end_code,
				 is_lost ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS);
		end_free(&clients[i]);
	}
	end_free(&server);
}
END_TEST

/* A child inherits the rings of its parent and does not use them. */
START_TEST(a_child_sends_nothing)
{
	uint64_t n_msgs;
	int status;
	pid_t pid;

	start();
	n_msgs = client.conn->tx.n_msgs;
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(send_number(&client, 100, 0) == DOCA_ERROR_NOT_CONNECTED &&
				      client.conn->tx.n_msgs == n_msgs
			      ? 0
			      : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	send_and_check(&client, &server, 100, 1);
	stop();
}
END_TEST

static void await_disconnect(void)
{
	uint64_t until_ns = clock_now_ns() + 20 * NS_PER_SEC;

	while (server.n_disconnects == 0 || client.n_idle == 0) {
		ck_assert_uint_lt(clock_now_ns(), until_ns);
		progress(&client);
		progress(&server);
	}
}

/* The device fails. It is unknown what has arrived, so the connection ends at both ends. */
START_TEST(the_device_fails)
{
	start();
	send_and_check(&client, &server, 10, 0);
	network.next = DOCA_ERROR_IO_FAILED;
	ck_assert_int_eq(send_number(&client, 10, 1), DOCA_SUCCESS);
	await_disconnect();
	stop();
}
END_TEST

START_TEST(a_sleeper_sees_the_device_fail)
{
	uint64_t until_ns = clock_now_ns() + 20 * NS_PER_SEC;

	start();
	network.next = DOCA_ERROR_IO_FAILED;
	ck_assert_int_eq(send_number(&client, 10, 1), DOCA_SUCCESS);
	while (client.n_idle == 0) {
		ck_assert_uint_lt(clock_now_ns(), until_ns);
		progress(&client);
		if (client.n_idle != 0 || doca_pe_request_notification(client.pe) != DOCA_SUCCESS)
			continue;
		ck_assert(wakes(&client, 5000));
		ck_assert_int_eq(doca_pe_clear_notification(client.pe, 0), DOCA_SUCCESS);
	}
	stop();
}
END_TEST

/* The daemons' report comes first and is the reason. */
START_TEST(the_other_process_is_killed)
{
	start();
	send_and_check(&client, &server, 10, 0);
	ck_assert_int_eq(send_number(&client, 10, 1), DOCA_SUCCESS);
	progress(&client);
	fake_kill_client(0);
	progress(&server);
	ck_assert_uint_eq(server.n_recv, 2);
	ck_assert_uint_eq(server.n_disconnects, 1);
	stop();
}
END_TEST

static struct remote_ring_commit *commit_of_server(void)
{
	struct comch_remote_ring *remote_ring = server.conn->remote_ring;

	return &remote_ring->commits[remote_ring->n_admitted & (remote_ring->n_commits - 1)];
}

/* Forged commit records: the other end's connection ends, or a message within bounds arrives. */
START_TEST(forged_commits)
{
	static const struct {
		uint64_t header, len;
	} forged[] = {
		{0, 16},
		{9, 0},
		{9, 12},
		{9, UINT32_MAX},
		{(uint64_t)UINT32_MAX, 64},
		{MSG_MAX + 2, 64},
		{1ull << 40 | 9, 64},
		{(uint64_t)RING_MSG_REMOTE_RING << 32 | 1, 16},
	};
	uint64_t number;

	start();
	number = server.conn->remote_ring->n_admitted + 1;
	atomic_store(&commit_of_server()->header, forged[_i].header);
	atomic_store(&commit_of_server()->word, forged[_i].len << 32 | number);
	await_disconnect();
	ck_assert_uint_eq(server.n_recv, 0);
	stop();
}
END_TEST

START_TEST(forged_credit)
{
	struct channel_ring_ctl *ctl;
	doca_error_t result;

	start();
	ctl = &((struct remote_ring_header *)(void *)server.conn->remote_ring->export->memory.bytes)
		       ->ring;
	atomic_store(&ctl->consumed_pos, 1ull << 40);
	do {
		result = send_number(&client, 1000, 0);
		progress(&client);
	} while (result == DOCA_SUCCESS);
	/* The client has stopped, with an error of the message that it met. */
	ck_assert_int_eq(result, DOCA_ERROR_BAD_STATE);
	ck_assert_uint_ge(client.n_send_errors, 1);
	await_disconnect();
	stop();
}
END_TEST

/* Malformed messages between libraries. */
START_TEST(forged_commit_words)
{
	static const uint8_t junk[300];
	static const uint32_t lens[] = {0, 3, 8, 88, 300};
	uint32_t len = lens[_i];

	network.is_calling = true;
	start();
	ck_assert_int_eq(ring_producer_room(&client.conn->tx, len), 1);
	memcpy(ring_producer_payload(&client.conn->tx), junk, len);
	(void)ring_producer_publish(&client.conn->tx, len, RING_MSG_REMOTE_RING);
	progress(&server);
	/* An empty message: later messages come by the device, and none does. */
	ck_assert_uint_eq(server.n_disconnects, len == 0 ? 0 : 1);
	if (len == 0) {
		(void)ring_producer_publish(&client.conn->tx, 0, RING_MSG_REMOTE_RING);
		progress(&server);
		ck_assert_uint_eq(server.n_recv, 0);
	}
	progress_both(&client, &server);
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch mirror");
	TCase *tcase = unit_case(suite, "messages", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, network_up, tear_down);
	tcase_add_test(tcase, messages_bypass_the_daemons);
	tcase_add_test(tcase, batches);
	tcase_add_test(tcase, relayed_until_it_is_reached);
	tcase_add_test(tcase, more_than_there_can_be);
	tcase_add_test(tcase, without_a_device);
	tcase_add_test(tcase, a_peer_that_refuses_is_relayed);
	tcase_add_test(tcase, an_unreachable_peer_is_relayed);
	tcase_add_test(tcase, a_full_queue);
	tcase_add_test(tcase, an_answer_brings_room);
	tcase_add_test(tcase, a_sleeper_is_woken);
	tcase_add_test(tcase, a_sleeper_hears_of_room);
	tcase_add_test(tcase, a_task_waits_for_its_message);
	tcase_add_loop_test(tcase, a_sender_without_tasks_need_not_progress, 0, 6);
	tcase_add_test(tcase, commit_words_in_pieces);
	tcase = unit_case(suite, "ends", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, network_up, tear_down);
	tcase_add_test(tcase, what_was_sent_before_the_end);
	tcase_add_test(tcase, the_server_stops_behind_its_messages);
	tcase_add_test(tcase, a_stop_without_a_receiver);
	tcase_add_loop_test(tcase, a_peer_that_does_not_progress_is_stopped, 0, N_CLIENTS);
	tcase_add_test(tcase, a_child_sends_nothing);
	tcase_add_test(tcase, the_device_fails);
	tcase_add_test(tcase, a_sleeper_sees_the_device_fail);
	tcase_add_test(tcase, the_other_process_is_killed);
	tcase = unit_case(suite, "forged", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, network_up, tear_down);
	tcase_add_loop_test(tcase, forged_commits, 0, 8);
	tcase_add_test(tcase, forged_credit);
	tcase_add_loop_test(tcase, forged_commit_words, 0, 5);
	return unit_run(suite);
}
