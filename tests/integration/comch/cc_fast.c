/*
 * Producers and consumers of a program of DOCA 2.5 or 2.6, as this file is compiled: each end sends
 * the other one message over the data path. See cc_fast.h.
 */
#include <stdlib.h>
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

#include "tests/integration/comch/cc_fast.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"

#if DOCA_USE_VERSION < 206
#define OF(name)           name##_2_5
#define SEND               doca_cc_producer_send_task
#define SEND_CONF          doca_cc_producer_send_task_set_conf
#define SEND_INIT          doca_cc_producer_send_task_alloc_init
#define SEND_BUF           doca_cc_producer_send_task_get_buf
#define SEND_TASK          doca_cc_producer_send_task_as_task
#define SEND_ID            doca_cc_producer_send_task_get_consumer_id
#define RECV               doca_cc_consumer_post_recv_task
#define RECV_CONF          doca_cc_consumer_post_recv_task_set_conf
#define RECV_INIT          doca_cc_consumer_post_recv_task_alloc_init
#define RECV_BUF           doca_cc_consumer_post_recv_task_get_buf
#define RECV_TASK          doca_cc_consumer_post_recv_task_as_task
#define N_TASKS            1 /* two tasks */
#define CONSUMER_IS        doca_cc_cap_is_consumer_supported
#define PRODUCER_IS        doca_cc_cap_is_producer_supported
#define CONSUMER_MAX_TASKS doca_cc_consumer_cap_get_max_log_num_tasks
#define MOST_TASKS(asked)  ((size_t)1 << (asked))
typedef size_t cc_size_t;
typedef bool cc_bool_t;
#else
#define OF(name)           name##_2_6
#define SEND               doca_cc_producer_task_send
#define SEND_CONF          doca_cc_producer_task_send_set_conf
#define SEND_INIT          doca_cc_producer_task_send_alloc_init
#define SEND_BUF           doca_cc_producer_task_send_get_buf
#define SEND_TASK          doca_cc_producer_task_send_as_task
#define SEND_ID            doca_cc_producer_task_send_get_consumer_id
#define RECV               doca_cc_consumer_task_post_recv
#define RECV_CONF          doca_cc_consumer_task_post_recv_set_conf
#define RECV_INIT          doca_cc_consumer_task_post_recv_alloc_init
#define RECV_BUF           doca_cc_consumer_task_post_recv_get_buf
#define RECV_TASK          doca_cc_consumer_task_post_recv_as_task
#define N_TASKS            2
#define CONSUMER_IS        doca_cc_consumer_cap_is_supported
#define PRODUCER_IS        doca_cc_producer_cap_is_supported
#define CONSUMER_MAX_TASKS doca_cc_consumer_cap_get_max_num_tasks
#define MOST_TASKS(asked)  (asked)
typedef uint32_t cc_size_t;
typedef uint8_t cc_bool_t;
#endif

struct end {
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_ctx *ctx;
	struct doca_cc_server *server;
	struct doca_cc_client *client;
	struct doca_cc_connection *connection;
	struct doca_buf *recv_buf;
	uint32_t peer_id; /* the peer's consumer */
	unsigned n_sent, n_received, n_flushed, n_new, n_expired, n_left;
};

/* The end of this process. */
static struct end the;

static void on_sent(struct SEND *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	the.n_sent++;
	OK(doca_buf_dec_refcount(SEND_BUF(task), NULL));
	doca_task_free(SEND_TASK(task));
}

static void on_not_sent(struct SEND *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	ck_abort_msg("a message was not sent");
}

static void on_received(struct RECV *task, union doca_data task_data, union doca_data ctx_data)
{
	void *data;
	size_t len;

	(void)task_data;
	(void)ctx_data;
	ck_assert_ptr_eq(RECV_BUF(task), the.recv_buf);
	OK(doca_buf_get_data(the.recv_buf, &data));
	OK(doca_buf_get_data_len(the.recv_buf, &len));
	ck_assert_uint_eq(len, CC_FAST_LEN);
	ck_assert(use_is_filled(data, len, 1));
#if DOCA_USE_VERSION >= 206
	ck_assert_uint_eq(doca_cc_consumer_task_post_recv_get_producer_id(task), CC_FAST_ID);
#endif
	the.n_received++;
	OK(doca_buf_dec_refcount(the.recv_buf, NULL));
	doca_task_free(RECV_TASK(task));
}

/* Called for the freed receive. */
static void on_flushed(struct RECV *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	ck_assert_ptr_eq(RECV_BUF(task), the.recv_buf);
	OK(doca_buf_dec_refcount(the.recv_buf, NULL));
	the.n_flushed++;
}

