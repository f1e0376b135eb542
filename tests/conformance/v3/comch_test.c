/*
 * doca_comch.h: capabilities, configuration, connections, tasks and counters of servers and
 * clients, with a real peer process on the other side of a lab.
 */
#include <stdio.h>
#include <string.h>

#include <doca_comch.h>

#include "tests/conformance/cover.h"
#include "tests/lib/allocount.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define SERVICE "conformance"
#define N_TASKS 4

static const struct documented documented_doca_comch[] = {
	{"doca_comch_connection_set_user_data", ""},
	{"doca_comch_connection_get_user_data", ""},
	{"doca_comch_server_get_server_ctx", ""},
	{"doca_comch_client_get_client_ctx", ""},
	{"doca_comch_cap_get_max_name_len", "INVALID_VALUE"},
	{"doca_comch_cap_get_max_msg_size", "INVALID_VALUE"},
	{"doca_comch_cap_get_max_recv_queue_size", "INVALID_VALUE"},
	{"doca_comch_cap_get_max_clients", "INVALID_VALUE"},
	{"doca_comch_server_create", "INVALID_VALUE NO_MEMORY INITIALIZATION"},
	{"doca_comch_server_destroy", "INVALID_VALUE IN_USE"},
	{"doca_comch_cap_server_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comch_server_set_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_server_get_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_server_set_recv_queue_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_server_get_recv_queue_size", "INVALID_VALUE"},
	{"doca_comch_server_get_device", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_server_get_device_rep", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_server_as_ctx", ""},
	{"doca_comch_server_disconnect", "INVALID_VALUE IN_USE AGAIN"},
	{"doca_comch_client_create", "INVALID_VALUE NO_MEMORY INITIALIZATION"},
	{"doca_comch_client_destroy", "INVALID_VALUE IN_USE"},
	{"doca_comch_cap_client_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_comch_client_set_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_client_get_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_client_set_recv_queue_size", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_client_get_recv_queue_size", "INVALID_VALUE"},
	{"doca_comch_client_get_device", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_client_as_ctx", ""},
	{"doca_comch_client_get_connection", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_cap_get_max_send_tasks", "INVALID_VALUE"},
	{"doca_comch_server_task_send_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_client_task_send_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_server_task_send_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_comch_client_task_send_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_comch_task_send_as_task", ""},
	{"doca_comch_server_event_msg_recv_register", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_client_event_msg_recv_register", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_server_event_connection_status_changed_register", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_connection_update_info",
	 "INVALID_VALUE CONNECTION_INPROGRESS CONNECTION_ABORTED"},
	{"doca_comch_connection_get_counter", "INVALID_VALUE"},
	{"doca_comch_server_event_consumer_register", "INVALID_VALUE BAD_STATE"},
	{"doca_comch_client_event_consumer_register", "INVALID_VALUE BAD_STATE"},
	{NULL, NULL},
};

static struct lab lab;

/* One server or client of this process. */
struct end {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *conn;
	unsigned n_connects, n_disconnects, n_recv, n_sent, n_failed;
	doca_error_t info_at_disconnect;
	doca_error_t send_fails_with; /* SUCCESS: no send should fail */
	bool echo;
};

static void setup_side(enum lab_side side)
{
	lab_setup(&lab, NULL);
	lab_use(&lab, side);
	leaks_allow_fds(1); /* the library's connection to its daemon stays open */
}

static void setup_host(void)
{
	setup_side(LAB_HOST);
}

static void setup_dpu(void)
{
	setup_side(LAB_DPU);
}

/* Functions that support neither servers nor clients. */
static void setup_bare(void)
{
	static const struct lab_options options = {
		.only = {false, true},
		.topology = "[topology]\nside = dpu\n"
			    "[device bare]\npci = 05:00.0\ncomch_server = no\n"
			    "[representor bare]\nparent = bare\npci = 06:00.0\npresence = always\n",
	};

	lab_setup_client(&lab, &options, LAB_DPU);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static struct doca_dev_rep *open_rep(struct doca_dev *dev)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep = NULL;
	uint32_t n;

	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &n));
	ck_assert_uint_ge(n, 1);
	for (uint32_t i = 0; i < n && rep == NULL; i++) {
		uint8_t equal = 0;

		OK(doca_devinfo_rep_is_equal_pci_addr(list[i], USE_HOST_PF0, &equal));
		if (equal || n == 1)
			OK(doca_dev_rep_open(list[i], &rep));
	}
	OK(doca_devinfo_rep_destroy_list(list));
	ck_assert_ptr_nonnull(rep);
	return rep;
}

static struct end *end_of(struct doca_comch_connection *conn)
{
	struct doca_comch_server *server = CALLED(doca_comch_server_get_server_ctx(conn));
	struct doca_comch_client *client = CALLED(doca_comch_client_get_client_ctx(conn));
	union doca_data data;

	ck_assert((server == NULL) != (client == NULL));
	OK(doca_ctx_get_user_data(server != NULL ? CALLED(doca_comch_server_as_ctx(server))
						 : CALLED(doca_comch_client_as_ctx(client)),
				  &data));
	return data.ptr;
}

static doca_error_t end_alloc(struct end *end, const void *msg, uint32_t len,
			      struct doca_comch_task_send **task_out)
{
	return end->server != NULL ? doca_comch_server_task_send_alloc_init(end->server, end->conn,
									    msg, len, task_out)
				   : doca_comch_client_task_send_alloc_init(end->client, end->conn,
									    msg, len, task_out);
}

static void end_send(struct end *end, const void *msg, uint32_t len)
{
	struct doca_comch_task_send *task;

	OK(end_alloc(end, msg, len, &task));
	OK(doca_task_submit(CALLED(doca_comch_task_send_as_task(task))));
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)task_data;
	end->n_sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_send_error(struct doca_comch_task_send *task, union doca_data task_data,
			  union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)task_data;
	EXPECT(end->send_fails_with, doca_task_get_status(doca_comch_task_send_as_task(task)));
	end->n_failed++;
}

