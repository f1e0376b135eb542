/*
 * Result codes of doca_cc.h and its consumers and producers, as 2.5 and 2.6 document them; this
 * file is compiled for each. A server and a client run in processes of the two sides.
 */
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#if DOCA_USE_VERSION < 206
#define GENERATION    "2.5"
#define SERVER_CONF   doca_cc_server_send_task_set_conf
#define CLIENT_CONF   doca_cc_client_send_task_set_conf
#define SERVER_INIT   doca_cc_server_send_task_alloc_init
#define CLIENT_INIT   doca_cc_client_send_task_alloc_init
#define CONSUMER_CONF doca_cc_consumer_post_recv_task_set_conf
#define PRODUCER_CONF doca_cc_producer_send_task_set_conf
#define CONSUMER_MOST doca_cc_consumer_cap_get_max_log_num_tasks
#define PRODUCER_MOST doca_cc_producer_cap_get_max_log_num_tasks
#define ONE_TASK      0
#define MOST_TASKS    13 /* powers of two */
#define RECV(name)    doca_cc_consumer_post_recv_task_##name
#define PRODUCE(name) doca_cc_producer_send_task_##name
typedef struct doca_cc_consumer_post_recv_task cc_recv_t;
typedef struct doca_cc_producer_send_task cc_produce_t;
typedef struct doca_cc_send_task cc_send_t;
typedef size_t cc_size_t;
typedef bool cc_bool_t;
#else
#define GENERATION    "2.6"
#define SERVER_CONF   doca_cc_server_task_send_set_conf
#define CLIENT_CONF   doca_cc_client_task_send_set_conf
#define SERVER_INIT   doca_cc_server_task_send_alloc_init
#define CLIENT_INIT   doca_cc_client_task_send_alloc_init
#define CONSUMER_CONF doca_cc_consumer_task_post_recv_set_conf
#define PRODUCER_CONF doca_cc_producer_task_send_set_conf
#define CONSUMER_MOST doca_cc_consumer_cap_get_max_num_tasks
#define PRODUCER_MOST doca_cc_producer_cap_get_max_num_tasks
#define ONE_TASK      1
#define MOST_TASKS    8192
#define RECV(name)    doca_cc_consumer_task_post_recv_##name
#define PRODUCE(name) doca_cc_producer_task_send_##name
typedef struct doca_cc_consumer_task_post_recv cc_recv_t;
typedef struct doca_cc_producer_task_send cc_produce_t;
typedef struct doca_cc_task_send cc_send_t;
typedef uint32_t cc_size_t;
typedef uint8_t cc_bool_t;
#endif

#define NAME "conformance"

static struct lab lab;
static struct doca_pe *pe;
static struct doca_cc_connection *connection;
static unsigned n_left;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

/* A DPU device that supports no servers, producers or consumers. */
static void setup_bare(void)
{
	const struct lab_options options = {
		.only = {[LAB_DPU] = true},
		.topology = "[topology]\nside = dpu\n"
			    "[device bare]\npci = 05:00.0\ncomch_server = no\n"
			    "comch_producer = no\ncomch_consumer = no\n"
			    "[representor bare]\nparent = bare\npci = 06:00.0\n"
			    "presence = always\n",
	};

	lab_setup(&lab, &options);
}

