/*
 * RDMA engine: connections by valid and hostile details, and by address; tasks that wait for them,
 * and what happens to tasks when connections end, fail or break; slots; many connections at once.
 */
#include <string.h>
#include <zlib.h>

#include "tests/unit/client/rdma/fixture.h"

static struct end a, b;

/* Two running ends without a connection; n connections are allowed. */
static void open_ends(uint16_t n)
{
	fake_reset();
	end_make(&a);
	end_make(&b);
	ck_ok(doca_rdma_set_max_num_connections(a.rdma, n));
	ck_ok(doca_rdma_set_max_num_connections(b.rdma, n));
	ck_ok(doca_ctx_start(a.ctx));
	ck_ok(doca_ctx_start(b.ctx));
}

static void setup(void)
{
	open_ends(2);
}

static void teardown(void)
{
	ends_close(&a, &b);
}

static void submit(struct doca_task *task)
{
	ck_ok(doca_task_submit(task));
}

static struct doca_task *empty_send(struct doca_rdma_connection *conn, uint64_t n)
{
	return END_TASK(&a, send, conn, NULL, DATA(n));
}

static void ck_not_received(struct doca_task *task, doca_error_t code)
{
	ck_fails(doca_task_submit(task), code);
	doca_task_free(task);
}

static void receive_any(struct end *end, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		submit(END_TASK(end, receive, NULL, DATA(1000 + i)));
}

static uint32_t id_of(const struct doca_rdma_connection *conn)
{
	uint32_t id;

	ck_ok(doca_rdma_connection_get_id(conn, &id));
	return id;
}

/* --- by details --- */

START_TEST(test_details)
{
	struct doca_rdma_connection *second, *third = NULL;
	union doca_data data;
	const void *details;
	size_t len;

	end_export(&a);
	ck_assert_uint_le(a.details_len, 256);
	ck_ok(doca_rdma_export(a.rdma, &details, &len, &second));
	ck_assert_ptr_ne(second, a.conn);
	ck_assert_uint_ne(id_of(second), id_of(a.conn));
	ck_fails(doca_rdma_export(a.rdma, &details, &len, &third), DOCA_ERROR_FULL);
	ck_says("doca_rdma_set_max_num_connections");
	ck_assert_ptr_null(third);
	ck_ok(doca_rdma_connection_get_user_data(second, &data));
	ck_assert_uint_eq(data.u64, 0);
	ck_ok(doca_rdma_connection_set_user_data(second, DATA(5)));
	ck_ok(doca_rdma_connection_get_user_data(second, &data));
	ck_assert_uint_eq(data.u64, 5);
	/* A released slot is used by another connection. */
	ck_ok(doca_rdma_connection_disconnect(second));
	ck_ok(doca_rdma_connection_disconnect(second));
	ck_fails(doca_rdma_connect(a.rdma, a.details, a.details_len, second),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_rdma_export(a.rdma, &details, &len, &third));
	ck_ok(doca_rdma_connection_get_user_data(third, &data));
	ck_assert_uint_eq(data.u64, 0);
	ck_assert_uint_eq(fake_n_qps, 2);
}
END_TEST

START_TEST(test_connect_states)
{
	end_export(&a);
	end_export(&b);
	ck_not_received(empty_send(a.conn, 1), DOCA_ERROR_NOT_CONNECTED);
	ck_says("doca_rdma_connect");
	ck_fails(doca_rdma_connect(a.rdma, b.details, b.details_len, b.conn),
		 DOCA_ERROR_INVALID_VALUE);
	end_connect(&a, &b);
	ck_fails(doca_rdma_connect(a.rdma, b.details, b.details_len, a.conn), DOCA_ERROR_BAD_STATE);
	end_connect(&b, &a);
	ends_progress(&a, &b);
	ck_fails(doca_rdma_connect(a.rdma, b.details, b.details_len, a.conn), DOCA_ERROR_BAD_STATE);
	ck_assert_int_eq(a.conn->state, CONN_ESTABLISHED);
	end_stop(&a);
	ck_fails(doca_rdma_connect(a.rdma, b.details, b.details_len, a.conn), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_rdma_export(a.rdma, &a.details, &a.details_len, &a.conn),
		 DOCA_ERROR_BAD_STATE);
}
END_TEST

