/*
 * Comch engine with honest peers: configuration, life cycle, messages, back-pressure, sleep and
 * wake-up, a hundred clients.
 */
#include <dococ.h>

#include <doca_comch_producer.h>

#include "tests/unit/client/comch/ends.h"

START_TEST(test_echo)
{
	struct end server, client;
	uint64_t value;
	unsigned i;

	server_make(&server, "echo");
	server.echo = true;
	server_start(&server);
	client_make(&client, "echo");
	client_connect(&client, &server);
	ck_assert_uint_eq(server.n_connects, 1);
	for (i = 1; i <= 300; i++) {
		uint8_t msg[300];

		memset(msg, (int)i, sizeof(msg));
		ck_assert_int_eq(send_msg(&client, client.conn, msg, i), DOCA_SUCCESS);
		progress_both(&server, &client);
		ck_assert_uint_eq(client.n_recv, i);
		ck_assert_uint_eq(client.last_len, i);
		ck_assert_mem_eq(client.last, msg, i);
	}
	ck_assert_uint_eq(server.n_sent, 300);
	ck_assert_int_eq(doca_comch_connection_update_info(client.conn), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_connection_get_counter(
				 client.conn, DOCA_COMCH_COUNTER_SENT_MESSAGES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 300);
	ck_assert_int_eq(doca_comch_connection_get_counter(client.conn,
							   DOCA_COMCH_COUNTER_RECV_BYTES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 300 * 301 / 2);
	end_stop(&client);
	progress(&server);
	ck_assert_uint_eq(server.n_disconnects, 1);
	ck_assert_int_eq(server.info_at_disconnect, DOCA_ERROR_CONNECTION_ABORTED);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

/* The server replies and stops in the completion callback; the reply must arrive all the same. */
START_TEST(test_stop_in_callbacks)
{
	struct end server, client;

	server_make(&server, "pong");
	server.echo = server.stop_on_sent = server.destroy_on_idle = true;
	server_start(&server);
	client_make(&client, "pong");
	client.stop_on_recv = client.destroy_on_idle = true;
	client_connect(&client, &server);
	ck_assert_int_eq(send_msg(&client, client.conn, "ping", 4), DOCA_SUCCESS);
	progress(&client);
	progress(&server);
	ck_assert_uint_eq(server.n_idle, 1);
	ck_assert_uint_eq(server.n_disconnects, 1);
	progress(&client);
	ck_assert_uint_eq(client.n_recv, 1);
	ck_assert_mem_eq(client.last, "ping", 4);
	ck_assert_uint_eq(client.n_idle, 1);
	ck_assert(server.destroyed && client.destroyed);
	end_free(&client);
	end_free(&server);
}
END_TEST

START_TEST(test_stop_with_sends_in_flight)
{
	struct end server, client;
	unsigned i;

	server_make(&server, "flight");
	server_start(&server);
	client_make(&client, "flight");
	client_connect(&client, &server);
	for (i = 0; i < 10; i++)
		ck_assert_int_eq(send_msg(&client, client.conn, "abc", 3), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_int_eq(send_msg(&client, client.conn, "abc", 3), DOCA_ERROR_BAD_STATE);
	progress_both(&client, &server);
	ck_assert_uint_eq(client.n_sent, 10);
	ck_assert_uint_eq(client.n_send_errors, 0);
	ck_assert_uint_eq(client.n_idle, 1);
	ck_assert_uint_eq(server.n_recv, 10);
	ck_assert_uint_eq(server.n_disconnects, 1);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

START_TEST(test_reject)
{
	struct end server, client;

	server_make(&server, "busy");
	server.reject = true;
	server_start(&server);
	client_make(&client, "busy");
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	progress_both(&server, &client);
	ck_assert_uint_eq(server.n_disconnects, 0);
	ck_assert_uint_eq(client.n_idle, 1);
	/* An idle client can be started again. */
	server.reject = false;
	client.n_running = 0;
	client_connect(&client, &server);
	ck_assert_uint_eq(server.n_connects, 2);
	end_stop(&client);
	progress(&server);
	ck_assert_uint_eq(server.n_disconnects, 1);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

/*
 * A client whose server ends the connection in its connection callback: it is RUNNING for one step,
 * for programs that wait for that state, and messages that it sends then fail.
 */
START_TEST(test_turned_away_runs)
{
	struct end server, client;
	struct doca_comch_producer *producer;

	server_make(&server, "full");
	server.reject = true;
	server_start(&server);
	client_make(&client, "full");
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	progress(&server);
	ck_assert_uint_eq(server.n_connects, 1);
	/* The daemon has dropped it, too. */
	fake_lie = FAKE_LIE_REFUSE_FETCH;
	while (client.n_running == 0)
		doca_pe_progress(client.pe);
	ck_assert_uint_eq(client.n_idle, 0);
	ck_assert_int_eq(doca_comch_client_get_connection(client.client, &client.conn),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_producer_create(client.conn, &producer), DOCA_ERROR_BAD_STATE);
	ck_assert_int_eq(send_msg(&client, client.conn, "x", 1), DOCA_SUCCESS);
	progress(&client);
	ck_assert_uint_eq(client.n_send_errors, 1);
	ck_assert_int_eq(client.send_error, DOCA_ERROR_NOT_CONNECTED);
	ck_assert_uint_eq(client.n_idle, 1);
	ck_assert_uint_eq(client.n_running, 1);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

enum dropped { DROP_UP, DROP_IN_RECV, DROP_DRAINING, DROP_DOWN, DROP_THEN_STOP, N_DROPPED };

/*
 * A server that ends a connection, in each of its states, gets no further event of it: no waiting
 * message, no disconnect. The client stops by itself, and another one takes its place.
 */
START_TEST(test_disconnect_is_not_reported)
{
	struct end server, client, next;

	server_make(&server, "drops");
	server_start(&server);
	client_make(&client, "drops");
	client_connect(&client, &server);
	ck_assert_int_eq(send_msg(&client, client.conn, "a", 1), DOCA_SUCCESS);
	ck_assert_int_eq(send_msg(&client, client.conn, "b", 1), DOCA_SUCCESS);
	server.disconnect_on_recv = _i == DROP_IN_RECV;
	if (_i == DROP_DRAINING || _i == DROP_DOWN)
		end_stop(&client);
	if (_i == DROP_DRAINING)
		while (server.conn->state == COMCH_UP)
			doca_pe_progress(server.pe);
	if (_i == DROP_DOWN)
		while (server.conn->state != COMCH_DOWN)
			doca_pe_progress(server.pe);
	ck_assert_uint_eq(server.n_disconnects, 0);
	if (_i != DROP_IN_RECV)
		ck_assert_int_eq(doca_comch_server_disconnect(server.server, server.conn),
				 DOCA_SUCCESS);
	server.n_recv = 0;
	if (_i == DROP_THEN_STOP)
		end_stop(&server);
	progress_both(&server, &client);
	ck_assert_uint_eq(server.n_recv, _i == DROP_IN_RECV ? 1 : 0);
	ck_assert_uint_eq(server.n_disconnects, 0);
	ck_assert_uint_eq(client.n_idle, 1);
	if (_i != DROP_THEN_STOP) {
		server.disconnect_on_recv = false;
		client_make(&next, "drops");
		client_connect(&next, &server);
		end_stop(&next);
		end_free(&next);
		progress(&server);
		ck_assert_uint_eq(server.n_disconnects, 1);
		end_stop(&server);
	}
	end_free(&client);
	end_free(&server);
}
END_TEST

START_TEST(test_no_server)
{
	struct end client;

	client_make(&client, "nobody");
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_int_eq(doca_comch_client_get_connection(client.client, &client.conn),
			 DOCA_ERROR_BAD_STATE);
	progress(&client);
	ck_assert_uint_eq(client.n_running, 0);
	ck_assert_uint_eq(client.n_idle, 1);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "start a server of that name"));
	fake_refuse = DOCA_ERROR_NOT_PERMITTED;
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_NOT_PERMITTED);
	fake_refuse = 0;
	end_free(&client);
}
END_TEST

START_TEST(test_stop_while_connecting)
{
	struct end server, client;

	server_make(&server, "slow");
	server_start(&server);
	client_make(&client, "slow");
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	end_stop(&client);
	ck_assert_uint_eq(client.n_running, 0);
	progress(&server);
	/* The server may have got the client's event before the client left. */
	ck_assert_uint_eq(server.n_connects, server.n_disconnects);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

START_TEST(test_back_pressure)
{
	struct end server, client;
	unsigned n = 0;

	server_make(&server, "full");
	ck_assert_int_eq(doca_comch_server_set_recv_queue_size(server.server, 8), DOCA_SUCCESS);
	server_start(&server);
	client_make(&client, "full");
	client_connect(&client, &server);
	while (send_msg(&client, client.conn, "12345678", 8) == DOCA_SUCCESS)
		n++;
	ck_assert_uint_eq(n, 8);
	ck_assert_int_eq(send_msg(&client, client.conn, "12345678", 8), DOCA_ERROR_AGAIN);
	progress(&client);
	ck_assert_int_eq(send_msg(&client, client.conn, "12345678", 8), DOCA_ERROR_AGAIN);
	progress(&server);
	ck_assert_uint_eq(server.n_recv, 8);
	ck_assert_int_eq(send_msg(&client, client.conn, "12345678", 8), DOCA_SUCCESS);
	progress_both(&client, &server);
	ck_assert_uint_eq(server.n_recv, 9);
	end_stop(&client);
	end_stop(&server);
	end_free(&client);
	end_free(&server);
}
END_TEST

START_TEST(test_sleep)
{
	struct end server, client;
	unsigned n = 0;

	server_make(&server, "sleepy");
	ck_assert_int_eq(doca_comch_server_set_recv_queue_size(server.server, 4), DOCA_SUCCESS);
	server_start(&server);
	go_to_sleep(&server);
	client_make(&client, "sleepy");
	ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	go_to_sleep(&client);
	wake_up(&server);
	ck_assert_uint_eq(server.n_connects, 1);
	wake_up(&client);
	ck_assert_uint_eq(client.n_running, 1);
	ck_assert_int_eq(doca_comch_client_get_connection(client.client, &client.conn),
			 DOCA_SUCCESS);

	/* A message wakes it. */
	go_to_sleep(&server);
	ck_assert_int_eq(send_msg(&client, client.conn, "a", 1), DOCA_SUCCESS);
	wake_up(&server);
	ck_assert_uint_eq(server.n_recv, 1);

	/* A message between the last progress call and arming wakes it, too. */
	progress(&server);
	ck_assert_int_eq(send_msg(&client, client.conn, "b", 1), DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_request_notification(server.pe), DOCA_SUCCESS);
	wake_up(&server);
	ck_assert_uint_eq(server.n_recv, 2);

	/* Room wakes an end that met a full ring. */
	progress(&client);
	while (send_msg(&client, client.conn, "c", 1) == DOCA_SUCCESS)
		n++;
	ck_assert_uint_eq(n, 4);
	go_to_sleep(&client);
	progress(&server);
	wake_up(&client);
	ck_assert_int_eq(send_msg(&client, client.conn, "d", 1), DOCA_SUCCESS);
	progress_both(&server, &client);

	/* The end of the connection wakes it. */
	go_to_sleep(&client);
	end_stop(&server);
	wake_up(&client);
	ck_assert_uint_eq(client.n_idle, 1);
	end_free(&client);
	end_free(&server);
}
END_TEST

#define N_MANY 100

START_TEST(test_many_clients)
{
	static struct end clients[N_MANY];
	struct end server;
	unsigned i, round;

	server_make(&server, "many");
	server_start(&server);
	for (i = 0; i < N_MANY; i++) {
		client_make(&clients[i], "many");
		client_connect(&clients[i], &server);
	}
	ck_assert_uint_eq(server.n_connects, N_MANY);
	/* After a long silence nearly all connections are idle. */
	for (i = 0; i < 5000; i++)
		ck_assert_uint_eq(doca_pe_progress(server.pe), 0);
	for (round = 0; round < 3; round++) {
		server.n_recv = 0;
		for (i = 0; i < N_MANY; i++)
			ck_assert_int_eq(send_msg(&clients[i], clients[i].conn, "m", 1),
					 DOCA_SUCCESS);
		for (i = 0; i < 5000 && server.n_recv < N_MANY; i++)
			doca_pe_progress(server.pe);
		ck_assert_uint_eq(server.n_recv, N_MANY);
		for (i = 0; i < N_MANY; i++)
			progress(&clients[i]);
		for (i = 0; i < 5000; i++)
			doca_pe_progress(server.pe);
	}
	/* A message on an idle connection wakes a sleeper, twice. */
	for (round = 0; round < 2; round++) {
		server.n_recv = 0;
		go_to_sleep(&server);
		ck_assert_int_eq(send_msg(&clients[7], clients[7].conn, "w", 1), DOCA_SUCCESS);
		ck_assert(wakes(&server, 5000));
		ck_assert_int_eq(doca_pe_clear_notification(server.pe, 0), DOCA_SUCCESS);
		for (i = 0; i < 200 && server.n_recv == 0; i++)
			doca_pe_progress(server.pe);
		ck_assert_uint_eq(server.n_recv, 1);
		progress(&clients[7]);
		for (i = 0; i < 5000; i++)
			doca_pe_progress(server.pe);
	}
	/* Half of the clients leave by themselves; the server disconnects the others. */
	for (i = 0; i < N_MANY; i += 2)
		end_stop(&clients[i]);
	for (i = 0; i < 1000; i++)
		doca_pe_progress(server.pe);
	ck_assert_uint_eq(server.n_disconnects, N_MANY / 2);
	fake_n_closes = 0;
	ck_assert_int_eq(doca_ctx_stop(server.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_uint_eq(fake_n_closes, 1);
	progress(&server);
	ck_assert_uint_eq(server.n_disconnects, N_MANY);
	ck_assert_uint_eq(server.n_idle, 1);
	for (i = 0; i < N_MANY; i++) {
		progress(&clients[i]);
		ck_assert_uint_eq(clients[i].n_idle, 1);
		end_free(&clients[i]);
	}
	end_free(&server);
}
END_TEST

START_TEST(test_configuration)
{
	struct doca_comch_server *server = NULL;
	struct doca_comch_client *client = NULL;
	struct end end, peer;
	struct doca_comch_task_send *tasks[N_TASKS];
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	uint32_t u32;
	const char *too_long = "0123456789abcdef0123456789abcdef";

	ck_assert_int_eq(doca_comch_server_create(&fake_dpu, &fake_rep, "", &server),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_comch_server_create(&fake_dpu, &fake_rep, too_long, &server),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_comch_server_create(&fake_host, &fake_rep, "s", &server),
			 DOCA_ERROR_INITIALIZATION);
	ck_assert_int_eq(doca_comch_client_create(&fake_dpu, "c", &client),
			 DOCA_ERROR_INITIALIZATION);
	ck_assert_ptr_null(server);
	ck_assert_ptr_null(client);
	server_make(&end, too_long + 1);
	ck_assert_int_eq(doca_comch_server_get_device(end.server, &dev), DOCA_SUCCESS);
	ck_assert_ptr_eq(dev, &fake_dpu);
	ck_assert_int_eq(doca_comch_server_get_device_rep(end.server, &rep), DOCA_SUCCESS);
	ck_assert_ptr_eq(rep, &fake_rep);
	ck_assert_int_eq(doca_comch_server_get_max_msg_size(end.server, &u32), DOCA_SUCCESS);
	ck_assert_uint_eq(u32, COMCH_DEFAULT_MSG_SIZE);
	ck_assert_int_eq(doca_comch_server_set_max_msg_size(end.server, 0),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_comch_server_set_max_msg_size(end.server, (1u << 20) + 1),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_comch_server_set_max_msg_size(end.server, 1u << 20), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_server_set_recv_queue_size(end.server, 1025),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(
		doca_comch_server_task_send_set_conf(end.server, on_sent, on_send_error, 4097),
		DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(
		doca_comch_server_event_consumer_register(end.server, on_consumer, on_consumer),
		DOCA_SUCCESS);
	server_start(&end);
	ck_assert_int_eq(doca_comch_server_destroy(end.server), DOCA_ERROR_IN_USE);
	ck_assert_int_eq(doca_comch_server_set_max_msg_size(end.server, 64), DOCA_ERROR_BAD_STATE);
	ck_assert_int_eq(doca_comch_server_event_msg_recv_register(end.server, on_recv),
			 DOCA_ERROR_BAD_STATE);
	client_make(&peer, too_long + 1);
	ck_assert_int_eq(doca_comch_client_set_max_msg_size(peer.client, 100), DOCA_SUCCESS);
	client_connect(&peer, &end);
	/* The smaller of both limits applies on both sides. */
	ck_assert_int_eq(send_msg(&end, end.conn, end.last, 101), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(send_msg(&end, end.conn, end.last, 0), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(send_msg(&end, end.conn, end.last, 100), DOCA_SUCCESS);
	/* An end cannot use the other end's connection. */
	ck_assert_int_eq(send_msg(&end, peer.conn, "x", 1), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_comch_server_disconnect(end.server, peer.conn),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_ptr_null(doca_comch_server_get_server_ctx(peer.conn));
	ck_assert_ptr_null(doca_comch_client_get_client_ctx(end.conn));
	progress_both(&end, &peer);
	for (u32 = 0; u32 < N_TASKS; u32++)
		ck_assert_int_eq(doca_comch_client_task_send_alloc_init(peer.client, peer.conn, "x",
									1, &tasks[u32]),
				 DOCA_SUCCESS);
	ck_assert_int_eq(
		doca_comch_client_task_send_alloc_init(peer.client, peer.conn, "x", 1, &tasks[0]),
		DOCA_ERROR_NO_MEMORY);
	for (u32 = 0; u32 < N_TASKS; u32++)
		doca_task_free(doca_comch_task_send_as_task(tasks[u32]));
	end_stop(&peer);
	end_stop(&end);
	end_free(&peer);
	end_free(&end);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch");
	TCase *tcase = unit_case(suite, "comch", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_echo);
	tcase_add_test(tcase, test_stop_in_callbacks);
	tcase_add_test(tcase, test_stop_with_sends_in_flight);
	tcase_add_test(tcase, test_reject);
	tcase_add_test(tcase, test_turned_away_runs);
	tcase_add_loop_test(tcase, test_disconnect_is_not_reported, 0, N_DROPPED);
	tcase_add_test(tcase, test_no_server);
	tcase_add_test(tcase, test_stop_while_connecting);
	tcase_add_test(tcase, test_back_pressure);
	tcase_add_test(tcase, test_sleep);
	tcase_add_test(tcase, test_many_clients);
	tcase_add_test(tcase, test_configuration);
	return unit_run(suite);
}
