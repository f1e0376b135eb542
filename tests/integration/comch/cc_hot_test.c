/*
 * Servers, clients, producers and consumers of 2.5 and 2.6, as this file is compiled, in two
 * polling processes. strace shows that neither makes a system call between its marks, and counters
 * that neither allocates memory or takes a lock. First messages through the channel, each with a
 * reply; then messages over the data path, both short ones and ones that are written into the
 * consumer's memory. The program runs itself under strace, once for each side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "tests/lib/expect.h"
#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

#define N_MESSAGES traced_n(20000)
#define N_WARM     1000u /* the first messages find the consumer and fault in its pages */
#define N_LOG      7u
#define N_TASKS    (1u << N_LOG)
#define SHORT_LEN  64u
#define LONG_LEN   3000u /* every fourth message of the data path */
#define SERVICE    "hot"

#if DOCA_USE_VERSION < 206
#define doca_cc_task_send                          doca_cc_send_task
#define doca_cc_task_send_as_task                  doca_cc_send_task_as_task
#define doca_cc_server_task_send_alloc_init        doca_cc_server_send_task_alloc_init
#define doca_cc_client_task_send_alloc_init        doca_cc_client_send_task_alloc_init
#define doca_cc_server_task_send_set_conf          doca_cc_server_send_task_set_conf
#define doca_cc_client_task_send_set_conf          doca_cc_client_send_task_set_conf
#define doca_cc_producer_task_send                 doca_cc_producer_send_task
#define doca_cc_producer_task_send_set_conf        doca_cc_producer_send_task_set_conf
#define doca_cc_producer_task_send_alloc_init      doca_cc_producer_send_task_alloc_init
#define doca_cc_producer_task_send_get_buf         doca_cc_producer_send_task_get_buf
#define doca_cc_producer_task_send_as_task         doca_cc_producer_send_task_as_task
#define doca_cc_consumer_task_post_recv            doca_cc_consumer_post_recv_task
#define doca_cc_consumer_task_post_recv_set_conf   doca_cc_consumer_post_recv_task_set_conf
#define doca_cc_consumer_task_post_recv_alloc_init doca_cc_consumer_post_recv_task_alloc_init
#define doca_cc_consumer_task_post_recv_get_buf    doca_cc_consumer_post_recv_task_get_buf
#define doca_cc_consumer_task_post_recv_as_task    doca_cc_consumer_post_recv_task_as_task
#define N_CONF                                     N_LOG
typedef size_t cc_size_t;
typedef bool cc_bool_t;
#else
#define N_CONF N_TASKS
typedef uint32_t cc_size_t;
typedef uint8_t cc_bool_t;
#endif

static struct lab lab;
static struct traced traced_as;

/* --- the traced program: one end --- */

static struct {
	struct doca_pe *pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_ctx *ctx;
	struct doca_cc_server *server; /* the server, or */
	struct doca_cc_client *client;
	struct doca_cc_connection *connection;
	unsigned n_sent, n_done, n_received, n_left, n_flushed;
	unsigned n_wrong; /* counted, because Check's assertions cost what is measured */
	uint8_t message[SHORT_LEN];
	/* The data path. */
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *memory;
	uint32_t peer_id; /* the peer's consumer */
	struct doca_cc_producer_task_send *idle[N_TASKS];
	unsigned n_idle;
} end;

static void on_sent(struct doca_cc_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	end.n_done++;
	doca_task_free(doca_cc_task_send_as_task(task));
}

static void on_not_sent(struct doca_cc_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	end.n_wrong++;
	on_sent(task, task_data, ctx_data);
}

static void on_message(struct doca_cc_event_msg_recv *event, uint8_t *bytes, cc_size_t len,
		       struct doca_cc_connection *connection)
{
	(void)event;
	end.n_wrong += len != SHORT_LEN || memcmp(bytes, end.message, SHORT_LEN) != 0 ||
		       connection != end.connection;
	end.n_received++;
}