static doca_error_t connect_with(const void *details, size_t len)
{
	return doca_rdma_connect(a.rdma, details, len, a.conn);
}

static void renew_crc(uint8_t *details, size_t len)
{
	uint32_t crc = (uint32_t)crc32(0, details, (uInt)(len - 4));

	memcpy(details + len - 4, &crc, 4);
}

START_TEST(test_hostile_details)
{
	uint8_t bad[300];
	size_t len;

	end_export(&a);
	end_export(&b);
	len = b.details_len;
	for (size_t i = 0; i < len; i++) {
		ck_fails(connect_with(b.details, i), DOCA_ERROR_INVALID_VALUE);
		memcpy(bad, b.details, len);
		bad[i] ^= 0x20;
		ck_fails(connect_with(bad, len), DOCA_ERROR_INVALID_VALUE);
	}
	/* The details of another provider, with a correct checksum. */
	memcpy(bad, b.details, len);
	memcpy(bad + 8, "evil", 4);
	renew_crc(bad, len);
	ck_fails(connect_with(bad, len), DOCA_ERROR_INVALID_VALUE);
	ck_says("\"evil\"");
	memcpy(bad + 8, "%n%s", 4);
	renew_crc(bad, len);
	ck_fails(connect_with(bad, len), DOCA_ERROR_INVALID_VALUE);
	/* The provider refuses impossible details. */
	memcpy(bad, b.details, len);
	memset(bad + CONN_PARAMS_HEAD_LEN, 0x55, 8);
	renew_crc(bad, len);
	ck_fails(connect_with(bad, len), DOCA_ERROR_CONNECTION_ABORTED);
	bad[6] = 0;
	renew_crc(bad, CONN_PARAMS_HEAD_LEN + 4);
	ck_fails(connect_with(bad, len), DOCA_ERROR_INVALID_VALUE);
	ck_fails(connect_with(NULL, len), DOCA_ERROR_INVALID_VALUE);
	/*
	 * A failed attempt does not prevent the connection; bytes behind the details are ignored.
	 */
	memset(bad, 0xaa, sizeof(bad));
	memcpy(bad, b.details, len);
	ck_ok(connect_with(bad, sizeof(bad)));
	end_connect(&b, &a);
	ends_progress(&a, &b);
	ck_assert_int_eq(a.conn->state, CONN_ESTABLISHED);
}
END_TEST

START_TEST(test_provider_refuses)
{
	const doca_error_t code = DOCA_ERROR_OPERATING_SYSTEM;

	fake.qp_new = code;
	ck_fails(doca_rdma_export(a.rdma, &a.details, &a.details_len, &a.conn),
		 DOCA_ERROR_CONNECTION_ABORTED);
	fake.qp_new = DOCA_SUCCESS;
	fake.details = code;
	ck_fails(doca_rdma_export(a.rdma, &a.details, &a.details_len, &a.conn),
		 DOCA_ERROR_CONNECTION_ABORTED);
	fake.details = DOCA_SUCCESS;
	ck_assert_uint_eq(fake_n_qps, 0);
	end_export(&a);
	end_export(&b);
	fake.connect = code;
	ck_fails(connect_with(b.details, b.details_len), DOCA_ERROR_CONNECTION_ABORTED);
	fake.connect = DOCA_SUCCESS;
	ck_ok(connect_with(b.details, b.details_len));
	fake.disconnect = code;
	ck_fails(doca_rdma_connection_disconnect(a.conn), DOCA_ERROR_CONNECTION_ABORTED);
	/* The queue pair is freed all the same. */
	ck_assert_uint_eq(fake_n_qps, 1);
	ck_ok(doca_rdma_connection_disconnect(a.conn));
}
END_TEST

/* --- tasks of connections that are being established --- */

static void connect_waiting(void)
{
	fake.waits = true;
	end_export(&a);
	end_export(&b);
	end_connect(&a, &b);
	end_connect(&b, &a);
}

