/*
 * Producers and consumers of comch on two machines, whose messages use an RDMA device: a client on
 * the host's side, a comch server on the DPU's, each with a consumer and a producer.
 *
 *   fast_test server CASE            the host's side; it listens for the other process
 *   fast_test client CASE ADDRESS    the DPU's; IPv4, of the server
 *
 * Cases: messages (all sizes, both directions at once; first those of the connection itself),
 * asleep (one at a time, sleeping in epoll), stopped (a consumer stops with messages in flight,
 * another one continues), killed, gone (the DPU's device is removed; without a fast path),
 * removed_a and removed_b (the host's or the DPU's device is removed with messages in flight), lost
 * (and reconnected), off.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <dococ.h>

#include "tests/vm/base.h"

#define SERVICE "fast"
#define N_BUFS  8u
#define BUF_LEN (160u << 10)
#define N_MSGS  400u
#define N_AGAIN 40u /* after the network was cut */
#define N_PINGS 50u
#define N_CALLS 30u /* messages of the connection itself */

struct sink {
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *memory;
	unsigned n_recv, n_flushed;
	doca_error_t flush_code;
};

static struct {
	bool is_server; /* the process on the host's side */
	int sock;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *conn;
	unsigned n_connects, n_disconnects, n_new, n_expired, n_called, n_calls_sent;
	uint32_t peers[4];
	struct sink sink;
	struct doca_comch_producer *producer;
	struct doca_ctx *producer_ctx;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *memory;
	struct doca_comch_producer_task_send *idle[N_BUFS];
	unsigned n_idle, n_sent, n_failed;
	doca_error_t status; /* of the latest failed task */
} end;

static const size_t sizes[] = {1, 8, 60, 64, 65, 192, 193, 1000, 4096, 4097, 65537, BUF_LEN};

static size_t size_of(unsigned i)
{
	return sizes[i % ARRAY_LEN(sizes)];
}

/* --- the connection --- */

static void on_send(struct doca_comch_task_send *task, union doca_data a, union doca_data b)
{
	(void)a;
	(void)b;
	OK(doca_task_get_status(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	end.n_calls_sent++;
}

static uint32_t call_len(unsigned i)
{
	return 1 + i * 997 % 4000;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *conn)
{
	(void)event;
	check(conn == end.conn && len == call_len(end.n_called), "%u bytes of message %u", len,
	      end.n_called);
	base_verify(bytes, 0, len, end.n_called++);
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *conn, uint8_t is_fine)
{
	(void)event;
	check(is_fine, "%s", dococ_last_error());
	end.conn = conn;
	end.n_connects++;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *conn, uint8_t is_fine)
{
	(void)event;
	(void)conn;
	(void)is_fine;
	end.n_disconnects++;
}

static void on_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		   uint32_t id)
{
	(void)event;
	(void)conn;
	end.peers[end.n_new++ % ARRAY_LEN(end.peers)] = id;
}

static void on_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		       uint32_t id)
{
	(void)event;
	(void)conn;
	(void)id;
	end.n_expired++;
}

static void dpu_open(void)
{
	end.rep = base_rep_open(end.dev);
	OK(doca_comch_server_create(end.dev, end.rep, SERVICE, &end.server));
	end.ctx = doca_comch_server_as_ctx(end.server);
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_comch_server_task_send_set_conf(end.server, on_send, on_send, 4));
	OK(doca_comch_server_event_msg_recv_register(end.server, on_message));
	OK(doca_comch_server_event_consumer_register(end.server, on_new, on_expired));
	OK(doca_comch_server_event_connection_status_changed_register(end.server, on_connect,
								      on_disconnect));
	OK(doca_ctx_start(end.ctx));
	meet_step(end.sock);
	base_await(end.pe, &end.n_connects, 1, false);
}

static void ctx_await(struct doca_ctx *ctx, enum doca_ctx_states wanted)
{
	enum doca_ctx_states state;
	time_t until = time(NULL) + TIMEOUT_S;

	do {
		(void)doca_pe_progress(end.pe);
		OK(doca_ctx_get_state(ctx, &state));
		check(time(NULL) < until, "state %d: %s", (int)state, dococ_last_error());
	} while (state != wanted);
}

