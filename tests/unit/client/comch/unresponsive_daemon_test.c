/*
 * Comch engine with a daemon that reads requests and does not answer: progress does not wait for
 * it, and nothing is lost.
 */
#include <poll.h>

#include "client/comch/connection/client.h"
#include "client/comch/connection/server.h"
#include "client/control/rpc.h"
#include "tests/unit/client/comch/fast_ends.h"

/* Creates a server with one client. */
static void unresponsive_make(struct end *server, struct end *client)
{
	server_make(server, "unresponsive");
	server_start(server);
	client_make(client, "unresponsive");
	client_connect(client, server);
	server->echo = true;
}

static void unresponsive_free(struct end *server, struct end *client)
{
	if (client->n_idle == 0)
		end_stop(client);
	if (server->n_idle == 0)
		end_stop(server);
	end_free(client);
	end_free(server);
}

static void ck_talks(struct end *server, struct end *client)
{
	unsigned n = client->n_recv;

	ck_assert_int_eq(send_msg(client, client->conn, "on", 2), DOCA_SUCCESS);
	progress(server);
	progress(client);
	ck_assert_uint_eq(client->n_recv, n + 1);
}

static void client_begin(struct end *client)
{
	client_make(client, "unresponsive");
	ck_assert_int_eq(doca_ctx_start(client->ctx), DOCA_ERROR_IN_PROGRESS);
}

static void ck_connected(struct end *server, struct end *client, unsigned n_connects)
{
	ck_assert_uint_eq(server->n_connects, n_connects);
	ck_assert_uint_eq(client->n_running, 1);
	ck_assert_int_eq(doca_comch_client_get_connection(client->client, &client->conn),
			 DOCA_SUCCESS);
	ck_talks(server, client);
}

/* An answer that no request waits for is dropped. */
static void replies_arrive(void)
{
	fake_is_unresponsive = false;
	rpc_lock();
	rpc_receive_locked();
	rpc_unlock();
}

/* _i & 1: the program sleeps; _i & 2: another request's call reads the answer. */
START_TEST(a_connection_is_announced)
{
	struct end server, client, late;

	unresponsive_make(&server, &client);
	fake_n_waits = 0;
	fake_is_unresponsive = true;
	client_begin(&late);
	progress(&server);
	ck_assert_uint_eq(server.n_connects, 1);
	ck_talks(&server, &client);
	if (_i & 1)
		go_to_sleep(&server);
	if (_i & 2)
		replies_arrive();
	else
		fake_respond();
	if (_i & 1)
		wake_up(&server);
	progress_both(&server, &late);
	ck_connected(&server, &late, 2);
	ck_assert_uint_eq(fake_n_waits, 1);
	end_stop(&late);
	end_free(&late);
	unresponsive_free(&server, &client);
}
END_TEST

/*
 * A program arms a comm channel once for each of its descriptors. A reply that the second call
 * reads wakes the thread that sleeps on the first descriptor.
 */
START_TEST(a_reply_is_read_while_arming_again)
{
	struct end server, client, late;
	struct doca_ctx *ctx;
	struct pollfd pollfd = {.events = POLLIN};

	unresponsive_make(&server, &client);
	ctx = &server.server->base.ctx;
	pollfd.fd = ctx->pe->epoll_fd;
	fake_is_unresponsive = true;
	client_begin(&late);
	progress(&server);
	ck_assert(!ctx->ops->arm(ctx));
	ck_assert_int_eq(poll(&pollfd, 1, 0), 0);
	fake_is_unresponsive = false;
	ck_assert(ctx->ops->arm(ctx));
	ck_assert_int_eq(poll(&pollfd, 1, 0), 1);
	ctx->ops->disarm(ctx);
	ck_assert_int_eq(pe_clear_events(ctx->pe), 0);
	progress_both(&server, &late);
	ck_connected(&server, &late, 2);
	end_stop(&late);
	end_free(&late);
	unresponsive_free(&server, &client);
}
END_TEST