START_TEST(test_waiting_tasks)
{
	connect_waiting();
	receive_any(&b, 8);
	for (uint64_t i = 0; i < 8; i++)
		submit(empty_send(a.conn, i));
	ck_assert_uint_eq(ends_progress(&a, &b), 0);
	fake_finish_connecting(DOCA_SUCCESS);
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 8);
	ck_assert_uint_eq(b.n_ok, 8);
	for (uint64_t i = 0; i < 8; i++)
		ck_assert_uint_eq(a.order[i], i);
}
END_TEST

START_TEST(test_waiting_tasks_fill_the_queue)
{
	end_stop(&a);
	ck_ok(doca_rdma_set_send_queue_size(a.rdma, 4));
	ck_ok(doca_ctx_start(a.ctx));
	connect_waiting();
	receive_any(&b, 5);
	for (uint64_t i = 0; i < 4; i++)
		submit(empty_send(a.conn, i));
	a.last = empty_send(a.conn, 4);
	ck_fails(doca_task_submit(a.last), DOCA_ERROR_AGAIN);
	fake_finish_connecting(DOCA_SUCCESS);
	ends_progress(&a, &b);
	submit(a.last);
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 5);
}
END_TEST

START_TEST(test_waiting_tasks_fail)
{
	struct doca_rdma_connection *conn;

	connect_waiting();
	conn = a.conn;
	submit(empty_send(conn, 1));
	submit(empty_send(conn, 2));
	fake_finish_connecting(DOCA_ERROR_TIME_OUT);
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_failed, 2);
	ck_assert_int_eq(a.status, DOCA_ERROR_TIME_OUT);
	/* The failed connection belongs to the program until the program releases it. */
	submit(empty_send(conn, 3));
	unit_progress(a.pe);
	ck_assert_uint_eq(a.n_failed, 3);
	ck_assert_int_eq(a.status, DOCA_ERROR_CONNECTION_RESET);
	ck_ok(doca_rdma_connection_disconnect(conn));
	ck_assert_uint_eq(a.n_failures + a.n_disconnections, 0);
}
END_TEST

/* --- ends of connections --- */

/* Callbacks of a connection by address; a connection by details has none. */
static void ck_notified(uint32_t n_failures, uint32_t n_disconnections)
{
	ck_assert_uint_eq(a.n_failures, n_failures);
	ck_assert_uint_eq(b.n_disconnections, n_disconnections);
	ck_assert_uint_eq(a.n_disconnections, 0);
}

static void connect_either(bool by_address)
{
	(by_address ? ends_connect_by_address : ends_connect)(&a, &b);
}

/* _i: by address. */
START_TEST(test_disconnect)
{
	connect_either(_i);
	/* No receive is posted, so these stay in flight. */
	submit(empty_send(a.conn, 1));
	submit(empty_send(a.conn, 2));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_failed, 0);
	ck_ok(doca_rdma_connection_disconnect(a.conn));
	ck_not_received(empty_send(a.conn, 3), DOCA_ERROR_NOT_CONNECTED);
	ck_assert_uint_eq(fake_n_qps, 2);
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_failed, 2);
	ck_assert_int_eq(a.status, DOCA_ERROR_CONNECTION_RESET);
	/* Freed with its last request; the other end was notified and has its own. */
	ck_assert_uint_eq(fake_n_qps, 1);
	ck_notified(0, _i);
	submit(END_TASK(&b, send, b.conn, NULL, DATA(4)));
	unit_progress(b.pe);
	ck_assert_int_eq(b.status, DOCA_ERROR_CONNECTION_RESET);
	ck_ok(doca_rdma_connection_disconnect(b.conn));
	ck_assert_uint_eq(fake_n_qps, 0);
	/* A second time. */
	connect_either(_i);
	receive_any(&b, 1);
	submit(empty_send(a.conn, 5));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 1);
}
END_TEST

static void disconnect_twice(struct end *end, struct doca_rdma_connection *conn)
{
	(void)end;
	ck_ok(doca_rdma_connection_disconnect(conn));
	ck_ok(doca_rdma_connection_disconnect(conn));
}

START_TEST(test_disconnect_in_callback)
{
	ends_connect_by_address(&a, &b);
	b.on_disconnection = disconnect_twice;
	ck_ok(doca_rdma_connection_set_user_data(b.conn, DATA(99)));
	ck_ok(doca_rdma_connection_disconnect(a.conn));
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_disconnections, 1);
	ck_assert_uint_eq(b.notified_data.u64, 99);
	ck_assert_uint_eq(fake_n_qps, 0);
}
END_TEST