static void host_open(void)
{
	OK(doca_comch_client_create(end.dev, SERVICE, &end.client));
	end.ctx = doca_comch_client_as_ctx(end.client);
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_comch_client_task_send_set_conf(end.client, on_send, on_send, 4));
	OK(doca_comch_client_event_msg_recv_register(end.client, on_message));
	OK(doca_comch_client_event_consumer_register(end.client, on_new, on_expired));
	meet_step(end.sock);
	FAILS(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
	ctx_await(end.ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_comch_client_get_connection(end.client, &end.conn));
}

/* --- receiving --- */

static void on_recv(struct doca_comch_consumer_task_post_recv *task, union doca_data a,
		    union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct sink *sink = ctx_data.ptr;
	unsigned i = 0;
	void *data;
	size_t len;

	(void)a;
	OK(doca_buf_get_data(buf, &data));
	OK(doca_buf_get_data_len(buf, &len));
	check(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == sizeof(i), "imm");
	memcpy(&i, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(i));
	check(i == sink->n_recv, "%u, not %u", i, sink->n_recv);
	check(len == size_of(i), "%zu bytes of message %u", len, i);
	base_verify(data, 0, len, i);
	sink->n_recv++;
	memset(data, 0, len);
	OK(doca_buf_reset_data_len(buf));
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != DOCA_SUCCESS) {
		OK(doca_buf_dec_refcount(buf, NULL));
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	}
}

static void on_flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data a,
		       union doca_data ctx_data)
{
	struct sink *sink = ctx_data.ptr;