static void on_recv(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		    struct doca_comch_connection *conn)
{
	struct end *end = end_of(conn);

	(void)event;
	end->n_recv++;
	end->conn = conn;
	if (end->echo)
		end_send(end, buf, len);
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *conn, uint8_t ok)
{
	struct end *end = end_of(conn);

	(void)event;
	ck_assert_uint_eq(ok, 1);
	end->n_connects++;
	end->conn = conn;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *conn, uint8_t ok)
{
	struct end *end = end_of(conn);

	(void)event;
	ck_assert_uint_eq(ok, 1);
	end->n_disconnects++;
	end->info_at_disconnect = doca_comch_connection_update_info(conn);
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_comch_connection_update_info(conn));
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
			uint32_t id)
{
	(void)event;
	(void)conn;
	(void)id;
}

static void end_attach(struct end *end)
{
	union doca_data data = {.ptr = end};

	OK(doca_pe_create(&end->pe));
	OK(doca_pe_connect_ctx(end->pe, end->ctx));
	OK(doca_ctx_set_user_data(end->ctx, data));
}

static void server_make(struct end *end)
{
	*end = (struct end){.dev = use_dev(USE_DPU_P0)};
	end->rep = open_rep(end->dev);
	PASSES(doca_comch_server_create(end->dev, end->rep, SERVICE, &end->server));
	end->ctx = CALLED(doca_comch_server_as_ctx(end->server));
	end_attach(end);
	PASSES(doca_comch_server_task_send_set_conf(end->server, on_sent, on_send_error, N_TASKS));
	PASSES(doca_comch_server_event_msg_recv_register(end->server, on_recv));
	PASSES(doca_comch_server_event_connection_status_changed_register(end->server, on_connect,
									  on_disconnect));
}

static void client_make(struct end *end)
{
	*end = (struct end){.dev = use_dev(USE_HOST_PF0)};
	PASSES(doca_comch_client_create(end->dev, SERVICE, &end->client));
	end->ctx = CALLED(doca_comch_client_as_ctx(end->client));
	end_attach(end);
	PASSES(doca_comch_client_task_send_set_conf(end->client, on_sent, on_send_error, N_TASKS));
	PASSES(doca_comch_client_event_msg_recv_register(end->client, on_recv));
}