/* _i: by address. */
START_TEST(test_broken)
{
	struct doca_rdma_connection *first = NULL, *b_first;

	connect_either(_i);
	first = a.conn;
	b_first = b.conn;
	a.n_established = b.n_established = 0;
	ends_connect(&a, &b);
	receive_any(&b, 8);
	fake.next = DOCA_ERROR_NOT_PERMITTED;
	for (uint64_t i = 0; i < 3; i++)
		submit(empty_send(first, i));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_failed, 3);
	/* The first has its own code, those behind it were flushed. */
	ck_assert_uint_eq(a.order[0], 0);
	ck_assert_int_eq(a.status, DOCA_ERROR_CONNECTION_RESET);
	ck_notified(_i, 0);
	submit(empty_send(first, 4));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_failed, 4);
	/* The other connection continues. */
	submit(empty_send(a.conn, 5));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 1);
	ck_assert_int_eq(unit_state(a.ctx), RUNNING);
	ck_ok(doca_rdma_connection_disconnect(first));
	ck_ok(doca_rdma_connection_disconnect(b_first));
	ck_notified(_i, 0);
}
END_TEST

static doca_error_t first_code;

static void note_first(struct end *end, struct doca_task *task)
{
	if (end->n_order == 1)
		first_code = end->status;
	doca_task_free(task);
}

START_TEST(test_code_of_the_failed)
{
	ends_connect(&a, &b);
	a.on_task = note_first;
	receive_any(&b, 1);
	fake.next = DOCA_ERROR_NOT_PERMITTED;
	submit(empty_send(a.conn, 1));
	submit(empty_send(a.conn, 2));
	ends_progress(&a, &b);
	ck_assert_int_eq(first_code, DOCA_ERROR_NOT_PERMITTED);
	ck_assert_int_eq(a.status, DOCA_ERROR_CONNECTION_RESET);
}
END_TEST

/* _i: by address. */
START_TEST(test_peer_dies)
{
	connect_either(_i);
	a.on_failure = disconnect_twice;
	submit(empty_send(a.conn, 1));
	fake_break(a.conn->qp, DOCA_ERROR_CONNECTION_RESET);
	ends_progress(&a, &b);
	ck_notified(_i, 0);
	ck_says("broke");
	ck_assert_uint_eq(a.n_failed, 1);
	ck_assert_uint_eq(fake_n_qps, _i ? 1 : 2);
}
END_TEST

/* --- by address --- */

static struct doca_rdma_addr *address(uint16_t port)
{
	struct doca_rdma_addr *addr;

	ck_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", port, &addr));
	return addr;
}

static void ask(uint16_t port)
{
	struct doca_rdma_addr *addr = address(port);

	ck_ok(doca_rdma_connect_to_addr(a.rdma, addr, DATA(42)));
	ck_ok(doca_rdma_addr_destroy(addr));
}

static void accept_once(struct end *end, struct doca_rdma_connection *conn)
{
	(void)end;
	ck_ok(doca_rdma_connection_accept(conn, NULL, 0));
	ck_fails(doca_rdma_connection_accept(conn, NULL, 0), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_rdma_connection_set_user_data(conn, DATA(43)));
}

static void reject_it(struct end *end, struct doca_rdma_connection *conn)
{
	(void)end;
	ck_ok(doca_rdma_connection_reject(conn));
	ck_fails(doca_rdma_connection_reject(conn), DOCA_ERROR_INVALID_VALUE);
}