	(void)a;
	sink->n_flushed++;
	sink->flush_code = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
	OK(doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void sink_open(struct sink *sink)
{
	struct doca_comch_consumer_task_post_recv *task;
	union doca_data self = {.ptr = sink};
	struct doca_buf *buf;

	*sink = (struct sink){.n_recv = 0};
	/* The map permits peers nothing: only the slots are accessible to them. */
	sink->memory = base_memory_new(end.dev, N_BUFS * BUF_LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
				       &sink->mmap);
	OK(doca_buf_inventory_create(N_BUFS, &sink->inventory));
	OK(doca_buf_inventory_start(sink->inventory));
	OK(doca_comch_consumer_create(end.conn, sink->mmap, &sink->consumer));
	sink->ctx = doca_comch_consumer_as_ctx(sink->consumer);
	OK(doca_pe_connect_ctx(end.pe, sink->ctx));
	OK(doca_ctx_set_user_data(sink->ctx, self));
	OK(doca_comch_consumer_task_post_recv_set_conf(sink->consumer, on_recv, on_flushed,
						       N_BUFS));
	FAILS(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(sink->ctx));
	ctx_await(sink->ctx, DOCA_CTX_STATE_RUNNING);
	for (unsigned i = 0; i < N_BUFS; i++) {
		OK(doca_buf_inventory_buf_get_by_addr(sink->inventory, sink->mmap,
						      sink->memory + i * BUF_LEN, BUF_LEN, &buf));
		OK(doca_comch_consumer_task_post_recv_alloc_init(sink->consumer, buf, &task));
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
}

static void sink_close(struct sink *sink)
{
	base_ctx_stop(end.pe, sink->ctx);
	OK(doca_comch_consumer_destroy(sink->consumer));
	OK(doca_buf_inventory_destroy(sink->inventory));
	OK(doca_mmap_destroy(sink->mmap));
	free(sink->memory);
}

/* --- sending --- */

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data a,
		    union doca_data b)
{
	(void)a;
	(void)b;
	end.n_sent++;
	end.idle[end.n_idle++] = task;
}

static void on_not_sent(struct doca_comch_producer_task_send *task, union doca_data a,
			union doca_data b)
{
	(void)a;
	(void)b;
	end.status = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
	end.n_failed++;
	end.idle[end.n_idle++] = task;
}

static void source_open(void)
{
	struct doca_buf *buf;

	end.memory = base_memory_new(end.dev, N_BUFS * BUF_LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
				     &end.mmap);
	OK(doca_buf_inventory_create(N_BUFS, &end.inventory));
	OK(doca_buf_inventory_start(end.inventory));
	OK(doca_comch_producer_create(end.conn, &end.producer));
	end.producer_ctx = doca_comch_producer_as_ctx(end.producer);
	OK(doca_pe_connect_ctx(end.pe, end.producer_ctx));
	OK(doca_comch_producer_task_send_set_conf(end.producer, on_sent, on_not_sent, N_BUFS));
	OK(doca_ctx_start(end.producer_ctx));
	for (; end.n_idle < N_BUFS; end.n_idle++) {
		OK(doca_buf_inventory_buf_get_by_addr(
			end.inventory, end.mmap, end.memory + end.n_idle * BUF_LEN, BUF_LEN, &buf));
		OK(doca_comch_producer_task_send_alloc_init(end.producer, buf, NULL, 0, 0,
							    &end.idle[end.n_idle]));
	}
}

static void source_close(void)
{
	while (end.n_idle < N_BUFS)
		(void)doca_pe_progress(end.pe);
	while (end.n_idle > 0) {
		struct doca_comch_producer_task_send *task = end.idle[--end.n_idle];

		OK(doca_buf_dec_refcount(
			(struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(task),
			NULL));
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	}
	base_ctx_stop(end.pe, end.producer_ctx);
	OK(doca_comch_producer_destroy(end.producer));
	OK(doca_buf_inventory_destroy(end.inventory));
	OK(doca_mmap_destroy(end.mmap));
	free(end.memory);
}

/* Also returns AGAIN if all buffers are in flight. */
static doca_error_t send_one(uint32_t to, unsigned i)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;
	doca_error_t result;
	void *head;

	if (end.n_idle == 0)
		return DOCA_ERROR_AGAIN;
	task = end.idle[end.n_idle - 1];
	buf = (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(task);
	OK(doca_buf_get_head(buf, &head));
	base_fill(head, 0, size_of(i), i);
	OK(doca_buf_set_data(buf, head, size_of(i)));
	doca_comch_producer_task_send_set_consumer_id(task, to);
	doca_comch_producer_task_send_set_imm_data(task, (uint8_t *)&i, sizeof(i));
	result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
	if (result == DOCA_SUCCESS)
		end.n_idle--;
	return result;
}

static void send_retry(unsigned i)
{
	time_t until = time(NULL) + TIMEOUT_S;
	doca_error_t result;

	while ((result = send_one(end.peers[0], i)) == DOCA_ERROR_AGAIN) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "message %u: %s", i, dococ_last_error());
	}
	OK(result);
}

/* --- cases --- */

static void open_connection(void)
{
	end.dev = base_dev_open(NULL);
	OK(doca_pe_create(&end.pe));
	if (end.is_server)
		host_open();
	else
		dpu_open();
}

static void open_fast_path(void)
{
	sink_open(&end.sink);
	source_open();
	base_await(end.pe, &end.n_new, 1, false);
}

static void close_connection(void)
{
	base_ctx_stop(end.pe, end.ctx);
	if (end.server != NULL)
		OK(doca_comch_server_destroy(end.server));
	else
		OK(doca_comch_client_destroy(end.client));
	OK(doca_pe_destroy(end.pe));
	if (end.rep != NULL)
		OK(doca_dev_rep_close(end.rep));
	OK(doca_dev_close(end.dev));
}

static void close_all(void)
{
	source_close();
	sink_close(&end.sink);
	close_connection();
}

static void submit_retry(struct doca_task *task)
{
	time_t until = time(NULL) + TIMEOUT_S;
	doca_error_t result;

	while ((result = doca_task_submit(task)) == DOCA_ERROR_AGAIN) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "%s", dococ_last_error());
	}
	OK(result);
}