static void on_connect(struct doca_cc_event_connection_status_changed *event,
		       struct doca_cc_connection *connection, cc_bool_t is_success)
{
	(void)event;
	ck_assert(is_success);
	end.connection = connection;
}

static void on_disconnect(struct doca_cc_event_connection_status_changed *event,
			  struct doca_cc_connection *connection, cc_bool_t is_success)
{
	(void)event;
	(void)connection;
	(void)is_success;
	end.n_left++;
}

static void on_new(struct doca_cc_event_consumer *event, struct doca_cc_connection *connection,
		   uint32_t id)
{
	(void)event;
	(void)connection;
	end.peer_id = id;
}

static void on_expired(struct doca_cc_event_consumer *event, struct doca_cc_connection *connection,
		       uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
}

static void await_state(struct doca_ctx *ctx, enum doca_ctx_states state)
{
	enum doca_ctx_states now;

	do {
		use_progress(end.pe);
		OK(doca_ctx_get_state(ctx, &now));
	} while (now != state);
}

static void stop(struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	await_state(ctx, DOCA_CTX_STATE_IDLE);
}

static void server_open(void)
{
	end.dev = use_dev(USE_DPU_P0);
	end.rep = use_rep(end.dev);
	OK(doca_cc_server_create(end.dev, end.rep, SERVICE, &end.server));
	end.ctx = doca_cc_server_as_ctx(end.server);
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_cc_server_task_send_set_conf(end.server, on_sent, on_not_sent, N_CONF));
	OK(doca_cc_server_event_msg_recv_register(end.server, on_message));
	OK(doca_cc_server_event_connection_register(end.server, on_connect, on_disconnect));
	OK(doca_cc_server_event_consumer_register(end.server, on_new, on_expired));
	OK(doca_ctx_start(end.ctx));
	while (end.connection == NULL)
		use_progress(end.pe);
}

static void server_close(void)
{
	while (end.n_left == 0)
		use_progress(end.pe);
	stop(end.ctx);
	OK(doca_cc_server_destroy(end.server));
	use_rep_end(end.rep);
	use_dev_end(end.dev);
}

static void client_open(void)
{
	end.dev = use_dev(USE_HOST_PF0);
	OK(doca_cc_client_create(end.dev, SERVICE, &end.client));
	end.ctx = doca_cc_client_as_ctx(end.client);
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_cc_client_task_send_set_conf(end.client, on_sent, on_not_sent, N_CONF));
	OK(doca_cc_client_event_msg_recv_register(end.client, on_message));
	OK(doca_cc_client_event_consumer_register(end.client, on_new, on_expired));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
	await_state(end.ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_cc_client_get_connection(end.client, &end.connection));
}

static void client_close(void)
{
	stop(end.ctx);
	OK(doca_cc_client_destroy(end.client));
	use_dev_end(end.dev);
}

/* --- through the channel --- */

/* Returns false if there is no room or no task. */
static bool send_one(void)
{
	struct doca_cc_task_send *task;
	doca_error_t result;

	if (end.n_sent - end.n_done == N_TASKS)
		return false;
	if (end.server != NULL)
		OK(doca_cc_server_task_send_alloc_init(end.server, end.connection, end.message,
						       SHORT_LEN, &task));
	else
		OK(doca_cc_client_task_send_alloc_init(end.client, end.connection, end.message,
						       SHORT_LEN, &task));
	result = doca_task_submit(doca_cc_task_send_as_task(task));
	if (result == DOCA_ERROR_AGAIN) {
		doca_task_free(doca_cc_task_send_as_task(task));
		return false;
	}
	OK(result);
	end.n_sent++;
	return true;
}

static void answer(unsigned n)
{
	while (end.n_done < n) {
		while (end.n_sent < end.n_received && send_one())
			continue;
		doca_pe_progress(end.pe);
	}
}

static void ask(unsigned n)
{
	while (end.n_received < n || end.n_done < n) {
		while (end.n_sent < n && end.n_sent - end.n_received < N_TASKS && send_one())
			continue;
		doca_pe_progress(end.pe);
	}
}