START_TEST(test_address)
{
	struct doca_rdma_addr *addr;
	enum doca_rdma_addr_type type;
	const char *text;
	uint16_t port;

	b.on_request = accept_once;
	ck_ok(doca_rdma_start_listen_to_port(b.rdma, 7));
	ck_fails(doca_rdma_start_listen_to_port(b.rdma, 7), DOCA_ERROR_BAD_STATE);
	ask(7);
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_requests, 1);
	ck_assert_uint_eq(a.n_established, 1);
	ck_assert_uint_eq(b.n_established, 1);
	ck_assert_uint_eq(a.notified_data.u64, 42);
	ck_assert_uint_eq(b.notified_data.u64, 43);
	ck_ok(doca_rdma_connection_get_addr(b.announced, &addr));
	ck_ok(doca_rdma_addr_get_params(addr, &type, &text, &port));
	ck_assert_int_eq(type, DOCA_RDMA_ADDR_TYPE_IPv4);
	ck_assert_str_eq(text, "192.0.2.7");
	ck_assert_uint_eq(port, 4791);
	ck_fails(doca_rdma_addr_destroy(addr), DOCA_ERROR_BAD_STATE);
	receive_any(&b, 1);
	submit(empty_send(a.announced, 1));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 1);
	b.on_disconnection = disconnect_twice;
	ck_ok(doca_rdma_connection_disconnect(a.announced));
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_disconnections, 1);
	ck_assert_uint_eq(fake_n_qps, 0);
	ck_ok(doca_rdma_stop_listen_to_port(b.rdma, 7));
	ck_fails(doca_rdma_stop_listen_to_port(b.rdma, 7), DOCA_ERROR_INVALID_VALUE);
	ask(7);
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_failures, 1);
	/* There is nothing to release. */
	ck_assert_uint_eq(fake_n_qps, 0);
}
END_TEST

START_TEST(test_address_rejected)
{
	b.on_request = reject_it;
	ck_ok(doca_rdma_start_listen_to_port(b.rdma, 7));
	for (uint32_t i = 1; i < 20; i++) {
		ask(7);
		ends_progress(&a, &b);
		ck_assert_uint_eq(a.n_failures, i);
		ck_assert_uint_eq(a.notified_data.u64, 42);
		ck_says("rejected it, or no program listens");
		ck_assert_uint_eq(fake_n_qps, 0);
	}
	/* The other end has no place for it. */
	end_export(&b);
	end_export(&b);
	ask(7);
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_requests, 19);
	ck_assert_uint_eq(a.n_failures, 20);
}
END_TEST

START_TEST(test_deferred_answer)
{
	uint8_t bytes[RDMA_PRIVATE_MAX + 1] = {0};

	ck_ok(doca_rdma_start_listen_to_port(b.rdma, 7));
	ask(7);
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_requests, 1);
	ck_not_received(END_TASK(&b, send, b.announced, NULL, DATA(0)), DOCA_ERROR_NOT_CONNECTED);
	ck_fails(doca_rdma_connection_accept(b.announced, NULL, 1), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_connection_accept(b.announced, bytes, sizeof(bytes)),
		 DOCA_ERROR_INVALID_VALUE);
	fake.accept = DOCA_ERROR_NO_MEMORY;
	ck_fails(doca_rdma_connection_accept(b.announced, NULL, 0), DOCA_ERROR_NO_MEMORY);
	fake.accept = DOCA_ERROR_DRIVER;
	ck_fails(doca_rdma_connection_accept(b.announced, NULL, 0), DOCA_ERROR_CONNECTION_ABORTED);
	fake.accept = DOCA_SUCCESS;
	ck_ok(doca_rdma_connection_accept(b.announced, bytes, RDMA_PRIVATE_MAX));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_established, 1);
}
END_TEST

START_TEST(test_requester_cancels)
{
	ck_ok(doca_rdma_start_listen_to_port(b.rdma, 7));
	ask(7);
	ends_progress(&a, &b);
	fake_cancel(b.announced->qp);
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_failures, 1);
	ck_says("could not be made");
	ck_assert_ptr_null(strstr(dococ_last_error(), "no program listens"));
	ck_fails(doca_rdma_connection_accept(b.announced, NULL, 0), DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(fake_n_qps, 1);
}
END_TEST