/* The same for the client. */
START_TEST(a_client_waits)
{
	struct end server, client;

	server_make(&server, "unresponsive");
	server_start(&server);
	server.echo = true;
	client_begin(&client);
	progress(&server);
	ck_assert_uint_eq(server.n_connects, 1);
	fake_is_unresponsive = true;
	progress(&client);
	ck_assert_uint_eq(client.n_running + client.n_idle, 0);
	if (_i == 1) {
		/* The next daemon gets the request for the connection again. */
		fake_restart();
		progress_both(&server, &client);
	} else if (_i == 2) {
		end_stop(&client);
		replies_arrive();
		client.n_idle = 0;
		ck_assert_int_eq(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
		progress_both(&server, &client);
	}
	fake_is_unresponsive = false;
	progress_both(&server, &client);
	ck_connected(&server, &client, _i == 0 ? 1 : 2);
	unresponsive_free(&server, &client);
}
END_TEST

/*
 * The daemon ends before the request, or before its answer, and the next daemon takes some time to
 * start: the client looks for it, also while its program sleeps. Or there is no next daemon.
 */
START_TEST(a_client_waits_for_the_next_daemon)
{
	struct end server, client;
	struct comch_fetch *fetch;

	server_make(&server, "unresponsive");
	server_start(&server);
	server.echo = true;
	client_begin(&client);
	fetch = &client.client->base.fetch;
	progress(&server);
	fake_is_unresponsive = true;
	/* One poll reads the event, and another sends the request. */
	while (fetch->channel_id == 0)
		doca_pe_progress(client.pe);
	if (_i & 1)
		progress(&client);
	if (_i & 1)
		go_to_sleep(&client);
	fake_end_daemon(_i & 2 ? 1000 : 2);
	if (_i & 1)
		wake_up(&client);
	else
		progress(&client);
	ck_assert_uint_eq(client.n_running + client.n_idle, 0);
	go_to_sleep(&client);
	/* Pretends that the request was sent long ago. */
	if (_i & 2)
		fetch->give_up_ns = 1;
	wake_up(&client);
	fake_is_unresponsive = false;
	if (_i & 2) {
		ck_assert_uint_eq(client.n_idle, 1);
		ck_assert_ptr_nonnull(strstr(dococ_last_error(), "no other was there"));
		fake_restart();
	} else {
		progress_both(&server, &client);
		ck_connected(&server, &client, 2);
	}
	unresponsive_free(&server, &client);
}
END_TEST

/* The server stops, or the daemon restarts, before the answer. */
START_TEST(a_connection_is_awaited_in_vain)
{
	struct end server, client, late;

	unresponsive_make(&server, &client);
	fake_is_unresponsive = true;
	client_begin(&late);
	progress(&server);
	if (_i == 0) {
		end_stop(&server);
		replies_arrive();
		progress(&client);
		progress(&late);
		ck_assert_uint_eq(client.n_idle, 1);
	} else {
		fake_restart();
		progress_both(&server, &late);
		ck_assert_uint_eq(server.n_failed_connects, 1);
		ck_connected(&server, &late, 2);
		ck_talks(&server, &client);
	}
	if (late.n_idle == 0)
		end_stop(&late);
	end_free(&late);
	unresponsive_free(&server, &client);
}
END_TEST

/* --- consumers --- */

static void consumer_begin(struct sink *sink, struct end *end)
{
	sink_make(sink, end, true, FAST_TASKS);
	sink_start(sink);
	sink_post(sink, 0, 100, 0);
}

/* A consumer of the server's or the client's peer: its event comes after the answer, in order. */
START_TEST(a_consumer_is_announced)
{
	struct end server, client, *notified = _i ? &client : &server,
				   *with = _i ? &server : &client;
	struct source source;
	struct sink sink;

	unresponsive_make(&server, &client);
	with->conn = _i ? server.conn : client.conn;
	notified->conn = _i ? client.conn : server.conn;
	source_make(&source, notified);
	fake_is_unresponsive = true;
	fake_n_waits = 0;
	consumer_begin(&sink, with);
	progress(notified);
	ck_assert_uint_eq(notified->n_new, 0);
	ck_talks(&server, &client);
	ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_ERROR_NOT_FOUND);
	go_to_sleep(notified);
	fake_respond();
	wake_up(notified);
	ck_assert_uint_eq(notified->n_new, 1);
	ck_assert_uint_eq(notified->last_new, sink.id);
	ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_SUCCESS);
	pe_run(sink.pe);
	ck_assert_uint_eq(sink.n_recv, 1);
	ck_assert_uint_eq(fake_n_waits, 1);
	sink_stop(&sink);
	progress(notified);
	ck_assert_uint_eq(notified->n_expired, 1);
	sink_free(&sink);
	source_free(&source);
	unresponsive_free(&server, &client);
}
END_TEST