static void end_await(struct end *end, const unsigned *counter, unsigned n)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;

	while (*counter < n) {
		ck_assert_msg(clock_now_ns() < deadline, "%u of %u (%s)", *counter, n,
			      dococ_last_error());
		doca_pe_progress(end->pe);
	}
}

static void client_connect(struct end *end)
{
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end->ctx));
	use_ctx_await(end->pe, end->ctx, DOCA_CTX_STATE_RUNNING);
	PASSES(doca_comch_client_get_connection(end->client, &end->conn));
}

static void end_stop(struct end *end)
{
	doca_error_t result = doca_ctx_stop(end->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	use_ctx_await(end->pe, end->ctx, DOCA_CTX_STATE_IDLE);
}

static void end_free(struct end *end)
{
	if (end->server != NULL)
		PASSES(doca_comch_server_destroy(end->server));
	else
		PASSES(doca_comch_client_destroy(end->client));
	OK(doca_pe_destroy(end->pe));
	if (end->rep != NULL)
		OK(doca_dev_rep_close(end->rep));
	OK(doca_dev_close(end->dev));
}

/* --- the peer processes --- */

/* Serves n clients one after the other, then stops. */
static void serve(int sock, void *arg)
{
	unsigned n_clients = *(unsigned *)arg;
	struct end end;

	server_make(&end);
	end.echo = true;
	OK(doca_ctx_start(end.ctx));
	lab_signal(sock);
	end_await(&end, &end.n_disconnects, n_clients);
	end_stop(&end);
	end_free(&end);
}

/* Connects, sends two messages and waits for one; then disconnects or is disconnected. */
static void client_exchange(int sock, void *arg)
{
	bool waits = *(bool *)arg;
	struct end end;

	client_make(&end);
	client_connect(&end);
	end_send(&end, "one", 3);
	end_send(&end, "two", 3);
	end_await(&end, &end.n_recv, 1);
	if (waits)
		use_ctx_await(end.pe, end.ctx, DOCA_CTX_STATE_IDLE);
	else
		lab_wait(sock);
	end_stop(&end);
	end_free(&end);
}

/* --- server --- */

/* The name from 2.7 to 2.9, which the headers of this version do not declare. */
extern doca_error_t get_device_repr(
	const struct doca_comch_server *comch_server,
	struct doca_dev_rep **rep) __asm__("doca_comch_server_get_device_repr");

START_TEST(test_server_configuration)
{
	struct doca_comch_server *server;
	struct end end, *e = &end;
	struct doca_dev_rep *rep;
	struct doca_dev *dev;
	uint32_t value;

	server_make(&end);
	PASSES(doca_comch_server_set_max_msg_size(e->server, 1u << 20));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_max_msg_size(e->server, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_max_msg_size(NULL, 1));
	PASSES(doca_comch_server_get_max_msg_size(e->server, &value));
	ck_assert_uint_eq(value, 1u << 20);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_max_msg_size(e->server, NULL));
	PASSES(doca_comch_server_set_recv_queue_size(e->server, 10));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_recv_queue_size(e->server, 0));
	PASSES(doca_comch_server_get_recv_queue_size(e->server, &value));
	ck_assert_uint_eq(value, 10);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_recv_queue_size(NULL, &value));
	PASSES(doca_comch_server_get_device(e->server, &dev));
	ck_assert_ptr_eq(dev, e->dev);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_device(e->server, NULL));
	PASSES(doca_comch_server_get_device_rep(e->server, &rep));
	ck_assert_ptr_eq(rep, e->rep);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_device_rep(NULL, &rep));
	rep = NULL;
	EXPECT(DOCA_SUCCESS, get_device_repr(e->server, &rep));
	ck_assert_ptr_eq(rep, e->rep);
	EXPECT(DOCA_ERROR_INVALID_VALUE, get_device_repr(e->server, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_server_task_send_set_conf(e->server, NULL, on_send_error, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_server_event_msg_recv_register(e->server, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_server_event_connection_status_changed_register(e->server, on_connect,
									   NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_server_event_consumer_register(e->server, on_consumer, NULL));
	PASSES(doca_comch_server_event_consumer_register(e->server, on_consumer, on_consumer));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(e->dev, NULL, SERVICE, &server));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_destroy(NULL));
	if (allocount_works) {
		RUNS_OUT(0, doca_comch_server_create(e->dev, e->rep, SERVICE, &server));
		RUNS_OUT(1, doca_comch_server_create(e->dev, e->rep, SERVICE, &server));
	}
	ck_assert_ptr_null(doca_comch_server_as_ctx(NULL));

	OK(doca_ctx_start(e->ctx));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_server_set_max_msg_size(e->server, 64));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_server_set_recv_queue_size(e->server, 64));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_comch_server_task_send_set_conf(e->server, on_sent, on_send_error, 1));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_comch_server_event_msg_recv_register(e->server, on_recv));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_server_event_connection_status_changed_register(
					      e->server, on_connect, on_disconnect));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_comch_server_event_consumer_register(e->server, on_consumer, on_consumer));
	RETURNS(DOCA_ERROR_IN_USE, doca_comch_server_destroy(e->server));
	end_stop(e);
	end_free(e);
}
END_TEST