START_TEST(test_address_refused)
{
	struct doca_rdma_addr *addr = address(7);

	fake.listen = DOCA_ERROR_DRIVER;
	ck_fails(doca_rdma_start_listen_to_port(b.rdma, 7), DOCA_ERROR_CONNECTION_ABORTED);
	fake.listen = DOCA_SUCCESS;
	ck_fails(doca_rdma_start_listen_to_port(b.rdma, 0), DOCA_ERROR_INVALID_VALUE);
	fake.connect = DOCA_ERROR_DRIVER;
	ck_fails(doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)), DOCA_ERROR_CONNECTION_ABORTED);
	ck_assert_uint_eq(fake_n_qps, 0);
	fake.connect = DOCA_SUCCESS;
	end_export(&a);
	end_export(&a);
	ck_fails(doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)), DOCA_ERROR_CONNECTION_ABORTED);
	ck_says("all 2 connections");
	ck_fails(doca_rdma_connection_get_addr(a.conn, &addr), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_connection_accept(a.conn, NULL, 0), DOCA_ERROR_INVALID_VALUE);
	end_stop(&a);
	ck_fails(doca_rdma_connect_to_addr(a.rdma, addr, DATA(0)), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_rdma_start_listen_to_port(a.rdma, 7), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_rdma_addr_destroy(addr));
}
END_TEST

START_TEST(test_no_addresses)
{
	struct doca_rdma *rdma;
	struct doca_rdma_addr *addr = address(7);

	fake.has_no_addresses = true;
	ck_ok(doca_rdma_create(&unit_dev, &rdma));
	ck_fails(doca_rdma_start_listen_to_port(rdma, 7), DOCA_ERROR_NOT_SUPPORTED);
	ck_fails(doca_rdma_stop_listen_to_port(rdma, 7), DOCA_ERROR_NOT_SUPPORTED);
	ck_fails(doca_rdma_connect_to_addr(rdma, addr, DATA(0)), DOCA_ERROR_NOT_SUPPORTED);
	ck_says("doca_rdma_export");
	ck_ok(doca_rdma_destroy(rdma));
	ck_ok(doca_rdma_addr_destroy(addr));
}
END_TEST

static const struct {
	enum doca_rdma_addr_type type;
	const char *text;
	bool is_sound;
} addresses[] = {
	{DOCA_RDMA_ADDR_TYPE_IPv4, "192.168.1.10", true},
	{DOCA_RDMA_ADDR_TYPE_IPv4, "192.168.1", false},
	{DOCA_RDMA_ADDR_TYPE_IPv4, "192.168.1.256", false},
	{DOCA_RDMA_ADDR_TYPE_IPv4, "::1", false},
	{DOCA_RDMA_ADDR_TYPE_IPv4, "", false},
	{DOCA_RDMA_ADDR_TYPE_IPv6, "fe80::1", true},
	{DOCA_RDMA_ADDR_TYPE_IPv6, "::ffff:10.0.0.1", true},
	{DOCA_RDMA_ADDR_TYPE_IPv6, "fe80:::1", false},
	{DOCA_RDMA_ADDR_TYPE_IPv6, "10.0.0.1", false},
	{DOCA_RDMA_ADDR_TYPE_GID, "fe80:0000:0000:0000:0a00:27ff:fe12:3456", true},
	{DOCA_RDMA_ADDR_TYPE_GID, "00000000000000000000ffff0a000001", true},
	{DOCA_RDMA_ADDR_TYPE_GID, "00:00:00:00:00:00:00:00:00:00:FF:FF:0A:00:00:01", true},
	{DOCA_RDMA_ADDR_TYPE_GID, "00000000000000000000ffff0a0000", false},
	{DOCA_RDMA_ADDR_TYPE_GID, "00000000000000000000ffff0a00000g", false},
	{DOCA_RDMA_ADDR_TYPE_GID, "00000000000000000000ffff0a00000102", false},
	{DOCA_RDMA_ADDR_TYPE_GID, "00000000000000000000ffff0a000001:", false},
	{DOCA_RDMA_ADDR_TYPE_GID, "0", false},
	{(enum doca_rdma_addr_type)3, "::1", false},
};