/*
 * Events while the consumer is awaited: it ends, its connection ends, the program ends the
 * connection, the server stops, or the daemon restarts.
 */
START_TEST(a_consumer_is_awaited_in_vain)
{
	struct end server, client, next;
	struct sink sink;

	unresponsive_make(&server, &client);
	fake_is_unresponsive = true;
	consumer_begin(&sink, &client);
	progress(&server);
	ck_assert_uint_eq(server.n_new, 0);
	if (_i == 0)
		sink_stop(&sink);
	else if (_i == 1)
		end_stop(&client);
	else if (_i == 2)
		ck_assert_int_eq(doca_comch_server_disconnect(server.server, server.conn),
				 DOCA_SUCCESS);
	else if (_i == 3)
		end_stop(&server);
	else
		fake_restart();
	progress(&server);
	fake_is_unresponsive = false;
	replies_arrive();
	progress(&server);
	/*
	 * The program gets events of all consumers except those that it ended itself. Whether the
	 * daemon that ended still had the consumer is unknown, so it counts as one that could not
	 * be fetched.
	 */
	ck_assert_uint_eq(server.n_new, _i == 2 || _i == 3 ? 0 : 1);
	ck_assert_uint_eq(server.n_expired, _i < 2 ? 1 : 0);
	ck_assert_uint_eq(server.n_disconnects, _i == 1 || _i == 3 ? 1 : 0);
	if (_i != 3) {
		/* The new connection reuses the memory of the one that ended. */
		client_begin(&next);
		progress_both(&server, &next);
		ck_connected(&server, &next, 2);
		end_stop(&next);
		end_free(&next);
	}
	progress(&client);
	pe_run(sink.pe);
	if (sink.n_idle == 0)
		sink_stop(&sink);
	sink_free(&sink);
	unresponsive_free(&server, &client);
}
END_TEST

/* A consumer on another machine, whose slots are imported in addition. */
START_TEST(a_remote_consumer_comes)
{
	struct end server, client;
	struct sink sink;

	unresponsive_make(&server, &client);
	server.conn->link->is_remote = fake_is_remote = true;
	fake_refuse_import = DOCA_ERROR_NO_MEMORY;
	consumer_begin(&sink, &client);
	fake_n_waits = 0;
	/* The fetch is answered and names what must be imported. */
	while (server.server->base.fetch.lookup.importing == NULL)
		doca_pe_progress(server.pe);
	fake_is_unresponsive = true;
	progress(&server);
	ck_assert_uint_eq(server.n_new, 0);
	ck_talks(&server, &client);
	if (_i == 0) {
		go_to_sleep(&server);
		fake_respond();
		wake_up(&server);
		/* A failure for lack of resources may be temporary. */
		ck_assert_uint_eq(server.n_new, 1);
	} else {
		end_stop(&server);
		replies_arrive();
	}
	ck_assert_uint_eq(fake_n_waits, _i == 0 ? 0 : 1);
	if (_i == 1)
		progress(&client);
	pe_run(sink.pe);
	if (sink.n_idle == 0)
		sink_stop(&sink);
	sink_free(&sink);
	unresponsive_free(&server, &client);
}
END_TEST