static void run_messages(bool is_server)
{
	void (*turn)(unsigned n) = is_server ? answer : ask;

	turn(N_WARM);
	hot_begin();
	turn(N_MESSAGES);
	hot_end();
	if (is_server)
		traced_report_calls(traced_as.dir);
	else
		traced_await_over(traced_as.dir);
}

/* --- over the data path --- */

static void on_passed(struct doca_cc_producer_task_send *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	end.idle[end.n_idle++] = task;
}

static void on_not_passed(struct doca_cc_producer_task_send *task, union doca_data task_data,
			  union doca_data ctx_data)
{
	end.n_wrong++;
	on_passed(task, task_data, ctx_data);
}

static void on_received(struct doca_cc_consumer_task_post_recv *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct doca_buf *buf = doca_cc_consumer_task_post_recv_get_buf(task);
	size_t len = 0, expected = end.n_received % 4 == 3 ? LONG_LEN : SHORT_LEN;
	void *data;

	(void)task_data;
	(void)ctx_data;
	OK(doca_buf_get_data(buf, &data));
	OK(doca_buf_get_data_len(buf, &len));
	end.n_wrong += len != expected || !use_is_filled(data, len, 1);
	end.n_received++;
	OK(doca_buf_reset_data_len(buf));
	OK(doca_task_submit(doca_cc_consumer_task_post_recv_as_task(task)));
}

static void on_flushed(struct doca_cc_consumer_task_post_recv *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	end.n_flushed++;
	OK(doca_buf_dec_refcount(doca_cc_consumer_task_post_recv_get_buf(task), NULL));
	doca_task_free(doca_cc_consumer_task_post_recv_as_task(task));
}