/*
 * A task is not invalid because its connection has ended: both submit calls accept it, and it
 * completes with an error. No tasks can be allocated once the program has seen the disconnection.
 */
static void check_ended(struct end *end, struct doca_comch_task_send *send)
{
	struct doca_task *task = doca_comch_task_send_as_task(send);

	end->send_fails_with = DOCA_ERROR_NOT_CONNECTED;
	OK(doca_task_submit(task));
	end_await(end, &end->n_failed, 1);
	OK(doca_task_try_submit(task));
	end_await(end, &end->n_failed, 2);
	doca_task_free(task);
	EXPECT(DOCA_ERROR_INVALID_VALUE, end_alloc(end, "x", 1, &send));
}

START_TEST(test_server_with_client)
{
	struct doca_comch_task_send *task, *tasks[N_TASKS];
	struct end end, *e = &end;
	struct lab_child child;
	bool waits = _i == 0;
	uint64_t value;

	server_make(&end);
	OK(doca_ctx_start(e->ctx));
	child = lab_fork(&lab, LAB_HOST, client_exchange, &waits);
	end_await(e, &e->n_recv, 2);
	ck_assert_uint_eq(e->n_connects, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_server_task_send_alloc_init(e->server, e->conn, NULL, 1, &task));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_server_task_send_alloc_init(e->server, e->conn, "x", 1u << 24, &task));
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_comch_server_task_send_alloc_init(e->server, e->conn, "answer", 6,
							      &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_comch_server_task_send_alloc_init(e->server, e->conn, "x", 1, &task));
	for (unsigned i = 2; i < N_TASKS; i++)
		doca_task_free(doca_comch_task_send_as_task(tasks[i]));
	OK(doca_task_try_submit(doca_comch_task_send_as_task(tasks[0])));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_comch_task_send_as_task(tasks[0])));
	end_await(e, &e->n_sent, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_connection_update_info(NULL));
	PASSES(doca_comch_connection_update_info(e->conn));
	PASSES(doca_comch_connection_get_counter(e->conn, DOCA_COMCH_COUNTER_RECV_MESSAGES,
						 &value));
	ck_assert_uint_eq(value, 2);
	PASSES(doca_comch_connection_get_counter(e->conn, DOCA_COMCH_COUNTER_RECV_BYTES, &value));
	ck_assert_uint_eq(value, 6);
	PASSES(doca_comch_connection_get_counter(e->conn, DOCA_COMCH_COUNTER_SENT_MESSAGES,
						 &value));
	ck_assert_uint_eq(value, 1);
	PASSES(doca_comch_connection_get_counter(e->conn, DOCA_COMCH_COUNTER_SENT_BYTES, &value));
	ck_assert_uint_eq(value, 6);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_connection_get_counter(e->conn, (enum doca_comch_counter)77, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(e->server, NULL));
	if (waits)
		PASSES(doca_comch_server_disconnect(e->server, e->conn));
	else
		lab_kill(&child);
	/* The program's callback is called only if the other end disconnected. */
	if (!waits) {
		end_await(e, &e->n_disconnects, 1);
		ck_assert_int_eq(e->info_at_disconnect, DOCA_ERROR_CONNECTION_ABORTED);
	}
	check_ended(e, tasks[1]);
	if (waits)
		lab_join(&child);
	end_stop(e);
	end_free(e);
}
END_TEST