/* Messages of the connection itself use the daemons, and keep their order in each direction. */
static void calls(void)
{
	struct doca_comch_task_send *task;
	static uint8_t bytes[4096];

	for (unsigned i = 0; i < N_CALLS; i++) {
		base_fill(bytes, 0, call_len(i), i);
		if (end.is_server)
			OK(doca_comch_client_task_send_alloc_init(end.client, end.conn, bytes,
								  call_len(i), &task));
		else
			OK(doca_comch_server_task_send_alloc_init(end.server, end.conn, bytes,
								  call_len(i), &task));
		submit_retry(doca_comch_task_send_as_task(task));
		base_await(end.pe, &end.n_calls_sent, i + 1, false);
	}
	base_await(end.pe, &end.n_called, N_CALLS, false);
	meet_step(end.sock);
}

static void messages(unsigned n_messages)
{
	time_t until = time(NULL) + TIMEOUT_S;
	unsigned n = 0;

	while (end.n_sent < n_messages || end.sink.n_recv < n_messages) {
		doca_error_t result = DOCA_ERROR_AGAIN;

		if (n < n_messages)
			result = send_one(end.peers[0], n);
		check(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN, "%s",
		      dococ_last_error());
		n += result == DOCA_SUCCESS;
		(void)doca_pe_progress(end.pe);
		check(end.n_failed == 0, "%s", dococ_last_error());
		check(time(NULL) < until, "%u sent, %u received", end.n_sent, end.sink.n_recv);
	}
	/* No message may be longer than the posted buffers. */
	FAILS(DOCA_ERROR_NOT_FOUND, send_one(12345, 0));
	meet_step(end.sock);
}

/* A message wakes the other process, which sends one back. */
static void case_asleep(void)
{
	for (unsigned i = 0; i < N_PINGS; i++) {
		if (!end.is_server)
			base_await(end.pe, &end.sink.n_recv, i + 1, true);
		send_retry(i);
		base_await(end.pe, &end.n_sent, i + 1, true);
		if (end.is_server)
			base_await(end.pe, &end.sink.n_recv, i + 1, true);
	}
	meet_step(end.sock);
}

/*
 * The DPU's process sends continuously to one of the host's consumers, which stops, and then to the
 * other one.
 */
static void case_stopped(void)
{
	struct sink other;
	doca_error_t result;
	unsigned n = 0;

	if (end.is_server) {
		sink_open(&other);
		meet_step(end.sock);
		base_await(end.pe, &other.n_recv, 30, false);
		sink_close(&other);
		check(other.n_flushed <= N_BUFS &&
			      (other.n_flushed == 0 || other.flush_code == DOCA_ERROR_SHUTDOWN),
		      "%s", doca_error_get_name(other.flush_code));
		base_await(end.pe, &end.sink.n_recv, 30, false);
		meet_step(end.sock);
		return;
	}
	meet_step(end.sock);
	base_await(end.pe, &end.n_new, 2, false);
	do {
		result = send_one(end.peers[1], n);
		n += result == DOCA_SUCCESS;
		(void)doca_pe_progress(end.pe);
	} while (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
	check(result == DOCA_ERROR_NOT_FOUND || result == DOCA_ERROR_CONNECTION_RESET, "%s",
	      dococ_last_error());
	base_await(end.pe, &end.n_expired, 1, false);
	FAILS(DOCA_ERROR_NOT_FOUND, send_one(end.peers[1], 0));
	while (end.n_idle < N_BUFS)
		(void)doca_pe_progress(end.pe);
	check(end.n_failed == 0 || end.status == DOCA_ERROR_CONNECTION_RESET, "%s",
	      doca_error_get_name(end.status));
	end.n_failed = 0;
	for (unsigned i = 0; i < 30; i++)
		send_retry(i);
	while (end.n_idle < N_BUFS)
		(void)doca_pe_progress(end.pe);
	check(end.n_failed == 0, "%s", dococ_last_error());
	meet_step(end.sock);
}

/*
 * The DPU's process sends until a failure: the host's process is killed, the network is cut, or the
 * host's machine is switched off.
 */
static void case_vanishes(bool is_killed, bool is_off)
{
	doca_error_t result;
	unsigned n = 0;
	time_t until;

	if (end.is_server) {
		base_await(end.pe, &end.sink.n_recv, 30, false);
		if (is_killed)
			raise(SIGKILL);
		/* The context stops by itself. */
		while (!is_off && end.n_expired == 0)
			(void)doca_pe_progress(end.pe);
		if (is_off)
			pause();
		return;
	}
	for (; n < 30; n++)
		send_retry(n);
	meet_send("ready");
	until = time(NULL) + TIMEOUT_S;
	do {
		result = send_one(end.peers[0], n);
		n += result == DOCA_SUCCESS;
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "%u sent", end.n_sent);
	} while (end.n_failed == 0 && (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN));
	if (end.n_failed > 0)
		result = end.status;
	/* The daemons may report it first: then the consumer is gone before the connection. */
	check(result == DOCA_ERROR_CONNECTION_RESET || result == DOCA_ERROR_NOT_CONNECTED ||
		      (is_killed && result == DOCA_ERROR_NOT_FOUND),
	      "%s", dococ_last_error());
	printf("as it should be: %s\n", dococ_last_error());
	meet_send("lost");
	if (!is_killed && !is_off)
		meet_await_notified();
}