static void memory_open(void)
{
	void *memory;

	/* Memory that the peer can map: it writes longer messages directly into it. */
	OK(dococ_mem_alloc((size_t)N_TASKS * LONG_LEN, &memory, NULL));
	end.memory = memory;
	OK(doca_mmap_create(&end.mmap));
	OK(doca_mmap_set_memrange(end.mmap, end.memory, (size_t)N_TASKS * LONG_LEN));
	OK(doca_mmap_set_permissions(end.mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(end.mmap, end.dev));
	OK(doca_mmap_start(end.mmap));
	OK(doca_buf_inventory_create(N_TASKS, &end.inventory));
	OK(doca_buf_inventory_start(end.inventory));
}

static void memory_close(void)
{
	OK(doca_buf_inventory_destroy(end.inventory));
	OK(doca_mmap_destroy(end.mmap));
	OK(dococ_mem_free(end.memory));
}

static void run_consumer(void)
{
	struct doca_cc_consumer_task_post_recv *task;
	struct doca_cc_consumer *consumer;
	struct doca_buf *buf;
	struct doca_ctx *ctx;

	memory_open();
	OK(doca_cc_consumer_create(end.connection, end.mmap, &consumer));
	ctx = doca_cc_consumer_as_ctx(consumer);
	OK(doca_pe_connect_ctx(end.pe, ctx));
	OK(doca_cc_consumer_task_post_recv_set_conf(consumer, on_received, on_flushed, N_CONF));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	await_state(ctx, DOCA_CTX_STATE_RUNNING);
	for (size_t i = 0; i < N_TASKS; i++) {
		OK(doca_buf_inventory_buf_get_by_addr(end.inventory, end.mmap,
						      end.memory + i * LONG_LEN, LONG_LEN, &buf));
		OK(doca_cc_consumer_task_post_recv_alloc_init(consumer, buf, &task));
		OK(doca_task_submit(doca_cc_consumer_task_post_recv_as_task(task)));
	}
	while (end.n_received < N_WARM)
		doca_pe_progress(end.pe);
	hot_begin();
	while (end.n_received < N_MESSAGES)
		doca_pe_progress(end.pe);
	hot_end();
	traced_report_calls(traced_as.dir);
	/* The end of the connection ends it. */
	await_state(ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(end.n_flushed, N_TASKS);
	OK(doca_cc_consumer_destroy(consumer));
	memory_close();
}

static void pass(unsigned n)
{
	while (end.n_sent < n || end.n_idle < N_TASKS) {
		while (end.n_sent < n && end.n_idle > 0) {
			struct doca_cc_producer_task_send *task = end.idle[end.n_idle - 1];
			struct doca_buf *buf = doca_cc_producer_task_send_get_buf(
				(struct doca_cc_producer_task_send *)task);
			doca_error_t result;

			OK(doca_buf_set_data_len(buf, end.n_sent % 4 == 3 ? LONG_LEN : SHORT_LEN));
			result = doca_task_submit(doca_cc_producer_task_send_as_task(task));
			if (result == DOCA_ERROR_AGAIN)
				break;
			OK(result);
			end.n_idle--;
			end.n_sent++;
		}
		doca_pe_progress(end.pe);
	}
}

static void run_producer(void)
{
	struct doca_cc_producer *producer;
	struct doca_buf *buf;

	memory_open();
	OK(doca_cc_producer_create(end.connection, &producer));
	OK(doca_pe_connect_ctx(end.pe, doca_cc_producer_as_ctx(producer)));
	OK(doca_cc_producer_task_send_set_conf(producer, on_passed, on_not_passed, N_CONF));
	OK(doca_ctx_start(doca_cc_producer_as_ctx(producer)));
	while (end.peer_id == 0)
		use_progress(end.pe);
	for (; end.n_idle < N_TASKS; end.n_idle++) {
		uint8_t *at = end.memory + (size_t)end.n_idle * LONG_LEN;

		use_fill(at, LONG_LEN, 1);
		OK(doca_buf_inventory_buf_get_by_data(end.inventory, end.mmap, at, LONG_LEN, &buf));
		OK(doca_cc_producer_task_send_alloc_init(producer, buf, end.peer_id,
							 &end.idle[end.n_idle]));
	}
	pass(N_WARM);
	hot_begin();
	pass(N_MESSAGES);
	hot_end();
	traced_await_over(traced_as.dir);
	while (end.n_idle > 0) {
		struct doca_cc_producer_task_send *task = end.idle[--end.n_idle];

		OK(doca_buf_dec_refcount(doca_cc_producer_task_send_get_buf(task), NULL));
		doca_task_free(doca_cc_producer_task_send_as_task(task));
	}
	stop(doca_cc_producer_as_ctx(producer));
	OK(doca_cc_producer_destroy(producer));
	memory_close();
}

static void run_end(void)
{
	bool is_server = strcmp(traced_as.name, "server") == 0;

	use_fill(end.message, SHORT_LEN, 2);
	OK(doca_pe_create(&end.pe));
	if (is_server)
		server_open();
	else
		client_open();
	if (strcmp(traced_as.how, "messages") == 0)
		run_messages(is_server);
	else if (is_server)
		run_consumer();
	else
		run_producer();
	ck_assert_uint_eq(end.n_wrong, 0);
	if (is_server)
		server_close();
	else
		client_close();
	OK(doca_pe_destroy(end.pe));
}

/* --- the test --- */

static void setup(void)
{
	lab_start(&lab, NULL);
}

static void teardown(void)
{
	lab_stop(&lab);
}

START_TEST(messages)
{
	traced_run_both(&lab, "messages", true);
}
END_TEST

START_TEST(beyond_the_channel)
{
	traced_run_both(&lab, "fast", true);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "cc without system calls");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, messages);
	tcase_add_test(tcase, beyond_the_channel);
}

int main(int argc, char **argv)
{
	if (traced_parse(argc, argv, &traced_as))
		return traced_main(run_end);
	lab_require();
	if (!traced_is_possible())
		return RUNNER_SKIPPED;
	return runner_main("cc_hot", add_cases, NULL);
}