START_TEST(test_caps)
{
	struct doca_comch_client *client;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t value;

	PASSES(doca_comch_cap_server_is_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_server_is_supported(NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_client_is_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_client_is_supported(NULL));
	PASSES(doca_comch_cap_get_max_name_len(info, &value));
	ck_assert_uint_gt(value, sizeof(SERVICE));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_get_max_name_len(info, NULL));
	PASSES(doca_comch_cap_get_max_msg_size(info, &value));
	ck_assert_uint_ge(value, 1u << 20);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_get_max_msg_size(NULL, &value));
	PASSES(doca_comch_cap_get_max_recv_queue_size(info, &value));
	ck_assert_uint_ge(value, 10);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_get_max_recv_queue_size(info, NULL));
	PASSES(doca_comch_cap_get_max_clients(info, &value));
	ck_assert_uint_ge(value, 2);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_get_max_clients(info, NULL));
	PASSES(doca_comch_cap_get_max_send_tasks(info, &value));
	ck_assert_uint_ge(value, 1024);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_get_max_send_tasks(info, NULL));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_comch_client_create(dev, SERVICE, &client));
	ck_assert_str_eq(
		dococ_last_error(),
		"comch client create: device p0 does not support it, clients run on the host "
		"side; key comch_client of the device in the topology allows it");
	OK(doca_dev_close(dev));
}
END_TEST

START_TEST(test_unsupported_device)
{
	struct doca_dev *dev = use_dev("05:00.0");
	struct doca_dev_rep *rep = open_rep(dev);
	struct doca_comch_server *server;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_comch_cap_server_is_supported(doca_dev_as_devinfo(dev)));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_comch_server_create(dev, rep, SERVICE, &server));
	OK(doca_dev_rep_close(rep));
	OK(doca_dev_close(dev));
}
END_TEST

/* --- client --- */

START_TEST(test_client_configuration)
{
	struct doca_comch_client *client;
	struct doca_comch_connection *conn;
	struct end end, *e = &end;
	struct doca_dev *dev;
	uint32_t value;

	client_make(&end);
	PASSES(doca_comch_cap_client_is_supported(doca_dev_as_devinfo(e->dev)));
	PASSES(doca_comch_client_set_max_msg_size(e->client, 4080));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(e->client, 0));
	PASSES(doca_comch_client_get_max_msg_size(e->client, &value));
	ck_assert_uint_eq(value, 4080);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_max_msg_size(NULL, &value));
	PASSES(doca_comch_client_set_recv_queue_size(e->client, 10));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_client_set_recv_queue_size(e->client, UINT32_MAX));
	PASSES(doca_comch_client_get_recv_queue_size(e->client, &value));
	ck_assert_uint_eq(value, 10);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_recv_queue_size(e->client, NULL));
	PASSES(doca_comch_client_get_device(e->client, &dev));
	ck_assert_ptr_eq(dev, e->dev);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_device(e->client, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_client_task_send_set_conf(e->client, on_sent, on_send_error, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_client_event_msg_recv_register(NULL, on_recv));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_client_event_consumer_register(e->client, NULL, on_consumer));
	PASSES(doca_comch_client_event_consumer_register(e->client, on_consumer, on_consumer));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_client_create(e->dev, "", &client));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_client_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_connection(e->client, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_client_get_connection(e->client, &conn));
	if (allocount_works) {
		RUNS_OUT(0, doca_comch_client_create(e->dev, SERVICE, &client));
		RUNS_OUT(1, doca_comch_client_create(e->dev, SERVICE, &client));
	}
	ck_assert_ptr_null(doca_comch_client_as_ctx(NULL));

	/* No server: the context returns to idle during progress, with an error sentence. */
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e->ctx));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_client_set_max_msg_size(e->client, 64));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_comch_client_set_recv_queue_size(e->client, 64));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_comch_client_task_send_set_conf(e->client, on_sent, on_send_error, 1));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_comch_client_event_msg_recv_register(e->client, on_recv));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_comch_client_event_consumer_register(e->client, on_consumer, on_consumer));
	RETURNS(DOCA_ERROR_IN_USE, doca_comch_client_destroy(e->client));
	use_ctx_await(e->pe, e->ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), SERVICE));
	end_free(e);
}
END_TEST