/* Both ends, the server with a producer, and consumers on another machine. */
static void remote_ends_make(struct end *server, struct end *client, struct source *source)
{
	unresponsive_make(server, client);
	server->conn->link->is_remote = fake_is_remote = true;
	source_make(source, server);
}

static void remote_ends_free(struct end *server, struct end *client, struct source *source,
			     struct sink *sink)
{
	source_free(source);
	end_stop(server);
	progress(client);
	pe_run(sink->pe);
	if (sink->n_idle == 0)
		sink_stop(sink);
	sink_free(sink);
	unresponsive_free(server, client);
}

/*
 * The daemon returns a consumer only once. If only the import failed, the import alone is repeated
 * until it succeeds; the simulated adoption here (comch_near.c) then refuses the consumer.
 */
START_TEST(a_remote_consumer_is_imported_again)
{
	struct end server, client;
	struct source source;
	struct sink sink;

	remote_ends_make(&server, &client, &source);
	fake_refuse_import = DOCA_ERROR_AGAIN;
	consumer_begin(&sink, &client);
	progress(&server);
	ck_assert_uint_eq(server.n_new, 1);
	ck_assert_uint_eq(fake_n_imports, 1);
	fake_refuse_import = DOCA_ERROR_NOT_CONNECTED;
	ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_ERROR_NOT_CONNECTED);
	ck_assert_uint_eq(fake_n_imports, 2);
	fake_is_unresponsive = true;
	ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_ERROR_AGAIN);
	if (_i == 1)
		sink_stop(&sink);
	fake_is_unresponsive = false;
	fake_refuse_import = 0;
	if (_i == 0) {
		ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_ERROR_UNEXPECTED);
		ck_assert_ptr_nonnull(strstr(dococ_last_error(), "it is on another machine"));
		ck_assert_uint_eq(fake_n_imports, 3);
	}
	replies_arrive();
	progress(&server);
	ck_assert_uint_eq(server.n_expired, _i == 1 ? 1 : 0);
	remote_ends_free(&server, &client, &source, &sink);
}
END_TEST

/* A daemon that returns a consumer without its description: no import is repeated. */
START_TEST(a_remote_consumer_is_not_described)
{
	struct end server, client;
	struct source source;
	struct sink sink;

	remote_ends_make(&server, &client, &source);
	fake_refuse_fetch = DOCA_ERROR_NO_MEMORY;
	consumer_begin(&sink, &client);
	progress(&server);
	ck_assert_uint_eq(server.n_new, 1);
	fake_refuse_fetch = 0;
	fake_lie = FAKE_LIE_CONSUMER;
	ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_ERROR_UNEXPECTED);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "did not describe it"));
	ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_ERROR_NO_MEMORY);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "describes it only once"));
	ck_assert_uint_eq(fake_n_imports, 0);
	sink_stop(&sink);
	remote_ends_free(&server, &client, &source, &sink);
}
END_TEST

/*
 * A consumer that could not be adopted is requested again by a producer that sends to it, while the
 * daemon does not answer.
 */