static void on_new(struct doca_cc_event_consumer *event, struct doca_cc_connection *connection,
		   uint32_t id)
{
	(void)event;
	(void)connection;
	the.peer_id = id;
	the.n_new++;
}

static void on_expired(struct doca_cc_event_consumer *event, struct doca_cc_connection *connection,
		       uint32_t id)
{
	(void)event;
	(void)connection;
	ck_assert_uint_eq(id, the.peer_id);
	the.n_expired++;
}

static void on_connect(struct doca_cc_event_connection_status_changed *event,
		       struct doca_cc_connection *connection, cc_bool_t is_success)
{
	(void)event;
	ck_assert(is_success);
	the.connection = connection;
}

static void on_disconnect(struct doca_cc_event_connection_status_changed *event,
			  struct doca_cc_connection *connection, cc_bool_t is_success)
{
	(void)event;
	(void)connection;
	(void)is_success;
	ck_assert_uint_eq(the.n_new, 1 + CC_FAST_BRIEF);
	ck_assert_uint_eq(the.n_expired, 1 + CC_FAST_BRIEF);
	the.n_left++;
}

static void await_state(struct doca_ctx *ctx, enum doca_ctx_states state)
{
	enum doca_ctx_states now;

	do {
		use_progress(the.pe);
		OK(doca_ctx_get_state(ctx, &now));
	} while (now != state);
}

static void stop(struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	await_state(ctx, DOCA_CTX_STATE_IDLE);
}

static struct doca_mmap *map(void *bytes, uint32_t permissions)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, bytes, CC_FAST_LEN));
	OK(doca_mmap_set_permissions(mmap, permissions));
	OK(doca_mmap_add_dev(mmap, the.dev));
	OK(doca_mmap_start(mmap));
	return mmap;
}

static void send_one(struct doca_cc_producer *producer, struct doca_buf *buf)
{
	struct SEND *task;
	doca_error_t result;

	while (the.peer_id == 0)
		use_progress(the.pe);
	OK(SEND_INIT(producer, buf, the.peer_id, &task));
	ck_assert_uint_eq(SEND_ID(task), the.peer_id);
	while ((result = doca_task_submit(SEND_TASK(task))) == DOCA_ERROR_AGAIN)
		use_progress(the.pe);
	OK(result);
}

static struct doca_cc_producer *make_producer(struct doca_cc_producer **other_out)
{
	struct doca_cc_producer *producer;

	OK(doca_cc_producer_create(the.connection, other_out));
	OK(doca_cc_producer_create(the.connection, &producer));
#if DOCA_USE_VERSION >= 206
	uint32_t id;

	OK(doca_cc_producer_get_id(producer, &id));
	ck_assert_uint_eq(id, CC_FAST_ID);
#endif
	OK(doca_pe_connect_ctx(the.pe, doca_cc_producer_as_ctx(producer)));
	OK(SEND_CONF(producer, on_sent, on_not_sent, N_TASKS));
	OK(doca_ctx_start(doca_cc_producer_as_ctx(producer)));
	return producer;
}

static void exchange(void)
{
	uint8_t *from = malloc(CC_FAST_LEN), *to = calloc(1, CC_FAST_LEN);
	struct doca_mmap *from_map = map(from, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_mmap *to_map = map(to, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_buf_inventory *inventory;
	struct doca_cc_consumer *consumer;
	struct doca_cc_producer *producer, *other;
	struct doca_buf *buf;
	struct RECV *task;
	uint32_t id;

	use_fill(from, CC_FAST_LEN, 1);
	OK(doca_buf_inventory_create(2, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_cc_consumer_create(the.connection, to_map, &consumer));
	OK(doca_pe_connect_ctx(the.pe, doca_cc_consumer_as_ctx(consumer)));
	OK(RECV_CONF(consumer, on_received, on_flushed, N_TASKS));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_cc_consumer_as_ctx(consumer)));
	await_state(doca_cc_consumer_as_ctx(consumer), DOCA_CTX_STATE_RUNNING);
	OK(doca_cc_consumer_get_id(consumer, &id));
	ck_assert_uint_ne(id, 0);
	OK(doca_buf_inventory_buf_get_by_addr(inventory, to_map, to, CC_FAST_LEN, &the.recv_buf));
	OK(RECV_INIT(consumer, the.recv_buf, &task));
	OK(doca_task_submit(RECV_TASK(task)));
	producer = make_producer(&other);
	OK(doca_buf_inventory_buf_get_by_data(inventory, from_map, from, CC_FAST_LEN, &buf));
	send_one(producer, buf);
	while (the.n_sent == 0 || the.n_received == 0)
		use_progress(the.pe);
	stop(doca_cc_producer_as_ctx(producer));
	OK(doca_cc_producer_destroy(producer));
	OK(doca_cc_producer_destroy(other));
	stop(doca_cc_consumer_as_ctx(consumer));
	OK(doca_cc_consumer_destroy(consumer));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(from_map));
	OK(doca_mmap_destroy(to_map));
	free(from);
	free(to);
}