/* The limits of a BlueField-2. */
static void setup_bf2(void)
{
	const struct lab_options options = {.config = "[daemon]\nprofile = bf2\n"};

	lab_setup(&lab, &options);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* --- NULL, for every function that documents it --- */

static void check_null_arguments(int sock, void *arg)
{
	(void)sock;
	(void)arg;
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_get_max_name_len(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_get_max_msg_size(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_get_max_recv_queue_size(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_get_max_clients(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_create(NULL, NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_server_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_set_max_msg_size(NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_get_max_msg_size(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_set_recv_queue_size(NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_get_recv_queue_size(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_get_device(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_get_device_repr(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_create(NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_client_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_set_max_msg_size(NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_get_max_msg_size(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_set_recv_queue_size(NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_get_recv_queue_size(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_get_device(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_get_connection(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_get_max_send_tasks(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_event_msg_recv_register(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_event_msg_recv_register(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_server_event_connection_register(NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_connection_update_info(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_connection_get_counter(NULL, DOCA_CC_COUNTER_SENT_BYTES, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_event_consumer_register(NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_event_consumer_register(NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_consumer_create(NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_consumer_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_consumer_get_id(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_consumer_cap_get_max_buf_size(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_create(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_cap_get_max_buf_size(NULL, NULL));
#if DOCA_USE_VERSION < 206
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_send_task_set_conf(NULL, NULL, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_send_task_set_conf(NULL, NULL, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_server_send_task_alloc_init(NULL, NULL, NULL, 1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_client_send_task_alloc_init(NULL, NULL, NULL, 1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_is_consumer_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_consumer_cap_get_max_log_num_tasks(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_consumer_post_recv_task_set_conf(NULL, NULL, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_consumer_post_recv_task_alloc_init(NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_cap_is_producer_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_cap_get_max_log_num_tasks(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_send_task_set_conf(NULL, NULL, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_producer_send_task_alloc_init(NULL, NULL, 1, NULL));
#else
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_task_send_set_conf(NULL, NULL, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_task_send_set_conf(NULL, NULL, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_server_task_send_alloc_init(NULL, NULL, NULL, 1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_client_task_send_alloc_init(NULL, NULL, NULL, 1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_consumer_cap_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_consumer_cap_get_max_num_tasks(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_consumer_cap_get_max_consumers(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_consumer_task_post_recv_set_conf(NULL, NULL, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_consumer_task_post_recv_alloc_init(NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_cap_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_get_id(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_cap_get_max_num_tasks(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_cap_get_max_producers(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_producer_task_send_set_conf(NULL, NULL, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_producer_task_send_alloc_init(NULL, NULL, 1, NULL));
#endif
}

START_TEST(test_nulls)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, check_null_arguments, NULL);

	lab_join(&child);
}
END_TEST

/* --- a conversation --- */

static unsigned n_not_sent;

static void on_send(cc_send_t *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	EXPECT(DOCA_ERROR_NOT_CONNECTED, doca_task_get_status((struct doca_task *)task));
	n_not_sent++;
	doca_task_free((struct doca_task *)task);
}

static void on_message(struct doca_cc_event_msg_recv *event, uint8_t *bytes, cc_size_t len,
		       struct doca_cc_connection *from)
{
	(void)event;
	(void)bytes;
	(void)len;
	(void)from;
}

static void on_connect(struct doca_cc_event_connection_status_changed *event,
		       struct doca_cc_connection *from, cc_bool_t is_success)
{
	(void)event;
	ck_assert(is_success);
	connection = from;
}

static struct doca_mmap *mmap_;

static void on_disconnect(struct doca_cc_event_connection_status_changed *event,
			  struct doca_cc_connection *from, cc_bool_t is_success)
{
	struct doca_cc_consumer *consumer;
	struct doca_cc_producer *producer;
	static uint8_t byte;
	cc_send_t *task;

	(void)event;
	(void)is_success;
	/* A task for a peer that has left is still allocated, and completes with an error. */
	OK(SERVER_INIT(doca_cc_server_get_server_ctx(from), from, &byte, 1, &task));
	OK(doca_task_submit((struct doca_task *)task));
	RETURNS(DOCA_ERROR_CONNECTION_ABORTED, doca_cc_connection_update_info(from));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_consumer_create(from, mmap_, &consumer));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_producer_create(from, &producer));
	n_left++;
}

static void on_consumer(struct doca_cc_event_consumer *event, struct doca_cc_connection *from,
			uint32_t id)
{
	(void)event;
	(void)from;
	(void)id;
}

static void await_state(struct doca_ctx *ctx, enum doca_ctx_states state)
{
	enum doca_ctx_states now;

	do {
		doca_pe_progress(pe);
		OK(doca_ctx_get_state(ctx, &now));
	} while (now != state);
}

static void stop(struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	await_state(ctx, DOCA_CTX_STATE_IDLE);
}

#if DOCA_USE_VERSION < 206
static void on_recv(struct doca_cc_consumer_post_recv_task *task, union doca_data task_data,
		    union doca_data ctx_data)
#else
static void on_recv(struct doca_cc_consumer_task_post_recv *task, union doca_data task_data,
		    union doca_data ctx_data)
#endif
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

#if DOCA_USE_VERSION < 206
static void on_produce(struct doca_cc_producer_send_task *task, union doca_data task_data,
		       union doca_data ctx_data)
#else
static void on_produce(struct doca_cc_producer_task_send *task, union doca_data task_data,
		       union doca_data ctx_data)
#endif
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

/* Configuration of contexts that already run. */
static void check_conf_while_running(struct doca_cc_server *server, struct doca_cc_client *client,
				     struct doca_cc_consumer *consumer,
				     struct doca_cc_producer *producer)
{
#if DOCA_USE_VERSION < 206
	if (server != NULL)
		RETURNS(DOCA_ERROR_BAD_STATE,
			doca_cc_server_send_task_set_conf(server, on_send, on_send, 0));
	if (client != NULL)
		RETURNS(DOCA_ERROR_BAD_STATE,
			doca_cc_client_send_task_set_conf(client, on_send, on_send, 0));
	if (consumer != NULL)
		RETURNS(DOCA_ERROR_BAD_STATE,
			doca_cc_consumer_post_recv_task_set_conf(consumer, on_recv, on_recv, 0));
	if (producer != NULL)
		RETURNS(DOCA_ERROR_BAD_STATE,
			doca_cc_producer_send_task_set_conf(producer, on_produce, on_produce, 0));
#else
	if (server != NULL)
		RETURNS(DOCA_ERROR_BAD_STATE,
			doca_cc_server_task_send_set_conf(server, on_send, on_send, 1));
	if (client != NULL)
		RETURNS(DOCA_ERROR_BAD_STATE,
			doca_cc_client_task_send_set_conf(client, on_send, on_send, 1));
	if (consumer != NULL)
		RETURNS(DOCA_ERROR_BAD_STATE,
			doca_cc_consumer_task_post_recv_set_conf(consumer, on_recv, on_recv, 1));
	if (producer != NULL)
		RETURNS(DOCA_ERROR_BAD_STATE,
			doca_cc_producer_task_send_set_conf(producer, on_produce, on_produce, 1));
#endif
}

/* A task keeps the values that were set, while its context runs. */
static void check_recv_task(struct doca_cc_consumer *consumer, struct doca_buf *bufs[2])
{
	cc_recv_t *task;

	PASSES(RECV(alloc_init)(consumer, bufs[0], &task));
	ck_assert_ptr_eq(RECV(get_buf)(task), bufs[0]);
	RECV(set_buf)(task, bufs[1]);
	ck_assert_ptr_eq(RECV(get_buf)(task), bufs[1]);
	doca_task_free(RECV(as_task)(task));
}

static void check_produce_task(struct doca_cc_producer *producer, struct doca_buf *bufs[2])
{
	cc_produce_t *task;

	PASSES(PRODUCE(alloc_init)(producer, bufs[0], 5, &task));
	ck_assert_ptr_eq(PRODUCE(get_buf)(task), bufs[0]);
	ck_assert_uint_eq(PRODUCE(get_consumer_id)(task), 5);
	PRODUCE(set_buf)(task, bufs[1]);
	PRODUCE(set_consumer_id)(task, 6);
	ck_assert_ptr_eq(PRODUCE(get_buf)(task), bufs[1]);
	ck_assert_uint_eq(PRODUCE(get_consumer_id)(task), 6);
	doca_task_free(PRODUCE(as_task)(task));
}

static struct doca_buf_inventory *bufs_new(void *bytes, size_t len, struct doca_buf *bufs[2])
{
	struct doca_buf_inventory *inventory;

	OK(doca_buf_inventory_create(2, &inventory));
	OK(doca_buf_inventory_start(inventory));
	for (unsigned i = 0; i < 2; i++)
		OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap_, bytes, len, &bufs[i]));
	return inventory;
}

/* On a connection that is established; `bytes` is the consumer's memory. */
static void members(struct doca_dev *dev, void *bytes, size_t len)
{
	struct doca_buf_inventory *inventory;
	struct doca_cc_consumer *consumer;
	struct doca_cc_producer *producer;
	struct doca_buf *bufs[2];
	struct doca_ctx *ctx;

	OK(doca_mmap_create(&mmap_));
	OK(doca_mmap_set_memrange(mmap_, bytes, len));
	OK(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(mmap_, dev));
	OK(doca_mmap_start(mmap_));
	inventory = bufs_new(bytes, len, bufs);
	PASSES(doca_cc_consumer_create(connection, mmap_, &consumer));
	ctx = doca_cc_consumer_as_ctx(consumer);
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(CONSUMER_CONF(consumer, on_recv, on_recv, ONE_TASK));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	await_state(ctx, DOCA_CTX_STATE_RUNNING);
	check_conf_while_running(NULL, NULL, consumer, NULL);
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_cc_consumer_destroy(consumer));
	check_recv_task(consumer, bufs);
	stop(ctx);
	PASSES(doca_cc_consumer_destroy(consumer));
	PASSES(doca_cc_producer_create(connection, &producer));
	ctx = doca_cc_producer_as_ctx(producer);
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(PRODUCER_CONF(producer, on_produce, on_produce, ONE_TASK));
	OK(doca_ctx_start(ctx));
	check_conf_while_running(NULL, NULL, NULL, producer);
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_cc_producer_destroy(producer));
	check_produce_task(producer, bufs);
	stop(ctx);
	PASSES(doca_cc_producer_destroy(producer));
	for (unsigned i = 0; i < 2; i++)
		OK(doca_buf_dec_refcount(bufs[i], NULL));
	OK(doca_buf_inventory_destroy(inventory));
}

static void serve(int sock, void *arg)
{
	static uint8_t memory[4096];
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_dev_rep *rep = use_rep(dev);
	struct doca_cc_client *client;
	struct doca_cc_server *server;
	cc_send_t *task, *other;
	struct doca_ctx *ctx;
	uint8_t byte = 0;

	(void)arg;
	OK(doca_pe_create(&pe));
	PASSES(doca_cc_cap_server_is_supported(doca_dev_as_devinfo(dev)));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_cc_cap_client_is_supported(doca_dev_as_devinfo(dev)));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_cc_client_create(dev, NAME, &client));
	PASSES(doca_cc_server_create(dev, rep, NAME, &server));
	ctx = doca_cc_server_as_ctx(server);
	OK(doca_pe_connect_ctx(pe, ctx));
	PASSES(SERVER_CONF(server, on_send, on_send, ONE_TASK));
	PASSES(doca_cc_server_event_msg_recv_register(server, on_message));
	PASSES(doca_cc_server_event_connection_register(server, on_connect, on_disconnect));
	PASSES(doca_cc_server_event_consumer_register(server, on_consumer, on_consumer));
	PASSES(doca_cc_server_set_max_msg_size(server, 64));
	PASSES(doca_cc_server_set_recv_queue_size(server, 8));
	OK(doca_ctx_start(ctx));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_server_set_max_msg_size(server, 64));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_server_set_recv_queue_size(server, 8));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_server_event_msg_recv_register(server, on_message));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_cc_server_event_connection_register(server, on_connect, on_disconnect));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_cc_server_event_consumer_register(server, on_consumer, on_consumer));
	check_conf_while_running(server, NULL, NULL, NULL);
	RETURNS(DOCA_ERROR_IN_USE, doca_cc_server_destroy(server));
	lab_signal(sock);
	while (connection == NULL)
		doca_pe_progress(pe);
	ck_assert_ptr_eq(doca_cc_server_get_server_ctx(connection), server);
	ck_assert_ptr_null(doca_cc_client_get_client_ctx(connection));
	PASSES(doca_cc_connection_update_info(connection));
	OK(SERVER_INIT(server, connection, &byte, 1, &task));
	EXPECT(DOCA_ERROR_NO_MEMORY, SERVER_INIT(server, connection, &byte, 1, &other));
	EXPECT(DOCA_ERROR_INVALID_VALUE, SERVER_INIT(server, connection, &byte, 65, &other));
	doca_task_free((struct doca_task *)task);
	members(dev, memory, sizeof(memory));
	lab_signal(sock);
	/* The client connects twice. */
	while (n_left < 2 || n_not_sent < 2)
		doca_pe_progress(pe);
	stop(ctx);
	PASSES(doca_cc_server_destroy(server));
	OK(doca_mmap_destroy(mmap_));
	OK(doca_pe_destroy(pe));
	use_rep_end(rep);
	use_dev_end(dev);
}

static void ask(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_cc_client *client;
	cc_send_t *task, *other;
	struct doca_ctx *ctx;
	uint8_t byte = 0;

	(void)arg;
	OK(doca_pe_create(&pe));
	PASSES(doca_cc_cap_client_is_supported(doca_dev_as_devinfo(dev)));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_cc_cap_server_is_supported(doca_dev_as_devinfo(dev)));
	PASSES(doca_cc_client_create(dev, NAME, &client));
	ctx = doca_cc_client_as_ctx(client);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_client_get_connection(client, &connection));
	OK(doca_pe_connect_ctx(pe, ctx));
	EXPECT(DOCA_SUCCESS, CLIENT_CONF(client, on_send, on_send, ONE_TASK));
	PASSES(doca_cc_client_event_msg_recv_register(client, on_message));
	PASSES(doca_cc_client_event_consumer_register(client, on_consumer, on_consumer));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	await_state(ctx, DOCA_CTX_STATE_RUNNING);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_client_set_max_msg_size(client, 64));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_client_set_recv_queue_size(client, 8));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_cc_client_event_msg_recv_register(client, on_message));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_cc_client_event_consumer_register(client, on_consumer, on_consumer));
	check_conf_while_running(NULL, client, NULL, NULL);
	RETURNS(DOCA_ERROR_IN_USE, doca_cc_client_destroy(client));
	PASSES(doca_cc_client_get_connection(client, &connection));
	ck_assert_ptr_eq(doca_cc_client_get_client_ctx(connection), client);
	ck_assert_ptr_null(doca_cc_server_get_server_ctx(connection));
	OK(CLIENT_INIT(client, connection, &byte, 1, &task));
	EXPECT(DOCA_ERROR_NO_MEMORY, CLIENT_INIT(client, connection, &byte, 1, &other));
	doca_task_free((struct doca_task *)task);
	/* The server has checked the connection. */
	lab_wait(sock);
	stop(ctx);
	/*
	 * The connection object belongs to the client: the program can watch the next attempt
	 * through it.
	 */
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	RETURNS(DOCA_ERROR_CONNECTION_INPROGRESS, doca_cc_connection_update_info(connection));
	await_state(ctx, DOCA_CTX_STATE_RUNNING);
	stop(ctx);
	PASSES(doca_cc_client_destroy(client));
	OK(doca_pe_destroy(pe));
	use_dev_end(dev);
}

START_TEST(test_conversation)
{
	struct lab_child server = lab_fork(&lab, LAB_DPU, serve, NULL), client;

	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, ask, NULL);
	lab_wait(server.sock);
	lab_signal(client.sock);
	lab_join(&client);
	lab_join(&server);
}
END_TEST

/* --- limits: what the capability reports is what can be set --- */

static void check_capability(doca_error_t (*get)(const struct doca_devinfo *, cc_size_t *),
			     const struct doca_devinfo *info, cc_size_t expected)
{
	/* The getter must write all bytes of it. */
	cc_size_t value = (cc_size_t)-1;

	OK(get(info, &value));
	ck_assert_uint_eq(value, expected);
}

static void check_capabilities(struct doca_dev *dev)
{
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t len;

	PASSES(doca_cc_cap_get_max_name_len(info, &len));
	ck_assert_uint_eq(len, 120);
	check_capability(doca_cc_cap_get_max_msg_size, info, 4080);
	check_capability(doca_cc_cap_get_max_recv_queue_size, info, 8192);
	check_capability(doca_cc_cap_get_max_clients, info, 512);
	check_capability(doca_cc_cap_get_max_send_tasks, info, 8192);
	check_capability(CONSUMER_MOST, info, MOST_TASKS);
	check_capability(PRODUCER_MOST, info, MOST_TASKS);
	check_capability(doca_cc_consumer_cap_get_max_buf_size, info, 2u << 20);
	check_capability(doca_cc_producer_cap_get_max_buf_size, info, 2u << 20);
#if DOCA_USE_VERSION >= 206
	check_capability(doca_cc_consumer_cap_get_max_consumers, info, 64);
	check_capability(doca_cc_producer_cap_get_max_producers, info, 64);
#endif
}

/* A number that needs more than 32 bits must not be truncated to a valid one. */
#if DOCA_USE_VERSION < 206
#define TOO_LONG(most) (((size_t)1 << 32) + (most))
#else
#define TOO_LONG(most) ((most) + 1)
#endif

static void server_capabilities(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0), *its_dev;
	struct doca_dev_rep *rep = use_rep(dev), *its_rep;
	char name[121] = {0};
	struct doca_cc_server *server;
	cc_size_t value = (cc_size_t)-1;

	(void)sock;
	(void)arg;
	check_capabilities(dev);
	memset(name, 'n', 120);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_create(dev, rep, name, &server));
	name[119] = '\0';
	PASSES(doca_cc_server_create(dev, rep, name, &server));
	PASSES(doca_cc_server_get_device(server, &its_dev));
	ck_assert_ptr_eq(its_dev, dev);
	PASSES(doca_cc_server_get_device_repr(server, &its_rep));
	ck_assert_ptr_eq(its_rep, rep);
	PASSES(doca_cc_server_set_max_msg_size(server, 4080));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_set_max_msg_size(server, 4081));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_server_set_max_msg_size(server, TOO_LONG(4080)));
	PASSES(doca_cc_server_get_max_msg_size(server, &value));
	ck_assert_uint_eq(value, 4080);
	PASSES(doca_cc_server_set_recv_queue_size(server, 8192));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_server_set_recv_queue_size(server, TOO_LONG(8192)));
	value = (cc_size_t)-1;
	PASSES(doca_cc_server_get_recv_queue_size(server, &value));
	ck_assert_uint_eq(value, 8192);
	EXPECT(DOCA_SUCCESS, SERVER_CONF(server, on_send, on_send, MOST_TASKS));
	EXPECT(DOCA_ERROR_INVALID_VALUE, SERVER_CONF(server, on_send, on_send, MOST_TASKS + 1));
	PASSES(doca_cc_server_destroy(server));
	use_rep_end(rep);
	use_dev_end(dev);
}

static void client_capabilities(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0), *its_dev;
	struct doca_cc_client *client;
	cc_size_t value = (cc_size_t)-1;

	(void)sock;
	(void)arg;
	check_capabilities(dev);
	PASSES(doca_cc_client_create(dev, NAME, &client));
	PASSES(doca_cc_client_get_device(client, &its_dev));
	ck_assert_ptr_eq(its_dev, dev);
	PASSES(doca_cc_client_set_max_msg_size(client, 4080));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_cc_client_set_max_msg_size(client, TOO_LONG(4080)));
	PASSES(doca_cc_client_get_max_msg_size(client, &value));
	ck_assert_uint_eq(value, 4080);
	PASSES(doca_cc_client_set_recv_queue_size(client, 8192));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_cc_client_set_recv_queue_size(client, TOO_LONG(8192)));
	value = (cc_size_t)-1;
	PASSES(doca_cc_client_get_recv_queue_size(client, &value));
	ck_assert_uint_eq(value, 8192);
	EXPECT(DOCA_SUCCESS, CLIENT_CONF(client, on_send, on_send, MOST_TASKS));
	EXPECT(DOCA_ERROR_INVALID_VALUE, CLIENT_CONF(client, on_send, on_send, MOST_TASKS + 1));
	PASSES(doca_cc_client_destroy(client));
	use_dev_end(dev);
}

START_TEST(test_figures)
{
	struct lab_child server = lab_fork(&lab, LAB_DPU, server_capabilities, NULL);
	struct lab_child client = lab_fork(&lab, LAB_HOST, client_capabilities, NULL);

	lab_join(&server);
	lab_join(&client);
}
END_TEST

static void server_unsupported(int sock, void *arg)
{
	struct doca_dev *dev = use_dev("05:00.0");
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_dev_rep *rep = use_rep(dev);
	struct doca_cc_server *server;
	cc_size_t n;

	(void)sock;
	(void)arg;
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_cc_server_create(dev, rep, NAME, &server));
	use_rep_end(rep);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_cc_consumer_cap_get_max_buf_size(info, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_cc_producer_cap_get_max_buf_size(info, &n));
#if DOCA_USE_VERSION < 206
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_cc_cap_is_consumer_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_cc_cap_is_producer_supported(info));
#else
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_cc_consumer_cap_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_cc_producer_cap_is_supported(info));
#endif
	use_dev_end(dev);
}

START_TEST(test_unsupported_device)
{
	struct lab_child child = lab_fork(&lab, LAB_DPU, server_unsupported, NULL);

	lab_join(&child);
}
END_TEST

static const struct documented documented[] = {
	{"doca_cc_cap_get_max_name_len", "INVALID_VALUE"},
	{"doca_cc_cap_get_max_msg_size", "INVALID_VALUE"},
	{"doca_cc_cap_get_max_recv_queue_size", "INVALID_VALUE"},
	{"doca_cc_cap_get_max_clients", "INVALID_VALUE"},
	{"doca_cc_server_create", "INVALID_VALUE NO_MEMORY INITIALIZATION"},
	{"doca_cc_server_destroy", "INVALID_VALUE IN_USE"},
	{"doca_cc_cap_server_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_cc_server_set_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_server_get_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_server_set_recv_queue_size", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_server_get_recv_queue_size", "INVALID_VALUE"},
	{"doca_cc_server_get_device", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_server_get_device_repr", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_create", "INVALID_VALUE NO_MEMORY INITIALIZATION"},
	{"doca_cc_client_destroy", "INVALID_VALUE IN_USE"},
	{"doca_cc_cap_client_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_cc_client_set_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_get_max_msg_size", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_set_recv_queue_size", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_get_recv_queue_size", "INVALID_VALUE"},
	{"doca_cc_client_get_device", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_get_connection", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_cap_get_max_send_tasks", "INVALID_VALUE"},
	{"doca_cc_server_event_msg_recv_register", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_event_msg_recv_register", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_server_event_connection_register", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_connection_update_info",
	 "INVALID_VALUE CONNECTION_INPROGRESS CONNECTION_ABORTED"},
	{"doca_cc_connection_get_counter", "INVALID_VALUE"},
	{"doca_cc_server_event_consumer_register", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_event_consumer_register", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_consumer_create", "INVALID_VALUE NO_MEMORY BAD_STATE NOT_PERMITTED"},
	{"doca_cc_consumer_destroy", "INVALID_VALUE INITIALIZATION"},
	{"doca_cc_consumer_get_id", "INVALID_VALUE"},
	{"doca_cc_consumer_cap_get_max_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_cc_producer_create", "INVALID_VALUE NO_MEMORY BAD_STATE NOT_PERMITTED"},
	{"doca_cc_producer_destroy", "INVALID_VALUE INITIALIZATION"},
	{"doca_cc_producer_cap_get_max_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
#if DOCA_USE_VERSION < 206
	{"doca_cc_server_send_task_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_send_task_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_server_send_task_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_cc_client_send_task_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_cc_cap_is_consumer_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_cc_consumer_cap_get_max_log_num_tasks", "INVALID_VALUE"},
	{"doca_cc_consumer_post_recv_task_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_consumer_post_recv_task_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_cc_cap_is_producer_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_cc_producer_cap_get_max_log_num_tasks", "INVALID_VALUE"},
	{"doca_cc_producer_send_task_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_producer_send_task_alloc_init", "INVALID_VALUE NO_MEMORY"},
#else
	{"doca_cc_server_task_send_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_client_task_send_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_server_task_send_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_cc_client_task_send_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_cc_consumer_cap_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_cc_consumer_cap_get_max_num_tasks", "INVALID_VALUE"},
	{"doca_cc_consumer_cap_get_max_consumers", "INVALID_VALUE"},
	{"doca_cc_consumer_task_post_recv_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_consumer_task_post_recv_alloc_init", "INVALID_VALUE NO_MEMORY"},
	{"doca_cc_producer_cap_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_cc_producer_get_id", "INVALID_VALUE"},
	{"doca_cc_producer_cap_get_max_num_tasks", "INVALID_VALUE"},
	{"doca_cc_producer_cap_get_max_producers", "INVALID_VALUE"},
	{"doca_cc_producer_task_send_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_cc_producer_task_send_alloc_init", "INVALID_VALUE NO_MEMORY"},
#endif
	{NULL, NULL},
};

static const struct unreachable unreachable[] = {
	{"*", "NO_MEMORY", "see the conformance programs of comch, whose objects these are"},
	{"*", "NOT_PERMITTED", "see the conformance programs of comch, whose objects these are"},
	{"doca_cc_server_get_max_msg_size", "BAD_STATE", "it is known in every state"},
	{"doca_cc_client_get_max_msg_size", "BAD_STATE", "it is known in every state"},
	{"doca_cc_server_get_device", "BAD_STATE", "it is known in every state"},
	{"doca_cc_server_get_device_repr", "BAD_STATE", "it is known in every state"},
	{"doca_cc_client_get_device", "BAD_STATE", "it is known in every state"},
	{NULL, NULL, NULL},
};

static bool finish(void)
{
	return cover_report(GENERATION " doca_cc", documented, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("cc"), *bare_case = tcase_create("bare");
	TCase *bf2 = tcase_create("bf2");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_nulls);
	tcase_add_test(tcase, test_conversation);
	tcase_add_checked_fixture(bare_case, setup_bare, teardown);
	tcase_set_timeout(bare_case, RUNNER_TEST_S);
	suite_add_tcase(suite, bare_case);
	tcase_add_test(bare_case, test_unsupported_device);
	tcase_add_checked_fixture(bf2, setup_bf2, teardown);
	tcase_set_timeout(bf2, RUNNER_TEST_S);
	suite_add_tcase(suite, bf2);
	tcase_add_test(bf2, test_figures);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("cc of " GENERATION, add_cases, finish);
}