START_TEST(a_consumer_is_sent_to_again)
{
	struct end server, client;
	struct comch_link *link;
	struct source source;
	struct sink sink;

	unresponsive_make(&server, &client);
	link = comch_link_ref(server.conn->link);
	source_make(&source, &server);
	fake_refuse_fetch = DOCA_ERROR_NO_MEMORY;
	consumer_begin(&sink, &client);
	progress(&server);
	ck_assert_uint_eq(server.n_new, 1);
	fake_refuse_fetch = 0;
	fake_is_unresponsive = true;
	fake_n_waits = 0;
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_ERROR_AGAIN);
	ck_talks(&server, &client);
	if (_i == 1)
		sink_stop(&sink);
	if (_i == 2)
		end_stop(&server);
	fake_is_unresponsive = false;
	if (_i == 2)
		replies_arrive();
	progress(&server);
	if (_i == 0) {
		ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_SUCCESS);
		pe_run(sink.pe);
		ck_assert_uint_eq(sink.n_recv, 1);
		sink_stop(&sink);
		progress(&server);
	} else if (_i == 1) {
		ck_assert_int_eq(source_send(&source, sink.id, 0, 10), DOCA_ERROR_NOT_FOUND);
	}
	/* An awaited consumer has a place, and releases it. */
	if (_i < 2)
		ck_assert_uint_eq(link->n_peer_consumers, 0);
	comch_link_unref(link);
	progress(&client);
	pe_run(sink.pe);
	source_free(&source);
	sink_free(&sink);
	unresponsive_free(&server, &client);
}
END_TEST

/* --- stops within progress --- */

/* A client that its server leaves stops without waiting for the daemon. */
START_TEST(a_client_stops_within_progress)
{
	struct end server, client;
	struct sink sink;

	unresponsive_make(&server, &client);
	consumer_begin(&sink, &client);
	progress(&server);
	end_stop(&server);
	fake_n_closes = fake_n_waits = 0;
	progress(&client);
	pe_run(sink.pe);
	ck_assert_uint_eq(sink.n_idle, 1);
	ck_assert_uint_eq(client.n_idle, 1);
	ck_assert_uint_eq(fake_n_closes, 1);
	ck_assert_uint_eq(fake_n_waits, 0);
	sink_free(&sink);
	unresponsive_free(&server, &client);
}
END_TEST

/* The same for a server; a connection that it awaits then is dropped. */
START_TEST(a_server_stops_within_progress)
{
	struct end server, client, late;

	unresponsive_make(&server, &client);
	fake_is_unresponsive = true;
	client_begin(&late);
	progress(&server);
	server.stop_on_recv = true;
	server.echo = false;
	ck_assert_int_eq(send_msg(&client, client.conn, "stop", 4), DOCA_SUCCESS);
	fake_n_waits = 0;
	progress(&server);
	ck_assert_uint_eq(server.n_disconnects, 1);
	ck_assert_uint_eq(server.n_idle, 1);
	ck_assert_uint_eq(fake_n_waits, 0);
	replies_arrive();
	progress(&late);
	end_stop(&late);
	end_free(&late);
	progress(&client);
	unresponsive_free(&server, &client);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch and an unresponsive daemon");
	TCase *tcase = unit_case(suite, "unresponsive", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, a_connection_is_announced, 0, 4);
	tcase_add_test(tcase, a_reply_is_read_while_arming_again);
	tcase_add_loop_test(tcase, a_client_waits, 0, 3);
	tcase_add_loop_test(tcase, a_client_waits_for_the_next_daemon, 0, 4);
	tcase_add_loop_test(tcase, a_connection_is_awaited_in_vain, 0, 2);
	tcase_add_loop_test(tcase, a_consumer_is_announced, 0, 2);
	tcase_add_loop_test(tcase, a_consumer_is_awaited_in_vain, 0, 5);
	tcase_add_loop_test(tcase, a_remote_consumer_comes, 0, 2);
	tcase_add_loop_test(tcase, a_remote_consumer_is_imported_again, 0, 2);
	tcase_add_test(tcase, a_remote_consumer_is_not_described);
	tcase_add_loop_test(tcase, a_consumer_is_sent_to_again, 0, 3);
	tcase_add_test(tcase, a_client_stops_within_progress);
	tcase_add_test(tcase, a_server_stops_within_progress);
	return unit_run(suite);
}