/* The network works again. */
static void reconnect(void)
{
	int sock = end.sock;
	bool is_server = end.is_server;

	close_all();
	memset(&end, 0, sizeof(end));
	end.sock = sock;
	end.is_server = is_server;
	open_connection();
	open_fast_path();
	messages(N_AGAIN);
}

/*
 * If the device of either end is removed, the connection ends for both. Their contexts stop by
 * themselves.
 */
static void case_gone(void)
{
	calls();
	meet_send("ready");
	if (!end.is_server)
		base_await(end.pe, &end.n_disconnects, 1, true);
	ctx_await(end.ctx, DOCA_CTX_STATE_IDLE);
	printf("as it should be: %s\n", dococ_last_error());
}

static bool ctx_runs(void)
{
	enum doca_ctx_states state;

	OK(doca_ctx_get_state(end.ctx, &state));
	return state == DOCA_CTX_STATE_RUNNING;
}

/* The same with messages of producers in flight: each completes. */
static void case_removed(bool is_hosts)
{
	time_t until = time(NULL) + TIMEOUT_S;
	unsigned n = 0;

	if (end.is_server)
		base_await(end.pe, &end.sink.n_recv, 30, false);
	for (; n < 30 && !end.is_server; n++)
		send_retry(n);
	meet_send("ready");
	/* The DPU's server keeps running without the host's device. */
	while (end.is_server || !is_hosts ? ctx_runs() : end.n_disconnects == 0) {
		if (!end.is_server && send_one(end.peers[0], n) == DOCA_SUCCESS)
			n++;
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "%u sent, %u received", end.n_sent, end.sink.n_recv);
	}
	printf("as it should be: %s\n", dococ_last_error());
	while (end.n_idle < N_BUFS) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "%u messages do not end", N_BUFS - end.n_idle);
	}
	check(end.n_failed == 0 || end.status != DOCA_SUCCESS, "failed without a reason");
	meet_step(end.sock);
}

int main(int argc, char **argv)
{
	const char *name;

	setvbuf(stdout, NULL, _IOLBF, 0);
	check(argc >= 3, "usage: fast_test server|client CASE [ADDRESS]");
	end.is_server = strcmp(argv[1], "server") == 0;
	name = argv[2];
	end.sock = meet_open(name, end.is_server, argc > 3 ? argv[3] : NULL);
	open_connection();
	if (strcmp(name, "gone") == 0) {
		case_gone();
		close_connection();
		printf("%s: ok\n", name);
		return 0;
	}
	open_fast_path();
	if (strcmp(name, "messages") == 0) {
		calls();
		messages(N_MSGS);
	} else if (strcmp(name, "asleep") == 0) {
		case_asleep();
	} else if (strcmp(name, "stopped") == 0) {
		case_stopped();
	} else if (strncmp(name, "removed_", 8) == 0) {
		case_removed(strcmp(name, "removed_a") == 0);
	} else {
		case_vanishes(strcmp(name, "killed") == 0, strcmp(name, "off") == 0);
	}
	if (strcmp(name, "lost") == 0)
		reconnect();
	close_all();
	printf("%s: ok\n", name);
	return 0;
}