START_TEST(test_client_with_server)
{
	struct doca_comch_task_send *task, *tasks[N_TASKS];
	union doca_data data = {.u64 = 42};
	struct end end, *e = &end;
	unsigned n_clients = 2;
	struct lab_child child;

	child = lab_fork(&lab, LAB_DPU, serve, &n_clients);
	lab_wait(child.sock);
	client_make(&end);
	client_connect(&end);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_comch_connection_set_user_data(NULL, data));
	PASSES(doca_comch_connection_set_user_data(e->conn, data));
	ck_assert_uint_eq(CALLED(doca_comch_connection_get_user_data(e->conn)).u64, 42);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_comch_client_task_send_alloc_init(e->client, e->conn, "x", 0, &task));
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_comch_client_task_send_alloc_init(e->client, e->conn, "ping", 4,
							      &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_comch_client_task_send_alloc_init(e->client, e->conn, "x", 1, &task));
	for (unsigned i = 0; i < N_TASKS; i++)
		OK(doca_task_submit(doca_comch_task_send_as_task(tasks[i])));
	end_await(e, &e->n_recv, N_TASKS);
	ck_assert_uint_eq(e->n_sent, N_TASKS);
	end_stop(e);
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_comch_connection_update_info(e->conn));
	/*
	 * The connection object belongs to the client, so the program can watch the next attempt
	 * through it.
	 */
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(e->ctx));
	RETURNS(DOCA_ERROR_CONNECTION_INPROGRESS, doca_comch_connection_update_info(e->conn));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_comch_client_task_send_alloc_init(e->client, e->conn, "x", 1, &task));
	use_ctx_await(e->pe, e->ctx, DOCA_CTX_STATE_RUNNING);
	end_stop(e);
	end_free(e);
	lab_join(&child);
}
END_TEST

static const struct unreachable unreachable[] = {
	{"doca_comch_server_get_device", "BAD_STATE", "it is known in every state"},
	{"doca_comch_server_get_device_rep", "BAD_STATE", "it is known in every state"},
	{"doca_comch_server_get_max_msg_size", "BAD_STATE", "it is known in every state"},
	{"doca_comch_client_get_device", "BAD_STATE", "it is known in every state"},
	{"doca_comch_client_get_max_msg_size", "BAD_STATE", "it is known in every state"},
	{"doca_comch_server_disconnect", "IN_USE",
	 "needs producers or consumers: integration/comch/fast_test"},
	{"doca_comch_server_disconnect", "AGAIN", "it needs no queue"},
	{NULL, NULL, NULL},
};

static bool finish(void)
{
	return cover_report("doca_comch", documented_doca_comch, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *host = tcase_create("host"), *dpu = tcase_create("dpu");
	TCase *bare = tcase_create("bare");

	tcase_add_checked_fixture(host, setup_host, teardown);
	tcase_add_checked_fixture(dpu, setup_dpu, teardown);
	tcase_add_checked_fixture(bare, setup_bare, teardown);
	suite_add_tcase(suite, host);
	suite_add_tcase(suite, dpu);
	suite_add_tcase(suite, bare);
	tcase_set_timeout(host, RUNNER_TEST_S);
	tcase_set_timeout(dpu, RUNNER_TEST_S);
	tcase_set_timeout(bare, RUNNER_TEST_S);
	tcase_add_test(host, test_client_configuration);
	tcase_add_test(host, test_client_with_server);
	tcase_add_test(dpu, test_caps);
	tcase_add_test(dpu, test_server_configuration);
	tcase_add_loop_test(dpu, test_server_with_client, 0, 2);
	tcase_add_test(bare, test_unsupported_device);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_comch", add_cases, finish);
}