START_TEST(test_address_texts)
{
	enum doca_rdma_addr_type type;
	struct doca_rdma_addr *addr;
	const char *text;
	uint16_t port;

	if (!addresses[_i].is_sound) {
		ck_fails(doca_rdma_addr_create(addresses[_i].type, addresses[_i].text, 1, &addr),
			 DOCA_ERROR_INVALID_VALUE);
		return;
	}
	ck_fails(doca_rdma_addr_create(addresses[_i].type, addresses[_i].text, 0, &addr),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_rdma_addr_create(addresses[_i].type, addresses[_i].text, 65535, &addr));
	ck_ok(doca_rdma_addr_get_params(addr, &type, &text, &port));
	ck_assert_int_eq(type, addresses[_i].type);
	ck_assert_str_eq(text, addresses[_i].text);
	ck_assert_uint_eq(port, 65535);
	if (type == DOCA_RDMA_ADDR_TYPE_GID && strstr(text, "0a000001") != NULL)
		ck_assert_mem_eq(addr->end.bytes, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16);
	ck_ok(doca_rdma_addr_destroy(addr));
}
END_TEST

/* --- many --- */

#define MANY 100u

START_TEST(test_many)
{
	struct doca_rdma_connection *conns[MANY], *others[MANY];
	bool seen[MANY] = {false};

	open_ends(MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		ends_connect(&a, &b);
		conns[i] = a.conn;
		others[i] = b.conn;
		ck_assert_uint_lt(id_of(a.conn), MANY);
		ck_assert(!seen[id_of(a.conn)]);
		seen[id_of(a.conn)] = true;
	}
	b.keeps = true;
	/* Each message names its source; the order of posting is preserved. */
	for (uint32_t i = 0; i < 5 * MANY; i++) {
		uint32_t which = i * 37 % MANY;

		receive_any(&b, 1);
		submit(empty_send(conns[which], i));
		ends_progress(&a, &b);
		ck_assert_ptr_eq(doca_rdma_task_receive_get_result_rdma_connection(
					 (struct doca_rdma_task_receive *)b.last),
				 others[which]);
		doca_task_free(b.last);
	}
	ck_assert_uint_eq(a.n_ok, 5 * MANY);
	for (uint32_t i = 0; i < MANY; i += 2)
		ck_ok(doca_rdma_connection_disconnect(conns[i]));
	ends_progress(&a, &b);
	ck_assert_uint_eq(fake_n_qps, 2 * MANY - MANY / 2);
	ends_close(&a, &b);
}
END_TEST

/* Receives that completed before the connection was released stay valid. */
START_TEST(test_receive_outlives_its_connection)
{
	ends_connect(&a, &b);
	b.keeps = true;
	receive_any(&b, 1);
	submit(empty_send(a.conn, 1));
	unit_progress(a.pe);
	ck_assert_uint_eq(a.n_ok, 1);
	ck_ok(doca_rdma_connection_disconnect(b.conn));
	unit_progress(b.pe);
	ck_assert_uint_eq(b.n_ok, 1);
	ck_assert_ptr_null(doca_rdma_task_receive_get_result_rdma_connection(
		(struct doca_rdma_task_receive *)b.last));
	doca_task_free(b.last);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rdma connections");
	TCase *tcase = unit_case(suite, "two ends", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_details);
	tcase_add_test(tcase, test_connect_states);
	tcase_add_test(tcase, test_hostile_details);
	tcase_add_test(tcase, test_provider_refuses);
	tcase_add_test(tcase, test_waiting_tasks);
	tcase_add_test(tcase, test_waiting_tasks_fill_the_queue);
	tcase_add_test(tcase, test_waiting_tasks_fail);
	tcase_add_loop_test(tcase, test_disconnect, 0, 2);
	tcase_add_test(tcase, test_disconnect_in_callback);
	tcase_add_loop_test(tcase, test_broken, 0, 2);
	tcase_add_test(tcase, test_code_of_the_failed);
	tcase_add_loop_test(tcase, test_peer_dies, 0, 2);
	tcase_add_test(tcase, test_address);
	tcase_add_test(tcase, test_address_rejected);
	tcase_add_test(tcase, test_deferred_answer);
	tcase_add_test(tcase, test_requester_cancels);
	tcase_add_test(tcase, test_address_refused);
	tcase_add_test(tcase, test_no_addresses);
	tcase_add_test(tcase, test_receive_outlives_its_connection);
	tcase = unit_case(suite, "alone", UNIT_TIMEOUT_LONG);
	tcase_add_loop_test(tcase, test_address_texts, 0, ARRAY_LEN(addresses));
	tcase_add_test(tcase, test_many);
	return unit_run(suite);
}