/* A task that is freed while it is submitted does not prevent its context from stopping. */
static void cancel_a_receive(struct doca_cc_consumer *consumer, struct doca_mmap *to_map, void *to)
{
	struct doca_buf_inventory *inventory;
	struct RECV *task;

	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_cc_consumer_as_ctx(consumer)));
	await_state(doca_cc_consumer_as_ctx(consumer), DOCA_CTX_STATE_RUNNING);
	OK(doca_buf_inventory_buf_get_by_addr(inventory, to_map, to, CC_FAST_LEN, &the.recv_buf));
	OK(RECV_INIT(consumer, the.recv_buf, &task));
	OK(doca_task_submit(RECV_TASK(task)));
	doca_task_free(RECV_TASK(task));
	EXPECT_TRUE(strstr(dococ_last_error(), "submitted; it returns to its pool") != NULL,
		    "\"%s\"", dococ_last_error());
	stop(doca_cc_consumer_as_ctx(consumer));
	ck_assert_uint_eq(the.n_flushed, 1);
	OK(doca_buf_inventory_destroy(inventory));
}

/* The connection ends directly after them. */
static void start_stop_consumers(void)
{
	uint8_t *to = malloc(CC_FAST_LEN);
	struct doca_mmap *to_map = map(to, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_cc_consumer *consumer;

	OK(doca_cc_consumer_create(the.connection, to_map, &consumer));
	OK(doca_pe_connect_ctx(the.pe, doca_cc_consumer_as_ctx(consumer)));
	OK(RECV_CONF(consumer, on_received, on_flushed, N_TASKS));
	cancel_a_receive(consumer, to_map, to);
	for (unsigned i = 1; i < CC_FAST_BRIEF; i++) {
		EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_cc_consumer_as_ctx(consumer)));
		stop(doca_cc_consumer_as_ctx(consumer));
	}
	OK(doca_cc_consumer_destroy(consumer));
	OK(doca_mmap_destroy(to_map));
	free(to);
}

static void begin(const char *pci_addr)
{
	struct doca_devinfo *info;
	cc_size_t n;

	the.dev = use_dev(pci_addr);
	info = doca_dev_as_devinfo(the.dev);
	OK(CONSUMER_IS(info));
	OK(PRODUCER_IS(info));
	OK(CONSUMER_MAX_TASKS(info, &n));
	ck_assert_uint_ge(MOST_TASKS(n), 64);
	OK(doca_cc_producer_cap_get_max_buf_size(info, &n));
	ck_assert_uint_ge(n, CC_FAST_LEN);
	OK(doca_pe_create(&the.pe));
}

static void end(void)
{
	OK(doca_pe_destroy(the.pe));
	use_dev_end(the.dev);
}

void OF(cc_fast_serve)(int sock, void *arg)
{
	struct doca_dev_rep *rep;

	(void)arg;
	begin(USE_DPU_P0);
	rep = use_rep(the.dev);
	OK(doca_cc_server_create(the.dev, rep, CC_FAST_NAME, &the.server));
	the.ctx = doca_cc_server_as_ctx(the.server);
	OK(doca_pe_connect_ctx(the.pe, the.ctx));
	OK(doca_cc_server_event_connection_register(the.server, on_connect, on_disconnect));
	OK(doca_cc_server_event_consumer_register(the.server, on_new, on_expired));
	OK(doca_ctx_start(the.ctx));
	lab_signal(sock);
	while (the.connection == NULL)
		use_progress(the.pe);
	exchange();
	while (the.n_left == 0)
		use_progress(the.pe);
	stop(the.ctx);
	OK(doca_cc_server_destroy(the.server));
	use_rep_end(rep);
	end();
}

void OF(cc_fast_ask)(int sock, void *arg)
{
	(void)sock;
	(void)arg;
	begin(USE_HOST_PF0);
	OK(doca_cc_client_create(the.dev, CC_FAST_NAME, &the.client));
	the.ctx = doca_cc_client_as_ctx(the.client);
	OK(doca_pe_connect_ctx(the.pe, the.ctx));
	OK(doca_cc_client_event_consumer_register(the.client, on_new, on_expired));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(the.ctx));
	await_state(the.ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_cc_client_get_connection(the.client, &the.connection));
	exchange();
	start_stop_consumers();
	stop(the.ctx);
	ck_assert_uint_eq(the.n_expired, 1);
	OK(doca_cc_client_destroy(the.client));
	end();
}
